(** * Kajitsuka and Sato (2024), proof of Theorem 2: shadows and scores, along any good direction

    D are the tokens that there are. Given a unit vector v and c > 0 with |v^T (x - y)| >=
    c ||x - y|| for all tokens x and all tokens y, and y = 0 (Lemma 2), the scores of a listener are
    more than s apart, and what the head adds leaves different tokens apart. With and without masks. *)
From UAT Require Import transformers.
From UAT.kajitsuka2024 Require Import definitions inner_product.

(** What is added is taken away again. *)
Lemma cancel_added (R : comRingType) d (x y h k : 'cV[R]_d) :
  x + h - (y + k) + (k - h) = x - y.
Proof. by apply/colP => i; rewrite !mxE; ring. Qed.

Section Scores.

Variables (R : realType) (d : nat) (D : 'cV[R]_d -> Prop) (r_min r_max eps s c : R) (v : 'cV[R]_d).

Hypothesis r_min_gt0 : 0 < r_min.
Hypothesis eps_gt0 : 0 < eps.
Hypothesis s_gt0 : 0 < s.
Hypothesis longer : forall x, D x -> r_min < norm x.
Hypothesis shorter : forall x, D x -> norm x < r_max.
Hypothesis far : forall x y, D x -> D y -> x != y -> eps < norm (x - y).
Hypothesis unit_v : dot v v = 1.
Hypothesis c_gt0 : 0 < c.
Hypothesis keep : forall x y, D x -> D y -> c * norm (x - y) <= `|dot v (x - y)|.
Hypothesis keep0 : forall x, D x -> c * norm x <= `|dot v x|.

(** The sharpness (29): with it the scores of two different tokens are more than s apart. *)
Definition beta : R := s / (c ^+ 2 * eps * r_min).
(** The bound (37): every score is smaller in size than this. *)
Definition bound : R := beta * r_max ^+ 2.
(** The vector along which the head adds what it hears. *)
Definition out_vector := (eps / (4%:R * r_max)) *: v.

Notation sh x := (dot v x).
(** What a token y gives to a token x. *)
Definition score (x y : 'cV[R]_d) : R := beta * sh y * sh x.

(** The sharpness is positive. *)
Lemma beta_gt0 : 0 < beta.
Proof. by rewrite divr_gt0 // !mulr_gt0 // exprn_gt0. Qed.

(** r_max is positive, if there is a token. *)
Lemma r_max_gt0 x : D x -> 0 < r_max.
Proof. by move/shorter; apply: le_lt_trans (norm_ge0 _). Qed.

(** The shadow of a token is less than r_max in size. *)
Lemma shadow_lt x : D x -> `|sh x| < r_max.
Proof. by move=> xD; apply: le_lt_trans (unit_le _ unit_v) (shorter xD). Qed.

(** It is more than c r_min. *)
Lemma shadow_gt x : D x -> c * r_min < `|sh x|.
Proof. by move=> xD; apply: lt_le_trans (keep0 xD); rewrite ltr_pmul2l ?longer. Qed.

(** Different tokens have shadows more than c eps apart. *)
Lemma shadows_apart x y : D x -> D y -> x != y -> c * eps < `|sh x - sh y|.
Proof.
by move=> xD yD ne; rewrite -dotB; apply: lt_le_trans (keep xD yD); rewrite ltr_pmul2l // far.
Qed.

(** (30): scores of one listener are more than s apart. *)
Lemma scores_apart x y z : D x -> D y -> D z -> y != z -> s < `|score x y - score x z|.
Proof.
move=> xD yD zD /(shadows_apart yD zD) lt; have lt' := shadow_gt xD.
have -> : score x y - score x z = beta * (sh y - sh z) * sh x by rewrite /score; ring.
rewrite 2!normrM (gtr0_norm beta_gt0).
have {1}-> : s = beta * (c * eps) * (c * r_min) by rewrite /beta; field; rewrite !gt_eqF.
have p1 : 0 < c * eps by rewrite mulr_gt0.
have p2 : 0 < c * r_min by rewrite mulr_gt0.
apply: ltr_pmul => //; [by rewrite mulr_ge0 ?ltW // beta_gt0 | exact: ltW |].
by rewrite ltr_pmul2l ?beta_gt0.
Qed.

(** (38): scores are bounded. *)
Lemma scores_bounded x y : D x -> D y -> `|score x y| < bound.
Proof.
move=> xD yD; rewrite 2!normrM (gtr0_norm beta_gt0) /bound -mulrA ltr_pmul2l ?beta_gt0 // expr2.
by apply: ltr_pmul; rewrite ?normr_ge0 ?shadow_lt.
Qed.

(** Different tokens have different scores. *)
Lemma score_inj x y z : D x -> D y -> D z -> score x y = score x z -> y = z.
Proof.
move=> xD yD zD same; apply/eqP; apply: contraT => /(scores_apart xD yD zD).
by rewrite same subrr normr0 => /(lt_trans s_gt0); rewrite ltxx.
Qed.

(** The length of what the head adds. *)
Lemma norm_out x t : D x -> norm (t *: out_vector) = `|t| * (eps / (4%:R * r_max)).
Proof.
move=> /r_max_gt0 r0; have r4 : 0 <= eps / (4%:R * r_max).
  by rewrite divr_ge0 ?mulr_ge0 ?ler0n // ltW.
by rewrite !normZ (ger0_norm r4) /norm unit_v sqrtr1 mulr1.
Qed.

(** (34): what is added is at most eps / 4. *)
Lemma added_le x t : D x -> `|t| <= r_max -> norm (t *: out_vector) <= eps / 4%:R.
Proof.
move=> xD le; rewrite (norm_out _ xD); have r0 := r_max_gt0 xD.
apply: le_trans (ler_wpmul2r _ le) _; first by rewrite divr_ge0 ?mulr_ge0 ?ler0n // ltW.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
Qed.

(** (27): ids are shorter than r_max + eps / 4. *)
Lemma id_lt x t : D x -> `|t| <= r_max -> norm (x + t *: out_vector) < r_max + eps / 4%:R.
Proof.
move=> xD le; apply: le_lt_trans (ler_normD _ _) _.
exact: ltr_le_add (shorter xD) (added_le xD le).
Qed.

(** (28): different tokens stay more than eps / 2 apart. *)
Lemma tokens_apart x y t u : D x -> D y -> x != y -> `|t| <= r_max -> `|u| <= r_max ->
  eps / 2%:R < norm (x + t *: out_vector - (y + u *: out_vector)).
Proof.
move=> xD yD /(far xD yD) f_gt /(added_le xD) + /(added_le yD).
move: (t *: _) (u *: _) => h h' h_le h'_le.
have := ler_normD (x + h - (y + h')) (h' - h); rewrite cancel_added.
have := ler_normD h' (- h); rewrite -scaleN1r normZ normrN1 mul1r scaleN1r.
move: f_gt h_le h'_le; move: (norm h) (norm h') (norm (x - y)) (norm (x + h - _)) (norm (h' - h)).
by clear; move=> *; lra.
Qed.

End Scores.
