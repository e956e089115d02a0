(** * The least spacing (the book's own): the first difference decides

    Two lists of one to N + 1 numbers, each in decreasing order with neighbours at least s apart,
    begin with the same entries c; then a has x, and b has something at least s lower, or ends. With
    q = exp(-s), Q = q + ... + q^N and P = q + 2 q^2 + ... + N q^N let B = 1 - Q - (1 + q) P. If
    B >= 0, then the values of the Boltzmann operator differ by at least kappa exp(-(a_1 - x)) for
    kappa = s B / ((1 + q) (1 + q Q)): that of a is the larger one if x is the largest entry, else
    the smaller one. For all N, s > 0 and lists of any lengths up to N + 1.

    The book asks for s >= s_n, n = N + 1, where exp(-s_n) is the zero of B: that is B >= 0, as B
    falls with q. The last theorem has two lists that reach the bound. *)
From UAT Require Import transformers analysis.
From UAT.kajitsuka2024 Require Import boltzmann first_difference sorted_lists spacing_balance spacing_steps.

Section LeastSpacing.

Variables (R : realType) (s : R) (N : nat).
Hypothesis s_gt0 : 0 < s.
Hypothesis good : 0 <= balance s N.
Notation kappa := (kappa s N).
Notation down := (down s).

(** From the first place on where two lists differ, at x in a, kappa exp(x - a_1) says how far their values
    are apart. [seq.head x c] is the largest entry of a. *)
Theorem least_spacing (c : seq R) x a b :
  sorted down (c ++ x :: a) -> sorted down (c ++ b) -> path down x b -> c ++ b != [::] ->
  (size (c ++ x :: a) <= N.+1)%N -> (size (c ++ b) <= N.+1)%N ->
  kappa * expR (x - seq.head x c) <=
    if c is [::] then boltz_list (x :: a) - boltz_list b
    else boltz_list (c ++ b) - boltz_list (c ++ x :: a).
Proof.
(* 1. Is there something, [c], with which both begin? If not, the largest entries differ, and the value
   of a is the larger one: all of b lies s below, and what comes after x draws down by less. *)
case: c => [|c1 c] /= sorted_a sorted_b x_b ne a_N b_N.
  case: b ne x_b sorted_b {b_N} => //= y b _ /andP[yx _] sorted_b.
  rewrite subrr expR0 mulr1; exact: largest_spacing sorted_a a_N sorted_b yx.
(* 2. If they agree at first, what comes later in b draws its value down less than x does in a. *)
by apply: later_spacing.
Qed.

(** ** Two lists in any order *)

(** An entry of u and one of w are the same number, or at least s apart. *)
Definition spaced (u w : seq R) := {in u & w, forall t t', t != t' -> s <= `|t - t'|}.

(** A list whose entries are at least s apart falls in steps of s at least, once it is sorted. *)
Lemma sort_down u : uniq u -> spaced u u -> sorted down (sort >=%O u).
Proof.
move=> uniq_u; rewrite -(sort_uniq >=%O) in uniq_u.
have mem := mem_sort >=%O u; have sorted_l : sorted >=%O (sort >=%O u).
  by apply: sort_sorted => x y; apply: le_total.
move=> far; have {far} : spaced (sort >=%O u) (sort >=%O u).
  by move=> t t'; rewrite !mem; apply: far.
elim: (sort _ u) uniq_u sorted_l => // t [//|t' l] IH /andP[t_l uniq_l] /= /andP[tt' p] far.
apply/andP; split; last by apply: IH => // x y xl yl; apply: far; rewrite inE ?xl ?yl orbT.
have ne : t != t' by apply: contraNneq t_l => ->; exact: mem_head.
have := far t t' (mem_head _ _) _ ne; rewrite inE mem_head orbT => /(_ isT).
by rewrite ger0_norm ?subr_ge0 // /sorted_lists.down; lra.
Qed.

(** The first place where they differ. *)
Lemma first_place u w : u != w -> sorted down u -> sorted down w -> spaced u w ->
  exists c x a b, path down x b /\
    (u = c ++ x :: a /\ w = c ++ b \/ w = c ++ x :: a /\ u = c ++ b).
Proof.
elim: u w => [|t u IH] [|t' w] //.
- by exists [::], t', w, [::]; split=> //; right.
- by exists [::], t, u, [::]; split=> //; left.
move=> ne su sw far; have [eq_t|ne_t] := eqVneq t t'; last first.
  have := far t t' (mem_head _ _) (mem_head _ _) ne_t; rewrite ler_normr opprB => /orP[le|le].
    exists [::], t, u, (t' :: w); split; last by left.
    by move: sw => /= ->; rewrite andbT /sorted_lists.down; lra.
  exists [::], t', w, (t :: u); split; last by right.
  by move: su => /= ->; rewrite andbT /sorted_lists.down; lra.
have [||c [x [a [b [x_b cases]]]]] := IH w _ (path_sorted su) (path_sorted sw).
- by apply: contraNneq ne => ->; rewrite eq_t.
- by move=> y y' yu yw; apply: far; rewrite inE ?yu ?yw orbT.
exists (t :: c), x, a, b; split=> //.
by case: cases => -[-> ->]; [left | right]; rewrite eq_t.
Qed.

(** Sorting does not change the value. *)
Lemma boltz_list_sort (u : seq R) : boltz_list (sort >=%O u) = boltz_list u.
Proof. by rewrite /boltz_list /total !(perm_big _ (permEl (perm_sort _ u))). Qed.

(** The least spacing, in terms of a bound r for the size of entries. *)
Lemma gap_below (r : R) c x a b : 0 < balance s N ->
  sorted down (c ++ x :: a) -> sorted down (c ++ b) -> path down x b -> c ++ b != [::] ->
  (size (c ++ x :: a) <= N.+1)%N -> (size (c ++ b) <= N.+1)%N ->
  {in c ++ x :: a, forall t, `|t| < r} ->
  kappa * expR (- (2%:R * r)) < `|boltz_list (c ++ x :: a) - boltz_list (c ++ b)|.
Proof.
move=> B0 sa sb xb ne aN bN below; have := least_spacing sa sb xb ne aN bN.
have k0 : 0 < kappa by rewrite divr_gt0 ?(denominator_gt0 s_gt0 good) // mulr_gt0.
have lt : kappa * expR (- (2%:R * r)) < kappa * expR (x - seq.head x c).
  have /below : x \in c ++ x :: a by rewrite mem_cat mem_head orbT.
  have /below : seq.head x c \in c ++ x :: a by case: (c) => [|y c'] /=; rewrite ?inE eqxx.
  by rewrite !ltr_norml ltr_pmul2l // ltr_expR => /andP[? ?] /andP[? ?]; lra.
move=> le; apply: lt_le_trans lt (le_trans le _); case: (c) => [|c1 c']; first exact: ler_norm.
by rewrite distrC; apply: ler_norm.
Qed.

(** Lists without repetitions, different as sets, with entries below r in size. *)
Theorem told_apart (r : R) u w : 0 < balance s N -> uniq u -> uniq w ->
  spaced u u -> spaced w w -> spaced u w -> u != [::] -> w != [::] ->
  (size u <= N.+1)%N -> (size w <= N.+1)%N -> {in u, forall t, `|t| < r} ->
  {in w, forall t, `|t| < r} -> ~ (u =i w) ->
  kappa * expR (- (2%:R * r)) < `|boltz_list u - boltz_list w|.
Proof.
move=> B0 uu uw su sw suw u0 w0 uN wN ur wr ne.
(* 1. Sort both, and find the first place where they differ. *)
rewrite -(boltz_list_sort u) -(boltz_list_sort w).
have := sort_down uw sw; have := sort_down uu su; rewrite -(size_sort >=%O u) in uN.
rewrite -(size_sort >=%O w) in wN; have mu := mem_sort >=%O u; have mw := mem_sort >=%O w.
have {}u0 : sort >=%O u != [::] by rewrite -size_eq0 size_sort size_eq0.
have {}w0 : sort >=%O w != [::] by rewrite -size_eq0 size_sort size_eq0.
have {}ne : sort >=%O u != sort >=%O w.
  by apply/eqP => same; apply: ne => t; rewrite -mu -mw same.
move: (sort _ u) (sort _ w) mu mw ne u0 w0 uN wN => u' w' mu mw ne u0 w0 uN wN du dw.
have {suw} : spaced u' w' by move=> t t'; rewrite mu mw; apply: suw.
case/(first_place ne du dw) => c [x [a [b [xb]]]].
(* 2. There the least spacing says how far the values are apart. *)
case=> -[eu ew]; rewrite eu ew in mu mw u0 w0 uN wN du dw *; last rewrite distrC.
  by apply: gap_below => // t; rewrite mu; apply: ur.
by apply: gap_below => // t; rewrite mw; apply: wr.
Qed.

End LeastSpacing.

Section Attained.

Variables (R : realType) (s : R) (N : nat).
Notation q := (expR (- s)).

(** The numbers -2 s, -3 s, ..., -(N + 1) s. *)
Definition after : seq R := [seq 0 - j.+2%:R * s | j <- iota 0 N].

(** A sum over these numbers. *)
Lemma after_sum (F : R -> R) : \sum_(t <- after) F t = \sum_(j < N) F (0 - j.+2%:R * s).
Proof. by rewrite big_map -{1}[N]subn0 big_mkord. Qed.

(** The weight of -(j + 2) s is a power of q. *)
Lemma weight (j : nat) : expR (0 - j.+2%:R * s) = q * q ^+ j.+1.
Proof. by rewrite expR_steps expR0 mul1r exprS. Qed.

(** (0, -s) and -s (0, 2, 3, ..., N + 1) reach the bound, for every s: neither kappa nor the sign of
    B can be improved. *)
Theorem least_spacing_attained :
  boltz_list (0 :: after) - boltz_list [:: 0; - s] = kappa s N * q.
Proof.
(* 1. [two]: the value of the list of two. *)
have two : boltz_list [:: 0; - s] = - s * q / (1 + q).
  by rewrite /boltz_list /total !big_cons !big_nil expR0 mul0r add0r !addr0.
(* 2. The value of the other list is a quotient, of [moment] and [weights]: sums of powers of q. *)
have weights : total (0 :: after) = 1 + q * sum_q s N.
  rewrite total_cons expR0 /total after_sum /sum_q mulr_sumr; congr (_ + _).
  by apply: eq_bigr => j _; rewrite weight.
have moment : \sum_(t <- 0 :: after) t * expR t = - s * (q * (sum_jq s N + sum_q s N)).
  rewrite big_cons mul0r add0r after_sum /sum_q /sum_jq -big_split /= 2!mulr_sumr.
  by apply: eq_bigr => j _; rewrite weight -[j.+2]addn1 natrD; ring.
(* 3. Subtract. No denominator is 0, as q is positive ([q0]) and the sums of its powers are not negative
   ([Q0]). *)
rewrite two {1}/boltz_list moment weights /kappa /balance.
have q0 := q_gt0 s; have Q0 := mulr_ge0 (ltW q0) (Q_ge0 s N).
by move: q (sum_q s N) (sum_jq s N) q0 Q0 => k u v k0 u0; field; rewrite !gt_eqF //; lra.
Qed.

End Attained.
