"""Forms below exercises, used as a reader uses them: wrong and right answers, what is kept, keys alone, a folder."""

import json
import re

import pytest
from playwright.sync_api import expect

START, DIAGONAL = "chapters/start.html", "#check-ex-start-diagonal"


def answer(tab, order, fraction):
    form = tab.locator(DIAGONAL)
    form.get_by_label(order, exact=True).check()
    form.get_by_label("Fraction").fill(fraction)
    form.get_by_role("button", name="Check").click()
    return form.get_by_role("status").inner_text()


def test_a_reader_is_told_why_and_in_the_end_solves_it(desk, site):
    tab = desk.open(f"{site}{START}")
    tab.evaluate("localStorage.clear()")
    tab.reload()
    assert "Fraction: expected a number such as" in answer(tab, "3/N", "a third")
    expect(tab.get_by_label("Fraction")).to_be_focused()
    expect(tab.get_by_label("Fraction")).to_have_attribute("aria-invalid", "true")
    assert "count the cell three times" in answer(tab, "3/N", "3/8")
    assert "Not yet.\n\nLook again at Fraction" in answer(tab, "3/N", "0.5")
    assert tab.locator(f"{DIAGONAL} .uat-check-remark").inner_text().startswith("Fraction: 0.5 is not the fraction.")
    assert "Hint: What is kept has three tokens" in answer(tab, "2/N", "1/2")
    assert tab.locator(".uat-solved").count() == 0
    assert answer(tab, "3/N", " 22 / 64 ").startswith("Right.\n\n")
    assert tab.locator(f"{DIAGONAL} .uat-check-remark").count() == 0
    assert tab.locator(".admonition-title .uat-solved").all_inner_texts() == ["solved"]
    tab.reload()
    assert tab.locator(".uat-solved").count() == 1
    assert tab.locator(DIAGONAL).get_by_label("Fraction").input_value() == " 22 / 64 "


def test_a_number_with_too_few_digits_is_told_one_thing(desk, site):
    """Neither points nor where to look: what was found is right."""
    tab = desk.open(f"{site}{START}")
    assert answer(tab, "3/N", "0.34") == (
        "Fraction: 0.34 looks rounded: you have the right number, give more digits of it, or a fraction."
    )
    assert tab.locator(f"{DIAGONAL} .uat-check-remark").count() == 0
    assert "Look again at Fraction" in answer(tab, "3/N", "0.4")


def test_what_was_solved_is_listed_taken_away_and_forgotten(desk, site):
    tab = desk.open(f"{site}{START}")
    answer(tab, "3/N", "11/32")
    for name, by in (("x₁", 0.12), ("x₂", 0.4)):  # of the cross: there the network and f agree
        tab.get_by_label(f"cross, {name}").fill(str(by))
    tab.locator(".goal.reached").wait_for()
    tab.goto(f"{site}library/ways.html")
    place = tab.locator(".uat-solved-list")
    assert "start diagonal" in place.inner_text()
    assert "Goals of pictures reached: " in place.inner_text()
    with tab.expect_download() as begun:
        place.get_by_role("button", name="Export answers").click()
    handed = json.loads(begun.value.path().read_text(encoding="utf-8"))
    assert handed["answers"]["ex-start-diagonal"] == ["3/N", "11/32"]
    place.get_by_role("button", name="Forget all").click()
    assert "start diagonal" in place.inner_text()
    place.get_by_role("button", name="Forget all").click()
    assert "none solved yet" in place.inner_text()
    tab.goto(f"{site}{START}")
    assert tab.locator(".uat-solved").count() == 0


