"""The statements of yun2020, registered when this is imported, in the book's order."""

from . import (  # noqa: I001  (imported to register, in the book's order)
    step_functions,  # noqa: F401
    contextual,  # noqa: F401
    values,  # noqa: F401
    softmax,  # noqa: F401
    stages,  # noqa: F401
    positional,  # noqa: F401
    mixers,  # noqa: F401
    precision,  # noqa: F401
    so2020slides,  # noqa: F401
)
