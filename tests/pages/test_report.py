"""The rows of the report that are measured in a browser have figures, at small sizes."""

from pathlib import Path

import pages
import pytest
import report

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tools(browser, site, tmp_path_factory):
    return pages.Tools(browser, site, tmp_path_factory.mktemp("report"))


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, entry in report.ENTRIES.items() if entry.pages])
def test_every_row_has_a_figure(name, tools):
    row = report.measure(report.ENTRIES[name], quick=True, tools=tools)
    assert row.ours > 0
    assert row.entry.why
    assert name in report.report([row], True, [0.0])
