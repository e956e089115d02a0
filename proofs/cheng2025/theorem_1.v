(** * Cheng et al. (2025), Theorem 1, as repaired, for ReLU: one condition

    For any d >= 2 and n: let a family of mixers be continuous and G-equivariant, and tell tokens
    apart under G (Definition 3). Then for each continuous G-equivariant f, each compact K and each
    eps > 0 there are feed-forward layers, mixing layers, and again feed-forward layers, whose
    composition is within eps of f, in each entry, at every X in K
    - none of whose entries is within tau of one of N + 1 numbers, and
    - no two of whose tokens are within 2D/N of each other in all entries,
    where N may be as large and then tau > 0 as small as one likes; and the output is bounded by B
    everywhere, if f is on K. (D bounds the entries in K.) The share of what is left out goes to 0
    with 1/N and tau, so that distances in L_p, 1 <= p < oo, which the paper speaks of, are as
    small as one likes; L_p itself is not in this file.
    Printed: feed-forward layers from any nonlinear, affine-invariant family; here those of ReLU,
    with at most d hidden units. Continuity and equivariance are the two added hypotheses. The
    paper's blocks are a mixing layer and a feed-forward layer each, either of which may do
    nothing. Tokens that are 0 need not be told apart. *)
From UAT Require Import transformers analysis.
From UAT.yun2020 Require Import layers.
From UAT.cheng2025 Require Import mixers continuity distinguish proposition_1 proposition_2 theorem_2 ramps.

Section TheoremOne.

Variables (R : realType) (d' n : nat).
Let d := d'.+2.
Implicit Types (X Y : 'M[R]_(d, n)) (f : layer R d n).

(** What is left out: some entry is in a strip, nearer than tau to an edge of a cell. *)
Definition in_strip D N tau X : Prop :=
  exists u j k, (k <= N)%N /\ `|X u j - edge D N k| < tau.
(** Two tokens are within [r] of each other in all entries. *)
Definition near_tokens r X : Prop := exists j l, j != l /\ forall u, `|X u j - X u l| <= r.

(** The cells of all entries, as their numbers 1, ..., N. *)
Definition code N (c : 'M['I_N]_(d, n)) : 'M[R]_(d, n) := map_mx (fun k : 'I_N => k.+1%:R) c.
(** Where entries are numbers of cells, the sequence of the centres of these cells. *)
Definition centres D N Y : 'M[R]_(d, n) := map_mx (@centre R D N) Y.

Lemma code_general N (c : 'M['I_N]_(d, n)) : injective (fun j => col j c) ->
  general_position (code c).
Proof.
move=> c_inj; split=> [j l same|j].
  apply: c_inj; apply/matrixP => u o; move/matrixP: same => /(_ u ord0)/eqP.
  by rewrite !mxE eqr_nat => /eqP[/val_inj].
by apply/eqP => /matrixP/(_ ord0 ord0)/eqP; rewrite !mxE pnatr_eq0.
Qed.

Lemma three_thirds (x y z t eps : R) : `|x - y| <= eps / 3%:R -> `|y - z| <= eps / 3%:R ->
  `|z - t| <= eps / 3%:R -> `|x - t| <= eps.
Proof. rewrite !ler_norml; lra. Qed.

(** The code of the cells of a sequence that is not left out, after the ramps. *)
Lemma cells D N tau eta X (L : seq (R * R * R)) :
  0 < D -> (0 < N)%N -> 0 < tau -> (forall u j, `|X u j| <= D) ->
  (forall k x, (k < N)%N -> edge D N k + tau <= x <= edge D N k.+1 - tau ->
    `|bends L x - k.+1%:R| <= eta) ->
  ~ in_strip D N tau X -> ~ near_tokens (width D N) X ->
  exists c : 'M['I_N]_(d, n), [/\ injective (fun j => col j c),
    forall u j, `|centres D N (code c) u j - X u j| <= width D N &
    forall u j, `|bends L (X u j) - code c u j| <= eta].
Proof.
move=> D_gt0 N_gt0 tau_gt0 X_D L_ok no_strip apart.
have /choice[c c_ok] : forall q : 'I_d * 'I_n, exists k : 'I_N,
    edge D N k + tau <= X q.1 q.2 <= edge D N k.+1 - tau.
  move=> [u j]; have [|k k_le|k k_lt in_k] := @some_cell R D N N_gt0 tau (X u j).
  - by rewrite -ler_norml.
  - by rewrite leNgt; apply/negP => near; apply: no_strip; exists u, j, k.
  by exists (Ordinal k_lt).
