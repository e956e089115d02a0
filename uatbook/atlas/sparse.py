"""Attention to some tokens alone: by place, or by content. Scores are those of softmax, divided by sqrt(d)."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch.nn.functional import softmax as normalized

from uatlib.cheng2025.automorphisms import automorphism_generators, local_fooling_pairs
from uatlib.cheng2025.connectivity import connectivity_depth
from uatlib.cheng2025.named_patterns import pattern
from uatlib.groups import Permutation

from .attention import RAY, one_layer, scores, unit
from .registry import Claim, added, blocks, mixer

PATTERNS: dict[str, dict[str, Any]] = {
    "sliding_window": {"window": 1},
    "circulant": {"window": 1},
    "star": {},
    "bigbird": {"window": 1, "global_tokens": 1, "random": 1, "seed": 0},
    "longformer": {"window": 1, "global_tokens": 1},
}
HEARD = "So few layers do not reach from every token to every other: change one that is not heard."
AROUND = "Tokens that arrive with the last layer come without their neighbours: exchange two of these."
PRINTED = "Corollary 2 as printed: the pattern connects all tokens within these layers."


@cache
def rows(name: str, n: int) -> tuple[tuple[int, ...], ...]:
    """Whom each token hears."""
    return tuple(tuple(sorted(row)) for row in pattern(name, n, **PATTERNS[name]))


def mask(name: str, n: int) -> torch.Tensor:
    """[j, i]: whether token i hears token j."""
    return torch.tensor([[j in row for row in rows(name, n)] for j in range(n)])


@cache
def depth(name: str, n: int) -> int:
    """So many layers reach all tokens."""
    return connectivity_depth([rows(name, n)] * 16) or 10**6


@cache
def alike(name: str, n: int, layers: int) -> bool:
    """Whether some permutation outside the group is not heard by a token, so many layers deep."""
    return bool(local_fooling_pairs([rows(name, n)] * layers))


def sparse(name: str) -> tuple[Claim, ...]:
    """What is known of softmax within a pattern."""
    return (
        Claim("no", HEARD, lambda n, d, layers: layers < depth(name, n)),
        Claim("no", AROUND, lambda n, d, layers: layers >= depth(name, n) and alike(name, n, layers)),
        Claim("yes", PRINTED, lambda n, d, layers: layers >= depth(name, n), "cheng2025"),
    )


def window_group(n: int, d: int) -> list[Permutation]:
    """Automorphisms of the path."""
    return automorphism_generators(rows("sliding_window", n)).generators


def star_group(n: int, d: int) -> list[Permutation]:
    """Automorphisms of the star with its ring."""
    return automorphism_generators(rows("star", n)).generators


def bigbird_group(n: int, d: int) -> list[Permutation]:
    """Automorphisms of BigBird's pattern."""
    return automorphism_generators(rows("bigbird", n)).generators


def longformer_group(n: int, d: int) -> list[Permutation]:
    """Those of Longformer's that keep the global token."""
    own = [{j for j in row if j or i == 0} for i, row in enumerate(rows("longformer", n))]
    return automorphism_generators(own).generators


