"""What becomes of formulas, figures, asides, the gallery and the theme in the pages."""

import logging
import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from _ext.finish.pages import FAULTS, mend, mend_themes
from _ext.text.maths import TiePunctuation, render
from _ext.text.notes import MarginNotes
from explorables.sphinx import explorers
from explorables.sphinx.figures import Captions, InlineFigures


def test_bad_formulas_are_errors():
    assert "katex" in render(r"\frac{1}{2}", False)["html"]
    assert "Undefined control sequence" in render(r"\nomacro", True)["error"]
    assert "expected 2 parts in <msub> of its MathML, got 3" in render(r"r_{\sup}", False)["error"]
    assert "<msub><mi>r</mi><mtext>max</mtext></msub>" in render(r"r_{\max}", False)["html"]


@pytest.mark.parametrize(
    ("latex", "held"),
    [
        ("n = 3", ["n=3"]),
        (r"f(x) + g(y) = 2 h(z) + 3 k", []),
        (r"\tfrac34 + 4\,(\tfrac94 - \tfrac34) = 6 + x + y", ["4(49\u200b\u221243\u200b)="]),
        ("[j, j + 1)^d + x + y + z = a + b", ["[j,j+1)d+"]),
        ("f(abcdefghijklmnopq + (y + z) + rs) = 3", ["(y+z)+"]),
        ("(abcdefghijk + lmnopqrstuvw", []),
    ],
)
def test_no_line_ends_in_a_short_formula_or_bracket(latex, held):
    ties = BeautifulSoup(render(latex, False)["html"], "html.parser").select(".katex-html .uat-tie")
    assert [tie.get_text() for tie in ties] == held
    assert "uat-tie" not in render(latex, True)["html"]


@pytest.mark.parametrize(
    ("before", "latex", "after", "shown"),
    [
        ("in (", "n", "), and", ["in ", ["(", "n", "),"], " and"]),
        ("", "n", "", ["n"]),
        ("a ", "n", " b", ["a ", "n", " b"]),
        ("", "n", "-th", [["", "n", "-th"]]),
        ("as (", "a + b + c + d + e + f + g", ").", ["as ", r"\text{(}a + b + c + d + e + f + g\text{).}"]),
        ("as ", "a + b + c + d + e + f + g", "-th (or", ["as ", "a + b + c + d + e + f + g", "-th (or"]),
    ],
)
def test_what_touches_a_formula_stays_on_its_line(before, latex, after, shown):
    parts = [nodes.Text(before), nodes.math("", latex), nodes.Text(after)]
    paragraph = nodes.paragraph("", "", *[part for part in parts if part.astext()])
    document = new_document("")
    document += paragraph
    TiePunctuation(document).run()
    text = [[c.astext() for c in part] if isinstance(part, nodes.inline) else part.astext() for part in paragraph]
    assert [part for part in text if part] == shown


SHEET = """@charset "UTF-8";
/* both; light, and dark */
p{color:red}
html[data-theme=dark] a:not(.x,.y),html[data-theme="light"] b , i { color: blue }
@media (min-width: 9px){html[data-theme=dark]{--ink:white}}
"""
THEMED = """@charset "UTF-8";
/* both; light, and dark */
p{color:red}
i{ color: blue }
html[data-theme="light"] b{ color: blue }
@media (prefers-color-scheme: light) {html[data-theme="auto"] b{ color: blue }}
@media print {html[data-theme] b{ color: blue }}
@media screen {html[data-theme=dark] a:not(.x,.y){ color: blue }}
@media screen and (prefers-color-scheme: dark) {html[data-theme="auto"] a:not(.x,.y){ color: blue }}
@media (min-width: 9px){
@media screen {html[data-theme=dark]{--ink:white}}
@media screen and (prefers-color-scheme: dark) {html[data-theme="auto"]{--ink:white}}}
"""


def test_rules_of_a_theme_also_follow_the_system_and_the_paper():
    mended = mend_themes(SHEET)
    assert [line for line in mended.splitlines() if line][:-1] == THEMED.splitlines()
    assert mend_themes(mended) == mended


