(** * Kajitsuka and Sato (2024), Corollaries 1 and 2: a layer of ReLUs with few weights

    For m different vectors in R^d and any labels there is a feed-forward layer, with its skip
    connection, that sends each vector to its label and has m hidden units, all of which read along
    one direction a. Its weights are a, the m biases, and the d m entries of W_2: at most
    d (2 m + d) numbers, as many as printed (Zhang et al. 2016: one such network for each of the d
    coordinates). For all d >= 1 and m. *)
From UAT Require Import transformers.
From UAT.kajitsuka2024 Require Import definitions inner_product lemma_2 hats.

Section FewWeights.

Variables (R : rcfType) (d : nat).

(** A kink for each number: the largest number is the only one beyond the last kink. *)
Lemma kinks (ys : seq R) (t : R -> 'cV[R]_d.+1) : sorted >%R ys ->
  exists2 ks : seq (R * 'cV[R]_d.+1), size ks = size ys &
    forall y, y \in ys -> \sum_(k <- ks) relu (y - k.1) *: k.2 = t y.
Proof.
elim: ys => [|y ys IHys] y_ys; first by exists [::].
have [ks size_ks ksE] := IHys (path_sorted y_ys).
(* 1. The new kink is at the largest of the others. *)
pose b := if ys is z :: _ then z else y - 1.
have b_y : b < y by rewrite /b; case: (ys) y_ys => [_|z zs /= /andP[]] //; lra.
have ys_b z : z \in ys -> z <= b.
  rewrite /b; case: (ys) y_ys => // u us /= /andP[_ u_us]; rewrite inE => /predU1P[->//|z_us].
  apply/ltW; move: u_us; rewrite (path_sortedE (rev_trans lt_trans)) => /andP[/allP u_us _].
  exact: u_us.
(* 2. It corrects the value at y, and is not felt before. *)
exists ((b, (y - b)^-1 *: (t y - \sum_(k <- ks) relu (y - k.1) *: k.2)) :: ks) => [|x].
  by rewrite /= size_ks.
rewrite inE big_cons /= => /predU1P[->|x_ys].
  by rewrite relu_pos ?subr_ge0 ?(ltW b_y) // scalerA divff ?subr_eq0 ?gt_eqF // scale1r subrK.
by rewrite relu_neg ?subr_le0 ?ys_b // scale0r add0r ksE.
Qed.

(** The layer: all rows of W_1 are a. *)
Definition directed_layer m (a : 'cV[R]_d.+1) (b : 'cV[R]_m) (W : 'M[R]_(d.+1, m)) :
  ff_weights R d.+1 := @FeedForwardWeights R d.+1 m (\matrix_(j, i) a i 0) b W 0.

(** What it adds to a token: a ReLU of one number for each unit. *)
Lemma directed_layerE m a (b : 'cV[R]_m) W n (Z : 'M[R]_(d.+1, n)) k :
  col k (feed_forward (@relu R) (directed_layer a b W) Z)
  = col k Z + \sum_j relu (dot a (col k Z) + b j 0) *: col j W.
Proof.
apply/colP => i; rewrite /feed_forward !mxE addr0 summxE; congr (_ + _).
apply: eq_bigr => j _; rewrite !mxE mulrC; congr (relu (_ + _) * _).
by apply: eq_bigr => l _; rewrite !mxE.
Qed.

(** A direction in which all vectors of a list are different numbers. *)
Lemma telling_direction (zs : seq 'cV[R]_d.+1) : exists a : 'cV[R]_d.+1, {in zs &, injective (dot a)}.
Proof.
have [a _ keep] := lemma_2_better zs; exists a => x y xz yz same.
apply/eqP; apply: contraT => ne; have /andP[low _] := keep x y xz yz.
move: low; rewrite dotB same subrr normr0 leNgt mulr_gt0 ?norm_gt0 ?subr_eq0 //.
rewrite divr_gt0 ?exprn_gt0 ?ltr0n // lt0n size_eq0.
by apply: contraTneq xz => no_zs; rewrite -mem_undup no_zs.
Qed.

(** As many hidden units as there are vectors look up their labels. *)
Theorem few_weights (zs : seq 'cV[R]_d.+1) (label : 'cV[R]_d.+1 -> 'cV[R]_d.+1) : uniq zs ->
  exists (a : 'cV[R]_d.+1) (b : 'cV[R]_(size zs)) (W : 'M[R]_(d.+1, size zs)),
  forall n (Z : 'M[R]_(d.+1, n)) k, col k Z \in zs ->
  col k (feed_forward (@relu R) (directed_layer a b W) Z) = label (col k Z).
Proof.
move=> uniq_zs.
(* 1. A direction in which all vectors are different numbers. *)
have [a inj_a] := telling_direction zs.
(* 2. These numbers in order, and what is to be added at each. *)
pose ys := rev (sort <=%R [seq dot a z | z <- zs]).
have size_ys : size ys = size zs by rewrite size_rev size_sort size_map.
have ys_sorted : sorted >%R ys.
  rewrite rev_sorted lt_sorted_uniq_le sort_uniq (sort_sorted le_total) andbT.
  by rewrite map_inj_in_uniq.
pose z_of y := nth 0 zs (find (fun z => dot a z == y) zs).
have z_ofE z : z \in zs -> z_of (dot a z) = z.
  move=> z_zs; have has_z : has (fun x => dot a x == dot a z) zs by apply/hasP; exists z.
  by apply: inj_a => //; [rewrite mem_nth // -has_find | apply/eqP/(nth_find 0 has_z)].
have [ks size_ks ksE] := kinks (fun y => label (z_of y) - z_of y) ys_sorted.
(* 3. The layer with these kinks. *)
exists a, (\col_j - (nth (0, 0) ks j).1), (\matrix_(i, j) (nth (0, 0) ks j).2 i 0) => n Z k z_zs.
rewrite directed_layerE; have y_ys : dot a (col k Z) \in ys by rewrite mem_rev mem_sort map_f.
have := ksE _ y_ys; rewrite z_ofE // (big_nth (0, 0)) size_ks size_ys big_mkord => sumE.
rewrite -[RHS](subrK (col k Z)) addrC -sumE; congr (_ + _); apply: eq_bigr => j _.
by rewrite mxE; congr (_ *: _); apply/colP => i; rewrite !mxE.
Qed.

End FewWeights.
