"""Newer versions: what is asked of pip, what is written back, and who is to blame. Nothing here asks a network."""

import importlib.util
import json
import math
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "upgrade.py"
TEXT = """\
# What the book needs, pinned as in a==1.
Alpha_one==1.4.0.post1           # <2, which is another program
beta==9.9
torch==2.13.0+cpu
delta==0.9.0    # exact, in less than 3 lines
-e .
"""


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("upgrade", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["upgrade"] = module
    spec.loader.exec_module(module)
    return module


def test_pins_are_read_with_their_limits(tool):
    found = [("Alpha_one", "1.4.0.post1", "<2"), ("beta", "9.9", ""), ("torch", "2.13.0", ""), ("delta", "0.9.0", "")]
    assert [tuple(pin) for pin in tool.pins(TEXT)] == found


def test_the_files_of_the_repository_have_every_pin(tool):
    for name in tool.FILES:
        text = (PATH.parents[1] / name).read_text(encoding="utf-8")
        lines = [line.partition("#")[0].strip() for line in text.splitlines()]
        wanted = [line.partition("+")[0].split("==") for line in lines if "==" in line]
        assert [[pin.name, pin.version] for pin in tool.pins(text)] == wanted
        assert tool.moved(text, {}) == text


def test_free_pins_may_rise_to_their_limit_and_others_stay(tool):
    asked = tool.asked(tool.pins(TEXT), ["Alpha_one", "beta"])
    assert asked == ["Alpha_one>=1.4.0.post1,<2", "beta>=9.9", "torch==2.13.0", "delta==0.9.0"]


def test_versions_are_those_of_the_report_whatever_the_spelling(tool):
    names = [("alpha-One", "1.5"), ("Beta", "10.0"), ("other", "3"), ("torch", "2.14.0+cpu")]
    report = json.dumps({"install": [{"metadata": {"name": name, "version": version}} for name, version in names]})
    versions = tool.chosen(report, ["Alpha_one", "beta", "torch"])
    assert versions == {"Alpha_one": "1.5", "beta": "10.0", "torch": "2.14.0"}


def test_written_versions_leave_comments_builds_and_the_rest_alone(tool):
    wanted = """\
# What the book needs, pinned as in a==1.
Alpha_one==1.5                   # <2, which is another program
beta==10.0
torch==2.14.0+cpu
delta==0.10.0.post12 # exact, in less than 3 lines
-e .
"""
    versions = {"Alpha_one": "1.5", "beta": "10.0", "torch": "2.14.0", "delta": "0.10.0.post12"}
    assert tool.moved(TEXT, versions) == wanted


@pytest.mark.parametrize("wrong", [{"c"}, {"a", "h"}, {"b", "c", "g"}, set("abcdefgh"), set()])
def test_bisection_finds_all_that_are_to_blame_and_nobody_else(tool, wrong):
    runs = []

    def works(free):
        runs.append(frozenset(free))
        return not wrong & set(free)

    assert sorted(tool.culprits(list("abcdefgh"), works)) == sorted(wrong)
    assert len(set(runs)) <= 2 + len(wrong) * (math.log2(8) + 1)


def test_a_pair_that_breaks_only_together_loses_one(tool):
    held = tool.culprits(list("abcdef"), lambda free: not {"b", "e"} <= set(free))
    assert held == ["e"]


def test_nobody_is_blamed_for_what_breaks_today(tool):
    with pytest.raises(SystemExit, match="today's versions"):
        tool.culprits(["a"], lambda free: False)


def test_the_report_names_what_moves_and_says_how_it_went(tool):
    old, new = {"a": "1", "b": "2", "c": "3"}, {"c": "4", "a": "1", "b": "2.1"}
    _, _, b, c, _, verdict = tool.report(old, new, "make test", None).splitlines()
    assert [b, c] == ["| b | 2 | 2.1 |  |", "| c | 3 | 4 |  |"]
    assert verdict == "`make test` passes with all of them. Pins that stay: 1."
    failed = tool.report(old, new, "make test", "one\ntwo\n").splitlines()
    assert failed[4:] == ["", "`make test` fails with all of them. Pins that stay: 1.", "", "```", "one", "two", "```"]
    silent = tool.report(old, new, "make test", "", ["c"])
    assert "| 4 | breaks it |\n\n`make test` fails with all of them, and passes without c. Pins that stay: 1." in silent
