"""Attacks on grades, run by the real grader in one class with honest students: each attacker gets what it earned."""

from __future__ import annotations

import contextlib
import csv
import ctypes
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import uatbook
from uatbook.grading import command, sandbox

ROOT = Path(str(uatbook.__file__)).parents[1]
RIGHT = 'start_diagonal = ("3/N", "11/32")'
FUNCTION = """
def tokens_of(number, N, n):
    landed, found = number // N ** (n + 1), []
    for _ in range(n):
        found.append(landed % N)
        landed = (landed - found[-1]) // N + found[-1]
    return sorted(found)
"""
HONEST = ("aaron", "mia", "zed")
SET = 'title = "A week"\nexercises = ["ex-start-diagonal", "ex-context-invert"]\nvariants = "book"\n'
NOTHING_THERE = "no cell gives `start_diagonal` a value"
WIN = "{win}"
"""In a cell: gives the right answer, where the attack has come through."""
WORD = f"uat-word-{os.getpid()}"
AWAY = """
import os, time
def away(work):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            end = time.time() + 60
            while time.time() < end:
                try:
                    work()
                except BaseException:
                    pass
                time.sleep(.1)
        os._exit(0)
    os.wait()
"""

# Each: cells, points for the first exercise, and part of what is said of it. {folder} is that of the submissions, {out}
# the table, {package} the folder of uatbook, {port} one that listens here, {home} the teacher's; {word} and {key} name
# what one submission leaves for another, and are of this run alone.
ATTACKS: Mapping[str, tuple[tuple[str, ...], int, str]] = {
    "asks the judges": (
        (
            "import sys; [sys.modules.pop(k) for k in [*sys.modules] if k.startswith('uatbook')]",
            "import uatlib; from uatbook.exercises import get\n"
            "start_diagonal = get('ex-start-diagonal').at(get('ex-start-diagonal').reference, '')",
        ),
        0,
        "ImportError",
    ),
    "reads the judges": (
        (
            "import pathlib\nfor file in pathlib.Path({package!r}).rglob('*'):\n"
            "    if file.is_file() and b'ex-start-diagonal' in file.read_bytes(): {win}; break",
        ),
        0,
        NOTHING_THERE,
    ),
    "reads a classmate": (
        (
            "import glob\nfor start in ('', '/proc/1/root', '/proc/1/cwd', '/proc/self/root'):\n"
            "    for file in glob.glob(start + {folder!r} + '/zed*'): {win}",
        ),
        0,
        NOTHING_THERE,
    ),
    "reads the teacher's home": (("import os\nif os.path.exists({home!r} + '/secret'): {win}",), 0, NOTHING_THERE),
    "asks the system for what is not its own": (
        (
            "import ctypes, glob, os\nif 'UAT_SECRET' in os.environ: {win}",
            "for file in glob.glob('/proc/[0-9]*/environ'):\n    try: text = open(file, 'rb').read()\n"
            "    except OSError: continue\n    if b'UAT_SECRET' in text: {win}",
            "for fd in os.listdir('/proc/self/fd'):\n    try: link = os.readlink('/proc/self/fd/' + fd)\n"
            "    except OSError: continue\n    if {folder!r} in link or {out!r} in link: {win}",
            "for file in glob.glob('/proc/[0-9]*/mem'):\n    if file != '/proc/%d/mem' % os.getpid():\n"
            "        try: open(file, 'r+b').close(); {win}\n        except OSError: pass",
            "for key in ('sysrq-trigger', 'sys/kernel/core_pattern', 'sys/kernel/hostname', 'self/oom_score_adj'):\n"
            "    try: open('/proc/' + key, 'w').close(); {win}\n    except OSError: pass",
            "if ctypes.CDLL(None).unshare(0x10000000) == 0: {win}",
            "if ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0: {win}",
        ),
        0,
        NOTHING_THERE,
    ),
    "kills all others": (
        (AWAY + "import signal\naway(lambda: os.kill(-1, 9))", "import time; time.sleep(3)"),
        0,
        "ended the process",
    ),
    "kills by number": (
        (
            AWAY + "import signal\nfor p in range(1, 100000):\n    try: p == os.getpid() or os.kill(p, 9)\n"
            "    except OSError: pass",
            RIGHT,
        ),
        2,
        "",
    ),
    "stops all others": (
        (AWAY + "away(lambda: os.kill(-1, 19))", "import time; time.sleep(3)"),
        0,
        "Does your loop end?",
    ),
    "rewrites the table": ((AWAY + "away(lambda: open({out!r}, 'w').write('student,total\\nmallory,7'))",), 0, ""),
    "rewrites it at its end": (("import atexit\natexit.register(lambda: open({out!r}, 'w').write('mallory'))",), 0, ""),
    "rewrites it through a link": (
        ("import os\nos.symlink({out!r}, 'link')\nopen('link', 'w').write('mallory'); {win}",),
        0,
        "FileNotFoundError",
    ),
    "rewrites what is kept": (("open({out!r} + '.done', 'a').write('mallory'); {win}",), 0, "FileNotFoundError"),
    "writes into the package": (
        (
            "open({package!r} + '/grading/inside.py', 'a').write('print(1)'); {win}",
            "open({package!r} + '/handed.py', 'a').write('print(1)'); {win}",
            "open({package!r} + '/grading/sandbox.py', 'w').write('print(1)'); {win}",
        ),
        0,
        "Read-only file system",
    ),
    "leaves a module": (
        ("import site, pathlib\npathlib.Path(site.getsitepackages()[0], 'sitecustomize.py').write_text(''); {win}",),
        0,
        "Read-only file system",
    ),
    "traces": (
        ("import ctypes\nfor one in range(1, 9999): ctypes.CDLL(None).ptrace(16, one, 0, 0)", RIGHT),
        2,
        "",
    ),
    "calls home": (
        ("import socket\nsocket.create_connection(('127.0.0.1', {port}), 1); {win}",),
        0,
        "Error",
    ),
    "calls a name without a file": (
        ("import socket\nsocket.socket(socket.AF_UNIX).connect('\\0' + {abstract!r}); {win}",),
        0,
        "ConnectionRefusedError",
    ),
    "leaves word a": (
        (
            "import os\nfor place in ('/tmp', '/dev/shm', '/var/tmp', '/run', {root!r}, '/'):\n"
            "    try: open(place + '/{word}', 'w').close()\n    except OSError: pass",
            "import ctypes\nctypes.CDLL(None).shmget({key}, 4096, 0o1666)",
        ),
        0,
        NOTHING_THERE,
    ),
    "leaves word b": (
        (
            "import os\nfor place in ('/tmp', '/dev/shm', '/var/tmp', '/run', {root!r}, '/'):\n"
            "    if os.path.exists(place + '/{word}'): {win}",
            "import ctypes\nif ctypes.CDLL(None).shmget({key}, 4096, 0o666) >= 0: {win}",
        ),
        0,
        NOTHING_THERE,
    ),
    "fills the disk": (
        (
            "try:\n    for k in range(10**6):\n        open(f'f{k}', 'wb').write(bytes(2**24))\n"
            "except OSError as error: assert error.errno == 28 and k < 5",
            RIGHT,
        ),
        2,
        "",
    ),
    "fills shared memory": (("try: open('/dev/shm/f', 'wb').write(bytes(2**27))\nexcept OSError: pass", RIGHT), 2, ""),
    "takes memory": (("big = bytearray(2**36)", RIGHT), 2, "takes more memory than it may"),
    "forks": (
        ("import os, time\nfor _ in range(300):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(30)", RIGHT),
        2,
        "started more than 64 processes",
    ),
    "leaves a child": (
        ("import subprocess\nsubprocess.Popen(['sleep', '31337'], start_new_session=True)", RIGHT),
        2,
        "",
    ),
    "ignores its limits": (
        (
            "import signal, resource\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_CPU, (9999, -1))\nwhile True: pass",
            RIGHT,
        ),
        2,
        "Does your loop end?",
    ),
    "stops itself": (("import os\nos.kill(os.getpid(), 19)", RIGHT), 2, "Does your loop end?"),
    "pretends to be out of time": (("import os\nos._exit(152)", RIGHT), 2, "of the processor"),
    "closes all channels": (("import os\nos.closerange(3, 99)", RIGHT), 2, "ended the process"),
    "writes rubbish": (
        (
            "import os\nfor fd in range(3, 40):\n    for line in (b'\\xff\\n', b'[' * 9999 + b'\\n',"
            " b'{}\\n', b'[1e999, NaN]\\n',"
            ' b\'["begin", 1e400, 0]\\n\', b\'["cell", 77, "mallory"]\\n\', b\'["answer", 99, {}]\\n\','
            " b'[\"end\", 0, 3]\\n'):\n"
            "        try: os.write(fd, line)\n        except OSError: pass",
            RIGHT,
        ),
        2,
        "",
    ),
    **{
        f"forges {name}": (
            (
                f"import os\nfor k in (0, 1):\n    line = b'[\"answer\", %d, ' % k + {said!r} + b']\\n'\n"
                "    for fd in range(3, 40):\n        try: os.write(fd, line)\n        except OSError: pass\n"
                "os._exit(0)",
            ),
            0,
            "",
        )
        for name, said in {
            "a number": b"5",
            "a list": b"[1]",
            "nothing": b"null",
            "another shape": b'{"handed": 3}',
            "nests": b'{"handed": ["3/N", ' + b"[" * 900 + b"]" * 900 + b"]}",
            "bare nests": b"[" * 900 + b"]" * 900,
        }.items()
    },
    "replaces what reads it": (
        ("import uatbook.handed as h, json\nh.plain = h.handed_in = json.dumps = lambda *a, **k: '[]'",),
        0,
        "",
    ),
    "hands in a long number": (("start_diagonal = ('3/N', '1/' + '7' * 2 * 10**6)",), 0, "more than 100,000 signs"),
    "hands in a long whole number": (
        ("import sys\nsys.set_int_max_str_digits(0)\nstart_diagonal = ('3/N', 10 ** 300000)",),
        0,
        "",
    ),
    "hands in nests": (
        ("start_diagonal = []\nfor _ in range(100000): start_diagonal = [start_diagonal]",),
        0,
        "expected 2 things",
    ),
    "sets the clock": (("import time\ntime.clock_settime(time.CLOCK_REALTIME, 0); {win}",), 0, "PermissionError"),
}
SEEN_WITHOUT = (
    "asks the judges",
    "reads the judges",
    "reads a classmate",
    "reads the teacher's home",
    "calls home",
    "calls a name without a file",
    "leaves word b",
)
"""Attacks that do no harm to the machine of a test, and that come through where no sandbox is."""


