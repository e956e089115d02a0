"""A fact that says or asks for several things: each on a line of its own, and in English what it is for."""

from __future__ import annotations

import re
from typing import NamedTuple

from _ext.text.rocq import OPEN, Place, argument, term_html
from uatbook.machine_checked import asked
from uatlib.internal.formula_html import formula_html

LEAST = 3
"""From so many things on they are a list."""
BEGIN = re.compile(r"(?:^|(?<=[,&]))\s*(?=\()")
THEN = re.compile(r"\s*->\s*")
ALL = "[/\\ "
NUMBER = re.compile(r"^\s*\(\* *\d+ *\*\)\s*")
SIGN = re.compile(r"[\[\](){}]|,\s+|\s&\s+|\b(?:forall|exists2?)\b")


class Several(NamedTuple):
    r"""Of `forall g, (A) -> (B) -> (C) -> P` what stands before A, then A, B and C, then P; of `[/\ A, B & C]` no P."""

    before: str
    parts: list[str]
    says: str = ""


def asking(term: str) -> Several | None:
    """The parts of a term that asks for enough to be a list."""
    for found in BEGIN.finditer(term):
        at, parts = found.end(), list[str]()
        while term.startswith("(", at):
            inner, end = argument(term, at)
            if not (then := THEN.match(term, end)):
                break
            parts.append(inner)
            at = then.end()
        if len(parts) >= LEAST:
            return Several(term[: found.end()].strip(), parts, term[at:])
    return None


def saying(term: str) -> Several | None:
    r"""Those of `[/\ A, B & C]`; a comma or an & that a quantifier has is none between them."""
    at = term.find(ALL)
    if at < 0 or argument(term, at)[1] < len(term):
        return None
    inner, parts, begin = term[at + len(ALL) : -1], list[str](), 0
    depth, commas, ands = 0, 0, 0
    for found in SIGN.finditer(inner):
        sign = found[0].strip()
        depth += (sign in OPEN) - (sign in OPEN.values())
        if depth:
            continue
        commas += sign in ("forall", "exists", "exists2")
        ands += sign == "exists2"
        if (sign == "," and commas) or (sign == "&" and ands):
            commas, ands = commas - (sign == ","), ands - (sign == "&")
        elif sign in (",", "&"):
            parts.append(inner[begin : found.start()])
            begin = found.end()
    parts = [NUMBER.sub("", part) for part in [*parts, inner[begin:]]]  # the list has numbers of its own
    return Several(term[:at].strip(), parts) if len(parts) >= LEAST else None


def asking_html(term: str, place: Place) -> str | None:
    """Such a term as a list, with the English that the table has for what asks for the same."""
    if (found := asking(term) or saying(term)) is None:
        return None
    words = asked().get(found.says.partition(" ")[0], ("",) * len(found.parts))
    items = (
        f"<li>{formula_html(said)}{'<br>' * bool(said)}{asking_html(part, place) or term_html(part, place)}</li>"
        for said, part in zip(words, found.parts, strict=True)
    )
    before = f"{term_html(found.before, place)} " if found.before else ""
    then = f"then {term_html(found.says, place)}" if found.says else ""
    return f"{before}{'if' if then else 'all of these:'}<ol>{''.join(items)}</ol>{then}"
