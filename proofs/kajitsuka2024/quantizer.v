(** * Proposition 1 of Kajitsuka and Sato (2024), first block: steps and a penalty, (56) to (59)

    The interval [a, a + N h] has N cells of width h. For every width w > 0 of the ramps and every
    height P >= 0 of the penalty there is a sum of ReLUs that is t + 1 in the cell t, beyond its
    ramp; at most N everywhere; and at most N - P at a distance of w or more from the interval.

    Differs from the printed text: levels are 1, ..., N and not 1/N, ..., 1 (the head may rescale);
    the sum (58) runs from t = 0, and the signs of (59) are repaired; the penalty grows with the
    distance, and is taken of each entry (the printed (60) is not token by token). *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import hats relu_units.

Section Step.

Variables (R : rcfType) (w : R).
Hypothesis w_gt0 : 0 < w.
Implicit Types z p c : R.

(** A ReLU is not negative. *)
Lemma relu_ge0 z : 0 <= relu z.
Proof. by rewrite le_maxr lexx. Qed.

(** A ReLU is at least its argument. *)
Lemma relu_ge z : z <= relu z.
Proof. by rewrite le_maxr lexx orbT. Qed.

(** From w on it is at least 1, in units of w. *)
Lemma relu_ge1 z : w <= z -> 1 <= relu (z / w).
Proof. by move=> w_z; rewrite (le_trans _ (relu_ge _)) // ler_pdivl_mulr // mul1r. Qed.

(** (56): 0 up to p, 1 from p + w on. *)
Definition step p z : R := relu ((z - p) / w) - relu ((z - p) / w - 1).

(** A step is 0 up to p. *)
Lemma step_low p z : z <= p -> step p z = 0.
Proof.
move=> z_p; have le0 : (z - p) / w <= 0 by rewrite pmulr_lle0 ?invr_gt0 // subr_le0.
by rewrite /step !relu_neg ?subrr // ler_subl_addr (le_trans le0) ?addr_ge0 ?ler01.
Qed.

(** A step is 1 from p + w on. *)
Lemma step_high p z : p + w <= z -> step p z = 1.
Proof.
move=> p_z; have ge1 : 1 <= (z - p) / w by rewrite ler_pdivl_mulr // mul1r ler_subr_addl.
by rewrite /step !relu_pos ?subr_ge0 // ?(le_trans ler01) //; ring.
Qed.

(** A step lies between 0 and 1. *)
Lemma step_01 p z : 0 <= step p z <= 1.
Proof.
rewrite /step; case: (lerP ((z - p) / w) 0) => [u_le0|u_gt0].
  by rewrite !relu_neg ?subrr ?lexx ?ler01 //; lra.
rewrite (relu_pos (ltW u_gt0)); case: (lerP ((z - p) / w - 1) 0) => [u_le1|u_gt1].
  by rewrite (relu_neg u_le1); lra.
by rewrite (relu_pos (ltW u_gt1)); lra.
Qed.

Definition rise c p : seq (R * R * R) := [:: (w^-1, - p / w, c); (w^-1, - p / w - 1, - c)].

(** Two ReLUs make c times a step. *)
Lemma riseE c p z : piece (rise c p) z = c * step p z.
Proof.
rewrite /piece !big_cons big_nil /= addr0 /step.
rewrite (_ : w^-1 * z + - p / w = (z - p) / w); last by ring.
by rewrite (_ : w^-1 * z + (- p / w - 1) = (z - p) / w - 1); ring.
Qed.

End Step.

(** ** Nodes, and strips beyond them *)
Section Nodes.

Variables (R : rcfType) (a h w : R) (N : nat).
Hypotheses (h_gt0 : 0 < h) (w_gt0 : 0 < w).

(** The cell t lies between the nodes t and t + 1. *)
Definition node (t : nat) : R := a + t%:R * h.

(** Nodes rise. *)
Lemma node_le s t : (s <= t)%N -> node s <= node t.
Proof. by move=> s_t; rewrite ler_add2l ler_pmul2r // ler_nat. Qed.

(** [z] lies on a ramp. *)
Definition on_ramp z := exists2 t : nat, (t <= N)%N & node t <= z < node t + w.

(** A number in the interval that is on no ramp lies in a cell, beyond its ramp. *)
Lemma off_ramps z : a <= z <= node N -> ~ on_ramp z ->
  exists t : 'I_N, node t + w <= z <= node t.+1.
Proof.
move=> /andP[a_z z_N] off.
suff : forall m, (m <= N)%N -> z <= node m -> exists2 t, (t < m)%N & node t <= z <= node t.+1.
  move=> /(_ N (leqnn N) z_N)[t t_N /andP[t_z z_t]]; exists (Ordinal t_N).
  rewrite /= z_t andbT leNgt; apply/negP => z_lt; apply: off.
  by exists t; rewrite ?(ltnW t_N) // t_z.
elim=> [_ z_0|m IHm m_N z_m].
  case: off; exists 0%N => //; rewrite /node mul0r addr0 a_z /=.
  by move: z_0 w_gt0; rewrite /node mul0r; lra.
have [/(IHm (ltnW m_N))[t t_m in_t]|m_z] := lerP z (node m); first by exists t => //; exact: leqW.
by exists m; rewrite // (ltW m_z).
Qed.

End Nodes.

(** ** The first block *)
Section Quantizer.

Variables (R : rcfType) (a h w P : R) (N : nat).
Hypotheses (h_gt0 : 0 < h) (w_gt0 : 0 < w) (P_ge0 : 0 <= P).

Notation node := (node a h).

Definition penalty z : R := - P * relu ((z - node N) / w) - P * relu ((a - z) / w).

Definition quantizer : seq (R * R * R) :=
  flatten [seq rise w 1 (node t) | t <- index_iota 0 N] ++ rise w (- N%:R) (node N)
  ++ [:: (w^-1, - node N / w, - P); (- w^-1, a / w, - P)].

(** So many ReLUs it takes. *)
Lemma size_quantizer : size quantizer = (2 * N + 4)%N.
Proof.
by rewrite !size_cat (@size_flatten_map _ _ _ 2%N) // size_iota subn0.
Qed.

(** It adds 1 at each node but the last, and takes all away there; the penalty comes besides. *)
Lemma quantizerE z : piece quantizer z
  = \sum_(t < N) step w (node t) z - N%:R * step w (node N) z + penalty z.
Proof.
rewrite /piece /quantizer !big_cat big_flatten big_map big_mkord /=.
rewrite -[X in _ + (X + _)]/(piece _ z) riseE mulNr addrA; congr (_ + _ + _).
  by apply: eq_bigr => t _; rewrite -[LHS]/(piece _ z) riseE mul1r.
rewrite !big_cons big_nil /= addr0 /penalty -[X in _ = _ + X]mulNr.
rewrite (_ : w^-1 * z + - node N / w = (z - node N) / w); last by ring.
by rewrite (_ : - w^-1 * z + a / w = (a - z) / w); ring.
Qed.

(** A penalty is not positive. *)
Lemma penalty_le0 z : penalty z <= 0.
Proof.
have := mulr_ge0 P_ge0 (relu_ge0 ((z - node N) / w)).
by have := mulr_ge0 P_ge0 (relu_ge0 ((a - z) / w)); rewrite /penalty; lra.
Qed.

(** In the cell t, beyond the ramp, it is t + 1. *)
Lemma quantizer_cell (t : nat) z : (t < N)%N -> node t + w <= z <= node t.+1 ->
  piece quantizer z = t.+1%:R.
Proof.
move=> t_N /andP[z_ge z_le]; have z_N : z <= node N := le_trans z_le (node_le a h_gt0 t_N).
have a_z : a <= z.
  have := node_le a h_gt0 (leq0n t); rewrite /node mul0r addr0.
  by move: z_ge w_gt0; rewrite /node; lra.
rewrite quantizerE (step_low w_gt0 z_N) mulr0 subr0 /penalty.
rewrite !relu_neg ?pmulr_lle0 ?invr_gt0 ?subr_le0 //.
rewrite !mulr0 subr0 addr0 (eq_bigr (fun i : 'I_N => if (i < t.+1)%N then 1 else 0)) => [|i _].
  by rewrite -big_mkcond -(big_ord_widen _ (fun=> 1)) // sumr_const card_ord.
case: ltnP => i_t; last by rewrite step_low // (le_trans z_le) ?(node_le a h_gt0).
by rewrite step_high // (le_trans _ z_ge) // ler_add2r node_le.
Qed.

(** It is at most N and the penalty. *)
Lemma quantizer_le z : piece quantizer z <= N%:R + penalty z.
Proof.
rewrite quantizerE ler_add2r; have /andP[s_ge0 _] := step_01 w_gt0 (node N) z.
have : \sum_(t < N) step w (node t) z <= N%:R.
  apply: (@le_trans _ _ (\sum_(t < N) 1)); last by rewrite sumr_const card_ord.
  by apply: ler_sum => t _; have /andP[] := step_01 w_gt0 (node t) z.
by have := mulr_ge0 (ler0n R N) s_ge0; lra.
Qed.

(** It is at most N. *)
Lemma quantizer_le_N z : piece quantizer z <= N%:R.
Proof. by have := quantizer_le z; have := penalty_le0 z; lra. Qed.

(** It is at most N - P outside. *)
Lemma quantizer_outside z : z <= a - w \/ node N + w <= z -> piece quantizer z <= N%:R - P.
Proof.
move=> out; apply: le_trans (quantizer_le z) _; rewrite ler_add2l /penalty.
set A := relu ((z - _) / _); set B := relu (_ / _).
have PA : 0 <= P * A by apply: mulr_ge0 P_ge0 (relu_ge0 _).
have PB : 0 <= P * B by apply: mulr_ge0 P_ge0 (relu_ge0 _).
have ge1 C : 1 <= C -> P <= P * C by move=> C_ge1; rewrite -[leLHS]mulr1 ler_wpmul2l.
case: out => out.
  have /ge1 : 1 <= B by apply: relu_ge1 => //; lra.
  by lra.
have /ge1 : 1 <= A by apply: relu_ge1 => //; lra.
by lra.
Qed.

End Quantizer.
