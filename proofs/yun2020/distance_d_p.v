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

(** The p-th power of the gap, which is the l_p norm of the difference. *)
Definition gap X Y : R := \sum_i \sum_j power `|X i j - Y i j|.
(** d_p(f, g) <= eps over D: some step function is nowhere below the p-th power of the gap of f and g there, and its
    integral is at most eps^p. (It is nowhere below 0 off D.) *)
Definition d_p_at_most (D : set 'M[R]_(d.+1, n)) f g (eps : R) :=
  integral_at_most (fun X => if `[< D X >] then gap (f X) (g X) else 0) (power eps).

Lemma gap_le e X Y : within e X Y -> gap X Y <= (d.+1 * n)%:R * power e.
Proof.
move=> near; apply: le_trans (_ : _ <= \sum_(i < d.+1) \sum_(j < n) power e) _.
  by apply: ler_sum => i _; apply: ler_sum => j _; apply: power_mono.
by rewrite !sumr_const !card_ord -mulrnA mulr_natl mulnC.
Qed.

(** There is no gap between a sequence and itself. *)
Lemma gap_same X : gap X X = 0.
Proof.
by rewrite /gap big1 // => i _; rewrite big1 // => j _; rewrite subrr normr0 /distance_d_p.power ltxx.
Qed.

(** Divided by enough, a number is as small as one likes. *)
Lemma enough (x v : R) : 0 <= x -> 0 < v -> exists2 Q, (0 < Q)%N & x / Q%:R <= v.
Proof.
move=> x_ge0 v_gt0; exists (Num.bound (x / v)).+1 => //; rewrite ler_pdivr_mulr ?ltr0n //.
have x_v_ge0 : 0 <= x / v by rewrite divr_ge0 // ltW.
have := ltW (archi_boundP x_v_ge0); rewrite ler_pdivr_mulr // mulrC => /le_trans; apply.
by rewrite ler_pmul2l // ler_nat.
Qed.

(** A tolerance whose p-th power is as small as one likes, even a number of times. *)
Lemma tolerance (x v : R) : 0 <= x -> 0 < v ->
  exists e, [/\ 0 < e, e <= 1 & x * power e <= v].
Proof.
move=> x_ge0 v_gt0; have x1_gt0 : 0 < x + 1 := ltr_paddl x_ge0 ltr01.
have [e e_gt0 e_small] := power_small p_gt0 (divr_gt0 v_gt0 x1_gt0).
exists (Num.min e 1); split; [by rewrite lt_minr e_gt0 ltr01 | by rewrite le_minl lexx orbT |].
have least : Num.min e 1 <= e by rewrite le_minl lexx.
have := le_trans (power_mono p_gt0 least) e_small; rewrite ler_pdivl_mulr //; apply: le_trans.
by rewrite mulrC; apply: ler_wpmul2l; rewrite ?power_ge0 ?ler_addl ?ler01.
Qed.

(** All entries within x: so much is the gap at most. *)
Notation most x := ((d.+1 * n)%:R * power x).

(** The bound for the gap of sequences within x of each other is not negative. *)
Lemma most_ge0 x : 0 <= most x.
Proof. by rewrite mulr_ge0 ?ler0n ?power_ge0. Qed.

