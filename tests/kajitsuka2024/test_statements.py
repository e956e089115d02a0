"""The statements of Kajitsuka and Sato (2024): what each shows and refuses."""

import time

import pytest

import uatlib.statements as statements

ALL = [s for s in statements.all() if s.id.startswith("kajitsuka2024:")]


def test_the_two_masked_layers_are_told_apart_in_the_line():
    layer = statements.get("kajitsuka2024:app-c-layer")
    for mask in ("causal", "padding"):
        assert f"mask = {mask}" in layer.verify(mask=mask)._repr_html_().split("</summary>")[0]


BAD = {
    "def-3": [*(({"n": n}, "n: expected an int from 2 to 64") for n in (1, 65, 2.0, None, 10**400))],
    "lem-4": [({"n": 1}, "n: expected an int from 2 to 64"), ({"n": 10**30}, "got 1000000")],
    "lem-5": [({"n": 1}, "n: expected an int from 2 to 64")],
    "lem-1": [
        ({"n": 1}, "n: expected an int from 2 to 64"),
        ({"levels": 3}, "levels: expected an int from 4 to 200, got 3"),
        ({"levels": 10**5000}, "levels: expected an int from 4 to 200"),
        ({"n": 9, "levels": 20}, "levels: expected few enough for 20,000 pairs of vectors, got 20; they make [0-9,]+"),
    ],
    "lem-6": [({"n": 1}, "n: expected an int from 2 to 64")],
    "lem-7": [({"n": 1}, "n: expected an int from 2 to 64"), ({"n": 9, "levels": 20}, "20,000 pairs of vectors")],
    "app-c": [
        *(({"n": n}, "n: expected an int from 2 to 64") for n in (2.0, None, "3", 10**400)),
        ({"n": 7, "levels": 12}, "20,000 pairs of vectors"),
    ],
    "least-spacing": [
        *(({"n": n}, "n: expected an int from 2 to 64") for n in (2.0, None, "3", 10**400)),
        *(({"spacing": s}, "spacing: expected a number > 0 and <= 100") for s in (1e300, 10**400, 0)),
        ({"spacing": "far"}, "spacing: expected a finite int, Fraction or float"),
    ],
    "def-1": [
        ({"n": 6}, "n: expected an int from 2 to 5, got 6"),
        ({"size": 13}, "size: expected an int from 3 to 12"),
        ({"d": 10**30}, "d: expected an int from 1 to 12"),
    ],
    "def-2": [({"n": 4}, "n: expected an int from 2 to 3"), ({"size": 9}, "size: expected an int from 5 to 8")],
    "lem-2": [({"size": 2}, "size: expected an int from 3 to 12"), ({"d": 0}, "d: expected an int from 1 to 12")],
    "lem-3": [
        *(({"delta": x}, "delta: expected a number > 0 and <= 1000000") for x in (0, -1, 10**7)),
        ({"delta": None}, "delta: expected a finite int, Fraction or float"),
        *(({"head_size": s}, "head_size: expected an int from 1 to 1,000") for s in (0, 10**30)),
    ],
    "thm-1": [*(({"n": n}, "n: expected an int from 4 to 64") for n in (None, 3, 10**400))],
    "thm-2": [
        ({"size": 6, "n": 4}, "needs [0-9,]+ bits here, the limit is 200,000"),
        ({"head_size": 0}, "head_size"),
        ({"n": 10**400}, "n: expected an int from 2 to 3"),
    ],
    "practical-scale": [
        ({"n": 2}, "n: expected an int from 3 to 4, got 2; for fewer or more tokens their mean will do"),
        ({"size": 10**400}, "size: expected an int from 5 to 12"),
    ],
    "cor-1": [
        ({"size": 13}, "size: expected an int from 3 to 12"),
        ({"n": 10**400}, "n: expected an int from 2 to 5"),
        *(({"classes": c}, "classes: expected an int from 2 to 1,000,000") for c in (1, 10**30)),
        *(({"scale": s}, '"practical", "literal" or a number') for s in ("small", None)),
        ({"scale": "literal"}, "needs 567,697 bits here, the limit is 200,000"),
    ],
    "cor-2": [
        ({"n": 7}, "n: expected an int from 2 to 6"),
        *(({"classes": c}, "classes: expected an int from 2 to 1,000,000") for c in (1, 10**30)),
    ],
    "prop-1": [
        ({"granularity": 1}, "granularity: expected an int from 2 to 1,000,000"),
        ({"granularity": 10**5000}, "granularity: expected an int from 2 to 1,000,000"),
        ({"granularity": 3, "n": 3, "duplicates": "drop"}, r"n: expected n <= \(D - 1\)\^d, got 3; with D = 3"),
        ({"granularity": 30, "n": 4}, "40,920 contexts.*limits"),
        ({"granularity": 6, "scale": "literal"}, "need 431,379 bits"),
        *(({"n": n}, "n: expected an int from 2 to 64") for n in (None, 10**400)),
        *(({"d": d}, "d: expected an int from 1 to 64") for d in (None, 10**400)),
    ],
    "app-c-layer": [
        ({"n": 1}, "n: expected an int from 2 to 4, got 1"),
        ({"size": 3, "n": 4}, "n: expected an int from 2 to 3, got 4"),
        ({"n": 10**5}, "n: expected an int from 2 to 4"),
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
    with pytest.raises(ValueError, match=r"spacing: 512 bits do not tell a = .* and b = .* apart"):
        statements.get("kajitsuka2024:least-spacing").verify(spacing=spacing)


def test_the_run_of_the_text_refuses_as_the_other_does():
    layer = statements.get("kajitsuka2024:app-c-layer")
    with pytest.raises(
        ValueError, match="n: expected an int from 2 to 2, got 3; the other sequence has one more token"
    ):
        layer.verify(variant="printed", size=3, n=3)
    for label, parameters in (("lem-7", {"n": 1}), ("cor-2", {"n": 7}), ("thm-2", {"size": 13}), ("app-c", {"n": 65})):
        with pytest.raises(ValueError, match="expected an int from"):
            statements.get(f"kajitsuka2024:{label}").verify(variant="printed", **parameters)


def test_the_first_token_never_hears_the_others():
    (failure,) = statements.get("kajitsuka2024:app-c-layer").verify(variant="printed").failures
    assert failure.measured == 0
    assert failure.witness == "token 1 of [1, 2] and of [1, 3] sees only itself"


def test_a_mask_that_hides_and_one_that_shows_too_much_are_found_by_different_checks():
    found = {
        tuple(check.name[:20] for check in statements.get("kajitsuka2024:app-c-layer").perturb(seed=s).failures)
        for s in range(24)
    }
    assert any("one token that sees " in names for names in found)
    assert any("log10 ||difference o" in names for names in found)


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_are_recalled_are_not_all_the_same(classes):
    """Six labels; equal ones would be recalled by a damaged network too."""
    for seed in range(20):
        assert not statements.get("kajitsuka2024:cor-1").perturb(seed=seed, size=3, n=2, classes=classes).holds


def test_proposition_1_holds_in_d_1000():
    assert statements.get("kajitsuka2024:prop-1").verify(p=1000).holds
