"""The book's own Sphinx extensions."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "_ext"))

from uat_figures import inline  # noqa: E402
from uat_maths import render  # noqa: E402
from uat_rebuild import fingerprint  # noqa: E402

SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" id="top">
<metadata>today</metadata>
<defs><style>*{stroke: red}</style><path id="m1" style="stroke: #000000"/></defs>
<use xlink:href="#m1" style="fill: #ffffff; stroke: #3b7fc4"/>
<path fill="#010101" clip-path="url(#m1)"/></svg>"""


def test_figures_take_the_colours_of_the_page():
    page = inline(SVG, "f", 'a "staircase"')
    assert "stroke: currentColor" in page
    assert "fill: var(--uat-paper)" in page
    assert "#3b7fc4" in page
    assert 'fill="#010101"' in page
    assert "today" not in page
    assert "red" not in page
    assert 'aria-label="a &quot;staircase&quot;"' in page


def test_figures_renumber_the_ids_they_use():
    page = inline(SVG, "f", "")
    assert page.count('id="') == 1
    assert page.count("f-0") == 3
    assert "m1" not in page


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
