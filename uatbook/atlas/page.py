"""What the page of the atlas shows: verdicts with what is known, shares for its picture, and its table."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

import torch

from uatlib.cheng2025.mixer_network import SCALES
from uatlib.internal.formula_html import text_html

from .papers import PAPERS
from .record import CLEAR, LAYERS, Atlas, entry_of
from .registry import BIASED, MIXERS, VERDICTS, Claim, Entry, Pair

WORDS = {
    "attention": "scores",
    "positions": "places in scores",
    "sparse": "some tokens",
    "sets": "sets",
    "linear": "linear time",
    "static": "by place",
    "recurrent": "state by state",
}
"""Families, as the page calls them; a mixer of another module is yours."""
ALWAYS_HEARD = {"RG-LRU (Griffin)"}
"""Mixers that no weights make 0."""


def anchor(name: str) -> str:
    """The address of a mixer on the page of the atlas."""
    return "mixer-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


class Found(NamedTuple):
    """A cell: what the search says, and what a claim says, if one does."""

    name: str
    n: int
    d: int
    layers: int
    last: bool
    search: str
    claim: Claim | None

    @property
    def verdict(self) -> str:
        """What the search says, unless a proof of ours says something."""
        return self.claim.verdict if self.claim and not self.claim.source else self.search


def found(atlas: Atlas) -> Iterator[Found]:
    """All cells that were asked; of causal mixers those of the last token."""
    for name, n, d, layers, last in atlas.settings():
        if (entry := MIXERS.get(name)) is None or last != entry.causal:
            continue
        known = [claim for verdict in ("no", "yes") for claim in entry.known(verdict, n, d, layers, last)]
        yield Found(name, n, d, layers, last, _searched(atlas, name, n, d, layers, last), known[0] if known else None)


def _searched(atlas: Atlas, name: str, n: int, d: int, layers: int, last: bool) -> str:
    """The verdict; where seeds are unsure and none says "no", the "yes" of fewer layers: one more may be silent."""
    verdict = atlas.verdict(name, n, d, layers, last) or ""
    if (
        verdict in VERDICTS
        or layers == 1
        or name in ALWAYS_HEARD
        or "n" in atlas.row(name, layers, last)[n, d].verdicts
    ):
        return verdict
    return "yes" if _searched(atlas, name, n, d, layers - 1, last) == "yes" else verdict


def missed(atlas: Atlas) -> list[Found]:
    """Where a proof says "no" and the search did not."""
    return [cell for cell in found(atlas) if cell.claim and cell.claim.verdict == "no" and cell.search != "no"]


def unexplained(atlas: Atlas) -> list[Found]:
    """Where the search says "no" and no proof here does: open, or against a claim."""
    return [cell for cell in found(atlas) if cell.search == "no" and (not cell.claim or cell.claim.verdict == "yes")]


def against(atlas: Atlas) -> list[tuple[Found, Claim]]:
    """Where the search says "no" and a claim "yes"."""
    return [
        (cell, claim)
        for cell in found(atlas)
        if cell.search == "no"
        for claim in MIXERS[cell.name].known("yes", cell.n, cell.d, cell.layers, cell.last)
    ]


def unreasoned(atlas: Atlas) -> list[Found]:
    """Where all that says "yes" is the search."""
    return [cell for cell in found(atlas) if cell.verdict == "yes" and not cell.claim]


def biased(atlas: Atlas) -> list[Found]:
    """Cells of mixers with biases that are fooled without; a pair of a proof that biases leave alike says "no"."""
    found = []
    for whole, n, d, layers, last in atlas.settings():
        entry = MIXERS.get(name := whole.removesuffix(BIASED))
        if whole.endswith(BIASED) and entry and last == entry.causal:
            known = [claim for claim in entry.known("no", n, d, layers, last) if claim.pair]
            still = [claim for claim in known if claim.pair and _alike(entry_of(whole), claim.pair(n, d), layers)]
            said = atlas.verdict(whole, n, d, layers, last) or ""
            found.append(Found(name, n, d, layers, last, said, still[0] if still else None))
    return found


def _alike(entry: Entry, pair: Pair, layers: int) -> bool:
    """Whether random parameters, small, middling and large, leave the two tokens of a pair alike."""
    (X, Y, (i, j)), draws = pair, torch.Generator().manual_seed(0)
    (d, n), most = X.shape, 0.0
    g, count = entry.g(n, d), entry.parameters(n, d)
    for k in range(30):
        F, G = X, Y
        for _ in range(layers):
            theta = SCALES[k % 3] * torch.randn(count, generator=draws, dtype=X.dtype)
            F, G = F + g(F, theta), G + g(G, theta)
        most = max(most, float((F[:, i] - G[:, j]).abs().max() / (1 + F.abs().max())))
    return most < CLEAR


def shares(atlas: Atlas) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """By family and mixer, for each depth: the shares of sizes at which tokens are told apart, and at which not."""
    cells = _by_name(atlas)
    rows: dict[str, dict[str, list[tuple[float, float]]]] = {_family(entry): {} for entry in MIXERS.values()}
    for name, entry in MIXERS.items():
        counted = []
        for layers in LAYERS:
            verdicts = [cell.verdict for cell in cells[name] if cell.layers == layers]
            count = max(len(verdicts), 1)
            counted.append((verdicts.count("yes") / count, verdicts.count("no") / count))
        rows[_family(entry)][name] = counted
    return rows


def _family(entry: Entry) -> str:
    return WORDS.get(entry.family, "yours")


def _by_name(atlas: Atlas) -> dict[str, list[Found]]:
    cells: dict[str, list[Found]] = {name: [] for name in MIXERS}
    for cell in found(atlas):
        cells[cell.name].append(cell)
    return cells


class Count(NamedTuple):
    """How many mixers there are, of how many papers, written large."""

    mixers: int
    papers: int

    def _repr_html_(self) -> str:
        return f'<p class="uat-count"><b>{self.mixers}</b> mixers, <b>{self.papers}</b> papers</p>'

    def __repr__(self) -> str:
        return f"{self.mixers} mixers from {self.papers} papers"


class Table:
    """The atlas as a table of HTML, formulas folded below names; as text a line a mixer."""

    def __init__(self, atlas: Atlas) -> None:
        self.rows = [_row(MIXERS[name], atlas, cells) for name, cells in _by_name(atlas).items()]
        self.formulas = [inspect.getdoc(MIXERS[name].mix) or "" for name in MIXERS]

    def _repr_html_(self) -> str:
        names = ["mixer", "family", "asked", *(_depth(layers) for layers in LAYERS), "analytic", "why", "trap"]
        head = "".join(f'<th scope="col">{name}</th>' for name in names)
        lines = []
        for (name, paper, *rest), formula in zip(self.rows, self.formulas, strict=True):
            cells = "".join(_cell(label, text) for label, text in zip(names[1:], rest, strict=True))
            said = f"{escape(name)} <small>{escape(paper)}</small>"
            kind = ' class="uat-long"' if any(" at " in text for text in rest[2 : 2 + len(LAYERS)]) else ""
            place = f'<a href="#{anchor(name)}">Link to this mixer</a>'
            told = f"{text_html(formula)}<br>{place}" if formula else place
            fold = f"<details{kind}><summary>{said}</summary><p>{told}</p></details>"
            lines.append(f'<tr id="{anchor(name)}"><th scope="row">{fold}</th>{cells}</tr>')
        return (
            '<div class="uat-atlas"><table><caption>The atlas: verdicts over all sizes that were asked, by depth.'
            f"</caption><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        return "\n".join(f"{row[0]}: {', '.join(row[4 : 4 + len(LAYERS)])}" for row in self.rows)


def _cell(label: str, text: str) -> str:
    """A cell, with its column and the kind of its verdict, which narrow screens show as a square."""
    kind = ""
    if label in map(_depth, LAYERS):
        kind = f' class="uat-verdict uat-{text if text in ("yes", "no") else "part"}"'
    return f'<td{kind} data-label="{label}">{text_html(text)}</td>'


def turned(cells: list[Found]) -> dict[str, str]:
    """By mixer, what its cells say of each number of layers, in words."""
    words: dict[str, dict[int, list[Found]]] = {}
    for cell in cells:
        words.setdefault(cell.name, {}).setdefault(cell.layers, []).append(cell)
    return {
        name: "; ".join(f"{_depth(layers)}: {_verdict(some)}" for layers, some in sorted(depths.items()))
        for name, depths in words.items()
    }


def _depth(layers: int) -> str:
    return f"{layers} layer{'s' if layers > 1 else ''}"


def _row(entry: Entry, atlas: Atlas, cells: list[Found]) -> list[str]:
    return [
        entry.name,
        PAPERS[entry.source],
        _family(entry),
        "last" if entry.causal else "all",
        *(_verdict([cell for cell in cells if cell.layers == layers]) for layers in LAYERS),
        "yes" if entry.analytic else "no",
        _why(cells),
        _trap(atlas, cells),
    ]


def _verdict(cells: list[Found]) -> str:
    """yes, no, or for which n yes; how often, where that depends on d, too."""
    kinds = {cell.verdict for cell in cells}
    if len(kinds) < 2:
        return kinds.pop() if kinds else "not asked"
    told = [cell for cell in cells if cell.verdict == "yes"]
    numbers = sorted({cell.n for cell in told})
    if len(told) == sum(cell.n in numbers for cell in cells):
        return f"yes at n = {', '.join(map(str, numbers))}"
    return f"yes at {len(told)} of {len(cells)} sizes"


def _trap(atlas: Atlas, cells: list[Found]) -> str:
    """By which pair the fewest layers are fooled: the nearest that the search found, or that of a proof."""
    fooled = [cell for cell in cells if cell.verdict == "no"]
    least = [cell for cell in fooled if cell.layers == min(cell.layers for cell in fooled)]
    recorded = [atlas.row(cell.name, cell.layers, cell.last)[cell.n, cell.d] for cell in least if cell.search == "no"]
    if recorded:
        return min(recorded, key=lambda cell: cell.gap).family
    return "the pair of the proof" if least else ""


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
    return " ".join(said)
