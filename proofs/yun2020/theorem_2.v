(** * Yun et al. (2020), Theorem 2: off thin sets, and bounded on them

    For all d >= 1, n >= 2, every continuous, permutation equivariant f with compact support in
    [0, 1]^{d x n} and all eps, tau > 0 there are N and a bound G such that for every w > 0 there
    is a transformer whose entries are (1) within eps of those of f wherever no two tokens are
    within tau in all coordinates and no entry lies in a band [k/N - w, k/N), k = 0, ..., N;
    (2) all zero, or all within eps, off the bands; (3) zero outside [-w, 1)^{d x n}; (4) at most G
    in size everywhere. Its blocks are softmax attention with two heads of size 1, then a
    feed-forward layer with four hidden units and ReLU, as in the class T^{2,1,4}; but each head
    adds a bias to its queries, which (1) of the paper does not print, so the class is wider
    ([transformer_blocks.v]).

    From this d_p(f, g) <= any given error follows: the strips of width tau have a small part of
    the box for small tau, with a difference of at most |f| + eps there; the bands have a small
    part for small w, and G does not depend on w. The volumes and the integral are not here; any
    box in place of [0, 1]^{d x n} is not either. Differs from the printed construction as
    repaired: the sentinel lies above the box, M bounds what any sequence may become, the table
    maps to A - K 1. *)
From UAT Require Import transformers analysis.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax.
From UAT.yun2020 Require Import theorem_2_continuous soft_layers softmax_step transformer_blocks step_function.

Section Theorem2.

Variables (R : realType) (d n : nat).
Hypothesis n_gt1 : (1 < n)%N.
Variables (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) (K : set 'M[R]_(d.+1, n)).
Hypothesis f_equivariant : equivariant f.
Hypothesis f_continuous : continuous f.

(** The support. *)
Hypothesis K_compact : compact K.
Hypothesis K_in_box : forall X, K X -> forall i j, 0 <= X i j <= 1.
Hypothesis f_zero : forall X, ~ K X -> f X = 0.

(** Outside the box [0, 1], in which the support lies, f is 0. *)
Lemma support_zero_outside : zero_outside f.
Proof.
move=> X i j X_ij; apply: f_zero => K_X; have /andP[ge le] := K_in_box K_X i j.
by case: X_ij; [rewrite ltNge ge | rewrite ltNge le].
Qed.

(** Cells can be so narrow that tokens in one are near each other, f in one is near its value at the centre, and f
    outside the box is near zero. *)
Lemma cells_for_f (eps tau : R) : 0 < eps -> 0 < tau -> exists N, [/\ (1 < N)%N, delta R N <= tau,
  forall L X, in_cube N L X -> within eps (f (centre N L)) (f X) & forall X, outside X -> within eps 0 (f X)].
Proof.
move=> eps_gt0 tau_gt0.
have [eta eta_gt0 f_near] := compact_support_uniform f_continuous K_compact f_zero eps_gt0.
have [|N N_gt1] := @small_delta R (Num.min eta tau); first by rewrite lt_minr eta_gt0.
rewrite le_minr => /andP[N_eta N_tau]; exists N; split=> // [L X X_L|X].
  by apply: f_near => i j; rewrite distrC; apply: le_trans (centre_near N_gt1 X_L i j) N_eta.
exact: small_outside eta_gt0 eps_gt0 support_zero_outside f_near.
Qed.

(** The values at centres of cells follow permutations of tokens. *)
Lemma at_centre_perm N L (s : 'S_n) : distinct_grid N L ->
  f (centre N (L *m perm_mx s)) = f (centre N L) *m perm_mx s.
Proof. by move=> _; rewrite centre_perm f_equivariant. Qed.

(** What is within eps / 2 of what is within eps / 2 of Z is within eps of Z. *)
Lemma within_half (eps : R) (X Y Z : 'M[R]_(d.+1, n)) :
  within (eps / 2%:R) X Y -> within (eps / 2%:R) Y Z -> within eps X Z.
Proof.
move=> XY YZ i j; rewrite [eps]splitr.
exact: le_trans (ler_dist_add (Y i j) _ _) (ler_add (XY i j) (YZ i j)).
Qed.

Theorem theorem_2 (eps tau : R) : 0 < eps -> 0 < tau -> exists (N : nat) (G : R),
  forall w, 0 < w -> exists blocks : seq (layer R d.+1 n),
  [/\ size blocks = layer_count N d n, every (@block_of_214 R d.+1 n) blocks & forall X,
    [/\ (* 1 *) ~ in_strip tau X -> ~ in_bands N w X -> within eps (network blocks X) (f X),
        (* 2 *) ~ in_bands N w X ->
          network blocks X = 0 \/ within eps (network blocks X) (f X),
        (* 3 *) (exists i j, X i j < - w \/ 1 <= X i j) -> network blocks X = 0 &
        (* 4 *) forall i j, `|network blocks X i j| <= G]].
Proof.
move=> eps_gt0 tau_gt0; have half : 0 < eps / 2%:R by rewrite divr_gt0 ?ltr0n.
(* 1. Cells of width 1/N so small that f moves by no more than eps / 2 in one ([f_cell]) and outside the box ([f_out]),
   and that tokens in one are within tau. *)
have [N [N_gt1 N_tau f_cell f_out]] := cells_for_f half tau_gt0.
(* 2. The step function with the values of f at the centres. [networks]: there is a bound G such that for every width
   of bands a network is within eps / 2 of it off them, and at most G. *)
have [G networks] := step_function N_gt1 n_gt1 (@at_centre_perm N) half; exists N, G => w w_gt0.
have [blocks [size_b ok netE]] := networks w w_gt0; exists blocks; split=> // X.
have [on_cubes off_cubes outside_0 bounded] := netE X.
(* 3. [on_cube]: on a cube with different columns, eps / 2 for the network and eps / 2 for f. *)
have on_cube L L_ok X_L off := within_half (on_cubes L L_ok X_L off) (f_cell L X X_L).
split=> // [not_strip off|off|[i [j out]]].
(* 4. Elsewhere the network is zero. Off the strips this is outside the box, and f is near zero there, *)
- have [[L L_ok X_L]|[none place]] := cube_or_not N_gt1 X; first exact: (on_cube L).
  rewrite (off_cubes off none); case: place => [out i j|[j [k [jk near]]]].
    by apply: le_trans (f_out X out i j) _; lra.
  by case: not_strip; exists j, k; split=> // i; apply: lt_le_trans (near i) N_tau.
(* 5. and on strips (2) asks for no more. *)
- have [[L L_ok X_L]|[none _]] := cube_or_not N_gt1 X; first by right; apply: (on_cube L).
  by left; apply: off_cubes none.
apply: outside_0; exists i, j; case: out => out; [left | by right].
by apply: lt_le_trans out _; rewrite ler_opp2 le_minl lexx.
Qed.

End Theorem2.