def test_the_gallery_wants_one_question_for_each_explorer(tmp_path, caplog):
    """It names an explorer that it knows no question for, and a question whose explorer is gone."""
    picture = '<svg width="72pt" height="36pt" class="uat-figure" aria-label="Dots."><g fill="currentColor"/></svg>'
    entries = [
        {"id": f"explorer-{name}", "title": f"<{name}>", "image": picture, "listed": True, "goals": {}}
        for name in ("one", "two")
    ]
    toc = SimpleNamespace(root=SimpleNamespace(subtrees=[]))
    found = {"chapters/a": entries[:1], "chapters/b": entries[1:]}
    titles = {page: nodes.title("", page) for page in found}
    metadata = {page: {explorers.KEY: held} for page, held in found.items()}
    env = SimpleNamespace(metadata=metadata, external_site_map=toc, titles=titles)
    builder = SimpleNamespace(get_relative_uri=lambda before, page: f"{page}.html")
    config = SimpleNamespace(explorables_part=lambda env, page: "Part", explorables_inks=explorers.INKS)
    app = SimpleNamespace(env=env, outdir=str(tmp_path), builder=builder, config=config)

    def gallery(questions: dict[str, str]) -> str:
        caplog.clear()
        place = nodes.container("", classes=[explorers.PLACE], questions=questions)
        page = nodes.section("", place)
        with caplog.at_level(logging.WARNING), pytest.MonkeyPatch.context() as patch:
            patch.setattr(explorers, "reading_order", lambda env: list(found))
            explorers.fill(app, page, "explorers")
        return page[0].astext()

    html = gallery({"a/one": "Is it & one?", "b/two": "Two?"})
    assert caplog.messages == []
    assert re.findall(r">([^<]*)</a></li>", html) == ["Is it &amp; one?", "Two?"]
    assert re.findall(r'width="(\d+)" height="(\d+)"', html) == [("96", "48")] * 4
    gallery({"a/one": "One?"})
    assert caplog.messages == ["the gallery has no question for b/two"]
    gallery({"a/one": "One?", "b/two": "Two?", "b/three": "Three?"})
    assert caplog.messages == ["the gallery asks about b/three, which no page shows"]


@pytest.mark.parametrize(("alt", "said"), [("A square.", 0), ("", 1), (" ", 1), (None, 1)])
def test_a_figure_without_alt_text_is_a_warning(tmp_path, caplog, alt, said):
    folder = tmp_path / "_build" / "jupyter_execute"
    folder.mkdir(parents=True)
    folder.joinpath("a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    given = {} if alt is None else {"alt": alt}
    page = new_document("page")
    page += nodes.image(uri="_build/jupyter_execute/a.svg", **given)
    page.settings.env = SimpleNamespace(srcdir=tmp_path, config=SimpleNamespace(explorables_captions=True))
    with caplog.at_level(logging.WARNING):
        InlineFigures(page).run()
    assert caplog.text.count("a figure without alt text") == said
    (drawn,) = page.findall(nodes.raw)
    assert "<svg" in drawn.astext()


@pytest.mark.parametrize(
    ("page", "numbers"),
    [("third", ["Figure 3.1.", "Figure 3.2.", "Figure 3.3."]), ("more", ["Figure 1.", "Figure 2.", "Figure 3."])],
)
def test_pictures_are_numbered_and_say_what_they_show(monkeypatch, caplog, page, numbers):
    drawn = '<svg class="uat-figure"></svg>'
    spec = '<script type="application/json" class="uat-spec">{"alt": "What it shows."}</script>'

    def cell(html):
        return nodes.container("", nodes.raw("", html, format="html"), nb_element="cell_code")

    document = new_document("page")
    document += [cell("a table"), nodes.paragraph("", "", nodes.emphasis("", "No picture."))]
    document += [cell(drawn), nodes.comment(), nodes.paragraph("", "", nodes.emphasis("", "Below.")), nodes.paragraph()]
    document += [cell(drawn + spec), nodes.paragraph("", "", nodes.emphasis("", "In"), nodes.Text(" part."))]
    document += [cell(drawn)]
    config = SimpleNamespace(
        root_doc="index", explorables_captions=True, explorables_chapter=lambda env, page: {"third": 3}.get(page)
    )
    document.settings.env = SimpleNamespace(docname=page, config=config)
    monkeypatch.setattr(Captions, "env", document.settings.env)
    monkeypatch.setattr(Captions, "config", document.settings.env.config)
    with caplog.at_level(logging.WARNING):
        Captions(document).run()
    said = [figure[1].astext() for figure in document.findall(nodes.figure)]
    assert said == [f"{numbers[0]} Below.", f"{numbers[1]} What it shows.", f"{numbers[2]} "]
    assert [figure["ids"] for figure in document.findall(nodes.figure)] == [[f"figure-{k}"] for k in (1, 2, 3)]
    assert [text.astext() for text in document.findall(nodes.paragraph)] == ["No picture.", "", "In part."]
    assert caplog.text.count("a figure without a caption") == 1


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("One. (An aside.) Two.", ["An aside."]),
        ("(First.) One (not this) two, three (nor this.). Four? (Last!)", ["First.", "Last!"]),
        ("One. (Never closed. Two.", []),
        ("One. (A *b* [c].) Two.", ["A b [c]."]),
        ("Is it (so)? (It is (and was).)", ["It is (and was)."]),
    ],
)
def test_a_sentence_in_brackets_becomes_a_note(text, notes):
    document = new_document("page")
    parts = [
        nodes.emphasis("", part[1:-1]) if part.startswith("*") else nodes.Text(part)
        for part in re.split(r"(\*\w+\*)", text)
    ]
    box = nodes.admonition("", nodes.section("", nodes.paragraph("", "", *(part.deepcopy() for part in parts))))
    document += nodes.section("", nodes.paragraph("", "", *parts), box)
    MarginNotes(document).run()
    found = [note for note in document.findall(nodes.inline) if "uat-note" in note["classes"]]
    assert [note.astext() for note in found] == notes
    assert document[0][0].astext() == re.sub(
        "|".join(map(re.escape, (f"({n})" for n in notes))) or "$^", lambda note: note[0][1:-1], text.replace("*", "")
    )


