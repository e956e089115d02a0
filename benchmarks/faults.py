"""Single faults in Python and in JavaScript: which there are in a tree, and where one of them stands in another."""

from __future__ import annotations

import ast
import functools
import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pygments.lexers import JavascriptLexer
from pygments.token import Comment, Name, Number, Operator, String, Token
from size import code_lines, script_lines

PACKAGES = ("uatlib/", "uatbook/", "explorables/src/explorables/", "_ext/")
SCRIPTS = (*PACKAGES, "assets/")

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "is": "is not"}
COMPARISONS |= {wrong: right for right, wrong in COMPARISONS.items() if wrong.startswith(("not", "is"))}
OPERATORS = {"+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "//", "**": "*", "&": "|", "|": "&"}
PAIRS = ("min max", "any all", "minimum maximum", "floor ceil", "argmin argmax", "zeros ones", "triu tril", "sum prod")
TWINS = {name: twin for pair in PAIRS for name, twin in itertools.permutations(pair.split())}
NUMBERS = re.compile(r"\b(int|float|Fraction|Any|Array|ndarray|Tensor|Number|Native)\b")

Edit = tuple[str, int, int, str]
"""Its kind, the first byte, the byte behind the last, and what stands there instead."""


class Source:
    """The text of a module, by bytes, as `ast` counts columns; of a script, in which all is one function."""

    def __init__(self, text: str, python: bool) -> None:
        self.data = text.encode()
        self.starts = [0, *(m.end() for m in re.finditer(b"\n", self.data))]
        self.tree = ast.parse(text if python else "")
        self.texts = [line.strip() for line in text.splitlines()]
        self.places: dict[str, list[int]] = {}
        for at, line in enumerate(self.texts, 1):
            self.places.setdefault(line, []).append(at)
        self.spans = functions(self.tree)

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def text(self, start: int, end: int) -> str:
        return self.data[start:end].decode()

    def line(self, place: int) -> int:
        return self.data.count(b"\n", 0, place) + 1

    def function(self, line: int) -> str:
        """The innermost function or class around a line."""
        around = [name for name, (first, last) in self.spans.items() if first <= line <= last]
        return max(around, key=lambda name: self.spans[name][0])

    def lines(self, first: int, last: int) -> str:
        """The lines, each without its indentation."""
        return _stripped(self.text(self.starts[first - 1], (*self.starts, len(self.data))[last]))


def _stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())


def edits(node: ast.AST, source: Source, returns: str) -> Iterator[Edit]:
    """What can be wrong with this node itself; `returns` is the annotation of the function around it."""
    start, end = source.span(node) if hasattr(node, "lineno") else (0, 0)
    whole = source.text(start, end)
    match node:
        case ast.Compare():
            for a, b in itertools.pairwise([node.left, *node.comparators]):
                yield from _operator(source, "comparison", a, b, COMPARISONS)
        case ast.BinOp() if not (_is_text(node.left) or _is_text(node.right)):
            yield from _operator(source, "operator", node.left, node.right, OPERATORS)
        case ast.BoolOp():
            for a, b in itertools.pairwise(node.values):
                yield from _operator(source, "and, or", a, b, {"and": "or", "or": "and"})
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield "negation", start, end, f"({source.text(*source.span(node.operand))})"
        case ast.Constant(value=bool()):
            yield "constant", start, end, str(not node.value)
        case ast.Constant(value=int() | float()):
            yield "constant", start, end, repr(node.value + 1)
            if node.value > 0:
                yield "constant", start, end, repr(node.value - 1)
        case ast.Subscript(slice=ast.Name() | ast.BinOp(), ctx=ast.Load()):
            yield "index", *_index(source, node.slice)
        case ast.Slice():
            for bound in filter(None, (node.lower, node.upper)):
                yield "index", *_index(source, bound)
        case ast.Name(id=name) if name in TWINS:
            yield "twin", start, end, TWINS[name]
        case ast.Attribute(attr=name) if name in TWINS:
            yield "twin", end - len(name), end, TWINS[name]
        case ast.If() if all(isinstance(part, ast.Raise) for part in node.body):
            yield "guard", *source.span(node.test), "False"
        case ast.If() | ast.IfExp():
            a, b = source.span(node.test)
            yield "condition", a, b, f"not ({source.text(a, b)})"
        case ast.comprehension(ifs=[test, *_]):
            yield "filter", *source.span(test), "True"
        case ast.Return(value=ast.BinOp() | ast.Call() | ast.Name() | ast.Subscript()) if NUMBERS.search(returns):
            yield "sign", start, end, f"return -({whole.removeprefix('return ')})"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
            yield "statement", start, end, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement", start, end, "pass"


