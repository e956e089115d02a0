(** * Cheng et al. (2025), Corollary 1, for softmax and ReLU: one layer of attention is enough

    For any d >= 2 and n, any f that is continuous and commutes with all permutations of tokens,
    any compact K and any eps > 0: feed-forward layers, one layer of softmax attention with one
    head, whose d x d weights W_V, W_K, W_Q are within eps of any given ones, and again
    feed-forward layers approximate f on K, in the sense of [theorem_1]. Printed: all kernels with
    (13), L_p, and any nonlinear, affine-invariant family of feed-forward layers. This is
    [corollary_2_repaired] with k = 0, m = 1 and the pattern in which all hear all. *)
From UAT Require Import transformers analysis.
From UAT.cheng2025 Require Import mixers connected corollary_2_repaired distinguish pattern_mixers.
From UAT.cheng2025 Require Import views_heard ramps theorem_1 corollary_2.

Section Corollary.

Variables (R : realType) (d' n : nat).
Let d := d'.+2.

(** The pattern in which all hear all connects all tokens in one layer. *)
Lemma full_connected : connected_within (fun=> @full n) 1.
Proof.
apply/connectedP => i j; apply: (@reached_hop _ _ _ _ j); first by rewrite inE.
exact: reached_self.
Qed.

(** One layer with this pattern is one of softmax attention, whose matrices are those of its weights. *)
Lemma full_layerE (theta : nat -> weights d -> R) : pattern_layers (fun=> @full n) 1 theta =
  attention (@softmax R) [:: HeadWeights 1%:M (matrix_of (theta 0%N) ord0)
    (matrix_of (theta 0%N) (lift ord0 ord0)) (matrix_of (theta 0%N) ord_max)].
Proof. by apply/funext => X; rewrite /attention big_seq1 /= mul1mx -exp_kernel_head. Qed.

Theorem corollary_1 (f : layer R d n) (K : set 'M[R]_(d, n)) D B (V0 K0 Q0 : 'M[R]_d) eps :
  continuous f -> (forall s, equivariant s f) -> compact K ->
  (forall X, K X -> forall u j, `|X u j| <= D) -> (forall X, K X -> forall u j, `|f X u j| <= B) ->
  0 < D -> 0 <= B -> 0 < eps ->
  exists2 N0, (0 < N0)%N & forall N, (N0 <= N)%N -> exists (W_V W_K W_Q : 'M[R]_d) ws,
  forall tau, 0 < tau -> exists ramps,
  [/\ forall u v, [/\ `|W_V u v - V0 u v| <= eps, `|W_K u v - K0 u v| <= eps &
    `|W_Q u v - Q0 u v| <= eps],
  all (fun w : ff_weights R d => hidden w <= d)%N (ramps ++ ws) &
  let net := network ([seq feed_forward (@relu R) w (n := n) | w <- ramps]
    ++ attention (@softmax R) [:: HeadWeights 1%:M W_V W_K W_Q]
    :: [seq feed_forward (@relu R) w (n := n) | w <- ws]) in
  (forall X, K X -> ~ in_strip D N tau X -> ~ near_tokens (width D N) X ->
    forall u j, `|net X u j - f X u j| <= eps) /\
  (forall X u j, `|net X u j| <= B)].
Proof.
move=> f_cont f_eq K_compact K_D f_B D_gt0 B_ge0 eps_gt0.
(* 1. The pattern in which all hear all, to use Corollary 2: it connects in one layer, and all permutations keep it
   ([kept]). [net_ok]: for cells small enough there are weights as Corollary 2 has them. *)
pose N (r : nat) := @full n.
have N_hears r i : N r i != finset.set0 by apply/finset.set0Pn; exists i; rewrite inE.
have kept s m : in_group N m s by move=> r _ i j; rewrite !inE.
pose theta0 (r : nat) (p : weights d) : R :=
  (if p.1 == ord0 then V0 else if p.1 == ord_max then Q0 else K0) p.2.1 p.2.2.
have [N0 N0_gt0 N0_ok] := corollary_2_repaired (N := N) (k := 0) (m := 1) theta0 N_hears isT
  full_connected (fun s _ => kept s 1%N) f_cont (fun s _ => f_eq s) K_compact K_D f_B
  D_gt0 B_ge0 eps_gt0.
exists N0 => // q /N0_ok[theta [ws net_ok]].
(* 2. Its layer is one of softmax attention, which is what was asked. *)
pose w := theta 0%N; exists (matrix_of w ord0), (matrix_of w (lift ord0 ord0)).
exists (matrix_of w ord_max), ws.
move=> tau /net_ok[ramps [near hidden_ok net_near]]; exists ramps; split=> //.
  by move=> u v; split; rewrite mxE; have := near 0%N (_, (u, v)) isT; apply.
by rewrite -full_layerE.
Qed.

End Corollary.
