(** * Proposition 1 of Kajitsuka and Sato (2024), third block: a bump for every id, (67) and (68)

    For finitely many numbers c above a bound, any labels, and any direction v there is a layer of
    ReLUs that gives a token x with v^T x = c the label of c, and one with v^T x up to the bound
    the label 0. Bumps are disjoint: any other token gets 0, or a share of one label.

    Differs from the printed text: the middle coefficient of a bump is -2; bumps stand at ids. *)
From UAT Require Import attention.
From UAT.kajitsuka2024 Require Import definitions inner_product hats relu_units.

(** A hat lies between 0 and 1. *)
Lemma hat_01 (R : rcfType) (u : R) : 0 <= hat u <= 1.
Proof.
rewrite /hat; case: (lerP (u + 1) 0) => [u1|u1].
  by rewrite !relu_neg; lra.
rewrite (relu_pos (ltW u1)); case: (lerP u 0) => [u0|u0].
  by rewrite !relu_neg; lra.
rewrite (relu_pos (ltW u0)); case: (lerP (u - 1) 0) => [u2|u2].
  by rewrite relu_neg; lra.
by rewrite (relu_pos (ltW u2)); lra.
Qed.

Section Bumps.

Variables (R : rcfType) (d : nat) (v : 'cV[R]_d) (g : R).
Variables (cs : seq R) (label : R -> 'cV[R]_d).
Implicit Types (x : 'cV[R]_d) (y c : R).

Definition bump_units c : seq (relu_unit R d) :=
  [:: (g^-1 *: v, - c / g + 1, label c); (g^-1 *: v, - c / g, - 2%:R *: label c);
      (g^-1 *: v, - c / g - 1, label c)].

Definition bumps y : 'cV[R]_d := \sum_(c <- cs) hat ((y - c) / g) *: label c.

(** All units together add the bumps. *)
Lemma bumpsE x : \sum_(u <- flatten [seq bump_units c | c <- cs]) adds u x = bumps (dot v x).
Proof.
rewrite big_flatten big_map; apply: eq_bigr => c _; rewrite /bump_units.
rewrite !big_cons big_nil /= addr0 /adds /=.
have -> : dot (g^-1 *: v) x = dot v x / g by rewrite dotC dotZ dotC mulrC.
rewrite !addrA -!mulrDl scalerA -!scalerDl; congr (_ *: _).
by rewrite /hat mulrN [_ * 2%:R]mulrC.
Qed.

Hypothesis uniq_cs : uniq cs.
Hypothesis g_gt0 : 0 < g.
Hypothesis apart : forall c c', c \in cs -> c' \in cs -> c != c' -> 2%:R * g <= `|c - c'|.

(** A bump ends at the distance g. *)
Lemma bump_far y c : g <= `|y - c| -> hat ((y - c) / g) = 0.
Proof.
by move=> far; rewrite hat_far // normrM normfV (gtr0_norm g_gt0) ler_pdivl_mulr // mul1r.
Qed.

(** At most one bump answers. *)
Lemma one_bump y c : c \in cs -> `|y - c| < g -> bumps y = hat ((y - c) / g) *: label c.
Proof.
move=> c_cs near; rewrite /bumps (bigD1_seq c) //= big1_seq ?addr0 // => c' /andP[c'_c c'_cs].
rewrite bump_far ?scale0r //; have := apart c'_cs c_cs c'_c.
have := ler_norm_add (c' - y) (y - c); rewrite subrKA [`|c' - y|]distrC.
by move: near; move: `|c' - c| `|y - c| `|y - c'| => A B C; lra.
Qed.

(** Far from all centres none answers. *)
Lemma no_bump y : (forall c, c \in cs -> g <= `|y - c|) -> bumps y = 0.
Proof. by move=> far; apply: big1_seq => c /= c_cs; rewrite bump_far ?scale0r ?far. Qed.

(** So anywhere the answer is 0, or a share of one label. *)
Lemma share_of_one y : bumps y = 0 \/
  exists2 c, c \in cs & exists2 t, 0 <= t <= 1 & bumps y = t *: label c.
Proof.
have [/hasP[c c_cs near]|/hasPn none] := boolP (has (fun c => `|y - c| < g) cs).
  by right; exists c => //; exists (hat ((y - c) / g)); rewrite ?hat_01 // (one_bump c_cs).
by left; apply: no_bump => c /none; rewrite -leNgt.
Qed.

End Bumps.

(** A width at which bumps are disjoint, and end above the bound. *)
Lemma bump_width (R : rcfType) (us : seq R) (low : R) : (forall c, c \in us -> low < c) ->
  exists g, [/\ 0 < g, forall c c', c \in us -> c' \in us -> c != c' -> 2%:R * g <= `|c - c'| &
    forall c, c \in us -> g <= c - low].
Proof.
move=> low_us.
have [|g1 g1_gt0 g1_le] := @least_size R [seq t <- [seq c - c' | c <- us, c' <- us] | t != 0].
  by move=> t; rewrite mem_filter => /andP[].
have [|g2 g2_gt0 g2_le] := @least_size R [seq c - low | c <- us].
  by move=> _ /mapP[c c_us ->]; rewrite subr_eq0 gt_eqF ?low_us.
exists (Num.min (g1 / 2%:R) g2); split=> [|c c' c_us c'_us ne|c c_us].
- by rewrite lt_minr g2_gt0 divr_gt0 ?ltr0n.
- apply: (@le_trans _ _ g1); first by rewrite mulrC -ler_pdivl_mulr ?ltr0n // le_minl lexx.
  by apply: g1_le; rewrite mem_filter subr_eq0 ne; apply/allpairsP; exists (c, c').
rewrite -[leRHS]gtr0_norm ?subr_gt0 ?low_us // le_minl; apply/orP; right.
by apply: g2_le; apply: map_f.
Qed.

(** The layer: a bump for each of the different numbers, and the skip connection is taken away. *)
Theorem bump_layer (R : rcfType) (d : nat) (v : 'cV[R]_d) (cs : seq R) (label : R -> 'cV[R]_d)
    (low : R) : (forall c, c \in cs -> low < c) ->
  exists2 w : ff_weights R d, hidden w = (3 * size (undup cs) + 2 * d)%N &
    forall n (X : 'M[R]_(d, n)) k,
    let y := dot v (col k X) in let answer := col k (feed_forward (@relu R) w X) in
    [/\ y \in cs -> answer = label y, y <= low -> answer = 0 &
        answer = 0 \/ exists2 c, c \in cs & exists2 t, 0 <= t <= 1 & answer = t *: label c].
Proof.
move=> low_cs; pose us := undup cs; have in_us c : (c \in us) = (c \in cs) by rewrite mem_undup.
(* 1. A width [g] at which bumps are disjoint, and end above the bound. *)
have [|g [g_gt0 apart g_low]] := @bump_width R us low; first by move=> c; rewrite in_us; apply: low_cs.
exists (units_only (flatten [seq bump_units v g label c | c <- us])) => [|n X k y answer].
  by rewrite hidden_units_only (@size_flatten_map _ _ _ 3%N).
rewrite /answer units_onlyE bumpsE -/y; split.
(* 2. At the top of a bump only this one answers, with its label. *)
- rewrite -in_us => y_us; rewrite (one_bump label (undup_uniq _) g_gt0 apart y_us) ?subrr ?normr0 //.
  by rewrite mul0r hat_top scale1r.
(* 3. Up to the bound none does. *)
- move=> y_low; apply: no_bump => // c c_us; apply: le_trans (g_low c c_us) _.
  by rewrite distrC (le_trans _ (ler_norm _)) // ler_add2l ler_opp2.
(* 4. Anywhere at most one does. *)
have [->|[c c_us share]] := share_of_one label (undup_uniq _) g_gt0 apart y; first by left.
by right; exists c; rewrite -?in_us.
Qed.
