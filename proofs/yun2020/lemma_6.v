(** * Yun et al. (2020), Lemma 6 for the network of Proposition 5, in the distance d_p

    For all d >= 1, n >= 2, delta = 1/N, N >= 2, and all values A_L that follow permutations there
    is one network of hardmax attention and activations of three pieces that is A_L on the cubes
    S_L with different columns and zero elsewhere, and for all real p > 0 and eps > 0 a
    transformer g of the class T^{2,1,4} with d_p(network, g) <= eps over all of R^{d x n}, in the
    sense of [upper_integral.v]. The printed lemma says this of every modified network; the
    theorem needs it of these. Queries have a bias. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import classical_sets.
From UAT.yun2020 Require Import layers grid value_layers proposition_5 theorem_2_hardmax soft_layers.
From UAT.yun2020 Require Import softmax_step transformer_blocks step_function upper_integral distance_d_p.

Section Lemma6.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation delta := (delta R N).
Implicit Types (L X : 'M[R]_(d.+1, n)).

Variable A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis A_perm : forall L (s : 'S_n), distinct_grid N L -> A (L *m perm_mx s) = A L *m perm_mx s.

(** There are finitely many values. *)
Lemma values_bounded : exists2 F : R, 0 <= F & forall L, distinct_grid N L ->
  forall i j, `|A L i j| <= F.
Proof.
pose corner (c : {ffun 'I_d.+1 * 'I_n -> 'I_N}) : 'M[R]_(d.+1, n) :=
  \matrix_(i, j) ((c (i, j))%:R * delta).
exists (\sum_c \sum_i \sum_j `|A (corner c) i j|) => [|L [L_box _] i j].
  by apply: sumr_ge0 => c _; apply: sumr_ge0 => i _; apply: sumr_ge0 => j _.
have entry ij : exists k : 'I_N, L ij.1 ij.2 = k%:R * delta.
  by have [k k_N ->] := L_box ij.1 ij.2; exists (Ordinal k_N).
have [l lP] := fin_all_exists entry; have -> : L = corner [ffun ij => l ij].
  by apply/matrixP => i' j'; rewrite mxE ffunE -(lP (i', j')).
rewrite (bigD1 [ffun ij => l ij]) //= (bigD1 i) //= (bigD1 j) //= -!addrA ler_addl.
rewrite !addr_ge0 //; try by apply: sumr_ge0.
  by apply: sumr_ge0 => i' _; apply: sumr_ge0.
by apply: sumr_ge0 => c _; apply: sumr_ge0 => i' _; apply: sumr_ge0.
Qed.

(** ** The two networks beside each other *)
Section Beside.

Variables (layers blocks : seq (layer R d.+1 n)) (F G e w : R).
Notation wider := (Num.min w 1).
Notation ends := (fun (_ : 'I_d.+1) (_ : 'I_n) (k : nat) => k%:R * delta : R).
Hypothesis A_F : forall L, distinct_grid N L -> forall i j, `|A L i j| <= F.
Hypotheses (F_ge0 : 0 <= F) (e_ge0 : 0 <= e).
Hypothesis layersE : forall X,
  (forall L, distinct_grid N L -> proposition_5.in_cube N L X -> network layers X = A L) /\
  ((forall L, distinct_grid N L -> ~ proposition_5.in_cube N L X) -> network layers X = 0).
Hypothesis net : forall X,
  [/\ forall L, distinct_grid N L -> proposition_5.in_cube N L X -> ~ softmax_step.in_bands N w X ->
        within e (network blocks X) (A L),
      ~ softmax_step.in_bands N w X ->
        (forall L, distinct_grid N L -> ~ proposition_5.in_cube N L X) -> network blocks X = 0,
      (exists i j, X i j < - wider \/ 1 <= X i j) -> network blocks X = 0 &
      forall i j, `|network blocks X i j| <= G].

(** Off the bands the networks are within e of each other: near A on cubes with different columns, and 0 elsewhere. *)
Lemma near_off_bands X : ~ in_bands N.+1 ends w X -> within e (network blocks X) (network layers X).
Proof.
move=> off; have off' : ~ softmax_step.in_bands N w X.
  by move=> [i [j [k [k_N band]]]]; apply: off; exists i, j, k.
have [on_cubes off_cubes _ _] := net X; have [on_cubes' off_cubes'] := layersE X.
have [[L L_ok X_L]|[none _]] := cube_or_not N_gt1 X.
  by rewrite (on_cubes' L L_ok X_L); apply: on_cubes.
by rewrite (off_cubes off' none) (off_cubes' none) => i j; rewrite subrr normr0.
Qed.

(** Far outside the box the two networks agree: both are 0. *)
Lemma both_0_far_away X : out_of_box 2%:R X -> network blocks X = network layers X.
Proof.
have [_ _ net_0 _] := net X; have [_ off_cubes'] := layersE X.
move=> [i [j out]]; have {out} : X i j < - 2%:R \/ 2%:R <= X i j := out.
have w_le1 : wider <= 1 by rewrite le_minl lexx orbT.
move=> out; rewrite net_0; last by exists i, j; case: out => ?; [left | right]; lra.
rewrite off_cubes' // => L [L_box _] X_L; have [k k_N L_k] := L_box i j; have := X_L i j.
rewrite L_k -in_cellE => /(cell_bounds (ltnW N_gt1) k_N)/andP[ge lt].
case: out => [/(le_lt_trans ge)|/le_lt_trans/(_ lt)]; last by rewrite (ltr_nat _ 2 1).
by rewrite oppr_gt0 ltNge ler0n.
Qed.

(** Everywhere the two networks differ by at most G + F. *)
Lemma bounded_difference X : within (G + F) (network blocks X) (network layers X).
Proof.
move=> i j; have [_ _ _ bounded] := net X.
apply: le_trans (ler_norm_sub _ _) (ler_add (bounded i j) _).
have [on_cubes' off_cubes'] := layersE X.
have [[L L_ok X_L]|[none _]] := cube_or_not N_gt1 X; first by rewrite (on_cubes' L L_ok X_L) A_F.
by rewrite (off_cubes' none) mxE normr0.
Qed.

End Beside.

Theorem lemma_6 : exists layers : seq (layer R d.+1 n),
  [/\ every (@allowed_layer R d n) layers,
      forall X, (forall L, distinct_grid N L -> proposition_5.in_cube N L X ->
        network layers X = A L) /\
        ((forall L, distinct_grid N L -> ~ proposition_5.in_cube N L X) -> network layers X = 0) &
      forall p eps : R, 0 < p -> 0 < eps ->
        exists2 blocks : seq (layer R d.+1 n), every (@block_of_214 R d.+1 n) blocks &
          d_p_at_most p setT (network layers) (network blocks) eps].
Proof.
(* 1. The network of Proposition 5; [A_F]: its values are at most F, as they are finitely many. *)
have [layers [_ ok layersE]] := proposition_5 N_gt1 n_gt1 A_perm; exists layers; split=> //.
have [F F_ge0 A_F] := values_bounded; move=> p eps p_gt0 eps_gt0.
have two_gt0 : 0 < 2%:R :> R by rewrite ltr0n.
(* 2. How much error eps allows: a tolerance e; there are no strips to give up. [e_le1]: an error of e is within 1,
   the bound for strips that we hand in. [bands_for]: for every bound on the error there is a width of bands so narrow
   that a network with these errors has d_p <= eps. *)
have [e [tau [e_gt0 e_le1 _ bands_for]]] :=
  small_distance p_gt0 setT (network layers) 1 eps_gt0 two_gt0.
(* 3. [networks]: with softmax and ReLU a network for e and every width of bands, all with the one bound G. *)
have [G networks] := step_function N_gt1 n_gt1 A_perm e_gt0.
(* 4. So w comes from the bound G + F on the error. [is_near]: errors as allowed give d_p <= eps. *)
have [w w_gt0 /(_ (fun _ _ k => k%:R * delta)) is_near] := bands_for (G + F) N.+1.
have [blocks [_ blocks_ok net]] := networks w w_gt0; exists blocks => //.
(* 5. They are as allowed: none far outside, e off the bands, G + F anywhere. *)
have near := near_off_bands (ltW e_gt0) layersE net.
apply: is_near => [X _ out|X _ _|X _ off i j|X _ i j].
- exact: (both_0_far_away F_ge0 (ltW e_gt0) layersE net out).
- exact: near.
- exact: le_trans (near X off i j) e_le1.
exact: (bounded_difference A_F F_ge0 layersE net X i j).
Qed.

End Lemma6.
