(** * A feed-forward layer, unit by unit

    A unit (a, b, c) adds relu(a^T x + b) c to a token x. For every list of units there is a layer
    that gives each token the sum of what the units add, and nothing else: two more units for each
    coordinate take the skip connection away, x - relu(x) + relu(-x) = 0. *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import definitions inner_product hats.

(** The length of a list of lists of one length. *)
Lemma size_flatten_map S T (f : S -> seq T) m s : (forall x, size (f x) = m) ->
  size (flatten (map f s)) = (m * size s)%N.
Proof.
move=> size_f; elim: s => [|x s IHs]; first by rewrite muln0.
by rewrite /= size_cat size_f IHs mulnS.
Qed.

Section Units.

Variables (R : rcfType) (d : nat).
Implicit Types (x : 'cV[R]_d) (z : R).

Definition relu_unit := ('cV[R]_d * R * 'cV[R]_d)%type.
Implicit Types (u : relu_unit) (us : seq relu_unit).

Definition adds u x : 'cV[R]_d := relu (dot u.1.1 x + u.1.2) *: u.2.

Fixpoint layer_of us : ff_weights R d :=
  if us is u :: more then
    let w := layer_of more in
    @FeedForwardWeights R d (1 + hidden w) (col_mx u.1.1^T (W_1 w)) (col_mx u.1.2%:M (b_1 w))
      (row_mx u.2 (W_2 w)) 0
  else @FeedForwardWeights R d 0 0 0 0 0.

(** What such a layer adds to a token. *)
Lemma layer_ofE us n (X : 'M[R]_(d, n)) k :
  col k (feed_forward (@relu R) (layer_of us) X) = col k X + \sum_(u <- us) adds u (col k X).
Proof.
have no_bias : bias n (b_2 (layer_of us)) = 0.
  by case: us => [|u us]; apply/matrixP => i j; rewrite !mxE.
rewrite /feed_forward no_bias addr0 linearD; congr (_ + _) => {no_bias}.
elim: us => [|u us IHus]; first by rewrite big_nil /= mul0mx linear0.
rewrite big_cons -IHus /= mul_col_mx bias_col add_col_mx map_col_mx mul_row_col linearD.
congr (_ + _); apply/colP => i; rewrite !mxE big_ord1 mulrC !mxE eqxx mulr1n.
congr (relu (_ + _) * _).
by apply: eq_bigr => j _; rewrite !mxE.
Qed.

(** ** The same sum of ReLUs for each coordinate *)

Definition piece (ts : seq (R * R * R)) z : R := \sum_(t <- ts) t.2 * relu (t.1.1 * z + t.1.2).

Definition everywhere ts : seq relu_unit :=
  flatten [seq [seq (t.1.1 *: delta_mx i 0, t.1.2, t.2 *: delta_mx i 0) | t <- ts]
          | i <- enum 'I_d].

(** These units act entry by entry. *)
Lemma everywhereE ts x : \sum_(u <- everywhere ts) adds u x = \col_i piece ts (x i 0).
Proof.
rewrite big_flatten big_map big_enum; apply/colP => i; rewrite summxE (bigD1 i) //= [RHS]mxE.
rewrite [X in _ + X]big1 => [|j j_i]; last first.
  rewrite big_map summxE big1 // => t _; rewrite !mxE /= eq_sym (negPf j_i).
  by rewrite mulr0 mulr0.
rewrite addr0 big_map summxE; apply: eq_bigr => t _; rewrite !mxE /= !eqxx mulr1 mulrC.
by congr (_ * relu (_ + _)); rewrite dotC dotZ dotC dot_delta.
Qed.

(** ** Without the skip connection *)

Definition take_away : seq (R * R * R) := [:: (1, 0, -1); (-1, 0, 1)].

(** A number is the difference of two ReLUs. *)
Lemma relu_opp z : relu z - relu (- z) = z.
Proof.
case: (lerP 0 z) => z0; first by rewrite relu_pos // relu_neg ?subr0 // oppr_le0.
by rewrite relu_neg ?ltW // relu_pos ?sub0r ?opprK // oppr_ge0 ltW.
Qed.

(** So these two units take it away. *)
Lemma take_awayE z : piece take_away z = - z.
Proof.
rewrite /piece !big_cons big_nil /= !addr0 mul1r !mulN1r mul1r.
by rewrite -[in RHS](relu_opp z) opprB addrC.
Qed.

Definition units_only us := layer_of (us ++ everywhere take_away).

(** How many units there are. *)
Lemma size_everywhere ts : size (everywhere ts) = (d * size ts)%N.
Proof.
rewrite (@size_flatten_map _ _ _ (size ts)) => [|i]; last exact: size_map.
by rewrite size_enum_ord mulnC.
Qed.

(** A layer without its skip connection has 2 d units more. *)
Lemma hidden_units_only us : hidden (units_only us) = (size us + 2 * d)%N.
Proof.
have hiddenE vs : hidden (layer_of vs) = size vs by elim: vs => //= u vs ->; rewrite add1n.
by rewrite hiddenE size_cat size_everywhere mulnC.
Qed.

(** It gives each token what the units add, and nothing else. *)
Theorem units_onlyE us n (X : 'M[R]_(d, n)) k :
  col k (feed_forward (@relu R) (units_only us) X) = \sum_(u <- us) adds u (col k X).
Proof.
rewrite layer_ofE big_cat everywhereE /= addrCA.
have -> : \col_i piece take_away (col k X i 0) = - col k X.
  by apply/colP => i; rewrite [LHS]mxE take_awayE [RHS]mxE.
by rewrite subrr addr0.
Qed.

(** A layer that does the same to each entry. *)
Theorem entrywise ts n (X : 'M[R]_(d, n)) :
  feed_forward (@relu R) (units_only (everywhere ts)) X = map_mx (piece ts) X.
Proof.
apply/matrixP => i k; have /colP/(_ i) := units_onlyE (everywhere ts) X k.
by rewrite everywhereE !mxE.
Qed.

End Units.
