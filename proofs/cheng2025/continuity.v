(** * Layers are continuous, and near a compact set uniformly so

    Feed-forward layers with ReLU, heads with the exponential kernel and any pattern in which
    each token hears somebody. *)
From UAT Require Import transformers analysis.
From UAT Require uniform.
From UAT.cheng2025 Require Import mixers.

Section Numbers.

Variables (R : realType) (T : topologicalType).
Implicit Types f g : T -> R.

(** Continuity of a function whose values are numbers. *)
Definition continuousR (f : T -> R) : Prop := continuous f.

Lemma continuous_as f g : (forall x, f x = g x) -> continuousR g -> continuousR f.
Proof. by move=> /funext->. Qed.

Lemma continuous_const (c : R) : continuousR (fun _ : T => c).
Proof. by move=> x; apply: cvg_cst. Qed.

Lemma continuous_add f g : continuousR f -> continuousR g -> continuousR (fun x => f x + g x).
Proof. by move=> f_cont g_cont x; apply: (continuousD (f_cont x) (g_cont x)). Qed.

Lemma continuous_mul f g : continuousR f -> continuousR g -> continuousR (fun x => f x * g x).
Proof. by move=> f_cont g_cont x; apply: (continuousM (f_cont x) (g_cont x)). Qed.

Lemma continuous_inv f : (forall x, f x != 0) -> continuousR f -> continuousR (fun x => (f x)^-1%R).
Proof. by move=> f_ne0 f_cont x; apply: (continuousV (f_ne0 x) (f_cont x)). Qed.

Lemma continuous_expR_of f : continuousR f -> continuousR (fun x => expR (f x)).
Proof. by move=> f_cont x; apply: (continuous_comp (f_cont x)); apply: continuous_expR. Qed.

Lemma continuous_sum (I : Type) (s : seq I) (P : pred I) (h : I -> T -> R) :
  (forall i, continuousR (h i)) -> continuousR (fun x => \sum_(i <- s | P i) h i x).
Proof.
move=> h_cont; elim: s => [|i s IH].
  by apply: continuous_as (@continuous_const 0) => x; rewrite big_nil.
case Pi: (P i); last by apply: continuous_as IH => x; rewrite big_cons Pi.
by apply: continuous_as (continuous_add (h_cont i) IH) => x; rewrite big_cons Pi.
Qed.

Lemma continuous_relu f : continuousR f -> continuousR (fun x => relu (f x)).
Proof.
move=> f_cont; have half : 2%:R != 0 :> R by rewrite pnatr_eq0.
have -> : (fun x => relu (f x)) = fun x => 2%:R^-1 * (f x + `|f x|).
  apply/funext => x; rewrite /relu; have [x_ge0|x_lt0] := leP 0 (f x).
    by rewrite ger0_norm // -mulr2n -[X in _ = _ * X]mulr_natl mulKf.
  by rewrite ltr0_norm // subrr mulr0.
have abs_cont : continuousR (fun x => `|f x|).
  by move=> x; apply: (continuous_comp (f_cont x)); apply: norm_continuous.
exact: (continuous_mul (@continuous_const _) (continuous_add f_cont abs_cont)).
Qed.

(** ** Matrices: entry by entry *)

