"""Where the book lives: repository, source, edit, issue and launch links; licence, citation, a page's description.

The address is that of GITHUB_REPOSITORY, which GitHub's machines set, else that of an https remote named origin.
Without one there are no such links. Licence and citation are files of the book itself, and always there.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.config import Config
from uat_prose import pieces

ABOUT = {"LICENSE": "license-code.txt", "LICENSE-text": "license-text.txt", "CITATION.cff": "citation.txt"}
"""What is copied into the book, and its name there, with which a browser shows it."""
HOSTS = {"github.com": ("github", "gh"), "gitlab.com": ("gitlab", "gl")}
BINDER = "https://mybinder.org/v2"
BUTTONS = ("use_repository_button", "use_source_button", "use_edit_page_button", "use_issues_button")
LONGEST = 155


@dataclass(frozen=True)
class Place:
    """A repository: host, owner and name, branch."""

    host: str
    owner: str
    name: str
    branch: str

    @property
    def address(self) -> str:
        """Where it is, without a slash at the end."""
        return f"https://{self.host}/{self.owner}/{self.name}"

    def launch(self, page: str) -> str:
        """Where a page runs in a browser: Binder, with JupyterLab."""
        owner = quote(self.owner, safe="") if self.host == "gitlab.com" else self.owner
        between = "%2F" if self.host == "gitlab.com" else "/"
        return f"{BINDER}/{HOSTS[self.host][1]}/{owner}{between}{self.name}/{self.branch}?urlpath=lab/tree/{page}.md"


def place(environment: dict[str, str], origin: str, branch: str = "main") -> Place | None:
    """The repository that the environment names, else that of the address of origin; None if neither is known."""
    if re.fullmatch(r"[\w.-]+/[\w.-]+", environment.get("GITHUB_REPOSITORY", "")):
        server = urlsplit(environment.get("GITHUB_SERVER_URL", "https://github.com")).hostname
        owner, name = environment["GITHUB_REPOSITORY"].split("/")
        return Place("github.com", owner, name, branch) if server == "github.com" else None
    found = urlsplit(origin)
    parts = found.path.strip("/").removesuffix(".git").split("/")
    if found.scheme != "https" or found.hostname not in HOSTS or len(parts) < 2 or not all(parts):
        return None
    # The host alone: an address may carry a name and a password.
    return Place(str(found.hostname), "/".join(parts[:-1]), parts[-1], branch)


def origin(root: Path) -> str:
    """The address of the remote origin, or nothing."""
    try:
        done = subprocess.run(
            ["git", "config", "--get", "remote.origin.url"], cwd=root, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip()


def choose(app: Sphinx, config: Config) -> None:
    """Tell the theme where the repository is."""
    found = place(dict(os.environ), origin(Path(app.srcdir)))
    vars(app)["uat_place"] = found
    config["uat_home"] = found.address if found else ""
    if found:
        options: dict[str, Any] = {"repository_url": found.address, "repository_branch": found.branch}
        config.html_theme_options |= {**options, "path_to_docs": "", **dict.fromkeys(BUTTONS, True)}


def copy(app: Sphinx, builder: Builder) -> None:
    """Put licences and citation into the book."""
    if app.builder.format == "html":
        folder = Path(app.outdir, "_static", "about")
        folder.mkdir(parents=True, exist_ok=True)
        for name, there in ABOUT.items():
            shutil.copyfile(Path(app.srcdir, name), folder / there)


def description(doctree: nodes.document) -> str:
    """The first sentences of a page, as many as a search engine shows."""
    for paragraph in doctree.findall(nodes.paragraph):
        running = list(pieces(paragraph, folds=False))
        if running and isinstance(paragraph.parent, nodes.section):
            text = re.sub(r"\s+", " ", paragraph.astext()).strip()
            if "\\" in text or "|" in text:
                continue  # a formula, which has no words
            if len(text) <= LONGEST:
                return text
            whole = text[: LONGEST + 1]
            end = max(whole.rfind(mark) for mark in (". ", "? ", "! "))
            return whole[: end + 1] if end > LONGEST // 3 else whole[: whole.rfind(" ")] + " \N{HORIZONTAL ELLIPSIS}"
    return ""


def about(up: str) -> str:
    """The line on rights and citation, of a page that is `up` below the book's folder."""
    licence, text, cite = (f"{up}_static/about/{ABOUT[name]}" for name in ("LICENSE", "LICENSE-text", "CITATION.cff"))
    return (
        f'<p class="uat-about">Text and pictures: <a href="{text}">CC BY 4.0</a>. '
        f'Code: <a href="{licence}">BSD 3-Clause</a>. <a href="{cite}">How to cite this book</a>.</p>'
    )


def tell(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add to a page what it says of itself, and the button that runs it."""
    context["theme_extra_footer"] = about("../" * pagename.count("/"))
    if doctree is not None and (said := description(doctree)):
        context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{escape(said)}" />\n'
    found: Place | None = vars(app).get("uat_place")
    if found and "ipynb_source" in context and "header_buttons" in context:
        button = {
            "type": "link",
            "url": found.launch(pagename),
            "text": "",
            "tooltip": "Run this page on Binder",
            "icon": "fas fa-rocket",
            "label": "launch-binder",
        }
        context["header_buttons"].insert(0, button)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx; early, before the theme reads its options, and after it has made its buttons."""
    app.add_config_value("uat_home", "", "html")
    app.connect("config-inited", choose, priority=100)
    app.connect("write-started", copy)
    app.connect("html-page-context", tell, priority=910)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
