"""`python -m uatlib COMMAND`: what the distribution offers as entry points of the group uatlib.commands."""

from __future__ import annotations

import ast
import os
import re
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path

USAGE = "usage: python -m uatlib COMMAND ...; --help after a command explains it, with an example"
STATUS = (
    "exit status: 0 all that was asked for holds, or is done; 1 some of it fails; 2 bad usage;\n"
    "3 undecided, which is neither; 130 interrupted; 141 nobody reads the output any more"
)


def main(arguments: Sequence[str]) -> int:
    """Run the command; 2 if there is no such one, 141 if its output is not read to the end."""
    try:
        try:
            return _run(arguments)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for the flush at the end
        return 141


def _run(arguments: Sequence[str]) -> int:
    # All of the name: in a clone there may be an older description beside the installed one.
    entries = [entry for found in distributions(name="uatlib") for entry in found.entry_points]
    commands = {entry.name: entry for entry in entries if entry.group == "uatlib.commands"}
    if arguments and arguments[0] in commands:
        return _command(commands[arguments[0]], arguments[1:])
    lines = [f"  {name.ljust(12)} {_summary(entry)}" for name, entry in sorted(commands.items())]
    lines = lines or ["  none: install the package again, they come with it"]
    asked_for_help = arguments[:1] in (["-h"], ["--help"])
    print("\n".join([USAGE, "", *lines, "", STATUS]), file=sys.stdout if asked_for_help else sys.stderr)
    return 0 if asked_for_help else 2


def _summary(entry: EntryPoint) -> str:
    """The first line of its function's docstring, read in the file: to import it would load torch."""
    spec = find_spec(entry.module)
    if spec is None or spec.origin is None:
        return "not there: install the package again"
    body = ast.parse(Path(spec.origin).read_bytes()).body
    texts = [ast.get_docstring(node) for node in body if isinstance(node, ast.FunctionDef) and node.name == entry.attr]
    return "".join(text.partition("\n")[0] for text in texts if text)


def _command(entry: EntryPoint, arguments: Sequence[str]) -> int:
    """The command's status; errors in one line where they say what to do."""
    if not sys.stderr.isatty():
        os.environ.setdefault("UATLIB_TERMINAL", os.devnull)  # no bars
    try:
        status: int = entry.load()(arguments)
        return status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        raise
    except (ModuleNotFoundError, OSError, ValueError) as error:
        # What is an argument of Target to the library is an option here.
        said = re.sub(r"Target\((lipschitz|bound)=\.\.\.\)", r"--\1", " ".join(str(error).split()))
        print(f"python -m uatlib {entry.name}: {said}", file=sys.stderr)
    except Exception:
        traceback.print_exc()  # of a function that was given; Python's status would be 1, that of a claim that fails
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
