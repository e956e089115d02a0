"""A card as HTML, before its script runs and where none does: the parts that card.js makes, in the same style sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from .typeset import typeset

__all__ = ["before_script", "named", "room_for"]

MISSING = "The controls of this picture need JavaScript."
ID = re.compile(r'(?<=[#"])u(?=-\d+[")])')
SIZE = re.compile(r'<svg\b[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')


def before_script(
    spec: Mapping[str, Any],
    drawings: Sequence[str],
    text: str,
    *,
    room: tuple[str, str] = ("", ""),
    height: str = "",
    away: Sequence[str] = (),
    choices: Mapping[str, Mapping[str, str]] | None = None,
    states: Sequence[str] = (),
) -> str:
    """The card of this spec with its first picture and read-out, as high as the view that takes its place.

    `drawings` are the picture for a desk and, if it has one, that for a phone; `room` is what `room_for` gives. A live
    picture has another `height`, in CSS, than its own, controls that are away, as they mean nothing at first, menus
    whose `choices` are fewer or have other texts at first, {control: {key: text}}, and goals, each with its state.
    """
    away = [*away, *(name for handle in spec.get("handles", ()) for name in (handle["x"], handle["y"]))]
    offered = choices or {}
    controls = (c for c in spec["controls"] if c["name"] not in away and c["kind"] != "hidden")
    fields = "".join(_control(c, offered.get(c["name"])) for c in controls)
    buttons = "".join(f"<button>{word}</button>" for word in ("Reset", "Download this picture"))
    kinds = zip(_kinds(drawings), drawings, strict=True)
    shown = "".join(_div(f"picture {kind}".strip(), svg) for kind, svg in kinds)
    if height:
        tall = f'<div style="height: {height}">{shown}</div>'
        picture = f'<div class="stage" style="container-type: inline-size">{tall}</div>'
    else:
        picture = _div("pictures", shown + room[0])
    asked = zip(map(_asked, spec.get("goals", ())), map(escape, states), strict=True)
    row = '<p class="goal"><strong>Goal:</strong> {}<span class="state room">{}</span></p>'
    goals = "".join(row.format(*words) for words in asked)
    return (
        f'<div class="uat-first"><div class="explorer{" live" if height else ""}">'
        f'<p class="title">{escape(spec["title"])}</p>'
        f"{_div('controls', fields, inert=True) if fields else ''}{picture}"
        f'<div class="words"><p class="readout">{escape(text)}</p>{room[1]}</div>{goals}'
        f"{_div('actions', f'{buttons}<a>Link to this setting</a>', inert=True)}"
        f"<noscript><p>{MISSING}</p></noscript></div></div>"
    )


def named(picture: str, prefix: str, alt: str) -> str:
    """A picture of `page_svg` with ids that no other picture of the page has, and what it shows."""
    return ID.sub(prefix, picture).replace(' role="img"', f' role="img" aria-label="{escape(alt)}"', 1)


def room_for(drawings: Iterable[Sequence[str]], texts: Sequence[str]) -> tuple[str, str]:
    """What keeps room in a card for the largest of these drawings, and for the longest of these texts, at any width."""
    each = list(drawings)
    rows = [[both[k] for both in each] for k in ((0, -1) if any(len(both) > 1 for both in each) else (0,))]
    pictures = "".join(_largest(row, kind) for kind, row in zip(_kinds(rows), rows, strict=True))
    return pictures, "".join(f'<p class="room" aria-hidden="true">{escape(text)}</p>' for text in _longest(texts))


def _asked(goal: Mapping[str, str]) -> str:
    """What a goal asks for; the script makes a link of the exercise that it is."""
    return escape(goal["asks"]) + (" (exercise)" if goal["exercise"] else "")


def _kinds(drawings: Sequence[object]) -> tuple[str, ...]:
    """Classes of which the style sheet shows one; a single drawing is shown anyway."""
    return ("wide", "narrow") if len(drawings) > 1 else ("",)


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


def _div(name: str, inside: str, *, inert: bool = False) -> str:
    return f'<div class="{name}"{" inert" if inert else ""}>{inside}</div>'


def _control(spec: Mapping[str, Any], choices: Mapping[str, str] | None = None) -> str:
    """A control at its start, as makeControl of card.js makes it; of a menu maybe only these choices."""
    kind, start, label = spec["kind"], spec["start"], escape(spec["label"])
    texts = [escape(text) for text in spec.get("texts", ())]
    if kind == "menu":
        named = choices or dict(zip(spec["keys"], spec["texts"], strict=True))
        keys = ((key, escape(text)) for key, text in named.items())
        options = (f"<option{' selected' if k == spec['keys'][start] else ''}>{text}</option>" for k, text in keys)
        field = f'<select aria-label="{label}">{"".join(options)}</select>'
    elif kind == "segmented":
        marks = (" checked" if i == start else "" for i in range(2))
        halves = (f'<label><input type="radio"{m}><span>{t}</span></label>' for m, t in zip(marks, texts, strict=True))
        field = f'<div role="radiogroup" aria-label="{label}">{"".join(halves)}</div>'
    elif kind == "slider":
        low, high, step = spec.get("min", 0), spec.get("max", len(texts) - 1), spec.get("step", 1)
        value = texts[start] if texts else _told(spec)
        field = f'<input type="range" min="{low}" max="{high}" step="{step}" value="{start}" aria-label="{label}">'
        field += f"<output>{value}</output>" + ('<button class="play">Play</button>' if spec.get("play") else "")
    else:
        now = (" checked" if start else "") if kind == "checkbox" else f' value="{escape(start)}"'
        field = f'<input type="{kind}"{now} aria-label="{label}">' + ('<p class="complaint"></p>' * (kind == "text"))
    return _div(f"control {kind}", f'<span class="name">{label}</span>{field}')


def _told(spec: Mapping[str, object]) -> str:
    """The number of a slider as `told` of card.js says it."""
    return escape(typeset(f"{spec['start']:.{spec['digits']}f}{spec['unit']}"))
