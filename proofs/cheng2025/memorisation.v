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

Theorem memorisation : consistent ->
  exists (W_V W_K W_Q : 'M[R]_d.+1) (f : ff_weights R d.+1), forall i,
    feed_forward (@relu R) f (attention (@softmax R) [:: HeadWeights 1%:M W_V W_K W_Q] (X i)) = Y i.
Proof.
(* 1. A head that tells apart all tokens of all sequences, unless the sets of tokens are equal. *)
move=> same_label; pose different i j := `[< ~ (token_list (X i) =i token_list (X j)) >].
have differentP i j : different i j -> ~ (token_list (X i) =i token_list (X j)) by move/asboolP.
have [theta [_ [apart inj]]] :=
  corollary_1_softmax X_inj X_neq0 differentP (fun=> 0) (@ltr01 R).
have [W_V [W_K [W_Q headE]]] : exists W_V W_K W_Q : 'M[R]_d.+1, forall Z : 'M[R]_(d.+1, n),
    softmax_mixer Z theta = head (@softmax R) W_V W_K W_Q Z.
  by do 3!eexists; move=> Z; rewrite /softmax_mixer; reflexivity.
exists W_V, W_K, W_Q; pose q := attention (@softmax R) [:: HeadWeights 1%:M W_V W_K W_Q] (n := n).
have qE i : X i + softmax_mixer (X i) theta = q (X i).
  by rewrite headE /q /attention big_seq1 mul1mx.
(* 2. Equal ids belong to equal tokens among the same tokens. *)
have ids i j k l : col k (q (X i)) = col l (q (X j)) ->
    token_list (X i) =i token_list (X j) /\ col k (X i) = col l (X j).
  move=> same; have tokens_ij : token_list (X i) =i token_list (X j).
    apply: contrapT => /asboolP ij; have := apart i j k l ij.
    by rewrite !qE same eqxx.
  split=> //; have [s Xj] := same_tokens_perm tokens_ij.
  have q_s : q (X j) = q (X i) *m perm_mx s.
    rewrite Xj /q -!attention_without_bias.
    exact: (attention_equivariant (sigma := @softmax R) (@softmax_symmetric R)).
  have colE (A : 'M[R]_(d.+1, n)) : col l (A *m perm_mx s) = col ((s^-1)%g l) A.
    by apply/colP => r; rewrite mxE mul_perm mxE.
  rewrite Xj colE; congr (col _ (X i)); apply/eqP; apply: contraT => kl.
  by have := inj i k _ kl; rewrite !qE same q_s colE eqxx.
(* 3. So an id has a label, which a layer of ReLUs looks up. *)
pose id (t : I * 'I_n) := col t.2 (q (X t.1)).
pose label z := if [pick t | id t == z] is Some t then col t.2 (Y t.1) else 0.
have labelE t : label (id t) = col t.2 (Y t.1).
  rewrite /label; case: pickP => [u /eqP/ids[same_u col_u]|none]; last first.
    by have := none t; rewrite eqxx.
  exact: same_label same_u col_u.
have [a [b [W fE]]] := few_weights label (undup_uniq [seq id t | t <- enum {: I * 'I_n}]).
exists (directed_layer a b W) => i; apply/matrixP => r k; have := fE _ (q (X i)) k; rewrite -/(id (i, k)) labelE.
have -> : id (i, k) \in undup [seq id t | t <- enum {: I * 'I_n}].
  by rewrite mem_undup map_f ?mem_enum.
by move=> /(_ isT)/colP/(_ r); rewrite !mxE.
Qed.

End Memorisation.
