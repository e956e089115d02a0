"""The table of public names is the library's: nothing else is public; each name has a docstring and a valid call."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import uatlib
from uatbook import statements

from .public_names import EXAMPLES, PUBLIC

PACKAGE = Path(uatlib.__file__).parent
NAMES = [(place, name) for place, names in PUBLIC.items() for name in names.split()]
CALLS = [(place, name) for place, examples in EXAMPLES.items() for name in examples]
WITHOUT_CALL = {"RELU", "EXACT", "FLOAT32", "Arithmetic", "Layer", "Overflow", "Undecided"}
WITHOUT_CALL |= {"ConstructionTooLarge", "Distance", "Violation"}
WITHOUT_CALL |= {"CONSTANT", "DOT", "Kernel"}
"""Constants, base classes, exceptions, what a call returns."""


def place_of(path):
    """The dotted name of a module's file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def declared(path):
    """What the `__all__` of a file has, None without one."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets):
            return sorted(ast.literal_eval(node.value))
    return None


STATEMENTS = PACKAGE.parent / "uatbook" / "statements.py"
PATHS = [*sorted(PACKAGE.rglob("*.py")), STATEMENTS]
FOUND = {place_of(path): names for path in PATHS if (names := declared(path)) is not None}


def test_what_is_public_is_in_the_table_and_nothing_else():
    assert {place: names for place, names in FOUND.items() if not place.startswith("uatlib.explorer.")} == {
        place: sorted(names.split()) for place, names in PUBLIC.items()
    }


def test_a_name_is_public_in_one_place():
    own = [(id(getattr(importlib.import_module(place), name)), f"{place}.{name}") for place, name in NAMES]
    assert len({identity for identity, _ in own}) == len(own)


def test_the_reference_pages_show_every_public_place():
    pages = (PACKAGE.parent / "library").glob("*.md")
    shown = [place for page in pages for place in re.findall(r"^```\{api\} (\S+)$", page.read_text(), re.MULTILINE)]
    assert sorted(shown) == sorted(PUBLIC)


def test_the_library_is_small():
    """Sixty names that all sources share, and fifteen a source: so a new source hides no name of another."""
    assert len(NAMES) <= 60 + 15 * len(statements.SOURCES)


@pytest.mark.parametrize(("place", "name"), NAMES, ids=map(".".join, NAMES))
def test_a_public_name_says_what_it_is(place, name):
    value = getattr(importlib.import_module(place), name)
    if not (inspect.isclass(value) or callable(value)):
        return  # a constant, explained where its module says what it has
    text = inspect.getdoc(value) or ""
    assert len(text) > 20, "expected a docstring"
    takes = inspect.isfunction(value) and inspect.signature(value).parameters
    assert not takes or "Error" in text or "rrors as" in text, "expected a docstring that says what is refused"


@pytest.mark.parametrize(("place", "name"), NAMES, ids=map(".".join, NAMES))
def test_a_public_name_has_a_call(place, name):
    has_call = any(call.replace(",", ".").split(".")[0] == name for call in EXAMPLES.get(place, ()))
    assert has_call or name in WITHOUT_CALL


@pytest.mark.parametrize(("place", "name"), CALLS, ids=map(".".join, CALLS))
def test_the_call_of_a_public_name_is_valid(place, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = EXAMPLES[place][name]()
    case.call(case.arguments)
