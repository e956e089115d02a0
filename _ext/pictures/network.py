"""The network of a proof, drawn small: layers by their steps, and two tokens that run through them.

A feed-forward layer is a box on each token, with its hidden units, attention a box on both, with a crossing a head.
"""

from collections.abc import Iterator, Sequence
from html import escape

from _ext.text.words import STEPS as WORDS
from uatbook.sources import SOURCES, STEPS
from uatbook.strip import SEQUENCE, Network, Part

CLASSES = dict(zip(STEPS, WORDS, strict=True))
"""Of a step, the word that has its colour."""
WIDE, HIGH, RAILS, NAMES = 320, 46, (10, 36), 61
"""Of a drawing: its width, the height of what spans both tokens, where these run, and where names stand."""
BOX, ROWS, MARGIN, UNIT, HEAD, LETTER = 20, 4, 1.6, 5, 26, 6.5
"""How high a layer is on one token, how many units stand above each other, the room left and right of a layer's units;
the most that a column of units, and a head, take; a letter's width."""
KEYS, FAN = 14, 44
"""One head that does it all: how wide its keys and its values are, and what leads there."""
ROW, FROM, TINY = 18, 114, 2.6
"""All networks below each other: how high a row is, where a network begins, what a column of units takes."""
DASH, TINY_DASH = (3, 2), (2, 1)
"""A unit, and the room to the next."""


def drawing(network: Network, lit: Sequence[str]) -> str:
    """A network, with the parts of the steps `lit` in colour."""
    drawn = "".join((_one_head if network.shares else _layers)(network, lit))
    return _picture(said(network, lit), -12, NAMES + 17, drawn)


def _picture(words: str, top: int, high: int, drawn: str) -> str:
    alt = escape(words, quote=True)
    return f'<svg viewBox="0 {top} {WIDE} {high}" role="img" aria-label="{alt}" translate="no">{drawn}</svg>'


def said(network: Network, lit: Sequence[str]) -> str:
    """The picture in words."""
    parts = "; ".join(f"{part.step}, {part.said}" for part in network.parts)
    tokens = [SEQUENCE, *(part.tokens for part in network.parts[:-1] if part.tokens), network.answer]
    values = ", then ".join(" and ".join(map(_number, pair)) for pair in tokens)
    here = "all of it" if len(lit) == len(STEPS) else " and ".join(lit)
    return f"The network of {SOURCES[network.source].authors}: {parts}. This chapter: {here}. Two tokens: {values}."


def _number(token: float) -> str:
    return f"{token:.2f}".replace("-", "\N{MINUS SIGN}")


