"""Run changed notebooks side by side before Sphinx reads them, one by one, from the cache; note what each cost.

A notebook that fails here is left to myst-nb, which runs it again and reports the error in its place.

What a cell prints comes in pieces, cut by a clock of the kernel. myst-nb joins them (nb_merge_streams), but strips the
end of each piece first, so that a blank line or a space at a cut was lost in one build and not in the next. Here the
pieces of a stream are put together as they are, before it looks at them.
"""

import ast
import contextlib
import functools
import gzip
import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import myst_nb.core.render
import psutil
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import myst_nb_reader_plugin
from nbclient import NotebookClient
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from uat_rebuild import failed, has_code, last_reads, notebook_cache, remember

COSTS, FRAMES = "costs.json", "frames"
WATCH = Path(__file__).with_name("uat_watch.py")


class Run(NotebookClient):
    """A notebook in a kernel: what it read, its largest memory, and the seconds of the processor for each cell."""

    def __init__(self, notebook: NotebookNode, root: Path, page: str, timeout: int) -> None:
        folder = str(root.joinpath(page).parent)
        super().__init__(notebook, timeout=timeout, record_timing=False, resources={"metadata": {"path": folder}})
        self.root, self.page = root, page
        self.seconds: dict[int, float] = {}
        self.seen: dict[str, Any] = {}
        code = [k for k, cell in enumerate(notebook.cells) if cell.cell_type == "code" and cell.source.strip()]
        self.last = code[-1]
        self.on_notebook_start, self.on_cell_execute, self.on_cell_executed = self._watch, self._begin, self._end

    def _processor(self) -> float:
        kernel: Any = self.km
        times = psutil.Process(kernel.provisioner.process.pid).cpu_times()
        return float(times.user + times.system)

    def _watch(self, notebook: NotebookNode) -> None:
        code = WATCH.read_text(encoding="utf-8")
        self._ask(f"exec({code!r}, {{'ROOT': {str(self.root)!r}}})")

    def _ask(self, code: str, **options: Any) -> str:
        """Run code that leaves no trace in the notebook."""
        client: Any = self.kc
        return str(client.execute(code, silent=True, **options))

    def _begin(self, cell: NotebookNode, cell_index: int) -> None:
        self.seconds[cell_index] = -self._processor()

    async def _end(self, cell: NotebookNode, cell_index: int, execute_reply: Any) -> None:
        self.seconds[cell_index] += self._processor()
        if cell_index == self.last:
            question = {"seen": "__import__('sys').uat_watch()"}
            reply: Any = await self.async_wait_for_reply(self._ask("", user_expressions=question))
            self.seen = json.loads(ast.literal_eval(reply["content"]["user_expressions"]["seen"]["data"]["text/plain"]))

    def costs(self) -> dict[str, Any]:
        """Seconds of the processor by cell, from 1, with the first line of each; and memory in MiB."""
        lines = {k: self.nb.cells[k].source.strip().partition("\n")[0] for k in self.seconds}
        return {"memory": self.seen.get("memory"), "cells": [(lines[k], self.seconds[k]) for k in lines]}


def run(root: Path, page: str, timeout: int) -> None:
    """Run the notebook of a page and keep its outputs; raises what a cell raises."""
    began = time.time()
    notebook = myst_nb_reader_plugin(str(root / f"{page}.md"))
    client = Run(notebook, root, page, timeout)
    before = notebook_cache(root, page) / FRAMES
    drawn = before.parent.with_name(FRAMES)
    shutil.rmtree(drawn, ignore_errors=True)
    drawn.mkdir(parents=True)
    client.execute(env={**os.environ, "UATLIB_FRAMES": str(drawn), "UATLIB_FRAMES_BEFORE": str(before)})
    reads: list[str] = client.seen["reads"]
    if before.exists() and {path.name for path in before.iterdir()} & {path.name for path in drawn.iterdir()}:
        # What drew these frames did not run again, but they still depend on what it has read.
        reads = sorted({*reads, *last_reads(root, page)})
    if edited := [name for name in reads if (root / name).exists() and (root / name).stat().st_mtime >= began]:
        raise RuntimeError(f"{', '.join(edited)}: edited while {page} ran")
    folder = remember(root, page, reads)
    get_cache(folder).cache_notebook_bundle(CacheBundleIn(notebook, page), check_validity=False, overwrite=True)
    (folder / COSTS).write_text(json.dumps({**client.costs(), "drawn": seconds_of(drawn)}), encoding="utf-8")
    shutil.rmtree(folder / FRAMES, ignore_errors=True)
    drawn.rename(folder / FRAMES)


def seconds_of(frames: Path) -> Counter[str]:
    """The seconds of the processor that the frames of each explorer took, by its name.

    An explorer that a page packs twice has two files; frames that were at hand by then cost the second nothing.
    """
    found: Counter[str] = Counter()
    for file in frames.glob("*.json.gz"):
        found[file.name.rpartition("-")[0]] += json.loads(gzip.decompress(file.read_bytes()))["seconds"]
    return found


def has_run(root: Path, page: str) -> bool:
    """Whether outputs are kept of a page as it stands, with all that it reads."""
    folder = notebook_cache(root, page)
    with contextlib.suppress(KeyError):
        return folder.exists() and bool(
            get_cache(folder).match_cache_notebook(myst_nb_reader_plugin(str(root / f"{page}.md")))
        )
    return False


def costs(root: Path, page: str) -> dict[str, Any]:
    """What the last run of a page cost, today's code or not: memory; (first line, seconds) of each cell; drawing."""
    kept = [notebook_cache(root, page) / COSTS, *(root / "_build" / "cache" / page).glob(f"*/{COSTS}")]
    for path in kept:
        with contextlib.suppress(FileNotFoundError):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return {"drawn": {}, **found}
    return {"memory": None, "cells": [], "drawn": {}}


def execute(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Run the notebooks among the pages that are about to be read, unless their outputs are kept; the longest first."""
    root, timeout = Path(app.srcdir), app.config.nb_execution_timeout
    pages = [name for name in docnames if has_code(Path(env.doc2path(name))) and not has_run(root, name)]

    def length(page: str) -> tuple[float, int]:
        return sum(seconds for _, seconds in costs(root, page)["cells"]), Path(env.doc2path(page)).stat().st_size

    pool = ThreadPoolExecutor(os.cpu_count())
    runs = {page: pool.submit(run, root, page, timeout) for page in sorted(pages, key=length, reverse=True)}
    try:
        failed(app).update(page for page, done in runs.items() if done.exception() is not None)
    except BaseException:  # Ctrl-C does not reach kernels
        pool.shutdown(wait=False, cancel_futures=True)
        for process in psutil.Process().children():
            if "ipykernel_launcher" in process.cmdline():
                process.kill()
        raise
    pool.shutdown()


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
