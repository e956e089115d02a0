(** * The smoother: a mean whose weights fall with the distance

    What the head of Theorem 4.1 computes (the book: "the smoother"): the mean of the values of
    finitely many centres, with the weights softmax_j(- rho/2 |x - c_j|^2). Vectors are functions
    on a finite set [T] of coordinates. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean.

Section Order.

Variable R : realType.
Implicit Types u v : R.

(** An inequality follows from another one with the same difference. *)
Lemma le_from u v u' v' : u <= v -> v - u = v' - u' -> u' <= v'.
Proof. by rewrite -subr_ge0 => + eq; rewrite eq subr_ge0. Qed.

(** The square of an absolute value. *)
Lemma sqr_norm u : `|u| ^+ 2 = u ^+ 2.
Proof. by rewrite real_normK ?num_real. Qed.

End Order.

Section Smoother.

Variables (R : realType) (T : finType).
Implicit Types (x y c : T -> R) (rho : R).

(** The scalar product of two vectors. *)
Definition dot x y : R := \sum_t x t * y t.

(** The square of the distance. *)
Definition dist2 x y : R := \sum_t (x t - y t) ^+ 2.

(** A squared distance is not negative. *)
Lemma dist2_ge0 x y : 0 <= dist2 x y.
Proof. by apply: sumr_ge0 => t _; rewrite sqr_ge0. Qed.

(** A squared distance in terms of inner products. *)
Lemma dist2E x y : dist2 x y = dot x x - 2%:R * dot x y + dot y y.
Proof.
by rewrite /dot mulr_sumr -sumrB -big_split; apply: eq_bigr => t _ /=; ring.
Qed.

(** The inner product is symmetric. *)
Lemma dotC x y : dot x y = dot y x.
Proof. by apply: eq_bigr => t _; rewrite mulrC. Qed.

Variables J O : finType.
Implicit Types (C : J -> T -> R) (V : J -> O -> R).

(** The smoother: a mean of the values at finitely many places, in which nearer places count more;
    [rho] says how much more. *)
Definition smoother rho C V x (o : O) : R :=
  \sum_j softmax (fun j => - (rho / 2%:R) * dist2 x (C j)) j * V j o.

(** Its scores may be taken affine in [x]: what depends on [x] alone cancels. *)
Lemma smoother_affine rho C V x o : smoother rho C V x o =
  \sum_j softmax (fun j => rho * (dot (C j) x - dot (C j) (C j) / 2%:R)) j * V j o.
Proof.
apply: eq_bigr => j _; congr (_ * _).
rewrite -[LHS](softmax_shift _ (rho / 2%:R * dot x x)); apply: eq_softmax => i.
by rewrite dist2E (dotC x (C i)); field.
Qed.

(** If [k] is a near place and all places whose value is wrong are farther,
    by [g] in the squared distance, then the answer is right. *)
Theorem smoother_near rho C V x o (y a b g : R) k (near : pred J) :
  0 <= rho -> 0 <= a -> 0 <= b ->
  (forall j, near j -> `|V j o - y| <= a) ->
  (forall j, ~~ near j ->
     `|V j o - y| <= b /\ dist2 x (C k) + g <= dist2 x (C j)) ->
  `|smoother rho C V x o - y| <= a + b * #|J|%:R * expR (- (rho / 2%:R * g)).
Proof.
move=> rho_ge0 a_ge0 b_ge0 near_a far_b.
apply: (softmax_mean_near (k := k) (near := near)) => // j /far_b[bounded far].
split=> //; rewrite !mulNr -opprD ler_opp2 -mulrDr.
by rewrite ler_wpmul2l // divr_ge0 ?ler0n.
Qed.

End Smoother.
