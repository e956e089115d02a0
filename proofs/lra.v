(** * Inequalities by certificates: the tactics [lra] and [nra]

    For goals x <= y, x < y and x = y in a [realFieldType], from hypotheses of these forms:
    [lra] finds linear consequences, [nra] multiplies hypotheses first. *)
From Coq Require Import ZArith QArith.
From Coq.micromega Require Import Lra.
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From UAT Require Export lra_checker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.


Lemma from_lt (R : realFieldType) (x y : R) : (y < x -> False) -> x <= y.
Proof. by case: lerP => // yx /(_ isT). Qed.
Lemma from_le (R : realFieldType) (x y : R) : (y <= x -> False) -> x < y.
Proof. by case: ltrP => // yx /(_ isT). Qed.
Lemma from_le_ge (R : realFieldType) (x y : R) : x <= y -> y <= x -> x = y.
Proof. by move=> xy yx; apply/eqP; rewrite eq_le xy. Qed.

Ltac nat_literal n := lazymatch n with O => idtac | S ?n => nat_literal n end.
(* Equal atoms are the same term; in some, hidden arguments are allowed to differ. *)
Ltac same_atom x y :=
  first [constr_eq x y |
    lazymatch x with
    | @BigOp.bigop _ _ _ _ _ => lazymatch y with @BigOp.bigop _ _ _ _ _ => unify x y end
    | @GRing.natmul _ _ _ => lazymatch y with @GRing.natmul _ _ _ => unify x y end
    | @GRing.inv _ _ => lazymatch y with @GRing.inv _ _ => unify x y end
    | @GRing.exp _ _ _ => lazymatch y with @GRing.exp _ _ _ => unify x y end
    end].
Ltac add_atom x l :=
  lazymatch l with
  | nil => constr:(cons x nil)
  | cons ?y ?l' =>
    match goal with
    | _ => let _ := match goal with _ => same_atom x y end in l
    | _ => let l'' := add_atom x l' in constr:(cons y l'')
    end
  end.
Ltac position x l :=
  lazymatch l with
  | cons ?y ?l' =>
    match goal with
    | _ => let _ := match goal with _ => same_atom x y end in constr:(1%positive)
    | _ => let p := position x l' in constr:(Pos.succ p)
    end
  end.
Ltac atoms l t :=
  match t with
  | @GRing.add _ ?x ?y => let l' := atoms l x in atoms l' y
  | @GRing.mul _ ?x ?y => let l' := atoms l x in atoms l' y
  | @GRing.opp _ ?x => atoms l x
  | @GRing.natmul _ ?x ?n => let _ := match goal with _ => nat_literal n end in atoms l x
  | @GRing.exp _ ?x ?n => let _ := match goal with _ => nat_literal n end in atoms l x
  | @GRing.inv _ (@GRing.natmul _ (GRing.one _) ?n) =>
      let _ := match goal with _ => nat_literal n end in l
  | GRing.zero _ => l
  | GRing.one _ => l
  | _ => add_atom t l
  end.
Ltac terms l t :=
  match t with
  | @GRing.add _ ?x ?y => let x' := terms l x in let y' := terms l y in constr:(Add x' y')
  | @GRing.mul _ ?x ?y => let x' := terms l x in let y' := terms l y in constr:(Mul x' y')
  | @GRing.opp _ ?x => let x' := terms l x in constr:(Opp x')
  | @GRing.natmul _ (GRing.one _) ?n =>
      let _ := match goal with _ => nat_literal n end in constr:(Nat n)
  | @GRing.natmul _ ?x ?n =>
      let _ := match goal with _ => nat_literal n end in let x' := terms l x in constr:(Muln x' n)
  | @GRing.exp _ ?x ?n =>
      let _ := match goal with _ => nat_literal n end in let x' := terms l x in constr:(Pow x' n)
  | @GRing.inv _ (@GRing.natmul _ (GRing.one _) ?n) =>
      let _ := match goal with _ => nat_literal n end in constr:(Inv n)
  | GRing.zero _ => constr:(Zero)
  | GRing.one _ => constr:(One)
  | _ => let p := position t l in let p := eval compute in p in constr:(Var p)
  end.
Ltac all_atoms l g :=
  lazymatch g with
  | is_true (@Order.le _ _ ?x ?y) -> ?g => let l := atoms l x in let l := atoms l y in all_atoms l g
  | is_true (@Order.lt _ _ ?x ?y) -> ?g => let l := atoms l x in let l := atoms l y in all_atoms l g
  | ?x = ?y -> ?g => let l := atoms l x in let l := atoms l y in all_atoms l g
  | False => l
  end.
Ltac all_hyps l g :=
  lazymatch g with
  | is_true (@Order.le _ _ ?x ?y) -> ?g =>
    let x := terms l x in let y := terms l y in let g := all_hyps l g in constr:(cons (Le x y) g)
  | is_true (@Order.lt _ _ ?x ?y) -> ?g =>
    let x := terms l x in let y := terms l y in let g := all_hyps l g in constr:(cons (Lt x y) g)
  | ?x = ?y -> ?g =>
    let x := terms l x in let y := terms l y in let g := all_hyps l g in constr:(cons (Eq x y) g)
  | False => constr:(@nil hyp)
  end.

(** All hypotheses about numbers of [T] go into the goal. *)
Ltac gather T :=
  repeat match goal with
  | H : is_true (@Order.le _ _ ?x _ && _) |- _ => case/andP: H; intros
  | H : is_true (@Order.lt _ _ ?x _ && _) |- _ => case/andP: H; intros
  end;
  repeat match goal with
  | H : is_true (@Order.le _ ?O ?x _) |- _ => unify (Order.POrder.sort O) T; revert H
  | H : is_true (@Order.lt _ ?O ?x _) |- _ => unify (Order.POrder.sort O) T; revert H
  | H : @eq ?U ?x _ |- _ => unify U T; revert H
  end.

Ltac certify R oracle :=
  lazymatch goal with |- ?g =>
    let l := all_atoms (@nil (Num.RealField.sort R)) g in
    let hs := all_hyps l g in
    let f := eval vm_compute in (formulas hs) in
    let env := constr:(fun p => List.nth (Nat.pred (Pos.to_nat p)) l (0 : Num.RealField.sort R)) in
    let w := fresh "w" in
    oracle w f;
    exact (@absurd_sound R hs w (eq_refl true <: check (formulas hs) w = true) env)
  end.

(** The field whose numbers are the elements of the type of [x]. *)
Lemma same_field (R : realFieldType) (x : R) : True. Proof. by []. Qed.
Ltac field_of x :=
  let e := constr:(@same_field _ x) in
  lazymatch e with @same_field ?R _ => R end.

Ltac run oracle :=
  intros;
  lazymatch goal with
  | |- is_true (@Order.le _ _ ?x ?y) => 
      let R := field_of x in apply: from_lt; intro; gather (Num.RealField.sort R); certify R oracle
  | |- is_true (@Order.lt _ _ ?x ?y) => 
      let R := field_of x in apply: from_le; intro; gather (Num.RealField.sort R); certify R oracle
  | |- is_true (_ && _) => apply/andP; split; run oracle
  | |- ?x = ?y => apply: from_le_ge; run oracle
  end.
Ltac lra_oracle w f := wlra_Q w f.
Ltac nra_oracle w f := wnra_Q w f.
Ltac lra := run lra_oracle.
Ltac nra := run nra_oracle.
