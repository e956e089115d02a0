"""Words that move a picture: ``{move}`R = 1024 <indicator?R=1024>` `` sets R of the explorer `indicator` of the page.

The text is a link to the setting's address, which the explorers' own script obeys; what the address does not name takes
its first value. `page#indicator?R=1024` is an explorer of another page. In print it is plain text. Explorers are this
book's own, so no library knows their addresses; the build fails for an explorer, control or value that is not there.
"""

import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qsl, quote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from .explorers import KEY

logger = logging.getLogger(__name__)
ROLE = re.compile(r"(?P<text>[^<]+?)\s*<(?:(?P<page>[^#<>]+)#)?(?P<name>[\w-]+)\?(?P<query>[^<>]*)>", re.DOTALL)
MATHS = re.compile(r"\$([^$]+)\$")


class uat_move(nodes.inline):  # type: ignore[misc]
    """Words with the setting that they stand for."""


class Move(SphinxRole):
    """``move``: words, and the setting that they set."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Words and formulas; whether there is such a setting is known when all pages are read."""
        role = ROLE.fullmatch(self.text)
        if role is None:
            fault = f"move: expected words <explorer?control=value>, got {self.text}"
            return [], [self.inliner.reporter.error(fault, line=self.lineno)]
        words = uat_move(self.text, **{key: role[key] for key in ("page", "name", "query")})
        for k, part in enumerate(MATHS.split(role["text"])):
            if part:
                words += nodes.math(part, part) if k % 2 else nodes.Text(part)
        return [words], []


class Links(SphinxPostTransform):
    """Make links of them, in HTML."""

    default_priority = 5  # before terms become links

    def run(self, **kwargs: Any) -> None:
        """Say of each one that leads nowhere what it lacks."""
        for words in list(self.document.findall(uat_move)):
            here = self.env.docname
            page = str(PurePosixPath(here).parent / words["page"]) if words["page"] else here
            if fault := lacking(self.env, page, words["name"], words["query"]):
                logger.warning("move: %s", fault, location=words)
            if self.app.builder.format == "html":
                address = f"explorer-{words['name']}?{encoded(words['query'])}"
                uri = self.app.builder.get_relative_uri(here, page) if words["page"] else ""
                link = nodes.reference("", "", refuri=f"{uri}#{address}", internal=True, classes=["uat-move"])
                link.extend(words.children)
                words.replace_self(link)
            else:
                words.replace_self(words.children)


def encoded(query: str) -> str:
    """A query as the script writes it."""
    return "&".join(f"{quote(key, safe='')}={quote(value, safe='')}" for key, value in settings(query))


def settings(query: str) -> list[tuple[str, str]]:
    """The controls of a query, with their values as the reader of the page has them; a plus is a plus."""
    return parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)


def lacking(env: BuildEnvironment, page: str, name: str, query: str) -> str:
    """What of an explorer, its controls and their values is not there; nothing if all are."""
    ids: list[str] = []
    for entry in env.metadata.get(page, {}).get(KEY, []):
        ids.append(entry["id"])
        times = ids.count(entry["id"])  # of two with one name, the second has an address of its own
        if f"explorer-{name}" == entry["id"] + (f"-{times}" if times > 1 else ""):
            return wrong_setting(entry["controls"], query)
    return f"no explorer {name} on {page}; it has {', '.join(id.removeprefix('explorer-') for id in ids)}"


def wrong_setting(controls: list[dict[str, Any]], query: str) -> str:
    """What a query asks of these controls that they do not have; nothing if they have all. As page.js has it."""
    known = {control["name"]: control for control in controls}
    for key, value in settings(query):
        if key not in known:
            return f"no control {key}; there are {', '.join(known)}"
        control = known[key]
        if "keys" in control:
            if value not in control["keys"]:
                return f"{key} has no {value!r}; it has {', '.join(control['keys'])}"
        elif control["kind"] == "slider":
            if not control["min"] <= float(value) <= control["max"]:
                return f"{key} is from {control['min']} to {control['max']}, not {value}"
        elif len(value) > control["most"]:
            return f"{key} takes {control['most']} letters, not {len(value)}"
    return "" if settings(query) else "no setting"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_role("move", Move())
    app.add_post_transform(Links)
    return {"env_version": 1}
