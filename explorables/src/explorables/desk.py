"""A desk of its own for a function that draws: the one place that reaches into matplotlib."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

__all__ = ["own_desk"]


@contextmanager
def own_desk() -> Iterator[None]:
    """Let a function draw as if nobody else did: no open figures, no plt.show(), and settings that end with it.

    Without this, plt.gca() would be the axes of the reader's last figure, and a frame would hang on those drawn before.
    """
    import matplotlib
    import matplotlib.pyplot as plt
    from matplotlib._pylab_helpers import Gcf

    # A notebook's backend says when it is loaded that figures are shown; that must not end with the first picture here.
    getattr(plt, "_get_backend_mod", lambda: None)()
    with (
        matplotlib.rc_context(),
        patch.object(Gcf, "figs", OrderedDict()),
        patch.object(plt, "show", lambda *_, **__: None),
        _formulas_kept(),
    ):
        try:
            yield
        finally:
            plt.close("all")


@functools.lru_cache(maxsize=4096)
def _parsed(parse: Callable[..., object], kind: str, settings: tuple[object, ...], *what: object) -> Any:
    """A formula, parsed for output of this kind under these settings."""
    from matplotlib.mathtext import MathTextParser

    return parse(MathTextParser("path" if kind == "vector" else "agg"), *what)


def _formulas_kept() -> AbstractContextManager[Any]:
    """Parse a formula once for all pictures: matplotlib keeps it for one alone, and parsing takes a third of the time.

    A version of matplotlib that works otherwise inside goes on without.
    """
    import matplotlib
    from matplotlib.mathtext import MathTextParser

    parse = getattr(vars(MathTextParser).get("_parse_cached"), "__wrapped__", None)
    names = [name for name in matplotlib.rcParams if name.startswith("mathtext.")]

    def once(parser: Any, *what: Any) -> Any:
        return _parsed(parse, parser._output_type, tuple(matplotlib.rcParams[name] for name in names), *what)

    return nullcontext() if parse is None else patch.object(MathTextParser, "_parse_cached", once)
