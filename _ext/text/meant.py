"""In English, what a statement's words and signs mean: nobody need leave a proof for that."""

from __future__ import annotations

import re
from typing import Any

from _ext.text.lines import english, fact_html, known_html, linked, stopped
from _ext.text.proofs import QUALIFIED, SIZED, Page, stated, used, word

SIGNS = {
    "let <i>x</i> := <i>a</i> in <i>B</i>": (re.compile(r"\blet \w+ :="), "<i>B</i>, with <i>a</i> for <i>x</i>."),
    "_ ↦ <i>a</i>": (re.compile(r"\bfun=>|\bfun _ =>"), "The function that is <i>a</i> everywhere."),
    "tt": (
        re.compile(r"\btt\b"),
        "The one member of a set that has no other. A function with a single answer gives it under this name.",
    ),
    "<i>t</i><sub>1</sub>, <i>t</i><sub>2</sub>": (
        re.compile(r"(?<![\d.])\.[12](?![\w.])"),
        "The two parts of a pair <i>t</i>; of an entry’s place, its row and its column.",
    ),
    "<i>U</i> : <em>set of</em> <i>A</i>": (
        re.compile(r"(?<!\[)\bset\b "),
        "<i>U</i> holds some members of <i>A</i>; <i>U</i> <i>Z</i> says that <i>Z</i> is one of them.",
    ),
    "compact <i>U</i>": (re.compile(r"\bcompact\b"), "<i>U</i> is bounded, and holds the limits of what it holds."),
    "continuous <i>f</i>": (re.compile(r"(?<!, )\bcontinuous\b"), "<i>f</i> is continuous everywhere."),
    "{within <i>U</i>, continuous <i>f</i>}": (
        re.compile(r"\{within\b"),
        "<i>f</i> is continuous as a function on <i>U</i> alone.",
    ),
}
"""What a reader may not know: a sign as it is shown, where it stands in terms, what it means."""


def meant_html(page: Page, file: str, one: dict[str, Any]) -> str:
    """What the statement's own words mean, where somebody has said it, and signs where a page first has them."""
    names, owner = dict.fromkeys(QUALIFIED.findall(SIZED.sub(" ", stated(one)))), one["name"]
    known = ((name, each, page.says(file, owner, name)) for name in names if (each := word(file, name, owner)))
    said = [
        f"<p>{linked(fact_html(name), at)}: {english(stopped(each.said))}</p>" for name, each, at in known if each.said
    ]
    said += [f"<p>{known_html(fact)}</p>" for fact in used(stated(one), file, one["name"]) if " := " in fact]
    new = {sign: means for sign, (found, means) in SIGNS.items() if sign not in page.signs and found.search(shown(one))}
    page.signs |= {*new}
    told = "".join([*said, *(f"<p>{sign}: {means}</p>" for sign, means in new.items())])
    head = "Its words and signs" if new else "Its words"
    return f'<div><details class="lines"><summary>{head}</summary>{told}</details></div>' if told else ""


def shown(one: dict[str, Any]) -> str:
    """All that is shown of a proof as terms."""
    lines = [line for step in one["steps"] for line in step["lines"]]
    return "\n".join([stated(one), *(term for line in lines for term in (*line[1], line[2] or ""))])
