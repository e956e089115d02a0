"""Newer versions of what the requirements pin: what moves, and whether all that must hold holds with them.

    python benchmarks/upgrade.py [--only ruff mypy] [--torch] [--run "make test"] [--blame] [--write]

Needs Python alone, as `make upgrade` calls it before anything is installed. pip finds the newest versions that go
together within the limits of pyproject.toml and of the pins: a comment that begins with one, as in
`ipykernel==6.31.0  # <7, which warns`. The last commit is then tested with them in a copy of its own, which is kept if
that fails. What builds the package has no pin, and is the newest at each installation. `--blame` bisects over the pins
that moved, some log2(n) more runs for each that is to blame; `--write` writes into the working tree what passed.
The table is the output; the error stream says what is going on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from uatlib.internal import writing

ROOT = Path(__file__).resolve().parents[1]
FILES = ("requirements.txt", "requirements-dev.txt", "requirements-cluster.txt", "binder/requirements.txt")
PIN = re.compile(r"^([\w.-]+)==([\w.]+)((?:\+\w+)?)( *)(?:# *((?:<=?|!=)[\d.]+))?", re.MULTILINE)
SHOWN = 25
"""Lines of a failed run that the report shows."""


class Pin(NamedTuple):
    """`name==version`, and the limit of its comment, "<7" or "". What follows a + in a version names a build."""

    name: str
    version: str
    limit: str


def pins(text: str) -> list[Pin]:
    """Return the pins of a requirements file."""
    return [Pin(m[1], m[2], m[5] or "") for m in PIN.finditer(text)]


def moved(text: str, versions: dict[str, str]) -> str:
    """Return the file with these versions, its comments where they stood."""

    def line(match: re.Match[str]) -> str:
        pin = f"{match[1]}=={versions.get(match[1], match[2])}{match[3]}"
        width = match.end(4) - match.start()
        return (f"{pin} ".ljust(width) if match[4] else pin) + match[0][width:]

    return PIN.sub(line, text)


def asked(found: Iterable[Pin], free: Iterable[str]) -> list[str]:
    """Return what pip is asked for: the free ones not older than they are, the others as they are."""
    free = set(free)
    lines = []
    for pin in found:
        limit = f",{pin.limit}" if pin.limit else ""
        lines.append(f"{pin.name}>={pin.version}{limit}" if pin.name in free else f"{pin.name}=={pin.version}")
    return lines


def chosen(report: str, names: Iterable[str]) -> dict[str, str]:
    """Return the versions of these names in pip's report of an installation."""
    metadata = [item["metadata"] for item in json.loads(report)["install"]]
    found = {plain(each["name"]): each["version"].partition("+")[0] for each in metadata}
    return {name: found[plain(name)] for name in names}


