(** * A head tells multisets apart

    n tokens with whole readings a_1, ..., a_n; a listener with the reading m >= 1 hears the average
    of the a_j with the weights z^(m a_j): softmax with the sharpness log z. For every bound M of
    readings there is a base 0 < z < 1 for which whoever hears the same number in two contexts of n
    tokens has the same tokens in both, equally often. (Softmax hears how often a token occurs.) *)
From UAT Require Import attention.
From mathcomp Require Import poly.

Section Multisets.

Variables (R : realFieldType) (n : nat).
Implicit Types (a b : 'I_n.+1 -> nat) (p q : {poly R}) (y z : R).

(** The generating polynomial of a context: its coefficients count tokens. *)
Definition generating a : {poly R} := \sum_j 'X^(a j).
Notation P := generating.

(** At 1 the polynomial counts all tokens. *)
Lemma generating_1 a : (P a).[1] = n.+1%:R.
Proof.
rewrite horner_sum (eq_bigr (fun=> 1)) => [|j _]; last by rewrite hornerXn expr1n.
by rewrite sumr_const card_ord.
Qed.

(** So it is not 0. *)
Lemma generating_neq0 a : P a != 0.
Proof.
apply/eqP => P0; have := generating_1 a; rewrite P0 horner0 => /eqP.
by rewrite eq_sym pnatr_eq0.
Qed.

(** If W' Q = W Q' and W has a zero at 1 but Q has not, then W = 0: multiplicities do not fit. *)
Lemma no_zero p q : p.[1] = 0 -> q.[1] != 0 -> p^`() * q = p * q^`() -> p = 0.
Proof.
move=> p1 q1 same; have [//|p0] := eqVneq p 0; exfalso.
have [m [r r1 pE]] := multiplicity_XsubC p 1; rewrite p0 /= in r1.
case: m => [|m] in pE; first by move: r1; rewrite /root -p1 pE expr0 mulr1 eqxx.
have : ('X - 1%:P) ^+ m * ((r^`() * ('X - 1%:P) + r *+ m.+1) * q - r * ('X - 1%:P) * q^`()) = 0.
  have dE : p^`() = ('X - 1%:P) ^+ m * (r^`() * ('X - 1%:P) + r *+ m.+1).
    rewrite pE derivM deriv_exp derivXsubC mul1r /= exprS mulrDr !mulrnAr.
    by congr (_ + _ *+ _); [rewrite [RHS]mulrCA; congr (_ * _) |]; rewrite mulrC.
  rewrite mulrBr mulrA -dE same pE exprS; move: ('X - _) (q^`()) => X q'.
  by move: (X ^+ m) => E; rewrite !mulrA [E * r]mulrC -!mulrA [E * (X * _)]mulrCA subrr.
move=> /eqP; rewrite mulf_eq0 expf_eq0 polyXsubC_eq0 andbF /= => /eqP/(congr1 (horner^~ 1)).
rewrite !hornerE subrr !mulr0 !mul0r add0r subr0 => /eqP.
by rewrite !mulf_eq0 hornerMn mulrn_eq0 /= (negPf q1) orbF -/(root r 1) (negPf r1).
Qed.

(** What is compared when two contexts are heard. *)
Definition collision a b : {poly R} := (P a)^`() * P b - P a * (P b)^`().

(** Only equal polynomials have the collision 0. *)
Lemma collision_eq0 a b : collision a b = 0 -> P a = P b.
Proof.
move=> coll0; apply/eqP; rewrite -subr_eq0; apply/eqP; apply: (@no_zero _ (P b)).
- by rewrite hornerD hornerN !generating_1 subrr.
- by rewrite generating_1 pnatr_eq0.
have /eqP := coll0; rewrite subr_eq0 => /eqP same.
by rewrite derivB mulrBl same mulrBl [in RHS]mulrC; ring.
Qed.

(** Equal polynomials: equal numbers of each token, so a permutation. *)
Lemma generating_inj a b : P a = P b -> exists s : 'S_n.+1, forall j, b j = a (s j).
Proof.
move=> same; pose t c : n.+1.-tuple nat := [tuple c j | j < n.+1].
have counts c x : (P c)`_x = (count_mem x (t c))%:R.
  rewrite coef_sum (eq_bigr (fun j => (c j == x)%:R)) => [|j _]; last by rewrite coefXn eq_sym.
  rewrite -natr_sum; congr _%:R; rewrite count_map -sum1_count big_enum_cond /= [RHS]big_mkcond.
  by apply: eq_bigr => j _; rewrite /=; case: (_ == _).
have /tuple_permP[s sE] : perm_eq (t b) (t a).
  by apply/allP => x _; apply/eqP/(mulrIn (oner_neq0 R)); rewrite -!counts same.
exists s => j; have := congr1 (fun u => nth 0%N u j) sE.
by rewrite !nth_mktuple tnth_mktuple.
Qed.

(** A polynomial that is not 0 is not 0 at some number between 0 and 1. *)
Lemma some_base p : p != 0 -> exists2 z, 0 < z < 1 & p.[z] != 0.
Proof.
move=> p_ne0; pose z k : R := k.+2%:R^-1; pose zs := [seq z k | k <- iota 0 (size p)].
have uniq_zs : uniq zs.
  rewrite map_inj_uniq ?iota_uniq // => k l /invr_inj/eqP.
  by rewrite eqr_nat => /eqP[].
have : ~~ all (root p) zs.
  apply/negP => all_roots; have := max_poly_roots p_ne0 all_roots uniq_zs.
  by rewrite size_map size_iota ltnn.
move=> /allPn[_ /mapP[k _ ->] ne]; exists (z k) => //.
by rewrite invr_gt0 ltr0n /= invf_lt1 ?ltr0n // ltr1n.
Qed.

(** What a listener with the reading [m] hears. *)
Definition hears z a (m : nat) : R := (\sum_j z ^+ (m * a j) * (a j)%:R) / \sum_j z ^+ (m * a j).

(** What is heard is a quotient of the polynomial and its derivative. *)
Lemma hears_hornerE z a m : 0 < z ->
  hears z a m = (z ^+ m * (P a)^`().[z ^+ m]) / (P a).[z ^+ m].
Proof.
move=> z_gt0; rewrite /hears; congr (_ / _); last first.
  by rewrite horner_sum; apply: eq_bigr => j _; rewrite hornerXn exprM.
rewrite linear_sum horner_sum mulr_sumr; apply: eq_bigr => j _.
rewrite /= derivXn hornerMn hornerXn exprM mulr_natr mulrnAr; case: (a j) => [|i].
  by rewrite !mulr0n.
by rewrite exprS.
Qed.

(** The polynomial is positive at positive numbers. *)
Lemma generating_gt0 a y : 0 < y -> 0 < (P a).[y].
Proof.
move=> y_gt0; rewrite horner_sum (bigD1 ord0) //= hornerXn ltr_paddr ?exprn_gt0 //.
by apply: sumr_ge0 => j _; rewrite hornerXn exprn_ge0 ?ltW.
Qed.

(** Who hears the same has met a zero of the collision. *)
Lemma hears_collision z a b m : 0 < z -> hears z a m = hears z b m ->
  (collision a b \Po 'X^m).[z] = 0.
Proof.
move=> z_gt0; rewrite !hears_hornerE // => /eqP; have y_gt0 : 0 < z ^+ m by rewrite exprn_gt0.
have a0 := generating_gt0 a y_gt0; have b0 := generating_gt0 b y_gt0.
rewrite eqr_div ?lt0r_neq0 // -!mulrA => /eqP/(mulfI (lt0r_neq0 y_gt0)) same.
by rewrite horner_comp hornerXn hornerD hornerN !hornerM same mulrC subrr.
Qed.

(** At some base, one for all contexts and listeners, what is heard names the context. *)
Theorem good_base (M : nat) : exists2 z, 0 < z < 1 & forall a b m, (0 < m <= M)%N ->
  (forall j, (a j <= M)%N) -> (forall j, (b j <= M)%N) -> hears z a m = hears z b m ->
  exists s : 'S_n.+1, forall j, b j = a (s j).
Proof.
(* 1. All that can collide: two contexts and a listener. *)
pose context := {ffun 'I_n.+1 -> 'I_M.+1}; pose read (c : context) j : nat := c j.
pose Q (t : context * context * 'I_M) := collision (read t.1.1) (read t.1.2) \Po 'X^(t.2.+1).
(* 2. A base at which no polynomial is 0, except those that are 0 everywhere. *)
have /some_base[z z_01] : \prod_(t | Q t != 0) Q t != 0 by apply/prodf_neq0.
rewrite horner_prod => /prodf_neq0 no_root; exists z => // a b m m_M a_M b_M same.
have /andP[z_gt0 _] := z_01; apply: generating_inj; apply: collision_eq0.
pose in_M c (c_M : forall j, (c j <= M)%N) : context := [ffun j => Ordinal (c_M j : c j < M.+1)%N].
have readE c (c_M : forall j, (c j <= M)%N) : read (in_M c c_M) =1 c.
  by move=> j; rewrite /read ffunE.
have same_P c (c_M : forall j, (c j <= M)%N) : P (read (in_M c c_M)) = P c.
  by apply: eq_bigr => j _; rewrite readE.
(* 3. Here two contexts were heard alike, so their polynomial is 0 at the base: it is 0. *)
case: m m_M same => // m m_M /(hears_collision z_gt0) root_z.
have := no_root (in_M a a_M, in_M b b_M, Ordinal m_M).
rewrite /Q /collision /= !same_P -/(collision a b) root_z eqxx.
by rewrite comp_poly_eq0 ?size_polyXn //; case: eqVneq => // _ /(_ isT).
Qed.

End Multisets.
