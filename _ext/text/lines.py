"""The lines of a machine-checked proof: below each why it is one, what is new after it, and what is to be shown.

What is new may have been said in English: in the comment of a step stands ``[name]: for every bound ...``, up to the
next name or the end of the sentence. It is taken out of the step's sentence and stands at the fact, with the term
folded below it, and again where a line of a later step calls the fact.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from html import escape
from typing import Any

from _ext.text.asked import asking_html, rows_html
from _ext.text.proofs import NAME, Page, address, bound, lemma, proved, theorem, title, vocabulary
from _ext.text.rocq import Place, term_html
from _ext.text.why import plain
from uatlib.internal.formula_html import GREEK, text_html

FIELDS = {
    "realType": "the real numbers",
    "realFieldType": "any ordered field",
    "rcfType": "any real closed field",
    "archiFieldType": "any ordered field without infinite numbers",
    "fieldType": "any field",
}
COMMENTED = re.compile(r"\[((?!-?\w+, )[^\[\]]+)\]")
"""A term in a comment; [0, 1] is an interval."""
SAID = re.compile(r"\s*\[([\w']+)\]:\s+(.*?)(?=\s*\[[\w']+\]:\s|(?<=\.)\s+(?=[A-Z\[])|$)", re.DOTALL)
"""A fact that a comment says in English."""
NAMED = re.compile(r",\s*\[[\w']+\]:\s+")
BEGINS = re.compile(r"(?:^|(?<=[.:]))((?:\s*[0-9]+[.])?\s*)\[[\w']+\]:\s+(\w)(?=(\w?))|(?<=;)(\s*)\[[\w']+\]:\s+")
FIRST_LETTER = re.compile(r"^([0-9]+[.] )?([a-z](?=[a-z])|a(?= (?!and|is|or)[a-z]{2}))")
"""Of a sentence; a letter that stands alone is a variable, or an article."""
COUNTS = ("no", "one", "two", "three", "four", "five", "six")
BINDER = re.compile(r"(?:(?:\b(?:forall|exists2?|fun|let)\b|_\()\s*\(?|\()((?:[\w']+[ ,]*)+)")
"""What gives names that may be any others."""
RELATION = re.compile(r"(?<![-=<>:])(?:=|<|>)|\\in\b|\b(?:forall|exists2?)\b|\[/\\|~")
SENTENCE = re.compile(r"(?<=[^.]\.)\s+(?=[A-Z\[])")
FIRST, NEW = re.compile(r"^<li[^>]*>(?:<details><summary>)?"), r"\g<0><strong>New</strong> "
CALLED = re.compile(rf"\{{within\b|{NAME.pattern}")
"""A name in a line; {within A, ...} is the library's."""
NUMBER = re.compile(r"^[0-9]+[.] ")
OPENED = {
    "smoother_is_attention", "uniform_smoother", "book_axis_small", "networks", "pair_alike", "theorem_2_head",
    "theorem_2_any_box",
}  # fmt: skip
"""Lemmas that hold the hard part of a proof: how they go is folded into the step that calls them."""
LONG = 60
"""Signs of a term from which it is folded below its English."""


def english(said: str, facts: Set[str] = frozenset()) -> str:
    """A comment of a proof as HTML: what stands in brackets is a term, or the name of a fact."""
    parts = COMMENTED.split(re.sub(r"(?<![^\W_])oo\b", "∞", said.replace("|->", "↦")))
    return "".join(
        (named_html(part) if part in facts else term_html(part))
        if k % 2
        else text_html(part).replace("_∞", "<sub>∞</sub>")
        for k, part in enumerate(parts)
    )


def known_html(line: str, set_place: Place = lambda _: None) -> str:
    """A line of what is known: names, and what they are."""
    names, body, value = line.partition(" := ")
    if body and " : " not in names:
        return f"{name_html(names)} := {term_html(value, set_place)}"
    names, _, kind = line.partition(" : ")
    if kind in FIELDS:
        return f"<b>R</b> : {FIELDS[kind]}"
    shown = asking_html(kind, set_place) or rows_html(kind, set_place)
    return f"{', '.join(name_html(name, kind) for name in names.split(', '))} : {shown}"


def name_html(name: str, kind: str = "") -> str:
    """A variable as in formulas; the name of a fact as in the lines of the proof."""
    shown = term_html(name)
    variable = not RELATION.search(kind) and (shown.startswith("<i>") or shown == "<b>R</b>")
    return shown if variable else fact_html(name)


def fact_html(name: str) -> str:
    return f"<code>{escape(name, quote=False)}</code>"


def named_html(name: str) -> str:
    """A fact in a sentence: as words where its name is made of such, so thin_enough."""
    if len(name) == 1 or name in GREEK:
        return term_html(name)
    parts = name.split("_")
    reads = all(len(part) > 1 and part in vocabulary() for part in parts)
    return f"<em>{' '.join(parts)}</em>" if reads else fact_html(name)


