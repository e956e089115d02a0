(** * Yun et al. (2020), Theorem 2 for the modified network: off thin strips, and bounded on them

    For all d >= 1, n >= 2, every permutation equivariant f that is uniformly continuous on R^{d
    x n} and zero outside [0, 1]^{d x n} (as continuous functions with compact support in it
    are), and all eps, tau > 0, there is a network of hardmax attention (two heads of size 1) and
    feed-forward layers (one hidden unit, three pieces) such that at every point of R^{d x n} at
    which no two tokens are within tau in all coordinates all entries are within eps of f; and at
    every other point the output is zero or within eps of f; outside [0, 1)^{d x n} it is zero.
    The strips, |X_j - X_k| < tau, have a volume in the box that goes to 0 with tau; so this is
    the form from which d_p follows. Propositions 4 and 5 of the paper; Proposition 6 (softmax
    and ReLU in their place) is not here. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5.

Section Cubes.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Implicit Types (L X Y : 'M[R]_(d.+1, n)).

(** All entries are within [e]. *)
Definition within (e : R) X Y := forall i j, `|X i j - Y i j| <= e.

Notation delta := (delta R N).
Let delta_pos : 0 < delta := delta_gt0 R (ltnW N_gt1).

(** The centre of the cube whose lowest corner is L. *)
Definition centre L := L + const_mx (delta / 2%:R).

(** To permute the columns of L permutes those of the centre of its cube. *)
Lemma centre_perm L (s : 'S_n) : centre (L *m perm_mx s) = centre L *m perm_mx s.
Proof. by apply/matrixP => i j;
  rewrite mul_perm [LHS]mxE [RHS]mxE mul_perm [const_mx _ _ _]mxE mxE. Qed.

(** A point of a cube is within delta of its centre. *)
Lemma centre_near L X : in_cube N L X -> within delta X (centre L).
Proof.
have half_ge0 : 0 <= delta / 2%:R by rewrite divr_ge0 ?ler0n ?ltW.
have half_le : delta / 2%:R <= delta by rewrite ler_pdivr_mulr ?ltr0n // ler_pmulr // ler1n.
move=> X_L i j; have /andP[le lt] := X_L i j; rewrite !mxE ler_norml opprD addrA.
apply/andP; split; first by rewrite -[- delta]add0r ler_add ?subr_ge0 // ler_opp2.
by rewrite ler_subl_addr ler_paddr // ler_subl_addl ltW.
Qed.

(** Two tokens in one cell are near. *)
Lemma same_cell L X j k : in_cube N L X -> col j L = col k L -> forall i, `|X i j - X i k| < delta.
Proof.
move=> X_L /colP same i; have := same i; rewrite !mxE => L_jk.
have /andP[j_ge j_lt] := X_L i j; have /andP[k_ge k_lt] := X_L i k; rewrite L_jk in j_ge j_lt.
have apart a b : L i k <= b -> a < L i k + delta -> a - b < delta.
  by move=> ge lt; rewrite ltr_subl_addl (lt_le_trans lt) // ler_add2r.
by rewrite ltr_norml ltr_oppl opprB !apart.
Qed.

(** Some entry lies outside [0, 1). *)
Definition outside X := exists i j, X i j < 0 \/ 1 <= X i j.
(** Two tokens are nearer than [tau] to each other in all entries. *)
Definition in_strip (tau : R) X := exists j k, j != k /\ forall i, `|X i j - X i k| < tau.

(** The cubes fill the box alone. *)
Lemma in_no_cube L X : box_grid N L -> outside X -> ~ in_cube N L X.
Proof.
move=> L_box [i [j out]] X_L; have [k k_N L_k] := L_box i j; have := X_L i j; rewrite L_k -in_cellE.
by move/(cell_bounds (ltnW N_gt1) k_N) => /andP[]; case: out => [/lt_geF->|/le_gtF->].
Qed.

(** Where a point is. *)
Lemma cube_or_not X : (exists2 L, distinct_grid N L & in_cube N L X) \/
  (forall L, distinct_grid N L -> ~ in_cube N L X) /\ (outside X \/ in_strip delta X).
Proof.
have N_gt0 := ltnW N_gt1.
have [/forallP inside|] := boolP [forall i, [forall j, 0 <= X i j < 1]]; last first.
  rewrite negb_forall => /existsP[i]; rewrite negb_forall => /existsP[j out]; right; split.
    move=> L [L_box _] X_L; case/negP: out; have [k k_N L_k] := L_box i j.
    by apply: (cell_bounds N_gt0 k_N); rewrite in_cellE -L_k.
  by left; exists i, j; move: out; rewrite negb_and -ltNge -leNgt => /orP.
have L_box : box_grid N (g_q N X).
  move=> i j; have /forallP/(_ j) X_ij := inside i.
  have [k k_N k_X] := some_cell N_gt0 X_ij; exists k => //.
  by rewrite /g_q lemma_7.quantizerE (lemma_7.quantize_cell d.+1 n N_gt0 k_N).
have X_L := cube_g_q N_gt1 L_box.
have [/injectiveP L_inj|/injectivePn[j [k jk same]]] := boolP (injectiveb (fun j => col j (g_q N
  X))).
  by left; exists (g_q N X).
right; split; last by right; exists j, k; split=> //; apply: same_cell same.
by move=> L [L'_box L_inj] /(g_q_cube N_gt1 L'_box) q_L; move: same; rewrite q_L => /L_inj/eqP;
  apply/negP.
Qed.

End Cubes.

Section Theorem2.

Variables (R : archiFieldType) (d n : nat).
Hypothesis n_gt1 : (1 < n)%N.
Implicit Types (L X Y : 'M[R]_(d.+1, n)) (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)).

(** Near points have near values, anywhere. *)
Definition uniformly_continuous f := forall eps, 0 < eps -> exists2 eta, 0 < eta &
  forall X Y, within eta X Y -> within eps (f X) (f Y).

(** Outside [0, 1] f is 0. *)
Definition zero_outside f := forall X i j, X i j < 0 \/ 1 < X i j -> f X = 0.

(** A width of cells. *)
Lemma small_delta (eta : R) : 0 < eta -> exists2 N, (1 < N)%N & delta R N <= eta.
Proof.
move=> eta_gt0; exists (Num.bound eta^-1).+2 => //.
have below : eta^-1 < (Num.bound eta^-1)%:R by apply: archi_boundP; rewrite invr_ge0 ltW.
rewrite /delta -[X in _ <= X]invrK lef_pinv ?posrE ?invr_gt0 ?ltr0n //.
by apply: le_trans (ltW below) _; rewrite ler_nat; apply: leqW; apply: leqnSn.
Qed.

(** Near the faces of the box [f] is near zero. *)
Lemma small_outside f eps eta X : 0 < eta -> 0 < eps -> zero_outside f ->
  (forall X Y, within eta X Y -> within eps (f X) (f Y)) -> outside X -> within eps 0 (f X).
Proof.
move=> eta_gt0 eps_gt0 f_zero f_near [i [j X_ij]].
have zero_near : f X = 0 -> within eps 0 (f X).
  by move=> -> i' j'; rewrite subrr normr0 ltW.
have [X_lt|X_ge] := ltP (X i j) 0; first by apply/zero_near/(f_zero X i j); left.
pose Y := X + eta *: delta_mx i j; have Y_out : f Y = 0.
  apply: (f_zero Y i j); right; rewrite !mxE !eqxx mulr1 ltr_spaddr //.
  by case: X_ij => // /lt_geF; rewrite X_ge.
rewrite -Y_out; apply: f_near => i' j'; rewrite !mxE addrC addKr ger0_norm; last first.
  by rewrite mulr_ge0 ?ler0n // (ltW eta_gt0).
by case: (_ && _); rewrite ?mulr1 ?mulr0 // (ltW eta_gt0).
Qed.

(** If f is also uniformly continuous and 0 outside [0, 1], then such a network is within eps of f off thin strips, 0
    or within eps of f anywhere, and 0 outside [0, 1). *)
Theorem theorem_2_hardmax f : equivariant f -> uniformly_continuous f -> zero_outside f ->
  forall eps tau, 0 < eps -> 0 < tau ->
  exists (N : nat) (layers : seq (layer R d.+1 n)),
    [/\ size layers = layer_count N d n, every (@allowed_layer R d n) layers &
    forall X,
      [/\ (* 1 *) ~ in_strip tau X -> within eps (network layers X) (f X),
          (* 2 *) network layers X = 0 \/ within eps (network layers X) (f X) &
          (* 3 *) outside X -> network layers X = 0]].
Proof.
move=> f_equi f_cont f_zero eps tau eps_gt0 tau_gt0; have [eta eta_gt0 f_near] := f_cont _ eps_gt0.
(* 1. [f_near]: f moves by at most eps where all entries move by at most eta. So cells of width 1/N so small that f
   moves by no more in one, and that tokens in one are within tau. *)
have [|N N_gt1] := @small_delta (Num.min eta tau); first by rewrite lt_minr eta_gt0.
rewrite le_minr => /andP[N_eta N_tau].
(* 2. The step function that has the values of f at the centres. [layersE]: its network has these values on cubes with
   different columns, and is 0 off them. *)
have A_perm L (s : 'S_n) : distinct_grid N L ->
    f (centre N (L *m perm_mx s)) = f (centre N L) *m perm_mx s.
  by move=> _; rewrite centre_perm f_equi.
have [layers [size_l allowed_l layersE]] := proposition_5 N_gt1 n_gt1 A_perm.
exists N, layers; split=> // X; have [on_cubes off_cubes] := layersE X.
have [[L L_ok X_L]|[none place]] := cube_or_not N_gt1 X.
(* 3. On such a cube the answer is the value at the centre, which is near. *)
  have good : within eps (network layers X) (f X).
    rewrite (on_cubes L L_ok X_L); apply: f_near => i j; rewrite distrC.
    exact: le_trans (centre_near N_gt1 X_L i j) N_eta.
  by split=> [//||/(in_no_cube N_gt1 L_ok.1)//]; right.
(* 4. Elsewhere the answer is zero: outside the box, where f is near zero, or in a strip. *)
rewrite (off_cubes none); split=> [not_strip||//]; last by left.
case: place => [out|[j [k [jk near]]]].
  exact: (small_outside eta_gt0 eps_gt0 f_zero f_near out).
by case: not_strip; exists j, k; split=> // i; apply: lt_le_trans (near i) N_tau.
Qed.

End Theorem2.
