"""A visit to a page is made again as soon as anything changes that it depends on."""

from types import SimpleNamespace

import conftest
import pytest


@pytest.fixture
def name_of(tmp_path, monkeypatch):
    """The file of a visit to a small book, whose files a test may change."""
    (tmp_path / "page.html").write_text('<script src="view.js?v=1"></script><a href="other.html">')
    (tmp_path / "view.js").write_text("1")
    (tmp_path / "other.html").write_text("")
    monkeypatch.setattr(conftest, "BOOK", tmp_path)

    def name(test="test_page[page]", *fixtures, **written):
        for file, content in written.items():
            (tmp_path / file.replace("_", ".")).write_text(content)
        conftest.contents.cache_clear()
        item = SimpleNamespace(
            name=test,
            fixturenames=[*(fixtures or ("desk", "page_name"))],
            callspec=SimpleNamespace(params={"page_name": "page"}),
        )
        return conftest.visit(item)

    yield name
    conftest.contents.cache_clear()


def test_only_visits_have_a_name(name_of):
    assert name_of() is not None
    assert name_of("test_page[page]", "page_name", "book") is None
    assert name_of("test_page[page]", "desk") is None


def test_another_page_script_or_test_is_another_visit(name_of, monkeypatch):
    first = name_of()
    assert name_of() == first
    assert name_of(other_html="another page") == first
    assert name_of("test_page_fits_a_phone[page]") != first
    script = name_of(view_js="2")
    page = name_of(page_html="new")
    monkeypatch.setattr(conftest, "code", lambda: b"other tests")
    assert len({first, script, page, name_of()}) == 4
