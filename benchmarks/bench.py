"""A copy of a tree with a fault in it: which of its tests run the line, and which see the fault."""

from __future__ import annotations

import collections
import compileall
import contextlib
import functools
import gc
import hashlib
import importlib
import itertools
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from faults import Place, modules
from probes import RUN, install_probes, probed, suite_at

BUILDS = "binder cluster_page compare_outputs demo editions example_source gpu repository share upgrade warm_build"
ASIDE = ("tests/pages/", *(f"test_{name}.py" for name in BUILDS.split()))
"""Tests that read the built book, build one, or read what git knows."""
HANDS = "attention card cells film live_pictures square"
BROWSER = [f"tests/pages/test_{name}.py" for name in HANDS.split()]
"""Tests that open pages of their own in a browser: for scripts alone."""
BESIDE = 5
"""Seconds for tests that do not run the line: one before may have left in a cache what they use."""
UNDECIDED = {"outcome": "undecided", "why": "those that may run it stand aside"}

# ------------------------------------------------------------------------------------------------------- running tests


class Tests:
    """A plugin of pytest: run the wanted tests in their order, say which fail, how long each takes, what it runs."""

    def __init__(self, wanted: list[str] | None = None, limits: dict[str, float] | None = None, budget: float = 1e9):
        self.wanted, self.limits, self.budget = wanted, limits or {}, budget
        self.failed: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self.runs: dict[str, list[str]] = {}
        self.stopped = False

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.wanted is not None:
            by_name = {item.nodeid: item for item in items}
            items[:] = [by_name[name] for name in self.wanted if name in by_name]

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed[report.nodeid] = "not collected"

    def pytest_runtest_protocol(self, item: Any) -> None:
        RUN.clear()
        self.began = time.process_time()
        limit = self.limits.get(item.nodeid, 0)
        signal.setitimer(signal.ITIMER_PROF, limit, 10 if limit else 0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.setdefault(report.nodeid, "time" if "TooLong" in report.longreprtext else report.when)
        if report.when == "teardown":
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.seconds[report.nodeid] = round(time.process_time() - self.began, 3)
            self.runs[report.nodeid] = sorted(RUN)

    def pytest_runtest_teardown(self, item: Any, nextitem: Any) -> None:
        if nextitem and sum(self.seconds.values()) > self.budget:
            self.stopped, item.session.shouldstop = True, "the budget is spent"


class TooLong(BaseException):
    """A test has taken far longer than without the fault."""


def _too_long(*_: Any) -> None:
    raise TooLong


def run_pytest(tree: Path, files: list[str], plugin: Tests, stop: bool) -> dict[str, Any]:
    """Outcome of these files' tests, in this process."""
    import pytest

    # Plain asserts: to rewrite them pytest would load the package that is its plugin, and leave out the probes.
    options = ["-c", str(tree / "pyproject.toml"), "--rootdir", str(tree), "--assert=plain"]
    signal.signal(signal.SIGPROF, _too_long)
    code = pytest.main([*options, *(["-x"] if stop else []), *files], plugins=[plugin])
    if code not in (0, 1, 2, 5) and not plugin.failed:
        plugin.failed[files[0]] = f"pytest ends with {code}"
    return {"failed": plugin.failed, "seconds": plugin.seconds, "runs": plugin.runs, "stopped": plugin.stopped}


def forked(tree: Path, work: Callable[[], dict[str, Any]], wall: float) -> dict[str, Any] | None:
    """What `work` returns in a process of its own, whose third-party modules are loaded; None when time is up."""
    answer, log = tree / ".answer.json", tree / ".log.txt"
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.chdir(tree)
            sys.path[:0] = ours = [str(tree), str(tree / "explorables" / "src")]
            os.environ |= {"PYTHONPATH": ":".join(ours), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1), os.dup2(out, 2)
            answer.write_text(json.dumps(work()), encoding="utf-8")
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(0)
    end, ended = time.monotonic() + wall, False
    try:
        while time.monotonic() < end and not ended:
            time.sleep(0.05)
            ended = os.waitpid(child, os.WNOHANG) != (0, 0)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it left running, and itself where we are stopped
    if not ended:
        os.waitpid(child, 0)
        return None
    return json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {"crash": log.read_text()[-2000:]}


THIRD_PARTY = ("anywidget", "flint", "igraph", "IPython.core.interactiveshell", "ipywidgets", "matplotlib.pyplot")
THIRD_PARTY += ("pytest", "torch.nn", "tqdm")


def preload() -> None:
    """Import once what every run needs; nothing of ours."""
    for name in THIRD_PARTY:
        importlib.import_module(name)
    sys.modules["matplotlib"].use("agg")
    sys.modules["torch"].set_num_threads(1)
    assert not {"uatlib", "uatbook", "explorables"} & {*sys.modules}, "forks load those of their own tree"
    gc.freeze()


# -------------------------------------------------------------------------------------------------- who runs which line


def _heard(files: set[str], event: str, arguments: tuple[Any, ...]) -> None:
    """Scripts that are opened here, or that node is started with."""
    given = {"open": arguments[:1], "subprocess.Popen": arguments[1:2]}.get(event, ())
    for one in given:
        files.update(str(file) for file in (one if isinstance(one, list) else [one]) if str(file).endswith(".js"))


class Bench:
    """A copy of a tree, and which of its tests and pages run which suites."""

    def __init__(self, tree: Path, folder: Path) -> None:
        folders = tree / "tests", tree / "explorables" / "tests"
        tests = sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".py", ".js"))
        texts = [p.read_bytes() for p in (*(tree / name for name in modules(tree)), *tests)]
        folder /= hashlib.sha256(b"".join(texts)).hexdigest()[:12]
        self.tree, self.copy, self.store = tree, folder / "copy", folder / "runs.json"
        if not self.copy.exists():
            shutil.copytree(tree, self.copy, ignore=shutil.ignore_patterns(".git", "_build", "__pycache__", ".venv"))
            compileall.compile_dir(self.copy, quiet=2)
        for module in modules(tree):  # a run that was broken off may have left a fault
            if (self.copy / module).read_bytes() != (tree / module).read_bytes():
                self.put(module)
        names = [str(p.relative_to(tree)) for p in tests if p.name.startswith("test_")]
        self.files = [name for name in names if not name.startswith(ASIDE) and not name.endswith(ASIDE)] + BROWSER
        self.runs: dict[str, Any] = json.loads(self.store.read_text()) if self.store.exists() else {}
        self.costs: dict[str, float] = collections.defaultdict(float)
        """Seconds of the processor that each test takes, as far as they are measured."""
        for name in self.runs:
            self._count(name)

    def _count(self, name: str) -> None:
        self.costs |= {test: seconds for test, (seconds, _) in self.runs[name]["tests"].items()}

    def put(self, module: str, text: str | None = None) -> None:
        """Write a module, as it is in the tree or with this text; its compiled form goes."""
        for old in (self.copy / module).parent.glob(f"__pycache__/{Path(module).stem}.*.pyc"):
            old.unlink()
        (self.copy / module).write_bytes(text.encode() if text else (self.tree / module).read_bytes())

    @contextlib.contextmanager
    def fault(self, spot: Place) -> Iterator[None]:
        self.put(spot.module, spot.text)
        try:
            yield
        finally:
            self.put(spot.module)

    def measure(self, names: Iterable[str]) -> None:
        """Measure which suites the tests of these files run; what fails as it is stands aside."""
        for name in names:
            if name not in self.runs:
                for module in modules(self.tree):  # here, so that no fork need do it again
                    module.endswith(".py") and probed(self.copy, module)
                self._measure(name)
                self._count(name)

    def _measure(self, name: str) -> None:
        result = forked(self.copy, lambda: self._measured(name), wall=3600) or {"crash": "too long"}
        failed, runs = result.get("failed", {}), result.get("runs", {})
        table = {suite: k for k, suite in enumerate(sorted(set().union(*runs.values())))}
        tests = {test: [result["seconds"][test], [table[s] for s in runs[test]]] for test in runs if test not in failed}
        fails = [*sorted(failed), *([result["crash"]] if "crash" in result else [])]
        loaded = result.get("loaded", [])
        self.runs[name] = {"suites": list(table), "loaded": loaded, "fails": fails, "tests": tests}
        self.store.write_text(json.dumps(self.runs), encoding="utf-8")
        spent = sum(seconds for seconds, _ in tests.values())
        print(f"{name}: {len(tests)} tests, {spent:.1f} s", *fails, flush=True)

    def _measured(self, name: str) -> dict[str, Any]:
        install_probes(self.copy)
        files: set[str] = set()
        sys.addaudithook(functools.partial(_heard, files))
        result = run_pytest(self.copy, [name], Tests(), stop=False)
        files |= {str(getattr(module, "__file__", None)) for module in sys.modules.values()}
        inside = f"{self.copy}/"
        return {**result, "loaded": sorted(file.removeprefix(inside) for file in files if file.startswith(inside))}

    def seconds(self, tests: Iterable[str]) -> float:
        return sum(self.costs[test] for test in tests)

    def who(self, spot: Place) -> dict[str, tuple[list[str], list[str]]]:
        """Of each file that matters, the tests that run the suite of this place, and its others.

        The others may see what the first have left in a cache.
        """
        suite = suite_at(self.tree, spot.module, spot.first)
        own = suite.endswith(":0")
        answer = {}
        for name, entry in self.runs.items():
            if name in BROWSER and not spot.module.endswith(".js"):
                continue
            numbers = {k for k, s in enumerate(entry["suites"]) if s == suite or (own and s.startswith(suite[:-1]))}
            tests = {test: not numbers.isdisjoint(part) for test, (_, part) in entry["tests"].items()}
            if any(tests.values()) or (own and spot.module in entry["loaded"]):
                script = spot.module.endswith(".js")  # who runs what of it, nobody knows
                answer[name] = tuple([t for t in tests if (tests[t] or script) == part] for part in (True, False))
        return answer

    def plan(self, spot: Place) -> tuple[list[tuple[str, str]], int]:
        """Tests, (file, name), those that are named after the module and the quickest first; how many run the line."""
        who = self.who(spot)
        stem = Path(spot.module).stem.strip("_")
        files = sorted(who, key=lambda name: (name in BROWSER, stem not in name, self.seconds(who[name][0])))
        plan, beside = ([(name, test) for name in files for test in who[name][part]] for part in (0, 1))
        costs = itertools.accumulate(self.costs[test] for _, test in beside)
        more = [pair for pair, cost in zip(beside, costs, strict=True) if cost < BESIDE or not plan]
        return plan + more, len(plan)

    def outcome(self, spot: Place, budget: float, before: list[str], measured: bool) -> dict[str, Any]:
        """Which test sees the fault first: those that saw it before, then all that run the line."""
        old = [(test.split("::")[0], test) for test in before if (self.copy / test.split("::")[0]).exists()]
        with self.fault(spot):
            answer = self.by_tests(old, budget)
            if answer["outcome"] == "missed" and measured:
                plan, of = self.plan(spot)
                answer = {**self.by_tests(plan, budget), "of": of} if plan else UNDECIDED
        return answer

    def by_tests(self, plan: list[tuple[str, str]], budget: float) -> dict[str, Any]:
        """Whether one of these tests, (its file, its name), fails; they run until the budget is spent."""
        spent, ran = 0.0, 0
        limits = {test: 10 + 20 * self.costs[test] for _, test in plan}  # seconds after which a test has failed
        for chunk in chunks(plan, self.costs):
            names, tests = list(dict.fromkeys(name for name, _ in chunk)), [test for _, test in chunk]
            plugin = Tests(tests, limits, budget - spent)
            result = forked(self.copy, lambda n=names, p=plugin: run_pytest(self.copy, n, p, True), 600 + 10 * budget)
            if result is None:
                return {"outcome": "undecided", "why": "too long by the clock", "first": tests[0]}
            if "crash" in result:
                return {"outcome": "seen", "by": names[0], "how": "crash"}
            if result["failed"]:
                by, how = next(iter(result["failed"].items()))
                return {"outcome": "seen", "by": by, **({} if how == "call" else {"how": how})}
            spent += sum(result["seconds"].values())
            ran += len(result["seconds"])
            if spent > budget or result["stopped"]:
                return {"outcome": "undecided", "why": f"{budget:g} s of the processor are spent", "tests": ran}
        return {"outcome": "missed", "tests": ran}


def chunks(plan: list[tuple[str, str]], costs: dict[str, float]) -> Iterator[list[tuple[str, str]]]:
    """A few quick tests, then more: a process collects all of its files before the first test."""
    room, chunk, spent = 4.0, [], 0.0
    for name, test in plan:
        chunk.append((name, test))
        spent += costs[test]
        if spent > room:
            yield chunk
            chunk, spent, room = [], 0.0, 8 * room
    if chunk:
        yield chunk
