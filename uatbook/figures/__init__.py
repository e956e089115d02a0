"""Pictures: arrays in, matplotlib figure out; no mathematics. `style` has the house style."""

# mypy: implicit-reexport
# ruff: noqa: F401

from .attention_scale import bands, images, learned_steps
from .boltzmann import gaps, small_entry
from .bounds import quotients, ranges
from .context import heard_lines, margin_and_lines, shadows, temperature
from .cost import curves, float_line
from .cover import cells_and_balls, small_domain
from .cycle import Ring, ring, ring_and_signal, rings
from .error import budget, decay, errors_by_layer, pieces, strip
from .fooled import fooled_pair, searched_pair, unmasked
from .general import convergence, graphs, squares, weights
from .kernel import gap_rows, ratios, turning
from .layers import film, shapes, staircase, staircase_film, windows
from .limits import noise, reached
from .mask import Hearing, hearing_grids
from .memory import broken_line, conditioning, recall
from .mixing import abacus, balance, hearing, mixing_weights, single_runs
from .one_layer import hats, relu_sums
from .other_mixers import bends, hummed, on_the_way, pulls
from .pair import heard_tables, look_up, pair_squares
from .partition import attended, envelope, melting, plane_cells, sharpness
from .schematic import schematic
from .separation import gap_plane, least_gaps, through_holes, zero_curves
from .sequence import id_rows, jumps, places
from .spreading import circles, reach, what_reaches
from .style import BOUND, COLOURS, MARKERS, MEASURED, axis_names, bare, canvas, line_names, use
from .training import arrivals, looks, rounding, word_lines
