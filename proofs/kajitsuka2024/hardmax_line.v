(** * What hardmax hears of the multiples of one vector

    The steps of the book's proof of Theorem 1 of Kajitsuka and Sato (2024): where all tokens are
    multiples of one vector, a head hears the largest, the smallest or the mean of the factors. *)
From UAT Require Import attention.

Section Hardmax.

Variables (R : realFieldType) (J : finType).
Implicit Types (s t : J -> R) (c : R).

(** Weights of hardmax add up to 1. *)
Lemma hardmax_sum1 s j : best s j -> \sum_i hardmax s i = 1.
Proof.
move=> j_best; have count : (\sum_i best s i)%N = #|[pred i | best s i]|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => i _; rewrite inE; case: best.
rewrite -mulr_suml -natr_sum count divff // pnatr_eq0 -lt0n.
by apply/card_gt0P; exists j.
Qed.

(** Equal scores give equal weights. *)
Lemma eq_hardmax s s' j : s =1 s' -> hardmax s j = hardmax s' j.
Proof.
move=> eq_s; have eq_best i : best s i = best s' i.
  by apply: eq_forallb => k; rewrite !eq_s.
by rewrite /hardmax eq_best; congr (_ / _%:R); apply: eq_card => i; rewrite !inE eq_best.
Qed.

(** What is heard of the numbers [t], where the scores are [c t]. *)
Definition heard c t : R := \sum_j hardmax (fun i => c * t i) j * t j.

(** If the token m has the largest score, its number is what is heard. *)
Lemma heard_best c t m : c != 0 -> (forall j, c * t j <= c * t m) -> heard c t = t m.
Proof.
move=> c_ne0 m_best; have best_m : best (fun i => c * t i) m by apply/forallP.
rewrite -[RHS]mul1r -(hardmax_sum1 best_m) mulr_suml; apply: eq_bigr => j _.
rewrite /hardmax; case: (boolP (best _ j)) => [/forallP j_best|_]; last by rewrite !mul0r.
congr (_ * _); apply: (mulfI c_ne0); apply/eqP.
by rewrite eq_le m_best j_best.
Qed.

(** Where scores rise with the numbers, that is the largest number. *)
Lemma heard_pos c t m : 0 < c -> (forall j, t j <= t m) -> heard c t = t m.
Proof. by move=> c_gt0 ?; apply: heard_best => [|j]; rewrite ?gt_eqF ?ler_pmul2l. Qed.

(** Where they fall, it is the smallest. *)
Lemma heard_neg c t m : c < 0 -> (forall j, t m <= t j) -> heard c t = t m.
Proof. by move=> c_lt0 ?; apply: heard_best => [|j]; rewrite ?lt_eqF ?ler_nmul2l. Qed.

(** Where all scores tie, it is the mean. *)
Lemma heard_0 t : heard 0 t = (\sum_j t j) / #|J|%:R.
Proof.
rewrite /heard mulr_suml; apply: eq_bigr => j _.
have all_best i : best (fun i => 0 * t i) i by apply/forallP => k; rewrite !mul0r.
rewrite /hardmax all_best mul1r mulrC; congr (_ / _%:R).
by apply: eq_card => i; rewrite !inE all_best.
Qed.

End Hardmax.

Section Layer.

Variables (R : realFieldType) (d : nat).
Implicit Types (a : 'cV[R]_d) (heads : seq (head_weights R d)).

(** The tokens are t_1 a, ..., t_n a. *)
Definition multiples n (t : 'I_n -> R) a : 'M[R]_(d, n) := a *m \row_j t j.

(** A token of such a sequence. *)
Lemma multiplesE n (t : 'I_n -> R) a k : col k (multiples t a) = t k *: a.
Proof. by apply/colP => i; rewrite !mxE big_ord1 !mxE mulrC. Qed.

(** The number by which a listener's own factor is multiplied to give its scores. *)
Definition sharpness (w : head_weights R d) a : R := ((W_K w *m a)^T *m (W_Q w *m a)) 0 0.

(** A matrix sends it to multiples, too. *)
Lemma weights_line m n (t : 'I_n -> R) a (W : 'M_(m, d)) v j :
  (W *m multiples t a) v j = (W *m a) v 0 * t j.
Proof. by rewrite mulmxA !mxE big_ord1 !mxE. Qed.

(** Its scores are multiples of the factors. *)
Lemma score_line n (t : 'I_n -> R) a w i k :
  ((W_K w *m multiples t a)^T *m (W_Q w *m multiples t a)) i k = t k * sharpness w a * t i.
Proof.
rewrite /sharpness !mxE mulr_sumr mulr_suml; apply: eq_bigr => v _.
by rewrite [_^T i v]mxE [_^T 0 v]mxE !weights_line; ring.
Qed.

(** So a head hears a number, and answers with a multiple of one vector. *)
Lemma head_line n (t : 'I_n -> R) a w k :
  col k (head (@hardmax R) (W_V w) (W_K w) (W_Q w) (multiples t a))
  = heard (t k * sharpness w a) t *: (W_V w *m a).
Proof.
apply/colP => v; rewrite [LHS]mxE [LHS]mxE [RHS]mxE mulr_suml; apply: eq_bigr => j _.
rewrite weights_line [columns _ _ _ _]mxE mulrC mulrA mulrAC; congr (_ * _ * _).
by apply: eq_hardmax => i; apply: score_line.
Qed.

(** And a layer of heads adds these. *)
Lemma attention_line n (t : 'I_n -> R) a heads k :
  col k (attention (@hardmax R) heads (multiples t a))
  = t k *: a + \sum_(w <- heads) heard (t k * sharpness w a) t *: (W_O w *m (W_V w *m a)).
Proof.
rewrite /attention linearD /= multiplesE linear_sum /=; congr (_ + _).
by apply: eq_bigr => w _; rewrite colE -mulmxA -colE head_line -scalemxAr.
Qed.

(** Two sequences with the same largest, smallest and mean factor look alike to every token
    that is in both. *)
Theorem attention_alike n (t t' : 'I_n -> R) a heads (lo hi lo' hi' : 'I_n) :
  (forall j, t lo <= t j <= t hi) -> (forall j, t' lo' <= t' j <= t' hi') ->
  t lo = t' lo' -> t hi = t' hi' -> \sum_j t j = \sum_j t' j ->
  forall k k', t k = t' k' ->
  col k (attention (@hardmax R) heads (multiples t a))
  = col k' (attention (@hardmax R) heads (multiples t' a)).
Proof.
move=> t_in t'_in same_lo same_hi same_sum k k' same_k.
(* 1. It is enough that each head is told the same. *)
rewrite !attention_line same_k; congr (_ + _); apply: eq_bigr => w _.
move: (t' k' * _) => c; congr (_ *: _).
have [c_gt0|c_lt0|->] := ltrgt0P c.
- (* 2. Where scores rise with the factors, it hears the largest. *)
  rewrite (heard_pos (m := hi)) ?(heard_pos (m := hi') c_gt0) // => j.
    by have /andP[] := t'_in j.
  by have /andP[] := t_in j.
- (* 3. Where they fall, it hears the smallest. *)
  rewrite (heard_neg (m := lo)) ?(heard_neg (m := lo') c_lt0) // => j.
    by have /andP[] := t'_in j.
  by have /andP[] := t_in j.
(* 4. Where all tie, it hears the mean. *)
by rewrite !heard_0 same_sum.
Qed.

End Layer.
