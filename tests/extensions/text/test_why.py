"""What is said of a line of a proof that calls no lemma of ours."""

import pytest

from _ext.text.why import plain

J, K = "<i>j</i>", "<i>k</i>"


@pytest.mark.parametrize(
    ("sentence", "more", "said"),
    [
        ("by rewrite ler_pmull // ler1n.", False, "Arithmetic: which side is larger is read off their parts."),
        ("have pos : 0 < x by lra.", False, "Arithmetic: it follows by adding up what is known."),
        ("by ring.", False, "Arithmetic: multiplied out, both sides are the same."),
        ("by rewrite divr_gt0 ?ltr0n.", False,
         "Arithmetic: what is made of positive numbers by +, · and / is positive."),
        ("by rewrite mulrDl add0r.", False, "Arithmetic: worked out, both sides are the same."),
        ("by rewrite ltxx.", False, "Arithmetic: no number is smaller than itself."),
        ("by rewrite size_cat size_map.", False, "Rewriting, by rules of the library."),
        ("rewrite sub0r normrN /x /middle.", False, "By the definition of <code>middle</code>."),
        ("rewrite le_minr => /andP[low high].", False, "Arithmetic: which side is larger is read off their parts."),
        ("by rewrite -same addr0.", False, "Rewriting with <code>same</code>."),
        ("exact: far (near X) same.", False, "From <code>far</code>, <code>near</code> and <code>same</code>."),
        ("have -> : f x = 0.", True, "First a claim, shown for itself."),
        ("have [n|p] := ltnP k j.", True, f"Either {K} &lt; {J} or {J} ≤ {K}: each case for itself."),
        ("have [n|p] := leqP k j.", True, f"Either {J} &lt; {K} or {K} ≤ {J}: each case for itself."),
        ("have [n|p] := eqVneq k 0%N.", True, f"Either {K} = 0 or not: each case for itself."),
        ("have [n|p] := posnP k.", True, f"Either {K} is 0 or positive: each case for itself."),
        ("by case: k => [[|[|[|k]]] k_lt].", False, "Only a few numbers come into question: each is tried."),
        ("case: c => [|x c].", True, "It is empty, or it has a first part: each for itself."),
        ("by case: ok => a _.", False, "Its parts get names."),
        ("move=> x y.", False, "What is given gets a name."),
        ("move=> x; split; first by move=> t; rewrite mulr_ge0 // ltW.", False,
         "Arithmetic: the signs of the parts tell that of the whole."),
        ("exists layers, u; split.", False, "The one named here will do."),
        ("by apply/matrixP => i j; rewrite mxE.", False, "Entry by entry."),
        ("split=> [x|left].", True, "Each part for itself."),
        ("by [].", False, "At once, from what is known."),
    ],
)  # fmt: skip
def test_a_line_has_the_reason_that_its_command_has(sentence, more, said):
    assert plain(sentence, {"same", "far", "near", "left"}, more) == said
