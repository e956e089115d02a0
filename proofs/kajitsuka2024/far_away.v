(** * Proposition 1 of Kajitsuka and Sato (2024), second block: what a head of rank one hears

    At a sharpness beta <= 0. If all readings are whole numbers, it hears the average of
    multisets.v. If some token has a very low reading (an entry of it lies outside the box), then
    all tokens get low ids: one that reads 0 or more listens to the lowest most of all, and one
    that reads less is low itself. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import definitions boltzmann inner_product rank_one multisets.

Section Heard.

Variables (R : realType) (d n : nat) (v : 'cV[R]_d) (X : 'M[R]_(d, n.+1)).
Notation sh := (shadow v X).

(** For whole readings the head hears the average of multisets.v. *)
Lemma heard_hears (z : R) (a : 'I_n.+1 -> nat) k : 0 < z -> (forall j, sh j = (a j)%:R) ->
  heard v (ln z) X k = hears z a (a k).
Proof.
move=> z_gt0 sh_a; have weight j : expR (ln z * sh j * sh k) = z ^+ (a k * a j).
  by rewrite !sh_a -mulrA -natrM mulrC expRMm lnK // mulnC.
rewrite /heard /hears mulr_suml; apply: eq_bigr => j _.
rewrite /softmax weight (eq_bigr (fun i => z ^+ (a k * a i))) => [|i _]; last exact: weight.
by rewrite mulrAC -sh_a.
Qed.

Definition score (beta : R) k i : R := beta * sh i * sh k.

(** What is heard is a mean of readings. *)
Lemma heardE beta k : heard v beta X k = \sum_j softmax (score beta k) j * sh j.
Proof. by []. Qed.

(** What is heard is at most the largest reading. *)
Lemma heard_le_top (beta M : R) k : (forall j, sh j <= M) -> heard v beta X k <= M.
Proof.
move=> le_M; rewrite heardE; set s := score beta k.
rewrite -[leRHS]mul1r -(softmax_sum1 s k) mulr_suml.
by apply: ler_sum => j _; rewrite ler_wpmul2l ?softmax_ge0.
Qed.

(** The largest of n weights is at least 1 / n. *)
Lemma softmax_top (s : 'I_n.+1 -> R) m : (forall j, s j <= s m) -> n.+1%:R^-1 <= softmax s m.
Proof.
move=> top; rewrite /softmax -/(partition s) ler_pdivl_mulr ?(partition_gt0 s m) //.
rewrite mulrC ler_pdivr_mulr ?ltr0n //.
apply: (@le_trans _ _ (\sum_(i < n.+1) expR (s m))).
  by apply: ler_sum => i _; rewrite ler_expR.
by rewrite sumr_const card_ord mulr_natr.
Qed.

(** Who reads 0 or more hears the lowest, with at least this weight. *)
Lemma heard_low (beta M : R) j0 k : beta <= 0 -> (forall j, sh j <= M) -> 0 <= sh k ->
  heard v beta X k <= M + (sh j0 - M) / n.+1%:R.
Proof.
move=> beta_le0 le_M k_ge0; rewrite heardE; set s := score beta k.
(* 1. The lowest reading has the largest score, ... *)
have [m _ low] := @arg_minP _ _ _ j0 predT sh isT.
have top j : s j <= s m.
  by rewrite /s /score -!mulrA ler_wnmul2l // ler_wpmul2r // low.
(* 2. ... so the weight 1 / n or more; all others hear at most M. *)
have -> : \sum_j softmax s j * sh j = M + \sum_j softmax s j * (sh j - M).
  under [in RHS]eq_bigr do rewrite mulrBr.
  by rewrite sumrB -mulr_suml (softmax_sum1 s k) mul1r addrC subrK.
rewrite ler_add2l (bigD1 m) //= -[leRHS]addr0; apply: ler_add; last first.
  rewrite -oppr_ge0 -sumrN sumr_ge0 // => j _.
  by rewrite -mulrN mulr_ge0 ?softmax_ge0 // opprB subr_ge0.
rewrite mulrC; apply: (@le_trans _ _ ((sh m - M) / n.+1%:R)).
  by rewrite ler_wnmul2l ?subr_le0 // softmax_top.
by rewrite ler_pmul2r ?invr_gt0 ?ltr0n // ler_add2r low.
Qed.

(** If one reading is very low, then all ids are low. An id is a reading and a share omega of what is heard. *)
Theorem id_far (beta M omega : R) j0 k : beta <= 0 -> 1 <= M -> omega = (2%:R * M)^-1 ->
  (forall j, sh j <= M) -> sh j0 <= M - n.+1%:R * (M + 2%:R * M * M) ->
  sh k + omega * heard v beta X k <= 2%:R^-1.
Proof.
move=> beta_le0 M_ge1 omegaE le_M far; have M_gt0 : 0 < M by apply: lt_le_trans M_ge1.
have omega_gt0 : 0 < omega by rewrite omegaE invr_gt0 mulr_gt0 ?ltr0n.
have omega_M : omega * M = 2%:R^-1 by rewrite omegaE invfM -mulrA mulVf ?mulr1 // gt_eqF.
have [k_ge0|k_lt0] := lerP 0 (sh k); last first.
  (* 1. It is low itself. *)
  by have := ler_wpmul2l (ltW omega_gt0) (heard_le_top beta k le_M); rewrite omega_M; lra.
(* 2. It hears one that is low. *)
have := heard_low j0 beta_le0 le_M k_ge0; have := le_M k.
have : (sh j0 - M) / n.+1%:R <= - (M + 2%:R * M * M).
  by rewrite ler_pdivr_mulr ?ltr0n //; move: far; move: n.+1%:R => N; lra.
move: ((_ - _) / _) (heard _ _ _ _) => low h low_le k_le h_le.
have le : h <= - (2%:R * M * M) by lra.
have := ler_wpmul2l (ltW omega_gt0) le.
rewrite mulrN (_ : omega * (2%:R * M * M) = M); last first.
  by rewrite [2%:R * M]mulrC -mulrA mulrA omega_M mulrA mulVf ?mul1r ?pnatr_eq0.
by lra.
Qed.

End Heard.
