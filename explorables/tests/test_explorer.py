"""Explorers in Python: frames, what a page holds, its budget, what is refused, and the widget."""

import base64
import functools
import gzip
import html
import io
import itertools
import json
import re
from collections import Counter
from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.mathtext import MathTextParser

from explorables import Control, Explorer, explore
from explorables.frames import Frame, FrameStore, draw
from explorables.scripts import page_script, view_module
from explorables.svg import SVG_STYLE, page_svg
from explorables.widget import ExplorerWidget

pytestmark = pytest.mark.usefixtures("closed_figures")


def bars(height, colour="#3b7fc4"):
    """A bar of the given height."""
    figure, ax = plt.subplots(figsize=(1, 1))
    ax.bar([0], [height], color=colour)
    ax.set(ylim=(0, 5), title=f"height {height}")
    return figure


def unpack(html):
    """The spec and the frames of a static page, read as the format says."""
    spec = json.loads(re.search(r'class="uat-spec">(.*?)</script>', html)[1])
    data = re.search(r'class="uat-pack">(.*?)</script>', html)[1]
    pack = json.loads(gzip.decompress(base64.b64decode(data)))
    return spec, {**pack, "pictures": list(zip(pack.pop("wide"), pack.pop("narrow"), strict=True))}


# ------------------------------------------------------------------------------------------------------------ frames


def test_the_function_stays_a_function():
    explorer = explore(height=[1, 2])(bars)
    assert isinstance(explorer, Explorer)
    assert explorer(2).axes[0].patches[0].get_height() == 2
    assert explorer.__name__ == "bars"
    assert explorer.alt == "A bar of the given height."


def test_frames_are_drawn_once_and_closed():
    calls = []

    def counted(height):
        calls.append(height)
        return bars(height)

    explorer = explore(height=[1, 2, 3])(counted)
    assert calls == []
    frames = [explorer.frame(height=height) for height in (1, 2, 1, 2)]
    assert calls == [1, 2]
    assert frames[0] is frames[2]
    assert frames[0].svg != frames[1].svg
    explorer.to_html()
    explorer._repr_mimebundle_()
    assert calls == [1, 2, 3]
    assert plt.get_fignums() == []


def test_settings_of_one_frame_are_not_those_of_the_next():
    def styled(size):
        if size == 3:
            matplotlib.rcParams["lines.linewidth"] = 9
            plt.style.use("ggplot")
        figure, ax = plt.subplots(figsize=(1, 1))
        ax.plot([0, size])
        return figure

    before = dict(matplotlib.rcParams)
    forth, back = (explore(size=[1, 3, 4])(styled) for _ in range(2))
    one, two = [forth.frame(size=k) for k in (1, 3, 4)], [back.frame(size=k) for k in (4, 3, 1)][::-1]
    assert [frame.svg for frame in one] == [frame.svg for frame in two]
    assert "stroke-width: 9" in one[1].svg
    assert "stroke-width: 9" not in one[2].svg
    assert dict(matplotlib.rcParams) == before


def test_the_readers_own_figure_is_neither_drawn_on_nor_closed():
    mine, other = plt.figure(), plt.figure()
    plt.figure(mine)

    def current(height):
        plt.gca().plot([0, height])
        figure = plt.gcf()
        plt.figure(other.number).text(0, 0, "mine?")
        plt.close("all")
        return figure

    explore(height=[1, 2])(current).frame()
    with pytest.raises(ZeroDivisionError):
        explore(height=[0, 1])(lambda height: plt.gca().plot([1 / height])).frame()
    assert plt.get_fignums() == [mine.number, other.number]
    assert plt.gcf() is mine
    assert mine.axes == [] == other.axes
    assert other.texts == []


@pytest.mark.filterwarnings("ignore:Glyph 7")
def test_a_character_that_no_page_knows_is_named():
    def belled(height):
        figure = bars(height)
        figure.axes[0].set_title("a\x07b")
        return figure

    with pytest.raises(ValueError, match=r"control character '\\x07' in a title or label; take it out"):
        explore(height=[1, 2])(belled).frame()


def test_a_figure_that_pyplot_does_not_know_is_drawn_too():
    def plain(height):
        figure = matplotlib.figure.Figure()
        figure.subplots().bar([0], [height])
        return figure

    assert "<path" in explore(height=[1, 2])(plain).frame().svg


