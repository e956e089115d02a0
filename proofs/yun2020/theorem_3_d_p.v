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

(** Outside of a larger box there is nothing of the domain. *)
Lemma not_far_away B X : 0 < B -> (forall X, K X -> forall i j, `|X i j| <= B) -> K X ->
  ~ out_of_box (2%:R * B) X.
Proof.
move=> B_gt0 K_B K_X [i [j out]]; have := K_B X K_X i j; rewrite ler_norml => /andP[ge le].
have {out} : X i j < - (2%:R * B) \/ 2%:R * B <= X i j := out.
by case=> ?; (suff : B < B by rewrite ltxx); lra.
Qed.

(** The bands of X + E are those of X, shifted by E. *)
Lemma bands_shifted (E X : 'M[R]_(d.+1, n)) N step w : near_multiple N step w (X + E) ->
  in_bands N.+1 (fun i j k => k%:R * step - E i j) w X.
Proof.
move=> [i [j [k [k_N]]]]; rewrite mxE => /andP[ge lt]; exists i, j, k; split=> //=.
by rewrite addrAC ler_subl_addr ge ltr_subr_addr lt.
Qed.

Theorem theorem_3_d_p (p : R) : 0 < p -> compact K -> {within K, continuous f} ->
  exists E : 'M[R]_(d.+1, n), forall eps : R, 0 < eps ->
  exists2 blocks : seq (layer R d.+1 n), every (@block_of_214 R d.+1 n) blocks &
    d_p_at_most p K f (fun X => network blocks (X + E)) eps.
Proof.
move=> p_gt0 K_compact f_cont.
(* 1. The positions E of the theorem off bands. [networks]: for every tolerance there are bands, and a network for each
   width of them. *)
have [E networks] := theorem_3 n_gt1 K_compact f_cont; exists E => eps eps_gt0.
(* 2. To integrate over a box: [K_B], the domain lies in [-B, B]; [f_F], f is at most F on it. *)
have [B B_gt0 K_B] := compact_in_box K_compact.
have [F F_gt0 f_F] := compact_in_box (continuous_compact f_cont K_compact).
have a_gt0 : 0 < 2%:R * B by rewrite mulr_gt0 ?ltr0n.
(* 3. How much error eps allows: a tolerance e; there are no strips to give up. [e_le1]: an error of e is within 1,
   the bound for strips that we hand in. [bands_for]: for every bound on the error there is a width of bands so narrow
   that a network with these errors has d_p <= eps. *)
have [e [tau [e_gt0 e_le1 _ bands_for]]] := small_distance p_gt0 K f 1 eps_gt0 a_gt0.
(* 4. [of_width]: for e and every width of bands a network, within e of f off them, all with the one bound G. *)
have [N [step [G [step_gt0 of_width]]]] := networks e e_gt0.
(* 5. So w comes from the bound G + F on the error. [is_near]: errors as allowed give d_p <= eps. *)
have [w w_gt0 /(_ (fun i j k => k%:R * step - E i j)) is_near] := bands_for (G + F) N.+1.
have [blocks [_ ok good bounded]] := of_width w w_gt0; exists blocks => //.
(* 6. They are: [near], at most e off the bands, as those of X + E are those of X, shifted. *)
have near X K_X off := good X K_X (fun band => off (@bands_shifted E X N step w band)).
apply: is_near => [X K_X out|X K_X _|X K_X off i j|X K_X i j].
- by case: (not_far_away B_gt0 K_B K_X out).
- exact: near.
- exact: le_trans (near X K_X off i j) e_le1.
by apply: le_trans (ler_norm_sub _ _) (ler_add (bounded _ i j) _); apply: f_F; exists X.
Qed.

End Theorem3.
