(** * Cheng et al. (2025), Theorem 2: its last sentence, as printed, is false

    Printed: if g(X; theta) is analytic in theta for each fixed X, and m layers of it tell apart any
    two sequences, then m layers tell apart any finite number at once. Here is the same for g that
    are even linear in theta, with tokens of d entries, n of them, and all permutations as group;
    and it is false for n = 2 and every d >= 1: two layers of the keyhole tell apart any two
    sequences, but not (4, 8), (4, 12) and (4, 16) at once, whatever the weights.

    As in Definition 3, sequences are in general position, that is, their tokens differ, and all
    tokens of two outputs are to be different, those of the same output as well. The first sentence,
    for which the number of layers may depend on the sequences, is not refuted. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.cheng2025 Require Import mixers theorem_2 keyhole keyhole_any_two.

Section Statement.

Variables (R : realType) (d n : nat).
Notation sequence := 'M[R]_(d, n).

(** The tokens of a sequence differ. *)
Definition general_position (X : sequence) := injective (fun j => col j X).
(** [Y] is [X] in another order. *)
Definition same_orbit (X Y : sequence) := exists s : 'S_n, Y = col_perm s X.

(** All tokens of the two are different. *)
Definition all_different (X Y : sequence) :=
  [/\ general_position X, general_position Y & forall k l, col k X != col l Y].

(** Definition 3: [m] layers with some weights tell apart whatever is not the same up to order. *)
Definition tells_apart (P I : finType) (g : sequence -> (P -> R) -> sequence) m
    (X : I -> sequence) := exists theta, forall i j, ~ same_orbit (X i) (X j) ->
  all_different (mixing g m theta (X i)) (mixing g m theta (X j)).

(** Two sequences as a family. *)
Definition two (X Y : sequence) (i : bool) := if i then X else Y.

(** The last sentence of Theorem 2, for mixers that are linear in the weights. *)
Definition two_suffice := forall (P : finType) (g : sequence -> (P -> R) -> sequence) m,
  (forall X c v w, g X (fun p => v p + c * w p) = g X v + c *: g X w) ->
  (forall X Y, general_position X -> general_position Y -> tells_apart g m (two X Y)) ->
  forall (I : finType) (X : I -> sequence), (forall i, general_position (X i)) -> tells_apart g m X.

(** The same tokens in another order. *)
Lemma same_tokens (X Y : sequence) : general_position Y ->
  (forall j, exists k, col j Y = col k X) -> same_orbit X Y.
Proof.
move=> Y_inj found; have found' j : exists k, col j Y == col k X.
  by have [k ->] := found j; exists k.
pose f j := xchoose (found' j); have fE j : col j Y = col (f j) X.
  exact/eqP/(xchooseP (found' j)).
have f_inj : injective f by move=> j l eq_f; apply: Y_inj; rewrite /= !fE eq_f.
exists (perm f_inj); apply/matrixP => u j; rewrite mxE permE.
by have /matrixP/(_ u ord0) := fE j; rewrite !mxE.
Qed.

Lemma orbit_refl (X : sequence) : same_orbit X X.
Proof. by exists 1%g; rewrite col_perm1. Qed.

End Statement.

Section Refuted.

Variables (R : realType) (d' : nat).
Let d := d'.+1.
Notation g := (@keyhole R d').

Lemma still_general n m theta (X : 'M[R]_(d, n)) :
  general_position X -> general_position (mixing (@g n) m theta X).
Proof. by move=> X_inj j l; rewrite !mixing_moved => /addIr/X_inj. Qed.

(** The hypothesis holds: two layers tell apart any two. *)
Lemma keyhole_two n (X Y : 'M[R]_(d, n)) : general_position X -> general_position Y ->
  tells_apart (@g n) 2 (two X Y).
Proof.
move=> X_inj Y_inj; have [same|differ] := pselect (columns_of X =i columns_of Y).
  have orbit (A B : 'M[R]_(d, n)) : general_position B -> columns_of A =i columns_of B ->
      same_orbit A B.
    move=> B_inj AB; apply: same_tokens => // j.
    have : col j B \in columns_of A by rewrite AB; apply/mapP; exists j; rewrite ?mem_enum.
    by case/mapP=> k _ ->; exists k.
  by exists (fun _ _ => 0) => -[] [] [] /=; [exact: orbit_refl | exact: orbit |
    apply: orbit => // v; rewrite same | exact: orbit_refl].
have [theta apart] := keyhole_any_two X_inj Y_inj differ; exists theta.
have gX := still_general (m := 2) (theta := theta) X_inj.
have gY := still_general (m := 2) (theta := theta) Y_inj.
case=> -[]; rewrite /two => not_same.
- by case: not_same; exact: orbit_refl.
- by split; [exact: gX | exact: gY | move=> k l; exact: apart].
- by split; [exact: gY | exact: gX | move=> k l; rewrite eq_sym; exact: apart].
by case: not_same; exact: orbit_refl.
Qed.

(** The second number of the sequence i: they are (4, 8), (4, 12) and (4, 16), all in general position, and no two are
    the same up to order. *)
Definition place (i : 'I_3) : R := 8%:R + 4%:R * i%:R.

Lemma place_far i : 4%:R <= `|4%:R - place i|.
Proof.
have i0 := ler0n R i; rewrite /place distrC ger0_norm; lra.
Qed.

(** The second tokens, 8, 12 and 16, are at least 4 apart. *)
Lemma places_far i j : i != j -> 4%:R <= `|place i - place j|.
Proof.
move=> ij; have -> : place i - place j = 4%:R * (i%:R - j%:R) by rewrite /place; ring.
rewrite normrM ger0_norm ?ler0n // ler_pemulr ?ler0n //.
have [lt|gt|eq_ij] := ltngtP i j; last by rewrite (val_inj eq_ij) eqxx in ij.
  by rewrite distrC -natrB ?(ltnW lt) // ger0_norm ?ler0n // ler1n subn_gt0.
by rewrite -natrB ?(ltnW gt) // ger0_norm ?ler0n // ler1n subn_gt0.
Qed.

Notation three := (@keyhole.sequence R d' 3 4%:R place).

Lemma token_apart (x y : R) : 4%:R <= `|x - y| -> token d' x != token d' y.
Proof.
move=> xy; apply/eqP => /matrixP/(_ ord0 ord0); rewrite !mxE eqxx => eq_xy; move: xy.
by rewrite eq_xy subrr normr0 lern0.
Qed.

(** In each of the three sequences the tokens differ. *)
Lemma three_general i : general_position (three i).
Proof.
have ne : token d' 4%:R != token d' (place i) := token_apart (place_far i).
move=> k l /=; rewrite !col_sequence; have zero_or (m : 'I_2) : m = ord0 \/ m = ord_max.
  by case: m => [[|[|]] lt] //; [left | right]; apply: val_inj.
by case: (zero_or k) (zero_or l) => -> [] -> //= /eqP; rewrite ?(negPf ne) // eq_sym (negPf ne).
Qed.

(** No two of the three sequences are the same up to order. *)
Lemma three_orbits i j : i != j -> ~ same_orbit (three i) (three j).
Proof.
move=> ij [s /(congr1 (col ord_max))]; rewrite col_sequence /=.
have -> : col ord_max (col_perm s (three i)) = col (s ord_max) (three i).
  by apply/matrixP => u o; rewrite !mxE.
rewrite col_sequence; case: ifP => _ /eqP; apply/negP.
  by rewrite eq_sym token_apart // place_far.
by rewrite token_apart // places_far // eq_sym.
Qed.

Theorem theorem_2_as_printed_is_false : ~ two_suffice R d 2.
Proof.
(* 1. The keyhole is linear in its weights, and two layers of it tell any two sequences apart. *)
move=> /(_ _ (@g 2%N) 2%N (@keyhole_linear R d' 2%N) (@keyhole_two 2%N)).
(* 2. So they would tell apart (4, 8), (4, 12) and (4, 16), ... *)
move=> /(_ _ three three_general) [theta apart].
(* 3. ... but two of these they leave alike. *)
have [i [j [ij alike]]] : exists i j, i != j /\ ~ told_apart (@g 2%N) 2%N theta (three i) (three j).
  apply: (@keyhole_fails R d' 3 4%:R place) => //; last exact: places_far.
  by move=> i; rewrite /place; have := ler0n R i; lra.
by apply: alike; have [] := apart i j (three_orbits ij).
Qed.

End Refuted.
