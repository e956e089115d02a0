(** * Cheng et al. (2025), Proposition 2, for ReLU: blocks round

    Let h be increasing and t_0 < ... < t_K points between which it rises by at most eps each.
    K + 1 feed-forward layers with d hidden ReLUs (W_1 = 1, W_2 a multiple of 1) come within
    2 eps of h, entry by entry, at every X whose entries lie between t_0 and t_K. h need not be
    continuous. Printed: h continuous; such points are found in [proposition_2_continuous.v]. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers.

Section Rounding.

Variable R : realFieldType.
Implicit Types (x y : R) (l : R * R * R) (L : seq (R * R * R)) (t v : nat -> R).

(** x + c relu(x - b) + e, for l = (c, b, e). *)
Definition bend l x := x + l.1.1 * relu (x - l.1.2) + l.2.
(** Bends, one after the other. *)
Definition bends L x := foldl (fun x l => bend l x) x L.

Lemma bends_rcons L l x : bends (rcons L l) x = bend l (bends L x).
Proof. by rewrite /bends -cats1 foldl_cat. Qed.

(** A bend at b with slope c + 1 > 0 behind it. *)
Lemma bend_before l x : l.2 = 0 -> x <= l.1.2 -> bend l x = x.
Proof. by move=> l2 xb; rewrite /bend l2 /relu max_l ?subr_le0 // mulr0 !addr0. Qed.

Lemma bend_behind l x : l.2 = 0 -> l.1.2 <= x -> bend l x = x + l.1.1 * (x - l.1.2).
Proof. by move=> l2 bx; rewrite /bend l2 /relu max_r ?subr_ge0 // addr0. Qed.

Lemma bend_mono l x y : l.2 = 0 -> 0 < 1 + l.1.1 -> x < y -> bend l x < bend l y.
Proof.
move=> l2 slope xy; have [yb|/ltW by_] := leP y l.1.2.
  by rewrite !bend_before // ltW // (lt_le_trans xy).
have behind z : z + l.1.1 * (z - l.1.2) = (1 + l.1.1) * (z - l.1.2) + l.1.2 by ring.
have [xb|bx] := leP x l.1.2; last first.
  by rewrite !bend_behind ?(ltW bx) // !behind ltr_add2r ltr_pmul2l // ltr_add2r.
rewrite bend_before // bend_behind // behind.
have [b_lt|y_le] := ltP l.1.2 y.
  by apply: le_lt_trans xb _; rewrite ltr_addr mulr_gt0 // subr_gt0.
have -> : y = l.1.2 by apply/le_anti; rewrite y_le.
by rewrite subrr mulr0 add0r (lt_le_trans xy).
Qed.

(** An increasing chain of bends through given points: each new bend is where the last point
    is by now. *)
Lemma bends_through t v K :
  (forall i, (i < K)%N -> t i < t i.+1) -> (forall i, (i < K)%N -> v i < v i.+1) ->
  exists L, [/\ size L = K.+1, forall x y, x < y -> bends L x < bends L y &
    forall i, (i <= K)%N -> bends L (t i) = v i].
Proof.
elim: K => [|K IH] t_inc v_inc.
  exists [:: (0, 0, v 0%N - t 0%N)]; split=> // [x y xy|i].
    by rewrite /bends /= /bend /= !mul0r !addr0 ltr_add2r.
  by rewrite leqn0 => /eqP->; rewrite /bends /= /bend /= mul0r addr0 addrC subrK.
have [||L [L_size L_inc L_t]] := IH.
- by move=> i i_lt; apply: t_inc; apply: ltnW.
- by move=> i i_lt; apply: v_inc; apply: ltnW.
have last_lt : v K < bends L (t K.+1) by rewrite -(L_t K) // L_inc // t_inc.
pose w := bends L (t K.+1) - v K; have w_gt0 : 0 < w by rewrite subr_gt0.
pose l : R * R * R := ((v K.+1 - v K) / w - 1, v K, 0).
exists (rcons L l); split=> [|x y xy|i]; first by rewrite size_rcons L_size.
  rewrite !bends_rcons bend_mono ?L_inc //= addrC subrK divr_gt0 // subr_gt0.
  exact: v_inc.
rewrite leq_eqVlt => /predU1P[->|i_lt]; rewrite bends_rcons.
  rewrite bend_behind ?(ltW last_lt) //= -/w mulrBl mul1r divfK ?gt_eqF // /w.
  by ring.
rewrite L_t // bend_before //=.
have : forall j, (i <= j)%N -> (j <= K)%N -> v i <= v j.
  elim=> [|j IHj]; first by rewrite leqn0 => /eqP->.
  rewrite leq_eqVlt => /predU1P[->//|/IHj le_j] j_lt.
  by apply: le_trans (le_j (ltnW j_lt)) (ltW (v_inc _ _)); apply: ltnW.
by apply.
Qed.

Lemma find_piece t K x : t 0%N <= x <= t K ->
  K = 0%N \/ exists2 i, (i < K)%N & t i <= x <= t i.+1.
Proof.
elim: K => [|K IH] /andP[lo hi]; [by left | right].
have [le_K|gt_K] := leP x (t K); last by exists K; rewrite // (ltW gt_K).
have [K0|[i i_lt piece]] := IH (introT andP (conj lo le_K)); last by exists i; rewrite // ltnW.
by exists 0%N => //; rewrite lo; rewrite K0 in hi.
Qed.

(** A bend of all entries is a feed-forward layer. *)
Definition bend_layer d l : ff_weights R d :=
  FeedForwardWeights 1%:M (const_mx (- l.1.2)) l.1.1%:M (const_mx l.2).

Lemma bend_layerE d n l (X : 'M[R]_(d, n)) u i :
  feed_forward (@relu R) (bend_layer d l) X u i = bend l (X u i).
Proof.
rewrite /feed_forward /bias /= mul_scalar_mx mul1mx !mxE /bend.
by [].
Qed.

Lemma bend_layersE d n L (X : 'M[R]_(d, n)) u i :
  network [seq feed_forward (@relu R) w (n := n) | w <- [seq bend_layer d l | l <- L]] X u i
  = bends L (X u i).
Proof. by elim: L X => //= l L IH X; rewrite IH bend_layerE. Qed.

(** On a piece both functions increase between nearly the same ends. *)
Lemma near_on_piece (h : R -> R) (a b lo hi x y eps : R) : 0 < eps -> h a <= h x <= h b ->
  h b - h a <= eps -> h a <= lo -> hi <= h b + eps -> lo <= y <= hi -> `|y - h x| <= 2%:R * eps.
Proof.
move=> eps_gt0 /andP[h_lo h_hi] gap v_lo v_hi /andP[down up]; rewrite ler_norml.
by apply/andP; split; lra.
Qed.

(** Between t_0 and t_K some K + 1 feed-forward layers come within 2 eps of a nondecreasing h that rises by at most
    eps from each t_i to the next. *)
Theorem proposition_2 d n (h : R -> R) t K eps : 0 < eps -> (0 < K)%N ->
  (forall x y, x <= y -> h x <= h y) -> (forall i, (i < K)%N -> t i < t i.+1) ->
  (forall i, (i < K)%N -> h (t i.+1) - h (t i) <= eps) ->
  exists2 ws : seq (ff_weights R d), size ws = K.+1 /\ all (fun w => hidden w == d)%N ws &
    forall X : 'M[R]_(d, n), (forall u i, t 0%N <= X u i <= t K) -> forall u i,
    `|network [seq feed_forward (@relu R) w (n := n) | w <- ws] X u i - h (X u i)| <= 2%:R * eps.
Proof.
move=> eps_gt0 K_gt0 h_inc t_inc h_gap; have K_pos : 0 < K%:R :> R by rewrite ltr0n.
(* 1. Values that rise strictly, so that a broken line can have them: h(t_i), and a little more for each i. *)
pose v i := h (t i) + eps * (i%:R / K%:R).
have v_inc i : (i < K)%N -> v i < v i.+1.
  move=> i_lt; apply: ler_lt_add; first by apply: h_inc; apply/ltW/t_inc.
  by rewrite ltr_pmul2l // ltr_pmul2r ?invr_gt0 // ltr_nat.
have v_near i : (i <= K)%N -> h (t i) <= v i <= h (t i) + eps.
  move=> i_le; have eps_ge0 := ltW eps_gt0; rewrite ler_addl ler_add2l; apply/andP; split.
    by rewrite mulr_ge0 ?divr_ge0 ?ler0n.
  by rewrite ler_pimulr // ler_pdivr_mulr // mul1r ler_nat.
have [L [L_size L_inc L_t]] := bends_through t_inc v_inc.
exists [seq bend_layer d l | l <- L] => [|X X_in u i]; last rewrite bend_layersE.
  by rewrite size_map all_map; split=> //; apply/allP => l _; apply: eqxx.
(* 2. On each piece both increase between nearly the same ends. *)
have [K0|[j j_lt /andP[lo hi]]] := find_piece (X_in u i); first by rewrite K0 in K_gt0.
have mono x y : x <= y -> bends L x <= bends L y.
  by rewrite le_eqVlt => /predU1P[->//|/L_inc/ltW].
have /andP[v_lo _] := v_near j (ltnW j_lt); have /andP[_ v_hi] := v_near j.+1 j_lt.
apply: (near_on_piece eps_gt0 _ (h_gap j j_lt) v_lo v_hi); first by rewrite !h_inc.
by rewrite -!L_t ?(ltnW j_lt) // !mono.
Qed.

End Rounding.