def plain(name: str) -> str:
    """Return a name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def culprits(names: list[str], works: Callable[[list[str]], bool]) -> list[str]:
    """Return names that must not move, each found by bisection; `works` says whether all holds if these move."""
    if not works([]):
        raise SystemExit("upgrade: it fails with today's versions, too; mend that first")
    held: list[str] = []
    while not works(free := [name for name in names if name not in held]):
        low, high = 0, len(free)  # the first `low` may move, the first `high` may not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if works(free[:middle]) else (low, middle)
        held.append(free[low])
    return held


class Copy:
    """The last commit in a folder of its own, with an environment of its own."""

    def __init__(self, texts: dict[str, str], command: list[str]) -> None:
        self.texts, self.command = texts, command
        self.folder = Path(tempfile.mkdtemp(prefix="upgrade-"))
        self.log = self.folder / "upgrade.log"
        self.tree = self.folder / "tree"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(self.tree)], check=True)
        subprocess.run([sys.executable, "-m", "venv", str(self.tree / ".venv")], check=True)
        self.pins = {pin.name: pin for text in reversed(texts.values()) for pin in pins(text)}
        self.found: dict[frozenset[str], dict[str, str]] = {}
        self.tried: dict[frozenset[str], bool] = {}
        # What make hands down, and where else Python finds packages, would reach into the copy. CI builds from nothing.
        out = {"PYTHONPATH", "MAKEFLAGS", "MAKELEVEL", "MFLAGS", "VIRTUAL_ENV"}
        kept = {name: value for name, value in os.environ.items() if name not in out}
        self.environment = {**kept, "CI": "true", "NO_COLOR": "1"}

    def newest(self, free: Iterable[str]) -> dict[str, str]:
        """Return the newest versions that go together if these may move."""
        key = frozenset(free)
        if key not in self.found:
            report = self.folder / "report.json"
            pip = [".venv/bin/python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
            pip += ["--dry-run", "--ignore-installed", "--report", str(report), ".[book]"]
            pip += asked(self.pins.values(), key)
            if subprocess.run(pip, cwd=self.tree, env=self.environment, stdout=sys.stderr, check=False).returncode:
                raise SystemExit("upgrade: pip found no versions that go together; its error stands above")
            versions = chosen(report.read_text(encoding="utf-8"), self.pins)
            moving = frozenset(name for name, pin in self.pins.items() if versions[name] != pin.version)
            self.found[key] = self.found[moving] = versions
        return self.found[key]

    def works(self, free: Iterable[str]) -> bool:
        """Return whether the command passes with the newest versions of these."""
        key = frozenset(free)
        if key not in self.tried:
            versions = self.newest(key)
            for name, text in self.texts.items():
                writing.write(self.tree / name, moved(text, versions))
            say(f"{shlex.join(self.command)} with {len(key)} newer versions, into {self.log}")
            with self.log.open("w", encoding="utf-8") as log:
                done = subprocess.run(
                    self.command, cwd=self.tree, env=self.environment, stdout=log, stderr=subprocess.STDOUT, check=False
                )
            self.tried[key] = done.returncode == 0
            say("passes" if self.tried[key] else "fails")
        return self.tried[key]


def say(line: str) -> None:
    """Say what is going on."""
    print(f"upgrade: {line}", file=sys.stderr, flush=True)


def report(old: dict[str, str], new: dict[str, str], run: str, log: str | None, held: Iterable[str] = ()) -> str:
    """Return what moves as a table, and the verdict: `log` is that of a run that failed, `held` is to blame."""
    names, held = [name for name in old if new[name] != old[name]], list(held)
    rows = ["| package | from | to | |", "|---|---|---|---|"]
    rows += [f"| {name} | {old[name]} | {new[name]} | {'breaks it' if name in held else ''} |" for name in names]
    verdict = f"`{run}` {'passes' if log is None else 'fails'} with all of them"
    verdict += f", and passes without {', '.join(held)}." if held else "."
    rows += ["", f"{verdict} Pins that stay: {len(old) - len(names)}."]
    return "\n".join(rows if log is None else [*rows, "", "```", *log.splitlines()[-SHOWN:], "```"])


def main() -> int:
    """Print the report; 1 if something broke and nothing was found to blame."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="pins that may move (all)")
    parser.add_argument("--torch", action="store_true", help="PyTorch may move, too: gigabytes where it brings CUDA")
    parser.add_argument("--run", default="make test", metavar="COMMAND", help="what must pass (make test)")
    parser.add_argument("--blame", action="store_true", help="find which of those that moved break it")
    parser.add_argument("--write", action="store_true", help="write what passed into the requirements")
    options = parser.parse_args()

    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}
    old = {pin.name: pin.version for text in texts.values() for pin in pins(text)}
    free = options.only or [name for name in old if name != "torch" or options.torch]
    if unknown := set(free) - set(old):
        parser.error(f"expected names of pins, got {', '.join(sorted(unknown))}; the pins are {', '.join(old)}")
    command = shlex.split(options.run)
    if command[0] == "make":
        command.insert(1, f"PYTHON={sys.executable}")

    copy = Copy(texts, command)
    say("pip looks for the newest versions")
    new = copy.newest(free)
    names = [name for name in old if new[name] != old[name]]
    if not names:
        print(f"None of {len(free)} pins has a newer version within its limits.")
        shutil.rmtree(copy.folder)
        return 0
    passed = copy.works(names)
    log = None if passed else copy.log.read_text(encoding="utf-8")
    held = culprits(names, copy.works) if options.blame and not passed else []
    print(report(old, new, options.run, log, held))
    if passed or held:
        shutil.rmtree(copy.folder)
    else:
        say(f"the copy and all that the run said are in {copy.folder}")
    if (passed or held) and options.write:
        kept = copy.newest([name for name in names if name not in held]) if held else new
        for name, text in texts.items():
            writing.write(ROOT / name, moved(text, kept))
    return 0 if passed or held else 1


if __name__ == "__main__":
    sys.exit(main())
