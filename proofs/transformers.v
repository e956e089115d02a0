(** * Transformers: hardmax, layers, and softmax, for which the numbers are the real ones (any [realType]) *)
From UAT Require Export attention.
From mathcomp.analysis Require Export reals sequences exp.

(** Softmax: the weight of [j] is exp(s_j) / sum_i exp(s_i). *)
Definition softmax (R : realType) (J : finType) (s : J -> R) (j : J) : R :=
  expR (s j) / \sum_i expR (s i).
