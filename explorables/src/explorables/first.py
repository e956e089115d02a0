"""A card as HTML: a page shows it before its script runs and where none does, and card.js lets it move."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

from .typeset import typeset

__all__ = ["card", "named", "room_for"]

MISSING = "The controls of this picture need JavaScript."
ID = re.compile(r'(?<=[#"])u(?=-\d+[")])')
WIDEST = 14
"""Letters of a slider's value that have room from the beginning; longer ones may have two lines."""
USE, ABOVE, FORGET = (
    f'<button type="button" class="{kind} room" title="{why}">{word}</button>'
    for kind, word, why in (
        ("yours", "Use my function", "Show here the function that you typed or painted last"),
        ("yours", "<canvas></canvas><span>Your f</span>", "Use my function: the one that you typed or painted last"),
        ("forget", "Forget my function", "The browser keeps it for all pictures until you do"),
    )
)
"""What the reader made in another picture; room for it stands from the beginning, and nothing moves when it comes.

Where it waits to be asked for, and can be typed above the picture, it stands before that field, with a small picture.
"""
BEFORE = "Won before"
"""What card.js says of a goal that the reader has reached, but not now."""
VIEW_BOX = re.compile(r'viewBox="([^"]*)"')
SIZE = re.compile(r'<svg\b[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')


def card(
    spec: Mapping[str, Any],
    drawings: Sequence[str],
    text: str,
    *,
    room: tuple[str, str] = ("", ""),
    height: str = "",
    away: Sequence[str] = (),
    choices: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    states: Sequence[str] = (),
    tools: Sequence[str] = (),
) -> str:
    """The card of this spec with its first picture and read-out; card.js lets it move.

    `drawings` are the picture for a desk and, if it has them, those for a phone and one on its side, with `tools` in
    each; `room` is what `room_for` gives. A live
    picture has another `height`, in CSS, than its own, controls that are away, as they mean nothing at first, menus
    whose `choices` are fewer or have other texts at first, {control: {key: text}}, and goals above it, each with its
    state and room for what that may become, which moves no picture. A spec with a fold, {controls}, has these controls
    in it, below the read-out; with a summary, all that is below the picture but the goals, which come before it.
    """
    held = [name for handle in spec.get("handles", ()) for name in (handle["x"], handle["y"])]
    id, fields, shown = escape(f"first-{spec['name']}"), "", False
    use, forget = (USE, FORGET) if spec.get("adopts") else ("", "")
    fold, inner, names = spec.get("fold") or {"controls": ()}, "", ""
    for control in (c for c in spec["controls"] if c["kind"] != "hidden"):
        name = control["name"]
        label, field, more = _control(control, f"{id}-{name}", choices.get(name))
        inside = field if name in held else f"{label}{field}{more}"  # a handle has a name of its own
        hidden = name in held or name in away
        row = f'<div class="control {control["kind"]}"{_on(hidden, "hidden")}>{inside}</div>'
        if name in fold["controls"]:
            inner += row
            names += f'<span id="{id}-{name}-word"{_on(hidden, "hidden")}>{escape(control["label"])}</span>'
            continue
        if control["kind"] == "text" and spec.get("adopts") == "when asked" and use:
            fields, use = fields + ABOVE, ""
        fields += row
        shown |= not hidden
    save = '<button type="button">Download this picture</button><a>Link to this setting</a>'
    kinds = zip(_kinds(drawings), drawings, tools or [""] * 3, strict=False)  # a widget has no drawing yet
    pictures = "".join(f'<div class="picture {kind}">{svg}{_over(svg, tool)}</div>' for kind, svg, tool in kinds)
    if height:
        tall = f'<div style="height: {height}">{pictures}</div>'
        picture = f'<div class="stage" style="container-type: inline-size">{tall}</div>'
    else:
        picture = f'<div class="pictures">{pictures}{room[0]}</div>'
    asked = _goals(spec.get("goals", ()), states)
    readout = f'<p class="readout" id="{id}-readout">{_lines(text)}</p>{room[1]}'
    words = f'<div class="words">{readout}</div>'
    if "fold" in spec:
        below = ""
        if "summary" in fold:
            asked, words, below = "", asked, words
        summary = escape(fold.get("summary", "")) or f"More: {names}"
        more = f'<summary>{summary}</summary><div class="controls" inert>{inner}</div>{below}'
        words += f'<details class="more">{more}</details>'
    kind = f"explorer{_on(height, 'live')}{_on(spec.get('adopts') == 'at once', 'own')}"
    return (
        f'<div class="{kind}" role="group" aria-labelledby="{id}-title">'
        f'<p class="title" id="{id}-title">{escape(spec["title"])}</p>{asked}'
        f'<div class="controls" inert{_on(not shown, "hidden")}>{fields}</div>{picture}'
        f'{words}<div class="actions" inert><button type="button">Reset</button>'
        f'<details class="rare"><summary>Save, link \u2026</summary><div>{save}{forget}</div></details>{use}</div>'
        f"<noscript><p>{MISSING}</p></noscript></div>"
    )


def named(picture: str, prefix: str, alt: str) -> str:
    """A picture of `page_svg` with ids that no other picture of the page has, and what it shows."""
    return ID.sub(prefix, picture).replace(' role="img"', f' role="img" aria-label="{escape(alt)}"', 1)


def room_for(drawings: Iterable[Sequence[str]], texts: Sequence[str]) -> tuple[str, str]:
    """What keeps room in a card for the largest of these drawings, and for the longest of these texts, at any width."""
    each = list(drawings)
    rows = [[both[k] for both in each] for k in ((0, -1) if any(len(both) > 1 for both in each) else (0,))]
    pictures = "".join(_largest(row, kind) for kind, row in zip(_kinds(rows), rows, strict=True))
    return pictures, "".join(f'<p class="room" aria-hidden="true">{_lines(text)}</p>' for text in _longest(texts))


