"""The same transformers as `torch.nn` modules: they train, move between devices and save like any other.

`to_module` wraps every weight of a model as a parameter and runs the model's own forward pass on them.
`MultiheadAttentionLayer` puts one softmax attention layer into PyTorch's own `torch.nn.MultiheadAttention`, and
`from_multihead_attention` takes one out.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from .arithmetic import FLOAT32, FLOAT64, Arithmetic
from .checks import flag, instance, real_tensor, refused
from .kernels import DOT
from .layers import Attention, Head, Layer
from .model import Transformer, last, require_input, states
from .patterns import Pattern

__all__ = ["MultiheadAttentionLayer", "from_module", "from_multihead_attention", "to_module"]


Device = str | torch.device | None


def _system(dtype: object, device: Device = None) -> Arithmetic[Tensor]:
    """The number system of the dtype, on the device; ValueError unless both are there."""
    if not isinstance(dtype, torch.dtype) or dtype not in (torch.float32, torch.float64):
        raise refused("dtype", "torch.float32 or torch.float64", dtype)
    system = FLOAT32 if dtype == torch.float32 else FLOAT64
    return system if device is None else system.on(device)


def _require_tensors(model: Transformer, weight: Tensor, X: Tensor, source: Tensor | None) -> None:
    for name, values in [("X", X), *([] if source is None else [("source", source)])]:
        if not isinstance(values, Tensor) or values.dtype != weight.dtype or values.device != weight.device:
            expected = f"a tensor of {weight.dtype} on {weight.device}, as the weights are"
            raise refused(name, expected, values, "convert it with .to")
        real_tensor(values, name)
    require_input(model, X, source)


class _LayerModule(nn.Module):
    """One layer: its weights as parameters; its mask, or the numbers of its activation, as buffers."""

    def __init__(self, layer: Layer, place: str, system: Arithmetic[Tensor]) -> None:
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
        """The native weights of the layer, by its names."""
        return {name: getattr(self, attribute) for name, attribute in self.names.items()}

    def trained(self) -> Layer:
        """The layer with the present weights."""
        present = self.weights()
        return self.layer.with_weights({name: present[name] for name in self.layer.weights()})


class TransformerModule(nn.Module):
    """A `Transformer` whose weights are trainable parameters. Maps tensors of the shapes that the model takes."""

    def __init__(self, model: Transformer, dtype: torch.dtype = torch.float64, device: Device = None) -> None:
        super().__init__()
        system, self.model = _system(dtype, device), instance("model", model, Transformer, BUILT)
        self.layers, self.encoder = (
            nn.ModuleList(_LayerModule(layer, f"{place} {i}", system) for i, layer in enumerate(part))
            for place, part in (("layer", model.layers), ("encoder layer", model.encoder))
        )

    def forward(self, X: Tensor, source: Tensor | None = None) -> Tensor:
        """The output of the model; ValueError unless X and `source` have its shapes and are as its weights."""
        weight, model = next(self.parameters()), self.model
        _require_tensors(model, weight, X, source)
        system = _system(weight.dtype)
        if source is not None:
            source = last(states(model.encoder, [part.weights() for part in self.parts("encoder")], source, system))
        return last(states(model.layers, [part.weights() for part in self.parts()], X, system, source))

    def parts(self, name: str = "layers") -> list[_LayerModule]:
        """The modules of the layers, or of the encoder's, in order."""
        return [part for part in getattr(self, name) if isinstance(part, _LayerModule)]


def to_module(
    model: Transformer, dtype: torch.dtype = torch.float64, device: Device = None, *, rounded: object = False
) -> TransformerModule:
    """`model` as an `nn.Module` of the given dtype and device.

    In float64 its outputs are those of ``model(X, FLOAT64)``, up to rounding.
    Gradients flow to all weights. That is not to say that one should train them: the networks of the proofs are steep,
    and random weights of the same sizes were the better start for three of four networks, as README says.

    Parameters
    ----------
    dtype : float64 or float32. In float32 outputs are those of ``model(X, FLOAT32)``; built networks can be off by more
        than all they say, since their weights span many powers of ten.
    rounded : whether float32 will do although outputs change, as for a model that is trained anew

    Raises
    ------
    ValueError
        Another dtype, or a weight too large for it; float32, unless `rounded`, where on 64 inputs from [0, 1] outputs
        move by more than 1/1000 of the largest (with the figure, and the weight that rounds most). A network's
        construction: its `model` is meant.
    """
    module = TransformerModule(model, dtype, device)
    if not flag("rounded", rounded) and dtype != torch.float64:
        _require_precision(model, dtype)
    return module


