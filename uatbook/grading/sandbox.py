"""Run a submission where it reaches nothing that counts: alone, in a sandbox that bubblewrap makes for it.

Within it there are no other processes, no network, and of the files Python, the library, and an empty folder of its
own, which is a piece of memory; all else is read-only or is not there: other submissions, grades, and the judges,
`uatbook.exercises` and `uatbook.grading`. What it has started ends with it. Its processor time, time, memory, processes
and files have limits, which are of the submission, not of a process. What it says is lines of JSON (`inside`).

bubblewrap is what Flatpak runs programs in. On Linux, it needs user namespaces; where a machine refuses them, `refusal`
says so, and `run(..., confined=False)` is a process of its own with some of the limits, and no more than that.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..handed import MOST_DEEP, shallow

MOST_SAID = 4 * 2**20
"""Bytes of all that a submission says."""
MOST_ENDS = 8
"""Cells and answers that may end their process before what is left is given up."""
MOST_FILES = 64 * 2**20
"""Bytes of the files of a submission, in its folder and in shared memory each."""
MOST_PROCESSES = 64
TO_START = 120
"""Seconds of the clock until the library is imported; a busy machine takes a minute."""
OF_LIBRARY = 2**29
"""Bytes that Python and the library take themselves."""
MOST_NOTES = 20
GLANCE = 0.2
"""Seconds between two looks at how much a submission takes."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime")
INSTALLED = ("site-packages", "dist-packages")
HIDDEN = ("exercises", "grading")
"""Folders of `uatbook` that no submission sees."""
NEEDED = ("__init__.py", "inside.py", "shell.py")
"""Files of `uatbook.grading` that it needs."""
HOME = "/tmp"

Found = dict[str, Any]
"""{"cells": {place: problem, or what was left out}, "answers": {place: {"handed": [...]} or {"problem": text}},
"ended": whether a process of it was ended}, with places as texts, as in JSON."""


class Unstarted(OSError):
    """No process could be started for a submission, which is no fault of its code."""


@dataclass(frozen=True)
class Job:
    """What is to be run: cells by their place, and what is wanted: of each answer `name`, `fields` and `calls`.

    `seconds` are of the processor, for a cell or an answer; `most` of the clock, for all; `memory` is in bytes.
    """

    cells: Mapping[int, str]
    wanted: Sequence[Mapping[str, Any]]
    seconds: float = 5
    most: float = 300
    memory: int = 2 * 2**30

    def left(self, cells: Mapping[int, str], answers: Mapping[int, Any]) -> str:
        """As JSON, without cells and answers of which is known what came."""
        return json.dumps(
            {
                "cells": {place: source for place, source in self.cells.items() if place not in cells},
                "wanted": {place: one for place, one in enumerate(self.wanted) if place not in answers},
                "seconds": self.seconds,
                "memory": self.memory,
            }
        )


def run(job: Job, *, confined: bool = True, hidden: Sequence[Path] = ()) -> Found:
    """What came of a submission. A cell or answer that ends its process is left out, and the others run again.

    `hidden` are folders that it must not see, wherever they lie. `Unstarted` if there is no process for it.
    """
    cells: dict[int, str] = {}
    notes: dict[int, str] = {}
    answers: dict[int, dict[str, Any]] = {}
    last, ended, problem = time.monotonic() + job.most, False, ""
    for _ in range(MOST_ENDS):
        at, problem = None, ""
        for kind, place, said in _process(job, cells, answers, last, _command(confined, hidden)):
            if kind == "begin":
                at = place
            elif kind == "end":
                ended, problem = True, said
            elif kind == "cell" and place in job.cells:
                cells[place] = str(said)
            elif kind == "note" and place in job.cells and len(notes) < MOST_NOTES:
                notes[place] = str(said)
            elif kind == "answer" and 0 <= place < len(job.wanted) and isinstance(said, dict):
                answers[place] = said
        if not problem or at is None or time.monotonic() > last:
            break
        if at in job.cells:
            cells[at] = problem
        else:
            answers[-1 - at] = {"problem": problem}
        problem = "not run: too many cells or answers ended the process"
    rest = {"problem": problem or "no answer was handed in"}
    return {
        "cells": {str(place): said for place, said in sorted({**notes, **cells}.items())},
        "answers": {str(place): answers.get(place, rest) for place in range(len(job.wanted))},
        "ended": ended,
    }


