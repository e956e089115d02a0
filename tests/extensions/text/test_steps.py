"""What a student is told after each line of a proof."""

import functools
import html
import re
from pathlib import Path

import pytest

from _ext.text.asked import asking, asking_html, both, hypotheses, rows, rows_html, saying, unbroken
from _ext.text.lines import RELATION, Told, apart, line_html, named_html, once, same_but_for_names, turn, unnamed
from _ext.text.meant import meant_html, shown
from _ext.text.proofs import (
    BINDS,
    Page,
    called,
    defined,
    free,
    given,
    meanings,
    proof,
    proved,
    spelled,
    stated,
    used,
    word,
    words,
)
from _ext.text.rocq import term_html
from _ext.text.steps import ON_PAPER, list_html, theorem_html, title_node, way_html, word_html
from _ext.text.why import plain
from uatbook.machine_checked import STATES, theorems

LEANS = re.compile(r"(?:\d+[.] )?(?:[a-z]{2}|[.]|(?:Also|And|Both|Its?|So|Then|They)\b)|.*[,;:]$")
"""What only goes on with what stands before."""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("forall x : R, 0 <= x", "forall y : R, 0 <= y", True),
        ("exists (e : nat) (A : 'M_e), P A", "exists (e0 : nat) (A0 : 'M_e0), P A0", True),
        ("forall x y : R, x <= y", "forall x y : R, y <= x", False),
        ("0 <= x", "0 <= y", False),
        ("forall x, x <= a", "forall x, x <= x", False),
    ],
)
def test_goals_that_differ_in_names_alone_are_the_same(one, other, same):
    assert same_but_for_names(one, other) == same


def test_a_name_is_a_link_once_in_a_fold():
    assert [once({"softmax": "#word"}.get)(name) for name in ("softmax", "sum")] == ["#word", None]
    place = once({"softmax": "#word"}.get)
    assert [place("softmax"), place("softmax")] == ["#word", None]


def test_a_line_says_what_it_did_to_the_number_of_goals():
    assert "Two things" in turn(1, 2)
    assert "Three things" in turn(2, 4)
    assert "That is shown" in turn(2, 1)
    assert turn(2, 2) == ""


def test_what_has_been_told_is_not_told_again_but_a_goal_that_comes_back_is_written_out():
    told = Told()
    lines = [["a.", ["h : 0 < x"], "A", 1], ["b.", ["h : 0 < x"], "B", 2], ["c.", [], "A", 1], ["d.", [], None, 0]]
    first, second, third, last = (line_html(line, lambda _: None, told, "yun2020/lemma_10.v") for line in lines)
    assert "<li>" in first
    assert "<li>" not in second
    assert "To show, as before</strong> <i>A</i>" in third
    assert "Done." in last


@pytest.mark.parametrize(
    ("said", "rest", "facts"),
    [
        ("1. A width. [w]: it is small. [nets]: for each w, e.g. 1, a net. Then on.", "1. A width. Then on.",
         {"w": "it is small.", "nets": "for each w, e.g. 1, a net."}),
        ("2. By [rest], in [0, 1].", "2. By [rest], in [0, 1].", {}),
        ("3. [good]: off the bands it is near [f X]; and so on", "3. Off the bands it is near [f X]; and so on",
         {"good": "off the bands it is near [f X]; and so on"}),
        ("2. A promise, [good]: it is near. [any]: or 0.", "2. A promise: it is near.",
         {"good": "it is near.", "any": "or 0."}),
    ],
)  # fmt: skip
def test_what_a_step_says_of_a_fact_is_taken_out_of_its_sentence(said, rest, facts):
    assert apart(said) == (rest, facts)


def lines_of(*steps):
    """What is shown of the last line of steps, each of which says facts in English, and has lines."""
    told = Told("steps-a", frozenset({"rest", "w"}))
    for facts, lines in steps:
        told.begin(facts)
        *_, shown = [line_html(line, lambda _: None, told, "yun2020/lemma_10.v") for line in lines]
    return shown


NEW = ["have rest := a.", ["rest : forall x : R, 0 <= x -> x <= f x + g x + h x + k x + l x + m x"], "A", 1]


