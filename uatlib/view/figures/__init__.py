"""Pictures: arrays in, matplotlib figure out; no mathematics. `general` has the house style."""

from .boltzmann import gaps, small_entry
from .context import heard_lines, listening, margin_and_lines, shadows, temperature
from .cost import capacity, curves, float_line
from .error import budget, decay, errors_by_layer, pieces, strip
from .general import (
    BOUND,
    COLOURS,
    MARKERS,
    MEASURED,
    bare,
    bars,
    convergence,
    film,
    graphs,
    id_lines,
    pair,
    squares,
    staircase,
    staircase_film,
    use,
    weights,
    windows,
)
from .mask import Hearing, hearing_grids
from .memory import broken_line, conditioning, encodings, recall
from .mixing import abacus, accuracies, balance, hearing, mixing_weights
from .one_layer import hats, plane, relu_sums
from .sequence import id_rows, jumps, places
from .training import arrivals, looks, rounding, word_lines

__all__ = [
    "BOUND",
    "COLOURS",
    "MARKERS",
    "MEASURED",
    "Hearing",
    "abacus",
    "accuracies",
    "arrivals",
    "balance",
    "bare",
    "bars",
    "broken_line",
    "budget",
    "capacity",
    "conditioning",
    "convergence",
    "curves",
    "decay",
    "encodings",
    "errors_by_layer",
    "film",
    "float_line",
    "gaps",
    "graphs",
    "hats",
    "heard_lines",
    "hearing",
    "hearing_grids",
    "id_lines",
    "id_rows",
    "jumps",
    "listening",
    "looks",
    "margin_and_lines",
    "mixing_weights",
    "pair",
    "pieces",
    "places",
    "plane",
    "recall",
    "relu_sums",
    "rounding",
    "shadows",
    "small_entry",
    "squares",
    "staircase",
    "staircase_film",
    "strip",
    "temperature",
    "use",
    "weights",
    "windows",
    "word_lines",
]
