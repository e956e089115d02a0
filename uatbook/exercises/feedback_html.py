"""What an answer is told, as HTML for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .exercise import Feedback

COLOURS = {"right": "#009e73", "nearly": "#e69f00", "not yet": "#d55e00"}


def feedback_html(said: Feedback) -> str:
    """A verdict, its sentences, and the rubric line by line."""
    head, *sentences = str(said).split("\n")
    lines = "".join(f"<li>{'✓' if c.holds else '✗'} {escape(c.name)}</li>" for c in said.certificate.checks)
    told = "".join(f"<p style='margin:.3em 0'>{escape(sentence)}</p>" for sentence in sentences)
    edge = f"border-left:4px solid {COLOURS[said.verdict]};padding:.2em .8em"
    return (
        f"<div role='status' style='{edge}'><strong>{escape(head)}</strong>{told}"
        f"<ul style='list-style:none;padding:0;margin:.3em 0'>{lines}</ul></div>"
    )