def test_a_fact_said_in_english_has_it_at_its_entry_and_where_a_later_step_calls_it():
    first = lines_of(({"rest": "for every bound."}, [NEW]))
    assert '<li id="steps-a-rest"><details><summary><strong>New</strong> For every bound. <code>rest</code><' in first
    again = ["apply: rest.", [], "B", 1]
    assert "<strong>Why</strong> For" not in lines_of(({"rest": "for every bound."}, [NEW, again]))
    later = lines_of(({"rest": "for every bound."}, [NEW]), ({}, [again]))
    assert '<strong>Why</strong> For every bound. <a href="#steps-a-rest"><code>rest</code></a>' in later
    assert lines_of(({"rest": "for every bound."}, [NEW]), ({}, [again, again])).count("<strong>Why</strong> For") == 0


def test_another_fact_of_the_same_name_is_not_said_to_be_the_first():
    other = ["have rest := b.", ["rest : 0 < w"], "A", 1]
    told = lines_of(({"rest": "for every bound."}, [NEW]), ({}, [other]), ({}, [["apply: rest.", [], "B", 1]]))
    assert "or every bound" not in told


def test_a_line_says_in_english_what_the_lemma_says_that_it_calls():
    shown = lines_of(({}, [["apply: reach_le.", [], "A", 1]]))
    link = '<a href="lemmas-yun2020.html#lemma-lemma-10-reach-le"><code>reach_le</code></a></p>'
    assert re.search(rf'<p class="by"><strong>Why</strong> Each jump multiplies .*at most. {link}', shown)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("thin_enough", "<em>thin enough</em>"), ("near", "<em>near</em>"), ("f_near", "<code>f_near</code>"),
     ("attnE", "<code>attnE</code>"), ("delta", "<i>δ</i>"), ("w", "<i>w</i>")],
)  # fmt: skip
def test_the_name_of_a_fact_is_read_as_words_where_it_is_made_of_such(name, shown):
    assert named_html(name) == shown


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("1. Let i be it. [m_min]: the smallest token.", "1. Let i be it. The smallest token."),
        ("3. [range]: they lie near.", "3. They lie near."),
        ("2. [f_near]: f moves little ([g]).", "2. f moves little."),
        ("2. A promise, [good]: it is near.", "2. A promise: it is near."),
        ("3. Off them [X] lies in [T]: so.", "3. Off them [X] lies in [T]: so."),
    ],
)
def test_who_sees_no_lines_is_told_no_names_of_facts(said, told):
    assert unnamed(said) == told


def is_claim(file, kind):
    """Whether it relates things, itself or by a definition of ours that does."""
    head = word(file, re.match(r"[\w']*", kind)[0])
    return bool(RELATION.search(kind) or (head and RELATION.search(head.body)))


def no_claims(file, one):
    """What the comments of a proof give a caption, and it is a variable, or a name that no line gives."""
    kinds = {}
    for step in one["steps"]:
        for names, _, kind in (fact.partition(" : ") for line in step["lines"] for fact in line[1]):
            kinds |= dict.fromkeys(names.split(", "), kind)
    captions = {name for step in one["steps"] for name in apart(step["said"])[1]}
    return {name for name in captions if not is_claim(file, kinds.get(name, ""))}


@pytest.mark.parametrize("file", sorted({row.file for row in theorems()}))
def test_what_a_step_says_of_a_name_it_says_of_a_claim_and_not_of_a_variable(file):
    """Write "along [w]. So it is" for "along [w]: it is", or what follows stands as a caption at the vector w."""
    assert {name: found for name, one in proved(file).items() if (found := no_claims(file, one))} == {}


def test_a_caption_at_a_variable_is_seen():
    new = ["w : 'cV[R]_d.+1", "ctx : contextual X r delta q", "T : pattern d n N", "small : `|w 0 0| <= 1"]
    said = "1. Along [w]: it adds. [T]: so. [ctx]: it is one. [small]: it is. [lost]: it is."
    one = {"steps": [{"said": said, "lines": [["a.", new, "A", 1]]}]}
    assert no_claims("kajitsuka2024/theorem_2.v", one) == {"w", "T", "lost"}


def test_a_long_line_of_a_goal_ends_where_what_it_says_is_joined_and_a_short_one_does_not():
    far, near = "~ vocabulary (X i) =i vocabulary (X j)", "col k (X i) != col l (X j)"
    term = f"forall i j : bool, {far} \\/ {near} -> delta < norm (col k (X i) - col l (X j))"
    assert [*rows(term)] == [
        "forall i j : bool,", f"{far} \\/", f"{near} ->", "delta < norm (col k (X i) - col l (X j))",
    ]  # fmt: skip
    assert [*rows(near)] == [near]
    inside = f"exists X, f X /\\ (forall heads, {far} -> {near})"
    assert [*rows(inside)] == ["exists X,", "f X /\\", "(forall heads,", f"{far} ->", f"{near})"]
    assert rows_html(inside, lambda _: None).count("<br>") == 2  # the first three share one
    assert "<br>" not in rows_html(near, lambda _: None)
    told = Told()
    assert "<br>" in line_html(["a.", [f"h : {term}"], None, 1], lambda _: None, told, "yun2020/lemma_10.v")


