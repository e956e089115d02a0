"""The social cards of the book, one for each part, drawn by `uatbook.cards` into _static/cards.

A process of its own draws them, and they are kept until something that they hang on changes, as the outputs of a page
are (`running.runs`). A book without an address has none: who shows a card asks for it by its address.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment

from _ext.course.path import part_of, parts
from _ext.head.place import home
from _ext.running.runs import inside, key, note
from uatbook.cards import CARDS

FOLDER, RUN = "cards", "social cards"
FONT = "assets/fonts/sans.woff2"


def captions(env: BuildEnvironment) -> dict[str, str]:
    """Of the parts that have a card, by the prefix of their chapters, what the table of contents calls them."""
    found = {}
    for caption, pages in parts(env).items():
        chapters = [page.removeprefix("chapters/") for page in pages if page.startswith("chapters/")]
        prefix = chapters[0].partition("-")[0] if chapters else ""
        if prefix in CARDS:
            found[prefix] = caption
    return found


def card_of(env: BuildEnvironment, page: str) -> str | None:
    """The card of a page's part, by its prefix; that of the first part, where the page's has none."""
    found, caption = captions(env), part_of(env, page)
    return next((prefix for prefix, name in found.items() if name == caption), next(iter(found), None))


def drawn(root: Path, book: str, shown: dict[str, str]) -> Path:
    """The folder with the cards of these parts; they are drawn, unless they are kept."""

    def place() -> Path:
        said = json.dumps([book, shown, key(root, RUN)]).encode() + (root / FONT).read_bytes()
        return root / "_build" / FOLDER / hashlib.sha256(said).hexdigest()[:16]

    if not place().exists():
        made = root / "_build" / FOLDER / "new"
        shutil.rmtree(made.parent, ignore_errors=True)
        made.mkdir(parents=True)
        command = [sys.executable, "-m", "uatbook.cards", str(made), str(root / FONT), book]
        done = subprocess.run(command, cwd=root, input=json.dumps(shown), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"expected social cards, got an error from {' '.join(command[1:3])}:\n{done.stderr}")
        note(root, RUN, {"modules": inside(root, json.loads(done.stdout)), "memory": None, "cells": []})
        made.rename(place())  # which hangs on what was loaded
    return place()


def write(app: Sphinx, builder: Builder) -> None:
    """Put the cards into the book."""
    root = Path(app.srcdir)
    if app.builder.format == "html" and home(root) and (shown := captions(app.env)):
        book = app.config.html_title.partition(":")[0]
        shutil.copytree(drawn(root, book, shown), Path(app.outdir, "_static", FOLDER), dirs_exist_ok=True)


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("write-started", write)
