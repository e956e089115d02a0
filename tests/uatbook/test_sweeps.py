"""One function at many settings: the order, what is on its way, what is kept, and every fault really tried."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

from uatbook import fingerprints, sweeps
from uatbook.sweeps import sweep

from . import sweep_functions as functions

SPAWN = multiprocessing.get_context("spawn")
"""A fork would copy the threads of torch half."""
QUIET = {"dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Of a real cluster of dask, on this machine."""
    with LocalCluster(n_workers=2, threads_per_worker=1, **QUIET) as workers, Client(workers) as found:
        yield found


@pytest.fixture(scope="module", params=["here", "threads", "processes", "cluster"])
def executor(request: Any) -> Iterator[Executor | None]:
    """One for all tests, as workers take long to begin."""
    if request.param == "threads":
        with ThreadPoolExecutor(2) as two:
            yield two
    elif request.param == "processes":
        with ProcessPoolExecutor(2, SPAWN) as two:
            yield two
    else:
        yield request.getfixturevalue("client").get_executor() if request.param == "cluster" else None


on_others = pytest.mark.parametrize("executor", ["threads", "processes", "cluster"], indirect=True)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").mkdir()
    return tmp_path / "log"


def is_square(k: int) -> int | None:
    time.sleep(0.002 * (k % 3 == 0))
    return k if round(k**0.5) ** 2 == k else None


def test_results_come_in_order(executor: Executor | None, tmp_path: Path) -> None:
    expected = [k if k in (0, 1, 4, 9, 16, 25, 36, 49, 64, 81) else None for k in range(99)]
    for cache in (None, tmp_path, tmp_path):
        assert list(sweep(is_square, range(99), executor=executor, cache=cache)) == expected
        assert list(sweep(is_square, [5, 4, 5, 4], executor=executor, cache=cache, label="twice")) == [None, 4, None, 4]
        assert list(sweep(is_square, (), executor=executor, cache=cache)) == []
    assert len(list(tmp_path.glob("??/*.pkl"))) == 99
    assert next(filter(None, sweep(is_square, iter(range(17, 10**9)), executor=executor))) == 25


def test_alone_settings_are_made_one_by_one() -> None:
    settings = iter(range(100))
    assert next(filter(None, sweep(is_square, settings))) == 1
    assert next(settings) == 2


@on_others
@pytest.mark.parametrize("kept", [False, True])
def test_a_slow_setting_does_not_hold_the_others_up(
    executor: Executor, kept: bool, log: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(sweeps, "EARLY", 1_000)
    cache = tmp_path / "kept" if kept else None
    found = sweep(partial(functions.first_waits, log, 999), range(1_000), executor=executor, cache=cache)
    assert list(found) == list(range(1_000))


def test_results_wait_in_memory_up_to_a_number_and_on_disk_in_any(monkeypatch: Any, log: Path, tmp_path: Path) -> None:
    monkeypatch.setattr(sweeps, "room", lambda executor: 2)
    for name, value in {"MOST_SETTINGS": 1, "EARLY": 50}.items():
        monkeypatch.setattr(sweeps, name, value)
    begun, wait = [0], threading.Event()

    def settings() -> Iterator[int]:
        for k in range(500):
            begun[0] = k + 1
            yield k

    with ThreadPoolExecutor(2) as two:
        timer = threading.Timer(1, wait.set)
        timer.start()
        waits = sweep(lambda k: wait.wait(60) and k if k == 0 else k, settings(), executor=two)
        assert next(waits) == 0
        assert 45 <= begun[0] <= 60
        assert list(waits) == list(range(1, 500))
        kept = sweep(partial(functions.first_waits, log, 499), settings(), executor=two, cache=tmp_path / "kept")
        assert next(kept) == 0
        assert begun[0] == 500
        assert list(kept) == list(range(1, 500))


def test_memory_does_not_grow_with_the_number_of_settings() -> None:
    with ThreadPoolExecutor(2) as two:
        tracemalloc.start()
        try:
            total = sum(sweep(abs, range(30_000), executor=two))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert total == sum(range(30_000))
    assert peak < 15e6, "a window of 32 tasks with 256 settings each takes a few MB"


class Counted(Executor):
    """So many workers, which compute when they are told to."""

    def __init__(self, **how: Any) -> None:
        self.most, self.waiting = 0, []
        vars(self).update(how)

    def submit(self, work: Any, /, *args: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, work, args))
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == 200:
            for each, what, given in self.waiting:
                each.set_result(what(*given))
            self.waiting = []
        return future


