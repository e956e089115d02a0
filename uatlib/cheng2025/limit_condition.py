"""The limit condition (13) on a kernel, under which one layer of its attention tells tokens apart; tried, not proved.

Source: cheng2025, Corollary 1, (13).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..checks import refused, whole
from ..checks import seed as parse_seed
from ..kernels import Kernel
from .named_kernels import PolyTimes


class LimitCondition(NamedTuple):
    """Whether (13) held at all that was tried, and where it did not: (x, y_1, y_2, W_K), and the ratio of k at t.

    `share` is the share of W_K with which it held, least over the pairs that were tried.
    """

    holds: bool
    witness: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None
    ratio: float
    share: float
    cases: int


FAR = 2.0**40
"""t, far enough for a linear exponent to leave powers of t behind."""
BEYOND = 2000.0
"""|log ratio| that counts as 0 or infinity: powers of t that floats hold stay below it, exponentials go beyond."""


def satisfies_limit_condition(
    kernel: object, *, d: int | None = None, pairs: int = 40, draws: int = 50, seed: int = 0
) -> LimitCondition:
    """Whether k(x, t W y_1)/k(x, t W y_2) tends to 0 or infinity for almost all W, (13); tried, not proved.

    For random x, y_1, y_2, and for those where kernels are known to fail (y_2 = -y_1, equal lengths, y_2 a multiple of
    y_1, one shared entry), with random W_K: whether the logarithm of the ratio is beyond 2,000 at t = 2^40.

    Parameters
    ----------
    kernel : a `Kernel`, or an object with ``log(x, y)`` over the last axis
    d : entries of a token; None: as many as the kernel's own vectors have, or else 3
    pairs, draws : how many x, y_1, y_2, and W_K for each

    Raises
    ------
    ValueError
        No kernel, or counts that are off; a kernel whose logarithm is not finite, or whose own vectors are not of d
        entries.

    Source: cheng2025, Corollary 1, (13).
    """
    d, pairs = whole("d", _entries(kernel) if d is None else d, 1, 64), whole("pairs", pairs, 1, 10_000)
    draws, rng = whole("draws", draws, 1, 10_000), np.random.default_rng(parse_seed(seed))
    log = getattr(kernel, "log", None)
    if not callable(log) or isinstance(kernel, type):
        raise refused("kernel", "a Kernel, or an object with log(x, y)", kernel)
    worst = LimitCondition(True, None, math.inf, 1.0, pairs * draws)
    for case in range(pairs):
        x, y = rng.normal(size=d), rng.normal(size=(2, d))
        y[1] = (y[1], -y[0], y[1] * np.linalg.norm(y[0]) / np.linalg.norm(y[1]), 2 * y[0], y[1])[case % 5]
        y[1, 0] = y[0, 0] if case % 5 == 4 and d > 1 else y[1, 0]
        W = rng.normal(size=(draws, d, d))
        keys = FAR * np.einsum("wij,pj->pwi", W, y)
        try:
            logs = np.asarray(log(np.broadcast_to(x, keys.shape), keys), dtype=float)
        except TypeError as error:
            raise refused("kernel", "a Kernel, or an object with log(x, y)", kernel, str(error)[:200]) from None
        if not np.isfinite(logs).all():
            raise refused("kernel", "a finite logarithm", float(logs[~np.isfinite(logs)][0]), f"at x = {x.tolist()}")
        ratio = logs[0] - logs[1]
        share = float((np.abs(ratio) > BEYOND).mean())
        if share < worst.share:
            k = int(np.abs(ratio).argmin())
            value = math.exp(float(np.clip(ratio[k], -700, 700)))
            worst = LimitCondition(share > 1 - ALMOST, (x, y[0], y[1], W[k]), value, share, pairs * draws)
    return worst._replace(witness=None) if worst.holds else worst


ALMOST = 0.05
"""The share of W_K that may be near the exceptional ones at a t that is not infinite."""


def _entries(kernel: object) -> int:
    """Of the kernel's own vectors, or of those of the kernel that it holds; 3 if there are none."""
    while isinstance(kernel, PolyTimes):
        kernel = kernel.base
    own = getattr(kernel, "omega", getattr(kernel, "w", None))
    return own.shape[-1] if isinstance(kernel, Kernel) and own is not None else 3
