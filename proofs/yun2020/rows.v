(** * Yun et al. (2020), Lemma 7: layers that act on one row after the other

    For all functions clip and cell, and all d, n, N: a layer that adds clip(t) to the entries t
    of a row, then N layers that add cell(t - k delta), k = 0, ..., N - 1; and so for each row. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers grid.

Section Rows.

Variables (R : realFieldType) (N d n : nat).
Notation delta := (delta R N).
Implicit Types (phi : R -> R) (t b : R) (i : 'I_d) (Z : 'M[R]_(d, n)).

(** A layer that reads and writes row [i] only. *)
Definition on_row phi i b : layer R d n :=
  feed_forward phi (unit_weights (delta_mx ord0 i) b (delta_mx i ord0)).

Lemma on_rowE phi i b Z i' j :
  on_row phi i b Z i' j = if i' == i then Z i j + phi (Z i j - b) else Z i' j.
Proof.
rewrite /on_row unit_layerE -rowE !mxE eqxx andbT.
by case: eqP => [->|_]; rewrite ?mul1r // mul0r addr0.
Qed.

Variables clip cell : R -> R.

(** What one layer does, and all layers of a row, on one entry. *)
Definition rounded t k := t + cell (t - k%:R * delta).
Definition entry t := foldl rounded (t + clip t) (iota 0 N).

(** The layers of row i: one adds clip(t) to each entry t of it, then N of them add cell(t - k delta), k = 0, ..., N
    - 1. *)
Definition row_layers i : seq (layer R d n) :=
  on_row clip i 0 :: [seq on_row cell i (k%:R * delta) | k <- iota 0 N].

Lemma row_layersE i Z i' j :
  network (row_layers i) Z i' j = if i' == i then entry (Z i j) else Z i' j.
Proof.
have later s Z' : network [seq on_row cell i (k%:R * delta) | k <- s] Z' i' j =
    if i' == i then foldl rounded (Z' i j) s else Z' i' j.
  elim: s Z' => [|k s IHs] Z' /=; first by case: eqP => [->|].
  by rewrite IHs !on_rowE eqxx; case: eqP.
by rewrite /= later !on_rowE eqxx subr0; case: eqP.
Qed.

(** The layers of all rows, row after row. *)
Definition all_rows : seq (layer R d n) := flatten [seq row_layers i | i <- enum 'I_d].

Lemma size_all_rows : size all_rows = (d * N + d)%N.
Proof.
transitivity (size (enum 'I_d) * N + size (enum 'I_d))%N; last by rewrite size_enum_ord.
rewrite /all_rows; elim: (enum _) => //= i s IHs.
by rewrite size_cat size_map size_iota IHs mulSn addnS !addnA.
Qed.

Theorem all_rowsE Z i j : network all_rows Z i j = entry (Z i j).
Proof.
have rows s Z' : uniq s -> network (flatten [seq row_layers i | i <- s]) Z' i j =
    if i \in s then entry (Z' i j) else Z' i j.
  elim: s Z' => [//|i' s IHs] Z' /andP[i'_s s_uniq].
  rewrite -[flatten _]/(row_layers i' ++ flatten [seq row_layers i | i <- s]) network_cat IHs //
    row_layersE in_cons.
  by case: eqP => [->|_] //=; rewrite (negPf i'_s).
by rewrite rows ?enum_uniq // mem_enum.
Qed.

End Rows.