CLUSTER = SimpleNamespace(_scheduler_identity={"total_threads": 50}, status="closed")


@pytest.mark.parametrize("how", [{"_max_workers": 50}, {"_client": CLUSTER}], ids=["pool", "cluster"])
def test_there_are_four_tasks_for_each_worker(how: Any) -> None:
    assert next(sweep(abs, iter(range(-5, 10**6)), executor=(counted := Counted(**how)))) == 5
    assert counted.most == 200


def test_a_client_that_has_closed_is_asked(monkeypatch: Any) -> None:
    """Its executor leaves tasks without an end."""
    monkeypatch.setattr(sweeps, "ASK_SECONDS", 0.01)
    with pytest.raises(CancelledError):
        next(sweep(abs, range(199), executor=Counted(_client=CLUSTER)))


def test_a_task_ends_when_its_time_or_its_room_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []  # the clock goes by work alone

    with monkeypatch.context() as patched:
        patched.setattr(sweeps, "time", SimpleNamespace(perf_counter=lambda: 2.0 * len(done)))
        outcomes, seconds = sweeps._work(lambda k: done.append(k) or k, [0, 1, 2, 3, 4, 5], 3.0, False)
    assert outcomes == [(0, None), (1, None)]
    assert seconds == 4.0
    assert len(sweeps._work(np.zeros, [10**6, 1, 1], 60, True)[0]) == 1
    # Of quick settings before slow ones, each of which then has a task of its own:
    mixed = [0.0] * 3000 + [0.2] * 6
    with ThreadPoolExecutor(6) as six:
        start = time.perf_counter()
        assert list(sweep(lambda t: time.sleep(t) or t, mixed, executor=six)) == mixed
    assert time.perf_counter() - start < 0.9