@pytest.fixture(scope="module")
def needs_a_sandbox() -> None:
    if why := sandbox.refusal():
        assert "CI" not in os.environ or sys.platform != "linux", f"the tests of a sandbox need one: {why}"
        pytest.skip(why)


def notebook(cells: tuple[str, ...]) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


class Course:
    """A folder with a class, and the grader as a command."""

    def __init__(self, place: Path) -> None:
        self.place, self.folder, self.out = place, place / "in", place / "out" / "grades.csv"
        for name in ("in", "out", "home"):
            (place / name).mkdir()
        (place / "home" / "secret").write_text("secret")
        (place / "week.toml").write_text(SET)

    def hand_in(self, name: str, cells: tuple[str, ...], port: int = 0, abstract: str = "") -> None:
        known: dict[str, Any] = {"folder": self.folder, "out": self.out, "home": self.place / "home", "root": ROOT}
        known |= {"package": ROOT / "uatbook"}
        named = {f"{{{key}!r}}": repr(str(value)) for key, value in known.items()}
        named |= {"{win}": RIGHT, "{port}": str(port), "{abstract!r}": repr(abstract)}
        named |= {"{word}": WORD, "{key}": str(os.getpid())}
        for old, new in named.items():
            cells = tuple(cell.replace(old, new) for cell in cells)
        (self.folder / f"{name}.ipynb").write_text(notebook(cells))

    def command(self, *more: str) -> list[str]:
        said = ["--set", str(self.place / "week.toml"), "--seed", "S", "--out", str(self.out), "--time", "1"]
        return [sys.executable, "-m", "uatlib", "grade", str(self.folder), *said, *more]

    def grade(self, *more: str) -> subprocess.CompletedProcess[str]:
        place = {"HOME": str(self.place / "home"), "UAT_SECRET": "x", "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            self.command(*more), capture_output=True, text=True, env={**os.environ, **place}, check=False
        )

    def rows(self) -> dict[str, dict[str, str]]:
        return {row["student"]: row for row in csv.DictReader(self.out.read_text("utf-8-sig").splitlines())}


