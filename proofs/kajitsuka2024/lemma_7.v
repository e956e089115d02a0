(** * Kajitsuka and Sato (2024), Lemma 7 (repaired)

    Two vectors in decreasing order, with entries more than delta > 2 log n + 3 apart, that agree
    in the first k entries and differ in the next: their values differ by more than
    (log n)^2 exp(-(a_1 - b_(k+1))). For all n >= 1 and all k from 0 to n - 1.

    Differs from the printed text: (114) asks that a_i - a_j > delta for i > j, which no decreasing
    vector meets; here it is i < j. Entries are counted from 0. The proof is the book's: it
    compares sums of (t - V) exp(t) and needs no derivatives, so it does not use Lemmas 4 to 6. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference.

Section Lemma7.

Variables (R : realType) (n : nat) (a b : 'I_n.+1 -> R) (delta : R) (k : 'I_n.+1).

Hypothesis wide : 2%:R * ln n.+1%:R + 3%:R < delta.
Hypothesis a_falls : forall i j : 'I_n.+1, (i < j)%N -> delta < a i - a j.
Hypothesis b_falls : forall i j : 'I_n.+1, (i < j)%N -> delta < b i - b j.
Hypothesis apart : forall i j, a i != b j -> delta < `|a i - b j|.
Hypothesis agree : forall i : 'I_n.+1, (i < k)%N -> a i = b i.
Hypothesis differ : b k < a k.

(** Gaps are positive. *)
Lemma delta_gt0 : 0 < delta.
Proof. by have : 0 <= ln n.+1%:R :> R; [rewrite ln_ge0 // ler1n | have := wide; lra]. Qed.

(** The first difference is a gap, too: a_k - b_k > delta. *)
Lemma step : delta < a k - b k.
Proof.
have /apart : a k != b k by rewrite gt_eqF.
by rewrite ger0_norm // subr_ge0 ltW.
Qed.

(** Larger than the entry at the difference are the entries before it. *)
Lemma above_a j : (a k < a j) = (j < k)%N.
Proof.
have d0 := delta_gt0; case: (ltngtP j k) => [/a_falls|/a_falls|/val_inj ->]; last exact: ltxx.
  by move=> lt; apply/idP; move: lt; lra.
by move=> lt; apply/negbTE; rewrite -leNgt; move: lt; lra.
Qed.

(** In b, too, it is the first k entries that are larger than a_k. *)
Lemma above_b j : (a k < b j) = (j < k)%N.
Proof.
have d0 := delta_gt0; have := step; case: (ltngtP j k) => [jk|/b_falls|/val_inj ->].
- by rewrite -(agree jk) above_a jk.
- by move=> lt st; apply/negbTE; rewrite -leNgt; move: lt st; lra.
by move=> st; apply/negbTE; rewrite -leNgt; move: st; lra.
Qed.

(** From the difference on, b is at most what it has there. *)
Lemma below_b (j : 'I_n.+1) : (k <= j)%N -> b j <= b k.
Proof.
rewrite leq_eqVlt => /predU1P[/val_inj->//|/b_falls]; have := delta_gt0; lra.
Qed.

(** The first entry is the largest. *)
Lemma first_largest j : a j <= a ord0.
Proof.
have [j0|j_gt0] := posnP j; first by rewrite (_ : j = ord0) //; apply: val_inj.
by have := @a_falls ord0 j j_gt0; have := delta_gt0; lra.
Qed.

(** Lemma 7, repaired. *)
Theorem lemma_7 :
  ln n.+1%:R ^+ 2 * expR (- (a ord0 - b k)) < `|boltz a - boltz b|.
Proof.
(* 1. The first entry that differs, a_k, is the largest number that is in one of the vectors alone, and
   the first difference decides. [wide_J] is the hypothesis on delta, with the number of entries. *)
have wide_J : 2%:R * ln #|'I_n.+1|%:R + 3%:R <= delta by rewrite card_ord ltW.
rewrite -[in n.+1%:R](card_ord n.+1) opprB; apply: (first_difference wide_J step (erefl (a k))).
(* 2. Above it stand the first k entries of each vector: they agree, and those of a are delta above it. *)
- by move=> F; rewrite (eq_bigl _ _ above_a) (eq_bigl _ _ above_b); apply: eq_bigr => j /agree->.
- by move=> j; rewrite above_a => /a_falls.
- by move=> j; rewrite leNgt above_b -leqNgt => /below_b.
(* 3. And no entry of either is larger than a_1. *)
- exact: first_largest.
move=> j; have [jk|kj] := ltnP j k; first by rewrite -(agree jk) first_largest.
by have := first_largest k; have := below_b kj; have := step; have := delta_gt0; lra.
Qed.

End Lemma7.
