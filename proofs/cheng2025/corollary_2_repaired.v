(** * Cheng et al. (2025), Corollary 2, repaired: the part about patterns

    For any [n], any patterns N_1, ..., N_m and any k <= m such that N_(k+1), ..., N_m connect
    all tokens (Definition 4): if token [i] of [x] and token [i'] of [y] have the same view after
    [m] layers, then [y] is [x] moved by a permutation that keeps N_1, ..., N_k, and takes [i] to
    [i']. So where these permutations are those that keep all patterns, the group G, sequences
    of different orbits have different views at all places. The printed text says this of
    patterns that connect within [m] layers (k = 0), which is false.
    And equal views mean equal outputs, for all kernels, weights and feed-forward layers; so
    views say exactly what is lost if the layers cannot see it. Tokens of a sequence are distinct.
      *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers connected views.

(** ** Equal views, equal outputs *)

Section Output.

Variables (R : realFieldType) (k : kernel R) (n d : nat) (N : nat -> pattern n).
Variables (w : nat -> block_weights R d) (X Y : 'M[R]_(d, n)).
Hypotheses (X_inj : injective (fun i => col i X)) (Y_inj : injective (fun i => col i Y)).

(** A sum over those whom [i] hears is a sum over those whom [i'] hears. *)
Lemma sum_same_views (V : zmodType) m i i' (F G : 'I_n -> V) :
  same_view N m.+1 (fun i => col i X) (fun i => col i Y) i i' ->
  (forall j j', same_view N m (fun i => col i X) (fun i => col i Y) j j' -> F j = G j') ->
  \sum_(j in N m.+1 i) F j = \sum_(j in N m.+1 i') G j.
Proof.
move=> [_ there back] same.
pose h j := odflt j [pick j' | col j' Y == col j X].
have hE j j' : col j X = col j' Y -> h j = j'.
  rewrite /h => same_value; case: pickP => [l /eqP|/(_ j')]; rewrite same_value ?eqxx //.
  by move/Y_inj.
have [h' h'E] : exists h', forall j j', col j X = col j' Y -> h' j' = j.
  exists (fun j' => odflt j' [pick j | col j X == col j' Y]) => j j' same_value.
  by case: pickP => [l /eqP|/(_ j)]; rewrite -same_value ?eqxx // => /X_inj.
rewrite [RHS](reindex_onto h h') => [|j' /back[j _ /same_view_value eq_j]]; last first.
  by rewrite (h'E j) // (hE j j').
apply: eq_big => [j|j /there[j' _ view_j]]; last first.
  by rewrite (hE _ _ (same_view_value view_j)); apply: same.
apply/idP/andP => [/there[j' j'_heard /same_view_value eq_j]|[/back[l l_heard]]].
  by rewrite (hE _ _ eq_j) (h'E _ _ eq_j) j'_heard.
by move/same_view_value => eq_l; rewrite (h'E _ _ eq_l) => /eqP <-.
Qed.

Theorem same_view_same_output m i i' : same_view N m (fun i => col i X) (fun i => col i Y) i i' ->
  col i (sparse_network k N w m X) = col i' (sparse_network k N w m Y).
Proof.
elim: m i i' => [|m IH] i i' view_i; first exact: view_i.
have [/IH before _ _] := view_i.
rewrite !sparse_networkS !col_block before; congr (map_of _ (_ + _)).
apply: eq_bigr => h _; congr (_ *m _); rewrite /heard before; congr (_^-1 *: _).
  by apply: (sum_same_views view_i) => j j' /IH->.
by apply: (sum_same_views view_i) => j j' /IH->.
Qed.

End Output.

(** ** Equal views reveal a permutation that keeps the patterns *)

Section Reveal.

Variables (T : eqType) (n : nat) (N : nat -> pattern n) (x y : 'I_n -> T).
Hypotheses (x_inj : injective x) (y_inj : injective y).

(** Whoever is reached after layer [k] stands inside the view: its view after [k] layers is
    that of some token of [y]. *)
Lemma view_of_reached k q i i' j : same_view N (k + q) x y i i' ->
  j \in reached (fun r => N (k + r)%N) q i -> exists j', same_view N k x y j j'.
Proof.
elim: q i i' => [|q IH] i i'; first by rewrite addn0 inE => view_i /eqP->; exists i'.
rewrite addnS => -[before there _] /=; rewrite inE => /orP[/(IH _ _ before)//|].
by case/bigcupP=> l; rewrite addnS => /there[l' _ view_l] /(IH _ _ view_l).
Qed.

(** Equal views after k + q layers, the last q of which connect all tokens, mean that one sequence is the other in
    another order, one that keeps the first k patterns. *)
Theorem views_reveal k q i i' :
  connected_within (fun r => N (k + r)%N) q -> same_view N (k + q) x y i i' ->
  exists s : 'S_n, [/\ s i = i', forall j, y (s j) = x j &
    forall r, (0 < r <= k)%N -> automorphism (N r) s].
Proof.
move=> /connectedP all_reached view_i.
(* 1. For each token j of x some token of y has the same view after k layers. *)
have partner j : exists j', same_view N k x y j j' by apply: view_of_reached view_i _.
have found j : [exists j', y j' == x j].
  by have [j' /same_view_value->] := partner j; apply/existsP; exists j'.
(* 2. It has the same value; as tokens of y are distinct there is one such token, s(j). *)
pose f j := xchoose (existsP (found j)).
have fE j : y (f j) = x j by apply/eqP; apply: (xchooseP (existsP (found j))).
(* 3. As tokens of x are distinct, s is a permutation. *)
have f_inj : injective f by move=> j l fj_fl; apply: x_inj; rewrite -!fE fj_fl.
have fP j j' : x j = y j' -> f j = j' by rewrite -fE => /y_inj.
exists (perm f_inj); split=> [|j|r r_in j l]; rewrite ?permE //.
  by apply: fP; apply: same_view_value view_i.
(* 4. Views after k layers contain views after r <= k layers, and with them whom j hears. *)
have [j' view_j] := partner j; have fj : f j = j' by apply/fP/same_view_value/view_j.
case: r r_in => // r /= r_le; have [_ there back] := same_view_before r_le view_j.
rewrite fj; apply/idP/idP => [/there|/back] [l' l'_heard /same_view_value].
  by move/fP->.
by rewrite fE => /x_inj <-.
Qed.

End Reveal.

(** The group of the permutations that keep N_1, ..., N_m. *)
Definition in_group n (N : nat -> pattern n) m (s : 'S_n) : Prop :=
  forall r, (0 < r <= m)%N -> automorphism (N r) s.

(** Sequences of different orbits under G have different views, at all places. *)
Theorem corollary_2_repaired_patterns (T : eqType) n (N : nat -> pattern n) k m
    (x y : 'I_n -> T) :
  (k <= m)%N -> connected_within (fun r => N (k + r)%N) (m - k) ->
  (forall s, in_group N k s -> in_group N m s) ->
  injective x -> injective y ->
  (forall s : 'S_n, in_group N m s -> ~ (forall j, y (s j) = x j)) ->
  forall i i', ~ same_view N m x y i i'.
Proof.
(* 1. Suppose that two tokens have the same view after all m layers. *)
move=> k_le connected same_group x_inj y_inj other_orbit i i'; rewrite -(subnKC k_le) => view_i.
(* 2. As the later layers connect all tokens, this view tells the whole sequence, up to a
   permutation that the first k patterns allow. *)
have [s [_ moved kept]] := views_reveal x_inj y_inj connected view_i.
(* 3. Which all patterns allow then. But the two sequences are no such permutations of each other. *)
exact: other_orbit (same_group s kept) moved.
Qed.
