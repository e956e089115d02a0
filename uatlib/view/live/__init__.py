"""Live pictures: the page itself computes what they show, at once, as the reader drags what they are made of."""

from .attention import Attention
from .boltzmann import Boltzmann
from .lowered import lowered
from .picture import LivePicture

__all__ = ["Attention", "Boltzmann", "LivePicture", "lowered"]
