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

(** Patterns count from 1, and weights from 0. *)
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

Theorem views_heard m X Y i i' : general_position X -> general_position Y ->
  ~ same_view N m (fun j => col j X) (fun j => col j Y) i i' ->
  exists theta, col i (pattern_layers m theta X) != col i' (pattern_layers m theta Y).
Proof.
elim: m X Y i i' => [|m IH] X Y i i' X_gen Y_gen.
  by move/eqP=> ne; exists (fun=> fun=> 0).
move=> views_differ.
(* 1. By induction, some weights of the first m layers give different values to any two tokens
   with different views, alone; and any token of X and Y another value than 0. *)
pose Z (a : option bool) := if a is Some b then if b then X else Y else 0.
pose view (a b : option bool) k l :=
  same_view N m (fun j => col j (Z a)) (fun j => col j (Z b)) k l.
have Z_gen b : general_position (Z (Some b)) by case: b.
pose ok (q : (bool * 'I_n) * (option bool * 'I_n)) :=
  if q.2.1 is Some b then `[< ~ view (Some q.1.1) (Some b) q.1.2 q.2.2 >] else true.
pose Q := {q | ok q}.
(* 2. So, by Theorem 2, some weights do all this at once. *)
have [|theta [_ apart]] := @two_tokens_at_a_time _ _ _ _ (fun r => pattern_mixer (N r.+1)) m
    [finType of Q] (fun q => Z (Some (val q).1.1)) (fun q => Z (val q).2.1) (fun q => (val q).1.2)
    (fun q => (val q).2.2) (fun r => analytic_pattern_mixer (N_hears r.+1)) _ (fun=> fun=> 0)
    1 ltr01.
  move=> [[[a k] [[b|] l]] /= ok_q]; first exact: IH (Z_gen a) (Z_gen b) (asboolW ok_q).
  exists (fun=> fun=> 0); rewrite -/(pattern_layers _ _) !all_still /=.
  have -> : col l (0 : 'M[R]_(d, n)) = 0 by apply/matrixP => u o; rewrite !mxE.
  by have [_] := Z_gen a.
have same_value a b k l : col k (pattern_layers m theta (Z (Some a)))
    = col l (pattern_layers m theta (Z (Some b))) -> view (Some a) (Some b) k l.
  move=> same; apply: contrapT => /asboolP differ.
  by have := apart (exist _ ((a, k), (Some b, l)) differ : Q); rewrite /= same eqxx.
have not0 a k : col k (pattern_layers m theta (Z (Some a))) != 0.
  have := apart (exist _ ((a, k), (None, k)) isT : Q).
  rewrite /= -/(pattern_layers _ _) stay0; apply: contraNN => /eqP->.
  by apply/eqP/matrixP => u o; rewrite !mxE.
have distinct a : injective (fun k => col k (pattern_layers m theta (Z (Some a)))).
  by move=> k l /same_value/same_view_value; have [+ _] := Z_gen a; apply.
(* 3. Views after one layer more differ: so do the two values, or the sets that are heard. *)
have [w w_ok] : exists w, col i (pattern_layers m theta X
      + pattern_mixer (N m.+1) (pattern_layers m theta X) w)
    != col i' (pattern_layers m theta Y + pattern_mixer (N m.+1) (pattern_layers m theta Y) w).
  apply: lemma_1_patterns; [exact: (distinct true) | exact: (distinct false) | exact: N_hears |
    exact: (not0 true) |].
  apply: contrapT => /not_orP[/contrapT same_set /contrapT same_i]; apply: views_differ.
  split=> [|j j_heard|j' j'_heard]; first exact: (same_value true false).
    have : col j (pattern_layers m theta X)
        \in heard_tokens (N m.+1) (pattern_layers m theta X) i by apply/map_f; rewrite mem_enum.
    rewrite same_set => /mapP[j' j'_heard same_j]; exists j'; first by rewrite mem_enum in j'_heard.
    exact: (same_value true false).
  have : col j' (pattern_layers m theta Y)
      \in heard_tokens (N m.+1) (pattern_layers m theta Y) i' by apply/map_f; rewrite mem_enum.
  rewrite -same_set => /mapP[j j_heard same_j]; exists j; first by rewrite mem_enum in j_heard.
  exact: (same_value true false).
(* 4. Lemma 1 gives weights of the last layer. *)
exists (fun r => if (r < m)%N then theta r else w).
have first_layers U : pattern_layers m (fun r => if (r < m)%N then theta r else w) U
    = pattern_layers m theta U by apply: pattern_layers_ext => r ->.
by rewrite 2!pattern_layersS 2!first_layers ltnn.
Qed.

End Views.
