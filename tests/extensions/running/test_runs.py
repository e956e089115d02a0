"""What has to be run again: notebooks whose code, library or data changed, and solutions."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import myst_nb.core.read
import psutil
import pytest
from jupyter_cache import get_cache
from myst_nb.core.read import read_myst_markdown_notebook

from _ext.running.runs import (
    arrive,
    execute,
    has_run,
    have_run,
    keep,
    note,
    outdated,
    read_for,
    run,
    runs,
    solutions,
    sources,
)

ROOT = Path(__file__).resolve().parents[3]


CHAPTER = """---
kernelspec:
  display_name: Python 3
  name: python3
---
# Words

```{{code-cell}} ipython3
{code}
```
"""
FILES = {
    "requirements.txt": "matplotlib==1",
    "data/record.json": "1",
    "uatlib/__init__.py": "",
    "uatlib/general.py": "",
    "uatlib/first/__init__.py": "def late():\n    from . import lazy\n    return lazy.text()",
    "uatlib/first/lazy.py": "from pathlib import Path\n\n"
    "def text():\n    return (Path(__file__).parent / 'view.js').read_text()",
    "uatlib/first/never.py": "",
    "uatlib/first/view.js": "js",
    "uatlib/second/__init__.py": "from .. import general",
    "chapters/first.md": CHAPTER.format(
        code="from uatlib import first, general\nprint(first.late(), open('../data/record.json').read())\n"
        "open('own.txt', 'w').write('1'); open('own.txt').read()"
    ),
    "chapters/second.md": CHAPTER.format(
        code="import time\nimport uatlib.second\nfor piece in ('first\\n', '\\n  indented \\n', '\\nlast \\n'):\n"
        "    print(piece, end='', flush=True)\n    time.sleep(0.3)\n```\n\n```{code-cell} ipython3"
    ),
    "chapters/wrong.md": CHAPTER.format(code="import uatlib.first\n1 / 0"),
    "chapters/edits.md": CHAPTER.format(code="import pathlib, uatlib\npathlib.Path(uatlib.__file__).touch()"),
}
PAGES = ("chapters/first", "chapters/second")


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    before = time.time() - 60  # as an edit between two builds
    os.utime(path, (before, before))


def cache(root):
    return root / "_build" / ".jupyter_cache"


def kept(root):
    return [page.removeprefix("chapters/") for page in PAGES if has_run(cache(root), root, page)]


def build(root, page):
    """What the build does with a page that is to run."""
    keep(cache(root), root, page, *run(root, page, timeout=60))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A library of two sources, and a chapter for each, both run: once for all tests, since kernels start slowly."""
    root = tmp_path_factory.mktemp("project").resolve()
    for name, text in FILES.items():
        write(root, name, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # an edit within one second would go unseen
        patch.setattr(myst_nb.core.read, "read_myst_markdown_notebook", read_for(root))
        assert kept(root) == []
        for page in PAGES:
            build(root, page)
        yield root


def test_a_notebook_runs_again_where_what_it_hangs_on_has_changed(project):
    def after(name, text):
        write(project, name, text)
        left = kept(project)
        write(project, name, FILES.get(name, ""))
        return left

    assert kept(project) == ["first", "second"]
    assert after("uatlib/second/__init__.py", "from .. import general\n#") == ["first"]
    assert after("uatlib/first/__init__.py", FILES["uatlib/first/__init__.py"] + "#") == ["second"]
    assert after("uatlib/first/lazy.py", FILES["uatlib/first/lazy.py"] + "#") == ["second"]  # imported in a function
    assert after("uatlib/first/view.js", "other") == []  # nobody knows who opens a file
    assert after("data/record.json", "2") == []
    assert after("uatlib/general.py", "x = 1") == []
    assert after("uatlib/__init__.py", "x = 1") == []
    assert after("requirements.txt", "matplotlib==2") == []
    assert after("uatlib/first/never.py", "x = 1") == ["first", "second"]
    assert after("chapters/first.md", FILES["chapters/first.md"].replace("Words", "Other")) == ["first", "second"]
    lower = FILES["chapters/first.md"].replace("Words", "Words\n\nMore of them, and the cell\nstands lower.")
    assert after("chapters/first.md", lower) == ["first", "second"]
    assert after("tests/test_first.py", "x = 1") == ["first", "second"]
    assert after("chapters/first.md", FILES["chapters/first.md"].replace("print", "1, print")) == ["second"]
    (project / "data/record.json").unlink()
    assert kept(project) == []
    write(project, "data/record.json", FILES["data/record.json"])
    assert kept(project) == ["first", "second"]


def test_what_a_new_import_brings_counts_from_then_on(project):
    write(project, "uatlib/second/__init__.py", "from . import new")
    write(project, "uatlib/second/new.py", "x = 1")
    assert kept(project) == ["first"]
    build(project, "chapters/second")
    assert kept(project) == ["first", "second"]
    write(project, "uatlib/second/new.py", "x = 2")
    assert kept(project) == ["first"]
    write(project, "uatlib/second/__init__.py", FILES["uatlib/second/__init__.py"])
    (project / "uatlib/second/new.py").unlink()
    build(project, "chapters/second")
    assert kept(project) == ["first", "second"]


def test_a_run_that_fails_or_is_overtaken_by_an_edit_is_not_kept(project):
    for page, error in (("chapters/wrong", "ZeroDivisionError"), ("chapters/edits", "uatlib/__init__.py: edited")):
        with pytest.raises(Exception, match=error):
            run(project, page, timeout=60)
    assert set(runs(project)) == set(PAGES)


def test_what_is_not_kept_runs_and_what_fails_is_forgotten(project, monkeypatch):
    tried = []

    def broken(root, page, timeout):
        while page in vars(app)["uat_begun"]:  # fails when the build waits for it already
            time.sleep(0.01)
        tried.append(page)
        raise RuntimeError(page)

    monkeypatch.setattr("_ext.running.runs.run", broken)
    monkeypatch.setattr("_ext.running.kernels.fork", lambda: None)
    before = runs(project)
    config = SimpleNamespace(execution_cache_path=str(cache(project)))
    env = SimpleNamespace(mystnb_config=config, doc2path=lambda page: str(project / f"{page}.md"))
    app = SimpleNamespace(srcdir=str(project), env=env, config=SimpleNamespace(nb_execution_timeout=60))
    write(project, "uatlib/second/__init__.py", "")
    pages = ["chapters/second", "chapters/wrong", "chapters/first"]
    execute(app, env, pages)
    assert pages == ["chapters/first", "chapters/second", "chapters/wrong"]  # what waits for no run is read first
    for page in pages:
        arrive(app, page, [])
    have_run(app, env)
    assert sorted(tried) == ["chapters/second", "chapters/second", "chapters/wrong", "chapters/wrong"]
    assert set(runs(project)) == {"chapters/first"}
    write(project, "uatlib/second/__init__.py", FILES["uatlib/second/__init__.py"])
    note(project, "chapters/second", before["chapters/second"])
    assert kept(project) == ["first", "second"]


def test_sphinx_reads_again_what_runs_again(project):
    """A page that failed hangs on everything: should it pass when myst-nb runs it, nobody knows what it has loaded."""
    read = {page: read_for(project)(FILES[f"{page}.md"], path=project / f"{page}.md") for page in PAGES}
    metadata = {page: {"kernelspec": dict(notebook.metadata.kernelspec)} for page, notebook in read.items()}
    env = SimpleNamespace(found_docs={*PAGES, "text"}, metadata={**metadata, "text": {}})

    def again():
        return outdated(SimpleNamespace(srcdir=str(project)), env, set(), set(), set())

    assert again() == []
    write(project, "uatlib/first/lazy.py", "#")
    assert again() == ["chapters/first"]
    write(project, "uatlib/first/lazy.py", FILES["uatlib/first/lazy.py"])
    before = runs(project)["chapters/second"]
    note(project, "chapters/second", None)
    assert again() == ["chapters/second"]
    assert "uatlib/first/never.py" in sources(project, "chapters/second")
    note(project, "chapters/second", before)
    assert again() == []


def outputs(root, page):
    """What the cells of a page have put out, as texts."""
    notebook = myst_nb.core.read.myst_nb_reader_plugin(str(root / f"{page}.md"))
    _, merged = get_cache(cache(root)).merge_match_into_notebook(notebook)
    return [[output.get("text", "") for output in cell.outputs] for cell in merged.cells if cell.cell_type == "code"]


def test_a_run_notes_what_it_cost_and_leaves_no_trace_in_its_outputs(project):
    cost = runs(project)["chapters/first"]
    ((line, seconds),) = cost["cells"]
    assert line == "from uatlib import first, general"
    assert 0 <= seconds < 60
    assert 20 < cost["memory"] < 4000
    assert set(cost["modules"]) == {
        f"uatlib/{name}.py" for name in ("__init__", "general", "first/__init__", "first/lazy")
    }
    assert outputs(project, "chapters/first") == [["js 1\n", ""]]  # "" is the value of the last line


def test_printed_text_does_not_depend_on_when_it_came(project):
    """By itself, myst-nb loses the blank line where the text is cut before it."""
    assert outputs(project, "chapters/second") == [["first\n\n  indented \n\nlast \n"], []]


BUILD = """import nbformat
from _ext.running import kernels
from nbclient import NotebookClient
kernels.fork()
for code in ("import torch", "import os, time; open('kernel', 'w').write(f'{os.getpid()} '); time.sleep(300)"):
    NotebookClient(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]), kernel_name="python3").execute()
"""


def test_no_kernel_outlives_a_build_that_is_killed(tmp_path):
    options = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(ROOT)}}
    with subprocess.Popen([sys.executable, "-c", BUILD], **options) as build:
        said = tmp_path / "kernel"
        while not (said.exists() and said.read_text().endswith(" ")):
            assert build.poll() is None
            time.sleep(0.1)
        kernel = psutil.Process(int(said.read_text()))
        assert psutil.Process(build.pid) in kernel.parents()
        build.kill()
    kernel.wait(60)


