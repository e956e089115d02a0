"""Formulas written in plain text, such as d_p(f-bar, g)^p or l~_n, as HTML that needs no script and no style sheet.

Single letters become italic, _ and ^ set scripts, f-bar and l~ get their accents, delta and eps are Greek, and
"g o f" is a composition. What is not understood stays as it was written, so a name of any form can be shown.
"""

from __future__ import annotations

import decimal
import html
import re

MINUS, TIMES = "\u2212", "\u00b7"
GREEK = {
    "alpha": "\u03b1", "beta": "\u03b2", "gamma": "\u03b3", "delta": "\u03b4", "Delta": "\u0394", "eps": "\u03b5",
    "eta": "\u03b7", "theta": "\u03b8", "kappa": "\u03ba", "lambda": "\u03bb", "pi": "\u03c0", "rho": "\u03c1",
    "sigma": "\u03c3", "tau": "\u03c4", "phi": "\u03c6", "Phi": "\u03a6", "psi": "\u03c8", "omega": "\u03c9",
}  # fmt: skip
ACCENTS = {"~": "\u0303", "-bar": "\u0304"}
SIGNS = {"<=": "\u2264", ">=": "\u2265", "||": "\u2016", "...": "\u2026", "sqrt ": "\u221a", "sqrt(": "\u221a("}
SIGNS |= {"prod(": "\u220f(", "inf": "\u221e", "!=": "\u2260", "->": "\u2192"}
KINDS = {"times": "\u00d7", "minus": MINUS, "dot": TIMES, "sum": "\u2211", "after": "\u2218"}

