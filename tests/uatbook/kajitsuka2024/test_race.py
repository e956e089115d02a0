"""Many networks trained at once against one after another; the recorded run against a small part of it, run again."""

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rank_one as recorder
import torch

import uatlib
from uatbook import records
from uatbook.kajitsuka2024.experiment import race as the_race
from uatbook.kajitsuka2024.experiment.networks import RankOneTransformer, Sizes
from uatbook.kajitsuka2024.experiment.race import (
    NETWORKS,
    decided,
    fit_together,
    race,
    reached,
    recorded,
    shortlist,
    summary,
)
from uatbook.kajitsuka2024.experiment.token_classification import PADDING, Sequences, synthetic
from uatbook.kajitsuka2024.experiment.train import fit

ROOT = Path(uatlib.__file__).parents[1]
PROGRAM = ROOT / "benchmarks" / "rank_one.py"
RECORD = recorded()
KEY = ("network", "seeds", "rate", "branches", "data_seed")


def networks(name, seeds, **options):
    return [RankOneTransformer(20, 3, Sizes(**NETWORKS[name], **options), seed=seed).double() for seed in seeds]


@pytest.mark.parametrize("name", NETWORKS)
def test_together_is_one_after_another(name):
    """In float64 sums in another order make no difference to be seen in so few steps, whatever the network."""
    data = synthetic(seed=1)
    together = networks(name, (3, 4), branches=0.4)
    shares = fit_together(together, data, epochs=12, rate=1e-2)
    for row, trained, alone in zip(shares, together, networks(name, (3, 4), branches=0.4), strict=True):
        assert row.tolist() == pytest.approx(fit(alone, data, epochs=12, rate=1e-2), abs=1e-12)
        for one, other in zip(trained.parameters(), alone.parameters(), strict=True):
            assert torch.allclose(one, other, rtol=0, atol=1e-7)


def test_padding_is_neither_learned_nor_counted():
    tokens = torch.tensor([[0, 1, 2], [0, 2, PADDING]])
    labels = torch.tensor([[0, 1, 0], [1, 1, PADDING]])
    data = Sequences(tokens, labels, ("a", "b", "c"), ("x", "y"))
    one, other = (RankOneTransformer(3, 2, Sizes(layers=1, d=8), seed=1).double() for _ in range(2))
    (shares,) = fit_together([one], data, epochs=20, rate=1e-2)
    assert shares.tolist() == pytest.approx(fit(other, data, epochs=20, rate=1e-2), abs=1e-12)
    assert {share * 5 % 1 for share in shares} == {0}


def test_a_network_without_finite_scores_harms_no_other_and_ends_its_race():
    data = synthetic(8, 3, 6)
    sound, broken = (RankOneTransformer(6, 3, Sizes(layers=1, d=8), seed=seed) for seed in (0, 1))
    with torch.no_grad():
        broken.read_out[0, 0] = math.nan
    shares = fit_together([sound, broken], data, epochs=300, rate=1e-2, until=0.9)
    assert np.isnan(shares[1]).all()
    assert shares[0, -1] >= 0.9 > max(shares[0, :-1])
    assert len(shares[0]) < 300
    assert [reached(row) for row in shares] == [len(shares[0]), None]


def test_the_seed_of_the_weights_is_not_that_of_the_data():
    first = race("1 layer", synthetic(), rate=1e-2, weight_seeds=(7, 8), epochs=3)
    other = race("1 layer", synthetic(), rate=1e-2, weight_seeds=(8, 7), epochs=3)
    assert np.allclose(first, other[::-1])
    assert not np.allclose(first[0], first[1])
    assert not np.allclose(first, race("1 layer", synthetic(seed=1), rate=1e-2, weight_seeds=(7, 8), epochs=3))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fit_together([], synthetic(), epochs=1, rate=1e-2), "networks: expected"),
        (
            lambda: fit_together(networks("1 layer", [0]) + networks("6 heads", [0]), synthetic(), epochs=1, rate=1e-2),
            "networks: expected",
        ),
        (lambda: race("7 heads", synthetic(), rate=1e-2, weight_seeds=[0]), 'name: expected "1 layer", '),
        (lambda: race("1 layer", None, rate=1e-2, weight_seeds=[0]), "data: expected a Sequences"),
        (lambda: race("1 layer", synthetic(), rate=1e-2, weight_seeds=[0], epochs=0), "epochs: expected an int >= 1"),
        (lambda: race("1 layer", synthetic(), rate=0, weight_seeds=[0]), "rate: expected a number > 0"),
        (lambda: fit_together(networks("1 layer", [0]), synthetic(4, 6, 21), epochs=1, rate=1), "at most 20 words"),
        (lambda: race("1 layer", synthetic(), rate=1e-2, weight_seeds=[-1]), "seed: expected an int >= 0"),
        (lambda: race("1 layer", synthetic(), rate=1e-2, branches=-1, weight_seeds=[0]), "branches: expected a number"),
    ],
)
def test_what_cannot_race_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# ----------------------------------------------------------------------------------------------------------- the record


