"""Explorers: a picture with controls, the same in a notebook with a kernel, in a static page, and without JavaScript.

One view, in explorer.js, serves all: as an anywidget it asks the kernel for frames; in a static page page.js answers
it from frames that were drawn when the page was built.
"""

from __future__ import annotations

import base64
import functools
import html
import inspect
import json
import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .controls import Control, as_control
from .frames import Frame, FrameStore, combinations, draw, pack, require_few, static_page
from .kept import keep, recall
from .svg import standalone

__all__ = ["Explorer", "explore", "page_script", "view_module"]

HERE = Path(__file__).parent
KEPT = FrameStore(characters=100_000_000)
"""One store for all explorers: a cell that runs again leaves its old explorer behind, and ipywidgets keeps it alive."""


def explore(
    *,
    title: str = "",
    alt: str = "",
    display: bool = True,
    combinations: int = 400,
    kilobytes: int = 300,
    **controls: Any,
) -> Callable[[Callable[..., Any]], Explorer]:
    """Give the arguments of a function that draws a picture controls; in a notebook, show them at once.

    >>> @explore(inverse_delta=[2, 3, 4, 6, 8], kernel=["softmax", "RBF"])
    ... def staircase(inverse_delta, kernel):
    ...     "What the picture shows, for readers who do not see it."
    ...     ...
    ...     return figure, "what it says, in words and numbers"

    The function returns a matplotlib figure, or a pair (figure, text). It should depend on its arguments only: each
    combination is drawn once. Where a kernel runs, frames are drawn when they are asked for; where static pages are
    built (UATLIB_STATIC_PAGE is set), all are drawn and packed into the page.

    Parameters
    ----------
    controls : for each argument of the function a list of values, or a `Control` with label, start, finer values, play.
        Numbers make a slider, texts a menu, booleans a checkbox
    title : a short heading; the function's name if not given
    alt : what the picture shows, for readers who do not see it; the function's docstring if not given
    display : False to show nothing yet
    combinations, kilobytes : the budget for a static page, checked when one is built

    Raises
    ------
    ValueError
        No control, controls that do not fit the function's arguments or hold no proper values, more than one with
        play, a budget that is no int >= 1. In a static page also: a budget that is exceeded, and whatever the function
        raises.
    """
    for name, budget in (("combinations", combinations), ("kilobytes", kilobytes)):
        if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
            raise ValueError(f"explore: expected {name} to be an int >= 1, got {budget!r}.")
    for name, option, kind in (("title", title, str), ("alt", alt, str), ("display", display, bool)):
        if not isinstance(option, kind):
            raise ValueError(
                f"explore: expected {name} to be a {kind.__name__}, got {option!r}; "
                "it is an option here, so give the function's argument another name."
            )

    def decorate(function: Callable[..., Any]) -> Explorer:
        named = {name: as_control(values, name) for name, values in controls.items()}
        explorer = Explorer(function, named, title=title, alt=alt, combinations=combinations, kilobytes=kilobytes)
        if display:
            explorer._show()
        return explorer

    return decorate


