(** * Smoothers with any centres

    The error of the smoother of a Lipschitz function where some centre is within r, whatever the
    others are: two sharpnesses, of which one knows a bound for the values and the other does
    not (the book's proposition "the error of a smoother", page "Small domains"). Distances are
    Euclidean. Also: repeating each centre equally often changes nothing. *)
From UAT Require Import transformers.
From UAT.kajitsuka2024 Require boltzmann.
From UAT.liu2025 Require Import softmax_mean smoother sharpness tails.

Section Repeat.

Variables (R : realType) (T J I O : finType) (i0 : I).
Variables (rho : R) (C : J -> T -> R) (V : J -> O -> R).

(** Repeating each centre equally often changes nothing. *)
Lemma smoother_repeat x o :
  smoother rho (fun ji : J * I => C ji.1) (fun ji => V ji.1) x o = smoother rho C V x o.
Proof.
rewrite /smoother /softmax.
set e := fun j => expR (- (rho / 2%:R) * dist2 x (C j)).
have I_gt0 : #|I|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists i0.
have total : \sum_(ji : J * I) e ji.1 = #|I|%:R * \sum_j e j.
  rewrite -(pair_bigA _ (fun j (_ : I) => e j)) mulr_sumr; apply: eq_bigr => j _.
  by rewrite sum_const.
rewrite total -(pair_bigA _ (fun j (_ : I) => e j / _ * V j o)) /=; apply: eq_bigr => j _.
rewrite sum_const mulrC invfM; set S := \sum_j _; set c := #|I|%:R.
have -> : e j * (c^-1 / S) * V j o * c = e j / S * V j o * (c^-1 * c) by ring.
by rewrite mulVf ?mulr1.
Qed.

End Repeat.

Section Cover.

Variables (R : realType) (T J : finType) (C : J -> T -> R) (x : T -> R) (r : R) (k : J).
Hypotheses (r_gt0 : 0 < r) (k_near : dist2 x (C k) <= r ^+ 2).

(** The mean square of the distances is at most r^2 + (2 / rho) ln #|J|: the Boltzmann operator of the
    scores lies at most ln #|J| below the largest, by entropy, and the near centre's is one of them. *)
Lemma mean_square (rho : R) : 0 < rho ->
  \sum_j softmax (fun j => - (rho / 2%:R) * dist2 x (C j)) j * dist2 x (C j)
    <= r ^+ 2 + 2%:R / rho * ln #|J|%:R.
Proof.
move=> rho_gt0; set b := rho / 2%:R; have b_gt0 : 0 < b by rewrite divr_gt0 ?ltr0n.
have := boltzmann.boltz_ge_max (fun j => - b * dist2 x (C j)) k.
rewrite /boltzmann.boltz (eq_bigr (fun j => - b * (softmax (fun j => - b * dist2 x (C j)) j
  * dist2 x (C j)))) => [|j _]; last by rewrite mulrCA.
rewrite -mulr_sumr; set M := \sum_j _; set l := ln _ => ge_max.
have near : b * dist2 x (C k) <= b * r ^+ 2 by rewrite ler_pmul2l.
have -> : r ^+ 2 + 2%:R / rho * l = (b * r ^+ 2 + l) / b by rewrite /b; field; rewrite gt_eqF.
rewrite ler_pdivl_mulr // [M * b]mulrC; move: ge_max near; rewrite !mulNr.
by clear; move=> *; lra.
Qed.

(** The mean is at most the root of the mean square. *)
Lemma mean_root (s : J -> R) (t : J -> R) (a : R) : 0 < a -> (forall j, 0 <= t j) ->
  \sum_j softmax s j * t j <= a ^+ 2 -> \sum_j softmax s j * Num.sqrt (t j) <= a.
Proof.
move=> a_gt0 t_ge0 mean; have a2_gt0 : 0 < 2%:R * a by rewrite mulr_gt0 ?ltr0n.
(* the root of t is at most (t + a^2) / (2 a) *)
rewrite -(ler_pmul2l a2_gt0) mulr_sumr.
apply: (@le_trans _ _ (\sum_j (softmax s j * t j + softmax s j * a ^+ 2))).
  apply: ler_sum => j _; rewrite -mulrDr mulrCA ler_wpmul2l ?softmax_ge0 //.
  set q := Num.sqrt (t j); have -> : t j = q ^+ 2 by rewrite sqr_sqrtr.
  by apply: (le_from (sqr_ge0 (q - a))); ring.
rewrite big_split /= -mulr_suml (softmax_sum1 s k) mul1r.
apply: le_trans (ler_add mean (lexx _)) _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Variables (O : finType) (V : J -> O -> R) (o : O) (y L : R).
Hypotheses (L_ge0 : 0 <= L) (V_lip : forall j, `|V j o - y| <= L * Num.sqrt (dist2 x (C j))).

(** The error of a smoother, for any sharpness: at most L sqrt (r^2 + (2 / rho) ln #|J|). *)
Theorem cover_error (rho a : R) : 0 < rho -> 0 < a ->
  r ^+ 2 + 2%:R / rho * ln #|J|%:R <= a ^+ 2 -> `|smoother rho C V x o - y| <= L * a.
Proof.
move=> rho_gt0 a_gt0 a_large; apply: le_trans (softmax_mean_error _ _ _ k) _.
apply: (@le_trans _ _ (\sum_j L * (softmax (fun j => - (rho / 2%:R) * dist2 x (C j)) j
    * Num.sqrt (dist2 x (C j))))).
  by apply: ler_sum => j _; rewrite mulrCA ler_wpmul2l ?softmax_ge0.
rewrite -mulr_sumr ler_wpmul2l //; apply: mean_root => // [j|]; first exact: dist2_ge0.
exact: le_trans (mean_square rho_gt0) a_large.
Qed.

(** With a bound for the values: centres beyond 2 r have small weights. *)
Theorem cover_error_bounded (rho b : R) : 0 <= rho -> 0 <= b -> (forall j, `|V j o - y| <= b) ->
  `|smoother rho C V x o - y|
    <= L * (2%:R * r) + b * #|J|%:R * expR (- (3%:R / 2%:R * rho * r ^+ 2)).
Proof.
move=> rho_ge0 b_ge0 V_b; pose near (j : J) := dist2 x (C j) <= (2%:R * r) ^+ 2.
have r2_ge0 : 0 <= 2%:R * r by rewrite mulr_ge0 ?ler0n // ltW.
have -> : 3%:R / 2%:R * rho * r ^+ 2 = rho / 2%:R * (3%:R * r ^+ 2) by field.
apply: (smoother_near (k := k) (near := near)) => // [|j j_near|j]; first by rewrite mulr_ge0.
  apply: le_trans (V_lip j) _; rewrite ler_wpmul2l //.
  by rewrite -[leRHS](ger0_norm r2_ge0) -sqrtr_sqr ler_wsqrtr.
rewrite -ltNge => /ltW j_far; split=> //; apply: le_trans j_far.
rewrite (_ : (2%:R * r) ^+ 2 = r ^+ 2 + 3%:R * r ^+ 2); last by ring.
by rewrite ler_add2r.
Qed.

End Cover.
