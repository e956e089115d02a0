(** * Yun et al. (2020), Theorem 3, in the distance d_p

    For all d >= 1, n >= 2, every compact set K of d x n matrices, every f that is continuous on K
    (equivariant or not), all real p > 0 (the paper has p >= 1) and eps > 0 there are a matrix E
    and a transformer g of the class T^{2,1,4} with d_p(f, g( . + E)) <= eps over K: the p-th
    power of the difference lies on K below a step function with an integral of at most eps^p
    ([upper_integral.v], [distance_d_p.v]). From [theorem_3.v], which has it off bands. E depends
    on K alone. Queries have a bias. *)
From UAT Require Import transformers analysis.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import layers proposition_5 theorem_2_hardmax transformer_blocks theorem_3.
From UAT.yun2020 Require Import upper_integral distance_d_p.

Section Theorem3.

Variables (R : realType) (d n : nat) (K : set 'M[R]_(d.+1, n)).
Variable f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n).
Hypothesis n_gt1 : (1 < n)%N.

Theorem theorem_3_d_p (p : R) : 0 < p -> compact K -> {within K, continuous f} ->
  exists E : 'M[R]_(d.+1, n), forall eps : R, 0 < eps ->
  exists2 blocks : seq (layer R d.+1 n), every (@block_of_214 R d.+1 n) blocks &
    d_p_at_most p K f (fun X => network blocks (X + E)) eps.
Proof.
move=> p_gt0 K_compact f_cont.
(* 1. The positions of the theorem off bands. *)
have [E nets] := theorem_3 n_gt1 K_compact f_cont; exists E => eps eps_gt0.
(* 2. The domain lies in a box, and f is bounded on it. *)
have [B B_gt0 K_B] := compact_in_box K_compact.
have [F F_gt0 f_F] := compact_in_box (continuous_compact f_cont K_compact).
have a_gt0 : 0 < 2%:R * B by rewrite mulr_gt0 ?ltr0n.
(* 3. A tolerance for eps; there are no strips to give up. *)
have [e [tau [e_gt0 e_le1 _ rest]]] := small_distance p_gt0 K f 1 eps_gt0 a_gt0.
(* 4. The networks for it; they have one bound. *)
have [N [step [G [step_gt0 net]]]] := nets e e_gt0.
(* 5. A width of bands for that bound, and the network for it. *)
have [w w_gt0 /(_ (fun i j k => k%:R * step - E i j)) small] := rest (G + F) N.+1.
have [blocks [_ ok good bounded]] := net w w_gt0; exists blocks => //.
have near X : K X -> ~ in_bands N.+1 (fun i j k => k%:R * step - E i j) w X ->
    within e (network blocks (X + E)) (f X).
  move=> K_X off; apply: good => // -[i [j [k [k_N]]]]; rewrite mxE => /andP[ge lt].
  apply: off; exists i, j, k; split=> //=.
  by rewrite addrAC ler_subl_addr ge ltr_subr_addr lt.
apply: small => [X K_X out|X K_X _|X K_X off i j|X K_X i j].
- case: out => i [j out]; have := K_B X K_X i j; rewrite ler_norml => /andP[ge le].
  have {out} : X i j < - (2%:R * B) \/ 2%:R * B <= X i j := out.
  by case=> ?; exfalso; (suff : B < B by rewrite ltxx); lra.
- exact: near.
- exact: le_trans (near X K_X off i j) e_le1.
apply: le_trans (ler_norm_sub _ _) _; apply: ler_add; first exact: bounded.
by apply: f_F; exists X.
Qed.

End Theorem3.
