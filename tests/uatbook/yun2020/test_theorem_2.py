"""The network with ReLUs as the statement builds it: what each part of its repair is needed for."""

from fractions import Fraction

import numpy as np
import pytest

from uatbook.yun2020.theorem_2 import network
from uatlib import yun2020
from uatlib.arithmetic import EXACT
from uatlib.grids import Grid
from uatlib.targets import Target

FAR = [Fraction(3, 2), 10**2, 10**6, 10**30]


def test_the_sentinel_alone_does_not_repair():
    """Bands below, 1/3000 wide: x_1 in the band at 1/3 stays between grid points and is thrown past the text's M."""
    X = np.array([[[Fraction(99953, 300000), Fraction(139, 1000), far]] for far in FAR[1:]], dtype=object)
    for variant, answer in (("sentinel alone", Fraction(1852, 75)), ("repaired", 0)):
        model = network(Grid(3, 3, 1), variant, "below", Fraction(1, 3000)).model
        assert model(X, EXACT).tolist() == [[[answer, 0, 0]]] * 3
        # The bias -(M + 1) of the layer after the contextual mapping; M of the text is 59614/3.
        assert model.layers[8].b_2[0] == -Fraction(59614 if answer else 182532, 3) - 1


def test_a_larger_M_alone_does_not_repair():
    """Bands below and the clip layer's above 1: it leaves x_1 = 1 where it is, and no step layer rounds it."""
    X = np.array([[[1, far]] for far in FAR], dtype=object)
    for variant, answer in (("M alone", 9), ("repaired", 0)):
        output = network(Grid(2, 2, 1), variant, "clip", Fraction(1, 64)).model(X, EXACT)
        assert output.tolist() == [[[answer, 0]]] * 4


@pytest.mark.parametrize("bands", ["below", "above"])
@pytest.mark.parametrize("variant", ["repaired", "printed"])
def test_the_network_of_the_statement_is_what_build_gives(bands, variant):
    one = Target(lambda X: X * 0 + 1, 3, 1, group="symmetric", lipschitz=0, bound=1, name="one")
    width = Fraction(1, 40)
    built = yun2020.build(one, inverse_delta=3, stage="relu", bands=bands, variant=variant, width=width).model
    ours = network(Grid(3, 3, 1), variant, bands, width).model
    assert built.depth == ours.depth
    for layer, other in zip(built.layers, ours.layers, strict=True):
        weights = other.weights()
        assert all((weights[name] == weight).all() for name, weight in layer.weights().items())
