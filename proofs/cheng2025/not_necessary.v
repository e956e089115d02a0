(** * Cheng et al. (2025), after Definition 3: sufficient, and not necessary

    The sequences (-k, 0, k), k = 1, 2, with second entries 1/2. Averages (attention with a constant
    kernel) give token 2 the same in both, at any depth and for all weights; so they do not
    distinguish tokens in the sense of Definition 3. But behind the feed-forward layer
    x + relu(x_1) e_1 one average with weights 1 tells the two apart, by 1/3. So where all mixing
    layers agree at a token a transformer need not. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers kernels_fooled.

Section NotNecessary.

Variable R : realFieldType.

(** The constant kernel, whose attention is an average. *)
Definition average : kernel R := fun _ _ _ => 1.
(** The sequence (-k, 0, k), with second entries 1/2. *)
Definition spread (k : R) : 'M[R]_(2, 3) :=
  \matrix_(u, j) if u == ord0 then k * ((j : nat)%:R - 1) else 2%:R^-1.
(** The entries are -k, 0, k in the first row and 1/2 in the second. *)
Lemma spreadE k u (j : 'I_3) :
  spread k u j = if u == ord0 then k * ((j : nat)%:R - 1) else 2%:R^-1.
Proof. by rewrite mxE. Qed.

(** The second of three tokens. *)
Definition token_2 : 'I_3 := lift ord0 ord0.

(** The feed-forward layer x + relu(x_1) e_1: it moves first entries that are positive. *)
Definition bend : ff_weights R 2 :=
  FeedForwardWeights (delta_mx ord0 ord0 : 'rV_2) (0 : 'cV_1) (delta_mx ord0 ord0 : 'cV_2) 0.

(** One average with weights 1. *)
Definition ones : head_weights R 2 := @HeadWeights R 2 2 2 1%:M 1%:M 1%:M 1%:M.
(** A layer of one head with weights 1: it adds to each of three tokens the average of all. *)
Definition one_average := kernel_attention average (@full 3) [:: ones].

(** One average with weights 1 adds a third of the sum of all tokens to token 2. *)
Lemma average_token_2 X u :
  one_average X u token_2 = X u token_2 + 3%:R^-1 * \sum_j X u j.
Proof.
have := col_kernel_attention average (@full 3) [:: ones] X token_2.
move/colP/(_ u); rewrite big_seq1 (@heard_constant _ _ _ _ 1) // mul1mx scale1r mul1mx mulr1.
rewrite !mxE summxE => ->; congr (_ + _ * _).
by rewrite summxE; apply: eq_bigr => j _; rewrite mxE.
Qed.

(** The feed-forward layer adds relu(x) to each entry x of the first row, and nothing to the second. *)
Lemma bentE k u j : feed_forward (@relu R) bend (spread k) u j =
  spread k u j + (u == ord0)%:R * relu (k * ((j : nat)%:R - 1)).
Proof.
rewrite /feed_forward !mxE big_ord_recl big_ord0 !mxE !addr0 andbT; congr (_ + _ * relu _).
by rewrite !big_ord_recl big_ord0 !mxE /= mul1r mul0r !addr0.
Qed.

(** The two sequences have token 2 in common, and the sum of all tokens: no average tells them apart there. *)
Lemma averages_alike hs : col token_2 (attention_only average hs (spread 1))
  = col token_2 (attention_only average hs (spread 2%:R)).
Proof.
apply: (@constant_kernel_fooled _ _ _ _ 1) => //; apply/colP => u.
  by rewrite [LHS]mxE [RHS]mxE !spreadE; case: ifP; rewrite // subrr !mulr0.
rewrite !summxE !big_ord_recl !big_ord0.
do 6!rewrite [col _ _ _ _]mxE; rewrite !spreadE; case: ifP => // _.
rewrite /= /bump /= !addr0 -!mulrDr sub0r subrr add0r.
by rewrite (_ : (1 + 1)%N%:R - 1 = 1) ?addNr ?mulr0 // natrD addrK.
Qed.

(** The layer adds k to the last token only, so that first entries sum to k. *)
Lemma bent_sum k : 0 < k -> \sum_j feed_forward (@relu R) bend (spread k) ord0 j = k.
Proof.
move=> k_gt0; have entry j : feed_forward (@relu R) bend (spread k) ord0 j =
    k * ((j : nat)%:R - 1) + relu (k * ((j : nat)%:R - 1)) by rewrite bentE spreadE eqxx mul1r.
rewrite (eq_bigr _ (fun j _ => entry j)) !big_ord_recl big_ord0 /= /bump /= addr0.
rewrite sub0r subrr mulr0 mulrN1 (_ : (1 + 1)%N%:R - 1 = 1) ?mulr1; last by rewrite natrD addrK.
rewrite /relu maxxx !add0r (max_idPl _) ?oppr_le0 ?(ltW k_gt0) //.
by rewrite (max_idPr _) ?(ltW k_gt0) // addr0 addrA addNr add0r.
Qed.

(** Behind the layer the average makes k/3 of the first entry of token 2. *)
Lemma bent_average k : 0 < k ->
  one_average (feed_forward (@relu R) bend (spread k)) ord0 token_2 = 3%:R^-1 * k.
Proof.
move=> k_gt0; rewrite [LHS]average_token_2 bent_sum // bentE spreadE eqxx /= subrr mulr0.
by rewrite /relu maxxx mulr0 addr0 add0r.
Qed.

Theorem not_necessary :
  (* averages alone *)
  (forall hs, col token_2 (attention_only average hs (spread 1))
            = col token_2 (attention_only average hs (spread 2%:R))) /\
  (* behind a feed-forward layer *)
  one_average (feed_forward (@relu R) bend (spread 2%:R)) ord0 token_2
    - one_average (feed_forward (@relu R) bend (spread 1)) ord0 token_2 = 3%:R^-1.
Proof.
(* 1. The two have token 2 in common, and the sum of all tokens: averages do not tell them apart. *)
split=> [hs|]; first exact: averages_alike.
(* 2. Behind the layer they differ: it adds k to the last token only, so that the tokens sum to k and token 2 is as
   before; the average then adds a third of k to it. *)
have two_gt0 : 0 < 2%:R :> R by rewrite ltr0n.
apply: etrans (congr2 (fun a b : R => a - b) (bent_average two_gt0) (bent_average (@ltr01 R))) _.
by rewrite -mulrBr (_ : 2%:R - 1 = 1) ?mulr1 // mulrSr addrK.
Qed.

End NotNecessary.
