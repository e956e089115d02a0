"""How large the library is: code lines without docstrings, comments and blanks, by folder, and guards apart.

    python benchmarks/size.py [FOLDER]

A guard is a statement that only refuses: an `if` (or a `for`, `try`, `with` around nothing else) whose body raises,
and an `assert`. Imports are told apart too. Lines are those that code stands on, so a call on three lines counts three.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import Counter
from pathlib import Path

SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def code_lines(path: Path) -> set[int]:
    """The numbers of the lines on which code stands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[int] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in SKIPPED and token.type != tokenize.ENDMARKER:
                found |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        # A string that stands alone documents what is above it.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found -= set(range(node.lineno, node.end_lineno + 1))
    return found


def refuses(node: ast.stmt) -> bool:
    """Whether the statement does nothing but refuse."""
    if isinstance(node, (ast.Raise, ast.Assert)):
        return True
    if isinstance(node, ast.If):
        # `hint = ...` before the error belongs to it.
        only = all(isinstance(part, (ast.Assign, ast.Raise, ast.If)) for part in node.body)
        return only and refuses(node.body[-1]) and not node.orelse
    if isinstance(node, (ast.For, ast.With)):
        return all(refuses(x) for x in node.body)
    return False


def guard_lines(path: Path) -> set[int]:
    """The lines of the outermost statements that only refuse, and of calls of functions named require_... ."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.stmt) and refuses(node):
            found |= set(range(node.lineno, node.end_lineno + 1))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = getattr(node.value.func, "attr", getattr(node.value.func, "id", ""))
            if name.lstrip("_").startswith("require"):
                found |= set(range(node.lineno, node.end_lineno + 1))
    return found


def import_lines(path: Path) -> set[int]:
    """The lines of imports and of `__all__`."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [getattr(t, "id", "") for t in getattr(node, "targets", [])]
        if isinstance(node, (ast.Import, ast.ImportFrom)) or "__all__" in names:
            found |= set(range(node.lineno, node.end_lineno + 1))
    return found


def main(folder: Path) -> None:
    """Print a table: folder, code lines, of these guards and imports."""
    total, guards, imports, files = Counter(), Counter(), Counter(), []
    for path in sorted(folder.rglob("*.py")):
        code = code_lines(path)
        parts = path.relative_to(folder).parts
        name = "/".join(parts[:2] if "statements" in parts else parts[:-1]) or "(general)"
        guard, imported = guard_lines(path) & code, import_lines(path) & code
        for key in (name, "all"):
            total[key] += len(code)
            guards[key] += len(guard)
            imports[key] += len(imported)
        files.append((len(code), "/".join(parts)))
    print(f"{'':32}{'code':>7}{'guards':>8}{'imports':>9}")
    for name in [*sorted(set(total) - {"all"}), "all"]:
        share = f"{guards[name] / max(1, total[name]):.1%}"
        print(f"{name:32}{total[name]:7}{guards[name]:5} {share:>6}{imports[name]:7}")
    print("longest:", ", ".join(f"{name} {count}" for count, name in sorted(files, reverse=True)[:10]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "uatlib")
