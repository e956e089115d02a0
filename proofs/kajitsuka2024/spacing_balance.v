(** * The number B that decides how far apart entries must be

    With q = exp(-s), Q = q + ... + q^N and P = q + 2 q^2 + ... + N q^N let B = 1 - Q - (1 + q) P.
    It falls as N grows, and if it is not negative, s is at least 3/5 for N >= 1, at least 1 for
    N >= 2. With it comes the constant of the gap, kappa = s B / ((1 + q) (1 + q Q)), and
    what it says of two lists whose largest entries differ. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference sorted_lists.

Section Balance.

Variables (R : realType) (s : R).
Hypothesis s_gt0 : 0 < s.
Notation q := (expR (- s)).
Notation Q := (sum_q s).
Notation P := (sum_jq s).

(** The number B: where it is not negative, entries that are s apart are far enough apart for N of them. *)
Definition balance (N : nat) : R := 1 - Q N - (1 + q) * P N.
(** The constant of the gap: lists that first differ at x have values at least kappa exp(x - a_1) apart,
    where a_1 is their largest entry. *)
Definition kappa (N : nat) : R := s * balance N / ((1 + q) * (1 + q * Q N)).

(** The ratio q = exp(-s) is positive. *)
Lemma q_gt0 : 0 < q. Proof. exact: expR_gt0. Qed.

(** The ratio q is below 1. *)
Lemma q_lt1 : q < 1. Proof. by rewrite -expR0 ltr_expR oppr_lt0. Qed.

(** The sum of powers of q is not negative. *)
Lemma Q_ge0 N : 0 <= Q N.
Proof. by apply: sumr_ge0 => j _; rewrite exprn_ge0 ?ltW ?q_gt0. Qed.

(** Nor is that with factors. *)
Lemma P_ge0 N : 0 <= P N.
Proof. by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?ler0n ?exprn_ge0 ?ltW ?q_gt0. Qed.

(** B falls as N grows. *)
Lemma balance_falls M N : (M <= N)%N -> balance N <= balance M.
Proof.
elim: N => [|N IH]; first by rewrite leqn0 => /eqP->.
rewrite leq_eqVlt => /predU1P[->//|/IH le]; apply: le_trans le.
have : Q N <= Q N.+1 by rewrite /sum_q big_ord_recr ler_addl exprn_ge0 ?ltW ?q_gt0.
have : P N <= P N.+1.
  by rewrite /sum_jq big_ord_recr ler_addl mulr_ge0 ?ler0n ?exprn_ge0 ?ltW ?q_gt0.
by have := q_gt0; rewrite /balance; move: (Q N.+1) (P N.+1) q => Q' P' q' *; nra.
Qed.

Variable N : nat.
Hypothesis good : 0 <= balance N.

(** ** How large s is then *)

(** What B >= 0 says of q for N >= 1. *)
Lemma q_two : (0 < N)%N -> q ^+ 2 + 2%:R * q <= 1.
Proof.
move/balance_falls; have -> : balance 1 = 1 - q - (1 + q) * q.
  by rewrite /balance /sum_q /sum_jq !big_ord1 /= expr1 mul1r.
by have := good; move: q (balance N) => x b; nra.
Qed.

(** What B >= 0 says of q for N >= 2. *)
Lemma q_three : (1 < N)%N -> 2%:R * q + 4%:R * q ^+ 2 + 2%:R * q ^+ 3 <= 1.
Proof.
move/balance_falls; have -> : balance 2 = 1 - (q + q ^+ 2) - (1 + q) * (q + 2%:R * q ^+ 2).
  by rewrite /balance /sum_q /sum_jq !big_ord_recr !big_ord0 /= !add0r expr1 mul1r.
by have := good; move: q (balance N) => x b; rewrite exprS; move: (x ^+ 2) => z; nra.
Qed.

(** So q is at most 3/10 for N >= 2. *)
Lemma q_small : (1 < N)%N -> q <= 3%:R / 10%:R.
Proof.
move/q_three; have := q_gt0; move: q => x x_gt0 le; rewrite leNgt; apply/negP => gt.
have x2 : 9%:R / 100%:R <= x ^+ 2 by rewrite expr2; clear le; nra.
have x3 : 27%:R / 1000%:R <= x ^+ 3 by rewrite exprS; move: x2; clear le; move: (x ^+ 2) => z; nra.
by have : 1 < 1 :> R; [lra | rewrite ltxx].
Qed.

(** What has a smaller square is smaller. *)
Lemma root_le (x c : R) : 0 <= c -> x ^+ 2 <= c ^+ 2 -> x <= c.
Proof.
move=> c0 le; rewrite leNgt; apply/negP => lt.
by have := ltr_pmul c0 c0 lt lt; rewrite -!expr2 ltNge le.
Qed.

(** s is at least 3/5 for N >= 1. *)
Lemma s_ge : (0 < N)%N -> 3%:R / 5%:R <= s.
Proof.
move/q_two; have := expR_ge1D (- s / 2%:R); set x := expR (- s / 2%:R) => x_ge.
have -> : q = x ^+ 2 by rewrite /x -expRMm; congr expR; field.
move=> le; have : x <= 7%:R / 10%:R; last by lra.
by apply: root_le; [lra | move: le; move: (x ^+ 2) => z; nra].
Qed.

(** s is at least 1 for N >= 2. *)
Lemma s_ge1 : (1 < N)%N -> 1 <= s.
Proof.
move/q_small; have := expR_ge1D (- s / 4%:R); set x := expR (- s / 4%:R) => x_ge.
have -> : q = (x ^+ 2) ^+ 2 by rewrite -exprM /x -expRMm; congr expR; field.
move=> le; have : x <= 3%:R / 4%:R; last by lra.
by apply: root_le; [lra | apply: root_le; [lra | apply: le_trans le _; lra]].
Qed.

(** Q is at most 1. *)
Lemma Q_le1 : 0 <= 1 - Q N.
Proof.
by have := mulr_ge0 (ltW q_gt0) (P_ge0 N); have := P_ge0 N; have := good; rewrite /balance; lra.
Qed.

(** The denominator of kappa is positive. *)
Lemma denominator_gt0 : 0 < (1 + q) * (1 + q * Q N).
Proof. by have := q_gt0; have := Q_ge0 N; move: q (Q N) => x y *; nra. Qed.

(** kappa is not negative. *)
Lemma kappa_ge0 : 0 <= kappa N.
Proof. by rewrite divr_ge0 ?(ltW denominator_gt0) // mulr_ge0 // ltW. Qed.

(** kappa times its denominator is s B. *)
Lemma kappaE : kappa N * ((1 + q) * (1 + q * Q N)) = s * balance N.
Proof. by rewrite divfK // gt_eqF // denominator_gt0. Qed.

(** kappa is at most s B. *)
Lemma kappa_le : kappa N <= s * balance N.
Proof.
rewrite -kappaE ler_pemulr ?kappa_ge0 //; have := q_gt0; have := mulr_ge0 (ltW q_gt0) (Q_ge0 N).
by move: q (_ * Q N) => x y *; nra.
Qed.

(** Both sums are at least their first term, q. *)
Lemma first_term : (0 < N)%N -> q <= Q N /\ q <= P N.
Proof.
case: (N) => // M _; rewrite /sum_q /sum_jq !big_ord_recl /= mul1r expr1 !ler_addl.
split; apply: sumr_ge0 => j _; first by rewrite exprn_ge0 ?ltW ?q_gt0.
by rewrite mulr_ge0 ?ler0n ?exprn_ge0 ?ltW ?q_gt0.
Qed.

(** What comes after x draws the value down by at most this number, which is s (1 - B). *)
Let drop := s * (Q N + (1 + q) * P N).

(** This number is not negative. *)
Lemma drop_ge0 : 0 <= drop.
Proof.
by rewrite mulr_ge0 ?addr_ge0 ?mulr_ge0 ?Q_ge0 ?P_ge0 ?(ltW s_gt0) //; have := q_gt0; lra.
Qed.

(** If s < 1, only one entry t may come after x: and a number v times exp(-v) is at most 1 / e. *)
Lemma one_after x t : s < 1 -> (0 < N)%N -> t + s <= x -> - (expR x * drop) <= (t - x) * expR t.
Proof.
move=> s_lt N_gt0 tx; have drop_ge : q <= drop.
  rewrite /drop; have [Q1 P1] := first_term N_gt0; have s3 := s_ge N_gt0.
  have : 2%:R * q <= Q N + (1 + q) * P N by have := mulr_ge0 (ltW q_gt0) (P_ge0 N); lra.
  move/(ler_wpmul2l (ltW s_gt0)); apply: le_trans.
  by have := ler_wpmul2r (ltW q_gt0) s3; have := q_gt0; lra.
have := expR_ge1D (x - t - 1); rewrite -(ler_pmul2l (expR_gt0 t)) -expRD.
have : expR (t + (x - t - 1)) <= expR x * q by rewrite -expRD ler_expR; lra.
have : expR x * q <= expR x * drop by rewrite ler_pmul2l ?expR_gt0.
by move: (expR (_ + _)) (_ * drop) (_ * q) (expR t) => *; lra.
Qed.

(** The sum of what comes after x: if s >= 1, it is compared with powers of q. *)
Lemma off_after x a : path (down s) x a -> (size a <= N)%N -> - (expR x * drop) <= off x a.
Proof.
have [s1 p a_N|s_lt] := leP 1 s.
  have := off_below s_gt0 (V := x) p a_N; rewrite subrr mul0r sub0r mulrN => below.
  apply: le_trans (below _); last by lra.
  rewrite ler_opp2 ler_pmul2l ?expR_gt0 // ler_pmul2l //; have := Q_ge0 N.
  by have := mulr_ge0 (ltW q_gt0) (P_ge0 N); lra.
case: a => [|t [|u a]] /=.
- by rewrite /off big_nil oppr_le0 mulr_ge0 ?expR_ge0 ?drop_ge0.
- by rewrite andbT => tx N_gt0; rewrite /off big_seq1 one_after.
by move=> _ a_N; have /s_ge1 : (1 < N)%N by [apply: leq_trans a_N]; rewrite leNgt s_lt.
Qed.

(** So the value of a list lies at most s (1 - B) below its largest entry. *)
Lemma draws_down x a : path (down s) x a -> (size a <= N)%N ->
  x - s * (Q N + (1 + q) * P N) <= boltz_list (x :: a).
Proof.
move=> p a_N; have := off_after p a_N.
have -> : off x a = off x (x :: a) by rewrite off_cons subrr mul0r add0r.
rewrite -boltz_list_off => le; suff : - drop <= boltz_list (x :: a) - x by rewrite /drop; lra.
rewrite -(ler_pmul2r (total_gt0 x a)); apply: le_trans le; rewrite mulNr ler_opp2 mulrC.
by rewrite ler_wpmul2l ?drop_ge0 // total_cons; have := total_ge0 a; lra.
Qed.

(** ** The largest entries differ *)

(** If the largest entries differ by s or more, then the value of a is larger by kappa at least, as that of b is at
    most its largest entry. *)
Theorem largest_spacing x a y b : path (down s) x a -> (size a <= N)%N -> path (down s) y b ->
  y + s <= x -> kappa N <= boltz_list (x :: a) - boltz_list (y :: b).
Proof.
move=> pa a_N pb yx.
(* 1. The value of b is at most its largest entry. *)
have b_le : boltz_list (y :: b) <= y.
  rewrite -subr_le0 -(pmulr_lle0 _ (total_gt0 y b)) boltz_list_off off_cons subrr mul0r add0r.
  rewrite -oppr_ge0 -sumrN big_seq sumr_ge0 // => t tb; rewrite -mulNr mulr_ge0 ?expR_ge0 //.
  by have := path_all s_gt0 pb tb; have := s_gt0; lra.
(* 2. That of a is at most s (1 - B) below x. *)
by have := draws_down pa a_N; have := kappa_le; rewrite /balance; lra.
Qed.

End Balance.
