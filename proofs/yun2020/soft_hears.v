(** * Yun et al. (2020), Lemma 6, one half: a sharp softmax head hears what the hardmax head hears

    For every sequence of real numbers, without any gap: with scores w v_j, w > 0, the softmax
    mean of v is below the largest v_j by at most n / w, n the number of tokens
    ([soft_hears_largest]). So where ids are known up to an error e <= delta / 4, a softmax head
    with the keys scaled by lambda differs from the hardmax head of the selective shift by at
    most e + 4 n / (lambda delta) ([soft_heard]). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean.
From UAT.yun2020 Require Import sweep layers grid selective_shift.

Section SoftHears.

Variables (R : realType) (J : finType) (v : J -> R) (w : R) (j0 : J).
Hypothesis w_gt0 : 0 < w.

Theorem soft_hears_largest (s : J -> R) i : (forall j, v j <= v i) -> (forall j, s j = w * v j) ->
  v i - #|J|%:R / w <= \sum_j v j * softmax s j <= v i.
Proof.
move=> v_max sE.
(* 1. The mean is below v_i by the mean of the differences. *)
have -> : \sum_j v j * softmax s j = v i - \sum_j (v i - v j) * softmax s j.
  rewrite -[X in X - _]mulr1 -(softmax_sum1 s j0) big_distrr -sumrB /=.
  by apply: eq_bigr => j _; ring.
rewrite ler_add2l ler_opp2 ler_subl_addr ler_addl; apply/andP; split; last first.
  by rewrite sumr_ge0 // => j _; rewrite mulr_ge0 ?softmax_ge0 ?subr_ge0.
(* 2. Each difference x has a weight of at most exp(- w x), and x exp(- w x) <= 1 / w. *)
have term j : (v i - v j) * softmax s j <= w^-1.
  have x_ge0 : 0 <= v i - v j by rewrite subr_ge0.
  apply: le_trans (ler_wpmul2l x_ge0 (softmax_le s j i)) _.
  have -> : s j - s i = - (w * (v i - v j)) by rewrite !sE; ring.
  have wx_ge0 : 0 <= w * (v i - v j) by rewrite mulr_ge0 // ltW.
  rewrite expRN ler_pdivr_mulr ?expR_gt0 // ler_pdivl_mull //.
  by apply: le_trans (expR_ge1Dx wx_ge0); rewrite ler_addr ler01.
rewrite mulrC; apply: le_trans (ler_sum _ (fun j _ => term j)) _.
by rewrite sumr_const mulr_natr.
Qed.

(** The same where the numbers are known up to [e] only. *)
Lemma near_largest (t s : J -> R) (e : R) i : (forall j, `|v j - t j| <= e) ->
  (forall j, t j <= t i) -> (forall j, s j = w * v j) ->
  `|\sum_j v j * softmax s j - t i| <= e + #|J|%:R / w.
Proof.
move=> near t_max sE; have [k _ k_max] := @Order.TotalTheory.arg_maxP _ _ J j0 xpredT v isT.
have /andP[low high] := soft_hears_largest (fun j => k_max j isT) sE.
have bound_ge0 : 0 <= #|J|%:R / w by rewrite divr_ge0 ?ler0n ?ltW.
have le_k : v k <= t i + e.
  by rewrite -ler_subl_addl (le_trans _ (near k)) // (le_trans _ (ler_norm _)) // ler_sub.
have ge_k : t i - e <= v k.
  apply: le_trans (k_max i isT); rewrite ler_subl_addr -ler_subl_addl.
  by apply: le_trans (near i); rewrite distrC ler_norm.
rewrite ler_norml ler_subl_addl (le_trans high) ?andbT; last first.
  by apply: le_trans le_k _; rewrite ler_add2l ler_addl.
by rewrite ler_subr_addl; apply: le_trans low; rewrite opprD addrA ler_sub.
Qed.

End SoftHears.

Section SoftShift.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Variable j0 : 'I_n.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Implicit Types (z : 'I_n -> int) (v s : 'I_n -> R).

Let delta_pos : 0 < delta := delta_gt0 R N_gt0.

Variables (e lambda : R).
Hypothesis lambda_gt0 : 0 < lambda.
Hypothesis e_small : e <= delta / 4%:R.
(** By how much a head of softmax may miss what hardmax hears: ids are known up to e, and lambda multiplies the
    scores. *)
Definition head_error : R := e + 4%:R * n%:R / (lambda * delta).

Lemma quarter_query w (q : int) : 0 < q -> `|w - delta / 2%:R * q%:~R| <= delta / 4%:R ->
  delta / 4%:R <= w.
Proof.
move=> q_gt0; rewrite ler_norml => /andP[low _].
have half_q : delta / 2%:R <= delta / 2%:R * q%:~R.
  by rewrite ler_pmulr ?divr_gt0 ?ltr0n // ler1z -gtz0_ge1.
have quarter : delta / 4%:R = delta / 2%:R - delta / 4%:R by field.
rewrite quarter; apply: le_trans (_ : delta / 2%:R * q%:~R - delta / 4%:R <= _).
  by rewrite ler_sub.
by move: low; rewrite ler_subr_addl addrC.
Qed.

Lemma quarter_gt0 w : delta / 4%:R <= w -> 0 < w.
Proof. by apply: lt_le_trans; rewrite divr_gt0 ?ltr0n. Qed.

Lemma error_le w : delta / 4%:R <= w -> e + #|'I_n|%:R / (lambda * w) <= head_error.
Proof.
move=> w_big; rewrite /head_error ler_add2l card_ord.
have -> : 4%:R * n%:R / (lambda * delta) = n%:R / (lambda * (delta / 4%:R)).
  by field; rewrite !gt_eqF.
have w_gt0 := quarter_gt0 w_big; have quarter_pos : 0 < delta / 4%:R by rewrite divr_gt0 ?ltr0n.
have lw_gt0 := mulr_gt0 lambda_gt0 w_gt0; have lq_gt0 := mulr_gt0 lambda_gt0 quarter_pos.
rewrite ler_wpmul2l ?ler0n //; move: (lef_pinv lw_gt0 lq_gt0) => ->.
by rewrite (ler_pmul2l lambda_gt0).
Qed.

(** Thresholds are half a step away from all ids, so queries stay a quarter away from 0. *)
Lemma query_far c (v : R) (z : int) : `|v - delta * z%:~R| <= e ->
  `|(v - threshold R N c) - delta / 2%:R * (2 * z - 2 * c%:Z + 1)%:~R| <= delta / 4%:R.
Proof.
by rewrite -(threshold_sign R N c z) opprB addrA subrK => /le_trans; apply.
Qed.

(** Above the threshold softmax hears the largest: *)
Lemma soft_heard_above v z s k (t : R) i : (forall j, `|v j - delta * (z j)%:~R| <= e) ->
  (forall j, s j = lambda * v j * t) -> delta / 4%:R <= t -> k = z i -> (forall j, z j <= z i) ->
  `|\sum_j v j * softmax s j - delta * k%:~R| <= head_error.
Proof.
move=> near sE t_big -> i_max; have t_gt0 := mulr_gt0 lambda_gt0 (quarter_gt0 t_big).
apply: le_trans (near_largest j0 t_gt0 near _ _) (error_le t_big).
  by move=> j; rewrite ler_pmul2l // ler_int.
by move=> j; rewrite sE mulrAC.
Qed.

(** below it the smallest, by the same for - v. *)
Lemma soft_heard_below v z s k (t : R) i : (forall j, `|v j - delta * (z j)%:~R| <= e) ->
  (forall j, s j = lambda * v j * t) -> delta / 4%:R <= - t -> k = z i -> (forall j, z i <= z j) ->
  `|\sum_j v j * softmax s j - delta * k%:~R| <= head_error.
Proof.
move=> near sE t_big -> i_min; rewrite -normrN opprD -[- (_ * _)]mulrN -mulrNz.
have -> : - (\sum_j v j * softmax s j) = \sum_j - v j * softmax s j.
  by rewrite -sumrN; apply: eq_bigr => j _; rewrite mulNr.
apply: (soft_heard_above (z := fun j => - z j) (t := - t) (i := i)) => // j.
- by rewrite mulrNz mulrN -opprD normrN.
- by rewrite sE /= -[RHS]mulrA mulrNN mulrA.
by rewrite ler_opp2.
Qed.

Theorem soft_heard c z v s k : (forall j, `|v j - delta * (z j)%:~R| <= e) ->
  (forall j, s j = lambda * v j * (v k - threshold R N c)) ->
  `|\sum_j v j * softmax s j - delta * (hears j0 c z k)%:~R| <= head_error.
Proof.
move=> near sE; pose q : int := 2 * z k - 2 * c%:Z + 1; have query := query_far c (near k).
have [q_lt0|q_gt0] : q < 0 \/ 0 < q by rewrite /q; lia.
(* 1. Below the threshold: the smallest. *)
  have [i z_i i_min] := smallestP j0 z; rewrite /hears -/q heard_neg //.
  apply: (soft_heard_below near sE _ z_i) => [|j]; last by rewrite -z_i.
  apply: (quarter_query (q := - q)); first by rewrite oppr_gt0.
  by rewrite mulrNz mulrN -opprD normrN.
(* 2. Above it: the largest. *)
have [i z_i i_max] := largestP j0 z; rewrite /hears -/q heard_pos //.
apply: (soft_heard_above near sE _ z_i) => [|j]; last by rewrite -z_i.
exact: (quarter_query q_gt0).
Qed.

End SoftShift.
