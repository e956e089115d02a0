(** * One softmax head of rank one: what it does to a token

    Its keys, queries and values are read along one vector v, so all that it sees of a token x is
    the number v^T x (the book: its shadow). Keys and queries multiply to beta v^T x v^T y. *)
From mathcomp Require Import mxalgebra.
From mathcomp.classical Require Import boolp.
From UAT Require Import transformers.
From UAT.kajitsuka2024 Require Import definitions boltzmann.

(** Equal scores give equal weights. *)
Lemma eq_softmax (R : realType) (J : finType) (f g : J -> R) j :
  f =1 g -> softmax f j = softmax g j.
Proof. by move/funext->. Qed.

Section RankOne.

Variables (R : realType) (d s : nat) (v w : 'cV[R]_d) (beta : R).

(** The unit vector e_1 of the head. *)
Definition unit_1 : 'cV[R]_s.+1 := delta_mx 0 0.

(** The head that reads keys, queries and values along v alone, with the sharpness beta, and adds along w. *)
Definition rank_one_head : head_weights R d :=
  HeadWeights (w *m unit_1^T) (unit_1 *m v^T) (unit_1 *m v^T) (beta *: unit_1 *m v^T).

(** The unit vector has the square 1. *)
Lemma unit_1E : unit_1^T *m unit_1 = 1%:M.
Proof. by rewrite trmx_delta mul_delta_mx; apply/matrixP => i j; rewrite !ord1 !mxE. Qed.

Variables (n : nat) (X : 'M[R]_(d, n)).

(** The shadow of a token on v: one number of it. *)
Definition shadow (k : 'I_n) : R := dot v (col k X).

(** A shadow is an entry of v^T X. *)
Lemma shadowE k : (v^T *m X) 0 k = shadow k.
Proof. by rewrite mxE; apply: eq_bigr => i _; rewrite !mxE. Qed.

(** What the token [k] hears. *)
Definition heard (k : 'I_n) : R :=
  \sum_j softmax (fun i => beta * shadow i * shadow k) j * shadow j.

(** The scores of the head are products of the sharpness and two shadows. *)
Lemma scores i k : ((W_K rank_one_head *m X)^T *m (W_Q rank_one_head *m X)) i k
  = beta * shadow i * shadow k.
Proof.
have -> : W_Q rank_one_head *m X = beta *: (unit_1 *m (v^T *m X)).
  by rewrite /= -!scalemxAl mulmxA.
have -> : W_K rank_one_head *m X = unit_1 *m (v^T *m X) by rewrite /= mulmxA.
rewrite trmx_mul -scalemxAr -mulmxA (mulmxA unit_1^T) unit_1E mul1mx.
by rewrite mxE mxE big_ord1 mxE !shadowE mulrA.
Qed.

(** The head adds to a token a multiple of w: what it hears. *)
Lemma attention_rank_one k :
  col k (attention (@softmax R) [:: rank_one_head] X) = col k X + heard k *: w.
Proof.
rewrite /attention big_seq1 linearD /=; congr (_ + _).
rewrite /head; set S := columns _ _; rewrite /= -!mulmxA (mulmxA unit_1^T) unit_1E mul1mx.
apply/colP => i; rewrite mxE mxE big_ord1 [RHS]mxE mulrC; congr (_ * _).
rewrite mulmxA mxE; apply: eq_bigr => j _; rewrite shadowE mulrC; congr (_ * _).
by rewrite mxE; apply: eq_softmax => i'; apply: scores.
Qed.

(** beta v^T x_k times what is heard is the Boltzmann operator of the scores. *)
Lemma heard_boltz k :
  beta * shadow k * heard k = boltz (fun i => beta * shadow i * shadow k).
Proof. by rewrite /heard mulr_sumr; apply: eq_bigr => j _; ring. Qed.

(** It is an average. *)
Lemma heard_le (r : R) (k : 'I_n) : (forall j, `|shadow j| <= r) -> `|heard k| <= r.
Proof.
move=> le_r; apply: le_trans (ler_norm_sum _ _ _) _.
rewrite -[r]mul1r -(softmax_sum1 (fun i => beta * shadow i * shadow k) k) mulr_suml.
by apply: ler_sum => j _; rewrite normrM ger0_norm ?softmax_ge0 // ler_wpmul2l ?softmax_ge0.
Qed.

(** A column times a row has rank one, if neither is 0. *)
Lemma rank_outer m m' (x : 'cV[R]_m) (y : 'cV[R]_m') : x != 0 -> y != 0 -> \rank (x *m y^T) = 1%N.
Proof.
move=> x0 y0; apply/eqP; rewrite eqn_leq (leq_trans (mxrankM_maxr _ _)) ?rank_leq_row //=.
rewrite lt0n mxrank_eq0; apply/eqP => /matrixP xy0.
have [i xi] : exists i, x i 0 != 0.
  apply/existsP; apply: contraR x0 => /existsPn none; apply/eqP/colP => i; rewrite mxE.
  by apply/eqP; have := none i; rewrite negbK.
have [j yj] : exists j, y j 0 != 0.
  apply/existsP; apply: contraR y0 => /existsPn none; apply/eqP/colP => j; rewrite mxE.
  by apply/eqP; have := none j; rewrite negbK.
by have /eqP := xy0 i j; rewrite !mxE big_ord1 mxE mulf_eq0 (negPf xi) (negPf yj).
Qed.

(** The unit vector is not 0. *)
Lemma unit_1_neq0 : unit_1 != 0.
Proof. by apply/eqP => /colP/(_ 0)/eqP; rewrite !mxE eqxx oner_eq0. Qed.

(** The matrices of the head have rank one, if v and the sharpness are not 0. *)
Lemma rank_one_ranks : v != 0 -> beta != 0 -> [/\ \rank (W_V rank_one_head) = 1%N,
  \rank (W_K rank_one_head) = 1%N & \rank (W_Q rank_one_head) = 1%N].
Proof.
by move=> v0 b0; split; apply: rank_outer; rewrite ?scaler_eq0 ?negb_or ?b0 ?unit_1_neq0.
Qed.

End RankOne.
