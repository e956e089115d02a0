"""The one extension of the book's build."""

from pathlib import Path

import _ext

FOLDER = Path(_ext.__file__).parent


def test_each_module_that_can_be_set_up_is():
    files = [path for path in FOLDER.glob("*/*.py") if "\ndef setup(app: Sphinx)" in path.read_text(encoding="utf-8")]
    listed = [FOLDER / folder / f"{name}.py" for folder, names in _ext.MODULES.items() for name in names]
    assert sorted(files) == sorted(listed)
