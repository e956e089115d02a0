"""What the book says to who links to it: tags, cards, what search engines read, how to cite it, what is new."""

import json
import re
import shutil
import struct
from html import unescape
from xml.etree import ElementTree

import pytest
import yaml
from bs4 import BeautifulSoup
from pybtex.database import parse_string
from test_warm_build import BOOK, OWN, ROOT, built

from _ext.head import cards
from _ext.head.cite import citation
from _ext.head.news import news
from _ext.head.place import Place
from uatbook.cards import CARDS

NAME = "Transformers as Universal Approximators"
HOME = "https://someone.github.io/book/"
META = re.compile(r'<meta (?:name|property)="((?:og|twitter):[\w:]+|description)" content="([^"]*)" />')
LINK = re.compile(r'<link rel="canonical" href="([^"]*)" ?/?>')
ALWAYS = {"og:title", "og:description", "og:type", "og:site_name", "twitter:card", "twitter:title"}
WHERE = {"og:url", "og:image", "og:image:alt", "og:image:width", "og:image:height", "twitter:image"}


def faults(files: dict[str, bytes], page: str, home: str) -> list[str]:
    """What is wrong with what a page of a book says to who links to it."""
    text = files[page].decode()
    said = [(name, unescape(value)) for name, value in META.findall(text)]
    one = dict(said)
    here = f"{home}{'' if page == 'index.html' else page}"
    (title,) = re.findall(r"<title>(.*?)</title>", text)
    heading, book = unescape(title).rpartition(" \u00b7 ")[::2]
    image = one.get("og:image", "").removeprefix(home)
    wanted = {
        "each tag once": len(said) == len(one),
        "all tags": set(one) >= ALWAYS | (WHERE if home else set()),
        "no more": bool(home) or not WHERE & set(one),
        "title": title == f"{NAME}: Proofs Built and Checked" if page == "index.html" else book == NAME,
        "heading": page == "index.html" or heading == one["og:title"] == one["twitter:title"],
        "description": one.get("description", one["og:description"]) == one["og:description"],
        "address": (one["og:url"], LINK.findall(text)) == (here, [here]) if home else not LINK.findall(text),
        "policy": f"default-src 'self' {home}".strip() + ";" in text,
        "card": not home or struct.unpack(">II", files[image][16:24]) == (1200, 630),
        "size": not home or (one["og:image:width"], one["og:image:height"]) == ("1200", "630"),
    }
    return [name for name, holds in wanted.items() if not holds]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A small book, whose chapters make a part of the real one."""
    root = tmp_path_factory.mktemp("share") / "book"
    root.mkdir()
    for name in (*OWN, "CHANGELOG.md"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    news_page = (ROOT / "library/news.md").read_text(encoding="utf-8")
    toc = BOOK["_toc.yml"].replace("library/glossary\n", "library/glossary\n      - file: library/news\n")
    for name, text in {**BOOK, "_toc.yml": toc, "library/news.md": news_page}.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def online(root):
    return built(root, "someone/book")


def pages(files):
    moved = "chapters/liu-indicator.html"
    return [name for name in files if name.endswith(".html") and not name.startswith("_static/") and name != moved]


@pytest.mark.full
def test_pages_say_what_they_are_with_an_address_and_without(root, online):
    found = {page: faults(online, page, HOME) for page in pages(online) if page != "search.html"}
    assert found == {page: [] for page in found}
    assert {"slides/yun-two.html", "404.html", "library/news.html"} <= set(found)
    page = "chapters/yun-one.html"
    for old, new, fault in (
        ('"og:title" content="', '"og:title" content="An ', "heading"),
        (" \u00b7 Tr", " - Tr", "title"),
        ('"og:description" content="', '"og:description" content="So, ', "description"),
        ('rel="canonical" href="', 'rel="canonical" href="../', "address"),
        ('"og:image:alt"', '"og:image:also"', "all tags"),
        (f"default-src 'self' {HOME}", "default-src 'self'", "policy"),
        ('content="630"', 'content="640"', "size"),
        ('name="twitter:card"', 'name="twitter:title"', "each tag once"),
    ):
        assert fault in faults({**online, page: online[page].decode().replace(old, new).encode()}, page, HOME), fault

    local = built(root)
    found = {page: faults(local, page, "") for page in pages(local) if page != "search.html"}
    assert found == {page: [] for page in found}
    assert {"sitemap.xml", "_static/cards/yun.png"} & set(local) == set()
    assert not [name for name in pages(local) if b"github.io" in local[name]]


def test_search_engines_read_book_and_chapters(online):
    def data(page):
        (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', online[page].decode())
        return json.loads(found)

    whole, chapter, trip = (data(page) for page in ("index.html", "chapters/yun-two.html", "chapters/yun-three.html"))
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert whole["@type"] == ["Book", "LearningResource"]
    assert (whole["name"], whole["version"], whole["url"]) == (cited["title"], str(cited["version"]), HOME)
    assert [author["name"] for author in whole["author"]] == [author["name"] for author in cited["authors"]]
    assert whole["license"][1].endswith(f"/{cited['license']}")
    assert ("identifier" in whole) == ("doi" in cited)
    assert {paper["datePublished"] for paper in whole["citation"]} == {"2020", "2024", "2025"}
    assert (chapter["@type"], chapter["position"]) == (["Chapter", "LearningResource"], 2)
    assert chapter["url"] == f"{HOME}chapters/yun-two.html"
    assert "position" not in trip
    assert [paper["author"][0]["name"] for paper in trip["citation"]] == ["Chulhee Yun", "Geelon So"]
    assert all(
        (page["isPartOf"]["name"], page["isPartOf"]["url"]) == (cited["title"], HOME) for page in (chapter, trip)
    )


def test_all_pages_are_in_the_map_of_the_site(online):
    places = [place.text for place in ElementTree.fromstring(online["sitemap.xml"]).iter() if place.tag.endswith("loc")]
    left_out = {"404.html", "search.html"}
    assert sorted(places) == sorted(HOME + page.replace("index.html", "") for page in {*pages(online)} - left_out)


def test_the_page_that_is_not_there_works_at_any_depth(online):
    text = online["404.html"].decode()
    addresses = re.findall(r' (?:src|href|action|data-content_root)="(?!#|https:)([^"#?]*)', text)
    assert {address for address in addresses if not address.startswith("/book/")} == set()
    links = {address.removeprefix("/book/") for address in addresses} - {""}
    assert {link for link in links if link not in online} == set()
    assert {"index.html", "search.html", "library/glossary.html"} <= links
    assert "<base" not in text  # which the page's policy refuses


@pytest.mark.parametrize(
    ("repository", "home"),
    [
        ("Someone/Book", "https://someone.github.io/Book/"),
        ("Someone/someone.github.io", "https://someone.github.io/"),
    ],
)
def test_the_book_lies_where_pages_of_its_repository_do(repository, home):
    assert Place(repository, "v1").home == home


# -------------------------------------------------------------------------------------------------------------- cards


def test_cards_are_light_the_same_again_and_kept(tmp_path, monkeypatch):
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    first = {part["caption"]: [page["file"] for page in part["chapters"]] for part in toc["parts"]}
    monkeypatch.setattr(cards, "parts", lambda env: first)
    shown = cards.captions(None)
    assert [*shown] == [*CARDS]
    assert [*shown.values()] == [*first][:-1]

    def draw(name, shown):
        (root := tmp_path / name / "assets/fonts").mkdir(parents=True)
        shutil.copy(ROOT / cards.FONT, root)
        return cards.drawn(tmp_path / name, NAME, shown)

    made = {path.stem: path.read_bytes() for path in draw("all", shown).iterdir()}
    assert set(made) == set(CARDS)
    assert max(map(len, made.values())) < 100_000
    for name in ("yun", "cheng"):
        assert (draw(name, {name: shown[name]}) / f"{name}.png").read_bytes() == made[name]

    monkeypatch.setattr(cards.subprocess, "run", None)
    cards.drawn(tmp_path / "all", NAME, shown)
    with pytest.raises(TypeError):
        cards.drawn(tmp_path / "all", "Another name", shown)


# ------------------------------------------------------------------------------------------------ citation, what is new


def test_a_citation_is_read_off_its_file(tmp_path, online):
    def entry(**more):
        said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8")) | more
        (folder := tmp_path / str(len([*tmp_path.iterdir()]))).mkdir()
        (folder / "CITATION.cff").write_text(yaml.safe_dump(said), encoding="utf-8")
        shutil.copy(ROOT / "_config.yml", folder)
        return parse_string(citation(folder).bibtex(""), "bibtex").entries["uatlib"]

    now = entry()
    assert {"doi", "url"} & set(now.fields) == set()
    assert now.fields["year"] == yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["copyright"]
    assert now.persons["author"][0].last_names == ["{The uatlib contributors}"]
    people = [{"family-names": "Lovelace", "given-names": "Ada"}, {"name": "A & B"}]
    later = entry(**{"doi": "10.5281/zenodo.1", "date-released": "2031-02-03", "authors": people})
    assert (later.fields["doi"], later.fields["year"]) == ("10.5281/zenodo.1", "2031")
    assert [person.last_names for person in later.persons["author"]] == [["Lovelace"], [r"{A \& B}"]]

    (shown,) = BeautifulSoup(online["chapters/yun-one.html"], "html.parser").select("details.uat-cite pre")
    assert shown.get_text() == citation(ROOT).bibtex(HOME)


def test_news_are_made_of_the_changelog(online):
    text = "# Changelog\n\nA format.\n\n## 0.2.0, 2031-02-03\n\n### The book\n- One of Yun et al. Two of\n  them. And"
    assert news(text + " three.\n- Four.\n\n## 0.1.0\nThe first.\n") == (
        "## Version 0.2.0, 2031-02-03\n\n### The book\n\n:::{container} uat-news\n"
        "- One of Yun et al. Two of them.\n\n  And three.\n- Four.\n:::\n\n"
        "## Version 0.1.0\n\n:::{container} uat-news\nThe first.\n:::\n\n"
    )
    page = online["library/news.html"].decode()
    headings = re.findall(r"^##+ (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    shown = [re.sub("<.*", "", heading) for heading in re.findall(r"<h[23]>(?:Version )?(.*?)</h", page)]
    assert [heading for heading in shown if heading in headings] == headings
