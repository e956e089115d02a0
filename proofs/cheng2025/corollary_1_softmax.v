(** * Softmax attention tells tokens apart: Cheng et al. (2025), Lemma 1 and Corollary 1

    One layer X + W_V X softmax((W_K X)^T W_Q X) with d x d weights, for any d and n.
    - [lemma_1]: two tokens with different values, or two equal tokens, not 0, in sequences of
      distinct tokens that are not reorderings of each other, come out different for some weights.
    - [corollary_1_softmax]: near any weights there are weights that do this for all pairs of
      tokens of finitely many sequences at once. Tokens are not 0, which the paper's statement
      does not ask and its proof does.
    Printed: for all kernels with (13), for almost all weights, and then the approximation. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.cheng2025 Require Import mixers theorem_2 pattern_mixers.

Section Softmax.

Variables (R : realType) (d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)).

(** ** The layer *)

(** A head of softmax attention with d x d weights. *)
Definition softmax_mixer X (w : weights d -> R) : 'M[R]_(d, n) :=
  head (@softmax R) (matrix_of w ord0) (matrix_of w (lift ord0 ord0)) (matrix_of w ord_max) X.

(** The mixer of softmax is the one with the pattern in which all hear all. *)
Lemma softmax_mixerE : softmax_mixer = pattern_mixer (@full n).
Proof. by apply/funext => X; apply/funext => w; rewrite /pattern_mixer exp_kernel_head. Qed.

Lemma full_hears i : @full n i != set0.
Proof. by apply/set0Pn; exists i; rewrite inE. Qed.

(** The mixer is analytic in its input and its weights together: along analytic curves of both. *)
Lemma analytic_softmax_mixer : analytic_mixer softmax_mixer.
Proof. by rewrite softmax_mixerE; apply: analytic_pattern_mixer full_hears. Qed.

(** ** Lemma 1 *)

(** The list of tokens. *)
Definition tokens X := [seq col j X | j <- enum 'I_n].

Lemma heard_full X i : heard_tokens (@full n) X i =i tokens X.
Proof.
by move=> v; apply/mapP/mapP => -[j _ ->]; exists j; rewrite ?mem_enum ?inE.
Qed.

(** Lemma 1: in sequences of distinct tokens a token that is not 0 and a token of the other sequence come out
    different for some weights, if they differ or the sets of tokens do. *)
Lemma lemma_1 X Y i i' : injective (fun j => col j X) -> injective (fun j => col j Y) ->
  col i X != 0 -> ~ (tokens X =i tokens Y) \/ col i X <> col i' Y ->
  exists w, col i (X + softmax_mixer X w) != col i' (Y + softmax_mixer Y w).
Proof.
move=> X_inj Y_inj x_ne0 different; rewrite softmax_mixerE.
apply: lemma_1_patterns => //; first exact: full_hears.
case: different => [sets_differ|]; [left=> same; apply: sets_differ => v | by right].
by have := same v; rewrite !heard_full.
Qed.

(** ** All at once *)

Theorem corollary_1_softmax (I : finType) (X : I -> 'M[R]_(d, n)) (different : rel I) :
  (forall i, injective (fun j => col j (X i))) -> (forall i k, col k (X i) != 0) ->
  (forall i j, different i j -> ~ (tokens (X i) =i tokens (X j))) ->
  forall theta0 eps, 0 < eps -> exists theta : weights d -> R,
    (forall p, `|theta p - theta0 p| <= eps) /\
    let layer X := X + softmax_mixer X theta in
    (forall i j k l, different i j -> col k (layer (X i)) != col l (layer (X j))) /\
    (forall i k l, k != l -> col k (layer (X i)) != col l (layer (X i))).
Proof.
(* 1. What is to be told apart: tokens of two different sequences, and two tokens of one. *)
move=> X_inj X_ne0 X_different theta0 eps eps_gt0.
pose differ (a b : I * 'I_n) := different a.1 b.1 \/ a.1 = b.1 /\ a.2 != b.2.
(* 2. By the step of Theorem 2 it is enough to find weights for two such tokens at a time. *)
have [|theta [near apart]] := tokens_at_once (g := fun=> softmax_mixer) (m := 1) (X := X)
    (differ := differ) (fun=> analytic_softmax_mixer) _ (fun=> theta0) eps_gt0.
  (* 3. Lemma 1 finds them: with different sets of tokens or different tokens, some softmax layer
     tells two outputs apart. *)
  move=> [i k] [j l] ab.
  have [w w_ok] : exists w, col k (X i + softmax_mixer (X i) w) != col l (X j + softmax_mixer (X j) w).
    apply: lemma_1 => //; case: ab => /= [/X_different|[<- kl]]; [by left | right=> /X_inj/eqP].
    by rewrite (negbTE kl).
  by exists (fun=> w).
(* 4. So one layer with weights near any given ones tells all apart: [near] and [apart] say this. *)
exists (theta 0%N); split=> [p|layer]; first exact: near.
split=> [i j k l ij|i k l kl]; first by apply: (apart (i, k) (j, l)); left.
by apply: (apart (i, k) (i, l)); right.
Qed.

End Softmax.
