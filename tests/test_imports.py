"""The order of the modules, and a core that imports without plotting and notebook packages."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import uatlib

PACKAGE = Path(uatlib.__file__).parent
ORDER = (
    *("arithmetic", "checks", "masks", "layers", "model", "torch_model", "targets", "progress", "metrics"),
    *("number_text", "formula_html", "certificate_html", "certificate"),
    *(
        "quantization",
        "relu_pieces",
        "relu_steps",
        "costs",
        "contextual_mapping",
        "precision",
        "positional",
        "softmax_scale",
    ),
    *("value_mapping", "value_lookup"),
    *(
        "boltzmann",
        "boltzmann_gap",
        "boltzmann_spacing",
        "token_projection",
        "rank_one_attention",
        "attention_margin",
        "labelled_sequences",
        "memorisation",
        "max_affine",
        "kernels",
        "sparsity",
        "token_mixing",
        "mixing_experiment",
        "token_classification",
        "rank_one_networks",
        "rank_one_experiment",
        "rank_one_race",
        "constructions",
        "statements",
        "exercises",
        "view",
    ),
)
OPTIONAL = ["matplotlib", "ipywidgets", "IPython", "anywidget"]
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
MODULES = sorted({path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in FILES})


def module_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


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


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_its_place(name: str) -> None:
    assert name in ORDER, (
        f"uatlib/{name} has no place in the order of the modules: add it to ORDER in tests/test_imports.py, "
        "below every module that it imports and above every module that imports it."
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_modules_above_it(path: Path) -> None:
    own = module_of(path)
    above = ORDER[: ORDER.index(own)] if own in ORDER else MODULES
    package = ["uatlib", *path.relative_to(PACKAGE).parts[:-1]]
    for name in imported(path.read_text(encoding="utf-8"), package):
        if name in MODULES and name != own:
            assert name in above, f"{path.relative_to(PACKAGE)} imports uatlib.{name}, which stands below uatlib.{own}."


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
