(** * The selective shift and the sweep (Yun et al. 2020, sections E.3 and E.3.1)

    In whole numbers: the unit is delta, so columns in the box have ids 0, ..., D - 1, where D is
    the number of different columns. That literal attention with hardmax does this to the ids is
    proved in [selective_shift.v]. [J] is any finite set of positions. Proved here: the selective
    shift moves the tokens at its level and no others, by D times the range; in the sweep over
    the levels 0, ..., D - 1 every token waits for its level, jumps once, lands at [reach] and
    stays ([sweepE]). This holds for all sequences that are not constant, with or without
    repeated tokens, in any order (the paper sorts the tokens). *)
From UAT Require Import preamble.

Section Layers.

Variables (J : finType) (j0 : J) (D : nat).
Implicit Types (z : J -> int) (q : int) (c : nat).

(** What a token with the query [q] hears: the token with the largest score.
    (Ties are between equal tokens, unless the query is 0, which no query here is.) *)
Definition heard z q : int := z [arg max_(i > j0) (z i * q)]%O.

(** A head whose threshold is half a step below [c]. *)
Definition hears c z (j : J) : int := heard z (2 * z j - 2 * c%:Z + 1).

(** The selective shift: two heads, half a step below and above the level [c]. *)
Definition shift c z (j : J) : int := z j + D%:Z * (hears c z j - hears c.+1 z j).