def test_the_record_is_of_this_program_and_whole():
    settings = RECORD["settings"]
    assert settings == recorder._header(the_race.PATH)["settings"]
    assert RECORD["command"] == "python benchmarks/rank_one.py --record uatbook/data/rank-one.json"
    assert {"date", "machine", "versions"} < set(RECORD)
    seeds, labels = settings["weight_seeds"], settings["data_seeds"]
    for one, other in itertools.combinations(seeds.values(), 2):
        assert not set(one) & set(other)
    assert min(len(seeds["deciding"]), len(seeds["reported"])) >= 10
    assert not set(itertools.chain(*labels.values())) & set(itertools.chain(*seeds.values()))
    # The pick is not only by the labels that are reported.
    assert not set(labels["deciding"]) & set(labels["reported"])
    assert {1e-3, 3e-3, 1e-2} <= set(settings["rates"])
    runs = {tuple(r[k] for k in KEY): r for r in RECORD["runs"]}
    assert len(runs) == len(RECORD["runs"])
    for name in NETWORKS:
        _, rate, branches = decided(RECORD["runs"], name)[0]
        tried = {key[2:4] for key in runs if key[:2] == (name, "choosing")}
        assert tried >= set(itertools.product(settings["rates"], settings["branches"]))
        # The best is not at an edge.
        farther = {kind: set(values) for kind, values in settings["farther"].items()}
        assert rate not in {min(settings["rates"])} | farther["rates"]
        assert branches not in {max(farther["larger branches"])} | farther["smaller branches"]
        few = {key[2:4] for key in runs if key[:2] == (name, "deciding")}
        assert few == set(shortlist(RECORD["runs"], name))
        assert len(few) == settings["shortlist"] >= 3
        two = {tuple(setting) for _, *setting in decided(RECORD["runs"], name)[:2]}
        for kind, some in (("deciding", few), ("reported", two)):
            assert {key[2:4] for key in runs if key[:2] == (name, kind)} == some
            for setting, k in itertools.product(some, labels[kind]):
                assert runs[name, kind, *setting, k]["epochs"] == settings["epochs"]
    for run in RECORD["runs"]:
        assert len(run["reached"]) == len(seeds[run["seeds"]])
        assert all(epoch is None or 1 <= epoch <= run["epochs"] for epoch in run["reached"])
        for k, epoch in enumerate(run["reached"]):
            before = [right[k] for at, right in run["right_after"].items() if epoch is None or int(at) < epoch]
            assert all(right is None or right < settings["level"] * 192 for right in before)


@pytest.mark.parametrize(
    ("name", "data_seed", "epochs"), [("6 heads", 0, 30), ("1 layer, own keys", 1, 60), ("6 layers", 1, 20)]
)
def test_a_part_of_the_record_repeats(name, data_seed, epochs):
    """Two seeds of a network, for some epochs.

    Another machine adds in another order, an error of some 1e-16 a step. Weights that are off by 1e-13 from the start
    stand for a thousand of those at once: they must not change a count either, so the comparison needs no slack.
    """
    entry = summary(RECORD)[name]
    here = (name, "reported", entry.rate, entry.branches, data_seed)
    (line,) = (r for r in RECORD["runs"] if tuple(r[k] for k in KEY) == here)
    seeds = RECORD["settings"]["weight_seeds"]["reported"][:2]
    data = synthetic(seed=data_seed)
    for slip in (0, 1e-13):
        runners = networks(name, seeds, branches=entry.branches)
        with torch.no_grad():
            for weight in (w for runner in runners for w in runner.parameters()):
                weight += slip * torch.randn(weight.shape, generator=torch.Generator().manual_seed(0))
        shares = fit_together(runners, data, epochs=epochs, rate=entry.rate)
        said = {int(at): right[:2] for at, right in line["right_after"].items() if int(at) <= epochs}
        assert said
        assert {at: np.rint(192 * shares[:, at - 1]).tolist() for at in said} == said
        for row, epoch in zip(shares, line["reached"][:2], strict=True):
            assert reached(row) == (epoch if epoch is not None and epoch <= epochs else None)


