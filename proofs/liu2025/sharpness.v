(** * How sharp is sharp enough?

    The sharpness at which the tails of [N] values that are off by [b] add no more than [e], and
    the error of a Lipschitz function on a box with it (the book's bound "chain", with
    [1 + 2 L D N / (eps/3)] under the logarithm in place of [6 B_0 N / eps]). *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.liu2025 Require Import softmax_mean smoother grid.

Section Sharpness.

Variable R : realType.
Implicit Types (h b e : R) (N : nat).

(** How sharp a head must be on cells of half width [h], so that [N] values
    that are off by [b] add no more than [e]. *)
Definition sharpness h N b e : R :=
  2%:R / (3%:R * h ^+ 2) * ln (1 + b * N%:R / e).

(** What stands under the logarithm is at least 1. *)
Lemma odds_ge1 N b e : 0 <= b -> 0 < e -> 1 <= 1 + b * N%:R / e.
Proof.
by move=> b_ge0 e_gt0; rewrite ler_addl divr_ge0 ?mulr_ge0 ?ler0n ?(ltW e_gt0).
Qed.

(** So the sharpness is not negative. *)
Lemma sharpness_ge0 h N b e : 0 <= b -> 0 < e -> 0 <= sharpness h N b e.
Proof.
move=> b_ge0 e_gt0; have: 0 <= 3%:R * h ^+ 2 by rewrite pmulr_rge0 ?sqr_ge0 ?ltr0n.
by move=> ?; rewrite mulr_ge0 ?divr_ge0 ?ler0n //; apply/ln_ge0/odds_ge1.
Qed.

(** At this sharpness tails add up to at most e. *)
Lemma sharp_enough h N b e : 0 < h -> 0 <= b -> 0 < e ->
  b * N%:R * expR (- (3%:R / 2%:R * sharpness h N b e * h ^+ 2)) <= e.
Proof.
move=> h_gt0 b_ge0 e_gt0; have odds := odds_ge1 N b_ge0 e_gt0.
have -> : 3%:R / 2%:R * sharpness h N b e * h ^+ 2 = ln (1 + b * N%:R / e).
  by rewrite /sharpness; field; rewrite gt_eqF.
have odds_gt0 : 0 < 1 + b * N%:R / e by apply: lt_le_trans odds.
rewrite expRN lnK ?posrE // ler_pdivr_mulr // mulrDr mulr1 mulrCA divff ?gt_eqF //.
by rewrite mulr1 ler_addr ltW.
Qed.

End Sharpness.

Section Lipschitz.

(** ** A Lipschitz function on a box: all constants explicit *)
Variables (R : realType) (T O : finType).

(** Across a cell such a function moves by 2/3 eps at most, if there are so many of them. *)
Lemma small_step (D L eps : R) (P : nat) : 0 < D -> 0 < eps -> (0 < P)%N ->
  3%:R * L * D / eps <= P%:R -> L * (2%:R * (D / P%:R)) <= 2%:R / 3%:R * eps.
Proof.
move=> D_gt0 eps_gt0 P_gt0; have P_gt0' : 0 < P%:R :> R by rewrite ltr0n.
rewrite ler_pdivr_mulr // => P_large; have c_ge0 : 0 <= 2%:R / 3%:R / P%:R :> R.
  by rewrite !divr_ge0 ?ler0n.
by apply: (le_from (ler_wpmul2l c_ge0 P_large)); field; rewrite gt_eqF.
Qed.

(** [D] is the half width of the box, [L] the Lipschitz constant in the largest
    entry, [eps] the error; [P] cells a side, [P ^ #|T|] keys. *)
Theorem lipschitz_head (D L eps : R) (P : nat) (f : (T -> R) -> O -> R) :
  0 < D -> 0 <= L -> 0 < eps -> (0 < P)%N ->
  (forall x y e, (forall t, `|x t| <= D) -> (forall t, `|y t| <= D) ->
     (forall t, `|x t - y t| <= e) -> forall o, `|f x o - f y o| <= L * e) ->
  3%:R * L * D / eps <= P%:R ->
  let h := D / P%:R in
  let rho := sharpness h (P ^ #|T|) (2%:R * L * D) (eps / 3%:R) in
  let C := @centre R T P h in
  forall x, (forall t, `|x t| <= D) -> forall o,
    `|smoother rho C (fun j => f (C j)) x o - f x o| <= eps.
Proof.
move=> D_gt0 L_ge0 eps_gt0 P_gt0 f_lip P_large h rho C x x_box o.
have h_gt0 : 0 < h by rewrite divr_gt0 ?ltr0n.
have PhD : P%:R * h = D by rewrite mulrC divfK // pnatr_eq0 -lt0n.
have C_box j t : `|C j t| <= D by rewrite -PhD; apply: centre_in_box.
have third : 0 < eps / 3%:R by rewrite divr_gt0 ?ltr0n.
have b_ge0 : 0 <= 2%:R * L * D by rewrite !mulr_ge0 ?ler0n ?(ltW D_gt0).
(* 1. Near cells are off by 2/3 eps at most, all others by 2 L D: so is the mean, and tails. *)
apply: le_trans (grid_near (a := 2%:R / 3%:R * eps) (b := 2%:R * L * D)
  h_gt0 P_gt0 (sharpness_ge0 _ _ b_ge0 third) _ b_ge0 _ _ _) _.
- by rewrite mulr_ge0 ?divr_ge0 ?ler0n // ltW.
- by move=> t; rewrite PhD.
- move=> j j_near; apply: le_trans (small_step D_gt0 eps_gt0 P_gt0 P_large); apply: f_lip => // t.
  by rewrite distrC j_near.
- move=> j; rewrite mulrAC mulrC; apply: f_lip => // t.
  by apply: le_trans (ler_norm_sub _ _) _; rewrite mulr_natl mulr2n ler_add.
(* 2. At this sharpness tails add eps/3. *)
have := sharp_enough (P ^ #|T|) h_gt0 b_ge0 third.
rewrite -/rho => tail; apply: le_trans (ler_add (lexx _) tail) _.
by rewrite -subr_ge0 le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

End Lipschitz.
