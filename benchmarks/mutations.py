"""Single faults, put one at a time into what a reader runs, in Python and in JavaScript: which of them a test sees.

    python benchmarks/mutations.py                                # goes on where the record stops
    python benchmarks/mutations.py --as after --measured          # again: first the test that saw a fault before
    python benchmarks/mutations.py --matrix tests/a.py --draw 45  # which tests of a file see which faults
    python benchmarks/mutations.py --list missed                  # what is in the record

Faults are drawn over all modules and scripts, by their code lines. A fault is the text of a line, and a wrong text for
it, in a function: so it is found again where a module has another name. Those who run a line of Python: the tests whose
suite of statements (the body of a function, a loop, a branch) is executed, as measured once by probes. Of a script:
the tests of files that read it or hand it to node. It is seen if one of them fails, or takes over twenty times as long.
Tests that read a built book, or build one, stand aside (ASIDE). What is missed is judged by hand: "without effect" in
the record, with the reason.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import compileall
import contextlib
import datetime
import functools
import gc
import hashlib
import importlib
import itertools
import json
import os
import platform
import random
import re
import shutil
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

from pygments.lexers import JavascriptLexer
from pygments.token import Comment, Name, Number, Operator, String, Token
from size import code_lines, script_lines

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("uatlib/", "uatbook/", "explorables/src/explorables/", "_ext/")
SCRIPTS = (*PACKAGES, "assets/")
BUILDS = "binder cluster_page compare_outputs demo editions example_source gpu repository share upgrade warm_build"
ASIDE = ("tests/pages/", *(f"test_{name}.py" for name in BUILDS.split()))
"""Tests that read the built book, build one, or read what git knows."""
HANDS = "attention card cells film live_pictures square"
BROWSER = [f"tests/pages/test_{name}.py" for name in HANDS.split()]
"""Tests that open pages of their own in a browser: for scripts alone."""
BESIDE = 5
"""Seconds for tests that do not run the line: one before may have left in a cache what they use."""

# ------------------------------------------------------------------------------------------------------------- faults

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "is": "is not"}
COMPARISONS |= {wrong: right for right, wrong in COMPARISONS.items() if wrong.startswith(("not", "is"))}
OPERATORS = {"+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "**": "*", "&": "|", "|": "&"}
PAIRS = ("min max", "any all", "minimum maximum", "floor ceil", "argmin argmax", "zeros ones", "triu tril", "sum prod")
TWINS = {name: twin for pair in PAIRS for name, twin in itertools.permutations(pair.split())}
NUMBERS = re.compile(r"\b(int|float|Fraction|Any|Array|ndarray|Tensor|Number|Native)\b")

Edit = tuple[str, int, int, str]
"""Its kind, the first byte, the byte behind the last, and what stands there instead."""


class Source:
    """The text of a module, by bytes, as `ast` counts columns; of a script, in which all is one function."""

    def __init__(self, text: str, python: bool) -> None:
        self.data = text.encode()
        self.starts = [0, *(m.end() for m in re.finditer(b"\n", self.data))]
        self.tree = ast.parse(text if python else "")
        self.texts = [line.strip() for line in text.splitlines()]
        self.places: dict[str, list[int]] = {}
        for at, line in enumerate(self.texts, 1):
            self.places.setdefault(line, []).append(at)
        self.spans = functions(self.tree)

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def text(self, start: int, end: int) -> str:
        return self.data[start:end].decode()

    def line(self, place: int) -> int:
        return self.data.count(b"\n", 0, place) + 1

    def function(self, line: int) -> str:
        """The innermost function or class around a line."""
        around = [name for name, (first, last) in self.spans.items() if first <= line <= last]
        return max(around, key=lambda name: self.spans[name][0])

    def lines(self, first: int, last: int) -> str:
        """The lines, each without its indentation."""
        return _stripped(self.text(self.starts[first - 1], (*self.starts, len(self.data))[last]))


def _stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def edits(node: ast.AST, source: Source, returns: str) -> Iterator[Edit]:
    """What can be wrong with this node itself; `returns` is the annotation of the function around it."""
    start, end = source.span(node) if hasattr(node, "lineno") else (0, 0)
    whole = source.text(start, end)
    match node:
        case ast.Compare():
            for a, b in itertools.pairwise([node.left, *node.comparators]):
                yield from _operator(source, "comparison", a, b, COMPARISONS)
        case ast.BinOp() if not (_is_text(node.left) or _is_text(node.right)):
            yield from _operator(source, "operator", node.left, node.right, OPERATORS)
        case ast.BoolOp():
            for a, b in itertools.pairwise(node.values):
                yield from _operator(source, "and, or", a, b, {"and": "or", "or": "and"})
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield "negation", start, end, f"({source.text(*source.span(node.operand))})"
        case ast.Constant(value=bool()):
            yield "constant", start, end, str(not node.value)
        case ast.Constant(value=int() | float()):
            yield "constant", start, end, repr(node.value + 1)
            if node.value > 0:
                yield "constant", start, end, repr(node.value - 1)
        case ast.Subscript(slice=ast.Name() | ast.BinOp(), ctx=ast.Load()):
            yield "index", *_index(source, node.slice)
        case ast.Slice():
            for bound in filter(None, (node.lower, node.upper)):
                yield "index", *_index(source, bound)
        case ast.Name(id=name) if name in TWINS:
            yield "twin", start, end, TWINS[name]
        case ast.Attribute(attr=name) if name in TWINS:
            yield "twin", end - len(name), end, TWINS[name]
        case ast.If() if all(isinstance(part, ast.Raise) for part in node.body):
            yield "guard", *source.span(node.test), "False"
        case ast.If() | ast.IfExp():
            a, b = source.span(node.test)
            yield "condition", a, b, f"not ({source.text(a, b)})"
        case ast.comprehension(ifs=[test, *_]):
            yield "filter", *source.span(test), "True"
        case ast.Return(value=ast.BinOp() | ast.Call() | ast.Name() | ast.Subscript()) if NUMBERS.search(returns):
            yield "sign", start, end, f"return -({whole.removeprefix('return ')})"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
            yield "statement", start, end, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement", start, end, "pass"


def _operator(source: Source, kind: str, a: ast.expr, b: ast.expr, wrong: dict[str, str]) -> Iterator[Edit]:
    start, end = source.span(a)[1], source.span(b)[0]
    between = source.text(start, end)
    sign = " ".join(between.translate(str.maketrans("()", "  ")).split())
    if sign in wrong and sign in between:
        start += between.index(sign)
        yield kind, start, start + len(sign), wrong[sign]


def _index(source: Source, node: ast.expr) -> tuple[int, int, str]:
    start, end = source.span(node)
    return start, end, f"{source.text(start, end)} - 1"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def walk(node: ast.AST, name: str = "", returns: str = "") -> Iterator[tuple[ast.AST, str, str]]:
    """All nodes whose faults count, each with its function: no annotations, texts of errors, imports, formats."""
    yield node, name, returns
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            texts = isinstance(child, ast.Assign) and getattr(child.targets[0], "id", "") == "__all__"
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr, ast.Assert)) or texts:
                continue
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                said = getattr(child, "returns", None)
                yield from walk(child, f"{name}.{child.name}".lstrip("."), ast.unparse(said) if said else "")
            else:
                yield from walk(child, name, returns)


IN_SCRIPTS = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "==="},
    "operator": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "*"},
    "and, or": {"&&": "||", "||": "&&"},
    "twin": {a: b for pair in ("min max", "floor ceil", "some every") for a, b in itertools.permutations(pair.split())},
}
STATEMENT = re.compile(r"(?<=[;{}]\n) *([\w.$]+(?:\[[\w.]+\])*(?:\(.*\)| [-+*]?= .*);)$", re.MULTILINE)
"""On a line of its own, it calls something, or assigns to what there is."""


def script_edits(text: str) -> Iterator[Edit]:
    """What can be wrong in a script, by its tokens."""
    data, at, tokens, opened = text.encode(), 0, [(0, Token, "")], []
    for kind, part in JavascriptLexer(stripnl=False, ensurenl=False).get_tokens(text):
        if kind not in Comment and part.strip():
            tokens.append((at, kind, part))
        at += len(part.encode())
    tokens.append((at, Token, ""))
    for before, (start, kind, part), after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        end = start + len(part.encode())
        binary = before[1] in Name or before[1] in Number or before[2] in (")", "]")
        for name, wrong in IN_SCRIPTS.items() if kind in Operator or kind in Name else ():
            texts = name == "operator" and (not binary or before[1] in String or after[1] in String)
            if part in wrong and not texts and (name != "twin" or before[2] == "."):
                yield name, start, end, wrong[part]
        if kind in Number and re.fullmatch(r"\d+(\.\d+)?", part):
            value = float(part) if "." in part else int(part)
            yield from (("constant", start, end, repr(value + more)) for more in (1, -1) if value + more >= 0)
        if part == "(":
            opened.append((start, before[2] == "if"))
        if part == ")" and opened and (pair := opened.pop())[1]:
            yield "condition", pair[0], end, f"(!{data[pair[0] : end].decode()})"
    for found in STATEMENT.finditer(text):
        start = len(text[: found.start(1)].encode())
        yield "statement", start, start + len(found[1].encode()), ";"


class Fault(NamedTuple):
    """In a function the lines `line` become `wrong`; `nth` of those that read alike."""

    module: str
    function: str
    kind: str
    line: str
    wrong: str
    nth: int = 0

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Fault:
        return cls(**{name: entry[name] for name in cls._fields})


def all_faults(tree: Path, module: str) -> list[Fault]:
    """Every fault that this script knows, in a module."""
    source, faults = read(str(tree / module)), []
    if module.endswith(".js"):
        found = [("", script_edits(source.data.decode()))]
    else:
        found = ((name, edits(node, source, returns)) for node, name, returns in walk(source.tree))
    for name, each in found:
        for kind, start, end, text in each:
            first, last = source.line(start), source.line(end)
            line = source.lines(first, last)
            head, tail = source.starts[first - 1], (*source.starts, len(source.data))[last]
            wrong = _stripped(source.text(head, start) + text + source.text(end, tail))
            places = matches(source, name, line)
            if first in places and '"""' not in line and line != wrong:
                faults.append(Fault(module, name, kind, line, wrong, places.index(first)))
    return faults


