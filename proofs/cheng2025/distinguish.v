(** * Cheng et al. (2025), Definition 3: mixers that tell tokens apart

    A family of mixers is any set of maps of sequences; layers are X + a(X). G is any set of
    permutations; that it is a group is used nowhere. General position means distinct tokens in
    the paper; here tokens are not 0 either, so that less is asked of mixers than in the paper,
    and softmax can do it. *)
From UAT Require Import transformers analysis.
From UAT.yun2020 Require Import layers.
From UAT.cheng2025 Require Import mixers continuity.

Section Definitions.

Variables (R : realFieldType) (d n : nat).
Implicit Types (X Y : 'M[R]_(d, n)) (A : layer R d n -> Prop) (G : 'S_n -> Prop).

(** The tokens of a sequence differ, and none is 0. The paper's Definition 3 asks only that they differ. So less is
    asked of mixers here: sequences with a token 0 need not be told apart. *)
Definition general_position X : Prop :=
  injective (fun j => col j X) /\ forall j, col j X != 0.

(** [Y] is [X] in another order, one that [G] allows. *)
Definition same_orbit G X Y : Prop := exists2 s, G s & Y = col_perm s X.

(** The layers X + a(X), one after the other. *)
Definition mix (mixers : seq (layer R d n)) : layer R d n :=
  network [seq (fun X => X + a X) | a <- mixers].

(** Both conditions of the paper's Definition 3, for finitely many sequences: those in different orbits share no
    token, and in each all tokens differ. The first speaks of different orbits alone, so the second does not follow
    from it; and the look-up needs it, as equal tokens get equal answers. *)
Definition tells_apart G (mu : layer R d n) (I : finType) (X : I -> 'M[R]_(d, n)) : Prop :=
  (forall i j, ~ same_orbit G (X i) (X j) -> forall k l, col k (mu (X i)) != col l (mu (X j))) /\
  (forall i, injective (fun k => col k (mu (X i)))).

(** Definition 3, but for tokens that are 0: mixers of the family tell apart whatever finitely many sequences in general
    position are given. *)
Definition distinguishes A G : Prop := forall (I : finType) (X : I -> 'M[R]_(d, n)),
  (forall i, general_position (X i)) ->
  exists2 mixers, every A mixers & tells_apart G (mix mixers) X.

Lemma col_col_perm s X j : col j (col_perm s X) = col (s j) X.
Proof. by apply/matrixP => u o; rewrite !mxE. Qed.

Lemma col_permD s X Y : col_perm s (X + Y) = col_perm s X + col_perm s Y.
Proof. by apply/matrixP => u j; rewrite !mxE. Qed.

Lemma equivariant_network s (layers : seq (layer R d n)) :
  every (equivariant s) layers -> equivariant s (network layers).
Proof. by elim: layers => //= f layers IH [f_eq /IH layers_eq] X; rewrite f_eq layers_eq. Qed.

(** If mixers commute with a permutation, then so do their layers X + a(X), one after the other. *)
Lemma equivariant_mix s (mixers : seq (layer R d n)) :
  every (equivariant s) mixers -> equivariant s (mix mixers).
Proof.
move=> mixers_eq; apply: equivariant_network; elim: mixers mixers_eq => //= a mixers IH [a_eq].
by move/IH; split=> // X; rewrite a_eq col_permD.
Qed.

End Definitions.

Section Continuous.

Variables (R : realType) (d n : nat).

Lemma continuous_network (layers : seq (layer R d n)) :
  every (fun f : layer R d n => continuous f) layers -> continuous (network layers).
Proof.
elim: layers => [_|f layers IH /= [f_cont /IH more_cont]] X; first exact: cvg_id.
exact: (@continuous_comp _ _ _ f (network layers) X (f_cont X) (more_cont (f X))).
Qed.

(** If mixers are continuous, then so are their layers X + a(X), one after the other. *)
Lemma continuous_mix (mixers : seq (layer R d n)) :
  every (fun f : layer R d n => continuous f) mixers -> continuous (mix mixers).
Proof.
move=> mixers_cont; apply: continuous_network.
elim: mixers mixers_cont => //= a mixers IH [a_cont /IH more]; split=> //.
exact: continuous_residual.
Qed.

Lemma continuous_feed_forwards (ws : seq (ff_weights R d)) :
  continuous (network [seq feed_forward (@relu R) w (n := n) | w <- ws]).
Proof.
apply: continuous_network; elim: ws => //= w ws IH; split=> //; exact: continuous_feed_forward.
Qed.

End Continuous.
