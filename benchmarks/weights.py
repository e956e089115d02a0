"""What each page of the built book weighs: bytes that a reader is sent first, packed, and elements.

    python benchmarks/weights.py        # writes benchmarks/weights.json; tests compare each build with it

Sent first are the page itself, its style sheet, its scripts, and the fonts that it asks for ahead. Other fonts and
pictures come when they are seen, the data of explorers when the page has been drawn.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path

from uatlib.internal import writing

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "weights.json"
FIRST = re.compile(r'<(?:link rel="stylesheet" href|script defer src)="([^"?]+)')
ROOM = re.compile(r'data-content_root="([^"]*)"')
AHEAD = re.compile(r"for \(const face of (\[[^\]]*\])\)")
ELEMENT = re.compile(r"<[a-z]")


@cache
def packed(file: Path) -> int:
    """The bytes of a file, as a server sends it."""
    return len(gzip.compress(file.read_bytes(), mtime=0))


def weigh(page: Path) -> dict[str, int]:
    """`page`, `sent` in bytes, and `elements`."""
    text = page.read_text(encoding="utf-8")
    files = {(page.parent / address).resolve() for address in FIRST.findall(text)}
    for root, faces in zip(ROOM.findall(text), AHEAD.findall(text), strict=False):
        files |= {(page.parent / root / f"_static/{face}.woff2").resolve() for face in json.loads(faces)}
    sent = packed(page) + sum(map(packed, files))
    return {"page": packed(page), "sent": sent, "elements": len(ELEMENT.findall(text))}


def measure(book: Path) -> dict[str, dict[str, int]]:
    """The weights of all pages, by their names."""
    pages = [page for page in sorted(book.rglob("*.html")) if "_static" not in page.parts]
    packed.cache_clear()
    return {page.relative_to(book).with_suffix("").as_posix(): weigh(page) for page in pages}


def grown(now: dict[str, dict[str, int]], before: dict[str, dict[str, int]], most: float = 1.1) -> list[str]:
    """What is heavier than `most` times what it was, or new."""
    found = [f"{page}: new" for page in now if page not in before]
    for page in [page for page in now if page in before]:
        rows = [(kind, now[page][kind], before[page][kind]) for kind in now[page]]
        found += [f"{page}: {kind} {new}, was {old}" for kind, new, old in rows if new > most * old]
    return found


if __name__ == "__main__":
    writing.write(RECORD, json.dumps(measure(ROOT / "_build" / "html"), indent=1) + "\n")
    print(f"{RECORD.relative_to(ROOT)} is written")
