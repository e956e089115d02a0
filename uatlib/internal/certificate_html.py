"""A certificate as HTML: one line that says what holds, and opens to the table.

Numbers are rounded against the verdict (where the claim holds, what should be small up and its bound down; where it
fails, the other way; an enclosure outward), so a row never says more than was measured. Nothing here needs a script or
a style sheet.
"""

from __future__ import annotations

import decimal
import html
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

from ..arithmetic import Ball
from ..arithmetic.objects import ends
from .formula_html import MINUS, TIMES, WIDE, decimal_html, formula_html
from .measured import Check, is_true
from .number_text import short_text, witness_text

SIGNS = {"<=": "\u2264", "<": "<", ">=": "\u2265", ">": ">", "==": "="}
COLUMNS = ("verdict", "claim", "measured", "bound", "slack", "cases")
PARAMETERS = {"inverse_delta": "N", "granularity": "D", "N_x": "N_x"}
UP, DOWN, NEAREST = decimal.ROUND_CEILING, decimal.ROUND_FLOOR, decimal.ROUND_HALF_EVEN
Ends = tuple[decimal.Decimal, decimal.Decimal]
MARKS = {"holds": "\u2713", "fails": "\u2717", "undecided": "?"}
EXACT = (Rational, Ball)
SPACE = "\u00a0"
DIGITS = range(4, 13)
WHOLE = 12
# So many parameters stand in the line; the table's caption has all.
IN_LINE = 4
LONG_WITNESS = 160


def certificate_html(
    title: str, parameters: Mapping[str, object], checks: Sequence[Check], *, line: str | None = None, name: str = ""
) -> str:
    """The checks under their title, folded: `line` is what the one line has of the title, `name` stands behind it."""
    failures = [check for check in checks if check.outcome == "fails"]
    open_ones = [check for check in checks if check.outcome == "undecided"]
    verdict = "fails" if failures else "undecided" if open_ones else "holds"
    shown = [_parameter(name, value) for name, value in parameters.items()]
    label = ", ".join(filter(None, [formula_html(title if line is None else line), *shown[:IN_LINE]]))
    caption = formula_html(title) + (f" ({', '.join(shown)})" if shown else "")
    caption += f" <small>{html.escape(name)}</small>" if name else ""
    summary = f'<b class="{verdict}">{_verdict(len(checks), len(failures), len(open_ones))}</b>'
    summary += f": {_methods(checks)}" if verdict == "holds" else ""
    summary += f' <span class="label">{TIMES} {label}</span>' if label else ""
    with_fractions = _are_short_fractions(checks)
    for check in (failures or open_ones)[:1]:
        summary += f'<br><span class="failure">{_failure(check, with_fractions)}</span>'
    rows = "".join(_row(check, with_fractions) for check in checks)
    head = "".join(f'<th role="columnheader" scope="col">{column}</th>' for column in COLUMNS)
    return (
        f'<details class="uat-certificate"><summary>{summary}</summary>'
        f'<table role="table"><caption>{caption}</caption><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table></details>'
    )


# --------------------------------------------------------------------------------------------------- the one line


def _verdict(checks: int, failures: int, undecided: int) -> str:
    if failures:
        of = "The check" if checks == 1 else f"{failures} of {checks} checks"
        return f"\u2717 {of} {'fails' if failures == 1 else 'fail'}"
    if undecided:
        of = "The check" if checks == 1 else f"{undecided} of {checks} checks"
        return f"? {of} {'is' if undecided == 1 else 'are'} undecided"
    return f"\u2713 {checks} checks hold" if checks > 1 else "\u2713 1 check holds"


def _methods(checks: Sequence[Check]) -> str:
    """How many checks looked at all cases, at samples, at enclosures; and at how many cases each."""
    groups: dict[str, list[int]] = {}
    for check in checks:
        method: str = "counted" if (check.method, check.cases) == ("exhaustive", 1) else check.method
        groups.setdefault(method, []).append(check.cases)
    parts = []
    for method, cases in groups.items():
        number = "" if len(checks) == 1 else ("all " if len(groups) == 1 else f"{len(cases)} ")
        least, most = min(cases), max(cases)
        span = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        is_noted = method in ("exhaustive", "sampled") or (method == "enclosed" and most > 1)
        noted = f" ({span} {'case' if most == 1 else 'cases'})" if is_noted else ""
        parts.append(f"{number}{html.escape(method)}{noted}")
    return ", ".join(parts)


def _failure(check: Check, with_fractions: bool) -> str:
    measured, bound, _ = _numbers(check, with_fractions)
    text = f"{formula_html(check.name)}: measured {measured}, claimed {_sign(check)} {bound}"
    if check.witness is None:
        return text
    witness = witness_text(check.witness)
    cut = witness if len(witness) <= LONG_WITNESS else witness[:LONG_WITNESS].rsplit(" ", 1)[0] + " ..."
    return f"{text}; witness: {formula_html(cut)}"


