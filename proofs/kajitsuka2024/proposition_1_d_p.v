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

Lemma off_strips X : off X -> ~ in_strip a h N w' X.
Proof.
move=> off_X [i [j [k k_N /andP[ge lt]]]]; apply: off_X; exists i, j, k.
by rewrite /ends k_N addrK ge (lt_le_trans lt) ?ler_add2l ?ltnS ?leqW.
Qed.

(** Off the bands, what is outside is far outside. *)
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

(** What the network is far outside the box. *)
Definition zero_beyond (w : R) (g : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)) :=
  forall X, (exists i j, X i j <= a - w \/ b + w <= X i j) -> g X = 0.

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

Lemma near_off_bands N w w' e g X : (0 < N)%N -> w' <= w -> 0 <= e -> zero_beyond w' g ->
  (K X -> ~ in_strip a ((b - a) / N%:R) N w' X -> within e (g X) (f X)) ->
  D X -> ~ in_bands N.+2 (fun _ _ => ends a b N w) w X -> within e (g X) (f X).
Proof.
move=> N_gt0 w'_w e_ge0 g_0 good D_X off.
have [K_X|[out_X f_0]] := D_K D_X; first exact: good K_X (off_strips w'_w off).
by rewrite f_0 (g_0 X (far_outside N_gt0 w'_w off out_X)) => i j; rewrite subrr normr0.
Qed.

Theorem proposition_1_d_p (p eps : R) : 0 < p -> 0 < eps -> exists2 N, (0 < N)%N &
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N &
    d_p_at_most p D f (apply_network g) eps.
Proof.
move=> p_gt0 eps_gt0; have c_gt0 : 0 < `|a| + `|b| + 1 by rewrite ltr_paddl ?addr_ge0.
(* 1. On K f is bounded, and so on D. *)
have [F F_gt0 image_F] := compact_in_box (continuous_compact f_continuous K_compact).
have K_F Y : K Y -> forall i j, `|f Y i j| <= F by move=> K_Y; apply: image_F; exists Y.
have D_F X i j : D X -> `|f X i j| <= F.
  by move=> /D_K[/K_F//|[_ ->]]; rewrite mxE normr0 ltW.
(* 2. A tolerance for eps, and a grid for the tolerance. *)
have [e [tau [e_gt0 e_le1 _ rest]]] := small_distance p_gt0 D f 1 eps_gt0 c_gt0.
have [N N_gt0 nets] := proposition_1 s f_equivariant K_compact f_continuous a_lt_b K_box e_gt0.
(* 3. A width of strips for this grid and the bound of f, and the network for it. *)
have [w w_gt0 /(_ (fun _ _ => ends a b N w)) small] := rest (F + F) N.+2.
pose w' := Num.min w 1; have [w'_w w'_1] : w' <= w /\ w' <= 1 by rewrite !le_minl !lexx orbT.
have w'_gt0 : 0 < w' by rewrite lt_minr w_gt0 ltr01.
have [g g_units gE] := nets w' w'_gt0; exists N => //; exists g => //.
(* 4. Off the strips it is near f: in K by the theorem there, and far outside both are 0. *)
have g_0 : zero_beyond w' (apply_network g) by move=> X out; have [_ -> ] := gE X.
have near X : D X -> ~ in_bands N.+2 (fun _ _ => ends a b N w) w X ->
    within e (apply_network g X) (f X).
  by have [good _ _] := gE X; apply: near_off_bands w'_w (ltW e_gt0) g_0 good.
apply: small => [X|X D_X _|X D_X off i j|X D_X i j]; last 1 first.
(* 5. On the strips both are bounded, however thin these are, so their share of d_p is small. *)
- have [_ _ /(_ F (ltW F_gt0) K_F) bounded] := gE X.
  by apply: le_trans (ler_norm_sub _ _) _; apply: ler_add => //; apply: D_F.
- exact: same_beyond w'_1 g_0.
- exact: near.
exact: le_trans (near X D_X off i j) e_le1.
Qed.

End Distance.

Section AllSpace.

Variables (R : realType) (d n s : nat) (f : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)).
Hypothesis f_equivariant : equivariant f.

Theorem proposition_1_d_p_box (a b p eps : R) : a < b -> {within box a b, continuous f} ->
  (forall X, ~ box a b X -> f X = 0) -> 0 < p -> 0 < eps -> exists2 N, (0 < N)%N &
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N &
    d_p_at_most p setT f (apply_network g) eps.
Proof.
move=> a_lt_b f_cont f_out.
(* 1. The box is compact, and closed under permutations. *)
have f_box : equivariant_on (box a b) f.
  by move=> q X X_box; split=> // i k; rewrite mul_perm; apply: X_box.
(* 2. Any sequence lies in it, or f is 0 there: take the whole space for the set above. *)
apply: (proposition_1_d_p s a_lt_b _ (@box_compact R d n a b)) => // X _.
by have [in_box|out] := pselect (box a b X); [left | right; split=> //; apply: f_out].
Qed.

Theorem proposition_1_d_p_support (K : set 'M[R]_(d.+1, n.+1)) (p eps : R) : compact K ->
  continuous f -> (forall X, ~ K X -> f X = 0) -> 0 < p -> 0 < eps -> exists2 N, (0 < N)%N &
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N &
    d_p_at_most p setT f (apply_network g) eps.
Proof.
move=> /compact_in_box[B B_gt0 K_B] f_cont f_out.
(* 1. The support lies in a box, and f is 0 outside. *)
apply: (@proposition_1_d_p_box (- B) B); first by rewrite gtr_opp.
  exact: continuous_subspaceT.
by move=> X out; apply: f_out => /K_B X_B; apply: out => i k; rewrite -ler_norml.
Qed.

End AllSpace.
