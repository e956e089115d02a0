(** * Yun et al. (2020), sections H.2 and H.3: convolutions

    The layer X + W_O (X * W_C) with a filter of width k for each row; token j hears the places
    from j - floor((k - 1)/2) to j + floor(k/2), with zeros beyond the ends. For all sizes:
    - a stack of such layers, with any token-wise maps (feed-forward layers) between them, gives
      token j the same in two sequences that agree where it hears, for all weights; as long as
      some token does not hear some place, two sequences of different numbers, no permutations of
      each other, are not told apart there. One layer with k < 2n - 1 is such a stack.
    - one layer with k = 2n - 1, W_O = 1 and the weights D, D^2, ..., D^{2n-1} is a contextual
      mapping in the sense of the slides, on all sequences of numbers below D (d = 1), which need
      not be different. That none is one as Definition E.1 is printed is not here. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers columns.

Section Convolution.

Variable R : realFieldType.

(** How many places to the left a filter of width k reaches. *)
Definition left k := (k.-1 %/ 2)%N.
(** How many places to the right it reaches. *)
Definition right k := (k %/ 2)%N.

(** Token j takes with the weight t of the filter the token at place j + t - left. *)
Definition convolve k d n (W_C : 'M[R]_(d, k)) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  \matrix_(r, j) \sum_(t < k) \sum_(i < n | (i + left k == j + t)%N) W_C r t * X r i.
(** The layer X + W_O (X * W_C). *)
Definition convolution k d n (W_O : 'M[R]_d) (W_C : 'M[R]_(d, k)) (X : 'M[R]_(d, n)) :=
  X + W_O *m convolve W_C X.

(** A map that works on each token alone. *)
Definition token_wise d n (f : layer R d n) :=
  forall X Y j, col j X = col j Y -> col j (f X) = col j (f Y).

Lemma feed_forward_token_wise phi d n (w : ff_weights R d) :
  token_wise (@feed_forward R phi d n w).
Proof.
move=> X Y j /colP same; have X_Y r : X r j = Y r j by have := same r; rewrite !mxE.
apply/colP => r; rewrite !mxE X_Y; congr (_ + _ + _); apply: eq_bigr => i _.
rewrite !mxE; congr (_ * phi (_ + _)); apply: eq_bigr => s _; by rewrite X_Y.
Qed.

(** ** Out of earshot *)
Section Deaf.

Variables (k d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)) (j i : 'I_n).

(** What token j hears through m layers. *)
Definition hears m j i := (j <= i + m * left k)%N && (i <= j + m * right k)%N.

(** A layer: weights, and a token-wise map after it. *)
Definition step := ('M[R]_d * 'M[R]_(d, k) * layer R d n)%type.
(** The layer of a step: the convolution with its weights, then its token-wise map. *)
Definition step_layer (s : step) : layer R d n := fun X => s.2 (convolution s.1.1 s.1.2 X).

Lemma step_deaf s X Y j : token_wise s.2 ->
  (forall i, hears 1 j i -> col i X = col i Y) -> col j (step_layer s X) = col j (step_layer s Y).
Proof.
move=> s_token same; apply: s_token; apply/colP => r.
have at_place i q : hears 1 j i -> X q i = Y q i.
  by move=> /same/colP/(_ q); rewrite !mxE.
have j_j : hears 1 j j by rewrite /hears !leq_addr.
rewrite !mxE at_place //; congr (_ + _); apply: eq_bigr => q _; rewrite !mxE; congr (_ * _).
apply: eq_bigr => t _; apply: eq_bigr => i /eqP i_t; rewrite at_place //.
rewrite /hears; have := ltn_ord t; move: i_t; rewrite /left /right.
by move: (nat_of_ord i) (nat_of_ord j) (nat_of_ord t) => *; lia.
Qed.

(** If two sequences agree wherever a token hears through all layers, then it comes out the same, whatever the
    weights. *)
Theorem convolutions_deaf (steps : seq step) X Y j : every (fun s : step => token_wise s.2) steps ->
  (forall i, hears (size steps) j i -> col i X = col i Y) ->
  col j (network (map step_layer steps) X) = col j (network (map step_layer steps) Y).
Proof.
(* 1. By induction: what is heard through one layer less, of what one layer hears. *)
elim: steps X Y => [|s steps IHsteps] X Y /= token same.
  by apply: same; rewrite /hears !mul0n !addn0 leqnn.
case: token => s_token token; apply: IHsteps => // i i_heard.
apply: step_deaf => // i' i'_heard.
apply: same; move: i_heard i'_heard; rewrite /hears /= !mul1n !mulSn => /andP[a b] /andP[c e].
by apply/andP; split; lia.
Qed.

End Deaf.

(** All places but [i] have the same tokens, 1, ..., n - 1; place [i] has [v], 0 or n. *)
Definition but_one n (i : 'I_n) v (j : 'I_n) : nat :=
  if j == i then v else if (j < i)%N then j.+1 else nat_of_ord j.
(** A sequence of numbers. *)
Definition row n (l : 'I_n -> nat) : 'M[R]_(1, n) := \row_j (l j)%:R.

Theorem unheard_pair k n (steps : seq (step k 1 n)) (i j : 'I_n) :
  every (fun s : step k 1 n => token_wise s.2) steps -> ~~ hears k (size steps) j i ->
  let l := but_one i 0 in let l' := but_one i n in
  [/\ injective l, injective l', forall s : 'S_n, ~ (forall p, l' p = l (s p)) &
      col j (network (map (@step_layer k 1 n) steps) (row l)) =
      col j (network (map (@step_layer k 1 n) steps) (row l'))].
Proof.
move=> token deaf l l'; split=> [p q|p q|s same|].
(* 1. The numbers of each sequence are different, and n occurs in only one of the two. *)
- rewrite /l /but_one -!val_eqE => eq; apply: val_inj; move: eq => /=.
  by repeat case: ifP => /= ?; lia.
- rewrite /l' /but_one -!val_eqE => eq; apply: val_inj; move: eq => /=.
  by have := ltn_ord p; have := ltn_ord q; repeat case: ifP => /= ?; lia.
- have := same i; rewrite /l /l' /but_one eqxx; have := ltn_ord (s i); have := ltn_ord i.
  by rewrite -!val_eqE /=; repeat case: ifP => /= ?; lia.
(* 2. They agree wherever token j hears. *)
apply: convolutions_deaf => // p p_heard; apply/colP => r; rewrite !mxE /l /l' /but_one.
by case: eqP => // p_i; move: deaf; rewrite -p_i p_heard.
Qed.

(** One layer with k < 2n - 1: the last token does not hear the first. *)
Lemma narrow_deaf k m : (0 < m)%N -> (k < 2 * m.+1 - 1)%N -> ~~ hears k 1 (@ord_max m) ord0.
Proof. by move=> m_gt0 k_lt; rewrite /hears /left /right mul1n /=; apply/negP => /andP[]; lia. Qed.

(** ** Wide enough *)
Section Wide.

Variables (D m : nat).
Hypothesis D_gt0 : (0 < D)%N.
Notation n := m.+1.
Notation k := (2 * m).+1.
Implicit Types l : 'I_n -> nat.

(** The ids after the layer with the weights D, D^2, ... *)
Definition ids l : 'M[R]_(1, n) := convolution 1%:M (\row_(t < k) (D ^ t.+1)%:R) (row l).

(** The token, and then the sequence as it is seen from there. *)
Definition seen l (j : 'I_n) (t : nat) := (\sum_(i : 'I_n | (i + m == j + t)%N) l i)%N.
(** The token, and then all that is seen from its place. *)
Definition word l j (p : 'I_k.+1) := if unlift ord0 p is Some t then seen l j t else l j.

(** The id of a token is the number with the digits of its [word] in base D. *)
Lemma idsE l j : ids l ord0 j = (number D (word l j))%:R.
Proof.
rewrite /ids /convolution mul1mx !mxE numberS /word unlift_none natrD; congr (_ + _).
have -> : left k = m by rewrite /left /=; lia.
rewrite /number big_distrr natr_sum; apply: eq_bigr => t _; rewrite liftK /seen /= mulnCA -expnS.
by rewrite natrM natr_sum mulr_suml; apply: eq_bigr => i _; rewrite !mxE mulrC.
Qed.

Lemma seen_one l (j i : 'I_n) t : (i + m = j + t)%N -> seen l j t = l i.
Proof.
move=> i_t; rewrite /seen (big_pred1 i) // => i'; rewrite /= -val_eqE /=.
by apply/eqP/eqP; lia.
Qed.

Lemma seen_none l (j : 'I_n) t : (forall i : 'I_n, (i + m <> j + t)%N) -> seen l j t = 0%N.
Proof. by move=> none; rewrite /seen big_pred0 // => i; apply/eqP/none. Qed.

(** In a sequence of numbers below D numbers below D are seen from everywhere. *)
Lemma seen_lt l j t : (forall i, l i < D)%N -> (seen l j t < D)%N.
Proof.
move=> l_D; case: (pickP (fun i : 'I_n => i + m == j + t)%N) => [i /eqP i_t|none].
  by rewrite (seen_one l i_t).
by rewrite seen_none // => i; apply/eqP; rewrite none.
Qed.

(** Places seen from j' as those seen from j: a rotation. *)
Definition moved (j j' i : nat) : nat :=
  (if i + j < j' then i + j + n - j'
   else if i + j - j' < n then i + j - j' else i + j - j' - n)%N.

Lemma moved_lt (j j' i : 'I_n) : (moved j j' i < n)%N.
Proof.
by rewrite /moved; have := ltn_ord i; have := ltn_ord j; have := ltn_ord j'; repeat case: ifP; lia.
Qed.
(** The rotation that takes places as seen from j' to places as seen from j. *)
Definition rotation (j j' i : 'I_n) : 'I_n := Ordinal (moved_lt j j' i).

(** A rotation takes different places to different places. *)
Lemma rotation_inj (j j' : 'I_n) : injective (rotation j j').
Proof.
move=> i i' /(congr1 val); rewrite /= /moved => eq; apply: val_inj; move: eq => /=.
have := ltn_ord i; have := ltn_ord i'; have := ltn_ord j; have := ltn_ord j'.
by repeat case: ifP; lia.
Qed.

(** Sequences that look the same from two places are rotations of each other: what falls off one end are zeros. *)
Lemma same_views l l' j j' : (forall t, (t < k)%N -> seen l j t = seen l' j' t) ->
  forall i, l' i = l (rotation j j' i).
Proof.
move=> other i; have lt_i := ltn_ord i; have lt_j := ltn_ord j; have lt_j' := ltn_ord j'.
have t_k : (i + m - j' < k)%N by lia.
have i_t : (i + m = j' + (i + m - j'))%N by lia.
rewrite -(seen_one l' i_t) -(other _ t_k).
have [inside|outside] := boolP ((j' <= i + j) && (i + j - j' < n))%N.
  apply: seen_one; rewrite /= /moved; move: inside => /andP[]; repeat case: ifP; lia.
rewrite seen_none => [|i' i'_t]; last first.
  by have := ltn_ord i'; move: outside i'_t; rewrite negb_and => /orP[]; lia.
have s_lt := ltn_ord (rotation j j' i); have s_k : (rotation j j' i + m - j < k)%N by lia.
have s_t : (rotation j j' i + m = j + (rotation j j' i + m - j))%N by lia.
rewrite -(seen_one l s_t) (other _ s_k) seen_none // => i' i'_t; have := ltn_ord i'.
move: outside i'_t s_lt; rewrite /= /moved negb_and => /orP[]; repeat case: ifP; lia.
Qed.

Theorem wide_contextual l l' j j' : (forall i, l i < D)%N -> (forall i, l' i < D)%N ->
  ids l ord0 j = ids l' ord0 j' ->
  l j = l' j' /\ exists s : 'S_n, forall i, l' i = l (s i).
Proof.
move=> l_D l'_D; rewrite !idsE => /eqP; rewrite eqr_nat => /eqP.
(* 1. In base D the last digit is the token, the others are the sequence as seen from it. [same]: digits agree. *)
have word_lt g i p : (forall i, g i < D)%N -> (word g i p < D)%N.
  by move=> g_D; rewrite /word; case: unliftP => [t _|_]; [apply: seen_lt | apply: g_D].
move/number_inj => /(_ (fun p => word_lt l j p l_D) (fun p => word_lt l' j' p l'_D)) same.
split; first by have := same ord0; rewrite /word unlift_none.
(* 2. So l' is l, rotated. *)
exists (perm (rotation_inj (j := j) (j' := j'))) => i; rewrite permE; apply: same_views => t t_k.
by have := same (lift ord0 (Ordinal t_k)); rewrite /word liftK.
Qed.

End Wide.

End Convolution.
