(** * Yun et al. (2020), Lemma 6 for one step function: softmax and ReLU, off bands

    For all d >= 1, n >= 2, delta = 1/N, N >= 2, all values A_L that follow permutations and all
    e > 0 there is a bound G such that for every w > 0 there is a transformer of the class
    T^{2,1,4} that is (1) within e of A_L on the cubes S_L with different columns, off the bands
    [k/N - w, k/N); (2) zero elsewhere off the bands; (3) zero outside [-w, 1)^{d x n}, and where an
    entry is below -1; (4) at most G in size everywhere. Queries have a bias. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid context_layers lemma_9 proposition_5 theorem_2_hardmax.
From UAT.yun2020 Require Import relu_quantizer relu_values soft_layers soft_context softmax_step.
From UAT.yun2020 Require Import transformer_blocks.

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
move: (context_error _ _ _) E_ge0 => E E_ge0; have E1_gt0 : 0 < E + 1 by lra.
have n_pos : 0 < n%:R :> R by rewrite ltr0n ltnW.
have num_pos : 0 < 4%:R * n%:R * (E + 1) :> R.
  by apply: mulr_gt0 => //; apply: mulr_gt0; rewrite // ltr0n.
exists (4%:R * n%:R * (E + 1) / (T * delta)); first by rewrite divr_gt0 // mulr_gt0.
have -> : 4%:R * n%:R / (4%:R * n%:R * (E + 1) / (T * delta) * delta) = T / (E + 1).
  by field; rewrite !gt_eqF.
rewrite /= mulrA !ler_pdivr_mulr //; split; nra.
Qed.

(** A tolerance for ids: at most e, and at most an eighth of a step. *)
Lemma eighth_le1 : delta / 8%:R <= 1.
Proof.
have delta_le1 : delta <= 1 by rewrite invf_le1 ?ltr0n ?ler1n ltnW.
by rewrite ler_pdivr_mulr ?ltr0n // mul1r (le_trans delta_le1) ?ler1n.
Qed.

Lemma id_tolerance (e : R) : 0 < e -> exists T, [/\ 0 < T, T <= e & T <= delta / 8%:R].
Proof.
move=> e_gt0; exists (Num.min e (delta / 8%:R)); rewrite lt_minr e_gt0 !le_minl !lexx orbT.
by rewrite divr_gt0 ?ltr0n ?(grid.delta_gt0 R (ltnW N_gt1)).
Qed.

(** A number that brings all answers below the windows of the look-up. *)
Lemma low_enough : exists2 K : R, 0 <= K &
  forall x : entry N d n, (selective_shift.u R N d *m to A K x) ord0 ord0 <= -1.
Proof.
have [K0 K0_low] := exists_K N A; exists `|K0| => [|x]; first exact: normr_ge0.
apply: (le_trans _ (K0_low x)); apply: id_mono => i.
by rewrite !mxE ler_add2l ler_opp2 ler_norm.
Qed.

(** For bands narrower than a cell. *)
Lemma narrow_bands (e : R) : 0 < e -> exists G : R, forall w, 0 < w -> w < delta ->
  exists layers : seq (layer R d.+1 n),
  [/\ size layers = layer_count N d n, every (@transformer_layer R d n) layers & forall X,
    [/\ (* 1 *) forall L, distinct_grid N L -> in_cube N L X -> ~ in_bands N w X ->
          within e (network layers X) (A L),
        (* 2 *) ~ in_bands N w X -> (forall L, distinct_grid N L -> ~ in_cube N L X) ->
          network layers X = 0,
        (* 3 *) (exists i j, X i j < - w \/ 1 <= X i j) -> network layers X = 0 &
        (* 4 *) forall i j, `|network layers X i j| <= G]].
Proof.
move=> e_gt0.
(* 1. A tolerance T for ids: e, and at most an eighth of a step; and [h_T], [h_1]: a sharpness lambda for it. *)
have [T [T_gt0 T_e T_8]] := id_tolerance e_gt0; have [lambda lambda_gt0 [h_T h_1]] :=
  sharp_enough T_gt0 (le_trans T_8 eighth_le1).
(* 2. [K_low]: K brings all answers below the windows. *)
have [K K_ge0 K_low] := low_enough.
(* 3. The bound does not depend on the width w. *)
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

Lemma layers_are_blocks (l : seq (layer R d.+1 n)) :
  every (@transformer_layer R d n) l -> every (@block_of_214 R d.+1 n) l.
Proof. by apply: every_impl => g [/softmax_block|/relu_block]. Qed.

(** Blocks of softmax and ReLU come within e of the values on cubes with different columns, off bands as thin as one
    likes, and are 0 elsewhere off these; one bound G holds for all widths. *)
Theorem step_function (e : R) : 0 < e -> exists G : R, forall w, 0 < w ->
  exists blocks : seq (layer R d.+1 n),
  [/\ size blocks = layer_count N d n, every (@block_of_214 R d.+1 n) blocks & forall X,
    [/\ (* 1 *) forall L, distinct_grid N L -> in_cube N L X -> ~ in_bands N w X ->
          within e (network blocks X) (A L),
        (* 2 *) ~ in_bands N w X -> (forall L, distinct_grid N L -> ~ in_cube N L X) ->
          network blocks X = 0,
        (* 3 *) (exists i j, X i j < - Num.min w 1 \/ 1 <= X i j) -> network blocks X = 0 &
        (* 4 *) forall i j, `|network blocks X i j| <= G]].
Proof.
(* 1. Bands that are wider than a cell are narrowed: what is off the wide ones is off the narrow ones. [net]: for every
   width below that of a cell there is a network, with one bound G for all. *)
move=> e_gt0; have [G net] := narrow_bands e_gt0; exists G => w w_gt0.
have delta_pos := grid.delta_gt0 R (ltnW N_gt1).
pose w' := Num.min w (delta / 2%:R); have w'_w : w' <= w by rewrite le_minl lexx.
have w'_gt0 : 0 < w' by rewrite lt_minr w_gt0 divr_gt0 ?ltr0n.
have w'_lt : w' < delta by rewrite lt_minl; apply/orP; right; lra.
have [layers [size_l ok layersE]] := net w' w'_gt0 w'_lt; exists layers.
split=> [//||X]; first exact: layers_are_blocks.
(* 2. So the network for the narrow ones does. *)
have off_bands : ~ in_bands N w X -> ~ in_bands N w' X.
  move=> off [i [j [k [k_N /andP[ge lt]]]]]; apply: off; exists i, j, k; split=> //.
  by rewrite lt andbT; apply: le_trans ge; rewrite ler_add2l ler_opp2.
have [on_cubes off_cubes zero bounded] := layersE X; split=> // [L L_ok X_L /off_bands|/off_bands|].
- exact: on_cubes.
- exact: off_cubes.
move=> [i [j out]]; apply: zero; exists i, j; case: out => [lt|]; [left | by right].
apply: lt_le_trans lt _; rewrite ler_opp2 le_minr w'_w le_minl; apply/orP; right.
have : delta <= 1 by rewrite invf_le1 ?ltr0n ?ler1n ltnW.
lra.
Qed.

End StepFunction.
