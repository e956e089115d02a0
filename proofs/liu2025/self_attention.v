(** * The smoother as a literal head of self-attention

    All matrices of Liu et al. (2025), section B.1, with the repairs of the book; the centres are
    any. Differs from the print: the columns of [Linear] are numbered by slots (printed: the index
    e_(j+s+1), which for d >= 2 puts centres on top of each other), |v|^2/2 enters with a minus,
    and [W_O] carries the factor d B. The head has 2 d G columns for G centres and n + 2 rows of
    keys. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import layers softmax_mean smoother riding.

Section SelfAttention.

Variables (R : realType) (J : finType) (d n : nat).
Variables (rho B : R) (C V : J -> 'I_d * 'I_n -> R).
Hypothesis V_lt_B : forall j t, `|V j t| < B.

Let N := slots J d.

Variable pos : 'I_n -> 'I_N.
Hypothesis pos_inj : injective pos.

Implicit Types (Z : 'M[R]_(d, n)) (c : 'I_N) (k : 'I_n) (s : 'I_d).

(** The place that column c stands for. *)
Definition place_of c : 'I_d * 'I_n -> R := C (enum_val c).1.1.

(** Of the linear layer what stands on the left: it puts row r of the sequence into the first row. *)
Definition self_A (r : 'I_d) : 'M[R]_(1 + N, d) := col_mx (delta_mx 0 r) 0.
(** Of the linear layer what stands on the right: the entries of the places. *)
Definition self_B (r : 'I_d) : 'M[R]_(n, N) := \matrix_(k, c) place_of c (r, k).
(** Its constant: an identity in the rows below. *)
Definition self_M : 'M[R]_(1 + N, N) := col_mx 0 1%:M.

(** - |v|^2 / 2 for each slot. *)
Definition halves : 'rV[R]_N := \row_c - (dot (place_of c) (place_of c) / 2%:R).

(** The key matrix: it keeps the scalar products, then adds halves of squares, then logarithms. *)
Definition self_W_K : 'M[R]_(1 + (1 + n), 1 + N) :=
  col_mx (row_mx 1%:M 0) (col_mx (row_mx 0 halves) (row_mx 0 (logs B V))).
(** The query matrix: the sharpness twice, then which column each listener reads. *)
Definition self_W_Q : 'M[R]_(1 + (1 + n), 1 + N) :=
  col_mx (row_mx 0 (const_mx rho *m select R pos))
         (col_mx (row_mx 0 (const_mx rho *m select R pos)) (row_mx 0 (select R pos))).
(** The value matrix: it counts each column for its entry, with its sign. *)
Definition self_W_V : 'M[R]_(d, 1 + N) := row_mx 0 (told R J d).
(** The output matrix: it keeps the listeners' columns, times d B. *)
Definition self_W_O : 'M[R]_(N, n) := (d%:R * B) *: (select R pos)^T.

Definition products Z : 'rV[R]_N := \row_c dot (place_of c) (flat Z).

(** The linear sum writes the scalar products above an identity matrix. *)
Lemma self_linearE Z : linear self_A self_B self_M Z = col_mx (products Z) 1%:M.
Proof.
rewrite /linear /self_M.
have -> : \sum_r self_A r *m Z *m self_B r = col_mx (products Z) 0.
  rewrite (eq_bigr (fun r => col_mx (row r Z *m self_B r) 0)) => [|r _]; last first.
    by rewrite !mul_col_mx !mul0mx -rowE.
  apply/matrixP => i c; rewrite summxE; case: (split_ordP i) => i' ->.
    rewrite col_mxEu mxE (eq_bigr (fun r => \sum_k place_of c (r, k) * Z r k)).
      by rewrite /dot pair_bigA; apply: eq_bigr => -[r k].
    move=> r _; rewrite col_mxEu mxE.
    by apply: eq_bigr => k _; rewrite !mxE mulrC.
  by rewrite col_mxEd mxE big1 // => r _; rewrite col_mxEd mxE.
by rewrite add_col_mx addr0 add0r.
Qed.

(** The scores are those of the smoother, with a logarithm besides. *)
Lemma self_score Z c k :
  ((self_W_K *m col_mx (products Z) 1%:M)^T *m (self_W_Q *m col_mx (products Z) 1%:M)) c (pos k)
  = rho * (dot (place_of c) (flat Z) - dot (place_of c) (place_of c) / 2%:R)
    + ln (odds B V k (enum_val c)).
Proof.
rewrite !mul_col_mx !mul_row_col !mul0mx !mul1mx !mulmx1 !add0r !addr0.
rewrite !tr_col_mx !mul_row_col !mulmxA [LHS]mxE [X in _ + X]mxE !selectE // !mxE !big_ord1 !mxE.
by rewrite addrA -mulrDl mulrC.
Qed.

(** All matrices together compute the smoother. *)
Theorem self_attentionE Z s k :
  attn self_W_K self_W_Q self_W_V self_W_O (linear self_A self_B self_M Z) s k
    = smoother rho C V (flat Z) (s, k).
Proof.
rewrite /attn /head self_linearE /self_W_V mul_row_col mul0mx add0r mulmx1 smoother_affine.
by apply: heard => // c; apply: self_score.
Qed.

End SelfAttention.
