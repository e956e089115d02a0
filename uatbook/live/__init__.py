"""Live pictures: the page itself computes what they show, at once, as the reader drags what they are made of."""

from explorables.goals import Goal

from .attention import Attention
from .bill import Bill
from .boltzmann import Boltzmann
from .calls import Calls
from .cells import Cells
from .curves import Curves
from .film import Film
from .hats import Hats
from .jumps import Jumps
from .lowered import lowered
from .mixer import Mixer
from .pair import Pair
from .picture import LivePicture
from .proofs import PROOFS
from .square import Square
from .xray import XRay

__all__ = [
    "PROOFS",
    "Attention",
    "Bill",
    "Boltzmann",
    "Calls",
    "Cells",
    "Curves",
    "Film",
    "Goal",
    "Hats",
    "Jumps",
    "LivePicture",
    "Mixer",
    "Pair",
    "Square",
    "XRay",
    "lowered",
]
