(** * Two numbers: e >= 27/10, and ln (51/25) >= 11/16

    For the decimals of the book's "grid and sharpness". *)
From UAT Require Import analysis.
From UAT.liu2025 Require Import smoother tails.

Section Numbers.

Variable R : realType.

(** A fraction is at most another one. *)
Lemma le_fraction (a b a' b' : nat) : (0 < b)%N -> (0 < b')%N -> (a * b' <= a' * b)%N ->
  a%:R / b%:R <= a'%:R / b'%:R :> R.
Proof.
move=> b_gt0 b'_gt0 le; rewrite ler_pdivr_mulr ?ltr0n // mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite -!natrM ler_nat.
Qed.

(** The first terms of the series of exp. *)
Lemma expR_partial (x : R) n : 0 <= x -> series (exp_coeff x) n <= expR x.
Proof.
move=> x_ge0; apply: nondecreasing_cvg_le; last exact: is_cvg_series_exp_coeff.
by apply: nondecreasing_series => k _; apply: exp_coeff_ge0.
Qed.

(** Five of them. *)
Lemma e_large : 27%:R / 10%:R <= expR 1 :> R.
Proof.
apply: le_trans (expR_partial 5 ler01).
rewrite /series /exp_coeff /= !big_nat_recr //= big_nil !expr1n !add0r.
have -> : 0`! = 1%N by []. have -> : 1`! = 1%N by []. have -> : 2`! = 2%N by [].
have -> : 3`! = 6%N by []. have -> : 4`! = 24%N by [].
have -> : 1 / 1 + 1 / 1 + 1 / 2%:R + 1 / 6%:R + 1 / 24%:R = 65%:R / 24%:R :> R by field.
exact: le_fraction.
Qed.

(** If a fraction is at most exp(y), then one below its square is at most exp(2 y). *)
Lemma square_step (y : R) (a b a' b' : nat) : (0 < b)%N -> (0 < b')%N ->
  (a' * (b * b) <= a * a * b')%N -> a%:R / b%:R <= expR y -> a'%:R / b'%:R <= expR (2%:R * y).
Proof.
move=> b_gt0 b'_gt0 le a_y; have pos : 0 <= a%:R / b%:R :> R by rewrite divr_ge0 ?ler0n.
apply: (@le_trans _ _ ((a%:R / b%:R) ^+ 2)).
  by rewrite expr_div_n -!natrX; apply: le_fraction => //; rewrite expn_gt0 b_gt0.
by rewrite expRMm ler_expn2r ?nnegrE ?(le_trans pos).
Qed.

(** The logarithm of 2.04 is at least 11/16, by four squarings of a bound for the 16th root of 1/2.04. *)
Lemma ln_large : 11%:R / 16%:R <= ln (51%:R / 25%:R) :> R.
Proof.
have q_gt0 : 0 < 51%:R / 25%:R :> R by rewrite divr_gt0 ?ltr0n.
pose x : R := 7%:R / 162%:R; apply: (@le_trans _ _ (2%:R * (2%:R * (2%:R * (2%:R * x))))).
  by rewrite [leRHS](_ : _ = 56%:R / 81%:R); [apply: le_fraction | rewrite /x; field].
rewrite -ler_expR lnK ?posrE // -[leRHS]invrK -[leLHS]invrK lef_pinv ?posrE ?invr_gt0 ?expR_gt0 //.
rewrite -expRN [- _](_ : _ = 2%:R * (2%:R * (2%:R * (2%:R * - x)))); last by ring.
(* 155/162, 119/130, 31/37, 40/57: each at most the square of the one before *)
have s0 : 155%:R / 162%:R <= expR (- x) :> R.
  by apply: le_trans (expR_ge1D _); rewrite /x le_eqVlt; apply/orP; left; apply/eqP; field.
have s1 : 119%:R / 130%:R <= expR (2%:R * - x) by apply: square_step s0; lia.
have s2 : 31%:R / 37%:R <= expR (2%:R * (2%:R * - x)) by apply: square_step s1; lia.
have s3 : 40%:R / 57%:R <= expR (2%:R * (2%:R * (2%:R * - x))) by apply: square_step s2; lia.
by rewrite invf_div; apply: square_step s3; lia.
Qed.

End Numbers.
