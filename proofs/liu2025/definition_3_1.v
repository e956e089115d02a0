(** * Liu et al. (2025), Definitions 3.1 and 3.2: max-affine functions, and the indicator

    For all d and N >= 1: the max-affine function is at least each of its components and equal to
    one of them, and it is convex. The indicator, with ties to the smallest index (as printed it
    has a 1 for each of several largest components), has exactly one 1, for the first of the
    largest components. Definitions 3.1 and 3.2 themselves are in proposition_3_1.v. *)
From UAT Require Import preamble.
From mathcomp.analysis Require Import reals.
From UAT.liu2025 Require Import smoother proposition_3_1.

Section MaxAffine.

Variables (R : realType) (T : finType) (N : nat).
Variables (a : 'I_N.+1 -> T -> R) (b : 'I_N.+1 -> R).
Implicit Types (x : T -> R) (i j : 'I_N.+1).

(** Definition 3.1 is what its name says: the largest component, attained, and convex. *)
Theorem definition_3_1 :
  [/\ (* largest *) forall x i, component a b x i <= max_affine a b x,
      (* attained *) forall x, exists i, max_affine a b x = component a b x i &
      (* convex *) forall x x' t, 0 <= t -> t <= 1 ->
        max_affine a b (mix t x x') <= t * max_affine a b x + (1 - t) * max_affine a b x'].
Proof.
(* 1. [top]: no component is larger than the max-affine function, which is the component of the cell of x. *)
have top x i : component a b x i <= max_affine a b x.
  have [j win] := winner_exists (component a b x) ord0.
  by rewrite /max_affine (largest_winner win); have /winnerP[] := win.
split=> [//|x|x x' t t_ge0 t_le1]; first exact: printed_cells_cover.
(* 2. A component is affine, so it is convex; and each of the two values is at most the largest. *)
have [i ->] := printed_cells_cover a b (mix t x x'); rewrite component_mix.
by rewrite ler_add ?ler_wpmul2l ?top // subr_ge0.
Qed.

(** Definition 3.2: exactly one index has the 1. *)
Theorem definition_3_2 x : exists i,
  [/\ forall j, indicator a b x j = (j == i)%:R, max_affine a b x = component a b x i &
      forall j, (j < i)%N -> component a b x j < max_affine a b x].
Proof.
(* 1. The index [i] is the smallest one of a largest component; [before] says that those before it have
   smaller ones. *)
have [i win] := winner_exists (component a b x) ord0; have /winnerP[_ before] := win.
exists i; rewrite /max_affine (largest_winner win); split=> // j.
(* 2. The indicator has a 1 there and nowhere else, as no other index is the smallest. *)
rewrite /indicator; congr ((nat_of_bool _)%:R); apply/idP/eqP => [|-> //].
by move=> win_j; apply: winner_unique win_j win.
Qed.

End MaxAffine.
