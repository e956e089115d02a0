(** * Cheng et al. (2025), Proposition 2, for ReLU: any continuous increasing function

    For every continuous, increasing h (h(x) <= h(y) for x <= y), every D > 0 and eps > 0 there
    are feed-forward layers with d hidden ReLUs that come within eps of h, entry by entry, at
    every X with entries from -D to D. Printed: any nonlinear, affine-invariant family; K any
    compact set, which lies in such a box. *)
From UAT Require Import transformers analysis.
From UAT.cheng2025 Require Import mixers continuity proposition_2 ramps.

Section Rounding.

Variable R : realType.

(** A continuous function of a number, as one of a 1 x 1 matrix, is uniformly continuous on a
    bounded interval. *)
Lemma small_rise (h : R -> R) D eps : continuous h -> 0 < D -> 0 < eps ->
  exists2 delta, 0 < delta & forall x y : R,
    - D <= x <= D -> `|y - x| <= delta -> `|h y - h x| <= eps.
Proof.
move=> h_cont D_gt0 eps_gt0.
pose K := (fun x : R => const_mx x : 'M[R]_(1, 1)) @` `[(- D), D].
have K_compact : compact K.
  apply: continuous_compact; last exact: segment_compact.
  apply: continuous_subspaceT; apply: continuous_entries => i j.
  have id_cont : continuousR (fun x : R => x) by move=> x; apply: cvg_id.
  by apply: continuous_as id_cont => x; rewrite mxE.
pose f (X : 'M[R]_(1, 1)) : 'M[R]_(1, 1) := map_mx h X.
have f_cont : continuous f.
  apply: continuous_entries => i j.
  have h_ij : continuousR (fun X : 'M[R]_(1, 1) => h (X i j)).
    move=> X; apply: (@continuous_comp _ _ _ (fun X : 'M[R]_(1, 1) => X i j) h).
      exact: entries_id.
    exact: h_cont.
  by apply: continuous_as h_ij => X; rewrite mxE.
have [delta delta_gt0 near] := uniform_near_compact K_compact f_cont eps_gt0.
exists delta => // x y x_in xy; have K_x : K (const_mx x) by exists x; rewrite //= in_itv.
have close (i j : 'I_1) : `|(const_mx y : 'M[R]_(1, 1)) i j - (const_mx x : 'M[R]_(1, 1)) i j|
    <= delta by rewrite !mxE.
by have := near _ (const_mx y) K_x close ord0 ord0; rewrite !mxE.
Qed.

Theorem proposition_2_continuous d n (h : R -> R) D eps : 0 < D -> 0 < eps ->
  continuous h -> (forall x y, x <= y -> h x <= h y) ->
  exists2 ws : seq (ff_weights R d), all (fun w => hidden w == d)%N ws &
    forall X : 'M[R]_(d, n), (forall u i, `|X u i| <= D) -> forall u i,
    `|network [seq feed_forward (@relu R) w (n := n) | w <- ws] X u i - h (X u i)| <= eps.
Proof.
move=> D_gt0 eps_gt0 h_cont h_inc.
(* 1. Cut the numbers from -D to D into N pieces, so small that h rises by eps/2 at most. *)
have half_gt0 : 0 < eps / 2%:R by rewrite divr_gt0 ?ltr0n.
have [delta delta_gt0 h_near] := small_rise h_cont D_gt0 half_gt0.
pose N := (Num.bound (2%:R * D / delta)).+1.
have small : width D N <= delta.
  rewrite ler_pdivr_mulr ?ltr0n // [delta * _]mulrC -ler_pdivr_mulr //.
  apply: ltW; apply: lt_le_trans (archi_boundP _) _; last by rewrite ler_nat leqnSn.
  by apply/ltW/divr_gt0 => //; rewrite mulr_gt0 ?ltr0n.
have w_gt0 : 0 < width D N by apply: width_gt0.
have edge_in i : (i <= N)%N -> - D <= edge D N i <= D.
  move=> i_le; apply/andP; split; first by rewrite ler_addl mulr_ge0 ?ler0n // ltW.
  rewrite -[X in _ <= X](@edgeN R D N isT) ler_add2l ler_wpmul2r ?ler_nat //; exact: ltW.
(* 2. Then Proposition 2 for these points. *)
have [//|i i_lt|i i_lt|ws [_ ws_d] ws_ok] :=
  @proposition_2 R d n h (edge D N) N (eps / 2%:R) half_gt0 _ h_inc _ _.
- by rewrite edgeS ltr_addl.
- apply: le_trans (ler_norm _) _; apply: h_near; first exact/edge_in/ltnW.
  by rewrite edgeS addrAC subrr add0r gtr0_norm.
exists ws => // X X_in u i; have := ws_ok X _ u i; rewrite mulrC divfK ?pnatr_eq0 //; apply=> v j.
by rewrite edge0 edgeN // -ler_norml.
Qed.

End Rounding.
