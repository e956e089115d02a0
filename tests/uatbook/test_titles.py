"""Titles of statements as formulas of HTML."""

from __future__ import annotations

import html
import re

import pytest

from uatbook import statements
from uatlib.internal.formula_html import GREEK, formula_html


@pytest.mark.parametrize("statement", statements.all(), ids=lambda s: s.id)
def test_titles_of_all_statements_lose_no_word(statement: statements.Statement) -> None:
    """Letter by letter, but for scripts and signs."""
    shown = html.unescape(re.sub("<[^>]*>", "", formula_html(statement.title)))
    signs = {"\u2212": "-", "\u2019": "'", "\u221a": "sqrt ", "\u2016": "||"}
    signs |= {sign: name for name, sign in GREEK.items()}
    assert re.sub("|".join(signs), lambda sign: signs[sign[0]], shown) == re.sub("[_^]", "", statement.title)
