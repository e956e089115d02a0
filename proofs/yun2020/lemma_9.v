(** * Yun et al. (2020), Lemma 9: feed-forward layers look the answers up

    For all d >= 1, n >= 2, delta = 1/N, N >= 2, and any outputs A_L for the sequences L of
    different grid columns that follow permutations: 1 + d + n C(N^d, n) + 1 feed-forward layers
    with one hidden unit each and activations of three pieces, one of them constant, map g_c(L)
    to A_L, and to zero for all other L of the extended grid; g_c is the network of Lemma 8.
    Repaired: as printed a token that has been mapped may be caught by a later layer (N = 2, n =
    2, d = 1, A = (27/2, 3/2)), so the layers map to A - K 1 and one more layer adds K 1; the
    first layer waits for [t_l, t_r + delta/2). *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import sweep lemma_10 context_ids columns layers grid selective_shift context_layers.
From UAT.yun2020 Require Import lemma_8 contexts claim_1 look_up value_layers.

(** Finitely many numbers have a bound. *)
Lemma finite_bound (R : realFieldType) (T : finType) (F : T -> R) :
  exists M, 0 <= M /\ forall x, `|F x| <= M.
Proof.
exists (\sum_x `|F x|); split=> [|x]; first exact: sumr_ge0.
by rewrite (bigD1 x) //= ler_addl sumr_ge0.
Qed.

Section Lemma9.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation t_l := (t_l R N d n).
Notation t_r := (t_r R N d n).
Notation g_c := (@g_c R N d n).
Notation q := (@q R N d n).
Notation id z := ((u *m z) ord0 ord0).
Implicit Types (L : 'M[R]_(d.+1, n)) (z : 'cV[R]_d.+1).

Let N_gt0 : (0 < N)%N := ltnW N_gt1.
Let delta_gt0 : 0 < delta := delta_gt0 R N_gt0.

(** ** What the layers meet *)

