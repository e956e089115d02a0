"""The mixers of the atlas are what their formulas say, and what the record and the claims say of them holds."""

import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from uatbook.atlas import MIXERS
from uatbook.atlas.record import COMMAND, PATH, SIZES, ask, question, recorded
from uatbook.atlas.registry import group_of, shapes
from uatlib.groups import generators

sys.path.insert(0, str(Path(__file__).parent))
from loops import DRAWN, LOOPS

ROOT = Path(__file__).resolve().parents[3]
NAMES = list(MIXERS)


def drawn(name, n, d, seed=0):
    """Tokens and theta."""
    rng = np.random.default_rng(seed)
    size = MIXERS[name].parameters(n, d)
    return torch.tensor(rng.normal(size=(d, n))), torch.tensor(rng.normal(size=size))


@pytest.mark.parametrize("name", NAMES)
def test_a_mixer_is_its_formula_in_plain_loops(name):
    entry = MIXERS[name]
    for n, d, seed in ((3, 2, 0), (4, 1, 1), (5, 3, 2), (4, 4, 3), (7, 2, 4)):
        X, theta = drawn(name, n, d, seed)
        parts, at = [], 0
        for shape in shapes(entry.weights, n, d):
            size = math.prod(shape)
            parts.append(theta[at : at + size].numpy().reshape(shape).tolist())
            at += size
        assert at == len(theta)
        wanted = np.array(LOOPS[name](X.T.tolist(), *parts)).T
        found = entry.g(n, d)(X, theta).numpy()
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-10), (n, d)
