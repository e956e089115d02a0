"""Explorers in a book made by Sphinx or Jupyter Book: `extensions = ["explorables.sphinx"]`.

explorers  a script for those of a page, long data in files of their own, a gallery
moves      words that move a picture: ``{move}`f = 3 <wave?frequency=3>` ``
figures    figures of cells in the colours of the page; captions with numbers, if `explorables_captions` is True

Configuration: `explorables_scripts` are the scripts of the book's own live pictures, as paths from its folder.
`explorables_captions` asks for a caption, and an alternative text, of every figure. `explorables_part` and
`explorables_chapter` are functions of Sphinx's environment and a page: the heading under which the gallery has the
page, and the number that figures have before their own. `explorables_inks` are ink and paper of the light and
of the dark page, for the pictures of the gallery.
"""

from __future__ import annotations

import os
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from . import explorers, figures, moves


def prepare(app: Sphinx, config: Config) -> None:
    """Say that pages are static, before a kernel starts: explorers draw all their frames only for these."""
    os.environ["EXPLORABLES_STATIC"] = "1"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    defaults = {"scripts": [], "captions": False, "part": None, "chapter": None, "inks": explorers.INKS}
    for name, default in defaults.items():
        app.add_config_value(f"explorables_{name}", default, "")
    app.connect("config-inited", prepare)
    for module in (figures, explorers, moves):
        module.setup(app)
    return {"parallel_read_safe": False, "parallel_write_safe": True, "env_version": 1}