@functools.cache
def read(path: str) -> Source:
    return Source(Path(path).read_text(encoding="utf-8"), path.endswith(".py"))


def _compiles(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def functions(tree: ast.Module) -> dict[str, tuple[int, int]]:
    """First and last line of each function and class, and "" for the module."""
    spans = {"": (0, 10**9)}
    for node, name, _ in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            spans[name] = (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or 0)
    return spans


def matches(source: Source, name: str, line: str) -> list[int]:
    """The lines of a function, but not of one inside it, where this text begins."""
    texts = line.split("\n")
    return [
        at
        for at in source.places.get(texts[0], ())
        if source.texts[at - 1 : at - 1 + len(texts)] == texts and source.function(at) == name
    ]


@functools.cache
def modules(tree: Path) -> list[str]:
    python = (p for name in PACKAGES for p in (tree / name).rglob("*.py"))
    scripts = (p for name in SCRIPTS for p in (tree / name).rglob("*.js") if p.parent.name != "katex")
    return sorted(str(p.relative_to(tree)) for p in (*python, *scripts))


def drawn(tree: Path, count: int, seed: int) -> list[Fault]:
    """So many faults: the module by its code lines, of it a kind, of that one fault."""
    names = modules(tree)
    weights = [len((code_lines if name.endswith(".py") else script_lines)(tree / name)) for name in names]
    rng, known, faults = random.Random(seed), {}, {}
    while len(faults) < count:
        (name,) = rng.choices(names, weights)
        if name not in known:
            known[name] = {}
            for fault in all_faults(tree, name):
                known[name].setdefault(fault.kind, []).append(fault)
        if by_kind := known[name]:
            fault = rng.choice(by_kind[rng.choice(sorted(by_kind))])
            spot = place(tree, fault._asdict())
            if spot and spot.module == name and (name.endswith(".js") or _compiles(spot.text)):
                faults[fault] = None
    return list(faults)


class Place(NamedTuple):
    """Where a fault stands in a tree: module, first and last line, and the module's text with it."""

    module: str
    first: int
    last: int
    text: str


def place(tree: Path, entry: dict[str, Any]) -> Place | None:
    """The fault in this tree: in its module, or in another that has its function with its line, or the line alone."""
    fault, ranked = Fault.of(entry), []
    for module in modules(tree):
        source = read(str(tree / module))
        for name in {source.function(at) for at in source.places.get(fault.line.split("\n")[0], ())}:
            if lines := matches(source, name, fault.line):
                ranked.append((_likeness(fault, module, name), module, lines[min(fault.nth, len(lines) - 1)]))
    ranked.sort(reverse=True)
    # Two places that are equally likely are none.
    if ranked and (len(ranked) == 1 or ranked[0][0] > ranked[1][0]):
        return _placed(tree, fault, *ranked[0][1:])
    return None


def _likeness(fault: Fault, module: str, function: str) -> tuple[bool, bool, bool, bool, int]:
    """What speaks for this place, the strongest first."""
    path, old = Path(module), Path(fault.module)
    return (
        function == fault.function and path == old,
        function == fault.function != "",
        function.split(".")[-1] == fault.function.split(".")[-1] != "",
        path.stem.strip("_") == old.stem.strip("_"),
        len(set(path.parts) & set(old.parts)),
    )


def _placed(tree: Path, fault: Fault, module: str, at: int) -> Place:
    lines = (tree / module).read_text(encoding="utf-8").splitlines(keepends=True)
    last = at + fault.line.count("\n")
    indent = lines[at - 1][: -len(lines[at - 1].lstrip())]
    wrong = "".join(f"{indent}{line}\n" for line in fault.wrong.split("\n"))
    return Place(module, at, last, "".join([*lines[: at - 1], wrong, *lines[last:]]))


# ------------------------------------------------------------------------------------------------------------- probes


def suites(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Bodies of functions, loops, branches; those of modules and classes run when they are imported."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and not isinstance(node, (ast.Module, ast.ClassDef)):
                yield body


def suite_at(tree: Path, module: str, first: int) -> str:
    """The name of the innermost suite around a line, "module:line of its first statement"; 0 for the module's own."""
    inner = 0
    if module.endswith(".js"):
        return f"{module}:0"
    for body in suites(ast.parse((tree / module).read_text(encoding="utf-8"))):
        begin, end = _first_line(body), body[-1].end_lineno or 0
        if begin <= first <= end and begin > inner:
            inner = begin
    return f"{module}:{inner}"


def _first_line(body: list[ast.stmt]) -> int:
    return min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))])


