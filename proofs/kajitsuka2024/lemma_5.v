(** * Kajitsuka and Sato (2024), Lemma 5 (concavity)

    The second derivative of the Boltzmann operator in a_i is
    p_i (1 + (1 - 2 p_i) (1 + log p_i + S(p))), and it is negative where
    a_i < max_j a_j - log n - 3. For all n and all vectors, as printed. *)
From UAT Require Import transformers analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import derive realfun.
From UAT.kajitsuka2024 Require Import boltzmann first_difference lemma_4.

Section Lemma5.

Variables (R : realType) (J : finType).
Implicit Types (a : J -> R) (i m : J) (s t : R).

(** The derivative of the pull is 1 less that of the value. *)
Lemma is_derive_pull a i t : let a' := set_entry a i t in
  is_derive t 1 (fun u => pull (set_entry a i u) i) (1 - softmax a' i * pull a' i).
Proof.
rewrite /= (_ : (fun u => _) = cst 1 + id - (fun u => boltz (set_entry a i u))); last first.
  by apply/funext => u; rewrite /pull {1}/set_entry eqxx.
have D := is_derive_boltz a i t.
by apply: is_derive_eq; rewrite add0r.
Qed.

(** The derivative of the derivative, by the rule for products. *)
Lemma second_derivative a i t : let a' := set_entry a i t in
  is_derive t 1 ('D_1 (fun u => boltz (set_entry a i u)))
    (softmax a' i * (1 + (1 - 2%:R * softmax a' i) * pull a' i)).
Proof.
have -> : 'D_1 (fun u => boltz (set_entry a i u))
    = (fun u => softmax (set_entry a i u) i) * (fun u => pull (set_entry a i u) i).
  by apply/funext => u; rewrite (@derive_val _ _ _ _ _ _ _ (is_derive_boltz a i u)).
apply: is_derive_eq (is_deriveM (is_derive_weight a i t) (is_derive_pull a i t)) _.
rewrite /GRing.scale /=; ring.
Qed.

(** A weight far below the largest entry is less than 1/4. *)
Lemma weight_small a i m : a i < a m - 3%:R -> softmax a i < 1 / 4%:R.
Proof.
move=> low; apply: (@le_lt_trans _ _ (expR (a i - a m))).
  by rewrite expRB ler_pdivr_mulr ?(partition_gt0 a i) // mulrAC ler_pdivl_mulr ?expR_gt0 //
    ler_pmul2l ?expR_gt0 ?partition_ge.
rewrite -opprB expRN -div1r ltr_pdivr_mulr ?expR_gt0 //.
by have := expR_gt1D (_ : a m - a i != 0); rewrite gt_eqF => [/(_ isT)|]; lra.
Qed.

(** Lemma 5: [d2] is the second derivative, and negative. *)
Theorem lemma_5 a i m : a i < a m - ln #|J|%:R - 3%:R ->
  let d2 := softmax a i * (1 + (1 - 2%:R * softmax a i)
                               * (1 + ln (softmax a i) + entropy (softmax a))) in
  is_derive (a i) 1 ('D_1 (fun t => boltz (set_entry a i t))) d2 /\ d2 < 0.
Proof.
(* 1. The second derivative, as computed above, is a product of the weight and another factor. So it is
   enough that this one is negative. *)
move=> low /=; rewrite -pullE; split.
  by have := second_derivative a i (a i); rewrite /= set_entry_id.
have log := log_ge0 R i; have p_gt0 : 0 < softmax a i.
  by rewrite divr_gt0 ?expR_gt0 ?(partition_gt0 a i).
rewrite pmulr_rlt0 //.
(* 2. The weight is [small], less than 1/4, as the entry is 3 below another one at least. *)
have small : softmax a i < 1 / 4%:R by apply: (@weight_small a i m); lra.
(* 3. The pull of the entry is less than -2, as the value is near the largest entry; so the factor is
   negative. *)
have : pull a i < - 2%:R by have := boltz_ge_max a m; rewrite /pull; lra.
by move: (softmax a i) (pull a i) p_gt0 small => p c; nra.
Qed.

End Lemma5.
