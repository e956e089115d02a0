"""Headings that a cell puts out are sections of the page, and nothing of the output is lost."""

from docutils import nodes
from docutils.utils import new_document

from _ext.text.sections import SectionsOfOutputs


def test_a_page_has_a_section_for_each_heading_of_an_output():
    html = '<h2 class="uat-section">So&#x27;s slides</h2><p>1</p><h2 class="uat-section">B</h2><p id="x">2</p>'
    bundle = nodes.container("", nodes.raw("", html, format="html"), nodes.literal_block("", "text"))
    source = nodes.container("", nodes.literal_block("", "code"), nb_element="cell_code_source")
    output = nodes.container("", bundle, nb_element="cell_code_output")
    cell = nodes.container("", source, output, nb_element="cell_code")
    page = new_document("page")
    page += nodes.section("", nodes.title("", "All"), cell, ids=["all"])
    SectionsOfOutputs(page).apply()
    sections = list(page[0].findall(nodes.section))[1:]
    assert [part[0].astext() for part in sections] == ["So's slides", "B"]
    assert [next(part.findall(nodes.raw)).astext() for part in sections] == ["<p>1</p>", '<p id="x">2</p>']
    assert all(part["ids"] and part.parent is page[0] for part in sections)
    assert cell.children == [source]