# The first that fits is taken. A letter is a variable if it stands alone; "a" and "I" are words as well, and so are
# variables only where a formula goes on. The letter of "2b" at the very beginning belongs to a label, that of
# "section H" to a heading. "dG" is a product, as no word ends so.
INDEXED = r"(?=_(?:{|[A-Za-z]{1,2}(?!\w)|\d))"
OPERATORS = "max|min|Aff|Linear|softmax|hardmax|shift|powers"
TOKEN = re.compile(
    r"(?P<label>\A\d+[a-z]?(?:\.\d+)?(?=\s))"
    r"|(?P<number>(?:(?<![\w)\]-])-)?(?<![A-Za-z_\d.])\d+(?:[,_]\d{3})*(?:\.\d+)?(?:e[-+]?\d+|/[1-9]\d*)?(?!\d))"
    r"|(?P<file>(?<![\w.])[A-Za-z]\w+\.v(?!\w))"
    r"|(?P<section>(?<![A-Za-z])[A-Z](?:\.\d+)+|(?:(?<=[Ss]ection )|(?<=[Aa]ppendix ))[A-Z](?!\w))"
    r"|(?P<abbreviation>(?<![A-Za-z])(?:e\.g|i\.e)\.)"
    r"|(?P<times>(?<=[\w)] )x(?= [A-Za-z\d(](?![A-Za-z])))"
    r"|(?P<dot>(?<=\S )\.(?= \S))"
    r"|(?P<after>(?<=[\w).] )o(?= [\w(.]))"
    r"|(?P<greek>(?<![A-Za-z])(?:" + "|".join(GREEK) + r")(?![A-Za-z]))"
    r"|(?P<letter>(?<![A-Za-z'\u2019])(?<!\w-)(?:[AaI](?=\s*[_^)=+,|~]|\s(?:-\s|!=|alpha\()|-bar)|[B-HJ-Zb-z]|[A-Z]{2})"
    r"(?![A-Za-z]))"
    r"|(?P<product>(?<![A-Za-z'-])(?!kB)(?:[a-z]{1,2}[A-Z]|dn)(?![\w-]))"
    r"|(?P<sign>(?<![A-Za-z])(?:inf(?![A-Za-z])|sqrt (?![a-z]{2})|sqrt\(|prod\()|<=|>=|!=|->|\|\||\.\.\.)"
    r"|(?P<sum>(?<![\w-])sum" + INDEXED + ")"
    r"|(?P<operator>(?<![\w-])(?:(?:" + OPERATORS + ")" + INDEXED + r"|head(?=\^)))"
    r"|(?P<minus>(?<= )-(?= )|(?<![\w)\]-])-(?=[\w(|\[]))"
    r"|(?P<word>[A-Za-z]+(?:[-_][A-Za-z]+)*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
SCRIPT = re.compile(r"_(?=[{(\w-])|\^(?=[{(\w+-])")
POWER = re.compile(r"\^(?=\d)")
"""What a word may carry, as in token^2."""
SIMPLE = {
    "_": re.compile(r"[A-Za-z]+|\d+(?:\.\d+)?"),
    "^": re.compile(r"-?\d+(?:,\d{3}(?!\d))*(?:\.\d+)?|-?[A-Za-z]+"),
}
# In a script two letters are a product or two indices, while "in" and "max" are words.
PRODUCT = re.compile(r"(?<![A-Za-z])(?!in(?![A-Za-z]))([a-z])([a-z])(?![A-Za-z])")
# Nor is the sign of k-1 a hyphen there, if it stands between letters and numbers.
LESS = re.compile(r"(?<=[\w)\]}])(?<!\de)(?<![A-Za-z]{2})-(?=[\w(\[{])(?![A-Za-z]{2})")
OPEN = {"{": "}", "(": ")"}
CARRIERS = {"letter", "greek", "product", "number", "sum", "operator"}
BASES = {"log", "||", "|", ")", "]", "}"}
"""What carries scripts besides."""
APOSTROPHE = re.compile(r"(?<=\w)'(?=s\b)")
CODE = re.compile(
    r"``(.+?)``|`(.+?)`|(\"[^\"\s]+\")|(?<![\w.])([A-Za-z]\w+\.v)(?!\w)"
    r"|(?<![\w.])([A-Za-z]{2,}(?:_[A-Za-z]{3,})+)(?![\w(])"
)
"""What of a running text stands as code: in backticks, a string, a name of several words, a file of proofs."""
LONG = 12
WIDE = 7
"""Numbers below 10 to this power are shown without a power of ten."""


def formula_html(text: str) -> str:
    """`text` as HTML; numbers of more than 12 characters are rounded to four digits and say so."""
    text = re.sub(r"'(-?\d[\d.,/]*)'", r"\1", text)  # numbers that stand in a list as strings
    text = APOSTROPHE.sub("\u2019", text)
    done, at = [], 0
    carried: re.Pattern[str] | None = None
    while at < len(text):
        script = carried and carried.match(text, at)
        if script:
            inner, at = _argument(text, at)
            tag, inner = "sub" if script[0] == "_" else "sup", LESS.sub(MINUS, PRODUCT.sub(r"\1 \2", inner))
            done.append(f"<{tag}>{formula_html(inner)}</{tag}>")
            continue
        token = TOKEN.match(text, at)
        assert token is not None
        at = token.end()
        kind, part = str(token.lastgroup), token[0]
        if kind in ("letter", "greek"):
            part, at = _accented(GREEK.get(part, part), text, at)
            done.append(f"<i>{part}</i>")
        elif kind == "product":
            done += [f"<i>{letter}</i>" for letter in part]
        else:
            done.append(_plain(kind, part))
        carried = SCRIPT if kind in CARRIERS or part in BASES else POWER if kind == "word" else None
    return "".join(done)


def text_html(text: str) -> str:
    """Running text as HTML: code in backticks, strings and long names as they stand, the rest with its formulas set."""
    done, at, text = [], 0, text.replace("!=", "\u2260")
    for found in CODE.finditer(text):
        done.append(formula_html(text[at : found.start()]))
        done.append(f"<code>{html.escape(next(part for part in found.groups() if part))}</code>")
        at = found.end()
    return "".join([*done, formula_html(text[at:])])


def decimal_html(value: decimal.Decimal) -> str:
    """A decimal with its digits in groups, and with a power of ten if it is very large or very small."""
    size = value.adjusted()
    if not value or -4 <= size < max(WIDE, len(value.as_tuple().digits)):
        plain = f"{value:,f}"
        power = ""
    else:
        plain = f"{value.scaleb(-size):f}"
        power = f"10<sup>{size}</sup>"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return (_times(plain, power) if power else plain).replace("-", MINUS)


def _times(factor: str, power: str) -> str:
    return power if factor == "1" else factor + TIMES + power


def _plain(kind: str, part: str) -> str:
    if kind == "number":
        return _number(part)
    return html.escape(KINDS.get(kind) or SIGNS.get(part, part))


def _accented(letter: str, text: str, at: int) -> tuple[str, int]:
    """The letter with the accents and primes that follow it, and where the text goes on."""
    for accent, mark in ACCENTS.items():
        if text.startswith(accent, at):
            letter, at = letter + mark, at + len(accent)
    while text.startswith("'", at) and not re.match(r"'[A-Za-z]", text[at : at + 2]):
        letter, at = letter + "\u2032", at + 1
    return letter, at


def _argument(text: str, at: int) -> tuple[str, int]:
    """What the script sign at `at` raises or lowers, without its braces, and where the text goes on."""
    start = at + 1
    if text[start] in OPEN:
        depth = 0
        for end in range(start, len(text)):
            depth += (text[end] in OPEN) - (text[end] in OPEN.values())
            if depth == 0:
                return text[start + 1 : end], end + 1
    simple = SIMPLE[text[at]].match(text, start)
    return (simple[0], simple.end()) if simple else (text[start : start + 1], start + 1)


def _number(part: str) -> str:
    """A number in full where it is short, else to four digits; next to a whole number, by how far it is off."""
    sign, part = MINUS * part.startswith("-"), part.removeprefix("-")
    mantissa, has_power, power = part.partition("e")
    if has_power:
        short = mantissa if len(mantissa) <= LONG else f"{float(mantissa.replace(',', '')):.4g}"
        return sign + _times(short, f"10<sup>{power.lstrip('+').lstrip('0') or 0}</sup>").replace("-", MINUS)
    if len(part) <= LONG:
        return sign + part
    with decimal.localcontext(prec=len(part), Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN) as context:
        numerator, _, denominator = part.replace(",", "").partition("/")
        value = decimal.Decimal(numerator) / decimal.Decimal(denominator or 1)
        whole = value.to_integral_value()
        off = value - whole
        context.prec = 4
        if 0 < whole < 10**LONG and 0 < abs(off) < decimal.Decimal("0.001"):
            away = "+" if (off > 0) != bool(sign) else MINUS
            return f"\u2248{sign}{int(whole):,} {away} {decimal_html(+abs(off))}"
        return "\u2248" * (+value != value) + sign + decimal_html(+value)
