(** * The function |z|^(-1/2): integrable on [0, 1], and too large for its square to be

    Sums of steps at 4^(-k): below 1/x they show that the integral of 1/x is infinite, above
    x^(-1/2) that its integral is finite. *)
From UAT Require Import analysis.
From mathcomp.analysis Require Import ereal measure lebesgue_measure numfun lebesgue_integral realfun.
From UAT.liu2025 Require Import smoother.

Section Pole.

Variable R : realType.
Implicit Types (x : R) (k K : nat).

(** The places of the steps. *)
Definition place k : R := 4%:R ^- k.

(** Places are positive. *)
Lemma place_gt0 k : 0 < place k.
Proof. by rewrite invr_gt0 exprn_gt0 ?ltr0n. Qed.

(** Places are at most 1. *)
Lemma place_le1 k : place k <= 1.
Proof. by rewrite invf_le1 ?exprn_gt0 ?ltr0n // exprn_ege1 // ler1n. Qed.

(** The step that is 1 between 0 and its place, and 0 elsewhere. *)
Definition step k x : R := (0 < x <= place k)%R%:R.

(** What is below a place has a large inverse. *)
Lemma le_placeE k x : 0 < x -> (x <= place k) = (4%:R ^+ k <= x^-1).
Proof.
move=> x_gt0; rewrite -[x in LHS]invrK lef_pinv ?posrE ?invr_gt0 ?exprn_gt0 ?ltr0n //.
Qed.

(** Steps of height 4^k stay below 4/3 of 1/x. *)
Lemma steps_below k0 K x : 0 < x ->
  \sum_(k < K) 4%:R ^+ (k0 + k) * step (k0 + k) x <= 4%:R / 3%:R * x^-1.
Proof.
move=> x_gt0; suff [] : \sum_(k < K) 4%:R ^+ (k0 + k) * step (k0 + k) x <= 4%:R / 3%:R * x^-1
    /\ \sum_(k < K) 4%:R ^+ (k0 + k) * step (k0 + k) x <= 3%:R^-1 * 4%:R ^+ (k0 + K) by [].
have pow_ge0 n : 0 <= 4%:R ^+ n :> R by rewrite exprn_ge0 ?ler0n.
elim: K => [|K [IH IH']].
  by rewrite big_ord0 !mulr_ge0 ?invr_ge0 ?pow_ge0 ?ler0n ?(ltW x_gt0).
have stepE : step (k0 + K) x = (4%:R ^+ (k0 + K) <= x^-1)%R%:R by rewrite /step x_gt0 -le_placeE.
rewrite big_ord_recr /= stepE; case: (leP (_ ^+ (k0 + K)) x^-1) => [x_small|_]; last first.
  rewrite /= mulr0 addr0; split=> //; apply: le_trans IH' _.
  by rewrite ler_wpmul2l ?invr_ge0 ?ler0n // addnS exprS ler_pemull // ler1n.
rewrite /= mulr1.
have e : 3%:R^-1 * 4%:R ^+ (k0 + K) + 4%:R ^+ (k0 + K)
    = 3%:R^-1 * 4%:R ^+ (k0 + K.+1) :> R.
  by rewrite addnS exprS; field.
have := IH'; rewrite -(ler_add2r (4%:R ^+ (k0 + K))) e => step_le; split=> //.
by apply: le_trans step_le _; rewrite addnS exprS mulrA [3%:R^-1 * _]mulrC ler_wpmul2l.
Qed.

(** Any x in (0, 1] is between two places. *)
Lemma between_places x : 0 < x -> x <= 1 -> exists k, place k.+1 < x <= place k.
Proof.
move=> x_gt0 x_le1.
have [] := @ex_minnP (fun k => place k < x).
  exists (Num.bound x^-1); rewrite ltNge le_placeE // -ltNge.
  apply: lt_le_trans (archi_boundP _) _; first by rewrite invr_ge0 ltW.
  by rewrite -natrX ler_nat ltnW // ltn_expl.
case=> [|k] x_gt least; first by move: x_gt; rewrite /place expr0 invr1 ltNge x_le1.
exists k; rewrite x_gt leNgt /=; apply/negP => /least.
by rewrite ltnn.
Qed.

(** The function |x|^(-1/2), and 0 at 0. *)
Definition pole x : R := (Num.sqrt `|x|)^-1.

(** The function is not negative. *)
Lemma pole_ge0 x : 0 <= pole x.
Proof. by rewrite invr_ge0 sqrtr_ge0. Qed.

(** The square of the function is 1/x. *)
Lemma pole_sqr x : 0 < x -> pole x ^+ 2 = x^-1.
Proof. by move=> x_gt0; rewrite exprVn sqr_sqrtr ?normr_ge0 // gtr0_norm. Qed.

(** At each x it is below a step of height 2^(k+1), for some k. *)
Lemma pole_below x : 0 <= x -> x <= 1 ->
  exists k, pole x <= 2%:R ^+ k.+1 * (0 <= x <= place k)%R%:R.
Proof.
move=> x_ge0 x_le1; have [->|x_neq0] := eqVneq x 0.
  by exists 0%N; rewrite /pole normr0 sqrtr0 invr0 mulr_ge0 ?exprn_ge0 ?ler0n.
have x_gt0 : 0 < x by rewrite lt_neqAle eq_sym x_neq0.
have [k /andP[x_gt x_le]] := between_places x_gt0 x_le1.
exists k; rewrite x_ge0 x_le mulr1.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?pole_ge0 ?exprn_ge0 ?ler0n // pole_sqr //.
rewrite exprAC -natrX ltW // ltNge -le_placeE //.
by rewrite -ltNge.
Qed.

End Pole.
