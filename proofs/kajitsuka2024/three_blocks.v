(** * Proposition 1 of Kajitsuka and Sato (2024): the network of three blocks, for any labels

    The box [a, a + N h]^{d x n} has N cells a side. A pattern T says in which cell each entry
    lies; the third block is told any label for every id. In the cells, beyond ramps of width w, the
    network gives each token the label of its id; where an entry is w or more outside the box it
    is 0; everywhere else each token gets 0, or a share of one label. The head has rank one, and
    any size s. Two ids are equal only if one pattern is a permutation of the other. For all d, n,
    N >= 1 and s >= 1, and all a, h > 0 and w > 0. There are d (2 N + 6) hidden units in the first
    block and at most 3 D C(D + n - 2, n - 1) + 2 d in the third, where D = N^d.

    Differs from the printed proof: sequences with repeated tokens are not left out, as the head
    tells multisets apart; ids are not those of Theorem 2, so no separation is asked for. *)
From UAT Require Import transformers analysis.
From mathcomp Require Import mxalgebra.
From UAT.yun2020 Require Import columns.
From UAT.kajitsuka2024 Require Import definitions inner_product rank_one relu_units quantizer far_away bumps.
From UAT.kajitsuka2024 Require Import pattern_ids count_ids.

(** ** The network *)
Section Network.

Variables (R : realType) (d n s N : nat) (a h w z : R).
Hypotheses (N_gt0 : (0 < N)%N) (h_gt0 : 0 < h) (w_gt0 : 0 < w) (z_01 : 0 < z < 1).
Implicit Types (T : pattern d n N) (X : 'M[R]_(d.+1, n.+1)) (label : R -> 'cV[R]_d.+1).

(** [X] lies in the cells of [T], beyond the ramps. *)
Definition in_cells T X :=
  forall i k, node a h (T (i, k)) + w <= X i k <= node a h (T (i, k)).+1.
(** Some entry of [X] lies outside the box, by the width w of a ramp or more. *)
Definition outside X := exists i k, X i k <= a - w \/ node a h N + w <= X i k.

Notation M := ((top d N)%:R : R).
Definition height : R := n.+1%:R * (M + 2%:R * M * M).
Definition first_block := units_only (everywhere d.+1 (quantizer a h w height N)).
Definition digits_vector : 'cV[R]_d.+1 := \col_i (N.+1 ^ i)%N%:R.
Definition the_head := rank_one_head s digits_vector (omega R d N *: delta_mx 0 0) (ln z).

(** What the third block reads of a token. *)
Definition read X k : R :=
  dot digits_vector
    (col k (attention (@softmax R) [:: the_head] (feed_forward (@relu R) first_block X))).

Notation sh X := (shadow digits_vector (feed_forward (@relu R) first_block X)).

(** The number that the first block makes of a token, digit by digit. *)
Lemma shE X k : sh X k = \sum_(i < d.+1) (N.+1 ^ i)%N%:R * piece (quantizer a h w height N) (X i k).
Proof. by rewrite /shadow /dot entrywise; apply: eq_bigr => i _; rewrite !mxE. Qed.

(** The head adds to it a share of what it hears. *)
Lemma readE X k : read X k
  = sh X k + omega R d N * heard digits_vector (ln z) (feed_forward (@relu R) first_block X) k.
Proof.
rewrite /read attention_rank_one /shadow; set x := col k _; set t := heard _ _ _ _.
have -> : t *: (omega R d N *: delta_mx 0 0) = (omega R d N * t) *: delta_mx 0 0 :> 'cV[R]_d.+1.
  by rewrite scalerA mulrC.
rewrite [LHS]dot_add; congr (_ + _); rewrite dotC dot_delta mxE expn0 mulr1 //.
Qed.

(** The height of the penalty is not negative. *)
Lemma height_ge0 : 0 <= height.
Proof. by rewrite mulr_ge0 ?addr_ge0 ?mulr_ge0 ?ler0n. Qed.

(** In the cells the ids are read. *)
Lemma read_cells T X k : in_cells T X -> read X k = id z T k.
Proof.
move=> X_T; have /andP[z_gt0 _] := z_01; have sh_T j : sh X j = (reading T j)%:R.
  rewrite shE /reading /number natr_sum; apply: eq_bigr => i _.
  by rewrite (quantizer_cell h_gt0 w_gt0 height_ge0 (ltn_ord _) (X_T i j)) mulrC natrM.
by rewrite readE (heard_hears k z_gt0 sh_T) sh_T.
Qed.

(** Readings are at most M, and far below that for a token outside. *)
Lemma sh_le X k : sh X k <= M.
Proof.
rewrite shE /top /number natr_sum; apply: ler_sum => i _; rewrite mulrC natrM ler_wpmul2r ?ler0n //.
exact: quantizer_le_N h_gt0 w_gt0 height_ge0 _.
Qed.

(** One entry far outside outweighs all others. *)
Lemma sh_outside X : outside X -> exists k, sh X k <= M - height.
Proof.
move=> [i [k out]]; exists k; rewrite shE /top /number natr_sum.
rewrite (bigD1 i) //= [X in X - _](bigD1 i) //=.
have := quantizer_outside h_gt0 w_gt0 height_ge0 out; set q := piece _ _ => q_le.
have others_le : \sum_(j < d.+1 | j != i) (N.+1 ^ j)%N%:R * piece (quantizer a h w height N) (X j k)
    <= \sum_(j < d.+1 | j != i) (N * N.+1 ^ j)%N%:R.
  apply: ler_sum => j _; rewrite mulrC natrM ler_wpmul2r ?ler0n //.
  exact: quantizer_le_N h_gt0 w_gt0 height_ge0 _.
