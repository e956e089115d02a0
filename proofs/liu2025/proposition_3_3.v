(** * Liu et al. (2025), Proposition 3.3: attention puts a value on each cell

    For all d, d', n and N = n + m, values V_i in R^(d') of the cells, and every sharpness: where
    the scores of Proposition 3.2 are within eps_0 of the indicators, the head with
    W_V = [0 V] is within osc(V) eps_0 of [F(X_1), ..., F(X_n)], where osc(V) is the largest
    difference of two values in one entry; and so, for tokens with margins of at least Delta, some
    head is within any eps > 0. Differs from the printed text: a line of its proof has
    max |V| eps_0, which is half of what can be ([the_two_is_attained]). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import layers softmax_mean smoother proposition_3_1 proposition_3_2.

Section Proposition33.

Variables (R : realType) (d d' n m : nat).
Variables (a : 'M[R]_(d, n + m)) (b : 'rV[R]_(n + m)) (V : 'M[R]_(d', n + m)).
Implicit Types (X : 'M[R]_(d, n)) (k : 'I_n) (i c : 'I_(n + m)) (s : 'I_d').

(** The value matrix: the values of the cells, one for each column. *)
Definition val_W_V : 'M[R]_(d', d + (n + m)) := row_mx 0 V.

(** The head: that of Proposition 3.2, with values. *)
Definition val_head (sharp : R) X : 'M[R]_(d', n) :=
  attn (ind_W_K a b sharp) (ind_W_Q R d n m) val_W_V (ind_W_O R n m) (ind_linear m X).

(** [F(X_1), ..., F(X_n)]: the value of the cell of each token. *)
Definition F X : 'M[R]_(d', n) := V *m indicators a b X.

(** A token of the cell c gets the value of c. *)
Lemma FE X k c s : in_cell (slopes a) (offsets b) c (token X k) -> F X s k = V s c.
Proof.
move=> c_cell; rewrite mxE (bigD1 c) //= (indicatorE _ c_cell) eqxx mulr1 big1 ?addr0 // => i ic.
by rewrite (indicatorE _ c_cell) (negPf ic) mulr0.
Qed.

(** The head answers with the values, weighted by the scores of Proposition 3.2. *)
Lemma val_headE sharp X : val_head sharp X = V *m ind_scores a b sharp X.
Proof.
rewrite /val_head /attn /head /ind_scores [RHS]mulmxA; congr (_ *m _ *m _).
by rewrite ind_linearE /val_W_V mul_row_col mul0mx add0r mulmx1.
Qed.

(** 1. A token of cell [c] gets the mean of the values with its scores. *)
Lemma val_error sharp X k c s : in_cell (slopes a) (offsets b) c (token X k) ->
  val_head sharp X s k - F X s k = \sum_(i | i != c) (V s i - V s c) * ind_scores a b sharp X i k.
Proof.
move=> c_cell; rewrite val_headE mxE (FE s c_cell).
have <- : \sum_i (V s i - V s c) * ind_scores a b sharp X i k
    = \sum_(i | i != c) (V s i - V s c) * ind_scores a b sharp X i k.
  by rewrite (bigD1 c) //= subrr mul0r add0r.
have sum1 : \sum_i ind_scores a b sharp X i k = 1.
  by under eq_bigr do rewrite ind_scoresE; apply: softmax_sum1 c.
rewrite -[V s c in LHS]mulr1 -sum1 mulr_sumr -sumrB.
by apply: eq_bigr => i _; rewrite mulrBl.
Qed.

(** The weights of all other cells add up to what is lacking of 1. *)
Lemma others_weigh sharp X k c :
  \sum_(i | i != c) ind_scores a b sharp X i k = 1 - ind_scores a b sharp X c k.
Proof.
have := softmax_sum1 (fun i => sharp * component (slopes a) (offsets b) (token X k) i) c.
rewrite (bigD1 c) //= -ind_scoresE => <-; rewrite addrC addKr.
by apply: eq_bigr => i _; rewrite ind_scoresE.
Qed.

