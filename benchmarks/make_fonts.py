"""Make the fonts of the book, assets/fonts: `python benchmarks/make_fonts.py FOLDER`, with fontTools and brotli.

FOLDER holds what `npm install source-serif@4.5.1 source-sans@3.52.0 source-code-pro@2.42.0` puts into node_modules. Of
each face stay the weights and letters that a book needs: Latin, Greek, and the signs of mathematics that stand in text.
Those of nearly every page are a file, half as long as all; the others are a second one, `-more`, which a browser asks
for when a page has one of them: fonts.css says which. Of two of KaTeX's fonts, too, what most pages need is a file of
its own beside the whole one. "Source" is a reserved name, so what is changed is called by another.

Of the theme's two thousand icons, 156 kB, stay those that the book shows, and of the brands the one of its
repository. Where it shows another, a test fails.
"""

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from uatlib.internal import writing

TARGET = Path(__file__).resolve().parents[1] / "assets" / "fonts"
SERIF = "source-serif/VAR/SourceSerif4Variable"
SANS, MONO = "source-sans/VF/SourceSans3VF", "source-code-pro/VF/SourceCodeVF"
FACES: dict[str, tuple[str, dict[str, Any]]] = {
    "serif": (f"{SERIF}-Roman", {"wght": (400, 700), "opsz": 14}),
    "serif-italic": (f"{SERIF}-Italic", {"wght": 400, "opsz": 14}),
    "sans": (f"{SANS}-Upright", {"wght": (400, 700)}),
    "sans-italic": (f"{SANS}-Italic", {"wght": 400}),
    "mono": (f"{MONO}-Upright", {"wght": (400, 700)}),
    "mono-italic": (f"{MONO}-Italic", {"wght": 400}),
}
COMMON = [
    (0x20, 0x7E), (0xA0, 0xA0), (0xA7, 0xA7), (0xA9, 0xA9), (0xB1, 0xB3), (0xB7, 0xB7), (0xB9, 0xB9), (0xBD, 0xBD),
    (0xD7, 0xD7), (0x303, 0x304), (0x3B1, 0x3C9), (0x2013, 0x2014), (0x2018, 0x2019), (0x201C, 0x201D),
    (0x2016, 0x2016), (0x2026, 0x2026), (0x2032, 0x2032), (0x2070, 0x2070), (0x2074, 0x2079), (0x207B, 0x207B),
    (0x2080, 0x2089), (0x2190, 0x2192), (0x220F, 0x2212), (0x221E, 0x221E), (0x2248, 0x2248), (0x2260, 0x2265),
    (0x2713, 0x2717),
]  # fmt: skip
LETTERS = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x300, 0x304), (0x307, 0x308), (0x391, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D5),
    (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2070, 0x209C), (0x20AC, 0x20AC), (0x2150, 0x215E),
    (0x2190, 0x2194), (0x21D0, 0x21D4), (0x2200, 0x22FF), (0x25A0, 0x25CF), (0x2713, 0x2717),
]  # fmt: skip
KATEX = {
    "katex-main": ("KaTeX_Main", [
        (0x20, 0x7E), (0xA0, 0xA0), (0xB1, 0xB1), (0xB7, 0xB7), (0xD7, 0xD7), (0x2026, 0x2026), (0x2032, 0x2032),
        (0x2190, 0x2192), (0x21A6, 0x21A6), (0x2208, 0x2208), (0x2211, 0x2212), (0x221E, 0x2225), (0x2264, 0x2265),
        (0x2282, 0x2282), (0x22C5, 0x22C5), (0x22EF, 0x22EF), (0x2308, 0x230B), (0xE020, 0xE020),
    ]),
    "katex-ams": ("KaTeX_AMS", [(0x41, 0x5A)]),
}  # fmt: skip
ICONS = [
    0xF002, 0xF00D, 0xF010, 0xF019, 0xF03A, 0xF042, 0xF057, 0xF058, 0xF05A, 0xF062, 0xF064, 0xF065, 0xF06A, 0xF071,
    0xF0C9, 0xF0EB, 0xF0F3, 0xF104, 0xF105, 0xF107, 0xF121, 0xF135, 0xF15B, 0xF185, 0xF186, 0xF1C1, 0xF303, 0xF35D,
]  # fmt: skip
BRANDS = [0xF09B]
FEATURES = ["kern", "liga", "mark", "mkmk", "ccmp", "locl", "calt", "tnum", "lnum"]


