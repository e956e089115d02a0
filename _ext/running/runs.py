"""Run the notebooks of changed pages side by side, and no others, while the rest is read; note what each cost.

myst-nb's cache compares the code of a notebook alone, and its own runs come one after the other. Here the code, the
data and the modules of the project that the last run has loaded are part of a notebook: their hash stands among what
it says of its kernel, which the cache compares, too. An edit of a module so reaches the pages that load it, and Sphinx
reads these again. A page whose run has failed is run once more by myst-nb, which reports the error in its place.

The code of solutions runs with its chapter: after its cells, in its kernel, in cells that no page shows. That each ends
in True is read off the run by tests/pages/test_pages.py.
"""

import functools
import gc
import hashlib
import inspect
import json
import os
import platform
import re
import shutil
import time
from concurrent.futures import Future
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import myst_nb.core.read
import nbformat
import psutil
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import myst_nb_reader_plugin
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from _ext.course.editions import SOLUTION, edition
from _ext.running import kernels
from uatbook.overview import CACHE
from uatlib.internal import writing

logger = logging.getLogger(__name__)

SOURCES = ("requirements.txt", "data/**/*", "uatlib/**/*", "uatbook/**/*", "explorables/src/explorables/**/*")
CELL = re.compile(r"^```\{code-cell\}", re.MULTILINE)
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST = "library/statements"
"""This page runs first: what it verifies others find in the folder of CACHE."""
TAGS = ["remove-cell", "solution"]
LOADED = """import json, sys
packages = "uatlib", "uatbook", "explorables"
ours = [module for name, module in [*sys.modules.items()] if name.partition(".")[0] in packages]
print(json.dumps([module.__file__ for module in ours if getattr(module, "__file__", None)]))"""
"""The last cell of each run, which no page shows."""


def runs(root: Path) -> dict[str, dict[str, Any]]:
    """The last run of each page: `modules` that it has loaded, `memory` in MiB, `cells`: first line and seconds."""
    file = _file(root)
    found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def note(root: Path, page: str, said: dict[str, Any] | None) -> None:
    """Keep what is to be said of the last run of a page; None if it has failed."""
    found = {**runs(root), page: said}
    _file(root).parent.mkdir(parents=True, exist_ok=True)
    writing.write(_file(root), json.dumps({name: run for name, run in found.items() if run}))


def _file(root: Path) -> Path:
    return root / "_build" / "runs.json"


def sources(root: Path, page: str) -> list[str]:
    """What the outputs of a page hang on: all files of SOURCES but the modules that its last run did without."""
    modules = runs(root).get(page, {}).get("modules")
    files = (path.relative_to(root).as_posix() for pattern in SOURCES for path in root.glob(pattern) if path.is_file())
    kept = (name for name in files if not name.endswith(".pyc"))
    # What only forms and graders read changes no output.
    used = (name for name in kept if name.endswith(".py") or not name.startswith("uatbook/exercises/"))
    return sorted(name for name in used if not name.endswith(".py") or modules is None or name in modules)


def key(root: Path, page: str) -> str:
    """A hash of what the outputs of a page hang on."""
    digest = hashlib.sha256(platform.python_version().encode())
    for name in sources(root, page):
        digest.update(name.encode() + _content(root / name, (root / name).stat().st_mtime_ns))
    return digest.hexdigest()[:16]


