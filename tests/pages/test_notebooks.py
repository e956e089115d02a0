"""The notebooks that pages offer: there, and run by a program as a reader would run one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from _ext.running.runs import runs

ROOT = Path(__file__).resolve().parents[2]

SMALL = "chapters/writing-explorers"
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]


def test_pages_with_code_offer_their_notebook(book, page_name):
    page = (book / f"{page_name}.html").read_text(encoding="utf-8")
    offered = re.findall(r'href="((?!https:)[^"]*\.ipynb)"', page)
    path = book / "_sources" / f"{page_name}.ipynb"
    if "{code-cell}" not in (book / "_sources" / f"{page_name}.md").read_text(encoding="utf-8"):
        assert offered == []
        assert not path.exists()
        return
    assert len(offered) == 1
    assert (book / f"{page_name}.html").parent.joinpath(offered[0]).resolve() == path.resolve()
    read = nbformat.read(path, as_version=4)
    assert all(cell.get("outputs", []) == [] for cell in read.cells)
    assert "import uatbook\nexcept ImportError:" in read.cells[0].source
    assert not any("solution" in cell.metadata.get("tags", []) for cell in read.cells), "solutions stand in the text"


def test_a_chapter_hangs_on_no_source_but_its_own(page_name):
    """So an edit of the other source runs none of these again."""
    read = {Path(name).parts[1] for name in runs(ROOT).get(page_name, {}).get("modules", ())}
    if "{code-cell}" not in (ROOT / f"{page_name}.md").read_text(encoding="utf-8"):
        assert read == set()
        return
    if page_name in ("library/statements", "library/errata"):
        assert {"overview.py", "yun2020", "kajitsuka2024", "liu2025", "cheng2025"} <= read  # statements of all sources
        return
    # explorables/src is its second part, as uatlib/yun2020.
    assert "src" in read or page_name in ("library/notation", "library/machine-checked")
    own = {"yun": "yun2020", "kajitsuka": "kajitsuka2024", "liu": "liu2025", "cheng": "cheng2025"}
    captions = {
        page["file"]: part["caption"]
        for part in PARTS
        for chapter in part["chapters"]
        for page in (chapter, *chapter.get("sections", ()))
    }
    source = captions.get(page_name, "").partition(" ")[0].lower()
    if source not in own:
        source = Path(page_name).name.removeprefix("more-").partition("-")[0]
    before = list(own)[: list(own).index(source)] if source in own else []
    later = set(own.values()) - {own[name] for name in [*before, source] if name in own}
    assert not read & (later if source in own else set(own.values()) if source == "writing" else set())
    if source in own:
        assert own[source] in read


@pytest.fixture(scope="module")
def converted(book, tmp_path_factory):
    """The small notebook run and written as HTML by nbconvert, in a folder of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UATLIB_")}
    options = ["--execute", "--to", "html", "--output-dir", str(folder), "--log-level", "ERROR"]
    command = [sys.executable, "-m", "nbconvert", *options, str(book / "_sources" / f"{SMALL}.ipynb")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.html"))


def test_a_downloaded_notebook_runs(converted):
    assert "files it asks for: 0" in converted.read_text(encoding="utf-8")  # its last cell but one


def test_a_notebook_that_was_run_shows_first_frames_offline(browser, converted):
    """A widget's view without a kernel would be an empty place; a picture is not."""
    tab = browser.new_page()
    tab.route(re.compile("^http"), lambda route: route.abort())
    tab.goto(converted.as_uri())
    frames = tab.locator(".uat-first img")
    assert frames.count() == 1
    assert frames.first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 200
    assert frames.first.is_visible()
    assert len(frames.first.get_attribute("alt")) > 30
    assert tab.get_by_text("need a running notebook").is_visible()
    tab.close()
