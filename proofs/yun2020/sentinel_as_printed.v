(** * The slides' sentinel as printed: a sequence with a sentinel gets ids of the band

    The slides send entries outside [0, 1) to - delta^{nd}, and say of the contextual mapping that
    no such sequence has all its ids in [a, b] (property 2b). With N = 3, n = 2, d = 1 the sequence
    (-1/9, 1/3), the first of which is that sentinel, has all ids in the band [t_l, t_r] of the
    layers of Lemma 8 ([sentinel_as_printed_is_false]). With the paper's - delta^{-nd} the property
    holds: [sentinel.v]. The slides do not print the layers; these are the paper's, which they
    summarize. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid selective_shift context_layers lemma_8 soft_shift.

Section Sentinel.

Variable R : realFieldType.
Notation u := (u R 3 0).
Implicit Types (x y lo hi b scale : R).

(** Two tokens, the ids of which they are. *)
Definition two x y : 'M[R]_(1, 2) := \matrix_(i, k) if k == ord0 then x else y.

(** Each of the two tokens is its own id. *)
Lemma id_two x y k : (u *m two x y) ord0 k = two x y ord0 k.
Proof. by rewrite mxE big_ord_recl big_ord0 addr0 [u _ _]mxE mul1r. Qed.

(** A head hears the larger number above its threshold, the smaller one below it. *)
Lemma psi_two b scale x y lo hi k : lo < hi -> x = lo /\ y = hi \/ x = hi /\ y = lo ->
  two x y ord0 k < b \/ b < two x y ord0 k -> forall i,
  (W_O (weights (@psi R 3 0 b scale)) *m head_with_bias (fun J => @hardmax R J) u u u
    (const_mx (- b)) (two x y)) i k = scale * (if b < two x y ord0 k then hi else lo).
Proof.
move=> lo_hi xy off i; rewrite mxE big_ord_recl big_ord0 addr0 [_ i ord0]mxE.
have -> : @e_1 R 0 i ord0 = 1 by rewrite mxE (ord1 i).
rewrite mulr1; congr (_ * _).
rewrite mxE; pose S := (u *m two x y)^T *m (u *m two x y + bias 2 (const_mx (- b) : 'cV_1)).
have SE j : S j k = two x y ord0 j * (two x y ord0 k - b).
  rewrite mxE big_ord_recl big_ord0 addr0 [_^T _ _]mxE id_two.
  have addE (A B : 'M[R]_(1, 2)) s t : (A + B) s t = A s t + B s t by rewrite mxE.
  by rewrite addE id_two [bias _ _ _ _]mxE [const_mx _ _ _]mxE.
pose s j := S j k; under eq_bigr do rewrite id_two [columns _ _ _ _]mxE.
apply: (hardmax_hears ord0) => j j_best.
have := j_best ord0; have := j_best ord_max; rewrite !SE.
have e0 : two x y ord0 ord0 = x by rewrite mxE.
have e1 : two x y ord0 ord_max = y by rewrite mxE.
rewrite e0 e1; move: (two x y ord0 k) off => t off.
have [->|->] : two x y ord0 j = x \/ two x y ord0 j = y by rewrite mxE; case: eqP; [left | right].
  by case: ltP => ?; case: off => ?; case: xy => -[-> ->] *; nra.
by case: ltP => ?; case: off => ?; case: xy => -[-> ->] *; nra.
Qed.

(** A sequence of two tokens is [two] of these. *)
Lemma two_eq (X : 'M[R]_(1, 2)) x y : X ord0 ord0 = x -> X ord0 ord_max = y -> X = two x y.
Proof.
move=> X_x X_y; apply/matrixP => i k; rewrite (ord1 i) mxE.
have [->|->] : k = ord0 \/ k = ord_max by case: k => -[|[|//]] lt; [left | right]; apply: val_inj.
  by rewrite X_x.
by rewrite X_y.
Qed.

(** What a token t hears of two numbers through a head with the threshold b: above it hi, else lo. *)
Definition hear lo hi b (t : R) := if b < t then hi else lo.
(** The number t is not the threshold b. *)
Definition off b (t : R) := t < b \/ b < t.

(** If no threshold is met exactly, then the shift at a level adds to each token three times what its first head hears
    less what its second one hears. *)
Lemma shift_two c x y lo hi : let b := threshold R 3 c in let b' := threshold R 3 c.+1 in
  lo < hi -> x = lo /\ y = hi \/ x = hi /\ y = lo -> off b x -> off b' x -> off b y -> off b' y ->
  @shift_layer R 3 0 2 c (two x y) =
  two (x + 3%:R * (hear lo hi b x - hear lo hi b' x))
      (y + 3%:R * (hear lo hi b y - hear lo hi b' y)).
Proof.
move=> b b' lo_hi xy b_x b'_x b_y b'_y.
have e0 : two x y ord0 ord0 = x by rewrite mxE.
have e1 : two x y ord0 ord_max = y by rewrite mxE.
apply: two_eq; rewrite /shift_layer /shift_heads two_heads.
  rewrite [X in _ + (X + _)](psi_two _ lo_hi xy) ?e0 //.
  by rewrite [X in _ + (_ + X)](psi_two _ lo_hi xy) ?e0 // mulNr -mulrBr.
rewrite [X in _ + (X + _)](psi_two _ lo_hi xy) ?e1 //.
by rewrite [X in _ + (_ + X)](psi_two _ lo_hi xy) ?e1 // mulNr -mulrBr.
Qed.

(** The lift adds 27 times the larger one to two different positive tokens. *)
Lemma lift_two x y lo hi : lo < hi -> x = lo /\ y = hi \/ x = hi /\ y = lo -> 0 < x -> 0 < y ->
  @lift_layer R 3 0 2 (two x y) = two (x + 27%:R * hi) (y + 27%:R * hi).
Proof.
move=> lo_hi xy x_gt0 y_gt0.
have e0 : two x y ord0 ord0 = x by rewrite mxE.
have e1 : two x y ord0 ord_max = y by rewrite mxE.
have power : (3 ^ 1)%N%:R ^+ 3 = 27%:R :> R by rewrite expn1 -natrX.
have addE (A B : 'M[R]_(1, 2)) s t : (A + B) s t = A s t + B s t by rewrite mxE.
apply: two_eq; rewrite /lift_layer /lift_heads /attention_with_bias big_seq1 addE power.
  by rewrite (psi_two _ lo_hi xy) ?e0 ?x_gt0 //; right.
by rewrite (psi_two _ lo_hi xy) ?e1 ?y_gt0 //; right.
Qed.

(** The sentinel of the slides at N = 3, n = 2, d = 1. *)
Definition printed_sentinel : R := - delta R 3 ^+ 2.

Ltac numbers := rewrite /off /hear /threshold /delta;
  first [lra | by left; split; lra | by right; split; lra | left; lra | right; lra |
    congr two; (do 4 try case: ltP => ?); lra].

(** The layers take (-1/9, 1/3) to (11/9 + 81, 84). *)
Lemma g_c_printed : g_c 3 (two printed_sentinel 3%:R^-1) = two (11%:R / 9%:R + 81%:R) 84%:R.
Proof.
have -> : printed_sentinel = - 9%:R^-1 by rewrite /printed_sentinel /delta exprVn -natrX.
rewrite /g_c /context_layers /sweep_layers /=.
(* 1. Level 0: the sentinel is between the two thresholds and jumps. *)
have -> : @shift_layer R 3 0 2 0 (two (- 9%:R^-1) 3%:R^-1) = two (11%:R / 9%:R) 3%:R^-1.
  by rewrite (@shift_two 0 _ _ (- 9%:R^-1) 3%:R^-1); numbers.
(* 2. Level 1: the other token jumps. *)
have -> : @shift_layer R 3 0 2 1 (two (11%:R / 9%:R) 3%:R^-1) = two (11%:R / 9%:R) 3%:R.
  by rewrite (@shift_two 1 _ _ 3%:R^-1 (11%:R / 9%:R)); numbers.
(* 3. Level 2: nobody jumps. *)
have -> : @shift_layer R 3 0 2 2 (two (11%:R / 9%:R) 3%:R) = two (11%:R / 9%:R) 3%:R.
  by rewrite (@shift_two 2 _ _ (11%:R / 9%:R) 3%:R); numbers.
(* 4. The lift adds 27 times the larger number. *)
by rewrite (@lift_two _ _ (11%:R / 9%:R) 3%:R); numbers.
Qed.

(** All ids are in the band. *)
Theorem sentinel_as_printed_is_false : forall k,
  t_l R 3 0 2 <= q 3 (two printed_sentinel 3%:R^-1) k <= t_r R 3 0 2.
Proof.
(* The ids are two numbers, computed above; both lie between the ends of the band. *)
move=> k; rewrite /q g_c_printed id_two /t_l /t_r /delta expn1 !exprS expr0 mxE.
by case: eqP => _; lra.
Qed.

End Sentinel.
