"""The picture of the atlas: mixers, and at how many sizes so many layers of each tell tokens apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from .style import BOUND, MEASURED, bare, canvas

ROW = 0.165
"""Inches a mixer."""
GAP = 0.5
"""Rows of room above the name of a family."""


def mixer_depths(rows: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]) -> Figure:
    """By family and mixer, for each depth: shares of sizes at which tokens are told apart, and at which not.

    The first share is a thick bar, the second a thin one beside it.
    """
    halves = _halves({family: list(mixers) for family, mixers in rows.items()})
    most = max(sum(len(rows[family]) + 1 + GAP for family in half) - GAP for half in halves)
    figure, axes = canvas(ROW * most, left=1.72, right=0.1, bottom=0.1, top=0.3, blocks=2, across=(2, 1), gap=(1.78, 0))
    for ax, half in zip(axes, halves, strict=True):
        bare(ax)
        y, names = 0.0, {}
        for family in half:
            ax.text(0.45, y, family, va="center", weight="bold")
            for name, depths in rows[family].items():
                y += 1
                names[y] = name
                for layers, (apart, alike) in enumerate(depths, start=1):
                    start = layers - 0.44
                    ax.barh(y, 0.88 * apart, 0.66, left=start, color=MEASURED, linewidth=0)
                    ax.barh(y, 0.88 * alike, 0.2, left=start + 0.88 * apart, color=BOUND, linewidth=0)
            y += 1 + GAP
        count = len(next(iter(rows[half[0]].values())))
        ax.set(xlim=(0.5, count + 0.5), ylim=(most - 0.4, -0.6))
        ax.set_yticks(list(names), list(names.values()))
        ax.xaxis.tick_top()
        ax.set_xticks(range(1, count + 1), ["1 layer", *map(str, range(2, count + 1))])
    return figure


def _halves(families: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Families in their order, in two columns of nearly the same length."""
    names, sizes = list(families), [len(mixers) + 1 for mixers in families.values()]
    cut = min(range(1, len(names)), key=lambda k: abs(sum(sizes[:k]) - sum(sizes[k:])))
    return names[:cut], names[cut:]
