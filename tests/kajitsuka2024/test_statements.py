"""The statements of Kajitsuka and Sato (2024): what each shows and refuses."""

import pytest

import uatlib.statements as statements


def test_the_two_masked_layers_are_told_apart_in_the_line():
    layer = statements.get("kajitsuka2024:app-c-layer")
    for mask in ("causal", "padding"):
        assert f"mask = {mask}" in layer.verify(mask=mask)._repr_html_().split("</summary>")[0]


@pytest.mark.parametrize(
    ("id", "parameters", "words"),
    [
        *((f"kajitsuka2024:{id}", {"n": 1}, "2 <= n") for id in ("def-3", "lem-1", "lem-4", "lem-5", "lem-6", "lem-7")),
        ("kajitsuka2024:lem-1", {"levels": 3}, "levels to be an int > n"),
        ("kajitsuka2024:lem-7", {"n": 9, "levels": 20}, "the limit is 20,000"),
        ("kajitsuka2024:app-c", {"n": 7, "levels": 12}, "the limit is 20,000"),
        ("kajitsuka2024:def-1", {"n": 6}, "expected an int 2 <= n <= size = 5, got n = 6"),
        ("kajitsuka2024:def-1", {"size": 13}, "size <= 12"),
        ("kajitsuka2024:def-2", {"n": 4}, "expected n = 2 or 3"),
        ("kajitsuka2024:def-2", {"size": 9}, "5 <= size <= 8"),
        *(("kajitsuka2024:lem-3", {"delta": x}, "expected 0 < delta <= 1,000,000") for x in (0, -1, 10**7)),
        ("kajitsuka2024:lem-3", {"delta": None}, "int, Fraction or float"),
        ("kajitsuka2024:lem-3", {"head_size": 0}, "head_size"),
        ("kajitsuka2024:lem-2", {"size": 2}, "expected ints 3 <= size"),
        ("kajitsuka2024:lem-2", {"d": 0}, "1 <= d"),
        ("kajitsuka2024:thm-1", {"n": 3}, "4 <= n <= 64"),
        ("kajitsuka2024:thm-2", {"size": 6, "n": 4}, "needs [0-9,]+ bits here, the limit is 200,000"),
        ("kajitsuka2024:thm-2", {"head_size": 0}, "head_size"),
        ("kajitsuka2024:practical-scale", {"n": 2}, "3 <= n <= size - 2"),
        ("kajitsuka2024:cor-1", {"size": 13}, "size <= 12"),
        ("kajitsuka2024:cor-1", {"classes": 1}, "classes to be an int >= 2"),
        ("kajitsuka2024:cor-1", {"scale": "small"}, '"practical", "literal" or a number'),
        ("kajitsuka2024:cor-1", {"scale": "literal"}, "needs 567,697 bits here, the limit is 200,000"),
        ("kajitsuka2024:cor-2", {"n": 7}, "2 <= n <= 6"),
        ("kajitsuka2024:prop-1", {"granularity": 1}, "granularity: expected an int >= 2"),
        ("kajitsuka2024:prop-1", {"granularity": 3, "n": 3, "duplicates": "drop"}, r"n <= \(D - 1\)\^d"),
        ("kajitsuka2024:prop-1", {"granularity": 30, "n": 4}, "40,920 contexts.*limits"),
        ("kajitsuka2024:prop-1", {"granularity": 6, "scale": "literal"}, "need 431,379 bits"),
        ("kajitsuka2024:cor-2", {"classes": 1}, "classes to be an int >= 2"),
        ("kajitsuka2024:app-c-layer", {"n": 1}, "n to be an int >= 2, got 1"),
        ("kajitsuka2024:app-c-layer", {"size": 3, "n": 4}, "n <= size <= 12"),
        ("kajitsuka2024:app-c-layer", {"mask": "none"}, '"causal" or "padding"'),
        ("kajitsuka2024:app-c-layer", {"size": 5, "n": 4}, "needs [0-9,]+ bits here, the limit is 200,000"),
    ],
)
def test_bad_parameters_are_refused(id, parameters, words):
    with pytest.raises(ValueError, match=words):
        statements.get(id).verify(**parameters)


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


@pytest.mark.parametrize(
    ("statement", "parameters", "words"),
    [
        *(("least-spacing", {"n": n}, "2 <= n <= 64") for n in (2.0, None, "3", 10**400)),
        *(("app-c", {"n": n}, "2 <= n <= 64") for n in (2.0, None, "3", 10**400)),
        *(("least-spacing", {"spacing": s}, "expected a spacing > 0") for s in (1e300, 1e-300, 10**400, 0)),
        ("least-spacing", {"spacing": 100}, "512 bits do not tell"),
        *(("prop-1", {"n": n}, "2 <= n <= 64") for n in (None, 10**400)),
        *(("prop-1", {"d": d}, "1 <= d <= 64") for d in (None, 10**400)),
        ("prop-1", {"granularity": 10**5000}, "limits"),
        *(("thm-1", {"n": n}, "4 <= n <= 64") for n in (None, 3, 10**400)),
        *((s, {"classes": c}, "classes to be an int >= 2") for s in ("cor-1", "cor-2") for c in (1, 10**30)),
        ("cor-1", {"scale": None}, '"practical", "literal" or a number'),
    ],
)
def test_kajitsuka2024_refuses_bad_parameters(statement, parameters, words):
    for act in (
        statements.get(f"kajitsuka2024:{statement}").verify,
        statements.get(f"kajitsuka2024:{statement}").perturb,
    ):
        if act.__name__ == "perturb" and "spacing" in parameters:
            continue
        with pytest.raises(ValueError, match=words):
            act(**parameters)


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_are_recalled_are_not_all_the_same(classes):
    """Six labels; equal ones would be recalled by a damaged network too."""
    for seed in range(20):
        assert not statements.get("kajitsuka2024:cor-1").perturb(seed=seed, size=3, n=2, classes=classes).holds


def test_proposition_1_holds_in_d_1000():
    assert statements.get("kajitsuka2024:prop-1").verify(p=1000).holds
