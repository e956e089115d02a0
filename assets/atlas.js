// The table of the atlas sorts by its headings and filters by words and by choices; without this script it is there as it is.
"use strict";
for (const box of document.querySelectorAll(".uat-atlas")) {
  const table = box.querySelector("table"), body = table.tBodies[0], rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const read = (cell) => (cell.querySelector("summary") ?? cell).textContent, text = (row, k) => read(row.cells[k]); // what is not folded
  const make = (tag, parts, ...inside) => {
    const element = Object.assign(document.createElement(tag), parts);
    element.append(...inside);
    return element;
  };

  // A verdict at some sizes is one choice, however many these are. A translator may change all words later.
  const kind = (words) => words.replace(/ at (n = .*|\d+ of \d+ sizes)$/, " at some sizes");
  const most = 8, form = make("div", { className: "uat-atlas-form" }), tests = [];
  const word = make("input", { type: "search" });
  tests.push((row) => {
    const words = [...row.cells].map(read).join(" ").toLowerCase();
    return word.value.toLowerCase().split(/\s+/).every((one) => words.includes(one));
  });
  form.append(make("label", {}, "words ", word));
  heads.forEach((head, k) => {
    const kindOf = new Map(rows.map((row) => [row, kind(text(row, k))])), kinds = [...new Set(kindOf.values())].sort();
    if (kinds.length < 2 || kinds.length > most) return;
    const choice = make("select", {}, ...["any", ...kinds].map((name) => make("option", {}, name)));
    tests.push((row) => choice.selectedIndex === 0 || kindOf.get(row) === kinds[choice.selectedIndex - 1]);
    form.append(make("label", {}, `${head.textContent} `, choice));
  });

  const said = make("p", {});
  said.setAttribute("role", "status");
  const filter = () => {
    for (const row of rows) row.hidden = !tests.every((test) => test(row));
    said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} mixers`;
  };
  form.addEventListener("input", filter);
  box.prepend(form, said);
  filter();

  // An address names a mixer: its row is shown, whatever is filtered, with its formula.
  const show = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!rows.includes(row)) return;
    if (row.hidden) {
      form.querySelectorAll("input, select").forEach((field) => { field.value = field.matches("select") ? "any" : ""; });
      filter();
    }
    row.querySelector("details").open = true;
    row.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", show);
  addEventListener("load", show);

  // Rows of equal words keep the order that they had.
  heads.forEach((head, k) => {
    const button = make("button", { type: "button" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => text(a, k).localeCompare(text(b, k), "en", { numeric: true });
      body.append(...rows.sort((a, b) => (down ? order(b, a) : order(a, b))));
    });
  });
}
