(** * Grid and sharpness, with the numbers of the book's page

    At the sharpness (1 + ln (2.04 m)) / h^2 the error of the smoother of an L-Lipschitz function
    is at most 1.55 L h, for all m >= 1 coordinates, P >= 1 cells a side, D, L. The proof has
    powers of 1/5 in place of the page's sums of decimals. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother grid product tails axis numbers grid_and_sharpness.

Section Book.

Variables (R : realType) (T O : finType) (P : nat) (D L : R).
Hypotheses (D_gt0 : 0 < D) (L_ge0 : 0 <= L) (P_gt0 : (0 < P)%N) (T_gt0 : (0 < #|T|)%N).

Variable f : (T -> R) -> O -> R.
Hypothesis f_lip : forall x y e, (forall t, `|x t| <= D) -> (forall t, `|y t| <= D) ->
  (forall t, `|x t - y t| <= e) -> forall o, `|f x o - f y o| <= L * e.

Let h := D / P%:R.
Let m : R := #|T|%:R.
Let r : R := 1 + ln (51%:R / 25%:R * m).

(** The half width h of a cell is positive. *)
Let h_gt0 : 0 < h. Proof. by rewrite divr_gt0 ?ltr0n. Qed.
Let m_ge1 : 1 <= m. Proof. by rewrite ler1n. Qed.
Let m_gt0 : 0 < m. Proof. exact: lt_le_trans m_ge1. Qed.

Let e : R := expR 1.
Let q : R := 51%:R / 25%:R.

Let e_gt0 : 0 < e. Proof. exact: expR_gt0. Qed.
Let q_gt0 : 0 < q. Proof. by rewrite divr_gt0 ?ltr0n. Qed.

(** In units of 1/h^2 the sharpness, r, is at least 27/16. *)
Lemma book_r_large : 27%:R / 16%:R <= r.
Proof.
have q_m : q <= q * m by rewrite ler_pmulr.
have ln_m : ln q <= ln (q * m) by rewrite ler_ln // posrE mulr_gt0.
have -> : 27%:R / 16%:R = 1 + 11%:R / 16%:R :> R by field.
by rewrite ler_add2l; apply: le_trans ln_m; apply: ln_large.
Qed.

(** The exponential of r is e times 2.04 m. *)
Lemma book_r_exp : expR r = e * (q * m).
Proof. by rewrite expRD lnK // posrE mulr_gt0. Qed.

(** The exponential of r is at least 5. *)
Lemma five_le_r : 5%:R <= expR r.
Proof.
have q_ge2 : 2%:R <= q by rewrite ler_pdivl_mulr ?ltr0n // -natrM ler_nat.
have five : 5%:R <= 27%:R / 10%:R * 2%:R :> R.
  have -> : 27%:R / 10%:R * 2%:R = 27%:R / 5%:R :> R by field.
  by rewrite ler_pdivl_mulr ?ltr0n // -natrM ler_nat.
rewrite book_r_exp; apply: le_trans five _.
apply: ler_pmul; rewrite ?divr_ge0 ?ler0n ?e_large //.
by apply: le_trans q_ge2 _; rewrite ler_pmulr.
Qed.

(** The product of e^2 and r is at least 625/51. *)
Lemma e2_r : 625%:R / 51%:R <= e ^+ 2 * r.
Proof.
have e2 : 80%:R / 11%:R <= e ^+ 2.
  have square : 80%:R / 11%:R <= (27%:R / 10%:R) ^+ 2 :> R by lra.
  by rewrite (le_trans square) // ler_expn2r ?nnegrE ?divr_ge0 ?ler0n ?e_large // ltW.
have pos : 0 <= 27%:R / 16%:R :> R by rewrite divr_ge0 ?ler0n.
by apply: le_trans (ler_pmul _ pos e2 book_r_large); lra.
Qed.

(** The mean excess on an axis is at most 0.05 h / m. *)
Lemma book_axis_small u : `|u| <= D ->
  \sum_(k < P) softmax (axis h (r / h ^+ 2) u) k * over h u k <= 20%:R^-1 * h / m.
Proof.
move=> u_D; have u_in : `|u| <= P%:R * h by rewrite mulrC divfK // pnatr_eq0 -lt0n.
(* 1. The book's sharpness is large enough for the bound on the excess: r is at least 1, and exp(r) at
   least 5. The excess is how far a cell lies beyond 3/2 of h. *)
have r_ge1 : 1 <= r.
  by apply: le_trans book_r_large; rewrite ler_pdivl_mulr ?ltr0n // mul1r ler_nat.
have r_gt0 : 0 < r by apply: lt_le_trans r_ge1.
have four : 4%:R <= expR r by apply: le_trans five_le_r; rewrite ler_nat.
have fifth : expR (- r) <= 5%:R^-1.
  by rewrite expRN lef_pinv ?posrE ?expR_gt0 ?ltr0n ?five_le_r.
have fifth_lt1 : 5%:R^-1 < 1 :> R by rewrite invf_lt1 ?ltr0n // ltr1n.
(* 2. That bound: far cells weigh so little that the mean excess is at most exp(-r) times a geometric series. *)
apply: le_trans (mean_excess h_gt0 r_ge1 four fifth fifth_lt1 P_gt0 u_in) _.
(* 3. The sharpness was chosen so that exp(r) is a multiple of m: hence h / m. What is left is a number,
   and it is at most 0.05. *)
rewrite !expRN book_r_exp -/e.
have s_gt0 : 0 < e ^+ 2 * r by rewrite mulr_gt0 ?exprn_gt0.
have -> : h / (e * (q * m)) * (e^-1 / (2%:R * r)) * (2%:R / (1 - 5%:R^-1))
    = 20%:R^-1 * h / m * (625%:R / 51%:R / (e ^+ 2 * r)).
  by rewrite /q; field; rewrite !gt_eqF.
have ratio : 625%:R / 51%:R / (e ^+ 2 * r) <= 1 by rewrite ler_pdivr_mulr // mul1r e2_r.
have base : 0 <= 20%:R^-1 * h / m by rewrite divr_ge0 ?mulr_ge0 ?invr_ge0 ?ler0n // ltW.
by rewrite ler_pimulr.
Qed.

(** The error is at most 1.55 L h. *)
Theorem grid_and_sharpness_book x o : (forall t, `|x t| <= D) ->
  `|smoother (r / h ^+ 2) (centre h) (fun j : cell T P => f (centre h j)) x o - f x o|
    <= 31%:R / 20%:R * (L * h).
Proof.
(* 1. Write 1.55 as 3/2 + 1/20: the place itself is 3/2 h from a centre that counts at most, and 1/20 is
   for all centres beyond. *)
move=> x_box; have -> : 31%:R / 20%:R = 3%:R / 2%:R + 20%:R^-1 :> R by field.
(* 2. The weights are products, an axis each: it is enough that on one axis centres beyond 3/2 h add
   little, as shown above. *)
by apply: error_from_axes => // u; apply: book_axis_small.
Qed.

End Book.
