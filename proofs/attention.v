(** * Hardmax and layers: what all theorems of this folder speak of, but for softmax

    A sequence is a matrix, one column a token. The numbers are those of any ordered field. Whoever doubts a theorem
    reads this file, transformers.v with softmax, and the statement: all else is checked. *)
From UAT Require Export preamble.

(** ** Weights from scores *)

(** No score is higher than that of [j]. *)
Definition best (R : realFieldType) (J : finType) (s : J -> R) (j : J) : bool :=
  [forall i, s i <= s j].
(** Hardmax: the largest scores share the weight equally, all others have none. *)
Definition hardmax (R : realFieldType) (J : finType) (s : J -> R) (j : J) : R :=
  (best s j)%:R / #|[pred i | best s i]|%:R.

(** ** Layers *)

Section Layers.

Variable R : realFieldType.

(** How scores become weights: softmax, or [hardmax]. *)
Definition scoring := forall J : finType, (J -> R) -> J -> R.

Variable sigma : scoring.

(** The weights that [sigma] makes of each column of scores. *)
Definition columns m n (S : 'M[R]_(m, n)) : 'M[R]_(m, n) :=
  \matrix_(i, k) sigma (fun i' => S i' k) i.

(** A head of attention: W_V X sigma((W_K X)^T (W_Q X)). *)
Definition head d p v n (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) (X : 'M[R]_(d, n)) : 'M[R]_(v, n) :=
  W_V *m X *m columns ((W_K *m X)^T *m (W_Q *m X)).

(** The weights of a head, with the W_O that stands before it in a sum of heads. *)
Record head_weights d := HeadWeights {
  size_k : nat; size_v : nat;
  W_O : 'M[R]_(d, size_v); W_V : 'M[R]_(size_v, d);
  W_K : 'M[R]_(size_k, d); W_Q : 'M[R]_(size_k, d) }.

(** Attention: X + sum_h W_O^h head^h(X). *)
Definition attention d n (heads : seq (head_weights d)) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + \sum_(w <- heads) W_O w *m head (W_V w) (W_K w) (W_Q w) X.

(** A rectified linear unit: the larger of 0 and x. *)
Definition relu (x : R) : R := Num.max 0 x.
(** The same column for each token. *)
Definition bias m n (b : 'cV[R]_m) : 'M[R]_(m, n) := \matrix_(i, k) b i ord0.

(** The weights of a feed-forward layer: two matrices and two columns of biases. *)
Record ff_weights d := FeedForwardWeights {
  hidden : nat;
  W_1 : 'M[R]_(hidden, d); b_1 : 'cV[R]_hidden;
  W_2 : 'M[R]_(d, hidden); b_2 : 'cV[R]_d }.

(** Feed-forward: X + W_2 phi(W_1 X + b_1) + b_2, token by token; [phi] is [relu], or what a paper allows besides. *)
Definition feed_forward (phi : R -> R) d n (w : ff_weights d) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + W_2 w *m map_mx phi (W_1 w *m X + bias n (b_1 w)) + bias n (b_2 w).

(** A layer: any map of sequences. A theorem says of which kind, such as [attention] or [feed_forward]. *)
Definition layer d n := 'M[R]_(d, n) -> 'M[R]_(d, n).
(** A network: layers, one after the other, the first of the list first. *)
Fixpoint network d n (layers : seq (layer d n)) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  if layers is f :: more then network more (f X) else X.

End Layers.
