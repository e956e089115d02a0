(** * Computing: the Boltzmann operator

    At whole multiples of ln 2, in units of ln 2. *)
From Coq Require Import ZArith QArith.
From UAT Require Import transformers lra_checker.
From UAT.kajitsuka2024 Require Import boltzmann.
From UAT.computing Require Import tables softmax.

Definition boltz_table n (s : nat -> Q) := sum_below n (fun i => Qmult (powers_table n s i) (s i)).
Lemma boltzE (R : realType) n (s : nat -> Q) : all (fun i => is_whole (s i)) (iota 0 n) ->
  boltz (fun i : 'I_n => ln 2%:R * Q2R R (s i)) = ln 2%:R * Q2R R (boltz_table n s).
Proof.
move=> whole; rewrite /boltz sum_belowE mulr_sumr; apply: eq_bigr => i _.
by rewrite (softmaxE _ whole) // Q2RM mulrCA.
Qed.
