r"""A number as people type it, as an exact fraction; a text that says what is expected where it is none.

    11/32   11 / 32   (11/32)   11⁄32   ½   0.34375   0,34375   34.375 %   3.4375e-1   1 - (7/8)(6/8)   \frac{11}{32}
    10*ln(198)   sqrt(2)/2   exp(-1)   C(6, 2)   \binom{6}{2}

Digits of all scripts count, and dashes for a minus. What can be read in two ways is refused: 3,608 and 1/2(3). The
value of a function is a fraction near it, log is the natural one. The
page's twin is exercises/notation.js; it gets the constants from here, and its patterns, written as both languages do.
"""

from __future__ import annotations

import itertools
import math
import re
import string
import unicodedata
from fractions import Fraction

LONGEST = 200
"""Signs of a number."""
SPELLED = 60
"""Signs of one that is said again as it was typed."""
BITS = 4096
"""Of what stands above or below a line on the way."""
DEEPEST = 20
"""Brackets within brackets."""
LARGEST = 10**300
A_NUMBER = "a number such as 12, 0.25 or 3/17"
COMMA = "a number with a point, such as 0.25, and no commas between thousands"
PRODUCT = "a number in which each product after a line has its sign, as 1/2*(3)"
TOO_LARGE = "a number up to 10^300"

SIGNS = str.maketrans("×·•⋅∙∗÷∕⁄∶:\N{MINUS SIGN}٫٪،؛、", "******/////-.%,;;")
RAISED, LOWERED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "₀₁₂₃₄₅₆₇₈₉"
VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
WHOLE = r"(?<![\d.,/^])(?<![\d.,/^] )(?:(\d+) ?)?"
"""Before a fraction: 1½ and 1\\frac12 are sums."""
LATEX = (
    (r"\\(?:left|right|displaystyle|[()\[\],;:! ])|\$", ""),
    (r"\*\*", "^"),
    (r"\\(?:cdot|times)", "*"),
    (r"\\(?=[%{}]|ln|log|exp|sqrt)", ""),
    (r"\{,\}", ","),
    (r"\u221a", "sqrt"),
    (r"\\[dt]?binom *\{(\d{1,3})\} *\{(\d{1,3})\}", r"C($1,$2)"),
)
CHOSEN = r"(?<![A-Za-z])C ?\( ?(\d{1,3}) ?, ?(\d{1,3}) ?\)"
"""How many ways there are to choose so many out of so many."""
FRAC = WHOLE + r"\\[dtc]?frac *(\{[^{}]*\}|\d) *(\{[^{}]*\}|\d)"
TOKEN = r" *(?:((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)|(ln|log|exp|sqrt|[-+*/^%()]))"
PLACES, FARTHEST, OFF = 128, 700, 2.0**-90
"""Bits of a function's value behind the point; the largest argument of exp; how far such values may be off, of 1."""
THOUSANDS = r"(?<![\d.,])(?<![\d.,] )[1-9]\d{0,2}(?: \d{3})+(?![\d.,]| \d)"
COMMAS = r",(?!\d)|,\d+,|(?<!\d)[1-9]\d{0,2},\d{3}(?!\d)"
"""Of more than one number, or between thousands, perhaps."""


class Said(Fraction):
    """A number that remembers how it was written, and the place of its last digit, if it is a decimal."""

    __slots__ = ("slack", "text", "unit")
    text: str
    unit: Fraction
    slack: Fraction

    def __new__(cls, value: Fraction, text: str = "", unit: Fraction = Fraction(0), slack: float = 0) -> Said:
        """The number; `slack` is by how much a float of its kind may be off."""
        made: Said = super().__new__(cls, value)
        made.text, made.unit, made.slack = text, unit, abs(made) * Fraction(slack)
        return made


