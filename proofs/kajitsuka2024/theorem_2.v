(** * Kajitsuka and Sato (2024), Theorem 2: one softmax head is a contextual mapping

    For any finite family of sequences without duplicate tokens, tokenwise (r_min, r_max, eps)-
    separated with r_min > 0 and eps > 0, any d >= 1, n >= 1 and head size s >= 1: there is one head
    of softmax attention, with W_V, W_K and W_Q of rank 1, that is an (r, delta)-contextual
    mapping for r = r_max + eps / 4.

    delta is (8), which is 0 for n = 1, where no token has two contexts. Lemma 1 is used with
    2 log n + 3 <= delta, as the printed proof needs: (14) asks for <, and (43) takes =. *)
From UAT Require Import transformers analysis.
From mathcomp Require Import mxalgebra.
From mathcomp.analysis Require Import trigo.
From UAT.kajitsuka2024 Require Import definitions boltzmann inner_product lemma_2 rank_one scores theorem_2_gap.

(** Along v all distances in a list keep a share c of their length. *)
Definition keeps (R : rcfType) d (v : 'cV[R]_d) (c : R) (D : seq 'cV[R]_d) :=
  forall x y, x \in D -> y \in D -> c * norm (x - y) <= `|dot v (x - y)|.

Section Theorem2.

Variables (R : realType) (d n s : nat) (I : finType) (X : I -> 'M[R]_(d.+1, n.+1)).
Variables (r_min r_max eps : R).
Hypothesis r_min_gt0 : 0 < r_min.
Hypothesis eps_gt0 : 0 < eps.
Hypothesis X_sep : separated X r_min r_max eps.
Hypothesis X_nodup : no_duplicates X.

(** All tokens, each once. *)
Definition tokens : seq 'cV[R]_d.+1 := undup [seq col k (X i) | i <- enum I, k <- enum 'I_n.+1].
(** All tokens, and 0 before them. *)
Definition tokens0 : seq 'cV[R]_d.+1 := 0 :: tokens.

(** Each token is in the list. *)
Lemma token_in i k : col k (X i) \in tokens.
Proof. by rewrite mem_undup; apply/allpairsP; exists (i, k); rewrite !mem_enum. Qed.

(** Each token is in the list with 0. *)
Lemma token_in0 i k : col k (X i) \in tokens0.
Proof. by rewrite inE token_in orbT. Qed.

(** 0 is no token, as tokens are longer than r_min. *)
Lemma zero_notin : 0 \notin tokens.
Proof.
rewrite mem_undup; apply/allpairsP => -[[i k] [_ _ /= zero]].
by case: X_sep => /(_ i k) lt _ _; move: lt; rewrite -zero norm0 ltNge ltW.
Qed.

(** The head of the proof, and what it needs of v and c. *)
Lemma one_head v c : dot v v = 1 -> 0 < c -> keeps v c tokens0 ->
  [/\ v != 0, sharpness n r_min eps c != 0 &
    contextual X (r_max + eps / 4%:R) (gap n r_min r_max eps c) (attention (@softmax R)
      [:: rank_one_head s v (out_vector r_max eps v) (sharpness n r_min eps c)])].
Proof.
move=> unit_v c0 keep; split.
  by apply: contra_eq_neq unit_v => ->; rewrite dot0 eq_sym oner_neq0.
  by rewrite gt_eqF // (beta_gt0 n r_min_gt0 eps_gt0 unit_v c0).
apply: theorem_2_given_direction => // [i j k l|i k]; first by apply: keep; apply: token_in0.
by have := keep _ _ (token_in0 i k) (mem_head _ _); rewrite subr0.
Qed.

End Theorem2.

(** (8), where V is the number of tokens. *)
Definition printed_gap (R : realType) (d n V : nat) (r_min r_max eps : R) : R :=
  2%:R * ln n%:R ^+ 2 * eps ^+ 2 * r_min
    / (r_max ^+ 2 * (V + 1)%:R ^+ 4 * (2%:R * ln n%:R + 3%:R) * pi * d%:R)
  * expR (- ((V + 1)%:R ^+ 4
             * ((2%:R * ln n%:R + 3%:R) * pi * d%:R * r_max ^+ 2 / (4%:R * eps * r_min)))).

(** The gap is not negative. *)
Lemma printed_gap_ge0 (R : realType) (d n V : nat) (r_min r_max eps : R) : 0 < r_min ->
  0 <= printed_gap d n.+1 V r_min r_max eps.
Proof.
move=> r0; have L0 : 0 <= ln n.+1%:R :> R by rewrite ln_ge0 // ler1n.
have S0 : 0 <= 2%:R * ln n.+1%:R + 3%:R :> R by rewrite addr_ge0 ?mulr_ge0 ?ler0n.
rewrite /printed_gap; apply: mulr_ge0 (expR_ge0 _); have := sqr_ge0 eps; have := sqr_ge0 r_max.
move: (eps ^+ 2) (r_max ^+ 2) (_ * ln _ + _) S0 => e m S S0 m0 e0.
by rewrite divr_ge0 // !mulr_ge0 ?exprn_ge0 ?ler0n ?pi_ge0 // ltW.
Qed.

(** The printed gap is that of [theorem_2_given_direction], with the constant c of Lemma 2 for V + 1 vectors. *)
Lemma printed_gapE (R : realType) (d n V : nat) (r_min r_max eps : R) :
  0 < r_min -> 0 < eps -> 0 < r_max ->
  printed_gap d.+1 n.+1 V r_min r_max eps = gap n r_min r_max eps (share R d (V + 1)).
Proof.
move=> r0 e0 rm0; have pi0 : 0 < pi * d.+1%:R :> R by rewrite mulr_gt0 ?pi_gt0 ?ltr0n.
have V0 : 0 < (V + 1)%:R :> R by rewrite ltr0n addn1.
rewrite /printed_gap /gap /score_bound /sharpness /bound /beta share_sqr -!(mulrA _ pi).
have w0 : 0 < 2%:R * ln n.+1%:R + 3%:R :> R.
  by have : 0 <= ln n.+1%:R :> R; [rewrite ln_ge0 // ler1n | lra].
move: (ln _) (2%:R * _ + _) (pi * _) (V + 1)%:R w0 pi0 V0 => L S P W S0 P0 W0.
rewrite (_ : 2%:R * (S / _ * _) = W ^+ 4 * (S * P * r_max ^+ 2 / (4%:R * eps * r_min))).
  by move: (expR _) => e; field; rewrite !gt_eqF.
by field; rewrite !gt_eqF.
Qed.

(** The head, with its vectors: W_O = w u^T, W_V = W_K = u v^T and W_Q = beta u v^T. *)
Lemma theorem_2_head (R : realType) (d n s : nat) (I : finType)
    (X : I -> 'M[R]_(d.+1, n.+1)) (r_min r_max eps : R) :
  0 < r_min -> 0 < eps -> separated X r_min r_max eps -> no_duplicates X ->
  exists (v w : 'cV[R]_d.+1) (beta : R), [/\ v != 0, beta != 0 &
    contextual X (r_max + eps / 4%:R) (printed_gap d.+1 n.+1 (size (tokens X)) r_min r_max eps)
      (attention (@softmax R) [:: rank_one_head s v w beta])].
Proof.
(* 1. Lemma 2 finds a direction [v], of length 1, along which all distances keep the share [c] at least, those from 0 as
   well: V + 1 vectors. So a token x becomes a number, its shadow v . x. Shadows of different tokens differ, and none
   is 0. *)
move=> r0 e0 sep nodup; have [v unit_v] := lemma_2_with_0 (zero_notin r0 sep).
rewrite undup_id ?undup_uniq //; set c := share _ _ _ => keep.
(* 2. The head reads nothing but shadows: W_V = W_K = u v^T and W_Q = beta u v^T, where u is e_1, the first unit
   vector. A token y gives to a listener x the score beta (v . y) (v . x). So equal tokens give equal scores, in
   whichever context; and beta is so large that different tokens give scores more than 2 log n + 3 apart. For this [c]
   has to be positive. *)
have c0 : 0 < c := share_gt0 R d (size (tokens X)).
(* 3. What x hears is the mean of the shadows, with the softmax of the scores as weights. Times beta (v . x), which is
   not 0, it is the mean of the scores themselves: their Boltzmann value. If two contexts of x differ, they differ in
   a token, and so in a score; then Lemma 1 says that the Boltzmann values differ, by a gap. The head adds what is
   heard along w, which is so short that different tokens stay apart. So it is a contextual mapping, with a gap that
   is written with [c]. *)
have [|v0 b0 ctx] := one_head s r0 e0 sep nodup unit_v c0.
  by move=> x y xD yD; have /andP[] := keep x y xD yD.
(* 4. With the value of [c] it is the printed gap. Without a sequence there is nothing to show. *)
have [i _|none] := pickP (mem I); last first.
  by exists v, 0, 1; split=> [//||]; [exact: oner_neq0 | split=> i; have := none i].
exists v, (out_vector r_max eps v), (sharpness n r_min eps c); split=> //.
have rm0 : 0 < r_max by case: (sep) => _ /(_ i ord0) lt _; apply: le_lt_trans (norm_ge0 _) lt.
by rewrite printed_gapE.
Qed.

(** The theorem: one head of rank one is a contextual mapping. *)
Theorem theorem_2 (R : realType) (d n s : nat) (I : finType)
    (X : I -> 'M[R]_(d.+1, n.+1)) (r_min r_max eps : R) :
  0 < r_min -> 0 < eps -> separated X r_min r_max eps -> no_duplicates X ->
  exists w : head_weights R d.+1, [/\ size_v w = s.+1 /\ size_k w = s.+1,
    [/\ \rank (W_V w) = 1%N, \rank (W_K w) = 1%N & \rank (W_Q w) = 1%N] &
    contextual X (r_max + eps / 4%:R)
      (printed_gap d.+1 n.+1 (size (tokens X)) r_min r_max eps) (attention (@softmax R) [:: w])].
Proof.
(* 1. Along the direction [v] of Lemma 2 tokens that differ are numbers that differ. With a sharpness
   [beta] at which the scores of different tokens are more than 2 log n + 3 apart, Lemma 1 says that a
   token hears a number that differs from context to context, and the head adds it along [w]. So it is a
   contextual mapping, [ctx]. *)
move=> r0 e0 sep nodup; have [v [w [beta [v0 b0 ctx]]]] := theorem_2_head s r0 e0 sep nodup.
(* 2. Its matrices are columns times rows, none of which is 0 ([v0], [b0]), so they have rank one. *)
by exists (rank_one_head s v w beta); split=> //; apply: rank_one_ranks.
Qed.