def _parameter(name: str, value: object) -> str:
    shown = PARAMETERS.get(name, name.replace("_", " "))
    text = value.replace("_", " ") if isinstance(value, str) else short_text(value)
    return f"{formula_html(shown)}&nbsp;=&nbsp;{formula_html(text)}"


# ---------------------------------------------------------------------------------------------------------- a row


def _row(check: Check, with_fractions: bool) -> str:
    verdict, sign = check.outcome, MARKS[check.outcome]
    claim = formula_html(check.name)
    if check.witness is not None:
        claim += f"<br><small>witness: {formula_html(witness_text(check.witness))}</small>"
    measured, bound, slack = _numbers(check, with_fractions)
    cells = (measured, f"{_sign(check)}{SPACE}{bound}", slack, html.escape(check.how).replace(" ", SPACE))
    data = "".join(
        f'<td role="cell" data-label="{label}">{cell}</td>' for label, cell in zip(COLUMNS[2:], cells, strict=True)
    )
    return (
        f'<tr role="row"><td role="cell" class="{verdict}">{sign}{SPACE}{verdict}</td>'
        f'<th role="rowheader" scope="row">{claim}</th>{data}</tr>'
    )


def _sign(check: Check) -> str:
    return html.escape(SIGNS[check.relation])


def _are_short_fractions(checks: Sequence[Check]) -> bool:
    """Whether all numbers are exact, with denominators below 100: then all are shown as fractions."""
    return all(_is_short(value) for check in checks for value in (check.measured, check.bound))


def _is_short(value: object) -> bool:
    low, high = ends(value)
    longest = 100 if isinstance(value, EXACT) else 2  # a float is a fraction only where it is whole
    return low == high and isinstance(low, Fraction) and low.denominator < longest


def _numbers(check: Check, with_fractions: bool) -> tuple[str, str, str]:
    """Measured, bound and slack; with more digits than four where rounding would hide the verdict.

    Rounded so as to understate: against a claim that holds, and towards one that fails.
    """
    towards = {"<": (UP, DOWN), ">": (DOWN, UP), "=": (NEAREST, NEAREST)}[check.relation[0]]
    if not check.holds:
        towards = towards[::-1]
    for digits in DIGITS:
        measured, bound = _rounded(check.measured, digits, towards[0]), _rounded(check.bound, digits, towards[1])
        is_level = measured == bound and check.slack != 0  # -15,027 > -15,027 does not show how it fails
        if is_true(measured, check.relation, bound) == check.holds and (check.holds or not is_level):
            break
    else:
        # A failure by less than the last digit must not look like none.
        if not check.holds:
            measured, bound = _rounded(check.measured, digits, towards[1]), _rounded(check.bound, digits, towards[0])
    slack = check.slack
    if not (isinstance(check.measured, EXACT) and isinstance(check.bound, EXACT)) and abs(slack) < 10**300:
        slack = float(slack)
    if with_fractions:
        return _fraction(check.measured), _fraction(check.bound), _fraction(slack)
    return _interval(*measured), _interval(*bound), _interval(*_rounded(slack, DIGITS[0], DOWN if check.holds else UP))


def _fraction(value: object) -> str:
    number = Fraction(ends(value)[0])
    return (f"{int(number):,}" if number.denominator == 1 else str(number)).replace("-", MINUS)


def _interval(low: decimal.Decimal, high: decimal.Decimal) -> str:
    """A number, or its enclosure: two ends in brackets, with their power of ten behind if it is the same."""
    if low == high or low.is_nan():
        return _number(low)
    (first, by, power), (last, _, other) = _number(low).partition(TIMES), _number(high).partition(TIMES)
    return f"[{first}, {last}]{by}{power}" if by and power == other else f"[{_number(low)}, {_number(high)}]"


def _number(value: decimal.Decimal) -> str:
    if value.is_finite():
        return decimal_html(value)
    return "nan" if value.is_nan() else f"{MINUS if value < 0 else ''}\u221e"


def _rounded(value: Any, digits: int, towards: str) -> Ends:
    """Both ends of a ball, rounded outward, or a number twice, rounded `towards`; whole numbers to twelve digits."""
    low, high = ends(value)
    if isinstance(low, float) or isinstance(high, float):  # NaN and infinity
        return decimal.Decimal(float(low)), decimal.Decimal(float(high))
    if low != high:
        return _decimal(low, digits, DOWN), _decimal(high, digits, UP)
    # A float stands for its shortest decimal, 0.1, and not for the binary fraction beside it, which would round up.
    number = low if isinstance(value, EXACT) else Fraction(repr(float(value)))
    return (_decimal(number, digits, towards),) * 2


def _decimal(value: Fraction, digits: int, towards: str) -> decimal.Decimal:
    numerator, denominator = decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)
    with decimal.localcontext(prec=digits, rounding=towards, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN) as context:
        rounded = numerator / denominator
        longest = WHOLE if value.denominator == 1 else WIDE
        if digits <= rounded.adjusted() < longest:  # 15,027 and not 15,030
            context.prec = rounded.adjusted() + 1
            rounded = numerator / denominator
    return rounded
