"""`python -m uatlib`: its help, what it prints, and its exit status. What is described is this clone's pyproject."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from uatlib import commands
from uatlib.__main__ import main
from uatlib.internal import command_line, files

ROOT = Path(__file__).resolve().parents[2]
HELP = """
import contextlib, sys
from uatlib.__main__ import main
for command in [[], *([name] for name in sys.argv[1:])]:
    with contextlib.suppress(SystemExit):
        main([*command, "--help"])
    print("=" * 8)
assert "torch" not in sys.modules and "numpy" not in sys.modules
"""
MIXERS = """
def mean(X, theta):
    return theta * X.mean(dim=1, keepdim=True) + 0 * X
def soft(X, theta):
    return theta[0] * X @ (theta[1] * X.mT @ X).softmax(dim=0)
def skip(X, theta):
    return X + mean(X, theta)
"""
FUNCTIONS = """
from uatlib.targets import Target
def square(X):
    return X * X
whole = Target(square, 2, 1, lipschitz=2, bound=1)
def failing(X):
    raise KeyError("of the function")
"""


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """A folder for Python's path in which the commands are described as they are when this clone is installed."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["uatlib.commands"]
    folder = tmp_path_factory.mktemp("path")
    (info := folder / "uatlib-0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: uatlib\nVersion: 0\n")
    lines = [f"{name} = {place}" for name, place in table.items()]
    (info / "entry_points.txt").write_text("\n".join(["[uatlib.commands]", *lines]))
    return folder