(** ** Off strips and bands *)
Variables (D : set 'M[R]_(d.+1, n)) (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) (a e F G : R).
Hypothesis a_gt0 : 0 < a.
Notation box := ((2%:R * a) ^+ (d.+1 * n)).

(** What is far off on thin sets only has a small p-th power on the whole. *)
Lemma distance_off_thin_sets g (Q T m : nat) edges : (0 < Q)%N -> (0 < T)%N ->
  let w := side a (Q * T) in
  (forall X, D X -> out_of_box a X -> g X = f X) ->
  (forall X, D X -> ~ near_tokens (2%:R * a / Q%:R) X -> ~ in_bands m edges w X ->
    within e (g X) (f X)) ->
  (forall X, D X -> ~ in_bands m edges w X -> within F (g X) (f X)) ->
  (forall X, D X -> within G (g X) (f X)) ->
  integral_at_most (fun X => if `[< D X >] then gap (f X) (g X) else 0)
    (box * (most e + 3%:R * (n * n)%:R / Q%:R * most F +
      2%:R * (d.+1 * n * m)%:R / (Q * T)%:R * (most F + most G))).
Proof.
move=> Q_gt0 T_gt0 w out good strip any.
have le x X : within x (g X) (f X) -> gap (f X) (g X) <= most x.
  by move=> near; apply: gap_le => i j; rewrite distrC.
apply: (off_thin_sets (e := edges)) => // [||X out_X|X tau_X w_X|X w_X|X]; try exact: most_ge0.
- by case: asboolP => // D_X; rewrite out // gap_same.
- by case: asboolP => [D_X|_]; [apply: le; apply: good | apply: most_ge0].
- case: asboolP => [D_X|_]; last by rewrite addr_ge0 ?most_ge0.
  by apply: le_trans (le F X _) _; [apply: strip | rewrite ler_addr most_ge0].
case: asboolP => [D_X|_]; last by rewrite !addr_ge0 ?most_ge0.
by apply: le_trans (le G X _) _; [apply: any | rewrite ler_addr addr_ge0 ?most_ge0].
Qed.

(** It is at most three times v, if each of the three parts is at most v. *)
Lemma three_parts (Q T m : nat) v : (0 < Q)%N -> (0 < T)%N -> box * (d.+1 * n)%:R * power e <= v ->
  box * (3%:R * (n * n)%:R * most F) / Q%:R <= v ->
  box * (2%:R * (d.+1 * n * m)%:R * (most F + most G)) / Q%:R / T%:R <= v ->
  box * (most e + 3%:R * (n * n)%:R / Q%:R * most F +
    2%:R * (d.+1 * n * m)%:R / (Q * T)%:R * (most F + most G)) <= v + v + v.
Proof.
move=> Q_gt0 T_gt0 part1 part2 part3; rewrite -mulrA in part1.
have [Q_neq0 T_neq0] : Q%:R != 0 :> R /\ T%:R != 0 :> R by rewrite !pnatr_eq0 -!lt0n.
apply: le_trans (ler_add (ler_add part1 part2) part3); rewrite le_eqVlt; apply/orP; left.
rewrite [(Q * T)%:R]natrM; move: (most e) (most F) (most G) => x y z.
move: ((n * n)%:R : R) ((d.+1 * n * m)%:R : R) => r s; apply/eqP; field.
by rewrite Q_neq0 T_neq0.
Qed.

End Distance.

(** There are e, a width of strips, and for every G and number of bands a width of these, such that d_p is at most
    eps if the error is at most e, on strips F and on bands G. *)
Theorem small_distance (R : realType) d n (p : R) (p_gt0 : 0 < p) (D : set 'M[R]_(d.+1, n)) f
    (eps a F : R) : 0 < eps -> 0 < a ->
  exists e tau, [/\ 0 < e, e <= 1, 0 < tau & forall (G : R) m,
  exists2 w, 0 < w & forall edges g,
  (forall X, D X -> out_of_box a X -> g X = f X) ->
  (forall X, D X -> ~ near_tokens tau X -> ~ in_bands m edges w X -> within e (g X) (f X)) ->
  (forall X, D X -> ~ in_bands m edges w X -> within F (g X) (f X)) ->
  (forall X, D X -> within G (g X) (f X)) -> d_p_at_most p D f g eps].
Proof.
move=> eps_gt0 a_gt0; pose v := power p eps / 3%:R; pose V := (2%:R * a) ^+ (d.+1 * n).
have v_gt0 : 0 < v by rewrite divr_gt0 ?ltr0n ?power_gt0.
have V_ge0 : 0 <= V by rewrite exprn_ge0 // mulr_ge0 ?ler0n // ltW.
pose B x := (d.+1 * n)%:R * power p x; have B_ge0 x : 0 <= B x := most_ge0 d n p x.
(* 1. The tolerance e off strips and bands: for one third of eps^p. *)
have [|e [e_gt0 e_le1 part1]] := tolerance p_gt0 (x := V * (d.+1 * n)%:R) _ v_gt0.
  by rewrite mulr_ge0 ?ler0n.
(* 2. Strips so thin that the bound F on them costs another third. *)
have [|Q Q_gt0 part2] := @enough R (V * (3%:R * (n * n)%:R * B F)) v _ v_gt0.
  by rewrite mulr_ge0 // mulr_ge0 // mulr_ge0 ?ler0n.
exists e, (2%:R * a / Q%:R); split=> // [|G m]; first by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
(* 3. Bands so narrow, once G is known, that the bound G on them costs the last. *)
have [|T T_gt0 part3] :=
    @enough R (V * (2%:R * (d.+1 * n * m)%:R * (B F + B G)) / Q%:R) v _ v_gt0.
  by rewrite divr_ge0 ?ler0n // mulr_ge0 // mulr_ge0 ?addr_ge0 // mulr_ge0 ?ler0n.
exists (side a (Q * T)) => [|edges g out good strip any]; first by rewrite side_gt0 // muln_gt0 Q_gt0.
(* 4. Together the three parts are eps^p. *)
have -> : d_p_at_most p D f g eps = integral_at_most
    (fun X => if `[< D X >] then gap p (f X) (g X) else 0) (v + v + v).
  by rewrite /d_p_at_most; congr integral_at_most; rewrite /v; field.
apply: integral_at_most_le (distance_off_thin_sets p_gt0 a_gt0 Q_gt0 T_gt0 out good strip any).
exact: three_parts.
Qed.
