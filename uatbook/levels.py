"""Boxes in rows, each above those to which its lines lead, and the curves of these lines: places alone, no drawing."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

GROUND = ""
"""Where lines end that lead below all rows."""
COLUMNS, WIDTH, HEIGHT, GAP, PORT = 3, 120, 46, 32, 20
"""Boxes a row; the width of a column, the height of a box, the space between rows, the space between lines at a box."""
SWEEPS = 60


class Layout(NamedTuple):
    """Rows from the top, each of them `COLUMNS` places, and the lines from a node to one further down."""

    rows: list[list[str | None]]
    lines: list[tuple[str, str]]

    @property
    def at(self) -> dict[str, tuple[int, int]]:
        """Row and column of each node."""
        return {name: (r, c) for r, row in enumerate(self.rows) for c, name in enumerate(row) if name is not None}


def layout(lines: list[tuple[str, str]], grounded: Iterable[str]) -> Layout:
    """Each node above what it stands on, and these by levels; lines that are short, and seldom cross."""
    below = defaultdict[str, set[str]](set)
    for a, b in lines:
        below[a].add(b)

    @functools.cache
    def height(name: str) -> int:
        return max((height(b) + 1 for b in below[name]), default=0)

    names = sorted({name for line in lines for name in line} | {*grounded})
    levels = [[name for name in names if height(name) == h] for h in sorted({*map(height, names)}, reverse=True)]
    rows, groups = list[list[str | None]](), list[list[tuple[int, int]]]()
    for level in levels:
        groups.append([(len(rows) + k // COLUMNS, k % COLUMNS) for k in range(-(-len(level) // COLUMNS) * COLUMNS)])
        places = [*level, *[None] * (len(groups[-1]) - len(level))]
        rows += [places[k : k + COLUMNS] for k in range(0, len(places), COLUMNS)]
    found = Layout(rows, [*lines, *((name, GROUND) for name in grounded)])
    best = _cost(found)
    for _ in range(SWEEPS):
        before = best
        for (r, c), (s, d) in itertools.chain(*(itertools.combinations(places, 2) for places in groups)):
            rows[r][c], rows[s][d] = rows[s][d], rows[r][c]
            if (now := _cost(found)) < best:
                best = now
            else:
                rows[r][c], rows[s][d] = rows[s][d], rows[r][c]
        if best == before:
            break
    return found


def _cost(found: Layout) -> float:
    """How far lines go sideways, how many rows they pass by, and, dearest, how often two cross."""
    at = found.at
    ends = [(at[a], at.get(b, (len(found.rows), at[a][1]))) for a, b in found.lines]
    cost = sum(abs(c - d) + 0.7 * (s - r - 1) for (r, c), (s, d) in ends)
    cost += 0.1 * sum(abs(c - COLUMNS // 2) for _, c in at.values())
    for ((r, c), (s, d)), ((t, e), (u, f)) in itertools.combinations(ends, 2):
        top, end = max(r, t), min(s, u)
        if top < end:
            one = [c + (d - c) * (row - r) / (s - r) for row in (top, end)]
            two = [e + (f - e) * (row - t) / (u - t) for row in (top, end)]
            cost += 2 * ((one[0] - two[0]) * (one[1] - two[1]) < 0)
    return cost


def middle_of(column: float) -> float:
    """The middle of a column."""
    return WIDTH * (column + 0.5)


def curves(found: Layout) -> dict[tuple[str, str], str]:
    """The curve of each line; it passes rows where there is room, and what goes to the ground goes straight down."""
    at, taken, made = found.at, defaultdict[tuple[int, float], int](int), dict[tuple[str, str], str]()
    for a, b in found.lines:
        (r, c), (s, d) = at[a], at.get(b, (len(found.rows), at[a][1]))
        out = sorted((two for one, two in found.lines if one == a), key=lambda two: at.get(two, (99, c))[1])
        into = sorted((one for one, two in found.lines if two == b and b in at), key=lambda one: at[one][1])
        x, y = middle_of(c) + PORT * (out.index(b) - (len(out) - 1) / 2), top_of(r) + HEIGHT
        end = middle_of(d) + PORT * (into.index(a) - (len(into) - 1) / 2) if into else x
        curve = f"M{x:.1f} {y:.1f}"
        for row in range(r + 1, s):
            room: list[float] = [k * WIDTH for k in range(COLUMNS + 1)]
            room += [middle_of(k) for k in range(COLUMNS) if found.rows[row][k] is None]
            wish = x + (end - x) / (s - row + 1)
            way = min(room, key=lambda place: (abs(place - wish) + PORT * taken[row, place], place))
            nudge = 4 * (0, 1, -1)[taken[row, way] % 3]
            taken[row, way] += 1
            curve += _bend(x, y, x := min(max(way + nudge, 2), COLUMNS * WIDTH - 2), top_of(row))
            curve += f"V{(y := top_of(row) + HEIGHT):.1f}"
            end = end if into else x
        made[a, b] = curve + _bend(x, y, end, top_of(s))
    return made


def top_of(row: int) -> float:
    """Where a row begins."""
    return 4 + row * (HEIGHT + GAP)


def _bend(x: float, y: float, to_x: float, to_y: float) -> str:
    """From here to there, upright at both ends."""
    middle = (y + to_y) / 2
    return f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
