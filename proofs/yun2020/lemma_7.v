(** * Yun et al. (2020), Lemma 7: feed-forward layers round every entry

    For all d and n, delta = 1/N with any N >= 1, and for all real numbers t as entries: t in the
    cell [k delta, (k+1) delta), k = 0, ..., N - 1, becomes k delta, and t outside [0, 1) the
    sentinel - delta^{-nd}. With d/delta + d feed-forward layers with one hidden unit each and
    activations of three pieces, at least one of them constant. Differs from the printed text:
    the index k of the cell layers runs through 0, ..., 1/delta - 1 (the proof prints k = 0,
    delta, ..., 1 - delta along with the bias k delta), and "not in [0, 1]" is "not in [0, 1)".
    *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers grid rows.

Section Lemma7.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Implicit Types (t : R) (k c : nat) (i : 'I_d) (Z : 'M[R]_(d, n)).

Notation delta := (delta R N).
Notation sentinel := (sentinel R N d n).
Notation in_cell := (@in_cell R N).

(** ** One entry *)

(** The clip layer adds - t + sentinel off [0, 1). *)
Definition clip_phi := three_piece 0 1 (-1) sentinel 0 0 (-1) sentinel.
(** What the clip layer makes of an entry: in [0, 1) it stays, elsewhere it becomes the sentinel. *)
Definition clip t := t + clip_phi t.

(** The layer of a cell adds - t on [0, delta), where t is counted from the edge of the cell. *)
Definition cell_phi := three_piece 0 delta 0 0 (-1) 0 0 0.
(** What the layer of cell k makes of an entry: in the cell it becomes k delta, elsewhere it stays. *)
Definition round t k := t + cell_phi (t - k%:R * delta).

Lemma clip_inside t : 0 <= t < 1 -> clip t = t.
Proof.
by case/andP => t0 t1; rewrite /clip /clip_phi /three_piece ltNge t0 t1 /= mul0r !addr0.
Qed.

Lemma clip_outside t : ~~ (0 <= t < 1) -> clip t = sentinel.
Proof.
rewrite /clip /clip_phi /three_piece negb_and -ltNge => t_out.
have -> : (if t < 0 then -1 * t + sentinel else if t < 1 then 0 * t + 0 else -1 * t + sentinel)
    = - t + sentinel.
  case: ifP t_out => [_ _|_ /= t1]; first by rewrite mulN1r.
  by rewrite (negPf t1) mulN1r.
by rewrite addrA subrr add0r.
Qed.

Lemma round_sentinel k : round sentinel k = sentinel.
Proof.
rewrite /round /cell_phi /three_piece subr_lt0 (lt_le_trans (sentinel_lt0 R d n N_gt0)) ?mul0r
  ?addr0 //.
by rewrite mulr_ge0 ?ler0n // (ltW (delta_gt0 R N_gt0)).
Qed.

Lemma round_cell k c t : in_cell k t -> round t c = if c == k then k%:R * delta else t.
Proof.
move=> /andP[k_t t_k]; rewrite /round /cell_phi /three_piece subr_lt0 ltr_subl_addr.
have -> : delta + c%:R * delta = c.+1%:R * delta by rewrite -addn1 natrD mulrDl mul1r addrC.
have mono a b : (a <= b)%N -> a%:R * delta <= b%:R * delta :> R.
  by move=> a_b; rewrite ler_pmul2r ?(delta_gt0 R N_gt0) // ler_nat.
case: ltngtP => [c_k|k_c|->].
- have c_t := le_trans (mono _ _ c_k) k_t.
  rewrite ltNge (le_trans (mono _ _ (leqnSn c)) c_t) /= ltNge c_t /= mul0r !addr0 //.
- by rewrite (lt_le_trans t_k) ?mono // mul0r !addr0.
by rewrite ltNge k_t t_k /= mulN1r addr0 opprB addrC subrK.
Qed.

(** All layers of a row, on one entry. *)
Definition quantize t := foldl round (clip t) (iota 0 N).

(** The layers of a row take an entry in the cell k to the edge k delta of this cell. *)
Lemma quantize_cell k t : (k < N)%N -> in_cell k t -> quantize t = k%:R * delta.
Proof.
move=> k_N k_t; rewrite /quantize clip_inside ?(cell_bounds N_gt0 k_N k_t) //.
have : k \in iota 0 N by rewrite mem_iota.
elim: (iota 0 N) t k_t => //= c s IHs t k_t; rewrite (round_cell c k_t) in_cons eq_sym.
case: eqP => [_ _|_ /=]; last exact: IHs.
have edge : in_cell k (k%:R * delta) by rewrite /in_cell lexx ltr_pmul2r ?(delta_gt0 R N_gt0) //
  ltr_nat ltnSn.
by elim: s {IHs} => //= b s IHs; rewrite (round_cell b edge) if_same.
Qed.

(** The layers of a row take an entry outside [0, 1) to the sentinel. *)
Lemma quantize_outside t : ~~ (0 <= t < 1) -> quantize t = sentinel.
Proof.
by move=> /clip_outside t_out; rewrite /quantize t_out; elim: (iota 0 N) => //= k s;
  rewrite round_sentinel.
Qed.

(** ** The layers *)

Lemma on_row_layer phi i b : Phi phi -> @phi_layer R d n (on_row phi i b).
Proof. by move=> Phi_phi; exists phi, (delta_mx ord0 i), b, (delta_mx i ord0). Qed.

(** The layers of all rows. *)
Definition quantizer : seq (layer R d n) := all_rows N d n clip_phi cell_phi.

(** The quantizer does to each entry what the layers of its row do. *)
Lemma quantizerE Z i j : network quantizer Z i j = quantize (Z i j).
Proof. exact: all_rowsE. Qed.

(** The quantizer has d/delta + d layers. *)
Lemma size_quantizer : size quantizer = (d * N + d)%N.
Proof. exact: size_all_rows. Qed.

(** All layers of the quantizer have one hidden unit and an activation of three pieces, one of them constant. *)
Lemma quantizer_layers : every (@phi_layer R d n) quantizer.
Proof.
have clip_Phi : Phi clip_phi.
  by exists 0, 1, (-1), sentinel, 0, 0, (-1), sentinel; split; rewrite ?ler01 ?eqxx ?orbT //.
have cell_Phi : Phi cell_phi.
  by exists 0, delta, 0, 0, (-1), 0, 0, 0; split; rewrite ?(ltW (delta_gt0 R N_gt0)) ?eqxx //.
rewrite /quantizer /all_rows; elim: (enum _) => //= i s IHs; split; first exact: on_row_layer.
by apply: every_cat IHs; apply: every_map => k _; exact: on_row_layer.
Qed.

Theorem lemma_7 : exists layers : seq (layer R d n),
  [/\ size layers = (d * N + d)%N, every (@phi_layer R d n) layers &
  forall (X : 'M[R]_(d, n)) i j,
    (forall k, (k < N)%N -> k%:R * delta <= X i j < k.+1%:R * delta ->
      network layers X i j = k%:R * delta) /\
    (X i j < 0 \/ 1 <= X i j -> network layers X i j = sentinel)].
Proof.
exists quantizer; split; [exact: size_quantizer | exact: quantizer_layers | move=> X i j].
(* 1. Rows do not mix: follow one entry. *)
rewrite quantizerE; split=> [k k_N k_t|t_out].
(* 2. In a cell, only the layer of this cell moves it, to the edge. *)
  exact: quantize_cell.
(* 3. Outside, the clip layer makes it the sentinel, which no later layer moves. *)
by apply: quantize_outside; rewrite negb_and -!leNgt -ltNge; apply/orP.
Qed.

End Lemma7.
