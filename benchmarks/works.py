"""What the report measures: kinds of work, each with its arms, the least that it takes, and its goal.

An entry is a function of `quick` (small sizes) that returns a `Work`. Its first arm is ours; every other one computes
the same, or it is refused. The reason beside a goal is shown where it is missed.
"""

from __future__ import annotations

import math
import operator
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import flint
import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from uatbook import statements
from uatbook.cheng2025.gallery import GALLERY
from uatbook.sweeps import sweep
from uatlib import cheng2025, kajitsuka2024, liu2025, yun2020
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64
from uatlib.certificate import Construction
from uatlib.grids import Grid
from uatlib.kernels import DOT, RBF, Kernel
from uatlib.layers import Attention, Head
from uatlib.liu2025.smoothing import grid_smoother
from uatlib.model import Transformer
from uatlib.patterns import Pattern
from uatlib.targets import mean_product
from uatlib.yun2020.ids import context_ids_int64
from uatlib.yun2020.shift_layers import selective_shift

# ------------------------------------------------------------------------------------------------------- what a row is


@dataclass(frozen=True)
class Arm:
    """A way to do the work. One that does a `share` of it, from its beginning, has its seconds divided by that."""

    call: Callable[[], Any]
    share: float = 1
    peer: bool = True
    """False for one that uses more than the others are told: it is shown and not compared."""
    compiles: bool = False
    """For up to a minute when it is first called: left out where sizes are small."""


@dataclass(frozen=True)
class Absent:
    """An arm that cannot run here, and why; how to get it."""

    why: str


@dataclass(frozen=True)
class Floor:
    """The least that the work takes: numbers of operations, of bytes and of exponentials, and how they are counted."""

    how: str
    operations: float = 0
    moved: float = 0
    exponentials: float = 0
    dtype: torch.dtype = torch.float64


@dataclass(frozen=True)
class Work:
    """The work at one size. What was measured elsewhere comes as `samples`, in the unit of the entry, without arms."""

    size: str
    arms: Mapping[str, Arm | Absent]
    floor: Floor | Callable[[], Any] | None = None
    """Of a function: what it takes, beside the arms."""
    count: int = 1
    tolerance: float = 0
    expected: Any = None
    """What ours must give, where there is a formula for it."""
    samples: Sequence[float] = ()


@dataclass(frozen=True)
class Goal:
    """`kind`: "at most" (of the unit), "above floor" (seconds), "rate" (at least, in `of` a second), "best peer"."""

    kind: str
    limit: float
    of: str = ""


NOT_SLOWER = Goal("best peer", 1)


@dataclass(frozen=True)
class Entry:
    """A row of the report."""

    name: str
    make: Callable[..., Work]
    goal: Goal | None
    why: str
    unit: str
    rounds: int
    quantile: float
    pages: bool


ENTRIES: dict[str, Entry] = {}


def work(
    name: str,
    goal: Goal | None = None,
    why: str = "",
    *,
    unit: str = "s",
    rounds: int = 7,
    quantile: float = 0.5,
    pages: bool = False,
) -> Callable[[Callable[..., Work]], Callable[..., Work]]:
    """Enter a function as a row. Rows in MiB run each arm once, in a process of its own."""

    def enter(make: Callable[..., Work]) -> Callable[..., Work]:
        ENTRIES[name] = Entry(name, make, goal, why, unit, rounds, quantile, pages)
        return make

    return enter


# ------------------------------------------------------------------------------------------------------------- the ids


def numpy_ids(L: np.ndarray, N: int) -> np.ndarray:
    """The ids of sequences without sentinels: sort, lift each distinct id once, scatter."""
    d, n = L.shape[1:]
    D = N**d
    columns = np.einsum("i,bij->bj", N ** np.arange(d), L)
    order = columns.argsort(-1)
    ids = np.take_along_axis(columns, order, -1)
    top = ids[:, -1].copy()
    lifted = np.empty_like(ids)
    for j in range(n):
        lifted[:, j] = ids[:, j] + D * (top - ids[:, j])
        if j:
            same = ids[:, j] == ids[:, j - 1]
            lifted[same, j] = lifted[same, j - 1]
        top = lifted[:, j]
    lifted += D ** (n + 1) * top[:, None]
    result = np.empty_like(ids)
    np.put_along_axis(result, order, lifted, -1)
    return result


