"""One function at many items: their order, how many are on their way, what is left over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest

from uatlib.internal.mapped import TASKS, mapped, room


@pytest.fixture(params=[None, 3])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor | None]:
    if request.param is None:
        yield None
        return
    with ThreadPoolExecutor(request.param) as pool:
        yield pool


def late(k: int) -> int:
    time.sleep(0.002 * (k % 3 == 0))
    return 100 // (k - 50)


def test_results_come_in_order_and_errors_at_their_turn(executor: Executor | None) -> None:
    found = mapped(late, range(99), executor=executor, label="late", total=99)
    assert [next(found) for _ in range(50)] == [100 // (k - 50) for k in range(50)]
    with pytest.raises(ZeroDivisionError):
        next(found)
    assert list(mapped(abs, (), executor=executor)) == []


def test_items_are_made_a_little_ahead(executor: Executor | None) -> None:
    items = iter(range(-5, 10**9))
    assert next(mapped(abs, items, executor=executor)) == 5
    assert next(items) == (-4 if executor is None else -5 + TASKS)


def test_what_is_left_over_is_taken_back() -> None:
    called: list[int] = []

    def slow(k: int) -> int:
        called.append(k)
        time.sleep(0.01)
        return k

    with ThreadPoolExecutor(1) as one:
        found = mapped(slow, range(30), executor=one)
        assert next(found) == 0
        found.close()  # type: ignore[attr-defined]
    assert len(called) < 10


def test_more_workers_get_more_tasks() -> None:
    assert room(None) == room(ThreadPoolExecutor(3)) == TASKS
    assert room(ThreadPoolExecutor(50)) == 200
