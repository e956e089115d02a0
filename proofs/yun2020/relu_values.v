(** * Yun et al. (2020), Lemma 9 with ReLU, and with room for errors

    The layers of [lemma_9.v] with four ReLUs for every jump, the ramps a quarter of a step wide
    (those of the windows and of the first layer: delta / 4), thresholds half a step from all
    ids. A token whose id is within delta / 8 of that of a column of g_c(L) is moved as that
    column is moved ([value_run_near]); one whose id is 7 delta / 8 outside the band, with no
    entry above M, becomes zero ([value_run_zero]); and what becomes of a token with entries in
    [0, M] has a bound ([value_run_bound]). For all d >= 1, n >= 2, N >= 2 and all answers A that
    follow permutations. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid selective_shift context_layers lemma_8 contexts look_up.
From UAT.yun2020 Require Import value_layers lemma_9 relus relu_layers relu_windows.

Section Values.

(** ** The layers *)
Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation t_l := (t_l R N d n).
Notation t_r := (t_r R N d n).
Notation entry := (entry N d n).
Notation id z := ((u *m z) ord0 ord0).
Implicit Types (z : 'cV[R]_d.+1) (e : entry).

Lemma delta_gt0 : 0 < delta.
Proof. exact: grid.delta_gt0 (ltnW N_gt1). Qed.

Lemma delta_le1 : delta <= 1.
Proof. by rewrite invf_le1 ?ltr0n ?ler1n ltnW. Qed.

Variables (A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) (M K : R).
Hypothesis K_low : forall e, id (to A K e) <= -1.

Definition band_phi := gate (t_l - delta / 2%:R) (t_r + delta / 2%:R) 1 0 1 (delta / 4%:R).
Definition band_unit := UnitOf band_phi u 0 (const_mx (- (M + 1)) : 'cV_d.+1).
Definition back_phi : R -> R := gate (- 2%:R^-1) 0 1 0 0 4%:R^-1.
Definition back_unit := UnitOf back_phi u 0 (const_mx K : 'cV_d.+1).
Definition move_by e := to A K e - from R e.
Definition open_table := [seq open_window u delta (@key R N d n) move_by e | e <- enum entry].
Definition value_units := band_unit :: zeros R d ++ open_table ++ [:: back_unit].
Definition value_layers : seq (layer R d.+1 n) := [seq unit_layer n w | w <- value_units].

Lemma band_ok : 0 < delta / 4%:R /\ delta / 4%:R <= t_r + delta / 2%:R - (t_l - delta / 2%:R).
Proof.
have /andP[_ lr] := band_gt0 R d N_gt1 n_gt1; have pos := delta_gt0.
by rewrite divr_gt0 ?ltr0n //; split=> //; lra.
Qed.

Lemma back_ok : 0 < 4%:R^-1 :> R /\ 4%:R^-1 <= 0 - - 2%:R^-1 :> R.
Proof. by split; lra. Qed.

Lemma value_units_four : every (fun w => four_relus (act w)) value_units.
Proof.
have [[b1 b2] [r1 r2]] := (band_ok, back_ok).
split; first exact: (gate_four _ _ _ b1 b2).
apply: every_cat; last apply: every_cat.
- by apply: every_map => i _; apply: zero_four.
- by apply: every_map => e _; apply: (gate_four _ _ _ (quarter_gt0 delta_gt0)
    (quarter_le delta_gt0)).
by split=> //; apply: (gate_four _ _ _ r1 r2).
Qed.

Lemma size_value_layers : size value_layers = (1 + d.+1 + n * 'C(D, n) + 1)%N.
Proof.
have size_zeros : size (zeros R d) = d.+1 by rewrite size_map size_enum_ord.
have size_table : size open_table = (n * 'C(D, n))%N.
  by rewrite size_map -cardE card_prod card_column_sets card_ord mulnC.
by rewrite size_map /value_units -cat1s !size_cat size_zeros size_table !addnA.
Qed.

(** 1. Near a column of g_c(L). *)
Theorem value_run_near z e : `|id z - key R e| <= delta / 8%:R -> (forall i, 0 <= z i ord0) ->
  run value_units z = z + (answer A e - from R e).
Proof.
move=> near z_ge0; have [[b1 b2] [r1 r2]] := (band_ok, back_ok).
have /andP[in_l in_r] := key_bounds R N_gt1 n_gt1 e; have pos := delta_gt0; have le1 := delta_le1.
have addE (P Q : 'M[R]_1) : (P + Q) ord0 ord0 = P ord0 ord0 + Q ord0 ord0 by rewrite mxE.
have moved_id : id (z + move_by e) = id z - key R e + id (to A K e).
  have key_from : id (from R e) = key R e by rewrite id_col.
  have oppE (P : 'M[R]_1) : (- P) ord0 ord0 = - P ord0 ord0 by rewrite mxE.
  by rewrite /move_by 2!mulmxDr mulmxN !addE oppE key_from addrA addrAC.
have low : id (z + move_by e) <= - (7%:R / 8%:R).
  rewrite moved_id; have := K_low e; move: near; rewrite ler_norml.
  by move: (id z - key R e) (id (to A K e)) => x y *; lra.
have band_z : on_token z band_unit = z.
  rewrite /on_token /= subr0 /band_phi (gate_middle _ _ _ b1 b2) ?scale0r ?addr0 //.
  by move: near; rewrite ler_norml; move: (id z) (key R e) in_l in_r => x y *; lra.
rewrite /run /= !foldl_cat /= band_z -/(run (zeros R d) _) zeros_pos // -/(run open_table _).
rewrite (run_open delta_gt0 (keys_apart R N_gt1 n_gt1) (keys_above R N_gt1 n_gt1) (e := e))
  ?mem_enum ?enum_uniq //; last by apply: le_trans low _; lra.
rewrite /on_token /= subr0 /back_phi gate_left; last by apply: le_lt_trans low _; lra.
rewrite scale1r -[LHS]addrA; congr (z + _); by rewrite /move_by /to [LHS]addrAC subrK.
Qed.

(** 2. Off the band. *)
Theorem value_run_zero z : id z <= t_l - 7%:R * delta / 8%:R \/ t_r + 7%:R * delta / 8%:R <= id z ->
  (forall i, z i ord0 <= M) -> run value_units z = 0.
Proof.
move=> off z_M; have [[b1 b2] [r1 r2]] := (band_ok, back_ok); have pos := delta_gt0.
have band_1 : band_phi (id z) = 1.
  by case: off => off; [apply: gate_left | apply: (gate_right _ _ _ b1 b2)]; lra.
have band_z : on_token z band_unit = z + const_mx (- (M + 1)).
  by rewrite /on_token /= subr0 band_1 scale1r.
rewrite /run /= !foldl_cat /= band_z -/(run (zeros R d) _) zeros_neg; last first.
  by move=> i; rewrite !mxE subr_lt0 (le_lt_trans (z_M i)) // ltr_addl ltr01.
rewrite -/(run open_table _) (run_closed _ delta_gt0 (keys_above R N_gt1 n_gt1)); last first.
  by rewrite mulmx0 mxE.
by rewrite /on_token /= mulmx0 mxE subr0 /back_phi (gate_right _ _ _ r1 r2) ?scale0r ?addr0.
Qed.

(** 3. Anything else stays bounded. *)
Hypotheses (M_ge0 : 0 <= M) (K_ge0 : 0 <= K).
Definition value_bound : R := M + (M + 1) + \sum_e \sum_i `|move_by e i ord0| + K.

(** A unit adds at most what it writes; *)
Lemma unit_grows (w : unit_of R d.+1) (y : 'cV[R]_d.+1) i : 0 <= act w ((reads w *m y) ord0 ord0 - threshold w) <= 1 ->
  `|on_token y w i ord0| <= `|y i ord0| + `|writes w i ord0|.
Proof.
move=> /andP[ge le]; have -> : on_token y w i ord0 = y i ord0 +
  act w ((reads w *m y) ord0 ord0 - threshold w) * writes w i ord0 by rewrite !mxE.
apply: le_trans (ler_norm_add _ _) _; rewrite ler_add2l normrM ger0_norm //.
by rewrite ler_pimull.
Qed.

(** so the windows together at most all that they write. *)
Lemma table_grows (s : seq entry) y i :
  `|run [seq open_window u delta (@key R N d n) move_by e | e <- s] y i ord0| <=
    `|y i ord0| + \sum_(e <- s) \sum_i `|move_by e i ord0|.
Proof.
elim: s y => [|e s IHs] y; first by rewrite big_nil addr0.
rewrite big_cons /=; apply: le_trans (IHs _) _; rewrite addrA ler_add2r.
apply: le_trans (unit_grows _ _) _; first exact: open_range delta_gt0 _.
by rewrite ler_add2l (bigD1 i) //= ler_addl sumr_ge0.
Qed.

Theorem value_run_bound z i : (forall i, 0 <= z i ord0 <= M) ->
  `|run value_units z i ord0| <= value_bound.
Proof.
move=> z_M; have [[b1 b2] [r1 r2]] := (band_ok, back_ok).
have [in0 in1] : (0 : R) <= 0 <= (1 : R) /\ (0 : R) <= 1 <= (1 : R) by rewrite !lexx ler01.
rewrite /run /= !foldl_cat /= -/(run (zeros R d) _) -/(run open_table _).
apply: le_trans (unit_grows _ _) _; first by apply: (gate_range r1 r2).
rewrite /value_bound /= [const_mx _ _ _]mxE (ger0_norm K_ge0) ler_add2r.
(* 1. The windows add at most all that they write. *)
apply: le_trans (table_grows _ _ _) _; rewrite big_enum /= ler_add2r.
(* 2. The layers before them take at most M + 1. *)
rewrite run_zero ?enum_uniq // mem_enum; apply: le_trans (_ : `|on_token z band_unit i ord0| <= _).
  by rewrite /Num.max; case: ltP => _ //; rewrite normr0.
apply: le_trans (unit_grows _ _) _; first by apply: (gate_range b1 b2).
have /andP[ge le] := z_M i; rewrite ger0_norm // ler_add //=.
by rewrite [const_mx _ _ _]mxE normrN ger0_norm // addr_ge0 ?ler01.
Qed.

End Values.
