"""The statements of Kajitsuka and Sato (2024): what each shows and refuses."""

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest

from uatbook import statements
from uatbook.kajitsuka2024 import rank_1

from ..test_statements import damaged, verified

ALL = [s for s in statements.all() if s.id.startswith("kajitsuka2024:")]


def test_the_two_masked_layers_are_told_apart_in_the_line():
    layer = statements.get("kajitsuka2024:app-c-layer")
    for mask in ("causal", "padding"):
        assert f"mask&nbsp;=&nbsp;{mask}" in layer.verify(mask=mask)._repr_html_().split("</summary>")[0]


BAD = {
    "def-3": [*(({"n": n}, "n: expected an int from 2 to 64") for n in (1, 65, 10**400))],
    "lem-4": [({"n": 1}, "n: expected an int from 2 to 64")],
    "lem-5": [({"n": 1}, "n: expected an int from 2 to 64")],
    "lem-1": [
        ({"n": 1}, "n: expected an int from 2 to 64"),
        ({"levels": 3}, "levels: expected an int from 4 to 200, got 3"),
        ({"levels": 201}, "levels: expected an int from 4 to 200, got 201"),
        ({"n": 9, "levels": 20}, "levels: expected few enough for 100,000 terms of gaps, got 20; all "),
    ],
    "lem-6": [({"n": 1}, "n: expected an int from 2 to 64")],
    "lem-7": [
        ({"n": 1}, "n: expected an int from 2 to 64"),
        *(({"n": n, "levels": m}, "100,000 terms of gaps") for n, m in ((9, 20), (64, 65))),
    ],
    "app-c": [
        ({"n": 1}, "n: expected an int from 2 to 64"),
        ({"n": 7, "levels": 12}, "100,000 terms of gaps"),
    ],
    "least-spacing": [
        ({"n": 1}, "n: expected an int from 2 to 64"),
        *(({"spacing": s}, "spacing: expected a number > 0 and <= 100") for s in (101, 0)),
    ],
    "def-1": [
        ({"n": 6}, "n: expected an int from 2 to 5, got 6"),
        ({"size": 13}, "size: expected an int from 3 to 12"),
        ({"d": 13}, "d: expected an int from 1 to 12"),
    ],
    "def-2": [({"n": 4}, "n: expected an int from 2 to 3"), ({"size": 9}, "size: expected an int from 5 to 8")],
    "lem-2": [({"size": 2}, "size: expected an int from 3 to 12"), ({"d": 0}, "d: expected an int from 1 to 12")],
    "lem-3": [
        *(({"delta": x}, "delta: expected a number > 0 and <= 1000000") for x in (0, 10**7)),
        *(({"head_size": s}, "head_size: expected an int from 1 to 1,000") for s in (0, 1001)),
    ],
    "thm-1": [*(({"n": n}, "n: expected an int from 4 to 64") for n in (3, 65))],
    "thm-2": [
        ({"size": 6, "n": 4}, "needs [0-9,]+ bits here, the limit is 200,000"),
        ({"head_size": 0}, "head_size"),
        ({"n": 4}, "n: expected an int from 2 to 3"),
    ],
    "practical-scale": [
        ({"n": 2}, "n: expected an int from 3 to 4, got 2; for fewer or more tokens their mean will do"),
        ({"size": 13}, "size: expected an int from 5 to 12"),
    ],
    "cor-1": [
        ({"size": 13}, "size: expected an int from 3 to 12"),
        ({"n": 6}, "n: expected an int from 2 to 5"),
        ({"size": 12, "n": 6}, "n: expected at most 2,000 tokens in all contexts, got 6; they have 5,544"),
        ({"classes": 1}, "classes: expected an int from 2 to 1,000,000"),
        ({"scale": "small"}, '"practical", "literal" or a number'),
        ({"scale": "literal"}, "needs 567,697 bits here, the limit is 200,000"),
    ],
    "cor-2": [
        ({"n": 7}, "n: expected an int from 2 to 6"),
        ({"classes": 1}, "classes: expected an int from 2 to 1,000,000"),
    ],
    "prop-1": [
        *(({"granularity": D}, "granularity: expected an int from 2 to 1,000,000") for D in (1, 10**5000)),
        ({"granularity": 3, "n": 3, "duplicates": "drop"}, r"n: expected n <= \(D - 1\)\^d, got 3; with D = 3"),
        ({"granularity": 30, "n": 4}, "40,920 contexts.*limits"),
        ({"granularity": 6, "scale": "literal"}, "need 431,379 bits"),
        *(({"n": n}, "n: expected an int from 2 to 64") for n in (1, 65)),
        *(({"d": d}, "d: expected an int from 1 to 64") for d in (0, 65)),
    ],
    "app-c-layer": [
        ({"n": 1}, "n: expected an int from 2 to 4, got 1"),
        ({"size": 3, "n": 4}, "n: expected an int from 2 to 3, got 4"),
        ({"mask": "none"}, 'mask: expected "causal" or "padding", got \'none\''),
        ({"size": 5, "n": 4}, "needs [0-9,]+ bits here, the limit is 200,000"),
    ],
    "exp-5": [
        *(
            ({name: 10**9}, f"{name}: expected an int from 1 to")
            for name in ("size", "n", "vocabulary", "classes", "epochs")
        ),
        ({"epochs": 0}, "epochs: expected an int from 1 to 1,000"),
    ],
}
"""Parameters outside the statements, and what is said of them."""


