(** * Liu et al. (2025), Theorem 4.2: cross-attention alone is universal

    For all d and n (0 is allowed), compact sets [U_K] and [U_Q] of d x n matrices, every function
    that is continuous on their product and every eps > 0 there are two sums of linear maps and
    one head of cross-attention within eps of [f] in each entry, at every pair.
    Differs from the printed text: W_V is d x e, as the paper builds it, and the two sequences may
    have different sizes after their sums of linear maps ("a prepended Linear layer" is one for
    each, as in the paper's B.3). The proof needs no extension of [f] to a box. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import layers softmax_mean smoother grid sharpness riding self_attention.
From UAT.liu2025 Require Import cross_attention compact uniform theorem_4_1.

Section Theorem42.

Variables (R : realType) (d n : nat) (U_K U_Q : set 'M[R]_(d, n)).
Variable f : 'M[R]_(d, n) * 'M[R]_(d, n) -> 'M[R]_(d, n).

Let T := [finType of 'I_d * 'I_n].
Let T2 := [finType of T + T].

(** The first sequence in a vector of both. *)
Definition first (x : T2 -> R) : 'M[R]_(d, n) := unflat (fun t => x (inl t)).
(** The second sequence in a vector of both. *)
Definition second (x : T2 -> R) : 'M[R]_(d, n) := unflat (fun t => x (inr t)).

Let U x := U_K (first x) /\ U_Q (second x).
Let F (x : T2 -> R) (t : T) := f (first x, second x) t.1 t.2.

(** [f] as a function of vectors is uniformly continuous, too. *)
Lemma uniform_both : compact U_K -> compact U_Q -> {within U_K `*` U_Q, continuous f} ->
  forall eps : R, 0 < eps -> exists2 delta, 0 < delta & modulus U F delta eps.
Proof.
move=> K_compact Q_compact f_cont eps eps_gt0.
have [delta delta_gt0 small] := compact_uniform (compact_setM K_compact Q_compact) f_cont eps_gt0.
have half : 0 < delta / 2%:R by rewrite divr_gt0 // ltr0n.
exists (delta / 2%:R) => // x y [UxK UxQ] [UyK UyQ] x_y [s k] /=.
apply: ltW; move: s k; apply/mx_ballP/small; [by []..|].
have lt u v : `|u - v| <= delta / 2%:R -> `|u - v| < delta.
  by move=> /le_lt_trans; apply; rewrite ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n.
by split; apply/mx_ballP => s k; rewrite !mxE lt.
Qed.

(** A box around both sets is one around all vectors of both. *)
Lemma box_both (D D' : R) : 0 < D -> 0 < D' -> (forall Z, U_K Z -> forall s k, `|Z s k| <= D) ->
  (forall Z, U_Q Z -> forall s k, `|Z s k| <= D') ->
  forall x, U_K (first x) /\ U_Q (second x) -> forall t, `|x t| <= D + D'.
Proof.
move=> D_gt0 D'_gt0 K_box Q_box x [/K_box xK /Q_box xQ] [[s k]|[s k]].
  by apply: ler_paddr (ltW D'_gt0) _; have := xK s k; rewrite mxE.
by apply: ler_paddl (ltW D_gt0) _; have := xQ s k; rewrite mxE.
Qed.

(** A cell of both is a cell of the first and one of the second. *)
Variables (P : nat) (h : R).
Let J := [finType of cell T2 P].
Let G := [finType of cell T P].
Let q (j : J) : G := [ffun t => j (inr t)].
Let C_K (j : J) (t : T) : R := centre h j (inl t).

(** The centre of a cell of both is one centre above the other. *)
Lemma centre_above (j : J) t : centre h j t = above (C_K j) (@centre R T P h (q j)) t.
Proof. by case: t => t //=; rewrite /centre ffunE. Qed.

(** The smoother on pairs of centres is that on cells of both. *)
Lemma smoother_above rho (V : J -> T -> R) Z_K Z_Q t :
  smoother rho (fun j => above (C_K j) (@centre R T P h (q j))) V
    (above (flat Z_K) (flat Z_Q)) t
  = smoother rho (@centre R T2 P h) V (above (flat Z_K) (flat Z_Q)) t.
Proof.
apply: eq_bigr => j _; congr (_ * _); apply: eq_softmax => i; congr (_ * _).
by apply: eq_bigr => t' _; rewrite centre_above.
Qed.

(** Any smoother on cells of both is a head of cross-attention. *)
Lemma smoother_is_cross_attention rho V :
  exists (r_K r_Q e_K e_Q N_K N_Q p : nat)
    (A_K : 'I_r_K -> 'M[R]_(e_K, d)) (B_K : 'I_r_K -> 'M[R]_(n, N_K)) (M_K : 'M[R]_(e_K, N_K))
    (A_Q : 'I_r_Q -> 'M[R]_(e_Q, d)) (B_Q : 'I_r_Q -> 'M[R]_(n, N_Q)) (M_Q : 'M[R]_(e_Q, N_Q))
    (W_K : 'M[R]_(p, e_K)) (W_Q : 'M[R]_(p, e_Q)) (W_V : 'M[R]_(d, e_K)) (W_O : 'M[R]_(N_Q, n)),
  forall Z_K Z_Q s k,
    cross_attn W_K W_Q W_V W_O (linear A_K B_K M_K Z_K) (linear A_Q B_Q M_Q Z_Q) s k
    = smoother rho (@centre R T2 P h) V (above (flat Z_K) (flat Z_Q)) (s, k).
Proof.
have [S _ V_S] := bounded V; pose B := S + 1.
have V_lt_B j t : `|V j t| < B by rewrite (le_lt_trans (V_S j t)) // ltr_addl.
do 7!eexists; pose C_Q := @centre R T P h.
exists (@self_A R _ d), (self_B C_K), (self_M R _ d).
exists (cross_A C_Q), (@cross_B R n), (cross_M R _ n).
exists (cross_W_K q rho B C_K C_Q V), (cross_W_Q _ n rho), (self_W_V R _ d), (cross_W_O d n B).
move=> Z_K Z_Q s k; rewrite -smoother_above.
exact: (cross_attentionE q rho C_K C_Q V_lt_B Z_K Z_Q s k).
Qed.

End Theorem42.

(** Theorem 4.2. *)
Theorem theorem_4_2 (R : realType) (d n : nat) (U_K U_Q : set 'M[R]_(d, n))
    (f : 'M[R]_(d, n) * 'M[R]_(d, n) -> 'M[R]_(d, n)) :
  compact U_K -> compact U_Q -> {within U_K `*` U_Q, continuous f} ->
  forall eps : R, 0 < eps ->
  exists (r_K r_Q e_K e_Q N_K N_Q p : nat)
    (A_K : 'I_r_K -> 'M[R]_(e_K, d)) (B_K : 'I_r_K -> 'M[R]_(n, N_K)) (M_K : 'M[R]_(e_K, N_K))
    (A_Q : 'I_r_Q -> 'M[R]_(e_Q, d)) (B_Q : 'I_r_Q -> 'M[R]_(n, N_Q)) (M_Q : 'M[R]_(e_Q, N_Q))
    (W_K : 'M[R]_(p, e_K)) (W_Q : 'M[R]_(p, e_Q)) (W_V : 'M[R]_(d, e_K)) (W_O : 'M[R]_(N_Q, n)),
  forall Z_K Z_Q, U_K Z_K -> U_Q Z_Q -> forall s k,
    `|cross_attn W_K W_Q W_V W_O (linear A_K B_K M_K Z_K) (linear A_Q B_Q M_Q Z_Q) s k
      - f (Z_K, Z_Q) s k| <= eps.
Proof.
(* 1. A box around both sets, of half width [D + D']; and a [delta]. [f_delta]: where the pair moves by at most [delta],
   f moves by at most eps/2. There is such a [delta], as the product of compact sets is compact. *)
move=> K_compact Q_compact f_cont eps eps_gt0; have half : 0 < eps / 2%:R by rewrite divr_gt0 // ltr0n.
have [D D_gt0 K_box] := compact_in_box K_compact; have [D' D'_gt0 Q_box] := compact_in_box Q_compact.
have [delta delta_gt0 f_delta] := uniform_both K_compact Q_compact f_cont half.
have DD'_gt0 : 0 < D + D' by rewrite addr_gt0.
(* 2. [V_near]: the smoother of one sequence that contains both is within eps of f. *)
have [P P_gt0 P_large] := enough_cells DD'_gt0 delta_gt0 0.
have [V [rho V_near]] :=
  uniform_smoother DD'_gt0 (box_both D_gt0 D'_gt0 K_box Q_box) eps_gt0 f_delta P_gt0 P_large.
(* 3. [attnE]: and it is a head of cross-attention, as squares of distances add. *)
have [r_K [r_Q [e_K [e_Q [N_K [N_Q [p [A_K [B_K [M_K [A_Q [B_Q [M_Q
  [W_K [W_Q [W_V [W_O attnE]]]]]]]]]]]]]]]]]
  := smoother_is_cross_attention ((D + D') / P%:R) rho V.
exists r_K, r_Q, e_K, e_Q, N_K, N_Q, p, A_K, B_K, M_K, A_Q, B_Q, M_Q, W_K, W_Q, W_V, W_O.
move=> Z_K Z_Q UZ_K UZ_Q s k; rewrite attnE; have := V_near (above (flat Z_K) (flat Z_Q)).
have -> : first (above (flat Z_K) (flat Z_Q)) = Z_K by apply/matrixP => i j; rewrite mxE.
have -> : second (above (flat Z_K) (flat Z_Q)) = Z_Q by apply/matrixP => i j; rewrite mxE.
by move=> /(_ (conj UZ_K UZ_Q) (s, k)).
Qed.
