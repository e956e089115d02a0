(** * Cheng et al. (2025): attention with a kernel and a pattern

    Equation (12): token [i] hears the tokens of [N i], each with the weight k(W_Q x_i, W_K x_j).
    With the kernel exp(x . y) and the full pattern this is the head of [transformers.v].
    The kernel may have any values: where a sum of weights is 0, what is heard is 0. *)
From UAT Require Import transformers.

(** Whom each token hears. *)
Definition pattern n := 'I_n -> {set 'I_n}.
(** All hear all. *)
Definition full n : pattern n := fun=> setT.
(** Permutations that keep a pattern, (15). *)
Definition automorphism n (N : pattern n) (s : 'S_n) : Prop :=
  forall i j, (j \in N i) = (s j \in N (s i)).
(** (7): to permute tokens of the input permutes tokens of the output. *)
Definition equivariant (R : ringType) d n (s : 'S_n) (f : 'M[R]_(d, n) -> 'M[R]_(d, n)) : Prop :=
  forall X, f (col_perm s X) = col_perm s (f X).

Section Mixers.

Variable R : realFieldType.

(** A kernel compares a query with a key, both with [p] entries, for any [p]. *)
Definition kernel := forall p, 'cV[R]_p -> 'cV[R]_p -> R.
Variable k : kernel.

Section Head.

Variables (n d p v : nat) (N : pattern n) (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)).

(** (12): what token [i] hears. *)
Definition heard (X : 'M[R]_(d, n)) (i : 'I_n) : 'cV[R]_v :=
  (\sum_(j in N i) k (W_Q *m col i X) (W_K *m col j X))^-1 *:
  \sum_(j in N i) k (W_Q *m col i X) (W_K *m col j X) *: (W_V *m col j X).

(** What all tokens hear, as a sequence. *)
Definition kernel_head (X : 'M[R]_(d, n)) : 'M[R]_(v, n) := \matrix_(u, i) heard X i u ord0.

End Head.

(** X + sum_h W_O^h head^h(X). *)
Definition kernel_attention n d (N : pattern n) (heads : seq (head_weights R d))
    (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + \sum_(w <- heads) W_O w *m kernel_head N (W_V w) (W_K w) (W_Q w) X.

(** One map for all tokens: whatever feed-forward layers do. *)
Definition tokenwise n d (phi : 'cV[R]_d -> 'cV[R]_d) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  \matrix_(u, i) phi (col i X) u ord0.

(** The weights of a block: those of its heads, and any map of tokens. *)
Record block_weights d := BlockWeights {
  heads_of : seq (head_weights R d); map_of : 'cV[R]_d -> 'cV[R]_d }.
(** A block: attention with the pattern [N], then the same map on each token. *)
Definition block n d (N : pattern n) (w : block_weights d) (X : 'M[R]_(d, n)) :=
  tokenwise (map_of w) (kernel_attention N (heads_of w) X).

(** The layers 1 to [m] of a sequence of patterns, (16). *)
Definition sparse_network n d (N : nat -> pattern n) (w : nat -> block_weights d) m :=
  network [seq block (N r) (w r) | r <- iota 1 m].

Lemma network_rcons d n (layers : seq (layer R d n)) f X :
  network (rcons layers f) X = f (network layers X).
Proof. by elim: layers X => //= g layers IH X. Qed.

Lemma sparse_networkS n d (N : nat -> pattern n) (w : nat -> block_weights d) m X :
  sparse_network N w m.+1 X = block (N m.+1) (w m.+1) (sparse_network N w m X).
Proof.
have -> : sparse_network N w m.+1
    = network (rcons [seq block (N r) (w r) | r <- iota 1 m] (block (N m.+1) (w m.+1))).
  by rewrite -map_rcons -cats1 /sparse_network -{1}(addn1 m) iotaD.
exact: network_rcons.
Qed.

Lemma colM m d n (A : 'M[R]_(m, d)) (X : 'M[R]_(d, n)) i : col i (A *m X) = A *m col i X.
Proof. by rewrite !colE mulmxA. Qed.

(** What becomes of one token. *)
Lemma col_kernel_attention n d (N : pattern n) (heads : seq (head_weights R d)) X i :
  col i (kernel_attention N heads X)
  = col i X + \sum_(w <- heads) W_O w *m heard N (W_V w) (W_K w) (W_Q w) X i.
Proof.
rewrite /kernel_attention linearD linear_sum; congr (_ + _); apply: eq_bigr => w _ /=.
by rewrite colM; congr (_ *m _); apply/matrixP => u o; rewrite !mxE (ord1 o).
Qed.

Lemma col_tokenwise n d (phi : 'cV[R]_d -> 'cV[R]_d) (X : 'M[R]_(d, n)) i :
  col i (tokenwise phi X) = phi (col i X).
Proof. by apply/matrixP => u o; rewrite !mxE (ord1 o). Qed.

Lemma col_block n d (N : pattern n) (w : block_weights d) X i :
  col i (block N w X) = map_of w (col i X +
    \sum_(h <- heads_of w) W_O h *m heard N (W_V h) (W_K h) (W_Q h) X i).
Proof. by rewrite col_tokenwise col_kernel_attention. Qed.

(** Feed-forward layers of [transformers.v] act token by token. *)
Lemma feed_forward_tokenwise (phi : R -> R) d n (w : ff_weights R d) (X : 'M[R]_(d, n)) :
  feed_forward phi w X = tokenwise (fun x => feed_forward phi w x) X.
Proof.
apply/matrixP => u i; rewrite /feed_forward /bias !mxE; congr (_ + _ + _).
apply: eq_bigr => h _; rewrite !mxE; congr (_ * phi (_ + _)).
by apply: eq_bigr => t _; rewrite !mxE.
Qed.

End Mixers.

(** With the full pattern and k(x, y) = exp(x . y) it is softmax attention. *)
Section Softmax.

Variable R : realType.

(** The kernel exp(x . y) of softmax attention. *)
Definition exp_kernel : kernel R := fun p x y => expR ((y^T *m x) ord0 ord0).

(** With the kernel exp(x . y) and the full pattern a head is one of softmax attention. *)
Lemma exp_kernel_head n d p v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) (X : 'M[R]_(d, n)) :
  kernel_head exp_kernel (@full n) W_V W_K W_Q X = head (@softmax R) W_V W_K W_Q X.
Proof.
pose score j := ((W_K *m X)^T *m (W_Q *m X)) j.
have scoreE i j : exp_kernel (W_Q *m col i X) (W_K *m col j X) = expR (score j i).
  congr expR; rewrite /score !mxE; apply: eq_bigr => t _.
  by rewrite -!colM !mxE.
apply/matrixP => u i; rewrite mxE [RHS]mxE [LHS]mxE [X in _ * X]summxE mulr_sumr.
rewrite (eq_bigl predT) => [|j]; last by rewrite inE.
apply: eq_bigr => j _; rewrite [X in _ = _ * X]mxE /softmax -/(score j i).
rewrite [X in _ * X]mxE scoreE mulrCA mulrA [LHS]mulrC; congr (_ * (_ * _^-1)).
  by rewrite -colM mxE.
apply: eq_big => [l|l _]; first by rewrite inE.
exact: scoreE.
Qed.

Lemma exp_kernel_attention n d (heads : seq (head_weights R d)) (X : 'M[R]_(d, n)) :
  kernel_attention exp_kernel (@full n) heads X = attention (@softmax R) heads X.
Proof. by congr (_ + _); apply: eq_bigr => w _; rewrite exp_kernel_head. Qed.

End Softmax.
