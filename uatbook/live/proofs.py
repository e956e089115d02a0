"""Of each proof the network that pages run for functions of two tokens, in numbers that float64 can follow."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from uatlib.certificate import Construction
from uatlib.targets import Target

from .held import Build

__all__ = ["PROOFS"]

THIN = Fraction(1, 2**20)
"""Of bands and ramps between cells: narrower ones float64 does not resolve."""


# Each imports its own source: a chapter runs again when one that it has read changes.


def _yun(f: Target, N: int) -> Construction:
    from uatlib import yun2020

    return yun2020.build(f, inverse_delta=N, stage="softmax", width=THIN)


def _kajitsuka(f: Target, N: int) -> Construction:
    from uatlib import kajitsuka2024

    return kajitsuka2024.build(f, inverse_delta=N, duplicates="keep", width=THIN)


def _liu(f: Target, N: int) -> Construction:
    from uatlib import liu2025

    return liu2025.build(f, inverse_delta=N, form="smoother")


def _cheng(f: Target, N: int) -> Construction:
    from uatlib import cheng2025

    return cheng2025.build(f, inverse_delta=N, duplicates="keep", ramp=THIN)


PROOFS: Mapping[str, Build] = {
    "Yun et al.": _yun,
    "Kajitsuka, Sato": _kajitsuka,
    "Liu et al.": _liu,
    "Cheng et al.": _cheng,
}
"""By the names of their authors, as in `uatlib.comparison`; Liu's in the form with fewer weights."""
