"""Transformers: frozen data, counts, composition, trace, files, and limits of size."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64, Arithmetic
from uatlib.internal import files
from uatlib.kernels import RBF, Kernel
from uatlib.layers import Attention, FeedForward, Head, Layer, ThreePiece
from uatlib.model import Transformer
from uatlib.sizes import ConstructionTooLarge, require_size

from .oracles import EXAMPLES, build, examples, run

ONE = [[1]]


def feed(w_2: object = 1, **more: object) -> FeedForward:
    return FeedForward(ONE, [0], [[w_2]], **more)


def mixed() -> Transformer:
    """Every kind of layer, exact and float weights."""
    head = Head([[1, 2]], [[Fraction(1, 3), 0]], [[-5, 2**80]], [[0.1], [5e-324]], b_q=[Fraction(-7, 2)])
    return Transformer(
        [
            Attention([head, head], "hardmax", [1, 2]),
            Attention([head], "softmax"),
            FeedForward([[1, 0]], [0.1], [[1], [Fraction(1, 3)]], [0, 1]),
            FeedForward([[1, 0]], [2], [[1], [0]], None, ThreePiece((0, Fraction(1, 3)), (0, 1, 0), (0, 0, -2))),
        ],
        n=3,
    )


def numbers(model: Transformer) -> list:
    """Every weight with its type, layer by layer, with what else a layer holds."""
    return [
        (
            type(layer),
            getattr(layer, "activation", None),
            {k: str(v) for k, v in layer.settings().items()},
            {k: [(type(x), x) for x in a.ravel().tolist()] + [a.shape] for k, a in layer.weights().items()},
        )
        for layer in (*model.layers, *model.encoder)
    ]


# ------------------------------------------------------------------------------------------------ frozen data


def test_models_and_layers_are_frozen() -> None:
    model = mixed()
    for thing, name in (
        (model, "n"),
        (model, "layers"),
        (model.layers[0], "heads"),
        (model.layers[0].heads[0], "w_q"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, None)
    layers = [feed()]
    model = Transformer(layers)
    layers.append(feed())
    assert len(model.layers) == 1


# ----------------------------------------------------------------------------------------------------- counts


def test_depth_counts_the_layers_that_act() -> None:
    head = Head(ONE, ONE, ONE, [[0]])
    layers = [
        feed(),
        feed(0),
        feed(0, b_2=[0]),
        feed(0, b_2=[3]),
        Attention([head]),
        Attention([head], b_o=[1]),
    ]
    assert Transformer(layers).depth == 3
    assert [Transformer([layer]).depth for layer in layers] == [1, 0, 0, 1, 0, 1]


def test_parameters_are_counted_by_hand() -> None:
    model = mixed()
    # Attention: 2 heads of 4 x 2 + 1, and b_o; 1 head; feed-forward: 2 + 1 + 2 + 2; 2 + 1 + 2.
    assert model.parameter_count() == (18 + 2) + 9 + 7 + 5
    # Zeros: one in each w_k; w_1 and b_2; w_1 and w_2.
    assert model.parameter_count(nonzero=True) == (16 + 2) + 8 + 5 + 3


def test_the_repr_groups_equal_layers() -> None:
    model = Transformer([feed(), feed(0), Attention([Head(ONE, ONE, ONE, ONE)], "hardmax")], n=4)
    assert repr(model) == (
        "Transformer(d=1, n=4, 10 parameters: 2 x FeedForward(relu, r=1, d=1); "
        "1 x Attention(hardmax, heads=1, head size=1, d=1))"
    )
    assert "any n, 1,200 parameters" in repr(Transformer([FeedForward(ONE * 400, [0] * 400, [[1] * 400])]))


def test_the_html_shows_the_layers_and_escapes_them() -> None:
    class Odd(FeedForward):
        def __repr__(self) -> str:
            return "<script>"

    text = Transformer([Odd(ONE, [0], ONE), feed(0)], n=2)._repr_html_()
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "n = 2, depth 1, 6 parameters (3 not zero)" in text
    assert text.count("<tr>") == 3
    assert "n = any" in Transformer([feed()])._repr_html_()


# ------------------------------------------------------------------------------------------- the forward pass


@settings(EXAMPLES, max_examples=20)
@given(examples())
def test_the_trace_is_the_model_layer_by_layer(example: tuple) -> None:
    layers, X = example
    model = Transformer([build(layer) for layer in layers])
    states = [state.tolist() for state in model.trace(X, EXACT)]
    assert states == [run(layers[:k], X) for k in range(len(layers) + 1)]
    assert states[-1] == model(X, EXACT).tolist()


def test_lowering_once_gives_the_same_as_lowering_each_time() -> None:
    model = Transformer([feed(), Attention([Head(ONE, ONE, ONE, ONE)], "hardmax")])
    for system in (EXACT, INT64, FLOAT64):
        lowered = model.lower(system)
        assert lowered.model is model
        for X in ([[1, 2]], [[-3, 5, 5]]):
            assert lowered(X).tolist() == model(X, system).tolist()
            assert [s.tolist() for s in lowered.trace(X)] == [s.tolist() for s in model.trace(X, system)]
    balls = model.lower(BALL)([[1, 2]])
    assert [entry.midpoint for entry in balls.ravel()] == model([[1, 2]], EXACT).ravel().tolist()


@pytest.mark.parametrize("system", [EXACT, BALL, FLOAT64, FLOAT32, INT64], ids=repr)
def test_what_is_done_to_a_state_changes_no_other_and_not_the_input(system: Arithmetic) -> None:
    model = Transformer([feed(), feed(), Attention([Head(ONE, ONE, ONE, ONE)], "hardmax")])
    for X in (torch.tensor([[1, 2]]), torch.tensor([[1.0, 2.0]]), np.array([[1, 2]], dtype=object), np.ones((1, 2))):
        if isinstance(X, torch.Tensor):
            X = X.to(getattr(system, "dtype", torch.int64))
        elif X.dtype != object and system in (EXACT, INT64):
            continue
        before, want = X.tolist(), [repr(state.tolist()) for state in model.trace(X, system)]
        got = []
        for state in model.trace(X, system):
            got.append(repr(state.tolist()))
            state[...] = 0
        assert got == want
        assert X.tolist() == before

    class Still(FeedForward):
        def forward(self, X: object, weights: object, system: object) -> object:
            return X

    X = torch.ones(1, 2, dtype=getattr(system, "dtype", torch.int64))
    state = Transformer([Still(ONE, [0], ONE)])(X, system)
    state[...] = 0
    assert X.tolist() == [[1, 1]]


def test_the_sequence_length_is_enforced_where_it_is_stated() -> None:
    free, fixed = Transformer([feed()]), Transformer([feed()], n=2)
    for n in (1, 2, 5):
        assert free(np.ones((1, n), dtype=int), EXACT).shape == (1, n)
    assert fixed([[1, 2]], EXACT).tolist() == [[2, 4]]
    for n in (1, 3):
        with pytest.raises(ValueError, match=rf"expected shape \(\.\.\., 1, 2\) .* got \(1, {n}\)"):
            fixed(np.ones((1, n), dtype=int), EXACT)
        with pytest.raises(ValueError, match="expected shape"):
            list(fixed.trace(np.ones((1, n), dtype=int), EXACT))


@pytest.mark.parametrize(
    ("layers", "n", "message"),
    [
        ([], None, "at least one Layer, got"),
        ([feed(), 5], None, "Transformer layers: expected a sequence of Layer, got 5"),
        (
            [feed(), FeedForward([[1, 0]], [0], [[1], [0]])],
            None,
            "expected d_in = 1, which comes before, got 2 in layer 1, FeedForward",
        ),
        ([feed()], 0, "Transformer n: expected an int from 1 to .* got 0"),
    ],
)
def test_wrong_models_are_refused(layers: object, n: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Transformer(layers, n)


# ------------------------------------------------------------------------------------------------------ files


def test_a_file_holds_every_number_exactly(tmp_path: Path) -> None:
    mixed().save(tmp_path / "model.json")
    assert same(Transformer.load(str(tmp_path / "model.json")), mixed())


def test_what_files_cannot_hold_is_not_saved(tmp_path: Path) -> None:
    """A subclass, of any part, may do what its name in a file would not say."""
    inner = (Layer, FeedForward, ThreePiece, Head, Kernel, RBF)
    own_layer, own_feed, steep, twice, kernel, sharper = (type(f"Own{base.__name__}", (base,), {}) for base in inner)
    own_layer.weights = lambda self: {}
    own_layer.width = 1
    head, phi = Head(ONE, ONE, ONE, ONE), ((0, 1), (0, 1, 0), (0, 0, 0))
    for name, layer in {
        "OwnLayer": own_layer(),
        "OwnFeedForward": own_feed(ONE, [0], ONE),
        "OwnThreePiece": feed(activation=steep(*phi)),
        "OwnHead": Attention([twice(ONE, ONE, ONE, ONE)]),
        "OwnKernel": Attention([head], kernel=kernel()),
        "OwnRBF": Attention([head], kernel=sharper(2)),
    }.items():
        with pytest.raises(ValueError, match=f"save: expected parts that files can hold .* got {name}; keep the code"):
            Transformer([feed(), layer]).save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="expected a Transformer itself, got its subclass Own"):
        type("Own", (Transformer,), {})([feed()]).save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def damaged(tmp_path: Path, change: object) -> Path:
    model = Transformer([Attention([Head(ONE, ONE, ONE, ONE)], "hardmax"), feed()])
    model.save(tmp_path / "model.json")
    data = files.read(tmp_path / "model.json")
    change(data)
    files.write(tmp_path / "model.json", data)
    return tmp_path / "model.json"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[1, 2]", b"null", b'{"format": "other", "version": 1}', b"\xff\xfe\x00PK", b"[" * 100_000]
)
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.json").write_bytes(data)
    with pytest.raises(ValueError, match=r"model\.json: expected a file written by Transformer\.save"):
        Transformer.load(tmp_path / "model.json")


def same(model: Transformer, other: Transformer) -> bool:
    return numbers(model) == numbers(other) and model.n == other.n


def test_no_mutated_file_loads_as_another_model(tmp_path: Path) -> None:
    """Bytes replaced, lost, doubled and swapped: the file is refused, or still says the same."""
    path, rng = tmp_path / "model.json", np.random.default_rng(0)
    model = mixed()
    model.save(path)
    whole, refused = path.read_bytes(), 0
    for _ in range(400):
        k, width = int(rng.integers(len(whole))), int(rng.integers(1, 4))
        piece = whole[k : k + width]
        other = [rng.integers(32, 127, width, dtype=np.uint8).tobytes(), b"", piece * 2, piece[::-1]][rng.integers(4)]
        path.write_bytes(whole[:k] + other + whole[k + width :])
        try:
            assert same(Transformer.load(path), model)
        except ValueError:
            refused += 1
    assert refused > 300


def test_the_checksum_is_of_the_content_and_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    mixed().save(path)
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data, indent=3, sort_keys=True))
    assert same(Transformer.load(path), mixed())
    for change in ({"n": 4}, {"version": 3}, {"sha256": None}, {"sha256": "0" * 64}, {"more": 1}):
        path.write_text(json.dumps(data | change))
        with pytest.raises(ValueError, match=r"model\.json: .* damaged file .*checksum"):
            Transformer.load(path)
    without = {name: value for name, value in data.items() if name != "sha256"}
    path.write_text(json.dumps(without))
    with pytest.raises(ValueError, match="checksum"):
        Transformer.load(path)


DAMAGE = {
    "no layers": lambda data: data.pop("layers"),
    "no n": lambda data: data.pop("n"),
    "layers no list": lambda data: data.update(layers=5),
    "layers empty": lambda data: data.update(layers=[]),
    "n no int": lambda data: data.update(n="3"),
    "layer no object": lambda data: data.update(layers=[5]),
    "no kind": lambda data: data["layers"][0].pop("kind"),
    "weight missing": lambda data: data["layers"][1]["weights"].pop("w_2"),
    "head weight missing": lambda data: data["layers"][0]["weights"].pop("head0.w_q"),
    "weight unknown": lambda data: data["layers"][1]["weights"].update(w_9=data["layers"][1]["weights"]["w_1"]),
    "entry no number": lambda data: data["layers"][1]["weights"]["w_1"].update(data=["one"]),
    "entry nan": lambda data: data["layers"][1]["weights"]["w_1"].update(data=["nan"], dtype="float64"),
    "entry missing": lambda data: data["layers"][1]["weights"]["w_1"].update(data=[]),
    "shape": lambda data: data["layers"][1]["weights"]["w_1"].update(shape=[2, 1]),
    "activation": lambda data: data["layers"][1].update(activation="gelu"),
    "normalization": lambda data: data["layers"][0].update(normalization="sparsemax"),
    "division by zero": lambda data: data["layers"][1]["weights"]["w_1"].update(data=["1/0"]),
    "weights no object": lambda data: data["layers"][1].update(weights=[1]),
    "unknown kind": lambda data: data["layers"][1].update(kind="convolution"),
    "unknown dtype": lambda data: data["layers"][1]["weights"]["w_1"].update(dtype="int8"),
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_are_refused(tmp_path: Path, change: object) -> None:
    path = damaged(tmp_path, change)
    with pytest.raises(ValueError, match=r"model\.json: "):
        Transformer.load(path)


# ------------------------------------------------------------------------------------------------------- size

FITS = {"layers": 10, "arrays_per_layer": 3, "parameters": 1000, "hint": "Choose a coarser grid."}


@pytest.mark.parametrize(
    ("largest", "name"),
    [(100_000, "layers"), (8_000_000, "parameters"), (10_000_000, "longest_bits")],
)
def test_sizes_are_refused_above_the_limit(largest: int, name: str) -> None:
    require_size("A model", **FITS | {name: largest})
    for size in (largest + 1, 10**5000):
        with pytest.raises(ConstructionTooLarge, match=r"A model has .* Choose a coarser grid"):
            require_size("A model", **FITS | {name: size})


def test_sizes_are_refused_above_four_gibibytes() -> None:
    arrays = (4 * 2**30 - 8 * 1000 - 8) // (10 * 300)
    require_size("A model", **FITS | {"arrays_per_layer": arrays})
    with pytest.raises(ConstructionTooLarge, match=r"4,294,967,296 bytes"):
        require_size("A model", **FITS | {"arrays_per_layer": arrays + 1})


def test_the_size_error_names_layers_parameters_and_bits() -> None:
    with pytest.raises(ConstructionTooLarge) as caught:
        require_size("The map", layers=200_000, arrays_per_layer=1, parameters=10**40, longest_bits=70, hint="Sorry.")
    text = str(caught.value)
    assert "The map has 200,000 layers, more than 10^39 parameters" in text
    assert "its longest weight 70 bits" in text
    assert issubclass(ConstructionTooLarge, ValueError)


@pytest.mark.parametrize("system", ["EXACT", None, float, torch.float64])
def test_what_is_no_number_system_is_refused(system: object) -> None:
    for use in (Transformer([feed()]).lower, lambda s: Transformer([feed()])(ONE, s)):
        with pytest.raises(ValueError, match=r"system: expected an Arithmetic, got .*; take EXACT, BALL"):
            use(system)
