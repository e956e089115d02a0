(** * The distance d_p of Yun et al. (2020), from above

    d_p(f, g) <= eps over a set D of sequences, for all real p > 0: the integral over D of the p-
    th powers of all entries of f - g is at most eps^p, in the sense of [upper_integral.v].
    Proved: maps that are within e off strips and bands and have bounded distance on them have
    d_p(f, g) <= eps, if e and the strips are small enough for eps and the bound on strips, and
    the bands for those and the bound on bands. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp classical_sets.
From UAT.yun2020 Require Import theorem_2_hardmax upper_integral thin_sets.

Section Power.

Variables (R : realType) (p : R).
Hypothesis p_gt0 : 0 < p.
Implicit Types (x y v : R).

(** x^p, for x >= 0. *)
Definition power x : R := if 0 < x then expR (p * ln x) else 0.

Lemma power_ge0 x : 0 <= power x.
Proof. by rewrite /power; case: ifP => // _; apply/ltW/expR_gt0. Qed.

Lemma power_gt0 x : 0 < x -> 0 < power x.
Proof. by rewrite /power => ->; apply: expR_gt0. Qed.

Lemma power_mono x y : x <= y -> power x <= power y.
Proof.
move=> x_y; have [x_gt0|x_le0] := ltP 0 x; last first.
  by rewrite {1}/power ltNge x_le0 power_ge0.
have y_gt0 := lt_le_trans x_gt0 x_y.
by rewrite /power x_gt0 y_gt0 ler_expR ler_pmul2l // ler_ln ?posrE.
Qed.

Lemma power_small v : 0 < v -> exists2 x, 0 < x & power x <= v.
Proof.
move=> v_gt0; exists (expR (ln v / p)); first exact: expR_gt0.
by rewrite /power expR_gt0 expK mulrC mulfVK ?gt_eqF // lnK.
Qed.

End Power.

Section Distance.

Variables (R : realType) (d n : nat) (p : R).
Hypothesis p_gt0 : 0 < p.
Notation power := (power p).
Implicit Types (X Y : 'M[R]_(d.+1, n)) (f g : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)).

(** The p-th power of the l_p norm of a difference; d_p over a set D. *)
Definition gap X Y : R := \sum_i \sum_j power `|X i j - Y i j|.
Definition d_p_at_most (D : set 'M[R]_(d.+1, n)) f g (eps : R) :=
  integral_at_most (fun X => if `[< D X >] then gap (f X) (g X) else 0) (power eps).

Lemma gap_le e X Y : within e X Y -> gap X Y <= (d.+1 * n)%:R * power e.
Proof.
move=> near; apply: le_trans (_ : _ <= \sum_(i < d.+1) \sum_(j < n) power e) _.
  by apply: ler_sum => i _; apply: ler_sum => j _; apply: power_mono.
by rewrite !sumr_const !card_ord -mulrnA mulr_natl mulnC.
Qed.

Lemma enough (x v : R) : 0 <= x -> 0 < v -> exists2 Q, (0 < Q)%N & x / Q%:R <= v.
Proof.
move=> x_ge0 v_gt0; exists (Num.bound (x / v)).+1 => //; rewrite ler_pdivr_mulr ?ltr0n //.
have x_v_ge0 : 0 <= x / v by rewrite divr_ge0 // ltW.
have := ltW (archi_boundP x_v_ge0); rewrite ler_pdivr_mulr // mulrC => /le_trans; apply.
by rewrite ler_pmul2l // ler_nat.
Qed.

Theorem small_distance (D : set 'M[R]_(d.+1, n)) f (eps a F : R) : 0 < eps -> 0 < a ->
  exists e tau, [/\ 0 < e, e <= 1, 0 < tau & forall (G : R) m,
  exists2 w, 0 < w & forall off g,
  (forall X, D X -> out_of_box a X -> g X = f X) ->
  (forall X, D X -> ~ near_tokens tau X -> ~ in_bands m off w X -> within e (g X) (f X)) ->
  (forall X, D X -> ~ in_bands m off w X -> within F (g X) (f X)) ->
  (forall X, D X -> within G (g X) (f X)) -> d_p_at_most D f g eps].
Proof.
move=> eps_gt0 a_gt0; pose v := power eps / 3%:R; pose k : R := (d.+1 * n)%:R.
have v_gt0 : 0 < v by rewrite divr_gt0 ?ltr0n ?power_gt0.
pose V := (2%:R * a) ^+ (d.+1 * n); have V_gt0 : 0 < V by rewrite exprn_gt0 // mulr_gt0 ?ltr0n.
have k_ge0 : 0 <= k by rewrite ler0n.
have Vk1 : 0 < V * k + 1 := ltr_paddl (mulr_ge0 (ltW V_gt0) k_ge0) ltr01.
(* 1. The tolerance e, for one third of eps^p. *)
have [|e0 e0_gt0 e0_small] := power_small p_gt0 (v := v / (V * k + 1)).
  exact: divr_gt0.
pose e := Num.min e0 1; have e_gt0 : 0 < e by rewrite lt_minr e0_gt0 ltr01.
have part1 : V * (k * power e) <= v.
  have : power e <= v / (V * k + 1).
    by apply: le_trans e0_small; apply: power_mono; rewrite // le_minl lexx.
  rewrite ler_pdivl_mulr // mulrA; have := power_ge0 p e; move: (V * k) (power e) => x y; nra.
(* 2. The width of strips, for another third. *)
pose B x := k * power x; have B_ge0 x : 0 <= B x by rewrite mulr_ge0 ?power_ge0.
have [|Q Q_gt0 part2] := @enough (V * (3%:R * (n * n)%:R * B F)) v _ v_gt0.
  by rewrite mulr_ge0 ?(ltW V_gt0) // mulr_ge0 // mulr_ge0 ?ler0n.
exists e, (2%:R * a / Q%:R); split=> // [||G m]; first by rewrite le_minl lexx orbT.
  by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
(* 3. The width of bands, for the last. *)
have [|T T_gt0 part3] := @enough (V * (2%:R * (d.+1 * n * m)%:R * (B F + B G)) / Q%:R) v _ v_gt0.
  rewrite divr_ge0 ?ler0n // mulr_ge0 ?(ltW V_gt0) // mulr_ge0 //; last by rewrite addr_ge0.
  by rewrite mulr_ge0 ?ler0n.
exists (side a (Q * T)) => [|off g out good strip any].
  by rewrite side_gt0 // muln_gt0 Q_gt0.
(* 4. Count the cubes. *)
have := @off_thin_sets R d n a (B e) (B F) (B G) Q T m off
  (fun X => if `[< D X >] then gap (f X) (g X) else 0) a_gt0 Q_gt0 T_gt0 (B_ge0 F) (B_ge0 G).
have near_sym x X Y : within x X Y -> within x Y X by move=> le i j; rewrite distrC.
case=> [X out_X|X tau_X w_X|X w_X|X|a' [M [b [a'_gt0 M_gt0 b_ge b_out b_sum]]]].
- case: asboolP => // D_X; rewrite out // /gap big1 // => i _; rewrite big1 // => j _.
  by rewrite subrr normr0 /distance_d_p.power ltxx.
- by case: asboolP => [D_X|_]; [apply: gap_le; apply/near_sym/good | apply: B_ge0].
- case: asboolP => [D_X|_]; last by rewrite addr_ge0.
  by apply: (@le_trans _ _ (B F)); [apply: gap_le; apply/near_sym/strip | rewrite ler_addr].
- case: asboolP => [D_X|_]; last by rewrite !addr_ge0.
  apply: (@le_trans _ _ (B G)); first by apply: gap_le; apply/near_sym/any.
  by rewrite ler_addr addr_ge0.
exists a', M, b; split=> //; apply: le_trans b_sum _.
have -> : power eps = v + v + v by rewrite /v; field.
rewrite -/V [(Q * T)%:R]natrM; have Q_neq0 : Q%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have T_neq0 : T%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have -> : V * (B e + 3%:R * (n * n)%:R / Q%:R * B F +
    2%:R * (d.+1 * n * m)%:R / (Q%:R * T%:R) * (B F + B G)) =
  V * B e + V * (3%:R * (n * n)%:R * B F) / Q%:R +
  V * (2%:R * (d.+1 * n * m)%:R * (B F + B G)) / Q%:R / T%:R.
  move: (B e) (B F) (B G) ((n * n)%:R : R) ((d.+1 * n * m)%:R : R) => x y z r s; field.
  by rewrite Q_neq0 T_neq0.
by rewrite !ler_add.
Qed.

End Distance.
