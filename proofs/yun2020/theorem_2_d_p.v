(** * Yun et al. (2020), Theorem 2, in the distance d_p

    For all d >= 1, n >= 2, every continuous, permutation equivariant f with compact support, all real p > 0 (the paper
    has p >= 1) and eps > 0 there is a transformer g of the class T^{2,1,4} with d_p(f, g) <= eps over all of R^{d x n}:
    the p-th power of f - g lies below a step function with an integral of at most eps^p ([upper_integral.v],
    [distance_d_p.v]). From [theorem_2.v], which has it off strips and bands, for a support in [0, 1]; any box is first
    moved there, by one block more and other units. Queries have a bias. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax rescaled relu_layers soft_layers.
From UAT.yun2020 Require Import softmax_step transformer_blocks theorem_2 rescaled_blocks upper_integral distance_d_p.

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

(** From the box [-B, B] to [0, 1], entry by entry. *)
Definition to_unit X : 'M[R]_(d.+1, n) := c^-1 *: (X + const_mx B).
(** From [0, 1] back to the box [-B, B]. *)
Definition from_unit Y : 'M[R]_(d.+1, n) := c *: Y - const_mx B.
(** The function f in units in which the box [-B, B] is [0, 1]. *)
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

(** Errors, strips, bands and the outside, from the unit box to this one. *)
Lemma near_from_unit e Z X : within (e / c) Z (f_unit (to_unit X)) -> within e (c *: Z) (f X).
Proof.
have -> : f X = c *: f_unit (to_unit X).
  by rewrite /f_unit to_unitK scalerA mulfV ?gt_eqF ?c_gt0 // scale1r.
move=> le i j; rewrite !mxE -mulrBr normrM (gtr0_norm c_gt0) mulrC -ler_pdivl_mulr ?c_gt0 //.
by have := le i j; rewrite mxE.
Qed.

Lemma strip_from_unit tau X : in_strip (tau / c) (to_unit X) -> near_tokens tau X.
Proof.
move=> [j [k [jk le]]]; exists j, k; split=> //; have := le ord0.
rewrite !to_unitE -mulrBl opprD addrACA subrr addr0 normrM.
by rewrite [`|c^-1|]gtr0_norm ?invr_gt0 ?c_gt0 // ltr_pmul2r ?invr_gt0 ?c_gt0.
Qed.
(** Where bands end: at the multiples of 1/N of the unit box, stretched to the box of the domain. *)
Definition ends N (i : 'I_d.+1) (j : 'I_n) (k : nat) : R := c * (k%:R * delta R N) - B.

Lemma band_from_unit N w w' X : c * w' <= w -> softmax_step.in_bands N w' (to_unit X) ->
  in_bands N.+1 (ends N) w X.
Proof.
move=> w'_w [i [j [k [k_N]]]]; rewrite to_unitE ltr_pdivr_mulr ?c_gt0 // ler_pdivl_mulr ?c_gt0 //.
move=> /andP[ge lt]; exists i, j, k; split=> //; rewrite /ends.
move: ge lt w'_w; rewrite mulrBl ![_ * c]mulrC.
by move: (c * (k%:R * _)) (c * w') (X i j) => x y z ge lt le; apply/andP; split; lra.
Qed.

Lemma outside_to_unit w X : w <= 1 -> out_of_box (3%:R * B) X ->
  exists i j, to_unit X i j < - w \/ 1 <= to_unit X i j.
Proof.
have c_pos := c_gt0; move=> w_1 [i [j out_X]]; exists i, j.
rewrite to_unitE ltr_pdivr_mulr // ler_pdivl_mulr //.
have x_le : - c <= - w * c by rewrite mulNr ler_opp2 ger_pmull.
rewrite mul1r; have {out_X} : X i j < - (3%:R * B) \/ 3%:R * B <= X i j := out_X.
by case=> le; [left; apply: lt_le_trans x_le | right]; lra.
Qed.

(** Theorem 2 off strips and bands, for any box. *)
Lemma theorem_2_any_box eps tau : 0 < eps -> 0 < tau ->
  exists m (edges : 'I_d.+1 -> 'I_n -> nat -> R) (G : R), forall w, 0 < w ->
  exists2 blocks : seq (layer R d.+1 n), every (@block_of_214 R d.+1 n) blocks & forall X,
    [/\ (* 1 *) ~ near_tokens tau X -> ~ in_bands m edges w X ->
          within eps (network blocks X) (f X),
        (* 2 *) ~ in_bands m edges w X ->
          network blocks X = 0 \/ within eps (network blocks X) (f X),
        (* 3 *) out_of_box (3%:R * B) X -> network blocks X = 0 &
        (* 4 *) forall i j, `|network blocks X i j| <= G].
Proof.
move=> eps_gt0 tau_gt0; have [eps_c tau_c] : 0 < eps / c /\ 0 < tau / c.
  by rewrite !divr_gt0 ?c_gt0.
(* 1. In units of c = 2 B, with B added, the box [-B, B] is [0, 1], and there is Theorem 2 off strips and bands. It is
   taken for eps/c and tau/c. [networks]: with one bound G, a network for every width of bands. *)
have [N [G networks]] := theorem_2 n_gt1 f_unit_equivariant f_unit_continuous unit_compact
  unit_in_box f_unit_zero eps_c tau_c; exists N.+1, (ends N), (c * G) => w w_gt0.
pose w' := Num.min (w / c) 1; have w'_gt0 : 0 < w' by rewrite lt_minr divr_gt0 ?ltr01 ?c_gt0.
have [w'_w w'_1] : c * w' <= w /\ w' <= 1.
  by rewrite mulrC -ler_pdivl_mulr ?c_gt0 // !le_minl !lexx orbT.
have [blocks0 [_ ok0 net0]] := networks w' w'_gt0.
(* 2. The network: first a block that adds B to all entries, then the blocks for the unit box, each in units of c. *)
have [blocks [_ ok blocksE]] := rescaled_blocks (lt0r_neq0 c_gt0) ok0.
exists (feed_forward (@relu R) (adding_units d.+1 B) :: blocks) => [|X].
  by split=> //; apply: relu_block; exists (adding_units d.+1 B).
rewrite [network _ X]/= adding_unitsE blocksE /rescaled -/(to_unit X).
(* 3. Back in the old units: an error of eps, strips of width tau, bands of width w at most, 0 outside of three times
   the box, and the bound c G. A strip has tokens near each other in all entries, so in the first as well. *)
have [good strip out bounded] := net0 (to_unit X); split=> [apart off|off|out_X|i j].
- apply/near_from_unit/good => [/strip_from_unit//|/(band_from_unit w'_w)//].
- by case: strip => [/(band_from_unit w'_w)//|->|/near_from_unit]; [left; rewrite scaler0 | right].
- by rewrite out ?scaler0 //; apply: outside_to_unit.
by rewrite mxE normrM (gtr0_norm c_gt0) ler_pmul2l ?c_gt0.
Qed.

End AnyBox.

(** As f is continuous and has compact support, it is bounded. *)
Lemma support_bounded : exists2 F, 0 < F & forall X i j, `|f X i j| <= F.
Proof.
have image_compact : compact (f @` K).
  by apply: continuous_compact K_compact; apply/continuous_subspaceT.
have [F F_gt0 K_F] := compact_in_box image_compact; exists F => // X i j.
have [K_X|/f_zero ->] := pselect (K X); first by apply: K_F; exists X.
by rewrite mxE normr0 ltW.
Qed.

(** Outside of a larger box f is zero. *)
Lemma zero_far_away B X : 0 < B -> (forall X, K X -> forall i j, `|X i j| <= B) ->
  out_of_box (3%:R * B) X -> f X = 0.
Proof.
move=> B_gt0 K_B [i [j out]]; have [/K_B/(_ i j)|/f_zero//] := pselect (K X).
rewrite ler_norml => /andP[ge le]; exfalso; suff : B < B by rewrite ltxx.
by have {out} : X i j < - (3%:R * B) \/ 3%:R * B <= X i j := out; case=> ?; lra.
Qed.

Theorem theorem_2_d_p (p eps : R) : 0 < p -> 0 < eps -> exists2 blocks : seq (layer R d.+1 n),
  every (@block_of_214 R d.+1 n) blocks & d_p_at_most p setT f (network blocks) eps.
Proof.
move=> p_gt0 eps_gt0.
(* 1. To integrate over a box and not over all of space: [K_B], the support lies in [-B, B]; [f_F], f is at most F. *)
have [B B_gt0 K_B] := compact_in_box K_compact; have [F F_gt0 f_F] := support_bounded.
have a_gt0 : 0 < 3%:R * B by rewrite mulr_gt0 ?ltr0n.
(* 2. How much error eps allows: a tolerance e off the thin sets, and a width tau of strips, where two tokens have about
   the same first entry; there it may be F + 1, for the F of the lemma. [e_le1]: F + e is within this. [bands_for]: for
   every bound on the error there is a width w of bands so narrow that a network with these errors has d_p <= eps. *)
have [e [tau [e_gt0 e_le1 tau_gt0 bands_for]]] :=
  small_distance p_gt0 setT f (F + 1) eps_gt0 a_gt0.
(* 3. Theorem 2 for e and tau. [networks]: for every width of bands there is a network within e of f off strips and
   bands, and at most G; G is the same for all widths, or w and the bound would wait for each other. *)
have [m [edges [G networks]]] := theorem_2_any_box B_gt0 K_B e_gt0 tau_gt0.
(* 4. So w comes from the bound G + F on the error. [is_near]: errors as allowed give d_p <= eps. [net]: the four
   properties of the network for w. *)
have [w w_gt0 /(_ edges) is_near] := bands_for (G + F) m; have [blocks ok net] := networks w w_gt0.
exists blocks => //; apply: is_near => [X _ out|X _|X _ off_bands i j|X _ i j].
(* 5. The error is as allowed: 0 outside a larger box, e off strips and bands, *)
- by have [_ _ net_0 _] := net X; rewrite net_0 // (zero_far_away B_gt0 K_B out).
- by have [good _ _ _] := net X.
(* 6. F + 1 on strips, where the network is 0 or near f, and G + F on bands. *)
- have [_ strip _ _] := net X; case: (strip off_bands) => [->|/(_ i j) near].
    by rewrite mxE sub0r normrN; apply: le_trans (f_F X i j) _; rewrite ler_addl.
  by apply: le_trans near (le_trans e_le1 _); rewrite ler_addr ltW.
by have [_ _ _ bounded] := net X; apply: le_trans (ler_norm_sub _ _) (ler_add (bounded i j) _).
Qed.

End Theorem2.