pose C : 'M['I_N]_(d, n) := \matrix_(u, j) c (u, j).
have inside u j : edge D N (C u j) <= X u j <= edge D N (C u j).+1.
  by have := c_ok (u, j); rewrite mxE /=; move: (edge _ _ _) (edge _ _ _) (X u j) => *; lra.
exists C; split=> [j l same|u j|u j]; last 2 first.
- by rewrite !mxE; have := centre_near D_gt0 N_gt0 (inside u j); rewrite mxE.
- by rewrite !mxE L_ok //; have := c_ok (u, j).
apply/eqP; apply: contrapT => /negP jl; apply: apart; exists j, l; split=> // u.
have := inside u l; have -> : C u l = C u j by move/matrixP: same => /(_ u ord0); rewrite !mxE.
have := inside u j; rewrite edgeS ler_norml.
by move: (edge _ _ _) (width _ _) (X u j) (X u l) => *; lra.
Qed.

(** ** For any family of maps that tells tokens apart

    [maps] are what may stand in the middle: mixing layers, one after the other. *)
Section Maps.

Variables (G : 'S_n -> Prop) (maps : layer R d n -> Prop).
Hypothesis maps_continuous : forall mu, maps mu -> continuous mu.
Hypothesis maps_equivariant : forall mu s, maps mu -> G s -> equivariant s mu.
Hypothesis maps_distinguish : forall (I : finType) (X : I -> 'M[R]_(d, n)),
  (forall i, general_position (X i)) -> exists2 mu, maps mu & tells_apart G mu X.

(** ** What stands behind the ramps: mixing, then a look-up for the codes of cells *)
Section Behind.

Variables (f : layer R d n) (D B eps : R) (N : nat).
Hypotheses (f_eq : forall s, G s -> equivariant s f) (B_ge0 : 0 <= B).
Notation coded := {c : 'M['I_N]_(d, n) | injectiveb (fun j => col j c)}.
Notation after mu ws := (fun Y => network [seq feed_forward (@relu R) w (n := n) | w <- ws] (mu Y)).

(** What is to be answered for the codes Y of cells: f at their centres, cut off at B. *)
Definition at_centre Y := map_mx (clamp B) (f (centres D N Y)).

Lemma codes_answered : 0 < eps -> exists mu ws,
  [/\ maps mu, all (fun w : ff_weights R d => hidden w <= d)%N ws,
      forall (c : coded) u j,
        `|after mu ws (code (val c)) u j - at_centre (code (val c)) u j| <= eps &
      forall Y u j, `|after mu ws Y u j| <= B].
Proof.
move=> eps_gt0; have inj (c : coded) : injective (fun j => col j (val c)).
  exact/injectiveP/(valP c).
have [mu mu_in apart] := maps_distinguish (I := [finType of coded])
  (X := fun c : coded => code (val c)) (fun c => code_general (inj c)).
have F_eq s : G s -> equivariant s at_centre.
  move=> Gs Y; have centres_perm : centres D N (col_perm s Y) = col_perm s (centres D N Y).
    by apply/matrixP => u j; rewrite !mxE.
  by rewrite /at_centre centres_perm f_eq //; apply/matrixP => u j; rewrite !mxE.
have mu_eq s : G s -> equivariant s mu by apply: maps_equivariant.
have F_le (c : coded) u j : `|at_centre (code (val c)) u j| <= B by rewrite mxE clamp_le.
have [ws ws_d [answers bounded]] := interpolation mu_eq F_eq apart B_ge0 F_le eps_gt0.
by exists mu, ws; split.
Qed.

(** Mixing and look-up are continuous, so near a code they answer nearly the same. *)
Lemma near_codes mu ws : maps mu -> 0 < eps -> exists2 eta, 0 < eta & forall c : coded, forall Y,
  (forall u j, `|Y u j - code (val c) u j| <= eta) ->
  forall u j, `|after mu ws Y u j - after mu ws (code (val c)) u j| <= eps.
Proof.
move=> mu_in eps_gt0; have after_cont : continuous (after mu ws).
  move=> Y; apply: (@continuous_comp _ _ _ mu _ Y); first exact: maps_continuous.
  exact: continuous_feed_forwards.
pose P (c : coded) eta := forall Y, (forall u j, `|Y u j - code (val c) u j| <= eta) ->
  forall u j, `|after mu ws Y u j - after mu ws (code (val c)) u j| <= eps.
apply: (@all_near0 R [finType of coded] P) => c.
have point : compact [set code (val c)] by apply: compact_set1.
have [e e_gt0 e_ok] := uniform_near_compact point after_cont eps_gt0.
exists e => // t /andP[_ /ltW t_e] Y near; apply: (e_ok _ Y (erefl _)) => u j.
exact: le_trans (near u j) t_e.
Qed.

End Behind.

(** Enough cells are as narrow as one likes. *)
Lemma narrow_cells (D delta : R) N : 0 < D -> 0 < delta ->
  (Num.bound (2%:R * D / delta) < N)%N -> width D N <= delta.
Proof.
move=> D_gt0 delta_gt0 N_large; have N_gt0 : (0 < N)%N by apply: leq_trans N_large.
rewrite ler_pdivr_mulr ?ltr0n // [delta * _]mulrC -ler_pdivr_mulr //.
apply: ltW; apply: lt_le_trans (archi_boundP _) _; first last.
  by rewrite ler_nat ltnW.
by apply/ltW/divr_gt0 => //; rewrite mulr_gt0 ?ltr0n.
Qed.

(** Theorem 1 for such maps: between ramps and a look-up one of them is within eps of f, off strips and sequences with
    near tokens, and the output stays within B everywhere. *)
Theorem approximation f (K : set 'M[R]_(d, n)) D B eps :
  continuous f -> (forall s, G s -> equivariant s f) -> compact K ->
  (forall X, K X -> forall u j, `|X u j| <= D) -> (forall X, K X -> forall u j, `|f X u j| <= B) ->
  0 < D -> 0 <= B -> 0 < eps ->
  exists2 N0, (0 < N0)%N & forall N, (N0 <= N)%N -> exists mu ws, forall tau, 0 < tau ->
  exists ramps,
  [/\ maps mu, all (fun w : ff_weights R d => hidden w <= d)%N (ramps ++ ws) &
  let net := network ([seq feed_forward (@relu R) w (n := n) | w <- ramps]
    ++ mu :: [seq feed_forward (@relu R) w (n := n) | w <- ws]) in
  (forall X, K X -> ~ in_strip D N tau X -> ~ near_tokens (width D N) X ->
    forall u j, `|net X u j - f X u j| <= eps) /\
  (forall X u j, `|net X u j| <= B)].
Proof.
move=> f_cont f_eq K_compact K_D f_B D_gt0 B_ge0 eps_gt0.
(* 1. Cells so small that f at their centres is f, but for a third of eps. *)
have eps3 : 0 < eps / 3%:R by rewrite divr_gt0 ?ltr0n.
have [delta delta_gt0 f_near] := uniform_near_compact K_compact f_cont eps3.
exists (Num.bound (2%:R * D / delta)).+1 => // N N_large.
have N_gt0 : (0 < N)%N by apply: leq_trans N_large.
(* 2. Mixing and look-up answer codes of cells, for a third; near a code nearly the same, for the last. *)
have [mu [ws [mu_in ws_d answers bounded]]] := @codes_answered f D B (eps / 3%:R) N f_eq B_ge0 eps3.
exists mu, ws => tau tau_gt0; have [eta eta_gt0 after_near] := @near_codes (eps / 3%:R) N mu ws mu_in eps3.
(* 3. Ramps take each entry near the number of its cell, and so the sequence near its code. *)
have [L L_ok] := ramps D_gt0 N_gt0 tau_gt0 eta_gt0; exists [seq bend_layer d l | l <- L].
split=> // [|net]; first by rewrite all_cat ws_d andbT all_map; apply/allP => l _ /=.
split=> [X K_X no_strip tokens_apart u j|X u j]; rewrite /net network_cat; last exact: bounded.
have [c [c_inj c_near c_code]] := cells D_gt0 N_gt0 tau_gt0 (K_D X K_X) L_ok no_strip tokens_apart.
rewrite /=; set Y := network [seq feed_forward _ w | w <- [seq _ | _ <- _]] X.
have Y_near u' j' : `|Y u' j' - code c u' j'| <= eta by rewrite /Y bend_layersE c_code.
(* 4. So the answer is that at the centre, and near that at X. *)
have c_inj' : injectiveb (fun j => col j c) by apply/injectiveP.
have := answers (exist _ c c_inj') u j; rewrite [X in _ - X]mxE.
have small := narrow_cells D_gt0 delta_gt0 N_large.
have := le_trans (clamp_near (f (centres D N (code c)) u j) (f_B X K_X u j))
  (f_near X (centres D N (code c)) K_X (fun u j => le_trans (c_near u j) small) u j).
move=> near_centre near_code.
exact: three_thirds (after_near (exist _ c c_inj') Y Y_near u j) near_code near_centre.
Qed.

End Maps.

(** ** The theorem *)

Theorem theorem_1 (G : 'S_n -> Prop) (A : layer R d n -> Prop) f (K : set 'M[R]_(d, n)) D B eps :
  (forall a, A a -> continuous a) -> (forall a s, A a -> G s -> equivariant s a) ->
  distinguishes A G ->
  continuous f -> (forall s, G s -> equivariant s f) -> compact K ->
  (forall X, K X -> forall u j, `|X u j| <= D) -> (forall X, K X -> forall u j, `|f X u j| <= B) ->
  0 < D -> 0 <= B -> 0 < eps ->
  exists2 N0, (0 < N0)%N & forall N, (N0 <= N)%N -> exists mixers ws, forall tau, 0 < tau ->
  exists ramps,
  [/\ every A mixers, all (fun w : ff_weights R d => hidden w <= d)%N (ramps ++ ws) &
  let net := network ([seq feed_forward (@relu R) w (n := n) | w <- ramps]
    ++ [seq (fun X => X + a X) | a <- mixers]
    ++ [seq feed_forward (@relu R) w (n := n) | w <- ws]) in
  (forall X, K X -> ~ in_strip D N tau X -> ~ near_tokens (width D N) X ->
    forall u j, `|net X u j - f X u j| <= eps) /\
  (forall X u j, `|net X u j| <= B)].
Proof.
move=> A_cont A_eq A_apart f_cont f_eq K_compact K_D f_B D_gt0 B_ge0 eps_gt0.
(* 1. What may stand in the middle: mixing layers one after the other. They are continuous ([maps_cont]), equivariant
   ([maps_eq]), and tell tokens apart ([maps_apart]), as each one is, or does. *)
pose maps mu := exists2 mixers, every A mixers & mu = mix mixers.
have maps_cont mu : maps mu -> continuous mu.
  by case=> mixers mixers_A ->; apply: continuous_mix; apply: every_impl mixers_A.
have maps_eq mu s : maps mu -> G s -> equivariant s mu.
  case=> mixers mixers_A -> Gs; apply: equivariant_mix; apply: every_impl mixers_A.
  by move=> a /A_eq; apply.
have maps_apart (I : finType) (X : I -> 'M[R]_(d, n)) : (forall i, general_position (X i)) ->
    exists2 mu, maps mu & tells_apart G mu X.
  by case/A_apart=> mixers mixers_A apart; exists (mix mixers); first by exists mixers.
(* 2. So the construction above holds for them. [net_ok]: for cells small enough there are such layers and a look-up,
   and ramps for every width of strips. *)
have [N0 N0_gt0 N0_ok] := approximation maps_cont maps_eq maps_apart f_cont f_eq K_compact K_D f_B
  D_gt0 B_ge0 eps_gt0.
exists N0 => // N /N0_ok[mu [ws net_ok]].
have [_ [[mixers mixers_A mu_mix] _ _]] := net_ok 1 ltr01.
exists mixers, ws => tau /net_ok[ramps [_ hidden_ok [near bounded]]].
exists ramps; split=> //; rewrite [network _](_ : _ = network (
  [seq feed_forward (@relu R) w (n := n) | w <- ramps]
  ++ mu :: [seq feed_forward (@relu R) w (n := n) | w <- ws])) //.
by apply/funext => X; rewrite !network_cat /= mu_mix.
Qed.

End TheoremOne.
