"""A visit to a page is made again as soon as anything changes that it depends on; a short round leaves no kind out."""

from pathlib import Path
from types import SimpleNamespace

import conftest
import pytest
import rounds
from conftest import BOOK, toc_pages

HERE = Path(__file__).parent


@pytest.fixture
def name_of(tmp_path, monkeypatch):
    """The file of a visit to a small book, whose files a test may change."""
    (tmp_path / "page.html").write_text(
        '<script src="view.js?v=1"></script><link href="sheet.css"><a href="other.html">'
    )
    (tmp_path / "sheet.css").write_text('src: url("letters.woff2")')
    for file in ("view.js", "letters.woff2", "other.html"):
        (tmp_path / file).write_text("1")
    monkeypatch.setattr(conftest, "BOOK", tmp_path)

    def name(test="test_page[page]", *fixtures, module="test_pages", **written):
        for file, content in written.items():
            (tmp_path / file.replace("_", ".")).write_text(content)
        conftest.loaded.cache_clear()
        item = SimpleNamespace(
            name=test,
            path=HERE / f"{module}.py",
            fixturenames=[*(fixtures or ("desk", "page_name"))],
            callspec=SimpleNamespace(params={"page_name": "page", "tried_page": "page"}),
        )
        return conftest.visit(item)

    yield name
    conftest.loaded.cache_clear()


def test_only_visits_have_a_name(name_of):
    assert name_of() is not None
    assert name_of("test_page[page]", "desk", "tried_page") is not None
    assert name_of("test_page[page]", "page_name", "book") is None
    assert name_of("test_page[page]", "desk") is None


def test_another_page_script_font_or_test_is_another_visit(name_of, monkeypatch):
    first = name_of()
    assert name_of() == first
    assert name_of(other_html="another page") == first
    assert name_of("test_page_on_a_phone[page]") != first
    script = name_of(view_js="2")
    font = name_of(letters_woff2="2")
    page = name_of(page_html="new")
    monkeypatch.setattr(conftest, "tried", lambda: ("page",))
    longer = name_of()
    monkeypatch.setattr(conftest, "code", lambda module: b"other tests")
    assert len({first, script, font, page, longer, name_of()}) == 6


def test_a_visit_depends_on_its_own_module_and_what_that_imports():
    modules = {path.stem for path in conftest.imported(HERE / "test_pages.py")}
    assert modules >= {"test_pages", "page_explorers", "reader", "conftest"}
    assert not modules & {"test_film", "live_pages", "test_visits"}
    assert conftest.code(HERE / "test_pages.py") != conftest.code(HERE / "test_islands.py")


def test_the_short_round_tries_each_kind_that_there_is(book, monkeypatch):
    names = toc_pages()
    pages = {name: rounds.kinds(BOOK / f"{name}.html") for name in names}
    everything = set().union(*pages.values())
    for full in (False, True):
        monkeypatch.setattr(rounds, "FULL", full)
        chosen = rounds.tried.__wrapped__(BOOK, names)
        assert set().union(*(pages[name] for name in chosen)) == everything
        assert (chosen == names) == full
    assert {"drawn", "drawn: goals", "drawn: plays", "square", "uat-check", "live: text"} <= everything