BUILT = "a built network holds one, its .model"
SAMPLE, MOVED = 64, 1e-3
"""Inputs on which float32 stands beside float64, and how far apart, relative, outputs may be."""


def _require_precision(model: Transformer, dtype: torch.dtype) -> None:
    """ValueError where the outputs in `dtype` are not those in float64; looked at on the CPU, one input at a time."""
    rng, far, size = np.random.default_rng(0), 0.0, 1.0

    def draw(d: int | None, n: int | None) -> Tensor:
        return torch.as_tensor(rng.random((d or 1, n or 3), dtype=np.float32))

    for _ in range(SAMPLE):
        X, source = draw(model.d_in, model.n_in), draw(model.d_source, model.n_source) if model.cross else None
        fine, rough = (
            model(X.to(kind), _system(kind), source=None if source is None else source.to(kind)).double()
            for kind in (torch.float64, dtype)
        )
        far = max(far, float((fine - rough).abs().nan_to_num(torch.inf).max()))
        size = max(size, float(fine.abs().max()))
    if not far <= MOVED * size:
        off = f"outputs are off by up to {far:.2g} on {SAMPLE} inputs from [0, 1]; {_most_rounded(model, dtype)}"
        raise refused("dtype", "torch.float64", dtype, f"{off}; rounded=True takes it all the same")


def _most_rounded(model: Transformer, dtype: torch.dtype) -> str:
    """The weight that moves most in `dtype`, in words."""
    worst, text = 0.0, "no weight rounds, but sums do"
    for i, layer in enumerate((*model.encoder, *model.layers)):
        for name, tensor in layer.lower(_system(torch.float64, "cpu"), "layer").items():
            moved = (tensor - tensor.to(dtype).double()).abs().flatten()
            if moved.numel() and float(moved.max()) > worst:
                k = int(moved.argmax())
                worst = float(moved[k])
                place = f"layer {i - len(model.encoder)}" if i >= len(model.encoder) else f"encoder layer {i}"
                text = f"in {place}, {name}, {float(tensor.flatten()[k])!r} rounds by {worst:.2g}"
    return text


def from_module(module: TransformerModule) -> Transformer:
    """The module's present weights as a `Transformer` with float64 weights (for instance after training).

    ValueError unless it is a `TransformerModule`.
    """
    instance("module", module, TransformerModule)
    layers, encoder = ([part.trained() for part in parts] for parts in (module.parts(), module.parts("encoder")))
    return Transformer(layers, module.model.n, encoder=encoder)


