(** * Computing: layers that are the same

    What a test needs to say that weights written down by a program are those of a construction
    of Yun et al. (2020) in this folder: layer by layer, matrix by matrix, entry by entry. *)
From Coq Require Import ZArith QArith.
From UAT Require Import attention lra_checker.
From UAT.computing Require Import tables.
From UAT.yun2020 Require Import layers grid selective_shift look_up.

Section Same.

Variable R : realFieldType.

Lemma same_table m n A B : A = B -> mx R m n A = mx R m n B.
Proof. by move=> ->. Qed.

(** Lists of layers that do the same, one by one. *)
Fixpoint same_layers d n (fs gs : seq (layer R d n)) : Prop :=
  match fs, gs with
  | f :: fs, g :: gs => (forall Z, f Z = g Z) /\ same_layers fs gs
  | [::], [::] => True
  | _, _ => False
  end.
Lemma network_same d n (fs gs : seq (layer R d n)) Z : same_layers fs gs -> network fs Z = network gs Z.
Proof. by elim: fs gs Z => [|f fs IH] [|g gs] //= Z [fg /IH same]; rewrite fg same. Qed.

(** What a construction makes of a table, if its layers are those of the codes. *)
Lemma network_computed d n cs (gs : seq (layer R d n)) X Y :
  same_layers [seq of_code R d n c | c <- cs] gs -> network_table d n cs X = Y ->
  network gs (mx R d n X) = mx R d n Y.
Proof. by move=> same <-; rewrite -(network_same _ same) networkE. Qed.

(** Attention without a bias, as [transformers.v] has it. *)
Lemma attentionE d n hs X : all (fun h => nilp (b_table h)) hs ->
  attention (fun J => @hardmax R J) [seq weights (of_head R d h) | h <- hs] (mx R d n X)
    = mx R d n (layer_table d n (Hears hs) X).
Proof.
move=> no_bias; rewrite -of_codeE -attention_without_bias; congr (attention_with_bias _ _ _).
elim: hs no_bias => //= h hs IH /andP[/nilP b /IH ->].
by rewrite /of_head b mx0.
Qed.

(** A feed-forward layer with one hidden unit. *)
Lemma same_unit d n a w1 b1 w2 phi (v : 'rV[R]_d) b (w : 'cV[R]_d) : of_activation R a =1 phi ->
  mx R 1 d w1 = v -> mx R 1 1 b1 = const_mx (- b) -> mx R d 1 w2 = w ->
  forall Z : 'M[R]_(d, n), of_code R d n (Each a 1 w1 b1 w2 [::]) Z
    = feed_forward phi (unit_weights v b w) Z.
Proof.
move=> a_phi vE bE wE Z; rewrite /of_code /feed_forward /= vE bE wE mx0; congr (_ + _ *m _ + _).
by apply/matrixP => i k; rewrite !mxE a_phi.
Qed.

(** Activations of three pieces with the same numbers. *)
Lemma same_pieces a b s1 c1 s2 c2 s3 c3 a' b' s1' c1' s2' c2' s3' c3' t :
  Q2R R a = a' -> Q2R R b = b' -> Q2R R s1 = s1' -> Q2R R c1 = c1' -> Q2R R s2 = s2' ->
  Q2R R c2 = c2' -> Q2R R s3 = s3' -> Q2R R c3 = c3' ->
  of_activation R (Pieces a b s1 c1 s2 c2 s3 c3) t = three_piece a' b' s1' c1' s2' c2' s3' c3' t.
Proof. by move=> <- <- <- <- <- <- <- <-. Qed.

(** A head [scale psi(.; b)]. *)
Lemma same_psi N d o v k q b threshold scale : mx R d.+1 1 o = scale *: e_1 R d ->
  mx R 1 d.+1 v = u R N d -> mx R 1 d.+1 k = u R N d -> mx R 1 d.+1 q = u R N d ->
  mx R 1 1 b = const_mx (- threshold) ->
  of_head R d.+1 (HeadCode 1 1 o v k q b) = psi N d threshold scale.
Proof. by rewrite /of_head /psi /= => -> -> -> -> ->. Qed.

End Same.

Lemma no_ordinals : enum 'I_0 = [::].
Proof. by apply: size0nil; rewrite size_enum_ord. Qed.

(** Where the last two pieces are one, the second border is idle. *)
Lemma same_idle (R : realFieldType) a b s1 c1 s c (a' b' s1' c1' s' c' : R) t :
  Q2R R a = a' -> Q2R R s1 = s1' -> Q2R R c1 = c1' -> Q2R R s = s' -> Q2R R c = c' ->
  of_activation R (Pieces a b s1 c1 s c s c) t = three_piece a' b' s1' c1' s' c' s' c' t.
Proof.
by move=> <- <- <- <- <-; rewrite /of_activation /three_piece; case: ltP => // _; rewrite !if_same.
Qed.

(** Two numbers; two small matrices, entry by entry; two activations. *)
Ltac numbers := apply: same_numeral; vm_compute; reflexivity.
Ltac tables := apply: same_table; vm_compute; reflexivity.
Ltac entries := apply/matrixP => -[[|[|?]] ?] // [[|[|?]] ?] //; rewrite !mxE; numbers.
Ltac pieces := move=> ?; apply: same_pieces; numbers.
Ltac idle := move=> ?; apply: same_idle; numbers.
