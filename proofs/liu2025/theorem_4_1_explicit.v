(** * Theorem 4.1 with all sizes, for Lipschitz functions on a box

    For every f that is L-Lipschitz in the largest entry on [-D, D]^(d x n), the matrices of the
    head are written down. The head has 2 d P^(d n) columns and n + 2 rows of keys, and is within
    eps if P >= 3 L D / eps and its sharpness is 2 / (3 h^2) ln (1 + 2 L D P^(d n) / (eps / 3)),
    with h = D / P (the book's bound "chain"; the paper, mended: ln (6 B_0 P^(d n) / eps)). At the
    book's own sharpness (1 + ln (2.04 d n)) / h^2 it is within 1.55 L h, and with 2 in place of
    2.04 within 5/3 L h, for every P >= 1. *)
From UAT Require Import transformers analysis.
From mathcomp.analysis Require Import Rstruct.
From UAT.liu2025 Require Import layers softmax_mean smoother grid sharpness riding self_attention.
From UAT.liu2025 Require Import grid_and_sharpness grid_and_sharpness_book theorem_4_1.

(** The reals of Coq's library are such reals. *)
Definition theorem_4_1_R := theorem_4_1 (R := [realType of Rdefinitions.R]).

Section Explicit.

Variables (R : realType) (d n P : nat) (D L B eps : R).
Variable f : 'M[R]_(d, n) -> 'M[R]_(d, n).
Hypotheses (D_gt0 : 0 < D) (L_ge0 : 0 <= L) (eps_gt0 : 0 < eps) (P_gt0 : (0 < P)%N).

(** All entries lie between - D and D. *)
Definition in_box (Z : 'M[R]_(d, n)) := forall s k, `|Z s k| <= D.

(** In the largest entry, on the box, [f] is [L]-Lipschitz, and below [B]. *)
Hypothesis f_lip : forall Y Z e, in_box Y -> in_box Z ->
  (forall s k, `|Y s k - Z s k| <= e) -> forall s k, `|f Y s k - f Z s k| <= L * e.
Hypothesis f_lt_B : forall Z, in_box Z -> forall s k, `|f Z s k| < B.

Let T := [finType of 'I_d * 'I_n].
Let J := [finType of cell T P].
Let h := D / P%:R.

(** The centres of the grid. *)
Definition places : J -> T -> R := @centre R T P h.
(** What f says at the centres. *)
Definition values (j : J) (t : T) : R := f (unflat (places j)) t.1 t.2.

(** There are 2 d P^{d n} columns. *)
Lemma number_of_columns : slots J d = (2 * d * P ^ (d * n))%N.
Proof. by rewrite slotsE card_cell card_prod !card_ord. Qed.

(** The head at the sharpness [rho], listening in the columns [pos]. *)
Variable pos : 'I_n -> 'I_(slots J d).
Hypothesis pos_inj : injective pos.

(** The head of the theorem: it has the smoother's values on the grid, with the sharpness [rho]. *)
Definition the_head (rho : R) (Z : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  attn (self_W_K B places values) (self_W_Q rho pos) (self_W_V R J d) (self_W_O B pos)
    (linear (@self_A R J d) (self_B places) (self_M R J d) Z).

(** A vector in the box is a sequence in the box. *)
Lemma unflat_in_box (x : T -> R) : (forall t, `|x t| <= D) -> in_box (unflat x).
Proof. by move=> x_box s k; rewrite mxE. Qed.

(** The head is the smoother, whatever its sharpness. *)
Lemma the_headE rho Z s k : the_head rho Z s k = smoother rho places values (flat Z) (s, k).
Proof.
apply: self_attentionE => // j t; apply/f_lt_B/unflat_in_box => i.
have h_gt0 : 0 < h by rewrite divr_gt0 ?ltr0n.
have := centre_in_box h_gt0 j i; rewrite [_ * (D / _)]mulrC divfK //.
by rewrite pnatr_eq0 -lt0n.
Qed.

(** [f] as a function of vectors is Lipschitz, too. *)
Let F (x : T -> R) (t : T) := f (unflat x) t.1 t.2.

(** As a function of vectors f is Lipschitz, too. *)
Lemma flat_lip x y e : (forall t, `|x t| <= D) -> (forall t, `|y t| <= D) ->
  (forall t, `|x t - y t| <= e) -> forall t, `|F x t - F y t| <= L * e.
Proof.
move=> x_box y_box x_y t.
by apply: f_lip => [||s k]; [exact: unflat_in_box.. | rewrite !mxE].
Qed.

(** A sharpness at which cells that are far add no more than eps / 3. *)
Definition sharp : R := sharpness h (P ^ (d * n)) (2%:R * L * D) (eps / 3%:R).

(** At this sharpness the head is within eps. *)
Theorem theorem_4_1_explicit : 3%:R * L * D / eps <= P%:R ->
  forall Z, in_box Z -> forall s k, `|the_head sharp Z s k - f Z s k| <= eps.
Proof.
(* 1. The head is the smoother, so it is enough to know how far that is from f. *)
move=> P_large Z Z_box s k; rewrite the_headE.
(* 2. On a grid with so many cells a side, and with this sharpness, the smoother of a Lipschitz
   function is within eps. *)
have := lipschitz_head D_gt0 L_ge0 eps_gt0 P_gt0 flat_lip P_large.
rewrite card_prod !card_ord -/h -/sharp => /(_ (flat Z) _ (s, k)).
(* 3. A matrix in the box is a point of the box, read entry by entry. *)
by rewrite /F flatK; apply => t; apply: Z_box.
Qed.

(** The book's sharpness: with it the error is at most 1.55 L h. *)
Definition book_sharp : R := (1 + ln (51%:R / 25%:R * (d * n)%:R)) / h ^+ 2.
(** A rounder sharpness, with 2 for 51/25: the error is at most 5/3 L h. *)
Definition round_sharp : R := (1 + ln (2%:R * (d * n)%:R)) / h ^+ 2.

(** The head errs by at most 1.55 L h at the book's sharpness. *)
Theorem book_sharp_head : forall Z, in_box Z -> forall s k,
  `|the_head book_sharp Z s k - f Z s k| <= 31%:R / 20%:R * (L * h).
Proof.
move=> Z Z_box s k; rewrite the_headE.
have T_gt0 : (0 < #|T|)%N by apply/card_gt0P; exists (s, k).
have := grid_and_sharpness_book D_gt0 L_ge0 P_gt0 T_gt0 flat_lip (x := flat Z) (s, k).
rewrite card_prod !card_ord -/h -/book_sharp /F flatK.
by apply => t; apply: Z_box.
Qed.

(** The head errs by at most 5/3 L h at the rounder one. *)
Theorem round_sharp_head : forall Z, in_box Z -> forall s k,
  `|the_head round_sharp Z s k - f Z s k| <= 5%:R / 3%:R * (L * h).
Proof.
move=> Z Z_box s k; rewrite the_headE.
have T_gt0 : (0 < #|T|)%N by apply/card_gt0P; exists (s, k).
have := grid_and_sharpness D_gt0 L_ge0 P_gt0 T_gt0 flat_lip (x := flat Z) (s, k).
rewrite card_prod !card_ord -/h -/round_sharp /F flatK.
by apply => t; apply: Z_box.
Qed.

End Explicit.