def _operator(source: Source, kind: str, a: ast.expr, b: ast.expr, wrong: dict[str, str]) -> Iterator[Edit]:
    start, end = source.span(a)[1], source.span(b)[0]
    between = source.text(start, end)
    sign = " ".join(between.translate(str.maketrans("()", "  ")).split())
    if sign in wrong and sign in between:
        start += between.index(sign)
        yield kind, start, start + len(sign), wrong[sign]


def _index(source: Source, node: ast.expr) -> tuple[int, int, str]:
    start, end = source.span(node)
    return start, end, f"{source.text(start, end)} - 1"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def walk(node: ast.AST, name: str = "", returns: str = "") -> Iterator[tuple[ast.AST, str, str]]:
    """All nodes whose faults count, each with its function: no annotations, texts of errors, imports, formats."""
    yield node, name, returns
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            texts = isinstance(child, ast.Assign) and getattr(child.targets[0], "id", "") == "__all__"
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr, ast.Assert)) or texts:
                continue
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                said = getattr(child, "returns", None)
                yield from walk(child, f"{name}.{child.name}".lstrip("."), ast.unparse(said) if said else "")
            else:
                yield from walk(child, name, returns)


IN_SCRIPTS = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "==="},
    "operator": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "*"},
    "and, or": {"&&": "||", "||": "&&"},
    "twin": {a: b for pair in ("min max", "floor ceil", "some every") for a, b in itertools.permutations(pair.split())},
}
STATEMENT = re.compile(r"(?<=[;{}]\n) *([\w.$]+(?:\[[\w.]+\])*(?:\(.*\)| [-+*]?= .*);)$", re.MULTILINE)
"""On a line of its own, it calls something, or assigns to what there is."""


def script_edits(text: str) -> Iterator[Edit]:
    """What can be wrong in a script, by its tokens."""
    data, at, tokens, opened = text.encode(), 0, [(0, Token, "")], []
    for kind, part in JavascriptLexer(stripnl=False, ensurenl=False).get_tokens(text):
        if kind not in Comment and part.strip():
            tokens.append((at, kind, part))
        at += len(part.encode())
    tokens.append((at, Token, ""))
    for before, (start, kind, part), after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        end = start + len(part.encode())
        binary = before[1] in Name or before[1] in Number or before[2] in (")", "]")
        for name, wrong in IN_SCRIPTS.items() if kind in Operator or kind in Name else ():
            texts = name == "operator" and (not binary or before[1] in String or after[1] in String)
            if part in wrong and not texts and (name != "twin" or before[2] == "."):
                yield name, start, end, wrong[part]
        if kind in Number and re.fullmatch(r"\d+(\.\d+)?", part):
            value = float(part) if "." in part else int(part)
            yield from (("constant", start, end, repr(value + more)) for more in (1, -1) if value + more >= 0)
        if part == "(":
            opened.append((start, before[2] == "if"))
        if part == ")" and opened and (pair := opened.pop())[1]:
            yield "condition", pair[0], end, f"(!{data[pair[0] : end].decode()})"
    for found in STATEMENT.finditer(text):
        start = len(text[: found.start(1)].encode())
        yield "statement", start, start + len(found[1].encode()), ";"


class Fault(NamedTuple):
    """In a function the lines `line` become `wrong`; `nth` of those that read alike."""

    module: str
    function: str
    kind: str
    line: str
    wrong: str
    nth: int = 0

    @classmethod
    def of(cls, entry: dict[str, Any]) -> Fault:
        return cls(**{name: entry[name] for name in cls._fields})


