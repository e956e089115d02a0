"""A chapter as a link to Binder launches it: the page itself, in JupyterLab, beside all others."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import PATIENCE, ROOT, jupyter_lab, run_all, wrong
from playwright.sync_api import Page, expect

EXPLORERS = {"ground": "How sharp is sharp enough?", "cheng-your-mixer": "Which mixer is fooled, and by what?"}


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """The address of a lab in a copy of the chapters, set up by the line of binder/postBuild, and where the copy is."""
    folder, root = tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "chapters", root / "chapters")
    (line,) = [line for line in (ROOT / "binder" / "postBuild").read_text().splitlines() if "jupytext" in line]
    program, *options = line.split()
    command = [Path(sys.executable).with_name(program), *options]
    subprocess.run(command, env={"JUPYTER_CONFIG_DIR": str(folder / "config")}, check=True)
    with jupyter_lab(folder, root) as address:
        yield address, root


@pytest.mark.full
@pytest.mark.parametrize("name", EXPLORERS)
def test_a_launched_chapter_runs_and_saves_as_it_was(lab, browser, name):
    address, root = lab
    page = root / "chapters" / f"{name}.md"
    tab = run_all(browser, address, f"chapters/{name}.md")
    assert wrong(tab) == []
    folded = tab.locator(".jp-CodeCell .jp-InputPlaceholder")
    assert folded.count() == page.read_text(encoding="utf-8").count("source_hidden: true") > 0
    assert explorer_moves(tab, EXPLORERS[name])
    before = page.stat().st_mtime_ns
    tab.evaluate("jupyterapp.commands.execute('docmanager:save')")
    assert page.stat().st_mtime_ns > before, "it was saved"
    assert page.read_bytes() == (ROOT / "chapters" / page.name).read_bytes()
    tab.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    tab.close()


def explorer_moves(tab: Page, title: str) -> bool:
    """Whether the read-out of an explorer changes with its first slider."""
    view = tab.locator(".uat-view").filter(has=tab.get_by_role("group", name=title))
    readout, slider = view.locator(".readout"), view.get_by_role("slider").first
    said = readout.inner_text()
    slider.press("ArrowRight")
    expect(readout).not_to_have_text(said, timeout=PATIENCE)
    return True
