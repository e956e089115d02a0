"""The mixers of the atlas are what their formulas say, and what the record and the claims say of them holds."""

import inspect
import itertools
import json
import math
import re
from pathlib import Path

import atlas as program
import numpy as np
import pytest
import torch
from loops import LOOPS
from pybtex.database import parse_file
from rounds import FULL

from uatbook.atlas import MIXERS, Claim, mixer, page, shown
from uatbook.atlas.also import ALSO, OTHERS, USED
from uatbook.atlas.papers import PAPERS
from uatbook.atlas.record import (
    COMMAND,
    ENTRIES,
    LAYERS,
    PATH,
    SIZES,
    TOKENS,
    Atlas,
    Cell,
    ask,
    entry_of,
    grid,
    question,
    recorded,
)
from uatbook.atlas.registry import BIASED, group_of, shapes
from uatbook.atlas.sparse import PRINTED
from uatlib.cheng2025.mixer_network import Network
from uatlib.cheng2025.mixer_parsing import parsed
from uatlib.groups import elements

ROOT = Path(__file__).resolve().parents[3]
NAMES = list(MIXERS)
SOME = NAMES if FULL else NAMES[::4]
"""Those that the search is asked about once more."""
SEEDS = 12 if FULL else 3
"""Weights for what holds for all of them: one that shows that it does not shows it almost surely."""


def drawn(name, n, d, seed=0):
    """Tokens and theta."""
    rng = np.random.default_rng(seed)
    size = MIXERS[name].parameters(n, d)
    return torch.tensor(rng.normal(size=(d, n))), torch.tensor(rng.normal(size=size))


@pytest.mark.parametrize("name", NAMES)
def test_a_mixer_is_its_formula_in_plain_loops(name):
    entry = MIXERS[name]
    for n, d, seed in ((3, 2, 0), (4, 1, 1), (5, 3, 2), (4, 4, 3), (7, 2, 4)):
        X, theta = drawn(name, n, d, seed)
        parts, at = [], 0
        for shape in shapes(entry.weights, n, d):
            size = math.prod(shape)
            parts.append(theta[at : at + size].numpy().reshape(shape))
            at += size
        assert at == len(theta)
        wanted = np.transpose(LOOPS[name](X.T.numpy(), *parts))
        found = entry.g(n, d)(X, theta).numpy()
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-10), (n, d)


@pytest.mark.parametrize("name", NAMES)
def test_the_group_is_the_whole_symmetry(name):
    """g commutes with its generators, and with no other permutation of four tokens, or of five."""
    entry = MIXERS[name]
    for n, d in ((4, 3), (5, 2)):
        g, inside = entry.g(n, d), set(elements(group_of(entry.group, n, d), n))
        given = [(X, theta, g(X, theta)) for X, theta in (drawn(name, n, d, seed) for seed in range(6))]
        for p in map(list, itertools.permutations(range(n))):
            commutes = tuple(p) in inside
            some = given[:SEEDS] if commutes else given
            off = ((g(X[:, p], theta) - Z[:, p]).abs().max() > 1e-9 for X, theta, Z in some)
            assert any(off) != commutes, (n, p)


@pytest.mark.parametrize("name", NAMES)
def test_just_the_causal_mixers_hear_no_later_token(name):
    moved = torch.zeros(2, 5, dtype=torch.float64)
    for seed in range(6):
        X, theta = drawn(name, 5, 2, seed)
        F, G = (MIXERS[name].g(5, 2)(Z, theta) for Z in (X, X + torch.tensor([0, 0, 0, 1, 3])))
        moved = torch.maximum(moved, (F - G).abs())
    assert (moved.amax(dim=0)[3:] > 1e-6).all()
    assert moved[:, :3].max() == 0 if MIXERS[name].causal else moved[:, :3].max() > 1e-6


def layered(name, n, d, layers, pair, seed):
    """Both sequences behind layers of the mixer, with parameters drawn at random; sizes as `check_mixer` has them."""
    rng = np.random.default_rng(seed)
    g, scale = entry_of(name).g(n, d), (0.3, 1, 3)[seed % 3] * math.sqrt(2 / max(d, 2))
    F, G = (torch.as_tensor(Z, dtype=torch.float64) for Z in pair)
    size = 1.0
    for _ in range(layers):
        theta = torch.tensor(scale * rng.normal(size=entry_of(name).parameters(n, d)))
        F, G = F + g(F, theta), G + g(G, theta)
        size = max(size, float(torch.stack([F, G]).abs().nan_to_num(math.inf).max()))
    return F, G, size


def gap(F, G, i, j):
    return float((F[:, i] - G[:, j]).abs().max())


PROVED = [(name, k) for name in NAMES for k, claim in enumerate(MIXERS[name].claims) if claim.pair]


