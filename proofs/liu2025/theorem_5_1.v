(** * Liu et al. (2025), Theorem 5.1: small domains, repaired, with its sharpness

    For all d, n, every set [X] of d x n matrices that is contained in N balls of radius
    eps / (3 L), and every f that is L-Lipschitz on [X] and the centres,
    |f(Y) - f(Z)|_oo <= L |Y - Z|_2: one head of self-attention behind a sum of linear maps is
    within eps of f on [X]. With 2 d N >= n the matrices are those of Theorem 4.1 with the given
    centres in place of the grid: 2 d N columns and n + 2 rows of keys; and the sharpness may be
    6 L^2/eps^2 ln (6 B_0 N / eps) (the paper's, mended), or 6 L^2/eps^2 max(1, ln N) (the book's).
    Differs from the printed text: f need be Lipschitz only there, and only in this weaker sense
    (the paper: in the 2-norm on both sides, everywhere); W_V is d x e, as the paper builds it, not
    square; both kinds of sharpness are added. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import layers softmax_mean smoother grid sharpness riding self_attention any_centres.
From UAT.liu2025 Require Import uniform theorem_4_1.

Section Theorem51.

Variables (R : realType) (d n N : nat) (L eps : R).
Variables (f : 'M[R]_(d, n) -> 'M[R]_(d, n)) (X : 'M[R]_(d, n) -> Prop).
Variable v : 'I_N -> 'M[R]_(d, n).
Hypotheses (L_gt0 : 0 < L) (eps_gt0 : 0 < eps).

(** The Euclidean distance of two sequences. *)
Definition distance (Y Z : 'M[R]_(d, n)) : R := Num.sqrt (\sum_s \sum_k (Y s k - Z s k) ^+ 2).

Let r := eps / (3%:R * L).

(** The balls around the [v j] cover [X]. *)
Hypothesis X_covered : forall Z, X Z -> exists j, distance Z (v j) <= r.

(** Where f is asked: in X, and at the centres. *)
Definition domain Z := X Z \/ exists j, Z = v j.
Hypothesis f_lip : forall Y Z, domain Y -> domain Z ->
  forall s k, `|f Y s k - f Z s k| <= L * distance Y Z.

Let r_gt0 : 0 < r. Proof. by rewrite divr_gt0 // mulr_gt0 ?ltr0n. Qed.
Let L_ge0 : 0 <= L. Proof. exact: ltW. Qed.

Let C (j : 'I_N) := flat (v j).
Let V (j : 'I_N) := flat (f (v j)).

(** The distance of two sequences is that of their vectors of entries. *)
Lemma distance_flat Y Z : distance Y Z = Num.sqrt (dist2 (flat Y) (flat Z)).
Proof. by congr Num.sqrt; rewrite /dist2 pair_bigA; apply: eq_bigr => -[s k]. Qed.

(** Some centre is within r. *)
Lemma covered Z : X Z -> exists j, dist2 (flat Z) (C j) <= r ^+ 2.
Proof.
move=> /X_covered[j]; rewrite distance_flat => near; exists j.
rewrite -[X in X <= _]sqr_sqrtr ?dist2_ge0 // ler_expn2r ?nnegrE ?sqrtr_ge0 //.
exact: ltW.
Qed.

(** The value of a centre is off by what f may move. *)
Lemma values_lip Z j s k : X Z ->
  `|V j (s, k) - f Z s k| <= L * Num.sqrt (dist2 (flat Z) (C j)).
Proof.
by move=> XZ; rewrite -distance_flat distrC; apply: f_lip; [left | right; exists j].
Qed.

(** The paper's sharpness, mended: it knows a bound for the values. *)
Definition sharp_bounded (B_0 : R) : R := 6%:R * L ^+ 2 / eps ^+ 2 * ln (6%:R * B_0 * N%:R / eps).

(** The sharpness for a bound is not negative, as its logarithm is not. *)
Lemma sharp_bounded_ge0 (B_0 : R) : (0 < N)%N -> eps <= 2%:R * B_0 -> 0 <= sharp_bounded B_0.
Proof.
move=> N_gt0 eps_B; have N_ge1 : 1 <= N%:R :> R by rewrite ler1n.
have B_gt0 : 0 < B_0 by have := eps_gt0; lra.
have c_gt0 : 0 < 6%:R * L ^+ 2 / eps ^+ 2 by rewrite divr_gt0 ?mulr_gt0 ?exprn_gt0 ?ltr0n.
apply: mulr_ge0 (ltW c_gt0) (ln_ge0 _); rewrite ler_pdivl_mulr // mul1r (le_trans eps_B) //.
have B6_gt0 : 0 < 6%:R * B_0 by rewrite mulr_gt0 ?ltr0n.
by apply: (@le_trans _ _ (6%:R * B_0)); rewrite ?ler_pmulr // ler_pmul2r // ler_nat.
Qed.

(** With the sharpness for a bound of f the smoother is within eps of f. *)
Theorem smoother_bounded (B_0 : R) Z s k : X Z -> eps <= 2%:R * B_0 ->
  (forall Y, domain Y -> forall s k, `|f Y s k| <= B_0) ->
  `|smoother (sharp_bounded B_0) C V (flat Z) (s, k) - f Z s k| <= eps.
Proof.
move=> XZ eps_B f_B; have [k0 k0_near] := covered XZ.
have N_gt0 : (0 < N)%N by apply: leq_ltn_trans (ltn_ord k0).
have B_gt0 : 0 < B_0 by have := eps_gt0; lra.
have odds_gt0 : 0 < 6%:R * B_0 * N%:R / eps by rewrite divr_gt0 // !mulr_gt0 // ltr0n.
(* 1. No value is off by more than 2 B_0. *)
have b_ge0 : 0 <= 2%:R * B_0 by rewrite mulr_ge0 ?ler0n // ltW.
have V_b j : `|V j (s, k) - f Z s k| <= 2%:R * B_0.
  rewrite (le_trans (ler_norm_sub _ _)) // mulr_natl mulr2n ler_add ?f_B //; last by left.
  by right; exists j.
(* 2. Centres within 2 r: at most 2/3 eps. The others: 2 B_0 N exp(- 3/2 R r^2) = 1/3 eps. *)
apply: le_trans (cover_error_bounded r_gt0 k0_near L_ge0 _ (sharp_bounded_ge0 N_gt0 eps_B) b_ge0 V_b) _.
  by move=> j; apply: values_lip.
have -> : 3%:R / 2%:R * sharp_bounded B_0 * r ^+ 2 = ln (6%:R * B_0 * N%:R / eps).
  by rewrite /sharp_bounded /r; field; rewrite !gt_eqF.
rewrite expRN lnK ?posrE // card_ord /r le_eqVlt; apply/orP; left; apply/eqP.
by field; rewrite !gt_eqF // ltr0n.
Qed.

(** The book's sharpness needs no bound. *)
Definition sharp_entropy : R := 6%:R * L ^+ 2 / eps ^+ 2 * Num.max 1 (ln N%:R).

(** With the sharpness that needs no bound the smoother is within 2/3 eps of f. *)
Theorem smoother_entropy Z s k : X Z ->
  `|smoother sharp_entropy C V (flat Z) (s, k) - f Z s k| <= 2%:R / 3%:R * eps.
Proof.
move=> XZ; have [k0 k0_near] := covered XZ.
pose m : R := Num.max 1 (ln N%:R); have m_ge1 : 1 <= m by rewrite le_maxr lexx.
have m_gt0 : 0 < m by apply: lt_le_trans m_ge1.
have rho_gt0 : 0 < sharp_entropy by rewrite !mulr_gt0 ?invr_gt0 ?exprn_gt0 ?ltr0n.
have -> : 2%:R / 3%:R * eps = L * (2%:R * r) by rewrite /r; field; rewrite gt_eqF.
apply: (cover_error k0_near L_ge0 _ rho_gt0) => [j||]; first exact: values_lip.
  by rewrite mulr_gt0 ?ltr0n.
rewrite card_ord.
have -> : 2%:R / sharp_entropy * ln N%:R = 3%:R * r ^+ 2 * (ln N%:R / m).
  by rewrite /sharp_entropy -/m /r; field; rewrite !gt_eqF.
have le1 : ln N%:R / m <= 1 by rewrite ler_pdivr_mulr // mul1r /m le_maxr lexx orbT.
have r3_ge0 : 0 <= 3%:R * r ^+ 2 by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
by apply: (le_from (ler_wpmul2l r3_ge0 le1)); ring.
Qed.

(** All matrices, if there are columns enough for all to listen. *)
Theorem theorem_5_1_explicit (B : R) (pos : 'I_n -> 'I_(slots [finType of 'I_N] d)) :
  (forall j s k, `|f (v j) s k| < B) -> injective pos -> forall Z, X Z -> forall s k,
  `|attn (self_W_K B C V) (self_W_Q sharp_entropy pos) (self_W_V R _ d) (self_W_O B pos)
      (linear (@self_A R _ d) (self_B C) (self_M R _ d) Z) s k - f Z s k| <= 2%:R / 3%:R * eps.
Proof.
move=> V_B pos_inj Z XZ s k; rewrite self_attentionE ?smoother_entropy //.
by move=> j [s' k']; apply: V_B.
Qed.

(** The theorem. (With 2 d N < n repeat the centres, so that all can listen.) *)
Theorem theorem_5_1 : exists (e N' p : nat)
    (A : 'I_d -> 'M[R]_(e, d)) (B : 'I_d -> 'M[R]_(n, N')) (M : 'M[R]_(e, N'))
    (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(d, e)) (W_O : 'M[R]_(N', n)),
  forall Z, X Z -> forall s k,
    `|attn W_K W_Q W_V W_O (linear A B M Z) s k - f Z s k| <= eps.
Proof.
(* 1. If there is no centre, then [X] is empty, and there is nothing to show. *)
have [N0|N_gt0] := posnP N.
  exists 0%N, 0%N, 0%N, (fun=> 0), (fun=> 0), 0, 0, 0, 0, 0 => Z /X_covered[j _].
  by have := ltn_ord j; rewrite [in X in (_ < X)%N]N0.
(* 2. Repeat each centre n + 1 times, so that there are columns [enough] to listen: this does not
   change the mean. *)
pose J := [finType of 'I_N * 'I_n.+1].
pose C' (j : J) := C j.1; pose V' (j : J) := V j.1.
have enough : (0 < d)%N -> (n <= slots J d)%N.
  move=> d_gt0; rewrite slotsE card_prod !card_ord mulnA.
  by apply: leq_trans (leqnSn n) _; rewrite leq_pmull // !muln_gt0 d_gt0.
(* 3. [attnE]: then a head behind a linear sum is the smoother with these centres, which is within 2/3
   eps of f, as some centre is near. *)
have [e [N' [p [A [B [M [W_K [W_Q [W_V [W_O attnE]]]]]]]]]] :=
  smoother_is_attention C' V' sharp_entropy enough.
exists e, N', p, A, B, M, W_K, W_Q, W_V, W_O => Z XZ s k.
rewrite attnE (smoother_repeat ord0 sharp_entropy C V) (le_trans (smoother_entropy s k XZ)) //.
by rewrite ler_pimull ?(ltW eps_gt0) // ler_pdivr_mulr ?ltr0n // mul1r ler_nat.
Qed.

End Theorem51.
