"""Docstrings on the pages of the library."""

import re

from _ext.text.api import docstring_html, entry_html


def a_function(x, *, p: float = 2) -> float:
    """The norm |x|_p of a vector.

        |x|_p = (sum_i |x_i|^p)^(1/p)

    Parameters
    ----------
    x : a vector, as
        a list
    p : 1 <= p != inf, as "2"

    Source: `nobody`, eq. (1).
    """


def test_a_map_of_modules_is_a_list_and_other_text_is_none():
    lines = ["theorem_3, ids   the layers (Theorem 3), and", " " * 17 + "their ids; `x`", "cost             weights"]
    text = "\n".join(["A package.", "", *lines])
    shown = docstring_html(text)
    assert "<dl><dt><code>theorem_3</code>, <code>ids</code></dt><dd>the layers" in shown
    assert "their ids; <code>x</code></dd><dt><code>cost</code></dt><dd>weights</dd></dl>" in shown
    assert "<dl>" not in docstring_html("A sentence.  And one more\nthat goes on.")


def test_a_docstring_becomes_html_with_its_formulas():
    shown = docstring_html(a_function.__doc__.replace("\n    ", "\n"))
    assert "<p>The norm |<i>x</i>|<sub><i>p</i></sub> of a vector.</p>" in shown
    assert '<p class="uat-formula">|<i>x</i>|<sub><i>p</i></sub> = ' in shown
    assert "<dt><code>x</code></dt><dd>a vector, as a list</dd>" in shown
    assert "<dt><code>p</code></dt><dd>1 \u2264 <i>p</i> \u2260 \u221e, as <code>&quot;2&quot;</code></dd>" in shown
    assert "<p>Source: <code>nobody</code>, eq. (1).</p>" in shown


def test_returns_and_examples_are_set_apart():
    sections = ["Returns\n-------\nShape (n,), as\nf : x.", "Raises\n------\nValueError\n    No n."]
    shown = docstring_html("\n\n".join(["A.", ">>> f(\n...     <1)", *sections]))
    assert "<pre>&gt;&gt;&gt; f(\n...     &lt;1)</pre>" in shown
    assert '<p class="rubric">Returns</p><p>Shape (<i>n</i>,), as <i>f</i> : <i>x</i>.</p><p class="rubric">' in shown


def columns_html(*lines):
    return docstring_html("\n".join(["A.", "", *("    " + line for line in lines)])).removeprefix("<p>A.</p>")


def test_columns_become_a_list_or_a_table():
    assert columns_html("one    x", "two    y,  z", "  and more") == (
        "<dl><dt>one</dt><dd><i>x</i></dd><dt>two</dt><dd><i>y</i>,  <i>z</i> and more</dd></dl>"
    )
    assert columns_html("one  x  first", "two  y", "six  z  last") == (
        '<table><tr><th scope="row">one</th><td><i>x</i></td><td>first</td></tr>'
        '<tr><th scope="row">two</th><td colspan="2"><i>y</i></td></tr>'
        '<tr><th scope="row">six</th><td><i>z</i></td><td>last</td></tr></table>'
    )


def test_formulas_stay_whole():
    """Where they are aligned, go on in a second line, or stand side by side."""
    assert columns_html("r    = 2,  k = 1", "long = 3", "       exp(1)") == (
        f'<p class="uat-formula"><i>r</i>    = 2,\u00a0\u00a0 <i>k</i> = 1<br>long = 3<br>{7 * chr(0xA0)}exp(1)</p>'
    )


def test_names_are_code_and_indices_are_not():
    assert "<code>inverse_delta</code> is no int" in docstring_html("inverse_delta is no int.")
    assert "<code>" not in docstring_html("softmax_j(r_max), a.some_name")


def test_an_entry_shows_how_a_name_is_imported_and_called():
    shown = entry_html("a_function", a_function, "some.package")
    assert "from some.package import a_function\na_function(x, *, p=2)</pre>" in shown
    assert re.search(r"tests/extensions/text/test_docstrings\.py:\d+", shown)
    assert "0x" not in shown
