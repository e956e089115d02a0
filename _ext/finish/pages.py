"""Mend the finished pages and style sheets where theme and extensions leave a fault that no option removes."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

from _ext.course.editions import edition
from uatlib.internal import writing

logger = logging.getLogger(__name__)

# What to replace, and by what; one that matches in no page of the book is out of date, and fails the build.
FAULTS: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    # 1.5 MB of script for icons that the theme's style sheet and fonts draw as well.
    (re.compile(r'<script src="[^"]*/fontawesome/[^"]*"></script>\n?'), ""),
    # The state of ipywidgets, with ids drawn at random, for a script of theirs that these pages do without.
    (re.compile(r'<script type="application/vnd.jupyter.widget-state\+json">.*?</script>\n?', re.DOTALL), ""),
    # Fonts asked for ahead of time, in a way that browsers refuse for a page opened from a folder.
    (re.compile(r'<link rel="preload" as="font"[^>]*/>\n?'), ""),
    # One id for every statement or exercise of a page, and the label of an unnumbered one a second time.
    (re.compile(r' id="(?:proof|exercise|solution)(?:-content)?"'), ""),
    (re.compile(r'(<p class="admonition-title") id="[^"]*"'), r"\1"),
    # A role that the accessibility standard has withdrawn, within a list.
    (re.compile(r' role="doc-biblioentry"'), ' role="listitem"'),
    # A spoken name for every folded cell that hides the visible one.
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    # The side bar is no landmark, so that whoever goes from one to the next misses the book's name in it.
    (
        re.compile(r'<div class="bd-sidebar-primary bd-sidebar">'),
        r'<div class="bd-sidebar-primary bd-sidebar" role="navigation" aria-label="Book">',
    ),
    # A storage that throws, as where a browser keeps nothing, or none.
    (
        re.compile(r'= localStorage\.getItem\("mode"\) \|\| "auto";'),
        '= (() => { try { return localStorage.getItem("mode"); } catch { return null; } })() || "auto";',
    ),
    # Colours that change once a script has run, and with them the style of the whole page: as chosen, or as the system.
    (
        re.compile(r'localStorage\.getItem\("theme"\) \|\| "auto";'),
        '{ light: "light", dark: "dark" }[document.documentElement.dataset.mode]\n'
        '      ?? (window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light");',
    ),
    # A page of the book in a window of its own, which a frame may not open.
    (re.compile(r'(<a\b[^>]*\bhref="[^":]*\.html")\s+target="_blank"'), r"\1"),
    # Three times how wide the page is; docutils and Sphinx say it before the theme does.
    (re.compile(r'<meta name="viewport" content="width=device-width, initial-scale=1(?:\.0)?" />\n?'), ""),
    # A checksum that only a second build knows, because these files are copied late: builds must be equal.
    (re.compile(r"/((?:mystnb\.\w+|proof|exercise)\.css)(?:\?v=\w+)?"), r"/\1"),
    # Formulas, code and pictures, which a browser that translates would change.
    (re.compile(r'<(span class="katex"|pre|code|svg)(?=[\s>])(?![^>]*\btranslate=)'), r'<\1 translate="no"'),
    # A long name in code that a phone breaks within a word: it may break before its dots.
    (
        re.compile(r'<span class="pre">((?:\w+\.)+\w+)(?<=[^<>"]{16})</span>'),
        lambda name: f'<span class="pre">{name[1].replace(".", "<wbr />.")}</span>',
    ),
]
# The same for the button of a solution, which says "Show" or "Hide".
BUTTON = ('aria-label="Toggle hidden content"', 'aria-label="Show or hide"')

# The fonts of a page, asked for before any style sheet, so that text need not change its letters while somebody reads
# it: those of all pages, and others by what they are for. From a folder browsers refuse to be asked ahead of time.
FACES = {
    "fonts/serif": "",
    "fonts/sans": "",
    "fonts/serif-italic": "",
    "fonts/mono": "<code",
    "fonts/katex-main": "katex-html",
    "katex/fonts/KaTeX_Math-Italic": "mathnormal",
}
AHEAD = """<script>if (location.protocol !== "file:") for (const face of %s) {
  const [link, root] = [document.createElement("link"), document.documentElement.dataset.content_root];
  const font = { rel: "preload", as: "font", crossOrigin: "", href: `${root}_static/${face}.woff2` };
  document.head.append(Object.assign(link, font));
}</script>
"""

THEME = re.compile(r"""\[data-theme=["']?(light|dark)["']?\]""")
COMMA = re.compile(r",(?![^()]*\))")
MENDED = "/* Themes: also without script, and on paper. */\n"


def mend_themes(css: str) -> str:
    """Let the rules of both themes follow the system where no script has chosen one, and take the light one on paper.

    The theme's pages say data-theme="auto" until a script runs, and no rule speaks of that. All style sheets name
    their colours by data-theme="light" and "dark", so each such rule is said again for the other cases.
    """
    if css.endswith(MENDED):
        return css
    parts = re.split("([{}])", css)  # a rule is what stands before a bracket, and what between it and the next
    for at in range(0, len(parts) - 3, 2):
        if parts[at + 1] == "{" and parts[at + 3] == "}" and "[data-theme=" in parts[at]:
            head, body = parts[at], parts[at + 2]
            begin = max(head.rfind(";"), head.rfind("/")) + 1
            if "[data-theme=" in head[begin:]:
                parts[at : at + 4] = ["", "", head[:begin] + _rule_for_all(head[begin:], "{" + body + "}"), ""]
    return "".join(parts) + MENDED


def _rule_for_all(selectors: str, body: str) -> str:
    rules = [""]
    chosen: dict[str, list[str]] = {"": [], "light": [], "dark": []}
    for selector in COMMA.split(selectors):
        named = THEME.search(selector)
        chosen[named[1] if named else ""].append(selector.strip())

    def said(theme: str, value: str) -> str:
        return ",".join(THEME.sub(f"[data-theme{value}]", selector) for selector in chosen[theme]) + body

    if chosen[""]:
        rules.append(",".join(chosen[""]) + body)
    if chosen["light"]:
        rules.append(",".join(chosen["light"]) + body)
        rules.append("@media (prefers-color-scheme: light) {" + said("light", '="auto"') + "}")
        rules.append("@media print {" + said("light", "") + "}")
    if chosen["dark"]:
        rules.append("@media screen {" + ",".join(chosen["dark"]) + body + "}")
        rules.append("@media screen and (prefers-color-scheme: dark) {" + said("dark", '="auto"') + "}")
    return "\n".join(rules)


def rewrite(path: Path, mended: Callable[[str], str]) -> bool:
    """Change a file, if there is anything to change, and say whether there was."""
    old = path.read_text(encoding="utf-8")
    if changed := (new := mended(old)) != old:
        writing.write(path, new)
    return changed


def mend_page(text: str, found: Counter[str] | None = None) -> str:
    """Mend one page, and count in `found` how often each fault was there."""
    for fault, mended in FAULTS:
        text, times = fault.subn(mended, text)
        if found is not None:
            found[fault.pattern] += times
    return text


def mend(app: Sphinx, exception: Exception | None) -> None:
    """Mend every page and every style sheet; say which mending has nothing left to mend."""
    if exception is not None or app.builder.format != "html":
        return
    found: Counter[str] = Counter()
    for page in Path(app.outdir).rglob("*.html"):
        rewrite(page, lambda text: mend_page(text, found))
    static = Path(app.outdir, "_static")
    for sheet in static.rglob("*.css"):
        rewrite(sheet, mend_themes)
        found["a rule that names a theme"] += '[data-theme="auto"]' in sheet.read_text(encoding="utf-8")
    for script in static.glob("togglebutton.js"):
        found[BUTTON[0]] += rewrite(script, lambda text: text.replace(*BUTTON))
    unseen = [fault for fault, times in found.items() if not times and edition() == "readers"]  # others lack some pages
    for fault in sorted(unseen):
        logger.warning("expected a fault that is no more: %s; mend _ext/finish/pages.py, or take it out there", fault)
    for unused in static.glob("vendor/fontawesome/*/*s/*.[jtw]*"):  # scripts and fonts
        unused.unlink()


def ask(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Let a page ask for its fonts first."""
    body = context.get("body", "")
    faces = [face for face, mark in FACES.items() if mark in body]
    context["metatags"] = AHEAD % json.dumps(faces) + context.get("metatags", "")


def setup(app: Sphinx) -> None:
    """Register with Sphinx; late, because the theme writes the colours of code at the end."""
    app.connect("html-page-context", ask)
    app.connect("build-finished", mend, priority=900)