def _process(
    job: Job, cells: Mapping[int, str], answers: Mapping[int, Any], last: float, command: Sequence[str]
) -> Iterator[tuple[str, int, Any]]:
    """What a process says, line by line; at last ("end", 0, why), if it did not come to its end."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as given,
        tempfile.TemporaryFile("w+", encoding="utf-8") as trouble,
        tempfile.TemporaryDirectory() as home,
    ):
        given.write(job.left(cells, answers))
        given.seek(0)
        process = subprocess.Popen(
            command,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=trouble,  # before it begins
            cwd=home,
            env=_environment(HOME if command[0] != sys.executable else home),
            start_new_session=True,
        )
        try:
            yield from _told(process, job, {*job.cells} - {*cells} | {-1 - k for k in range(len(job.wanted))}, last)
        except Unstarted as error:
            trouble.seek(0)
            raise Unstarted(f"{error}. {trouble.read()[-1000:].strip()}") from None
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # and with bubblewrap all that it holds
            process.communicate()


def _told(process: subprocess.Popen[bytes], job: Job, left: set[int], last: float) -> Iterator[tuple[str, int, Any]]:
    """Whole lines, until it ends, says nothing for too long, says or takes too much, or goes on after `last`."""
    assert process.stdout is not None
    reads, watch = process.stdout.fileno(), _Watch(process.pid, job.memory)
    wall = 3 * job.seconds + 2  # by the clock, as others run beside it
    data, size, deadline, end = b"", 0, time.monotonic() + TO_START, ""
    ready = False
    while not end:
        now = time.monotonic()
        if end := watch.too_much() or ("" if now < last else f"the submission took more than {job.most:g} s in all"):
            break
        if now > deadline:
            end = f"took more than {wall:.0f} s. Does your loop end?"
            break
        if not select.select([reads], [], [], min(GLANCE, deadline - now, last - now))[0]:
            continue
        part = os.read(reads, 65536)
        size += len(part)
        if not part or size > MOST_SAID:
            end = "says more than 4 MB: hand in something smaller" if part else "ended the process that runs it"
            break
        data += part
        *lines, data = data.split(b"\n")
        for line in lines:
            try:
                kind, place, said = json.loads(line)
                told = (str(kind), int(place), said)
            except (TypeError, ValueError, OverflowError, RecursionError):
                continue  # written by the submission itself
            if not shallow(said):
                told = (told[0], told[1], {"problem": f"expected data of at most {MOST_DEEP} lists within each other"})
            ready = ready or told[0] == "ready"
            if told[0] == "whole":
                return
            if told[0] == "begin":
                if told[1] not in left:
                    continue
                left.remove(told[1])  # it may say the same again and again
                deadline = time.monotonic() + wall
            yield told
    if not ready:
        raise Unstarted(f"no process for a submission could be started: {end}")
    if end.startswith("ended"):
        with contextlib.suppress(subprocess.TimeoutExpired):
            if process.wait(10) in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
                end = f"took more than {job.seconds:g} s of the processor. Does your loop end?"
    yield "end", 0, end


class _Watch:
    """How much a submission takes: its processes together, since limits of the system are those of each."""

    def __init__(self, process: int, memory: int) -> None:
        self._process, self._memory, self._next, self._space = process, memory, 0.0, ""

    def too_much(self) -> str:
        """What it takes too much of, or nothing; asked as often as one likes."""
        if sys.platform != "linux" or time.monotonic() < self._next:
            return ""
        pages, members = 0, self._members()
        for one in members:
            with contextlib.suppress(OSError, ValueError):
                _, resident, shared, *_ = map(int, Path("/proc", one, "statm").read_text().split())
                pages += resident - shared
        self._next = time.monotonic() + GLANCE
        if len(members) > MOST_PROCESSES:
            return f"started more than {MOST_PROCESSES} processes"
        if pages * os.sysconf("SC_PAGE_SIZE") > self._memory + OF_LIBRARY:
            return "takes more memory than it may"
        return ""

    def _members(self) -> list[str]:
        """All processes of the sandbox, which are those of its namespace; without one, those of its session."""
        session, found = [], []
        for one in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, IndexError):
                parent, _, its = map(int, Path("/proc", one, "stat").read_text().rpartition(")")[2].split()[1:4])
                if its == self._process:
                    session.append(one)
                if parent == self._process and not self._space and _space(one) != _space("self"):
                    self._space = _space(one)
                if self._space and _space(one) == self._space:
                    found.append(one)
        return found if self._space else session


def _space(process: str) -> str:
    """Of processes which may be ours."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{process}/ns/pid")
    return ""


