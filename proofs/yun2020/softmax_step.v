(** * Yun et al. (2020), Lemma 6 for the network of Proposition 5: softmax and ReLU

    For all d >= 1, n >= 2, delta = 1/N, N >= 2, every step function with the values A_L on the
    cubes S_L that follows permutations, and every e > 0 there is a bound G such that for every
    width 0 < w < delta there is a network of softmax attention (two heads of size 1) and feed-
    forward layers with ReLU (four hidden units) that off the bands [k delta - w, k delta) is
    within e of A_L on cubes whose columns differ and zero elsewhere; that is zero wherever an
    entry is outside [- w, 1); and whose entries are at most G at every point. G does not depend
    on w. As repaired: the sentinel is above the box, M bounds what any sequence may become,
    queries have a bias. The printed lemma speaks of every network and of d_p; here it is the
    network that the theorem needs, point by point. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid selective_shift context_layers lemma_8 look_up lemma_9.
From UAT.yun2020 Require Import proposition_5 theorem_2_hardmax relus relu_layers relu_quantizer relu_values.
From UAT.yun2020 Require Import soft_layers soft_context.
From UAT.yun2020 Require value_layers.

Section Step.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation id X k := ((u *m X) ord0 k).
Notation t_l := (t_l R N d n).
Notation t_r := (t_r R N d n).
Implicit Types (L X Y Z : 'M[R]_(d.+1, n)).

Lemma N_pos : (0 < N)%N.
Proof. exact: ltnW. Qed.

(** ** Ids *)

Lemma entry_le_id X i k : (forall i, 0 <= X i k) -> X i k <= id X k.
Proof.
move=> ge0; rewrite mxE (bigD1 i) //= -[X in X <= _]addr0 ler_add //.
  by rewrite mxE ler_pemull // ler1n expn_gt0 N_pos.
by apply: sumr_ge0 => i' _; rewrite mxE mulr_ge0 ?ler0n.
Qed.

Lemma id_near T X Y k : (forall i, `|Y i k - X i k| <= (i == ord0)%:R * T) ->
  `|id Y k - id X k| <= T.
Proof.
move=> near; have -> : id Y k - id X k = \sum_i u ord0 i * (Y i k - X i k).
  by rewrite ![(u *m _) _ _]mxE -sumrB; apply: eq_bigr => i _; rewrite mulrBr.
apply: le_trans (ler_norm_sum _ _ _) _; rewrite big_ord_recl big1 ?addr0 => [|i _].
  by have := near ord0; rewrite [u _ _]mxE expn0 !mul1r.
by have := near (lift ord0 i); rewrite mul0r normr_le0 => /eqP ->; rewrite mulr0 normr0.
Qed.

(** Sequences of the box whose columns are not different have ids a step off the band. *)
Lemma off_band L j : box_grid N L -> ~ distinct_grid N L ->
  q N L j <= t_l - delta \/ t_r + delta <= q N L j.
Proof.
move=> L_box not_ok; have L_ext : extended_grid N L by move=> i k; left; apply: L_box.
have [|] := property_4 N_gt1 n_gt1 j L_ext not_ok; last by right.
have [l [l_N L_l]] := box_coordinates L_box; rewrite (q_box N_gt1 n_gt1 _ l_N L_l) t_lE => lt; left.
have pos := grid.delta_gt0 R N_pos; move: lt; rewrite ltr_pmul2l // ltr_int => lt.
by rewrite -[X in _ - X]mulr1 -mulrBr ler_pmul2l // -[1]/(1%:~R) -rmorphB ler_int -ltz_addr1 subrK.
Qed.

(** ** The network *)
Variable A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis A_perm : forall L (s : 'S_n), distinct_grid N L -> A (L *m perm_mx s) = A L *m perm_mx s.

Definition transformer_layer (f : layer R d.+1 n) := softmax_layer f \/ relu_layer f.
(** Some entry lies below one of the numbers k delta, k = 0, ..., N, by at most w. *)
Definition in_bands w X := exists i j k, (k <= N)%N /\ k%:R * delta - w <= X i j < k%:R * delta.

(** The sentinel, and a bound for ids. *)
Definition high : R := t_r + delta + 1.
Definition highest : R := context_bound N d n (id (const_mx high : 'cV_d.+1) ord0).

Variables (e T lambda K w : R).
Hypotheses (T_gt0 : 0 < T) (T_le_e : T <= e) (T_le : T <= delta / 8%:R) (lambda_gt0 : 0 < lambda).
Hypothesis h_small : context_error R (N ^ d.+1) n * (4%:R * n%:R / (lambda * delta)) <= T.
Hypothesis h_le1 : 4%:R * n%:R / (lambda * delta) <= 1.
Hypotheses (K_ge0 : 0 <= K) (K_low : forall x : entry N d n, (u *m to A K x) ord0 ord0 <= -1).
Hypotheses (w_gt0 : 0 < w) (w_lt : w < delta).

Definition step_layers := quantizer N d.+1 n high w ++ soft_context N d n lambda ++
  @relu_values.value_layers R N d n A highest K.

Lemma high_ge1 : 1 <= high.
Proof.
have /andP[l r] := band_gt0 R d N_gt1 n_gt1; have := grid.delta_gt0 R N_pos.
by rewrite /high; move: (lemma_8.t_l _ _ _ _) (lemma_8.t_r _ _ _ _) l r => *; lra.
Qed.

Lemma step_layers_ok : every transformer_layer step_layers.
Proof.
apply: every_cat; last apply: every_cat.
- have := quantizer_layers d.+1 n N_pos high_ge1 w_gt0 w_lt.
  by apply: every_impl => f; right.
- by apply: every_impl (soft_context_layers N d n lambda) => f; left.
have := unit_relu_layers n (value_units_four N_gt1 n_gt1 A highest K).
by apply: every_impl => f; right.
Qed.

Section Point.

Variable X : 'M[R]_(d.+1, n).
Let Z := network (quantizer N d.+1 n high w) X.
Let Y := network (soft_context N d n lambda) Z.

Lemma Z_range i j : 0 <= Z i j <= high.
Proof. by rewrite /Z quantizerE (quantize_range N_pos high_ge1 w_gt0 w_lt). Qed.

Lemma Y_range i j : 0 <= Y i j <= highest.
Proof.
have Z_ge0 i' j' : 0 <= Z i' j' by have /andP[] := Z_range i' j'.
have ids_Z k : id Z k <= id (const_mx high : 'cV_d.+1) ord0.
  rewrite mxE [X in _ <= X]mxE; apply: ler_sum => i' _; rewrite [const_mx _ _ _]mxE.
  by rewrite ler_wpmul2l //; [rewrite mxE ler0n | have /andP[] := Z_range i' k].
have [rises below] := context_bounds N_pos (Ordinal (ltnW n_gt1)) lambda_gt0 Z_ge0 ids_Z.
have Y_ge0 i' j' : 0 <= Y i' j' := le_trans (Z_ge0 i' j') (rises i' j').
by rewrite Y_ge0 /=; apply: le_trans (entry_le_id i (Y_ge0^~ j)) (below j).
Qed.

Lemma networkE i j : network step_layers X i j =
  run (@relu_values.value_units R N d n A highest K) (col j Y) i ord0.
Proof.
rewrite /step_layers network_cat network_cat.
by rewrite -(network_run (@relu_values.value_units R N d n A highest K) Y j) mxE.
Qed.

(** 1. Off the bands a sequence of the box is rounded exactly. *)
Lemma Z_cube L : box_grid N L -> in_cube N L X -> ~ in_bands w X -> Z = L.
Proof.
move=> L_box X_L off; apply/matrixP => i j; rewrite /Z quantizerE; have [k k_N L_k] := L_box i j.
rewrite L_k; have := X_L i j; rewrite L_k => /andP[ge lt].
apply: (quantize_cell N_pos high_ge1 w_gt0 w_lt k_N); rewrite ge /= ltNge; apply/negP => in_band.
case: off; exists i, j, k.+1; split=> //; rewrite -[k.+1]addn1 natrD mulrDl mul1r lt andbT.
by move: in_band; rewrite addrA.
Qed.

Lemma Z_box : ~ in_bands w X -> (forall i j, 0 <= X i j < 1) -> box_grid N Z /\ in_cube N Z X.
Proof.
move=> off inside; have entry i j : exists k, (k < N)%N /\ in_cell N k (X i j).
  by have [k k_N k_X] := some_cell N_pos (inside i j); exists k.
have [k kP] := fin_all_exists (fun i => fin_all_exists (entry i)).
pose L : 'M[R]_(d.+1, n) := \matrix_(i, j) ((k i j)%:R * delta).
have L_box : box_grid N L by move=> i j; exists (k i j); [have [] := kP i j | rewrite mxE].
have X_L : in_cube N L X by move=> i j; have [_] := kP i j; rewrite in_cellE mxE.
by rewrite (Z_cube L_box X_L off).
Qed.

(** 2. On a cube with different columns: the answer, up to the error of the id. *)
Lemma on_cube L : distinct_grid N L -> in_cube N L X -> ~ in_bands w X ->
  within e (network step_layers X) (A L).
Proof.
(* 1. Off the bands the quantizer sends the cube to its corner. *)
move=> L_ok X_L off i j; have Z_L := Z_cube L_ok.1 X_L off.
(* 2. There the layers of softmax are within T of those of hardmax, and only in the first row. *)
have near i' : `|Y i' j - g_c N L i' j| <= (i' == ord0)%:R * T.
  have T_quarter : T <= delta / 4%:R.
    by apply: le_trans T_le _; rewrite ler_wpmul2l ?(ltW (grid.delta_gt0 R N_pos)) // lef_pinv
      ?posrE ?ltr0n // ler_nat.
  by rewrite /Y Z_L; apply: (soft_context_near N_gt1 n_gt1 lambda_gt0 T_quarter h_small L_ok.1).
(* 3. So each id is within an eighth of a cell of an id in the table. *)
have [x [g_x A_x q_x]] := entry_of N_gt1 A_perm j L_ok.
have id_Y : `|(u *m col j Y) ord0 ord0 - key R x| <= delta / 8%:R.
  by rewrite -q_x value_layers.id_col; apply: le_trans (id_near near) T_le.
(* 4. The windows have this much room: they add what the table says. *)
rewrite networkE (value_run_near N_gt1 n_gt1 highest K_low id_Y); last first.
  by move=> i'; rewrite mxE; have /andP[] := Y_range i' j.
(* 5. What is left of the error is that of the first row. *)
rewrite -A_x -g_x !mxE; have := near i.
have -> : Y i j + (A L i j - g_c N L i j) - A L i j = Y i j - g_c N L i j by ring.
move/le_trans; apply; apply: le_trans T_le_e.
by case: eqP => _; rewrite ?mul1r ?mul0r ?(ltW T_gt0).
Qed.

(** 3. Zero where all ids are off the band. *)
Lemma zero_off_band : (forall j, id Y j <= t_l - 7%:R * delta / 8%:R \/
  t_r + 7%:R * delta / 8%:R <= id Y j) -> network step_layers X = 0.
Proof.
move=> off; apply/matrixP => i j; rewrite networkE.
have low i' : col j Y i' ord0 <= highest by rewrite mxE; have /andP[] := Y_range i' j.
have far := off j; rewrite -value_layers.id_col in far.
by rewrite (value_run_zero N_gt1 n_gt1 _ _ far low) !mxE.
Qed.

Lemma zero_outside_box : (exists i j, X i j < - w \/ 1 <= X i j) -> network step_layers X = 0.
Proof.
move=> [i [j out]]; apply: zero_off_band => k; right.
have Z_ge0 i' j' : 0 <= Z i' j' by have /andP[] := Z_range i' j'.
have Z_high : Z i j = high.
  by rewrite /Z quantizerE (quantize_outside N_pos high_ge1 w_gt0 w_lt out).
have high_le : exists k', high <= id Z k' by exists j; rewrite -{1}Z_high entry_le_id.
have far : high - 4%:R * n%:R / (lambda * delta) <= id Y k.
  exact: (context_far N_pos k lambda_gt0 Z_ge0 k high_le).
apply: (le_trans _ far); have := grid.delta_gt0 R N_pos; have := h_le1; rewrite /high.
by move: (4%:R * _ / _) (lemma_8.t_r _ _ _ _) => *; lra.
Qed.

Lemma zero_repeated : ~ in_bands w X -> (forall L, distinct_grid N L -> ~ in_cube N L X) ->
  network step_layers X = 0.
Proof.
move=> off none.
have [/forallP inside|] := boolP [forall i, [forall j, 0 <= X i j < 1]]; last first.
  rewrite negb_forall => /existsP[i]; rewrite negb_forall => /existsP[j out].
  apply: zero_outside_box; exists i, j; move: out; rewrite negb_and -ltNge -leNgt.
  move=> /orP[lt|]; last by right.
  left; rewrite ltNge; apply/negP => ge; case: off; exists i, j, 0%N; split=> //.
  by rewrite mul0r sub0r ge lt.
have [Z_in X_Z] := Z_box off (fun i j => forallP (inside i) j).
have not_ok : ~ distinct_grid N Z by move=> /none; apply.
have T_quarter : T <= delta / 4%:R.
  by apply: le_trans T_le _; rewrite ler_wpmul2l ?(ltW (grid.delta_gt0 R N_pos)) // lef_pinv
    ?posrE ?ltr0n // ler_nat.
apply: zero_off_band => j.
have := id_near ((soft_context_near N_gt1 n_gt1 lambda_gt0 T_quarter h_small Z_in)^~ j).
rewrite -/Y -/(q N Z j) ler_norml; have := T_le; have := off_band j Z_in not_ok.
move: (id Y j) (q N Z j) => x y [] far ? ?; [left | right]; lra.
Qed.

End Point.

End Step.
