(** * Cheng et al. (2025), Corollary 2, as printed: false

    Printed: if the patterns are connected within [m] layers, then [m] layers of attention and
    enough feed-forward layers approximate every continuous G-equivariant map, where G is the
    group of the permutations that keep all patterns.
    Two patterns refute it, for all kernels, all weights, any number of heads, any feed-forward
    layers (indeed any maps of tokens) and all inputs:
    - three tokens, one layer: the first hears all, the others hear all but themselves;
    - five tokens that all hear themselves, two layers: the book's table with a host.
    Missed is X |-> (x_1, ..., x_1), which is linear and commutes with G: what token [i] of [X]
    becomes is what token [s i] of [Y] becomes, where [Y] is [X] moved by a swap outside G, so
    the errors at X and at Y add up to the whole difference of the targets.
    Not proved here: that an L_p norm over a set with volume is then bounded below. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers connected views.

(** ** Three tokens, one layer *)

Section Three.

(** The first token hears all, the others all but themselves. *)
Definition three : pattern 3 := fun i => [set j | (i == ord0) || (j != i)].
(** The first and the last token change places. *)
Definition ends : 'S_3 := tperm ord0 ord_max.
(** The second token. *)
Definition middle : 'I_3 := lift ord0 ord0.

(** With this pattern one layer connects the three tokens. *)
Lemma three_connected : connected_within (fun=> three) 1.
Proof.
apply/connectedP => i j; rewrite inE; have [->|ij] := eqVneq j i; first by rewrite set11.
by apply/orP; right; apply/bigcupP; exists j; rewrite !inE // ij orbT.
Qed.

(** To swap the first and the last of the three tokens does not keep the pattern. *)
Lemma ends_no_automorphism : ~ automorphism three ends.
Proof. by move/(_ ord0 ord0); rewrite !inE tpermL. Qed.

Variables (R : realFieldType) (k : kernel R) (d : nat) (w : nat -> block_weights R d).
Variable X : 'M[R]_(d, 3).
Let Y := col_perm ends X.

(** The second token of (a, b, c) comes out as that of (c, b, a). *)
Theorem three_fooled :
  col middle (sparse_network k (fun=> three) w 1 Y)
  = col middle (sparse_network k (fun=> three) w 1 X).
Proof.
have fix_middle : ends middle = middle by rewrite permE.
rewrite -[in LHS]fix_middle.
apply: (@fooled_by_permutation _ _ _ _ _ _ _ _ (fun r => if r is 0 then setT else [set middle])).
- by move=> j; apply/matrixP => u o; rewrite !mxE tpermK.
- by move=> [|r] i // _ _; split; rewrite ?inE ?subsetT.
- move=> [|r] i j // _; rewrite inE => /eqP->; rewrite fix_middle !inE /=.
  by rewrite -{2}fix_middle (inj_eq perm_inj).
exact: set11.
Qed.

End Three.

(** Connected, and yet the map that gives all tokens the first one is missed. *)
Theorem corollary_2_as_printed_is_false (R : realFieldType) (k : kernel R) d :
  let f := fun X : 'M[R]_(d, 3) => \matrix_(u, i) X u ord0 in
  let error w X u := `|f X u middle - sparse_network k (fun=> three) w 1 X u middle| in
  [/\ connected_within (fun=> three) 1,
      (forall s, automorphism three s -> equivariant s f),
      ~ automorphism three ends &
      forall w (X : 'M[R]_(d, 3)) u,
        `|X u ord0 - X u ord_max| <= error w X u + error w (col_perm ends X) u].
Proof.
move=> f error; split; [exact: three_connected | | exact: ends_no_automorphism |].
  (* 1. Whatever keeps the pattern keeps the first token: it alone hears itself. *)
  move=> s s_auto X; have s0 : s ord0 = ord0.
    have := s_auto ord0 ord0; rewrite !inE eqxx /=; case: eqP => // _.
    by rewrite eqxx.
  by apply/matrixP => u i; rewrite !mxE s0.
