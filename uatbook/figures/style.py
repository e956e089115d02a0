"""The house style of pictures: colours, markers, axes, and what many pictures draw alike.

Colours keep a contrast of 3 : 1 on white and on the dark page, and differ for colour-blind readers; lines and markers
differ in shape as well. Black and white follow the page's theme when the book is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from explorables.frames import two_drawings
from explorables.progress import static_page
from explorables.sheet import WIDE, Sheet, sheet_of
from explorables.svg import SVG_STYLE

GREY = "#808080"
COLOURS = ("#3b7fc4", "#c2557f", "#5f8f2d", "#2f93ad", "#8a6d5a", GREY)
"""Tokens, contexts, what is one of several, in this order; with `MARKERS`, so token 1 is a blue disc everywhere."""
MARKERS = ("o", "s", "^", "D", "v", "P")
ERROR = "#d33a2c"
"""What is wrong, and the bound of it: nothing else is red."""
MEASURED, BOUND = COLOURS[0], ERROR
STEPS = CUT, TELL, LOOK = ("#0d837a", "#a050c4", "#b07a00")
"""Cut, tell apart, look up: as `--uat-cut`, `--uat-tell` and `--uat-look` of the style sheet."""
STYLES = ("-", "--", "-.", ":")

STROKE = 16
"""Points between the end of a line and its name."""
INK = ("#0d173b", "#1a2e60", "#264788", "#3d65a3", "#5784bf", "#77a3d5", "#9bc1e8", "#c9ddea", "#fdf3de")
"""From ink to paper in even steps (of OKLab): no hue of STEPS, of ERROR or of GREY. The page presses in two of them."""
VALUES = "ink"
colormaps.register(LinearSegmentedColormap.from_list(VALUES, INK), force=True)
ERRORS = LinearSegmentedColormap.from_list("errors", ["#ef8d7e00", "#e25a45b0", "#c9291b"])
"""Colour maps: values, and errors, where none leaves the page's ground and larger ones differ more from it, light or
dark. What was given up is GREY."""

STYLE: Any = {
    **dict.fromkeys(("axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 9),
    "axes.grid": True,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "figure.dpi": 96,
    "figure.facecolor": "white",
    "figure.figsize": (WIDE, 3.2),
    "font.size": 9,
    "grid.alpha": 0.25,
    "grid.color": GREY,
    "image.cmap": VALUES,
    "legend.frameon": False,
    "mathtext.fontset": "cm",
    "savefig.facecolor": "white",
    **SVG_STYLE,
}


def use() -> None:
    """Apply the house style, and show figures of this notebook as SVG; in a static page for desks and for phones."""
    plt.rcParams.update(STYLE)
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    set_matplotlib_formats("svg", bbox_inches=None)  # type: ignore[no-untyped-call]
    if static_page() and (shell := get_ipython()) is not None:
        shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, two_drawings)


def bare(ax: Axes) -> None:
    """Leave only what is drawn: no grid, ticks or frame."""
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def canvas(
    heights: Sequence[float] | float,
    *,
    left: float = 0.6,
    right: float = 0.15,
    bottom: float = 0.5,
    top: float = 0.3,
    blocks: int = 1,
    across: tuple[int, int] = (4, 1),
    gap: tuple[float, float] = (0.3, 0.3),
    squares: bool = False,
    **options: Any,
) -> tuple[Figure, Any]:
    """A figure as wide as its card, and its axes, of shape (rows, blocks), without the sides that are 1.

    All in inches. `heights` are those of the axes of a block, row by row; with `squares` the largest side. A line of
    blocks, at most `across` of them wide and narrow, has room at its `left`, `right`, `bottom` and `top` for labels.
    """
    rows = [heights] if isinstance(heights, (int, float)) else list(heights)
    figure, axes = plt.subplots(len(rows), blocks, squeeze=False, **options)
    place = (left, right, bottom, top)
    Sheet(figure, axes, rows[0] if squares else rows, place, across, gap).fit(WIDE)
    return figure, axes.squeeze() if axes.size > 1 else axes[0, 0]


def axis_names(ax: Axes, x: str = "", y: str = "") -> None:
    """Names of the axes: that of y above its axis, so that no letter is turned."""
    ax.set_xlabel(x)
    ax.set_ylabel(y, rotation=0, ha="left", va="bottom")
    ax.yaxis.set_label_coords(0, 1.03)


def colour_key(figure: Figure, image: Any, label: str) -> Any:
    """What the colours of an image mean: a bar and its name above it; that of errors comes after that of values."""
    sheet = sheet_of(figure)
    assert sheet is not None
    key = figure.add_axes((0, 0, 1, 1))
    sheet.keys.append(key)
    bar = figure.colorbar(image, cax=key, orientation="horizontal")
    bar.outline.set_visible(False)
    key.tick_params(length=2)
    note(key, label, (0, 1), (0, 4), xycoords="axes fraction")
    sheet.fit(WIDE)
    return bar


def line_names(ax: Axes, names: Mapping[str, Any]) -> None:
    """Names at the right ends of lines, in place of a legend, with a stroke of the line's own look.

    Call it when limits and scales are set. Names that would touch are moved apart; the axes leave room for them.
    """
    ends = {}
    for name, line in names.items():
        y = np.asarray(line.get_ydata(), dtype=float)
        inside = y[np.isfinite(y)]
        look_ = {key: getattr(line, f"get_{key}")() for key in ("color", "linestyle", "linewidth")}
        ends[name] = (inside[-1] if inside.size else -np.inf, look_)
    names_at_right(ax, ends)


def names_at_right(ax: Axes, names: Mapping[str, tuple[float, Mapping[str, object]]]) -> None:
    """Names at the right of the axes, each at its height, with a stroke of its own: `names[name]` is (y, look)."""
    points = 72 * ax.get_position().height * _figure(ax).get_size_inches()[1]
    low, high = sorted(ax.get_ylim())
    to_share = ax.transData + ax.transAxes.inverted()
    x = ax.get_xlim()[1]
    ends = [to_share.transform((x, float(np.clip(y, low, high))))[1] * points for y, _ in names.values()]
    places = _apart(ends, [12.5 * (1 + name.count("\n")) for name in names], points)
    for (name, (_, stroke)), end, place in zip(names.items(), ends, places, strict=True):
        arrow: Any = {"arrowstyle": "-", "relpos": (0, 0.5), "shrinkA": 2, "shrinkB": 0, **stroke}
        style: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center", "arrowprops": arrow}
        ax.annotate(name, (1, end / points), (STROKE, place - end), annotation_clip=False, **style)
    room_at_right(ax, names)


def marks_key(ax: Axes, names: Mapping[str, Any]) -> None:
    """Names of kinds of marks, above the axes at the right: where marks move and no place beside them stays free."""
    where: Any = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderaxespad": 0, "borderpad": 0.35}
    ax.legend(list(names.values()), list(names), ncols=len(names), columnspacing=1, handletextpad=0.1, **where)


def _figure(ax: Axes) -> Figure:
    figure = ax.figure
    assert isinstance(figure, Figure)
    return figure


def room_at_right(ax: Axes, names: Iterable[str]) -> None:
    """Make the axes end where such names have room at their right."""
    sheet = sheet_of(_figure(ax))
    assert sheet is not None
    left, right, bottom, top = sheet.sides
    sheet.sides = (left, max(right, _widest(ax, names) + STROKE / 72 + 0.05), bottom, top)
    sheet.fit(WIDE)


def _widest(ax: Axes, names: Iterable[str]) -> float:
    """Inches that the widest of these texts takes."""
    figure = _figure(ax)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    widest = 0.0
    for name in names:
        text = ax.text(0, 0, name)
        widest = max(widest, text.get_window_extent(renderer).width / figure.dpi)
        text.remove()
    return widest


def _apart(wanted: Sequence[float], heights: Sequence[float], top: float) -> list[float]:
    """Places as near as may be to the wanted ones, in their order, with room for these heights, below `top`."""
    order = np.argsort(wanted, kind="stable")
    places, tall = np.array(wanted, dtype=float)[order], np.array(heights, dtype=float)[order]
    steps = np.cumsum(tall) - tall / 2
    # Nearest in the least squares to a sequence that rises by its steps: isotonic regression of the rest.
    rest = _isotonic(places - steps) + steps
    rest -= max(0.0, rest[-1] - top) if len(rest) else 0
    found = np.empty(len(places))
    found[order] = rest
    return found.tolist()


def _isotonic(values: np.ndarray) -> np.ndarray:
    """The nearest sequence that does not fall: pool adjacent violators."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([float(value), 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [[(m * a + n * b) / (m + n), m + n]]
    return np.repeat([mean for mean, _ in pools], [int(n) for _, n in pools])


