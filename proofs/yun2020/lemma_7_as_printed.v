(** * Yun et al. (2020), Lemma 7: with the printed index the layers do not quantize

    The proof adds layers for k = 0, delta, ..., 1 - delta with the threshold k delta. At delta =
    1/2 and d = n = 1 these are the thresholds 0 and 1/4, and the entry 1/2 becomes 1/4, where
    the lemma says 1/2 ([lemma_7_as_printed_is_false]). The repaired index, k = 0, ..., 1/delta -
    1, is in [lemma_7.v]. The first layer is the printed one as well; it leaves [0, 1) alone. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers grid rows lemma_7.

Section Lemma7.

Variables (R : realFieldType) (N d n : nat).
Notation delta := (delta R N).

(** The layers of a row as printed: k delta, with k = 0, delta, ..., 1 - delta. *)
Definition printed_row (i : 'I_d) : seq (layer R d n) :=
  on_row (@clip_phi R N d n) i 0 ::
  [seq on_row (@cell_phi R N) i (k%:R * delta * delta) | k <- iota 0 N].
(** The printed layers of all rows. *)
Definition printed_quantizer : seq (layer R d n) := flatten [seq printed_row i | i <- enum 'I_d].

(** What Lemma 7 says of layers, for entries in the box. *)
Definition quantizes (layers : seq (layer R d n)) := forall (X : 'M[R]_(d, n)) i j k, (k < N)%N ->
  k%:R * delta <= X i j < k.+1%:R * delta -> network layers X i j = k%:R * delta.

End Lemma7.

Section Counterexample.

Variable R : realFieldType.

(** At delta = 1/2 the printed layers take the entry 1/2 to 1/4. *)
Lemma printed_half : network (@printed_quantizer R 2 1 1) (const_mx 2%:R^-1) ord0 ord0 = 4%:R^-1.
Proof.
rewrite /printed_quantizer enum_ordS (enum_ord0 : enum 'I_0 = [::]) /= !on_rowE eqxx !mxE.
rewrite !subr0 mul0r mul0r subr0 mul1r /delta.
have clip0 : @clip_phi R 2 1 1 (2%:R^-1) = 0.
  by rewrite /clip_phi /three_piece; have [?|?] := ltP (2%:R^-1 : R) 0;
    last (have [?|?] := ltP (2%:R^-1 : R) 1); lra.
have cell0 : @cell_phi R 2 (2%:R^-1) = 0.
  by rewrite /cell_phi /three_piece /delta ltxx; case: ltP => _; rewrite mul0r addr0.
rewrite clip0 addr0 cell0 addr0.
have -> : 2%:R^-1 - 2%:R^-1 * 2%:R^-1 = 4%:R^-1 :> R by lra.
rewrite /cell_phi /three_piece /delta; have [?|?] := ltP (4%:R^-1 : R) 0; first by lra.
by have [?|?] := ltP (4%:R^-1 : R) (2%:R^-1); lra.
Qed.

(** At delta = 1/2 the printed layers send 1/2 to 1/4. *)
Theorem lemma_7_as_printed_is_false : ~ quantizes 2 (@printed_quantizer R 2 1 1).
Proof.
(* 1. If the printed layers quantized, they would send 1/2 to 1/2, a point of the grid. *)
move=> quantized; have := quantized (const_mx 2%:R^-1) ord0 ord0 1%N isT.
(* 2. They send it to 1/4, and two different numbers are equal. *)
rewrite printed_half [const_mx _ _ _]mxE /delta mul1r lexx mulfV ?pnatr_eq0 //.
rewrite invf_lt1 ?ltr0n // ltr1n => /(_ isT) quarter; have : (0 : R) < 0 by lra.
by rewrite ltxx.
Qed.

End Counterexample.