@pytest.fixture
def run(described, tmp_path, monkeypatch, capsys):
    """A command line in this process, in a folder of its own, to its status, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(described)
    monkeypatch.setenv("UATLIB_TERMINAL", os.devnull)
    Path("mixer.py").write_text(MIXERS)
    Path("mine.py").write_text(FUNCTIONS)

    def run(line):
        words = shlex.split(line, comments=True)
        words = words[3:] if words[:3] == ["python", "-m", "uatlib"] else words
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        assert "\x1b" not in printed.out + printed.err
        return status, printed.out, printed.err

    return run


@pytest.fixture(scope="module")
def elsewhere(described):
    """Arguments for a process that finds the commands."""
    path = os.pathsep.join([str(described), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"env": os.environ | {"PYTHONPATH": path}, "text": True, "stderr": subprocess.PIPE}


@pytest.fixture(scope="module")
def helps(elsewhere):
    names = ["build", "certify", "check-mixer", "compare", "verify"]
    done = subprocess.run([sys.executable, "-c", HELP, *names], stdout=subprocess.PIPE, check=False, **elsewhere)
    assert done.returncode == 0, done.stderr
    return dict(zip(["", *names], done.stdout.split("=" * 8), strict=False))


def examples(text):
    return re.findall(r"^ *(python -m uatlib [a-z].*)$", text, re.MULTILINE)


def test_help_lists_all_commands_and_loads_nothing_heavy(helps):
    listed = re.findall(r"^  ([a-z-]+) +[A-Z].*\.$", helps[""], re.MULTILINE)
    assert listed == ["build", "certify", "check-mixer", "compare", "grade", "release", "verify"]


@pytest.mark.parametrize("command", ["build", "certify", "check-mixer", "compare", "verify"])
def test_the_example_of_each_help_runs(run, helps, command):
    lines = examples(helps[command])
    assert len(lines) == 1 + (command == "certify")
    for line in lines:
        status, out, err = run(line)
        assert (status, err) == (int(command == "check-mixer"), ""), line
        assert out
    if command == "check-mixer":
        assert out.startswith("verdict  no\n")
        shown = re.search(r"mixer\.py:\n(.*?)\n\n", helps[command], re.DOTALL)[1]
        assert re.sub("^    ", "", shown, flags=re.MULTILINE) in MIXERS


def test_the_lines_of_the_readme_run(run):
    (block,) = re.findall(r"```console\n(python -m uatlib.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert [run(line)[0] for line in examples(block)] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "usage: python -m uatlib COMMAND"),
        ("nothing", "usage: python -m uatlib COMMAND"),
        ("verify yun2020:lem-88", "near are yun2020:lem-8"),
        ("verify nothing:", "lists them"),
        ("verify", "nothing is verified yet"),
        ("verify yun2020:lem-8 --jobs 0", "--jobs: expected an int from 1"),
        ("verify yun2020:lem-8 --jobs 2 --scheduler here", "not allowed with"),
        ("build yun2020 --target nothing --error 1", "expected one of bump, "),
        ("build yun2020 --target mean_product", "--error --inverse-delta is required"),
        ("build yun2020 --target mean_product --error 0", "error: expected"),
        ("build yun2020 --target mean_product --error 1e-3", "4,294,967,296 bytes"),
        ("build yun2020 --target mean_product --bound 1 --error 1", "--bound: expected none"),
        ("build yun2020 --target mean_product --error 1 --set nope=1", "error, p, inverse_delta, stage"),
        ("build yun2020 --target mean_product --error 1 --set stage", "NAME=VALUE"),
        ("build yun2020 --target running_mean --error 1", "positional=True"),
        ("build liu2024 --target mean_product --error 1", "invalid choice"),
        ("build yun2020 --target none.py:f --error 1", "FILE.py:FUNCTION, of a file that is there"),
        ("build yun2020 --target mine.py:none --error 1", "a name of mine.py"),
        ("build yun2020 --target mine.py:whole --n 2 --error 1", "--n: expected none, a Target has its own"),
        ("build yun2020 --target mine.py:square --error 1", "it is not known; state it with --lipschitz"),
        ("build yun2020 --target mine.py:failing --error 1", "KeyError: 'of the function'"),
        ("build yun2020 --target mean_product --error 2 --save no/file", "No such file"),
        ("certify nothing.json", "No such file"),
        ("certify mine.py", "no JSON"),
        ("check-mixer mixer.py:soft --n 3 --d 1 --group symmetric", "parameters: expected"),
        ("check-mixer mixer.py:soft --n 3 --d 1 --group round --parameters 2", "round"),
        ("compare --target running_mean --inverse-delta 2", "running_mean"),
    ],
)
def test_bad_usage_is_said_and_has_status_2(run, line, said):
    status, _, err = run(line)
    assert status == 2
    assert said in err
    assert ("Traceback" in err) == ("failing" in line), "of a function that was given its own error is shown"


def test_every_source_saves_what_certify_reads_and_a_broken_one_fails(run):
    for source in commands.SOURCES:
        build = f"build {source} --target mean_product --inverse-delta 2 --save a.json"
        status, out, _ = run(build)
        assert status == 0
        assert re.search(r"layers +\d+\nparameters +\d+\nbytes +[\d,]+ in float64\nclaim +d_(2|inf) <= ", out)
        status, out, _ = run("certify a.json --json")
        found = json.loads(out)
        assert (status, found["id"], found["outcome"]) == (0, "a.json", "holds")
        data = files.read("a.json")
        files.write("b.json", {**data, "layers": data["layers"][:-1]})
        status, out, _ = run("certify b.json --json")
        assert (status, json.loads(out)["outcome"]) == (1, "fails")
        claim = data["built"]["claim"]
        terms = [term | {"bound": term["bound"] / 100} for term in claim["terms"]]
        files.write("b.json", {**data, "built": data["built"] | {"claim": claim | {"terms": terms}}})
        assert run("certify b.json")[0] == 1
        # One that says less may hold, but not by the paper's name.
        weaker = [term | {"bound": 100 * term["bound"]} for term in claim["terms"]]
        files.write("b.json", {**data, "built": data["built"] | {"claim": claim | {"terms": weaker}}})
        out = run("certify b.json")[1]
        for term in weaker:
            assert f"{term['key']} <= {term['bound']:.4g} is claimed in the file, not by {term['source']}" in out
        assert "as claimed in the file" in out or source == "liu2025"


def test_a_file_runs_no_code_and_damage_is_said(run):
    run("build yun2020 --target mine.py:square --lipschitz 2 --bound 1 --inverse-delta 2 --save a.json")
    assert "--target FILE.py:FUNCTION" in run("certify a.json")[2]
    assert run("certify a.json --target mine.py:square")[0] == 0
    data = files.read("a.json")
    Path("evil.py").write_text("open('ran', 'w')\n")
    damages = [
        {"target": "evil.py:f"}, {"target": "Target"}, {"target": 3}, {"source": "os"}, {"source": ["yun2020"]},
        {"options": 1}, {"options": {"error": "x"}}, {"stated": {"n": 10**9}}, {"stated": None}, {"claim": {}},
        {"claim": {"terms": [1]}},
    ]  # fmt: skip
    for damage in damages:
        files.write("b.json", {**data, "built": data["built"] | {"target": "mean_product", "stated": {}} | damage})
        status, _, err = run("certify b.json")
        assert (status, err.count("\n")) == (2, 1), damage
    assert not Path("ran").exists()
    files.write("b.json", {name: value for name, value in data.items() if name != "built"})
    assert "a network without a claim" in run("certify b.json")[2]


def test_json_has_the_same_keys_for_all(run):
    status, out, _ = run("verify yun2020:lem-8 yun2020:lem-8 so2020slides: --json")
    found = [json.loads(line) for line in out.splitlines()]
    assert (status, found[0]["id"], len({each["id"] for each in found})) == (0, "yun2020:lem-8", len(found))
    assert {"name", "outcome", "measured", "relation", "bound", "method", "cases", "witness"} == {
        key for each in found for check in each["checks"] for key in check
    }
    status, out, _ = run("check-mixer mixer.py:soft --n 2 --d 1 --group symmetric --parameters 2 --json")
    assert (status, json.loads(out)["verdict"]) == (0, "yes")
    _, out, err = run("check-mixer mixer.py:skip --n 2 --d 1 --group symmetric --parameters 1 --json")
    assert json.loads(out)["verdict"] == "yes"
    assert re.fullmatch(r"note: g: expected the mixing term alone, .*\n", err)
    status, out, _ = run("compare --target mine.py:whole --inverse-delta 2 --samples 100 --json")
    assert [json.loads(line)["layers"] for line in out.splitlines()] == [11, 3, 3, 3]


def test_undecided_is_neither():
    assert [command_line.worst_status(each) for each in (["holds"], ["holds", "undecided"], ["unsure"])] == [0, 3, 3]
    assert command_line.worst_status(["undecided", "fails", "holds"]) == 1


def test_a_scheduler_runs_statements_and_is_named_where_it_is_missing(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install -r requirements-cluster.txt" in run("verify yun2020:lem-8 --scheduler tcp://here:1")[2]
    asked = []

    class Client(ThreadPoolExecutor):
        def __init__(self, address):
            asked.append(address)
            super().__init__(1)

        def get_executor(self):
            return self

    module = ModuleType("distributed")
    module.Client = Client
    monkeypatch.setitem(sys.modules, "distributed", module)
    status, out, _ = run("verify yun2020:lem-8 yun2020:lem-9 --scheduler tcp://here:1")
    assert (status, asked, out.splitlines()[-1]) == (0, ["tcp://here:1"], "2 holds")


@pytest.mark.parametrize("words", ["verify yun2020:", "--help"])
def test_a_reader_that_has_enough_ends_it(elsewhere, words):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "uatlib", *words.split()]
    done = subprocess.run(command, stdout=writer, check=False, **elsewhere)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("send", "status", "said"),
    [
        (lambda pid: os.killpg(pid, signal.SIGINT), 130, r"interrupted\n"),
        # Python's tracker of semaphores may find some to clear away.
        (lambda pid: os.kill(pid, signal.SIGKILL), -signal.SIGKILL, r"(.*resource_tracker.*\n.*\n)?"),
    ],
    ids=["Ctrl-C", "SIGKILL"],
)
def test_what_ends_it_ends_its_processes(elsewhere, send, status, said):
    words = [sys.executable, "-m", "uatlib", "verify", "--all", "--json", "--jobs", "2"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a job in the background is deaf to Ctrl-C
    options = {"stdout": subprocess.PIPE, "start_new_session": True, "preexec_fn": heard, **elsewhere}
    running = subprocess.Popen(words, **options)
    assert json.loads(running.stdout.readline())["outcome"] == "holds"
    send(running.pid)
    _, err = running.communicate(timeout=60)
    assert running.returncode == status
    assert re.fullmatch(said, err)
    for _ in range(100):
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("expected no process of the group")
