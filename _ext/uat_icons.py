"""Fonts: of that of icons, 156 kB that every page loads, keep those that the book shows, some twenty of two thousand.

The fonts of text (assets/fonts) are asked for at the head of each page, before any style sheet, so that text need not
change its letters while somebody reads it. From a folder browsers refuse to be asked ahead of time.
"""

import re
from pathlib import Path
from typing import Any

import pydata_sphinx_theme
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SHEET = "vendor/fontawesome/*/css/all.min.css"
RULE = re.compile(r'([^{}]+)\{content:"\\([0-9a-f]+)"\}')
CLASS = re.compile(r"\bfa-[a-z0-9-]+")
SOURCES = re.compile(r'url\(([^()]*/fa-solid-900)\.woff2\) ?format\("woff2"\), ?url\(\1\.ttf\) ?format\("truetype"\)')
AHEAD = """<script>if (location.protocol !== "file:") for (const face of ["serif", "sans"]) {
  const [link, root] = [document.createElement("link"), document.documentElement.dataset.content_root];
  const font = { rel: "preload", as: "font", crossOrigin: "", href: `${root}_static/fonts/${face}.woff2` };
  document.head.append(Object.assign(link, font));
}</script>
"""
WRITTEN = re.compile(r"\\(f[0-9a-f]{3})|([\ue000-\uf8ff])")


def shown(static: Path, pages: list[Path]) -> set[int]:
    """Numbers of the icons that pages, scripts and style sheets of the theme name or write."""
    (sheet,) = static.glob(SHEET)
    numbers = {
        name: int(number, 16)
        for selectors, number in RULE.findall(sheet.read_text(encoding="utf-8"))
        for name in CLASS.findall(selectors)
    }
    texts = [path.read_text(encoding="utf-8") for path in (*pages, *static.glob("scripts/*.js"))]
    found = {numbers[name] for text in texts for name in CLASS.findall(text) if name in numbers}
    for css in {*static.glob("*.css"), *static.glob("styles/*.css")}:
        for escaped, letter in WRITTEN.findall(css.read_text(encoding="utf-8")):
            found.add(int(escaped, 16) if escaped else ord(letter))
    return found


def reduced(source: Path, numbers: set[int], target: Path) -> None:
    """The font with nothing but these characters; the same in each build."""
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(flavor="woff", recalc_timestamp=False, notdef_outline=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=numbers)
    subsetter.subset(font)
    subset.save_font(font, target, options)


def reduce(app: Sphinx, exception: Exception | None) -> None:
    """Put the reduced font in the place of the whole one."""
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    (sheet,) = static.glob(SHEET)
    theme = Path(pydata_sphinx_theme.__file__).parent
    (source,) = theme.rglob("vendor/fontawesome/*/webfonts/fa-solid-900.ttf")
    fonts = sheet.parent.parent / "webfonts"
    reduced(source, shown(static, sorted(Path(app.outdir).rglob("*.html"))), fonts / "fa-solid-900.woff")
    css = sheet.read_text(encoding="utf-8")
    changed = SOURCES.sub(r'url(\1.woff) format("woff")', css)
    if "fa-solid-900.woff)" not in changed:
        raise ExtensionError("expected the theme's style sheet to load fa-solid-900; mend _ext/uat_icons.py")
    sheet.write_text(changed, encoding="utf-8")
    for path in fonts.glob("fa-solid-900.*[f2]"):
        if path.suffix != ".woff":
            path.unlink()


def ask(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Let a page ask for its fonts first."""
    context["metatags"] = AHEAD + context.get("metatags", "")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; after all pages are written."""
    app.connect("html-page-context", ask)
    app.connect("build-finished", reduce, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
