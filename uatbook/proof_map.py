"""The map of all statements: what a proof assistant has checked of each, and which proof stands on which.

Edges are those of the record that `proofs/uses.py` writes; `levels` finds where nodes and lines go.
"""

from __future__ import annotations

import functools
import json
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, NamedTuple

from . import machine_checked, records, statements
from .headings import statement_name
from .levels import COLUMNS, GAP, HEIGHT, WIDTH, curves, layout, middle_of, top_of
from .machine_checked import SIZES
from .overview import Page
from .registry import Statement
from .sources import SOURCES, Source

RECORD = records.FOLDER / "proof-uses.json"
SHORT = {
    "proved": "proved",
    "proved in part": "in part",
    "refuted as printed": "refuted",
    "refuted in part": "refuted in part",
    "step refuted": "a step refuted",
    SIZES: "at sizes",
}
"""By state what a node says of it; the legend says it in full."""
LOOKS = {"proved": "proved", "proved in part": "part", SIZES: "sizes"}
"""By state the class of a node or sign; that of the others is "refuted"."""
WHOLE = {"proved": "proved in part", "refuted as printed": "refuted in part"}
LINES = {
    "theorem": "stands on the theorem below",
    "lemmas": "uses lemmas from its proof",
    "shared": "stands on lemmas that several share",
}
"""What a line says, by its class."""
PARTS = {"app": "Appendix", "eq": "Equation", "exp": "Experiment", "sec": "Section"}
"""How ids begin of what is numbered, but not as a result."""
NODE, SMALL = 106, 24
"""The width of a node, the height of a small one."""
LONG = 15
"""Letters of a name that is set smaller if it has more."""


class Edge(NamedTuple):
    """One statement leans on another: on its theorem, or on lemmas of its proof alone, so many."""

    above: str
    below: str
    theorem: bool
    lemmas: int


class Drawn(NamedTuple):
    """What the picture shows: lines between statements; files that several share, and what stands on these at once."""

    edges: list[Edge]
    shared: list[str]
    grounded: list[str]


@functools.cache
def record() -> dict[str, Any]:
    """By theorem, what Rocq says that it leans on."""
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))["uses"]
    return found


def states(id: str) -> tuple[str, ...]:
    """What became of a statement, each state once; a part counts where the whole is not there.

    One that no proof is of was checked at sizes.
    """
    found = dict.fromkeys(one.state for one in machine_checked.of(id))
    for whole, part in WHOLE.items():
        if whole in found:
            found.pop(part, None)
    return tuple(found) or (SIZES,)


def uses(found: Mapping[str, Any]) -> tuple[list[Edge], dict[str, set[str]]]:
    """Of a record: the edges between statements, and by other file of lemmas the statements it serves."""
    theorems = {one.rocq: one for one in machine_checked.theorems()}
    owners = {one.file: one.statement for one in theorems.values()}
    leans, lemmas, serves = (
        set[tuple[str, str]](),
        defaultdict[tuple[str, str], int](int),
        defaultdict[str, set[str]](set),
    )
    for name, one in found.items():
        above = theorems[name].statement
        leans |= {(above, theorems[other].statement) for other in one["theorems"]}
        for file, count in one["lemmas"].items():
            if file in owners:
                lemmas[above, owners[file]] += count
            elif "/" in file:
                serves[file].add(above)
    pairs = sorted(pair for pair in leans | {*lemmas} if pair[0] != pair[1])
    return [Edge(*pair, pair in leans, lemmas[pair]) for pair in pairs], serves


def drawn(edges: Iterable[Edge], serves: Mapping[str, set[str]]) -> Drawn:
    """What the picture shows of these: no line to what another line leads to already.

    What several share is the lemmas of files that are below two statements at least, neither of which stands on the
    other. A line that would close a circle, of lemmas alone, is left to the list.
    """
    below = defaultdict[str, set[str]](set)
    for edge in sorted(edges, key=lambda edge: not edge.theorem):
        if edge.above not in _under(edge.below, below):
            below[edge.above].add(edge.below)
    implied = {(a, c) for a, many in below.items() for b in many for c in _under(b, below)}
    kept = [e for e in edges if e.below in below[e.above] and (e.above, e.below) not in implied]
    lowest = {file: {a for a in many if not _under(a, below) & many} for file, many in serves.items()}
    shared = sorted(file for file, many in lowest.items() if len(many) > 1)
    on = {a for file in shared for a in serves[file]}
    return Drawn(kept, shared, sorted(a for a in on if not _under(a, below) & on))


