"""The atlas of mixers, recorded: every mixer asked at every size and depth, with several seeds.

    python benchmarks/atlas.py --record uatbook/data/atlas.json [--processes 8 --cache FOLDER]

takes hours on one core; all mixers have been asked at one seed after the first. What the file has is not asked again,
so it can be stopped at any time and goes on. Leave out of the file the lines of a mixer that has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uatbook import records
from uatbook.atlas import MIXERS
from uatbook.atlas.record import COMMAND, ENTRIES, LAYERS, SEEDS, TOKENS, TRAPS, Atlas, ask, grid, question, recorded
from uatbook.processes import pool
from uatlib.sweeps import sweep

WRITTEN = 100
"""So many answers, then the file is written."""


def record(path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """What is missing is asked, the most useful first."""
    atlas = recorded(path) if path.exists() else Atlas()
    atlas.header = header(path, processes)
    missing = [(*setting, seed) for *setting, seed in grid() if seed >= atlas.seeds(*setting)]
    questions = [question(MIXERS[name], n, d, layers, seed) for name, n, d, layers, seed in missing]
    with pool(processes) as executor:
        answers = sweep(ask, questions, executor=executor, cache=cache, label="atlas", total=len(questions))
        for k, ((name, n, d, layers, _), found) in enumerate(zip(missing, answers, strict=True), start=1):
            for last, answer in found.items():
                atlas.add(name, n, d, layers, last, answer)
            if k % WRITTEN == 0:
                atlas.write(path)
    atlas.write(path)


def header(path: Path, processes: int) -> dict[str, Any]:
    return {
        **records.origin(path, COMMAND, processes),
        "settings": {"n": list(TOKENS), "d": list(ENTRIES), "layers": list(LAYERS), "seeds": list(SEEDS)},
        "traps": TRAPS,
        "fields": {
            "last": "whether the last token alone is asked about, of mixers that are causal",
            "cells": "n, d, verdicts of seeds 0, 1, ... (yes, no, unsure), the least gap in units of rounding, the "
            "number of its family of pairs in traps, and whether a kink was seen",
            "pairs": "the first sequences X and Y that fooled these layers, and the tokens that come out alike",
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the answers in a file."""
    records.program(record, COMMAND, "Ask every mixer of the atlas whether it tells tokens apart.", arguments)


if __name__ == "__main__":
    main()
