(** * A row that gives finitely many columns different numbers

    A polynomial that is not 0 has finitely many roots, so there is a number as small as one likes at which none of a
    finite family is 0; its powers are the entries of the row. Over any ordered field. *)
From UAT Require Import preamble.
From mathcomp Require Import poly mxpoly.

Section NonRoot.

Variable R : realFieldType.

(** A number that is no root. *)
Lemma non_root (p : {poly R}) (eps : R) : p != 0 -> 0 < eps ->
  exists t, [/\ 0 < t, t <= eps & p.[t] != 0].
Proof.
move=> p_ne0 eps_gt0; pose t (i : nat) := eps / i.+1%:R.
have t_gt0 i : 0 < t i by rewrite divr_gt0 // ltr0Sn.
have [/allP|] := boolP (all (root p) [seq t i | i <- iota 0 (size p)]).
  have t_inj : injective t.
    by move=> i j /(mulfI (lt0r_neq0 eps_gt0))/invr_inj/eqP; rewrite eqr_nat => /eqP[].
  move=> all_roots; have := max_poly_roots p_ne0 (introT allP all_roots).
  by rewrite map_inj_uniq // iota_uniq size_map size_iota ltnn => /(_ isT).
rewrite -has_predC => /hasP[_ /mapP[i _ ->] /= not_root]; exists (t i); split=> //.
by rewrite ler_pdivr_mulr ?ltr0Sn // ler_pmulr // ler1n.
Qed.

(** And so for a finite family. *)
Lemma non_root_family (J : finType) (p : J -> {poly R}) (P : pred J) (eps : R) :
  (forall j, P j -> p j != 0) -> 0 < eps ->
  exists t, [/\ 0 < t, t <= eps & forall j, P j -> (p j).[t] != 0].
Proof.
move=> p_ne0 eps_gt0; have prod_ne0 : \prod_(j | P j) p j != 0 by apply/prodf_neq0.
have [t [t_gt0 t_le]] := non_root prod_ne0 eps_gt0.
by rewrite horner_prod => /prodf_neq0 t_ne0; exists t.
Qed.

(** Some row separates finitely many distinct columns. *)
Lemma separating_row (J : finType) d (x : J -> 'cV[R]_d) : injective x ->
  exists a : 'rV[R]_d, injective (fun j => (a *m x j) ord0 ord0).
Proof.
move=> x_inj; pose p (jk : J * J) := rVpoly (x jk.1 - x jk.2)^T.
have p_ne0 jk : jk.1 != jk.2 -> p jk != 0.
  apply: contraNneq => p0; apply/eqP/x_inj/matrixP => v o; rewrite (ord1 o).
  by have := coef_rVpoly_ord (x jk.1 - x jk.2)^T v; rewrite -/(p jk) p0 coef0 !mxE =>
    /esym/subr0_eq.
have [t [_ _ t_ok]] := non_root_family p_ne0 (@ltr01 R).
exists (\row_u t ^+ u) => j k same; apply/eqP; apply: contraT => jk.
have := t_ok (j, k) jk; rewrite (horner_coef_wide _ (size_poly _ _)) => /negP[]; apply/eqP.
move/eqP: same; rewrite -subr_eq0 !mxE -sumrB => /eqP; apply: etrans.
by apply: eq_bigr => v _; rewrite coef_rVpoly_ord !mxE mulrC mulrBr.
Qed.

End NonRoot.
