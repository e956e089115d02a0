(** * Computing: softmax at whole multiples of ln 2

    There its weights are rational, 2^s / sum 2^s. So softmax, and what is made of it, can be
    compared with a program at such scores, exactly here, and up to its rounding there. *)
From Coq Require Import ZArith QArith Qreduction.
From UAT Require Import transformers lra_checker.
From UAT.computing Require Import tables.
From UAT.liu2025 Require Import smoother layers.
From UAT.yun2020 Require Import layers.

(** 2^z for whole z, and softmax of z ln 2. *)
Definition power2 (z : Q) : Q :=
  let two k := iter k (Qmult 2%Q) 1%Q in
  match Qnum z with Z0 => 1%Q | Zpos p => two (Pos.to_nat p) | Zneg p => Qinv (two (Pos.to_nat p)) end.
Definition is_whole (z : Q) := Pos.eqb (Qden z) 1.
Definition powers_table n (s : nat -> Q) j : Q :=
  Qmult (power2 (s j)) (Qinv (sum_below n (fun i => power2 (s i)))).
Definition all_whole m n (S : table) :=
  all (fun i => all (fun j => is_whole (entry S i j)) (iota 0 n)) (iota 0 m).

Section Softmax.

Variable R : realType.
Notation Q2R := (@Q2R R).
Notation log2 := (ln 2%:R : R).

Lemma power2E z : is_whole z -> expR (log2 * Q2R z) = Q2R (power2 z).
Proof.
have two k : Q2R (iter k (Qmult 2%Q) 1%Q) = expR log2 ^+ k.
  elim: k => [|k IH]; first by rewrite expr0 Q2R1.
  by rewrite iterS Q2RM IH exprS (Q2R_nat R 2) lnK ?posrE ?ltr0n.
have nat p : Z2R R (Zpos p) = (Pos.to_nat p)%:R.
  by rewrite -Z2R_nat Znat.positive_nat_Z.
have numerator y : Q2R (Qmake y 1) = Z2R R y.
  by rewrite /lra_checker.Q2R /= (_ : Z2R R 1 = 1) // divr1.
case: z => [z d] /Pos.eqb_eq /= ->; rewrite numerator /power2 /=; case: z => [|p|p].
- by rewrite (_ : Z2R R 0 = 0) // mulr0 expR0 Q2R1.
- by rewrite two nat mulrC expRMm.
rewrite -[Zneg p]/(Z.opp (Zpos p)) Z2R_morph nat mulrN expRN mulrC expRMm.
by rewrite -two -Q2RV.
Qed.

