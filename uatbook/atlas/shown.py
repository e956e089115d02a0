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
from . import drawn, page
from .also import ALSO, OTHERS, USED
from .drawn import Share
from .page import (
    Found,
    Trap,
    anchor,
    biased,
    brief,
    by_name,
    depth,
    depth_words,
    family,
    kind,
    nearest,
    shares,
    trap,
    turned,
    verdict,
)
from .papers import PAPERS
from .record import LAYERS, Atlas
from .registry import MIXERS, VERDICTS, Entry

KINDS = ("fooled", "part", "apart")
"""What `page.kind` says."""
LOOKS = {"proved": "yes", "no pair found": "open", "fooled": "no"}
"""How a verdict looks where it is a square."""
STATE = "atlas?verdict={}"
"""The address of the table, filtered by a kind of verdict."""
ASKS = "cheng2025"
RESULT = re.compile(r"\b(Lemma|Corollary) (\d+)\b")
"""What a claim names of that paper."""
PRODUCT = re.compile(
    r"(?P<before>(?:\b[a-z]|sin|cos|\)) |)(?<!\w)<(?=[\w(])(?P<both>[^<>]+?)>(?P<after> (?=[A-Z]_|v_|cos)|)"
)
"""An inner product, as docstrings type it, and whether it is a factor of more."""
NO_PROOF = "No trap of the search closed. No proof here."


class Count:
    """How many mixers there are, of how many papers, written large; how many are fooled, and by what."""

    def __init__(self, atlas: Atlas) -> None:
        cells = by_name(atlas)
        self.mixers, self.papers = len(MIXERS), len({entry.source for entry in MIXERS.values()})
        self.kinds = Counter(kind(some) for some in cells.values())
        self.proved = sum(kind(some) == "apart" and all(cell.proved for cell in some) for some in cells.values())
        closed = (found for some in cells.values() if (found := trap(atlas, some)))
        self.changes = Counter(_told(found) for found in closed)

    def sentences(self, mark: str = "{words}") -> str:
        """What a reader takes away; `mark` says how the words of each kind of verdict are written."""
        ends = {
            "fooled": "are fooled at every size and depth that was asked",
            "part": "at some",
            "apart": "were not fooled at all",
        }
        told = [mark.format(kind=k, words=f"{self.kinds[k]} {words}") for k, words in ends.items()]
        found = self.kinds["apart"] - self.proved
        return f"{told[0]}, {told[1]}, and {told[2]}: {self.proved} by proof, {found} as far as a search could find."

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


KEYS = {"proved to tell all apart": Share(1), "no pair found": Share(0, 1), "proved to be fooled": Share(0, 0, 1)}
"""What the bars of the chart say."""


class Chart:
    """A row for each mixer, by family: its name, its bars of one to four layers, and what they say in words."""

    def __init__(self, atlas: Atlas) -> None:
        cells = by_name(atlas)
        self.rows = shares(atlas)
        self.said = {name: summary(some) for name, some in cells.items()}
        self.words = {name: brief(some) for name, some in cells.items()}

    def _repr_html_(self) -> str:
        keys = " ".join(f"<span>{drawn.bars([look], '')} {said}</span>" for said, look in KEYS.items())
        head = "".join(f"<i>{layers}</i>" for layers in LAYERS)
        parts = []
        for name, mixers in self.rows.items():
            links = "".join(
                f'<li><a href="#{anchor(one)}"><span>{escape(one)}</span> {drawn.bars(depths, self.said[one])} '
                f"<small>{self.words[one]}</small></a></li>"
                for one, depths in mixers.items()
            )
            parts.append(f"<p><b>{name}</b> <span>{head}</span></p><ul>{links}</ul>")
        key = f'<p class="uat-key">{keys}</p>'
        return f'<div class="uat-figure">{key}<div class="uat-chart"><div>{"".join(parts)}</div></div></div>'

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {said}" for name, said in self.words.items())


class Row(NamedTuple):
    """Of the table: the words of its cells, the kind of its verdict, the drawing, what it means, and how sure it is."""

    words: list[str]
    kind: str
    drawing: str
    means: str = ""
    sure: str = ""


