(** * Yun et al. (2020), section E.3: the selective shift and the lift as hardmax attention

    The literal layers, with matrices: psi(Z; b) = e_1 u^T Z hardmax[(u^T Z)^T (u^T Z - b 1^T)],
    heads of size 1, one or two in a layer, ties shared as hardmax shares them. Proved: they do
    to u^T Z what [sweep.v] says in whole numbers (units of delta), and change no row but the
    first. For all d >= 1, n, N >= 1 and every sequence whose ids u^T Z are multiples of delta =
    1/N. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import sweep layers grid.

(** If all tokens with the largest score have the same value, then hardmax hears it. *)
Lemma hardmax_hears (R : realFieldType) (J : finType) (j0 : J) (v s : J -> R) (a : R) :
  (forall j, (forall i, s i <= s j) -> v j = a) -> \sum_j v j * hardmax s j = a.
Proof.
move=> best_a; have best_v j : v j * hardmax s j = a * hardmax s j.
  rewrite /hardmax; case: (boolP (best s j)) => [/forallP/best_a->//|_].
  by rewrite mul0r !mulr0.
rewrite (eq_bigr _ (fun j _ => best_v j)) -big_distrr /=.
rewrite /hardmax -big_distrl /= -natr_sum.
have -> : (\sum_i best s i)%N = #|[pred i | best s i]|.
  by rewrite -sum1_card [RHS]big_mkcond; apply: eq_bigr => i _; rewrite inE; case: (best s i).
rewrite mulfV ?mulr1 // pnatr_eq0 -lt0n; apply/card_gt0P.
have [i _ i_max] := @Order.TotalTheory.arg_maxP _ _ J j0 xpredT s isT; exists i; rewrite inE.
by apply/forallP => k; exact: i_max.
Qed.

Section SelectiveShift.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Notation D := (N ^ d.+1)%N.
Variable j0 : 'I_n.
Implicit Types (X : 'M[R]_(d.+1, n)) (z : 'I_n -> int).

Notation delta := (delta R N).

(** The vector u = (1, N, N^2, ...): [u *m X] has the ids of the columns of X. *)
Definition u : 'rV[R]_d.+1 := \row_i (N ^ i)%:R.
(** The first unit vector: what a head hears goes to the first entry of a token. *)
Definition e_1 : 'cV[R]_d.+1 := delta_mx ord0 ord0.

(** The head scale psi(.; b). *)
Definition psi (b scale : R) : biased_head R d.+1 :=
  @BiasedHead R _ (HeadWeights (scale *: e_1) u u u) (const_mx (- b) : 'cV_1).

(** The ids of a sequence are delta z. *)
Definition has_ids X z := forall j, (u *m X) ord0 j = delta * (z j)%:~R.

(** A head whose query has the sign of [q] hears what is heard with the query [q]. *)
Lemma hears_literal z (w : R) (q : int) (s : 'I_n -> R) :
  (0 < w -> 0 < q) -> (w < 0 -> q < 0) -> (w = 0 -> forall i k, z i = z k) ->
  (forall i, s i = delta * (z i)%:~R * w) ->
  \sum_j delta * (z j)%:~R * hardmax s j = delta * (heard j0 z q)%:~R.
Proof.
move=> w_pos w_neg w_zero sE; apply: (hardmax_hears j0) => j j_best.
congr (_ * _%:~R); have [i -> i_max] := heardP j0 z q.
have le_q := i_max j; have le_w := j_best i.
rewrite !sE -!mulrA ler_pmul2l ?(delta_gt0 R N_gt0) // in le_w.
have [w_lt0|w_gt0|w0] := ltgtP w 0; last exact: w_zero.
- by have := w_neg w_lt0; rewrite ler_nmul2r // ler_int in le_w; nia.
- by have := w_pos w_gt0; rewrite ler_pmul2r // ler_int in le_w; nia.
Qed.

Lemma psiE b scale X z (q : int) k : has_ids X z ->
  (0 < delta * (z k)%:~R - b -> 0 < q) -> (delta * (z k)%:~R - b < 0 -> q < 0) ->
  (delta * (z k)%:~R - b = 0 -> forall i k, z i = z k) -> forall i,
  (W_O (weights (psi b scale)) *m head_with_bias (fun J => @hardmax R J) u u u (const_mx (- b))
    X) i k
  = (i == ord0)%:R * (scale * (delta * (heard j0 z q)%:~R)).
Proof.
move=> ids_z w_pos w_neg w_zero i; rewrite mxE big_ord_recl big_ord0 addr0 !mxE andbT.
rewrite [scale * _]mulrC -mulrA; congr (_ * (_ * _)).
pose S := (u *m X)^T *m (u *m X + bias n (const_mx (- b) : 'cV_1)).
have addE (A B : 'M[R]_(1, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
have trE (A : 'M[R]_(1, n)) x y : A^T x y = A y x by rewrite mxE.
have SE i' : S i' k = delta * (z i')%:~R * (delta * (z k)%:~R - b).
  rewrite mxE big_ord_recl big_ord0 addr0 trE addE !ids_z; congr (_ * (_ + _)).
  by rewrite !mxE.
rewrite -(hears_literal w_pos w_neg w_zero SE); apply: eq_bigr => j _.
by rewrite ids_z mxE.
Qed.

(** ** The layers *)

Lemma heads_entry (heads : seq (biased_head R d.+1)) X i k :
  attention_with_bias (fun J => @hardmax R J) heads X i k = X i k + \sum_(h <- heads)
    (W_O (weights h) *m head_with_bias (fun J => @hardmax R J) (W_V (weights h)) (W_K (weights h))
      (W_Q (weights h)) (b_Q h) X) i k.
Proof. by rewrite mxE summxE. Qed.

(** The threshold (c - 1/2) delta of level [c], half a step below the ids of that level. *)
Definition threshold (c : nat) : R := delta * (c%:R - 2%:R^-1).
(** The two heads of the selective shift at level [c]: D psi(.; (c - 1/2) delta) - D psi(.; (c + 1/2) delta). *)
Definition shift_heads c := [:: psi (threshold c) D%:R; psi (threshold c.+1) (- D%:R)].
(** The selective shift at level [c], a layer of two heads: it moves only tokens with ids at most half a step from c
    delta. *)
Definition shift_layer c : layer R d.+1 n :=
  attention_with_bias (fun J => @hardmax R J) (shift_heads c).

(** The one head of the lift: D^{n+1} psi(.; 0). *)
Definition lift_heads := [:: psi 0 (D%:R ^+ n.+1)].
(** The lift, a layer of one head: if all ids are positive, each grows by D^{n+1} times the largest one. *)
Definition lift_layer : layer R d.+1 n := attention_with_bias (fun J => @hardmax R J) lift_heads.

Lemma threshold_sign c (m : int) : delta * m%:~R - threshold c =
  delta / 2%:R * (2 * m - 2 * c%:Z + 1)%:~R.
Proof.
have two_neq0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have -> : (2 * m - 2 * c%:Z + 1)%:~R = 2%:R * m%:~R - 2%:R * c%:R + 1 :> R.
  by rewrite rmorphD rmorphB !rmorphM.
by rewrite /threshold; field.
Qed.

(** What changes is the first row. *)
Definition moved X X' z z' := forall i k,
  X' i k = X i k + (i == ord0)%:R * (delta * (z' k - z k)%:~R).

Lemma moved_ids X X' z z' : has_ids X z -> moved X X' z z' -> has_ids X' z'.
Proof.
move=> ids_z X_X' k; have <- : u *m X + delta *: map_mx intr (\row_k (z' k - z k)) = u *m X'.
  have -> : X' = X + e_1 *m (delta *: map_mx intr (\row_k (z' k - z k))).
    apply/matrixP => i {}k; rewrite X_X' !mxE big_ord_recl big_ord0 addr0 !mxE andbT.
    by rewrite intrD.
  rewrite mulmxDr mulmxA; congr (_ + _); apply/matrixP => i {}k.
  by rewrite [RHS]mxE big_ord_recl big_ord0 addr0 -[e_1]/(delta_mx _ _) -colE !mxE mul1r.
have addE (A B : 'M[R]_(1, n)) x y : (A + B) x y = A x y + B x y by rewrite mxE.
by rewrite addE ids_z !mxE -mulrDr -intrD addrC subrK.
Qed.

Lemma threshold_heard c scale X z i k : has_ids X z ->
  (W_O (weights (psi (threshold c) scale)) *m
    head_with_bias (fun J => @hardmax R J) u u u (const_mx (- threshold c)) X) i k =
  (i == ord0)%:R * (scale * (delta * (hears j0 c z k)%:~R)).
Proof.
move=> ids_z; apply: psiE => //; rewrite threshold_sign.
all: have half : 0 < delta / 2%:R by rewrite divr_gt0 ?(delta_gt0 R N_gt0) ?ltr0n.
- by rewrite pmulr_rgt0 // ltr0z.
- by rewrite pmulr_rlt0 // ltrz0.
by move/eqP; rewrite mulf_eq0 gt_eqF //= intr_eq0; lia.
Qed.

Lemma shift_layer_moved c X z : has_ids X z -> moved X (shift_layer c X) z (shift j0 D c z).
Proof.
move=> ids_z i k; rewrite heads_entry big_cons big_seq1.
have at_c := threshold_heard _ D%:R i k ids_z; have above_c := threshold_heard _ (- D%:R) i k ids_z.
congr (_ + _); apply: etrans (congr2 +%R (at_c c) (above_c c.+1)) _.
rewrite -mulrDr /shift; congr (_ * _); rewrite mulNr -mulrBr -mulrBr -rmorphB mulrCA; congr (_ * _).
by rewrite [in RHS]addrAC subrr add0r intrM.
Qed.

Lemma lift_layer_moved X z : has_ids X z -> (forall k, z k = 0 -> forall i i', z i = z i') ->
  moved X (lift_layer X) z (lift j0 D z).
Proof.
move=> ids_z zero_equal i k.
rewrite heads_entry big_seq1 (@psiE 0 _ X z (2 * z k - 2 * 0%:Z + 1) k ids_z).
- have addKl (a b : int) : a + b - a = b by rewrite addrC addKr.
  congr (_ + _ * _); rewrite /lift /hears card_ord addKl intrM mulrCA; congr (_ * _).
  by rewrite rmorphX.
- by rewrite subr0 pmulr_rgt0 ?(delta_gt0 R N_gt0) // ltr0z; lia.
- by rewrite subr0 pmulr_rlt0 ?(delta_gt0 R N_gt0) // ltrz0; lia.
by rewrite subr0 => /eqP;
  rewrite mulf_eq0 gt_eqF ?(delta_gt0 R N_gt0) //= intr_eq0 => /eqP/zero_equal.
Qed.

(** ** The sweep *)

(** The sweep: selective shifts at the levels 0, 1, ..., c - 1, a layer each. *)
Definition sweep_layers c := [seq shift_layer c | c <- iota 0 c].

Lemma sweep_layersE c X z : has_ids X z ->
  moved X (network (sweep_layers c) X) z (sweep j0 D c z).
Proof.
move=> ids_z; elim: c => [|c IHc] i k; first by rewrite /= subrr mulr0 mulr0 addr0.
have -> : sweep_layers c.+1 = sweep_layers c ++ [:: shift_layer c].
  by rewrite /sweep_layers -[c.+1]addn1 iotaD map_cat.
rewrite network_cat [network _ _]/=.
rewrite (shift_layer_moved c (moved_ids ids_z IHc)) IHc -addrA -mulrDr -mulrDr -intrD.
by congr (_ + _ * (_ * _%:~R)); rewrite addrC addrA subrK.
Qed.

End SelectiveShift.