FOUR = "forall g, (forall X, A X) -> (forall X, B X) -> (C -> D) -> within (e) x"


def test_a_fact_that_asks_for_three_things_or_more_is_a_list():
    assert asking(FOUR) == ("forall g,", ["forall X, A X", "forall X, B X", "C -> D"], "within (e) x")
    assert asking("forall g, (forall X, A X) -> (C -> D) -> P") is None
    assert asking("(a + b) * (c -> d) -> P") is None
    shown = asking_html(FOUR, lambda _: None)
    assert shown.startswith("∀\u00a0<i>g</i>, if<ol><li>∀")
    assert shown.count("<li>") == 3
    assert shown.endswith("</ol>then within (<i>e</i>)\u00a0<i>x</i>")


def test_so_is_one_that_says_three_and_a_comma_of_a_quantifier_parts_nothing():
    term = "forall w, exists2 g, P g & [/\\ (* 1 *) forall X, A (X, X) -> B, exists2 h, C h & D h & [/\\ E, F & G]]"
    assert saying(term) == (
        "forall w, exists2 g, P g &",
        ["forall X, A (X, X) -> B", "exists2 h, C h & D h", "[/\\ E, F & G]"],
        "",
    )
    assert asking_html(term, lambda _: None).count("<ol>") == 2
    assert saying("[/\\ A & B]") is None
    assert saying("[/\\ A, B & C] -> D") is None
    assert asking_html("[/\\ A, B & C]", lambda _: None) == (
        "all of these:<ol><li><i>A</i></li><li><i>B</i></li><li><i>C</i></li></ol>"
    )


def test_a_long_statement_lists_its_hypotheses_short_ones_on_one_line_and_then_says_what_follows():
    far = "forall X, K X -> forall i j, `|f X i j| <= " + "B + " * 30 + "1"
    term = f"forall (f : A -> B) eps, ({far}) -> 0 < B -> 0 < eps -> compact K -> exists g, P g -> Q g"
    parts = [f"({far})", "0 < B, 0 < eps, compact K"]
    assert hypotheses(term) == ("forall (f : A -> B) eps,", parts, "exists g, P g -> Q g")
    assert hypotheses(term.replace("B + ", "")) is None  # a short one
    assert hypotheses(f"forall f, ({far}) -> 0 < eps -> forall h, A h -> P") is None  # two
    assert hypotheses(f"({far}) -> a --> b -> A <-> C -> D") is None
    shown = asking_html(term, lambda _: None, whole=True)
    assert shown.endswith("</ol>then ∃\u00a0<i>g</i>, <i>P</i>\u00a0<i>g</i> → <i>Q</i>\u00a0<i>g</i>")
    assert shown.count("<li>") == 2
    assert asking_html(term, lambda _: None) is None  # a goal


LONG = "forall X, within eps (f X) (g X)"


@pytest.mark.parametrize(
    ("term", "parts"),
    [
        (f"forall w, A w -> ({LONG}) /\\ B", ("forall w, A w ->", [f"({LONG})", "B"])),
        (f"0 < e /\\ {LONG} /\\ C", ("", ["0 < e", f"{LONG} /\\ C"])),  # for all X both hold
        (f"let f := g in ({LONG}) /\\ (x \\in D) /\\ C", ("let f := g in", [f"({LONG})", "(x \\in D)", "C"])),
        ("A /\\ B", None),
        (f"({LONG}) /\\ B -> C", None),
        (f"A \\/ ({LONG}) /\\ B", None),
        (f"({LONG} /\\ B)", None),
    ],
)
def test_what_stands_on_both_sides_of_a_conjunction_is_a_list_where_it_is_long(term, parts):
    assert both(term) == (parts and (*parts, ""))


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ("within eps x y z ∧ f x y &lt; gap g x y\n  ∧ A", "within_eps_x_y_z_∧ f_x_y_&lt;_gap_g_x_y\n  ∧ A"),
        ("<li>A x y</li><li>within eps x y z ∧ f x y = gap g x y</li>",
         "<li>A x y</li><li>within_eps_x_y_z_∧ f_x_y_=_gap_g_x_y</li>"),
        ("the_value_of_a_name x = another_long_value_z y + 1 + y",
         "the_value_of_a_name_x =_another_long_value_z_y +_1 +_y"),
        ('<a href="b.html">within</a> epsilon x y z ∧ f x y = gap z',
         '<a href="b.html">within</a>_epsilon_x_y_z_∧ f_x_y_=_gap_z'),
    ],
)  # fmt: skip
def test_a_line_of_a_statement_ends_where_something_is_joined_and_in_no_short_term(shown, told):
    assert unbroken(shown).replace("\u00a0", "_") == told


