(** * Kajitsuka and Sato (2024), Theorem 2: the proof, for any direction that keeps tokens apart

    Given a unit vector v and c > 0 with |v^T (x - y)| >= c ||x - y|| for all tokens x and all
    tokens y, and y = 0 (Lemma 2), one softmax head of rank one is a contextual mapping. What r and
    delta are then is said in theorem_2.v. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import definitions boltzmann lemma_1 inner_product rank_one scores.

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

(** The sharpness of the head, for which scores are more than 2 log n + 3 apart. *)
Definition sharpness := scores.beta r_min eps wide c.
(** Every score of the head is smaller in size than this. *)
Definition score_bound := bound r_min r_max eps wide c.
(** The gap (42), with the factor that the printed (42) lacks: how far apart the head keeps what must differ. *)
Definition gap :=
  eps / (4%:R * r_max) * (L ^+ 2 * expR (- (2%:R * score_bound)) / (sharpness * r_max)).

Notation beta := sharpness.
Notation score := (score r_min eps wide c v).
Notation q := (attention (@softmax R) [:: rank_one_head s v (out_vector r_max eps v) beta]).

(** log n is not negative. *)
Lemma L_ge0 : 0 <= L.
Proof. by rewrite ln_ge0 // ler1n. Qed.

(** Scores are a positive distance apart. *)
Lemma wide_gt0 : 0 < wide.
Proof. by have := L_ge0; lra. Qed.

(** The sharpness is positive. *)
Lemma beta_gt0 : 0 < beta.
Proof. exact: beta_gt0 wide_gt0 c_gt0. Qed.

(** The tokens that there are. *)
Definition occurs x := exists i k, x = token i k.
(** Each column is one of them. *)
Lemma token_occurs i k : occurs (token i k). Proof. by exists i, k. Qed.

Let longer x : occurs x -> r_min < norm x.
Proof. by case: X_sep => lt _ _ [i [k ->]]. Qed.
Let shorter x : occurs x -> norm x < r_max.
Proof. by case: X_sep => _ lt _ [i [k ->]]. Qed.
Let far x y : occurs x -> occurs y -> x != y -> eps < norm (x - y).
Proof. by case: X_sep => _ _ lt [i [k ->]] [j [l ->]]; apply: lt. Qed.
Let keep_xy x y : occurs x -> occurs y -> c * norm (x - y) <= `|dot v (x - y)|.
Proof. by move=> [i [k ->]] [j [l ->]]. Qed.
Let keep_x x : occurs x -> c * norm x <= `|dot v x|.
Proof. by move=> [i [k ->]]. Qed.
Let scores_apart x y z :=
  @scores_apart R d occurs _ _ _ _ _ r_min_gt0 eps_gt0 wide_gt0 longer far c_gt0 keep_xy keep_x x y z.
Let scores_bounded x y : occurs x -> occurs y -> `|score x y| < score_bound :=
  @scores_bounded R d occurs _ _ _ _ _ _ r_min_gt0 eps_gt0 wide_gt0 shorter unit_v c_gt0 x y.
Let score_inj x y z :=
  @score_inj R d occurs _ _ _ _ _ r_min_gt0 eps_gt0 wide_gt0 longer far c_gt0 keep_xy keep_x x y z.
Let r_max_gt0 i : 0 < r_max := r_max_gt0 shorter (token_occurs i ord0).

(** What is heard is a mean of shadows, which are shorter than r_max. *)
Lemma heard_r_max i k : `|heard v beta (X i) k| <= r_max.
Proof. by apply: heard_le => j; apply/ltW/(shadow_lt shorter unit_v)/token_occurs. Qed.

(** Scores of a listener x tell contexts apart: the sets of scores differ if the sets of tokens do. *)
Lemma scores_differ x i j : occurs x -> ~ (vocabulary (X i) =i vocabulary (X j)) ->
  ~ (codom (fun t => score x (token i t)) =i codom (fun t => score x (token j t))).
Proof.
move=> xD ne same.
have inside i' j' : codom (fun t => score x (token i' t)) =i codom (fun t => score x (token j' t)) ->
    {subset vocabulary (X i') <= vocabulary (X j')}.
  move=> same' y /mapP[t _ ->]; have : score x (token i' t) \in codom (fun t => score x (token j' t)).
    by rewrite -same' (codom_f (fun t => score x (token i' t))).
  move=> /codomP[t' /(score_inj xD (token_occurs i' t) (token_occurs j' t'))->].
  by apply/mapP; exists t'; rewrite ?mem_enum.
by apply: ne => y; apply/idP/idP; apply: inside => // t; rewrite same.
Qed.

