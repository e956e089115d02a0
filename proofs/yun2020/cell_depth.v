(** * Cells with distinct columns, and how deep a point lies in one

    The cells of the grid of width delta = 1/N, each given by its n columns; the depth of a point
    in a cell is its distance from the boundary in the largest entry, and 0 outside. It is delta
    / 2 at the centre, changes no faster than the point, and two points in different cells are at
    least the sum of their depths apart. For all d, n, N >= 1, over any ordered field. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import grid.

Section Cells.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt0 : (0 < N)%N.
Notation delta := (delta R N).
Implicit Types (X Y : 'M[R]_(d, n)).

(** All entries differ by at most [t]. *)
Definition within (t : R) X Y := forall i j, `|X i j - Y i j| <= t.

(** A column of the grid, in units of delta; the centre of the cell with given columns. *)
Definition column := {ffun 'I_d -> 'I_N}.
Definition cell := {ffun 'I_n -> column}.
Implicit Types (L : cell).
Definition corner L : 'M[R]_(d, n) := \matrix_(i, j) ((L j i)%:R * delta).
Definition centre L : 'M[R]_(d, n) := corner L + const_mx (delta / 2%:R).

Lemma corner_distinct L : injective L -> distinct_grid N (corner L).
Proof.
move=> L_inj; split=> [i j|j k /colP same]; first by exists (L j i); rewrite ?mxE.
apply: L_inj; apply/ffunP => i; apply/val_inj/eqP; have := same i; rewrite !mxE.
move/(mulIf (lt0r_neq0 (delta_gt0 R N_gt0))) => eq.
by rewrite -(eqr_nat R) eq.
Qed.

Lemma centreE L i j : centre L i j = (L j i)%:R * delta + delta / 2%:R.
Proof. by rewrite !mxE. Qed.

(** ** The distance from the boundary of a cell *)

Definition gap L X : R := \big[Num.max/0]_p `|X p.1 p.2 - centre L p.1 p.2|.
Definition depth L X : R := Num.max 0 (delta / 2%:R - gap L X).

Lemma gap_ge L X i j : `|X i j - centre L i j| <= gap L X.
Proof.
rewrite /gap; have : (i, j) \in index_enum [finType of 'I_d * 'I_n] by apply: mem_index_enum.
elim: (index_enum _) => // p s IHs; rewrite in_cons big_cons le_maxr.
by case/predU1P => [<-|/IHs ->]; rewrite ?lexx ?orbT.
Qed.

Lemma gap_le L X v : 0 <= v -> (forall i j, `|X i j - centre L i j| <= v) -> gap L X <= v.
Proof. by move=> v_ge0 le; rewrite /gap; elim/big_ind: _ => // x y; rewrite le_maxl => -> ->. Qed.

Lemma gap_ge0 L X : 0 <= gap L X.
Proof.
by rewrite /gap; elim/big_ind: _ => // [x y x_ge0 _]; rewrite le_maxr x_ge0.
Qed.

Lemma depth_ge0 L X : 0 <= depth L X.
Proof. by rewrite le_maxr lexx. Qed.

Lemma depth_centre L : depth L (centre L) = delta / 2%:R.
Proof.
have -> : depth L (centre L) = Num.max 0 (delta / 2%:R).
  congr (Num.max 0 _); rewrite -[RHS]subr0; congr (_ - _); apply/le_anti; rewrite gap_ge0 andbT.
  by apply: gap_le => // i j; rewrite subrr normr0.
by apply: max_r; rewrite divr_ge0 ?ler0n ?ltW ?delta_gt0.
Qed.

(** It changes no faster than the point, *)
Lemma depth_lipschitz L t X Y : 0 <= t -> within t X Y -> depth L X <= depth L Y + t.
Proof.
move=> t_ge0 X_Y; rewrite /depth le_maxl addr_ge0 ?depth_ge0 //=.
have : gap L Y <= gap L X + t.
  apply: gap_le => [|i j]; first by rewrite addr_ge0 ?gap_ge0.
  apply: le_trans (ler_dist_add (X i j) _ _) _; rewrite addrC ler_add ?gap_ge //.
  by rewrite distrC.
have : delta / 2%:R - gap L Y <= Num.max 0 (delta / 2%:R - gap L Y) by rewrite le_maxr lexx orbT.
by move: (Num.max _ _) => *; lra.
Qed.

(** and two points in different cells are at least the sum of their depths apart. *)
Lemma depth_apart L L' t X Y : L != L' -> within t X Y -> 0 < depth L X -> 0 < depth L' Y ->
  depth L X + depth L' Y <= t.
Proof.
move=> differ X_Y X_pos Y_pos; have pos := delta_gt0 R N_gt0.
have somewhere (T : finType) (U : eqType) (F G : {ffun T -> U}) : F != G -> exists x, F x != G x.
  by move=> FG; apply/existsP; apply: contraR FG => /existsPn same; apply/eqP/ffunP => x;
    apply/eqP; rewrite -[_ == _]negbK same.
have [j /somewhere[i ij]] := somewhere _ _ _ _ differ.
have centres : delta <= `|centre L i j - centre L' i j|.
  rewrite !centreE; have -> : (L j i)%:R * delta + delta / 2%:R -
    ((L' j i)%:R * delta + delta / 2%:R) = ((L j i)%:R - (L' j i)%:R) * delta by ring.
  rewrite normrM (gtr0_norm pos) ler_pmull //; move: ij; rewrite -val_eqE /=.
  have gap1 (a b : nat) : (a < b)%N -> 1 <= `|a%:R - b%:R| :> R.
    move=> lt; rewrite distrC ger0_norm ?subr_ge0 ?ler_nat ?(ltnW lt) //.
    by rewrite ler_subr_addr -[1]/(1%:R) -natrD ler_nat add1n.
  by case: ltngtP => // /gap1; rewrite // distrC.
have depthE M Z : 0 < depth M Z -> depth M Z = delta / 2%:R - gap M Z.
  by rewrite /depth lt_maxr ltxx /= => gt0; apply: max_r; apply: ltW.
rewrite (depthE _ _ X_pos) (depthE _ _ Y_pos).
have := gap_ge L X i j; have := gap_ge L' Y i j; have := X_Y i j.
move: centres; move: (X i j) (Y i j) (centre L i j) (centre L' i j) => x y a b centres xy yb xa.
have : `|a - b| <= `|x - a| + `|x - y| + `|y - b|.
  apply: le_trans (ler_dist_add y _ _) _; rewrite ler_add2r.
  by apply: le_trans (ler_dist_add x _ _) _; rewrite ler_add2r distrC.
move: (`|a - b|) (`|x - a|) (`|x - y|) (`|y - b|) centres xy yb xa => *; lra.
Qed.

End Cells.
