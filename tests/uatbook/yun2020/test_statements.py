"""The statements of Yun et al. (2020) and of the slides: what each counts, refuses, and shows where the text slips."""

import dataclasses
import itertools
import time
import tracemalloc
from fractions import Fraction

import pytest

from uatbook import statements
from uatbook.yun2020 import value_mapping
from uatlib.model import Transformer
from uatlib.targets import Target, running_mean
from uatlib.yun2020.cost import largest_id, layer_counts

from ..test_statements import verified

WITH_ERRATUM = [s for s in statements.all() if s.erratum]


def test_theorem_3_as_printed_measures_no_repaired_network():
    names = [check.name for check in statements.get("yun2020:thm-3").verify(variant="printed").checks]
    assert not [name for name in names if name.startswith(("literal layers", "d_2(f, g)", "heads", "hidden"))]


def test_no_numbered_result_of_yun_et_al_is_said_to_be_false():
    """Their theorems, lemmas and propositions hold; what slips is a definition, a network, a line, a sentence."""
    kinds = {s.id: s.concerns for s in WITH_ERRATUM if s.id.startswith("yun2020")}
    assert "statement" not in kinds.values()
    assert [id for id, kind in kinds.items() if kind == "definition"] == ["yun2020:def-e1"]
    assert {id for id, kind in kinds.items() if kind == "proof"} == {"yun2020:prop-5", "yun2020:lem-6"}


@pytest.mark.parametrize(
    ("id", "parameters", "begins", "shown"),
    [
        ("yun2020:lem-7", {"inverse_delta": 2}, "", ["t = 1/2, got = 1/4, expected = 1/2"]),
        ("yun2020:def-e1", {"inverse_delta": 2}, "", ["q(1, 0) = (27, 26)", "q(0, 1) = (26, 27)"]),
        ("so2020slides:sentinel", {"inverse_delta": 3}, "2b", ["-1/9]]"]),
        ("yun2020:lem-9", {}, "distinct columns", ["L = [[0, 1/2]], output = [[3/2, 3/2]], A_L = [[27/2, 3/2]]"]),
        ("yun2020:sec-h-bproj", {"inverse_delta": 3, "n": 2}, "", ["W_P = [[3, 3], [9, 9]]"]),
        ("yun2020:sec-h-sepconv", {"inverse_delta": 4, "n": 3}, "", ["k = 5, W_C = [[4, 16, 64, 256, 1024]]"]),
    ],
)
def test_what_is_printed_is_refuted_by_what_the_page_says(id, parameters, begins, shown):
    failure = statements.get(id).verify(variant="printed", **parameters).failures[0]
    assert failure.name.startswith(begins)
    witness = str(failure).partition("witness: ")[2]
    assert all(part in witness for part in shown)


def test_every_kind_of_damage_to_the_picture_is_seen_by_its_own_check():
    picture = statements.get("so2020slides:one-dimension")
    failing = {name: {f.name.split(":")[0] for f in picture.perturb(name).failures} for name in picture.damages}
    assert all("layers that do not move tokens as drawn" in names for names in failing.values())
    assert "attention layers, N + 1" in failing["a shift left out"]
    assert "k_i/N is not O_i mod 1" in failing["a shift adds (N + 1) r"]
    assert "k_1, ..., k_n not recovered from max O" in failing["a shift moves the next token"]
    assert "ids / N^(n+1) without quotient s or remainder O_j" in failing["the lift has one power of N less"]


def test_the_display_of_proposition_5_misses_a_constant():
    """B^p is d n = 3 for the function 1, so 3 * 5/8 stands against 3 * 1/4."""
    certificate = statements.get("yun2020:prop-5").verify(variant="printed", inverse_delta=4, n=3, d=1)
    (failure,) = certificate.failures
    assert (failure.measured, failure.bound) == (Fraction(15, 8), Fraction(3, 4))
    # For two tokens the constant is 1.
    assert statements.get("yun2020:prop-5").verify(variant="printed", inverse_delta=4, n=2, d=1).holds