class Table:
    """The atlas as a table of HTML, formulas and pairs folded below names; as text a line a mixer."""

    def __init__(self, atlas: Atlas) -> None:
        opened = turned(biased(atlas))
        cells = by_name(atlas)
        self.rows = [_row(MIXERS[name], atlas, some, opened.get(name, "")) for name, some in cells.items()]

    def _repr_html_(self) -> str:
        names = ["mixer", "family", "asked", *map(depth, LAYERS), "analytic", "why", "trap"]
        head = "".join(f'<th scope="col">{name}</th>' for name in names)
        lines = []
        for (name, paper, *rest), is_, drawing, means, sure in self.rows:
            cells = "".join(_cell(label, text) for label, text in zip(names[1:], rest, strict=True))
            said = f"{escape(name)} <small>{escape(paper)}</small>"
            long = ' class="uat-long"' if any(" at " in text for text in rest[2 : 2 + len(LAYERS)]) else ""
            formula = inspect.getdoc(MIXERS[name].mix)
            told = f"<p>{_set(formula)}</p>" if formula else ""
            place = f'<p><a href="#{anchor(name)}">Link to this mixer</a></p>'
            meant = f"<p><b>What it means.</b> {escape(means)}</p><p><b>How sure?</b> {sure}</p>" if means else ""
            inside = f"<summary>{said}</summary>{told}{drawing}{meant}{place}"
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


def _set(text: str) -> str:
    """What a docstring or a claim says, with its formulas set; <a, b> as a product with a dot."""
    return text_html(PRODUCT.sub(_dot, text))


def _dot(found: re.Match[str]) -> str:
    both = found["both"]
    cut = next(k for k, sign in enumerate(both) if sign == "," and both.count("(", 0, k) == both.count(")", 0, k))
    sides = (both[:cut], both[cut + 2 :])
    product = " . ".join(f"({side})" if " " in side else side for side in sides)
    return f"{found['before']}{f'({product})' if found['before'] or found['after'] else product}{found['after']}"


def _cell(label: str, text: str) -> str:
    """A cell, with its column and the kind of its verdict, which narrow screens show as a square."""
    kind_ = LOOKS.get(text, "part")
    mark = f' class="uat-verdict uat-{kind_}"' if label in map(depth, LAYERS) else ""
    html = RESULT.sub(_chapter, _set(text)) if label == "why" else _set(text)
    return f'<td{mark} data-label="{label}">{html}</td>'


def _chapter(named: re.Match[str]) -> str:
    """A result of the paper that asks the question, as a link to the chapter that has its proof."""
    one = statements.get(f"{ASKS}:{named[1][:3].lower()}-{named[2]}")
    return f'<a href="../chapters/{one.chapter}.html">{named[0]}</a>'


class Others:
    """Names that are looked up and are no mixer of the atlas, folded: why not, and which mixers are nearest."""

    def _repr_html_(self) -> str:
        parts = []
        for name, one in OTHERS.items():
            links = ", ".join(f'<a href="#{anchor(near)}">{escape(near)}</a>' for near in one.near)
            near = f" {'It is' if one.same else 'Nearest'}: {links}." if links else ""
            kinds = f' data-also="{escape(one.also)}"{" data-same" if one.same else ""}'
            parts.append(f"<p{kinds}><b>{escape(name)}</b> <span>{escape(one.why)}</span>{near}</p>")
        heads = f"<summary>{len(OTHERS)} names that are looked up, and what is nearest to them</summary>"
        return f'<details class="uat-answer uat-others">{heads}{"".join(parts)}</details>'

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {one.why} {', '.join(one.near)}".strip() for name, one in OTHERS.items())


class Log:
    """What was asked, when and where, and where search and proof do not say the same: folded, line by line."""

    def __init__(self, atlas: Atlas) -> None:
        sizes, cells, again = atlas.header["settings"], list(page.found(atlas)), biased(atlas)
        against = Counter((cell.name, claim.source) for cell, claim in page.against(atlas))
        count = Counter(cell.verdict for cell in cells)
        asked = [f"{key} {', '.join(map(str, sizes[key]))}" for key in ("n", "d", "layers", "seeds")]
        self.lines = [
            f"Asked: {'; '.join(asked)}.",
            f"{len(cells):,} questions: {count['yes']:,} told apart, {count['no']:,} fooled.",
            *(
                f"{cell.verdict}: {cell.name}, {depth(cell.layers)}, n = {cell.n}, d = {cell.d}"
                for cell in cells
                if cell.verdict not in VERDICTS
            ),
            f"Told apart by the search alone: {len(page.unreasoned(atlas)):,}.",
            *(
                f"Fooled by a proof, not seen by the search: {name}, {many} settings"
                for name, many in Counter(cell.name for cell in page.missed(atlas)).items()
            ),
            *(
                f"Told apart by a theorem{' of others' * bool(source)}, fooled by the search: {name}, {many} settings"
                for (name, source), many in against.items()
            ),
            *(f"With biases, {name}: {said}" for name, said in turned(again).items() if "yes" in said),
            *(f"{run['date']}, {run['machine']}" for run in (*atlas.header["earlier"], atlas.header)),
            *(
                f"{later['date']}, new pairs: {', '.join(later['families'])}; {later['answers']:,} answers asked again"
                for later in atlas.header["renewed"]
            ),
            atlas.header["command"],
        ]

    def _repr_html_(self) -> str:
        said = "".join(f"<li>{escape(line)}</li>" for line in self.lines)
        return f'<details class="uat-answer uat-log"><summary>The log of the search</summary><ul>{said}</ul></details>'

    def __repr__(self) -> str:
        return "\n".join(self.lines)