Definition entries_continuous a b (F : T -> 'M[R]_(a, b)) :=
  forall i j, continuousR (fun x => F x i j).

Lemma continuous_entries a b (F : T -> 'M[R]_(a, b)) : entries_continuous F -> continuous F.
Proof.
move=> F_cont x; apply/cvg_ballP => eps eps_gt0.
have x_filter : Filter (nbhs x) by typeclasses eauto.
have : \forall y \near x, forall i j, ball (F x i j) eps (F y i j).
  apply: (@filter_forall _ _ _ _ x_filter) => i; apply: (@filter_forall _ _ _ _ x_filter) => j.
  by have /cvg_ballP := F_cont i j x; apply.
exact.
Qed.

Lemma entries_of_continuous a b (F : T -> 'M[R]_(a, b)) : continuous F -> entries_continuous F.
Proof.
move=> F_cont i j x; apply/cvg_ballP => eps eps_gt0.
by have /cvg_ballP/(_ eps eps_gt0) := F_cont x; apply: filterS => y; apply.
Qed.

Lemma entries_mul a b c (F : T -> 'M[R]_(a, b)) (G : T -> 'M[R]_(b, c)) :
  entries_continuous F -> entries_continuous G -> entries_continuous (fun x => F x *m G x).
Proof.
move=> F_cont G_cont i j; apply: continuous_as => [x|]; first by rewrite mxE.
by apply: continuous_sum => k; apply: continuous_mul.
Qed.

Lemma entries_add a b (F G : T -> 'M[R]_(a, b)) :
  entries_continuous F -> entries_continuous G -> entries_continuous (fun x => F x + G x).
Proof.
move=> F_cont G_cont i j; apply: continuous_as => [x|]; first by rewrite mxE.
exact: continuous_add.
Qed.

Lemma entries_const a b (A : 'M[R]_(a, b)) : entries_continuous (fun _ => A).
Proof. by move=> i j; apply: continuous_const. Qed.

End Numbers.

Section Layers.

Variables (R : realType) (d n : nat).
Implicit Types f : layer R d n.

Lemma entries_id : entries_continuous (fun X : 'M[R]_(d, n) => X).
Proof. exact: entries_of_continuous (fun x => @cvg_id _ _). Qed.

Lemma continuous_feed_forward (w : ff_weights R d) :
  continuous (feed_forward (@relu R) w (n := n)).
Proof.
apply: continuous_entries; apply: entries_add; last exact: entries_const.
apply: entries_add; first exact: entries_id.
apply: entries_mul => [|i j]; first exact: entries_const.
apply: continuous_as => [x|]; first by rewrite mxE.
apply: continuous_relu; move: i j; apply: entries_add.
  by apply: entries_mul; [exact: entries_const | exact: entries_id].
exact: entries_const.
Qed.

Lemma continuous_head (N : pattern n) v p (W_V : 'M[R]_(v, d)) (W_K W_Q : 'M[R]_(p, d)) :
  (forall i, N i != finset.set0) ->
  continuous (kernel_head (@exp_kernel R) N W_V W_K W_Q).
Proof.
move=> N_ne; have entries_col i : entries_continuous (fun X : 'M[R]_(d, n) => col i X).
  by move=> u o; apply: continuous_as => [x|]; first (by rewrite mxE); apply: entries_id.
have score_cont i j : continuousR (fun X : 'M[R]_(d, n) =>
    exp_kernel (W_Q *m col i X) (W_K *m col j X)).
  apply: continuous_expR_of; apply: entries_mul; last first.
    by apply: entries_mul; [exact: entries_const | exact: entries_col].
  move=> o u; apply: continuous_as => [x|]; first by rewrite mxE.
  by apply: entries_mul; [exact: entries_const | exact: entries_col].
apply: continuous_entries => u i; apply: continuous_as => [X|]; first by rewrite mxE [LHS]mxE.
apply: continuous_mul.
  apply: continuous_inv => [X|]; last exact: continuous_sum.
  have /set0Pn[j j_in] := N_ne i; rewrite gt_eqF // (bigD1 j) //=.
  by apply: ltr_paddr (expR_gt0 _); apply: sumr_ge0 => l _; apply/ltW/expR_gt0.
apply: continuous_as => [x|]; first (by rewrite summxE); apply: continuous_sum => j.
apply: continuous_as => [x|]; first (by rewrite mxE); apply: continuous_mul => //.
by apply: entries_mul; [exact: entries_const | exact: entries_col].
Qed.

Lemma continuous_residual f : continuous f -> continuous (fun X => X + f X).
Proof.
move=> f_cont; apply: continuous_entries; apply: entries_add; first exact: entries_id.
exact: entries_of_continuous.
Qed.

(** Near a compact set, continuity is uniform: in entries. *)
Lemma uniform_near_compact (K : set 'M[R]_(d, n)) f : compact K -> continuous f ->
  forall eps : R, 0 < eps -> exists2 delta, 0 < delta & forall X Y : 'M[R]_(d, n), K X ->
    (forall i j, `|Y i j - X i j| <= delta) -> forall i j, `|f Y i j - f X i j| <= eps.
Proof.
move=> K_compact f_cont eps /(uniform.uniform_near_compact K_compact f_cont)[r r_gt0 near].
exists (r / 2%:R) => [|X Y K_X X_Y i j]; first by rewrite divr_gt0 // ltr0n.
have /(near X Y K_X)/(_ i j) : ball X r Y.
  move=> i' j'; rewrite -ball_normE /ball_ /= distrC; apply: le_lt_trans (X_Y i' j') _.
  by rewrite ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n.
by rewrite -ball_normE /ball_ /= distrC => /ltW.
Qed.

End Layers.