def test_the_printed_relus_need_bands_that_do_not_overlap():
    certificate = statements.get("yun2020:lem-6").verify(variant="printed")
    (failure,) = certificate.failures
    assert failure.name == "t where four ReLUs are not the displayed cases, eps = 3/2 (c_2 - c_1)"
    assert [failure.witness[name] for name in ("c_1", "c_2", "eps")] == [0, 1, Fraction(3, 2)]
    assert certificate["ids"].measured.denominator > 1
    assert certificate["ids"].measured <= Fraction(1, 4)


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (2, 3, 1), (2, 2, 2)])
def test_theorem_3_runs_softmax_on_every_cell(N, n, d):
    certificate = statements.get("yun2020:thm-3").verify(inverse_delta=N, n=n, d=d)
    assert f"literal layers in BALL, all {N ** (n * d)} cells" in certificate["literal layers"].name
    assert certificate["layers that are neither softmax attention"].measured == 0
    assert certificate["hidden"].measured == 4
    assert certificate["heads"].measured == 2


@pytest.mark.parametrize(
    ("variant", "parameters"),
    [
        ("printed", {"bands": "below"}),
        ("printed", {"bands": "above"}),
        ("printed", {"inverse_delta": 2, "n": 2, "bands": "clip"}),
        ("sentinel alone", {}),
        ("M alone", {"inverse_delta": 2, "n": 2, "bands": "clip"}),
    ],
)
def test_unless_repaired_the_network_is_not_0_on_strips_that_run_to_infinity(variant, parameters):
    certificate = statements.get("yun2020:thm-2").verify(variant=variant, **parameters)
    (failure,) = certificate.failures
    assert failure.name == "outside the box and its bands, output not 0"
    assert failure.witness["g(X)"].any()
    assert failure.witness["10^6 and 10^30 times as far"] == "the same"
    # And no row bounds that distance; as repaired one does.
    assert certificate["the bands' term"].name == "the bands' term of d_p over the box"
    assert verified("yun2020:thm-2")["the bands' term"].name.endswith("over R^(d x n)")