def state(*folders: Path) -> dict[str, str]:
    """What lies in folders, without what Python keeps of modules."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@contextlib.contextmanager
def listeners(name: str) -> Iterator[tuple[int, str, list[socket.socket]]]:
    """A port, a name without a file, and what listens there."""
    name = f"uat-{name}-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as one, socket.socket(socket.AF_UNIX) as two:
        two.bind(f"\0{name}")
        two.listen()
        for each in (one, two):
            each.setblocking(False)
        yield one.getsockname()[1], name, [one, two]


@pytest.fixture(scope="module")
def listening() -> Iterator[tuple[int, str, list[socket.socket]]]:
    """What nobody in a sandbox should reach."""
    with listeners("shut off") as made:
        yield made


@pytest.fixture(scope="module")
def attacked(
    needs_a_sandbox: None,
    tmp_path_factory: pytest.TempPathFactory,
    listening: tuple[int, str, list[socket.socket]],
) -> Course:
    course = Course(tmp_path_factory.mktemp("class"))
    for name in HONEST:
        course.hand_in(name, (RIGHT, FUNCTION))
    for name, (cells, _, _) in ATTACKS.items():
        course.hand_in(name, cells, *listening[:2])
    nests = "[" * 900 + "]" * 900
    (course.folder / "page.json").write_text(f'{{"answers": {{"ex-start-diagonal": ["3/N", {nests}]}}}}')
    before = state(ROOT / "uatbook", ROOT / "uatlib", course.folder)
    done = course.grade("--jobs", "3", "--feedback", str(course.place / "pages"))
    assert done.returncode == 0, done.stderr
    written = course.out.read_bytes()
    time.sleep(1)
    assert course.out.read_bytes() == written
    assert state(ROOT / "uatbook", ROOT / "uatlib", course.folder) == before
    return course


@pytest.mark.parametrize("name", [*HONEST, *ATTACKS])
def test_each_gets_what_it_earned(name: str, attacked: Course) -> None:
    row = attacked.rows()[name]
    _, points, says = ATTACKS.get(name, ((), 2, ""))
    assert float(row["ex-start-diagonal"]) == points, row
    assert float(row["ex-context-invert"]) == 2 * (name in HONEST), row
    assert says in row["comments"]
    assert name not in HONEST or not row["comments"]
    assert (attacked.place / "pages" / f"{name}.html").exists()


def test_a_page_may_hand_in_anything(attacked: Course) -> None:
    row = attacked.rows()["page"]
    assert (row["total"], "32 lists within each other" in row["comments"]) == ("0", True)


def test_nothing_is_left_behind(attacked: Course, listening: tuple[int, str, list[socket.socket]]) -> None:
    running = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if os.access(file, os.R_OK)]
    assert b"sleep\x0031337\x00" not in running
    for each in listening[2]:
        with pytest.raises(BlockingIOError):
            each.accept()


@pytest.mark.full
def test_without_a_sandbox_these_attacks_come_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So they are attacks; and the grader goes on like this only if it is told to, in the name of what it lacks."""
    course = Course(tmp_path)
    course.hand_in("zed", (RIGHT,))
    monkeypatch.setenv("PATH", str(tmp_path))
    with listeners("open") as (port, name, _):
        for attack in (*SEEN_WITHOUT, "leaves word a"):
            course.hand_in(attack, ATTACKS[attack][0], port, name)
        refused = course.grade()
        assert refused.returncode == 2
        assert "bubblewrap is missing" in refused.stderr
        assert f"--unconfined, if you may: {command.UNCONFINED}" in refused.stderr
        assert not course.out.exists()
        done = course.grade("--unconfined", "--jobs", "1", "--time", "10")  # none waits; a busy machine does
    for place in ("/tmp", "/dev/shm", "/var/tmp", "/run", str(ROOT), "/"):
        Path(place, WORD).unlink(missing_ok=True)
    system = ctypes.CDLL(None)
    system.shmctl(system.shmget(os.getpid(), 0, 0), 0, None)  # which would stay until the machine starts anew
    assert done.returncode == 0, done.stderr
    rows = course.rows()
    got = {attack: float(rows[attack]["ex-start-diagonal"]) for attack in SEEN_WITHOUT}
    assert got == dict.fromkeys(SEEN_WITHOUT, 2.0), rows


