"""Rank-1 transformers: the layer in loops and in the library's form, padding, training, the command line."""

import dataclasses
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

import uatlib
from uatbook.kajitsuka2024.experiment import networks as rank_one_networks
from uatbook.kajitsuka2024.experiment.networks import (
    RankOneAttention,
    RankOneTransformer,
    Sizes,
    recalling_network,
    rounded,
)
from uatbook.kajitsuka2024.experiment.token_classification import Sequences, synthetic
from uatbook.kajitsuka2024.experiment.train import compared, fit, main, predict, train
from uatbook.kajitsuka2024.label_networks import memorise
from uatlib.arithmetic import FLOAT64
from uatlib.layers import Attention, Head
from uatlib.model import Transformer

from .test_token_classification import FILE


def drawn(d, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=d).astype(np.float32) for _ in range(3)]


@pytest.mark.parametrize(("d", "n"), [(1, 2), (3, 4), (5, 1)])
def test_the_layer_by_loops(d, n):
    """(20): query token k hears sum_j (v_1^T z_j) softmax_j[(v_1^T z_j)(v_2^T z_k)]; a mask leaves tokens out."""
    v_1, v_2, w_o = (w.tolist() for w in drawn(d))
    layer = RankOneAttention(*drawn(d))
    Z = np.random.default_rng(1).normal(size=(2, d, n)).astype(np.float32)
    visible = torch.tensor([[True] * n, [True] + [k % 2 == 0 for k in range(1, n)]])
    for mask in (None, visible):
        got = layer(torch.tensor(Z), mask).detach().numpy()
        for b in range(2):
            keys = [j for j in range(n) if mask is None or mask[b, j]]
            for k in range(n):
                asked = sum(v_2[i] * float(Z[b, i, k]) for i in range(d))
                seen = [sum(v_1[i] * float(Z[b, i, j]) for i in range(d)) for j in keys]
                powers = [math.exp(s * asked) for s in seen]
                heard = sum(s * p for s, p in zip(seen, powers, strict=True)) / sum(powers)
                for i in range(d):
                    assert math.isclose(got[b, i, k], Z[b, i, k] + w_o[i] * heard, rel_tol=1e-4, abs_tol=1e-5)


