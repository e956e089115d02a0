"""The book's own Sphinx extensions."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "_ext"))

from uat_maths import render  # noqa: E402
from uat_pages import mend_themes  # noqa: E402
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


SHEET = """@charset "UTF-8";
/* both; light, and dark */
p{color:red}
html[data-theme=dark] a:not(.x,.y),html[data-theme="light"] b , i { color: blue }
@media (min-width: 9px){html[data-theme=dark]{--ink:white}}
"""
THEMED = """@charset "UTF-8";
/* both; light, and dark */
p{color:red}
i{ color: blue }
html[data-theme="light"] b{ color: blue }
@media (prefers-color-scheme: light) {html[data-theme="auto"] b{ color: blue }}
@media print {html[data-theme] b{ color: blue }}
@media screen {html[data-theme=dark] a:not(.x,.y){ color: blue }}
@media screen and (prefers-color-scheme: dark) {html[data-theme="auto"] a:not(.x,.y){ color: blue }}
@media (min-width: 9px){
@media screen {html[data-theme=dark]{--ink:white}}
@media screen and (prefers-color-scheme: dark) {html[data-theme="auto"]{--ink:white}}}
"""


def test_rules_of_a_theme_also_follow_the_system_and_the_paper():
    mended = mend_themes(SHEET)
    assert [line for line in mended.splitlines() if line][:-1] == THEMED.splitlines()
    assert mend_themes(mended) == mended
