"""Files are whole: after a kill, on a full disk, under two writers."""

from __future__ import annotations

import ast
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from uatlib.internal import files, writing

ROOT = Path(__file__).resolve().parents[2]

# --------------------------------------------------------------------------------------------------------- the one rule

MODES = {*"wax+"}
NO_FILES = {
    'path.open("a+b")': "a line at a time, and half of one is passed over",
    'os.fdopen(os.dup(1), "w", buffering=1)': "what a submission says, to the grader",
    'tempfile.TemporaryFile("w+", encoding="utf-8")': "what a sandbox reads",
    "uatlib/internal/writing.py": "the function itself",
    "benchmarks/bench.py": "its forks import the package from a tree of their own, so that it imports none",
    "benchmarks/mutations.py": "nor does what it serves",
    'open(os.devnull, "w")': "bars go nowhere",
    'file.open("xb")': "a zip is unpacked, into a folder that goes with its block",
    'open(name, "w")': "bars go to a terminal",
    'Path("/proc/self/clear_refs").write_text("5", encoding="ascii")': "a switch of the kernel",
    'self.log.open("w", encoding="utf-8")': "a log, which another program goes on writing",
    'Path(folder, f"{setting}.pkl").write_bytes(pickle.dumps(result))': "what a sweep is measured against",
    'instantiateVariableFont(TTFont(whole), {"wght": weight}).save(path)': "in a folder that goes with its block",
    'whole.quantize(256, dither=Image.Dither.NONE).save(folder / f"{part}.png", optimize=True)': "its folder moves",
    'value.save(file := Path(folder, "handed in"))': "Transformer.save",
}
"""What writes otherwise, by its file or its words, and why it may."""


