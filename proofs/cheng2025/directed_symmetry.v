(** * Cheng et al. (2025), (89): attention to the next w tokens of a ring has its rotations only

    For all n >= 3 and 1 <= w <= n - 2: a permutation of the tokens keeps the pattern (token i hears
    i, i + 1, ..., i + w modulo n) exactly if it is a rotation. The printed bound, w at most
    floor((n - 1)/2) - 1, is smaller than needed, and its w = 0 has all of S_n
    ([no_neighbours_all_symmetries]). *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers corollary_4_depth.

Section Directed.

Variables n' : nat.
Let n := n'.+2.
Implicit Types (i j k : 'I_n) (s : 'S_n) (u v w : nat).

Lemma natr_small u v : (u < n)%N -> (v < n)%N -> u%:R = v%:R :> 'I_n -> u = v.
Proof. by move=> u_n v_n /(congr1 val); rewrite !val_natr !modn_small. Qed.

(** The arc of j lacks the token behind its end. *)
Lemma behind w j : (w.+1 < n)%N -> j + w.+1%:R \notin directed w j.
Proof.
move=> w_n; apply/negP => /directedP[u u_w /addrI same].
by have := natr_small w_n _ same; lia.
Qed.

(** Only the next token hears all that i hears, but for i itself. *)
Lemma next_token w i j : (0 < w)%N -> (w.+1 < n)%N -> j != i ->
  (forall k, k \in directed w i -> k != i -> k \in directed w j) -> j = i + 1.
Proof.
move=> w_gt0 w_n ji all_k.
(* 1. The next token is one of them: so i + 1 = j + u with u <= w. *)
have one_n : 1 != 0 :> 'I_n by [].
have next : i + 1 \in directed w j.
  by apply: all_k; [apply/directedP; exists 1%N | rewrite -subr_eq0 addrC addKr].
have [u u_w i_u] := directedP _ _ _ next.
(* 2. u = 1 is the token i itself, and u = 0 the claim. *)
case: u u_w i_u => [_|[_|u u_w i_u]]; [by rewrite addr0 | by move/addIr => i_j; rewrite i_j eqxx in ji |].
(* 3. For larger u token j + w + 1 = i + (w - u + 2) is heard by i, but not by j. *)
have place : j + w.+1%:R = i + (w - u)%N%:R.
  rewrite (_ : w - u = 1 + (w - u.+1))%N; last by lia.
  by rewrite natrD addrA i_u -addrA -natrD; congr (_ + _%:R); lia.
have := behind j w_n; rewrite place all_k //; first by apply/directedP; exists (w - u)%N; rewrite ?leq_subr.
rewrite -subr_eq0 addrC addKr; apply/eqP => zero.
by have := @natr_small (w - u)%N 0%N; rewrite zero => /(_ _ _ erefl); lia.
Qed.

(** All tokens move on by the same number of places, round the ring. *)
Definition rotation s := exists c, forall i, s i = i + c.

Theorem directed_symmetry w s : (0 < w)%N -> (w.+1 < n)%N ->
  automorphism (@directed n' w) s <-> rotation s.
Proof.
move=> w_gt0 w_n; split=> [auto|[c s_c] i j]; last first.
(* 1. Rotations keep the pattern. *)
  rewrite !s_c; apply/directedP/directedP => -[u u_w j_u]; exists u => //.
    by rewrite j_u addrAC.
  by apply: (addIr c); rewrite j_u addrAC.
(* 2. A symmetry takes the next token to the next token. *)
have next i : s (i + 1) = s i + 1.
  apply: (next_token w_gt0 w_n) => [|k].
    by rewrite (inj_eq perm_inj) -subr_eq0 addrC addKr.
  rewrite -[k](permKV s) -!auto (inj_eq perm_inj).
  move=> /directedP[u u_w ->]; case: u u_w => [|u] u_w; first by rewrite addr0 eqxx.
  move=> _; apply/directedP; exists u; first exact: ltnW.
  by rewrite -addrA -(natrD _ 1) add1n.
(* 3. So it is the rotation by the image of token 0. *)
exists (s 0) => i; rewrite -[i in LHS](natr_val i); rewrite -[i in RHS](natr_val i).
elim: (val i) => [|u IHu]; first by rewrite add0r.
by rewrite -addn1 natrD next IHu addrAC.
Qed.

Lemma no_neighbours_all_symmetries s : automorphism (@directed n' 0) s.
Proof.
have self i j : (j \in directed 0 i) = (j == i).
  apply/directedP/eqP => [[u]|->]; last by exists 0%N; rewrite ?addr0.
  by rewrite leqn0 => /eqP->; rewrite addr0.
by move=> i j; rewrite !self (inj_eq perm_inj).
Qed.

End Directed.
