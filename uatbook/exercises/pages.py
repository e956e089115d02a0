"""An exercise that is answered by data, as a page judges it: what its script needs to know, and the script."""

from __future__ import annotations

from pathlib import Path
from string import Formatter
from typing import Any

from ..handed import plain
from .exercise import Exercise

__all__ = ["script", "task"]

HERE = Path(__file__).parent
FILES = ("answers.js", "notation.js", "judges.js", "form.js")


def task(found: Exercise) -> dict[str, Any]:
    """As JSON, with the book's numbers: fields, rubric, right and wrong answers, or what the judge's twin needs."""
    p = found.variant()
    names = {name for line in found.rubric.values() for _, name, _, _ in Formatter().parse(line) if name}
    own = [(answer, says) for answer, says in found.wrong.values() if says not in found.rubric]
    made: dict[str, Any] = {
        "label": found.label,
        "fields": [part.spec() for part in found.hands_in],
        "rubric": dict(found.rubric),
        "texts": {name: f"{{{name}}}".format(**p) for name in sorted(names) if name.partition("[")[0] in p},
        "wrong": [[plain(found.collect(found.at(answer))), says.format(**p)] for answer, says in own],
        "entry": list(found.entry),
        "hint": found.hint.format(**p),
    }
    if found.compares:
        return {**made, "right": plain(found.collect(found.at(found.reference)))}
    return {**made, "p": plain(p), "page": plain(found.page)}


def script() -> str:
    """The script of all forms, for a page: browsers load no modules from a folder."""
    return (
        '(() => {\n"use strict";\n' + "".join((HERE / name).read_text(encoding="utf-8") for name in FILES) + "})();\n"
    )