def writers(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that write a file in some other way."""
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        texts = [value.value for value in given if isinstance(value, ast.Constant) and isinstance(value.value, str)]
        flags = {part.attr for value in given for part in ast.walk(value) if isinstance(part, ast.Attribute)}
        if (
            name in ("write_text", "write_bytes", "tofile", "savetxt", "savez", "to_csv", "mkstemp")
            or (name in ("open", "fdopen") and any(MODES & {*text} and len(text) < 5 for text in texts))
            or (name == "open" and flags & {"O_CREAT", "O_TRUNC"})
            or (name in ("NamedTemporaryFile", "TemporaryFile"))
            or (name == "dump" and len(given) > 1)
            or (name in ("save", "savefig") and given and not _in_memory(given[0], tree))
        ):
            yield call


def _in_memory(target: ast.expr, tree: ast.AST) -> bool:
    """Whether it is a buffer, or a name that somewhere stands for one."""
    return ast.unparse(target).endswith("io.BytesIO())") or f"{ast.unparse(target)} = io.BytesIO()" in ast.unparse(tree)


FOLDERS = ("uatlib", "uatbook", "_ext", "benchmarks")


def test_files_are_written_by_one_function() -> None:
    used, wrong = set(), []
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        for call in writers(ast.parse(text)):
            words = ast.get_source_segment(text, call)
            why = {name, words} & {*NO_FILES}
            used |= why
            wrong += [] if why else [f"{name}:{call.lineno}: {words}"]
    assert wrong == [], "expected writing.write, or a reason in NO_FILES"
    assert used == {*NO_FILES}


# ------------------------------------------------------------------------------------------------------------ what ends

OLD, NEW = "old " * 100_000, "new " * 300_000


def program(code: str, *arguments: object) -> subprocess.Popen[bytes]:
    start = f"import sys\nfrom uatlib.internal.writing import write\n{code}"
    command = [sys.executable, "-c", start, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def test_a_kill_leaves_the_old_file_or_the_new_and_the_next_write_nothing_else(tmp_path: Path) -> None:
    """At any time: of 25 kills, of one writer or of two, most come while it is written."""
    file, delays, seen, left = tmp_path / "file", random.Random(1), set(), 0
    code = (
        'print(flush=True)\nwhile True:\n    for text in ("old " * 100_000, "new " * 300_000): write(sys.argv[1], text)'
    )
    for k in range(25):
        writing.write(file, OLD)
        assert [*tmp_path.iterdir()] == [file]
        running = [program(code, file) for _ in range(1 + k % 2)]
        for each in running:
            each.stdout.readline()
        time.sleep(delays.uniform(0, 0.02))
        for each in running:
            each.kill()
            each.communicate()
        seen.add(file.read_text())
        left += len([*tmp_path.iterdir()]) - 1
    assert seen <= {OLD, NEW}
    assert left > 5, "expected kills in the middle"


OBSTACLES: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "a writer who was stopped": lambda part, patch: writing._locked(str(part)),
    "a link": lambda part, patch: part.symlink_to("none"),
    "a folder": lambda part, patch: part.mkdir(),
    "no locks": lambda part, patch: patch.setattr(writing.fcntl, "flock", refuses),
    "Windows": lambda part, patch: patch.setattr(writing, "fcntl", None),
}


def refuses(*given: object) -> None:
    raise OSError(37, "No locks available")


@pytest.mark.parametrize("what", OBSTACLES)
def test_what_is_in_the_way_of_the_hidden_file_stays_and_the_file_is_written(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing._hidden(str(tmp_path / "file")) as (part, opened):
        os.close(opened)
        os.unlink(part)
    monkeypatch.setattr(writing, "PATIENCE", 0.05)
    held = OBSTACLES[what](Path(part), monkeypatch)
    before = {*os.listdir(tmp_path)}
    writing.write(tmp_path / "file", "new")
    assert {*os.listdir(tmp_path)} == before | {"file"}
    assert (tmp_path / "file").read_text() == "new"
    if isinstance(held, int):
        os.close(held)


@pytest.fixture
def no_room() -> Iterator[None]:
    """No file becomes longer than 1,000 bytes."""
    ignored, limits = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, ignored)


def test_no_room_leaves_the_old_file_and_nothing_else(tmp_path: Path, no_room: None) -> None:
    file = tmp_path / "file"
    writing.write(file, "old")
    with pytest.raises(OSError, match=r"^\[Errno 27\] File too large: '.*/file'$"):
        writing.write(file, NEW)
    with pytest.raises(ValueError, match=r"^path: expected a file that can be written \(File too large\), got "):
        files.write(file, {"weights": NEW})
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert file.read_text() == "old"


def test_who_reads_while_two_write_gets_one_of_both(tmp_path: Path) -> None:
    file, seen = tmp_path / "file", set()
    writing.write(file, OLD)
    two = [program("while True: write(sys.argv[1], sys.argv[2] * 50_000)", file, text) for text in ("one ", "two ")]
    until, reads = time.monotonic() + 60, 0
    while time.monotonic() < until and (len(seen) < 3 or reads < 1000):
        seen.add(file.read_text())
        reads += 1
    assert [running.poll() for running in two] == [None, None]
    for running in two:
        running.kill()
        running.communicate()
    assert seen == {OLD, "one " * 50_000, "two " * 50_000}


# ----------------------------------------------------------------------------------------------------- what is replaced


def test_mode_and_link_stay_and_a_new_file_is_as_others(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("file")
    writing.write(link, "a\nb")
    assert (link.is_symlink(), file.read_bytes(), file.stat().st_mode & 0o777) == (True, b"a\nb", 0o640)
    mask = os.umask(0o027)
    writing.write(tmp_path / "new", b"\xff", sync=False)
    os.umask(mask)
    assert ((tmp_path / "new").read_bytes(), (tmp_path / "new").stat().st_mode & 0o777) == (b"\xff", 0o640)
    writing.write("/dev/null", "gone")
    assert not Path("/dev/null").is_file()


def refuse(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def raises(*given: object) -> None:
        raise PermissionError(13, "Permission denied", *given[:1])

    monkeypatch.setattr(writing.os, name, raises)


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda folder, patch: folder / "none" / "file", FileNotFoundError),
        (lambda folder, patch: folder, IsADirectoryError),
        (lambda folder, patch: folder / ("x" * 300), OSError),
        (lambda folder, patch: refuse(patch, "open") or folder / "file", PermissionError),
        (lambda folder, patch: refuse(patch, "replace") or folder / "file", PermissionError),
        (lambda folder, patch: refuse(patch, "chmod") or folder / "file", PermissionError),
    ],
)
def test_an_error_names_the_file_and_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[..., Path], error: type[OSError]
) -> None:
    """As `open` would raise it; a file that is read-only refuses `os.open`."""
    (tmp_path / "file").write_text("old")
    path = spoil(tmp_path, monkeypatch)
    with pytest.raises(error) as raised:
        writing.write(path, "new")
    assert raised.value.filename == str(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"
