"""Kajitsuka, Sato (2024), appendix C: the Boltzmann operator and the layer of Theorem 2 under masks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from ... import kajitsuka2024
from ...arithmetic import EXACT
from ...arithmetic.base import is_int
from ...certificate import Certificate, Check
from ...layers import Attention
from ...masks import causal, padding
from ...model import Transformer
from ...registry import register_by_seed as register
from ..boltzmann import boltz
from ..gaps import log_pair_bound
from .boltzmann import Vector, _text
from .definitions import MAX_SIZE, SLACK, lattice
from .gaps import Gap, _damaged_gap, _least, _rows, enclosed_gap

CHAPTER = "kajitsuka-masks"


# ---------------------------------------------------------------------------------------------- the operator, eq. (133)


def _certify_masked(n: int, levels: int, rows: Sequence[Vector], gap: Gap) -> Certificate:
    name = "log |difference| of visible parts, next to its bound"
    least = _least(name, rows, gap, lambda a, b: log_pair_bound(a, b, n=n))
    row = [float(u) for u in rows[-1]]
    hidden = [*row, 1e9]
    off = abs(float(boltz(hidden, [True] * len(row) + [False])) - float(boltz(row)))
    return Certificate(
        [least, Check("what a masked entry of 10^9 changes", off, "<=", 0.0)],
        parameters={"n": n, "levels": levels},
    )


def _perturb_masked(*, seed: int = 0, n: int = 3, levels: int = 5) -> Certificate:
    """Hardmax, or an operator that leaves out the smallest visible entry."""
    rows = _rows("app-c", n, levels, shorter=True)
    return _certify_masked(n, levels, rows, _damaged_gap(seed))


@register(
    "kajitsuka2024:app-c",
    "masked vectors: different visible parts have different Boltzmann values",
    source="appendix C, eq. (133)",
    chapter=CHAPTER,
    perturb=_perturb_masked,
    concerns="proof",
    erratum=(
        "The mask -inf times the weight 0 of (133) is NaN in floating point: leave the masked entries out. Where the "
        "visible entries of one vector begin those of the other, the bound of Lemma 7 has b_{k+1} = -inf and is 0; "
        "(delta/2) e^{-(a_1 - a_{k+1})} holds there."
    ),
)
def verify_masked(*, variant: str = "repaired", n: int = 3, levels: int = 5) -> Certificate:
    """All pairs of visible parts of 1 to n levels, prefixes too; printed: (133) and Lemma 7's bound as they stand."""
    rows = _rows("app-c", n, levels, shorter=True)
    if variant == "repaired":
        return _certify_masked(n, levels, rows, enclosed_gap)
    a = torch.tensor([float(u) for u in rows[-1]] + [0.0], dtype=torch.float64)
    c = torch.tensor([0.0] * len(rows[-1]) + [-torch.inf], dtype=torch.float64)
    p = torch.softmax(a + c, dim=0)
    beginning, row = rows[0], next(row for row in rows if len(row) == 2 and row[0] == rows[0][0])
    bound = math.log(n) ** 2 * math.exp(-(float(row[0]) + math.inf))
    return Certificate(
        [
            Check(
                "(a + c)^T softmax(a + c) of (133), in float64",
                float((a + c) @ p),
                "==",
                float(a @ p),
                (f"a = {_text(a.tolist())}", f"c = {_text(c.tolist())}"),
                "sampled",
            ),
            Check(
                "(log n)^2 e^{-(a_1 - b_{k+1})}, the bound (117), where b is the beginning of a and b_{k+1} = -inf",
                bound,
                ">",
                0,
                (f"a = {_text(row)}", f"b = {_text(beginning)}"),
            ),
        ],
        parameters={"n": n, "levels": levels},
    )


# ----------------------------------------------------------------------------------------------- the layer of Theorem 2


def _mask(name: str, n: int) -> np.ndarray:
    """The causal mask, or padding of all lengths from 1 to n, one mask each."""
    if not is_int(n, 2):
        raise ValueError(f"kajitsuka2024:app-c-layer: expected n to be an int >= 2, got {n!r}.")
    if not isinstance(name, str) or name not in ("causal", "padding"):
        raise ValueError(f'kajitsuka2024:app-c-layer: expected mask "causal" or "padding", got {name!r}.')
    return causal(n) if name == "causal" else padding(list(range(1, n + 1)), n)


