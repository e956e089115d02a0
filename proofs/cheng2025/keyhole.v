(** * The keyhole: Theorem 2 of Cheng et al. (2025) needs analyticity in the input

    The book's mixer: g(X; s, w)_i = s + w sum_j max(0, 1 - |x_j|), tokens are numbers. For each X
    it is linear in (s, w), it is continuous, and permutation equivariant. Let X_i = (a, b_i),
    i = 1, ..., N, with numbers a, b_i >= 4 that are at least 4 apart. Two layers tell any two of
    them apart; N - 1 layers never tell all apart, whatever the weights. So for three of them two
    layers, which are enough for any two, are not enough, and no number of layers is enough for
    all finite sets of such sequences: the uniform number of layers in the last sentence of the
    printed Theorem 2 does not carry over from pairs. Not here: that two layers tell apart any two
    sequences of distinct tokens (an exercise of the book, with which the printed hypothesis
    holds in full), and that N layers tell these N apart. The paper assumes tokens of d >= 2
    numbers; here d = 1. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum matrix ring.
From mathcomp.analysis Require Import reals.
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers theorem_2.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Keyhole.

Variable R : realType.

Definition hole (x : R) : R := Num.max 0 (1 - `|x|).

(** The weights are s = [theta false] and w = [theta true]. *)
Definition keyhole n (X : 'M[R]_(1, n)) (theta : bool -> R) : 'M[R]_(1, n) :=
  const_mx (theta false + theta true * \sum_j hole (X ord0 j)).

Lemma keyhole_linear n (X : 'M[R]_(1, n)) (c : R) (v w : bool -> R) :
  keyhole X (fun p => v p + c * w p) = keyhole X v + c *: keyhole X w.
Proof. by apply/matrixP => u i; rewrite !mxE; ring. Qed.

Lemma hole0 : hole 0 = 1.
Proof. by rewrite /hole normr0 subr0 max_r ?ler01. Qed.

Lemma hole_far x : 1 <= `|x| -> hole x = 0.
Proof. by move=> x_far; rewrite /hole max_l // subr_le0. Qed.

Lemma mixingS n m theta (X : 'M[R]_(1, n)) :
  mixing (@keyhole n) m.+1 theta X
  = mixing (@keyhole n) m theta X + keyhole (mixing (@keyhole n) m theta X) (theta m).
Proof. by rewrite /mixing /mixing_each -[m.+1]addn1 iotaD map_cat cats1 network_rcons. Qed.

(** All tokens of a sequence move by the same. *)
Fixpoint moved n m theta (X : 'M[R]_(1, n)) : R :=
  if m is m'.+1 then moved m' theta X + (theta m' false
    + theta m' true * \sum_j hole (X ord0 j + moved m' theta X)) else 0.

Lemma mixing_moved n m theta (X : 'M[R]_(1, n)) j :
  mixing (@keyhole n) m theta X ord0 j = X ord0 j + moved m theta X.
Proof.
elim: m j => [|m IH] j; first by rewrite addr0.
rewrite mixingS !mxE IH /= -addrA; congr (_ + (_ + (_ + _ * _))).
by apply: eq_bigr => l _; rewrite IH.
Qed.

Variables (N : nat) (a : R) (b : 'I_N -> R).
Hypotheses (a_ge4 : 4%:R <= a) (b_ge4 : forall i, 4%:R <= b i).
Hypotheses (ab : forall i, 4%:R <= `|a - b i|).
Hypothesis (bb : forall i j, i != j -> 4%:R <= `|b i - b j|).

Definition sequence i : 'M[R]_(1, 2) := \matrix_(u, j) if j == ord0 then a else b i.

Lemma moved_sequence m theta i : moved m.+1 theta (sequence i)
  = moved m theta (sequence i) + (theta m false + theta m true *
    (hole (a + moved m theta (sequence i)) + hole (b i + moved m theta (sequence i)))).
Proof. by rewrite /= !big_ord_recl big_ord0 addr0 !mxE. Qed.

(** After m + 1 layers at least N - m sequences have moved by the same. *)
Lemma together m theta : exists T : {set 'I_N}, (N <= #|T| + m)%N /\
  forall i j, i \in T -> j \in T -> moved m.+1 theta (sequence i) = moved m.+1 theta (sequence j).
Proof.
elim: m => [|m [T [T_large same]]].
  (* 1. The first layer hears nothing. *)
  exists setT; split=> [|i j _ _]; first by rewrite cardsT card_ord addn0.
  have silent x : 4%:R <= x -> hole (x + 0) = 0.
    move=> x_ge4; apply: hole_far; rewrite addr0 (le_trans _ (ler_norm _)) // (le_trans _ x_ge4) //.
    by rewrite ler1n.
  by rewrite !moved_sequence /= !silent.
(* 2. Of those that are together at most one is heard through the hole. *)
pose heard i := hole (b i + moved m.+1 theta (sequence i)) != 0.
have near i : heard i -> `|b i + moved m.+1 theta (sequence i)| < 1.
  by rewrite /heard ltNge; apply: contraNN => /hole_far->.
exists [set i in T | ~~ heard i]; split.
  apply: (leq_trans T_large); rewrite addnS -addSn leq_add2r.
  rewrite -(cardsID [set i | heard i] T) addnC -addn1 leq_add //.
    by apply: subset_leq_card; apply/subsetP => i; rewrite !inE andbC.
  rewrite leqNgt; apply/card_gt1P => -[i [j [i_in j_in ij]]].
  move: i_in j_in; rewrite !inE => /andP[iT /near i_near] /andP[jT /near j_near].
  have := bb ij; rewrite leNgt => /negP[].
  have -> : b i - b j = (b i + moved m.+1 theta (sequence i)) - (b j + moved m.+1 theta (sequence
    j)).
    rewrite (same i j) //; move: (moved _ _ _) => c; ring.
  apply: le_lt_trans (ler_norm_sub _ _) _; apply: lt_trans (ltr_add i_near j_near) _.
  by rewrite -(natrD _ 1 1) ltr_nat.
(* 3. The others hear the same of a, and nothing else. *)
move=> i j; rewrite !inE => /andP[iT /negPn/eqP i_silent] /andP[jT /negPn/eqP j_silent].
by rewrite (moved_sequence m.+1 theta i) (moved_sequence m.+1 theta j) i_silent j_silent (same i j).
Qed.

(** N - 1 layers leave two tokens alike. *)
Theorem keyhole_fails theta : (2 <= N)%N -> exists i j, i != j /\
  ~ told_apart (@keyhole 2) N.-1 theta (sequence i) (sequence j).
Proof.
move=> N_ge2; have [T [T_large same]] := together N.-2 theta.
have : (1 < #|T|)%N by rewrite -(ltn_add2r N.-2) (leq_trans _ T_large) //; case: N N_ge2 => [|[]].
case/card_gt1P=> i [j [iT jT ij]]; exists i, j; split=> // /(_ ord0 ord0)/eqP; apply.
apply/matrixP => u o; rewrite !mxE (ord1 u) !mixing_moved !mxE /=; congr (_ + _).
by have := same i j iT jT; case: N N_ge2 => [|[]].
Qed.

(** Two layers tell any two apart: shift b_i to the hole, then move whoever hears it. *)
Theorem keyhole_pairs i j : i != j ->
  exists theta, told_apart (@keyhole 2) 2 theta (sequence i) (sequence j).
Proof.
move=> ij; pose theta (r : nat) (p : bool) : R := if r is 0 then (if p then 0 else - b i) else p%:R.
exists theta => k l; apply/eqP => /matrixP/(_ ord0 ord0).
rewrite [LHS]mxE [RHS]mxE !mixing_moved ![sequence _ _ _]mxE.
have far x y : 4%:R <= `|x - y| -> hole (x - y) = 0.
  by move=> xy; apply: hole_far; apply: le_trans xy; rewrite ler1n.
have move1 q : moved 1 theta (sequence q) = - b i by rewrite /= mul0r addr0 add0r.
have ji : 4%:R <= `|b j - b i| by rewrite distrC bb.
rewrite (moved_sequence 1 theta i) (moved_sequence 1 theta j) !move1 subrr hole0 !far // /theta /=.
rewrite !add0r ?mulr1 ?mulr0 ?mul1r ?addr0.
have sep x y : 4%:R <= `|x - y| -> x + (- b i + 1) <> y + - b i.
  move=> xy same; move: xy; have -> : x - y = - 1.
    by rewrite -[x](addrK (- b i + 1)) same; ring.
  by rewrite normrN1 lern1.
case: eqP => _; case: eqP => _.
- by move/addrI/eqP; rewrite -subr_eq0 addrAC subrr add0r oner_eq0.
- by apply: sep.
- by apply: sep; rewrite distrC.
- by apply: sep; rewrite bb.
Qed.

End Keyhole.
