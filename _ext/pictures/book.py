"""What `explorables.sphinx` is told of this book: its live pictures, its parts, the numbers of its chapters."""

from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from _ext.course.path import chapters, part_of
from uatbook.live.picture import FILES


def tell(app: Sphinx, config: Config) -> None:
    """Set what no file can say: functions."""
    config.explorables_scripts = [*FILES]
    config.explorables_captions = True
    config.explorables_inks = {"light": ("#231f1a", "#faf6ee"), "dark": ("#e4e0d8", "#121212")}  # as assets/face.css
    config.explorables_part = part_of
    config.explorables_chapter = lambda env, page: chapters(env).get(page)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.setup_extension("explorables.sphinx")
    app.connect("config-inited", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
