"""Run jupyter-book: `python _ext/uat_book.py build . ...`.

With JupyterLab installed, jsonschema loads a grammar of internationalized addresses, which takes a second and a half;
no schema of the book has such an address. Fifteen times a build looks through all that is installed for plugins. And
Python looks again and again for cycles among the nodes of all pages, of which the end of the build frees them.
"""

import atexit
import functools
import gc
import importlib.metadata
import os
import sys

if __name__ == "__main__":
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # as if it were not installed
    plugins = functools.cache(importlib.metadata.entry_points)
    vars(importlib.metadata)["entry_points"] = lambda **wanted: plugins().select(**wanted) if wanted else plugins()
    gc.disable()
    from jupyter_book.cli.main import main

    sys.argv[0] = "jupyter-book"
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    # What is left to end is what atexit knows of; taking a million nodes to pieces one by one is not.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
