"""Liu et al. (2025): a domain in N_x balls costs N_x centres; Theorem 5.1."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from uatlib.arithmetic import FLOAT64
from uatlib.certificate import Certificate, Check
from uatlib.checks import choice, finite, positive, refused, whole
from uatlib.liu2025.bounds import parameters_for
from uatlib.liu2025.self_attention_layers import self_attention
from uatlib.liu2025.smoothing import smoother
from uatlib.model import Transformer

from ..damages import Damage, changed, in_a_layer, in_part
from ..registry import register
from .covers import cover, cover_error

DOMAINS = ("curve", "cloud", "box")
MAX_ENTRIES, MAX_BALLS = 6, 150
SAMPLES, RUNS, STEPS = 2000, 60, 12
UNIT = 2.0**-53


class Covered(NamedTuple):
    """A cloud (k, dn) in N balls, R for them, and the network for the cones around `anchors`, see `cones`."""

    cloud: np.ndarray
    centers: np.ndarray
    anchors: np.ndarray
    precision: float
    eps: float
    lipschitz: float
    sup: float | None
    shape: tuple[int, int]
    domain: str
    model: Transformer | None = None

    def cones(self, Z: np.ndarray) -> np.ndarray:
        """f_k(Z) = min(L |Z - a_k|, 2 c) - c at rows Z, for each of the dn entries of f, of shape (k, d, n).

        The anchors a_k are the places in the balls where functions can be missed most; c is just below B_0, or there
        is none, where `sup` is None and R the one that needs no bound of f.
        """
        heights = self.lipschitz * _distances(Z, self.anchors)
        if self.sup is not None:
            c = self.sup * (1 - 2.0**-20)
            heights = np.minimum(heights, 2 * c) - c
        return sequences_of(heights, self.shape)

    def network(self, shift: int = 0) -> Covered:
        """With the network of the cones, or that whose balls have the values of others."""
        values, (d, n) = np.roll(self.cones(self.centers), shift, axis=0), self.shape
        B = (1 + 2.0**-20) * np.abs(values).max() if self.sup is None else self.sup
        return self._replace(model=self_attention(values, self.centers, n, d, self.precision, B))


def sequences_of(points: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Rows (k, dn), tokens stacked, to (k, d, n)."""
    d, n = shape
    return np.swapaxes(points.reshape(-1, n, d), -1, -2)


def points_of(domain: str, m: int) -> np.ndarray:
    """Of [-1, 1]^m: m readings of an oscillation, at all times; 30 points at random; a box of two entries or one."""
    if domain == "curve":
        return np.sin(np.linspace(0, 2 * np.pi, 500)[:, None] + np.arange(m))
    if domain == "cloud":
        return np.random.default_rng(m).uniform(-1, 1, (30, m))
    wide = min(m, 2)
    axes = np.meshgrid(*[np.linspace(-1, 1, 60)] * wide, *[np.zeros(1)] * (m - wide))
    return np.stack([axis.ravel() for axis in axes], axis=1)


def _distances(Z: np.ndarray, v: np.ndarray) -> np.ndarray:
    """|Z_k - v_j|, shape (k, N)."""
    squares = sum((Z[:, None, i] - v[None, :, i]) ** 2 for i in range(Z.shape[1]))
    return np.asarray(np.sqrt(squares))


