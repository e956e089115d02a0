(** * Cheng et al. (2025), Theorem 2: from two at a time to all at once

    For any d, n, any number of layers m, any finite set of pairs of tokens in any sequences: if
    each pair alone is told apart by m layers X + g(X; theta) for some weights, then near any
    weights there are weights that tell all pairs apart at once.
    - Printed: "almost all" is in the proof. Here: "some, as near as you like to any" weights.
    - Hypothesis: g is analytic along curves, that is, along any curves X(t) and theta(t) with
      analytic entries the entries of g are analytic functions of the one number t. Functions
      that are analytic in (X, theta) jointly are; the printed hypothesis, analytic in theta for
      each X, is not enough. Weights are any finite family of numbers.
    - Pairs of tokens instead of pairs of sequences: that is more general, and has both
      conditions of Definition 3. [theorem_2] is the form with sequences. *)
From UAT Require Import transformers analysis.
From mathcomp Require Import poly.
From mathcomp.analysis Require Import derive.
From UAT.cheng2025 Require Import analytic isolated_zeros.

Section Curves.

Variable R : realType.

Lemma analyticB (f g : R -> R) : analytic f -> analytic g -> analytic (fun t => f t - g t).
Proof.
move=> f_an g_an; have := analyticD f_an (analyticM (analytic_const (-1)) g_an).
by congr analytic; apply/funext => t; rewrite mulN1r.
Qed.

Lemma analytic_square (f : R -> R) : analytic f -> analytic (fun t => f t ^+ 2).
Proof. by move=> f_an; under eq_fun do rewrite expr2; apply: analyticM. Qed.

Lemma analytic_sum (I : Type) (s : seq I) (P : pred I) (h : I -> R -> R) :
  (forall i, P i -> analytic (h i)) -> analytic (fun t => \sum_(i <- s | P i) h i t).
