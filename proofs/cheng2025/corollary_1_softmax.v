(** * Softmax attention tells tokens apart: Cheng et al. (2025), Lemma 1 and Corollary 1

    One layer X + W_V X softmax((W_K X)^T W_Q X) with d x d weights, for any d and n.
    - [lemma_1]: two tokens with different values, or two equal tokens, not 0, in sequences of
      distinct tokens that are not reorderings of each other, come out different for some weights.
    - [corollary_1_softmax]: near any weights there are weights that do this for all pairs of
      tokens of finitely many sequences at once. Tokens are not 0, which the paper's statement
      does not ask and its proof does.
    Printed: for all kernels with (13), for almost all weights, and then the approximation. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum matrix ring.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals sequences exp.
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers proposition_3 analytic quotient theorem_2 lemma_1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Softmax.

Variables (R : realType) (d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)).

(** ** The layer *)

(** All weights in one family of numbers: W_V, W_K and W_Q. *)
Definition weights := [finType of 'I_3 * ('I_d * 'I_d)].
Definition matrix_of (w : weights -> R) (q : 'I_3) : 'M[R]_d := \matrix_(i, j) w (q, (i, j)).
Definition softmax_mixer X (w : weights -> R) : 'M[R]_(d, n) :=
  head (@softmax R) (matrix_of w ord0) (matrix_of w (lift ord0 ord0)) (matrix_of w ord_max) X.

Definition analytic_mx a b (A : R -> 'M[R]_(a, b)) := forall i j, analytic (fun t => A t i j).

Lemma analytic_mulmx a b c (A : R -> 'M[R]_(a, b)) (B : R -> 'M[R]_(b, c)) :
  analytic_mx A -> analytic_mx B -> analytic_mx (fun t => A t *m B t).
Proof.
move=> A_an B_an i j; rewrite (_ : (fun t => _) = fun t => \sum_k A t i k * B t k j).
  by apply: analytic_sum => k _; apply: analyticM.
by apply/funext => t; rewrite mxE.
Qed.

Lemma analytic_softmax_mixer : analytic_mixer softmax_mixer.
Proof.
move=> X w X_an w_an.
have W_an q : analytic_mx (fun t => matrix_of (w t) q).
  by move=> i j; rewrite (_ : (fun t => _) = fun t => w t (q, (i, j))) //; apply/funext => t;
    rewrite mxE.
pose S t := (matrix_of (w t) (lift ord0 ord0) *m X t)^T *m (matrix_of (w t) ord_max *m X t).
have S_an : analytic_mx S.
  apply: analytic_mulmx => [i j|]; last exact: analytic_mulmx.
  rewrite (_ : (fun t => _) = fun t => (matrix_of (w t) (lift ord0 ord0) *m X t) j i).
    exact: analytic_mulmx.
  by apply/funext => t; rewrite mxE.
apply: (@analytic_mulmx _ _ _ (fun t => _) (fun t => _)); first exact: analytic_mulmx.
move=> i j; rewrite (_ : (fun t => _) =
    fun t => expR (S t i j) * (\sum_k expR (S t k j))^-1); last by apply/funext => t; rewrite mxE.
apply: analyticM; first exact: analytic_expR.
apply: analytic_inv => [|t]; first by apply: analytic_sum => k _; apply: analytic_expR.
rewrite gt_eqF // (bigD1 i) //=; apply: ltr_paddr (expR_gt0 _).
by apply: sumr_ge0 => k _; apply/ltW/expR_gt0.
Qed.

(** ** Lemma 1 *)

Definition tokens X := [seq col j X | j <- enum 'I_n].

(** With W_V = W_K = 1 and this W_Q the scores are t c . x_j. *)
Definition query (t : R) (c : 'rV[R]_d) (x : 'cV[R]_d) : 'M[R]_d :=
  (t / (x^T *m x) ord0 ord0) *: (c^T *m x^T).

Lemma heard_query t c X i : col i X != 0 ->
  heard (@exp_kernel R) (@full n) 1%:M 1%:M (query t c (col i X)) X i
  = (\sum_(a <- tokens X) expR (t * (c *m a) ord0 ord0))^-1 *:
    \sum_(a <- tokens X) expR (t * (c *m a) ord0 ord0) *: a.
Proof.
set x := col i X => x_ne0.
have norm_ne0 : (x^T *m x) ord0 ord0 != 0.
  apply: contra x_ne0; rewrite mxE psumr_eq0 => [/allP zero|u _]; last by rewrite mxE -expr2
    sqr_ge0.
  apply/eqP/matrixP => u o; rewrite (ord1 o) [RHS]mxE; apply/eqP; rewrite -sqrf_eq0 expr2.
  by have := zero u (mem_index_enum u); rewrite /= [x^T _ _]mxE.
have to_c : query t c x *m x = t *: c^T.
  have square : x^T *m x = ((x^T *m x) ord0 ord0)%:M := mx11_scalar _.
  rewrite /query; set r := (x^T *m x) ord0 ord0 in norm_ne0 square *.
  by rewrite -scalemxAl -mulmxA square mul_mx_scalar scalerA divfK.
have score a : exp_kernel (query t c x *m x) (1%:M *m a) = expR (t * (c *m a) ord0 ord0).
  rewrite to_c mul1mx /exp_kernel -scalemxAr mxE; congr (expR (_ * _)).
  by rewrite -trmx_mul mxE.
have sums (V : zmodType) (F : 'cV[R]_d -> V) :
    \sum_(j in full i) F (col j X) = \sum_(a <- tokens X) F a.
  by rewrite /tokens big_map big_enum; apply: eq_bigl => j; rewrite inE.
rewrite /heard -/x (sums _ (fun a => exp_kernel _ (1%:M *m a))).
rewrite (sums _ (fun a => exp_kernel _ (1%:M *m a) *: (1%:M *m a))).
by congr (_^-1 *: _); apply: eq_bigr => a _; rewrite score ?mul1mx.
Qed.

Lemma lemma_1 X Y i i' : injective (fun j => col j X) -> injective (fun j => col j Y) ->
  col i X != 0 -> ~ (tokens X =i tokens Y) \/ col i X <> col i' Y ->
  exists w, col i (X + softmax_mixer X w) != col i' (Y + softmax_mixer Y w).
Proof.
move=> X_inj Y_inj x_ne0 different.
have [same|/eqP ne] := eqVneq (col i X) (col i' Y); last first.
  (* 1. With weights 0 tokens stay as they are. *)
  exists (fun=> 0); have still Z : Z + softmax_mixer Z (fun=> 0) = Z.
    rewrite /softmax_mixer /head (_ : matrix_of _ ord0 = 0) ?mul0mx ?addr0 //.
    by apply/matrixP => u v; rewrite !mxE.
  by rewrite !still; apply/eqP.
have {different} sets_differ : ~ (tokens X =i tokens Y) by case: different.
have X_uniq : uniq (tokens X) by rewrite map_inj_uniq ?enum_uniq.
have Y_uniq : uniq (tokens Y) by rewrite map_inj_uniq ?enum_uniq.
have in_X : col i X \in tokens X by apply/map_f; rewrite mem_enum.
have in_Y : col i' Y \in tokens Y by apply/map_f; rewrite mem_enum.
(* 2. Some row gives all tokens different scores. *)
have [c c_inj] : exists c : 'rV[R]_d, {in tokens X ++ tokens Y &,
    injective (fun a => (c *m a) ord0 ord0)}.
  have [c c_inj] := separating_row (x := fun v : seq_sub (tokens X ++ tokens Y) => ssval v) val_inj.
  exists c => a b a_in b_in ab; have /(congr1 val) := c_inj (SeqSub a_in) (SeqSub b_in) ab.
  by [].
(* 3. Of the tokens that one sequence has and the other has not, one scores highest. *)
pose D := [seq v <- tokens X ++ tokens Y | (v \in tokens X) != (v \in tokens Y)].
have [||z zD z_max] := @largest R _ (fun a => (c *m a) ord0 ord0) D.
- by move=> a b; rewrite !mem_filter => /andP[_ a_in] /andP[_ b_in]; apply: c_inj.
- apply/eqP => D_nil; apply: sets_differ => v; apply/eqP/negPn/negP => v_in.
  have : v \in D.
    rewrite mem_filter v_in mem_cat; by case: (v \in tokens X) (v \in tokens Y) v_in => [] [].
  by rewrite D_nil.
have z_max' v : v \in tokens X ++ tokens Y -> (v \in tokens X) != (v \in tokens Y) -> v != z ->
    (c *m v) ord0 ord0 < (c *m z) ord0 ord0.
  by move=> v_in v_D; apply: z_max; rewrite mem_filter v_D.
(* 4. So what is heard is not the same for all t. *)
have [t t_ok] : exists t,
    heard (@exp_kernel R) (@full n) 1%:M 1%:M (query t c (col i X)) X i
    <> heard (@exp_kernel R) (@full n) 1%:M 1%:M (query t c (col i X)) Y i'.
  apply: contrapT => none.
  have alike t : heard (@exp_kernel R) (@full n) 1%:M 1%:M (query t c (col i X)) X i
      = heard (@exp_kernel R) (@full n) 1%:M 1%:M (query t c (col i X)) Y i'.
    by apply: contrapT => ne; apply: none; exists t.
  move: zD; rewrite mem_filter => /andP[z_D _].
  have [zX|zX] := boolP (z \in tokens X); [rewrite zX in z_D | rewrite (negbTE zX) in z_D].
    apply: (heard_apart X_uniq Y_uniq c_inj zX _ _ z_max') => [||t].
    - by move: z_D; case: (z \in tokens Y).
    - by apply: contraTneq in_Y => ->.
    by have := alike t; rewrite heard_query // same heard_query // -same.
  have zY : z \in tokens Y by move: z_D; case: (z \in tokens Y).
  apply: (heard_apart Y_uniq X_uniq _ zY zX _ _) => [a b||v|t].
  - by rewrite !mem_cat ![(_ \in tokens Y) || _]orbC -!mem_cat; apply: c_inj.
  - by apply: contraTneq in_X => ->.
  - by rewrite mem_cat orbC -mem_cat eq_sym; apply: z_max'.
  by have := alike t; rewrite heard_query // same heard_query // -same.
pose w (q : weights) : R :=
  (if q.1 == ord_max then query t c (col i X) else 1%:M) q.2.1 q.2.2.
have W q : matrix_of w q = if q == ord_max then query t c (col i X) else 1%:M.
  by apply/matrixP => u v; rewrite mxE /w /=; case: eqP.
have mixed Z j : col j (Z + softmax_mixer Z w) = col j Z
    + heard (@exp_kernel R) (@full n) 1%:M 1%:M (query t c (col i X)) Z j.
  rewrite /softmax_mixer -exp_kernel_head !W /= linearD; congr (_ + _).
  by apply/matrixP => u o; rewrite !mxE (ord1 o).
by exists w; apply/eqP; rewrite !mixed same => /addrI; rewrite -same; apply: t_ok.
Qed.

(** ** All at once *)

Theorem corollary_1_softmax (I : finType) (X : I -> 'M[R]_(d, n)) (different : rel I) :
  (forall i, injective (fun j => col j (X i))) -> (forall i k, col k (X i) != 0) ->
  (forall i j, different i j -> ~ (tokens (X i) =i tokens (X j))) ->
  forall theta0 eps, 0 < eps -> exists theta : weights -> R,
    (forall p, `|theta p - theta0 p| <= eps) /\
    let layer X := X + softmax_mixer X theta in
    (forall i j k l, different i j -> col k (layer (X i)) != col l (layer (X j))) /\
    (forall i k l, k != l -> col k (layer (X i)) != col l (layer (X i))).
Proof.
move=> X_inj X_ne0 X_different theta0 eps eps_gt0.
pose ok (q : I * I * ('I_n * 'I_n)) := different q.1.1 q.1.2 || (q.1.1 == q.1.2) && (q.2.1 !=
  q.2.2).
pose Q := {q : I * I * ('I_n * 'I_n) | ok q}.
have [|theta [near apart]] := @two_tokens_at_a_time _ _ _ _ (fun=> softmax_mixer) 1 [finType of Q]
    (fun q => X (val q).1.1) (fun q => X (val q).1.2) (fun q => (val q).2.1) (fun q => (val q).2.2)
    (fun=> analytic_softmax_mixer) _ (fun=> theta0) eps eps_gt0.
  move=> [[[i j] [k l]] /= ok_q].
  have [w w_ok] : exists w, col k (X i + softmax_mixer (X i) w) != col l (X j + softmax_mixer (X j)
    w).
    apply: lemma_1 => //; move: ok_q; rewrite /ok /=.
    case/orP=> [/X_different|/andP[/eqP<- kl]]; [by left | right => /X_inj/eqP].
    by rewrite (negbTE kl).
  by exists (fun=> w).
exists (theta 0%N); split=> [p|layer]; first exact: near.
split=> [i j k l ij|i k l kl].
  have ok_q : ok (i, j, (k, l)) by rewrite /ok /= ij.
  exact: (apart (exist _ (i, j, (k, l)) ok_q : Q)).
have ok_q : ok (i, i, (k, l)) by rewrite /ok /= eqxx kl orbT.
exact: (apart (exist _ (i, i, (k, l)) ok_q : Q)).
Qed.

End Softmax.
