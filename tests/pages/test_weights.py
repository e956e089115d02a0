"""No page grows by a tenth unseen."""

import json
from pathlib import Path

import weights

ROOT = Path(__file__).resolve().parents[2]


def test_no_page_is_a_tenth_heavier_than_it_was(book):
    """`python benchmarks/weights.py` writes the record anew, where a page is meant to grow."""
    now = weights.measure(book)
    (ROOT / "_build" / "weights.json").write_text(json.dumps(now, indent=1), encoding="utf-8")
    assert weights.grown(now, json.loads(weights.RECORD.read_text(encoding="utf-8"))) == []


def test_growth_is_seen():
    before = {"a": {"page": 100, "elements": 10}}
    assert weights.grown({"a": {"page": 110, "elements": 11}}, before) == []
    assert weights.grown({"a": {"page": 111, "elements": 12}, "b": {"page": 1}}, before) == [
        "b: new",
        "a: page 111, was 100",
        "a: elements 12, was 10",
    ]
