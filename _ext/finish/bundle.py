"""One style sheet and one script for all pages, and a policy that lets nothing else in.

Theme and extensions load fifteen style sheets and a dozen scripts, each of which holds up the page, and most of whose
rules no page of this book needs. When all is written, the rules that some page could use become one sheet, and the
scripts one file that runs when the page has been read, in which an error of one part stops no other; the first,
`assets/steady.js`, stands in for what a browser refuses (decks of slides have it alone). What is left of scripts within
a page is named by its hash in the page's content security policy.
"""

import hashlib
import itertools
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.application import Sphinx
from sphinx.util import logging

from _ext.finish.pages import rewrite
from _ext.head.place import home as home_of
from uatlib.internal import writing

logger = logging.getLogger(__name__)
SHEET, SCRIPT = "book.css", "book.js"
SHEETS = (
    "styles/theme.css",
    "styles/bootstrap.css",
    "styles/pydata-sphinx-theme.css",
    "vendor/fontawesome/6.5.2/css/all.min.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "togglebutton.css",
    "copybutton.css",
    "mystnb.*.css",
    "proof.css",
    "exercise.css",
    "katex/katex.min.css",
    "sphinx-design.min.css",
    "uat-explorer.css",
    "fonts/fonts.css",
    "style.css",
    "face.css",
    "slides.css",
)
"""What becomes one sheet, below `_static`."""
SCRIPTS = (
    "steady.js",
    "address.js",
    "folds.js",
    "documentation_options.js",
    "doctools.js",
    "sphinx_highlight.js",
    "clipboard.min.js",
    "copybutton.js",
    "togglebutton.js",
    "tips.js",
    "site.js",
)
"""What becomes one script; `site.js` does for these pages what UNUSED would, of which it takes the place."""
OWN = (
    "steady.js",
    "uat-explorer*.js",
    "uat-checks.js",
    "atlas.js",
    "slides.js",
    "searchtools.js",
    "language_data.js",
    "search.js",
    "searchindex.js",
)
"""Scripts of some pages only, which keep them, in this order: Sphinx's search answers when the index comes."""
UNUSED = ("design-tabs.js", "sphinx-book-theme.js", "bootstrap.js", "pydata-sphinx-theme.js")
"""Of the theme, and of an extension whose tabs the book does not have."""
SETTINGS = """let toggleHintShow = 'Show', toggleHintHide = 'Hide', toggleOpenOnPrint = 'true';
var togglebuttonSelector = '.toggle, .admonition.dropdown';
"""
LINK = re.compile(
    r'[ \t]*<link\b[^>]*\bhref="(?P<path>[^":?#]+)[^>]*\brel="stylesheet"[^>]*>\n?|'
    r'[ \t]*<link\b[^>]*\brel="stylesheet"[^>]*\bhref="(?P<other>[^":?#]+)[^>]*>\n?'
)
LOADED = re.compile(r'[ \t]*<script\b(?P<said>[^>]*)\bsrc="(?P<path>[^":?]+)[^"]*"[^>]*></script>\n?')
AHEAD = re.compile(r'[ \t]*<link rel="preload" as="script"[^>]*>\n?')
SET = re.compile(r"[ \t]*<script>(?:(?:let|var) toggle[^<]*|DOCUMENTATION_OPTIONS\.[^<]*)</script>\n?")
WRITTEN = re.compile(r"<script>\s*document\.write\(`(.*?)`\);\s*</script>", re.DOTALL)
DECLARED = re.compile(r"^(?:const|let|var|class|(?:async )?function) +(\w+)", re.MULTILINE)
"""What a script gives to others: all that it declares at the beginning of a line."""
INLINE = re.compile(r"<script(?P<said>(?![^>]*\b(?:src|type)=)[^>]*)>(?P<code>.*?)</script>", re.DOTALL)
CHARSET = re.compile(r'<meta charset="utf-8" ?/?>\n?')
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n?')
HANDLERS = {'onclick="window.print()"': "data-print"}
NESTED = ("media", "supports", "container", "layer")
"""Rules of a style sheet that hold others."""
THEIRS = "vendor/fontawesome/"
"""Fonts of the theme, in whose place the book has its own: some browsers would load both."""
WITHIN = ("icons.woff2", "brands.woff2")
"""Fonts that stand in the sheet itself: frames of other sites get none that are files, and a button needs its icon."""
NAMES = re.compile(r'\b(?:class|id)=(?:"([^"]*)"|\'([^\']*)\')')
WORD = re.compile(r"[\w-]+")
ADDRESS = re.compile(r"url\((['\"]?)(?!data:|#)([^'\")]+)\1\)")
MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)
IMPORT = re.compile(r"@import\s+(?:url\()?['\"]([^'\"]+)['\"]\)?;")