def _under(start: str, below: Mapping[str, set[str]]) -> set[str]:
    """All that lies below, in some steps."""
    seen, ahead = set[str](), [start]
    while ahead:
        new = below.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def picture() -> Page:
    """The map, in a part a source, and all of it once more as a list."""
    edges, serves = uses(record())
    every = statements.all()
    parts, said = [], []
    for source in SOURCES.values():
        own = [one for one in every if one.id.partition(":")[0] in source.keys]
        parts.append(_part(source, own, edges, serves))
        said.append(f"<p><strong>{escape(source.heading)}</strong></p><ul>{''.join(_lines(own, edges, serves))}</ul>")
    text = [f"{one.id}: {', '.join(states(one.id))}" for one in every]
    html = (
        f'<div class="uat-map">{_legend(every)}<div class="uat-map-parts">{"".join(parts)}</div>'
        f"<details><summary>The map as a list</summary>{''.join(said)}</details></div>"
    )
    return Page(html, "\n".join(text))


def _part(source: Source, own: list[Statement], edges: list[Edge], serves: Mapping[str, set[str]]) -> str:
    """The picture of one source."""
    known = {one.id: one for one in own}
    shown = drawn(
        [edge for edge in edges if {edge.above, edge.below} <= {*known}],
        {file: some for file, many in serves.items() if (some := many & {*known})},
    )
    kinds = {(edge.above, edge.below): "theorem" if edge.theorem else "lemmas" for edge in shown.edges}
    found = layout([*kinds], shown.grounded)
    lines = [f'<path class="uat-map-{kinds.get(line, "shared")}" d="{d}"/>' for line, d in curves(found).items()]
    at = sorted((place, name) for name, place in found.at.items())
    nodes = [_node(known[name], c, top_of(r), HEIGHT) for (r, c), name in at]
    y = top_of(len(found.rows))
    if shown.shared:
        ground, high = _ground(shown.shared, y)
        nodes.append(ground)
        y += high + GAP
    beside = [one for one in own if one.id not in found.at and machine_checked.of(one.id)]
    across = {edge.above for edge in edges if edge.below not in known}
    alone, other = ([one for one in beside if (one.id in across) is far] for far in (False, True))
    sizes = [one for one in own if not machine_checked.of(one.id)]
    groups = ("On lemmas of their own alone", alone), ("On lemmas of another part", other), ("Checked at sizes", sizes)
    for words, several in groups:
        if several:
            high = SMALL if several is sizes else HEIGHT
            nodes.append(f'<text class="uat-map-words" x="6" y="{y:.1f}">{words}</text>')
            places = [(k % COLUMNS, y + 9 + (high + 8) * (k // COLUMNS)) for k in range(len(several))]
            nodes += [_node(one, *place, high) for one, place in zip(several, places, strict=True)]
            y = places[-1][1] + high + 30
    name = escape(source.heading)
    return (
        f'<div class="uat-map-source"><p class="uat-map-name">{name}</p>'
        f'<svg viewBox="0 0 {COLUMNS * WIDTH} {y - 24:.0f}" role="group" aria-label="Map of {name}">'
        f'<g aria-hidden="true">{"".join(lines)}</g>{"".join(nodes)}</svg></div>'
    )


def _look(id: str) -> str:
    """The class of a node: refuted where the printed statement is, in part or whole, whatever else is proved."""
    found = states(id)
    if any(state.startswith("refuted") for state in found):
        return "refuted"
    return next((LOOKS[state] for state in found if state in LOOKS), "refuted")


def _node(one: Statement, column: int, top: float, high: float) -> str:
    """A statement: its name, and its states by shape, word and colour; it leads to the proof, or to its chapter."""
    found, x = states(one.id), middle_of(column)
    full = f"{_name(one)}, {' and '.join(machine_checked.STATES.get(state, state) for state in found)}: {one.title}"
    said = [("state", f"{machine_checked.SIGNS[state]} {SHORT[state]}") for state in found if high > SMALL]
    first = top + high / 2 + 4 - 6.5 * len(said)
    kind = "uat-map-node uat-map-long" if len(_name(one)) > LONG else "uat-map-node"
    text = f'<text class="{kind}" x="{x:g}" y="{first:g}">{escape(_name(one))}</text>' + "".join(
        f'<text class="uat-map-{kind}" x="{x:g}" y="{first + 13 * k:g}">{words}</text>'
        for k, (kind, words) in enumerate(said, 1)
    )
    return (
        f'<a href="{_place(one)}" class="uat-map-{_look(one.id)}"><title>{escape(full)}</title>'
        f"{_shape(_look(one.id), x - NODE / 2, top, NODE, high)}{text}</a>"
    )


def _shape(look: str, x: float, y: float, wide: float, high: float) -> str:
    """Rounded where it is proved, with corners where in part, cut where refuted; dashes are the sheet's."""
    if look == "refuted":
        cut = 9
        corners = [(x + cut, y), (x + wide - cut, y), (x + wide, y + cut), (x + wide, y + high - cut),
                   (x + wide - cut, y + high), (x + cut, y + high), (x, y + high - cut), (x, y + cut)]  # fmt: skip
        return f'<polygon points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"/>'
    radius = {"proved": 12, "part": 0, "sizes": 4}[look]
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:g}" height="{high:g}" rx="{radius}"/>'


def _ground(files: list[str], top: float) -> tuple[str, float]:
    """What several statements share, as the ground below all, and how high it is."""
    lines = textwrap.wrap(f"shared lemmas: {', '.join(map(_words, files))}", 58)
    high = 12 + 14 * len(lines)
    text = "".join(f'<tspan x="{COLUMNS * WIDTH / 2:g}" y="{top + 17 + 14 * k:g}">{escape(line)}</tspan>'
                   for k, line in enumerate(lines))  # fmt: skip
    box = f'<rect x="0" y="{top:g}" width="{COLUMNS * WIDTH}" height="{high}" rx="4"/>'
    return f'<g class="uat-map-ground">{box}<text>{text}</text></g>', high


def _words(file: str) -> str:
    """What a file of lemmas is about."""
    return file.rpartition("/")[2].removesuffix(".v").replace("_", " ")


def _name(one: Statement) -> str:
    """Lemma 8, or the words of the id of what bears no number."""
    first, _, rest = one.id.partition(":")[2].partition("-")
    if first in PARTS:
        number, _, more = rest.partition("-")
        return f"{PARTS[first]} {number.upper()} {more}".strip()
    return statement_name(one.id) or f"{first} {rest.replace('-', ' ')}".strip()


def _named(id: str, own: list[Statement]) -> str:
    """The name of a statement, with its source where that is another one than of these."""
    name = _name(statements.get(id))
    source = next(each for each in SOURCES.values() if id.partition(":")[0] in each.keys)
    return name if id in {one.id for one in own} else f"{name} of {source.authors}"


def _place(one: Statement) -> str:
    """The first of its proofs, or its chapter; as seen from a page of the library."""
    theorems = machine_checked.of(one.id)
    return theorems[0].page if theorems else f"../chapters/{one.chapter}.html"


def _legend(every: list[Statement]) -> str:
    """What signs and lines say, and how many statements are in which state; one with two states counts in both."""
    marks = {state: _mark(state) for state in (*machine_checked.STATES, SIZES)}
    counts = {state: sum(state in states(one.id) for one in every) for state in marks}
    said = [
        f"<li>{mark} {machine_checked.STATES.get(s, s)}: {counts[s]}</li>" for s, mark in marks.items() if counts[s]
    ]
    said += [
        f'<li><svg viewBox="0 0 34 10" aria-hidden="true"><path class="uat-map-{kind}" d="M1 5H33"/></svg> {words}</li>'
        for kind, words in LINES.items()
    ]
    both = f"{len(every)} statements (some have two signs, as a false step beside a true theorem)"
    return f'<ul class="uat-map-legend"><li>{both}</li>{"".join(said)}</ul>'


def _mark(state: str) -> str:
    """The sign of a state."""
    return f'<span class="uat-map-{LOOKS.get(state, "refuted")}">{machine_checked.SIGNS[state]}</span>'


def _lines(own: list[Statement], edges: list[Edge], serves: Mapping[str, set[str]]) -> Iterator[str]:
    """Of each statement its states and all that it stands on, those lines too that the picture leaves out."""
    for one in own:
        parts = [", ".join(machine_checked.STATES.get(state, state) for state in states(one.id))]
        below = [edge for edge in edges if edge.above == one.id]
        for theorem, words in ((True, "stands on"), (False, "uses lemmas from the proof of")):
            if several := [_named(edge.below, own) for edge in below if edge.theorem is theorem]:
                parts.append(f"{words} {', '.join(several)}")
        if files := [_words(file) for file, many in serves.items() if one.id in many and len(many) > 1]:
            parts.append(f"shares the lemmas of {', '.join(files)}")
        yield f'<li><a href="{_place(one)}">{escape(_name(one))}</a>: {escape("; ".join(parts))}</li>'
