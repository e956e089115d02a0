"""Live pictures: the page itself computes what they show, at once, as the reader drags what they are made of.

`live.js` is their card, and says at its head what a picture's script is; `draw.js` is their pencil, `maps.js` their
colours, `formula.js` reads formulas. `first.js` draws their first frames with the same scripts, in node.
"""

from ..goals import Goal
from .fields import Field, Handle, Slider
from .picture import LivePicture, stops

__all__ = ["Field", "Goal", "Handle", "LivePicture", "Slider", "stops"]
