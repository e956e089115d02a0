"""The explorers of the built book, as the files of its pages hold them and as a reader meets them."""

import base64
import functools
import gzip
import itertools
import json
import re

from bs4 import BeautifulSoup, Tag
from conftest import BOOK, toc_pages
from playwright.sync_api import Page

BOX = re.compile(
    r'<div class="uat-explorer" id="(?P<id>[^"]+)">(?P<first><div class="uat-first">(?:(?!<script).)*)'
    r'<script type="application/json" class="uat-spec">(?P<spec>[^<]*)</script>'
    r'<script type="application/gzip" class="uat-pack">(?P<pack>[^<]*)</script></div>',
    re.DOTALL,
)
LIVE = re.compile(
    r'<div class="uat-explorer" id="(?P<id>[^"]+)">(?P<first><div class="uat-first">(?:(?!<script).)*)'
    r'<script type="application/json" class="uat-spec">(?P<spec>[^<]*)</script></div>',
    re.DOTALL,
)
LESS = r"\u003c"
"""Of JSON within a page."""
HELD = re.compile(r'<script type="[^"]*" class="uat-(pack|data)" data-name="(\w+)"></script>')
DRAWN = re.compile(r"(?<=>)(?:(?!</?svg).)+(?=</svg>)", re.DOTALL)
FIGURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
ANY = re.compile(r'<div class="uat-explorer" id="([^"]+)"')
# What an explorer shows at a setting; is its SVG, less what the view adds, the one of the data?
# Both are compared as the browser reads them. One call for all of it: there are thousands.
LOOK = """async ([id, at, number]) => {
  if (!window.expectedPictures?.[id]) return null;
  const host = () => document.getElementById(id)?.querySelector(".uat-view");
  for (let k = 0; k < 2000 && host()?.dataset.at !== at; k += 1) await new Promise((done) => setTimeout(done, 5));
  const root = host().shadowRoot;
  const shown = root.querySelector(".picture svg").cloneNode(true);
  for (const name of ["aria-label", "aria-describedby", "translate"]) shown.removeAttribute(name);
  const expected = document.createElement("div"), [wide, narrow] = window.expectedPictures[id][number];
  expected.innerHTML = (root.querySelector(".picture").clientWidth < 500 && narrow) || wide;
  return {
    height: root.host.parentElement.offsetHeight,
    at: root.host.dataset.at,
    same: shown.isEqualNode(expected.firstElementChild),
    text: root.querySelector(".readout").textContent,
    note: root.querySelector(".note").textContent,
    alt: root.querySelector(".picture svg").getAttribute("aria-label"),
    described: root.getElementById(root.querySelector(".picture svg").getAttribute("aria-describedby")).textContent,
    said: [...root.querySelectorAll("input[type=range]")].map((field) => field.getAttribute("aria-valuetext")),
    beside: [...root.querySelectorAll("output")].map((output) => output.textContent),
    ticked: [...root.querySelectorAll(".segmented :checked")].map((half) => half.parentElement.textContent),
  };
}"""
EXPECT = "([id, pictures]) => ((window.expectedPictures ??= {})[id] ??= pictures)"


class First:
    """What stands in a page before the script."""

    def __init__(self, match: re.Match) -> None:
        self.id, page = match["id"], BeautifulSoup(DRAWN.sub("", match["first"]), "html.parser")
        self.title, self.text = (page.select_one(part).text for part in (".title", ".readout"))
        # _ext/finish/pages.py adds it.
        self.first = [svg.replace(' translate="no"', "", 1) for svg in FIGURE.findall(match["first"])]
        self.alt, *others = (figure["aria-label"] for figure in page.select(".uat-figure"))
        assert {*others} <= {self.alt}
        self.width = float(page.select_one(".uat-figure")["width"].removesuffix("pt"))
        self.fields = [field.select_one(".name").text for field in page.select(".control:not([hidden])")]
        self.shown = [self._shown(row) for row in page.select(".control:not([hidden])")]
        self.inert = all(row.find_parent(inert=True) for row in page.select(".control:not([hidden])"))
        self.excuses = [row.text for row in page.select("noscript p")]

    @staticmethod
    def _shown(row: Tag) -> str:
        """What a control shows."""
        chosen = ("output", "input[type=radio][checked] + span", "option[selected]", "option")
        told = next(filter(None, map(row.select_one, chosen)), None)
        return told.text if told else str(row.select_one("input").has_attr("checked"))