def test_pictures_follow_the_page():
    svg = explore(height=[1, 2])(bars).frame(height=2).svg
    assert "height 2" in svg  # text stays text
    assert "currentColor" in svg
    assert "#000000" not in svg
    assert "#3b7fc4" in svg
    assert re.search(r'd="[^"]*\d\.\d{3,}', svg) is None


def test_the_read_out_is_the_functions_or_the_settings():
    said = explore(height=[1, 2])(lambda height: (bars(height), f"{height} metres"))
    assert said.frame(height=2).text == "2 metres"
    silent = explore(height=Control([1, 2], label="h"), colour=["#3b7fc4", "#d1661f"])(bars)
    assert silent.frame(height=2).text == "h = 2, colour = #3b7fc4"


def test_unknown_values_are_refused():
    explorer = explore(height=[1, 2])(bars)
    with pytest.raises(ValueError, match=r"bars height: expected one of \[1, 2\], got 3"):
        explorer.frame(height=3)
    with pytest.raises(ValueError, match="expected controls out of height, got width"):
        explorer.frame(width=1)


@pytest.mark.parametrize("result", [None, "text", (1, "text"), lambda: 0, 5, ()])
def test_a_function_must_return_a_figure(result):
    explorer = explore(height=[1, 2])(lambda height: result)
    with pytest.raises(ValueError, match="expected a matplotlib figure"):
        explorer.frame()


def test_a_read_out_must_be_text():
    with pytest.raises(ValueError, match=r"got \(Figure, int\)"):
        explore(height=[1, 2])(lambda height: (bars(height), 3)).frame()


# ------------------------------------------------------------------------------------------------------- declaration


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({}, "got none; height has none"),
        ({"colour": ["a", "b"]}, "height has none"),
        ({"height": [1, 2], "depth": [1, 2]}, "depth is no argument"),
        ({"height": [2, 1]}, "height: values: expected numbers in increasing order"),
        ({"height": [1, 2], "combinations": 0}, "combinations: expected an int >= 1"),
        ({"height": [1, 2], "kilobytes": True}, "kilobytes: expected an int >= 1"),
        ({"height": [1, 2], "kilobytes": 1.5}, "kilobytes: expected an int >= 1"),
    ],
)
def test_controls_must_fit_the_function(controls, message):
    with pytest.raises(ValueError, match=message):
        explore(**controls)(bars)


def test_only_one_control_plays():
    two = {name: Control([1, 2], play=True) for name in ("height", "width")}
    with pytest.raises(ValueError, match="at most one control, got it for height, width"):
        explore(**two)(lambda height, width: bars(height))


def test_positional_arguments_and_non_functions_are_refused():
    with pytest.raises(ValueError, match="positional-only"):
        explore(height=[1, 2])(lambda height, /: bars(height))
    with pytest.raises(ValueError, match="expected a function that draws, got a Figure"):
        explore(height=[1, 2])(plt.figure())


# -------------------------------------------------------------------------------------------------------- a static page


def test_a_page_holds_every_combination_in_order_and_repeats_nothing():
    def clamped(height, floor, loud):
        return bars(max(height, floor)), f"{max(height, floor)}{'!' if loud else ''}"

    explorer = explore(height=Control([1, 2, 4], finer=[3]), floor=[2, 3], loud=[False, True])(clamped)
    spec, pack = unpack(explorer.to_html())
    expected = list(itertools.product([1, 2, 4], [2, 3], [False, True]))
    assert len(pack["index"]) == len(expected)
    for (height, floor, loud), (picture, text) in zip(expected, pack["index"], strict=True):
        top = max(height, floor)
        wide, narrow = pack["pictures"][picture]
        assert f"height {top}" in wide
        assert narrow == ""  # a figure that is laid out by hand has one drawing
        assert pack["texts"][text] == f"{top}{'!' if loud else ''}"
    # Three heights are left: 2, 3, 4.
    assert len(pack["pictures"]) == len(set(map(tuple, pack["pictures"]))) == 3
    assert len(pack["texts"]) == 6
    assert [control["name"] for control in spec["controls"]] == ["height", "floor", "loud"]


def test_pages_are_the_same_to_the_byte():
    pages = [explore(height=[1, 2, 3])(bars).to_html() for _ in range(2)]
    first, second = pages
    assert first == second


