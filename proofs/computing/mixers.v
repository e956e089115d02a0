(** * Computing: who hears whom

    Patterns, whom a token has heard of, and heads with a kernel (Cheng et al. 2025), on lists. *)
From Coq Require Import ZArith QArith.
From UAT Require Import transformers lra_checker.
From UAT.computing Require Import tables.
From UAT.yun2020 Require Import layers.
From UAT.cheng2025 Require Import mixers connected corollary_4_depth.

(** ** Patterns *)

Definition pattern_list := seq (seq nat).
Definition pattern_of n (L : pattern_list) : pattern n :=
  fun i => [set j : 'I_n | val j \in nth [::] L i].
Arguments pattern_of n L i : clear implicits.

Fixpoint reached_list (Ls : seq pattern_list) m (i : nat) : seq nat :=
  if m is m'.+1 then
    reached_list Ls m' i ++ flatten [seq reached_list Ls m' l | l <- nth [::] (nth [::] Ls m') i]
  else [:: i].

Lemma reachedE n Ls m (i j : 'I_n) :
  all (all (all (fun l => l < n)%N)) Ls ->
  (j \in reached (fun r => pattern_of n (nth [::] Ls r.-1)) m i) = (val j \in reached_list Ls m i).
Proof.
move=> /allP small; elim: m i => [|m IH] i /=; first by rewrite !inE.
rewrite inE mem_cat IH; congr (_ || _); apply/bigcupP/flatten_mapP => [[l]|[l l_i j_l]].
  by rewrite inE => l_i; rewrite IH => j_l; exists (val l).
have l_n : (l < n)%N.
  have in_list (T : eqType) (x : T) (s : seq (seq T)) k : x \in nth [::] s k -> nth [::] s k \in s.
    by have [k_s|s_k] := ltnP k (size s); [rewrite mem_nth | rewrite nth_default // in_nil].
  have Li := in_list _ _ _ _ l_i.
  have Lm : nth [::] Ls m \in Ls.
    move: l_i; have [m_s|s_m] := ltnP m (size Ls); first by rewrite mem_nth.
    by rewrite (nth_default _ s_m) nth_nil in_nil.
  by have /allP/(_ _ Li)/allP/(_ _ l_i) := small _ Lm.
by exists (Ordinal l_n); rewrite ?inE // IH.
Qed.

(** Definition 4, for patterns in lists: what is asked of all pairs can be computed. *)
Definition connected_list n Ls m :=
  all (fun i => all (fun j => j \in reached_list Ls m i) (iota 0 n)) (iota 0 n).
Lemma connectedE n Ls m : all (all (all (fun l => l < n)%N)) Ls ->
  connected_within (fun r => pattern_of n (nth [::] Ls r.-1)) m <-> connected_list n Ls m.
Proof.
move=> small; rewrite connectedP; split=> [all_in|all_in i j].
  apply/allP => i; rewrite mem_iota => /= i_n; apply/allP => j; rewrite mem_iota => /= j_n.
  by have := all_in (Ordinal i_n) (Ordinal j_n); rewrite reachedE.
rewrite reachedE //; have /allP/(_ (val i)) := all_in; rewrite mem_iota => /(_ (ltn_ord i)).
by move=> /allP/(_ (val j)); rewrite mem_iota => /(_ (ltn_ord j)).
Qed.

(** The rings of Corollary 4. *)
Definition ring_list n (steps : seq nat) : pattern_list :=
  mkseq (fun i => [seq ((i + u) %% n)%N | u <- steps]) n.
Lemma directedE n' w i :
  directed w i = pattern_of n'.+2 (ring_list n'.+2 (iota 0 w.+1)) i.
Proof.
apply/setP => j; rewrite /pattern_of inE nth_mkseq //; apply/directedP/mapP => [[u u_w ->]|[u]].
  by exists u; rewrite ?mem_iota // -[val _]/((_ + val _) %% _)%N val_natr modnDmr.
rewrite mem_iota => /= u_w ju; exists u => //; apply: val_inj.
by apply: (etrans ju); rewrite -[RHS]/((_ + val _) %% _)%N val_natr modnDmr.
Qed.

Lemma circulantE n' w i : let both u := [:: u; n'.+2 - u %% n'.+2]%N in
  circulant w i = pattern_of n'.+2 (ring_list n'.+2 (flatten [seq both u | u <- iota 0 w.+1])) i.
Proof.
move=> both; apply/setP => j; rewrite /pattern_of inE nth_mkseq //.
have ahead u : val (i + u%:R) = ((i + u) %% n'.+2)%N.
  by rewrite -[LHS]/((_ + val _) %% _)%N val_natr modnDmr.
have back u : val (i - u%:R) = ((i + (n'.+2 - u %% n'.+2)) %% n'.+2)%N.
  by rewrite -[LHS]/((_ + (_ - val _) %% _) %% _)%N val_natr modnDmr.
apply/circulantP/mapP => [[u u_w [->|->]]|[v /flatten_mapP[u]]].
- exists u; last exact: ahead.
  by apply/flatten_mapP; exists u; rewrite ?mem_iota // inE eqxx.
- exists (n'.+2 - u %% n'.+2)%N; last exact: back.
  by apply/flatten_mapP; exists u; rewrite ?mem_iota // !inE eqxx orbT.
rewrite mem_iota => /= u_w; rewrite !inE => /orP[]/eqP-> ju; exists u => //; [left | right].
  by apply: val_inj; apply: (etrans ju); rewrite -ahead.
by apply: val_inj; apply: (etrans ju); rewrite -back.
Qed.

(** ** Heads with a kernel *)

Definition kernel_table := nat -> (nat -> Q) -> (nat -> Q) -> Q.
Definition kernel_head_table (K : kernel_table) d n (L : pattern_list) (h : head_code) (X : table) :=
  let query := times (m_of h) d n (q_table h) X in
  let key := times (m_of h) d n (k_table h) X in
  let value := times (v_of h) d n (v_table h) X in
  let weight := tabulate n n (fun i j => if j \in nth [::] L i then
    K (m_of h) (fun a => entry query a i) (fun a => entry key a j) else 0%Q) in
  times d (v_of h) n (o_table h) (tabulate (v_of h) n (fun u i =>
    Qmult (Qinv (sum_below n (entry weight i)))
      (sum_below n (fun j => Qmult (entry weight i j) (entry value u j))))).

Section KernelHead.

Variables (R : realFieldType) (k : kernel R) (K : kernel_table).
Hypothesis same_kernel : forall p (x y : 'cV[R]_p) (s t : nat -> Q),
  (forall a : 'I_p, x a ord0 = Q2R R (s a)) -> (forall a : 'I_p, y a ord0 = Q2R R (t a)) ->
  k x y = Q2R R (K p s t).

Lemma kernel_headE d n L h X : let w := weights (of_head R d h) in
  W_O w *m kernel_head k (pattern_of n L) (W_V w) (W_K w) (W_Q w) (mx R d n X)
    = mx R d n (kernel_head_table K d n L h X).
Proof.
move=> w; rewrite -mxM; congr (_ *m _).
rewrite mx_tabulate; apply/matrixP => u i; rewrite !mxE /heard.
set weight := tabulate n n _.
have weightE (j : 'I_n) : Q2R R (entry weight i j) = if j \in pattern_of n L i then
    k (W_Q w *m col i (mx R d n X)) (W_K w *m col j (mx R d n X)) else 0.
  rewrite /weight /entry !nth_mkseq // Q2R_red inE; case: ifP => _; last by rewrite Q2R0.
  by symmetry; apply: same_kernel => a; rewrite -colM mxM !mxE.
rewrite summxE Q2RM Q2RV !sum_belowE; congr (_^-1 * _).
  by rewrite big_mkcond; apply: eq_bigr => j _; rewrite weightE.
rewrite big_mkcond; apply: eq_bigr => j _; rewrite Q2RM weightE.
case: ifP => _; last by rewrite mul0r.
by rewrite mxE; congr (_ * _); rewrite -colM mxM !mxE.
Qed.

End KernelHead.

(** 1 + (x . y)^2, a kernel that can be computed. *)
Definition squares (R : realFieldType) : kernel R := fun p x y => 1 + (y^T *m x) ord0 ord0 ^+ 2.
Definition squares_table : kernel_table := fun p x y =>
  let s := sum_below p (fun a => Qmult (y a) (x a)) in Qplus 1%Q (Qmult s s).
Lemma squaresE (R : realFieldType) p (x y : 'cV[R]_p) (s t : nat -> Q) :
  (forall a : 'I_p, x a ord0 = Q2R R (s a)) -> (forall a : 'I_p, y a ord0 = Q2R R (t a)) ->
  squares x y = Q2R R (squares_table p s t).
Proof.
move=> xE yE; rewrite /squares /squares_table Q2RD Q2RM -expr2 Q2R1 sum_belowE mxE.
by congr (_ + _ ^+ 2); apply: eq_bigr => a _; rewrite mxE Q2RM xE yE.
Qed.
