"""The cells on which a certificate runs the literal layers."""

import itertools

import numpy as np
import pytest

from uatlib.grids import Grid
from uatlib.internal.layer_runs import cells


@pytest.mark.parametrize(("N", "n", "d", "most"), [(3, 3, 1, 20), (2, 4, 2, 40), (5, 4, 1, 70)])
def test_where_not_all_cells_fit_each_is_there_once_up_to_the_order_of_its_tokens(N, n, d, most):
    L, words = cells(Grid(N, n, d), most, np.random.default_rng(0), ordered=False)
    found = sorted(sorted(map(tuple, x.T.tolist())) for x in L)
    tokens = sorted(itertools.product(range(N), repeat=d))
    assert found == [list(x) for x in itertools.combinations_with_replacement(tokens, n)]
    assert words == f"all {len(found)} cells up to the order of tokens"
    assert any(x.T.tolist() != sorted(x.T.tolist()) for x in L)  # in some order, not in one
