"""Build again what an edit outside the chapters has changed, and no more.

myst-nb's cache of executed notebooks compares only their code. Here each page has a folder in _build/cache, with a
list of the files that its last run has read: library modules, data, whatever of the project was opened. The folder
within, named by a hash of their contents and of the pinned versions, holds what a run with just these has put out; a
page whose folder is another one than when it was read is read again, and runs if that folder is empty.

Sphinx neither copies a changed style sheet nor sees a changed extension while the chapters stay the same; a hash of
those, as an option, makes it write every page anew. Templates, which stay the same, are compiled once.

A build that goes on from an earlier one is equal to one from nothing, to the byte: tests/extensions/test_warm_build.py.
"""

import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from uat_references import places

READS = "reads.json"
CELL = re.compile(r"^```\{code-cell\}", re.MULTILINE)


def fingerprint(root: Path, patterns: Iterable[str]) -> str:
    """Return a hash of the names and contents of the files that match the patterns."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def last_reads(root: Path, page: str) -> list[str]:
    """Return what the last run of a page has read."""
    try:
        reads: list[str] = json.loads((root / "_build" / "cache" / page / READS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return reads


def notebook_cache(root: Path, page: str) -> Path:
    """Return the folder for a page's notebook, run with today's versions of what its last run has read.

    It holds a run only if that one has read just these files, so a list that is out of date finds nothing.
    """
    folder = root / "_build" / "cache" / page
    digest = hashlib.sha256(f"{platform.python_version()}\0".encode())
    for name in ("requirements.txt", *last_reads(root, page)):
        digest.update(name.encode() + b"\0" + content(root / name))
    return folder / digest.hexdigest()[:16]


def content(path: Path) -> bytes:
    """Return a hash of a file, empty if there is none; most pages have read the same files."""
    try:
        found = path.stat()
    except OSError:
        return b""
    return _content(path, found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else b""


@functools.cache
def _content(path: Path, changed: int, size: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def remember(root: Path, page: str, reads: list[str]) -> Path:
    """Note what a run of a page has read, and return the folder for its outputs."""
    path = root / "_build" / "cache" / page / READS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sorted(reads), indent=1), encoding="utf-8")
    return notebook_cache(root, page)


def has_code(path: Path) -> bool:
    """Whether a page has cells to run."""
    return CELL.search(path.read_text(encoding="utf-8")) is not None


def choose(app: Sphinx, config: Config) -> None:
    """Name the look of the pages by today's style and extensions, and say that pages are static."""
    config["uat_look"] = fingerprint(Path(app.srcdir), ["assets/**/*", "_ext/*", "library/glossary.md"])
    # Explorers draw all their frames only for a page that has no kernel.
    os.environ["UATLIB_STATIC_PAGE"] = "1"
    # Kernels run side by side; on more threads than cores they wait for each other, and sums may round differently.
    os.environ["OMP_NUM_THREADS"] = "1"
    # Kernels have no terminal of their own; their progress bars go to that of whoever builds.
    os.environ.pop("UATLIB_TERMINAL", None)
    with contextlib.suppress(OSError, AttributeError):
        os.environ["UATLIB_TERMINAL"] = os.ttyname(0)


def keep_templates(app: Sphinx) -> None:
    """Keep what the theme's templates compile to, each under a hash of its text."""
    if app.builder.format == "html":
        folder = Path(app.srcdir, "_build", "templates")
        folder.mkdir(parents=True, exist_ok=True)
        templates: Any = app.builder.templates
        templates.environment.bytecode_cache = FileSystemBytecodeCache(str(folder))


def sweep(app: Sphinx, builder: Builder) -> None:
    """Drop style sheets, scripts, fonts and pictures of the last build: whoever writes a page writes all of them."""
    if builder.format == "html":
        shutil.rmtree(Path(app.outdir, "_static"), ignore_errors=True)


def sweep_pages(app: Sphinx, exception: Exception | None) -> None:
    """Drop pages that the book has no more, and their sources."""
    out = Path(app.outdir)
    if exception is None and app.builder.format == "html":
        known = app.env.found_docs | {"search"}
        for folder, kinds in ((out, "*.html"), (out / "_sources", "*.*")):
            for path in folder.rglob(kinds):
                page = path.relative_to(folder)
                if page.parts[0] != "_static" and page.with_suffix("").as_posix() not in known:
                    path.unlink()


def folders(env: BuildEnvironment) -> dict[str, str]:
    """Return the name of the folder that each page with code was read from."""
    names: dict[str, str] = vars(env).setdefault("uat_folders", {})
    return names


def failed(app: Sphinx) -> set[str]:
    """Return the pages whose run has just failed."""
    names: set[str] = vars(app).setdefault("uat_failed", set())
    return names


def outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Name the pages of which something that they read has changed."""
    root, known = Path(app.srcdir), folders(env)
    return [page for page in known if page in env.found_docs and notebook_cache(root, page).name != known[page]]


def told(env: BuildEnvironment) -> list[Any]:
    """What pages say of each other: their order and titles, what a reference may lead to, numbers, statements."""
    toc: Any = getattr(env, "external_site_map", None)
    return [
        toc and toc.as_json(),
        {page: title.pformat() for page, title in env.longtitles.items()},
        [sorted(env.domains[name].get_objects()) for name in sorted(env.domains)],
        {**env.toc_fignumbers},
        places(env),
    ]


def stale(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Name all pages, to be written again, where what they say of each other has changed; Sphinx does not look."""
    now, kept = told(env), vars(env)
    if kept.get("uat_told") == now:
        return []
    kept["uat_told"] = now
    return sorted(env.found_docs)


def point(app: Sphinx, page: str, source: list[str]) -> None:
    """Let myst-nb look for the outputs of the page that it is about to read in that page's folder."""
    if CELL.search(source[0]):
        folder = notebook_cache(Path(app.srcdir), page)
        if page in failed(app):
            # It runs again, for the report of its error; should it pass this time, nobody knows what it has read.
            folder = folder.with_name("failed")
            shutil.rmtree(folder, ignore_errors=True)
        folders(app.env)[page] = folder.name
        config: Any = vars(app.env)["mystnb_config"]
        vars(app.env)["mystnb_config"] = config.copy(execution_cache_path=str(folder))


def forget(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Drop what is known of a page before it is read again, or when it is gone."""
    folders(env).pop(page, None)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; an early priority, before myst-nb reads the options."""
    app.add_config_value("uat_look", "", "html")
    app.connect("config-inited", choose, priority=100)
    app.connect("write-started", sweep, priority=100)
    app.connect("builder-inited", keep_templates)
    app.connect("env-get-outdated", outdated)
    app.connect("env-purge-doc", forget)
    app.connect("env-get-updated", stale, priority=900)  # when all is numbered
    app.connect("source-read", point)
    app.connect("build-finished", sweep_pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
