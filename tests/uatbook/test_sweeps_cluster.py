"""Sweeps on a real cluster of dask, on this machine: workers that are killed, faults, a client that starts again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from uatbook.sweeps import sweep

from . import sweep_functions as functions

QUIET = {"dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with LocalCluster(n_workers=2, threads_per_worker=1, **QUIET) as cluster, Client(cluster) as found:
        yield found


@pytest.fixture
def executor(client: Client) -> Executor:
    return client.get_executor()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").mkdir()
    return tmp_path / "log"


def test_results_come_in_order_and_are_kept(executor: Executor, log: Path, tmp_path: Path) -> None:
    f = partial(functions.square, log)
    for _ in range(2):
        found = sweep(f, range(3000), executor=executor, cache=tmp_path / "kept")
        assert list(found) == [k * k for k in range(3000)]
    assert functions.calls(log) == Counter(range(3000))
    plus = 1  # of a function that pickle cannot write, dask can
    assert list(sweep(lambda k: k + plus, range(300), executor=executor)) == list(range(1, 301))
    assert next(k for k in sweep(abs, iter(range(-40, 10**9)), executor=executor) if k < 7) == 6


def test_a_slow_setting_does_not_hold_the_others_up(executor: Executor, log: Path) -> None:
    found = sweep(partial(functions.first_waits, log, 2_999), range(3_000), executor=executor)
    assert list(found) == list(range(3_000))


def test_one_fault_in_a_thousand(executor: Executor, log: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError, match="five hundred") as raised:
        list(sweep(partial(functions.fails_at_500, log), range(1000), executor=executor, cache=tmp_path / "kept"))
    assert "sweep: 500, setting number 500 from 0, has no result; 999 are kept" in raised.value.__notes__[-1]
    assert functions.calls(log) == Counter(set(range(1000)) - {500})
    with pytest.raises(RuntimeError, match="3: no"):
        list(sweep(functions.stubborn_at_3, range(50), executor=executor))
    with pytest.raises(ValueError, match=r"^f: expected results that can be pickled") as raised:
        list(sweep(partial(functions.locks_at_3), range(50), executor=executor))
    assert "sweep: 3, setting number 3 from 0, " in raised.value.__notes__[-1]


def test_a_worker_that_is_killed_loses_nothing(executor: Executor, client: Client, log: Path, tmp_path: Path) -> None:
    """From outside, in the middle of the run: its settings are computed again, by the other one or by its successor."""
    pids, kept = [*client.run(os.getpid).values()], tmp_path / "kept"
    found, results = sweep(partial(functions.slow_square, log), range(400), executor=executor, cache=kept), []
    for number, result in enumerate(found):
        results.append(result)
        if number == 60:
            os.kill(pids[0], signal.SIGKILL)
    assert results == [k * k for k in range(400)]
    files = list(kept.glob("??/*.pkl"))
    assert len(files) == 400
    calls = functions.calls(log)
    assert set(calls) == set(range(400))
    assert sum(calls.values()) < 440, "only what was on its way to the killed worker"


def test_a_setting_that_kills_its_workers_is_named(client: Client, tmp_path: Path) -> None:
    """With those that waited at the same workers, which dask gives up, too: all are done when they are run again.

    While somebody holds the error, dask holds the call that raised it, and takes an equal one for the same.
    """
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


CLIENT = """
import sys
from functools import partial
from pathlib import Path
from distributed import Client, LocalCluster
from tests.uatbook import sweep_functions as functions
from uatbook.sweeps import sweep

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        f = partial(functions.slow_square, Path(sys.argv[1]))
        print(sum(sweep(f, range(300), executor=client.get_executor(), cache=sys.argv[2])))
"""


def test_a_client_that_is_killed_goes_on_where_it_was(log: Path, tmp_path: Path) -> None:
    kept, program = tmp_path / "kept", tmp_path / "client.py"
    program.write_text(CLIENT, encoding="utf-8")
    command = [sys.executable, str(program), str(log), str(kept)]
    paths = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    environment: Any = os.environ | {"PYTHONPATH": paths}
    with subprocess.Popen(command, env=environment, start_new_session=True) as first:
        until = time.monotonic() + 90
        while len(list(kept.glob("??/*.pkl"))) < 100:
            assert time.monotonic() < until
            time.sleep(0.01)
        os.killpg(first.pid, signal.SIGKILL)
    here, before = len(list(kept.glob("??/*.pkl"))), sum(functions.calls(log).values())
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(sum(k * k for k in range(300)))]
    calls = functions.calls(log)
    assert set(calls) == set(range(300))
    assert sum(calls.values()) == before + 300 - here, "what was kept is not computed again"


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
