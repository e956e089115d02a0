(** * Cheng et al. (2025), Proposition 1, for ReLU: interpolation

    For any d >= 2 and n, any mixers that tell tokens apart under G (Definition 3) and are
    G-equivariant, any G-equivariant f, any finite set of sequences and any eps > 0: some mixing
    layers, and then feed-forward layers with at most d hidden ReLUs each, come within eps of
    f(X_i), in each entry, at every X_i of distinct tokens, none 0; and everywhere the entries of
    the output are at most B in size, if those of f at these X_i are. f need not be continuous.
    Printed: any nonlinear, affine-invariant family of feed-forward layers; 2-norms, and a bound
    of n times the largest norm where a token repeats. The bound is the work of two layers that
    clamp entries to [-B, B], which the paper does not have. *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.yun2020 Require Import layers.
From UAT.cheng2025 Require Import mixers distinguish proposition_3.

(** ** Two layers that clamp entries *)

Section Clamp.

Variables (R : realFieldType) (d n : nat).
Implicit Types (B x y : R) (X : 'M[R]_(d, n)).

(** What is above B becomes B, and what is below -B becomes -B. *)
Definition clamp B x : R := let y := x - relu (x - B) in y + relu (- y - B).

Definition clamp_layers B : seq (ff_weights R d) :=
  [:: FeedForwardWeights 1%:M (const_mx (- B)) (- 1)%:M 0;
      FeedForwardWeights (- 1)%:M (const_mx (- B)) 1%:M 0].

Lemma clamp_layersE B X u j :
  network [seq feed_forward (@relu R) w (n := n) | w <- clamp_layers B] X u j = clamp B (X u j).
Proof.
by rewrite /= /feed_forward /bias /= !mul_scalar_mx !scale1r !scaleN1r !mxE !addr0.
Qed.

Lemma relu_cases x : (x <= 0 /\ relu x = 0) \/ (0 <= x /\ relu x = x).
Proof. by rewrite /relu; case: (leP 0 x) => [?|/ltW ?]; [right | left]. Qed.

Lemma clamp_le B x : 0 <= B -> `|clamp B x| <= B.
Proof.
move=> B_ge0; rewrite /clamp ler_norml.
by case: (relu_cases (x - B)) => -[? ->];
  match goal with |- context [relu ?y] => case: (relu_cases y) => -[? ->] end; lra.
Qed.

(** To clamp at B brings a number no further from one that is at most B in size. *)
Lemma clamp_near B x y : `|y| <= B -> `|clamp B x - y| <= `|x - y|.
Proof.
rewrite ler_norml => y_in; have up := ler_norm (x - y); have down := ler_norm (y - x).
rewrite distrC in down; rewrite ler_norml; move: `|x - y| up down => e up down; rewrite /clamp.
by case: (relu_cases (x - B)) => -[? ->];
  match goal with |- context [relu ?y] => case: (relu_cases y) => -[? ->] end; lra.
Qed.

End Clamp.

(** ** The look-up *)

Section Interpolation.

Variables (R : realFieldType) (d' n : nat).
Let d := d'.+2.
Implicit Types (X Y : 'M[R]_(d, n)) (G : 'S_n -> Prop) (f mu : layer R d n).

(** Feed-forward layers on a sequence are feed-forward layers on each token. *)
Lemma col_feed_forwards (ws : seq (ff_weights R d)) X j :
  col j (network [seq feed_forward (@relu R) w (n := n) | w <- ws] X) = run ws (col j X).
Proof.
elim: ws X => //= w ws IH X; rewrite IH feed_forward_tokenwise col_tokenwise.
by rewrite /run.
Qed.

(** A token of a sequence, after a map. *)
Definition mixed (I : Type) (X : I -> 'M[R]_(d, n)) f (q : I * 'I_n) := col q.2 (f (X q.1)).

(** If two tokens after mixing are equal, then one sequence is the other in another order, and so are the answers. *)
Lemma one_answer G (I : finType) (X : I -> 'M[R]_(d, n)) f mu :
  (forall s, G s -> equivariant s mu) -> (forall s, G s -> equivariant s f) ->
  tells_apart G mu X -> forall q q', mixed X mu q = mixed X mu q' -> mixed X f q = mixed X f q'.
Proof.
move=> mu_eq f_eq [apart within] [i k] [j l]; rewrite /mixed /= => same.
have [|differ] := pselect (same_orbit G (X i) (X j)); last first.
  by have := apart i j differ k l; rewrite same eqxx.
move=> [s Gs Xj]; move: same; rewrite Xj mu_eq // f_eq // !col_col_perm.
by move/within->.
Qed.

(** Behind a map that tells the tokens of finitely many sequences apart, feed-forward layers come within eps of f at
    these, and stay within B everywhere. *)
Theorem interpolation G (I : finType) (X : I -> 'M[R]_(d, n)) f mu B eps :
  (forall s, G s -> equivariant s mu) -> (forall s, G s -> equivariant s f) ->
  tells_apart G mu X -> 0 <= B -> (forall i u j, `|f (X i) u j| <= B) -> 0 < eps ->
  exists2 ws, all (fun w => hidden w <= d)%N ws &
    let net := network [seq feed_forward (@relu R) w (n := n) | w <- ws] in
    (forall i u j, `|net (mu (X i)) u j - f (X i) u j| <= eps) /\
    (forall Z u j, `|net Z u j| <= B).
Proof.
move=> mu_eq f_eq apart B_ge0 f_le eps_gt0.
(* 1. [one_answer]: tokens after mixing have one answer each, so that a table of them makes sense. *)
have one_answer q q' := @one_answer G I X f mu mu_eq f_eq apart q q'.
(* 2. [ws_ok]: Proposition 3 looks them up. *)
pose all_mixed := [seq mixed X mu q | q <- enum [finType of I * 'I_n]].
pose y (v : seq_sub all_mixed) : 'cV[R]_d :=
  if [pick q | mixed X mu q == ssval v] is Some q then mixed X f q else 0.
have [ws ws_1 ws_ok] := proposition_3 (x := fun v : seq_sub all_mixed => ssval v) y
  val_inj eps_gt0.
(* 3. Two more layers clamp entries to [-B, B], where all answers are. *)
exists (ws ++ clamp_layers d B) => [|net].
  by rewrite all_cat /= !leqnn !andbT; apply: sub_all ws_1 => w /eqP->.
have netE Z u j : net Z u j = clamp B (run ws (col j Z) u ord0).
  by rewrite /net map_cat network_cat clamp_layersE -col_feed_forwards mxE.
split=> [i u j|Z u j]; rewrite netE ?clamp_le //; apply: le_trans (clamp_near _ (f_le i u j)) _.
have in_all : mixed X mu (i, j) \in all_mixed by apply/map_f; rewrite mem_enum.
have [] := ws_ok (SeqSub in_all) u; rewrite /y /=.
case: pickP => [q /eqP/one_answer->|/(_ (i, j))]; last by rewrite eqxx.
by rewrite /mixed [X in _ - X]mxE.
Qed.

(** The form of the paper. *)
Theorem proposition_1 G (A : layer R d n -> Prop) (I : finType) (X : I -> 'M[R]_(d, n)) f B eps :
  distinguishes A G -> (forall a s, A a -> G s -> equivariant s a) ->
  (forall s, G s -> equivariant s f) -> 0 <= B ->
  (forall i, general_position (X i) -> forall u j, `|f (X i) u j| <= B) -> 0 < eps ->
  exists mixers ws, [/\ every A mixers, all (fun w => hidden w <= d)%N ws &
    let net X := network [seq feed_forward (@relu R) w (n := n) | w <- ws] (mix mixers X) in
    (forall i, general_position (X i) -> forall u j, `|net (X i) u j - f (X i) u j| <= eps) /\
    (forall Z u j, `|net Z u j| <= B)].
Proof.
move=> A_apart A_eq f_eq B_ge0 f_le eps_gt0.
(* 1. To have different tokens to look up: some mixing tells the sequences in general position apart ([apart]). *)
pose J := {i : I | `[< general_position (X i) >]}.
have J_ok (i : J) : general_position (X (val i)) by apply/asboolP/(valP i).
have [mixers mixers_A apart] := A_apart [finType of J] (fun i => X (val i)) J_ok.
(* 2. Their tokens are looked up. [near]: within eps; [bounded]: and never above B, whatever comes. *)
have mix_eq s : G s -> equivariant s (mix mixers).
  by move=> Gs; apply: equivariant_mix; apply: every_impl mixers_A => a /A_eq; apply.
have [ws ws_d [near bounded]] := interpolation mix_eq f_eq apart B_ge0
  (fun i => f_le (val i) (J_ok i)) eps_gt0.
exists mixers, ws; split=> //; split=> // i /asboolP i_ok.
exact: (near (exist _ i i_ok : J)).
Qed.

End Interpolation.
