"""Compare all that the code of the book puts out in two builds: python benchmarks/compare_outputs.py BEFORE AFTER.

BEFORE and AFTER are folders of built pages (_build/html). Page by page and cell by cell, it compares what is printed,
the HTML, the pictures, and of every explorer its controls, its first picture, and the picture and the text of each
setting. Differences in numbers alone are told apart from all others. Text outside cells is compared as well, code is
counted. Exit status 1 if an output differs, or if a page, a cell or an explorer is missing.
"""

from __future__ import annotations

import argparse
import base64
import difflib
import gzip
import hashlib
import itertools
import json
import operator
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bs4 import BeautifulSoup, Tag

NUMBER = re.compile(r"(?<![\w.])[-+\u2212]?\d+(?:[,\u202f]\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?")
BITMAP = re.compile(r"data:image/[\w+]+;base64,[A-Za-z0-9+/=\s]+")
FIGURE_ID = re.compile(r"uat-figure-\d+")  # counts the figures of a page
SHOWN, CONTEXT = 150, 40


class Difference(NamedTuple):
    """Where two builds differ: in `numbers` alone, or in more; `what` says how."""

    place: str
    kind: str
    what: str


# ----------------------------------------------------------------------------------------------------------- reading


def read(path: Path) -> tuple[list[tuple[str, dict[str, str]]], list[str]]:
    """The cells of a page, each (code, parts of its output by name), and the lines of its text outside cells."""
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    article = page.select_one("article") or page
    held = next((folder for above in path.parents if (folder := above / "_static" / "explorers").is_dir()), path.parent)
    cells = [(_text(cell.select(".cell_input")), dict(_parts(cell, held))) for cell in article.select("div.cell")]
    for element in article.select("div.cell, div.highlight, .uat-gallery"):
        element.decompose()
    return cells, [line for line in map(str.strip, article.get_text("\n").splitlines()) if line]


def _text(elements: Any) -> str:
    return "\n".join(element.get_text().strip() for element in elements)


def _parts(cell: Tag, held: Path) -> Iterator[tuple[str, str]]:
    """What a cell puts out, in pieces with a name each."""
    for number, output in enumerate((child for child in cell.select(".cell_output > *")), start=1):
        for host in output.select(".uat-explorer"):
            yield from _explorer(host, held)
            host.decompose()
        for place, picture in enumerate(output.select("svg") or ([output] if output.name == "svg" else []), start=1):
            yield f"output {number}, picture {place}", _picture(str(picture))
        for place, picture in enumerate(output.select("img") or ([output] if output.name == "img" else []), start=1):
            yield f"output {number}, bitmap {place}", _picture(str(picture))
        if output.name not in ("svg", "img"):
            yield f"output {number}, text", output.get_text()
            for picture in output.select("svg, img"):
                picture.decompose()
            yield f"output {number}, markup", str(output)


def _explorer(host: Tag, held: Path) -> Iterator[tuple[str, str]]:
    """Controls, first picture, and picture and text of every setting of an explorer."""
    name = str(host["id"])
    spec = json.loads(_text(host.select(".uat-spec")))
    yield f"{name}, controls", json.dumps(spec, indent=1, ensure_ascii=False)
    yield f"{name}, first picture in words", _text(host.select(".uat-first .title, .uat-first .readout"))
    for number, picture in enumerate(host.select(".uat-first .uat-figure"), start=1):
        yield f"{name}, first picture {number}", _picture(str(picture))
    if "picture" in spec:
        return  # a live one: the page computes the others
    packed = json.loads(gzip.decompress(base64.b64decode(_pack(host.select_one(".uat-pack"), held))))
    settings = itertools.product(*(control["keys"] for control in spec["controls"]))
    for setting, (picture, text, *reached) in zip(settings, packed["index"], strict=True):
        yield f"{name} at {', '.join(setting)}, text", packed["texts"][text] + f" {reached}" * bool(reached)
        yield f"{name} at {', '.join(setting)}, picture", _picture(packed["wide"][picture] + packed["narrow"][picture])


def _pack(element: Tag, held: Path) -> str:
    """The data of an explorer: in its page, or in the file of this folder that it names."""
    if name := element.get("data-name"):
        return (held / f"{name}.js").read_text(encoding="ascii").split('"')[-2]
    return _text([element])


def _picture(markup: str) -> str:
    """A picture with short names in place of its bitmaps, which no number within can be told from."""
    short = BITMAP.sub(lambda found: f"bitmap:{hashlib.sha256(found[0].encode()).hexdigest()[:12]}", markup)
    return FIGURE_ID.sub("uat-figure", short)


# --------------------------------------------------------------------------------------------------------- comparing