LIBRARY = Path(__file__).parents[3] / "library"
LISTED = (LIBRARY / "steps-words.md").read_text(encoding="utf-8").partition("(signs)=")[2]
EXPLAINED = {word for code in re.findall(r"`([^`]+)`|\*(\w+)\*", LISTED) for word in re.findall(r"\w+", " ".join(code))}


def unexplained(file, name, given, term, where=lambda _: None):
    """The words in a formula that are no link, nothing that is given or bound, and not in the list of signs."""
    shown = re.sub(r"<a [^>]*>.*?</a>|<em>.*?</em>|⟨.*?⟩", " ", term_html(term, where))
    own = {word for names in BINDS.findall(term) for word in re.findall(r"[\w']+", " ".join(names))}
    own |= {word for names in re.findall(r"[({]([\w' ]+) :", term) for word in names.split()}
    facts = (fact.partition(" :")[0] for fact in [*given, *used(term, file, name)])
    own |= {word for names in facts for word in re.findall(r"[\w']+", names)}
    return {*re.findall(r"[A-Za-z]\w{2,}", html.unescape(re.sub(r"<[^>]*>", " ", shown)))} - own - EXPLAINED


@pytest.mark.parametrize("row", theorems(), ids=lambda row: row.name)
def test_each_word_of_a_statement_is_a_link_or_given_or_in_the_list_of_signs(row):
    one, page = proof(row), Page(row.source)
    for term in [*one["given"], one["statement"]]:
        assert (
            unexplained(row.file, row.name, one["given"], term, functools.partial(page.says, row.file, row.name))
            == set()
        )


def says(file, name):
    """The definitions that Rocq sees in a statement or definition; of an abbreviation those that it names."""
    return [(what, [*meanings(what)]) for what in spelled(file, name).values()]


def lost(known, entries, free_of):
    """Names of ours in texts for which there is no entry, and that are no letter of the file which is told below."""
    return [
        (file, name, what)
        for file, name in known
        for what, found in says(file, name)
        if not {one.anchor for one in found} <= {*entries}
        or not (found or what.rpartition(".")[2] in fixed_names(free_of(file, name)))
    ]


def fixed_names(known):
    return {name for fact in known for name in fact.partition(" :")[0].split(", ")}


def facts(file, name):
    """What is told of what a statement or definition takes for short."""
    if name in words(file):
        return free(words(file)[name])
    return [*used(stated(proved(file)[name]), file, name)]


STATED = [*((row.file, row.name) for row in theorems()), *sorted(called())]


def test_each_definition_of_ours_in_a_statement_or_a_listed_definition_is_on_the_page_of_words():
    """By Rocq's own names, letters too: F, q, O and s."""
    listed = [(one.file, one.name) for one in defined().values()]
    assert sum(len(says(*one)) for one in STATED) > 1500
    assert lost([*STATED, *listed], defined(), facts) == []
    letters = {one.anchor for one in defined().values() if len(one.name) == 1}
    assert {"word-proposition-3-3-F", "word-sec-h-bproj-q", "word-one-dimension-O", "word-one-dimension-s"} < letters


def test_a_definition_that_is_not_listed_is_seen():
    fewer = {anchor: one for anchor, one in defined().items() if anchor != "word-proposition-3-3-F"}
    assert {name for _, name, _ in lost(STATED, fewer, facts)} >= {"proposition_3_3"}
    assert lost([("yun2020/sec_h_bproj.v", "powers")], defined(), lambda *_: [])


def links(file, name, term, page):
    """The words to which the names of a term lead, by their places."""
    html = term_html(term, functools.partial(page.says, file, name))
    return {*re.findall(r'href="steps-words.html#([\w-]+)"', html)}


