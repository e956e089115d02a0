(** * Yun et al. (2020), Lemma 4: continuous functions are near step functions

    For every continuous, permutation equivariant f with compact support in [0, 1]^{d x n} and
    every eps > 0 there are a width delta = 1/N and values A_L on the cubes S_L, which follow
    permutations, such that the step function (A_L on S_L, zero outside all cubes) is within eps
    of f in each entry, at every point of R^{d x n}. For all d >= 1 and n. Differs from the
    printed text: the error is in the sup norm; both functions are zero outside [0, 1]^{d x n},
    whose volume is 1; [lemma_4_d_p.v] has d_p from it. The values are those at the centres, as in
    the paper. *)
From UAT Require Import transformers analysis.
From UAT.yun2020 Require Import grid lemma_7 claim_1 proposition_5 theorem_2_hardmax theorem_2_continuous.

(** Each point of the box [0, 1)^{d x n} lies in a cube. *)
Lemma box_cube (R : realFieldType) N d n (X : 'M[R]_(d.+1, n)) : (1 < N)%N ->
  (forall L, box_grid N L -> ~ in_cube N L X) -> outside X.
Proof.
move=> N_gt1 none; have [inside|] := boolP [forall i, [forall j, 0 <= X i j < 1]].
  have L_box : box_grid N (g_q N X).
    move=> i j; have /forallP/(_ j) X_ij := forallP inside i.
    have [k k_N k_X] := some_cell (ltnW N_gt1) X_ij; exists k => //.
    by rewrite /g_q quantizerE (quantize_cell d.+1 n (ltnW N_gt1) k_N).
  by case: (none _ L_box); apply: cube_g_q L_box.
rewrite negb_forall => /existsP[i]; rewrite negb_forall => /existsP[j out].
by exists i, j; move: out; rewrite negb_and -ltNge -leNgt => /orP.
Qed.

Theorem lemma_4 (R : realType) (d n : nat) (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n))
    (K : set 'M[R]_(d.+1, n)) :
  equivariant f -> continuous f -> compact K -> (forall X, K X -> forall i j, 0 <= X i j <= 1) ->
  (forall X, ~ K X -> f X = 0) -> forall eps : R, 0 < eps ->
  exists (N : nat) (A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)),
    [/\ (1 < N)%N, forall L (s : 'S_n), A (L *m perm_mx s) = A L *m perm_mx s &
    forall X,
      (forall L, box_grid N L -> in_cube N L X -> within eps (A L) (f X)) /\
      ((forall L, box_grid N L -> ~ in_cube N L X) -> within eps 0 (f X))].
Proof.
move=> f_equi f_cont K_compact K_box f_zero eps eps_gt0.
have f_zero' : zero_outside f.
  move=> X i j X_ij; apply: f_zero => /K_box/(_ i j)/andP[ge le].
  by case: X_ij; [rewrite ltNge ge | rewrite ltNge le].
(* 1. f is uniformly continuous: it moves by at most eps where all entries move by eta. *)
have [eta eta_gt0 f_near] := compact_support_uniform f_cont K_compact f_zero eps_gt0.
(* 2. Take cells no wider than eta, and on each cube the value at its centre. *)
have [N N_gt1 N_small] := small_delta eta_gt0.
exists N, (fun L => f (centre N L)); split=> [//|L s|X]; first by rewrite centre_perm f_equi.
split=> [L L_box X_L|none].
(* 3. A point of a cube is within eta of its centre. *)
  apply: f_near => i j; rewrite distrC.
  exact: le_trans (centre_near N_gt1 X_L i j) N_small.
(* 4. A point outside all cubes lies outside the box, where f is small. *)
exact: (small_outside eta_gt0 eps_gt0 f_zero' f_near (box_cube N_gt1 none)).
Qed.