def _parts(size: int, d: int, n: int, mask: str) -> tuple[np.ndarray, np.ndarray]:
    visible = _mask(mask, n)
    if not is_int(size, n) or size < 3:
        raise ValueError(
            f"kajitsuka2024:app-c-layer: expected ints n <= size <= {MAX_SIZE} and size > 2, got size = {size!r} and "
            f"n = {n!r}."
        )
    return lattice("app-c-layer", size, d, 3), visible


def _perturb_masked_layer(*, seed: int = 0, size: int = 4, d: int = 1, n: int = 2, mask: str = "causal") -> Certificate:
    """Hardmax, an output that is 0 or too large, or a mask that hides or shows one key too many."""
    tokens, visible = _parts(size, d, n, mask)
    (layer,) = kajitsuka2024.rank_one_attention(tokens, n, mask=visible).layers
    assert isinstance(layer, Attention)
    rng = np.random.default_rng(seed)
    damage = seed % 4
    if damage == 0:
        damaged = Attention(layer.heads, "hardmax", mask=visible)
    elif damage == 1:
        wrong = visible.copy()
        *batch, i, j = rng.choice(np.argwhere(_off_diagonal(visible)))
        wrong[(*batch, i, j)] ^= True
        damaged = layer.with_mask(wrong)
    else:
        factor = 0 if damage == 2 else int(rng.integers(20, 90))
        weights = layer.weights()
        damaged = layer.with_weights({**weights, "head0.w_o": weights["head0.w_o"] * factor})
    return kajitsuka2024.certify(Transformer([damaged], n=n), tokens, n, slack=SLACK, mask=visible)


def _off_diagonal(visible: np.ndarray) -> np.ndarray:
    """Entries that are not a column's own, in columns that see themselves."""
    n = visible.shape[-1]
    own = np.diagonal(visible, axis1=-2, axis2=-1)[..., None, :]
    return np.logical_and(~np.eye(n, dtype=bool), own)


@register(
    "kajitsuka2024:app-c-layer",
    "under a mask one head of rank 1 tells apart what its tokens see",
    source="appendix C, with Theorem 2",
    chapter=CHAPTER,
    perturb=_perturb_masked_layer,
    concerns="definition",
    erratum=(
        "Definition 2 compares the whole vocabularies of two sequences. Under a causal mask the first token hears only "
        "itself, so (x, y) and (x, z) give it the same value, whatever the weights. What holds, with the same r and "
        "delta, is that ids differ wherever the token differs or the set of tokens that it sees."
    ),
)
def verify_masked_layer(
    *, variant: str = "repaired", size: int = 4, d: int = 1, n: int = 2, mask: str = "causal"
) -> Certificate:
    """The layer at the scale of (29), on every sequence and order, causal or with padding of every length.

    Printed: Definition 2 at the first token of two sequences, under the causal mask.
    """
    tokens, visible = _parts(size, d, n, mask)
    if variant == "repaired":
        model = kajitsuka2024.rank_one_attention(tokens, n, mask=visible)
        certificate = kajitsuka2024.certify(model, tokens, n, slack=SLACK)
        own = {name: value for name, value in certificate.parameters.items() if name != "mask"}
        return Certificate(certificate.checks, parameters={"mask": mask, **own})
    one, other = list(range(n)), [0, *range(2, n + 1)]
    (layer,) = kajitsuka2024.rank_one_attention(tokens, n, mask=causal(n)).layers
    assert isinstance(layer, Attention)
    # Of a single visible key softmax and hardmax are both 1, and hardmax is exact.
    alone = Transformer([Attention(layer.heads, "hardmax", mask=causal(n))], n=n)
    Z = alone(np.stack([tokens[:, row] for row in (one, other)]), EXACT)
    gap = max(abs(Z[0, :, 0] - Z[1, :, 0]))
    witness = f"token 1 of {[t + 1 for t in one]} and of {[t + 1 for t in other]} sees only itself"
    name = "|difference of ids|, causal mask, token 1 of two sequences with different sets of tokens"
    return Certificate([Check(name, gap, ">", 0, witness)], parameters={"V": size, "d": d, "n": n})