Proof.
move=> h_an; elim: s => [|i s IH]; first by under eq_fun do rewrite big_nil; apply: analytic_const.
under eq_fun do rewrite big_cons; have [Pi|//] := boolP (P i).
by apply: analyticD => //; apply: h_an.
Qed.

Lemma analytic_poly (p : {poly R}) : analytic (fun t => p.[t]).
Proof.
elim/poly_ind: p => [|p c IH].
  by rewrite (_ : (fun t => _) = fun=> 0); [exact: analytic_const | apply/funext => t; rewrite
    horner0].
rewrite (_ : (fun t => _) = fun t => p.[t] * t + c).
  by apply: analyticD (analyticM IH (@analytic_id R)) (analytic_const c).
by apply/funext => t; rewrite hornerMXaddC.
Qed.

Lemma analytic_near0 (f : R -> R) eps : analytic f -> 0 < eps ->
  exists2 e, 0 < e & forall t, 0 < t < e -> `|f t - f 0| <= eps.
Proof.
move=> [F [F_der F_bound] F0] eps_gt0; have [M [C [M_ge0 C_ge0 F_le]]] := F_bound 1.
pose L := M * C ^+ 1 + 1; have L_gt0 : 0 < L by rewrite ltr_spaddr // mulr_ge0 ?exprn_ge0.
exists (Num.min 1 (eps / L)) => [|t]; first by rewrite lt_minr ltr01 divr_gt0.
rewrite lt_minr => /and3P[t_gt0 t_lt1]; rewrite ltr_pdivl_mulr // => t_small.
have [c [c_near _]] := mean_value 0 t (F_der 0%N); rewrite F0 mul1r subr0 => ->.
have c_le : `|F 1%N c| <= M * C ^+ 1.
  by apply: F_le; move: c_near; rewrite !subr0 => /le_trans; apply; rewrite ger0_norm ?ltW.
rewrite normrM [`|t|]ger0_norm ?(ltW t_gt0) // mulrC; apply: le_trans (ltW t_small).
by rewrite ler_wpmul2l ?(ltW t_gt0) // (le_trans c_le) // ler_addl.
Qed.

(** A polynomial through finitely many points. *)
Lemma polynomial_through (J : finType) (node v : J -> R) : injective node ->
  exists p : {poly R}, forall j, p.[node j] = v j.
Proof.
move=> node_inj; pose w j := \prod_(i | i != j) (node j - node i).
pose q j := \prod_(i | i != j) ('X - (node i)%:P) : {poly R}.
exists (\sum_j (v j / w j)%:P * q j) => j.
rewrite horner_sum (bigD1 j) //= big1 ?addr0 => [|i ij].
  rewrite hornerM hornerC /q horner_prod (eq_bigr (fun i => node j - node i)) => [|i _].
    rewrite divfK //; apply/prodf_neq0 => i ij; rewrite subr_eq0.
    by apply: contraNneq ij => /node_inj->.
  by rewrite hornerXsubC.
rewrite hornerM [X in _ * X](_ : _ = 0) ?mulr0 // /q horner_prod (bigD1 j) 1?eq_sym //=.
by rewrite hornerXsubC subrr mul0r.
Qed.

(** Finitely many things that happen near 0 happen at once. *)
Lemma all_near0 (I : finType) (P : I -> R -> Prop) :
  (forall i, exists2 e, 0 < e & forall t, 0 < t < e -> P i t) ->
  exists2 t, 0 < t & forall i, P i t.
Proof.
move=> each; have [e e_gt0 e_ok] : exists2 e, 0 < e &
    forall t, 0 < t < e -> forall i, i \in enum I -> P i t.
  elim: (enum I) => [|i s [e e_gt0 e_ok]]; first by exists 1.
  have [e' e'_gt0 e'_ok] := each i; exists (Num.min e e'); first by rewrite lt_minr e_gt0.
  move=> t; rewrite lt_minr => /and3P[t_gt0 te te'] j; rewrite inE.
  by case/predU1P => [->|/e_ok]; [apply: e'_ok; rewrite t_gt0 | apply; rewrite t_gt0].
exists (e / 2%:R) => [|i]; first by rewrite divr_gt0.
apply: e_ok; rewrite ?mem_enum // divr_gt0 //= ltr_pdivr_mulr // ltr_pmulr // ltr1n.
by [].
Qed.

(** Two columns differ if their distance, squared, is not 0. *)
Lemma columns_apart d n (A B : 'M[R]_(d, n)) k l :
  (\sum_u (A u k - B u l) ^+ 2 != 0) = (col k A != col l B).
Proof.
congr negb; rewrite psumr_eq0 => [|u _]; last exact: sqr_ge0.
apply/allP/eqP => [zero|/matrixP same u _]; last first.
  by have := same u ord0; rewrite !mxE => ->; rewrite subrr expr0n /=.
apply/matrixP => u o; rewrite !mxE; apply/eqP; rewrite -subr_eq0 -sqrf_eq0.
by apply: zero; rewrite mem_index_enum.
Qed.

End Curves.

Section TheoremTwo.

Variables (R : realType) (d n : nat) (P : finType).
Implicit Types (theta : nat -> P -> R) (X Y : 'M[R]_(d, n)).

(** Analytic along curves: if inputs and weights are analytic functions of a number, so is what comes out. *)
Definition analytic_mixer (g : 'M[R]_(d, n) -> (P -> R) -> 'M[R]_(d, n)) : Prop :=
  forall (X : R -> 'M[R]_(d, n)) (w : R -> P -> R),
  (forall i j, analytic (fun t => X t i j)) -> (forall p, analytic (fun t => w t p)) ->
  forall i j, analytic (fun t => g (X t) (w t) i j).

(** ** A mixer for each layer *)
Section Each.

Variable g : nat -> 'M[R]_(d, n) -> (P -> R) -> 'M[R]_(d, n).

(** [m] layers X + g_r(X; theta_r), r = 0, ..., m - 1. *)
Definition mixing_each m theta : 'M[R]_(d, n) -> 'M[R]_(d, n) :=
  network [seq (fun X => X + g r X (theta r)) | r <- iota 0 m].

Lemma mixing_analytic (s : seq nat) (theta : R -> nat -> P -> R) (X : R -> 'M[R]_(d, n)) :
  (forall r, analytic_mixer (g r)) -> (forall r p, analytic (fun t => theta t r p)) ->
  (forall i j, analytic (fun t => X t i j)) -> forall i j,
  analytic (fun t => network [seq (fun X => X + g r X (theta t r)) | r <- s] (X t) i j).
Proof.
move=> g_an theta_an; elim: s X => [|r s IH] X X_an //=.
apply: (IH (fun t => X t + g r (X t) (theta t r))) => i j.
rewrite (_ : (fun t => _) = fun t => X t i j + g r (X t) (theta t r) i j).
  by apply: analyticD => //; apply: g_an.
by apply/funext => t; rewrite mxE.
Qed.

(** One curve of weights, each a polynomial in one number t, leads through the given weights at 0, and through those of
    each q at a point of its own. *)
Lemma curve_through (Q : finType) (good : Q -> nat -> P -> R) theta0 :
  exists (theta : R -> nat -> P -> R) (point : Q -> R),
  [/\ forall r p, analytic (fun t => theta t r p), theta 0 = theta0 & forall q, theta (point q) = good q].
Proof.
pose node (q : option Q) : R := if q is Some q then (enum_rank q).+1%:R else 0.
have node_inj : injective node.
  move=> [q|] [q'|] //= /eqP; rewrite ?eqr_nat ?pnatr_eq0 //.
    by rewrite eqSS => same; congr Some; apply/enum_rank_inj/ord_inj/eqP.
  by rewrite eq_sym pnatr_eq0.
have /choice[c c_ok] : forall rp : nat * P, exists c : {poly R}, forall q,
    c.[node q] = (if q is Some q then good q else theta0) rp.1 rp.2.
  by move=> rp; apply: polynomial_through.
exists (fun t r p => (c (r, p)).[t]), (node \o some); split=> [r p||q]; first exact: analytic_poly.
  by apply/funext => r; apply/funext => p; apply: (c_ok (r, p) None).
by apply/funext => r; apply/funext => p; apply: (c_ok (r, p) (Some q)).
Qed.

(** Weights on an analytic curve, somewhere on which they tell two tokens apart, do so everywhere near its start. *)
Lemma apart_near0 m (theta : R -> nat -> P -> R) X Y k l t0 :
  (forall r, analytic_mixer (g r)) -> (forall r p, analytic (fun t => theta t r p)) ->
  col k (mixing_each m (theta t0) X) != col l (mixing_each m (theta t0) Y) ->
  exists2 e, 0 < e & forall t, 0 < t < e ->
    col k (mixing_each m (theta t) X) != col l (mixing_each m (theta t) Y).
Proof.
move=> g_an theta_an; rewrite -columns_apart.
have entry_an Z u i : analytic (fun t => mixing_each m (theta t) Z u i).
  by apply: (@mixing_analytic _ theta (fun=> Z)) => // *; apply: analytic_const.
have gap_an : analytic (fun t => \sum_u (mixing_each m (theta t) X u k - mixing_each m (theta t) Y u l) ^+ 2).
  by apply: analytic_sum => u _; apply: analytic_square; apply: analyticB.
move=> /(isolated_zeros gap_an)[e e_gt0 e_ok]; exists e => // t /e_ok.
by rewrite columns_apart.
Qed.

(** Pairs of tokens: the [k q]-th of [X q] and the [l q]-th of [Y q]. *)
Theorem two_tokens_at_a_time m (Q : finType) (X Y : Q -> 'M[R]_(d, n)) (k l : Q -> 'I_n) :
  (forall r, analytic_mixer (g r)) ->
  (forall q, exists theta,
    col (k q) (mixing_each m theta (X q)) != col (l q) (mixing_each m theta (Y q))) ->
  forall theta0 eps, 0 < eps -> exists theta,
    (forall r p, (r < m)%N -> `|theta r p - theta0 r p| <= eps) /\
    (forall q, col (k q) (mixing_each m theta (X q)) != col (l q) (mixing_each m theta (Y q))).
Proof.
move=> g_an /choice[good good_ok] theta0 eps eps_gt0.
(* 1. One polynomial curve theta through the given weights, at 0, and through good weights for each pair, each at its
   own point, so that one number t stands for all weights. [theta_at]: at the point of q it has q's good weights;
   [theta_0]: at 0 the given ones. *)
have [theta [point [theta_an theta_0 theta_at]]] := curve_through good theta0.
(* 2. Near 0 the curve tells the tokens of each pair apart, as it does so at the pair's point, and it is still near its
   start: take a t where all of this holds at once. [t_ok]: it is good for every pair and every weight. *)
have [t t_gt0 t_ok] : exists2 t, 0 < t & forall i : Q + ('I_m * P), match i with
    | inl q => col (k q) (mixing_each m (theta t) (X q)) != col (l q) (mixing_each m (theta t) (Y q))
    | inr (r, p) => `|theta t r p - theta0 r p| <= eps end.
  apply: all_near0 => -[q|[r p]]; first by apply: (apart_near0 (t0 := point q)); rewrite ?theta_at.
  by rewrite -theta_0; apply: analytic_near0.
exists (theta t); split=> [r p r_lt|q]; first exact: t_ok (inr (Ordinal r_lt, p)).
exact: t_ok (inl q).
Qed.

(** The same for tokens of finitely many sequences, where [differ] says which two are to be told apart. *)
Lemma tokens_at_once m (I : finType) (X : I -> 'M[R]_(d, n)) (differ : I * 'I_n -> I * 'I_n -> Prop) :
  (forall r, analytic_mixer (g r)) ->
  (forall a b, differ a b -> exists theta,
    col a.2 (mixing_each m theta (X a.1)) != col b.2 (mixing_each m theta (X b.1))) ->
  forall theta0 eps, 0 < eps -> exists theta,
    (forall r p, (r < m)%N -> `|theta r p - theta0 r p| <= eps) /\
    (forall a b, differ a b ->
      col a.2 (mixing_each m theta (X a.1)) != col b.2 (mixing_each m theta (X b.1))).
Proof.
move=> g_an alone theta0 eps eps_gt0; pose Q := {q | `[< differ q.1 q.2 >]}.
have [|theta [near apart]] := @two_tokens_at_a_time m [finType of Q] (fun q => X (val q).1.1)
    (fun q => X (val q).2.1) (fun q => (val q).1.2) (fun q => (val q).2.2) g_an _ theta0 eps eps_gt0.
  by case=> q q_ok; apply: alone (asboolW q_ok).
by exists theta; split=> // a b /asboolP ab; apply: (apart (exist _ (a, b) ab : Q)).
Qed.

End Each.

(** ** The same mixer in all layers *)

Variable g : 'M[R]_(d, n) -> (P -> R) -> 'M[R]_(d, n).

(** Layers that each add what one and the same mixer g makes of the sequence, each with its own weights. *)
Definition mixing := mixing_each (fun=> g).

(** The form of the paper, for sequences in pairs that are to be told apart: no token of one
    is a token of the other. *)
Definition told_apart m theta X Y : Prop :=
  forall k l, col k (mixing m theta X) != col l (mixing m theta Y).

Theorem theorem_2 m (I : finType) (X : I -> 'M[R]_(d, n)) (different : rel I) :
  analytic_mixer g ->
  (forall i j, different i j -> exists theta, told_apart m theta (X i) (X j)) ->
  forall theta0 eps, 0 < eps -> exists theta,
    (forall r p, (r < m)%N -> `|theta r p - theta0 r p| <= eps) /\
    (forall i j, different i j -> told_apart m theta (X i) (X j)).
Proof.
move=> g_an pairs theta0 eps eps_gt0.
(* 1. What must be told apart are the tokens of two different sequences. One choice of weights does it for all, as near
   as one likes to the given ones, by the theorem above. [apart]: it tells these tokens apart. *)
have [|theta [near apart]] := tokens_at_once (m := m) (X := X) (differ := fun a b => different a.1 b.1)
    (fun=> g_an) _ theta0 eps_gt0.
  by move=> a b /pairs[theta apart]; exists theta; apply: apart.
(* 2. This is what was asked. *)
by exists theta; split=> // i j ij k l; apply: (apart (i, k) (j, l)).
Qed.

End TheoremTwo.