def test_the_first_frame_stands_without_javascript():
    """In the colours of the page, with a name that says the settings; nothing that could be moved has the focus."""
    heights = Control([1, 2], start=2, label="h <")
    explorer = explore(height=heights, alt='a "bar" & more')(lambda height: (bars(height), f"{height} < 3"))
    page = BeautifulSoup(explorer.to_html(), "html.parser").select_one(".uat-first")
    svg = page.select_one(".picture svg")
    assert svg["aria-label"] == 'a "bar" & more. Now h < = 2.'
    assert "height 2" in svg.text
    assert "currentColor" in str(svg)
    assert str(svg).count("var(--uat-paper)") == explorer.frame().svg.count("var(--uat-paper)") > 0
    assert page.select_one(".readout").text == "2 < 3"
    assert {field["type"] for field in page.select("[inert] input")} == {"radio"}
    assert page.select("input") == page.select("[inert] input")
    assert [label.text for label in page.select("label:has([checked])")] == ["2"]
    assert page.select_one("noscript").text == "The controls of this picture need JavaScript."


def test_the_first_frame_keeps_room_for_the_others():
    """For the text of most lines at each width, and for the tallest picture, where they are not all of one size."""
    long, wide = "word " * 40, "a\nb\nc"
    said = {1: "short", 2: long, 3: wide, 4: "x" * 60}

    def sized(height, even):
        figure = bars(height)
        figure.set_size_inches(4, 3 if even else height)
        return figure, said[height]

    room = {}
    for even in (False, True):
        page = BeautifulSoup(explore(height=[1, 2, 3, 4], even=[even, not even])(sized).to_html(), "html.parser")
        room[even] = page.select(".uat-first .room")
        assert {element["aria-hidden"] for element in room[even]} == {"true"}
    assert [p.text for p in room[True] if p.name == "p"] == [long, wide]
    sizes = [(svg["width"], svg["height"]) for svg in room[False] if svg.name == "svg"]
    assert sizes == [("288.0pt", "288.0pt")]


def test_pictures_of_a_page_share_no_ids():
    explorers = [explore(height=[1, 2])(bars), explore(height=[1, 2])(lambda height: bars(height))]
    pages = [BeautifulSoup(explorer.to_html(), "html.parser").select_one(".uat-first") for explorer in explorers]
    names = [{element["id"] for element in page.select("[id]")} for page in pages]
    assert not names[0] & names[1]
    for page, ids in zip(pages, names, strict=True):
        asked = set(re.findall(r'(?:url\(|href=")#([^")]+)', str(page)))
        assert asked
        assert asked <= ids


def test_a_page_asks_for_nothing():
    html = explore(height=[1, 2])(bars).to_html()
    addresses = re.findall(r'(?:src|href)="([^"]*)"', html) + re.findall(r"https?://[^\s\"'<]+", html)
    # Parts of the picture itself, and the name of SVG.
    assert [a for a in addresses if not a.startswith(("#first-", "data:", "http://www.w3.org/"))] == []
    assert " on" + "click" not in html
    assert "eval(" not in html


def test_titles_cannot_end_a_script():
    html = explore(height=[1, 2], title="</script><b>", alt="<i>")(bars).to_html()
    assert "</script><b>" not in html.replace("<title>", "")
    spec, _ = unpack(html)
    assert spec["title"] == "</script><b>"


def test_too_many_combinations_are_refused_before_drawing():
    calls = []
    explorer = explore(height=range(30), width=range(20))(lambda height, width: calls.append(height))
    with pytest.raises(ValueError, match="at most 400 combinations for a page, got 600; 'height' multiplies most"):
        explorer.to_html()
    assert calls == []
    small = explore(height=range(3), width=range(2), combinations=5)(lambda height, width: bars(height))
    with pytest.raises(ValueError, match="at most 5 combinations for a page, got 6"):
        small.to_html()


def test_finer_values_are_not_in_a_page_and_cost_it_nothing():
    fine = Control([1, 2], finer=range(1, 10_001))
    explorer = explore(height=fine, combinations=2, kilobytes=50)(bars)
    page = explorer.to_html()
    spec, pack = unpack(page)
    assert len(pack["index"]) == 2
    assert spec["controls"][0]["keys"] == ["1", "2"]
    assert len(page) - len(page_script()) < 50_000


