(** * A smoother is near a function that is uniformly continuous

    On any set [U] in a box, for any modulus of continuity. The value of a cell is that of [f] at
    some point of [U] that is near the cell, if there is one: so [f] need not be extended to the
    box. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import softmax_mean smoother grid sharpness.

Section Uniform.

Variables (R : realType) (T O : finType) (U : (T -> R) -> Prop).
Variable f : (T -> R) -> O -> R.
Variable D : R.
Hypothesis D_gt0 : 0 < D.
Hypothesis U_in_box : forall x, U x -> forall t, `|x t| <= D.

(** [f] moves by at most [e] where its argument moves by at most [delta]. *)
Definition modulus (delta e : R) := forall x y, U x -> U y ->
  (forall t, `|x t - y t| <= delta) -> forall o, `|f x o - f y o| <= e.

Variables (delta eps : R) (P : nat).
Hypotheses (delta_gt0 : 0 < delta) (eps_gt0 : 0 < eps) (f_delta : modulus delta (eps / 2%:R)).
Hypotheses (P_gt0 : (0 < P)%N) (P_large : 4%:R * D <= P%:R * delta).

Let h := D / P%:R.
Let h_gt0 : 0 < h. Proof. by rewrite divr_gt0 ?ltr0n. Qed.
Let half : 0 < eps / 2%:R. Proof. by rewrite divr_gt0 // ltr0n. Qed.

Let close (j : cell T P) x := forall t, `|x t - centre h j t| <= 2%:R * h.

(** Each cell has a value that is near f at all points of U near the cell: that of f at one of these points; 0 where
    there is none. *)
Lemma cell_values : exists V : cell T P -> O -> R,
  forall j x, U x -> close j x -> forall o, `|V j o - f x o| <= eps / 2%:R.
Proof.
suff /choice[V V_spec] : forall j : cell T P, exists v : O -> R, forall x, U x -> close j x ->
    forall o, `|v o - f x o| <= eps / 2%:R by exists V.
have four_h : 4%:R * h <= delta by rewrite mulrA ler_pdivr_mulr ?ltr0n // [delta * _]mulrC.
move=> j; have [[z [Uz z_near]]|none] := pselect (exists z, U z /\ close j z).
  exists (f z) => x Ux x_near; apply: f_delta => // t.
  apply: le_trans four_h; rewrite (le_trans (ler_dist_add (centre h j t) _ _)) //.
  apply: le_trans (ler_add (z_near t) _) _; first by rewrite distrC; apply: x_near.
  by rewrite -mulrDl -natrD.
by exists (fun=> 0) => x Ux x_near; case: none; exists x.
Qed.

(** Finitely many values are bounded. *)
Lemma bounded (J : finType) (V : J -> O -> R) : exists2 S, 0 <= S & forall j o, `|V j o| <= S.
Proof.
exists (\sum_j \sum_o `|V j o|) => [|j o]; first by do 2!apply: sumr_ge0 => ? _.
rewrite (bigD1 j) //= (bigD1 o) //= -addrA ler_addl.
by rewrite addr_ge0 // sumr_ge0 // => i _; rewrite sumr_ge0.
Qed.

(** With such values, and sharp enough, the smoother is within eps of f on U. *)
Theorem uniform_smoother : exists (V : cell T P -> O -> R) (rho : R), forall x, U x -> forall o,
  `|smoother rho (centre h) V x o - f x o| <= eps.
Proof.
(* 1. The value V of a cell is that of f at some point of U near its centre, at most 2 h away in each coordinate; h =
   D/P is half the width of a cell. Where U has no such point, it is 0, and will never count as near. There are
   finitely many values, so let S be a bound for them all. *)
have [V V_spec] := cell_values; have [S S_ge0 V_S] := bounded V.
pose b := S + (S + eps / 2%:R); have b_ge0 : 0 <= b by rewrite !addr_ge0 // ltW.
(* 2. The far cells, more than 2 h away in some coordinate: the nearest centre is at most h away in each, so a far one
   is farther by 3 h^2 at least in the squared distance, and weighs at most exp(-3/2 rho h^2). There are P^m cells,
   for m coordinates. If each value is off by at most b, the far ones add no more than b P^m exp(-3/2 rho h^2). Here
   the sharpness rho is chosen: so large that this is eps/2 at most. *)
exists V, (sharpness h (P ^ #|T|) b (eps / 2%:R)) => x Ux o.
have x_box : box P h x by move=> t; rewrite mulrC divfK ?gt_eqF ?ltr0n ?U_in_box.
rewrite [leRHS]splitr; apply: le_trans (ler_add (lexx _) (sharp_enough _ h_gt0 b_ge0 half)).
apply: grid_near => //; first exact: sharpness_ge0.
(* 3. The near cells: x is at most 2 h from the centre, and so is the point at which the value was taken. These two are
   at most 4 h apart, and 4 h <= delta, as 4 D <= P delta. So the value is within eps/2 of f(x), and so is each mean of
   such values. If near meant h, then 2 D <= P delta would do. But where x lies close to a wall of its cell, the next
   centre is hardly farther, and no sharpness would silence it for all such x. *)
- exact: ltW.
- by move=> j ?; apply: V_spec.
move=> j.
(* 4. What is b? A value is S at most. So f(x) is at most S + eps/2, for it is within eps/2 of the value of the cell in
   which x lies. Together they are off by at most b = S + (S + eps/2). *)
have [j0 j0_near] := nearest_cell P_gt0 x_box.
apply: le_trans (ler_norm_sub _ _) _; rewrite ler_add //.
rewrite -[f x o](subrK (V j0 o)) addrC; apply: le_trans (ler_norm_add _ _) _.
rewrite ler_add // distrC; apply: V_spec => // t.
by have [near _] := j0_near t; apply: le_trans near _; rewrite ler_pmull // ler1n.
Qed.

End Uniform.

(** ** The same on a compact set of matrices *)
Section Compact.

Variables (R : realType) (D delta : R).
Hypotheses (D_gt0 : 0 < D) (delta_gt0 : 0 < delta).

(** There are enough cells a side, as many as one likes. *)
Lemma enough_cells (n : nat) : exists2 P : nat, (n < P)%N & 4%:R * D <= P%:R * delta.
Proof.
exists (Num.bound (4%:R * D / delta) + n).+1; first by rewrite ltnS leq_addl.
rewrite -ler_pdivr_mulr //; apply: le_trans (ltW (archi_boundP _)) _.
  by rewrite divr_ge0 ?mulr_ge0 ?ler0n ?ltW.
by rewrite ler_nat -addnS leq_addr.
Qed.

End Compact.
