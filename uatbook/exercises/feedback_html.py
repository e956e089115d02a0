"""What an answer is told, as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

COLOURS = {"right": "#009e73", "nearly": "#e69f00", "not yet": "#d55e00"}


def feedback_html(verdict: str, said: Sequence[str], rubric: Iterable[tuple[str, bool]]) -> str:
    """A verdict, the lines that are said, and the rubric: each line with whether it holds."""
    head, *sentences = said
    lines = "".join(f"<li>{'✓' if holds else '✗'} {escape(name)}</li>" for name, holds in rubric)
    told = "".join(f"<p style='margin:.3em 0'>{escape(sentence)}</p>" for sentence in sentences)
    edge = f"border-left:4px solid {COLOURS[verdict]};padding:.2em .8em"
    return (
        f"<div role='status' style='{edge}'><strong>{escape(head)}</strong>{told}"
        f"<ul style='list-style:none;padding:0;margin:.3em 0'>{lines}</ul></div>"
    )
