"""Compile the proofs, let the separate checker read them, and say what each theorem leans on.

    make proofs        # or: python proofs/check.py

What is compiled lies in _build/proofs; a file is compiled again when it, or one that it needs, has changed. What was
compiled before, here or in another clone, is taken from a folder of the user (PROOF_CACHE=no: neither taken nor kept
there); the separate checker reads that, too. Which theorem is which statement of the book says
uatbook/data/machine-checked.toml. Needs Python alone, and Rocq.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HERE = Path(__file__).parent
TABLE = HERE.parent / "uatbook" / "machine_checked.py"
BUILT = HERE.parent / "_build" / "proofs"
USER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
CACHE = None if os.environ.get("PROOF_CACHE") == "no" else USER / "uat-book" / "proofs"
"""By a hash of all that it hangs on what Rocq wrote of a file. Who writes here is trusted: the user alone."""
DAYS = 30
"""What has not been asked for so long goes."""
COMPILE = ("-q", "-w", "none")
LIMIT = 120
"""Seconds for a file."""
GAPS = re.compile(
    r"\b(?:Admitted|admit|give_up|Unset Guard Checking)\b|"
    r"(?:^|\.)\s*(?:#\[[^]]*\]\s*)?(?:(?:Local|Global|Polymorphic)\s+)*(?:Axioms?|Parameters?|Conjectures?)\b",
    re.MULTILINE,
)
COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
AXIOMS = {
    "none": set(),
    "classical": {
        "propositional_extensionality",
        "functional_extensionality_dep",
        "constructive_indefinite_description",
    },
}
"""By the word of the table: nothing at all, or the three of mathcomp-analysis, from which its real numbers are made."""
MISSING = """\
proofs: expected Rocq (Coq 8.16) with mathcomp-analysis, got none. On Debian 12 or Ubuntu 24.04:
    apt-get install coq libcoq-mathcomp-analysis libcoq-mathcomp-zify libcoq-mathcomp-algebra-tactics
elsewhere with opam: opam repo add coq-released https://coq.inria.fr/opam/released, and
    opam install coq.8.16.1 coq-mathcomp-analysis.0.6.0 coq-mathcomp-zify coq-mathcomp-algebra-tactics.1.0.0"""


def theorems() -> tuple[Any, ...]:
    """The table, without the rest of the package and what that needs."""
    spec: Any = importlib.util.spec_from_file_location("machine_checked", TABLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.theorems()


def digest(file: str) -> str:
    """The hash of a file of proofs."""
    return hashlib.sha256((HERE / file).read_bytes()).hexdigest()


def sentences(text: str) -> Iterator[tuple[str, str]]:
    """What stands before a sentence, comments and space, and the sentence; a bullet is part of its sentence."""
    at = begin = depth = 0
    start: int | None = None
    while at < len(text):
        if text.startswith("(*", at) or text.startswith("*)", at):
            depth += 1 if text[at] == "(" else -1
            at += 2
            continue
        if depth == 0 and start is None and not text[at].isspace():
            start = at
        if depth == 0 and text[at] == '"':
            at = text.index('"', at + 1)
        elif depth == 0 and text[at] == "." and text[at - 1] != "." and text[at + 1 : at + 2].strip() == "":
            yield text[begin:start], text[start : at + 1]
            begin, start = at + 1, None
        at += 1


def module_of(file: str) -> str:
    """The name of a file, as Rocq has it."""
    return file.removesuffix(".v").replace("/", ".")


def module(theorem: Any) -> str:
    """The name of its file, as Rocq has it."""
    return module_of(theorem.file)


def sources() -> list[str]:
    """All files of proofs, by their place here; exercises are none."""
    places = (path.relative_to(HERE) for path in HERE.rglob("*.v"))
    return sorted(str(place) for place in places if place.parts[0] != "exercises")


def gaps(text: str) -> list[str]:
    """What would let a proof have a hole, outside comments."""
    return GAPS.findall(COMMENT.sub("", text))


def coq(program: str, *options: str, said: str = "", limit: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program of Rocq where things are compiled; what is `said` to it comes on its input."""
    command, env = [program, "-Q", ".", "UAT", *options], {"OCAMLRUNPARAM": "s=2M,o=1000", **os.environ}
    # Memory is given back seldom: half of the time goes into loading libraries, and a fifth into looking through them.
    return subprocess.run(
        command, cwd=BUILT, env=env, input=said, capture_output=True, text=True, timeout=limit, check=False
    )


