"""Make the fonts of the book, assets/fonts: `python benchmarks/make_fonts.py FOLDER`, with fontTools and brotli.

FOLDER holds what `npm install source-serif@4.5.1 source-sans@3.52.0 source-code-pro@2.42.0` puts into node_modules. Of
each face stay the weights and letters that a book needs: Latin, Greek, and the signs of mathematics that stand in text
(formulas have KaTeX's fonts). "Source" is a reserved name, so what is changed is called by another.

Of the theme's font of two thousand icons, 156 kB, stay those that the book shows; a browser that meets another loads
the theme's own, and a test of the pages fails.
"""

import io
import sys
from pathlib import Path
from typing import Any

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

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
LETTERS = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x300, 0x304), (0x307, 0x308), (0x391, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D5),
    (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2070, 0x209C), (0x20AC, 0x20AC), (0x2150, 0x215E),
    (0x2190, 0x2194), (0x21D0, 0x21D4), (0x2200, 0x22FF), (0x25A0, 0x25CF), (0x2713, 0x2717),
]  # fmt: skip
ICONS = [
    0xF002, 0xF00D, 0xF010, 0xF019, 0xF03A, 0xF042, 0xF057, 0xF058, 0xF05A, 0xF062, 0xF064, 0xF065, 0xF06A, 0xF071,
    0xF0C9, 0xF0EB, 0xF0F3, 0xF104, 0xF105, 0xF107, 0xF121, 0xF135, 0xF15B, 0xF185, 0xF186, 0xF1C1, 0xF303, 0xF35D,
]  # fmt: skip
FEATURES = ["kern", "liga", "mark", "mkmk", "ccmp", "locl", "calt", "tnum", "lnum"]


def face(source: Path, axes: dict[str, Any], name: str) -> TTFont:
    """A face of text with these weights and LETTERS only, under its new name."""
    whole = io.BytesIO()
    instantiateVariableFont(TTFont(source), axes).save(whole)
    letters = [code for first, last in LETTERS for code in range(first, last + 1)]
    return reduced(TTFont(whole, recalcTimestamp=False), letters, name)


def icons() -> TTFont:
    """The theme's icons, ICONS only."""
    (source,) = Path(pydata_sphinx_theme.__file__).parent.rglob("vendor/fontawesome/*/webfonts/fa-solid-900.ttf")
    return reduced(TTFont(source, recalcTimestamp=False), ICONS, "UAT Icons")


def reduced(font: TTFont, letters: list[int], name: str) -> TTFont:
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
    fonts = {
        name: face(Path(sys.argv[1], f"{path}.ttf"), axes, f"UAT {name.partition('-')[0].title()}")
        for name, (path, axes) in FACES.items()
    }
    for name, font in {**fonts, "icons": icons()}.items():
        font.save(TARGET / f"{name}.woff2")
        print(name, (TARGET / f"{name}.woff2").stat().st_size)
