(** * Cheng et al. (2025), (23): convolutions on a ring have its rotations and no other symmetry

    The mixer sum_j psi_j [X]_{(i + j) mod n}, j = 0, ..., l, with the index i + j (as printed the
    token i does not occur on the right). For all n >= 2, l >= 1 and d >= 1: a permutation of the
    tokens commutes with the mixer for all weights psi exactly if it is a rotation. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import claim_1.
From UAT.cheng2025 Require Import mixers corollary_4_depth directed_symmetry.

Section Convolution.

Variables (R : realFieldType) (d n' l : nat).
Let n := n'.+2.
Implicit Types (X : 'M[R]_(d, n)) (s : 'S_n) (psi : 'I_l.+1 -> R).

(** Token i takes with the weight psi_j the token j places on. *)
Definition ring_convolution psi X : 'M[R]_(d, n) :=
  \matrix_(r, i) \sum_j psi j * X r (i + (j : nat)%:R).

Theorem convolution_symmetry s : (0 < l)%N -> (0 < d)%N ->
  (forall psi X, ring_convolution psi (X *m perm_mx s) = ring_convolution psi X *m perm_mx s)
  <-> rotation s.
Proof.
move=> l_gt0 d_gt0; split=> [same|[c s_c] psi X]; last first.
(* 1. Rotations commute with it. *)
  apply/matrixP => r i; rewrite mul_perm !mxE; apply: eq_bigr => j _; rewrite mul_perm.
  have back k : (s^-1)%g k = k - c by apply: (@perm_inj _ s); rewrite permKV s_c subrK.
  by rewrite !back addrAC.
(* 2. With the weight 1 for the next token and 0 for others it is the rotation by one place. *)
pose one : 'I_l.+1 := Ordinal (l_gt0 : 1 < l.+1)%N.
pose psi (j : 'I_l.+1) : R := (j == one)%:R; pose r0 : 'I_d := Ordinal d_gt0.
have shift X i : ring_convolution psi X r0 i = X r0 (i + 1).
  rewrite mxE (bigD1 one) //= big1 => [|j /negbTE]; first by rewrite /psi eqxx mul1r addr0.
  by rewrite /psi => ->; rewrite mul0r.
(* 3. What commutes with it takes the next token to the next token ... *)
have next i : s (i + 1) = s i + 1.
  have := congr1 (fun M : 'M_(d, n) => M r0 (s i)) (same psi (delta_mx r0 (i + 1))).
  rewrite /= shift !mul_perm shift permK !mxE !eqxx /=.
  case: eqP => [eq_i _|_ /eqP]; last by rewrite eq_sym oner_eq0.
  by rewrite -[s i + 1](permKV s) eq_i.
(* 4. ... and is the rotation by the image of token 0. *)
exists (s 0) => i; rewrite -[i in LHS](natr_val i) -[i in RHS](natr_val i).
elim: (val i) => [|u IHu]; first by rewrite add0r.
by rewrite mulrSr next IHu addrAC.
Qed.

End Convolution.