def needed() -> dict[str, set[str]]:
    """Of each file those of ours that it needs."""
    done, found = coq("coqdep", *sources()), dict[str, set[str]]()
    for made, asked in re.findall(r"^(\S+)\.vo\b[^:]*:(.*)$", done.stdout, re.MULTILINE):
        found[f"{made}.v"] = {f"{name}.v" for name in re.findall(r"(\S+)\.vo\b", asked) if not name.startswith("/")}
    if {*found} != {*sources()}:
        raise ValueError(f"expected all that files need, got {done.stderr}")
    return found


@cache
def libraries() -> bytes:
    """The hash of Rocq's version and of all libraries installed with it."""
    found = hashlib.sha256(coq("coqc", "--version").stdout.encode())
    for path in sorted(Path(coq("coqc", "-where").stdout.strip(), "user-contrib").rglob("*.vo")):
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.digest()


def kept(file: str, needs: Iterable[str]) -> Path | None:
    """Where the compiled file is kept, by the text, the libraries and what it needs, as compiled; None for nowhere."""
    with suppress(OSError):
        if CACHE is not None:
            CACHE.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder, user = CACHE.stat(), getattr(os, "getuid", lambda: -1)()
            if folder.st_uid == user and not folder.st_mode & 0o022:  # nobody else writes there
                read = [BUILT / file, *((BUILT / need).with_suffix(".vo") for need in sorted(needs))]
                parts = [libraries(), " ".join(COMPILE).encode(), file.encode(), *(path.read_bytes() for path in read)]
                return CACHE / hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
    return None


def put(place: Path, data: bytes) -> None:
    """Write all of it, or nothing: who is stopped on the way leaves no half."""
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix="new", delete=False) as new:
        new.write(data)
    os.replace(new.name, place)


def take(place: Path, file: str) -> bool:
    """Copy what is kept to where things are compiled, unless it is damaged, or something else under this name."""
    with suppress(OSError):
        data = place.read_bytes()
        if data[:32] == hashlib.sha256(place.name.encode() + data[32:]).digest():
            end = 40 + int.from_bytes(data[32:40], "big")
            put((BUILT / file).with_suffix(".glob"), data[end:])
            put((BUILT / file).with_suffix(".vo"), data[40:end])
            os.utime(place)
            return True
    return False


def keep(place: Path, file: str) -> None:
    """Keep what Rocq wrote of a file; where that is impossible, it is compiled again."""
    vo, glob = ((BUILT / file).with_suffix(end).read_bytes() for end in (".vo", ".glob"))
    data = len(vo).to_bytes(8, "big") + vo + glob
    with suppress(OSError):
        put(place, hashlib.sha256(place.name.encode() + data).digest() + data)


def compiled(file: str, needs: Iterable[str] = ()) -> float:
    """Compile one file, whose needs are; the seconds that this takes, 0 if taken. ValueError with what is said."""
    begin, place = time.monotonic(), kept(file, needs)
    if place is not None and take(place, file):
        return 0
    try:
        done = coq("coqc", *COMPILE, file, limit=LIMIT)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{file}: expected at most {LIMIT} s, and it took longer.") from None
    if done.returncode:
        raise ValueError(f"{file} does not compile.\n{done.stdout}{done.stderr}")
    if place is not None:
        keep(place, file)
    return time.monotonic() - begin


