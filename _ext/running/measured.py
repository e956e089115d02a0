"""Figures that were measured, in the text of a page: `` {measured}`kernel` `` is the memory of a chapter's kernel.

They are read off binder/measured.json, which `make binder` writes, so that nobody types them. The directive `gpu` shows
what `make gpu` writes, and nothing where nobody has run it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

RECORD = Path("binder", "measured.json")
GPU = Path("uatbook", "data", "gpu.json")
SMALL = 2e9
"""Bytes that a free session has at most."""


def _of_chapters(record: dict[str, Any], key: str) -> list[float]:
    return [chapter[key] for chapter in record["chapters"].values()]


def _span(values: list[float], unit: str) -> str:
    low, high = (f"{value:.0f}" for value in (min(values), max(values)))
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def _open_chapters(record: dict[str, Any]) -> str:
    room = SMALL - max(_of_chapters(record, "server_bytes"))
    kernels = _of_chapters(record, "kernel_bytes")
    return _span([room // max(kernels), room // min(kernels)], "chapters")


def _held(record: dict[str, Any], chapters: int) -> float:
    """Bytes of a student with so many chapters open, at most."""
    return max(_of_chapters(record, "server_bytes")) + chapters * max(_of_chapters(record, "kernel_bytes"))


FIGURES: dict[str, Callable[[dict[str, Any]], str]] = {
    "environment": lambda record: f"{record['environment']['bytes'] / 1e9:.1f} GB",
    "picture": lambda record: _span(_of_chapters(record, "seconds_to_picture"), "seconds"),
    "end": lambda record: _span(_of_chapters(record, "seconds_to_end"), "seconds"),
    "kernel": lambda record: _span([size / 1e6 for size in _of_chapters(record, "kernel_bytes")], "MB"),
    "server": lambda record: f"{max(_of_chapters(record, 'server_bytes')) / 1e6:.0f} MB",
    "student": lambda record: f"{_held(record, 1) / 1e9:.1f} GB",
    "student with two": lambda record: f"{_held(record, 2) / 1e9:.1f} GB",
    "three hundred with two": lambda record: f"{300 * _held(record, 2) / 1e9:.0f} GB",
    "open": _open_chapters,
}


class Measured(SphinxRole):
    """A figure of the record, by its name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Read it; the page is read again when the record changes."""
        path = Path(self.env.srcdir, RECORD)
        self.env.note_dependency(str(path))
        if self.text not in FIGURES:
            raise ValueError(f"measured: expected one of {', '.join(FIGURES)}, got {self.text!r}")
        said = FIGURES[self.text](json.loads(path.read_text(encoding="utf-8")))
        return [nodes.Text(said)], []


def on_gpu(record: dict[str, Any]) -> list[str]:
    """The record of `make gpu`, in Markdown."""
    made = f"{record['gpu']}, driver {record['driver']}, PyTorch {record['versions']['torch']}, {record['date']}"
    lines = [
        f"On a graphics card ({made}) all {record['tests']} tests that want one pass: results lie there and are "
        f"those of the processor ({record['processor']}; {record['machine']}) up to rounding. What both take, in "
        "medians (networks in bulk, all but that of Liu et al., look cells and values up in NumPy, on the processor):",
        "",
        "| work | size | processor | graphics card | times faster |",
        "|---|---|---|---|---|",
    ]
    for row in record["works"]:
        name = row["work"] if row["arm"] == "ours" else f"{row['work']}, {row['arm']}"
        seconds = [f"{1e3 * row[place]:,.1f} ms" for place in ("cpu", "gpu")]
        lines.append("| " + " | ".join([name, row["size"], *seconds, f"{row['cpu'] / row['gpu']:,.1f}"]) + " |")
    return lines


class OnGpu(SphinxDirective):
    """``gpu``: what was measured on a graphics card, if anything was."""

    def run(self) -> list[nodes.Node]:
        """Read it; without a record the page is read each time, as one may come."""
        path = Path(self.env.srcdir, GPU)
        if not path.exists():
            self.env.note_reread()
            return []
        self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n".join(on_gpu(json.loads(path.read_text(encoding="utf-8")))))


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_role("measured", Measured())
    app.add_directive("gpu", OnGpu)
