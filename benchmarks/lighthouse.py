"""Lighthouse on five pages of the built book, as on a phone with a slow line: `make lighthouse`, which needs npm.

Writes benchmarks/lighthouse.json: of each page the scores out of 100, what a reader waits for, and the load of the
machine meanwhile, on which times hang.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import platform
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from uatlib.internal import writing

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "lighthouse.json"
VERSION = "12.8.2"
PAGES = (
    "index",
    "chapters/yun-contextual-mapping",
    "chapters/cheng-sparse",
    "library/statements",
    "chapters/cheng-your-mixer",
)
LEAST = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 95}
WAITS = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
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


def audit(address: str) -> dict[str, object]:
    """Scores, and milliseconds that a reader waits."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None or shutil.which("npx") is None:
        raise SystemExit("make lighthouse: expected npm, and Chromium or Chrome; install them")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report.json")
        command = ["npx", "--yes", f"lighthouse@{VERSION}", address, "--quiet", f"--chrome-flags={FLAGS}"]
        command += ["--output=json", f"--output-path={file}"]
        subprocess.run(command, check=True, env={**os.environ, "CHROME_PATH": browser})
        found = json.loads(file.read_text(encoding="utf-8"))
    scores = {name: round(100 * part["score"]) for name, part in found["categories"].items()}
    waits = {name: round(found["audits"][name]["numericValue"], 3) for name in WAITS}
    return {**scores, **waits, "load": round(os.getloadavg()[0], 1)}


def main() -> None:
    """Measure all pages, and say which is below what it should reach."""
    handler = functools.partial(Packed, directory=str(ROOT / "_build" / "html"))
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found = {page: audit(f"http://localhost:{server.server_port}/{page}.html") for page in PAGES}
        server.shutdown()
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "lighthouse": VERSION}
    writing.write(RECORD, json.dumps({**machine, "pages": found}, indent=1) + "\n")
    low = [f"{page}: {name} {found[page][name]}" for page in PAGES for name in LEAST if found[page][name] < LEAST[name]]
    print("\n".join(low) or "All pages reach what they should.")


if __name__ == "__main__":
    main()
