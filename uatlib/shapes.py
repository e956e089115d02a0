"""Shape types: what an array of the core holds, axis by axis.

mypy reads each as the type in front (numbers of any system, or a NumPy array), people the shape behind. The letters:
d entries of a token, n tokens, m entries of a query and of a key, v of a value, k keys; "..." any leading axes. Nothing
checks them when code runs: constructors and `Transformer` check shapes where data enters, with errors that name them.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from .arithmetic.base import Native

Sequences = Annotated[Native, "(..., d, n)"]
Queries = Annotated[Native, "(..., m, n)"]
Keys = Annotated[Native, "(..., m, k)"]
Values = Annotated[Native, "(..., v, k)"]
Scores = Annotated[Native, "(..., k, n)"]
Matrix = Annotated[np.ndarray, "(rows, columns), int and Fraction or float64, read-only"]
Vector = Annotated[np.ndarray, "(rows,), int and Fraction or float64, read-only"]
Mask = Annotated[np.ndarray, "(..., k, n), booleans"]
