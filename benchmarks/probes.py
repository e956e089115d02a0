"""Which suites of statements (bodies of functions, loops, branches) of a tree are run: a probe before each says so."""

from __future__ import annotations

import ast
import builtins
import functools
import types
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from faults import PACKAGES


def suites(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Bodies of functions, loops, branches; those of modules and classes run when they are imported."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and not isinstance(node, (ast.Module, ast.ClassDef)):
                yield body


def suite_at(tree: Path, module: str, first: int) -> str:
    """The name of the innermost suite around a line, "module:line of its first statement"; 0 for the module's own."""
    inner = 0
    if module.endswith(".js"):
        return f"{module}:0"
    for body in suites(ast.parse((tree / module).read_text(encoding="utf-8"))):
        begin, end = _first_line(body), body[-1].end_lineno or 0
        if begin <= first <= end and begin > inner:
            inner = begin
    return f"{module}:{inner}"


def _first_line(body: list[ast.stmt]) -> int:
    return min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))])


RUN: set[str] = set()
"""The suites that are run since it was cleared, and "module:0" of what was imported."""


@functools.cache
def probed(tree: Path, module: str) -> types.CodeType:
    """The code of a module with a probe before each suite; lines keep their numbers."""
    code = ast.parse((tree / module).read_bytes())
    for body in list(suites(code)):
        name = ast.Constant(f"{module}:{_first_line(body)}")
        call = ast.Expr(ast.Call(ast.Name("__run__", ast.Load()), [name], []))
        ast.fix_missing_locations(ast.copy_location(call, body[0]))
        documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        body.insert(int(documented), call)
    return compile(code, tree / module, "exec", dont_inherit=True)


def install_probes(tree: Path) -> None:
    """From now on the tree's modules are loaded with probes."""
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> Any:
        path = Path(self.path)
        module = str(path.relative_to(tree)) if path.is_relative_to(tree) else ""
        if not module.startswith(PACKAGES):
            return original(self, name)
        RUN.add(f"{module}:0")
        return probed(tree, module)

    vars(builtins)["__run__"] = RUN.add
    SourceFileLoader.get_code = get_code
