(** * Yun et al. (2020), section H.4: averages instead of attention

    The layer X + A X (1/n) 1 1^T. Tokens are whole numbers (d = 1), n >= 3. Any number of such
    layers, whatever their weights, sends token 0 of (0, 1, 4, 5, ...) and of (0, 2, 3, 5, ...) to
    the same number, though these are no permutations of each other; so stacks of averages are no
    contextual mappings. After the token-wise map x -> (n + 1)^x one average is one, in the sense
    of the slides, on all sequences of numbers below D, for every D and n >= 1. The token-wise map
    is a function here; the book has a feed-forward layer for it. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import columns.

Section Average.

Variable R : realFieldType.

(** The layer X + A X (1/n) 1 1^T. *)
Definition average d n (A : 'M[R]_d) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + A *m X *m const_mx n%:R^-1.

(** A sequence of numbers. *)
Definition row n (l : 'I_n -> nat) : 'M[R]_(1, n) := \row_j (l j)%:R.

Lemma averageE n (A : 'M[R]_1) (X : 'M[R]_(1, n)) j :
  average A X ord0 j = X ord0 j + A ord0 ord0 * (\sum_k X ord0 k) / n%:R.
Proof.
rewrite /average mxE; congr (_ + _); rewrite mxE.
under eq_bigr => k _ do rewrite mxE big_ord_recl big_ord0 addr0 [const_mx _ _ _]mxE -mulrA.
by rewrite -mulr_sumr -mulrA mulr_suml.
Qed.

(** ** Fooled *)

(** If two sequences agree in the first token and in the sum of all, then averages give the first token the same. *)
Lemma stack_fooled n (As : seq 'M[R]_1) (X Y : 'M[R]_(1, n.+1)) :
  X ord0 ord0 = Y ord0 ord0 -> \sum_k X ord0 k = \sum_k Y ord0 k ->
  network [seq @average 1 n.+1 A | A <- As] X ord0 ord0 =
  network [seq @average 1 n.+1 A | A <- As] Y ord0 ord0.
Proof.
elim: As X Y => //= A As IHAs X Y same same_sum; apply: IHAs; first by rewrite !averageE same same_sum.
under eq_bigr do rewrite averageE; under [RHS]eq_bigr do rewrite averageE.
by rewrite !big_split /= same_sum.
Qed.

(** The sequence (0, 1, 4, 5, ...). *)
Definition one_four m (j : 'I_m.+3) : nat := if (j < 2)%N then nat_of_ord j else j.+2.
(** The sequence (0, 2, 3, 5, ...). *)
Definition two_three m (j : 'I_m.+3) : nat :=
  if (j < 1)%N then nat_of_ord j else if (j < 3)%N then j.+1 else j.+2.

Theorem averages_fooled m (As : seq 'M[R]_1) :
  [/\ injective (@one_four m), injective (@two_three m),
      forall s : 'S_m.+3, ~ (forall j, two_three j = one_four (s j)) &
      network [seq @average 1 m.+3 A | A <- As] (row (@one_four m)) ord0 ord0 =
      network [seq @average 1 m.+3 A | A <- As] (row (@two_three m)) ord0 ord0].
Proof.
(* 1. The numbers of each sequence are different, and 1 occurs in only one of the two. *)
split=> [j k|j k|s same|].
- by rewrite /one_four => jk; apply: val_inj => /=; move: jk; repeat case: ifP => ?; lia.
- by rewrite /two_three => jk; apply: val_inj => /=; move: jk; repeat case: ifP => ?; lia.
- pose one : 'I_m.+3 := lift ord0 ord0; have := same ((s^-1)%g one).
  rewrite permKV; have -> : one_four one = 1%N by [].
  by move: ((s^-1)%g one) => k; rewrite /two_three; repeat case: ifP => ?; lia.
(* 2. Token 0 and the sum are the same in both, and stay so. *)
apply: stack_fooled; first by rewrite !mxE.
under eq_bigr do rewrite mxE; under [RHS]eq_bigr do rewrite mxE.
by rewrite -!natr_sum !big_ord_recl !addnA.
Qed.

(** ** Repaired *)

Section Repaired.

Variables (D n : nat).
Notation b := n.+2.
Implicit Types l : 'I_n.+1 -> nat.

(** The tokens b^x, and one average with the weight n b^D, where n is the number of tokens. *)
Definition ids l : 'M[R]_(1, n.+1) :=
  average (n.+1%:R * b%:R ^+ D)%:M (row (fun j => b ^ l j)%N).

(** The id of a token x is b^x, plus b^D times the sum of these powers for all tokens. *)
Lemma idsE l j : ids l ord0 j = (b ^ l j + b ^ D * \sum_k b ^ l k)%N%:R.
Proof.
rewrite /ids averageE !mxE eqxx mulr1n natrD natrM [(b ^ D)%:R]natrX; congr (_ + _).
have -> : \sum_k row (fun j => b ^ l j)%N ord0 k = (\sum_k b ^ l k)%N%:R :> R.
  by rewrite natr_sum; apply: eq_bigr => k _; rewrite mxE.
by rewrite mulrC !mulrA mulVf ?mul1r // pnatr_eq0.
Qed.

(** How often v occurs. *)
Definition times l v := #|[pred k | l k == v]|.

(** The sum of the b^x has the digits [times l]. *)
Lemma sum_of_powers l : (forall j, l j < D)%N ->
  (\sum_k b ^ l k)%N = number b (fun v : 'I_D => times l v).
Proof.
move=> l_D; rewrite (partition_big (fun k => Ordinal (l_D k)) predT) //=.
apply: eq_bigr => v _; rewrite (eq_bigr (fun=> b ^ v)%N) => [|k /eqP <- //].
by rewrite sum_nat_const; congr (_ * _)%N; apply: eq_card => k; rewrite !inE -val_eqE.
Qed.

(** If every number occurs equally often in two sequences, then they are the same up to order. *)
Lemma same_times l l' : (forall v, times l v = times l' v) ->
  exists s : 'S_n.+1, forall j, l' j = l (s j).
Proof.
move=> same; have : perm_eq [tuple l' j | j < n.+1] [tuple l j | j < n.+1].
  have countE g v : count (pred1 v) [tuple g j | j < n.+1] = times g v.
    rewrite count_map -[count _ _]/(count _ (enum 'I_n.+1)) -sum1_count big_enum_cond.
    by rewrite /times -sum1_card; apply: eq_bigl => k; rewrite !inE.
  by apply/allP => v _; apply/eqP; rewrite [LHS]countE [RHS]countE.
move/tuple_permP => [s eq_s]; exists s => j.
have := congr1 (fun t => nth 0%N t j) eq_s.
by rewrite -!tnth_nth !tnth_mktuple.
Qed.

Theorem power_then_average l l' i j : (forall k, l k < D)%N -> (forall k, l' k < D)%N ->
  ids l ord0 i = ids l' ord0 j ->
  l i = l' j /\ exists s : 'S_n.+1, forall k, l' k = l (s k).
Proof.
move=> l_D l'_D; rewrite !idsE => /eqP; rewrite eqr_nat => /eqP same.
(* 1. The rest by b^D is the token's own power, the quotient is the sum. *)
have low (g : 'I_n.+1 -> nat) k : (g k < D -> b ^ g k < b ^ D)%N by rewrite ltn_exp2l.
have rest : (b ^ l i = b ^ l' j)%N.
  have := congr1 (modn^~ (b ^ D)%N) same.
  by rewrite ![(b ^ D * _)%N]mulnC ![(b ^ _ + _)%N]addnC !modnMDl !modn_small ?low.
have sum : (\sum_k b ^ l k = \sum_k b ^ l' k)%N.
  have D_gt0 : (0 < b ^ D)%N by rewrite expn_gt0.
  by move: same; rewrite rest => /eqP; rewrite eqn_add2l eqn_pmul2l // => /eqP.
split; first by apply/eqP; rewrite -(eqn_exp2l (m := b)) // rest.
(* 2. In base b = n + 1 the sum counts the tokens: no digit overflows. *)
apply: same_times => v; have few g w : (times g w < b)%N.
  by rewrite ltnS (leq_trans (max_card _)) // card_ord.
have [v_D|D_v] := ltnP v D; last first.
  have none g : (forall k, g k < D)%N -> times g v = 0%N.
    move=> g_D; apply: eq_card0 => k; rewrite inE; apply/negbTE.
    by rewrite neq_ltn (leq_trans (g_D k) D_v).
  by rewrite !none.
move: sum; rewrite !sum_of_powers // => /number_inj digits.
exact: (digits (few l) (few l') (Ordinal v_D)).
Qed.

End Repaired.

End Average.
