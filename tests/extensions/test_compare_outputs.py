"""The comparison of two builds sees every damage to an output, and tells numbers from the rest."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "compare_outputs.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_outputs", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def explorer(pictures: list[str], texts: list[str]) -> str:
    spec = {"name": "e", "controls": [{"name": "k", "keys": ["1", "2"]}]}
    pack = {"wide": pictures, "narrow": [""] * len(pictures), "texts": texts, "index": [[0, 0], [1, 1]]}
    packed = base64.b64encode(gzip.compress(json.dumps(pack).encode())).decode()
    return (
        '<div class="output text_html"><div class="uat-explorer" id="explorer-e"><div class="uat-first">'
        '<p class="title">k = 1</p><svg class="uat-figure">first</svg><p class="readout">first text</p></div>'
        f'<script type="application/json" class="uat-spec">{json.dumps(spec)}</script>'
        f'<script type="application/gzip" class="uat-pack">{packed}</script></div></div>'
    )


def page(*cells: tuple[str, str], prose: str = "Words.") -> str:
    built = "".join(
        f'<div class="cell"><div class="cell_input">{code}</div><div class="cell_output">{output}</div></div>'
        for code, output in cells
    )
    return f"<article><p>{prose}</p>{built}</article>"


CELLS = [
    ("print(x)", '<div class="output stream">gap 0.25 at n = 3</div>'),
    ("draw()", '<svg id="uat-figure-1-0"><path d="M 1 2"/></svg>'),
    ("certify()", '<div class="output text_html"><table class="holds"><tr><td>holds</td></tr></table></div>'),
    ("@explore(k=[1, 2])", explorer(["<svg>one</svg>", "<svg>two</svg>"], ["value 1", "value 2"])),
]

DAMAGES = {
    "number": (0, "0.25", "0.26", "numbers", "most 0.25 -> 0.26"),
    "word": (0, "gap", "slack", "other", "'gap' -> 'slack'"),
    "coordinate": (1, "M 1 2", "M 1 9", "numbers", "picture 1"),
    "element": (1, "path", "line", "other", "picture 1"),
    "markup alone": (2, 'class="holds"', 'class="fails"', "other", "markup"),
}


def built(folder: Path, text: str, name: str = "a.html") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("cell", "old", "new", "kind", "said"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_output_is_seen(tool, tmp_path, capsys, cell, old, new, kind, said):
    damaged = [(code, out.replace(old, new) if k == cell else out) for k, (code, out) in enumerate(CELLS)]
    assert damaged != CELLS
    folders = [str(built(tmp_path / "x", page(*CELLS))), str(built(tmp_path / "y", page(*damaged)))]
    assert tool.main([folders[0], folders[0]]) == 0
    assert tool.main(folders) == 1
    out = capsys.readouterr().out
    assert f"[{kind}] a.html, cell {cell + 1}" in out
    assert said in out


def test_every_frame_is_compared(tool, tmp_path, capsys):
    changed = [explorer(["<svg>one</svg>", "<svg>2</svg>"], ["value 1", "value 3"])]
    before, after = page(*CELLS), page(*CELLS[:3], ("@explore(k=[1, 2])", changed[0]))
    assert tool.main([str(built(tmp_path / "x", before)), str(built(tmp_path / "y", after))]) == 1
    out = capsys.readouterr().out
    assert "[numbers] a.html, cell 4, explorer-e at 2, text: 1 numbers, most 2 -> 3" in out
    assert "[other] a.html, cell 4, explorer-e at 2, picture: after '<svg>': 'two' -> '2'" in out
    assert "at 1" not in out


def test_missing_cells_and_pages_are_differences_but_code_and_text_are_not(tool, tmp_path, capsys):
    before = built(tmp_path / "x", page(*CELLS))
    other_code = [("print(y)", CELLS[0][1]), *CELLS[1:]]
    after = built(tmp_path / "y", page(*other_code, prose="Other words."))
    assert tool.main([str(before), str(after)]) == 0
    out = capsys.readouterr().out
    assert "1 cells have other code" in out
    assert "a.html, text: after '': 'W' -> 'Other w'" in out
    fewer = built(tmp_path / "z", page(*CELLS[:1], *CELLS[2:]))
    assert tool.main([str(before), str(fewer)]) == 1
    assert "a.html, cell 2: only in BEFORE: 'draw()'" in capsys.readouterr().out
    built(tmp_path / "y", page(), "b.html")
    assert tool.main([str(before), str(after)]) == 1
    assert "b.html: only in AFTER" in capsys.readouterr().out
