"""The tasks against plain loops, what can be known against all sequences, equal budgets, and training."""

import itertools
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
import trained_mixers as recorder

from uatbook.yun2020.trained_mixers import (
    MIXERS,
    TASKS,
    MixerNetwork,
    accuracy,
    best_rate,
    ceiling,
    compare,
    fit,
    recorded,
    sample,
    summary,
    train,
)
from uatlib.arithmetic import FLOAT32

RECORD = recorded()


def label_by_loops(task, symbols, j):
    n = len(symbols)
    keys, bits = [s // 2 for s in symbols], [s % 2 for s in symbols]
    if task == "mean":
        return int(sum(bits) > n - sum(bits))
    if task == "near":
        return bits[j - 1]
    if task == "far":
        return bits[(j + n // 2) % n]
    (place,) = [i for i in range(n) if keys[i] == (keys[j] + 1) % n]
    return bits[place]


@pytest.mark.parametrize("task", TASKS)
def test_labels_are_those_of_the_task(task):
    symbols, labels = sample(task, 50, np.random.default_rng(3))
    assert symbols.shape == labels.shape == (50, 15)
    for row, want in zip(symbols.tolist(), labels.tolist(), strict=True):
        assert sorted(s // 2 for s in row) == list(range(15))
        assert want == [label_by_loops(task, row, j) for j in range(15)]


@pytest.mark.parametrize("task", TASKS)
def test_labels_are_balanced(task):
    _, labels = sample(task, 4000, np.random.default_rng(0))
    assert abs(float(labels.double().mean()) - 0.5) < 0.03


def heard_by(mixer, symbols, j):
    if mixer == "average":
        return symbols[j], j, tuple(sorted(symbols))
    if mixer == "convolution":
        return j, tuple(symbols[max(0, j - 1) : j + 2])
    return j, tuple(symbols)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("mixer", MIXERS)
def test_the_ceiling_is_what_the_best_guess_reaches(mixer, task):
    labels = defaultdict(Counter)
    for keys, bits in itertools.product(itertools.permutations(range(5)), itertools.product((0, 1), repeat=5)):
        symbols = [2 * key + bit for key, bit in zip(keys, bits, strict=True)]
        for j in range(5):
            labels[heard_by(mixer, symbols, j)][label_by_loops(task, symbols, j)] += 1
    right = sum(max(counts.values()) for counts in labels.values())
    assert ceiling(mixer, task, n=5) == Fraction(right, 120 * 32 * 5)


def test_budgets_agree():
    trained = [MixerNetwork(mixer).trained for mixer in MIXERS]
    assert max(trained) - min(trained) <= 2 * 16 + 1
    assert train("average", "mean", steps=1).parameters == trained[1]


def test_the_average_stays_one():
    network = MixerNetwork("average", 1)
    symbols, labels = sample("lookup", 16, np.random.default_rng(0))
    optimizer = torch.optim.Adam([p for p in network.parameters() if p.requires_grad], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(network(symbols).flatten(0, 1), labels.flatten()).backward()
        optimizer.step()
    layer = network.layers.parts()[0]
    X = torch.randn(2, 16, 15)
    change = layer.layer.forward(X, layer.weights(), FLOAT32) - X
    torch.testing.assert_close(change, change[..., :1].expand_as(change))


def test_a_filter_of_three_hears_its_neighbours_only():
    network = MixerNetwork("convolution", 2)
    symbols, _ = sample("far", 1, np.random.default_rng(0))
    changed = symbols.clone()
    changed[0, 7] ^= 1
    moved = (network(symbols) != network(changed)).any(-1)[0]
    assert torch.nonzero(moved).flatten().tolist() == [6, 7, 8]


@pytest.mark.parametrize("mixer", MIXERS)
def test_the_same_seed_gives_the_same_numbers(mixer):
    threads = torch.get_num_threads()
    one, again, other = (train(mixer, "far", seed=seed, steps=5) for seed in (4, 4, 5))
    assert one == again
    assert one != other
    assert torch.get_num_threads() == threads


def test_accuracy_counts_tokens():
    network = fit("attention", "near", seed=3, steps=2)
    symbols, labels = sample("near", 2000, np.random.default_rng([3, 2]))
    with torch.no_grad():
        answers = [[int(one > zero) for zero, one in row] for row in network(symbols).tolist()]
    right = sum(
        a == b for row, want in zip(answers, labels.tolist(), strict=True) for a, b in zip(row, want, strict=True)
    )
    assert accuracy(network, "near", seed=3) == right / (2000 * 15)
    assert train("attention", "near", seed=3, steps=2).accuracy == accuracy(network, "near", seed=3)


def test_compare_goes_by_task_then_mixer_then_seed():
    results = compare(mixers=("average", "bilinear"), tasks=("mean", "far"), seeds=(0, 1), steps=1)
    assert [(r.task, r.mixer, r.seed) for r in results] == [
        (task, mixer, seed) for task in ("mean", "far") for mixer in ("average", "bilinear") for seed in (0, 1)
    ]


def test_the_record_is_of_this_program():
    assert RECORD["settings"] == recorder._header(Path("uatbook/data/trained-mixers.json"))["settings"]
    assert RECORD["command"] == "python benchmarks/trained_mixers.py --record uatbook/data/trained-mixers.json"
    here = {
        (r["steps"], r["task"], r["mixer"], r["rate"], r["seed"]) for r in RECORD["runs"] if r["seeds"] == "choosing"
    }
    rates, seeds = recorder.RATES, recorder.SEEDS
    further = {arm for *arm, rate, _ in here for arm in [tuple(arm)] if rate == recorder.FURTHER}
    every = {(arm, rate) for arm in recorder.ARMS for rate in rates} | {(arm, recorder.FURTHER) for arm in further}
    assert here == {(*arm, rate, seed) for arm, rate in every for seed in seeds["choosing"]}
    for steps, task, mixer in recorder.ARMS:
        arm = summary(RECORD, steps)[task, mixer]
        assert len(arm.accuracies) == len(seeds["reported"])
        tried = {
            rate: np.mean(
                [
                    r["accuracy"]
                    for r in RECORD["runs"]
                    if (r["steps"], r["task"], r["mixer"], r["rate"]) == (steps, task, mixer, rate)
                    and r["seeds"] == "choosing"
                ]
            )
            for rate in (*rates, *[recorder.FURTHER] * ((steps, task, mixer) in further))
        }
        assert tried[arm.rate] == max(tried.values())
        largest = max(tried[rate] for rate in rates)
        first = min(rate for rate in rates if tried[rate] == largest)
        assert ((steps, task, mixer) in further) == (first == max(rates))


@pytest.mark.parametrize(("task", "mixer"), [("mean", "average"), ("near", "convolution")])
def test_a_recorded_run_comes_out_again(task, mixer):
    """Other machines round differently; what is reached stays."""
    arm = summary(RECORD, 250)[task, mixer]
    assert train(mixer, task, seed=0, steps=250, rate=arm.rate).accuracy == pytest.approx(arm.accuracies[0], abs=0.01)


def test_recording_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    monkeypatch.setattr(recorder, "ARMS", [(1, "mean", "average")])
    recorder.main(["--record", str(path)])
    whole = recorded(path)
    further = any(run["rate"] == recorder.FURTHER for run in whole["runs"])
    assert len(whole["runs"]) == (len(recorder.RATES) + further) * 2 + 10
    (arm,) = summary(whole, 1).values()
    assert arm.rate == best_rate(whole["runs"], "average", "mean", 1)
    again = [train("average", "mean", seed=seed, steps=1, rate=arm.rate).accuracy for seed in range(10)]
    assert list(arm.accuracies) == again
    cut = path.read_text().replace(",\n  " + path.read_text().splitlines()[-3].strip(), "")
    path.write_text(cut)
    assert len(recorded(path)["runs"]) == len(whole["runs"]) - 1
    recorder.main(["--record", str(path)])
    assert recorded(path)["runs"] == whole["runs"]
    monkeypatch.setattr(recorder, "RATES", (1e-3,))
    with pytest.raises(SystemExit):
        recorder.main(["--record", str(path)])


def test_the_ceilings_of_the_chapter():
    assert ceiling("convolution", "near") == Fraction(29, 30)
    assert ceiling("convolution", "far") == Fraction(1, 2)
    assert ceiling("convolution", "lookup") == Fraction(1, 2) + Fraction(1, 15)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: train("average", "mean", steps=1, rate=0), "rate: expected .*got 0"),
        (lambda: recorded(Path("no-such-file.json")), "no-such-file.json: expected the record of a run"),
        (lambda: sample("median", 3, np.random.default_rng(0)), 'task: expected "mean", "near", "far" or "lookup"'),
        (lambda: sample("mean", 0, np.random.default_rng(0)), "size: expected an int from 1 to 1,000,000, got 0"),
        (lambda: ceiling("fourier", "mean"), 'mixer: expected "attention", '),
        (lambda: ceiling("average", "mean", n=6), "n: expected an odd int, got 6"),
        (lambda: accuracy(MixerNetwork("average"), "median"), 'task: expected "mean", '),
        (lambda: MixerNetwork("fourier"), 'mixer: expected "attention", "average", "bilinear" or "convolution"'),
        (lambda: MixerNetwork("average", -1), "seed: expected an int .*got -1"),
        (lambda: train("average", "mean", steps=0), "steps: expected an int from 1 to 100,000, got 0"),
        (lambda: train("average", "mean", steps=1, batch=True), "size: expected an int from 1 to 1,000,000, got True"),
        (lambda: compare(mixers=("average", "fourier")), "got 'fourier'"),
        (lambda: compare(tasks=("mean", "median")), "got 'median'"),
        (lambda: ceiling("average", "near", 10**5 + 1), "n: expected an int from 5 to 999, got 100001"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
