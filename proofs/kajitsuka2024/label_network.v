(** * A feed-forward layer that looks labels up

    For finitely many vectors z and any labels there is one layer of ReLUs that sends each z to
    its label: it reads the vectors along a direction in which they are apart, and has a hat for
    each. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix ring.
From UAT Require Import transformers.
From UAT Require Import lra.
From UAT.kajitsuka2024 Require Import definitions inner_product lemma_2.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Hats.

Variable R : rcfType.
Implicit Type u : R.

Definition hat u : R := relu (u + 1) - 2%:R * relu u + relu (u - 1).

Lemma relu_pos u : 0 <= u -> relu u = u.
Proof. by move=> ?; apply/max_idPr. Qed.
Lemma relu_neg u : u <= 0 -> relu u = 0.
Proof. by move=> ?; apply/max_idPl. Qed.

Lemma hat_top : hat 0 = 1.
Proof. by rewrite /hat add0r sub0r relu_pos ?ler01 // relu_pos // relu_neg ?lerN10 //; ring. Qed.

Lemma hat_far u : 1 <= `|u| -> hat u = 0.
Proof.
rewrite ler_normr => /orP[u1|u1]; rewrite /hat.
  by rewrite !relu_pos; lra.
by rewrite !relu_neg; lra.
Qed.

(** A number below the sizes of finitely many numbers that are not 0. *)
Lemma least_size (D : seq R) : (forall t, t \in D -> t != 0) ->
  exists2 g, 0 < g & forall t, t \in D -> g <= `|t|.
Proof.
elim: D => [|t D IH] ne0; first by exists 1.
have [|g g0 g_le] := IH; first by move=> u uD; apply: ne0; rewrite inE uD orbT.
exists (Num.min g `|t|) => [|u]; first by rewrite lt_minr g0 normr_gt0 ne0 ?mem_head.
rewrite inE => /predU1P[->|/g_le le_u]; rewrite le_minl ?lexx ?orbT //.
by rewrite le_u.
Qed.

End Hats.

Section Network.

Variables (R : rcfType) (d : nat) (zs : seq 'cV[R]_d.+1) (label : 'cV[R]_d.+1 -> 'cV[R]_d.+1).
Variables (v : 'cV[R]_d.+1) (g : R).
Notation M := (size zs).
Notation z m := (nth 0 zs m).

(** Hat m: its rows, its places, and what it adds (the layer keeps its input). *)
Definition rows : 'M[R]_(M, d.+1) := \matrix_(m, j) (v j 0 / g).
Definition places (u : R) : 'cV[R]_M := \col_m (u - dot v (z m) / g).
Definition outputs : 'M[R]_(d.+1, M) := \matrix_(i, m) (label (z m) i 0 - z m i 0).

Definition label_network : ff_weights R d.+1 :=
  @FeedForwardWeights R d.+1 (M + (M + M)) (col_mx rows (col_mx rows rows))
    (col_mx (places 1) (col_mx (places 0) (places (- 1))))
    (row_mx outputs (row_mx (- 2%:R *: outputs) outputs)) 0.

Lemma bias_col m m' n (a : 'cV[R]_m) (b : 'cV[R]_m') :
  bias n (col_mx a b) = col_mx (bias n a) (bias n b).
Proof.
by apply/matrixP => i k; rewrite [LHS]mxE !mxE; case: splitP => j _; rewrite mxE.
Qed.

Lemma label_networkE n (Z : 'M[R]_(d.+1, n)) : feed_forward (@relu R) label_network Z
  = Z + outputs *m \matrix_(m, k) hat ((dot v (col k Z) - dot v (z m)) / g).
Proof.
rewrite /feed_forward /= !mul_col_mx !bias_col !add_col_mx !map_col_mx !mul_row_col.
have -> : bias n 0 = 0 :> 'M[R]_(d.+1, n) by apply/matrixP => i k; rewrite !mxE.
rewrite addr0 -scalemxAl !scalemxAr -!mulmxDr; congr (_ + _ *m _).
apply/matrixP => m k; rewrite !mxE.
have -> : \sum_j rows m j * Z j k = dot v (col k Z) / g.
  by rewrite /dot mulr_suml; apply: eq_bigr => j _; rewrite !mxE mulrAC.
rewrite /hat mulrBl -[RHS]addrA -[- (2%:R * _)]mulNr.
move: (dot v (col k Z)) (dot v (z m)) g^-1 => a b c.
by congr (_ + (_ + _)); [congr relu | congr (_ * relu _) | congr relu]; ring.
Qed.

Hypothesis uniq_zs : uniq zs.
Hypothesis g_gt0 : 0 < g.
Hypothesis apart : forall x y, x \in zs -> y \in zs -> x != y -> g <= `|dot v x - dot v y|.

Lemma label_network_correct n (Z : 'M[R]_(d.+1, n)) k : col k Z \in zs ->
  col k (feed_forward (@relu R) label_network Z) = label (col k Z).
Proof.
move=> in_zs; rewrite label_networkE linearD /=; apply/colP => i; rewrite !mxE.
have lt : (index (col k Z) zs < M)%N by rewrite index_mem.
pose m0 := Ordinal lt; have zm0 : z m0 = col k Z by rewrite nth_index.
rewrite (bigD1 m0) //= big1 => [|m m_ne].
  by rewrite !mxE zm0 subrr mul0r hat_top mulr1 addr0 addrC [in X in _ - X]mxE subrK.
rewrite [X in _ * X]mxE hat_far ?mulr0 // normrM normfV (gtr0_norm g_gt0).
rewrite ler_pdivl_mulr // mul1r apart ?mem_nth //.
apply: contra_neq m_ne => eq_z; apply: val_inj => /=.
by rewrite eq_z index_uniq.
Qed.

End Network.

Theorem label_layer (R : rcfType) (d : nat) (zs : seq 'cV[R]_d.+1) label : uniq zs ->
  exists f : ff_weights R d.+1, forall n (Z : 'M[R]_(d.+1, n)) k, col k Z \in zs ->
  col k (feed_forward (@relu R) f Z) = label (col k Z).
Proof.
move=> uniq_zs.
(* 1. A direction in which the vectors are apart, and how far. *)
have [v _ keep] := lemma_2_better zs.
have [|g g0 g_le] := @least_size R [seq t <- [seq dot v x - dot v y | x <- zs, y <- zs] | t != 0].
  by move=> t; rewrite mem_filter => /andP[].
(* 2. The hats. *)
exists (label_network zs label v g) => n Z k; apply: label_network_correct => // x y xz yz xy.
apply: g_le; rewrite mem_filter; apply/andP; split; last by apply/allpairsP; exists (x, y).
rewrite -normr_gt0 -dotB; have /andP[low _] := keep x y xz yz; apply: lt_le_trans low.
rewrite mulr_gt0 ?norm_gt0 ?subr_eq0 // divr_gt0 ?exprn_gt0 ?ltr0n // lt0n size_eq0.
by apply: contraTneq xz => no_zs; rewrite -mem_undup no_zs.
Qed.
