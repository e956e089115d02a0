(** * Every network of this paper is bounded where its input is

    What is needed to refute Corollary 4.1.1 as printed: on a set where the entries of the input
    are bounded, so are those of the output, since all weights of softmax are at most 1. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import layers softmax_mean.

Section Bounded.

Variables (R : realType) (I : Type) (S : I -> Prop).

(** All entries of the matrices [F z] are bounded, for [z] in [S]. *)
Definition bounded_on m n (F : I -> 'M[R]_(m, n)) :=
  exists2 c : R, 0 <= c & forall z, S z -> forall i j, `|F z i j| <= c.

(** A constant matrix is bounded. *)
Lemma bounded_const m n (M : 'M[R]_(m, n)) : bounded_on (fun=> M).
Proof.
exists (\sum_i \sum_j `|M i j|) => [|z _ i j]; first by do 2!apply: sumr_ge0 => ? _.
rewrite (bigD1 i) //= (bigD1 j) //= -addrA ler_addl.
by rewrite addr_ge0 // sumr_ge0 // => k _; rewrite sumr_ge0.
Qed.

(** Sums of bounded matrices are bounded. *)
Lemma bounded_add m n (F G : I -> 'M[R]_(m, n)) :
  bounded_on F -> bounded_on G -> bounded_on (fun z => F z + G z).
Proof.
move=> [a a_ge0 F_a] [b b_ge0 G_b]; exists (a + b) => [|z Sz i j]; first exact: addr_ge0.
by rewrite mxE (le_trans (ler_norm_add _ _)) // ler_add ?F_a ?G_b.
Qed.

(** Products of bounded matrices are bounded. *)
Lemma bounded_mul m n p (F : I -> 'M[R]_(m, n)) (G : I -> 'M[R]_(n, p)) :
  bounded_on F -> bounded_on G -> bounded_on (fun z => F z *m G z).
Proof.
move=> [a a_ge0 F_a] [b b_ge0 G_b]; exists (\sum_(k < n) a * b) => [|z Sz i j].
  by apply: sumr_ge0 => k _; apply: mulr_ge0.
rewrite mxE; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _.
by rewrite normrM ler_pmul ?F_a ?G_b.
Qed.

(** Finite sums are bounded. *)
Lemma bounded_sum m n (J : Type) (r : seq J) (F : J -> I -> 'M[R]_(m, n)) :
  (forall j, bounded_on (F j)) -> bounded_on (fun z => \sum_(j <- r) F j z).
Proof.
move=> F_bounded; elim: r => [|j r [c c_ge0 IHr]].
  by exists 0 => // z _ i j; rewrite big_nil mxE normr0.
have [a a_ge0 F_a] := F_bounded j; exists (a + c) => [|z Sz i k]; first exact: addr_ge0.
by rewrite big_cons mxE (le_trans (ler_norm_add _ _)) // ler_add ?F_a ?IHr.
Qed.

(** Weights of softmax are at most 1. *)
Lemma softmax_le1 (J : finType) (s : J -> R) j : softmax s j <= 1.
Proof. by rewrite (le_trans (softmax_le s j j)) // subrr expR0. Qed.

(** So columns of softmax are bounded. *)
Lemma bounded_columns m n (F : I -> 'M[R]_(m, n)) :
  bounded_on (fun z => columns (@softmax R) (F z)).
Proof.
exists 1; rewrite ?ler01 // => z _ i j.
by rewrite mxE ger0_norm ?softmax_ge0 ?softmax_le1.
Qed.

(** A head of self-attention is bounded where its input is. *)
Theorem attn_bounded e p q N n (W_K W_Q : 'M[R]_(p, e)) (W_V : 'M[R]_(q, e)) (W_O : 'M[R]_(N, n))
    (X : I -> 'M[R]_(e, N)) :
  bounded_on X -> bounded_on (fun z => attn W_K W_Q W_V W_O (X z)).
Proof.
move=> X_bounded; apply: bounded_mul (bounded_const _); apply: bounded_mul (bounded_columns _).
exact: bounded_mul (bounded_const _) X_bounded.
Qed.

(** A sum of linear maps is bounded where its input is. *)
Theorem linear_bounded r d n e N (A : 'I_r -> 'M[R]_(e, d)) (B : 'I_r -> 'M[R]_(n, N))
    (M : 'M[R]_(e, N)) (Z : I -> 'M[R]_(d, n)) :
  bounded_on Z -> bounded_on (fun z => linear A B M (Z z)).
Proof.
move=> Z_bounded; apply: bounded_add (bounded_const _); apply: bounded_sum => j.
by apply: bounded_mul (bounded_const _); apply: bounded_mul Z_bounded; apply: bounded_const.
Qed.

End Bounded.

(** A number between 0 and 1, as a sequence of one token with one entry, is bounded. *)
Lemma scalar_bounded (R : realType) : bounded_on (fun x => 0 <= x <= 1) (fun x : R => x%:M : 'M_1).
Proof.
exists 1; rewrite ?ler01 // => x /andP[x_ge0 x_le1] i j.
by rewrite (ord1 i) (ord1 j) mxE eqxx mulr1n ger0_norm.
Qed.
