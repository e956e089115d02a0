"""A fact that says or asks for several things: each on a line of its own, and in English what it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from _ext.text.rocq import OPEN, Place, argument, claims, term_html
from uatbook.machine_checked import asked
from uatlib.internal.formula_html import formula_html

LEAST = 3
"""From so many things on they are a list."""
BEGIN = re.compile(r"(?:^|(?<=[,&]))\s*(?=\()")
THEN = re.compile(r"\s*->\s*")
ALL = "[/\\ "
NUMBER = re.compile(r"^\s*\(\* *\d+ *\*\)\s*")
TOP = re.compile(r"[\[\](){}]|<->|(?<!-)->|/\\|\\/|,\s|\s&\s|(?<!\\)\b(?:forall|exists2?|let|in)\b")
"""What parts a statement, where it stands in no bracket."""
LONG, SHORT = 150, 30
"""Signs of a statement from which its hypotheses are a list, and up to which two of them share a line."""
BREAKS = (r"(?<=\))\s+(?=\()", r"(?<=[→∧∨,])\s+", r"\s+(?=(?::?=|[≤≥≠∈]|&[lg]t;)\s)", r"\s+(?=[+−·]\s)")
"""Where a line may end: between brackets, behind what joins, before what compares, or what is added."""
LINE, ROOM = 26, 34
"""Signs that any screen has room for, also beside others; and in a line of their own."""


JOINS = {"->", "<->", "/\\", "\\/", ",", "&"}
WALL, NARROW = 60, 40
"""Signs of a line of a goal up to which it may say several things; and to which two short ones share a line."""


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
    parts = [
        NUMBER.sub("", part).strip() for part, _ in claims(term[at + len(ALL) : -1])
    ]  # the list has numbers of its own
    return Several(term[:at].strip(), parts) if len(parts) >= LEAST else None


def top(term: str) -> Iterator[tuple[str, int, int]]:
    """What parts a term, with where it begins and ends."""
    depth = 0
    for found in TOP.finditer(term):
        sign = found[0].strip()
        depth += (sign in OPEN) - (sign in OPEN.values())
        if depth == 0 and sign not in OPEN.values():
            yield sign, found.start(), found.end()


def hypotheses(term: str) -> Several | None:
    """Of a long `forall x, A -> B -> C -> P` what stands before A, then A, B and C, then P."""
    first, begin, parts, bound = 0, 0, list[str](), False
    for sign, start, end in top(term):
        if bound or (sign == "forall" and begin == first and not term[begin:start].strip()):
            first = begin = end if sign == "," else begin
            bound = sign != ","
        elif sign == "->":
            parts.append(term[begin:start].strip())
            begin = end
        elif sign in ("forall", "exists", "exists2", "let", "<->"):
            break
    several = len(parts) >= LEAST and len(term) > LONG
    return Several(term[:first].strip(), merged(parts), term[begin:].strip()) if several else None


def merged(parts: list[str]) -> list[str]:
    """Short hypotheses that follow each other share a line."""
    done = parts[:1]
    for part in parts[1:]:
        joined = f"{done[-1]}, {part}"
        if len(joined) <= SHORT and not re.search(r"\bforall\b|->", joined):
            done[-1] = joined
        else:
            done.append(part)
    return done


def both(term: str) -> Several | None:
    r"""Of `forall x, A -> B /\\ C` what stands before B, then B and C, if one of these is long."""
    first, begin, parts = 0, 0, list[str]()
    for sign, start, end in top(term):
        if sign == "/\\":
            parts.append(term[begin:start].strip())
            begin = end
        elif sign in ("\\/", "<->") or (parts and sign in ("->", "&")):
            return None
        elif parts:
            break  # a quantifier has the rest
        elif sign in (",", "->", "in", "&"):
            first = begin = end
    parts.append(term[begin:].strip())
    return Several(term[:first].strip(), parts) if len(parts) > 1 and max(map(len, parts)) > SHORT else None


def rows_html(term: str, place: Place) -> str:
    """A term as HTML, in which a long line that says several things ends where they are joined."""
    lines = [""]
    for line in rows(term):
        lines[-1:] = [f"{lines[-1]} {line}".strip()] if len(lines[-1] + line) < NARROW else [lines[-1], line]
    return unbroken(term_html("\n".join(filter(None, lines)), place)).replace("\n", "<br>")


def rows(term: str, deep: int = 0) -> Iterator[str]:
    """Its lines: they end where no bracket is open, and in one where that is not enough."""
    if len(term) <= WALL or deep > 1:
        yield term
        return
    depth = begin = 0
    for found in TOP.finditer(term):
        sign = found[0].strip()
        depth += (sign in OPEN) - (sign in OPEN.values())
        if depth == deep and sign in JOINS:
            yield from rows(term[begin : found.end()].strip(), deep + 1)
            begin = found.end()
    yield from rows(term[begin:].strip(), deep + 1)


def asking_html(term: str, place: Place, whole: bool = False) -> str | None:
    """Such a term as a list, with the English that the table has for what asks for the same.

    Of a `whole` statement hypotheses, and what stands on both sides of a conjunction, are lists as well.
    """
    found = asking(term) or (whole and hypotheses(term)) or saying(term) or (whole and both(term))
    if not found:
        return None

    def shown(part: str) -> str:
        return asking_html(part, place, whole) or (term_html if whole else rows_html)(part, place)

    words = asked().get(found.says.partition(" ")[0], ())
    words = words if len(words) == len(found.parts) else ("",) * len(found.parts)
    items = (
        f"<li>{formula_html(said)}{'<br>' * bool(said)}{shown(part)}</li>"
        for said, part in zip(words, found.parts, strict=True)
    )
    before = f"{term_html(found.before, place)} " if found.before else ""
    then = f"then {shown(found.says)}" if found.says else ""
    return f"{before}{'if' if then else 'all of these:'}<ol>{''.join(items)}</ol>{then}"


def unbroken(shown: str) -> str:
    """Formulas as HTML in which few spaces end a line: on a phone, too, it ends where something is joined."""
    parts = re.split(r"(</?(?:ol|li)>|\n\s*)", shown)
    return "".join(part if k % 2 or length(part) <= ROOM else held(part, BREAKS) for k, part in enumerate(parts))


def held(shown: str, breaks: tuple[str, ...]) -> str:
    """One line of them: what is short has no place where it may end."""
    if length(shown) <= LINE:
        return re.sub(r"(<[^>]*>)| ", lambda at: at[1] or "\u00a0", shown)
    parts = re.split(f"({breaks[0]})", shown) if breaks else [shown]
    return "".join(part if k % 2 or not breaks else held(part, breaks[1:]) for k, part in enumerate(parts))


def length(shown: str) -> int:
    """The signs that a reader sees, or fewer."""
    return len(re.sub(r"<[^>]*>|&\w+;", "", shown))
