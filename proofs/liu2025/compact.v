(** * Compact sets of matrices: bounded, and continuity is uniform on them *)
From UAT Require Import analysis.

Section Compact.

Variables (R : realType) (d n : nat).
Implicit Types (U : set 'M[R]_(d, n)) (f : 'M[R]_(d, n) -> 'M[R]_(d, n)).

(** A compact set lies in a box. *)
Lemma compact_in_box U : compact U ->
  exists2 D : R, 0 < D & forall Z, U Z -> forall s k, `|Z s k| <= D.
Proof.
move=> /(compact_near_coveringP.1 _)/(_ R +oo (fun D Z => forall s k, `|Z s k| <= D)).
case=> [X U_X|D0 [_ below]].
  pose D := \sum_s \sum_k `|X s k| + 1.
  exists (ball X 1, [set e | D < e]) => [|[Z e] [/= near_X D_lt] s k].
    split; first exact: nbhsx_ballx.
    by exists D; split => //; rewrite num_real.
  apply: le_trans (ltW D_lt); apply: (@le_trans _ _ (`|X s k| + 1)).
    have := near_X s k; rewrite -ball_normE /ball_ /= distrC => /ltW near_Z.
    rewrite -[Z s k](subrK (X s k)) addrC.
    by apply: le_trans (ler_norm_add _ _) _; rewrite ler_add2l.
  rewrite ler_add2r (bigD1 s) //= (bigD1 k) //= -addrA ler_addl.
  by rewrite addr_ge0 ?sumr_ge0 // => i _; rewrite sumr_ge0.
exists (`|D0| + 1) => [|Z U_Z]; first by rewrite ltr_spaddr.
by apply: below U_Z; rewrite (le_lt_trans (ler_norm D0)) // ltr_addl.
Qed.

End Compact.

Section Uniform.

Variables (R : realType) (V W : pseudoMetricType R) (U : set V) (f : V -> W).

(** Heine and Cantor: the half of the radius at each point is good for its neighbours, too. *)
Lemma compact_uniform : compact U -> {within U, continuous f} ->
  forall eps : R, 0 < eps -> exists2 delta, 0 < delta &
    forall y z, U y -> U z -> ball y delta z -> ball (f y) eps (f z).
Proof.
move=> U_compact /subspace_continuousP f_cont eps eps_gt0.
pose P (delta : R) y := U y -> forall z, U z -> ball y delta z -> ball (f y) eps (f z).
have right_filter : Filter (0 : R)^'+ by typeclasses eauto.
have := compact_near_coveringP.1 _ U_compact R (0 : R)^'+ P right_filter.
case=> [x U_x|r /= r_gt0 small].
  have half : 0 < eps / 2%:R by rewrite divr_gt0 // ltr0n.
  have := f_cont x U_x; move=> /cvg_ballP/(_ _ half).
  rewrite near_withinE => /nbhs_ballP[r /= r_gt0 near_fx].
  have half_r : 0 < r / 2%:R by rewrite divr_gt0 // ltr0n.
  exists (ball x (r / 2%:R), [set e | e < r / 2%:R]) => [|[y e] [/= x_y e_r] U_y z U_z y_z].
    by split; [apply/nbhs_ballP; exists (r / 2%:R) | exact: nbhs_right_lt].
  have x_z : ball x r z by apply: ball_split x_y (le_ball (ltW e_r) y_z).
  have x_y' : ball x r y by apply: le_ball x_y; rewrite ler_pdivr_mulr ?ltr0n // ler_pmulr // ler1n.
  by apply: ball_split (ball_sym (near_fx y x_y' U_y)) (near_fx z x_z U_z).
have delta_gt0 : 0 < r / 2%:R by rewrite divr_gt0 // ltr0n.
exists (r / 2%:R) => // y z U_y U_z; apply: (small (r / 2%:R)) => //=.
by rewrite distrC subr0 gtr0_norm // ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n.
Qed.

End Uniform.

Section Product.

Variables (V W : topologicalType) (A : set V) (B : set W).

(** A product of two compact sets is compact: cover [B] beside each point of [A], then [A]. *)
Lemma compact_setM : compact A -> compact B -> compact (A `*` B).
Proof.
move=> A_compact B_compact; apply: (compact_near_coveringP.2 _) => I F P FF cover.
have := compact_near_coveringP.1 _ A_compact I F (fun i v => B `<=` (fun w => P i (v, w))) FF.
move=> cover_A; suff: \forall i \near F, A `<=` (fun v => B `<=` (fun w => P i (v, w))).
  by apply: filterS => i A_i [v w] /= [Av Bw]; apply: A_i.
apply: cover_A => v Av.
apply: (compact_near_coveringP.1 _ B_compact (V * I)%type (filter_prod (nbhs v) F)
  (fun vi w => P vi.2 (vi.1, w))) => w Bw.
have [[X G] /= [[[X1 X2] /= [vX1 wX2] X12] FG] XG] := cover (v, w) (conj Av Bw).
exists (X2, X1 `*` G); first by split=> //; exists (X1, G).
by move=> [w' [v' i]] /= [X2w' [X1v' Gi]]; apply: (XG ((v', w'), i)); split=> //; apply: X12.
Qed.

End Product.

Section Matrices.

Variables (R : realType) (d n : nat).
Implicit Types (Y Z : 'M[R]_(d, n)).

(** A ball in the sup norm, entry by entry. *)
Lemma mx_ballP Y Z (e : R) : ball Y e Z <-> forall s k, `|Y s k - Z s k| < e.
Proof. by split=> h s k; have := h s k; rewrite -ball_normE. Qed.

End Matrices.
