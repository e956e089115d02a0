(** * Yun et al. (2020), Lemma 8 in numbers: what the sweep and the lift do to column ids

    In units of delta, for all D >= 2 and all n >= 2 (the number of positions), the band being
    that of the paper, t_l = D^{2n} (D - 1) and t_r = D^{2n+1} (D - 1). Properties 1 to 3 for
    sequences of different columns, Property 4 for repeated columns; [sentinel.v] has it for
    sentinels. A sentinel there is any number <= - D^n; the columns with a sentinel of Lemma 7
    have such ids ([columns.v]). What is meant by ids ([ids]): after D selective shifts and the
    lift, the last layer of the paper. The layers as matrices are in [lemma_8.v]. *)
From UAT Require Import preamble.
From UAT.yun2020 Require Import sweep lemma_10.

Section ContextIds.

Variables (J : finType) (j0 : J) (D : nat).
Hypothesis D_gt1 : (1 < D)%N.
Hypothesis two_tokens : (1 < #|J|)%N.
Notation n := #|J|.
Notation reach := (reach j0 D).
Implicit Types (l : J -> nat).

(** Where the band of ids begins, in units of delta. *)
Definition t_l : int := D%:Z ^+ (2 * n) * (D%:Z - 1).
(** Where the band of ids ends, in units of delta. *)
Definition t_r : int := D%:Z ^+ (2 * n).+1 * (D%:Z - 1).

(** All powers by E = D^{n-1}. *)
Let E := D%:Z ^+ n.-1.
(** Powers and band in terms of E = D^{n-1}, which is at least D. *)
Lemma powers : [/\ D%:Z <= E, D%:Z ^+ n = D%:Z * E, D%:Z ^+ n.+1 = D%:Z * (D%:Z * E),
  t_l = D%:Z * (D%:Z * E) * E * (D%:Z - 1) & t_r = D%:Z * (D%:Z * E) * (D%:Z * E) * (D%:Z - 1)].
Proof.
have n_eq : n = n.-1.+1 by rewrite prednK // ltnW.
have D_n : D%:Z ^+ n = D%:Z * E by rewrite {1}n_eq exprS.
have D_2n : D%:Z ^+ (2 * n) = D%:Z * (D%:Z * E) * E.
  by rewrite mul2n -addnn exprD D_n; ring.
split=> //; last by rewrite /t_r exprS D_2n; ring.
- rewrite /E -{1}[D%:Z]expr1 ler_weexpn2l //; first by lia.
  by move: two_tokens; case: n => [|[]].
- by rewrite exprS D_n.
by rewrite /t_l D_2n.
Qed.

Lemma band : 0 < t_l < t_r.
Proof.
have D_pos : 1 < D%:Z by move: D_gt1; lia.
have t_l_gt0 : 0 < t_l by rewrite /t_l pmulr_rgt0 ?power_gt0 ?subr_gt0.
by rewrite t_l_gt0 /t_r exprS -mulrA -/t_l ltr_pmull.
Qed.

Lemma le_times (x : int) : 0 < x -> x <= D%:Z * x.
Proof. by move=> x_gt0; rewrite ler_pemull ?(ltW x_gt0) //; lia. Qed.

Lemma far_apart (x y : int) : 0 < x -> x <= y ->
  x * (D%:Z - 1) < (y + 1) * ((D%:Z - 1) * (D%:Z - 1)).
Proof.
move=> x_gt0 x_y; have : D%:Z - 1 <= (D%:Z - 1) * (D%:Z - 1) by nia.
have : 0 < D%:Z - 1 by lia.
by move: (_ * _) => q; move: (_ - _) => p; nia.
Qed.

Section Box.

(** ** Sequences in the box *)
Variable l : J -> nat.
Hypothesis l_D : forall j, (l j < D)%N.
(** The ids of a sequence of whole numbers, one for each token: what sweep and lift make of them. *)
Definition id_of k : J -> int := ids j0 D (tokens k).

Lemma idE j : (exists i j, l i != l j) ->
  id_of l j = reach l (l j).+1 + D%:Z ^+ n.+1 * reach l D.
Proof.
move=> l_ne; have [sweep_D largest_D] := sweepE j0 l_D l_ne (leqnn D).
rewrite /id_of /ids /lift hears_above; first by rewrite largest_D sweep_D l_D.
rewrite sweep_D l_D; have := landing_ge_D j0 l_D l_ne.
move/(_ (l j)); have -> : present l (l j) by apply/presentP; exists j.
by move/(_ isT); lia.
Qed.

Lemma landing_bounds j : (exists i j, l i != l j) ->
  0 < reach l (l j).+1 <= reach l D.
Proof.
move=> l_ne; rewrite reach_mono // andbT.
have here : present l (l j) by apply/presentP; exists j.
by have := landing_ge_D j0 l_D l_ne here; lia.
Qed.

(** Where all tokens are equal, nobody moves in the sweep. *)
Lemma sweep_equal c : (forall i j, l i = l j) -> forall j, sweep j0 D c (tokens l) j = tokens l j.
Proof.
move=> l_eq; elim: c => //= c IHc j; rewrite shiftE.
have [i -> _] := largestP j0 (sweep j0 D c (tokens l)).
have [k -> _] := smallestP j0 (sweep j0 D c (tokens l)).
by rewrite !IHc /tokens (l_eq i k) subrr mulr0 addr0 if_same.
Qed.

(** All tokens equal: ids are (D^{n+1} + 1) l_j, *)
Lemma equal_below j : (forall i k, l i = l k) -> id_of l j < t_l.
Proof.
move=> l_eq; have [D_E _ D_n1 -> _] := powers; rewrite /id_of /ids /lift hears_above ?sweep_equal //.
have [i -> _] := largestP j0 (sweep j0 D D (tokens l)).
rewrite sweep_equal // /tokens (l_eq i j) D_n1; have := l_D j.
move: E D_E => e D_e l_lt; have : D%:Z - 1 < e * (D%:Z - 1) by nia.
by move=> ?; nia.
Qed.

(** and otherwise Lemma 10 bounds them, with fewer than n kinds. *)
Lemma reach_repeated : ~ injective l -> reach l D <= E * (D%:Z - 1) - (D%:Z - 1) ^+ 2.
Proof.
move=> not_inj; have kinds_lt : (kinds l D <= n.-1)%N.
  rewrite kinds_all // -ltnS prednK ?(ltnW two_tokens) //.
  have : size (codom l) = n by rewrite size_codom.
  move=> <-; rewrite ltn_size_undup; apply/negP => /injectiveP; exact: not_inj.
apply: le_trans (reach_upper j0 D_gt1 l_D) _; rewrite ler_sub // ler_wpmul2r //; first by lia.
by rewrite ler_weexpn2l //; lia.
Qed.

(** Property 4, in the box: where a token is repeated, all ids are below the band. *)
Theorem repeated_below j : ~ injective l -> id_of l j < t_l.
Proof.
move=> not_inj; have [D_E _ D_n1 -> _] := powers.
have [/forallP l_eq|l_ne] := boolP [forall i, [forall k, l i == l k]].
  have [_ _ _ <- _] := powers; apply: equal_below => i k.
  by have /forallP/(_ k)/eqP := l_eq i.
have {}l_ne : exists i k, l i != l k.
  move: l_ne; rewrite negb_forall => /existsP[i]; rewrite negb_forall => /existsP[k ik].
  by exists i, k.
rewrite idE // D_n1; have /andP[_] := landing_bounds j l_ne; have := reach_repeated not_inj.
move: E (reach l D) (reach l (l j).+1) D_E => e q r D_e; rewrite expr2 => q_e r_q.
have e_gt0 : 0 < e by lia.
have De_gt0 : 0 < D%:Z * e by rewrite (lt_le_trans e_gt0) ?le_times.
have := far_apart e_gt0 (le_trans (le_times e_gt0) (le_times De_gt0)).
have : (D%:Z * (D%:Z * e)) * q <= (D%:Z * (D%:Z * e)) * (e * (D%:Z - 1) - (D%:Z - 1) * (D%:Z - 1)).
  by rewrite ler_wpmul2l //; nia.
by lia.
Qed.

End Box.

Section Proper.

(** ** Sequences of different columns *)
Variable l : J -> nat.
Hypothesis l_proper : proper D l.

(** Property 1: the ids of one proper sequence are different. *)
Theorem ids_distinct : injective (id_of l).
Proof.
move=> i j; have l_ne := proper_not_equal two_tokens l_proper; have [l_inj l_D] := l_proper.
rewrite !idE // => /addIr same; apply: l_inj; apply/eqP.
have rises a b : (l a < l b)%N -> reach l (l a).+1 < reach l (l b).+1.
  move=> a_b; apply: (le_lt_trans (reach_mono j0 l_D a_b)).
  by apply: landing_rises => //; apply/presentP; exists b.
by case: ltngtP => // /rises; rewrite same ltxx.
Qed.

(** Property 2: two proper sequences that are not permutations share no id. *)
Theorem ids_tell_contexts l' i j : proper D l' ->
  id_of l i = id_of l' j -> perm_eq (codom l) (codom l').
