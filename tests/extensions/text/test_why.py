"""What is said of a line of a proof that calls no lemma of ours."""

import pytest

from _ext.text.why import plain


@pytest.mark.parametrize(
    ("sentence", "more", "said"),
    [
        ("by rewrite ler_pmull // ler1n.", False, "Arithmetic."),
        ("have pos : 0 < x by lra.", False, "Arithmetic."),
        ("by rewrite size_cat size_map.", False, "Rewriting, by rules of the library."),
        ("rewrite sub0r normrN /x /middle.", False, "By the definition of <code>middle</code>."),
        ("rewrite le_minr => /andP[low high].", False, "Arithmetic."),
        ("by rewrite -same addr0.", False, "Rewriting with <code>same</code>."),
        ("exact: far (near X) same.", False, "From <code>far</code>, <code>near</code> and <code>same</code>."),
        ("have -> : f x = 0.", True, "First a claim, shown for itself."),
        ("have [n|p] := ltnP k j.", True, "Case by case."),
        ("move=> x y.", False, "What is given gets a name."),
        ("move=> x; split; first by move=> t; rewrite normrN // mulr_ge0.", False, "Arithmetic."),
        ("exists layers, u; split.", False, "The one named here will do."),
        ("by apply/matrixP => i j; rewrite mxE.", False, "Entry by entry."),
        ("split=> [x|left].", True, "Each part for itself."),
        ("by [].", False, "At once, from what is known."),
    ],
)
def test_a_line_has_the_reason_that_its_command_has(sentence, more, said):
    assert plain(sentence, {"same", "far", "near", "left"}, more) == said
