(** * What files about real functions begin with: sets, limits and the exponential of mathcomp-analysis *)
From UAT Require Export preamble.
From mathcomp Require Export interval.
From mathcomp.classical Require Export boolp classical_sets.
From mathcomp.analysis Require Export reals signed topology normedtype sequences exp.

Export numFieldNormedType.Exports.
Open Scope classical_set_scope.
Open Scope ring_scope.
