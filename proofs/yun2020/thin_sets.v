(** * Thin sets have a small part of the box

    Over a box [-a, a) in each entry, cut into cubes: few cubes meet strips (two tokens nearer
    than tau in the first row) or bands (an entry in [e - w, e), e one of finitely many numbers
    for each place, w the side of a cube). So a function that is small off strips and bands,
    bounded on strips, and bounded on bands has a small integral, first for thin strips, then for
    narrow bands. For all d >= 1, n, any ordered field. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import upper_integral.
Section Integral.
Variables (R : realFieldType) (d n : nat).
Notation place := ('I_d.+1 * 'I_n)%type.
Implicit Types (X : 'M[R]_(d.+1, n)) (h : 'M[R]_(d.+1, n) -> R).
(** ** The cells that meet them *)

Section Cells.

Variables (a : R) (M : nat).
Hypotheses (a_gt0 : 0 < a) (M_gt0 : (0 < M)%N).
Notation cell := {ffun place -> 'I_M}.
Notation s := (side a M).
Implicit Types (c : cell) (v : 'I_M).

Lemma side_gt0 : 0 < s.
Proof. by rewrite divr_gt0 ?mulr_gt0 ?ltr0n. Qed.

Lemma card_place : #|{: place}| = (d.+1 * n)%N.
Proof. by rewrite card_prod !card_ord. Qed.

Definition near_cells r (v v' : 'I_M) := (v <= v' + r)%N && (v' <= v + r)%N.
Definition on_strip r c :=
  [exists q : 'I_n * 'I_n, (q.1 != q.2) && near_cells r (c (ord0, q.1)) (c (ord0, q.2))].

Lemma strip_count r :
  (M * #|[set c | on_strip r c]| <= n * n * ((r + r).+1 * M ^ (d.+1 * n)))%N.
Proof.
pose P (q : 'I_n * 'I_n) c := (q.1 != q.2) && near_cells r (c (ord0, q.1)) (c (ord0, q.2)).
apply: leq_trans (_ : _ <= M * \sum_q #|[set c | P q c]|)%N _.
  by rewrite leq_mul2l (union_bound P) orbT.
rewrite big_distrr /= -[X in (X * X)%N]card_ord -card_prod -sum_nat_const; apply: leq_sum => q _.
rewrite -card_place; apply: (few_values (y := (ord0, q.2))
  (P := fun c v => (q.1 != q.2) && near_cells r (c (ord0, q.1)) v)) => [c u v|c].
  by case: eqP => //= q12; rewrite ffunE; case: eqP => // -[].
have window (x y : nat) : (x <= y + r -> y <= x + r -> x - r <= y < x - r + (r + r).+1)%N by lia.
by apply: (@window_card _ (c (ord0, q.1) - r)) => v /andP[_ /andP[le ge]]; apply: window.
Qed.

Lemma near_tokens_cell r X c : in_cube a c X ->
  near_tokens (r%:R * s) X -> on_strip r c.
Proof.
move=> X_c [j [k [jk near]]]; apply/existsP; exists (j, k); rewrite jk /=.
have := X_c ord0 j; have := X_c ord0 k; rewrite /near_cells; move: near; rewrite ltr_norml.
have pos := side_gt0; have lt_nat (x y : nat) : x%:R * s < (y%:R + r%:R + 1) * s -> (x <= y + r)%N.
  by rewrite ltr_pmul2r // -natrD -mulrSr ltr_nat ltnS.
move=> /andP[ge lt] /andP[k_ge k_lt] /andP[j_ge j_lt]; apply/andP; split; apply: lt_nat.
all: by rewrite !mulrDl mul1r; move: ge lt k_ge k_lt j_ge j_lt; lra.
Qed.

(** Of the values of an entry at most two have cells that meet a band as wide as a cell. *)
Definition hit (alpha : R) v := alpha - 2%:R * s < v%:R * s < alpha.

Lemma hit_two alpha : (#|[set v : 'I_M | hit alpha v]| <= 2)%N.
Proof.
have pos := side_gt0; have [v0 hit0|none] := pickP (hit alpha); last first.
  by rewrite (_ : [set v | hit alpha v] = set0) ?cards0 //; apply/setP => v; rewrite !inE none.
have [v1 hit1 least] := arg_minnP (fun v : 'I_M => val v) hit0.
apply: (@window_card _ v1) => v hit_v; rewrite least //=.
move: hit_v hit1 => /andP[_ lt] /andP[gt _]; rewrite -(ltr_nat R) natrD -(ltr_pmul2r pos) mulrDl.
by move: lt gt; lra.
Qed.

Variables (m : nat) (e : 'I_d.+1 -> 'I_n -> nat -> R).
Definition on_band c :=
  [exists q : place * 'I_m, hit (e q.1.1 q.1.2 q.2 + a) (c q.1)].

Lemma band_count : (M * #|[set c | on_band c]| <= d.+1 * n * m * (2 * M ^ (d.+1 * n)))%N.
Proof.
pose P (q : place * 'I_m) c := hit (e q.1.1 q.1.2 q.2 + a) (c q.1).
apply: leq_trans (_ : _ <= M * \sum_q #|[set c | P q c]|)%N _.
  by rewrite leq_mul2l (union_bound P) orbT.
rewrite big_distrr /= -{1}card_place -[X in (_ * X * _)%N]card_ord -card_prod -sum_nat_const.
apply: leq_sum => q _; rewrite -card_place.
apply: (few_values (y := q.1) (P := fun c v => hit (e q.1.1 q.1.2 q.2 + a) v)) => // c.
exact: hit_two.
Qed.

Lemma in_bands_cell X c : in_cube a c X -> in_bands m e s X -> on_band c.
Proof.
move=> X_c [i [j [k [k_m /andP[ge lt]]]]]; apply/existsP; exists ((i, j), Ordinal k_m) => /=.
have /andP[c_le c_lt] := X_c i j; rewrite /hit.
by apply/andP; split; move: ge lt c_le c_lt; lra.
Qed.

End Cells.

(** ** Small off thin sets, bounded on them: a small integral *)
Section Cubes.

Variables (a B1 B2 B3 : R) (Q T m : nat) (e : 'I_d.+1 -> 'I_n -> nat -> R).
Hypotheses (a_gt0 : 0 < a) (Q_gt0 : (0 < Q)%N) (T_gt0 : (0 < T)%N).
Notation M := (Q * T)%N.
Notation w := (side a M).
Notation cell := {ffun place -> 'I_M}.
Notation volume := (w ^+ (d.+1 * n)).
Notation box := ((2%:R * a) ^+ (d.+1 * n)).

Let M_gt0 : (0 < M)%N.
Proof. by rewrite muln_gt0 Q_gt0. Qed.

(** The bound on a cube: B1 if it meets no thin set, B2 more on a strip, B2 + B3 more on a band. *)
Definition on_cell (c : cell) : R :=
  B1 + (on_strip T c)%:R * B2 + (on_band a m e c)%:R * (B2 + B3).

(** It is one, as a strip is T cubes wide and a band one. *)
Lemma on_cell_bounds h X c : 0 <= B2 -> in_cube a c X ->
  (~ near_tokens (2%:R * a / Q%:R) X -> ~ in_bands m e w X -> h X <= B1) ->
  (~ in_bands m e w X -> h X <= B1 + B2) -> h X <= B1 + B2 + B3 -> h X <= on_cell c.
Proof.
move=> B2_ge0 X_c h_good h_strip h_any; have tauE : 2%:R * a / Q%:R = T%:R * w.
  by rewrite /side natrM; field; rewrite !pnatr_eq0 -!lt0n Q_gt0 T_gt0.
rewrite /on_cell; have [band|no_band] := boolP (on_band a m e c); last first.
  have off : ~ in_bands m e w X by move/(in_bands_cell a_gt0 X_c); apply/negP.
  have [strip|no_strip] := boolP (on_strip T c); first by rewrite mul1r mul0r addr0 h_strip.
  rewrite !mul0r !addr0; apply: h_good => //.
  by rewrite tauE => /(near_tokens_cell a_gt0 M_gt0 X_c); apply/negP.
have : 0 <= (on_strip T c)%:R * B2 by rewrite mulr_ge0 ?ler0n.
by rewrite mul1r; move: h_any; lra.
Qed.

(** The volume of the box is that of its cubes together; *)
Lemma box_in_cubes : volume * (M ^ (d.+1 * n))%:R = box.
Proof. by rewrite natrX -exprMn /side mulfVK // gt_eqF // ltr0n. Qed.

(** few cubes have a small part of it, *)
Lemma few_cubes (S A : nat) : (M * S <= A * M ^ (d.+1 * n))%N ->
  volume * S%:R <= box * (A%:R / M%:R).
Proof.
move=> few; have volume_ge0 : 0 <= volume by rewrite exprn_ge0 // ltW ?side_gt0.
rewrite mulrA ler_pdivl_mulr ?ltr0n // -[X in _ <= X * _]box_in_cubes.
have : M%:R * S%:R <= A%:R * (M ^ (d.+1 * n))%:R :> R by rewrite -!natrM ler_nat.
by move/(ler_wpmul2l volume_ge0); move: _%:R _%:R _%:R _%:R => x y z t; rewrite !mulrA; lra.
Qed.

(** such as those on strips, *)
Lemma strips_small :
  volume * #|[set c : cell | on_strip T c]|%:R <= box * (3%:R * (n * n)%:R / Q%:R).
Proof.
apply: le_trans (few_cubes (A := (n * n * (T + T).+1)%N) _) _.
  by rewrite -[X in (_ <= X)%N]mulnA; apply: strip_count.
have [Q_pos T_pos] : 0 < Q%:R :> R /\ 0 < T%:R :> R by rewrite !ltr0n.
rewrite ler_wpmul2l ?exprn_ge0 ?mulr_ge0 ?ler0n ?(ltW a_gt0) //.
rewrite ler_pdivl_mulr // mulrAC ler_pdivr_mulr ?ltr0n // natrM -!natrM.
by rewrite ler_nat; move: T_gt0; nia.
Qed.

(** and those on bands. *)
Lemma bands_small : volume * #|[set c : cell | on_band a m e c]|%:R <=
  box * (2%:R * (d.+1 * n * m)%:R / M%:R).
Proof.
rewrite -natrM; apply: few_cubes.
by rewrite [(2 * _)%N]mulnC -[X in (_ <= X)%N]mulnA; apply: band_count.
Qed.

(** So the step function has this integral: it counts the cubes. *)
Lemma on_cell_integral : \sum_c on_cell c * volume = box * B1 +
  volume * #|[set c : cell | on_strip T c]|%:R * B2 +
  volume * #|[set c : cell | on_band a m e c]|%:R * (B2 + B3).
Proof.
have spread (x y z v : R) : (B1 * x + y * B2 + z * (B2 + B3)) * v =
    v * x * B1 + v * y * B2 + v * z * (B2 + B3) by ring.
rewrite -big_distrl /= !big_split /= -!big_distrl /= !sum_of_kind sumr_const card_ffun card_place.
by rewrite card_ord -box_in_cubes -[B1 *+ _]mulr_natr; apply: spread.
Qed.

End Cubes.

Theorem off_thin_sets (a B1 B2 B3 : R) (Q T m : nat) (e : 'I_d.+1 -> 'I_n -> nat -> R) h :
  0 < a -> (0 < Q)%N -> (0 < T)%N -> 0 <= B2 -> 0 <= B3 ->
  let w := side a (Q * T) in
  (forall X, out_of_box a X -> h X <= 0) ->
  (forall X, ~ near_tokens (2%:R * a / Q%:R) X -> ~ in_bands m e w X -> h X <= B1) ->
  (forall X, ~ in_bands m e w X -> h X <= B1 + B2) -> (forall X, h X <= B1 + B2 + B3) ->
  integral_at_most h ((2%:R * a) ^+ (d.+1 * n) *
    (B1 + 3%:R * (n * n)%:R / Q%:R * B2 + 2%:R * (d.+1 * n * m)%:R / (Q * T)%:R * (B2 + B3))).
Proof.
move=> a_gt0 Q_gt0 T_gt0 B2_ge0 B3_ge0 w h_out h_good h_strip h_any.
(* 1. A step function above h: each cube that meets a strip or a band gets more than the others. *)
exists a, (Q * T)%N, (on_cell a B1 B2 B3 m e); split=> // [|X c X_c|]; first by rewrite muln_gt0 Q_gt0.
  by apply: (on_cell_bounds _ _ _ _ X_c) => //; [apply: h_good | apply: h_strip].
(* 2. Its integral counts those cubes, and there are few of them. *)
have spread V x y : V * (B1 + x * B2 + y * (B2 + B3)) = V * B1 + V * x * B2 + V * y * (B2 + B3).
  by ring.
rewrite on_cell_integral // spread; apply: ler_add; first apply: ler_add => //.
  by apply: ler_wpmul2r => //; apply: strips_small.
by apply: ler_wpmul2r; rewrite ?addr_ge0 //; apply: bands_small.
Qed.

End Integral.
