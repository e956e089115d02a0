(** * 1 / f is analytic, if f is and is never 0 *)
From UAT Require Import analysis.
From mathcomp.analysis Require Import derive realfun.
From UAT.cheng2025 Require Import analytic isolated_zeros.

Section Quotient.

Variable R : realType.
Implicit Types (f g : R -> R) (F G : nat -> R -> R) (t D : R).

Lemma bounded_on g D : continuous g -> exists2 K, 0 <= K & forall t, `|t| <= D -> `|g t| <= K.
Proof.
move=> g_cont; have [D_ge0|D_lt0] := leP 0 D; last first.
  by exists 0 => // t /le_lt_trans/(_ D_lt0); rewrite ltNge normr_ge0.
have D_seg : - D <= D by rewrite (le_trans _ D_ge0) // oppr_le0.
have [a _ a_max] := EVT_max D_seg (continuous_subspaceT g_cont).
have [b _ b_min] := EVT_min D_seg (continuous_subspaceT g_cont).
exists (`|g a| + `|g b|) => [|t]; first by rewrite addr_ge0.
rewrite ler_norml => t_in; have {}t_in : t \in `[(- D), D]%R by rewrite in_itv.
rewrite ler_norml; apply/andP; split; last first.
  by apply: le_trans (a_max t t_in) _; apply: le_trans (ler_norm _) _; rewrite ler_addl.
apply: le_trans (b_min t t_in); rewrite ler_oppl; apply: le_trans (ler_norm _) _.
by rewrite normrN ler_addr.
Qed.

Lemma sum_powers_le2 (C B : R) n : 0 <= C -> 2%:R * C <= B ->
  \sum_(k < n.+1) C ^+ k * B ^+ (n - k) <= 2%:R * B ^+ n.
Proof.
move=> C_ge0 C_le; have B_ge0 : 0 <= B by apply: le_trans C_le; rewrite mulr_ge0.
elim: n => [|n IH]; first by rewrite big_ord_recl big_ord0 !expr0 addr0 !mulr1 ler1n.
rewrite big_ord_recl expr0 mul1r subn0 (eq_bigr (fun k : 'I_n.+1 => C * (C ^+ k * B ^+ (n - k)))).
  rewrite -mulr_sumr mulrDl mul1r ler_add2l; apply: le_trans (ler_wpmul2l C_ge0 IH) _.
  by rewrite mulrA [C * _]mulrC exprS ler_wpmul2r ?exprn_ge0.
by move=> k _; rewrite /= exprS subSS mulrA.
Qed.

Lemma inverse_derive f df t : f t != 0 -> is_derive t 1 f df ->
  is_derive t 1 (fun r => (f r)^-1) (- (df * ((f t)^-1 * (f t)^-1))).
Proof.
move=> ft f_der; have d := is_deriveV ft f_der; apply: is_derive_eq d _.
by rewrite -[_ *: _]/(_ * _) mulNr mulrC expr2 invfM.
Qed.

(** The coefficients after the first. *)
Definition later F n : R -> R := F n.+1.

(** ** The coefficients of 1 / f *)
Section Coefficients.

Variables (f : R -> R) (F G : nat -> R -> R).
Notation g := (fun t => (f t)^-1).
Notation F1 := (later F).
Hypothesis f_ne0 : forall t, f t != 0.
Hypothesis F0 : F 0%N = f.
Hypothesis F_der : forall n t, is_derive t 1 (F n) (n.+1%:R * F n.+1 t).

(** f (1/f) = 1 tells each coefficient from those before. *)
Hypothesis G0 : G 0%N = g.
Hypothesis GS : forall n t, G n.+1 t = - (f t)^-1 * conv F1 G n t.

Lemma g_derive t : is_derive t 1 g (- (F 1%N t * ((f t)^-1 * (f t)^-1))).
Proof. by apply: inverse_derive => //; have := F_der 0%N t; rewrite F0 mul1r. Qed.

(** The derivative of the convolution has the factors that coefficients have. *)
Lemma conv_derivative n t :
  \sum_(k < n.+1) (k.+2%:R * F k.+2 t * G (n - k)%N t + F1 k t * ((n - k).+1%:R * G (n - k).+1 t))
  = n.+2%:R * conv F1 G n.+1 t - F1 0%N t * G n.+1 t.
Proof.
have left_sum : \sum_(k < n.+1) k.+2%:R * F k.+2 t * G (n - k)%N t
    = \sum_(k < n.+2) k.+1%:R * (F1 k t * G (n.+1 - k)%N t) - F1 0%N t * G n.+1 t.
  rewrite [in RHS]big_ord_recl mul1r subn0 addrAC subrr add0r.
  by apply: eq_bigr => k _; rewrite mulrA.
have right_sum : \sum_(k < n.+1) F1 k t * ((n - k).+1%:R * G (n - k).+1 t)
    = \sum_(k < n.+2) (n.+1 - k)%:R * (F1 k t * G (n.+1 - k)%N t).
  rewrite [RHS]big_ord_recr /= subnn mul0r addr0; apply: eq_bigr => k _.
  by rewrite subSn 1?mulrCA // -ltnS.
rewrite big_split /= left_sum right_sum addrAC -big_split /= mulr_sumr; congr (_ - _).
by apply: eq_bigr => k _; rewrite -mulrDl -natrD addSn subnKC // -ltnS.
Qed.

(** So they are coefficients, *)
Lemma G_derive n t : is_derive t 1 (G n) (n.+1%:R * G n.+1 t).
Proof.
elim/ltn_ind: n => -[|n] IH.
  rewrite G0 mul1r GS /conv big_ord_recl big_ord0 addr0 G0.
  by apply: is_derive_eq (g_derive t) _; rewrite /later mulNr mulrCA.
have terms (k : 'I_n.+1) : is_derive t 1 (fun r => F1 k r * G (n - k)%N r)
    (k.+2%:R * F k.+2 t * G (n - k)%N t + F1 k t * ((n - k).+1%:R * G (n - k).+1 t)).
  by apply: is_derive_mulf (F_der k.+1 t) (IH (n - k)%N _); rewrite ltnS leq_subr.
have d := is_derive_mulf (is_derive_scalef (-1) (g_derive t)) (is_derive_sumf terms).
have -> : G n.+1 = (fun r => -1 * (f r)^-1 * \sum_(k < n.+1) F1 k r * G (n - k)%N r).
  by apply/funext => r; rewrite GS mulN1r.
apply: is_derive_eq d _; rewrite !mulN1r opprK conv_derivative [G n.+2 t]GS -/(conv F1 G n t).
have -> : F 1%N t * ((f t)^-1 * (f t)^-1) * conv F1 G n t = - ((f t)^-1 * (F1 0%N t * G n.+1 t)).
  by rewrite GS mulNr !mulrN opprK [in RHS]mulrCA -!mulrA.
by rewrite !mulNr mulrBr opprB addKr mulrN mulrCA.
Qed.

(** and do not grow too fast. *)
Lemma G_bound D M C K : 0 <= M -> 0 <= C -> 0 <= K ->
  (forall n t, `|t| <= D -> `|F n t| <= M * C ^+ n) -> (forall t, `|t| <= D -> `|(f t)^-1| <= K) ->
  forall n t, `|t| <= D -> `|G n t| <= K * (2%:R * C + 2%:R * (K * (M * C))) ^+ n.
Proof.
move=> M_ge0 C_ge0 K_ge0 F_le g_le; set B := 2%:R * C + _.
have B_ge0 : 0 <= B by rewrite addr_ge0 ?mulr_ge0.
have F1_le n t : `|t| <= D -> `|F1 n t| <= M * C * C ^+ n.
  by move=> t_le; rewrite -mulrA -exprS; apply: F_le.
move=> n t; elim/ltn_ind: n t => -[|n] IH t t_le; first by rewrite G0 expr0 mulr1 g_le.
have := conv_bound (mulr_ge0 M_ge0 C_ge0) C_ge0 K_ge0 B_ge0 F1_le (fun m t le => IH m le t) t_le.
rewrite GS normrM normrN => G_le.
have le_sum : \sum_(k < n.+1) C ^+ k * B ^+ (n - k) <= 2%:R * B ^+ n.
  by apply: sum_powers_le2; rewrite // ler_addl !mulr_ge0.
apply: le_trans (ler_pmul (normr_ge0 _) (normr_ge0 _) (g_le t t_le) G_le) _.
apply: (@le_trans _ _ (K * (M * C * K * (2%:R * B ^+ n)))).
  by rewrite ler_wpmul2l // ler_wpmul2l ?mulr_ge0.
have -> : K * (M * C * K * (2%:R * B ^+ n)) = K * (2%:R * (K * (M * C)) * B ^+ n).
  by move: (B ^+ n) => b; ring.
by rewrite ler_wpmul2l // exprS ler_wpmul2r ?exprn_ge0 // /B ler_addr mulr_ge0.
Qed.

End Coefficients.

Lemma analytic_inv f : analytic f -> (forall t, f t != 0) -> analytic (fun t => (f t)^-1).
Proof.
move=> [F [F_der F_bound] F0] f_ne0.
have [G [G0 GS]] := strong_sequence (fun t => (f t)^-1)
  (fun n s t => - (f t)^-1 * \sum_(k < n.+1) later F k t * nth (fun=> 0) s (n - k) t).
have {}GS n t : G n.+1 t = - (f t)^-1 * conv (later F) G n t.
  rewrite GS; congr (_ * _); apply: eq_bigr => k _.
  by rewrite nth_mkseq // ltnS leq_subr.
exists G => //; split=> [|D]; first exact: G_derive f_ne0 F0 F_der G0 GS.
have [M [C [M_ge0 C_ge0 F_le]]] := F_bound D.
have [K K_ge0 g_le] := bounded_on D (derivable_continuous (g_derive f_ne0 F0 F_der)).
exists K, (2%:R * C + 2%:R * (K * (M * C))); split=> //; first by rewrite addr_ge0 ?mulr_ge0.
exact: (G_bound G0 GS M_ge0 C_ge0 K_ge0 F_le g_le).
Qed.

End Quotient.
