(** * Yun et al. (2020), section E.3: u^T Z numbers the columns

    In units of delta. With u = (1, N, ..., N^{d-1}) the columns of digits 0, ..., N - 1 get the
    numbers 0, ..., N^d - 1, each its own; a column with a sentinel - N^{nd+1} (in units of
    delta, so - delta^{-nd}) gets one that is <= - D^n, D = N^d. For all N >= 2, n >= 1 and d. *)
From UAT Require Import preamble.
Local Open Scope nat_scope.

Section Digits.

(** ** Digits *)
Variable N : nat.

(** The number with the digits a_i in base N, the first of them counting ones. *)
Definition number d (a : 'I_d -> nat) : nat := \sum_i a i * N ^ i.

Lemma numberS d (a : 'I_d.+1 -> nat) :
  number a = a ord0 + N * number (fun i => a (lift ord0 i)).
Proof.
rewrite /number big_ord_recl expn0 muln1 big_distrr; congr (_ + _); apply: eq_bigr => i _ /=.
by rewrite /bump add1n expnS mulnCA.
Qed.

(** A number of d digits below N is below N^d. *)
Lemma number_lt d (a : 'I_d -> nat) : (forall i, a i < N) -> number a < N ^ d.
Proof.
elim: d a => [|d IHd] a a_lt; first by rewrite /number big_ord0.
have := IHd (fun i => a (lift ord0 i)) (fun i => a_lt _); have := a_lt ord0.
by rewrite numberS expnS; move: (number _) => x; nia.
Qed.

(** If two numbers of d digits below N are equal, then so are their digits. *)
Lemma number_inj d (a b : 'I_d -> nat) : (forall i, a i < N) -> (forall i, b i < N) ->
  number a = number b -> forall i, a i = b i.
Proof.
elim: d a b => [|d IHd] a b a_lt b_lt same i; first by case: i.
have := same; rewrite !numberS => eq.
have low : a ord0 = b ord0.
  have := congr1 (modn^~ N) eq.
  by rewrite ![_ + N * _]addnC ![N * _]mulnC !modnMDl !modn_small.
have := @IHd (fun i => a (lift ord0 i)) (fun i => b (lift ord0 i)) (fun i => a_lt _) (fun i =>
  b_lt _).
have -> : number (fun i => a (lift ord0 i)) = number (fun i => b (lift ord0 i)).
  by apply/eqP; rewrite -(eqn_pmul2l (m := N)) ?(leq_trans _ (a_lt ord0)) //; apply/eqP; lia.
move/(_ erefl) => high; case: (unliftP ord0 i) => [i' ->|->]; [exact: high | exact: low].
Qed.

End Digits.

Section Columns.

(** ** Columns with sentinels *)
Local Open Scope ring_scope.
Variables (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt0 : (0 < n)%N.

(** One number of a column: its entries are the digits, to the base N. *)
Definition column_id (a : 'I_d -> int) : int := \sum_i a i * (N ^ i)%N%:Z.

Lemma column_id_box (a : 'I_d -> nat) : column_id (fun i => (a i)%:Z) = (number N a)%:Z.
Proof.
by rewrite /number (big_morph Posz PoszD (erefl _)); apply: eq_bigr => i _; rewrite PoszM.
Qed.

Variable a : 'I_d -> int.
Hypothesis a_ok : forall i, 0 <= a i < N%:Z \/ a i = - (N ^ (n * d).+1)%N%:Z.

Lemma column_id_sentinel : (exists i, a i < 0) -> column_id a <= - (N ^ d)%N%:Z ^+ n.
Proof.
move=> [i a_i].
(* 1. Without the sentinel at i the sum would be at most N^d - 1. *)
have rest : column_id a <= a i + (N ^ d)%N%:Z.
  have all_max : (number N (fun _ : 'I_d => N.-1) < N ^ d)%N.
    by apply: number_lt => _; rewrite prednK // ltnW.
  have : column_id a - a i <= (number N (fun _ : 'I_d => N.-1))%:Z.
    rewrite -column_id_box /column_id [in X in X <= _](bigD1 i) //= [X in _ <= X](bigD1 i) //=.
    have le_rest : \sum_(i0 < d | i0 != i) a i0 * (N ^ i0)%N%:Z <=
        \sum_(i0 < d | i0 != i) N.-1%:Z * (N ^ i0)%N%:Z.
      by apply: ler_sum => k _; rewrite ler_wpmul2r //; have [|] := a_ok k; lia.
    have N_i : (0 < N ^ i)%N by rewrite expn_gt0 ltnW.
    rewrite addrAC; apply: ler_add le_rest; apply: (@le_trans _ _ 0); last by rewrite mulr_ge0.
    by rewrite subr_le0; nia.
  by move: all_max; lia.
(* 2. And - N D^n + D <= - D^n. *)
have sentinel : a i = - (N ^ (n * d).+1)%N%:Z by have [|] := a_ok i; lia.
have D_n : (N ^ d <= N ^ (n * d))%N by rewrite leq_exp2l // leq_pmull.
have -> : (N ^ d)%N%:Z ^+ n = (N ^ (n * d))%N%:Z by rewrite mulnC expnM -[RHS]natz natrX natz.
by move: rest; rewrite sentinel expnS; nia.
Qed.

End Columns.
