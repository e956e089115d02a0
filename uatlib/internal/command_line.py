"""What commands share: help and options, exit status, and a certificate as JSON.

Imports are made where they are needed, so that `--help` is quick.
"""

from __future__ import annotations

import argparse
import inspect
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..certificate import Certificate

STATUSES = {"holds": 0, "yes": 0, "fails": 1, "no": 1, "undecided": 3, "unsure": 3}
"""Undecided is no success, so that a script stops, and no counterexample, so that it can tell."""
EXACT_IN_JSON = 2**53


def parser(command: Callable[..., int], example: str, *, judges: bool = False) -> argparse.ArgumentParser:
    """With the command's docstring as its description, its example, and if it `judges` what its status says."""
    status = "exit status: 0 it holds, 1 it fails, 2 bad usage, 3 undecided" if judges else ""
    return argparse.ArgumentParser(
        f"python -m uatlib {command.__name__.replace('_', '-')}",
        description=inspect.getdoc(command),
        epilog="\n\n".join(filter(None, ["example:\n" + example, status])),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def with_json(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument("--json", action="store_true", help="print an object of JSON a line")


def worst_status(outcomes: Iterable[str]) -> int:
    """Of outcomes or verdicts: 1 where one fails, else 3 where one is undecided, else 0."""
    found = {STATUSES[outcome] for outcome in outcomes}
    return next((status for status in (1, 3) if status in found), 0)


def record(id: str, certificate: Certificate) -> dict[str, object]:
    """The certificate for JSON: numbers where JSON holds them, others as text."""
    from .number_text import witness_text

    checks = [
        {
            "name": check.name,
            "outcome": check.outcome,
            "measured": number(check.measured),
            "relation": check.relation,
            "bound": number(check.bound),
            "method": check.method,
            "cases": check.cases,
            "witness": None if check.holds or check.witness is None else witness_text(check.witness),
        }
        for check in certificate.checks
    ]
    return {"id": id, "outcome": certificate.outcome, "checks": checks}


def number(value: object) -> object:
    """The number where JSON holds it, else its text."""
    from .number_text import short_text

    value = value.item() if hasattr(value, "item") else value
    value = int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
    fits = (
        isinstance(value, (int, float))
        and math.isfinite(value)
        and (isinstance(value, float) or abs(value) <= EXACT_IN_JSON)
    )
    return value if fits or value is None else short_text(value)
