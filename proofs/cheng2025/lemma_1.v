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

(** Two sets of tokens that differ are not heard alike for all t. *)
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
apply/matrixP => u o; rewrite (ord1 o).
pose f t (p : 'cV[R]_d * 'cV[R]_d) := expR (t * (s p.1 + s p.2)) * (p.1 u ord0 - p.2 u ord0).
pose D := [seq a <- A | a \in B].
(* 1. Cross-multiplied: a sum over all pairs is 0. *)
have pos (C : seq 'cV[R]_d) t c : c \in C -> \sum_(v <- C) expR (t * s v) != 0.
  move=> c_in; rewrite gt_eqF // (big_rem c) //=; apply: ltr_paddr (expR_gt0 _).
  by apply: sumr_ge0 => v _; apply/ltW/expR_gt0.
have all_pairs t : \sum_(a <- A) \sum_(b <- B) f t (a, b) = 0.
  pose ZA := \sum_(a <- A) expR (t * s a); pose VA := \sum_(a <- A) expR (t * s a) * a u ord0.
  pose ZB := \sum_(b <- B) expR (t * s b); pose VB := \sum_(b <- B) expR (t * s b) * b u ord0.
  have entry (C : seq 'cV[R]_d) : (\sum_(c <- C) expR (t * s c) *: c) u ord0
      = \sum_(c <- C) expR (t * s c) * c u ord0.
    by rewrite summxE; apply: eq_bigr => c _; rewrite mxE.
  have := congr1 (fun M : 'cV[R]_d => M u ord0) (same t).
  rewrite /= [LHS]mxE [RHS]mxE !entry -/ZA -/ZB -/VA -/VB [LHS]mulrC [RHS]mulrC => /eqP.
  rewrite eqr_div ?(pos A t z) ?(pos B t m) // => /eqP cross.
  transitivity (VA * ZB - ZA * VB); last by rewrite cross mulrC subrr.
  rewrite !big_distrlr -sumrB /=; apply: eq_bigr => a _; rewrite -sumrB; apply: eq_bigr => b _.
  rewrite /f /= [t * _]mulrDr expRD.
  move: (expR _) (expR _) (a u ord0) (b u ord0) => e1 e2 a_u b_u; ring.
(* 2. Pairs of tokens that both have cancel. *)
have cancel t : \sum_(a <- A | a \in B) \sum_(b <- B | b \in A) f t (a, b) = 0.
  have perm : perm_eq [seq b <- B | b \in A] D.
    apply: uniq_perm; rewrite ?filter_uniq // => v; rewrite !mem_filter; exact: andbC.
  pose S := \sum_(a <- D) \sum_(b <- D) f t (a, b).
  have -> : \sum_(a <- A | a \in B) \sum_(b <- B | b \in A) f t (a, b) = S.
    rewrite -big_filter; apply: eq_bigr => a _; rewrite -big_filter; exact: perm_big.
  apply: (@self_opposite R [lmodType R of R^o]); rewrite {1}/S exchange_big /= -sumrN.
  apply: eq_bigr => a _; rewrite -sumrN; apply: eq_bigr => b _.
  by rewrite /f /= [s b + _]addrC -mulrN opprB.
(* 3. Of the others (z, m) leads. *)
pose r := [seq p <- [seq (a, b) | a <- A, b <- B] | ~~ ((p.1 \in B) && (p.2 \in A))].
have zero t : \sum_(p <- r) expR (t * (s p.1 + s p.2)) * (p.1 u ord0 - p.2 u ord0) = 0.
  have : \sum_(p <- [seq (a, b) | a <- A, b <- B]) f t p = 0.
    by rewrite big_allpairs; apply: all_pairs.
  rewrite (bigID (fun p => (p.1 \in B) && (p.2 \in A))) /= big_filter.
  suff -> : \sum_(p <- [seq (a, b) | a <- A, b <- B] | (p.1 \in B) && (p.2 \in A)) f t p = 0.
    by rewrite add0r.
  rewrite -[RHS](cancel t) big_mkcond big_allpairs [RHS]big_mkcond; apply: eq_bigr => a _ /=.
  by case: (a \in B); rewrite ?[RHS]big_mkcond //= big1.
(* 4. Its coefficient is an entry of z - m. *)
apply/eqP; rewrite -subr_eq0; apply/eqP.
apply: (leading_term (r := r) (l := fun p => s p.1 + s p.2)
  (v := fun p => p.1 u ord0 - p.2 u ord0) (q0 := (z, m))) => //.
- by rewrite filter_uniq // allpairs_uniq // => -[? ?] [? ?] _ _.
- by rewrite mem_filter /= (negbTE zB) /= allpairs_f.
move=> [a b]; rewrite mem_filter /= => /andP[not_both /allpairsP[[a' b'] [/= aA bB [ea eb]]]] ne;
  subst a b.
have b_le : s b' <= s m by have [->|/(m_max _ bB)/ltW] := eqVneq b' m.
have [a'B|a'B] := boolP (a' \in B).
  have b'z : s b' < s z.
    apply: z_max; rewrite ?mem_cat ?bB ?orbT //; last by apply: contraNneq zB => <-.
    by move: not_both; rewrite a'B /= => /negbTE->.
  have a_le : s a' <= s m by have [->|/(m_max _ a'B)/ltW] := eqVneq a' m.
  by rewrite [s a' + _]addrC ltr_le_add.
have [a'z|a'z] := eqVneq a' z; last first.
  by apply: ltr_le_add => //; apply: z_max; rewrite ?mem_cat ?aA ?(negbTE a'B).
rewrite a'z ltr_add2l; apply: m_max => //; apply: contraNneq ne => ->.
by rewrite a'z.
Qed.

End Leading.
