"""Patterns, connectivity and symmetry of cheng2025 beside their definitions, in plain loops."""

import itertools
import re
import time

import pytest

from uatbook.cheng2025.hearing import heard_of
from uatbook.cheng2025.sparse import enough_layers
from uatlib.cheng2025 import (
    automorphism_generators,
    automorphism_group,
    connectivity_depth,
    local_fooling_pairs,
    pattern,
)
from uatlib.groups import elements

NAMED = [
    ("full", {}),
    ("sliding_window", {"window": 1}),
    ("circulant", {"window": 1}),
    ("directed", {"window": 2}),
    ("causal", {}),
    ("star", {}),
    ("strided", {"stride": 3, "part": "local"}),
    ("strided", {"stride": 3, "part": "column"}),
    ("fixed", {"stride": 3, "part": "block"}),
    ("fixed", {"stride": 3, "part": "summary"}),
    ("longformer", {"window": 1, "global_tokens": 1}),
    ("bigbird", {"window": 1, "global_tokens": 1, "random": 1, "seed": 3}),
    ("random", {"probability": 0.4, "seed": 1}),
]


def depth_by_definition(patterns):
    """(17): i reaches j by a subsequence of the first m layers, applied in order, by paths."""
    n = len(patterns[0])
    for m in range(len(patterns) + 1):
        if all(_reaches(patterns[:m], i, j) for i in range(n) for j in range(n) if i != j):
            return m
    return None


def _reaches(patterns, i, j):
    """i attends to something at the last layer of the path, that at an earlier one, ..., the first to j."""
    if i == j:
        return True
    return any(_reaches(patterns[:r], k, j) for r in range(len(patterns)) for k in patterns[r][i] if k != i)


def automorphisms_by_definition(patterns):
    n = len(patterns[0])
    return [
        s
        for s in itertools.permutations(range(n))
        if all((j in N[i]) == (s[j] in N[s[i]]) for N in patterns for i in range(n) for j in range(n))
    ]


def views(patterns, tokens, i):
    """What token i can know at most after the layers: its value, and the set of views of those it attends to."""
    if not patterns:
        return tokens[i]
    *before, last = patterns
    return views(before, tokens, i), frozenset(views(before, tokens, j) for j in last[i])


def fooled_by_definition(patterns, group):
    n = len(patterns[0])
    found = []
    for s in itertools.permutations(range(n)):
        moved = [None] * n
        for j in range(n):
            moved[s[j]] = j
        if s not in group:
            found += [(s, i) for i in range(n) if views(patterns, range(n), i) == views(patterns, moved, s[i])]
    return sorted(found)


@pytest.mark.parametrize(("name", "parameters"), NAMED)
def test_a_pattern_is_a_list_of_sets_with_the_token_itself(name, parameters):
    for n in (1, 2, 3, 7):
        if parameters.get("global_tokens", 0) <= n:
            made = pattern(name, n, **parameters)
            assert len(made) == n
            assert all(i in row and row <= set(range(n)) for i, row in enumerate(made))


