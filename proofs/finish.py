"""Theorems to be proved by you: write files with holes, and check what has become of them.

    make finish                                         # or: python proofs/finish.py
    make finish FILE=proofs/exercises/heard_neg.v       # or: python proofs/finish.py proofs/exercises/heard_neg.v

The first writes the files, made from the proofs of this folder up to a theorem; one that is there is left as it is. The
second accepts a file if Rocq's kernel takes its theorem for that of the book: the same statement (with what it is
about, whatever names mean in the file), no gap, no axiom that the book's proof does not lean on, none of the kernel's
checks switched off. The book's own proof is not at hand there. Needs Rocq.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import check
import lines

FOLDER = check.HERE / "exercises"
MOST = 100_000
"""Signs of a file."""
HEAD = """\
(** * Exercise, level {level} of 3: {theorem}

    The last theorem below has a hole. Prove it in place of the comments, end with Qed, and run
        make finish FILE=proofs/exercises/{theorem}.v
    Lemmas of your own may stand before it. All is from {file},
    where the proof is, too. *)
"""
HOLE = "Proof.\n{hints}\nAdmitted.\n"
JUDGED = """\
From UAT Require {module}.
Definition wanted := ltac:(let T := type of @{real} in exact T).
Print Assumptions {real}.
From UAT.exercises Require {theorem}.
Print Assumptions UAT.exercises.{theorem}.{theorem}.
Set Universe Checking.
Definition got : wanted := @UAT.exercises.{theorem}.{theorem}.
"""
SAYS = re.compile(r"^(?=Axioms:|Closed under)", re.MULTILINE)


def holes() -> dict[str, dict[str, Any]]:
    """The exercises by the name of their theorem, from easy to hard."""
    return {one["theorem"]: one for one in lines.asked("hole")}


def written(one: dict[str, Any]) -> str:
    """A file with its hole; the English of the book's proof stands in it, and the hints."""
    before, statement, proof = lines.parts(one["file"], one["theorem"])
    said = [*check.COMMENT.findall(proof), *(f"(* Hint: {hint} *)" for hint in one["hints"])]
    hole = HOLE.format(hints="\n".join(textwrap.fill(each, 118, subsequent_indent="   ") for each in said))
    return lines.closed(f"{HEAD.format(**one)}{before}{statement}\n{hole}")


def needs(file: str) -> set[str]:
    """All files of ours that one needs."""
    graph, todo, done = check.needed(), [file], set[str]()
    while todo:
        new = graph[todo.pop()] - done
        done, todo = done | new, [*todo, *new]
    return done


def bring(files: Iterable[str], place: Path) -> None:
    """Put what is compiled where an exercise is."""
    for file in files:
        made = (place / file).with_suffix(".vo")
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2((check.BUILT / file).with_suffix(".vo"), made)


def leant_on(said: str) -> set[str]:
    """What Print Assumptions names, each with its type: an axiom of another module may bear a name that is allowed."""
    named = said.partition("Axioms:\n")[2]
    return {" ".join(each.split()) for each in re.split(r"\n(?=\S)", named) if each.strip()}


def coq(place: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program of Rocq in a folder of its own. ValueError where it takes too long."""
    command = [program, "-Q", ".", "UAT", *options]
    try:
        return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=check.LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"expected at most {check.LIMIT} s for {options[-1]}, and it took longer.") from None


def left_open(place: Path, file: str, text: str, error: str) -> str:
    """What Rocq still asks for where a proof ends too early."""
    found = re.search(r"line (\d+), characters (\d+)-\d+:\s*Error:.*incomplete proof", error, re.DOTALL)
    if not found:
        return ""
    rows = text.splitlines(keepends=True)
    row = int(found[1]) - 1
    rows[row] = f"{rows[row][: int(found[2])]} Show. {rows[row][int(found[2]) :]}"
    (place / file).write_text("".join(rows), encoding="utf-8")
    return coq(place, "coqc", "-q", "-w", "none", file).stdout


def judge(path: Path) -> None:
    """Accept a file, or ValueError with why not, and what is left."""
    name = path.stem
    if name not in holes():
        raise ValueError(f"expected a file named as an exercise, one of {', '.join(holes())}, got {path.name}")
    one, text = holes()[name], path.read_text(encoding="utf-8")
    if len(text) > MOST:
        raise ValueError(f"{name}: expected at most {MOST} signs, got {len(text)}")
    module = check.module_of(one["file"])
    real = f"UAT.{module}.{name}"
    with tempfile.TemporaryDirectory() as folder:
        place, file = Path(folder), f"exercises/{name}.v"
        (place / "exercises").mkdir()
        bring(needs(one["file"]), place)
        (place / file).write_text(text, encoding="utf-8")
        done = coq(place, "coqc", "-q", "-w", "none", file)
        if done.returncode:
            said = left_open(place, file, text, done.stderr)
            raise ValueError(f"{name} does not compile yet.\n{done.stderr}{said}")
        # From here on the book's proof is at hand, and nothing that the file says but its theorem.
        bring([one["file"]], place)
        (place / "judged.v").write_text(JUDGED.format(module=module, real=real, theorem=name), encoding="utf-8")
        done = coq(place, "coqc", "-q", "-w", "none", "judged.v")
        book, *mine = [leant_on(part) for part in SAYS.split(done.stdout)[1:]]
        if not mine:
            raise ValueError(f"{name}: expected a theorem {name}, got none that stands outside of modules.")
        # Admitted takes all variables of a section along, so this comes first.
        if more := set[str]().union(*mine) - book:
            joined = "\n  ".join(sorted(more))
            raise ValueError(f"{name} is not proved yet. Left to prove:\n  {joined}")
        if done.returncode:
            raise ValueError(
                f"{name}: expected the theorem as `make finish` wrote it, got one that says something else."
            )
        done = coq(place, "coqchk", "-silent", "-norec", f"UAT.exercises.{name}")
        if done.returncode:
            raise ValueError(f"{name}: the separate checker refuses it.\n{done.stdout}{done.stderr}")


def main() -> None:
    """Write the files, or check one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", help="a file to check; without it the files are written")
    path = parser.parse_args().file
    if not path:
        FOLDER.mkdir(exist_ok=True)
        for name, one in holes().items():
            there = (FOLDER / f"{name}.v").exists()
            if not there:
                (FOLDER / f"{name}.v").write_text(written(one), encoding="utf-8")
            print(f"proofs/exercises/{name}.v   level {one['level']}{'   (left as it was)' if there else ''}")
        return
    if shutil.which("coqc") is None:
        sys.exit(check.MISSING)
    try:
        check.compile_all(2, [one["file"] for name, one in holes().items() if name == path.stem])
        judge(path)
    except (ValueError, OSError) as error:
        sys.exit(f"finish: {error}")
    print(f"{path.stem} is proved: the book's statement, no gap, no other axiom. The kernel and the checker agree.")


if __name__ == "__main__":
    main()
