"""Promises of the repository itself: files, pins, and the form of a chapter."""

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import uatlib

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
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


def test_what_no_build_reads_is_there():
    assert all((ROOT / name).is_file() for name in ("CONTRIBUTING.md", "Makefile", "assets/katex/LICENSE"))
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_a_checkout_has_the_line_ends_of_unix_whatever_git_is_told(tmp_path):
    """Bash reads no others."""
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-qs", "-c", "core.autocrlf=true", ROOT, copy], capture_output=True, check=True)
    subprocess.run(["bash", "-n", copy / "binder" / "postBuild"], check=True)
    ends = subprocess.run(["git", "ls-files", "--eol"], cwd=copy, capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"\b[iw]/(\S*)", ends)) == {"lf", "none", "-text"}


def test_no_file_names_a_registry_or_a_machine():
    found = []
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="replace")
        hits = [*HOSTS.findall(text), *MACHINE_PATHS.findall(text)]
        # Where PyTorch's CPU wheels are named, a fraction of the plain Linux wheel: Binder and Gradescope have no GPU.
        if path.relative_to(ROOT).as_posix() in ("binder/requirements.txt", "uatbook/grading/release.py", "README.md"):
            hits = []
        if hits:
            found.append((path.relative_to(ROOT).as_posix(), hits))
    assert found == []


