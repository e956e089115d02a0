"""Step by step: each theorem of the table is there, to be read without a script, and marked where it is stated."""

import functools
import gzip
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from _ext.text import lines, meant, proofs
from uatbook import machine_checked, statements
from uatbook.sources import SOURCES

ROOT = Path(__file__).resolve().parents[2]
ROWS = machine_checked.theorems()
PLACES = sorted({row.place for row in ROWS})
PAGES = [*PLACES, *(f"lemmas-{source}" for source in SOURCES)]
RAW = re.compile(
    r"\b(?:forall|exists|oo|seq|perm_mx|codom|xpred0|predT|ffun|fun)\b|\\[a-z]+_|%:|%[gOR]\b|'[A-Z]|->|<=|/\\|\*m|=i\b"
    r"|\{\||\^[~+-]|__|\w[tT]ype\b"
)
FOLDS = ".uat-steps details:has(> pre)"
"""The steps of a proof: folds with lines."""
BY = ".by:not(.plain)"
"""Why a line is one, where it calls a lemma or a fact that has been said in English."""
OWN = {
    "lem-domain", "lem-mask-prefix", "prop-boltz-concave", "prop-cheng-almost", "prop-cheng-average",
    "prop-cheng-ring-layers", "prop-cheng-skyformer", "prop-cost-bits", "prop-cover-error", "prop-keyhole",
    "prop-longest-id", "prop-mask-first", "prop-mask-rational", "prop-one-scale", "prop-rank-one-optimum",
    "prop-rational-scales", "prop-scale", "prop-two-components",
}  # fmt: skip
"""Boxes of results that no statement is: their proofs are in the page."""


@pytest.fixture(scope="module")
def parsed(book):
    """Pages as trees, by their place."""
    found = {}

    def tree(page):
        if page not in found:
            text = (book / f"{page}.html").read_text(encoding="utf-8")
            found[page] = BeautifulSoup(text, "html.parser")
        return found[page]

    return tree


@pytest.fixture(scope="module")
def placed(parsed):
    """What has an address on a page of the library, by page and address."""
    return functools.cache(lambda page: {tag["id"]: tag for tag in parsed(f"library/{page}").select("[id]")})


def led(placed, page, link):
    """What a link of a page leads to, or None: pages beside are in the same folder."""
    path, _, target = link["href"].partition("#")
    folder, _, name = path.rpartition("/")
    assert not folder
    return placed(name.removesuffix(".html") or page).get(target)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.statement} {row.name}")
def test_a_theorem_of_the_table_stands_on_its_page_with_its_state_and_an_english_step_before_each_fold(placed, row):
    there = placed(row.place)[row.anchor]
    assert machine_checked.STATES[row.state] in there.select_one(".uat-mark").get_text()
    assert there.select_one(".uat-formal > p").get_text().strip()
    assert led(placed, row.place, there.select_one(".rubric a")).find_parent("details")
    own = there.select(FOLDS)
    assert own
    for fold in own:
        assert re.search(r"[a-z]{2,}", fold.summary.get_text())
        assert fold.select("pre")
    assert "Done." in own[-1].get_text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.statement} {row.name}")
def test_a_lemma_of_ours_that_a_line_calls_leads_to_its_english_its_formal_statement_and_its_file(placed, row):
    for fold in placed(row.place)[row.anchor].select(FOLDS):
        code = " ".join(pre.get_text() for pre in fold.select("pre"))
        links = {link.get_text(): link for link in fold.select("pre a[href]")}
        own = proofs.bound(proofs.proof(row))
        for name in {*proofs.NAME.findall(code)} - own:
            found = None if proofs.word(row.file, name) else proofs.lemma(row.file, name)
            if found is None:
                continue
            there = led(placed, row.place, links[name])
            if proofs.theorem(*found) is not None:
                assert there.name == "section"
                continue
            entry = there.find_next_sibling("dd")
            assert entry.select_one(".uat-formal > p").get_text().strip()
            assert found[0] in there.find_parent("section").get_text()
            assert entry.find(True).name == "p"
            # What is said of it in English, the line says, too.
            assert any(name == by.select("code")[-1].get_text() for by in fold.select(BY))


def name_of(entry):
    """Of what is new, said in English: the name, which stands behind it."""
    return (entry.summary or entry).select("code")[-1].get_text()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.statement} {row.name}")
