"""What floats make of the head of Theorem 4.1: values ride on scores of the size R m D^2, and lose what those round.

u is half the distance of floats at 1: 2^-24 in float32, 2^-53 in float64. Not in the source.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from uatlib.arithmetic.numbers import Number
from uatlib.checks import choice
from uatlib.internal.shapes import Numbers
from uatlib.layers import Attention, Head, LinearSum
from uatlib.liu2025.self_attention_layers import apart, first_row, parse_values, riding
from uatlib.liu2025.settled import gamma
from uatlib.liu2025.smoothing import _by_distances
from uatlib.model import Transformer

UNITS = {"float32": (2.0**-24, torch.float32), "float64": (2.0**-53, torch.float64)}


def columns_that_matter(
    values: Numbers, centers: Numbers, n: int, d: int, precision: Number, sup: Number, *, form: str = "literal"
) -> Transformer:
    """`self_attention`, operation for operation, without its products with 0 and its columns that are dropped.

    Called ``net(Z, system, source=Z)``. Keys are W_K Linear(Z) = [x x; -|v_j|^2/2 twice; ln T_j^T ln E_j^T] with the
    values [I_d ... -I_d] below, queries the first n columns of W_Q Linear(Z). O(d n G) numbers in place of O((dG)^2).
    The same of form="values", see `build`.
    """
    v, V, B, R = parse_values(values, centers, n, d, precision, sup)
    d, n = V.shape[1:]  # ints of Python
    parts = riding(V, B) if choice("form", form, ("literal", "values")) == "literal" else apart(V)
    columns, rows = len(parts.cells), n + 2 + d
    fixed = np.vstack([np.zeros((1, columns)), -(v**2).sum(axis=1)[parts.cells] / 2, parts.added, parts.told])
    dots = v.reshape(-1, n, d)[parts.cells]
    keys = LinearSum([(first_row(rows, r, d), dots[:, :, r].T) for r in range(d)], r=fixed)
    asked = np.vstack([np.full((2, n), R), parts.asks])
    queries = LinearSum([(np.zeros((n + 2, d)), np.eye(n))], r=asked)
    eye = np.eye(rows)
    head = Head(w_q=np.eye(n + 2), w_k=eye[: n + 2], w_v=eye[n + 2 :], w_o=np.eye(d))
    out = LinearSum([(None, parts.out)])
    return Transformer([queries, Attention([head], skip=False, cross=True), out], n=n, encoder=[keys])


def rounding_bound(values: np.ndarray, half_width: float, precision: float, sup: float, unit: float) -> float:
    """How far floats can take the output: B_0 (e^{2 eta} - 1 + 2 gamma_{2dG + 9}), eta = gamma_{m + n + 8} H.

    H = 3/2 R m D^2 + max |ln T|, |ln E| is above all terms of a score together. The book has the proof.
    """
    G, d, n = values.shape
    size = 1.5 * precision * d * n * half_width**2 - math.log1p(-float(np.abs(values).max()) / sup)
    eta = gamma(d * n + n + 8, unit) * size
    return sup * (math.expm1(2 * eta) + 2 * gamma(2 * d * G + 9, unit)) if eta < 300 else math.inf


def distance_bound(
    values: np.ndarray, half_width: float, cells: int, precision: float, sup: float, unit: float
) -> float:
    """The same for the smoother with scores -R/2 |Z - v|^2 on a grid: B_0 s (1 + s), where R is counted in cells.

        s = 2 (gamma_{m + 6} + 2 P u) rho m + 2 gamma_{G + 6},  rho = R h^2 >= 1.7,  h = D/P

    A score is off by a share of itself, and by R h u D more for each h that a centre, itself rounded, is away; but far
    centres have no weight: the means of |Z - v|^2/h^2 and |Z - v|_1/h are at most 1.6 m and 1.3 m.
    """
    G, d, n = values.shape
    rho = precision * (half_width / cells) ** 2
    share = 2 * ((gamma(d * n + 6, unit) + 2 * cells * unit) * rho * d * n + gamma(G + 6, unit))
    return sup * share * (1 + share)


def overflow_precision(half_width: float, cells: int, m: int, unit: float) -> tuple[float, float]:
    """R up to which sums of exp(R (v . Z - |v|^2/2)) are floats on all of the box, and beyond which a term is none.

        2 (ln 2^k - m ln P)/(m (D^2 - h^2)),  2 ln 2^k/(m (D^2 - h^2))

    The largest term is at a corner. 2^k is where the floats end, k = 128 in float32 and 1024 in float64. Source:
    liu2025, (B.11) to (B.15), as they stand there.
    """
    end = math.log(2) * (128 if unit == UNITS["float32"][0] else 1024)
    largest = m * (half_width**2 - (half_width / cells) ** 2) / 2
    return (end - m * math.log(cells)) / largest, end / largest


def without_a_shift(
    values: np.ndarray, centers: np.ndarray, Z: np.ndarray, precision: float, system: str
) -> np.ndarray:
    """(B.15) taken at its word: sum_j exp(R (v_j . Z - |v_j|^2/2)) V_j, over the sum of the same; tokens stacked in Z.

    Shape (count, m) to (count, d, n).
    """
    kind = UNITS[system][1]
    z, v, V = (torch.as_tensor(part, dtype=kind) for part in (Z, centers, values))
    powers = torch.exp(precision * (z @ v.T - (v**2).sum(dim=1) / 2))
    return np.asarray(torch.einsum("cg,gdn->cdn", powers / powers.sum(dim=1, keepdim=True), V).double())


def distance_form(values: np.ndarray, centers: np.ndarray, Z: np.ndarray, precision: float, system: str) -> np.ndarray:
    """The same with the scores -R/2 |Z - v_j|^2, by differences."""
    kind = UNITS[system][1]
    z, v, V = (torch.as_tensor(part, dtype=kind) for part in (Z, centers, values))
    return np.asarray(_by_distances(z, v, V.reshape(len(V), -1), precision).reshape(-1, *V.shape[1:]).double())
