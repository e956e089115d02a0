(** * Yun et al. (2020), Lemma 10: how far the sweep carries the last token

    In units of delta, for all D >= 2 (D = delta^{-d} is the number of different columns) and all
    n >= 2 different tokens 0 <= l_j < D, the last token lands at a number [reach D] with D^{n-1}
    (D - 1) <= reach D <= D^n (D - 1) - (D - 1)^2, and this number tells the set of tokens. As
    printed; but [l] need not be sorted ("one-to-one" is then up to a permutation), and for
    repeated tokens the upper bound is proved with their number of kinds in place of n. *)
From UAT Require Import preamble.
From UAT.yun2020 Require Import sweep.

Section Bounds.

(** ** Bounds *)
Variables (J : finType) (j0 : J) (D : nat) (l : J -> nat).
Hypothesis D_gt1 : (1 < D)%N.
Hypothesis l_lt_D : forall j, (l j < D)%N.
Notation reach := (reach j0 D l).
Notation top := (top j0 l).
Implicit Types (c : nat) (j : J).

Lemma power_gt0 k : 0 < D%:Z ^+ k.
Proof. by rewrite exprn_gt0 //; move: D_gt1; lia. Qed.

(** The number of different tokens below [c]. *)
Definition kinds c := count (present l) (iota 0 c).

Lemma kindsS c : kinds c.+1 = (kinds c + present l c)%N.
Proof. by rewrite /kinds -addn1 iotaD count_cat /= addn0. Qed.

Lemma kinds_all : kinds D = size (undup (codom l)).
Proof.
rewrite /kinds -size_filter; apply/perm_size/uniq_perm.
- exact/filter_uniq/iota_uniq.
- exact: undup_uniq.
move=> c; rewrite mem_filter mem_undup mem_iota add0n /=.
apply/andP/codomP => [[/presentP[j <-] _]|[j ->]]; first by exists j.
by split=> //; apply/presentP; exists j.
Qed.

(** Each jump multiplies the distance from the bottom by [D] at most. *)
Lemma reach_le (m : int) c : (forall j, m <= (l j)%:Z) ->
  reach c <= m + D%:Z ^+ kinds c * (top - m).
Proof.
move=> m_le; elim: c => [|c IHc]; first by rewrite expr0 mul1r addrC subrK.
rewrite kindsS /=; case: presentP => [[j l_j]|_]; last by rewrite addn0.
by have := m_le j; rewrite l_j addn1 exprS -mulrA; move: (_ ^+ _ * _) IHc => x; nia.
Qed.

Lemma reach_top c : kinds c = 0%N -> reach c = top.
Proof.
elim: c => //= c IHc; rewrite kindsS.
by case: (present l c); [lia | rewrite addn0].
Qed.

(** Above the largest token [i] nothing jumps. *)
Lemma above_top i c : top = (l i)%:Z -> (l i < c)%N ->
  reach c = reach (l i).+1 /\ kinds c = kinds (l i).+1.
Proof.
move=> top_i; elim: c => // c IHc; rewrite ltnS leq_eqVlt => /predU1P[->//|i_c].
have [<- <-] := IHc i_c; rewrite kindsS /=; case: presentP => [[j l_j]|_].
  by have := le_top j0 l j; rewrite top_i; lia.
by rewrite addn0.
Qed.

(** From above: the last token lands below D^k (D - 1), by (D - 1)^2 at least, where k is the number of kinds. *)
Lemma reach_upper : reach D <= D%:Z ^+ kinds D * (D%:Z - 1) - (D%:Z - 1) ^+ 2.
Proof.
(* 1. Let i be the largest token; it is the last that jumps, so that its landing place is the one to bound. [m_min]: the
   smallest token m, from which distances are measured. *)
