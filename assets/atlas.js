// The atlas. A row of its chart shows a card with the pair that fools the mixer, and leads to the row of the table, which opens;
// the table sorts by its headings and filters. Without this script both are there as they are.
"use strict";
{
  const box = document.querySelector(".uat-atlas"), chart = document.querySelector(".uat-chart");
  const table = box.querySelector("table"), body = table.tBodies[0], rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const read = (cell) => (cell.querySelector("summary") ?? cell).textContent, text = (row, k) => read(row.cells[k]); // what is not folded
  const make = (tag, parts, ...inside) => {
    const element = Object.assign(document.createElement(tag), parts);
    element.append(...inside);
    return element;
  };
  const decoded = (words) => { try { return decodeURIComponent(words); } catch { return words; } };
  const rowOf = (hash) => rows.find((row) => row.id === decoded(hash.slice(1)));

  // The filter. Its address is written as that of an explorer's setting. A translator may change all words later.
  const KINDS = { fooled: "fooled", part: "fooled in part", apart: "told all apart" };
  const families = [...new Set(rows.map((row) => text(row, 1)))];
  const option = ([value, words]) => make("option", { value }, words);
  const fields = {
    name: make("input", { type: "search" }),
    verdict: make("select", {}, ...[["", "any"], ...Object.entries(KINDS)].map(option)),
    family: make("select", {}, ...[["", "any"], ...families.map((words) => [words, words])].map(option)),
  };
  const asked = new Map(rows.map((row) => [row, { name: text(row, 0).toLowerCase(), verdict: row.dataset.is, family: text(row, 1) }]));
  const fits = (row) => {
    const { name, verdict, family } = fields, its = asked.get(row), any = (field, value) => !field.value || field.value === value;
    return any(verdict, its.verdict) && any(family, its.family)
      && name.value.toLowerCase().split(/\s+/).every((word) => its.name.includes(word));
  };
  const form = make("div", { className: "uat-atlas-form" },
    ...Object.entries(fields).map(([name, field]) => make("label", {}, `${name} `, field)));
  const count = make("span"), all = make("button", { type: "button" }, "Show all");
  count.setAttribute("role", "status");
  const links = new Map([...chart.querySelectorAll("li a")].map((link) => [rowOf(link.hash), link]));
  const filter = () => {
    for (const row of rows) {
      row.hidden = !fits(row);
      links.get(row).classList.toggle("uat-out", row.hidden);
    }
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} mixers`;
    all.hidden = Object.values(fields).every((field) => !field.value);
  };
  const set = (state) => {
    for (const [name, field] of Object.entries(fields)) {
      field.value = state.get(name) ?? "";
      if (field.selectedIndex < 0) field.selectedIndex = 0; // a value that there is not
    }
    filter();
  };
  const keep = () => {
    const state = new URLSearchParams(Object.entries(fields).filter(([, field]) => field.value).map(([name, field]) => [name, field.value]));
    const here = location.pathname + location.search;
    try { history.replaceState(history.state, "", here + (String(state) && `#atlas?${state}`)); } catch { /* a frame without addresses */ }
  };
  form.addEventListener("input", () => { filter(); keep(); });
  all.addEventListener("click", () => { set(new Map()); keep(); fields.name.focus(); });
  box.prepend(form, make("p", {}, count, " ", all));
  filter();

  // An address names a mixer, whose row is shown, whatever was filtered, or a filter. Back leads to where one was in the chart.
  let from = null;
  const follow = ({ type }) => {
    const hash = location.hash.includes("?") ? location.hash : decoded(location.hash), row = rowOf(hash);
    if (row) {
      if (row.hidden) set(new Map());
      row.querySelector("details").open = true;
      row.scrollIntoView({ block: "center", behavior: "instant" }); // past the whole page, which would take long
      if (type !== "load") row.querySelector("summary").focus({ preventScroll: true });
    } else if (hash.startsWith("#atlas?")) {
      set(new URLSearchParams(hash.slice(7)));
      box.scrollIntoView({ behavior: "instant" });
      if (type !== "load") fields.verdict.focus({ preventScroll: true });
    } else if (!hash && from) {
      scrollTo({ top: from.top, behavior: "instant" });
      from.link.focus({ preventScroll: true });
      from = null;
    }
  };
  addEventListener("hashchange", follow);
  addEventListener("load", follow);

  // A row that is open has a button that hands on its address.
  const share = async (row, said) => {
    const url = `${location.href.split("#")[0]}#${row.id}`, title = read(row.cells[0]).trim();
    if (matchMedia("(pointer: coarse)").matches && navigator.share) return void navigator.share({ title, url }).catch(() => {}); // thought better of it
    const copied = await Promise.resolve(navigator.clipboard?.writeText(url).then(() => true)).catch(() => false);
    said.textContent = copied ? "Copied." : url;
  };
  box.addEventListener("toggle", ({ target }) => {
    const place = target.lastElementChild;
    if (place.childElementCount > 1) return;
    const said = make("output"), button = make("button", { type: "button" }, "Copy this link");
    button.addEventListener("click", () => share(target.closest("tr"), said));
    place.append(" ", button, " ", said);
  }, true);

  // The card of a row of the chart: shown to a pointer, to the focus, and to a finger, which follows the link when it comes again.
  const card = make("div", { className: "uat-atlas-card", id: "uat-atlas-card", hidden: true });
  chart.append(card);
  let now = null, before = null, finger = false;
  const show = (link) => {
    if (link === now) return;
    now?.removeAttribute("aria-describedby");
    now = link;
    card.hidden = !link;
    if (!link) return;
    const row = rowOf(link.hash), copy = (selector) => row.querySelector(selector)?.cloneNode(true) ?? "";
    card.replaceChildren(
      make("p", { className: "uat-atlas-name" }, ...copy("summary").childNodes),
      make("p", {}, make("b", {}, link.querySelector("svg").getAttribute("aria-label"), "."), " ", copy(".uat-reason")),
      copy("figure"),
      make("p", {}, make("a", { href: link.hash }, "Its row in the table")));
    link.setAttribute("aria-describedby", card.id);
    const at = link.getBoundingClientRect(), whole = chart.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: high } = card;
    const top = at.bottom + high < innerHeight || at.top < high ? at.bottom : at.top - high;
    Object.assign(card.style, { left: `${Math.max(0, Math.min(at.left, whole.right - wide) - whole.left)}px`, top: `${top - whole.top}px` });
  };
  const of = ({ target }) => target.closest(".uat-chart li a");
  chart.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse" && !card.contains(event.target)) show(of(event));
  });
  chart.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse") show(null); });
  chart.addEventListener("focusin", (event) => { if (of(event)?.matches(":focus-visible") || finger) show(of(event) ?? now); });
  chart.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !chart.contains(relatedTarget)) show(null); });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") show(null); });
  addEventListener("pointerdown", ({ target, pointerType }) => {
    [finger, before] = [pointerType === "touch", now];
    if (!chart.contains(target)) show(null);
  }, true);
  chart.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (finger && link && link === of(event) && link !== before) {
      event.preventDefault();
      return show(link);
    }
    if (!link) return;
    from = { link: links.get(rowOf(link.hash)), top: scrollY };
    show(null);
    if (link.hash === location.hash) follow(event);
  });

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
