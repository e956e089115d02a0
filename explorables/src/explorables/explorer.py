"""Explorers: a picture with controls, the same in a notebook with a kernel, in a static page, and without JavaScript.

One view, in explorer.js, serves all: as an anywidget it asks the kernel for frames; in a static page page.js answers
it from frames that were drawn when the page was built.
"""

from __future__ import annotations

import functools
import inspect
import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from .card import Card
from .checks import cut, flag, listed, mapping, refused, shown, text, whole
from .controls import Control, as_control
from .first import room_for
from .frames import Frame, FrameStore, Margins, combinations, draw, pack, require_few
from .goals import Asked, as_goals

__all__ = ["Explorer", "explore"]

OPTION = "it is an option here, so give the function's argument another name"
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
    goals: Mapping[str, Asked] | None = None,
    folded: Sequence[str] = (),
    **controls: object,
) -> Callable[[Callable[..., Any]], Explorer]:
    """Give the arguments of a function that draws a picture controls; in a notebook, show them at once.

    >>> @explore(inverse_delta=[2, 3, 4, 6, 8], kernel=["softmax", "RBF"])
    ... def staircase(inverse_delta, kernel):
    ...     "What the picture shows, for readers who do not see it."
    ...     ...
    ...     return figure, "what it says, in words and numbers"

    The function returns a matplotlib figure, or a pair (figure, text). It should depend on its arguments only: each
    combination is drawn once. Where a kernel runs, frames are drawn when they are asked for; where static pages are
    built (EXPLORABLES_STATIC is set), all are drawn and packed into the page.

    Parameters
    ----------
    controls : for each argument of the function a list of values, or a `Control` with label, start, finer values, play.
        Numbers make a slider, texts a menu, booleans a checkbox
    title : a short heading; the function's name if not given
    alt : what the picture shows, for readers who do not see it; the function's docstring if not given
    display : False to show nothing yet
    combinations, kilobytes : the budget for a static page, checked when one is built
    goals : by name, what the reader is to reach: a sentence, a function of the read-out and the values by name that
        says whether it is reached, and perhaps a second sentence, which is said then
    folded : names of controls that stand in a fold below the picture: two above it are as many as a reader takes in

    Raises
    ------
    ValueError
        No control, controls that do not fit the function's arguments or hold no proper values, more than one with
        play, a budget that is no int >= 1, goals that are none, folded names of all or of other controls. When it is
        drawn: a goal that is reached at the start. In a static page also: a budget that is exceeded, a goal that
        nothing reaches, and whatever the function raises.
    """
    options = _options(title, alt, combinations, kilobytes)
    flag("display", display, OPTION)

    def decorate(function: Callable[..., object]) -> Explorer:
        explorer = Explorer(function, controls, goals=goals, folded=folded, **options)
        if display:
            explorer._show()
        return explorer

    return decorate


