(** * Kajitsuka and Sato (2024), Proposition 1, in the distance d_p

    For every permutation equivariant f, all real p > 0 (the paper has p >= 1), eps > 0, d >= 1, n
    >= 1 and head sizes s >= 1 there is a network g = FF o SA o FF of ReLUs and one softmax head of
    rank one with d_p(f, g) <= eps: the p-th power of f - g lies below a step function with an
    integral of at most eps^p ([upper_integral.v], [distance_d_p.v]). Hidden units are counted as in
    [proposition_1.v], from which it follows. The distance is over any set D of sequences each of
    which lies in a compact K, closed under permutations, on which f is continuous, or outside a box
    around K, where f is 0. So it may be over K; and over all of R^{d x n} for f that is continuous
    in a box and 0 outside, also where it jumps at the walls (the printed normal form (51) has the
    box [0, 1]), and for every continuous f with compact support. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import claim_1 theorem_2_hardmax upper_integral distance_d_p.
From UAT.kajitsuka2024 Require Import proposition_1 proposition_1_unit_box.

Section Distance.

Variables (R : realType) (d n s : nat) (f : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)).
Implicit Types X : 'M[R]_(d.+1, n.+1).

(** ** Strips beyond the nodes of a grid, and one before it, are bands *)
Section Bands.

