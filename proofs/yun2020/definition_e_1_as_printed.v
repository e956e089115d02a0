(** * Yun et al. (2020), Definition E.1 as printed: the contextual mapping of Lemma 8 is none

    The definition asks that q(L) and q(L') share no entry for any two different L, L' of the set.
    The network of Lemma 8 follows permutations, so for every L of the grid of different columns the
    same sequence in another order shares all ids with it: the printed condition fails at every L,
    for all d >= 1, n >= 2, N >= 2 with n <= N^d (where there is an L at all). Repaired, as in the
    text before it and in the slides: for L, L' that are no permutations of each other (Lemma 8). *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint fingroup perm matrix.
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid claim_1 selective_shift context_layers lemma_8 contexts.
From UAT.yun2020 Require Import lemma_9.
From UAT.yun2020 Require value_layers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

(** Definition E.1, as printed, on a set of sequences. *)
Definition contextual_as_printed (R : realFieldType) d n (grid : 'M[R]_(d, n) -> Prop)
    (q : 'M[R]_(d, n) -> 'I_n -> R) :=
  (forall L, grid L -> injective (q L)) /\
  (forall L L', grid L -> grid L' -> L <> L' -> forall i j, q L i <> q L' j).

Section DefinitionE1.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation q := (@q R N d n).
Implicit Types (L : 'M[R]_(d.+1, n)).

Lemma col_perm_id L (s : 'S_n) j : col j (L *m perm_mx s) = col ((s^-1)%g j) L.
Proof. by apply/colP => i; rewrite !mxE -[RHS](mul_perm L s) mxE. Qed.

Lemma distinct_perm L (s : 'S_n) : distinct_grid N L -> distinct_grid N (L *m perm_mx s).
Proof.
move=> [L_box L_inj]; split=> [i j|i j]; first by rewrite mul_perm; apply: L_box.
by rewrite !col_perm_id => /L_inj/perm_inj.
Qed.

(** Ids follow permutations. *)
Lemma q_perm L (s : 'S_n) j : q (L *m perm_mx s) j = q L ((s^-1)%g j).
Proof.
rewrite /context_layers.q -(value_layers.id_col N (g_c N (L *m perm_mx s)) j) g_c_perm //.
by rewrite col_perm_id value_layers.id_col.
Qed.

Lemma fails_everywhere L : distinct_grid N L -> exists L' i j,
  [/\ distinct_grid N L', L <> L' & q L i = q L' j].
Proof.
move=> L_ok; pose j1 := Ordinal n_gt1; pose i0 := j0 n_gt1; pose s : 'S_n := tperm i0 j1.
exists (L *m perm_mx s), i0, j1; split; first exact: distinct_perm.
  move=> same; have := col_perm_id L s i0; rewrite -same tpermV tpermL.
  by move/L_ok.2.
by rewrite q_perm tpermV tpermR.
Qed.

Theorem definition_e_1_as_printed_fails : (n <= N ^ d.+1)%N ->
  ~ contextual_as_printed (@distinct_grid R N d.+1 n) q.
Proof.
move=> n_le [_ differ].
(* 1. There is a sequence of different columns. *)
have : (0 < #|{: column_sets N d n}|)%N by rewrite card_column_sets bin_gt0.
move/card_gt0P => [B _]; have L_ok := context_distinct R N_gt1 B.
(* 2. In another order it is another sequence with the same ids. *)
have [L' [i [j [L'_ok L_L' same]]]] := fails_everywhere L_ok.
exact: differ L_ok L'_ok L_L' i j same.
Qed.

End DefinitionE1.
