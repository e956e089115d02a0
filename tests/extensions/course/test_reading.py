"""How long a page is, and what the build took."""

from docutils import nodes
from sphinx_exercise.nodes import exercise_node, solution_node

from _ext.course.reading import reading
from _ext.running.report import lengths, summary


def test_the_report_names_what_is_slow():
    spent = {
        "a": {"memory": 120, "cells": [(f"cell {k} of a", 0.5 * k) for k in range(20)]},
        "b": {"memory": None, "cells": [("all of b", 200.0)]},
    }
    chapters, cells = summary(spent).split("\n\n")
    assert [line.split() for line in chapters.splitlines()[1:]] == [
        ["b", "200.0", "s"],
        ["a", "95.0", "s", "120", "MiB"],
        ["2", "chapters", "295.0", "s"],
    ]
    slowest = [f"{seconds:7.1f} s  a, cell {k + 1}: cell {k} of a" for k in range(19, 10, -1) for seconds in [0.5 * k]]
    assert cells.splitlines()[1:] == ["  200.0 s  b, cell 1: all of b", *slowest]


def cell(printed, *tags, lines="x = 1\n\ny = 2"):
    whole = nodes.container("", classes=["cell", *(f"tag_{tag}" for tag in tags)])
    whole += nodes.container("", nodes.literal_block(lines, lines), classes=["cell_input"])
    whole += nodes.container("", nodes.paragraph(printed, printed), classes=["cell_output"])
    return whole


def test_the_length_of_a_page_is_that_of_what_stands_open():
    page = nodes.Element("", nodes.paragraph("", "one two three"))
    page += nodes.math_block("a + b", "a + b")
    page += cell("printed words do not count")
    page += nodes.paragraph("", "", nodes.Text("four "), nodes.math("x", "x"), nodes.Text(" - six"))
    page += nodes.admonition("", nodes.paragraph("", "not these"), nodes.literal_block("", "z"), classes=["dropdown"])
    page += cell("", "hide-input")
    kept = {"code_lines": 2, "before_picture": None, "formulas": 1, "explorers": 0, "proof_words": 0, "exercises": {}}
    assert vars(reading(page)) == {"words": 6, **kept}
    page += cell("", "figure", "hide-input")
    page += nodes.paragraph("", "seven")
    page += nodes.literal_block("", "a\nb\nc")
    page += cell("", "explorer")
    page += nodes.admonition("", nodes.paragraph("", "by four short words"), classes=["dropdown", "proof"])
    page += exercise_node("", nodes.paragraph("", "not counted"), classes=["exercise", "level-3"])
    page += exercise_node("", nodes.paragraph("", "not counted"))
    page += solution_node("", nodes.paragraph("", "nor this"))
    found = reading(page)
    kept |= {"code_lines": 7, "before_picture": 6, "explorers": 1, "proof_words": 4, "exercises": {"3": 1, "2": 1}}
    assert vars(found) == {"words": 7, **kept}
    row = lengths({"a-page": vars(found)}).splitlines()[1]
    assert row.split() == ["a-page", "7", "7", "6", "2"]