@contextmanager
def alone() -> Iterator[None]:
    """Whoever else compiles in this folder waits: tests run side by side."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / "lock").open("a", encoding="utf-8") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@alone()
def compile_all(jobs: int, wanted: Iterable[str] = ()) -> dict[str, float]:
    """Compile what has changed, several files at once; the seconds of each. Or just some files, and what they need.

    The seconds are 0 for what is taken from CACHE.
    """
    built = (path for path in BUILT.rglob("*.v") if not path.name.startswith("asked"))
    for old in {str(path.relative_to(BUILT)) for path in built} - {*sources()}:
        (BUILT / old).unlink()
        (BUILT / old).with_suffix(".vo").unlink(missing_ok=True)  # or what needs it would go on
    for file in sources():
        (BUILT / file).parent.mkdir(parents=True, exist_ok=True)
        text = (HERE / file).read_bytes()
        if not (BUILT / file).exists() or (BUILT / file).read_bytes() != text:
            (BUILT / file).write_bytes(text)
            (BUILT / file).with_suffix(".vo").unlink(missing_ok=True)
    graph, seconds = needed(), dict[str, float]()
    if todo := [*wanted]:
        kept = dict[str, set[str]]()
        while todo:
            file = todo.pop()
            kept[file] = graph[file]
            todo += graph[file] - {*kept}
        graph = kept
    order, running = TopologicalSorter(graph), {}
    order.prepare()
    with ThreadPoolExecutor(jobs) as pool:
        while order.is_active():
            for file in order.get_ready():
                made, parts = (BUILT / file).with_suffix(".vo"), [(BUILT / f).with_suffix(".vo") for f in graph[file]]
                if made.exists() and all(made.stat().st_mtime >= part.stat().st_mtime for part in parts):
                    order.done(file)
                else:
                    running[pool.submit(compiled, file, graph[file])] = file
            for future in wait(running, return_when="FIRST_COMPLETED").done if running else ():
                seconds[running[future]] = future.result()
                order.done(running.pop(future))
    with suppress(OSError):
        for path in CACHE.iterdir() if CACHE and seconds else ():
            if path.stat().st_mtime < time.time() - DAYS * 86400:
                path.unlink(missing_ok=True)
    return seconds


@alone()
def assumptions(theorems: Sequence[Any]) -> dict[str, set[str]]:
    """By the word of the table the axioms that these theorems lean on together, by their last names.

    Together, as each look down to the foundations takes seconds.
    """
    words = sorted({one.axioms for one in theorems})
    lines = [f"From UAT Require {module(one)}." for one in theorems]
    for word in words:
        names = ", ".join(f"@UAT.{module(one)}.{one.name}" for one in theorems if one.axioms == word)
        lines += [f"Definition all_{word} := (tt, {names}).", f"Print Assumptions all_{word}."]
    (BUILT / "asked.v").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = coq("coqc", *COMPILE, "asked.v")
    if done.returncode:
        raise ValueError(done.stdout + done.stderr)
    parts = re.split(r"^(?=Axioms:|Closed under)", done.stdout, flags=re.MULTILINE)[1:]
    return {word: leant_on(part) for word, part in zip(words, parts, strict=True)}


def leant_on(said: str) -> set[str]:
    """The last names of axioms, and of what the kernel was told not to check, in what Print Assumptions says."""
    names = re.findall(r"^(\S+)", said.partition("Axioms:")[2], re.MULTILINE)
    return {name.rsplit(".", 1)[-1] for name in names}


def checked() -> None:
    """Let the separate checker read all that we compiled; it trusts the libraries."""
    names = [f"UAT.{module_of(file)}" for file in sources()]
    done = coq("coqchk", "-silent", *(part for name in names for part in ("-norec", name)))
    if done.returncode:
        raise ValueError(f"coqchk refuses:\n{done.stdout}{done.stderr}")


def table(theorems: Sequence[Any], seconds: Mapping[str, float]) -> Iterator[str]:
    """The lines that are printed: statement, state, theorem, axioms, lines of its file, seconds if just compiled."""
    for one in theorems:
        lines = (HERE / one.file).read_text(encoding="utf-8").count("\n")
        took = f", {seconds[one.file]:.1f} s" if seconds.get(one.file) else ""
        told = f"[axioms: {one.axioms}; {lines} lines{took}]"
        yield f"{one.statement:<28} {one.state:<20} {module(one)}.{one.name}  {told}"


def main() -> None:
    """Compile, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files that are compiled at once")
    options = parser.parse_args()
    if shutil.which("coqc") is None:
        sys.exit(MISSING)
    known = theorems()
    try:
        if holes := {file: found for file in sources() if (found := gaps((HERE / file).read_text(encoding="utf-8")))}:
            raise ValueError(f"expected no gaps and no axioms, got {holes}")
        seconds = compile_all(options.jobs)
        with ThreadPoolExecutor(min(options.jobs, 2)) as pool:  # both read alone
            asked, read = pool.submit(assumptions, known), pool.submit(checked)
            leant, _ = asked.result(), read.result()
    except ValueError as error:
        sys.exit(f"proofs: {error}")
    print(*table(known, seconds), sep="\n")
    slowest = max(seconds, key=lambda file: seconds[file], default="none")
    now = sum(took > 0 for took in seconds.values())
    print(
        f"{len(sources())} files, {now} compiled now, {len(seconds) - now} before; "
        f"the slowest {slowest}: {seconds.get(slowest, 0):.0f} s"
    )
    print(f"axioms: none, or {', '.join(sorted(AXIOMS['classical']))}")
    if other := {word: sorted(names) for word, names in leant.items() if names != AXIOMS[word]}:
        sys.exit(f"proofs: expected the axioms that the table names, got {other}")


if __name__ == "__main__":
    main()
