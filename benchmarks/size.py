"""How large the house is: code lines without docstrings, comments and blanks, and in Python guards apart.

    python benchmarks/size.py [FOLDER]           # prints a table, of uatlib if no folder is named
    python benchmarks/size.py --record "WHY"     # writes benchmarks/sizes.json; a test compares

A folder that grows by more than 3 % fails until the record is written anew, and WHY is a line of CHANGELOG.md.

A guard is a statement that only refuses: an `if` (or a `for`, `try`, `with` around nothing else) whose body raises,
and an `assert`. Imports are told apart too. Lines are those that code stands on, so a call on three lines counts three.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import tokenize
from collections import Counter
from pathlib import Path

from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Whitespace

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "sizes.json"
MOST = 1.03
"""Growth that nobody need explain."""
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


def script_lines(path: Path) -> set[int]:
    """The numbers of the lines of a script or style sheet on which code stands."""
    found, line = set(), 1
    text = path.read_text(encoding="utf-8")
    for kind, part in get_lexer_for_filename(path.name, stripnl=False).get_tokens(text):
        if kind not in Comment and kind not in Whitespace and part.strip():
            found |= set(range(line, line + part.rstrip("\n").count("\n") + 1))
        line += part.count("\n")
    return found


def tracked() -> list[Path]:
    """The files of the repository, without what is vendored."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [ROOT / name for name in names if name and "katex/" not in name and (ROOT / name).is_file()]


def measure() -> dict[str, dict[str, int]]:
    """Of each folder at the top the code lines and modules in Python, and in scripts and sheets; tests, and seconds.

    Tests count apart, wherever they lie. Seconds are those of the last `python benchmarks/report.py --record`.
    """
    sizes: dict[str, Counter[str]] = {}
    for path in tracked():
        place = path.relative_to(ROOT)
        kind = {".py": "python", ".js": "script", ".css": "sheet"}.get(place.suffix)
        if kind is None or len(place.parts) == 1:
            continue
        count = sizes.setdefault("tests" if "tests" in place.parts else place.parts[0], Counter())
        count[kind] += len(code_lines(path) if kind == "python" else script_lines(path))
        count["modules"] += kind == "python"
        if place.name.startswith("test_"):
            count["tests"] += len(re.findall(r"^ *def test_", path.read_text(encoding="utf-8"), re.MULTILINE))
    minutes = json.loads((ROOT / "benchmarks" / "minutes.json").read_text(encoding="utf-8"))
    seconds = {name: run["seconds"] for name, run in minutes.items()}
    return {name: {kind: n for kind, n in sorted(sizes[name].items()) if n} for name in sorted(sizes)} | {
        "seconds": seconds
    }


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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "uatlib")
    parser.add_argument("--record", metavar="WHY", help="write the record; WHY is a line of CHANGELOG.md")
    asked = parser.parse_args()
    if asked.record is None:
        main(asked.folder)
    else:
        from uatlib.internal import writing  # whoever counts lines alone need not load the library

        writing.write(RECORD, json.dumps({"why": asked.record, "sizes": measure()}, indent=1) + "\n")
        print(f"{RECORD.relative_to(ROOT)} is written")
