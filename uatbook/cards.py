"""Social cards, the pictures of links to the book: one for each part, 1200 x 630 pixels, drawn by the book's figures.

    echo '{"yun": "Yun et al. 2020: depth"}' | python -m uatbook.cards FOLDER sans.woff2 "Name of the book"

writes FOLDER/yun.png, and says which files of the project it has read.
"""

import io
import json
import sys
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from PIL import Image

from explorables.sheet import NARROW, sheet_of
from uatbook import figures
from uatbook.figures.style import ERRORS, STYLE
from uatbook.liu2025.max_affine import MaxAffine
from uatlib import kajitsuka2024
from uatlib.arithmetic import EXACT
from uatlib.cheng2025 import pattern
from uatlib.comparison import CONSTRUCTIONS
from uatlib.targets import mean_product
from uatlib.yun2020 import selective_shift

WIDTH, HEIGHT = 1200, 630
WORDS, MARGIN, DPI = 600, 52, 100
"""Pixels that the words take at the left, those of a margin, those of an inch."""
GROUND, INK, QUIET, ACCENT = "#14304d", "#ffffff", "#c3d4e6", "#f0a35e"
WEIGHTS = (400, 600)


@dataclass(frozen=True)
class Card:
    """What a card says beside the names of part and book; its picture, and what that shows, for who does not see it."""

    line: str
    alt: str
    draw: Callable[[], Figure]


def _square(side: int) -> np.ndarray:
    """Sequences of two scalar tokens, of shape (side, side, 1, 2)."""
    axis = (np.arange(side) + 0.5) / side
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)[..., None, :]


def _imitated() -> Figure:
    f, X = mean_product(2), _square(96)
    built = {N: kajitsuka2024.build(f, inverse_delta=N, duplicates="keep").shortcut(X) for N in (3, 6, 12)}
    panels = {"wanted": f(X), **{f"built, {N} cells a side": values for N, values in built.items()}}
    figure = figures.squares([(name, values[..., 0, 0]) for name, values in panels.items()], "", (0, 1))
    figure.axes[-1].remove()
    return figure


def _jumps() -> Figure:
    N, tokens = 10, (0, 1, 3)
    shifts = selective_shift(inverse_delta=N, n=3, d=1).trace([[Fraction(token, N) for token in tokens]], EXACT)
    states = [Z[0] * N for Z in shifts]
    film = np.array([*(states[token] for token in tokens), states[N]], dtype=float)
    return figures.jumps(film, [f"{token} jumps" for token in tokens], linear=4, limit=9000)


