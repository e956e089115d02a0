"""The same transformers as torch modules: same outputs, trainable, and PyTorch's own attention."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from torch import nn

from uatlib.arithmetic import FLOAT32, FLOAT64
from uatlib.layers import Attention, FeedForward, Head, ThreePiece
from uatlib.model import Transformer
from uatlib.torch_model import (
    MultiheadAttentionLayer,
    TransformerModule,
    from_module,
    from_multihead_attention,
    to_module,
)

from .oracles import EXAMPLES, HALVES, attentions, build, decimals, examples, matrices, run

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
            output = to_module(model, dtype)(x)
        assert output.dtype == dtype
        assert torch.equal(output, model(x, system))
        assert torch.equal(to_module(model, dtype)(x.expand(2, 3, *x.shape))[1, 2], output)


@EXAMPLES
@given(examples(HALVES, "softmax", depth=2))
def test_a_module_is_near_the_formula(example: tuple) -> None:
    layers, X = example
    reference = np.array(run(layers, decimals(X)), dtype=np.float64)
    module = to_module(Transformer([build(layer) for layer in layers]), torch.float64)
    output = module(torch.tensor([[float(x) for x in row] for row in X], dtype=torch.float64))
    assert np.abs(output.detach().numpy() - reference).max() < 1e-9 * (1 + np.abs(reference).max()) ** 2


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


def test_from_module_undoes_to_module() -> None:
    step = FeedForward([[1, 0]], [0], [[1], [0]], None, ThreePiece((0, 1), (0, 1, 0), (0, 0, 1)))
    hard = Attention(layer_of(2, [1]).heads, "hardmax")
    model = Transformer([*small().layers, hard, step])
    again = from_module(to_module(model, torch.float64))
    for old, new in zip(model.layers, again.layers, strict=True):
        assert repr(old) == repr(new)
        assert {k: a.tolist() for k, a in old.weights().items()} == {k: a.tolist() for k, a in new.weights().items()}
    assert again.layers[-1].activation == step.activation


def test_a_state_dict_carries_the_weights_over() -> None:
    source, other = (
        to_module(small()),
        to_module(Transformer([layer_of(2, [1, 2], seed=9), small().layers[1]], n=3)),
    )
    X = torch.rand(2, 3)
    assert not torch.equal(source(X), other(X))
    other.load_state_dict(source.state_dict())
    assert torch.equal(source(X), other(X))


def test_a_module_converts_to_double() -> None:
    X = torch.rand(2, 3, dtype=torch.float64)
    assert torch.allclose(to_module(small()).double()(X), to_module(small(), torch.float64)(X), atol=1e-5)


def test_modules_refuse_other_types_shapes_and_large_weights() -> None:
    for dtype in (torch.float16, torch.int64, None):
        with pytest.raises(ValueError, match=r"dtype: expected torch\.float32 or torch\.float64, got"):
            to_module(small(), dtype)
    module = to_module(small())
    for shape in ((3,), (3, 2), (2, 4), (1, 3)):
        with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 2, 3\) .* got"):
            module(torch.zeros(shape))
    with pytest.raises(ValueError, match=r"^X: expected a tensor of"):
        module(torch.zeros((2, 3), dtype=torch.int64))
    with pytest.raises(ValueError, match="layer 0, w_1: a number exceeds the largest FLOAT32"):
        to_module(Transformer([FeedForward([[10**39]], [0], [[1]])]))


def test_the_module_of_any_length_takes_any_length() -> None:
    module = to_module(Transformer(small().layers))
    assert module(torch.zeros(2, 7)).shape == (2, 7)
    assert isinstance(module, TransformerModule)


# ------------------------------------------------------------------------------------ MultiheadAttentionLayer


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("biases", [True, False])
@pytest.mark.parametrize(("d", "sizes"), [(1, [1]), (4, [2, 2]), (3, [2, 2]), (5, [1, 3]), (2, [3]), (3, [1] * 5)])
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


@EXAMPLES
@given(attentions(2, HALVES, "softmax"), matrices(2, 3, HALVES))
def test_pytorch_attention_equals_the_formula_on_exact_weights(layer: dict, X: list) -> None:
    reference = np.array(run([layer], decimals(X)), dtype=np.float64)
    output = MultiheadAttentionLayer(build(layer), torch.float64)(torch.tensor(np.array(X, dtype=np.float64)))
    assert np.abs(output.detach().numpy() - reference).max() < 1e-10 * (1 + np.abs(reference).max())


def test_pytorch_attention_is_softmax() -> None:
    hard = Attention(layer_of(2, [2]).heads, "hardmax")
    with pytest.raises(
        ValueError, match=r"softmax attention, as PyTorch's is, got a hardmax layer; .*layer\.with_softmax"
    ):
        MultiheadAttentionLayer(hard)
    X = torch.randn(2, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    soft = hard.with_softmax(200.0)
    module = MultiheadAttentionLayer(soft, torch.float64)
    assert torch.allclose(module(X), Transformer([soft])(X, FLOAT64), atol=1e-9)
    assert torch.allclose(module(X), Transformer([hard])(X, FLOAT64), atol=1e-6)


def test_pytorch_attention_trains_and_saves() -> None:
    layer = layer_of(3, [2])
    module, other = (MultiheadAttentionLayer(x) for x in (layer, layer_of(3, [2], seed=5)))
    X = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(0))
    before = module(X).detach()
    module(X).square().mean().backward()
    torch.optim.SGD(module.parameters(), lr=0.1).step()
    assert not torch.allclose(module(X), before, atol=1e-4)
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(X), module(X))


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


@pytest.mark.parametrize(("d", "sizes"), [(4, [2, 2]), (3, [2, 2]), (2, [1])])
def test_attention_survives_pytorch_and_back(d: int, sizes: list[int]) -> None:
    layer = layer_of(d, sizes)
    again = from_multihead_attention(MultiheadAttentionLayer(layer, torch.float64).attention)
    X = torch.randn(d, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    padded = torch.cat([X, torch.zeros(again.d_in - d, 4, dtype=torch.float64)])
    assert torch.allclose(Transformer([again])(padded, FLOAT64)[:d], Transformer([layer])(X, FLOAT64), atol=1e-12)
    for old, new in zip(layer.heads, again.heads, strict=True):
        m = old.w_q.shape[0]
        assert np.allclose(new.w_q[:m, :d], old.w_q, rtol=1e-14)
        assert np.allclose(new.b_q[:m], old.b_q, rtol=1e-14)


@pytest.mark.parametrize("options", [{"kdim": 3}, {"vdim": 3}, {"add_bias_kv": True}, {"add_zero_attn": True}], ids=str)
def test_pytorch_layers_that_ours_cannot_be_are_refused(options: dict) -> None:
    with pytest.raises(ValueError, match=r"kdim = vdim = embed_dim, without add_bias_kv, add_zero_attn"):
        from_multihead_attention(nn.MultiheadAttention(4, 2, **options))


def test_scores_are_divided_by_the_root_of_the_head_size_once() -> None:
    # Size 4: PyTorch halves the scores. Key ln 9 beside 0 and query 1: weights 3/4 and 1/4 there.
    attention = nn.MultiheadAttention(4, 1, batch_first=True, dtype=torch.float64)
    eye = torch.zeros(4, 4, dtype=torch.float64)
    eye[0, 0] = 1
    with torch.no_grad():
        attention.in_proj_weight.copy_(torch.cat([eye * 0, eye, eye]))
        attention.in_proj_bias.zero_()[0] = 1
        attention.out_proj.weight.copy_(eye)
        attention.out_proj.bias.zero_()
    X = np.zeros((4, 2))
    X[0, 1] = math.log(9)
    output = Transformer([from_multihead_attention(attention)])(X, FLOAT64)
    assert torch.allclose(output[0], torch.tensor([0.75, 1.75], dtype=torch.float64) * math.log(9))


# -------------------------------------------------------------------------------------------------- the edges


@pytest.mark.parametrize("shape", [(4, 3), (1, 2), (3,), (4, 1, 2), (2, 0)])
def test_pytorch_attention_refuses_other_widths(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected shape"):
        MultiheadAttentionLayer(layer_of(2, [1]))(torch.zeros(shape))


def test_pytorch_attention_refuses_other_layers_and_types() -> None:
    with pytest.raises(ValueError, match="dtype: expected"):
        MultiheadAttentionLayer(layer_of(2, [1]), torch.int64)
    with pytest.raises(ValueError, match="Attention"):
        MultiheadAttentionLayer(small().layers[1])


@pytest.mark.parametrize("X", [torch.zeros(2, 3, dtype=torch.float64), [[1.0] * 3] * 2], ids=["float64", "list"])
def test_modules_refuse_inputs_of_another_type(X: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        to_module(small())(X)
