(** * Yun et al. (2020), Lemma 6: layers with four ReLUs

    A layer with one hidden unit and an activation that is a constant and four ReLUs is a
    feed-forward layer with ReLU and four hidden units; no activation of its own is left. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import layers look_up relus.

Section Layer.

Variables (R : realFieldType) (d n : nat).
Implicit Types (psi : R -> R).

(** A feed-forward layer with ReLU and four hidden units. *)
Definition relu_layer (f : layer R d n) :=
  exists2 w : ff_weights R d, hidden w = 4%N & forall X, f X = feed_forward (@relu R) w X.

Definition four (x1 x2 x3 x4 : R) (h : 'I_4) : R :=
  match val h with 0%N => x1 | 1%N => x2 | 2%N => x3 | _ => x4 end.

Lemma sum_four (F : R -> R -> R -> R) r1 s1 e1 r2 s2 e2 r3 s3 e3 r4 s4 e4 :
  \sum_h F (four r1 r2 r3 r4 h) (four s1 s2 s3 s4 h) (four e1 e2 e3 e4 h) =
  F r1 s1 e1 + F r2 s2 e2 + F r3 s3 e3 + F r4 s4 e4.
Proof. by rewrite !big_ord_recl big_ord0 addr0 !addrA. Qed.

Lemma unit_relu_layer psi (v : 'rV[R]_d) b (w : 'cV[R]_d) : four_relus psi ->
  relu_layer (@feed_forward R psi d n (unit_weights v b w)).
Proof.
move=> [c [r1 [s1 [e1 [r2 [s2 [e2 [r3 [s3 [e3 [r4 [s4 [e4 psiE]]]]]]]]]]]]].
pose r := four r1 r2 r3 r4; pose s := four s1 s2 s3 s4; pose e := four e1 e2 e3 e4.
pose W : 'M[R]_(4, d) := \matrix_(h, i) (s h * v ord0 i).
exists (FeedForwardWeights W (\col_h (e h - s h * b))
  (\matrix_(i, h) (w i ord0 * r h)) (\col_i (w i ord0 * c))) => // X; apply/matrixP => i k.
have unit h : relu ((W *m X + bias n (\col_h (e h - s h * b))) h k) =
    relu (s h * ((v *m X) ord0 k - b) + e h).
  have addE (A B : 'M[R]_(4, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
  rewrite addE [bias _ _ _ _]mxE [X in _ + X]mxE mulrBr addrAC -addrA [e h + _]addrC.
  congr (relu (_ + _)); rewrite mxE [in RHS]mxE big_distrr; apply: eq_bigr => j _ /=.
  by rewrite [W h j]mxE mulrA.
rewrite unit_layerE psiE; move: ((v *m X) ord0 k - b) unit => t unit.
have addE (A B : 'M[R]_(d, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
have biasE (y : 'cV[R]_d) : bias n y i k = y i ord0 by rewrite mxE.
have colE : (\col_i (w i ord0 * c) : 'cV[R]_d) i ord0 = w i ord0 * c by rewrite mxE.
rewrite /feed_forward /= !addE biasE colE [mulmx _ _ _ _]mxE.
have -> : \sum_(h < 4) (\matrix_(i, h) (w i ord0 * r h)) i h *
    (map_mx (@relu R) (W *m X + bias n (\col_h (e h - s h * b)))) h k =
    \sum_(h < 4) w i ord0 * r h * relu (s h * t + e h).
  by apply: eq_bigr => h _; rewrite mxE [map_mx _ _ _ _]mxE unit.
rewrite (sum_four (fun r s e => w i ord0 * r * relu (s * t + e))); ring.
Qed.

Lemma unit_relu_layers (ws : seq (unit_of R d)) : every (fun w => four_relus (act w)) ws ->
  every relu_layer [seq unit_layer n w | w <- ws].
Proof. by elim: ws => //= w ws IHws [relus_w /IHws]; split=> //; apply: unit_relu_layer. Qed.

End Layer.
