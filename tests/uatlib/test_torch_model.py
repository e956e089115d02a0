"""The same transformers as torch modules: same outputs, trainable, and PyTorch's own attention."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from torch import nn

from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import FLOAT32, FLOAT64
from uatlib.layers import Attention, FeedForward, Head, ThreePiece
from uatlib.model import Transformer
from uatlib.targets import Target
from uatlib.torch_model import (
    MultiheadAttentionLayer,
    TransformerModule,
    from_module,
    from_multihead_attention,
    to_module,
)

from .oracles import EXAMPLES, HALVES, build, decimals, examples, run

TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-11}


def layer_of(d: int, sizes: list[int], seed: int = 0, biases: bool = True) -> Attention:
    """A softmax layer with heads of these sizes and normal weights."""
    rng = np.random.default_rng(seed)
    heads = []
    for m in sizes:
        b = [rng.normal(size=m) if biases else None for _ in "qkv"]
        heads.append(Head(*(rng.normal(size=(m, d)) for _ in "qkv"), rng.normal(size=(d, m)), *b))
    return Attention(heads, "softmax", rng.normal(size=d) if biases else None)


def loops(layer: Attention, X: torch.Tensor) -> np.ndarray:
    """The layer's formula on one sequence, in the decimals of the plain-loop oracle."""
    heads = [{k: w.tolist() for k in Head.NAMES if (w := getattr(head, k)) is not None} for head in layer.heads]
    exact = {
        "heads": heads,
        "normalization": "softmax",
        "b_o": None if layer.b_o is None else layer.b_o.tolist(),
    }
    return np.array(run([rational(exact)], decimals(rational(X.tolist()))), dtype=np.float64)


def rational(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: rational(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rational(entry) for entry in value]
    return Fraction(value) if isinstance(value, float) else value


# ------------------------------------------------------------------------------------------ TransformerModule


@EXAMPLES
@given(examples(HALVES))
def test_a_module_gives_the_output_of_the_model(example: tuple) -> None:
    layers, X = example
    model = Transformer([build(layer) for layer in layers])
    for dtype, system in ((torch.float32, FLOAT32), (torch.float64, FLOAT64)):
        x = torch.tensor([[float(entry) for entry in row] for row in X], dtype=dtype)
        with torch.no_grad():
            output = to_module(model, dtype, rounded=True)(x)
        assert output.dtype == dtype
        assert torch.equal(output, model(x, system))
        assert torch.equal(to_module(model, dtype, rounded=True)(x.expand(2, 3, *x.shape))[1, 2], output)


def small() -> Transformer:
    return Transformer([layer_of(2, [1, 2]), FeedForward([[1, 0], [0, 1]], [0, 0], [[1, 0], [0, 1]], [0, 0])], n=3)


def test_every_weight_is_a_parameter_and_no_number_of_the_activation_is() -> None:
    step = FeedForward([[1, 0]], [0], [[1], [0]], None, ThreePiece((0, 1), (0, 1, 0), (0, 0, 1)))
    model = Transformer([*small().layers, step])
    module = to_module(model)
    assert sum(p.numel() for p in module.parameters()) == model.parameter_count()
    assert sum(b.numel() for b in module.buffers()) == 2 + 3 + 3


def test_a_gradient_step_changes_the_output_and_from_module_takes_the_new_weights() -> None:
    torch.manual_seed(0)
    model = small()
    module = to_module(model, torch.float64)
    X = torch.rand(4, 2, 3, dtype=torch.float64)
    before = module(X).detach()
    loss = [(module(X) ** 2).mean()]
    optimizer = torch.optim.SGD(module.parameters(), lr=1e-2)
    loss[0].backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in module.layers[0].parameters() if p.ndim == 2)
    optimizer.step()
    loss.append((module(X) ** 2).mean())
    assert loss[1] < loss[0]
    after = module(X).detach()
    assert not torch.equal(after, before)
    trained = from_module(module)
    # The weights are the same to the bit; sums may be taken in another order, which rounds in another way.
    again = to_module(trained, torch.float64).state_dict()
    assert all(torch.equal(again[name], weight) for name, weight in module.state_dict().items())
    torch.testing.assert_close(trained(X, FLOAT64), after, rtol=1e-14, atol=1e-14)
    # The model that the module came from is as it was.
    torch.testing.assert_close(model(X, FLOAT64), before, rtol=1e-14, atol=1e-14)
    assert trained.n == 3
    assert trained.parameter_count() == model.parameter_count()


def test_a_module_converts_to_double() -> None:
    X = torch.rand(2, 3, dtype=torch.float64)
    assert torch.allclose(to_module(small(), torch.float32).double()(X), to_module(small())(X), atol=1e-5)


def averaging(X: np.ndarray) -> np.ndarray:
    return (X + X.mean(axis=-1, keepdims=True)) / 2


@pytest.mark.parametrize("source", [yun2020, kajitsuka2024, liu2025, cheng2025], ids=lambda source: source.__name__)
def test_a_built_network_is_the_same_in_float64_and_refused_where_float32_is_not(source) -> None:
    target = Target(averaging, n=2, d=1, group="symmetric", lipschitz=1, bound=1)
    network = source.build(target, error=0.5)
    with pytest.raises(ValueError, match=r"model: expected a Transformer, got a Network; .* its \.model"):
        to_module(network)
    X = torch.rand(500, 1, 2, generator=torch.Generator().manual_seed(1))
    modules = {dtype: to_module(network.model, dtype, rounded=True) for dtype in (torch.float64, torch.float32)}
    with torch.no_grad():
        fine, rough = (module(X.to(dtype)) for dtype, module in modules.items())
    assert torch.allclose(fine, network.model(X.double(), FLOAT64), rtol=0, atol=1e-6)
    if (fine - rough).abs().max() > 0.01:
        with pytest.raises(
            ValueError, match=r"dtype: expected torch.float64, got torch.float32; outputs are off by up"
        ):
            to_module(network.model, torch.float32)
    else:
        to_module(network.model, torch.float32)


