"""Mixing terms g of layers X + g(X), on arrays and tensors, batched, on any device, with gradients.

Source: cheng2025, (12), (19), (20), (21) and (23).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from uatlib.arithmetic import FLOAT32, FLOAT64
from uatlib.arithmetic.numbers import doubles, not_finite, real_tensor
from uatlib.checks import function, instance, refused, require_shape, shown
from uatlib.cheng2025.named_patterns import parse_pattern
from uatlib.internal.shapes import Numbers
from uatlib.kernels import DOT, Kernel
from uatlib.mixers import applied_alpha, parse_alpha

__all__ = ["attention_weights", "bias_attention", "cyclic_convolution", "linformer", "skyformer"]


def attention_weights(X: Numbers, W_Q: Numbers, W_K: Numbers, kernel: Kernel = DOT, pattern: object = None) -> Any:
    """k(W_Q x_i, W_K x_j) over its sum over j in N(i): shape (..., n, n), columns are queries i and rows keys j.

    Parameters
    ----------
    X : (..., d, n), an array or a tensor
    W_Q, W_K : (m, d)
    kernel : as `kernel` gives
    pattern : N, a list of n sets as `pattern` gives, or a `Pattern`; None: all

    Raises
    ------
    ValueError
        Shapes that do not go together, numbers that are not finite, a token that attends to nobody.

    Source: cheng2025, (12).
    """
    (Z, q, k), plain = _tensors(X=X, W_Q=W_Q, W_K=W_K)
    _fit("W_Q", q, Z.shape[-2])
    _fit("W_K", k, Z.shape[-2], q)
    mask = None if pattern is None else _mask(pattern, Z)
    system = FLOAT32 if Z.dtype == torch.float32 else FLOAT64
    powers = instance("kernel", kernel, Kernel).weights(k @ Z, q @ Z, system, mask)[1]
    shares = powers / powers.sum(dim=-2, keepdim=True)
    return _back(shares.expand(*Z.shape[:-2], *shares.shape[-2:]), plain)


def linformer(X: Numbers, W_Q: Numbers, W_K: Numbers, W_V: Numbers, E: Numbers, F: Numbers) -> Any:
    """W_V X F softmax((W_K X E)^T W_Q X), softmax down the columns: (..., d, n) to (..., v, n); E, F of shape (n, k).

    Errors as `attention_weights`. Source: cheng2025, (19).
    """
    (Z, q, k, v, e, f), plain = _tensors(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, E=E, F=F)
    d, n = Z.shape[-2:]
    for name, w, like in (("W_Q", q, None), ("W_K", k, q), ("W_V", v, None)):
        _fit(name, w, d, like)
    for name, w in (("E", e), ("F", f)):
        if w.ndim != 2 or w.shape != (n, (e.shape or (0,))[-1]) or w.shape[1] == 0:
            raise refused(name, f"shape ({n}, k), the same for E and F", tuple(w.shape))
    return _back(v @ Z @ f @ torch.softmax((k @ Z @ e).mT @ (q @ Z), dim=-2), plain)


def skyformer(X: Numbers, W_Q: Numbers, W_K: Numbers, W_V: Numbers) -> Any:
    """sum_j exp(-|W_Q x_i - W_K x_j|^2/2) W_V x_j for each token i, not normalized: (..., d, n) to (..., v, n).

    Errors as `attention_weights`. Source: cheng2025, (20).
    """
    (Z, q, k, v), plain = _tensors(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V)
    for name, w, like in (("W_Q", q, None), ("W_K", k, q), ("W_V", v, None)):
        _fit(name, w, Z.shape[-2], like)
    apart = ((k @ Z)[..., :, None] - (q @ Z)[..., None, :]).square().sum(dim=-3)
    return _back(v @ Z @ torch.exp(-apart / 2), plain)


def bias_attention(
    X: Numbers, a: Numbers, W: Numbers, b: Numbers, alpha: object = "tanh", pattern: object = None
) -> Any:
    """sum over j in N(i) of a alpha(W x_j - b) for each token i, entry by entry: (..., d, n) to (..., r, n).

    Parameters
    ----------
    a, W, b : a number, (r, d), and (r,) or a number
    alpha : as for `BiasAttention`, or a function of tensors
    pattern : N, as for `attention_weights`

    Errors as `attention_weights`. Source: cheng2025, (21), with the sizes of appendix C.4.3.
    """
    (Z, scale, w, shift), plain = _tensors(X=X, a=a, W=W, b=b)
    _fit("W", w, Z.shape[-2])
    if scale.ndim != 0:
        raise refused("a", "a number", tuple(scale.shape))
    if shift.ndim and shift.shape != w.shape[:1]:
        raise refused("b", f"a number or shape ({len(w)},)", tuple(shift.shape))
    inner = w @ Z - (shift[:, None] if shift.ndim else shift)
    acted = _acted(alpha, inner) if callable(alpha) else applied_alpha(parse_alpha(alpha), inner, FLOAT64)
    values = scale * acted
    if pattern is None:
        return _back(values.sum(dim=-1, keepdim=True).expand(values.shape), plain)
    heard = _mask(pattern, Z).to(Z.dtype)
    return _back(values @ heard, plain)


def cyclic_convolution(X: Numbers, psi: Numbers) -> Any:
    """sum_{j = 0}^{l} psi_j x_{(i + j) mod n} for each token i: (..., d, n) to the same; psi of shape (l + 1,).

    Errors as `attention_weights`. Source: cheng2025, (23), with the index i + j.
    """
    (Z, weights), plain = _tensors(X=X, psi=psi)
    if weights.ndim != 1 or len(weights) == 0:
        raise refused("psi", "shape (l + 1,)", tuple(weights.shape))
    return _back(sum(w * torch.roll(Z, -j, dims=-1) for j, w in enumerate(weights)), plain)


def _tensors(**given: Any) -> tuple[list[torch.Tensor], bool]:
    """All as tensors of the kind of X, which is (..., d, n); and whether NumPy's are to come back.

    Tensors keep their gradients.
    """
    X = given["X"]
    plain = not isinstance(X, torch.Tensor)
    device = None if plain else X.device
    like = X if not plain and X.is_floating_point() else torch.empty(0, dtype=torch.float64, device=device)
    tensors = []
    for name, value in given.items():
        if isinstance(value, torch.Tensor):
            tensor = real_tensor(value, name)
            if not torch.isfinite(tensor).all():
                raise not_finite(name)
            tensors.append(tensor.to(dtype=like.dtype, device=like.device))
        else:
            tensors.append(torch.as_tensor(doubles(name, value), dtype=like.dtype, device=like.device))
    require_shape(tensors[0], None, None)
    return tensors, plain


def _fit(name: str, w: torch.Tensor, d: int, like: torch.Tensor | None = None) -> None:
    """w is (m, d), with as many rows as `like`, a matrix that was parsed before."""
    rows = None if like is None else len(like)
    if w.ndim != 2 or w.shape[1] != d or len(w) != (rows or len(w)) or len(w) == 0:
        raise refused(name, f"shape ({rows or 'm'}, {d})", tuple(w.shape))


def _acted(alpha: object, inner: torch.Tensor) -> torch.Tensor:
    """alpha(inner) of a function that a caller gives, entry by entry."""
    expected = "a function of tensors, entry by entry"
    if isinstance(alpha, np.ufunc):
        raise refused("alpha", expected, alpha, "take torch's of that name")
    try:
        found = function("alpha", alpha)(inner)
    except (TypeError, RuntimeError) as error:
        raise refused("alpha", expected, alpha, f"it raised {type(error).__name__}: {str(error)[:200]}") from None
    if not isinstance(found, torch.Tensor) or found.shape != inner.shape or found.dtype != inner.dtype:
        raise refused("alpha", expected, alpha, f"it gave {shown(found)}")
    return found


def _mask(pattern: object, Z: torch.Tensor) -> torch.Tensor:
    """mask[j, i]: token i hears token j."""
    return torch.as_tensor(parse_pattern("pattern", pattern, Z.shape[-1]).mask(), device=Z.device)


def _back(values: Any, plain: bool) -> Any:
    return values.numpy(force=True) if plain else values