rewrite addrAC; apply: ler_add others_le; rewrite natrM.
apply: (le_trans (ler_wpmul2l (ler0n R _) q_le)).
rewrite mulrBr [_ * N%:R]mulrC ler_add2l ler_opp2 ler_pemull ?height_ge0 //.
by rewrite ler1n expn_gt0.
Qed.

(** Outside nothing above 1/2 is read. *)
Lemma read_outside X k : outside X -> read X k <= 2%:R^-1.
Proof.
move=> /sh_outside[j0 low]; rewrite readE; have /andP[z_gt0 z_lt1] := z_01.
apply: (@id_far R d.+1 n digits_vector _ (ln z) M _ j0) => //; last exact: sh_le.
  by rewrite -ler_expR expR0 lnK ?ltW.
by rewrite ler1n top_gt0.
Qed.

End Network.

(** The third block: ids are above 1/2, so there is a bump for each, and none answers up to 1/2. *)
Lemma third_block (R : realType) (d n N : nat) (z : R) (label : R -> 'cV[R]_d.+1) :
  (0 < N)%N -> 0 < z ->
  exists2 F2 : ff_weights R d.+1,
  (hidden F2 <= 3 * (N ^ d.+1 * 'C(n + (N ^ d.+1).-1, n)) + 2 * d.+1)%N &
  forall m (Y : 'M[R]_(d.+1, m)) k,
    let y := dot (digits_vector R d N) (col k Y) in let answer := col k (feed_forward (@relu R) F2 Y) in
    [/\ forall (T : pattern d n N) l, y = id z T l -> answer = label y, y <= 2%:R^-1 -> answer = 0 &
        answer = 0 \/ exists (T : pattern d n N) l, exists2 t, 0 <= t <= 1 &
          answer = t *: label (id z T l)].
Proof.
move=> N_gt0 z_gt0; pose ids := [seq id z t.1 t.2 | t <- enum {: pattern d n N * 'I_n.+1}].
have [|F2 F2_size F2E] := @bump_layer R d.+1 (digits_vector R d N) ids label 2%:R^-1.
  by move=> _ /mapP[[T l] _ ->]; apply: id_gt.
exists F2 => [|m Y k y answer]; first by rewrite F2_size leq_add2r leq_mul2l count_ids.
have [on_id on_low share] := F2E m Y k; split=> // [T l y_id|].
  by apply: on_id; rewrite -/y y_id; apply/mapP; exists (T, l); rewrite ?mem_enum.
rewrite /answer; case: share => [|[c /mapP[[T l] _ ->] [t t_01 ->]]]; first by left.
by right; exists T, l, t.
Qed.

(** The head has rank one: it reads along digits, and its sharpness log z is not 0. *)
Lemma the_head_ranks (R : realType) (d s N : nat) (z : R) : 0 < z < 1 ->
  [/\ \rank (W_V (the_head d s N z)) = 1%N, \rank (W_K (the_head d s N z)) = 1%N &
      \rank (W_Q (the_head d s N z)) = 1%N].
Proof.
move=> /andP[z_gt0 z_lt1]; apply: rank_one_ranks; last first.
  have : ln z < ln 1 by rewrite ltr_ln ?posrE ?ltr01.
  by rewrite ln1; move/lt_eqF->.
by apply/eqP => /colP/(_ 0)/eqP; rewrite !mxE expn0 oner_eq0.
Qed.

(** The network of three blocks, for any labels. *)
Theorem three_blocks (R : realType) (d n s N : nat) (a h w z : R) (label : R -> 'cV[R]_d.+1) :
  (0 < N)%N -> 0 < h -> 0 < w -> 0 < z < 1 ->
  exists (F1 F2 : ff_weights R d.+1) (A : head_weights R d.+1),
  [/\ hidden F1 = (d.+1 * (2 * N + 6))%N /\
      (hidden F2 <= 3 * (N ^ d.+1 * 'C(n + (N ^ d.+1).-1, n)) + 2 * d.+1)%N,
      size_v A = s.+1 /\ size_k A = s.+1,
      [/\ \rank (W_V A) = 1%N, \rank (W_K A) = 1%N & \rank (W_Q A) = 1%N] &
      forall (X : 'M[R]_(d.+1, n.+1)) k,
      let answer := col k (feed_forward (@relu R) F2
        (attention (@softmax R) [:: A] (feed_forward (@relu R) F1 X))) in
      [/\ forall T : pattern d n N, in_cells a h w T X -> answer = label (id z T k),
          outside N a h w X -> answer = 0 &
          answer = 0 \/ exists (T : pattern d n N) l, exists2 t, 0 <= t <= 1 &
            answer = t *: label (id z T l)]].
Proof.
move=> N_gt0 h_gt0 w_gt0 z_01; have /andP[z_gt0 _] := z_01.
(* 1. The third block, which looks up ids, behind the other two. *)
have [F2 F2_size F2E] := third_block n label N_gt0 z_gt0.
exists (first_block d n N a h w), F2, (the_head d s N z); split=> //; last 1 first.
(* 2. What it reads is the id in the cells, and at most 1/2 outside. *)
- move=> X k answer; have [on_id on_low share] := F2E _ (attention (@softmax R) [:: the_head d s N z]
    (feed_forward (@relu R) (first_block d n N a h w) X)) k.
  have readX : dot _ _ = read s N a h w z X k := erefl; rewrite readX in on_id on_low.
  split=> // [T X_T|out]; last by apply: on_low; apply: read_outside.
  by have same := read_cells s h_gt0 w_gt0 z_01 k X_T; rewrite -same; apply: on_id same.
(* 3. Count the units of the first block. *)
- by split=> //; rewrite hidden_units_only size_everywhere size_quantizer -mulnC -mulnDl -addnA mulnC.
exact: the_head_ranks.
Qed.
