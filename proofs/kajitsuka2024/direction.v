(** * Kajitsuka and Sato (2024), Lemma 2 without its constant: directions that keep tokens apart

    For every finite list of vectors there are a unit vector v and a c > 0 with
    c ||x - x'|| <= |v^T (x - x')| <= ||x - x'||. For all d >= 1.

    Differs from the printed lemma, which says that c = |X|^(-2) sqrt(8 / (pi d)) will do: that
    needs the area of a sphere. Here v is a point of the curve (1, t, t^2, ...), and c is the
    least of finitely many quotients. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix poly ring.
From UAT Require Import transformers.
From UAT Require Import lra.
From UAT.kajitsuka2024 Require Import definitions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Norm.

Variables (R : rcfType) (d : nat).
Implicit Types (x y v : 'cV[R]_d) (c : R).

Lemma dotC x y : dot x y = dot y x.
Proof. by apply: eq_bigr => i _; rewrite mulrC. Qed.

Lemma dotB v x y : dot v (x - y) = dot v x - dot v y.
Proof. by rewrite /dot -sumrB; apply: eq_bigr => i _; rewrite !mxE mulrBr. Qed.

Lemma dotZ v c x : dot v (c *: x) = c * dot v x.
Proof. by rewrite /dot mulr_sumr; apply: eq_bigr => i _; rewrite !mxE mulrCA. Qed.

Lemma dot0 v : dot v 0 = 0.
Proof. by rewrite /dot big1 // => i _; rewrite mxE mulr0. Qed.

Lemma dot_ge0 x : 0 <= dot x x.
Proof. by rewrite sumr_ge0 // => i _; rewrite -expr2 sqr_ge0. Qed.

Lemma norm_ge0 x : 0 <= norm x.
Proof. exact: sqrtr_ge0. Qed.

Lemma normZ c x : norm (c *: x) = `|c| * norm x.
Proof. by rewrite /norm dotZ dotC dotZ mulrA -expr2 sqrtrM ?sqr_ge0 // sqrtr_sqr. Qed.

Lemma norm0 : norm (0 : 'cV[R]_d) = 0.
Proof. by rewrite /norm dot0 sqrtr0. Qed.

Lemma dot_eq0 x : (dot x x == 0) = (x == 0).
Proof.
apply/idP/eqP => [|->]; last by rewrite dot0.
rewrite /dot psumr_eq0 => [/allP all0|i _]; last by rewrite -expr2 sqr_ge0.
apply/colP => i; rewrite mxE; apply/eqP; rewrite -sqrf_eq0 expr2.
by apply: all0; rewrite mem_index_enum.
Qed.

(** A unit vector does not make distances longer (Cauchy and Schwarz). *)
Lemma unit_le v x : dot v v = 1 -> `|dot v x| <= norm x.
Proof.
move=> unit_v; have := dot_ge0 (x - dot v x *: v).
have -> : dot (x - dot v x *: v) (x - dot v x *: v) = dot x x - dot v x * dot v x.
  by rewrite dotB dotZ (dotC _ x) (dotC _ v) !dotB !dotZ unit_v (dotC x v); ring.
by move=> ge; rewrite -sqrtr_sqr; apply: ler_wsqrtr; rewrite expr2 -subr_ge0.
Qed.

Lemma norm_gt0 x : (0 < norm x) = (x != 0).
Proof. by rewrite sqrtr_gt0 lt_def dot_ge0 andbT dot_eq0. Qed.

(** The triangle inequality. *)
Lemma ler_normD x y : norm (x + y) <= norm x + norm y.
Proof.
have [/eqP|s0] := eqVneq (x + y) 0.
  by move=> /eqP->; rewrite norm0 addr_ge0 ?norm_ge0.
pose v := (norm (x + y))^-1 *: (x + y); have n0 : 0 < norm (x + y) by rewrite norm_gt0.
have sq : dot (x + y) (x + y) = norm (x + y) * norm (x + y).
  by rewrite -expr2 sqr_sqrtr ?dot_ge0.
have unit_v : dot v v = 1 by rewrite dotZ dotC dotZ sq; field; rewrite gt_eqF.
have -> : norm (x + y) = dot v x - dot v (- y).
  by rewrite -dotB opprK dotC dotZ sq mulKf ?gt_eqF.
have := unit_le x unit_v; have := unit_le y unit_v.
have -> : dot v (- y) = - dot v y by rewrite -scaleN1r dotZ mulN1r.
by rewrite !ler_norml => /andP[? ?] /andP[? ?]; lra.
Qed.

End Norm.

Section Direction.

Variables (R : rcfType) (d : nat).
Implicit Types (x : 'cV[R]_d.+1) (D : seq 'cV[R]_d.+1).

Definition moment (t : R) : 'cV[R]_d.+1 := \col_i t ^+ i.
Definition polynomial x : {poly R} := \poly_(i < d.+1) x (inord i) 0.

Lemma dot_moment t x : dot (moment t) x = (polynomial x).[t].
Proof.
rewrite horner_poly; apply: eq_bigr => i _.
by rewrite mxE inord_val mulrC.
Qed.

Lemma polynomial_neq0 x : x != 0 -> polynomial x != 0.
Proof.
apply: contraNneq => p0; apply/eqP/colP => i; rewrite mxE.
by have := congr1 (fun p : {poly R} => p`_i) p0; rewrite coef_poly ltn_ord inord_val coef0.
Qed.

(** A polynomial that is not 0 is not 0 at some whole number. *)
Lemma some_nonroot (p : {poly R}) : p != 0 -> exists k : nat, p.[k%:R] != 0.
Proof.
move=> p_ne0; pose ks := [seq k%:R | k <- iota 0 (size p)] : seq R.
have uniq_ks : uniq ks by rewrite map_inj_uniq ?iota_uniq //; apply: mulrIn; apply: oner_neq0.
have : ~~ all (root p) ks.
  apply/negP => all_roots; have := max_poly_roots p_ne0 all_roots uniq_ks.
  by rewrite size_map size_iota ltnn.
by move=> /allPn[_ /mapP[k _ ->] ne]; exists k.
Qed.

Lemma some_direction D : (forall x, x \in D -> x != 0) ->
  exists2 v : 'cV[R]_d.+1, dot v v = 1 & forall x, x \in D -> dot v x != 0.
Proof.
(* 1. A point of the curve at which no polynomial of the list is 0, ... *)
move=> D_ne0; have : \prod_(x <- D) polynomial x != 0.
  by rewrite prodf_seq_neq0; apply/allP => x /D_ne0/polynomial_neq0.
move=> /some_nonroot[k]; rewrite horner_prod prodf_seq_neq0 => /allP no_root.
(* 2. ... divided by its length. *)
have m0 : moment k%:R != 0.
  by apply/eqP => /colP/(_ ord0)/eqP; rewrite !mxE expr0 oner_eq0.
have n0 : norm (moment k%:R) != 0 by rewrite gt_eqF // norm_gt0.
exists ((norm (moment k%:R))^-1 *: moment k%:R) => [|x /no_root /= nonzero].
  have sq : dot (moment k%:R) (moment k%:R) = norm (moment k%:R) * norm (moment k%:R).
    by rewrite -expr2 sqr_sqrtr ?dot_ge0.
  by rewrite dotZ dotC dotZ sq; field.
by rewrite dotC dotZ dotC dot_moment mulf_neq0 ?invr_eq0.
Qed.

Definition keeps (v : 'cV[R]_d.+1) (c : R) D :=
  forall x y, x \in D -> y \in D -> c * norm (x - y) <= `|dot v (x - y)|.

Lemma least_quotient v D : (forall x, x \in D -> dot v x != 0) ->
  exists2 c, 0 < c & forall x, x \in D -> c * norm x <= `|dot v x|.
Proof.
elim: D => [|x D IH] ne0; first by exists 1.
have [c c0 keep] := IH (fun y yD => ne0 y (mem_behead (s := x :: D) yD)).
have vx : 0 < `|dot v x| by rewrite normr_gt0 ne0 ?mem_head.
have n1 : 0 < norm x + 1 by rewrite addrC ltr_paddr ?norm_ge0 ?ltr01.
exists (Num.min c (`|dot v x| / (norm x + 1))) => [|y].
  by rewrite lt_minr c0 divr_gt0.
rewrite inE => /predU1P[->|/keep le_y].
  apply: (@le_trans _ _ (`|dot v x| / (norm x + 1) * norm x)).
    by rewrite ler_wpmul2r ?norm_ge0 // le_minl lexx orbT.
  by rewrite mulrAC ler_pdivr_mulr //; apply: ler_wpmul2l; rewrite ?normr_ge0 //; lra.
by apply: le_trans le_y; rewrite ler_wpmul2r ?norm_ge0 // le_minl lexx.
Qed.

Theorem lemma_2_without_constant D :
  exists v c, [/\ dot v v = 1, 0 < c, keeps v c D &
    forall x y, `|dot v (x - y)| <= norm (x - y)].
Proof.
pose P := [seq z <- [seq x - y | x <- D, y <- D] | z != 0].
have [|v unit_v ne0] := @some_direction P; first by move=> x; rewrite mem_filter => /andP[].
have [c c0 keep] := least_quotient ne0; exists v, c.
split=> // [x y xD yD|x y]; last exact: unit_le.
have [->|ne] := eqVneq (x - y) 0; first by rewrite norm0 mulr0 normr_ge0.
by apply: keep; rewrite mem_filter ne; apply/allpairsP; exists (x, y).
Qed.

End Direction.
