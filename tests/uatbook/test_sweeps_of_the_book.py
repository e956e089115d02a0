"""Statements, mixers and records over many settings, on processes, kept: the same as one after the other."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import trained_mixers as recorder

from uatbook import statements
from uatbook.sweeps import sweep
from uatbook.yun2020 import trained_mixers
from uatlib.cheng2025 import check_mixer


@pytest.fixture(scope="module")
def executor() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as two:
        yield two


def test_statements_by_their_ids(executor: Executor, tmp_path: Path) -> None:
    """Of one the certificate has balls."""
    ids = ["kajitsuka2024:lem-4", "yun2020:lem-8"]
    alone = [str(statements.get(id).verify()) for id in ids]
    assert [str(made) for made in statements.verify(ids, executor=executor, cache=tmp_path)] == alone
    kept = untouched(tmp_path)
    assert [str(made) for made in statements.verify(ids, cache=tmp_path)] == alone
    assert (len(kept), untouched(tmp_path)) == (2, kept)


def test_another_book_verifies_anew(monkeypatch: Any, tmp_path: Path) -> None:
    for digest in (b"old", b"new"):
        monkeypatch.setattr(statements, "text_digest", lambda folder, digest=digest: digest)
        assert [made.holds for made in statements.verify(["yun2020:lem-8"], cache=tmp_path)] == [True]
    assert len(untouched(tmp_path)) == 2


def power(k: int, X: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    """The mean of k-th powers: one number for all tokens, which their order does not change."""
    return theta * (X**k).mean(dim=-1, keepdim=True) + 0 * X


def untouched(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("??/*.pkl")}


def test_mixers_over_their_families(executor: Executor, tmp_path: Path) -> None:
    ask = partial(check_mixer, parameters=1, n=3, d=1, group="symmetric")
    mixers = [partial(power, k) for k in (1, 2, 3)]
    alone = [str(ask(mixer)) for mixer in mixers]
    found = list(sweep(ask, mixers, executor=executor, cache=tmp_path))
    assert ([str(verdict) for verdict in found], found[0].verdict) == (alone, "no")
    X, Y = found[0].pair
    assert X.mean() == pytest.approx(Y.mean())
    kept = untouched(tmp_path)
    assert [str(verdict) for verdict in sweep(ask, mixers, cache=tmp_path)] == alone
    assert (len(kept), untouched(tmp_path)) == (len(mixers), kept)


def test_training_is_kept(executor: Executor, tmp_path: Path) -> None:
    options: dict[str, Any] = {"mixers": ("average",), "tasks": ("near",), "seeds": (0, 1, 2), "steps": 2}
    found = trained_mixers.compare(**options, executor=executor, cache=tmp_path)
    assert found == trained_mixers.compare(**options)
    kept = untouched(tmp_path)
    assert trained_mixers.compare(**options, cache=tmp_path) == found
    assert (len(kept), untouched(tmp_path)) == (3, kept)


def test_a_record_that_is_lost_is_written_from_what_was_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(recorder, "ARMS", [(1, "mean", "average")])
    record, kept = tmp_path / "record.json", tmp_path / "kept"
    command = ["--record", str(record), "--cache", str(kept)]
    recorder.main(command)
    text, files = record.read_bytes(), untouched(kept)
    record.unlink()
    recorder.main(command)
    assert record.read_bytes() == text
    assert (len(files) >= 18, untouched(kept)) == (True, files)
    with pytest.raises(SystemExit):
        recorder.main([*command, "--processes", "0"])
