(** * Liu et al. (2025), (B.21): far centres weigh little beside the nearest

    If v_m is nearest to x in each coordinate, and within delta/2 of it, then a centre v_j that is
    more than delta from x in one coordinate has less than exp(-3 R delta^2 / 8) times the weight
    of v_m, where weights are softmax of - R/2 |x - v|^2, R > 0. For all sizes. Repaired as in the
    book: near and far in the sup norm (the printed line takes the Euclidean norm, in which v_m may
    be farther than delta/2). On a grid the centre of the cell of x is nearest in each coordinate. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother.

(** (B.21), repaired. *)
Theorem equation_b21 (K : realType) (T J : finType) (v : J -> T -> K) (x : T -> K) (m j : J) (s : T)
    (R delta : K) : 0 < R -> 0 <= delta ->
  (forall t, `|x t - v m t| <= `|x t - v j t|) -> (forall t, `|x t - v m t| <= delta / 2%:R) ->
  delta < `|x s - v j s| ->
  let weight := softmax (fun j => - (R / 2%:R) * dist2 x (v j)) in
  weight j < expR (- (3%:R * R * delta ^+ 2 / 8%:R)) * weight m.
Proof.
(* 1. [apart]: the squared distances differ by more than 3/4 delta^2. In the coordinate s they do, where
   v_m is [near] and v_j [far]; and in no other by less than 0, as v_m is [nearest]. *)
move=> R_gt0 delta_ge0 nearest near far; cbv zeta; set weight := softmax _.
have apart : dist2 x (v m) + 3%:R * delta ^+ 2 / 4%:R < dist2 x (v j).
  rewrite /dist2 (bigD1 s) //= [X in _ < X](bigD1 s) //= addrAC ltr_le_add //; last first.
    apply: ler_sum => t _; rewrite -(sqr_norm (x t - v m t)) -(sqr_norm (x t - v j t)).
    by rewrite ler_expn2r ?nnegrE.
  rewrite -(sqr_norm (x s - v m s)) -(sqr_norm (x s - v j s)).
  have near_s : `|x s - v m s| ^+ 2 <= (delta / 2%:R) ^+ 2.
    by rewrite ler_expn2r ?nnegrE ?divr_ge0 ?ler0n.
  have far_s : delta ^+ 2 < `|x s - v j s| ^+ 2 by rewrite ltr_expn2r ?nnegrE.
  by apply: le_lt_trans far_s; apply: (le_from near_s); field.
(* 2. The quotient of two weights is the exponential of the difference of their scores, which are - R/2
   times the squared distances. *)
rewrite /weight /softmax mulrA -expRD ltr_pmul2r ?ltr_expR; last first.
  rewrite invr_gt0 (bigD1 m) //= ltr_paddr ?expR_gt0 // sumr_ge0 // => i _.
  exact/ltW/expR_gt0.
have half : 0 < R / 2%:R by rewrite divr_gt0 ?ltr0n.
have := apart; rewrite -(ltr_pmul2l half) !mulNr -opprD ltr_opp2; apply: le_lt_trans.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.
