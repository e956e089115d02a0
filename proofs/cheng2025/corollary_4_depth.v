(** * Cheng et al. (2025), Corollary 4: how many layers connect a ring

    The patterns (22), each token hears [w] on either side around a ring, and (89), each hears
    the next [w]; for any number of tokens n >= 2 and any w, 0 included. They connect within m
    layers (Definition 4, literally) if and only if m w >= floor(n/2), and m w >= n - 1: so for
    w >= 1 the depth is ceil(floor(n/2) / w), and ceil((n - 1) / w). The paper prints no depth. *)
From UAT Require Import transformers.
From UAT.cheng2025 Require Import mixers connected.

Section Ring.

Variable n' : nat.
Let n := n'.+2.
Implicit Types (i j l a : 'I_n) (u v w m : nat).

(** (22): [w] on either side. Tokens are numbers modulo n. *)
Definition circulant w : pattern n :=
  fun i => [set j | [exists u : 'I_w.+1, (j == i + u%:R) || (j == i - u%:R)]].
(** (89): the next [w], and itself. *)
Definition directed w : pattern n := fun i => [set j | [exists u : 'I_w.+1, j == i + u%:R]].

Lemma circulantP w i j :
  reflect (exists2 u, (u <= w)%N & j = i + u%:R \/ j = i - u%:R) (j \in circulant w i).
Proof.
rewrite inE; apply: (iffP existsP) => [[u /orP u_ok]|[u u_le u_ok]].
  by exists u; [rewrite -ltnS | case: u_ok => /eqP; [left | right]].
by exists (Ordinal (u_le : u < w.+1)%N); case: u_ok => ->; rewrite eqxx ?orbT.
Qed.

(** A token hears those that come at most [w] places after it, itself included. *)
Lemma directedP w i j : reflect (exists2 u, (u <= w)%N & j = i + u%:R) (j \in directed w i).
Proof.
rewrite inE; apply: (iffP existsP) => [[u /eqP->]|[u u_le ->]].
  by exists u => //; rewrite -ltnS.
by exists (Ordinal (u_le : u < w.+1)%N).
Qed.

(** The number of a token, taken modulo n, is the token. *)
Lemma natr_val a : (val a)%:R = a.
Proof. exact: natr_Zp. Qed.

(** A number stands for the token whose number is its remainder by n. *)
Lemma val_natr u : val (u%:R : 'I_n) = (u %% n)%N.
Proof. by rewrite Zp_nat. Qed.

(** Two arcs that follow each other are one arc. *)
Lemma reached_directed w m i j :
  j \in reached (fun=> directed w) m i <-> exists2 u, (u <= m * w)%N & j = i + u%:R.
Proof.
elim: m i j => [|m IH] i j.
  by rewrite inE; split=> [/eqP->|[u]]; [exists 0%N; rewrite // addr0 | rewrite leqn0 => /eqP-> ->;
    rewrite addr0].
split=> [|[u u_le ->]].
  rewrite /= inE => /orP[/IH[u u_le ->]|/bigcupP[l /directedP[u u_le ->] /IH[v v_le ->]]].
    by exists u; rewrite // mulSn (leq_trans u_le) // leq_addl.
  by exists (u + v)%N; rewrite ?mulSn ?leq_add // natrD addrA.
apply: (@reached_hop _ _ _ _ (i + (minn u w)%:R)).
  by apply/directedP; exists (minn u w); rewrite // geq_minr.
apply/IH; exists (u - minn u w)%N; first by move: u_le; rewrite mulSn; lia.
by rewrite -addrA -natrD subnKC // geq_minl.
Qed.

(** The difference of two numbers is a number no larger than their sum, or minus such a one. *)
Lemma natr_diff u v :
  exists2 w, (w <= u + v)%N & u%:R - v%:R = w%:R :> 'I_n \/ u%:R - v%:R = - w%:R :> 'I_n.
Proof.
have [vu|/ltnW uv] := leqP v u; [exists (u - v)%N | exists (v - u)%N]; rewrite ?natrB ?opprB; try lia.
  by left.
by right.
Qed.

(** Two hops around the ring, each either way, are together one that is no longer than both. *)
Lemma two_hops i l j u v : l = i + u%:R \/ l = i - u%:R -> j = l + v%:R \/ j = l - v%:R ->
  exists2 w, (w <= u + v)%N & j = i + w%:R \/ j = i - w%:R.
Proof.
have [w w_le diff] := natr_diff u v; move=> [->|->] [->|->].
- by exists (u + v)%N; last by left; rewrite natrD addrA.
- by exists w => //; case: diff => diff; [left | right]; rewrite -addrA diff.
- by exists w => //; case: diff => diff; [right | left]; rewrite -addrA [- _ + _]addrC -opprB diff ?opprK.
- by exists (u + v)%N; last by right; rewrite natrD opprD addrA.
Qed.

(** A way of at most w + v places begins with a hop of at most w, after which at most v are left. *)
Lemma first_hop i j u v w : (u <= w + v)%N -> j = i + u%:R \/ j = i - u%:R ->
  exists2 l, l \in circulant w i & exists2 u', (u' <= v)%N & j = l + u'%:R \/ j = l - u'%:R.
Proof.
move=> u_le; have u_min : u%:R = (minn u w)%:R + (u - minn u w)%:R :> 'I_n.
  by rewrite -natrD subnKC // geq_minl.
have rest : (u - minn u w <= v)%N by lia.
case=> ->; [exists (i + (minn u w)%:R) | exists (i - (minn u w)%:R)].
- by apply/circulantP; exists (minn u w); [rewrite geq_minr | left].
- by exists (u - minn u w)%N => //; left; rewrite u_min addrA.
- by apply/circulantP; exists (minn u w); [rewrite geq_minr | right].
- by exists (u - minn u w)%N => //; right; rewrite u_min opprD addrA.
Qed.

(** After m layers of the ring a token has heard of those at most m w places away, on either side. *)
Lemma reached_circulant w m i j :
  j \in reached (fun=> circulant w) m i
  <-> exists2 u, (u <= m * w)%N & j = i + u%:R \/ j = i - u%:R.
Proof.
elim: m i j => [|m IH] i j.
  rewrite inE; split=> [/eqP->|[u]]; first by exists 0%N => //; left; rewrite addr0.
  by rewrite leqn0 => /eqP->; rewrite addr0 subr0 => -[] ->.
rewrite mulSn; split=> [|[u u_le /(first_hop u_le)[l l_heard /IH]]]; last exact: reached_hop.
rewrite /= inE => /orP[/IH[u u_le ?]|/bigcupP[l /circulantP[u u_le l_at] /IH[v v_le j_at]]].
  by exists u; rewrite // (leq_trans u_le) // leq_addl.
have [t t_le j_t] := two_hops l_at j_at; exists t => //.
by rewrite (leq_trans t_le) // leq_add.
Qed.

Theorem directed_depth w m : connected_within (fun=> directed w) m <-> (n.-1 <= m * w)%N.
Proof.
(* 1. The token just behind is n - 1 hops away, and m layers go m w of them at most. *)
rewrite connectedP; split=> [connected|far i j].
  have /reached_directed[u u_le /(congr1 val)] := connected 0 (n.-1)%:R.
  by rewrite add0r !val_natr modn_small // => u_eq; apply: leq_trans u_le; rewrite u_eq leq_mod.
(* 2. The other way: any token is at most n - 1 hops away. *)
apply/reached_directed; exists (val (j - i)); last by rewrite natr_val addrC subrK.
by apply: leq_trans far; rewrite -ltnS; apply: ltn_ord.
Qed.

Theorem circulant_depth w m : connected_within (fun=> circulant w) m <-> (n./2 <= m * w)%N.
Proof.
(* 1. Connected layers reach the token on the other side of the ring, n/2 away; m layers of width w
   go no farther than m w. *)
rewrite connectedP; split=> [connected|far i j].
  have half_lt : (n./2 < n)%N by rewrite /n; lia.
  have /reached_circulant[u u_le] := connected 0 (n./2)%:R.
  rewrite add0r sub0r => -[/(congr1 val)|/eqP].
    by rewrite !val_natr modn_small // => u_eq; apply: leq_trans u_le; rewrite u_eq leq_mod.
  rewrite -subr_eq0 opprK -natrD -val_eqE val_natr => n_divides.
  have n_le : (n <= n./2 + u)%N by apply: dvdn_leq => //; rewrite /n; lia.
  apply: (leq_trans _ u_le); have := odd_double_half n; rewrite -addnn; lia.
(* 2. The other way: let v be how far j stands behind i, going round. *)
apply/reached_circulant; have := ltn_ord (j - i); have := natr_val (j - i).
set v := val (j - i) => v_eq v_lt.
(* 3. Up to n/2 go forwards, v steps; otherwise backwards, n - v steps. *)
have [le_half|gt_half] := leqP v n./2.
  by exists v; [apply: leq_trans far | left; rewrite v_eq addrC subrK].
exists (n - v)%N; first by apply: leq_trans far; have := odd_double_half n; rewrite -addnn; lia.
right; rewrite natrB; last exact: ltnW.
have -> : n%:R = 0 :> 'I_n by apply: val_inj; rewrite val_natr modnn.
by rewrite v_eq sub0r opprK addrC subrK.
Qed.

End Ring.
