(** * Two facts about tails

    1 + x <= exp(x), so x exp(-x) is largest at 1; and powers of c < 1, to both sides of a place,
    add up to at most 2 / (1 - c). *)
From UAT Require Import analysis.
From mathcomp.analysis Require Import derive.
From UAT.kajitsuka2024 Require boltzmann.
From UAT.liu2025 Require Import smoother.

Notation expR_ge1D := boltzmann.expR_ge1D.

Section Exponential.

Variable R : realType.
Implicit Types x y : R.

(** x exp(-x) is largest at 1. *)
Lemma mul_expRN x : x * expR (- x) <= expR (- 1).
Proof.
have := expR_ge1D (x - 1); rewrite addrC subrK => x_le.
rewrite -(ler_pmul2r (expR_gt0 x)) -mulrA -expRD addNr expR0 mulr1.
by rewrite -expRD addrC.
Qed.

End Exponential.

Section Decay.

(** A sum of powers of [c], to both sides of [k0], is at most 2 / (1 - c). *)
Variables (R : realType) (c : R) (k0 : nat).
Hypotheses (c_ge0 : 0 <= c) (c_lt1 : c < 1).

Definition decay (k : nat) : R :=
  if k == k0 then 0 else c ^+ (if (k < k0)%N then k0 - k.+1 else k - k0.+1)%N.

Let a : R := (1 - c)^-1.
Let potential (k : nat) : R :=
  if (k <= k0)%N then a * c ^+ (k0 - k) else 2%:R * a - a * c ^+ (k - k0.+1).

(** The terms are differences of this potential. *)
Lemma potential_step k : potential k.+1 - potential k = decay k.
Proof.
have c1_neq0 : 1 - c != 0 by rewrite subr_eq0 gt_eqF.
rewrite /potential /decay /a; case: (ltngtP k k0) => [k_lt|k_gt|->].
- by rewrite -(subnSK k_lt) exprS; field.
- by rewrite subSS -(subnSK k_gt) exprS; field.
- by rewrite !subnn expr0; field.
Qed.

(** Powers of c lie between 0 and 1. *)
Lemma c_le1 n : 0 <= c ^+ n <= 1.
Proof. by rewrite exprn_ge0 //= exprn_ile1 // ltW. Qed.

(** Terms are not negative. *)
Lemma decay_ge0 k : 0 <= decay k.
Proof. by rewrite /decay; case: ifP => // _; set m := if _ then _ else _; case/andP: (c_le1 m). Qed.

(** Their sum is a difference of two potentials, so it is at most 2 / (1 - c). *)
Lemma sum_decay P : \sum_(k < P) decay k <= 2%:R / (1 - c).
Proof.
rewrite -(big_mkord xpredT decay).
rewrite (eq_bigr (fun k => potential k.+1 - potential k)) => [|k _]; last first.
  by rewrite potential_step.
rewrite telescope_sumr // ler_subl_addr.
have a_ge0 : 0 <= a by rewrite invr_ge0 subr_ge0 ltW.
have potential0 : 0 <= potential 0.
  by rewrite /potential leq0n mulr_ge0 //; have /andP[] := c_le1 (k0 - 0).
apply: (@le_trans _ _ (2%:R * a)); last by rewrite ler_addl.
rewrite /potential; case: ifP => _.
  have /andP[_ le1] := c_le1 (k0 - P); apply: le_trans (ler_wpmul2l a_ge0 le1) _.
  by rewrite mulr1 ler_pemull // ler1n.
by rewrite ler_subl_addr ler_addl mulr_ge0 //; have /andP[] := c_le1 (P - k0.+1).
Qed.

End Decay.
