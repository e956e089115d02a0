(** * The smoother of two sequences as a literal head of cross-attention

    All matrices of Liu et al. (2025), section B.3, with the repairs of the book: steps 2 to 6 of
    its proof of Theorem 4.2. A slot [j] has a place [C_K j] for the keys, and a place
    [C_Q (q j)] for the queries, which is one of those that the query sequence knows. Differs
    from the print: [Linear_K] writes the products into one row, not G, above the identity;
    [Linear_Q] has the n columns that listen and no others (printed: 2 d G^2, filled with 0). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import layers softmax_mean smoother riding self_attention.

(** Two vectors, one above the other. *)
Definition above (R : Type) (T T' : Type) (x : T -> R) (y : T' -> R) (t : T + T') : R :=
  match t with inl t => x t | inr t => y t end.

(** Inner products add. *)
Lemma dot_above (R : realType) (T T' : finType) (x x' : T -> R) (y y' : T' -> R) :
  dot (above x y) (above x' y') = dot x x' + dot y y'.
Proof. by rewrite /dot big_sumType. Qed.

Section CrossAttention.

Variables (R : realType) (J G : finType) (q : J -> G) (d n : nat).
Variables (rho B : R) (C_K : J -> 'I_d * 'I_n -> R) (C_Q : G -> 'I_d * 'I_n -> R).
Variable V : J -> 'I_d * 'I_n -> R.
Hypothesis V_lt_B : forall j t, `|V j t| < B.

Let N := slots J d.
Let g := #|G|.

Implicit Types (Z : 'M[R]_(d, n)) (c : 'I_N) (i : 'I_g) (k : 'I_n) (s : 'I_d).

(** [Linear_K] is that of self-attention, for the places [C_K]. *)
Definition cross_linear_K Z : 'M[R]_(1 + N, N) :=
  linear (@self_A R J d) (self_B C_K) (self_M R J d) Z.

(** Of the linear layer for the queries what stands on the left of term k: column k of all places, a row each. *)
Definition cross_A (k : 'I_n) : 'M[R]_(g + n, d) :=
  col_mx (\matrix_(i, s) C_Q (enum_val i) (s, k)) 0.
(** A 1 in each entry of row k. *)
Definition cross_B (k : 'I_n) : 'M[R]_(n, n) := \matrix_(k', _) (k' == k)%:R.
(** The identity, with zeros above. *)
Definition cross_M : 'M[R]_(g + n, n) := col_mx 0 1%:M.

(** The place of the query sequence that a slot belongs to. *)
Definition q_of c : G := q (enum_val c).1.1.
(** Minus half the squares of both places of a slot, added. *)
Definition halves_of_both : 'rV[R]_N :=
  \row_c - ((dot (place_of C_K c) (place_of C_K c) + dot (C_Q (q_of c)) (C_Q (q_of c))) / 2%:R).
(** Row [i] has [rho] in the slots whose query place is [i]. *)
Definition picks : 'M[R]_(g, N) := \matrix_(i, c) (rho * (enum_val i == q_of c)%:R).

(** The weights of the keys. *)
Definition cross_W_K : 'M[R]_(1 + (1 + (g + n)), 1 + N) :=
  col_mx (row_mx 1%:M 0) (col_mx (row_mx 0 halves_of_both)
    (col_mx (row_mx 0 picks) (row_mx 0 (logs B V)))).
(** The weights of the queries: [rho] times the place, and 1 for the rest. *)
Definition cross_W_Q : 'M[R]_(1 + (1 + (g + n)), g + n) :=
  col_mx (row_mx 0 (const_mx rho)) (col_mx (row_mx 0 (const_mx rho))
    (col_mx (row_mx 1%:M 0) (row_mx 0 1%:M))).
(** The weights of the output: d B times what picks the tokens. *)
Definition cross_W_O : 'M[R]_(n, n) := (d%:R * B) *: (select R id)^T.

Definition all_products Z : 'M[R]_(g, n) := \matrix_(i, k) dot (C_Q (enum_val i)) (flat Z).

(** The linear sum of the queries writes the scalar products above an identity matrix. *)
Lemma cross_linear_QE Z : linear cross_A cross_B cross_M Z = col_mx (all_products Z) 1%:M.
Proof.
rewrite /linear /cross_M.
have -> : \sum_k cross_A k *m Z *m cross_B k = col_mx (all_products Z) 0.
  apply/matrixP => i k; rewrite summxE; case: (split_ordP i) => i' ->.
    rewrite col_mxEu mxE (eq_bigr (fun k => \sum_s C_Q (enum_val i') (s, k) * Z s k)).
      by rewrite exchange_big /dot pair_bigA; apply: eq_bigr => -[s k'].
    move=> k' _; rewrite mul_col_mx mul0mx mul_col_mx mul0mx col_mxEu mxE (bigD1 k') //= big1.
      by rewrite addr0 !mxE eqxx mulr1; apply: eq_bigr => s _; rewrite mxE.
    by move=> k'' /negPf ne; rewrite [cross_B _ _ _]mxE ne mulr0.
  by rewrite col_mxEd mxE big1 // => k' _; rewrite !mul_col_mx !mul0mx col_mxEd mxE.
by rewrite add_col_mx addr0 add0r.
Qed.

(** The scores of two sequences add. *)
Lemma cross_score Z_K Z_Q c k :
  ((cross_W_K *m col_mx (products C_K Z_K) 1%:M)^T
    *m (cross_W_Q *m col_mx (all_products Z_Q) 1%:M)) c k
  = rho * (dot (above (place_of C_K c) (C_Q (q_of c))) (above (flat Z_K) (flat Z_Q))
      - dot (above (place_of C_K c) (C_Q (q_of c))) (above (place_of C_K c) (C_Q (q_of c))) / 2%:R)
    + ln (odds B V k (enum_val c)).
Proof.
rewrite !mul_col_mx !mul_row_col !mul0mx !mul1mx !mulmx1 !add0r !addr0.
rewrite !tr_col_mx !mul_row_col !mulmx1 !dot_above.
have pick : (picks^T *m all_products Z_Q) c k = rho * dot (C_Q (q_of c)) (flat Z_Q).
  rewrite mxE (bigD1 (enum_rank (q_of c))) //= big1 ?addr0 => [|i i_c].
    by rewrite !mxE enum_rankK eqxx mulr1.
  rewrite [picks^T _ _]mxE [picks _ _]mxE; case: eqP => [e|_]; last by rewrite mulr0 mul0r.
  by rewrite -e enum_valK eqxx in i_c.
rewrite [LHS]mxE [X in _ + X]mxE [X in _ + (_ + X)]mxE pick !mxE !big_ord1 !mxE.
set a := dot _ (flat Z_K); set b := dot _ (flat Z_Q).
set h := (_ + _) / 2%:R; set l := ln _.
by rewrite !addrA -mulrDl [_ * rho]mulrC -mulrDr [a - h + b]addrAC.
Qed.

(** All matrices together compute the smoother of both sequences. *)
Theorem cross_attentionE Z_K Z_Q s k :
  cross_attn cross_W_K cross_W_Q (self_W_V R J d) cross_W_O
    (cross_linear_K Z_K) (linear cross_A cross_B cross_M Z_Q) s k
  = smoother rho (fun j => above (C_K j) (C_Q (q j))) V (above (flat Z_K) (flat Z_Q)) (s, k).
Proof.
rewrite /cross_attn /cross_linear_K self_linearE cross_linear_QE /self_W_V mul_row_col mul0mx.
rewrite add0r mulmx1 smoother_affine.
by apply: (heard V_lt_B) => // c; apply: cross_score.
Qed.

End CrossAttention.
