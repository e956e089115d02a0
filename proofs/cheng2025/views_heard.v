(** * What views tell apart, some weights tell apart (Cheng et al. 2025, Corollary 2, step 2)

    Layers X + a_r(X) of softmax attention with the patterns N_1, ..., N_m, each with three d x d
    matrices: if token i of X and token i' of Y have different views after m layers, then for some
    weights they come out different. Tokens of X are distinct and none is 0, nor of Y, and each
    token hears somebody in each layer. That equal views mean equal outputs is
    [same_view_same_output]. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.cheng2025 Require Import mixers connected views theorem_2 distinguish pattern_mixers.

Section Views.

Variables (R : realType) (d n : nat) (N : nat -> pattern n).
Hypothesis N_hears : forall r i, N r i != set0.
Implicit Types (X Y : 'M[R]_(d, n)) (theta : nat -> weights d -> R).

(** The layers 1 to [m]: X + what X hears with the pattern of the layer. Patterns count from 1, weights from 0. *)
Definition pattern_layers m theta : layer R d n :=
  mixing_each (fun r => pattern_mixer (N r.+1)) m theta.

Lemma pattern_layersS m theta X : pattern_layers m.+1 theta X
  = pattern_layers m theta X + pattern_mixer (N m.+1) (pattern_layers m theta X) (theta m).
Proof.
by rewrite /pattern_layers /mixing_each -{1}[m.+1]addn1 iotaD map_cat cats1 network_rcons.
Qed.

(** Only the weights of these layers count. *)
Lemma pattern_layers_ext m theta theta' X : (forall r, (r < m)%N -> theta r = theta' r) ->
  pattern_layers m theta X = pattern_layers m theta' X.
Proof.
elim: m => [//|m IH] same; rewrite 2!pattern_layersS (same m (ltnSn m)) IH; first by [].
by move=> r r_lt; apply: same; apply: ltnW.
Qed.

Lemma all_still m X : pattern_layers m (fun=> fun=> 0) X = X.
Proof. by elim: m => // m IH; rewrite pattern_layersS IH still. Qed.

(** Where all tokens are 0 they stay so. *)
Lemma stay0 m theta : pattern_layers m theta 0 = 0.
Proof.
elim: m => // m IH; rewrite pattern_layersS IH add0r.
apply/matrixP => u i; rewrite !mxE /heard; move: (_^-1) => z.
rewrite big1 ?mxE ?mulr0 // => j _.
by rewrite [col j 0](_ : _ = 0) ?mulmx0 ?scaler0 //; apply/matrixP => v o; rewrite !mxE.
Qed.

Lemma still_col m (l : 'I_n) : col l (pattern_layers m (fun=> fun=> 0) (0 : 'M[R]_(d, n))) = 0.
Proof. by rewrite all_still; apply/matrixP => u o; rewrite !mxE. Qed.

(** ** Two sequences beside each other, and the one of zeros *)
Section Two.

Variables (X Y : 'M[R]_(d, n)) (m : nat).
Hypotheses (X_gen : general_position X) (Y_gen : general_position Y).
Definition one_of (a : option bool) := if a is Some b then if b then X else Y else 0.
Notation view a b := (same_view N m (fun j => col j (one_of (Some a)))
  (fun j => col j (one_of (Some b)))).
Notation after theta a := (pattern_layers m theta (one_of (Some a))).

Lemma one_of_general b : general_position (one_of (Some b)).
Proof. by case: b. Qed.

(** If two tokens with different views can be told apart alone, all can at once, and from 0, by Theorem 2. *)
Definition differ (q : (bool * 'I_n) * (option bool * 'I_n)) :=
  if q.2.1 is Some b then `[< ~ view q.1.1 b q.1.2 q.2.2 >] else true.

Lemma all_at_once : (forall a b k l, ~ view a b k l ->
    exists theta, col k (after theta a) != col l (after theta b)) ->
  exists theta, (forall a b k l, col k (after theta a) = col l (after theta b) -> view a b k l) /\
    forall a k, col k (after theta a) != 0.
Proof.
move=> alone; pose Q := {q | differ q}.
have [|theta [_ apart]] := @two_tokens_at_a_time _ _ _ _ (fun r => pattern_mixer (N r.+1)) m
    [finType of Q] (fun q => one_of (Some (val q).1.1)) (fun q => one_of (val q).2.1)
    (fun q => (val q).1.2) (fun q => (val q).2.2)
    (fun r => analytic_pattern_mixer (N_hears r.+1)) _ (fun=> fun=> 0) 1 ltr01.
  move=> [[[a k] [[b|] l]] /= ok_q]; first exact: alone (asboolW ok_q).
  exists (fun=> fun=> 0); rewrite -!/(pattern_layers _ _) still_col all_still /=.
  by have [_] := one_of_general a.
exists theta; split=> [a b k l same|a k].
  apply: contrapT => /asboolP apart_views.
  by have := apart (exist _ ((a, k), (Some b, l)) apart_views : Q); rewrite /= same eqxx.
have := apart (exist _ ((a, k), (None, k)) isT : Q).
rewrite /= -/(pattern_layers _ _) stay0; apply: contraNN => /eqP->.
by apply/eqP/matrixP => u o; rewrite !mxE.
Qed.

(** Then equal sets of values that are heard are sets with the same views. *)
Lemma same_heard theta i i' :
  (forall a b k l, col k (after theta a) = col l (after theta b) -> view a b k l) ->
  heard_tokens (N m.+1) (after theta true) i =i heard_tokens (N m.+1) (after theta false) i' ->
  col i (after theta true) = col i' (after theta false) ->
  same_view N m.+1 (fun j => col j X) (fun j => col j Y) i i'.
Proof.
move=> same_value same_set same_i.
split=> [|j j_heard|j' j'_heard]; first exact: (same_value true false).
  have : col j (after theta true) \in heard_tokens (N m.+1) (after theta true) i.
    by apply/map_f; rewrite mem_enum.
  rewrite same_set => /mapP[j' j'_heard same_j]; exists j'; first by rewrite mem_enum in j'_heard.
  exact: (same_value true false).
have : col j' (after theta false) \in heard_tokens (N m.+1) (after theta false) i'.
  by apply/map_f; rewrite mem_enum.
rewrite -same_set => /mapP[j j_heard same_j]; exists j; first by rewrite mem_enum in j_heard.
exact: (same_value true false).
Qed.

End Two.

Theorem views_heard m X Y i i' : general_position X -> general_position Y ->
  ~ same_view N m (fun j => col j X) (fun j => col j Y) i i' ->
  exists theta, col i (pattern_layers m theta X) != col i' (pattern_layers m theta Y).
Proof.
elim: m X Y i i' => [|m IH] X Y i i' X_gen Y_gen; first by move/eqP=> ne; exists (fun=> fun=> 0).
move=> views_differ.
(* 1. By induction m layers tell tokens with different views apart, and so some weights all of them at once, and all
   from 0. [same_value]: equal values mean equal views. *)
have [|theta [same_value not0]] := all_at_once (m := m) X_gen Y_gen.
  by move=> a b k l; apply: IH; apply: one_of_general.
have distinct a : injective (fun k => col k (pattern_layers m theta (one_of X Y (Some a)))).
  move=> k l /same_value/same_view_value; have [+ _] := one_of_general X_gen Y_gen a; apply.
(* 2. Views after one layer more differ: so do the two values, or the sets that are heard; Lemma 1 gives weights [w] of
   the last layer for which the outputs do. *)
have [w w_ok] := lemma_1_patterns (distinct true) (distinct false) (N_hears m.+1) (not0 true i)
  (i' := i') (contrapT (fun alike => views_differ (same_heard same_value
    (contrapT (fun ne => alike (or_introl ne))) (contrapT (fun ne => alike (or_intror ne)))))).
(* 3. Those weights after these. *)
exists (fun r => if (r < m)%N then theta r else w).
have first_layers U : pattern_layers m (fun r => if (r < m)%N then theta r else w) U
    = pattern_layers m theta U by apply: pattern_layers_ext => r ->.
by rewrite 2!pattern_layersS 2!first_layers ltnn.
Qed.

End Views.