RUN: set[str] = set()
"""The suites that are run since it was cleared, and "module:0" of what was imported."""


@functools.cache
def probed(tree: Path, module: str) -> types.CodeType:
    """The code of a module with a probe before each suite; lines keep their numbers."""
    code = ast.parse((tree / module).read_bytes())
    for body in list(suites(code)):
        name = ast.Constant(f"{module}:{_first_line(body)}")
        call = ast.Expr(ast.Call(ast.Name("__run__", ast.Load()), [name], []))
        ast.fix_missing_locations(ast.copy_location(call, body[0]))
        documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        body.insert(int(documented), call)
    return compile(code, tree / module, "exec", dont_inherit=True)


def install_probes(tree: Path) -> None:
    """From now on the tree's modules are loaded with probes."""
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> Any:
        path = Path(self.path)
        module = str(path.relative_to(tree)) if path.is_relative_to(tree) else ""
        if not module.startswith(PACKAGES):
            return original(self, name)
        RUN.add(f"{module}:0")
        return probed(tree, module)

    vars(builtins)["__run__"] = RUN.add
    SourceFileLoader.get_code = get_code


# ------------------------------------------------------------------------------------------------------- running tests


class Tests:
    """A plugin of pytest: run the wanted tests in their order, say which fail, how long each takes, what it runs."""

    def __init__(self, wanted: list[str] | None = None, limits: dict[str, float] | None = None, budget: float = 1e9):
        self.wanted, self.limits, self.budget = wanted, limits or {}, budget
        self.failed: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self.runs: dict[str, list[str]] = {}

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

    def pytest_runtest_teardown(self, item: Any) -> None:
        if time.process_time() > self.budget:
            item.session.shouldstop = "the budget is spent"


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
    return {"failed": plugin.failed, "seconds": plugin.seconds, "runs": plugin.runs}


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
                answer = {**self.by_tests(plan, budget), "of": of}
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
            if spent > budget:
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