def _lines(text: str) -> str:
    """A read-out: its first line, and small the figures below it; as `sayIn` of card.js."""
    first, end, figures = text.partition("\n")
    return f"{escape(first)}<small>{end}{escape(figures)}</small>"


def _goals(goals: Sequence[Mapping[str, str]], states: Sequence[str]) -> str:
    """What they ask for, each above how it stands, with room for that from the beginning.

    The script takes out the link to an exercise that is not on the page.
    """
    asked = ""
    for k, (goal, state) in enumerate(zip(goals, states, strict=True), 1):
        exercise = f'<span> (<a href="#{escape(goal["exercise"])}">exercise</a>)</span>' if goal["exercise"] else ""
        name = f"Goal {k}" if len(goals) > 1 else "Goal"
        _, _, now = state.partition(": ")
        most = ". ".join(text for text in (now, goal.get("gained", "")) if text)
        room = f'<p class="room" aria-hidden="true">{BEFORE}: {escape(most)}</p>' if most else ""
        asked += f'<p class="goal"><strong>{name}:</strong> {escape(goal["asks"])}{exercise}</p>'
        asked += f'<div class="words verdict"><p class="state room">{escape(state)}</p>{room}</div>'
    return asked


def _over(svg: str, tools: str) -> str:
    """Buttons in a drawing, which nobody can press yet."""
    box = VIEW_BOX.search(svg)
    return f'<svg class="tools" viewBox="{box[1]}" aria-hidden="true" inert>{tools}</svg>' if tools and box else ""


def _kinds(drawings: Sequence[object]) -> tuple[str, ...]:
    """Classes of which the style sheet shows one; a single drawing is shown anyway."""
    return ("wide", "narrow", "low")[: len(drawings)] if len(drawings) > 1 else ("",)


def _largest(drawings: Iterable[str], kind: str) -> str:
    """Empty pictures of the sizes that no other covers, be there room for both or none."""
    found = (SIZE.search(svg) for svg in drawings)
    sizes = {(float(size[1]), float(size[2])) for size in found if size}
    largest = (
        (w, h) for w, h in sorted(sizes) if not any((u, v) != (w, h) and v >= h and v * w >= h * u for u, v in sizes)
    )
    svg = '<svg class="room {}" width="{}pt" height="{}pt" viewBox="0 0 {} {}" aria-hidden="true"></svg>'
    return "".join(svg.format(kind, w, h, w, h) for w, h in largest) if len(sizes) > 1 else ""


def _longest(texts: Sequence[str]) -> list[str]:
    """Those of the texts that take the most lines, one for each width that a card may have."""

    def lines(text: str, letters: int) -> int:
        return sum(max(1, -(-len(line) // letters)) for line in text.split("\n"))

    found = (max(texts, key=lambda text: (lines(text, letters), len(text))) for letters in range(20, 140))
    return list(dict.fromkeys(found))


def _control(spec: Mapping[str, Any], id: str, choices: Mapping[str, str] | None) -> tuple[str, str, str]:
    """The name and the field of a control at its start, and what else it has; of a menu maybe only these choices."""
    kind, start, label = spec["kind"], spec["start"], escape(spec["label"])
    texts = [escape(text) for text in spec.get("texts", ())]
    name, more = f'<label class="name" for="{id}">{label}</label>', ""
    if kind == "menu":
        offered = choices or dict.fromkeys(spec["keys"])
        options = (
            f'<option value="{k}"{_on(k == start, "selected")}{_on(key not in offered, "hidden disabled")}>'
            f"{escape(offered.get(key) or spec['texts'][k])}</option>"
            for k, key in enumerate(spec["keys"])
        )
        field = f'<select id="{id}">{"".join(options)}</select>'
    elif kind == "segmented":
        name = f'<span class="name" id="{id}-name">{label}</span>'
        radio = f'<label><input type="radio" name="{id}" autocomplete="off"'
        halves = (f"{radio}{_on(k == start, 'checked')}><span>{text}</span></label>" for k, text in enumerate(texts))
        field = f'<div id="{id}" role="radiogroup" aria-labelledby="{id}-name">{"".join(halves)}</div>'
    elif kind == "slider":
        low, high, step = spec.get("min", 0), spec.get("max", len(texts) - 1), spec.get("step", 1)
        at = f'min="{low}" max="{high}" step="{step}" value="{start}"'
        field = f'<input id="{id}" type="range" {at} autocomplete="off">'
        said = spec.get("texts") or [_told(spec, number) for number in (start, low, high)]
        room = min(max(map(len, said)), WIDEST)  # or the slider would change its length under the hand
        more = f'<output for="{id}" style="min-width: {room}ch">{escape(said[start if texts else 0])}</output>'
        more += '<button type="button" class="play">Play</button>' if spec.get("play") else ""
    elif kind == "checkbox":
        field = f'<input id="{id}" type="checkbox"{_on(start, "checked")} autocomplete="off">'
    else:
        text = f'value="{escape(start)}" maxlength="{spec["most"]}" spellcheck="false"'
        field = f'<input id="{id}" type="text" {text} autocomplete="off" aria-describedby="{id}-complaint">'
        more = f'<p class="complaint" id="{id}-complaint" role="alert"></p>'
    return name, field, more


def _on(whether: object, attributes: str) -> str:
    return f" {attributes}" if whether else ""


def _told(spec: Mapping[str, object], number: float) -> str:
    """A number of a slider as `told` of card.js says it."""
    return typeset(f"{number:.{spec['digits']}f}{spec['unit']}")