def test_the_named_patterns_are_those_of_the_text():
    n, w = 9, 2
    for i in range(n):
        assert pattern("sliding_window", n, window=w)[i] == {j for j in range(n) if abs(i - j) <= w}
        assert pattern("circulant", n, window=w)[i] == {(i + j) % n for j in range(-w, w + 1)}
        assert pattern("directed", n, window=w)[i] == {(i + j) % n for j in range(w + 1)}
        assert pattern("causal", n)[i] == {j for j in range(n) if j <= i}
        assert pattern("strided", n, stride=3, part="column")[i] == {j for j in range(n) if (i - j) % 3 == 0}
        assert pattern("fixed", n, stride=3, part="block")[i] == {j for j in range(n) if j // 3 == i // 3}
        assert pattern("fixed", n, stride=3, part="summary")[i] == {2, 5, 8, i}
        near = {j for j in range(n) if abs(i - j) <= 1}
        assert pattern("longformer", n, window=1, global_tokens=2)[i] == (near | {0, 1} if i > 1 else set(range(n)))
        assert near | {0} <= pattern("bigbird", n, window=1, global_tokens=1, random=2)[i]
        ring = {1 + (i - 2) % 8, 1 + i % 8}
        assert pattern("star", n)[i] == ({0, i} | ring if i else set(range(n)))
    # The last stretch of three is one token here, and has its summary all the same.
    assert pattern("fixed", 7, stride=3, part="summary") == [{2, 5, 6, i} for i in range(7)]
    again = [pattern("random", 50, probability=0.3, seed=s) for s in (0, 0, 1)]
    assert again[0] == again[1] != again[2]
    assert 0.25 < sum(map(len, again[0])) / 2500 < 0.36


@pytest.mark.parametrize(("name", "parameters"), NAMED)
def test_connectivity_is_that_of_paths(name, parameters):
    for n in (1, 2, 5, 7):
        made = pattern(name, n, **parameters)
        for m in (1, 2, 4):
            assert connectivity_depth([made] * m) == depth_by_definition([made] * m), (name, n, m)


def test_the_order_of_layers_counts():
    block, summary = (pattern("fixed", 9, stride=3, part=part) for part in ("block", "summary"))
    assert connectivity_depth([block, summary]) == depth_by_definition([block, summary]) == 2
    assert connectivity_depth([summary, block]) is None is depth_by_definition([summary, block])
    assert connectivity_depth([summary, block, summary]) == 3
    three = [[{0, 1, 2}, {0, 1, 2}, {0, 1, 2}], [{0}, {1}, {2}]]
    assert connectivity_depth(three) == 1


def test_a_window_on_4096_tokens_takes_little_time():
    window = pattern("sliding_window", 4096, window=64)
    start = time.process_time()
    assert connectivity_depth([window] * 70) == 64
    assert time.process_time() - start < 8  # on a loaded machine; the aim is 2 s


@pytest.mark.parametrize(("name", "parameters"), NAMED)
def test_automorphisms_are_all_that_keep_the_pattern(name, parameters):
    for n in (1, 3, 5, 6):
        made = pattern(name, n, **parameters)
        expected = automorphisms_by_definition([made])
        assert sorted(automorphism_group(made)) == expected
        assert automorphism_generators(made).order == len(expected)
        other = pattern("strided", n, stride=2, part="column")
        assert automorphism_generators([made, other]).order == len(automorphisms_by_definition([made, other]))


def test_a_token_that_does_not_hear_itself_is_told_from_one_that_does():
    assert automorphism_group([{0, 1}, {0}]) == [(0, 1)]
    assert len(automorphism_group([{1}, {0}])) == 2


def test_the_designs_have_the_groups_that_are_claimed():
    for n in range(5, 10):
        for w in range(1, (n - 1) // 2):
            assert sorted(automorphism_group(pattern("circulant", n, window=w))) == sorted(elements("dihedral", n))
        for w in range(1, n - 1):
            assert sorted(automorphism_group(pattern("directed", n, window=w))) == sorted(elements("cyclic", n))


def test_large_groups_are_given_by_generators():
    start = time.process_time()
    assert len(automorphism_group(pattern("circulant", 64, window=5))) == 128
    assert time.process_time() - start < 1
    with pytest.raises(ValueError, match=r"pattern: expected at most 50,000 automorphisms, got '3,628,800'"):
        automorphism_group(pattern("full", 10))


FOOLED = [
    ([[{0, 1, 2}, {0, 1, 2}, {0, 1}]], True),
    ([[{0, 1, 2}, {0, 2, 1}, {0, 1, 2}]], False),
    ([[{0, 1, 2}, {0, 2}, {0, 1}]], True),
    ([pattern("star", 4)] * 2, None),
    ([pattern("sliding_window", 5, window=2)] * 2, None),
    ([pattern("circulant", 5, window=1)] * 2, None),
    ([pattern("longformer", 5, window=1, global_tokens=1)] * 2, None),
    ([pattern("longformer", 6, window=1, global_tokens=1)] * 2, True),
    ([pattern("longformer", 6, window=1, global_tokens=1)] * 3, False),
    ([pattern("fixed", 6, stride=3, part="block"), pattern("fixed", 6, stride=3, part="summary")], None),
]


@pytest.mark.parametrize("case", range(len(FOOLED)))
def test_fooled_pairs_are_those_whose_views_agree(case):
    patterns, fooled = FOOLED[case]
    common = automorphisms_by_definition(patterns)
    found = local_fooling_pairs(patterns)
    connected = connectivity_depth(patterns) is not None
    assert found == (fooled_by_definition(patterns, common) if connected else None)
    if fooled is not None and connected:
        assert bool(found) == fooled
    if connected and (n := len(patterns[0])) < 6:
        fooled = fooled_by_definition(patterns, elements("trivial", n))
        assert local_fooling_pairs(patterns, group="trivial") == fooled


WRONG = [
    (("ring", 5), {}, 'name: expected "full", '),
    (("full", 0), {}, "n: expected an int from 1"),
    (("full", 5), {"window": 1}, 'window: expected for "full" the parameters none, got window'),
    (("sliding_window", 5), {}, 'window: expected for "sliding_window" the parameters window, got none'),
    (("sliding_window", 5), {"window": -1}, "window: expected"),
    (("full", 10**5), {}, "n: expected at most 16,777,216 pairs"),
    (("strided", 10**5), {"stride": 2, "part": "column"}, "stride: expected at most 16,777,216 pairs"),
    (("fixed", 10**5), {"stride": 2, "part": "summary"}, "stride: expected at most 16,777,216 pairs"),
    (("fixed", 10**5), {"stride": 10**4, "part": "block"}, "stride: expected at most 16,777,216 pairs"),
    (("strided", 5), {"stride": 0, "part": "local"}, "stride: expected"),
    (("strided", 5), {"stride": 2, "part": "block"}, 'part: expected "column" or "local"'),
    (("longformer", 5), {"window": 1, "global_tokens": 6}, "global_tokens: expected"),
    (("random", 5), {"probability": 2}, "probability: expected"),
]


@pytest.mark.parametrize(("arguments", "parameters", "message"), WRONG)
def test_what_pattern_refuses(arguments, parameters, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        pattern(*arguments, **parameters)


def test_what_the_others_refuse():
    for act in (connectivity_depth, local_fooling_pairs, heard_of, enough_layers):
        with pytest.raises(ValueError, match=r"^patterns: expected a list of patterns"):
            act([])
        with pytest.raises(ValueError, match=r"^patterns: expected patterns of as many tokens each"):
            act([[{0}], [{0}, {1}]])
    with pytest.raises(ValueError, match=r"^patterns: expected token 0 to hear at least one"):
        connectivity_depth([[{0, 5}]])
