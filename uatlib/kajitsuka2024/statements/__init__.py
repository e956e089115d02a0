"""The statements of kajitsuka2024, registered when this is imported, in the book's order."""

from . import (  # noqa: I001  (imported to register, in the book's order)
    boltzmann,  # noqa: F401
    gaps,  # noqa: F401
    spacing,  # noqa: F401
    definitions,  # noqa: F401
    attention,  # noqa: F401
    memory,  # noqa: F401
    universality,  # noqa: F401
    masks,  # noqa: F401
    training,  # noqa: F401
)
