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
have box_zero : zero_outside f.
  move=> X i j X_ij; apply: f_zero => K_X; have /andP[ge le] := K_in_box K_X i j.
  by case: X_ij; [rewrite ltNge ge | rewrite ltNge le].
(* 1. Cells so small that f moves by at most eps / 2 in a cell, and that tokens in one are near. *)
have [eta eta_gt0 f_near] := compact_support_uniform f_continuous K_compact f_zero half.
have [|N N_gt1 N_small] := @small_delta R (Num.min eta tau); first by rewrite lt_minr eta_gt0.
have [delta_eta delta_tau] : delta R N <= eta /\ delta R N <= tau.
  by move: N_small; rewrite le_minr => /andP.
(* 2. The step function that has the values of f at the centres; its network, within eps / 2. *)
pose A L := f (centre N L).
have A_perm L (s : 'S_n) : distinct_grid N L -> A (L *m perm_mx s) = A L *m perm_mx s.
  by move=> _; rewrite /A centre_perm f_equivariant.
have [G step] := step_function N_gt1 n_gt1 A_perm half; exists N, G => w w_gt0.
have [blocks [size_b ok netE]] := step w w_gt0; exists blocks; split=> // X.
have [on_cubes off_cubes outside_0 bounded] := netE X.
(* 3. On a cube with different columns: eps / 2 for the network, eps / 2 for f. *)
have on_cube L : distinct_grid N L -> in_cube N L X -> ~ in_bands N w X ->
    within eps (network blocks X) (f X).
  move=> L_ok X_L off i j; have near1 := on_cubes L L_ok X_L off i j.
  have near2 : `|A L i j - f X i j| <= eps / 2%:R.
    apply: f_near => i' j'; rewrite distrC.
    exact: le_trans (centre_near N_gt1 X_L i' j') delta_eta.
  apply: le_trans (ler_dist_add (A L i j) _ _) _.
  by apply: le_trans (ler_add near1 near2) _; rewrite -splitr.
split=> //.
(* 4. Elsewhere the network is zero, and off the strips f is near zero there. *)
- move=> not_strip off; have [[L L_ok X_L]|[none place]] := cube_or_not N_gt1 X.
    exact: (on_cube L).
  rewrite (off_cubes off none); case: place => [out|[j [k [jk near]]]].
    move=> i j; apply: le_trans (_ : eps / 2%:R <= _); last by lra.
    exact: (small_outside eta_gt0 half box_zero f_near out).
  case: not_strip; exists j, k; split=> // i; exact: lt_le_trans (near i) delta_tau.
- move=> off; have [[L L_ok X_L]|[none _]] := cube_or_not N_gt1 X.
    by right; apply: (on_cube L).
  by left; apply: off_cubes none.
move=> [i [j out]]; apply: outside_0; exists i, j; case: out => out; [left | by right].
by apply: lt_le_trans out _; rewrite ler_opp2 le_minl lexx.
Qed.

End Theorem2.
