(** * Yun et al. (2020), Theorem 3: off thin sets, and bounded on them

    For all d >= 1, n >= 2, every compact set K of d x n matrices and every f that is continuous
    on K (equivariant or not) there is a matrix E such that for every eps > 0 there are N, a step
    and a bound G such that for every w > 0 there is a transformer g of the class T^{2,1,4}
    (softmax attention with two heads of size 1, feed-forward layers with four hidden units and
    ReLU; [transformer_blocks.v]) whose entries g(X + E) are (1) within eps of those of f(X) for
    every X in K for which no entry of X + E lies in a band [k step - w, k step), k = 0, ..., N;
    (2) at most G for every X at all. From this d_p(f, g( . + E)) <= any given error follows: K is
    bounded, the bands have a small part of it for small w, and G does not depend on w. The
    volumes and the integral are not here. Queries have a bias. E has the paper's form, equal rows
    of equal steps, with gaps between places, and depends on K alone. No extension of f, no
    repeated tokens: nothing is given up but the bands. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax rescaled soft_layers.
From UAT.yun2020 Require Import softmax_step transformer_blocks rescaled_blocks step_function theorem_3_hardmax.

Section Theorem3.

Variables (R : realType) (d n : nat) (K : set 'M[R]_(d.+1, n)).
Variable f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis n_gt1 : (1 < n)%N.

(** Some entry lies just below a multiple of the step. *)
Definition near_multiple (N : nat) (step w : R) (Y : 'M[R]_(d.+1, n)) :=
  exists i j k, (k <= N)%N /\ k%:R * step - w <= Y i j < k%:R * step.

(** An entry in a band of width w/c, in units of c, lies below a multiple of delta c, by at most w. *)
Lemma bands_rescaled N (c w : R) Y : 0 < c ->
  in_bands N (w / c) (c^-1 *: Y) -> near_multiple N (delta R N * c) w Y.
Proof.
move=> c_gt0 [i [j [k [k_N band]]]]; exists i, j, k; split=> //; move: band.
rewrite mxE [c^-1 * _]mulrC ler_pdivl_mulr // ltr_pdivr_mulr // mulrBl divfK ?gt_eqF //.
by rewrite mulrA.
Qed.

(** Errors and bounds in units of c. *)
Lemma within_rescaled (c e e' : R) (Y Z : 'M[R]_(d.+1, n)) X : 0 < c -> within (e / c) Y Z ->
  (forall i j, `|(c *: Z) i j - f X i j| < e') -> within (e + e') (c *: Y) (f X).
Proof.
move=> c_gt0 near1 near2 i j; apply: le_trans (ler_dist_add ((c *: Z) i j) _ _) _.
apply: ler_add (ltW (near2 i j)); rewrite !mxE -mulrBr normrM gtr0_norm // mulrC.
by rewrite -ler_pdivl_mulr.
Qed.

(** What is at most G in units of c is at most c G. *)
Lemma bound_rescaled (c G : R) (Y : 'M[R]_(d.+1, n)) : 0 < c -> (forall i j, `|Y i j| <= G) ->
  forall i j, `|(c *: Y) i j| <= c * G.
Proof. by move=> c_gt0 Y_G i j; rewrite mxE normrM gtr0_norm // ler_pmul2l. Qed.

(** In units of c = 4 B n, with positions, there are networks that are near f off bands as narrow as one likes, all with
    one bound. *)
Lemma networks_in_units (B eps : R) : 0 < B -> (forall X, K X -> forall i j, `|X i j| <= B) ->
  compact K -> {within K, continuous f} -> 0 < eps -> exists (N : nat) (G : R), (1 < N)%N /\
  forall w, 0 < w -> exists blocks : seq (layer R d.+1 n),
  [/\ size blocks = layer_count N d n, every (@block_of_214 R d.+1 n) blocks,
      forall X, K X -> ~ in_bands N w (in_units B X) ->
        within eps ((4%:R * B * n%:R) *: network blocks (in_units B X)) (f X) &
      forall X i j, `|network blocks X i j| <= G].
Proof.
move=> B_gt0 K_B K_compact f_cont eps_gt0.
(* 1. [f_eta]: f varies by less than eps / 2 where all entries vary by less than eta. *)
have half : 0 < eps / 2%:R by rewrite divr_gt0 ?ltr0n.
have [eta eta_gt0 f_eta] := compact_uniform K_compact f_cont half.
(* 2. Cells so small that f varies by less than eps / 2 in one, and that none has numbers of two places ([N_n]). *)
have c_gt0 := unit_gt0 n_gt1 B_gt0; have [N [N_gt1 N_eta N_n]] := small_cells n_gt1 c_gt0 eta_gt0.
(* 3. The values on cubes, of f at some point in each, follow permutations, so softmax and ReLU have them. *)
have A_perm L s (_ : distinct_grid N L) := unit_answer_perm f n_gt1 B_gt0 K_B N_n L s.
have [G networks] := step_function N_gt1 n_gt1 A_perm (divr_gt0 half c_gt0).
exists N, G; split=> // w /networks[blocks [size_b ok blocksE]].
exists blocks; split=> // [X K_X off|X]; last by have [] := blocksE X.
(* 4. A sequence lies in a cube with different columns, since places differ, and off the bands the network is near the
   value there, which is f at a point near by. *)
have X_placed := unit_domain_placed n_gt1 B_gt0 K_B (in_units_domain n_gt1 B_gt0 K_X).
have [L L_ok X_L] := placed_cube N_gt1 N_n (ltnW n_gt1) X_placed.
have [on_cubes _ _ _] := blocksE (in_units B X); rewrite [eps]splitr.
apply: within_rescaled (unit_answer_near n_gt1 B_gt0 K_B N_n N_eta f_eta K_X X_L) => //.
exact: on_cubes.
Qed.

Theorem theorem_3 : compact K -> {within K, continuous f} ->
  exists E : 'M[R]_(d.+1, n), forall eps : R, 0 < eps ->
  exists (N : nat) (step G : R), 0 < step /\
  forall w, 0 < w -> exists blocks : seq (layer R d.+1 n),
  [/\ size blocks = layer_count N d n, every (@block_of_214 R d.+1 n) blocks,
      (* 1 *) forall X, K X -> ~ near_multiple N step w (X + E) ->
        within eps (network blocks (X + E)) (f X) &
      (* 2 *) forall X i j, `|network blocks (X + E) i j| <= G].
Proof.
move=> K_compact f_cont.
(* 1. A bound B of K, so that places have numbers of their own: E sends place j to numbers from 4 B j to 4 B j + 2 B. *)
have [B B_gt0 K_B] := compact_in_box K_compact; exists (encoding d n B) => eps eps_gt0.
(* 2. In units of c = 4 B n, in which X + E is in [0, 1), it lies in a cube with different columns, and f has the values
   of a step function on cubes. [networks]: there are N and a bound G such that for bands as narrow as we like a network
   is within eps of f off them, and at most G. *)
have [N [G [N_gt1 networks]]] := networks_in_units B_gt0 K_B K_compact f_cont eps_gt0.
have c_gt0 := unit_gt0 n_gt1 B_gt0.
exists N, (delta R N * (4%:R * B * n%:R)), (4%:R * B * n%:R * G); split=> [|w w_gt0].
  by rewrite mulr_gt0 ?(grid.delta_gt0 R (ltnW N_gt1)).
(* 3. Take the network for bands of width w/c in these units, and multiply and divide its weights by c: it takes X + E
   as it is, its bands have width w, and its bound is c G. *)
have [blocks0 [size0 ok0 near bounded]] := networks _ (divr_gt0 w_gt0 c_gt0).
have [blocks [size_b ok blocksE]] := rescaled_blocks (lt0r_neq0 c_gt0) ok0.
exists blocks; split=> [|//|X K_X off|X]; rewrite ?size_b // blocksE; last exact: bound_rescaled.
by apply: near => // /(bands_rescaled c_gt0).
Qed.

End Theorem3.
