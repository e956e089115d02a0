(** * One head of rank one under a mask, and what a token hears through it *)
From UAT Require Import transformers analysis.
From mathcomp Require Import mxalgebra.
From UAT.kajitsuka2024 Require Import definitions boltzmann inner_product rank_one masked_layers sorted_lists.

(** The tokens that column k sees: a list, compared as a set. *)
Definition seen (R : Type) d n (sees : rel 'I_n) (X : 'M[R]_(d, n)) k : seq 'cV[R]_d :=
  [seq col i X | i <- enum 'I_n & sees i k].

Section MaskedHead.

Variables (R : realType) (d s : nat) (v w : 'cV[R]_d) (beta : R).
Variables (n : nat) (X : 'M[R]_(d, n)) (sees : rel 'I_n) (k : 'I_n).
Notation sh := (shadow v X).

(** What token k hears: the mean of the shadows that the mask lets it see, with softmax weights. *)
Definition masked_heard : R :=
  \sum_i masked_softmax (fun i => sees i k) (fun i => beta * sh i * sh k) i * sh i.

(** Under a mask, too, the head adds to a token a multiple of w: what it hears. *)
Lemma masked_rank_one :
  col k (masked_attention sees [:: rank_one_head s v w beta] X) = col k X + masked_heard *: w.
Proof.
rewrite /masked_attention big_seq1 linearD /=; congr (_ + _).
rewrite /masked_head; set S := (\matrix_(i, k) _).
rewrite /= -!mulmxA (mulmxA (unit_1 R s)^T) unit_1E mul1mx.
apply/colP => i; rewrite mxE mxE big_ord1 [RHS]mxE mulrC; congr (_ * _).
rewrite mulmxA mxE; apply: eq_bigr => j _; rewrite shadowE mulrC; congr (_ * _).
by rewrite mxE; congr (masked_softmax _ _ _); apply/funext => i'; apply: scores.
Qed.

Hypothesis self : sees k k.

(** Its scores, as a list, and their operator. *)
Lemma masked_boltz : beta * sh k * masked_heard
  = boltz_list [seq beta * dot v y * sh k | y <- seen sees X k].
Proof.
rewrite /seen -map_comp.
rewrite (@boltz_listE R _ (fun i => sees i k) (fun i => beta * sh i * sh k)); last exact: perm_refl.
rewrite /masked_heard mulr_sumr big_mkcond mulr_suml [RHS]big_mkcond /=.
apply: eq_bigr => i _; rewrite /masked_softmax; case: (sees i k); last by rewrite mul0r mulr0.
by move: (_^-1) (expR _) => z e; ring.
Qed.

(** What is heard is an average. *)
Lemma masked_heard_le (r : R) : (forall j, sees j k -> `|sh j| <= r) -> `|masked_heard| <= r.
Proof.
move=> le_r; apply: le_trans (ler_norm_sum _ _ _) _.
set sc := fun i => beta * sh i * sh k; set Z := \sum_(i | sees i k) expR (sc i).
have Z0 : 0 < Z.
  by rewrite /Z (bigD1 k) //= ltr_paddr ?expR_gt0 // sumr_ge0 // => *; exact: expR_ge0.
have -> : r = \sum_i masked_softmax (fun i => sees i k) sc i * r.
  rewrite -mulr_suml -[LHS]mul1r; congr (_ * _); rewrite -(divff (negbT (gt_eqF Z0))) {1}/Z.
  by rewrite mulr_suml big_mkcond.
apply: ler_sum => i _; rewrite /masked_softmax; case: ifP => [i_k|]; last by rewrite !mul0r normr0.
have p0 : 0 <= expR (sc i) / Z by rewrite divr_ge0 ?expR_ge0 ?ltW.
by rewrite normrM ger0_norm // ler_wpmul2l // le_r.
Qed.

End MaskedHead.
