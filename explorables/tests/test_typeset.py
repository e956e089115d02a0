"""Powers of ten as a book sets them: by Python and by the scripts of a page alike."""

import json
import subprocess

import pytest

from explorables.live.node import program
from explorables.scripts import FRAME
from explorables.typeset import typeset

VALUES = [1.3e-69, 1e-9, 9.1e-42, 3e-5, 1e-300, 4.2e7, 1e5, 2.4, 1, 5e-324]


@pytest.mark.parametrize("digits", [0, 1])
def test_a_script_sets_a_power_of_ten_as_python_does(digits):
    (draw,) = (path for path in FRAME if path.name == "draw.js")
    script = f"{draw.read_text(encoding='utf-8')}\nconst [values, digits] = JSON.parse(require('fs').readFileSync(0));"
    script += "console.log(JSON.stringify(values.map((value) => scientific(value, digits))));"
    given = json.dumps([VALUES, digits])
    run = subprocess.run([program(), "-e", script], input=given, capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [typeset(f"{value:.{digits}e}") for value in VALUES]


def test_a_power_of_ten_is_raised_and_a_factor_of_1_left_out():
    assert typeset("off by 1.3e-69, at most 1e-09; 2e+00") == "off by 1.3·10⁻⁶⁹, at most 10⁻⁹; 2"
