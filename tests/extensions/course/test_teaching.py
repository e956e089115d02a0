"""What the page for teachers is made of: goals, needs and sets agree with the chapters."""

import itertools
import math
import re
import shutil
import tomllib
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from _ext.course import teaching
from _ext.course.marking import seeds
from _ext.course.materials import course, exercises, goal, needs, questions, rubrics
from uatbook.exercises import EXERCISES, Exercise, get
from uatbook.grading import command, sets

ROOT = Path(__file__).resolve().parents[3]
COURSES = ("one", "four", "ten")
SETS = (*COURSES, "session")
TOC = [
    (chapter["file"], [page["file"] for page in chapter.get("sections", ())])
    for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    if part["caption"] != "Reference"
    for chapter in part["chapters"]
]
PAGES = [page.removeprefix("chapters/") for chapter, trips in TOC for page in (chapter, *trips) if "/" in page]
LABELS = {
    label: path.stem
    for path in [*ROOT.glob("chapters/*.md"), *ROOT.glob("library/*.md")]
    for label in re.findall(r"^:label: (ex-\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
}

LINK = re.compile(r"\{[a-z:]+\}`(?:[^`<]*<([^>`]+)>|([^`]+))`")


def text(page: str) -> str:
    return (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It is so. After this page you can count to 0.5, and stop. Go on.", "count to 0.5, and stop"),
        ("By the end of this page you will be able to sing.", "sing"),
        ("After it you can build *this*, here:\n\nMore.", "build *this*, here"),
        ("By the end you will be able to say one of two: yes or no. Then", "say one of two: yes or no"),
        ("After this page you may rest.", ""),
    ],
)
def test_a_goal_is_a_sentence(sentence, found):
    assert goal(sentence) == found


def test_every_page_says_what_one_can_do_after_it():
    assert [page for page in PAGES if not goal(text(page))] == []


def test_every_page_says_what_it_needs_and_names_it():
    """By a link to it or to something of it; or it is where one comes from, along the path or on this side trip."""
    found = needs(ROOT)
    assert sorted(found) == sorted(PAGES)
    path = [chapter.removeprefix("chapters/") for chapter, _ in TOC]
    comes = {
        trip.removeprefix("chapters/"): chapter.removeprefix("chapters/") for chapter, trips in TOC for trip in trips
    }
    comes |= dict(zip(path[1:], path, strict=False))
    unnamed = []
    for page, needed in found.items():
        for name in needed:
            labels = re.findall(r"^:label: (\S+)$|^\(([\w-]+)\)=$", text(name), re.MULTILINE)
            names = {name, *(label for pair in labels for label in pair if label)}
            links = {link for pair in LINK.findall(text(page)) for link in pair}
            if not (names & links or name in (comes.get(page), PAGES[0])):
                unnamed.append((page, name))
    assert unnamed == []
    done: list[str] = []
    while ready := [page for page in found if page not in done and {*found[page]} <= {*done}]:
        done += ready
    assert len(done) == len(PAGES), "they go in a circle"


@pytest.mark.parametrize("name", COURSES)
def test_a_course_sets_what_it_has_taught(name):
    found, taught = course(ROOT, name), list[str]()
    every = [label for week in found["weeks"] for label in week["exercises"]]
    assert len(every) == len({*every}) > 5
    for week in found["weeks"]:
        for page in week["pages"]:
            assert {*needs(ROOT)[page]} <= {*taught}, page
            taught.append(page)
        assert week["show"].split("/")[0] in week["pages"]
        assert week["show"] in questions(ROOT)
        assert {LABELS[label] for label in week["exercises"]} <= {*week["pages"]}
        assert "Prove" in exercises(ROOT)[week["proof"]].kind if "proof" in week else not week["exercises"]
    assert {*found.get("projects", [])} <= {*LABELS}


def test_a_set_is_what_the_grader_reads():
    files = sorted((ROOT / "teaching").glob("*/*-week*.toml"))
    assert len(files) == sum(len([w for w in course(ROOT, name)["weeks"] if w["exercises"]]) for name in SETS)
    for file in files:
        assert file.name.startswith(f"{file.parent.name}-week")  # no two downloads of one name
        assert sets.read(file).title in (file.parent / "course.toml").read_text(encoding="utf-8")


def test_the_commands_of_the_page_release_and_grade(tmp_path, monkeypatch):
    page = (ROOT / "library" / "teaching.md").read_text(encoding="utf-8")
    release, grade = (words.split() for words in re.findall(r"python -m uatlib ([^`]*)", page))
    monkeypatch.chdir(tmp_path)
    shutil.copyfile(ROOT / "teaching" / "one" / "one-week1.toml", "one-week1.toml")
    Path("class.txt").write_text("ada\nbert\n", encoding="utf-8")
    assert command.hand_out(release[1:]) == 0
    assert {path.name for path in Path("week1").iterdir()} == {"ada.ipynb", "bert.ipynb"}
    Path("week1").rename("collected")
    assert command.grade(grade[1:]) == 0
    header, ada, bert = Path("grades.csv").read_text(encoding="utf-8-sig").splitlines()
    first, *points, total, comments = header.split(",")
    assert [first, total, comments] == re.findall(r"`(student|total|comments)`", page)
    assert len(points) == len(sets.read("one-week1.toml").exercises)
    assert ada.startswith("ada,0,")
    assert bert.startswith("bert,0,")
    assert Path("pages", "ada.html").exists()