class Explorer(Card):
    """A function that draws a picture, with a control for each of its arguments; made by `explore`.

    Calling it calls the function. `frame` gives one picture as SVG, `widget` the ipywidget, `to_html` a static page.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        controls: Mapping[str, Any],
        *,
        title: str = "",
        alt: str = "",
        combinations: int = 400,
        kilobytes: int = 300,
        goals: Mapping[str, Asked] | None = None,
        folded: Sequence[str] = (),
    ) -> None:
        options = _options(title, alt, combinations, kilobytes)
        self.goals = as_goals(goals, judged=True)
        self.states = ["Not yet."] * len(self.goals)
        self.controls = {name: as_control(values, name) for name, values in mapping("controls", controls).items()}
        _require_fit(function, self.controls)
        self.folded = _names(folded, self.controls)
        if isinstance(function, Explorer):
            function = function.function
        named: Any = function.func if isinstance(function, functools.partial) else function
        functools.update_wrapper(self, named, updated=())
        self.function: Callable[..., object] = function
        words = re.findall(r"[^\W_]+", getattr(named, "__name__", ""))
        self.name = "-".join(words).lower() or "picture"
        self.title = title or " ".join(words).capitalize() or "Picture"
        self.alt = alt or " ".join((inspect.getdoc(named) or "").split("\n\n")[0].split()) or self.title
        self.combinations, self.kilobytes = options["combinations"], options["kilobytes"]
        self._key, self._margins, self._begun = object(), Margins(), False

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call the function that draws."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        controls = ", ".join(f"{name}={control.texts}" for name, control in self.controls.items())
        return f"<explorer {self.name}: {controls}>"

    def spec(self, *, static: bool = False) -> dict[str, Any]:
        """What the view needs to know, as JSON; a static page offers only what it holds pictures of."""
        controls = [control.spec(name, static=static) for name, control in self.controls.items()]
        goals = [goal.spec(name) for name, goal in self.goals.items()]
        said = {"name": self.name, "title": self.title, "alt": self.alt, "controls": controls, "goals": goals}
        return said | self._fold()

    def values_at(self, at: Any) -> dict[str, Any]:
        """The values at these positions; ValueError if they are none of this explorer."""
        counts = [len(control.positions) for control in self.controls.values()]
        whole = isinstance(at, list) and all(isinstance(i, int) for i in at)
        if not whole or len(at) != len(counts) or not all(0 <= i < n for i, n in zip(at, counts, strict=True)):
            raise ValueError(f"{self.name}: expected a position below each of {counts}, got {shown(at)}.")
        return {name: control.positions[i] for i, (name, control) in zip(at, self.controls.items(), strict=True)}

    def frame(self, /, **values: Any) -> Frame:
        """The picture and the read-out at these values, drawn once; at the start values also as a bitmap."""
        at = self.positions(values)
        key = (self._key, *at)
        if (kept := KEPT.get(key)) is None:
            is_first = at == self.positions({})
            begun, self._begun = self._begun, True
            if not (is_first or begun):  # all frames have the margins of the first
                with suppress(Exception):  # it may be drawn elsewhere, and there it is said what is wrong
                    self.frame()
            values, text = self.values_at(at), self._settings(at)
            kept = draw(self.function, values, text, first=is_first, margins=self._margins)
            kept = self._judged(kept, values, is_first=is_first)
            KEPT.put(key, kept)
        return kept

    def _judged(self, drawn: Frame, values: Mapping[str, Any], *, is_first: bool) -> Frame:
        """The frame, and which goals are reached there; ValueError if one is at the start."""
        reached = tuple(bool(goal.reached and goal.reached(drawn.text, values)) for goal in self.goals.values())
        for name in (name for name, there in zip(self.goals, reached, strict=True) if there and is_first):
            raise ValueError(f"{self.name} goals: expected one to be reached, got {name!r}, which is at the start.")
        return replace(drawn, reached=reached)

    def _settings(self, at: list[int]) -> str:
        rows = zip(self.controls.items(), at, strict=True)
        return ", ".join(f"{control.label or name} = {control.texts[i]}" for (name, control), i in rows)

    def _heading(self) -> str:
        return f"{self.title}: {self._settings(self.positions({}))}"

    def shown(self) -> str:
        """What the first frame shows; the view says it likewise, at the settings of each moment."""
        return f"{self.alt.removesuffix('.')}. Now {self._settings(self.positions({}))}."

    def _pack(self) -> tuple[str, str, tuple[str, str]]:
        require_few(self.controls, self.name, self.combinations)
        room = 1000 * self.kilobytes - len(self._before_script()) - len(self._spec_script())
        packed = pack(self.controls, self.frame, self.name, room=room, kilobytes=self.kilobytes)
        frames = [self.frame(**values) for values in combinations(self.controls)]
        for name, *reached in zip(self.goals, *(frame.reached for frame in frames), strict=True):
            if not any(reached):
                raise ValueError(f"{self.name} goals: expected one that some setting reaches, got {name!r}.")
        kept_free = room_for([frame.drawings for frame in frames], [frame.said for frame in frames])
        attributes = f'data-combinations="{packed.combinations}" data-pictures="{packed.pictures}"'
        return attributes, f'<script type="application/gzip" class="uat-pack">{packed.data}</script>', kept_free

    def make_widget(self) -> Any:
        """A new ipywidget, with a trait `values`."""
        from .widget import ExplorerWidget

        return ExplorerWidget(self, self.answer)

    def answer(self, at: object) -> dict[str, Any]:
        """The frame at these positions for the view, or the error that drawing it raised."""
        try:
            frame = self.frame(**self.values_at(at))
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            # An interrupt too: a view that waits for an answer must get one.
            return {"kind": "frame", "at": at, "error": f"{type(error).__name__}: {error}", "traceback": _trace(error)}
        shown = {"svg": frame.svg, "narrow": frame.narrow, "text": frame.said, "reached": frame.reached}
        return {"kind": "frame", "at": at, **shown}

    def _failed(self) -> bool:
        return "error" in self.answer(self.positions({}))


def _options(title: object, alt: object, combinations: object, kilobytes: object) -> dict[str, Any]:
    """Each by its name, as Python has it."""
    budgets = (("combinations", combinations), ("kilobytes", kilobytes))
    said = {name: text(name, words, OPTION) for name, words in (("title", title), ("alt", alt))}
    return said | {name: whole(name, budget, 1, hint=OPTION) for name, budget in budgets}


def _names(folded: object, controls: Mapping[str, Control]) -> tuple[str, ...]:
    """The names of some controls, but not of all."""
    expected = f"a list of some of {cut(', '.join(controls))}, but not of all"
    found = listed("folded", folded, expected)
    if not all(isinstance(name, str) for name in found) or not {*found} < {*controls}:
        raise refused("folded", expected, folded, OPTION)
    return tuple(found)


def _require_fit(function: Callable[..., object], controls: Mapping[str, Control]) -> None:
    """Refuse controls that are not exactly the arguments of the function (arguments with a default may be left out)."""
    if not callable(function):
        raise refused("function", "a function that draws", function)
    name = shown(getattr(function, "__name__", "the function")).strip("'")
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise refused("function", "one whose arguments Python can name", function) from None
    if any(argument.kind is argument.POSITIONAL_ONLY for argument in arguments):
        raise ValueError(f"function: expected arguments of {name} that can be named, got positional-only ones.")
    taken = [a.name for a in arguments if a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    any_name = any(a.kind is a.VAR_KEYWORD for a in arguments)
    needed = [a.name for a in arguments if a.default is a.empty and a.name in taken]
    missing = [argument for argument in needed if argument not in controls]
    unknown = [control for control in controls if control not in taken and not any_name]
    if not controls or missing or unknown:
        raise ValueError(
            f"controls: expected a control for each argument of the function {name}({', '.join(taken)}), "
            f"got {cut(', '.join(controls)) or 'none'}"
            + (f"; {cut(', '.join(missing))} has none" if missing else "")
            + (f"; {cut(', '.join(unknown))} is no argument" if unknown else "")
            + "."
        )
    players = [control for control, spec in controls.items() if spec.play]
    if len(players) > 1:
        raise ValueError(f"controls: expected play for at most one control, got it for {', '.join(players)}.")


def _trace(error: BaseException) -> str:
    """The traceback from the reader's own function on, without the steps of this folder that lead to it."""
    step = error.__traceback__
    while step is not None and Path(step.tb_frame.f_code.co_filename).parent == HERE:
        step = step.tb_next
    return "".join(traceback.format_exception(error.with_traceback(step))) if step else ""
