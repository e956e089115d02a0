"""Words that move a picture: values as numbers, and what is said where they lead nowhere."""

from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest
from sphinx.application import Sphinx

from explorables import Control
from explorables.live import Slider
from explorables.sphinx.explorers import KEY
from explorables.sphinx.moves import found, setting_of

TENTHS = Control(np.arange(0, 1.01, 0.1)).spec("damping", static=True)
CELLS = Control([1, 2, 3], show="{} cells").spec("n", static=True)
KIND = Control(["sine", "1.0", "1"]).spec("kind", static=True)


@pytest.mark.parametrize(
    ("control", "said", "value"),
    [
        (TENTHS, "0", "0.0"),
        (TENTHS, "0.3", "0.30000000000000004"),
        (TENTHS, "3e-1", "0.30000000000000004"),
        (TENTHS, "1", "1.0"),
        (CELLS, "2.0", "2"),
        (CELLS, "3 cells", "3"),
        (KIND, "1", "1"),
        (KIND, "sine", "sine"),
        (Slider(0, 1, 0.5, "x").spec("x"), "0.25", "0.25"),
    ],
)
def test_a_value_is_meant_as_a_number(control, said, value):
    assert setting_of([control], f"{control['name']}={said}") == f"{control['name']}={value}"
    assert setting_of([control], f"&{control['name']}={said}") == f"&{control['name']}={value}"  # the others stay


@pytest.mark.parametrize(
    ("control", "said", "fault"),
    [
        (TENTHS, "damping=0.35", "damping has no '0.35'; it has 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1"),
        (CELLS, "n=0", "n has no '0'; it has 1 cells, 2 cells, 3 cells"),
        (CELLS, "m=1", "no control m; there are n"),
        (CELLS, "", "no setting"),
        (Slider(0, 1, 0.5, "x").spec("x"), "x=2", "x is from 0 to 1, not 2"),
        (Slider(0, 1, 0.5, "x").spec("x"), "x=much", "x is from 0 to 1, not much"),
    ],
)
def test_what_a_control_lacks_is_said_as_readers_see_it(control, said, fault):
    with pytest.raises(ValueError, match="^" + fault.replace(".", r"\.") + "$"):
        setting_of([control], said)


def test_an_explorer_that_is_not_there_is_told_with_those_that_are():
    env = SimpleNamespace(metadata=defaultdict(dict))
    with pytest.raises(ValueError, match=r"^no explorer wave on page; it has none \(did its cell run\?\)$"):
        found(env, "page", "wave", "f=1")
    env.metadata["page"][KEY] = [{"id": "explorer-one", "controls": []}, {"id": "explorer-two", "controls": []}]
    with pytest.raises(ValueError, match=r"^no explorer wave on page; it has one, two$"):
        found(env, "page", "wave", "f=1")


def test_words_that_lead_nowhere_are_text_and_a_warning_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORABLES_STATIC", "")  # the build sets it, and the next test must not find it
    (tmp_path / "conf.py").write_text('extensions = ["myst_nb", "explorables.sphinx"]\n')
    (tmp_path / "index.md").write_text("# Title\n\nWords.\n\nSee {move}`nowhere <gone?x=1>`.\n")
    warnings = tmp_path / "warnings"
    with warnings.open("w") as stream:
        Sphinx(
            tmp_path, tmp_path, tmp_path / "html", tmp_path / "doctrees", "html", status=None, warning=stream
        ).build()
    (said,) = [line for line in warnings.read_text().splitlines() if "move" in line]
    assert f"{tmp_path / 'index.md'}:5: WARNING: move: no explorer gone on index; it has none" in said
    page = (tmp_path / "html" / "index.html").read_text()
    assert "See nowhere." in page
    assert "uat-move" not in page
