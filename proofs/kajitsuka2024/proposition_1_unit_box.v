(** * Kajitsuka and Sato (2024), Proposition 1, for the unit box: all of space, point by point

    The printed proof takes f with f(X) = 0 for all X outside [0, 1]^{d x n} (51), continuous in the
    box and permutation equivariant. For every eps > 0 there is an N, and for every w > 0, however
    small, a network FF o SA o FF with ReLUs, softmax and one head of rank one, that
    1. differs by at most eps from f, in every entry, at all X of space no entry of which lies less
       than w from one of the walls t / N, t = 0, ..., N;
    2. is 0, as f, wherever an entry lies w or more outside [0, 1];
    3. is nowhere larger than f, whatever w is.
    For all d >= 1, n >= 1 and head sizes s >= 1; hidden units are counted as in proposition_1.v.

    Differs from the printed text: the distance d_p, for this f too, is in [proposition_1_d_p.v]. *)
From mathcomp.classical Require Import set_interval.
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import claim_1.
From UAT.kajitsuka2024 Require Import proposition_1.

Section Box.

Variables (R : realType) (d n : nat).
Implicit Types X : 'M[R]_(d.+1, n.+1).

(** All entries lie between [a] and b. *)
Definition box (a b : R) : set 'M[R]_(d.+1, n.+1) := [set X | forall i k, a <= X i k <= b].

(** Reading a vector as a matrix is continuous. *)
Lemma vec_mx_continuous : continuous (@vec_mx R d.+1 n.+1).
Proof.
move=> v; have v_filter : Filter (nbhs v) by apply: nbhs_filter.
apply/cvg_ballP => e e_gt0.
suff : nbhs v (ball v e) by apply: filterS => u v_u; apply/mx_ballP => i k; rewrite !mxE;
  move/mx_ballP: v_u; apply.
exact: (nbhsx_ballx v (PosNum e_gt0)).
Qed.

(** A box is compact, as a product of intervals. *)
Lemma box_compact a b : compact (box a b).
Proof.
pose A := [set v : 'rV[R]_(n + d * n.+1).+1 | forall i, [set x | a <= x <= b] (v ord0 i)].
have -> : box a b = (@vec_mx R d.+1 n.+1) @` A.
  rewrite predeqE => X; split=> [X_box|[v v_A <-] i k]; last first.
    by rewrite mxE; apply: v_A (mxvec_index i k).
  exists (mxvec X); last exact: mxvecK.
  suff in_ab : forall i : 'I_(d.+1 * n.+1), a <= mxvec X 0 i <= b by move=> i; apply: in_ab.
  by case/mxvec_indexP => i k; rewrite mxvecE; apply: X_box.
apply: continuous_compact; first by apply: continuous_subspaceT => v; apply: vec_mx_continuous.
apply: (@rV_compact _ _ (fun=> [set x | a <= x <= b])) => i.
by rewrite -set_itvcc; apply: segment_compact.
Qed.

End Box.

Section UnitBox.

Variables (R : realType) (d n s : nat) (f : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)).
Hypothesis f_equivariant : equivariant f.
Implicit Types X : 'M[R]_(d.+1, n.+1).
Hypothesis f_continuous : {within box 0 1, continuous f}.
Hypothesis f_outside : forall X, ~ box 0 1 X -> f X = 0.

(** Some entry is less than w from a wall t / N. *)
Definition near_wall (N : nat) (w : R) (X : 'M[R]_(d.+1, n.+1)) :=
  exists i k, exists2 t : nat, (t <= N)%N & `|X i k - t%:R / N%:R| < w.

(** Where an entry lies w or more outside, f is 0. *)
Lemma zero_outside w X : 0 < w -> (exists i k, X i k <= - w \/ 1 + w <= X i k) -> f X = 0.
Proof.
move=> w_gt0 [i [k out]]; apply: f_outside => /(_ i k); apply/negP; rewrite negb_and -!ltNge.
by case: out => out; apply/orP; [left; lra | right; lra].
Qed.

(** What is off the walls is off the strips beyond them. *)
Lemma off_walls N w X : ~ near_wall N w X -> ~ in_strip 0 (1 / N%:R) N w X.
Proof.
move=> off [i [k [t t_N /andP[t_le lt_t]]]]; apply: off; exists i, k, t => //.
by rewrite add0r div1r in t_le lt_t; rewrite ger0_norm ?subr_ge0 // ltr_subl_addl.
Qed.

(** What is off the walls, and not in the box, has an entry that lies w or more outside: t = 0 and t = N are
    walls. *)
Lemma far_beyond_walls N w X : (0 < N)%N -> ~ near_wall N w X -> ~ box 0 1 X ->
  exists i k, X i k <= - w \/ 1 + w <= X i k.
Proof.
move=> N_gt0 off out; apply: contrapT => not_far; apply: out => i k; apply: contrapT => /negP.
rewrite negb_and -!ltNge => /orP[lt0|gt1]; apply: off; exists i, k.
  exists 0%N => //; rewrite mul0r subr0 ltr0_norm // ltNge; apply/negP => le.
  by apply: not_far; exists i, k; left; lra.
exists N => //; rewrite divff ?pnatr_eq0 -?lt0n // gtr0_norm ?subr_gt0 // ltNge; apply/negP => le.
by apply: not_far; exists i, k; right; lra.
Qed.

(** Proposition 1 in the normal form (51), point by point. *)
Theorem proposition_1_unit_box (eps : R) : 0 < eps -> exists2 N, (0 < N)%N & forall w, 0 < w ->
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N & forall X,
  [/\ (* 1 *) ~ near_wall N w X -> forall i k, `|apply_network g X i k - f X i k| <= eps,
      (* 2 *) (exists i k, X i k <= - w \/ 1 + w <= X i k) -> apply_network g X = 0 /\ f X = 0 &
      (* 3 *) forall B, (forall Y i k, `|f Y i k| <= B) ->
        forall i k, `|apply_network g X i k| <= B].
Proof.
(* 1. The box is compact, and closed under permutations: so Proposition 1 has a grid for it, and [networks]
   for each width of strips, however small. What [gX] says of one is to be said of walls, not strips. *)
move=> eps_gt0; have f_eq : equivariant_on (box 0 1) f.
  by move=> p X X_box; split=> // i k; rewrite mul_perm; apply: X_box.
have [N N_gt0 networks] := @proposition_1 R d n s _ f f_eq (@box_compact R d n 0 1) f_continuous 0 1
  ltr01 (fun X X_box => X_box) eps eps_gt0.
exists N => // w w_gt0; have [g g_units gX] := networks w w_gt0; exists g => // X.
rewrite subr0 sub0r in gX; have [near far bounded] := gX X.
split=> [off i k|out|B f_B i k]; last 2 first.
- by rewrite far // (zero_outside w_gt0).
- apply: bounded => [|Y _]; last exact: f_B.
  exact: le_trans (normr_ge0 _) (f_B X i k).
(* 2. In the box, off the walls, it is off the strips beyond them, so the network is near f. *)
have [in_box|out_box] := pselect (box 0 1 X); first by apply: near => //; apply: off_walls.
(* 3. Outside, and off the walls 0 and 1, it is far outside, and both are 0. *)
have out := far_beyond_walls N_gt0 off out_box.
by rewrite far // (zero_outside w_gt0) // subrr normr0 ltW.
Qed.

End UnitBox.
