"""The way through the book: chapters lead to chapters, side trips back to theirs, and a staircase says where one is."""

import itertools
import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx_external_toc.api import Document, FileItem, SiteMap, TocTree

from _ext.course.way import LOW, RISE, Ways, drawing, heights, neighbours, order, said

TRIPS = {"chapters/one": ["chapters/aside", "chapters/other"], "chapters/two": []}


@pytest.fixture
def env():
    parts = [
        TocTree([FileItem("tour"), FileItem("chapters/one"), FileItem("chapters/two")], caption="Start"),
        TocTree([FileItem("library/a"), FileItem("library/b")], caption="Reference"),
    ]
    toc = SiteMap(Document("index", parts))
    for page in ("tour", "library/a", "library/b", "chapters/aside", "chapters/other"):
        toc[page] = Document(page)
    for page, trips in TRIPS.items():
        toc[page] = Document(page, [TocTree([FileItem(trip) for trip in trips])] if trips else [])
    titles = {page: nodes.title("", f"On {page} & more") for page in toc}
    metadata = {page: {"uat_step": "look"} if page == "chapters/two" else {} for page in toc}
    config = SimpleNamespace(root_doc="index")
    return SimpleNamespace(external_site_map=toc, config=config, titles=titles, metadata=metadata)


def ways(env, page):
    builder = SimpleNamespace(get_relative_uri=lambda here, there: f"{there}.html")
    return Ways(SimpleNamespace(env=env, builder=builder, config=env.config), page)


def test_the_way_leaves_no_chapter_for_a_side_trip(env):
    assert order(env) == ["index", "tour", "chapters/one", "chapters/two", "library/a", "library/b"]
    assert neighbours(env, "index") == (None, "tour")
    assert neighbours(env, "chapters/one") == ("tour", "chapters/two")
    assert neighbours(env, "chapters/two") == ("chapters/one", "library/a")
    assert neighbours(env, "library/b") == ("library/a", None)


def test_a_side_trip_leads_back_to_its_chapter_and_on_to_the_next(env):
    assert neighbours(env, "chapters/aside") == neighbours(env, "chapters/other") == ("chapters/one", "chapters/two")
    assert neighbours(env, "unknown") == (None, None)
    html = ways(env, "chapters/aside").on()
    large = re.findall(r'<a class="([^"]*)" rel="(\w+)" href="([^"]*)"><small>(.*?)</small> <b>(.*?)</b>', html)
    assert large == [
        ("uat-prev uat-main", "prev", "chapters/one.html", "Back to chapter 1", "On chapters/one &amp; more"),
        ("uat-next", "next", "chapters/two.html", "Next chapter", "On chapters/two &amp; more"),
    ]
    assert re.findall(r'<li><a href="([^"]*)">', html) == ["chapters/other.html"]


def test_a_chapter_has_its_next_large_and_its_side_trips_small(env):
    html = ways(env, "chapters/one").on()
    assert re.findall(r'class="uat-next uat-main" rel="next" href="([^"]*)"', html) == ["chapters/two.html"]
    assert re.findall(r'<li><a href="([^"]*)">', html) == ["chapters/aside.html", "chapters/other.html"]
    assert "Side trips" not in ways(env, "chapters/two").on()


def test_each_stair_is_a_link_and_one_is_here(env):
    html = ways(env, "chapters/two").stairs()
    assert 'aria-label="Chapter 2 of 2"' in html
    found = re.findall(r'<a href="([^"]*)" title="([^"]*)" aria-label="([^"]*)"( aria-current="\w+")?>', html)
    assert [(href, here) for href, _, _, here in found] == [
        ("chapters/one.html", ""),
        ("#", ' aria-current="page"'),
    ]
    assert all(
        title == label == f"Chapter {k}: On chapters/{name} &amp; more"
        for k, name, (_, title, label, _) in zip((1, 2), ("one", "two"), found, strict=True)
    )
    trip = ways(env, "chapters/aside").stairs()
    assert 'aria-label="Side trip from chapter 1 of 2"' in trip
    assert trip.count('aria-current="step"') == 1
    assert 'class="off"' in trip
    assert 'class="off"' not in html


def test_stairs_rise_one_by_one_within_the_picture():
    for count in (2, 12, 30):
        tops = heights(count)
        assert len(tops) == count
        assert all(low > high for low, high in itertools.pairwise(tops))
        assert tops[0] < LOW
        assert tops[-1] > LOW - RISE >= 0


def test_stairs_have_the_colours_of_their_steps_and_say_how_far_one_has_climbed(env):
    picture = drawing(["cut", "tell", "all", "look"], 3, trip=False)
    stairs = re.findall(r'class="stair (\w+)( \w+)?" d="M(\d+) (\S+?)V(\S+?)h', picture)
    assert [(step, where.strip()) for step, where, *_ in stairs] == [
        ("cut", "climbed"),
        ("tell", "climbed"),
        *((step, "here") for step in ("cut", "tell", "look")),
        ("look", ""),
    ]
    layers = [(float(low), float(high)) for *_, low, high in stairs[2:5]]
    assert all(below[1] == above[0] for below, above in itertools.pairwise(layers))
    html = ways(env, "chapters/one").stairs()
    assert re.findall(r'class="stair (\w+) ?(\w*)"', html) == [
        ("cut", "here"),
        ("tell", "here"),
        ("look", "here"),
        ("look", ""),
    ]


def test_the_place_is_said_in_words():
    assert said(12, 3, trip=False) == "Chapter 3 of 12"
    assert said(12, 3, trip=True) == "Side trip from chapter 3 of 12"
