"""Words that move a picture: ``{move}`R = 1024 <indicator?R=1024>` `` sets R of the explorer `indicator` of the page.

The text is a link to the setting's address, which the explorers' own script obeys; what the address does not name takes
its first value, or behind `?&` keeps the one that it has. `page#indicator?R=1024` is an explorer of another page. In
print it is plain text. Explorers are this book's own, so no library knows their addresses; the build warns of an
explorer, control or value that is not there.
"""

import re
from fractions import Fraction
from math import isclose, nan
from posixpath import dirname, join, normpath
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
        self.set_source_info(words)
        for k, part in enumerate(MATHS.split(role["text"])):
            if part:
                words += nodes.math(part, part) if k % 2 else nodes.Text(part)
        return [words], []


class Links(SphinxPostTransform):
    """Make links of them, in HTML."""

    default_priority = 5  # before terms become links

    def run(self, **kwargs: Any) -> None:
        """Say of each one that leads nowhere what it lacks; it stays text."""
        for words in list(self.document.findall(uat_move)):
            here = self.env.docname
            page = normpath(join(dirname(here), words["page"])) if words["page"] else here
            try:
                setting = found(self.env, page, words["name"], words["query"])
            except ValueError as fault:
                logger.warning("move: %s", fault, location=words)
                setting = ""
            if setting and self.app.builder.format == "html":
                uri = self.app.builder.get_relative_uri(here, page) if words["page"] else ""
                address = f"{uri}#explorer-{words['name']}?{setting}"
                link = nodes.reference("", "", refuri=address, internal=True, classes=["uat-move"])
                link.extend(words.children)
                words.replace_self(link)
            else:
                words.replace_self(words.children)


def settings(query: str) -> list[tuple[str, str]]:
    """The controls of a query, with their values as the reader of the page has them; a plus is a plus."""
    return parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)


def found(env: BuildEnvironment, page: str, name: str, query: str) -> str:
    """The query as the script writes it; ValueError if explorer, control or value are not there."""
    ids: list[str] = []
    for entry in env.metadata.get(page, {}).get(KEY, []):
        ids.append(entry["id"])
        times = ids.count(entry["id"])  # of two with one name, the second has an address of its own
        if f"explorer-{name}" == entry["id"] + (f"-{times}" if times > 1 else ""):
            return setting_of(entry["controls"], query)
    has = ", ".join(id.removeprefix("explorer-") for id in ids) or "none (did its cell run?)"
    raise ValueError(f"no explorer {name} on {page}; it has {has}")


def setting_of(controls: list[dict[str, Any]], query: str) -> str:
    """A query with the values as these controls have them; ValueError if they lack one. As page.js has it."""
    known = {control["name"]: control for control in controls}
    said = settings(query)
    if unknown := [key for key, _ in said if key not in known]:
        raise ValueError(f"no control {unknown[0]}; there are {', '.join(known)}")
    if not said:
        raise ValueError("no setting")
    parts = [f"{quote(key, safe='')}={quote(value_of(known[key], value), safe='')}" for key, value in said]
    return "&".join([""] * query.startswith("&") + parts)


def value_of(control: dict[str, Any], value: str) -> str:
    """A value as the control writes it: 0 may be its 0.0, 0.3 its 0.30000000000000004, and "1 cell" what it shows."""
    name = control["name"]
    if "keys" in control:
        keys, texts = control["keys"], control["texts"]
        if value in keys:
            return value
        near = (isclose(number(key), number(value), rel_tol=1e-9, abs_tol=1e-12) for key in keys)
        for key, text, is_near in zip(keys, texts, near, strict=True):
            if value == text or is_near:
                return str(key)
        raise ValueError(f"{name} has no {value!r}; it has {', '.join(texts)}")
    if control["kind"] == "slider":
        if not control["min"] <= number(value) <= control["max"]:
            raise ValueError(f"{name} is from {control['min']} to {control['max']}, not {value}")
    elif len(value) > control["most"]:
        raise ValueError(f"{name} takes {control['most']} letters, not {len(value)}")
    return value


def number(text: str) -> float:
    """The number that a text writes, or else none, which is near no other."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        return nan


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_role("move", Move())
    app.add_post_transform(Links)
    return {"env_version": 1}