def test_a_name_of_a_statement_leads_to_what_rocq_says_that_it_is():
    page = Page("yun2020")
    for file, name in STATED:
        meant = {one.anchor for _, found in says(file, name) for one in found}
        shown = links(file, name, proved(file)[name]["statement"], page)
        assert shown <= meant | {one.anchor for what in given(file).values() for one in meanings(what)}, (file, name)
        assert {place for place in meant - shown if "." not in place} <= closed(file, name), (file, name)


def closed(file, name):
    """What is no link: a type of which parts are named, and what an abbreviation names."""
    direct = {one.anchor for what, found in says(file, name) for one in found if one.name == what.rpartition(".")[2]}
    return {one.anchor for _, found in says(file, name) for one in found} - direct


def test_a_name_of_the_library_is_none_of_ours():
    file = "kajitsuka2024/least_spacing.v"
    said = meant_html(Page("kajitsuka2024"), file, proved(file)["least_spacing"])
    assert "head" not in said
    assert "boltz_list" in said
    assert word(file, "seq.head") is None
    assert word("kajitsuka2024/theorem_1.v", "head").file == "attention.v"
    assert word("yun2020/relu_values.v", "grid.delta").file == "yun2020/grid.v"


def test_a_word_that_nobody_explains_is_seen():
    term = "forall heads : seq nat, tangent (attention heads) 0 = ln L"
    assert unexplained("kajitsuka2024/lemma_6.v", "lemma_6", [], term) == {"tangent", "attention"}


def test_what_a_file_fixes_before_a_name_or_takes_for_short_is_told():
    assert [*used("sigma x + R", "attention.v", "columns")] == ["sigma : scoring"]
    assert [*used("sigma x", "attention.v", "relu")] == ["sigma : scoring"]
    assert [*used("sigma x", "attention.v", "hardmax")] == []  # the section has not begun
    assert [*used("L <= N", "kajitsuka2024/lemma_6.v", "lemma_6")] == ["L := ln #|J|%:R", "J : finType"]
    (one,) = (one for one in defined().values() if (one.file, one.name) == ("yun2020/relus.v", "slope_b"))
    assert "phi := three_piece a b s1 c1 s2 c2 s3 c3" in free(one)
    assert not any("delta :=" in fact for one in defined().values() for fact in free(one))  # which is a word
    assert "Given <i>σ</i> : " in word_html(Page("yun2020"), defined()["word-attention-columns"])


def test_each_definition_that_a_statement_or_a_goal_uses_has_its_english():
    words = {anchor: one.said for anchor, one in defined().items()}
    assert len(words) > 400
    assert [anchor for anchor, said in words.items() if not re.search(r"[a-z]{2}", said)] == []


def test_what_stands_beside_the_book_has_a_sentence_and_folded_below_it_a_list_and_links():
    assert way_html("Another way. As [there](chapters/a#b), in d_p:\n- one x\n- two\nSo.") == (
        '<details class="way"><summary><strong>Beside the book.</strong> Another way.</summary>'
        '<p>As <a href="../chapters/a.html#b">there</a>, in <i>d</i><sub><i>p</i></sub>:</p>'
        "<ul><li>one <i>x</i></li><li>two</li></ul><p>So.</p></details>"
    )


@pytest.mark.parametrize("file", sorted({file for file, _ in called()}))
def test_a_lemma_that_is_shown_says_in_english_what_it_states_in_a_sentence_that_stands_alone(file):
    """In the file it stands below another one; on its page, and beside a line that calls it, it does not."""
    said = {name: proved(file)[name]["said"] for where, name in called() if where == file}
    assert {name: text for name, text in said.items() if not re.search(r"[a-z]{2}", text) or LEANS.match(text)} == {}


@pytest.mark.parametrize("page", sorted({row.place for row in theorems()}))
def test_a_page_begins_with_a_list_of_its_proofs_each_with_a_link_to_its_section_and_its_state(page):
    rows = [row for row in theorems() if row.place == page]
    found = re.findall(r'<a href="#([\w-]+)">.+?</a>\u00a0<span title="([^"]+)">', list_html(rows))
    assert found == [(row.anchor, STATES[row.state]) for row in rows]
    text = (LIBRARY / f"{page}.md").read_text(encoding="utf-8")
    first, *_ = re.findall(r"\{(proof-[a-z]+)\} ([^`\n]*)", text)
    assert first == ("proof-list", " ".join(page.split("-")[1:]))


