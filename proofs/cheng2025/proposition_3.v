(** * Cheng et al. (2025), Proposition 3: blocks look up, for ReLU

    For any d >= 2, any finite set of distinct tokens x_j, any answers y_j and any eps > 0 there
    are feed-forward layers x + W_2 relu(W_1 x + b_1), with one hidden unit each and nothing
    besides, that take each x_j within eps of y_j, in each entry: exactly, but for the first
    entry. Printed: any affine-invariant family with a non-affine Lipschitz member, which rests
    on a theorem of another paper. Here: the family of x |-> W relu(A x - b), of which these
    layers are members; the steps are those of the book. *)
From UAT Require Import attention.
From mathcomp Require Import poly.
From UAT.cheng2025 Require Import separating.

(** ** One hidden unit *)

Section Kinks.

Variables (R : realFieldType) (d : nat).
Implicit Types (c : 'rV[R]_d) (b t : R) (v : 'cV[R]_d) (L : seq (R * 'cV[R]_d)) (u : 'I_d).

(** x + relu(c . x - b) v *)
Definition kink c b v : ff_weights R d := FeedForwardWeights c (const_mx (- b)) v 0.

Lemma kinkE c b v (x : 'cV[R]_d) :
  feed_forward (@relu R) (kink c b v) x = x + relu ((c *m x) ord0 ord0 - b) *: v.
Proof.
apply/matrixP => i o; rewrite (ord1 o) /feed_forward /bias !mxE addr0 big_ord1 !mxE.
by rewrite mulrC.
Qed.

(** Feed-forward layers on one token. *)
Definition run (ws : seq (ff_weights R d)) (x : 'cV[R]_d) : 'cV[R]_d :=
  network [seq feed_forward (@relu R) w (n := 1) | w <- ws] x.

(** To run two lists of layers, one after the other, is to run the list of both. *)
Lemma run_cat ws ws' x : run (ws ++ ws') x = run ws' (run ws x).
Proof. by rewrite /run map_cat; elim: ws x => //= w ws IH x. Qed.

(** A broken line in the entry [u], which stays as it is. *)
Definition broken L t : 'cV[R]_d := \sum_(l <- L) relu (t - l.1) *: l.2.
(** The layers with one hidden unit each that make the broken line of the list [L]. *)
Definition kinks u L := [seq kink (delta_mx ord0 u) l.1 l.2 | l <- L].

Lemma run_kinks u L x : (forall l, l \in L -> l.2 u ord0 = 0) ->
  run (kinks u L) x = x + broken L (x u ord0).
Proof.
elim: L x => [|l L IH] x fixed; first by rewrite /broken big_nil addr0.
rewrite /run /= kinkE -/(run _ _) IH => [|l' l'_in]; last by rewrite fixed ?inE ?l'_in ?orbT.
rewrite -rowE !mxE fixed ?mem_head // mulr0 addr0 /broken big_cons addrA.
by [].
Qed.

Lemma last_before (s : seq R) t : sorted <%R (rcons s t) ->
  last (t - 1) s < t /\ forall r, r \in s -> r <= last (t - 1) s.
Proof.
case: s => [|q s] /=; first by rewrite ltr_subl_addr ltr_addl ltr01.
rewrite rcons_path => /andP[s_path last_lt]; split=> // r.
case/lastP: s s_path {last_lt} => [_|s p]; first by rewrite inE => /eqP->.
rewrite last_rcons rcons_path inE mem_rcons inE => /andP[s_path p_gt].
have to_last : forall r', r' \in q :: s -> r' <= last q s.
  elim: s q s_path {p_gt} => [|q' s IH] q /= path r'; first by rewrite inE => /eqP->.
  have /andP[qq' /IH le_last] := path; rewrite inE => /predU1P[->|/le_last//].
  exact: le_trans (ltW qq') (le_last _ (mem_head _ _)).
case/or3P=> [/eqP->|/eqP->//|r_in]; apply/ltW; apply: le_lt_trans p_gt; apply: to_last.
  exact: mem_head.
by rewrite inE r_in orbT.
Qed.

(** A broken line through given points. *)
Lemma broken_through u (s : seq R) (y : R -> 'cV[R]_d) : sorted <%R s ->
  (forall t, t \in s -> y t u ord0 = 0) ->
  exists2 L : seq (R * 'cV[R]_d), forall l, l \in L -> l.2 u ord0 = 0 & forall t, t \in s -> broken
    L t = y t.
Proof.
elim/last_ind: s => [|s t IH] s_sorted y_u; first by exists [::].
have [L L_u L_y] : exists2 L : seq (R * 'cV[R]_d), forall l, l \in L -> l.2 u ord0 = 0
    & forall r, r \in s -> broken L r = y r.
  apply: IH => [|r r_in]; last by rewrite y_u // mem_rcons inE r_in orbT.
  by apply: (subseq_sorted lt_trans) s_sorted; rewrite -cats1 prefix_subseq.
(* The next kink is at the last point before t, or one before t. *)
pose b := last (t - 1) s.
have [b_lt before] := last_before s_sorted; rewrite -/b in b_lt before.
(* It is 0 up to there, and mends what is wrong at t. *)
have relu_before r : r <= b -> relu (r - b) = 0 by move=> r_le; rewrite /relu max_l // subr_le0.
have relu_t : relu (t - b) = t - b by rewrite /relu max_r // subr_ge0 ltW.
exists (rcons L (b, (t - b)^-1 *: (y t - broken L t))) => [l|r].
  rewrite mem_rcons inE => /predU1P[->|/L_u //] /=; rewrite !mxE y_u ?mem_rcons ?mem_head //.
  rewrite summxE big_seq big1 ?subr0 ?mulr0 // => l' /L_u l'_u; by rewrite mxE l'_u mulr0.
rewrite mem_rcons inE {1}/broken -cats1 big_cat big_seq1 /= -/(broken L r).
case/predU1P => [->|r_in]; last by rewrite relu_before ?before // scale0r addr0 L_y.
by rewrite relu_t scalerA divff ?scale1r ?addrNK ?[_ + (_ - _)]addrC ?subrK // subr_eq0 gt_eqF.
Qed.

(** Tokens that differ in the entry [u] may be given any others, if [u] stays. *)
Lemma set_entries (J : finType) u (x z : J -> 'cV[R]_d) :
  injective (fun j => x j u ord0) -> (forall j, z j u ord0 = x j u ord0) ->
  exists2 ws, all (fun w => hidden w == 1%N) ws & forall j, run ws (x j) = z j.
Proof.
move=> x_inj same_u; pose s := sort <=%R [seq x j u ord0 | j <- enum J].
pose y t := if [pick j | x j u ord0 == t] is Some j then z j - x j else 0.
have yE j : y (x j u ord0) = z j - x j.
  rewrite /y; case: pickP => [l /eqP/x_inj->//|/(_ j)]; by rewrite eqxx.
have s_mem t : t \in s -> exists j, t = x j u ord0.
  by rewrite mem_sort => /mapP[j _ ->]; exists j.
have [L L_u L_y] : exists2 L : seq (R * 'cV[R]_d), forall l, l \in L -> l.2 u ord0 = 0
    & forall t, t \in s -> broken L t = y t.
  apply: broken_through => [|t /s_mem[j ->]]; last by rewrite yE !mxE same_u subrr.
  by rewrite lt_sorted_uniq_le sort_uniq map_inj_uniq ?enum_uniq // sort_le_sorted.
exists (kinks u L) => [|j]; first by rewrite /kinks all_map; apply/allP.
rewrite run_kinks // L_y ?yE ?[_ + (_ - _)]addrC ?subrK //.
by rewrite mem_sort; apply/mapP; exists j; rewrite ?mem_enum.
Qed.

End Kinks.

(** ** The look-up *)

Section LookUp.

Variables (R : realFieldType) (d' : nat).
Let d := d'.+2.
Let first : 'I_d := ord0.
Let second : 'I_d := lift ord0 ord0.

(** One block adds a . x + b, which is never negative here, to the first entry. *)
Lemma distinct_first_entries (J : finType) (x : J -> 'cV[R]_d) : injective x ->
  exists w, hidden w = 1%N /\ injective (fun j => run [:: w] (x j) first ord0).
Proof.
move=> /separating_row[a a_inj]; pose c := a - delta_mx ord0 first.
pose b := - \sum_j `|(c *m x j) ord0 ord0|.
have unbent i : relu ((c *m x i) ord0 ord0 - b) = (c *m x i) ord0 ord0 - b.
  rewrite /relu max_r // opprK (bigD1 i) //= addrA addr_ge0 ?sumr_ge0 //.
  by rewrite addrC -ler_subl_addr sub0r -normrN ler_norm.
have cE i : (c *m x i) ord0 ord0 = (a *m x i) ord0 ord0 - x i first ord0.
  by rewrite mulmxBl -rowE mxE [X in _ + X]mxE [X in _ - X]mxE.
have value i : run [:: kink c b (delta_mx first ord0)] (x i) first ord0
    = (a *m x i) ord0 ord0 - b.
  rewrite /run /= kinkE mxE [X in _ + X]mxE unbent cE [delta_mx _ _ _ _]mxE !eqxx mulr1.
  by rewrite addrA [X in X - b]addrC subrK.
exists (kink c b (delta_mx first ord0)); split=> // j k.
by rewrite !value => /addIr/a_inj.
Qed.

Section Shift.

Variables (J : finType) (y : J -> 'cV[R]_d) (eps : R).
Hypothesis eps_gt0 : 0 < eps.
Implicit Types (x : J -> 'cV[R]_d) (t : R).

(** Multiples of a small number, added to the first entries of the answers, make these distinct. *)
Definition shifted t j := y j first ord0 + t * (enum_rank j)%:R.

(** There is a t > 0, as small as asked, whose multiples make the first entries of the answers distinct. *)
Lemma small_shift : exists t, [/\ 0 < t, t <= eps / #|J|.+1%:R & injective (shifted t)].
Proof.
pose p (jk : J * J) := (y jk.1 first ord0 - y jk.2 first ord0)%:P
  + 'X * ((enum_rank jk.1)%:R - (enum_rank jk.2)%:R)%:P.
have p_ne0 jk : jk.1 != jk.2 -> p jk != 0.
  apply: contraNneq => /(congr1 (fun q : {poly R} => q`_1)).
  rewrite coefD coefC add0r coefXM coefC coef0 => /subr0_eq/eqP.
  by rewrite eqr_nat => /eqP/ord_inj/enum_rank_inj/eqP.
have [|t [t_gt0 t_le t_ok]] := non_root_family (eps := eps / #|J|.+1%:R) p_ne0.
  by rewrite divr_gt0 ?ltr0Sn.
have apart jk : jk.1 != jk.2 -> shifted t jk.1 != shifted t jk.2.
  move=> /t_ok; apply: contraNneq => same; rewrite /p !hornerE; apply/eqP.
  by rewrite -[RHS](subrr (shifted t jk.2)) -{1}same /shifted mulrBr addrACA -opprD.
exists t; split=> // j k same; apply/eqP; apply: contraT => jk.
by have := apart (j, k) jk; rewrite /= same eqxx.
Qed.

(** The tokens x_j with the numbers 1, 2, ... as second entries. *)
Definition numbered x j : 'cV[R]_d := \matrix_(u, o)
  if u == second then (enum_rank j).+1%:R else x j u ord0.
(** The answers y_j, but for the number in the second entry; first entries are shifted by multiples of t. *)
Definition answered t j : 'cV[R]_d := \matrix_(u, o)
  if u == second then (enum_rank j).+1%:R
  else if u == first then shifted t j else y j u ord0.
(** The answers y_j; first entries are shifted by multiples of t. *)
Definition all_answered t j : 'cV[R]_d := \matrix_(u, o)
  if u == second then y j second ord0 else answered t j u ord0.

(** For such a t the tokens with all answers are within eps of them, and exact but for the first entry. *)
Lemma all_answered_near t j u : 0 < t -> t <= eps / #|J|.+1%:R ->
  `|all_answered t j u ord0 - y j u ord0| <= eps
    /\ (u != first -> all_answered t j u ord0 = y j u ord0).
Proof.
move=> t_gt0 t_le; have [->|u_ne1] := eqVneq u second; first by rewrite !mxE eqxx subrr normr0 ltW.
have [->|u_ne0] := eqVneq u first; last first.
  by rewrite !mxE (negbTE u_ne1) (negbTE u_ne0) subrr normr0 ltW.
split=> //; rewrite !mxE /= addrC addKr ger0_norm ?mulr_ge0 ?ler0n ?(ltW t_gt0) //.
move: t_le; rewrite ler_pdivl_mulr ?ltr0Sn // => t_small; apply: le_trans t_small.
by rewrite ler_wpmul2l ?(ltW t_gt0) // ler_nat ltnW // ltnS ltnW.
Qed.

End Shift.

(** Proposition 3, for ReLU. *)
Theorem proposition_3 (J : finType) (x y : J -> 'cV[R]_d) (eps : R) : injective x -> 0 < eps ->
  exists2 ws, all (fun w => hidden w == 1%N) ws &
    forall j u, `|run ws (x j) u ord0 - y j u ord0| <= eps
      /\ (u != first -> run ws (x j) u ord0 = y j u ord0).
Proof.
move=> x_inj eps_gt0.
(* 1. [x1_inj]: one block makes the first entries distinct, so that broken lines in them can tell tokens. *)
have [w [w_1 x1_inj]] := distinct_first_entries x_inj; set x1 := fun j => run [:: w] (x j).
(* 2. [to_x2]: a broken line in the first entry makes the second ones 1, ..., r, and so frees the first. *)
have [ws2 ws2_1 to_x2] : exists2 ws, all (fun w => hidden w == 1%N) ws &
    forall j, run ws (x1 j) = numbered x1 j.
  by apply: (set_entries (u := first)) => // j; rewrite mxE.
(* 3. [to_x3]: broken lines in the second entry set all others to their answers; to the first one numbers are added
   that are at most eps, so that first entries are distinct. *)
have [t [t_gt0 t_le t_inj]] := small_shift y eps_gt0.
have [ws3 ws3_1 to_x3] : exists2 ws, all (fun w => hidden w == 1%N) ws &
    forall j, run ws (numbered x1 j) = answered y t j.
  apply: (set_entries (u := second)) => [j k|j]; last by rewrite !mxE eqxx.
  rewrite [LHS]mxE [RHS]mxE eqxx => /eqP; rewrite eqr_nat => /eqP[].
  exact/(inj_comp (@ord_inj _))/enum_rank_inj.
(* 4. [to_x4]: a broken line in the first entry sets the second. *)
have [ws4 ws4_1 to_x4] : exists2 ws, all (fun w => hidden w == 1%N) ws &
    forall j, run ws (answered y t j) = all_answered y t j.
  by apply: (set_entries (u := first)) => [j k|j]; rewrite !mxE //= => /t_inj.
exists ([:: w] ++ ws2 ++ ws3 ++ ws4) => [|j u]; first by rewrite !all_cat /= w_1 ws2_1 ws3_1.
by rewrite !run_cat -/(x1 j) to_x2 to_x3 to_x4; apply: all_answered_near.
Qed.

End LookUp.
