"""Write down what pages cost to make and to read: _build/report.txt, which `make book` prints; _build/explorers.txt.

Seconds are of the processor, and those of the last run of each page: one that did not run again still has its cost.
"""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from _ext.course.reading import KEY
from _ext.running.runs import runs
from explorables.sphinx.explorers import explorers, reading_order
from uatlib.internal import writing

SHOWN, WIDTH = 10, 88


def report(app: Sphinx, exception: Exception | None) -> None:
    """Write both reports."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir).parent
    carried = [(Path(page).name, entry) for page in reading_order(app.env) for entry in explorers(app.env)[page]]
    writing.write(folder.joinpath("explorers.txt"), explorer_lines(carried))
    spent = {Path(page).name: run for page, run in runs(Path(app.srcdir)).items() if page in app.env.found_docs}
    toc = [str(name) for name in getattr(app.env, "external_site_map", {}) or []]
    read = {Path(page).name: found for page in toc if (found := app.env.metadata[page].get(KEY))}
    writing.write(folder.joinpath("report.txt"), lengths(read) + "\n" + summary(spent))


def explorer_lines(carried: list[tuple[str, dict[str, Any]]]) -> str:
    """Say what each explorer, with its page, costs to carry."""
    lines = [f"{'explorer':48} {'settings':>8} {'pictures':>8} {'kB':>6}"]
    for page, entry in carried:
        name = f"{page}: {entry['id'].removeprefix('explorer-')}"
        settings, pictures = entry["combinations"] or "any", entry["pictures"] or "live"
        lines.append(f"{name:48} {settings:>8} {pictures:>8} {entry['kilobytes']:6.0f}")
    totals = [sum(float(entry[key] or 0) for _, entry in carried) for key in ("combinations", "pictures", "kilobytes")]
    lines.append("{:48} {:8.0f} {:8.0f} {:6.0f}".format(f"{len(carried)} explorers", *totals))
    return "\n".join(lines) + "\n"


def lengths(read: dict[str, dict[str, Any]]) -> str:
    """Say how long each page is to read: a mirror, not a gate."""
    lines = [f"{'page':48} {'words':>6} {'code lines':>10} {'before picture':>14} {'exercises':>9}"]
    for page, found in read.items():
        first = "none" if found["before_picture"] is None else found["before_picture"]
        numbers = (found["words"], found["code_lines"], first, sum(found["exercises"].values()))
        lines.append("{:48} {:6} {:10} {:>14} {:9}".format(page, *numbers))
    return "\n".join(lines) + "\n"


def summary(spent: dict[str, dict[str, Any]]) -> str:
    """Say what each chapter cost, and name the slowest cells."""
    total = {page: sum(seconds for _, seconds in run["cells"]) for page, run in spent.items()}
    lines = [f"{'chapter':48} {'seconds':>9} {'memory':>10}"]
    for page in sorted(total, key=lambda page: -total[page]):
        memory = spent[page]["memory"]
        lines.append(f"{page:48} {total[page]:7.1f} s {f'{memory} MiB' if memory else '':>10}")
    lines.append(f"{f'{len(total)} chapters':48} {sum(total.values()):7.1f} s")
    cells = [
        (seconds, f"{page}, cell {k}: {line}")
        for page, run in spent.items()
        for k, (line, seconds) in enumerate(run["cells"], start=1)
    ]
    slowest = sorted(cells, key=lambda cell: -cell[0])[:SHOWN]
    lines += ["", "the slowest cells", *(f"{seconds:7.1f} s  {name[:WIDTH]}" for seconds, name in slowest)]
    return "\n".join(lines) + "\n"


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("build-finished", report)
