"""`python -m uatlib COMMAND`: what the distribution offers as entry points of the group uatlib.commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import distributions


def main(arguments: Sequence[str]) -> int:
    """Run the command; 2 if there is no such one."""
    # All of the name: in a clone there may be an older description beside the installed one.
    entries = [entry for found in distributions(name="uatlib") for entry in found.entry_points]
    commands = {entry.name: entry for entry in entries if entry.group == "uatlib.commands"}
    if arguments and arguments[0] in commands:
        status: int = commands[arguments[0]].load()(arguments[1:])
        return status
    names = ", ".join(sorted(commands)) or "none: install the package again, they come with it"
    asked_for_help = arguments[:1] in (["-h"], ["--help"])
    print(
        f"usage: python -m uatlib COMMAND ...; --help after a command explains it\ncommands: {names}",
        file=sys.stdout if asked_for_help else sys.stderr,
    )
    return 0 if asked_for_help else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
