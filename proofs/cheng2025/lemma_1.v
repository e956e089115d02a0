(** * Cheng et al. (2025), Lemma 1, for softmax

    Two tokens whose values differ, or that hear different sets of tokens, are told apart by one
    head of softmax attention, for some weights W_Q, W_K, W_V (d x d). The token that hears is
    not 0; tokens of one sequence are distinct; each hears somebody. Printed: for all kernels with
    (13); here for exp(x . y), for any d, n and any pattern, and tokens that are heard may be 0.
    The proof compares pairs of tokens at once, where the paper goes peel by peel. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers proposition_3 kernels_fooled.

Section Leading.

Variable R : realType.

(** A sum of exponentials that is 0 for all t has no leading term. *)
Lemma leading_term (Q : eqType) (r : seq Q) (l v : Q -> R) q0 : uniq r -> q0 \in r ->
  (forall q, q \in r -> q != q0 -> l q < l q0) ->
  (forall t, \sum_(q <- r) expR (t * l q) * v q = 0) -> v q0 = 0.
Proof.
move=> r_uniq q0_in l_lt zero; apply/eqP; rewrite -normr_eq0 eq_le normr_ge0 andbT leNgt.
apply/negP => e_gt0; set e := `|v q0| in e_gt0.
pose K := \sum_(q <- r | q != q0) `|v q| / (l q0 - l q).
have K_ge0 : 0 <= K.
  rewrite /K big_seq_cond sumr_ge0 // => q /andP[q_in q_ne].
  by rewrite divr_ge0 // subr_ge0 ltW // l_lt.
pose t := (K + 1) / e; have t_gt0 : 0 < t by rewrite divr_gt0 // ltr_spaddr.
have := zero t; rewrite (bigD1_seq q0) //= => /eqP; rewrite addr_eq0 => /eqP lead.
have : e * t <= K.
  have scale : v q0 = - \sum_(q <- r | q != q0) expR (- (t * (l q0 - l q))) * v q.
    apply: (mulfI (lt0r_neq0 (expR_gt0 (t * l q0)))); rewrite lead mulrN; congr (- _).
    rewrite mulr_sumr; apply: eq_bigr => q _; rewrite mulrA -expRD; congr (expR _ * _); ring.
  rewrite /e scale normrN; apply: le_trans (ler_wpmul2r (ltW t_gt0) (ler_norm_sum _ _ _)) _.
  rewrite mulr_suml /K big_seq_cond [X in _ <= X]big_seq_cond; apply: ler_sum => q /andP[q_in q_ne].
  have gap : 0 < l q0 - l q by rewrite subr_gt0 l_lt.
  rewrite normrM ger0_norm ?(ltW (expR_gt0 _)) // mulrAC [X in _ <= X]mulrC ler_wpmul2r //.
  rewrite expRN mulrC ler_pdivr_mulr ?expR_gt0 // [_^-1 * _]mulrC ler_pdivl_mulr //.
  have tg_ge0 : 0 <= t * (l q0 - l q) by rewrite ltW // mulr_gt0.
  by apply: le_trans (expR_ge1Dx tg_ge0); rewrite ler_addr ler01.
rewrite /t mulrCA divff ?gt_eqF // mulr1 leNgt => /negP[].
by rewrite ltr_addl ltr01.
Qed.

Lemma largest (V : eqType) (s : V -> R) (B : seq V) : {in B &, injective s} -> B != [::] ->
  exists2 m, m \in B & forall b, b \in B -> b != m -> s b < s m.
Proof.
elim: B => // b B IH s_inj _; have [->|B_ne] := eqVneq B [::].
  by exists b; rewrite ?mem_head // => c; rewrite inE => /eqP->; rewrite eqxx.
have [|m m_in m_max] := IH _ B_ne.
  by move=> c c' c_in c'_in; apply: s_inj; rewrite inE ?c_in ?c'_in orbT.
have [bm|mb] := leP (s b) (s m).
  exists m => [|c]; first by rewrite inE m_in orbT.
  rewrite inE => /predU1P[->|/m_max//] b_ne; rewrite lt_neqAle bm andbT.
  by apply: contraNneq b_ne => /s_inj->; rewrite ?mem_head ?inE ?m_in ?orbT.
exists b => [|c]; first exact: mem_head.
rewrite inE => /predU1P[->|c_in]; first by rewrite eqxx.
move=> _; have [->//|c_ne] := eqVneq c m; exact: lt_trans (m_max c c_in c_ne) mb.
Qed.

(** ** Two sets of tokens that differ are not heard alike for all t *)
Section HeardApart.

Variables (d : nat) (A B : seq 'cV[R]_d) (s : 'cV[R]_d -> R) (z m : 'cV[R]_d).
Hypotheses (A_uniq : uniq A) (B_uniq : uniq B).
Hypotheses (zA : z \in A) (zB : z \notin B) (mB : m \in B).
Hypothesis m_max : forall b, b \in B -> b != m -> s b < s m.
Hypothesis z_max : forall v, v \in A ++ B -> (v \in A) != (v \in B) -> v != z -> s v < s z.
Variable u : 'I_d.
Hypothesis same : forall t,
  (\sum_(a <- A) expR (t * s a))^-1 *: (\sum_(a <- A) expR (t * s a) *: a) =
  (\sum_(b <- B) expR (t * s b))^-1 *: (\sum_(b <- B) expR (t * s b) *: b).
Notation pair := ('cV[R]_d * 'cV[R]_d)%type.

(** What a pair of tokens, one of each set, has in the cross-multiplied equation; *)
Definition share t (p : pair) : R := expR (t * (s p.1 + s p.2)) * (p.1 u ord0 - p.2 u ord0).

Lemma heard_weight (C : seq 'cV[R]_d) t c : c \in C -> \sum_(v <- C) expR (t * s v) != 0.
Proof.
move=> c_in; rewrite gt_eqF // (big_rem c) //=; apply: ltr_paddr (expR_gt0 _).
by apply: sumr_ge0 => v _; apply/ltW/expR_gt0.
Qed.

(** over all pairs this is 0. *)
Lemma all_pairs t : \sum_(a <- A) \sum_(b <- B) share t (a, b) = 0.
Proof.
pose ZA := \sum_(a <- A) expR (t * s a); pose VA := \sum_(a <- A) expR (t * s a) * a u ord0.
pose ZB := \sum_(b <- B) expR (t * s b); pose VB := \sum_(b <- B) expR (t * s b) * b u ord0.
have entry (C : seq 'cV[R]_d) : (\sum_(c <- C) expR (t * s c) *: c) u ord0
    = \sum_(c <- C) expR (t * s c) * c u ord0.
  by rewrite summxE; apply: eq_bigr => c _; rewrite mxE.
have := congr1 (fun M : 'cV[R]_d => M u ord0) (same t).
rewrite /= [LHS]mxE [RHS]mxE !entry -/ZA -/ZB -/VA -/VB [LHS]mulrC [RHS]mulrC => /eqP.
rewrite eqr_div ?(heard_weight t zA) ?(heard_weight t mB) // => /eqP cross.
transitivity (VA * ZB - ZA * VB); last by rewrite cross mulrC subrr.
rewrite !big_distrlr -sumrB /=; apply: eq_bigr => a _; rewrite -sumrB; apply: eq_bigr => b _.
rewrite /share /= [t * _]mulrDr expRD.
move: (expR _) (expR _) (a u ord0) (b u ord0) => e1 e2 a_u b_u; ring.
Qed.

(** Pairs of tokens that both have cancel, *)
Lemma common_pairs t : \sum_(a <- A | a \in B) \sum_(b <- B | b \in A) share t (a, b) = 0.
Proof.
pose D := [seq a <- A | a \in B]; pose S := \sum_(a <- D) \sum_(b <- D) share t (a, b).
have perm : perm_eq [seq b <- B | b \in A] D.
  apply: uniq_perm; rewrite ?filter_uniq // => v; rewrite !mem_filter; exact: andbC.
have -> : \sum_(a <- A | a \in B) \sum_(b <- B | b \in A) share t (a, b) = S.
  rewrite -big_filter; apply: eq_bigr => a _; rewrite -big_filter; exact: perm_big.
apply: (@self_opposite R [lmodType R of R^o]); rewrite {1}/S exchange_big /= -sumrN.
apply: eq_bigr => a _; rewrite -sumrN; apply: eq_bigr => b _.
by rewrite /share /= [s b + _]addrC -mulrN opprB.
Qed.

(** so that the others sum to 0, too. *)
Definition other_pairs :=
  [seq p <- [seq (a, b) | a <- A, b <- B] | ~~ ((p.1 \in B) && (p.2 \in A))].

Lemma other_pairs_sum t : \sum_(p <- other_pairs) share t p = 0.
Proof.
have : \sum_(p <- [seq (a, b) | a <- A, b <- B]) share t p = 0.
  by rewrite big_allpairs; apply: all_pairs.
rewrite (bigID (fun p => (p.1 \in B) && (p.2 \in A))) /= big_filter.
suff -> : \sum_(p <- [seq (a, b) | a <- A, b <- B] | (p.1 \in B) && (p.2 \in A)) share t p = 0.
  by rewrite add0r.
rewrite -[RHS](common_pairs t) big_mkcond big_allpairs [RHS]big_mkcond; apply: eq_bigr => a _ /=.
by case: (a \in B); rewrite ?[RHS]big_mkcond //= big1.
Qed.

(** Of the others (z, m) leads: *)
Lemma pair_leads p : p \in other_pairs -> p != (z, m) -> s p.1 + s p.2 < s z + s m.
Proof.
case: p => a b; rewrite mem_filter /= => /andP[not_both /allpairsP[[a' b'] [/= aA bB [ea eb]]]] ne.
subst a b; have b_le : s b' <= s m by have [->|/(m_max bB)/ltW] := eqVneq b' m.
have [a'B|a'B] := boolP (a' \in B).
  have b'z : s b' < s z.
    apply: z_max; rewrite ?mem_cat ?bB ?orbT //; last by apply: contraNneq zB => <-.
    by move: not_both; rewrite a'B /= => /negbTE->.
  have a_le : s a' <= s m by have [->|/(m_max a'B)/ltW] := eqVneq a' m.
  by rewrite [s a' + _]addrC ltr_le_add.
have [a'z|a'z] := eqVneq a' z; last first.
  by apply: ltr_le_add => //; apply: z_max; rewrite ?mem_cat ?aA ?(negbTE a'B).
rewrite a'z ltr_add2l; apply: m_max => //; apply: contraNneq ne => ->.
by rewrite a'z.
Qed.

(** so its coefficient, an entry of z - m, is 0. *)
Lemma entry_same : z u ord0 = m u ord0.
Proof.
apply/eqP; rewrite -subr_eq0; apply/eqP.
apply: (leading_term (r := other_pairs) (l := fun p => s p.1 + s p.2)
  (v := fun p => p.1 u ord0 - p.2 u ord0) (q0 := (z, m))) => //.
- by rewrite filter_uniq // allpairs_uniq // => -[? ?] [? ?] _ _.
- by rewrite mem_filter /= (negbTE zB) /= allpairs_f.
- exact: pair_leads.
exact: other_pairs_sum.
Qed.

End HeardApart.

Lemma heard_apart d (A B : seq 'cV[R]_d) (s : 'cV[R]_d -> R) z : uniq A -> uniq B ->
  {in A ++ B &, injective s} -> z \in A -> z \notin B -> B != [::] ->
  (forall v, v \in A ++ B -> (v \in A) != (v \in B) -> v != z -> s v < s z) ->
  ~ (forall t, (\sum_(a <- A) expR (t * s a))^-1 *: (\sum_(a <- A) expR (t * s a) *: a)
             = (\sum_(b <- B) expR (t * s b))^-1 *: (\sum_(b <- B) expR (t * s b) *: b)).
Proof.
move=> A_uniq B_uniq s_inj zA zB B_ne z_max same.
have [|m mB m_max] := largest (s := s) _ B_ne.
  by move=> b c b_in c_in; apply: s_inj; rewrite mem_cat ?b_in ?c_in orbT.
suff zm : z = m by rewrite zm mB in zB.
by apply/matrixP => u o; rewrite (ord1 o); apply: (entry_same A_uniq B_uniq zA zB mB m_max z_max).
Qed.

End Leading.
