(** * Ramps: feed-forward layers round to cells (Cheng et al. 2025, proof of Theorem 1)

    The numbers from -D to D are cut into N cells. Layers of bends take the k-th cell, but for
    strips of width tau at its ends, as near as one likes to the number k + 1. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers proposition_2.

Section Ramps.

Variables (R : realFieldType) (D : R) (N : nat).
Hypotheses (D_gt0 : 0 < D) (N_gt0 : (0 < N)%N).

(** The width of a cell: N cells fill the interval from - D to D. *)
Definition width : R := 2%:R * D / N%:R.
(** The edges of the cells: cell number k + 1 begins at edge k, and ends at the next. *)
Definition edge (k : nat) : R := - D + k%:R * width.
(** The centre of the cell with number y, counted from 1. *)
Definition centre (y : R) : R := - D + (y - 2%:R^-1) * width.

(** Cells have a positive width. *)
Lemma width_gt0 : 0 < width.
Proof. by rewrite divr_gt0 ?mulr_gt0 ?ltr0n. Qed.

(** Each end of a cell is a width further than the one before. *)
Lemma edgeS k : edge k.+1 = edge k + width.
Proof. by rewrite /edge -[k.+1]addn1 natrD mulrDl mul1r addrA. Qed.

(** The first end is -D. *)
Lemma edge0 : edge 0 = - D. Proof. by rewrite /edge mul0r addr0. Qed.
(** The last end is D. *)
Lemma edgeN : edge N = D.
Proof. by rewrite /edge mulrC divfK ?pnatr_eq0 -?lt0n // mulr_natl mulr2n addKr. Qed.

(** Whoever is tau away from all ends is in a cell, and tau away from its ends. *)
Lemma some_cell tau x : - D <= x <= D -> (forall k, (k <= N)%N -> tau <= `|x - edge k|) ->
  exists2 k, (k < N)%N & edge k + tau <= x <= edge k.+1 - tau.
Proof.
rewrite -edge0 -edgeN => /find_piece[N0|[k k_lt /andP[lo hi]]] far.
  by move: N_gt0; rewrite N0.
have := far k (ltnW k_lt); rewrite ger0_norm ?subr_ge0 // => lo_far.
have := far k.+1 k_lt; rewrite distrC ger0_norm ?subr_ge0 // => hi_far.
by exists k; rewrite // ler_subr_addl -ler_subr_addr hi_far -ler_subr_addl lo_far.
Qed.

(** The centre is near all numbers of the cell. *)
Lemma centre_near k x : edge k <= x <= edge k.+1 -> `|centre k.+1%:R - x| <= width.
Proof.
have -> : centre k.+1%:R = edge k + width / 2%:R.
  by rewrite /centre /edge -[k.+1]addn1 natrD; move: (k%:R : R) width => *; lra.
by rewrite edgeS ler_norml; have := width_gt0; move: width (edge k) => *; lra.
Qed.

(** Layers of bends rise slowly, from k + 1 to k + 1 + e, but for the last r at either end of the k-th cell, and nowhere
    fall. *)
Lemma staircase r e : 0 < r -> r <= width / 4%:R -> 0 < e -> e <= 2%:R^-1 -> exists L,
  (forall y z, y <= z -> bends L y <= bends L z) /\ forall k, (k < N)%N ->
  bends L (edge k + r) = k.+1%:R /\ bends L (edge k + (width - r)) = k.+1%:R + e.
Proof.
move=> r_gt0 r_w e_gt0 e_1; have w_gt0 := width_gt0.
pose t i := edge i./2 + (if odd i then width - r else r).
pose v i := (i./2).+1%:R + (if odd i then e else 0) : R.
have t_inc i : (i < N.*2)%N -> t i < t i.+1.
  move=> _; rewrite /t /= uphalf_half; case: (odd i) => /=; rewrite ?add1n ?add0n ?edgeS;
    move: (edge _) => *; lra.
have v_inc i : (i < N.*2)%N -> v i < v i.+1.
  move=> _; rewrite /v /= uphalf_half; case: (odd i) => /=; rewrite ?add1n ?add0n.
    rewrite -[_.+2]addn1 natrD; move: (_%:R) => z; lra.
  by rewrite addr0 ltr_addl.
have [L [_ L_inc L_t]] := bends_through t_inc v_inc; exists L; split=> [y z|k k_lt].
  by rewrite le_eqVlt => /predU1P[->//|/L_inc/ltW].
have k2 : (k.*2 < N.*2)%N by rewrite ltn_double.
have := L_t k.*2 (ltnW k2); have := L_t k.*2.+1 k2.
by rewrite /t /v /= uphalf_double doubleK odd_double /= addr0.
Qed.

(** Layers of bends take numbers in a cell, tau away from its ends, as near as one likes to the number of the cell. *)
Lemma ramps tau eta : 0 < tau -> 0 < eta -> exists L, forall k x, (k < N)%N ->
  edge k + tau <= x <= edge k.+1 - tau -> `|bends L x - k.+1%:R| <= eta.
Proof.
move=> tau_gt0 eta_gt0; have w_gt0 := width_gt0.
(* 1. Steeply up inside the strips, nearly level between them. *)
pose r := Num.min tau (width / 4%:R); pose e := Num.min eta 2%:R^-1.
have [r_gt0 r_tau r_w] : [/\ 0 < r, r <= tau & r <= width / 4%:R].
  by rewrite lt_minr tau_gt0 divr_gt0 ?ltr0n //= !le_minl !lexx orbT.
have [e_gt0 e_eta e_1] : [/\ 0 < e, e <= eta & e <= 2%:R^-1].
  by rewrite lt_minr eta_gt0 invr_gt0 ltr0n /= !le_minl !lexx orbT.
have [L [mono L_ends]] := staircase r_gt0 r_w e_gt0 e_1; exists L => k x /L_ends[down up] /andP[lo hi].
(* 2. So numbers in between come between k + 1 and k + 1 + e. *)
have /mono : edge k + r <= x by move: lo; move: (edge k) => *; lra.
have /mono : x <= edge k + (width - r) by move: hi; rewrite edgeS; move: (edge k) => *; lra.
rewrite up down ler_norml; move: (bends L x) (k.+1%:R) => y z *; lra.
Qed.

End Ramps.
