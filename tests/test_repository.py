"""Promises of the repository itself: files, pins, and the form of a chapter."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

import uatlib

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
PROMISED = [
    ".ci/run",
    ".github/workflows/publish.yml",
    ".github/workflows/test.yml",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "LICENSE-text",
    "Makefile",
    "README.md",
    "_config.yml",
    "_toc.yml",
    "assets/katex/LICENSE",
    "pyproject.toml",
    "references.bib",
    "requirements-dev.txt",
    "requirements.txt",
]
# Written in pieces, or this file would be the first to break the rule.
HOSTS = re.compile(
    "|".join(
        [
            "py" + r"pi\.org",
            "python" + r"hosted\.org",
            "download" + r"\.pytorch",
            "index" + r"[-_]url *[= ] *http",
        ]
    )
)
MACHINE_PATHS = re.compile(r"(?<![\w.<)])/(?:home|Users|root|tmp|work|private)/[\w.-]+")


def tracked() -> list[Path]:
    """Return the tracked text files, without the vendored ones."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in names.split("\0") if name and not name.startswith("assets/katex/")]
    return [path for path in paths if path.exists() and b"\0" not in path.read_bytes()]


def requirement_lines(name: str) -> list[str]:
    lines = (line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


@pytest.mark.parametrize("name", PROMISED)
def test_promised_file_exists(name):
    assert (ROOT / name).is_file()


def test_ci_script_is_executable():
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_no_file_names_a_registry_or_a_machine():
    found = []
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="replace")
        hits = [*HOSTS.findall(text), *MACHINE_PATHS.findall(text)]
        # The one place where PyTorch's CPU wheels are named: Binder has no GPU.
        if path == ROOT / "binder/requirements.txt":
            hits = []
        if hits:
            found.append((path.relative_to(ROOT).as_posix(), hits))
    assert found == []


def test_requirements_are_pinned_and_install_the_library():
    *pins, last = requirement_lines("requirements.txt")
    assert last == "-e ."
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    assert "torch==2.13.0" in pins
    assert len(pins) == len({pin.split("==")[0] for pin in pins})
    first, *tools = requirement_lines("requirements-dev.txt")
    assert first == "-r requirements.txt"
    assert [pin for pin in tools if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []


def test_toc_names_exactly_the_chapters():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    named = [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]
    assert len(named) == len(set(named))
    assert {name for name in named if name.startswith("chapters/")} == {f"chapters/{p.stem}" for p in CHAPTERS}


def test_all_who_name_the_version_name_the_same():
    found = {
        name: re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name, pattern in {
            "CITATION.cff": r"^version: (\S+)",
            "index.md": r"version(?: +=)? \{?(\d+\.\d+\.\d+)",
            "pyproject.toml": r'^version = "([^"]+)"',
            "uatlib/__init__.py": r'^__version__ = "([^"]+)"',
        }.items()
    }
    assert {name: set(versions) for name, versions in found.items()} == {name: {uatlib.__version__} for name in found}
    assert len(found["index.md"]) == 2


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_exercise_has_a_hidden_solution(path):
    text = path.read_text(encoding="utf-8")
    exercises = re.findall(
        r"^[`:]{3,}\{exercise(?:-start)?\}[^\n]*\n(?::(?!label)[^\n]*\n)*:label: *(\S+)", text, re.MULTILINE
    )
    solutions = re.findall(r"^[`:]{3,}\{solution(?:-start)?\} *(\S+)\n((?::[^\n]*\n)*)", text, re.MULTILINE)
    assert exercises
    assert set(exercises) <= {label for label, _ in solutions}
    assert all("dropdown" in options for _, options in solutions)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_code_cells_are_short(path):
    cells = re.findall(
        r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    for _, cell in cells:
        body = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL)
        lines = [line for line in body.splitlines() if line.strip() and not line.lstrip().startswith(("#", ":"))]
        assert len(lines) <= 15, lines[0]
        # Longer lines scroll out of sight on the page.
        assert [line for line in lines if len(line) > 84] == []


def test_binder_pins_agree_with_the_requirements():
    pins = dict(pin.split("==") for pin in requirement_lines("requirements.txt")[:-1])
    binder = [line.split("==") for line in requirement_lines("binder/requirements.txt") if "==" in line]
    shared = {name: version.removesuffix("+cpu") for name, version in binder if name in pins}
    assert {"torch", "numpy", "python-flint"} <= set(shared)
    assert shared == {name: pins[name] for name in shared}
