(** * Kajitsuka and Sato (2024), appendix C: under a causal mask Definition 2 cannot hold

    Attention under a mask: column k weighs the tokens that it sees, and no others; the mask is
    any relation here, and hidden entries are left out (the paper adds -infinity to them). Under a
    causal mask the output at place k depends on the tokens up to place k only, for every network
    of such attention and feed-forward layers and all weights. So for tokens x, y and z the
    sequences (x, y) and (x, z) get the same at x, and if y and z differ no such network is an
    (r, delta)-contextual mapping for the two, for any r and any delta >= 0. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers.
From UAT.kajitsuka2024 Require Import definitions.

Section Masked.

Variable R : realType.

(** Softmax over what is visible. *)
Definition masked_softmax (J : finType) (visible : pred J) (s : J -> R) (j : J) : R :=
  if visible j then expR (s j) / \sum_(i | visible i) expR (s i) else 0.

(** [sees i k]: column k sees token i. *)
Definition masked_head n (sees : rel 'I_n) d p v (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d))
    (X : 'M[R]_(d, n)) : 'M[R]_(v, n) :=
  W_V *m X *m \matrix_(i, k)
    masked_softmax (fun i => sees i k) (fun i => ((W_K *m X)^T *m (W_Q *m X)) i k) i.

(** A layer of attention in which each column sees only what [sees] lets it, with heads added to
    X. *)
Definition masked_attention n (sees : rel 'I_n) d (heads : seq (head_weights R d))
    (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  X + \sum_(w <- heads) W_O w *m masked_head sees (W_V w) (W_K w) (W_Q w) X.

(** With everything visible it is attention. *)
Lemma masked_all n d (heads : seq (head_weights R d)) (X : 'M[R]_(d, n)) :
  masked_attention (fun _ _ => true) heads X = attention (@softmax R) heads X.
Proof.
by congr (_ + _); apply: eq_bigr => w _; congr (_ *m (_ *m _)); apply/matrixP => i k; rewrite !mxE.
Qed.

(** A layer is blind if column k of its output depends on what k sees only. *)
Definition blind n (sees : rel 'I_n) d (f : layer R d n) := forall (X Y : 'M[R]_(d, n)) k,
  (forall i, sees i k -> col i X = col i Y) -> col k (f X) = col k (f Y).

(** Columns are equal just where their entries are. *)
Lemma same_columns d n (A B : 'M[R]_(d, n)) k :
  col k A = col k B <-> forall r, A r k = B r k.
Proof.
by split=> [/colP same r|same]; [have := same r; rewrite !mxE | apply/colP => r; rewrite !mxE].
Qed.

(** A matrix from the left acts column by column. *)
Lemma columnE m d n (W : 'M[R]_(m, d)) (X Y : 'M[R]_(d, n)) i :
  col i X = col i Y -> forall r, (W *m X) r i = (W *m Y) r i.
Proof.
move=> /colP same r; rewrite !mxE; apply: eq_bigr => j _.
by have := same j; rewrite !mxE => ->.
Qed.

(** Attention under a mask, entry by entry. *)
Lemma masked_attentionE n (sees : rel 'I_n) d (heads : seq (head_weights R d)) X r k :
  masked_attention sees heads X r k = X r k + \sum_(w <- heads) \sum_q W_O w r q *
    \sum_i (W_V w *m X) q i * masked_softmax (fun i => sees i k)
      (fun i => \sum_p (W_K w *m X) p i * (W_Q w *m X) p k) i.
Proof.
rewrite /masked_attention [LHS]mxE summxE; congr (_ + _); apply: eq_bigr => w _.
rewrite [LHS]mxE; apply: eq_bigr => q _; rewrite /masked_head [X in _ * X]mxE; congr (_ * _).
apply: eq_bigr => i _; rewrite [X in _ * X]mxE; congr (_ * _); rewrite /masked_softmax.
case: ifP => // _; congr (expR _ / _); last apply: eq_bigr => j _; last congr expR.
  by rewrite [LHS]mxE; apply: eq_bigr => p _; rewrite [(_^T) _ _]mxE.
by rewrite [LHS]mxE; apply: eq_bigr => p _; rewrite [(_^T) _ _]mxE.
Qed.

(** Attention under a mask is blind, if each column sees itself. *)
Lemma masked_attention_blind n (sees : rel 'I_n) d (heads : seq (head_weights R d)) :
  reflexive sees -> blind sees (masked_attention sees heads).
Proof.
move=> self X Y k same; apply/same_columns => r; rewrite [LHS]masked_attentionE [RHS]masked_attentionE.
congr (_ + _); first exact: (same_columns X Y k).1 (same k (self k)) r.
apply: eq_bigr => w _; apply: eq_bigr => q _; congr (_ * _).
apply: eq_bigr => i _; rewrite /masked_softmax; case: ifP => [i_k|]; last by rewrite !mulr0.
have scores j : sees j k -> \sum_p (W_K w *m X) p j * (W_Q w *m X) p k
    = \sum_p (W_K w *m Y) p j * (W_Q w *m Y) p k.
  move=> j_k; apply: eq_bigr => p _.
  by rewrite (columnE _ (same j j_k)) (columnE _ (same k (self k))).
rewrite (columnE _ (same i i_k)) (scores i i_k); congr (_ * (_ / _)).
by apply: eq_bigr => j /scores->.
Qed.

(** A feed-forward layer is blind, as it acts token by token. *)
Lemma feed_forward_blind n (sees : rel 'I_n) d phi (w : ff_weights R d) :
  reflexive sees -> blind sees (@feed_forward R phi d n w).
Proof.
move=> self X Y k /(_ k (self k)) same; apply/colP => r; have := same => /colP/(_ r).
rewrite !mxE => ->; congr (_ + _ + _); apply: eq_bigr => i _.
by rewrite ![map_mx _ _ _ _]mxE ![(_ + bias _ _) _ _]mxE (columnE _ same) ![bias _ _ _ _]mxE.
Qed.

(** A network of blind layers is blind, if whoever sees somebody sees what that one sees, as under a causal
    mask. *)
Lemma network_blind n (sees : rel 'I_n) d (layers : seq (layer R d n)) :
  reflexive sees -> transitive sees -> every (@blind n sees d) layers -> blind sees (network layers).
Proof.
move=> self trans; elim: layers => [_ X Y k same|f l IHl /= [f_blind l_blind] X Y k same].
  exact: same.
by apply: (IHl l_blind) => i i_k; apply: f_blind => j j_i; apply: same; apply: trans j_i i_k.
Qed.

(** Each token sees those before it, and itself. *)
Definition causal n : rel 'I_n := fun i k => (i <= k)%N.

(** The two sequences (x, y) and (x, z). *)
Definition two d (x y : 'cV[R]_d) : 'M[R]_(d, 2) := row_mx x y.
(** Of the two sequences the first, or the second: one bit says which. *)
Definition pair d (x y z : 'cV[R]_d) (i : bool) := two x (if i then y else z).

(** Their tokens. *)
Lemma pair_tokens d (x y z : 'cV[R]_d) b :
  col ord0 (pair x y z b) = x /\ col ord_max (pair x y z b) = if b then y else z.
Proof.
by split; apply/colP => i; rewrite !mxE; case: splitP => // j; rewrite ord1.
Qed.

(** The set of the tokens of such a sequence. *)
Lemma vocabulary_pair d (x y z : 'cV[R]_d) b c :
  c \in vocabulary (pair x y z b) = (c \in [:: x; if b then y else z]).
Proof.
have [column0 column1] := pair_tokens x y z b.
apply/mapP/idP => [[k _ ->]|].
  case: (unliftP ord0 k) => [k' ->|->]; last by rewrite column0 mem_head.
  by rewrite (_ : lift _ _ = ord_max) ?column1 ?inE ?eqxx ?orbT //; apply: val_inj; rewrite ord1.
rewrite !inE => /orP[/eqP->|/eqP->].
  by exists ord0; rewrite ?mem_enum ?column0.
by exists ord_max; rewrite ?mem_enum ?column1.
Qed.

Theorem masked_not_contextual d (x y z : 'cV[R]_d) (layers : seq (layer R d 2)) (r delta : R) :
  every (@blind 2 (@causal 2) d) layers -> y != z -> y != x -> 0 <= delta ->
  ~ contextual (pair x y z) r delta (network layers).
Proof.
(* 1. Suppose that the network were a contextual mapping: [apart] says that what differs, or stands in
   sets that differ, is sent more than delta apart. The [sets] differ here, as y is in only one. *)
move=> blind_l yz yx delta_ge0 [_ apart].
have sets : ~ (vocabulary (pair x y z true) =i vocabulary (pair x y z false)).
  by move/(_ y); rewrite !vocabulary_pair !inE eqxx orbT (negPf yx) (negPf yz).
(* 2. The token at place 0 sees x only, in both, and all layers are blind for the rest: so its output
   is the [same]. *)
have same : col ord0 (network layers (pair x y z true))
    = col ord0 (network layers (pair x y z false)).
  have := @network_blind 2 (@causal 2) d layers; apply=> //; rewrite /causal.
  - by move=> i; apply: leqnn.
  - by move=> i j k; apply: leq_trans.
  move=> i; rewrite leqn0 => /eqP i0; rewrite (_ : i = ord0); last exact: val_inj.
  by rewrite !(pair_tokens x y z _).1.
(* 3. But [apart] asks for more than delta between the two outputs. *)
have := apart true false ord0 ord0 (or_introl sets).
rewrite same subrr /norm /dot big1 ?sqrtr0 => [|i _]; last by rewrite !mxE mulr0.
by move=> /(le_lt_trans delta_ge0); rewrite ltxx.
Qed.

End Masked.
