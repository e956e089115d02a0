(** * Softmax as weights of a mean

    Weights are nonnegative and add up to 1; a constant added to all scores changes nothing;
    and if all scores of wrong values lag behind, the mean is nearly right. All finite sets of
    scores. *)
From UAT Require Import transformers.

Section Softmax.

Variables (R : realType) (J : finType).
Implicit Types (s v : J -> R) (j k : J).

(** exp is not negative. *)
Lemma expR_ge0 (x : R) : 0 <= expR x.
Proof. exact: ltW (expR_gt0 x). Qed.

(** A sum of equal terms. *)
Lemma sum_const (c : R) : \sum_(j : J) c = #|J|%:R * c.
Proof. by rewrite sumr_const mulr_natl. Qed.

(** The sum of the exponentials is positive, if there is an index. *)
Lemma sum_expR_gt0 s k : 0 < \sum_i expR (s i).
Proof.
rewrite (bigD1 k) //=; apply: ltr_paddr (expR_gt0 _).
by apply: sumr_ge0 => i _; apply: expR_ge0.
Qed.

(** Weights of softmax are not negative. *)
Lemma softmax_ge0 s j : 0 <= softmax s j.
Proof. by rewrite divr_ge0 ?expR_ge0 ?(ltW (sum_expR_gt0 s j)). Qed.

(** Weights of softmax add up to 1. *)
Lemma softmax_sum1 s k : \sum_j softmax s j = 1.
Proof. by rewrite -mulr_suml divff ?gt_eqF ?(sum_expR_gt0 s k). Qed.

(** Equal scores give equal weights. *)
Lemma eq_softmax s s' : s =1 s' -> softmax s =1 softmax s'.
Proof.
by move=> eq j; rewrite /softmax eq; congr (_ / _); apply: eq_bigr => i _; rewrite eq.
Qed.

(** Adding one number to all scores changes nothing. *)
Lemma softmax_shift s c j : softmax (fun i => s i + c) j = softmax s j.
Proof.
rewrite /softmax expRD (eq_bigr (fun i => expR (s i) * expR c)); last first.
  by move=> i _; rewrite expRD.
by rewrite -mulr_suml -mulf_div divff ?mulr1 ?gt_eqF ?expR_gt0.
Qed.

(** A score that lags behind has a small weight. *)
Lemma softmax_le s j k : softmax s j <= expR (s j - s k).
Proof.
rewrite /softmax expRD expRN ler_wpmul2l ?expR_ge0 //.
rewrite lef_pinv ?posrE ?expR_gt0 ?(sum_expR_gt0 s k) // (bigD1 k) //=.
by rewrite ler_addl; apply: sumr_ge0 => i _; apply: expR_ge0.
Qed.

(** The error of a mean is at most the mean of the errors. *)
Lemma softmax_mean_error s v (y : R) (k : J) :
  `|\sum_j softmax s j * v j - y| <= \sum_j softmax s j * `|v j - y|.
Proof.
have -> : \sum_j softmax s j * v j - y = \sum_j softmax s j * (v j - y).
  rewrite -[X in _ - X]mul1r -(softmax_sum1 s k) mulr_suml -sumrB.
  by apply: eq_bigr => j _; rewrite mulrBr.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
by rewrite normrM ger0_norm ?softmax_ge0.
Qed.

(** If the values are near [y] wherever the score is not far behind that of
    some index [k], then the weighted mean of the values is near [y]. *)
Lemma softmax_mean_near s v (y a b g : R) k (near : pred J) :
  0 <= a -> 0 <= b ->
  (forall j, near j -> `|v j - y| <= a) ->
  (forall j, ~~ near j -> `|v j - y| <= b /\ s j <= s k - g) ->
  `|\sum_j softmax s j * v j - y| <= a + b * #|J|%:R * expR (- g).
Proof.
move=> a_ge0 b_ge0 near_a far_b.
(* 1. The error is at most the mean of the errors. *)
apply: le_trans (softmax_mean_error _ _ _ k) _.
(* 2. Share the bound among the indices: each gets [a] times its weight, and
   [b exp(-g)] besides. *)
have -> : a + b * #|J|%:R * expR (- g) = \sum_j (softmax s j * a + b * expR (- g)).
  rewrite big_split /= -mulr_suml (softmax_sum1 s k) mul1r.
  by rewrite sumr_const -[in RHS]mulr_natr mulrAC.
(* 3. Compare term by term. *)
apply: ler_sum => j _.
have [/near_a vj_near|/far_b[vj_bounded sj_behind]] := boolP (near j).
  (* 4. A near index: its value is off by no more than [a]. *)
  apply: ler_paddr; first by rewrite mulr_ge0 ?expR_ge0.
  by rewrite ler_wpmul2l ?softmax_ge0.
(* 5. A far one: its value is off by [b], but its weight is at most exp(-g). *)
apply: ler_paddl; first by rewrite mulr_ge0 ?softmax_ge0.
rewrite mulrC ler_pmul ?softmax_ge0 //.
apply: le_trans (softmax_le s j k) _.
by rewrite ler_expR ler_subl_addr addrC.
Qed.

End Softmax.
