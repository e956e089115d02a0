(** * Kajitsuka and Sato (2024), Corollary 2: memorisation with positional encodings

    For any finite family of sequences, with repeated tokens or not, whose tokens are below r_max
    in norm and more than eps > 0 apart where they differ, and any labels (equal for equal
    sequences): with the encodings E_k = 4 k r_max e, k = 1, ..., n, where e is any unit vector,
    one softmax head of rank 1 and one layer of ReLUs send X + E to the labels, exactly. For all
    n >= 1, d >= 1, head sizes s >= 1. Weights are counted as in Corollary 1: at most
    4 (s + d) + d (2 n N + d) numbers for N sequences, encodings apart.

    Differs from the printed text: its encodings 2 k r_max (1, ..., 1) do not separate as claimed
    (corollary_2_printed_positions.v), these do, with the numbers in [encoded_separated]. Labels
    are any real vectors. *)
From UAT Require Import transformers.
From mathcomp Require Import mxalgebra.
From UAT.kajitsuka2024 Require Import definitions inner_product corollary_1.

Section Encoded.

Variables (R : realType) (d n : nat) (I : finType) (X : I -> 'M[R]_(d, n)).
Variables (r_min r_max eps : R) (e : 'cV[R]_d).
Hypothesis unit_e : dot e e = 1.
Hypothesis X_sep : separated X r_min r_max eps.

(** What the position k adds, along e: 4 (k + 1) r_max, counted from 0. *)
Definition place (k : 'I_n) : R := 4%:R * k.+1%:R * r_max.
(** The positions as a matrix: each column is [e], times its place. *)
Definition encodings : 'M[R]_(d, n) := \matrix_(i, k) (place k * e i 0).
(** The i-th sequence with the positions added. *)
Definition encoded i := X i + encodings.

(** A column with its position. *)
Lemma encodedE i k : col k (encoded i) = col k (X i) + place k *: e.
Proof. by apply/colP => r; rewrite !mxE. Qed.

(** The length of a multiple of e. *)
Lemma norm_e t : norm (t *: e) = `|t|.
Proof. by rewrite normZ /norm unit_e sqrtr1 mulr1. Qed.

(** The triangle inequality for differences. *)
Lemma normB (x y : 'cV[R]_d) : norm (x - y) <= norm x + norm y.
Proof.
by have := ler_normD x (- y); rewrite -scaleN1r normZ normrN1 mul1r.
Qed.

(** Tokens are shorter than r_max. *)
Lemma token_lt i k : norm (col k (X i)) < r_max.
Proof. by case: X_sep. Qed.

(** The bound r_max for the norms of tokens is positive, if there is a token. *)
Lemma r_max_gt0 (i : I) (k : 'I_n) : 0 < r_max.
Proof. exact: le_lt_trans (norm_ge0 _) (token_lt i k). Qed.

(** Tokens of different places are more than 2 r_max apart. *)
Lemma places_apart i j (k l : 'I_n) : k != l ->
  2%:R * r_max < norm (col k (encoded i) - col l (encoded j)).
Proof.
move=> kl; rewrite !encodedE; have r0 := r_max_gt0 i k.
have := normB (col k (X i) + place k *: e - (col l (X j) + place l *: e))
  (col k (X i) - col l (X j)).
have -> : col k (X i) + place k *: e - (col l (X j) + place l *: e) - (col k (X i) - col l (X j))
    = (place k - place l) *: e by apply/colP => r; rewrite !mxE; ring.
rewrite norm_e; have := normB (col k (X i)) (col l (X j)).
have := token_lt i k; have := token_lt j l.
have : 4%:R * r_max <= `|place k - place l|.
  rewrite /place -mulrBl -mulrBr !normrM (gtr0_norm r0) ger0_norm ?ler0n //.
  have : 1 <= `|k.+1%:R - l.+1%:R| :> R.
    have [lt_kl|lt_lk|/val_inj eq_kl] := ltngtP k l; last by rewrite eq_kl eqxx in kl.
      rewrite distrC ger0_norm ?subr_ge0 ?ler_nat ?ltnS ?(ltnW lt_kl) //.
      by rewrite ler_subr_addl -mulrSr ler_nat ltnS.
    rewrite ger0_norm ?subr_ge0 ?ler_nat ?ltnS ?(ltnW lt_lk) //.
    by rewrite ler_subr_addl -mulrSr ler_nat ltnS.
  by move: `|_| r0 => t r0 t1; have : 0 <= (t - 1) * r_max; [rewrite mulr_ge0 //; lra | lra].
move: (norm _) (norm (col l _)) (norm (col k _)) (norm (_ - _)) `|_| => *; lra.
Qed.

(** With positions the sequences are separated: tokens are longer than 3 r_max, and those that differ are
    far from each other. *)
Lemma encoded_separated :
  separated encoded (3%:R * r_max) ((4%:R * n%:R + 1) * r_max) (Num.min eps (2%:R * r_max)).
Proof.
have big i k : 3%:R * r_max < norm (col k (encoded i)) < (4%:R * n%:R + 1) * r_max.
  have r0 := r_max_gt0 i k; have := token_lt i k; rewrite encodedE.
  have := ler_normD (col k (X i)) (place k *: e).
  have := normB (col k (X i) + place k *: e) (col k (X i)).
  have -> : col k (X i) + place k *: e - col k (X i) = place k *: e.
    by rewrite addrC addKr.
  rewrite norm_e; have : 4%:R * r_max <= place k <= 4%:R * n%:R * r_max.
    by rewrite /place !ler_pmul2r // !ler_pmul2l ?ltr0n // ler_nat ltn_ord ler_pmulr ?ler1n ?ltr0n.
  move=> /andP[ge le]; rewrite ger0_norm; last by move: ge; lra.
  move: (place k) (norm (_ + _)) (norm (col k (X i))) ge le => p t u ge le a b c.
  by apply/andP; split; move: ge le a b c; lra.
split=> [i k|i k|i j k l]; [by case/andP: (big i k) | by case/andP: (big i k) |].
have [<-|kl _] := eqVneq k l; last by rewrite lt_minl places_apart // orbT.
rewrite !encodedE => differ; rewrite lt_minl; apply/orP; left.
have -> : col k (X i) + place k *: e - (col k (X j) + place k *: e) = col k (X i) - col k (X j).
  by rewrite opprD addrACA subrr addr0.
by case: X_sep => _ _; apply; apply: contra_neq differ => ->.
Qed.

(** With positions no token occurs twice in a sequence. *)
Lemma encoded_no_duplicates : no_duplicates encoded.
Proof.
move=> i k l same; apply/eqP; apply: contraT => /(places_apart i i); rewrite same subrr.
by rewrite norm0 ltNge mulr_ge0 ?ler0n // ltW // (r_max_gt0 i k).
Qed.

(** Sequences with the same set of encoded tokens are equal. *)
Lemma encoded_sets i j : vocabulary (encoded i) =i vocabulary (encoded j) -> X i = X j.
Proof.
move=> same; suff cols k : col k (X i) = col k (X j).
  by apply/matrixP => r k; have /colP/(_ r) := cols k; rewrite !mxE.
have : col k (encoded i) \in vocabulary (encoded j).
  by rewrite -same; apply/mapP; exists k; rewrite ?mem_enum.
move=> /mapP[l _]; have [<-|kl] := eqVneq k l; first by rewrite !encodedE => /addIr.
move=> eq; have := places_apart i j kl; rewrite eq subrr.
by rewrite norm0 ltNge mulr_ge0 ?ler0n // ltW // (r_max_gt0 i k).
Qed.

End Encoded.

(** Corollary 2, with positions that do keep tokens apart. *)
Theorem corollary_2 (R : realType) (d n s : nat) (I : finType) (X Y : I -> 'M[R]_(d.+1, n.+1))
    (r_min r_max eps : R) (e : 'cV[R]_d.+1) :
  dot e e = 1 -> 0 < eps -> 0 < r_max -> separated X r_min r_max eps ->
  (forall i j, X i = X j -> Y i = Y j) ->
  exists g : one_layer R d.+1 s.+1,
  [/\ (count_weights g <= 4 * (s.+1 + d.+1) + d.+1 * (2 * n.+1 * #|I| + d.+1))%N, ranks_1 g &
      forall i, apply_layer g (X i + encodings n.+1 r_max e) = Y i].
Proof.
(* 1. With positions no token occurs twice, and tokens stay apart: so Corollary 1 holds for the sequences
   with positions, if labels are consistent, equal for equal tokens in equal contexts. *)
move=> unit_e eps0 r0 sep labels.
apply: (corollary_1 s _ _ (encoded_separated unit_e sep) (encoded_no_duplicates unit_e sep)).
- by rewrite mulr_gt0 ?ltr0n.
- by rewrite lt_minr eps0 mulr_gt0 ?ltr0n.
(* 2. They are: the set of tokens names the sequence ([same_X]), and a token its place, as tokens of
   different places, [kl], are more than 2 r_max apart. *)
move=> i j k l /(encoded_sets unit_e sep) same_X same_col.
have [<-|kl] := eqVneq k l; first by rewrite (labels i j same_X).
have := places_apart unit_e sep i j kl; rewrite same_col subrr norm0.
by rewrite ltNge mulr_ge0 ?ler0n // ltW.
Qed.
