(** * Yun et al. (2020), Lemma 4, in the distance d_p

    For every continuous, permutation equivariant f with compact support in [0, 1]^{d x n}, all
    real p > 0 and eps > 0 there are a width delta = 1/N and a permutation equivariant step
    function g, constant on the cubes of this width and 0 outside the box, with d_p(f, g) <= eps
    over all of R^{d x n}, in the sense of [upper_integral.v]. It is what [proposition_5_d_p.v]
    asks of its function. For all d >= 1 and n; from [lemma_4.v], which has it in the sup norm. *)
From UAT Require Import transformers analysis.
From UAT.yun2020 Require Import grid lemma_7 claim_1 proposition_5 theorem_2_hardmax lemma_4.
From UAT.yun2020 Require Import upper_integral distance_d_p proposition_5_d_p.

Section Step.

Variables (R : realType) (d n N : nat) (A : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis A_perm : forall L (s : 'S_n), A (L *m perm_mx s) = A L *m perm_mx s.
Implicit Types (L X : 'M[R]_(d.+1, n)).

(** All entries lie in [0, 1). *)
Definition inside X := [forall i, [forall j, 0 <= X i j < 1]].
(** The value of the cube in which X lies, and 0 outside the box. *)
Definition step X := if inside X then A (g_q N X) else 0.

Lemma outside_step X : outside X -> step X = 0.
Proof.
move=> [i [j out]]; rewrite /step; case: ifP => // /forallP/(_ i)/forallP/(_ j)/andP[ge lt].
by case: out; [rewrite ltNge ge | rewrite leNgt lt].
Qed.

Lemma inside_cube L X : box_grid N L -> proposition_5.in_cube N L X -> inside X.
Proof.
move=> L_box X_L; apply/forallP => i; apply/forallP => j; have [k k_N L_k] := L_box i j.
have := X_L i j; rewrite L_k -in_cellE; exact: (cell_bounds (ltnW N_gt1) k_N).
Qed.

Lemma step_cube L X : box_grid N L -> proposition_5.in_cube N L X -> step X = A L.
Proof. by move=> L_box X_L; rewrite /step (inside_cube L_box X_L) (g_q_cube N_gt1 L_box X_L). Qed.

(** The map with these values on cubes is a step function that is 0 outside the box. *)
Lemma step_is_step : step_function N step.
Proof.
split=> [L X L_box X_L|X]; last exact: outside_step.
by rewrite !(step_cube L_box) // => i j; rewrite lexx ltr_addl (delta_gt0 R (ltnW N_gt1)).
Qed.

(** As the values follow permutations, this step function is permutation equivariant. *)
Lemma step_equivariant : equivariant step.
Proof.
move=> s X; rewrite /step; have -> : inside (X *m perm_mx s) = inside X.
  apply: eq_forallb => i; apply/forallP/forallP => le j; last by rewrite mul_perm; apply: le.
  by have := le (s j); rewrite mul_perm permK.
case: ifP => _; last by rewrite mul0mx.
rewrite -A_perm; congr A; apply/matrixP => i j.
by rewrite mul_perm /g_q !quantizerE mul_perm.
Qed.

(** What is within e of the value on the cube of X, or of 0 if X is in none, is within e of the step function at X. *)
Lemma step_near e X Y :
  (forall L, box_grid N L -> proposition_5.in_cube N L X -> within e (A L) Y) /\
  ((forall L, box_grid N L -> ~ proposition_5.in_cube N L X) -> within e 0 Y) ->
  within e (step X) Y.
Proof.
move=> [on_cubes off_cubes].
have [[L [L_box X_L]]|none] := pselect (exists L, box_grid N L /\ proposition_5.in_cube N L X).
  by rewrite (step_cube L_box X_L); apply: on_cubes.
have out L : box_grid N L -> ~ proposition_5.in_cube N L X.
  by move=> L_box X_L; apply: none; exists L.
by rewrite outside_step; [apply: off_cubes | apply: (box_cube N_gt1 out)].
Qed.

(** Far outside both are 0. *)
Lemma step_beyond f X : (forall X, (exists i j, X i j < 0 \/ 1 < X i j) -> f X = 0) ->
  out_of_box 2%:R X -> step X = f X.
Proof.
move=> f_zero [i [j out]].
have {}out : X i j < 0 \/ 1 < X i j.
  case: out => le; [left; apply: lt_trans le _ | right; apply: lt_le_trans le].
    by rewrite oppr_lt0.
  by rewrite (ltr_nat R 1 2).
rewrite f_zero; last by exists i, j.
by apply: outside_step; exists i, j; case: out => [?|/ltW]; [left | right].
Qed.

End Step.

Theorem lemma_4_d_p (R : realType) (d n : nat) (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n))
    (K : set 'M[R]_(d.+1, n)) (p eps : R) :
  equivariant f -> continuous f -> compact K -> (forall X, K X -> forall i j, 0 <= X i j <= 1) ->
  (forall X, ~ K X -> f X = 0) -> 0 < p -> 0 < eps ->
  exists N (g : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)),
    [/\ (1 < N)%N, equivariant g, step_function N g & d_p_at_most p setT f g eps].
Proof.
move=> f_equi f_cont K_compact K_box f_zero p_gt0 eps_gt0.
(* 1. A tolerance for eps, in a larger box; there are no strips and no bands to give up. [e_le1]: an error
   of e is within 1, the bound for strips that we hand in. *)
have two_gt0 : 0 < 2%:R :> R by rewrite ltr0n.
have [e [tau [e_gt0 e_le1 _ rest]]] := small_distance p_gt0 setT f 1 eps_gt0 two_gt0.
have [w _ /(_ (fun _ _ _ => 0)) small] := rest 1 0%N.
(* 2. The step function that is near f for it. *)
have [N [A [N_gt1 A_perm near_A]]] := lemma_4 f_equi f_cont K_compact K_box f_zero e_gt0.
exists N, (step N A); split=> //; [exact: step_equivariant | exact: step_is_step |].
have near X : within e (step N A X) (f X) by apply: step_near (near_A X).
have near1 X : within 1 (step N A X) (f X) by move=> i j; apply: le_trans (near X i j) e_le1.
(* 3. Both are 0 outside the box. *)
apply: small => // X _; apply: step_beyond => {}X [i [j out]].
by apply: f_zero => /K_box/(_ i j)/andP[ge le]; case: out; rewrite ltNge ?ge ?le.
Qed.
