(** * Kajitsuka and Sato (2024), Corollary 2: memorising with positions

    For any finite family of tokenwise (r_min, r_max, eps)-separated sequences, in which tokens may
    repeat, and labels that are equal for equal sequences, there are positions E, one softmax head
    with W_V, W_K and W_Q of rank 1, and one feed-forward layer of ReLUs that send X + E to its
    labels, exactly, for every X of the family. For all n >= 1, d >= 1 and head sizes s >= 1.

    The positions are the repaired ones: E_k = 4 k r_max e with one unit vector e. (With the printed
    E_k = 2 k r_max (1, ..., 1) tokens at different places may come closer than eps.) Then X + E is
    (3 r_max, (4 n + 1) r_max, min(eps, 2 r_max))-separated, [positions_separate].
    Weights are counted as in Corollary 1: at most 4 (s + d) + d (2 n N + d), positions apart.
    Differs from the printed text: labels are any real vectors, not only whole numbers up to C. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix mxalgebra ring.
From mathcomp.analysis Require Import reals.
From UAT Require Import transformers.
From UAT Require Import lra.
From UAT.kajitsuka2024 Require Import definitions inner_product corollary_1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Positions.

Variables (R : rcfType) (d n : nat) (I : Type) (X : I -> 'M[R]_(d.+1, n.+1)).
Variables (r_min r_max eps : R).
Hypothesis X_sep : separated X r_min r_max eps.
Hypothesis r_max_gt0 : 0 < r_max.

(** The unit vector e, and the positions. *)
Definition direction : 'cV[R]_d.+1 := delta_mx 0 0.
Definition positions : 'M[R]_(d.+1, n.+1) :=
  \matrix_(i, k) (4%:R * k.+1%:R * r_max * direction i 0).

Notation token i k := (col k (X i)).
Notation placed i k := (col k (X i + positions)).

Lemma unit_direction : dot direction direction = 1.
Proof. by rewrite dot_delta mxE !eqxx. Qed.

Lemma placedE i k : placed i k = token i k + (4%:R * k.+1%:R * r_max) *: direction.
Proof. by apply/colP => j; rewrite !mxE. Qed.

(** Along e a token is less than r_max from its place. *)
Lemma near_place i k : `|dot direction (placed i k) - 4%:R * k.+1%:R * r_max| < r_max.
Proof.
rewrite placedE dot_add unit_direction mulr1 addrK.
by apply: le_lt_trans (unit_le _ unit_direction) _; have [_ lt _] := X_sep; apply: lt.
Qed.

Lemma places_apart i j k l : k != l -> 2%:R * r_max < norm (placed i k - placed j l).
Proof.
move=> k_l; apply: lt_le_trans (unit_le _ unit_direction); rewrite dotB.
have := near_place i k; have := near_place j l.
move: (dot _ (placed i k)) (dot _ (placed j l)) => x y; rewrite !ltr_distl.
wlog lt : k l x y k_l / (k < l)%N.
  move=> wlog_lt; have := k_l; rewrite neq_ltn => /orP[|] lt y_l x_k; first exact: wlog_lt y_l x_k.
  by rewrite distrC; apply: (wlog_lt l k) => //; rewrite eq_sym.
have : k.+1%:R + 1 <= l.+1%:R :> R by rewrite -mulrSr ler_nat.
rewrite ltr_normr; move: k.+1%:R l.+1%:R => p q /(ler_wpmul2r (ltW r_max_gt0)) p_q.
by move=> /andP[? ?] /andP[? ?]; apply/orP; right; lra.
Qed.

(** X + E is separated, and no token occurs twice. *)
Theorem positions_separate : separated (fun i => X i + positions)
    (3%:R * r_max) ((4%:R * n.+1%:R + 1) * r_max) (Num.min eps (2%:R * r_max)) /\
  no_duplicates (fun i => X i + positions).
Proof.
split; [split=> [i k|i k|i j k l ne] | move=> i k l same].
- (* 1. A token is far from 0, as its place is at least 4 r_max. *)
  apply: lt_le_trans (unit_le _ unit_direction); have := near_place i k.
  have : 1 <= k.+1%:R :> R by rewrite ler1n.
  rewrite ltr_distl ltr_normr; move: (dot _ _) k.+1%:R => x p /(ler_wpmul2r (ltW r_max_gt0)).
  by rewrite mul1r => le /andP[? ?]; apply/orP; left; lra.
- (* 2. It is not too far: the last place is 4 n r_max. *)
  rewrite placedE; apply: le_lt_trans (ler_normD _ _) _; have [_ /(_ i k) lt _] := X_sep.
  rewrite normZ /norm unit_direction sqrtr1 mulr1 ger0_norm; last first.
    by rewrite !mulr_ge0 ?ler0n ?(ltW r_max_gt0).
  rewrite addrC mulrDl mul1r ler_lt_add // ler_wpmul2r ?(ltW r_max_gt0) //.
  by rewrite ler_wpmul2l ?ler0n ?ler_nat.
- (* 3. Two tokens at one place differ as before, at two places by 2 r_max. *)
  rewrite lt_minl; have [kl|/(places_apart i j) ->] := eqVneq k l; last by rewrite orbT.
  move: ne; rewrite kl !placedE => ne; rewrite opprD addrACA subrr addr0.
  have [_ _ ->] := X_sep => //; apply: contra_neq ne => ->; by [].
(* 4. At two places there are different tokens. *)
apply/eqP; apply: contraT => /(places_apart i i); rewrite same subrr norm0 => lt.
by move: lt; rewrite ltNge mulr_ge0 ?ler0n ?ltW.
Qed.

End Positions.

Theorem corollary_2 (R : realType) (d n s : nat) (I : finType) (X Y : I -> 'M[R]_(d.+1, n.+1))
    (r_min r_max eps : R) :
  0 < r_min -> r_min < r_max -> 0 < eps -> separated X r_min r_max eps ->
  (forall i j, X i = X j -> Y i = Y j) ->
  exists (E : 'M[R]_(d.+1, n.+1)) (g : one_layer R d.+1 s.+1),
  [/\ (count_weights g <= 4 * (s.+1 + d.+1) + d.+1 * (2 * n.+1 * #|I| + d.+1))%N, ranks_1 g &
      forall i, apply_layer g (X i + E) = Y i].
Proof.
move=> r0 r_r e0 sep same_label; have rm0 : 0 < r_max by apply: lt_trans r_r.
(* 1. With positions the family is separated, and no token occurs twice. *)
have [sep' nodup] := positions_separate sep rm0.
set E := positions d n r_max in sep' nodup; exists E.
have e0' : 0 < Num.min eps (2%:R * r_max) by rewrite lt_minr e0 mulr_gt0 ?ltr0n.
have r0' : 0 < 3%:R * r_max by rewrite mulr_gt0 ?ltr0n.
(* 2. Equal sets of tokens are equal sequences: a token says where it is. *)
have labels : consistent (fun i => X i + E) Y.
  move=> i j k l same_voc same.
  have same_place k' l' : col k' (X i + E) = col l' (X j + E) -> k' = l'.
    move=> eq_kl; apply/eqP; apply: contraT => /(places_apart sep rm0 i j).
    by rewrite eq_kl subrr norm0 ltNge mulr_ge0 ?ler0n ?ltW.
  suff eq_X : X i = X j by rewrite (same_label _ _ eq_X) (same_place _ _ same).
  apply/(addIr E)/matrixP => a k'.
  have : col k' (X i + E) \in vocabulary (X j + E).
    by rewrite -same_voc; apply/mapP; exists k'; rewrite ?mem_enum.
  move=> /mapP[l' _ eq_col]; have := eq_col; rewrite -(same_place _ _ eq_col) => /colP/(_ a).
  by rewrite [LHS]mxE [RHS]mxE.
(* 3. Corollary 1 for the sequences with their positions. *)
by have [g gE] := corollary_1 s r0' e0' sep' nodup labels; exists g.
Qed.