def _environment(home: str) -> dict[str, str]:
    """Nothing of the teacher's but where programs and libraries are found."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        **kept,
        **one,
        "HOME": home,
        "USER": "student",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": home,
        "PYTHONPATH": os.pathsep.join(_searched()),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # a submission gets the same verdict twice
        "EXPLORABLES_STATIC": "1",
        "UATLIB_TERMINAL": os.devnull,
    }


@cache
def _packages() -> tuple[Path, ...]:
    """The folders of the library, the book's first, and of what draws pictures, if that is installed."""
    specs = map(find_spec, ("uatbook", "uatlib", "explorables"))
    return tuple(Path(spec.origin).resolve().parent for spec in specs if spec and spec.origin)


def _searched() -> list[str]:
    """Where modules are found: where the library is, and whatever else is installed."""
    library = [str(package.parent) for package in _packages()]
    installed = [str(Path(entry).resolve()) for entry in sys.path if Path(entry).name in INSTALLED]
    return [*dict.fromkeys([*library, *installed])]


def _command(confined: bool, hidden: Sequence[Path]) -> list[str]:
    """What runs `inside`, within bubblewrap or bare."""
    bare = [sys.executable, "-m", "uatbook.grading.inside"]
    return [*_bubblewrap(tuple(hidden)), *bare] if confined else bare


@cache
def _bubblewrap(hidden: tuple[Path, ...]) -> list[str]:
    """bwrap with its options: what is seen lies over what is hidden, the deeper over the less deep."""
    packages = _packages()
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sysconfig.get_paths().values()]
    seen = {Path(entry) for entry in (*SYSTEM, *SYSTEM_FILES, *prefixes, *_searched())}
    seen |= {place for entry in seen if entry.name in INSTALLED for place in _linked(entry)}
    seen |= {entry.resolve() for entry in seen}
    seen -= {package.parent for package in packages if package.parent.name not in INSTALLED}
    seen = {entry for entry in seen if entry.exists()} | {*packages}
    shut = {packages[0] / name for name in HIDDEN}
    shut |= {place for one in hidden if any((place := one.resolve()).is_relative_to(entry) for entry in seen)}
    lies = {entry: ["--ro-bind", str(entry), str(entry)] for entry in seen}
    lies |= {place: ["--perms", "0755", "--tmpfs", str(place)] for place in shut}
    for name in NEEDED:
        file = str(packages[0] / "grading" / name)
        lies[Path(file)] = ["--ro-bind", file, file]
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    options += ["--cap-drop", "ALL", "--hostname", "student", "--proc", "/proc", "--dev", "/dev"]
    options += ["--size", str(MOST_FILES), "--tmpfs", HOME]
    options += [part for place in sorted(lies, key=lambda place: (len(place.parts), place)) for part in lies[place]]
    options += ["--size", str(MOST_FILES), "--tmpfs", "/dev/shm"]
    closed = ["/", "/dev", "/proc", *map(str, sorted(shut))]  # as root of this machine one may write into /proc/sys
    options += [part for place in closed for part in ("--remount-ro", place)]
    return [shutil.which("bwrap") or "bwrap", *options, "--chdir", HOME, "--"]


def _linked(installed: Path) -> Iterator[Path]:
    """Where packages lie of which a folder of installed ones has links alone, as uv and others make them."""
    for folder, folders, files in os.walk(installed):
        for name in (*folders, *files):
            if os.path.islink(link := os.path.join(folder, name)):
                inner, target = Path(link).relative_to(installed).parts, Path(link).resolve()
                # Of a package whose files are links, one by one, the package.
                alike = target.parts[-len(inner) :] == inner
                yield target.parents[len(inner) - 2] if alike and len(inner) > 1 else target


def refusal(hidden: Sequence[Path] = ()) -> str:
    """Why no sandbox can be made here, or nothing; found by making one."""
    if sys.platform != "linux":
        return f"bubblewrap runs on Linux, and this is {sys.platform}"
    if not shutil.which("bwrap"):
        return "bubblewrap is missing (on Debian and Ubuntu: apt-get install bubblewrap)"
    job = Job({}, []).left({}, {})
    made = subprocess.run(
        _command(True, hidden), input=job, text=True, capture_output=True, env=_environment(HOME), check=False
    )
    if [*map(json.loads, made.stdout.splitlines())] == [["ready", 0, None], ["whole", 0, None]]:
        return ""
    return f"bubblewrap says: {(made.stderr.strip().splitlines() or ['nothing'])[-1]}"
