(** * Liu et al. (2025), Definitions 3.1 and 3.2, Proposition 3.1: max-affine partitions

    For all d and N >= 1: the sets U_i where y_i(x) = a_i . x + b_i is the largest cover the space,
    as printed; but they overlap ([printed_cells_overlap]), and the text calls them a partition.
    Repaired as in the book: a tie goes to the smallest index. Then each point is in exactly one
    cell, cells are convex, and they are those of the power diagram of the sites a_i with the
    weights |a_i|^2 + 2 b_i; every power diagram arises so. The domain is the whole space (for a
    smaller one restrict x). *)
From UAT Require Import preamble.
From mathcomp.analysis Require Import reals.
From UAT.liu2025 Require Import smoother.

Section Winner.

Variables (R : realType) (N : nat).
Implicit Types (y : 'I_N -> R) (i j : 'I_N).

(** The smallest index of a largest score. *)
Definition winner y i : bool :=
  [forall j, y j <= y i] && [forall j : 'I_N, (j < i)%N ==> (y j < y i)].

(** A winner, in words: no score is larger, and those before it are smaller. *)
Lemma winnerP y i :
  reflect ((forall j, y j <= y i) /\ (forall j, (j < i)%N -> y j < y i)) (winner y i).
Proof.
by apply: (iffP andP) => -[/forallP top before]; split=> //; [move=> j; apply/implyP |
  apply/forallP=> j; apply/implyP/before]; move: j; apply/forallP.
Qed.

(** There is not more than one winner. *)
Lemma winner_unique y i j : winner y i -> winner y j -> i = j.
Proof.
move=> /winnerP[top_i before_i] /winnerP[top_j before_j]; apply: val_inj.
case: (ltngtP i j) => // [/before_j|/before_i]; rewrite ltNge ?top_i ?top_j //.
Qed.

