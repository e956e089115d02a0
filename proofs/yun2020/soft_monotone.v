(** * Softmax hears more of the large numbers the sharper it is

    The softmax mean of numbers v_j with the scores w v_j grows with w ([soft_mean_mono]). So a
    selective shift with softmax never lowers an id, whatever the sequence. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean.
From UAT.yun2020 Require Import soft_hears.

Section SoftMean.

Variables (R : realType) (J : finType) (j0 : J).
Implicit Types (v : J -> R) (w : R).

Definition soft_mean v w : R := \sum_j v j * softmax (fun j => w * v j) j.

Lemma softmax_ext (s s' : J -> R) j : (forall i, s i = s' i) -> softmax s j = softmax s' j.
Proof. by move=> ss'; rewrite /softmax ss'; congr (_ / _); apply: eq_bigr => i _; rewrite ss'. Qed.

Lemma soft_mean_le v w B : (forall j, v j <= B) -> soft_mean v w <= B.
Proof.
move=> v_B; rewrite -[B]mulr1 -(softmax_sum1 (fun j => w * v j) j0) big_distrr /=.
by apply: ler_sum => j _; rewrite ler_wpmul2r // softmax_ge0.
Qed.

Lemma soft_mean_ge0 v w : (forall j, 0 <= v j) -> 0 <= soft_mean v w.
Proof. by move=> v_ge0; apply: sumr_ge0 => j _; rewrite mulr_ge0 // softmax_ge0. Qed.

(** With the weights not yet divided by their sum. *)
Lemma soft_meanE v w :
  soft_mean v w = (\sum_j v j * expR (w * v j)) / \sum_j expR (w * v j).
Proof. by rewrite /soft_mean big_distrl /=; apply: eq_bigr => j _; rewrite /softmax mulrA. Qed.

(** 1. Larger numbers gain more. *)
Lemma gain_same_sign (a x y : R) : 0 <= a -> 0 <= (x - y) * (expR (a * x) - expR (a * y)).
Proof.
move=> a_ge0; have [xy|/ltW yx] := leP x y.
  by rewrite mulr_le0 // subr_le0 // ler_expR ler_wpmul2l.
by rewrite mulr_ge0 // subr_ge0 // ler_expR ler_wpmul2l.
Qed.

Theorem soft_mean_mono v w w' : w <= w' -> soft_mean v w <= soft_mean v w'.
Proof.
move=> ww'; rewrite !soft_meanE.
have pos u : 0 < \sum_j expR (u * v j) by apply: sum_expR_gt0 j0.
rewrite ler_pdivr_mulr ?pos // mulrAC ler_pdivl_mulr ?pos // -subr_ge0.
(* 1. The difference is a double sum, *)
pose p j := expR (w * v j); pose g j := expR ((w' - w) * v j).
have pg j : expR (w' * v j) = p j * g j.
  by rewrite /p /g -expRD; congr (expR _); ring.
pose F i j := p i * p j * (v i * g i) - p i * p j * (v j * g i).
have -> : (\sum_j v j * expR (w' * v j)) * (\sum_j expR (w * v j)) -
    (\sum_j v j * expR (w * v j)) * (\sum_j expR (w' * v j)) = \sum_i \sum_j F i j.
  rewrite [X in _ - X]mulrC !big_distrl /= -sumrB; apply: eq_bigr => i _.
  rewrite !big_distrr /= -sumrB; apply: eq_bigr => j _.
  by rewrite /F !pg -/(p i) -/(p j); ring.
(* 2. in which the terms (i, j) and (j, i) together are not negative. *)
rewrite -(pmulr_lge0 _ (ltr0n R 2)) mulr_natr mulr2n {2}exchange_big /= -big_split /=.
apply: sumr_ge0 => i _; rewrite -big_split /=; apply: sumr_ge0 => j _.
have -> : F i j + F j i = p i * p j * ((v i - v j) * (g i - g j)) by rewrite /F; ring.
by apply: mulr_ge0; [apply: mulr_ge0; apply/ltW/expR_gt0 | apply: gain_same_sign; rewrite subr_ge0].
Qed.

End SoftMean.