def _means(name: str, cells: list[Found], found: Trap | None) -> str:
    """What the verdict means for a model that mixes so."""
    which = "last" if MIXERS[name].causal else "ringed"
    model = f"For models that mix so, as {USED[name]}" if name in USED else "For models that mix so"
    if kind(cells) == "apart":
        known = "there are no two sequences" if all(cell.proved for cell in cells) else "we know of no two sequences"
        return f"{model}: {known} that they must take for one another."
    if not found:
        return f"{model}: seeds do not agree on whether they must take some sequences for one another."
    after = "after one layer" if found.layers == 1 else f"after up to {depth_words(found.layers)}"
    around = "what stands around the mixing, as feed-forward layers, positions or biases"
    more = "" if found.layers == max(LAYERS) else ", or another layer"
    return (
        f"{model}: {after} the {which} token is the same for both sequences, whatever was learned; "
        f"only {around}{more} can make a difference."
    )


def _sure(atlas: Atlas, cells: list[Found], opened: str) -> str:
    """Proved or searched, and how far."""
    ns, ds, layers = ({getattr(cell, name) for cell in cells} for name in ("n", "d", "layers"))
    seeds = {len(atlas.row(cell.name, cell.layers, cell.last)[cell.n, cell.d].verdicts) for cell in cells}
    many = f"{min(seeds)} seed{'s' * (min(seeds) > 1)}" if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)} seeds"
    far = (
        f"{min(ns)} to {max(ns)} tokens of {min(ds)} to {max(ds)} entries, "
        f"{min(layers)} to {depth(max(layers))}, {many}"
    )
    said = []
    for verdict_, what in (("no", "Fooled"), ("yes", "Told apart")):
        some = [cell for cell in cells if cell.verdict == verdict_]
        proved = sum(cell.proved for cell in some)
        if some:
            how = "proved" if proved == len(some) else "searched, not proved" if not proved else "proved in part"
            said.append(f"{what}: {how}.")
    turned_ = opened.replace("yes", "told apart").replace("no", "fooled")
    turns = f" With biases in its projections: {turned_}." if opened else ""
    return f"{' '.join(said)} Asked with {far}.{turns}"


def _row(entry: Entry, atlas: Atlas, cells: list[Found], opened: str = "") -> Row:
    found, why = trap(atlas, cells), _why(cells)
    words = [
        entry.name,
        PAPERS[entry.source],
        family(entry),
        "last" if entry.causal else "all",
        *(_verdict([cell for cell in cells if cell.layers == layers]) for layers in LAYERS),
        "yes" if entry.analytic else "no",
        why,
        _told(found) if found else "",
    ]
    drawing = _pair(found) if found else _gap(atlas, cells)
    means = _means(entry.name, cells, found) if cells else ""
    return Row(words, kind(cells), drawing, means, _sure(atlas, cells, opened) if cells else "")


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
    by_depth = [(layers, _verdict([cell for cell in cells if cell.layers == layers])) for layers in LAYERS]
    said = []
    for words, run in groupby(by_depth, key=lambda both: both[1]):
        some = [layers for layers, _ in run]
        layers = depth(some[0]) if len(some) == 1 else f"{some[0]} to {depth(some[-1])}"
        said.append(f"{layers}: {words}")
    return "; ".join(said)


def _verdict(cells: list[Found]) -> str:
    """As the chart says it: whether those that are told apart are proved to be, or no pair was found."""
    said = verdict(cells)
    sure = all(cell.proved for cell in cells if cell.verdict == "yes")
    return "fooled" if said == "no" else said.replace("yes", "proved" if sure else "no pair found")


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
