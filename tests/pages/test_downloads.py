"""Each picture of each page as a file, in ten settings: an XML reader reads it, and it needs no page around it."""

import re
from xml.etree import ElementTree

from page_explorers import boxes

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


def test_every_download_of_a_page_is_read_by_others(desk, site, page_name):
    tab = desk.open(f"{site}{page_name}.html") if boxes(page_name) else None
    for name in boxes(page_name):
        files = tab.evaluate(SAVED, name)
        assert len(files) == 10
        assert len({*files}) > 1, f"{name} did not move"
        for file in files:
            root = ElementTree.fromstring(file)
            assert (root.tag, root[0].tag) == (f"{SVG}svg", f"{SVG}title")
            assert len(root[0].text) > 10
            values = [value for element in root.iter() for key, value in element.items() if key != "aria-label"]
            assert not [value for value in values if re.search(r"currentColor|color-mix|var\(", value)]
            ids = [element.get("id") for element in root.iter() if element.get("id")]
            assert {found for value in values for found in re.findall(r"url\(#(.*?)\)", value)} <= {*ids}
