"""Networks side by side, against plain loops over their literal layers."""

import dataclasses
import math

import numpy as np
import pytest

from uatlib import cheng2025, comparison
from uatlib.arithmetic import FLOAT64
from uatlib.comparison import CONSTRUCTIONS, Comparison, Row, compare
from uatlib.metrics import Distance
from uatlib.targets import Target, mean_product, running_mean

NAMES = list(CONSTRUCTIONS)


def square(across):
    """Midpoints of the unit square, and what f answers there, in loops."""
    axis = [(k + 0.5) / across for k in range(across)]
    X = np.array([[[a, b]] for a in axis for b in axis])
    return X, np.array([[[a * (a + b) / 2, b * (a + b) / 2]] for a in axis for b in axis])


@pytest.fixture(scope="module")
def table():
    return compare(mean_product(2), 4)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_and_errors_are_those_of_the_layers(table, name):
    row, g = table[name], CONSTRUCTIONS[name](mean_product(2), 4, 2)
    arrays = [weights for layer in g.model.layers for weights in layer.weights().values()]
    assert row.layers == len(g.model.layers)
    assert row.weights == sum(array.size for array in arrays)
    assert row.nonzero == sum(value != 0 for array in arrays for value in array.ravel().tolist())
    X, f = square(200)
    # Floats do not resolve the bands of the deepest one: its values in bulk, which `literal` is about.
    answers = np.asarray(g.shortcut(X) if name == NAMES[0] else g(X, FLOAT64))
    off = abs(answers - f)
    assert row.error.value == pytest.approx(math.sqrt((off**2).sum(axis=(1, 2)).mean()), rel=0.02)
    assert off.max() <= row.sup.value * 1.001
    assert off.max() > row.sup.value * 0.9
    assert row.error.value <= row.bound
    assert row.literal < (2e-3 if name == NAMES[0] else 1e-12)
    assert row.build_seconds > 0


def test_what_is_proved_of_the_worst_point(table):
    assert [row.name for row in table.rows if row.sup_bound is not None] == ["Liu et al."]
    assert table["Liu et al."].sup.value <= table["Liu et al."].sup_bound


@pytest.mark.parametrize(("n", "d", "N"), [(3, 1, 3), (2, 2, 2)])
def test_other_sizes(n, d, N):
    for row in compare(mean_product(n, d), N, samples=4096, literal=2, p=1).rows:
        assert 0 < row.error.value <= row.bound
        assert row.error.method == "monte carlo"


def test_a_new_construction_is_one_more_row_and_a_broken_one_shows(monkeypatch):
    def broken(f, N, p):
        g = cheng2025.build(f, inverse_delta=N, p=p, duplicates="keep")
        first, *rest = g.model.layers
        worse = dataclasses.replace(first, b_2=first.b_2 + 1)
        return dataclasses.replace(g, model=dataclasses.replace(g.model, layers=(worse, *rest)))

    monkeypatch.setitem(comparison.CONSTRUCTIONS, "mine", broken)
    *_, sound, mine = compare(mean_product(2), 3).rows
    assert mine.name == "mine"
    assert mine.weights == sound.weights
    assert sound.literal < 1e-12
    assert mine.literal > 0.01


@pytest.mark.parametrize("p", [10, 100])
def test_beyond_floats_a_network_has_no_time_in_them(p):
    """From p = 100 on weights of the deepest one are, then those of others."""
    rows = [row for row in compare(mean_product(2), 2, p=p, samples=300, literal=2).rows if not row.refused]
    assert math.isnan(rows[0].run_seconds) == (p >= 100)
    assert any(row.run_seconds > 0 for row in rows)
    assert all(row.error.value <= row.bound for row in rows)


def test_what_would_not_fit_has_a_row_that_says_so():
    table = compare(mean_product(3), 10**6)
    assert all("limit" in row.refused and row.error is None for row in table.rows)
    assert {row.layers + row.heads + row.hidden + row.weights + row.nonzero + row.bits for row in table.rows} == {0}
    assert str(table).count("too large") == table._repr_html_().count("too large") == len(NAMES)


def test_the_table_shows_every_row_and_those_beside(table):
    trained = Row("trained", 2, 2, 36, 900, 900, 24, error=Distance(0.0125, "quadrature", 100))
    shown = table.beside(trained)
    *_, last = str(shown).splitlines()
    assert last.split() == ["trained", "2", "2", "36", "900", "900", "24", *"\u2013", "0.013", *"\u2013\u2013"]
    assert shown._repr_html_().count("<tr>") == len(NAMES) + 2
    assert str(shown).splitlines()[1].split()[-6:] == ["d_2", "<=", "d_2", "sup", "<=", "sup"]
    assert shown._repr_html_().count("\u2264</th>") == 2
    assert str(table) in str(shown) or len(str(shown).splitlines()) == len(NAMES) + 3
    assert len(table.rows) == len(NAMES)
    with pytest.raises(KeyError, match="no row 'nobody'; there are: Yun"):
        table["nobody"]
    with pytest.raises(ValueError, match="rows"):
        Comparison.beside(table, "no row")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((mean_product(2), 1), "inverse_delta: expected an int >= 2"),
        ((mean_product(2), 4, {"p": math.inf}), "p: expected"),
        ((mean_product(2), 4, {"samples": 1}), "samples: expected"),
        ((mean_product(2), 4, {"literal": -1}), "literal: expected"),
        ((running_mean(2), 4), "permutation equivariant"),
        ((Target(lambda X, Z: X + Z, 2, 1, n_source=2, d_source=1), 4), "target: expected a function of one sequence"),
    ],
)
def test_what_is_off_is_refused(arguments, message):
    *given, options = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises(ValueError, match=message):
        compare(*given, **options)