def test_what_a_page_says_of_its_controls_counts_in_the_budget():
    wordy = Control([1, 2], show=lambda k: f"{k} " + "word " * 10_000)
    with pytest.raises(ValueError, match=r"at most 50 kB for a page, got \d+ kB in 1 of 2 combinations"):
        explore(height=wordy, kilobytes=50)(lambda height: (bars(height), "a bar")).to_html()


def test_a_page_carries_no_more_than_its_budget():
    explorer = explore(height=range(1, 9))(lambda height: (bars(height), "a bar"))
    beside = re.compile(r"<style.*?</style>|<script class=.uat-page-script.*", re.DOTALL)
    size = len(beside.sub("", explorer._html(static=True)))
    least = next(k for k in range(1, 100) if _fits(explorer.function, k))
    assert least - 1 <= size / 1000 <= least + 0.5


def _fits(function, kilobytes):
    try:
        explore(height=range(1, 9), kilobytes=kilobytes)(function).to_html()
    except ValueError:
        return False
    return True


def test_the_budget_is_checked_while_frames_are_drawn():
    calls = []

    def noisy(seed):
        calls.append(seed)
        figure, ax = plt.subplots()
        ax.plot(np.random.default_rng(seed).random(2000))
        return figure

    with pytest.raises(ValueError, match=r"in (\d+) of 40 combinations") as caught:
        explore(seed=range(40), kilobytes=300)(noisy).to_html()
    assert len(calls) == int(re.search(r"in (\d+) of", str(caught.value))[1]) < 30


def test_a_page_stops_at_an_error_and_names_the_values():
    def fragile(height):
        if height == 2:
            raise RuntimeError("no two")
        return bars(height)

    with pytest.raises(RuntimeError, match="no two") as caught:
        explore(height=[1, 2])(fragile).to_html()
    assert caught.value.__notes__ == ["fragile: raised while the page was drawn, at {'height': 2}"]


def test_static_pages_need_no_widget(monkeypatch):
    monkeypatch.setenv("EXPLORABLES_STATIC", "1")
    explorer = explore(height=[1, 2])(bars)
    data, _ = explorer._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html", "image/png"}
    assert len(unpack(data["text/html"])[1]["pictures"]) == 2
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "widget" not in vars(explorer)


def test_nobody_keeps_frames_outside_a_build(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORABLES_STATIC", "1")
    monkeypatch.delenv("UATLIB_FRAMES", raising=False)
    monkeypatch.chdir(tmp_path)
    explore(height=[1, 2])(bars).to_html()
    assert list(tmp_path.iterdir()) == []


def test_formulas_are_parsed_once_for_all_frames(monkeypatch):
    parsed = []
    parse = MathTextParser._parse_cached.__wrapped__

    @functools.lru_cache(50)
    def counted(self, s, *options):
        parsed.append(s)
        return parse(self, s, *options)

    def labelled(k, fontset="dejavusans"):
        plt.rcParams["mathtext.fontset"] = fontset
        figure, ax = plt.subplots(figsize=(2, 2))
        ax.set(title="$x_1$", xlabel=f"${k}$", xticks=(), yticks=())
        return figure

    plain = draw(labelled, {"k": 1}).svg
    monkeypatch.setattr(MathTextParser, "_parse_cached", counted)
    assert draw(labelled, {"k": 1}).svg == plain
    once = Counter(parsed)
    assert set(once) == {"$1$", "$x_1$"}
    draw(labelled, {"k": 2})
    assert Counter(parsed) - once == {"$2$": once["$1$"]}
    assert draw(labelled, {"k": 1, "fontset": "cm"}).svg != plain  # other settings, other formulas
    assert Counter(parsed)["$1$"] == 2 * once["$1$"]
    assert draw(labelled, {"k": 1}).svg == plain
    assert Counter(parsed)["$1$"] == 2 * once["$1$"]
    assert vars(MathTextParser)["_parse_cached"] is counted  # as it was


def test_the_script_of_a_page_is_no_module_and_small():
    assert view_module().rstrip().endswith("export default { render };")
    assert "export default" not in page_script()
    assert "import " not in re.sub(r"//.*", "", page_script())


def test_a_page_of_its_own_carries_no_script_that_it_does_not_run():
    """A small picture is a small file; the live pictures alone are more than twice as much."""
    page = explore(height=[1, 2])(bars).to_html()
    assert len(page) < 64_000
    assert "renderLive(" not in page


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("gap 7e+13 units", "gap 7\u00b710\u00b9\u00b3 units"),
        ("3.2e-07; 1e-05", "3.2\u00b710\u207b\u2077; 10\u207b\u2075"),
        ("0e+00, 0.0e+00, 7e+00", "0, 0, 7"),
        ("-3 in (-2, 3)", "\u22123 in (\u22122, 3)"),
        ("1-2, x-1, key-3, f(x)-1, 0.5, e-2, 1e5", "1-2, x-1, key-3, f(x)-1, 0.5, e-2, 1e5"),
    ],
)
def test_numbers_of_a_program_are_set_as_in_a_book(written, shown):
    @explore(k=[-1, 2e-7], display=False)
    def drawn(k):
        return bars(1), written

    assert drawn.frame().said == shown
    assert shown in html.unescape(drawn.to_html())
    assert drawn.controls["k"].texts == ["\u22121", "2\u00b710\u207b\u2077"]


