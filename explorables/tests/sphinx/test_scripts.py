"""Scripts lose their comments, and nothing else; pictures find room in the gallery."""

import pytest

from explorables.sphinx.explorers import CARD, shown, without_comments


@pytest.mark.parametrize(
    ("code", "lean"),
    [
        ("let a = 1; // one\n  let b = 2;\n", "let a = 1; \nlet b = 2;\n"),
        ("/* words\n   more */\nlet a;", "\nlet a;"),
        ("/*! licence */ let a;", "/*! licence */ let a;"),
        ('let a = "//  no /* comment */";', 'let a = "//  no /* comment */";'),
        ("let a = /[/]\\/\\/ x/.test(b);", "let a = /[/]\\/\\/ x/.test(b);"),
        ('let a = `${b ? ` and  ${c}\n  of ` : ""} // d`;', 'let a = `${b ? ` and  ${c}\n  of ` : ""} // d`;'),
    ],
)
def test_texts_stay_to_the_letter(code, lean):
    assert without_comments(code).replace("\n\n", "\n") == lean


def test_a_picture_shrinks_until_its_longer_side_fits_its_card():
    wide, high = CARD
    assert shown(f'<svg width="{2 * wide}pt" height="{high}pt">') == 1 / 2
    assert shown(f'<svg width="{wide}pt" height="{4 * high}pt">') == 1 / 4
    assert shown("<p></p>") == 0
