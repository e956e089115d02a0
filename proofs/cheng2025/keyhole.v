(** * The keyhole: Theorem 2 of Cheng et al. (2025) needs analyticity in the input

    The book's mixer: g(X; s, w)_i = s + w sum_j max(0, 1 - |x_j|), where |x| is the largest entry
    of the token x, and s and w have an entry for each entry of a token. For each X it is linear
    in (s, w), it is continuous, and permutation equivariant. Let X_i = (a, b_i), i = 1, ..., N,
    with numbers a, b_i >= 4 that are at least 4 apart, in tokens of any number d >= 1 of entries,
    the others of which are 0. Two layers tell any two of them apart; N - 1 layers never tell all
    apart, whatever the weights. So for three of them two layers, which are enough for any two,
    are not enough, and no number of layers is enough for all finite sets of such sequences: the
    uniform number of layers in the last sentence of the printed Theorem 2 does not carry over
    from pairs. That two layers tell apart any two sequences of distinct tokens at all, with
    which the printed hypothesis holds in full, is in [keyhole_any_two.v]. Not here: that N layers
    tell these N apart. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers theorem_2.

Section Keyhole.

Variables (R : realType) (d' : nat).
Let d := d'.+1.
Let first : 'I_d := ord0.

(** The largest entry of a token, in absolute value. *)
Definition largest_entry (x : 'cV[R]_d) : R := \big[Num.max/0]_u `|x u ord0|.
(** How much of a token the keyhole sees: 1 at 0, and nothing from size 1 on. *)
Definition hole (x : 'cV[R]_d) : R := Num.max 0 (1 - largest_entry x).

(** The weights are s = [theta (false, .)] and w = [theta (true, .)]. *)
Definition keyhole n (X : 'M[R]_(d, n)) (theta : bool * 'I_d -> R) : 'M[R]_(d, n) :=
  \matrix_(u, i) (theta (false, u) + theta (true, u) * \sum_j hole (col j X)).

(** The mixer is linear in its weights. *)
Lemma keyhole_linear n (X : 'M[R]_(d, n)) (c : R) (v w : bool * 'I_d -> R) :
  keyhole X (fun p => v p + c * w p) = keyhole X v + c *: keyhole X w.
Proof. by apply/matrixP => u i; rewrite !mxE; ring. Qed.

Lemma le_largest (x : 'cV[R]_d) u : `|x u ord0| <= largest_entry x.
Proof.
rewrite /largest_entry; have : u \in index_enum [finType of 'I_d] by rewrite mem_index_enum.
elim: (index_enum _) => // v s IH; rewrite inE big_cons le_maxr => /predU1P[->|/IH->].
  by rewrite lexx.
by rewrite orbT.
Qed.

Lemma largest_le (x : 'cV[R]_d) c : 0 <= c -> (forall u, `|x u ord0| <= c) -> largest_entry x <= c.
Proof.
move=> c_ge0 x_le; rewrite /largest_entry; elim/big_ind: _ => // v w v_le w_le.
by rewrite le_maxl v_le.
Qed.

Lemma hole_far (x : 'cV[R]_d) u : 1 <= `|x u ord0| -> hole x = 0.
Proof. by move=> x_far; rewrite /hole max_l // subr_le0 (le_trans x_far) ?le_largest. Qed.

Lemma hole_near (x : 'cV[R]_d) u : hole x != 0 -> `|x u ord0| < 1.
Proof. by rewrite ltNge; apply: contraNN => /hole_far->. Qed.

Lemma hole_const c : 0 <= c <= 1 -> hole (const_mx c) = 1 - c.
Proof.
move=> /andP[c_ge0 c_le1]; have -> : hole (const_mx c) = Num.max 0 (1 - c).
  congr (Num.max 0 (1 - _)); apply/le_anti; rewrite largest_le // => [|u].
    by have := le_largest (const_mx c) first; rewrite mxE ger0_norm.
  by rewrite mxE ger0_norm.
by rewrite max_r // subr_ge0.
Qed.

Lemma hole0 : hole 0 = 1.
Proof. by rewrite -[0](_ : const_mx 0 = _) ?hole_const ?lexx ?ler01 ?subr0 //; apply/matrixP. Qed.

Lemma mixingS n m theta (X : 'M[R]_(d, n)) :
  mixing (@keyhole n) m.+1 theta X
  = mixing (@keyhole n) m theta X + keyhole (mixing (@keyhole n) m theta X) (theta m).
Proof. by rewrite /mixing /mixing_each -[m.+1]addn1 iotaD map_cat cats1 network_rcons. Qed.

(** All tokens of a sequence move by the same. *)
Fixpoint moved n m theta (X : 'M[R]_(d, n)) : 'cV[R]_d :=
  if m is m'.+1 then moved m' theta X + \matrix_(u, o) (theta m' (false, u)
    + theta m' (true, u) * \sum_j hole (col j X + moved m' theta X)) else 0.

(** After m layers each token is where it was, but for the shift [moved] that all tokens of its sequence share. *)
Lemma mixing_moved n m theta (X : 'M[R]_(d, n)) j :
  col j (mixing (@keyhole n) m theta X) = col j X + moved m theta X.
Proof.
elim: m j => [|m IH] j; first by rewrite addr0.
rewrite mixingS linearD /= IH -addrA; congr (_ + (_ + _)); apply/matrixP => u o; rewrite !mxE.
by congr (_ + _ * _); apply: eq_bigr => l _; rewrite IH.
Qed.

Variables (N : nat) (a : R) (b : 'I_N -> R).
Hypotheses (a_ge4 : 4%:R <= a) (b_ge4 : forall i, 4%:R <= b i).
Hypotheses (ab : forall i, 4%:R <= `|a - b i|).
Hypothesis (bb : forall i j, i != j -> 4%:R <= `|b i - b j|).

(** A number as a token: its other entries are 0. *)
Definition token (x : R) : 'cV[R]_d := \matrix_(u, o) if u == first then x else 0.
(** The sequence (a, b_i). *)
Definition sequence i : 'M[R]_(d, 2) :=
  \matrix_(u, j) (if j == ord0 then token a else token (b i)) u ord0.

(** The tokens of sequence i are those of the numbers [a] and b_i. *)
Lemma col_sequence i j : col j (sequence i) = if j == ord0 then token a else token (b i).
Proof. by apply/matrixP => u o; rewrite mxE mxE (ord1 o). Qed.

Lemma moved_sequence m theta i : moved m.+1 theta (sequence i)
  = moved m theta (sequence i) + \matrix_(u, o) (theta m (false, u) + theta m (true, u) *
    (hole (token a + moved m theta (sequence i))
      + hole (token (b i) + moved m theta (sequence i)))).
Proof. by rewrite /= !big_ord_recl big_ord0 addr0 !col_sequence. Qed.

Lemma moved_silent m theta i : hole (token (b i) + moved m theta (sequence i)) = 0 ->
  moved m.+1 theta (sequence i) = moved m theta (sequence i) +
    \matrix_(u, o) (theta m (false, u) + theta m (true, u) *
      hole (token a + moved m theta (sequence i))).
Proof.
rewrite moved_sequence => ->; congr (_ + _); apply/matrixP => u o.
by rewrite mxE [RHS]mxE addr0.
Qed.

(** Of sequences that have moved by the same at most one is heard through the hole by its second token. *)
Lemma one_heard m theta (T : {set 'I_N}) :
  (forall i j, i \in T -> j \in T -> moved m theta (sequence i) = moved m theta (sequence j)) ->
  (#|[set i in T | hole (token (b i) + moved m theta (sequence i)) != 0%R]| <= 1)%N.
Proof.
move=> same; pose place i := moved m theta (sequence i) first ord0.
have near i : hole (token (b i) + moved m theta (sequence i)) != 0 -> `|b i + place i| < 1.
  by move=> /(hole_near first); rewrite mxE [token _ _ _]mxE.
rewrite leqNgt; apply/card_gt1P => -[i [j [i_in j_in ij]]].
move: i_in j_in; rewrite !inE => /andP[iT /near i_near] /andP[jT /near j_near].
have := bb ij; rewrite leNgt => /negP[].
have -> : b i - b j = (b i + place i) - (b j + place j).
  by rewrite /place (same i j) //; move: (moved _ _ _ _ _) => c; ring.
apply: le_lt_trans (ler_norm_sub _ _) _; apply: lt_trans (ltr_add i_near j_near) _.
by rewrite -(natrD _ 1 1) ltr_nat.
Qed.

(** After m + 1 layers at least N - m sequences have moved by the same. *)
Lemma together m theta : exists T : {set 'I_N}, (N <= #|T| + m)%N /\
  forall i j, i \in T -> j \in T -> moved m.+1 theta (sequence i) = moved m.+1 theta (sequence j).
Proof.
elim: m => [|m [T [T_large same]]].
  (* 1. The first layer hears nothing. *)
  exists setT; split=> [|i j _ _]; first by rewrite cardsT card_ord addn0.
  have silent x : 4%:R <= x -> hole (token x + 0) = 0.
    move=> x_ge4; apply: (@hole_far _ first); rewrite addr0 mxE /=.
    by rewrite (le_trans _ (ler_norm _)) // (le_trans _ x_ge4) // ler1n.
  by rewrite !moved_sequence /= !silent.
(* 2. Of those that are together at most one is heard through the hole: leave it out. *)
pose heard i := hole (token (b i) + moved m.+1 theta (sequence i)) != 0.
exists [set i in T | ~~ heard i]; split.
  apply: (leq_trans T_large); rewrite addnS -addSn leq_add2r.
  have -> : #|T| = (#|[set i in T | heard i]| + #|[set i in T | ~~ heard i]|)%N.
    by rewrite -(cardsID [set i | heard i] T); congr (_ + _)%N; apply: eq_card => i; rewrite !inE // andbC.
  by rewrite -add1n leq_add2r; apply: one_heard.
(* 3. The others hear the same of a, and nothing else. *)
move=> i j; rewrite !inE => /andP[iT /negPn/eqP i_silent] /andP[jT /negPn/eqP j_silent].
by rewrite (moved_silent i_silent) (moved_silent j_silent) (same i j).
Qed.

(** N - 1 layers leave two tokens alike. *)
Theorem keyhole_fails theta : (2 <= N)%N -> exists i j, i != j /\
  ~ told_apart (@keyhole 2) N.-1 theta (sequence i) (sequence j).
Proof.
(* 1. Before the last layer two sequences at least have moved by the same. *)
move=> N_ge2; have [T [T_large same]] := together N.-2 theta.
have : (1 < #|T|)%N by rewrite -(ltn_add2r N.-2) (leq_trans _ T_large) //; case: N N_ge2 => [|[]].
(* 2. Their first tokens are equal, and so is where they have moved. *)
case/card_gt1P=> i [j [iT jT ij]]; exists i, j; split=> // /(_ ord0 ord0)/eqP; apply.
rewrite !mixing_moved !col_sequence /=; congr (_ + _).
by have := same i j iT jT; case: N N_ge2 => [|[]].
Qed.

(** Two layers tell any two apart: shift b_i to the hole, then move whoever hears it. *)
Theorem keyhole_pairs i j : i != j ->
  exists theta, told_apart (@keyhole 2) 2 theta (sequence i) (sequence j).
Proof.
move=> ij; pose theta (r : nat) (p : bool * 'I_d) : R :=
  if r is 0 then (if p.1 then 0 else - token (b i) p.2 ord0) else (p.1 && (p.2 == first))%:R.
exists theta => k l; apply/eqP => /matrixP/(_ first ord0).
rewrite !mixing_moved !col_sequence [LHS]mxE [RHS]mxE.
have move1 q : moved 1 theta (sequence q) = - token (b i).
  by apply/matrixP => u o; rewrite /= add0r !mxE mul0r addr0.
have far x y : 4%:R <= `|x - y| -> hole (token x - token y) = 0.
  by move=> xy; apply: (@hole_far _ first); rewrite !mxE /=; apply: le_trans xy; rewrite ler1n.
have ji : 4%:R <= `|b j - b i| by rewrite distrC bb.
rewrite (moved_sequence 1 theta i) (moved_sequence 1 theta j) !move1 subrr hole0 !far //.
rewrite ![(_ + _ : 'cV_d) _ _]mxE ![(- _ : 'cV_d) _ _]mxE ![(\matrix_(_, _) _) _ _]mxE /=.
rewrite !add0r ?addr0 !mulr1 !mulr0 ?addr0.
have tokenE z : token z first ord0 = z by rewrite mxE.
have sep x y : 4%:R <= `|x - y| -> x + (- b i + 1) <> y + - b i.
  move=> xy same; move: xy; have -> : x - y = - 1.
    by rewrite -[x](addrK (- b i + 1)) same; ring.
  by rewrite normrN1 lern1.
by case: eqP => _; case: eqP => _; rewrite ?tokenE;
  [move/addrI/eqP; rewrite -subr_eq0 addrAC subrr add0r oner_eq0 | apply: sep |
   apply: sep; rewrite distrC | apply: sep; rewrite bb].
Qed.

End Keyhole.
