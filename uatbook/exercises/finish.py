"""The exercises of the page *Finish a proof*: about lines of the proofs that a proof assistant has checked.

Lines, goals, hypotheses and the only order that goes through come from a record, in which Rocq has said of each what it
does (`proofs/lines.py`, which says how). Here stands why.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from uatlib.certificate import Check

from .. import machine_checked
from ..answers import choice, order
from .exercise import exercise

RECORD = Path(__file__).parents[1] / "data" / "finish-a-proof.json"
FIRST = "{given} is not it."


def shown(label: str) -> list[tuple[str, str]]:
    """What stands above an exercise, blocks with their language: of the file, and what Rocq asks for at that place."""
    known = record()[label]
    begun = known.get("before", "Proof.") != "Proof."
    asked = [known["statement"], *([known["before"]] if begun else [])]
    blocks = [("coq", "\n".join([*known["shows"], "", *asked]))]
    if begun:
        blocks.append(("text", "\n".join([*known["hypotheses"], "=" * 28, known["goal"]])))
    return blocks


@functools.cache
def record() -> dict[str, Any]:
    """What is shown, by label."""
    return dict(json.loads(RECORD.read_text(encoding="utf-8")))


def code(text: str) -> str:
    """As code, although a bar may begin with a backtick there."""
    return f"`` {text} ``" if text[0] == "`" else f"``{text}``"


def one_of(
    label: str,
    asks: str,
    right: str,
    wrong: Sequence[tuple[str, str]],
    hint: str,
    listed: Sequence[int] = (2, 0, 3, 1),
    *,
    why: str,
    about: Sequence[str] = (),
) -> None:
    """An exercise that asks for one of four texts, listed in some order; each is told why it is right or wrong."""
    texts = [right, *(text for text, _ in wrong)]

    def reference() -> str:
        """What is right."""
        return right

    exercise(
        label,
        about=about,
        asks=asks.replace("{", "{{").replace("}", "}}"),
        hands_in=choice("answer", *(texts[k] for k in listed)),
        rubric={"answer": FIRST},
        wrong={text: (text, why.replace("{", "{{").replace("}", "}}")) for text, why in wrong},
        hint=hint,
        why=why,
    )(reference)


def lines_of(label: str, *whys: str, more: Sequence[tuple[str, str]] = ()) -> tuple[str, list[tuple[str, str]]]:
    """The right line of the record, and the wrong ones with why they fail."""
    right, *wrong = map(code, record()[label]["options"])
    return right, [*zip(wrong, whys, strict=True), *more]


DENOMINATOR = "ex-finish-denominator"
one_of(
    DENOMINATOR,
    f"The goal is {code(record()[DENOMINATOR]['goal'])}, that weights add up to 1. Which line closes it?",
    *lines_of(
        DENOMINATOR,
        "divff cancels x / x only where x is not 0, and Rocq asks you to prove that. This line leaves it open; it "
        "takes that exponentials, and so their sum, are positive.",
        "The line looks for a constant in front of each term, c F(j). Here it stands behind: exp(s_j) times 1 / sum.",
        "That proves that the sum is not negative. Rocq does not even get so far: the goal is an equation.",
    ),
    "A sum is divided by itself. What must be said of it before it may be cancelled?",
    why="mulr_suml, backwards, takes 1 / sum out of the sum, and divff cancels: it may, for the lemma above says that "
    "the sum is positive.",
)

FAR = "ex-finish-far"
one_of(
    FAR,
    f"Token j is a far one, and the goal is {code(record()[FAR]['goal'])}. The line "
    f"{code(record()[FAR]['line'])} closes it, with one of the hypotheses. Which one?",
    *lines_of(
        FAR,
        "That b is not negative was needed one step earlier, where a product was bounded factor by factor.",
        "That is where it comes from. But it was taken apart when the cases were told apart, and nothing asks for the "
        "whole again: Rocq closes the goal without it.",
        "That bounds the value of token j. The goal has no value in it, only scores.",
    ),
    "exp rises, so the goal is s_j - s_k <= -g. Which hypothesis speaks of s_j?",
    why="Without the exponentials the goal is s_j - s_k <= -g, and sj_behind says just that, moved around: "
    "s_j <= s_k - g.",
)

LANDING = "ex-finish-landing"
one_of(
    LANDING,
    "A token at level c jumps. To be shown, in ``landing_ge_D``, is that it lands above all levels: "
    f"{code(record()[LANDING]['goal'])}. Which line closes the goal?",
    *lines_of(
        LANDING,
        "lia knows sums of whole numbers, and no product of two unknowns. Here D is multiplied by how far the token "
        "sees; nia multiplies hypotheses, too.",
        "reach_ge_top says that the reach is at least the largest token, so the token may see itself alone, at "
        "distance 0, and land where it stood. token_below says that it sees somebody above itself.",
        "Nothing here says what reach (c + 1) is. The line must first unfold it, and use that a token is present.",
    ),
    "The landing is c + D (reach c - c). By how much must reach c exceed c, and is that sum or product?",
    (1, 3, 0, 2),
    why="token_below says that reach c is at least c + 1, so the landing is at least c + D; and nia, unlike lia, "
    "multiplies D by that.",
)


def titled(file: str, name: str, axioms: str = "classical") -> str:
    """A theorem of the table that leans on these axioms, by its name in words."""
    if (file, name, axioms) not in {(one.file, one.name, one.axioms) for one in machine_checked.theorems()}:
        raise ValueError(f"expected {name} of {file} in the table, with the axioms: {axioms}")
    words = {"kajitsuka2024": "Kajitsuka and Sato", "liu2025": "Liu et al."}
    return f"{words[file.split('/')[0]]}: {code(name)}"


REAL = "It speaks of softmax, and exp takes the complete real numbers, whose library leans on all three axioms."
one_of(
    "ex-finish-axiom",
    "Which of these theorems leans on no axiom at all?",
    titled("kajitsuka2024/theorem_1.v", "theorem_1_repaired", "none"),
    [
        (titled("liu2025/theorem_4_1.v", "theorem_4_1"), REAL),
        (titled("kajitsuka2024/lemma_5.v", "lemma_5"), REAL),
        (
            titled("liu2025/coarse_grids.v", "coarse_grids_fail"),
            f"No compactness, no limit, and yet: {REAL[0].lower()}{REAL[1:]}",
        ),
    ],
    "Hardmax compares and divides. Where do exponentials come in?",
    why="Hardmax compares and divides, so any ordered field with square roots will do; the axioms come in with the "
    "complete real numbers.",
)

EARLY = (
    "",
    "nothing is called x before the first step gives the corner this name",
    "it takes 0 away, and there is no 0 before the smoother has been replaced by it",
    "it works out a distance that the goal shows only after the saw has been unfolded and L taken off both sides",
    "it closes h <= (a number of at least 1) times h, and the goal does not read like that yet",
)
STEPS = (
    "Into the corner",
    "The smoother says 0",
    "Take L off both sides",
    "Work out the distance",
    "At least one cell",
)
SHUFFLED = (3, 1, 4, 0, 2)
CORNER = "ex-finish-corner"


def shown_steps() -> list[str]:
    """The steps as they are listed."""
    return [f"{STEPS[k]}: {code(record()[CORNER]['options'][k] + '.')}" for k in SHUFFLED]


def right_order() -> list[int]:
    """The one order that goes through, by the numbers as listed."""
    [through] = record()[CORNER]["orders"]
    return [SHUFFLED.index(k) + 1 for k in through]


@exercise(
    CORNER,
    asks="Put the five steps of ``coarse_grids_fail`` into the order in which Rocq takes them.",
    hands_in=order("steps", *shown_steps()),
    rubric={
        "order": "{pairs} of the 10 pairs of steps stand in the right order. What stands at place {place} comes too "
        "early: {why}."
    },
    reference=right_order,
    wrong={
        "closing first": ([3, *(k for k in right_order() if k != 3)], "order"),
        "as listed": ([1, 2, 3, 4, 5], "order"),
        "distance before the saw is unfolded": (
            [right_order()[k] for k in (0, 1, 3, 2, 4)],
            "order",
        ),
    },
    hint="First the corner gets a name. Then the smoother is 0 at all centres, so only the saw is left.",
    why="Each step leaves what the next one asks for: a corner called x, a smoother that is 0, an inequality with L on "
    "both sides, then the bare distance, and last a cell times a number of at least 1.",
    page={"early": [EARLY[k] for k in SHUFFLED]},
)
def corner(steps: list[int]) -> Iterable[Check]:
    """Up to where it goes through."""
    right = right_order()
    wrong = [k for k in range(len(right)) if steps[k] != right[k]]
    pairs = sum(steps.index(a) < steps.index(b) for a, b in itertools.combinations(right, 2))
    told = [{"pairs": pairs, "place": k + 1, "why": EARLY[SHUFFLED[steps[k] - 1]]} for k in wrong[:1]]
    yield Check.none("order", told)


SAW = "ex-finish-saw"
one_of(
    SAW,
    "The section of ``saw_le`` has the hypothesis ``0 <= L``. Take it away. Which line of the proof breaks?",
    *lines_of(
        SAW,
        "It compares two distances, without L, which the line before has taken off both sides.",
        "That is the triangle inequality, for distances without L.",
        more=[
            (
                "none of them",
                "Then the statement would be true without it. But for L = -1, x = y and e = 1 it says 0 <= -1.",
            )
        ],
    ),
    "Where is an inequality multiplied by L?",
    (1, 3, 0, 2),
    why="The line multiplies an inequality by L, by ler_wpmul2l, and that keeps its direction only for L >= 0.",
)

MIDDLE = "ex-finish-middle"
WHY = "It is one of the three that Rocq names below Theorem 4.1."
one_of(
    MIDDLE,
    "In the library of real numbers in which Liu et al.'s Theorem 4.1 is proved, all four of these hold. Asked on what "
    "the theorem leans, Rocq names three of them. Which one does it not name?",
    "the excluded middle",
    [
        ("``propositional_extensionality``", f"{WHY} Propositions that imply each other are equal, it says."),
        ("``functional_extensionality_dep``", f"{WHY} Functions with equal values are equal, it says."),
        ("``constructive_indefinite_description``", f"{WHY} Of what exists it chooses one."),
    ],
    "One of them follows from the others: whoever can choose can decide.",
    (1, 0, 3, 2),
    why="It follows from the other three (Diaconescu): whoever can choose can decide. So Rocq has it as a theorem, and "
    "names axioms only.",
)

PAIR = "ex-finish-printed-pair"
one_of(
    PAIR,
    "The printed proof of Kajitsuka and Sato's Theorem 1 takes tokens (1, 2, 4) and (1, 3, 4) times a vector, which "
    "have the same smallest and the same largest factor, and says that no head of hardmax tells them apart. Put them "
    "for t and t' into the proof of ``attention_alike``: which line can you not have?",
    *lines_of(
        PAIR,
        "Where scores rise with the factors, the head hears the largest, 4 in both. This line stands.",
        "Where scores fall, the head hears the smallest, 1 in both. This line stands.",
        more=[
            (
                "I can have all of them",
                "Then the two would be alike. But a head whose scores all tie hears the mean: 7/3 of the one, 8/3 of "
                "the other.",
            )
        ],
    ),
    "Which of the six hypotheses is false of 1 + 2 + 4 and 1 + 3 + 4?",
    (2, 1, 0, 3),
    why="It is about a head whose scores all tie: that hears the mean, so the sums must agree, and 7 is not 8.",
)

TWO_ORDERS = "ex-finish-two-orders"
HOLDS = "The repaired lemma asks for that, too, and for no more of it."
one_of(
    TWO_ORDERS,
    "Kajitsuka and Sato's Lemma 1 as printed promises a gap between the values of vectors. With r = 11 and delta = 8, "
    "(10, 0) and (0, 10) fulfil all four of these, and have the same value. Which one asks for too little?",
    code("a i <> a j"),
    [
        (code("(forall i, injective (a i))"), f"No entry stands twice in a vector. {HOLDS}"),
        (code("(forall i k, `|a i k| < r)"), f"All entries are smaller than r. {HOLDS}"),
        (
            code("(forall i j k l, a i k != a j l -> delta < `|a i k - a j l|)"),
            f"Different entries lie far apart. {HOLDS} No spacing would help: the two vectors have the same entries.",
        ),
    ],
    "A soft maximum does not know in which order numbers stand.",
    (3, 1, 0, 2),
    why="The two vectors differ, but hold the same numbers, and boltz does not see in which order.",
    about=["kajitsuka2024:lem-1"],
)

one_of(
    "ex-finish-rises",
    "``landing_rises`` has the hypothesis ``(1 < D)%N``. Take it away. What happens to the theorem?",
    "nothing: it is still true",
    [
        (
            "the landing may stay where it was",
            "For D = 1 it would: c + 1 (reach c - c) = reach c. But can D be 1 here, where all tokens are below D and "
            "not all are equal?",
        ),
        (
            "the landing may lie lower",
            "token_below holds for every D, so D (reach c - c) is at least reach c - c, and the landing is no lower.",
        ),
        (
            "a token may jump twice",
            "Who lands at D or above is called no more, for any D: that is landing_ge_D, which has no such hypothesis.",
        ),
    ],
    "What do the other hypotheses of the section, that all tokens are below D and that two differ, say about D?",
    (1, 3, 0, 2),
    why="Two whole numbers from 0 to D - 1 differ, so D is at least 2 anyhow: the other hypotheses say it already.",
)
