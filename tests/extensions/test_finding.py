"""What helps to find things: the line below a title, the search's texts and names, the links of a repository."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx_external_toc.api import Document, FileItem, SiteMap, TocTree

from _ext.course.facts import facts, opened
from _ext.course.path import part_of
from _ext.finish.search import INDEX, KEY, note, page_text, places, with_statements
from _ext.head.share import LONGEST, description
from _ext.text.maths import render

ROOT = Path(__file__).resolve().parents[2]


# ------------------------------------------------------------------------------------------- the line below a title


def test_a_page_says_how_long_it_takes():
    read = {"words": 1300, "code_lines": 30, "formulas": 4, "explorers": 2, "proof_words": 350}
    read["exercises"] = {"1": 2, "2": 3, "3": 1}
    # 10 + 2 + 2 + 8 minutes; with proofs 5 more, with exercises 10 + 75 + 60.
    assert facts(7, None, read, 12) == "Chapter 7 of 12 \u00b7 20 min to read, 3 h to work through \u00b7 6 exercises"
    read |= {"proof_words": 0, "exercises": {"3": 1}}
    assert facts(None, 3, read, 12) == (
        "Side trip from chapter 3 \u00b7 20 min to read, 1\u00bd h to work through \u00b7 1 exercise"
    )
    empty = dict.fromkeys(read, 0) | {"exercises": {}}
    assert facts(3, None, empty, 9) == "Chapter 3 of 9 \u00b7 5 min to read"
    assert facts(3, None, empty | {"exercises": {"1": 1}}, 9).endswith(", \u00bd h to work through \u00b7 1 exercise")


def test_a_page_stands_under_the_caption_above_it_and_the_first_page_under_the_first():
    captions = [TocTree([FileItem(page)], caption=caption) for caption, page in (("One", "a"), ("Two", "b"))]
    toc = SiteMap(Document("index", captions))
    toc.update({"a": Document("a"), "b": Document("b", [TocTree([FileItem("c")])])})
    env = SimpleNamespace(external_site_map=toc)
    assert [part_of(env, page) for page in ("a", "b", "c", "index")] == ["One", "Two", "Two", "One"]
    assert part_of(SimpleNamespace(), "index") == ""


# ------------------------------------------------------------------------------------------------------ the search

HTML = """<section id="page"><h1>Title<a class="headerlink" href="#page">#</a></h1>
<p>A <em>di</em>stance <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"
><semantics><msub><mi>d</mi><mi>p</mi></msub><annotation>d_p</annotation></semantics></math></span>\
<span class="katex-html" aria-hidden="true"><span>d</span><span>p</span></span></span>, &amp; more.</p>
<details class="admonition hide above-input"><summary>Show</summary><pre>plumbing</pre></details>
<script type="application/gzip">AAAA</script><svg><text>no</text></svg>
<section id="next"><h2>Next</h2></section></section>
"""


def test_a_formula_stands_once_in_what_a_page_says():
    text, at = page_text(HTML)
    assert text == "Title A distance d_p, & more. Next"
    assert {anchor: text[start:] for anchor, start in at.items()} == {"page": text, "next": "Next"}


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"13\tfrac12", "13 1/2"),
        (r"\frac{a + b}{2c}", "(a+b)/2c"),
        (r"e^{s_k} \le \sum_{j} x_j^2", "e^(s_k)\u2264\u2211_j x_j^2"),
        (r"\hat f = \sqrt{d+1}", "f\u0302=\u221a(d+1)"),
        (r"\max s < 3", "max s<3"),
        (r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}", "(1 0 0 1)"),
    ],
)
def test_formulas_keep_their_fractions_and_indices(latex, line):
    text, _ = page_text(f"<p>so {render(latex, False)['html']} it is</p>")
    assert text.strip() == f"so {line} it is"


def test_names_of_statements_are_titles_of_the_search():
    index = {"docnames": ["a", "b"], "alltitles": {" (Of somebody, Lemma 8)": [[0, "lem-8"]], "Lemma 2": [[1, "x"]]}}
    found = {("yun2020", "Lemma 8"): ("a", "lem-8"), ("k", "Lemma 2"): ("b", "x"), ("k", "Lemma 9"): ("gone", "y")}
    titles = with_statements(index, found)["alltitles"]
    assert titles == {"Lemma 2": [[1, "x"]], "Lemma 8": [[0, "lem-8"]], "Of somebody, Lemma 8": [[0, "lem-8"]]}


YUN = "yun2020"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Yun et al. 2020, Lemma 8", "Lemma 8"),
        ("Max-affine function (Liu et al. 2025, Definition 3.1)", "Definition 3.1"),
        (" (Corollary 4.1.1, repaired)", "Corollary 4.1.1"),
        ("Average attention; after Yun et al. 2020, section H.4 and the remark after Definition E.1", None),
        ("Theorem 2 under masks, after Kajitsuka and Sato 2024, appendix C", "Theorem 2"),
        ("The least spacing", None),
    ],
)
def test_a_box_goes_by_the_name_that_its_source_gives_it(title, name):
    box = nodes.admonition("", classes=["proof"], ids=["a-box"], title=title, label="a-box")
    standard = SimpleNamespace(anonlabels={})
    env = SimpleNamespace(docname=INDEX, metadata={INDEX: {}}, domains={"std": standard})
    note(SimpleNamespace(env=env), nodes.section("", box))
    assert env.metadata[INDEX][KEY] == ({name: "a-box"} if name else {})
    assert standard.anonlabels["yun2020-def-e1"] == (INDEX, "yun2020-def-e1")


def test_a_statement_is_where_its_chapter_has_its_box_else_in_the_index():
    boxes = {
        "chapters/start": {"Theorem 2": "thm-first"},
        "chapters/kajitsuka-one-layer": {"Theorem 2": "thm-other"},
        "chapters/yun-a": {"Theorem 2": "thm-again"},
        "chapters/yun-theorem-2": {"Theorem 2": "thm-2"},
        "library/more-yun": {"Lemma 9": "lem-9"},
        INDEX: {},
    }
    env = SimpleNamespace(found_docs=set(boxes), metadata={page: {KEY: found} for page, found in boxes.items()})
    found = places(env)
    assert found[YUN, "Theorem 2"] == ("chapters/yun-theorem-2", "thm-2")
    assert found["kajitsuka2024", "Theorem 2"] == ("chapters/kajitsuka-one-layer", "thm-other")
    assert found[YUN, "Lemma 9"] == ("library/more-yun", "lem-9")
    assert found[YUN, "Lemma 8"] == (INDEX, "yun2020-lem-8")
    env.found_docs = {"chapters/start", "library/more-yun"}
    assert places(env) == {(YUN, "Lemma 9"): ("library/more-yun", "lem-9")}


# ------------------------------------------------------------------------------------- what a page says of the book


def test_a_description_is_the_first_sentences_of_a_page():
    first = "Can a transformer imitate any function? " + "Give it enough layers, and see what it does. " * 5
    page = nodes.section("", nodes.title("", "Title"), nodes.paragraph("", first), nodes.paragraph("", "Later."))
    said = description(page)
    assert first.startswith(said)
    assert said.endswith(".")
    assert LONGEST // 3 < len(said) <= LONGEST
    assert description(nodes.section("", nodes.paragraph("", "word " * 90))).endswith("word \u2026")
    assert description(nodes.section("", nodes.title("", "Title"))) == ""


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Words. Who asks? Nobody.", "Who asks? "),
        ("Who? <em>Who</em> asks at all?", "<em>Who</em> asks at all?"),
        ("<em>Yun et al. ask? No</em>.", None),
        ("Nobody asks.", None),
    ],
)
def test_the_longest_question_of_a_first_paragraph_is_a_line_of_its_own(text, question):
    page = f'<h1>x</h1>\n<p class="uat-facts">y</p>\n<p>{text}</p>\n<p>And a much later question?</p>'
    shown = page if question is None else page.replace(question, f'<span class="uat-question">{question}</span>', 1)
    assert opened(page) == shown
