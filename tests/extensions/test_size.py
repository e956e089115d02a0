"""What is small stays small."""

import json
from pathlib import Path

import pytest
import size
import weights

ROOT = Path(__file__).resolve().parents[2]


def test_no_folder_grows_unexplained():
    """`python benchmarks/size.py --record "WHY"` writes the record anew, and WHY is a line of the changelog."""
    record = json.loads(size.RECORD.read_text(encoding="utf-8"))
    assert weights.grown(size.measure(), record["sizes"], size.MOST) == []
    changelog = " ".join((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split())
    assert f"- {record['why']}" in changelog


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.py", '"""Words,\nmore."""\n\n# a comment\nx = f(\n    1,\n)  # said\n', {5, 6, 7}),
        ("a.js", "/* words\n   more */\n\n// a comment\nconst x = `a\nb`; // said\n", {5, 6}),
        ("a.css", "/* words */\na {\n  color: red; /* said */\n}\n", {2, 3, 4}),
    ],
)
def test_a_line_counts_where_code_stands_on_it(tmp_path, name, text, lines):
    path = tmp_path / name
    path.write_text(text)
    assert (size.code_lines if path.suffix == ".py" else size.script_lines)(path) == lines