def test_an_answer_that_is_partly_right_is_kept_and_taken_away(desk, site, tmp_path):
    """A worse one does not take its place; and another browser takes it in, but nothing of a file without answers."""
    tab = desk.open(f"{site}{START}")
    tab.evaluate("localStorage.clear()")
    tab.reload()
    assert answer(tab, "3/N", "0.5").startswith("Not yet.")
    assert answer(tab, "1/N", "1/5").startswith("Not yet.")
    tab.reload()
    assert tab.locator(DIAGONAL).get_by_label("Fraction").input_value() == "0.5"
    assert tab.locator(".uat-solved").count() == 0
    tab.goto(f"{site}library/ways.html")
    place = tab.locator(".uat-solved-list")
    assert "Answers kept that are not wholly right: 1." in place.inner_text()
    with tab.expect_download() as begun:
        place.get_by_role("button", name="Export answers").click()
    handed = json.loads(begun.value.path().read_text(encoding="utf-8"))
    assert handed["answers"] == {"ex-start-diagonal": ["3/N", "0.5"]}
    assert "ex-start-diagonal" not in handed["reached"]
    tab.evaluate("localStorage.clear()")
    for content, says in (({}, "This file holds no answers."), (handed, "Imported: 1 answer, 0 solved.")):
        file = tmp_path / "answers.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        place.locator("input[type=file]").set_input_files(file)
        expect(place.get_by_role("status")).to_have_text(says)
    tab.goto(f"{site}{START}")
    assert tab.locator(DIAGONAL).get_by_label("Fraction").input_value() == "0.5"


def test_a_pattern_is_drawn_by_keys(desk, site):
    """A window of two on a line: each token hears those at most two away."""
    tab = desk.open(f"{site}chapters/cheng-symmetry.html")
    form = tab.locator("#check-ex-cheng-palindrome")
    read = form.locator(".uat-check-read")
    assert read.inner_text() == "Kept by 5040 permutations; news never reaches all."
    form.get_by_role("button", name="token 0 hears token 0").focus()
    for i in range(7):
        for j in range(7):
            if j:
                tab.keyboard.press("ArrowRight")
            if i != j and abs(i - j) <= 2:
                tab.keyboard.press("Space")
        for _ in range(6):
            tab.keyboard.press("ArrowLeft")
        tab.keyboard.press("ArrowDown")
    assert read.inner_text() == "Kept by 2 permutations; all have heard of all after 3 layers."
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert form.get_by_role("status").inner_text().startswith("Right.\n\n")


def test_steps_are_put_in_order_by_keys(desk, site):
    """The button keeps the focus, but at an end; what moved is said, and the answer is there again the next time."""
    tab = desk.open(f"{site}library/finish-a-proof.html")
    form = tab.locator("#check-ex-finish-corner")
    steps = form.locator("li > span")
    form.get_by_role("button", name="Check").click()
    assert "What stands at place 1 comes too early" in form.get_by_role("status").inner_text()
    for name, place in (("Into the corner", 0), ("The smoother says 0", 1), ("Take L off both sides", 2)):
        form.get_by_role("button", name=f"Move up: {name}").focus()
        while not steps.nth(place).inner_text().startswith(name):
            tab.keyboard.press("Enter")
            at_top = steps.first.inner_text().startswith(name)
            expect(form.get_by_role("button", name=f"Move {'down' if at_top else 'up'}: {name}")).to_be_focused()
        assert form.locator(".uat-check-read").inner_text() == f"{name}: place {place + 1} of 5."
    form.get_by_role("button", name="Check").click()
    assert form.get_by_role("status").inner_text().startswith("Right.\n\nEach step leaves what")
    order = steps.all_inner_texts()
    tab.reload()
    expect(steps).to_have_text(order)
    up, down = (form.locator(f"button[aria-label^='Move {where}']:visible") for where in ("up", "down"))
    assert up.count() == down.count() == len(order) - 1  # at its end none leads on


def test_what_is_moved_stays_under_the_finger(phone, site):
    """So that several taps at one place move it on."""
    tab = phone.open(f"{site}library/finish-a-proof.html")
    form = tab.locator("#check-ex-finish-corner")
    last = form.locator("li").last
    name = last.locator("> span").inner_text()
    button = last.get_by_role("button", name="Move up")
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    for place in range(form.locator("li").count() - 1, 0, -1):
        assert form.locator("li > span").nth(place).inner_text() == name
        tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert form.locator("li > span").first.inner_text() == name


