(** * Inequalities by certificates: the checker

    The tactics [lra] and [nra] of Coq (Micromega), for every [realFieldType]; lra.v has the
    tactics. An oracle of Coq finds a certificate. That it proves the inequality is checked by a
    function that is proved right here. Nothing in these two files need be believed. *)
From Coq Require Import ZArith QArith Setoid Ring_theory List.
From Coq.micromega Require Import OrderedRing RingMicromega Refl Tauto Lra.
From Coq.micromega Require Import EnvRing.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint zify.
From mathcomp Require Import ssrZ.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Checker.

Variable R : realFieldType.

Lemma ordered : @SOR R 0 1 +%R *%R (fun x y => x - y) -%R eq (fun x y => x <= y) (fun x y => x < y).
Proof.
split=> //.
- exact: RelationClasses.eq_equivalence.
- by move=> ? ? -> ? ? ->.
- by move=> ? ? -> ? ? ->.
- by move=> ? ? ->.
- by move=> ? ? -> ? ? ->.
- by move=> ? ? -> ? ? ->.
- split=> // *.
  + exact: add0r.
  + exact: addrC.
  + exact: addrA.
  + exact: mul1r.
  + exact: mulrC.
  + exact: mulrA.
  + exact: mulrDl.
  + exact: subrr.
- by move=> x y xy yx; apply/eqP; rewrite eq_le xy.
- by move=> x y z; apply: le_trans.
- move=> x y; split=> [xy|[xy /eqP ne]]; last by rewrite lt_neqAle ne.
  by split; [exact: ltW | move=> eq_xy; rewrite eq_xy ltxx in xy].
- by move=> x y; case: (ltgtP x y) => [||->]; [left | right; right | right; left].
- by move=> x y z xy; rewrite ler_add2l.
- exact: mulr_gt0.
- by move/eqP; rewrite eq_sym oner_eq0.
Qed.

Definition Z2R (z : Z) : R := (int_of_Z z)%:~R.
Definition Q2R (q : Q) : R := Z2R (Qnum q) / Z2R (Zpos (Qden q)).

Lemma Z2R_morph : (forall x y, Z2R (x + y) = Z2R x + Z2R y) *
  (forall x y, Z2R (x * y) = Z2R x * Z2R y) * (forall x, Z2R (- x) = - Z2R x).
Proof.
split; [split|] => [x y|x y|x]; rewrite /Z2R.
- by rewrite -intrD -[in RHS]raddfD.
- by rewrite -intrM -[in RHS]rmorphM.
- by rewrite -mulrNz -[in RHS]raddfN.
Qed.

Lemma Z2R_pos p : 0 < Z2R (Zpos p).
Proof. by rewrite /Z2R ltr0z /=; lia. Qed.
Lemma Z2R_pos0 p : Z2R (Zpos p) != 0.
Proof. by rewrite gt_eqF ?Z2R_pos. Qed.

Lemma Q2R_le x y : Qle_bool x y = true -> Q2R x <= Q2R y.
Proof.
move/Qle_bool_iff; rewrite /Qle /Q2R => le_xy.
rewrite ler_pdivr_mulr ?Z2R_pos // mulrAC ler_pdivl_mulr ?Z2R_pos // -!Z2R_morph.
by rewrite /Z2R ler_int; lia.
Qed.

Lemma Q2R_eq x y : Qeq_bool x y = true -> Q2R x = Q2R y.
Proof.
move/Qeq_bool_iff; rewrite /Qeq /Q2R => eq_xy.
by apply/eqP; rewrite eqr_div ?Z2R_pos0 // -!Z2R_morph eq_xy.
Qed.

Lemma Q2R_neq x y : Qeq_bool x y = false -> Q2R x <> Q2R y.
Proof.
move/Qeq_bool_neq; rewrite /Qeq /Q2R => ne_xy.
move/eqP; rewrite eqr_div ?Z2R_pos0 // -!Z2R_morph => /eqP /intr_inj.
by move/(can_inj int_of_ZK).
Qed.

Definition power (x : R) (n : nat) := x ^+ n.