(** So, by Lemma 1, the values of the Boltzmann operator do. *)
Lemma values_apart x i j : occurs x -> ~ (vocabulary (X i) =i vocabulary (X j)) ->
  L ^+ 2 * expR (- (2%:R * score_bound))
    < `|boltz (fun t => score x (token i t)) - boltz (fun t => score x (token j t))|.
Proof.
move=> xD /(scores_differ xD) contexts.
have apart i' j' : apart wide (fun t => score x (token i' t)) (fun t => score x (token j' t)).
  move=> t t' ne_t; apply: scores_apart xD (token_occurs _ _) (token_occurs _ _) _.
  by apply: contra_neq ne_t => ->.
have nodup i' : injective (fun t => score x (token i' t)).
  by move=> t t' /(score_inj xD (token_occurs i' t) (token_occurs i' t'))/X_nodup.
have below i' : bounded score_bound (fun t => score x (token i' t)).
  by move=> t; apply: scores_bounded xD (token_occurs i' t).
have wide_J : 2%:R * ln #|'I_n.+1|%:R + 3%:R <= wide by rewrite card_ord.
have := separates wide_J (nodup i) (nodup j) (below i) (below j) (apart i i) (apart j j) (apart i j).
by rewrite card_ord; apply.
Qed.

(** (39) to (41): the same token hears different contexts differently. *)
Lemma heard_apart i j k l : token i k = token j l -> ~ (vocabulary (X i) =i vocabulary (X j)) ->
  L ^+ 2 * expR (- (2%:R * score_bound)) / (beta * r_max)
  < `|heard v beta (X i) k - heard v beta (X j) l|.
Proof.
move=> same ne; have lt := values_apart (token_occurs i k) ne.
have aE : boltz (fun t => score (token i k) (token i t)) = beta * shadow v (X i) k * heard v beta (X i) k.
  by rewrite heard_boltz.
have bE : boltz (fun t => score (token i k) (token j t)) = beta * shadow v (X i) k * heard v beta (X j) l.
  by rewrite /shadow same -/(shadow v (X j) l) heard_boltz.
rewrite {}aE {}bE -mulrBr normrM in lt.
have pos : 0 < beta * r_max by apply: mulr_gt0 beta_gt0 (r_max_gt0 i).
rewrite (ltr_pdivr_mulr _ _ pos); apply: lt_le_trans lt _.
rewrite mulrC; apply: ler_wpmul2l => //; rewrite normrM (gtr0_norm beta_gt0).
by apply: ler_wpmul2l; [exact: ltW beta_gt0 | exact/ltW/(shadow_lt shorter unit_v)/token_occurs].
Qed.

(** The bound of the scores is positive. *)
Lemma score_bound_gt0 (i : I) : 0 < score_bound.
Proof. by rewrite mulr_gt0 ?beta_gt0 // exprn_gt0 // (r_max_gt0 i). Qed.

(** The gap is at most eps / 2, if there are two tokens: their scores are then apart. *)
Lemma gap_le i j k l : token i k != token j l -> gap <= eps / 2%:R.
Proof.
have D0 := token_occurs i k; have D1 := token_occurs j l.
move=> /(scores_apart D0 D0 D1); have := scores_bounded D0 D0; have := scores_bounded D0 D1.
have r0 := r_max_gt0 i; have b0 := beta_gt0.
rewrite !ltr_norml => /andP[? ?] /andP[? ?]; rewrite ltr_normr => lt.
have rho : L <= score_bound by have := L_ge0; case/orP: lt; lra.
(* 1. The gap is eps / 4 times (log n)^2 exp(-2 rho) / rho, where rho bounds the scores. *)
have -> : gap = eps / 4%:R * (L ^+ 2 * expR (- (2%:R * score_bound)) / score_bound).
  by rewrite /gap /score_bound /bound -/beta; field; rewrite !gt_eqF.
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
  by rewrite attention_rank_one; apply: (id_lt eps_gt0 shorter unit_v (token_occurs i k) (heard_r_max i k)).
(* 2. Different tokens stay apart: (28). *)
have [same|ne _] := eqVneq (token i k) (token j l); last first.
  rewrite !attention_rank_one; apply: le_lt_trans (gap_le ne) _.
  by apply: (tokens_apart eps_gt0 shorter far unit_v (token_occurs i k) (token_occurs j l) ne
    (heard_r_max i k) (heard_r_max j l)).
(* 3. The same token hears different contexts differently. *)
case=> [contexts|//].
rewrite !attention_rank_one same opprD addrACA subrr add0r -scalerBl.
rewrite (norm_out eps_gt0 shorter unit_v _ (token_occurs i k)) mulrC.
have r0 := r_max_gt0 i; have pos : 0 < eps / (4%:R * r_max).
  by apply: divr_gt0; have := eps_gt0; lra.
by rewrite ltr_pmul2l //; apply: heard_apart.
Qed.

End Gap.