@pytest.mark.parametrize(
    ("page", "label", "filled", "says"),
    [
        ("yun-theorem-2", "theorem-2-budget", {"Your answer": "43"}, "A sixteenth of the error is set aside"),
        ("yun-quantization", "quant-count", {"Layers": "33", "Sentinel": "\u221210^21", "Parameters": "7"}, "Right."),
        ("cheng-condition", "condition-spread", {"Your answer": "0 1 2 3 4"}, "have the same sum"),
        ("yun-theorem-3", "theorem-3-shift", {"Your answer": "{3}"}, "Right."),
        ("liu-partitions", "partition-triangle", {"Slopes, row 1, column 1": "-1"}, "Slopes: still empty; type a "),
    ],
)
def test_each_kind_of_field_from_a_folder(folder, book, page, label, filled, says):
    tab = folder.open((book / "chapters" / f"{page}.html").as_uri())
    form = tab.locator(f"#check-ex-{label}")
    for name, text in filled.items():
        form.get_by_label(name, exact=True).fill(text)
    form.get_by_role("button", name="Check").click()
    assert says in form.get_by_role("status").inner_text()


EMPTY = """() => [...document.querySelectorAll(".uat-check form")].flatMap((form) => {
  form.querySelector("button:not([type])").click();
  const said = form.querySelector("[role=status]").innerText, field = form.querySelector("input, button").type;
  const name = form.querySelector("legend, label").innerText;
  return field === "button" ? [] : [[said, name, document.activeElement.form === form, field]];
})"""


def test_an_empty_field_is_told_what_belongs_there(desk, book, site):
    """Each exercise of the book that types or chooses; that of whom one hears and that of steps are never empty."""
    found = []
    for page in [*sorted((book / "chapters").glob("*.html")), book / "library" / "finish-a-proof.html"]:
        if 'class="uat-check"' not in page.read_text(encoding="utf-8"):
            continue
        tab = desk.open(f"{site}{page.relative_to(book).as_posix()}")
        tab.evaluate("localStorage.clear()")
        tab.reload()
        for said, name, focused, kind in tab.evaluate(EMPTY):
            asked = "choose one of " if kind == "radio" else "still empty; type "
            assert re.fullmatch(rf"{re.escape(name)}: {asked}[^ ].*\.", said), (page.stem, said)
            assert focused, (page.stem, said)
            found.append(said)
    assert len(found) > 30
    assert "Order: choose one of 1/N, 2/N, 3/N." in found


def test_a_prediction_is_answered_and_stands_on_paper_without_a_script(desk, bare, site):
    page = f"{site}chapters/yun-contextual-mapping.html"
    tab = desk.open(page)
    guess, fold = tab.locator(".uat-guess").last, tab.locator(".uat-answer").last
    assert not fold.evaluate("fold => fold.open")
    fold.locator("summary").click()  # no answer before a choice
    assert not fold.evaluate("fold => fold.open")
    said = guess.get_by_role("status")
    assert said.inner_text().startswith("Predict first")
    expect(guess.get_by_role("radio").first).to_be_focused()
    before = guess.bounding_box()["height"]
    for choice, says in (("in the band", "Not so. Two tokens in one cell"), ("below it", "Right. Two tokens")):
        guess.get_by_label(choice, exact=True).check()
        assert said.inner_text().startswith(says)
        assert said.evaluate("p => getComputedStyle(p, '::before').content.includes('\u2713')") == ("Right" in says)
    assert abs(guess.bounding_box()["height"] - before) < 1  # what stands below stays where it is
    first = guess.locator("label .uat-guessed")  # which was in the band, and stays so
    assert first.locator("..").inner_text().startswith("in the band")
    fold.locator("summary").click()
    assert fold.evaluate("fold => fold.open")
    fold.locator("summary").click()
    said.get_by_role("button", name="Why?").click()
    expect(fold).to_have_attribute("open", "")
    expect(fold).to_be_in_viewport()
    plain = bare.open(page)
    assert plain.locator(".uat-guess").last.locator("label").all_inner_texts() == [
        "in the band", "below it", "above it"
    ]  # fmt: skip
    fold = plain.locator(".uat-answer").last
    assert not fold.evaluate("fold => fold.open")
    fold.locator("summary").click()
    assert fold.evaluate("fold => fold.open")


def test_no_answer_of_a_prediction_stands_open(book):
    """Before and without the script: on each page a closed fold of the browser's own."""
    found = 0
    for page in book.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        folds = re.findall(r'<details class="[^"]*\buat-answer\b[^>]*>', text)
        assert not any("open" in fold for fold in folds), page.stem
        assert not re.search(r'class="admonition[^"]* answer"', text), page.stem
        found += len(folds)
    assert found > 70
