(** * Kajitsuka and Sato (2024), appendix C, repaired: Theorem 2 under masks

    Let D be a finite list of tokens of norms strictly between r_min > 0 and r_max, any two of them
    more than eps > 0 apart. There is one head of softmax attention, with W_V, W_K and W_Q of rank
    1, that tells apart, for all sequences of n tokens and all masks (each sequence has its own),
    tokens that differ, and equal tokens that see different sets of tokens. It does so by more than
    gamma = eps kappa / (4 S) exp(-2 S), S = beta r_max^2, beta = (V + 1)^4 pi d s / (8 eps r_min),
    where V is the number of tokens in D and s any spacing above the least one, s_n. Ids are shorter
    than r_max + eps / 4. For all d >= 1, n >= 1 and head sizes >= 1.

    This is the book's repaired statement: the printed text says that the proof of Theorem 2 carries
    over, but Definition 2 compares what a column cannot see (masked_layers.v). Only columns that
    see themselves count; all that they see are tokens of D, no one twice, and other columns are
    anything. A hidden entry is left out, where (133) has -infinity times 0. The text names no gap.
    That s is above s_n is said as B > 0, see least_spacing.v. *)
From UAT Require Import transformers analysis.
From mathcomp Require Import mxalgebra.
From mathcomp.analysis Require Import trigo.
From UAT.kajitsuka2024 Require Import definitions boltzmann inner_product lemma_2 rank_one masked_layers.
From UAT.kajitsuka2024 Require Import sorted_lists spacing_balance masked_head scores masked_gap.

(** The sharpness of a masked head for V tokens: with it the scores of different tokens are more than s apart. *)
Definition sharpness_masked (R : realType) (d V : nat) (r_min eps s : R) : R :=
  (V + 1)%:R ^+ 4 * (pi * d%:R) * s / (8%:R * eps * r_min).
(** The gap: how far apart a masked head of this sharpness keeps what must differ. *)
Definition gap_masked (R : realType) (d n V : nat) (r_min r_max eps s : R) : R :=
  let S := sharpness_masked d V r_min eps s * r_max ^+ 2 in
  eps * kappa s n.-1 / (4%:R * S) * expR (- (2%:R * S)).

Section Direction.

Variables (R : realType) (d N h : nat) (D : seq 'cV[R]_d) (v : 'cV[R]_d).
Variables (r_min r_max eps s c : R).
Notation beta := (beta r_min eps s c).
Notation w := (out_vector r_max eps v).

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

Variables (I : Type) (X : I -> 'M[R]_(d, N.+1)) (sees : I -> rel 'I_N.+1).
Notation set i k := (seen (sees i) (X i) k).
Hypothesis tokens : forall i k, sees i k k -> {subset set i k <= D} /\ uniq (set i k).
Notation out i := (masked_attention (sees i) [:: rank_one_head h v w beta] (X i)).
Notation hears i k := (masked_heard v beta (X i) (sees i) k).

(** A column that sees itself is in the set that it sees. *)
Lemma self_seen i k : sees i k k -> col k (X i) \in set i k.
Proof. by move=> kk; apply/mapP; exists k; rewrite // mem_filter kk mem_enum. Qed.

(** A column that sees itself is a token of D. *)
Lemma self_in i k : sees i k k -> col k (X i) \in D.
Proof. by move=> kk; apply: (tokens kk).1; apply: self_seen. Qed.

(** Nobody sees more than n columns. *)
Lemma size_set i k : (size (set i k) <= N.+1)%N.
Proof. by rewrite size_map size_filter (leq_trans (count_size _ _)) // size_enum_ord. Qed.

