"""Binder, followed to its end: what its image weighs, and what a chapter costs that is launched there.

Makes an environment from the folder binder/ alone, as repo2docker would, and in it, for each chapter, follows the link
of the button to launch it, runs all cells, moves an explorer and asks the form. Writes binder/measured.json, which the
page on ways to run the book reads. Seconds are those of the processor, but for the ones that pip takes.

    python benchmarks/binder.py FOLDER [--chapters start cheng-your-mixer]

FOLDER is made anew, or taken as it is if an earlier call has made it. The version of PyTorch is that of
requirements.txt, from wherever pip finds it.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "pages"))
import browser as chromium  # noqa: E402
from lab import HAS_RUN, PATIENCE, jupyter_lab, opened, wrong  # noqa: E402

from uatlib.internal import writing  # noqa: E402

RECORD = ROOT / "binder" / "measured.json"
ANSWER = re.compile(r"(yes|no) for n = \d+")
PICTURE = ".jp-OutputArea-output :is(img, svg, .uat-view)"


def environment(folder: Path) -> dict[str, Any]:
    """Make the environment and the repository as Binder has them; what they cost."""
    repository, said = folder / "book", folder / "made.json"
    if not said.exists():
        repository.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=repository, input=archive, check=True)
        subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
        lines = (repository / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
        wanted = [line.replace("+cpu", "") for line in lines if not line.startswith(("#", "--extra-index-url"))]
        writing.write(folder / "wanted.txt", "\n".join(wanted))
        pip = [folder / "env" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        seconds = [timed([*pip, "-r", folder / "wanted.txt"], folder), timed(["binder/postBuild"], folder)]
        size = sum(path.lstat().st_size for path in (folder / "env").rglob("*") if path.is_file())
        made = {"bytes": size, "pip_seconds": seconds[0], "post_build_seconds": seconds[1]}
        writing.write(said, json.dumps(made))
    made = json.loads(said.read_text(encoding="utf-8"))
    return dict(made)


def timed(command: list[Any], folder: Path) -> float:
    """Seconds on the wall of a command that runs in the repository, with the environment and a home of its own."""
    began = time.monotonic()
    subprocess.run(command, cwd=folder / "book", env={**os.environ, **inside(folder)}, check=True)
    return round(time.monotonic() - began, 1)


def inside(folder: Path) -> dict[str, str]:
    """The variables of a program that runs as in Binder; jupyter_lab sets those of Jupyter alike."""
    path = f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    config = {"JUPYTER_CONFIG_DIR": str(folder / "lab" / "config"), "MPLCONFIGDIR": str(folder / "matplotlib")}
    return {"PATH": path, "PYTHONPATH": "", "HOME": str(folder), **config}


def processor(processes: list[psutil.Process]) -> float:
    """Seconds of the processor that programs have taken so far."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def chapter(browser: Browser, address: str, name: str, server: psutil.Process) -> dict[str, Any]:
    """Launch a page, run it, move its first explorer and ask its form; what that took, and what went wrong."""
    before = processor([server])
    tab = opened(browser, address, f"{name}.md")
    (kernel,) = [child for child in server.children(recursive=True) if "ipykernel_launcher" in child.cmdline()]
    said: dict[str, Any] = {}
    tab.evaluate("void jupyterapp.commands.execute('notebook:run-all-cells')")
    tab.locator(PICTURE).first.wait_for(timeout=2 * PATIENCE)
    said["seconds_to_picture"] = processor([server, kernel]) - before
    tab.wait_for_function(HAS_RUN, timeout=4 * PATIENCE)
    said["seconds_to_end"] = processor([server, kernel]) - before
    said["wrong"] = wrong(tab)
    said["kernel_bytes"], said["server_bytes"] = (process.memory_info().rss for process in (kernel, server))
    said["explorer_moves"] = moves(tab)
    if tab.get_by_role("button", name="Ask", exact=True).count():
        said["form_answers"] = asks(tab)
    tab.evaluate("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    tab.close()
    psutil.wait_procs([kernel], timeout=20)
    return {key: round(value, 1) if isinstance(value, float) else value for key, value in said.items()}


def moves(tab: Page) -> bool | None:
    """Whether the first explorer with a slider says or shows something new when it is moved; None if there is none."""
    sliders = tab.locator(".uat-view").filter(has=tab.get_by_role("slider"))
    if not sliders.count():
        return None
    view = sliders.first
    slider = view.get_by_role("slider").first
    before = view.locator(".readout, .picture").all_text_contents()
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
        slider.press(key)
        for _ in range(50):
            if view.locator(".readout, .picture").all_text_contents() != before:
                return True
            tab.wait_for_timeout(100)
    return False


def asks(tab: Page) -> str:
    """What the form answers."""
    button = tab.get_by_role("button", name="Ask", exact=True)
    button.click()
    form = tab.locator(".jp-OutputArea-output").filter(has=button).filter(has_text=ANSWER)
    form.wait_for(timeout=PATIENCE)
    return ANSWER.search(form.text_content())[0]


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda name: Path(name).resolve())
    parser.add_argument("--chapters", nargs="+", default=sorted(path.stem for path in (ROOT / "chapters").glob("*.md")))
    options = parser.parse_args()
    record: dict[str, Any] = {
        "command": "python benchmarks/binder.py FOLDER",
        "environment": environment(options.folder),
    }
    os.environ |= inside(options.folder)
    lab = options.folder / "lab"
    lab.mkdir(exist_ok=True)
    record["chapters"] = {}
    python = str(options.folder / "env" / "bin" / "python")
    with sync_playwright() as playwright, jupyter_lab(lab, options.folder / "book", python) as address:
        (server,) = [child for child in psutil.Process().children() if "jupyterlab" in child.cmdline()]
        record["server_seconds"] = round(processor([server]), 1)
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=chromium.ARGUMENTS)
        for name in options.chapters:
            record["chapters"][name] = chapter(browser, address, f"chapters/{name}", server)
            print(name, record["chapters"][name], flush=True)
    writing.write(RECORD, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
