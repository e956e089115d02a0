"""How soon rank-1 transformers learn: many seeds at once, each network at its own best rate; a recorded run of it.

The text says that deeper networks learn faster, so what is measured is the epochs until 9 of 10 tokens are right.

    python -m uatlib.kajitsuka2024.experiment.race --record data/rank-one.json

trains eleven networks on random labels: the better part of an hour on one core. It goes on where it was stopped.
`recorded` reads the file; `summary` gives ten random weights of each network at its best, which others picked.
The file also says what becomes of the network of Corollary 1 when it is trained.

Source: kajitsuka2024, section 5. Rates, seeds and all networks but the first of each depth are ours.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import math
import multiprocessing
import os
import platform
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from ... import checks
from ...checks import choice, items, listed, positive, whole
from ...progress import progress
from ...sweeps import sweep
from ...training import one_thread
from ..memory import memorise
from .networks import RankOneTransformer, Sizes, recalling_network
from .token_classification import Sequences, sequences_of, synthetic
from .train import fit, rate_of, require_fit

NETWORKS: dict[str, dict[str, Any]] = {
    "1 layer": {"layers": 1},
    "192 units": {"layers": 1, "hidden": 192},
    "6 layers, 1 hears": {"layers": 6, "hearing": 1},
    "1 layer, own keys": {"layers": 1, "tied": False},
    "6 heads, 1 number": {"layers": 1, "heads": 6, "numbers": 1},
    "3 layers": {"layers": 3},
    "3 heads": {"layers": 1, "heads": 3},
    "6 layers": {"layers": 6},
    "6 heads": {"layers": 1, "heads": 6},
    "1 head, 6 numbers": {"layers": 1, "heads": 1, "numbers": 6},
    "6 heads, 192 units": {"layers": 1, "heads": 6, "hidden": 192},
}
"""Sizes by name; d = 32, and 32 hidden units a layer where nothing is said."""
RATES, BRANCHES = (1e-2, 3e-3, 3e-2, 1e-3), (1.0, 0.4, 0.15)
"""In the order in which they are tried. At 1, the branches of six layers of random weights add up to large numbers."""
FARTHER = {"rates": (1e-1,), "larger branches": (2.5, 6.0), "smaller branches": (0.05,)}
"""Tried one after the other, as long as the best is at the edge."""
SHORTLIST = 3
DATA_SEEDS = {"choosing": (0, 1), "deciding": (2, 3), "reported": (0, 1)}
WEIGHT_SEEDS = {"choosing": tuple(range(10, 15)), "deciding": tuple(range(30, 40)), "reported": tuple(range(20, 30))}
"""Each rate and size of branches has the choosing ones, the best few the deciding ones, the best two the reported."""
LEVEL, EPOCHS = 0.9, 400
CHECKPOINTS = (20, 50, 100, 200, 400)
RESTART_RATES, RESTART_DATA_SEEDS, RESTART_EPOCHS = (1e-3, 1e-5), tuple(range(5)), (1, 10, 100, 300, 1000, 2000)
_Lines = Sequence[Mapping[str, Any]]
PATH = Path(__file__).resolve().parents[3] / "data" / "rank-one.json"


def fit_together(
    networks: Sequence[RankOneTransformer], data: Sequences, *, epochs: int, rate: float, until: float | None = None
) -> np.ndarray:
    """Networks of one shape trained in place, each as `fit` does with all sequences in one batch, but all at once.

    Returns the shares of tokens that are right after each epoch, shape (networks, epochs), NaN where scores are no
    finite numbers. Each network has its own loss, gradient and state of Adam, so that none knows of the others; sums
    are in another order than in `fit`.

    Parameters
    ----------
    until : stop when every network has come to this share, or has no finite scores

    Raises
    ------
    ValueError
        There is no network, their shapes differ, or as `fit`.
    """
    networks = items("networks", networks, RankOneTransformer)
    if len({tuple((k, w.shape) for k, w in network.named_parameters()) for network in networks}) != 1:
        raise ValueError("networks: expected one or more of one shape.")
    require_fit(networks[0], data)
    epochs, rate = whole("epochs", epochs, 1), rate_of(rate)
    goal = math.inf if until is None else float(positive("until", until, 1))
    stacked, _ = stack_module_state(networks)
    weights = {name: weight.detach().requires_grad_() for name, weight in stacked.items()}
    labels, count = data.labels, int((data.labels >= 0).sum())

    def scores_and_loss(own: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        scores = functional_call(networks[0], dict(own), (data.tokens,))
        return scores, nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten(), ignore_index=-1)

    optimizer = torch.optim.Adam(weights.values(), lr=rate)
    shares: list[np.ndarray] = []
    arrived = np.zeros(len(networks), dtype=bool)
    with one_thread():
        for epoch in progress(range(epochs + 1), f"{len(networks)} networks"):
            # The scores that a step begins with are those after the step before it.
            scores, losses = vmap(scores_and_loss)(weights)
            if epoch:
                right = (scores.detach().argmax(-1) == labels).sum((1, 2)).double() / count
                finite = scores.detach().isfinite().flatten(1).all(1)
                shares.append(right.where(finite, math.nan).numpy())
                arrived |= ~(shares[-1] < goal)
                if arrived.all() or epoch == epochs:
                    break
            optimizer.zero_grad()
            losses.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    with torch.no_grad():
        for k, network in enumerate(networks):
            for name, weight in network.named_parameters():
                weight.copy_(weights[name][k])
    return np.stack(shares, axis=1)


def reached(shares: Sequence[float], level: float = LEVEL) -> int | None:
    """The first epoch after which so many tokens are right, counted from 1; None if there is none."""
    return next((epoch for epoch, share in enumerate(shares, 1) if share >= level), None)


def race(
    name: str,
    data: Sequences,
    *,
    rate: float,
    branches: float = 1.0,
    weight_seeds: Iterable[int],
    epochs: int = EPOCHS,
    until: float = LEVEL,
) -> np.ndarray:
    """`fit_together` for one of `NETWORKS`, in float64, with the random weights of each seed. The data have their own.

    Errors as `fit_together` and `RankOneTransformer`, or another name.
    """
    sizes = Sizes(**NETWORKS[choice("name", name, list(NETWORKS))], branches=branches)
    words, classes = len(sequences_of(data).words), len(data.classes)
    seeds = listed("weight_seeds", weight_seeds)
    networks = [RankOneTransformer(words, classes, sizes, seed=seed).double() for seed in seeds]
    return fit_together(networks, data, epochs=epochs, rate=rate, until=until)


# ------------------------------------------------------------------------------------------------------- recorded runs


def record(path: Path, *, executor: Executor | None = None) -> None:
    """Every network with every setting, then its best few and best two; written after each run, and none run twice.

    An executor of processes trains on several data sets side by side. Raises ValueError if it is none, or if there is a
    record with other settings at `path`.
    """
    executor = checks.executor(executor)
    header = _header(path)
    found = recorded(path) if path.exists() else {"settings": header["settings"], "runs": []}
    if found["settings"] != header["settings"]:
        raise ValueError(f"{path}: expected the settings of this program, got others; name another file.")
    runs: list[dict[str, Any]] = found["runs"]
    restarts: list[dict[str, Any]] = found.get("restarts", [])
    known = {(run["network"], run["seeds"], run["rate"], run["branches"], run["data_seed"]) for run in runs}

    def run(name: str, seeds: str, rate: float, branches: float, epochs: int = EPOCHS) -> None:
        missing = [seed for seed in DATA_SEEDS[seeds] if (name, seeds, rate, branches, seed) not in known]
        for line in sweep(partial(_line, name, seeds, rate, branches, epochs), missing, executor=executor):
            runs.append(line)
            _write(path, header, runs, restarts)
            print(f"{name}, {seeds}, {rate:g}, {branches:g}, data {line['data_seed']}: {line['reached']}", flush=True)

    for name in NETWORKS:
        for rate, branches in _settings(runs, name):
            # A setting that needs twice as long as another is not the best, whatever it needs.
            run(name, "choosing", rate, branches, int(min(EPOCHS, 2 * _first(runs, name)[0])))
        for rate, branches in _shortlist(runs, name):
            run(name, "deciding", rate, branches)
        for _, rate, branches in _decided(runs, name)[:2]:
            run(name, "reported", rate, branches)
    done = {(line["rate"], line["data_seed"]) for line in restarts}
    left = [setting for setting in itertools.product(RESTART_RATES, RESTART_DATA_SEEDS) if setting not in done]
    for line in sweep(_restarted, left, executor=executor):
        restarts.append(line)
        _write(path, header, runs, restarts)
    _write(path, header, runs, restarts)


def _line(name: str, seeds: str, rate: float, branches: float, epochs: int, data_seed: int) -> dict[str, Any]:
    """One run for the record."""
    data = synthetic(seed=data_seed)
    shares = race(name, data, rate=rate, branches=branches, weight_seeds=WEIGHT_SEEDS[seeds], epochs=epochs)
    right = np.rint(shares * data.tokens.numel())
    line = {"network": name, "seeds": seeds, "rate": rate, "branches": branches, "data_seed": data_seed}
    line |= {"epochs": epochs, "reached": [reached(row) for row in shares]}
    line["right_after"] = {
        str(epoch): [None if math.isnan(u) else int(u) for u in right[:, epoch - 1]]
        for epoch in CHECKPOINTS
        if epoch <= shares.shape[1]
    }
    return line


def _restarted(setting: tuple[float, int]) -> dict[str, Any]:
    rate, data_seed = setting
    return {"rate": rate, "data_seed": data_seed, **restart(rate, data_seed, RESTART_EPOCHS[-1])}


def _settings(runs: _Lines, name: str) -> Iterator[tuple[float, float]]:
    """Rates and branches to try, one after the other: what is best so far decides whether to look farther."""
    yield from itertools.product(RATES, BRANCHES)
    if _first(runs, name)[1] >= max(RATES):
        yield from itertools.product(FARTHER["rates"], BRANCHES)
    edge = max(BRANCHES)
    for larger in FARTHER["larger branches"]:
        if _first(runs, name)[2] >= edge:
            yield from itertools.product(RATES, [larger])
            edge = larger
    for smaller in FARTHER["smaller branches"]:
        if _first(runs, name)[2] <= min(BRANCHES):
            yield from itertools.product(RATES, [smaller])


def restart(rate: float, data_seed: int, epochs: int) -> dict[str, Any]:
    """The network of Corollary 1, trained from its own weights in float64: tokens right after some epochs.

    And the fewest and the most from epoch 100 on, if it gets there.
    """
    data = synthetic(seed=data_seed)
    memory = memorise(data.tokens.numpy() + 1, data.labels.numpy())
    network = recalling_network(memory, vocabulary=20, classes=3, dtype=torch.float64)
    right = [round(share * data.tokens.numel()) for share in fit(network, data, epochs=epochs, rate=rate)]
    after = {str(epoch): right[epoch - 1] for epoch in RESTART_EPOCHS if epoch <= epochs}
    return {"right_after": after, "from_100": [min(right[99:]), max(right[99:])] if epochs >= 100 else None}


def _tried(runs: _Lines, name: str, *seeds: str) -> dict[tuple[float, float], list[int | None]]:
    """The epochs of these runs by rate and branches."""
    tried: dict[tuple[float, float], list[int | None]] = {}
    for run in runs:
        if run["network"] == name and run["seeds"] in seeds:
            tried.setdefault((run["rate"], run["branches"]), []).extend(run["reached"])
    return tried


def _cost(epochs: Sequence[int | None]) -> tuple[float, int, float]:
    """The median, where a run that never came is later than all; then how many never came; then the others' mean."""
    came = [epoch for epoch in epochs if epoch is not None]
    return statistics.median(_late(epochs)), epochs.count(None), statistics.fmean(came or [math.inf])