def compare_text(place: str, before: str, after: str) -> Difference | None:
    """How two texts differ, or None: in numbers alone if all between them is the same."""
    if before == after:
        return None
    if NUMBER.split(before) == NUMBER.split(after):
        pairs = [(a, b) for a, b in zip(NUMBER.findall(before), NUMBER.findall(after), strict=True) if a != b]
        most = max(pairs, key=lambda pair: _relative(*pair))
        what = f"{len(pairs)} numbers, most {most[0]} -> {most[1]} ({_relative(*most):.1e} of the larger)"
        return Difference(place, "numbers", what)
    begin = _shared(before, after)
    end = _shared(before[begin:][::-1], after[begin:][::-1])
    parts = [text[begin : len(text) - end] for text in (before, after)]
    context = before[max(0, begin - CONTEXT) : begin]
    return Difference(place, "other", f"after {context!r}: {_short(parts[0])} -> {_short(parts[1])}")


def _shared(before: str, after: str) -> int:
    """How many characters two texts begin with alike."""
    return sum(1 for _ in itertools.takewhile(bool, map(operator.eq, before, after)))


def _short(text: str) -> str:
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}... ({len(text):,} characters)"


def _relative(before: str, after: str) -> float:
    a, b = (float(re.sub("[,\u202f]", "", number).replace("\u2212", "-")) for number in (before, after))
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


def pairs_of_cells(before: list[str], after: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Which cell of one page is which of the other, by their code; None for one that the other page lacks."""
    if len(before) == len(after):
        yield from ((k, k) for k in range(len(before)))
        return
    for _, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield from itertools.zip_longest(range(a, b), range(c, d))


def _lonely(name: str, build: str, number: int | None, cells: list[tuple[str, dict[str, str]]]) -> Difference:
    code = cells[number or 0][0]
    return Difference(f"{name}, cell {(number or 0) + 1}", "other", f"only in {build}: {_short(code)}")


def listed(differences: list[Difference]) -> Iterator[str]:
    """One line a difference, but one for all frames of an explorer, and none for markup whose text differs as well."""
    places = {difference.place for difference in differences}
    for key, group in itertools.groupby(sorted(differences, key=_family), _family):
        first, *rest = group
        if key.endswith(" markup") and key.removesuffix("markup") + "text" in places:
            continue
        more = f" [and {len(rest)} more like it]" if rest else ""
        yield f"[{first.kind}] {first.place}: {first.what}{more}"


def _family(difference: Difference) -> str:
    return re.sub(r"(explorer-[\w-]+) at .*, (text|picture)$", r"\1, \2s", difference.place)


def compare_pages(name: str, before: Path, after: Path) -> tuple[list[Difference], list[Difference], int, int]:
    """Differences of outputs, differences of text, how many cells have other code, and how many parts were compared."""
    (old, old_lines), (new, new_lines) = read(before), read(after)
    outputs, prose, changed, compared = [], [], 0, 0
    for a, b in pairs_of_cells([code for code, _ in old], [code for code, _ in new]):
        if a is None or b is None:
            outputs.append(_lonely(name, "AFTER", b, new) if a is None else _lonely(name, "BEFORE", a, old))
            continue
        place = f"{name}, cell {a + 1}" + (f" (AFTER {b + 1})" if a != b else "")
        changed += old[a][0] != new[b][0]
        then, now = old[a][1], new[b][1]
        found = []
        for part in {**then, **now}:
            if part in then and part in now:
                compared += 1
                found.append(compare_text(f"{place}, {part}", then[part], now[part]))
            else:
                build = "BEFORE" if part in then else "AFTER"
                found.append(Difference(f"{place}, {part}", "other", f"only in {build}"))
        outputs += [difference for difference in found if difference]
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes():
        if tag != "equal":
            difference = compare_text(f"{name}, text", " ".join(old_lines[a:b]), " ".join(new_lines[c:d]))
            prose += [difference] if difference else []
    return outputs, prose, changed, compared


def main(arguments: list[str] | None = None) -> int:
    """Print what differs; the number of differences of outputs decides the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="folder of built pages")
    parser.add_argument("after", type=Path, help="folder of built pages")
    parser.add_argument("--quiet-text", action="store_true", help="do not list differences outside cells")
    options = parser.parse_args(arguments)
    folders = [folder / "html" if (folder / "html").is_dir() else folder for folder in (options.before, options.after)]
    names = [{p.relative_to(f).as_posix() for p in f.rglob("*.html") if "_static" not in p.parts} for f in folders]
    if not names[0] or not names[1]:
        parser.error("expected two folders with built pages, such as _build/html")
    different, cells, total = 0, 0, 0
    for name in sorted(names[0] ^ names[1]):
        different += 1
        print(f"{name}: only in {'BEFORE' if name in names[0] else 'AFTER'}")
    for name in sorted(names[0] & names[1]):
        outputs, prose, changed, compared = compare_pages(name, *(folder / name for folder in folders))
        different, cells, total = different + len(outputs), cells + changed, total + compared
        for line in listed([*outputs, *([] if options.quiet_text else prose)]):
            print(line)
    shared = len(names[0] & names[1])
    print(f"{shared} pages, {total:,} parts of outputs compared: {different} differ; {cells} cells have other code.")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
