"""`python -m uatlib verify`: statements of the book, run and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from difflib import get_close_matches

from uatlib.internal.command_line import parser, record, with_json, worst_status

from .processes import pool


def verify(arguments: Sequence[str]) -> int:
    """Run statements of the book and check them; without an ID, list all.

    Each is run with its default parameters, and printed as a certificate: what is claimed, beside what was measured.
    """
    ask = parser(verify, "  python -m uatlib verify yun2020:lem-8 so2020slides: --json", judges=True)
    ask.add_argument("ids", nargs="*", metavar="ID", help="yun2020:lem-8; or yun2020: for all of a source")
    ask.add_argument("--all", action="store_true", help="all statements")
    with_json(ask)
    ask.add_argument("--cache", metavar="FOLDER", help="keep certificates there, and run no statement twice")
    side_by_side = ask.add_mutually_exclusive_group()
    side_by_side.add_argument("--jobs", type=int, default=1, metavar="N", help="so many processes (%(default)s)")
    side_by_side.add_argument("--scheduler", metavar="ADDRESS", help="of dask.distributed, whose workers run them")
    given = ask.parse_args(arguments)
    from uatlib.checks import whole

    from . import statements

    jobs = whole("--jobs", given.jobs, 1, 1024)
    if not (given.ids or given.all):
        for statement in statements.all():
            print(f"{statement.id:32} {statement.title}")
        ask.exit(2, "nothing is verified yet: name some of these, a source as yun2020: or --all\n")
    ids = [statement.id for statement in statements.all()] if given.all else _chosen(given.ids)
    outcomes = []
    with _executor(jobs, given.scheduler) as executor:
        found = statements.verify(ids, executor=executor, cache=given.cache)
        for id, certificate in zip(ids, found, strict=True):
            outcomes.append(certificate.outcome)
            print(json.dumps(record(id, certificate)) if given.json else certificate, flush=True)
    if len(ids) > 1 and not given.json:
        print(", ".join(f"{outcomes.count(each)} {each}" for each in dict.fromkeys(outcomes)))
    return worst_status(outcomes)


def _chosen(texts: Sequence[str]) -> list[str]:
    """The ids that are named, each once; ValueError with similar ones if one is not known."""
    from . import statements

    ids: dict[str, None] = {}
    for text in texts:
        try:
            known = [statements.get(text).id] if text[-1:] != ":" else [each.id for each in statements.all()]
        except KeyError:
            known = []
        found = [id for id in known if id.startswith(text)]
        if not found:
            near = get_close_matches(text, [each.id for each in statements.all()])
            hint = f"near are {', '.join(near)}" if near else "`verify` without an id lists them"
            raise ValueError(f"expected ids of statements, got {text}; {hint}.")
        ids |= dict.fromkeys(found)
    return [*ids]


@contextmanager
def _executor(jobs: int, scheduler: str | None) -> Iterator[Executor | None]:
    """What runs the statements."""
    if scheduler is not None:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ModuleNotFoundError(
                "--scheduler: expected dask.distributed; pip install -r requirements-cluster.txt."
            ) from None
        with Client(scheduler) as client:  # type: ignore[no-untyped-call]
            yield client.get_executor()
        return
    with pool(jobs) as executor:
        yield executor
