"""A page of feedback for a student: one HTML file, without scripts."""

from __future__ import annotations

import re
from fractions import Fraction
from html import escape

from ..exercises import RUNS, Exercise
from .grades import Graded, handed_text
from .sets import ExerciseSet

STYLE = """body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}
:root{color-scheme:light dark}section{border-left:4px solid;padding-left:1rem;margin:1.5rem 0}
.right{border-color:#009e73}.nearly{border-color:#e69f00}
.not-yet,.none{border-color:#d55e00}ul{list-style:none;padding:0}small{opacity:.8}"""
FOOT = (
    "Graded by running the answers on numbers of your own. Answers that are functions are tried on some inputs, not on "
    "all. If a verdict seems wrong, say so: judges are programs, too."
)


def page(one: Graded, asked: ExerciseSet) -> str:
    """What a student is told of a set."""
    most = sum(asked.points.values())
    sections = "".join(_section(found, one, float(asked.points[found.label])) for found in asked.exercises)
    problems = "".join(f"<li>{_html(problem)}</li>" for problem in one.problems)
    trouble = f"<h2>Notes on the file</h2><ul>{problems}</ul>" if problems else ""
    title = f"{escape(asked.title)}: {escape(one.student)}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style><main><h1>{title}</h1>"
        f"<p><strong>{_points(one.total, most)}.</strong></p>{sections}{trouble}"
        f"<p><small>{FOOT}</small></p></main></html>\n"
    )


def _section(asked: Exercise, one: Graded, most: float) -> str:
    said, label = one.said[asked.label], asked.label.removeprefix("ex-")
    verdict = "none" if isinstance(said, str) else said.verdict.replace(" ", "-")
    told = [said] if isinstance(said, str) else said.sentences
    # That a program ran is worth no point, and said where it did not.
    checks = () if isinstance(said, str) else said.certificate.checks
    lines = [f"{'✓' if line.holds else '✗'} {line.name}" for line in checks if not (line.name == RUNS and line.holds)]
    word = {"none": "No answer that counts", "right": "Right", "nearly": "Nearly right", "not-yet": "Not right"}[
        verdict
    ]
    handed = handed_text(one, asked.label)
    yours = f"<p>Your answer: <code>{escape(handed)}</code></p>" if handed else ""
    return (
        f'<section class="{verdict}"><h2>{escape(label)}</h2><p>{_html(asked.question(one.seed))}</p>{yours}'
        f"<p><strong>{word}: {_points(one.points[asked.label], most)}.</strong></p>"
        f"{''.join(f'<p>{_html(sentence)}</p>' for sentence in told)}"
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul></section>"
    )


def _points(points: Fraction, most: Fraction | float) -> str:
    return f"{float(points):g} of {float(most):g} point{'s' * (most != 1)}"


def _html(text: str) -> str:
    """Words, with code between accents."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))
