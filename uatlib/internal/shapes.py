"""Shape types: what an array of the core holds, axis by axis.

mypy reads each as the type in front (the arrays N of a number system, or a NumPy array), people the shape behind. The
letters: d entries of a token, n tokens, m entries of a query and of a key, v of a value, k keys; "..." any leading
axes. Nothing checks them when code runs: constructors and `Transformer` check shapes where data enters, with errors
that name them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from torch import Tensor

from ..arithmetic import Ball
from ..arithmetic.base import N

Numbers = int | float | Fraction | np.number | Ball | np.ndarray | Tensor | Sequence["Numbers"]
"""What a public door takes for an array: numbers, or lists, arrays and tensors of them."""
Array = np.ndarray | Tensor
Weight = Any
"""A field of frozen data: a constructor takes `Numbers`, or None, and keeps the read-only array of them."""
Sequences = Annotated[N, "(..., d, n)"]
Queries = Annotated[N, "(..., m, n)"]
Keys = Annotated[N, "(..., m, k)"]
Values = Annotated[N, "(..., v, k)"]
Scores = Annotated[N, "(..., k, n)"]
Visible = Annotated[N | None, "(..., k, n), booleans; None: all"]
Matrix = Annotated[np.ndarray, "(rows, columns), int and Fraction or float64, read-only"]
Vector = Annotated[np.ndarray, "(rows,), int and Fraction or float64, read-only"]
Mask = Annotated[np.ndarray, "(..., k, n), booleans"]
