"""The exercises of Yun et al.'s part, a module a page."""

from . import (  # noqa: F401
    cheaper_mixers,
    contextual_mapping,
    precision,
    quantization,
    softmax,
    theorem_2,
    theorem_3,
    value_mapping,
)