(** What is heard is a mean of shadows, which are shorter than r_max. *)
Lemma hears_le i k : sees i k k -> `|hears i k| <= r_max.
Proof.
move=> kk; apply: masked_heard_le => // j jk; apply/ltW/(shadow_lt shorter unit_v).
by apply: (tokens kk).1; apply/mapP; exists j; rewrite // mem_filter jk mem_enum.
Qed.

(** A token that sees two different sets hears two different numbers: the least spacing, of its scores. *)
Lemma hears_apart i j k l : sees i k k -> sees j l l -> col k (X i) = col l (X j) ->
  ~ (set i k =i set j l) ->
  kappa s N * expR (- (2%:R * bound r_min r_max eps s c))
    < beta * r_max * `|hears i k - hears j l|.
Proof.
move=> kk ll same sets; have kD := self_in kk; have b0 := beta_gt0 r_min_gt0 eps_gt0 s_gt0 c_gt0.
have ne0 i' k' : sees i' k' k' -> set i' k' != [::].
  by move=> /self_seen; case: (set i' k').
have := lists_apart r_min_gt0 eps_gt0 s_gt0 good longer shorter far unit_v c_gt0 keep kD
  (tokens kk).1 (tokens ll).1 (tokens kk).2 (tokens ll).2 (size_set i k) (size_set j l)
  (ne0 _ _ kk) (ne0 _ _ ll) sets.
rewrite /score; have := masked_boltz v beta (X j) (sees j) l.
have := masked_boltz v beta (X i) (sees i) k; rewrite /shadow -same => <- <- lt.
rewrite -mulrBr normrM in lt; apply: lt_le_trans lt _; apply: ler_wpmul2r; first exact: normr_ge0.
by rewrite normrM (gtr0_norm b0) ler_wpmul2l // ltW // (shadow_lt shorter unit_v kD).
Qed.

(** What is heard becomes a difference of ids of more than the gap. *)
Lemma gap_of_heard (delta : R) : 0 < r_max ->
  kappa s N * expR (- (2%:R * bound r_min r_max eps s c)) < beta * r_max * delta ->
  gap N r_min r_max eps s c < delta * (eps / (4%:R * r_max)).
Proof.
move=> r0 lt; have b0 : 0 < beta := beta_gt0 r_min_gt0 eps_gt0 s_gt0 c_gt0.
have e4 : 0 < eps / (4%:R * bound r_min r_max eps s c).
  have S0 : 0 < bound r_min r_max eps s c by apply: mulr_gt0 => //; rewrite exprn_gt0.
  by apply: divr_gt0 => //; apply: mulr_gt0 => //; rewrite ltr0n.
rewrite /gap (_ : delta * _ = eps / (4%:R * bound r_min r_max eps s c) * (beta * r_max * delta)).
  rewrite (_ : eps * _ / _ * _ = eps / (4%:R * bound r_min r_max eps s c) *
    (kappa s N * expR (- (2%:R * bound r_min r_max eps s c)))); last by ring.
  by rewrite ltr_pmul2l.
by rewrite /bound; field; rewrite !gt_eqF.
Qed.

(** One head of rank one along v is a contextual mapping under all masks. *)
Theorem masked_given_direction :
  visible_contextual X sees (r_max + eps / 4%:R) (gap N r_min r_max eps s c) (fun i => out i).
Proof.
split=> [i k kk|i j k l kk ll].
  (* 1. A token is changed by at most eps / 4. *)
  by rewrite masked_rank_one; apply: (id_lt eps_gt0 shorter unit_v (self_in kk) (hears_le kk)).
have kD := self_in kk; have lD := self_in ll; rewrite !masked_rank_one.
have [same|ne _] := eqVneq (col k (X i)) (col l (X j)); last first.
(* 2. Different tokens stay more than eps / 2 apart. *)
  have le := gap_le r_min_gt0 eps_gt0 s_gt0 good longer shorter far unit_v c_gt0 keep kD lD ne.
  exact: le_lt_trans le (tokens_apart eps_gt0 shorter far unit_v kD lD ne (hears_le kk) (hears_le ll)).
(* 3. A token that sees two different sets hears two different numbers, and what is added differs
   by gamma at least. *)
