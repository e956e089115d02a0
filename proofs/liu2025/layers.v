(** * The layers of Liu et al. (2025), and what both kinds of attention share

    The paper's section 2: attention without skip connection, whose output is multiplied by
    [W_O] from the right; and a sum of linear maps before it. [head] and [columns] are those of
    the shared file. Differs from the paper: [W_V] may have any number of rows (the paper prints
    a square matrix, but builds one with as many rows as the output); for cross-attention the
    two sequences may have different sizes. *)
From UAT Require Import transformers.

Section Layers.

Variable R : realType.

(** Self-attention: W_V X Softmax((W_K X)^T (W_Q X)) W_O. Here W_V need not be square: it is q x e, where the paper
    prints a square one and builds this one. *)
Definition attn e p q N n (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(q, e)) (W_O : 'M[R]_(N, n))
    (X : 'M[R]_(e, N)) : 'M[R]_(q, n) :=
  head (@softmax R) W_V W_K W_Q X *m W_O.

(** Cross-attention: W_V X_K Softmax((W_K X_K)^T (W_Q X_Q)) W_O. W_V need not be square, and the two sequences may have
    different sizes. *)
Definition cross_attn e_K e_Q p q N_K N_Q n (W_K : 'M[R]_(p, e_K)) (W_Q : 'M[R]_(p, e_Q))
    (W_V : 'M[R]_(q, e_K)) (W_O : 'M[R]_(N_Q, n))
    (X_K : 'M[R]_(e_K, N_K)) (X_Q : 'M[R]_(e_Q, N_Q)) : 'M[R]_(q, n) :=
  W_V *m X_K *m columns (@softmax R) ((W_K *m X_K)^T *m (W_Q *m X_Q)) *m W_O.

(** Self-attention is cross-attention of a sequence with itself. *)
Lemma attn_cross e p q N n (W_K W_Q : 'M_(p, e)) (W_V : 'M_(q, e)) (W_O : 'M_(N, n)) X :
  attn W_K W_Q W_V W_O X = cross_attn W_K W_Q W_V W_O X X.
Proof. by []. Qed.

(** The layer before it: a sum of linear maps, and a constant. *)
Definition linear r d n e N (A : 'I_r -> 'M[R]_(e, d)) (B : 'I_r -> 'M[R]_(n, N))
    (M : 'M[R]_(e, N)) (Z : 'M[R]_(d, n)) : 'M[R]_(e, N) :=
  \sum_i A i *m Z *m B i + M.

(** A sequence as a vector of all its entries. *)
Definition flat d n (Z : 'M[R]_(d, n)) (t : 'I_d * 'I_n) : R := Z t.1 t.2.

End Layers.