def words(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Names of classes and ids that pages have, and whatever their scripts could give to an element."""
    found: set[str] = set()
    for text in pages:
        for pair in NAMES.findall(text):
            found.update(unescape(pair[0] or pair[1]).split())
    for code in scripts:
        found.update(WORD.findall(code))
    return found


def whole(sheet: Path, folder: Path) -> str:
    """A style sheet with those that it imports, and with addresses as seen from `folder`."""
    text = IMPORT.sub(lambda found: whole((sheet.parent / found[1]).resolve(), sheet.parent), sheet.read_text("utf-8"))

    def moved(found: re.Match[str]) -> str:
        name = re.split("[?#]", found[2])[0]
        file = (sheet.parent / name).resolve()
        if file.name in WITHIN:
            return f'url("data:font/woff2;base64,{b64encode(file.read_bytes()).decode()}")'
        place = Path(os.path.relpath(file, folder))
        return f'url("{place.as_posix()}{found[2][len(name) :]}")' if name else found[0]

    return ADDRESS.sub(moved, text)


def used(css: str, known: set[str]) -> str:
    """The rules of a style sheet that could apply where classes and ids have these names, without comments."""
    return "".join(_rules(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True), known))


def _rules(rules: Iterable[Any], known: set[str]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [part for part in _parts(rule.prelude) if _names(part) <= known]
            body = tinycss2.serialize(_bare(rule.content)).strip()
            if selectors and body:
                heads = ",".join(tinycss2.serialize(_bare(part)).strip() for part in selectors)
                yield f"{heads}{{{body}}}\n"
        elif rule.type == "at-rule" and rule.content is not None and rule.lower_at_keyword in NESTED:
            inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if text := "".join(_rules(inner, known)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude).rstrip()}{{{text}}}\n"
        elif rule.type == "at-rule" and rule.lower_at_keyword != "charset" and THEIRS not in (said := rule.serialize()):
            yield said + "\n"
        elif rule.type == "error":
            raise ValueError(f"style sheet: {rule.message}")


def _bare(tokens: Iterable[Any]) -> list[Any]:
    """Without comments, and with single spaces for runs of them."""
    kept = [token for token in tokens if token.type != "comment"]
    for token in kept:
        if token.type == "whitespace":
            token.value = " "
    return kept


def _parts(prelude: Iterable[Any]) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _names(selector: list[Any]) -> set[str]:
    """Classes and ids without which a selector matches nothing; those in brackets may be alternatives."""
    ids = {token.value for token in selector if token.type == "hash"}
    pairs = itertools.pairwise(selector)
    return ids | {name.value for dot, name in pairs if dot == "." and name.type == "ident"}


def lean(text: str, up: str, versions: dict[str, str], home: str = "") -> str:
    """A page with one style sheet and one script in the place of all, and its policy; ValueError for an unknown one."""
    sheets = {_name(found["path"] or found["other"]) for found in LINK.finditer(text)}
    loaded = [(_name(found["path"]), found["path"]) for found in LOADED.finditer(text)]
    known = {_name(sheet) for sheet in SHEETS} | {SHEET}
    if strange := [name for name in sheets if name not in known and not name.startswith("mystnb.")]:
        raise ValueError(f"style sheets: expected those that become one, got {', '.join(strange)}")
    ours = {*map(_name, SCRIPTS), SCRIPT} - {*OWN}
    if strange := [name for name, _ in loaded if name not in {*ours, *UNUSED} and _rank(name) is None]:
        raise ValueError(f"scripts: expected those that become one, got {', '.join(strange)}")
    text = AHEAD.sub("", SET.sub("", LINK.sub("", LOADED.sub("", text))))
    for handler, mark in HANDLERS.items():
        text = text.replace(handler, mark)
    text = WRITTEN.sub(lambda found: _static(found[1]), text)
    head = f'<link rel="stylesheet" href="{up}_static/{SHEET}?v={versions[SHEET]}">\n' if sheets else ""
    if ours & {name for name, _ in loaded}:
        head += f'<script defer src="{up}_static/{SCRIPT}?v={versions[SCRIPT]}"></script>\n'
    ranked = [(rank, name, path) for name, path in loaded if (rank := _rank(name)) is not None]
    for _, name, path in sorted(ranked):
        version = f"?v={versions[name]}" if name in versions else ""  # the search's index lies elsewhere
        head += f'<script defer src="{path}{version}"></script>\n'
    text = POLICY.sub("", text).replace("</head>", f"{head}</head>", 1)
    return CHARSET.sub(lambda _: f'<meta charset="utf-8">\n{policy(text, home)}', text, 1)


def part(code: str) -> str:
    """A script whose errors are told, but stop no other that stands behind it in the same file."""
    given = "".join(
        f'if (typeof {name} !== "undefined") window.{name} = {name};\n'
        for name in dict.fromkeys(DECLARED.findall(code))
    )
    return f"try {{\n{code}\n;{given}}} catch (error) {{ setTimeout(() => {{ throw error; }}); }}\n"


def _rank(name: str) -> int | None:
    """Where a script stands among those that pages keep; None for others."""
    return next((rank for rank, pattern in enumerate(OWN) if fnmatch(name, pattern)), None)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _static(written: str) -> str:
    """What a script wrote into the page, there from the start; a button waits for the script."""
    return written if "<button" not in written else written.replace('class="', 'class="uat-js ', 1)


def policy(text: str, home: str = "") -> str:
    """The content security policy of a page: its own files, and the scripts that it has in it, by their hashes.

    The book's address stands in it where it is known: in a frame that allows scripts alone, WebKit finds no 'self'.
    """
    hashes = sorted(
        {
            f"'sha256-{b64encode(hashlib.sha256(one['code'].encode()).digest()).decode()}'"
            for one in INLINE.finditer(text)
        }
    )
    own = f"'self' {home}".rstrip()
    parts = (
        f"default-src {own}",
        " ".join([f"script-src {own}", *hashes]),
        f"style-src {own} 'unsafe-inline'",  # KaTeX and explorers give elements their sizes
        f"font-src {own} data:",
        f"img-src {own} data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        f"form-action {own}",
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(parts)}">\n'


def bundle(app: Sphinx, exception: Exception | None) -> None:
    """Write both files, and change all pages."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.outdir).resolve()
    static = root / "_static"
    pages = sorted(page for page in root.rglob("*.html") if static not in page.parents)
    code = {path: path.read_text(encoding="utf-8") for name in SCRIPTS for path in static.glob(name)}
    own = [path.read_text(encoding="utf-8") for name in OWN for path in static.glob(name)]
    known = words([page.read_text(encoding="utf-8") for page in pages], [*code.values(), *own])
    css = "".join(used(whole(path, static), known) for name in SHEETS for path in sorted(static.glob(name)))
    js = SETTINGS + "".join(part(MAP.sub("", text)) for text in code.values())
    for name, text in ((SHEET, css), (SCRIPT, js)):
        writing.write(static / name, text)
    versions = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:8] for path in static.glob("*.[cj]s*")}
    for page in pages:
        up = "../" * len(page.relative_to(root).parents[1:])
        try:
            rewrite(page, partial(lean, up=up, versions=versions, home=home_of(Path(app.srcdir)) or ""))
        except ValueError as error:
            logger.warning("%s; mend _ext/finish/bundle.py", error, location=str(page))


def setup(app: Sphinx) -> None:
    """Register with Sphinx: when all pages and sheets are as they should be."""
    app.connect("build-finished", bundle, priority=950)
