"""The example of a source: `git apply tests/example_source.patch` puts it into a copy, where what it adds passes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATCH = ROOT / "tests" / "example_source.patch"
PAGES = {
    "_toc.yml": "format: jb-book\nroot: index\nchapters:\n  - file: chapters/zaheer-sums\n  - file: references\n",
    "index.md": "# A small book\n\n{doc}`chapters/zaheer-sums`\n",
    "references.md": "# References\n\n```{bibliography}\n```\n",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository as git has it, with the example."""
    copy = tmp_path_factory.mktemp("example")
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    subprocess.run(["git", "apply", PATCH], cwd=copy, check=True)
    return copy


def run(copy: Path, *command: str) -> str:
    """What it says of errors."""
    paths = os.pathsep.join(map(str, (copy, copy / "explorables" / "src")))
    done = subprocess.run(
        [Path(sys.executable).with_name(command[0]), *command[1:]],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


def test_the_example_keeps_what_every_source_keeps(copy):
    tests = ("uatlib/zaheer2017", "uatlib/test_fuzz.py", "uatbook/test_sources.py", "uatbook/test_statements.py")
    run(copy, "pytest", "-p", "no:benchmark", *(f"tests/{test}" for test in tests), "-k", "zaheer")
    run(copy, "ruff", "check", "--quiet", ".")
    run(copy, "ruff", "format", "--check", "--quiet", ".")


def test_its_page_is_built(copy):
    for name, text in PAGES.items():
        (copy / name).write_text(text, encoding="utf-8")
    said = run(copy, "jupyter-book", "build", ".", "--quiet", "--nitpick", "--keep-going")
    assert "zaheer" not in said  # a small book lacks what the build mends in a large one, and says so
    page = (copy / "_build" / "html" / "chapters" / "zaheer-sums.html").read_text(encoding="utf-8")
    assert all(part in page for part in ("set_code", "(universe = 5): holds", "sums of 32 sets"))
