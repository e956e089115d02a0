(** * Proposition 1 of Kajitsuka and Sato (2024): how many ids there are

    With D = N^d different tokens, n.+1 of them in a sequence, there are at most D C(D + n - 1, n)
    ids: a token, and n others in any order. For all N >= 1, d >= 1 and n >= 0. *)
From UAT Require Import preamble.
From mathcomp.analysis Require Import reals.
From UAT.yun2020 Require Import columns.
From UAT.kajitsuka2024 Require Import multisets pattern_ids.
Local Open Scope nat_scope.

(** What depends on F has no more values than F. *)
Lemma undup_factor (S T U : eqType) (F : S -> T) (g : S -> U) (s : seq S) :
  (forall x y, F x = F y -> g x = g y) -> size (undup (map g s)) <= size (undup (map F s)).
Proof.
move=> factor; elim: s => //= x s IHs; case: ifP => [_|new].
  by case: ifP => // _; apply: leqW.
rewrite ifN //=; apply: contraFN new => /mapP[y y_s same].
by apply/mapP; exists y => //; apply: factor.
Qed.

Section Count.

Variables (R : realType) (d n N : nat) (z : R).
Hypothesis N_gt0 : (0 < N)%N.
Local Notation pattern := (pattern d n N).
Implicit Types (T : pattern) (k : 'I_n.+1).

Definition token := {ffun 'I_d.+1 -> 'I_N}.
Definition token_of T k : token := [ffun i => T (i, k)].
Definition others T k : seq token := [seq token_of T j | j <- enum 'I_n.+1 & j != k].

(** There are n others. *)
Lemma size_others T k : size (others T k) = n.
Proof.
rewrite size_map size_filter; have := count_predC (pred1 k) (enum 'I_n.+1).
by rewrite count_uniq_mem ?enum_uniq // mem_enum size_enum_ord add1n => -[].
Qed.

Definition token_reading (t : token) : nat := number N.+1 (fun i => (t i).+1).

(** A reading depends on the token alone. *)
Lemma readingE T k : reading T k = token_reading (token_of T k).
Proof. by apply: eq_bigr => i _; rewrite ffunE. Qed.

(** An id depends on the token and the others, in any order. *)
Lemma same_id T T' k k' : token_of T k = token_of T' k' -> perm_eq (others T k) (others T' k') ->
  id z T k = id z T' k'.
Proof.
move=> same perm; have same_k : reading T k = reading T' k' by rewrite !readingE same.
have sums (F : nat -> R) : (\sum_j F (reading T j) = \sum_j F (reading T' j))%R.
  have asList S l : (\sum_(j | j != l) F (reading S j)
      = \sum_(t <- others S l) F (token_reading t))%R.
    by rewrite big_map big_filter big_enum_cond; apply: eq_bigr => j _; rewrite readingE.
  by rewrite (bigD1 k) //= [RHS](bigD1 k') //= same_k !asList (perm_big _ perm).
rewrite /id /hears same_k; congr (_ + _ * (_ / _))%R.
  exact: (sums (fun m => z ^+ (reading T' k' * m) * m%:R)%R).
exact: (sums (fun m => z ^+ (reading T' k' * m))%R).
Qed.

Notation D := (N ^ d.+1).

(** There are N^d tokens. *)
Lemma card_token : #|{: token}| = D.-1.+1.
Proof. by rewrite card_ffun !card_ord prednK // expn_gt0 N_gt0. Qed.

Definition code (t : token) : 'I_D.-1.+1 := cast_ord card_token (enum_rank t).

(** Different tokens have different numbers. *)
Lemma code_inj : injective code.
Proof. by move=> t u /cast_ord_inj/enum_rank_inj. Qed.

Definition sorted_others T k := sort (fun x y : 'I_D.-1.+1 => x <= y) (map code (others T k)).

(** In order, they are still n. *)
Lemma size_sorted T k : size (sorted_others T k) == n.
Proof. by rewrite size_sort size_map size_others. Qed.

(** There are at most as many ids as tokens, times multisets of n others. *)
Theorem count_ids :
  size (undup [seq id z t.1 t.2 | t <- enum {: pattern * 'I_n.+1}]) <= D * 'C(n + D.-1, n).
Proof.
pose F (t : pattern * 'I_n.+1) : token * n.-tuple 'I_D.-1.+1 :=
  (token_of t.1 t.2, Tuple (size_sorted t.1 t.2)).
(* 1. The id is known from the token and the others in order. *)
apply: (leq_trans (undup_factor (F := F) _ _)) => [[T k] [T' k'] /= [same sorts]|].
  apply: same_id => //; apply: (perm_map_inj code_inj).
  rewrite -(perm_sort (fun x y : 'I_D.-1.+1 => x <= y)) -/(sorted_others T k) sorts.
  by rewrite /sorted_others perm_sort.
(* 2. There are so many of these. *)
pose A := setX [set: token] [set t : n.-tuple 'I_D.-1.+1 | sorted leq (map val t)].
have <- : #|A| = D * 'C(n + D.-1, n).
  by rewrite cardsX cardsT card_token card_sorted_tuples prednK // expn_gt0 N_gt0.
rewrite -(card_uniqP (undup_uniq _)); apply/subset_leq_card/subsetP => t.
rewrite mem_undup => /mapP[[T k] _ ->]; rewrite !inE /= sorted_map.
by apply: sort_sorted => x y; apply: leq_total.
Qed.

End Count.
