(** * The grid is a product

    On a product of axes the weights of softmax are products, too: what depends on one coordinate
    can be averaged on its axis alone. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother grid.

Section Product.

Variables (R : realType) (T K : finType).
Implicit Types (s : T -> K -> R) (j : {ffun T -> K}).

(** exp turns sums into products. *)
Lemma expR_sum (a : T -> R) : expR (\sum_t a t) = \prod_t expR (a t).
Proof. by apply: (big_morph (@expR R)) => [x y|]; rewrite ?expRD ?expR0. Qed.

(** Scores that are sums give weights that are products. *)
Lemma softmax_prod s j :
  softmax (fun j : {ffun T -> K} => \sum_t s t (j t)) j = \prod_t softmax (s t) (j t).
Proof.
rewrite /softmax prodf_div expR_sum bigA_distr_bigA /=; congr (_ / _).
by apply: eq_bigr => i _; rewrite expR_sum.
Qed.

(** What depends on one coordinate can be averaged on its axis. *)
Lemma softmax_axis s (k0 : K) t (G : K -> R) :
  \sum_j softmax (fun j : {ffun T -> K} => \sum_t s t (j t)) j * G (j t)
  = \sum_k softmax (s t) k * G k.
Proof.
pose F t' k := softmax (s t') k * (if t' == t then G k else 1).
transitivity (\prod_t' \sum_k F t' k).
  rewrite bigA_distr_bigA; apply: eq_bigr => j _; rewrite softmax_prod /F [in RHS]big_split /=.
  congr (_ * _); rewrite (bigD1 t) //= eqxx big1 ?mulr1 // => t' /negPf ->.
  by [].
rewrite (bigD1 t) //= [X in _ * X]big1 => [|t' /negPf t'_t]; last first.
  rewrite -[RHS](softmax_sum1 (s t') k0); apply: eq_bigr => k _.
  by rewrite /F t'_t mulr1.
by rewrite mulr1; apply: eq_bigr => k _; rewrite /F eqxx.
Qed.

End Product.

Section Grid.

(** The weights of the smoother on a grid, as products over the axes. *)
Variables (R : realType) (T : finType) (P : nat) (h rho : R).

(** The score of cell k on one axis: - rho/2 times the squared distance to its middle. *)
Definition axis (u : R) (k : 'I_P) : R := - (rho / 2%:R) * (u - middle h k) ^+ 2.

(** The scores of the smoother on a grid are such sums. *)
Lemma score_axes (x : T -> R) (j : cell T P) :
  - (rho / 2%:R) * dist2 x (centre h j) = \sum_t axis (x t) (j t).
Proof. by rewrite /dist2 mulr_sumr. Qed.

(** If the error at a cell is at most [a] and, for each axis, [g] more, then the error of the
    smoother is at most [a] and the means of [g] on the axes. *)
Lemma grid_axes (O : finType) (V : cell T P -> O -> R) x o (y a : R) (k0 : 'I_P)
    (g : T -> 'I_P -> R) :
  (forall j : cell T P, `|V j o - y| <= a + \sum_t g t (j t)) ->
  `|smoother rho (centre h) V x o - y|
    <= a + \sum_t \sum_k softmax (axis (x t)) k * g t k.
Proof.
move=> V_near; pose j0 : cell T P := [ffun=> k0].
pose w (j : cell T P) := softmax (fun j : {ffun T -> 'I_P} => \sum_t axis (x t) (j t)) j.
rewrite /smoother (eq_bigr (fun j => w j * V j o)) => [|j _]; last first.
  by congr (_ * _); apply: eq_softmax => i; apply: score_axes.
apply: le_trans (softmax_mean_error _ _ _ j0) _.
apply: (@le_trans _ _ (\sum_j w j * (a + \sum_t g t (j t)))).
  by apply: ler_sum => j _; rewrite ler_wpmul2l ?softmax_ge0.
rewrite (eq_bigr (fun j => w j * a + \sum_t w j * g t (j t))) => [|j _]; last first.
  by rewrite mulrDr mulr_sumr.
rewrite big_split /= -mulr_suml (softmax_sum1 _ j0) mul1r ler_add2l exchange_big /=.
rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => t _.
exact: (softmax_axis (fun t => axis (x t)) k0 t (g t)).
Qed.

End Grid.
