"""A source is one entry: what else names it agrees, and the library names neither another source nor the book."""

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

from uatbook import statements
from uatbook.headings import KINDS, statement_name
from uatbook.sources import SOURCES, TEXTS

ROOT = Path(__file__).resolve().parents[2]
FILES = (path for path in sorted((ROOT / "uatlib").rglob("*")) if path.suffix in (".py", ".js", ".css"))
LIBRARY = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
CHAPTERS = [path.stem for path in (ROOT / "chapters").glob("*-*.md")]
IDS = re.compile(rf"\b(?:{'|'.join(TEXTS)}):[a-z]")
PLACES = re.compile(rf"\b[Cc]hapters?\b|\b(?:more-[a-z]+|{'|'.join(CHAPTERS)})\b(?!\.py)")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_source_is_the_one_of_the_bibliography(text):
    entry = re.search(rf"^@\w+{{{text.key},\n(.*?)^}}", (ROOT / "references.bib").read_text(), re.MULTILINE | re.DOTALL)
    fields = dict(re.findall(r"^ +(\w+) += {(.*?)},\n", entry[1], re.MULTILINE | re.DOTALL))
    assert (fields["title"], fields["year"]) == (text.title, str(text.year))
    families = [name.partition(",")[0] for name in re.split(r"\s+and\s+", fields["author"])]
    assert text.authors == (" and ".join(families) if len(families) < 3 else f"{families[0]} et al.")


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_names_no_statement_and_no_chapter(name):
    assert not IDS.search(LIBRARY[name])
    assert not PLACES.search(LIBRARY[name])


@pytest.mark.parametrize("key", SOURCES)
def test_a_source_names_no_other(key):
    others = [text for text in TEXTS.values() if text.key not in SOURCES[key].keys]
    words = [word for text in others for word in (text.key, *re.findall("[A-Z][a-z]{2,}", text.authors))]
    for name, text in LIBRARY.items():
        if name.startswith((f"uatlib/{key}/", f"uatlib/{key}.py")):
            assert not re.search(rf"\b(?:{'|'.join(words)})\b", text), name


# ----------------------------------------------------------------------------------------------- maps of the packages

PACKAGES = [f"{book}.{key}" for book in ("uatlib", "uatbook") for key in SOURCES if (ROOT / book / key).is_dir()]
"""What a source of one module has is seen at once."""
NUMBERED = re.compile(rf"\b(?:{'|'.join(KINDS.values())}) (?:[A-Z]\.)?\d+(?:\.\d+)*\b")


def rows(package):
    """The rows of the map in a package's docstring: the modules in the first column or in backticks, and the text."""
    joined = re.sub("\n {2,}", " ", inspect.getdoc(package).split("\n\n")[1]).split("\n")
    split = [re.split(" {2,}", line, maxsplit=1) for line in joined]
    return [({*names.split(", ")}, {*re.findall("`(\\w+)`", text)}, text) for names, text in split]


def module_of(function, package):
    """The module in which it is written, as the map of the package names it."""
    module = inspect.unwrap(function).__module__
    return (
        module.removeprefix(f"{package.__name__}.").partition(".")[0] if module.startswith(package.__name__) else module
    )


@pytest.mark.parametrize("place", PACKAGES)
def test_the_map_of_a_package_names_each_numbered_statement_where_it_is(place):
    """Its certificate in the book, its construction in the library, or in the book beside the certificate.

    A failure says what to write on which line.
    """
    package, (library, _, key) = import_module(place), place.partition(".")
    expected = [
        (module_of(part, package), name)
        for s in statements.all()
        for part in ([s.construction] if library == "uatlib" else [s.build, s.construction])
        if s.id.partition(":")[0] in SOURCES[key].keys and (name := statement_name(s.id))
        if (inspect.unwrap(part).__module__.startswith("uatbook")) == (library == "uatbook")
    ]
    mapped = [(name, modules | further) for modules, further, text in rows(package) for name in NUMBERED.findall(text)]
    written = {(module, name) for name, modules in mapped for module in modules}
    missing = [f"{module}  ... ({name})" for module, name in expected if (module, name) not in written]
    assert not missing, f"{package.__file__}: write these on the lines of their modules: {missing}"
    wrong = [name for name, modules in mapped if not any((module, name) in expected for module in modules)]
    assert not wrong, f"{package.__file__}: {', '.join(wrong)} stand where nothing of them is"


@pytest.mark.parametrize("place", PACKAGES)
def test_the_map_of_a_package_names_each_module(place):
    package = import_module(place)
    mapped = {name for modules, further, _ in rows(package) for name in modules | further}
    assert not {path.name for path in pkgutil.iter_modules(package.__path__)} - mapped
