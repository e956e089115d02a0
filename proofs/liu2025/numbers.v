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

Lemma e_large : 27%:R / 10%:R <= expR 1 :> R.
Proof.
apply: le_trans (expR_partial 5 ler01).
rewrite /series /exp_coeff /= !big_nat_recr //= big_nil !expr1n !add0r.
have -> : 0`! = 1%N by []. have -> : 1`! = 1%N by []. have -> : 2`! = 2%N by [].
have -> : 3`! = 6%N by []. have -> : 4`! = 24%N by [].
have -> : 1 / 1 + 1 / 1 + 1 / 2%:R + 1 / 6%:R + 1 / 24%:R = 65%:R / 24%:R :> R by field.
exact: le_fraction.
Qed.

Lemma square_step (y a b : R) : 0 <= a -> a <= expR y -> b <= a ^+ 2 -> b <= expR (2%:R * y).
Proof.
move=> a_ge0 a_y b_a; apply: le_trans b_a _; rewrite expRMm.
by rewrite ler_expn2r ?nnegrE ?(le_trans a_ge0).
Qed.

Lemma ln_large : 11%:R / 16%:R <= ln (51%:R / 25%:R) :> R.
Proof.
have q_gt0 : 0 < 51%:R / 25%:R :> R by rewrite divr_gt0 ?ltr0n.
pose x : R := 7%:R / 162%:R; apply: (@le_trans _ _ (2%:R * (2%:R * (2%:R * (2%:R * x))))).
  by rewrite [leRHS](_ : _ = 56%:R / 81%:R); [apply: le_fraction | rewrite /x; field].
rewrite -ler_expR lnK ?posrE // -[leRHS]invrK -[leLHS]invrK lef_pinv ?posrE ?invr_gt0 ?expR_gt0 //.
rewrite -expRN.
have -> : - (2%:R * (2%:R * (2%:R * (2%:R * x)))) = 2%:R * (2%:R * (2%:R * (2%:R * - x))).
  by ring.
have sq a b a' b' : (0 < b)%N -> (0 < b')%N -> (a' * (b * b) <= a * a * b')%N ->
    a'%:R / b'%:R <= (a%:R / b%:R) ^+ 2 :> R.
  move=> b_gt0 b'_gt0 le; rewrite expr_div_n -!natrX; apply: le_fraction => //.
    by rewrite expn_gt0 b_gt0.
have pos a b : 0 <= a%:R / b%:R :> R by rewrite divr_ge0 ?ler0n.
(* 155/162, 119/130, 31/37, 40/57: each at most the square of the one before *)
have s0 : 155%:R / 162%:R <= expR (- x) :> R.
  by apply: le_trans (expR_ge1D _); rewrite /x le_eqVlt; apply/orP; left; apply/eqP; field.
have l1 : (119 * (162 * 162) <= 155 * 155 * 130)%N by lia.
have s1 := square_step (pos _ _) s0 (sq 155 162 119 130 isT isT l1)%N.
have l2 : (31 * (130 * 130) <= 119 * 119 * 37)%N by lia.
have s2 := square_step (pos _ _) s1 (sq 119 130 31 37 isT isT l2)%N.
have l3 : (40 * (37 * 37) <= 31 * 31 * 57)%N by lia.
have s3 := square_step (pos _ _) s2 (sq 31 37 40 57 isT isT l3)%N.
have l4 : (25 * (57 * 57) <= 40 * 40 * 51)%N by lia.
have s4 := square_step (pos _ _) s3 (sq 40 57 25 51 isT isT l4)%N.
by rewrite invf_div.
Qed.

End Numbers.
