"""The exercises of Yun et al.'s part, a module a page."""

from . import (  # noqa: F401
    cheaper_mixers,
    contextual_mapping,
    cost,
    far_away,
    precision,
    quantization,
    softmax,
    theorem_2,
    theorem_3,
    trained_mixers,
    value_mapping,
)