def test_exercises_are_found_with_their_solutions():
    found = exercises(ROOT)
    assert {*found} == {*LABELS}
    assert found["ex-context-injective"].kind == "Prove"
    assert found["ex-context-injective"].text.startswith("Show for every")
    assert found["ex-context-injective"].solution.startswith("Let $j")
    assert [label for label, one in found.items() if not one.solution] == []


def test_groups_of_an_exam_have_other_numbers():
    paper = tomllib.loads((ROOT / "teaching" / "exam.toml").read_text(encoding="utf-8"))
    assert len(paper["exercises"]) > 5
    assert [exercises(ROOT)[label].kind for label in paper["proofs"]] == ["Prove"] * 2
    few = []
    for label in paper["exercises"]:
        one = get(label)
        drawn = [one.variant(), *(one.variant(seed) for seed in seeds(one, "w", paper["groups"]))]
        assert one.is_data
        if any(a == b for a, b in itertools.combinations(drawn, 2)):
            few.append((label, math.prod(map(len, one.varies.values()))))
    assert all(variants <= len(paper["groups"]) for _, variants in few), few


def test_a_proof_that_is_set_has_a_rubric():
    """A course or an exam sets no other; a slip costs a step that there is."""
    found = rubrics(ROOT)
    paper = tomllib.loads((ROOT / "teaching" / "exam.toml").read_text(encoding="utf-8"))
    asked = {week["proof"] for name in COURSES for week in course(ROOT, name)["weeks"] if "proof" in week}
    assert {*paper["proofs"], *asked} <= {*found} <= {*LABELS}
    for label, one in found.items():
        steps, slips = one["steps"], one["slips"]
        assert len(steps) == len({*steps}) > 2
        costs = {step for _, step in slips}
        assert costs <= {0, *range(1, len(steps) + 1)}, label
        assert len(costs - {0}) > 1, f"{label}: slips at one step only tell no marker where it hurts"
        assert all(line.count("$") % 2 == 0 for line in [*steps, *(slip for slip, _ in slips)]), label


def test_what_published_solutions_are_worth_is_kept_as_long_as_the_code_is(monkeypatch):
    env, labels = SimpleNamespace(), ["ex-start-diagonal"]
    worth = teaching.copied(labels, env)
    assert worth.endswith(f" {float(get(labels[0]).published()):.1f}")
    monkeypatch.setattr(Exercise, "published", lambda self: Fraction(7))
    assert teaching.copied([*labels, "ex-by-hand"], env) == worth
    monkeypatch.setattr(teaching, "text_digest", lambda folder: b"other code")
    assert teaching.copied(labels, env).endswith(" 7.0")


def test_what_takes_five_minutes_asks_for_no_program():
    judged = [EXERCISES[label] for label, one in exercises(ROOT).items() if label in EXERCISES and level(label) == "1"]
    assert len(judged) > 10
    assert [one.label for one in judged if not one.is_data] == []


def level(label: str) -> str:
    page = (ROOT / f"{exercises(ROOT)[label].page}.md").read_text(encoding="utf-8")
    heads = re.search(rf"((:\S+: .*\n)*):label: {label}\n((:\S+: .*\n)*)", page)[0]
    return re.search(r"^:class: level-(\d)\b", heads, re.MULTILINE)[1]


def test_a_session_has_90_minutes_and_leaves_time_for_what_it_names():
    page = (ROOT / "library" / "teaching.md").read_text(encoding="utf-8")
    table = re.search(r":class: uat-session\n.*?```", page, re.DOTALL)[0]
    rows = [row for row in re.split(r"^\* - ", table, flags=re.MULTILINE) if row[:1].isdigit()]
    spans = [tuple(map(int, re.match(r"(\d+)\N{EN DASH}(\d+)\n", row).groups())) for row in rows]
    ends = [end for _, end in spans]
    assert [begin for begin, _ in spans] == [0, *ends[:-1]]
    assert ends[-1] == 90
    for (begin, end), row in zip(spans, rows, strict=True):  # the clock of a row runs within it
        cues = [int(minute) for minute in re.findall(r"\*\*Minute (\d+):", row)]
        assert cues == sorted(cues)
        assert all(begin < cue < end for cue in cues), row
    (week,) = course(ROOT, "session")["weeks"]
    (game,) = week["pages"]
    read = [end - begin for (begin, end), row in zip(spans, rows, strict=True) if f"<../chapters/{game}#" in row]
    words = len(re.sub(r"```.*?```", "", text(game), flags=re.DOTALL).split())
    assert words / 130 < sum(read)  # read aloud it would still fit
    assert week["exercises"] == re.findall(r"<(ex-[\w-]+)>", rows[-1])
    assert all(level(label) == "1" for label in week["exercises"])  # five minutes each
    assert 5 * len(week["exercises"]) <= ends[-1] - spans[-1][0]
    assert all(get(label).is_data for label in week["exercises"])  # without Python
