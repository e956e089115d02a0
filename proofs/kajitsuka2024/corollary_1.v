(** * Kajitsuka and Sato (2024), Corollary 1: one layer memorises, with few weights

    For any finite family of N sequences as in Theorem 2 and labels that are equal for equal tokens
    in equal contexts: one softmax head with W_V, W_K and W_Q of rank 1, and one feed-forward layer
    of ReLUs, both with their skip connections, send every sequence to its labels, exactly. For all
    n >= 1, d >= 1 and head sizes s >= 1. All weights together are at most
    4 (s + d) + d (2 n N + d) numbers: each of the four matrices of the head is a product of a
    column and a row, and the layer reads along one direction, with at most n N hidden units.

    Differs from the printed text: labels are any real vectors, not only whole numbers up to C. *)
From UAT Require Import transformers analysis.
From mathcomp Require Import mxalgebra.
From UAT.kajitsuka2024 Require Import definitions inner_product rank_one theorem_2 few_weights.

(** ** The network, and its weights *)

(** All numbers of a network of one layer: the matrices of the head are columns times rows, and the
    layer of ReLUs reads along one direction. *)
Record one_layer (R : realType) (d s : nat) := OneLayer {
  w_O : 'cV[R]_d; w_V : 'cV[R]_d; w_K : 'cV[R]_d; w_Q : 'cV[R]_d;
  u_O : 'cV[R]_s; u_V : 'cV[R]_s; u_K : 'cV[R]_s; u_Q : 'cV[R]_s;
  units : nat; along : 'cV[R]_d; biases : 'cV[R]_units; outputs : 'M[R]_(d, units) }.

(** How many numbers these are. *)
Definition count_weights R d s (g : one_layer R d s) : nat :=
  4 * (s + d) + (d + units g + d * units g).

(** The head whose matrices are these columns times these rows. *)
Definition head_of R d s (g : one_layer R d s) : head_weights R d :=
  HeadWeights (w_O g *m (u_O g)^T) (u_V g *m (w_V g)^T) (u_K g *m (w_K g)^T)
    (u_Q g *m (w_Q g)^T).

(** What the network does: one head of softmax, then a layer of ReLUs along one direction. *)
Definition apply_layer R d n s (g : one_layer R d.+1 s) (X : 'M[R]_(d.+1, n)) :=
  feed_forward (@relu R) (directed_layer (along g) (biases g) (outputs g))
    (attention (@softmax R) [:: head_of g] X).

(** The matrices of its head have rank 1. *)
Definition ranks_1 R d s (g : one_layer R d s) :=
  [/\ \rank (W_V (head_of g)) = 1%N, \rank (W_K (head_of g)) = 1%N &
      \rank (W_Q (head_of g)) = 1%N].

(** N n units are few enough. *)
Lemma few_enough (d s n N m : nat) : (0 < d)%N -> (m <= N * n)%N ->
  (4 * (s + d) + (d + m + d * m) <= 4 * (s + d) + d * (2 * n * N + d))%N.
Proof.
move=> d_gt0 m_nN; rewrite leq_add2l addnAC -addnA addnC mulnDr -mulnA [(n * N)%N]mulnC.
rewrite leq_add // ?leq_pmulr // mulnCA mul2n -addnn leq_add ?leq_mul //.
by rewrite (leq_trans m_nN) // leq_pmull.
Qed.

Section Corollary1.

Variables (R : realType) (d n : nat) (I : finType).
Variables (X Y : I -> 'M[R]_(d.+1, n.+1)).

(** The same token in the same context has the same label. *)
Definition consistent := forall i j k l, vocabulary (X i) =i vocabulary (X j) ->
  col k (X i) = col l (X j) -> col k (Y i) = col l (Y j).

(** What a contextual mapping tells apart, a layer of ReLUs can label. *)
Lemma label_ids (f : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)) (r delta : R) : 0 <= delta ->
  contextual X r delta f -> consistent ->
  exists m (a : 'cV[R]_d.+1) (b : 'cV[R]_m) (W : 'M[R]_(d.+1, m)), (m <= #|I| * n.+1)%N /\
  forall i, feed_forward (@relu R) (directed_layer a b W) (f (X i)) = Y i.
Proof.
move=> delta0 [_ apart] same_label.
(* 1. The ids, and the label of an id. *)
pose id (t : I * 'I_n.+1) := col t.2 (f (X t.1)).
pose label z := if [pick t | id t == z] is Some t then col t.2 (Y t.1) else 0.
(* 2. Tokens with the same id have the same label. *)
have labelE t : label (id t) = col t.2 (Y t.1).
  rewrite /label; case: pickP => [u /eqP same|none]; last by have := none t; rewrite eqxx.
  have not_apart : ~ (~ (vocabulary (X u.1) =i vocabulary (X t.1))
                      \/ col u.2 (X u.1) != col t.2 (X t.1)).
    move=> /apart; rewrite -/(id u) -/(id t) same subrr norm0.
    by rewrite ltNge delta0.
  apply: same_label; first by apply: contrapT => ne; apply: not_apart; left.
  by apply/eqP/negPn/negP => ne; apply: not_apart; right.
(* 3. Look them up. *)
pose zs := undup [seq id t | t <- enum {: I * 'I_n.+1}].
have [a [b [W layerE]]] := few_weights label (undup_uniq [seq id t | t <- enum {: I * 'I_n.+1}]).
exists (size zs), a, b, W; split=> [|i].
  by rewrite (leq_trans (size_undup _)) // size_map -cardE card_prod card_ord.
apply/matrixP => e k; have := layerE _ (f (X i)) k; rewrite -/(id (i, k)) labelE.
have -> : id (i, k) \in undup [seq id t | t <- enum {: I * 'I_n.+1}].
  by rewrite mem_undup map_f ?mem_enum.
by move=> /(_ isT)/colP/(_ e); rewrite !mxE.
Qed.

End Corollary1.

(** Corollary 1. *)
Theorem corollary_1 (R : realType) (d n s : nat) (I : finType) (X Y : I -> 'M[R]_(d.+1, n.+1))
    (r_min r_max eps : R) :
  0 < r_min -> 0 < eps -> separated X r_min r_max eps -> no_duplicates X -> consistent X Y ->
  exists g : one_layer R d.+1 s.+1,
  [/\ (count_weights g <= 4 * (s.+1 + d.+1) + d.+1 * (2 * n.+1 * #|I| + d.+1))%N, ranks_1 g &
      forall i, apply_layer g (X i) = Y i].
Proof.
(* 1. The head of Theorem 2 gives every token in every context an id. [ctx]: ids differ wherever tokens
   or contexts do, so an id has one label. *)
move=> r0 e0 sep nodup same_label.
have [v [w [beta [v0 b0 ctx]]]] := theorem_2_head s r0 e0 sep nodup.
(* 2. [layerE]: so a layer of ReLUs can look the labels up, with [m] units, as many as there are tokens
   in all sequences at most. *)
have [m [a [b [W [m_le layerE]]]]] := label_ids (printed_gap_ge0 _ _ _ _ _ r0) ctx same_label.
(* 3. Write all weights down, and count them. *)
pose e : 'cV[R]_s.+1 := unit_1 R s.
exists (OneLayer w v v v e e e (beta *: e) a b W); split=> //; first exact: few_enough.
exact: (@rank_one_ranks R d.+1 s v w beta).
Qed.