@work(
    "Ids of Lemma 8",
    Goal("rate", 5e6, "sequences"),
    "Each chunk is checked against the grid, bounded, sorted, and swept by one torch operation after the other, each "
    "of which reads and writes it; a program compiled for it would read once.",
)
def ids(quick: bool) -> Work:
    N, n, d = (2, 3, 2) if quick else (4, 3, 3)
    L = Grid(N, n, d).sequences()
    layers = selective_shift(inverse_delta=N, n=n, d=d)
    u = torch.tensor([N**i for i in range(d)])
    some = max(1, len(L) // (8 if quick else 128))
    whole, halves = layers.lower(INT64.in_units_of(Fraction(1, 2 * N))), 2 * L[:some]
    floats, places = layers.lower(FLOAT64), L[:some] / N
    return Work(
        f"all {len(L):,} sequences at (N, n, d) = ({N}, {n}, {d}), int64",
        {
            "ours": Arm(lambda: context_ids_int64(L, inverse_delta=N)),
            "NumPy": Arm(lambda: numpy_ids(L.numpy(), N)),
            "literal layers, INT64": Arm(lambda: (u[:, None] * whole(halves)).sum(-2) // 2, some / len(L)),
            "literal layers, FLOAT64": Arm(lambda: (u[:, None] * floats(places)).sum(-2) * N, some / len(L)),
        },
        Floor(
            "8 bytes are read for each of dn entries and written for each of n ids; 2d operations read a column, 5 "
            "lift it",
            operations=len(L) * n * (2 * d + 5),
            moved=8 * len(L) * (d * n + n),
        ),
        count=len(L),
    )


def lemma_8(quick: bool) -> Work:
    N, n, d = (2, 2, 2) if quick else (4, 3, 3)
    verify = statements.get("yun2020:lem-8").verify
    return Work(
        f"certificate over all {(N + 1) ** (n * d):,} points of the extended grid",
        {"ours": Arm(lambda: verify(inverse_delta=N, n=n, d=d).holds)},
        Floor("the ids are written once", moved=8 * n * (N + 1) ** (n * d)),
        count=(N + 1) ** (n * d),
        expected=True,
    )


work("Lemma 8, certificate", Goal("at most", 10), "All distances of ids are found by sorting them.", rounds=2)(lemma_8)
work("Lemma 8, memory", Goal("at most", 2048), "All ids are held at once.", unit="MiB")(lemma_8)

# ------------------------------------------------------------------------------------------------------------ networks


def network(
    name: str, build: Callable[[bool], Construction], most: int, layers: int, operations: int, quick: bool
) -> Work:
    """Values in bulk beside the literal layers, which run on the first inputs alone."""
    g, count = build(quick), 2000 if quick else most
    d, n = g.target.d, g.target.n
    X = torch.as_tensor(np.random.default_rng(0).uniform(size=(count, d, n)))
    model, few = g.model.lower(FLOAT64), 20 if quick else layers
    largest = float(torch.as_tensor(g.shortcut(X[:few])).abs().max())
    return Work(
        f"{count:,} inputs of shape ({d}, {n}), {len(g.model.layers):,} layers, float64",
        {
            "ours": Arm(lambda: torch.as_tensor(g.shortcut(X))),
            "literal layers": Arm(lambda: model(X[:few]), few / count),
        },
        Floor(
            f"inputs are read and outputs written; {operations} operations an entry find the cell and the value",
            operations=operations * count * d * n,
            moved=16 * count * d * n,
        ),
        count=count,
        # Layers of floats round numbers that are some thousand times those of the output; ids of Yun et al. are larger.
        tolerance=(1e-7 if "Yun" in name else 1e-9) * max(1.0, largest),
    )


def networks() -> None:
    f = mean_product(2)
    rows = {
        "Network of Yun et al.": (
            lambda quick: yun2020.build(mean_product(3, 1 if quick else 2), inverse_delta=4, variant="printed"),
            10**6,
            1000,
            8,
            Goal("at most", 2),
        ),
        "Network of Kajitsuka and Sato": (
            lambda quick: kajitsuka2024.build(f, inverse_delta=4 if quick else 8, duplicates="keep"),
            10**6,
            10_000,
            4,
            None,
        ),
        "Network of Liu et al.": (
            lambda quick: liu2025.build(f, inverse_delta=4 if quick else 8, form="smoother"),
            10**5,
            1000,
            4,
            None,
        ),
        "Network of Cheng et al.": (
            lambda quick: cheng2025.build(f, inverse_delta=4 if quick else 8, duplicates="keep"),
            10**6,
            10_000,
            4,
            None,
        ),
    }
    why = "Cells, ids and the table are passes over all inputs, each by torch operations."
    for name, (build, most, layers, operations, goal) in rows.items():
        work(name, goal, why)(partial(network, name, build, most, layers, operations))


networks()

# ------------------------------------------------------------------------------------------------------------ attention


def keops(call: Callable[[], Any], peer: bool = True) -> Arm | Absent:
    """An arm of KeOps, where it is installed."""
    if find_spec("pykeops") is None:
        return Absent("pykeops is not installed: `pip install pykeops`; it compiles with g++")
    return Arm(call, peer=peer, compiles=True)


@cache
def flex() -> Callable[..., Any]:
    """FlexAttention, compiled: without that it holds all scores."""
    from torch.nn.attention.flex_attention import flex_attention

    return torch.compile(flex_attention)


def flexible(call: Callable[[], Any]) -> Arm | Absent:
    """An arm of FlexAttention, where torch has it."""
    if find_spec("torch.nn.attention.flex_attention") is None:
        return Absent(f"torch {torch.__version__} has no FlexAttention: `pip install 'torch>=2.6'`")
    return Arm(call, compiles=True)


def lazy(*tensors: Tensor) -> list[Any]:
    """Queries, then keys and values, as KeOps wants them."""
    from pykeops.torch import LazyTensor

    first, *others = tensors
    return [LazyTensor(first.contiguous()[:, None]), *(LazyTensor(t.contiguous()[None]) for t in others)]


def smoothing(kind: torch.dtype, quick: bool) -> Work:
    P, m, count = (4, 4, 50) if quick else (20, 4, 10_000)
    G = P**m
    # The R of the product bound, at eps = 0.1 on [-1, 1]^4.
    R, rng = liu2025.parameters_for(eps=0.1, lipschitz=1, half_width=1, dim=m)[1], np.random.default_rng(0)
    v = torch.as_tensor(liu2025.grid_centers(P, 1, m), dtype=kind)
    Z = torch.as_tensor(rng.uniform(-1, 1, (count, 2, 2)), dtype=kind)
    V = torch.as_tensor(rng.uniform(-1, 1, (G, 2, 2)), dtype=kind)
    points, values = Z.mT.reshape(count, m), V.reshape(G, -1)

    def chunked() -> Tensor:
        step = 2**24 // G
        parts = [torch.softmax(-R / 2 * torch.cdist(z, v) ** 2, dim=1) @ values for z in points.split(step)]
        return torch.cat(parts).reshape(Z.shape)

    def attention() -> Tensor:
        # Operands as its fused form wants them: all of one width.
        keys = torch.cat([v, -(v**2).sum(dim=1, keepdim=True) / 2], dim=1)
        q, k, w = R * pad(points, (0, 1), value=1.0), keys, pad(values, (0, 1))
        return scaled_dot_product_attention(*(t[None, None] for t in (q, k, w)), scale=1)[0, 0, :, :m].reshape(Z.shape)

    def by_keops() -> Tensor:
        z, c, w = lazy(points, v, values)
        return (-R / 2 * ((z - c) ** 2).sum(dim=2)).sumsoftmaxweight(w, dim=1).reshape(Z.shape)

    return Work(
        f"{count:,} points, {G:,} centres in {m} dimensions, {name_of(kind)}",
        {
            "ours": Arm(lambda: liu2025.smoother(Z, v, V, R)),
            "scaled_dot_product_attention": Arm(attention),
            "chunks of torch": Arm(chunked),
            "pykeops": keops(by_keops),
            "ours, told that centres are a grid": Arm(lambda: grid_smoother(Z, P, 1, V, R), peer=False),
        },
        Floor(
            "a weight is a product of m + 1 entries, one exponential, and a row of m + 1 sums",
            operations=count * G * 4 * (m + 1),
            moved=kind.itemsize * (2 * count * m + 2 * G * m),
            exponentials=count * G,
            dtype=kind,
        ),
        count=count,
        # Scores R (v . z - |v|^2/2) are some hundred, and round to that many ulps.
        tolerance=1e-10 if kind == torch.float64 else 2e-3,
    )


def name_of(kind: torch.dtype) -> str:
    return str(kind).removeprefix("torch.")


@dataclass(frozen=True)
class Operands:
    """One head without skip, and X of shape (d, n) in columns; the peers make the same queries, keys and values."""

    model: Callable[[Tensor], Tensor]
    X: Tensor
    W: Sequence[Tensor] = field(repr=False)

    @classmethod
    def of(cls, kind: torch.dtype, n: int, mask: Pattern | None = None, kernel: Kernel = DOT, d: int = 64) -> Operands:
        rng = np.random.default_rng(0)
        W = [rng.normal(size=(d, d)) / math.sqrt(d) / 2 for _ in range(4)]
        layer = Attention([Head(*W)], mask=mask, skip=False, kernel=kernel)
        model = Transformer([layer]).lower(FLOAT32 if kind == torch.float32 else FLOAT64)
        return cls(
            model, torch.as_tensor(rng.normal(size=(d, n)), dtype=kind), [torch.as_tensor(w, dtype=kind) for w in W]
        )

    def rows(self) -> list[Tensor]:
        """Q, K and V, tokens as rows."""
        return [(w @ self.X).T.contiguous() for w in self.W[:3]]

    def written(self, heard: Tensor) -> Tensor:
        """W_O times what is heard; tokens stay rows, of which an arm may make the first alone."""
        return heard @ self.W[3].T


def batched(*parts: Tensor) -> list[Tensor]:
    return [part[None, None] for part in parts]


def exp_attention(kind: torch.dtype, quick: bool) -> Work:
    n, d = 128 if quick else 4096, 64
    at = Operands.of(kind, n)

    def torchs(call: Callable[..., Tensor]) -> Callable[[], Tensor]:
        return lambda: at.written(call(*batched(*at.rows()), scale=1.0)[0, 0])

    def chunked() -> Tensor:
        Q, K, V = at.rows()
        return at.written(torch.cat([torch.softmax(q @ K.T, dim=1) @ V for q in Q.split(512)]))

    def by_keops() -> Tensor:
        q, k, v = lazy(*at.rows())
        return at.written((q * k).sum(dim=2).sumsoftmaxweight(v, dim=1))

    return Work(
        f"{n:,} tokens, d = {d}, {name_of(kind)}, with projections",
        {
            "ours": Arm(lambda: at.model(at.X).T),
            "scaled_dot_product_attention": Arm(torchs(scaled_dot_product_attention)),
            "FlexAttention": flexible(torchs(lambda *a, **o: flex()(*a, **o))),
            "chunks of torch": Arm(chunked),
            "pykeops": keops(by_keops),
        },
        attention_floor(n, n, d, kind),
        tolerance=tolerance_of(kind),
    )


def tolerance_of(kind: torch.dtype) -> float:
    return 1e-11 if kind == torch.float64 else 1e-4


def attention_floor(n: int, heard: int, d: int, kind: torch.dtype) -> Floor:
    return Floor(
        "four projections of 2d^2 operations a token; for each pair 2d of the score, 2d of the sum, one exponential; "
        "X is read and as much written",
        operations=n * (8 * d * d + heard * 4 * d),
        moved=2 * kind.itemsize * n * d,
        exponentials=n * heard,
        dtype=kind,
    )


@work("RBF attention")
def rbf_attention(quick: bool) -> Work:
    n, d, kind, gamma = 128 if quick else 4096, 64, torch.float32, 0.5
    at = Operands.of(kind, n, kernel=RBF(Fraction(1, 2)))

    def scores(Q: Tensor, K: Tensor) -> tuple[Tensor, Tensor]:
        # exp(-gamma |q|^2) cancels: 2 gamma q . k - gamma |k|^2, of one row more.
        return pad(2 * gamma * Q, (0, 1), value=-gamma), torch.cat([K, (K**2).sum(dim=1, keepdim=True)], dim=1)

    def attention() -> Tensor:
        Q, K, V = at.rows()
        heard = scaled_dot_product_attention(*batched(*scores(Q, K), pad(V, (0, 1))), scale=1.0)
        return at.written(heard[0, 0, :, :d])

    def chunked() -> Tensor:
        Q, K, V = at.rows()
        return at.written(torch.cat([torch.softmax(-gamma * torch.cdist(q, K) ** 2, dim=1) @ V for q in Q.split(512)]))

    def by_flex() -> Tensor:
        Q, K, V = at.rows()
        squares = (K**2).sum(dim=1)
        heard = flex()(*batched(Q, K, V), score_mod=lambda s, b, h, i, j: 2 * gamma * s - gamma * squares[j], scale=1.0)
        return at.written(heard[0, 0])

    def by_keops() -> Tensor:
        q, k, v = lazy(*at.rows())
        return at.written((-gamma * ((q - k) ** 2).sum(dim=2)).sumsoftmaxweight(v, dim=1))

    return Work(
        f"{n:,} tokens, d = {d}, {name_of(kind)}, with projections",
        {
            "ours": Arm(lambda: at.model(at.X).T),
            "scaled_dot_product_attention of one row more": Arm(attention),
            "FlexAttention": flexible(by_flex),
            "chunks of torch": Arm(chunked),
            "pykeops": keops(by_keops),
        },
        attention_floor(n, n, d, kind),
        tolerance=tolerance_of(kind),
    )


for _kind in (torch.float64, torch.float32):
    work(
        f"Smoother, {name_of(_kind)}",
        NOT_SLOWER,
        "It is torch's attention, with the checks of its input on top: in float64 for float32, too, whose scores are "
        "rounded by R |v| |z|/2^24. So are the weights of the peers that stay in it: how far off stands below.",
    )(partial(smoothing, _kind))
for _kind in (torch.float64, torch.float32):
    work(
        f"Exp attention, {name_of(_kind)}",
        NOT_SLOWER,
        "The layer goes through scaled_dot_product_attention. It adds passes over X and the output, which are copied "
        "and looked at for infinities, and takes columns to rows and back.",
    )(partial(exp_attention, _kind))
work(
    "Smoother, memory",
    Goal("at most", 500),
    "Blocks of weights are held.",
    unit="MiB",
)(partial(smoothing, torch.float64))

REACH = 31
"""A window has 2 * 31 + 1 keys."""


def windows(quick: bool) -> Work:
    n, d, kind, block = 256 if quick else 2**15, 64, torch.float32, 128
    at = Operands.of(kind, n, Pattern([range(max(0, j - REACH), min(n, j + REACH + 1)) for j in range(n)]))
    places = torch.arange(n)

    def chunked() -> Tensor:
        # A part of the queries, with all keys: the whole takes a minute.
        (Q, K, V), parts = at.rows(), []
        for here in places[: n // 16].split(512):
            scores = Q[here] @ K.T
            scores[(places - here[:, None]).abs() > REACH] = -math.inf
            parts.append(torch.softmax(scores, dim=1) @ V)
        return at.written(torch.cat(parts))

    # Blocks of queries, each with the keys that one of them hears.
    asked = places.reshape(-1, block)
    keys = asked[:, :1] - REACH + torch.arange(block + 2 * REACH)
    seen = ((keys[:, None] - asked[..., None]).abs() <= REACH) & (keys >= 0)[:, None] & (keys < n)[:, None]
    keys = keys.clamp(0, n - 1)

    def blocks() -> Tensor:
        Q, K, V = at.rows()
        heard = scaled_dot_product_attention(Q[asked], K[keys], V[keys], attn_mask=seen, scale=1.0)
        return at.written(heard.reshape(n, d))

    @cache
    def mask() -> Any:
        from torch.nn.attention.flex_attention import create_block_mask

        return create_block_mask(lambda b, h, i, j: (i - j).abs() <= REACH, 1, 1, n, n, device="cpu", _compile=True)

    def by_flex() -> Tensor:
        return at.written(flex()(*batched(*at.rows()), block_mask=mask(), scale=1.0)[0, 0])

    return Work(
        f"{n:,} tokens that hear {2 * REACH + 1}, d = {d}, {name_of(kind)}, with projections",
        {
            "ours": Arm(lambda: at.model(at.X).T),
            "scaled_dot_product_attention of blocks": Arm(blocks),
            "FlexAttention": flexible(by_flex),
            "chunks of torch, all scores": Arm(chunked, 1 / 16),
        },
        attention_floor(n, 2 * REACH + 1, d, kind),
        tolerance=tolerance_of(kind),
    )


work("Windows", rounds=5)(windows)
work("Windows, memory", Goal("at most", 500), "Keys and values of all blocks of queries are gathered.", unit="MiB")(
    windows
)

# ----------------------------------------------------------------------------------------------------- exact and balls


def matrices(quick: bool) -> tuple[int, list[list[list[Fraction]]]]:
    k, rng = 8 if quick else 64, np.random.default_rng(0)
    pair = [[[Fraction(int(p), 2**20) for p in row] for row in rng.integers(-(2**24), 2**24, (k, k))] for _ in range(2)]
    return k, pair


@work("Matrices in BALL")
def balls(quick: bool) -> Work:
    k, pair = matrices(quick)
    with BALL.context():
        thirds = [[[flint.arb(flint.fmpq(e.numerator, 3 * e.denominator)) for e in row] for row in A] for A in pair]
        A, B = (np.array(rows, dtype=object) for rows in thirds)
        M, L = (flint.arb_mat(rows) for rows in thirds)

    def within(call: Callable[[], Any]) -> Callable[[], Any]:
        def run() -> Any:
            with BALL.context():
                return call()

        return run

    return Work(
        f"{k} x {k}, thirds, {BALL.bits} bits",
        {
            "ours": Arm(within(lambda: BALL.matmul(A, B))),
            "arb_mat of python-flint": Arm(within(lambda: np.array((M * L).tolist(), dtype=object))),
        },
        limbs(k, BALL.bits),
    )


@work("Matrices in EXACT")
def fractions(quick: bool) -> Work:
    k, pair = matrices(quick)
    rows = [[[flint.fmpq(e.numerator, e.denominator) for e in row] for row in A] for A in pair]
    A, B = (np.array(each, dtype=object) for each in rows)
    M, L = (flint.fmpq_mat(each) for each in rows)
    return Work(
        f"{k} x {k}, rationals over 2^20",
        {
            "ours": Arm(lambda: EXACT.matmul(A, B)),
            "fmpq_mat of python-flint": Arm(lambda: np.array((M * L).tolist(), dtype=object)),
        },
        limbs(k, 64),
    )


def limbs(k: int, bits: int) -> Floor:
    products = (bits // 64) ** 2
    return Floor(
        f"k^3 products of {bits // 64} words each way, an operation each, at the rate of float64",
        operations=k**3 * products,
        moved=3 * k * k * bits / 8,
    )


# -------------------------------------------------------------------------------------------------------------- sweeps


@cache
def pool(kind: str) -> Executor | None:
    """Two workers, which are there before anything is timed."""
    if kind == "one after the other":
        return None
    made = ThreadPoolExecutor(2) if kind == "threads" else ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    list(made.map(operator.neg, range(100)))
    return made


def sweeping(kind: str, most: int, quick: bool) -> Work:
    count, executor = 1000 if quick else most, pool(kind)

    def plain() -> int:
        return sum(map(operator.neg, range(count)))

    arms = {"ours": Arm(lambda: sum(sweep(operator.neg, range(count), executor=executor)))}
    if executor:
        arms["map of the executor, 256 at a time"] = Arm(
            lambda: sum(executor.map(operator.neg, range(count), chunksize=256))
        )
    return Work(
        f"{count:,} settings of a function that does nothing, {kind}",
        arms | ({} if executor else {"map": Arm(plain)}),
        plain,
        count=count,
    )


@work(
    "Sweep, kept on disk",
    Goal("rate", 1000, "settings"),
    "A file each, with a digest of the function, of its helpers and of the setting.",
    rounds=3,
)
def kept(quick: bool) -> Work:
    count = 100 if quick else 10_000

    def ours() -> int:
        with tempfile.TemporaryDirectory() as folder:
            return sum(sweep(operator.neg, range(count), cache=folder))

    def files() -> int:
        total = 0
        with tempfile.TemporaryDirectory() as folder:
            for setting in range(count):
                result = operator.neg(setting)
                Path(folder, f"{setting}.pkl").write_bytes(pickle.dumps(result))
                total += result
        return total

    size = f"{count:,} settings of a function that does nothing, folder made and removed"
    return Work(size, {"ours": Arm(ours), "a file of pickle each": Arm(files)}, files, count=count)


KINDS = ("one after the other", "threads", "processes")
for _name in KINDS:
    work(
        f"Sweep, {_name}",
        Goal("rate", 1000, "settings"),
        "Each setting is drawn, handed over in a task, and put in its place by Python.",
        rounds=3,
    )(partial(sweeping, _name, 10**5))
for _name in KINDS:
    work(
        f"Sweep, {_name}, memory",
        Goal("at most", 1e8 / 2**20),
        "Results wait for one before them, at most 10,000.",
        unit="MiB",
    )(partial(sweeping, _name, 10**6))

# ------------------------------------------------------------------------------------------------- starting, and others


def program(*words: str) -> Callable[[], int]:
    """Run Python with these arguments, say nothing, and return its exit status."""
    command, environment = [sys.executable, *words], {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return lambda: subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True).returncode


def starting(words: Sequence[str], bare: str, quick: bool) -> Work:
    return Work(f"`python {' '.join(words)}`, the whole process", {"ours": Arm(program(*words))}, program("-c", bare))


_LAZY = "What is imported before it is asked for."
work("Help of the command", Goal("at most", 0.5), _LAZY)(partial(starting, ["-m", "uatlib", "--help"], "pass"))
work("Import of uatlib", Goal("at most", 0.3), _LAZY)(partial(starting, ["-c", "import uatlib"], "pass"))
work("Import of a source", Goal("above floor", 0.3), _LAZY)(
    partial(starting, ["-c", "import uatlib.yun2020"], "import numpy, torch")
)


@work("Connectivity depth", Goal("at most", 2), "Who is heard spreads layer by layer.", rounds=3)
def depth(quick: bool) -> Work:
    n, window = (256, 16) if quick else (4096, 64)
    rows = [cheng2025.pattern("sliding_window", n, window=window)] * n
    return Work(
        f"{n:,} tokens, a window of {window} each way",
        {"ours": Arm(lambda: cheng2025.connectivity_depth(rows))},
        Floor("a layer hears what the one before heard: n bits a token", moved=n * n / 8 * (n / window)),
        expected=math.ceil((n - 1) / window),
    )


@work("Automorphisms", Goal("at most", 1), "The search for the group is igraph's; each element is checked.", rounds=3)
def automorphisms(quick: bool) -> Work:
    n, window = (16, 3) if quick else (64, 20)
    pattern = cheng2025.pattern("circulant", n, window=window)
    return Work(
        f"circulant pattern of {n} tokens that hear {window} each way",
        {"ours": Arm(lambda: len(cheng2025.automorphism_group(pattern)))},
        expected=2 * n,
    )


def slow(seconds: float, X: Tensor, theta: Tensor) -> Tensor:
    """It takes its time, and no vmap and no gradient goes through."""
    time.sleep(seconds)
    return torch.as_tensor(GALLERY["softmax"].make(3, 2)[0](X, theta).detach().numpy().copy())


def asked(name: str, n: int, d: int, layers: int, verdict: str, quick: bool) -> Work:
    if name in ("softmax", "slow"):
        mixer = partial(slow, 0 if quick else 0.01) if name == "slow" else GALLERY["softmax"].make(n, d)[0]
        found = lambda: cheng2025.check_mixer(mixer, parameters=12, n=n, d=d, group="symmetric").verdict  # noqa: E731
    else:
        n, d = (4, 2) if quick else (n, d)
        patterns = [cheng2025.pattern("full", n)] * layers
        found = lambda: cheng2025.distinguishes(cheng2025.kernel(name), patterns, d=d).verdict  # noqa: E731
    return Work(f"{n} tokens, d = {d}, layers: {layers}", {"ours": Arm(found)}, expected=verdict)


for _name, *_rest in (
    ("softmax", 3, 2, 1, "yes"),
    ("constant", 4, 2, 3, "no"),
    ("exp", 16, 8, 1, "yes"),
    ("cosh", 16, 8, 2, "no"),
    ("exp", 64, 16, 1, "yes"),
    ("slow", 3, 2, 1, "yes"),
):
    _label = f"Check of a mixer: {_name}, {_rest[0]} tokens" + (", 10 ms a call" if _name == "slow" else "")
    work(_label, Goal("at most", 60), "It is asked at many pairs, one after the other.", rounds=1)(
        partial(asked, _name, *_rest)
    )