@pytest.mark.parametrize(("name", "k"), PROVED)
def test_the_pair_of_a_proof_fools(name, k):
    claim = MIXERS[name].claims[k]
    for n, d in SIZES:
        for layers in (1, 4):
            if not claim.covers(n, d, layers):
                continue
            X, Y, (i, j) = claim.pair(n, d)
            inside = elements(group_of(MIXERS[name].group, n, d), n) if n < 7 else []
            assert not any(torch.equal(X[:, list(p)], Y) for p in inside)
            for Z in (X, Y):
                assert min(float((Z[:, a] - Z[:, b]).abs().max()) for a in range(n) for b in range(a)) > 1e-3
                assert float(Z.abs().amax(dim=0).min()) > 1e-3
            for seed in range(SEEDS):
                F, G, size = layered(name, n, d, layers, (X, Y), seed)
                assert gap(F, G, i, j) <= 10.0 ** (layers - 10) * size, (n, d, layers)


@pytest.mark.parametrize(("name", "k"), PROVED)
def test_a_proof_does_not_cover_what_is_told_apart(name, k):
    """A pair differs in its other tokens; moved a little it does not fool, nor do layers that no claim covers."""
    claim = MIXERS[name].claims[k]
    found = itertools.product((2, 1), LAYERS, TOKENS)
    d, layers, n = next((d, layers, n) for d, layers, n in found if claim.covers(n, d, layers))
    X, Y, (i, j) = claim.pair(n, d)
    F, G, _ = layered(name, n, d, layers, (X, Y), 1)
    assert max(gap(F, G, a, a) for a in range(n)) > 1e-3
    moved = Y + 0.1 * drawn(name, n, d)[0]
    moved[:, j] = Y[:, j]
    seeds = range(12 if d > 1 else 1000)  # of signs few weights hear that something moved
    assert any(gap(*layered(name, n, d, layers, (X, moved), seed)[:2], i, j) > 1e-5 for seed in seeds)
    for deeper in LAYERS:
        if not MIXERS[name].known("no", n, d, deeper, claim.last):
            told = (gap(*layered(name, n, d, deeper, (X, Y), seed)[:2], i, j) > 1e-5 for seed in range(12))
            assert any(told), deeper


@pytest.mark.parametrize(
    ("name", "n", "depth"), [("DeltaNet, unit keys", 3, 2), ("CommNet", 5, 3), ("top two", 6, 2), ("L2 distance", 4, 1)]
)
def test_proofs_end_where_they_say(name, n, depth):
    assert MIXERS[name].known("no", n, 2, depth, MIXERS[name].causal) == []
    assert name == "L2 distance" or MIXERS[name].known("no", n, 2, depth - 1, MIXERS[name].causal) != []


@pytest.mark.parametrize("name", ["RetNet, no output gate", "GLA, no output gate"])
def test_a_gate_opens_the_trap_in_two_layers(name):
    """As the page says."""
    mixer, g = MIXERS[name], {}
    X = drawn("softmax", 4, 2)[0]
    Y = X * torch.tensor([-1, 1, 1, 1])
    sizes = (mixer.parameters(4, 2), (2, 2), (2, 2))
    for gated in (False, True):

        def layer(Z, seed, gated=gated):
            rng = np.random.default_rng(seed)
            theta, W_G, W_O = (torch.tensor(rng.normal(size=size)) for size in sizes)
            heard = mixer.g(4, 2)(Z, theta)
            return Z + (W_O @ (torch.nn.functional.silu(W_G @ Z) * heard) if gated else heard)

        F, G = layer(X, 0), layer(Y, 0)
        assert gap(F, G, 3, 3) < 1e-12
        g[gated] = gap(layer(F, 1), layer(G, 1), 3, 3)
    assert g[False] < 1e-12
    assert g[True] > 1e-6


def weights(name, d, **given):
    """Those that are given, in the order of the mixer's own, as one theta."""
    order = list(inspect.signature(MIXERS[name].mix).parameters)[1:]
    assert [*order] == [*given]
    return torch.cat([torch.as_tensor(given[key], dtype=torch.float64).flatten() for key in order])


@pytest.mark.parametrize(("name", "more"), [("MLA, no positions or norm", None), ("softmax with a sink", -0.7)])
def test_a_layer_hears_the_slope_of_a_logarithm_of_sums_of_powers(name, more):
    """The proof of "yes": keys, values and the query see one number of a token; the slope by differences."""
    X = drawn("softmax", 4, 2)[0]
    w, turn = np.array([0.6, -1.1]), np.array([0.3, 0.8])
    c, root = w @ X.numpy(), math.sqrt(2)
    for i in range(4):
        t = 0.9
        a = t * root / (turn @ X.numpy()[:, i])  # so that the query asks with t
        if more is None:
            up = np.array([[[1.0], [0.0]]] * 2)
            given = {"D_Q": a * turn, "U_Q": up, "D": w, "U_K": up, "U_V": up, "W_O": [np.eye(2), np.zeros((2, 2))]}
        else:
            given = {"W_Q": [a * turn, [0, 0]], "W_K": [w, [0, 0]], "W_V": [w, [0, 0]], "b": more}
        theta = weights(name, 2, **{key: np.array(value) for key, value in given.items()})
        heard = MIXERS[name].g(4, 2)(X, theta)[0, i]

        def log_sum(t):
            return math.log(sum(math.exp(t * one) for one in c) + (0 if more is None else math.exp(more)))

        assert float(heard) == pytest.approx((log_sum(t + 1e-5) - log_sum(t - 1e-5)) / 2e-5, abs=1e-9)


