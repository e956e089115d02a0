(** * Yun et al. (2020): a network for another box

    A layer of the construction, and with it a network, can be had in other units: X -> c f(X/c)
    is a layer of the same kind as f, for every c other than 0. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers lemma_8 proposition_5.

Section Rescaled.

Variables (R : realFieldType) (c : R).
Hypothesis c_neq0 : c != 0.

(** A layer in units of c. *)
Definition rescaled d n (f : layer R d n) : layer R d n := fun X => c *: f (c^-1 *: X).

(** Keys and queries divided by c; the query bias stays. *)
Definition rescaled_head d (h : biased_head R d) : biased_head R d :=
  @BiasedHead R _ (HeadWeights (W_O (weights h)) (W_V (weights h))
    (c^-1 *: W_K (weights h)) (c^-1 *: W_Q (weights h))) (b_Q h).

Lemma rescaled_attention sigma d n (heads : seq (biased_head R d)) (X : 'M[R]_(d, n)) :
  rescaled (attention_with_bias sigma heads) X =
  attention_with_bias sigma (map (@rescaled_head d) heads) X.
Proof.
rewrite /rescaled /attention_with_bias scalerDr scalerA mulfV // scale1r big_map; congr (_ + _).
rewrite scaler_sumr; apply: eq_bigr => h _; rewrite /head_with_bias /=.
have move_c m (W : 'M[R]_(m, d)) : W *m (c^-1 *: X) = c^-1 *: W *m X.
  by rewrite -scalemxAr scalemxAl.
rewrite [W_K _ *m _]move_c [W_Q _ *m _]move_c -[W_V _ *m (c^-1 *: X)]scalemxAr.
set weight := columns _ _.
by rewrite -[c^-1 *: _ *m weight]scalemxAl -scalemxAr scalerA [X in X *: _](mulfV c_neq0) scale1r.
Qed.

Lemma rescaled_unit phi d n (v : 'rV[R]_d) b (w : 'cV[R]_d) (X : 'M[R]_(d, n)) :
  rescaled (feed_forward phi (unit_weights v b w)) X =
  feed_forward phi (unit_weights (c^-1 *: v) b (c *: w)) X.
Proof.
apply/matrixP => i k; rewrite /rescaled mxE !unit_layerE mulrDr [(c^-1 *: X) i k]mxE !mulrA.
by rewrite (mulfV c_neq0) mul1r [(c *: w) i _]mxE -scalemxAr scalemxAl.
Qed.

Lemma rescaled_allowed d n (f : layer R d.+1 n) : allowed_layer f ->
  exists2 f', allowed_layer f' & forall X, f' X = rescaled f X.
Proof.
case=> [[phi [v [b [w [phi_ok ->]]]]]|[heads [few sizes ->]]].
  exists (feed_forward phi (unit_weights (c^-1 *: v) b (c *: w))) => [|X].
    by left; exists phi, (c^-1 *: v), b, (c *: w).
  by rewrite rescaled_unit.
exists (attention_with_bias (fun J => @hardmax R J) (map (@rescaled_head d.+1) heads)) => [|X].
  by right; exists (map (@rescaled_head d.+1) heads); rewrite size_map all_map; split.
by rewrite rescaled_attention.
Qed.

(** A network of layers of the construction is, in other units, one of as many such layers. *)
Lemma rescaled_network d n (layers : seq (layer R d.+1 n)) : every (@allowed_layer R d n) layers ->
  exists layers', [/\ size layers' = size layers, every (@allowed_layer R d n) layers' &
    forall X, network layers' X = rescaled (network layers) X].
Proof.
elim: layers => [_|f l IHl /= [/rescaled_allowed[f' f'_ok f'E] /IHl[l' [size_l l'_ok l'E]]]].
  by exists [::]; split=> // X; rewrite /rescaled /= scalerA mulfV // scale1r.
exists (f' :: l'); split=> [|//|X] /=; first by rewrite size_l.
by rewrite l'E f'E /rescaled scalerA mulVf // scale1r.
Qed.

End Rescaled.