(** 2. So the error is at most the oscillation times the error of the indicator. *)
Theorem proposition_3_3 (osc eps_0 sharp : R) X : 0 <= osc ->
  (forall s i j, `|V s i - V s j| <= osc) ->
  (forall i k, `|ind_scores a b sharp X i k - indicators a b X i k| <= eps_0) ->
  forall s k, `|val_head sharp X s k - F X s k| <= osc * eps_0.
Proof.
(* 1. Each token has a cell [c]. What the head answers is off by the weights of all other cells, each
   times how far its value is away. *)
move=> osc_ge0 V_osc scores_near s k.
have [none|some] := eqVneq (n + m)%N 0%N.
  by have := ltn_ord (lshift m k); rewrite {2}none.
have N_gt0 : (0 < n + m)%N by rewrite lt0n.
have [c c_cell] := winner_exists (component (slopes a) (offsets b) (token X k)) (Ordinal N_gt0).
rewrite (val_error sharp s c_cell).
(* 2. These weights add up to what the cell lacks of 1, and that is at most eps_0. *)
have := scores_near c k; rewrite (indicatorE c c_cell) eqxx distrC => /(le_trans (ler_norm _)).
rewrite -others_weigh => /(ler_wpmul2l osc_ge0); apply: le_trans.
(* 3. No value is farther away than osc. *)
rewrite mulr_sumr; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i _.
by rewrite normrM ler_pmul ?normr_ge0 // ger0_norm // ind_scoresE softmax_ge0.
Qed.

(** 3. With values of size at most [B]: at most 2 B eps_0. *)
Corollary proposition_3_3_bounded (B eps_0 sharp : R) X : 0 <= B ->
  (forall s i, `|V s i| <= B) ->
  (forall i k, `|ind_scores a b sharp X i k - indicators a b X i k| <= eps_0) ->
  forall s k, `|val_head sharp X s k - F X s k| <= 2%:R * B * eps_0.
Proof.
move=> B_ge0 V_B; apply: proposition_3_3; first by rewrite mulr_ge0 ?ler0n.
by move=> s i j; rewrite (le_trans (ler_norm_sub _ _)) // mulr_natl mulr2n ler_add.
Qed.

(** 4. Some sharpness is enough for any error, at all tokens of margin at least Delta. *)
Theorem proposition_3_3_any_error (Delta eps : R) : (1 < n + m)%N -> 0 < Delta -> 0 < eps ->
  exists sharp : R, forall X, margin a b Delta X ->
  forall s k, `|val_head sharp X s k - F X s k| <= eps.
Proof.
move=> N_gt1 Delta_gt0 eps_gt0.
pose B := \sum_s \sum_i `|V s i|; have B_ge0 : 0 <= B by do 2!apply: sumr_ge0 => ? _.
have V_B s i : `|V s i| <= B.
  rewrite /B (bigD1 s) //= (bigD1 i) //= -addrA ler_addl.
  by rewrite addr_ge0 // sumr_ge0 // => j _; rewrite sumr_ge0.
pose q := 1 + 2%:R * B + eps; pose eps_0 := eps / q.
have B2_ge0 : 0 <= 2%:R * B by rewrite mulr_ge0 ?ler0n.
have q1_gt0 : 0 < 1 + 2%:R * B := ltr_paddr B2_ge0 ltr01.
have q_gt0 : 0 < q := addr_gt0 q1_gt0 eps_gt0.
have eps_0_gt0 : 0 < eps_0 by rewrite divr_gt0.
have eps_0_lt1 : eps_0 < 1.
  by rewrite ltr_pdivr_mulr // mul1r /q ltr_addr.
pose bound := ln ((n + m).-1%:R * (1 - eps_0) / eps_0) / Delta.
exists (Num.max 0 bound) => X lead s k.
have near := proposition_3_2 N_gt1 Delta_gt0 eps_0_gt0 eps_0_lt1 lead (_ : 0 <= Num.max 0 bound) _.
apply: le_trans (proposition_3_3_bounded B_ge0 V_B (near _ _) s k) _.
- by rewrite le_maxr lexx.
- by rewrite le_maxr lexx orbT.
rewrite /eps_0 mulrA ler_pdivr_mulr // mulrC ler_pmul2l // /q addrAC ler_addr.
by rewrite addr_ge0 // ltW.
Qed.

End Proposition33.

(** The 2 is attained: two cells with the values c and - c. *)
Theorem the_two_is_attained (R : realType) (a : 'M[R]_(1, 1 + 1)) (b : 'rV[R]_(1 + 1))
    (c sharp : R) (X : 'M[R]_(1, 1)) (i : 'I_(1 + 1)) : 0 <= c ->
  in_cell (slopes a) (offsets b) i (token X ord0) ->
  let V : 'M[R]_(1, 1 + 1) := \matrix_(s, j) (if j == i then c else - c) in
  `|val_head a b V sharp X ord0 ord0 - F a b V X ord0 ord0|
    = 2%:R * c * `|ind_scores a b sharp X i ord0 - indicators a b X i ord0|.
Proof.
move=> c_ge0 i_cell V; rewrite (val_error V sharp ord0 i_cell) (indicatorE i i_cell) eqxx.
have -> : \sum_(j | j != i) (V ord0 j - V ord0 i) * ind_scores a b sharp X j ord0
    = - (2%:R * c) * \sum_(j | j != i) ind_scores a b sharp X j ord0.
  rewrite mulr_sumr; apply: eq_bigr => j /negPf ji; congr (_ * _).
  by rewrite !mxE eqxx ji; ring.
by rewrite normrM normrN (ger0_norm (mulr_ge0 (ler0n _ _) c_ge0)) others_weigh distrC.
Qed.
