"""Frames kept from one build of the book to the next.

Who builds names two folders: UATLIB_FRAMES takes what is drawn, UATLIB_FRAMES_BEFORE holds what was drawn when library,
data and versions were what they are. All else that frames depend on is the code which the notebook has run so far, the
explorer's own among it; so they are kept under a hash of that code.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import shutil
from pathlib import Path

from .frames import Frame

__all__ = ["keep", "recall"]


def recall(name: str) -> list[Frame]:
    """The frames of this explorer as they were drawn before, in the order of `keep`; none if the code is another."""
    file = _file("UATLIB_FRAMES_BEFORE", name)
    if file is None or not file.is_file():
        return []
    if (new := _file("UATLIB_FRAMES", name)) is not None:
        shutil.copyfile(file, new)
    rows = json.loads(gzip.decompress(file.read_bytes()))["frames"]
    return [Frame(svg, text, base64.b64decode(png), narrow) for svg, text, png, narrow in rows]


def keep(name: str, frames: list[Frame], seconds: float) -> None:
    """Keep frames for the next build, and note the seconds of the processor that they took."""
    file = _file("UATLIB_FRAMES", name)
    if file is not None:
        rows = [(frame.svg, frame.text, base64.b64encode(frame.png).decode(), frame.narrow) for frame in frames]
        file.write_bytes(gzip.compress(json.dumps({"seconds": seconds, "frames": rows}).encode(), 1, mtime=0))


def _file(folder: str, name: str) -> Path | None:
    """Where frames of an explorer lie; None where nobody keeps them."""
    if folder not in os.environ:
        return None
    from IPython import get_ipython

    code = getattr(getattr(get_ipython(), "history_manager", None), "input_hist_parsed", None)
    if not code:
        return None
    return Path(os.environ[folder], f"{name}-{hashlib.sha256(json.dumps(code).encode()).hexdigest()[:16]}.json.gz")