def note(ax: Axes, text: str, at: Any, shift: tuple[float, float], **style: Any) -> Any:
    """A text `shift` points beside a place."""
    return ax.annotate(text, at, shift, textcoords="offset points", **style)


def row_name(ax: Axes, name: str) -> None:
    """A name at the left of axes that are a row."""
    ax.set_ylabel(name, rotation=0, ha="right", va="center")


def at_widths(ax: Axes, place: Callable[[bool], None]) -> None:
    """Call `place(is_narrow)` now, for a wide sheet, and whenever the sheet is fitted to a width."""
    sheet = sheet_of(_figure(ax))
    assert sheet is not None
    place(False)
    sheet.more.append(place)


def marks(ax: Axes, places: Iterable[float], names: Sequence[str], narrow: Sequence[str]) -> None:
    """Marks on the x axis with their names, and with those that they have where there is less room."""
    at = list(places)

    def name(is_narrow: bool) -> None:
        ax.set_xticks(at, list(narrow if is_narrow else names))

    at_widths(ax, name)
    ax.minorticks_off()


def room_at_left(ax: Axes, names: Iterable[str]) -> None:
    """Make the axes begin where such names of rows have room at their left."""
    figure = _figure(ax)
    sheet = sheet_of(figure)
    assert sheet is not None
    left, *others = sheet.sides
    sheet.sides = (max(left, _widest(ax, names) + 0.12), *others)  # type: ignore[assignment]
    sheet.fit(WIDE)


