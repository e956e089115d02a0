"""Three editions of one book: the reader's, the students' without solutions, the instructors' with a part of its own.

    python -m _ext.course.editions students      # writes _build/students, as `make book EDITION=students` does

Solutions leave the source, before anything reads it: so they are in no page, notebook, source or index. Their code runs
all the same (`running.runs`), and its outputs are shared by all editions.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from uatlib.internal import writing

EDITIONS = ("readers", "students", "instructors")
SOLUTION = re.compile(r"^(?P<fence>`{3,}|:{3,})\{solution\}.*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
OF_INSTRUCTORS = """\
  - caption: For instructors
    chapters:
      - file: teaching/answers
      - file: teaching/exam
      - file: teaching/exam-answers
"""
"""What their table of contents has at its end."""
WAYS_OUT = {"source-buttons", "launch-buttons"}
"""Menus of a page that lead to the public repository, where solutions stand."""


def edition() -> str:
    """The edition that is built, from EDITION."""
    return os.environ.get("EDITION") or EDITIONS[0]


def shown(text: str) -> str:
    """What this edition shows of a source."""
    return re.sub(r"\n{3,}", "\n\n", SOLUTION.sub("", text)) if edition() == "students" else text


def read(app: Sphinx, docname: str, content: list[str]) -> None:
    """Take out of a page what this edition does not show."""
    content[0] = shown(content[0])


def close(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Take the ways to the repository out of the students' pages."""
    if edition() == "students":
        kept = [group for group in context.get("header_buttons", []) if group.get("label") not in WAYS_OUT]
        context["header_buttons"] = kept


def copy(app: Sphinx, exception: Exception | None) -> None:
    """Write the sources that the students' edition offers in its menu of downloads."""
    if exception is None and app.builder.format == "html" and edition() == "students":
        for source in Path(app.outdir, "_sources").rglob("*.md"):
            writing.write(source, shown(source.read_text(encoding="utf-8")))


def setup(app: Sphinx) -> None:
    """Register with Sphinx; buttons late, when all are there."""
    app.add_config_value("uat_edition", edition(), "env")  # the pages of another edition are read anew
    app.connect("source-read", read)
    app.connect("html-page-context", close, priority=950)
    app.connect("build-finished", copy)


def build(root: Path, name: str) -> int:
    """Build an edition of the book in `root` into _build/<name>; the exit status."""
    if name not in EDITIONS[1:]:
        raise SystemExit(f"EDITION: expected {' or '.join(EDITIONS[1:])}, or none for readers, got {name}")
    from jupyter_book.sphinx import build_sphinx

    os.environ["EDITION"] = name
    place = root / "_build"
    place.mkdir(exist_ok=True)
    contents = place / f"{name}-toc.yml"
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    writing.write(contents, toc + OF_INSTRUCTORS * (name == "instructors"))
    result = build_sphinx(
        root,
        place / name,
        use_external_toc=True,
        noconfig=True,
        path_config=root / "_config.yml",
        confoverrides={"external_toc_path": contents.as_posix(), "nitpicky": True, "latex_individualpages": False},
        doctreedir=place / f".doctrees-{name}",
        builder="html",
        warningiserror=True,
        keep_going=True,
        quiet=True,
    )
    if isinstance(result, Exception):
        raise result
    return int(result)


if __name__ == "__main__":
    sys.exit(build(Path.cwd(), sys.argv[1]))
