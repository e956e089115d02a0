(** * The Boltzmann operator: Definition 3 of Kajitsuka and Sato (2024), and what all lemmas use

    The sums are over any finite type [J]; for vectors of n entries it is ['I_n]. *)
From UAT Require Import transformers analysis.
From mathcomp.analysis Require Import derive realfun.

(** ** Lower bounds for exp *)

Section Exp.

Variable R : realType.
Implicit Type x : R.

(** The exponential is not negative. *)
Lemma expR_ge0 x : 0 <= expR x.
Proof. exact: ltW (expR_gt0 x). Qed.

(** exp lies above its tangent at 0: 1 + x <= exp(x). *)
Lemma expR_ge1D x : 1 + x <= expR x.
Proof.
have [/expR_ge1Dx//|x_lt0] := leP 0 x.
have [|c c_in mean] := @MVT R expR expR x 0 x_lt0 (fun y _ => is_derive_expR y).
  by apply: continuous_subspaceT => y; apply: continuous_expR.
have : expR c <= 1 by rewrite -expR0 ler_expR (itvP c_in).
by rewrite expR0 in mean; nra.
Qed.

(** Strictly, but for x = 0. *)
Lemma expR_gt1D x : x != 0 -> 1 + x < expR x.
Proof.
move=> x_ne0; have half : expR x = expR (x / 2%:R) * expR (x / 2%:R) by rewrite -expRD -splitr.
have := expR_ge1D (x / 2%:R); have := expR_ge1D x; have := expR_gt0 (x / 2%:R); rewrite half.
have : 0 < x ^+ 2 by rewrite exprn_even_gt0.
have [?|?] := leP 0 (1 + x / 2%:R); nra.
Qed.

(** For x >= 0 the exponential is at least the sum of the first four terms of its series. *)
Lemma expR_ge4terms x : 0 <= x -> 1 + x + x ^+ 2 / 2%:R + x ^+ 3 / 6%:R <= expR x.
Proof.
move=> x_ge0; have -> : 1 + x + x ^+ 2 / 2%:R + x ^+ 3 / 6%:R = series (exp_coeff x) 4%N.
  rewrite /series /= !big_nat_recr //= big_nil /exp_coeff /= !factS fact0 expr0 expr1.
  by rewrite add0r !divr1.
apply: nondecreasing_cvg_le; last exact: is_cvg_series_exp_coeff.
by apply: nondecreasing_series => n _; apply: exp_coeff_ge0.
Qed.

End Exp.

(** ** The operator *)

Section Boltzmann.

Variables (R : realType) (J : finType).
Implicit Types (a b : J -> R) (V : R).

(** Definition 3: the sum of the a_i p_i, where p is the softmax of a. *)
Definition boltz a : R := \sum_i softmax a i * a i.

(** The sum of the exponentials. *)
Definition partition a : R := \sum_i expR (a i).

(** The sum of the weights exp(a_i) is at least each of them. *)
Lemma partition_ge a i : expR (a i) <= partition a.
Proof.
by rewrite /partition (bigD1 i) //= ler_addl sumr_ge0 // => j _; rewrite expR_ge0.
Qed.

(** The sum of the weights is positive, if there is an entry. *)
Lemma partition_gt0 a (i : J) : 0 < partition a.
Proof. exact: lt_le_trans (expR_gt0 _) (partition_ge a i). Qed.

(** Weights of softmax are not negative. *)
Lemma softmax_ge0 a i : 0 <= softmax a i.
Proof. by rewrite divr_ge0 ?expR_ge0 // sumr_ge0 // => j _; rewrite expR_ge0. Qed.

(** Weights of softmax add up to 1. *)
Lemma softmax_sum1 a (i : J) : \sum_j softmax a j = 1.
Proof. by rewrite -mulr_suml divff // gt_eqF ?(partition_gt0 a i). Qed.

(** How far the value is from any number V: the book's g(t) = (t - V) exp(t), summed up. *)
Lemma boltz_sum a V : (boltz a - V) * partition a = \sum_i (a i - V) * expR (a i).
Proof.
have [i _|none] := pickP (mem J); last first.
  by rewrite /partition !big_pred0 ?mulr0 // => j; have := none j.
have Z0 : partition a != 0 by rewrite gt_eqF ?(partition_gt0 a i).
rewrite mulrBl /boltz mulr_suml [X in _ - _ * X]/partition mulr_sumr -sumrB; apply: eq_bigr => j _.
by rewrite /softmax -/(partition a) mulrAC divfK // mulrC -mulrBl.
Qed.

(** The value is at most V where the sum of the (a_i - V) exp(a_i) is at most 0. *)
Lemma boltz_le a V : J -> \sum_i (a i - V) * expR (a i) <= 0 -> boltz a <= V.
Proof.
move=> i; rewrite -boltz_sum; have := partition_gt0 a i => Z_gt0.
by rewrite pmulr_lle0 // subr_le0.
Qed.

(** The value is at least V where that sum is at least 0. *)
Lemma boltz_ge a V : J -> 0 <= \sum_i (a i - V) * expR (a i) -> V <= boltz a.
Proof.
move=> i; rewrite -boltz_sum; have := partition_gt0 a i => Z_gt0.
by rewrite pmulr_lge0 // subr_ge0.
Qed.

(** The value is a mean, so it is at most what bounds all entries from above. *)
Lemma boltz_le_max a V : J -> (forall i, a i <= V) -> boltz a <= V.
Proof.
move=> i a_le; apply: (boltz_le i); rewrite -oppr_ge0 -sumrN sumr_ge0 // => j _.
by rewrite -mulNr mulr_ge0 ?expR_ge0 // oppr_ge0 subr_le0.
Qed.

(** The value is at least what bounds all entries from below. *)
Lemma boltz_ge_min a V : J -> (forall i, V <= a i) -> V <= boltz a.
Proof.
move=> i a_ge; apply: (boltz_ge i); apply: sumr_ge0 => j _.
by rewrite mulr_ge0 ?expR_ge0 // subr_ge0.
Qed.

(** ** Entropy: (81), (82), (85), and the value is at most log n below the largest entry *)

(** The entropy of weights p: minus the sum of the p_i ln p_i. *)
Definition entropy (p : J -> R) : R := - \sum_i p i * ln (p i).

(** The logarithm of a weight. *)
Lemma ln_softmax a i : ln (softmax a i) = a i - ln (partition a).
Proof. by rewrite ln_div ?posrE ?expR_gt0 ?(partition_gt0 a i) // expK. Qed.

(** The value is log Z less the entropy, where Z is the sum of the weights. *)
Lemma boltz_entropy a : J -> boltz a = ln (partition a) - entropy (softmax a).
Proof.
move=> i; rewrite /entropy opprK -[ln _ in RHS]mul1r -(softmax_sum1 a i) mulr_suml -big_split.
by apply: eq_bigr => j _; rewrite /= ln_softmax -mulrDr addrC subrK.
Qed.

(** The entropy is at most log n. *)
Lemma entropy_le a : J -> entropy (softmax a) <= ln #|J|%:R.
Proof.
move=> k; set L := ln _; have n_gt0 : 0 < #|J|%:R :> R by rewrite ltr0n; apply/card_gt0P; exists k.
(* 1. It is enough that the p_i (log p_i + log n) add up to at least 0, ... *)
suff : 0 <= \sum_i softmax a i * (ln (softmax a i) + L).
  under eq_bigr do rewrite mulrDr.
  by rewrite big_split /= -mulr_suml (softmax_sum1 a k) /entropy mul1r; lra.
(* 2. ... and each of these is at least p_i - 1/n, as 1 + x <= exp(x) for x = - log(n p_i). *)
apply: (@le_trans _ _ (\sum_i (softmax a i - #|J|%:R^-1))).
  by rewrite sumrB (softmax_sum1 a k) sumr_const -[_ *+ _]mulr_natr mulVf ?subrr ?gt_eqF.
apply: ler_sum => i _; set p := softmax a i.
have p_gt0 : 0 < p by rewrite divr_gt0 ?expR_gt0 ?(partition_gt0 a i).
have := expR_ge1D (- (ln p + L)); rewrite expRN expRD !lnK ?posrE // invfM.
move: (#|J|%:R^-1) (ln p + L) => w x le; rewrite -ler_sub_addr.
have : p * (1 - x) <= p * (p^-1 * w) by rewrite ler_wpmul2l ?(ltW p_gt0).
by rewrite mulrA divff ?gt_eqF // mul1r; lra.
Qed.

(** The entropy is at least 0: the value is at most log Z. *)
Lemma entropy_ge0 a : J -> 0 <= entropy (softmax a).
Proof.
move=> k; rewrite /entropy -sumrN sumr_ge0 // => i _; rewrite -mulrN mulr_ge0 ?softmax_ge0 //.
rewrite ln_softmax opprB subr_ge0 -ler_expR lnK ?posrE ?(partition_gt0 a i) //.
exact: partition_ge.
Qed.

(** No entry is larger than log Z. *)
Lemma max_le_ln_partition a m : a m <= ln (partition a).
Proof. by rewrite -ler_expR lnK ?posrE ?(partition_gt0 a m) // partition_ge. Qed.

(** The value is at most log n below any entry, the largest in particular. *)
Lemma boltz_ge_max a m : a m - ln #|J|%:R <= boltz a.
Proof.
by rewrite boltz_entropy //; have := entropy_le a m; have := max_le_ln_partition a m; lra.
Qed.

End Boltzmann.
