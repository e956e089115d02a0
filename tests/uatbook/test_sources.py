"""A source is one entry: what else names it agrees, and the library names neither another source nor the book."""

import re
from pathlib import Path

import pytest

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
        if name.startswith(f"uatlib/{key}/"):
            assert not re.search(rf"\b(?:{'|'.join(words)})\b", text), name