def _layers(network: Network, lit: Sequence[str]) -> Iterator[str]:
    """Layers side by side, and between the steps what the tokens are."""
    parts = network.parts
    texts = [[_number(token) for token in tokens or ()] for tokens in (SEQUENCE, *(part.tokens for part in parts))]
    widths = [LETTER * max(map(len, text)) + 6 for text in texts]
    widths[0] += 9  # the marks of the tokens
    sizes = [(part.kind, number) for part in parts for number in part.sizes]
    columns = sum(-(-number // ROWS) for kind, number in sizes if kind != "attention")
    heads = sum(number for kind, number in sizes if kind == "attention")
    room = WIDE - sum(widths) - 2 * MARGIN * len(sizes)
    unit = min(UNIT, room / (columns + 1.4 * heads))
    head = min(HEAD, (room - unit * columns) / heads)
    spare = (room - unit * columns - head * heads) / (2 * len(parts))
    x, groups, rails = 0.0, [], []
    for k, (text, width) in enumerate(zip(texts, widths, strict=True)):
        x += width
        yield _tokens(text, x - 4)
        if k == len(parts):
            break
        part, start = parts[k], x
        x += spare
        at, boxes, lines = x, "", ""
        for number in part.sizes:
            attends = part.kind == "attention"
            size = 2 * MARGIN + (head * number if attends else unit * -(-number // ROWS))
            shape, line = (_attention if attends else _feed_forward)(x, size, number, head if attends else unit)
            boxes, lines, x = boxes + shape, lines + line, x + size
        groups.append(_group(part, lit, at, x, _part(part, boxes, lines, unit, DASH)))
        x += spare
        rails += [f"M{start:.4g} {y}H{x:.4g}" for y in RAILS]
    yield f'<path class="rail" d="{"".join(rails)}"/>{_marks()}{"".join(groups)}'


def _feed_forward(x: float, size: float, units: int, unit: float) -> tuple[str, str]:
    """A box on each token, and columns of hidden units in it."""
    boxes = "".join(_box(x, y - BOX // 2, size, BOX) for y in RAILS)
    return boxes, "".join(_units(x + MARGIN, y - BOX // 2 + 1, units, unit, DASH) for y in RAILS)


def _attention(x: float, size: float, heads: int, head: float) -> tuple[str, str]:
    """A box on both tokens, in which each head leads from either to the other."""
    up, down = RAILS
    return _box(x, 0, size, HIGH), "".join(_crossing(x + MARGIN + head * k, up, head, down - up) for k in range(heads))


def _box(x: float, y: float, size: float, high: float) -> str:
    return f"M{x + 0.6:.4g} {y:g}h{size - 1.2:.3g}v{high:g}h{1.2 - size:.3g}z"


def _units(x: float, y: float, count: int, wide: float, dash: tuple[int, int]) -> str:
    """Columns of units, which dashes make of lines."""
    long = [sum(dash) * min(ROWS, count - first) - dash[1] for first in range(0, count, ROWS)]
    return "".join(f"M{x + wide * (k + 0.5):.4g} {y:g}v{high}" for k, high in enumerate(long))


def _crossing(x: float, y: float, size: float, high: float) -> str:
    return f"M{x + 0.7:.4g} {y:g}l{size - 1.4:.3g} {high:g}m0 {-high:g}l{1.4 - size:.3g} {high:g}"


def _one_head(network: Network, lit: Sequence[str]) -> Iterator[str]:
    """Tokens lead to keys, a key a cell; these to values, each as dark as its key is heavy; values to the answer."""
    texts = [[_number(token) for token in pair] for pair in (SEQUENCE, network.answer)]
    wide = LETTER * 4 + 6
    left, right = wide + 9, WIDE - wide
    cells = len(network.shares)
    rows = [HIGH * (k + 0.5) / cells for k in range(cells)]
    keys, values = left + FAN, right - FAN
    yield _tokens(texts[0], left - 3) + _tokens(texts[1], WIDE - 3) + _marks()
    fan = "".join(
        f"M{left:.4g} {y}L{keys:.4g} {row:.4g}M{right:.4g} {y}L{values:.4g} {row:.4g}" for y in RAILS for row in rows
    )
    yield f'<path class="rail fan" d="{fan}"/>'
    cut, tell, look = network.parts
    for part, x in ((cut, keys), (look, values - KEYS)):
        ticks = "".join(f"M{x + 3:.4g} {row:.4g}h{KEYS - 6}" for row in rows)
        drawn = f'<path d="{_box(x, -1, KEYS, HIGH + 2)}"/><path class="in" d="{ticks}"/>'
        yield _group(part, lit, x, x + KEYS, drawn)
    a, b = keys + KEYS, values - KEYS
    paths = "".join(
        f'<path class="in share" d="M{a + 2:.4g} {row:.4g}H{b - 2:.4g}" stroke-opacity="{0.12 + 0.88 * share:.2f}"/>'
        for row, share in zip(rows, network.shares, strict=True)
    )
    yield _group(tell, lit, a, b, paths)


def _tokens(texts: Sequence[str], x: float) -> str:
    return "".join(
        f'<text x="{x:.4g}" y="{y + 4}" text-anchor="end">{text}</text>' for y, text in zip(RAILS, texts, strict=True)
    )


def _marks() -> str:
    """A disc and a square, as tokens have in all pictures."""
    up, down = RAILS
    return f'<circle class="one" cx="5" cy="{up}" r="4"/><path class="two" d="M1.3 {down - 3.7}h7.4v7.4h-7.4z"/>'


def _part(part: Part, boxes: str, lines: str, unit: float, dash: tuple[int, int]) -> str:
    """Boxes, and what is in them."""
    units = f' stroke-width="{unit - 1:.3g}" stroke-dasharray="{dash[0]} {dash[1]}"'
    inner = "" if part.kind in ("attention", "softmax") else units
    return f'<path d="{boxes}"/><path class="in" d="{lines}"{inner}/>'


def _group(part: Part, lit: Sequence[str], start: float, end: float, drawn: str, *, named: bool = True) -> str:
    """A part with its name below it; what the chapter is about has a colour, and, as on the staircase, a dot."""
    here, middle = part.step in lit, (start + end) / 2
    kind = f"{CLASSES[part.step]}{' here' if here else ''}"
    dot = f'<circle class="dot" cx="{middle:.4g}" cy="-7" r="4"/>' if here and len(lit) < len(STEPS) else ""
    name = f'<text x="{middle:.4g}" y="{NAMES}" text-anchor="middle">{part.step}</text>' if named else ""
    return f'<g class="{kind}"><title>{part.step}: {part.said}</title>{drawn}{dot}{name}</g>'


def together(networks: Sequence[Network]) -> str:
    """All networks, a row each, in which one line stands for both tokens."""
    words, rows = [], []
    for row, network in enumerate(networks):
        middle, x, parts = ROW * row + ROW // 2, float(FROM), []
        for part in network.parts:
            start, boxes, lines = x, "", ""
            for number in part.sizes:
                heads = {"attention": number, "softmax": 1}.get(part.kind, 0)
                size = TINY * (1.5 * number if part.kind == "attention" else -(-number // ROWS)) + 2
                boxes += _box(x, middle - 7, size, 14)
                lines += "".join(_crossing(x + size * k / heads, middle - 4, size / heads, 8) for k in range(heads))
                lines += "" if heads else _units(x + 1, middle - 5.5, number, TINY, TINY_DASH)
                x += size
            parts.append(_group(part, STEPS, start, x, _part(part, boxes, lines, TINY, TINY_DASH), named=False))
            x += 5
        name, layers = SOURCES[network.source].authors, f"{network.layers} layers"
        words.append(f"{name}, {layers}")
        rows.append(
            f'<text y="{middle + 4}">{name}</text><path class="rail" d="M{FROM - 5} {middle}H{x:.4g}"/>{"".join(parts)}'
            f'<text x="{WIDE}" y="{middle + 4}" text-anchor="end">{layers}</text>'
        )
    return _picture(f"The networks of all proofs: {'; '.join(words)}.", 0, ROW * len(networks), "".join(rows))