class MultiheadAttentionLayer(nn.Module):
    """A softmax attention layer run by `torch.nn.MultiheadAttention`, on X of shape (..., d, n).

    PyTorch wants the embedding to be `heads` times the head size, so X is padded with zero rows up to
    E = h max(m, ceil(d / h)) and the result is cut back to d rows. PyTorch divides scores by the square root of the
    head size; W_Q and b_Q are multiplied by it. The skip connection, which PyTorch's layer lacks, is added here. A mask
    is given to each call of PyTorch's layer, as `attn_mask`: transposed, and True for what is hidden. The module itself
    is `attention`; only its loading is ours.

    Raises
    ------
    ValueError
        No Attention, or a hardmax layer: use `Attention.with_softmax` to give its heads a finite temperature first.
    """

    def __init__(self, layer: Attention, dtype: torch.dtype = torch.float32, device: Device = None) -> None:
        super().__init__()
        instance("layer", layer, Attention)
        if layer.normalization != "softmax":
            got = f"a {layer.normalization} layer; give its heads a temperature with layer.with_softmax(scale)"
            raise ValueError(f"layer: expected softmax attention, as PyTorch's is, got {got}.")
        if layer.kernel != DOT or any(head.w_e is not None for head in layer.heads):
            raise ValueError(f"layer: expected no other kernel nor token projections than PyTorch has, got {layer}.")
        system = _system(dtype, device)
        self.layer, self.model = layer, Transformer([layer])
        h, rows = len(layer.heads), max(layer.d_in or 0, layer.d_out or 0, layer.d_source or 0)
        size = max(-(-rows // h), *(max(len(head.w_q), len(head.w_v)) for head in layer.heads))
        embedding = h * size
        mask = layer.mask.mask() if isinstance(layer.mask, Pattern) else layer.mask
        hidden = None if mask is None else torch.tensor(~mask, device=device).mT
        # PyTorch's layer has no mask of its own, so the state dict holds none.
        self.register_buffer("hidden", hidden, persistent=False)
        self.attention = nn.MultiheadAttention(embedding, h, bias=True, batch_first=True, dtype=dtype, device=device)
        native = {name: np.zeros(shape) for name, shape in (("in", (3, h, size, embedding)), ("bias", (3, h, size)))}
        out = np.zeros((embedding, h, size))
        lowered = {name: t.double().numpy() for name, t in layer.lower(FLOAT64.on("cpu"), "layer").items()}
        for i in range(h):
            for j, letter in enumerate("qkv"):
                scale, w = size**0.5 if letter == "q" else 1.0, lowered[f"head{i}.w_{letter}"]
                native["in"][j, i, : len(w), : w.shape[1]] = scale * w
                native["bias"][j, i, : len(w)] = scale * lowered.get(f"head{i}.b_{letter}", 0.0)
            w = lowered[f"head{i}.w_o"]
            out[: len(w), i, : w.shape[1]] = w
        bias = np.zeros(embedding)
        bias[: layer.d_out] = lowered.get("b_o", 0.0)
        with torch.no_grad():
            for parameter, values in (
                (self.attention.in_proj_weight, native["in"].reshape(3 * embedding, embedding)),
                (self.attention.in_proj_bias, native["bias"].reshape(3 * embedding)),
                (self.attention.out_proj.weight, out.reshape(embedding, embedding)),
                (self.attention.out_proj.bias, bias),
            ):
                parameter.copy_(system.array(values, "weight"))

    def forward(self, X: Tensor, source: Tensor | None = None) -> Tensor:
        """X plus PyTorch's attention over its columns; ValueError as `TransformerModule.forward`, or as the layer's."""
        attention, hidden = self.attention, self.hidden
        _require_tensors(self.model, attention.out_proj.weight, X, source)
        self.layer.require_fit(tuple(X.shape))
        batch = np.broadcast_shapes(X.shape[:-2], () if source is None else source.shape[:-2])

        def tokens(Z: Tensor) -> Tensor:
            rows = Z.expand(*batch, *Z.shape[-2:]).mT.flatten(0, -3) if batch else Z.mT[None]
            return nn.functional.pad(rows, (0, attention.embed_dim - rows.shape[-1]))

        if isinstance(hidden, Tensor) and hidden.ndim > 2:
            # One mask for each sequence and head, in this order.
            hidden = hidden.expand(*batch, *hidden.shape[-2:]).flatten(0, -3).repeat_interleave(attention.num_heads, 0)
        asked = tokens(X)
        heard = asked if source is None else tokens(source)
        mixed, _ = attention(asked, heard, heard, need_weights=False, attn_mask=hidden)
        mixed = mixed[..., : self.layer.d_out].mT.reshape(*batch, self.layer.d_out, X.shape[-1])
        return X + mixed if self.layer.skip else mixed


def from_multihead_attention(
    attention: nn.MultiheadAttention, mask: object = None, *, cross: bool = False
) -> Attention:
    """The `Attention` layer (float64 weights) that maps X to X + attention(X), for a trained PyTorch layer.

    With `cross` it is attention(X, Z, Z) that is added, for a second sequence Z.

    Parameters
    ----------
    mask : booleans [key, query], True for visible, as `masks` makes them; it stands for `attn_mask = ~mask.T`

    Raises
    ------
    ValueError
        Keys and values of other sizes than the embedding, or `bias_k`, `bias_v`, `add_zero_attn`: our layer has none.
        As `Attention` for the mask.
    """
    instance("attention", attention, nn.MultiheadAttention)
    cross = flag("cross", cross)
    if attention.in_proj_weight is None or attention.bias_k is not None or attention.add_zero_attn:
        raise ValueError(
            "attention: expected a MultiheadAttention with kdim = vdim = embed_dim, without add_bias_kv, add_zero_attn."
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
    scale = np.array([size**-0.5, 1, 1]).reshape(3, 1, 1)
    parts = zip(*(scale[..., None] * qkv), out.swapaxes(0, 1), *(scale * qkv_bias), strict=True)
    return Attention([Head(*weights) for weights in parts], "softmax", b_o, mask, cross=cross)
