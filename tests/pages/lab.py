"""A JupyterLab of its own, in a folder of its own, for the live tests and benchmarks."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # for benchmarks, which are programs
from _ext.shapes import notebooks  # noqa: E402

SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # all cells are there, also those out of sight
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
CELLS = 'jupyterapp.shell.currentWidget.content.widgets.map((c) => c.model).filter((c) => c.type === "code")'
WRONG = f"""{CELLS}.flatMap((cell) => cell.outputs.toJSON().filter(
  (output) => output.output_type === "error" || output.name === "stderr"))"""
HAS_RUN = f"""{CELLS}.at(-1).executionCount !== null &&
  jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === "idle" ||
  {WRONG}.some((output) => output.output_type === "error")"""
"""Whether the last cell has run, or one before it has failed: a cell whose code is folded shows no number."""
PATIENCE = 60_000
"""Milliseconds for the lab to start and a chapter to run."""


def notebook(folder: Path, chapter: str, *cells: str) -> str:
    """Write the notebook that a chapter offers, with more cells at its end, and return its name."""
    document = nbformat.reads(notebooks.notebook(ROOT / "chapters" / f"{chapter}.md", ROOT), as_version=4)
    document.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(document, folder / f"{chapter}.ipynb")
    return f"{chapter}.ipynb"


@contextmanager
def jupyter_lab(folder: Path, root: Path | None = None, python: str = sys.executable) -> Iterator[str]:
    """Run a lab that keeps its own files in `folder` and serves `root`, else `folder`, too; yields its address."""
    for name, values in SETTINGS.items():
        path = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("UATLIB_", "JUPYTER"))}
    environment |= {
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        "--port=0",
        "--expose-app-in-browser",
        "--IdentityProvider.token=t",
    ]
    command = [python, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={root or folder}"]
    log = folder / "lab.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + PATIENCE / 1000
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/lab", log.read_text(errors="replace"))):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.2)
        yield found[0]
    finally:
        process.terminate()
        process.wait(timeout=20)


def opened(browser: Browser, address: str, name: str) -> Page:
    """Open a notebook in the lab, by the address that a link to launch it has, and return the tab when it could run."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(f"{address}/tree/{name}?token=t&reset")  # or what was open before opens, too
    ready = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    tab.wait_for_function(ready, timeout=PATIENCE)
    return tab


def wrong(tab: Page) -> list[str]:
    """What cells have raised, and what they have written to stderr."""
    return [output.get("evalue", output.get("text")) for output in tab.evaluate(WRONG)]


def run_all(browser: Browser, address: str, name: str) -> Page:
    """Open a notebook in the lab, run all its cells, and return the tab when the last one has run."""
    tab = opened(browser, address, name)
    tab.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    tab.wait_for_function(HAS_RUN, timeout=PATIENCE)
    return tab
