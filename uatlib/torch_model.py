"""The same transformers as `torch.nn` modules: they train, move between devices and save like any other.

`to_module` wraps every weight of a model as a parameter and runs the model's own forward pass on them.
`MultiheadAttentionLayer` puts one softmax attention layer into PyTorch's own `torch.nn.MultiheadAttention`, and
`from_multihead_attention` takes one out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .arithmetic import FLOAT32, FLOAT64
from .layers import Attention, Head, Layer
from .model import Transformer, require_shape

__all__ = [
    "MultiheadAttentionLayer",
    "TransformerModule",
    "from_module",
    "from_multihead_attention",
    "to_module",
]


def _system(dtype: torch.dtype) -> Any:
    for system in (FLOAT32, FLOAT64):
        if system.dtype == dtype:
            return system
    raise ValueError(f"expected dtype torch.float32 or torch.float64, got {dtype}.")


def _require_input(X: Any, width: int, n: int | None, dtype: torch.dtype) -> None:
    if not isinstance(X, Tensor) or X.dtype != dtype:
        got = X.dtype if isinstance(X, Tensor) else type(X).__name__
        raise ValueError(f"X: expected dtype {dtype} as the weights have, in a tensor, got {got}; convert it.")
    require_shape(X, width, n)


class _LayerModule(nn.Module):
    """One layer: its weights as parameters; its mask, or the numbers of its activation, as buffers."""

    def __init__(self, layer: Layer, place: str, system: Any) -> None:
        super().__init__()
        self.layer = layer
        self.names: dict[str, str] = {}
        trained = layer.weights()
        for name, tensor in layer.lower(system, place).items():
            # Parameter names may hold no dot.
            self.names[name] = attribute = name.replace(".", "_")
            if name in trained:
                self.register_parameter(attribute, nn.Parameter(tensor))
            else:
                # What is not trained belongs to the model, and a state dict of another one cannot change it.
                self.register_buffer(attribute, tensor, persistent=False)

    def weights(self) -> dict[str, Tensor]:
        return {name: getattr(self, attribute) for name, attribute in self.names.items()}


class TransformerModule(nn.Module):
    """A `Transformer` whose weights are trainable parameters. Maps tensors of shape (..., d, n) to the same shape."""

    def __init__(self, model: Transformer, dtype: torch.dtype = torch.float32, device: Any = None) -> None:
        super().__init__()
        system = _system(dtype) if device is None else _system(dtype).on(device)
        self.n = model.n
        self.layers = nn.ModuleList(_LayerModule(layer, f"layer {i}", system) for i, layer in enumerate(model.layers))

    def forward(self, X: Tensor) -> Tensor:
        """The output of the model; ValueError unless X has shape (..., d, n) and the dtype of the weights."""
        parts = self.parts()
        _require_input(X, parts[0].layer.width, self.n, next(self.parameters()).dtype)
        system = _system(X.dtype)
        for part in parts:
            X = part.layer.forward(X, part.weights(), system)
        return X

    def parts(self) -> list[_LayerModule]:
        """The modules of the layers, in order."""
        return [part for part in self.layers if isinstance(part, _LayerModule)]


def to_module(model: Transformer, dtype: torch.dtype = torch.float32, device: Any = None) -> TransformerModule:
    """`model` as an `nn.Module` of the given dtype (float32 or float64) and device, with the same outputs.

    Raises
    ------
    ValueError
        Another dtype, or a weight too large for it.
    """
    return TransformerModule(model, dtype, device)


def from_module(module: TransformerModule) -> Transformer:
    """The module's present weights as a `Transformer` with float64 weights (for instance after training).

    ValueError unless it is a `TransformerModule`.
    """
    layers = []
    for part in module.parts():
        trained = part.layer.weights()
        weights = {name: tensor for name, tensor in part.weights().items() if name in trained}
        layers.append(part.layer.with_weights(weights))
    return Transformer(layers, module.n)


class MultiheadAttentionLayer(nn.Module):
    """A softmax attention layer run by `torch.nn.MultiheadAttention`, on X of shape (..., d, n).

    PyTorch wants the embedding to be `heads` times the head size, so X is padded with zero rows up to
    E = h max(m, ceil(d / h)) and the result is cut back to d rows. PyTorch divides scores by the square root of the
    head size; W_Q and b_Q are multiplied by it. The skip connection, which PyTorch's layer lacks, is added here. A mask
    is given to each call of PyTorch's layer, as attn_mask: transposed, and True for what is hidden. The module itself
    is `attention`; only its loading is ours.

    Raises
    ------
    ValueError
        No Attention, or a hardmax layer: use `Attention.with_softmax` to give its heads a finite temperature first.
    """

    def __init__(self, layer: Attention, dtype: torch.dtype = torch.float32, device: Any = None) -> None:
        super().__init__()
        if not isinstance(layer, Attention):
            raise ValueError(f"MultiheadAttentionLayer: expected an Attention layer, got {layer!r}.")
        if layer.normalization != "softmax":
            raise ValueError(
                f"torch.nn.MultiheadAttention is softmax attention, got a {layer.normalization} layer; "
                "give its heads a temperature with layer.with_softmax(scale)."
            )
        d, h = layer.width, len(layer.heads)
        size = max(-(-d // h), *(head.w_q.shape[0] for head in layer.heads))
        self.width, embedding = d, h * size
        self.layer = layer
        hidden = None if layer.mask is None else torch.tensor(~layer.mask, device=device).mT
        # PyTorch's layer has no mask of its own, so the state dict holds none.
        self.register_buffer("hidden", hidden, persistent=False)
        system = _system(dtype)
        self.attention = nn.MultiheadAttention(embedding, h, bias=True, batch_first=True, dtype=dtype, device=device)
        native = {name: np.zeros(shape) for name, shape in (("in", (3, h, size, embedding)), ("bias", (3, h, size)))}
        out = np.zeros((embedding, h, size))
        lowered = {name: t.double().numpy() for name, t in layer.lower(FLOAT64, "layer").items()}
        for i, head in enumerate(layer.heads):
            m = head.w_q.shape[0]
            for j, letter in enumerate("qkv"):
                scale = size**0.5 if letter == "q" else 1.0
                native["in"][j, i, :m, :d] = scale * lowered[f"head{i}.w_{letter}"]
                native["bias"][j, i, :m] = scale * lowered.get(f"head{i}.b_{letter}", 0.0)
            out[:d, i, :m] = lowered[f"head{i}.w_o"]
        bias = np.zeros(embedding)
        bias[:d] = lowered.get("b_o", 0.0)
        with torch.no_grad():
            for parameter, values in (
                (self.attention.in_proj_weight, native["in"].reshape(3 * embedding, embedding)),
                (self.attention.in_proj_bias, native["bias"].reshape(3 * embedding)),
                (self.attention.out_proj.weight, out.reshape(embedding, embedding)),
                (self.attention.out_proj.bias, bias),
            ):
                parameter.copy_(system.array(values, "weight"))

    def forward(self, X: Tensor) -> Tensor:
        """X plus PyTorch's attention over its columns; ValueError as `TransformerModule.forward`, or as the layer's."""
        _require_input(X, self.width, None, self.attention.out_proj.weight.dtype)
        self.layer.require_fit(tuple(X.shape))
        tokens = X.mT.reshape(-1, X.shape[-1], self.width)
        padded = nn.functional.pad(tokens, (0, self.attention.embed_dim - self.width))
        n, hidden = X.shape[-1], self.hidden
        if isinstance(hidden, Tensor) and hidden.ndim > 2:
            # One mask for each sequence and head, in this order.
            hidden = hidden.expand(*X.shape[:-2], n, n).reshape(-1, n, n).repeat_interleave(self.attention.num_heads, 0)
        mixed, _ = self.attention(padded, padded, padded, need_weights=False, attn_mask=hidden)
        return X + mixed[..., : self.width].mT.reshape(X.shape)


def from_multihead_attention(attention: nn.MultiheadAttention, mask: Any = None) -> Attention:
    """The `Attention` layer (float64 weights) that maps X to X + attention(X), for a trained PyTorch layer.

    Parameters
    ----------
    mask : booleans [key, query], True for visible, as `masks` makes them; it stands for attn_mask = ~mask.T

    Raises
    ------
    ValueError
        Keys and values of other sizes than the embedding, or bias_k, bias_v, add_zero_attn: our layer has none. As
        `Attention` for the mask.
    """
    if attention.in_proj_weight is None or attention.bias_k is not None or attention.add_zero_attn:
        raise ValueError(
            "expected a MultiheadAttention with kdim = vdim = embed_dim, without add_bias_kv, add_zero_attn."
        )
    embedding, h, size = attention.embed_dim, attention.num_heads, attention.head_dim

    def numpy(tensor: Tensor, *shape: int) -> np.ndarray:
        return tensor.detach().cpu().double().numpy().reshape(shape)

    qkv = numpy(attention.in_proj_weight, 3, h, size, embedding)
    out = numpy(attention.out_proj.weight, embedding, h, size)
    qkv_bias, b_o = np.zeros((3, h, size)), None
    if attention.in_proj_bias is not None:
        qkv_bias = numpy(attention.in_proj_bias, 3, h, size)
        b_o = numpy(attention.out_proj.bias, embedding)
    scale = size**-0.5
    heads = [
        Head(
            scale * qkv[0, i],
            qkv[1, i],
            qkv[2, i],
            out[:, i],
            scale * qkv_bias[0, i],
            qkv_bias[1, i],
            qkv_bias[2, i],
        )
        for i in range(h)
    ]
    return Attention(heads, "softmax", b_o, mask)
