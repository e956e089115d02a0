"""What the page of the atlas says: verdicts with what is known, shares for its chart, the pair that fools a mixer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from uatlib.cheng2025.mixer_network import SCALES

from .drawn import NUMBERS, Share
from .record import CLEAR, LAYERS, Atlas, Cell, entry_of
from .registry import BIASED, MIXERS, VERDICTS, Claim, Entry, Pair
from .sparse import PRINTED

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


def anchor(name: str, what: str = "mixer") -> str:
    """The address of a mixer on the page of the atlas, or of its `row` in the table, opened."""
    return f"{what}-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


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

    @property
    def proved(self) -> bool:
        """Whether a proof says so, ours or one that is published, and none that the book refutes."""
        return self.claim is not None and self.claim.verdict == self.verdict and self.claim.why != PRINTED


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


def shares(atlas: Atlas) -> dict[str, dict[str, list[Share]]]:
    """By family and mixer, for each depth: the shares of sizes that are told apart and fooled, by what says so."""
    cells = by_name(atlas)
    rows: dict[str, dict[str, list[Share]]] = {family(entry): {} for entry in MIXERS.values()}
    for name, entry in MIXERS.items():
        counted = []
        for layers in LAYERS:
            kinds = [(cell.verdict, cell.proved) for cell in cells[name] if cell.layers == layers]
            asked = ((verdict, proved) for verdict in VERDICTS for proved in (True, False))
            counted.append(Share(*(kinds.count(kind) / max(len(kinds), 1) for kind in asked)))
        rows[family(entry)][name] = counted
    return rows


def family(entry: Entry) -> str:
    """As the page calls it."""
    return WORDS.get(entry.family, "yours")


def by_name(atlas: Atlas) -> dict[str, list[Found]]:
    """The cells of each mixer, in the order of the atlas."""
    cells: dict[str, list[Found]] = {name: [] for name in MIXERS}
    for cell in found(atlas):
        cells[cell.name].append(cell)
    return cells


class Trap(NamedTuple):
    """The pair that fools the most layers, token `tokens[0]` of X and `tokens[1]` of Y alike, and what proves it."""

    X: Any
    Y: Any
    tokens: tuple[int, int]
    layers: int
    claim: Claim | None


def trap(atlas: Atlas, cells: list[Found]) -> Trap | None:
    """Of one mixer: at the greatest depth that is fooled the pair of a proof, else the smallest that was recorded.

    What is fooled for tokens of all sizes comes before what is fooled for those of one entry alone.
    """
    fooled = [cell for cell in cells if cell.verdict == "no"]
    told = {cell[1:2] + cell[3:4] for cell in cells if cell.verdict != "no"}
    fooled = [cell for cell in fooled if cell[1:2] + cell[3:4] not in told] or fooled
    deep = [cell for cell in fooled if cell.layers == max(cell.layers for cell in fooled)]
    deep.sort(key=lambda cell: (cell.n * cell.d, cell.n))
    for _, n, d, layers, _, _, claim in deep:
        if claim and claim.pair:
            return Trap(*claim.pair(n, d), layers, claim)
    for name, n, d, layers, last, _, claim in deep:
        pair = atlas.pairs.get((name, layers, last), {})
        if (pair.get("n"), pair.get("d")) == (n, d):
            return Trap(pair["X"], pair["Y"], tuple(pair["tokens"]), layers, claim)
    return None


def nearest(atlas: Atlas, cells: list[Found]) -> tuple[Found, Cell] | None:
    """Of one mixer: where one layer came nearest to be fooled, of what the search told apart."""
    told = [(cell, atlas.row(cell.name, 1, cell.last)[cell.n, cell.d]) for cell in cells if cell.layers == 1]
    told = [(cell, found) for cell, found in told if cell.search == "yes" and math.isfinite(found.gap)]
    return min(told, key=lambda both: both[1].gap, default=None)


def kind(cells: list[Found]) -> str:
    """Of one mixer: "fooled" at all sizes and depths, "apart" at all, or "part"."""
    kinds = {cell.verdict for cell in cells}
    return "fooled" if kinds == {"no"} else "apart" if kinds == {"yes"} else "part"


def turned(cells: list[Found]) -> dict[str, str]:
    """By mixer, what its cells say of each number of layers, in words."""
    words: dict[str, dict[int, list[Found]]] = {}
    for cell in cells:
        words.setdefault(cell.name, {}).setdefault(cell.layers, []).append(cell)
    return {
        name: "; ".join(f"{depth(layers)}: {verdict(some)}" for layers, some in sorted(depths.items()))
        for name, depths in words.items()
    }


def depth(layers: int) -> str:
    """So many layers, in words."""
    return f"{layers} layer{'s' if layers > 1 else ''}"


def verdict(cells: list[Found]) -> str:
    """yes, no, or for which n yes; how often, where that depends on d, too."""
    kinds = {cell.verdict for cell in cells}
    if len(kinds) < 2:
        return kinds.pop() if kinds else "not asked"
    told = [cell for cell in cells if cell.verdict == "yes"]
    numbers = sorted({cell.n for cell in told})
    if len(told) == sum(cell.n in numbers for cell in cells):
        return f"yes at n = {', '.join(map(str, numbers))}"
    return f"yes at {len(told)} of {len(cells)} sizes"


def places(cells: list[Found]) -> str:
    """For which n all of these, of one depth, are fooled, in words; "" for none."""
    ns = sorted({cell.n for cell in cells})
    closed = [n for n in ns if all(cell.verdict == "no" for cell in cells if cell.n == n)]
    if not closed:
        return ""
    if closed == ns[ns.index(closed[0]) :]:
        return f"from n = {closed[0]} on"
    for rest, word in enumerate(("even", "odd")):
        if closed == [n for n in ns if n % 2 == rest and n >= closed[0]]:
            return f"at {word} n"
    return f"at n = {', '.join(map(str, closed))}"


def brief(cells: list[Found]) -> str:
    """The verdicts on one mixer in a few words: where it is fooled, or how sure it is that it is not."""
    if not cells:
        return "not asked"
    most = max(cell.n for cell in cells)
    if kind(cells) == "apart":
        return "proved: tells all apart" if all(cell.proved for cell in cells) else f"no pair found up to n = {most}"
    sure = "proved: " if all(cell.proved for cell in cells if cell.verdict == "no") else ""
    where = {layers: places([cell for cell in cells if cell.layers == layers]) for layers in LAYERS}
    closed = [layers for layers, said in where.items() if said]
    if not closed:
        return f"fooled at some sizes up to n = {most}"
    deepest = max(cell.layers for cell in cells if cell.verdict == "no")
    first, last = closed[0], closed[-1]
    if len({*where.values()}) == 1:
        return f"{sure}fooled {where[first]}"
    said = f"fooled {where[first]} in {depth_words(first)}"
    if deepest > last:
        return f"{said}, at some sizes in {NUMBERS[deepest]}"
    if last == first:
        return said + (f", no pair found in {NUMBERS[last + 1]}" if last < max(LAYERS) else "")
    if where[first] == where[last]:
        return f"fooled {where[first]} in up to {depth_words(last)}"
    return f"{said}, {where[last]} in {NUMBERS[last]}"


def depth_words(layers: int) -> str:
    """So many layers, with the number as a word."""
    return f"{NUMBERS[layers]} layer{'s' * (layers > 1)}"
