"""What the heading of a run says: the number and the source of a statement, and what of it was run."""

from __future__ import annotations

import html
import re

import pytest

from uatbook.headings import StatementCertificate
from uatlib.certificate import Check


def plain(text: str) -> str:
    """HTML as it is read."""
    return html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("title", "line", "caption"),
    [
        (
            "yun2020:lem-8, hardmax attention maps",
            "Lemma 8, N = 3, d = 1",
            "Lemma 8 of Yun et al. (2020): hardmax attention maps (N = 3, d = 1) yun2020:lem-8",
        ),
        (
            "yun2020:def-e1, the definition as printed",
            "Definition E.1, the definition as printed, N = 3",
            "Definition E.1 of Yun et al. (2020): the definition as printed (N = 3",
        ),
        (
            "yun2020:thm-2, the construction with sentinel alone repaired",
            "Theorem 2, the construction with sentinel alone repaired, N = 3",
            "Theorem 2 of Yun et al. (2020): the construction with sentinel alone repaired (N = 3",
        ),
        (
            "kajitsuka2024:least-spacing, entries lie apart, damaged",
            "damaged, N = 3",
            "Entries lie apart, damaged (N = 3, d = 1) kajitsuka2024:least-spacing",
        ),
    ],
)
def test_titles_are_readable(title: str, line: str, caption: str) -> None:
    certificate = StatementCertificate([Check("a", 1, "==", 1)], title, {"inverse_delta": 3, "d": 1})
    summary, _, table = certificate._repr_html_().partition("</summary>")
    assert line in plain(summary)
    assert caption in plain(table.split("<caption>")[1].split("</caption>")[0])