@pytest.mark.parametrize("left_out", ["the layer that adds K", "half of K", "the sentinel in M", "a layer that zeroes"])
def test_lemma_9_needs_every_part_of_its_repair(left_out):
    """K is taken off and added; M is over the extended grid, with the sentinel."""
    table = statements.get("yun2020:lem-9").build().table
    if left_out == "half of K":
        table = dataclasses.replace(table, lift=table.lift // 2)
    if left_out == "the sentinel in M":
        table = dataclasses.replace(table, largest=largest_id(2, 2, 1, "grid"))
    layers = list(table.model().layers)
    if left_out == "the layer that adds K":
        del layers[-1]
    if left_out == "a layer that zeroes":
        del layers[1]
    certificate = statements.get("yun2020:lem-9").certify(value_mapping.Values(table, Transformer(layers, n=2)))
    assert not certificate["distinct" if "K" in left_out else "other"].holds


def test_proposition_5_needs_all_of_its_constant():
    """C(3, 2) = 3 at N = 4: with 2, as with 1, the share 5/8 of lost cells is too large."""
    statement = statements.get("yun2020:prop-5")
    made = statement.build(inverse_delta=4, n=3, d=1)
    held = [statement.certify(made._replace(constant=c))["d_p"].holds for c in (1, 2, 3)]
    assert held == [False, False, True]
    assert made.construction.model.depth == layer_counts(4, 3, 1)["total"]


@pytest.mark.parametrize(("N", "n", "d"), [(2, 2, 1), (3, 2, 1), (4, 2, 1), (2, 3, 1), (3, 3, 1), (2, 2, 2), (2, 4, 1)])
def test_every_sequence_is_counted(N, n, d):
    tokens = [tuple(t) for t in itertools.product(range(N), repeat=d)]
    distinct = sum(len(set(L)) == n for L in itertools.product(tokens, repeat=n))
    certificate = statements.get("yun2020:lem-8").verify(inverse_delta=N, n=n, d=d)
    assert certificate["8.3"].cases == distinct
    assert certificate["8.4"].cases == (N + 1) ** (d * n) - distinct
    assert certificate["8.4"].method == "exhaustive"
    if distinct:
        certificate = statements.get("yun2020:lem-9").verify(inverse_delta=N, n=n, d=d)
        assert certificate.holds
        assert (certificate["distinct"].cases, certificate["other"].cases) == (distinct, (N + 1) ** (d * n) - distinct)
    certificate = statements.get("yun2020:lem-6").verify(inverse_delta=N, n=n, d=d)
    assert certificate.holds
    assert certificate["ids"].cases == N ** (n * d)


def test_lemma_8_says_when_it_samples():
    certificate = statements.get("yun2020:lem-8").verify(inverse_delta=10, n=4, d=2, samples=200)
    assert certificate.holds
    assert certificate["8.3"].method == "sampled"
    assert certificate["8.3"].cases + certificate["8.4"].cases == 200


@pytest.mark.parametrize(
    ("id", "parameters", "words"),
    [
        ("yun2020:lem-8", {"n": 1}, "n >= 2"),
        ("yun2020:lem-8", {"delta": 3}, "expected parameters out of inverse_delta, n, d"),
        ("yun2020:lem-8", {"variant": "best"}, "repaired"),
        ("yun2020:lem-10", {"inverse_delta": 2, "n": 3}, "n <= N\\^d"),
        ("yun2020:lem-10", {"inverse_delta": 100, "n": 5}, "limit"),
        ("yun2020:def-e1", {"inverse_delta": 100, "n": 5}, "limit"),
        ("yun2020:def-e1", {"inverse_delta": 2, "n": 3}, "n <= N\\^d"),
        ("yun2020:claim-1", {"n": 1}, "nothing to permute"),
        ("yun2020:claim-1", {"n": 12}, "to 7"),
        ("yun2020:claim-1", {"samples": 0}, "samples: expected an int >= 1"),
        ("yun2020:lem-7", {"inverse_delta": 2000, "d": 5}, "limit"),
        ("yun2020:lem-8", {"samples": 0}, "samples: expected an int from 1 to"),
        ("yun2020:lem-8", {"inverse_delta": 1000, "n": 40}, "below 2\\^63"),
        ("yun2020:lem-9", {"n": 1}, "lem-9: expected n >= 2, got 1; a lone token"),
        ("yun2020:lem-9", {"inverse_delta": 2, "n": 3}, r"expected n <= N\^d, got n = 3 and N\^d = 2"),
        ("yun2020:lem-9", {"inverse_delta": 9, "n": 4}, "limit"),
        ("yun2020:lem-9", {"inverse_delta": 10, "n": 40, "d": 9}, "limit"),
        ("yun2020:prop-5", {"n": 1}, "expected n >= 2, got 1"),
        ("yun2020:prop-5", {"inverse_delta": 9, "n": 5}, "limit"),
        ("yun2020:lem-6", {"n": 1}, "lem-6: expected n >= 2, got 1"),
        ("yun2020:lem-6", {"inverse_delta": 9, "n": 5}, "lem-6: .* limit"),
        ("yun2020:thm-2", {"n": 1}, "thm-2: expected n >= 2, got 1"),
        ("yun2020:thm-2", {"inverse_delta": 9, "n": 5}, "thm-2: .* limit"),
        ("yun2020:thm-2", {"bands": "left"}, 'bands: expected "below", "above" or "clip", got'),
        ("yun2020:thm-2", {"bands": 10**5000}, 'bands: expected "below", "above" or "clip", got 1.000e.5000'),
        ("yun2020:thm-2", {"variant": "M"}, '^variant: expected .* "sentinel alone" or "M alone", got \'M\''),
        ("yun2020:thm-3", {"n": 1}, "expected n >= 2, got 1"),
        ("yun2020:thm-3", {"inverse_delta": 5, "n": 4}, "limit.*6,355,000"),
        ("yun2020:sec-h-average", {"n": 2}, "n >= 3 and inverse_delta >= n"),
        ("yun2020:sec-h-average", {"inverse_delta": 4}, "n >= 3 and inverse_delta >= n"),
        ("yun2020:sec-h-average", {"inverse_delta": 30, "n": 5}, "limit"),
        ("yun2020:sec-h-bproj", {"n": 1}, "expected n >= 2"),
        ("yun2020:sec-h-bproj", {"inverse_delta": 2}, r"expected n <= N\^d"),
        ("yun2020:sec-h-bproj", {"inverse_delta": 30, "n": 5}, "limit"),
        ("yun2020:sec-h-sepconv", {"inverse_delta": 4}, "3 <= n < inverse_delta"),
        ("yun2020:sec-h-sepconv", {"k": 7}, "k: expected an int from 3 to 6, got 7"),
        ("yun2020:sec-h-sepconv", {"inverse_delta": 40}, "limit"),
        ("yun2020:lem-4", {"target": "sine"}, "mean_product"),
        ("so2020slides:sentinel", {"inverse_delta": 9, "n": 5}, "limit"),
        ("so2020slides:one-dimension", {"n": 1}, "n >= 2"),
        ("so2020slides:one-dimension", {"inverse_delta": 3, "n": 4}, r"n <= N\^d"),
        ("so2020slides:one-dimension", {"inverse_delta": 9, "n": 5}, "limit"),
        ("yun2020:precision", {"n": 1}, "int from 2 to 6, got 1"),
        ("yun2020:precision", {"system": "float16"}, '"float32" or "float64", got \'float16\''),
    ],
)
def test_bad_parameters_are_refused(id, parameters, words):
    with pytest.raises(ValueError, match=words):
        statements.get(id).verify(**parameters)


def test_lemma_4_takes_a_target_of_the_reader():
    f = Target(lambda X: X * X.max(-1)[..., None], n=3, d=2, group="symmetric", lipschitz=2, bound=1)
    assert statements.get("yun2020:lem-4").verify(target=f, inverse_delta=3).holds
    steep = Target(lambda X: 50 * (X - 0.5), n=2, d=1, group="symmetric", lipschitz=50, bound=25)
    assert statements.get("yun2020:lem-4").verify(target=steep).holds


def test_lemma_4_claims_no_symmetry_that_the_target_lacks():
    checks = statements.get("yun2020:lem-4").verify(target=running_mean(2)).checks
    assert [check.name for check in checks if "XP" in check.name] == []
    checks = statements.get("yun2020:lem-4").verify().checks
    assert len([check.name for check in checks if "XP" in check.name]) == 1


@pytest.mark.parametrize("id", ["yun2020:prop-5", "yun2020:thm-2", "so2020slides:sentinel"])
def test_where_no_columns_are_distinct_it_holds_but_some_damages_have_no_place(id):
    statement = statements.get(id)
    assert statement.verify(inverse_delta=2, n=3).holds
    for damage in statement.damages:
        if damage != "entries outside the box become 0":
            with pytest.raises(ValueError, match=f"expected parameters at which .{damage}. damages something"):
                statement.perturb(damage, inverse_delta=2, n=3)


HUGE = 10**30
SIZES = [
    (statement.id, name)
    for statement in statements.all()
    for name in statement.parameters()
    if statement.id.startswith(("yun2020", "so2020")) and name not in ("p", "target", "bands", "system")
]


@pytest.mark.parametrize(("id", "name"), SIZES)
@pytest.mark.parametrize("size", [HUGE, 10**5000], ids=["10^30", "10^5000"])
def test_huge_sizes_are_refused_at_once(id, name, size):
    """In far less than a second of the processor and without memory, whatever the other parameters are."""
    started = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"expected|limit"):
            statements.get(id).verify(**{name: size})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < 2
    assert peak < 50e6


def test_lemma_4_refuses_large_sequences_before_it_makes_any():
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"lem-4: .* limit|at most 134,217,728 numbers at once"):
            statements.get("yun2020:lem-4").verify(n=64, d=64)
        with pytest.raises(ValueError, match="at most 134,217,728 numbers at once"):
            statements.get("yun2020:lem-4").verify(n=50, d=50)
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()