Lemma softmaxE n (f : 'I_n -> R) (s : nat -> Q) j : all (fun i => is_whole (s i)) (iota 0 n) ->
  (forall i, f i = log2 * Q2R (s i)) -> softmax f j = Q2R (powers_table n s j).
Proof.
move=> /allP whole fE.
have expE (i : 'I_n) : expR (f i) = Q2R (power2 (s i)).
  by rewrite fE power2E // whole // mem_iota /=.
rewrite /softmax expE (eq_bigr _ (fun i _ => expE i)).
by rewrite Q2RM Q2RV sum_belowE.
Qed.

Lemma mx_softmax m n S : all_whole m n S ->
  columns (@softmax R) (log2 *: mx R m n S) = mx R m n (columns_table powers_table m n S).
Proof.
move=> whole; rewrite mx_tabulate; apply/matrixP => i k; rewrite !mxE.
apply: softmaxE => [|i']; last by rewrite !mxE.
apply/allP => i' i'_m; have /allP/(_ i' i'_m)/allP := whole.
by apply; rewrite mem_iota add0n ltn_ord.
Qed.

(** A head whose queries are scaled by ln 2. *)
Lemma soft_headE d n h X : b_table h = [::] -> all_whole n n (scores_table d n h X) ->
  let w := weights (of_head R d h) in
  W_O w *m head (@softmax R) (W_V w) (W_K w) (log2 *: W_Q w) (mx R d n X)
    = mx R d n (head_table powers_table d n h X).
Proof.
move=> no_bias whole /=; rewrite /head -scalemxAl -scalemxAr !mxM mxT mxM.
suff -> : mx R n n (times n (m_of h) n (turned n (m_of h) (times (m_of h) d n (k_table h) X))
    (times (m_of h) d n (q_table h) X)) = mx R n n (scores_table d n h X) by rewrite mx_softmax ?mxM.
rewrite -!mxM -mxD; congr (_ *m _); rewrite -mxM -mx_bias no_bias mx0.
by rewrite -[LHS]addr0; congr (_ + _); apply/matrixP => i k; rewrite !mxE.
Qed.

Definition soft_head d (h : head_code) : head_weights R d :=
  let w := weights (of_head R d h) in HeadWeights (W_O w) (W_V w) (W_K w) (log2 *: W_Q w).
Lemma soft_attentionE d n (hs : seq head_code) X : all (fun h => nilp (b_table h)) hs ->
  all (fun h => all_whole n n (scores_table d n h X)) hs ->
  attention (@softmax R) [seq soft_head d h | h <- hs] (mx R d n X)
    = mx R d n (plus d n X (foldr (fun h T => plus d n (head_table powers_table d n h X) T) [::] hs)).
Proof.
move=> no_bias whole; rewrite /attention -mxD; congr (_ + _).
elim: hs no_bias whole => [|h hs IH] /=; first by rewrite big_nil mx0.
move=> /andP[/nilP no_b no_bias] /andP[w_h whole].
by rewrite big_cons IH // -mxD (soft_headE no_b w_h).
Qed.

(** The attention of Liu et al., and the sum of linear maps before it. *)
Definition cross_scores p e_K e_Q N_K N_Q (W_K W_Q X_K X_Q : table) :=
  times N_K p N_Q (turned N_K p (times p e_K N_K W_K X_K)) (times p e_Q N_Q W_Q X_Q).
Lemma cross_attnE p e_K e_Q q N_K N_Q n W_K W_Q W_V W_O X_K X_Q :
  all_whole N_K N_Q (cross_scores p e_K e_Q N_K N_Q W_K W_Q X_K X_Q) ->
  cross_attn (mx R p e_K W_K) (log2 *: mx R p e_Q W_Q) (mx R q e_K W_V) (mx R N_Q n W_O)
    (mx R e_K N_K X_K) (mx R e_Q N_Q X_Q)
  = mx R q n (times q N_Q n (times q N_K N_Q (times q e_K N_K W_V X_K) (columns_table powers_table
      N_K N_Q (cross_scores p e_K e_Q N_K N_Q W_K W_Q X_K X_Q))) W_O).
Proof.
move=> whole; rewrite /cross_attn -scalemxAl -scalemxAr [mx _ p e_K _ *m _]mxM mxT.
by rewrite [mx _ p e_Q _ *m _]mxM [mx _ N_K p _ *m _]mxM mx_softmax // !mxM.
Qed.

Definition linear_table r d n e N (As Bs : seq table) M Z :=
  plus e N (foldr (fun i T => plus e N (times e n N (times e d n (nth [::] As i) Z)
    (nth [::] Bs i)) T) [::] (iota 0 r)) M.
Lemma linear_sumE r d n e N As Bs M Z :
  linear (fun i : 'I_r => mx R e d (nth [::] As i)) (fun i : 'I_r => mx R n N (nth [::] Bs i))
    (mx R e N M) (mx R d n Z) = mx R e N (linear_table r d n e N As Bs M Z).
Proof.
rewrite /linear -mxD; congr (_ + _).
rewrite -(big_mkord xpredT (fun i => mx R e d (nth [::] As i) *m mx R d n Z *m
  mx R n N (nth [::] Bs i))) /index_iota subn0.
elim: (iota 0 r) => [|i s IH]; first by rewrite big_nil mx0.
by rewrite big_cons IH !mxM mxD.
Qed.

(** The smoother at the sharpness 2 ln 2. *)
Definition distance_table m (x : nat -> Q) (C : table) j :=
  sum_below m (fun t => let e := Qplus (x t) (Qopp (entry C j t)) in Qmult e e).
Definition smoother_table G m (x : nat -> Q) C V o :=
  sum_below G (fun j => Qmult (powers_table G (fun j => Qopp (distance_table m x C j)) j) (entry V j o)).
Lemma smootherE G m p (x : nat -> Q) C V (o : 'I_p) :
  all (fun j => is_whole (distance_table m x C j)) (iota 0 G) ->
  smoother (2%:R * log2) (fun (j : 'I_G) (t : 'I_m) => Q2R (entry C j t))
    (fun (j : 'I_G) (o : 'I_p) => Q2R (entry V j o)) (fun t => Q2R (x t)) o
  = Q2R (smoother_table G m x C V o).
Proof.
move=> whole; rewrite /smoother sum_belowE; apply: eq_bigr => j _; rewrite Q2RM; congr (_ * _).
apply: softmaxE => [|i]; first by [].
rewrite [2%:R * _]mulrC mulfK ?pnatr_eq0 // Q2RN mulNr mulrN sum_belowE; congr (- (_ * _)).
by apply: eq_bigr => t _; rewrite Q2RM Q2RD Q2RN.
Qed.

End Softmax.
