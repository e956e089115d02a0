"""Commands of `python -m uatlib` that need the library alone.

They import what they run when they run it, so that `--help` is quick. A saved network is a file of `Transformer.save`
with one more entry, "built": what it was built from, and the claim. No code is in it: `certify` builds the construction
again and puts the network and the claim of the file in the place of its own.
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import pkgutil
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .internal.command_line import number, parser, record, with_json, worst_status

if TYPE_CHECKING:
    from .certificate import Certificate, Construction, Term
    from .internal.files import Settings
    from .targets import Target

CLAIMED = "claimed in the file, not by "
"""What stands before the paper's name of a term where a file has another bound."""
SOURCES = [name for _, name, _ in pkgutil.iter_modules([str(Path(__file__).parent)]) if re.fullmatch(r"\D+\d{4}", name)]
SIZES = {"n": 2, "d": 1}
"""Of a function whose sizes nobody states."""


def _from_file(option: str, text: str) -> Any:
    """What FILE.py:NAME names; ValueError if there is none, or the file does not run."""
    from .checks import refused

    path, _, name = text.rpartition(":")
    if not path.endswith(".py") or not Path(path).is_file():
        raise refused(option, "FILE.py:FUNCTION, of a file that is there", text)
    spec = spec_from_file_location("file_of_the_command_line", path)
    if spec is None or spec.loader is None:
        raise refused(option, "a file of Python", path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    sys.path.insert(0, str(Path(path).parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{option}: expected a file that runs, got {type(error).__name__}: {error}.") from error
    if not hasattr(module, name):
        raise refused(option, f"a name of {path}", name)
    return getattr(module, name)


# ------------------------------------------------------------------------------------------------------ the function


def _ask_for_target(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    known = "mean_product, bump, running_mean or cyclic_difference"
    parser.add_argument(
        "--target",
        required=required,
        metavar="NAME|FILE.py:FUNCTION",
        help=f"the function: {known}, or one of yours, of arrays of shape (..., d, n), or a uatlib.targets.Target",
    )
    parser.add_argument("--n", type=int, help=f"tokens ({SIZES['n']})")
    parser.add_argument("--d", type=int, help=f"entries of a token ({SIZES['d']})")
    parser.add_argument(
        "--lipschitz", type=float, metavar="L", help="of a function of yours, |f(X) - f(Y)| <= L |X - Y|, largest entry"
    )
    parser.add_argument("--bound", type=float, metavar="B", help="of a function of yours, |f(X)| <= B")


def _stated(given: argparse.Namespace) -> Settings:
    options = {name: getattr(given, name) for name in ("n", "d", "lipschitz", "bound")}
    return {name: value for name, value in options.items() if value is not None}


def _named_target(text: str, stated: Settings) -> Target | None:
    """The function of this name in `targets`, None if there is none."""
    from . import targets
    from .checks import refused

    if text not in targets.__all__ or text == targets.Target.__name__:
        return None
    if unknown := {*stated} - {*SIZES}:
        raise refused(f"--{min(unknown)}", f"none, {text} has its own", stated[min(unknown)])
    found: Target = getattr(targets, text)(**SIZES | dict(stated))
    return found


def _target(text: str, stated: Settings) -> Target:
    """The function that the command line names, tested."""
    from . import targets
    from .checks import refused

    if (named := _named_target(text, stated)) is not None:
        return named
    if ":" not in text:
        names = ", ".join(name for name in targets.__all__ if name != "Target")
        raise refused("--target", f"one of {names}, or FILE.py:FUNCTION", text)
    found = _from_file("--target", text)
    if not isinstance(found, targets.Target):
        return targets.Target(found, **SIZES | dict(stated), name=text.rpartition(":")[2])
    if stated:
        raise refused(f"--{min(stated)}", "none, a Target has its own", stated[min(stated)])
    return found


# ---------------------------------------------------------------------------------------------------------- commands


def build(arguments: Sequence[str]) -> int:
    """Build the network of a proof for a function: its size, and what is claimed of it.

    The claim is d_p(f, g) <= a bound, the sum of its terms, for the function f and the network g. `certify` measures
    it on a network that was saved.
    """
    ask = parser(build, "  python -m uatlib build yun2020 --target mean_product --inverse-delta 2 --save network.json")
    ask.add_argument("source", choices=SOURCES, metavar="SOURCE", help=f"whose proof: {', '.join(SOURCES)}")
    _ask_for_target(ask)
    how_fine = ask.add_mutually_exclusive_group(required=True)
    how_fine.add_argument("--error", type=float, metavar="E", help="the bound to stay below: the grid is chosen")
    how_fine.add_argument("--inverse-delta", type=int, metavar="N", help="the grid itself, N cells a side")
    ask.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="another parameter of uatlib.SOURCE.build"
    )
    ask.add_argument("--save", metavar="FILE", help="write the network with its claim")
    given = ask.parse_args(arguments)
    stated, options = _stated(given), dict(map(_setting, given.set))
    options |= {"error": given.error} if given.inverse_delta is None else {"inverse_delta": given.inverse_delta}
    target = _target(given.target, stated)
    construction = _built(given.source, target, options)
    claim, count = construction.claim, construction.model.parameter_count()
    print(f"{given.source}, {target.name}: n = {target.n}, d = {target.d}")
    print(
        f"layers      {len(construction.model.layers):,}\nparameters  {count:,}\nbytes       {8 * count:,} in float64"
    )
    print(f"claim       d_{claim.p:g} <= {claim.error:.4g}")
    for term in claim.terms:
        print(f"            {term.bound:.4g}: {term.name}, {term.source}")
    if given.save is not None:
        named = None if ":" in given.target else given.target
        order = {"source": given.source, "target": named, "stated": stated, "options": options}
        _save(given.save, construction, order)
        print(f"saved       {given.save}")
    return 0


def certify(arguments: Sequence[str]) -> int:
    """Certify a network that `build --save` wrote: what is claimed beside what is measured.

    The file is data, from which no code runs. So a function of yours has to be named again.
    """
    ask = parser(
        certify,
        "  python -m uatlib build yun2020 --target mean_product --inverse-delta 2 --save network.json\n"
        "  python -m uatlib certify network.json",
        judges=True,
    )
    ask.add_argument("file", metavar="FILE", help="what `build --save` wrote")
    ask.add_argument("--target", metavar="FILE.py:FUNCTION", help="the function, if it was one of yours")
    with_json(ask)
    given = ask.parse_args(arguments)
    construction = _read(given.file, given.target)
    certificate = _without_names(construction.certify(), construction.claim.terms)
    print(json.dumps(record(given.file, certificate)) if given.json else certificate)
    return worst_status([certificate.outcome])


def _without_names(certificate: Certificate, terms: Iterable[Term]) -> Certificate:
    """Where a term has another bound than the paper's, the title says so, and no check has the paper's name for it."""
    checks, title = certificate.checks, certificate.title
    for term in terms:
        if term.source.startswith(CLAIMED):
            name = f", {term.source.removeprefix(CLAIMED)}"
            checks = [
                replace(c, name=c.name.replace(name, ", as claimed in the file")) if c.bound == term.bound else c
                for c in checks
            ]
            title += f"; {term.key} <= {term.bound:.4g} is {term.source}"
    return replace(certificate, checks=checks, title=title)


def check_mixer(arguments: Sequence[str]) -> int:
    """Ask whether a mixer of yours can tell the tokens of any two sequences apart.

    FUNCTION takes X of shape (d, n) and theta, a vector of `--parameters` numbers, both tensors of torch, and gives the
    mixing term of shape (d, n), without X itself. It may also be a layer or a transformer of uatlib, which has its own
    parameters. Verdicts: yes; no, with two sequences and a token of each that become alike; unsure.
    """
    example = (
        "  mixer.py:\n    def mean(X, theta):\n        return theta * X.mean(dim=1, keepdim=True) + 0 * X\n\n"
        "  python -m uatlib check-mixer mixer.py:mean --parameters 1 --n 3 --d 1 --group symmetric"
    )
    ask = parser(check_mixer, example, judges=True)
    ask.add_argument("mixer", metavar="FILE.py:FUNCTION", help="the mixer")
    ask.add_argument("--parameters", type=int, metavar="P", help="how many numbers theta has")
    ask.add_argument("--n", type=int, required=True, help="tokens")
    ask.add_argument("--d", type=int, required=True, help="entries of a token")
    ask.add_argument(
        "--group", required=True, help="under which it is equivariant: symmetric, cyclic, dihedral or trivial"
    )
    ask.add_argument("--layers", type=int, default=1, help="each with parameters of its own (%(default)s)")
    ask.add_argument("--seed", type=int, default=0, help="of all draws (%(default)s)")
    ask.add_argument("--zero-tokens", action="store_true", help="try sequences with tokens that are 0, too")
    with_json(ask)
    given = ask.parse_args(arguments)
    from .cheng2025 import check_mixer as run
    from .internal.number_text import short_text

    options = {name: value for name, value in vars(given).items() if name not in ("mixer", "json")}
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("default", UserWarning)
        verdict = run(_from_file("mixer", given.mixer), **options)
    for note in noted:
        print(f"note: {note.message}", file=sys.stderr)
    worst = {} if verdict.pair is None else dict(zip("XY", (each.tolist() for each in verdict.pair), strict=True))
    if given.json:
        seen = {"verdict": verdict.verdict, "gap": number(verdict.gap), "family": verdict.family}
        print(json.dumps(record(given.mixer, verdict) | seen | worst | {"tokens": verdict.tokens}))
        return worst_status([verdict.verdict])
    alike, apart = map(short_text, verdict.ends)
    print(f"verdict  {verdict.verdict}")
    print(f"gap      {short_text(verdict.gap)} units of rounding: alike up to {alike}, told apart from {apart} on")
    if worst and verdict.tokens is not None:
        i, j = verdict.tokens
        print(f"worst    token {i} of X and token {j} of Y ({verdict.family}; they count from 0)")
        print("\n".join(f"         {name} = {json.dumps(sequence)}" for name, sequence in worst.items()))
    return worst_status([verdict.verdict])


def compare(arguments: Sequence[str]) -> int:
    """Build the networks of all proofs for one function on one grid, and measure them side by side.

    Columns with <= are what is proved, those without what was measured.
    """
    ask = parser(compare, "  python -m uatlib compare --target mean_product --inverse-delta 2 --samples 1000")
    _ask_for_target(ask)
    ask.add_argument("--inverse-delta", type=int, required=True, metavar="N", help="cells a side, the same for all")
    ask.add_argument("--p", type=float, default=2, help="of the distance d_p (%(default)s)")
    ask.add_argument("--samples", type=int, default=65_536, help="points at most (%(default)s)")
    with_json(ask)
    given = ask.parse_args(arguments)
    from .comparison import compare as run

    target = _target(given.target, _stated(given))
    table = run(target, given.inverse_delta, p=given.p, samples=given.samples)
    if not given.json:
        print(table)
        return 0
    for row in table.rows:
        values = {name: value.get("value") if isinstance(value, dict) else value for name, value in asdict(row).items()}
        print(json.dumps({name: value if isinstance(value, str) else number(value) for name, value in values.items()}))
    return 0


# -------------------------------------------------------------------------------------------------- networks in files


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE, the value as JSON if it is some, else as text."""
    name, is_there, value = text.partition("=")
    if not is_there:
        raise ValueError(f"--set: expected NAME=VALUE, got {text}.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _built(source: str, target: Target, options: Settings) -> Construction:
    """What the source's `build` makes; ValueError if it has no such parameters."""
    run = import_module(f".{source}", __package__).build
    known = [name for name in inspect.signature(run).parameters if name != "target"]
    if unknown := sorted({*options} - {*known}):
        raise ValueError(f"--set: expected parameters out of {', '.join(known)}, got {', '.join(unknown)}.")
    construction: Construction = run(target, **options)
    return construction


def _save(path: str, construction: Construction, order: Settings) -> None:
    from .internal import files

    claim = {name: value for name, value in asdict(construction.claim).items() if name != "domain"}
    files.write(path, {**construction.model.content(), "built": {**order, "claim": claim}})


def _read(path: str, own: str | None) -> Construction:
    """The construction that the file describes, with the network and the claim of the file."""
    from .checks import cut
    from .internal import files
    from .model import Transformer

    if not isinstance(built := files.read(path).get("built"), dict):
        raise ValueError(f"{path}: expected what `build --save` wrote, got a network without a claim.")
    try:
        construction = _described(built, own)
    # Any JSON at all may stand in a damaged file.
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        said = isinstance(error, ValueError)
        got = str(error) if said else f"expected what `build --save` wrote, got {cut(repr(error))}."
        raise ValueError(f"{path}: {got}") from None
    return replace(construction, model=Transformer.load(path))


def _described(built: Settings, own: str | None) -> Construction:
    """What is built by this order, with the claim of the file; kinds of errors as the file may be damaged."""
    from .certificate import Term
    from .checks import choice

    source, stated, claim = choice("source", built["source"], SOURCES), built["stated"], dict(built["claim"])
    # A name of the library's functions alone: what is in a file is never run.
    target = _named_target(built["target"], stated) if own is None else _target(own, stated)
    if target is None:
        raise ValueError("its function is not in the file; name it with --target FILE.py:FUNCTION.")
    construction = _built(source, target, built["options"])
    printed = {term.key: term for term in construction.claim.terms}

    def term(key: str, name: str, source: str, bound: float) -> Term:
        ours = printed.get(key)
        if ours and math.isclose(bound, ours.bound, rel_tol=1e-9):
            return ours
        return Term(key, name, f"{CLAIMED}{ours.source if ours else source}", bound)

    claim["terms"] = [term(**given) for given in claim["terms"]]
    return replace(construction, claim=replace(construction.claim, **claim))
