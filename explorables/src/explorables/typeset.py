"""Numbers as a book sets them, where a program wrote them."""

from __future__ import annotations

import re

POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]\d+)")
MINUS = re.compile(r"(?<![\w.)])-(?=\d)")
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def typeset(text: str) -> str:
    """A text of a picture with the minus sign before its numbers, and powers of ten for 3e-05."""
    return MINUS.sub("\N{MINUS SIGN}", POWER.sub(_power, text))


def _power(found: re.Match[str]) -> str:
    factor, exponent = found[1], int(found[2])
    if not float(factor) or not exponent:
        return f"{float(factor):g}"
    return ("" if factor == "1" else f"{factor}\u00b7") + f"10{str(exponent).translate(RAISED)}"