def _shortlist(runs: _Lines, name: str) -> list[tuple[float, float]]:
    """The few rates and branches that the choosing seeds find best, the least `_cost` first, then the smaller rate."""
    tried = _tried(runs, name, "choosing")
    return sorted(tried, key=lambda setting: (_cost(tried[setting]), setting))[:SHORTLIST]


def _first(runs: _Lines, name: str) -> tuple[float, float, float]:
    """The least median of the choosing seeds, and its setting; before the first run: inf, and the first settings."""
    for setting in _shortlist(runs, name)[:1]:
        return _cost(_tried(runs, name, "choosing")[setting])[0], *setting
    return math.inf, RATES[0], BRANCHES[0]


def _decided(runs: _Lines, name: str) -> list[tuple[float, float, float]]:
    """The shortlist in the order of its choosing and deciding runs together: median of epochs, rate and branches.

    A run that never came counts as later than all. Between equal medians fewer of those decide, then the mean of the
    others, then the smaller rate.
    """
    tried = _tried(runs, name, "choosing", "deciding")
    found = sorted((_cost(tried[setting]), setting) for setting in _shortlist(runs, name))
    return [(median, *setting) for (median, _, _), setting in found]


def best(runs: _Lines, name: str) -> tuple[float, float, float]:
    """The first of `_decided`; before the first run: inf, and the first settings."""
    return next(iter(_decided(runs, name)), (math.inf, RATES[0], BRANCHES[0]))


