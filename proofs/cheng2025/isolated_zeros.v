(** * Zeros of an analytic function of one variable are isolated

    If an analytic function is not 0 everywhere, then it is not 0 at any t with 0 < t < delta,
    for some delta > 0. *)
From UAT Require Import analysis.
From mathcomp.analysis Require Import derive realfun.
From UAT.cheng2025 Require Import analytic.

Section Zeros.

Variable R : realType.
Implicit Types (f g : R -> R) (F G : nat -> R -> R) (t x D : R).

Lemma derivable_continuous f df : (forall t, is_derive t 1 f (df t)) -> continuous f.
Proof.
by move=> f_der t; apply/differentiable_continuous/derivable1_diffP; case: (f_der t).
Qed.

(** The mean value theorem, in whichever order the ends stand. *)
Lemma mean_value f df a b : (forall t, is_derive t 1 f (df t)) ->
  exists c, [/\ `|c - a| <= `|b - a|, `|b - c| <= `|b - a| & f b - f a = df c * (b - a)].
Proof.
move=> f_der; have f_cont := derivable_continuous f_der.
have [ab|ba|<-] := ltgtP a b; last by exists a; rewrite !subrr normr0 mulr0.
  have [|c c_in eq_c] := @MVT R f df a b ab (fun t _ => f_der t).
    exact: continuous_subspaceT.
  move: c_in; rewrite in_itv /= => /andP[/ltW ac /ltW cb]; exists c.
  rewrite !ger0_norm ?subr_ge0 ?(ltW ab) //.
  by rewrite ler_add2r ler_add2l ler_opp2; split.
have [|c c_in eq_c] := @MVT R f df b a ba (fun t _ => f_der t).
  exact: continuous_subspaceT.
move: c_in; rewrite in_itv /= => /andP[/ltW bc /ltW ca]; exists c.
rewrite !ler0_norm ?subr_le0 ?(ltW ba) // !opprB ler_add2l ler_add2r ler_opp2; split=> //.
by rewrite -opprB eq_c -mulrN opprB.
Qed.

(** ** Where all coefficients are 0 *)

Lemma is_derive_power N x t :
  is_derive t 1 (fun r => (x - r) ^+ N.+1) (- (N.+1%:R * (x - t) ^+ N)).
Proof.
have line : is_derive t 1 (fun r : R => x - r) (- 1).
  have d := is_deriveB (is_derive_cst (x : R^o) (t : R^o) 1) (is_derive_id (t : R^o) 1).
  by apply: is_derive_eq d _; rewrite sub0r.
elim: N => [|N IH]; first by rewrite expr0 mulr1.
have d := is_derive_mulf line IH.
have -> : (fun r => (x - r) ^+ N.+2) = (fun r => (x - r) * (x - r) ^+ N.+1).
  by apply/funext => r; rewrite exprS.
by apply: is_derive_eq d _; rewrite mulrN mulrCA -exprS -[N.+2]addn1 natrD mulrDl opprD mulN1r
  mul1r addrC.
Qed.