def test_the_module_of_any_length_takes_any_length() -> None:
    module = to_module(Transformer(small().layers))
    assert module(torch.zeros(2, 7, dtype=torch.float64)).shape == (2, 7)
    assert isinstance(module, TransformerModule)


# ------------------------------------------------------------------------------------ MultiheadAttentionLayer


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize(("d", "sizes"), [(1, [1]), (3, [2, 2]), (5, [1, 3]), (2, [3]), (3, [1] * 5)])
def test_pytorch_attention_equals_the_layer_and_the_formula(
    d: int, sizes: list[int], biases: bool, dtype: torch.dtype
) -> None:
    layer = layer_of(d, sizes, seed=d, biases=biases)
    module = MultiheadAttentionLayer(layer, dtype)
    assert isinstance(module.attention, nn.MultiheadAttention)
    assert module.attention.embed_dim == len(sizes) * max(*sizes, -(-d // len(sizes)))  # no more than needed
    torch.manual_seed(1)
    for shape in ((d, 4), (2, d, 3), (2, 3, d, 1)):
        X = torch.randn(shape, dtype=dtype)
        for context in (torch.enable_grad(), torch.no_grad()):
            with context:
                output = module(X)
            assert output.shape == X.shape
            assert output.dtype == dtype
            model = Transformer([layer])(X, FLOAT64 if dtype == torch.float64 else FLOAT32)
            assert (output - model).abs().max() < 10 * TOLERANCE[dtype]
    X = torch.randn(d, 3, dtype=dtype)
    assert np.abs(module(X).detach().numpy() - loops(layer, X)).max() < 10 * TOLERANCE[dtype]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
def test_a_pytorch_layer_becomes_ours(bias: bool, batch_first: bool) -> None:
    torch.manual_seed(3)
    attention = nn.MultiheadAttention(6, 3, bias=bias, batch_first=batch_first, dtype=torch.float64)
    if bias:
        for parameter in (attention.in_proj_bias, attention.out_proj.bias):
            nn.init.normal_(parameter)  # PyTorch starts them at 0
    layer = from_multihead_attention(attention)
    tokens = torch.randn(5, 6, dtype=torch.float64)
    expected = tokens + attention(tokens, tokens, tokens)[0]
    assert torch.allclose(Transformer([layer])(tokens.mT, FLOAT64).mT, expected, atol=1e-12)
    assert np.abs(loops(layer, tokens.mT) - expected.mT.detach().numpy()).max() < 1e-12
    assert len(layer.heads) == 3
    assert (layer.b_o is not None) is bias


# -------------------------------------------------------------------------------------------- what is refused


zeros = partial(torch.zeros, dtype=torch.float64)
REFUSED: list[tuple[str, Callable]] = [
    *(
        (r"dtype: expected torch\.float32 or torch\.float64, got", lambda make=make, dtype=dtype: make(dtype=dtype))
        for make in (partial(to_module, small()), partial(MultiheadAttentionLayer, layer_of(2, [1])))
        for dtype in (torch.float16, torch.int64, None)
    ),
    *(
        (r"X: expected shape \(\.\.\., 2, 3\) .* got", lambda shape=shape: to_module(small())(zeros(shape)))
        for shape in ((3,), (3, 2), (2, 4), (1, 3))
    ),
    *(
        ("^X: expected a tensor of", lambda X=X: to_module(small())(X))
        for X in (torch.zeros(2, 3, dtype=torch.int64), torch.zeros(2, 3, dtype=torch.float32), [[1.0] * 3] * 2)
    ),
    (
        "layer 0, w_1: a number exceeds the largest FLOAT32",
        lambda: to_module(Transformer([FeedForward([[10**39]], [0], [[1]])]), torch.float32),
    ),
    *(
        ("expected shape", lambda shape=shape: MultiheadAttentionLayer(layer_of(2, [1]))(torch.zeros(shape)))
        for shape in ((4, 3), (1, 2), (3,), (4, 1, 2), (2, 0))
    ),
    ("Attention", lambda: MultiheadAttentionLayer(small().layers[1])),
    (
        r"softmax attention, as PyTorch's is, got a hardmax layer; .*layer\.with_softmax",
        lambda: MultiheadAttentionLayer(Attention(layer_of(2, [2]).heads, "hardmax")),
    ),
    *(
        (
            "kdim = vdim = embed_dim, without add_bias_kv, add_zero_attn",
            lambda options=options: from_multihead_attention(nn.MultiheadAttention(4, 2, **options)),
        )
        for options in ({"kdim": 3}, {"vdim": 3}, {"add_bias_kv": True}, {"add_zero_attn": True})
    ),
]


@pytest.mark.parametrize(("words", "call"), REFUSED)
def test_what_modules_refuse(words: str, call: Callable) -> None:
    with pytest.raises(ValueError, match=words):
        call()
