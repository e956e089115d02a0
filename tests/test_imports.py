"""The order of the modules, and a core that imports without plotting and notebook packages."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import uatlib

PACKAGE = Path(uatlib.__file__).parent
SOURCES = sorted(path.parent.name for path in PACKAGE.glob("*/statements"))
LAST = ("statements", "overview")
"""What may import every source."""
FOR_VIEW = ("checks", "progress", "model", "files", "arithmetic")
OPTIONAL = ["matplotlib", "ipywidgets", "IPython", "anywidget"]
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
MODULES = sorted({path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in FILES})
GENERAL = {*MODULES} - {"arithmetic", "view", *SOURCES, *LAST}


def allowed(own: str) -> set[str]:
    """The top-level modules that one may import: the three rules of CONTRIBUTING, "Imports".

    1. arithmetic -> the general modules -> one source -> statements -> overview.
    2. A source imports no other source.
    3. view imports checks, progress and, for pictures that run a network, model, files and arithmetic; nothing imports
       view.
    """
    if own == "arithmetic":
        return set()
    if own == "view":
        return set(FOR_VIEW)
    below = {"arithmetic", *GENERAL}
    return below if own in GENERAL or own in SOURCES else {*below, *SOURCES, *LAST}


def imported(source: str, package: list[str]) -> Iterator[str]:
    """Top-level modules of uatlib that the source of a file of `package` imports, in functions too."""
    for node in ast.walk(ast.parse(source)):
        targets: list[list[str]] = []
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            targets = [[*base, alias.name] for alias in node.names]
        for target in targets:
            if target[0] == "uatlib" and len(target) > 1:
                yield target[1]


@pytest.mark.parametrize(
    ("source", "package", "found"),
    [
        ("import uatlib.model", ["uatlib"], ["model"]),
        ("from uatlib import layers, model", ["uatlib"], ["layers", "model"]),
        ("from . import model", ["uatlib"], ["model"]),
        ("from .model import Head", ["uatlib"], ["model"]),
        ("from .base import x", ["uatlib", "arithmetic"], ["arithmetic"]),
        ("from ..model import Head", ["uatlib", "view"], ["model"]),
        ("from .. import model", ["uatlib", "view"], ["model"]),
        ("def f():\n    from ..view.figures import x", ["uatlib", "view"], ["view"]),
        ("import numpy.model, uatlibx.model", ["uatlib"], []),
    ],
)
def test_every_form_of_import_is_found(source: str, package: list[str], found: list[str]) -> None:
    assert list(imported(source, package)) == found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    folders = path.relative_to(PACKAGE).parts
    own = folders[0].removesuffix(".py")
    for name in imported(path.read_text(encoding="utf-8"), ["uatlib", *folders[:-1]]):
        if name in MODULES and name != own:
            assert name in allowed(own), f"{'/'.join(folders)} imports uatlib.{name}; {own} may not."


def test_the_rules_forbid_what_they_should() -> None:
    assert {"yun2020", "kajitsuka2024"} <= {*SOURCES}
    assert {*LAST, *FOR_VIEW} <= {*MODULES}, "expected no module that does not exist to be let through"
    assert "kajitsuka2024" not in allowed("yun2020")
    assert "yun2020" not in allowed("grids")
    assert "statements" not in allowed("yun2020")
    assert "layers" not in allowed("view")
    assert "yun2020" in allowed("statements")
    assert not any("view" in allowed(own) for own in MODULES)


@pytest.mark.parametrize("source", SOURCES)
def test_the_modules_of_a_source_have_an_order(source: str) -> None:
    _require_an_order(path for path in FILES if path.relative_to(PACKAGE).parts[0] == source)


def test_the_general_modules_have_an_order() -> None:
    _require_an_order(path for path in FILES if path.relative_to(PACKAGE).parts[0].removesuffix(".py") in GENERAL)


def _at_import(path: Path, name: str) -> set[str]:
    """The modules of uatlib that a file imports when it is itself imported, not later in a function."""
    package = ["uatlib", *path.relative_to(PACKAGE).parts[:-1]]
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            if base[:1] == ["uatlib"]:
                dotted = ".".join(base[1:])
                for alias in node.names:
                    inner = f"{dotted}.{alias.name}".strip(".")
                    found.add(inner if _is_module(inner) else dotted)
    return found - {name, ""}


def _is_module(dotted: str) -> bool:
    path = PACKAGE.joinpath(*dotted.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def _require_an_order(paths: Iterable[Path]) -> None:
    graph = {}
    for path in paths:
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        graph[name] = _at_import(path, name)
    assert len(graph) > 2
    _require_no_circle(graph)


def _require_no_circle(graph: dict[str, set[str]]) -> None:
    done: set[str] = set()
    while left := {name for name in graph if name not in done}:
        ready = {name for name in left if not (graph[name] & left)}
        assert ready, f"these import each other in a circle: {sorted(left)}"
        done |= ready


def test_the_package_itself_imports_no_module() -> None:
    names = set(imported((PACKAGE / "__init__.py").read_text(encoding="utf-8"), ["uatlib"]))
    assert not names & set(MODULES)


SCRIPT = """
import importlib, json, sys
optional, names = json.loads(sys.argv[1])
sys.modules.update(dict.fromkeys(optional))
errors = {}
for name in names:
    try:
        importlib.import_module(name)
        errors[name] = ""
    except Exception as error:
        errors[name] = f"{type(error).__name__}: {error}"
from uatlib.metrics import lp_distance
lp_distance(lambda X: X, lambda X: 0 * X, n=1, d=1, method="monte carlo", samples=10)
print(json.dumps(errors))
"""


@pytest.fixture(scope="module")
def errors() -> dict[str, str]:
    """Each top-level module with its error, imported in one process that lacks the optional packages."""
    names = [f"uatlib.{name}" for name in MODULES if name != "view"]
    command = [sys.executable, "-W", "error", "-c", SCRIPT, json.dumps([OPTIONAL, names])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "view"])
def test_the_core_imports_without_plots_and_notebooks(name: str, errors: dict[str, str]) -> None:
    assert errors[f"uatlib.{name}"] == ""
