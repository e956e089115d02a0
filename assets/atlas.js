// The atlas. A name finds its mixer; a row of the chart shows a card with the pair that fools it, and opens it, with an address of
// its own; the table sorts by its headings and filters. Without this script chart and table are there as they are.
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
  const foldOf = (row) => row.querySelector("details");

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
  for (const [row, link] of links) row.shownBy = link; // of an address (see address.js)
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
  // The address has what is open and what is filtered; most need but one of them.
  const address = (row) => {
    const state = String(new URLSearchParams(Object.entries(fields).filter(([, field]) => field.value).map(([name, field]) => [name, field.value])));
    return location.pathname + location.search + (row || state ? `#${row?.id ?? "atlas"}` : "") + (state && `?${state}`);
  };
  const keep = (row = opened()) => {
    try { history.replaceState(history.state, "", address(row)); } catch { /* a frame without addresses */ }
  };
  form.addEventListener("input", () => { filter(); keep(); });
  all.addEventListener("click", () => { set(new Map()); keep(); fields.name.focus(); });
  box.prepend(form, make("p", {}, count, " ", all));
  filter();

  // What is open, a row or a card, has a button that hands on the address of its mixer.
  const share = async (row, said) => {
    const url = new URL(address(row), location.href).href, title = read(row.cells[0]).trim();
    if (matchMedia("(pointer: coarse)").matches && navigator.share) return void navigator.share({ title, url }).catch(() => {}); // thought better of it
    const copied = await Promise.resolve(navigator.clipboard?.writeText(url).then(() => true)).catch(() => false);
    said.textContent = copied ? "Copied." : url;
  };
  const sharing = (row) => {
    const said = make("output"), button = make("button", { type: "button" }, "Copy this link");
    button.addEventListener("click", () => share(row, said));
    return [" ", button, " ", said];
  };
  box.addEventListener("toggle", ({ target }) => {
    const place = target.lastElementChild;
    if (place.childElementCount < 2) place.append(...sharing(target.closest("tr")));
  }, true);

  // The card of a row of the chart: shown to a pointer and to the focus, as long as they are there. Who presses the row opens it:
  // then it has the focus and an address, and stays; Back closes it, as its cross, Escape and a press beside it do, and Forward opens
  // it again. On a phone it is a sheet.
  // It stands where the row is that was pressed, in the chart or among the answers, and the page stays where it was.
  const card = make("div", { className: "uat-atlas-card", id: "uat-atlas-card", hidden: true, tabIndex: -1 });
  const finder = document.querySelector(".uat-find");
  const hostOf = (link) => (finder.contains(link) ? finder : chart);
  const HEAD = 64; // of the page, in pixels: it stays while all else scrolls
  document.documentElement.style.scrollBehavior = "auto"; // what Back and Forward restore is there when a card opens
  let now = null, stays = false, opener = null, quiet = false, leaves = false;
  const opened = () => (stays ? rowOf(now.hash) : null);
  const place = () => { // below the row, or above it where there is no room; above an answer is the question
    const at = now.getBoundingClientRect(), host = hostOf(now), whole = host.getBoundingClientRect();
    card.style.maxHeight = "";
    const below = innerHeight - at.bottom - 4, above = at.top - HEAD, wide = card.offsetWidth;
    const up = host !== finder && card.offsetHeight > below && below < 260 && above > below;
    card.style.maxHeight = `${Math.max(200, up ? above : below)}px`;
    const top = up ? at.top - card.offsetHeight : at.bottom;
    Object.assign(card.style, { left: `${Math.max(0, Math.min(at.left, whole.right - wide) - whole.left)}px`, top: `${top - whole.top}px` });
  };
  const show = (link, open = false) => {
    if (link === now && open === stays) return;
    now?.removeAttribute("aria-describedby");
    [now, stays, card.hidden] = [link, open, !link];
    if (!link) return;
    hostOf(link).append(card);
    const row = rowOf(link.hash), copy = (selector) => row.querySelector(selector)?.cloneNode(true) ?? "";
    const [formula, ...told] = [...foldOf(row).querySelectorAll("p:not(:last-child)")].map((part) => part.cloneNode(true));
    const words = link.querySelector("small").textContent;
    const cross = make("button", { type: "button", className: "uat-atlas-close" }, "\u00d7");
    cross.setAttribute("aria-label", "Close");
    cross.addEventListener("click", close);
    card.replaceChildren(
      ...(open ? [cross] : []),
      make("p", { className: "uat-atlas-name" }, ...copy("summary").childNodes),
      make("p", {}, make("b", {}, words[0].toUpperCase(), words.slice(1), ".")),
      copy("figure"),
      ...told,
      make("p", {}, make("b", {}, "Why?"), " ", ...row.cells[8].cloneNode(true).childNodes),
      ...(open ? [make("p", {}, make("b", {}, "Formula."), " ", ...(formula?.childNodes ?? []))] : []),
      make("p", {}, make("a", { href: `#${foldOf(row).id}` }, "Its row in the table"), ...(open ? sharing(row) : [])));
    card.dataset.is = row.dataset.is;
    for (const [name, words] of [["role", "dialog"], ["aria-label", text(row, 0).trim()]]) {
      if (open) card.setAttribute(name, words);
      else card.removeAttribute(name);
    }
    link.setAttribute("aria-describedby", card.id);
    card.scrollTop = 0;
    place();
  };
  const open = (link, from = link, comes = false) => {
    opener = from;
    show(link, true);
    const { top, bottom } = link.getBoundingClientRect(), sheet = getComputedStyle(card).position === "fixed";
    card.style.maxHeight = "";
    const answer = !sheet && hostOf(link) === finder, room = sheet ? card.getBoundingClientRect().top : innerHeight - (answer ? card.offsetHeight + 4 : 0);
    const most = answer ? asks.getBoundingClientRect().top - HEAD : Infinity; // the question stays in view
    if (comes) link.scrollIntoView({ behavior: "instant" });
    else if (top < HEAD) scrollBy({ top: top - HEAD, behavior: "instant" });
    else if (bottom > room) scrollBy({ top: Math.min(bottom - room, most), behavior: "instant" }); // as far as it takes to see the row, no more
    place();
    card.focus({ preventScroll: true });
  };
  const shut = () => {
    show(null);
    quiet = true;
    opener.focus({ preventScroll: true });
    quiet = false;
  };
  const close = () => {
    if (!stays) return show(null);
    const stepped = history.state?.sheet;
    shut();
    if (!stepped) return keep();
    leaves = true;
    history.back();
  };
  // One step in the history, however many are opened one after another.
  const go = (link, from = link) => {
    const row = rowOf(link.hash);
    try {
      if (stays) keep(row);
      else history.pushState({ ...history.state, sheet: true }, "", address(row));
    } catch { /* a frame without addresses */ }
    open(link, from);
  };

  const of = ({ target }) => target.closest(".uat-chart li a");
  chart.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse" && !stays && !card.contains(event.target)) show(of(event));
  });
  chart.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse" && !stays) show(null); });
  chart.addEventListener("focusin", (event) => {
    const link = of(event);
    if (!link?.matches(":focus-visible") || quiet) return;
    if (stays) keep(rowOf(link.hash)); // the card goes along
    [opener] = [link, show(link, stays)];
  });
  chart.addEventListener("focusout", ({ relatedTarget }) => { if (!stays && relatedTarget && !chart.contains(relatedTarget)) show(null); });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") close(); });
  addEventListener("pointerdown", ({ target }) => { if (!stays && !chart.contains(target)) show(null); }, true);
  addEventListener("resize", () => { if (now) place(); });
  // What a press beside the card does of its own is not undone by a step back.
  addEventListener("click", ({ target }) => { if (stays && !target.closest(".uat-atlas-card, a, button, summary, label, input, select")) close(); });
  const press = (event) => {
    const link = event.target.closest("li a");
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link) {
      event.preventDefault();
      return void go(link, event.detail || link === document.activeElement ? link : asks); // Enter in the field
    }
    const within = card.contains(event.target) && event.target.closest("a");
    if (stays || !within) return;
    event.preventDefault();
    go(now); // so that Back leads to the card
    location.assign(within.href);
  };

  // A name, or what else a mixer is called, finds it, by whole words or their beginnings; a name that is no mixer of the atlas finds
  // what is said of it, and the mixers nearest to it. Each is a row of the chart once more.
  const MOST = 6, typed = document.querySelector("#try-yours .uat-move");
  const asks = make("input", { type: "search", id: "uat-find", placeholder: "Mamba, MLA, linear attention", autocomplete: "off", spellcheck: false });
  const answers = make("ul", {}), heard = make("p", {});
  const plain = (words) => ` ${words.normalize("NFD").toLowerCase().replace(/[\u0300-\u036f]/g, "").replace(/[^a-z0-9]+/g, " ").trim()}`;
  const phrases = (name, also) => [name, ...(also ? also.split(", ") : [])].map(plain);
  const said = rows.map((row) => {
    const own = text(row, 0);
    return { row, names: phrases(links.get(row).querySelector("span").textContent, row.dataset.also), all: plain(own) };
  });
  const others = [...document.querySelectorAll(".uat-others > p")].map((place) => (
    { place, names: phrases(place.querySelector("b").textContent, place.dataset.also), all: "" }));
  const find = () => {
    if (stays && hostOf(now) === finder) close();
    const words = plain(asks.value).split(" ").filter(Boolean), one = words.join(""), joined = (name) => name.replaceAll(" ", "");
    // The name itself, be it written in one word or two; its beginning; words of one name; then its authors and year.
    const ranks = [
      ({ names }) => names.some((name) => joined(name) === one),
      ({ names }) => names.some((name) => joined(name).startsWith(one)),
      ({ names }) => names.some((name) => words.every((word) => name.includes(` ${word}`))),
      ({ all }) => words.every((word) => all.includes(` ${word}`)),
    ];
    const ranked = (some) => (words.length ? some : []).map((each) => ({ ...each, rank: ranks.findIndex((fits) => fits(each)) }))
      .filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
    const own = ranked(said), known = one.length < 3 ? [] : ranked(others).filter(({ rank }) => !own[0] || rank < own[0].rank || !rank).slice(0, 2);
    const near = known.flatMap(({ place }) => [...place.querySelectorAll("a")].map((link) => rowOf(link.hash)));
    const found = [...new Set([...own.filter(({ rank }) => !known.length || rank < 2).map(({ row }) => row), ...near])];
    answers.replaceChildren(...found.slice(0, MOST).map((row) => {
      const link = links.get(row).cloneNode(true);
      link.removeAttribute("aria-describedby");
      return make("li", {}, link);
    }));
    const yours = () => [...(typed ? [make("a", { href: typed.href }, "Type its kernel"), ", or "] : []), make("a", { href: "#try-yours" }, "ask about yours")];
    heard.replaceChildren(...(!words.length ? [] : known.length ? [...known.flatMap(({ place }) => [
        make("b", {}, place.querySelector("b").textContent), "same" in place.dataset ? ": " : ", not asked yet: ", place.querySelector("span").textContent, " "]),
      ...(found.length ? [] : yours())] // what it is, or what is nearest, stands below
      : found.length ? [`${found.length} of ${rows.length} mixers${found.length > MOST ? ", the first of them:" : ":"}`]
      : ["Not among them, nor among the names that we know of. ", ...yours()]));
    after.replaceChildren(...(known.length && found.length ? ["Those are the nearest, or the same. ", ...yours()] : []));
  };
  const after = make("p", {});
  heard.setAttribute("role", "status");
  finder.append(make("label", { htmlFor: asks.id }, "Is yours fooled? ", make("small", {}, "asked without feed-forward layers")), asks, heard, answers, after);
  asks.addEventListener("input", find);
  asks.value = new URLSearchParams(location.search).get("q") ?? ""; // what a door was given
  find();
  finder.addEventListener("keydown", (event) => {
    const all = [asks, ...answers.querySelectorAll("a")], at = all.indexOf(event.target), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && event.target === asks) all[1]?.[all.length > 2 ? "focus" : "click"](); // several match: the list stays
    else if (step && at >= 0) all[at + step]?.focus();
    else return;
    event.preventDefault();
  });
  for (const part of [chart, finder]) part.addEventListener("click", press);

  // An address names a mixer, whose card opens; its row in the table, which opens whatever was filtered; or a filter.
  const follow = ({ type }) => {
    const hash = location.hash.includes("?") ? location.hash : decoded(location.hash), [name, state = ""] = hash.split("?");
    const row = rowOf(name), line = rows.find((one) => `#${foldOf(one).id}` === name), back = leaves;
    leaves = false;
    if (row || name === "#atlas") set(new URLSearchParams(state));
    if (row) { // Forward opens it where it was
      const link = [now, opener, ...(opener === asks ? answers.querySelectorAll("a") : [])].find((one) => one?.hash === name && one.isConnected);
      return open(link ?? links.get(row), opener === asks && link ? asks : undefined, type === "load");
    }
    if (stays && !line) return shut();
    show(null);
    if (line) {
      if (line.hidden) set(new Map());
      foldOf(line).open = true;
      line.scrollIntoView({ block: "center", behavior: "instant" }); // past the whole page, which would take long
      if (type !== "load") line.querySelector("summary").focus({ preventScroll: true });
    } else if (name === "#atlas" && state && !back) {
      form.scrollIntoView({ behavior: "instant" });
      if (type !== "load") fields.verdict.focus({ preventScroll: true });
    }
  };
  addEventListener("hashchange", follow);
  addEventListener("load", follow);

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