def test_two_layers_of_mla_count_tokens_of_one_entry_above_any_number():
    """The proof of "yes" for odd n: the first layer moves all tokens by t, the second hears the mean of their signs."""
    X, one = torch.tensor([[0.5, -1.2, 2.0, -0.3, 0.9]], dtype=torch.float64), np.array([[[1.0, 0.0]]] * 2)
    for t in (-1.5, -0.7, 0.1, 0.4, 1.0):

        def layer(Z, size):
            given = {"D_Q": [1, 0], "U_Q": np.zeros((2, 1, 2)), "D": [1, 0], "U_K": one, "U_V": one, "W_O": [size, 0]}
            theta = weights("MLA, no positions", 1, **{key: np.array(value, float) for key, value in given.items()})
            return MIXERS["MLA, no positions"].g(5, 1)(Z, theta)

        F = X + layer(X, 5 * t / math.sqrt(2))  # the mean of the signs is 1/5, a latent of one sign sqrt(2)
        assert torch.allclose(F, X + t)
        heard = layer(F, 1 / math.sqrt(2))
        assert torch.allclose(
            heard, torch.full((1, 5), sum(1 if x + t > 0 else -1 for x in X[0].tolist()) / 5).double()
        )


def test_softmax_is_left_of_a_gate_that_is_half_open_and_of_a_scale():
    X, theta = drawn("softmax", 5, 3)
    heard = MIXERS["softmax"].g(5, 3)(X, theta)
    half = torch.cat([theta, torch.zeros(9), torch.eye(3, dtype=theta.dtype).flatten()])
    assert torch.allclose(MIXERS["gated softmax"].g(5, 3)(X, half), heard / 2)
    scaled = torch.cat([theta, torch.tensor([1 / math.log(5)], dtype=theta.dtype)])
    assert torch.allclose(MIXERS["scalable softmax"].g(5, 3)(X, scaled), heard)


def test_keys_with_positions_tell_the_pair_of_mla_apart():
    """As the row says: a part of the keys that is not normalized hears how long a token is."""
    X, Y, (i, j) = MIXERS["MLA, no positions"].known("no", 4, 2, 1)[0].pair(4, 2)
    assert i == j == 0
    for part in (0, 1):
        most = 0
        for seed in range(6):
            heard, rng = [], np.random.default_rng(seed)
            D_Q, D, U_Q, U_K, U_V, K_R, Q_R = rng.normal(size=(7, 2, 2))
            for Z in (X.numpy(), Y.numpy()):
                c, q = ((W @ Z) / np.sqrt(((W @ Z) ** 2).mean(axis=0)) for W in (D, D_Q))
                s = (U_K @ c).T @ (U_Q @ q)[:, 0] + part * (K_R @ Z).T @ (Q_R @ q)[:, 0]
                heard.append(U_V @ c @ np.exp(s) / np.exp(s).sum())
            most = max(most, abs(heard[0] - heard[1]).max())
        assert most > 1e-2 if part else most < 1e-12


@pytest.mark.parametrize("name", [name for name in NAMES if MIXERS[name].with_biases()])
def test_biases_are_an_entry_more_and_of_0_change_nothing(name):
    entry = MIXERS[name]
    biased = entry.with_biases()
    for n, d in ((4, 3), (5, 1)):
        X, theta = drawn(name, n, d)
        sizes = [math.prod(shape) for shape in shapes(entry.weights, n, d)]
        words, parts = entry.weights.split(), []
        for word, shape, part in zip(words, shapes(entry.weights, n, d), torch.split(theta, sizes), strict=True):
            part = part.reshape(shape)
            parts.append(torch.cat([part, torch.zeros_like(part[..., :1])], dim=-1) if word.endswith("t") else part)
        assert [tuple(part.shape) for part in parts] == shapes(biased.weights, n, d)
        lifted = torch.cat([part.flatten() for part in parts])
        assert torch.allclose(biased.g(n, d)(X, lifted), entry.g(n, d)(X, theta), rtol=1e-12, atol=1e-13)
        there = lifted + (lifted == 0) * torch.arange(len(lifted)).sin()
        many = [drawn(name, n, d, seed)[0] for seed in range(6)]
        off = max(float((biased.g(n, d)(Z, there) - entry.g(n, d)(Z, theta)).abs().max()) for Z in many)
        assert (off > 1e-6) == (name != "external"), "softmax over tokens takes a bias of scores away"


def test_biased_projections_are_affine():
    (X, _), rng = drawn("ReLU", 4, 2), np.random.default_rng(1)
    Q, K, V = weights = rng.normal(size=(3, 2, 3))
    q, k, v = (W[:, :2] @ X.numpy() + W[:, 2:] for W in (Q, K, V))
    found = MIXERS["ReLU"].with_biases().g(4, 2)(X, torch.tensor(weights.ravel()))
    assert np.allclose(found, v @ np.maximum(k.T @ q / math.sqrt(2), 0) / 4)


@pytest.mark.parametrize("name", NAMES)
def test_a_layer_can_be_silent(name):
    """Some weights are 0 and the others are not, and g is 0: so deeper layers tell apart what fewer do."""
    n, d, entry = 4, 2, MIXERS[name]
    X, theta = drawn(name, n, d)
    parts = torch.split(theta, [math.prod(shape) for shape in shapes(entry.weights, n, d)])

    def silent(subset):
        muted = torch.cat([0 * part if k in subset else part for k, part in enumerate(parts)])
        return bool((entry.g(n, d)(X, muted) == 0).all())

    few = (subset for r in (1, 2, 3) for subset in itertools.combinations(range(len(parts)), r))
    assert any(map(silent, few)) == (name not in page.ALWAYS_HEARD)


