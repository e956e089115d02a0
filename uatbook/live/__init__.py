"""Live pictures: the page itself computes what they show, at once, as the reader drags what they are made of."""

from uatlib.explorer.goals import Goal

from .attention import Attention
from .boltzmann import Boltzmann
from .cells import Cells
from .film import Film
from .lowered import lowered
from .picture import LivePicture
from .square import Square
from .xray import XRay

__all__ = ["Attention", "Boltzmann", "Cells", "Film", "Goal", "LivePicture", "Square", "XRay", "lowered"]
