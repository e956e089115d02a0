"""What a GPU gives, recorded: its tests, then works of the report there and on the CPU.

    python benchmarks/gpu.py [--record uatbook/data/gpu.json]      # or: make gpu

All tests with the marker `gpu` must pass, and each work must give there what it gives on the CPU, on a tensor there.
Both take turns; a round ends when the GPU is done. Where there is none it says so, with status 2. The page on ways to
run the book shows the record.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from report import processor, same, timed  # noqa: E402
from works import ENTRIES  # noqa: E402

from uatbook import records  # noqa: E402

COMMAND = "benchmarks/gpu.py"
WORKS = (
    ("Ids of Lemma 8", "ours"),
    ("Ids of Lemma 8", "literal layers, INT64"),
    ("Ids of Lemma 8", "literal layers, FLOAT64"),
    ("Network of Yun et al.", "ours"),
    ("Network of Yun et al.", "literal layers"),
    ("Network of Kajitsuka and Sato", "ours"),
    ("Network of Liu et al.", "ours"),
    ("Network of Cheng et al.", "ours"),
    ("Smoother, float64", "ours"),
    ("Smoother, float64", "ours, told that centres are a grid"),
    ("Smoother, float32", "ours"),
    ("Exp attention, float64", "ours"),
    ("Exp attention, float32", "ours"),
    ("Exp attention, float32", "scaled_dot_product_attention"),
    ("RBF attention", "ours"),
)
"""Rows of the report, and arms."""


class Tally:
    """Of a run of pytest: how many tests passed, and which did not."""

    def __init__(self) -> None:
        self.passed, self.others = 0, list[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.passed and report.when == "call"
        if not report.passed:
            self.others.append(report.nodeid)


def tested(*places: Path) -> int:
    """How many tests there have the marker; ValueError unless all pass."""
    tally = Tally()
    status = pytest.main(["-m", "gpu", "-p", "no:benchmark", *map(str, places)], plugins=[tally])
    if status or tally.others:
        got = ", ".join(tally.others) or f"status {int(status)} of pytest"
        raise ValueError(f"gpu: expected all its tests to pass, got {got}.")
    return tally.passed


def measured(name: str, arm: str, device: str, quick: bool = False) -> dict[str, Any]:
    """Seconds of one arm on the CPU and on the device, medians; ValueError unless both give the same, each at home."""
    works = []
    for place in ("cpu", device):
        with torch.device(place):  # its tensors are made there
            works.append(ENTRIES[name].make(quick))
    (here, there), share = (work.arms[arm].call for work in works), works[0].arms[arm].share

    def waited() -> Any:
        found = there()
        getattr(torch, device).synchronize()
        return found

    if (found := waited()).device.type != device:  # what runs on the CPU says nothing of a GPU
        raise ValueError(f"{name}: expected {arm} to give a tensor on {device}, got one on {found.device}.")
    same(name, f"{arm} on {device}", works[0], found.cpu(), here())
    del found
    rounds = 1 if quick else ENTRIES[name].rounds
    spent = np.median([(timed(here), timed(waited)) for _ in range(rounds)], axis=0)
    size = works[0].size + (f", the first {share:.2%}" if share < 1 else "")
    return {"work": name, "arm": arm, "size": size, "rounds": rounds, "cpu": spent[0], "gpu": spent[1]}


def driver() -> str:
    """The version of NVIDIA's, where its tool tells."""
    try:
        command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def record(path: Path, gpu: str, tests: int, device: str = "cuda", quick: bool = False) -> None:
    """Measure, and write it with what it was measured on."""
    header = records.origin(path, COMMAND, torch.get_num_threads())
    header |= {"gpu": gpu, "driver": driver(), "processor": processor(), "tests": tests}
    records.write(path, header, works=[measured(*work, device, quick) for work in WORKS])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(f"python {COMMAND}", description="Test and measure on a GPU, and record it.")
    parser.add_argument("--record", type=Path, default=records.FOLDER / "gpu.json", help="JSON file")
    chosen = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        parser.exit(2, f"gpu: expected a GPU that torch {torch.__version__} finds, got none; run it where one is.\n")
    try:
        record(chosen.record, torch.cuda.get_device_name(), tested(ROOT / "tests/uatlib", ROOT / "tests/uatbook"))
    except ValueError as error:
        parser.exit(1, f"{error}\n")
    print(f"{chosen.record} is written")


if __name__ == "__main__":
    main()
