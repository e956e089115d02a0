(** * A grid of places in a box

    The box is cut into [P ^ #|T|] cells; the nearest centre is at most [h] away in each
    coordinate, and a cell that is farther than [2 h] in one coordinate is farther by [3 h^2] in
    the squared distance. So the smoother on the grid has the values of near cells, up to
    [b P^m exp(- 3/2 rho h^2)] (the book's proof of the bound "chain"). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean smoother.

Section Grid.

(** The interval from [-P h] to [P h] is cut into [P] cells of half width [h],
    and the box, of as many coordinates as [T] has elements, into [P ^ #|T|]. *)
Variables (R : realType) (T : finType) (P : nat) (h : R).
Hypothesis h_gt0 : 0 < h.
Implicit Types (x : T -> R) (u : R).

(** All coordinates lie between -P h and P h. *)
Definition box x := forall t, `|x t| <= P%:R * h.

(** A cell of the box: in each coordinate one of [P]. *)
Definition cell := {ffun T -> 'I_P}.

(** The middle of cell [k] of the interval from - P h to P h. *)
Definition middle (k : 'I_P) : R := (k.*2.+1%:R - P%:R) * h.
(** The centre of a cell of the box: each coordinate is the middle of its cell there. *)
Definition centre (j : cell) (t : T) : R := middle (j t).

(** Centres lie in the box. *)
Lemma centre_in_box (j : cell) : box (centre j).
Proof.
move=> t; rewrite /centre /middle normrM (gtr0_norm h_gt0).
rewrite ler_wpmul2r ?(ltW h_gt0) // ler_norml; apply/andP; split.
  by rewrite ler_subr_addl subrr ler0n.
by rewrite ler_subl_addl -natrD ler_nat addnn ltn_double.
Qed.

(** There are P^m cells, for m coordinates. *)
Lemma card_cell : #|cell| = (P ^ #|T|)%N.
Proof. by rewrite card_ffun card_ord. Qed.

(** A number between 0 and 2 n h lies in one of n cells. *)
Lemma in_some_cell n u : (0 < n)%N -> 0 <= u <= n.*2%:R * h ->
  exists2 k, (k < n)%N & k.*2%:R * h <= u <= k.*2.+2%:R * h.
Proof.
elim: n => // n IHn _ /andP[u_ge0 u_le].
have [u_low|u_high] := leP u (n.*2%:R * h); last first.
  by exists n => //; rewrite (ltW u_high).
have [n0|n_gt0] := posnP n.
  exists 0%N; rewrite // mul0r u_ge0 /=; move: u_le; by rewrite n0.
have [|k k_lt k_in] := IHn n_gt0; first by rewrite u_ge0.
by exists k => //; apply: ltnW.
Qed.

(** A number in the interval is at most h from the middle of a cell. *)
Lemma near_some_middle u : (0 < P)%N -> `|u| <= P%:R * h ->
  exists k, `|u - middle k| <= h.
Proof.
move=> P_gt0; rewrite ler_norml => /andP[lo hi].
have [|k k_lt /andP[klo khi]] := @in_some_cell P (u + P%:R * h) P_gt0.
  by rewrite -ler_subl_addr sub0r lo -addnn natrD mulrDl ler_add2r.
exists (Ordinal k_lt); rewrite /middle /= ler_norml ler_subr_addl ler_subl_addl.
by apply/andP; split; [apply: (le_from klo) | apply: (le_from khi)]; ring.
Qed.

(** Coordinate by coordinate, some cell is at most [h] away, and none is nearer. *)
Lemma nearest_cell x : (0 < P)%N -> box x -> exists j : cell, forall t,
  `|x t - centre j t| <= h /\
  forall j' : cell, `|x t - centre j t| <= `|x t - centre j' t|.
Proof.
move=> P_gt0 x_box; pose k0 := Ordinal P_gt0.
exists [ffun t => [arg min_(k < k0) `|x t - middle k|]%O] => t.
rewrite /centre ffunE; case: arg_minP => // k _ k_min.
split=> [|j']; last exact: k_min.
by have [k' /(le_trans _)] := near_some_middle P_gt0 (x_box t); apply; apply: k_min.
Qed.

(** A cell that is farther than [2 h] in one coordinate is farther from [x]
    than the nearest one, by [3 h^2] in the squared distance. *)
Lemma far_cell x (j j' : cell) t :
  (forall t, `|x t - centre j t| <= `|x t - centre j' t|) ->
  `|x t - centre j t| <= h -> 2%:R * h < `|x t - centre j' t| ->
  dist2 x (centre j) + 3%:R * h ^+ 2 <= dist2 x (centre j').
Proof.
move=> nearer t_near t_far.
rewrite /dist2 (bigD1 t) //= [leRHS](bigD1 t) //= addrAC ler_add //; last first.
  by apply: ler_sum => i _; rewrite -sqr_norm -[leRHS]sqr_norm ler_expn2r ?nnegrE.
rewrite -sqr_norm -[leRHS]sqr_norm.
have h_ge0 := ltW h_gt0.
apply: (@le_trans _ _ (h ^+ 2 + 3%:R * h ^+ 2)).
  by rewrite ler_add2r ler_expn2r ?nnegrE.
have -> : h ^+ 2 + 3%:R * h ^+ 2 = (2%:R * h) ^+ 2 by ring.
by rewrite ler_expn2r ?nnegrE ?mulr_ge0 ?ler0n ?(ltW t_far).
Qed.

(** The smoother whose centres are the grid. *)
Theorem grid_near (O : finType) rho (V : cell -> O -> R) x o (y a b : R) :
  (0 < P)%N -> 0 <= rho -> 0 <= a -> 0 <= b -> box x ->
  (forall j : cell, (forall t, `|x t - centre j t| <= 2%:R * h) ->
     `|V j o - y| <= a) ->
  (forall j : cell, `|V j o - y| <= b) ->
  `|smoother rho centre V x o - y|
    <= a + b * (P ^ #|T|)%:R * expR (- (3%:R / 2%:R * rho * h ^+ 2)).
Proof.
move=> P_gt0 rho_ge0 a_ge0 b_ge0 x_box near_a all_b.
have [j0 j0_nearest] := nearest_cell P_gt0 x_box.
pose near (j : cell) := [forall t, `|x t - centre j t| <= 2%:R * h].
have -> : 3%:R / 2%:R * rho * h ^+ 2 = rho / 2%:R * (3%:R * h ^+ 2) by field.
rewrite -card_cell; apply: (smoother_near (k := j0) (near := near)) => // j.
  by move/forallP => j_near; apply: near_a.
rewrite negb_forall => /existsP[t]; rewrite -ltNge => t_far; split=> //.
have [t_near _] := j0_nearest t.
by apply: (far_cell (t := t)) => // s; have [_] := j0_nearest s.
Qed.

End Grid.