Proof.
move=> l'_proper; have [[_ l_D] [_ l'_D]] := (l_proper, l'_proper).
have l_ne := proper_not_equal two_tokens l_proper.
have l'_ne := proper_not_equal two_tokens l'_proper.
rewrite !idE // => same.
have [_ upper tells] := lemma_10 j0 D_gt1 two_tokens l_proper.
have [_ upper' _] := lemma_10 j0 D_gt1 two_tokens l'_proper.
have large : D%:Z ^+ n * (D%:Z - 1) - (D%:Z - 1) ^+ 2 < D%:Z ^+ n.+1.
  by rewrite [_ ^+ n.+1]exprS expr2; have := power_gt0 D_gt1 n; nia.
have := landing_bounds l_D i l_ne; have := landing_bounds l'_D j l'_ne.
have [|reach_ne] := eqVneq (reach l D) (reach l' D); first by move/(tells _ l'_proper).
by move: (reach l D) (reach l' D) reach_ne same large upper upper' => q q'; nia.
Qed.

(** Property 3: the ids of proper sequences lie in the band. *)
Theorem ids_in_band j : t_l <= id_of l j <= t_r.
Proof.
have l_ne := proper_not_equal two_tokens l_proper; have [_ l_D] := l_proper.
have [lower upper _] := lemma_10 j0 D_gt1 two_tokens l_proper.
rewrite idE //; have /andP[landing_gt0 landing_le] := landing_bounds l_D j l_ne.
have [D_E D_n D_n1 -> ->] := powers; rewrite D_n1; move: lower upper; rewrite D_n -/E expr2.
move: E (reach l D) (reach l (l j).+1) D_E landing_gt0 landing_le => e q r D_e r_gt0 r_q q_ge q_le.
(* From below by the last jump alone, from above by twice the last landing place. *)
have De_gt0 : 0 < D%:Z * e by rewrite pmulr_rgt0; lia.
have F_gt0 : 0 < D%:Z * (D%:Z * e) by rewrite (lt_le_trans De_gt0) ?le_times.
have := ler_wpmul2l (ltW F_gt0) q_ge; have := ler_wpmul2l (ltW F_gt0) q_le.
have := far_apart De_gt0 (le_times De_gt0).
by move=> *; lia.
Qed.

End Proper.

End ContextIds.