def title_of(one: dict[str, Any], step: dict[str, Any]) -> str:
    """What is said of lines without a step of their own: the first, which name things, or a proof that has no steps."""
    if len(one["steps"]) > 1:
        return "Name what is given."
    count = len(step["lines"])
    return "The line of the proof." if count == 1 else f"The {count} lines of the proof."


def once(set_place: Place) -> Place:
    """The first time that a name stands in a fold it is a link: more of them are in the way."""
    found = set[str]()

    def first(name: str) -> str | None:
        where = None if name in found else set_place(name)
        found.add(name)
        return where

    return first


def turn(before: int, now: int) -> str:
    """What a line does to the number of things that are to be shown."""
    if now > before:
        many = now - before + 1
        many_things = f"{COUNTS[many].capitalize() if many < len(COUNTS) else many} things to show now, one by one."
        return f"<strong>{many_things}</strong><br>"
    return "<strong>That is shown. Now the next.</strong><br>" if now < before else ""


def same_but_for_names(one: str, other: str) -> bool:
    """Whether two terms differ in nothing but the names of what they bind."""
    here, there = (re.findall(r"'[A-Za-z]+_|[A-Za-z_][\w']*|\S", term) for term in (one, other))
    if len(here) != len(there):
        return False
    bound = [{name for names in BINDER.findall(term) for name in re.split("[ ,]+", names)} for term in (one, other)]
    to, back = dict[str, str](), dict[str, str]()
    return all(
        to.setdefault(a, b) == b and back.setdefault(b, a) == a and (a == b or (a in bound[0] and b in bound[1]))
        for a, b in zip(here, there, strict=True)
    )


def ended(said: str) -> str:
    """As a sentence: what the comment goes on with stands elsewhere, in a fact, a formula or the next comment."""
    said = re.sub(r"\s*[,;:]$", ".", said)
    return FIRST_LETTER.sub(lambda at: (at[1] or "") + at[2].upper(), said)


def stopped(said: str) -> str:
    """A clause as a sentence."""
    return ended(said) + "." * (said.rstrip(")")[-1:] not in (".", "?", "!"))


def apart(said: str) -> tuple[str, dict[str, str]]:
    """The sentence of a step without the facts that it says in English, and these by name.

    What else would leave half a sentence, or none, stays as it is; of the latter the names go.
    """
    facts = {found[1]: found[2].rstrip(" ;") for found in SAID.finditer(said)}

    def cut(found: re.Match[str]) -> str:
        return "" if re.search(r"[.;:]$|^$", said[: found.start()].rstrip()) else found[0]

    rest = ended(NAMED.sub(": ", SAID.sub(cut, said)).strip())
    return (rest if re.search(r"[a-z]{2}", rest) else unnamed(said)), facts


def unnamed(said: str) -> str:
    """What a comment says, without the names that it gives to facts: who sees no lines does not need them."""

    def begin(at: re.Match[str]) -> str:
        return at[4] or at[1] + (at[2].upper() if at[3] or at[2] == "a" else at[2])

    return ended(NAMED.sub(": ", BEGINS.sub(begin, re.sub(r" \(\[[\w']+\]\)", "", said))))


@dataclass
class Told:
    """What a reader of a proof has been told: facts by their names, what was to be shown, how much of it is left.

    Of the names that the proof gives, `own`, facts are `named`. In English: what is `coming`, what was `said` of a fact
    and where, and whose English stands in this fold; names that are `known`, also from elsewhere.
    """

    anchor: str = ""
    own: Set[str] = frozenset()
    named: Set[str] = frozenset()
    facts: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    left: int = 1
    coming: dict[str, str] = field(default_factory=dict)
    said: dict[str, tuple[str, str]] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)

    def begin(self, facts: dict[str, str]) -> None:
        """A step, whose comment says these facts in English: what has been met of the others is over."""
        self.coming = {name: told for name, told in self.coming.items() if name not in self.said} | facts
        self.here = set()

    def meet(self, name: str) -> tuple[str, str] | None:
        """The English of a fact that is new, and its place; without one an older fact of this name is forgotten."""
        if name not in self.coming:
            self.said.pop(name, None)
            return None
        place = f"{self.anchor}-{name}".replace("'", "-")
        while place in self.places:  # a name may be given twice
            place += "-"
        self.places.add(place)
        self.said[name] = english(stopped(self.coming[name]), self.named), place
        self.here.add(name)
        return self.said[name]


def steps_html(page: Page, file: str, one: dict[str, Any], anchor: str) -> str:
    """The steps of a proof, each a fold."""
    lines = [line for step in one["steps"] for line in step["lines"]]
    known = [*one["given"], *(fact for _, new, _, _ in lines for fact in new)]
    facts = {name for name, _, kind in (fact.partition(" : ") for fact in known) if RELATION.search(kind)}
    done, told = [], Told(anchor, bound(one), facts)
    told.known |= {name for fact in one["given"] for name in fact.partition(" : ")[0].split(", ")}
    for at, step in enumerate(one["steps"]):  # a fact may be there before its step says it
        left = bound({"steps": one["steps"][at:]})
        told.coming |= {name: said for name, said in apart(step["said"])[1].items() if name not in left}
    for step in one["steps"]:
        set_place, (said, new) = once(functools.partial(page.where, file, one["name"])), apart(step["said"])
        told.begin(new)
        shown = "".join(line_html(line, set_place, told, file) for line in step["lines"])
        headed = english(said, facts | {*new}) if said else title_of(one, step)
        kind = "" if said else ' class="lines"'  # what says nothing on paper
        done.append(f"<details{kind}><summary>{headed}</summary>{shown}</details>" if shown else f"<p>{headed}</p>")
    return "".join(done)


