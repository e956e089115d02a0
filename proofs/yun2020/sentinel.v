(** * Yun et al. (2020), Lemma 8, Property 4: sequences with a sentinel (section E.3.3)

    In units of delta: a column in the box has an id in 0, ..., D - 1, any other one has an id <=
    - D^n. If there is one of the other kind, then all ids end outside the band [t_l, t_r] of the
    paper: those of sentinels below 0, all others above t_r. For all D >= 2, n >= 2. The sentinel
    of the paper, - delta^{-nd}, leads to ids that low (in [columns.v]); that of the slides, -
    delta^{nd}, does not (a remark, not proved here): with N = 3, n = 2, d = 1 the sequence
    (-1/9, 1/3) lands in the band. *)
From UAT Require Import preamble.
From UAT.yun2020 Require Import sweep lemma_10 context_ids.

Section Sentinel.

Variables (J : finType) (j0 : J) (D : nat) (z : J -> int).
Hypothesis D_gt1 : (1 < D)%N.
Hypothesis two_tokens : (1 < #|J|)%N.
Notation n := #|J|.

Hypothesis tokens_ok : forall j, 0 <= z j < D%:Z \/ z j <= - D%:Z ^+ n.
Hypothesis some_sentinel : exists i, z i < 0.

Let F : int := D%:Z ^+ n.

(** The number F = D^n is at least D. *)
Lemma F_ge_D : D%:Z <= F.
Proof.
have := powers D_gt1 two_tokens => -[D_E F_eq _ _ _].
by rewrite /F F_eq; move: (_ ^+ _) D_E => e; nia.
Qed.

(** Sentinels stay; a token in the box waits for its level, and then jumps far. *)
Lemma sweep_sentinel c : (c <= D)%N -> forall j,
  [/\ z j < 0 -> sweep j0 D c z j = z j,
      c%:Z <= z j -> sweep j0 D c z j = z j &
      0 <= z j < c%:Z -> D%:Z * F <= sweep j0 D c z j].
Proof.
have F_big := F_ge_D; elim: c => [_ j|c IHc c_lt j]; first by split=> //; lia.
have {}IHc := IHc (ltnW c_lt); have [stays waits jumps] := IHc j.
have [i i_low] := some_sentinel; have [i_stays _ _] := IHc i.
have i_far : z i <= - F by have [|] := tokens_ok i; rewrite /F; lia.
rewrite /= shiftE; have [_ _ /(_ i) least] := smallestP j0 (sweep j0 D c z).
have [_ _ /(_ j) most] := largestP j0 (sweep j0 D c z).
case: eqP => [at_c|not_c]; split=> z_j.
- by move: (stays z_j) at_c; lia.
- by move: (waits ltac:(lia)) at_c; lia.
- by rewrite at_c; move: least most; rewrite i_stays // at_c; nia.
- exact: stays.
- by apply: waits; lia.
have [lt_c|ge_c] := ltP (z j) c%:Z; first by apply: jumps; lia.
by case: not_c; rewrite waits //; lia.
Qed.

Theorem sentinel_outside j :
  z j < 0 /\ ids j0 D z j < 0 \/ 0 <= z j /\ t_r J D < ids j0 D z j.
Proof.
have F_big := F_ge_D; have [stays _ jumps] := sweep_sentinel (leqnn D) j.
rewrite /ids /lift; have [_ F_eq D_n1 _ ->] := powers D_gt1 two_tokens.
rewrite D_n1 -F_eq -/F; have [inside|far] := tokens_ok j.
(* 1. A token in the box has jumped by D^{n+1}, and hears a number at least as large. *)
  right; have high := jumps inside; split; first by lia.
  rewrite hears_above; last by move: high F_big; nia.
  have [_ _ /(_ j) most] := largestP j0 (sweep j0 D D z).
  move: (sweep j0 D D z j) (largest _ _) high most => s m high most.
  have : D%:Z * F * (D%:Z * F) <= D%:Z * F * m by rewrite ler_wpmul2l //; nia.
  have : D%:Z * F * F * (D%:Z - 1) <= D%:Z * F * (D%:Z * F) by nia.
  by nia.
(* 2. A sentinel hears the least, which is no larger than itself. *)
left; have z_j : z j < 0 by rewrite -/F in far; lia.
split=> //; rewrite hears_below ?stays //.
have [_ _ /(_ j) least] := smallestP j0 (sweep j0 D D z).
by move: least; rewrite stays // => ?; nia.
Qed.

End Sentinel.
