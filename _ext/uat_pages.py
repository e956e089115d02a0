"""Mend the finished pages and style sheets where theme and extensions leave a fault that no option removes."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

# What to replace, and by what.
FAULTS = [
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
    # A checksum that only a second build knows, because these files are copied late: builds must be equal.
    (re.compile(r"/((?:mystnb\.\w+|proof|exercise)\.css)\?v=\w+"), r"/\1"),
]
# The same for the button of a solution, which says "Show" or "Hide".
BUTTON = ('aria-label="Toggle hidden content"', 'aria-label="Show or hide"')

RULE = re.compile(r"(?P<before>[^{}]*?)(?P<selectors>[^{};/]*\[data-theme=[^{};/]*)\{(?P<body>[^{}]*)\}")
THEME = re.compile(r"""\[data-theme=["']?(light|dark)["']?\]""")
COMMA = re.compile(r",(?![^()]*\))")
MENDED = "/* Themes: also without script, and on paper. */\n"


def mend_themes(css: str) -> str:
    """Let the rules of both themes follow the system where no script has chosen one, and take the light one on paper.

    The theme's pages say data-theme="auto" until a script runs, and no rule speaks of that. All style sheets name
    their colours by data-theme="light" and "dark", so each such rule is said again for the other cases.
    """
    return css if css.endswith(MENDED) else RULE.sub(_rule_for_all, css) + MENDED


def _rule_for_all(rule: re.Match[str]) -> str:
    body = "{" + rule["body"] + "}"
    rules = [rule["before"]]
    chosen: dict[str, list[str]] = {"": [], "light": [], "dark": []}
    for selector in COMMA.split(rule["selectors"]):
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


def rewrite(path: Path, mended: Callable[[str], str]) -> None:
    """Change a file, if there is anything to change."""
    old = path.read_text(encoding="utf-8")
    if (new := mended(old)) != old:
        path.write_text(new, encoding="utf-8")


def mend_page(text: str) -> str:
    """Mend one page."""
    for fault, mended in FAULTS:
        text = fault.sub(mended, text)
    return text


def mend(app: Sphinx, exception: Exception | None) -> None:
    """Mend every page and every style sheet."""
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        rewrite(page, mend_page)
    for sheet in Path(app.outdir, "_static").rglob("*.css"):
        rewrite(sheet, mend_themes)
    for script in Path(app.outdir).glob("_static/togglebutton.js"):
        rewrite(script, lambda text: text.replace(*BUTTON))
    for script in Path(app.outdir).glob("_static/vendor/fontawesome/*/js/*"):
        script.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; late, because the theme writes the colours of code at the end."""
    app.connect("build-finished", mend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
