"""What `make lighthouse` says of a page that is too slow, or moves, and where npm is missing."""

import lighthouse
import pytest

GOOD = {**dict.fromkeys(lighthouse.LEAST, 100), **dict.fromkeys(lighthouse.WAITS, 0), "longest-task": 61, "load": 1.2}


def test_of_three_runs_the_one_in_the_middle_counts():
    runs = [{**GOOD, "performance": score} for score in (99, 12, 96)]
    assert lighthouse.medians(runs) == {**GOOD, "performance": 96}


def test_what_is_slow_or_moves_is_named():
    pages = {
        "index": GOOD,
        "tour": {**GOOD, "seo": 94},
        "shown": {**GOOD, "accessibility": 99},
        "atlas": {**GOOD, "cumulative-layout-shift": 0.028},
    }
    assert lighthouse.below(pages) == [
        "tour: seo 94",
        "shown: accessibility 99",
        "atlas: cumulative-layout-shift 0.028",
    ]


def test_the_table_has_a_row_a_page():
    head, row = lighthouse.table({"index": GOOD}).splitlines()
    assert row.split() == ["index", "100", "100", "100", "100", "0.000", "61", "ms", "1.2"]
    assert head.index("longest task") == row.index("61 ms")


def test_without_npm_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(lighthouse.shutil, "which", lambda name: None if name == "npm" else f"/usr/bin/{name}")
    with pytest.raises(SystemExit, match="apt-get install npm"):
        lighthouse.tools()