def reasons(sentence: str, new: Set[str], told: Told, file: str) -> Iterator[str]:
    """What a line calls, in English: facts of an earlier step, and lemmas."""
    for name in dict.fromkeys(re.findall(r"[A-Za-z_][\w']*", sentence)):
        if name in told.here or name in new:
            continue
        if name in told.said:
            said, place = told.said[name]
            where: str | None = f"#{place}"
        elif name not in told.own and NAME.fullmatch(name) and (found := lemma(file, name)):
            row, where = theorem(*found), address(*found)
            about = title(row) if row else first_sentence(proved(found[0])[name]["said"])
            said = english(stopped(about)) if about else ""
        else:
            continue
        told.here.add(name)
        if said:
            yield f'<p class="by"><strong>Why</strong> {said} {linked(fact_html(name), where)}</p>'
            if name in OPENED and name not in told.own and (found := lemma(file, name)):
                yield opened_html(*found, where)


def opened_html(file: str, name: str, where: str | None) -> str:
    """How a lemma goes that a line calls, one level deep: its steps in English, and where its lines are."""
    one = proved(file)[name]
    steps = [english(unnamed(NUMBER.sub("", step["said"])), bound(one)) for step in one["steps"] if step["said"]]
    listed = "".join(f"<li>{said}</li>" for said in steps)
    more = f"<p>Its entry: {linked(fact_html(name), where)}</p>"
    return f'<details class="lines"><summary>How that goes</summary><ol>{listed}</ol>{more}</details>'


def first_sentence(said: str) -> str:
    """Of a comment, without the number that it may have."""
    return ended(SENTENCE.split(NUMBER.sub("", said))[0])


def fresh_html(fact: str, set_place: Place, told: Told) -> Iterator[str]:
    """What is new after a line: a fact in English, where its step says it, with the term below."""
    names, colon, kind = fact.partition(" : ")
    if not colon or not {*names.split(", ")} & {*told.coming}:
        for name in names.partition(" :=")[0].split(", "):
            told.said.pop(name, None)
        yield f"<li>{known_html(fact, set_place)}</li>"
        return
    for name in names.split(", "):
        if (met := told.meet(name)) is None:
            yield f"<li>{known_html(f'{name} : {kind}', set_place)}</li>"
            continue
        said, place = met
        head, listed = f"{said} {fact_html(name)}", asking_html(kind, set_place)
        term = listed or rows_html(kind, set_place)
        if listed or len(kind) > LONG:
            yield f'<li id="{place}"><details><summary>{head}</summary><div>{term}</div></details></li>'
        else:
            yield f'<li id="{place}">{head}<br>{term}</li>'


def line_html(line: list[Any], set_place: Place, told: Told, file: str) -> str:
    """A line of the proof, why it is one, what is new after it, and what is to be shown, where that has changed."""
    sentence, new, show, count = line
    names = {name for fact in new for name in re.split(r" :=|, ", fact.partition(" : ")[0])}

    def place(name: str) -> str | None:
        return None if name in told.own or name[0] == "{" else set_place(name)

    code = CALLED.sub(lambda at: linked(at[0], place(at[0])), escape(sentence, quote=False))
    why = [*reasons(sentence, names, told, file)]
    if not why:
        facts = (told.named & told.known) | told.here
        why = [f'<p class="by plain"><strong>Why</strong> {plain(sentence, facts, count > told.left)}</p>']
    told.known |= names
    parts = [f"<pre>{code}</pre>", *why]
    fresh = [fact for fact in new if told.facts.get(fact.partition(" : ")[0]) != fact]
    told.facts |= {fact.partition(" : ")[0]: fact for fact in fresh}
    if fresh:
        listed = "".join(part for fact in fresh for part in fresh_html(fact, set_place, told))
        parts.append(f"<ul>{FIRST.sub(NEW, listed)}</ul>")
    if count == 0:
        parts.append('<p class="goal"><strong>Done.</strong></p>')
    elif show is not None and not (told.before and count == told.left and same_but_for_names(show, told.before[-1])):
        again = ", as before" if show in told.before else ""
        goal = asking_html(show, set_place) or rows_html(show, set_place)
        tag = "div" if "<ol>" in goal else "p"
        parts.append(f'<{tag} class="goal">{turn(told.left, count)}<strong>To show{again}</strong> {goal}</{tag}>')
        told.before.append(show)
    told.left = count
    return "".join(parts)


def linked(name: str, where: str | None) -> str:
    return f'<a href="{where}">{name}</a>' if where else name