def _shadows() -> Figure:
    lattice = np.array([(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]).T
    turn = np.radians(67)
    return figures.shadows(lattice, (np.cos(turn), np.sin(turn)), None)


def _cells() -> Figure:
    # Multiples of two irrational numbers without their whole parts: points that keep away from each other.
    sites = (60 + 880 * (np.outer((0.7549, 0.5698), range(1, 13)) % 1)).astype(int)
    ticks = (np.arange(480) + 0.5) / 480
    points = 1000 * np.stack(np.meshgrid(ticks, ticks, indexing="ij")).reshape(2, -1)
    owner = MaxAffine.of_sites(sites).partition(points).reshape(480, 480)
    return figures.plane_cells([("", owner, sites / 1000)], (0, 1))


def _ring() -> Figure:
    n = 10
    kinds = [min(k, n - k) for k in range(n)]
    names = [str(k) for k in range(n)]
    return figures.ring(figures.Ring("", pattern("circulant", n, window=2), kinds, names, [""] * n))


def _four_errors() -> Figure:
    f, X = mean_product(2), _square(96)
    wanted = f(X)
    panels = [(name, abs(make(f, 6, 2).shortcut(X) - wanted)[..., 0, 0]) for name, make in CONSTRUCTIONS.items()]
    return figures.squares(panels, "error", (0, 0.4), palette=ERRORS)


CARDS = {
    "start": Card(
        "Can a transformer imitate any function?",
        "Four squares: a smooth function, and transformers that imitate it in flat pixels, nearer with more of them.",
        _imitated,
    ),
    "yun": Card(
        "Layer upon layer, each context gets a number of its own",
        "Number lines, one below the other: each of three tokens in its turn jumps far beyond the others.",
        _jumps,
    ),
    "kajitsuka": Card(
        "One layer is enough, though it sees only shadows",
        "Nine tokens in the plane, and their shadows on a line.",
        _shadows,
    ),
    "liu": Card(
        "Attention alone cuts space into cells, and answers in each",
        "A square that is cut into twelve coloured cells, each around a point.",
        _cells,
    ),
    "cheng": Card(
        "Any mixer will do that tells any two sequences apart",
        "Ten tokens on a ring, each joined to two on either side. Which one of them cannot tell apart share a colour.",
        _ring,
    ),
    "conclusion": Card(
        "One function, four proofs: what each of them buys",
        "Four squares, one for each proof: where its network errs, and by how much.",
        _four_errors,
    ),
}
"""By the part's prefix, the first word of its chapters' names."""


def use_letters(font: Path, folder: Path) -> list[FontProperties]:
    """Give matplotlib the book's letters, which it cannot read as they lie: regular and half bold, also for figures."""
    found = []
    for weight in WEIGHTS:
        face = TTFont(font)
        face.flavor = None
        face.save(whole := io.BytesIO())
        path = folder / f"{weight}.ttf"
        instantiateVariableFont(TTFont(whole), {"wght": weight}).save(path)
        fontManager.addfont(path)
        found.append(FontProperties(fname=path))
    mpl.rcParams.update({**STYLE, "font.family": found[0].get_name(), "mathtext.fontset": "cm"})
    return found


def pixels(figure: Figure) -> np.ndarray:
    """A figure in red, green and blue, of shape (height, width, 3)."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def cropped(figure: Figure, dpi: float) -> np.ndarray:
    """The same without what is white around it."""
    figure.set_dpi(dpi)
    image = pixels(figure)
    drawn = np.argwhere(np.min(image, axis=-1) < 255)
    (top, left), (bottom, right) = drawn.min(axis=0), drawn.max(axis=0)
    return image[top : bottom + 1, left : right + 1]


def card(part: str, caption: str, book: str, letters: list[FontProperties]) -> Figure:
    """The card of a part, named by its prefix, with the part's name and the book's."""
    plain, bold = letters
    figure = Figure((WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor="white")
    panel = figure.add_axes((0, 0, WORDS / WIDTH, 1))
    panel.set(xlim=(0, WORDS), ylim=(HEIGHT, 0), facecolor=GROUND, xticks=(), yticks=())
    figures.bare(panel)

    def write(x: float, y: float, text: str, size: float, colour: str, font: FontProperties, **more: Any) -> None:
        panel.text(x, y, text, fontproperties=font, fontsize=size * 72 / DPI, color=colour, **more)

    write(MARGIN, MARGIN, caption, 27, ACCENT, bold, va="top")
    panel.fill_between((MARGIN, MARGIN + 64), MARGIN + 46, MARGIN + 51, color=ACCENT, linewidth=0)
    lines = textwrap.wrap(CARDS[part].line, 21)
    for k, line in enumerate(lines):
        write(MARGIN, HEIGHT / 2 + 62 * (k - (len(lines) - 1) / 2), line, 54, INK, bold, va="center")
    write(MARGIN, HEIGHT - MARGIN, book, 25, QUIET, plain, va="bottom")

    drawn = CARDS[part].draw()
    room = WIDTH - WORDS - 2 * MARGIN, HEIGHT - 2 * MARGIN
    sheet = sheet_of(drawn)
    assert sheet is not None
    sheet.fit(NARROW)
    height, width, _ = cropped(drawn, DPI).shape
    picture = cropped(drawn, DPI * min(room[0] / width, room[1] / height))
    height, width, _ = picture.shape
    figure.figimage(picture, WORDS + (WIDTH - WORDS - width) // 2, (HEIGHT - height) // 2)
    return figure


def main(folder: Path, font: Path, book: str, captions: dict[str, str]) -> None:
    """Write the cards of these parts, captions by prefix."""
    with tempfile.TemporaryDirectory() as made:
        letters = use_letters(font, Path(made))
        for part, caption in captions.items():
            whole = Image.fromarray(pixels(card(part, caption, book, letters)))
            whole.quantize(256, dither=Image.Dither.NONE).save(folder / f"{part}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], json.load(sys.stdin))
    ours = [
        module for name, module in sys.modules.items() if name.partition(".")[0] in ("uatlib", "uatbook", "__main__")
    ]
    print(json.dumps([module.__file__ for module in ours]))
