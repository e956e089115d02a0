(** * Yun et al. (2020), Lemma 7 with ReLU, and with a sentinel above the box

    The quantizer of [lemma_7.v] with four ReLUs for every jump, the ramps on the bands [k delta
    - w, k delta), k = 0, ..., N, below the jumps, and the sentinel S >= 1 in place of - delta^{-nd}
    (the repair for the far side of the box). For all d, n, N >= 1, 0 < w < delta and every
    sequence: entries off the bands become k delta in their cell, or S outside [0, 1); all others
    become something in [0, S]. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers grid rows relus relu_layers.

Section Quantizer.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Notation delta := (delta R N).
Variables (S w : R).
Hypotheses (S_ge1 : 1 <= S) (w_gt0 : 0 < w) (w_lt : w < delta).
Implicit Types (t : R) (k c : nat) (Z : 'M[R]_(d, n)).

Lemma delta_pos : 0 < delta.
Proof. exact: delta_gt0. Qed.

Lemma step_le1 k : (k < N)%N -> k%:R * delta + delta <= 1 /\ 0 <= k%:R * delta.
Proof.
move=> k_N; rewrite mulr_ge0 ?ler0n ?(ltW delta_pos) //; split=> //.
rewrite -[X in _ + X]mul1r -mulrDl -[X in _ <= X](N_delta R N_gt0) ler_pmul2r ?delta_pos //.
by rewrite -[1]/(1%:R) -natrD ler_nat addn1.
Qed.

Lemma delta_le1 : delta <= 1.
Proof. by have [] := step_le1 N_gt0; rewrite mul0r add0r. Qed.

Lemma w_le1 : w <= 1 - 0.
Proof. by have := delta_le1; lra. Qed.
Lemma w_le : w <= delta - 0.
Proof. by lra. Qed.

(** ** One entry *)

Definition clip := ramped 0 1 (-1) S 0 0 (-1) S w.
Definition cell := ramped 0 delta 0 0 (-1) 0 0 0 w.
Definition round t k := t + cell (t - k%:R * delta).
Definition quantize t := foldl round (t + clip t) (iota 0 N).

Lemma clip_four : four_relus clip.
Proof. by apply: ramped_four_relus w_gt0 w_le1 _; rewrite eqxx orbT. Qed.

Lemma cell_four : four_relus cell.
Proof. by apply: ramped_four_relus w_gt0 w_le _; rewrite eqxx. Qed.

Lemma clip_range t : 0 <= t + clip t <= S.
Proof.
rewrite -[X in X + _]mul1r; apply: (ramped_bounds w_gt0 w_le1) => x _; rewrite /three_piece.
by have [?|?] := ltP x 0; last (have [?|?] := ltP x 1); lra.
Qed.

Lemma notin_band (a b t : R) : t < a \/ b <= t -> ~~ (a <= t < b).
Proof. by rewrite negb_and -ltNge -leNgt => /orP. Qed.

Lemma clip_inside t : 0 <= t < 1 - w -> t + clip t = t.
Proof.
move=> /andP[ge lt]; rewrite /clip (ramped_off _ _ _ _ _ _ w_gt0 w_le1).
- by rewrite /three_piece; have [?|?] := ltP t 0; last (have [?|?] := ltP t 1); lra.
- by apply: notin_band; right.
by apply: notin_band; left.
Qed.

Lemma clip_outside t : t < - w \/ 1 <= t -> t + clip t = S.
Proof.
move=> out; rewrite /clip (ramped_off _ _ _ _ _ _ w_gt0 w_le1).
- by rewrite /three_piece; case: out => out; have [?|?] := ltP t 0; try (have [?|?] := ltP t 1);
    lra.
- by apply: notin_band; case: out => out; [left | right]; lra.
by apply: notin_band; case: out => out; [left | right]; have := w_le1; lra.
Qed.

(** Below its cell and above it the layer of a cell does nothing, *)
Lemma cell_off t : t < 0 \/ delta <= t -> cell t = 0.
Proof.
have low : 0 - w < 0 by lra.
rewrite /cell; have [in_band|off] := boolP (0 - w <= t < 0).
  have [l _ [_ ->]] := ramped_in_a 0 0 (-1) 0 0 0 w_gt0 w_le in_band.
  rewrite /three_piece low.
  by rewrite ltxx delta_pos => _; ring.
move=> out; rewrite (ramped_off _ _ _ _ _ _ w_gt0 w_le) //.
  by rewrite /three_piece; case: out => out; have [?|?] := ltP t 0; try (have [?|?] := ltP t delta);
    have := delta_pos; lra.
by apply: notin_band; case: out => out; [left | right]; lra.
Qed.

(** in the cell it takes t away, and no more than t in the band. *)
Lemma cell_on t : 0 <= t < delta - w -> cell t = - t.
Proof.
move=> /andP[ge lt]; rewrite /cell (ramped_off _ _ _ _ _ _ w_gt0 w_le).
- by rewrite /three_piece; have [?|?] := ltP t 0; last (have [?|?] := ltP t delta); lra.
- by apply: notin_band; right.
by apply: notin_band; left.
Qed.

Lemma cell_range t : 0 <= t -> - t <= cell t <= 0.
Proof.
move=> t_ge0; have [?|ge] := ltP t (delta - w); first by rewrite cell_on; lra.
have [?|lt] := leP delta t; first by rewrite cell_off; [lra | right].
have in_band : delta - w <= t < delta by rewrite ge.
rewrite /cell; have [l /andP[l_ge l_le] [t_l ->]] := ramped_in_b 0 0 (-1) 0 0 0 w_gt0 w_le in_band.
have [above below] : 0 <= delta - w /\ delta - w < delta by split; lra.
rewrite /three_piece ltxx (ltNge delta 0) (ltW delta_pos) /= (ltNge (delta - w) 0) above below /=.
have : l * (delta - w) <= 1 * (delta - w) by rewrite ler_wpmul2r.
have : 0 <= l * (delta - w) by rewrite mulr_ge0.
by lra.
Qed.

Lemma round_range t k : (k < N)%N -> 0 <= t <= S -> 0 <= round t k <= S.
Proof.
move=> k_N /andP[t_ge t_le]; rewrite /round; have [le1 ge0] := step_le1 k_N.
have [out|inside] := ltP (t - k%:R * delta) 0; first by rewrite cell_off; [lra | left].
by have := cell_range inside; move: (cell _) => x; lra.
Qed.

Lemma quantize_range t : 0 <= quantize t <= S.
Proof.
rewrite /quantize; have := clip_range t; move: (t + clip t) => {}t.
have : all (fun k => (k < N)%N) (iota 0 N) by apply/allP => k; rewrite mem_iota.
by elim: (iota 0 N) t => //= k s IHs t /andP[k_N s_N] t_in; apply: IHs (round_range k_N t_in).
Qed.

Lemma quantize_outside t : t < - w \/ 1 <= t -> quantize t = S.
Proof.
move=> /clip_outside t_out; rewrite /quantize t_out.
have : all (fun k => (k < N)%N) (iota 0 N) by apply/allP => k; rewrite mem_iota.
elim: (iota 0 N) => //= k s IHs /andP[k_N s_N]; have [le1 _] := step_le1 k_N.
by rewrite {2}/round cell_off ?addr0; [exact: IHs | right; lra].
Qed.

Lemma round_cell k c t : k%:R * delta <= t < k%:R * delta + (delta - w) ->
  round t c = if c == k then k%:R * delta else t.
Proof.
move=> /andP[k_t t_k]; rewrite /round.
have mono a b : (a < b)%N -> a%:R * delta + delta <= b%:R * delta :> R.
  by move=> a_b; rewrite -[X in _ + X]mul1r -mulrDl ler_pmul2r ?delta_pos // -[1]/(1%:R) -natrD
    ler_nat addn1.
case: ltngtP => [/mono c_k|/mono k_c|->].
- by rewrite cell_off ?addr0 //; right; lra.
- by rewrite cell_off ?addr0 //; left; lra.
by rewrite cell_on; lra.
Qed.

Lemma quantize_cell k t : (k < N)%N -> k%:R * delta <= t < k%:R * delta + (delta - w) ->
  quantize t = k%:R * delta.
Proof.
move=> k_N k_t; rewrite /quantize clip_inside; last by have [] := step_le1 k_N; lra.
have : k \in iota 0 N by rewrite mem_iota.
elim: (iota 0 N) t k_t => //= c s IHs t k_t; rewrite (round_cell c k_t) in_cons eq_sym.
case: eqP => [_ _|_ /=]; last exact: IHs.
have edge : k%:R * delta <= k%:R * delta < k%:R * delta + (delta - w) by lra.
by elim: s {IHs} => //= b s IHs; rewrite (round_cell b edge) if_same.
Qed.

(** ** The layers *)

Definition quantizer : seq (layer R d n) := all_rows N d n clip cell.

Lemma quantizerE Z i j : network quantizer Z i j = quantize (Z i j).
Proof. exact: all_rowsE. Qed.

Lemma size_quantizer : size quantizer = (d * N + d)%N.
Proof. exact: size_all_rows. Qed.

Lemma quantizer_layers : every (@relu_layer R d n) quantizer.
Proof.
rewrite /quantizer /all_rows; elim: (enum _) => //= i s IHs; split.
  exact: unit_relu_layer clip_four.
by apply: every_cat IHs; apply: every_map => k _; apply: unit_relu_layer cell_four.
Qed.

End Quantizer.
