(** * One axis of the grid: how much farther than 3/2 h is a place that is heard?

    A random place on one axis, drawn with the weights of the smoother at the sharpness r / h^2,
    is farther than 3/2 h by at most h exp(- r - 1) / (r (1 - c)) in the mean, if exp(r) >= 4 and
    exp(- r) <= c < 1 (steps 2 to 4 of the book's proof of "grid and sharpness", with powers of
    c in place of decimals). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother grid product tails.

Section Axis.

Variables (R : realType) (P : nat) (h r c u : R).
Hypotheses (h_gt0 : 0 < h) (r_ge1 : 1 <= r) (r_sharp : 4%:R <= expR r).
Hypotheses (r_c : expR (- r) <= c) (c_lt1 : c < 1).
Hypotheses (P_gt0 : (0 < P)%N) (u_in : `|u| <= P%:R * h).

Let s : 'I_P -> R := axis h (r / h ^+ 2) u.
(** How far u lies from the middle of cell k, beyond 3/2 of h; 0 for near ones. *)
Definition over (k : 'I_P) : R := Num.max (`|u - middle h k| - 3%:R / 2%:R * h) 0.

Let h_ge0 : 0 <= h. Proof. exact: ltW. Qed.
Let r_gt0 : 0 < r. Proof. exact: lt_le_trans r_ge1. Qed.

(** Beyond the nearest place, squares grow as in a Gaussian. *)
Lemma spread (t : R) n : `|t| <= h ->
  4%:R * h * (2%:R * h * n.+1%:R - t - h) <= (2%:R * h * n.+1%:R - t) ^+ 2 - t ^+ 2.
Proof.
move=> /(le_trans (ler_norm t)) t_h.
have : 0 <= 4%:R * h * n%:R * (h * n%:R - t).
  case: n => [|n]; first by rewrite mulr0 mul0r.
  by rewrite !mulr_ge0 ?ler0n // subr_ge0 (le_trans t_h) // ler_pmulr // ler1n.
by move=> nonneg; rewrite -subr_ge0; move: nonneg; rewrite [n.+1%:R]mulrS; congr (0 <= _); ring.
Qed.

(** The distance from [n + 1] steps away is not negative. *)
Lemma far_ge0 (t : R) n : `|t| <= h -> 0 <= 2%:R * h * n.+1%:R - t.
Proof.
move=> /(le_trans (ler_norm t)) t_h; rewrite subr_ge0 (le_trans t_h) //.
by rewrite mulrAC ler_pmull // -natrM ler1n.
Qed.

(** A place [n + 1] steps from one that is at [t], to either side. *)
Lemma steps (k0 k : 'I_P) : `|u - middle h k0| <= h -> k != k0 -> exists n (t : R), [/\
    `|t| <= h, `|u - middle h k| = 2%:R * h * n.+1%:R - t,
    t ^+ 2 = (u - middle h k0) ^+ 2 & decay c k0 k = c ^+ n].
Proof.
set t := u - middle h k0 => t_h k_k0.
rewrite /decay (negPf k_k0 : (k == k0 :> nat) = false).
case: ltngtP => [k_lt|k_gt|/val_inj e]; last by rewrite e eqxx in k_k0.
  exists (k0 - k.+1)%N, (- t); split; rewrite ?normrN ?sqrrN //.
  rewrite -[RHS]ger0_norm; last by rewrite far_ge0 ?normrN.
  by rewrite subnSK // natrB ?(ltnW k_lt) //; congr (`|_|); rewrite /t /middle -!muln2; ring.
exists (k - k0.+1)%N, t; split=> //.
rewrite -[RHS]ger0_norm; last exact: far_ge0.
rewrite subnSK // natrB ?(ltnW k_gt) // -normrN.
by congr (`|_|); rewrite /t /middle -!muln2; ring.
Qed.

Let c_ge0 : 0 <= c. Proof. exact: le_trans (expR_ge0 _) r_c. Qed.

(** exp(r) >= 4, so exp(- r / 2) is at most 1/2. *)
Lemma half : expR (- (r / 2%:R)) <= 2%:R^-1.
Proof.
rewrite expRN lef_pinv ?posrE ?expR_gt0 ?ltr0n //.
rewrite -(ler_pexpn2r (isT : (0 < 2)%N)) ?nnegrE ?ler0n ?expR_ge0 // -expRMm.
by rewrite mulrC divfK ?pnatr_eq0 // -natrX.
Qed.

(** The excess [y], in units of [h], times what is left of the weight. *)
Lemma excess_one (y : R) : y * expR (- (2%:R * r * y)) <= expR (- 1) / (2%:R * r).
Proof.
rewrite ler_pdivl_mulr ?mulr_gt0 ?ltr0n // mulrAC [y * _]mulrC.
exact: mul_expRN.
Qed.

(** Farther out there is a power of c besides. *)
Lemma excess_more (y : R) n : n.+1%:R + 2%:R^-1 <= y ->
  y * expR (- (2%:R * r * y)) <= expR (- 1) / (2%:R * r) * c ^+ n.+1.
Proof.
move=> y_far; rewrite [leRHS]mulrAC ler_pdivl_mulr ?mulr_gt0 ?ltr0n //.
have -> : y * expR (- (2%:R * r * y)) * (2%:R * r)
    = 2%:R * (r * y * expR (- (r * y))) * expR (- (r * y)).
  have -> : expR (- (2%:R * r * y)) = expR (- (r * y)) * expR (- (r * y)).
    by rewrite -expRD; congr expR; ring.
  by ring.
have small : expR (- (r * y)) <= c ^+ n.+1 * 2%:R^-1.
  apply: (@le_trans _ _ (expR (- r) ^+ n.+1 * expR (- (r / 2%:R)))).
    rewrite -expRMm -expRD ler_expR; apply: (le_from (ler_wpmul2l (ltW r_gt0) y_far)).
    by field.
  rewrite ler_pmul ?exprn_ge0 ?expR_ge0 ?half //.
  by rewrite ler_expn2r ?nnegrE ?expR_ge0.
apply: le_trans (ler_pmul _ (expR_ge0 _) (ler_wpmul2l (ler0n R 2) (mul_expRN (r * y))) small) _.
  have y_ge0 : 0 <= y by apply: le_trans y_far; rewrite addr_ge0 ?invr_ge0 ?ler0n.
  by rewrite !mulr_ge0 ?ler0n ?expR_ge0 // ltW.
by rewrite [2%:R * _]mulrC -mulrA [2%:R * (_ / _)]mulrC divfK ?pnatr_eq0.
Qed.

(** The weight of a place [n + 1] steps away. *)
Lemma weight (k0 k : 'I_P) (t : R) n : `|t| <= h ->
  `|u - middle h k| = 2%:R * h * n.+1%:R - t -> t ^+ 2 = (u - middle h k0) ^+ 2 ->
  softmax s k <=
    expR (- r) * expR (- (2%:R * r * ((2%:R * h * n.+1%:R - t) / h - 3%:R / 2%:R))).
Proof.
move=> t_h x_eq t_eq; rewrite -expRD; apply: le_trans (softmax_le s k k0) _.
have rho_ge0 : 0 <= r / h ^+ 2 / 2%:R by rewrite !divr_ge0 ?ler0n ?sqr_ge0 // ltW.
rewrite ler_expR /s /axis -(sqr_norm (u - middle h k)) x_eq -t_eq.
apply: (le_from (ler_wpmul2l rho_ge0 (spread n t_h))).
by field; rewrite gt_eqF.
Qed.

(** Its excess in the mean, if it has one: one step away x exp(-x) is at most exp(-1), and farther it is
    half a unit more a step. *)
Lemma excess_steps (t : R) n (y := (2%:R * h * n.+1%:R - t) / h - 3%:R / 2%:R) : `|t| <= h ->
  y * expR (- (2%:R * r * y)) <= expR (- 1) / (2%:R * r) * c ^+ n.
Proof.
move=> t_h; case: n @y => [|n] y; first by rewrite expr0 mulr1 excess_one.
apply: excess_more; have t_1 : t / h <= 1.
  by rewrite ler_pdivr_mulr // mul1r (le_trans (ler_norm t)).
rewrite -subr_ge0 (_ : y - _ = n%:R + (1 - t / h)); first by rewrite addr_ge0 ?ler0n // subr_ge0.
by rewrite /y; field; rewrite gt_eqF.
Qed.

(** The excess of a place, with its weight, falls with the steps from the nearest one, [k0]. *)
Lemma excess_small (k0 k : 'I_P) : `|u - middle h k0| <= h ->
  softmax s k * over k <= h * expR (- r) * (expR (- 1) / (2%:R * r)) * decay c k0 k.
Proof.
move=> k0_near; have scale_ge0 : 0 <= expR (- 1) / (2%:R * r).
  by rewrite divr_ge0 ?expR_ge0 ?mulr_ge0 ?ler0n ?(ltW r_gt0).
(* 1. The nearest place does not exceed 3/2 h. *)
have [->|k_k0] := eqVneq k k0.
  rewrite /decay eqxx mulr0 /over max_r ?mulr0 // subr_le0 (le_trans k0_near) // ler_pmull //.
  by rewrite ler_pdivl_mulr ?ltr0n // mul1r ler_nat.
(* 2. Any other one is [n + 1] steps away; let [y] be its excess in units of [h]. *)
have [n [t [t_h x_eq t_eq ->]]] := steps k0_near k_k0.
have := weight t_h x_eq t_eq; have := excess_steps n t_h; set y := _ / h - _ => excess_y weight_y.
have -> : over k = h * Num.max y 0.
  rewrite /over x_eq maxr_pmulr // mulr0; congr (Num.max _ _).
  by rewrite /y; field; rewrite gt_eqF.
have [y_le0|y_gt0] := leP y 0.
  by rewrite !mulr0 mulr_ge0 ?exprn_ge0 // mulr_ge0 // mulr_ge0 ?expR_ge0.
(* 3. Its weight falls with [y]. *)
apply: le_trans (ler_wpmul2r _ weight_y) _; first by rewrite mulr_ge0 // ltW.
rewrite [expR (- r) * _ * _](_ : _ = h * expR (- r) * (y * expR (- (2%:R * r * y)))); last by ring.
by rewrite -[leRHS]mulrA ler_wpmul2l ?mulr_ge0 ?expR_ge0.
Qed.

(** The mean excess on one axis. *)
Lemma mean_excess : \sum_k softmax s k * over k
  <= h * expR (- r) * (expR (- 1) / (2%:R * r)) * (2%:R / (1 - c)).
Proof.
have [k0 k0_near] := near_some_middle P_gt0 u_in.
set a := h * _ * _; apply: (@le_trans _ _ (\sum_(k < P) a * decay c k0 k)).
  by apply: ler_sum => k _; apply: excess_small.
rewrite -mulr_sumr ler_wpmul2l ?sum_decay //.
by rewrite !mulr_ge0 ?expR_ge0 ?invr_ge0 ?mulr_ge0 ?ler0n // ltW.
Qed.

End Axis.
