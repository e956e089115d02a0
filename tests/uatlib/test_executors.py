"""What takes an executor: the same results on threads and on processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from uatbook.yun2020.float_limits import first_collision, first_wrong_id
from uatlib import kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import FLOAT32, FLOAT64
from uatlib.metrics import equivariance_error, lp_distance, sup_distance
from uatlib.targets import Target, cyclic_difference, mean_product, running_mean


@pytest.fixture(scope="module", params=["threads", "processes"])
def executor(request: Any) -> Iterator[Executor]:
    """Two workers. Processes are spawned: a fork would copy the threads of torch half."""
    spawned = multiprocessing.get_context("spawn")
    with ThreadPoolExecutor(2) if request.param == "threads" else ProcessPoolExecutor(2, spawned) as pool:
        yield pool


def test_distances(executor: Executor) -> None:
    f, g = running_mean(2), mean_product(2)
    for options in ({"cells": 200, "method": "enclosed", "lipschitz": 3}, {"cells": 140}, {"method": "monte carlo"}):
        alone = lp_distance(f, g, n=2, d=1, **options)
        assert lp_distance(f, g, n=2, d=1, **options, executor=executor) == alone
    batches = np.random.default_rng(0).random((5, 40, 1, 2))
    alone, beside = sup_distance(f, g, list(batches)), sup_distance(f, g, list(batches), executor=executor)
    assert (alone.value, alone.points, alone.witness.tolist()) == (beside.value, beside.points, beside.witness.tolist())
    X, difference = np.random.default_rng(0).random((3, 1, 5)), cyclic_difference(5)
    alone, beside = (equivariance_error(difference.function, X, executor=pool) for pool in (None, executor))
    assert (alone.value, alone.witness[1]) == (beside.value, beside.witness[1])
    assert alone.value > 0.1


NETWORKS = [
    yun2020.build(mean_product(2), inverse_delta=2),
    yun2020.build(running_mean(2), inverse_delta=2, positional=True, stage="softmax"),
    kajitsuka2024.build(mean_product(2), inverse_delta=2, duplicates="keep"),
    liu2025.build(mean_product(2), error=2),
]


@pytest.mark.parametrize("network", NETWORKS, ids=repr)
def test_certificates_of_networks(network: Any, executor: Executor) -> None:
    assert str(network.certify(literal=4, executor=executor)) == str(network.certify(literal=4))


def test_searches_of_ids(executor: Executor) -> None:
    """n = 5: the first collision is two grids after the first one that is tried. With FLOAT64 there is none."""
    for search in (first_collision, first_wrong_id):
        assert search(FLOAT32, 5, largest=9, executor=executor) == search(FLOAT32, 5, largest=9)
        assert search(FLOAT64, 6, largest=13, executor=executor) is None
    with pytest.raises(ValueError, match="tokens times layers"):
        first_collision(FLOAT64, 2, executor=executor)


DOORS: dict[str, Any] = {
    "lp_distance": lambda pool: lp_distance(len, len, n=1, d=1, executor=pool),
    "sup_distance": lambda pool: sup_distance(len, len, np.ones((1, 1, 1)), executor=pool),
    "equivariance_error": lambda pool: equivariance_error(abs, np.ones((1, 1, 2)), executor=pool),
    "yun2020": lambda pool: yun2020.certify(NETWORKS[0], executor=pool),
    "kajitsuka2024": lambda pool: kajitsuka2024.certify(NETWORKS[2], executor=pool),
    "first_collision": lambda pool: first_collision(FLOAT32, 4, executor=pool),
    "first_wrong_id": lambda pool: first_wrong_id(FLOAT32, 4, executor=pool),
}


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize("wrong", [2, ThreadPoolExecutor])
def test_what_is_no_executor_is_refused(name: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^executor: expected an Executor, got .*; take a ThreadPoolExecutor"):
        DOORS[name](wrong)


def test_what_processes_cannot_get_is_refused_before_anything_runs() -> None:
    def never(X: Any) -> Any:
        raise AssertionError("called")

    inner = Target(lambda X: X / 2, 2, 1, group="symmetric", lipschitz=1, bound=1)
    network = yun2020.build(inner, inverse_delta=2)
    with ProcessPoolExecutor(1) as pool:  # no process starts before there is work
        for call in (
            lambda: lp_distance(never, never, n=1, d=1, executor=pool),
            lambda: sup_distance(never, never, np.ones((1, 1, 1)), executor=pool),
            lambda: yun2020.certify(network, executor=pool),
        ):
            with pytest.raises(ValueError, match=r"^executor: expected a ThreadPoolExecutor, .* pickle"):
                call()


def average(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """A sum over both sequences, in one row of two tokens."""
    total = X.sum((-1, -2)) + Z.sum((-1, -2))
    return np.stack([total, -total], axis=-1)[..., None, :]


def product(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return np.stack([X[..., 0, 0] * Z[..., 0, 1], 0 * X[..., 0, 0]], axis=-1)[..., None, :]


SOURCE: dict[str, Any] = {"n": 1, "d": 1, "n_source": 2, "d_source": 1, "n_out": 2, "d_out": 1}


def by_loops(p: float, cells: int, low: float, high: float) -> float:
    """d_p of the two by the midpoint rule: every centre of X and of both tokens of Z."""
    centres = [low + (high - low) * (k + 0.5) / cells for k in range(cells)]
    total = 0.0
    for x in centres:
        for y in centres:
            for z in centres:
                first, second = x + y + z - x * z, -(x + y + z)
                total += abs(first) ** p + abs(second) ** p
    return (total * ((high - low) / cells) ** 3) ** (1 / p)


@pytest.mark.parametrize("p", [1, 2, 3.5])
@pytest.mark.parametrize("domain", [(0, 1), (-1, 2)])
def test_a_second_sequence(p: float, domain: Any, executor: Executor) -> None:
    low, high = domain
    found = lp_distance(
        average, product, p=p, domain=domain, method="enclosed", cells=5, lipschitz=9, **SOURCE, executor=executor
    )
    assert found.value == pytest.approx(by_loops(p, 5, low, high), rel=1e-12)
    assert found.points == 5**3
    close = lp_distance(average, product, p=p, domain=domain, cells=6, **SOURCE)
    assert abs(found.value - close.value) <= found.error
    drawn = lp_distance(average, product, p=p, domain=domain, method="monte carlo", samples=20_000, **SOURCE)
    assert abs(drawn.value - close.value) <= 5 * drawn.standard_error
    assert lp_distance(average, average, p=p, **SOURCE).value == 0


@pytest.mark.parametrize("p", [1, 2, np.inf])
def test_the_largest_difference_with_a_second_sequence(p: float, executor: Executor) -> None:
    rng = np.random.default_rng(1)
    X, Z = rng.normal(size=(3, 20, 1, 1)), rng.normal(size=(3, 20, 1, 2))
    sizes: dict[str, Any] = {"n_out": 2, "d_out": 1, "executor": executor}
    found = sup_distance(average, product, list(X), p, source=list(Z), **sizes)
    best: tuple[float, Any] = (-1.0, None)
    for x, z in zip(X.reshape(-1), Z.reshape(-1, 2), strict=True):
        gaps = abs(x + z[0] + z[1] - x * z[1]), abs(x + z[0] + z[1])
        size = max(gaps) if p == np.inf else sum(gap**p for gap in gaps) ** (1 / p)
        best = max(best, (size, (x, *z)), key=lambda pair: pair[0])
    assert found.value == pytest.approx(best[0], rel=1e-12)
    assert [u.reshape(-1).tolist() for u in found.witness] == [[best[1][0]], list(best[1][1:])]
    one = sup_distance(average, product, X[0], p, source=Z[0], **sizes)
    assert one.points == 20
    tensors = sup_distance(average, product, torch.tensor(X[0]), p, source=torch.tensor(Z[0]), n_out=2, d_out=1)
    assert tensors.value == one.value


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lp_distance(average, product, **{**SOURCE, "n_source": None}), "^d_source: expected d_source and n_s"),
        (lambda: lp_distance(average, product, **{**SOURCE, "d_source": 0}), "^d_source: expected an int >= 1"),
        (lambda: lp_distance(average, product, **{**SOURCE, "d_out": None}), "^d_out: expected d_out and n_out"),
        (lambda: lp_distance(average, product, **{**SOURCE, "d_out": 2}), r"^f: expected values of the shape \(.*2, 2"),
        (lambda: lp_distance(average, product, **{**SOURCE, "d_source": 10**30}), "^n_source: expected at most"),
        (
            lambda: sup_distance(average, product, np.ones((3, 1, 1)), source=np.ones((2, 1, 2))),
            "^source: expected a s",
        ),
        (
            lambda: sup_distance(
                average, product, np.ones((3, 1, 1)), source=[np.ones((3, 1, 2))] * 2, n_out=2, d_out=1
            ),
            "^source: exp",
        ),
        (lambda: sup_distance(average, product, np.ones((3, 1, 1)), source=7), "^source: expected an array"),
        (lambda: sup_distance(average, product, np.ones((3, 1, 1)), source=np.ones(2)), "^source: expected at least"),
        (lambda: sup_distance(average, product, np.ones((3, 1, 1)), n_out=1), "^d_out: expected d_out and n_out"),
    ],
)
def test_bad_sources_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