SOLVED = """\
```{code-cell}
x = 1
```

```python
x = "shown, and not a solution"
```

````{solution} ex-one
:class: dropdown

```python
y = x + 1
all(y > z
    for z in (0, 1))
```

Or shorter:

```python
x == 1
```
````

```{solution} ex-two
Nothing to run.
```
"""


def test_solutions_run_after_the_cells_of_their_page():
    codes = ["y = x + 1\nall(y > z\n    for z in (0, 1))", "x == 1"]
    assert solutions(SOLVED) == codes
    text = CHAPTER.format(code="x = 1") + SOLVED
    bare = read_myst_markdown_notebook(text, add_source_map=True)
    whole = read_for(ROOT)(text, add_source_map=True, path=ROOT / "page.md")
    added = whole.cells[len(bare.cells) :]
    assert [(cell.source, cell.metadata.tags) for cell in added] == [
        (code, ["remove-cell", "solution"]) for code in codes
    ]
    assert [cell.source for cell in whole.cells[: -len(codes)]] == [cell.source for cell in bare.cells]
    assert len(whole.metadata.source_map) == len(whole.cells)


def test_every_solution_with_code_is_found():
    for path in (ROOT / "chapters").glob("*.md"):
        inside, written = False, 0
        for line in path.read_text(encoding="utf-8").splitlines():
            inside = line.startswith("````{solution}") or (inside and line != "````")
            written += inside and line == "```python"
        assert len(solutions(path.read_text(encoding="utf-8"))) == written, path.stem
