(** * Yun et al. (2020), Claim 1: a transformer block is permutation equivariant

    For every number of heads, all sizes and all weights, with softmax, with hardmax, and with
    any way to make weights of scores that does not look at positions ([symmetric]); with a bias
    on the queries or without; for every activation; then for every network of such blocks. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers.

Section Equivariance.

Variable R : realFieldType.

(** f(XP) = f(X)P for every permutation matrix P. *)
Definition equivariant d e n (f : 'M[R]_(d, n) -> 'M[R]_(e, n)) :=
  forall (s : 'S_n) X, f (X *m perm_mx s) = f X *m perm_mx s.

(** If scores are permuted, then weights are. *)
Definition symmetric (sigma : scoring R) := forall (J : finType) (p : {perm J}) (s s' : J -> R),
  (forall i, s' i = s (p i)) -> forall j, sigma J s' j = sigma J s (p j).

(** In coordinates. *)
Lemma mul_perm d n (X : 'M[R]_(d, n)) (s : 'S_n) i k : (X *m perm_mx s) i k = X i ((s^-1)%g k).
Proof. by rewrite -{1}[s]invgK -col_permE mxE. Qed.

Section Symmetric.

Variable sigma : scoring R.
Hypothesis sigma_symmetric : symmetric sigma.

(** After the scores: sigma(P^T S P) = P^T sigma(S) P. *)
Lemma columns_perm n (S S' : 'M[R]_n) (s : 'S_n) :
  (forall i k, S' i k = S (s i) (s k)) ->
  forall i k, columns sigma S' i k = columns sigma S (s i) (s k).
Proof.
by move=> S_S' i k; rewrite !mxE; apply: sigma_symmetric => i'; rewrite S_S'.
Qed.

Lemma head_equivariant d p v n (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) (b : 'cV[R]_p) :
  equivariant (@head_with_bias R sigma d p v n W_V W_K W_Q b).
Proof.
move=> s X; apply/matrixP => i k; rewrite mul_perm /head_with_bias !mulmxA.
rewrite !mxE [RHS](reindex_inj (@perm_inj _ (s^-1)%g)); apply: eq_bigr => j _.
rewrite mul_perm; congr (_ * _); apply: columns_perm => {}i {}k.
rewrite mxE [RHS]mxE; apply: eq_bigr => a _.
have addE (A B : 'M[R]_(p, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
have trE (A : 'M[R]_(p, n)) x y : A^T x y = A y x by rewrite mxE.
by rewrite !trE !addE !mul_perm; congr (_ * (_ + _)); rewrite !mxE.
Qed.

(** If weights do not look at positions, then a layer of attention is permutation equivariant. *)
Lemma attention_equivariant d n (heads : seq (biased_head R d)) :
  equivariant (@attention_with_bias R sigma d n heads).
Proof.
move=> s X; rewrite /attention_with_bias mulmxDl mulmx_suml; congr (_ + _).
by apply: eq_bigr => h _; rewrite head_equivariant mulmxA.
Qed.

End Symmetric.

(** The feed-forward layer works on each token alone. *)
Lemma feed_forward_equivariant (phi : R -> R) d n (w : ff_weights R d) :
  equivariant (@feed_forward R phi d n w).
Proof.
have bias_perm m (c : 'cV[R]_m) s : bias n c = bias n c *m perm_mx s.
  by apply/matrixP => i k; rewrite mul_perm !mxE.
have map_perm m (A : 'M[R]_(m, n)) s : map_mx phi (A *m perm_mx s) = map_mx phi A *m perm_mx s.
  by apply/matrixP => i k; rewrite mul_perm [LHS]mxE [RHS]mxE mul_perm.
move=> s X; rewrite /feed_forward (bias_perm _ (b_1 w) s) (bias_perm _ (b_2 w) s).
by rewrite mulmxA -mulmxDl map_perm mulmxA -!mulmxDl -!bias_perm.
Qed.

(** A network of permutation equivariant layers is permutation equivariant. *)
Lemma network_equivariant d n (layers : seq (layer R d n)) :
  every (@equivariant d d n) layers -> equivariant (network layers).
Proof. by elim: layers => //= f l IHl [f_equi l_equi] s X; rewrite f_equi IHl. Qed.

(** A block: attention, then feed-forward. *)
Definition block (sigma : scoring R) (phi : R -> R) d n (heads : seq (head_weights R d))
    (w : ff_weights R d) (X : 'M[R]_(d, n)) := feed_forward phi w (attention sigma heads X).

Theorem claim_1_one_block (sigma : scoring R) phi d n (heads : seq (head_weights R d)) w :
  symmetric sigma -> equivariant (@block sigma phi d n heads w).
Proof.
(* 1. Scores become P^T S P, weights P^T sigma(S) P, and P P^T = I. *)
move=> sigma_symmetric s X; rewrite /block -!attention_without_bias attention_equivariant //.
(* 2. The feed-forward layer acts on columns. *)
exact: feed_forward_equivariant.
Qed.

Lemma hardmax_symmetric : symmetric (fun J => @hardmax R J).
Proof.
move=> J p s s' s_p j; rewrite /hardmax.
have best_p i : best s' i = best s (p i).
  apply/forallP/forallP => all_le i'; last by rewrite !s_p.
  by have := all_le ((p^-1)%g i'); rewrite !s_p permKV.
rewrite best_p; congr (_ / _%:R); rewrite -(card_image (@perm_inj _ p)); apply: eq_card => i.
rewrite inE; apply/imageP/idP => [[i' best_i' ->]|best_i]; first by move: best_i';
  rewrite inE best_p.
by exists ((p^-1)%g i); rewrite ?permKV // inE best_p permKV.
Qed.

End Equivariance.

(** Softmax does not look at positions: if scores are permuted, then its weights are. *)
Lemma softmax_symmetric (R : realType) : symmetric (fun J => @softmax R J).
Proof.
move=> J p s s' s_p j; rewrite /softmax s_p; congr (_ / _).
by rewrite [RHS](reindex_inj (@perm_inj _ p)); apply: eq_bigr => i _; rewrite s_p.
Qed.

(** Claim 1: any network of blocks with softmax. *)
Theorem claim_1 (R : realType) (phi : R -> R) d n
    (blocks : seq (seq (head_weights R d) * ff_weights R d)) :
  equivariant (network [seq @block R (fun J => @softmax R J) phi d n b.1 b.2 | b <- blocks]).
Proof.
(* 1. If each block commutes with permutations of the tokens, so does their network, block by block. *)
apply: network_equivariant; elim: blocks => //= b l IHl; split=> //.
(* 2. A block does, as softmax does not ask for places: the theorem above. *)
exact: claim_1_one_block (@softmax_symmetric R).
Qed.
