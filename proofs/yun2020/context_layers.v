(** * Yun et al. (2020), section E.3: the layers of the contextual mapping

    The literal network g_c: D = N^d selective shifts and the lift, on the extended grid. Proved:
    its ids u^T g_c(L) are those of [sweep.v], in units of delta = 1/N, and it changes the first
    row only; the lift never meets a query 0, unless all ids are 0. For all d >= 1, n >= 2, N >=
    2. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import sweep lemma_10 context_ids sentinel columns layers grid selective_shift.

Section ContextLayers.

Variables (R : realFieldType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Implicit Types (L : 'M[R]_(d.+1, n)) (a : 'I_d.+1 -> 'I_n -> int) (l : 'I_d.+1 -> 'I_n -> nat).

(** N is positive, as there are two cells a side at least. *)
Lemma N_gt0 : (0 < N)%N.
Proof. exact: ltnW. Qed.
Lemma D_gt1 : (1 < D)%N.
Proof. by rewrite -[1%N](exp1n d.+1) ltn_exp2r. Qed.
Lemma two_tokens : (1 < #|'I_n|)%N.
Proof. by rewrite card_ord. Qed.
(** A token to begin with: the first. *)
Definition j0 : 'I_n := Ordinal (ltnW n_gt1).

(** The layers of the contextual mapping: the sweep, and the one that lifts all. *)
Definition context_layers : seq (layer R d.+1 n) :=
  @sweep_layers R N d n D ++ [:: @lift_layer R N d n].
(** The contextual mapping: all layers on a sequence. *)
Definition g_c L := network context_layers L.
(** The ids that the contextual mapping ends with: what [u] makes of its columns. *)
Definition q L (j : 'I_n) : R := (u R N d *m g_c L) ord0 j.

(** ** Sequences of the grids in units of delta *)

(** The entries of L are those of a, in units of delta. *)
Definition coordinates L a := forall i j, L i j = delta * (a i j)%:~R.
(** The number that each column is at first, in units of delta. *)
Definition ids_in a (j : 'I_n) : int := column_id N (a^~ j).

(** In units of delta the entries of a sequence of the box are whole numbers from 0 to N - 1. *)
Lemma box_coordinates L : box_grid N L -> exists l : 'I_d.+1 -> 'I_n -> nat,
  (forall i j, (l i j < N)%N) /\ coordinates L (fun i j => (l i j)%:Z).
Proof.
move=> L_box; have entry i j : exists k, (k < N)%N /\ L i j = delta * (k%:Z)%:~R.
  by have [k k_N ->] := L_box i j; exists k; rewrite mulrC.
have [l lP] := fin_all_exists (fun i => fin_all_exists (entry i)).
by exists l; split=> i j; have [] := lP i j.
Qed.

Lemma extended_coordinates L : extended_grid N L -> exists a,
  (forall i j, 0 <= a i j < N%:Z \/ a i j = - (N ^ (n * d.+1).+1)%N%:Z) /\ coordinates L a.
Proof.
move=> L_ext; have entry i j : exists m : int, (0 <= m < N%:Z \/
    m = - (N ^ (n * d.+1).+1)%N%:Z) /\ L i j = delta * m%:~R.
  have [[k k_N ->]|->] := L_ext i j; first by exists k%:Z; split; [left; lia | rewrite mulrC].
  exists (- (N ^ (n * d.+1).+1)%N%:Z); split; first by right.
  by rewrite rmorphN /= mulrN -pmulrn expnS natrM mulrA mulVf ?mul1r ?natrX ?pnatr_eq0 -?lt0n
    ?N_gt0.
have [a aP] := fin_all_exists (fun i => fin_all_exists (entry i)).
by exists a; split=> i j; have [] := aP i j.
Qed.

Lemma coordinates_ids L a : coordinates L a -> has_ids N L (ids_in a).
Proof.
move=> L_a j; rewrite mxE /ids_in /column_id rmorph_sum big_distrr; apply: eq_bigr => i _ /=.
by rewrite mxE L_a intrM mulrC -mulrA.
Qed.

Lemma same_coordinates L L' a a' i i' j j' : coordinates L a -> coordinates L' a' ->
  (L i j == L' i' j') = (a i j == a' i' j').
Proof.
have delta_neq0 : delta != 0 by rewrite gt_eqF ?(delta_gt0 R N_gt0).
by move=> -> ->; rewrite (inj_eq (mulfI delta_neq0)) eqr_int.
Qed.

(** Sequences of different columns have different ids. *)
Section Box.

Variables (L : 'M[R]_(d.+1, n)) (l : 'I_d.+1 -> 'I_n -> nat).
Hypothesis l_N : forall i j, (l i j < N)%N.
Hypothesis L_l : coordinates L (fun i j => (l i j)%:Z).

(** The number of each column, in base N. *)
Definition numbers j := number N (l^~ j).

(** Columns have numbers below D. *)
Lemma numbers_lt j : (numbers j < D)%N.
Proof. exact: number_lt. Qed.

(** The ids of a sequence of the box are the numbers of its columns, in units of delta. *)
Lemma box_ids : has_ids N L (tokens numbers).
Proof. by move=> j; rewrite (coordinates_ids L_l) /ids_in column_id_box. Qed.

Lemma columns_distinct : injective (fun j => col j L) <-> injective numbers.
Proof.
split=> inj i j same; apply: inj.
  apply/colP => k; rewrite !mxE; apply/eqP; rewrite (same_coordinates _ _ _ _ L_l L_l).
  by apply/eqP; congr Posz; apply: (number_inj (a := l^~ i) (b := l^~ j)).
apply: eq_bigr => k _; congr (_ * _)%N; apply/eqP; rewrite -eqz_nat.
by rewrite -(same_coordinates k k i j L_l L_l); move/colP/(_ k): same; rewrite !mxE => ->.
Qed.

End Box.

(** ** The network *)

(** If no id is 0 after the sweep, or else all are equal, then the network changes the first row alone, by what sweep
    and lift add to the ids. *)
Lemma g_c_moved L z : has_ids N L z ->
  (forall k, sweep j0 D D z k = 0 -> forall i i', sweep j0 D D z i = sweep j0 D D z i') ->
  moved N L (g_c L) z (ids j0 D z).
Proof.
move=> ids_z zero_equal i k; rewrite /g_c /context_layers network_cat [network _ _]/=.
have swept := sweep_layersE N_gt0 j0 D ids_z.
rewrite (lift_layer_moved N_gt0 j0 (moved_ids ids_z swept) zero_equal) swept.
rewrite -addrA -mulrDr -mulrDr -intrD.
by congr (_ + _ * (_ * _%:~R)); rewrite addrC addrA subrK.
Qed.

(** Zero is an id after the sweep only if all are zero. *)
Lemma zero_in_box (l : 'I_n -> nat) k : (forall j, (l j < D)%N) ->
  sweep j0 D D (tokens l) k = 0 ->
  forall i i', sweep j0 D D (tokens l) i = sweep j0 D D (tokens l) i'.
Proof.
move=> l_D; have [/forallP l_eq|l_ne] := boolP [forall i, [forall k, l i == l k]].
  have {}l_eq i i' : l i = l i' by have /forallP/(_ i')/eqP := l_eq i.
  by move=> _ i i'; rewrite !sweep_equal // /tokens (l_eq i i').
have {}l_ne : exists i k, l i != l k.
  by move: l_ne; rewrite negb_forall => /existsP[i]; rewrite negb_forall => /existsP[i' ?];
    exists i, i'.
have [-> _] := sweepE j0 l_D l_ne (leqnn D); rewrite l_D.
have here : present l (l k) by apply/presentP; exists k.
by have := landing_ge_D j0 l_D l_ne here; move: D_gt1; lia.
Qed.

Lemma zero_with_sentinel z k :
  (forall j, 0 <= z j < D%:Z \/ z j <= - D%:Z ^+ #|'I_n|) -> (exists i, z i < 0) ->
  sweep j0 D D z k <> 0.
Proof.
move=> z_ok low; have [stays _ jumps] := sweep_sentinel j0 D_gt1 two_tokens z_ok low (leqnn D) k.
have F_D := F_ge_D D_gt1 two_tokens; have D_pos : 1 < D%:Z by exact: D_gt1.
have F_gt0 : 0 < D%:Z ^+ #|'I_n| by apply: lt_le_trans F_D; apply: lt_trans D_pos.
have [/jumps far|z_k] := z_ok k.
  by apply/eqP; rewrite gt_eqF // (lt_le_trans _ far) // mulr_gt0 // (lt_trans _ D_pos).
have z_lt0 : z k < 0 by apply: le_lt_trans z_k _; rewrite oppr_lt0.
by rewrite stays //; apply/eqP; rewrite lt_eqF.
Qed.


End ContextLayers.
