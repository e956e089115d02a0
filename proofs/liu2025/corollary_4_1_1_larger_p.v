(** * Liu et al. (2025), Corollary 4.1.1 as printed is false for every real p >= 2

    As in corollary_4_1_1_as_printed.v, which has p = 2: d = n = 1, U = [0, 1], f(z) = |z|^(-1/2),
    which is integrable. For all sizes and weights the integral of |f - Attn o Linear|^p is
    infinite. What becomes of it for p < 2 is not in it. *)
From UAT Require Import transformers analysis.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import ereal measure lebesgue_measure numfun lebesgue_integral realfun.
From UAT.liu2025 Require Import layers smoother bounded_networks pole pole_integrable.
From UAT.liu2025 Require Import corollary_4_1_1_as_printed.

(** The p-th power of a number u >= 0: exp(p log u), and 0 for u = 0. *)
Definition power (R : realType) (p u : R) : R := if u == 0 then 0 else expR (p * ln u).

Section Powers.

Variables (R : realType) (p : R).
Hypothesis p_ge2 : 2%:R <= p.

(** A power is not negative. *)
Lemma power_ge0 (u : R) : 0 <= power p u.
Proof. by rewrite /power; case: ifP => // _; apply: ltW (expR_gt0 _). Qed.

(** The square of what is at least 1 is not above its p-th power. *)
Lemma square_le (u : R) : 1 <= u -> u ^+ 2 <= power p u.
Proof.
move=> u_ge1; have u_gt0 : 0 < u by apply: lt_le_trans u_ge1; apply: ltr01.
rewrite /power gt_eqF // -exp_fun_mulrn // /exp_fun ler_expR.
by apply: ler_wpmul2r => //; apply: ln_ge0.
Qed.

Variables (g : R -> R) (B : R).
Notation D := [set` `[0, 1]%R].
Hypothesis B_ge1 : 1 <= B.
Hypothesis g_B : forall x : R, D x -> `|g x| <= B.

Let B_gt0 : 0 < B. Proof. exact: lt_le_trans ltr01 B_ge1. Qed.

(** Where there are stairs, the error is 1 at least, so its p-th power is larger than its square. *)
Lemma stairs_below_power K x :
  ((stairs B K x)%:E <= ((fun x => (power p `|pole x - g x|)%:E) \_ D) x)%E.
Proof.
have := stairs_below_error B_gt0 g_B K x; rewrite /patch; case: ifP => // x_D; rewrite !lee_fin => below.
have [x_small|x_large] := boolP (0 < x <= place R (Num.bound (4%:R * B ^+ 2))); last first.
  by rewrite stairs_far // power_ge0.
have /andP[x_gt0 x_le1] : 0 < x <= 1 by case/andP: x_small => -> /le_trans->; rewrite ?place_le1.
apply: le_trans below (square_le _); have /andP[_] := x_small.
rewrite le_placeE // => /(le_trans (k0_large B)) x_B.
have := error_large B_gt0 g_B x_gt0 x_le1; have B2 : 1 <= B ^+ 2 by rewrite exprn_ege1.
move=> le; have : 1 <= `|pole x - g x| ^+ 2.
  by apply: le_trans le; move: (x^-1) x_B => y; move: (B ^+ 2) B2 => b *; lra.
by rewrite -[X in X <= _ -> _](expr1n R 2) ler_sqr ?nnegrE ?ler01.
Qed.

(** The p-th power of the error has an infinite integral. *)
Lemma power_infinite : (\int[@lebesgue_measure R]_(x in D) (power p `|pole x - g x|)%:E = +oo)%E.
Proof. by apply: infinite_above stairs_below_power => x _; apply: power_ge0. Qed.

End Powers.

(** The printed corollary, for d = n = 1, a number p and U = [0, 1]. *)
Definition corollary_4_1_1_for (R : realType) (p : R) := forall f : R -> R,
  (@lebesgue_measure R).-integrable [set` `[0, 1]%R] (EFin \o f) -> forall eps : R, 0 < eps ->
  exists r e N k (A : 'I_r -> 'M[R]_(e, 1)) (B : 'I_r -> 'M[R]_(1, N)) (M : 'M[R]_(e, N))
    (W_K W_Q : 'M[R]_(k, e)) (W_V : 'M[R]_(1, e)) (W_O : 'M[R]_(N, 1)),
  (\int[@lebesgue_measure R]_(x in [set` `[0, 1]%R])
    (power p `|f x - attn W_K W_Q W_V W_O (linear A B M x%:M) ord0 ord0|)%:E
      <= (power p eps)%:E)%E.

(** It is false for every p >= 2. *)
Theorem corollary_4_1_1_for_larger_p (R : realType) (p : R) : 2%:R <= p -> ~ corollary_4_1_1_for p.
Proof.
(* 1. The pole is integrable. If the corollary held, some head would be within 1 of it in L_p. *)
move=> p2 /(_ _ (@pole_integrable R) 1 ltr01)[r [e [N [k [A [B [M [W_K [W_Q [W_V [W_O]]]]]]]]]]].
(* 2. A head is bounded on [0, 1], as all weights of softmax are at most 1: by some [c], says [near]. *)
have [c c_ge0 near] := attn_bounded W_K W_Q W_V W_O (linear_bounded A B M (@scalar_bounded R)).
(* 3. So near 0 the pole leaves it behind: the error is larger than 1, and its p-th power larger than
   its square, which is not integrable. *)
have c1 : 1 <= c + 1 by rewrite ler_addr.
have below (x : R) : [set` `[0, 1]%R] x ->
    `|attn W_K W_Q W_V W_O (linear A B M x%:M) ord0 ord0| <= c + 1.
  by rewrite /= in_itv /= => x_in; rewrite (le_trans (near x x_in _ _)) // ler_addl.
by rewrite (power_infinite p2 c1 below) leNgt ltry.
Qed.
