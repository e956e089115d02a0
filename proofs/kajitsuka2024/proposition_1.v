(** * Kajitsuka and Sato (2024), Proposition 1: one layer of self-attention is universal

    For every continuous, permutation equivariant f on a compact set K of sequences (closed under
    permutations), every eps > 0, all d >= 1, n >= 1 and head sizes s >= 1: there is a grid, and for
    every width w > 0, however small, a network FF o SA o FF with ReLUs, softmax, and a single
    head with W_V, W_K and W_Q of rank 1, that
    1. differs by at most eps, in every entry, from f in K off the strips: these are where an
       entry lies less than w beyond a node of the grid;
    2. is 0 wherever an entry lies w or more outside the box around K;
    3. is nowhere larger than f in K, whatever w is.
    With N cells a side and D = N^d it has d (2 N + 6) hidden units in the first block and at most
    3 D C(D + n - 2, n - 1) + 2 d in the third, [few_units].

    Differs from the printed text: this is point by point. [proposition_1_d_p.v] has the distance
    d_p from it, as the grid does not depend on w, and the bound of 3 on nothing but f. For K =
    [0, 1]^{d x n} and f = 0 outside, the printed normal form (51), see [proposition_1_unit_box].
    The printed proof leaves out cells with repeated tokens; here none is. *)
From UAT Require Import transformers analysis.
From mathcomp Require Import mxalgebra.
From UAT.liu2025 Require Import compact.
From UAT.yun2020 Require Import claim_1.
From UAT.kajitsuka2024 Require Import quantizer pattern_ids three_blocks.

(** ** Networks of three blocks, and strips *)

Section Definitions.

Variables (R : realType) (d n s : nat).

(** FF o SA o FF: (19), with one head of softmax of rank one and size s. *)
Record three_block_network := ThreeBlocks {
  FF_1 : ff_weights R d; SA : head_weights R d; FF_2 : ff_weights R d;
  sizes : size_v SA = s /\ size_k SA = s;
  ranks : [/\ \rank (W_V SA) = 1%N, \rank (W_K SA) = 1%N & \rank (W_Q SA) = 1%N] }.