def within(name: str, X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Softmax over the tokens of a pattern."""
    S = scores(X, W_Q, W_K).where(mask(name, X.shape[1]), -torch.inf)
    return W_V @ X @ normalized(S, dim=0)


@mixer("sliding window", "beltagy2020", "dt dt dt", window_group, *sparse("sliding_window"))
def sliding_window(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Softmax over |j - i| <= 1."""
    return within("sliding_window", X, W_Q, W_K, W_V)


@cache
def alike_beside_a_global_token(n: int, layers: int) -> bool:
    """Whether some permutation outside the group is not heard; of several layers one that keeps the global token."""
    pairs = local_fooling_pairs([rows("longformer", n)] * layers, longformer_group(n, 1)) or []
    return any(i > 0 and s[i] > 0 and (layers == 1 or s[0] == 0) for s, i in pairs)


def global_token(n: int, d: int, layers: int) -> bool:
    """Where all hear all, or the first token and its neighbours."""
    return layers >= depth("longformer", n) and alike_beside_a_global_token(n, layers)


@mixer(
    "Longformer",
    "beltagy2020",
    "dt dt dt dt dt dt",
    longformer_group,
    Claim("no", HEARD, lambda n, d, layers: layers < depth("longformer", n)),
    Claim("no", AROUND, global_token),
)
def longformer(
    X: torch.Tensor,
    W_Q: torch.Tensor,
    W_K: torch.Tensor,
    W_V: torch.Tensor,
    G_Q: torch.Tensor,
    G_K: torch.Tensor,
    G_V: torch.Tensor,
) -> torch.Tensor:
    """A window |j - i| <= 1 and one global token, the first: it hears all, with weights of its own, and all hear it."""
    S = scores(X, W_Q, W_K).where(mask("longformer", X.shape[1]), -torch.inf)
    local, everywhere = W_V @ X @ normalized(S, dim=0), G_V @ X @ normalized(scores(X, G_Q, G_K), dim=0)
    return torch.cat([everywhere[:, :1], local[:, 1:]], dim=1)


@mixer("BigBird", "zaheer2020", "dt dt dt", bigbird_group, *sparse("bigbird"))
def bigbird(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Softmax over a window |j - i| <= 1, one global token, which hears all and is heard, and one drawn for each token.

    The draw is that of `pattern("bigbird", ...)` with seed 0. Single tokens, not blocks.
    """
    return within("bigbird", X, W_Q, W_K, W_V)


@mixer(
    "Sparse Transformer",
    "child2019",
    "2dt 2dt 2dt 2dd",
    "trivial",
    Claim("no", "One layer does not hear the token three before: change it.", one_layer(4), last=True),
    causal=True,
)
def sparse_transformer(
    X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W_O: torch.Tensor
) -> torch.Tensor:
    """Two heads: one hears i - 2, i - 1 and i, the other i - 2, i - 4, ... and i, causal (strided pattern)."""
    places = torch.arange(X.shape[1])
    back = places - places[:, None]
    masks = ((back >= 0) & (back <= 2), (back >= 0) & (back % 2 == 0))
    return added(
        W_O[h] @ W_V[h] @ X @ normalized(scores(X, W_Q[h], W_K[h]).where(seen, -torch.inf), dim=0)
        for h, seen in enumerate(masks)
    )


@mixer("Star-Transformer ring", "guo2019", "dt dt dt", star_group, *sparse("star"))
def star(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor) -> torch.Tensor:
    """Softmax in a star: token 0, the relay, hears all; the others hear it, themselves and both neighbours in a ring.

    The pattern alone, one set of weights, all tokens at once: the paper updates the relay after the others, which also
    hear their own embedding again.
    """
    return within("star", X, W_Q, W_K, W_V)


def window_blocks(n: int, d: int) -> list[Permutation]:
    """Windows of two change places with their tokens in order; a shorter last one stays."""
    pairs = [block for block in blocks(n, 2) if len(block) == 2]
    rest = [block for block in blocks(n, 2) if len(block) < 2]
    orders = [[*pairs[1::-1], *pairs[2:]], [*pairs[1:], *pairs[:1]]]
    return [tuple(i for block in [*order, *rest] for i in block) for order in orders]


@mixer(
    "Swin window",
    "liu2021",
    "dt dt dt 3",
    window_blocks,
    Claim("no", "No token hears beyond its window, at any depth: change one there.", lambda n, d, layers: n > 2),
)
def swin(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    """softmax_j(<k_j, q_i>/sqrt(d) + B_(j-i)) within windows of M = 2 tokens in a row; the last may have one.

    The windows are not shifted from layer to layer, which is a second mixer.
    """
    places = torch.arange(X.shape[1])
    S = scores(X, W_Q, W_K) + B[(places[:, None] - places).clamp(-1, 1) + 1]
    return W_V @ X @ normalized(S.where(places[:, None] // 2 == places // 2, -torch.inf), dim=0)


@mixer("Reformer", "kitaev2020", "dt dt d2", "symmetric", RAY, analytic=False)
def reformer(X: torch.Tensor, W: torch.Tensor, W_V: torch.Tensor, R: torch.Tensor) -> torch.Tensor:
    """Softmax within buckets argmax(x R, -x R) of the queries, which are the keys, too, at length 1; not to oneself.

    A token that is alone in its bucket hears itself. Four buckets, one round, not causal; R, which the paper draws at
    random, is a parameter. Scores are divided by sqrt(d).
    """
    Q, n = W @ X, X.shape[1]
    sides = R.mT @ Q
    bucket = torch.cat([sides, -sides]).argmax(dim=0)
    together, own = bucket[:, None] == bucket, torch.eye(n, dtype=torch.bool)
    S = unit(Q).mT @ Q / len(Q) ** 0.5
    S = S.where(together, -torch.inf).where(~own, -1e5)
    return W_V @ X @ normalized(S, dim=0)


@mixer("Routing Transformer", "roy2021", "dt dt dt 2d", "symmetric", RAY, analytic=False)
def routing(X: torch.Tensor, W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, mu: torch.Tensor) -> torch.Tensor:
    """Softmax over tokens whose keys are nearest to the same of two centroids as the query; or oneself.

    Queries and keys are normalized first, to the length sqrt(d) of layer normalization, but not centred, which would
    leave nothing of one entry. Centroids are parameters. Not causal; clusters are not cut to one size.
    """
    Q, K = (unit(W @ X) for W in (W_Q, W_K))
    asked, found = (mu @ Z for Z in (Q, K))
    together = found.argmax(dim=0)[:, None] == asked.argmax(dim=0)
    own = torch.eye(X.shape[1], dtype=torch.bool)
    return W_V @ X @ normalized((len(Q) ** 0.5 * K.mT @ Q).where(together | own, -torch.inf), dim=0)