def test_a_fact_that_a_step_says_in_english_has_it_beside_it_and_again_where_a_later_step_calls_it(placed, row):
    there, told = placed(row.place)[row.anchor], {}
    folds = iter(there.select(FOLDS))
    for step in proofs.proof(row)["steps"]:
        if not step["lines"]:
            continue
        fold, said = next(folds), lines.apart(step["said"])[1]
        for name, entry in told.items():
            called = any(re.search(rf"(?<![\w']){name}(?![\w'])", line[0]) for line in step["lines"])
            new = any(name in proofs.bound({"steps": [{"lines": [line]}]}) for line in step["lines"])
            if called and not new:
                (by,) = [by for by in fold.select(BY) if by.select("code")[-1].get_text() == name]
                assert by.a["href"] == f"#{entry['id']}"
        for name in said:
            assert f"[{name}]" not in fold.summary.get_text()
        for entry in fold.select("li[id]"):
            told[name_of(entry)] = entry
            assert len(re.findall(r"[a-z]{2,}", entry.get_text())) > 2
        told = {
            name: entry
            for name, entry in told.items()
            if entry in fold.select("li[id]")
            or not any(name in proofs.bound({"steps": [{"lines": [line]}]}) for line in step["lines"])
        }
    named = {name for step in proofs.proof(row)["steps"] for name in lines.apart(step["said"])[1]}
    assert {name_of(entry) for entry in there.select("li[id]")} == named  # what no line gives is said of nothing


WAYS = [row for row in ROWS if row.way]


@pytest.mark.parametrize("row", WAYS, ids=lambda row: row.name)
def test_how_a_proof_goes_beside_that_of_the_book_is_folded_behind_its_steps(parsed, placed, row):
    there = placed(row.place)[row.anchor]
    (told,) = there.select("details.way")
    assert not told.find_next_sibling("details")
    assert told.find_previous_sibling("details")
    assert told.summary.a is None
    words = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", row.way)
    shown = told.get_text().replace("Beside the book.", "")
    words, shown = (re.sub(r"[\W_]+", "", text) for text in (words, shown))
    assert words[:20] in shown
    assert words[-12:] in shown
    for link in told.select("a"):
        page, _, target = link["href"].removeprefix("../").partition(".html#")
        assert parsed(page).find(id=target), link["href"]


@pytest.mark.parametrize("place", sorted({row.place for row in WAYS}))
@pytest.mark.parametrize("width", [320, 390])
def test_what_stands_above_that_fold_takes_three_lines_of_a_phone_at_most(phone, site, place, width):
    tab = phone.open(f"{site}library/{place}.html")
    tab.set_viewport_size({"width": width, "height": 844})
    found = tab.locator("details.way > summary").evaluate_all(
        """found => found.map(tag => {
            const range = document.createRange();
            range.selectNodeContents(tag);
            return range.getBoundingClientRect().height / parseFloat(getComputedStyle(tag).lineHeight);
        })"""
    )
    assert len(found) == len([row for row in WAYS if row.place == place])
    assert max(found) < (4.1 if width < 390 else 3.1)


def test_the_first_proof_of_liu_is_told_in_english_with_all_lines_behind_one_fold(parsed):
    row = next(row for row in ROWS if row.name == "coarse_grids_fail")
    page = parsed(f"library/{row.place}")
    first = page.select_one("section section")
    assert first["id"] == row.anchor
    assert len(first.find_all(string=re.compile("The same proof in the machine"))) == 1
    (box,) = first.select(":scope > .uat-steps")
    (fold,) = box.find_all("details", recursive=False)
    assert [tag for tag in box.find_all(True, recursive=False) if tag is not fold] == []
    assert len(fold.select("details:has(> pre)")) == len(proofs.proof(row)["steps"])
    told = [part.get_text() for part in first.select(":scope > .uat-known")]
    assert len(told) == len(proofs.proof(row)["steps"])
    assert all(re.match(r"\s*Known now: .*\n*To show: ", text) for text in told)
    asked = [strong.get_text() for strong in first.select(":scope > p > strong") if strong.get_text()[:5] == "Step "]
    assert [text[5:7] for text in asked] == ["1.", "2.", "3."]
    numbers = first.svg.select("circle.step + text")
    assert sorted(number.get_text() for number in numbers) == ["1", "2", "3"]
    english = " ".join(tag.get_text() for tag in first.find_all(["p", "div"], recursive=False) if tag is not box)
    assert len(english.split()) < 500
    assert "_" not in english


TOLD = {
    "theorem_1_repaired": ("const 1", "first sequence", "second sequence", "listener’s own token", "m + 4"),
    "theorem_4_1": ("values are finitely many", "hardly farther", "softmax does not see", "subtracts the second"),
}


