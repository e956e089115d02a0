(** * The first difference decides

    The heart of Lemmas 1 and 7 of Kajitsuka and Sato (2024), on the book's road: by the sums of
    (t - V) exp(t), without derivatives. The vectors need not be sorted: x is the largest number
    that is in one of them (a) and not in the other (b), and what is larger is in both. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann.

Section Falls.

Variable R : realType.

(** (t - V) exp(t) falls where t is more than 1 below V. *)
Lemma weighted_falls (V s t : R) : s < t -> t <= V - 1 ->
  (t - V) * expR t < (s - V) * expR s.
Proof.
move=> st tV; have -> : expR t = expR s * expR (t - s) by rewrite -expRD addrC subrK.
have := expR_gt0 s; have : 1 + (t - s) < expR (t - s) by rewrite expR_gt1D // subr_eq0 gt_eqF.
move: (expR s) (expR (t - s)) => E G lt_G E_gt0.
have : (V - t) * (1 + (t - s)) < (V - t) * G by rewrite ltr_pmul2l //; lra.
have : 0 <= (V - t - 1) * (t - s) by rewrite mulr_ge0 //; lra.
by move=> p q; have : 0 < E * ((V - t) * G - (V - s)); [rewrite pmulr_rgt0 //; lra | lra].
Qed.

(** (t - V) exp(t) does not rise where t is 1 or more below V. *)
Lemma weighted_le (V s t : R) : s <= t -> t <= V - 1 -> (t - V) * expR t <= (s - V) * expR s.
Proof. by rewrite le_eqVlt => /predU1P[->//|st] /(weighted_falls st)/ltW. Qed.

End Falls.

Section FirstDifference.

Variables (R : realType) (J : finType) (a b : J -> R) (delta x y : R).
Notation n := (#|J|%:R : R).
Notation L := (ln n).

Hypothesis wide : 2%:R * L + 3%:R <= delta.
Hypothesis step : delta < x - y.

(** There is an entry, so n >= 1. *)
Lemma count_ge1 (i : J) : 1 <= n.
Proof. by rewrite ler1n; apply/card_gt0P; exists i. Qed.

(** The logarithm of n is not negative, as there is an entry. *)
Lemma log_ge0 (i : J) : 0 <= L.
Proof. by rewrite ln_ge0 // (count_ge1 i). Qed.

(** Case 1: nothing is larger than x. *)
Lemma largest_differs (i : J) : a i = x -> (forall j, b j <= y) ->
  boltz b + L ^+ 2 * expR (y - x) < boltz a.
Proof.
move=> ai b_le; have L_ge0 := log_ge0 i.
(* 1. The value of b is at most y, that of a at least x - log n. *)
have := boltz_le_max i b_le; have := boltz_ge_max a i; rewrite ai.
(* 2. exp(x - y) is larger than the square of log n, ... *)
have : L ^+ 2 * expR (y - x) <= 1.
  rewrite -opprB expRN ler_pdivr_mulr ?expR_gt0 // mul1r.
  have -> : expR (x - y) = expR ((x - y) / 2%:R) ^+ 2 by rewrite expr2 -expRD -splitr.
  by have := expR_ge1D ((x - y) / 2%:R); nra.
(* 3. ... so that 1 is enough. *)
by move: (_ * expR _) => e; lra.
Qed.

(** Case 2: some entries are larger than x, and these are in both vectors. *)
Variables (i c : J) (top : R).
Hypothesis a_i : a i = x.
Hypothesis a_c : x < a c.
Hypothesis common : forall F : R -> R, \sum_(j | x < b j) F (b j) = \sum_(j | x < a j) F (a j).
Hypothesis above : forall j, x < a j -> delta < a j - x.
Hypothesis below : forall j, b j <= x -> b j <= y.
Hypothesis b_top : forall j, b j <= top.

(** Their weights, and the value A of these entries and x. *)
Let S0 := \sum_(j | x < a j) expR (a j).
Let S1 := \sum_(j | x < a j) a j * expR (a j).
Let E := expR x.
Let A := (S1 + x * E) / (S0 + E).

(** The entries above x outweigh it: by the factor 1 + delta. *)
Lemma S0_ge : (1 + delta) * E <= S0.
Proof.
have /ltW lt_c := above a_c; apply: (@le_trans _ _ (expR (a c))).
  apply: (@le_trans _ _ (expR delta * E)).
    by rewrite ler_pmul2r ?expR_gt0 // expR_ge1D.
  by rewrite -expRD ler_expR; lra.
rewrite /S0 (bigD1 c) //= ler_addl sumr_ge0 // => j _; exact: expR_ge0.
Qed.

(** Their mean is more than delta above x. *)
Lemma S1_ge : delta * S0 <= S1 - x * S0.
Proof.
rewrite /S1 !mulr_sumr -sumrB ler_sum // => j /above lt_j.
by rewrite -mulrBl ler_pmul2r ?expR_gt0 // ltW.
Qed.

(** The spacing is at least 3. *)
Lemma delta_gt3 : 3%:R <= delta.
Proof. by have := log_ge0 i; lra. Qed.

(** How far A is from the mean of those entries, by the weight of x. *)
Lemma value_sum : S1 - A * S0 = (A - x) * E.
Proof.
have := S0_ge; have := delta_gt3; have : 0 < E := expR_gt0 x => E0 d0 S0E.
have SE : S0 + E != 0 by rewrite gt_eqF //; nra.
by have : A * (S0 + E) = S1 + x * E; [rewrite /A divfK | lra].
Qed.

(** The value A is at least 2 above x. *)
Lemma value_above : 2%:R <= A - x.
Proof.
have := value_sum; have := S0_ge; have := S1_ge; have := delta_gt3.
have : 0 < E := expR_gt0 x; move: S0 S1 E A => s0 s1 e v e0 d3 h1 h0 eq_v.
have s_gt0 : 0 < s0 + e by nra.
have : 0 <= (v - x - 2%:R) * (s0 + e); last by rewrite pmulr_lge0 // subr_ge0.
have : 0 <= (delta - 3%:R) * s0 by rewrite mulr_ge0 //; nra.
by have : 0 <= (delta - 3%:R) * e; [rewrite mulr_ge0 //; lra | lra].
Qed.

(** What a has besides pulls its value down: it is at most A. *)
Lemma value_a : boltz a <= A.
Proof.
apply: (boltz_le i); rewrite (bigID (fun j => x < a j)) /=.
have -> : \sum_(j | x < a j) (a j - A) * expR (a j) = S1 - A * S0.
  by rewrite /S1 /S0 mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite mulrBl.
rewrite value_sum (bigD1 i) /= ?a_i ?ltxx // addrA.
rewrite -/E -mulrDl addrC -[_ + (x - A)]opprK opprD !opprB.
rewrite (_ : x - A + (A - x) = 0) ?oppr0 ?mul0r ?addr0; last by ring.
rewrite -oppr_ge0 -sumrN sumr_ge0 // => j /andP[]; rewrite -leNgt => aj _.
by rewrite -mulNr mulr_ge0 ?expR_ge0 //; have := value_above; lra.
Qed.

(** What b has besides is at most y, so b has at least the value of this sum: *)
Lemma value_b : (A - x) * E + n * ((y - A) * expR y) <= (boltz b - A) * partition b.
Proof.
rewrite boltz_sum [X in _ <= X](bigID (fun j => x < b j)) /=.
rewrite (common (fun t => (t - A) * expR t)).
have -> : \sum_(j | x < a j) (a j - A) * expR (a j) = S1 - A * S0.
  by rewrite /S1 /S0 mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite mulrBl.
rewrite value_sum ler_add2l.
have neg : (y - A) * expR y <= 0.
  rewrite -oppr_ge0 -mulNr mulr_ge0 ?expR_ge0 //.
  by have := value_above; have := delta_gt3; lra.
apply: (@le_trans _ _ (\sum_(j | ~~ (x < b j)) (y - A) * expR y)).
  rewrite mulr_natl -sumr_const (bigID (fun j => x < b j)) /= ger_addr.
  by rewrite -oppr_ge0 -sumrN sumr_ge0 // => j _; rewrite oppr_ge0.
apply: ler_sum => j; rewrite -leNgt => /below bj; apply: weighted_le bj _.
by have := value_above; have := delta_gt3; lra.
Qed.

(** The weight of x is much larger than that of y: here the spacing is used. *)
Lemma weight_ge : n * (5%:R + 5%:R / 2%:R * (x - y) + (x - y) ^+ 2 / 4%:R) <= 2%:R * expR (x - y).
Proof.
set g := x - y; have n1 := count_ge1 i; have L0 := log_ge0 i; have g_gt := step.
(* 1. exp(g / 2) is at least 5/2 n, ... *)
have big : 5%:R / 2%:R * n <= expR (g / 2%:R).
  apply: (@le_trans _ _ (n * expR (3%:R / 2%:R))).
    by have := expR_ge1D (3%:R / 2%:R : R); nra.
  rewrite -[X in X * _]lnK ?posrE; last by lra.
  by rewrite -expRD ler_expR /g; lra.
(* 2. ... and also at least (1 + g / 4)^2. *)
have square : (1 + g / 4%:R) ^+ 2 <= expR (g / 2%:R).
  rewrite (_ : g / 2%:R = g / 4%:R + g / 4%:R); last by field.
  by rewrite expRD; have := expR_ge1D (g / 4%:R); rewrite /g; nra.
have -> : expR g = expR (g / 2%:R) * expR (g / 2%:R) by rewrite -expRD -splitr.
have pos : 0 <= 5%:R / 2%:R * n by lra.
have := ler_pmul pos (sqr_ge0 (1 + g / 4%:R)) big square.
have : 0 <= n * g ^+ 2 by rewrite mulr_ge0 ?sqr_ge0 //; lra.
by move: (expR _ * _) => G; lra.
Qed.

(** All weights of b together, in units of that of y. *)
Lemma weights_le : L ^+ 2 * expR (y - top) * partition b <= L ^+ 2 * n * expR y.
Proof.
rewrite -!(mulrA (L ^+ 2)); apply: ler_wpmul2l; first exact: sqr_ge0.
have Z_le : partition b <= n * expR top.
  by rewrite /partition mulr_natl -sumr_const ler_sum // => j _; rewrite ler_expR.
rewrite expRD expRN mulrAC ler_pdivr_mulr ?expR_gt0 // mulrC [X in _ <= X]mulrAC.
by rewrite ler_pmul2r ?expR_gt0.
Qed.

(** So the value of b is the larger one. *)
Theorem later_differs : boltz a + L ^+ 2 * expR (y - top) < boltz b.
Proof.
apply: le_lt_trans (ler_add value_a (lexx _)) _; rewrite -ltr_subr_addl.
(* 1. By the sums above it is enough to compare weights of x and y. *)
rewrite -(ltr_pmul2r (partition_gt0 b i)); apply: lt_le_trans value_b.
(* 2. All weights of b together are at most n exp(top). Divide by exp(y). *)
apply: le_lt_trans weights_le _.
have -> : E = expR y * expR (x - y) by rewrite -expRD addrC subrK.
rewrite (_ : _ + _ = expR y * ((A - x) * expR (x - y) + n * (y - A))); last by ring.
rewrite [X in X < _]mulrC ltr_pmul2l ?expR_gt0 //.
(* 3. The gap x - y is more than twice log n. *)
have := weight_ge; have := value_above; have := count_ge1 i; have := log_ge0 i; have := step.
have := wide; have := expR_gt0 (x - y).
have -> : y - A = - (A - x) - (x - y) by ring.
move: (A - x) (x - y) (expR (x - y)) => D g G G0 w g_gt L0 n1 D2 G_ge.
have LL : L ^+ 2 <= g ^+ 2 / 4%:R by nra.
have ng : 0 <= n * g by rewrite mulr_ge0 //; lra.
have ngg : 0 <= n * g ^+ 2 by rewrite mulr_ge0 ?sqr_ge0 //; lra.
have : 0 <= (D - 2%:R) * (G - n) by rewrite mulr_ge0 //; lra.
have : n * L ^+ 2 <= n * (g ^+ 2 / 4%:R) by rewrite ler_pmul2l //; lra.
lra.
Qed.

End FirstDifference.

(** Let x be the largest number that is in one of the vectors alone, in a, and let y bound what b has below it: where
    all entries are at most [top], the values are this far apart. *)
Theorem first_difference (R : realType) (J : finType) (a b : J -> R) (delta x y top : R) (i : J) :
  2%:R * ln #|J|%:R + 3%:R <= delta -> delta < x - y -> a i = x ->
  (forall F : R -> R, \sum_(j | x < b j) F (b j) = \sum_(j | x < a j) F (a j)) ->
  (forall j, x < a j -> delta < a j - x) -> (forall j, b j <= x -> b j <= y) ->
  (forall j, a j <= top) -> (forall j, b j <= top) ->
  ln #|J|%:R ^+ 2 * expR (y - top) < `|boltz a - boltz b|.
Proof.
move=> wide step ai common above below a_top b_top.
have [c a_c|none] := pickP (fun c => x < a c).
  (* 1. Something is larger than x: it is in both, and the value of b is the larger one. *)
  rewrite distrC ltr_normr ltr_subr_addl; apply/orP; left.
  exact: (later_differs wide step ai a_c common above below b_top).
(* 2. Nothing of a is, so nothing of b is either: x is far above all of b. *)
have low j : b j <= y.
  apply: below; rewrite leNgt; apply/negP => lt.
  have := common (fun=> 1); rewrite [RHS]big_pred0 // (bigD1 j) //= => /eqP.
  by rewrite gt_eqF // ltr_paddr ?ltr01 ?sumr_ge0.
have lt := largest_differs wide step ai low.
rewrite ltr_normr ltr_subr_addl; apply/orP; left; apply: le_lt_trans lt.
by rewrite ler_add2l ler_wpmul2l ?sqr_ge0 // ler_expR; have := a_top i; rewrite ai; lra.
Qed.
