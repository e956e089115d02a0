(** * Yun et al. (2020), Definition E.1: what a contextual mapping is

    As printed, all ids of L and of L' are to differ whenever L and L' do. No permutation
    equivariant map can do that on a set that holds a sequence and another order of it: for all
    sizes, and so for every transformer without positions. In the form of the slides of the same
    source (ids need differ only for sequences that are no permutations of each other) the network
    of Lemma 8 is one, on the grid of sequences with different columns, for all d >= 1, n >= 2 and
    N >= 2. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid claim_1 lemma_8.

Section DefinitionE1.

Variables (R : realFieldType) (d n : nat).
Implicit Types (G : 'M[R]_(d, n) -> Prop) (q : 'M[R]_(d, n) -> 'M[R]_(1, n)).

(** Definition E.1, as printed: ids within a sequence differ, and so do all ids of two different sequences. *)
Definition contextual_as_printed G q :=
  (forall L, G L -> injective (q L ord0)) /\
  (forall L L' i j, G L -> G L' -> L <> L' -> q L ord0 i <> q L' ord0 j).

(** In the sense of the slides: ids of two sequences need differ only if these are no permutations of each other. *)
Definition contextual G q :=
  (forall L, G L -> injective (q L ord0)) /\
  (forall L L' i j, G L -> G L' -> (forall s : 'S_n, L' <> L *m perm_mx s) ->
    q L ord0 i <> q L' ord0 j).

Theorem definition_e1_as_printed_fails G q L (s : 'S_n) : equivariant q ->
  G L -> G (L *m perm_mx s) -> L *m perm_mx s <> L -> ~ contextual_as_printed G q.
Proof.
(* 1. If s moves nothing, then L s = L; so there is a token i. *)
move=> q_equi G_L G_Ls Ls_L [_ apart]; have [i _|none] := pickP (@predT 'I_n); last first.
  by apply: Ls_L; apply/matrixP => a k; have := none k.
(* 2. The id of token i in L is that of token s(i) in the other order. *)
apply: (apart L (L *m perm_mx s) i (s i)) => //; first by apply/nesym.
by rewrite q_equi mul_perm permK.
Qed.

End DefinitionE1.

Theorem definition_e1 (R : realFieldType) (N d n : nat) : (1 < N)%N -> (1 < n)%N ->
  exists (layers : seq (layer R d.+1 n)) (u : 'rV[R]_d.+1),
    every (@hardmax_layer R d.+1 n) layers /\
    contextual (@distinct_grid R N d.+1 n) (fun L => u *m network layers L).
Proof.
move=> N_gt1 n_gt1.
(* 1. The network of Lemma 8. [inj]: its Property 1, ids within a sequence differ; [perms]: Property 2, sequences that
   share an id are permutations of each other. *)
have [layers [_ hardmax_l _ [inj perms _ _]]] := lemma_8 R d N_gt1 n_gt1.
exists layers, (\row_i (N ^ i)%:R); do 2!split=> //.
(* 2. So if L' is no permutation of L, a shared id is impossible. *)
move=> L L' i j L_ok L'_ok no_perm same.
by have [s L'E] := perms L L' i j L_ok L'_ok same; apply: (no_perm s).
Qed.
