(** * Yun et al. (2020), Proposition 5, in the distance d_p

    For all d >= 1, n >= 2, delta = 1/N, N >= 2, and every permutation equivariant f that is
    constant on the cubes of width delta of [0, 1)^{d x n}, zero outside, and in absolute value at
    most F: the network of [proposition_5.v] is within d_p <= (C(n, 2) delta^d d n F^p)^{1/p} of
    f, for all real p > 0 (the paper has p >= 1, and O(delta^{d/p})), in the sense of
    [upper_integral.v]: the p-th power of the difference lies below a step function with the
    integral C(n, 2) delta^d d n F^p. Queries have a bias. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import layers grid claim_1 proposition_5 theorem_2_hardmax upper_integral.
From UAT.yun2020 Require Import distance_d_p.

Section Repeated.

(** ** How many cells of the box have a repeated column *)
Variables (N d n : nat).
Notation place := ('I_d * 'I_n)%type.
Notation cell := {ffun place -> 'I_(2 * N)}.
Implicit Types (c : cell) (j k : 'I_n).

(** The cells N, ..., 2 N - 1 of an entry are those in [0, 1). *)
Definition inside c := [forall p, N <= c p]%N.
(** Two given columns are equal. *)
Definition repeats c (q : 'I_n * 'I_n) :=
  (q.1 < q.2)%N && [forall i, c (i, q.1) == c (i, q.2)].
(** A cell inside with two equal columns. *)
Definition repeated c := inside c && [exists q, repeats c q].

Lemma inside_count : (#|[set c | inside c]| <= N ^ (d * n))%N.
Proof.
have upper : (#|[pred v : 'I_(2 * N) | (N <= v)%N]| <= N)%N.
  rewrite -cardsE; apply: (@window_card _ N N [pred v : 'I_(2 * N) | (N <= v)%N]) => v /= ->.
  by rewrite addnn -mul2n ltn_ord.
have -> : #|[set c | inside c]| = 
    #|@ffun_on [finType of place] [pred v : 'I_(2 * N) | (N <= v)%N]|.
  by apply: eq_card => c; rewrite inE; apply/forallP/ffun_onP => le p; apply: le.
rewrite card_ffun_on card_prod !card_ord.
by case: (d * n)%N => [|e]; rewrite ?expn0 ?leq_exp2r.
Qed.

Lemma up_lt (w : 'I_N) : (N + w < 2 * N)%N.
Proof. by rewrite mul2n -addnn ltn_add2l. Qed.
Definition up (w : 'I_N) : 'I_(2 * N) := Ordinal (up_lt w).

(** Two given columns are equal in a share of at most 1 / N^d of the cells inside: the second may be any other
    instead. *)
Lemma repeats_count q : (#|[set c | inside c && repeats c q]| * N ^ d <= N ^ (d * n))%N.
Proof.
have -> : (N ^ d)%N = #|{: {ffun 'I_d -> 'I_N}}| by rewrite card_ffun !card_ord.
rewrite -cardsT -cardsX; apply: leq_trans inside_count.
pose other (cw : cell * {ffun 'I_d -> 'I_N}) : cell :=
  [ffun p => if p.2 == q.2 then up (cw.2 p.1) else cw.1 p].
rewrite -(card_in_imset (f := other)); last first.
  move=> [c w] [c' w']; rewrite !inE /= !andbT => /andP[_ /andP[lt /forallP same]].
  move=> /andP[_ /andP[_ /forallP same']] /ffunP eq.
  have ne : (q.1 == q.2) = false by apply/negbTE; rewrite -val_eqE neq_ltn lt.
  have eq_c p : p.2 != q.2 -> c p = c' p by have := eq p; rewrite !ffunE => + /negPf; case: eqP.
  congr (_, _); last first.
    apply/ffunP => i; have := eq (i, q.2); rewrite !ffunE eqxx /= => -[/addnI].
    exact: val_inj.
  apply/ffunP => -[i k]; have [->|k_ne] := eqVneq k q.2; last exact: eq_c.
  by rewrite -(eqP (same i)) -(eqP (same' i)); apply: eq_c; rewrite /= ne.
apply/subset_leq_card/subsetP => c' /imsetP[[c w]]; rewrite !inE /= andbT => /andP[c_in _] ->.
by apply/forallP => p; rewrite ffunE; case: eqP => _; [apply: leq_addr | apply: (forallP c_in)].
Qed.

Lemma pairs_count : (#|[set q : 'I_n * 'I_n | q.1 < q.2]| <= 'C(n, 2))%N.
Proof.
rewrite -triangular_sum -sum1_card big_mkord.
have -> : (\sum_(q in [set q : 'I_n * 'I_n | q.1 < q.2]) 1 =
    \sum_(k < n) \sum_(j < n | j < k) 1)%N.
  rewrite (exchange_big_dep xpredT) //= pair_big_dep /=; apply: eq_bigl => q; by rewrite inE.
apply: leq_sum => k _; rewrite sum1_card -cardsE.
by apply: (@window_card _ 0 k [pred j : 'I_n | (j < k)%N]) => j.
Qed.

(** A column is repeated in a share of at most C(n, 2) / N^d of the cells inside. *)
Lemma repeated_count : (#|[set c | repeated c]| * N ^ d <= 'C(n, 2) * N ^ (d * n))%N.
Proof.
pose P q c := inside c && repeats c q.
apply: leq_trans (_ : _ <= (\sum_q #|[set c | P q c]|) * N ^ d)%N _.
  rewrite leq_mul2r; apply/orP; right; apply: leq_trans (union_bound P).
  apply/subset_leq_card/subsetP => c; rewrite !inE => /andP[c_in /existsP[q c_q]].
  by apply/existsP; exists q; rewrite /P c_in.
rewrite (bigID (fun q : 'I_n * 'I_n => q.1 < q.2)%N) /= [X in (_ + X)%N]big1 ?addn0; last first.
  move=> q /negPf ge; apply/eqP; rewrite cards_eq0; apply/eqP/setP => c.
  by rewrite !inE /P /repeats ge andbF.
rewrite big_distrl /=; apply: leq_trans (_ : \sum_(q : 'I_n * 'I_n | q.1 < q.2) N ^ (d * n) <= _)%N.
  by apply: leq_sum => q _; apply: repeats_count.
by rewrite sum_nat_const leq_mul2r -cardsE pairs_count orbT.
Qed.

End Repeated.

Section Proposition5.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation delta := (delta R N).
Implicit Types (L X : 'M[R]_(d.+1, n)).

(** Constant on the cubes S_L, zero outside. *)
Definition step_function (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) :=
  (forall L X, box_grid N L -> proposition_5.in_cube N L X -> f X = f L) /\
  (forall X, outside X -> f X = 0).

Notation cell := {ffun 'I_d.+1 * 'I_n -> 'I_(2 * N)}.
Let N_gt0 : (0 < N)%N := ltnW N_gt1.
Let delta_gt0 : 0 < delta := grid.delta_gt0 R N_gt0.
Let N_delta : N%:R * delta = 1 := grid.N_delta R N_gt0.

(** The cells of the box [-1, 1), 2 N a side, have the width delta. *)
Lemma side_delta : side 1 (2 * N) = delta.
Proof.
have N_neq0 : N%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
by rewrite /side mulr1 natrM invfM mulrA mulfV ?mul1r // pnatr_eq0.
Qed.

(** The points of a cell that is not inside lie outside of [0, 1). *)
Lemma cell_outside X (c : cell) : in_cube 1 c X -> ~~ inside c -> outside X.
Proof.
move=> X_c; rewrite negb_forall => /existsP[[i j]]; rewrite -ltnNge => lt; exists i, j; left.
have /andP[_] := X_c i j; rewrite side_delta => /lt_le_trans; apply.
rewrite -[X in _ + X]mul1r -addrA -mulrDl addrC -[X in _ - X]N_delta subr_le0.
by rewrite ler_pmul2r // -mulrSr ler_nat.
Qed.

(** The corner of a cell inside, which is a cube S_L: the sequence L. *)
Definition corner (c : cell) : 'M[R]_(d.+1, n) := \matrix_(i, j) ((c (i, j) - N)%N%:R * delta).

(** The points of a cell inside lie in the cube S_L of its corner L. *)
Lemma cell_corner X (c : cell) : in_cube 1 c X -> inside c ->
  proposition_5.in_cube N (corner c) X.
Proof.
move=> X_c inside i j; have := X_c i j; rewrite side_delta mxE natrB ?(forallP inside) //.
by rewrite mulrBl N_delta addrC.
Qed.

(** If no column of a cell inside is repeated, then the columns of its corner are different. *)
Lemma corner_distinct (c : cell) : inside c -> ~~ repeated c -> distinct_grid N (corner c).
Proof.
move=> inside not_rep; split=> [i j|j k /colP same].
  by exists (c (i, j) - N)%N; rewrite ?mxE // ltn_subLR ?(forallP inside) // addnn -mul2n.
apply/eqP; apply: contraNT not_rep => jk; rewrite /repeated inside /=.
have col_eq i : c (i, j) = c (i, k).
  have := same i; rewrite !mxE => /(mulIf (lt0r_neq0 delta_gt0))/eqP; rewrite eqr_nat => /eqP eq.
  by apply/val_inj; rewrite /= -(subnK (forallP inside (i, j))) eq subnK ?(forallP inside).
by move: jk; rewrite neq_ltn => /orP[lt|lt]; apply/existsP; [exists (j, k) | exists (k, j)];
  rewrite /repeats lt /=; apply/forallP => i; rewrite col_eq.
Qed.

(** The cubes with a repeated column have a volume of at most C(n, 2) delta^d together. *)
Lemma repeated_volume : #|[set c : cell | repeated c]|%:R * delta ^+ (d.+1 * n) <=
  'C(n, 2)%:R * delta ^+ d.+1.
Proof.
have few : #|[set c : cell | repeated c]|%:R * N%:R ^+ d.+1 <=
    'C(n, 2)%:R * N%:R ^+ (d.+1 * n) :> R.
  by have := @repeated_count N d.+1 n; rewrite -(ler_nat R) !natrM !natrX.
have power_delta m : N%:R ^+ m * delta ^+ m = 1 by rewrite -exprMn N_delta expr1n.
have pos m : 0 <= delta ^+ m by rewrite exprn_ge0 // ltW.
have := ler_wpmul2r (pos (d.+1 * n)%N) (ler_wpmul2r (pos d.+1) few).
rewrite -[X in X * _]mulrA power_delta mulr1 => /le_trans; apply.
by rewrite mulrAC -[X in X * _]mulrA power_delta mulr1.
Qed.

Section Network.

Variables (f : 'M[R]_(d.+1, n) -> 'M[R]_(d.+1, n)) (layers : seq (layer R d.+1 n)).
Hypothesis f_step : step_function f.
Hypothesis right_on_cubes : forall L X, distinct_grid N L -> proposition_5.in_cube N L X ->
  network layers X = f L.
Hypothesis zero_off_cubes : forall X,
  (forall L, distinct_grid N L -> ~ proposition_5.in_cube N L X) -> network layers X = 0.

(** On cubes with different columns, and outside the box, such a network is right. *)
Lemma right_there X : outside X \/
  (exists2 L, distinct_grid N L & proposition_5.in_cube N L X) -> network layers X = f X.
Proof.
have [f_cube f_out] := f_step; case=> [out|[L L_ok X_L]]; last first.
  by rewrite (right_on_cubes L_ok X_L) (f_cube L X L_ok.1 X_L).
by rewrite f_out // zero_off_cubes // => L [L_box _]; apply: (in_no_cube N_gt1 L_box out).
Qed.

(** Such a network is 0 where it is not right, so that the p-th power of its error is nowhere above d n F^p. *)
Lemma error_any (p F : R) X : 0 < p -> (forall X i j, `|f X i j| <= F) ->
  gap p (f X) (network layers X) <= (d.+1 * n)%:R * power p F.
Proof.
move=> p_gt0 f_F; have [there|[none _]] := cube_or_not N_gt1 X.
  by rewrite right_there ?gap_same ?most_ge0 //; right.
by rewrite zero_off_cubes //; apply: gap_le => // i j; rewrite [_ 0 i j]mxE subr0.
Qed.

End Network.

Theorem proposition_5_d_p f (F : R) : equivariant f -> step_function f ->
  (forall X i j, `|f X i j| <= F) ->
  exists layers : seq (layer R d.+1 n),
    [/\ size layers = layer_count N d n, every (@allowed_layer R d n) layers &
    forall p : R, 0 < p -> integral_at_most (fun X => gap p (f X) (network layers X))
      ('C(n, 2)%:R * delta ^+ d.+1 * ((d.+1 * n)%:R * power p F))].
Proof.
move=> f_equi f_step f_F.
(* 1. The network of Proposition 5 for the values of f at the corners of the cubes. [layersE]: it is f there on cubes
   with different columns, and 0 off these. *)
have f_perm L (s : 'S_n) : distinct_grid N L -> f (L *m perm_mx s) = f L *m perm_mx s by [].
have [layers [size_l ok layersE]] := proposition_5 N_gt1 n_gt1 f_perm.
exists layers; split=> // p p_gt0; pose Fp := (d.+1 * n)%:R * power p F.
(* 2. To bound the p-th power of the error. [right]: there is none on those cubes and outside the box.
   [any]: elsewhere the network is 0, so that the error is at most f, and its power at most Fp = d n F^p. *)
have right X := right_there f_step (fun L Y => (layersE Y).1 L) (fun Y => (layersE Y).2) (X := X).
have any X := error_any f_step (fun L Y => (layersE Y).1 L) (fun Y => (layersE Y).2) X p_gt0 f_F.
(* 3. So a step function lies above it: Fp on the cubes with a repeated column, 0 on all others. *)
exists 1, (2 * N)%N, (fun c => (repeated c)%:R * Fp); split=> // [||X c X_c|X [i [j out]]|].
- exact: ltr01.
- by rewrite muln_gt0 N_gt0.
- have [rep|not_rep] := boolP (repeated c); first by rewrite mul1r any.
  rewrite mul0r right ?gap_same //; have [in_box|] := boolP (inside c); last first.
    by left; apply: cell_outside X_c _.
  by right; exists (corner c); [apply: corner_distinct | apply: cell_corner].
- rewrite right ?gap_same //; left; exists i, j; case: out => out; [left | by right].
  by apply: lt_trans out _; rewrite oppr_lt0 ltr01.
(* 4. Its integral is small, as there are few cubes with a repeated column. *)
rewrite side_delta -big_distrl /= -big_distrl /= sum_of_kind mulrAC -/Fp.
by rewrite ler_wpmul2r ?repeated_volume ?most_ge0.
Qed.

End Proposition5.
