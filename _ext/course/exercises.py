"""Exercises are numbered as pictures are, and their titles are links that carry their labels.

sphinx-exercise numbers them through the book, so that one more renumbers all that follow. Here the third of Chapter 7
is Exercise 7.3, and the third of a page without a number Exercise 3. What never changes is its label, which
tests/extensions/exercise_labels.txt lists.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

from _ext.course.path import chapters


def rename(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Put the number of the chapter, and one that counts in it, in place of the numbers through the book."""
    found: dict[str, dict[str, dict[str, tuple[Any, ...]]]] = vars(env)["toc_fignumbers"]
    numbers = chapters(env)
    for page, kinds in found.items():
        labels, chapter = kinds.get("exercise", {}), [numbers[page]] if page in numbers else []
        labels |= {label: (*chapter, k) for k, label in enumerate(labels, start=1)}
    return []  # all pages are written anew


class TitleLinks(SphinxPostTransform):
    """Make each title a link to its exercise, which a teacher can copy."""

    default_priority = 22  # after sphinx-exercise has put the title together

    def run(self, **kwargs: Any) -> None:
        """Wrap what stands in each title."""
        for exercise in self.document.findall(nodes.Admonition):
            if type(exercise).__name__ == "exercise_enumerable_node":
                title, label = exercise.children[0], exercise["label"]
                first, *others = title.children
                inside = [nodes.Text(first.astext().lstrip()), *others]  # the number ends in a space
                link = nodes.reference("", "", *inside, refid=label, internal=True, reftitle=f"#{label}")
                title.children = [link]
                link.parent = title


def setup(app: Sphinx) -> None:
    """Register with Sphinx; after it has numbered what is numbered."""
    app.connect("env-get-updated", rename, priority=900)
    app.add_post_transform(TitleLinks)
