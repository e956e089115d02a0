"""All statements of a source on one page, and all its errata: run while the page is built, shown as HTML."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from fractions import Fraction
from html import escape
from typing import Any

from uatlib.arithmetic.objects import ends
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice
from uatlib.internal.formula_html import formula_html
from uatlib.internal.measured import SHOWN

from . import machine_checked, statements
from .headings import statement_name
from .registry import PRINTED, Statement
from .sources import SOURCES

CLOSE = Fraction(9, 10)
"""Checks that take more of their bound are named."""
CACHE = "UATBOOK_CERTIFICATES"
"""In the environment of a build: the folder."""


class Page:
    """HTML for a notebook; as text a line a statement."""

    def __init__(self, html: str, text: str) -> None:
        self.html, self.text = html, text

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def index(source: str | None = None) -> Page:
    """The statements of a source: name, chapter, what it says, its certificate at the defaults, the closest check.

    Parameters
    ----------
    source : a folder of the library, as "yun2020"; without one all of them, each below its heading

    Raises
    ------
    ValueError
        Another source.
    """
    if source is None:
        return _each(index)
    parts, lines = [], []
    for s, made in _verified(_of(source)):
        lines.append(f"{s.id}: {SHOWN[made.outcome]}")
        note = f' <a href="errata.html#{_anchor(s)}">erratum</a>' if s.erratum else ""
        parts.append(
            f'<div class="uat-statement" id="{_anchor(s)}"><p><a href="../chapters/{s.chapter}.html">{_name(s)}</a>: '
            f"{formula_html(s.title)}.{note}{_closest(made)}</p>{_machine(s)}{made._repr_html_()}</div>"
        )
    return Page("".join(parts), "\n".join(lines))


def errata(source: str | None = None) -> Page:
    """Where the text we read and what holds differ: the erratum, the printed run with its counterexample, the repair.

    Parameters and errors as `index`.
    """
    if source is None:
        return _each(errata)
    parts, lines = [], []
    told: dict[str, Statement] = {}
    for s, repaired in _verified([s for s in _of(source) if s.erratum]):
        first = told.setdefault(str(s.erratum), s)
        erratum = formula_html(str(s.erratum)) if first is s else f"as for {_place(first)}."
        runs = [*(_failing(s, variant) for variant in s.variants[1:]), repaired]
        lines.append(f"{s.id}: {PRINTED[str(s.concerns)]}")
        parts.append(
            f'<div class="uat-statement" id="{_anchor(s)}"><p><a href="../chapters/{s.chapter}.html">{_place(s)}</a>, '
            f"{PRINTED[str(s.concerns)]}: {erratum}</p>"
            f"{''.join(run._repr_html_() for run in runs)}</div>"
        )
    return Page("".join(parts), "\n".join(lines))


def machine() -> Page:
    """What a proof assistant has checked, in a fold a source: the statement, and of each theorem what `index` says."""
    parts, lines = [], []
    for key, source in SOURCES.items():
        several = [s for s in _of(key) if machine_checked.of(s.id)]
        lines += [f"{s.id}: {', '.join(one.state for one in machine_checked.of(s.id))}" for s in several]
        said = "".join(
            f'<p><a href="../chapters/{s.chapter}.html">{_name(s)}</a>: {formula_html(s.title)}.</p>{_machine(s)}'
            for s in several
        )
        count = sum(len(machine_checked.of(s.id)) for s in several)
        about = f"{source.heading}: {len(several)} statements, {count} theorems"
        parts.append(f'<details class="uat-machine"><summary>{escape(about)}</summary>{said}</details>')
    return Page("".join(parts), "\n".join(lines))


def _each(page: Callable[[str], Page]) -> Page:
    """The pages of all sources; the book's build makes a section of each heading."""
    pages = {source.heading: page(key) for key, source in SOURCES.items()}
    html = "".join(f'<h2 class="uat-section">{escape(heading)}</h2>{part.html}' for heading, part in pages.items())
    return Page(html, "\n\n".join(f"{heading}\n{part.text}" for heading, part in pages.items()))


def _verified(several: list[Statement]) -> Iterable[tuple[Statement, Certificate]]:
    """Statements with their certificates, which the pages of one build share, in a folder of its own."""
    return zip(several, statements.verify([s.id for s in several], cache=os.environ.get(CACHE)), strict=True)


def _failing(s: Statement, variant: str) -> Certificate:
    """The run at the first parameters at which it fails: small ones may hide a slip."""
    return next(run for case in ({}, *s.cases) if (run := s.verify(variant=variant, **case)).failures)


def _of(source: str) -> list[Statement]:
    keys = SOURCES[choice("source", source, list(SOURCES))].keys
    return [s for s in statements.all() if s.id.partition(":")[0] in keys]


def _anchor(s: Statement) -> str:
    return s.id.replace(":", "-")


def _name(s: Statement) -> str:
    """Lemma 8, or the id of what bears no number."""
    return statement_name(s.id) or f"<code>{s.id.partition(':')[2]}</code>"


def _place(s: Statement) -> str:
    """Lemma 8, or the section in which to look for what bears no number."""
    return statement_name(s.id) or escape(s.source[:1].upper() + s.source[1:])


def _machine(s: Statement) -> str:
    """What a proof assistant has checked of it."""
    return "".join(
        f"<p><small>Machine-checked: {machine_checked.STATES[one.state]}, with {machine_checked.AXIOMS[one.axioms]}: "
        f'<a href="{one.page}"><code>{escape(one.name)}</code></a> in <code>proofs/{escape(one.file)}</code>.'
        f"{f' {formula_html(one.differs)}' if one.differs else ''}</small></p>"
        for one in machine_checked.of(s.id)
    )


def _closest(made: Certificate) -> str:
    """Which inequality is nearest to its bound, if one is near."""
    shares = [(share, check) for check in made.checks if (share := _share(check)) is not None]
    share, check = max(shares, key=lambda pair: pair[0], default=(Fraction(0), None))
    if check is None or share < CLOSE:
        return ""
    return f" <small>Closest: {formula_html(check.name)}, {float(100 * share):.3g} % of what is allowed.</small>"


def _share(check: Check) -> Fraction | None:
    """What is measured as a share of an upper bound; None for other checks."""
    (_, high), (low, _) = ends(check.measured), ends(check.bound)
    if check.relation not in ("<=", "<") or not 0 < low < float("inf"):
        return None
    found: Any = Fraction(high) / Fraction(low)
    return found