class Explorer:
    """A function that draws a picture, with a control for each of its arguments; made by `explore`.

    Calling it calls the function. `frame` gives one picture as SVG, `widget` the ipywidget, `to_html` a static page.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        controls: Mapping[str, Control],
        *,
        title: str = "",
        alt: str = "",
        combinations: int = 400,
        kilobytes: int = 300,
    ) -> None:
        _require_fit(function, controls)
        if isinstance(function, Explorer):
            function = function.function
        named: Any = function.func if isinstance(function, functools.partial) else function
        functools.update_wrapper(self, named, updated=())
        self.function: Callable[..., Any] = function
        self.controls = dict(controls)
        words = re.findall(r"[^\W_]+", getattr(named, "__name__", ""))
        self.name = "-".join(words).lower() or "picture"
        self.title = title or " ".join(words).capitalize() or "Picture"
        self.alt = alt or " ".join((inspect.getdoc(named) or "").split("\n\n")[0].split()) or self.title
        self.combinations, self.kilobytes = combinations, kilobytes
        self._key = object()
        self._widget: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that draws."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        controls = ", ".join(f"{name}={control.texts}" for name, control in self.controls.items())
        return f"<explorer {self.name}: {controls}>"

    @property
    def start(self) -> dict[str, Any]:
        """The values shown first."""
        return {name: control.start for name, control in self.controls.items()}

    def spec(self, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON; a static page offers only what it holds pictures of."""
        controls = [control.spec(name, static=static) for name, control in self.controls.items()]
        return {"name": self.name, "title": self.title, "alt": self.alt, "controls": controls}

    def positions(self, values: Mapping[str, Any]) -> list[int]:
        """Where these values stand in their controls; controls that are not named stand at their start."""
        if unknown := sorted(set(values) - set(self.controls)):
            raise ValueError(
                f"{self.name}: expected controls out of {', '.join(self.controls)}, got {', '.join(unknown)}."
            )
        try:
            return [control.position(values.get(name, control.start)) for name, control in self.controls.items()]
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def values_at(self, at: Any) -> dict[str, Any]:
        """The values at these positions; ValueError if they are none of this explorer."""
        counts = [len(control.positions) for control in self.controls.values()]
        whole = isinstance(at, list) and all(isinstance(i, int) for i in at)
        if not whole or len(at) != len(counts) or not all(0 <= i < n for i, n in zip(at, counts, strict=True)):
            raise ValueError(f"{self.name}: expected a position below each of {counts}, got {at!r}.")
        return {name: control.positions[i] for i, (name, control) in zip(at, self.controls.items(), strict=True)}

    def frame(self, /, **values: Any) -> Frame:
        """The picture and the read-out at these values, drawn once; at the start values also as a bitmap."""
        at = self.positions(values)
        key = (self._key, *at)
        if (kept := KEPT.get(key)) is None:
            is_first = at == self.positions({})
            kept = draw(self.function, self.values_at(at), self._settings(at), bitmap=is_first)
            KEPT.put(key, kept)
        return kept

    def _settings(self, at: list[int]) -> str:
        rows = zip(self.controls.items(), at, strict=True)
        return ", ".join(f"{control.label or name} = {control.texts[i]}" for (name, control), i in rows)

    # ------------------------------------------------------------------------------------------------------ a page

    def _first(self, missing: str = "The controls of this picture need JavaScript.") -> str:
        """The first frame and its read-out, and what its controls are waiting for, in any page."""
        frame = self.frame()
        data = base64.b64encode(standalone(frame.svg).encode()).decode()
        heading = f"{self.title}: {self._settings(self.positions({}))}"
        return (
            f'<div class="uat-first"><p><strong>{html.escape(heading)}</strong></p>'
            f'<img alt="{html.escape(self.alt)}" src="data:image/svg+xml;base64,{data}">'
            f'<p style="white-space: pre-line">{html.escape(frame.text)}</p>'
            f"<p>{missing}</p></div>"
        )

    def _html(self, *, static: bool) -> str:
        if not static:
            return self._first("The controls of this picture need a running notebook.")
        require_few(self.controls, self.name, self.combinations)
        places = [self.positions(values) for values in combinations(self.controls)]
        if before := recall(self.name):
            for at, frame in zip(places, before, strict=True):
                KEPT.put((self._key, *at), frame)
        first, spec = self._first(), _for_script(self.spec(static=True))
        budget = 1000 * self.kilobytes - len(first) - len(spec)
        packed = pack(self.controls, self.frame, self.name, room=budget, kilobytes=self.kilobytes)
        if not before:
            keep(self.name, [self.frame(**values) for values in combinations(self.controls)], packed.seconds)
        return (
            f'<div class="uat-explorer" id="explorer-{self.name}" data-combinations="{packed.combinations}" '
            f'data-pictures="{packed.pictures}">{first}'
            f'<script type="application/json" class="uat-spec">{spec}</script>'
            f'<script type="application/gzip" class="uat-pack">{packed.data}</script></div>'
            f'<script class="uat-page-script">{page_script()}</script>'
        )

    def to_html(self) -> str:
        """A page of its own, in ASCII, that works from a folder, without a kernel and without a network."""
        dark = "color-scheme: light dark; --uat-paper: Canvas; --uat-line: #808080"
        page = (
            f'<!doctype html><html lang="en" style="{dark}"><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{html.escape(self.title)}</title>'
            f'<body style="max-width: 46rem; margin: 1rem auto; font-family: system-ui, sans-serif">'
            f"{self._html(static=True)}</body></html>"
        )
        return page.encode("ascii", "xmlcharrefreplace").decode()

    # -------------------------------------------------------------------------------------------------- a notebook

    @property
    def widget(self) -> Any:
        """The ipywidget; its trait `values` holds the current values, can be observed and set."""
        from .widget import ExplorerWidget

        if self._widget is None or self._widget.comm is None:  # not made yet, or closed
            self._widget = ExplorerWidget(self)
        return self._widget

    def answer(self, at: Any) -> dict[str, Any]:
        """The frame at these positions for the view, or the error that drawing it raised."""
        try:
            frame = self.frame(**self.values_at(at))
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            # An interrupt too: a view that waits for an answer must get one.
            return {"kind": "frame", "at": at, "error": f"{type(error).__name__}: {error}", "traceback": _trace(error)}
        return {"kind": "frame", "at": at, "svg": frame.svg, "text": frame.text}

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget, and the first frame for all who show no widget.

        A notebook that a program runs (nbconvert, papermill) would keep the widget's state without the kernel behind
        it, and prefer that to the picture: there the first frame stands alone. `widget` is the widget everywhere.
        """
        static, live = static_page(), not static_page() and _attended()
        answer = self.answer(self.positions({})) if live else {}
        if "error" in answer:
            # The widget shows the error in its place, and can be moved on from there.
            return self.widget._repr_mimebundle_()
        page = self._html(static=static)  # first, since it may bring the frames
        data: dict[str, Any] = {
            "text/plain": f"{self.title}: {self.frame().text}",
            "text/html": page,
            "image/png": base64.b64encode(self.frame().png).decode(),
        }
        if live:
            view, metadata = self.widget._repr_mimebundle_()
            return {**view, **data}, metadata
        return data, {}

    def _show(self) -> None:
        try:
            from IPython import get_ipython
            from IPython.display import display
        except ImportError:
            return
        # A shell without a kernel is a terminal, or matplotlib's helper in a plain program.
        if hasattr(get_ipython(), "kernel"):
            # Given the object itself, display would swallow what drawing it raises.
            data, metadata = self._repr_mimebundle_()
            display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


def _attended() -> bool:
    """Whether somebody may be there to move a control: a program that runs a notebook says that nobody can be asked."""
    try:
        from IPython import get_ipython
    except ImportError:
        return True
    parent: dict[str, Any] = getattr(getattr(get_ipython(), "kernel", None), "get_parent", dict)()
    return bool(parent.get("content", {}).get("allow_stdin", True))


def _require_fit(function: Callable[..., Any], controls: Mapping[str, Control]) -> None:
    """Refuse controls that are not exactly the arguments of the function (arguments with a default may be left out)."""
    if not callable(function):
        raise ValueError(f"explore: expected a function that draws, got {type(function).__name__}.")
    name = getattr(function, "__name__", "the function")
    arguments = inspect.signature(function).parameters.values()
    if any(argument.kind is argument.POSITIONAL_ONLY for argument in arguments):
        raise ValueError(f"explore: expected arguments of {name} that can be named, got positional-only ones.")
    taken = [a.name for a in arguments if a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    any_name = any(a.kind is a.VAR_KEYWORD for a in arguments)
    needed = [a.name for a in arguments if a.default is a.empty and a.name in taken]
    missing = [argument for argument in needed if argument not in controls]
    unknown = [control for control in controls if control not in taken and not any_name]
    if not controls or missing or unknown:
        raise ValueError(
            f"explore: expected a control for each argument of {name}({', '.join(taken)}), "
            f"got {', '.join(controls) or 'none'}"
            + (f"; {', '.join(missing)} has none" if missing else "")
            + (f"; {', '.join(unknown)} is no argument" if unknown else "")
            + "."
        )
    players = [control for control, spec in controls.items() if spec.play]
    if len(players) > 1:
        raise ValueError(f"explore: expected play for at most one control, got it for {', '.join(players)}.")


def _trace(error: BaseException) -> str:
    """The traceback from the reader's own function on, without the steps of this folder that lead to it."""
    step = error.__traceback__
    while step is not None and Path(step.tb_frame.f_code.co_filename).parent == HERE:
        step = step.tb_next
    return "".join(traceback.format_exception(error.with_traceback(step))) if step else ""


def _for_script(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


@functools.cache
def view_module() -> str:
    """The view as a JavaScript module, with its style sheet: what anywidget loads."""
    style = json.dumps((HERE / "explorer.css").read_text(encoding="utf-8"))
    return f"const STYLE = {style};\n{(HERE / 'explorer.js').read_text(encoding='utf-8')}"


@functools.cache
def page_script() -> str:
    """The view and what answers it in a static page, as a plain script: browsers load no modules from a folder."""
    module, export = view_module(), "export default { render };\n"
    if not module.endswith(export):
        raise RuntimeError("explorer.js must end with its export, which a plain script cannot have")
    page = (HERE / "page.js").read_text(encoding="utf-8")
    return f"(() => {{\n{module.removesuffix(export)}{page}}})();\n"
