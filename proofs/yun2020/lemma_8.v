(** * Yun et al. (2020), Lemma 8: hardmax attention is a contextual mapping

    For all d >= 1, n >= 2 and delta = 1/N, N >= 2: the literal network of delta^{-d} + 1 layers
    of hardmax attention, each with at most two heads of size 1, then u^T with u = (1, N, ...,
    N^{d-1}), has the four properties, with the paper's band t_l = delta^{-2nd+1} (delta^{-d} -
    1) and t_r = delta^{-(2n+1)d+1} (delta^{-d} - 1), on the paper's grids (sentinel -
    delta^{-nd}). As printed. Queries have a bias, as in the paper's proof (its equation (1) has
    none); Property 2 is turned round: sequences that share an id are permutations of each other.
    *)
From UAT Require Import attention.
From UAT.yun2020 Require Import sweep lemma_10 context_ids sentinel columns layers grid selective_shift.
From UAT.yun2020 Require Import context_layers.

(** A layer of hardmax attention with at most two heads of size 1. *)
Definition hardmax_layer (R : realFieldType) d n (f : layer R d n) :=
  exists heads : seq (biased_head R d), [/\ (size heads <= 2)%N,
    all (fun h => (size_k (weights h) == 1%N) && (size_v (weights h) == 1%N)) heads &
    f = attention_with_bias (fun J => @hardmax R J) heads].

