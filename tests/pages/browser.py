"""Find a Chromium for the page tests; run as a script, install one if there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MISSING = (
    "no Chromium found for the page tests: install chromium or Google Chrome, "
    "or run `.venv/bin/playwright install chromium`, or set CHROMIUM to its path"
)


def find() -> str | None:
    """Return the path of a Chromium: CHROMIUM, the system's, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    found = next(filter(None, map(shutil.which, COMMANDS)), None)
    found = found or next((app for app in MAC_APPS if Path(app).exists()), None)
    if found:
        return found
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install() -> None:
    """Try the system's package manager when it may be used, then Playwright's download."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], **quiet)
    if not find():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], **quiet)


if __name__ == "__main__":
    if not find():
        print("Installing a browser for the page tests ...", flush=True)
        install()
    if not find():
        sys.exit(f"make: {MISSING}")
