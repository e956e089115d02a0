"""What pages and headings say of themselves holds."""

import re
from pathlib import Path

from uatbook.registry import PRINTED

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
PAGES = [ROOT / "index.md", *CHAPTERS, *sorted((ROOT / "library").glob("*.md"))]
UNSEEN = re.compile(
    r"^```\{code-cell\} ipython3\n---\n(?:(?!---)[^\n]*\n)*tags: \[remove-cell\]\n---\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def cells(text: str) -> list[str]:
    """The code of a chapter's cells, without options."""
    found = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    bare = [re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL) for cell in found]
    return ["\n".join(line for line in cell.splitlines() if not line.startswith(":")) for cell in bare]


def test_headings_of_certificates_name_what_is_as_printed():
    """ "As printed" alone would say that a result fails where a line of its proof does."""
    titles = [
        title
        for path in PAGES
        for cell in cells(path.read_text(encoding="utf-8"))
        for title in re.findall(r'Certificate\([^"]*"([^"]*printed[^"]*)"', cell)
    ]
    assert all(re.search(r"\w+ as printed", title) for title in titles), titles


def test_what_a_page_says_of_a_record_is_asserted_beside_it():
    """In cells that nobody sees and the build runs: of nothing else can a sentence about a record be sure."""
    asserted = {path.stem: UNSEEN.findall(path.read_text(encoding="utf-8")) for path in PAGES}
    records = {path.stem for path in CHAPTERS if "recorded(" in path.read_text(encoding="utf-8")}
    assert records
    assert records <= {name for name, unseen in asserted.items() if unseen}
    assert all("assert " in cell for unseen in asserted.values() for cell in unseen)


def test_what_a_page_says_of_an_explorer_is_asserted_below_it():
    unread, explorers = [], 0
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for cell in re.finditer(r"^:?tags: \[explorer.*?^```$", text, re.MULTILINE | re.DOTALL):
            for name in re.findall(r"^@explore\(.*?^def (\w+)\(", cell[0], re.MULTILINE | re.DOTALL):
                explorers += 1
                if not any(f"readouts({name})" in unseen for unseen in UNSEEN.findall(text, cell.end())):
                    unread.append(f"{path.stem}: {name}")
    assert explorers > 50
    assert unread == []


def test_the_errata_page_lists_the_kinds_of_the_registry():
    page = (ROOT / "library" / "errata.md").read_text(encoding="utf-8")
    *most, last = PRINTED.values()
    assert f"Each entry says what it concerns: {', '.join(most)}, or {last}. " in page
    assert list(PRINTED)[:2] == ["statement", "hypothesis"], "the page says of these two that a result is false"


def test_no_page_says_which_colour_is_darker():
    """What is darker by day is brighter at night."""
    sides = re.compile(r"[^.\n]*\b(?:darker|brighter|dark windows?)\b", re.IGNORECASE)
    texts = [path.read_text(encoding="utf-8") for path in (*PAGES, ROOT / "tour.md")]
    assert [said for text in texts for said in sides.findall(text)] == []
