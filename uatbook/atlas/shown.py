"""What the page of the atlas shows: a count, a chart whose rows are links, and the table that they lead to, as HTML."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from html import escape
from itertools import groupby
from typing import NamedTuple

from uatlib.checks import refused
from uatlib.internal.formula_html import text_html

from .. import statements
from . import drawn
from .also import ALSO
from .page import Found, Trap, anchor, by_name, depth, family, kind, nearest, shares, trap, verdict
from .papers import PAPERS
from .record import LAYERS, Atlas
from .registry import MIXERS, Entry

KINDS = ("fooled", "part", "apart")
"""What `page.kind` says."""
STATE = "atlas?verdict={}"
"""The address of the table, filtered by a kind of verdict."""
ASKS = "cheng2025"
RESULT = re.compile(r"\b(Lemma|Corollary) (\d+)\b")
"""What a claim names of that paper."""
NO_PROOF = "No trap of the search closed. No proof here."


class Count:
    """How many mixers there are, of how many papers, written large; how many are fooled, and by what."""

    def __init__(self, atlas: Atlas) -> None:
        cells = by_name(atlas)
        self.mixers, self.papers = len(MIXERS), len({entry.source for entry in MIXERS.values()})
        self.kinds = Counter(kind(some) for some in cells.values())
        closed = (found for some in cells.values() if (found := trap(atlas, some)))
        self.changes = Counter(_told(found) for found in closed)

    def sentences(self, mark: str = "{words}") -> str:
        """What a reader takes away; `mark` says how the words of each kind of verdict are written."""
        ends = {
            "fooled": "are fooled at every size and depth that was asked",
            "part": "at some",
            "apart": "told all pairs apart",
        }
        told = [mark.format(kind=k, words=f"{self.kinds[k]} {words}") for k, words in ends.items()]
        return f"{told[0]}, {told[1]}, and {told[2]}."

    def traps(self) -> str:
        """What fools most of those that are fooled."""
        (trap, most), *others = self.changes.most_common(3)
        return f"The commonest traps: {trap} ({most} mixers){''.join(f'; {words} ({n})' for words, n in others)}."

    def _repr_html_(self) -> str:
        link = f'<a href="#{STATE.format("{kind}")}">{{words}}</a>'
        return (
            '<div class="uat-find"></div>'
            f'<p class="uat-count"><b>{self.mixers}</b> mixers, <b>{self.papers}</b> papers</p>'
            f'<p>{self.sentences(link)} <span class="uat-traps">{self.traps()}</span></p>'
        )

    def __repr__(self) -> str:
        return f"{self.mixers} mixers from {self.papers} papers. {self.sentences()} {self.traps()}"


class Chart:
    """A row for each mixer, by family: its name and bars of one to four layers; it leads to its row of the table."""

    def __init__(self, atlas: Atlas) -> None:
        self.rows = shares(atlas)
        self.said = {name: summary(cells) for name, cells in by_name(atlas).items()}

    def _repr_html_(self) -> str:
        head = "".join(f"<i>{layers}</i>" for layers in LAYERS)
        parts = []
        for name, mixers in self.rows.items():
            links = "".join(
                f'<li><a href="#{anchor(one)}"><span>{escape(one)}</span> {drawn.bars(depths, self.said[one])}</a></li>'
                for one, depths in mixers.items()
            )
            parts.append(f"<p><b>{name}</b> <span>{head}</span></p><ul>{links}</ul>")
        return f'<div class="uat-figure"><div class="uat-chart"><div>{"".join(parts)}</div></div></div>'

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {said}" for name, said in self.said.items())


class Row(NamedTuple):
    """Of the table: the words of its cells, what of why is about the drawing, the kind of its verdict, the drawing."""

    words: list[str]
    reason: str
    kind: str
    drawing: str


class Table:
    """The atlas as a table of HTML, formulas and pairs folded below names; as text a line a mixer."""

    def __init__(self, atlas: Atlas) -> None:
        self.rows = [_row(MIXERS[name], atlas, cells) for name, cells in by_name(atlas).items()]

    def _repr_html_(self) -> str:
        names = ["mixer", "family", "asked", *map(depth, LAYERS), "analytic", "why", "trap"]
        head = "".join(f'<th scope="col">{name}</th>' for name in names)
        lines = []
        for (name, paper, *rest), reason, is_, drawing in self.rows:
            cells = "".join(_cell(label, text, reason) for label, text in zip(names[1:], rest, strict=True))
            said = f"{escape(name)} <small>{escape(paper)}</small>"
            long = ' class="uat-long"' if any(" at " in text for text in rest[2 : 2 + len(LAYERS)]) else ""
            formula = inspect.getdoc(MIXERS[name].mix)
            told = f"<p>{text_html(formula)}</p>" if formula else ""
            place = f'<p><a href="#{anchor(name)}">Link to this mixer</a></p>'
            inside = f"<summary>{said}</summary>{told}{drawing}{place}"
            fold = f'<details id="{anchor(name, "row")}"{long}>{inside}</details>'
            also = f' data-also="{escape(ALSO[name])}"' if name in ALSO else ""
            lines.append(f'<tr id="{anchor(name)}" data-is="{is_}"{also}><th scope="row">{fold}</th>{cells}</tr>')
        places = "".join(f'<span id="{STATE.format(name)}"></span>' for name in KINDS)
        return (
            f'<div class="uat-atlas" id="atlas">{places}<table><caption>The atlas: verdicts over all sizes that were '
            f"asked, by depth.</caption><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        return "\n".join(f"{row.words[0]}: {', '.join(row.words[4 : 4 + len(LAYERS)])}" for row in self.rows)


def fooled(atlas: Atlas, name: str, address: str) -> str:
    """A mixer as in the chart and the pair that fools it, both a link to its row; ValueError where there is no pair."""
    cells = by_name(atlas).get(name, [])
    if not (found := trap(atlas, cells)):
        raise refused("name", "a mixer of the atlas that a pair fools", name)
    bars = drawn.bars(next(rows[name] for rows in shares(atlas).values() if name in rows), summary(cells))
    link = f'<a href="{address}#{anchor(name)}"><span>{escape(name)}</span> {bars}</a>'
    return f'<div class="uat-door-row">{link}{_pair(found)}</div>'


def _cell(label: str, text: str, reason: str) -> str:
    """A cell, with its column and the kind of its verdict, which narrow screens show as a square; marked the reason."""
    kind = ""
    if label in map(depth, LAYERS):
        kind = f' class="uat-verdict uat-{text if text in ("yes", "no") else "part"}"'
    before, found, after = text.partition(reason) if label == "why" else (text, "", "")
    mark = f'<span class="uat-reason">{text_html(found)}</span>' if found else ""
    html = f"{text_html(before)}{mark}{text_html(after)}"
    if label == "why":
        html = RESULT.sub(_chapter, html)
    return f'<td{kind} data-label="{label}">{html}</td>'


def _chapter(named: re.Match[str]) -> str:
    """A result of the paper that asks the question, as a link to the chapter that has its proof."""
    one = statements.get(f"{ASKS}:{named[1][:3].lower()}-{named[2]}")
    return f'<a href="../chapters/{one.chapter}.html">{named[0]}</a>'


def _row(entry: Entry, atlas: Atlas, cells: list[Found]) -> Row:
    found, why = trap(atlas, cells), _why(cells)
    words = [
        entry.name,
        PAPERS[entry.source],
        family(entry),
        "last" if entry.causal else "all",
        *(verdict([cell for cell in cells if cell.layers == layers]) for layers in LAYERS),
        "yes" if entry.analytic else "no",
        why,
        _told(found) if found else "",
    ]
    reason = found.claim.why if found and found.claim else why
    return Row(words, reason, kind(cells), _pair(found) if found else _gap(atlas, cells))


def _told(found: Trap) -> str:
    return drawn.change(found.X, found.Y)


def _pair(found: Trap) -> str:
    """The two sequences that are taken for one another, and at which depths."""
    several = f"up to {found.layers} layers, whatever their weights"
    after = several if found.layers > 1 else "one layer, whatever its weights"
    said = f"<b>{_told(found).capitalize()}.</b> Ringed: alike after {after}."
    return _figure(drawn.strips(found.X, found.Y, found.tokens), said)


def _gap(atlas: Atlas, cells: list[Found]) -> str:
    """How near one layer came to be fooled."""
    if not (found := nearest(atlas, cells)):
        return ""
    cell, least = found
    said = (
        f"<b>No pair was found.</b> The least difference, {text_html(drawn.power(least.gap))} units of rounding: "
        f"{least.family}, n = {cell.n}, d = {cell.d}, one layer."
    )
    return _figure(drawn.gauge(least.gap), said)


def _figure(drawing: str, said: str) -> str:
    return f'<figure class="uat-pair">{drawing}<figcaption>{said}</figcaption></figure>'


def summary(cells: list[Found]) -> str:
    """The verdicts on one mixer in a line: depths that have one verdict together."""
    by_depth = [(layers, verdict([cell for cell in cells if cell.layers == layers])) for layers in LAYERS]
    said = []
    for words, run in groupby(by_depth, key=lambda both: both[1]):
        some = [layers for layers, _ in run]
        layers = depth(some[0]) if len(some) == 1 else f"{some[0]} to {depth(some[-1])}"
        said.append(f"{layers}: {words.replace('yes', 'told apart') if words != 'no' else 'fooled'}")
    return "; ".join(said)


def _why(cells: list[Found]) -> str:
    """Claims, where the search does not agree, and how many cells are open."""
    said = []
    for claim in dict.fromkeys(cell.claim for cell in cells if cell.claim):
        covered = [cell for cell in cells if cell.claim is claim]
        agree = sum(cell.search == claim.verdict for cell in covered)
        who = f", {PAPERS.get(claim.source, 'Cheng et al. 2025')}" if claim.source else ""
        tail = "" if agree == len(covered) else f" The search agrees at {agree} of {len(covered)} settings."
        said.append(f"{claim.verdict.capitalize()}{who}: {claim.why}{tail}")
    if still := sum(cell.search == "no" and not cell.claim for cell in cells):
        said.append(f"No proof here for {still} of the settings fooled: open.")
    return " ".join(said) or (NO_PROOF if cells else "")
