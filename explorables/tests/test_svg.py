"""SVG for a page: its colours, ids and numbers, and as a file of its own."""

import base64
import io
import re
from collections import Counter
from xml.etree import ElementTree

import matplotlib
import matplotlib.patheffects
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from explorables.svg import SVG_STYLE, page_svg, standalone

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


@pytest.mark.parametrize("colours", [1, 3, 256, 257])
def test_bitmaps_keep_every_pixel_and_get_smaller(colours):
    rng = np.random.default_rng(colours)
    pixels = rng.integers(256, size=(colours, 4), dtype=np.uint8)[rng.permutation(40 * 60).reshape(40, 60) % colours]
    Image.fromarray(pixels).save(file := io.BytesIO(), "PNG")
    said = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    page = page_svg(f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{said}" width="3"/></svg>')
    shown = re.search(r'href="data:image/png;base64,([^"]*)"', page)[1]
    assert (np.asarray(Image.open(io.BytesIO(base64.b64decode(shown))).convert("RGBA")) == pixels).all()
    assert (len(shown) < 0.75 * len(said)) == (colours < 257)


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


def zoo() -> plt.Figure:
    """Most kinds of things that matplotlib draws."""
    draw = np.random.default_rng(0).random
    figure, axes = plt.subplots(4, 4, figsize=(9, 9))
    ax = axes.ravel()
    ax[0].imshow(draw((5, 5)), alpha=0.5)
    ax[1].pcolormesh(draw((4, 4)), shading="gouraud")
    ax[2].tripcolor(draw(9), draw(9), draw(9), shading="gouraud")
    ax[3].bar([1, 2], [1, 2], hatch="//", edgecolor="red", alpha=0.4)
    ax[4].scatter(draw(30), draw(30), c=draw(30), marker="*", s=80 * draw(30))
    ax[5].contourf(draw((6, 6)), hatches=["/", "o"])
    ax[6].quiver(draw(5), draw(5))
    ax[7].pie([1, 2, 3], shadow=True)
    ax[8].plot([1, 2, 3], "o--", label=r"$\alpha_1^2 + x$", dashes=(3, 1, 1, 1))
    ax[8].legend(title="a & b <c>", title_fontproperties={"style": "italic", "weight": "bold"})
    ax[9].annotate("x", (0, 0), (0.5, 0.5), arrowprops={"arrowstyle": "->"}, bbox={"boxstyle": "round"}, rotation=10)
    ax[10].plot([0, 1], [0, 1], rasterized=True)
    ax[11].fill_between(
        [0, 1], [0, 1], gid="a group (1)", path_effects=[matplotlib.patheffects.withStroke(linewidth=3)]
    )
    ax[12].text(0.5, 0.5, "two\nlines   and", ha="center", url="#below")
    ax[13].hexbin(draw(99), draw(99), gridsize=5)
    ax[14].add_patch(plt.Circle((0.5, 0.5), 0.2, clip_path=plt.Circle((0.4, 0.4), 0.2, transform=ax[14].transData)))
    ax[15].streamplot(np.arange(4), np.arange(4), draw((4, 4)), draw((4, 4)))
    return figure


@pytest.mark.usefixtures("closed_figures")
@pytest.mark.parametrize("text", ["none", "path"])
def test_what_matplotlib_draws_survives_whole(text):
    buffer = io.BytesIO()
    with matplotlib.rc_context({**SVG_STYLE, "svg.fonttype": text}):
        zoo().savefig(buffer, format="svg")
    drawn = ElementTree.fromstring(buffer.getvalue())
    kept = ElementTree.fromstring(page_svg(buffer.getvalue().decode()))

    def parts(root: ElementTree.Element) -> Counter:
        """Every element, with the names of its attributes and its text, less what the page has no use for."""
        left_out = {e for name in ("metadata", "style") for top in root.findall(f".//{{*}}{name}") for e in top.iter()}
        rows = [e for e in root.iter() if e not in left_out and e is not root]
        unused = {"id", "target"}  # ids that nothing refers to go, and no link leaves the page
        return Counter((e.tag, frozenset(set(e.attrib) - unused), (e.text or "").strip()) for e in rows)

    assert parts(kept) == parts(drawn)
    # Colours follow the page, and so does the font of words.
    changed = (
        r"color-mix\(in srgb, #\w+ 75%, currentColor\)|#\w+|currentColor|var\(--uat-paper\)|black|white|url\([^)]*\)|"
        r"font-family: [^;]*'DejaVu Sans'[^;]*"
    )

    def styles(root: ElementTree.Element) -> list[list[str]]:
        texts = [re.sub(changed, "", e.get("style", "")) for e in root.iter() if e is not root]
        return sorted(sorted(part.strip() for part in text.split(";") if part.strip()) for text in texts)

    assert [s for s in styles(kept) if s] == [s for s in styles(drawn) if s]


@pytest.mark.parametrize(
    ("svg", "message"),
    [
        ('<svg xmlns="http://www.w3.org/2000/svg"><text>a\x07b</text></svg>', r"control character '\\x07' in a title"),
        ("<svg", "SVG that is well-formed XML"),
        ('<svg xmlns="http://www.w3.org/2000/svg">&lol;</svg>', "SVG that is well-formed XML"),
        ("<html/>", "expected an svg element, got 'html'"),
        ('<svg xmlns="http://www.w3.org/2000/svg">' + "<g>" * 2000 + "</g>" * 2000 + "</svg>", "at most 100 deep"),
    ],
)
def test_what_is_no_svg_is_refused(svg, message):
    with pytest.raises(ValueError, match=message):
        page_svg(svg)


# ------------------------------------------------------------------------------------------------------------ as a file


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


def test_letters_in_a_colour_take_some_ink():
    figure, ax = plt.subplots()
    ax.text(0.5, 0.5, "plain", color="#d1661f")
    ax.text(0.5, 0.2, "$x$", color="#d1661f")
    buffer = io.BytesIO()
    with matplotlib.rc_context(SVG_STYLE):
        figure.savefig(buffer, format="svg")
    page = page_svg(buffer.getvalue().decode())
    assert page.count("color-mix(in srgb, #d1661f 75%, currentColor)") >= 2
    assert "fill: #d1661f" not in page
    assert standalone(page).count("fill: #9d4d17") >= 2
    assert not re.search("color-mix|currentColor", standalone(page))
