"""Two rounds of visits. What the book's scripts do is tried on all pages in the full round, on a few in the short one.

`CI=full make test` is the full round: once a week, and before a release. Everything else is the short one. It tries the
scripts on `tried`: pages that have, all together, every kind of control, of picture and of form that there is. Each
page is still opened twice, at a desk from an address and on a phone from a folder, for all that its own text and
pictures may spoil; and its data are read off its files. On the pages that are not tried the short round leaves out

- mouse, links and words that move a picture (whose settings the build has looked up), and of the keyboard all values
  but the last of each control;
- axe within drawings, its sizes of what one touches, and its contrast beside the article (which `SURROUNDED` has, too);
- forced colours, which no page sets by itself;
- the second load at a desk that tells whether the script moves what stands (the phone tells it);
- the page without JavaScript, turned round, translated, and under its policy alone: its files are read for what the
  page itself may lack there;
- files that are saved from live pictures.

What a browser may refuse is refused on the first three pages of `test_refusals`, not on one page of each kind.

Beside the visits it asks about one in four mixers of the atlas once more, at one size of five for noise, and tries what
holds for all weights with three instead of twelve; it tries
each damage of a statement in two of its cases, or where damages look alike in more, and what trains in one case alone.
Tests marked `full` are of other people's programs (JupyterLab with a launched chapter, otter-grader, Gradescope's
scripts, a cluster, the arms of the report), or build several books.
"""

import functools
import json
import os
import re
from pathlib import Path

FULL = os.environ.get("CI") == "full"
SPEC = re.compile(r'class="uat-spec">([^<]*)<')
FORM = re.compile(r'class="(uat-check|uat-guess)\b')
WORDS = re.compile(r'class="[^"]*\buat-move\b[^"]*" href="#([^"?]*)')
BOX = re.compile(r'<div class="uat-explorer" id="([^"]+)"')


def kinds(page: Path) -> set[str]:
    """What a built page has for a script to do."""
    text = page.read_text(encoding="utf-8")
    specs = [json.loads(spec) for spec in SPEC.findall(text)]
    found = {*FORM.findall(text), *(["several pictures"] if len(specs) > 1 else [])}
    live = {box: spec.get("picture", "drawn") for box, spec in zip(BOX.findall(text), specs, strict=True)}
    found |= {f"words that move a picture: {live[box] != 'drawn'}" for box in WORDS.findall(text)}
    for spec, picture in zip(specs, live.values(), strict=True):
        moved = "drawn" if picture == "drawn" else "live"
        found |= {picture, *(f"{moved}: {control['kind']}" for control in spec["controls"])}
        found |= {f"{moved}: plays" for control in spec["controls"] if control.get("play")}
        found |= {f"{moved}: goals"} if spec.get("goals") else set()
    return found


@functools.cache
def tried(book: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """The pages on which scripts are tried, in the order of the book; those that are not built have nothing to try."""
    if FULL:
        return names
    pages = {name: book / f"{name}.html" for name in names}
    have = {name: kinds(page) for name, page in pages.items() if page.exists()}
    left, chosen = set().union(*have.values()), set()
    while left:  # the page that has most of what is left, the lighter of two
        best = max(have, key=lambda name: (len(have[name] & left), -pages[name].stat().st_size))
        chosen.add(best)
        left -= have[best]
    return tuple(name for name in names if name in chosen)
