(** * Kajitsuka and Sato (2024), Lemma 1 (repaired)

    Vectors of n entries, all of size less than r, different ones (of one vector or of two) more
    than delta > 2 log n + 3 apart, none twice in a vector. Their values are at most r in size,
    and more than (log n)^2 exp(-2 r) apart for vectors that do not have the same set of entries.
    For all n >= 1 and families of any size.

    Differs from the printed text, which promises the gap for all vectors that are different: that
    is false, see lemma_1_as_printed.v. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference.

Section Common.

Variables (R : realType) (J : finType).

(** What is larger than x in both vectors is the same, in some order. *)
Lemma common_sum (a b : J -> R) x : injective a -> injective b ->
  (forall j, x < a j -> a j \in codom b) -> (forall j, x < b j -> b j \in codom a) ->
  forall F : R -> R, \sum_(j | x < b j) F (b j) = \sum_(j | x < a j) F (a j).
Proof.
move=> inj_a inj_b in_b in_a F.
have asList (c : J -> R) : \sum_(j | x < c j) F (c j)
    = \sum_(t <- [seq c j | j <- index_enum J & x < c j]) F t by rewrite big_map big_filter.
rewrite (asList a) (asList b).
apply: perm_big; apply: uniq_perm => [||t].
- by rewrite map_inj_uniq // filter_uniq // index_enum_uniq.
- by rewrite map_inj_uniq // filter_uniq // index_enum_uniq.
apply/mapP/mapP => -[j]; rewrite mem_filter => /andP[lt _] ->.
  by have /codomP[l eq_l] := in_a j lt; exists l; rewrite // mem_filter -eq_l lt mem_index_enum.
by have /codomP[l eq_l] := in_b j lt; exists l; rewrite // mem_filter -eq_l lt mem_index_enum.
Qed.

(** If all entries of b were larger than x, they would be entries of a other than x: too few. *)
Lemma some_below (a b : J -> R) i : injective b -> a i \notin codom b ->
  (forall j, a i < b j -> b j \in codom a) -> exists j, b j <= a i.
Proof.
move=> inj_b not_in in_a; apply/existsP; apply: contraNT not_in => /existsPn all_above.
have fP j : exists l, b j == a l.
  have /in_a/codomP[l ->] : a i < b j by rewrite ltNge all_above.
  by exists l.
pose f j := xchoose (fP j); have fE j : b j = a (f j) by apply/eqP/(xchooseP (fP j)).
have inj_f : injective f by move=> j l eq_f; apply: inj_b; rewrite !fE eq_f.
have [g _ fK] := injF_bij inj_f; rewrite -(fK i) -fE; exact: codom_f.
Qed.

End Common.

Section Separates.

Variables (R : realType) (J : finType) (r delta : R).
Notation L := (ln #|J|%:R : R).
Hypothesis wide : 2%:R * L + 3%:R <= delta.

(** All entries are smaller than r in size. *)
Definition bounded (a : J -> R) := forall j, `|a j| < r.
(** An entry of a and one of b are the same number, or more than delta apart. *)
Definition apart (a b : J -> R) := forall j l, a j != b l -> delta < `|a j - b l|.

(** The largest number that only one of them has belongs to a: the book's two cases. *)
Lemma separates_at (a b : J -> R) i : injective a -> injective b -> bounded a -> bounded b ->
  apart a a -> apart a b -> a i \notin codom b ->
  (forall j, a i < a j -> a j \in codom b) -> (forall j, a i < b j -> b j \in codom a) ->
  L ^+ 2 * expR (- (2%:R * r)) < `|boltz a - boltz b|.
Proof.
move=> inj_a inj_b a_r b_r apart_a apart_ab not_in in_b in_a.
have b_ne j : a i != b j by apply: contraNneq not_in => ->; exact: codom_f.
(* 1. Let y be the largest entry of b that is below x. *)
have [j0 j0_low] := some_below inj_b not_in in_a.
have [k k_low k_max] := @arg_maxP _ _ _ j0 (fun j => b j <= a i) b j0_low.
have step : delta < a i - b k.
  by have := apart_ab i k (b_ne k); rewrite ger0_norm // subr_ge0.
(* 2. All entries are at most r, and y is at least -r. *)
have below_r (c : J -> R) : bounded c -> forall j, c j <= r.
  by move=> c_r j; have := c_r j; rewrite ltr_norml => /andP[_ /ltW].
have gap : L ^+ 2 * expR (- (2%:R * r)) <= L ^+ 2 * expR (b k - r).
  by rewrite ler_wpmul2l ?sqr_ge0 // ler_expR; have := b_r k; rewrite ltr_norml => /andP[? _]; lra.
(* 3. The first difference decides. *)
apply: le_lt_trans gap _; apply: (first_difference wide step (erefl (a i))).
- exact: common_sum.
- by move=> j lt; have := apart_a j i; rewrite gt_eqF // => /(_ isT); rewrite gtr0_norm ?subr_gt0.
- by move=> j; apply: k_max.
- exact: below_r.
exact: below_r.
Qed.

(** The gap of Lemma 1. *)
Theorem separates (a b : J -> R) : injective a -> injective b -> bounded a -> bounded b ->
  apart a a -> apart b b -> apart a b -> ~ (codom a =i codom b) ->
  L ^+ 2 * expR (- (2%:R * r)) < `|boltz a - boltz b|.
Proof.
move=> inj_a inj_b a_r b_r apart_a apart_b apart_ab ne.
have apart_ba : apart b a by move=> j l; rewrite eq_sym distrC; apply: apart_ab.
(* 1. All entries of both vectors, and those that the other does not have. *)
pose entry (s : bool * J) := if s.1 then a s.2 else b s.2.
pose alone s := entry s \notin (if s.1 then codom b else codom a).
have [s0 s0_alone|none] := pickP alone; last first.
  case: ne => t; apply/idP/idP => /codomP[j ->].
    by have := none (true, j) => /negbFE.
  by have := none (false, j) => /negbFE.
(* 2. Take the largest of these. *)
have [[[] i] /= i_alone i_max] := @arg_maxP _ _ _ s0 alone entry s0_alone.
  apply: (separates_at (i := i)) => // j lt; apply/negPn/negP => out.
    by have := i_max (true, j) out; rewrite leNgt lt.
  by have := i_max (false, j) out; rewrite leNgt lt.
rewrite distrC; apply: (separates_at (i := i)) => // j lt; apply/negPn/negP => out.
  by have := i_max (false, j) out; rewrite leNgt lt.
by have := i_max (true, j) out; rewrite leNgt lt.
Qed.

End Separates.

(** Lemma 1, repaired. *)
Theorem lemma_1_repaired (R : realType) (I : Type) (n : nat) (a : I -> 'I_n.+1 -> R) (r delta : R) :
  2%:R * ln n.+1%:R + 3%:R < delta -> (forall i, injective (a i)) ->
  (forall i k, `|a i k| < r) -> (forall i j k l, a i k != a j l -> delta < `|a i k - a j l|) ->
  forall i j, `|boltz (a i)| <= r /\
  (~ (codom (a i) =i codom (a j)) ->
   ln n.+1%:R ^+ 2 * expR (- (2%:R * r)) < `|boltz (a i) - boltz (a j)|).
Proof.
(* 1. The operator is a mean, so it lies between the smallest and the largest entry, and these are at
   most r in size. *)
move=> wide inj a_r far i j; split.
  rewrite ler_norml (boltz_ge_min ord0) ?(boltz_le_max ord0) // => k;
    by have := a_r i k; rewrite ltr_norml => /andP[/ltW ? /ltW].
(* 2. Of two vectors with different sets of entries, which is what [ne] says, take the largest entry
   that one of them lacks: all above it they share, and there they are told apart. *)
rewrite -[in n.+1%:R](card_ord n.+1) => ne.
apply: (separates _ (inj i) (inj j) (a_r i) (a_r j) (far i i) (far j j) (far i j) ne).
by rewrite card_ord ltW.
Qed.
