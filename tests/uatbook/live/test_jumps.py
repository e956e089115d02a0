"""Tokens that the reader types jump as the layers move them; what is none is refused in words."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest

from uatbook.live import Jumps
from uatlib.arithmetic import EXACT
from uatlib.yun2020 import selective_shift

from .drawn import elements

PICTURE = Jumps("0 1 3", (10, 4, 2))


def by_layers(tokens: list[int], N: int) -> list[list[int]]:
    """The tokens after each shift that moves one, in units of delta, as the literal layers have them."""
    shift = selective_shift(inverse_delta=N, n=len(tokens), d=1)
    states = [[int(N * z) for z in Z[0]] for Z in shift.trace([[Fraction(t, N) for t in tokens]], EXACT)]
    return [states[0], *(b for a, b in itertools.pairwise(states[:-1]) if a != b)]


@pytest.mark.parametrize("N", [10, 4, 2])
def test_tokens_land_where_the_layers_put_them(N):
    rng = np.random.default_rng(N)
    for n in (2, 3, 4, 5, 8):
        tokens = rng.integers(0, N, n).tolist()
        _, *after = states = by_layers(tokens, N)
        text = PICTURE.frame(N=str(N), tokens=", ".join(map(str, tokens))).text
        landed = ", ".join(map(str, states[-1]))
        assert text.startswith(f"landed at {landed}; last digits in base {N}: {', '.join(map(str, tokens))}")
        assert ("nothing jumps" in text) == (not after)
        # Of each jump an arrow, with where it lands; equal tokens jump as one.
        at = {"N": str(N), "tokens": " ".join(map(str, tokens))}
        said = [one["said"] for one in elements(PICTURE, "text", **at)]
        landings = [{*new} - {*old} for old, new in itertools.pairwise(states)]
        assert all(str(place) in said for places in landings for place in places)
        arrows = [one for one in elements(PICTURE, "path", **at) if "stroke-linecap" in one]
        assert len(arrows) == sum(map(len, landings))


def test_equal_tokens_are_told_that_nobody_jumps():
    for tokens in ("3 3 3", "3 3", "0 0 0 0"):
        said = [one["said"] for one in elements(PICTURE, "text", N="10", tokens=tokens)]
        assert "All tokens are equal, so the range is 0:" in said
    assert "All tokens are equal, so the range is 0:" not in [one["said"] for one in elements(PICTURE, "text")]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("", "expected 2 to 8 tokens, such as 0 1 3, got 0"),
        ("3", "expected 2 to 8 tokens, such as 0 1 3, got 1"),
        ("0 1 2 3 0 1 2 3 0", "expected 2 to 8 tokens, such as 0 1 3, got 9"),
        ("0 4", "expected whole numbers from 0 to 3, got 4"),
        ("0 -1", "expected whole numbers from 0 to 3, got -1"),
        ("0 1.5", "expected whole numbers from 0 to 3, got 1.5"),
        ("0 1e0", "expected whole numbers from 0 to 3, got 1e0"),
        ("bank", "expected whole numbers from 0 to 3, got bank"),
    ],
)
def test_what_is_no_row_of_tokens_is_refused(tokens, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        PICTURE.frame(N="4", tokens=tokens)
    if tokens:
        with pytest.raises(ValueError, match=re.escape(message)):
            Jumps(tokens, (4, 10))


DATES = ("12.03.1990", "12. 03.1990", "12/03/1990", "12-03-1990", "12 03 1990", "12031990")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("1985", "1 9 8 5"),
        ("29 11 8", "2 9 1 1 8"),
        ("07 3", "7 3"),
        ("120390", "1 2 0 3 9 0"),
        ("1990-03-12", "1 9 9 0 0 3 1 2"),
        ("1.2.90", "1 2 9 0"),
        *((date, "1 2 0 3 1 9 9 0") for date in DATES),
        ("12,03,1990", "1 2 0 3 1 9 9 0"),
    ],
)
def test_a_number_that_is_too_large_for_a_token_and_a_date_are_their_digits(typed, read):
    assert PICTURE.frame(N="10", tokens=typed).text == PICTURE.frame(N="10", tokens=read).text


@pytest.mark.parametrize("typed", ["12 March 1990", "12/03-1990", "12.03.", "12.03.1990."])
def test_what_is_nearly_a_date_is_told_how_one_is_written(typed):
    with pytest.raises(ValueError, match=r"from 0 to 9, or a date such as 12\.03\.1990, got "):
        PICTURE.frame(N="10", tokens=typed)


@pytest.mark.parametrize("bases", [(), 10, (10,), (4, 4), (1, 10), (2, 17), (2.0, 3), ("10", 4), (True, 3)])
def test_bases_that_are_none_are_refused(bases):
    with pytest.raises(ValueError, match=r"bases: expected (two or more whole numbers|an int) from 2 to 16"):
        Jumps("0 1", bases)


def test_tokens_are_a_text():
    with pytest.raises(ValueError, match="tokens: expected a text such as '0 1 3'"):
        Jumps([0, 1, 3])
