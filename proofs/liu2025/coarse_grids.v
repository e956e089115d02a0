(** * Coarse grids fail: with fewer than L D / eps cells a side no sharpness helps

    The other half of the book's "grid and sharpness", for every P >= 1, h, L >= 0 and every
    sharpness. Differs from the book: the function is a saw in one coordinate, not the distance
    to the nearest centre; what fails is the smoother of this very function, at a corner. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother grid.

Section Coarse.

Variables (R : realType) (T : finType) (t0 : T) (P : nat) (h L : R).
Hypotheses (h_gt0 : 0 < h) (L_ge0 : 0 <= L) (P_gt0 : (0 < P)%N).

(** The cell of the line whose middle is the nearest to u. *)
Definition nearest (u : R) : 'I_P := 
  [arg min_(k < (Ordinal P_gt0 : 'I_P)) (`|u - @middle R P h k| : R)]%O.
(** A saw: [L] times the distance of one coordinate to the nearest middle of a cell. *)
Definition saw (x : T -> R) (_ : unit) : R := L * `|x t0 - middle h (nearest (x t0))|.

(** No middle is nearer than the nearest. *)
Lemma nearest_min u (k : 'I_P) : `|u - middle h (nearest u)| <= `|u - middle h k|.
Proof. by rewrite /nearest; case: arg_minP => // i _; apply. Qed.

(** The saw rises by at most L times the way. *)
Lemma saw_le x y e : `|x t0 - y t0| <= e -> saw x tt - saw y tt <= L * e.
Proof.
move=> x_y; rewrite -mulrBr ler_wpmul2l // ler_subl_addr.
apply: le_trans (nearest_min _ (nearest (y t0))) _.
by apply: le_trans (ler_dist_add (y t0) _ _) _; rewrite ler_add2r.
Qed.

(** The saw moves by at most L times the way. *)
Lemma saw_lipschitz x y e : (forall t, `|x t - y t| <= e) ->
  forall o, `|saw x o - saw y o| <= L * e.
Proof.
move=> x_y [].
by rewrite ler_norml ler_oppl opprB !saw_le // distrC.
Qed.

(** The saw is 0 at all centres. *)
Lemma saw_centre (j : cell T P) o : saw (centre h j) o = 0.
Proof.
apply/eqP; rewrite mulf_eq0 normr_eq0 orbC -normr_eq0 eq_le normr_ge0 andbT.
by apply/orP; left; apply: le_trans (nearest_min _ (j t0)) _; rewrite subrr normr0.
Qed.

(** In the corner of the box every smoother of the saw is wrong by [L h]. *)
Theorem coarse_grids_fail rho : let x := fun=> - (P%:R * h) in
  box P h (x : T -> R) /\
  L * h <= `|smoother rho (centre h) (fun j : cell T P => saw (centre h j)) x tt - saw x tt|.
Proof.
(* 1. The corner lies in the box. *)
move=> x; split.
  by move=> t; rewrite normrN ger0_norm // mulr_ge0 ?ler0n ?ltW.
(* 2. The saw is 0 at all centres, so each mean of its values there is 0, whatever the sharpness. *)
have -> : smoother rho (centre h) (fun j : cell T P => saw (centre h j)) x tt = 0.
  by apply: big1 => j _; rewrite saw_centre mulr0.
(* 3. But in the corner it is at least L h: in the coordinate at which the saw looks, even the nearest middle of a cell
   is at least h away. If it is that of cell k, it is (2 k + 1) h away, since |-P h - (2 k + 1 - P) h| = (2 k + 1) h;
   and 2 k + 1 is at least 1. *)
rewrite sub0r normrN ger0_norm ?mulr_ge0 // ler_wpmul2l //.
have -> : `|x t0 - middle h (nearest (x t0))| = (nearest (x t0)).*2.+1%:R * h.
  by rewrite -normrN opprD !opprK -mulrDl addrCA subrr addr0 ger0_norm ?mulr_ge0 ?ler0n ?(ltW h_gt0).
by rewrite ler_pmull // ler1n.
Qed.

End Coarse.
