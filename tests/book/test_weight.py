"""What a reader must wait for: a page with all that it loads stays light."""

import gzip
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

LIMIT = 700_000
"""Bytes, as a server sends them."""
LOADED = """() => [location, ...performance.getEntriesByType("resource").map((entry) => new URL(entry.name))]
  .filter(({ protocol }) => protocol.startsWith("http")).map(({ pathname }) => pathname)"""


@cache
def weight(file: Path) -> int:
    """Bytes of a file, packed; what does not get smaller (fonts, bitmaps) as it is."""
    content = file.read_bytes()
    return min(len(content), len(gzip.compress(content, 9)))


def test_a_page_with_all_it_loads_is_light(desk, book, site, page_name):
    tab = desk.open(f"{site}{page_name}.html")
    tab.evaluate("scrollTo(0, document.body.scrollHeight)")  # what is loaded when it comes into sight
    tab.wait_for_load_state("networkidle")
    files = {book / unquote(urlsplit(path).path).lstrip("/") for path in tab.evaluate(LOADED)}
    weights = {file.name: weight(file) for file in files}
    total = sum(weights.values())
    print(f"{page_name}: {total / 1000:.0f} kB, html {weights[Path(page_name).name + '.html'] / 1000:.0f} kB")
    assert len(weights) > 5  # the page, scripts, style sheets, fonts
    assert total < LIMIT, sorted(weights.items(), key=lambda item: -item[1])[:5]