def test_the_first_steps_from_the_theorems_weights_repeat():
    for line in RECORD["restarts"][::4]:
        again = recorder.restart(line["rate"], line["data_seed"], epochs=1)["right_after"]["1"]
        assert abs(again - line["right_after"]["1"]) <= 2


def line(name, rate, data_seed, epochs, seeds="choosing", branches=1.0):
    return {
        "network": name,
        "seeds": seeds,
        "rate": rate,
        "branches": branches,
        "data_seed": data_seed,
        "epochs": 400,
        "reached": epochs,
        "right_after": {},
    }


def test_the_best_setting_by_hand():
    """Medians 30 and 25; then infinite ones; then equal medians, of which one has a run that never came."""
    runs = [
        line("a", 1e-2, 0, [10, 20]),
        line("a", 1e-2, 1, [40, 50]),
        line("a", 1e-3, 0, [25, 25]),
        line("a", 1e-3, 1, [1, None]),
    ]
    assert decided(runs, "a")[0] == (25, 1e-3, 1)
    assert decided([line("a", 1e-2, 0, [None, 3]), line("a", 1e-1, 0, [99, 99])], "a")[0] == (99, 1e-1, 1)
    equal = [line("a", 1e-3, 0, [5, 30, None]), line("a", 1e-2, 0, [20, 30, 40], branches=0.4)]
    assert decided(equal, "a")[0] == (30, 1e-2, 0.4)
    assert decided([*runs, line("a", 1, 0, [1, 1], "reported")], "a")[0][0] == 25
    assert decided(runs, "b") == []


def test_a_lucky_setting_is_found_out():
    """Choosing, `a` needs 10, 20, 30 and 40; the first two swap when they run again, and the fourth never does."""
    chosen = [line("a", rate, 0, [epochs]) for rate, epochs in ((1e-2, 40), (3e-3, 30), (3e-2, 10), (1e-3, 20))]
    assert shortlist(chosen, "a") == [(3e-2, 1.0), (1e-3, 1.0), (3e-3, 1.0)]
    assert decided(chosen, "a")[0] == (10, 3e-2, 1)
    again = [line("a", 3e-2, 2, [50, None], "deciding"), line("a", 1e-3, 2, [25, 26], "deciding")]
    again += [line("a", 3e-3, 2, [31, 32], "deciding")]
    assert shortlist(chosen + again, "a") == shortlist(chosen, "a")
    assert decided(chosen + again, "a") == [(25, 1e-3, 1), (31, 3e-3, 1), (50, 3e-2, 1)]
    assert decided(chosen + again, "a")[0] == (25, 1e-3, 1)
    # What decides is not what says where to look: the grid is gone through as before.
    assert list(recorder._settings(chosen + again, "a")) == list(recorder._settings(chosen, "a"))
    # Both kinds together: 25 and 26 alone would be sooner than 27 and 27, with 90 and 1 they are not.
    both = [line("a", 1e-2, 0, [90, 90]), line("a", 1e-2, 2, [25, 26], "deciding")]
    both += [line("a", 1e-3, 0, [91, 1]), line("a", 1e-3, 2, [27, 27], "deciding")]
    assert decided(both, "a")[0] == (27, 1e-3, 1)


def test_the_summary_by_hand():
    runs = [
        line("1 layer", 1e-2, 0, [10, 20]),
        line("1 layer", 1e-3, 0, [20, 30]),
        line("1 layer", 1e-2, 0, [70, None], "reported"),
        line("1 layer", 1e-2, 1, [50, None], "reported"),
    ]
    record = {"settings": {"networks": {"1 layer": {"layers": 1}}}, "runs": runs}
    entry = summary(record)["1 layer"]
    assert (entry.weights, entry.rate, entry.branches) == (20 * 32 + 3 * 32 + 3 * 32 + 2 * 32 * 32 + 64, 1e-2, 1)
    assert entry.by_data == {0: [70, None], 1: [50, None]}
    assert entry.epochs == [50, 70, math.inf, math.inf]
    runs.append(line("1 layer", 1e-3, 0, [80, 60], "reported"))
    other = summary(record, second=True)["1 layer"]
    assert (other.weights, other.rate, other.epochs) == (entry.weights, 1e-3, [60, 80])
    assert summary(record)["1 layer"] == entry


