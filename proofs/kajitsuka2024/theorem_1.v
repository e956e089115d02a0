(** * Kajitsuka and Sato (2024), Theorem 1, repaired

    A layer of hardmax attention, with any number of heads of any sizes, is not a contextual
    mapping, for any r and any delta >= 0, not even for sequences without duplicate tokens.
    For all n >= 4 and d >= 1.

    Differs from the printed text: (1) n >= 4 is asked for. The printed theorem names no n; for
    n = 2 one head is a contextual mapping. (2) The pair of sequences is another one. That of the
    printed proof is told apart: see theorem_1_printed_pair.v. Here the tokens are
    (1, 2, 5, 6, 7, ..., n + 2) a and (1, 3, 4, 6, 7, ..., n + 2) a, for any vector a.
    (3) Largest scores that tie share the weight, as in the paper's own definition of hardmax. *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import definitions hardmax_line.

(** The factors of one context of [n = m + 4] tokens: 1, 2, 5, 6, 7, ..., n + 2. *)
Definition one_context m (j : 'I_m.+4) : nat :=
  match val j with 0 => 1 | 1 => 2 | 2 => 5 | i => i.+3 end.
(** The factors of the other context: 1, 3, 4, 6, 7, ..., n + 2. *)
Definition other_context m (j : 'I_m.+4) : nat :=
  match val j with 0 => 1 | 1 => 3 | 2 => 4 | i => i.+3 end.

(** No factor occurs twice in a context. *)
Lemma injective_contexts m : injective (@one_context m) /\ injective (@other_context m).
Proof.
split=> i j eq_ij; apply: val_inj; move: eq_ij; rewrite /one_context /other_context;
  by case: (val i) => [|[|[|?]]]; case: (val j) => [|[|[|?]]] //=; lia.
Qed.

Section Pair.

Variables (R : realFieldType) (d m : nat) (a : 'cV[R]_d).

(** The two sequences: the multiples of [a] by 1, 2, 5, 6, ..., n + 2, and by 1, 3, 4, 6, ..., n + 2. *)
Definition pair (second : bool) : 'M[R]_(d, m.+4) :=
  multiples (fun j => (if second then other_context j else one_context j)%:R) a.

(** The heart of it, for every field: tokens that are in both are given the same value. *)
Theorem pair_alike heads (k k' : 'I_m.+4) : one_context k = other_context k' ->
  col k (attention (@hardmax R) heads (pair false))
  = col k' (attention (@hardmax R) heads (pair true)).
Proof.
(* 1. All tokens are multiples of [a]. So the scores that a token gives are the factors, all times one number, which
   depends on the head and on the factor of the token that listens. If this number is positive, the largest factor has
   the highest score, and a head hears it alone. If it is negative, a head hears the smallest. If it is 0, all scores
   tie, and a head hears the mean. There is nothing else to hear. *)
move=> same_k; rewrite /pair /=.
apply: (@attention_alike _ _ _ _ _ a heads ord0 ord_max ord0 ord_max) => //.
(* 2. Both sequences have the smallest factor 1 and the largest n + 2. *)
- move=> [[|[|[|i]]] i_lt]; rewrite !ler_nat /one_context /=; lia.
- move=> [[|[|[|i]]] i_lt]; rewrite !ler_nat /other_context /=; lia.
(* 3. Their factors have the same sum, since 2 + 5 = 3 + 4, and so the same mean. *)
- by rewrite -!natr_sum; congr (_%:R); rewrite !big_ord_recl.
by rewrite same_k.
Qed.

End Pair.

Section Theorem1.

Variables (R : rcfType) (m : nat).

(** The second token of the one context is not in the other. *)
Lemma pair_differs d (a : 'cV[R]_d) : a != 0 ->
  ~ vocabulary (pair m a false) =i vocabulary (pair m a true).
Proof.
pose two : 'I_m.+4 := Ordinal (isT : (1 < m.+4)%N); move=> a_ne0 same.
have : col two (pair m a false) \in vocabulary (pair m a false).
  by apply/mapP; exists two; rewrite ?mem_enum.
rewrite same => /mapP[k _]; rewrite /pair !multiplesE => /eqP.
rewrite -subr_eq0 -scalerBl scaler_eq0 (negPf a_ne0) orbF subr_eq0 eqr_nat /one_context.
by case: k => -[|[|[|i]]] i_lt.
Qed.

(** No token occurs twice in a sequence, if [a] is not 0. *)
Lemma pair_no_duplicates d (a : 'cV[R]_d) : a != 0 -> no_duplicates (pair m a).
Proof.
move=> a_ne0 second k l /=; rewrite /pair !multiplesE => /eqP.
rewrite -subr_eq0 -scalerBl scaler_eq0 (negPf a_ne0) orbF subr_eq0 eqr_nat => /eqP.
by case: second; [apply: (proj2 (injective_contexts m)) | apply: (proj1 (injective_contexts m))].
Qed.

(** Equal vectors are not more than delta apart. *)
Lemma no_gap d (x y : 'cV[R]_d) (delta : R) : 0 <= delta -> x = y -> ~ (delta < norm (x - y)).
Proof.
move=> delta_ge0 ->; rewrite subrr /norm /dot big1 => [|i _]; last by rewrite mxE mul0r.
by rewrite sqrtr0 ltNge delta_ge0.
Qed.

(** Theorem 1: two sequences defeat all layers. *)
Theorem theorem_1_repaired d : exists X : bool -> 'M[R]_(d.+1, m.+4), no_duplicates X /\
  forall (heads : seq (head_weights R d.+1)) (r delta : R), 0 <= delta ->
  ~ contextual X r delta (attention (@hardmax R) heads).
Proof.
(* 1. There are n = m + 4 tokens, all multiples of one vector that is not 0. Any such vector [a] will do; here it is
   [const_mx 1], all of whose entries are 1. The factors of the first sequence, [X false], are 1, 2, 5, 6, ..., n + 2,
   those of the second, [X true], 1, 3, 4, 6, ..., n + 2. So no token occurs twice in a sequence. *)
have a_ne0 : (const_mx 1 : 'cV[R]_d.+1) != 0.
  by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0.
pose X := pair m (const_mx 1 : 'cV[R]_d.+1); exists X; split; first exact: pair_no_duplicates.
(* 2. Suppose that some layer were a contextual mapping. The first token is the same in both sequences, but their tokens
   are not all the same, as the factor 2 is in the first alone; so it would get two values. [apart]: where tokens or
   contexts differ, values are more than delta apart. [two]: the two values of the first token are more than delta
   apart. *)
move=> heads r delta delta_ge0 [_ apart].
have two := apart false true ord0 ord0 (or_introl (pair_differs a_ne0)).
(* 3. But it gets one value: smallest, largest and mean factor are the same in both, and there is nothing else to hear.
   [one]: the first token has the same value in both. *)
have one := @pair_alike R _ m (const_mx 1) heads ord0 ord0 (erefl _); rewrite -/X in one.
exact: (no_gap delta_ge0 one two).
Qed.

End Theorem1.
