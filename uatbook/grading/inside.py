"""Run a submission: a job as JSON on the usual input; on the usual output lines of JSON, [kind, place, what is said].

It is started by `sandbox`, anew for each submission, within what that one has shut off, and imports no judge: answers
leave it as plain data. A submission may write lines in its name; they are worth what handing in such data is worth.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import signal
import sys
import types
from collections.abc import Mapping
from typing import Any

from uatbook.grading.shell import Shell
from uatbook.handed import handed_in, plain

Job = Mapping[str, Any]


def main() -> None:
    """Read a job, confine this process, run what is to be run, and say so."""
    job = json.loads(sys.stdin.read())
    out = os.fdopen(os.dup(1), "w", buffering=1)

    def say(*line: Any) -> None:
        out.write(json.dumps(line) + "\n")

    _stand_in()
    tensors = any(field["tensors"] for wanted in job["wanted"].values() for field in wanted["fields"])
    if tensors or any(word in source for source in job["cells"].values() for word in ("torch", "uatlib")):
        import torch  # before the clock starts

        torch.set_num_threads(1)
    if any("matplotlib" in source for source in job["cells"].values()):
        with contextlib.suppress(ImportError):
            importlib.import_module("matplotlib.pyplot")  # lists the fonts, which takes seconds
    _confine(job["memory"])
    say("ready", 0, None)
    shell = Shell(lambda note: say("note", place, note))
    sought = {wanted["name"] for wanted in job["wanted"].values()}
    last: dict[str, Any] = {}
    for place, source in ((int(place), source) for place, source in job["cells"].items()):
        say("begin", place, None)
        _more_time(job["seconds"])
        try:
            shell.run(source)
        except BaseException as error:
            say("cell", place, _problem(error))
        for name in sought & {*shell.names}:
            if shell.names[name] is not ...:
                last[name] = shell.names[name]
            elif name in last:
                shell.names[name] = last[name]
                say("note", place, f"the blank `{name} = ...` takes nothing away: what `{name}` was above it counts")
    for place, wanted in ((int(place), wanted) for place, wanted in job["wanted"].items()):
        say("begin", -1 - place, None)
        _more_time(job["seconds"])
        try:
            say("answer", place, _answer(wanted, last))
        except BaseException as error:
            say("answer", place, {"problem": _problem(error)})
    say("whole", 0, None)
    os._exit(0)


def _answer(wanted: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    if wanted["name"] not in values:
        return {"problem": f"no answer: no cell gives `{wanted['name']}` a value"}
    value = values[wanted["name"]]
    fields = [types.SimpleNamespace(**field) for field in wanted["fields"]]
    return {"handed": [plain(part) for part in handed_in(fields, value, wanted["calls"])]}


def _problem(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "takes more memory than it may"
    with contextlib.suppress(BaseException):
        return f"{type(error).__name__}: {error}"[:300]
    return "an error that cannot be shown"


def _confine(memory: int) -> None:
    """Nothing on the usual channels, and limits that end a call or a process in its own name, before others do."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for channel in (0, 1, 2):
        os.dup2(nothing, channel)
    sys.path[:] = [entry for entry in sys.path if entry]
    if sys.platform == "linux":
        with open("/proc/self/statm") as statm:
            taken = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _more_time(seconds: float) -> None:
    """The processor's clock starts again; the system ends the process where it runs out."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, resource.RLIM_INFINITY))


def _stand_in() -> None:
    """Modules without content in the place of the judges, so that notebooks which call `check` run."""
    stub = types.ModuleType("uatbook.exercises")
    question = types.SimpleNamespace(question=lambda *parts: "")
    stub.check = lambda *parts, **options: None  # type: ignore[attr-defined]
    stub.get = lambda *parts: question  # type: ignore[attr-defined]
    sys.modules["uatbook.exercises"] = stub


if __name__ == "__main__":
    main()