Lemma coefficients : @SORaddon R 0 1 +%R *%R (fun x y => x - y) -%R eq (fun x y => x <= y)
  Q 0%Q 1%Q Qplus Qmult Qminus Qopp Qeq_bool Qle_bool Q2R nat N.to_nat power.
Proof.
have D x y : Q2R (x + y) = Q2R x + Q2R y.
  rewrite /Q2R /= !Z2R_morph addf_div ?Z2R_pos0 //; congr (_ / _).
  by rewrite -Z2R_morph.
have N x : Q2R (- x) = - Q2R x by rewrite /Q2R /= Z2R_morph mulNr.
split; last exact: Q2R_le; last exact: Q2R_neq; last first.
  split=> x [|p] //=; rewrite /power.
  by elim: p => [p IH|p IH|] //=; rewrite -IH -exprD -?exprS; congr (_ ^+ _); lia.
split=> //.
- by rewrite /Q2R mul0r.
- by rewrite /Q2R divff // Z2R_pos0.
- by move=> x y; rewrite D N.
- move=> x y; rewrite /Q2R /= Z2R_morph mulf_div; congr (_ / _).
  by rewrite -Z2R_morph.
- exact: Q2R_eq.
Qed.

(** ** Terms *)

Inductive term := Var of positive | Nat of nat | Inv of nat | Add of term & term
  | Opp of term | Mul of term & term | Muln of term & nat | Pow of term & nat | Zero | One.

Fixpoint value (env : positive -> R) t : R :=
  match t with
  | Var p => env p | Nat n => n%:R | Inv n => n%:R^-1 | Zero => 0 | One => 1
  | Add t u => value env t + value env u | Opp t => - value env t
  | Mul t u => value env t * value env u | Muln t n => value env t *+ n
  | Pow t n => value env t ^+ n
  end.

Definition of_nat n : Q := Z.of_nat n # 1.
Fixpoint expr t : PExpr Q :=
  match t with
  | Var p => PEX p | Nat n => PEc (of_nat n) | Inv n => PEc (Qinv (of_nat n))
  | Zero => PEc 0%Q | One => PEc 1%Q
  | Add t u => PEadd (expr t) (expr u) | Opp t => PEopp (expr t)
  | Mul t u => PEmul (expr t) (expr u)
  | Muln t n => PEmul (expr t) (PEc (of_nat n)) | Pow t n => PEpow (expr t) (N.of_nat n)
  end.

Definition evaluate env := eval_pexpr +%R *%R (fun x y : R => x - y) -%R Q2R N.to_nat power env.

Lemma Z2R_nat n : Z2R (Z.of_nat n) = n%:R.
Proof. by rewrite /Z2R; have -> : int_of_Z (Z.of_nat n) = n%:Z by lia. Qed.
Lemma Q2R_nat n : Q2R (of_nat n) = n%:R.
Proof. by rewrite /Q2R /= Z2R_nat (_ : Z2R 1 = 1) // divr1. Qed.

Lemma Q2R_inv n : Q2R (Qinv (of_nat n)) = n%:R^-1.
Proof.
rewrite -[in RHS]Z2R_nat /Q2R /of_nat; case: n => [|n] /=; first by rewrite /Z2R /= !mul0r invr0.
by rewrite (_ : Z2R 1 = 1) // div1r.
Qed.

Lemma valueE env t : value env t = evaluate env (expr t).
Proof.
rewrite /evaluate; elim: t => //=; rewrite ?Q2R_nat ?Q2R_inv //.
- by move=> n; rewrite Q2R_nat.
- by move=> n; rewrite Q2R_inv.
- by move=> t -> u ->.
- by move=> t ->.
- by move=> t -> u ->.
- by move=> t -> n; rewrite Q2R_nat mulr_natr.
- by move=> t -> n; rewrite /power Nnat.Nat2N.id.
- by rewrite /Q2R mul0r.
- by rewrite /Q2R divff // Z2R_pos0.
Qed.

(** ** Formulas: hypotheses that end in a contradiction *)

Inductive hyp := Le of term & term | Lt of term & term | Eq of term & term.