def test_a_yes_of_fewer_layers_settles_what_is_unsure_and_no_more():
    name = "Vision Mamba, both scans"
    for below, verdicts, said in (
        ("yy", "yu", "yes"),
        ("yy", "yn", "mixed"),
        ("yu", "uu", "unsure"),
        ("yy", "nn", "no"),
    ):
        made = Atlas()
        for layers, letters in ((1, below), (2, verdicts)):
            made.cells[name, layers, False] = {(3, 1): Cell(letters, 1.0, "", False)}
        assert [cell.search for cell in page.found(made) if cell.layers == 2] == [said]


ASKED = ((5, 2, 4), (3, 1, 2), (4, 2, 2), (5, 1, 2), (8, 4, 2))
"""Tokens, entries, layers. Where the limits of noise are moved, most mixers are seen at the first of these."""


@pytest.mark.parametrize("name", SOME)
def test_no_mixer_of_the_atlas_is_taken_for_one_with_few_decimals(name):
    """All are in float64, so what is recorded does not depend on how noise is looked for."""
    entry = MIXERS[name]
    for n, d, layers in ASKED if FULL else ASKED[:1]:
        net = Network(parsed(entry.g(n, d), entry.parameters(n, d), n, d, np.random.default_rng(0)) * layers)
        net.measure_resolution(d, n, np.random.default_rng(0))
        assert net.resolution == 0


