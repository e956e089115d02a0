"""The order of the modules, and a library that imports without plotting and notebook packages."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from pkgutil import iter_modules, resolve_name

import pytest

from uatbook.sources import SOURCES
from uatlib import moved

ROOT = Path(__file__).resolve().parents[1]
OURS = {"uatlib": ROOT, "uatbook": ROOT, "explorables": ROOT / "explorables" / "src"}
"""Each package, and the folder that has it."""
FILES = sorted(path for package, folder in OURS.items() for path in (folder / package).rglob("*.py"))
MODULES = sorted(
    {path.name.removesuffix(".py") for path in (ROOT / "uatlib").iterdir()} - {"__init__", "__pycache__", "py.typed"}
)
OPTIONAL = ["matplotlib", "ipywidgets", "IPython", "anywidget", "explorables", "uatbook"]
FOLDERS = [f"uatlib/{source}" for source in SOURCES if (ROOT / "uatlib" / source).is_dir()]
GENERAL = {*MODULES} - {"arithmetic", "commands", "comparison", *SOURCES}


def allowed(own: str) -> set[str]:
    """What a top-level module of uatlib may import of it: the rules of CONTRIBUTING, "Imports".

    1. chapters -> uatbook -> uatlib and explorables, which do not know each other; in uatlib arithmetic -> the general
       modules -> one source.
    2. A source imports no other source.
    3. comparison imports the sources, commands imports all of these; nothing in uatlib imports them.
    """
    if own == "commands":
        return {"arithmetic", "comparison", *GENERAL, *SOURCES}
    if own == "comparison":
        return {"arithmetic", *GENERAL, *SOURCES}
    if own == "arithmetic":
        return set()
    return {"arithmetic", *GENERAL}


def imported(source: str, package: list[str]) -> Iterator[list[str]]:
    """The modules and names that the source of a file of `package` imports from our packages, in functions too."""
    for node in ast.walk(ast.parse(source)):
        targets: list[list[str]] = []
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            targets = [[*base, alias.name] for alias in node.names]
        yield from (target for target in targets if target[0] in OURS)


@pytest.mark.parametrize(
    ("source", "package", "found"),
    [
        ("import uatlib.model", [], [["uatlib", "model"]]),
        ("from uatlib import layers, model", [], [["uatlib", "layers"], ["uatlib", "model"]]),
        ("from . import model", ["uatlib"], [["uatlib", "model"]]),
        ("from .model import Head", ["uatlib"], [["uatlib", "model", "Head"]]),
        ("from .base import x", ["uatlib", "arithmetic"], [["uatlib", "arithmetic", "base", "x"]]),
        ("from ..model import Head", ["uatlib", "layers"], [["uatlib", "model", "Head"]]),
        ("def f():\n    from uatbook.figures import x", ["uatlib"], [["uatbook", "figures", "x"]]),
        ("import numpy.model, uatlibx.model", [], []),
    ],
)
def test_every_form_of_import_is_found(source: str, package: list[str], found: list[list[str]]) -> None:
    assert list(imported(source, package)) == found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    folders = _parts(path)
    own = folders[1].removesuffix(".py")
    for target in imported(path.read_text(encoding="utf-8"), [*folders[:-1]]):
        if folders[0] != "uatbook":
            assert target[0] == folders[0], (
                f"{path} imports {'.'.join(target)}: it knows nothing of the other packages."
            )
        if folders[0] == "uatlib":
            if target[1] in MODULES and target[1] != own:
                assert target[1] in allowed(own), f"{'/'.join(folders)} imports uatlib.{target[1]}; {own} may not."
        elif own in ("figures", "live"):
            outside = target[0] == "uatbook" and target[1] not in (own, "figures", "sources")
            assert not outside, f"{'/'.join(folders)} imports {'.'.join(target)}: pictures get arrays."


def test_the_rules_forbid_what_they_should() -> None:
    assert {*SOURCES} <= {*MODULES}
    assert "kajitsuka2024" not in allowed("yun2020")
    assert "yun2020" not in allowed("grids")
    assert not any({"commands", "comparison"} & allowed(own) for own in {*MODULES} - {"commands"})


@pytest.mark.parametrize("package", [*FOLDERS, "explorables", "uatbook"])
def test_the_modules_of_a_package_have_an_order(package: str) -> None:
    _require_an_order(path for path in FILES if f"{'/'.join(_parts(path))}".startswith(f"{package}/"))


def test_the_general_modules_have_an_order() -> None:
    _require_an_order(path for path in FILES if _top(path) in GENERAL)


def _parts(path: Path) -> tuple[str, ...]:
    """The package of a file, its folders there, and its name."""
    parts = path.relative_to(ROOT).parts
    return parts[2:] if parts[0] == "explorables" else parts


def _top(path: Path) -> str:
    folders = _parts(path)
    return folders[1].removesuffix(".py") if folders[0] == "uatlib" else ""


def _at_import(path: Path, name: str) -> set[str]:
    """The modules that a file imports when it is itself imported, not later in a function."""
    source = path.read_text(encoding="utf-8")
    top = ast.Module([node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)], [])
    targets = imported(ast.unparse(top), [*_parts(path)[:-1]])
    found = {".".join(target if _is_module(target) else target[:-1]) for target in targets}
    return found - {name, name.partition(".")[0]}


def _is_module(target: list[str]) -> bool:
    path = OURS[target[0]].joinpath(*target)
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def _require_an_order(paths: Iterable[Path]) -> None:
    graph = {}
    for path in paths:
        name = ".".join(_parts(path.with_suffix(""))).removesuffix(".__init__")
        graph[name] = _at_import(path, name)
    assert len(graph) > 1
    _require_no_circle(graph)


def _require_no_circle(graph: dict[str, set[str]]) -> None:
    done: set[str] = set()
    while left := {name for name in graph if name not in done}:
        ready = {name for name in left if not (graph[name] & left)}
        assert ready, f"these import each other in a circle: {sorted(left)}"
        done |= ready


@pytest.mark.parametrize("package", ["uatlib", "uatbook"])
def test_the_packages_themselves_import_no_module(package: str) -> None:
    found = list(imported((ROOT / package / "__init__.py").read_text(encoding="utf-8"), [package]))
    assert found in ([], [["uatlib", "moved", "Finder"]])


@pytest.mark.parametrize("source", SOURCES)
def test_no_two_modules_of_a_source_bear_one_name(source: str) -> None:
    stems = [{path.stem for path in (ROOT / package / source).glob("*.py")} for package in ("uatlib", "uatbook")]
    assert stems[0] & stems[1] <= {"__init__"}, "name the one in uatlib after what it builds"


@pytest.mark.parametrize("package", ["uatlib", "uatlib.internal"])
def test_the_map_of_a_package_names_each_module(package: str) -> None:
    found = {module.name for module in iter_modules(import_module(package).__path__)}
    assert found <= {*re.findall(r"\w+", str(import_module(package).__doc__)), "__main__"}


@pytest.mark.parametrize("old", moved.MOVED)
def test_a_name_that_moved_is_gone_and_says_where(old: str) -> None:
    resolve_name(new := moved.MOVED[old])
    module, _, name = old.rpartition(".")
    parent = import_module(module)
    codes = [f"from {module} import {name}", f"import {module}; {old}"]
    if hasattr(parent, "__path__"):  # within a file nobody looks for modules
        codes += [f"import {old}", f"from {old} import x"]
    for code in codes:
        with pytest.raises(ImportError, match=f"{re.escape(old)} .* {re.escape(new)} now"):
            exec(code)
    found = PathFinder.find_spec(old, getattr(parent, "__path__", []))
    # What is left of a folder may hold bytecode, which makes it a package of no file.
    assert name not in vars(parent)
    assert found is None or found.origin is None


def test_a_name_that_never_was_is_missing_as_ever() -> None:
    with pytest.raises(AttributeError, match=r"'uatlib\.yun2020' has no attribute 'size'"):
        exec("import uatlib; uatlib.yun2020.size")
    with pytest.raises(ImportError, match="cannot import name 'size'"):
        exec("from uatlib.yun2020 import size")


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
    names = [f"uatlib.{name}" for name in MODULES]
    command = [sys.executable, "-W", "error", "-c", SCRIPT, json.dumps([OPTIONAL, names])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", MODULES)
def test_the_core_imports_without_plots_and_notebooks(name: str, errors: dict[str, str]) -> None:
    assert errors[f"uatlib.{name}"] == ""


def test_modules_are_found_by_the_packages_name_alone() -> None:
    """Quickly, too: nothing heavy is loaded before it is named."""
    code = [
        "import sys, uatlib",
        "assert 'torch' not in sys.modules",
        "print(uatlib.yun2020.__name__, hasattr(uatlib, 'no'))",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["uatlib.yun2020", "False"]


@pytest.mark.parametrize("missing", ["explorables", "matplotlib"])
def test_what_is_not_installed_is_named_with_its_extra(missing: str) -> None:
    code = [
        "import importlib.util as util",
        "find = util.find_spec",
        f"util.find_spec = lambda name, *rest: None if name == {missing!r} else find(name, *rest)",
        "import uatbook.figures",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=False)
    assert f'expected {missing}, which this part needs; pip install "uatlib[book]"' in done.stderr.splitlines()[-1]


def test_a_statement_of_one_source_loads_no_other():
    code = (
        "import sys, uatbook.statements as s; s.get('{}'); "
        "print(sorted({{m.split('.')[1] for m in sys.modules if m.startswith('uatlib.') and m[-4:].isdigit()}})); "
        "print([statement.id for statement in s.all()])"
    )
    answers = []
    for id in ("yun2020:lem-8", "so2020slides:sentinel", "kajitsuka2024:def-3"):
        done = subprocess.run([sys.executable, "-c", code.format(id)], capture_output=True, text=True, check=True)
        answers.append(done.stdout.splitlines())
    loaded, ids = zip(*answers, strict=True)
    assert loaded == ("['yun2020']", "['yun2020']", "['kajitsuka2024']")
    assert len(set(ids)) == 1  # whatever came first
