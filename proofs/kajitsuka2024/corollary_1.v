(** * Kajitsuka and Sato (2024), Corollary 1: one layer memorises

    For any finite family of sequences as in Theorem 2 and labels that are equal for equal tokens in
    equal contexts: one softmax head with W_V, W_K and W_Q of rank 1, and one feed-forward layer of
    ReLUs, both with their skip connections, send every sequence to its labels, exactly. For all
    n >= 1, d >= 1 and head sizes s >= 1.

    Differs from the printed text: labels are any real vectors, not only whole numbers up to C. The
    number of weights is not counted (printed: at most 4 (s + d) + d (2 n N + d)); the layer of
    ReLUs here has three for each id. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix mxalgebra.
From mathcomp.classical Require Import boolp.
From mathcomp.analysis Require Import reals topology normedtype sequences exp.
From UAT Require Import transformers.
From UAT.kajitsuka2024 Require Import definitions inner_product theorem_2 label_network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Corollary1.

Variables (R : realType) (d n : nat) (I : finType).
Variables (X Y : I -> 'M[R]_(d.+1, n.+1)).

(** The same token in the same context has the same label. *)
Definition consistent := forall i j k l, vocabulary (X i) =i vocabulary (X j) ->
  col k (X i) = col l (X j) -> col k (Y i) = col l (Y j).

(** What a contextual mapping tells apart, a layer of ReLUs can label. *)
Lemma label_ids (q : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)) (r delta : R) : 0 <= delta ->
  contextual X r delta q -> consistent ->
  exists f : ff_weights R d.+1, forall i, feed_forward (@relu R) f (q (X i)) = Y i.
Proof.
move=> delta0 [_ apart] same_label.
(* 1. The ids, and the label of an id. *)
pose id (t : I * 'I_n.+1) := col t.2 (q (X t.1)).
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
have [f fE] := label_layer label (undup_uniq [seq id t | t <- enum {: I * 'I_n.+1}]).
exists f => i; apply/matrixP => e k.
have := fE _ (q (X i)) k; rewrite -/(id (i, k)) labelE.
have -> : id (i, k) \in undup [seq id t | t <- enum {: I * 'I_n.+1}].
  by rewrite mem_undup map_f ?mem_enum.
by move=> /(_ isT)/colP/(_ e); rewrite !mxE.
Qed.

End Corollary1.

Theorem corollary_1 (R : realType) (d n s : nat) (I : finType) (X Y : I -> 'M[R]_(d.+1, n.+1))
    (r_min r_max eps : R) :
  0 < r_min -> 0 < eps -> separated X r_min r_max eps -> no_duplicates X -> consistent X Y ->
  exists (w : head_weights R d.+1) (f : ff_weights R d.+1), [/\ size_v w = s.+1 /\ size_k w = s.+1,
    [/\ \rank (W_V w) = 1%N, \rank (W_K w) = 1%N & \rank (W_Q w) = 1%N] &
    forall i, feed_forward (@relu R) f (attention (@softmax R) [:: w] (X i)) = Y i].
Proof.
move=> r0 e0 sep nodup same_label.
(* 1. The head of Theorem 2 gives every token in every context an id. *)
have [w [sizes ranks ctx]] := theorem_2 s r0 e0 sep nodup.
(* 2. A layer of ReLUs looks up the labels. *)
have [f fE] := label_ids (printed_gap_ge0 _ _ _ _ _ r0) ctx same_label.
by exists w, f; split.
Qed.
