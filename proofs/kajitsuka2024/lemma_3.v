(** * Kajitsuka and Sato (2024), Lemma 3

    As printed: along a direction of Lemma 2 for the tokens and 0,
    a head with W_K = u v^T, W_Q = u' v^T and
    |u^T u'| = (|V| + 1)^4 (pi d / 8) delta / (eps r_min)
    gives different tokens scores more than delta apart. For all d >= 1, head sizes, delta > 0. *)
From UAT Require Import transformers.
From mathcomp.analysis Require Import trigo.
From UAT.kajitsuka2024 Require Import definitions inner_product lemma_2.

Lemma rank_one_score (R : realType) d s (u u' : 'cV[R]_s) (v a x : 'cV[R]_d) :
  ((u *m v^T *m a)^T *m (u' *m v^T *m x)) 0 0 = dot v a * dot u u' * dot v x.
Proof.
have read (t : 'cV[R]_s) y : t *m v^T *m y = dot v y *: t.
  apply/colP => i; rewrite -mulmxA mxE big_ord1 !mxE mulrC; congr (_ * _).
  by apply: eq_bigr => j _; rewrite mxE.
rewrite !read -scalemxAr mxE mxE mulr_sumr [RHS]mulrC [dot u u']/dot mulr_sumr mulr_sumr.
by apply: eq_bigr => j _; rewrite !mxE; congr (_ * _); exact: esym (mulrA _ _ _).
Qed.

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
move=> r0 e0 d0 uniq_V low far; have [v unit_v keep] := lemma_2 (0 :: V).
(* 1. V and 0 are |V| + 1 vectors. *)
have out : 0 \notin V by apply/negP => /low; rewrite norm0 ltNge ltW.
have count : size (undup (0 :: V)) = (size V + 1)%N.
  by rewrite /= (negPf out) /= undup_id // addn1.
rewrite count in keep; set W := (size V + 1)%N in keep *.
set c := _^-2 * _ in keep *; have pi0 : 0 < pi * d.+1%:R :> R by rewrite mulr_gt0 ?pi_gt0 ?ltr0n.
have W0 : 0 < W%:R :> R by rewrite ltr0n /W addn1.
have c0 : 0 < c by rewrite mulr_gt0 ?invr_gt0 ?exprn_gt0 // sqrtr_gt0 divr_gt0 ?ltr0n.
have c2 : c ^+ 2 = 8%:R / (W%:R ^+ 4 * (pi * d.+1%:R)).
  rewrite exprMn sqr_sqrtr ?divr_ge0 ?(ltW pi0) ?ler0n //.
  move: (pi * _) pi0 W%:R W0 => P P0 w w0; field; rewrite !gt_eqF //.
have keep0 x : x \in V -> c * norm x <= `|dot v x| <= norm x.
  by move=> xV; have := keep x 0; rewrite subr0 !inE xV eqxx orbT => /(_ isT isT).
exists v => //; split=> // s u u' size_uu a b x aV bV xV ab.
(* 2. A difference of two scores has three factors. *)
rewrite !rank_one_score -!mulrBl -dotB !normrM.
have /andP[le_ab _] := keep a b (mem_behead (s := 0 :: V) aV) (mem_behead (s := 0 :: V) bV).
have /andP[le_x _] := keep0 x xV.
have lt_ab : c * eps < `|dot v (a - b)| by apply: lt_le_trans le_ab; rewrite ltr_pmul2l ?far.
have lt_x : c * r_min < `|dot v x| by apply: lt_le_trans le_x; rewrite ltr_pmul2l ?low.
(* 3. The sizes are made to measure. *)
have uu : `|dot u u'| = delta / (c ^+ 2 * eps * r_min).
  by rewrite size_uu c2; move: (pi * _) pi0 W%:R W0 => P P0 w w0; field; rewrite !gt_eqF.
have -> : delta = c * eps * `|dot u u'| * (c * r_min) by rewrite uu; field; rewrite !gt_eqF.
have uu0 : 0 < `|dot u u'|.
  by rewrite uu; apply: divr_gt0 => //; rewrite mulr_gt0 // mulr_gt0 // exprn_gt0.
have ce : 0 <= c * eps * `|dot u u'| by apply/ltW; rewrite mulr_gt0 // mulr_gt0.
have cr : 0 <= c * r_min by apply/ltW; rewrite mulr_gt0.
have lt_uu : c * eps * `|dot u u'| < `|dot v (a - b)| * `|dot u u'| by rewrite ltr_pmul2r.
exact: ltr_pmul ce cr lt_uu lt_x.
Qed.
