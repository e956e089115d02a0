(** * Near a compact set, continuity is uniform (Heine and Cantor)

    For all pseudometric spaces and every continuous function of the whole space: the points near
    those of the compact set need not lie in it. *)
From UAT Require Import analysis.

(** The half of the radius at each point is good for its neighbours, too. *)
Theorem uniform_near_compact (R : realType) (V W : pseudoMetricType R) (K : set V) (f : V -> W) :
  compact K -> continuous f -> forall eps : R, 0 < eps -> exists2 delta, 0 < delta &
    forall y z, K y -> ball y delta z -> ball (f y) eps (f z).
Proof.
move=> K_compact f_cont eps eps_gt0.
pose P (delta : R) y := K y -> forall z, ball y delta z -> ball (f y) eps (f z).
have right_filter : Filter (0 : R)^'+ by typeclasses eauto.
have := compact_near_coveringP.1 _ K_compact R (0 : R)^'+ P right_filter.
case=> [x K_x|r /= r_gt0 small].
  have half : 0 < eps / 2%:R by rewrite divr_gt0 // ltr0n.
  have := f_cont x; move=> /cvg_ballP/(_ _ half)/nbhs_ballP[r /= r_gt0 near_fx].
  have half_r : 0 < r / 2%:R by rewrite divr_gt0 // ltr0n.
  exists (ball x (r / 2%:R), [set e | e < r / 2%:R]) => [|[y e] [/= x_y e_r] K_y z y_z].
    by split; [apply/nbhs_ballP; exists (r / 2%:R) | exact: nbhs_right_lt].
  have x_z : ball x r z by apply: ball_split x_y (le_ball (ltW e_r) y_z).
  have x_y' : ball x r y.
    by apply: le_ball x_y; rewrite ler_pdivr_mulr ?ltr0n // ler_pmulr // ler1n.
  by apply: ball_split (ball_sym (near_fx y x_y')) (near_fx z x_z).
have delta_gt0 : 0 < r / 2%:R by rewrite divr_gt0 // ltr0n.
exists (r / 2%:R) => // y z K_y; apply: (small (r / 2%:R)) => //=.
by rewrite distrC subr0 gtr0_norm // ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n.
Qed.
