"""Rank-1 transformers: the layer in loops and in the library's form, padding, training, the command line."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import uatlib
from uatlib.arithmetic import FLOAT64
from uatlib.model import Transformer
from uatlib.rank_one_experiment import RankOneAttention, RankOneTransformer, compare, main, train
from uatlib.token_classification import Sequences, synthetic

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


def test_the_layer_is_one_head_of_size_1():
    layer = RankOneAttention(*drawn(4))
    attention = layer.as_attention()
    assert attention.heads[0].w_q.shape == (1, 4)
    assert (attention.heads[0].w_k == attention.heads[0].w_v).all()
    assert not (attention.heads[0].w_q == attention.heads[0].w_k).any()
    X = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0))
    assert np.allclose(layer(X).detach(), Transformer([attention])(X.double(), FLOAT64), atol=1e-5)


def test_the_network_by_its_layers():
    network = RankOneTransformer(7, 3, layers=2, d=4, hidden=5, places=3, seed=1)
    tokens = torch.tensor([[2, 0, 6], [1, 1, 3]])
    Z = (network.words[tokens] + network.places).mT
    for k in range(2):
        Z = network.attention[k](Z)
        hidden = torch.relu(torch.einsum("rd,bdn->brn", network.w_1[k], Z) + network.b_1[k])
        Z = Z + torch.einsum("dr,brn->bdn", network.w_2[k], hidden) + network.b_2[k]
    assert torch.allclose(network(tokens), torch.einsum("cd,bdn->bnc", network.read_out, Z), atol=1e-5)
    assert network.trained == 7 * 4 + 3 * 4 + 2 * (3 * 4 + 2 * 4 * 5 + 5 + 4) + 3 * 4


@pytest.mark.parametrize("places", [0, 6])
def test_padding_changes_nothing(places):
    network = RankOneTransformer(9, 3, layers=3, d=8, places=places)
    rows = [[3, 1, 4], [1, 5, 8, 2, 6], [5]]
    padded = torch.full((3, 6), -1)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = torch.tensor(row)
    scores = network(padded)
    for i, row in enumerate(rows):
        assert torch.allclose(scores[i, : len(row)], network(torch.tensor([row]))[0], atol=1e-5)


def test_without_places_order_does_not_matter():
    network = RankOneTransformer(9, 3, layers=2, d=8)
    one = network(torch.tensor([[3, 1, 4]]))[0]
    other = network(torch.tensor([[4, 3, 1]]))[0]
    assert torch.allclose(one, other[[1, 2, 0]], atol=1e-5)


def test_training_is_counted_and_repeats():
    data = synthetic(8, 3, 6)
    curve = train(data, layers=2, d=8, hidden=16, epochs=60, rate=1e-2, seed=4)
    again = train(data, layers=2, d=8, hidden=16, epochs=60, rate=1e-2, seed=4)
    assert curve == again
    assert len(curve.accuracies) == 60
    assert {round(a * 24, 9) % 1 for a in curve.accuracies} == {0.0}
    assert curve.accuracies[-1] > 0.9
    assert curve.accuracies[0] < 0.8
    assert train(data, layers=2, d=8, hidden=16, epochs=60, rate=1e-2, seed=5) != curve


def test_labels_that_contradict_each_other_are_half_learned():
    tokens = torch.tensor([[0, 1], [0, 1]])
    data = Sequences(tokens, torch.tensor([[0, 1], [1, 1]]), ("a", "b"), ("x", "y"))
    assert train(data, layers=1, d=8, epochs=100, rate=1e-2).accuracies[-1] == 3 / 4


def test_padded_batches_are_trained():
    tokens = torch.tensor([[0, 1, 2], [0, 2, -1], [1, -1, -1]])
    labels = torch.tensor([[0, 1, 0], [1, 1, -1], [0, -1, -1]])
    data = Sequences(tokens, labels, ("a", "b", "c"), ("x", "y"))
    curve = train(data, layers=1, d=8, epochs=150, rate=1e-2, batch=2, positional=True)
    assert curve.accuracies[-1] == 1


def test_deeper_learns_faster():
    """A hundred epochs of the running comparison: three layers are ahead of one, with six times the units too."""
    one, three, wide = compare(depths=(1, 3), epochs=100)
    assert [c.layers for c in (one, three, wide)] == [1, 3, 1]
    assert [c.hidden for c in (one, three, wide)] == [32, 32, 192]
    assert three.parameters < wide.parameters
    assert three.accuracies[-1] > wide.accuracies[-1] + 0.05
    assert three.accuracies[-1] > one.accuracies[-1] + 0.1
    assert one.accuracies[-1] > one.accuracies[0]


def test_a_file_is_trained_on_from_the_command_line(tmp_path, capsys):
    path = tmp_path / "small.txt"
    path.write_text(FILE, encoding="utf-8")
    main([str(path), "--epochs", "4", "--width", "8", "--hidden", "8"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["3 sequences, 7 tokens, 6 words, 4 classes", "best possible accuracy: 1.0000"]
    assert [line.split(",")[0] for line in lines[2:]] == ["1 layer", "3 layers", "6 layers", "1 layer"]
    assert "48 hidden units" in lines[-1]
    assert lines[-1].endswith("after 4")


def test_the_module_runs_and_refuses(tmp_path):
    command = [sys.executable, "-W", "error", "-m", "uatlib.rank_one_experiment", str(tmp_path / "none")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(uatlib.__file__).parents[1], check=False)
    assert done.returncode == 2
    assert "could not read it" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": 0}, "layers to be an int >= 1"),
        ({"layers": 1, "d": 0}, "d to be an int >= 1"),
        ({"layers": 1, "epochs": 0}, "epochs to be an int >= 1"),
        ({"layers": 1, "batch": 2.5}, "batch to be an int >= 1"),
        ({"layers": 1, "rate": 0}, "learning rate > 0"),
        ({"layers": 1, "seed": -1}, "seed to be an int >= 0"),
        ({"layers": 1, "device": "abacus"}, "device: expected"),
    ],
)
def test_bad_settings_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        train(synthetic(4), **options)


def test_comparisons_are_checked_before_they_run():
    for options, words in (({"depths": (1, 0)}, r"depths\[1\]"), ({"wider": -1}, "wider"), ({"hidden": 0}, "hidden")):
        with pytest.raises(ValueError, match=words):
            compare(**options)


DEVICES = ["cpu", *(f"cuda:{k}" for k in range(torch.cuda.device_count()))]


@pytest.mark.parametrize("device", DEVICES)
def test_every_device_of_the_machine_learns(device):
    curve = train(synthetic(8, 3, 6), layers=2, d=8, hidden=16, epochs=60, rate=1e-2, device=device)
    assert curve.accuracies[-1] > 0.9
