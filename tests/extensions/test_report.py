"""The report of the benchmarks: each row has a figure at small sizes, and no arm computes something else.

Rows of pages are tested in `tests/pages/test_report.py`.
"""

import math
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import report
import torch
from works import ENTRIES, Arm, Entry, Floor, Goal, Work

ROOT = Path(__file__).resolve().parents[2]

OURS = [name for name, entry in ENTRIES.items() if not entry.pages]
MAY_LACK = {"pykeops", "FlexAttention"}
"""These need a compiler, or are not installed."""


def entry(make, goal=None, **options) -> Entry:
    return Entry(
        "a row", make, goal, "Because.", **{"unit": "s", "rounds": 3, "quantile": 0.5, "pages": False} | options
    )


@pytest.mark.full
@pytest.mark.parametrize("name", OURS)
def test_every_row_has_a_figure_and_every_arm_the_result_of_ours(name):
    row = report.measure(ENTRIES[name], quick=True)
    recorded = ENTRIES[name].name in {title for title, _ in report.RECORDED.values()}
    assert row.ours > 0 or recorded or ENTRIES[name].unit == "MiB"
    assert {*row.absent} <= MAY_LACK
    if ENTRIES[name].unit == "s":
        assert {*row.figures} | {*row.absent} == {"ours", *row.work.arms}
    assert bool(ENTRIES[name].goal) <= bool(ENTRIES[name].why)
    assert row.floor is None or row.floor > 0
    assert ENTRIES[name].name in report.report([row], True, [0.0])


def test_the_report_that_is_kept_has_all_rows():
    report.page_rows()
    overview = report.REPORT.read_text(encoding="utf-8").partition("## Overview")[2].partition("##")[0]
    assert re.findall(r"^\| ([^|]+) \|", overview, re.MULTILINE)[2:] == [entry.name for entry in ENTRIES.values()]


def test_memory_is_that_of_a_process_of_its_own(capsys, monkeypatch):
    name = "Network of Cheng et al."
    monkeypatch.setattr(sys, "argv", ["report.py", "--quick", "--peak", name, "ours"])
    report.main()
    assert int(capsys.readouterr().out) < 2**30
    # Written to, as pages of zeros are not there before; and given back, so that it is the peak that counts.
    assert 0.9 * 2**26 < report.taken(lambda: len(b"x" * 2**26)) < 2**27
    assert report.taken(lambda: None) < 2**24
    with pytest.raises(RuntimeError, match="no such row"):
        report.above_start("no such row", "ours")


def test_an_arm_that_computes_something_else_is_refused():
    X = torch.ones(4)
    for found in (X + 1e-3, X[None], torch.full((4,), math.nan)):
        arms = {"ours": Arm(lambda: X), "theirs": Arm(lambda found=found: found)}
        with pytest.raises(ValueError, match=r"^a row: expected theirs to give what is expected within 1e-06"):
            report.measure(entry(lambda quick, arms=arms: Work("", arms, tolerance=1e-6)), quick=True)
    with pytest.raises(ValueError, match="expected ours to give"):
        report.measure(entry(lambda quick: Work("", {"ours": Arm(lambda: 1)}, expected=2)))


def test_how_far_an_arm_is_off_stands_beside_its_figure():
    arms = {"ours": Arm(lambda: torch.ones(2)), "theirs": Arm(lambda: torch.tensor([1, 1.25]))}
    row = report.measure(entry(lambda quick: Work("", arms, tolerance=1)), quick=True)
    assert [line.partition("off ours")[2] for line in report.details(row)] == ["", "", " by up to 2e-01"]


def test_a_row_that_fails_leaves_the_others(monkeypatch, capsys):
    def failing(quick):
        raise OSError("no such\nprogram")

    made = {"bad": failing, "good": lambda quick: Work("", {"ours": Arm(lambda: 1)})}
    rows = {name: replace(entry(make), name=name) for name, make in made.items()}
    for name, value in {"ENTRIES": rows, "page_rows": lambda: None}.items():
        monkeypatch.setattr(report, name, value)
    monkeypatch.setattr(sys, "argv", ["report.py", "--quick"])
    with pytest.raises(SystemExit, match=r"^Rows that could not be measured:\nbad: OSError: no such$"):
        report.main()
    assert "| good |" in capsys.readouterr().out


def test_an_arm_that_cannot_run_is_named_with_what_it_says():
    def theirs():
        raise NotImplementedError("no such dtype\nand more")

    row = report.measure(entry(lambda quick: Work("", {"ours": Arm(lambda: 1), "theirs": Arm(theirs)})))
    assert row.absent == {"theirs": "NotImplementedError: no such dtype"}
    assert "- theirs: absent. NotImplementedError" in report.report([row], True, [0.0])


def test_what_a_missed_goal_says():
    """By hand: ours takes 2 s a round, the peer 1 s, of 10 things."""
    cases = [
        (Goal("best peer", 1.05), "misses not slower by 90%"),
        (Goal("rate", 10, "things"), "misses 10 things/s by a factor of 2"),
        (Goal("at most", 1.6), "misses 1.6 s by 25%"),
        (Goal("above floor", 1), "misses 1 s above the floor by 50%"),
        (Goal("at most", 2), None),
        (Goal("rate", 5, "things"), None),
    ]
    arms = {"ours": Arm(lambda: 0), "peer": Arm(lambda: 0), "told more": Arm(lambda: 0, peer=False)}
    for goal, words in cases:
        row = report.Row(entry(None, goal), Work("", arms, count=10), floor=0.5)
        row.figures = {"ours": [2.0, 2.0, 4.0], "peer": [1.0, 1.0, 2.0], "told more": [0.1, 0.1, 0.1]}
        assert row.best == "peer"
        assert [*report.said([row])] == ([f"- **a row** {words}. Because."] if words else [])


def test_the_floor_is_the_most_of_three(monkeypatch):
    for name, rate in {"matrix_rate": 100, "exp_rate": 10}.items():
        monkeypatch.setattr(report, name, lambda dtype, quick, rate=rate: rate)
    monkeypatch.setattr(report, "copy_rate", lambda quick: 50)
    assert report.seconds_of(Floor("", operations=300, moved=50, exponentials=10), True) == 3
    assert report.seconds_of(Floor("", operations=300, moved=400, exponentials=10), True) == 8
    assert report.seconds_of(Floor("", operations=300, moved=400, exponentials=90), True) == 9


def test_arms_take_turns_and_a_share_counts_for_the_whole():
    calls = []
    arms = {
        name: Arm(lambda name=name: calls.append(name), share=share) for name, share in (("ours", 1), ("peer", 0.5))
    }
    row = report.measure(entry(lambda quick: Work("", arms)))
    assert "".join(name[0] for name in calls) == "op" + "op" + "po" + "op"
    assert len(row.figures["peer"]) == 3
    assert report.distance(np.array([1, 2]), torch.tensor([1, 4])) == 2


@pytest.mark.parametrize(
    ("value", "text"), [(2.5, "2.5 s"), (0.0123, "12.3 ms"), (4e-6, "4 µs"), (3e-9, "3 ns"), (1234.5, "1,234 s")]
)
def test_figures_have_three_digits(value, text):
    assert report.written(value, "s") == text
