(** * One layer of softmax attention with a pattern: it tells tokens apart

    Layers X + a(X), where token i hears those of N i, each with the weight exp(W_Q x_i . W_K x_j)
    over the sum of these, and the weights are three d x d matrices; any d, n and any pattern in
    which each token hears somebody. They are analytic, continuous, and commute with the
    automorphisms of the pattern; and two tokens, of which one is not 0, come out different for
    some weights if their values differ, or the sets of values that they hear
    (Cheng et al. 2025, Lemma 1, for exp(x . y)). *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.cheng2025 Require Import mixers continuity views separating proposition_3 analytic quotient theorem_2 lemma_1.
From UAT.cheng2025 Require Import distinguish.

Section PatternMixer.

Variables (R : realType) (d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)) (N : pattern n).

(** All weights in one family of numbers: W_V, W_K and W_Q. *)
Definition weights := [finType of 'I_3 * ('I_d * 'I_d)].
(** The matrix number q of these weights: 0 is W_V, 1 is W_K, 2 is W_Q. *)
Definition matrix_of (w : weights -> R) (q : 'I_3) : 'M[R]_d := \matrix_(i, j) w (q, (i, j)).
(** What tokens hear through one head of softmax attention with the pattern N and these weights. *)
Definition pattern_mixer N X (w : weights -> R) : 'M[R]_(d, n) :=
  kernel_head (@exp_kernel R) N
    (matrix_of w ord0) (matrix_of w (lift ord0 ord0)) (matrix_of w ord_max) X.

Lemma col_pattern_mixer N X w i : col i (pattern_mixer N X w) = heard (@exp_kernel R) N
  (matrix_of w ord0) (matrix_of w (lift ord0 ord0)) (matrix_of w ord_max) X i.
Proof. by apply/matrixP => u o; rewrite !mxE (ord1 o). Qed.

(** With weights 0 nothing is heard. *)
Lemma still N X : X + pattern_mixer N X (fun=> 0) = X.
Proof.
rewrite [pattern_mixer _ _ _](_ : _ = 0) ?addr0 //; apply/matrixP => u i; rewrite mxE.
rewrite /heard; move: (_^-1) => z; rewrite big1 ?scaler0 ?mxE // => j _.
by rewrite (_ : matrix_of _ ord0 = 0) ?mul0mx ?scaler0 //; apply/matrixP => v v'; rewrite !mxE.
Qed.

(** ** Analytic, continuous, equivariant *)

Definition analytic_mx a b (A : R -> 'M[R]_(a, b)) := forall i j, analytic (fun t => A t i j).

Lemma analytic_mulmx a b c (A : R -> 'M[R]_(a, b)) (B : R -> 'M[R]_(b, c)) :
  analytic_mx A -> analytic_mx B -> analytic_mx (fun t => A t *m B t).
Proof.
move=> A_an B_an i j; rewrite (_ : (fun t => _) = fun t => \sum_k A t i k * B t k j).
  by apply: analytic_sum => k _; apply: analyticM.
by apply/funext => t; rewrite mxE.
Qed.

Lemma some_weight N i (S : 'I_n -> R) : N i != set0 -> \sum_(j in N i) expR (S j) != 0.
Proof.
case/set0Pn=> j j_in; rewrite gt_eqF // (bigD1 j) //=; apply: ltr_paddr (expR_gt0 _).
by apply: sumr_ge0 => l _; apply/ltW/expR_gt0.
Qed.

Lemma analytic_pattern_mixer N : (forall i, N i != set0) -> analytic_mixer (pattern_mixer N).
Proof.
move=> N_ne X w X_an w_an u i.
have W_an q : analytic_mx (fun t => matrix_of (w t) q).
  by move=> k l; rewrite (_ : (fun t => _) = fun t => w t (q, (k, l))) //; apply/funext => t;
    rewrite mxE.
have col_an j : analytic_mx (fun t => col j (X t)).
  by move=> v o; rewrite (_ : (fun t => _) = fun t => X t v j) //; apply/funext => t; rewrite mxE.
pose S j t := ((matrix_of (w t) (lift ord0 ord0) *m col j (X t))^T
  *m (matrix_of (w t) ord_max *m col i (X t))) ord0 ord0.
have S_an j : analytic (S j).
  apply: analytic_mulmx => [o v|]; last exact: analytic_mulmx.
  rewrite (_ : (fun t => _) = fun t => (matrix_of (w t) (lift ord0 ord0) *m col j (X t)) v o).
    exact: analytic_mulmx.
  by apply/funext => t; rewrite mxE.
rewrite (_ : (fun t => _) = fun t => (\sum_(j in N i) expR (S j t))^-1 *
    \sum_(j in N i) expR (S j t) * (matrix_of (w t) ord0 *m col j (X t)) u ord0).
  apply: analyticM; last first.
    apply: analytic_sum => j _; apply: analyticM; first exact: analytic_expR.
    exact: analytic_mulmx.
  apply: analytic_inv => [|t]; last exact: some_weight.
  by apply: analytic_sum => j _; apply: analytic_expR.
apply/funext => t; rewrite mxE [LHS]mxE summxE; congr (_ * _); apply: eq_bigr => j _.
by rewrite mxE.
Qed.

Lemma equivariant_pattern_mixer N w s : automorphism N s ->
  equivariant s (fun X => pattern_mixer N X w).
Proof.
move=> kept X; apply/matrixP => u i; rewrite mxE [RHS]mxE [RHS]mxE; congr (fun_of_matrix _ u ord0).
by symmetry; apply: heard_moved => [j|j _|]; rewrite ?col_col_perm.
Qed.

(** ** Lemma 1 *)

(** The values that [i] hears. *)
Definition heard_tokens N X i := [seq col j X | j <- enum (N i)].

(** With W_V = W_K = 1 and this W_Q the scores are t c . x_j. *)
Definition query (t : R) (c : 'rV[R]_d) (x : 'cV[R]_d) : 'M[R]_d :=
  (t / (x^T *m x) ord0 ord0) *: (c^T *m x^T).

Lemma query_to t c (x : 'cV[R]_d) : x != 0 -> query t c x *m x = t *: c^T.
Proof.
move=> x_ne0; have norm_ne0 : (x^T *m x) ord0 ord0 != 0.
  apply: contra x_ne0; rewrite mxE psumr_eq0 => [/allP zero|u _]; last by rewrite mxE -expr2
    sqr_ge0.
  apply/eqP/matrixP => u o; rewrite (ord1 o) [RHS]mxE; apply/eqP; rewrite -sqrf_eq0 expr2.
  by have := zero u (mem_index_enum u); rewrite /= [x^T _ _]mxE.
have square : x^T *m x = ((x^T *m x) ord0 ord0)%:M := mx11_scalar _.
rewrite /query; set r := (x^T *m x) ord0 ord0 in norm_ne0 square *.
by rewrite -scalemxAl -mulmxA square mul_mx_scalar scalerA divfK.
Qed.

Lemma heard_query N t c X i : col i X != 0 ->
  heard (@exp_kernel R) N 1%:M 1%:M (query t c (col i X)) X i
  = (\sum_(a <- heard_tokens N X i) expR (t * (c *m a) ord0 ord0))^-1 *:
    \sum_(a <- heard_tokens N X i) expR (t * (c *m a) ord0 ord0) *: a.
Proof.
move=> x_ne0; have score a : exp_kernel (query t c (col i X) *m col i X) (1%:M *m a)
    = expR (t * (c *m a) ord0 ord0).
  rewrite query_to // mul1mx /exp_kernel -scalemxAr mxE; congr (expR (_ * _)).
  by rewrite -trmx_mul mxE.
rewrite /heard /heard_tokens !big_map !big_enum /=.
by congr (_^-1 *: _); apply: eq_bigr => a _; rewrite score ?mul1mx.
Qed.

(** Of the tokens that are in one of two sets alone one scores highest. *)
Lemma leading_token (A B : seq 'cV[R]_d) (s : 'cV[R]_d -> R) : {in A ++ B &, injective s} ->
  ~ (A =i B) -> exists z, (z \in A) != (z \in B) /\
    forall v, v \in A ++ B -> (v \in A) != (v \in B) -> v != z -> s v < s z.
Proof.
move=> s_inj sets_differ; pose D := [seq v <- A ++ B | (v \in A) != (v \in B)].
have [||z zD z_max] := @largest R _ s D.
- by move=> a b; rewrite !mem_filter => /andP[_ a_in] /andP[_ b_in]; apply: s_inj.
- apply/eqP => D_nil; apply: sets_differ => v; apply/eqP/negPn/negP => v_in.
  have : v \in D by rewrite mem_filter v_in mem_cat; case: (v \in A) (v \in B) v_in => [] [].
  by rewrite D_nil.
exists z; move: zD; rewrite mem_filter => /andP[z_in _]; split=> // v v_in v_D.
by apply: z_max; rewrite mem_filter v_D.
Qed.

(** So what is heard is not the same for all t, whichever set it is in. *)
Lemma sets_heard_apart (A B : seq 'cV[R]_d) (s : 'cV[R]_d -> R) : uniq A -> uniq B ->
  A != [::] -> B != [::] -> {in A ++ B &, injective s} -> ~ (A =i B) ->
  ~ (forall t, (\sum_(a <- A) expR (t * s a))^-1 *: (\sum_(a <- A) expR (t * s a) *: a)
             = (\sum_(b <- B) expR (t * s b))^-1 *: (\sum_(b <- B) expR (t * s b) *: b)).
Proof.
move=> A_uniq B_uniq A_ne B_ne s_inj sets_differ same.
have [z [z_D z_max]] := leading_token s_inj sets_differ.
have [zA|zA] := boolP (z \in A); [rewrite zA in z_D | rewrite (negbTE zA) in z_D].
  apply: (heard_apart A_uniq B_uniq s_inj zA _ B_ne z_max same).
  by move: z_D; case: (z \in B).
have zB : z \in B by move: z_D; case: (z \in B).
apply: (heard_apart (s := s) B_uniq A_uniq _ zB zA A_ne) => [a b|v|t]; last by rewrite same.
  by rewrite !mem_cat ![(_ \in B) || _]orbC -!mem_cat; apply: s_inj.
by rewrite mem_cat orbC -mem_cat eq_sym; apply: z_max.
Qed.

Lemma heard_tokens_uniq N X i : injective (fun j => col j X) -> uniq (heard_tokens N X i).
Proof. by move=> X_inj; rewrite map_inj_uniq ?enum_uniq. Qed.

Lemma heard_tokens_ne N X i : N i != set0 -> heard_tokens N X i != [::].
Proof. by move=> N_ne; rewrite -size_eq0 size_map -cardE cards_eq0. Qed.

(** Some row gives finitely many tokens different scores. *)
Lemma separating_scores (V : seq 'cV[R]_d) :
  exists c : 'rV[R]_d, {in V &, injective (fun a => (c *m a) ord0 ord0)}.
Proof.
have [c c_inj] := separating_row (x := fun v : seq_sub V => ssval v) val_inj.
by exists c => a b a_in b_in ab; have /(congr1 val) := c_inj (SeqSub a_in) (SeqSub b_in) ab.
Qed.

Theorem lemma_1_patterns N X Y i i' :
  injective (fun j => col j X) -> injective (fun j => col j Y) -> (forall i, N i != set0) ->
  col i X != 0 -> ~ (heard_tokens N X i =i heard_tokens N Y i') \/ col i X <> col i' Y ->
  exists w, col i (X + pattern_mixer N X w) != col i' (Y + pattern_mixer N Y w).
Proof.
move=> X_inj Y_inj N_ne x_ne0 different.
have [same|/eqP ne] := eqVneq (col i X) (col i' Y); last first.
  (* 1. With weights 0 tokens stay as they are. *)
  by exists (fun=> 0); rewrite !still; apply/eqP.
have {different} sets_differ : ~ (heard_tokens N X i =i heard_tokens N Y i') by case: different.
(* 2. Some row gives all tokens different scores, and then what is heard is not the same for all t. *)
have [c c_inj] := separating_scores (heard_tokens N X i ++ heard_tokens N Y i').
have [t t_ok] : exists t, heard (@exp_kernel R) N 1%:M 1%:M (query t c (col i X)) X i
    <> heard (@exp_kernel R) N 1%:M 1%:M (query t c (col i X)) Y i'.
  apply/existsNP => alike; apply: (sets_heard_apart _ _ _ _ c_inj sets_differ) => [||||t];
    rewrite ?heard_tokens_uniq ?heard_tokens_ne //.
  by have := alike t; rewrite heard_query // same heard_query // -same.
(* 3. Nor are the tokens after the layer. *)
pose w (q : weights) : R :=
  (if q.1 == ord_max then query t c (col i X) else 1%:M) q.2.1 q.2.2.
have W q : matrix_of w q = if q == ord_max then query t c (col i X) else 1%:M.
  by apply/matrixP => u v; rewrite mxE /w /=; case: eqP.
exists w; apply/eqP; rewrite !linearD /= !col_pattern_mixer !W /= same => /addrI.
by rewrite -same; apply: t_ok.
Qed.

End PatternMixer.