def test_a_mending_that_has_nothing_to_mend_is_said(tmp_path, caplog):
    faulty = """<script src="a/fontawesome/b"></script>
    <script type="application/vnd.jupyter.widget-state+json">{}</script>
    <link rel="preload" as="font" href="f"/><div id="proof"></div><p class="admonition-title" id="x"></p>
    <div role="doc-biblioentry"></div><summary aria-label="Toggle hidden content"></summary>
    <meta name="viewport" content="width=device-width, initial-scale=1.0" />
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <a href="../a.html" target="_blank"></a><a href="https://a.org/a.html" target="_blank"></a>
    <div class="bd-sidebar-primary bd-sidebar"></div>
    <script>document.documentElement.dataset.mode = localStorage.getItem("mode") || "auto";
    document.documentElement.dataset.theme = localStorage.getItem("theme") || "auto";</script>
    <pre class="a">a</pre><code translate="no">b</code><svg></svg><span class="katex"></span>
    <link href="_static/proof.css?v=1a"/><span class="pre">uatlib.checks.whole</span><span class="pre">a.whole</span>"""
    (tmp_path / "_static").mkdir()
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        outdir=tmp_path,
    )

    def said(page, sheet=SHEET, button='aria-label="Toggle hidden content"'):
        (tmp_path / "a.html").write_text(page)
        (tmp_path / "_static" / "a.css").write_text(sheet)
        (tmp_path / "_static" / "togglebutton.js").write_text(button)
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="sphinx"):
            mend(app, None)
        return [record.getMessage() for record in caplog.records]

    assert said(faulty) == []
    mended = (tmp_path / "a.html").read_text()
    assert "fontawesome" not in mended
    assert mended.count("viewport") == 1
    assert "uatlib<wbr />.checks<wbr />.whole</span>" in mended
    assert ">a.whole</span>" in mended
    assert mended.count("_blank") == 1
    kept = BeautifulSoup(mended, "html.parser").select("pre, code, svg, .katex")
    assert [one["translate"] for one in kept] == ["no"] * 4
    (lost,) = said(faulty.replace(' role="doc-biblioentry"', ""))
    assert "doc-biblioentry" in lost
    assert len(said("<p></p>")) == len(FAULTS)
    assert "names a theme" in said(faulty, sheet="p {}")[0]
    assert "Toggle" in said(faulty, button="")[0]
