"""Execute changed notebooks side by side before Sphinx reads them, one by one, from the cache.

A notebook that fails here is left to myst-nb, which runs it again and reports the error in its place.
"""

import logging
from pathlib import Path
from typing import Any

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


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", execute)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
