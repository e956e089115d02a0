"""Liu et al. (2025): functions that are not bounded, in the L_p norm; Corollaries 4.1.1 and 4.2.1."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from uatlib.certificate import Certificate, Check
from uatlib.checks import exponent, finite, positive, refused
from uatlib.internal.integrals import Distance
from uatlib.kernels import RBF
from uatlib.layers import Attention
from uatlib.liu2025 import build
from uatlib.liu2025.certify_network import Network
from uatlib.metrics import lp_distance
from uatlib.targets import Target

from ..damages import Damage, in_a_layer, in_part, replaced, scaled
from ..registry import register

STEEPEST = 30.0
"""ln B^(1 + 1/s): beyond, the grid is too fine for any computer."""
F = re.compile(r"\bf\b")
"""The function in the names of the network's own checks, which see the cut one."""


@dataclass(frozen=True)
class Power:
    """f(z) = |z|^(-s) on [-1, 1], with `pair` |z_K|^(-s) z_Q of two sequences, cut at B: min(|z|^(-s), B) in its place.

    |z|^(-s) is in L_p where p s < 1, and bounded nowhere near 0. Where it is cut, |z| < a = B^(-1/s), it loses

        (2 a B^p Beta(1/s - p, p + 1)/s)^(1/p), by z = a t^(1/s); with `pair` times (2/(p + 1))^(1/p), the norm of z_Q
    """

    s: float
    p: float
    pair: bool = False

    @property
    def second(self) -> float:
        """The norm of z_Q, or 1."""
        return (2 / (self.p + 1)) ** (1 / self.p) if self.pair else 1.0

    def norm(self) -> float:
        """Of f itself."""
        return (2 / (1 - self.p * self.s)) ** (1 / self.p) * self.second

    def tail(self, cut: float) -> float:
        """The norm of f - min(f, B) in the first factor."""
        s, p = self.s, self.p
        beta = math.exp(math.lgamma(1 / s - p) + math.lgamma(p + 1) - math.lgamma(1 / s + 1))
        return (2 * cut ** (p - 1 / s) * beta / s) ** (1 / p) * self.second

    def cut_for(self, error: float) -> float:
        """The least multiple B >= 1 of 1/8 that leaves a tail of at most `error`; ValueError if it is too steep."""
        log = math.log(self.tail(1.0) / error) / (1 / (self.s * self.p) - 1)
        if log * (1 + 1 / self.s) > STEEPEST:
            raise refused("eps", f"one for which |z|^(-{self.s:g}) is cut below e^{STEEPEST * self.s:.3g}", 2 * error)
        return max(1.0, math.ceil(8 * math.exp(log)) / 8)

    def target(self, cut: float) -> Target:
        """min(|z|^(-s), B), times z_Q for pairs: |slope| <= s B^(1 + 1/s) where |z| >= a, and B in z_Q."""
        more: Any = {"n_source": 1, "d_source": 1} if self.pair else {}
        slope = self.s * cut ** (1 + 1 / self.s) + cut * self.pair
        return Target(partial(_power, self.s, cut), 1, 1, (-1, 1), lipschitz=slope, bound=cut, name="power", **more)

    def distance(self, f: Any, g: Any, cells: int, bend: Bend | None = None) -> Distance:
        """d_p(f, g) by a rule in u, z = sign(u) |u|^k with k = 1/(1 - p s): there |f|^p dz is constant, not infinite.

        `bend` is another substitution: u to z and dz/du.
        """
        bend, p = bend or partial(_power_bend, 1 / (1 - self.p * self.s)), self.p

        def bent(h: Any) -> Any:
            def values(*XZ: Any) -> Any:
                z, rate = bend(XZ[-1])
                return h(*XZ[:-1], z) * rate ** (1 / p)

            return values

        more: Any = {"n_source": 1, "d_source": 1} if self.pair else {}
        return lp_distance(bent(f), bent(g), n=1, d=1, p=p, domain=(-1, 1), cells=2 * cells, order=2, **more)


Bend = Callable[[Any], tuple[Any, Any]]


def _power(s: float, cut: float, *XZ: object) -> Any:
    """min(|z|^(-s), B), times the first of two sequences; z is the last."""
    z = np.abs(np.asarray(XZ[-1], dtype=float))
    with np.errstate(divide="ignore"):
        height = np.minimum(z**-s, cut)
    return height if len(XZ) == 1 else height * XZ[0]


def _power_bend(k: float, u: Any) -> tuple[Any, Any]:
    return np.sign(u) * np.abs(u) ** k, k * np.abs(u) ** (k - 1)


def _log_bend(t: float, u: Any) -> tuple[Any, Any]:
    """z = sign(u) t^|u| from t to 1."""
    z = t ** np.abs(u)
    return np.sign(u) * z, z * -math.log(t)


class Built(NamedTuple):
    """f, the error asked for, where f is cut, and the network of the cut one."""

    f: Power
    eps: float
    cut: float
    net: Network

    def distance(self) -> Distance:
        """d_p of f, which is not cut, and the network."""
        return self.f.distance(partial(_power, self.f.s, math.inf), self.net.shortcut, _cells(self.net))

    def checks(self) -> list[Check]:
        """The part that is cut off, both parts together, and the network of the rest."""
        f, p, rest = self.f, self.f.p, self.distance()
        near = f"B = {self.cut:g}, P = {self.net.cells:,}; cut where |z| < {self.cut ** (-1 / f.s):.3g}"
        return [
            Check(f"d_{p:g}(f, f_B), f_B = f cut at B, in closed form", f.tail(self.cut), "<=", self.eps / 2, near),
            Check(f"d_{p:g}(f, g-bar)", rest.value, "<=", self.eps, near, "sampled", rest.points),
            *(replace(check, name=F.sub("f_B", check.name)) for check in self.net.certify().checks),
        ]