@pytest.mark.parametrize("name", TOLD)
def test_a_theorem_is_told_in_english_step_by_step_with_all_lines_behind_one_fold(parsed, name):
    row = next(row for row in ROWS if row.name == name)
    section = parsed(f"library/{row.place}").find(id=row.anchor)
    (box,) = section.select(":scope > .uat-steps")
    (fold,) = box.find_all("details", recursive=False)
    steps = proofs.proof(row)["steps"]
    assert len(fold.select("details:has(> pre)")) == len(steps)
    told = [part.get_text() for part in section.select(":scope > .uat-known")]
    assert len(told) == len(steps)
    assert all(re.match(r"\s*Known now: .*\n*To show: ", text) for text in told)
    english = " ".join(
        tag.get_text() for tag in section.find_all(["p", "div", "ul"], recursive=False) if tag is not box
    )
    for said in TOLD[name]:
        assert said in re.sub(r"\s+", " ", english.replace("'", "’"))


def test_what_a_theorem_leans_on_and_its_file_stand_above_it(placed):
    for row in ROWS:
        (link,) = [a for a in placed(row.place)[row.anchor].select("a") if a["href"] == f"../proofs/{row.file}.txt"][:1]
        assert link.find_parent("p").find_next_sibling(class_="uat-formal")
        assert machine_checked.AXIOMS[row.axioms] in link.find_parent("p").get_text()
    assert "Below each theorem" not in (ROOT / "library" / "machine-checked.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "name"), [("steps-kajitsuka2024", "theorem-1-repaired"), ("steps-liu2025", "coarse-grids-fail")]
)
def test_in_a_fold_with_all_open_no_heading_touches_its_bar(desk, site, place, name):
    tab = desk.open(f"{site}library/{place}.html#steps-{name}")
    tab.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    fold = tab.locator(f"#steps-{name} > .uat-steps > details")
    assert fold.locator("> .rubric").bounding_box()["x"] > fold.bounding_box()["x"] + 8


@pytest.mark.parametrize("place", PLACES)
def test_a_sign_is_explained_once_on_each_page_that_shows_it(parsed, place):
    told = [p for p in parsed(f"library/{place}").select(".lines > p") if "signs" in p.parent.summary.get_text()]
    said = [re.sub(r"\s+", " ", p.get_text()) for p in told]
    terms = "\n".join(meant.shown(proofs.proof(row)) for row in ROWS if row.place == place)
    for sign, (found, means) in meant.SIGNS.items():
        line = BeautifulSoup(f"{sign}: {means}", "html.parser").get_text()
        assert said.count(line) == bool(found.search(terms)), sign
    assert any(line.startswith("tt: ") for line in said) or place != "steps-liu2025"


@pytest.mark.parametrize("page", PAGES)
def test_no_line_stands_without_a_reason(parsed, page):
    for line in parsed(f"library/{page}").select(".uat-steps details > pre"):
        reason = line.find_next_sibling()
        assert reason["class"][0] == "by", line
        assert re.search(r"[A-Za-z]{2}", reason.get_text().removeprefix("Why"))


HARD = {
    "uniform_smoother": ("liu2025/theorem_4_1.v", 4), "smoother_is_attention": ("liu2025/theorem_4_1.v", 4),
    "book_axis_small": ("liu2025/grid_and_sharpness_book.v", 3), "networks": ("kajitsuka2024/proposition_1_d_p.v", 2),
    "pair_alike": ("kajitsuka2024/theorem_1.v", 3), "theorem_2_head": ("kajitsuka2024/theorem_2.v", 4),
    "theorem_2_any_box": ("yun2020/theorem_2_d_p.v", 3),
}  # fmt: skip


@pytest.mark.parametrize("lemma", HARD)
def test_how_the_hard_lemma_of_a_proof_goes_is_folded_into_the_step_that_calls_it(placed, lemma):
    file, many = HARD[lemma]
    row = next(row for row in ROWS if row.file == file)
    reasons = placed(row.place)[row.anchor].select(f"{FOLDS} > .by:has(+ details)")
    (reason,) = [by for by in reasons if by.select("code")[-1].get_text() == lemma]
    fold = reason.find_next_sibling("details")
    steps = [item.get_text() for item in fold.select("ol > li")]
    assert len(steps) == many
    assert all(re.match(r"[A-Z].*[.]$", step, re.DOTALL) and not re.match(r"\d", step) for step in steps)
    entry = led(placed, row.place, fold.select("p > a")[-1])
    assert lemma == entry.get_text()
    assert "open" not in fold.attrs