@pytest.mark.parametrize(("label", "parameters", "words"), [(s, *case) for s, cases in BAD.items() for case in cases])
def test_bad_parameters_are_refused_at_once(label, parameters, words):
    statement = statements.get(f"kajitsuka2024:{label}")
    for act in (statement.verify, statement.perturb):
        began = time.process_time()
        with pytest.raises(ValueError, match=words):
            act(**parameters)
        assert time.process_time() - began < 2


def test_every_statement_refuses_something():
    assert {f"kajitsuka2024:{label}" for label in BAD} == {s.id for s in ALL}


@pytest.mark.parametrize("spacing", [100, 1e-300])
def test_spacings_that_no_enclosure_tells_apart_are_refused(spacing):
    with pytest.raises(ValueError, match=r"spacing: 512 bits do not tell a = .*, b = .* apart"):
        statements.get("kajitsuka2024:least-spacing").verify(spacing=spacing)


def test_the_run_of_the_text_refuses_as_the_other_does():
    layer = statements.get("kajitsuka2024:app-c-layer")
    with pytest.raises(ValueError, match="n: expected an int from 2 to 2, got 3; the other sequence has one more"):
        layer.verify(variant="printed", size=3, n=3)
    for label, parameters in (("lem-7", {"n": 1}), ("cor-2", {"n": 7}), ("thm-2", {"size": 13}), ("app-c", {"n": 65})):
        with pytest.raises(ValueError, match="expected an int from"):
            statements.get(f"kajitsuka2024:{label}").verify(variant="printed", **parameters)


def test_the_first_token_never_hears_the_others():
    (failure,) = statements.get("kajitsuka2024:app-c-layer").verify(variant="printed").failures
    assert failure.measured == 0
    assert failure.witness == {"one": (1, 2), "other": (1, 3)}


def test_a_key_too_many_is_found_by_two_checks_and_a_key_too_few_by_one():
    """Two tokens, causal. The first is to have one id, whatever follows; shown a key, it has an id a sequence."""
    found = {name: damaged("kajitsuka2024:app-c-layer", 0, name).failures for name in ("a key shown", "a key hidden")}
    assert [check.name[:18] for check in found["a key shown"]] == ["log10 ||difference", "one token that see"]
    assert [check.name[:18] for check in found["a key hidden"]] == ["log10 ||difference"]


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_are_recalled_are_not_all_the_same(classes):
    """Six labels; equal ones would be recalled by a damaged network too."""
    for damage in statements.get("kajitsuka2024:cor-1").damages:
        assert not statements.get("kajitsuka2024:cor-1").perturb(damage, size=3, n=2, classes=classes).holds


