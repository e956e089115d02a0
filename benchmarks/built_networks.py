"""What training makes of built networks, recorded: each at every rate, then at its best; also from random weights.

    python benchmarks/built_networks.py --record uatbook/data/built-networks.json [--processes 2 --cache FOLDER]

builds the network of each source for one function, loads it with `to_module` and trains all its weights: four minutes
on one core. It goes on where it was stopped.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from uatbook import records
from uatbook.processes import pool
from uatbook.sweeps import sweep
from uatbook.training import one_thread
from uatlib.targets import Target
from uatlib.torch_model import to_module

COMMAND = "benchmarks/built_networks.py"
SOURCES, STARTS = ("yun2020", "kajitsuka2024", "liu2025", "cheng2025"), ("built", "random")
ERROR, STEPS, BATCH, SIDE = 0.75, 200, 64, 32
RATES = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
SEEDS = {"choosing": (100, 101, 102), "reported": tuple(range(10))}
"""Of the batches; those of random weights are 1000 more."""


def pooled(X: Any) -> Any:
    """Each token moved half the way to the mean of both."""
    return (X + X.mean(-1)[..., None]) / 2


def record(path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """Every network at every rate, then at its best; written after each run, and none run twice."""
    header = {
        **records.origin(path, COMMAND, processes),
        "settings": {
            "networks": f"of each source, build((X + mean)/2, n = 2, d = 1, error = {ERROR}), in float64",
            "starts": "the weights that were built, or normal ones over the root of the row's length",
            "data": f"{BATCH} fresh uniform sequences in every step",
            "training": "all weights, Adam, squared error, a constant rate",
            "rates": list(RATES),
            "steps": STEPS,
            "seeds": {kind: list(seeds) for kind, seeds in SEEDS.items()},
        },
        "fields": {
            "seeds": "each rate has the choosing ones, the rate with the least median of them the reported ones",
            "before, after": f"d_2 on {SIDE} x {SIDE} points of the square, by seed; null where it is not finite",
            "worst": "the largest d_2 of a batch on the way, by seed",
        },
    }
    found = records.read(path, COMMAND) if path.exists() else {"settings": header["settings"], "runs": []}
    if found["settings"] != header["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: Any = found["runs"]
    names = ("source", "start", "rate", "seeds")

    def run(source: str, start: str, kind: str, *rates: float) -> None:
        known = {tuple(run[name] for name in names) for run in runs}
        missing = [key for rate in rates if (key := (source, start, rate, kind)) not in known]
        for key, errors in zip(missing, sweep(train, missing, executor=executor, cache=cache), strict=True):
            runs.append({**dict(zip(names, key, strict=True)), **errors})
            records.write(path, header, runs=runs)
            print(*key, errors, flush=True)

    with pool(processes) as executor:
        for source in SOURCES:
            for start in STARTS:
                run(source, start, "choosing", *RATES)
                run(source, start, "reported", best_rate(runs, source, start))


def best_rate(runs: Sequence[dict[str, Any]], source: str, start: str) -> float:
    """The rate after which the median error of the choosing seeds is least."""
    errors = {
        run["rate"]: median(np.inf if error is None else error for error in run["after"])
        for run in runs
        if (run["source"], run["start"], run["seeds"]) == (source, start, "choosing")
    }
    return min(errors, key=errors.__getitem__)


def table(runs: Sequence[dict[str, Any]]) -> str:
    """The errors in Markdown: median, least and largest of the reported seeds."""
    lines = ["| `d_2`, network of | as built | trained from there | from random weights |", "| --- " * 4 + "|"]
    for source in SOURCES:
        built, random = (
            next(run for run in runs if (run["source"], run["start"], run["seeds"]) == (source, start, "reported"))
            for start in STARTS
        )
        cells = [f"{built['before'][0]:.2g}"]
        cells += [f"{median(e):.2g} ({min(e):.2g} to {max(e):.2g})" for e in (built["after"], random["after"])]
        lines.append(f"| `{source}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def train(key: tuple[str, str, float, str], steps: int = STEPS) -> dict[str, list[float | None]]:
    """Errors of one network at one rate, with each of the seeds: all side by side, each with its own state of Adam."""
    source, start, rate, kind = key
    target = Target(pooled, n=2, d=1, group="symmetric", lipschitz=1, bound=1)
    module = to_module(importlib.import_module(f"uatlib.{source}").build(target, error=ERROR).model)
    seeds = SEEDS[kind]
    streams = [np.random.default_rng(seed) for seed in seeds]
    weights = _weights(module, start, [np.random.default_rng(1000 + seed) for seed in seeds])
    ticks = (torch.arange(SIDE, dtype=torch.float64) + 0.5) / SIDE
    square = torch.cartesian_prod(ticks, ticks)[:, None]

    def error(weights: dict[str, torch.Tensor], X: torch.Tensor) -> torch.Tensor:
        return (torch.func.functional_call(module, weights, (X,)) - pooled(X)).square().mean()

    with one_thread():
        before = torch.func.vmap(error, (0, None))(weights, square)
        optimizer = torch.optim.Adam(weights.values(), lr=rate)
        worst = torch.zeros(len(seeds), dtype=torch.float64)
        for _ in range(steps):
            X = torch.as_tensor(np.stack([stream.random((BATCH, 1, 2)) for stream in streams]))
            errors = torch.func.vmap(error)(weights, X)
            optimizer.zero_grad()
            errors.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            worst = torch.fmax(worst, errors.detach())
        after = torch.func.vmap(error, (0, None))(weights, square)
    return {name: _rounded(errors) for name, errors in (("before", before), ("after", after), ("worst", worst))}


def _weights(module: torch.nn.Module, start: str, streams: Sequence[np.random.Generator]) -> dict[str, torch.Tensor]:
    found = {}
    for name, built in module.named_parameters():
        drawn = [stream.normal(size=built.shape) / max(built.shape[-1:] or (1,)) ** 0.5 for stream in streams]
        own = torch.as_tensor(np.stack(drawn)) if start == "random" else torch.stack([built.detach()] * len(streams))
        found[name] = own.requires_grad_()
    return found


def _rounded(errors: torch.Tensor) -> list[float | None]:
    return [float(f"{e:.4g}") if np.isfinite(e) else None for e in errors.detach().sqrt().tolist()]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    records.program(record, COMMAND, "Train networks that were built.", arguments)


if __name__ == "__main__":
    main()
