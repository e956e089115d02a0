"""Mixers of the gallery whose answer is known."""

import pytest

from uatbook.cheng2025.gallery import GALLERY
from uatlib.cheng2025 import check_mixer


@pytest.mark.parametrize("name", ["softmax", "tanh sums", "Linformer"])
def test_numbers_as_tokens_are_told_apart(name):
    """d = 1, where tokens drawn at random soon meet."""
    for n, seed in ((4, 1), (5, 2), (8, 0), (12, 0)):
        g, parameters = GALLERY[name].make(n, 1)
        found = check_mixer(g, parameters=parameters, n=n, d=1, group=GALLERY[name].group, seed=seed)
        assert found.verdict == "yes", (n, seed)
