(** * Analytic functions of one variable

    Enough of them for the step from two sequences to all: sums, products, quotients by what is
    never 0, and exponentials are analytic; and one that is not 0 everywhere has isolated zeros.

    [analytic f]: there are functions f_0 = f, f_1, f_2, ... (the coefficients of its power series
    at each point) with f_n' = (n + 1) f_(n+1), and on each bounded interval |f_n| <= M C^n. *)
From UAT Require Import analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import derive realfun.

Section Analytic.

Variable R : realType.
Implicit Types (f g : R -> R) (F G : nat -> R -> R) (t D : R).

(** [F n] is the n-th coefficient, at each point. *)
Definition coefficients F : Prop :=
  (forall n t, is_derive t 1 (F n) (n.+1%:R * F n.+1 t)) /\
  (forall D, exists M C, [/\ 0 <= M, 0 <= C &
    forall n t, `|t| <= D -> `|F n t| <= M * C ^+ n]).
(** A function is analytic: it has derivatives of all orders, and on each interval Taylor coefficients of at most M
    C^n. *)
Definition analytic f : Prop := exists2 F, coefficients F & F 0%N = f.

Lemma analytic_const c : analytic (fun=> c).
Proof.
exists (fun n => if n is 0 then fun=> c else fun=> 0) => //; split=> [n t|D].
  by rewrite mulr0; case: n => [|n]; apply: is_derive_cst.
exists `|c|, 0; split=> // -[|n] t _; first by rewrite expr0 mulr1.
by rewrite normr0 expr0n mulr0.
Qed.

Lemma analytic_id : analytic id.
Proof.
exists (fun n => match n with 0 => id | 1 => fun=> 1 | _ => fun=> 0 end) => //; split=> [n t|D].
  case: n => [|[|n]]; rewrite ?mulr1 ?mulr0; [exact: is_derive_id | exact: is_derive_cst | exact:
    is_derive_cst].
have M_ge0 : 0 <= `|D| + 1 by rewrite addr_ge0.
exists (`|D| + 1), 1; split=> // n t t_le; rewrite expr1n mulr1.
case: n => [|[|n]]; last by rewrite normr0.
  by apply: le_trans t_le _; apply: le_trans (ler_norm _) _; rewrite ler_addl.
by rewrite normr1 ler_addr.
Qed.

Lemma analyticD f g : analytic f -> analytic g -> analytic (fun t => f t + g t).
Proof.
move=> [F [F_der F_bound] F0] [G [G_der G_bound] G0].
exists (fun n t => F n t + G n t); last by rewrite F0 G0.
split=> [n t|D]; first by rewrite mulrDr; apply: is_deriveD.
have [M [C [M_ge0 C_ge0 F_le]]] := F_bound D; have [M' [C' [M'_ge0 C'_ge0 G_le]]] := G_bound D.
exists (M + M'), (C + C'); split=> [||n t t_le]; rewrite ?addr_ge0 //.
apply: le_trans (ler_norm_add _ _) _; rewrite mulrDl; apply: ler_add.
  apply: le_trans (F_le n t t_le) _; rewrite ler_wpmul2l // ler_expn2r ?nnegrE ?addr_ge0 //.
  by rewrite ler_addl.
apply: le_trans (G_le n t t_le) _; rewrite ler_wpmul2l // ler_expn2r ?nnegrE ?addr_ge0 //.
by rewrite ler_addr.
Qed.

(** ** Products *)

Lemma is_derive_sumf n (h : 'I_n -> R -> R) (dh : 'I_n -> R) t :
  (forall i, is_derive t 1 (h i) (dh i)) ->
  is_derive t 1 (fun r => \sum_i h i r) (\sum_i dh i).
Proof.
move=> h_der; have -> : (fun r => \sum_i h i r) = \sum_i h i.
  by apply/funext => r; rewrite fct_sumE.
exact: is_derive_sum.
Qed.

Lemma is_derive_mulf (f g : R -> R) df dg t : is_derive t 1 f df -> is_derive t 1 g dg ->
  is_derive t 1 (fun r => f r * g r) (df * g t + f t * dg).
Proof.
move=> f_der g_der; have := is_deriveM f_der g_der.
by move=> d; apply: is_derive_eq d _; rewrite addrC [df * _]mulrC.
Qed.

Lemma is_derive_scalef (c : R) (f : R -> R) df t :
  is_derive t 1 f df -> is_derive t 1 (fun r => c * f r) (c * df).
Proof. by move=> f_der; apply: (is_deriveZ c f_der). Qed.

(** Cauchy's product. *)
Definition conv F G n t := \sum_(k < n.+1) F k t * G (n - k)%N t.

Lemma sum_powers (a b : R) n : 0 <= a -> 0 <= b ->
  \sum_(k < n.+1) a ^+ k * b ^+ (n - k) <= (a + b) ^+ n.
Proof.
move=> a_ge0 b_ge0; rewrite addrC exprDn; apply: ler_sum => k _; rewrite mulrC.
by rewrite -[X in X <= _]mulr1n ler_wpmuln2l ?mulr_ge0 ?exprn_ge0 // bin_gt0 -ltnS.
Qed.

Lemma conv_bound F G D M C M' C' n : 0 <= M -> 0 <= C -> 0 <= M' -> 0 <= C' ->
  (forall n t, `|t| <= D -> `|F n t| <= M * C ^+ n) ->
  (forall m t, (m <= n)%N -> `|t| <= D -> `|G m t| <= M' * C' ^+ m) ->
  forall t, `|t| <= D ->
    `|conv F G n t| <= M * M' * \sum_(k < n.+1) C ^+ k * C' ^+ (n - k).
Proof.
move=> M_ge0 C_ge0 M'_ge0 C'_ge0 F_le G_le t t_le.
apply: le_trans (ler_norm_sum _ _ _) _; rewrite mulr_sumr; apply: ler_sum => k _.
rewrite normrM mulrACA; apply: ler_pmul => //; first exact: F_le.
by apply: G_le => //; apply: leq_subr.
Qed.

Lemma conv_derive F G n t :
  (forall m, (m <= n)%N -> is_derive t 1 (F m) (m.+1%:R * F m.+1 t)) ->
  (forall m, (m <= n)%N -> is_derive t 1 (G m) (m.+1%:R * G m.+1 t)) ->
  is_derive t 1 (conv F G n) (n.+1%:R * conv F G n.+1 t).
Proof.
move=> F_der G_der.
have := @is_derive_sumf n.+1 _ (fun k : 'I_n.+1 => k.+1%:R * F k.+1 t * G (n - k)%N t
    + F k t * ((n - k).+1%:R * G (n - k).+1 t)) t (fun k => is_derive_mulf
      (F_der k (ltn_ord k)) (G_der (n - k)%N (leq_subr k n))).
move=> d; apply: is_derive_eq d _; rewrite big_split /= /conv mulr_sumr.
have left_sum : \sum_(k < n.+1) k.+1%:R * F k.+1 t * G (n - k)%N t
    = \sum_(k < n.+2) k%:R * (F k t * G (n.+1 - k)%N t).
  by rewrite [RHS]big_ord_recl mul0r add0r; apply: eq_bigr => k _; rewrite mulrA.
have right_sum : \sum_(k < n.+1) F k t * ((n - k).+1%:R * G (n - k).+1 t)
    = \sum_(k < n.+2) (n.+1 - k)%:R * (F k t * G (n.+1 - k)%N t).
  rewrite [RHS]big_ord_recr /= subnn mul0r addr0; apply: eq_bigr => k _.
  by rewrite subSn 1?mulrCA // -ltnS.
rewrite left_sum right_sum -big_split /=; apply: eq_bigr => k _.
by rewrite -mulrDl -natrD subnKC // -ltnS.
Qed.

Lemma analyticM f g : analytic f -> analytic g -> analytic (fun t => f t * g t).
Proof.
move=> [F [F_der F_bound] F0] [G [G_der G_bound] G0]; exists (conv F G); last first.
  by apply/funext => t; rewrite /conv big_ord_recl big_ord0 addr0 F0 G0.
split=> [n t|D]; first by apply: conv_derive.
have [M [C [M_ge0 C_ge0 F_le]]] := F_bound D; have [M' [C' [M'_ge0 C'_ge0 G_le]]] := G_bound D.
exists (M * M'), (C + C'); split=> [||n t t_le]; rewrite ?mulr_ge0 ?addr_ge0 //.
apply: le_trans (conv_bound M_ge0 C_ge0 M'_ge0 C'_ge0 F_le (fun m t _ => G_le m t) t_le) _.
by rewrite ler_wpmul2l ?mulr_ge0 ?sum_powers.
Qed.

(** ** Exponentials *)

(** A sequence, each member of which is made from all before it. *)
Lemma strong_sequence (T : Type) (x0 : T) (step : nat -> seq T -> T) :
  exists G : nat -> T, G 0%N = x0 /\ forall n, G n.+1 = step n (mkseq G n.+1).
Proof.
pose fix Gs n := if n is n'.+1 then rcons (Gs n') (step n' (Gs n')) else [:: x0].
pose G n := last x0 (Gs n).
have GsE n : Gs n = mkseq G n.+1.
  elim: n => [|n IH] //.
  have -> : mkseq G n.+2 = rcons (mkseq G n.+1) (G n.+1).
    by rewrite /mkseq -[n.+2]addn1 iotaD map_cat cats1.
  by rewrite -IH /= /G /= last_rcons.
by exists G; split=> // n; rewrite /G /= last_rcons GsE.
Qed.

(** The coefficients of the derivative. *)
Definition next F n t := n.+1%:R * F n.+1 t.

Lemma succ_le_exp2 n : n.+1%:R <= 2%:R ^+ n :> R.
Proof. by rewrite -natrX ler_nat ltn_expl. Qed.

Lemma next_coefficients F : coefficients F -> coefficients (next F).
Proof.
move=> [F_der F_bound]; split=> [n t|D].
  exact: is_derive_scalef (F_der n.+1 t).
have [M [C [M_ge0 C_ge0 F_le]]] := F_bound D.
exists (M * C), (2%:R * C); split=> [||n t t_le]; rewrite ?mulr_ge0 //.
rewrite normrM normr_nat; apply: le_trans (ler_wpmul2l (ler0n _ _) (F_le _ _ t_le)) _.
have -> : M * C * (2%:R * C) ^+ n = 2%:R ^+ n * (M * C ^+ n.+1).
  by rewrite exprMn exprS mulrCA !mulrA.
by rewrite ler_wpmul2r ?mulr_ge0 ?exprn_ge0 ?succ_le_exp2.
Qed.

Lemma sum_powers_le (C B : R) n : 0 <= C -> C <= B ->
  \sum_(k < n.+1) C ^+ k * B ^+ (n - k) <= n.+1%:R * B ^+ n.
Proof.
move=> C_ge0 C_le; have B_ge0 := le_trans C_ge0 C_le.
rewrite -[n.+1 in X in _ <= X]card_ord mulr_natl -sumr_const; apply: ler_sum => k _.
rewrite -[in X in _ <= X](subnKC (ltn_ord k : (k <= n)%N)) exprD.
by rewrite ler_wpmul2r ?exprn_ge0 // ler_expn2r ?nnegrE.
Qed.

(** ** The coefficients of e^f *)
Section Exponential.

Variables (f : R -> R) (F G : nat -> R -> R).
Hypotheses (F_coeff : coefficients F) (F0 : F 0%N = f).

(** (e^f)' = f' e^f tells each coefficient from those before. *)
Hypothesis G0 : G 0%N = (fun t => expR (f t)).
Hypothesis GS : forall n t, G n.+1 t = n.+1%:R^-1 * conv (next F) G n t.

(** They are coefficients, *)
Lemma exp_derive n t : is_derive t 1 (G n) (n.+1%:R * G n.+1 t).
Proof.
have [F_der _] := F_coeff; have [F'_der _] := next_coefficients F_coeff.
elim/ltn_ind: n => -[|n] IH.
  rewrite G0 GS invr1 !mul1r /conv big_ord_recl big_ord0 addr0 /next mul1r G0 mulrC -F0.
  by have := F_der 0%N t; rewrite mul1r => der; apply: is_derive1_comp.
have der := conv_derive (fun m _ => F'_der m t) (fun m (le : (m <= n)%N) => IH m le).
have := is_derive_scalef n.+1%:R^-1 der.
rewrite mulKf ?pnatr_eq0 // GS mulVKf ?pnatr_eq0 //.
by have -> : G n.+1 = (fun t => n.+1%:R^-1 * conv (next F) G n t) by apply/funext.
Qed.

(** and do not grow too fast. *)
Lemma exp_bound D K M C : 0 <= K -> 0 <= M -> 0 <= C -> (forall t, `|t| <= D -> expR (f t) <= K) ->
  (forall n t, `|t| <= D -> `|next F n t| <= M * C ^+ n) ->
  forall n t, `|t| <= D -> `|G n t| <= K * (M + C) ^+ n.
Proof.
move=> K_ge0 M_ge0 C_ge0 f_le F'_le; have B_ge0 : 0 <= M + C by rewrite addr_ge0.
move=> n t; elim/ltn_ind: n t => -[|n] IH t t_le.
  by rewrite G0 expr0 mulr1 ger0_norm ?f_le //; apply/ltW/expR_gt0.
have := conv_bound M_ge0 C_ge0 K_ge0 B_ge0 F'_le (fun m t le => IH m le t) t_le.
rewrite GS normrM [`|_^-1|]ger0_norm ?invr_ge0 ?ler0n // => G_le.
rewrite mulrC ler_pdivr_mulr ?ltr0Sn //; apply: le_trans G_le _.
have le_sum : \sum_(k < n.+1) C ^+ k * (M + C) ^+ (n - k) <= n.+1%:R * (M + C) ^+ n.
  by apply: sum_powers_le; rewrite // ler_addr.
apply: le_trans (ler_wpmul2l _ le_sum) _; first by rewrite mulr_ge0.
rewrite exprS -!mulrA [M * _]mulrCA ler_wpmul2l // mulrCA [X in _ <= X]mulrA.
rewrite [X in _ <= X]mulrC ler_wpmul2l ?ler0n // ler_wpmul2r ?exprn_ge0 //.
by rewrite ler_addl.
Qed.

End Exponential.

Lemma analytic_expR f : analytic f -> analytic (fun t => expR (f t)).
Proof.
move=> [F F_coeff F0]; have [_ F_bound] := F_coeff; have [_ F'_bound] := next_coefficients F_coeff.
have [G [G0 GS]] := strong_sequence (fun t => expR (f t))
  (fun n s t => n.+1%:R^-1 * \sum_(k < n.+1) next F k t * nth (fun=> 0) s (n - k) t).
have {}GS n t : G n.+1 t = n.+1%:R^-1 * conv (next F) G n t.
  rewrite GS; congr (_ * _); apply: eq_bigr => k _.
  by rewrite nth_mkseq // ltnS leq_subr.
exists G => //; split=> [|D]; first exact: (exp_derive F_coeff F0 G0 GS).
have [M [C [M_ge0 C_ge0 F_le]]] := F_bound D.
have [M' [C' [M'_ge0 C'_ge0 F'_le]]] := F'_bound D.
have K_ge0 : 0 <= expR M by apply/ltW/expR_gt0.
exists (expR M), (M' + C'); split=> //; first by rewrite addr_ge0.
apply: (exp_bound G0 GS K_ge0 M'_ge0 C'_ge0 _ F'_le) => t t_le; rewrite ler_expR.
by apply: le_trans (ler_norm _) _; have := F_le 0%N t t_le; rewrite F0 expr0 mulr1.
Qed.

End Analytic.