def all_faults(tree: Path, module: str) -> list[Fault]:
    """Every fault that this script knows, in a module."""
    source, faults = read(str(tree / module)), []
    if module.endswith(".js"):
        found = [("", script_edits(source.data.decode()))]
    else:
        found = ((name, edits(node, source, returns)) for node, name, returns in walk(source.tree))
    for name, each in found:
        for kind, start, end, text in each:
            first, last = source.line(start), source.line(end)
            line = source.lines(first, last)
            head, tail = source.starts[first - 1], (*source.starts, len(source.data))[last]
            wrong = _stripped(source.text(head, start) + text + source.text(end, tail))
            places = matches(source, name, line)
            if first in places and '"""' not in line and line != wrong:
                faults.append(Fault(module, name, kind, line, wrong, places.index(first)))
    return faults


@functools.cache
def read(path: str) -> Source:
    return Source(Path(path).read_text(encoding="utf-8"), path.endswith(".py"))


def compiles(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def functions(tree: ast.Module) -> dict[str, tuple[int, int]]:
    """First and last line of each function and class, and "" for the module."""
    spans = {"": (0, 10**9)}
    for node, name, _ in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            spans[name] = (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or 0)
    return spans


def matches(source: Source, name: str, line: str) -> list[int]:
    """The lines of a function, but not of one inside it, where this text begins."""
    texts = line.split("\n")
    return [
        at
        for at in source.places.get(texts[0], ())
        if source.texts[at - 1 : at - 1 + len(texts)] == texts and source.function(at) == name
    ]


@functools.cache
def modules(tree: Path) -> list[str]:
    python = (p for name in PACKAGES for p in (tree / name).rglob("*.py"))
    scripts = (p for name in SCRIPTS for p in (tree / name).rglob("*.js") if p.parent.name != "katex")
    return sorted(str(p.relative_to(tree)) for p in (*python, *scripts))


def drawn(tree: Path, count: int, seed: int) -> list[Fault]:
    """So many faults: the module by its code lines, of it a kind, of that one fault."""
    names = modules(tree)
    weights = [len((code_lines if name.endswith(".py") else script_lines)(tree / name)) for name in names]
    rng, known, faults = random.Random(seed), {}, {}
    while len(faults) < count:
        (name,) = rng.choices(names, weights)
        if name not in known:
            known[name] = {}
            for fault in all_faults(tree, name):
                known[name].setdefault(fault.kind, []).append(fault)
        if by_kind := known[name]:
            fault = rng.choice(by_kind[rng.choice(sorted(by_kind))])
            spot = place(tree, fault._asdict())
            if spot and spot.module == name and (name.endswith(".js") or compiles(spot.text)):
                faults[fault] = None
    return list(faults)


class Place(NamedTuple):
    """Where a fault stands in a tree: module, first and last line, and the module's text with it."""

    module: str
    first: int
    last: int
    text: str


def place(tree: Path, entry: dict[str, Any]) -> Place | None:
    """The fault in this tree: in its module, or in another that has its function with its line, or the line alone."""
    fault, ranked = Fault.of(entry), []
    for module in modules(tree):
        source = read(str(tree / module))
        for name in {source.function(at) for at in source.places.get(fault.line.split("\n")[0], ())}:
            if lines := matches(source, name, fault.line):
                ranked.append((_likeness(fault, module, name), module, lines[min(fault.nth, len(lines) - 1)]))
    ranked.sort(reverse=True)
    # Two places that are equally likely are none.
    if ranked and (len(ranked) == 1 or ranked[0][0] > ranked[1][0]):
        return _placed(tree, fault, *ranked[0][1:])
    return None


def _likeness(fault: Fault, module: str, function: str) -> tuple[bool, bool, bool, bool, int]:
    """What speaks for this place, the strongest first."""
    path, old = Path(module), Path(fault.module)
    return (
        function == fault.function and path == old,
        function == fault.function != "",
        function.split(".")[-1] == fault.function.split(".")[-1] != "",
        path.stem.strip("_") == old.stem.strip("_"),
        len(set(path.parts) & set(old.parts)),
    )


def _placed(tree: Path, fault: Fault, module: str, at: int) -> Place:
    lines = (tree / module).read_text(encoding="utf-8").splitlines(keepends=True)
    last = at + fault.line.count("\n")
    indent = lines[at - 1][: -len(lines[at - 1].lstrip())]
    wrong = "".join(f"{indent}{line}\n" for line in fault.wrong.split("\n"))
    return Place(module, at, last, "".join([*lines[: at - 1], wrong, *lines[last:]]))
