"""The statements of yun2020, registered when this is imported, in the book's order."""

# ruff: noqa: F401, I001
from . import quantization, contextual_mapping, value_mapping, softmax, theorem_2, theorem_3, cheaper_mixers, precision
from . import so2020slides