def tidy(text: str) -> str:
    """In ASCII, as far as it means something: digits, signs, spaces, powers and fractions of all scripts."""
    text = "".join(map(_sign, text)).translate(SIGNS)
    text = " ".join(text.split())
    text = re.sub(
        f"{WHOLE}([{VULGAR}])",
        lambda found: _mixed(found[1], *unicodedata.normalize("NFKC", found[2]).split("⁄")),
        text,
    )
    text = re.sub(rf"(?<=[\d)])[{RAISED}]+", lambda found: "^" + _plain(found[0]), text)
    text = re.sub(rf"[{RAISED}]+|(?<=/)[{LOWERED}]+", lambda found: _plain(found[0]), text)
    for pattern, by in LATEX:
        text = re.sub(pattern, by.replace("$", "\\"), text)
    text = re.sub(CHOSEN, lambda found: f"({math.comb(int(found[1]), int(found[2]))})", text)
    while (
        found := re.sub(FRAC, lambda found: _mixed(found[1], f"({_bare(found[2])})", f"({_bare(found[3])})"), text)
    ) != text:
        text = found
    return text.strip()


def _sign(sign: str) -> str:
    kind = unicodedata.category(sign)
    if sign in VULGAR or sign in RAISED or sign in LOWERED:
        return sign
    if kind == "Nd":
        return str(unicodedata.decimal(sign))
    if kind == "Cf":
        return sign if "\u2061" <= sign <= "\u2064" else ""  # these are products and sums that nobody sees
    return "-" if kind == "Pd" else " " if sign.isspace() else unicodedata.normalize("NFKC", sign)


def _plain(raised: str) -> str:
    return unicodedata.normalize("NFKC", raised).replace("\N{MINUS SIGN}", "-")


def _bare(argument: str) -> str:
    return argument.strip("{}")


def _mixed(whole: str | None, above: str, below: str) -> str:
    return f"({whole}+{above}/{below})" if whole else f"({above}/{below})"


def number(text: str) -> Said | str:
    """The number that a text says; or what is expected instead."""
    if len(text) > LONGEST:
        return A_NUMBER
    typed = re.sub(r"^= ?", "", tidy(text)).translate(str.maketrans("[]{}", "()()"))
    typed = re.sub(THOUSANDS, lambda found: found[0].replace(" ", ""), typed)
    if "," in typed:
        if "." in typed or re.search(COMMAS, typed):
            return COMMA
        typed = typed.replace(",", ".")
    try:
        reader = _Reader(typed)
        value = reader.all()
    except (_Unread, ZeroDivisionError) as error:
        return str(error) if isinstance(error, _Unread) else A_NUMBER
    if abs(value) > LARGEST:
        return TOO_LARGE
    text = text.strip("\ufeff" + string.whitespace).strip()
    return Said(value, text if len(text) <= SPELLED else "", _unit(reader.tokens), OFF if reader.called else 0)


def _unit(tokens: list[str]) -> Fraction:
    """The place of the last digit of a single decimal, percentage or number of two digits; 0 of what looks exact."""
    digits, *rest = [token for token in tokens if token not in "+-"] or [""]
    before, _, power = digits.lower().partition("e")
    places = len(before.partition(".")[2])
    if rest not in ([], ["%"]) or digits[:1] not in tuple("0123456789.") or not (places or rest or before[1:]):
        return Fraction(0)
    return Fraction(1, 10**places) * Fraction(10) ** int(power or 0) / (100 if rest else 1)


class _Unread(Exception):
    """With what is expected."""