Variables (a b : R) (N : nat) (w w' : R).
Hypotheses (N_gt0 : (0 < N)%N) (w'_w : w' <= w).
Notation h := ((b - a) / N%:R).

(** Where bands end. *)
Definition ends (k : nat) : R := if (k <= N)%N then a + k%:R * h + w else a.
Notation off X := (~ in_bands N.+2 (fun _ _ => ends) w X).

(** What is off the bands is off the strips. *)
Lemma off_strips X : off X -> ~ in_strip a h N w' X.
Proof.
move=> off_X [i [j [k k_N /andP[ge lt]]]]; apply: off_X; exists i, j, k.
by rewrite /ends k_N addrK ge (lt_le_trans lt) ?ler_add2l ?ltnS ?leqW.
Qed.

(** What is off the bands, and not in the box, is w' or more outside of it. *)
Lemma far_outside X : off X -> ~ box a b X -> exists i j, X i j <= a - w' \/ b + w' <= X i j.
Proof.
move=> off_X out; apply: contrapT => near; apply: out => i j; apply/andP; split; rewrite leNgt.
  apply/negP => lt; apply: near; exists i, j; left; rewrite leNgt; apply/negP => gt.
  apply: off_X; exists i, j, N.+1; rewrite /ends ltnn lt andbT; split=> //.
  by apply/ltW/le_lt_trans/gt; rewrite ler_add2l ler_opp2.
apply/negP => gt; apply: near; exists i, j; right; rewrite leNgt; apply/negP => lt.
have node_N : a + N%:R * h = b by rewrite mulrC divfK ?pnatr_eq0 -?lt0n // addrC subrK.
apply: off_X; exists i, j, N; rewrite /ends leqnn node_N addrK (ltW gt); split=> //.
by apply: lt_le_trans lt _; rewrite ler_add2l.
Qed.

End Bands.

(** ** From strips to d_p *)

Variables (a b : R) (K D : set 'M[R]_(d.+1, n.+1)).
Hypotheses (a_lt_b : a < b) (K_box : forall X, K X -> box a b X).
Hypotheses (K_compact : compact K) (f_continuous : {within K, continuous f}).
Hypothesis f_equivariant : equivariant_on K f.

(** The distance is over what lies in K, and what lies outside the box, where f is 0. *)
Hypothesis D_K : forall X, D X -> K X \/ (~ box a b X /\ f X = 0).

(** The map is 0 at all X with an entry that is w or more outside [a, b]. *)
Definition zero_beyond (w : R) (g : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)) :=
  forall X, (exists i j, X i j <= a - w \/ b + w <= X i j) -> g X = 0.

(** Far away from the box both maps are 0, so that only a bounded set counts for the distance. *)
Lemma same_beyond w g X : w <= 1 -> zero_beyond w g ->
  D X -> out_of_box (`|a| + `|b| + 1) X -> g X = f X.
Proof.
move=> w_1 g_0 D_X [i [j out]].
have left_a : - (`|a| + `|b| + 1) <= a - 1.
  by rewrite opprD ler_add2r ler_oppl ler_paddr // -normrN ler_norm.
have right_b : b + 1 <= `|a| + `|b| + 1 by rewrite ler_add2r ler_paddl // ler_norm.
have {}out : X i j <= a - 1 \/ b + 1 <= X i j.
  case: out => out; [left | right]; last exact: le_trans right_b out.
  exact: le_trans (ltW out) left_a.
rewrite g_0; last by exists i, j; case: out => ?; [left | right]; lra.
have [/K_box/(_ i j)/andP[a_le le_b]|[_ -> //]] := D_K D_X.
by exfalso; (suff : X i j < X i j by rewrite ltxx); case: out => ?; lra.
Qed.

(** What Proposition 1 says of a map: it is within e of f in K off strips of the width w, 0 far outside
    the box, and nowhere larger than F. *)
Definition near_off_strips (N : nat) (w e F : R) (g : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)) :=
  [/\ forall X, K X -> ~ in_strip a ((b - a) / N%:R) N w X -> within e (g X) (f X),
      zero_beyond w g & forall X i j, `|g X i j| <= F].

(** A bound for f in K is one in D. *)
Lemma bounded_in_D F : 0 <= F -> (forall Y, K Y -> forall i j, `|f Y i j| <= F) ->
  forall X, D X -> forall i j, `|f X i j| <= F.
Proof. by move=> F_ge0 K_F X /D_K[/K_F//|[_ ->]] i j; rewrite mxE normr0. Qed.

(** There is a bound for f in K, as K is compact. *)
Lemma some_bound : exists2 F, 0 < F & forall Y, K Y -> forall i j, `|f Y i j| <= F.
Proof.
have [F F_gt0 image_F] := compact_in_box (continuous_compact f_continuous K_compact).
by exists F => // Y K_Y; apply: image_F; exists Y.
Qed.

(** In D off the bands such a map is within e of f: in K they cover the strips, and outside the box both
    are 0. *)
Lemma near_off_bands N w w' e F g X : (0 < N)%N -> w' <= w -> 0 <= e -> near_off_strips N w' e F g ->
  D X -> ~ in_bands N.+2 (fun _ _ => ends a b N w) w X -> within e (g X) (f X).
Proof.
move=> N_gt0 w'_w e_ge0 [good g_0 _] D_X off.
have [K_X|[out_X f_0]] := D_K D_X; first exact: good K_X (off_strips w'_w off).
by rewrite f_0 (g_0 X (far_outside N_gt0 w'_w off out_X)) => i j; rewrite subrr normr0.
Qed.

(** On the bands it is at most 2 F away from f, however thin these are. *)
Lemma bounded_on_bands N w e F g : 0 <= F -> (forall Y, K Y -> forall i j, `|f Y i j| <= F) ->
  near_off_strips N w e F g -> forall X, D X -> within (F + F) (g X) (f X).
Proof.
move=> F_ge0 K_F [_ _ g_F] X D_X i j; apply: le_trans (ler_norm_sub _ _) _.
by apply: ler_add; [apply: g_F | apply: bounded_in_D].
Qed.

(** Proposition 1 in these words: the grid comes first, then the width of the strips, then the network. *)
Lemma networks (e F : R) : 0 < e -> 0 <= F -> (forall Y, K Y -> forall i j, `|f Y i j| <= F) ->
  exists2 N, (0 < N)%N & forall w, 0 < w -> exists2 g : three_block_network R d.+1 s.+1,
    few_units n.+1 g N & near_off_strips N w e F (apply_network g).
Proof.
move=> e_gt0 F_ge0 K_F.
(* 1. Proposition 1 off strips has the grid, cells so small that f moves by e at most in each. [nets]: for
   every width of strips a network. *)
have [N N_gt0 nets] := proposition_1 s f_equivariant K_compact f_continuous a_lt_b K_box e_gt0.
(* 2. For the width that is asked for take this network. Its three promises are the three to be shown: near
   f in K off strips, 0 far outside the box, and nowhere larger than f. *)
exists N => // w w_gt0; have [g g_units gE] := nets w w_gt0; exists g => //; split=> [X|X|X].
- by have [near _ _] := gE X.
- by have [_ far _] := gE X.
by have [_ _] := gE X; apply.
Qed.

(** Proposition 1 in the distance d_p, over a set D of sequences. *)
Theorem proposition_1_d_p (p eps : R) : 0 < p -> 0 < eps -> exists2 N, (0 < N)%N &
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N &
    d_p_at_most p D f (apply_network g) eps.
Proof.
(* 1. A bound [F] for f in K. With it we know how much can go wrong on strips. [c_gt0]: in a box
   of this half width we shall integrate, as both maps will be 0 outside. *)
move=> p_gt0 eps_gt0; have c_gt0 : 0 < `|a| + `|b| + 1 by rewrite ltr_paddl ?addr_ge0.
have [F F_gt0 K_F] := some_bound.
(* 2. A tolerance [e], so small that errors of this size use up only a part of eps. [e_le1]: an error
   of e is within 1, the bound for strips of near tokens that we hand in. And a promise, [width_for]: for every
   bound and every number of bands there is a width of bands so thin that errors within the bound, on the bands
   alone, do not use up the rest. *)
have [e [tau [e_gt0 e_le1 _ width_for]]] := small_distance p_gt0 D f 1 eps_gt0 c_gt0.
(* 3. [net_for]: on one grid, of [N] cells a side, every width of strips has a network that is within
   [e] off them. So we know the number of bands before we choose their width: one that is
   [thin_enough] for this number and for the bound 2 F, which both maps together keep. *)
have [N N_gt0 net_for] := networks e_gt0 (ltW F_gt0) K_F.
have [w w_gt0 /(_ (fun _ _ => ends a b N w)) thin_enough] := width_for (F + F) N.+2.
(* 4. The network for this width, or for 1 if that is smaller: it is near f off the strips ([g_near]). [w'_w]: its
   strips lie in the bands. [w'_1]: where an entry is 1 or more outside the box it is 0. *)
pose w' := Num.min w 1; have [w'_w w'_1] : w' <= w /\ w' <= 1 by rewrite !le_minl !lexx orbT.
have [|g g_units g_near] := net_for w'; first by rewrite lt_minr w_gt0 ltr01.
(* 5. It is what [thin_enough] asks for: f itself far away, near f off the bands, bounded on them. *)
exists N => //; exists g => //; have near := near_off_bands N_gt0 w'_w (ltW e_gt0) g_near.
apply: thin_enough => [X|X D_X _|X D_X off i j|]; last exact: bounded_on_bands (ltW F_gt0) K_F g_near.
- by have [_ g_0 _] := g_near; apply: same_beyond w'_1 g_0.
- exact: near.
exact: le_trans (near X D_X off i j) e_le1.
Qed.

End Distance.

Section AllSpace.

Variables (R : realType) (d n s : nat) (f : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)).
Hypothesis f_equivariant : equivariant f.

(** For f that is continuous in a box and 0 outside: over all of space. *)
Theorem proposition_1_d_p_box (a b p eps : R) : a < b -> {within box a b, continuous f} ->
  (forall X, ~ box a b X -> f X = 0) -> 0 < p -> 0 < eps -> exists2 N, (0 < N)%N &
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N &
    d_p_at_most p setT f (apply_network g) eps.
Proof.
(* 1. The box is compact, and closed under permutations, as K is asked to be: [f_box]. *)
move=> a_lt_b f_cont f_out.
have f_box : equivariant_on (box a b) f.
  by move=> q X X_box; split=> // i k; rewrite mul_perm; apply: X_box.
(* 2. Any sequence lies in it, or f is 0 there: so the theorem above holds over the whole space. *)
apply: (proposition_1_d_p s a_lt_b _ (@box_compact R d n a b)) => // X _.
by have [in_box|out] := pselect (box a b X); [left | right; split=> //; apply: f_out].
Qed.

(** For f that is continuous, with compact support: over all of space. *)
Theorem proposition_1_d_p_support (K : set 'M[R]_(d.+1, n.+1)) (p eps : R) : compact K ->
  continuous f -> (forall X, ~ K X -> f X = 0) -> 0 < p -> 0 < eps -> exists2 N, (0 < N)%N &
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N &
    d_p_at_most p setT f (apply_network g) eps.
Proof.
(* 1. The support lies in a box ([K_B]), and outside f is 0: so the theorem above applies to this box. *)
move=> /compact_in_box[B B_gt0 K_B] f_cont f_out.
apply: (@proposition_1_d_p_box (- B) B); first by rewrite gtr_opp.
  exact: continuous_subspaceT.
by move=> X out; apply: f_out => /K_B X_B; apply: out => i k; rewrite -ler_norml.
Qed.

End AllSpace.
