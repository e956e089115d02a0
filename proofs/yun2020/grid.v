(** * Yun et al. (2020): the grids, and the cells of width delta = 1/N

    The extended grid of the paper holds the sequences whose entries are k delta, k = 0, ..., N -
    1, or the sentinel - delta^{-nd}; the grid those without sentinels; the last one those among
    them whose columns are all different. *)
From UAT Require Import preamble.

Section Grid.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Implicit Types (t : R) (k : nat) (L : 'M[R]_(d, n)).

(** The width of a cell. *)
Definition delta : R := N%:R^-1.
(** What stands for an entry outside [0, 1). *)
Definition sentinel : R := - N%:R ^+ (n * d).

(** Cells have a positive width. *)
Lemma delta_gt0 : 0 < delta.
Proof. by rewrite invr_gt0 ltr0n. Qed.

Lemma N_delta : N%:R * delta = 1.
Proof. by rewrite mulfV // pnatr_eq0 -lt0n. Qed.

Lemma sentinel_lt0 : sentinel < 0.
Proof. by rewrite oppr_lt0 exprn_gt0 // ltr0n. Qed.

(** The cell k is [k delta, (k+1) delta); each number of [0, 1) lies in one of them. *)
Definition in_cell k t := k%:R * delta <= t < k.+1%:R * delta.

Lemma some_cell t : 0 <= t < 1 -> exists2 k, (k < N)%N & in_cell k t.
Proof.
move=> /andP[t_ge0 t_lt1].
have [k] : exists k, (k < N)%N && in_cell k t.
  suff: forall m, t < m%:R * delta -> exists k, (k < m)%N && in_cell k t.
    by apply; rewrite N_delta.
  elim=> [|m IHm] t_m; first by move: t_m; rewrite mul0r ltNge t_ge0.
  have [/IHm[k /andP[k_m k_t]]|m_t] := ltP t (m%:R * delta).
    by exists k; rewrite k_t (ltn_trans k_m).
  by exists m; rewrite ltnSn /in_cell m_t.
by case/andP => k_N k_t; exists k.
Qed.

Lemma cell_bounds k t : (k < N)%N -> in_cell k t -> 0 <= t < 1.
Proof.
move=> k_N /andP[k_t t_k]; rewrite (le_trans _ k_t) ?mulr_ge0 ?ler0n ?(ltW delta_gt0) //=.
apply: lt_le_trans t_k _; apply: (@le_trans _ _ (N%:R * delta)); last by rewrite N_delta.
by rewrite ler_pmul2r ?delta_gt0 // ler_nat.
Qed.

(** ** Grids *)
(** Each entry is a k delta of the box, or the sentinel. *)
Definition extended_grid L :=
  forall i j, (exists2 k, (k < N)%N & L i j = k%:R * delta) \/ L i j = sentinel.
(** Each entry is k delta with some k < N. *)
Definition box_grid L := forall i j, exists2 k, (k < N)%N & L i j = k%:R * delta.
(** A sequence of the box whose columns are different. *)
Definition distinct_grid L := box_grid L /\ injective (fun j => col j L).

Lemma distinct_extended L : distinct_grid L -> extended_grid L.
Proof. by move=> [L_box _] i j; left. Qed.

End Grid.
