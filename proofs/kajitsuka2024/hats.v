(** * ReLUs and hats

    A hat is 1 at 0 and 0 at a distance of 1 or more; it takes three ReLUs. *)
From UAT Require Import attention.

Section Hats.

Variable R : rcfType.
Implicit Type u : R.

Definition hat u : R := relu (u + 1) - 2%:R * relu u + relu (u - 1).

(** The ReLU of what is not negative. *)
Lemma relu_pos u : 0 <= u -> relu u = u.
Proof. by move=> ?; apply/max_idPr. Qed.

(** The ReLU of what is not positive. *)
Lemma relu_neg u : u <= 0 -> relu u = 0.
Proof. by move=> ?; apply/max_idPl. Qed.

(** The top of a hat. *)
Lemma hat_top : hat 0 = 1.
Proof. by rewrite /hat add0r sub0r relu_pos ?ler01 // relu_pos // relu_neg ?lerN10 //; ring. Qed.

(** A hat is 0 at a distance of 1 or more. *)
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

(** Biases one below the other. *)
Lemma bias_col m m' n (a : 'cV[R]_m) (b : 'cV[R]_m') :
  bias n (col_mx a b) = col_mx (bias n a) (bias n b).
Proof.
by apply/matrixP => i k; rewrite [LHS]mxE !mxE; case: splitP => j _; rewrite mxE.
Qed.

End Hats.