class PageExplorer(First):
    """An explorer as the file of its page holds it."""

    def __init__(self, match: re.Match) -> None:
        super().__init__(match)
        spec = json.loads(match["spec"])
        self.controls, self.goals = spec["controls"], [goal["name"] for goal in spec.get("goals", [])]
        self.folded = spec.get("fold", {"controls": []})["controls"]
        # Those of the fold come last.
        self.rows = sorted(range(len(self.controls)), key=lambda k: self.controls[k]["name"] in self.folded)
        self.pack = json.loads(gzip.decompress(base64.b64decode(match["pack"])))
        self.pack["pictures"] = list(zip(self.pack.pop("wide"), self.pack.pop("narrow"), strict=True))
        rows = self.pack["index"]
        self.reached = [[k in row[2:] for k in range(len(self.goals))] for row in rows]
        self.pack["index"] = [row[:2] for row in rows]
        self.start = [control["start"] for control in self.controls]
        self.entries = dict(zip(self.positions(), self.pack["index"], strict=False))

    def entry(self, at: list[int]) -> list[int]:
        """The numbers of the picture and of the read-out that belong to these positions."""
        return self.entries[tuple(at)]

    def frame(self, at: list[int]) -> tuple[str, str]:
        """The picture for a desk and the read-out that belong to these positions."""
        picture, text = self.entry(at)
        return self.pack["pictures"][picture][0], self.pack["texts"][text]

    def settings(self, at: list[int]) -> str:
        """These positions in words."""
        return ", ".join(f"{c['label']} = {c['texts'][k]}" for c, k in zip(self.controls, at, strict=True))

    def positions(self) -> list[tuple[int, ...]]:
        """Every setting that the controls offer, the last control running fastest."""
        return list(itertools.product(*(range(len(control["texts"])) for control in self.controls)))


class PageLive(First):
    """A live picture as the file of its page holds it."""

    def __init__(self, match: re.Match) -> None:
        super().__init__(match)
        self.spec = json.loads(match["spec"])


def page_text(page_name: str) -> str:
    """A page with the data of its explorers in it, wherever the book keeps them."""
    text = (BOOK / f"{page_name}.html").read_text(encoding="utf-8")
    for found in [*HELD.finditer(text)]:
        kind, name = found.groups()
        file = (BOOK / "_static" / "explorers" / f"{name}.js").read_text(encoding="utf-8")
        data = json.loads(file[file.index("(") + 1 : file.rindex(")")])
        if kind == "pack":
            text = text.replace(found[0], f'<script type="application/gzip" class="uat-pack">{data}</script>')
        else:
            text = text.replace("}</script>" + found[0], f',"data":{data.replace("<", LESS)}}}</script>')
    return text


def boxes(page_name: str) -> list[str]:
    """The ids of all that can be moved on a page, drawn or live, in order."""
    return ANY.findall((BOOK / f"{page_name}.html").read_text(encoding="utf-8"))


@functools.cache
def live_pictures(page_name: str) -> tuple[PageLive, ...]:
    return tuple(map(PageLive, LIVE.finditer(page_text(page_name))))


@functools.cache
def explorers(page_name: str) -> tuple[PageExplorer, ...]:
    return tuple(map(PageExplorer, BOX.finditer(page_text(page_name))))


def pages() -> list[str]:
    """Pages with an explorer; none before the book is built, which test_every_chapter_has_one then reports."""
    there = [name for name in toc_pages() if (BOOK / f"{name}.html").exists()]
    return [name for name in there if 'class="uat-pack"' in (BOOK / f"{name}.html").read_text(encoding="utf-8")]


PAGES = pages()
ALL_PAGES = [name for name in toc_pages() if (BOOK / f"{name}.html").exists() and boxes(name)]
"""Those with a live picture among them."""


def see(page: Page, explorer: PageExplorer, at: list[int]) -> float:
    """Assert that picture, read-out and controls are those of these positions; the height of the card."""
    picture, text = explorer.entry(at)
    question = [explorer.id, ",".join(map(str, at)), picture]
    seen = page.evaluate(LOOK, question)
    if seen is None:  # this page has not been told yet what to expect
        page.evaluate(EXPECT, [explorer.id, explorer.pack["pictures"]])
        seen = page.evaluate(LOOK, question)
    places = [(explorer.controls[k], at[k]) for k in explorer.rows]
    values = [control["texts"][k] for control, k in places if control["kind"] == "slider"]
    height: float = seen.pop("height")
    shows, now = explorer.alt.split(" Now ")[0], explorer.settings(at)
    wanted = {
        "at": ",".join(map(str, at)),
        "same": True,
        "text": explorer.pack["texts"][text],
        "note": "",
        "alt": f"{shows} Now {now}.",
        "described": explorer.pack["texts"][text],
        "said": values,
        "beside": values,
        "ticked": [control["texts"][k] for control, k in places if control["kind"] == "segmented"],
    }
    assert seen == wanted, {key: (seen[key], wanted[key]) for key in wanted if seen[key] != wanted[key]}
    return height


def unfold(page: Page, explorer: PageExplorer) -> None:
    """Open the fold of an explorer, if it has one."""
    page.locator(f"#{explorer.id} .more").evaluate_all("(folds) => folds.forEach((fold) => (fold.open = true))")


def field_of(page: Page, explorer: PageExplorer, control: dict):
    """What has the focus of a control: of two halves the chosen one."""
    if control["name"] in explorer.folded:
        unfold(page, explorer)
    field = page.locator(f"#{explorer.id}").get_by_label(control["label"], exact=True)
    return field.locator(":checked") if control["kind"] == "segmented" else field
