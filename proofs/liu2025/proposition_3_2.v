(** * Liu et al. (2025), Proposition 3.2: attention scores tell the cell of each token

    For all d, n and N >= n components, all tokens whose margins are at least Delta > 0 (the
    paper's Assumption 3.1; "with exception of a region of small measure"), 0 < eps < 1 and
    R >= ln ((N - 1) (1 - eps) / eps) / Delta: the matrix Softmax((W_K Z)^T W_Q Z) W_O with
    Z = Linear(X) is within eps of the indicators. No smaller R is enough for all.
    Differs from the printed text: N = n + m is written as a sum, so that blocks fit; W_Q has
    blocks [I_d 0 0; 0 1_(1 x n) 0] (printed: fit only for n = N, d = 1); R is divided by Delta
    (printed: multiplied), with (1 - eps) besides, which makes it exact. *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import layers softmax_mean smoother proposition_3_1.

Section Weights.

Variables (R : realType) (J : finType) (y : J -> R) (c : J) (Delta eps sharp : R).
Hypotheses (eps_gt0 : 0 < eps) (eps_lt1 : eps < 1).

Let s := softmax (fun j => sharp * y j).

(** What all rivals of the leader c weigh together, where the leader weighs 1. *)
Definition rivals : R := \sum_(j | j != c) expR (sharp * (y j - y c)).

(** The weight of the leader, in terms of its rivals. *)
Lemma leader : s c = (1 + rivals)^-1.
Proof.
have pos : expR (sharp * y c) != 0 by rewrite gt_eqF ?expR_gt0.
rewrite /s /softmax (bigD1 c) //=.
have -> : \sum_(j | j != c) expR (sharp * y j) = rivals * expR (sharp * y c).
  by rewrite mulr_suml; apply: eq_bigr => j _; rewrite -expRD; congr expR; ring.
by rewrite -[X in X + _]mul1r -mulrDl invfM mulrCA divff ?mulr1.
Qed.

(** Rivals do not weigh less than nothing. *)
Lemma rivals_ge0 : 0 <= rivals.
Proof. by apply: sumr_ge0 => j _; apply: expR_ge0. Qed.

(** Each weight is off by at most what the leader lacks. *)
Lemma weights_off j : `|s j - (j == c)%:R| <= 1 - s c.
Proof.
have s_sum : \sum_(i | i != c) s i = 1 - s c.
  have := softmax_sum1 (fun j => sharp * y j) c; rewrite (bigD1 c) //= -/s => <-.
  by rewrite addrC addKr.
have [->|j_c] := eqVneq j c.
  rewrite distrC ger0_norm // -s_sum; apply: sumr_ge0 => i _; exact: softmax_ge0.
rewrite subr0 ger0_norm ?softmax_ge0 // -s_sum (bigD1 j) //= ler_addl.
by apply: sumr_ge0 => i _; apply: softmax_ge0.
Qed.

(** The leader lacks at most eps if and only if its rivals weigh at most eps / (1 - eps). *)
Lemma leader_lacks : (1 - s c <= eps) = (rivals <= eps / (1 - eps)).
Proof.
have e'_gt0 : 0 < 1 - eps by rewrite subr_gt0.
have q_gt0 : 0 < 1 + rivals := ltr_spaddl ltr01 rivals_ge0.
have -> : 1 - s c = rivals / (1 + rivals) by rewrite leader; field; rewrite gt_eqF.
rewrite ler_pdivr_mulr // ler_pdivl_mulr //.
by apply/idP/idP => /le_from; apply; ring.
Qed.

Hypotheses (Delta_gt0 : 0 < Delta) (N_gt1 : (1 < #|J|)%N).
Let N' : R := #|J|.-1%:R.

(** There are N - 1 rivals. *)
Lemma rivals_count (x : R) : \sum_(j : J | j != c) x = N' * x.
Proof. by rewrite sumr_const mulr_natl; congr (_ *+ _); apply: cardC1. Qed.

(** The sharpness that makes N - 1 rivals who lag by Delta weigh eps / (1 - eps). *)
Definition least_sharp : R := ln (N' * (1 - eps) / eps) / Delta.

(** At the least sharpness rivals that lag by Delta weigh eps / (1 - eps). *)
Lemma least_sharpE : (N' * expR (- (sharp * Delta)) <= eps / (1 - eps)) = (least_sharp <= sharp).
Proof.
have e'_gt0 : 0 < 1 - eps by rewrite subr_gt0.
have N'_gt0 : 0 < N' by rewrite ltr0n -subn1 subn_gt0.
have odds_gt0 : 0 < N' * (1 - eps) / eps by rewrite divr_gt0 ?mulr_gt0.
rewrite /least_sharp ler_pdivr_mulr // -[RHS]ler_expR lnK ?posrE //.
rewrite expRN ler_pdivr_mulr ?expR_gt0 // mulrAC ler_pdivl_mulr //.
by rewrite ler_pdivr_mulr // [eps * _]mulrC.
Qed.

(** Margins of at least Delta and this sharpness are enough. *)
Lemma sharp_enough : 0 <= sharp -> least_sharp <= sharp ->
  (forall j, j != c -> y j + Delta <= y c) -> forall j, `|s j - (j == c)%:R| <= eps.
Proof.
move=> sharp_ge0; rewrite -least_sharpE => few margin j.
apply: le_trans (weights_off j) _; rewrite leader_lacks; apply: le_trans few.
rewrite -rivals_count; apply: ler_sum => i i_c; rewrite ler_expR -mulrN ler_wpmul2l //.
by apply: (le_from (margin i i_c)); ring.
Qed.

(** No less is enough, if all rivals lag by Delta exactly. *)
Lemma not_sharp_enough : sharp < least_sharp ->
  (forall j, j != c -> y j + Delta = y c) -> eps < `|s c - 1|.
Proof.
move=> blunt margin; rewrite distrC ger0_norm; last first.
  by apply: le_trans (weights_off c); rewrite normr_ge0.
rewrite ltNge leader_lacks.
have -> : rivals = N' * expR (- (sharp * Delta)).
  rewrite -rivals_count; apply: eq_bigr => i i_c; congr expR.
  by rewrite -(margin i i_c); ring.
by rewrite least_sharpE -ltNge.
Qed.

End Weights.

Section Matrices.

(** ** The matrices: N = n + m cells for n tokens *)
Variables (R : realType) (d n m : nat).
Variables (a : 'M[R]_(d, n + m)) (b : 'rV[R]_(n + m)).

(** Of the linear layer what stands on the left: it keeps the tokens. *)
Definition ind_A (_ : 'I_1) : 'M[R]_(d + (n + m), d) := col_mx 1%:M 0.
(** Of the linear layer what stands on the right: it puts them into the first n columns. *)
Definition ind_B (_ : 'I_1) : 'M[R]_(n, n + m) := row_mx 1%:M 0.
(** Its constant: an identity below the tokens. *)
Definition ind_M : 'M[R]_(d + (n + m), n + m) := col_mx 0 1%:M.
(** The tokens, with the identity below: Z. *)
Definition ind_linear : 'M[R]_(d, n) -> 'M[R]_(d + (n + m), n + m) := linear ind_A ind_B ind_M.

(** The key matrix: the components' slopes and offsets, times the sharpness. *)
Definition ind_W_K (sharp : R) : 'M[R]_(d + 1, d + (n + m)) :=
  sharp *: col_mx (row_mx 0 a) (row_mx 0 b).
(** The query matrix: it reads a token, and a 1 below it. *)
Definition ind_W_Q : 'M[R]_(d + 1, d + (n + m)) :=
  col_mx (row_mx 1%:M 0) (row_mx 0 (row_mx (const_mx 1) 0)).
(** The output matrix: it keeps the first n columns. *)
Definition ind_W_O : 'M[R]_(n + m, n) := col_mx 1%:M 0.

(** The matrix of the proposition. *)
Definition ind_scores (sharp : R) (X : 'M[R]_(d, n)) : 'M[R]_(n + m, n) :=
  columns (@softmax R) ((ind_W_K sharp *m ind_linear X)^T *m (ind_W_Q *m ind_linear X)) *m ind_W_O.

(** The slopes of component i, as a function of the coordinates. *)
Definition slopes (i : 'I_(n + m)) (s : 'I_d) : R := a s i.
(** The constant of component i. *)
Definition offsets (i : 'I_(n + m)) : R := b 0 i.
(** The k-th token, as a function of its entries. *)
Definition token (X : 'M[R]_(d, n)) (k : 'I_n) (s : 'I_d) : R := X s k.

(** The linear sum writes the tokens above an identity matrix. *)
Lemma ind_linearE X : ind_linear X = col_mx (row_mx X 0) 1%:M.
Proof.
rewrite /ind_linear /linear big_ord1 /ind_A /ind_B /ind_M mul_col_mx mul1mx mul0mx.
by rewrite mul_col_mx mul0mx mul_mx_row mulmx1 mulmx0 add_col_mx addr0 add0r.
Qed.

(** The head answers with softmax of the components, multiplied by the sharpness. *)
Lemma ind_scoresE sharp X i k : ind_scores sharp X i k
  = softmax (fun i => sharp * component slopes offsets (token X k) i) i.
Proof.
rewrite /ind_scores /ind_W_O ind_linearE -[columns _ _]hsubmxK mul_row_col mulmx1 mulmx0 addr0.
rewrite !mxE; apply: eq_softmax => {i} i.
rewrite /ind_W_K /ind_W_Q -scalemxAl !mul_col_mx !mul_row_col !mul0mx !mul1mx !mulmx1 !add0r.
rewrite addr0 linearZ /= -scalemxAl mxE; congr (_ * _).
rewrite tr_col_mx mul_row_col mxE /component /dot; congr (_ + _).
  by rewrite mxE; apply: eq_bigr => s _; rewrite mxE row_mxEl.
by rewrite mxE big_ord1 row_mxEl !mxE mulr1.
Qed.

(** Token [k] is in the cell of its leader, by a margin of at least [Delta]. *)
Definition margin (Delta : R) (X : 'M[R]_(d, n)) := forall k i,
  in_cell slopes offsets i (token X k) ->
  forall j, j != i -> component slopes offsets (token X k) j + Delta
    <= component slopes offsets (token X k) i.

(** The indicators of the cells of all tokens, [E(X_1), ..., E(X_n)]. *)
Definition indicators (X : 'M[R]_(d, n)) : 'M[R]_(n + m, n) :=
  \matrix_(i, k) indicator slopes offsets (token X k) i.

(** The indicator of a token has its 1 at its cell. *)
Lemma indicatorE X k i c : in_cell slopes offsets c (token X k) ->
  indicators X i k = (i == c)%:R.
Proof.
move=> c_cell; rewrite mxE /indicator; congr (_%:R); congr nat_of_bool.
by apply/idP/eqP => [i_cell|->//]; apply: winner_unique c_cell.
Qed.

(** The scores are within eps of the indicators. *)
Theorem proposition_3_2 (Delta eps sharp : R) (X : 'M[R]_(d, n)) :
  (1 < n + m)%N -> 0 < Delta -> 0 < eps -> eps < 1 -> margin Delta X ->
  0 <= sharp -> ln ((n + m).-1%:R * (1 - eps) / eps) / Delta <= sharp ->
  forall i k, `|ind_scores sharp X i k - indicators X i k| <= eps.
Proof.
(* 1. Each token has a cell [c], that of its largest component. *)
move=> N_gt1 Delta_gt0 eps_gt0 eps_lt1 lead sharp_ge0 sharp_large i k.
have [c c_cell] := winner_exists (component slopes offsets (token X k)) i.
(* 2. The head answers with softmax of the components, multiplied by the sharpness; the indicator has
   its 1 at the cell. So two distributions are to be compared. *)
rewrite ind_scoresE (indicatorE i c_cell).
(* 3. The component of the cell leads by Delta, so this sharpness is enough: all others together
   weigh eps at most. *)
apply: (sharp_enough (Delta := Delta)) => //; rewrite ?card_ord //.
  by rewrite /least_sharp card_ord.
by move=> j; apply: lead.
Qed.

End Matrices.

(** No smaller sharpness is enough for all: one token, at 0, the others' cells tie behind it. *)
Theorem no_smaller_sharpness (R : realType) (m : nat) (Delta eps sharp : R) :
  (0 < m)%N -> 0 < Delta -> 0 < eps -> eps < 1 ->
  sharp < ln ((1 + m).-1%:R * (1 - eps) / eps) / Delta ->
  exists (a : 'M[R]_(1, 1 + m)) (b : 'rV[R]_(1 + m)) (X : 'M[R]_(1, 1)),
    injective (slopes a) /\ margin a b Delta X /\
    exists i k, eps < `|ind_scores a b sharp X i k - indicators a b X i k|.
Proof.
move=> m_gt0 Delta_gt0 eps_gt0 eps_lt1 blunt.
pose a : 'M[R]_(1, 1 + m) := \matrix_(s, i) i%:R.
pose b : 'rV[R]_(1 + m) := \row_i (if i == ord0 then Delta else 0).
pose X : 'M[R]_(1, 1) := 0; exists a, b, X.
have y0 i : component (slopes a) (offsets b) (token X ord0) i = if i == ord0 then Delta else 0.
  by rewrite /component /dot big_ord1 /token /offsets !mxE mulr0 add0r.
have in0 : in_cell (slopes a) (offsets b) ord0 (token X ord0).
  apply/winnerP; split=> [j|//]; rewrite !y0 eqxx.
  by case: ifP => // _; apply: ltW.
split; [|split].
- move=> i j /(congr1 (fun x => x ord0)); rewrite /slopes !mxE => /eqP.
  by rewrite eqr_nat => /eqP/val_inj.
- move=> k i; rewrite (ord1 k) => i_cell j.
  by rewrite (winner_unique i_cell in0) => /negPf j0; rewrite !y0 j0 eqxx add0r.
exists ord0, ord0; rewrite ind_scoresE (indicatorE _ in0) eqxx.
apply: (not_sharp_enough (Delta := Delta)) => //; rewrite ?card_ord //.
  by rewrite /least_sharp card_ord.
by move=> j /negPf j0; rewrite !y0 j0 eqxx add0r.
Qed.