Definition holds env h : Prop :=
  match h with
  | Le t u => value env t <= value env u | Lt t u => value env t < value env u
  | Eq t u => value env t = value env u
  end.
Fixpoint absurd env hs : Prop := if hs is h :: hs then holds env h -> absurd env hs else False.

Definition formula h : Formula Q :=
  match h with
  | Le t u => Build_Formula (expr t) OpLe (expr u) | Lt t u => Build_Formula (expr t) OpLt (expr u)
  | Eq t u => Build_Formula (expr t) OpEq (expr u)
  end.
Fixpoint formulas hs : BFormula (Formula Q) isProp :=
  if hs is h :: hs then IMPL (A isProp (formula h) tt) None (formulas hs) else FF isProp.

Definition op2 (k : kind) (o : Op2) (x y : R) : rtyp k :=
  let b := match o with
    | OpEq => x == y | OpNEq => x != y | OpLe => x <= y | OpGe => y <= x
    | OpLt => x < y | OpGt => y < x end in
  match k with isProp => is_true b | isBool => b end.

Definition eval_fm env (k : kind) (f : Formula Q) : rtyp k :=
  let (l, o, r) := f in op2 k o (evaluate env l) (evaluate env r).

Lemma eval_fmE env k f : hold k (eval_fm env k f) <->
  eval_formula +%R *%R (fun x y => x - y) -%R eq (fun x y => x <= y) (fun x y => x < y)
    Q2R N.to_nat power env f.
Proof.
case: f => l o r; have -> : hold k (eval_fm env k (Build_Formula l o r))
  = hold isBool (op2 isBool o (evaluate env l) (evaluate env r)) by case: k.
case: o => //=; [split=> /eqP // | ].
by split=> [/eqP|/eqP].
Qed.

Definition eval_nf := eval_nformula 0 +%R *%R eq (fun x y : R => x <= y) (fun x y => x < y) Q2R.

Definition check (f : BFormula (Formula Q) isProp) (w : list (Psatz Q)) : bool :=
  @tauto_checker (Formula Q) (NFormula Q) unit
    (check_inconsistent 0%Q Qeq_bool Qle_bool) (nformula_plus_nformula 0%Q Qplus Qeq_bool)
    (@cnf_normalise Q 0%Q 1%Q Qplus Qmult Qminus Qopp Qeq_bool Qle_bool unit)
    (@cnf_negate Q 0%Q 1%Q Qplus Qmult Qminus Qopp Qeq_bool Qle_bool unit)
    (Psatz Q) (fun cl => check_normalised_formulas 0%Q 1%Q Qplus Qmult Qeq_bool Qle_bool
      (List.map fst cl)) f w.

Lemma check_sound f w : check f w -> forall env, eval_bf (eval_fm env) f.
Proof.
move=> checked env; rewrite /check in checked.
refine (@tauto_checker_sound (positive -> R) _ _ _ _ _ _ _ (@eval_nf) _ _ _ (@eval_fm) _ _
  _ _ _ _ _ checked env)
  => {checked}.
- exact: (eval_nformula_dec ordered Q2R).
- by case=> p o /(check_inconsistent_sound ordered coefficients).
- move=> t t' u ded e Ht Ht'.
  exact: (nformula_plus_nformula_correct ordered coefficients e t t' Ht Ht' ded).
- move=> e b t tg H; apply/eval_fmE; exact/(cnf_normalise_correct ordered coefficients e t tg).
- move=> e b t tg H; apply/hold_eNOT; rewrite eval_fmE.
  exact/(cnf_negate_correct ordered coefficients e t tg).
move=> t w0 H e; apply/(make_impl_map (eval_nf e)) => [x //|].
exact: (checker_nf_sound ordered coefficients _ _ H).
Qed.

Theorem absurd_sound hs w : check (formulas hs) w -> forall env, absurd env hs.
Proof.
move=> /check_sound sound env; move: {sound}(sound env).
elim: hs => //= h hs IH; rewrite /eval_bf /= => imp h_holds; apply/IH/imp => {imp}.
by case: h h_holds => t u; rewrite /= !valueE // => ->.
Qed.

End Checker.
