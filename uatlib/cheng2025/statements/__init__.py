"""The statements of cheng2025, registered when this is imported, in the book's order."""

from . import condition, interpolation, two_samples  # noqa: F401, I001
from . import kernels  # noqa: F401
from . import sparse  # noqa: F401
from . import other_mixers, bias  # noqa: F401, I001
from . import interpolation  # noqa: F401, I001
from . import symmetry  # noqa: F401
