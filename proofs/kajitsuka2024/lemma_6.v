(** * Kajitsuka and Sato (2024), Lemma 6

    Vectors a and b that agree but for one entry, b_i < a_i < max_(j <> i) a_j - delta, with
    delta > log n + 3: boltz(b) - boltz(a) > (a_i - b_i) (delta + a_i - b_i - log n - 1) p_i, where
    p is the softmax of b. For all n >= 2 (there is an entry m other than i) and any place i
    (printed: the last). As displayed in (103); the sentence before it names the other sign.

    The proof is not the printed one by concavity: it compares sums of (t - V) exp(t). *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference lemma_4.

(** The inequality between numbers to which everything comes down; h = a_i - b_i, E = exp(h). *)
Lemma growth (R : realFieldType) (h w E p : R) : 0 < h -> 3%:R < w -> 0 <= p ->
  1 + h + h ^+ 2 / 2%:R + h ^+ 3 / 6%:R <= E -> p * (E - 1) <= h / 4%:R ->
  h * (w + h - 1) * (1 + p * (E - 1)) <= w * E - (w + h).
Proof.
move=> h0 w3 p0 E_ge p_le.
have : h * (w + h - 1) * (1 + p * (E - 1)) <= h * (w + h - 1) * (1 + h / 4%:R).
  by rewrite ler_pmul2l ?ler_add2l // mulr_gt0 //; lra.
have : w * (1 + h + h ^+ 2 / 2%:R + h ^+ 3 / 6%:R) <= w * E by rewrite ler_pmul2l //; lra.
have : 0 <= h ^+ 2 * (w - 3%:R) by rewrite mulr_ge0 ?sqr_ge0 //; lra.
have : 0 <= h ^+ 3 * (w - 3%:R) by rewrite mulr_ge0 ?exprn_ge0 //; lra.
have : 0 <= h ^+ 3 by rewrite exprn_ge0 // ltW.
lra.
Qed.

(** A weight q = p E of at most 1/4, with e = 1 / E, has grown by h / 4 at most. *)
Lemma slow (R : realFieldType) (h E e p : R) : 0 < h -> 0 < p -> 0 < E -> E * e = 1 ->
  1 + - h <= e -> p * E <= 1 / 4%:R -> p * (E - 1) <= h / 4%:R.
Proof.
move=> h0 p0 E0 Ee e_ge q_le; have q0 : 0 < p * E by rewrite mulr_gt0.
have pEe : p * (E * e) = p by rewrite Ee mulr1.
have -> : p * (E - 1) = p * E * (1 - e) by lra.
move: (p * E) q0 q_le => q q0 q_le; have [neg|pos] := leP (1 - e) 0.
  by have : q * (1 - e) <= 0; [rewrite pmulr_rle0 | lra].
by have : q * (1 - e) <= 1 / 4%:R * h; [apply: ler_pmul; lra | lra].
Qed.

Section Lemma6.

Variables (R : realType) (J : finType) (a b : J -> R) (i m : J) (delta : R).
Notation L := (ln #|J|%:R : R).
Hypothesis agree : forall j, j != i -> a j = b j.
Hypothesis other : m != i.
Hypothesis wide : L + 3%:R < delta.
Hypothesis low : a i < a m - delta.
Hypothesis fell : b i < a i.

Let h := a i - b i.
Let E := expR h.
Let p := softmax b i.
Let V := boltz b.

(** The weight of a_i, in units of those of b. *)
Lemma weight_a : expR (a i) = p * partition b * E.
Proof. by rewrite /p /softmax divfK ?gt_eqF ?(partition_gt0 b i) // -expRD addrC subrK. Qed.

(** The weight of b_i, in the same units. *)
Lemma weight_b : expR (b i) = p * partition b.
Proof. by rewrite /p /softmax divfK ?gt_eqF ?(partition_gt0 b i). Qed.

(** Sums over a and b differ by what a_i and b_i add. *)
Lemma sum_difference (F : R -> R) : \sum_j F (a j) - \sum_j F (b j) = F (a i) - F (b i).
Proof.
rewrite (bigD1 i) // [X in _ - X](bigD1 i) //=.
rewrite (eq_bigr (fun j => F (b j))) => [|j /agree-> //]; move: (bigop _ _ _) => s; ring.
Qed.

(** The exact difference. *)
Lemma difference : (V - boltz a) * (1 + p * (E - 1)) = p * ((V - a i) * E - (V - a i + h)).
Proof.
have Z_gt0 := partition_gt0 b i.
have := sum_difference (fun u => (u - V) * expR u); rewrite -!boltz_sum subrr mul0r subr0.
have : partition a - partition b = expR (a i) - expR (b i) := sum_difference (@expR R).
rewrite weight_a weight_b => Za; have -> : partition a = partition b * (1 + p * (E - 1)) by lra.
by move=> eq_sum; apply: (mulIf (lt0r_neq0 Z_gt0)); rewrite /h; lra.
Qed.

(** The weight of the entry stays below 1/4, also where it has grown from b_i to a_i. *)
Lemma weight_below : p * E < 1 / 4%:R.
Proof.
apply: (@le_lt_trans _ _ (expR (a i - a m))).
  rewrite expRB ler_pdivl_mulr ?expR_gt0 // weight_a [p * _ * _]mulrAC.
  have : 0 < p * E by rewrite mulr_gt0 ?expR_gt0 // divr_gt0 ?expR_gt0 ?(partition_gt0 b i).
  have : expR (a m) <= partition b by rewrite (agree other) partition_ge.
  by move: (p * E) (expR (a m)) => q e; nra.
rewrite -opprB expRN -div1r ltr_pdivr_mulr ?expR_gt0 //.
by have := expR_ge1D (a m - a i); have := log_ge0 R i; have := low; have := wide; lra.
Qed.

(** The sum of weights grows by no more than h / 4 times itself. *)
Lemma growth_below : 0 < h -> 0 < p -> p * (E - 1) <= h / 4%:R.
Proof.
move=> h0 p0; have inverse : E * expR (- h) = 1 by rewrite /E -expRD subrr expR0.
exact: (slow h0 p0 (expR_gt0 h) inverse (expR_ge1D (- h)) (ltW weight_below)).
Qed.

(** Lemma 6, as displayed in (103). *)
Theorem lemma_6 :
  (a i - b i) * (delta + a i - b i - L - 1) * softmax b i < boltz b - boltz a.
Proof.
(* 1. The value [V] of b is more than 3 above a_i, since it lags behind the largest entry by log n at
   most. *)
have log := log_ge0 R i; have p_gt0 : 0 < p by rewrite divr_gt0 ?expR_gt0 ?(partition_gt0 b i).
have h_gt0 : 0 < h by rewrite subr_gt0.
have V_ge : delta - L < V - a i.
  by have := boltz_ge_max b m; rewrite -(agree other) -/V; have := low; lra.
have V3 : 3%:R < V - a i by have := wide; lra.
(* 2. [grow] is the inequality between numbers, for the weight [p], which grows by h / 4 at most. *)
have grow := growth h_gt0 V3 (ltW p_gt0) (expR_ge4terms (ltW h_gt0)) (growth_below h_gt0 p_gt0).
(* 3. Put it into the exact difference of the two values, which has a positive factor. *)
have one_le : 1 <= 1 + p * (E - 1).
  by rewrite ler_addl mulr_ge0 ?subr_ge0 ?ltW // -[1]expR0 ltr_expR.
rewrite -(ltr_pmul2r (_ : 0 < 1 + p * (E - 1))); last by lra.
rewrite difference; apply: lt_le_trans (ler_wpmul2l (ltW p_gt0) grow).
rewrite [X in X < _](_ : _ = p * (h * (delta + a i - b i - L - 1) * (1 + p * (E - 1)))).
  by rewrite ltr_pmul2l // ltr_pmul2r ?ltr_pmul2l //; rewrite /h; lra.
by rewrite /h /p; ring.
Qed.

End Lemma6.