def _late(epochs: Iterable[int | None]) -> list[float]:
    return [math.inf if epoch is None else float(epoch) for epoch in epochs]


def _header(path: Path) -> dict[str, Any]:
    return {
        "command": f"python -m uatlib.kajitsuka2024.experiment.race --record {path.parent.name}/{path.name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, of which one was used",
        "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
        "settings": {
            "data": "synthetic(seed=data_seed): 32 sequences of 6 out of 20 words, 3 classes",
            "training": "Adam, cross-entropy, all 32 sequences in each step, one step an epoch, float64",
            "epochs": EPOCHS,
            "level": LEVEL,
            "rates": list(RATES),
            "branches": list(BRANCHES),
            "farther": {kind: list(values) for kind, values in FARTHER.items()},
            "shortlist": SHORTLIST,
            "data_seeds": {kind: list(seeds) for kind, seeds in DATA_SEEDS.items()},
            "weight_seeds": {kind: list(seeds) for kind, seeds in WEIGHT_SEEDS.items()},
            "networks": NETWORKS,
        },
        "fields": {
            "seeds": "weight seeds: each rate and size of the branches has the choosing ones, the best few the "
            "deciding ones too, and the best two of these by both together the reported ones",
            "epochs": "the last; while choosing at most twice the least median so far",
            "reached": "the first epoch with the level, for each weight seed in order; null if none up to the last",
            "right_after": "tokens right after some epochs, of 192; a batch of seeds stops when all have the level",
            "restarts": "the network of Corollary 1, trained from its own weights, float64",
            "from_100": "the fewest and the most tokens right after any epoch from 100 on",
        },
    }


