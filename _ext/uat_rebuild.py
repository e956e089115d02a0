"""Build again what an edit outside the chapters has changed.

The cache of executed notebooks compares only the notebooks. Its folder is therefore named by a hash of
everything else that can change an output: the library and the pinned versions. And Sphinx neither copies a
changed style sheet nor sees a changed extension while the chapters stay the same; a hash of those, as an
option, makes it write every page anew.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config


def fingerprint(root: Path, patterns: Iterable[str]) -> str:
    """Return a hash of the names and contents of the files that match the patterns."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def notebook_cache(root: Path) -> Path:
    """Return the folder of notebooks executed with today's library."""
    return root / "_build" / "cache" / fingerprint(root, ["uatlib/**/*", "requirements.txt"])


def choose(app: Sphinx, config: Config) -> None:
    """Name the notebook cache by today's library, and the look by today's style and extensions."""
    root = Path(app.srcdir)
    config["nb_execution_cache_path"] = str(notebook_cache(root))
    config["uat_look"] = fingerprint(root, ["assets/**/*", "_ext/*"])
    # Explorers draw all their frames only for a page that has no kernel.
    os.environ["UATLIB_STATIC_PAGE"] = "1"
    # Kernels have no terminal of their own; their progress bars go to that of whoever builds.
    os.environ.pop("UATLIB_TERMINAL", None)
    with contextlib.suppress(OSError, AttributeError):
        os.environ["UATLIB_TERMINAL"] = os.ttyname(0)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; an early priority, before myst-nb reads the options."""
    app.add_config_value("uat_look", "", "html")
    app.connect("config-inited", choose, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