def test_top_two_hears_all_five_tokens_on_a_line():
    """The proof of "yes": the two largest, the two smallest, and with W_Q = 0 the sum give all five back."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = torch.tensor(rng.normal(size=(1, 5)))
        x, sign = X[0, 0], 1 if X[0, 0] > 0 else -1

        def heard(w_q, X=X):
            return MIXERS["top two"].g(5, 1)(X, torch.tensor([w_q, 1, 1], dtype=torch.float64))[0, 0]

        found = [5 * heard(0.0)]
        for end in (sign, -sign):
            most = heard(end * 1e6 / abs(x))
            found += [most, 2 * heard(end * 1e-9) - most]
        middle = found[0] - sum(found[1:])
        assert torch.allclose(torch.stack([middle, *found[1:]]).sort().values, X[0].sort().values, atol=1e-6)


# ----------------------------------------------------------------------------------------------------------- the record


RECORD = recorded()
CELLS, TABLE = page.by_name(RECORD), dict(zip(NAMES, shown.Table(RECORD).rows, strict=True))
COMMANDED = f"run python {COMMAND} --record {PATH.relative_to(ROOT)}"


def test_every_mixer_is_in_the_record_at_all_sizes():
    for name in NAMES:
        for layers in (1, 2, 3):
            row = RECORD.cells.get((name, layers, MIXERS[name].causal), {})
            assert set(row) == set(SIZES), f"{name}, {layers} layers: {COMMANDED}"


def test_the_record_has_no_mixer_that_the_atlas_lacks():
    assert {name.removesuffix(BIASED) for name, *_ in RECORD.cells} <= set(NAMES), (
        f"leave its lines out, and {COMMANDED}"
    )


@pytest.mark.parametrize("name", SOME)
def test_a_part_of_the_record_comes_again(name):
    """Three tokens of two entries, one layer, seed 0: runs under `check_mixer`, with its group, as recorded."""
    for last, answer in ask(question(MIXERS[name], 3, 2, 1, 0)).items():
        assert answer.verdict[0] == RECORD.cells[name, 1, last][3, 2].verdicts[0], COMMANDED


def test_recorded_pairs_fool():
    """Each "no" has its pair, and random parameters that the search did not see leave its tokens alike."""
    for (name, layers, last), row in RECORD.cells.items():
        if any("n" in cell.verdicts for cell in row.values()):
            assert (name, layers, last) in RECORD.pairs
    for (name, layers, last), pair in RECORD.pairs.items():
        n, d, (i, j) = pair["n"], pair["d"], pair["tokens"]
        assert not last or (i, j) == (n - 1, n - 1)
        same = 0
        seeds = range(100, 112 if name == "PointNet" else 100 + SEEDS)
        for seed in seeds:
            F, G, size = layered(name, n, d, layers, (pair["X"], pair["Y"]), seed)
            same += not math.isfinite(size) or gap(F, G, i, j) <= 1e-7 * size
        assert same >= (6 if name == "PointNet" else len(seeds)), (name, layers, same)


def test_the_program_asks_what_is_missing_and_no_more(tmp_path, monkeypatch):
    settings = [
        ("GLA, no output gate", 3, 1, 1, 0),
        ("softmax", 3, 1, 1, 0),
        ("softmax", 3, 1, 1, 1),
        ("GLA, no output gate", 3, 1, 2, 0),
    ]
    path, asked = tmp_path / "atlas.json", []
    monkeypatch.setattr(program, "ask", lambda question: asked.append(question[4:]) or ask(question))
    for count in (2, 4, 4):
        monkeypatch.setattr(program, "grid", lambda count=count: iter(settings[:count]))
        program.record(path)
    assert asked == [setting[1:] for setting in settings]
    found = recorded(path)
    kept = {key: {size: cell.verdicts for size, cell in row.items()} for key, row in found.cells.items()}
    assert kept == {
        ("GLA, no output gate", 1, False): {(3, 1): "n"},
        ("GLA, no output gate", 1, True): {(3, 1): "n"},
        ("softmax", 1, False): {(3, 1): "yy"},
        ("GLA, no output gate", 2, True): {(3, 1): "n"},
    }
    assert set(found.pairs) == {
        ("GLA, no output gate", 1, False),
        ("GLA, no output gate", 1, True),
        ("GLA, no output gate", 2, True),
    }
    found.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == path.read_text()


def test_a_new_family_is_asked_about_where_it_can_change_an_answer(tmp_path, monkeypatch):
    """A record without the rays, in which ReLU attention was told apart, softmax as well and GLA was not."""
    path, family = tmp_path / "atlas.json", "tokens on one ray, equal squares"
    settings, asked = [("ReLU", 3, 2, 1, 0), ("softmax", 3, 2, 1, 0), ("GLA, no output gate", 3, 2, 1, 0)], []
    monkeypatch.setattr(program, "grid", lambda: iter(settings))
    program.record(path)
    old = json.loads(path.read_text())
    old["traps"].remove(family)
    for row in old["rows"]:
        if row["mixer"] == "ReLU":
            row["cells"] = [[3, 2, "y", 1e9, 0, 1]]
    path.write_text(json.dumps(old))
    monkeypatch.setattr(program, "ask", lambda question: asked.append(question[4:]) or ask(question))
    program.record(path)
    assert asked == [settings[0][1:]]
    found = recorded(path)
    assert (found.verdict("ReLU", 3, 2, 1), found.cells["ReLU", 1, False][3, 2].family) == ("no", family)
    assert [(row["families"], row["answers"]) for row in found.header["renewed"]] == [([family], 1)]
    assert len(found.header["earlier"]) == 1


def test_the_grid_is_what_was_promised_the_most_useful_first():
    wanted = {
        (n, d, layers, seed) for n in range(3, 9) for d in range(1, 5) for layers in range(1, 5) for seed in range(5)
    }
    settings = [setting for setting in grid() if not setting[0].endswith(BIASED)]
    biased = [setting for setting in grid() if setting[0].endswith(BIASED)]
    assert {name.removesuffix(BIASED) for name, *_ in biased} <= set(NAMES)
    assert {setting[2:] for setting in biased} == {(2, 1, 0), (2, 4, 0)}
    for name, n, d, layers, _ in biased:
        entry = MIXERS[name.removesuffix(BIASED)]
        assert entry.known("no", n, d, layers, entry.causal), (name, n, layers)
    assert len(settings) == len(set(settings)) == len(NAMES) * len(wanted)
    assert {setting[1:] for setting in settings} == wanted
    assert [name for name, *_ in settings[: len(NAMES)]] == NAMES
    assert {setting[4] for setting in settings[: len(NAMES) * 96]} == {0}


def test_verdicts_agree_with_proofs():
    """No proof of "yes" meets a "no", but where the page says so, nor is a "no" without a proof."""
    assert {cell.name for cell, claim in page.against(RECORD)} <= {
        "BigBird",
        "Star-Transformer ring",
        "PointNet",
        "top two",
        "MLA, no positions",
    }
    no = [cell for cell in page.found(RECORD) if cell.search == "no"]
    assert page.unexplained(RECORD) == [cell for cell in no if cell.claim is None or cell.claim.verdict == "yes"] != []
    assert all(cell.claim for cell in page.unexplained(RECORD))
    settled = [cell for cell in page.found(RECORD) if cell.name == "top two" and cell.d == 1 and cell.n <= 5]
    assert {cell.verdict for cell in settled} == {"yes"}


def test_the_table_counts_what_is_recorded():
    rows = [row.words for row in TABLE.values()]
    assert [row[0] for row in rows] == NAMES
    for row in rows:
        name, entry = row[0], MIXERS[row[0]]
        for layers, said in zip((1, 2), row[4:6], strict=True):
            kinds = []
            for n, d in SIZES:
                claims = [c for c in entry.claims if not c.source and c.last == entry.causal and c.covers(n, d, layers)]
                proved = claims[0].verdict if claims else ""
                letters = RECORD.cells[name, layers, entry.causal][n, d].verdicts
                kinds.append(proved or {"n": "no", "y": "yes"}.get(letters[0] * (len(set(letters)) == 1), "unsure"))
            yes = [n for (n, _), kind in zip(SIZES, kinds, strict=True) if kind == "yes"]
            by_n = all(yes.count(n) == len(ENTRIES) for n in yes)
            some = f"yes at n = {', '.join(map(str, sorted(set(yes))))}" if by_n else f"yes at {len(yes)} of 24 sizes"
            told = "yes" if len(yes) == len(kinds) else some if yes else "no"
            proofs = [c for c in entry.claims if c.verdict == "yes" and c.last == entry.causal and c.why != PRINTED]
            sure = all(
                any(c.covers(n, d, layers) for c in proofs)
                for (n, d), kind in zip(SIZES, kinds, strict=True)
                if kind == "yes"
            )
            assert said == {"no": "fooled"}.get(told, told.replace("yes", "proved" if sure else "no pair found"))


def test_the_table_names_the_trap_where_one_closed():
    fooled = {cell.name for cell in page.found(RECORD) if cell.verdict == "no"}
    for row in (row.words for row in TABLE.values()):
        assert bool(row[-1]) == (row[0] in fooled)
        assert row[8] == ("yes" if MIXERS[row[0]].analytic else "no")


@pytest.mark.parametrize("name", [name for name in NAMES if any(cell.verdict == "no" for cell in CELLS[name])])
def test_the_pair_that_is_drawn_fools_all_layers_up_to_those_that_it_says(name):
    """At parameters that nobody saw, in float64; it is of different orbits, and there is a proof of "no"."""
    found = page.trap(RECORD, CELLS[name])
    X, Y = (torch.as_tensor(Z, dtype=torch.float64) for Z in (found.X, found.Y))
    d, n = X.shape
    deepest = max(cell.layers for cell in CELLS[name] if cell.verdict == "no")
    assert found.layers == (1 if name == "MLA, no positions" else deepest)  # deeper, it is fooled for d = 1 alone
    assert found.claim.verdict == "no"
    assert found.claim.covers(n, d, found.layers)
    assert found.claim.why in TABLE[name].words[9]
    assert not any(torch.equal(X[:, list(p)], Y) for p in elements(group_of(MIXERS[name].group, n, d), n))
    i, j = found.tokens
    assert not MIXERS[name].causal or i == j == n - 1
    for layers in range(1, found.layers + 1):
        for seed in range(200, 200 + SEEDS):
            F, G, size = layered(name, n, d, layers, (X, Y), seed)
            assert gap(F, G, i, j) <= 1e-7 * size, layers


def test_a_mixer_that_nothing_fools_has_its_nearest_gap():
    for name, cells in CELLS.items():
        if page.kind(cells) == "apart":
            cell, least = page.nearest(RECORD, cells)
            row = RECORD.cells[name, 1, MIXERS[name].causal]
            assert least.gap == min(c.gap for c in row.values() if set(c.verdicts) == {"y"}) >= 1e4
            assert row[cell.n, cell.d] == least
            assert f"n = {cell.n}, d = {cell.d}" in TABLE[name].drawing


def test_the_first_sentence_counts_the_rows_of_the_table():
    verdicts = {name: {cell.verdict for cell in cells} for name, cells in CELLS.items()}
    never, always = (sum(kinds == {verdict} for kinds in verdicts.values()) for verdict in ("yes", "no"))
    said = repr(shown.Count(RECORD))
    proved = sum(all(cell.verdict == "yes" and cell.proved for cell in cells) for cells in CELLS.values())
    assert 0 < proved < never
    wanted = [len(NAMES), len(PAPERS), always, len(NAMES) - never - always, never, proved, never - proved]
    traps = [row.words[-1] for row in TABLE.values()]
    wanted += sorted((traps.count(trap) for trap in {*traps} - {""}), reverse=True)[:3]
    assert [int(number) for number in re.findall(r"\d+", said)] == wanted


def test_a_line_says_depths_of_one_verdict_together():
    said = {name: shown.summary(cells) for name, cells in CELLS.items()}
    assert said["softmax"] == "1 to 4 layers: proved"
    assert said["XCiT"] == "1 to 4 layers: fooled"
    assert said["causal softmax"] == "1 layer: fooled; 2 to 4 layers: no pair found"
    assert said["sliding window"].startswith(
        "1 layer: fooled; 2 layers: no pair found at n = 3; 3 layers: no pair found at"
    )


def test_a_row_says_its_verdict_in_words():
    """What stands beside the bars; of those that nothing fools, whether that is proved."""
    said = shown.Chart(RECORD).words
    wanted = {
        "softmax": "proved: tells all apart",
        "XCiT": "proved: fooled from n = 3 on",
        "causal softmax": "fooled from n = 3 on in one layer, no pair found in two",
        "Mamba, selective scan": "no pair found up to n = 8",
        "L2 distance": "proved: fooled at odd n",
        "sliding window": "fooled from n = 3 on in one layer, from n = 6 on in four",
        "MLA, no positions": "fooled from n = 3 on in one layer, at some sizes in four",
        "MLA, no positions or norm": "proved: tells all apart",
    }
    assert {name: said[name] for name in wanted} == wanted
    for name, cells in CELLS.items():
        words = said[name]
        assert ("fooled" in words) == any(cell.verdict == "no" for cell in cells)
        if words.startswith("proved"):
            sure = [cell for cell in cells if cell.verdict == ("no" if "fooled" in words else "yes")]
            assert "fooled" in words or len(sure) == len(cells)
            assert all(MIXERS[name].known(cell.verdict, *cell[1:5]) for cell in sure)
        for n, verdicts in itertools.groupby(
            sorted((c.n, c.verdict) for c in cells if c.layers == 1), lambda both: both[0]
        ):
            if found := re.match(r"fooled from n = (\d) on in", words):
                assert ({v for _, v in verdicts} == {"no"}) == (n >= int(found[1]))


def test_bars_share_out_what_is_proved_and_what_the_search_alone_says():
    for rows in page.shares(RECORD).values():
        for name, depths in rows.items():
            for layers, share in zip(LAYERS, depths, strict=True):
                wanted = [0, 0, 0, 0]
                for cell in CELLS[name]:
                    if cell.layers == layers and cell.verdict in ("yes", "no"):
                        by = [c for c in MIXERS[name].claims if c.verdict == cell.verdict and c.last == cell.last
                              and c.covers(cell.n, cell.d, layers) and "as printed" not in c.why]  # fmt: skip
                        wanted[2 * (cell.verdict == "no") + (not by)] += 1
                assert [round(24 * part) for part in share] == wanted, (name, layers)


def test_a_row_says_what_its_verdict_means_and_how_sure_it_is():
    for name, row in TABLE.items():
        cells = CELLS[name]
        assert (row.kind == "apart") == ("one another" in row.means and "seeds" not in row.means), name
        no = [cell for cell in cells if cell.verdict == "no"]
        assert ("Fooled: proved." in row.sure) == bool(no and all(cell.claim for cell in no))
        yes = {cell.proved for cell in cells if cell.verdict == "yes"}
        how = {(): "", (True,): "proved.", (False,): "searched, not proved.", (False, True): "proved in part."}
        assert f"Told apart: {how[tuple(sorted(yes))]}" in row.sure if yes else "Told apart" not in row.sure
        assert "3 to 8 tokens of 1 to 4 entries" in row.sure
    assert "as DeepSeek-V2 and V3" in TABLE["MLA, no positions"].means
    assert "after one layer the ringed token" in TABLE["MLA, no positions"].means
    assert "With biases in its projections: 1 layer: told apart" in TABLE["ReLU"].sure


def test_names_that_are_looked_up_lead_to_mixers():
    assert {*ALSO} | {*USED} | {near for one in OTHERS.values() for near in one.near} <= {*MIXERS}
    taken = [(word.lower(), name) for name, also in ALSO.items() for word in also.split(", ")]
    taken += [(name.lower(), name) for name in NAMES]
    for name, one in OTHERS.items():
        assert one.near or name == "mixture of experts"
        rows = {row for word, row in taken if word == name.lower()}
        assert one.same or rows <= {*one.near}  # all of them are named
        assert not one.same or {*one.near} <= {"softmax", "causal softmax"}
    html = shown.Others()._repr_html_()
    assert html.count("<p ") == len(OTHERS)
    assert html.count("data-same") == sum(one.same for one in OTHERS.values())


def test_no_formula_of_a_row_stands_as_it_was_typed():
    """In what a reader sees of a row, and of the names beside them, no sign of a script, an accent or TeX is left."""
    for html in (shown.Table(RECORD)._repr_html_(), shown.Others()._repr_html_()):
        text = re.sub(r"<code>.*?</code>|<[^>]*>", "", html)
        left = re.findall(r".{20}(?:[_^~$\\]|\{|&lt;=|-bar\b|sqrt|sum_).{12}", text)
        assert left == []


def test_mixers_with_kinks_are_not_called_analytic():
    """Where the search saw kinks at nearly all settings. Steep ones it takes for kinked now and then."""
    kinks = {name: [] for name in NAMES}
    for (name, *_), row in RECORD.cells.items():
        if name in kinks:
            kinks[name] += [cell.kinks for cell in row.values()]
    assert {name for name, seen in kinks.items() if np.mean(seen) > 0.8} <= {n for n in NAMES if not MIXERS[n].analytic}
    assert all(sum(kinks[name]) for name in NAMES if not MIXERS[name].analytic)


def test_questions_are_about_the_token_that_is_asked():
    assert all(cell.last == MIXERS[cell.name].causal for cell in page.found(RECORD))
    assert len(list(page.found(RECORD))) == len(NAMES) * len(SIZES) * len(LAYERS)


# ------------------------------------------------------------------------------------------------- papers and the page


def test_papers_are_in_the_bibliography_under_their_names():
    entries = parse_file(str(ROOT / "references.bib")).entries
    assert set(PAPERS) == {entry.source for entry in MIXERS.values()}
    for key, label in PAPERS.items():
        people = entries[key].persons["author"]
        names = [" ".join(map(str, [*who.rich_prelast_names, *who.rich_last_names])) for who in people]
        who = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
        assert label == f"{who} {entries[key].fields['year']}", key


def test_the_page_cites_all_papers():
    text = (ROOT / "library" / "atlas.md").read_text(encoding="utf-8")
    cited = {key for found in re.findall(r"\{cite:t\}`([^`]*)`", text) for key in found.split(",")}
    assert set(PAPERS) <= cited


def test_what_the_page_says_of_a_row_is_computed():
    """Each mixer that its text names is looked up in its code, where an assertion fails if the row is another one."""
    text = (ROOT / "library" / "atlas.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"```\{code-cell\}.*?```", text, re.DOTALL))
    said = set(
        re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", re.sub(r"```(\{code|python).*?```", "", text, flags=re.DOTALL))
    )
    named = {
        short: [name for name in NAMES if re.match(f"{re.escape(short)}($|,)", name, re.IGNORECASE)] for short in said
    }
    named = {short: names for short, names in named.items() if names}
    assert len(named) > 15
    assert {short for short, names in named.items() if not any(f'"{name}"' in code for name in names)} == set()


def test_a_mixer_is_added_by_one_function():
    @mixer("one more", "vaswani2017", "dd 2d n 1", "symmetric")
    def one_more(X, W, U, v, t):
        """Nothing."""
        assert (W.shape, U.shape, v.shape, t.shape) == ((2, 2), (2, 2), (3,), ())
        return W @ X

    try:
        entry = MIXERS["one more"]
        assert entry.parameters(3, 2) == 4 + 4 + 3 + 1
        with pytest.raises(ValueError, match="one that the atlas does not have yet"):
            mixer("one more", "vaswani2017", "dd")(one_more)
        X, theta = torch.ones(2, 3), torch.arange(12.0)
        assert torch.equal(entry.g(3, 2)(X, theta), theta[:4].reshape(2, 2) @ X)
        assert entry.analytic
        row = shown.Table(RECORD).rows[-1]
        assert row.words[2:] == ["yours", "all", *["not asked"] * 4, "yes", "", ""]
        assert (row.kind, row.drawing) == ("part", "")
        assert "one more" in shown.Chart(RECORD)._repr_html_()
        assert page.shares(RECORD)["yours"] == {"one more": [(0, 0, 0, 0)] * 4}
    finally:
        del MIXERS["one more"]


# ------------------------------------------------------------------------------------------------------------ bad input


def in_tex(X, W):
    """sum_j $W x_j$."""
    return W @ X


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("source", {"source": "nobody1999"}),
        ("weights", {"weights": "dx"}),
        ("weights", {"weights": "dd dd"}),
        ("weights", {"weights": ""}),
        ("group", {"group": "sym"}),
        ("claims", {"claims": ("no",)}),
        ("claim.verdict", {"claims": (Claim("maybe", "why"),)}),
        ("claim.why", {"claims": (Claim("no", "For $W = 0$ nothing is heard."),)}),
        ("claim.why", {"claims": (Claim("no", r"The sum of \alpha x."),)}),
        ("causal", {"causal": 1}),
        ("name", {"name": "softmax"}),
        ("docstring", {"mix": in_tex}),
    ],
)
def test_a_mixer_with_a_slip_is_refused(said, change):
    given = {"name": "a slip", "source": "vaswani2017", "weights": "dd", "group": "trivial", "claims": ()} | change
    name, source, weights, group, claims = (given.pop(key) for key in ("name", "source", "weights", "group", "claims"))
    mix = given.pop("mix", lambda X, W: W @ X)
    with pytest.raises(ValueError, match=f"^{said}: expected"):
        mixer(name, source, weights, group, *claims, **given)(mix)
    assert "a slip" not in MIXERS


def test_what_does_not_fit_a_mixer_is_refused():
    entry = MIXERS["T5 bias"]
    for n, d in ((-1, 2), (2.5, 2), ("3", 2), (3, 0)):
        with pytest.raises(ValueError, match="expected an int >= 1"):
            entry.parameters(n, d)
    X, theta = drawn("T5 bias", 4, 2)
    for Z, weights, said in ((X[:, :3], theta, "X"), (X[:1], theta, "X"), (X, theta[1:], "theta"), ([], theta, "X")):
        with pytest.raises(ValueError, match=f"^{said}: expected"):
            entry.g(4, 2)(Z, weights)
    with pytest.raises(ValueError, match="verdict: expected"):
        entry.known("maybe", 3, 2, 1)


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("n", {"n": 0}),
        ("d", {"d": 2.5}),
        ("layers", {"layers": 0}),
        ("seed", {"seed": -1}),
        ("g", {"mix": lambda X, *w: X[:, :1]}),
        ("g", {"mix": lambda X, *w: X * math.nan}),
    ],
)
def test_questions_about_the_last_token_are_parsed_as_those_about_all(said, change):
    for layers in (1, 2):
        asked = question(MIXERS["Elman network"], 3, 1, layers, 0)._replace(**change)
        with pytest.raises(ValueError, match=f"^{said}: expected"):
            ask(asked)


def test_unknown_names_are_answered_with_known_ones():
    for look in (
        MIXERS.__getitem__,
        lambda name: RECORD.verdict(name, 3, 1, 1),
        lambda name: RECORD.seeds(name, 3, 1, 1),
    ):
        with pytest.raises(KeyError, match="softmax"):
            look("softmx")
    with pytest.raises(KeyError, match="softmax"):
        RECORD.counted("softmx", 1, False)


def test_a_damaged_record_is_refused_with_what_to_do(tmp_path):
    whole, path = json.loads(PATH.read_text()), tmp_path / "atlas.json"
    row = {**whole["rows"][0], "cells": [[3, 1, "z", 1.0, 0, 0]]}
    for bad in ({}, [], {**whole, "traps": []}, {**whole, "rows": [row]}, {**whole, "rows": [[]]}):
        path.write_text(json.dumps(bad))
        with pytest.raises(ValueError, match=f"expected the record of an atlas.*python {COMMAND}"):
            recorded(path)
