"""The transformers that were trained for the last chapter: the record is of its program, and a run comes out again."""

from pathlib import Path

import conclusion as program
import numpy as np
import pytest
import torch

from uatbook.conclusion import CELLS, ORDER, SIZES, best_rate, errors, fit, recorded, trained, weights
from uatlib.metrics import lp_distance
from uatlib.targets import mean_product

ROOT = Path(__file__).resolve().parents[2]
RECORD = recorded()


def test_the_record_is_of_this_program(tmp_path, monkeypatch):
    """Every rate with its seeds, the best one with ten others; and it goes on where it was stopped, by its settings."""
    assert RECORD["command"] == "python benchmarks/conclusion.py --record uatbook/data/conclusion.json"
    tried = [(run["size"], run["rate"], run["seed"]) for run in RECORD["runs"] if run["seeds"] == "choosing"]
    assert sorted(tried) == sorted((s, r, k) for s in SIZES for r in program.RATES for k in program.SEEDS["choosing"])
    for size in SIZES:
        runs = [run for run in RECORD["runs"] if run["size"] == size]
        middle = {
            r: sorted(u["d_2"] for u in runs if (u["rate"], u["seeds"]) == (r, "choosing"))[1] for r in program.RATES
        }
        best = min(middle, key=middle.get)
        assert best == best_rate(RECORD["runs"], size)
        reported = [(run["rate"], run["seed"]) for run in runs if run["seeds"] == "reported"]
        assert reported == [(best, seed) for seed in range(10)]
        assert trained(size).error.value == np.median([run["d_2"] for run in runs if run["seeds"] == "reported"])
    same = lp_distance(f := mean_product(2), f, n=2, d=1, cells=CELLS, order=ORDER)
    assert {trained(size).error.points for size in SIZES} == {same.points}
    assert not {*program.SEEDS["choosing"]} & {*program.SEEDS["reported"]}
    path = tmp_path / "record.json"
    path.write_text((ROOT / "uatbook" / "data" / "conclusion.json").read_text())
    program.main(["--record", str(path)])  # nothing is left to do
    monkeypatch.setattr(program, "STEPS", 3)
    with pytest.raises(SystemExit):
        program.main(["--record", str(path)])


def test_a_recorded_run_comes_out_again():
    """Other machines round differently, and training magnifies it; what is reached stays."""
    size = next(iter(SIZES))
    run = next(run for run in RECORD["runs"] if (run["size"], run["seeds"], run["seed"]) == (size, "reported", 0))
    model = fit(size, seed_of_weights=0, steps=RECORD["settings"]["steps"], rate=run["rate"])
    assert 0.5 < errors(model)[0] / run["d_2"] < 2


def test_errors_are_those_of_plain_loops_and_weights_are_counted():
    torch.manual_seed(3)
    model = torch.nn.Linear(1, 1)
    a, b = model.weight.item(), model.bias.item()
    axis = [(k + 0.5) / 200 for k in range(200)]
    off = [a * x + b - x * (x + y) / 2 for x in axis for y in axis]
    d_2, sup = errors(model)
    assert d_2 == pytest.approx((2 * np.mean(np.square(off))) ** 0.5, rel=1e-4)
    assert sup == pytest.approx(np.max(np.abs(off)), rel=0.02)
    for size, (layers, width, hidden) in SIZES.items():
        block = 4 * width * width + 4 * width + 2 * width * hidden + hidden + width
        assert weights(size) == layers * block + 3 * width + 1


@pytest.mark.parametrize(
    ("options", "message"),
    [({"size": "huge"}, "size"), ({"seed_of_weights": -1}, "seed"), ({"steps": 0}, "steps"), ({"rate": 0}, "rate")],
)
def test_what_is_off_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        fit(**{"size": next(iter(SIZES)), "seed_of_weights": 0, "steps": 1, "rate": 1e-3, **options})
