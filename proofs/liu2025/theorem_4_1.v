(** * Liu et al. (2025), Theorem 4.1: attention alone is universal

    For all d and n (0 is allowed), every compact set [U] of d x n matrices, every function that
    is continuous on [U] and every eps > 0 there are matrices such that one head of self-attention
    behind a sum of linear maps is within eps of [f] in each entry, at every point of [U].
    Differs from the printed text: W_V is d x e, as the paper builds it, where its definition
    prints a square one; sizes are quantified. The proof is the paper's, with the book's repairs,
    and needs no extension of [f] to a box. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import layers softmax_mean smoother grid sharpness riding self_attention compact.
From UAT.liu2025 Require Import uniform.

Section Theorem41.

Variables (R : realType) (d n : nat) (U : set 'M[R]_(d, n)).
Variable f : 'M[R]_(d, n) -> 'M[R]_(d, n).

(** A vector of all entries as a sequence. *)
Definition unflat (x : 'I_d * 'I_n -> R) : 'M[R]_(d, n) := \matrix_(s, k) x (s, k).

(** From a sequence to the vector of its entries and back is no change. *)
Lemma flatK Z : unflat (flat Z) = Z.
Proof. by apply/matrixP => s k; rewrite mxE. Qed.

(** [f] as a function of vectors is uniformly continuous on [U]. *)
Lemma uniform_flat : compact U -> {within U, continuous f} -> forall eps : R, 0 < eps ->
  exists2 delta, 0 < delta &
    modulus (fun x => U (unflat x)) (fun x t => f (unflat x) t.1 t.2) delta eps.
Proof.
move=> U_compact f_cont eps eps_gt0.
have [delta delta_gt0 small] := compact_uniform U_compact f_cont eps_gt0.
have half : 0 < delta / 2%:R by rewrite divr_gt0 // ltr0n.
exists (delta / 2%:R) => // x y Ux Uy x_y [s k] /=.
apply: ltW; move: s k; apply/mx_ballP/small => //; apply/mx_ballP => s k.
rewrite !mxE (le_lt_trans (x_y (s, k))) // ltr_pdivr_mulr ?ltr0n // ltr_pmulr //.
by rewrite ltr1n.
Qed.

(** In a box in which [U] lies its vectors lie, too. *)
Lemma box_unflat (D : R) : (forall Z, U Z -> forall s k, `|Z s k| <= D) ->
  forall x, U (unflat x) -> forall t, `|x t| <= D.
Proof. by move=> U_box x Ux [s k]; have := U_box _ Ux s k; rewrite mxE. Qed.

(** Any smoother is a head of attention, if there are columns enough to listen. (Where d = 0, there is
    nothing to be computed.) *)
Lemma smoother_is_attention (J : finType) (C V : J -> 'I_d * 'I_n -> R) (rho : R) :
  ((0 < d)%N -> (n <= slots J d)%N) ->
  exists (e N p : nat)
    (A : 'I_d -> 'M[R]_(e, d)) (B : 'I_d -> 'M[R]_(n, N)) (M : 'M[R]_(e, N))
    (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(d, e)) (W_O : 'M[R]_(N, n)),
  forall Z s k,
    attn W_K W_Q W_V W_O (linear A B M Z) s k = smoother rho C V (flat Z) (s, k).
Proof.
(* 1. A sequence without entries asks for nothing: any matrices will do. *)
have [d0 _|d_gt0 /(_ isT) n_le] := posnP d.
  exists 0%N, 0%N, 0%N, (fun=> 0), (fun=> 0), 0, 0, 0, 0, 0 => Z s.
  by have := ltn_ord s; rewrite [in X in (_ < X)%N]d0.
(* 2. Each token listens at a column of its own: there are enough of them. *)
pose pos k := widen_ord n_le k.
have pos_inj : injective pos by move=> k k' /(congr1 val) /= /val_inj.
(* 3. A column tells all listeners the same, but scores know who listens: so values become weights. Let beta be more
   than all of them: a value v is told by two columns, of the weights 1 + v/beta and 1 - v/beta, which are positive, so
   that their logarithms can be added to scores. The head subtracts the second from the first: of the weights 2 v/beta
   is left, and a matrix takes the factor out. *)
have [S _ V_S] := bounded V; pose beta := S + 1.
have V_lt_beta j t : `|V j t| < beta by rewrite (le_lt_trans (V_S j t)) // ltr_addl.
(* 4. The matrices are written down. The linear layer takes the scalar product of the sequence x with each centre c.
   That does for the squared distance, which is |x|^2 - 2 x . c + |c|^2: of these |x|^2 is the same for all centres,
   and cancels in softmax, and |c|^2 is a constant. So softmax makes the smoother's weights of it; the head adds what
   the columns tell. *)
exists (1 + slots J d)%N, (slots J d), (1 + (1 + n))%N, (@self_A R J d), (self_B C), (self_M R J d).
exists (self_W_K beta C V), (self_W_Q rho pos), (self_W_V R J d), (self_W_O beta pos).
by move=> Z s k; apply: self_attentionE.
Qed.

(** A grid with more than n cells a side has columns enough. *)
Lemma columns_enough P : (n < P)%N -> (0 < d)%N ->
  (n <= slots [finType of cell [finType of 'I_d * 'I_n] P] d)%N.
Proof.
move=> n_P d_gt0; rewrite slotsE card_cell card_prod !card_ord.
have [->|n_gt0] := posnP n; [by [] | apply: leq_trans (ltnW n_P) _].
have P_gt0 : (0 < P)%N by apply: leq_ltn_trans n_P.
apply: (@leq_trans (P ^ (d * n))); last by rewrite leq_pmull // muln_gt0.
by rewrite -{1}(expn1 P) leq_pexp2l // muln_gt0 d_gt0.
Qed.

(** Theorem 4.1. *)
Theorem theorem_4_1 : compact U -> {within U, continuous f} ->
  forall eps : R, 0 < eps ->
  exists (e N p : nat)
    (A : 'I_d -> 'M[R]_(e, d)) (B : 'I_d -> 'M[R]_(n, N)) (M : 'M[R]_(e, N))
    (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(d, e)) (W_O : 'M[R]_(N, n)),
  forall Z, U Z -> forall s k,
    `|attn W_K W_Q W_V W_O (linear A B M Z) s k - f Z s k| <= eps.
Proof.
(* 1. A box around [U], of half width [D]; and a [delta]. [f_delta]: where the argument moves by at most [delta], f
   moves by at most eps/2. There is such a [delta], as f is continuous and [U] compact. *)
move=> U_compact f_cont eps eps_gt0; have [D D_gt0 U_box] := compact_in_box U_compact.
have half : 0 < eps / 2%:R by rewrite divr_gt0 // ltr0n.
have [delta delta_gt0 f_delta] := uniform_flat U_compact f_cont half.
(* 2. The side of the box, 2 D, is cut into [P] cells, so small that each is at most delta/2 wide; within delta, two
   cells side by side, f moves by at most eps/2. [P_large]: there are at least 4 D / delta cells a side. [n_P]: there
   are more than [n] cells a side, so that there is a column for each listener. *)
have [P n_P P_large] := enough_cells D_gt0 delta_gt0 n.
have P_gt0 : (0 < P)%N by apply: leq_ltn_trans n_P.
(* 3. The smoother is a mean of values, one for each cell, in which near cells weigh most. [V_near]: with values of f
   near the cells, and sharp enough, it is within eps of f on U. *)
have [V [rho V_near]] :=
  uniform_smoother D_gt0 (box_unflat U_box) eps_gt0 f_delta P_gt0 P_large.
(* 4. [attnE]: and the smoother is a head behind a linear sum. *)
have [e [N [p [A [B [M [W_K [W_Q [W_V [W_O attnE]]]]]]]]]] :=
  smoother_is_attention (@centre R _ P (D / P%:R)) V rho (columns_enough n_P).
exists e, N, p, A, B, M, W_K, W_Q, W_V, W_O => Z UZ s k.
by rewrite attnE; have := V_near (flat Z); rewrite flatK => /(_ UZ (s, k)).
Qed.

End Theorem41.
