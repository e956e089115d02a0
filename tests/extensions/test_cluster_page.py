"""The programs of the page on clusters: all are short, and those that need one machine run as they stand."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "library/cluster.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_programs_are_short() -> None:
    assert [*PROGRAMS] == ["work.py", "laptop.py", "local.py", "on_slurm.py", "on_kubernetes.py"]
    for text in PROGRAMS.values():
        ast.parse(text)
        assert len([line for line in text.splitlines() if line]) <= 10


@pytest.mark.full
@pytest.mark.parametrize("name", ["laptop.py", "local.py"])
def test_programs_run_as_they_stand_and_find_what_was_kept(name: str, tmp_path: Path) -> None:
    for file in ("work.py", name):
        (tmp_path / file).write_text(PROGRAMS[file], encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}

    def run() -> tuple[str, dict[str, int]]:
        command = [sys.executable, "-W", "error", name]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout, {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("kept/??/*.pkl")}

    said, kept = run()
    assert said.split() == ["True"] * 10
    assert len(kept) == 10
    assert run() == (said, kept)
