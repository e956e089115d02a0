(** * Kajitsuka and Sato (2024): Definitions 1 and 2

    Sequences are matrices, one column a token; a family of them is indexed by any type [I] (the
    paper has the numbers from 1 to N). The norm is the Euclidean one, as in the paper. *)
From UAT Require Import preamble.

Section Definitions.

Variable R : rcfType.

(** The scalar product of two columns. *)
Definition dot d (x y : 'cV[R]_d) : R := \sum_i x i 0 * y i 0.
(** The Euclidean length of a column. *)
Definition norm d (x : 'cV[R]_d) : R := Num.sqrt (dot x x).

(** The vocabulary of a sequence: the list of its tokens; [=i] compares lists as sets. *)
Definition vocabulary d n (X : 'M[R]_(d, n)) : seq 'cV[R]_d := [seq col k X | k <- enum 'I_n].

Variables (I : Type) (d n : nat) (X : I -> 'M[R]_(d, n)).

(** No token occurs twice in a sequence: condition (6), which is meant for k != l alone. *)
Definition no_duplicates := forall i, injective (fun k => col k (X i)).

(** Definition 1: norms of tokens are between r_min and r_max, and different tokens more than delta apart. *)
Definition separated (r_min r_max delta : R) :=
  [/\ forall i k, r_min < norm (col k (X i)),
      forall i k, norm (col k (X i)) < r_max &
      forall i j k l, col k (X i) != col l (X j) -> delta < norm (col k (X i) - col l (X j))].

(** Definition 2: what tokens become is shorter than r, and more than delta apart where tokens or contexts differ. *)
Definition contextual (r delta : R) (q : 'M[R]_(d, n) -> 'M[R]_(d, n)) :=
  (forall i k, norm (col k (q (X i))) < r) /\
  (forall i j k l, ~ (vocabulary (X i) =i vocabulary (X j)) \/ col k (X i) != col l (X j) ->
    delta < norm (col k (q (X i)) - col l (q (X j)))).

End Definitions.
