(** * Who has heard of whom: Definition 4 of Cheng et al. (2025), and hops

    Patterns are counted from 1, and the layer of [N 1] acts before that of [N 2]. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers.

Section Connected.

Variable n : nat.
Implicit Types (N : nat -> pattern n) (i j l : 'I_n).

(** An entry is 1 where [i] hears [j], and 0 elsewhere. *)
Definition adjacency (P : pattern n) : 'M[int]_n := \matrix_(i, j) (j \in P i)%:R.

(** The product A_{r_k} ... A_{r_1} of adjacency matrices: it counts ways through the layers [s] = r_1, ..., r_k. *)
Definition hops N (s : seq nat) : 'M[int]_n :=
  foldl (fun P r => adjacency (N r) *m P) 1%:M s.

(** Definition 4: for any i <> j there are 1 <= r_1 < ... < r_k <= m with a positive entry. *)
Definition connected_within N m : Prop := forall i j, i != j ->
  exists s, [/\ sorted ltn s, all (fun r => 0 < r <= m)%N s & 0 < hops N s i j].

(** Of whom [i] has heard after the layers 1 to [m]. *)
Fixpoint reached N m i : {set 'I_n} :=
  if m is m'.+1 then reached N m' i :|: \bigcup_(l in N m i) reached N m' l else [set i].

(** After any number of layers, none included, a token has heard of itself. *)
Lemma reached_self N m i : i \in reached N m i.
Proof. by elim: m => [|m IH] /=; rewrite ?set11 // inE IH. Qed.

Lemma reached_mono N m m' i : (m <= m')%N -> reached N m i \subset reached N m' i.
Proof.
elim: m' => [|m' IH]; first by rewrite leqn0 => /eqP->.
rewrite leq_eqVlt => /predU1P[->//|/IH sub]; apply: subset_trans sub _.
exact: subsetUl.
Qed.

Lemma reached_hop N m i l j : l \in N m.+1 i -> j \in reached N m l -> j \in reached N m.+1 i.
Proof. by move=> l_heard j_reached; rewrite inE; apply/orP; right; apply/bigcupP; exists l. Qed.

Lemma hops_rcons N s r : hops N (rcons s r) = adjacency (N r) *m hops N s.
Proof. by rewrite /hops -cats1 foldl_cat. Qed.

Lemma hops_ge0 N s i j : 0 <= hops N s i j.
Proof.
elim/last_ind: s i => [|s r IH] i; first by rewrite mxE ler0n.
by rewrite hops_rcons mxE; apply: sumr_ge0 => l _; rewrite mulr_ge0 // mxE ler0n.
Qed.

(** One hop more: an entry is positive if and only if [i] hears somebody who got there. *)
Lemma hops_gt0 N s r i j :
  0 < hops N (rcons s r) i j <-> exists2 l, l \in N r i & 0 < hops N s l j.
Proof.
have terms l : 0 <= adjacency (N r) i l * hops N s l j.
  by rewrite mulr_ge0 ?hops_ge0 // mxE ler0n.
rewrite hops_rcons mxE lt_def sumr_ge0 // andbT psumr_eq0 // -has_predC; split.
  case/hasP=> l _ /=; rewrite mxE; case l_heard: (l \in N r i) => /=; last by rewrite mul0r eqxx.
  by rewrite mul1r => pos; exists l; rewrite // lt_def pos hops_ge0.
case=> l l_heard pos; apply/hasP; exists l; first by rewrite mem_index_enum.
by rewrite /= mxE l_heard mul1r gt_eqF.
Qed.

Lemma sorted_last_lt (s : seq nat) r : sorted ltn (rcons s r) ->
  sorted ltn s /\ all (fun u => u < r)%N s.
Proof.
move=> /= s_sorted; split; first by apply: (subseq_sorted ltn_trans) s_sorted; rewrite -cats1
  prefix_subseq.
apply/allP => u /(nthP 0%N)[q q_lt <-].
have := sorted_ltn_nth ltn_trans 0%N s_sorted q (size s).
rewrite !inE size_rcons ltnS (ltnW q_lt) ltnSn => /(_ isT isT q_lt).
by rewrite !nth_rcons q_lt ltnn eqxx.
Qed.

(** Hops through layers in turn are what the products count. *)
Lemma hops_reached N s m i j : sorted ltn s -> all (fun r => 0 < r <= m)%N s ->
  0 < hops N s i j -> j \in reached N m i.
Proof.
elim/last_ind: s m i => [|s r IH] m i.
  by rewrite mxE => _ _; case: eqP => [->|//] _; apply: reached_self.
move=> /sorted_last_lt[s_sorted below]; rewrite all_rcons => /andP[/andP[r_gt0 r_le] s_in].
move=> /hops_gt0[l l_heard pos]; case: r r_gt0 r_le below l_heard => // r _ r_le below l_heard.
have j_reached : j \in reached N r l.
  apply: IH pos => //; apply/allP => u u_in.
  by have /andP[-> _] := allP s_in u u_in; rewrite -ltnS (allP below).
exact: (subsetP (reached_mono N i r_le)) _ (reached_hop l_heard j_reached).
Qed.

(** If [i] has heard of [j] after [m] layers, then hops through some of these, in their order, connect the two. *)
Lemma reached_hops N m i j : j \in reached N m i ->
  exists s, [/\ sorted ltn s, all (fun r => 0 < r <= m)%N s & 0 < hops N s i j].
Proof.
elim: m i => [|m IH] i /=.
  by rewrite inE => /eqP->; exists [::]; rewrite mxE eqxx.
rewrite inE => /orP[/IH[s [s_sorted s_in pos]]|/bigcupP[l l_heard /IH[s [s_sorted s_in pos]]]].
  exists s; split=> //; apply: sub_all s_in => r /andP[-> r_le] /=; exact: leqW.
exists (rcons s m.+1); split; last by apply/hops_gt0; exists l.
  have s_lt : all (fun r => r < m.+1)%N s by apply: sub_all s_in => r /andP[_]; rewrite ltnS.
  case: s s_sorted s_lt {s_in pos} => //= r s s_path /andP[r_lt s_lt].
  rewrite rcons_path s_path /=; have := mem_last r s; rewrite inE.
  by case/predU1P => [->//|/(allP s_lt)].
rewrite all_rcons /= leqnn; apply: sub_all s_in => r /andP[-> r_le] /=; exact: leqW.
Qed.

(** Definition 4 in words: after [m] layers everybody has heard of everybody. *)
Theorem connectedP N m : connected_within N m <-> forall i j, j \in reached N m i.
Proof.
(* 1. If all have been heard, there is a path of hops, by the lemma above. *)
split=> [connected i j|all_reached i j _]; last exact: reached_hops.
(* 2. The other way: a token has heard of itself. *)
have [->|ij] := eqVneq i j; first exact: reached_self.
(* 3. And a path of hops in the order of the layers carries what it has heard. *)
have [s [s_sorted s_in pos]] := connected i j ij; exact: hops_reached pos.
Qed.

End Connected.
