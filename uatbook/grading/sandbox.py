"""Run the code of submissions where it cannot reach the judges: a process that forks a child for each.

Run as a module, it reads a job a line from its input and writes a result a line. It has imported the library, and no
exercise: a submission that imports `uatbook.exercises` finds names that do nothing. A child runs the cells of one
submission, within limits of time, memory, files and output, in an empty folder, without network where the system lets
it; what it says of an answer is JSON. A cell that loops or ends the process costs that cell: the next child leaves it
out.

This keeps honest mistakes apart, and tricks out of the comparison, which is made elsewhere. It does not hold back code
that means harm to the machine: it runs as the user who grades. Give it a container, or an account of its own.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import types
from collections.abc import Iterator, Mapping
from typing import Any

from uatbook.answers import Field, handed_in, plain

MOST_BYTES = 4 * 2**20
"""Of all that a child says."""
MOST_ENDS = 8
"""Children that a submission may end before what is left of it is given up."""
FILE_BYTES = 16 * 2**20
NO_NETWORK = 0x10000000 | 0x40000000
"""CLONE_NEWUSER and CLONE_NEWNET of Linux."""

Job = Mapping[str, Any]
"""cells: sources; wanted: for each answer `name`, `fields` (their kind, name, tensors) and `calls`; seconds: of the
processor, for a cell or an answer; memory: bytes beyond what the library takes."""


def run(job: Job) -> dict[str, Any]:
    """{"cells": {place: problem}, "answers": {place: {"handed": [...]} or {"problem": text}}} of a submission."""
    cells: dict[int, str] = {}
    answers: dict[int, dict[str, Any]] = {}
    last = time.monotonic() + longest(job)
    for _ in range(MOST_ENDS):
        at, end = None, ""
        for kind, place, said in _child(job, {*cells}, {*answers}, last):
            if kind == "begin":
                at = place
            elif kind == "end":
                end = said
            elif kind == "cell":
                cells[place] = said
            else:
                answers[place] = said
        if not end:
            break
        if at is None:
            return {"cells": cells, "answers": _rest(job, answers, end)}
        if at < len(job["cells"]):
            cells[at] = end
        else:
            answers[at - len(job["cells"])] = {"problem": end}
    return {"cells": cells, "answers": _rest(job, answers, "not run: too many cells or answers ended the process")}


def _rest(job: Job, answers: dict[int, dict[str, Any]], problem: str) -> dict[int, dict[str, Any]]:
    return {place: answers.get(place, {"problem": problem}) for place in range(len(job["wanted"]))}


def _child(job: Job, without: set[int], done: set[int], last: float) -> Iterator[tuple[str, int, Any]]:
    """What a child says, line by line; at last ("end", 0, why) if it did not come to its end."""
    reads, writes = os.pipe()
    folder = tempfile.mkdtemp()
    if (pid := os.fork()) == 0:
        os.close(reads)
        with contextlib.suppress(BaseException):
            _work(job, without, done, folder, os.fdopen(writes, "w", buffering=1))
        os._exit(0)
    os.close(writes)
    try:
        yield from _told(reads, pid, job, last)
    finally:
        os.close(reads)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # what it has started, too
        shutil.rmtree(folder, ignore_errors=True)


def longest(job: Job) -> float:
    """Seconds that a submission gets, children that begin again included."""
    return 2 * (MOST_ENDS + len(job["cells"]) + len(job["wanted"])) * _wall(job)


def _wall(job: Job) -> float:
    """Seconds for a cell or an answer by the clock, as others run beside it."""
    return float(3 * job["seconds"] + 2)


def _told(reads: int, pid: int, job: Job, last: float) -> Iterator[tuple[str, int, Any]]:
    """Whole lines until the child ends, or says nothing for too long, or too much, or goes on after `last`."""
    seconds, wall = job["seconds"], _wall(job)
    data, size, deadline, complete, end = b"", 0, time.monotonic() + wall, False, ""
    begun = -1
    while not complete:
        ready, _, _ = select.select([reads], [], [], max(0.0, min(deadline, last) - time.monotonic()))
        part = os.read(reads, 65536) if ready else b""
        size += len(part)
        if not part or size > MOST_BYTES:
            end = "ended the process that runs it" if ready else f"took more than {wall:.0f} s. Does your loop end?"
            end = "says more than 4 MB: hand in something smaller" if size > MOST_BYTES else end
            break
        data += part
        *lines, data = data.split(b"\n")
        for line in lines:
            try:
                kind, place, said = json.loads(line)
                told = (str(kind), int(place), said)
            except (TypeError, ValueError, OverflowError, RecursionError):
                continue  # written by the submission itself
            if begun < told[1] < len(job["cells"]) + len(job["wanted"]):  # it may say the same again and again
                begun, deadline = told[1], time.monotonic() + wall
            complete = kind == "whole"
            if not complete:
                yield told
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if not complete:
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            end = f"took more than {seconds:g} s of the processor. Does your loop end?"
        yield "end", 0, end


def _work(job: Job, without: set[int], done: set[int], folder: str, out: Any) -> None:
    """The child: cells, then answers, each announced before it runs."""
    _confine(folder, job["memory"])

    def say(*line: Any) -> None:
        out.write(json.dumps(line) + "\n")

    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *things, **options: None}
    for place, source in enumerate(job["cells"]):
        if place not in without:
            say("begin", place, None)
            _more_time(job["seconds"])
            try:
                exec(compile(ast.parse(source), f"cell {place + 1}", "exec", dont_inherit=True), names)
            except BaseException as error:
                say("cell", place, _problem(error))
    for place, wanted in enumerate(job["wanted"]):
        if place not in done:
            say("begin", len(job["cells"]) + place, None)
            _more_time(job["seconds"])
            try:
                say("answer", place, _answer(wanted, names))
            except BaseException as error:
                say("answer", place, {"problem": _problem(error)})
    say("whole", 0, None)


def _answer(wanted: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    value = names.get(wanted["name"], ...)
    if value is ...:
        return {"problem": f"no answer: no cell gives `{wanted['name']}` a value"}
    fields = [Field(**field) for field in wanted["fields"]]
    return {"handed": [plain(part) for part in handed_in(fields, value, wanted["calls"])]}


def _problem(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "takes more memory than it may"
    with contextlib.suppress(BaseException):
        return f"{type(error).__name__}: {error}"[:300]
    return "an error that cannot be shown"


def _confine(folder: str, memory: int) -> None:
    """An own session, an empty folder, nothing on the usual channels, limits."""
    os.setsid()
    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    for channel in (0, 1, 2):
        os.dup2(nothing, channel)
    os.environ.clear()
    os.environ.update(MPLBACKEND="agg", MPLCONFIGDIR=folder, HOME=folder, UATLIB_STATIC_PAGE="1")
    sys.path[:] = [entry for entry in sys.path if entry]
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).unshare(NO_NETWORK)  # refused in many containers, which have rules of their own
        with open("/proc/self/statm") as statm:
            taken = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory,) * 2)
    for kind, most in ((resource.RLIMIT_FSIZE, FILE_BYTES), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(kind, (most, most))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _more_time(seconds: float) -> None:
    """The processor's clock starts again; the system ends the process where it runs out."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, resource.RLIM_INFINITY))


def without_judges() -> None:
    """Put modules without content in the place of the exercises, so that notebooks which call `check` run."""
    stub = types.ModuleType("uatbook.exercises")
    question = types.SimpleNamespace(question=lambda *parts: "")
    stub.check = lambda *parts, **options: None  # type: ignore[attr-defined]
    stub.get = lambda *parts: question  # type: ignore[attr-defined]
    sys.modules["uatbook.exercises"] = stub
    sys.modules["uatbook.grading"] = types.ModuleType("uatbook.grading")


def main() -> None:
    """Serve jobs until the input ends."""
    import torch

    torch.set_num_threads(1)
    without_judges()
    while line := sys.stdin.readline():
        found = run(json.loads(line))
        print(json.dumps("done"), flush=True)
        word = json.loads(sys.stdin.readline())  # which says that this is no line of a submission
        print(json.dumps({"word": word, "found": found}), flush=True)


if __name__ == "__main__":
    main()