Section Lemma8.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation j0 := (j0 n_gt1).
Notation D_gt1 := (D_gt1 d N_gt1).
Notation two_tokens := (two_tokens n_gt1).
Notation q := (@q R N d n).
Implicit Types (L : 'M[R]_(d.+1, n)).

(** Where the band begins in which the ids of sequences of different columns lie. *)
Definition t_l : R := delta * (D%:R ^+ (2 * n) * (D%:R - 1)).
(** Where the band ends in which the ids of sequences of different columns lie. *)
Definition t_r : R := delta * (D%:R ^+ (2 * n).+1 * (D%:R - 1)).

Lemma t_lE : t_l = delta * (context_ids.t_l [finType of 'I_n] D)%:~R.
Proof. by rewrite /t_l /context_ids.t_l card_ord rmorphM rmorphB rmorphX. Qed.

Lemma t_rE : t_r = delta * (context_ids.t_r [finType of 'I_n] D)%:~R.
Proof. by rewrite /t_r /context_ids.t_r card_ord rmorphM rmorphB rmorphX. Qed.

Lemma next_unit : t_r + delta = delta * (context_ids.t_r [finType of 'I_n] D + 1)%:~R.
Proof. by rewrite t_rE intrD mulrDr mulr1. Qed.

Lemma in_units (x y : int) : (delta * x%:~R < delta * y%:~R) = (x < y).
Proof. by rewrite ltr_pmul2l ?(delta_gt0 R (N_gt0 N_gt1)) // ltr_int. Qed.

Lemma in_units_le (x y : int) : (delta * x%:~R <= delta * y%:~R) = (x <= y).
Proof. by rewrite ler_pmul2l ?(delta_gt0 R (N_gt0 N_gt1)) // ler_int. Qed.

Lemma in_units_inj (x y : int) : delta * x%:~R = delta * y%:~R -> x = y.
Proof. by move/(mulfI (lt0r_neq0 (delta_gt0 R (N_gt0 N_gt1)))) => /intr_inj. Qed.

(** The id of a sequence in the box: delta times what the sweep and the lift make of its column numbers. *)
Lemma q_box L l j : (forall i j, (l i j < N)%N) -> coordinates N L (fun i j => (l i j)%:Z) ->
  q L j = delta * (id_of j0 D (numbers N l) j)%:~R.
Proof.
move=> l_N L_l; have ids_L := box_ids L_l.
apply: (moved_ids ids_L (g_c_moved N_gt1 (n_gt1 := n_gt1) ids_L _)) => k.
by apply: (zero_in_box N_gt1) => i; apply: numbers_lt.
Qed.

(** With a sentinel ids are below 0, or a step above the band. *)
Lemma q_sentinel L a j : coordinates N L a ->
  (forall i j, 0 <= a i j < N%:Z \/ a i j = - (N ^ (n * d.+1).+1)%N%:Z) ->
  (exists i k, a i k < 0) -> q L j < 0 \/ t_r + delta <= q L j.
Proof.
move=> L_a a_ok [i [k a_ik]]; have ids_a := coordinates_ids L_a.
(* 1. Column numbers, before the sweep: [ok], each is in the box or at most - D^n, and [low], some one is negative. *)
have far j' : (exists i', a i' j' < 0) -> ids_in N a j' <= - D%:Z ^+ #|'I_n|.
  by rewrite card_ord; apply: column_id_sentinel; rewrite ?(ltnW n_gt1).
have ok j' : 0 <= ids_in N a j' < D%:Z \/ ids_in N a j' <= - D%:Z ^+ #|'I_n|.
  have [/existsP[i' ?]|in_box] := boolP [exists i', a i' j' < 0]; first by right; apply: far;
    exists i'.
  have a_ge0 i' : 0 <= a i' j' by rewrite leNgt; apply: contra in_box => ?; apply/existsP;
    exists i'.
  left; have -> : ids_in N a j' = (number N (fun i' => `|a i' j'|%N))%:Z.
    by rewrite -column_id_box; apply: eq_bigr => i' _; rewrite gez0_abs.
  by apply: number_lt => i'; have := a_ge0 i'; have [|] := a_ok i' j'; lia.
have low : exists j', ids_in N a j' < 0.
  exists k; apply: (le_lt_trans (far k _)); first by exists i.
  by rewrite oppr_lt0 exprn_gt0 // ltz_nat expn_gt0 (ltnW N_gt1).
have -> : q L j = delta * (ids j0 D (ids_in N a) j)%:~R.
  apply: (moved_ids ids_a (g_c_moved N_gt1 (n_gt1 := n_gt1) ids_a _)) => k' zero.
  by case: (zero_with_sentinel N_gt1 ok low zero).
(* 2. These are what the statement on sentinels asks for; in units of delta it is the claim. *)
rewrite next_unit in_units_le pmulr_rlt0 ?(delta_gt0 R (N_gt0 N_gt1)) // ltrz0.
by have [[_]|[_]] := sentinel_outside j0 D_gt1 two_tokens ok low j; [left | right;
  rewrite lez_addr1].
Qed.

(** Sequences with the same set of columns are permutations of each other. *)
Lemma permutation L L' l l' : (forall i j, (l i j < N)%N) -> (forall i j, (l' i j < N)%N) ->
  coordinates N L (fun i j => (l i j)%:Z) -> coordinates N L' (fun i j => (l' i j)%:Z) ->
  injective (numbers N l') -> perm_eq (codom (numbers N l)) (codom (numbers N l')) ->
  exists s : 'S_n, L' = L *m perm_mx s.
Proof.
move=> l_N l'_N L_l L'_l' l'_inj same.
have place j : exists i, numbers N l' j = numbers N l i.
  by apply/codomP; rewrite (perm_mem same) codom_f.
have [f fP] := fin_all_exists place.
have f_inj : injective f by move=> i j f_ij; apply: l'_inj; rewrite !fP f_ij.
exists ((perm f_inj)^-1)%g; rewrite -col_permE; apply/matrixP => i j; rewrite mxE permE L_l L'_l'.
by congr (_ * (Posz _)%:~R); apply: (number_inj (a := l'^~ j) (b := l^~ (f j)) _ _ (fP j)).
Qed.

Lemma numbers_proper L l : distinct_grid N L -> (forall i j, (l i j < N)%N) ->
  coordinates N L (fun i j => (l i j)%:Z) -> proper D (numbers N l).
Proof.
move=> [_ L_inj] l_N L_l; split=> [|j]; last exact: numbers_lt.
exact/(columns_distinct N_gt1 l_N L_l).
Qed.

(** ** The four properties *)

(** 1. The ids of a sequence of different columns are different numbers. *)
Lemma property_1 L : distinct_grid N L -> injective (q L).
Proof.
move=> L_ok i j; have [l [l_N L_l]] := box_coordinates L_ok.1.
rewrite !(q_box _ l_N L_l) => /in_units_inj.
exact: (ids_distinct D_gt1 two_tokens (numbers_proper L_ok l_N L_l)).
Qed.

(** 2. One shared id tells the set of columns. *)
Lemma property_2 L L' i j : distinct_grid N L -> distinct_grid N L' -> q L i = q L' j ->
  exists s : 'S_n, L' = L *m perm_mx s.
Proof.
move=> L_ok L'_ok; have [l [l_N L_l]] := box_coordinates L_ok.1.
have [l' [l'_N L'_l']] := box_coordinates L'_ok.1.
have [p p'] := (numbers_proper L_ok l_N L_l, numbers_proper L'_ok l'_N L'_l').
rewrite (q_box _ l_N L_l) (q_box _ l'_N L'_l') => /in_units_inj eq.
exact: (permutation l_N l'_N L_l L'_l' p'.1 (ids_tell_contexts D_gt1 two_tokens p p' eq)).
Qed.

(** 3. The band, by Lemma 10. *)
Lemma property_3 L j : distinct_grid N L -> t_l <= q L j <= t_r.
Proof.
move=> L_ok; have [l [l_N L_l]] := box_coordinates L_ok.1.
rewrite (q_box _ l_N L_l) t_lE t_rE !in_units_le.
exact: (ids_in_band j0 D_gt1 two_tokens (numbers_proper L_ok l_N L_l)).
Qed.

(** The band is not empty, and lies above 0. *)
Lemma band_gt0 : 0 < t_l < t_r.
Proof.
rewrite t_lE t_rE in_units pmulr_rgt0 ?(delta_gt0 R (N_gt0 N_gt1)) // ltr0z.
exact: band D_gt1 two_tokens.
Qed.

(** 4. Below the band with a repeated column; with a sentinel below 0, or a step above the band. *)
Lemma property_4 L j : extended_grid N L -> ~ distinct_grid N L ->
  q L j < t_l \/ t_r + delta <= q L j.
Proof.
move=> L_ext not_distinct; have [a [a_ok L_a]] := extended_coordinates N_gt1 n_gt1 L_ext.
have delta_pos := delta_gt0 R (N_gt0 N_gt1).
have [/existsP[i /existsP[k a_ik]]|in_box] := boolP [exists i, [exists k, a i k < 0]].
  have [low|] := q_sentinel j L_a a_ok (ex_intro _ i (ex_intro _ k a_ik)); last by right.
  by left; apply: lt_trans low _; have /andP[] := band_gt0.
have L_box : box_grid N L.
  move=> i k; have [//|L_ik] := L_ext i k; case/negP: in_box.
  apply/existsP; exists i; apply/existsP; exists k.
  by rewrite -(ltrz0 R) -(pmulr_rlt0 _ delta_pos) -L_a L_ik (sentinel_lt0 R _ _ (N_gt0 N_gt1)).
have [l [l_N L_l]] := box_coordinates L_box; left; rewrite (q_box _ l_N L_l) t_lE in_units.
apply: (repeated_below j0 D_gt1 two_tokens) => [k|l_inj]; first exact: numbers_lt.
by apply: not_distinct; split=> //; apply/(columns_distinct N_gt1 l_N L_l).
Qed.

(** All layers of the contextual mapping are hardmax attention with at most two heads of size 1. *)
Lemma context_layers_hardmax : every (@hardmax_layer R d.+1 n) (context_layers R N d n).
Proof.
apply: every_cat; last by split=> //; exists (lift_heads R N d n); split.
by apply: every_map => c _; exists (shift_heads R N d c); split.
Qed.

Theorem lemma_8 : exists layers : seq (layer R d.+1 n),
  let q L j := ((\row_i (N ^ i)%:R) *m network layers L) ord0 j in
  [/\ size layers = (N ^ d.+1 + 1)%N, every (@hardmax_layer R d.+1 n) layers, 0 < t_l < t_r &
  [/\ (* 1 *) forall L, distinct_grid N L -> injective (q L),
      (* 2 *) forall L L' i j, distinct_grid N L -> distinct_grid N L' ->
        q L i = q L' j -> exists s : 'S_n, L' = L *m perm_mx s,
      (* 3 *) forall L j, distinct_grid N L -> t_l <= q L j <= t_r &
      (* 4 *) forall L j, extended_grid N L -> ~ distinct_grid N L -> q L j < t_l \/ t_r < q L j]].
Proof.
(* 1. The network: D layers that sweep, and one that lifts, so that the first token's number is in all ids; u reads a
   column as a number in base N. *)
exists (context_layers R N d n); split.
- by rewrite size_cat size_map size_iota.
(* 2. All are layers of hardmax attention, with at most two heads of size 1. *)
- exact: context_layers_hardmax.
(* 3. The band is no point, and lies above 0: so the look-up can tell its inside from 0. *)
- exact: band_gt0.
(* 4. The four properties, as shown above: ids within a sequence differ, one shared id tells the set of columns, ids lie
   in the band, by Lemma 10, and those of other sequences do not. [above]: here even a step above it. *)
split; [exact: property_1 | exact: property_2 | exact: property_3 | move=> L j L_ext L_rep].
have [|above] := property_4 j L_ext L_rep; [by left | right].
by apply: lt_le_trans above; rewrite ltr_addl (delta_gt0 R (N_gt0 N_gt1)).
Qed.

End Lemma8.