def _weighed(Z: np.ndarray, v: np.ndarray, R: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances from the centres and the weights of the smoother, both (k, N)."""
    t = _distances(Z, v)
    powers = np.exp(-R / 2 * (t**2 - t.min(axis=1, keepdims=True) ** 2))
    return t, powers / powers.sum(axis=1, keepdims=True)


def in_balls(v: np.ndarray, r: float) -> np.ndarray:
    """Points of the balls at random, every second on a sphere."""
    rng, m = np.random.default_rng(1), v.shape[1]
    steps = rng.normal(size=(SAMPLES, m))
    steps *= r / np.linalg.norm(steps, axis=1, keepdims=True)
    steps[::2] *= rng.uniform(size=(len(steps[::2]), 1)) ** (1 / m)
    return v[rng.integers(len(v), size=SAMPLES)] + steps


def worst_miss(v: np.ndarray, r: float, R: float) -> tuple[float, np.ndarray, int]:
    """max sum_j w_j(Z) |Z - v_j| over the balls of radius r, where it is about that, and the points looked at.

    That is how far the smoother of any f with L = 1 can be from f(Z): f = |. - Z| attains it. In dimension one and two
    an upper bound, from lattices: for Z in a ball and z at most rho from it, the values differ by at most
    rho (1 + R (r + rho)^2 + 2 ln N), as the gradient of w_j is R w_j (v_j - mean), and the weighted mean of |z - v_j|^2
    is at most (r + rho)^2 + (2/R) ln N. Beyond, sampled.
    """
    N, m = v.shape
    if m > 2:
        Z, more = in_balls(v, r), 0.0
    else:
        rho = r * math.sqrt(m) / (2 * STEPS)
        lattice = np.array(list(itertools.product(np.arange(-STEPS - 1, STEPS + 2) * (r / STEPS), repeat=m)))
        near = lattice[(lattice**2).sum(axis=1) <= (r + rho) ** 2 * (1 + UNIT * 8)]
        Z, more = (v[:, None] + near).reshape(-1, m), rho * (1 + R * (r + rho) ** 2 + 2 * math.log(N))
    missed = np.concatenate([(t * w).sum(axis=1) for t, w in (_weighed(part, v, R) for part in np.array_split(Z, 20))])
    worst = int(missed.argmax())
    # Scores beyond 745 below the largest do not count; the others are rounded by less than 2^10 m units.
    return float(missed[worst] * (1 + 2.0**12 * m * UNIT) + more), Z[worst], len(Z)


def told_apart(model: Transformer, other: Transformer) -> dict[str, int]:
    """What differs in two networks of one size: numbers of Linear, entries of W_K and of the last layer.

    A number of Linear stands in 2d equal columns, and counts once; `other` has no two that are equal otherwise.
    """
    ours, theirs = ([layer.weights() for layer in network.layers] for network in (model, other))
    found = {"Linear": 0, "W_K": 0, "W_O": 0}
    for name, a, b in zip(found, ours, theirs, strict=True):
        for key in a:
            if (key.endswith("w_k") or name != "W_K") and np.any(a[key] != b[key]):
                moved = np.unique(b[key].astype(float), axis=1) if name == "Linear" else np.nonzero(a[key] != b[key])[0]
                found[name] += moved.size
    return found


def some_network(N: int, n: int, d: int, seed: int) -> Transformer:
    """That of some function on some balls."""
    rng = np.random.default_rng(seed)
    return self_attention(rng.uniform(-1, 1, (N, d, n)), rng.normal(size=(N, d * n)), n, d, 1.0, 2 + seed)


def _certify(built: Covered) -> Certificate:
    v, r, R, eps, L, sup = built.centers, built.eps / (3 * built.lipschitz), *built[3:7]
    (N, m), (d, n) = v.shape, built.shape
    gap = _distances(built.cloud, v).min(axis=1)
    missed, place, looked = worst_miss(v, r, R)
    Z = np.concatenate([built.anchors, in_balls(v, r)])
    t, w = _weighed(Z, v, R)
    spread, far = (w * t**2).sum(axis=1), np.where(t > 2 * r, w, 0).sum(axis=1)
    assert built.model is not None
    answers = built.model(sequences_of(Z[:RUNS], built.shape), FLOAT64).numpy()
    off = np.abs(answers - built.cones(Z[:RUNS])).max(axis=(-2, -1))
    counts = told_apart(built.model, some_network(N, n, d, 1))

    def at_worst(name: str, values: np.ndarray, bound: float, points: np.ndarray, how: Any = "sampled") -> Check:
        return Check.worst(name, values, "<=", bound, lambda k: {"Z": points[k]}, how)

    how: Any = "enclosed" if m <= 2 else "sampled"
    checks = [
        at_worst("points of the domain: distance from the nearest centre", gap, r, built.cloud, "exhaustive"),
        Check("these balls, worst f: error, at most", L * missed, "<=", eps, {"Z": place}, how, looked),
        Check("any N_x balls, worst f: error", L * cover_error(r, N, R), "<=", eps, {"r": r}),
        at_worst("proof: weighted mean of |Z - v_j|^2", spread, r**2 + 2 / R * math.log(N), Z),
        *([at_worst("proof: weight beyond 2 eps/(3L)", far, eps / (6 * sup), Z)] if sup is not None else []),
        at_worst("the network: error for cones around the worst places", off, eps, Z),
        Check("weights that differ with f and the balls", sum(counts.values()), "==", count_for(N, n, d), counts),
    ]
    sizes = {"domain": built.domain, "n": n, "d": d, "error": eps, "lipschitz": L, "sup": sup, "N_x": N}
    return Certificate(checks, parameters=sizes | {"R": float(f"{R:.4g}")})


# ------------------------------------------------------------------------------------------------------- as printed


def _printed(*, n: int = 2, d: int = 1, error: object = 0.25, lipschitz: object = 1) -> list[Check]:
    """Lines of section C.1 at places where they are not so."""
    n, d, eps, L = _parsed(n, d, error, lipschitz)
    r, m = eps / (3 * L), d * n
    # Two points 12 r apart, |f| = 2 eps there, delta = r. Any R above the printed one will do; small ones show most.
    v = np.zeros((2, m))
    v[:, 0] = -6 * r, 6 * r
    lower = 8 / (3 * r**2) * math.log(3 / 2 * (2.1 * eps) * 2 * eps)
    R = max(lower + 0.01 / r**2, 0.01 / r**2)
    Z = sequences_of(v, (d, n))
    off = abs(float(smoother(Z, v, L * Z, R)[1, 0, 0]) - 2 * eps)
    two_points = f"f = {2 * eps:g} at v_1, -{2 * eps:g} at v_0, B_0 = {2.1 * eps:g}, R = {R:.4g} > {lower:.4g}"
    in_line = f"v_{{j_m}} = Z, |v_j - Z|^2/2 = delta = {r:.4g}"
    N = max(2, -(-n // (2 * d)))
    counts = told_apart(some_network(N, n, d, 0), some_network(N, n, d, 1))
    diagonal = f"f = {L:g} |Z|_2, Z_1 = 0, all entries of Z_2 are eps/(3L)"
    name, said = f"the last sum, 4d n N_x + 2d N_x + n for N_x = {N}", 4 * m * N + 2 * d * N + n
    return [
        Check("(C.12): error at the printed R", off, "<=", eps, two_points),
        Check("(C.9): |f(v_j) - f(v_{j_m})| for j in J_0", L * math.sqrt(2 * r), "<=", eps / 3, in_line),
        Check("before (C.9): |f(Z_1) - f(Z_2)|", L * r * math.sqrt(m), "<=", eps / 3, diagonal),
        Check(name, said, "==", sum(counts.values()), counts),
    ]


# ------------------------------------------------------------------------------------------------------- as it holds


def count_for(N: int, n: int, d: int) -> int:
    """3dnN + 2dN + n: the centres in Linear, ln T and ln E and -|v_j|^2/2 in W_K, d B_0 in W_O. R is not among them."""
    return 3 * d * n * N + 2 * d * N + n


def _parsed(n: Any, d: Any, error: Any, lipschitz: Any) -> tuple[int, int, float, float]:
    n, d = whole("n", n, 1, MAX_ENTRIES), whole("d", d, 1, MAX_ENTRIES)
    return n, d, *(finite(name, positive(name, u)) for name, u in (("error", error), ("lipschitz", lipschitz)))


def _one_ball_less(built: Covered, rng: np.random.Generator) -> Covered | None:
    v, (d, n) = built.centers, built.shape
    rest = np.delete(v, rng.integers(len(v)), axis=0)
    return built._replace(centers=rest).network() if len(rest) >= max(1, -(-n // (2 * d))) else None


def _of_keys(damage: Any) -> Damage:
    """A change of W_K."""

    def change(w_k: np.ndarray) -> np.ndarray:
        changed_ = w_k.copy()
        damage(changed_)
        return changed_

    return in_part("model", in_a_layer(changed("w_k", change)))


def _without_norms(w_k: np.ndarray) -> None:
    w_k[1] = 0


def _exchanged(w_k: np.ndarray) -> None:
    w_k[2:, 1:] = np.roll(w_k[2:, 1:], w_k.shape[1] // 2, axis=1)


@register(
    "liu2025:thm-5-1",
    "on N_x balls of radius eps/(3L) one head is within eps of an L-Lipschitz function",
    source="Theorem 5.1, section C.1",
    chapter="liu-small-domains",
    construction=self_attention,
    certify=_certify,
    cases=[
        {"sup": None},
        {"domain": "cloud", "n": 2, "d": 2},
        {"domain": "box", "n": 1, "sup": None, "error": 0.3, "lipschitz": 2},
        {"domain": "box", "n": 1, "d": 3, "error": 1},
    ],
    damages={
        "one ball less": _one_ball_less,
        "R two hundred times too small": lambda built, rng: built._replace(precision=built.precision / 200).network(),
        "values of other balls": lambda built, rng: built.network(shift=1) if len(built.centers) > 1 else None,
        "no -|v_j|^2/2 in W_K": _of_keys(_without_norms),
        "ln T and ln E exchanged": _of_keys(_exchanged),
    },
    printed=_printed,
    concerns="proof",
    erratum="""The theorem holds, and so does the order of its count. In (C.12) the logarithm is that of 6 B_0 N_x/eps,
    not of (3/2) B_0 N_x eps, which gets smaller with eps; the line below has 2/3 in place of 3/2. With delta = 2
    eps/(3L) this gives R = (6 L^2/eps^2) ln(6 B_0 N_x/eps). J_0 and J_1 must be split by the distance of v_j from Z, at
    2 eps/(3L): a gap of the affine functions up to delta allows |v_j - v_{j_m}|^2 = 2 delta. Before (C.9) the norm of
    the input is the Euclidean one, as in the theorem. The sum of the parameters is 3d n N_x + 2d N_x + n, and W_K as
    repeated there has R a second time. N_x = P^{dn} is left over from Theorem 4.1: any number of balls will do. B_0 is
    above sup |f|, and columns of Linear are numbered j d + s + 1, as in Theorem 4.1.""",
)
def small_domain(
    *, domain: Any = "curve", n: int = 2, d: int = 1, error: Any = 0.25, lipschitz: Any = 1, sup: Any = 2.0
) -> Covered:
    """A domain in balls around its own points, R by one of the two rules, and the network for the worst functions."""
    choice("domain", domain, DOMAINS)
    n, d, eps, L = _parsed(n, d, error, lipschitz)
    if n * d > MAX_ENTRIES:
        raise refused("n", f"d n <= {MAX_ENTRIES}", n)
    height = None if sup is None else finite("sup", positive("sup", sup))
    cloud, r, least = points_of(domain, d * n), eps / (3 * L), -(-n // (2 * d))
    v = cover(sequences_of(cloud, (d, n)), r)
    if not least <= len(v) <= MAX_BALLS:
        raise refused("error", f"one at which {least} to {MAX_BALLS} balls cover the domain", error)
    R = parameters_for(eps=eps, lipschitz=L, bound="cover", balls=len(v), sup=height).R
    if not R > 0:
        raise refused("sup", f"B_0 above eps/(6 N_x), here {eps / (6 * len(v)):.3g}", sup)
    Z = in_balls(v, r)
    t, w = _weighed(Z, v, R)
    anchors = Z[np.argsort(-(t * w).sum(axis=1))[: d * n]]
    return Covered(cloud, v, anchors, R, eps, L, height, (d, n), domain).network()