def test_scripts_are_small():
    """JavaScript and style sheet, as a server sends them: what explorers need."""
    assert len(gzip.compress(view_module().encode(), 9)) < 8_800


# -------------------------------------------------------------------------------------------------------------- live


def live(explorer):
    """The widget, with what it sends recorded."""
    widget, sent = ExplorerWidget(explorer, explorer.answer), []
    widget.send = sent.append
    return widget, sent


def test_a_notebook_gets_a_widget_and_a_picture_for_others():
    calls = []
    explorer = explore(height=[1, 2, 3])(lambda height: calls.append(height) or bars(height))
    data, _ = explorer._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)
    assert "<img" in data["text/html"]
    assert "<script" not in data["text/html"]
    assert set(calls) == {1}  # only the first frame is drawn
    assert explorer.widget is explorer.widget


def test_a_notebook_that_a_program_runs_keeps_the_first_frame_and_no_widget(monkeypatch):
    class Kernel:
        def get_parent(self):
            return {"content": {"allow_stdin": self.attended}}

    class Shell:
        kernel = Kernel()

    monkeypatch.setattr("IPython.get_ipython", Shell)
    kinds = {}
    for Kernel.attended in (True, False):
        explorer = explore(height=[1, 2], display=False)(bars)
        kinds[Kernel.attended] = set(explorer._repr_mimebundle_()[0])
    view = "application/vnd.jupyter.widget-view+json"
    assert kinds[True] - kinds[False] == {view}
    assert kinds[False] == {"text/plain", "text/html", "image/png"}
    broken = explore(height=[1, 2], display=False)(lambda height: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken._repr_mimebundle_()


def test_the_widget_draws_what_it_is_asked_for():
    explorer = explore(height=Control([1, 3], finer=[2]), loud=[False, True])(lambda height, loud: bars(height))
    widget, sent = live(explorer)
    assert widget.first["at"] == [0, 0]
    widget._draw(widget, {"kind": "draw", "at": [1, 1]}, [])
    assert sent[0]["kind"] == "frame"
    assert sent[0]["at"] == [1, 1]
    assert "height 2" in sent[0]["svg"]
    widget._draw(widget, {"kind": "something else"}, [])
    assert len(sent) == 1


def test_values_and_positions_move_together():
    explorer = explore(height=Control([1, 2], finer=[Fraction(3, 2)]), colour=["#3b7fc4", "#d1661f"])(bars)
    widget, _ = live(explorer)
    seen = []
    widget.observe(lambda change: seen.append(change["new"]), "values")
    widget.at = [1, 1]
    assert widget.values == {"height": Fraction(3, 2), "colour": "#d1661f"} == seen[-1]
    widget.values = {"height": 2}
    assert widget.at == [2, 1]
    with pytest.raises(ValueError, match="got 9"):
        widget.values = {"height": 9}
    with pytest.raises(ValueError, match="got depth"):
        widget.values = {"depth": 1}
    assert widget.at == [2, 1]


def test_an_exception_is_a_message_and_the_widget_goes_on():
    def fragile(height):
        if height == 2:
            raise ValueError("expected another height, got 2")
        return bars(height)

    widget, sent = live(explore(height=[1, 2, 3])(fragile))
    for position in (1, 2):
        widget._draw(widget, {"kind": "draw", "at": [position]}, [])
    assert sent[0]["error"] == "ValueError: expected another height, got 2"
    assert "svg" not in sent[0]
    # The traceback begins in the reader's own code.
    steps = re.findall(r'File "([^"]+)"', sent[0]["traceback"])
    assert steps[0] == __file__
    assert "height 3" in sent[1]["svg"]


def test_an_error_is_not_remembered():
    broken = [True]

    def mended_later(height):
        if broken:
            raise RuntimeError("not yet")
        return bars(height)

    explorer = explore(height=[1, 2])(mended_later)
    data, _ = explorer._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data  # the widget shows the error in its place
    assert "not yet" in explorer.widget.first["error"]
    broken.clear()
    assert "svg" in explorer.answer([0])


def test_an_interrupt_is_answered_too():
    for stop in (KeyboardInterrupt, SystemExit):

        def stopped(height, stop=stop):
            if height == 2:
                raise stop("stopped")
            return bars(height)

        widget, sent = live(explore(height=[1, 2])(stopped))
        widget._draw(widget, {"kind": "draw", "at": [1]}, [])
        assert sent[0]["error"] == f"{stop.__name__}: stopped"


@pytest.mark.parametrize("at", [None, [], [0, 0], [2], [-1], ["0"], "0", [0.0]])
def test_positions_that_are_none_are_answered_with_an_error(at):
    widget, sent = live(explore(height=[1, 2])(bars))
    widget._draw(widget, {"kind": "draw", "at": at}, [])
    assert "expected a position below each of [2]" in sent[0]["error"]
    if isinstance(at, list) and all(type(i) is int for i in at):
        with pytest.raises(ValueError, match="expected a position"):
            widget.at = at
        assert widget.at == [0]
        assert widget.values == {"height": 1}


def test_a_closed_widget_is_made_anew():
    explorer = explore(height=[1, 2])(bars)
    explorer.widget.close()
    assert "application/vnd.jupyter.widget-view+json" in explorer._repr_mimebundle_()[0]


def test_an_explorer_of_an_explorer_is_one_of_the_function():
    inner = explore(height=[1, 2])(bars)
    assert inner.widget.values == {"height": 1}
    outer = explore(height=[3, 4])(inner)
    assert outer.widget.values == {"height": 3}
    assert outer.function is bars


def test_names_and_texts_of_unusual_functions():
    partial = functools.partial(bars, colour="#d1661f")
    assert explore(height=[1, 2])(partial).alt == "A bar of the given height."
    assert explore(height=[1, 2])(partial).name == "bars"
    nameless = explore(height=[1, 2])(lambda height: bars(height))
    assert (nameless.name, nameless.title, nameless.alt) == ("lambda", "Lambda", "Lambda")

    def _(height):
        return bars(height)

    assert explore(height=[1, 2])(_).name == "picture"

    def frame(height):
        return bars(height)

    frame.widget = "an attribute of the function's own"
    assert "height 2" in explore(height=[1, 2])(frame).frame(height=2).svg


@pytest.mark.parametrize("options", [{"title": ["a", "b"]}, {"title": 3}, {"alt": [1, 2]}, {"display": [1, 2]}])
def test_options_are_no_controls(options):
    with pytest.raises(ValueError, match="give the function's argument another name"):
        explore(height=[1, 2], **options)


@pytest.mark.parametrize("folded", [["depth"], ["height", "colour"], "colour", 3, [["colour"]]])
def test_a_fold_holds_some_controls_by_name(folded):
    with pytest.raises(ValueError, match="folded: expected a list of some of height, colour, but not of all"):
        explore(height=[1, 2], colour=["#3b7fc4", "#d1661f"], folded=folded)(bars)


def test_a_folded_control_stands_below_the_read_out_and_nothing_else_is_hidden():
    colours = Control(["#3b7fc4", "#d1661f"], label="colour of bars")
    page = explore(height=[1, 2], colour=colours, folded=["colour"])(bars).to_html()
    summary = '<details class="more"><summary>More: <span id="first-bars-colour-word">colour of bars</span></summary>'
    parts = "first-bars-height", "readout", "first-bars-colour", "actions"
    above, said, inside, actions = (page.index(f'="{part}"') for part in parts)
    assert above < said < page.index(summary) < inside < page.index("</details>") < actions
    assert page.count('<details class="more"') == 1
    assert '<details class="more"' not in explore(height=[1, 2], colour=colours)(bars).to_html()


def test_frames_are_let_go_when_room_runs_out():
    store = FrameStore(characters=10)
    for key in range(3):
        store.put(key, Frame("x" * 4, ""))
    assert [store.get(key) is None for key in range(3)] == [True, False, False]
    for _ in range(2):  # the same key takes its room once
        store.put("large", Frame("x" * 40, ""))
    assert store.get("large") is not None
    assert store.taken == 40


def test_show_in_the_function_shows_nothing(monkeypatch):
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(1))

    def showing(height):
        figure = bars(height)
        plt.show()
        return figure

    assert "height 1" in explore(height=[1, 2])(showing).frame().svg
    plt.show()
    assert shown == [1]


