"""Predictions with choices: each has one right answer, and says something to every other one."""

import base64
import re
from pathlib import Path

import pytest
from docutils.core import publish_doctree
from docutils.parsers.rst import directives

from _ext.course.checks import GuessDirective

ROOT = Path(__file__).resolve().parents[3]

PAGES = [*sorted(ROOT.glob("chapters/*.md")), *sorted(ROOT.glob("library/*.md"))]
GUESS = re.compile(r"^```\{guess\}[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ASKED = re.compile(r"^[^`\n]*\*\*Predict\b.*\n\n(?!```\{guess\}).*", re.MULTILINE)


def test_each_of_the_book_can_be_wrong():
    """And no two choices of one have the same words."""
    found = [text for page in PAGES for text in GUESS.findall(page.read_text("utf-8"))]
    assert len(found) >= 20
    for text in found:
        words = [line[2:].partition(" | ")[0] for line in text.splitlines()]
        assert len(words) == len(set(words)) >= 2, text


AGREES = re.compile(r"- .* \| (So it is|They do\b|It does\b|That is so\.|True\b(?!, but not the gap: ))")


def test_nobody_is_told_not_so_and_then_that_it_is_so():
    said = [line for page in PAGES for text in GUESS.findall(page.read_text("utf-8")) for line in text.splitlines()]
    assert [line for line in said if AGREES.match(line)] == []
    assert all(map(AGREES.match, ("- a | So it is: b.", "- a | They do, and b.", "- a | True, of course.")))
    assert not any(map(AGREES.match, ("- a | True, but not the gap: b.", "+ a | So it is.")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_prediction_has_buttons(page):
    assert not ASKED.findall(page.read_text("utf-8"))


class Env:
    """What the directive asks of a build."""

    docname = "page"

    def __init__(self):
        self.metadata = {"page": {}}

    def new_serialno(self, category):
        return 7


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("+ yes\n- no | Look.", ""),
        ("+ yes\n- no | True, but not the gap: a.", ""),
        ("- yes | Look.\n- no | Look.", "expected one right choice, got 0"),
        ("+ yes\n+ no", "expected one right choice, got 2"),
        ("+ yes | It is.\n- no | Look.", ""),
        ("+ yes\n- no", "expected `+ right` or"),
        ("yes\nno", "expected `+ right` or"),
    ],
)
def test_choices_are_parsed(lines, says):
    class Guess(GuessDirective):
        env = Env()

    directives.register_directive("guess", Guess)
    indented = "\n".join(f"   {line}" for line in lines.splitlines())
    source = f".. guess::\n\n{indented}\n"
    page = publish_doctree(source, settings_overrides={"report_level": 5, "halt_level": 5})
    assert says in page.astext()
    if not says:
        told = re.findall(r'value="([^"]*)"', page.astext())
        right = "Right. It is." if "It is" in lines else "Right."
        no = "True, but not the gap: a." if "True" in lines else "Not so. Look."
        assert [base64.b64decode(text).decode() for text in told] == [right, no]
