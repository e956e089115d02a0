(** * Kajitsuka and Sato (2024), Lemma 1 as printed is false

    It promises a gap between the values of any two different vectors. (10, 0) and (0, 10) fulfil
    all that is asked, with r = 11 and delta = 8, and are different; but their value is the same. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann.

(** The lemma, word by word, for n + 1 entries. *)
Definition lemma_1_as_printed (R : realType) :=
  forall (I : Type) (n : nat) (a : I -> 'I_n.+1 -> R) (r delta : R),
  2%:R * ln n.+1%:R + 3%:R < delta -> (forall i, injective (a i)) ->
  (forall i k, `|a i k| < r) -> (forall i j k l, a i k != a j l -> delta < `|a i k - a j l|) ->
  forall i j, `|boltz (a i)| <= r /\
  (a i <> a j -> ln n.+1%:R ^+ 2 * expR (- (2%:R * r)) < `|boltz (a i) - boltz (a j)|).

(** The numbers 10, 0 where s is true, and 0, 10 where it is false. *)
Definition entries (s : bool) (k : 'I_2) : nat := (if s == (k == ord0) then 10 else 0)%N.
(** The vectors (10, 0) and (0, 10), for the two values of s. *)
Definition two_orders (R : realType) s k : R := (entries s k)%:R.

(** The two vectors have the same value, as sums have no order. *)
Lemma same_value (R : realType) : boltz (@two_orders R true) = boltz (@two_orders R false).
Proof.
rewrite /boltz /softmax !big_ord_recl !big_ord0 /two_orders /entries /= !addr0.
by rewrite [X in _ = X]addrC [expR 0%:R + _]addrC.
Qed.

(** It is false. *)
Theorem lemma_1_as_printed_is_false (R : realType) : ~ lemma_1_as_printed R.
Proof.
(* 1. [printed] is what the lemma says of the two vectors, with r = 11 and delta = 8. They fulfil all
   that it asks for. They are spaced widely enough: 2 log 2 + 3 < 7. *)
move=> /(_ bool 1%N (@two_orders R) 11%:R 8%:R) printed.
have [||||_] := printed _ _ _ _ true false.
- have : ln 2%:R < 2%:R :> R by [apply: ln_sublinear; rewrite ltr0n].
  lra.
(* 2. No entry stands twice in a vector. *)
- move=> s k l /eqP; rewrite /two_orders eqr_nat /entries.
  by case: s; case: k => -[|[|//]] k2; case: l => -[|[|//]] l2 // _; apply: val_inj.
(* 3. All entries are smaller than 11. *)
- by move=> s k; rewrite normr_nat ltr_nat /entries; case: ifP.
(* 4. Different entries are 10 apart. *)
- move=> s t k l; rewrite /two_orders eqr_nat /entries.
  by case: ifP => _; case: ifP => _ // _; rewrite ?subr0 ?sub0r ?normrN normr_nat ltr_nat.
(* 5. So it promises a [gap], as the vectors are different. But their value is the same. *)
move=> gap; have /gap : @two_orders R true <> @two_orders R false.
  by move/(congr1 (fun a => a ord0))/eqP; rewrite /two_orders eqr_nat.
by rewrite same_value subrr normr0 ltNge mulr_ge0 ?sqr_ge0 ?expR_ge0.
Qed.
