"""The atlas of mixers, recorded: every mixer asked at every size and depth, with several seeds.

    python benchmarks/atlas.py --record uatbook/data/atlas.json [--processes 8 --cache FOLDER]

takes hours on one core; all mixers have been asked at one seed after the first. What the file has is not asked again,
so it can be stopped at any time and goes on. Leave out of the file the lines of a mixer that has changed. A family of
pairs that the file does not have is asked about where it can change an answer: where that is not "no" and a few random
parameters leave some pair of the family alike. All other answers stay, and with them their gaps, which are those of the
families that there were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from uatbook import records
from uatbook.atlas.record import (
    COMMAND,
    ENTRIES,
    LAYERS,
    SEEDS,
    TOKENS,
    TRAPS,
    Atlas,
    alike,
    ask,
    entry_of,
    grid,
    question,
    recorded,
)
from uatbook.processes import pool
from uatbook.sweeps import sweep

WRITTEN = 100
"""So many answers, then the file is written."""


def record(path: Path, processes: int = 1, cache: Path | None = None) -> None:
    """What is missing is asked, the most useful first."""
    atlas = recorded(path) if path.exists() else Atlas()
    old = atlas.header
    families = [family for family in TRAPS if family not in old.get("traps", TRAPS)]
    again = list(renewed(atlas, families))
    missing = [setting for setting in grid() if setting[-1] >= atlas.seeds(*setting[:-1])]
    asked = again + missing
    atlas.header = header(path, processes) | {key: old.get(key, []) for key in ("earlier", "renewed")}
    if old and asked:
        atlas.header["earlier"] += [{key: old[key] for key in ("date", "machine", "versions")}]
    if families:
        atlas.header["renewed"] += [{"families": families, "answers": len(again), "date": atlas.header["date"]}]
    questions = [question(entry_of(name), n, d, layers, seed) for name, n, d, layers, seed in asked]
    with pool(processes) as executor:
        answers = sweep(ask, questions, executor=executor, cache=cache, label="atlas", total=len(questions))
        for k, ((name, n, d, layers, seed), found) in enumerate(zip(asked, answers, strict=True), start=1):
            for last, answer in found.items():
                atlas.add(name, n, d, layers, last, answer, seed)
            if k % WRITTEN == 0 and k >= len(again):  # a file without the family tells what is to be asked again
                atlas.write(path)
    atlas.write(path)


def renewed(atlas: Atlas, families: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Settings and seeds whose answer pairs of a new family can turn to "no"."""
    for name, n, d, layers, last in atlas.settings() if families else ():
        verdicts, entry = atlas.row(name, layers, last)[n, d].verdicts, entry_of(name)
        if last == entry.causal and set(verdicts) != {"n"}:
            for seed in alike(entry, n, d, layers, families):
                if verdicts[seed : seed + 1] not in ("", "n"):
                    yield name, n, d, layers, seed


def header(path: Path, processes: int) -> dict[str, Any]:
    return {
        **records.origin(path, COMMAND, processes),
        "settings": {"n": list(TOKENS), "d": list(ENTRIES), "layers": list(LAYERS), "seeds": list(SEEDS)},
        "traps": TRAPS,
        "fields": {
            "last": "whether the last token alone is asked about, of mixers that are causal",
            "cells": "n, d, verdicts of seeds 0, 1, ... (yes, no, unsure), the least gap in units of rounding, the "
            "number of its family of pairs in traps, and whether a kink was seen",
            "earlier": "when and where what stands here already was asked",
            "renewed": "families that were added later, and how many answers they could change, which were asked again",
            "pairs": "the first sequences X and Y that fooled these layers, and the tokens that come out alike",
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line: record the answers in a file."""
    records.program(record, COMMAND, "Ask every mixer of the atlas whether it tells tokens apart.", arguments)


if __name__ == "__main__":
    main()