(* 2. The network gives the second token of X and of Y the same. *)
move=> w X u; rewrite /error.
have -> : sparse_network k (fun=> three) w 1 (col_perm ends X) u middle
    = sparse_network k (fun=> three) w 1 X u middle.
  by move/matrixP/(_ u ord0): (three_fooled k w X); rewrite [LHS]mxE [RHS]mxE.
move: (sparse_network _ _ _ _ _ _ _) => g.
(* 3. But the targets are the first and the third token of X. *)
by rewrite !mxE tpermL [`|_ ord_max - g|]distrC ler_dist_add.
Qed.

(** ** A host and four guests, two layers: all hear themselves *)

Section Host.

(** Tokens 1 and 2 are friends. *)
Definition friends (i : 'I_5) : bool := (0 < i <= 2)%N.
(** All hear themselves and the host, token 0, who hears all; the two friends hear each other. *)
Definition host : pattern 5 :=
  fun i => [set j | [|| i == ord0, j == ord0, j == i | friends i && friends j]].
(** Tokens 2 and 4 change places. *)
Definition seats : 'S_5 := tperm (inord 2) (inord 4).
(** Token 3. *)
Definition guest : 'I_5 := inord 3.

(** Two layers connect the host and the guests. *)
Lemma host_connected : connected_within (fun=> host) 2.
Proof.
(* In the first layer the host hears all, in the second all hear the host. *)
apply/connectedP => i j; apply: (@reached_hop _ _ _ _ ord0); first by rewrite !inE eqxx !orbT.
by apply: (@reached_hop _ _ _ _ j); rewrite ?inE ?eqxx.
Qed.

Lemma seats_no_automorphism : ~ automorphism host seats.
Proof.
move/(_ (inord 1) (inord 2)); rewrite tpermL tpermD ?inE.
- by rewrite /friends -!val_eqE /= !inordK.
- by rewrite -val_eqE /= !inordK.
- by rewrite -val_eqE /= !inordK.
Qed.

Theorem host_fooled (R : realFieldType) (k : kernel R) d (w : nat -> block_weights R d) X :
  col guest (sparse_network k (fun=> host) w 2 (col_perm seats X))
  = col guest (sparse_network k (fun=> host) w 2 X).
Proof.
have fix_guest : seats guest = guest by rewrite tpermD // -val_eqE /= !inordK.
have fix_host : seats ord0 = ord0 by rewrite tpermD // -val_eqE /= !inordK.
rewrite -[in LHS]fix_guest.
pose S r := if r is r'.+1 then if r' is _.+1 then [set guest] else [set ord0; guest] else [set:
  'I_5].
have guest_hears j : (j \in host guest) = (j \in [set ord0; guest]).
  by rewrite !inE /friends /guest -!val_eqE /= !inordK //= orbF.
apply: (@fooled_by_permutation _ _ _ _ _ _ _ _ S).
- by move=> j; apply/matrixP => u o; rewrite !mxE tpermK.
- case=> [|[|r]] i //= _.
  rewrite inE => /eqP->; split; first by rewrite !inE eqxx orbT.
  by apply/subsetP => j; rewrite guest_hears.
- have kept j : (j \in host guest) = (seats j \in host (seats guest)).
    rewrite fix_guest !guest_hears !inE -{2}fix_host -{2}fix_guest.
    by rewrite !(inj_eq perm_inj).
  case=> [|[|r]] i j //= _; last by move=> /set1P->; apply: kept.
  by case/set2P => ->; [rewrite fix_host !inE !eqxx | apply: kept].
exact: set11.
Qed.

End Host.

(** False also where all tokens hear themselves: connected within two layers, a swap that does not keep the pattern,
    and a token that does not notice it, for all kernels, weights and inputs. *)
Theorem corollary_2_as_printed_is_false_for_a_host (R : realFieldType) (k : kernel R) d :
  [/\ connected_within (fun=> host) 2, ~ automorphism host seats &
      forall (w : nat -> block_weights R d) X,
        col guest (sparse_network k (fun=> host) w 2 (col_perm seats X))
        = col guest (sparse_network k (fun=> host) w 2 X)].
Proof.
split; [exact: host_connected | exact: seats_no_automorphism | move=> w X; exact: host_fooled].
Qed.
