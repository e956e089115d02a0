"""What is said of training built networks is what was recorded."""

import itertools
from pathlib import Path
from statistics import median

import built_networks as program
import pytest

from uatbook import records
from uatlib.torch_model import to_module

ROOT = Path(__file__).resolve().parents[2]
RECORD = records.read(records.FOLDER / "built-networks.json", program.COMMAND)


def after(source, start):
    runs = [run for run in RECORD["runs"] if (run["source"], run["start"], run["seeds"]) == (source, start, "reported")]
    assert [run["rate"] for run in runs] == [program.best_rate(RECORD["runs"], source, start)]
    return runs[0]["after"]


def test_every_rate_has_its_seeds_and_the_best_ten_others():
    assert RECORD["command"] == "python benchmarks/built_networks.py --record uatbook/data/built-networks.json"
    settings = RECORD["settings"]
    assert (settings["rates"], settings["steps"]) == (list(program.RATES), program.STEPS)
    assert not {*program.SEEDS["choosing"]} & {*program.SEEDS["reported"]}
    for source in program.SOURCES:
        for start in program.STARTS:
            own = [run for run in RECORD["runs"] if (run["source"], run["start"]) == (source, start)]
            assert [run["rate"] for run in own if run["seeds"] == "choosing"] == list(program.RATES)
            assert all(len(run["after"]) == len(program.SEEDS[run["seeds"]]) for run in own)
            assert len(after(source, start)) == 10


def test_readme_and_docstring_say_what_was_recorded():
    readme, said = (ROOT / "README.md").read_text(encoding="utf-8"), " ".join(to_module.__doc__.split())
    assert program.table(RECORD["runs"]) in readme
    tried = [run for run in RECORD["runs"] if (run["start"], run["seeds"]) == ("built", "choosing")]
    factors = [median(run["after"]) / run["before"][0] for run in tried]
    words = f"At {sum(f > 1 for f in factors)} of {len(factors)} pairs of network and rate training made it worse"
    assert words in " ".join(readme.split())
    assert sum(f > 100 for f in factors) > 1, "README says by orders of magnitude"
    assert f"best of {('eight', 'nine', 'ten')[len(program.RATES) - 8]} rates" in readme
    inner = {program.best_rate(RECORD["runs"], *own) for own in itertools.product(program.SOURCES, program.STARTS)}
    assert not inner & {program.RATES[0], program.RATES[-1]}, "a better rate may lie beyond"
    better = sum(median(after(s, "random")) < median(after(s, "built")) for s in program.SOURCES)
    assert f"the better start for {('no', 'one', 'two', 'three')[better]} of four networks" in said


def test_a_part_of_the_record_comes_out_again():
    """Last digits differ between machines, and training makes them larger."""
    found = program.train(("liu2025", "built", 1e-3, "choosing"))
    run = next(r for r in RECORD["runs"] if (r["source"], r["start"], r["rate"]) == ("liu2025", "built", 1e-3))
    assert found["before"] == pytest.approx(run["before"], rel=1e-3)
    assert found["after"] == pytest.approx(run["after"], rel=0.05)