def as_attention(layer):
    """The same layer in the form of this library, with float64 weights: size 1, or a row for each value."""
    v_1, v_2, w_o = (w.detach().cpu().double().numpy() for w in (layer.v_1, layer.v_2, layer.w_o))
    values = v_1.reshape(len(v_2), -1, v_1.shape[1])
    outputs = np.repeat(w_o, len(v_1) // len(w_o), axis=0).reshape(values.shape)
    keys = values[:, 0] if layer.keys is None else layer.keys.detach().cpu().double().numpy()

    def first(row, rows):
        return np.vstack([row, np.zeros((rows - 1, len(row)))])

    return Attention(
        [
            Head(w_q=first(asked, len(own)), w_k=first(key, len(own)), w_v=own, w_o=out.T)
            for own, key, asked, out in zip(values, keys, v_2, outputs, strict=True)
        ]
    )


def test_the_network_by_its_layers():
    network = RankOneTransformer(7, 3, Sizes(layers=2, d=4, hidden=5), places=3, seed=1)
    tokens = torch.tensor([[2, 0, 6], [1, 1, 3]])
    Z = (network.words[tokens] + network.places).mT
    for k in range(2):
        Z = network.attention[k](Z)
        hidden = torch.relu(torch.einsum("rd,bdn->brn", network.w_1[k], Z) + network.b_1[k])
        Z = Z + torch.einsum("dr,brn->bdn", network.w_2[k], hidden) + network.b_2[k]
    assert torch.allclose(network(tokens), torch.einsum("cd,bdn->bnc", network.read_out, Z), atol=1e-5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rank_one_networks, "MAX_WEIGHTS", network.trained - 1)
        with pytest.raises(
            ValueError, match=f"sizes: expected at most {network.trained - 1} weights, got {network.trained};"
        ):
            RankOneTransformer(7, 3, Sizes(layers=2, d=4, hidden=5), places=3)
    assert network.trained == 7 * 4 + 3 * 4 + 2 * (3 * 4 + 2 * 4 * 5 + 5 + 4) + 3 * 4


@pytest.mark.parametrize(
    ("heads", "numbers", "tied"),
    [(1, 1, True), (1, 1, False), (1, 3, True), (3, 1, True), (2, 4, True), (4, 2, False), (2, 2, False)],
)
def test_heads_with_other_keys_values_and_sums_by_loops(heads, numbers, tied):
    """Value r is of head r // (rows / heads); of the rows of a head the first is its key, unless it has its own."""
    rng = np.random.default_rng(heads + 10 * numbers)
    d, n, rows = 3, 4, max(heads, numbers)
    v_1, v_2, w_o, own = (rng.normal(size=(k, d)).astype(np.float32) for k in (rows, heads, numbers, heads))
    layer = RankOneAttention(v_1, v_2, w_o, None if tied else own)
    Z = rng.normal(size=(d, n)).astype(np.float32)
    visible = [True, False, True, True]
    for mask in ([True] * n, visible):
        want = Z.astype(float).copy()
        for k in range(n):
            for r in range(rows):
                head = r // (rows // heads)
                key = v_1[head * (rows // heads)] if tied else own[head]
                powers = [math.exp(float(key @ Z[:, j]) * float(v_2[head] @ Z[:, k])) * mask[j] for j in range(n)]
                heard = sum(p * float(v_1[r] @ Z[:, j]) for j, p in enumerate(powers)) / sum(powers)
                want[:, k] += heard * w_o[r // (rows // numbers)]
        got = layer(torch.tensor(Z), torch.tensor(mask)).detach().numpy()
        assert np.allclose(got, want, atol=1e-4)
        if mask is not visible:
            assert np.allclose(Transformer([as_attention(layer)])(Z.astype(float), FLOAT64), want, atol=1e-5)
    assert layer.heard(torch.tensor(Z)).shape == (numbers, n)
    network = RankOneTransformer(5, 2, Sizes(layers=2, d=d, hidden=4, heads=heads, numbers=numbers, tied=tied))
    assert network.trained == 5 * d + 2 * d + 2 * (
        (rows + heads + numbers + (not tied) * heads) * d + 2 * d * 4 + 4 + d
    )


def test_branches_are_what_the_layers_add():
    """At 0 the network is its embeddings and its read-out; at 0.5 what a layer adds is half as large."""
    tokens = torch.tensor([[2, 0, 1]])
    none, half, whole = (RankOneTransformer(4, 3, Sizes(layers=1, d=8, branches=b), seed=3) for b in (0, 0.5, 1))
    assert torch.equal(none(tokens), (none.read_out @ none.words[tokens].mT).mT)
    assert torch.allclose(half.attention[0].w_o * 2, whole.attention[0].w_o)
    assert torch.allclose(half.w_2[0] * 2, whole.w_2[0])
    assert torch.equal(half.w_1[0], whole.w_1[0])


@pytest.mark.parametrize("places", [0, 6])
def test_padding_changes_nothing(places):
    network = RankOneTransformer(9, 3, Sizes(layers=3, d=8), places=places)
    rows = [[3, 1, 4], [1, 5, 8, 2, 6], [5]]
    padded = torch.full((3, 6), -1)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = torch.tensor(row)
    scores = network(padded)
    for i, row in enumerate(rows):
        assert torch.allclose(scores[i, : len(row)], network(torch.tensor([row]))[0], atol=1e-5)


def test_training_is_counted_and_repeats():
    data = synthetic(8, 3, 6)
    curve = train(data, Sizes(layers=2, d=8, hidden=16), epochs=60, rate=0.01, seed=4)
    again, other = (train(data, Sizes(layers=2, d=8, hidden=16), epochs=5, rate=0.01, seed=seed) for seed in (4, 5))
    assert curve.accuracies[:5] == again.accuracies != other.accuracies
    assert len(curve.accuracies) == 60
    assert {round(a * 24, 9) % 1 for a in curve.accuracies} == {0.0}
    assert curve.accuracies[-1] > 0.9
    assert curve.accuracies[0] < 0.8


def test_labels_that_contradict_each_other_are_half_learned():
    tokens = torch.tensor([[0, 1], [0, 1]])
    data = Sequences(tokens, torch.tensor([[0, 1], [1, 1]]), ("a", "b"), ("x", "y"))
    assert train(data, Sizes(layers=1, d=8), epochs=100, rate=0.01).accuracies[-1] == 3 / 4


def test_padded_batches_are_trained():
    tokens = torch.tensor([[0, 1, 2], [0, 2, -1], [1, -1, -1]])
    labels = torch.tensor([[0, 1, 0], [1, 1, -1], [0, -1, -1]])
    data = Sequences(tokens, labels, ("a", "b", "c"), ("x", "y"))
    curve = train(data, Sizes(layers=1, d=8), epochs=150, rate=0.01, batch=2, positional=True)
    assert curve.accuracies[-1] == 1


def test_a_comparison_trains_depths_a_wider_layer_and_more_heads():
    data = synthetic(8, 3, 6)
    one, three, wide, ears = (train(data, sizes, epochs=15, rate=1e-2) for sizes in compared((1, 3)))
    assert [c.sizes.layers for c in (one, three, wide, ears)] == [1, 3, 1, 1]
    assert [c.sizes.hidden for c in (one, three, wide, ears)] == [32, 32, 192, 32]
    assert [c.sizes.heads for c in (one, three, wide, ears)] == [1, 1, 1, 6]
    assert [c.name for c in (one, three, ears)] == [
        "1 layer, 32 hidden units",
        "3 layers, 32 hidden units",
        "1 layer, 6 heads, 32 hidden units",
    ]
    assert ears.parameters == one.parameters + 5 * 3 * 32
    for curve in (one, three, wide, ears):
        assert curve.accuracies[-1] > curve.accuracies[0]
        assert float((predict(curve.network, data) == data.labels).float().mean()) == pytest.approx(
            curve.accuracies[-1]
        )


def test_variants_are_named():
    data = synthetic(4, 3, 6)
    names = [train(data, Sizes(layers=1, **size), epochs=1).name for size in ({"numbers": 6}, {"tied": False})]
    assert names == ["1 layer, 6 numbers heard, 32 hidden units", "1 layer, own keys, 32 hidden units"]


# ---------------------------------------------------------------------------------------- the network of Corollary 1


def recalled(size=8, n=3, vocabulary=6, classes=4, scale="practical"):
    data = synthetic(size, n, vocabulary, classes)
    return data, memorise(data.tokens.numpy() + 1, data.labels.numpy(), scale=scale)


def test_the_network_of_corollary_1_is_among_those_that_are_trained():
    """Its scores are gain (c y - c^2 / 2) with y = the label, up to rounding; all its answers are right."""
    data, memory = recalled()
    for gain, dtype in ((1, torch.float64), (30.0, torch.float64), (1, torch.float32)):
        network = recalling_network(memory, vocabulary=6, classes=4, gain=gain, dtype=dtype)
        scores = network(data.tokens)
        assert scores.dtype == dtype
        for i, row in enumerate(data.labels.tolist()):
            for k, label in enumerate(row):
                wanted = [gain * (c * label - c * c / 2) for c in range(4)]
                error = gain * (1e-8 if dtype == torch.float64 else 0.05)
                assert scores[i, k].tolist() == pytest.approx(wanted, abs=error)
        assert torch.equal(predict(network, data), data.labels)
    assert len(network.attention) == 1
    assert len(network.w_1[0]) == memory.ids - 1 <= 24


def test_other_memories_are_refused():
    _, memory = recalled()
    with pytest.raises(ValueError, match=r"tokens out of 1, \.\.\., 5, got 6"):
        recalling_network(memory, vocabulary=5, classes=4)
    with pytest.raises(ValueError, match=r"labels out of 0, \.\.\., 2, got 3"):
        recalling_network(memory, vocabulary=6, classes=3)
    with pytest.raises(ValueError, match="memory: expected a Memory, got None"):
        recalling_network(None, vocabulary=3, classes=2)
    for gain in (0, -1):
        with pytest.raises(ValueError, match="gain: expected a "):
            recalling_network(memory, vocabulary=6, classes=4, gain=gain)
    flat = memorise([[[1, 2], [1, 1]]], [[[1, 0], [0, 1]]])
    with pytest.raises(ValueError, match="d = 1 and without encodings"):
        recalling_network(flat, vocabulary=6, classes=4)
    hard = Attention(memory.model.layers[0].heads, "hardmax")
    damaged = dataclasses.replace(memory, model=Transformer([hard, memory.model.layers[1]]))
    with pytest.raises(ValueError, match="softmax attention"):
        recalling_network(damaged, vocabulary=6, classes=4)


@pytest.mark.parametrize("function", [predict, fit])
def test_data_beyond_the_network_are_refused(function):
    network = RankOneTransformer(6, 4, Sizes(layers=1), places=2)
    for data, words in (
        (synthetic(4, 2, 7, 4), "data: expected at most 6 words, as the network has"),
        (synthetic(4, 2, 6, 5), "data: expected at most 4 classes, as the network has"),
        (synthetic(8, 3, 6, 4), "at most 2 places"),
        (None, "data: expected a Sequences"),
    ):
        with pytest.raises(ValueError, match=words):
            function(network, data)
    with pytest.raises(ValueError, match="network: expected a RankOneTransformer, got None"):
        function(None, synthetic(4))


def test_training_that_starts_from_it():
    """One step at the usual rate throws it away; where the loss is 0 in float32, nothing moves."""
    data, memory = recalled(32, 6, 20, 3)
    start = recalling_network(memory, vocabulary=20, classes=3)
    assert torch.equal(predict(start, data), data.labels)
    assert fit(start, data, epochs=1)[0] < 0.5
    flat = recalling_network(memory, vocabulary=20, classes=3, gain=300)
    before = [p.clone() for p in flat.parameters()]
    assert fit(flat, data, epochs=3) == (1, 1, 1)
    assert all(torch.equal(p, q) for p, q in zip(before, flat.parameters(), strict=True))


def test_rounding_by_fractions():
    """To `bits` binary digits: the nearest multiple of 2^(e - bits) for 2^(e - 1) <= |w| < 2^e, ties to even."""
    network = RankOneTransformer(5, 3, Sizes(layers=1, d=4, hidden=3), seed=2).double()
    with torch.no_grad():
        network.words[0] = torch.tensor([1.0, 0.0, -0.75, 1e-30])
    for bits in (1, 3, 10):
        short = rounded(network, bits)
        for weight, new in zip(network.parameters(), short.parameters(), strict=True):
            for w, got in zip(weight.flatten().tolist(), new.flatten().tolist(), strict=True):
                exponent = math.floor(math.log2(abs(w))) + 1 if w else 0
                unit = Fraction(2) ** (exponent - bits)
                assert Fraction(got) == round(Fraction(w) / unit) * unit
    assert all(torch.equal(p, q) for p, q in zip(network.parameters(), rounded(network, 53).parameters(), strict=True))
    with pytest.raises(ValueError, match="bits: expected an int >= 1"):
        rounded(network, 0)


def test_layers_that_do_not_hear_are_relus_alone():
    """The same as attention with w_o = 0, whatever its other weights."""
    deaf = RankOneTransformer(6, 3, Sizes(layers=3, d=4, hidden=5, hearing=1), seed=3)
    whole = RankOneTransformer(6, 3, Sizes(layers=3, d=4, hidden=5), seed=4)
    missing = whole.load_state_dict(deaf.state_dict(), strict=False).missing_keys
    assert missing == [f"attention.{k}.{name}" for k in (1, 2) for name in ("v_1", "v_2", "w_o")]
    with torch.no_grad():
        for layer in whole.attention[1:]:
            layer.w_o.zero_()
    tokens = torch.tensor([[0, 1, 2, 5], [3, 4, -1, -1]])
    assert torch.equal(deaf(tokens), whole(tokens))
    assert whole.trained - deaf.trained == 2 * 3 * 4
    curve = train(synthetic(4), Sizes(layers=3, hearing=1), epochs=1)
    assert curve.name == "3 layers, 1 hearing, 32 hidden units"
    with pytest.raises(ValueError, match="hearing: expected an int from 0 to 3, got 4"):
        RankOneTransformer(6, 3, Sizes(layers=3, hearing=4))


def test_predictions_leave_padding_out():
    tokens = torch.tensor([[0, 1, 2], [0, 2, -1]])
    data = Sequences(tokens, tokens.clone(), ("a", "b", "c"), ("x", "y", "z"))
    network = RankOneTransformer(3, 3, Sizes(layers=1, d=4))
    answers = predict(network, data)
    assert answers[1, 2] == -1
    assert answers[1, :2].tolist() == network(tokens[1:, :2]).argmax(-1)[0].tolist()


# -------------------------------------------------------------------------------------------------- the command line


def test_a_file_is_trained_on_from_the_command_line(tmp_path, capsys, device):
    path = tmp_path / "small.txt"
    path.write_text(FILE, encoding="utf-8")
    main([str(path), "--device", device, "--epochs", "4", "--width", "8", "--hidden", "8"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["3 sequences, 7 tokens, 6 words, 4 classes", "best possible accuracy: 1.0000"]
    heads = ["1 layer", "3 layers", "6 layers", "1 layer", "1 layer"]
    assert [line.split(",")[0] for line in lines[2::2]] == heads
    assert "48 hidden units" in lines[-4]
    assert "6 heads, 8 hidden units" in lines[-2]
    assert all(line.startswith("  right after 1: ") for line in lines[3::2])
    assert "4: " in lines[-1]
    assert max(map(len, lines)) <= 72


def test_the_module_runs_and_refuses(tmp_path):
    command = [sys.executable, "-W", "error", "-m", "uatbook.kajitsuka2024.experiment", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(uatlib.__file__).parents[1], check=False)
    assert done.returncode == 2
    assert "could not read it" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": 0}, "layers: expected an int >= 1"),
        ({"layers": 1, "d": 0}, "d: expected an int >= 1"),
        ({"layers": 1, "hidden": 0}, "hidden: expected an int >= 1"),
        ({"layers": 1, "branches": -1}, "branches: expected a "),
        ({"layers": 1, "branches": 1001}, "branches: expected a "),
        ({"layers": 1, "heads": 0}, "heads: expected an int >= 1"),
        ({"layers": 1, "numbers": 0}, "numbers: expected an int >= 1"),
        ({"layers": 1, "heads": 2, "numbers": 3}, "a multiple or a divisor of heads = 2, got 3"),
        ({"layers": 1, "epochs": 0}, "epochs: expected an int >= 1"),
        ({"layers": 1, "batch": 0}, "batch: expected an int >= 1"),
        *(({"layers": 1, "rate": rate}, "rate: expected") for rate in (0, 1e300, 10**400)),
        *(({"layers": 1, "seed": seed}, "seed: expected an int") for seed in (-1, 2**64)),
        *(({"layers": 1, "device": device}, "device: expected") for device in ("abacus", "meta", None)),
        ({"layers": 1, "d": 10**400}, "at most 100,000,000 weights"),
    ],
)
def test_bad_settings_are_refused(options, words):
    training = {name: value for name, value in options.items() if name not in Sizes.__dataclass_fields__}
    with pytest.raises(ValueError, match=words):
        train(synthetic(4), Sizes(**{k: v for k, v in options.items() if k not in training}), **training)


@pytest.mark.parametrize(("layers", "rate"), [(6, 1.0), (6, 1000)])
def test_training_that_diverges_is_stopped(layers, rate):
    with pytest.raises(ValueError, match=r"diverged, in epoch \d+: .* take a rate smaller than"):
        train(synthetic(), Sizes(layers=layers), epochs=30, rate=rate)


def test_scores_that_are_no_numbers_have_no_accuracy():
    """One weight of the read-out is enough; the argmax would still be a class."""
    data = synthetic(4)
    for bad in (math.nan, math.inf):
        network = RankOneTransformer(20, 3, Sizes(layers=1, d=4))
        with torch.no_grad():
            network.read_out[0, 0] = bad
        assert set(predict(network, data).ravel().tolist()) <= {0, 1, 2}
        with pytest.raises(ValueError, match="diverged, in epoch 1"):
            fit(network, data, epochs=5)


def test_what_is_no_data_or_no_weights_is_refused():
    with pytest.raises(ValueError, match="data: expected a Sequences"):
        train(None, Sizes(layers=1))
    with pytest.raises(ValueError, match="sizes: expected a Sizes"):
        RankOneTransformer(3, 2, {"layers": 1})
    rows = np.ones((3, 2)).tolist()
    for weights in (
        *(([1, 2], [1, 2], [1]), ([[1, 2]], [1, 2], [1, 2]), (1, 1, 1), ([], [], [])),
        *((rows, rows[:2], rows), (rows[:2], rows, rows), (rows[:1], rows[:2], rows[:2]), (rows, rows[:2], rows[:2])),
        (rows, rows, rows, rows[:1]),
    ):
        with pytest.raises(ValueError, match="one shape"):
            RankOneAttention(*weights)
    with pytest.raises(ValueError, match="padding only"):
        RankOneTransformer(5, 2, Sizes(layers=1))(torch.tensor([[0, 1], [-1, -1]]))


def test_depths_may_be_an_iterator_but_are_ints():
    assert [sizes.layers for sizes in compared(iter([1, 2]), wider=0, heads=0)] == [1, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--epochs", "0"], "epochs"),
        (["--rate", "inf"], "rate: expected"),
        (["--device", "abacus"], "device"),
        (["--seed", "-1"], "seed"),
        (["--wider", "-1"], "wider"),
        *(([option, "1000000000"], "weights") for option in ("--heads", "--width", "--wider")),
    ],
)
def test_options_are_checked_before_the_file_is_read(options, words, capsys):
    with pytest.raises(SystemExit):
        main(["no such file", *options])
    error = capsys.readouterr().err
    assert words in error
    assert "no such file" not in error


def test_comparisons_are_checked_before_they_run():
    for options, words in (
        ({"depths": (1, 0)}, "layers: expected an int >= 1, got 0"),
        ({"wider": -1}, "wider"),
        ({"heads": -1}, "heads"),
        ({"depths": 3}, "depths: expected a list"),
    ):
        with pytest.raises(ValueError, match=words):
            compared(**options)


def test_every_device_of_the_machine_learns(device):
    data = synthetic(8, 3, 6)
    network = train(data, Sizes(layers=2, d=8, hidden=16), epochs=60, rate=0.01, device=device).network
    assert network.words.device.type == device
    assert float((predict(network, data) == data.labels).double().mean()) > 0.9
    there, answers = network(data.tokens.to(device)).detach(), predict(network, data)
    here = network.cpu()(data.tokens).detach()
    # Some hundred roundings of numbers of about the size of the largest score.
    assert (there.cpu() - here).abs().max() <= 2**8 * torch.finfo(torch.float32).eps * here.abs().max()
    assert torch.equal(answers, predict(network, data))