def hollow(width: float = 2, **more: object) -> dict[str, Any]:
    """Properties of a marker that is only its edge."""
    return {"markerfacecolor": "none", "markeredgewidth": width, **more}


def look(k: int) -> dict[str, Any]:
    """Colour, marker and line of the k-th of several, which return after the last."""
    return {
        "color": COLOURS[k % len(COLOURS)],
        "marker": MARKERS[k % len(MARKERS)],
        "linestyle": STYLES[k % len(STYLES)],
    }


def heat(
    ax: Axes,
    title: str,
    values: np.ndarray,
    limits: tuple[float, float],
    ends: tuple[float, float] = (0, 1),
    palette: Any = VALUES,
    lost: np.ndarray | None = None,
) -> Any:
    """A function of two scalar tokens over a square: x_1 to the right, x_2 upwards.

    NaN, and what is `lost` (given up by the construction), is drawn grey. Marks are at the `ends`, or at 0 and 1 where
    both lie inside.
    """
    # No eye tells more steps apart, and few colours make small files.
    colours = plt.get_cmap(palette).resampled(128).with_extremes(bad=GREY)
    where: Any = {"origin": "lower", "extent": (*ends, *ends), "interpolation": "none"}
    shown = values if lost is None else np.where(lost, np.nan, values)
    at = (0, 1) if holds_unit_box(ends) else ends
    ax.set(xticks=at, yticks=at)
    ax.set_title(title)
    ax.grid(visible=False)
    return ax.imshow(shown.T, colours, vmin=limits[0], vmax=limits[1], **where)


def holds_unit_box(ends: tuple[float, float]) -> bool:
    """Whether a square with these ends shows more than [0, 1]^2 on all sides."""
    return ends[0] < 0 and ends[1] > 1