have [i top_i _] := largestP j0 (tokens l); have [k _ m_min] := smallestP j0 (tokens l).
have [-> ->] := above_top top_i (l_lt_D i); have here : present l (l i) by apply/presentP; exists i.
(* 2. Before it jumps, the distance from m has grown at most D times with every kind, by the lemma on jumps. *)
have := reach_le (l i) m_min; rewrite kindsS /= here addn1 exprS.
have := m_min k; have := m_min i; have := l_lt_D i; have := l_lt_D k.
have : 0 <= smallest j0 (tokens l).
  by have [k' -> _] := smallestP j0 (tokens l); rewrite /tokens.
(* 3. Its own jump starts from the height of i above 0, and is shorter by (D - 1) times that; the rest is arithmetic.
   [range]: the tokens lie within D - 1 of each other. *)
rewrite /sweep.top top_i /tokens; have := power_gt0 (kinds (l i)).
move: (_ ^+ _) (smallest _ _) (sweep.reach _ _ _ _) => E m r E_gt0 m_ge0 _ i_D m_i _ le.
have range : (E - 1) * ((l i)%:Z - m) <= (E - 1) * (D%:Z - 1) by nia.
have : D%:Z * ((E - 1) * ((l i)%:Z - m)) <= D%:Z * ((E - 1) * (D%:Z - 1)) by nia.
have : D%:Z * r <= D%:Z * (m + E * ((l i)%:Z - m)) by nia.
by rewrite expr2; nia.
Qed.

Hypothesis not_all_equal : exists i j, l i != l j.

(** From below: the last of k kinds lands at least D^(k - 1) (D - 1) above the largest token. *)
Lemma reach_lower c : (0 < kinds c)%N ->
  top + D%:Z ^+ (kinds c).-1 * (D%:Z - 1) <= reach c.
Proof.
elim: c => // c IHc; rewrite kindsS /=; case: (boolP (present l c)) => [here|_]; last first.
  by rewrite addn0.
move=> _; rewrite addn1 /=; have below := token_below j0 l_lt_D not_all_equal here.
have c_top : c%:Z <= top by have [j <-] := presentP _ _ here; exact: le_top.
have [k0|k_gt0] := posnP (kinds c).
  by move: below; rewrite k0 reach_top // expr0; nia.
have := IHc k_gt0; rewrite -{2}(prednK k_gt0) exprS; move: (_ ^+ _) => E.
by nia.
Qed.

(** The last token that landed is the remainder by [D]. *)
Lemma reach_mod c : reach c = top \/
  exists (b : nat) (y : int), [/\ (b < c)%N, reach c = b%:Z + D%:Z * y & D%:Z <= reach c].
Proof.
elim: c => [|c [IHc|[b [y [b_c IHc big]]]]]; first by left.
all: case: (boolP (present l c)) => [here|absent].
- right; exists c, (reach c - c%:Z); split=> //; first by rewrite /= here.
  exact: landing_ge_D.
- by left; rewrite /= (negPf absent).
- right; exists c, (reach c - c%:Z); split=> //; first by rewrite /= here.
  exact: landing_ge_D.
- by right; exists b, y; split; [exact: ltnW | rewrite /= (negPf absent)..].
Qed.

End Bounds.

Section Injective.

(** ** One number tells all *)
Variables (J : finType) (j0 : J) (D : nat) (l l' : J -> nat).
Hypothesis l_lt_D : forall j, (l j < D)%N.
Hypothesis l'_lt_D : forall j, (l' j < D)%N.
Hypothesis l_not_all_equal : exists i j, l i != l j.
Hypothesis l'_not_all_equal : exists i j, l' i != l' j.

(** What a sequence reaches with a token at [c] no sequence reaches with lower tokens alone. *)
Lemma reach_absurd (k k' : J -> nat) c : (forall j, (k j < D)%N) ->
  (forall j, (k' j < D)%N) -> (exists i j, k i != k j) ->
  (exists i j, k' i != k' j) -> present k c ->
  reach j0 D k c.+1 = reach j0 D k' c -> False.
Proof.
move=> k_D k'_D k_ne k'_ne here; have := landing_ge_D j0 k_D k_ne here.
have c_D : (c < D)%N by have [j <-] := presentP _ _ here.
have [->|[b [y [b_c -> _]]]] := reach_mod j0 k'_D k'_ne c.
  by have := top_lt_D j0 k'_D; lia.
rewrite /= here => _; move: (reach _ _ _ _ - _ : int) => x.
by have [?|?] : y - x <= 0 \/ 1 <= y - x; [lia | nia | nia].
Qed.

(** The last jump can be taken back: equal landing places mean equal sets of tokens. *)
Lemma reach_inj c : reach j0 D l c = reach j0 D l' c ->
  forall b, (b < c)%N -> present l b = present l' b.
Proof.
elim: c => // c IHc eq b; rewrite ltnS leq_eqVlt.
have agree : present l c = present l' c.
  case: (boolP (present l c)) => here; case: (boolP (present l' c)) => here' //.
    by case: (@reach_absurd l l' c) => //; rewrite eq /= (negPf here').
  by case: (@reach_absurd l' l c) => //; rewrite -eq /= (negPf here).
case/predU1P => [->//|]; apply: IHc; move: eq; rewrite /= -agree.
by case: ifP => // /presentP[j _]; have := l_lt_D j; nia.
Qed.

End Injective.

Section Proper.

(** ** The lemma *)
Variables (J : finType) (j0 : J) (D : nat).
Hypothesis D_gt1 : (1 < D)%N.
Hypothesis two_tokens : (1 < #|J|)%N.
Notation n := #|J|.
Implicit Types (l : J -> nat).

(** A sequence of [n] different tokens. *)
Definition proper l := injective l /\ forall j, (l j < D)%N.

(** As there are two tokens at least, some two of them differ. *)
Lemma proper_not_equal l : proper l -> exists i j, l i != l j.
Proof.
move=> [l_inj _]; have [i [j ij]] : exists i j : J, i != j.
  by have /card_gt1P[i [j [_ _ ij]]] := two_tokens; exists i, j.
by exists i, j; rewrite (inj_eq l_inj).
Qed.

(** A sequence of n different tokens has n kinds. *)
Lemma kinds_proper l : proper l -> kinds l D = n.
Proof.
move=> [l_inj l_D]; rewrite kinds_all // undup_id ?size_codom //.
exact/injectiveP.
Qed.

(** Sequences with the same tokens, in any order, are permutations of each other. *)
Lemma same_tokens l l' : proper l -> proper l' ->
  (forall b, (b < D)%N -> present l b = present l' b) -> perm_eq (codom l) (codom l').
Proof.
move=> [l_inj l_D] [l'_inj l'_D] agree.
apply: uniq_perm; [exact/injectiveP | exact/injectiveP |] => c.
have in_codom (k : J -> nat) : (c \in codom k) = present k c.
  by apply/codomP/idP => [[m ->]|/presentP[m <-]]; [apply/presentP|]; exists m.
rewrite !in_codom; have [/agree//|D_le] := ltnP c D.
have none (k : J -> nat) : (forall j, (k j < D)%N) -> present k c = false.
  by move=> k_D; apply/negbTE/negP => /presentP[m k_m]; have := k_D m; rewrite k_m ltnNge D_le.
by rewrite !none.
Qed.

Theorem lemma_10 l : proper l ->
  [/\ D%:Z ^+ n.-1 * (D%:Z - 1) <= reach j0 D l D,
      reach j0 D l D <= D%:Z ^+ n * (D%:Z - 1) - (D%:Z - 1) ^+ 2 &
      forall l', proper l' -> reach j0 D l D = reach j0 D l' D -> perm_eq (codom l) (codom l')].
Proof.
move=> l_proper; have [_ l_D] := l_proper; have kinds_n := kinds_proper l_proper.
have l_ne := proper_not_equal l_proper; split.
(* 1. At the level c, if a token is there, the largest number r becomes c + D (r - c): a jump, after which the token
   has landed there. Equal tokens are of one kind, and jump together. From below: the last jump alone leads beyond the
   bound. [kinds_n]: the n tokens are n kinds, each of which jumps once. [l_ne]: not all tokens are equal; equal ones
   would not jump at all. *)
- have := reach_lower j0 D_gt1 l_D l_ne (c := D); rewrite kinds_n => /(_ (ltnW two_tokens)).
  by have := le_top j0 l j0; lia.
(* 2. From above: each of the n jumps multiplies the distance from the smallest token by D at most. *)
- by rewrite -kinds_n; apply: reach_upper.
(* 3. To recover the set from the number: its remainder by D is the token that jumped last. Take that jump back, and
   read the one before it in the same way. [same]: the last tokens of both sequences land at the same number. *)
move=> l' l'_proper same; have [_ l'_D] := l'_proper; apply: same_tokens => //.
exact: (reach_inj l_D l'_D l_ne (proper_not_equal l'_proper) same).
Qed.

End Proper.
