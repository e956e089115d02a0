"""The strip at the top of a chapter: what it says, where its links lead, what it weighs."""

import re
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes

from _ext.course.strip import build, lay, strip, strip_of_all
from uatbook.sources import SOURCES
from uatbook.strip import BUILT, WHOLE, network

ROOT = Path(__file__).resolve().parents[3]
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
OF_PART = {
    part["caption"].partition(":")[0]: [
        page["file"].removeprefix("chapters/")
        for chapter in part["chapters"]
        for page in (chapter, *chapter.get("sections", ()))
    ]
    for part in PARTS
}
LIMIT = 3000
STEPS = ("cut", "tell", "look")


def link(chapter):
    return f'<a href="{chapter}.html">{chapter}</a>'


@pytest.mark.parametrize("step", [*STEPS, "all"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_strip_says_where_one_is(source, step):
    found = network(source)
    html = strip(found, step, link)
    lit = re.findall(r'<g class="(\w+) here"', html)
    assert lit == ([*STEPS] if step == "all" else [step]) or source == "liu2025"
    assert {*lit} == ({*STEPS} if step == "all" else {step})
    layers = {"cut": 5, "tell": 5, "look": 15}[step] if source == "yun2020" and step != "all" else 1
    where = f"all {found.layers} layers" if step == "all" else f"{layers} of {found.layers} layers"
    assert f"<span>You are here: {where}</span>" in html
    assert re.findall(r'<a href="([\w-]+)\.html">', html) == [*BUILT[source]]
    assert len(zlib.compress(html.encode(), 9)) < LIMIT


def test_chapters_that_build_a_part_belong_to_its_source():
    for source in SOURCES.values():
        pages = OF_PART[source.heading.partition(",")[0]]
        assert {*BUILT[source.key], WHOLE[source.key]} <= {*pages}


def test_all_networks_stand_below_each_other():
    html = strip_of_all(link)
    assert re.findall(r"(\d+) layers</text>", html) == [f"{network(source).layers}" for source in SOURCES]
    assert re.findall(r'<a href="([\w-]+)\.html">', html) == [*WHOLE.values()]
    assert len(zlib.compress(html.encode(), 9)) < LIMIT


def laid(metadata, title="Three & more"):
    page = "chapters/kajitsuka-universality"
    titles = {"chapters/kajitsuka-one-layer": nodes.title("", "One <head>"), page: nodes.title("", title)}
    env = SimpleNamespace(metadata={page: metadata}, found_docs={page}, titles=titles)
    builder = SimpleNamespace(get_relative_uri=lambda here, there: f"{there.removeprefix('chapters/')}.html")
    context = {"body": '<h1>A</h1>\n<p class="uat-facts">Facts</p>\n<p>Text</p>'}
    lay(SimpleNamespace(env=env, builder=builder), page, "", context, None)
    return context["body"]


def test_it_stands_below_the_facts_of_a_page_that_asks():
    body = laid({"uat_step": "look", "uat_network": "kajitsuka2024"})
    assert body.index("uat-facts") < body.index('<details class="uat-strip">') < body.index("<p>Text</p>")
    assert 'Built in <a href="kajitsuka-one-layer.html">One &lt;head&gt;</a>' in body
    assert body.count("Built in this chapter") == 2
    assert "uat-strip" not in laid({"uat_step": "look"})


def test_a_page_built_alone_has_no_links_to_others():
    assert laid({"uat_network": "liu2025"}).count("Built in another chapter") == 3


@pytest.mark.parametrize(("asked", "made"), [(["liu2025", "liu2025"], 1), (["liu2025", "all"], len(SOURCES)), ([], 0)])
def test_networks_are_built_before_processes_are_forked(asked, made):
    network.cache_clear()
    metadata = {"index": {}} | {f"page {k}": {"uat_network": source} for k, source in enumerate(asked)}
    assert build(None, SimpleNamespace(metadata=metadata)) == []
    assert network.cache_info().currsize == made