(** What the network does: its three blocks, one after the other. *)
Definition apply_network (g : three_block_network) (X : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  network [:: feed_forward (@relu R) (FF_1 g); attention (@softmax R) [:: SA g];
              feed_forward (@relu R) (FF_2 g)] X.

(** As many hidden units as the book's three blocks have, for N cells a side: D = N^d tokens. *)
Definition few_units (g : three_block_network) (N : nat) :=
  hidden (FF_1 g) = (d * (2 * N + 6))%N /\
  (hidden (FF_2 g) <= 3 * (N ^ d * 'C(N ^ d + n - 2, n - 1)) + 2 * d)%N.

(** K is closed under permuting columns, and on K f(XP) = f(X)P. *)
Definition equivariant_on (K : set 'M[R]_(d, n)) (f : 'M[R]_(d, n) -> 'M[R]_(d, n)) :=
  forall (p : 'S_n) X, K X -> K (X *m perm_mx p) /\ f (X *m perm_mx p) = f X *m perm_mx p.

(** Some entry lies less than w beyond a node a + t h, t = 0, ..., N. *)
Definition in_strip (a h : R) (N : nat) (w : R) (X : 'M[R]_(d, n)) :=
  exists i k, exists2 t : nat, (t <= N)%N & a + t%:R * h <= X i k < a + t%:R * h + w.

End Definitions.

(** The counts of [three_blocks], with n in place of n - 1. *)
Lemma few_unitsE (R : realType) (d n s N : nat) (g : three_block_network R d.+1 s) : (0 < N)%N ->
  hidden (FF_1 g) = (d.+1 * (2 * N + 6))%N ->
  (hidden (FF_2 g) <= 3 * (N ^ d.+1 * 'C(n + (N ^ d.+1).-1, n)) + 2 * d.+1)%N -> few_units n.+1 g N.
Proof.
move=> N_gt0 size_1 size_2; split=> //; have D_gt0 : (0 < N ^ d.+1)%N by rewrite expn_gt0 N_gt0.
rewrite (_ : N ^ d.+1 + n.+1 - 2 = n + (N ^ d.+1).-1)%N ?subn1 //.
by rewrite -[in LHS](prednK D_gt0) addSn addnS !subSS subn0 addnC.
Qed.

Section Proposition1.

Variables (R : realType) (d n s : nat).
Variables (K : set 'M[R]_(d.+1, n.+1)) (f : 'M[R]_(d.+1, n.+1) -> 'M[R]_(d.+1, n.+1)).
Hypothesis f_equivariant : equivariant_on K f.

Section Labels.

Variables (a h z eps : R) (N : nat).
Hypothesis good_z : forall (T T' : pattern d n N) k k', id z T k = id z T' k' ->
  exists2 p : 'S_n.+1, p k' = k & forall i j, T' (i, j) = T (i, p j).
Hypothesis f_near : forall X Y, K X -> K Y -> (forall i k, `|X i k - Y i k| <= h) ->
  forall i k, `|f X i k - f Y i k| <= eps.

(** All entries of [X] lie in the closed cells of [T]. *)
Definition cells (T : pattern d n N) (X : 'M[R]_(d.+1, n.+1)) :=
  forall i k, node a h (T (i, k)) <= X i k <= node a h (T (i, k)).+1.

(** The token [k] of the sequence [X] has the id [c]. *)
Definition has_id (X : 'M[R]_(d.+1, n.+1)) k (c : R) :=
  K X /\ exists2 T, cells T X & id z T k = c.

(** Where ids are equal, f is nearly equal: one sequence is near a permutation of the other. *)
Lemma same_id_near X Y k l c i : has_id X k c -> has_id Y l c -> `|f X i k - f Y i l| <= eps.
Proof.
move=> [KX [T X_T T_c]] [KY [S Y_S S_c]]; rewrite -S_c in T_c.
have [p p_k pE] := good_z (esym T_c).
have [KYp fYp] := f_equivariant (p^-1)%g KY.
have -> : f Y i l = f (Y *m perm_mx (p^-1)%g) i k by rewrite fYp mul_perm invgK p_k.
apply: f_near => // i' j; rewrite mul_perm invgK.
have := X_T i' j; have := Y_S i' (p j); rewrite pE /node !mulrSr.
move: (X i' j) (Y i' (p j)) (_%:R) => x y t; rewrite mulrDl mul1r.
by move=> /andP[? ?] /andP[? ?]; rewrite ler_norml; move: (t * h) => th; lra.
Qed.

(** A label for each id: the value of f for some token with this id. *)
Lemma labels : exists label : R -> 'cV[R]_d.+1, forall c,
  (label c = 0 \/ exists X k, has_id X k c /\ label c = col k (f X)) /\
  forall X k, has_id X k c -> forall i, `|label c i 0 - f X i k| <= eps.
Proof.
suff /choice[label labelE] : forall c, exists v : 'cV[R]_d.+1,
  (v = 0 \/ exists X k, has_id X k c /\ v = col k (f X)) /\
  forall X k, has_id X k c -> forall i, `|v i 0 - f X i k| <= eps by exists label.
move=> c; have [[X [k Xk]]|none] := pselect (exists X k, has_id X k c); last first.
  by exists 0; split=> [|X k Xk]; [left | case: none; exists X, k].
exists (col k (f X)); split=> [|Y l Yl i]; first by right; exists X, k.
by rewrite mxE; apply: same_id_near Xk Yl.
Qed.

(** Off the strips a sequence in the box lies in the cells of a pattern, beyond the ramps. *)
Lemma off_strips_in_cells w (X : 'M[R]_(d.+1, n.+1)) : 0 < h -> 0 < w ->
  (forall i k, a <= X i k <= node a h N) ->
  ~ in_strip a h N w X -> exists T : pattern d n N, in_cells a h w T X.
Proof.
move=> h_gt0 w_gt0 X_box off; have /fin_all_exists[T TE] : forall ik, exists t : 'I_N,
    node a h t + w <= X ik.1 ik.2 <= node a h t.+1.
  move=> [i k]; apply: off_ramps => //.
  by move=> [t t_N in_t]; apply: off; exists i, k, t.
by exists (finfun T) => i k; rewrite ffunE; apply: TE (i, k).
Qed.

(** There its tokens have ids. *)
Lemma has_id_in_cells w (T : pattern d n N) (X : 'M[R]_(d.+1, n.+1)) k :
  0 < w -> K X -> in_cells a h w T X -> has_id X k (id z T k).
Proof.
move=> w_gt0 KX X_T; split=> //; exists T => // i k'.
by have /andP[low ->] := X_T i k'; rewrite (le_trans _ low) // ler_addl ltW.
Qed.

(** A share of a label is nowhere larger than f. *)
Lemma label_bounded (v : 'cV[R]_d.+1) c t B i :
  v = 0 \/ (exists X k, has_id X k c /\ v = col k (f X)) -> 0 <= t -> t <= 1 -> 0 <= B ->
  (forall Y, K Y -> forall i k, `|f Y i k| <= B) -> `|(t *: v) i 0| <= B.
Proof.
move=> value t_ge0 t_le1 B_ge0 f_B; rewrite mxE normrM ger0_norm // -[B]mul1r; apply: ler_pmul => //.
by case: value => [->|[Y [k [[KY _] ->]]]]; rewrite mxE ?normr0 // f_B.
Qed.

End Labels.

Hypothesis K_compact : compact K.
Hypothesis f_continuous : {within K, continuous f}.
Variables (a b : R).
Hypothesis a_lt_b : a < b.
Hypothesis K_in_box : forall X, K X -> forall i k, a <= X i k <= b.

(** A grid on which f moves little. *)
Lemma fine_grid (eps : R) : 0 < eps -> exists2 N, (0 < N)%N & forall X Y, K X -> K Y ->
  (forall i k, `|X i k - Y i k| <= (b - a) / N%:R) -> forall i k, `|f X i k - f Y i k| <= eps.
Proof.
move=> eps_gt0; have [delta delta_gt0 near] := compact_uniform K_compact f_continuous eps_gt0.
exists (Num.bound ((b - a) / delta)).+1 => // X Y KX KY XY i k; apply/ltW.
suff /(near X Y KX KY)/mx_ballP : ball X delta Y by apply.
apply/mx_ballP => i' k'.
apply: le_lt_trans (XY i' k') _; rewrite ltr_pdivr_mulr ?ltr0n // mulrC -ltr_pdivr_mulr //.
apply: lt_trans (archi_boundP _) _; last by rewrite ltr_nat.
by rewrite divr_ge0 ?(ltW delta_gt0) // subr_ge0 ltW.
Qed.

(** Proposition 1: the grid comes first, then the width of the strips, then the network. *)
Theorem proposition_1 (eps : R) : 0 < eps -> exists2 N, (0 < N)%N & forall w, 0 < w ->
  exists2 g : three_block_network R d.+1 s.+1, few_units n.+1 g N & forall X,
  [/\ (* 1 *) K X -> ~ in_strip a ((b - a) / N%:R) N w X ->
        forall i k, `|apply_network g X i k - f X i k| <= eps,
      (* 2 *) (exists i k, X i k <= a - w \/ b + w <= X i k) -> apply_network g X = 0 &
      (* 3 *) forall B, 0 <= B -> (forall Y, K Y -> forall i k, `|f Y i k| <= B) ->
        forall i k, `|apply_network g X i k| <= B].
Proof.
(* 1. A grid of [N] cells a side, in each of which f moves by at most eps: [f_near]. And a base [z] for
   the sharpness, at which equal ids mean the same token in the same context, in some order: [good_z]. *)
move=> eps_gt0; have [N N_gt0 f_near] := fine_grid eps_gt0; exists N => // w w_gt0; set h := (b - a) / _.
have h_gt0 : 0 < h by rewrite divr_gt0 ?ltr0n // subr_gt0.
have node_N : node a h N = b by rewrite /node /h mulrC divfK ?pnatr_eq0 -?lt0n // addrC subrK.
have [z z_01 good_z] := @good_ids R d n N N_gt0.
(* 2. So one [label] for each id is near f wherever the id occurs: [labelE]. A network of three blocks
   looks it up, and [gE] says what each token is given. *)
have [label labelE] := @labels a h z eps N good_z f_near.
have [F1 [F2 [A [[size_1 size_2] szs rks gE]]]] :=
  @three_blocks R d n s N a h w z label N_gt0 h_gt0 w_gt0 z_01.
exists (ThreeBlocks F1 F2 szs rks) => [|X]; first exact: few_unitsE.
set g := apply_network _ X; have gcol i k : g i k = col k g i 0 by rewrite [RHS]mxE.
split=> [KX off i k|[i' [k' out]]|B B_ge0 f_B i k].
(* 3. Off the strips [X] lies in the cells of a pattern [T]. So its tokens have ids, and get labels near f. *)
- have [|T X_T] := off_strips_in_cells h_gt0 w_gt0 _ off; first by rewrite node_N; apply: K_in_box.
  have [/(_ _ X_T) on_id _ _] := gE X k; rewrite gcol on_id.
  by apply: (labelE _).2; apply: has_id_in_cells w_gt0 KX X_T.
(* 4. Far outside the box each token is given 0. *)
- apply/matrixP => i k; have [_ is_0 _] := gE X k; rewrite gcol is_0 ?mxE //; exists i', k'; by rewrite node_N.
(* 5. Anywhere it is given 0, or a share of a label, which is a value of f. *)
rewrite gcol; have [_ _ [->|[T [l [t /andP[t_ge0 t_le1] ->]]]]] := gE X k; first by rewrite mxE normr0.
exact: (label_bounded _ (labelE _).1 t_ge0 t_le1 B_ge0 f_B).
Qed.

End Proposition1.