def test_what_a_search_leaves_over_is_taken_back(log: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as one:
        found = sweep(partial(functions.slow_square, log), range(1000), executor=one, cache=tmp_path / "kept")
        assert next(found) == 0
        found.close()
    assert len(calls := functions.calls(log)) < 20
    assert {*calls.values()} == {1}
    with ThreadPoolExecutor(1) as one:  # but what was computed when nobody asked for more is kept
        found = sweep(partial(functions.slow_square, log), range(1000, 1009), executor=one, cache=tmp_path / "more")
        assert next(found) == 10**6
        one.submit(int).result()  # after all others
        found.close()
    assert len(list(tmp_path.glob("more/??/*.pkl"))) == sum(k >= 1000 for k in functions.calls(log)) == 9


def test_large_settings_go_one_by_one() -> None:
    sizes: list[int] = []

    class Sizes(ThreadPoolExecutor):
        def submit(self, work: Any, /, *args: Any, **more: Any) -> Future[Any]:
            sizes.append(len(args[1]))
            return super().submit(work, *args, **more)

    with Sizes(1) as one:
        for shape, most in ((1, 64), (2**17 + 1, 1)):
            sizes.clear()
            assert sum(sweep(len, (np.zeros(shape) for _ in range(500)), executor=one)) == 500 * shape
            assert (max(sizes) >= most) if most > 1 else (max(sizes) == 1)


def test_the_bar_counts_what_is_finished(monkeypatch: Any, log: Path) -> None:
    """Not what has come out: that is nothing, before number 0 is done."""
    counted: list[int] = []

    def bar(items: Any, label: str, total: int | None) -> Iterator[Any]:
        assert (label, total) == ("all", 40)
        for number, item in enumerate(items, 1):
            counted.append(number)
            if number == 39:
                functions.touch(log, 77)
            yield item

    monkeypatch.setattr(sweeps, "progress", bar)
    with ThreadPoolExecutor(2) as two:
        found = list(sweep(partial(functions.first_waits, log, 77), range(40), executor=two, label="all", total=40))
    assert found == list(range(40))
    assert counted == list(range(1, 41))


# --------------------------------------------------------------------------------------------------------------- faults


@pytest.mark.parametrize("kept", [False, True])
def test_one_fault_in_a_thousand(executor: Executor | None, kept: bool, log: Path, tmp_path: Path) -> None:
    cache, f, found = tmp_path / "kept" if kept else None, partial(functions.fails_at_500, log), []
    with pytest.raises(ZeroDivisionError, match="five hundred") as raised:
        found += [*sweep(f, range(1000), executor=executor, cache=cache)]
    (note,) = [note for note in raised.value.__notes__ if note.startswith("sweep: 500, setting number 500 from 0, ")]
    assert ("; 999 are kept in " in note) == kept
    traceback = [text for text in raised.value.__notes__ if "sweep_functions.py" in text]
    assert len(traceback) == (kept or not (executor is None or isinstance(executor, ThreadPoolExecutor)))
    if kept:
        assert functions.calls(log) == Counter(set(range(1000)) - {500})
        repaired = partial(functions.square, log)
        with pytest.raises(ZeroDivisionError) as again:
            list(sweep(f, range(1000), executor=executor, cache=cache))
        assert "; 999 are kept in " in again.value.__notes__[-1]
        assert sum(functions.calls(log).values()) == 999
        assert list(sweep(repaired, range(3), executor=executor, cache=cache)) == [0, 1, 4]
        assert functions.calls(log)[2] == 2, "another function, another key"


def test_what_comes_before_a_fault_comes_out(executor: Executor | None) -> None:
    found = sweep(functions.stubborn_at_3, range(100), executor=executor)
    assert [next(found), next(found), next(found)] == [0, 1, 2]
    with pytest.raises((functions.Stubborn, RuntimeError), match="3: no"):
        next(found)

    def settings() -> Iterator[int]:
        yield from (10, 11)
        raise LookupError("no third")

    found = sweep(abs, settings(), executor=executor)
    assert [next(found), next(found)] == [10, 11]
    with pytest.raises(LookupError, match="no third") as raised:
        next(found)
    assert raised.value.__notes__ == ["sweep: what comes next, setting number 2 from 0, has no result."]


def always(k: int) -> int:
    raise KeyError(k)


@pytest.mark.parametrize("executor", ["here", "threads", "processes"], indirect=True)
def test_a_function_that_always_fails_is_given_up(executor: Executor | None, tmp_path: Path) -> None:
    with pytest.raises(KeyError) as raised:
        list(sweep(always, iter(range(10**9)), executor=executor, cache=tmp_path))
    assert raised.value.args == (0,)
    assert "sweep: 0, setting number 0 from 0, has no result, nor have " in raised.value.__notes__[-1]
    assert " others (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...); " in raised.value.__notes__[-1]


def test_a_result_that_cannot_be_pickled_is_named(executor: Executor | None, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^f: expected results that can be pickled") as raised:
        list(sweep(functions.locks_at_3, range(20), executor=executor, cache=tmp_path))
    assert "sweep: 3, setting number 3 from 0, has no result; 19 are kept" in raised.value.__notes__[-1]


@pytest.mark.parametrize("executor", ["processes"], indirect=True)
def test_a_setting_that_cannot_be_pickled_is_named(executor: Executor, tmp_path: Path) -> None:
    """Far enough on that tasks have many settings, of which it is one."""
    settings: list[Any] = [*range(3000)]
    settings[2500] = lambda: 2500
    with pytest.raises(Exception, match="pickle") as raised:
        list(sweep(repr, settings, executor=executor, cache=tmp_path))
    assert "setting number 2,500 from 0, has no result; 2,999 are kept" in raised.value.__notes__[-1]


@pytest.mark.parametrize("executor", ["processes"], indirect=True)
def test_a_process_that_is_killed(executor: Executor, log: Path, tmp_path: Path) -> None:
    f, kept = partial(functions.dies_once, log), tmp_path / "kept"
    with ProcessPoolExecutor(1, SPAWN) as one:
        with pytest.raises(BrokenProcessPool) as raised:
            list(sweep(f, range(200), executor=one, cache=kept))
        here = len(list(kept.glob("??/*.pkl")))
        assert f"); {here} are kept" in raised.value.__notes__[-1]
        assert here > 0
        with pytest.raises(BrokenProcessPool) as late:
            list(sweep(f, range(201, 900), executor=one))
    assert "setting number 0 from 0, " in late.value.__notes__[-1]
    assert list(sweep(f, range(200), executor=executor, cache=kept)) == [k * k for k in range(200)]
    (log / "50-killed").unlink()
    calls = functions.calls(log)
    assert set(calls) == set(range(200))
    assert sum(calls.values()) <= 201 + 200 - here


@pytest.mark.full
def test_a_worker_of_a_cluster_that_is_killed_loses_nothing(client: Client, log: Path, tmp_path: Path) -> None:
    """From outside, in the middle of the run: its settings are computed again, by the other one or by its successor."""
    pids, kept = [*client.run(os.getpid).values()], tmp_path / "kept"
    plus = 0  # of a function that pickle cannot write, dask can
    f = lambda k: functions.slow_square(log, k) + plus  # noqa: E731
    results = []
    for number, result in enumerate(sweep(f, range(400), executor=client.get_executor(), cache=kept)):
        results.append(result)
        if number == 60:
            os.kill(pids[0], signal.SIGKILL)
    assert results == [k * k for k in range(400)]
    assert len(list(kept.glob("??/*.pkl"))) == 400
    calls = functions.calls(log)
    assert set(calls) == set(range(400))
    assert sum(calls.values()) < 440, "only what was on its way to the killed worker"


def test_a_setting_that_kills_its_workers_is_named(client: Client, tmp_path: Path, monkeypatch: Any) -> None:
    """With those that waited at the same workers, which dask gives up, too: all are done when they are run again.

    While somebody holds the error, dask holds the call that raised it, and takes an equal one for the same.
    """
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    armed, executor = tmp_path / "armed", client.get_executor(retries=0)
    armed.touch()
    f = partial(functions.kills_at_7, armed)
    with pytest.raises(Exception, match="workers") as raised:
        list(sweep(f, range(40), executor=executor, cache=tmp_path / "kept"))
    assert type(raised.value).__name__ == "KilledWorker"
    note = raised.value.__notes__[-1]
    said = re.fullmatch(
        r"sweep: (\d+), setting .* no result(?:, nor have \d+ others \(([\d, ]+)\))?; (\d+) are .*", note
    )
    assert said, note
    lost = [said[1], *filter(None, (said[2] or "").split(", "))]
    assert "7" in lost
    assert len(lost) + int(said[3]) == 40
    armed.unlink()
    assert list(sweep(f, range(40), executor=executor, cache=tmp_path / "kept")) == list(range(40))


@pytest.mark.full
def test_a_cluster_that_ends_is_said(log: Path, tmp_path: Path) -> None:
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, **QUIET)
    with Client(cluster) as client:
        f, kept, results = partial(functions.slow_square, log), tmp_path / "kept", []
        found = sweep(f, range(2000), executor=client.get_executor(), cache=kept)
        results += [next(found) for _ in range(100)]
        cluster.close()
        with pytest.raises(Exception, match=r"^$|Client is closed") as raised:
            results += found
    assert f"); {len(list(kept.glob('??/*.pkl')))} are kept" in raised.value.__notes__[-1]
    assert results == [k * k for k in range(len(results))]


CLIENT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tests.uatbook import sweep_functions as functions
from uatbook.sweeps import sweep

with ThreadPoolExecutor(2) as two:
    f = partial(functions.slow_square, Path(sys.argv[1]))
    list(sweep(f, range(300), executor=two, cache=sys.argv[2]))
"""


def test_a_program_that_is_killed_goes_on_where_it_was(log: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    paths = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(log), str(kept)], env=os.environ | {"PYTHONPATH": paths}
    ) as client:
        until = time.monotonic() + 60
        while len(list(kept.glob("??/*.pkl"))) < 100:
            assert time.monotonic() < until
            time.sleep(0.01)
        client.kill()
    files = {path: path.read_bytes() for path in kept.glob("??/*.pkl")}
    before = functions.calls(log)
    again = sweep(partial(functions.slow_square, log), range(300), cache=kept)
    assert list(again) == [k * k for k in range(300)]
    after = functions.calls(log)
    assert set(after) == set(range(300))
    assert sum(after.values()) == 300 + sum(before.values()) - len(files), "what was kept is not computed again"
    assert max(after.values()) <= 2
    assert all(path.read_bytes() == content for path, content in files.items())
    assert len(list(kept.glob("??/*.pkl"))) == 300


# -------------------------------------------------------------------------------------------------------- what is kept


def test_nothing_is_computed_twice(executor: Executor | None, log: Path, tmp_path: Path) -> None:
    f, kept = partial(functions.square, log), tmp_path / "kept"
    settings = [*range(30), *range(20)] * 3
    assert list(sweep(f, settings, executor=executor, cache=kept)) == [k * k for k in settings]
    assert list(sweep(f, range(40), executor=executor, cache=str(kept))) == [k * k for k in range(40)]
    assert functions.calls(log) == Counter(range(40))


def test_another_library_computes_anew(monkeypatch: Any, log: Path, tmp_path: Path) -> None:
    f, kept = partial(functions.square, log), tmp_path / "kept"
    for digest in (b"old", b"old", b"new"):
        monkeypatch.setattr(fingerprints, "library_digest", lambda digest=digest: digest)
        assert list(sweep(f, range(5), cache=kept)) == [0, 1, 4, 9, 16]
    assert functions.calls(log) == Counter([*range(5)] * 2)


def damaged(content: bytes) -> Iterator[bytes]:
    yield b""
    yield content[:20]
    yield content[:-1]
    yield content[:-2] + bytes([content[-2] ^ 1]) + content[-1:]
    yield bytes(len(content))
    yield content


def test_a_damaged_file_is_computed_again(log: Path, tmp_path: Path) -> None:
    """Or one that is whole, but of another setting."""
    f, kept = partial(functions.square, log), tmp_path / "kept"
    assert list(sweep(f, range(6), cache=kept)) == [0, 1, 4, 9, 16, 25]
    files = {path: path.read_bytes() for path in sorted(kept.glob("??/*.pkl"))}
    for (path, content), wrong in zip(files.items(), damaged(next(iter(files.values()))), strict=True):
        path.write_bytes(wrong)
        with pytest.warns(RuntimeWarning, match=rf"{path.name} cannot be used .*; it is computed again"):
            assert list(sweep(f, range(6), cache=kept)) == [0, 1, 4, 9, 16, 25]
        assert path.read_bytes() == content
    assert sum(functions.calls(log).values()) == 12


@pytest.mark.parametrize("spoil", [lambda file: file.mkdir(), lambda file: file.parent.rmdir() or file.parent.touch()])
def test_what_is_in_the_place_of_one_file_hinders_no_other(log: Path, tmp_path: Path, spoil: Any) -> None:
    f, kept = partial(functions.square, log), tmp_path / "kept"
    folder = sweeps._Folder(kept, f)
    file, *files = [folder.file(folder.key(k)) for k in range(6)]
    file.parent.mkdir()
    spoil(file)
    settings = [0, *(k for k, other in enumerate(files, 1) if other.parent != file.parent)]
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match=rf"{file.name} cannot be used .*; it is computed again") as said:
            assert list(sweep(f, settings, cache=kept)) == [k * k for k in settings]
        assert len(said) == 1
    assert functions.calls(log) == Counter([0, *settings])


def test_a_file_that_goes_before_its_turn_is_said(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr(sweeps, "EARLY", 0)

    def takes_the_others_away(k: int) -> int:
        until = time.monotonic() + 60
        while k == 0 and len(files := list(tmp_path.glob("*/*.pkl"))) < 8:
            assert time.monotonic() < until
            time.sleep(0.01)
        for path in files if k == 0 else ():
            path.unlink()
        return k

    with ThreadPoolExecutor(2) as two:
        found = sweep(takes_the_others_away, range(9), executor=two, cache=tmp_path)
        assert next(found) == 0
        with pytest.raises(OSError, match="run again, which computes it"):
            next(found)


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: Any) -> Iterator[Path]:
    """Room for some 100 kB: a real file system where that may be mounted, else writes that the kernel refuses."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=100k", "none", str(disk)]
    if sys.platform == "linux" and os.geteuid() == 0 and not subprocess.run(mount, capture_output=True).returncode:
        yield disk
        subprocess.run(["umount", str(disk)], check=True)
        return
    write, written = sweeps.writing.write, [0]

    def full(path: Path, content: bytes, **how: bool) -> None:
        written[0] += len(content)
        if written[0] > 100_000:
            raise OSError(28, "No space left on device")
        write(path, content, **how)

    monkeypatch.setattr(sweeps.writing, "write", full)
    yield disk


