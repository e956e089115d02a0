(** * Yun et al. (2020), section E.4: the layers before the table of answers, and after it

    Token by token: (1) outside the band subtract M + 1, (2) make negative entries zero, and, as
    the repair of Lemma 9, (4) add K where ids are negative. The table (3) is in [look_up.v]. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers grid selective_shift lemma_8 look_up.

Section ValueLayers.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation t_l := (t_l R N d n).
Notation t_r := (t_r R N d n).
Notation id z := ((u *m z) ord0 ord0).
Implicit Types (L : 'M[R]_(d.+1, n)) (z : 'cV[R]_d.+1).

Let N_gt0 : (0 < N)%N := ltnW N_gt1.
Let delta_gt0 : 0 < delta := delta_gt0 R N_gt0.

Lemma id_col (Z : 'M[R]_(d.+1, n)) j : id (col j Z) = (u *m Z) ord0 j.
Proof. by rewrite !mxE; apply: eq_bigr => i _; rewrite [col _ _ _ _]mxE. Qed.

(** ** The layers before the table, and the one after it *)

(** An activation that is 0 in the band and less than half a step above it, else 1. *)
Definition outside_phi := three_piece t_l (t_r + delta / 2%:R) 0 1 0 0 0 (1 : R).
(** The layer that subtracts [M + 1] from all entries of a token whose id is below the band, or half a step above
    it. *)
Definition outside (M : R) := UnitOf outside_phi u 0 (const_mx (- (M + 1))).

(** An activation that is - t where t is negative, else 0. *)
Definition zero_phi := three_piece 0 0 (-1) 0 0 0 0 (0 : R).
(** The layer that makes a negative entry of row i zero. *)
Definition zero (i : 'I_d.+1) := UnitOf zero_phi (delta_mx ord0 i) 0 (delta_mx i ord0).

(** An activation that is 1 below - 1/2, else 0. *)
Definition return_phi := three_piece (- 2%:R^-1) (- 2%:R^-1) 0 1 0 0 0 (0 : R).
(** The layer that adds [K] to all entries of a token whose id is below - 1/2. *)
Definition return_ (K : R) := UnitOf return_phi u 0 (const_mx K).

Lemma outside_in M z : t_l <= id z <= t_r -> on_token z (outside M) = z.
Proof.
move=> /andP[ge le]; rewrite /on_token /= /outside_phi /three_piece subr0 ltNge ge /=.
rewrite (le_lt_trans le) ?mul0r ?addr0 ?scale0r ?addr0 //.
by rewrite ltr_addl divr_gt0 ?ltr0n.
Qed.

Lemma outside_out M z : id z < t_l \/ t_r + delta <= id z ->
  on_token z (outside M) = z - const_mx (M + 1).
Proof.
have half : delta / 2%:R <= delta by rewrite ler_pdivr_mulr ?ltr0n // ler_pmulr // ler1n.
have phi_1 t : t < t_l \/ t_r + delta <= t -> outside_phi t = 1.
  rewrite /outside_phi /three_piece mul0r add0r => -[->//|ge]; case: ltP => // _.
  by rewrite ltNge (le_trans _ ge) // ler_add2l.
move=> /phi_1 phi_z; rewrite /on_token /= subr0 phi_z scale1r; congr (_ + _).
by apply/colP => i; rewrite !mxE.
Qed.

Lemma run_zero s z i : uniq s ->
  run [seq zero i | i <- s] z i ord0 = if i \in s then Num.max 0 (z i ord0) else z i ord0.
Proof.
elim: s z => //= i' s IHs z /andP[i'_s s_uniq]; rewrite IHs // in_cons.
have zero_z k : on_token z (zero i') k ord0 = if k == i' then Num.max 0 (z k ord0) else z k ord0.
  rewrite /on_token /= subr0 -rowE !mxE eqxx andbT; case: eqP => [->|_];
    last by rewrite mulr0 addr0.
  rewrite mulr1 /zero_phi /three_piece; case: (ltrP (z i' ord0)) => [lt|ge].
    by rewrite mulN1r addr0 subrr.
  by rewrite !mul0r !addr0.
by rewrite zero_z; case: eqP => [->|_] /=; first by rewrite (negPf i'_s).
Qed.

(** The layers that make all negative entries zero, one for each row. *)
Definition zeros := [seq zero i | i <- enum 'I_d.+1].

Lemma zeros_pos z : (forall i, 0 <= z i ord0) -> run zeros z = z.
Proof.
by move=> z_ge0; apply/colP => i; rewrite run_zero ?enum_uniq // mem_enum max_r.
Qed.

Lemma zeros_neg z : (forall i, z i ord0 < 0) -> run zeros z = 0.
Proof.
by move=> z_lt0; apply/colP => i; rewrite run_zero ?enum_uniq // mem_enum mxE max_l // ltW.
Qed.

Lemma return_below K z : id z <= -1 -> on_token z (return_ K) = z + const_mx K.
Proof.
move=> le; rewrite /on_token /= /return_phi /three_piece subr0 (le_lt_trans le) ?mul0r ?add0r
  ?scale1r //.
by rewrite ltr_oppl opprK invf_lt1 ?ltr1n ?ltr0n.
Qed.

Lemma return_zero K : on_token 0 (return_ K) = 0.
Proof.
rewrite /on_token /= /return_phi /three_piece mulmx0 mxE subr0 ltNge oppr_le0 invr_ge0 ler0n /=.
by rewrite mul0r addr0 scale0r addr0.
Qed.

End ValueLayers.
