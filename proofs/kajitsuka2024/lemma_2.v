(** * Kajitsuka and Sato (2024), Lemma 2 (Lemma 13 of Park et al. 2021), and a better constant

    For every finite list D of vectors in R^d, d >= 1, with N different ones, there is a unit vector
    v that keeps a share c of all distances: c ||x - x'|| <= |v^T (x - x')| <= ||x - x'||.
    [lemma_2] says so for the printed c = N^(-2) sqrt(8 / (pi d)), [lemma_2_better] for c = 2 / N^2,
    which is larger and does not fall with d.

    Differs from the printed proof, which measures parts of a sphere. Here v is the direction of
    the longest sum +- u_1 +- ... +- u_m of the m = N (N - 1) / 2 directions of differences (Bang
    1951): if a sign is turned the sum does not grow, so each u_i is seen along it. *)
From UAT Require Import transformers.
From mathcomp.analysis Require Import trigo.
From UAT.kajitsuka2024 Require Import definitions inner_product.

Section Signs.

Variables (R : rcfType) (d : nat) (J : finType) (u : J -> 'cV[R]_d).
Hypothesis unit_u : forall j, dot (u j) (u j) = 1.
Implicit Types (e : {ffun J -> bool}) (x y : 'cV[R]_d).

(** A sum with signs. *)
Definition signed_sum e : 'cV[R]_d := \sum_j (-1) ^+ e j *: u j.

(** The signs e, but for that of j, which is turned. *)
Definition turn e j : {ffun J -> bool} := [ffun i => e i (+) (i == j)].

(** If one sign is turned, the sum changes by twice its vector. *)
Lemma signed_sum_turn e j :
  signed_sum (turn e j) = signed_sum e + (- (2%:R * (-1) ^+ e j)) *: u j.
Proof.
rewrite /signed_sum (bigD1 j) //= [in RHS](bigD1 j) //= !ffunE eqxx addbT addrAC -scalerDl.
congr (_ *: _ + _); first by case: (e j); rewrite ?expr0 ?expr1 //=; ring.
by apply: eq_bigr => i i_j; rewrite ffunE (negPf i_j) addbF.
Qed.

(** The square of the length of a sum. *)
Lemma dot_sqr_add x y (t : R) :
  dot (x + t *: y) (x + t *: y) = dot x x + 2%:R * t * dot x y + t ^+ 2 * dot y y.
Proof.
rewrite /dot !mulr_sumr -!big_split; apply: eq_bigr => i _; rewrite /= !mxE.
by move: (x i 0) (y i 0) => p q; ring.
Qed.

(** The vectors have the length 1. *)
Lemma norm_unit j : norm (u j) = 1.
Proof. by rewrite /norm unit_u sqrtr1. Qed.

(** A sum of them is at most as long as their number. *)
Lemma signed_sum_le e : norm (signed_sum e) <= #|J|%:R.
Proof.
rewrite -sum1_card natr_sum /signed_sum; elim/big_ind2: _ => [|x a y b le_x le_y|j _].
- by rewrite norm0.
- exact: le_trans (ler_normD _ _) (ler_add le_x le_y).
by rewrite normZ normrX normrN1 expr1n mul1r norm_unit.
Qed.

(** Along the longest sum each direction is seen. *)
Theorem all_seen (j0 : J) : exists2 v, dot v v = 1 & forall j, 1 <= #|J|%:R * `|dot v (u j)|.
Proof.
(* 1. The longest sum. *)
have [e _ longest] := @arg_maxP _ _ _ [ffun=> false] predT
  (fun e => dot (signed_sum e) (signed_sum e)) isT.
set y := signed_sum e in longest.
(* 2. If the sign of u_j is turned it does not get longer, so |y^T u_j| >= 1. *)
have seen j : 1 <= `|dot y (u j)|.
  have := longest (turn e j) isT; rewrite signed_sum_turn dot_sqr_add unit_u -/y.
  have : dot y (u j) <= `|dot y (u j)| by apply: ler_norm.
  have : - dot y (u j) <= `|dot y (u j)| by rewrite -normrN; apply: ler_norm.
  case: (e j) => /=; rewrite ?expr0 ?expr1;
    move: (dot y y) (dot y (u j)) `|_| => a b c; lra.
(* 3. Its length is at most the number of directions, so the unit vector along it will do. *)
have y_ne0 : y != 0 by apply: contraTneq (seen j0) => ->; rewrite dotC dot0 normr0 -ltNge ltr01.
have y0 : 0 < norm y by rewrite norm_gt0.
exists ((norm y)^-1 *: y) => [|j]; first exact: unit_direction.
rewrite dotC dotZ dotC normrM normfV (gtr0_norm y0) mulrCA ler_pdivl_mull // mulr1.
apply: le_trans (signed_sum_le e) _; rewrite -[leLHS]mulr1; apply: ler_wpmul2l; rewrite ?ler0n //.
Qed.

End Signs.

(** ** Distances in a list *)

(** There are at most N^2 / 2 pairs i < j. *)
Lemma ordered_pairs N : (#|{: {p : 'I_N * 'I_N | (p.1 < p.2)%N}}| * 2 <= N ^ 2)%N.
Proof.
pose lt := [pred p : 'I_N * 'I_N | (p.1 < p.2)%N]; pose swap (p : 'I_N * 'I_N) := (p.2, p.1).
have swapK : involutive swap by case.
have : (#|lt| <= #|[predC lt]|)%N.
  rewrite -(card_image (inv_inj swapK)); apply/subset_leq_card/subsetP => _ /imageP[p p_lt ->].
  by rewrite !inE -leqNgt ltnW.
rewrite card_sig -[(#|_| * 2)%N]/(#|lt| * 2)%N muln2 -addnn => le.
have := cardC lt; rewrite card_prod card_ord mulnn => <-.
by rewrite leq_add2l.
Qed.

Section Distances.

Variables (R : rcfType) (d : nat) (D : seq 'cV[R]_d.+1).

(** The different vectors, in some order; the pairs i < j, and the direction of each difference. *)
Let us := undup D.
Let N := size us.
(** The pairs i < j of numbers below N, the number of different vectors. *)
Definition pairs := {p : 'I_N * 'I_N | (p.1 < p.2)%N}.
Let diff (p : pairs) := us`_(val p).1 - us`_(val p).2.
Let u p := (norm (diff p))^-1 *: diff p.

(** No difference is 0. *)
Lemma diff_neq0 p : diff p != 0.
Proof.
case: p => [[i j] /= lt]; rewrite /diff subr_eq0 nth_uniq ?undup_uniq //= ?ltn_ord //.
by rewrite neq_ltn lt.
Qed.

(** Some unit vector sees all these directions, each by 1 over their number at least. *)
Lemma sees_pairs : exists2 v, dot v v = 1 & forall p, 1 <= #|{: pairs}|%:R * `|dot v (u p)|.
Proof.
have unit_u p : dot (u p) (u p) = 1 := unit_direction (diff_neq0 p).
have [p0 _|none] := pickP (mem {: pairs}); first exact: all_seen unit_u p0.
by exists (delta_mx 0 0) => [|p]; [rewrite dot_delta mxE | have := none p].
Qed.

(** As there are at most N^2 / 2 of them, it keeps the share 2 / N^2 of the difference of a pair. *)
Lemma pair_kept v i j : (forall p, 1 <= #|{: pairs}|%:R * `|dot v (u p)|) -> (i < j)%N -> (j < N)%N ->
  2%:R / N%:R ^+ 2 * norm (us`_i - us`_j) <= `|dot v (us`_i - us`_j)|.
Proof.
move=> seen lt j_N; have i_N := ltn_trans lt j_N.
pose p : pairs := exist _ (Ordinal i_N, Ordinal j_N) lt; have n0 : 0 < norm (diff p).
  by rewrite norm_gt0 diff_neq0.
have count : 2%:R * #|{: pairs}|%:R <= N%:R ^+ 2 :> R.
  by rewrite -natrM -natrX ler_nat mulnC ordered_pairs.
have := seen p; rewrite /u dotZ normrM normfV (gtr0_norm n0) mulrCA ler_pdivl_mull // mulr1 => le.
have N0 : 0 < N%:R ^+ 2 :> R by rewrite exprn_gt0 // ltr0n (leq_ltn_trans _ i_N).
rewrite mulrAC ler_pdivr_mulr //; apply: le_trans (ler_wpmul2l (ler0n R 2) le) _.
by rewrite mulrA mulrC; apply: ler_wpmul2l.
Qed.

(** 2 / N^2 is a share that some direction keeps. *)
Theorem lemma_2_better : exists2 v : 'cV[R]_d.+1, dot v v = 1 &
  forall x y, x \in D -> y \in D ->
  2%:R / (size (undup D))%:R ^+ 2 * norm (x - y) <= `|dot v (x - y)| <= norm (x - y).
Proof.
(* 1. A direction [v] in which the directions of all differences are [seen]. *)
have [v unit_v seen] := sees_pairs; exists v => // x y xD yD; rewrite unit_le // andbT.
have [->|ne] := eqVneq x y; first by rewrite subrr norm0 mulr0 normr_ge0.
(* 2. Any two different vectors are a pair, in one order or the other. *)
move: xD yD ne; rewrite -!(mem_undup D) -/us => xD yD.
rewrite -(nth_index 0 xD) -(nth_index 0 yD).
have [i_N j_N] : (index x us < N)%N /\ (index y us < N)%N by rewrite !index_mem.
move: (index x us) (index y us) i_N j_N => i j i_N j_N.
have [lt _|lt _|->] := ltngtP i j; [exact: pair_kept | | by rewrite eqxx].
by rewrite -opprB -scaleN1r dotZ normZ normrN1 !mul1r normrM normrN1 mul1r; apply: pair_kept.
Qed.

End Distances.

(** Lemma 2: the printed constant is smaller than 2 / N^2, as pi >= 2. *)
Theorem lemma_2 (R : realType) (d : nat) (D : seq 'cV[R]_d.+1) :
  exists2 v, dot v v = 1 & forall x y, x \in D -> y \in D ->
    (size (undup D))%:R ^- 2 * Num.sqrt (8%:R / (pi * d.+1%:R)) * norm (x - y)
      <= `|dot v (x - y)| <= norm (x - y).
Proof.
(* 1. [keep]: a direction [v] that keeps the share 2 / N^2 of each distance, which is to be compared with
   the printed one. *)
have [v unit_v keep] := lemma_2_better D; exists v => // x y xD yD.
have /andP[low ->] := keep x y xD yD; rewrite andbT; apply: le_trans low.
rewrite [2%:R / _]mulrC; apply: ler_wpmul2r; first exact: norm_ge0.
apply: ler_wpmul2l; first by rewrite invr_ge0 exprn_ge0 ?ler0n.
(* 2. The printed share is less: pi is at least 2, and so is pi times the dimension; thus the root is at most 2. *)
have <- : Num.sqrt (2%:R ^+ 2) = 2%:R :> R by rewrite sqrtr_sqr ger0_norm ?ler0n.
apply: ler_wsqrtr; have pi_ge2 := pi_ge2 R; have d_ge1 : 1 <= d.+1%:R :> R by rewrite ler1n.
rewrite ler_pdivr_mulr ?mulr_gt0 ?pi_gt0 ?ltr0n //.
have := ler_pmul (ler0n R 2) ler01 pi_ge2 d_ge1.
move: (pi * d.+1%:R) => P; lra.
Qed.

(** ** The printed constant, for a list and 0 *)
Section Share.

Variables (R : realType) (d : nat).

(** The printed share c of all distances that some direction keeps, for N different vectors. *)
Definition share (N : nat) : R := N%:R ^- 2 * Num.sqrt (8%:R / (pi * d.+1%:R)).

(** The printed constant c is positive. *)
Lemma share_gt0 V : 0 < share (V + 1).
Proof.
by rewrite mulr_gt0 ?invr_gt0 ?exprn_gt0 ?sqrtr_gt0 ?divr_gt0 ?mulr_gt0 ?pi_gt0 ?ltr0n ?addn1.
Qed.

(** The square of c. *)
Lemma share_sqr V : share (V + 1) ^+ 2 = 8%:R / ((V + 1)%:R ^+ 4 * (pi * d.+1%:R)).
Proof.
have pi0 : 0 < pi * d.+1%:R :> R by rewrite mulr_gt0 ?pi_gt0 ?ltr0n.
have V0 : 0 < (V + 1)%:R :> R by rewrite ltr0n addn1.
rewrite /share exprMn sqr_sqrtr ?divr_ge0 ?(ltW pi0) ?ler0n //.
by move: (pi * _) pi0 (V + 1)%:R V0 => P P0 W W0; field; rewrite !gt_eqF.
Qed.

(** Lemma 2 for V vectors other than 0, and 0: so distances and lengths are kept. *)
Lemma lemma_2_with_0 (D : seq 'cV[R]_d.+1) : 0 \notin D -> exists2 v, dot v v = 1 &
  {in 0 :: D &, forall x y, share (size (undup D) + 1) * norm (x - y) <= `|dot v (x - y)| <= norm (x - y)}.
Proof.
move=> out; have [v unit_v keep] := lemma_2 (0 :: D); exists v => // x y xD yD.
by have := keep x y xD yD; rewrite /= (negPf out) /= -addn1.
Qed.

End Share.
