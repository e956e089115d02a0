(** * Yun et al. (2020), section H.1: one bilinear projection is a contextual mapping

    The layer X + W_O X W_P with W_O = 1 and (W_P)_{ij} = D^i, i = 1, ..., n, D = N^d, and then
    u^T with u = (1, N, ..., N^{d-1}): on all d x n sequences of whole numbers below N with
    different columns it is a contextual mapping, even as Definition E.1 is printed, for all d, n
    and N. Section H.3 says that projections are none. Whole numbers stand for units of
    delta; the layer is linear. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import columns definition_e1.

Section Bilinear.

Variables (R : realFieldType) (N d n : nat).
Notation D := (N ^ d)%N.
Implicit Types (a : 'I_n -> 'I_d -> nat) (L : 'M[R]_(d, n)).

(** The bilinear projection: the sequence, and what [W_O] and [W_P] make of it from both sides. *)
Definition bilinear (W_O : 'M[R]_d) (W_P : 'M[R]_n) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + W_O *m X *m W_P.

(** In row i all entries are D^(i + 1), so token i has a weight of its own. *)
Definition powers : 'M[R]_n := \matrix_(i, j) (D ^ i.+1)%:R.
(** The row 1, N, N^2, ...: it makes one number of a column. *)
Definition u : 'rV[R]_d := \row_i (N ^ i)%:R.
(** The ids: one number of each column, after the projection. *)
Definition q L := u *m bilinear 1%:M powers L.

(** Column j has the entries [a j]. *)
Definition numbers L a := (forall j i, a j i < N)%N /\ forall i j, L i j = (a j i)%:R.
(** A sequence of whole numbers below N whose columns all differ. *)
Definition grid L := exists2 a, numbers L a & injective (fun j => col j L).

(** The word l_j l_1 ... l_n. *)
Definition word a j (i : 'I_n.+1) : nat := number N (a (odflt j (unlift ord0 i))).

Lemma qE L a j : numbers L a -> q L ord0 j = (number D (word a j))%:R.
Proof.
move=> [_ LE]; have uL k : (u *m L) ord0 k = (number N (a k))%:R.
  by rewrite mxE natr_sum; apply: eq_bigr => i _; rewrite mxE LE -natrM mulnC.
rewrite /q /bilinear mul1mx mulmxDr mulmxA mxE uL numberS /word unlift_none natrD; congr (_ + _).
rewrite mxE /number big_distrr natr_sum; apply: eq_bigr => i _; rewrite uL mxE liftK.
by rewrite -natrM /= mulnCA -expnS.
Qed.

Theorem bilinear_contextual : contextual_as_printed grid q.
Proof.
have same_word L L' i j : grid L -> grid L' -> q L ord0 i = q L' ord0 j ->
    L = L' /\ col i L = col j L'.
(* 1. The id of token i is a number with the digits l_i, l_1, ..., l_n in base D. *)
  move=> [a L_a _] [a' L'_a _]; rewrite (qE i L_a) (qE j L'_a) => /eqP; rewrite eqr_nat => /eqP.
  have word_lt b k s : (forall j i, b j i < N)%N -> (word b k s < D)%N.
    by move=> b_N; apply: number_lt.
  move/number_inj; move/(_ (fun s => word_lt a i s L_a.1) (fun s => word_lt a' j s L'_a.1)) => same.
(* 2. Each l is a number with the digits of its column in base N. *)
  have columns k k' : number N (a k) = number N (a' k') -> forall r, L r k = L' r k'.
    move/number_inj => /(_ (L_a.1 k) (L'_a.1 k')) digits r.
    by rewrite L_a.2 L'_a.2 digits.
  split.
    apply/matrixP => r k; apply: columns; move: (same (lift ord0 k)).
    by rewrite /word liftK.
  apply/colP => r; rewrite !mxE; apply: columns; move: (same ord0).
  by rewrite /word unlift_none.
(* 3. So an id tells the whole sequence and the token. *)
split=> [L L_ok i j /(same_word _ _ _ _ L_ok L_ok)[_]|L L' i j L_ok L'_ok ne].
  by case: L_ok => a _; apply.
by move=> /(same_word _ _ _ _ L_ok L'_ok)[].
Qed.

End Bilinear.
