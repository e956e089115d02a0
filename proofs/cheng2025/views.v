(** * What a token can know: views (Cheng et al. 2025, Corollary 2, repaired)

    The view of a token before all layers is its value; after layer [r] it is the view before,
    and the set of the views of those that it hears. Two views are equal if the views before
    are, and if each view in one set is in the other: sets are equal if they have the same
    members, so [same_view] says this without nested sets. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers connected.

Section Views.

Variables (T : eqType) (n : nat) (N : nat -> pattern n).

(** After [m] layers token [i] of [x] and token [i'] of [y] have the same view: they had it before, and for whatever the
    one hears the other hears something with the same view. *)
Fixpoint same_view m (x y : 'I_n -> T) (i i' : 'I_n) : Prop :=
  if m is m'.+1 then
    [/\ same_view m' x y i i',
        forall j, j \in N m i -> exists2 j', j' \in N m i' & same_view m' x y j j' &
        forall j', j' \in N m i' -> exists2 j, j \in N m i & same_view m' x y j j']
  else x i = y i'.

Lemma same_view_value m x y i i' : same_view m x y i i' -> x i = y i'.
Proof. by elim: m i i' => //= m IH i i' [/IH]. Qed.

Lemma same_view_before m k x y i i' : (k <= m)%N -> same_view m x y i i' -> same_view k x y i i'.
Proof.
elim: m => [|m IH]; first by rewrite leqn0 => /eqP->.
by rewrite leq_eqVlt => /predU1P[->//|/IH before] [/before].
Qed.

End Views.

(** ** A permutation that nobody in reach notices *)

Section Fooled.

Variables (R : realFieldType) (k : kernel R) (n d : nat) (N : nat -> pattern n).
Variables (w : nat -> block_weights R d) (s : 'S_n).

Lemma heard_moved (P : pattern n) p v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) X Y i :
  (forall j, (j \in P i) = (s j \in P (s i))) ->
  (forall j, j \in P i -> col (s j) Y = col j X) -> col (s i) Y = col i X ->
  heard k P W_V W_K W_Q Y (s i) = heard k P W_V W_K W_Q X i.
Proof.
move=> kept same same_i; rewrite /heard same_i.
congr (_^-1 *: _); rewrite (reindex_inj (@perm_inj _ s)) /=.
  by apply: eq_big => j; rewrite -kept // => /same->.
by apply: eq_big => j; rewrite -kept // => /same->.
Qed.

(** If [s] keeps whom the tokens of [S r] hear in layer [r], and these are in [S (r - 1)], then
    for all kernels, all weights and all feed-forward layers the tokens of [S m] come out of
    [X] as they come out of [Y], in which [s] has moved them. No token need be distinct. *)
Theorem fooled_by_permutation m (S : nat -> {set 'I_n}) (X Y : 'M[R]_(d, n)) :
  (forall j, col (s j) Y = col j X) ->
  (forall r i, (r < m)%N -> i \in S r.+1 -> i \in S r /\ N r.+1 i \subset S r) ->
  (forall r i j, (r < m)%N -> i \in S r.+1 -> (j \in N r.+1 i) = (s j \in N r.+1 (s i))) ->
  forall i, i \in S m ->
  col (s i) (sparse_network k N w m Y) = col i (sparse_network k N w m X).
Proof.
move=> moved; elim: m => [|m IH] inside kept i i_in; first exact: moved.
have [i_before heard_before] := inside m i (ltnSn m) i_in.
have same j : j \in S m ->
    col (s j) (sparse_network k N w m Y) = col j (sparse_network k N w m X).
  apply: IH => r l ? *; [apply: inside | apply: kept] => //; exact: ltnW.
rewrite [in LHS]sparse_networkS [in RHS]sparse_networkS [LHS]col_block [RHS]col_block.
rewrite (same i i_before); congr (map_of _ (_ + _)).
apply: eq_bigr => h _; congr (_ *m _); apply: heard_moved => [j|j j_heard|].
- exact: kept.
- by apply: same; apply: (subsetP heard_before).
exact: same.
Qed.

End Fooled.
