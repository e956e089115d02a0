"""The network that chapters draw: its parts against plain loops over the layers, its tokens against the proofs."""

import math
from fractions import Fraction
from itertools import product

import pytest

from _ext.pictures.network import drawing, together
from uatbook import live
from uatbook.live.proofs import PROOFS
from uatbook.sources import SOURCES, STEPS
from uatbook.strip import BUILT, CELLS, SEQUENCE, WHOLE, network, read
from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.model import Transformer
from uatlib.targets import mean_product

from .lemma_8 import ids

N = CELLS
F = mean_product(2)
THIN = Fraction(1, 2**20)
MODELS = {
    "yun2020": yun2020.build(F, inverse_delta=N, stage="softmax", width=THIN).model,
    "kajitsuka2024": kajitsuka2024.build(F, inverse_delta=N, duplicates="keep").model,
    "cheng2025": cheng2025.build(F, inverse_delta=N, duplicates="keep").model,
}
LIU = liu2025.build(F, inverse_delta=N, form="smoother").model
"""As the X-ray has them."""


def counted(model):
    """By kind, in the order of the layers: hidden units or heads of each."""
    rows, before = [], ""
    for layer in model.layers:
        if layer.kind != before:
            rows.append((layer.kind, []))
        before = layer.kind
        rows[-1][1].append(len(layer.heads) if layer.kind == "attention" else len(layer.w_1))
    return [(kind, tuple(sizes)) for kind, sizes in rows]


@pytest.mark.parametrize("source", MODELS)
def test_parts_are_the_layers_of_the_network(source):
    model, found = MODELS[source], network(source)
    assert [(part.kind, part.sizes) for part in found.parts] == counted(model)
    assert [part.step for part in found.parts] == [*STEPS]
    assert found.layers == len(model.layers) == sum(len(part.sizes) for part in found.parts)
    assert found.weights == model.parameter_count()


def test_the_first_proof_has_the_layers_of_its_theorem():
    """A quantizer of N steps and one for what is outside, a shift for each of N tokens and the lift."""
    cut, tell, look = network("yun2020").parts
    assert len(cut.sizes) == len(tell.sizes) == N + 1
    ids = {(a, b) for a, b in product(range(N), repeat=2) if a != b}
    assert len(look.sizes) > len(ids)
    assert {*cut.sizes, *look.sizes} == {4}


def bumps(drawn, step, dash=(3, 2)):
    """Of a part: how many boxes, and how much is in them."""
    group = next(g for g in drawn.split("<g ")[1:] if f"<title>{step}" in g)
    boxes, inner = (path.partition('d="')[2].partition('"')[0] for path in group.split("<path ")[1:3])
    units = sum(round((float(v.split("M")[0]) + dash[1]) / sum(dash)) for v in inner.split("v")[1:])
    return boxes.count("z"), units or inner.count("m")


@pytest.mark.parametrize("lit", [*([step] for step in STEPS), STEPS])
@pytest.mark.parametrize("source", MODELS)
def test_what_is_drawn_are_layers_with_their_units_and_heads(source, lit):
    """A feed-forward layer is on both tokens, attention on both at once."""
    drawn = drawing(network(source), lit)
    for step, (kind, sizes) in zip(STEPS, counted(MODELS[source]), strict=True):
        times = 1 if kind == "attention" else 2
        assert bumps(drawn, step) == (times * len(sizes), times * sum(sizes))
        assert (f'class="{step.split()[0]} here"' in drawn) == (step in lit)
    assert drawn.count('class="dot"') == (len(lit) == 1)


@pytest.mark.parametrize("source", MODELS)
def test_in_a_row_of_its_own_a_network_has_the_same_layers(source):
    drawn = together([network(source)])
    for step, (_, sizes) in zip(STEPS, counted(MODELS[source]), strict=True):
        assert bumps(drawn, step, (2, 1)) == (len(sizes), sum(sizes))


def test_one_head_is_drawn_with_its_keys_and_their_weights():
    """(B.15): softmax of -R/2 |x - v|^2 over the centres v of the cells."""
    found = network("liu2025")
    assert [part.sizes for part in found.parts] == [(N * N,)] * 3
    assert (found.layers, found.layers_of(["cut"])) == (len(LIU.layers), 1)
    gamma = float(LIU.layers[1].kernel.gamma)
    centres = [((a + 0.5) / N, (b + 0.5) / N) for a, b in product(range(N), repeat=2)]
    weights = [math.exp(-gamma * sum((s - t) ** 2 for s, t in zip(SEQUENCE, v, strict=True))) for v in centres]
    wanted = sorted(w / sum(weights) for w in weights)
    assert sorted(found.shares) == pytest.approx(wanted, abs=1e-9)
    drawn = drawing(found, ["tell apart"])
    assert drawn.count('class="in share"') == N * N
    assert f'stroke-opacity="{0.12 + 0.88 * max(wanted):.2f}"' in drawn


def f(x):
    return [t * sum(x) / 2 for t in x]


def test_tokens_are_cut_told_apart_and_looked_up():
    cells = [math.floor(N * t) for t in SEQUENCE]
    for source, at in (("yun2020", 0), ("kajitsuka2024", 1), ("cheng2025", 0.5)):
        cut, tell, look = network(source).parts
        assert cut.tokens == pytest.approx([(k + at) / N for k in cells], abs=1e-3)
        assert tell.tokens[0] != tell.tokens[1]
        answered = [(k + (at or 0.5)) / N for k in cells]
        assert look.tokens == network(source).answer == pytest.approx(f(answered), abs=1e-3)
    assert network("yun2020").parts[1].tokens == pytest.approx(ids(cells, N), abs=1e-2)


def test_the_x_ray_starts_with_the_same_sequence_and_cells():
    picture = live.XRay("kajitsuka2024")
    assert [picture.controls[name].start for name in ("x1", "x2")] == [*SEQUENCE]
    assert picture.data["N"] == CELLS
    assert [*SOURCES] == [*BUILT] == [*WHOLE]
    surname = [source.authors.split()[0] for source in SOURCES.values()]
    assert [name.replace(",", " ").split()[0] for name in PROOFS] == surname


def damaged(change):
    model = MODELS["yun2020"]
    return Transformer(change([*model.layers]), n=2)


@pytest.mark.parametrize(
    "change",
    [lambda layers: layers[:-1], lambda layers: layers[1:], lambda layers: [*layers[:7], *layers[6:]]],
    ids=["one less looks up", "one less cuts", "one more tells apart"],
)
def test_another_number_of_layers_shows(change):
    intact, other = network("yun2020"), read("yun2020", damaged(change))
    assert other.layers == len(damaged(change).layers) != intact.layers
    drawn = [[bumps(drawing(one, STEPS), step) for step in STEPS] for one in (intact, other)]
    assert drawn[0] != drawn[1]
    assert f"{other.layers} layers" in together([other])
    assert f"{other.layers} layers" not in together([intact])


def test_layers_in_another_order_are_refused():
    with pytest.raises(ValueError, match="feed-forward, attention, feed-forward layers"):
        read("yun2020", damaged(lambda layers: layers[5:]))
    with pytest.raises(ValueError, match='source: expected "yun2020"'):
        network("nobody")
