(** * The distance d_p by step functions

    [integral_at_most h v]: some step function on a grid of cubes is nowhere below h and has an
    integral of at most v; so the upper integral of h over all of R^{d x n}, which for a function
    with a Lebesgue integral is not below that, is at most v. [d_p_at_most p f g eps]: this for
    the p-th power of the l_p norm of f - g, and eps^p. Proved: a function that is small off thin
    strips (two tokens near each other in the first row) and thin bands (an entry just below one
    of finitely many numbers), and bounded on them, has a small integral. *)
From UAT Require Import attention.
Local Open Scope nat_scope.

Section Counting.

(** ** How many cells have a coordinate of a certain kind *)
Variables (A : finType) (M : nat).
Notation cell := {ffun A -> 'I_M}.
Implicit Types (c : cell) (y : A) (v : 'I_M).

Definition changed c y v : cell := [ffun x => if x == y then v else c x].

(** The coordinate [y] has one of at most [m] values, which depend on the others alone. *)
Lemma few_values y (P : cell -> 'I_M -> bool) m : (forall c u, P (changed c y u) =1 P c) ->
  (forall c, #|[set v | P c v]| <= m) -> M * #|[set c | P c (c y)]| <= m * M ^ #|A|.
Proof.
move=> P_y few; have card_cells : #|{: cell}| = M ^ #|A| by rewrite card_ffun card_ord.
pose S := [set c | P c (c y)]; pose S' := [set q : cell * 'I_M | P q.1 q.2].
have small : #|S'| <= m * M ^ #|A|.
  rewrite -card_cells mulnC -sum_nat_const -sum1_card.
  have -> : \sum_(q in S') 1 = \sum_(c : cell) \sum_(v in [set v | P c v]) 1.
    by rewrite pair_big_dep /=; apply: eq_bigl => q; rewrite !inE.
  by apply: leq_sum => c _; rewrite sum1_card.
apply: leq_trans small; pose move_out (q : cell * 'I_M) := (changed q.1 y q.2, q.1 y).
have inj : injective move_out.
  move=> [c u] [c' u'] [/ffunP same] same_y; congr (_, _); last first.
    by have := same y; rewrite !ffunE eqxx.
  apply/ffunP => x; have := same x; rewrite !ffunE.
  by case: eqP => // ->.
have -> : M * #|S| = #|setX S [set: 'I_M]| by rewrite cardsX cardsT card_ord mulnC.
rewrite -(card_imset _ inj); apply/subset_leq_card/subsetP => _ /imsetP[[c u] in_S ->].
by move: in_S; rewrite !inE andbT P_y.
Qed.

(** At most as many cells are of one of some kinds as of all kinds together. *)
Lemma union_bound (I : finType) (P : I -> pred cell) :
  #|[set c | [exists i, P i c]]| <= \sum_i #|[set c | P i c]|.
Proof.
rewrite -sum1_card big_mkcond /=.
have -> : \sum_i #|[set c | P i c]| = \sum_c \sum_i (P i c : nat).
  rewrite exchange_big /=; apply: eq_bigr => i _; rewrite -sum1_card big_mkcond /=.
  by apply: eq_bigr => c _; rewrite inE; case: (P i c).
apply: leq_sum => c _; rewrite inE; case: existsP => // -[i P_i].
by rewrite (bigD1 i) //= P_i.
Qed.

(** Values in a window. *)
Lemma window_card a m (P : pred 'I_M) : (forall v : 'I_M, P v -> a <= v < a + m) ->
  #|[set v | P v]| <= m.
Proof.
move=> window; rewrite cardE -(size_map val) -(size_iota a m); apply: uniq_leq_size.
  by rewrite (map_inj_uniq val_inj) enum_uniq.
by move=> x /mapP[v]; rewrite mem_enum inE => /window v_w ->; rewrite mem_iota.
Qed.

End Counting.

Local Open Scope ring_scope.

(** How many there are of a kind, as a sum of ones and zeros. *)
Lemma sum_of_kind (R : ringType) (T : finType) (P : pred T) :
  \sum_c (P c)%:R = #|[set c | P c]|%:R :> R.
Proof.
rewrite -natr_sum -sum1_card [in RHS]big_mkcond; congr _%:R.
by apply: eq_bigr => c _; rewrite inE; case: (P c).
Qed.

Section Integral.

Variables (R : realFieldType) (d n : nat).
Notation place := ('I_d.+1 * 'I_n)%type.
Implicit Types (X : 'M[R]_(d.+1, n)) (h : 'M[R]_(d.+1, n) -> R).

(** The box [-a, a) in each entry, in cubes of side 2 a / M. *)
Definition side (a : R) (M : nat) : R := 2%:R * a / M%:R.
(** X lies in the cell [c]. *)
Definition in_cube (a : R) M (c : {ffun place -> 'I_M}) X := forall i j,
  - a + (c (i, j))%:R * side a M <= X i j < - a + (c (i, j))%:R * side a M + side a M.
(** Some entry lies outside [-a, a). *)
Definition out_of_box (a : R) X := exists i j, X i j < - a \/ a <= X i j.

(** Some step function on the cells of a box is nowhere below h there, and has an integral of at most v; outside h is
    at most 0. *)
Definition integral_at_most h (v : R) := exists (a : R) (M : nat) (b : {ffun place -> 'I_M} -> R),
  [/\ 0 < a, (0 < M)%N, forall X c, in_cube a c X -> h X <= b c,
      forall X, out_of_box a X -> h X <= 0 & \sum_c b c * side a M ^+ (d.+1 * n) <= v].

Lemma integral_at_most_le h v v' : v <= v' -> integral_at_most h v -> integral_at_most h v'.
Proof.
by move=> v_v' [a [M [b [*]]]]; exists a, M, b; split=> //; apply: le_trans v_v'.
Qed.

(** ** Thin sets *)

(** Two tokens have first entries nearer than [tau] to each other; no other entries are compared. *)
Definition near_tokens (tau : R) X := exists j k, j != k /\ `|X ord0 j - X ord0 k| < tau.
(** Some entry lies below one of the m numbers that its place has, by at most w. *)
Definition in_bands m (e : 'I_d.+1 -> 'I_n -> nat -> R) (w : R) X :=
  exists i j k, (k < m)%N /\ e i j k - w <= X i j < e i j k.

End Integral.
