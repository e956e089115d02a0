"""Formulas of plain text as HTML: what is set how, and that nothing else changes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uatlib.internal.formula_html import formula_html, text_html

from .oracles import EXAMPLES

SET = [
    ("smallest l~_n", "smallest <i>l\u0303</i><sub><i>n</i></sub>"),
    ("for a != b only", "for <i>a</i> \u2260 <i>b</i> only"),
    (
        "d_p(f-bar, g-bar)^p",
        "<i>d</i><sub><i>p</i></sub>(<i>f\u0304</i>, <i>g\u0304</i>)<sup><i>p</i></sup>",
    ),
    ("at most 3 B^p delta^d", "at most 3 <i>B</i><sup><i>p</i></sup> <i>\u03b4</i><sup><i>d</i></sup>"),
    ("||x - x'||^2", "\u2016<i>x</i> \u2212 <i>x\u2032</i>\u2016<sup>2</sup>"),
    ("e^{-(a_1 - b_{k+1})}", "<i>e</i><sup>\u2212(<i>a</i><sub>1</sub> \u2212 <i>b</i><sub><i>k</i>+1</sub>)</sup>"),
    ("d_p over R^(d x n)", "<i>d</i><sub><i>p</i></sub> over <i>R</i><sup><i>d</i> \u00d7 <i>n</i></sup>"),
    ("-N^{nd}", "\u2212<i>N</i><sup><i>n</i> <i>d</i></sup>"),
    ("exp(-R Delta^2/8)", "exp(\u2212<i>R</i> <i>\u0394</i><sup>2</sup>/8)"),
    ("sum_ij p_i", "\u2211<sub><i>i</i> <i>j</i></sub> <i>p</i><sub><i>i</i></sub>"),
    ("the sum of max_i a_i", "the sum of max<sub><i>i</i></sub> <i>a</i><sub><i>i</i></sub>"),
    ("Linear_K(Z)", "Linear<sub><i>K</i></sub>(<i>Z</i>)"),
    ("v_0 . Z, so.", "<i>v</i><sub>0</sub> \u00b7 <i>Z</i>, so."),
    ("sum_ids, min_length", "sum_ids, min_length"),
    ("theta_1, ..., theta_m", "<i>\u03b8</i><sub>1</sub>, \u2026, <i>\u03b8</i><sub><i>m</i></sub>"),
    ("n_in, T_ij", "<i>n</i><sub>in</sub>, <i>T</i><sub><i>i</i> <i>j</i></sub>"),
    ("r_max^2", "<i>r</i><sub>max</sub><sup>2</sup>"),
    ("d_1.2(f, g)", "<i>d</i><sub>1.2</sub>(<i>f</i>, <i>g</i>)"),
    ("|v_j|^2/2", "|<i>v</i><sub><i>j</i></sub>|<sup>2</sup>/2"),
    ("|z|^(-1/2)", "|<i>z</i>|<sup>\u22121/2</sup>"),
    ("D^-d", "<i>D</i><sup>\u2212<i>d</i></sup>"),
    ("10^-9 before it", "10<sup>\u22129</sup> before it"),
    ("off by 1.59e-92", "off by 1.59\u00b710<sup>\u221292</sup>"),
    ("1e-12", "10<sup>\u221212</sup>"),
    ("k = 2n - 1", "<i>k</i> = 2<i>n</i> \u2212 1"),
    ("t_{N-1} N^{nd-1}", "<i>t</i><sub><i>N</i>\u22121</sub> <i>N</i><sup><i>n</i> <i>d</i>\u22121</sup>"),
    ("e^{f-bar}", "<i>e</i><sup><i>f\u0304</i></sup>"),
    ("below 2^-131,072 of", "below 2<sup>\u2212131,072</sup> of"),
    ("G_delta^+ whose", "<i>G</i><sub><i>\u03b4</i></sub><sup>+</sup> whose"),
    ("1 / token^2", "1 / token<sup>2</sup>"),
    ("samples=200_000", "samples=200_000"),
    ("sum_h W^h head^h(X)", "\u2211<sub><i>h</i></sub> <i>W</i><sup><i>h</i></sup> head<sup><i>h</i></sup>(<i>X</i>)"),
    ("softmax_j(-R)", "softmax<sub><i>j</i></sub>(\u2212<i>R</i>)"),
    ("e^{shift_j} powers_ij", "<i>e</i><sup>shift<sub><i>j</i></sub></sup> powers<sub><i>i</i> <i>j</i></sub>"),
    ("psi_j", "<i>\u03c8</i><sub><i>j</i></sub>"),
    ("a alpha(b)", "<i>a</i> <i>\u03b1</i>(<i>b</i>)"),
    ("I_{2dG^2}, dn", "<i>I</i><sub>2<i>d</i><i>G</i><sup>2</sup></sub>, <i>d</i><i>n</i>"),
    ("exp(-|x|), -[s]", "exp(\u2212|<i>x</i>|), \u2212[<i>s</i>]"),
    ("sqrt(8) + sqrt 3", "\u221a(8) + \u221a3"),
    ("first o ... o (Id + g_1) o last", "first \u2218 \u2026 \u2218 (Id + <i>g</i><sub>1</sub>) \u2218 last"),
    ("L -> ids", "<i>L</i> \u2192 ids"),
    # Words stay words.
    ("theorem_2_d_p.v has d_p", "theorem_2_d_p.v has <i>d</i><sub><i>p</i></sub>"),
    ("share of cells with a repeated column", "share of cells with a repeated column"),
    ("8.3 distinct columns of E.3.1", "8.3 distinct columns of E.3.1"),
    ("2b other sequences", "2b other sequences"),
    ("feed-forward layers in EXACT, head_size", "feed-forward layers in EXACT, head_size"),
    ("the bands' term", "the bands&#x27; term"),
    ("section H; appendix C, e.g. i.e.", "section H; appendix C, e.g. i.e."),
    ("where exp or sqrt appear", "where exp or sqrt appear"),
    ("3 kB of a 2nd softmax_scale", "3 kB of a 2nd softmax_scale"),
    # Long numbers are shortened, and say so; near a whole number the distance counts.
    ("703687441776639997/844424930131968000", "\u22480.8333"),
    ("['450359962737049541/450359962737049600']", "[\u22481 \u2212 1.31\u00b710<sup>\u221216</sup>]"),
    ("1024000001025/1024", "\u22481,000,000,001 + 0.0009766"),
    ("123456789012345", "\u22481.235\u00b710<sup>14</sup>"),
    ("[-123456789012345]", "[\u2248\u22121.235\u00b710<sup>14</sup>]"),
    ("-450359962737049541/450359962737049600", "\u2248\u22121 + 1.31\u00b710<sup>\u221216</sup>"),
    ("x-0.8333333333333334", "<i>x</i>-\u22480.8333"),
    ("76489/100000", "76489/100000"),
    ("2,000,000,000", "2\u00b710<sup>9</sup>"),
]


@pytest.mark.parametrize(("text", "expected"), SET, ids=lambda value: str(value)[:30])
def test_how_a_formula_is_set(text: str, expected: str) -> None:
    assert formula_html(text) == expected


@EXAMPLES
@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])) | st.text("ab_^{}()|-~'1/0e.x ,<&")
)
def test_any_text_becomes_whole_html(text: str) -> None:
    tree = ElementTree.fromstring(f"<p>{formula_html(text).replace('&#x27;', '&apos;')}</p>")
    assert {element.tag for element in tree.iter()} <= {"p", "i", "sub", "sup"}


@EXAMPLES
@given(st.lists(st.sampled_from(["ids", "of", "tokens,", "counted:", "feed-forward", "a", "in BALL", "(slides)"])))
def test_words_are_left_alone(words: list[str]) -> None:
    assert formula_html(" ".join(words)) == " ".join(words)


def test_a_file_of_proofs_stands_in_running_text_as_code():
    assert text_html("As in theorem_2_d_p.v, for d_p.") == (
        "As in <code>theorem_2_d_p.v</code>, for <i>d</i><sub><i>p</i></sub>."
    )