def test_lemma_2_along_an_axis_shows_two_tokens_that_coincide():
    """Of (1, 1), (1, 2), (1, 3), (2, 1) and (2, 2) two fall together along either axis."""
    (failure,) = statements.get("kajitsuka2024:lem-2").perturb("along an axis").failures
    assert failure.measured == 0
    tokens = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    k = failure.witness["v"].tolist().index(1)
    assert len({tokens[t - 1][k] for t in failure.witness["tokens"]}) == 1
    (failure,) = statements.get("kajitsuka2024:lem-2").perturb("a vector too long").failures
    assert failure.measured == Fraction(121, 100)
    assert sum(u * u for u in failure.witness["v"]) == Fraction(121, 100)


@pytest.mark.parametrize("seed", range(20))
def test_the_ratio_of_lemma_2_is_that_of_plain_loops(seed):
    parts = statements.get("kajitsuka2024:lem-2").build(size=7, d=3)
    v = np.random.default_rng(seed).integers(-9, 10, 3).astype(object)
    points = [tuple(int(u) for u in x) for x in parts.tokens.T] + [(0, 0, 0)]
    ratios = [
        abs(sum(c * (a - b) for c, a, b in zip(v, x, y, strict=True))) / math.dist(x, y)
        for i, x in enumerate(points)
        for y in points[:i]
    ]
    check = statements.get("kajitsuka2024:lem-2").certify(parts._replace(vector=v))["|v^T (x - x')|"]
    assert check.measured == pytest.approx(min(ratios), abs=1e-12)
    assert check.cases == len(ratios) == 28
    assert check.bound == pytest.approx(math.sqrt(8 / (3 * math.pi)) / 8**2)


@pytest.mark.parametrize(("size", "d", "n"), [(5, 2, 2), (4, 1, 3), (4, 2, 4)])
def test_definition_1_counts_all_columns_and_pairs(size, d, n):
    definition = statements.get("kajitsuka2024:def-1")
    columns = [tuple(x[:, k]) for x in definition.build(size=size, d=d, n=n).X for k in range(n)]
    apart = [math.dist(z, w) for i, z in enumerate(columns) for w in columns[:i] if z != w]
    certificate = definition.verify(size=size, d=d, n=n)
    assert certificate["1."].cases == certificate["2."].cases == len(columns) == n * math.comb(size, n)
    assert certificate["3."].cases == len(apart)
    assert math.sqrt(certificate["3."].measured) == pytest.approx(min(apart))


def test_definition_1_takes_the_longest_sequences_at_once():
    began = time.process_time()
    assert statements.get("kajitsuka2024:def-1").verify(size=12, d=3, n=6).holds
    assert time.process_time() - began < 5


@pytest.mark.parametrize(("size", "n"), [(5, 3), (6, 4)])
def test_margins_say_how_many_contexts_they_are_of(size, n):
    certificate = statements.get("kajitsuka2024:practical-scale").verify(size=size, n=n)
    multisets = {tuple(sorted(row)) for row in itertools.product(range(size), repeat=n)}
    sets = {row for row in multisets if len(set(row)) == n}
    assert [check.cases for check in certificate.checks] == [len(sets), len(sets), len(multisets)]


def test_the_printed_delta_of_corollary_1_is_held_against_all_pairs_of_contexts():
    """Each of 4 tokens is in 3 sets of two, which make 3 pairs."""
    assert statements.get("kajitsuka2024:cor-1").verify(variant="printed")["log10"].cases == 12


def test_training_is_seen_on_two_sets_of_labels():
    """What one set of labels, or one choice of weights, shows would be no more than luck."""
    assert len(rank_1.LABELS) == 2
    assert len(rank_1.WEIGHTS) == 3
    runs = [check for check in verified("kajitsuka2024:exp-5").checks if "runs, of 6" in check.name]
    assert [check.name.split(":")[0] for check in runs[:3]] == list(rank_1.FREED)
    assert [check.measured for check in runs] == [6, 6, 6, 0]


def test_proposition_1_holds_in_d_1000():
    assert statements.get("kajitsuka2024:prop-1").verify(p=1000).holds
