(** * Yun et al. (2020): blocks of softmax and ReLU for another box

    A block of the class T^{2,1,4}, and with it a network of such blocks, can be had in other
    units: X -> c f(X/c) is a block of the same kind as f, for every c other than 0. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers rescaled transformer_blocks.

Section RescaledBlocks.

Variables (R : realType) (c : R) (d n : nat).
Hypothesis c_neq0 : c != 0.
Implicit Types (f : layer R d n) (X : 'M[R]_(d, n)).

(** A feed-forward layer in other units: all weights but W_1 times c, W_1 divided by c. *)
Definition rescaled_ff (w : ff_weights R d) : ff_weights R d :=
  FeedForwardWeights (c^-1 *: W_1 w) (b_1 w) (c *: W_2 w) (c *: b_2 w).

Lemma rescaled_feed_forward phi (w : ff_weights R d) X :
  c *: feed_forward phi w (c^-1 *: X) = feed_forward phi (rescaled_ff w) X.
Proof.
rewrite /feed_forward /= !scalerDr scalerA mulfV // scale1r -[W_1 w *m _]scalemxAr scalemxAl.
rewrite [c *: (W_2 w *m _)]scalemxAl; congr (_ + _ + _).
by apply/matrixP => i k; rewrite !mxE.
Qed.

Lemma rescaled_block f : block_of_214 f ->
  exists2 f', block_of_214 f' & forall X, f' X = rescaled c f X.
Proof.
move=> [heads [w [two ones four fE]]].
exists (fun X => feed_forward (@relu R) (rescaled_ff w)
  (attention_with_bias (fun J => @softmax R J) (map (@rescaled_head R c d) heads) X)) => [|X].
  by exists (map (@rescaled_head R c d) heads), (rescaled_ff w); rewrite size_map all_map; split.
rewrite -rescaled_attention // -rescaled_feed_forward /rescaled fE.
by rewrite scalerA mulVf // scale1r.
Qed.

(** A network of blocks of T^{2,1,4} is, in other units, one of as many such blocks. *)
Lemma rescaled_blocks (blocks : seq (layer R d n)) : every (@block_of_214 R d n) blocks ->
  exists blocks', [/\ size blocks' = size blocks, every (@block_of_214 R d n) blocks' &
    forall X, network blocks' X = rescaled c (network blocks) X].
Proof.
elim: blocks => [_|f l IHl /= [/rescaled_block[f' f'_ok f'E] /IHl[l' [size_l l'_ok l'E]]]].
  by exists [::]; split=> // X; rewrite /rescaled /= scalerA mulfV // scale1r.
exists (f' :: l'); split=> [|//|X] /=; first by rewrite size_l.
by rewrite l'E f'E /rescaled scalerA mulVf // scale1r.
Qed.

End RescaledBlocks.
