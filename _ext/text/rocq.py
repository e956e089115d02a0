r"""Terms of Rocq and its library of mathematics, as `\sum_(i < n) x i`, set as the book sets formulas: HTML, no script.

What is not understood stays as it was written, so that nothing is said which the proof does not say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from uatlib.internal.formula_html import GREEK, MINUS

Place = Callable[[str], str | None]
"""Where a name is told: an address, or None."""
FILE = re.compile(r"\w+\.v")

# Types as Rocq prints them, and as one writes them: the first parts undo what its library needs to find structures.
ATOMIC = r"([\w']+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))"
SET = r"((?:'I_)?(?:\w+|\((?:[^()]|\([^()]*\))*\)))"
CLAIM = r"(?:[^()]|\([^()]*\))*?(?:==|!=|<=|(?<=\s)<(?=\s)|&&|\\in\b)(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
PRINTED = [
    (re.compile(r"\btrue%:R"), "1"),
    (re.compile(rf"\(({CLAIM})\)(?:%[NRO])?%:R"), r"\\one (\1)"),
    (re.compile(r"\[pred (\w+(?: (?:in|:) [^|\[\]]*)?) \| ((?:[^\[\]]|\[[^\[\]]*\])*)\]"), r"{\1 | \2}"),
    (re.compile(r"\.\+1\.-1"), ""),
    (re.compile(r"(?<![\w'.)] )\b1 \*- (?=[\w(])"), "- "),
    (re.compile(r"\[set: [^\[\]]*\]"), "setT"),
    (re.compile(r"\{within\b"), r"{\\within"),
    (re.compile(r"(\bseq \([^()]*\)) \* "), r"\1 \\times "),
    (re.compile(r"\(\* *(.*?) *\*\)", re.DOTALL), r"⟨\1⟩"),
    (re.compile(r" \(\w+:=[^()]*\)"), ""),
    (re.compile(r"%:(?:R|~R|Z|E)|%(?:N|R|Z|E|g|O|classic|type)\b"), ""),
    (re.compile(r"\[arg (max|min)_\((\w+)[^()]*\) *((?:[^\[\]]|\[[^\[\]]*\])*)\]"), r"\\arg\1_\2 (\3)"),
    (re.compile(r"(?<![\\\w])(max|min|sum|prod)_\("), r"\\\1_("),
    (re.compile(r"@ *\[([^\[\]]*-->[^\[\]]*)\]"), r"(\\as \1)"),
    (re.compile(r"`\[< (.*?) >\]", re.DOTALL), r"(\1)"),
    (re.compile(r"\{subset ([^{}]+?) <= ([^{}]+)\}"), r"(\1 \\subset \2)"),
    (re.compile(r"\{: *(\w+)\}"), r"\1"),
    (re.compile(r"\{: *((?:[^{}]|\{[^{}]*\})*)\}"), r"(\1)"),
    (re.compile(r"\bfun=>"), "fun _ =>"),
    (re.compile(r"(\w+|\([^()]*\))\./2"), r"(\1 %/ 2)"),
    (re.compile(rf"{ATOMIC}\.\*2\.\+1"), r"(\1 * 2 + 1)"),
    (re.compile(rf"{ATOMIC}\.\*2\b"), r"(\1 * 2)"),
    (re.compile(r"(?<![\w'])\(\(([^()]*)\)\)"), r"(\1)"),
    (re.compile(r"\b1%:M"), r"\\identity"),
    (re.compile(r"(\w+|\((?:[^()]|\([^()]*\))*\))%:M"), r"(\1 *: \\identity)"),
    (re.compile(r"%:P"), ""),
    (re.compile(r"'X(?!\w)"), "X"),
    (re.compile(r"'C\("), "binomial ("),
    (re.compile(r"'D_(\w)"), r"D_\1"),
    (re.compile(r" %\[mod ([^\[\]]*)\]"), r" (\\mod \1)"),
    (re.compile(r"\[set (`?\[[^\[\]]*\])\]"), r"\1"),
    (re.compile(r"\[:: +"), "[::"),
    (re.compile(r"\b([A-Za-z])('+)(\d+)\b"), r"\1\3\2"),
    (re.compile(r"\w*?(lebesgue_measure)_\w+__canonical__\w+"), r"\1"),
    (re.compile(r"\w+__canonical__\w+ \(R\.-ocitv\.-measurable\)"), "R"),
    (re.compile(r"\b(nat|bool)_\w+Type\b"), r"\1"),
    (re.compile(r"\bmatrix_\w+Type (\w+) (\w+(?:\.\+1)?|\([^()]*\)) (\w+(?:\.\+1)?|\([^()]*\))"), r"'M[\1]_(\2, \3)"),
    (re.compile(r"\bfinfun_\w+ (\w+) ('I_\w+)"), r"{ffun \1 -> \2}"),
    (re.compile(r"\{ffun "), "{"),
    (re.compile(r"\[ffun ([^\[\]]*)\]"), r"(\1)"),
    (re.compile(r"\[\w+Type of ([\w']+)\]"), r"\1"),
    (re.compile(r"\[\w+Type of ([^\[\]]+)\]"), r"(\1)"),
    (re.compile(r"\[eta ([^\[\]]+)\]"), r"\1"),
    (re.compile(r"\b(?:[A-Z]\w*\.)*[a-z]\w*_\w*[tT]ype (R\b)"), r"\1"),
    (re.compile(r"\b(?:[A-Z]\w*\.)*(?:real|Real)\w*\.sort (R\b)"), r"\1"),
    (re.compile(r"\b(?:real|num|matrix)\w*Type (\w+(?:\.\+1)?) (\w+(?:\.\+1)?) R\b"), r"'M_(\1, \2)"),
    (re.compile(r"\b(?:Zp_zmodType ([\w']+)\.\+1|Zp_ringType ([\w']+))"), r"'I_(\1\2.+2)"),
    (re.compile(r"\bordinal_\w+ (\w+|\([^()]*\))"), r"'I_\1"),
    (re.compile(r"\(('I_\w+)\)"), r"\1"),
    (re.compile(rf"\bprod_\w+ {SET} {SET}"), r"\1 \\times \2"),
]
SIGNS = {
    "forall": "∀", "exists": "∃", "exists2": "∃", "<=": "≤", ">=": "≥", "!=": "≠", "<>": "≠", "==": "=", "->": "→",
    "<->": "↔", "<-": "∈", "=>": "↦", "/\\": "∧", "\\/": "∨", "&&": "∧", "||": "∨", "~~": "¬", "~": "¬", "\\in": "∈",
    "\\notin": "not in", "*m": "·", "*:": "·", "*": "·", "-": MINUS, "\\o": "∘", "=1": "=", ":=": ":=",
    "=i": "<em>has the same members as</em>", "=2": "=", ":>": "<em>in</em>", "==>": "→", "-->": "<em>tends to</em>",
    ":|:": "∪", ":&:": "∩", "%/": "<em>div</em>", "%%": "<em>mod</em>", "[::": "[", "{|": "⟨", "|}": "⟩",
    "\\subset": "⊂", "`<=`": "⊆", "`*`": "×", "\\is": "is", "&": "<em>and</em>", "\\as": "<em>as</em>", "\\forall": "∀",
    "\\near": "<em>near</em>", "\\rank": "rank", "\\bar": "extended", "\\_": "<em>on</em>", "\\identity": "<b>I</b>",
    "\\mod": "<em>mod</em>", "\\one": "<b>1</b>", "\\within": "within", "\\times": "×",
}  # fmt: skip
WORDS = {
    "R": "<b>R</b>", "nat": "<b>N</b>", "int": "<b>Z</b>", "expR": "exp", "Num.max": "max",
    "Num.min": "min", "Num.sqrt": "√",
    "perm_mx": "<b>P</b>", "const_mx": "const", "col_mx": "stack", "row_mx": "join", "delta_mx": "<b>E</b>",
    "codom": "values", "xpred0": "nowhere", "predT": "everywhere", "setT": "everywhere", "minn": "min", "maxn": "max",
    "normr": "norm", "ord0": "0", "Posz": "", "ord_max": "last", "true": "true", "oo": "∞",
    "finType": "<em>a finite set</em>", "realType": "<em>the real numbers</em>",
    "realFieldType": "<em>an ordered field</em>", "fieldType": "<em>a field</em>", "ringType": "<em>a ring</em>",
    "rcfType": "<em>a real closed field</em>", "pseudoMetricType": "<em>a metric space over</em>",
    "measurableType": "<em>a space with measurable sets</em>", "seq": "<em>list of</em>",
    "eqType": "<em>any set</em>", "zmodType": "<em>an additive group</em>",
    "rel": "<em>a relation on</em>", "set": "<em>set of</em>", "Num.bound": "<em>a whole number above</em>",
    "set0": "<em>the empty set</em>",
}  # fmt: skip
KEYWORDS = {"if", "then", "else", "let", "in", "is", "match", "with", "end", "as", "of"}
BIG = {"sum": "∑", "prod": "∏", "max": "max", "min": "min", "bigcup": "union ", "bigcap": "intersection "}
BIG |= {"int": "∫", "1": "<b>1</b>"}
TOKEN = re.compile(
    r"(?P<big>\\(?:sum|prod|max|min|bigcup|bigcap|argmax|argmin|matrix|row|col|poly|big|(?:int|big)\[[^\[\]]*\]|1)_)"
    r"|(?P<type>'(?:M|cV|rV|I|S)(?:\[[^\[\]]*\])?_)"
    r"|(?P<flipped>\^~\s*)"
    r"|(?P<transposed>\^T(?!\w))"
    r"|(?P<power>\^-1(?!\w)|\s*\^[+-]?(?=[\s\w('#])\s*)"
    r"|(?P<step>\.[+-][0-9])"
    r"|(?P<part>\.[12](?!\w))"
    r"|(?P<space>\s+)"
    r"|(?P<all>\[/\\\s*)|(?P<fun>fun\b\s*)"
    r"|(?P<sign>\\\w+|/\\|\\/|<->|<-|-->|->|==>|=>|`<=`|`\*`|<=|>=|!=|<>|==|&&|\{\||(?<=\s)\|\}|\|\||~~|~|\*m|\*:|=[12i]\b|:=|:>|:[|&]:|%/|%%|\[::|[*&-])"
    r"|(?P<number>\d[\d.]*(?!\w))"
    r"|(?P<word>@?[A-Za-z_][\w']*(?:\.[A-Za-z]\w*)*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
VARIABLE = re.compile(r"([A-Za-z])([0-9]*)((?:_[A-Z0-9][0-9]?|_[a-z0-9])?)('*)")
HELD = re.compile(r"(?!in\b|is\b|of\b|as\b|if\b)[A-Za-z](?:_?\w)?'*(?![\w'])|: |\d")
"""What stays on a line with the name before it: x of f x, and the colon of x : R."""
ATOM = re.compile(r"\s+((?:#\||[@?]?\w|\()[\w']*)")
"""What a function may be applied to."""
MARK = re.compile(r"\.[+-]?\d+")
APPLIED = re.compile(r"(?<![\\\w'])[@?]?([A-Za-z_][\w']*(?:\.[A-Za-z]\w*)*)\s+$|(?:[)\]]|\.[+-]\d)\s+$")
"""A function, or one with its first arguments, before an argument."""
FACTOR = re.compile(r"(?:\*[:m]?|%/|%%|/|-)\s*$")
TIMES = re.compile(r"(?:\.[+-][0-9])*\s*(?:\*|%/|%%|/(?!\\))")
RAISED = re.compile(r"(?:\.[+-][0-9])*(\^-1(?!\w)|\s*\^)")
OPEN = {"(": ")", "[": "]", "{": "}"}
SUMS = {"sum", "prod", "max", "min", "big", "int", "bigcup", "bigcap"}
"""What they are of ends before a plus."""
JOINS = {",", "&", "/\\", "\\/", "->", "<->", "=>", ":=", "&&", "||", "==>", "then", "else", "in", "with"}
RELATIONS = {"=", "==", "!=", "<", "<=", ">=", ">", "<>", "=i", "=1", "=2", "\\in", "\\notin", "`<=`"}
BINDERS = {"forall", "exists", "exists2", "\\forall"}
AFTER = {",": ",", "&": " <em>and</em>", "": ""}
SHORT, BOUND = 14, 30
"""Signs in brackets up to which no line ends there; and of names with their type."""


def term_html(term: str, place: Place = lambda _: None) -> str:
    """A term as HTML; names that have a place are links. The name of a file is no term."""
    if FILE.fullmatch(term):
        return f"<code>{escape(term)}</code>"
    before = ""
    while before != term:  # one may lie in another
        before = term
        for found, put in PRINTED:
            term = found.sub(put, term)
    return _html(_bare(term), place)


def stated_term(statement: str) -> str:
    """A statement as a term: what is bound before the colon is what it holds for."""
    depth = 0
    for at, sign in enumerate(statement):
        depth += (sign in OPEN) - (sign in OPEN.values())
        if sign == ":" and depth == 0 and statement[at + 1 : at + 2] != "=":
            bound, claim = statement[:at].strip(), statement[at + 1 :].strip()
            return f"forall {bound},\n  {claim}" if bound else claim
    return statement


def _bare(term: str) -> str:
    """Without brackets around all of it."""
    if term.startswith("(") and term.endswith(")"):
        inner, at = argument(term, 0)
        if at == len(term):
            return inner
    return term


def _html(term: str, place: Place) -> str:
    done: list[str] = []
    held = False  # no line ends between f and x, or ∀ and x
    at = begin = words = 0  # where the application that stands here begins, and how many names it has
    opened: list[tuple[int, int, int, int]] = []  # brackets, with what stands before the atom that they are
    bars: list[tuple[int, int]] = []  # of |x| the same
    atom = [0, 0]  # where the last one begins: in what is done, and in the term
    while at < len(term):
        token = TOKEN.match(term, at)
        assert token is not None
        at, kind, part, group = token.end(), str(token.lastgroup), token[0], False
        if kind in ("word", "number"):
            atom = [len(done), token.start()]
        elif part == "(":
            opened.append((len(done), token.start(), begin, words))
        elif part == "|" and term[token.start() - 1 : token.start()] in ("`", "#"):
            bars.append((begin, words))
        if kind == "word" and part not in SIGNS and part not in KEYWORDS:
            begin, words = (begin if words else len(done)), words + 1
        elif kind == "number":
            words += bool(words)
        elif part == ")" and opened:
            *atom, begin, words = opened.pop()
            group = True
            words += bool(words)
        elif part == "|" and bars and term[token.start() - 1 : token.start()] not in ("`", "#"):
            begin, words = bars.pop()
            words += bool(words)
        elif part in ("`", "#"):
            pass
        elif kind == "power" and words > 1 and part != "^-1":  # which binds tighter than an application
            done[begin:] = ["(", *done[begin:], ")"]  # or ln n ^+ 2 would be read as ln of a square
            words = 0
        elif kind == "step":
            words += words == 1 and not _united(term, atom[1], at, words)  # n.+1 ^+ 2 likewise
        elif kind not in ("space", "part", "number") and part != "^-1":
            words = 0
        if part == "~" and (end := _denied(term, at)):
            done.append(f"¬ ({_html(term[at:end].strip(), place)}) ")
            at = end
            continue
        if kind == "space" and part == " " and (HELD.match(term, at) if words or held else term.startswith(": ", at)):
            part = "\u00a0"
        held = part in ("forall", "exists", "~~", "~")
        if part == "⟨":  # a comment: English, of which no word is a name
            end = term.index("⟩", at) + 1
            done.append(escape(term[at - 1 : end], quote=False))
            at = end
        elif kind == "big":
            inner, at = argument(term, at)
            name = _folded(part[1:-1])
            sign = f"{BIG.get(name, f'{name} ')}<sub>{_html(inner, place)}</sub>\u202f"
            at += term[at : at + 1] == " "
            end, stop = _until(term, at, {"+", "-", *JOINS, *RELATIONS})
            if stop in ("+", "-") and part[1:-1].partition("[")[0] in SUMS:
                done.append(f"({sign}{_html(term[at:end].rstrip(), place)}) ")
                at = end
            else:
                done.append(sign)
        elif kind == "type":
            first = at
            inner, at = argument(term, at)
            if (marked := _marked(term, at)) > at:
                inner, at = term[first:marked], marked
            done.append(_type(part, inner, place))
        elif kind == "power":
            if part == "^-1":
                done.append(f"<sup>{MINUS}1</sup>")
                continue
            inner, at = _exponent(term, at)
            done.append(f"<sup>{MINUS * ('-' in part)}{_html(inner, place)}</sup>")
        elif kind == "flipped":
            inner, at = argument(term, at)
            done.append(f"(·, {_html(inner, place)})")
        elif kind == "transposed":
            done.append("<sup>T</sup>")
        elif kind == "step":
            step = f"{MINUS if part[1] == '-' else '+'}{part[2]}"
            if _united(term, atom[1], at, words):
                while found := re.compile(r"\.([+-])([0-9])").match(term, at):
                    step, at = f"{step}{MINUS if found[1] == '-' else '+'}{found[2]}", found.end()
                done[atom[0] :] = ["(", *done[atom[0] :], step, ")"]
            else:
                done.append(step)
        elif kind == "part":
            if MARK.search(term[atom[1] : token.start()]) and term[token.start() - 2 : token.start()] in (".1", ".2"):
                done[atom[0] :] = ["(", *done[atom[0] :], ")"]
            done.append(f"<sub>{part[1]}</sub>")
        elif kind == "all":
            done.append("[<em>all of</em> ")
            inner, end = argument(term, token.start())
            if end > at:  # or only its first line is shown
                done += [*_items(inner[2:], place), "]"]
                at = end
        elif kind == "fun":
            continue
        elif kind == "sign":
            if part == "-" and re.search(r"(?:^|[(,=<>]) *$|\|$", term[: at - 1]):
                at += term[at : at + 1] == " "  # the sign of what follows
            done.append(_sign(part, term[at:], "".join(done)))
        elif kind == "word":
            done.append(_word(part, place))
        elif kind == "other" and part in "`#":
            continue  # of `|x| and #|J|
        else:
            done.append(escape(part, quote=False))
            if group:
                done[atom[0] :] = [_held("".join(done[atom[0] :]))]
    return "".join(done)


def _held(group: str) -> str:
    """What stands in brackets: if it is short no line ends in it."""
    shown = re.sub(r"<[^<>]*>|&\w+;", "", group)
    short = len(shown) <= (BOUND if re.search(r"\s:\s", shown) else SHORT)
    return re.sub(r"(<[^<>]*>)| ", lambda at: at[1] or "\u00a0", group) if short else group


def _until(term: str, at: int, stops: set[str]) -> tuple[int, str]:
    """Where one of these signs comes next, in no bracket, and which; or the end, or a bracket that closes."""
    depth, first = 0, True
    while at < len(term):
        token = TOKEN.match(term, at)
        assert token is not None
        part, kind = token[0].strip(), token.lastgroup
        if depth == 0 and part in stops and not (first and part == "-"):
            return at, part
        if kind in ("type", "big") and term[token.end() : token.end() + 1] in OPEN:
            at = argument(term, token.end())[1]
            continue
        depth += (part[:1] in OPEN) - (part[-1:] in OPEN.values())
        if depth < 0:
            break
        first, at = first and kind == "space", token.end()
    return at, ""


def _denied(term: str, at: int) -> int:
    """Where what is denied ends, if it compares before an "or": it needs brackets, or one reads on behind that."""
    end, stop = _until(term, at, JOINS)
    compares = stop in ("/\\", "\\/", "&") and _until(term, at, {*JOINS, *RELATIONS, *BINDERS})[1] in RELATIONS
    return end if compares else 0


def claims(inner: str) -> Iterator[tuple[str, str]]:
    r"""What A, B & C of [/\ A, B & C] are, and what ends each; a comma or an & that a quantifier has ends none."""
    at = begin = commas = ands = 0
    while at <= len(inner):
        end, stop = _until(inner, at, {",", "&", *BINDERS})
        at = end + len(stop) if stop else len(inner) + 1
        if stop in BINDERS:
            commas, ands = commas + 1, ands + (stop == "exists2")
        elif (stop == "," and commas) or (stop == "&" and ands):
            commas, ands = commas - (stop == ","), ands - (stop == "&")
        else:
            yield inner[begin:end], stop
            begin = at


def _items(inner: str, place: Place) -> Iterator[str]:
    """These claims; where one of the first has a quantifier or a condition it stands in brackets."""
    for k, (item, stop) in enumerate(claims(inner)):
        said, lead = item.strip(), item[: len(item) - len(item.lstrip())] if k else ""
        split = stop and _until(said, 0, {"->", *BINDERS})[1]
        shown = f"({_html(said, place)})" if split else _html(said, place)
        yield f"{lead}{shown}{AFTER[stop]}"


def _united(term: str, start: int, end: int, words: int) -> bool:
    """Whether n.+1 needs brackets: as an argument, as a factor, behind a minus, or if more than a name is raised."""
    before = APPLIED.search(term[:start])
    applied = before is not None and (before[1] is None or (before[1] not in SIGNS and before[1] not in KEYWORDS))
    beside, power = FACTOR.search(term[:start]) or TIMES.match(term, end), RAISED.match(term, end)
    return applied or bool(beside) or bool(power and (not words or power[1] == "^-1"))


def _folded(name: str) -> str:
    """What a big sign does: big[Num.max/0] takes a maximum, int[mu] an integral."""
    if name.startswith("big["):
        return "sum" if "add" in name else "max" if "max" in name else "product" if "mul" in name else name
    return name.partition("[")[0]


def _sign(part: str, after: str, before: str) -> str:
    """A sign; of types * is a product, and a minus without a space behind it belongs to what follows."""
    if part == "*" and (
        re.match(r"\s*(?:[A-Z]\w*\s*\*\s*)*\(?'[IM]", after)
        or (re.search(r"\]|: <i>[A-Z]</i>$", before.rstrip()[-10:]) and re.match(r"\s*[A-Z](?!\w)", after))
    ):
        return "×"
    if part == "~" and not re.match(r"\s", after) and before.endswith("^"):
        return part
    return SIGNS.get(part, escape(part, quote=False))


def _word(part: str, place: Place) -> str:
    name = part.lstrip("@")
    if part[0].islower() and "." in part:  # of another file, as a newer name hides it
        part = part.rpartition(".")[2]
    if part in SIGNS or part in WORDS:
        return SIGNS.get(part, WORDS.get(part, ""))
    where = place(name)
    if where:
        return f'<a href="{where}">{_word(part.lstrip("@"), lambda _: None)}</a>'
    if found := VARIABLE.fullmatch(part):
        letter, digits, index, primes = found.groups()
        low = f"<sub>{digits}{index[1:]}</sub>" if digits or index else ""
        return f"<i>{letter}</i>{low}{'′' * len(primes)}"
    greek = re.fullmatch(r"([A-Za-z]+?)_?(\d*)('*)", part)
    if greek and greek[1] in GREEK:
        return f"<i>{GREEK[greek[1]]}</i>{f'<sub>{greek[2]}</sub>' * bool(greek[2])}{'′' * len(greek[3])}"
    return escape(part.lstrip("@"), quote=False)


def _type(part: str, inner: str, place: Place) -> str:
    """'I_n is [n], the numbers below n; 'M_(d, n) a matrix; vectors are columns, or rows."""
    kind = part.strip("'_").partition("[")
    over = _html(kind[2].rstrip("]"), place) or "<b>R</b>"
    size = _html(inner, place)
    if kind[0] == "I":
        return f"[{size}]"
    if kind[0] == "S":
        return f"<i>S</i><sub>{size}</sub>"
    sides = [f"({side})" if re.search(rf"[+{MINUS}]", side) else side for side in size.split(", ")]
    high = {"M": " × ".join(sides * 2 if len(sides) == 1 else sides), "cV": size, "rV": f"1 × {sides[0]}"}[kind[0]]
    return f"{over}<sup>{high}</sup>"


def _exponent(term: str, at: int) -> tuple[str, int]:
    """What is raised to: an atom, or a function and all that it is applied to, which binds tighter."""
    inner, end = argument(term, at)
    now = _marked(term, end)
    if now == end and inner != term[at:end] and not ATOM.match(term, now):
        return inner, now  # brackets around all of it go
    while not term[at : at + 1].isdigit() and (found := ATOM.match(term, now)):
        if found[1] in SIGNS or found[1] in KEYWORDS:
            break
        now = _marked(term, argument(term, found.start(1))[1])
    return term[at:now], now


def _marked(term: str, at: int) -> int:
    """Where the marks .+1, .-1, .1 end, which bind tightest."""
    while found := MARK.match(term, at):
        at = found.end()
    return at


def argument(term: str, at: int) -> tuple[str, int]:
    """The script that begins there, without its brackets, and where the term goes on."""
    if term[at : at + 1] in OPEN:
        depth = 0
        for end in range(at, len(term)):
            depth += (term[end] in OPEN) - (term[end] in OPEN.values())
            if depth == 0:
                return term[at + 1 : end], end + 1
    found = re.compile(r"(?:#\|[^|]*\||[@?]?[\w']+)(?:\.[+-]?\d+)?").match(term, at)
    return (found[0], found.end()) if found else ("", at)
