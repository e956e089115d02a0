"""SVG for a page: its colours, ids and numbers, and as a file of its own."""

import re

import pytest

from uatlib.view.svg import page_svg, standalone

SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" id="top">
<metadata>today</metadata>
<defs><style>*{stroke: red}</style><path id="m1" style="stroke: #000000"/></defs>
<use xlink:href="#m1" style="fill: #ffffff; stroke: #3b7fc4"/>
<path fill="#010101" clip-path="url(#m1)"/></svg>"""


def test_figures_take_the_colours_of_the_page():
    page = page_svg(SVG, prefix="f", alt='a "staircase"')
    assert "stroke: currentColor" in page
    assert "fill: var(--uat-paper)" in page
    assert "#3b7fc4" in page
    assert 'fill="#010101"' in page
    assert "today" not in page
    assert "red" not in page
    assert 'aria-label="a &quot;staircase&quot;"' in page


def test_figures_renumber_the_ids_they_use():
    page = page_svg(SVG, prefix="f")
    assert page.count('id="') == 1
    assert page.count("f-0") == 3
    assert "m1" not in page


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("M 1.23456 -0.999 L 3 4.5", "M 1.23 -1 L 3 4.5"),
        ("M 100.0000001 2e-7", "M 100 2e-7"),
        ("M 1.5e1 0.12345e-3", "M 1.5e1 0"),
    ],
)
def test_coordinates_are_rounded_to_hundredths(long, short):
    page = page_svg(f'<svg xmlns="http://www.w3.org/2000/svg"><path d="{long}"/></svg>')
    got = re.search(r'd="([^"]*)"', page)[1]
    assert got.replace("-0 ", "0 ") == short


def test_transforms_and_the_size_keep_their_digits():
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="374.4pt"><g transform="scale(0.12345)"/></svg>'
    assert "scale(0.12345)" in page_svg(svg)
    assert "374.4pt" in page_svg(svg)


def test_every_reference_follows_its_id_and_links_stay():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<filter id="blur"/><g filter="url(#blur)"/><a xlink:href="#section-2"/></svg>'
    )
    page = page_svg(svg)
    name = re.search(r'<filter id="([^"]+)"', page)[1]
    assert f'filter="url(#{name})"' in page
    assert 'xlink:href="#section-2"' in page


def test_lines_keep_the_joins_of_the_style_that_is_removed():
    page = page_svg('<svg xmlns="http://www.w3.org/2000/svg"/>')
    assert 'stroke-linejoin="round"' in page
    assert 'stroke-linecap="butt"' in page


def test_a_file_of_its_own_keeps_what_texts_say():
    alone = standalone(page_svg('<svg xmlns="http://www.w3.org/2000/svg"><text>fill currentColor</text></svg>'))
    assert ">fill currentColor</text>" in alone
    assert 'fill="#000"' in alone


def test_a_file_of_its_own_is_is_black_on_white():
    alone = standalone(page_svg(SVG))
    assert "stroke: #000" in alone
    assert "fill: #fff" in alone
    assert "var(" not in alone
