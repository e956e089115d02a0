(** * Yun et al. (2020), Lemma 6: the contextual mapping with softmax, all layers

    On every sequence of the box grid the layers with softmax ([soft_layers.v]) come as near to
    those with hardmax as one likes, lambda chosen after everything else: all rows but the first
    agree, the first within the error e_{D+1}, where e_0 = 0, e_{c+1} = e_c + 2 D (e_c + h) for a
    shift, h = 4 n / (lambda delta), and D^{n+1} (e_D + h) is added by the lift. The printed text
    says only that a large factor does it. For all d >= 1, n >= 2, N >= 2. *)
From UAT Require Import transformers.
From UAT.yun2020 Require Import sweep layers grid selective_shift context_layers lemma_8 soft_hears.
From UAT.yun2020 Require Import soft_shift soft_monotone soft_layers.

Section Errors.

Variables (R : realType) (D n : nat).

(** The errors in units of h. *)
Fixpoint sweep_error c : R :=
  if c is c'.+1 then sweep_error c' + 2%:R * D%:R * (sweep_error c' + 1) else 0.
(** The error after the lift, in units of h. *)
Definition context_error : R := sweep_error D + D%:R ^+ n.+1 * (sweep_error D + 1).

Lemma sweep_error_ge0 c : 0 <= sweep_error c.
Proof.
elim: c => //= c IHc; apply: addr_ge0 => //.
by apply: mulr_ge0; [rewrite -natrM ler0n | rewrite addr_ge0 ?ler01].
Qed.

Lemma added_ge0 a c : 0 <= a -> 0 <= a * (sweep_error c + 1).
Proof. by move=> a_ge0; rewrite mulr_ge0 // addr_ge0 ?ler01 ?sweep_error_ge0. Qed.

Lemma sweep_error_mono c c' : (c <= c')%N -> sweep_error c <= sweep_error c'.
Proof.
elim: c' => [|c' IHc']; first by case: c.
rewrite leq_eqVlt => /predU1P[->//|/IHc' le]; apply: le_trans le _ => /=.
by rewrite ler_addl added_ge0 // -natrM ler0n.
Qed.

Lemma sweep_error_le c : (c <= D)%N -> sweep_error c <= context_error.
Proof.
move=> /sweep_error_mono/le_trans; apply.
by rewrite ler_addl added_ge0 // exprn_ge0 // ler0n.
Qed.

End Errors.

Section SoftContext.

Variables (R : realType) (N d n : nat).
Hypothesis N_gt1 : (1 < N)%N.
Hypothesis n_gt1 : (1 < n)%N.
Notation D := (N ^ d.+1)%N.
Notation delta := (delta R N).
Notation u := (u R N d).
Notation j0 := (j0 n_gt1).
Notation sweep_error := (sweep_error R D).
Notation context_error := (context_error R D n).
Notation id X k := ((u *m X) ord0 k).
Implicit Types (L X : 'M[R]_(d.+1, n)) (z : 'I_n -> int).

Let N_gt0 : (0 < N)%N := ltnW N_gt1.
Let delta_pos : 0 < delta := delta_gt0 R N_gt0.

Variables (lambda T : R).
Hypothesis lambda_gt0 : 0 < lambda.
Hypothesis T_le : T <= delta / 4%:R.
Notation h := (4%:R * n%:R / (lambda * delta)).
Hypothesis h_small : context_error * h <= T.

Lemma h_ge0 : 0 <= h.
Proof. by rewrite divr_ge0 ?mulr_ge0 ?ler0n // ltW. Qed.

(** The error of the sweep is at most a quarter of a step. *)
Lemma sweep_small c : (c <= D)%N -> sweep_error c * h <= delta / 4%:R.
Proof.
move=> c_le; apply: le_trans T_le; apply: le_trans h_small; apply: ler_wpmul2r h_ge0 _ _ _.
exact: sweep_error_le.
Qed.

(** The error of the lift comes on top of that of the sweep, D^(n+1) times. *)
Lemma lift_error (a b y t : R) : `|a - y| <= sweep_error D * h ->
  `|b - t| <= head_error N n (sweep_error D * h) lambda ->
  `|(a - y) + D%:R ^+ n.+1 * (b - t)| <= T.
Proof.
move=> near_a near_b; apply: le_trans (ler_norm_add _ _) (le_trans _ h_small).
have -> : context_error * h = sweep_error D * h + D%:R ^+ n.+1 * head_error N n (sweep_error D * h)
  lambda by rewrite /head_error /context_error; ring.
apply: ler_add near_a _; rewrite normrM ger0_norm ?exprn_ge0 ?ler0n // ler_wpmul2l //.
by rewrite exprn_ge0 ?ler0n.
Qed.

(** The first row has changed as ids in units of delta should, up to [e]. *)
Definition near_gain (e : R) z z' (a : 'I_n -> R) :=
  forall k, `|a k - delta * (z' k - z k)%:~R| <= e.

(** If the first row has changed as the ids should, up to e, then the ids are within e of what they should be. *)
Lemma near_gain_ids e L X z z' a : has_ids N L z -> gained L X a -> near_gain e z z' a ->
  near_ids N e X z'.
Proof.
move=> ids_z gain near k; rewrite (gained_id N k gain) ids_z.
have -> : delta * (z k)%:~R + a k - delta * (z' k)%:~R = a k - delta * (z' k - z k)%:~R.
  by rewrite rmorphB /=; ring.
exact: near.
Qed.

(** After c shifts with softmax the first row alone has changed, as in the sweep, up to the error of c shifts. *)
Lemma sweep_near L z c : has_ids N L z -> (c <= D)%N -> exists2 a,
  gained L (network (soft_sweep N d n lambda c) L) a &
  near_gain (sweep_error c * h) z (sweep j0 D c z) a.
Proof.
move=> ids_z; elim: c => [_|c IHc c_lt].
  exists (fun _ => 0) => [i k|k]; first by rewrite mulr0 addr0.
  by rewrite /= subrr mulr0 subrr normr0 mul0r.
have [a gain near] := IHc (ltnW c_lt); rewrite soft_sweepS network_cat [network [:: _] _]/=.
move: (network _ L) gain => X gain.
have e_small := sweep_small (ltnW c_lt).
have near_X := near_gain_ids ids_z gain near.
have gain_X := pair_gained N lambda (threshold R N c) D%:R (threshold R N c.+1) (- D%:R) X.
set b := pair_gain _ _ _ _ _ _ _ in gain_X; exists (fun k => a k + b k) => [i k|k].
  by rewrite gain_X gain -addrA -mulrDr.
have := soft_shift_near N_gt0 j0 lambda_gt0 e_small c near_X ord0 k.
rewrite [soft_shift_layer _ _ _ _ _ _]gain_X eqxx !mul1r opprD addrACA subrr add0r => near_b.
have -> : a k + b k - delta * (sweep j0 D c.+1 z k - z k)%:~R =
    a k - delta * (sweep j0 D c z k - z k)%:~R +
    (b k - delta * (shift j0 D c (sweep j0 D c z) k - sweep j0 D c z k)%:~R).
  by rewrite /= !rmorphB /=; ring.
apply: le_trans (ler_norm_add _ _) _.
have -> : sweep_error c.+1 * h = sweep_error c * h +
    2%:R * D%:R * head_error N n (sweep_error c * h) lambda by rewrite /head_error /=; ring.
exact: ler_add.
Qed.

Theorem soft_context_near L : box_grid N L -> forall i k,
  `|network (soft_context N d n lambda) L i k - g_c N L i k| <= (i == ord0)%:R * T.
Proof.
(* 1. [near]: after the sweep the first row is near the ids of hardmax, by the lemma above. *)
move=> L_box; have [l [l_N L_l]] := box_coordinates L_box; have ids_L := box_ids L_l.
have [a gain near] := sweep_near ids_L (leqnn D).
rewrite network_cat [network [:: _] _]/= => i k; move: (network _ L) gain => X gain.
have e_small := sweep_small (leqnn D); have near_X := near_gain_ids ids_L gain near.
(* 2. The last layer lifts each id by D^(n+1) times what its token hears. *)
rewrite (pair_gained N lambda (threshold R N 0) (D%:R ^+ n.+1) 0 0 X) gain.
rewrite (g_c_moved N_gt1 (n_gt1 := n_gt1) ids_L); last first.
  by move=> k'; apply: (zero_in_box N_gt1) => j; apply: numbers_lt.
(* 3. [near_b]: what it hears of softmax is near what it would hear of hardmax. *)
have near_b := soft_value_near N_gt0 j0 lambda_gt0 e_small 0 k near_X; have near_a := near k.
(* 4. The two errors, of the sweep and of the lift, stand apart. *)
have -> : ids j0 D (tokens (numbers N l)) k - tokens (numbers N l) k =
    (sweep j0 D D (tokens (numbers N l)) k - tokens (numbers N l) k) +
    D%:Z ^+ n.+1 * hears j0 0 (sweep j0 D D (tokens (numbers N l))) k.
  by rewrite /ids /lift card_ord; ring.
rewrite /pair_gain mul0r addr0 intrD intrM rmorphX /=.
have -> (x p y s t v : R) : x + p * a k + p * (v * s) - (x + p * (delta * (y + v * t))) =
    p * ((a k - delta * y) + v * (s - delta * t)) by ring.
(* 5. Together they are the constant times h, and so at most T. *)
by rewrite normrM ger0_norm ?ler0n // ler_wpmul2l ?ler0n // lift_error.
Qed.

End SoftContext.
