"""The chapters name exercises, figures, chapters and theorems of this book by references: no number grows old."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted([*(ROOT / "chapters").glob("*.md"), ROOT / "explorers.md", ROOT / "references.md"])

# What the sources call their own statements; a chapter may name those. This book's numbers run on beyond them.
SOURCES = {
    "Theorem": {"1", "2", "3", "4.1", "4.2", "5.1"},
    "Lemma": {str(number) for number in range(1, 11)},
    "Corollary": {"1", "2", "3", "4", "5", "4.1.1", "4.2.1"},
    "Proposition": {"1", "2", "3", "5", "3.1", "3.2", "3.3"},
    "Definition": {"1", "2", "3", "4", "E.1", "3.1", "3.2"},
    "Claim": {"1"},
    "Remark": {"3.2", "3.3", "C.1"},
    "Example": set(),
}
PLURALS = {"Corollary": "Corollaries", "Lemma": "Lemm(?:as|ata)"}
NUMBER = r"(?P<number>(?:[A-Z]\.)?\d+(?:\.\d+)*)"
KINDS = "|".join(f"{kind}|{PLURALS.get(kind, kind + 's')}" for kind in SOURCES)
STATEMENT = re.compile(rf"\b(?P<kind>{KINDS})\s+{NUMBER}(?:\s*(?:,|and|to|or)\s+(?P<second>\d+))?")
# A source's own figure or chapter stands before its citation.
OWN = re.compile(
    rf"\b(?:exercise|solution|chapter|figure|fig\.|table|part)s?\s+{NUMBER}(?!\s+of\s+(?:CITED|the (?:paper|slides)))",
    re.IGNORECASE,
)

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=fence)`*$", re.MULTILINE | re.DOTALL)
CODE = ("{code-cell}", "{literalinclude}", "{eval-rst}", "python", "{math}")
OTHER = [
    re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL),  # the header
    re.compile(r"^%.*$", re.MULTILINE),  # comments
    re.compile(r"^:[\w-]+:.*$", re.MULTILINE),  # options of directives
    re.compile(r"^\([\w-]+\)=$", re.MULTILINE),  # labels
    re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL),  # formulas
    re.compile(r"\]\([^)\s]*\)"),  # where links lead
    re.compile(r"\{(?:ref|numref|prf:ref|doc|eq)\}`[^`<]*`"),  # references without a text of their own
    re.compile(r"<[^<>\s]*>(?=`)"),  # where the others lead
    re.compile(r"(?<!\})(?<!`)`[^`\n]+`"),  # code within a line
]
CITATION = re.compile(r"\{cite:?\w*\}`[^`]*`")


def prose(text: str) -> str:
    """What a reader reads of a chapter's source: no code, formulas, labels and targets; lines keep their numbers."""

    def blank(match: re.Match) -> str:
        return "\n" * match[0].count("\n")

    def unfence(match: re.Match) -> str:
        if match["kind"].strip().startswith(CODE) or match["kind"].strip() == "":
            return blank(match)
        return match["kind"] + "\n" + FENCE.sub(unfence, match["body"])

    text = CITATION.sub("CITED", FENCE.sub(unfence, text))
    for pattern in OTHER:
        text = pattern.sub(blank, text)
    return text


def typed_numbers(text: str) -> list[str]:
    """Each typed number, with its line."""
    read = prose(text)
    found = list(OWN.finditer(read))
    for match in STATEMENT.finditer(read):
        kind = next(kind for kind in SOURCES if re.fullmatch(rf"{kind}|{PLURALS.get(kind, kind + 's')}", match["kind"]))
        if not {match["number"], match["second"]} - {None} <= SOURCES[kind]:
            found.append(match)
    return [f"line {read.count(chr(10), 0, match.start()) + 1}: {match[0]}" for match in found]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_numbers_of_this_book_are_references(path):
    assert typed_numbers(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Exercise 3 asks whether that is depth.", 1),
        ("see exercises 3 and 4", 1),
        ("In Chapter 4 we", 1),
        ("as Figure 2 shows", 1),
        ("as {ref}`Exercise 3 <ex-depth>` asks", 1),
        ("````{exercise}\n:label: ex-a\nCompare with Exercise 7.\n````", 1),
        ("by Theorem 12", 1),
        ("Propositions 5 and 6", 1),
        ("by\nTheorem\n14", 1),
        # What may stand.
        ("{ref}`ex-3` and {numref}`fig-4`, {prf:ref}`thm-2`", 0),
        ("Theorem 2 of {cite:t}`yun2020`, Lemmas 2 and 3, Definition E.1", 0),
        ("Figure 1 of {cite:t}`kajitsuka2024` and chapter 3 of the slides", 0),
        ("```{code-cell} python\n# Exercise 3\n```", 0),
        ("`Exercise 3` and $x_{Exercise 3}$", 0),
        ("three exercises, 4 figures", 0),
        ("(ex-3)=\n% Exercise 3", 0),
    ],
)
def test_what_counts_as_a_typed_number(text, count):
    assert len(typed_numbers(text)) == count
