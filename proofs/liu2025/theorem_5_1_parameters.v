(** * Liu et al. (2025), Theorem 5.1: the number of parameters

    For all d, n, N with n <= 2 d N there are matrices whose entries are constants, or one of
    3 d n N + 2 d N + n + 1 parameters, such that for every f and [X] as in Theorem 5.1 some values
    of the parameters put the network within eps of f on [X]: the printed O(d n N). The book counts
    the same, without the sharpness. (A parameter may stand in several entries: a centre in the
    2 d columns of its slots, the sharpness in 2 n places.) *)
From UAT Require Import transformers.
From mathcomp.classical Require Import boolp.
From UAT.liu2025 Require Import layers softmax_mean smoother riding self_attention uniform theorem_5_1.

Section Parameters.

Variables (R : realType) (d n N : nat).
Let J := [finType of 'I_N].
Let S := slots J d.
Variable pos : 'I_n -> 'I_S.
Hypothesis pos_inj : injective pos.

(** Centres, halves of squares, logarithms, factors of [W_O], and the sharpness. *)
Definition parameter := ((((J * ('I_d * 'I_n)) + 'I_S) + ('I_n * 'I_S)) + ('I_n + unit))%type.

(** There are 3 d n N + 2 d N + n + 1 parameters. *)
Lemma number_of_parameters :
  #|{: parameter}| = (3 * d * n * N + 2 * d * N + n + 1)%N.
Proof.
rewrite !card_sum !card_prod !card_ord card_unit /S slotsE card_ord.
by lia.
Qed.

(** An entry is a parameter or a constant. *)
Definition value (theta : parameter -> R) (e : parameter + R) : R :=
  match e with inl p => theta p | inr c => c end.
(** A matrix of names, with the values of the parameters in their place. *)
Definition fill m k (theta : parameter -> R) (M : 'M[parameter + R]_(m, k)) : 'M[R]_(m, k) :=
  map_mx (value theta) M.
(** A matrix of constants, which name no parameter. *)
Definition fixed m k (M : 'M[R]_(m, k)) : 'M[parameter + R]_(m, k) := map_mx inr M.

(** The parameter that is an entry of a centre. *)
Definition p_centre j t : parameter := inl (inl (inl (j, t))).
(** The parameter that is half a square, of column c. *)
Definition p_half c : parameter := inl (inl (inr c)).
(** The parameter that is a logarithm, of listener k and column c. *)
Definition p_log k c : parameter := inl (inr (k, c)).
(** The parameter that is a factor of the output matrix, of listener k. *)
Definition p_out k : parameter := inr (inl k).
(** The parameter that is the sharpness. *)
Definition p_sharp : parameter := inr (inr tt).

(** Of Theorem 5.1's linear layer what stands on the right, with the names of centres for numbers. *)
Definition t_B (r : 'I_d) : 'M[parameter + R]_(n, S) :=
  \matrix_(k, c) inl (p_centre (enum_val c).1.1 (r, k)).
(** The sharpness for each column that a listener reads, 0 for the others. *)
Definition t_sharp : 'rV[parameter + R]_S :=
  \row_c (if [exists k, pos k == c] then inl p_sharp else inr 0).
(** The key matrix: an identity, then halves of squares, then logarithms. *)
Definition t_W_K : 'M[parameter + R]_(1 + (1 + n), 1 + S) :=
  col_mx (fixed (row_mx 1%:M 0)) (col_mx (row_mx (fixed 0) (\row_c inl (p_half c)))
    (row_mx (fixed 0) (\matrix_(k, c) inl (p_log k c)))).
(** The query matrix: the sharpness twice, then which column each listener reads. *)
Definition t_W_Q : 'M[parameter + R]_(1 + (1 + n), 1 + S) :=
  col_mx (row_mx (fixed 0) t_sharp) (col_mx (row_mx (fixed 0) t_sharp)
    (fixed (row_mx 0 (select R pos)))).
(** The output matrix: a factor for each listener. *)
Definition t_W_O : 'M[parameter + R]_(S, n) :=
  \matrix_(c, k) (if pos k == c then inl (p_out k) else inr 0).

Variables (rho B : R) (C V : J -> 'I_d * 'I_n -> R).

(** The values of the parameters. *)
Definition theta (p : parameter) : R :=
  match p with
  | inl (inl (inl (j, t))) => C j t
  | inl (inl (inr c)) => - (dot (place_of C c) (place_of C c) / 2%:R)
  | inl (inr (k, c)) => ln (odds B V k (enum_val c))
  | inr (inl _) => d%:R * B
  | inr (inr _) => rho
  end.

(** A matrix of constants stays what it is. *)
Lemma fill_fixed m k (M : 'M[R]_(m, k)) : fill theta (fixed M) = M.
Proof. by apply/matrixP => i j; rewrite !mxE. Qed.

(** The parameters of the centres give the matrices B_r. *)
Lemma fill_B r : fill theta (t_B r) = self_B C r.
Proof. by apply/matrixP => k c; rewrite !mxE. Qed.

(** The parameter of the sharpness gives the rows that carry it. *)
Lemma fill_sharp : fill theta t_sharp = const_mx rho *m select R pos.
Proof.
apply/rowP => c; rewrite !mxE; case: existsP => [[k /eqP <-]|none] /=.
  by rewrite (bigD1 k) //= big1 => [|k' k'k]; rewrite !mxE ?eqxx ?mulr1 ?addr0 // (inj_eq pos_inj)
    (negPf k'k) mulr0.
rewrite big1 // => k _; rewrite !mxE; case: eqP => [e|_]; last by rewrite mulr0.
by case: none; exists k; apply/eqP.
Qed.

(** Blocks above each other. *)
Lemma fill_col m1 m2 k (M : 'M[parameter + R]_(m1, k)) (M' : 'M[parameter + R]_(m2, k)) :
  fill theta (col_mx M M') = col_mx (fill theta M) (fill theta M').
Proof. exact: map_col_mx. Qed.

(** Blocks beside each other. *)
Lemma fill_row m k1 k2 (M : 'M[parameter + R]_(m, k1)) (M' : 'M[parameter + R]_(m, k2)) :
  fill theta (row_mx M M') = row_mx (fill theta M) (fill theta M').
Proof. exact: map_row_mx. Qed.

(** The keys are those of Theorem 5.1. *)
Lemma fill_W_K : fill theta t_W_K = self_W_K B C V.
Proof.
rewrite /t_W_K !fill_col !fill_row !fill_fixed /self_W_K.
by congr (col_mx _ (col_mx (row_mx _ _) (row_mx _ _))); apply/matrixP => i j; rewrite !mxE.
Qed.

(** The queries are. *)
Lemma fill_W_Q : fill theta t_W_Q = self_W_Q rho pos.
Proof. by rewrite /t_W_Q !fill_col !fill_row !fill_fixed fill_sharp. Qed.

(** The output matrix is. *)
Lemma fill_W_O : fill theta t_W_O = self_W_O B pos.
Proof.
by apply/matrixP => c k; rewrite !mxE; case: (pos k == c); rewrite /= ?mulr1 ?mulr0.
Qed.

(** With these values the network is that of Theorem 5.1, one matrix after the other. *)
Lemma fill_attn (Z : 'M[R]_(d, n)) :
  attn (fill theta t_W_K) (fill theta t_W_Q) (fill theta (fixed (self_W_V R J d))) (fill theta t_W_O)
    (linear (fun r => fill theta (fixed (@self_A R J d r))) (fun r => fill theta (t_B r))
      (fill theta (fixed (self_M R J d))) Z)
  = attn (self_W_K B C V) (self_W_Q rho pos) (self_W_V R J d) (self_W_O B pos)
      (linear (@self_A R J d) (self_B C) (self_M R J d) Z).
Proof.
rewrite fill_W_K fill_W_Q fill_W_O !fill_fixed.
rewrite (_ : (fun r => fill theta (fixed _)) = @self_A R J d); last by apply: funext => r; apply: fill_fixed.
by rewrite (_ : (fun r => fill theta (t_B r)) = self_B C) //; apply: funext => r; apply: fill_B.
Qed.

End Parameters.

(** Theorem 5.1, with the number of parameters. *)
Theorem theorem_5_1_parameters (R : realType) (d n N : nat) : (n <= 2 * d * N)%N ->
  exists (K : finType) (e S p : nat)
    (A : 'I_d -> 'M[K + R]_(e, d)) (B : 'I_d -> 'M[K + R]_(n, S)) (M : 'M[K + R]_(e, S))
    (W_K W_Q : 'M[K + R]_(p, e)) (W_V : 'M[K + R]_(d, e)) (W_O : 'M[K + R]_(S, n)),
  #|K| = (3 * d * n * N + 2 * d * N + n + 1)%N /\
  forall (L eps : R) (f : 'M[R]_(d, n) -> 'M[R]_(d, n)) (X : 'M[R]_(d, n) -> Prop)
      (v : 'I_N -> 'M[R]_(d, n)), 0 < L -> 0 < eps ->
    (forall Z, X Z -> exists j, distance Z (v j) <= eps / (3%:R * L)) ->
    (forall Y Z, domain X v Y -> domain X v Z ->
      forall s k, `|f Y s k - f Z s k| <= L * distance Y Z) ->
  exists th : K -> R,
  let fill m k (E : 'M[K + R]_(m, k)) : 'M[R]_(m, k) :=
    map_mx (fun e => match e with inl q => th q | inr c => c end) E in
  forall Z, X Z -> forall s k,
    `|attn (fill _ _ W_K) (fill _ _ W_Q) (fill _ _ W_V) (fill _ _ W_O)
        (linear (fun r => fill _ _ (A r)) (fun r => fill _ _ (B r)) (fill _ _ M) Z) s k
      - f Z s k| <= eps.
Proof.
(* 1. There are columns [enough] for all to listen. Number those that do. *)
move=> enough; pose J := [finType of 'I_N].
have n_le : (n <= slots J d)%N by rewrite slotsE card_ord.
pose pos k := widen_ord n_le k.
have pos_inj : injective pos by move=> k k' /(congr1 val) /= /val_inj.
(* 2. An entry of a matrix is a parameter or a fixed number. Name the matrices of Theorem 5.1 so,
   and count the parameters. *)
exists [finType of parameter d n N], (1 + slots J d)%N, (slots J d), (1 + (1 + n))%N.
exists (fun r => fixed d n N (@self_A R J d r)).
exists (@t_B R d n N), (fixed d n N (self_M R J d)), (t_W_K R d n N), (t_W_Q R pos).
exists (fixed d n N (self_W_V R J d)), (t_W_O R pos); split; first exact: number_of_parameters.
(* 3. Now let a function be given. Its values at the centres are below a bound: [V_B]. *)
move=> L eps f X v L_gt0 eps_gt0 X_covered f_lip.
have [b _ V_b] := bounded (fun (j : J) => flat (f (v j))).
have V_B (j : 'I_N) s k : `|f (v j) s k| < b + 1 by rewrite (le_lt_trans (V_b j (s, k))) // ltr_addl.
(* 4. Give the parameters their values: then the network is that of Theorem 5.1, so it errs by at most
   2/3 eps. *)
pose C (j : J) := flat (v j); pose V (j : J) := flat (f (v j)).
exists (theta (sharp_entropy N L eps) (b + 1) C V) => fill' Z XZ s k.
have := theorem_5_1_explicit L_gt0 eps_gt0 X_covered f_lip V_B pos_inj XZ s k.
rewrite -(fill_attn pos_inj) => /le_trans; apply.
by rewrite ler_pimull ?(ltW eps_gt0) // ler_pdivr_mulr ?ltr0n // mul1r ler_nat.
Qed.