def codes(ranges: list[tuple[int, int]]) -> set[int]:
    """All of them, the last ones too."""
    return {code for first, last in ranges for code in range(first, last + 1)}


def faces(source: Path, axes: dict[str, Any], name: str) -> tuple[TTFont, TTFont]:
    """A face of text with these weights under its new name: COMMON only, and what else there is of LETTERS."""
    whole = io.BytesIO()
    instantiateVariableFont(TTFont(source, recalcTimestamp=False), axes).save(whole)
    common, more = codes(COMMON), codes(LETTERS) - codes(COMMON)
    return tuple(reduced(TTFont(whole, recalcTimestamp=False), letters, name) for letters in (common, more))


def rule(name: str, family: str, font: TTFont) -> str:
    """What says of a face when it is used. None has a space of no width, for which a browser would ask for all."""
    style, size = "italic" if "italic" in name else "normal", "size-adjust: 106%; " * ("sans" in name)
    swap, weight = "font-display: swap; " * ("UAT" in family), "400 700" if "fvar" in font else "400"
    runs: list[list[int]] = []
    for code in sorted({*font.getBestCmap(), *([] if "more" in name else [0x200B])}):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    ranges = ", ".join(f"U+{first:X}-{last:X}" if last > first else f"U+{first:X}" for first, last in runs)
    return (
        f'@font-face {{ font-family: "{family}"; src: url({name}.woff2) format("woff2"); font-style: {style}; '
        f"font-weight: {weight}; {swap}{size}unicode-range: {ranges}; }}\n"
    )


def icons(name: str, codes: list[int]) -> TTFont:
    """These of one of the theme's fonts of icons."""
    (source,) = Path(pydata_sphinx_theme.__file__).parent.rglob(f"vendor/fontawesome/*/webfonts/{name}.ttf")
    return reduced(TTFont(source, recalcTimestamp=False), codes, "UAT Icons")


def reduced(font: TTFont, letters: Iterable[int], name: str) -> TTFont:
    """A font with these letters only, under its new name."""
    options = Options(layout_features=FEATURES, hinting=False, notdef_outline=True, recalc_timestamp=False)
    options.name_IDs = [0, 1, 2, 13, 14]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID == 1:
            record.string = name
    font.flavor = "woff2"
    return font


if __name__ == "__main__":
    made: list[tuple[str, str, TTFont]] = []
    for name, (path, axes) in FACES.items():
        family = f"UAT {name.partition('-')[0].title()}"
        common, more = faces(Path(sys.argv[1], f"{path}.ttf"), axes, family)
        made += [(name, family, common), (f"{name}-more", family, more)]
    for name, (family, ranges) in KATEX.items():
        whole = TTFont(TARGET.parent / f"katex/fonts/{family}-Regular.woff2", recalcTimestamp=False)
        made.append((name, family, reduced(whole, codes(ranges), f"UAT {family}")))
    rules = "".join(rule(*face) for face in made)
    writing.write(TARGET / "fonts.css", f"/* Made by benchmarks/make_fonts.py. */\n{rules}")
    made += [("icons", "", icons("fa-solid-900", ICONS)), ("brands", "", icons("fa-brands-400", BRANDS))]
    for name, _, font in made:
        font.save(packed := io.BytesIO())
        writing.write(TARGET / f"{name}.woff2", packed.getvalue())
        print(name, (TARGET / f"{name}.woff2").stat().st_size)