def test_the_grid_grows_as_long_as_the_best_is_at_its_edge(monkeypatch):
    monkeypatch.setattr(recorder, "RATES", (1e-2, 1e-3))
    monkeypatch.setattr(recorder, "BRANCHES", (1.0, 0.5))
    monkeypatch.setattr(
        recorder, "FARTHER", {"rates": (1e-1,), "larger branches": (2.0, 4.0), "smaller branches": (0.1,)}
    )
    inner = list(itertools.product((1e-2, 1e-3), (1.0, 0.5)))

    def tried(need):
        """All settings, where each needs so many epochs; asked again with all of them known, the same."""
        runs = []
        for setting in recorder._settings(runs, "a"):
            runs.append(line("a", setting[0], 0, [need(*setting)], branches=setting[1]))
        again = list(recorder._settings(runs, "a"))
        assert again == [(run["rate"], run["branches"]) for run in runs]
        return again

    assert tried(lambda rate, branches: 9 if (rate, branches) == (1e-2, 1.0) else 10)[4:] == [
        *((1e-1, 1.0), (1e-1, 0.5)),
        *((1e-2, 2.0), (1e-3, 2.0)),
    ]
    assert tried(lambda rate, branches: 10 - (rate == 1e-3) - branches)[4:] == [
        *((1e-2, 2.0), (1e-3, 2.0)),
        *((1e-2, 4.0), (1e-3, 4.0)),
    ]
    assert tried(lambda rate, branches: 10 - (rate == 1e-3) + branches) == [*inner, (1e-2, 0.1), (1e-3, 0.1)]


def test_a_recording_goes_on_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    small = {
        "NETWORKS": {"6 heads": NETWORKS["6 heads"]},
        "RATES": (1e-2, 3e-2),
        "BRANCHES": (1.0,),
        "FARTHER": {"rates": (1e-1,), "larger branches": (), "smaller branches": (0.4,)},
        "SHORTLIST": 2,
        "WEIGHT_SEEDS": {"choosing": (1,), "deciding": (4, 5), "reported": (2, 3)},
        "EPOCHS": 8,
        "RESTART_DATA_SEEDS": (0,),
        "RESTART_EPOCHS": (1, 2),
    }
    for name, value in small.items():
        monkeypatch.setattr(recorder, name, value)
    monkeypatch.setattr(the_race, "SHORTLIST", small["SHORTLIST"])
    path = tmp_path / "new" / "record.json"
    calls = []

    def stops(name, *arguments, _race=race, **options):
        calls.append(options["weight_seeds"])
        if len(calls) == 3:
            raise KeyboardInterrupt
        return _race(name, *arguments, **options)

    monkeypatch.setattr(recorder, "race", stops)
    with pytest.raises(KeyboardInterrupt):
        recorder.record(path)
    assert len(recorded(path)["runs"]) == 2
    recorder.record(path)
    whole = path.read_bytes()
    count = len(calls)
    recorder.record(path)
    assert len(calls) == count
    assert path.read_bytes() == whole
    found = recorded(path)
    assert [run["seeds"] for run in found["runs"]][-9:] == ["choosing", *4 * ["deciding"], *4 * ["reported"]]
    few = shortlist(found["runs"], "6 heads")
    again = [(run["rate"], run["branches"], run["data_seed"]) for run in found["runs"] if run["seeds"] == "deciding"]
    assert again == [(*setting, data_seed) for setting in few for data_seed in (2, 3)]
    assert [(run["rate"], list(run["right_after"])) for run in found["restarts"]] == [
        (1e-3, ["1", "2"]),
        (1e-5, ["1", "2"]),
    ]
    assert summary(found)["6 heads"].rate in (1e-2, 3e-2, 1e-1)
    monkeypatch.setattr(recorder, "EPOCHS", 9)
    with pytest.raises(ValueError, match="expected the settings of this program"):
        recorder.record(path)
    capsys.readouterr()


def test_what_is_no_record_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"could not read it .* write one with"):
        recorded(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    command = [sys.executable, "-W", "error", str(PROGRAM), "--record", str(tmp_path / "bad.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert "could not read it" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_record_is_written_a_line_a_run(tmp_path):
    path = tmp_path / "again.json"
    top = {name: value for name, value in RECORD.items() if name not in ("runs", "restarts")}
    records.write(path, top, runs=RECORD["runs"], restarts=RECORD["restarts"])
    assert path.read_text(encoding="utf-8") == the_race.PATH.read_text(encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8")) == RECORD
