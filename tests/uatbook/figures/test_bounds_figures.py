"""Pictures of what is promised: a red disc at each error, a line at each bound, nothing where nothing is proved."""

from uatbook.figures.bounds import promised
from uatbook.figures.style import ERROR


def test_each_error_has_its_disc_and_each_bound_its_line():
    kinds = {
        "average": {"deep": (0.2, 0.7), "trained": (0.002, None)},
        "worst": {"deep": (1, 2), "trained": (0.01, None)},
    }
    for ax, rows in zip(promised(kinds).axes, kinds.values(), strict=True):
        discs = [line for line in ax.lines if line.get_color() == ERROR]
        assert [float(disc.get_xdata()[0]) for disc in discs] == [error for error, _ in rows.values()]
        upright = [line.get_xdata()[0] for line in ax.lines if line.get_color() == "black"]
        assert upright == [bound for _, bound in rows.values() if bound is not None]
        assert ax.get_xscale() == "log"