def block(k: int) -> np.ndarray:
    return np.full(1000, float(k))


def test_a_full_disk(executor: Executor | None, small_disk: Path) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for number, X in enumerate(sweep(block, range(50), executor=executor, cache=small_disk)):
            assert X.tolist() == [number] * 1000
    kept = list(small_disk.glob("??/*.pkl"))
    (text,) = [str(warning.message) for warning in said]
    assert "from here on results are not kept ([Errno 28] No space left on device" in text
    assert f"the {len(kept)} before are." in text
    assert 3 <= len(kept) < 50
    assert list(small_disk.rglob("*.part")) == []
    whole = [sweeps.pickle.loads(path.read_bytes()[32:]) for path in kept]
    assert sorted(X[0] for X in whole) == sorted({X[0] for X in whole})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: sweep(7, [1]), "^f: expected a function"),
        (lambda path: sweep(abs, 7), "^settings: expected an iterable"),
        (lambda path: sweep(abs, {"n": [3, 4]}), r"^settings: expected an iterable, .*\[\{'n': 3\}, \{'n': 4\}\]"),
        (lambda path: sweep(abs, [1], label=7), "^label: expected a string"),
        (lambda path: sweep(abs, [1], executor=7), r"^executor: expected an Executor, .*client.get_executor\(\)"),
        (lambda path: sweep(abs, [1], cache=7), "^cache: expected the path of a file"),
        (lambda path: sweep(abs, [1], cache=path / "file"), "^cache: expected a folder that can be made"),
        (lambda path: sweep(partial(max, threading.Lock()), [1], cache=path), "^f: expected what is made of .*lock"),
        (lambda path: list(sweep(abs, [threading.Lock()], cache=path)), "^settings: expected what is made of .*lock"),
    ],
)
def test_bad_input_is_refused(call: Any, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=words):
        call(tmp_path)
