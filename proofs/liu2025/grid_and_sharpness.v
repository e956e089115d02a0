(** * Grid and sharpness: how near is the smoother to a Lipschitz function?

    The book's own proposition (page "Attention alone"), for all m >= 1 coordinates, P >= 1 cells
    a side, D, L. Differs from the book in round constants: at the smaller sharpness
    R = (1 + ln (2 m)) / h^2 the error is at most 5/3 L h (the book: 2.04 m and 1.55 L h). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother grid product tails axis.

Section ErrorFromAxes.

Variables (R : realType) (T O : finType) (P : nat) (D L rho excess : R).
Hypotheses (D_gt0 : 0 < D) (L_ge0 : 0 <= L) (P_gt0 : (0 < P)%N) (T_gt0 : (0 < #|T|)%N).

(** [f] is [L]-Lipschitz on the box, in the largest entry. *)
Variable f : (T -> R) -> O -> R.
Hypothesis f_lip : forall x y e, (forall t, `|x t| <= D) -> (forall t, `|y t| <= D) ->
  (forall t, `|x t - y t| <= e) -> forall o, `|f x o - f y o| <= L * e.

Let h := D / P%:R.
Let m : R := #|T|%:R.

(** The mean excess over 3/2 h on each axis. *)
Hypothesis axis_small : forall u, `|u| <= D ->
  \sum_(k < P) softmax (axis h rho u) k * over h u k <= excess * h / m.

(** If the mean excess on each axis is small, then so is the error of the smoother. *)
Theorem error_from_axes x o : (forall t, `|x t| <= D) ->
  `|smoother rho (centre h) (fun j : cell T P => f (centre h j)) x o - f x o|
    <= (3%:R / 2%:R + excess) * (L * h).
Proof.
move=> x_box; have h_gt0 : 0 < h by rewrite divr_gt0 ?ltr0n.
have PhD : P%:R * h = D by rewrite mulrC divfK // pnatr_eq0 -lt0n.
(* 1. [f] moves by at most [L] times the largest distance, and that is at most
   3/2 h and the excesses of all axes. *)
have over_ge0 t k : 0 <= over h (x t) k :> R by rewrite /over le_maxr lexx orbT.
have V_near (j : cell T P) :
    `|f (centre h j) o - f x o| <= L * (3%:R / 2%:R * h) + \sum_t L * over h (x t) (j t).
  rewrite -mulr_sumr -mulrDr; apply: f_lip => // t; first by rewrite -PhD; apply: centre_in_box.
  rewrite distrC (bigD1 t) //= addrA; apply: ler_paddr; first exact: sumr_ge0.
  by rewrite -ler_subl_addl le_maxr lexx.
(* 2. So the error is at most the mean of these, axis by axis. *)
apply: (le_trans (@grid_axes _ _ _ _ _ _ _ _ _ _ _ (Ordinal P_gt0)
  (fun t k => L * over h (x t) k) V_near)).
(* 3. The mean excesses on all [m] axes add up to at most [excess] times h. *)
have -> : (3%:R / 2%:R + excess) * (L * h)
    = L * (3%:R / 2%:R * h) + \sum_(t : T) L * (excess * h / m).
  by rewrite sum_const -/m; field; rewrite pnatr_eq0 -lt0n.
rewrite ler_add2l; apply: ler_sum => t _.
under eq_bigr do rewrite mulrCA; rewrite -mulr_sumr ler_wpmul2l //.
exact: axis_small.
Qed.

End ErrorFromAxes.

Section GridAndSharpness.

Variables (R : realType) (T O : finType) (P : nat) (D L : R).
Hypotheses (D_gt0 : 0 < D) (L_ge0 : 0 <= L) (P_gt0 : (0 < P)%N) (T_gt0 : (0 < #|T|)%N).

Variable f : (T -> R) -> O -> R.
Hypothesis f_lip : forall x y e, (forall t, `|x t| <= D) -> (forall t, `|y t| <= D) ->
  (forall t, `|x t - y t| <= e) -> forall o, `|f x o - f y o| <= L * e.

Let h := D / P%:R.
Let m : R := #|T|%:R.
Let r : R := 1 + ln (2%:R * m).

Let h_gt0 : 0 < h. Proof. by rewrite divr_gt0 ?ltr0n. Qed.
Let m_ge1 : 1 <= m. Proof. by rewrite ler1n. Qed.
Let m_gt0 : 0 < m. Proof. exact: lt_le_trans m_ge1. Qed.

(** e is at least 2. *)
Lemma e_ge2 : 2%:R <= expR 1 :> R. Proof. exact: expR_ge1D 1. Qed.

(** r is at least 1. *)
Lemma r_ge1 : 1 <= r.
Proof. by rewrite ler_addl ln_ge0 // mulr_ege1 ?ler1n. Qed.

(** exp(r) is at least 4 m. *)
Lemma r_exp : 4%:R * m <= expR r.
Proof.
rewrite expRD lnK ?posrE ?mulr_gt0 ?ltr0n // mulrA ler_pmul2r //.
by rewrite (natrM R 2 2) ler_pmul2r ?ltr0n ?e_ge2.
Qed.

(** exp(r) is at least 4. *)
Lemma r_sharp : 4%:R <= expR r.
Proof. by apply: le_trans r_exp; rewrite ler_pmulr ?ltr0n. Qed.

(** At this sharpness the mean excess on an axis is at most h / (6 m). *)
Lemma axis_small u : `|u| <= D ->
  \sum_(k < P) softmax (axis h (r / h ^+ 2) u) k * over h u k <= h / (6%:R * m).
Proof.
move=> u_D; have u_in : `|u| <= P%:R * h by rewrite mulrC divfK // pnatr_eq0 -lt0n.
have quarter : expR (- r) <= 4%:R^-1.
  by rewrite expRN lef_pinv ?posrE ?expR_gt0 ?ltr0n ?r_sharp.
have quarter_lt1 : 4%:R^-1 < 1 :> R by rewrite invf_lt1 ?ltr0n // ltr1n.
apply: le_trans (mean_excess h_gt0 r_ge1 r_sharp quarter quarter_lt1 P_gt0 u_in) _.
have -> : 2%:R / (1 - 4%:R^-1) = 8%:R / 3%:R :> R by field.
have r_gt0 : 0 < r by apply: lt_le_trans r_ge1.
have small_r : expR (- r) <= (4%:R * m)^-1.
  by rewrite expRN lef_pinv ?posrE ?expR_gt0 ?r_exp // mulr_gt0 ?ltr0n.
have small_1 : expR (- 1) <= 2%:R^-1 :> R.
  by rewrite expRN lef_pinv ?posrE ?expR_gt0 ?ltr0n ?e_ge2.
have small_2r : (2%:R * r)^-1 <= 2%:R^-1.
  by rewrite lef_pinv ?posrE ?mulr_gt0 ?ltr0n // ler_pmulr ?ltr0n ?r_ge1.
have r_ge0 : 0 <= (2%:R * r)^-1 by rewrite invr_ge0 mulr_ge0 ?ler0n // ltW.
have -> : h / (6%:R * m) = h * (4%:R * m)^-1 * (2%:R^-1 * 2%:R^-1) * (8%:R / 3%:R).
  by field; rewrite gt_eqF.
rewrite ler_wpmul2r ?divr_ge0 ?ler0n //; have h_ge0 := ltW h_gt0.
apply: ler_pmul; [by rewrite mulr_ge0 ?expR_ge0 | by rewrite mulr_ge0 ?expR_ge0 | |].
  by rewrite ler_wpmul2l.
by rewrite ler_pmul ?expR_ge0.
Qed.

(** The error is at most 5/3 L h. *)
Theorem grid_and_sharpness x o : (forall t, `|x t| <= D) ->
  `|smoother (r / h ^+ 2) (centre h) (fun j : cell T P => f (centre h j)) x o - f x o|
    <= 5%:R / 3%:R * (L * h).
Proof.
move=> x_box; have -> : 5%:R / 3%:R = 3%:R / 2%:R + 6%:R^-1 :> R by field.
apply: error_from_axes => // u /axis_small le; apply: le_trans le _.
by rewrite -/h -/m le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
Qed.

End GridAndSharpness.