def test_where_bands_end_has_an_english_name(placed):
    row = next(row for row in ROWS if row.name == "proposition_1_d_p")
    told = placed(row.place)[row.anchor].select(".goal, li, .uat-formal, details > div")
    terms = re.sub(r"\s+", " ", " ".join(tag.get_text() for tag in told))
    assert "(edges : " in terms
    assert "in_bands m edges w X" in terms
    assert not re.search(r"in_bands \w+ off|\(off :", terms)


FOUR = [row for row in ROWS if row.name.endswith("_d_p") and row.name != "proposition_5_d_p"]


@pytest.mark.parametrize("row", FOUR, ids=lambda row: row.name)
def test_what_a_small_distance_asks_for_is_a_list_with_what_each_is_for(placed, row):
    lists = [one for one in placed(row.place)[row.anchor].select("details ol") if "a box is" in one.get_text()]
    assert len(lists) == 2
    for found in lists:
        for said, item in zip(machine_checked.asked()["d_p_at_most"], found.select("li"), strict=True):
            words, formula = item.get_text("|").replace("|", "").partition("∀")[::2]
            assert re.sub(r"\W", "", words)[:30] == re.sub(r"\W", "", said)[:30]
            assert formula


@pytest.mark.parametrize("row", [row for row in ROWS if row.picture], ids=lambda row: row.name)
def test_a_picture_stands_between_what_is_said_and_its_proof(placed, row):
    (shown,) = placed(row.place)[row.anchor].select(".uat-thin")
    assert shown.find_previous_sibling(class_="uat-formal")
    assert shown.find_next_sibling(class_="rubric")
    assert shown.svg["aria-label"]


@pytest.mark.parametrize("place", PLACES)
def test_headings_are_english_and_each_is_another(parsed, place):
    found = [heading.get_text().rstrip("#") for heading in parsed(f"library/{place}").select("section h2")]
    assert len(found) == len({*found}) > 5
    assert [text for text in found if "_" in text or re.search(r"\bd p\b|[a-z]P\b|^[a-z]", text)] == []


@pytest.mark.parametrize("page", PAGES)
def test_steps_ask_for_no_script_and_set_their_formulas(parsed, page):
    for part in parsed(f"library/{page}").select(".uat-steps"):
        assert part.select("script, button, input, [style], [onclick], img, iframe") == []
        assert all(fold.find(True).name == "summary" for fold in part.select("details"))
        shown = [tag.get_text() for tag in part.select(".uat-formal, .goal, .term, details > ul")]
        assert [text for text in shown if RAW.search(re.sub(r"⟨.*?⟩", "", text))] == []


@pytest.mark.parametrize("page", PAGES)
def test_steps_of_a_page_weigh_at_most_40_kb_packed(parsed, page):
    shown = "".join(map(str, parsed(f"library/{page}").select(".uat-steps")))
    assert len(gzip.compress(shown.encode())) <= 40_000


@pytest.mark.parametrize("page", PAGES)
def test_how_to_read_it_is_told_on_the_page_of_each_proof(parsed, page):
    rubrics = parsed(f"library/{page}").select(".uat-steps .rubric a")
    assert {link["href"] for link in rubrics} <= {"#how"}
    assert len(parsed(f"library/{page}").select("#how")) == bool(rubrics)


@pytest.mark.parametrize("page", PAGES)
def test_a_link_of_a_step_leads_somewhere(parsed, placed, page):
    for link in parsed(f"library/{page}").select(".uat-steps a[href*='#']"):
        if not link["href"].startswith(("http", "../")):
            assert led(placed, page, link), link["href"]


def boxes(book, parsed):
    """Each box of a theorem: its label, and its marks as words and addresses."""
    for file in sorted(book.glob("*/*.html")):
        page = f"{file.parent.name}/{file.stem}"
        if 'class="proof ' not in file.read_text(encoding="utf-8"):
            continue
        for box in parsed(page).select("div.proof:is(.theorem, .lemma, .corollary, .proposition)"):
            yield box, [(link.get_text().strip(), link["href"]) for link in box.select(".uat-marks a")]


