(** * Cheng et al. (2025), Corollary 2, as repaired, for softmax and ReLU

    For any d >= 2 and n, any patterns N_1, N_2, ... in which each token hears somebody, any
    k <= m such that N_(k+1), ..., N_m connect all tokens (Definition 4) and the permutations that
    keep N_1, ..., N_k are those that keep N_1, ..., N_m, the group G:
    - [patterns_distinguish]: near any weights of the m layers there are weights that tell apart
      finitely many sequences of distinct tokens, none 0, as Definition 3 asks;
    - [corollary_2_repaired]: feed-forward layers, the m layers of attention, with weights near
      any, and again feed-forward layers approximate each continuous G-equivariant f on any
      compact set, in the sense of [theorem_1].
    With k = 0 and full patterns G is all permutations, and one layer is enough: Corollary 1
    for softmax. Printed: k = 0 for all patterns, which is false; all kernels with (13); G keeps all
    patterns of an infinite sequence. *)
From UAT Require Import transformers analysis.
From UAT.cheng2025 Require Import mixers continuity connected views corollary_2_repaired theorem_2.
From UAT.cheng2025 Require Import distinguish pattern_mixers views_heard ramps theorem_1.

Section Patterns.

Variables (R : realType) (d n : nat) (N : nat -> pattern n) (k m : nat).
Hypothesis N_hears : forall r i, N r i != finset.set0.
Hypothesis k_le : (k <= m)%N.
Hypothesis connected : connected_within (fun r => N (k + r)%N) (m - k).
Hypothesis same_group : forall s, in_group N k s -> in_group N m s.
Implicit Types (theta : nat -> weights d -> R) (X Y : 'M[R]_(d, n)).

(** Two tokens of sequences that are no reorderings of each other by G have different views, and so have two tokens of
    one sequence. *)
Lemma views_differ X Y a b : general_position X -> general_position Y ->
  ~ same_orbit (in_group N m) X Y \/ X = Y /\ a != b ->
  ~ same_view N m (fun l => col l Y) (fun l => col l X) b a.
Proof.
move=> [X_inj _] [Y_inj _] [other|[<- ab]]; last first.
  by move/same_view_value => /X_inj ba; rewrite ba eqxx in ab.
apply: (corollary_2_repaired_patterns k_le connected same_group Y_inj X_inj) => s Gs moved.
apply: other; exists s => //; apply/matrixP => u l; rewrite mxE.
by have /matrixP/(_ u ord0) := moved l; rewrite !mxE.
Qed.

(** For such patterns there are weights, as near as one likes to any given ones, that tell apart finitely many
    sequences in general position. *)
Theorem patterns_distinguish (I : finType) (X : I -> 'M[R]_(d, n)) theta0 eps :
  (forall i, general_position (X i)) -> 0 < eps ->
  exists theta, (forall r p, (r < m)%N -> `|theta r p - theta0 r p| <= eps) /\
    tells_apart (in_group N m) (pattern_layers N m theta) X.
Proof.
move=> X_gen eps_gt0.
(* 1. What is to be told apart: tokens of sequences that are no reorderings of each other, and two tokens of one. *)
pose differ (a b : I * 'I_n) := ~ same_orbit (in_group N m) (X a.1) (X b.1) \/ a.1 = b.1 /\ a.2 != b.2.
(* 2. By Theorem 2 it is enough to find weights for two such tokens at a time; they have different views, which the
   layers hear. [apart]: these weights, near the given ones, are good for all. *)
have [|theta [near apart]] := tokens_at_once (g := fun r => pattern_mixer (N r.+1)) (m := m) (X := X)
    (differ := differ) (fun r => analytic_pattern_mixer (N_hears r.+1)) _ theta0 eps_gt0.
  move=> [i a] [j b] ab; have views : ~ same_view N m (fun l => col l (X j)) (fun l => col l (X i)) b a.
    by apply: views_differ => //; case: ab => [|[/= <-]]; [left | right].
  have [theta] := views_heard N_hears (X_gen j) (X_gen i) views.
  by rewrite eq_sym => apart; exists theta.
(* 3. Both conditions of Definition 3 are of such tokens. *)
exists theta; split=> //; split=> [i j other a b|i a b /eqP]; first by apply: (apart (i, a) (j, b)); left.
by apply: contraTeq => ab; apply: (apart (i, a) (i, b)); right.
Qed.

(** The m layers are continuous. *)
Lemma continuous_pattern_layers theta : continuous (pattern_layers N m theta).
Proof.
apply: continuous_network; elim: (iota 0 m) => //= r s IH; split=> //.
by apply: continuous_residual; apply: continuous_head.
Qed.

(** The m layers commute with each permutation that keeps their patterns, the group G. *)
Lemma equivariant_pattern_layers theta s : in_group N m s ->
  equivariant s (pattern_layers N m theta).
Proof.
move=> Gs; apply: equivariant_network.
have : all (fun r => r < m)%N (iota 0 m) by apply/allP => r; rewrite mem_iota.
elim: (iota 0 m) => //= r rs IH /andP[r_lt /IH more]; split=> // X.
by rewrite (equivariant_pattern_mixer _ (Gs r.+1 r_lt)) col_permD.
Qed.

End Patterns.

Section Corollary.

Variables (R : realType) (d' n : nat) (N : nat -> pattern n) (k m : nat).
Let d := d'.+2.

Theorem corollary_2_repaired (f : layer R d n) (K : set 'M[R]_(d, n)) D B theta0 eps :
  (forall r i, N r i != finset.set0) -> (k <= m)%N ->
  connected_within (fun r => N (k + r)%N) (m - k) ->
  (forall s, in_group N k s -> in_group N m s) ->
  continuous f -> (forall s, in_group N m s -> equivariant s f) -> compact K ->
  (forall X, K X -> forall u j, `|X u j| <= D) -> (forall X, K X -> forall u j, `|f X u j| <= B) ->
  0 < D -> 0 <= B -> 0 < eps ->
  exists2 N0, (0 < N0)%N & forall q, (N0 <= q)%N -> exists (theta : nat -> weights d -> R) ws,
  forall tau, 0 < tau -> exists ramps,
  [/\ forall r p, (r < m)%N -> `|theta r p - theta0 r p| <= eps,
  all (fun w : ff_weights R d => hidden w <= d)%N (ramps ++ ws) &
  let net := network ([seq feed_forward (@relu R) w (n := n) | w <- ramps]
    ++ pattern_layers N m theta :: [seq feed_forward (@relu R) w (n := n) | w <- ws]) in
  (forall X, K X -> ~ in_strip D q tau X -> ~ near_tokens (width D q) X ->
    forall u j, `|net X u j - f X u j| <= eps) /\
  (forall X u j, `|net X u j| <= B)].
Proof.
move=> N_hears k_le connected same_group f_cont f_eq K_compact K_D f_B D_gt0 B_ge0 eps_gt0.
(* 1. What Theorem 1 asks of mixing: the layers with weights near the given ones are continuous ([maps_cont]) and
   equivariant ([maps_eq]), and tell any finitely many sequences apart ([maps_apart]). *)
pose maps mu := exists2 theta, forall r p, (r < m)%N -> `|theta r p - theta0 r p| <= eps
  & mu = pattern_layers N m theta.
have maps_cont mu : maps mu -> continuous mu.
  by case=> theta _ ->; apply: continuous_pattern_layers.
have maps_eq mu s : maps mu -> in_group N m s -> equivariant s mu.
  by case=> theta _ ->; apply: equivariant_pattern_layers.
have maps_apart (I : finType) (X : I -> 'M[R]_(d, n)) : (forall i, general_position (X i)) ->
    exists2 mu, maps mu & tells_apart (in_group N m) mu X.
  move=> X_gen; have [theta [near apart]] :=
    patterns_distinguish N_hears k_le connected same_group theta0 X_gen eps_gt0.
  by exists (pattern_layers N m theta); first by exists theta.
(* 2. So they may stand in the middle of a network, as in Theorem 1. [net_ok]: for cells small enough there are such
   layers, and ramps for every width of strips. *)
have [N0 N0_gt0 N0_ok] := approximation maps_cont maps_eq maps_apart f_cont f_eq K_compact K_D f_B
  D_gt0 B_ge0 eps_gt0.
exists N0 => // q /N0_ok[mu [ws net_ok]].
have [_ [[theta near mu_theta] _ _]] := net_ok 1 ltr01.
exists theta, ws => tau /net_ok[ramps [_ hidden_ok net_near]].
by exists ramps; split=> //; rewrite -mu_theta.
Qed.

End Corollary.
