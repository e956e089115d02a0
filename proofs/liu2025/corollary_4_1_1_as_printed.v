(** * Liu et al. (2025), Corollary 4.1.1 as printed is false

    "Let f denote any Lebesgue integrable function on a compact domain. Then there exists a
    self-attention Attn prepended with a Linear layer such that |f - Attn o Linear|_(L_p) <= eps",
    for 1 <= p < oo. Refuted for d = n = 1, p = 2, U = [0, 1] and f(z) = |z|^(-1/2): f is integrable
    (Lebesgue's integral, as in mathcomp-analysis), and for all sizes and weights the integral of
    |f - Attn o Linear|^2 is infinite. A 1 x 1 matrix is identified with its entry. (Repaired, as in
    the book: f in L_p; not proved here.) *)
From UAT Require Import transformers analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import ereal measure lebesgue_measure numfun lebesgue_integral realfun.
From UAT.liu2025 Require Import layers smoother bounded_networks pole pole_integrable.

Section Refuted.

Variables (R : realType) (g : R -> R) (B : R).
Notation mu := (@lebesgue_measure R).

Let D := [set` `[0, 1]%R] : set R.
Hypothesis B_gt0 : 0 < B.
Hypothesis g_B : forall x, D x -> `|g x| <= B.

(** From this step on the steps are below the error. *)
Let k0 := Num.bound (4%:R * B ^+ 2).

(** At this step 4^k is at least 4 B^2. *)
Lemma k0_large : 4%:R * B ^+ 2 <= 4%:R ^+ k0.
Proof.
have [sq_ge0 four] : 0 <= 4%:R * B ^+ 2 /\ (k0 <= 4 ^ k0)%N.
  by split; [rewrite mulr_ge0 ?ler0n ?sqr_ge0 | rewrite ltnW // ltn_expl].
by apply: le_trans (ltW (archi_boundP sq_ge0)) _; rewrite -natrX ler_nat.
Qed.

Let A k := [set` Interval (BRight 0) (BRight (place R k))] : set (measurableTypeR R).
Let mA k : measurable (A k). Proof. exact: measurable_itv. Qed.
Let height k : R := 3%:R / 16%:R * 4%:R ^+ k.
(** No step has a negative height. *)
Let height_ge0 k : 0 <= height k. Proof. by rewrite mulr_ge0 ?divr_ge0 ?exprn_ge0 ?ler0n. Qed.

(** The sum of the K steps from step k_0 on, each with its height. *)
Definition stairs K : {nnsfun measurableTypeR R >-> R} :=
  sum_nnsfun (fun k => scale_nnsfun (indic_nnsfun R (mA (k0 + k))) (height_ge0 (k0 + k))) K.

(** The stairs, as a sum of steps of one shape. *)
Lemma stairsE K x : stairs K x = 3%:R / 16%:R * \sum_(k < K) 4%:R ^+ (k0 + k) * step (k0 + k) x.
Proof.
rewrite /stairs sum_nnsfunE mulr_sumr; apply: eq_bigr => k _.
by rewrite /= /height mindicE mulrA /step /A mem_setE in_itv.
Qed.

(** Beyond the first step there are none. *)
Lemma stairs_far K x : ~~ (0 < x <= place R k0) -> stairs K x = 0.
Proof.
move=> far; rewrite stairsE big1 ?mulr0 // => k _; rewrite /step.
case: andP => [[x_gt0 x_k]|]; last by rewrite mulr0.
case/negP: far; rewrite x_gt0 (le_trans x_k) //.
by rewrite lef_pinv ?posrE ?exprn_gt0 ?ltr0n // ler_weexpn2l ?ler1n ?leq_addr.
Qed.

(** The error: (f - g)^2 >= f^2/2 - g^2. *)
Lemma error_large x : 0 < x -> x <= 1 -> 2%:R^-1 * x^-1 - B ^+ 2 <= `|pole x - g x| ^+ 2.
Proof.
move=> x_gt0 x_le1; rewrite sqr_norm -(pole_sqr x_gt0).
have : g x ^+ 2 <= B ^+ 2.
  by rewrite -sqr_norm ler_expn2r ?nnegrE ?(ltW B_gt0) // g_B // /D /= in_itv /= ltW.
have := sqr_ge0 (pole x - 2%:R * g x); set p := pole x; set q := g x => sq q_B.
have half : 0 <= 2%:R^-1 :> R by rewrite invr_ge0 ler0n.
apply: (le_from (ler_add (ler_wpmul2l half sq) q_B)); rewrite mulr0.
by field.
Qed.

(** On the steps it is at least as high as these. *)
Lemma stairs_below_error K x :
  ((stairs K x)%:E <= ((fun x => (`|pole x - g x| ^+ 2)%:E) \_ D) x)%E.
Proof.
rewrite /patch; have [x_small|x_large] := boolP (0 < x <= place R k0); last first.
  by rewrite stairs_far //; case: ifP => _; rewrite lee_fin ?exprn_ge0.
have /andP[x_gt0] := x_small => x_k0; have x_le1 : x <= 1 := le_trans x_k0 (place_le1 R k0).
rewrite ifT; last by rewrite inE /D /= in_itv /= (ltW x_gt0).
rewrite lee_fin stairsE; apply: le_trans (error_large x_gt0 x_le1).
have x_B : 4%:R * B ^+ 2 <= x^-1 by apply: le_trans k0_large _; rewrite -le_placeE.
have c_ge0 : 0 <= 3%:R / 16%:R :> R by rewrite divr_ge0 ?ler0n.
apply: le_trans (ler_wpmul2l c_ge0 (steps_below k0 K x_gt0)) _.
have quarter : 0 <= 4%:R^-1 :> R by rewrite invr_ge0 ler0n.
by apply: (le_from (ler_wpmul2l quarter x_B)); field; rewrite gt_eqF.
Qed.

