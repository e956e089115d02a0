(** * Liu et al. (2025), Corollary 4.2.1 as printed is false

    The corollary says of cross-attention, and of integrable functions of two sequences, what
    Corollary 4.1.1 says of self-attention. Refuted for d = n = 1, p = 2, [0, 1] x [0, 1] and
    f(z_K, z_Q) = |z_K|^(-1/2): for all sizes and weights the integral of |f - Attn|^2 over z_K is
    infinite for each z_Q, and so is its integral over z_Q. The integral over both is written as
    the iterated one, to which it is equal (Tonelli); of the printed corollary the case is taken
    where f depends on z_K only, and then it is integrable as a function of both if it is as a
    function of z_K. A 1 x 1 matrix is identified with its entry. *)
From UAT Require Import transformers analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import ereal measure lebesgue_measure numfun lebesgue_integral.
From UAT.liu2025 Require Import layers bounded_networks pole pole_integrable corollary_4_1_1_as_printed.

Section CrossAttention.

Variable R : realType.
Notation mu := (@lebesgue_measure R).
Notation D := ([set` `[0, 1]%R] : set R).

Variables (r_K r_Q e_K e_Q N_K N_Q p : nat).
Variables (A_K : 'I_r_K -> 'M[R]_(e_K, 1)) (B_K : 'I_r_K -> 'M[R]_(1, N_K)) (M_K : 'M[R]_(e_K, N_K)).
Variables (A_Q : 'I_r_Q -> 'M[R]_(e_Q, 1)) (B_Q : 'I_r_Q -> 'M[R]_(1, N_Q)) (M_Q : 'M[R]_(e_Q, N_Q)).
Variables (W_K : 'M[R]_(p, e_K)) (W_Q : 'M[R]_(p, e_Q)) (W_V : 'M[R]_(1, e_K)).
Variable W_O : 'M[R]_(N_Q, 1).

(** The network, a function of two numbers. *)
Definition network_of (x y : R) : R :=
  cross_attn W_K W_Q W_V W_O (linear A_K B_K M_K x%:M) (linear A_Q B_Q M_Q y%:M) ord0 ord0.

(** For each y it is bounded. *)
Lemma network_bounded y : exists2 B, 0 < B & forall x, D x -> `|network_of x y| <= B.
Proof.
have [c c_ge0 near] : bounded_on (fun x => 0 <= x <= 1) (fun x : R =>
    cross_attn W_K W_Q W_V W_O (linear A_K B_K M_K x%:M) (linear A_Q B_Q M_Q y%:M)).
  apply: bounded_mul (bounded_const _ _); apply: bounded_mul (bounded_columns _ _).
  by apply: bounded_mul (linear_bounded _ _ _ (@scalar_bounded R)); apply: bounded_const.
exists (c + 1) => [|x]; first exact: ltr_paddl.
by rewrite /= in_itv /= => x_in; rewrite (le_trans (near x x_in _ _)) // ler_addl.
Qed.

(** All networks are infinitely far from the pole. *)
Theorem no_cross_network_is_near :
  (\int[mu]_(y in D) \int[mu]_(x in D) (`|pole x - network_of x y| ^+ 2)%:E = +oo)%E.
Proof.
(* 1. For each y the network is bounded, and the pole is not: so the [inner] integral is infinite. *)
have inner y : D y -> (\int[mu]_(x in D) (`|pole x - network_of x y| ^+ 2)%:E = +oo)%E.
  by move=> _; have [B B_gt0 near] := network_bounded y; apply: error_infinite B_gt0 near.
(* 2. And so is the integral of infinity over an interval of length 1. *)
rewrite (eq_integral (cst +oo%E)) => [|y]; last by rewrite inE => /inner.
rewrite integral_cst; last exact: measurable_itv.
have length : mu D = 1%E
  by rewrite lebesgue_measure_itv hlength_itv /= lte_fin ltr01 -EFinB subr0.
rewrite -[RHS](mule1 +oo%E); congr (_ * _)%E; exact: length.
Qed.

End CrossAttention.

(** The printed corollary, for d = n = 1, p = 2, [0, 1] x [0, 1], and f that depend on z_K only. *)
Definition corollary_4_2_1_as_printed (R : realType) := forall f : R -> R,
  (@lebesgue_measure R).-integrable [set` `[0, 1]%R] (EFin \o f) -> forall eps : R, 0 < eps ->
  exists (r_K r_Q e_K e_Q N_K N_Q p : nat)
    (A_K : 'I_r_K -> 'M[R]_(e_K, 1)) (B_K : 'I_r_K -> 'M[R]_(1, N_K)) (M_K : 'M[R]_(e_K, N_K))
    (A_Q : 'I_r_Q -> 'M[R]_(e_Q, 1)) (B_Q : 'I_r_Q -> 'M[R]_(1, N_Q)) (M_Q : 'M[R]_(e_Q, N_Q))
    (W_K : 'M[R]_(p, e_K)) (W_Q : 'M[R]_(p, e_Q)) (W_V : 'M[R]_(1, e_K)) (W_O : 'M[R]_(N_Q, 1)),
  (\int[@lebesgue_measure R]_(y in [set` `[0, 1]%R]) \int[@lebesgue_measure R]_(x in [set` `[0, 1]%R])
    (`|f x - network_of A_K B_K M_K A_Q B_Q M_Q W_K W_Q W_V W_O x y| ^+ 2)%:E <= (eps ^+ 2)%:E)%E.

(** It is false. *)
Theorem corollary_4_2_1_as_printed_is_false (R : realType) : ~ corollary_4_2_1_as_printed R.
Proof.
(* 1. The pole is integrable. If the corollary held, some network would be within 1 of it in L_2, ... *)
move=> /(_ _ (@pole_integrable R) 1 ltr01)[r_K [r_Q [e_K [e_Q [N_K [N_Q [p]]]]]]].
move=> [A_K [B_K [M_K [A_Q [B_Q [M_Q [W_K [W_Q [W_V [W_O]]]]]]]]]].
(* 2. ... but all are infinitely far from it. *)
by rewrite no_cross_network_is_near leNgt ltry.
Qed.
