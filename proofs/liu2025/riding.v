(** * Values ride on the scores

    Steps 3 to 6 of the book's proof that the head of Theorem 4.1 is the smoother; the same for
    cross-attention. There is a column (a slot) for each place [j], row [s] of the output and
    sign; to the score of the place the logarithm of 1 + V/B or 1 - V/B is added, with the value V
    of the place; then plus less minus, times d B, is the mean of the values. [B] has to be above
    all values (with B = max |V|, as printed, the logarithm of 0 occurs). *)
From UAT Require Import transformers.
From UAT.liu2025 Require Import softmax_mean.

Section Riding.

Variables (R : realType) (J : finType) (d n : nat).

(** The columns: one for each place, entry and sign. *)
Definition column := (J * 'I_d * bool)%type.

Variables (B : R) (V : J -> 'I_d * 'I_n -> R).
Hypothesis V_lt_B : forall j t, `|V j t| < B.

(** A bit as a sign, 1 or -1. *)
Definition sign (b : bool) : R := if b then 1 else -1.

(** What a column weighs for listener k, for its value and for what is opposite: 1 + v / B, or 1 -
    v / B. *)
Definition odds k (c : column) : R := 1 + sign c.2 * V c.1.1 (c.1.2, k) / B.

(** This number is positive, so it has a logarithm. *)
Lemma odds_gt0 k c : 0 < odds k c.
Proof.
have V_B := V_lt_B c.1.1 (c.1.2, k).
have B_gt0 : 0 < B by apply: le_lt_trans V_B.
rewrite /odds -(divff (lt0r_neq0 B_gt0)) -mulrDl divr_gt0 //.
move: V_B; rewrite ltr_norml /sign => /andP[lo hi].
case: c.2; first by rewrite mul1r -ltr_subl_addl sub0r.
by rewrite mulN1r subr_gt0.
Qed.

(** A sum over the columns, both signs together. *)
Lemma sum_column (F : column -> R) :
  \sum_c F c = \sum_j \sum_s (F (j, s, true) + F (j, s, false)).
Proof.
rewrite pair_bigA /= (eq_bigr (fun p => \sum_b F (p, b))) => [|[j s] _].
  by rewrite pair_bigA; apply: eq_bigr => -[[j s] b].
by rewrite big_bool.
Qed.

(** The exponential turns the logarithm back into a factor. *)
Lemma weight (e : J -> R) k (c : column) :
  expR (e c.1.1 + ln (odds k c)) = expR (e c.1.1) * odds k c.
Proof. by rewrite expRD lnK // posrE odds_gt0. Qed.

(** Both signs together weigh the same, whatever the values are. *)
Lemma total (e : J -> R) k :
  \sum_(c : column) expR (e c.1.1 + ln (odds k c)) = 2%:R * d%:R * \sum_j expR (e j).
Proof.
rewrite sum_column mulr_sumr; apply: eq_bigr => j _.
rewrite (eq_bigr (fun=> 2%:R * expR (e j))) => [|t _].
  by rewrite sumr_const card_ord -mulr_natr; ring.
by rewrite !weight /odds /sign /=; ring.
Qed.

(** So the mean of the values is a difference of weights, plus less minus. *)
Lemma riding (e : J -> R) s k :
  \sum_j softmax e j * V j (s, k) = d%:R * B *
    (\sum_(c : column) (c.1.2 == s)%:R * sign c.2 *
      softmax (fun c : column => e c.1.1 + ln (odds k c)) c).
Proof.
rewrite /softmax total mulr_sumr sum_column; apply: eq_bigr => j _.
have d_gt0 : d%:R != 0 :> R by rewrite pnatr_eq0 -lt0n (leq_ltn_trans _ (ltn_ord s)).
have B_gt0 : B != 0 by rewrite gt_eqF // (le_lt_trans _ (V_lt_B j (s, k))).
have S_gt0 : \sum_j expR (e j) != 0 by rewrite gt_eqF // (sum_expR_gt0 e j).
rewrite (bigD1 s) //= [X in _ = _ + X]big1 ?addr0 => [|t /negPf ->]; last first.
  by rewrite !mul0r !mulr0 addr0.
have /= -> := weight e k (j, s, true); have /= -> := weight e k (j, s, false).
rewrite eqxx /odds /sign /=; field.
by rewrite d_gt0 B_gt0 S_gt0.
Qed.

End Riding.

Section Listening.

(** ** The matrices that all heads of this paper have in common *)
Variables (R : realType) (J : finType) (d n : nat).
Variables (B : R) (V : J -> 'I_d * 'I_n -> R).
Hypothesis V_lt_B : forall j t, `|V j t| < B.

(** How many columns there are. *)
Definition slots := #|{: column J d}|.

(** There are 2 d columns for each place. *)
Lemma slotsE : slots = (2 * d * #|J|)%N.
Proof. by rewrite /slots !card_prod card_bool card_ord mulnC mulnA mulnAC. Qed.

(** Row [k]: what to add to the score of each slot when listener [k] asks. *)
Definition logs : 'M[R]_(n, slots) := \matrix_(k, c) ln (odds B V k (enum_val c)).
(** Row [s] counts the slots of entry [s], those with a minus negatively. *)
Definition told : 'M[R]_(d, slots) :=
  \matrix_(s, c) (((enum_val c).1.2 == s)%:R * sign R (enum_val c).2).

(** Listener [k] sits in column [pos k], of [N]. *)
Variables (N : nat) (pos : 'I_n -> 'I_N).
Hypothesis pos_inj : injective pos.

(** Which column each listener reads: a 1 at its place, else 0. *)
Definition select : 'M[R]_(n, N) := \matrix_(k, c) (pos k == c)%:R.

(** A column that listens gets its row. *)
Lemma selectE m (A : 'M[R]_(m, n)) i k : (A *m select) i (pos k) = A i k.
Proof.
rewrite mxE (bigD1 k) //= mxE eqxx mulr1 big1 ?addr0 // => k' k'k.
by rewrite mxE (inj_eq pos_inj) (negPf k'k) mulr0.
Qed.

(** What it hears is read there. *)
Lemma select_trE m (A : 'M[R]_(m, N)) i k : (A *m select^T) i k = A i (pos k).
Proof.
rewrite mxE (bigD1 (pos k)) //= !mxE eqxx mulr1 big1 ?addr0 // => c c_k.
by rewrite !mxE eq_sym (negPf c_k) mulr0.
Qed.

(** If the scores are those of [e] with the logarithms, all matrices together
    give the mean of the values. *)
Lemma heard (S : 'M[R]_(slots, N)) (e : J -> R) s k :
  (forall c, S c (pos k) = e (enum_val c).1.1 + ln (odds B V k (enum_val c))) ->
  (told *m columns (@softmax R) S *m ((d%:R * B) *: select^T)) s k
    = \sum_j softmax e j * V j (s, k).
Proof.
move=> S_e; rewrite -scalemxAr mxE select_trE mxE (riding V_lt_B); congr (_ * _).
rewrite [RHS](reindex _ (onW_bij _ (@enum_val_bij _))) /=.
apply: eq_bigr => c _; rewrite !mxE; congr (_ * _); rewrite /softmax S_e; congr (_ / _).
rewrite [RHS](reindex _ (onW_bij _ (@enum_val_bij _))) /=.
by apply: eq_bigr => i _; rewrite S_e.
Qed.

End Listening.
