"""Words of the three steps, and doors to the atlas: in pages by roles, in notebooks as plain Markdown."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from _ext.shapes.markdown import plain
from _ext.text.atlas import Mixer, row, title
from _ext.text.words import KEY, STEPS, Word, settle, subject
from uatbook.atlas import MIXERS
from uatbook.atlas.drawn import strips
from uatbook.atlas.page import anchor, by_name, trap
from uatbook.atlas.record import recorded
from uatbook.atlas.shown import summary

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("step", STEPS)
def test_a_word_of_a_step_is_bold_and_has_its_class(step):
    [word], said = Word()(step, f"{{{step}}}`a word`", "a word", 1, None)
    assert isinstance(word, nodes.strong)
    assert word.astext() == "a word"
    assert word["classes"] == ["uat-step", f"uat-{step}"]
    assert said == []
    assert plain(f"They {{{step}}}`a word` now.", ROOT / "chapters") == "They **a word** now."


def test_sections_say_what_they_are_about_or_have_it_of_their_page():
    for option in ("", ":network: yun2020\n"):
        text = f"# A page\n\n```{{about}} tell\n{option}```\n\nText."
        assert plain(text, ROOT / "chapters") == "# A page\n\n\nText."
    page = nodes.section("", nodes.title("", "A page"), subject(step="tell"))
    for heading, step in (
        ("One", None),
        ("Two", "look"),
        ("Three", "all"),
        ("What we know now", None),
        ("Exercises", None),
    ):
        page += nodes.section("", nodes.title("", heading), *([subject(step=step)] if step else []))
    doctree = nodes.document("", "")
    doctree += page
    env = SimpleNamespace(docname="a", metadata={"a": {}})
    settle(SimpleNamespace(env=env), doctree)
    assert env.metadata["a"][KEY] == "tell"
    assert [section["classes"] for section in page.children[1:]] == [["uat-about-tell"], ["uat-about-look"], [], [], []]
    assert not list(doctree.findall(subject))


def test_a_door_counts_the_mixers_of_the_atlas():
    assert "softmax" in MIXERS
    assert title() == f"Softmax attention and {len(MIXERS) - 1} replacements: is yours fooled?"
    text = "```{atlas-door}\nAsk {mixer}`XCiT`, or {mixer}`Mamba <Mamba, selective scan>`.\n```"
    assert plain(text, ROOT / "chapters") == f"> **{title()}**\n>\n> Ask XCiT, or Mamba."


def test_a_door_shows_the_pair_that_fools_a_mixer_and_leads_to_its_row():
    shown = BeautifulSoup(row("XCiT", "library/atlas.html"), "html.parser")
    [link] = shown.find_all("a")
    assert link["href"] == f"library/atlas.html#{anchor('XCiT')}"
    cells = by_name(recorded())["XCiT"]
    assert [svg["aria-label"] for svg in link.find_all("svg")] == [summary(cells)]
    found = trap(recorded(), cells)
    assert str(shown.figure.svg) == str(BeautifulSoup(strips(found.X, found.Y, found.tokens), "html.parser"))
    for name in ("softmax", "none of them"):  # which no pair fools
        with pytest.raises(ValueError, match=f"^name: expected a mixer of the atlas that a pair fools, got '{name}'"):
            row(name, "library/atlas.html")
    text = "```{atlas-door}\n:mixer: XCiT\nAsk.\n```"
    assert plain(text, ROOT / "chapters") == f"> **{title()}**\n>\n> Ask."


def test_each_mixer_has_an_address_of_its_own():
    found = [anchor(name) for name in MIXERS]
    assert len(set(found)) == len(found) == len(MIXERS)
    assert all(place.startswith("mixer-") and place == place.lower() and " " not in place for place in found)
    assert anchor("Mamba, selective scan") == "mixer-mamba-selective-scan"


class Reporter:
    """What a role complains to."""

    def error(self, said, **where):
        return nodes.system_message(said)


def role(text, monkeypatch):
    builder = SimpleNamespace(get_relative_uri=lambda here, there: f"../{there}.html")
    env = SimpleNamespace(docname="chapters/start", app=SimpleNamespace(builder=builder))
    monkeypatch.setattr(Mixer, "env", env)
    document = SimpleNamespace(reporter=Reporter())
    return Mixer()("mixer", text, text, 1, SimpleNamespace(reporter=Reporter(), document=document))


def test_a_mixer_is_a_link_to_its_row_and_a_name_that_is_none_an_error(monkeypatch):
    [link], said = role("retention <RetNet, no output gate>", monkeypatch)
    assert (link.astext(), link["refuri"]) == ("retention", "../library/atlas.html#mixer-retnet-no-output-gate")
    assert said == []
    [link], _ = role("XCiT", monkeypatch)
    assert (link.astext(), link["refuri"]) == ("XCiT", "../library/atlas.html#mixer-xcit")
    found, said = role("Mambo", monkeypatch)
    assert found == []
    assert len(said) == 1
