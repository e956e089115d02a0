(** * Kajitsuka and Sato (2024), Lemma 4 (monotonicity)

    The derivative of the Boltzmann operator in a_i is p_i (1 + log p_i + S(p)), and the operator
    falls in a_i where a_i < max_j a_j - log n - 1. For all n and all vectors, as printed. The
    fall is proved without the derivative: by the sums of (t - V) exp(t). *)
From UAT Require Import transformers analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import derive realfun.
From UAT.kajitsuka2024 Require Import boltzmann first_difference.

Section Lemma4.

Variables (R : realType) (J : finType).
Implicit Types (a : J -> R) (i m : J) (s t : R).

(** The vector a with t in the place of a_i. *)
Definition set_entry a i t (j : J) : R := if j == i then t else a j.

(** With a_i itself in the place of a_i the vector is a. *)
Lemma set_entry_id a i : set_entry a i (a i) = a.
Proof. by apply/funext => j; rewrite /set_entry; case: eqP => [->|]. Qed.

(** A sum over all entries, with t in the place of one of them. *)
Lemma sum_set_entry (F : R -> R) a i t :
  \sum_j F (set_entry a i t j) = F t + \sum_(j | j != i) F (a j).
Proof.
rewrite (bigD1 i) //= {1}/set_entry eqxx; congr (_ + _).
by apply: eq_bigr => j /negPf ne; rewrite /set_entry ne.
Qed.

(** The number by which the weight is multiplied in the derivative. *)
Definition pull a i : R := 1 + a i - boltz a.

(** The pull is the factor 1 + log p_i + S(p) of the lemma. *)
Lemma pullE a i : pull a i = 1 + ln (softmax a i) + entropy (softmax a).
Proof. by rewrite /pull ln_softmax (boltz_entropy a i); lra. Qed.

Section Derivatives.

Variables (a : J -> R) (i : J).
Let A := \sum_(j | j != i) expR (a j).
Let B := \sum_(j | j != i) a j * expR (a j).

(** The weight of the entry t. *)
Lemma weight_set_entry t : softmax (set_entry a i t) i = expR t / (expR t + A).
Proof.
by rewrite /softmax (sum_set_entry expR) {1}/set_entry eqxx.
Qed.

(** The sum of the weights is positive. *)
Lemma others_gt0 t : 0 < expR t + A.
Proof. by rewrite ltr_paddr ?expR_gt0 // sumr_ge0 // => j _; rewrite expR_ge0. Qed.

(** The value, as a function of the entry t. *)
Lemma boltz_set_entry t : boltz (set_entry a i t) = (t * expR t + B) / (expR t + A).
Proof.
apply: (mulIf (lt0r_neq0 (others_gt0 t))); rewrite divfK ?lt0r_neq0 ?others_gt0 //.
have := boltz_sum (set_entry a i t) 0; rewrite subr0 /partition (sum_set_entry expR) => ->.
under eq_bigr do rewrite subr0.
by rewrite (sum_set_entry (fun u => u * expR u)).
Qed.

(** The derivative of the sum of weights. *)
Lemma is_derive_partition t : is_derive t 1 (expR + cst A) (expR t).
Proof. by apply: is_derive_eq; rewrite addr0. Qed.

(** The derivative of its inverse. *)
Lemma is_derive_inverse t :
  is_derive t 1 (fun u => (expR u + A)^-1) (- expR t / (expR t + A) ^+ 2).
Proof.
have ne : (expR + cst A) t != 0 by rewrite lt0r_neq0 ?others_gt0.
apply: is_derive_eq (is_deriveV ne (is_derive_partition t)) _.
by rewrite /= scaleNr mulNr mulrC.
Qed.

(** The derivative of the weight p is p (1 - p). *)
Lemma is_derive_weight t : let p := softmax (set_entry a i t) i in
  is_derive t 1 (fun u => softmax (set_entry a i u) i) (p * (1 - p)).
Proof.
rewrite /= (_ : (fun u => _) = expR * (fun u => (expR u + A)^-1)); last first.
  by apply/funext => u; rewrite weight_set_entry.
apply: is_derive_eq (is_deriveM (is_derive_expR t) (is_derive_inverse t)) _.
rewrite weight_set_entry /GRing.scale /=; have := others_gt0 t.
by move: (expR t) A => E Z pos; field; rewrite lt0r_neq0.
Qed.

(** The derivative of the value is the weight times the pull. *)
Lemma is_derive_boltz t : let a' := set_entry a i t in
  is_derive t 1 (fun u => boltz (set_entry a i u)) (softmax a' i * pull a' i).
Proof.
rewrite /= (_ : (fun u => _) = (id * expR + cst B) * (fun u => (expR u + A)^-1)); last first.
  by apply/funext => u; rewrite boltz_set_entry.
apply: is_derive_eq (is_deriveM _ (is_derive_inverse t)) _.
rewrite weight_set_entry /pull boltz_set_entry {1}/set_entry eqxx /GRing.scale /=.
rewrite -[(id * expR + cst B) t]/(t * expR t + B).
have := others_gt0 t.
by move: (expR t) A B => E Z N pos; field; rewrite lt0r_neq0.
Qed.

End Derivatives.

(** An entry that is more than 1 below the value pulls it down as it rises. *)
Lemma boltz_falls_below a i s t : s < t -> t <= boltz (set_entry a i t) - 1 ->
  boltz (set_entry a i t) < boltz (set_entry a i s).
Proof.
set V := boltz (set_entry a i t) => st tV; rewrite -subr_gt0.
have Z_gt0 := partition_gt0 (set_entry a i s) i.
rewrite -(pmulr_lgt0 _ Z_gt0) boltz_sum (sum_set_entry (fun u => (u - V) * expR u)).
have := boltz_sum (set_entry a i t) V; rewrite subrr mul0r.
rewrite (sum_set_entry (fun u => (u - V) * expR u)).
by have := weighted_falls st tV; lra.
Qed.

(** The two halves of Lemma 4. [m] is any entry, in particular the largest. *)
Theorem lemma_4 a i :
  is_derive (a i) 1 (fun t => boltz (set_entry a i t))
    (softmax a i * (1 + ln (softmax a i) + entropy (softmax a)))
  /\ (forall s t m, s < t -> t < set_entry a i t m - ln #|J|%:R - 1 ->
      boltz (set_entry a i t) < boltz (set_entry a i s)).
Proof.
(* 1. The derivative of the value, as computed above for any t in the place of a_i, is taken at a_i. *)
split=> [|s t m st t_low].
  by have := is_derive_boltz a i (a i); rewrite /= set_entry_id pullE.
(* 2. For the second half: the value falls in an entry for as long as that is 1 below the value or more. *)
apply: boltz_falls_below st _.
(* 3. It is, for the value lags behind the largest entry by log n at most. *)
by have := boltz_ge_max (set_entry a i t) m; lra.
Qed.

End Lemma4.
