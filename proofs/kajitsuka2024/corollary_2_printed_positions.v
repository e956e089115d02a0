(** * Kajitsuka and Sato (2024), Corollary 2: the printed positions (48) do not keep tokens apart

    The printed proof says that with E_k = 2 k r_max (1, ..., 1) the sequences X + E are tokenwise
    (r_max, (2 n + 1) r_max, eps)-separated. They are not: for d = 1, n = 2 and r_max = 1, the
    sequence (9/10, -9/10) is (1/2, 1, 1)-separated, and becomes (29/10, 31/10). The corollary
    holds with other positions: corollary_2.v. *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import definitions.

Section PrintedPositions.

Variable R : rcfType.

(** The positions (48), as printed: each entry at place k is 2 k r_max. *)
Definition printed_positions d n (r_max : R) : 'M[R]_(d, n) :=
  \matrix_(i, k) (2%:R * k.+1%:R * r_max).

(** A sequence of two numbers, 9/10 and - 9/10. *)
Definition two_tokens (i : unit) : 'M[R]_(1, 2) :=
  \matrix_(_, k) (if k == 0 then 9%:R / 10%:R else - (9%:R / 10%:R)).

(** In dimension 1 the length is the absolute value. *)
Lemma norm_1 (x : 'cV[R]_1) : norm x = `|x 0 0|.
Proof. by rewrite /norm /dot big_ord1 -expr2 sqrtr_sqr. Qed.

(** There are two places. *)
Lemma two (k : 'I_2) : k = 0 \/ k = 1.
Proof. by case: k => -[|[]] // lt; [left | right]; apply: val_inj. Qed.

(** The sequence is separated, and with the printed positions it is not. *)
Theorem printed_positions_fail : separated two_tokens (1 / 2%:R) 1 1 /\
  ~ separated (fun i => two_tokens i + printed_positions 1 2 1) 1 (2%:R * 2%:R + 1) 1.
Proof.
(* 1. The tokens 9/10 and -9/10 have the size 9/10, and are 18/10 apart: so the sequence is separated. *)
split.
  split=> [i k|i k|i j k l]; rewrite ?norm_1 ?mxE.
  - by case: (two k) => ->; rewrite ?eqxx /= ltr_normr; apply/orP; [left | right]; lra.
  - by case: (two k) => ->; rewrite ?eqxx /= ltr_norml; lra.
  case: (two k) (two l) => -> [] -> ne; rewrite ?eqxx in ne *; rewrite ?mxE //=.
    by rewrite ltr_normr; apply/orP; left; lra.
  by rewrite ltr_normr; apply/orP; right; lra.
(* 2. With the positions they are 29/10 and 31/10, which is 2/10 apart, where [far] asks for more than 1. *)
move=> [_ _ /(_ tt tt 0 1)]; rewrite norm_1 !mxE /= => far.
suff : (1 : R) < 1 by rewrite ltxx.
apply: lt_trans (far _) _; last by rewrite modn_small // ltr_norml; lra.
by apply/eqP => /colP/(_ 0)/eqP; rewrite !mxE /= modn_small // lt_eqF //; lra.
Qed.

End PrintedPositions.
