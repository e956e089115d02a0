(** * Layers of Yun et al. (2020) that the shared definitions do not have

    The construction in the paper subtracts a threshold from the queries; its equation (1) prints
    no such bias. Here is attention with a bias on the queries, the layers of [transformers.v]
    being those with bias 0. And the set Phi of activations: three straight pieces, one of them
    constant. *)
From UAT Require Import attention.

Section Layers.

Variable R : realFieldType.

(** ** Attention with a bias on the queries *)

(** A head: W_V X sigma((W_K X)^T (W_Q X + b_Q 1^T)). *)
Definition head_with_bias (sigma : scoring R) d p v n (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d))
    (b_Q : 'cV[R]_p) (X : 'M[R]_(d, n)) : 'M[R]_(v, n) :=
  W_V *m X *m columns sigma ((W_K *m X)^T *m (W_Q *m X + bias n b_Q)).

(** The weights of a head, and a bias for its queries. *)
Record biased_head d := BiasedHead {
  weights : head_weights R d;
  b_Q : 'cV[R]_(size_k weights) }.

(** Attention whose heads have such biases. *)
Definition attention_with_bias (sigma : scoring R) d n (heads : seq (biased_head d))
    (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + \sum_(h <- heads) W_O (weights h) *m
    head_with_bias sigma (W_V (weights h)) (W_K (weights h)) (W_Q (weights h)) (b_Q h) X.

(** Attention whose biases are all 0 is that of the shared definitions. *)
Lemma attention_without_bias (sigma : scoring R) d n (heads : seq (head_weights R d))
    (X : 'M[R]_(d, n)) :
  attention_with_bias sigma [seq BiasedHead (0 : 'cV_(size_k w)) | w <- heads] X =
  attention sigma heads X.
Proof.
rewrite /attention_with_bias /attention big_map; congr (_ + _); apply: eq_bigr => w _.
congr (_ *m (_ *m columns _ (_ *m _))); apply/matrixP => i k; by rewrite !mxE addr0.
Qed.

(** ** Three pieces *)

(** A function of three pieces, a line each: below a, from a to b, and from b on. At a and b the piece on the right
    counts, so that jumps are where the paper has them. *)
Definition three_piece (a b s1 c1 s2 c2 s3 c3 t : R) : R :=
  if t < a then s1 * t + c1 else if t < b then s2 * t + c2 else s3 * t + c3.

(** The set Phi of the paper. *)
Definition Phi (phi : R -> R) := exists a b s1 c1 s2 c2 s3 c3,
  [/\ a <= b, (s1 == 0) || (s2 == 0) || (s3 == 0) &
      forall t, phi t = three_piece a b s1 c1 s2 c2 s3 c3 t].

(** A feed-forward layer with one hidden unit: Z -> Z + w phi(v Z - b), where v is a row. *)
Definition unit_weights d (v : 'rV[R]_d) (b : R) (w : 'cV[R]_d) : ff_weights R d :=
  FeedForwardWeights v (const_mx (- b) : 'cV_1) w 0.

Lemma unit_layerE phi d n v b w (Z : 'M[R]_(d, n)) i k :
  feed_forward phi (unit_weights v b w) Z i k = Z i k + w i ord0 * phi ((v *m Z) ord0 k - b).
Proof. by rewrite /feed_forward !mxE big_ord_recl big_ord0 !mxE !addr0. Qed.

(** A feed-forward layer with one hidden unit and an activation of Phi. *)
Definition phi_layer d n (f : layer R d n) := exists phi v b w,
  Phi phi /\ f = feed_forward phi (unit_weights v b w).

(** ** Networks *)

(** All layers of a list are of a kind. *)
Fixpoint every (A : Type) (P : A -> Prop) (l : seq A) : Prop :=
  if l is a :: l' then P a /\ every P l' else True.

(** If one kind is part of another, then layers all of the first kind are all of the second. *)
Lemma every_impl (A : Type) (P Q : A -> Prop) (l : seq A) :
  (forall a, P a -> Q a) -> every P l -> every Q l.
Proof. by move=> PQ; elim: l => //= a l IHl [Pa Pl]; split; [exact: PQ | exact: IHl]. Qed.

(** Two lists of layers of one kind make a list of that kind. *)
Lemma every_cat (A : Type) (P : A -> Prop) (k l : seq A) :
  every P k -> every P l -> every P (k ++ l).
Proof. by elim: k => //= a k IHk [Pa Pk] Pl; split; last exact: IHk. Qed.

Lemma every_map (A : eqType) (B : Type) (P : B -> Prop) (f : A -> B) (l : seq A) :
  (forall a, a \in l -> P (f a)) -> every P (map f l).
Proof.
elim: l => //= a l IHl Pf; split; first by apply: Pf; rewrite mem_head.
by apply: IHl => b b_l; apply: Pf; rewrite in_cons b_l orbT.
Qed.

(** The network of two lists, one after the other, is the second network on what the first one makes. *)
Lemma network_cat d n (k l : seq (layer R d n)) X : network (k ++ l) X = network l (network k X).
Proof. by elim: k X => //= f k IHk X. Qed.

End Layers.
