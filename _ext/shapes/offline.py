"""The built book as one zip, which works from a folder: `make offline`.

    python -m _ext.shapes.offline _build/html _build/book.zip

The same book gives the same bytes: files stand in the order of their names, without times and without what the machine
says of them.
"""

import sys
import zipfile
from pathlib import Path

from _ext.head.site import NO_JEKYLL

WHEN = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip can name."""
PACKED = {".png", ".woff2"}
"""Kinds of files that are compressed already."""


def pack(book: Path, archive: Path) -> None:
    """Write what is published of `book`, no other hidden file, into a folder that has the archive's name."""
    names = sorted(path.relative_to(book).as_posix() for path in book.rglob("*") if path.is_file())
    with zipfile.ZipFile(archive, "w") as packed:
        for name in names:
            if name != NO_JEKYLL and any(part.startswith(".") for part in name.split("/")):
                continue
            entry = zipfile.ZipInfo(f"{archive.stem}/{name}", WHEN)
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # a plain file, as Unix says it
            kind = zipfile.ZIP_STORED if Path(name).suffix in PACKED else zipfile.ZIP_DEFLATED
            packed.writestr(entry, (book / name).read_bytes(), kind)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