def test_requirements_are_pinned_and_install_the_library():
    *pins, pictures, last = requirement_lines("requirements.txt")
    assert (pictures, last) == ("-e ./explorables", "-e .")
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    assert "torch==2.13.0" in pins
    assert len(pins) == len({pin.split("==")[0] for pin in pins})
    first, *tools = requirement_lines("requirements-dev.txt")
    assert first == "-r requirements.txt"
    assert [pin for pin in tools if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    assert set(requirement_lines("requirements-cluster.txt")) <= set(tools) & set(
        requirement_lines("requirements-lowest.txt")
    )


def test_toc_names_exactly_the_chapters():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    named = [toc["root"], *(page["file"] for chapter in chapters for page in (chapter, *chapter.get("sections", ())))]
    assert len(named) == len(set(named))
    assert {name for name in named if name.startswith("chapters/")} == {f"chapters/{p.stem}" for p in CHAPTERS}


def test_all_who_name_the_version_name_the_same():
    found = {
        name: re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name, pattern in {
            "CITATION.cff": r"^version: (\S+)",
            "references.md": r"version (\d+\.\d+\.\d+)",
            "uatlib/__init__.py": r'^__version__ = "([^"]+)"',
        }.items()
    }
    assert {name: set(versions) for name, versions in found.items()} == {name: {uatlib.__version__} for name in found}
    assert len(found["references.md"]) == 1


def test_the_citation_has_a_date_when_the_version_is_released():
    newest = re.search(r"^## (\S+), (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert newest[1] == citation["version"]
    assert newest[2] == citation.get("date-released", "not released yet")


# ------------------------------------------------------------------------------------------- what is given to others

BUILD = """
import sys
from setuptools import build_meta
_, folder = sys.argv
build_meta.build_sdist(folder)
build_meta.build_wheel(folder)
"""


@pytest.fixture(scope="module")
def parcels(tmp_path_factory) -> Path:
    """A folder with the source distribution and the wheel of a clean copy."""
    copy, parcels = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("parcels")
    for path in tracked():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    done = subprocess.run([sys.executable, "-c", BUILD, parcels], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return parcels


def test_wheel_and_source_hold_the_library_and_nothing_else(parcels):
    both = {"uatlib", "uatbook"}
    library = {path.relative_to(ROOT).as_posix() for path in tracked() if path.relative_to(ROOT).parts[0] in both}
    (wheel,), (source,) = parcels.glob("*.whl"), parcels.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as held:
        packed = {name for name in held.namelist() if ".dist-info/" not in name}
        licenses = [name.rsplit("/", 1)[1] for name in held.namelist() if "/licenses/" in name]
    assert packed == library
    assert licenses == ["LICENSE"]  # the texts of the book, under the other one, are not in it
    with tarfile.open(source) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    assert {name for name in names if name.split("/")[0] in both and "." in name} == library
    assert {name.split("/")[0] for name in names if "/" in name} == {*both, "uatlib.egg-info", "tests", "data"}


@pytest.mark.full
def test_the_tests_of_the_source_distribution_run(parcels, tmp_path):
    (source,) = parcels.glob("*.tar.gz")
    with tarfile.open(source) as held:
        held.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (unpacked,) = tmp_path.iterdir()
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    for options in (["--collect-only", "tests"], ["tests/uatlib/test_masks.py", "tests/uatlib/test_groups.py"]):
        command = [sys.executable, "-m", "pytest", "-p", "no:benchmark", *options]
        done = subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]


def test_the_wheel_says_what_it_is(parcels):
    (wheel,) = parcels.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        (name,) = (name for name in held.namelist() if name.endswith("/METADATA"))
        said = email.message_from_bytes(held.read(name))
    assert (said["Version"], said["License-Expression"]) == (uatlib.__version__, "BSD-3-Clause")
    assert said["Author"] == "The uatlib contributors"
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload().strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()
    assert f"Programming Language :: Python :: {said['Requires-Python'].removeprefix('>=')}" in said.get_all(
        "Classifier"
    )


def test_the_book_goes_online_after_the_tests_alone():
    # The base loader leaves the key `on` a text.
    test, publish = (
        yaml.load((ROOT / f".github/workflows/{name}.yml").read_text(encoding="utf-8"), yaml.BaseLoader)
        for name in ("test", "publish")
    )
    assert publish["on"] == {
        "workflow_run": {"workflows": [test["name"]], "types": ["completed"], "branches": ["main"]}
    }
    build, deploy = publish["jobs"]["build"], publish["jobs"]["deploy"]
    run = "github.event.workflow_run"
    assert build["if"] == f"{run}.conclusion == 'success' && {run}.event == 'push'"
    asked = {"ref": f"${{{{ {run}.head_sha }}}}", "fetch-tags": "true", "persist-credentials": "false"}
    assert build["steps"][0]["with"] == asked
    # Colab is to find what the pages link to; only jobs that run no code of the repository may write.
    assert deploy["needs"] == ["build", "notebooks"]
    assert test["permissions"] == publish["permissions"] == {"contents": "read"}
    assert [name for name, job in publish["jobs"].items() if "permissions" in job] == ["notebooks", "deploy"]
    assert publish["jobs"]["notebooks"]["permissions"] == {"contents": "write"}
    assert [*deploy["permissions"]] == ["pages", "id-token"]
    assert all("uses" in step for step in deploy["steps"])


def test_workflows_are_pinned_and_give_no_rights_away():
    # Pedantic, so that a new job says what it is and why it has its rights. What would ask the network stays out.
    zizmor = [Path(sysconfig.get_path("scripts")) / "zizmor", "--offline", "--pedantic", "--strict-collection"]
    done = subprocess.run([*zizmor, "--quiet", "."], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github/workflows").glob("*.yml"))]
    used = [line for text in texts for line in re.findall(r"^.*\buses:.*$", text, re.MULTILINE)]
    assert used
    pins = {re.search(r"uses: (actions/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$", line) for line in used}
    assert None not in pins
    assert len({pin.groups() for pin in pins}) == len({pin[1] for pin in pins})  # one version of each
    # Said outright, keeping the token passes zizmor.
    kept = [text.count("actions/checkout@") - text.count("persist-credentials: false") for text in texts]
    assert kept == [0] * len(texts)


def test_the_lowest_versions_are_those_that_are_allowed():
    files = (ROOT / "pyproject.toml", ROOT / "explorables" / "pyproject.toml")
    projects = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in files]
    pins = dict(line.split("==") for line in requirement_lines("requirements-lowest.txt"))
    allowed = [wanted for project in projects for wanted in project["dependencies"]]
    floors = dict(re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join(allowed), re.MULTILINE))
    assert {name: floor for name, floor in floors.items() if not f"{pins[name]}.".startswith(f"{floor}.")} == {}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_exercise_has_a_level_a_hint_and_a_hidden_solution(path):
    text = path.read_text(encoding="utf-8")
    begun = re.findall(r"^[`:]{3,}\{exercise(?:-start)?\}[^\n]*\n((?::[^\n]*\n)*)", text, re.MULTILINE)
    exercises = [label for options in begun for label in re.findall(r"^:label: *(\S+)", options, re.MULTILINE)]
    if path.stem != "writing-explorers":
        assert all(re.search(r"^:class: level-[123]( asked)?$", options, re.MULTILINE) for options in begun)
        between = [text[text.index(f":label: {name}") : text.index("{solution} " + name)] for name in exercises]
        assert all(part.count("{admonition} Hint\n:class: dropdown hint\n") == 1 for part in between)
    solutions = re.findall(r"^[`:]{3,}\{solution(?:-start)?\} *(\S+)\n((?::[^\n]*\n)*)", text, re.MULTILINE)
    assert exercises
    assert set(exercises) <= {label for label, _ in solutions}
    assert all("dropdown" in options for _, options in solutions)


def test_words_move_pictures_and_side_trips_say_why_one_would_go():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    trips = {Path(trip["file"]).name for chapter in chapters for trip in chapter.get("sections", ())}
    texts = {path.stem: path.read_text(encoding="utf-8") for path in CHAPTERS}
    assert {page for page, text in texts.items() if "```{side-trip}\n" in text} == trips
    moves = {page: text.count("{move}`") for page, text in texts.items()}
    assert sum(moves.values()) >= 100
    assert [page for page, count in moves.items() if not count] == ["writing-explorers"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_code_cells_are_short(path):
    cells = re.findall(
        r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    for _, cell in cells:
        body = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL)
        lines = [line for line in body.splitlines() if line.strip() and not line.lstrip().startswith(("#", ":"))]
        assert len(lines) <= 15, lines[0]
        # Longer lines scroll out of sight on the page, where a removed cell is not.
        width = 120 if "remove-cell" in cell.removesuffix(body) else 84
        assert [line for line in lines if len(line) > width] == []


def test_binder_pins_agree_with_the_requirements():
    pins = dict(pin.split("==") for pin in requirement_lines("requirements.txt")[:-2])
    binder = [line.split("==") for line in requirement_lines("binder/requirements.txt") if "==" in line]
    shared = {name: version.removesuffix("+cpu") for name, version in binder if name in pins}
    assert {"torch", "numpy", "python-flint"} <= set(shared)
    assert shared == {name: pins[name] for name in shared}


def test_no_style_sheet_asks_for_a_colour_that_none_gives():
    """A browser drops such a line without a word."""
    sheets = [*(ROOT / "assets").glob("*.css"), *(ROOT / "explorables" / "src").rglob("*.css")]
    text = "".join(path.read_text(encoding="utf-8") for path in sheets)
    asked, given = ({*re.findall(pattern, text)} for pattern in (r"var\((--uat-[\w-]+)\)", r"(--uat-[\w-]+)\s*:"))
    assert len(asked) > 10
    assert asked <= given
