(** * The least spacing (the book's own): lists that agree at first

    Lists in decreasing order, neighbours at least s apart, that agree up to a place behind the
    largest entry, where a has x and b has something at least s lower, or ends: then the value of b is
    the larger one. The other case is [largest_spacing] in spacing_balance.v; least_spacing.v says both
    in one. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference sorted_lists spacing_balance.

Section LeastSpacing.

Variables (R : realType) (s : R).
Hypothesis s_gt0 : 0 < s.
Notation q := (expR (- s)).
Notation Q := (sum_q s).
Notation P := (sum_jq s).
Notation balance := (balance s).
Notation kappa := (kappa s).

Variable N : nat.
Hypothesis good : 0 <= balance N.

(** What spacing_balance.v proves, for these. *)
Notation q_gt0 := (q_gt0 s).
Notation q_lt1 := (q_lt1 s_gt0).
Notation Q_ge0 := (Q_ge0 s).
Notation P_ge0 := (P_ge0 s).
Notation Q_le1 := (Q_le1 s_gt0 good).
Notation kappa_ge0 := (kappa_ge0 s_gt0 good).

Section Later.

Variables (c1 x : R) (c a b : seq R).
Hypothesis path_a : path (down s) c1 (c ++ x :: a).
Hypothesis path_b : path (down s) c1 (c ++ b).
Hypothesis x_b : path (down s) x b.
Hypothesis size_a : (size (c ++ x :: a) <= N)%N.
Hypothesis size_b : (size (c ++ b) <= N)%N.

Let E := expR x.
Let S0 := total (c1 :: c).
(** The value of the common entries and x, less x. *)
Let z := off x (c1 :: c) / (S0 + E).
Let A := x + z.

(** Something comes after the largest entry. *)
Lemma N_gt0 : (0 < N)%N.
Proof. by apply: leq_trans size_a; rewrite size_cat /= addnS. Qed.

(** The weights of the common entries are positive. *)
Lemma S0_gt0 : 0 < S0. Proof. exact: total_gt0. Qed.

(** z times the weights. *)
Lemma zE : z * (S0 + E) = off x (c1 :: c).
Proof. by rewrite divfK // gt_eqF // addr_gt0 ?S0_gt0 ?expR_gt0. Qed.

(** The common entries are at least s above x. *)
Lemma above : {in c1 :: c, forall t, x + s <= t}.
Proof. by move=> t tc; have := path_before s_gt0 path_a; apply. Qed.

(** How far the common entries are from A. *)
Lemma off_A : off A (c1 :: c) = z * E.
Proof.
have -> : off A (c1 :: c) = off x (c1 :: c) - z * S0 by rewrite !offE -/S0 /A mulrDl opprD addrA.
by rewrite -zE; ring.
Qed.

(** The common entries are s above x, in the mean. *)
Lemma off_above : s * S0 <= off x (c1 :: c).
Proof.
rewrite /S0 /total mulr_sumr /off big_seq [X in _ <= X]big_seq ler_sum // => t /above ?.
by rewrite ler_pmul2r ?expR_gt0 //; lra.
Qed.

(** They outweigh x. *)
Lemma E_le : E <= q * S0.
Proof.
apply: (@le_trans _ _ (q * expR c1)).
  by rewrite -expRD ler_expR; have := above (mem_head _ _); lra.
by rewrite ler_pmul2l ?q_gt0 // /S0 total_cons; have := total_ge0 c; lra.
Qed.

(** z is not negative. *)
Lemma z_ge0 : 0 <= z.
Proof.
rewrite divr_ge0 // ?addr_ge0 ?expR_ge0 ?(ltW S0_gt0) //; apply: le_trans off_above.
by rewrite mulr_ge0 ?ltW ?S0_gt0.
Qed.

(** z is at least s / (1 + q). *)
Lemma z_ge : s <= z * (1 + q).
Proof.
rewrite -(ler_pmul2r S0_gt0); apply: le_trans off_above _; rewrite -zE -(mulrA z).
by rewrite ler_wpmul2l ?z_ge0 //; have := E_le; lra.
Qed.

(** What comes s below x lies more than 1 below A. *)
Lemma one_below : x - s <= A - 1.
Proof.
have := z_ge; have := s_ge s_gt0 good N_gt0; have := q_two s_gt0 good N_gt0; have := q_gt0; rewrite /A.
by move: q z => u v; rewrite expr2 => *; nra.
Qed.

(** So what a has besides draws its value down: it is at most A. *)
Lemma value_a : boltz_list (c1 :: c ++ x :: a) <= A.
Proof.
rewrite -subr_le0 -(pmulr_lle0 _ (total_gt0 c1 (c ++ x :: a))) boltz_list_off.
rewrite -cat_cons off_cat off_A off_cons /A.
have -> : z * E + ((x - (x + z)) * expR x + off (x + z) a) = off (x + z) a by rewrite /E; ring.
have px : path (down s) x a by move: path_a; rewrite cat_path /= => /and3P[].
rewrite -oppr_ge0 -sumrN big_seq sumr_ge0 // => t ta; rewrite -mulNr mulr_ge0 ?expR_ge0 //.
by have := path_all s_gt0 px ta; have := one_below; rewrite /A; have := s_gt0; lra.
Qed.

(** b has at most N entries besides. *)
Lemma size_b_le : (size b <= N)%N.
Proof. by apply: leq_trans size_b; rewrite size_cat leq_addl. Qed.

(** What b has besides draws its value down, too, but by less. *)
Lemma value_b : E * (z * (1 - Q N) - s * P N)
  <= (boltz_list (c1 :: c ++ b) - A) * total (c1 :: c ++ b).
Proof.
rewrite boltz_list_off -cat_cons off_cat off_A.
have := off_below s_gt0 (V := A) x_b size_b_le one_below; rewrite -/E /A.
by move: (off _ b) => o; lra.
Qed.

(** The mean of two or more common entries favours the large ones. *)
Lemma off_two : (0 < size c)%N -> 3%:R / 2%:R * s * S0 <= off x (c1 :: c).
Proof.
have := above; have := path_a; rewrite /S0; case/lastP: (c) => // c' l path_l above_l _.
rewrite -rcons_cons -cats1 off_cat total_cat /off /total !big_seq1 -/(off x _) -/(total _).
have l_x : x + s <= l by apply: above_l; rewrite inE mem_rcons mem_head orbT.
have {}path_l : path (down s) c1 (c' ++ l :: x :: a) by move: path_l; rewrite cat_rcons.
have : 2%:R * s * total (c1 :: c') <= off x (c1 :: c').
  rewrite /total mulr_sumr /off big_seq [X in _ <= X]big_seq ler_sum // => t tc.
  rewrite ler_pmul2r ?expR_gt0 //; suff : l + s <= t by lra.
  by have := path_before s_gt0 path_l; apply.
have : s * expR l <= (l - x) * expR l by rewrite ler_pmul2r ?expR_gt0 //; lra.
suff : s * expR l <= s * total (c1 :: c') by lra.
rewrite ler_pmul2l // total_cons -[expR l]addr0 ler_add ?total_ge0 // ler_expR.
have := path_all s_gt0 path_l => /(_ l); rewrite mem_cat mem_head orbT.
by move=> /(_ isT); have := s_gt0; lra.
Qed.

(** The book's step 4: how large that is, for r in place of the share of x and f s in place of
    how far x is below the mean of the common entries. *)
Lemma enough_from r f : 0 <= r -> r <= q -> E <= r * S0 -> f * s <= z * (1 + r) ->
  S0 * balance N <= expR c1 * (f * (1 - Q N) - (1 + r) * P N) ->
  kappa N * (S0 + E * Q N) <= expR c1 * (z * (1 - Q N) - s * P N).
Proof.
move=> r0 rq E_r fz le; have r1 : 0 < 1 + r by lra.
have Q1 := Q_le1.
rewrite -(ler_pmul2r r1); apply: (@le_trans _ _ (S0 * (s * balance N))).
  rewrite -(kappaE s_gt0 good) -mulrA [X in _ <= X]mulrCA ler_wpmul2l ?kappa_ge0 //.
  rewrite [X in _ <= X]mulrCA [X in X <= _]mulrC.
  apply: ler_pmul; [exact: ltW | | by rewrite ler_add2l | ].
    by rewrite addr_ge0 ?mulr_ge0 ?expR_ge0 ?Q_ge0 ?(ltW S0_gt0).
  rewrite mulrDr mulr1 ler_add2l mulrA ler_wpmul2r ?Q_ge0 //; apply: le_trans E_r _.
  by rewrite mulrC; apply: ler_wpmul2r rq; apply: ltW S0_gt0.
rewrite mulrCA; apply: le_trans (ler_wpmul2l (ltW s_gt0) le) _.
rewrite mulrCA -mulrA ler_pmul2l ?expR_gt0 //.
have := ler_wpmul2r Q1 fz; move: (Q N) (P N) z => u v w; lra.
Qed.

(** If x is the second entry of a: with r = q and f = 1. *)
Lemma enough_at_once : c = [::] ->
  kappa N * (S0 + E * Q N) <= expR c1 * (z * (1 - Q N) - s * P N).
Proof.
move=> c0; apply: (@enough_from q 1) => //; rewrite ?mul1r ?E_le ?z_ge //; first exact: ltW q_gt0.
by rewrite /S0 c0 total_cons /total big_nil addr0.
Qed.

(** If it comes later, it is 2 s at least below the largest. *)
Lemma E_le_two : (0 < size c)%N -> E <= q ^+ 2 * S0.
Proof.
move=> c_gt0; have c1_far : x + s + s <= c1.
  case: (c) c_gt0 path_a above => //= t c' _ /andP[t_c1 _] /(_ t).
  by rewrite !inE eqxx orbT => /(_ isT); rewrite /down in t_c1; lra.
apply: (@le_trans _ _ (q ^+ 2 * expR c1)); first by rewrite -expRMm -expRD ler_expR; lra.
by rewrite ler_pmul2l ?exprn_gt0 ?q_gt0 // /S0 total_cons ler_addl total_ge0.
Qed.

(** Then q <= 3/10, and B is small enough, *)
Lemma balance_part : (1 < N)%N ->
  balance N <= (1 - q) * (3%:R / 2%:R * (1 - Q N) - (1 + q ^+ 2) * P N).
Proof.
move=> /(q_small s_gt0 good) q3; have q0 := q_gt0; have q1 := q_lt1.
have : 0 <= (1 - Q N) * (1 - 3%:R * q) by rewrite mulr_ge0 ?Q_le1 //; lra.
have : 0 <= q * (2%:R - q + q ^+ 2) * P N.
  by rewrite mulr_ge0 ?mulr_ge0 ?P_ge0 ?(ltW q0) // expr2; move: q q0 q1 => k; nra.
by rewrite /spacing_balance.balance; move: q (Q N) (P N) => k u v; lra.
Qed.

(** so that r = q^2 and f = 3/2 will do. *)
Lemma enough_later : (0 < size c)%N ->
  kappa N * (S0 + E * Q N) <= expR c1 * (z * (1 - Q N) - s * P N).
Proof.
move=> c_gt0; have q0 := q_gt0; have q1 := q_lt1; have N1 : (1 < N)%N.
  by apply: leq_trans size_a; rewrite size_cat /= addnS ltnS; apply: leq_trans (leq_addr _ _).
have part := balance_part N1; apply: (@enough_from (q ^+ 2) (3%:R / 2%:R)) => //.
- by rewrite exprn_ge0 ?ltW.
- by rewrite expr2; nra.
- exact: E_le_two.
- rewrite -(ler_pmul2r S0_gt0); apply: (@le_trans _ _ (z * (S0 + E))).
    by rewrite zE; apply: off_two.
  by rewrite -[z * _ * _]mulrA ler_wpmul2l ?z_ge0 // mulrDl mul1r ler_add2l E_le_two.
have M0 : 0 <= 3%:R / 2%:R * (1 - Q N) - (1 + q ^+ 2) * P N.
  by rewrite -(pmulr_rge0 _ (_ : 0 < 1 - q)) ?subr_gt0 //; apply: le_trans good part.
apply: le_trans (ler_wpmul2l (ltW S0_gt0) part) _; rewrite mulrA ler_wpmul2r //.
by apply: total_le s_gt0 _ _ _; move: path_a; rewrite cat_path => /andP[].
Qed.

(** Either way it is large enough. *)
Lemma enough : kappa N * (S0 + E * Q N) <= expR c1 * (z * (1 - Q N) - s * P N).
Proof.
by case: (posnP (size c)) => [/size0nil|]; [apply: enough_at_once | apply: enough_later].
Qed.

(** The value of b is larger by kappa exp(x - c_1) at least. *)
Theorem later_spacing : kappa N * expR (x - c1)
  <= boltz_list (c1 :: c ++ b) - boltz_list (c1 :: c ++ x :: a).
Proof.
(* 1. The value of a is at most A, that of the common entries and x. *)
have T := total_gt0 c1 (c ++ b); apply: (@le_trans _ _ (boltz_list (c1 :: c ++ b) - A)).
  rewrite -(ler_pmul2r T); apply: le_trans value_b.
(* 2. The weights of b add up to at most those of the common entries and of x - s, x - 2 s, ... *)
  have T_le : total (c1 :: c ++ b) <= S0 + E * Q N.
    by rewrite -cat_cons total_cat ler_add2l total_below ?size_b_le.
  rewrite -mulrA mulrCA; apply: (@le_trans _ _ (expR (x - c1) * (kappa N * (S0 + E * Q N)))).
    by rewrite ler_pmul2l ?expR_gt0 // ler_wpmul2l ?kappa_ge0.
(* 3. Compare. *)
  apply: le_trans (ler_wpmul2l (expR_ge0 _) enough) _.
  by rewrite mulrA -expRD subrK.
by rewrite ler_add2l ler_opp2 value_a.
Qed.

End Later.

End LeastSpacing.
