"""Run jupyter-book: `python _ext/uat_book.py build . ...`.

With JupyterLab installed, jsonschema loads a grammar of internationalized addresses, which takes a second and a half;
no schema of the book has such an address. And fifteen times a build looks through all that is installed for plugins.
"""

import functools
import importlib.metadata
import sys

if __name__ == "__main__":
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # as if it were not installed
    plugins = functools.cache(importlib.metadata.entry_points)
    vars(importlib.metadata)["entry_points"] = lambda **wanted: plugins().select(**wanted) if wanted else plugins()
    from jupyter_book.cli.main import main

    sys.argv[0] = "jupyter-book"
    main()