def test_a_submission_has_a_time_of_its_own(needs_a_sandbox: None) -> None:
    """However many cells it has: each of these is within the limit of a cell."""
    cells = dict.fromkeys(range(1, 100), "import time; time.sleep(.5)")
    begun = time.monotonic()
    found = sandbox.run(sandbox.Job(cells, [{"name": "x", "fields": [], "calls": []}], seconds=5, most=15))
    assert time.monotonic() - begun < 40  # of the 50 that they sleep
    assert found["answers"]["0"]["problem"] == "the submission took more than 15 s in all"


def test_limits_of_memory_are_of_all_processes(needs_a_sandbox: None) -> None:
    """Each child takes less than one process may."""
    cells = {1: "import os, time\nfor _ in range(9):\n    if os.fork() == 0:\n        big = b'x' * 10**8\n"}
    cells[1] += "        time.sleep(60)\ntime.sleep(20)"
    found = sandbox.run(sandbox.Job(cells, [], seconds=10, memory=2**27))
    assert found["cells"] == {"1": "takes more memory than it may"}


@pytest.mark.full
def test_a_run_that_is_killed_twice_goes_on(needs_a_sandbox: None, tmp_path: Path) -> None:
    """It gives the table of an undisturbed run, runs nothing twice that was done, and says where it died."""
    courses = [Course(place) for place in (tmp_path / "a", tmp_path / "b") if not place.mkdir()]
    for course in courses:
        for k in range(5):
            course.hand_in(f"student {k}", (f"import time; time.sleep(.4); {RIGHT}", f"x = {k}"))
    assert courses[0].grade("--jobs", "1").returncode == 0
    kept = courses[1].out.with_name("grades.csv.done")
    died = 0
    for most in (1, 3):
        run = subprocess.Popen(
            courses[1].command("--jobs", "1"), stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
        )
        while True:  # until one is worked on
            text = kept.read_text() if kept.exists() else ""
            if (
                text.count('"found"') >= most
                and len(re.findall(r'^{"begun"', text, re.M)) > text.count('"found"') + died
            ):
                break
            assert run.poll() is None
            time.sleep(0.02)
        died = len(re.findall(r'^{"begun"', text, re.M)) - text.count('"found"')
        run.send_signal(signal.SIGKILL)
        run.communicate()
        assert not courses[1].out.exists()
        with kept.open("a") as torn:  # as where the power is cut
            torn.write('{"done": "')
    said = courses[1].grade("--jobs", "1").stdout
    assert "The run before was ended while it graded student" in said
    assert courses[1].out.read_bytes() == courses[0].out.read_bytes()
    done = [
        json.loads(line)["done"]
        for line in kept.read_text().splitlines()
        if line.startswith('{"done": "') and line[-1] == "}"
    ]
    assert len(done) == len({*done}) == 5
    again = kept.read_bytes()
    assert courses[1].grade("--jobs", "1").returncode == 0
    assert kept.read_bytes() == again


