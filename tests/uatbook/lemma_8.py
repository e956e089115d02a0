"""What Lemma 8 of Yun et al. says of the ids, in plain loops: for the tests of what pages draw of them."""


def ids(cells, N):
    """Of tokens in these cells, in units of delta: a shift for each level, then the lift N^3 times the largest."""
    z = [float(k) for k in cells]
    for level in range(N):
        z = [t + N * (max(z) - min(z)) if t == level else t for t in z]
    return [(t + N**3 * max(z)) / N for t in z]
