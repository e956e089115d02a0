"""liu2025, sections 3 to 5 in plain loops: softmax of scores, and of distances to centres."""

import math


def stacked(Z):
    """The columns of a sequence, one under another."""
    return [Z[r][k] for k in range(len(Z[0])) for r in range(len(Z))]


def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def shares(z, centers, R):
    """softmax_j(-R/2 |z - v_j|^2)."""
    return softmax([-R / 2 * math.fsum((a - b) ** 2 for a, b in zip(z, v, strict=True)) for v in centers])


def smoothed(z, centers, values, R):
    """sum_j softmax_j(-R/2 |z - v_j|^2) V_j, for numbers V_j."""
    return math.fsum(share * value for share, value in zip(shares(z, centers, R), values, strict=True))
