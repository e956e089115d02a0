"""A sample of the damages of benchmarks/damages.py, and the record of its long run."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from uatbook.damages import scaled, with_layer

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(10)


@pytest.fixture(scope="module")
def damages():
    spec = importlib.util.spec_from_file_location("damages", ROOT / "benchmarks" / "damages.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["damages"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["damages"]


@pytest.fixture(scope="module")
def record():
    return json.loads((ROOT / "data" / "damages.json").read_text())


def test_the_record_is_of_all_constructions_and_has_no_survivors(damages, record):
    assert list(record["constructions"]) == list(damages.CASES)
    assert record["command"].startswith("python benchmarks/damages.py --damages ")
    for counts in record["constructions"].values():
        for found, least in ((counts.pop("pairs"), 20), (counts, 300)):
            assert found["damages"] >= least
            assert sum(found.values()) == 2 * found["damages"]
            assert found["survivors"] == 0
        assert counts["seen by running the layers"] > counts["damages"] / 4


@pytest.mark.parametrize("k", range(21))
def test_a_sample_of_the_damages_is_seen(damages, record, k):
    name = list(damages.CASES)[k]
    case = damages.CASES[name]()
    assert all(check.holds for check in case.checks(case.built))
    found = [damages.outcome(case, seed) for seed in SEEDS] + [damages.outcome(case, 0, pair=True)]
    assert [text for text, result in found if result not in ("run", "read", "refused", "harmless")] == []
    assert sum(result in ("run", "read") for _, result in found) >= 3
    # The judge of what is harmless knows a network that is wrong, and one that is right.
    assert not case.is_wrong(case.built)
    model = getattr(case.built, "model", case.built)
    louder = scaled(("w_2", "b_2", "w_o", "p", "q"), 400)(model.layers[-1])
    assert case.is_wrong(damages.put(case.built, with_layer(model, len(model.layers) - 1, louder)))


@pytest.mark.parametrize("k", [0, 3, 11, 13, 15])
def test_every_kind_of_damage_is_made(damages, k):
    """Of many seeds each kind comes up, and leaves a model."""
    built = list(damages.CASES.values())[k]().built
    model = getattr(built, "model", built)
    texts = [damages.damaged(model, np.random.default_rng(seed))[0] for seed in range(120)]
    assert {text.split(",")[0] for text in texts} >= {"weight", "bias", "no skip", "mask", "other max", "twice"}
