"""A page of feedback for a student: one HTML file, without scripts."""

from __future__ import annotations

from html import escape

from ..exercises import Feedback
from .grades import Graded
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
    sections = "".join(
        _section(
            found.label, found.question(one.seed), one.said[found.label], f"{float(one.points[found.label]):g}", asked
        )
        for found in asked.exercises
    )
    problems = "".join(f"<li>{escape(problem)}</li>" for problem in one.problems)
    trouble = f"<h2>Trouble with the file</h2><ul>{problems}</ul>" if problems else ""
    title = f"{escape(asked.title)}: {escape(one.student)}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style><main><h1>{title}</h1>"
        f"<p><strong>{float(one.total):g} of {float(most):g} points.</strong></p>{sections}{trouble}"
        f"<p><small>{FOOT}</small></p></main></html>\n"
    )


def _section(label: str, question: str, said: Feedback | str, points: str, asked: ExerciseSet) -> str:
    verdict = "none" if isinstance(said, str) else said.verdict.replace(" ", "-")
    told = [said] if isinstance(said, str) else said.sentences
    lines = (
        ""
        if isinstance(said, str)
        else "".join(f"<li>{'✓' if line.holds else '✗'} {escape(line.name)}</li>" for line in said.certificate.checks)
    )
    word = {"none": "No answer that counts", "right": "Right", "nearly": "Nearly", "not-yet": "Not yet"}[verdict]
    return (
        f'<section class="{verdict}"><h2>{escape(label)}</h2><p>{escape(question)}</p>'
        f"<p><strong>{word}: {points} of {float(asked.points[label]):g} points.</strong></p>"
        f"{''.join(f'<p>{escape(sentence)}</p>' for sentence in told)}<ul>{lines}</ul></section>"
    )