def test_marks_of_a_box_say_what_the_table_says_of_where_they_lead(book, parsed):
    """Refuted where the box is the printed text; else what is proved, or that sizes were checked, comes first."""
    by_anchor = {(row.place, row.anchor): row for row in ROWS}
    unmarked, marked = set(), set()
    for box, marks in boxes(book, parsed):
        assert isinstance(box, Tag)
        if not marks:
            unmarked.add(box["id"])
        for words, href in marks:
            page, _, target = href.rpartition("/")[2].partition("#")
            state = words.split(maxsplit=1)[1]
            if page == "statements.html":
                assert state == "checked at sizes"
                assert parsed("library/statements").find(id=target)
                rows = machine_checked.of(target.replace("-", ":", 1))
                assert not [row for row in rows if row.state.startswith("proved")]
            else:
                row = by_anchor[page.removesuffix(".html"), target]
                assert state == machine_checked.STATES[row.state]
                marked.add(row.statement)
    assert unmarked == OWN
    # What has a number has a box, but for what the chapters only speak of.
    numbered = {row.statement for row in ROWS if re.search(r":(thm|lem|prop|cor|claim)-\d", row.statement)}
    assert numbered - marked == set()
    assert statements.get("liu2025:thm-4-1").id in marked


ANYWHERE = [("desk", "site"), ("phone", "site"), ("folder", "file")]


def fold(tab, row):
    """A theorem's fold of which a line calls a lemma, and the link to it."""
    inside = tab.locator(f"[id='{row.anchor}'] details:has(pre a[href^='lemmas-'])").first
    return inside, inside.locator("pre a[href^='lemmas-']").first


@pytest.mark.parametrize("page", [*PAGES, "steps-words"])
def test_what_is_said_ends_as_a_sentence_and_shows_no_mark_of_a_comment(parsed, page):
    said = parsed(f"library/{page}").select(".uat-steps :is(summary, .by, dd > p:not(.term))")
    assert said
    for one in said:
        text = one.get_text().strip()
        assert not text.endswith((",", ";", ":")), text
        assert "**" not in text, text


LAST = next(row for row in ROWS if row.name == "theorem_2_d_p")


@pytest.mark.parametrize(("reader", "where"), ANYWHERE)
@pytest.mark.parametrize("refused", [False, True], ids=["", "storage refused"])
def test_back_from_a_lemma_finds_the_folds_open_and_the_line_where_it_was(request, book, site, reader, where, refused):
    reader = request.getfixturevalue(reader)
    base = site if where == "site" else f"{book.as_uri()}/"
    tab = reader.open(f"{base}library/{LAST.place}.html#{LAST.anchor}")
    if refused:
        tab.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('refused'); }; }")
    opened, link = fold(tab, LAST)
    opened.locator("summary").first.click()
    link.scroll_into_view_if_needed()
    before = link.bounding_box()["y"]
    link.click()
    tab.wait_for_url("**/lemmas-*")
    tab.go_back(wait_until="load")
    reader.settle()
    opened, link = fold(tab, LAST)
    assert opened.evaluate("fold => fold.open")
    assert tab.locator(".uat-steps details[open]").count() == 1
    assert abs(link.bounding_box()["y"] - before) <= 2
    reader.leave()
    tab = reader.open(f"{base}library/{LAST.place}.html")  # who comes anew finds all closed
    assert tab.locator(".uat-steps details[open]").count() == 0


@pytest.mark.parametrize("reader", ["desk", "phone", "bare"])
def test_how_to_read_the_lines_opens_from_each_proof_and_back_leads_to_it(request, site, reader):
    reader, scripts = request.getfixturevalue(reader), reader != "bare"
    tab = reader.open(f"{site}library/{LAST.place}.html#{LAST.anchor}")
    link = tab.locator(f"[id='{LAST.anchor}'] .rubric a")
    link.focus()
    in_sight(tab, lambda: link.bounding_box()["y"] < tab.viewport_size["height"])
    tab.wait_for_timeout(1000)  # it may still move
    before = link.bounding_box()["y"]
    tab.keyboard.press("Enter")
    told = tab.locator("#how")
    told.wait_for(state="visible")
    head = tab.locator(".bd-header-article").bounding_box()
    in_sight(tab, lambda: head["y"] + head["height"] <= told.bounding_box()["y"] <= tab.viewport_size["height"] / 2)
    if not scripts:
        return  # the fold that has opened above moves the proof down
    tab.go_back()
    in_sight(tab, lambda: abs(link.bounding_box()["y"] - before) <= 2)


def in_sight(tab, seen):
    """Wait for a page that moves there smoothly."""
    for _ in range(100):
        if seen():
            return
        tab.wait_for_timeout(100)
    pytest.fail("the page has not moved there in ten seconds")