def test_every_frame_has_the_size_of_the_figure():
    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        explorer = explore(height=[1, 2])(bars)
        assert {re.search(r'width="([\d.]+pt)"', explorer.frame(height=h).svg)[1] for h in (1, 2)} == {"72pt"}


def test_formulas_that_a_browser_cannot_set_become_outlines():
    def formula(latex):
        figure, ax = plt.subplots()
        ax.set_title(latex)
        return figure

    explorer = explore(latex=[r"$d_p$", r"$\sqrt{1+\alpha}$"])(formula)
    plain, drawn = (explorer.frame(latex=value).svg for value in explorer.controls["latex"].values)
    assert "<text" in plain
    assert "<text" not in drawn
    assert "DejaVu Sans Display" not in drawn


def test_a_page_is_ascii():
    html = explore(height=Control([1, 2], label="δ"), title="größer")(lambda height: (bars(height), "≤ δ")).to_html()
    assert html.isascii()
    assert unpack(html)[0]["title"] == "größer"
    assert page_script().isascii()


# ------------------------------------------------------------------------------------------------------------- margins


def drawn(values, **options):
    """The figures of all frames, as they are when they are saved, by an explorer of tall or short labels."""
    figures = {}

    def labelled(high):
        figure, ax = plt.subplots(figsize=(6, 2), **options)
        ax.set(xlabel="seconds", ylabel="two\nlines" if high == 1 else "", ylim=(0, 10**high))
        figures[high] = figure
        return figure

    explorer = explore(high=[1, 2, 3])(labelled)
    for value in values:
        explorer.frame(high=value)
    return figures


