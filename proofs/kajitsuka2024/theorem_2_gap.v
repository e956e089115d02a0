(** * Kajitsuka and Sato (2024), Theorem 2: the proof, for any direction that keeps tokens apart

    Given a unit vector v and c > 0 with |v^T (x - y)| >= c ||x - y|| for all tokens x and all
    tokens y, and y = 0 (Lemma 2), one softmax head of rank one is a contextual mapping. What r and
    delta are then is said in theorem_2.v. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import definitions boltzmann lemma_1 inner_product rank_one.

Lemma cancel_added (R : comRingType) d (x y h k : 'cV[R]_d) :
  x + h - (y + k) + (k - h) = x - y.
Proof. by apply/colP => i; rewrite !mxE; ring. Qed.

Section Gap.

Variables (R : realType) (d n s : nat) (I : Type) (X : I -> 'M[R]_(d, n.+1)).
Variables (r_min r_max eps c : R) (v : 'cV[R]_d).
Notation token i k := (col k (X i)).
Notation L := (ln n.+1%:R : R).
Notation wide := (2%:R * L + 3%:R).

Hypothesis r_min_gt0 : 0 < r_min.
Hypothesis eps_gt0 : 0 < eps.
Hypothesis X_sep : separated X r_min r_max eps.
Hypothesis X_nodup : no_duplicates X.
Hypothesis unit_v : dot v v = 1.
Hypothesis c_gt0 : 0 < c.
Hypothesis keep : forall i j k l,
  c * norm (token i k - token j l) <= `|dot v (token i k - token j l)|.
Hypothesis keep0 : forall i k, c * norm (token i k) <= `|dot v (token i k)|.

(** The sharpness (29), the bound of the scores (37), and the gap (42), with the factor that the
    printed (42) lacks. *)
Definition sharpness := wide / (c ^+ 2 * eps * r_min).
Definition score_bound := sharpness * r_max ^+ 2.
Definition gap :=
  eps / (4%:R * r_max) * (L ^+ 2 * expR (- (2%:R * score_bound)) / (sharpness * r_max)).

Notation beta := sharpness.
Definition out_vector := (eps / (4%:R * r_max)) *: v.
Notation q := (attention (@softmax R) [:: rank_one_head s v out_vector beta]).
Notation sh i k := (shadow v (X i) k).

Lemma L_ge0 : 0 <= L.
Proof. by rewrite ln_ge0 // ler1n. Qed.

Lemma wide_gt0 : 0 < wide.
Proof. by have := L_ge0; lra. Qed.

Lemma beta_gt0 : 0 < beta.
Proof. by rewrite divr_gt0 ?wide_gt0 // !mulr_gt0 // exprn_gt0. Qed.

Lemma r_max_gt0 (i : I) : 0 < r_max.
Proof. by case: X_sep => _ /(_ i ord0) lt _; apply: le_lt_trans (norm_ge0 _) lt. Qed.

Lemma shadow_lt i k : `|sh i k| < r_max.
Proof. by case: X_sep => _ /(_ i k) lt _; apply: le_lt_trans (unit_le _ unit_v) lt. Qed.

Lemma shadow_gt i k : c * r_min < `|sh i k|.
Proof.
case: X_sep => /(_ i k) lt _ _; apply: lt_le_trans (keep0 i k).
by rewrite ltr_pmul2l.
Qed.

Lemma shadows_apart i j k l : token i k != token j l -> c * eps < `|sh i k - sh j l|.
Proof.
case: X_sep => _ _ sep /sep lt; rewrite /shadow -dotB; apply: lt_le_trans (keep i j k l).
by rewrite ltr_pmul2l.
Qed.

(** (30): scores of one listener, of any context, are more than 2 log n + 3 apart. *)
Lemma scores_apart i j k l m o : token i k != token j l ->
  wide < `|beta * sh i k * sh m o - beta * sh j l * sh m o|.
Proof.
move=> /shadows_apart lt; have lt' := shadow_gt m o.
have -> : beta * sh i k * sh m o - beta * sh j l * sh m o = beta * (sh i k - sh j l) * sh m o.
  by ring.
rewrite 2!normrM (gtr0_norm beta_gt0).
have -> : wide = beta * (c * eps) * (c * r_min).
  by rewrite /sharpness; field; rewrite !gt_eqF.
have p1 : 0 < c * eps by rewrite mulr_gt0.
have p2 : 0 < c * r_min by rewrite mulr_gt0.
apply: ltr_pmul => //; first by rewrite mulr_ge0 ?ltW // beta_gt0.
- exact: ltW.
by rewrite ltr_pmul2l ?beta_gt0.
Qed.

(** (38) *)
Lemma scores_bounded i k m o : `|beta * sh i k * sh m o| < score_bound.
Proof.
rewrite 2!normrM (gtr0_norm beta_gt0) /score_bound -mulrA ltr_pmul2l ?beta_gt0 // expr2.
by apply: ltr_pmul; rewrite ?normr_ge0 ?shadow_lt.
Qed.

Lemma shadow_neq0 i k : sh i k != 0.
Proof.
by rewrite -normr_gt0; apply: lt_trans (shadow_gt i k); rewrite mulr_gt0.
Qed.

(** Different tokens have different scores. *)
Lemma score_inj i j k l m o : beta * sh i k * sh m o = beta * sh j l * sh m o ->
  token i k = token j l.
Proof.
move=> same; apply/eqP; apply: contraT => /(@scores_apart i j k l m o).
by rewrite same subrr normr0 => /(lt_trans wide_gt0); rewrite ltxx.
Qed.

(** (39) to (41): the same token hears different contexts differently. *)
Lemma heard_apart i j k l : token i k = token j l -> ~ (vocabulary (X i) =i vocabulary (X j)) ->
  L ^+ 2 * expR (- (2%:R * score_bound)) / (beta * r_max)
  < `|heard v beta (X i) k - heard v beta (X j) l|.
Proof.
move=> same ne; have same_sh : sh i k = sh j l by rewrite /shadow same.
pose a t := beta * sh i t * sh i k; pose b t := beta * sh j t * sh j l.
have far (t t' : 'I_n.+1) : a t != b t' -> wide < `|a t - b t'|.
  rewrite /a /b -same_sh => ab; apply: scores_apart; apply: contra_neq ab => eq_t.
  by rewrite /shadow eq_t.
have self (i' : I) k' (t t' : 'I_n.+1) : beta * sh i' t * sh i' k' != beta * sh i' t' * sh i' k' ->
    wide < `|beta * sh i' t * sh i' k' - beta * sh i' t' * sh i' k'|.
  by move=> tt; apply: scores_apart; apply: contra_neq tt => eq_t; rewrite /shadow eq_t.
have contexts : ~ (codom a =i codom b).
  move=> eq_ab; apply: ne => x; apply/mapP/mapP => -[t _ ->].
    have : a t \in codom b by rewrite -eq_ab codom_f.
    move=> /codomP[t']; rewrite /a /b -same_sh => /score_inj eq_t.
    by exists t'; rewrite ?mem_enum.
  have : b t \in codom a by rewrite eq_ab codom_f.
  move=> /codomP[t']; rewrite /a /b -same_sh => /score_inj eq_t.
  by exists t'; rewrite ?mem_enum.
have := @separates R _ score_bound wide _ a b _ _ _ _ _ _ far contexts.
rewrite card_ord => /(_ (lexx _)) sep_ab.
have {sep_ab} : L ^+ 2 * expR (- (2%:R * score_bound)) < `|boltz a - boltz b|.
  apply: sep_ab; try by move=> t; apply: scores_bounded.
  - by move=> t t' /score_inj/X_nodup.
  - by move=> t t' /score_inj/X_nodup.
  - exact: self.
  exact: self.
rewrite -!heard_boltz -same_sh -mulrBr normrM => lt.
have pos : 0 < beta * r_max by apply: mulr_gt0 beta_gt0 (r_max_gt0 i).
rewrite (ltr_pdivr_mulr _ _ pos); apply: lt_le_trans lt _.
rewrite mulrC; apply: ler_wpmul2l => //; rewrite normrM (gtr0_norm beta_gt0).
by apply: ler_wpmul2l; [exact: ltW beta_gt0 | exact: ltW (shadow_lt i k)].
Qed.

Lemma norm_out (i : I) t : norm (t *: out_vector) = `|t| * (eps / (4%:R * r_max)).
Proof.
have r0 := r_max_gt0 i; have r4 : 0 <= eps / (4%:R * r_max).
  by apply: divr_ge0; have := eps_gt0; lra.
by rewrite !normZ (ger0_norm r4) /norm unit_v sqrtr1 mulr1.
Qed.

(** (34): what is added is at most eps / 4. *)
Lemma added_le i k : norm (heard v beta (X i) k *: out_vector) <= eps / 4%:R.
Proof.
rewrite (norm_out i); have r0 := r_max_gt0 i.
have le : `|heard v beta (X i) k| <= r_max by apply: heard_le => j; apply/ltW/shadow_lt.
apply: le_trans (ler_wpmul2r _ le) _; first by apply: divr_ge0; have := eps_gt0; lra.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
Qed.

(** (28): different tokens stay more than eps / 2 apart. *)
Lemma tokens_apart i j k l : token i k != token j l ->
  eps / 2%:R < norm (col k (q (X i)) - col l (q (X j))).
Proof.
case: X_sep => _ _ sep /sep far; rewrite !attention_rank_one.
have := added_le i k; have := added_le j l.
move: (heard _ _ _ k *: _) (heard _ _ _ l *: _) => h h' h'_le h_le.
have := ler_normD (token i k + h - (token j l + h')) (h' - h); rewrite cancel_added.
have := ler_normD h' (- h); rewrite -scaleN1r normZ normrN1 mul1r scaleN1r.
move: far h_le h'_le; move: (norm h) (norm h') (norm (token i k - token j l)) => u u' f.
move: (norm (token i k + h - _)) (norm (h' - h)) => x y; lra.
Qed.

Lemma score_bound_gt0 (i : I) : 0 < score_bound.
Proof. by rewrite mulr_gt0 ?beta_gt0 // exprn_gt0 // (r_max_gt0 i). Qed.

(** The gap is at most eps / 2, if there are two tokens: their scores are then apart. *)
Lemma gap_le i j k l : token i k != token j l -> gap <= eps / 2%:R.
Proof.
move=> /(@scores_apart i j k l i k); have := scores_bounded i k i k.
have := scores_bounded j l i k; have r0 := r_max_gt0 i; have b0 := beta_gt0.
rewrite !ltr_norml => /andP[? ?] /andP[? ?]; rewrite ltr_normr => far.
have rho : L <= score_bound by have := L_ge0; case/orP: far; lra.
(* 1. The gap is eps / 4 times (log n)^2 exp(-2 rho) / rho, where rho bounds the scores. *)
have -> : gap = eps / 4%:R * (L ^+ 2 * expR (- (2%:R * score_bound)) / score_bound).
  by rewrite /gap /score_bound; field; rewrite !gt_eqF.
(* 2. The second factor is at most 1. *)
have rho0 := score_bound_gt0 i; have L0 := L_ge0.
have : L ^+ 2 * expR (- (2%:R * score_bound)) / score_bound <= 1.
  rewrite ler_pdivr_mulr // mul1r expRN ler_pdivr_mulr ?expR_gt0 //.
  apply: (@le_trans _ _ (score_bound * score_bound)); first by rewrite expr2 ler_pmul.
  rewrite ler_pmul2l //; apply: le_trans (expR_ge1D _); move: rho0; lra.
by have := eps_gt0; move: (_ / score_bound) => e; nra.
Qed.

(** Theorem 2, with the number c of Lemma 2 in place of its value. *)
Theorem theorem_2_given_direction : contextual X (r_max + eps / 4%:R) gap q.
Proof.
split=> [i k|i j k l].
  (* 1. A token is changed by at most eps / 4: (27). *)
  rewrite attention_rank_one; apply: le_lt_trans (ler_normD _ _) _.
  by case: X_sep => _ /(_ i k) lt _; apply: ltr_le_add lt (added_le i k).
(* 2. Different tokens stay apart: (28). *)
have [same|ne _] := eqVneq (token i k) (token j l); last first.
  exact: le_lt_trans (gap_le ne) (tokens_apart ne).
(* 3. The same token hears different contexts differently. *)
case=> [contexts|//].
rewrite !attention_rank_one same opprD addrACA subrr add0r -scalerBl (norm_out i) mulrC.
have r0 := r_max_gt0 i; have pos : 0 < eps / (4%:R * r_max).
  by apply: divr_gt0; have := eps_gt0; lra.
by rewrite ltr_pmul2l //; apply: heard_apart.
Qed.

End Gap.
