(** * Cheng et al. (2025), Proposition 1, for one layer of softmax and ReLU: interpolation

    For any d >= 2 and n, any map f that commutes with permutations of tokens, any finite set of
    sequences of distinct tokens, none 0, any eps > 0 and any weights: one layer of softmax
    attention, with weights within eps of the given ones, and then feed-forward layers with one
    hidden ReLU each come within eps of f(X_i) at every X_i, in each entry. f need not be
    continuous. Printed: for any mixers that tell tokens apart; sequences with a token twice get
    an answer of bounded size, which is not proved here. *)
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum matrix.
From mathcomp.analysis Require Import reals exp.
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers views proposition_3 corollary_1_softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.Theory.
Local Open Scope ring_scope.

Section Interpolation.

Variables (R : realType) (d' n : nat).
Let d := d'.+2.
Implicit Types (X Y : 'M[R]_(d, n)).

(** One layer of softmax attention. *)
Definition softmax_layer (w : weights d -> R) X := X + softmax_mixer X w.

Lemma softmax_layer_moved w X Y (s : 'S_n) j : (forall j, col (s j) Y = col j X) ->
  col (s j) (softmax_layer w Y) = col j (softmax_layer w X).
Proof.
move=> moved; rewrite /softmax_layer /softmax_mixer -!exp_kernel_head !linearD /= moved.
congr (_ + _); apply/matrixP => u o; rewrite [LHS]mxE [RHS]mxE [LHS]mxE [RHS]mxE.
by rewrite (@heard_moved _ (@exp_kernel R) _ _ s (@full n) _ _ _ _ _ X Y j) // => l; rewrite !inE.
Qed.

(** Feed-forward layers on a sequence are feed-forward layers on each token. *)
Lemma col_feed_forwards (ws : seq (ff_weights R d)) X j :
  col j (network [seq feed_forward (@relu R) w (n := n) | w <- ws] X) = run ws (col j X).
Proof.
elim: ws X => //= w ws IH X; rewrite IH feed_forward_tokenwise col_tokenwise.
by rewrite /run.
Qed.

(** The same tokens in another order. *)
Lemma reordered X Y : injective (fun j => col j X) -> tokens X =i tokens Y ->
  exists s : 'S_n, forall j, col (s j) Y = col j X.
Proof.
move=> X_inj same.
have found j : exists l, col l Y == col j X.
  have : col j X \in tokens Y by rewrite -same; apply/map_f; rewrite mem_enum.
  by case/mapP=> l _ ->; exists l.
pose g j := xchoose (found j).
have gE j : col (g j) Y = col j X by apply/eqP; apply: (xchooseP (found j)).
have g_inj : injective g by move=> j l gjl; apply: X_inj; rewrite -!gE gjl.
by exists (perm g_inj) => j; rewrite permE.
Qed.

Theorem proposition_1_softmax (I : finType) (X : I -> 'M[R]_(d, n))
    (f : 'M[R]_(d, n) -> 'M[R]_(d, n)) :
  (forall (s : 'S_n) Y Z, (forall j, col (s j) Z = col j Y) ->
    forall j, col (s j) (f Z) = col j (f Y)) ->
  (forall i, injective (fun j => col j (X i))) -> (forall i j, col j (X i) != 0) ->
  forall theta0 eps, 0 < eps -> exists theta : weights d -> R, exists ws,
    [/\ forall p, `|theta p - theta0 p| <= eps, all (fun w => hidden w == 1%N) ws &
    forall i u j, `|network (softmax_layer theta ::
      [seq feed_forward (@relu R) w (n := n) | w <- ws]) (X i) u j - f (X i) u j| <= eps].
Proof.
move=> f_eq X_inj X_ne0 theta0 eps eps_gt0.
(* 1. Near the weights are some that give all tokens of different orbits different values. *)
pose different (i j : I) := ~~ perm_eq (tokens (X i)) (tokens (X j)).
have [|theta [near [apart within]]] :=
    corollary_1_softmax (different := different) X_inj X_ne0 _ theta0 eps_gt0.
  move=> i j /negP perm_ne same; apply: perm_ne; apply: uniq_perm => //;
    by rewrite map_inj_uniq ?enum_uniq.
(* 2. Tokens after mixing have one answer each: if two are equal, then one sequence is the other
   in another order, and so are the answers. *)
pose mixed (q : I * 'I_n) := col q.2 (softmax_layer theta (X q.1)).
pose answer (q : I * 'I_n) := col q.2 (f (X q.1)).
have one_answer q q' : mixed q = mixed q' -> answer q = answer q'.
  move: q q' => [i k] [j l] same; have [diff|] := boolP (different i j).
    by have := apart i j k l diff; rewrite -/(mixed (i, k)) same eqxx.
  rewrite negbK => /perm_mem/(reordered (X_inj i))[s moved].
  have sk : s k = l.
    apply/eqP; apply: contraT => ne; have := within j _ _ ne.
    by rewrite -/(softmax_layer _ _) (softmax_layer_moved _ _ moved) -/(mixed (i, k)) same eqxx.
  by rewrite /answer /= -sk (f_eq _ _ _ moved).
(* 3. Proposition 3 looks them up. *)
pose all_mixed := [seq mixed q | q <- enum [finType of I * 'I_n]].
pose y (v : seq_sub all_mixed) : 'cV[R]_d :=
  if [pick q | mixed q == ssval v] is Some q then answer q else 0.
have [ws ws_1 ws_ok] := proposition_3 (x := fun v : seq_sub all_mixed => ssval v) y
  val_inj eps_gt0.
exists theta, ws; split=> // i u j.
have in_all : mixed (i, j) \in all_mixed by apply/map_f; rewrite mem_enum.
have [] := ws_ok (SeqSub in_all) u; rewrite /y /=.
case: pickP => [q /eqP/one_answer->|/(_ (i, j))]; last by rewrite eqxx.
move=> le_eps _; apply: le_trans le_eps; rewrite le_eqVlt; apply/orP; left; apply/eqP.
congr `|_ - _|; last by rewrite /answer mxE.
by rewrite -[mixed _]/(col j (softmax_layer theta (X i))) -col_feed_forwards mxE.
Qed.

End Interpolation.
