"""The statements of yun2020, registered when this is imported, in the book's order."""

from . import step_functions, contextual, values, softmax, stages, positional, mixers, precision, so2020slides  # noqa: F401, I001
