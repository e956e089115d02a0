"""The code that readers copy from the README runs and gives what the text says, from whatever package is installed."""

import re
from fractions import Fraction
from pathlib import Path

from uatbook.exercises import EXERCISES

ROOT = Path(__file__).resolve().parents[2]


def test_readme_says_what_happens(capsys, monkeypatch, tmp_path, closed_figures):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    network, X = names["network"], names["X"]
    assert network(X, names["EXACT"]).tolist() == [[Fraction(1737, 4), Fraction(1755, 4)]]
    assert network(X, names["FLOAT64"]).tolist() == [[434.25, 438.75]]
    assert network(X, names["BALL"])[0, 0].contains(Fraction(1737, 4))
    assert names["step_function"](names["f"], inverse_delta=8).error_bound() == 0.125
    assert "uat-explorer" in Path("pixel-error.html").read_text(encoding="utf-8")
    assert (names["g"].claim.layers, names["g"].grid.inverse_delta) == (35, 5)
    assert names["g"].shortcut([[[0.3, 0.8]]]).tolist() == [[[0.27, 0.81]]]
    assert names["best"].margin > Fraction(46, 1000)
    answers = names["memory"]([[1, 2, 4]], names["FLOAT64"])[0].tolist()
    assert all(abs(answer - label) < 1e-6 for answer, label in zip(answers, (8, 9, 10), strict=True))
    printed = capsys.readouterr().out
    assert printed.count(": holds\n") == 3
    assert printed.count(": FAILS\n") == 2
    assert len(EXERCISES) >= 100, "README says a hundred and more"
    assert names["get"]("ex-start-diagonal").question() in printed
    assert names["check"]("ex-start-diagonal", ("3/N", "3/8")).verdict == "not yet"
    assert names["check"]("ex-start-diagonal", ("3/N", "11/32")).verdict == "right"
