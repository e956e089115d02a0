(** * Proposition 1 of Kajitsuka and Sato (2024): cells, and the ids of tokens in them

    A box has N cells a side, so a token lies in one of N^d cells, which has a number (its reading).
    The id of a token is its reading, and a share omega of what a listener with this reading hears.
    At a good sharpness two ids are equal only if one pattern of cells is a permutation of the other
    one. For all N >= 1, d >= 1 and n >= 1. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import columns.
From UAT.kajitsuka2024 Require Import multisets.

Section Ids.

Variables (R : realType) (d n N : nat).
Hypothesis N_gt0 : (0 < N)%N.

(** In which cell each entry lies. *)
Definition pattern := {ffun 'I_d.+1 * 'I_n.+1 -> 'I_N}.
Implicit Types (T : pattern) (k : 'I_n.+1).

(** A token is read as a number with d digits, from 1 to N. *)
Definition reading T k : nat := number N.+1 (fun i => (T (i, k)).+1).
(** The largest reading: all its digits are N. *)
Definition top : nat := number N.+1 (fun _ : 'I_d.+1 => N).

(** Readings are at most [top]. *)
Lemma reading_le T k : (reading T k <= top)%N.
Proof. by apply: leq_sum => i _; rewrite leq_mul2r ltn_ord orbT. Qed.

(** Readings are at least 1. *)
Lemma reading_gt0 T k : (0 < reading T k)%N.
Proof. by rewrite /reading numberS addSn. Qed.

(** [top] is at least 1. *)
Lemma top_gt0 : (0 < top)%N.
Proof. by rewrite /top numberS addn_gt0 N_gt0. Qed.

(** A reading names the token. *)
Lemma reading_inj T T' k k' : reading T k = reading T' k' -> forall i, T (i, k) = T' (i, k').
Proof.
move=> same i; apply/val_inj/succn_inj.
by apply: (number_inj _ _ same) => j; rewrite ltnS ltn_ord.
Qed.

Variable z : R.
Hypothesis z_gt0 : 0 < z.

(** The share of what is heard in an id. *)
Definition omega : R := (2%:R * top%:R)^-1.
(** The id of a token: the number that it reads, and a share of what it hears. *)
Definition id T k : R := (reading T k)%:R + omega * hears z (reading T) (reading T k).

(** The weights of what is heard are positive. *)
Lemma weights_gt0 (a : 'I_n.+1 -> nat) m : 0 < \sum_j z ^+ (m * a j).
Proof.
rewrite (bigD1 ord0) //= ltr_paddr ?exprn_gt0 //.
by apply: sumr_ge0 => j _; rewrite exprn_ge0 ?ltW.
Qed.

(** The share of what is heard lies between 0 and 1/2. *)
Lemma share_bounds T k : 0 <= omega * hears z (reading T) (reading T k) <= 2%:R^-1.
Proof.
have M_gt0 : 0 < top%:R :> R by rewrite ltr0n top_gt0.
have o_gt0 : 0 < omega by rewrite invr_gt0 mulr_gt0 ?ltr0n ?top_gt0.
have Z_gt0 := weights_gt0 (reading T) (reading T k).
apply/andP; split.
  apply: mulr_ge0 (ltW o_gt0) _; apply: divr_ge0 _ (ltW Z_gt0).
  by apply: sumr_ge0 => j _; rewrite mulr_ge0 ?exprn_ge0 ?ler0n ?(ltW z_gt0).
have -> : 2%:R^-1 = omega * top%:R by rewrite /omega invfM -mulrA mulVf ?mulr1 // gt_eqF.
rewrite ler_pmul2l // ler_pdivr_mulr // mulr_sumr; apply: ler_sum => j _.
by rewrite mulrC ler_wpmul2r ?exprn_ge0 ?(ltW z_gt0) // ler_nat reading_le.
Qed.

(** So ids are above 1/2. *)
Lemma id_gt T k : 2%:R^-1 < id T k.
Proof.
have /andP[share_ge0 _] := share_bounds T k.
have : 1 <= (reading T k)%:R :> R by rewrite ler1n reading_gt0.
by rewrite /id; move: (omega * _) share_ge0 => x; lra.
Qed.

(** An id names the reading. *)
Lemma id_reading T T' k k' : id T k = id T' k' -> reading T k = reading T' k'.
Proof.
have far r r' (x y : R) : 0 <= x <= 2%:R^-1 -> 0 <= y <= 2%:R^-1 -> r%:R + x = r'%:R + y ->
    (r <= r')%N.
  move=> /andP[? ?] /andP[? ?] same; rewrite leqNgt; apply/negP => lt.
  have : r'%:R + 1 <= r%:R :> R by rewrite -mulrSr ler_nat.
  by rewrite leNgt => /negP; apply; lra.
rewrite /id => same; apply/eqP; rewrite eqn_leq.
by rewrite (far _ _ _ _ _ _ same) ?(far _ _ _ _ _ _ (esym same)) ?share_bounds.
Qed.

End Ids.

(** Two ids are equal only if one pattern is a permutation of the other, the listeners as well. *)
Lemma good_ids (R : realType) (d n N : nat) : (0 < N)%N ->
  exists2 z : R, 0 < z < 1 & forall (T T' : pattern d n N) k k', id z T k = id z T' k' ->
    exists2 p : 'S_n.+1, p k' = k & forall i j, T' (i, j) = T (i, p j).
Proof.
move=> N_gt0; have [z z_01 apart] := good_base R n (top d N); exists z => // T T' k k' same.
have /andP[z_gt0 _] := z_01; have same_k := id_reading N_gt0 z_gt0 same.
(* 1. What they hear is the same, ... *)
have o_ne0 : omega R d N != 0.
  by rewrite /omega invr_eq0 mulf_neq0 ?pnatr_eq0 // -lt0n top_gt0.
have := same; rewrite /id same_k => /addrI/(mulfI o_ne0) hears_same.
(* 2. ... so they are in the same context, ... *)
have [p pE] : exists p : 'S_n.+1, forall j, reading T' j = reading T (p j).
  apply: apart hears_same => [|j|j]; rewrite ?reading_le //.
  by rewrite reading_gt0.
(* 3. ... and p may take the one to the other, as they read the same. *)
exists (p * tperm (p k') k)%g => [|i j]; first by rewrite permM tpermL.
apply: reading_inj; rewrite permM pE; case: tpermP => [->|->|//]; last by rewrite same_k pE.
by rewrite -pE same_k.
Qed.
