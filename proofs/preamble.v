(** * What every file begins with: the algebra of mathcomp, its settings, and the tactics [lia], [ring], [lra] *)
From mathcomp Require Export all_ssreflect fingroup perm ssralg ssrnum ssrint zmodp matrix ring zify.
From UAT Require Export lra.

#[export] Set Implicit Arguments.
#[export] Unset Strict Implicit.
#[export] Unset Printing Implicit Defensive.
Export GRing.Theory Num.Theory Order.Theory.
Open Scope ring_scope.
