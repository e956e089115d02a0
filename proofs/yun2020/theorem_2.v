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
From UAT.yun2020 Require Import layers grid claim_1 context_layers lemma_9 proposition_5 theorem_2_hardmax.
From UAT.yun2020 Require Import theorem_2_continuous relu_quantizer relu_values soft_layers soft_context.
From UAT.yun2020 Require Import softmax_step transformer_blocks.

Section StepFunction.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation delta := (delta R N).
Implicit Types (L X : 'M[R]_(d.+1, n)).

Variable A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis A_perm : forall L (s : 'S_n), distinct_grid N L -> A (L *m perm_mx s) = A L *m perm_mx s.

(** A sharpness: h = 4 n / (lambda delta) may be as small as one likes. *)
Lemma sharp_enough (T : R) : 0 < T -> T <= 1 -> exists2 lambda : R, 0 < lambda &
  let h := 4%:R * n%:R / (lambda * delta) in
  context_error R (N ^ d.+1) n * h <= T /\ h <= 1.
Proof.
move=> T_gt0 T_le1; have delta_pos := grid.delta_gt0 R (ltnW N_gt1).
have E_ge0 : 0 <= context_error R (N ^ d.+1) n.
  exact: le_trans (sweep_error_ge0 R _ 0) (sweep_error_le R n (leq0n _)).
move: (context_error _ _ _) E_ge0 => E E_ge0; have E1_gt0 : 0 < E + 1 by apply: ltr_paddl.
have n_pos : 0 < n%:R :> R by rewrite ltr0n ltnW.
have num_pos : 0 < 4%:R * n%:R * (E + 1) :> R.
  by apply: mulr_gt0 => //; apply: mulr_gt0; rewrite // ltr0n.
exists (4%:R * n%:R * (E + 1) / (T * delta)); first by rewrite divr_gt0 // mulr_gt0.
have -> : 4%:R * n%:R / (4%:R * n%:R * (E + 1) / (T * delta) * delta) = T / (E + 1).
  by field; rewrite !gt_eqF.
rewrite /= mulrA !ler_pdivr_mulr //; split; nra.
Qed.

Theorem step_function (e : R) : 0 < e -> exists G : R, forall w, 0 < w -> w < delta ->
  exists layers : seq (layer R d.+1 n),
  [/\ size layers = layer_count N d n, every (@transformer_layer R d n) layers & forall X,
    [/\ (* 1 *) forall L, distinct_grid N L -> in_cube N L X -> ~ in_bands N w X ->
          within e (network layers X) (A L),
        (* 2 *) ~ in_bands N w X -> (forall L, distinct_grid N L -> ~ in_cube N L X) ->
          network layers X = 0,
        (* 3 *) (exists i j, X i j < - w \/ 1 <= X i j) -> network layers X = 0 &
        (* 4 *) forall i j, `|network layers X i j| <= G]].
Proof.
move=> e_gt0; have delta_pos := grid.delta_gt0 R (ltnW N_gt1).
have delta1 : delta <= 1 by rewrite invf_le1 ?ltr0n ?ler1n ltnW.
(* 1. A tolerance for ids: e, and at most an eighth of a step. *)
pose T := Num.min e (delta / 8%:R); have eighth : 0 < delta / 8%:R by rewrite divr_gt0 ?ltr0n.
have T_gt0 : 0 < T by rewrite lt_minr e_gt0.
have [T_e T_8] : T <= e /\ T <= delta / 8%:R by rewrite !le_minl !lexx orbT.
(* 2. The sharpness, chosen for it. *)
have T_le1 : T <= 1 by apply: le_trans T_8 _; clear T T_gt0 T_e; lra.
have [lambda lambda_gt0 [h_T h_1]] := sharp_enough T_gt0 T_le1.
(* 3. K brings all answers below the windows. *)
have [K0 K0_low] := exists_K N A; pose K := `|K0|; have K_ge0 : 0 <= K by apply: normr_ge0.
have K_low (x : entry N d n) : (selective_shift.u R N d *m to A K x) ord0 ord0 <= -1.
  apply: (le_trans _ (K0_low x)); apply: id_mono => i.
  by rewrite !mxE ler_add2l ler_opp2 ler_norm.
(* 4. The bound does not depend on the width w. *)
exists (value_bound N A (highest R N d n) K) => w w_gt0 w_lt.
exists (step_layers N A lambda K w); split.
- rewrite size_cat relu_quantizer.size_quantizer size_cat size_soft_context size_value_layers.
  by rewrite /layer_count !addnA.
- exact: (step_layers_ok N_gt1 n_gt1 A T_gt0 T_e T_8 lambda_gt0 h_T h_1 K_ge0 w_gt0 w_lt).
move=> X; split.
- exact: (on_cube N_gt1 n_gt1 A_perm T_gt0 T_e T_8 lambda_gt0 h_T h_1 K_ge0 K_low w_gt0 w_lt).
- exact: (zero_repeated N_gt1 n_gt1 A T_gt0 T_e T_8 lambda_gt0 h_T h_1 K_ge0 w_gt0 w_lt).
- exact: (zero_outside_box N_gt1 n_gt1 A T_gt0 T_e T_8 lambda_gt0 h_T h_1 K_ge0 w_gt0 w_lt).
move=> i j; have range := Y_range N_gt1 n_gt1 T_gt0 T_e T_8 lambda_gt0 h_T h_1 K_ge0 w_gt0 w_lt X.
have M_ge0 : 0 <= highest R N d n by have /andP[] := range i j; apply: le_trans.
rewrite networkE; apply: (value_run_bound N_gt1 n_gt1 A M_ge0 K_ge0 i) => i'.
by rewrite mxE; apply: range.
Qed.

End StepFunction.

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

Lemma layers_are_blocks (l : seq (layer R d.+1 n)) :
  every (@transformer_layer R d n) l -> every (@block_of_214 R d.+1 n) l.
Proof. by apply: every_impl => g [/softmax_block|/relu_block]. Qed.

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
(* 3. Narrower bands, if w is wider than a cell. *)
have delta_pos := grid.delta_gt0 R (ltnW N_gt1).
have half_cell : 0 < delta R N / 2%:R < delta R N by lra.
pose w' := Num.min w (delta R N / 2%:R).
have w'_gt0 : 0 < w' by rewrite lt_minr w_gt0; case/andP: half_cell.
have w'_lt : w' < delta R N by rewrite lt_minl orbC; case/andP: half_cell => _ ->.
have w'_w : w' <= w by rewrite le_minl lexx.
have [blocks [size_l ok_l netE]] := step w' w'_gt0 w'_lt; exists blocks.
split=> //; first exact: layers_are_blocks.
move=> X; have [on_cubes off_cubes outside_0 bounded] := netE X.
have off_bands : ~ in_bands N w X -> ~ in_bands N w' X.
  move=> off [i [j [k [k_N /andP[ge lt]]]]]; apply: off; exists i, j, k; split=> //.
  by rewrite lt andbT; apply: le_trans ge; rewrite ler_add2l ler_opp2.
(* 4. On a cube with different columns: eps / 2 for the network, eps / 2 for f. *)
have on_cube L : distinct_grid N L -> in_cube N L X -> ~ in_bands N w X ->
    within eps (network blocks X) (f X).
  move=> L_ok X_L /off_bands off i j; have near1 := on_cubes L L_ok X_L off i j.
  have near2 : `|A L i j - f X i j| <= eps / 2%:R.
    apply: f_near => i' j'; rewrite distrC.
    exact: le_trans (centre_near N_gt1 X_L i' j') delta_eta.
  apply: le_trans (ler_dist_add (A L i j) _ _) _.
  by apply: le_trans (ler_add near1 near2) _; rewrite -splitr.
split=> //.
(* 5. Elsewhere the network is zero, and off the strips f is near zero there. *)
- move=> not_strip off; have [[L L_ok X_L]|[none place]] := cube_or_not N_gt1 X.
    exact: (on_cube L).
  rewrite (off_cubes (off_bands off) none); case: place => [out|[j [k [jk near]]]].
    move=> i j; apply: le_trans (_ : eps / 2%:R <= _); last by lra.
    exact: (small_outside eta_gt0 half box_zero f_near out).
  case: not_strip; exists j, k; split=> // i; exact: lt_le_trans (near i) delta_tau.
- move=> off; have [[L L_ok X_L]|[none _]] := cube_or_not N_gt1 X.
    by right; apply: (on_cube L).
  by left; apply: off_cubes none; apply: off_bands.
move=> [i [j out]]; apply: outside_0; exists i, j; case: out => out; [left | by right].
by apply: lt_le_trans out _; rewrite ler_opp2.
Qed.

End Theorem2.
