(** * Equivariant functions, counted in bits

    The book's proposition on the price of the construction of Yun et al. (2020): for all d, n,
    N >= 1 and every Lipschitz constant Lambda > 0, a family of networks (any functions) that are
    described by B bits each, of which some member is within less than Lambda delta / 2, delta =
    1/N, of any given permutation equivariant f with that Lipschitz constant (in the largest
    entry) at the centres of all cells with distinct columns, has B >= d n C(D, n), D = N^d. As
    in the book; the functions that are needed have the Lipschitz constant on all of R^{d x n}
    and are zero outside the box. Over any ordered field. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import claim_1 grid cell_depth.

Section Bits.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Notation delta := (delta R N).
Notation column := (column N d).
Notation cell := (cell N d n).
Notation depth := (@depth R N d n).
Notation centre := (@centre R N d n).
Implicit Types (X Y : 'M[R]_(d, n)) (f : 'M[R]_(d, n) -> 'M[R]_(d, n)).
Implicit Types (L : cell) (s : 'S_n).

(** In the largest entry. *)
Definition lipschitz (Lambda : R) f :=
  forall t X Y, within t X Y -> within (Lambda * t) (f X) (f Y).

(** ** A function for each choice of signs *)

(** The places of signs: a set of n columns, a column in it, a row. *)
Definition place := ({set column} * column * 'I_d)%type.
Definition places : {set place} := [set p : place | (#|p.1.1| == n) && (p.1.2 \in p.1.1)].


Lemma card_places : #|places| = (d * n * 'C(N ^ d, n))%N.
Proof.
pose pairs := [set q : {set column} * column | (#|q.1| == n) && (q.2 \in q.1)].
have -> : places = setX pairs setT by apply/setP => -[[S c] i]; rewrite !inE andbT.
rewrite cardsX cardsT card_ord mulnC -mulnA; congr (_ * _)%N.
have -> : (N ^ d)%N = #|{: column}| by rewrite card_ffun !card_ord.
rewrite mulnC -card_draws -sum_nat_const -sum1_card.
transitivity (\sum_(S in [set S : {set column} | #|S| == n]) \sum_(c in S) 1)%N.
  by rewrite pair_big_dep /=; apply: eq_bigl => -[S c]; rewrite !inE.
by apply: eq_bigr => S; rewrite inE sum1_card => /eqP.
Qed.

Implicit Types (A : {set place}).
Definition columns_of L : {set column} := [set L j | j : 'I_n].
Definition sign A (p : place) : R := if p \in A then 1 else -1.

Variable Lambda : R.
Hypothesis Lambda_gt0 : 0 < Lambda.

(** In each cell with distinct columns the distance from the boundary, times a sign. *)
Definition target A X : 'M[R]_(d, n) := \matrix_(i, j)
  \sum_(L : cell | injectiveb L) sign A (columns_of L, L j, i) * (Lambda * depth L X).

Lemma targetE A L X i j : injectiveb L -> 0 < depth L X ->
  target A X i j = sign A (columns_of L, L j, i) * (Lambda * depth L X).
Proof.
move=> L_inj X_L; rewrite mxE (bigD1 L) //= big1 ?addr0 // => L' /andP[_ L'_L].
have [->|X_L'] := eqVneq (depth L' X) 0; first by rewrite !mulr0.
have pos : 0 < depth L' X by rewrite lt_def X_L' depth_ge0.
have same : within 0 X X by move=> i' j'; rewrite subrr normr0.
by have := depth_apart N_gt0 L'_L same pos X_L; rewrite leNgt addr_gt0.
Qed.

Lemma target0 A X : (forall L : cell, injectiveb L -> depth L X = 0) -> target A X = 0.
Proof.
by move=> none; apply/matrixP => i j; rewrite !mxE big1 // => L /none ->; rewrite !mulr0.
Qed.

Lemma sign_norm A p (x : R) : 0 <= x -> `|sign A p * x| = x.
Proof.
by move=> x_ge0; rewrite /sign; case: ifP => _; rewrite ?mul1r ?mulN1r ?normrN ger0_norm.
Qed.

Lemma some_cell_or_not X :
  (exists2 L : cell, injectiveb L & 0 < depth L X) \/
  (forall L : cell, injectiveb L -> depth L X = 0).
Proof.
have [/existsP[L /andP[L_inj X_L]]|/existsPn none] :=
  boolP [exists L : cell, injectiveb L && (0 < depth L X)]; first by left; exists L.
right=> L L_inj; apply/eqP; have := none L; rewrite L_inj /= lt_def depth_ge0 andbT.
by rewrite negbK.
Qed.

(** In one cell the sign is the same, and depths differ by at most t; *)
Lemma target_same_cell A L t X Y i j : within t X Y -> 0 <= t -> injectiveb L ->
  0 < depth L X -> 0 < depth L Y -> `|target A X i j - target A Y i j| <= Lambda * t.
Proof.
move=> X_Y t_ge0 L_inj X_L Y_L; have Y_X : within t Y X by move=> i' j'; rewrite distrC.
rewrite (targetE A i j L_inj X_L) (targetE A i j L_inj Y_L) -!mulrBr normrM -[`|sign _ _|]mulr1.
rewrite -[X in _ * X * _](@normr1 R) -normrM sign_norm ?ler01 // mul1r normrM gtr0_norm //.
rewrite ler_pmul2l // ler_norml; have := depth_lipschitz L t_ge0 X_Y.
by have := depth_lipschitz L t_ge0 Y_X => *; apply/andP; split; lra.
Qed.

(** if Y lies in another or in none, the depth of X is at most t, less that of Y. *)
Lemma target_other_cell A L t X Y i j : within t X Y -> 0 <= t -> injectiveb L ->
  0 < depth L X -> depth L Y = 0 -> `|target A X i j - target A Y i j| <= Lambda * t.
Proof.
move=> X_Y t_ge0 L_inj X_L Y_L0; rewrite (targetE A i j L_inj X_L).
have [[L' L'_inj Y_L']|Y_0] := some_cell_or_not Y; last first.
  rewrite (target0 A Y_0) [_ 0 i j]mxE subr0 sign_norm ?mulr_ge0 ?(ltW Lambda_gt0) ?(ltW X_L) //.
  by have := depth_lipschitz L t_ge0 X_Y; rewrite Y_L0 add0r ler_pmul2l.
have L_L' : L != L' by apply: contraTneq Y_L' => <-; rewrite Y_L0 ltxx.
rewrite (targetE A i j L'_inj Y_L'); apply: le_trans (ler_norm_sub _ _) _.
rewrite !sign_norm ?mulr_ge0 ?(ltW Lambda_gt0) ?(ltW X_L) ?(ltW Y_L') // -mulrDr ler_pmul2l //.
exact: (depth_apart N_gt0 L_L' X_Y X_L Y_L').
Qed.

Lemma target_lipschitz A : lipschitz Lambda (target A).
Proof.
move=> t X Y X_Y i j; have t_ge0 : 0 <= t by apply: le_trans (X_Y i j).
have Y_X : within t Y X by move=> i' j'; rewrite distrC.
have [[L L_inj X_L]|X_0] := some_cell_or_not X.
  have [Y_L0|Y_L] := eqVneq (depth L Y) 0; first exact: target_other_cell X_Y _ L_inj X_L Y_L0.
  by apply: target_same_cell X_Y _ L_inj X_L _; rewrite // lt_def Y_L depth_ge0.
have [[L L_inj Y_L]|Y_0] := some_cell_or_not Y.
  by rewrite distrC; apply: target_other_cell Y_X _ L_inj Y_L (X_0 L L_inj).
by rewrite (target0 A X_0) (target0 A Y_0) subrr normr0 mulr_ge0 // ltW.
Qed.

(** Permuted columns. *)
Definition permuted s L : cell := [ffun k => L ((s^-1)%g k)].

Lemma permuted_depth s L X : depth (permuted s L) (X *m perm_mx s) = depth L X.
Proof.
congr (Num.max 0 (_ - _)); apply/le_anti/andP; split; apply: gap_le => [|i j];
  rewrite ?gap_ge0 //.
  by rewrite mul_perm centreE ffunE -centreE gap_ge.
have := gap_ge (permuted s L) (X *m perm_mx s) i (s j).
by rewrite mul_perm permK !centreE ffunE permK.
Qed.

Lemma target_equivariant A : equivariant (target A).
Proof.
move=> s X; apply/matrixP => i j; rewrite mul_perm !mxE.
have bij : bijective (permuted s).
  by exists (permuted s^-1%g) => L; apply/ffunP => k; rewrite !ffunE ?invgK ?permK ?permKV.
rewrite (reindex (permuted s)) /=; last exact: onW_bij.
apply: eq_big => [L|L _].
  apply/injectiveP/injectiveP => L_inj k l same.
    by apply: (perm_inj (s := s)); apply: L_inj; rewrite !ffunE !permK.
  by apply: (perm_inj (s := s^-1%g)); apply: L_inj; move: same; rewrite !ffunE.
rewrite permuted_depth ffunE; congr (sign A (_, _, _) * _).
apply/setP => c; apply/imsetP/imsetP => -[k _ ->].
  by exists ((s^-1)%g k); rewrite ?ffunE.
by exists (s k); rewrite // ffunE permK.
Qed.

(** Every place is one of a cell. *)
Lemma cell_of p : p \in places -> exists L j, injectiveb L /\ p = (columns_of L, L j, p.2).
Proof.
case: p => [[S c] i]; rewrite inE /= => /andP[/eqP card_S c_S].
have size_S : size (enum S) = n by rewrite -cardE.
pose L : cell := [ffun j : 'I_n => nth c (enum S) j].
have index_lt : (index c (enum S) < n)%N by rewrite -[X in (_ < X)%N]size_S index_mem mem_enum.
exists L, (Ordinal index_lt); split.
  apply/injectiveP => j k /eqP; rewrite !ffunE nth_uniq ?size_S ?enum_uniq //.
  by move/eqP/val_inj.
rewrite ffunE nth_index ?mem_enum //; congr (_, _, _); apply/setP => x; apply/idP/imsetP.
  move=> x_S; have x_lt : (index x (enum S) < n)%N.
    by rewrite -[X in (_ < X)%N]size_S index_mem mem_enum.
  by exists (Ordinal x_lt); rewrite // ffunE nth_index ?mem_enum.
by case=> j _ ->; rewrite ffunE -mem_enum mem_nth // size_S.
Qed.

(** Near one matrix at all centres are the functions of one choice of signs alone. *)
Lemma one_choice A A' (m : cell -> 'M[R]_(d, n)) : A \in powerset places ->
  A' \in powerset places ->
  (forall L : cell, injective L -> forall i j,
    `|m L i j - target A (centre L) i j| < Lambda * delta / 2%:R) ->
  (forall L : cell, injective L -> forall i j,
    `|m L i j - target A' (centre L) i j| < Lambda * delta / 2%:R) -> A = A'.
Proof.
rewrite !inE => /subsetP A_in /subsetP A'_in near near'; apply/setP => p.
have [p_in|p_out] := boolP (p \in places); last first.
  by apply/idP/idP => [/A_in|/A'_in]; rewrite (negPf p_out).
have [L [j [L_inj p_L]]] := cell_of p_in; have inj := injectiveP _ L_inj.
have half_gt0 : 0 < delta / 2%:R by rewrite divr_gt0 ?ltr0n ?delta_gt0.
have deep : 0 < depth L (centre L) by rewrite depth_centre.
have := near' L inj p.2 j; have := near L inj p.2 j.
rewrite !(targetE _ _ _ L_inj deep) depth_centre // -p_L /sign.
have Q_gt0 : 0 < Lambda * (delta / 2%:R) by rewrite mulr_gt0.
rewrite -mulrA; move: (m _ _ _) (Lambda * _) Q_gt0 => x Q Q_gt0.
by case: (p \in A); case: (p \in A') => //; rewrite !ltr_norml => /andP[? ?] /andP[? ?];
  (suff : Q < Q by rewrite ltxx); lra.
Qed.

Theorem counted_in_bits (B : nat) (member : B.-tuple bool -> 'M[R]_(d, n) -> 'M[R]_(d, n)) :
  (forall f, equivariant f -> lipschitz Lambda f ->
    exists description, forall L : cell, injective L -> forall i j,
      `|member description (centre L) i j - f (centre L) i j| < Lambda * delta / 2%:R) ->
  (d * n * 'C(N ^ d, n) <= B)%N.
Proof.
move=> near.
(* 1. A choice of signs is a set A of places; there are 2^(d n C(D, n)). *)
have choices : #|powerset places| = (2 ^ (d * n * 'C(N ^ d, n)))%N.
  by rewrite card_powerset card_places.
(* 2. Each has a function, and so a description. *)
have describe A : exists b, forall L : cell, injective L -> forall i j,
    `|member b (centre L) i j - target A (centre L) i j| < Lambda * delta / 2%:R.
  exact: near (target_equivariant A) (target_lipschitz A).
have [b bP] := fin_all_exists describe.
(* 3. [b_inj]: different choices have different descriptions, as their functions differ by Lambda delta at a centre. *)
have b_inj : {in powerset places &, injective b}.
  move=> A A' A_in A'_in same; apply: (one_choice A_in A'_in (bP A)).
  by rewrite same; apply: bP.
(* 4. So there are at least as many descriptions as choices. *)
have := max_card [set b A | A in powerset places].
by rewrite (card_in_imset b_inj) choices card_tuple card_bool leq_exp2l.
Qed.

End Bits.
