(** * The contexts of Yun et al. (2020): sets of n different columns

    Every sequence of different columns is a permutation of exactly one [context A], where A is a
    set of n column ids; there are C(N^d, n) of them. For all d >= 1, n >= 2, N >= 2. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import columns layers grid selective_shift context_layers lemma_8.
Local Open Scope nat_scope.

Section Digits.

Variable N : nat.
Hypothesis N_gt0 : 0 < N.

(** The digit of m in base N at place i; place 0 is the last one. *)
Definition digit (m i : nat) := (m %/ N ^ i) %% N.

Lemma digit_lt m i : digit m i < N.
Proof. exact: ltn_pmod. Qed.

Lemma number_digits d m : m < N ^ d -> number N (fun i : 'I_d => digit m i) = m.
Proof.
elim: d m => [|d IHd] m m_lt; first by rewrite /number big_ord0; move: m_lt; case: m.
rewrite numberS /digit expn0 divn1.
have -> : number N (fun i : 'I_d => (m %/ N ^ lift ord0 i) %% N) = m %/ N.
  rewrite -[RHS]IHd; last by rewrite ltn_divLR // mulnC -expnS.
  by apply: eq_bigr => i _; rewrite /digit -divnMA -expnS.
by rewrite addnC mulnC -divn_eq.
Qed.

End Digits.

Section Contexts.

Local Open Scope ring_scope.
Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Implicit Types (L : 'M[R]_(d.+1, n)).

(** The contexts: sets of n column ids, numbers below D. *)
Definition column_sets := {A : {set 'I_D} | #|A| == n}.
Implicit Types (A : column_sets).

Lemma card_column_sets : #|{: column_sets}| = 'C(D, n).
Proof. by rewrite card_sig -[D in RHS]card_ord -card_draws cardsE. Qed.

(** The column ids of a set, in increasing order. *)
Definition ids_of A (j : 'I_n) : nat := nth 0%N [seq val x | x <- enum (val A)] j.

Lemma size_ids A : size [seq val x | x <- enum (val A)] = n.
Proof. by rewrite size_map -cardE (eqP (valP A)). Qed.

Lemma ids_of_mem A j : ids_of A j \in [seq val x | x <- enum (val A)].
Proof. by rewrite mem_nth // size_ids. Qed.

Lemma ids_of_onto A c : c \in [seq val x | x <- enum (val A)] -> exists j, ids_of A j = c.
Proof.
move=> c_A; have index_lt : (index c [seq val x | x <- enum (val A)] < n)%N.
  by rewrite -[X in (_ < X)%N](size_ids A) index_mem.
by exists (Ordinal index_lt); rewrite /ids_of nth_index.
Qed.

Lemma ids_of_lt A j : (ids_of A j < D)%N.
Proof. by have /mapP[x _ ->] := ids_of_mem A j; exact: (ltn_ord x). Qed.

Lemma ids_of_inj A : injective (ids_of A).
Proof.
move=> i j /eqP; rewrite nth_uniq ?size_ids // ?(map_inj_uniq val_inj) ?enum_uniq //.
by move/eqP/val_inj.
Qed.

(** The digits in base N of the ids in A: place i of the id number j. *)
Definition context_digits A (i : 'I_d.+1) (j : 'I_n) := digit N (ids_of A j) i.
(** A context as a sequence: its columns have the ids in A, in increasing order. *)
Definition context A : 'M[R]_(d.+1, n) :=
  \matrix_(i, j) (delta R N * ((context_digits A i j)%:Z)%:~R).

Lemma context_digits_lt A i j : (context_digits A i j < N)%N.
Proof. by rewrite digit_lt ?(ltnW N_gt1). Qed.

Lemma context_coordinates A : coordinates N (context A) (fun i j => (context_digits A i j)%:Z).
Proof. by move=> i j; rewrite mxE. Qed.

Lemma context_numbers A j : numbers N (context_digits A) j = ids_of A j.
Proof. by rewrite /numbers number_digits ?(ltnW N_gt1) ?ids_of_lt. Qed.

Lemma context_distinct A : distinct_grid N (context A).
Proof.
split=> [i j|]; last first.
  apply/(columns_distinct N_gt1 (context_digits_lt A) (context_coordinates A)) => i j.
  by rewrite !context_numbers => /ids_of_inj.
by exists (context_digits A i j); [exact: context_digits_lt | rewrite mxE mulrC].
Qed.

(** Every sequence of different columns is a permutation of a context, *)
Lemma context_of L : distinct_grid N L -> exists A (s : 'S_n), L = context A *m perm_mx s.
Proof.
move=> [L_box L_inj]; have [l [l_N L_l]] := box_coordinates L_box.
have l_inj : injective (numbers N l) by apply/(columns_distinct N_gt1 l_N L_l).
pose f j := Ordinal (numbers_lt l_N j); have f_inj : injective f by move=> i j [/l_inj].
have card_A : #|[set f j | j in 'I_n]| == n by rewrite card_imset // card_ord.
pose A : column_sets := exist (fun A : {set 'I_D} => #|A| == n) [set f j | j in 'I_n] card_A.
exists A; apply: (permutation (@context_digits_lt A) l_N (@context_coordinates A) L_l l_inj).
have numbers_A : injective (numbers N (context_digits A)).
  by move=> i j; rewrite !context_numbers => /ids_of_inj.
apply: uniq_perm => [||c]; [exact/injectiveP | exact/injectiveP |].
apply/codomP/codomP => [[j ->]|[j ->]].
  have := ids_of_mem A j; rewrite context_numbers => /mapP[x].
  by rewrite mem_enum => /imsetP[k _ ->] ->; exists k.
have : numbers N l j \in [seq val x | x <- enum (val A)].
  by apply/mapP; exists (f j); rewrite ?mem_enum ?imset_f.
by move/ids_of_onto => [k <-]; exists k; rewrite context_numbers.
Qed.

(** ... and of one only. *)
Lemma context_inj A A' (s : 'S_n) : context A' = context A *m perm_mx s -> A = A'.
Proof.
rewrite -[s]invgK -col_permE => same; move: (s^-1)%g same => {}s same.
have ids_s j : ids_of A' j = ids_of A (s j).
  rewrite -!context_numbers; apply: eq_bigr => i _; congr (_ * _)%N; apply/eqP; rewrite -eqz_nat.
  rewrite -(same_coordinates N_gt1 i i j (s j) (context_coordinates A') (context_coordinates A)).
  by rewrite same mxE.
have half (B B' : column_sets) (t : 'S_n) : (forall j, ids_of B' j = ids_of B (t j)) ->
    val B' \subset val B.
  move=> ids_t; apply/subsetP => x x_B'; have : val x \in [seq val y | y <- enum (val B')].
    by apply/mapP; exists x; rewrite ?mem_enum.
  move/ids_of_onto => [j]; rewrite ids_t => x_j.
  by have /mapP[y] := ids_of_mem B (t j); rewrite x_j mem_enum => y_B /val_inj ->.
apply/val_inj/eqP; rewrite eqEsubset (half _ _ s ids_s) andbT.
by apply: (half _ _ (s^-1)%g) => j; rewrite ids_s permKV.
Qed.

End Contexts.
