"""An exercise that is answered by data, as a page judges it: what its script needs to know, and the script."""

from __future__ import annotations

import json
from pathlib import Path
from string import Formatter
from typing import Any

from .. import answers, handed, notation
from ..handed import plain
from .door import TRIES
from .exercise import HEADS, Exercise

__all__ = ["script", "task"]

HERE = Path(__file__).parent
FILES = ("answers.js", "notation.js", "judges.js", "form.js")
CONSTANTS = {
    notation: "LONGEST SPELLED BITS DEEPEST A_NUMBER COMMA PRODUCT TOO_LARGE RAISED LOWERED VULGAR WHOLE LATEX FRAC "
    "TOKEN CHOSEN THOUSANDS COMMAS PLACES FARTHEST",
    answers: "MOST TO_ROUND EITHER ROUNDED TWO_WAYS BESIDE",
    handed: "MOST_TEXT",
}
"""What the page says and reads as Python does, by the module that has it."""


def task(found: Exercise) -> dict[str, Any]:
    """As JSON, with the book's numbers: fields, rubric, right and wrong answers, and what the judge's twin needs."""
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
        "idle": found.idle(),
        "hint": found.hint.format(**p),
        "hints": {name: text.format(**p) for name, text in found.hints.items()},
        "right": plain(found.collect(found.at(found.reference))),
    }
    if found.why:
        made["why"] = found.why.format(**p)
    if found.compares:
        return made
    for field in made["fields"]:
        field.pop("wants", None)  # all that has a property is right
    return {**made, "p": plain(p), "page": plain(found.page)}


def constants() -> str:
    """The head of the script: what Python has, once for both."""
    said = {name: getattr(module, name) for module, names in CONSTANTS.items() for name in names.split()}
    said |= {"LARGEST": str(notation.LARGEST), "SIGNS": {chr(sign): chr(by) for sign, by in notation.SIGNS.items()}}
    said |= {"TRIES": TRIES, "HEADS": HEADS}
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in said.items())


def script() -> str:
    """The script of all forms, for a page: browsers load no modules from a folder."""
    texts = (constants(), *((HERE / name).read_text(encoding="utf-8") for name in FILES))
    return f'(() => {{\n"use strict";\n{"".join(texts)}}})();\n'
