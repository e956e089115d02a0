(** * The class T^{2,1,4} of Yun et al. (2020): blocks of two heads of size 1 and four ReLUs

    A block is softmax attention with two heads of size 1, then a feed-forward layer with four
    hidden units and ReLU, both with the residual connection; the attention has a bias on the
    queries, which the construction in the paper uses and its equation (1) does not print. A layer
    of one kind alone is a block whose other half is idle. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers relu_layers soft_layers.

Section Blocks.

Variables (R : realType) (d n : nat).
Notation soft := (fun J => @softmax R J).
Implicit Types (f : layer R d n) (X : 'M[R]_(d, n)).

(** A block: softmax attention with two heads of size 1, then a feed-forward layer with four ReLUs. *)
Definition block_of_214 f := exists (heads : seq (biased_head R d)) (w : ff_weights R d),
  [/\ size heads = 2%N,
      all (fun h => (size_k (weights h) == 1%N) && (size_v (weights h) == 1%N)) heads,
      hidden w = 4%N &
      forall X, f X = feed_forward (@relu R) w (attention_with_bias soft heads X)].

(** Idle halves. *)
Definition idle_units : ff_weights R d :=
  FeedForwardWeights (0 : 'M_(4, d)) 0 (0 : 'M_(d, 4)) 0.
Definition idle_head : biased_head R d :=
  @BiasedHead R d (HeadWeights (0 : 'M_(d, 1)) (0 : 'M_(1, d)) (0 : 'M_(1, d)) 0) 0.

Lemma idle_unitsE X : feed_forward (@relu R) idle_units X = X.
Proof.
rewrite /feed_forward /= mul0mx addr0; apply/matrixP => i j.
by rewrite mxE [bias _ _ _ _]mxE mxE addr0.
Qed.

Lemma idle_headsE X : attention_with_bias soft [:: idle_head; idle_head] X = X.
Proof. by rewrite /attention_with_bias !big_cons big_nil /= !mul0mx !addr0. Qed.

Lemma softmax_block f : softmax_layer f -> block_of_214 f.
Proof.
move=> [heads [two ones] fE]; exists heads, idle_units; split=> // X.
by rewrite idle_unitsE fE.
Qed.

Lemma relu_block f : relu_layer f -> block_of_214 f.
Proof.
move=> [w four fE]; exists [:: idle_head; idle_head], w; split=> // X.
by rewrite idle_headsE fE.
Qed.

End Blocks.
