(** * Two layers of the keyhole tell apart any two sequences

    For tokens of any number d >= 1 of entries, any n, and any two sequences of distinct tokens
    that are not reorderings of each other: so the hypothesis of Theorem 2 of Cheng et al. (2025),
    as printed, holds of the keyhole in full, for the group of all permutations, and by
    [keyhole_fails] its conclusion does not. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers theorem_2 keyhole.

Section AnyTwo.

Variables (R : realType) (d' : nat).
Let d := d'.+1.
Implicit Types (A B D : seq 'cV[R]_d) (v m s : 'cV[R]_d).

(** One with the least sum of entries: each other one is larger in some entry. *)
Lemma least D : D != [::] -> exists2 m, m \in D &
  forall v, v \in D -> v != m -> exists u, m u ord0 < v u ord0.
Proof.
pose total v := \sum_u v u ord0.
move=> D_ne; have [m mD m_min] : exists2 m, m \in D & forall v, v \in D -> total m <= total v.
  elim: D D_ne => // v D IH _; have [->|D_ne] := eqVneq D [::].
    by exists v => [|w]; rewrite inE ?eqxx // => /eqP->.
  have [m mD m_min] := IH D_ne; have [mv|/ltW vm] := leP (total m) (total v).
    exists m => [|w]; first by rewrite inE mD orbT.
    by rewrite inE => /predU1P[->|/m_min].
  exists v => [|w]; first exact: mem_head.
  by rewrite inE => /predU1P[->|/m_min]; first exact: lexx; exact: le_trans.
exists m => // v vD ne; have := m_min v vD.
case: (pickP (fun u => m u ord0 < v u ord0)) => [u|none] le_total; first by exists u.
case/eqP: ne; apply/matrixP => u o; rewrite (ord1 o); apply/eqP; rewrite -subr_eq0 -oppr_eq0 opprB.
have ge0 w : true -> 0 <= m w ord0 - v w ord0 by rewrite subr_ge0 leNgt none.
have : \sum_w (m w ord0 - v w ord0) == 0.
  by rewrite eq_le sumr_ge0 // andbT sumrB subr_le0.
by rewrite psumr_eq0 // => /allP/(_ u (mem_index_enum _)).
Qed.

(** The same by a gap, which is less than 1. *)
Lemma gap D m : (forall v, v \in D -> v != m -> exists u, m u ord0 < v u ord0) ->
  exists e, [/\ 0 < e, e <= 1 & forall v, v \in D -> v != m -> exists u, m u ord0 + e <= v u ord0].
Proof.
elim: D => [|v D IH] larger; first by exists 1.
have [|e [e_gt0 e_le1 e_ok]] := IH; first by move=> w wD; apply: larger; rewrite inE wD orbT.
have [->|ne] := eqVneq v m.
  by exists e; split=> // w; rewrite inE => /predU1P[->|/e_ok//]; rewrite eqxx.
have [u u_larger] := larger v (mem_head _ _) ne.
exists (Num.min e (v u ord0 - m u ord0)); split=> [||w].
- by rewrite lt_minr e_gt0 subr_gt0.
- by rewrite le_minl e_le1.
rewrite inE => /predU1P[-> _|/e_ok more /more[u' u'_ok]].
  by exists u; rewrite addrC -ler_subr_addr le_minl lexx orbT.
by exists u'; apply: le_trans u'_ok; rewrite ler_add2l le_minl lexx.
Qed.

(** There is a place where the hole hears one of finitely many tokens, and no other. *)
Lemma one_alone D : D != [::] -> exists m s,
  [/\ m \in D, hole (m + s) != 0 & forall v, v \in D -> v != m -> hole (v + s) = 0].
Proof.
(* 1. Of these tokens one is least, by a gap e. *)
move=> /least[m mD m_least]; have [e [e_gt0 e_le1 e_ok]] := gap m_least.
(* 2. With its entries at 1 - e, it alone is heard. *)
pose s : 'cV[R]_d := const_mx (1 - e) - m; exists m, s; split=> // [|v vD ne].
  by rewrite addrC subrK hole_const ?subKr ?gt_eqF // subr_ge0 e_le1 ler_subl_addr ler_addl ltW.
have [u u_ok] := e_ok v vD ne; apply: (@hole_far _ _ _ u).
rewrite !mxE; apply: le_trans (ler_norm _); move: u_ok; move: (m u ord0) (v u ord0) => *; lra.
Qed.

(** Two sums over sets differ if of the terms that only one of them has exactly one is not 0. *)
Lemma sums_differ A B m (F : 'cV[R]_d -> R) : uniq A -> uniq B -> m \in A -> m \notin B -> F m != 0 ->
  (forall v, (v \in A) != (v \in B) -> v != m -> F v = 0) -> \sum_(v <- A) F v != \sum_(v <- B) F v.
Proof.
move=> A_uniq B_uniq mA mB Fm F0.
rewrite (bigID (mem B)) [X in _ != X](bigID (mem A)) /= [X in _ != _ + X]big_seq_cond.
rewrite [X in _ != _ + X]big1 => [|v /andP[vB vA]]; last first.
  by apply: F0; [rewrite vB (negbTE vA) | apply: contraNneq mB => <-].
have -> : \sum_(v <- B | v \in A) F v = \sum_(v <- A | v \in B) F v.
  rewrite -[LHS]big_filter -[RHS]big_filter; apply: perm_big; apply: uniq_perm; rewrite ?filter_uniq //.
  by move=> v; rewrite !mem_filter andbC.
rewrite (inj_eq (addrI _)) big_mkcond (bigD1_seq m) //= mB big_seq_cond big1 ?addr0 // => v /andP[vA ne].
by case: ifP => // vB; apply: F0 => //; rewrite vA (negbTE vB).
Qed.

(** At some place the hole hears one sequence louder. *)
Lemma heard_louder A B : uniq A -> uniq B -> ~ (A =i B) ->
  exists s, \sum_(v <- A) hole (v + s) != \sum_(v <- B) hole (v + s).
Proof.
move=> A_uniq B_uniq sets_differ.
(* 1. There is a place where of the tokens that one has and the other has not one alone is heard. *)
pose D := [seq v <- A ++ B | (v \in A) != (v \in B)].
have inD v : (v \in A) != (v \in B) -> v \in D.
  by move=> ne; rewrite mem_filter ne mem_cat; case: (v \in A) (v \in B) ne => [] [].
have [|m [s [mD m_heard silent]]] := @one_alone D.
  apply/eqP => D_nil; apply: sets_differ => v; apply/eqP/negPn/negP => /inD.
  by rewrite D_nil.
(* 2. So the sums differ: what both have is heard alike. *)
exists s; move: mD; rewrite mem_filter => /andP[+ _].
have [mA|mA] := boolP (m \in A); have [mB|mB] := boolP (m \in B) => // _.
  by apply: (sums_differ (m := m)) => // v /inD; apply: silent.
by rewrite eq_sym; apply: (sums_differ (m := m)) => // v; rewrite eq_sym => /inD; apply: silent.
Qed.

(** A number that is none of finitely many. *)
Lemma avoid (I : finType) (F : I -> R) : exists w, forall i, F i != w.
Proof.
exists (1 + \sum_i `|F i|) => i; rewrite lt_eqF // (bigD1 i) //= addrCA.
by rewrite (le_lt_trans (ler_norm _)) // ltr_addl ltr_spaddl // sumr_ge0.
Qed.

(** The list of the tokens of a sequence. *)
Definition columns_of n (X : 'M[R]_(d, n)) := [seq col j X | j <- enum 'I_n].

(** Weights with which the first layer shifts all tokens by [s], and the second by [w] times what it hears. *)
Definition shift_then s (w : R) (r : nat) (p : bool * 'I_d) : R :=
  if r is 0%N then (if p.1 then 0 else s p.2 ord0) else (if p.1 then w else 0).

(** What the second of these layers hears of [Z]. *)
Definition loud n s (Z : 'M[R]_(d, n)) : R := \sum_j hole (col j Z + s).

(** With these weights two layers move each entry by that of [s], and by w times what the second hears. *)
Lemma moved_shift n s w (Z : 'M[R]_(d, n)) u : moved 2 (shift_then s w) Z u ord0 = s u ord0 + w * loud s Z.
Proof.
have move1 : moved 1 (shift_then s w) Z = s.
  by apply/matrixP => v o; rewrite /= add0r mxE mul0r addr0 (ord1 o).
rewrite (_ : moved 2 _ Z = moved 1 (shift_then s w) Z + \matrix_(v, o) (shift_then s w 1%N (false, v)
  + shift_then s w 1%N (true, v) * \sum_j hole (col j Z + moved 1 (shift_then s w) Z))) //.
by rewrite move1 [LHS]mxE; congr (_ + _); rewrite mxE add0r.
Qed.

Theorem keyhole_any_two n (X Y : 'M[R]_(d, n)) :
  injective (fun j => col j X) -> injective (fun j => col j Y) ->
  ~ (columns_of X =i columns_of Y) ->
  exists theta, told_apart (@keyhole R d' n) 2 theta X Y.
Proof.
move=> X_inj Y_inj sets_differ.
(* 1. The first layer shifts all tokens by s, so that the second hears X and Y differently. *)
have [||s s_ok] := @heard_louder (columns_of X) (columns_of Y) _ _ sets_differ.
- by rewrite map_inj_uniq ?enum_uniq.
- by rewrite map_inj_uniq ?enum_uniq.
have loudE Z : loud s Z = \sum_(v <- columns_of Z) hole (v + s) by rewrite big_map big_enum.
have differ : loud s X - loud s Y != 0 by rewrite subr_eq0 !loudE.
(* 2. The second moves them by w times what it heard; w avoids those with which two tokens meet. *)
have [w w_ok] := @avoid [finType of 'I_n * 'I_n]
  (fun q => (Y ord0 q.2 - X ord0 q.1) / (loud s X - loud s Y)).
have entry (Z : 'M_(d, n)) j :
    (col j Z + moved 2 (shift_then s w) Z) ord0 ord0 = Z ord0 j + (s ord0 ord0 + w * loud s Z).
  by rewrite mxE moved_shift mxE.
exists (shift_then s w) => k l; apply/eqP; rewrite !mixing_moved => /(congr1 (fun m : 'cV[R]_d => m ord0 ord0)) same.
have {}same := etrans (esym (entry X k)) (etrans same (entry Y l)).
have /negP[] := w_ok (k, l); apply/eqP/(mulIf differ); rewrite /= divfK //.
by move: same; move: (loud s X) (loud s Y) (X _ _) (Y _ _) (s _ _) => *; rewrite mulrBr; lra.
Qed.

End AnyTwo.
