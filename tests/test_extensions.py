"""The book's own Sphinx extensions."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "_ext"))

from uat_maths import render  # noqa: E402
from uat_rebuild import fingerprint  # noqa: E402


def test_bad_formulas_are_errors():
    assert "katex" in render(r"\frac{1}{2}", False)["html"]
    assert "Undefined control sequence" in render(r"\nomacro", True)["error"]


def test_fingerprint_sees_names_and_contents(tmp_path):
    (tmp_path / "a.py").write_text("1")
    first = fingerprint(tmp_path, ["*"])
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    second = fingerprint(tmp_path, ["*"])
    (tmp_path / "b.py").write_text("2")
    assert len({first, second, fingerprint(tmp_path, ["*"])}) == 3
