"""Execute changed notebooks side by side before Sphinx reads them, one by one, from the cache.

A notebook that fails here is left to myst-nb, which runs it again and reports the error in its place.

What a cell prints comes in pieces, cut by a clock of the kernel. myst-nb joins them (nb_merge_streams), but strips the
end of each piece first, so that a blank line or a space at a cut was lost in one build and not in the next. Here the
pieces of a stream are put together as they are, before it looks at them.
"""

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import myst_nb.core.render
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

READER = {"name": "myst_nb_md", "type": "plugin"}


def execute(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Fill the cache with the notebooks among the pages that are about to be read."""
    sources = [Path(env.doc2path(name)) for name in docnames]
    notebooks = [str(path) for path in sources if "{code-cell}" in path.read_text(encoding="utf-8")]
    if len(notebooks) < 2:
        return
    cache = get_cache(app.config.nb_execution_cache_path)
    for path in notebooks:
        cache.add_nb_to_project(path, read_data=READER)
    quiet = logging.getLogger("uat_parallel")
    quiet.setLevel(logging.CRITICAL)
    executor = load_executor("local-parallel", cache, logger=quiet)
    executor.run_and_cache(filter_uris=notebooks, timeout=app.config.nb_execution_timeout)


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs of a cell, each stream in one piece, at the place of its first."""
    whole: list[Any] = []
    streams: dict[str, Any] = {}
    for output in outputs:
        if output["output_type"] != "stream":
            whole.append(output)
        elif output["name"] in streams:
            streams[output["name"]]["text"] += output["text"]
        else:
            whole.append(output.copy())
            streams[output["name"]] = whole[-1]
    return whole


def of_whole_streams(merge: Callable[[list[Any]], list[Any]]) -> Callable[[list[Any]], list[Any]]:
    """Give `merge` streams in one piece."""

    @functools.wraps(merge)
    def merged(outputs: list[Any]) -> list[Any]:
        return merge(joined(outputs))

    vars(merged)["of_whole_streams"] = True
    return merged


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    merge = myst_nb.core.render.coalesce_streams
    if not hasattr(merge, "of_whole_streams"):  # a second app in one process
        myst_nb.core.render.coalesce_streams = of_whole_streams(merge)
    app.connect("env-before-read-docs", execute)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