(** Each step adds 3/16 to the integral. *)
Lemma stairs_integral K : (\int[mu]_x (stairs K x)%:E = (3%:R / 16%:R * K%:R)%:E)%E.
Proof.
transitivity (\int[mu]_x (\sum_(k < K) (height (k0 + k) * \1_(A (k0 + k)) x)%:E))%E.
  apply: eq_integral => x _; rewrite /stairs sum_nnsfunE -sumEFin.
  by apply: eq_bigr => k _; rewrite /= mindicE indicE.
have m_step (k : 'I_K) : measurable_fun setT (fun x => (height (k0 + k) * \1_(A (k0 + k)) x)%:E).
  by apply/EFin_measurable_fun/measurable_funrM/measurable_fun_indic.
have ge0_step (k : 'I_K) x : [set: R] x -> (0 <= (height (k0 + k) * \1_(A (k0 + k)) x)%:E)%E.
  by rewrite lee_fin mulr_ge0 ?height_ge0.
rewrite (ge0_integral_sum mu measurableT m_step ge0_step).
rewrite (eq_bigr (fun=> (3%:R / 16%:R)%:E)) => [|k _].
  by rewrite sumEFin sumr_const card_ord mulr_natr.
rewrite integral_step ?place_gt0 //; congr EFin.
by rewrite /height /place mulfK // expf_neq0 ?pnatr_eq0.
Qed.

(** What lies above all these stairs has an infinite integral. *)
Lemma infinite_above (h : R -> R) : (forall x, D x -> 0 <= h x) ->
  (forall K x, ((stairs K x)%:E <= ((fun x => (h x)%:E) \_ D) x)%E) ->
  (\int[mu]_(x in D) (h x)%:E = +oo)%E.
Proof.
move=> h_ge0 above; apply/eqyP => C C_gt0; pose K := Num.bound (C * 16%:R / 3%:R).
have C_K : C <= 3%:R / 16%:R * K%:R.
  have C'_ge0 : 0 <= C * 16%:R / 3%:R by rewrite divr_ge0 ?mulr_ge0 ?ler0n // ltW.
  have c_ge0 : 0 <= 3%:R / 16%:R :> R by rewrite divr_ge0 ?ler0n.
  by apply: (le_from (ler_wpmul2l c_ge0 (ltW (archi_boundP C'_ge0)))); rewrite -/K; field.
apply: (@le_trans _ _ (3%:R / 16%:R * K%:R)%:E); first by rewrite lee_fin.
rewrite -stairs_integral; apply: (@integral_above _ _ R mu D (fun x => (h x)%:E) (stairs K)) (above K).
by move=> x Dx; rewrite lee_fin h_ge0.
Qed.

(** The square of the error has an infinite integral. *)
Lemma error_infinite : (\int[mu]_(x in D) (`|pole x - g x| ^+ 2)%:E = +oo)%E.
Proof. by apply: infinite_above stairs_below_error => x _; rewrite exprn_ge0. Qed.

End Refuted.

(** For all sizes and weights the L_2 distance from |z|^(-1/2) on [0, 1] is infinite. *)
Theorem no_network_is_near (R : realType) r e N p (A : 'I_r -> 'M[R]_(e, 1))
    (B : 'I_r -> 'M[R]_(1, N)) (M : 'M[R]_(e, N)) (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(1, e))
    (W_O : 'M[R]_(N, 1)) :
  (\int[@lebesgue_measure R]_(x in [set` `[0, 1]%R])
    (`|pole x - attn W_K W_Q W_V W_O (linear A B M x%:M) ord0 ord0| ^+ 2)%:E = +oo)%E.
Proof.
have [c c_ge0 near] := attn_bounded W_K W_Q W_V W_O (linear_bounded A B M (@scalar_bounded R)).
apply: (@error_infinite _ _ (c + 1)) => [|x]; first exact: ltr_paddl.
by rewrite /= in_itv /= => x_in; rewrite (le_trans (near x x_in _ _)) // ler_addl.
Qed.

(** The printed corollary, for d = n = 1, p = 2 and U = [0, 1]. *)
Definition corollary_4_1_1_as_printed (R : realType) := forall f : R -> R,
  (@lebesgue_measure R).-integrable [set` `[0, 1]%R] (EFin \o f) -> forall eps : R, 0 < eps ->
  exists r e N p (A : 'I_r -> 'M[R]_(e, 1)) (B : 'I_r -> 'M[R]_(1, N)) (M : 'M[R]_(e, N))
    (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(1, e)) (W_O : 'M[R]_(N, 1)),
  (\int[@lebesgue_measure R]_(x in [set` `[0, 1]%R])
    (`|f x - attn W_K W_Q W_V W_O (linear A B M x%:M) ord0 ord0| ^+ 2)%:E <= (eps ^+ 2)%:E)%E.

(** It is false. *)
Theorem corollary_4_1_1_as_printed_is_false (R : realType) : ~ corollary_4_1_1_as_printed R.
Proof.
(* 1. The pole is integrable. If the corollary held, some head would be within 1 of it in L_2. *)
move=> /(_ _ (@pole_integrable R) 1 ltr01)[r [e [N [p [A [B [M [W_K [W_Q [W_V [W_O]]]]]]]]]]].
(* 2. But a head is bounded, and the square of the pole is not integrable: so each is infinitely far
   away. *)
by rewrite no_network_is_near leNgt ltry.
Qed.
