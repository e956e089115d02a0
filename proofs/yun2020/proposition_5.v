(** * Yun et al. (2020), Proposition 5, pointwise: round, tell apart, look up

    For all d >= 1, n >= 2, delta = 1/N, N >= 2, and every step function with the values A_L on
    the cubes S_L that follows permutations: the network g_v o g_c o g_q of Lemmas 7, 8 and 9
    (hardmax attention with two heads of size 1, feed-forward layers with one hidden unit and
    three pieces) is A_L on every S_L with different columns L_j, and zero at all other points of
    R^{d x n}. This is what the paper proves; the distance d_p it concludes needs the volume of
    the other cubes, O(delta^d), as well. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid lemma_7 context_layers lemma_8 lemma_9.

Section Proposition5.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation delta := (delta R N).
Implicit Types (L X : 'M[R]_(d.+1, n)).

Let N_gt0 : (0 < N)%N := ltnW N_gt1.

(** The cube S_L. *)
Definition in_cube L X := forall i j, L i j <= X i j < L i j + delta.

Lemma in_cellE k (t : R) : in_cell N k t = (k%:R * delta <= t < k%:R * delta + delta).
Proof. by rewrite /in_cell -[k.+1]addn1 natrD mulrDl mul1r. Qed.

(** What the quantizer makes of a sequence. *)
Definition g_q X := network (quantizer R N d.+1 n) X.

(** The quantizer takes all points of the cube S_L to L. *)
Lemma g_q_cube L X : box_grid N L -> in_cube L X -> g_q X = L.
Proof.
move=> L_box X_L; apply/matrixP => i j; rewrite /g_q quantizerE; have [k k_N L_k] := L_box i j.
by rewrite L_k (quantize_cell d.+1 n N_gt0 k_N) // in_cellE -L_k.
Qed.

(** The quantizer takes every point to the extended grid. *)
Lemma g_q_extended X : extended_grid N (g_q X).
Proof.
move=> i j; rewrite /g_q quantizerE; have [inside|outside] := boolP (0 <= X i j < 1).
  by left; have [k k_N k_X] := some_cell N_gt0 inside; exists k;
    rewrite // (quantize_cell d.+1 n N_gt0 k_N).
by right; apply: quantize_outside.
Qed.

(** A point that the quantizer takes to a sequence without sentinels lies in the cube of this sequence. *)
Lemma cube_g_q X : box_grid N (g_q X) -> in_cube (g_q X) X.
Proof.
move=> L_box i j; have [k k_N] := L_box i j; rewrite /g_q quantizerE => q_k.
have [inside|outside] := boolP (0 <= X i j < 1); last first.
  have := sentinel_lt0 R d.+1 n N_gt0; rewrite -(quantize_outside d.+1 n N_gt0 outside) q_k ltNge.
  by rewrite mulr_ge0 ?ler0n ?(ltW (delta_gt0 R N_gt0)).
have [k' k'_N k'_X] := some_cell N_gt0 inside.
by rewrite (quantize_cell d.+1 n N_gt0 k'_N) // -in_cellE.
Qed.

(** The layers of the modified network: hardmax attention, or one hidden unit and three pieces. *)
Definition allowed_layer (f : layer R d.+1 n) := phi_layer f \/ hardmax_layer f.

Variable A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis A_perm : forall L (s : 'S_n), distinct_grid N L -> A (L *m perm_mx s) = A L *m perm_mx s.

(** The layers of quantizer, contextual mapping and look-up. *)
Definition layer_count :=
  (d.+1 * N + d.+1 + (N ^ d.+1 + 1) + (1 + d.+1 + n * 'C(N ^ d.+1, n) + 1))%N.

Theorem proposition_5 : exists layers : seq (layer R d.+1 n),
  [/\ size layers = layer_count, every allowed_layer layers &
      forall X,
        (forall L, distinct_grid N L -> in_cube L X -> network layers X = A L) /\
        ((forall L, distinct_grid N L -> ~ in_cube L X) -> network layers X = 0)].
Proof.
(* 1. Three parts: round each entry to the grid (Lemma 7), give each token an id that knows its context (Lemma 8), look
   the id up (Lemma 9). [look_upE]: the last maps ids of L to A_L, and all others to 0. *)
have [look_up [size_v phi_v _ look_upE]] := lemma_9 N_gt1 n_gt1 A_perm.
exists (quantizer R N d.+1 n ++ context_layers R N d n ++ look_up); split.
- by rewrite !size_cat size_quantizer size_map size_iota size_v /layer_count !addnA.
- apply: every_cat; last apply: every_cat.
  + by apply: every_impl (quantizer_layers R d.+1 n N_gt0) => f; left.
  + by apply: every_impl (context_layers_hardmax R N d n) => f; right.
  by apply: every_impl phi_v => f; left.
move=> X; rewrite network_cat (network_cat (context_layers R N d n)) -/(g_q X).
rewrite -/(g_c N (g_q X)); have [is_A is_0] := look_upE _ (g_q_extended X).
split=> [L L_ok X_L|none].
(* 2. A point of S_L is rounded to L, and the answer for L is A_L. *)
  by move: is_A; rewrite (g_q_cube L_ok.1 X_L); apply.
(* 3. All others are rounded to a sequence with equal columns or a sentinel, whose answer is 0. *)
by apply: is_0 => L_ok; apply: (none _ L_ok); apply: cube_g_q L_ok.1.
Qed.

End Proposition5.
