"""Where the book lies online, and at which version: what its links to launch a page, and to install the library, name.

The address is that of GITHUB_REPOSITORY, which GitHub's machines set, so that a copy of the book links to itself. The
version is a tag or a commit, never a branch: last week's page is not to launch today's chapter.
"""

import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import uatlib
from _ext.course.editions import edition

NOTEBOOKS = "notebooks"
"""The branch that has the notebooks of each book that was put online, in a folder named after its version."""


@dataclass(frozen=True)
class Place:
    """A version of a repository on GitHub."""

    repository: str
    """Owner and name."""
    version: str
    """A tag or a commit."""

    @property
    def url(self) -> str:
        """The address of the repository."""
        return f"https://github.com/{self.repository}"

    @property
    def home(self) -> str:
        """The address of the front page, where GitHub's pages of a repository are."""
        owner, _, name = self.repository.partition("/")
        host = f"{owner.lower()}.github.io"
        return f"https://{host}/" if name.lower() == host else f"https://{host}/{quote(name)}/"

    @property
    def requirements(self) -> tuple[str, str]:
        """What pip is asked for to install what the pages import: no index has it."""
        there = f"git+{self.url}@{self.version}"
        return f"explorables @ {there}#subdirectory=explorables", f"uatlib @ {there}"

    def source(self, page: str) -> str:
        """The address of a page's source."""
        return f"{self.url}/blob/{quote(self.version)}/{page}.md"

    def binder(self, page: str) -> str:
        """The address that opens a page in Binder."""
        return f"https://mybinder.org/v2/gh/{self.repository}/{quote(self.version, safe='')}?urlpath=lab/tree/{page}.md"

    def colab(self, page: str) -> str:
        """The address that opens a page's notebook in Colab."""
        path = f"{self.repository}/blob/{NOTEBOOKS}/{quote(self.version)}/{page}.ipynb"
        return f"https://colab.research.google.com/github/{path}"


def place(root: Path) -> Place | None:
    """Return where the book of this folder lies online; None if this machine does not know."""
    repository = os.environ.get("GITHUB_REPOSITORY")
    found = version(root) if repository else None
    return Place(repository, found) if repository and found else None


def home(root: Path) -> str | None:
    """Return the address of the book's front page; None if this machine does not know, or of other editions' books.

    Those lie elsewhere, and the students' one is not to lead to solutions.
    """
    there = place(root) if edition() == "readers" else None
    return there.home if there else None


def version(root: Path) -> str | None:
    """Return the tag of a release, else the commit; None if nobody knows either."""
    if os.environ.get("GITHUB_REF_TYPE") == "tag":
        return os.environ["GITHUB_REF_NAME"]
    # What is checked out: where one workflow starts another, GITHUB_SHA is what `main` has come to by then.
    release = f"v{uatlib.__version__}"
    if release in (_git(root, "tag", "--points-at", "HEAD") or "").split():
        return release
    return _git(root, "rev-parse", "HEAD") or os.environ.get("GITHUB_SHA")


@functools.cache
def _git(root: Path, *command: str) -> str | None:
    """What git says of a folder; None where it is no repository."""
    if not (root / ".git").exists():
        return None
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


if __name__ == "__main__":
    print(version(Path.cwd()))