class _Reader:
    """Sums of products of powers, in fractions."""

    def __init__(self, text: str) -> None:
        self.at = self.depth = 0
        self.called = False
        spans = [*re.finditer(TOKEN, text)]
        self.tokens = [found[1] or found[2] for found in spans]
        ends = [0, *(found.end() for found in spans)]
        gapless = ends[-1] == len(text) and all(found.start() == end for found, end in zip(spans, ends, strict=False))
        beside = any(one[1] and other[1] for one, other in itertools.pairwise(spans))  # 1 1/2 is no product
        if not spans or not gapless or beside:
            raise _Unread(A_NUMBER)

    def all(self) -> Fraction:
        """What the whole text is worth."""
        found = self.total()
        if self.at < len(self.tokens):
            raise _Unread(A_NUMBER)
        return found

    def next(self, *wanted: str) -> str:
        """The token, if it is one of these: then the place moves on."""
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def total(self) -> Fraction:
        found = self.term()
        while sign := self.next("+", "-"):
            found = _fits(found + self.term() if sign == "+" else found - self.term())
        return found

    def term(self) -> Fraction:
        found, line = self.factor(), False
        while self.at < len(self.tokens):
            sign = self.next("*", "/")
            if not sign and self.tokens[self.at] in (*"+-)", "^", "%"):
                break
            if not sign and line:
                raise _Unread(PRODUCT)
            by = self.factor() if sign else self.power()
            found, line = _fits(found / by if sign == "/" else found * by), line or sign == "/"
        return found

    def factor(self) -> Fraction:
        sign = self.next("+", "-")
        return -self.power() if sign == "-" else self.power()

    def power(self) -> Fraction:
        base = self.atom()
        if self.next("^"):
            exponent = self.factor()
            bits = max(abs(base.numerator), base.denominator).bit_length()
            if exponent.denominator != 1:
                raise _Unread(A_NUMBER)
            if bits * abs(exponent) > BITS:
                raise _Unread(TOO_LARGE)
            base = _fits(base ** int(exponent))
        while self.next("%"):
            base = _fits(base / 100)
        return base

    def atom(self) -> Fraction:
        if self.next("("):
            return self.closed()
        if self.at < len(self.tokens) and (token := self.tokens[self.at])[0] in "0123456789.":
            self.at += 1
            return Fraction(token)
        if name := self.next("ln", "log", "exp", "sqrt"):
            self.called = True
            of = self.closed() if self.next("(") else self.bare()
            return _fits({"exp": _exp, "sqrt": _sqrt}.get(name, _ln)(of))
        raise _Unread(A_NUMBER)

    def bare(self) -> Fraction:
        """The number behind a function's name: ln 2, but not ln 2^3, which can be read in two ways."""
        found = self.atom() if self.at < len(self.tokens) and self.tokens[self.at][0] in "0123456789." else None
        if found is None or "^" in self.tokens[self.at : self.at + 1]:
            raise _Unread(A_NUMBER)
        return found

    def closed(self) -> Fraction:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _Unread(A_NUMBER)
        found = self.total()
        if not self.next(")"):
            raise _Unread(A_NUMBER)
        self.depth -= 1
        return found


def _fits(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator).bit_length() > BITS:
        raise _Unread(TOO_LARGE)
    return value


def _atanh(y: int) -> int:
    """In units of 2^-PLACES, for y of at least 0."""
    total, power, k = 0, y, 1
    while power:
        total += power // k
        power = (power * y * y) >> (2 * PLACES)
        k += 2
    return total


LN2 = 2 * _atanh((1 << PLACES) // 3)


def _ln(x: Fraction) -> Fraction:
    if x <= 0:
        raise _Unread(A_NUMBER)
    n, d, one = x.numerator, x.denominator, 1 << PLACES
    k = n.bit_length() - d.bit_length()
    k -= n << max(-k, 0) < d << max(k, 0)
    m = (n << max(-k, 0) << PLACES) // (d << max(k, 0))
    return Fraction(2 * _atanh(((m - one) << PLACES) // (m + one)) + k * LN2, one)


def _exp(x: Fraction) -> Fraction:
    if abs(x) > FARTHEST:
        raise _Unread(TOO_LARGE)
    twos, rest = divmod((abs(x.numerator) << PLACES) // x.denominator, LN2)
    total, term, k = 0, 1 << PLACES, 1
    while term:
        total += term
        term = (term * rest >> PLACES) // k
        k += 1
    found = Fraction(total << twos, 1 << PLACES)
    return found if x >= 0 else 1 / found


def _sqrt(x: Fraction) -> Fraction:
    if x < 0:
        raise _Unread(A_NUMBER)
    return Fraction(math.isqrt((x.numerator << 2 * PLACES) // x.denominator), 1 << PLACES)
