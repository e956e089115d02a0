(** * Theorem 2 under masks: the proof, for any direction that keeps tokens apart

    As in theorem_2_gap.v, with the least spacing in place of Lemma 1: it compares vectors of any
    lengths, and one that begins the other. What r and gamma are then is said in appendix_c.v. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import definitions boltzmann inner_product rank_one masked_layers sorted_lists.
From UAT.kajitsuka2024 Require Import spacing_balance least_spacing masked_head scores.

(** Contextual mapping under masks (the book's definition): each sequence X_i has a mask of its
    own, and the output Y_i. Only columns that see themselves count, others are fillers. *)
Definition visible_contextual (R : rcfType) (I : Type) d n (X : I -> 'M[R]_(d, n))
    (sees : I -> rel 'I_n) (r gamma : R) (Y : I -> 'M[R]_(d, n)) :=
  (forall i k, sees i k k -> norm (col k (Y i)) < r) /\
  (forall i j k l, sees i k k -> sees j l l ->
    ~ (seen (sees i) (X i) k =i seen (sees j) (X j) l) \/ col k (X i) != col l (X j) ->
    gamma < norm (col k (Y i) - col l (Y j))).

Section Tokens.

Variables (R : realType) (d N : nat) (D : seq 'cV[R]_d) (v : 'cV[R]_d).
Variables (r_min r_max eps s c : R).

Hypothesis r_min_gt0 : 0 < r_min.
Hypothesis eps_gt0 : 0 < eps.
Hypothesis s_gt0 : 0 < s.
Hypothesis good : 0 < balance s N.
Hypothesis longer : {in D, forall x, r_min < norm x}.
Hypothesis shorter : {in D, forall x, norm x < r_max}.
Hypothesis far : {in D &, forall x y, x != y -> eps < norm (x - y)}.
Hypothesis unit_v : dot v v = 1.
Hypothesis c_gt0 : 0 < c.
Hypothesis keep : {in 0 :: D &, forall x y, c * norm (x - y) <= `|dot v (x - y)|}.

Notation beta := (beta r_min eps s c).
Notation bound := (bound r_min r_max eps s c).
Notation score := (score r_min eps s c v).
(** The gap: tokens that differ, or that see different sets of tokens, come out more than this apart. *)
Definition gap : R := eps * kappa s N / (4%:R * bound) * expR (- (2%:R * bound)).

(** v keeps distances of tokens. *)
Lemma keep_tokens x y : x \in D -> y \in D -> c * norm (x - y) <= `|dot v (x - y)|.
Proof. by move=> xD yD; apply: keep; rewrite inE ?xD ?yD orbT. Qed.

(** v keeps lengths of tokens, their distances from 0. *)
Lemma keep_token x : x \in D -> c * norm x <= `|dot v x|.
Proof.
by move=> xD; have := keep (_ : x \in 0 :: D) (mem_head _ _); rewrite inE xD orbT subr0; apply.
Qed.

Let scores_apart x y z := @scores_apart R d (fun x => x \in D) _ _ _ _ _ r_min_gt0 eps_gt0 s_gt0 longer far
  c_gt0 keep_tokens keep_token x y z.
Let scores_bounded x y := @scores_bounded R d (fun x => x \in D) _ _ _ _ _ _ r_min_gt0 eps_gt0 s_gt0
  shorter unit_v c_gt0 x y.
Let score_inj x y z := @score_inj R d (fun x => x \in D) _ _ _ _ _ r_min_gt0 eps_gt0 s_gt0 longer far
  c_gt0 keep_tokens keep_token x y z.

(** A listener, and two lists of tokens that it sees. *)
Lemma lists_apart x (u w : seq 'cV[R]_d) : x \in D -> {subset u <= D} -> {subset w <= D} ->
  uniq u -> uniq w -> (size u <= N.+1)%N -> (size w <= N.+1)%N -> u != [::] -> w != [::] ->
  ~ (u =i w) -> kappa s N * expR (- (2%:R * bound))
    < `|boltz_list [seq score x y | y <- u] - boltz_list [seq score x y | y <- w]|.
Proof.
move=> xD uD wD uu uw uN wN u0 w0 ne.
have sp a b : {subset a <= D} -> {subset b <= D} ->
    spaced s [seq score x y | y <- a] [seq score x y | y <- b].
  move=> aD bD _ _ /mapP[y ya ->] /mapP[z zb ->] yz; apply: ltW; apply: scores_apart; auto.
  by apply: contra_neq yz => ->.
have un a : {subset a <= D} -> uniq a -> uniq [seq score x y | y <- a].
  by move=> aD ua; rewrite map_inj_in_uniq // => y z ya za; apply: score_inj; auto.
have bd a : {subset a <= D} -> {in [seq score x y | y <- a], forall t, `|t| < bound}.
  by move=> aD _ /mapP[y ya ->]; apply: scores_bounded; auto.
have inc a b : {subset a <= D} -> {subset b <= D} ->
    {subset [seq score x y | y <- a] <= [seq score x y | y <- b]} -> {subset a <= b}.
  move=> aD bD sub y ya; have /mapP[z zb /score_inj->//] := sub _ (map_f _ ya); auto.
apply: (told_apart s_gt0 (ltW good) good); rewrite ?size_map; auto.
- by case: (u) u0.
- by case: (w) w0.
by move=> same; apply: ne => y; apply/idP/idP; apply: inc => // t; rewrite same.
Qed.

(** The gap is at most eps / 2, if there are two tokens. *)
Lemma gap_le x y : x \in D -> y \in D -> x != y -> gap <= eps / 2%:R.
Proof.
move=> xD yD /(scores_apart xD xD yD); have := scores_bounded xD xD; have := scores_bounded xD yD.
rewrite !ltr_norml ltr_normr => /andP[? ?] /andP[? ?] s_lt.
have {s_lt} s_lt : s < 2%:R * bound by case/orP: s_lt; lra.
have b0 : 0 < bound by have := s_gt0; lra.
have k_le : kappa s N <= s.
  apply: le_trans (kappa_le s_gt0 (ltW good)) _; rewrite ger_pmulr // /balance.
  have := Q_ge0 s N; have := P_ge0 s N; have := mulr_ge0 (ltW (q_gt0 s)) (P_ge0 s N); lra.
have b4 : 0 < 4%:R * bound by lra.
rewrite /gap expRN ler_pdivr_mulr ?expR_gt0 // ler_pdivr_mulr //.
have e1 : 1 <= expR (2%:R * bound) by rewrite -[X in X <= _]expR0 ler_expR; lra.
rewrite (_ : eps / 2%:R * _ * _ = eps * (2%:R * bound * expR (2%:R * bound))); last by field.
rewrite ler_pmul2l //; apply: le_trans k_le (le_trans (ltW s_lt) _).
by rewrite ler_pemulr // mulr_ge0 ?ler0n ?ltW.
Qed.

End Tokens.