case=> [sets|//]; rewrite same opprD addrACA subrr add0r -scalerBl.
rewrite (norm_out eps_gt0 shorter unit_v _ kD); apply: gap_of_heard (r_max_gt0 shorter kD) _.
exact: hears_apart.
Qed.

End Direction.

(** The sharpness is that of the head, with the constant of Lemma 2 for V + 1 vectors. *)
Lemma sharpness_maskedE (R : realType) (d V : nat) (r_min eps s : R) : 0 < r_min -> 0 < eps ->
  beta r_min eps s (share R d (V + 1)) = sharpness_masked d.+1 V r_min eps s.
Proof.
move=> r0 e0; have pi0 : 0 < pi * d.+1%:R :> R by rewrite mulr_gt0 ?pi_gt0 ?ltr0n.
have V0 : 0 < (V + 1)%:R :> R by rewrite ltr0n addn1.
rewrite /beta /sharpness_masked share_sqr.
by move: (pi * _) pi0 (V + 1)%:R V0 => P P0 W W0; field; rewrite !gt_eqF.
Qed.

(** The theorem: one head for all sequences of tokens of D, and all masks. *)
Theorem masked_layer (R : realType) (d n h : nat) (D : seq 'cV[R]_d.+1) (r_min r_max eps s : R) :
  0 < r_min -> 0 < eps -> 0 < s -> 0 < balance s n ->
  {in D, forall x, r_min < norm x /\ norm x < r_max} ->
  {in D &, forall x y, x != y -> eps < norm (x - y)} ->
  exists w : head_weights R d.+1, [/\ size_v w = h.+1 /\ size_k w = h.+1,
    [/\ \rank (W_V w) = 1%N, \rank (W_K w) = 1%N & \rank (W_Q w) = 1%N] &
    forall (I : Type) (X : I -> 'M[R]_(d.+1, n.+1)) (sees : I -> rel 'I_n.+1),
    (forall i k, sees i k k ->
      {subset seen (sees i) (X i) k <= D} /\ uniq (seen (sees i) (X i) k)) ->
    visible_contextual X sees (r_max + eps / 4%:R)
      (gap_masked d.+1 n.+1 (size (undup D)) r_min r_max eps s)
      (fun i => masked_attention (sees i) [:: w] (X i))].
Proof.
(* 1. A direction [v] that keeps the share [c] of all distances, those from 0 as well: V + 1 vectors.
   [keep] says so. Along it tokens that differ become numbers that differ. *)
move=> r0 e0 s0 good norms far.
have longer : {in D, forall x, r_min < norm x} by move=> x /norms[].
have shorter : {in D, forall x, norm x < r_max} by move=> x /norms[].
have out : 0 \notin D by apply/negP => /longer; rewrite norm0 ltNge ltW.
have [v unit_v] := lemma_2_with_0 out; set c := share _ _ _ => both.
have c0 : 0 < c := share_gt0 R d (size (undup D)).
have keep : {in 0 :: D &, forall x y, c * norm (x - y) <= `|dot v (x - y)|}.
  by move=> x y xD yD; have /andP[] := both x y xD yD.
(* 2. The head that reads along it, with a sharpness that keeps scores more than s apart. *)
exists (rank_one_head h v (out_vector r_max eps v) (beta r_min eps s c)); split=> //.
  apply: rank_one_ranks; last by rewrite gt_eqF // (beta_gt0 r0 e0 s0 c0).
  by apply: contra_eq_neq unit_v => ->; rewrite dot0 eq_sym oner_neq0.
(* 3. It is a contextual mapping under all masks, with this sharpness and the gap that goes with it. *)
move=> I X sees tokens.
have := masked_given_direction h r0 e0 s0 good longer shorter far unit_v c0 keep tokens.
by rewrite /gap /bound /gap_masked -sharpness_maskedE.
Qed.
