(** * Yun et al. (2020), Lemma 6, the other half: four ReLUs in place of three pieces

    For every activation of three pieces, one of them constant, with breakpoints a, b and every
    width 0 < w <= b - a: the function that is the activation off the bands [a - w, a) and [b -
    w, b), and in each band the straight line between the values at its ends ([ramped]), is a
    constant and a sum of four ReLUs ([four_relus]). The printed text has the case in which the
    first piece is constant, and leaves out the condition w <= b - a. A layer with one hidden
    unit and such an activation is a feed-forward layer with ReLU and four hidden units. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers.

Section FourReLUs.

Variable R : realFieldType.
Implicit Types (t w : R) (psi : R -> R).

Lemma relu_pos t : 0 <= t -> relu t = t.
Proof. by move=> t_ge0; rewrite /relu max_r. Qed.

Lemma relu_neg t : t <= 0 -> relu t = 0.
Proof. by move=> t_le0; rewrite /relu max_l. Qed.

(** A ReLU that opens to the left is one that opens to the right, less a straight line. *)
Lemma relu_left t e : relu (-1 * t + e) = relu (t - e) - (t - e).
Proof.
have -> : -1 * t + e = - (t - e) by ring.
by rewrite /relu; case: (ltP 0 (t - e)) => ?; [rewrite max_l | rewrite max_r]; lra.
Qed.

(** A constant and four ReLUs. *)
Definition four_relus psi := exists c (r1 s1 e1 r2 s2 e2 r3 s3 e3 r4 s4 e4 : R), forall t,
  psi t = c + r1 * relu (s1 * t + e1) + r2 * relu (s2 * t + e2) + r3 * relu (s3 * t + e3) +
          r4 * relu (s4 * t + e4).

(** ** Ramps in place of jumps *)
Section Ramped.

Variables (a b s1 c1 s2 c2 s3 c3 w : R).
Hypotheses (w_gt0 : 0 < w) (w_le : w <= b - a).
Notation phi := (three_piece a b s1 c1 s2 c2 s3 c3).

(** The slope of the first ramp, from a - w to a. *)
Definition slope_a := (phi a - phi (a - w)) / w.
(** The slope of the second ramp, from b - w to b. *)
Definition slope_b := (phi b - phi (b - w)) / w.

(** The activation, with ramps in place of jumps. *)
Definition ramped t : R :=
  if t < a - w then s1 * t + c1 else if t < a then s2 * a + c2 + slope_a * (t - a)
  else if t < b - w then s2 * t + c2 else if t < b then s3 * b + c3 + slope_b * (t - b)
  else s3 * t + c3.

Lemma phi_ends : [/\ phi (a - w) = s1 * (a - w) + c1, phi a = s2 * a + c2,
  phi (b - w) = s2 * (b - w) + c2 & phi b = s3 * b + c3].
Proof.
have ab : a < b by lra.
rewrite /three_piece ltxx ab (ltNge (b - w) a) (_ : a <= b - w); last by lra.
rewrite (_ : a - w < a); last by lra.
rewrite (_ : b - w < b); last by lra.
by rewrite ltxx (ltNge b a) (ltW ab).
Qed.

(** The first ramp climbs from the first piece, w before a, to the second piece at [a]. *)
Lemma slope_aE : slope_a * w = (s2 * a + c2) - (s1 * (a - w) + c1).
Proof. by rewrite /slope_a; have [-> -> _ _] := phi_ends; rewrite mulfVK ?gt_eqF. Qed.
(** The second ramp climbs from the second piece, w before b, to the third piece at b. *)
Lemma slope_bE : slope_b * w = (s3 * b + c3) - (s2 * (b - w) + c2).
Proof. by rewrite /slope_b; have [_ _ -> ->] := phi_ends; rewrite mulfVK ?gt_eqF. Qed.

(** Off the bands nothing has changed. *)
Lemma ramped_off t : ~~ (a - w <= t < a) -> ~~ (b - w <= t < b) -> ramped t = phi t.
Proof.
rewrite /ramped /three_piece.
have [?|?] := ltP t (a - w); first by rewrite (_ : t < a) //; lra.
have [//|?] := ltP t a; have [?|?] := ltP t (b - w); first by rewrite (_ : t < b) //; lra.
by have [] := ltP t b.
Qed.

(** In a band the value is between those at its ends. *)
Definition between t e psi := exists2 l, 0 <= l <= 1 &
  t = l * (e - w) + (1 - l) * e /\ psi t = l * phi (e - w) + (1 - l) * phi e.

Lemma ramped_in_a t : a - w <= t < a -> between t a ramped.
Proof.
move=> /andP[ge lt]; exists ((a - t) / w).
  by rewrite ler_pdivr_mulr // ler_pdivl_mulr //; lra.
have slope := slope_aE; have [-> -> _ _] := phi_ends; rewrite /ramped ltNge ge lt /=.
have : (a - t) / w * w = a - t by rewrite mulfVK ?gt_eqF.
move: (_ / w) => l lw; split; first by lra.
have -> : t - a = - (l * w) by lra.
by rewrite mulrN mulrCA slope; ring.
Qed.

Lemma ramped_in_b t : b - w <= t < b -> between t b ramped.
Proof.
move=> /andP[ge lt]; exists ((b - t) / w).
  by rewrite ler_pdivr_mulr // ler_pdivl_mulr //; lra.
have slope := slope_bE; have [_ _ -> ->] := phi_ends; rewrite /ramped.
have -> : (t < a - w) = false by apply/negbTE; rewrite -leNgt; lra.
have -> : (t < a) = false by apply/negbTE; rewrite -leNgt; lra.
rewrite ltNge ge lt /=.
have : (b - t) / w * w = b - t by rewrite mulfVK ?gt_eqF.
move: (_ / w) => l lw; split; first by lra.
have -> : t - b = - (l * w) by lra.
by rewrite mulrN mulrCA slope; ring.
Qed.

(** Bounds for t and the activation together, at t and the ends of both bands, hold for the ramps as well. *)
Lemma ramped_bounds m lo hi t : (forall x, x \in [:: t; a - w; a; b - w; b] ->
  lo <= m * x + phi x <= hi) -> lo <= m * t + ramped t <= hi.
Proof.
move=> bound.
have in_band e : between t e ramped -> lo <= m * (e - w) + phi (e - w) <= hi ->
    lo <= m * e + phi e <= hi -> lo <= m * t + ramped t <= hi.
  move=> [l /andP[l_ge l_le] [t_l ->]] /andP[lo1 hi1] /andP[lo2 hi2].
  have -> : m * t + (l * phi (e - w) + (1 - l) * phi e) =
    l * (m * (e - w) + phi (e - w)) + (1 - l) * (m * e + phi e) by rewrite {1}t_l; ring.
  by move: (m * (e - w) + _) (m * e + _) lo1 hi1 lo2 hi2 => x y *; nra.
have [/ramped_in_a|off_a] := boolP (a - w <= t < a).
  by move/in_band; apply; apply: bound; rewrite !inE eqxx ?orbT.
have [/ramped_in_b|off_b] := boolP (b - w <= t < b).
  by move/in_band; apply; apply: bound; rewrite !inE eqxx ?orbT.
by rewrite ramped_off //; apply: bound; rewrite inE eqxx.
Qed.

(** A broken line is a straight line and a ReLU for each kink. *)
Lemma ramped_kinks t : ramped t = s1 * t + c1 + (slope_a - s1) * relu (t + (w - a)) +
  (s2 - slope_a) * relu (t + - a) + (slope_b - s2) * relu (t + (w - b)) +
  (s3 - slope_b) * relu (t + - b).
Proof.
have [slope slope'] := (slope_aE, slope_bE).
rewrite /ramped; move: slope_a slope_b slope slope' => m m' slope slope'.
have [t1|t1] := ltP t (a - w); first by rewrite !relu_neg; lra.
rewrite (@relu_pos (t + (w - a))); last by lra.
have [t2|t2] := ltP t a; first by rewrite !relu_neg; lra.
rewrite (@relu_pos (t + - a)); last by lra.
have [t3|t3] := ltP t (b - w); first by rewrite !relu_neg; lra.
rewrite (@relu_pos (t + (w - b))); last by lra.
by have [t4|t4] := ltP t b; [rewrite relu_neg | rewrite relu_pos]; lra.
Qed.

Theorem ramped_four_relus : (s1 == 0) || (s2 == 0) || (s3 == 0) -> four_relus ramped.
Proof.
have [slope slope'] := (slope_aE, slope_bE).
(* 1. Changes of slope at the four kinks. *)
pose r1 := slope_a - s1; pose r2 := s2 - slope_a; pose r3 := slope_b - s2; pose r4 := s3 - slope_b.
(* 2. Left of the constant piece the ReLUs look to the left, right of it to the right. *)
case/orP => [/orP[]|] /eqP flat; [exists c1, r1, 1, (w - a), r2, 1, (- a), r3, 1, (w - b), r4, 1,
  (- b) | exists c2, r1, (-1), (a - w), r2, (-1), a, r3, 1, (w - b), r4, 1, (- b) | exists c3, r1,
  (-1), (a - w), r2, (-1), a, r3, (-1), (b - w), r4, (-1), b] => t.
(* 3. One that looks to the left is one that looks to the right, less a straight line. *)
all: rewrite ramped_kinks ?mul1r ?relu_left ?opprB /r1 /r2 /r3 /r4.
(* 4. And the straight lines together are the constant piece. *)
all: move: slope_a slope_b slope slope' (relu _) (relu _) (relu _) (relu _).
all: by rewrite {}flat => m m' slope slope' x1 x2 x3 x4; lra.
Qed.

End Ramped.

End FourReLUs.
