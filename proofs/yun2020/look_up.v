(** * Feed-forward layers as a dictionary (Yun et al. 2020, section E.4)

    Layers with one hidden unit, seen token by token, and what a stack of windows does: the layer
    of an entry waits for tokens whose id is within half a step of its key, and replaces them. If
    keys are a step apart and what is written lies below all windows, then each token is met by
    its own layer only. For any finite set of entries, in any order. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers.

Section Tokenwise.

Variables (R : realFieldType) (d : nat).
Implicit Types (z : 'cV[R]_d).

(** ** Layers with one hidden unit, token by token *)

(** A hidden unit: its activation, what it reads, its threshold, and what it writes. *)
Record unit_of := UnitOf { act : R -> R; reads : 'rV[R]_d; threshold : R; writes : 'cV[R]_d }.
(** The layer with this one hidden unit. *)
Definition unit_layer n (w : unit_of) : layer R d n :=
  feed_forward (act w) (unit_weights (reads w) (threshold w) (writes w)).
Arguments unit_layer n w : clear implicits.
(** What it does to a token. *)
Definition on_token z (w : unit_of) := z + act w ((reads w *m z) ord0 ord0 - threshold w) *:
  writes w.
(** Units, one after the other, on a token. *)
Definition run (ws : seq unit_of) z := foldl on_token z ws.

(** The layers do to each token of a sequence what they do to it alone. *)
Lemma network_run n ws (Z : 'M[R]_(d, n)) j :
  col j (network [seq unit_layer n w | w <- ws] Z) = run ws (col j Z).
Proof.
elim: ws Z => //= w ws IHws Z; rewrite IHws; congr run; apply/colP => i.
have id_col : (reads w *m col j Z) ord0 ord0 = (reads w *m Z) ord0 j.
  by rewrite !mxE; apply: eq_bigr => k _; rewrite mxE.
by rewrite mxE /unit_layer unit_layerE /on_token id_col [RHS]mxE [col _ _ _ _]mxE [in RHS]mxE mulrC.
Qed.

(** Units whose activations are in Phi make feed-forward layers with one hidden unit and such an activation. *)
Lemma unit_layers_phi n ws : every (fun w => Phi (act w)) ws ->
  every (@phi_layer R d n) [seq unit_layer n w | w <- ws].
Proof.
elim: ws => //= w ws IHws [Phi_w /IHws Phi_ws]; split=> //.
by exists (act w), (reads w), (threshold w), (writes w).
Qed.

End Tokenwise.
Arguments unit_layer [R d] n w.

Section LookUp.

(** ** Windows *)
Variables (R : realFieldType) (d : nat) (u : 'rV[R]_d) (step : R) (I : eqType).
Variables (key : I -> R) (from to : I -> 'cV[R]_d).
Notation id z := ((u *m z) ord0 ord0).
Hypothesis step_gt0 : 0 < step.
Hypothesis key_from : forall e, id (from e) = key e.
Hypothesis keys_apart : forall e e', e != e' -> step <= `|key e - key e'|.
Hypothesis keys_above : forall e, step <= key e.
Hypothesis to_below : forall e, id (to e) <= 0.

(** The activation that is 1 for half a step on both sides of 0, and 0 elsewhere. *)
Definition window_phi := three_piece (- (step / 2%:R)) (step / 2%:R) 0 0 0 1 0 0.
(** The unit of an entry: within half a step of its key it replaces the token. *)
Definition window e := UnitOf window_phi u (key e) (to e - from e).

Lemma half_lt : step / 2%:R < step.
Proof. by rewrite ltr_pdivr_mulr ?ltr0n // mulr_natr mulr2n ltr_addl. Qed.

Lemma half_gt0 : 0 < step / 2%:R.
Proof. by rewrite divr_gt0 ?ltr0n. Qed.

(** At the key itself a window is 1. *)
Lemma window_phi_in : window_phi 0 = 1.
Proof.
by rewrite /window_phi /three_piece oppr_gt0 ltNge (ltW half_gt0) /= half_gt0 mul0r add0r.
Qed.

Lemma window_phi_out t : step <= `|t| -> window_phi t = 0.
Proof.
move=> far; have half_far := lt_le_trans half_lt far; rewrite /window_phi /three_piece.
case: ltP => [_|t_ge]; first by rewrite mul0r addr0.
case: ltP => [t_lt|_]; last by rewrite mul0r addr0.
by move: half_far; rewrite ltNge ler_norml t_ge (ltW t_lt).
Qed.

(** Below the windows nothing is changed. *)
Lemma run_below s z : id z <= 0 -> run [seq window e | e <- s] z = z.
Proof.
move=> z_below; elim: s => //= e s IHs; rewrite {1}/on_token /= window_phi_out ?scale0r ?addr0 //.
rewrite distrC ger0_norm;
  last by rewrite subr_ge0 (le_trans z_below) // (le_trans _ (keys_above e)) ?ltW.
by rewrite (le_trans (keys_above e)) // ler_subr_addr ger_addl.
Qed.

Theorem run_windows s e : e \in s -> uniq s -> run [seq window e' | e' <- s] (from e) = to e.
Proof.
elim: s => // e' s IHs; rewrite in_cons /= => e_s /andP[e'_s s_uniq].
have [same|other] := eqVneq e e'.
  rewrite -same /on_token /= key_from subrr window_phi_in scale1r addrC subrK.
  by rewrite run_below.
rewrite {1}/on_token /= key_from window_phi_out ?keys_apart // scale0r addr0.
by apply: IHs => //; move: e_s; rewrite (negPf other).
Qed.

Lemma window_Phi : Phi window_phi.
Proof.
exists (- (step / 2%:R)), (step / 2%:R), 0, 0, 0, 1, 0, 0; split; rewrite ?eqxx //.
by rewrite (le_trans _ (ltW half_gt0)) // oppr_le0 ltW ?half_gt0.
Qed.

End LookUp.
