(** * Yun et al. (2020), section E.4 with ReLU: gates, and windows with room

    A gate is 1 or 0 on each of three intervals, with ramps between; it is four ReLUs. The
    windows of the look-up ([look_up.v]) become gates that are open within an eighth of a step of
    the key, and closed seven eighths away from it. So a token whose id is nearly a key is moved
    by its own window alone ([run_open]), if that brings it below all windows. For any finite set
    of entries, in any order. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers look_up value_layers relus.

Section Gates.

(** ** Gates: 1 on one side, 0 on the other, or between *)
Variables (R : realFieldType) (a b c1 c2 c3 w : R).
Hypotheses (w_gt0 : 0 < w) (w_le : w <= b - a).

Definition gate := ramped a b 0 c1 0 c2 0 c3 w.

Lemma gate_four : four_relus gate.
Proof. by apply: ramped_four_relus => //; rewrite eqxx. Qed.

Lemma gate_left t : t < a - w -> gate t = c1.
Proof. by move=> lt; rewrite /gate /ramped lt mul0r add0r. Qed.

Lemma gate_middle t : a <= t < b - w -> gate t = c2.
Proof.
move=> /andP[ge lt]; have ge' : a - w <= t by lra.
by rewrite /gate /ramped ltNge ge' ltNge ge lt /= mul0r add0r.
Qed.

Lemma gate_right t : b <= t -> gate t = c3.
Proof.
move=> ge; have [ge1 ge2 ge3] : [/\ b - w <= t, a <= t & a - w <= t] by split; lra.
by rewrite /gate /ramped ltNge ge3 ltNge ge2 ltNge ge1 ltNge ge /= mul0r add0r.
Qed.

Lemma gate_range t : 0 <= c1 <= 1 -> 0 <= c2 <= 1 -> 0 <= c3 <= 1 -> 0 <= gate t <= 1.
Proof.
move=> in1 in2 in3; rewrite -[gate t]add0r -[X in X + _](mul0r t).
apply: (ramped_bounds w_gt0 w_le) => x _; rewrite /three_piece !mul0r !add0r.
by case: ltP => _ //; case: ltP.
Qed.

End Gates.

(** A constant and at most one ReLU that looks to the left. *)
Lemma zero_four (R : realFieldType) : four_relus (@zero_phi R).
Proof.
exists 0, 1, (-1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 => t; rewrite !mul0r !addr0 add0r mul1r mulN1r.
rewrite /zero_phi /three_piece; have [lt|ge] := ltP t 0; first by rewrite relu_pos; lra.
by rewrite relu_neg; lra.
Qed.

Section Windows.

(** ** Windows with room *)
Variables (R : realFieldType) (d : nat) (u : 'rV[R]_d) (step : R) (I : eqType).
Variables (key : I -> R) (move_by : I -> 'cV[R]_d).
Notation id z := ((u *m z) ord0 ord0).
Hypothesis step_gt0 : 0 < step.
Hypothesis keys_apart : forall e e', e != e' -> step <= `|key e - key e'|.
Hypothesis keys_above : forall e, step <= key e.

Definition open_phi := gate (- (step / 2%:R)) (step / 2%:R) 0 1 0 (step / 4%:R).
Definition open_window e := UnitOf open_phi u (key e) (move_by e).

Lemma quarter_gt0 : 0 < step / 4%:R.
Proof. by rewrite divr_gt0 ?ltr0n. Qed.
Lemma quarter_le : step / 4%:R <= step / 2%:R - - (step / 2%:R).
Proof. by have := step_gt0; lra. Qed.

Lemma open_in t : `|t| <= step / 8%:R -> open_phi t = 1.
Proof.
by rewrite ler_norml => /andP[*]; apply: (gate_middle _ _ _ quarter_gt0 quarter_le); lra.
Qed.

Lemma open_out t : 7%:R * step / 8%:R <= `|t| -> open_phi t = 0.
Proof.
rewrite ler_normr => /orP[] far; first by apply: (gate_right _ _ _ quarter_gt0 quarter_le); lra.
by apply: gate_left; lra.
Qed.

Lemma open_range t : 0 <= open_phi t <= 1.
Proof. by apply: (gate_range quarter_gt0 quarter_le); rewrite ?lexx ?ler01. Qed.

Lemma run_closed s z : id z <= 0 -> run [seq open_window e | e <- s] z = z.
Proof.
move=> z_below; elim: s => //= e s IHs; rewrite {1}/on_token /= open_out ?scale0r ?addr0 //.
by rewrite ler_normr; have := keys_above e; have := step_gt0; move: (id z) z_below => x *;
  apply/orP; right; lra.
Qed.

(** A token near a key is moved by its window only, if that brings it below all of them. *)
Theorem run_open s z e : e \in s -> uniq s -> `|id z - key e| <= step / 8%:R ->
  id (z + move_by e) <= 0 -> run [seq open_window e' | e' <- s] z = z + move_by e.
Proof.
move=> e_s s_uniq near below; elim: s e_s s_uniq => // e' s IHs; rewrite in_cons /=.
move=> e_s /andP[e'_s s_uniq]; have [same|other] := eqVneq e e'.
  by rewrite {1}/on_token /= -same open_in // scale1r run_closed.
rewrite {1}/on_token /= open_out ?scale0r ?addr0.
  by apply: IHs => //; move: e_s; rewrite (negPf other).
have apart := keys_apart other.
have far : `|key e - key e'| <= `|id z - key e| + `|id z - key e'|.
  by rewrite [`|id z - key e|]distrC; apply: ler_dist_add.
by move: `|id z - key e'| `|id z - key e| `|key e - key e'| near apart far step_gt0 => *; lra.
Qed.

End Windows.