@functools.cache
def _content(path: Path, changed: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def solutions(text: str) -> list[str]:
    """The Python code of a chapter's solutions."""
    return [code.rstrip() for block in SOLUTION.finditer(text) for code in CODE.findall(block[0])]


def read_for(root: Path) -> Any:
    """How myst-nb is to read pages: with the code of their solutions, and with the key of their outputs."""
    bare = inspect.unwrap(myst_nb.core.read.read_myst_markdown_notebook)

    @functools.wraps(bare)
    def read(text: str, *arguments: Any, path: str | Path, **options: Any) -> NotebookNode:
        notebook = bare(text, *arguments, path=path, **options)
        whole = Path(path).read_text(encoding="utf-8") if edition() == "students" else text  # where solutions are out
        for code in solutions(whole):
            cell = nbformat.v4.new_code_cell(code, metadata={"tags": TAGS})  # type: ignore[no-untyped-call]
            notebook.cells.append(cell)
            notebook.metadata["source_map"].append(notebook.metadata["source_map"][-1])
        page = Path(path).resolve().relative_to(root.resolve()).with_suffix("").as_posix()
        notebook.metadata["kernelspec"]["hangs_on"] = key(root, page)
        return notebook

    return read


def run(root: Path, page: str, timeout: int) -> tuple[NotebookNode, dict[str, Any]]:
    """Run the notebook of a page; return it, with what is to be said of the run. Raises what a cell raises."""
    began = time.time()
    notebook = myst_nb_reader_plugin(str(root / f"{page}.md"))
    lines = [cell.source.strip().partition("\n")[0] for cell in notebook.cells]
    notebook.cells.append(nbformat.v4.new_code_cell(LOADED))  # type: ignore[no-untyped-call]
    where = {"metadata": {"path": str(root.joinpath(page).parent)}}
    options: Any = {"record_timing": False, "coalesce_streams": True, "resources": where}
    client = NotebookClient(notebook, timeout=timeout, **options)
    seconds: dict[int, float] = {}
    memory: int | None = None

    def kernel() -> psutil.Process:
        manager: Any = client.km
        return psutil.Process(manager.provisioner.process.pid)

    def begin(cell: NotebookNode, cell_index: int) -> None:
        seconds[cell_index] = -sum(kernel().cpu_times()[:2])

    def end(cell: NotebookNode, cell_index: int, execute_reply: Any) -> None:
        nonlocal memory
        seconds[cell_index] += sum(kernel().cpu_times()[:2])
        memory = peak(kernel().pid)

    client.on_cell_execute, client.on_cell_executed = begin, end
    client.execute()
    modules = inside(root, json.loads(notebook.cells.pop().outputs[-1]["text"]))
    said = {"modules": modules, "memory": memory, "cells": [(lines[k], seconds[k]) for k in seconds if k < len(lines)]}
    for name in modules:
        if (root / name).stat().st_mtime >= began:
            raise RuntimeError(f"{name}: edited while {page} ran")
    return notebook, said


def inside(root: Path, files: list[str]) -> list[str]:
    """Those of some files that are the project's, by their names in it."""
    paths = [Path(file).resolve() for file in files]
    return [path.relative_to(root.resolve()).as_posix() for path in paths if path.is_relative_to(root.resolve())]


def run_again(root: Path, page: str, timeout: int) -> tuple[NotebookNode, dict[str, Any]]:
    """`run`, and once more if it was not a cell that failed: another program may take a port that was chosen."""
    try:
        return run(root, page, timeout)
    except CellExecutionError:
        raise
    except Exception as error:
        logger.info("%s runs once more: %r", page, error)
        return run(root, page, timeout)


def peak(process: int) -> int | None:
    """The most memory that a process has held, in MiB, where the system says so."""
    status = Path(f"/proc/{process}/status")
    found = re.search(r"VmHWM:\s*(\d+)", status.read_text(encoding="utf-8")) if status.exists() else None
    return int(found[1]) // 1024 if found else None


def has_run(cache: Path, root: Path, page: str) -> bool:
    """Whether outputs are kept of a page as it stands, with all that they hang on."""
    try:
        get_cache(cache).match_cache_notebook(myst_nb_reader_plugin(str(root / f"{page}.md")))
    except KeyError:
        return False
    return True


def keep(cache: Path, root: Path, page: str, notebook: NotebookNode, said: dict[str, Any]) -> None:
    """Keep the outputs of a page, under the key of what its run has loaded."""
    note(root, page, said)
    notebook.metadata["kernelspec"]["hangs_on"] = key(root, page)
    get_cache(cache).cache_notebook_bundle(CacheBundleIn(notebook, page), check_validity=False, overwrite=True)


def execute(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Begin to run the notebooks among the pages that are about to be read, unless their outputs are kept.

    The longest begin first. Pages that wait for no run are read first, while the others run.
    """
    root, cache = Path(app.srcdir), Path(vars(env)["mystnb_config"].execution_cache_path)
    last = runs(root)

    def length(page: str) -> tuple[bool, float, int]:
        seconds = sum(seconds for _, seconds in last.get(page, {}).get("cells", []))
        return page == FIRST, seconds, path(page).stat().st_size

    def path(page: str) -> Path:
        return Path(env.doc2path(page))

    code = [page for page in pages if CELL.search(path(page).read_text(encoding="utf-8"))]
    if code:
        kernels.fork()
    todo = sorted((page for page in code if not has_run(cache, root, page)), key=length, reverse=True)
    begun: dict[str, Future[tuple[NotebookNode, dict[str, Any]]]] = {page: Future() for page in todo}
    vars(app)["uat_begun"] = begun
    pages[:] = [page for page in pages if page not in begun] + todo
    shared = vars(app)["uat_shared"] = TemporaryDirectory()
    os.environ[CACHE] = shared.name
    left = iter([*begun.items()])  # `arrive` takes pages from `begun` before they have run

    def work() -> None:
        for page, run_of in left:
            try:
                run_of.set_result(run_again(root, page, app.config.nb_execution_timeout))
            except Exception as error:
                run_of.set_exception(error)

    for _ in range(os.cpu_count() or 1):
        Thread(target=work, daemon=True).start()  # a build that is broken off waits for no run


def arrive(app: Sphinx, page: str, content: list[str]) -> None:
    """Wait for the run of a page that is about to be read, and keep its outputs."""
    if (run_of := vars(app)["uat_begun"].pop(page, None)) is None:
        return
    try:
        error = run_of.exception()
    except BaseException:  # Ctrl-C does not reach kernels
        kernels.end()
        raise
    root = Path(app.srcdir)
    if error is None:
        keep(Path(vars(app.env)["mystnb_config"].execution_cache_path), root, page, *run_of.result())
    else:
        note(root, page, None)


def have_run(app: Sphinx, env: BuildEnvironment) -> None:
    """Let go of what runs have shared. From here on pages are written side by side: read they are one by one."""
    del os.environ[CACHE]
    vars(app).pop("uat_shared").cleanup()
    if kernels.FORKS:
        app.parallel = 1 + (os.cpu_count() or 1)  # the first of them prepares pages for the others


def outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Name the pages of which something that their outputs hang on has changed."""
    read = {page: env.metadata[page].get("kernelspec", {}).get("hangs_on") for page in env.found_docs}
    return [page for page in read if read[page] and read[page] != key(Path(app.srcdir), page)]


def prepare(app: Sphinx, config: Config) -> None:
    """Say where the progress of kernels, which have no terminal, may show."""
    # Kernels run side by side; on more threads than cores they wait for each other, and sums may round differently.
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["UATLIB_TERMINAL"] = os.ttyname(0) if os.isatty(0) else os.devnull
    if runs(Path(app.srcdir)):  # so that there may be one to run again
        kernels.fork()


def begin(app: Sphinx) -> None:
    """Write each page anew, ten seconds for all: Sphinx cannot tell which of them speak of what has changed."""
    if app.builder.format == "html":
        shutil.rmtree(app.outdir, ignore_errors=True)
        Path(app.outdir).mkdir(parents=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    # Python would look again and again for cycles among the nodes of all pages, a third of the time of a build.
    gc.disable()
    myst_nb.core.read.read_myst_markdown_notebook = read_for(Path(app.srcdir))
    app.connect("config-inited", prepare)
    app.connect("builder-inited", begin)
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", execute)
    app.connect("source-read", arrive, priority=100)
    app.connect("env-updated", have_run)
    return {"parallel_read_safe": False}
