(** * Cheng et al. (2025), after Theorem 2: one layer of attention and one of ReLUs recall labels

    For any finite family of sequences, each of distinct tokens that are not 0, and any labels that
    are equal for equal tokens among the same tokens: one head of softmax attention with d x d
    matrices and W_O = 1, and one layer of ReLUs, both with their skip connections, send each
    sequence to its labels, exactly. For all d >= 1 and n. The kernel exp(x . y) only; as in
    Corollary 1 weights of the head may be as near as one likes to any, which is not said here. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.yun2020 Require Import layers claim_1.
From UAT.kajitsuka2024 Require Import few_weights.
From UAT.cheng2025 Require Import corollary_1_softmax.

Section Memorisation.

Variables (R : realType) (d n : nat) (I : finType) (X Y : I -> 'M[R]_(d.+1, n)).
Hypothesis X_inj : forall i, injective (fun j => col j (X i)).
Hypothesis X_neq0 : forall i k, col k (X i) != 0.

(** The list of tokens. *)
Definition token_list (Z : 'M[R]_(d.+1, n)) := [seq col j Z | j <- enum 'I_n].

(** The same token among the same tokens has the same label. *)
Definition consistent := forall i j k l, token_list (X i) =i token_list (X j) ->
  col k (X i) = col l (X j) -> col k (Y i) = col l (Y j).

(** Sequences of the same distinct tokens are the same up to order. *)
Lemma same_tokens_perm i j : token_list (X i) =i token_list (X j) ->
  exists s : 'S_n, X j = X i *m perm_mx s.
Proof.
move=> same; have find k : {l | col l (X i) = col k (X j)}.
  apply: cid; have : col k (X j) \in token_list (X i).
    by rewrite same; apply/mapP; exists k; rewrite ?mem_enum.
  by move=> /mapP[l _ ->]; exists l.
pose t k := sval (find k); have t_inj : injective t.
  move=> k k' eq_t; apply: (@X_inj j).
  by rewrite /= -(svalP (find k)) -(svalP (find k')) -!/(t _) eq_t.
exists ((perm t_inj)^-1)%g; apply/matrixP => r k; rewrite mul_perm invgK permE.
by have /colP/(_ r) := svalP (find k); rewrite !mxE.
Qed.

(** ** A head that tells apart all tokens of all sequences, unless the sets of tokens are equal *)
Section Ids.

Variable q : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis q_perm : forall Z (s : 'S_n), q (Z *m perm_mx s) = q Z *m perm_mx s.
Hypothesis apart : forall i j k l, ~ (token_list (X i) =i token_list (X j)) ->
  col k (q (X i)) != col l (q (X j)).
Hypothesis inj : forall i k l, k != l -> col k (q (X i)) != col l (q (X i)).

(** Equal ids belong to equal tokens among the same tokens. *)
Lemma same_id i j k l : col k (q (X i)) = col l (q (X j)) ->
  token_list (X i) =i token_list (X j) /\ col k (X i) = col l (X j).
Proof.
move=> same; have tokens_ij : token_list (X i) =i token_list (X j).
  by apply: contrapT => /(apart k l); rewrite same eqxx.
split=> //; have [s Xj] := same_tokens_perm tokens_ij.
have colE (A : 'M[R]_(d.+1, n)) : col l (A *m perm_mx s) = col ((s^-1)%g l) A.
  by apply/colP => r; rewrite mxE mul_perm mxE.
rewrite Xj colE; congr (col _ (X i)); apply/eqP; apply: contraT => kl.
by have := inj i kl; rewrite same Xj q_perm colE eqxx.
Qed.

(** The id of a token of a sequence. *)
Notation id := (fun t : I * 'I_n => col t.2 (q (X t.1))).

(** If the same tokens among the same have the same labels, then some function of ids gives each token its label. *)
Lemma label_of_id : consistent -> exists label, forall t, label (id t) = col t.2 (Y t.1).
Proof.
move=> same_label.
exists (fun z => if [pick t | id t == z] is Some t then col t.2 (Y t.1) else 0) => t.
case: pickP => [u /eqP/same_id[same_u col_u]|none]; first exact: same_label same_u col_u.
by have := none t; rewrite eqxx.
Qed.

End Ids.

Theorem memorisation : consistent ->
  exists (W_V W_K W_Q : 'M[R]_d.+1) (f : ff_weights R d.+1), forall i,
    feed_forward (@relu R) f (attention (@softmax R) [:: HeadWeights 1%:M W_V W_K W_Q] (X i)) = Y i.
Proof.
(* 1. A softmax layer that gives tokens ids: [apart], different ones in sequences with different sets of tokens, and
   [inj], within a sequence; by Corollary 1. *)
move=> same_label; pose different i j := `[< ~ (token_list (X i) =i token_list (X j)) >].
have differentP i j : different i j -> ~ (token_list (X i) =i token_list (X j)) by move/asboolP.
have [theta [_ [apart inj]]] := corollary_1_softmax X_inj X_neq0 differentP (fun=> 0) (@ltr01 R).
have [W_V [W_K [W_Q headE]]] : exists W_V W_K W_Q : 'M[R]_d.+1, forall Z : 'M[R]_(d.+1, n),
    softmax_mixer Z theta = head (@softmax R) W_V W_K W_Q Z.
  by do 3!eexists; move=> Z; rewrite /softmax_mixer; reflexivity.
exists W_V, W_K, W_Q; pose q := attention (@softmax R) [:: HeadWeights 1%:M W_V W_K W_Q] (n := n).
have qE i : q (X i) = X i + softmax_mixer (X i) theta by rewrite headE /q /attention big_seq1 mul1mx.
have q_perm Z s : q (Z *m perm_mx s) = q Z *m perm_mx s.
  by rewrite /q -!attention_without_bias (attention_equivariant (@softmax_symmetric R)).
(* 2. [labelE]: so an id has a label, which a layer of ReLUs looks up. *)
have [label labelE] : exists label, forall t : I * 'I_n, label (col t.2 (q (X t.1))) = col t.2 (Y t.1).
  apply: label_of_id q_perm _ _ same_label => [i j k l ij|i k l kl]; rewrite !qE.
    by apply: apart; apply/asboolP.
  exact: inj.
have [a [b [W fE]]] :=
  few_weights label (undup_uniq [seq col t.2 (q (X t.1)) | t <- enum {: I * 'I_n}]).
exists (directed_layer a b W) => i; apply/matrixP => r k; have := fE _ (q (X i)) k.
rewrite (labelE (i, k)) mem_undup (map_f (fun t : I * 'I_n => col t.2 (q (X t.1))) (x := (i, k))) ?mem_enum //.
by move=> /(_ isT)/colP/(_ r); rewrite !mxE.
Qed.

End Memorisation.
