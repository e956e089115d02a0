(** * Kernels that are fooled: the book's proposition, and more

    For all weights, any number of heads, and any entries d of a token:
    - even kernels, k(x, -y) = k(x, y): sequences that are their own mirror images never move,
      at any depth, so (p, -p, a, -a) and (p, -p, b, -b) are never told apart;
    - centrally symmetric kernels, k(-x, -y) = k(x, y), softmax and RBF among them: the token 0
      of a sequence that is its own mirror image stays 0 at any depth, so (0, u, -u) and
      (0, v, -v) are alike to it; this is where Corollary 1 of the paper needs tokens not 0;
    - the constant kernel: a token that is in two sequences with the same mean, at any depth;
    - kernels that are polynomials of degree at most m in t along each ray t y, t > 0: one layer
      does not tell apart (p, t_1 a, t_2 a, ...) and (p, u_1 a, u_2 a, ...) whose powers up to
      m + 1 have equal sums. With m = 0 these are scores of directions, (1, 4) and (2, 3); with
      m = 1 linear attention and ReLU of scores, (1, 5, 6) and (2, 3, 7); with m = 2 squares of
      scores, (1, 5, 8, 12) and (2, 3, 10, 11).
    The book's part (a) has turned polygons in place of a ray; they are not in this file. *)
From UAT Require Import transformers.
From mathcomp Require Import poly.
From UAT.cheng2025 Require Import mixers.

Section Fooled.

Variables (R : realFieldType) (k : kernel R) (d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)) (heads : seq (head_weights R d)).

(** Layers of attention alone, one after the other. *)
Definition attention_only (hs : seq (seq (head_weights R d))) :=
  network [seq kernel_attention k (@full n) heads | heads <- hs].

(** One layer of attention more acts on what the others have made. *)
Lemma attention_only_rcons hs heads X :
  attention_only (rcons hs heads) X = kernel_attention k (@full n) heads (attention_only hs X).
Proof. by rewrite /attention_only map_rcons network_rcons. Qed.

