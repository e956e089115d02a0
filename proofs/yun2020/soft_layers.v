(** * Yun et al. (2020), section E.3 with softmax: the layers, and what they do to any sequence

    The selective shifts and the lift of [selective_shift.v] with softmax in place of hardmax, keys
    scaled by lambda; the threshold of the lift is half a step below 0. For every sequence
    without negative entries, whether its ids are multiples of delta or not: no entry falls
    ([network_rises]), ids stay below a bound that does not depend on lambda ([network_bounded]),
    and if one id is at least S, then all ids are at least S - 4 n / (lambda delta) after the
    lift ([network_far]). For all d >= 1, n and N >= 1. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid selective_shift soft_hears soft_shift soft_monotone.

(** A layer of softmax attention with two heads of size 1. *)
Definition softmax_layer (R : realType) d n (f : layer R d n) :=
  exists2 heads : seq (biased_head R d), size heads = 2%N /\
    all (fun h => (size_k (weights h) == 1%N) && (size_v (weights h) == 1%N)) heads &
    forall X, f X = attention_with_bias (fun J => @softmax R J) heads X.

Section SoftLayers.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Variables (j0 : 'I_n) (lambda : R).
Hypothesis lambda_gt0 : 0 < lambda.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation soft := (fun J => @softmax R J).
Notation threshold := (threshold R N).
Notation soft_value := (@soft_value R N d n lambda).
Implicit Types (X Y : 'M[R]_(d.+1, n)) (a : 'I_n -> R).

Let delta_pos : 0 < delta := delta_gt0 R N_gt0.

(** ** The layers *)

(** A layer of two heads with softmax. *)
Definition pair_layer b s b' s' : layer R d.+1 n :=
  attention_with_bias soft [:: soft_psi N d lambda b s; soft_psi N d lambda b' s'].
(** The selective shift with softmax. *)
Definition soft_shift c := pair_layer (threshold c) D%:R (threshold c.+1) (- D%:R).
(** The lift with softmax. *)
Definition soft_lift := pair_layer (threshold 0) (D%:R ^+ n.+1) 0 0.
(** The shifts of the levels 0, ..., c - 1. *)
Definition soft_sweep c : seq (layer R d.+1 n) := [seq soft_shift c | c <- iota 0 c].
(** The whole contextual mapping with softmax. *)
Definition soft_context := soft_sweep D ++ [:: soft_lift].

Lemma soft_context_layers : every (@softmax_layer R d.+1 n) soft_context.
Proof.
have pair_ok b s b' s' : softmax_layer (pair_layer b s b' s').
  by exists [:: soft_psi N d lambda b s; soft_psi N d lambda b' s'].
by apply: every_cat; [apply: every_map => c _; apply: pair_ok | split=> //; apply: pair_ok].
Qed.

Lemma size_soft_context : size soft_context = (D + 1)%N.
Proof. by rewrite size_cat size_map size_iota. Qed.

Lemma soft_sweepS c : soft_sweep c.+1 = soft_sweep c ++ [:: soft_shift c].
Proof. by rewrite /soft_sweep -[c.+1]addn1 iotaD map_cat. Qed.

(** What changes is the first row, and ids change as it does. *)
Definition gained X Y a := forall i k, Y i k = X i k + (i == ord0)%:R * a k.
Notation id X k := ((u *m X) ord0 k).

Lemma gained_id X Y a k : gained X Y a -> id Y k = id X k + a k.
Proof.
move=> gain; rewrite mxE [in RHS]mxE !big_ord_recl !gain eqxx mul1r mulrDr addrAC.
congr (_ + _ + _); last by rewrite mxE expn0 mul1r.
by apply: eq_bigr => i _; rewrite gain mul0r addr0.
Qed.

(** What two heads add to the id of a token. *)
Definition pair_gain b s b' s' X k := s * soft_value b X k + s' * soft_value b' X k.

(** A layer of two such heads changes the first row alone, by the sum of what they add. *)
Lemma pair_gained b s b' s' X : gained X (pair_layer b s b' s' X) (pair_gain b s b' s' X).
Proof. move=> i k; rewrite [LHS]two_heads [X in _ + (X + _)]soft_psiE [X in _ + (_ + X)]soft_psiE.
by rewrite -mulrDr. Qed.

Lemma soft_valueE b X k :
  soft_value b X k = soft_mean (fun j => id X j) (lambda * (id X k - b)).
Proof.
rewrite /soft_shift.soft_value /soft_mean; apply: eq_bigr => j _; congr (_ * _).
rewrite mxE; apply: softmax_ext => i; rewrite mxE big_ord_recl big_ord0 addr0 [_^T _ _]mxE.
have addE (A B : 'M[R]_(1, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
have scaleE c (A : 'M[R]_(1, n)) x y : (c *: A) x y = c * A x y by rewrite mxE.
by rewrite -scalemxAl scaleE addE [bias _ _ _ _]mxE [const_mx _ _ _]mxE mulrAC.
Qed.

(** ** Sequences without negative ids *)
Section NotNegative.

Variables (X : 'M[R]_(d.+1, n)) (B : R).
Hypothesis ids_ge0 : forall k, 0 <= id X k.
Hypothesis ids_le : forall k, id X k <= B.

(** A shift adds a number between 0 and D B, *)
Lemma shift_gain c k : 0 <= pair_gain (threshold c) D%:R (threshold c.+1) (- D%:R) X k <= D%:R * B.
Proof.
rewrite /pair_gain mulNr -mulrBr !soft_valueE; apply/andP; split; last first.
  rewrite ler_wpmul2l ?ler0n // ler_subl_addr ler_paddr ?soft_mean_ge0 //; exact: (soft_mean_le j0).
rewrite mulr_ge0 ?ler0n // subr_ge0.
apply: (soft_mean_mono j0); rewrite ler_pmul2l // ler_add2l ler_opp2 /selective_shift.threshold.
by rewrite ler_pmul2l // ler_add2r ler_nat.
Qed.

(** and the lift one between 0 and D^{n+1} B. *)
Lemma lift_gain k : 0 <= pair_gain (threshold 0) (D%:R ^+ n.+1) 0 0 X k <= D%:R ^+ n.+1 * B.
Proof.
have D_pos : 0 <= D%:R ^+ n.+1 :> R by rewrite exprn_ge0 ?ler0n.
rewrite /pair_gain mul0r addr0 soft_valueE; apply/andP; split.
  by rewrite mulr_ge0 // soft_mean_ge0.
by rewrite ler_wpmul2l //; apply: (soft_mean_le j0).
Qed.

(** From far above the lift is heard by all. *)
Lemma lift_far S k k' : S <= id X k' ->
  S - 4%:R * n%:R / (lambda * delta) <= id (soft_lift X) k.
Proof.
move=> S_le; rewrite (gained_id _ (pair_gained _ _ _ _ X)) /pair_gain mul0r addr0.
have half_pos : 0 < delta / 2%:R by rewrite divr_gt0 ?ltr0n.
have query : delta / 2%:R <= id X k - threshold 0.
  by rewrite /selective_shift.threshold sub0r mulrN opprK ler_addr.
have w_gt0 : 0 < lambda * (id X k - threshold 0) by rewrite mulr_gt0 // (lt_le_trans half_pos).
have [m _ m_max] := @Order.TotalTheory.arg_maxP _ _ _ k' xpredT (fun j => id X j) isT.
have /andP[low _] := soft_hears_largest (v := fun j => id X j) k' w_gt0 (fun j => m_max j isT)
  (fun j => erefl).
have mean_ge : S - 4%:R * n%:R / (lambda * delta) <= soft_value (threshold 0) X k.
  rewrite soft_valueE /soft_mean; apply: le_trans low.
  apply: ler_sub; first exact: le_trans S_le (m_max k' isT).
  have quarter : delta / 4%:R <= id X k - threshold 0.
    apply: le_trans query.
    by rewrite ler_wpmul2l ?ltW // ltf_pinv ?posrE ?ltr0n // ltr_nat.
  by have := error_le n N_gt0 0 lambda_gt0 quarter; rewrite /head_error !add0r.
apply: le_trans mean_ge _; rewrite -[X in X <= _]add0r ler_add //.
rewrite -[X in X <= _]mul1r ler_wpmul2r //.
  by rewrite soft_valueE soft_mean_ge0.
by rewrite exprn_ege1 // ler1n expn_gt0 N_gt0.
Qed.

End NotNegative.

(** ** All layers *)

Lemma id_mono X Y k : (forall i, X i k <= Y i k) -> id X k <= id Y k.
Proof.
move=> le; rewrite mxE [X in _ <= X]mxE; apply: ler_sum => i _.
by rewrite ler_wpmul2l // mxE ler0n.
Qed.

Lemma id_ge0 X k : (forall i, 0 <= X i k) -> 0 <= id X k.
Proof.
move=> ge0; apply: le_trans (_ : id (0 : 'M_(d.+1, n)) k <= _); last first.
  by apply: id_mono => i; rewrite mxE.
by rewrite mulmx0 mxE.
Qed.

Lemma gained_rises X Y a k : gained X Y a -> 0 <= a k -> forall i, X i k <= Y i k.
Proof. by move=> gain a_ge0 i; rewrite gain ler_addl mulr_ge0 ?ler0n. Qed.

Variable X : 'M[R]_(d.+1, n).
Hypothesis X_ge0 : forall i k, 0 <= X i k.

Lemma sweep_bounds B c : (forall k, id X k <= B) ->
  (forall i k, X i k <= network (soft_sweep c) X i k) /\
  forall k, id (network (soft_sweep c) X) k <= (1 + D%:R) ^+ c * B.
Proof.
move=> X_B; elim: c => [|c [rises below]]; first by split=> // k; rewrite mul1r.
rewrite soft_sweepS network_cat [network [:: _] _]/=.
move: (network _ X) rises below => Y rises below.
have Y_ge0 i k : 0 <= Y i k := le_trans (X_ge0 i k) (rises i k).
have gain k := shift_gain (fun k => id_ge0 (Y_ge0^~ k)) below c k.
have gain_Y := pair_gained (threshold c) D%:R (threshold c.+1) (- D%:R) Y.
split=> [i|] k; have /andP[low high] := gain k.
  exact: le_trans (rises i k) (gained_rises gain_Y low i).
rewrite (gained_id _ gain_Y) exprS -mulrA mulrDl mul1r; exact: ler_add.
Qed.

Definition context_bound (B : R) : R := (1 + D%:R ^+ n.+1) * ((1 + D%:R) ^+ D * B).

Theorem context_bounds B : (forall k, id X k <= B) ->
  (forall i k, X i k <= network soft_context X i k) /\
  forall k, id (network soft_context X) k <= context_bound B.
Proof.
move=> X_B; rewrite network_cat [network [:: _] _]/=.
have [rises below] := sweep_bounds D X_B; move: (network _ X) rises below => Y rises below.
have Y_ge0 i k : 0 <= Y i k := le_trans (X_ge0 i k) (rises i k).
have gain k := lift_gain (fun k => id_ge0 (Y_ge0^~ k)) below k.
have gain_Y := pair_gained (threshold 0) (D%:R ^+ n.+1) 0 0 Y.
split=> [i|] k; have /andP[low high] := gain k.
  exact: le_trans (rises i k) (gained_rises gain_Y low i).
rewrite (gained_id _ gain_Y) /context_bound mulrDl mul1r; exact: ler_add.
Qed.

(** If one id is large, then all are in the end. *)
Theorem context_far S k : (exists k', S <= id X k') ->
  S - 4%:R * n%:R / (lambda * delta) <= id (network soft_context X) k.
Proof.
move=> [k' S_le]; rewrite network_cat [network [:: _] _]/=.
have [B X_B] : exists B, forall k, id X k <= B.
  exists (\sum_k id X k) => m; rewrite (bigD1 m) //= ler_addl sumr_ge0 // => m' _; exact: id_ge0.
have [rises below] := sweep_bounds D X_B; move: (network _ X) rises below => Y rises below.
have Y_ge0 i m : 0 <= Y i m := le_trans (X_ge0 i m) (rises i m).
have S_le_Y : S <= id Y k' by apply: le_trans S_le _; apply: id_mono => i; apply: rises.
by apply: lift_far S_le_Y => m; apply: id_ge0.
Qed.

End SoftLayers.
