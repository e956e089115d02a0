(** * Kajitsuka and Sato (2024), Lemma 3

    As printed: along a direction of Lemma 2 for the tokens and 0,
    a head with W_K = u v^T, W_Q = u' v^T and
    |u^T u'| = (|V| + 1)^4 (pi d / 8) delta / (eps r_min)
    gives different tokens scores more than delta apart. For all d >= 1, head sizes, delta > 0. *)
From UAT Require Import transformers.
From mathcomp.analysis Require Import trigo.
From UAT.kajitsuka2024 Require Import definitions inner_product lemma_2.

(** The score of a head of rank one is a product of three numbers. *)
Lemma rank_one_score (R : realType) d s (u u' : 'cV[R]_s) (v a x : 'cV[R]_d) :
  ((u *m v^T *m a)^T *m (u' *m v^T *m x)) 0 0 = dot v a * dot u u' * dot v x.
Proof.
have read (t : 'cV[R]_s) y : t *m v^T *m y = dot v y *: t.
  apply/colP => i; rewrite -mulmxA mxE big_ord1 !mxE mulrC; congr (_ * _).
  by apply: eq_bigr => j _; rewrite mxE.
rewrite !read -scalemxAr mxE mxE mulr_sumr [RHS]mulrC [dot u u']/dot mulr_sumr mulr_sumr.
by apply: eq_bigr => j _; rewrite !mxE; congr (_ * _); exact: esym (mulrA _ _ _).
Qed.

(** Three factors, of which one is at least what the other two lack: their product is more than delta. *)
Lemma product_of_three (R : realFieldType) (c eps r_min delta p q t : R) :
  0 < c -> 0 < eps -> 0 < r_min -> 0 < delta ->
  c * eps < p -> q = delta / (c ^+ 2 * eps * r_min) -> c * r_min < t -> delta < p * q * t.
Proof.
move=> c0 e0 r0 d0 lt_p qE lt_t; have q0 : 0 < q.
  by rewrite qE; apply: divr_gt0 => //; rewrite mulr_gt0 // mulr_gt0 // exprn_gt0.
have {1}-> : delta = c * eps * q * (c * r_min) by rewrite qE; field; rewrite !gt_eqF.
have ce : 0 <= c * eps * q by apply/ltW; rewrite mulr_gt0 // mulr_gt0.
have cr : 0 <= c * r_min by apply/ltW; rewrite mulr_gt0.
have lt_pq : c * eps * q < p * q by rewrite ltr_pmul2r.
exact: ltr_pmul ce cr lt_pq lt_t.
Qed.

(** Lemma 3. *)
Theorem lemma_3 (R : realType) (d : nat) (V : seq 'cV[R]_d.+1) (r_min eps delta : R) :
  0 < r_min -> 0 < eps -> 0 < delta -> uniq V ->
  (forall x, x \in V -> r_min < norm x) ->
  (forall x y, x \in V -> y \in V -> x != y -> eps < norm (x - y)) ->
  exists2 v, dot v v = 1 &
    (forall s (u u' : 'cV[R]_s),
      `|dot u u'| = (size V + 1)%:R ^+ 4 * (pi * d.+1%:R / 8%:R) * (delta / (eps * r_min)) ->
      forall a b x, a \in V -> b \in V -> x \in V -> a != b ->
      delta < `| ((u *m v^T *m a)^T *m (u' *m v^T *m x)) 0 0
                 - ((u *m v^T *m b)^T *m (u' *m v^T *m x)) 0 0 |)
    /\ (forall x, x \in V -> (size V + 1)%:R ^- 2 * Num.sqrt (8%:R / (pi * d.+1%:R)) * norm x
          <= `|dot v x| <= norm x).
Proof.
(* 1. A direction [v] that keeps the share [c] of all distances, and of lengths, which are distances
   from 0: V and 0 are |V| + 1 vectors. *)
move=> r0 e0 d0 uniq_V low far.
have out : 0 \notin V by apply/negP => /low; rewrite norm0 ltNge ltW.
have [v unit_v] := lemma_2_with_0 out; rewrite undup_id //; set c := share _ _ _ => keep.
have c0 : 0 < c := share_gt0 R d (size V).
have keep0 x : x \in V -> c * norm x <= `|dot v x| <= norm x.
  by move=> xV; have := keep x 0; rewrite subr0 !inE xV eqxx orbT => /(_ isT isT).
exists v => //; split=> // s u u' size_uu a b x aV bV xV ab.
(* 2. A difference of two scores has three factors. That of the tokens is more than c eps, and that
   of the listener more than c r_min, ... *)
rewrite !rank_one_score -!mulrBl -dotB !normrM.
have /andP[le_ab _] := keep a b (mem_behead (s := 0 :: V) aV) (mem_behead (s := 0 :: V) bV).
have /andP[le_x _] := keep0 x xV.
have lt_ab : c * eps < `|dot v (a - b)| by apply: lt_le_trans le_ab; rewrite ltr_pmul2l ?far.
have lt_x : c * r_min < `|dot v x| by apply: lt_le_trans le_x; rewrite ltr_pmul2l ?low.
(* 3. ... and the third is made to measure. *)
apply: (product_of_three c0 e0 r0 d0 lt_ab _ lt_x); rewrite size_uu (share_sqr R d (size V)).
have pi0 : 0 < pi * d.+1%:R :> R by rewrite mulr_gt0 ?pi_gt0 ?ltr0n.
have V0 : 0 < (size V + 1)%:R :> R by rewrite ltr0n addn1.
by move: (pi * _) pi0 (_ + 1)%:R V0 => P P0 w w0; field; rewrite !gt_eqF.
Qed.
