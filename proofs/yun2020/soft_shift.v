(** * Yun et al. (2020), Lemma 6, one half: the selective shift with softmax, as a literal layer

    Two heads of size 1 as in [selective_shift.v], softmax in place of hardmax, the keys scaled
    by lambda. If ids are within e <= delta / 4 of delta z, then every entry of the layer's
    output is within 2 D (e + 4 n / (lambda delta)) of what the selective shift would add. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import sweep layers grid selective_shift soft_hears.

(** A layer of two heads adds to each entry what the one head adds and what the other one does. *)
Lemma two_heads (R : realFieldType) (sigma : scoring R) d n (h h' : biased_head R d)
    (X : 'M[R]_(d, n)) i k :
  let part w := W_O (weights w) *m head_with_bias sigma
    (W_V (weights w)) (W_K (weights w)) (W_Q (weights w)) (b_Q w) X in
  attention_with_bias sigma [:: h; h'] X i k = X i k + (part h i k + part h' i k).
Proof.
move=> part; have addE (A B : 'M[R]_(d, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
by rewrite /attention_with_bias big_cons big_seq1 !addE.
Qed.

Section SoftShift.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Variable j0 : 'I_n.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation soft := (fun J => @softmax R J).
Implicit Types (X : 'M[R]_(d.+1, n)) (z : 'I_n -> int).

Variables (e lambda : R).
Hypothesis lambda_gt0 : 0 < lambda.
Hypothesis e_small : e <= delta / 4%:R.
Notation head_error := (head_error N n e lambda).

(** The head scale psi(.; b), with softmax and keys scaled by lambda. *)
Definition soft_psi (b scale : R) : biased_head R d.+1 :=
  @BiasedHead R _ (HeadWeights (scale *: e_1 R d) u (lambda *: u) u) (const_mx (- b) : 'cV_1).

(** The layer of the sweep for the level [c], with softmax: one head up to it, one from the next on. *)
Definition soft_shift_layer c : layer R d.+1 n :=
  attention_with_bias soft [:: soft_psi (threshold R N c) D%:R;
                              soft_psi (threshold R N c.+1) (- D%:R)].

(** The ids are within [e] of delta z. *)
Definition near_ids X z := forall j, `|(u *m X) ord0 j - delta * (z j)%:~R| <= e.

(** What a head with softmax hears: the mean of the ids, by their weights. *)
Definition soft_value b X k : R := \sum_j (u *m X) ord0 j *
  columns soft ((lambda *: u *m X)^T *m (u *m X + bias n (const_mx (- b) : 'cV_1))) j k.

Lemma soft_psiE b scale X i k :
  (W_O (weights (soft_psi b scale)) *m
    head_with_bias soft u (lambda *: u) u (const_mx (- b)) X) i k =
  (i == ord0)%:R * (scale * soft_value b X k).
Proof.
rewrite mxE big_ord_recl big_ord0 addr0 !mxE andbT [scale * _]mulrC -mulrA.
by congr (_ * (_ * _)).
Qed.

(** If ids are near multiples of delta, then a head with softmax hears nearly what the head with hardmax does. *)
Lemma soft_value_near c X z k : near_ids X z ->
  `|soft_value (threshold R N c) X k - delta * (hears j0 c z k)%:~R| <= head_error.
Proof.
move=> near; pose S := (lambda *: u *m X)^T *m
  (u *m X + bias n (const_mx (- threshold R N c) : 'cV_1)).
have -> : soft_value (threshold R N c) X k =
    \sum_j (u *m X) ord0 j * softmax (fun j' => S j' k) j.
  by apply: eq_bigr => j _; rewrite [columns _ _ _ _]mxE.
apply: (soft_heard N_gt0 j0 lambda_gt0 e_small (v := fun j => (u *m X) ord0 j)) => // j.
have addE (A B : 'M[R]_(1, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
have trE (A : 'M[R]_(1, n)) x y : A^T x y = A y x by rewrite mxE.
have scaleE a (A : 'M[R]_(1, n)) x y : (a *: A) x y = a * A x y by rewrite mxE.
rewrite mxE big_ord_recl big_ord0 addr0 trE addE -scalemxAl scaleE; congr (_ * (_ + _)).
by rewrite !mxE.
Qed.

Theorem soft_shift_near c X z : near_ids X z -> forall i k,
  `|soft_shift_layer c X i k -
    (X i k + (i == ord0)%:R * (delta * (shift j0 D c z k - z k)%:~R))| <=
  (i == ord0)%:R * (2%:R * D%:R * head_error).
Proof.
(* 1. The layer is the difference of two heads, which listen to the ids above two thresholds, c and
   c + 1. *)
move=> near i k; rewrite [soft_shift_layer c X i k]two_heads /shift.
rewrite [X in _ + (X + _)]soft_psiE [X in _ + (_ + X)]soft_psiE.
have addKl (a b : int) : a + b - a = b by rewrite addrC addKr.
rewrite addKl intrM rmorphB /=.
(* 2. Each head is within its error of what hardmax hears. *)
have below := soft_value_near c k near; have above := soft_value_near c.+1 k near.
move: (soft_value _ _ _) (soft_value _ _ _) (hears _ _ _ _) (hears _ _ _ _) below above.
move=> s' s h' h below above.
(* 3. Write the distance to the hard layer as a multiple of the difference of these two errors. *)
have alg (x a m s1 s2 t1 t2 : R) :
    x + (a * (m * s1) + a * (- m * s2)) - (x + a * (delta * (m * (t1 - t2)))) =
    a * (m * ((s1 - delta * t1) - (s2 - delta * t2))) by ring.
rewrite -[(D%:Z)%:~R]/(D%:R : R) alg.
(* 4. The triangle inequality: at most twice the error of a head. *)
rewrite normrM ger0_norm ?ler0n // ler_wpmul2l ?ler0n // normrM ger0_norm ?ler0n //.
rewrite [2%:R * _]mulrC -mulrA ler_wpmul2l ?ler0n // mulr_natl mulr2n.
by apply: le_trans (ler_norm_sub _ _) _; apply: ler_add.
Qed.

End SoftShift.
