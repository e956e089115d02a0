(** * The function |z|^(-1/2) is integrable on [0, 1]

    In the sense of Lebesgue, by steps above it; and how to bound integrals from below by those
    of simple functions. *)
From UAT Require Import analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import ereal measure lebesgue_measure numfun lebesgue_integral realfun.
From UAT.liu2025 Require Import smoother pole.

Section Simple.

Context d (T : measurableType d) (R : realType) (mu : {measure set T -> \bar R}).

(** A simple function below [h] has a smaller integral; [h] need not be measurable. *)
Lemma integral_above (D : set T) (h : T -> \bar R) (s : {nnsfun T >-> R}) :
  (forall x, D x -> (0 <= h x)%E) -> (forall x, ((s x)%:E <= (h \_ D) x)%E) ->
  (\int[mu]_x (s x)%:E <= \int[mu]_(x in D) h x)%E.
Proof.
move=> h_ge0 s_h; rewrite integralT_nnsfun ge0_integralE //.
by apply: ereal_sup_ub; exists s.
Qed.

End Simple.

Section Measure.

Variable R : realType.
Notation mu := (@lebesgue_measure R).
Implicit Types (a b : R) (k : nat).

(** The length of an interval from 0 to b. *)
Lemma measure_from0 (bl : bool) b : 0 < b ->
  mu [set` Interval (BSide bl 0) (BRight b)] = b%:E.
Proof. by move=> b_gt0; rewrite lebesgue_measure_itv hlength_itv /= lte_fin b_gt0 -EFinB subr0. Qed.

(** The integral of a step. *)
Lemma integral_step (D : set R) (bl : bool) (c b : R) : measurable D ->
  [set` Interval (BSide bl 0%R) (BRight b)] `<=` D -> 0 <= c -> 0 < b ->
  (\int[mu]_(x in D) (c * \1_[set` Interval (BSide bl 0%R) (BRight b)] x)%:E = (c * b)%:E)%E.
Proof.
move=> mD A_D c_ge0 b_gt0; set A := [set` _] in A_D *.
have mA : measurable A by apply: measurable_itv.
have c_pos : (c < 0)%R -> A = set0 by rewrite ltNge c_ge0.
rewrite (@integralM_indic _ _ _ mu D mD (fun=> A) c c_pos mA).
by rewrite integral_indic // (setIidl A_D) EFinM; congr (_ * _)%E; apply: measure_from0.
Qed.

End Measure.

Section Integrable.

Variable R : realType.
Notation mu := (@lebesgue_measure R).

Let D := [set` `[0, 1]%R] : set R.
Let mD : measurable D. Proof. exact: measurable_itv. Qed.

(** Steps above the pole. *)
Let A k := [set` Interval (BLeft 0) (BRight (place R k))] : set R.
Let height k : R := 2%:R ^+ k.+1.
Let roof (x : R) : \bar R := (\sum_(k <oo) (height k * \1_(A k) x)%:E)%E.

Let mA k : measurable (A k). Proof. exact: measurable_itv. Qed.
Let height_ge0 k : 0 <= height k. Proof. by rewrite exprn_ge0 ?ler0n. Qed.

Let step_ge0 k x : (0 <= (height k * \1_(A k) x)%:E)%E.
Proof. by rewrite lee_fin mulr_ge0. Qed.

Let step_measurable k : measurable_fun D (fun x => (height k * \1_(A k) x)%:E).
Proof.
by apply/EFin_measurable_fun/measurable_funrM/measurable_fun_indic.
Qed.

(** The steps have a finite sum of areas. *)
Lemma sum_steps n : \sum_(k < n) height k * place R k <= 4%:R.
Proof.
suff -> : \sum_(k < n) height k * place R k = 4%:R - 4%:R / 2%:R ^+ n.
  by rewrite ler_subl_addr ler_addl divr_ge0 ?exprn_ge0 ?ler0n.
elim: n => [|n IH]; first by rewrite big_ord0 expr0 divr1 subrr.
rewrite big_ord_recr /= IH /height exprS; set t : R := 2%:R ^+ n.
have -> : place R n = t ^- 2 by rewrite /place /t -exprM mulnC exprM -(natrX R 2 2).
by field; rewrite expf_neq0 ?pnatr_eq0.
Qed.

(** So what stands above the pole has a finite integral. *)
Lemma roof_integral : (\int[mu]_(x in D) roof x < +oo)%E.
Proof.
rewrite integral_nneseries //.
have step_int k : (\int[mu]_(x in D) (height k * \1_(A k) x)%:E = (height k * place R k)%:E)%E.
  apply: integral_step => //; last exact: place_gt0.
  by move=> x; rewrite /D /= !in_itv /= => /andP[-> /le_trans->] //; apply: place_le1.
apply: (@le_lt_trans _ _ 4%:R%:E); last exact: ltry.
apply: lime_le.
  by apply: is_cvg_nneseries => k _; apply: integral_ge0 => x _; apply: step_ge0.
apply: nearW => n; rewrite (eq_bigr (fun k => (height k * place R k)%:E)) => [|k _].
  by rewrite big_mkord sumEFin lee_fin sum_steps.
exact: step_int.
Qed.

(** It does stand above. *)
Lemma pole_le_roof x : D x -> ((pole x)%:E <= roof x)%E.
Proof.
rewrite /D /= in_itv /= => /andP[x_ge0 x_le1]; have [k le_step] := pole_below x_ge0 x_le1.
apply: (@le_trans _ _ (height k * \1_(A k) x)%:E).
  by rewrite lee_fin indicE (le_trans le_step) // /A mem_setE in_itv /=.
apply: le_trans (nneseries_lim_ge k.+1 _); last by move=> n _; apply: step_ge0.
rewrite big_nat_recr //= lee_addr //; apply: sume_ge0 => n _; exact: step_ge0.
Qed.

(** The pole is continuous where it is not 0, so measurable there. *)
Lemma pole_measurable_pos : measurable_fun ([set` `]0, 1]%R] : set R) (@pole R).
Proof.
have m2 : measurable ([set` `]0, 2%:R[%R] : set R) by apply: measurable_itv.
have sub : ([set` `]0, 1]%R] : set R) `<=` ([set` `]0, 2%:R[%R] : set R).
  by move=> x; rewrite /= !in_itv /= => /andP[-> /le_lt_trans->] //; rewrite ltr1n.
apply: (measurable_funS m2 sub).
apply: open_continuous_measurable_fun; first exact: interval_open.
move=> x; rewrite inE /= in_itv /= => /andP[x_gt0 _].
have root : {for x, continuous (fun y : R => Num.sqrt `|y|)}.
  apply: (@continuous_comp _ _ _ (fun y : R => `|y|) (@Num.sqrt R)).
    exact: norm_continuous.
  exact: sqrt_continuous.
apply: (@continuousV _ _ (fun y : R => Num.sqrt `|y|)) root.
by rewrite gt_eqF // sqrtr_gt0 normr_gt0 gt_eqF.
Qed.

(** Any function is measurable at one point. *)
Lemma measurable_at (g : R -> R) (x : R) : measurable_fun [set x] g.
Proof.
move=> _ Y mY; have [Yx|Yx] := pselect (Y (g x)).
  suff -> : [set x] `&` g @^-1` Y = [set x] by exact: measurable_set1.
  by apply/seteqP; split=> [y []//|y /= ->].
suff -> : [set x] `&` g @^-1` Y = set0 by exact: measurable0.
by apply/seteqP; split=> [y [/= ->]|].
Qed.

(** So the pole is measurable. *)
Lemma pole_measurable : measurable_fun D (@pole R).
Proof.
have -> : D = [set 0] `|` [set` `]0, 1]%R].
  apply/seteqP; split=> x; rewrite /D /= !in_itv /=.
    move=> /andP[x_ge0 x_le1]; have [->|x_neq0] := eqVneq x 0; [by left | right].
    by rewrite lt_neqAle eq_sym x_neq0 x_ge0.
  by move=> [->|/andP[/ltW -> ->]] //; rewrite lexx ler01.
apply/measurable_funU; [exact: measurable_set1 | exact: measurable_itv | split].
  exact: measurable_at.
exact: pole_measurable_pos.
Qed.

(** The pole is integrable. *)
Theorem pole_integrable : mu.-integrable D (EFin \o @pole R).
Proof.
have m_pole := (EFin_measurable_fun D (@pole R)).2 pole_measurable.
apply: (@le_integrable _ _ R mu D mD _ roof m_pole).
  move=> x Dx /=; rewrite ger0_norm ?pole_ge0 // gee0_abs ?pole_le_roof //.
  by apply: nneseries_ge0 => k _; apply: step_ge0.
split.
  by apply: ge0_emeasurable_fun_sum => [k x|k]; [apply: step_ge0 | apply: step_measurable].
apply: le_lt_trans roof_integral; rewrite le_eqVlt; apply/orP; left; apply/eqP.
apply: eq_integral => x _; rewrite gee0_abs //.
by apply: nneseries_ge0 => k _; apply: step_ge0.
Qed.

End Integrable.
