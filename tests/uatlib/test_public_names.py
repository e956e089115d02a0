"""Each public name has a docstring and a valid call; chapters import what is public."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import pytest

import explorables
import uatlib
from uatbook.sources import SOURCES

from .public_names import EXAMPLES, PARTS

PACKAGE = Path(uatlib.__file__).parent
CALLS = [(place, name) for place, examples in EXAMPLES.items() for name in examples]
WITHOUT_CALL = {"RELU", "EXACT", "FLOAT32", "Arithmetic", "Layer", "Overflow", "Undecided"}
WITHOUT_CALL |= {"ConstructionTooLarge", "Distance", "Violation"}
WITHOUT_CALL |= {"CONSTANT", "DOT", "Kernel", "static_page"}
"""Constants, base classes, exceptions, what a call returns, what takes nothing."""


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


LEMMAS = [path for key in SOURCES for path in (PACKAGE.parent / "uatbook" / key).glob("*.py")]
"""What a statement is of has its code beside it."""
FILES = sorted([*PACKAGE.rglob("*.py"), *LEMMAS])
DECLARED = {place_of(path): names for path in FILES if (names := declared(path)) is not None}
PUBLIC = DECLARED | {"explorables": explorables.__all__}
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for folder in (".", "chapters", "library")
    for path in sorted((PACKAGE.parent / folder).glob("*.md"))
}
NAMES = [(place, name) for place, names in PUBLIC.items() for name in names]


def test_a_name_is_public_in_one_place():
    own = [(id(getattr(importlib.import_module(place), name)), f"{place}.{name}") for place, name in NAMES]
    assert len({identity for identity, _ in own}) == len(own)


def test_the_reference_pages_show_every_public_place():
    shown = [place for text in PAGES.values() for place in re.findall(r"^```\{api\} (\S+)$", text, re.MULTILINE)]
    assert sorted(shown) == sorted([*PUBLIC, "uatbook.statements"])


def test_the_library_is_small():
    """Sixty names that all sources share, and fifteen a source: so a new source hides no name of another."""
    assert sum(place.startswith("uatlib.") for place, _ in NAMES) <= 60 + 15 * len(SOURCES)


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


def test_what_is_called_is_public():
    called = {(place, name.replace(",", ".").split(".")[0]) for place, name in CALLS if place.startswith("uatlib")}
    assert {name for _, name in called - {*NAMES}} == {"Memory"}


@pytest.mark.parametrize(("place", "name"), CALLS, ids=map(".".join, CALLS))
def test_the_call_of_a_public_name_is_valid(place, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = EXAMPLES[place][name]()
    case.call(case.arguments)


# ------------------------------------------------------------------------------------------- what chapters import

CELL = re.compile(r"^(`{3,})(?:\{code-cell\} ipython3|python)\n(---\n.*?^---\n)?(?::[^\n]*\n)*(.*?)^\1", re.M | re.S)


def is_module(place):
    path = PACKAGE.parent.joinpath(*place.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def taken(text):
    """(module, name) of what the cells of a page, and its solutions, take out of the library, and draw with."""
    modules = {}
    for tree in [ast.parse(code) for _, _, code in CELL.findall(text)]:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] in ("uatlib", "explorables"):
                for alias in node.names:
                    if is_module(f"{node.module}.{alias.name}"):
                        modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                    else:
                        yield node.module, alias.name
            elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in modules:
                yield modules[node.value.id], node.attr


def test_what_a_page_takes_is_found():
    cell = "```{code-cell} ipython3\n:tags: [figure]\nfrom uatlib import yun2020\nfrom uatlib.{0}\nyun2020.build\n```\n"
    text = (
        cell.replace("{0}", "yun2020.ids import categories") + "```python\nfrom uatbook.x import y\nyun2020.cost\n```"
    )
    assert {*taken(text)} == {
        ("uatlib.yun2020", "build"),
        ("uatlib.yun2020.ids", "categories"),
        ("uatlib.yun2020", "cost"),
    }


@pytest.mark.parametrize("page", PAGES)
def test_a_page_takes_public_names_and_listed_parts(page):
    listed = {*NAMES, *((place, name) for place, names in PARTS.items() for name in names.split())}
    assert not {(place, name) for place, name in taken(PAGES[page]) if not is_module(f"{place}.{name}")} - listed


def test_each_part_is_taken_by_a_page_and_not_public():
    parts = {(place, name) for place, names in PARTS.items() for name in names.split()}
    assert parts <= {pair for text in PAGES.values() for pair in taken(text)} - {*NAMES}