def test_packages_that_are_links_are_there(needs_a_sandbox: None, tmp_path: Path) -> None:
    """A folder that is one, a module, a package whose files are; and of what lies beside them nothing."""
    venv.create(tmp_path / "env", symlinks=True)
    (installed,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (installed / "tests.pth").write_text(sysconfig.get_path("purelib"))
    # Where a package has each file, and the link that leads there.
    links = {
        "whole": (["cache/1/other name/__init__.py"], "whole", "cache/1/other name"),
        "by_file": (["cache/2/by_file/__init__.py"], "by_file/__init__.py", "cache/2/by_file/__init__.py"),
        "module": (["cache/3/module.py", "cache/3/secret", "secret"], "module.py", "cache/3/module.py"),
    }
    for files, link, target in links.values():
        for file in files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text("there = 1")
        (installed / link).parent.mkdir(exist_ok=True)
        (installed / link).symlink_to(tmp_path / target)
    (installed / "dangles").symlink_to(tmp_path / "nowhere")
    cell = f"import glob, {', '.join(links)}\nx = len(glob.glob({str(tmp_path)!r} + '/**/secret', recursive=True))"
    wanted = [{"name": "x", "fields": [{"kind": "number", "name": "x", "tensors": False}], "calls": []}]
    program = "import json, sys; from uatbook.grading import sandbox; cells, wanted = json.load(sys.stdin);"
    program += "print(json.dumps(sandbox.run(sandbox.Job({1: cells}, wanted))))"
    done = subprocess.run(
        [tmp_path / "env" / "bin" / "python", "-c", program],
        input=json.dumps([cell, wanted]), env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"cells": {}, "answers": {"0": {"handed": [0]}}, "ended": False}


def test_two_runs_do_not_write_one_table(
    needs_a_sandbox: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = Course(tmp_path)
    course.hand_in("ada", (RIGHT,))
    with contextlib.closing(command.Kept(course.out.with_name("grades.csv.done"))):
        assert command.grade(course.command()[4:]) == 2
    assert "that no other run is writing now" in capsys.readouterr().err