def spilled(figure):
    """By how many inches what is drawn reaches out of the figure."""
    (x0, y0), (x1, y1) = figure.get_tightbbox().get_points()
    width, height = figure.get_size_inches()
    return max(0, -x0, -y0, x1 - width, y1 - height)


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2)])
def test_no_label_is_cut_off_and_axes_do_not_jump(order):
    alone = plt.subplots(figsize=(6, 2))[1]
    alone.set(xlabel="seconds")
    assert spilled(alone.figure) > 0
    figures = drawn(order)
    assert max(map(spilled, figures.values())) == 0
    assert len({figure.axes[0].get_position().bounds for figure in figures.values()}) == 1


@pytest.mark.parametrize(
    "own", [{"layout": "constrained"}, {"gridspec_kw": {}}, {"subplot_kw": {"position": (0.3, 0.4, 0.5, 0.5)}}]
)
def test_who_lays_a_figure_out_is_not_contradicted(own):
    def plain(n):
        figure, ax = plt.subplots(figsize=(4, 3), **own)
        ax.plot([0, n])
        return figure

    buffer = io.BytesIO()
    with matplotlib.rc_context(SVG_STYLE):
        plain(1).savefig(buffer, format="svg")
    assert explore(n=[1, 2])(plain).frame().svg == page_svg(buffer.getvalue().decode())


def test_margins_that_the_author_set_stay():
    def narrow(n):
        figure, ax = plt.subplots()
        ax.set(ylabel="cut off on purpose")
        figure.subplots_adjust(left=0.01)
        figures.append(figure)
        return figure

    figures = []
    explore(n=[1, 2])(narrow).frame()
    assert figures[0].subplotpars.left == 0.01
