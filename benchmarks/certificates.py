"""What the certificate of each statement says at its defaults, as repaired and as printed: data/certificates.txt.

    python benchmarks/certificates.py     # writes it anew; what differs from before is to be looked at

A test compares. So a slip that moves a number on a page, and leaves its inequality true, is seen.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from tqdm import tqdm

from uatbook import statements
from uatbook.registry import Statement
from uatlib.certificate import Certificate, Check
from uatlib.internal import writing
from uatlib.internal.number_text import short_text, witness_text

RECORD = Path(__file__).resolve().parents[1] / "data" / "certificates.txt"
TRAINS = {"kajitsuka2024:exp-5"}
"""What a machine learns another may learn a little otherwise."""
ROUNDING, SINGLE = 1e-9, 1e-6
"""Processors differ in floats below the first; in errors, some of which are of single floats, below the second."""


def of_floats(value: object) -> bool:
    """Whether a number, or a case of a check, is of floats: then so is what is computed of it, exactly or not."""
    if isinstance(value, Mapping):
        return any(map(of_floats, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(of_floats, value))
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def line(check: Check) -> str:
    """What the table says of a check; of floats two digits, and not at which case they are attained. Rounding is 0."""
    measured, exact = check.measured, isinstance(check.measured, (int, Fraction))
    if isinstance(measured, float):
        rounds = abs(measured) < (SINGLE if check.relation.startswith("<") else ROUNDING)
        measured = 0.0 if rounds else float(f"{measured:.1e}")
    elif isinstance(measured, Fraction) and check.witness is not None and of_floats(check.witness):
        measured, exact = (0.0, False) if 0 < abs(measured) < ROUNDING else (measured, True)
    bound = short_text(check.bound) if not isinstance(check.bound, float) else f"{check.bound:.1e}"
    said = f"{check.outcome}  {check.name}: {short_text(measured)} {check.relation} {bound}"
    where = f"; {witness_text(check.witness)}" if exact and check.witness is not None else ""
    return f"{said}  [{check.method} {check.cases}]{where}"


def text(certificate: Certificate) -> str:
    """The certificate, a line a check."""
    return "\n".join([certificate.title, *(f"    {line(check)}" for check in certificate.checks)])


@functools.cache
def recorded() -> dict[str, str]:
    """By title what the record says."""
    parts = RECORD.read_text(encoding="utf-8").strip().split("\n\n")
    return {part.partition("\n")[0]: part for part in parts}


def runs(statement: Statement) -> Iterator[str]:
    """The variants that are recorded: with each change of the repair left out, too."""
    if statement.id not in TRAINS:
        yield from statement.variants if statement.erratum else ("repaired",)


def main() -> None:
    every = [(statement, variant) for statement in statements.all() for variant in runs(statement)]
    made = [text(statement.verify(variant=variant)) for statement, variant in tqdm(every)]
    writing.write(RECORD, "\n\n".join(made) + "\n")


if __name__ == "__main__":
    main()