# ------------------------------------------------------------------------------------------------------------- records


def matrix(bench: Bench, file: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Faults in what a test file imports and runs; of each, which of the file's test functions fail."""
    run = {suite for suite in bench.runs[file]["suites"] if suite.rsplit(":", 1)[0] in imported(bench.tree, file)}
    faults = [
        f for module in sorted({suite.rsplit(":", 1)[0] for suite in run}) for f in all_faults(bench.tree, module)
    ]
    random.Random(seed).shuffle(faults)
    spots = ((fault, place(bench.tree, fault._asdict())) for fault in faults)
    run_here = ((f, s) for f, s in spots if s and suite_at(bench.tree, s.module, s.first) in run and _compiles(s.text))
    for fault, spot in itertools.islice(run_here, count):
        tests = bench.who(spot)[file][0]
        limits = {test: 10 + 20 * bench.costs[test] for test in tests}
        with bench.fault(spot):
            work = functools.partial(run_pytest, bench.copy, [file], Tests(tests, limits), stop=False)
            result = forked(bench.copy, work, wall=3600) or {}
        every = {test.split("::")[-1].split("[")[0] for test in tests}
        seen = {test.split("::")[-1].split("[")[0] for test in result.get("failed", {file: ""})}
        yield {**fault._asdict(), "seen by": sorted(every if seen - every else seen)}


def imported(tree: Path, file: str) -> set[str]:
    """The modules that a test imports by name, or from whose package it takes names."""
    names = set()
    for node in ast.walk(ast.parse((tree / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = {name.replace(".", "/") + end for name in names for end in (".py", "/__init__.py")}
    return {path for path in paths if path.startswith(PACKAGES) and (tree / path).exists()}


def alone(faults: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The functions that are never the only one to see a fault; and those that can all go with no fault missed."""
    seen = [set(fault["seen by"]) for fault in faults if fault["seen by"]]
    every = sorted(set().union(*seen))
    never = [name for name in every if {name} not in seen]
    kept = set(every)
    for name in sorted(never, key=lambda name: sum(name in part for part in seen)):
        if all(part & (kept - {name}) for part in seen):
            kept.remove(name)
    return never, [name for name in every if name not in kept]


def write(path: Path, record: dict[str, Any]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, default=ROOT / "data" / "mutations.json")
    parser.add_argument("--tree", type=Path, default=ROOT, help="where the faults are put")
    parser.add_argument("--as", dest="name", default="before", help="the name of this tree's outcomes in the record")
    parser.add_argument("--draw", type=int, default=320, help="how many faults, where none are recorded")
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--budget", type=float, default=30, help="seconds of the processor for a fault")
    parser.add_argument("--folder", type=Path, default=ROOT / "_build" / "mutations", help="copies, measurements")
    parser.add_argument("--measured", action="store_true", help="measure no more, and record only what is seen")
    parser.add_argument("--again", action="store_true", help="what was missed, with this budget")
    parser.add_argument("--matrix", nargs="*", default=[], help="test files")
    parser.add_argument("--list", default="", metavar="OUTCOME", help="show, run nothing")
    options = parser.parse_args()
    tree = options.tree.resolve()
    record = json.loads(options.record.read_text()) if options.record.exists() else {"seed": options.seed}
    if "faults" not in record:
        record["faults"] = [fault._asdict() for fault in drawn(tree, options.draw, options.seed)]
        write(options.record, record)
    if options.list:
        show(record, options.name, options.list)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that what is begun is put back
    preload()
    bench = Bench(tree, options.folder)
    if options.matrix:
        bench.measure(options.matrix)
        matrices(bench, record, options)
        return
    bench.measure([] if options.measured else bench.files)
    record[options.name] = {
        "command": f"python benchmarks/mutations.py --as {options.name} --budget {options.budget:g}",
        "date": datetime.date.today().isoformat(),
        "versions": {"python": platform.python_version()},
    }
    opened = []
    for entry in record["faults"]:
        old = entry.get(options.name, {}).get("outcome")
        if old is None or (options.again and old in ("missed", "undecided", "gone")):
            spot = place(tree, entry)
            opened.append((bench.seconds(test for _, test in bench.plan(spot)[0]) if spot else 0, entry, spot))
    for _, entry, spot in sorted(opened, key=lambda one: one[0]):  # the cheap ones first
        before = [other["by"] for other in entry.values() if isinstance(other, dict) and "by" in other]
        outcome = bench.outcome(spot, options.budget, before, not options.measured) if spot else {"outcome": "gone"}
        print(entry["module"], entry["function"], "|", entry["wrong"], "->", outcome, flush=True)
        if outcome["outcome"] == "seen" or not options.measured:
            entry[options.name] = outcome
            write(options.record, record)
    print(collections.Counter(entry.get(options.name, {}).get("outcome", "open") for entry in record["faults"]))


def matrices(bench: Bench, record: dict[str, Any], options: argparse.Namespace) -> None:
    for file in options.matrix:
        rows = record.setdefault("matrices", {}).setdefault(file, [])
        for row in itertools.islice(matrix(bench, file, options.draw, options.seed), len(rows), None):
            rows.append(row)
            write(options.record, record)
            print(file, len(rows), row["wrong"], "->", len(row["seen by"]), flush=True)
        print(
            file,
            *(f"\n  {words}: {names}" for words, names in zip(("never alone", "can go"), alone(rows), strict=True)),
        )


def show(record: dict[str, Any], name: str, outcome: str) -> None:
    for entry in record["faults"]:
        if entry.get(name, {}).get("outcome", "open") == outcome:
            print(f"{entry['module']} {entry['function']} ({entry['kind']})\n  {entry['line']}\n  {entry['wrong']}")
            print(f"  {entry[name]} {entry.get('without effect', '')}" if name in entry else "")


if __name__ == "__main__":
    main()
