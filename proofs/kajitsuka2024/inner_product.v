(** * Inner products and Euclidean lengths *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import definitions.

Section Norm.

Variables (R : rcfType) (d : nat).
Implicit Types (x y v : 'cV[R]_d) (c : R).

(** The inner product is symmetric. *)
Lemma dotC x y : dot x y = dot y x.
Proof. by apply: eq_bigr => i _; rewrite mulrC. Qed.

(** The inner product with a difference. *)
Lemma dotB v x y : dot v (x - y) = dot v x - dot v y.
Proof. by rewrite /dot -sumrB; apply: eq_bigr => i _; rewrite !mxE mulrBr. Qed.

(** The inner product with a multiple. *)
Lemma dotZ v c x : dot v (c *: x) = c * dot v x.
Proof. by rewrite /dot mulr_sumr; apply: eq_bigr => i _; rewrite !mxE mulrCA. Qed.

(** The inner product with 0 is 0. *)
Lemma dot0 v : dot v 0 = 0.
Proof. by rewrite /dot big1 // => i _; rewrite mxE mulr0. Qed.

(** The inner product of a vector with itself is not negative. *)
Lemma dot_ge0 x : 0 <= dot x x.
Proof. by rewrite sumr_ge0 // => i _; rewrite -expr2 sqr_ge0. Qed.

(** The inner product with a sum. *)
Lemma dot_add v x y c : dot v (x + c *: y) = dot v x + c * dot v y.
Proof.
by rewrite /dot mulr_sumr -big_split; apply: eq_bigr => i _; rewrite !mxE mulrDr mulrCA.
Qed.

(** The inner product with a unit vector of a coordinate is an entry. *)
Lemma dot_delta (i : 'I_d) x : dot (delta_mx i 0) x = x i 0.
Proof.
rewrite /dot (bigD1 i) //= big1 => [|j j_i]; first by rewrite mxE !eqxx mul1r addr0.
by rewrite mxE (negPf j_i) mul0r.
Qed.

(** Lengths are not negative. *)
Lemma norm_ge0 x : 0 <= norm x.
Proof. exact: sqrtr_ge0. Qed.

(** The length of a multiple. *)
Lemma normZ c x : norm (c *: x) = `|c| * norm x.
Proof. by rewrite /norm dotZ dotC dotZ mulrA -expr2 sqrtrM ?sqr_ge0 // sqrtr_sqr. Qed.

(** The vector 0 has the length 0. *)
Lemma norm0 : norm (0 : 'cV[R]_d) = 0.
Proof. by rewrite /norm dot0 sqrtr0. Qed.

(** Only the vector 0 has the square 0. *)
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

(** All vectors but 0 have a positive length. *)
Lemma norm_gt0 x : (0 < norm x) = (x != 0).
Proof. by rewrite sqrtr_gt0 lt_def dot_ge0 andbT dot_eq0. Qed.

(** The square of a length. *)
Lemma norm_sqr x : dot x x = norm x * norm x.
Proof. by rewrite -expr2 sqr_sqrtr ?dot_ge0. Qed.

(** The unit vector in a given direction. *)
Lemma unit_direction x : x != 0 -> dot ((norm x)^-1 *: x) ((norm x)^-1 *: x) = 1.
Proof. by rewrite -norm_gt0 => n0; rewrite dotZ dotC dotZ norm_sqr mulKf ?mulVf ?gt_eqF. Qed.

(** The triangle inequality. *)
Lemma ler_normD x y : norm (x + y) <= norm x + norm y.
Proof.
have [/eqP|s0] := eqVneq (x + y) 0.
  by move=> /eqP->; rewrite norm0 addr_ge0 ?norm_ge0.
pose v := (norm (x + y))^-1 *: (x + y); have n0 : 0 < norm (x + y) by rewrite norm_gt0.
have unit_v : dot v v = 1 := unit_direction s0.
have -> : norm (x + y) = dot v x - dot v (- y).
  by rewrite -dotB opprK dotC dotZ norm_sqr mulKf ?gt_eqF.
have := unit_le x unit_v; have := unit_le y unit_v.
have -> : dot v (- y) = - dot v y by rewrite -scaleN1r dotZ mulN1r.
by rewrite !ler_norml => /andP[? ?] /andP[? ?]; lra.
Qed.

End Norm.
