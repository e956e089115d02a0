"""Lighthouse on four pages of the built book, as on a phone with a slow line: `make lighthouse`, which needs npm.

Prints, and writes into benchmarks/lighthouse.json, the medians of three runs of each page: the scores out of 100, what
a reader waits for, and the load of the machine meanwhile, on which times hang. Fails where a page is below `LEAST`, or
where something on it moves while it loads.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from uatlib.internal import writing

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "lighthouse.json"
VERSION = "12.8.2"
FOLDER = ROOT / ".lighthouse"
PAGES = ("index", "tour", "library/atlas", "chapters/yun-contextual-mapping")
RUNS = 3
LEAST = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 95}
STILL = 0.005  # what is less moves by less than one sees
SHIFT, LONGEST = "cumulative-layout-shift", "longest-task"
WAITS = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", SHIFT)
FLAGS = "--headless=new --no-sandbox --disable-gpu"


class Packed(http.server.SimpleHTTPRequestHandler):
    """A server that packs texts, as those of the world do."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send a file."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        kind, data = self.guess_type(path), path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", kind + "; charset=utf-8" * kind.startswith("text"))
        self.send_header("Cache-Control", "max-age=600")
        if kind.startswith("text") or kind.endswith(("javascript", "json", "xml")):
            data = gzip.compress(data, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def tools() -> tuple[Path, str]:
    """Lighthouse in a folder of its own, which this makes the first time, and a browser."""
    browser, npm = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("npm")
    if browser is None or npm is None:
        raise SystemExit(
            "make lighthouse: expected npm, and Chromium or Chrome; on Debian: apt-get install npm chromium"
        )
    package = FOLDER / "node_modules" / "lighthouse"
    manifest = package / "package.json"
    if not manifest.exists() or json.loads(manifest.read_text(encoding="utf-8"))["version"] != VERSION:
        FOLDER.mkdir(exist_ok=True)
        quiet = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run([npm, "install", *quiet, f"lighthouse@{VERSION}"], check=True, cwd=FOLDER)
    return package / "cli" / "index.js", browser


def audit(address: str, program: Path, browser: str) -> dict[str, float]:
    """Scores, and milliseconds that a reader waits."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        command = ["node", str(program), address, "--quiet", f"--chrome-flags={FLAGS}"]
        command += ["--output=json", f"--output-path={file}"]
        subprocess.run(command, check=True, env={**os.environ, "CHROME_PATH": browser})
        found = json.loads(file.read_text(encoding="utf-8"))
    if error := found.get("runtimeError"):
        raise SystemExit(f"{address}: {error['message']}")
    scores = {name: round(100 * (part["score"] or 0)) for name, part in found["categories"].items()}
    waits = {name: round(found["audits"][name]["numericValue"], 3) for name in WAITS}
    tasks = found["audits"]["long-tasks"].get("details", {}).get("items", [])
    longest = max((task["duration"] for task in tasks), default=0)  # none is listed below 50
    return {**scores, **waits, LONGEST: round(longest), "load": round(os.getloadavg()[0], 1)}


def medians(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of each measure, the one in the middle."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def table(found: Mapping[str, Mapping[str, float]]) -> str:
    """A row a page."""
    heads = {**dict.fromkeys(LEAST, "{:.0f}"), SHIFT: "{:.3f}", LONGEST: "{:.0f} ms", "load": "{:.1f}"}
    names = {SHIFT: "shift", LONGEST: "longest task"}
    rows = [["page", *(names.get(head, head) for head in heads)]]
    rows += [[page, *(form.format(measured[head]) for head, form in heads.items())] for page, measured in found.items()]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip() for row in rows
    )


def below(found: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What no page should be."""
    low = [
        f"{page}: {name} {measured[name]:.0f}"
        for page, measured in found.items()
        for name in LEAST
        if measured[name] < LEAST[name]
    ]
    return low + [f"{page}: {SHIFT} {measured[SHIFT]}" for page, measured in found.items() if measured[SHIFT] > STILL]


def main() -> None:
    """Measure all pages, and say which is below what it should reach."""
    program, browser = tools()
    handler = functools.partial(Packed, directory=str(ROOT / "_build" / "html"))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://localhost:{server.server_port}"
        found = {page: medians([audit(f"{root}/{page}.html", program, browser) for _ in range(RUNS)]) for page in PAGES}
        server.shutdown()
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "lighthouse": VERSION, "runs": RUNS}
    writing.write(RECORD, json.dumps({**machine, "pages": found}, indent=1) + "\n")
    print(table(found))
    if low := below(found):
        raise SystemExit("\n".join(["Below what they should reach:", *low]))


if __name__ == "__main__":
    main()
