(** * The slides of So (2020): the case of one dimension

    For all N >= 2, n >= 2 and different k_1, ..., k_n < N, in units of k = N times the token: the
    literal layers of hardmax attention (two heads of size 1, d = 1) on the tokens k_j/N act as
    drawn. The layer k adds N r, r the range of all tokens at that time, to the tokens that equal
    k, for k = 0, ..., N - 1 in turn; what comes out is O. One more layer adds N^{n+1} s, s = max
    O, to all. Then k_j is the remainder of O_j by N; s tells the set of all k_j; and s and O_j
    are quotient and remainder of O_j + N^{n+1} s by N^{n+1}. The slides count r and s in units of
    k and O in units of k/N; here all three are in one unit. Queries have a bias. *)
From UAT Require Import attention.
From mathcomp Require Import intdiv.
From UAT.yun2020 Require Import sweep lemma_10 context_ids columns layers grid selective_shift context_layers.

Section OneDimension.

Variables (R : realFieldType) (N n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation delta := (delta R N).
Notation j0 := (j0 n_gt1).
Implicit Types (X : 'M[R]_(1, n)) (z : 'I_n -> int) (k : 'I_n -> nat) (c : nat).

(** The tokens of X are those of z, in units of delta = 1/N. *)
Definition has_tokens X z := forall j, X ord0 j = delta * (z j)%:~R.

Lemma tokens_ids X z : has_tokens X z -> has_ids N X z.
Proof.
by move=> X_z j; rewrite mxE big_ord_recl big_ord0 addr0 mxE expn0 mul1r X_z.
Qed.

Lemma moved_tokens X X' z z' : has_tokens X z -> moved N X X' z z' -> has_tokens X' z'.
Proof.
by move=> X_z X_X' j; rewrite X_X' X_z eqxx mul1r -mulrDr -intrD addrC subrK.
Qed.

(** What the slides draw of the level [c]: N times the range is added to the tokens there, all others stay. *)
Definition drawn c z j : int :=
  if z j == c%:Z then z j + N%:Z * (largest j0 z - smallest j0 z) else z j.
(** The last layer: N^{n+1} times the largest is added to all. *)
Definition drawn_last z j : int := z j + N%:Z ^+ n.+1 * largest j0 z.

(** What the slides draw for the levels 0, ..., c - 1, one after the other. *)
Fixpoint swept_to c z : 'I_n -> int := if c is c'.+1 then drawn c' (swept_to c' z) else z.
(** What comes out of all levels, of the tokens [k]. *)
Definition O k : 'I_n -> int := swept_to N (tokens k).
(** The largest of these numbers. *)
Definition s k : int := largest j0 (O k).

Lemma swept_toE c z j : swept_to c z j = sweep j0 N c z j.
Proof.
elim: c j => //= c IHc j; rewrite shiftE /drawn !IHc.
have same_max : largest j0 (swept_to c z) = largest j0 (sweep j0 N c z).
  have [i -> i_max] := largestP j0 (swept_to c z).
  have [i' eq i'_max] := largestP j0 (sweep j0 N c z); apply/le_anti.
  by rewrite {1}IHc i'_max eq -IHc i_max.
have same_min : smallest j0 (swept_to c z) = smallest j0 (sweep j0 N c z).
  have [i -> i_min] := smallestP j0 (swept_to c z).
  have [i' eq i'_min] := smallestP j0 (sweep j0 N c z); apply/le_anti.
  by rewrite {2}IHc i'_min eq -IHc i_min.
by rewrite same_max same_min.
Qed.

(** ** The layers act as drawn *)

(** A layer of the sweep acts as the slides draw: it adds N times the range to the tokens at its level. *)
Lemma shift_as_drawn c X z : has_tokens X z ->
  has_tokens (@shift_layer R N 0 n c X) (drawn c z).
Proof.
move=> X_z j; have := shift_layer_moved (ltnW N_gt1) j0 c (tokens_ids X_z).
by move/(moved_tokens X_z) => ->; rewrite shiftE expn1.
Qed.

(** On tokens above 0 the last layer acts as the slides draw: it adds N^{n+1} times the largest to all. *)
Lemma lift_as_drawn X z : (forall j, 0 < z j) -> has_tokens X z ->
  has_tokens (@lift_layer R N 0 n X) (drawn_last z).
Proof.
move=> z_gt0 X_z j; have := @lift_layer_moved R N 0 n (ltnW N_gt1) j0 X z (tokens_ids X_z).
move=> lifted; have {lifted} moved : moved N X (lift_layer N X) z (lift j0 (N ^ 1) z).
  by apply: lifted => i z_0; have := z_gt0 i; rewrite z_0.
rewrite (moved_tokens X_z moved) /lift hears_above ?card_ord ?expn1 //; exact: ltW.
Qed.

Section Picture.

Variable k : 'I_n -> nat.
Hypothesis k_proper : proper N k.
Notation reach := (reach j0 N k).
Let two : (1 < #|'I_n|)%N. Proof. by rewrite card_ord. Qed.
Let k_ne := proper_not_equal two k_proper.

Lemma O_reach j : O k j = reach (k j).+1.
Proof.
have [_ k_N] := k_proper; rewrite /O swept_toE.
by have [-> _] := sweepE j0 k_N k_ne (leqnn N); rewrite k_N.
Qed.

(** After all N levels the largest token, s, is where the recursion [reach] says. *)
Lemma s_reach : s k = reach N.
Proof.
have [_ k_N] := k_proper; have [_ <-] := sweepE j0 k_N k_ne (leqnn N).
have [i -> i_max] := largestP j0 (sweep j0 N N (tokens k)).
have [i' eq i'_max] := largestP j0 (O k).
by rewrite /s; apply/le_anti; rewrite eq {1}/O swept_toE i_max -eq -swept_toE i'_max.
Qed.

(** Each O_j is above 0 and at most s. *)
Lemma O_bounds j : 0 < O k j <= s k.
Proof. by have [_ k_N] := k_proper; rewrite O_reach s_reach; apply: landing_bounds. Qed.

(** The remainder of O_j by N is k_j. *)
Lemma O_remainder j : (O k j %% N%:Z)%Z = (k j)%:Z.
Proof.
have [_ k_N] := k_proper; rewrite O_reach /= here_present addrC mulrC modzMDl.
by rewrite modz_small //= ltz_nat k_N.
Qed.

Lemma s_upper : s k < N%:Z ^+ n.+1.
Proof.
have [_ upper _] := lemma_10 j0 N_gt1 two k_proper; rewrite s_reach; apply: (le_lt_trans upper).
by rewrite card_ord [in X in _ < X]exprS expr2; have := power_gt0 N_gt1 n; move: N_gt1; nia.
Qed.

(** Landing places are digits in base N^(n+1), so an id has two. *)
Lemma id_digits j : let id := O k j + N%:Z ^+ n.+1 * s k in
  (id %/ N%:Z ^+ n.+1)%Z = s k /\ (id %% N%:Z ^+ n.+1)%Z = O k j.
Proof.
have /andP[O_gt0 O_s] := O_bounds j; have s_lt := s_upper.
have O_small : 0 <= O k j < N%:Z ^+ n.+1 by rewrite (ltW O_gt0) (le_lt_trans O_s).
have N_neq0 : N%:Z ^+ n.+1 != 0 by rewrite gt_eqF // (le_lt_trans _ (power_gt0 N_gt1 n.+1)).
rewrite /= [N%:Z ^+ _ * _]mulrC addrC modzMDl divzMDl // modz_small //; split=> //.
by rewrite divz_small ?addr0 // gtz0_abs // power_gt0.
Qed.

End Picture.

Theorem one_dimension k : injective k -> (forall j, (k j < N)%N) ->
  let X : 'M[R]_(1, n) := \matrix_(i, j) ((k j)%:R / N%:R) in
  let id j := O k j + N%:Z ^+ n.+1 * s k in
  [/\ (* 1 *) forall c, (c <= N)%N ->
        has_tokens (network (@sweep_layers R N 0 n c) X) (swept_to c (tokens k)),
      (* 2 *) has_tokens (network (@context_layers R N 0 n) X) id,
      (* 3 *) forall j, (O k j %% N%:Z)%Z = (k j)%:Z,
      (* 4 *) forall k', injective k' -> (forall j, (k' j < N)%N) -> s k = s k' ->
        perm_eq (codom k) (codom k') &
      (* 5 *) forall j, (id j %/ N%:Z ^+ n.+1)%Z = s k /\ (id j %% N%:Z ^+ n.+1)%Z = O k j].
Proof.
move=> k_inj k_N X id; have k_proper : proper N k by split.
have two : (1 < #|'I_n|)%N by rewrite card_ord.
(* 1. The tokens k_j/N are k_j in units of 1/N, and each layer acts as drawn. *)
have X_k : has_tokens X (tokens k) by move=> j; rewrite mxE mulrC.
have swept c : has_tokens (network (@sweep_layers R N 0 n c) X) (swept_to c (tokens k)).
  elim: c => [//|c IHc]; rewrite /sweep_layers -[c.+1]addn1 iotaD map_cat network_cat.
  by rewrite [network _ (network _ _)]/= add0n addn1; apply: shift_as_drawn IHc.
split=> [c _|||k' k'_inj k'_N|j]; first exact: swept.
(* 2. After the sweep all tokens are above 0, so that all hear the largest in the last layer. *)
- move=> j; rewrite /context_layers network_cat [network _ (network _ _)]/=.
  have := swept (N ^ 1)%N; rewrite [X in swept_to X _]expn1 => swept_N.
  apply: (lift_as_drawn _ swept_N) => i; exact: (andP (O_bounds k_proper i)).1.
(* 3. Each token jumps once, by a multiple of N. *)
- exact: O_remainder.
(* 4. By Lemma 10 the last landing place tells the set. *)
- rewrite (s_reach k_proper) (s_reach (k := k')) ?(conj k'_inj) //.
  by have [_ _] := lemma_10 j0 N_gt1 two k_proper; apply.
(* 5. All landing places are between 0 and N^{n+1}. *)
exact: id_digits.
Qed.

End OneDimension.
