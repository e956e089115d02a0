(** * Yun et al. (2020), Theorem 3 for the modified network: positional encodings

    For all d >= 1, n >= 2, every compact set K of d x n matrices, every f that is continuous on
    K (equivariant or not) and every eps > 0 there are a matrix E and a network of hardmax
    attention (two heads of size 1) and feed-forward layers (one hidden unit, three pieces) such
    that the network's answer for X + E is within eps of f(X) in each entry, for every X in K.
    Differs from the printed text: hardmax and three pieces, where the theorem has softmax and
    four ReLUs (Proposition 6 is not here); the error is in the sup norm, from which d_p follows,
    K being bounded. E has the paper's form, equal rows of equal steps, with gaps between places.
    No extension of f, no repeated tokens, no sentinel: the answer is right on all of K. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax rescaled.

Section Places.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Notation delta := (delta R N).
Hypothesis delta_small : 2%:R * n%:R * delta <= 1.
Implicit Types (L X Y : 'M[R]_(d.+1, n)) (s t : 'S_n).

(** Numbers of the place j: [j/n, j/n + 1/(2n)]. *)
Definition at_place (j : 'I_n) (y : R) := j%:R <= n%:R * y <= j%:R + 2%:R^-1.
(** Each entry lies at the place of its token. *)
Definition placed Y := forall i j, at_place j (Y i j).

Lemma place_of (j k : 'I_n) y z : at_place j y -> at_place k z -> `|y - z| < delta -> j = k.
Proof.
have le a b u v : at_place a u -> at_place b v -> u < v + delta -> (a <= b)%N.
  move=> /andP[a_u _] /andP[_ v_b] u_v; rewrite -ltnS -(ltr_nat R) -addn1 natrD.
  have n_gt0 : 0 < n%:R :> R by rewrite ltr0n (leq_ltn_trans _ (ltn_ord a)).
  have : n%:R * u < n%:R * v + n%:R * delta by rewrite -mulrDr ltr_pmul2l.
  move: a_u v_b delta_small; lra.
move=> j_y k_z; rewrite ltr_norml => /andP[z_y y_z]; apply/val_inj/anti_leq/andP; split.
  by apply: le j_y k_z _; rewrite -ltr_subl_addl.
by apply: le k_z j_y _; move: z_y; rewrite ltr_subr_addr addrC ltr_subl_addr.
Qed.

Lemma cube_near L Y Z : in_cube N L Y -> in_cube N L Z -> forall i j, `|Y i j - Z i j| < delta.
Proof.
move=> Y_L Z_L i j; have := Y_L i j; have := Z_L i j; rewrite ltr_norml.
move=> /andP[a b] /andP[c e]; apply/andP; split; move: a b c e; lra.
Qed.

(** Only one order of the columns of L has a cube that holds placed sequences. *)
Lemma order_unique L s Y Z : placed Y -> placed Z -> in_cube N L Y ->
  in_cube N (L *m perm_mx s) Z -> s = 1%g.
Proof.
move=> Y_ok Z_ok Y_L Z_L; apply/permP => k; rewrite perm1.
apply: (place_of (Z_ok ord0 (s k)) (Y_ok ord0 k)).
have := Z_L ord0 (s k); rewrite mul_perm permK => /andP[a b].
have /andP[c e] := Y_L ord0 k; rewrite ltr_norml; apply/andP; split; move: a b c e; lra.
Qed.

(** A placed sequence lies in a cube of different columns. *)
Lemma placed_cube Y : (0 < n)%N -> placed Y -> exists2 L, distinct_grid N L & in_cube N L Y.
Proof.
move=> n_gt0 Y_ok; have [//|[_ [[i [j out]]|[j [k [/eqP jk near]]]]]] := cube_or_not N_gt1 Y.
  have /andP[ge le] := Y_ok i j; have n_gt0' : 0 < n%:R :> R by rewrite ltr0n.
  have j_n : j%:R + 1 <= n%:R :> R by rewrite -mulrSr ler_nat.
  have : 0 <= Y i j by rewrite -(pmulr_rge0 _ n_gt0') (le_trans _ ge).
  have : Y i j < 1 by rewrite -(ltr_pmul2l n_gt0') mulr1; move: le j_n; lra.
  by case: out => [/lt_geF->|/le_gtF->].
by case: jk; apply: place_of (Y_ok ord0 j) (Y_ok ord0 k) (near ord0).
Qed.

(** ** The values on cubes *)

Variables (U : set 'M[R]_(d.+1, n)) (g : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)).
Hypothesis U_placed : forall Y, U Y -> placed Y.

(** The cube at L holds a point of the domain. *)
Definition holds L := exists2 Y, U Y & in_cube N L Y.
(** Such a point, where there is one. *)
Definition some_point L := xget 0 [set Y | U Y /\ in_cube N L Y].

Lemma some_pointP L : holds L -> U (some_point L) /\ in_cube N L (some_point L).
Proof.
by case=> Y U_Y Y_L; apply: (@xgetPex _ 0 [set Y | U Y /\ in_cube N L Y]); exists Y.
Qed.

(** An order of the columns in which the cube holds a point. *)
Definition order L := xget 1%g [set s | holds (L *m perm_mx s)].
(** The value of g at such a point, its columns put back; 0 where there is none. *)
Definition answer L :=
  if `[< exists s, holds (L *m perm_mx s) >]
  then g (some_point (L *m perm_mx (order L))) *m perm_mx (order L)^-1%g else 0.

Lemma orderE L s : holds (L *m perm_mx s) -> order L = s.
Proof.
move=> L_s; have : holds (L *m perm_mx (order L)) 
  by apply: (@xgetPex _ 1%g [set s | holds (L *m perm_mx s)]); exists s.
case=> Z U_Z Z_L; case: L_s => Y U_Y Y_L.
apply/eqP; rewrite eq_mulVg1; apply/eqP.
apply: (order_unique (U_placed U_Z) (U_placed U_Y) Z_L).
by rewrite -mulmxA -perm_mxM mulKVg.
Qed.

Lemma answer_perm L s : answer (L *m perm_mx s) = answer L *m perm_mx s.
Proof.
rewrite /answer; have [[t]|none] := pselect (exists t, holds (L *m perm_mx s *m perm_mx t)).
  move=> L_t; rewrite (orderE L_t); move: L_t; rewrite -mulmxA -perm_mxM => L_st.
  rewrite (orderE L_st) !asboolT; last by exists t; rewrite -mulmxA -perm_mxM.
    by rewrite -mulmxA -perm_mxM invMg mulgKV.
  by exists (s * t)%g.
rewrite !asboolF ?mul0mx // => [[t L_t]]; apply: none; exists (s^-1 * t)%g.
by rewrite -mulmxA -perm_mxM mulKVg.
Qed.

Lemma answerE L : holds L -> answer L = g (some_point L).
Proof.
move=> L_ok; have L_1 : holds (L *m perm_mx 1) by rewrite perm_mx1 mulmx1.
by rewrite /answer asboolT; [rewrite (orderE L_1) invg1 perm_mx1 !mulmx1 | exists 1%g].
Qed.

End Places.

Section Theorem3.

Variables (R : realType) (d n : nat) (K : set 'M[R]_(d.+1, n)).
Variable f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis n_gt1 : (1 < n)%N.

(** Positions for numbers from -B to B: B + 4 B j. *)
Definition encoding (B : R) : 'M[R]_(d.+1, n) := \matrix_(i, j) (B + 4%:R * B * j%:R).

Lemma encoding_placed B (X : 'M[R]_(d.+1, n)) : 0 < B -> (forall i j, `|X i j| <= B) ->
  placed ((4%:R * B * n%:R)^-1 *: (X + encoding B)).
Proof.
move=> B_gt0 X_B i j; have := X_B i j; rewrite ler_norml => /andP[ge le].
have B4_gt0 : 0 < 4%:R * B by rewrite mulr_gt0 ?ltr0n.
have n_neq0 : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n (ltnW n_gt1).
have frac u m t : m != 0 -> m * ((u * m)^-1 * t) = t / u :> R.
  by move=> m_neq0; rewrite invfM -mulrA mulrCA [m * (m^-1 * t)]mulrA mulfV // mul1r mulrC.
rewrite /at_place !mxE frac // ler_pdivl_mulr // ler_pdivr_mulr //.
move: (X i j) (j%:R : R) ge le => x y ge le; apply/andP; split; move: ge le; lra.
Qed.

(** Cells so small that f varies little in one, and that none has numbers of two places. *)
Lemma small_cells (c eta : R) : 0 < c -> 0 < eta ->
  exists N, [/\ (1 < N)%N, delta R N * c <= eta & 2%:R * n%:R * delta R N <= 1].
Proof.
move=> c_gt0 eta_gt0; have pos : 0 < 2%:R * n%:R :> R by rewrite mulr_gt0 // ltr0n // ltnW.
have [|N N_gt1 N_small] := @small_delta R (Num.min (eta / c) (2%:R * n%:R)^-1).
  by rewrite lt_minr divr_gt0 // invr_gt0.
move: N_small; rewrite le_minr ler_pdivl_mulr // => /andP[N_eta N_n]; exists N; split=> //.
by rewrite -[X in _ <= X](mulfV (lt0r_neq0 pos)) ler_pmul2l.
Qed.

(** ** Sequences with positions, in units in which all is in [0, 1) *)
Section Units.

Variable B : R.
Hypotheses (B_gt0 : 0 < B) (K_B : forall X, K X -> forall i j, `|X i j| <= B).
Notation c := (4%:R * B * n%:R).
Notation E := (encoding B).

(** With positions, and in units of c. *)
Definition in_units X : 'M[R]_(d.+1, n) := c^-1 *: (X + E).
(** From these units back, and without positions. *)
Definition from_units Y : 'M[R]_(d.+1, n) := c *: Y - E.

(** The domain in these units. *)
Definition unit_domain : set 'M[R]_(d.+1, n) := [set Y | K (from_units Y)].
(** The function f in these units. *)
Definition unit_f Y : 'M[R]_(d.+1, n) := c^-1 *: f (from_units Y).

(** The unit c is positive. *)
Lemma unit_gt0 : 0 < c.
Proof. by rewrite !mulr_gt0 // ltr0n // ltnW. Qed.

Lemma in_unitsK X : from_units (in_units X) = X.
Proof. by rewrite /from_units scalerA mulfV ?gt_eqF ?unit_gt0 // scale1r addrK. Qed.

(** A sequence of K lies, with positions and in units of c, in the domain in these units. *)
Lemma in_units_domain X : K X -> unit_domain (in_units X).
Proof. by rewrite /unit_domain /= in_unitsK. Qed.

(** In these units each entry of a sequence of the domain lies at the place of its token. *)
Lemma unit_domain_placed Y : unit_domain Y -> placed Y.
Proof.
move=> /K_B/(encoding_placed B_gt0); rewrite subrK scalerA mulVf ?gt_eqF ?unit_gt0 //.
by rewrite scale1r.
Qed.

Variables (N : nat) (eps eta : R).
Hypotheses (N_n : 2%:R * n%:R * delta R N <= 1) (N_eta : delta R N * c <= eta).
Hypothesis f_eta : forall X Y, K X -> K Y -> ball X eta Y -> ball (f X) eps (f Y).

(** The values on cubes. *)
Notation unit_answer := (answer N unit_domain unit_f).

(** The values on cubes follow permutations. *)
Lemma unit_answer_perm L s : unit_answer (L *m perm_mx s) = unit_answer L *m perm_mx s.
Proof. exact: (answer_perm N_n unit_f unit_domain_placed L s). Qed.

(** On the cube of X + E it is f at a point of K that is near X. *)
Lemma unit_answer_near L X : K X -> in_cube N L (in_units X) ->
  forall i j, `|(c *: unit_answer L) i j - f X i j| < eps.
Proof.
move=> K_X X_L; have L_holds : holds N unit_domain L by exists (in_units X); first exact: in_units_domain.
rewrite (answerE N_n unit_f unit_domain_placed L_holds).
have [K_Z Z_L] := some_pointP L_holds; set Z := some_point N unit_domain L in K_Z Z_L *.
rewrite scalerA mulfV ?gt_eqF ?unit_gt0 // scale1r => i j; rewrite distrC; move: i j.
apply/mx_ballP; apply: f_eta => //; apply/mx_ballP => i j.
have -> : X i j - from_units Z i j = c * (in_units X i j - Z i j).
  rewrite -{1}(in_unitsK X); move: (in_units X) Z {K_Z Z_L X_L} => Y Z; rewrite !mxE.
  by rewrite opprB addrA subrK -mulrBr.
rewrite normrM gtr0_norm ?unit_gt0 //; apply: lt_le_trans N_eta.
by rewrite [c * _]mulrC (ltr_pmul2r unit_gt0) (cube_near N_n X_L Z_L).
Qed.

End Units.

Theorem theorem_3_hardmax : compact K -> {within K, continuous f} ->
  forall eps : R, 0 < eps ->
  exists (E : 'M[R]_(d.+1, n)) (layers : seq (layer R d.+1 n)),
    every (@allowed_layer R d n) layers /\
    forall X, K X -> forall i j, `|network layers (X + E) i j - f X i j| <= eps.
Proof.
move=> K_compact f_cont eps eps_gt0.
(* 1. A bound B of K, so that places have numbers of their own: E sends place j to numbers from 4 B j to 4 B j + 2 B. *)
have [B B_gt0 K_B] := compact_in_box K_compact; exists (encoding B).
(* 2. [f_eta]: f varies by less than eps where all entries vary by less than eta. *)
have [eta eta_gt0 f_eta] := compact_uniform K_compact f_cont eps_gt0.
(* 3. Cells of width 1/N for it, in units of c = 4 B n, in which X + E is in [0, 1): so small that f varies by less
   than eps in one, and that none has numbers of two places. [N_n]: a cell is no wider than the gap between places. *)
have c_gt0 := unit_gt0 B_gt0; have [N [N_gt1 N_eta N_n]] := small_cells c_gt0 eta_gt0.
(* 4. The values on cubes, of f at some point in each, follow permutations: so Proposition 5 has a network for them.
   [layersE]: it has this value on each cube with different columns. *)
have A_perm L s (_ : distinct_grid N L) := unit_answer_perm B_gt0 K_B N_n L s.
have [layers0 [_ ok0 layersE]] := proposition_5 N_gt1 n_gt1 A_perm.
(* 5. [layers_c]: the same network in units of c. *)
have [layers [_ ok layers_c]] := rescaled_network (lt0r_neq0 c_gt0) ok0.
exists layers; split=> // X K_X i j; rewrite layers_c /rescaled -/(in_units B X).
(* 6. X + E lies in a cube with different columns, since places differ; there the answer is f near X. *)
have X_placed := unit_domain_placed B_gt0 K_B (in_units_domain B_gt0 K_X).
have [L L_ok X_L] := placed_cube N_gt1 N_n (ltnW n_gt1) X_placed.
rewrite ((layersE _).1 L L_ok X_L); apply: ltW.
exact: (unit_answer_near B_gt0 K_B N_n N_eta f_eta K_X X_L).
Qed.

End Theorem3.
