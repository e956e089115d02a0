"""One style sheet and one script for all pages, and a policy."""

import base64
import hashlib
import re
import subprocess
from pathlib import Path

import pytest

from _ext.finish.bundle import THEIRS, WITHIN, lean, part, used, whole, words
from explorables.live.node import program

ROOT = Path(__file__).resolve().parents[3]
VERSIONS = {"book.css": "c5", "book.js": "15", "uat-checks.js": "ab"}
PAGE = """<html data-theme="auto"><head>
<meta charset="utf-8" />
<script>let theme = 1;</script>
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="../_static/style.css?v=2" />
<link rel="preload" as="script" href="../_static/scripts/bootstrap.js?digest=1" />
<script src="../_static/doctools.js?v=3"></script>
<script>let toggleHintShow = 'Show';</script>
<script defer="defer" src="../_static/uat-checks.js?v=4"></script>
<script>DOCUMENTATION_OPTIONS.pagename = 'a';</script>
</head><body>
<script>document.write(`<button class="btn theme">x</button>`);</script>
<button class="print" onclick="window.print()"></button>
<script type="application/json">{"no": "script"}</script>
<script src="../_static/scripts/bootstrap.js?digest=1"></script>
</body></html>
"""


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        (".a{x:1}", ".a{x:1}"),
        (".a .b{x:1}", ""),
        (".b, .a > p{x:1}", ".a > p{x:1}"),
        ("p:not(.b):is(.c, .a){x:1}", "p:not(.b):is(.c, .a){x:1}"),
        ('#b, [class~="b"]{x:1}', '[class~="b"]{x:1}'),
        ("@media print{.b{x:1} .a{x:1}}", "@media print{.a{x:1}}"),
        ("@media print{@supports (x: 1){.b{x:1}}}", ""),
        ("@font-face{font-family:b}@keyframes b{to{x:1}}", "@font-face{font-family:b}@keyframes b{to{x:1}}"),
        ('@charset "utf-8";/* .a */.a{/* b */x:1}', ".a{x:1}"),
    ],
)
def test_what_no_page_needs_is_left_out(css, kept):
    assert re.sub(r"\n", "", used(css, {"a"})) == kept


def test_names_are_those_of_pages_and_scripts():
    found = words(["<p class='one two' id=\"three\">class=four"], ['add("five-six")'])
    assert {"one", "two", "three", "add", "five-six"} <= found
    assert "four" not in found


def test_a_sheet_takes_in_what_it_imports_and_finds_its_files(tmp_path):
    (tmp_path / "styles").mkdir()
    (tmp_path / "base.css").write_text("a{b:url(i.png)}")
    (tmp_path / "styles" / "t.css").write_text('@import "../base.css";c{d:url("../f.woff2?v=1#g") url(data:x)}')
    assert whole(tmp_path / "styles" / "t.css", tmp_path) == 'a{b:url("i.png")}c{d:url("f.woff2?v=1#g") url(data:x)}'


def test_lines_below_words_are_said_as_all_browsers_know_them():
    """WebKit drops a rule that says more of a line than where it is."""
    sheets = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "assets").glob("*.css")}
    said = re.findall(r"text-decoration: *([^;}]*)", "".join(sheets.values()))
    assert {"none", "underline"} == {*said}


def test_fonts_of_icons_stand_in_the_sheet(tmp_path):
    (tmp_path / "t.css").write_text("".join(f"a{{b:url({ROOT}/assets/fonts/{name})}}" for name in WITHIN))
    assert whole(tmp_path / "t.css", tmp_path).count('url("data:font/woff2;base64,d09GMg') == len(WITHIN)
    assert used(f"@font-face{{src:url({THEIRS}a.ttf)}}@font-face{{src:url(b)}}", set()) == "@font-face{src:url(b)}\n"


def test_a_page_has_one_sheet_one_script_its_own_and_a_policy():
    page = lean(PAGE, "../", VERSIONS)
    assert re.findall(r'rel="stylesheet" href="([^"]*)"', page) == ["../_static/book.css?v=c5"]
    loaded = ["../_static/book.js?v=15", "../_static/uat-checks.js?v=ab"]
    assert re.findall(r'<script defer src="([^"]*)"', page) == loaded
    assert page.count(" src=") == 2
    assert '<button class="uat-js btn theme">' in page
    assert '<button class="print" data-print>' in page
    inline = re.findall(r"<script>(.*?)</script>", page)
    assert inline == ["let theme = 1;"]
    expected = sorted(base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in inline)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'self'; script-src 'self' 'sha256-")
    assert re.findall(r"'sha256-([^']*)'", policy) == expected
    assert page.index("utf-8") < page.index("Content-Security-Policy") < page.index("<script")
    assert lean(page, "../", VERSIONS) == page


def test_an_error_of_one_script_stops_no_other():
    codes = ("const one = () => 1;", "missing();\nconst two = 2;", "function three() { return one() + 2; }")
    after = "setTimeout(() => process.stdout.write(String([one(), three(), typeof two])), 5)"
    script = "globalThis.window = globalThis; const told = []; process.on('uncaughtException', (e) => told.push(e));"
    script += f"{''.join(map(part, codes))}{after}; setTimeout(() => process.stdout.write(String(told)), 9)"
    ran = subprocess.run([program(), "-e", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "1,3,undefinedReferenceError: missing is not defined"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [("style.css", "new.css", "style sheets: .*new.css"), ("doctools.js", "new.js", "scripts: .*new.js")],
)
def test_what_is_new_is_not_lost_unseen(old, new, says):
    with pytest.raises(ValueError, match=says):
        lean(PAGE.replace(old, new), "../", VERSIONS)