def _cells(net: Network) -> int:
    """Of the rule, on half an axis: no less than half of the network's, where that does not take long."""
    return min(net.cells, 4096 if net.kind == "self" else 24)


def _network(f: Power, eps: float, cut: float, target: Target | None = None) -> Network:
    """For min(f, B), or another target as steep, with what the part above B leaves of eps."""
    kind: Any = "cross" if f.pair else "self"
    return build(target or f.target(cut), error=eps - f.tail(cut), p=f.p, kind=kind, form="smoother")


def _built(s: object, p: object, eps: object, pair: bool) -> Built:
    s, p = finite("s", positive("s", s)), exponent("p", p, sup=False)
    eps = finite("eps", positive("eps", eps))
    if p * s >= 1:
        raise refused("s", f"p s < 1, so that |z|^(-s) is in L_{p:g}", s, "else no network is near it")
    f = Power(s, p, pair)
    cut = f.cut_for(eps / 2)
    return Built(f, eps, cut, _network(f, eps, cut))


def _outside(s: object, eps: object, pair: bool) -> Certificate:
    """|z|^(-s) in the norm with p = 1/s, in which it is infinite, though its integral is not."""
    built = _built(s, 1, eps, pair)
    p = 1 / built.f.s
    f, uncut, ends = Power(built.f.s, p, pair), partial(_power, built.f.s, math.inf), (2, 8, 32, 128)
    off = [f.distance(uncut, built.net.shortcut, _cells(built.net), partial(_log_bend, 10.0**-k)) for k in ends]
    grows = ", ".join(f"{d.value:.4g} over |z| > 10^-{k}" for k, d in zip(ends[:-1], off, strict=False))
    why = f"integral of |f|: {built.f.norm():.4g}; d_{p:g} is {grows}: no bound, as |f|^{p:g} is 1/|z| there"
    height = built.f.norm()
    share = (built.eps / 2) * height ** (1 - 1 / p)
    name, last = f"d_{p:g} of f and a network, over |z| > 10^-128", off[-1]
    line = f"proof: Delta^(1/p) B_p, p = {p:g}, B_p = {height:.4g}"
    checks = [
        Check(name, last.value, "<=", built.eps, why, "sampled", last.points),
        Check("proof: |f| at 10^-24, as f is bounded by its norm", 1e-24**-built.f.s, "<=", height, "here |f| is more"),
        Check(line, share, "<=", built.eps / 2, "B_p takes the power p"),
    ]
    return Certificate(checks, parameters={"s": built.f.s, "p": p, "eps": built.eps})


def _low_cut(built: Built, rng: np.random.Generator) -> Built:
    low = (1 + built.cut) / 2
    return built._replace(cut=low, net=_network(built.f, 4 * built.eps, low))


def _negative(built: Built, rng: np.random.Generator) -> Built:
    """The network of -f."""
    f = built.f.target(built.cut)
    minus = replaced(f, function=lambda *XZ: -f.function(*XZ))
    return built._replace(net=_network(built.f, built.eps, built.cut, minus))


def _blunt(layer: object) -> Any:
    kernel = layer.kernel if isinstance(layer, Attention) else None
    return replaced(layer, kernel=RBF(kernel.gamma / 100)) if isinstance(kernel, RBF) else None


ERRATUM = """An integrable f need not be in L_p: |z|^(-1/2) is in L_1, not in L_2, and a network, continuous on a
compact box, is bounded, so their distance in L_2 is infinite. Ask for f in L_p. In the proof f is not bounded, nor is
its norm a bound of it: cut f at a height B first, and let Lusin's g keep that bound (by Tietze), since g and the
network stand where f and g differ. That set may measure eps^p/(2^p B_p^p), not eps^p/(2^p B_p); and in
(d n eps^p)^(1/p) eps_0 is meant."""
DAMAGES: dict[str, Damage] = {
    "cut too low": _low_cut,
    "the network of -f": _negative,
    "R too small by 100": in_part("net", in_part("model", in_a_layer(_blunt))),
    "half of what is written": in_part("net", in_part("model", in_a_layer(scaled("w_o", 0.5)))),
}
ABOUT: dict[str, Any] = {
    "certify": Built.checks,
    "construction": build,
    "damages": DAMAGES,
    "concerns": "hypothesis",
    "erratum": ERRATUM,
    "chapter": "liu-self-attention",
}


@register(
    "liu2025:cor-4-1-1",
    "one head of self-attention approximates functions in L_p, bounded or not",
    source="Corollary 4.1.1, section B.2",
    cases=[{"s": 0.25, "p": 2, "eps": 0.75}, {"s": 0.3, "p": 1.5, "eps": 0.75}],
    printed=lambda s, eps: _outside(s, eps, False),
    **ABOUT,
)
def of_one(*, s: object = 0.5, p: object = 1, eps: object = 1) -> Built:
    """|z|^(-s), cut and approximated: half of eps for what is cut off, the rest for the network."""
    return _built(s, p, eps, False)


@register(
    "liu2025:cor-4-2-1",
    "one head of cross-attention approximates functions in L_p of two sequences, bounded or not",
    source="Corollary 4.2.1, section B.4",
    cases=[{"s": 0.3, "p": 2, "eps": 1.5}],
    printed=lambda s, eps: _outside(s, eps, True),
    **ABOUT,
)
def of_two(*, s: object = 0.4, p: object = 1.2, eps: object = 2) -> Built:
    """|z_K|^(-s) z_Q, cut and approximated."""
    return _built(s, p, eps, True)