(** The sweep over the levels 0, ..., c - 1. *)
Fixpoint sweep c z : J -> int := if c is c'.+1 then shift c' (sweep c' z) else z.

(** The lift: a head that hears the largest number. *)
Definition lift z (j : J) : int := z j + D%:Z ^+ #|J|.+1 * hears 0 z j.

(** The ids at the end: sweep, then lift. *)
Definition ids z : J -> int := lift (sweep D z).

(** What a positive query hears: the largest number. *)
Definition largest z : int := heard z 1.
(** What a negative query hears: the smallest number. *)
Definition smallest z : int := heard z (-1).

Lemma heardP z q : exists2 i, heard z q = z i & forall k, z k * q <= z i * q.
Proof. by rewrite /heard; case: arg_maxP => // i _ i_max; exists i => // k; apply: i_max. Qed.

(** The largest number is one of the sequence, and none is above it. *)
Lemma largestP z : exists2 i, largest z = z i & forall k, z k <= largest z.
Proof.
have [i z_i i_max] := heardP z 1; exists i => // k.
by move: (i_max k); rewrite -z_i /largest; lia.
Qed.

(** The smallest number is one of the sequence, and none is below it. *)
Lemma smallestP z : exists2 i, smallest z = z i & forall k, smallest z <= z k.
Proof.
have [i z_i i_max] := heardP z (-1); exists i => // k.
by move: (i_max k); rewrite -z_i /smallest; lia.
Qed.

Lemma heard_pos z q : 0 < q -> heard z q = largest z.
Proof.
move=> q_gt0; have [i -> i_max] := heardP z q; have [k k_eq k_max] := largestP z.
by move: (i_max k) (k_max i); rewrite ler_pmul2r //; lia.
Qed.

Lemma heard_neg z q : q < 0 -> heard z q = smallest z.
Proof.
move=> q_lt0; have [i -> i_max] := heardP z q; have [k k_eq k_min] := smallestP z.
by move: (i_max k) (k_min i); rewrite ler_nmul2r //; lia.
Qed.

(** A token at the level [c] or above it hears the largest number. *)
Lemma hears_above c z j : c%:Z <= z j -> hears c z j = largest z.
Proof. by move=> ?; apply: heard_pos; lia. Qed.

(** A token below the level [c] hears the smallest number. *)
Lemma hears_below c z j : z j < c%:Z -> hears c z j = smallest z.
Proof. by move=> ?; apply: heard_neg; lia. Qed.

(** So the shift moves the tokens at its level, by [D] times the range. *)
Lemma shiftE c z j : shift c z j =
  if z j == c%:Z then z j + D%:Z * (largest z - smallest z) else z j.
Proof.
rewrite /shift; case: eqP => [z_c|z_c].
  by rewrite hears_above ?hears_below; lia.
have [below|above] : z j < c%:Z \/ c.+1%:Z <= z j by lia.
  by rewrite !hears_below; lia.
by rewrite !hears_above; lia.
Qed.

End Layers.

Section Sweep.

(** ** The sweep, for tokens that are not all equal *)
Variables (J : finType) (j0 : J) (D : nat) (l : J -> nat).
Hypothesis l_lt_D : forall j, (l j < D)%N.
Implicit Types (c : nat) (j : J).

(** The tokens, as whole numbers. *)
Definition tokens j : int := (l j)%:Z.
(** The largest token. *)
Definition top : int := largest j0 tokens.
(** Some token is at the level [c]. *)
Definition present c : bool := [exists j, l j == c].

(** The largest number before the level [c]. At first it is the largest token; a level c at which there is a token takes
    the largest number r to c + D (r - c), which is a jump; at other levels it stays. *)
Fixpoint reach c : int := if c is c'.+1 then
  (if present c' then c'%:Z + D%:Z * (reach c' - c'%:Z) else reach c') else top.

(** No token is above the largest. *)
Lemma le_top j : (l j)%:Z <= top.
Proof. by have [i _ /(_ j)] := largestP j0 tokens. Qed.

Lemma top_lt_D : top < D%:Z.
Proof.
have [i top_i _] := largestP j0 tokens.
by have := l_lt_D i; rewrite /top top_i /tokens; lia.
Qed.

Lemma presentP c : reflect (exists j, l j = c) (present c).
Proof. by apply: (iffP existsP) => -[j l_j]; exists j; apply/eqP. Qed.

Lemma reach_ge_top c : top <= reach c.
Proof.
elim: c => //= c IHc; case: presentP => // -[j l_j].
by have := le_top j; have := l_lt_D j; nia.
Qed.

Lemma reach_step c : reach c <= reach c.+1.
Proof.
rewrite /=; case: presentP => // -[j l_j].
by have := le_top j; have := l_lt_D j; have := reach_ge_top c; nia.
Qed.

Lemma reach_mono c c' : (c <= c')%N -> reach c <= reach c'.
Proof.
elim: c' => [|c' IHc']; first by case: c.
rewrite leq_eqVlt => /predU1P[->//|/IHc' le]; exact: le_trans le (reach_step c').
Qed.

Hypothesis not_all_equal : exists i j, l i != l j.

(** A token that is called sees a number above itself: *)
Lemma token_below c : present c -> c%:Z < reach c.
Proof.
move=> /presentP[j l_j]; have := reach_ge_top c; have := le_top j.
have [|c_top] := ltP c%:Z top; first by lia.
have [i [k ik]] := not_all_equal; have i_top := le_top i; have k_top := le_top k.
have [m l_m] : exists m, (l m < c)%N.
  by have [?|?] := ltnP (l i) c; [exists i | exists k; lia].
have := reach_mono (l_m : ((l m).+1 <= c)%N); rewrite /=.
have -> : present (l m) by apply/presentP; exists m.
have := reach_ge_top (l m); have := l_lt_D j; nia.
Qed.

(** ... so it lands above all levels, *)
Lemma landing_ge_D c : present c -> D%:Z <= reach c.+1.
Proof. by move=> c_here; have := token_below c_here; rewrite /= c_here; nia. Qed.

(** ... and above all that landed before. *)
Lemma landing_rises c : (1 < D)%N -> present c -> reach c < reach c.+1.
Proof. by move=> D_gt1 c_here; have := token_below c_here; rewrite /= c_here; nia. Qed.

(** What is to be shown after the levels below [c]. *)
Definition swept c := forall j, sweep j0 D c tokens j =
  if (l j < c)%N then reach (l j).+1 else (l j)%:Z.

Lemma here_present j : present (l j).
Proof. by apply/presentP; exists j. Qed.

(** The tokens at [c] are those that were there from the beginning. *)
Lemma swept_waiting c j : (c < D)%N -> swept c ->
  (sweep j0 D c tokens j == c%:Z) = (l j == c).
Proof.
move=> c_lt sweep_c; rewrite sweep_c; case: ltnP => // l_j.
by have := landing_ge_D (here_present j); move: (l_lt_D j) l_j c_lt; lia.
Qed.

(** If there is one, then it is the smallest: lower ones have jumped. *)
Lemma swept_smallest c j : (c < D)%N -> swept c -> l j = c ->
  smallest j0 (sweep j0 D c tokens) = c%:Z.
Proof.
move=> c_lt sweep_c l_j; have [i s_i s_min] := smallestP j0 (sweep j0 D c tokens).
have s_j : sweep j0 D c tokens j = c%:Z by apply/eqP; rewrite swept_waiting // l_j.
have := s_min j; rewrite s_j.
have : c%:Z <= sweep j0 D c tokens i; last by rewrite s_i; lia.
rewrite sweep_c; case: ltnP => [l_i|]; last by lia.
by have := landing_ge_D (here_present i); move: c_lt; lia.
Qed.

(** Tokens wait for their level, jump once, and then stay. *)
Theorem sweepE c : (c <= D)%N ->
  swept c /\ largest j0 (sweep j0 D c tokens) = reach c.
Proof.
(* By induction on the number c of levels that were swept. *)
elim: c => [//|c IHc] c_lt; have [sweep_c largest_c] := IHc (ltnW c_lt).
have here j : l j = c -> present c by move=> <-; apply: here_present.
(* 1. The tokens at c land at reach c+1, as c is the smallest number; the others stay. *)
have sweep_c1 : swept c.+1.
  move=> j; rewrite [LHS]/= shiftE swept_waiting //; case: eqP => [l_j|l_j].
    rewrite largest_c (swept_smallest c_lt sweep_c l_j) sweep_c l_j ltnn ltnSn /=.
    by rewrite (here j l_j).
  by rewrite sweep_c ltnS [in RHS]leq_eqVlt; move/eqP/negPf: l_j => ->.
(* 2. The largest number is now reach c+1: the token that has just landed, or the one before. *)
split=> //; have [i s_i s_max] := largestP j0 (sweep j0 D c.+1 tokens).
apply/eqP; rewrite eq_le; apply/andP; split.
  rewrite s_i sweep_c1; case: ltnP => [l_i|_]; first exact: reach_mono.
  exact: le_trans (le_top i) (reach_ge_top _).
have [c_here|c_not] := boolP (present c).
  by have [j l_j] := presentP c c_here; have := s_max j; rewrite sweep_c1 l_j ltnSn.
have [k s_k _] := largestP j0 (sweep j0 D c tokens).
have := s_max k; rewrite /= shiftE swept_waiting //.
have -> : (l k == c) = false by apply/eqP => /here; apply/negP.
by rewrite (negPf c_not) -s_k largest_c.
Qed.

End Sweep.
