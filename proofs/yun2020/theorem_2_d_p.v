(** * Yun et al. (2020), Theorem 2, in the distance d_p

    For all d >= 1, n >= 2, every continuous, permutation equivariant f with compact support, all
    real p > 0 (the paper has p >= 1) and eps > 0 there is a transformer g of the class T^{2,1,4}
    with d_p(f, g) <= eps over all of R^{d x n}: the p-th power of f - g lies below a step
    function with an integral of at most eps^p ([upper_integral.v], [distance_d_p.v]). From
    [theorem_2.v], which has it off strips and bands, for a support in [0, 1]; any box is first
    moved there, by one block more and other units. Queries have a bias. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax rescaled relu_layers.
From UAT.yun2020 Require Import soft_layers softmax_step transformer_blocks theorem_2 rescaled_blocks.
From UAT.yun2020 Require Import upper_integral distance_d_p.

Lemma continuous_of_balls (R : realType) (V W : pseudoMetricType R) (phi : V -> W) :
  (forall x eps, 0 < eps -> exists2 r : R, 0 < r & forall y, ball x r y ->
    ball (phi x) eps (phi y)) -> continuous phi.
Proof.
move=> near x; apply/cvg_ballP => eps eps_gt0; have [r r_gt0 near_x] := near x eps eps_gt0.
by apply/nbhs_ballP; exists r.
Qed.

Section Scaling.

Variables (R : realType) (d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)).

(** What multiplies all distances is continuous. *)
Lemma scaling_continuous (phi : 'M[R]_(d, n) -> 'M[R]_(d, n)) (c : R) : 0 < c ->
  (forall X Y i j, `|phi X i j - phi Y i j| = c * `|X i j - Y i j|) -> continuous phi.
Proof.
move=> c_gt0 phiE; apply: continuous_of_balls => X eps eps_gt0.
exists (eps / c) => [|Y /mx_ballP X_Y]; first exact: divr_gt0.
by apply/mx_ballP => i j; rewrite phiE mulrC -ltr_pdivl_mulr.
Qed.

(** A block that adds the same number to all entries. *)
Definition adding_units (b : R) : ff_weights R d :=
  FeedForwardWeights (0 : 'M_(4, d)) 0 (0 : 'M_(d, 4)) (const_mx b).

Lemma adding_unitsE b X : feed_forward (@relu R) (adding_units b) X = X + const_mx b.
Proof. by apply/matrixP => i j; rewrite /feed_forward /= mul0mx addr0 !mxE. Qed.

End Scaling.

Section Theorem2.