(** There is a winner, if there is an index. *)
Lemma winner_exists y (i0 : 'I_N) : exists i, winner y i.
Proof.
pose top i := [forall j, y j <= y i].
have [i1 top1] : exists i, top i.
  pose i := [arg max_(i > i0) y i]%O; exists i; apply/forallP => j.
  by rewrite /i; case: arg_maxP => // k _; apply.
exists [arg min_(i < i1 | top i) val i]; case: arg_minnP => // i top_i smallest.
apply/winnerP; split=> [|j j_i]; first exact/forallP.
rewrite ltNge; apply/negP => i_j; suff /smallest : top j by rewrite leqNgt j_i.
by apply/forallP => k; apply: le_trans i_j; move: k; apply/forallP.
Qed.

End Winner.

Section Largest.

Variables (R : realType) (N : nat) (y : 'I_N.+1 -> R) (i : 'I_N.+1).

(** The largest score. *)
Definition largest : R := y [arg max_(i > ord0) y i]%O.

(** The largest score is that of the winner. *)
Lemma largest_winner : winner y i -> largest = y i.
Proof.
move=> /winnerP[top _]; apply/eqP; rewrite /largest; case: arg_maxP => // j _ top_j.
by rewrite eq_le; apply/andP; split; [exact: top | exact: top_j].
Qed.

End Largest.

Section MaxAffine.

Variables (R : realType) (T : finType).

(** The affine function with the number i, at x. *)
Definition component N (a : 'I_N -> T -> R) (b : 'I_N -> R) x i : R := dot (a i) x + b i.
(** A max-affine function, Definition 3.1: at each place the largest of finitely many affine
    functions. *)
Definition max_affine N (a : 'I_N.+1 -> T -> R) (b : 'I_N.+1 -> R) x : R :=
  largest (component a b x).

(** The place x is in cell i: there the function i is the largest, of several the first. *)
Definition in_cell N (a : 'I_N -> T -> R) (b : 'I_N -> R) i x : bool := winner (component a b x) i.
(** The indicator, Definition 3.2: 1 for the cell in which x lies, 0 for all others. *)
Definition indicator N (a : 'I_N -> T -> R) (b : 'I_N -> R) x i : R := (in_cell a b i x)%:R.

Variable N : nat.
Implicit Types (x : T -> R) (a : 'I_N.+1 -> T -> R) (b : 'I_N.+1 -> R) (i j : 'I_N.+1).

(** The sets U_i as printed cover: some component is the largest. *)
Theorem printed_cells_cover a b x : exists i, max_affine a b x = component a b x i.
Proof. by have [i /largest_winner] := winner_exists (component a b x) ord0; exists i. Qed.

(** The repaired cells are a partition: each point is in exactly one. *)
Theorem cells_partition a b x : exists! i, in_cell a b i x.
Proof.
have [i win] := winner_exists (component a b x) ord0; exists i; split=> // j.
exact: winner_unique.
Qed.

(** The place between x and x': t of the one, 1 - t of the other. *)
Definition mix (t : R) x x' (s : T) : R := t * x s + (1 - t) * x' s.

(** A component is affine. *)
Lemma component_mix a b t x x' i :
  component a b (mix t x x') i = t * component a b x i + (1 - t) * component a b x' i.
Proof.
rewrite /component /dot /mix.
transitivity (t * (\sum_s a i s * x s) + (1 - t) * (\sum_s a i s * x' s) + b i).
  by congr (_ + _); rewrite !mulr_sumr -big_split; apply: eq_bigr => s _ /=; ring.
by ring.
Qed.

(** Cells are convex: what holds at both ends of a segment holds between them. *)
Theorem cells_convex a b i x x' t : 0 <= t -> t <= 1 ->
  in_cell a b i x -> in_cell a b i x' -> in_cell a b i (mix t x x').
Proof.
move=> t_ge0 t_le1 /winnerP[top before] /winnerP[top' before'].
have t'_ge0 : 0 <= 1 - t by rewrite subr_ge0.
apply/winnerP; split=> j; rewrite !component_mix; first by rewrite ler_add ?ler_wpmul2l.
move=> j_i; have [t0|t_gt0] := eqVneq t 0.
  by rewrite t0 !mul0r !add0r subr0 !mul1r before'.
rewrite ltr_le_add ?ler_wpmul2l // ltr_pmul2l ?before //.
by rewrite lt_neqAle eq_sym t_gt0.
Qed.

(** The power of [x] with respect to a site [s] with weight [w]. *)
Definition power (s : 'I_N.+1 -> T -> R) (w : 'I_N.+1 -> R) x i : R := dist2 x (s i) - w i.

(** The power of a site: what does not depend on it, less twice its component. *)
Lemma power_component a b x i :
  power a (fun i => dot (a i) (a i) + 2%:R * b i) x i = dot x x - 2%:R * component a b x i.
Proof. by rewrite /power /component dist2E (dotC x (a i)); ring. Qed.

(** A point belongs to the site of the smallest power, of the smallest index if there are more. *)
Theorem cells_are_a_power_diagram a b i x : in_cell a b i x <->
  winner (fun i => - power a (fun i => dot (a i) (a i) + 2%:R * b i) x i) i.
Proof.
have order j k : (- power a (fun i => dot (a i) (a i) + 2%:R * b i) x j
      <= - power a (fun i => dot (a i) (a i) + 2%:R * b i) x k)
    = (component a b x j <= component a b x k).
  by rewrite !power_component ler_opp2 ler_add2l ler_opp2 ler_pmul2l ?ltr0n.
split=> /winnerP[top before]; apply/winnerP; split=> j => [|j_i].
- by rewrite order.
- by rewrite ltNge order -ltNge before.
- by rewrite -order.
- by rewrite ltNge -order -ltNge before.
Qed.

(** Any sites and weights are met, by b_i = (w_i - |s_i|^2) / 2. *)
Theorem power_diagrams_are_cells (s : 'I_N.+1 -> T -> R) (w : 'I_N.+1 -> R) i x :
  in_cell s (fun i => (w i - dot (s i) (s i)) / 2%:R) i x <-> winner (fun i => - power s w x i) i.
Proof.
rewrite cells_are_a_power_diagram; suff e j : power s (fun i => dot (s i) (s i)
    + 2%:R * ((w i - dot (s i) (s i)) / 2%:R)) x j = power s w x j.
  by split=> /winnerP[top before]; apply/winnerP; split=> j => [|/before]; rewrite -?e ?e //;
    have := top j; rewrite !e.
by rewrite /power; congr (_ - _); field.
Qed.

End MaxAffine.

(** As printed this is no partition: for y_1 = x, y_2 = - x the point 0 is in both sets. *)
Theorem printed_cells_overlap (R : realType) : exists (a : 'I_2 -> unit -> R) b x i j,
  [/\ i != j, max_affine a b x = component a b x i & max_affine a b x = component a b x j].
Proof.
exists (fun i _ => if i == ord0 then 1 else -1), (fun=> 0), (fun=> 0), ord0, ord_max.
have zero (i : 'I_2) : component (fun i _ => if i == ord0 then 1 else -1) (fun=> 0) (fun=> 0 : R) i
    = 0 by rewrite /component /dot big1 ?addr0 // => t _; rewrite mulr0.
have [i e] := printed_cells_cover (fun (i : 'I_2) (_ : unit) => if i == ord0 then 1 else -1 : R)
  (fun=> 0) (fun=> 0).
by split=> //; rewrite e !zero.
Qed.

Section Proposition31.

Variables (R : realType) (T : finType) (N : nat) (a : 'I_N.+1 -> T -> R) (b : 'I_N.+1 -> R).

(** Proposition 3.1, borders settled. *)
Theorem proposition_3_1 :
  (forall x, exists! i, in_cell a b i x) /\
  (forall x i, in_cell a b i x -> max_affine a b x = component a b x i) /\
  (forall i x x' t, 0 <= t -> t <= 1 ->
    in_cell a b i x -> in_cell a b i x' -> in_cell a b i (mix t x x')).
Proof.
(* 1. Each point lies in one cell and no other: where several components are largest, the smallest
   index has it. In its cell a component is the largest. *)
split; [exact: cells_partition | split=> [x i|i x x' t]]; first exact: largest_winner.
(* 2. Cells are convex: what holds at both ends of a segment of two affine functions holds between
   them. *)
exact: cells_convex.
Qed.

End Proposition31.