def test_in_the_list_what_is_proved_of_one_statement_stands_together():
    rows = [row for row in theorems() if row.statement in ("kajitsuka2024:thm-1", "kajitsuka2024:thm-2")]
    said = [re.sub(r"<[^>]*>", "", item) for item in re.findall(r"<li>(.*?)</li>", list_html(rows))]
    assert said == ["Theorem 1: repaired\u00a0(✓); the printed pair is told apart\u00a0✗", "Theorem 2\u00a0✓"]


def test_a_letter_with_an_index_is_one_in_a_heading():
    assert str(title_node("Theorem 2, in the distance d_p")) == (
        "<title>Theorem 2, in the distance <emphasis>d</emphasis><subscript>p</subscript></title>"
    )


def test_what_a_rewriting_asks_for_besides_is_not_its_reason():
    facts = {"h_gt0", "far"}
    line = "by rewrite -normrN opprD -mulrDl ger0_norm ?mulr_ge0 ?ler0n ?(ltW h_gt0)."
    assert plain(line, facts, False) == "Arithmetic: worked out, both sides are the same."
    assert plain("by rewrite far ler_pmull // ler1n.", facts, False) == "Rewriting with <code>far</code>."
    assert plain("rewrite far ?(ltW h_gt0).", facts, False) == "Rewriting with <code>far</code> and <code>h_gt0</code>."


@pytest.mark.parametrize("row", theorems(), ids=lambda row: row.name)
def test_no_paragraph_says_of_a_theorem_what_its_heading_has_said(row):
    page = Page(row.source)
    paragraphs = re.findall(r"<p>(.*?)</p>", "".join(theorem_html(page, row)))
    said = [re.sub(r"<[^>]*>", "", one) for one in paragraphs]
    number = re.compile(r"(?:Theorem|Lemma|Proposition|Corollary) [\d.]+(?:, repaired)?\.")
    assert [one for one in said if number.fullmatch(one)] == []


SHOWN = {
    "<i>S</i><sub>": "$S_n$", "<i>D</i><sub>1</sub> ": "$D_1", "<b>1</b> (": r"\mathbf 1(P)",
    "<em>a real closed field</em>": "*a real closed field*", "<em>an ordered field</em>": "*an ordered field*",
    "<sup><i>d</i> × <i>d</i></sup>": r"$\mathbf R^{d \times n}$",
}  # fmt: skip
"""Signs as terms show them, and as the page of words explains them."""


def test_signs_that_terms_show_are_explained_and_none_is_left_as_the_library_writes_it():
    page = (LIBRARY / "steps-words.md").read_text(encoding="utf-8")
    proofs = [(row.file, proof(row)) for row in theorems()]
    terms = {term for _, one in proofs for term in (*one["given"], one["statement"], *shown(one).split("\n"))}
    terms |= {one.body for one in defined().values()}
    text = "\n".join(map(term_html, terms))
    for sign, told in SHOWN.items():
        assert sign in text
        assert told in page or told.replace("$", "") in page
    assert not re.search(r"\[pred\b", text)
    assert not re.search(r"\((?:<i>\w</i>) = (?:<i>\w</i>)\) / ", text)
    assert "On paper" in word_html(Page("yun2020"), defined()["word-attention-hardmax"])
    assert {*ON_PAPER} <= {*defined()}


@pytest.mark.parametrize("path", sorted(LIBRARY.glob("*.md")), ids=lambda path: path.stem)
def test_a_box_of_lines_from_a_proof_ends_before_the_comment_of_the_next(path):
    text = path.read_text(encoding="utf-8")
    for file, options in re.findall(r"\{literalinclude\} (\S+\.v)\n((?::[^\n]*\n)*)", text):
        asked = dict(re.findall(r":([\w-]+): (.*)", options))
        lines = (path.parent / file).read_text(encoding="utf-8").splitlines()
        begin = next(k for k, line in enumerate(lines) if asked["start-at"] in line)
        ends = (k for k, line in enumerate(lines) if k > begin and asked.get("end-before", "\0") in line)
        last = [line for line in lines[begin : next(ends, None)] if line][-1]
        assert not last.endswith("*)"), (file, last)


def test_signs_that_are_all_a_rewriting_asks_for_are_its_reason():
    assert (
        plain("by rewrite mulr_ge0 ?ler0n ?ltW.", set(), False)
        == "Arithmetic: the signs of the parts tell that of the whole."
    )
