(** * Yun et al. (2020), Theorem 2, modified network: continuous, with compact support

    As [theorem_2_hardmax.v], for every continuous, permutation equivariant f with compact
    support in [0, 1]^{d x n}, over any complete Archimedean field (any [realType]). *)
From UAT Require Import transformers analysis uniform.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax.

Section Theorem2.

Variables (R : realType) (d n : nat).
Hypothesis n_gt1 : (1 < n)%N.
Variables (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) (K : set 'M[R]_(d.+1, n)).
Hypothesis f_equivariant : equivariant f.
Hypothesis f_continuous : continuous f.

(** The support. *)
Hypothesis K_compact : compact K.
Hypothesis K_in_box : forall X, K X -> forall i j, 0 <= X i j <= 1.
Hypothesis f_zero : forall X, ~ K X -> f X = 0.

(** As f is continuous and has compact support, it is uniformly continuous. *)
Lemma compact_support_uniform : uniformly_continuous f.
Proof.
move=> eps eps_gt0.
have [r r_gt0 near] := uniform_near_compact K_compact f_continuous eps_gt0.
have near' X Y : within (r / 2%:R) X Y -> K X -> within eps (f X) (f Y).
  move=> X_Y K_X i j; apply/ltW; have := near X Y K_X.
  have XY_ball : ball X r Y.
    move=> i' j'; rewrite -ball_normE /ball_ /=; apply: le_lt_trans (X_Y i' j') _.
    by rewrite ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n.
  by move=> /(_ XY_ball)/(_ i j); rewrite -ball_normE.
exists (r / 2%:R) => [|X Y X_Y]; first by rewrite divr_gt0 // ltr0n.
have [K_X|out_X] := pselect (K X); first exact: near'.
have [K_Y|out_Y] := pselect (K Y).
  have Y_X : within (r / 2%:R) Y X by move=> i j; rewrite distrC; apply: X_Y.
  by move=> i j; rewrite distrC; apply: (near' Y X).
by move=> i j; rewrite (f_zero out_X) (f_zero out_Y) subrr normr0 ltW.
Qed.

Theorem theorem_2_hardmax_continuous (eps tau : R) : 0 < eps -> 0 < tau ->
  exists (N : nat) (layers : seq (layer R d.+1 n)),
    [/\ size layers = layer_count N d n, every (@allowed_layer R d n) layers &
    forall X,
      [/\ (* 1 *) ~ in_strip tau X -> within eps (network layers X) (f X),
          (* 2 *) network layers X = 0 \/ within eps (network layers X) (f X) &
          (* 3 *) outside X -> network layers X = 0]].
Proof.
(* 1. A continuous function with compact support is uniformly continuous, which is all that the theorem for the modified
   network asks: one width of cells will do everywhere. *)
apply: theorem_2_hardmax => //; first exact: compact_support_uniform.
(* 2. And it is 0 outside of the box, as its support lies in it. *)
move=> X i j X_ij; apply: f_zero => K_X; have /andP[ge le] := K_in_box K_X i j.
by case: X_ij; [rewrite ltNge ge | rewrite ltNge le].
Qed.

End Theorem2.
