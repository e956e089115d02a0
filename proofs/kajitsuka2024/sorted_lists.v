(** * Vectors in decreasing order: sums, and what lies below

    The Boltzmann operator of a list of numbers, in decreasing order with neighbours at least s
    apart. A list that begins s below x or lower has its entries at x - s, x - 2 s, ... or lower;
    so sums over it are compared with sums of powers of q = exp(-s). *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference.

Section Lists.

Variables (R : realType).
Implicit Types (a b c : seq R) (x V : R).

(** The sum of the weights, and the Boltzmann operator. *)
Definition total a : R := \sum_(t <- a) expR t.
(** The mean of the entries of a list, weighted by softmax of themselves. *)
Definition boltz_list a : R := (\sum_(t <- a) t * expR t) / total a.

(** How far the value is from any number V. *)
Definition off V a : R := \sum_(t <- a) (t - V) * expR t.

(** The sum of the weights is not negative. *)
Lemma total_ge0 a : 0 <= total a.
Proof. by rewrite /total; apply: sumr_ge0 => t _; apply: expR_ge0. Qed.

(** The sum of the weights, entry by entry. *)
Lemma total_cons x a : total (x :: a) = expR x + total a.
Proof. by rewrite /total big_cons. Qed.

(** The sum of the weights of two lists. *)
Lemma total_cat a b : total (a ++ b) = total a + total b.
Proof. by rewrite /total big_cat. Qed.

(** How far the value is from V, entry by entry. *)
Lemma off_cons V x a : off V (x :: a) = (x - V) * expR x + off V a.
Proof. by rewrite /off big_cons. Qed.

(** How far the value is from V, for two lists. *)
Lemma off_cat V a b : off V (a ++ b) = off V a + off V b.
Proof. by rewrite /off big_cat. Qed.

(** The sum of the weights is positive, if there is an entry. *)
Lemma total_gt0 x a : 0 < total (x :: a).
Proof. by rewrite total_cons; have := expR_gt0 x; have := total_ge0 a; lra. Qed.

(** How far the value is from V, in terms of weights and products. *)
Lemma offE V a : off V a = \sum_(t <- a) t * expR t - V * total a.
Proof. by rewrite /off /total mulr_sumr -sumrB; apply: eq_bigr => t _; rewrite mulrBl. Qed.

(** The number [off] is how far the value is from V, times the weights. *)
Lemma boltz_list_off V x a : (boltz_list (x :: a) - V) * total (x :: a) = off V (x :: a).
Proof. by rewrite mulrBl /boltz_list divfK ?offE // gt_eqF ?total_gt0. Qed.

(** The operator of a family is that of the list of its entries. *)
Lemma boltz_listE (J : finType) (P : pred J) (f : J -> R) a :
  perm_eq [seq f j | j <- enum J & P j] a ->
  boltz_list a = (\sum_(j | P j) f j * expR (f j)) / \sum_(j | P j) expR (f j).
Proof.
move=> eq_a; rewrite /boltz_list /total -2!(perm_big _ eq_a) /= 2!big_map 2!big_filter.
by rewrite !big_enum_cond.
Qed.

Variable s : R.
Hypothesis s_gt0 : 0 < s.
Notation q := (expR (- s)).

(** v is at least s below u. *)
Definition down : rel R := fun u v => v + s <= u.

(** What falls from x falls from anything above x. *)
Lemma path_down_le x y a : x <= y -> path down x a -> path down y a.
Proof. by case: a => //= t a xy /andP[tx ->]; rewrite andbT /down in tx *; lra. Qed.

(** All that comes after x lies at least s below it. *)
Lemma path_all x a : path down x a -> {in a, forall t, t + s <= x}.
Proof.
elim: a x => //= t a IH x /andP[tx p] u; rewrite inE => /predU1P[->//|ua].
by have := IH _ p u ua; rewrite /down in tx; have := s_gt0; lra.
Qed.

(** What stands before x in a list is at least s above it. *)
Lemma path_before y a x b : path down y (a ++ x :: b) -> {in y :: a, forall t, x + s <= t}.
Proof.
elim: a y => [|t a IH] y /= /andP[ty p] u.
  by rewrite inE => /eqP->.
rewrite inE => /predU1P[->|]; last exact: IH p u.
by have := IH _ p t (mem_head _ _); rewrite /down in ty; have := s_gt0; lra.
Qed.

(** Sums of what falls and is not positive: the highest entries are the worst. *)
Lemma sum_steps (g : R -> R) x b N : path down x b -> (size b <= N)%N ->
  (forall t u, u <= t -> t <= x - s -> g t <= g u) -> (forall t, t <= x - s -> g t <= 0) ->
  \sum_(j < N) g (x - j.+1%:R * s) <= \sum_(t <- b) g t.
Proof.
elim: b x N => [|t b IH] x N /=.
  rewrite big_nil => _ _ _ neg; rewrite -oppr_ge0 -sumrN sumr_ge0 // => j _; rewrite oppr_ge0.
  apply: neg; rewrite -addn1 natrD mulrDl mul1r.
  by have : 0 <= j%:R * s; [rewrite mulr_ge0 ?ler0n ?ltW | lra].
case: N => // N /andP[tx p] b_N falls neg; rewrite /down in tx; have s0 := s_gt0.
rewrite big_ord_recl big_cons; apply: ler_add; first by rewrite /= mul1r; apply: falls; lra.
have := IH (x - s) N _ b_N; rewrite (eq_bigr (fun j : 'I_N => g (x - j.+2%:R * s))); last first.
  by move=> j _; congr g; rewrite -addn1 natrD; ring.
apply=> [|u v ? ?|u ?]; [by apply: path_down_le p; lra | apply: falls; lra | apply: neg; lra].
Qed.

(** ** Powers of q *)

(** The sum of the powers q, ..., q^N. *)
Definition sum_q (N : nat) : R := \sum_(j < N) q ^+ j.+1.
(** The sum of the j q^j, for j = 1, ..., N. *)
Definition sum_jq (N : nat) : R := \sum_(j < N) j.+1%:R * q ^+ j.+1.

(** Steps of s are powers of q. *)
Lemma expR_steps x (j : nat) : expR (x - j%:R * s) = expR x * q ^+ j.
Proof.
rewrite expRD; congr (_ * _); elim: j => [|j IH]; first by rewrite mul0r oppr0 expR0 expr0.
by rewrite exprS -IH -expRD; congr expR; rewrite -addn1 natrD; ring.
Qed.

(** The sum of weights at steps below x. *)
Lemma sum_exp N x : \sum_(j < N) - expR (x - j.+1%:R * s) = - (expR x * sum_q N).
Proof. by rewrite /sum_q mulr_sumr -sumrN; apply: eq_bigr => j _; rewrite expR_steps. Qed.

(** How far these steps draw down. *)
Lemma sum_off N x V : \sum_(j < N) (x - j.+1%:R * s - V) * expR (x - j.+1%:R * s)
  = expR x * ((x - V) * sum_q N - s * sum_jq N).
Proof.
rewrite /sum_q /sum_jq 2!mulr_sumr -sumrB mulr_sumr; apply: eq_bigr => j _.
by rewrite expR_steps; ring.
Qed.

(** The weights of what begins s below x add up to at most those of steps. *)
Lemma total_below x b N : path down x b -> (size b <= N)%N -> total b <= expR x * sum_q N.
Proof.
move=> p b_N; rewrite -[total b]opprK -[expR x * _]opprK ler_opp2 -sum_exp /total -sumrN.
apply: (sum_steps (g := fun t => - expR t) p b_N) => [t u ut _|t _].
  by rewrite ler_opp2 ler_expR.
by rewrite oppr_le0 expR_ge0.
Qed.

(** And it draws down by no more than steps would. *)
Lemma off_below x V b N : path down x b -> (size b <= N)%N -> x - s <= V - 1 ->
  expR x * ((x - V) * sum_q N - s * sum_jq N) <= off V b.
Proof.
move=> p b_N xV; rewrite -sum_off.
apply: (sum_steps (g := fun t => (t - V) * expR t) p b_N) => [t u ut tx|t tx].
  by apply: weighted_le; lra.
by rewrite -oppr_ge0 -mulNr mulr_ge0 ?expR_ge0 //; lra.
Qed.

(** The weights of a whole list are at most that of the largest, times 1 / (1 - q). *)
Lemma total_le x a : path down x a -> total (x :: a) * (1 - q) <= expR x.
Proof.
elim: a x => [|t a IH] x /=.
  by rewrite total_cons /total big_nil; have := expR_gt0 x; have := expR_gt0 (- s); nra.
move=> /andP[tx /IH le]; rewrite total_cons mulrDl.
have : expR t <= expR x * q by rewrite -expRD ler_expR; rewrite /down in tx; lra.
by move: le; move: (total _ * _) => T; lra.
Qed.

End Lists.
