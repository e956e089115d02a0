(** * The keyhole: N layers tell all N sequences apart

    The book's proposition, its second half: for N sequences (a, b_i), with numbers a and b_i that
    are at least 4 apart, N layers of the keyhole are enough to tell all of them apart at once; by
    [keyhole_fails] no fewer are. For all N >= 1, in tokens of any number d >= 1 of entries. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers theorem_2 keyhole.

Section All.

Variables (R : realType) (d' : nat).
Let d := d'.+1.
Let first : 'I_d := ord0.
Notation token := (@token R d').

Variables (n : nat) (a : R) (b : 'I_n.+1 -> R).
Notation N := n.+1.
Hypotheses (ab : forall i, 4%:R <= `|a - b i|).
Hypothesis (bb : forall i j, i != j -> 4%:R <= `|b i - b j|).
Notation sequence := (@sequence R d' N a b).

(** By how much layer r moves the sequence that it hears: r / (4 N). *)
Definition step (r : nat) : R := r%:R / (4%:R * N%:R).
(** The number b_r. *)
Definition b_at (r : nat) : R := b (inord r).
(** The weights with which layer r hears b_(r-1) alone, moves its sequence by step r, and shifts b_r to the hole. *)
Definition one_by_one (r : nat) (p : bool * 'I_d) : R := token
  (if p.1 then step r else (if r is r'.+1 then b_at r' else 0) - b_at r) p.2 ord0.

Lemma step_small r : (r <= N)%N -> 0 <= step r <= 1 / 4%:R.
Proof.
move=> r_N; rewrite divr_ge0 ?mulr_ge0 ?ler0n //= /step ler_pdivr_mulr ?mulr_gt0 ?ltr0n //.
by rewrite mulrA divfK ?pnatr_eq0 // mul1r ler_nat.
Qed.

Lemma step_inj : injective step.
Proof.
move=> r r' /(congr1 (fun x => x * (4%:R * N%:R))); rewrite !divfK ?mulf_neq0 ?pnatr_eq0 //.
by move=> /eqP; rewrite eqr_nat => /eqP.
Qed.

(** What a sequence has moved by, besides the shifts. *)
Definition extra (i : 'I_N) (r : nat) : R := if (i < r)%N then step i.+1 else 0.

(** What a sequence has moved by, besides the shifts, is between 0 and 1/4. *)
Lemma extra_small i r : (r <= N)%N -> 0 <= extra i r <= 1 / 4%:R.
Proof.
by rewrite /extra; case: ifP => _ _; [apply: step_small | rewrite lexx divr_ge0 ?ler01 ?ler0n].
Qed.

(** Tokens of numbers add up as the numbers do. *)
Lemma tokenD x y : token x + token y = token (x + y).
Proof. by apply/matrixP => u o; rewrite !mxE; case: ifP; rewrite ?addr0. Qed.

Lemma hole_token x : 1 <= `|x| -> hole (token x) = 0.
Proof. by move=> x1; apply: (@hole_far _ _ _ first); rewrite mxE eqxx. Qed.

Lemma token_layer (x y c : R) :
  \matrix_(u, o) (token x u ord0 + token y u ord0 * c) = token (x + y * c) :> 'cV[R]_d.
Proof. by apply/matrixP => u o; rewrite !mxE; case: ifP; rewrite ?mul0r ?addr0. Qed.

Lemma far_small (x y e : R) : 4%:R <= `|x - y| -> 0 <= e <= 1 / 4%:R -> 1 <= `|x + (e - y)|.
Proof.
move=> xy /andP[e0 e1]; move: xy; rewrite !(@ler_normr R) => /orP[xy|xy]; apply/orP.
  by left; lra.
by right; lra.
Qed.

(** After r + 1 of the N layers sequence i has moved by -b_r, and by a step of its own as well if i < r. *)
Lemma moved_one_by_one i r : (r < N)%N ->
  moved r.+1 one_by_one (sequence i) = token (extra i r - b_at r).
Proof.
elim: r => [|r IH] r_N; rewrite moved_sequence.
  (* 1. The first layer shifts b_0 to the hole. *)
  by rewrite token_layer (_ : extra i 0 = 0) // /step !mul0r addr0 !sub0r add0r.
(* 2. In a later one token a is not near the hole, ... *)
have r_le : (r <= N)%N by rewrite ltnW // ltnW.
rewrite IH ?(ltnW r_N) // token_layer !tokenD hole_token; last first.
  by apply: far_small (ab _) (extra_small _ r_le).
congr token; rewrite add0r; have [i_r|ne] := eqVneq i (inord r).
(* 3. ... and that of sequence r is in it, and is moved by a step. *)
  have i_val : i = r :> nat by rewrite i_r inordK // ltnW.
  rewrite /extra i_val ltnn ltnSn add0r /b_at -i_r subrr.
  have -> : token 0 = 0 by apply/matrixP => u o; rewrite !mxE if_same.
  by rewrite hole0; ring.
(* 4. Others are far from it. *)
rewrite hole_token; last by apply: far_small (bb ne) (extra_small _ r_le).
have -> : extra i r.+1 = extra i r; last by ring.
rewrite /extra ltnS leq_eqVlt; case: eqP => // i_val; case/eqP: ne.
by apply: val_inj; rewrite /= inordK // ltnW.
Qed.

(** In the end no two sequences have moved by the same, besides the shifts. *)
Lemma extra_inj : injective (extra^~ n).
Proof.
have extraE i : extra i n = step (if (i < n)%N then i.+1 else 0%N).
  by rewrite /extra; case: ifP; rewrite // /step mul0r.
move=> i j; rewrite !extraE => /step_inj; have := ltn_ord i; have := ltn_ord j.
rewrite !ltnS => j_n i_n; have [lt_i|ge_i] := ltnP i n; have [lt_j|ge_j] := ltnP j n => //.
  by case=> eq_ij; apply: val_inj.
by move=> _; apply: val_inj; apply/eqP; rewrite eqn_leq (leq_trans i_n) ?(leq_trans j_n).
Qed.

Theorem keyhole_all : exists theta, forall i j, i != j ->
  told_apart (@keyhole R d' 2) N theta (sequence i) (sequence j).
Proof.
(* 1. The first layer shifts b_0 to the hole; each later one hears one sequence, and moves it. *)
exists one_by_one => i j ij k l; rewrite !mixing_moved !col_sequence !moved_one_by_one //.
(* 2. By different steps, all at most 1/4, while tokens are 4 apart, or shared. *)
have far x y : 4%:R <= `|x - y| ->
    token x + token (extra i n - b_at n) != token y + token (extra j n - b_at n).
  move=> xy; apply/eqP => /matrixP/(_ first ord0); rewrite !tokenD !mxE eqxx => same.
  have /andP[i0 i1] := extra_small i (leqnSn n); have /andP[j0 j1] := extra_small j (leqnSn n).
  suff : 1 <= 0 :> R by rewrite ler10.
  by move: xy; rewrite ler_normr => /orP[] ?; move: same (b_at n) => *; lra.
case: (k == ord0); case: (l == ord0);
  [|exact: far|by apply: far; rewrite distrC|exact: far (bb ij)].
apply/eqP => /matrixP/(_ first ord0); rewrite !tokenD !mxE eqxx => /addrI/addIr/extra_inj eq_ij.
by rewrite eq_ij eqxx in ij.
Qed.

End All.
