"""Each picture of a page as a file, in ten settings: an XML reader reads it, and it needs no page around it."""

import re
from xml.etree import ElementTree

import pytest
from page_explorers import PAGES, boxes, explorers

from explorables.svg import standalone

# Files are caught as they are made. Controls go where a step of a seventh, and one more each time, brings them.
SAVED = """async (id) => {
  const root = document.querySelector(`#${id} .uat-view`).shadowRoot, rest = () => new Promise(requestAnimationFrame);
  const button = [...root.querySelectorAll("button")].find((one) => one.textContent === "Download this picture");
  const files = [], { createObjectURL } = URL, { click } = HTMLAnchorElement.prototype;
  URL.createObjectURL = (file) => (files.push(file), "");
  HTMLAnchorElement.prototype.click = () => {};
  try {
    for (let k = 0; k < 10; k += 1) {
      const kinds = "select, input:is([type=range], [type=radio], [type=checkbox])";
      const fields = k ? [...root.querySelectorAll(kinds)] : [];
      fields.forEach((field, i) => {
        const among = (count) => ((i + 1) * k) % count;
        if (field.type === "range") field.value = +field.min + ((among(7) + k % 3) / 9) * (field.max - field.min);
        else if (field.type === "radio" || field.type === "checkbox") return (i + k) % 2 && field.click();
        else field.selectedIndex = among(field.options.length);
        for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
      });
      if (k && !fields.length) root.querySelector(".slot button").click(); // nothing else moves it
      for (let frame = 0; frame < 3; frame += 1) await rest();
      button.click();
    }
  } finally {
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = click;
  }
  return Promise.all(files.map((file) => file.text()));
}"""
SVG = "{http://www.w3.org/2000/svg}"


def read_by_others(file: str) -> ElementTree.Element:
    root = ElementTree.fromstring(file)
    assert root.tag == f"{SVG}svg"
    values = [value for element in root.iter() for key, value in element.items() if key != "aria-label"]
    assert not [value for value in values if re.search(r"currentColor|color-mix|var\(", value)]
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert {found for value in values for found in re.findall(r"url\(#(.*?)\)", value)} <= {*ids}
    return root


def test_every_download_of_a_page_is_read_by_others(desk, site, tried_page):
    tab = desk.open(f"{site}{tried_page}.html") if boxes(tried_page) else None
    for name in boxes(tried_page):
        files = tab.evaluate(SAVED, name)
        assert len(files) == 10
        assert len({*files}) > 1, f"{name} did not move"
        for file in files:
            title = read_by_others(file)[0]
            assert title.tag == f"{SVG}title"
            assert len(title.text) > 10


@pytest.mark.parametrize("page", PAGES)
def test_every_drawn_picture_can_be_read_by_others(page):
    """Some ten of each explorer; that the script saves them so is seen in test_explorers.py."""
    for explorer in explorers(page):
        pictures = [picture for both in explorer.pack["pictures"] for picture in both]
        for picture in pictures[:: -(-len(pictures) // 10)]:
            read_by_others(standalone(picture))
