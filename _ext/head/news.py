"""What is new, from CHANGELOG.md: ``{news}`` is a section for each version, the newest first, in the file's own parts.

What an entry says first stands alone, and the rest of it below, small, so that the page can be skimmed. ``{moved}`` is
the table of names that have a new place.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from uatlib import moved

FILE = "CHANGELOG.md"
HEADING = re.compile(r"^(###? .*)$", re.MULTILINE)
ENTRY = re.compile(r"^- (.*(?:\n  .*)*)", re.MULTILINE)
END = re.compile(r"(?<! al\.)(?<=\.)\s+(?=[^a-z])")
"""Where a sentence ends, and not a name with et al."""


def entry(text: str) -> str:
    """An entry of a list as one paragraph for its first sentence, and another one for the rest."""
    first, *rest = END.split(text, maxsplit=1)
    return "- " + "\n\n  ".join(" ".join(part.split()) for part in (first, *rest))


def news(changelog: str) -> str:
    """The sections of a changelog, without its preface."""
    _, *parts = HEADING.split(changelog)
    text = ""
    for heading, said in zip(parts[::2], parts[1::2], strict=True):
        whole = ENTRY.sub(lambda found: entry(found[1]), said.strip("\n"))
        text += re.sub("^## ", "## Version ", heading) + "\n\n"
        text += f":::{{container}} uat-news\n{whole}\n:::\n\n" if whole else ""
    return text


class NewsDirective(SphinxDirective):
    """``news``: the changes of all versions."""

    def run(self) -> list[nodes.Node]:
        """Sections of the page."""
        for read in (FILE, __file__):
            self.env.note_dependency(read)
        lines = news(Path(self.env.srcdir, FILE).read_text(encoding="utf-8")).split("\n")
        whole = nodes.section()
        whole.document = self.state.document
        self.state.nested_parse(StringList(lines, FILE), 0, whole, match_titles=True)
        return whole.children


class MovedDirective(SphinxDirective):
    """``moved``: old and new names, as a table."""

    def run(self) -> list[nodes.Node]:
        """The table."""
        self.env.note_dependency(str(moved.__file__))
        rows = [f"| `{old}` | `{new}` |" for old, new in sorted(moved.MOVED.items())]
        return self.parse_text_to_nodes("\n".join(["| until now | from now on |", "| --- | --- |", *rows]))


def setup(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.add_directive("news", NewsDirective)
    app.add_directive("moved", MovedDirective)