def _write(path: Path, header: Mapping[str, Any], runs: _Lines, restarts: _Lines) -> None:
    """One line a run. The file is whole at any time."""
    text = json.dumps(header, indent=1).removesuffix("\n}")
    for name, lines in (("runs", runs), ("restarts", restarts)):
        text += f',\n "{name}": [\n' + ",\n".join("  " + json.dumps(line) for line in lines) + "\n ]"
    other = path.with_suffix(".part")
    path.parent.mkdir(exist_ok=True)
    other.write_text(text + "\n}\n", encoding="utf-8")
    other.replace(path)


def recorded(path: Path = PATH) -> dict[str, Any]:
    """What `record` wrote. ValueError if there is no such file: it lies in the repository, not in the package."""
    try:
        found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = f"write one with `python -m uatlib.kajitsuka2024.experiment.race --record {path}`"
        raise ValueError(f"{path}: expected the record of a run, could not read it ({error}); {hint}.") from None
    return found


@dataclass(frozen=True)
class Entry:
    """One network of a record with one setting; epochs of its reported runs by data seed, None if one never came."""

    network: str
    weights: int
    rate: float
    branches: float
    by_data: dict[int, list[int | None]]

    @property
    def epochs(self) -> list[float]:
        """Of all runs, sorted; inf for those that never came."""
        return sorted(_late(epoch for runs in self.by_data.values() for epoch in runs))


def summary(record: Mapping[str, Any], *, second: bool = False) -> dict[str, Entry]:
    """The reported runs of a record, by network, each at its best; or with its second best setting."""
    entries = {}
    for name, sizes in record["settings"]["networks"].items():
        _, rate, branches = _decided(record["runs"], name)[int(second)]
        here = (name, "reported", rate, branches)
        by_data = {
            run["data_seed"]: run["reached"]
            for run in record["runs"]
            if (run["network"], run["seeds"], run["rate"], run["branches"]) == here
        }
        entries[name] = Entry(name, RankOneTransformer(20, 3, Sizes(**sizes)).trained, rate, branches, by_data)
    return entries


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the runs in a file."""
    parser = argparse.ArgumentParser("python -m uatlib.kajitsuka2024.experiment.race")
    parser.description = "Train rank-1 transformers and record how soon they learn."
    parser.add_argument("--record", type=Path, required=True, help="JSON file; runs that are in it are not run again")
    parser.add_argument("--workers", type=int, default=1, help="processes, of which more than 2 are seldom of use")
    chosen = parser.parse_args(arguments)
    try:
        if whole("workers", chosen.workers, 1, 64) == 1:
            record(chosen.record)
        else:
            with ProcessPoolExecutor(chosen.workers, multiprocessing.get_context("spawn")) as executor:
                record(chosen.record, executor=executor)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
