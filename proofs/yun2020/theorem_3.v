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

Lemma bands_rescaled N (c w : R) Y : 0 < c ->
  in_bands N (w / c) (c^-1 *: Y) -> near_multiple N (delta R N * c) w Y.
Proof.
move=> c_gt0 [i [j [k [k_N band]]]]; exists i, j, k; split=> //; move: band.
rewrite mxE [c^-1 * _]mulrC ler_pdivl_mulr // ltr_pdivr_mulr // mulrBl divfK ?gt_eqF //.
by rewrite mulrA.
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
(* 1. A bound B of K. Positions send place j to numbers from 4 B j to 4 B j + 2 B. *)
have [B B_gt0 K_B] := compact_in_box K_compact; pose E := encoding d n B; exists E => eps eps_gt0.
have half : 0 < eps / 2%:R by rewrite divr_gt0 ?ltr0n.
(* 2. f varies by less than eps / 2 where all entries vary by less than eta. *)
have [eta eta_gt0 f_eta] := compact_uniform K_compact f_cont half.
(* 3. In units of c = 4 B n all is in [0, 1). Cells so small that f varies little in a cell, and
   that no cell has numbers of two places. *)
pose c := 4%:R * B * n%:R; have n_gt0 : 0 < n%:R :> R by rewrite ltr0n ltnW.
have c_gt0 : 0 < c by rewrite !mulr_gt0 // ltr0n.
have c_neq0 := lt0r_neq0 c_gt0.
have [|N N_gt1 N_small] := @small_delta R (Num.min (eta / c) (2%:R * n%:R)^-1).
  by rewrite lt_minr divr_gt0 // invr_gt0 mulr_gt0 // ltr0n.
have [delta_eta delta_n] : delta R N * c <= eta /\ 2%:R * n%:R * delta R N <= 1.
  move: N_small; rewrite le_minr => /andP[]; rewrite ler_pdivl_mulr // => -> le; split=> //.
  have pos : 0 < 2%:R * n%:R :> R by rewrite mulr_gt0 // ltr0n.
  by rewrite -[X in _ <= X](mulfV (lt0r_neq0 pos)) ler_pmul2l.
have delta_pos := grid.delta_gt0 R (ltnW N_gt1).
(* 4. The sequences X + E in these units, and on each cube the value of f at a point in it. *)
pose U := [set Y | K (c *: Y - E)]; pose g Y := c^-1 *: f (c *: Y - E).
have back X : c *: (c^-1 *: (X + E)) - E = X by rewrite scalerA mulfV // scale1r addrK.
have U_placed Y : U Y -> placed Y.
  move=> /K_B/(encoding_placed n_gt1 B_gt0); rewrite subrK scalerA mulVf ?gt_eqF //.
  by rewrite scale1r.
(* 5. This step function follows permutations, so there is a network of softmax and ReLU for it,
   off bands as narrow as we like, with a bound that does not depend on their width. *)
have A_perm L s (_ : distinct_grid N L) := answer_perm delta_n g U_placed L s.
have small : 0 < eps / 2%:R / c by rewrite divr_gt0.
have [G0 step] := step_function N_gt1 n_gt1 A_perm small.
exists N, (delta R N * c), (c * G0); split; first exact: mulr_gt0.
move=> w w_gt0; have [|layers0 [size0 ok0 layersE]] := step (w / c); first exact: divr_gt0.
(* 6. The same network in units of c. *)
have [blocks [size_b ok blocksE]] := rescaled_blocks c_neq0 ok0.
exists blocks; split=> [|//|X K_X off|X] => [|i j|i j]; first by rewrite size_b.
  rewrite blocksE /rescaled; set Y := c^-1 *: (X + E); have U_Y : U Y by rewrite /U /= back.
(* 7. X + E lies in a cube with different columns, since places differ, and off the bands ... *)
  have [L L_ok Y_L] := placed_cube N_gt1 delta_n (ltnW n_gt1) (U_placed Y U_Y).
  have L_holds : holds N U L by exists Y.
  have off' : ~ in_bands N (w / c) Y by move=> /(bands_rescaled c_gt0).
(* 8. ... so the network is within eps / 2 of f at a point near X. *)
  have [on_cubes _ _ _] := layersE Y; have near1 := on_cubes L L_ok Y_L off' i j.
  have [K_Z Z_L] := some_pointP L_holds; rewrite (answerE delta_n g U_placed L_holds) in near1.
  set Z := some_point N U L in K_Z Z_L near1.
  have near2 : `|f (c *: Z - E) i j - f X i j| <= eps / 2%:R.
    rewrite distrC; apply/ltW; move: i j {near1}.
    apply/mx_ballP; apply: f_eta => //; apply/mx_ballP => i j.
    have -> : X i j - (c *: Z - E) i j = c * (Y i j - Z i j).
      rewrite -{1}(back X) -/Y; clearbody Y; clearbody Z E; rewrite !mxE.
      by rewrite opprB addrA subrK -mulrBr.
    rewrite normrM gtr0_norm //; apply: lt_le_trans delta_eta.
    by rewrite [c * _]mulrC (ltr_pmul2r c_gt0) (cube_near delta_n Y_L Z_L).
  apply: le_trans (ler_dist_add (f (c *: Z - E) i j) _ _) _.
  rewrite [X in _ <= X](splitr eps); apply: ler_add near2; move: near1; rewrite /g.
  have -> : f (c *: Z - E) i j = c * (c^-1 *: f (c *: Z - E)) i j.
    by rewrite [in RHS]mxE mulrA mulfV // mul1r.
  by rewrite [(c *: network _ _) i j]mxE -mulrBr normrM gtr0_norm // ler_pdivl_mulr // mulrC.
(* 9. The bound, in these units. *)
have [_ _ _ bounded] := layersE (c^-1 *: (X + E)).
by rewrite blocksE /rescaled mxE normrM gtr0_norm // ler_pmul2l.
Qed.

End Theorem3.
