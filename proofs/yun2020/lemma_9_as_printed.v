(** * Yun et al. (2020), Lemma 9: with the printed layers a mapped token may be caught again

    The proof gives each column of each context a layer that waits for its id within delta / 2
    and replaces it by the answer. At N = 2, n = 2, d = 1 there is one context, L = (0, 1/2),
    whose ids are 13 and 27/2 ([ids_of_context]); with the answers 27/2 and 13, that is A(X) =
    27/2 - X, one of the two tokens comes out wrong, in whichever order the two layers stand
    ([lemma_9_as_printed_is_false]). The layers before them leave these tokens alone and are left
    out. The repair, answers moved by - K and back, is in [lemma_9.v]. *)
From UAT Require Import attention.
From UAT.yun2020 Require Import sweep context_ids layers grid selective_shift context_layers lemma_8 look_up.

Section Lemma9.

Variable R : realFieldType.

(** The context: the two tokens 0 and 1/2. *)
Definition L : 'M[R]_(1, 2) := \matrix_(i, j) (delta R 2 * (j%:Z)%:~R).

Lemma reach_two (l : 'I_2 -> nat) (j0 : 'I_2) : (forall j, l j = j) ->
  reach j0 2 l 1 = 2 /\ reach j0 2 l 2 = 3.
Proof.
move=> lE; have l_D j : (l j < 2)%N by rewrite lE.
have top1 : top j0 l = 1.
  by have := le_top j0 l ord_max; have := top_lt_D j0 l_D; rewrite lE /=; lia.
have here c : (c < 2)%N -> present l c.
  by move=> lt; apply/presentP; exists (Ordinal lt); rewrite lE.
by rewrite /= !here // top1.
Qed.

Lemma ids_of_context j : q 2 L j = 13%:R + j%:R / 2%:R.
Proof.
have n_gt1 : (1 < 2)%N by [].
pose l (i : 'I_1) (j : 'I_2) : nat := j.
have l_N i k : (l i k < 2)%N by exact: ltn_ord.
have L_l : coordinates 2 L (fun i k => (l i k)%:Z) by move=> i k; rewrite mxE.
rewrite (q_box (isT : (1 < 2)%N) n_gt1 j l_N L_l).
have numE k : numbers 2 l k = k.
  by rewrite /numbers /columns.number big_ord_recl big_ord0 addn0 muln1.
rewrite idE; last 2 first.
- by move=> k; rewrite numE; apply: ltn_ord.
- by exists ord0, ord_max; rewrite !numE.
have [r1 r2] := reach_two (j0 n_gt1) numE.
rewrite numE card_ord /delta; have [->|->] : j = ord0 \/ j = ord_max.
- by case: j => -[|[|//]] lt; [left | right]; apply: val_inj.
- by rewrite r1 r2 -[X in _ * X]/(26%:R : R) mul0r addr0; lra.
- by rewrite r2 -[X in _ * X]/(27%:R : R) mul1r; lra.
- by [].
by rewrite card_ord.
Qed.

(** ** The printed layers, on one token: a number, which is its id *)

(** A number as a token. *)
Definition token (t : R) : 'cV[R]_1 := const_mx t.
(** The id of a column. *)
Definition printed_key (j : 'I_2) : R := q 2 L j.
(** The answer for a column: 27/2 - x. *)
Definition printed_answer (j : 'I_2) : R := 27%:R / 2%:R - L ord0 j.
(** The printed layer of a column. *)
Definition printed_window (j : 'I_2) := window (const_mx 1 : 'rV[R]_1) (delta R 2) printed_key
  (fun j => token (printed_key j)) (fun j => token (printed_answer j)) j.

(** The printed layer of a column adds its answer minus its key to a token in the window around the key. *)
Lemma on_printed j (t : R) : on_token (token t) (printed_window j) =
  token (t + window_phi (delta R 2) (t - printed_key j) * (printed_answer j - printed_key j)).
Proof.
apply/colP => i; rewrite /on_token /= !mxE big_ord_recl big_ord0 addr0 !mxE mul1r.
by [].
Qed.

(** Ids and answers are 13 and 27/2, the other way round. *)
Lemma printed_numbers : [/\ printed_key ord0 = 13%:R, printed_key ord_max = 27%:R / 2%:R,
  printed_answer ord0 = 27%:R / 2%:R & printed_answer ord_max = 13%:R].
Proof.
split; [by rewrite /printed_key ids_of_context mul0r addr0 |
  by rewrite /printed_key ids_of_context mul1r; lra |
  by rewrite /printed_answer mxE mulr0 subr0 | by rewrite /printed_answer mxE /delta mulr1; lra].
Qed.

(** Two layers can stand in two orders only. *)
Lemma two_orders (s : seq 'I_2) : perm_eq s (enum 'I_2) ->
  s = [:: ord0; ord_max] \/ s = [:: ord_max; ord0].
Proof.
move=> order; have s_uniq : uniq s by rewrite (perm_uniq order) enum_uniq.
have s_size : size s = 2%N by rewrite (perm_size order) size_enum_ord.
have two (k : 'I_2) : k = ord0 \/ k = ord_max.
  by case: k => -[|[|//]] lt; [left | right]; apply: val_inj.
case: s s_size s_uniq {order} => [|k [|k' [|]]] //= _.
by case: (two k) => ->; case: (two k') => ->; [|left|right|].
Qed.

(** In either order a token of the context comes out wrong. *)
Theorem lemma_9_as_printed_is_false (s : seq 'I_2) : perm_eq s (enum 'I_2) ->
  ~ forall j, run [seq printed_window k | k <- s] (token (printed_key j)) =
              token (printed_answer j).
Proof.
have [key0 key1 answer0 answer1] := printed_numbers; move=> order all_right.
have phi_in : window_phi (delta R 2) 0 = 1 by apply: window_phi_in; rewrite /delta; lra.
have entry a b : token a = token b -> a = b by move/colP/(_ ord0); rewrite !mxE.
have not_lt : ~ (0 : R) < 0 by rewrite ltxx.
case: (two_orders order) all_right => -> all_right.
(* 1. The layer of the token 13 first: it makes 27/2 of it, which the other layer catches. *)
  have := all_right ord0; rewrite /run /= !on_printed key0 key1 answer0 answer1 subrr phi_in.
  have -> : 13%:R + 1 * (27%:R / 2%:R - 13%:R) - 27%:R / 2%:R = 0 :> R by lra.
  by rewrite phi_in => /entry wrong; apply: not_lt; lra.
(* 2. The other way round it is the other token. *)
have := all_right ord_max; rewrite /run /= !on_printed key0 key1 answer0 answer1 subrr phi_in.
have -> : 27%:R / 2%:R + 1 * (13%:R - 27%:R / 2%:R) - 13%:R = 0 :> R by lra.
by rewrite phi_in => /entry wrong; apply: not_lt; lra.
Qed.

End Lemma9.