Lemma g_c_perm L (s : 'S_n) : g_c (L *m perm_mx s) = g_c L *m perm_mx s.
Proof.
apply: network_equivariant; apply: every_impl (context_layers_hardmax R N d n) => f.
by move=> [heads [_ _ ->]]; apply: attention_equivariant; apply: hardmax_symmetric.
Qed.

Lemma col_perm_mx (Z : 'M[R]_(d.+1, n)) (s : 'S_n) j : col j (Z *m perm_mx s) = col ((s^-1)%g j) Z.
Proof. by apply/colP => i; rewrite !mxE -[RHS](mul_perm Z s) mxE. Qed.

(** Different columns only gain: their entries are not negative. *)
Lemma g_c_ge0 L i k : distinct_grid N L -> 0 <= g_c L i k.
Proof.
move=> L_ok; have [l [l_N L_l]] := box_coordinates L_ok.1; have ids_L := box_ids L_l.
have p := numbers_proper N_gt1 L_ok l_N L_l; have [_ l_D] := p.
rewrite (g_c_moved N_gt1 (n_gt1 := n_gt1) ids_L); last first.
  by move=> k'; apply: (zero_in_box N_gt1) => j; apply: numbers_lt.
rewrite addr_ge0 ?mulr_ge0 ?ler0n ?(ltW delta_gt0) //.
  by rewrite L_l mulr_ge0 ?(ltW delta_gt0) // ler0z.
rewrite ler0z subr_ge0.
have /andP[low _] := ids_in_band (j0 n_gt1) (D_gt1 d N_gt1) (two_tokens n_gt1) p k.
have D_pos : 1 < D%:Z by rewrite ltz_nat (D_gt1 d N_gt1).
apply: le_trans low; apply: (@le_trans _ _ D%:Z); first by rewrite lez_nat ltnW.
apply: (@le_trans _ _ (D%:Z ^+ (2 * #|[finType of 'I_n]|))).
  by rewrite -{1}[D%:Z]expr1 ler_weexpn2l ?(ltW D_pos) // card_ord muln_gt0 (ltnW n_gt1).
by rewrite ler_pmulr ?exprn_gt0 ?(lt_trans _ D_pos) // ler_subr_addr lez_addr1.
Qed.

Lemma q_step L L' i j : distinct_grid N L -> distinct_grid N L' -> q L i <> q L' j ->
  delta <= `|q L i - q L' j|.
Proof.
move=> L_ok L'_ok; have [l [l_N L_l]] := box_coordinates L_ok.1.
have [l' [l'_N L'_l']] := box_coordinates L'_ok.1.
rewrite (q_box N_gt1 n_gt1 _ l_N L_l) (q_box N_gt1 n_gt1 _ l'_N L'_l') -mulrBr -rmorphB => differ.
rewrite normrM (gtr0_norm delta_gt0) ler_pmulr // -intr_norm ler1z -gtz0_ge1 normr_gt0 subr_eq0.
by apply/eqP => same; apply: differ; rewrite same.
Qed.

(** ** The table *)

Variable A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis A_perm : forall L (s : 'S_n), distinct_grid N L -> A (L *m perm_mx s) = A L *m perm_mx s.

(** An entry of the table: a context, and one of its places. *)
Definition entry := [finType of column_sets N d n * 'I_n].
Implicit Types (e : entry).
(** The id of the token. *)
Definition key e : R := q (context R e.1) e.2.
(** The token that the layers meet. *)
Definition from e := col e.2 (g_c (context R e.1)).
(** The column that they are to put in its place. *)
Definition answer e := col e.2 (A (context R e.1)).

Lemma entry_of L j : distinct_grid N L -> exists e,
  [/\ col j (g_c L) = from e, col j (A L) = answer e & q L j = key e].
Proof.
move=> L_ok; have [B [s L_B]] := context_of N_gt1 L_ok.
have C_ok := context_distinct R N_gt1 B; exists (B, (s^-1)%g j); split.
- by rewrite L_B g_c_perm col_perm_mx.
- by rewrite L_B A_perm // col_perm_mx.
by rewrite /key /context_layers.q -id_col L_B g_c_perm col_perm_mx id_col.
Qed.

Lemma keys_apart e e' : e != e' -> delta <= `|key e - key e'|.
Proof.
case: e e' => [B j] [B' j'] differ.
apply: q_step; [exact: context_distinct | exact: context_distinct | move=> same].
have [s C_C'] := property_2 N_gt1 n_gt1 (context_distinct R N_gt1 B) (context_distinct R N_gt1
  B') same.
have B_B' := context_inj N_gt1 C_C'; case/eqP: differ; move: same; rewrite -B_B'.
by move/(property_1 N_gt1 n_gt1 (context_distinct R N_gt1 B)) => /= ->.
Qed.

Lemma key_bounds e : t_l <= key e <= t_r.
Proof. by apply: property_3 => //; apply: context_distinct. Qed.

Lemma keys_above e : delta <= key e.
Proof.
have /andP[low _] := key_bounds e; apply: le_trans low.
have := band_gt0 R d N_gt1 n_gt1; rewrite t_lE pmulr_rgt0 // ltr0z => /andP[pos _].
by rewrite ler_pmulr // ler1z -gtz0_ge1.
Qed.

(** The answer, moved down by [K]. *)
Definition to K e := answer e - const_mx K.
(** A window for each entry. *)
Definition table K := [seq window u delta key from (to K) e | e <- enum entry].
(** All units, for given [M] and [K]: first what is outside goes to 0, then comes the table, and last what was moved
    down by [K] comes back. *)
Definition value_units M K := outside N d n M :: zeros R d ++ table K ++ [:: return_ N d K].
(** These units as layers. *)
Definition value_layers M K : seq (layer R d.+1 n) :=
  [seq unit_layer n w | w <- value_units M K].

(** The look-up has 1 + d + n C(N^d, n) + 1 layers. *)
Lemma size_value_layers M K : size (value_layers M K) = (1 + d.+1 + n * 'C(D, n) + 1)%N.
Proof.
have size_zeros : size (zeros R d) = d.+1 by rewrite size_map size_enum_ord.
have size_table : size (table K) = (n * 'C(D, n))%N.
  by rewrite size_map -cardE card_prod card_column_sets card_ord mulnC.
by rewrite size_map /value_units -cat1s !size_cat size_zeros size_table !addnA.
Qed.

(** A large [K] brings all answers below the windows. *)
Lemma exists_K : exists K, forall e, id (to K e) <= -1.
Proof.
have [K [K_ge0 K_le]] := finite_bound (fun e => id (answer e)); exists (K + 1) => e.
have K1_ge0 : 0 <= K + 1 by rewrite addr_ge0.
have u_1 : K + 1 <= id (const_mx (K + 1) : 'cV_d.+1).
  rewrite mxE big_ord_recl !mxE expn0 mul1r ler_addl sumr_ge0 // => i _.
  by rewrite !mxE mulr_ge0 ?ler0n.
have -> : id (to (K + 1) e) = id (answer e) - id (const_mx (K + 1) : 'cV_d.+1).
  have subE (P Q : 'M[R]_1) : (P - Q) ord0 ord0 = P ord0 ord0 - Q ord0 ord0 by rewrite !mxE.
  by rewrite /to mulmxBr subE.
rewrite ler_subl_addr; apply: le_trans (le_trans (ler_norm _) (K_le e)) _.
by rewrite -ler_subl_addl opprK.
Qed.

(** A bound for all that g_c makes of the extended grid. *)
Lemma exists_M : exists M, forall L, extended_grid N L -> forall i j, g_c L i j <= M.
Proof.
pose grid_of (f : {ffun 'I_d.+1 * 'I_n -> option 'I_N}) : 'M[R]_(d.+1, n) :=
  \matrix_(i, j) if f (i, j) is Some k then k%:R * delta else sentinel R N d.+1 n.
have [M [_ M_le]] := finite_bound (fun fij : {ffun 'I_d.+1 * 'I_n -> option 'I_N} * ('I_d.+1 *
  'I_n) =>
  g_c (grid_of fij.1) fij.2.1 fij.2.2).
exists M => L L_ext i j; have [f ->] : exists f, L = grid_of f.
  have code ij : exists c : option 'I_N,
      L ij.1 ij.2 = if c is Some k then k%:R * delta else sentinel R N d.+1 n.
    have [[k k_N L_k]|L_s] := L_ext ij.1 ij.2; last by exists None.
    by exists (Some (Ordinal k_N)).
  have [f fP] := fin_all_exists code; exists [ffun ij => f ij]; apply/matrixP => i' j'.
  by rewrite mxE ffunE -fP.
exact: le_trans (ler_norm _) (M_le (f, (i, j))).
Qed.

(** If K and M are large enough, then the layers take each token of g_c(L) to that of A_L, and all to 0 if L is in the
    extended grid but not of different grid columns. *)
Lemma value_unitsE M K L j : (forall e, id (to K e) <= -1) ->
  (forall i j, g_c L i j <= M) -> extended_grid N L ->
  (distinct_grid N L -> run (value_units M K) (col j (g_c L)) = col j (A L)) /\
  (~ distinct_grid N L -> run (value_units M K) (col j (g_c L)) = 0).
Proof.
move=> K_low M_high L_ext; have to_below e : id (to K e) <= 0.
  by apply: le_trans (K_low e) _; rewrite oppr_le0.
have key_from e : id (from e) = key e by rewrite id_col.
rewrite /run /= !foldl_cat /=; split=> [L_ok|not_ok].
(* 1. A token of different columns keeps its id, until its own layer replaces it. *)
  have [e [-> -> _]] := entry_of j L_ok.
  rewrite (outside_in N_gt1); last by rewrite key_from key_bounds.
  rewrite -/(run (zeros R d) _) zeros_pos; last first.
    by move=> i; rewrite mxE g_c_ge0 //; apply: context_distinct.
  rewrite -/(run (table K) _) (run_windows delta_gt0 key_from keys_apart keys_above to_below)
    ?mem_enum ?enum_uniq //.
  by rewrite return_below ?K_low // subrK.
(* 2. All others become negative, then zero, and stay zero. *)
rewrite (outside_out N_gt1); last by rewrite id_col; apply: property_4.
rewrite -/(run (zeros R d) _) zeros_neg; last first.
  by move=> i; rewrite !mxE subr_lt0; apply: ltr_spaddr; rewrite ?ltr01.
have table_0 : run (table K) 0 = 0.
  by apply: run_below; rewrite ?mulmx0 ?mxE //; apply: keys_above.
by rewrite -/(run (table K) _) table_0 return_zero.
Qed.

(** All activations of the look-up have three pieces, one of them constant. *)
Lemma value_units_Phi M K : every (fun w => Phi (act w)) (value_units M K).
Proof.
have /andP[t_l_pos t_l_r] := band_gt0 R d N_gt1 n_gt1; split.
  exists t_l, (t_r + delta / 2%:R), 0, 1, 0, 0, 0, 1; split; rewrite ?eqxx //.
  by rewrite (le_trans (ltW t_l_r)) // ler_addl divr_ge0 ?ler0n ?(ltW delta_gt0).
apply: every_cat; last apply: every_cat.
- by apply: every_map => i _; exists 0, 0, (-1), 0, 0, 0, 0, 0; split; rewrite ?eqxx ?orbT.
- by apply: every_map => e _; apply: window_Phi.
by split=> //; exists (- 2%:R^-1), (- 2%:R^-1), 0, 1, 0, 0, 0, 0; split; rewrite ?eqxx.
Qed.

Theorem lemma_9 : exists layers : seq (layer R d.+1 n),
  [/\ size layers = (1 + d.+1 + n * 'C(N ^ d.+1, n) + 1)%N, every (@phi_layer R d.+1 n) layers,
      exists token : 'cV[R]_d.+1 -> 'cV_d.+1,
        forall Z j, col j (network layers Z) = token (col j Z) &
      forall L, extended_grid N L ->
        (distinct_grid N L -> network layers (g_c L) = A L) /\
        (~ distinct_grid N L -> network layers (g_c L) = 0)].
Proof.
(* 1. Choose K and M: there are finitely many outputs, and finitely many ids. *)
have [[K K_low] [M M_high]] := (exists_K, exists_M); exists (value_layers M K); split.
(* 2. Count the layers. *)
- exact: size_value_layers.
(* 3. Each is a feed-forward layer with one activation of three pieces. *)
- exact/unit_layers_phi/value_units_Phi.
(* 4. They act token by token: no token hears another. *)
- by exists (run (value_units M K)) => Z j; rewrite network_run.
(* 5. Follow one token: with distinct columns it ends at its output, otherwise at 0. *)
move=> L L_ext; have token j := value_unitsE j K_low (M_high L L_ext) L_ext.
split=> L_in; apply/matrixP => i j; have [is_A is_0] := token j.
  by have := congr1 (fun z => z i ord0) (is_A L_in); rewrite -network_run !mxE.
by have := congr1 (fun z => z i ord0) (is_0 L_in); rewrite -network_run !mxE.
Qed.

End Lemma9.