Variables (R : realType) (d n : nat).
Hypothesis n_gt1 : (1 < n)%N.
Variables (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) (K : set 'M[R]_(d.+1, n)).
Hypothesis f_equivariant : equivariant f.
Hypothesis f_continuous : continuous f.

(** The support. *)
Hypothesis K_compact : compact K.
Hypothesis f_zero : forall X, ~ K X -> f X = 0.
Implicit Types (X Y : 'M[R]_(d.+1, n)).

Section AnyBox.

Variable B : R.
Hypotheses (B_gt0 : 0 < B) (K_B : forall X, K X -> forall i j, `|X i j| <= B).
Notation c := (2%:R * B).

(** From the box [-B, B] to [0, 1], and back. *)
Definition to_unit X : 'M[R]_(d.+1, n) := c^-1 *: (X + const_mx B).
Definition from_unit Y : 'M[R]_(d.+1, n) := c *: Y - const_mx B.
Definition f_unit Y : 'M[R]_(d.+1, n) := c^-1 *: f (from_unit Y).

Lemma c_gt0 : 0 < c.
Proof. by rewrite mulr_gt0 ?ltr0n. Qed.

Lemma to_unitK X : from_unit (to_unit X) = X.
Proof. by rewrite /from_unit /to_unit scalerA mulfV ?gt_eqF ?c_gt0 // scale1r addrK. Qed.

Lemma from_unitK Y : to_unit (from_unit Y) = Y.
Proof. by rewrite /from_unit /to_unit subrK scalerA mulVf ?gt_eqF ?c_gt0 // scale1r. Qed.

Lemma to_unitE X i j : to_unit X i j = (X i j + B) / c.
Proof. by rewrite !mxE mulrC. Qed.

Lemma from_unit_continuous : continuous from_unit.
Proof.
apply: (scaling_continuous c_gt0) => X Y i j; rewrite !mxE.
by rewrite opprB addrA subrK -mulrBr normrM (gtr0_norm c_gt0).
Qed.

Lemma to_unit_continuous : continuous to_unit.
Proof.
have c_pos : 0 < c^-1 by rewrite invr_gt0 c_gt0.
apply: (scaling_continuous c_pos) => X Y i j; rewrite !mxE.
by rewrite -mulrBr normrM (gtr0_norm c_pos) opprD addrACA subrr addr0.
Qed.

Lemma f_unit_continuous : continuous f_unit.
Proof.
have c_pos : 0 < c^-1 by rewrite invr_gt0 c_gt0.
have scale_continuous : continuous (fun X => c^-1 *: X).
  apply: (scaling_continuous c_pos) => X Y i j; rewrite !mxE.
  by rewrite -mulrBr normrM (gtr0_norm c_pos).
move=> Y; apply: (@continuous_comp _ _ _ (f \o from_unit) (fun X => c^-1 *: X)).
  by apply: continuous_comp; [apply: from_unit_continuous | apply: f_continuous].
exact: scale_continuous.
Qed.

Lemma f_unit_equivariant : equivariant f_unit.
Proof.
move=> s Y; rewrite /f_unit; have -> : from_unit (Y *m perm_mx s) = from_unit Y *m perm_mx s.
  by apply/matrixP => i j; rewrite mul_perm !mxE -[in RHS]mul_perm mxE.
by rewrite f_equivariant scalemxAl.
Qed.

Lemma unit_compact : compact (to_unit @` K).
Proof. by apply: continuous_compact K_compact; apply/continuous_subspaceT/to_unit_continuous. Qed.

Lemma unit_in_box Y : (to_unit @` K) Y -> forall i j, 0 <= Y i j <= 1.
Proof.
move=> [X K_X <-] i j; have := K_B K_X i j; rewrite ler_norml to_unitE => /andP[ge le].
by rewrite ler_pdivl_mulr ?c_gt0 // ler_pdivr_mulr ?c_gt0 //; apply/andP; split; lra.
Qed.

Lemma f_unit_zero Y : ~ (to_unit @` K) Y -> f_unit Y = 0.
Proof.
move=> out; rewrite /f_unit f_zero ?scaler0 // => K_X; apply: out.
by exists (from_unit Y); rewrite ?from_unitK.
Qed.

(** Theorem 2 off strips and bands, for any box. *)
Lemma theorem_2_any_box eps tau : 0 < eps -> 0 < tau ->
  exists m (off : 'I_d.+1 -> 'I_n -> nat -> R) (G : R), forall w, 0 < w ->
  exists2 blocks : seq (layer R d.+1 n), every (@block_of_214 R d.+1 n) blocks & forall X,
    [/\ (* 1 *) ~ near_tokens tau X -> ~ in_bands m off w X ->
          within eps (network blocks X) (f X),
        (* 2 *) ~ in_bands m off w X ->
          network blocks X = 0 \/ within eps (network blocks X) (f X),
        (* 3 *) out_of_box (3%:R * B) X -> network blocks X = 0 &
        (* 4 *) forall i j, `|network blocks X i j| <= G].
Proof.
move=> eps_gt0 tau_gt0; have c_pos := c_gt0; have c_neq0 := lt0r_neq0 c_pos.
have [eps_c tau_c] : 0 < eps / c /\ 0 < tau / c by rewrite !divr_gt0.
(* 1. The theorem for the unit box, in its units. *)
have [N [G nets]] := theorem_2 n_gt1 f_unit_equivariant f_unit_continuous unit_compact unit_in_box
  f_unit_zero eps_c tau_c.
exists N.+1, (fun i j k => c * (k%:R * delta R N) - B), (c * G) => w w_gt0.
pose w' := Num.min (w / c) 1; have w'_gt0 : 0 < w' by rewrite lt_minr divr_gt0 ?ltr01.
have [w'_w w'_1] : c * w' <= w /\ w' <= 1.
  by rewrite mulrC -ler_pdivl_mulr // !le_minl !lexx orbT.
have [blocks0 [_ ok0 net0]] := nets w' w'_gt0.
(* 2. The block that adds B, and the network for the unit box, in other units. *)
have [blocks [_ ok blocksE]] := rescaled_blocks c_neq0 ok0.
exists (feed_forward (@relu R) (adding_units d.+1 B) :: blocks) => [|X].
  by split=> //; apply: relu_block; exists (adding_units d.+1 B).
rewrite [network _ X]/= adding_unitsE blocksE /rescaled -/(to_unit X).
have [good strip out bounded] := net0 (to_unit X); have fE : f X = c *: f_unit (to_unit X).
  by rewrite /f_unit to_unitK scalerA mulfV // scale1r.
(* Errors and bands, from those units to these. *)
have near (Z : 'M[R]_(d.+1, n)) :
    within (eps / c) Z (f_unit (to_unit X)) -> within eps (c *: Z) (f X).
  move=> le i j; rewrite fE !mxE -mulrBr normrM (gtr0_norm c_pos) mulrC -ler_pdivl_mulr //.
  by have := le i j; rewrite mxE.
have band : softmax_step.in_bands N w' (to_unit X) ->
    in_bands N.+1 (fun i j k => c * (k%:R * delta R N) - B) w X.
  move=> [i [j [k [k_N]]]]; rewrite to_unitE ltr_pdivr_mulr // ler_pdivl_mulr // => /andP[ge lt].
  exists i, j, k; split=> //=; move: ge lt w'_w; rewrite mulrBl ![_ * c]mulrC.
  by move: (c * (k%:R * _)) (c * w') => x y ge lt le; apply/andP; split; lra.
(* 3. Strips, bands, the outside and the bound, in these units. *)
split=> [apart off|off|[i [j out_X]]|i j].
- apply: near; apply: good => [[j [k [jk le]]]|/band//]; apply: apart; exists j, k; split=> //.
  have := le ord0; rewrite !to_unitE -mulrBl opprD addrACA subrr addr0 normrM.
  by rewrite [`|c^-1|]gtr0_norm ?invr_gt0 // ltr_pmul2r ?invr_gt0.
- by case: strip => [/band//|->|/near]; [left; rewrite scaler0 | right].
- rewrite out ?scaler0 //; exists i, j; rewrite to_unitE ltr_pdivr_mulr // ler_pdivl_mulr //.
  have x_le : - c <= - w' * c by rewrite mulNr ler_opp2 ger_pmull.
  rewrite mul1r; have {out_X} : X i j < - (3%:R * B) \/ 3%:R * B <= X i j := out_X.
  case=> le; [left; apply: lt_le_trans x_le | right]; lra.
by rewrite mxE normrM (gtr0_norm c_pos) ler_pmul2l.
Qed.

End AnyBox.

Theorem theorem_2_d_p (p eps : R) : 0 < p -> 0 < eps -> exists2 blocks : seq (layer R d.+1 n),
  every (@block_of_214 R d.+1 n) blocks & d_p_at_most p setT f (network blocks) eps.
Proof.
move=> p_gt0 eps_gt0.
(* 1. The support lies in a box, and f is bounded. *)
have [B B_gt0 K_B] := compact_in_box K_compact.
have [F F_gt0 f_F] : exists2 F, 0 < F & forall X i j, `|f X i j| <= F.
  have image_compact : compact (f @` K).
    by apply: continuous_compact K_compact; apply/continuous_subspaceT.
  have [F F_gt0 K_F] := compact_in_box image_compact; exists F => // X i j.
  have [K_X|/f_zero ->] := pselect (K X); first by apply: K_F; exists X.
  by rewrite mxE normr0 ltW.
(* 2. A tolerance and a width of strips for eps and the bound of f. *)
have a_gt0 : 0 < 3%:R * B by rewrite mulr_gt0 ?ltr0n.
have [e [tau [e_gt0 e_le1 tau_gt0 rest]]] :=
  small_distance p_gt0 setT f (F + 1) eps_gt0 a_gt0.
(* 3. The networks for these; they have one bound. *)
have [m [off [G nets]]] := theorem_2_any_box B_gt0 K_B e_gt0 tau_gt0.
(* 4. A width of bands for that bound, and the network for it. *)
have [w w_gt0 /(_ off) small] := rest (G + F) m; have [blocks ok net] := nets w w_gt0.
exists blocks => //; apply: small => [X _ out|X _|X _ off_bands|X _ i j].
- have [_ _ net_0 _] := net X; rewrite net_0 //; case: out => i [j out].
  have [/K_B/(_ i j)|/f_zero//] := pselect (K X); rewrite ler_norml => /andP[ge le].
  have {out} : X i j < - (3%:R * B) \/ 3%:R * B <= X i j := out.
  by case=> ?; exfalso; (suff : B < B by rewrite ltxx); lra.
- by have [good _ _ _] := net X.
- have [_ strip _ _] := net X => i j; case: (strip off_bands) => [->|near].
    by rewrite mxE sub0r normrN; apply: le_trans (f_F X i j) _; rewrite ler_addl.
  apply: le_trans (near i j) _; apply: le_trans e_le1 _; rewrite ler_addr; exact: ltW.
have [_ _ _ bounded] := net X; apply: le_trans (ler_norm_sub _ _) _.
exact: ler_add.
Qed.

End Theorem2.
