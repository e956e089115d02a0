(** * Computing: what the layers make of matrices of rational numbers

    Matrices of MathComp do not compute, and real numbers cannot. Here are the same layers on
    tables, lists of rows of rational numbers, which Rocq computes with; proved is that they give
    what the layers of [transformers.v] give, over any real field. So a program that writes down
    weights, an input and an output can be compared with the definitions, as a test does. Softmax
    is no rational number, but at scores that are whole multiples of ln 2 it is: 2^s / sum 2^s. *)
From Coq Require Import ZArith QArith Qreduction.
From UAT Require Import attention lra_checker.
From UAT.yun2020 Require Import layers.

(** ** Tables *)

Definition table := seq (seq Q).
Definition entry (A : table) i j : Q := nth (0%Q) (nth [::] A i) j.
Definition tabulate m n (F : nat -> nat -> Q) : table :=
  mkseq (fun i => mkseq (fun j => Qred (F i j)) n) m.
Fixpoint sum_below n (F : nat -> Q) : Q :=
  if n is n'.+1 then Qred (Qplus (sum_below n' F) (F n')) else 0%Q.

Definition times m p n (A B : table) :=
  tabulate m n (fun i j => sum_below p (fun k => Qmult (entry A i k) (entry B k j))).
Definition plus m n (A B : table) := tabulate m n (fun i j => Qplus (entry A i j) (entry B i j)).
Definition turned m n (A : table) := tabulate m n (fun i j => entry A j i).

(** ** Hardmax *)

Definition largest_at n (s : nat -> Q) j := all (fun i => Qle_bool (s i) (s j)) (iota 0 n).
Definition hardmax_table n (s : nat -> Q) j : Q :=
  if largest_at n s j then Qinv (of_nat (count (largest_at n s) (iota 0 n))) else 0%Q.

(** ** Layers *)

Definition score_weights := nat -> (nat -> Q) -> nat -> Q.
Definition columns_table (w : score_weights) m n (S : table) :=
  tabulate m n (fun i k => w m (fun i' => entry S i' k) i).

Record head_code := HeadCode { m_of : nat; v_of : nat;
  o_table : table; v_table : table; k_table : table; q_table : table; b_table : table }.
Definition scores_table d n (h : head_code) (X : table) :=
  times n (m_of h) n (turned n (m_of h) (times (m_of h) d n (k_table h) X))
    (plus (m_of h) n (times (m_of h) d n (q_table h) X)
      (tabulate (m_of h) n (fun i _ => entry (b_table h) i 0))).
Definition head_table (w : score_weights) d n (h : head_code) (X : table) :=
  times d (v_of h) n (o_table h) (times (v_of h) n n (times (v_of h) d n (v_table h) X)
    (columns_table w n n (scores_table d n h X))).

(** ReLU, or three pieces: two borders, three slopes, three heights. *)
Inductive activation := Relu | Pieces of Q & Q & Q & Q & Q & Q & Q & Q.
Definition act_table (a : activation) (t : Q) : Q :=
  match a with
  | Relu => if Qle_bool 0%Q t then t else 0%Q
  | Pieces a b s1 c1 s2 c2 s3 c3 =>
    if Qle_bool a t then if Qle_bool b t then Qplus (Qmult s3 t) c3 else Qplus (Qmult s2 t) c2
    else Qplus (Qmult s1 t) c1
  end.

Inductive code := Hears of seq head_code | Each of activation & nat & table & table & table & table.
Definition layer_table d n (c : code) (X : table) :=
  match c with
  | Hears hs => plus d n X
      (foldr (fun h T => plus d n (head_table hardmax_table d n h X) T) [::] hs)
  | Each a r w1 b1 w2 b2 =>
    let H := plus r n (times r d n w1 X) (tabulate r n (fun i _ => entry b1 i 0)) in
    plus d n (plus d n X (times d r n w2 (tabulate r n (fun i k => act_table a (entry H i k)))))
      (tabulate d n (fun i _ => entry b2 i 0))
  end.
Definition network_table d n (cs : seq code) X := foldl (fun Z c => layer_table d n c Z) X cs.

Section Numbers.

Variable R : realFieldType.
Notation Q2R := (@Q2R R).

(** ** Numbers *)

Lemma Q2RD x y : Q2R (Qplus x y) = Q2R x + Q2R y.
Proof. by case: (coefficients R) => -[_ _ add _ _ _ _] *; rewrite -add. Qed.
Lemma Q2RM x y : Q2R (Qmult x y) = Q2R x * Q2R y.
Proof. by case: (coefficients R) => -[_ _ _ _ mul _ _] *; rewrite -mul. Qed.
Lemma Q2RN x : Q2R (Qopp x) = - Q2R x.
Proof. by case: x => a b; rewrite /lra_checker.Q2R /= Z2R_morph mulNr. Qed.
Lemma Q2RV x : Q2R (Qinv x) = (Q2R x)^-1.
Proof.
case: x => [[|a|a] b]; rewrite /lra_checker.Q2R /= ?invf_div //.
  by rewrite (_ : Z2R R 0 = 0) // mul0r invr0 mulr0.
have neg p : Z2R R (Zneg p) = - Z2R R (Zpos p) by rewrite -[Zneg p]/(Z.opp (Zpos p)) Z2R_morph.
by rewrite !neg mulNr invrN mulrN.
Qed.
Lemma Q2R0 : Q2R 0%Q = 0.
Proof. by rewrite /lra_checker.Q2R mul0r. Qed.
Lemma Q2R1 : Q2R 1%Q = 1.
Proof. exact: (Q2R_nat R 1). Qed.

(** Which rational number a term is, found term by term. *)
Class numeral (x : R) (q : Q) := numeralE : x = Q2R q.
#[global] Instance numeral_Q q : numeral (Q2R q) q. Proof. by []. Qed.
#[global] Instance numeral_0 : numeral 0 0%Q. Proof. by rewrite /numeral Q2R0. Qed.
#[global] Instance numeral_1 : numeral 1 1%Q. Proof. by rewrite /numeral Q2R1. Qed.
#[global] Instance numeral_nat n : numeral n%:R (of_nat n). Proof. by rewrite /numeral Q2R_nat. Qed.
#[global] Instance numeral_D x y p q : numeral x p -> numeral y q -> numeral (x + y) (Qplus p q).
Proof. by rewrite /numeral Q2RD => -> ->. Qed.
#[global] Instance numeral_N x p : numeral x p -> numeral (- x) (Qopp p).
Proof. by rewrite /numeral Q2RN => ->. Qed.
#[global] Instance numeral_M x y p q : numeral x p -> numeral y q -> numeral (x * y) (Qmult p q).
Proof. by rewrite /numeral Q2RM => -> ->. Qed.
#[global] Instance numeral_V x p : numeral x p -> numeral x^-1 (Qinv p).
Proof. by rewrite /numeral Q2RV => ->. Qed.
#[global] Instance numeral_X x p n : numeral x p -> numeral (x ^+ n) (iter n (Qmult p) 1%Q).
Proof. by rewrite /numeral => ->; elim: n => [|n IH]; rewrite ?Q2R1 // iterS Q2RM -IH exprS. Qed.
Lemma same_numeral x y p q : numeral x p -> numeral y q -> Qeq_bool p q = true -> x = y.
Proof. by move=> -> -> /Q2R_eq. Qed.

End Numbers.

Section Computing.

Variable R : realFieldType.
Notation Q2R := (@Q2R R).

(** ** What tables stand for *)

Definition mx m n (A : table) : 'M[R]_(m, n) := \matrix_(i, j) Q2R (entry A i j).
Definition of_head d (h : head_code) : biased_head R d :=
  @BiasedHead R d (HeadWeights (mx d (v_of h) (o_table h)) (mx (v_of h) d (v_table h))
    (mx (m_of h) d (k_table h)) (mx (m_of h) d (q_table h))) (mx (m_of h) 1 (b_table h)).
Definition of_activation (a : activation) : R -> R :=
  match a with
  | Relu => @relu R
  | Pieces a b s1 c1 s2 c2 s3 c3 => three_piece (Q2R a) (Q2R b)
      (Q2R s1) (Q2R c1) (Q2R s2) (Q2R c2) (Q2R s3) (Q2R c3)
  end.
Definition of_code d n (c : code) : layer R d n :=
  match c with
  | Hears hs => attention_with_bias (fun J => @hardmax R J) [seq of_head d h | h <- hs]
  | Each a r w1 b1 w2 b2 => feed_forward (of_activation a)
      (FeedForwardWeights (mx r d w1) (mx r 1 b1) (mx d r w2) (mx d 1 b2))
  end.

Arguments of_code d n c : clear implicits.

Lemma Q2R_red x : Q2R (Qred x) = Q2R x.
Proof. by apply: Q2R_eq; apply/Qeq_bool_iff; apply: Qred_correct. Qed.
Lemma Q2R_leE x y : (Q2R x <= Q2R y) = Qle_bool x y.
Proof.
case le: (Qle_bool x y); first by apply: Q2R_le.
apply/negP => le_xy; have le_yx : Qle_bool y x = true.
  apply/Qle_bool_iff; apply: Qlt_le_weak; apply: Qnot_le_lt => /Qle_bool_iff; by rewrite le.
have ne : Qeq_bool x y = false.
  apply/negP => /Qeq_bool_iff eq; have : Qle x y by rewrite eq; apply: Qle_refl.
  by move/Qle_bool_iff; rewrite le.
by apply: (@Q2R_neq R _ _ ne); apply/eqP; rewrite eq_le le_xy Q2R_le.
Qed.
Lemma sum_belowE n F : Q2R (sum_below n F) = \sum_(i < n) Q2R (F i).
Proof.
elim: n => [|n IH]; first by rewrite big_ord0 Q2R0.
by rewrite big_ord_recr [RHS]/= -IH -Q2RD -[RHS]Q2R_red.
Qed.

(** ** Matrices *)

Lemma mx_tabulate m n F : mx m n (tabulate m n F) = \matrix_(i, j) Q2R (F i j).
Proof. by apply/matrixP => i j; rewrite !mxE /entry !nth_mkseq // Q2R_red. Qed.
Lemma mx0 m n : mx m n [::] = 0.
Proof. by apply/matrixP => i j; rewrite !mxE /entry !nth_nil Q2R0. Qed.
Lemma mxM m p n A B : mx m p A *m mx p n B = mx m n (times m p n A B).
Proof.
rewrite mx_tabulate; apply/matrixP => i j; rewrite !mxE sum_belowE.
by apply: eq_bigr => k _; rewrite !mxE Q2RM.
Qed.
Lemma mxD m n A B : mx m n A + mx m n B = mx m n (plus m n A B).
Proof. by rewrite mx_tabulate; apply/matrixP => i j; rewrite !mxE Q2RD. Qed.
Lemma mxT m n A : (mx m n A)^T = mx n m (turned n m A).
Proof. by rewrite mx_tabulate; apply/matrixP => i j; rewrite !mxE. Qed.
Lemma mx_bias m n b : bias n (mx m 1 b) = mx m n (tabulate m n (fun i _ => entry b i 0)).
Proof. by rewrite mx_tabulate; apply/matrixP => i j; rewrite !mxE. Qed.

(** ** Layers *)

(** Weights [w] on tables are those of [sigma]. *)
Definition computes (sigma : scoring R) (w : score_weights) := forall n (f : 'I_n -> R) (s : nat -> Q) j,
  (forall i, f i = Q2R (s i)) -> sigma _ f j = Q2R (w n s j).

Lemma hardmax_computes : computes (fun J => @hardmax R J) hardmax_table.
Proof.
move=> n f s j fE.
have bestE (i : 'I_n) : best f i = largest_at n s i.
  apply/forallP/allP => [h k|h k]; last by rewrite !fE Q2R_leE; apply: h; rewrite mem_iota /=.
  by rewrite mem_iota /= => k_n; have := h (Ordinal k_n); rewrite !fE Q2R_leE.
have countE : #|[pred i | best f i]| = count (largest_at n s) (iota 0 n).
  rewrite -sum1_card -sum1_count; transitivity (\sum_(i < n | largest_at n s i) 1)%N.
    by apply: eq_bigl => i; rewrite inE bestE.
  by rewrite -(big_mkord (largest_at n s) (fun=> 1%N)) /index_iota subn0.
by rewrite /hardmax /hardmax_table bestE countE; case: ifP => _; rewrite ?mul0r ?Q2R0 // div1r Q2R_inv.
Qed.

Lemma mx_columns sigma w m n S : computes sigma w ->
  columns sigma (mx m n S) = mx m n (columns_table w m n S).
Proof.
move=> same; rewrite mx_tabulate; apply/matrixP => i k; rewrite !mxE.
by apply: same => i'; rewrite mxE.
Qed.

Lemma headE sigma w d n h X : computes sigma w -> let b := of_head d h in
  W_O (weights b) *m head_with_bias sigma (W_V (weights b)) (W_K (weights b)) (W_Q (weights b))
    (b_Q b) (mx d n X) = mx d n (head_table w d n h X).
Proof. by move=> same /=; rewrite /head_with_bias mx_bias !mxM mxD mxT mxM (mx_columns _ _ _ same) !mxM. Qed.

Lemma of_activationE a t : of_activation a (Q2R t) = Q2R (act_table a t).
Proof.
case: a => [|a b s1 c1 s2 c2 s3 c3] /=.
  rewrite /relu -{1}Q2R0 -Q2R_leE; case: ifP => [|/negbT]; first by move/max_r; rewrite Q2R0.
  by rewrite -ltNge => /ltW/max_l; rewrite Q2R0.
rewrite /three_piece !ltNge !Q2R_leE.
by case: (Qle_bool a t); [case: (Qle_bool b t)|]; rewrite [RHS]Q2RD Q2RM.
Qed.

Lemma of_codeE d n c X : of_code d n c (mx d n X) = mx d n (layer_table d n c X).
Proof.
case: c => [hs|a r w1 b1 w2 b2] /=.
  rewrite /attention_with_bias -mxD; congr (_ + _); elim: hs => [|h hs IH] /=.
    by rewrite big_nil mx0.
  by rewrite big_cons IH -mxD (headE _ _ _ _ hardmax_computes).
rewrite /feed_forward /= !mx_bias mxM mxD.
have -> A : map_mx (of_activation a) (mx r n A)
    = mx r n (tabulate r n (fun i k => act_table a (entry A i k))).
  by rewrite mx_tabulate; apply/matrixP => i k; rewrite !mxE of_activationE.
by rewrite mxM !mxD.
Qed.

Theorem networkE d n cs X :
  network [seq of_code d n c | c <- cs] (mx d n X) = mx d n (network_table d n cs X).
Proof. by elim: cs X => //= c cs IH X; rewrite of_codeE IH. Qed.

End Computing.
Arguments of_activation R a t : clear implicits, simpl never.
Arguments of_code R d n c : clear implicits, simpl never.
Arguments of_head R d h : simpl never.
