"""Pages are set in the book's own letters, whatever fonts a machine has."""

import base64
import functools
import gzip
import html
import re
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from page_explorers import page_text

from _ext.finish import search
from _ext.finish.bundle import WITHIN

ROOT = Path(__file__).resolve().parents[2]

UNSEEN = re.compile(r"<(script|style|noscript)\b.*?</\1>", re.DOTALL)
PACK = re.compile(r'<script type="application/gzip" class="uat-pack">([^<]*)</script>')
IN_FORMULA = re.compile(r"font-family: (KaTeX_\w+)[^>]*>([^<]*)")
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
ICONS = range(0xE000, 0xF900)
# Every page has head, menu and foot; these two also pictures, explorers, code, a certificate.
PAGES = ("index", "chapters/yun-quantization")


@functools.cache
def fonts() -> dict[str, set[int]]:
    """What the upright faces of each family of the style sheets have; of one that has none, the italics."""
    sheets = [ROOT / "assets" / name for name in ("katex/katex.min.css", "style.css", "fonts/fonts.css")]
    found: dict[bool, dict[str, set[int]]] = {False: {}, True: {}}
    for sheet in sheets:
        for rule in re.findall(r"@font-face\s*\{([^}]*)\}", sheet.read_text(encoding="utf-8")):
            (family,) = re.findall(r'font-family:\s*"?([\w ]+)', rule)
            (file,) = re.findall(r"url\(([^)]*woff2)\)", rule)
            letters = set(TTFont(sheet.parent / file).getBestCmap())
            if said := re.search(r"unicode-range:([^;]*)", rule):
                ranges = [(int(a, 16), int(b or a, 16)) for a, b in re.findall(r"U\+(\w+)(?:-(\w+))?", said[1])]
                asked = {code for first, last in ranges for code in range(first, last + 1)}
                assert asked - letters <= {0x200B}, f"{file} is asked for in vain"
                letters &= asked
            found["style:italic" in rule.replace(" ", "")].setdefault(family, set()).update(letters)
    return found[True] | found[False]


def stack() -> set[int]:
    """What some font has that all text falls back on."""
    (families,) = re.findall("--uat-letters: (.*);", (ROOT / "assets/style.css").read_text(encoding="utf-8"))
    return set.union(*(fonts()[family.strip(' "')] for family in families.split(",")))


def lacking(text: str, letters: set[int]) -> set[str]:
    return {letter for letter in set(text) if letter.isprintable() and ord(letter) not in {*letters, *ICONS}}


def test_every_letter_of_a_page_is_in_a_font_of_the_book(book, page_name, monkeypatch):
    monkeypatch.setattr(search, "in_line", lambda node: "")  # formulas are KaTeX's own
    page = page_text(page_name)
    drawn = [UNSEEN.sub("", search.in_lines(page))]
    drawn += [gzip.decompress(base64.b64decode(pack)).decode() for pack in PACK.findall(page)]
    for text in drawn:
        whole = html.unescape(ESCAPED.sub(lambda code: chr(int(code[1], 16)), text))
        assert lacking(whole, stack()) == set()
        for family, letters in IN_FORMULA.findall(whole):
            assert lacking(letters, fonts()[family]) == set(), (family, letters)


def test_what_scripts_write_is_in_a_font_of_the_book(book):
    script = "".join(path.read_text(encoding="utf-8") for path in (book / "_static").glob("uat-explorer*.js"))
    written = "".join(chr(int(code, 16)) for code in ESCAPED.findall(script))
    assert written
    assert lacking(written, stack()) == set()


def test_every_icon_is_in_a_font_of_the_book(book):
    """Those of the sheet's rules, which are the pages', and of its variables that a rule asks for."""
    sheet = (book / "_static/book.css").read_text(encoding="utf-8")
    named = dict(re.findall(r'(--[\w-]+): *"([^"]*)"', sheet))
    shown = re.findall(r'content: *(?:"([^"]*)"|var\((--[\w-]+))', sheet)
    icons = {sign for said, name in shown for sign in said or named.get(name, "") if ord(sign) in ICONS}
    assert len(icons) > 10
    assert icons <= {chr(code) for name in WITHIN for code in TTFont(ROOT / "assets/fonts" / name).getBestCmap()}


@pytest.mark.parametrize("page", PAGES)
def test_no_letter_is_drawn_by_a_font_of_the_machine(desk, site, page):
    """As the browser says, of each text outside of formulas, explorers included."""
    desk.tab.emulate_media(reduced_motion="reduce")  # a film writes its words anew while they are asked
    tab = desk.open(f"{site}{page}.html")
    tab.evaluate("document.querySelectorAll('.katex').forEach((formula) => formula.remove())")
    session = tab.context.new_cdp_session(tab)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    todo = [session.send("DOM.getDocument", {"depth": -1, "pierce": True})["root"]]
    drawn = dict.fromkeys(["UAT Serif", "UAT Sans", "UAT Mono"], 0)
    while todo:
        node = todo.pop()
        todo += node.get("children", []) + node.get("shadowRoots", [])
        if any(child["nodeType"] == 3 and child["nodeValue"].strip() for child in node.get("children", [])):
            for font in session.send("CSS.getPlatformFontsForNode", {"nodeId": node["nodeId"]})["fonts"]:
                assert font["isCustomFont"], (font["familyName"], node["children"][0]["nodeValue"])
                drawn[font["familyName"]] = drawn.get(font["familyName"], 0) + font["glyphCount"]
    session.detach()
    assert min(drawn["UAT Serif"], drawn["UAT Sans"]) > 100
    assert page == "index" or drawn["UAT Mono"] > 100  # its code is folded away