(** Taylor's polynomial around [t], at [x]: its derivative in [t] is one term. *)
Definition taylor F N x t := \sum_(k < N.+1) F k t * (x - t) ^+ k.

Lemma taylor_derive F N x t : (forall n t, is_derive t 1 (F n) (n.+1%:R * F n.+1 t)) ->
  is_derive t 1 (taylor F N x) (N.+1%:R * F N.+1 t * (x - t) ^+ N).
Proof.
move=> F_der; elim: N => [|N IH].
  have -> : taylor F 0 x = F 0%N.
    by apply/funext => r; rewrite /taylor big_ord_recl big_ord0 addr0 expr0 mulr1.
  by rewrite expr0 mulr1; apply: F_der.
have -> : taylor F N.+1 x = (fun r => taylor F N x r + F N.+1 r * (x - r) ^+ N.+1).
  by apply/funext => r; rewrite /taylor big_ord_recr.
have d := is_deriveD IH (is_derive_mulf (F_der N.+1 t) (is_derive_power N x t)).
apply: is_derive_eq d _.
by rewrite mulrN [F _ t * _]mulrCA mulrA addrCA subrr addr0.
Qed.

(** A bound that halves for ever is 0. *)
Lemma halving_0 (a M : R) : (forall N : nat, `|a| * 2%:R ^+ N <= M) -> a = 0.
Proof.
move=> bound; apply/eqP; rewrite -normr_eq0; apply/eqP/le_anti; rewrite normr_ge0 andbT.
rewrite leNgt; apply/negP => a_gt0.
have M_ge0 : 0 <= M by apply: le_trans (bound 0%N); rewrite expr0 mulr1 ltW.
have := archi_boundP (divr_ge0 M_ge0 (ltW a_gt0)); move: (Num.bound _) => N.
rewrite ltr_pdivr_mulr // mulrC ltNge => /negP[]; apply: le_trans (bound N).
by rewrite ler_wpmul2l ?(ltW a_gt0) // -natrX ler_nat ltnW // ltn_expl.
Qed.

(** The last term of Taylor's formula is small within 1 / (4 C), even 2^N times it. *)
Lemma remainder_small (N : nat) (M C r : R) : 0 <= M -> 0 <= C -> 0 <= r -> C * r <= 4%:R^-1 ->
  N.+1%:R * (M * C ^+ N.+1) * r ^+ N * r * 2%:R ^+ N <= M.
Proof.
move=> M_ge0 C_ge0 r_ge0 near.
have -> : N.+1%:R * (M * C ^+ N.+1) * r ^+ N * r * 2%:R ^+ N
    = M * (N.+1%:R * (2%:R ^+ N * (C * r) ^+ N.+1)).
  rewrite exprMn [r ^+ N.+1]exprSr; move: (C ^+ _) (r ^+ N) (2%:R ^+ N) (N.+1%:R : R) => ? ? ? ?.
  ring.
rewrite ler_pimulr //; apply: (@le_trans _ _ (2%:R ^+ N * (2%:R ^+ N * (4%:R^-1) ^+ N.+1))).
  apply: ler_pmul; rewrite ?mulr_ge0 ?exprn_ge0 ?succ_le_exp2 ?mulr_ge0 //.
  by rewrite ler_wpmul2l ?exprn_ge0 // ler_expn2r ?nnegrE ?mulr_ge0 ?invr_ge0.
rewrite mulrA -exprMn -natrM exprS mulrCA -exprMn divff ?pnatr_eq0 //.
by rewrite expr1n mulr1 invf_le1 ?ler1n.
Qed.

(** Near a point where all coefficients are 0, the function is 0. *)
Lemma zero_near F D M C t x :
  (forall n t, is_derive t 1 (F n) (n.+1%:R * F n.+1 t)) -> 0 <= M -> 0 <= C ->
  (forall n t, `|t| <= D -> `|F n t| <= M * C ^+ n) ->
  (forall c, `|c - t| <= `|x - t| -> `|c| <= D) -> (forall n, F n t = 0) ->
  C * `|x - t| <= 4%:R^-1 -> F 0%N x = 0.
Proof.
move=> F_der M_ge0 C_ge0 F_le inside F_t near; apply: (@halving_0 _ M) => N.
(* 1. Taylor's polynomial around t is 0, that around x is F_0(x). *)
have [c [c_near xc eq_c]] := mean_value t x (fun r => taylor_derive N x r F_der).
move: eq_c; rewrite {1}/taylor big_ord_recl subrr expr0 mulr1.
rewrite big1 ?addr0 => [|k _]; last by rewrite /= exprS mul0r mulr0.
rewrite /taylor big1 ?subr0 => [->|k _]; last by rewrite F_t mul0r.
(* 2. The difference is (N + 1) F_(N+1)(c) (x - c)^N (x - t), which is small. *)
rewrite !normrM normr_nat normrX.
set r := `|x - t|; have r_ge0 : 0 <= r by apply: normr_ge0.
have step : N.+1%:R * `|F N.+1 c| * `|x - c| ^+ N * r
    <= N.+1%:R * (M * C ^+ N.+1) * r ^+ N * r.
  rewrite ler_wpmul2r // ler_pmul ?mulr_ge0 ?exprn_ge0 //.
    by rewrite ler_wpmul2l // F_le // inside.
  by rewrite ler_expn2r ?nnegrE.
apply: le_trans (ler_wpmul2r _ step) _; first by rewrite exprn_ge0.
exact: remainder_small.
Qed.

(** All coefficients are an n-th derivative, but for a factor. *)
Definition shift F j n t := 'C(j + n, n)%:R * F (j + n)%N t.

Lemma shift_derive F j n t : (forall n t, is_derive t 1 (F n) (n.+1%:R * F n.+1 t)) ->
  is_derive t 1 (shift F j n) (n.+1%:R * shift F j n.+1 t).
Proof.
move=> F_der; have d := is_derive_scalef 'C(j + n, n)%:R (F_der (j + n)%N t).
apply: is_derive_eq d _; rewrite /shift addnS !mulrA -!natrM; congr (_%:R * _).
by rewrite mulnC mul_bin_diag.
Qed.

Lemma bin_le_exp2 m n : ('C(m, n) <= 2 ^ m)%N.
Proof.
have [nm|mn] := leqP n m; last by rewrite bin_small.
rewrite -[2%N]/(1 + 1)%N expnDn (bigD1 (Ordinal (nm : n < m.+1)%N)) //= !exp1n !muln1.
exact: leq_addr.
Qed.

(** Around such a point all coefficients are 0 as far as 1 / (8 C). *)
Lemma zeros_near F D M C t x :
  (forall n t, is_derive t 1 (F n) (n.+1%:R * F n.+1 t)) -> 0 <= M -> 0 <= C ->
  (forall n t, `|t| <= D -> `|F n t| <= M * C ^+ n) ->
  (forall c, `|c - t| <= `|x - t| -> `|c| <= D) -> (forall n, F n t = 0) ->
  2%:R * C * `|x - t| <= 4%:R^-1 -> forall j, F j x = 0.
Proof.
move=> F_der M_ge0 C_ge0 F_le inside F_t near j.
have M'_ge0 : 0 <= M * (2%:R * C) ^+ j by rewrite mulr_ge0 ?exprn_ge0 ?mulr_ge0.
have C'_ge0 : 0 <= 2%:R * C by rewrite mulr_ge0.
have bound n r : `|r| <= D -> `|shift F j n r| <= M * (2%:R * C) ^+ j * (2%:R * C) ^+ n.
  move=> r_le; rewrite normrM normr_nat -mulrA -exprD exprMn mulrCA.
  rewrite ler_pmul ?F_le //; by rewrite -natrX ler_nat bin_le_exp2.
have shift_t n : shift F j n t = 0 by rewrite /shift F_t mulr0.
have := zero_near (fun n r => shift_derive j n r F_der) M'_ge0 C'_ge0 bound inside shift_t near.
by rewrite /shift addn0 bin0 mul1r.
Qed.

(** What holds at t, and goes over from any point on the way to all within e, holds at x: go there in small steps. *)
Lemma in_small_steps (Z : R -> Prop) t x e : 0 < e -> Z t ->
  (forall a b, `|a| <= `|t| + `|x| -> `|b - a| <= e -> Z a -> Z b) -> Z x.
Proof.
move=> e_gt0 Z_t step; pose K := (Num.bound (`|x - t| / e)).+1.
have K_gt : `|x - t| / K%:R <= e.
  rewrite ler_pdivr_mulr ?ltr0n // mulrC -ler_pdivr_mulr //.
  by apply/ltW/(lt_le_trans (archi_boundP _)); rewrite ?divr_ge0 ?(ltW e_gt0) ?ler_nat ?leqnSn.
pose place (i : nat) := (1 - i%:R / K%:R) * t + i%:R / K%:R * x.
suff all_Z i : (i <= K)%N -> Z (place i).
  by have := all_Z K (leqnn K); rewrite /place divff ?pnatr_eq0 // subrr mul0r add0r mul1r.
elim: i => [_|i IH i_lt]; first by rewrite /place !mul0r subr0 mul1r addr0.
have part_le1 : i%:R / K%:R <= 1 :> R by rewrite ler_pdivr_mulr ?ltr0n // mul1r ler_nat ltnW.
have part_ge0 : 0 <= i%:R / K%:R :> R by rewrite divr_ge0.
apply: (step (place i)); last exact: IH (ltnW i_lt).
  apply: le_trans (ler_norm_add _ _) _; rewrite !(normrM (_ / _)) !(normrM (1 - _)).
  rewrite [`|1 - _|]ger0_norm ?subr_ge0 // [`|_ / _|]ger0_norm //.
  by apply: ler_add; rewrite ler_pimull // ler_subl_addr ler_addl.
apply: le_trans K_gt; rewrite (_ : place _ - _ = (x - t) / K%:R); last first.
  rewrite /place -[i.+1]addn1 natrD; move: (i%:R) (K%:R) => a b; ring.
by rewrite normrM [`|_^-1|]ger0_norm.
Qed.

(** A function all whose coefficients are 0 at some point is 0 everywhere. *)
Lemma zeros_everywhere F t x : coefficients F -> (forall n, F n t = 0) -> F 0%N x = 0.
Proof.
move=> [F_der F_bound] F_t; have [M [C [M_ge0 C_ge0 F_le]]] := F_bound (`|t| + `|x| + 1).
have size_gt0 : 0 < 8%:R * C + 1 by rewrite ltr_paddl ?mulr_ge0.
suff : forall n, F n x = 0 by apply.
apply: (@in_small_steps (fun r => forall n, F n r = 0) t x (8%:R * C + 1)^-1) => // [|a b a_le near /= F_a].
  by rewrite invr_gt0.
have near1 : `|b - a| <= 1 by rewrite (le_trans near) // invf_le1 // ler_addr mulr_ge0.
apply: (zeros_near F_der M_ge0 C_ge0 F_le) (F_a) _ => [c c_near|].
  rewrite -[c](subrK a) addrC; apply: le_trans (ler_norm_add _ _) (ler_add a_le _).
  exact: le_trans c_near near1.
have : `|b - a| * (8%:R * C + 1) <= 1 by rewrite -ler_pdivl_mulr // mul1r.
by have := normr_ge0 (b - a); move: `|b - a| => r; nra.
Qed.

(** ** Zeros are isolated *)

(** Near 0 a coefficient that is not 0 at 0 stays so. *)
Lemma nonzero_near F n : coefficients F -> F n 0 != 0 ->
  exists2 e, 0 < e & forall t, 0 < t < e -> F n t != 0.
Proof.
move=> [F_der F_bound] Fn0; have [M [C [M_ge0 C_ge0 F_le]]] := F_bound 1.
pose L := n.+1%:R * (M * C ^+ n.+1) + 1.
have L_gt0 : 0 < L by rewrite ltr_spaddr // !mulr_ge0 ?exprn_ge0.
exists (Num.min 1 (`|F n 0| / L)) => [|t]; first by rewrite lt_minr ltr01 divr_gt0 ?normr_gt0.
rewrite lt_minr => /and3P[t_gt0 t_lt1]; rewrite ltr_pdivl_mulr // => t_small.
apply/eqP => Fnt; have [c [c_near _ eq_c]] := mean_value 0 t (F_der n).
move: eq_c; rewrite Fnt sub0r subr0 => /(congr1 Num.norm); rewrite normrN.
have c_le : `|F n.+1 c| <= M * C ^+ n.+1.
  by apply: F_le; move: c_near; rewrite !subr0 => /le_trans; apply; rewrite ger0_norm ?ltW.
rewrite !normrM normr_nat [`|t|]ger0_norm ?(ltW t_gt0) // => eq_n.
move: t_small; rewrite ltNge => /negP[]; rewrite eq_n mulrC ler_wpmul2l ?(ltW t_gt0) //.
by rewrite (le_trans (ler_wpmul2l (ler0n _ _) c_le)) // ler_addl.
Qed.

Theorem isolated_zeros f x : analytic f -> f x != 0 ->
  exists2 e, 0 < e & forall t, 0 < t < e -> f t != 0.
Proof.
move=> [F F_coeff F0] fx; have [F_der _] := F_coeff.
(* 1. Some coefficient at 0 is not 0, or f would be 0 everywhere. *)
have [n Fn0] : exists n, F n 0 != 0.
  apply: contrapT => none; case/eqP: fx; rewrite -F0; apply: (@zeros_everywhere F 0 x F_coeff).
  by move=> n; apply: contrapT => /eqP Fn0; apply: none; exists n.
(* 2. It is not 0 nearby. Down from it: where the derivative is not 0 there is one zero at most. *)
rewrite -F0; have := nonzero_near F_coeff Fn0.
elim: n {Fn0} => [//|n IH] [e e_gt0 next_ne0]; apply: IH.
have [Fn0|Fn_ne0] := eqVneq (F n 0) 0; last exact: nonzero_near.
exists e => // t /andP[t_gt0 t_lt].
have [|c] := @MVT R (F n) _ 0 t t_gt0 (fun r _ => F_der n r).
  exact: continuous_subspaceT (derivable_continuous (F_der n)).
rewrite in_itv /= => /andP[c_gt0 c_lt]; rewrite Fn0 !subr0 => ->.
have c_ok : F n.+1 c != 0 by apply: next_ne0; rewrite c_gt0 (lt_trans c_lt).
by rewrite mulf_neq0 ?mulf_neq0 ?pnatr_eq0 // lt0r_neq0.
Qed.

End Zeros.
