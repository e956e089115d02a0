(** * Kajitsuka and Sato (2024), Theorem 1: the printed pair is told apart

    The printed proof says that no layer of hardmax tells apart (a_1 v, a_2 v, a_4 v) and
    (a_1 v, a_3 v, a_4 v). But one head with W_K = W_Q = 0 hears the means of (1, 2, 4) and
    (1, 3, 4): no token of the one sequence gets the value of a token of the other. Here v = 1 in
    dimension 1. (So what is refuted is a step of the printed proof.) *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import hardmax_line.

Section PrintedPair.

Variable R : realFieldType.

(** A head that does not look, and adds the mean of what it hears. *)
Definition mean_head : head_weights R 1 := HeadWeights 1%:M 1%:M (0 : 'M_1) 0.
(** The layer that has this head alone. *)
Definition mean_layer n (X : 'M[R]_(1, n)) := attention (@hardmax R) [:: mean_head] X.

(** A list of three whole numbers as a sequence of tokens, which are numbers. *)
Definition tokens (l : seq nat) : 'M[R]_(1, 3) := \matrix_(i, j) (nth 0%N l j)%:R.

(** What the head makes of a token: itself, and the mean of all three. *)
Lemma output (l : seq nat) k :
  col k (mean_layer (tokens l)) 0 0 = (nth 0%N l k)%:R + (\sum_(j < 3) nth 0%N l j)%:R / 3%:R.
Proof.
have -> : tokens l = multiples (fun j => (nth 0%N l j)%:R) 1%:M.
  by apply/matrixP => i j; rewrite /multiples mul1mx !mxE.
rewrite /mean_layer attention_line.
rewrite big_seq1 /sharpness mul0mx mulmx0 [X in _ * X]mxE mulr0 heard_0.
by rewrite card_ord !mulmx1 !mxE eqxx !mulr1 natr_sum.
Qed.

(** An equation with thirds, multiplied by 3: one between whole numbers. *)
Lemma thirds (a b c d : nat) :
  a%:R + b%:R / 3%:R = c%:R + d%:R / 3%:R :> R -> (a * 3 + b = c * 3 + d)%N.
Proof.
have three : 3%:R != 0 :> R by rewrite pnatr_eq0.
move/(congr1 (fun x => x * 3%:R)); rewrite !mulrDl !(divfK three) -!natrM -!natrD.
by move/eqP; rewrite eqr_nat => /eqP.
Qed.

(** No token of the one gets the value of a token of the other. *)
Theorem printed_pair_told_apart k k' :
  col k (mean_layer (tokens [:: 1; 2; 4]%N)) != col k' (mean_layer (tokens [:: 1; 3; 4]%N)).
Proof.
(* 1. The head adds a third of the sum of all factors. [sum7]: 1 + 2 + 4 = 7. [sum8]: 1 + 3 + 4 = 8. *)
have sum7 : (\sum_(j < 3) nth 0 [:: 1; 2; 4] j = 7)%N by rewrite !big_ord_recl big_ord0.
have sum8 : (\sum_(j < 3) nth 0 [:: 1; 3; 4] j = 8)%N by rewrite !big_ord_recl big_ord0.
(* 2. So three times the value of a token is 3, 6 or 12 and 7 more, which is 10, 13 or 19. In the other sequence it is
   3, 9 or 12 and 8 more, which is 11, 17 or 20. None are the [same]. *)
apply/eqP => /matrixP/(_ 0 0) same.
have := etrans (esym (output _ k)) (etrans same (output _ k')).
rewrite sum7 sum8 => /thirds {same}.
by case: k => [[|[|[|k]]] k_lt]; case: k' => [[|[|[|k']]] k'_lt].
Qed.

End PrintedPair.