(** Its own mirror image: place [s j] has the opposite of place [j]. *)
Definition mirror (s : 'S_n) X := forall j, col (s j) X = - col j X.

Lemma self_opposite (V : lmodType R) (v : V) : v = - v -> v = 0.
Proof.
move=> v_opp; have : 2%:R *: v = 0 by rewrite scaler_nat mulr2n {1}v_opp addNr.
by move/eqP; rewrite scaler_eq0 pnatr_eq0 => /eqP.
Qed.

(** ** Even kernels *)

(** Under an even kernel opposite values cancel: every token of a sequence that is its own mirror image hears 0. *)
Lemma heard_even s X p v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) i :
  (forall q (x y : 'cV[R]_q), k x (- y) = k x y) -> mirror s X ->
  heard k (@full n) W_V W_K W_Q X i = 0.
Proof.
move=> even X_mirror; rewrite /heard; apply/eqP; rewrite scaler_eq0; apply/orP; right; apply/eqP.
apply: self_opposite; rewrite -sumrN (reindex_inj (@perm_inj _ s)) /=.
by apply: eq_big => j; rewrite ?inE // X_mirror !mulmxN even scalerN.
Qed.

Theorem even_kernels_fooled s X hs :
  (forall q (x y : 'cV[R]_q), k x (- y) = k x y) -> mirror s X -> attention_only hs X = X.
Proof.
(* 1. Layer by layer: suppose that nothing has changed so far. *)
move=> even X_mirror; elim/last_ind: hs => // hs heads IH.
rewrite attention_only_rcons IH; apply/matrixP => u i.
have := col_kernel_attention k (@full n) heads X i.
(* 2. What a head hears of a token and of its mirror image, the negative, cancels: an even kernel
   weighs them alike. *)
rewrite big1 => [|w _]; last by rewrite (heard_even _ _ _ _ even X_mirror) mulmx0.
(* 3. So this layer adds 0. *)
by rewrite addr0 => /matrixP/(_ u ord0); rewrite [LHS]mxE [RHS]mxE.
Qed.

(** ** Centrally symmetric kernels *)

Lemma heard_central s X p v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) i :
  (forall q (x y : 'cV[R]_q), k (- x) (- y) = k x y) -> mirror s X ->
  heard k (@full n) W_V W_K W_Q X (s i) = - heard k (@full n) W_V W_K W_Q X i.
Proof.
move=> central X_mirror; rewrite /heard -scalerN -sumrN !X_mirror !mulmxN.
by congr (_^-1 *: _); rewrite (reindex_inj (@perm_inj _ s)) /=; apply: eq_big => j;
  rewrite ?inE // X_mirror !mulmxN central ?scalerN.
Qed.

Theorem central_kernels_keep_mirrors s X hs :
  (forall q (x y : 'cV[R]_q), k (- x) (- y) = k x y) -> mirror s X ->
  mirror s (attention_only hs X).
Proof.
move=> central X_mirror; elim/last_ind: hs => // hs heads IH j.
rewrite attention_only_rcons !col_kernel_attention IH opprD -sumrN; congr (_ + _).
by apply: eq_bigr => w _; rewrite (heard_central _ _ _ _ central IH) mulmxN.
Qed.

(** A place that is its own mirror image has the token 0, and keeps it. *)
Theorem zero_token_fooled s X hs i :
  (forall q (x y : 'cV[R]_q), k (- x) (- y) = k x y) -> mirror s X -> s i = i ->
  col i (attention_only hs X) = 0.
Proof.
move=> central X_mirror fixed; apply: self_opposite.
by rewrite -{1}fixed; apply: central_kernels_keep_mirrors.
Qed.

(** ** The constant kernel *)

(** Under a constant kernel every token hears the same, which hangs on the sum of all tokens alone. *)
Lemma heard_constant c X p v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) i :
  (forall q (x y : 'cV[R]_q), k x y = c) ->
  heard k (@full n) W_V W_K W_Q X i = (n%:R * c)^-1 *: (c *: (W_V *m \sum_j col j X)).
Proof.
move=> const; rewrite /heard mulmx_sumr [X in _ = _ *: X]scaler_sumr; congr (_^-1 *: _).
  rewrite (eq_bigr (fun=> c)) => [|j _]; last exact: const.
  by rewrite sumr_const cardsT card_ord mulr_natl.
by apply: eq_big => [j|j _]; rewrite ?inE // const.
Qed.

Theorem constant_kernel_fooled c X Y hs i i' :
  (forall q (x y : 'cV[R]_q), k x y = c) ->
  col i X = col i' Y -> \sum_j col j X = \sum_j col j Y ->
  col i (attention_only hs X) = col i' (attention_only hs Y).
Proof.
move=> const same_i same_sum.
(* 1. Show more: the sums of the tokens stay equal, too. *)
suff [] : col i (attention_only hs X) = col i' (attention_only hs Y)
    /\ \sum_j col j (attention_only hs X) = \sum_j col j (attention_only hs Y) by [].
elim/last_ind: hs => // hs heads [IHi IHsum]; rewrite !attention_only_rcons.
(* 2. All tokens weigh alike, so a layer adds to each the same image of their sum. *)
have shift Z j : col j (kernel_attention k (@full n) heads Z) = col j Z +
    \sum_(w <- heads) W_O w *m ((n%:R * c)^-1 *: (c *: (W_V w *m \sum_j col j Z))).
  rewrite col_kernel_attention; congr (_ + _).
  by apply: eq_bigr => w _; rewrite (heard_constant _ _ _ _ _ const).
(* 3. Equal tokens with equal sums stay equal, and so do the sums. *)
split; first by rewrite !shift IHi IHsum.
by rewrite !(eq_bigr _ (fun j _ => shift _ j)) !big_split /= !IHsum.
Qed.

End Fooled.

(** ** Kernels that are polynomials along each ray *)

Section Ray.

Variables (R : realFieldType) (k : kernel R) (d m n : nat).
Variables (p a : 'cV[R]_d) (t u : 'I_n -> R) (X Y : 'M[R]_(d, n.+1)).

Hypothesis polynomial : forall q (x y : 'cV[R]_q),
  exists2 f : {poly R}, (size f <= m.+1)%N & forall r, 0 < r -> k x (r *: y) = f.[r].
Hypotheses (t_gt0 : forall j, 0 < t j) (u_gt0 : forall j, 0 < u j).
Hypothesis same_powers : forall e, (e <= m.+1)%N -> \sum_j t j ^+ e = \sum_j u j ^+ e.
Hypotheses (X0 : col ord0 X = p) (X_ray : forall j, col (lift ord0 j) X = t j *: a).
Hypotheses (Y0 : col ord0 Y = p) (Y_ray : forall j, col (lift ord0 j) Y = u j *: a).

Lemma sum_polynomial (f : {poly R}) : (size f <= m.+2)%N -> \sum_j f.[t j] = \sum_j f.[u j].
Proof.
move=> f_size; rewrite !(eq_bigr _ (fun j _ => horner_coef_wide _ f_size)).
rewrite exchange_big [RHS]exchange_big; apply: eq_bigr => e _ /=.
by rewrite -!mulr_sumr same_powers // -ltnS.
Qed.

Lemma sum_full (V : zmodType) l (i : 'I_l) (F : 'I_l -> V) : \sum_(j in full i) F j = \sum_j F j.
Proof. by apply: eq_bigl => j; rewrite inE. Qed.

(** The first token hears the same in both sequences, the powers of which have equal sums along the ray. *)
Lemma heard_ray q v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(q, d)) :
  heard k (@full n.+1) W_V W_K W_Q X ord0 = heard k (@full n.+1) W_V W_K W_Q Y ord0.
Proof.
have [f f_size fE] := polynomial (W_Q *m p) (W_K *m a).
rewrite /heard X0 Y0 !sum_full !big_ord_recl X0 Y0.
have weight z : (forall j, 0 < z j) -> forall j,
    k (W_Q *m p) (W_K *m (z j *: a)) = f.[z j].
  by move=> z_gt0 j; rewrite -scalemxAr fE.
congr ((_ + _)^-1 *: (_ + _)).
  rewrite (eq_bigr (fun j => f.[t j])) => [|j _]; last by rewrite X_ray weight.
  rewrite [RHS](eq_bigr (fun j => f.[u j])) => [|j _]; last by rewrite Y_ray weight.
  exact/sum_polynomial/(leq_trans f_size).
have size_fX : (size (f * 'X)%R <= m.+2)%N.
  by apply: leq_trans (size_mul_leq _ _) _; rewrite size_polyX addn2 /= ltnS.
rewrite (eq_bigr (fun j => (f * 'X).[t j] *: (W_V *m a))) => [|j _]; last first.
  by rewrite X_ray weight // -scalemxAr scalerA hornerMX.
rewrite [RHS](eq_bigr (fun j => (f * 'X).[u j] *: (W_V *m a))) => [|j _]; last first.
  by rewrite Y_ray weight // -scalemxAr scalerA hornerMX.
by rewrite -!scaler_suml (sum_polynomial size_fX).
Qed.

Theorem ray_kernels_fooled (heads : seq (head_weights R d)) :
  col ord0 (kernel_attention k (@full n.+1) heads X)
  = col ord0 (kernel_attention k (@full n.+1) heads Y).
Proof.
(* 1. Both sequences begin with the same token. *)
rewrite !col_kernel_attention X0 Y0; congr (_ + _).
(* 2. And it hears the same in both: on a ray a polynomial kernel knows only some sums of powers,
   and in these they agree. *)
by apply: eq_bigr => w _; rewrite heard_ray.
Qed.

End Ray.

(** The powers in the comment above. *)
Definition numbers (R : ringType) (s : seq nat) (j : 'I_(size s)) : R := (nth 0%N s j)%:R.

Lemma powers_agree (R : ringType) e :
  [/\ (e <= 1)%N -> \sum_j numbers R (s := [:: 1; 4]%N) j ^+ e
                   = \sum_j numbers R (s := [:: 2; 3]%N) j ^+ e,
      (e <= 2)%N -> \sum_j numbers R (s := [:: 1; 5; 6]%N) j ^+ e
                   = \sum_j numbers R (s := [:: 2; 3; 7]%N) j ^+ e &
      (e <= 3)%N -> \sum_j numbers R (s := [:: 1; 5; 8; 12]%N) j ^+ e
                   = \sum_j numbers R (s := [:: 2; 3; 10; 11]%N) j ^+ e].
Proof.
by split; case: e => [|[|[|[|]]]] // _; rewrite !big_ord_recl !big_ord0 /numbers /= -!natrX
  !addr0 -!natrD.
Qed.

(** Softmax weighs opposite keys alike for opposite queries. *)
Lemma exp_kernel_central (R : realType) p (x y : 'cV[R]_p) :
  exp_kernel (- x) (- y) = exp_kernel x y.
Proof.
have opp_tr : (- y)^T = - y^T by apply/matrixP => i j; rewrite !mxE.
by rewrite /exp_kernel opp_tr mulNmx mulmxN opprK.
Qed.

(** Softmax attention, at any depth, leaves the 0 of (0, u, -u) where it is, for every u. *)
Theorem softmax_zero_token (R : realType) d (u : 'cV[R]_d) (X : 'M[R]_(d, 3)) hs :
  col ord0 X = 0 -> col (lift ord0 ord0) X = u -> col ord_max X = - u ->
  col ord0 (network [seq attention (@softmax R) heads | heads <- hs] X) = 0.
Proof.
move=> X0 X1 X2; have -> : network [seq attention (@softmax R) heads | heads <- hs] X
    = attention_only (@exp_kernel R) hs X.
  rewrite /attention_only; elim: hs X {X0 X1 X2} => //= heads hs IH X.
  by rewrite exp_kernel_attention IH.
apply: (@zero_token_fooled _ _ _ _ (tperm (lift ord0 ord0) ord_max)) => [q x y|j|].
- exact: exp_kernel_central.
- case: (tpermP _ _ j) => [->|->|j_ne1 j_ne2]; rewrite ?X1 ?X2 ?opprK //.
  suff -> : j = ord0 by rewrite X0 oppr0.
  apply/val_inj; case: j j_ne1 j_ne2 => -[|[|[|j]]] //= j_lt ne1 ne2.
    by case: ne1; apply: val_inj.
  by case: ne2; apply: val_inj.
by rewrite tpermD.
Qed.
