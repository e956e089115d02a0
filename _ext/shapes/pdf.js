// Joins the pages of the built book to one document for paper. Its caller says which version it is, and whether solutions
// are wanted; where the book is online, its front page says, if it may be told.

const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
const made = (tag, fields = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...inside);
  return element;
};
const copied = (nodes) => [...nodes].map((node) => document.importNode(node, true));

/** What a page has and paper cannot: what is pressed, what runs, what folds, ways to where the reader is. */
const GONE = "script, noscript, button, .actions, details.hide.above-input, details.hide > summary, .katex-mathml, .uat-solved, .uat-link-maker, .sd-summary-state-marker, .uat-way, .uat-stairs ol";
/** Links whose page nobody looks for: terms stand in the glossary, works in the references, each in its order. */
const UNNUMBERED = ".uat-term, .bibtex-citation a, [href^='#references/']";
/** From this number on, certificates are the entries of a list, of which a line each is enough. */
const ENTRIES = 50;

/** The pages of the menu, in its order, with what stands above their parts. */
async function pages() {
  const root = parsed(await (await fetch("index.html")).text());
  const found = [];
  for (const list of root.querySelectorAll("nav.bd-docs-nav ul.bd-sidenav")) {
    const part = list.previousElementSibling?.textContent.trim();
    for (const link of list.querySelectorAll("a")) {
      const file = link.getAttribute("href") === "#" ? "index.html" : link.getAttribute("href");
      const source = file === "index.html" ? root : parsed(await (await fetch(file)).text());
      const article = document.importNode(source.querySelector("article.bd-article"), true);
      const trip = Boolean(link.closest(".toctree-l2"));
      const entry = { part: found.some((page) => page.part === part) ? undefined : part };
      found.push({ ...entry, name: file.replace(/\.html$/, ""), title: copied(link.childNodes), trip, article });
    }
  }
  const sheets = copied(root.querySelectorAll("link[rel=stylesheet]"));
  const online = root.querySelector("link[rel=canonical]")?.href;
  return { found, sheets, online, by: root.querySelector(".component-author")?.textContent.replace(/^\s*By\s/, "").trim(), title: root.title };
}

/** Give the places of a page names that no other page has, let it name them so, and list them. */
function own(page, places) {
  const { name, article } = page;
  for (const element of article.querySelectorAll("[id]")) {
    element.id = `${name}/${element.id}`;
    places.set(element.id, element);
  }
  article.id = name;
  places.set(name, article);
  for (const element of article.querySelectorAll("svg, svg *")) {
    for (const attribute of element.attributes) {
      if (attribute.localName === "href") attribute.value = attribute.value.replace(/^#/, `#${name}/`);
      else attribute.value = attribute.value.replace(/url\((['"]?)#/g, `url($1#${name}/`);
    }
  }
  for (const input of article.querySelectorAll("[name]")) input.name = `${name}/${input.name}`;
  for (const image of article.querySelectorAll("img")) {
    image.loading = "eager";
    image.src = new URL(image.getAttribute("src"), new URL(name, location.origin));
  }
}

/** Let links lead to places of this document, else to the book online, else nowhere. Words that move a picture lead to it from other pages. */
function link(page, places, online) {
  for (const anchor of page.article.querySelectorAll("a[href]")) {
    const to = new URL(anchor.getAttribute("href"), new URL(`${page.name}.html`, location.origin));
    if (to.origin !== location.origin) continue;
    const file = decodeURIComponent(to.pathname.slice(1)).replace(/\.html$/, "");
    const [hash, setting] = decodeURIComponent(to.hash.slice(1)).split("?");
    const place = hash ? `${file}/${hash}` : file;
    const known = setting && file === page.name ? undefined : places.get(place);
    if (known?.contains(anchor) && place !== page.name && known !== anchor) anchor.replaceWith(...anchor.childNodes);
    else if (known) anchor.href = `#${place}`;
    else if (places.has(file) && !setting) anchor.href = `#${file}`;
    else if (online) anchor.href = new URL(to.pathname.slice(1) + to.hash, online);
    else anchor.replaceWith(...anchor.childNodes);
  }
}

/** What a control stands at, in words: on paper nobody moves it. */
function stands(control) {
  const field = control.querySelector("select, input:checked, input");
  const said = { radio: () => field.nextElementSibling.textContent, range: () => control.querySelector("output").textContent, checkbox: () => (field.checked ? "yes" : "no") };
  const value = field.selectedOptions ? field.selectedOptions[0].textContent : (said[field.type] ?? (() => field.value))();
  return `${control.querySelector(".name").textContent.replace(/ =$/, "")}: ${value}`;
}

/** Open what folds, take out what only a screen has, and say where pictures move and answers are judged. */
function flatten(page, online) {
  const { name, article } = page;
  for (const sign of article.querySelectorAll(".headerlink")) sign.remove();
  for (const picture of article.querySelectorAll(".uat-explorer, .uat-check")) {
    const id = picture.id.slice(name.length + 1);
    const what = picture.matches(".uat-check") ? "Your answer is judged" : "This picture moves";
    const address = new URL(`${name}.html#${id}`, online ?? location.origin);
    const where = online ? made("a", { href: address }, address.href) : `the page “${page.article.querySelector("h1").textContent}” of the book on screen`;
    const line = made("p", { className: "uat-online" }, `${what} on `, where);
    if (picture.matches(".uat-check")) picture.replaceWith(line);
    else picture.append(line);
    for (const controls of picture.querySelectorAll(".controls")) {
      controls.replaceWith(made("p", {}, [...controls.querySelectorAll(".control:not([hidden])")].map(stands).join("; ")));
    }
  }
  // What reads a PDF aloud has no use for MathML, which is as long again as what is seen.
  for (const formula of article.querySelectorAll(".katex")) {
    formula.role = "img";
    formula.ariaLabel = formula.querySelector("annotation").textContent;
  }
  for (const deck of online ? [] : article.querySelectorAll("a[href*='slides/']")) {
    deck.previousSibling.data = deck.previousSibling.data.replace(/ \($/, "");
    deck.nextSibling.data = deck.nextSibling.data.replace(/^\)/, "");
    deck.remove();
  }
  for (const element of article.querySelectorAll(GONE)) element.remove();
  const certificates = article.querySelectorAll("details.uat-certificate");
  for (const certificate of certificates.length < ENTRIES ? [] : certificates) {
    certificate.replaceChildren(certificate.querySelector("summary"));
  }
  for (const fold of article.querySelectorAll("details")) fold.open = true;
  for (const fold of article.querySelectorAll("details.hide")) fold.replaceWith(...fold.childNodes);
  for (const heading of article.querySelectorAll("h1, h2, h3, h4")) heading.ariaLevel = Number(heading.tagName[1]) + 1;
}

/** Take the solutions of a page out; each as it will stand at the end, unless none are wanted. */
function solutions({ article }, wanted) {
  const taken = [];
  for (const solution of article.querySelectorAll(".solution")) {
    let exercise = solution;
    while (exercise && !exercise.matches(".exercise")) exercise = exercise.previousElementSibling;
    const title = solution.querySelector(".admonition-title");
    if (exercise) {
      const named = exercise.querySelector(".admonition-title").cloneNode(true);
      title.replaceChildren(made("a", { href: `#${exercise.id}` }, named.textContent.trim()));
      const there = made("p", { className: "uat-online" }, made("a", { href: `#${solution.id}` }, "Solution"));
      if (wanted) solution.before(there);
    }
    solution.remove();
    if (wanted) taken.push(solution);
  }
  return taken;
}

/** Keep on a page what belongs together: an exercise with its hint, a question with the picture that answers it. */
function together(article) {
  const box = (className, ...inside) => {
    const found = made("div", { className });
    inside[0].before(found);
    found.append(...inside);
  };
  for (const exercise of article.querySelectorAll(".exercise")) {
    const parts = [exercise];
    while (parts.at(-1).nextElementSibling?.matches(".uat-online, .hint")) parts.push(parts.at(-1).nextElementSibling);
    box("uat-task", ...parts);
  }
  for (const cell of article.querySelectorAll("div.cell:has(.uat-explorer)")) {
    const parts = [cell];
    if (cell.previousElementSibling?.matches(".uat-guess")) parts.unshift(cell.previousElementSibling);
    const asks = parts[0].previousElementSibling;
    if (asks?.matches("p") && /Predict/.test(asks.querySelector("strong")?.textContent)) box("uat-together", asks, ...parts);
  }
}

/** Leave room for the page's number after each link within the document. */
function referred(main) {
  for (const anchor of main.querySelectorAll(`a[href^="#"]:not(${UNNUMBERED})`)) {
    const listed = anchor.closest(".uat-contents");
    const number = listed ? made("span") : made("a", { href: anchor.getAttribute("href") }, "\u00a0p.\u00a0");
    number.className = "uat-page";
    const digits = made("span");
    digits.dataset.page = decodeURIComponent(anchor.getAttribute("href").slice(1));
    number.append(digits);
    if (listed) anchor.append(number);
    else anchor.after(number);
  }
}

/** Write the numbers of pages where they belong; a guess where one is not known. */
function number(pages, root = document) {
  for (const place of root.querySelectorAll("[data-page]")) place.textContent = pages[place.dataset.page] ?? "000";
}

async function join({ version, wanted, style }) {
  const { found, sheets, online, by, title } = await pages();
  const places = new Map();
  document.title = title.replace(/^.*?\u2014 /, "");
  const main = made("main");
  const contents = made("ol");
  const margins = [];
  const line = (id, className, ...inside) => contents.append(made("li", { className }, made("a", { href: `#${id}` }, ...inside)));
  const part = (name) => {
    const id = `part-${main.querySelectorAll(".uat-part").length + 1}`;
    line(id, "uat-part", name);
    main.append(made("section", { id, className: "uat-part" }, made("h1", {}, name)));
  };
  const placed = (page, header) => {
    const css = `page-${margins.length}`;
    page.style.page = css;
    margins.push(`@page ${css} { @top-left { content: ${JSON.stringify(header)}; } }`);
    main.append(page);
  };
  for (const page of found) {
    own(page, places);
    if (page.part) part(page.part);
    placed(page.article, page.title.map((node) => node.textContent).join("").replace(/\s+/g, " ").trim());
    line(page.name, page.trip ? "uat-trip" : "", ...copied(page.title));
  }
  for (const page of found) {
    flatten(page, online);
    link(page, places, online);
  }
  const solved = found.map((page) => [page, solutions(page, wanted)]).filter(([, taken]) => taken.length);
  for (const { article } of found) together(article);
  if (solved.length) {
    part("Solutions");
    const end = made("article", { className: "bd-article uat-solutions" });
    for (const [page, taken] of solved) {
      const id = `solutions/${page.name}`;
      const heading = made("h2", { ariaLevel: 2 }, ...copied(page.article.querySelector("h1").childNodes));
      end.append(made("section", { id }, heading, ...taken));
      line(id, "uat-trip", ...copied(heading.childNodes));
    }
    placed(end, "Solutions");
  }
  const [first, rest] = document.title.split(/(?<=:) /);
  const address = online ? [made("p", {}, made("a", { href: online }, online))] : [];
  main.prepend(
    made("section", { className: "uat-title" },
      made("h1", {}, first, ...(rest ? [made("small", {}, rest)] : [])),
      made("p", {}, by ?? ""), made("p", {}, `Version ${version}`), ...address),
    made("nav", { className: "uat-contents bd-article" }, made("h1", {}, "Contents"), contents),
  );
  referred(main);
  number({}, main);
  document.head.append(...sheets, made("style", {}, style, margins.join("\n")));
  document.body.append(main);
  await Promise.all(sheets.map((sheet) => sheet.sheet ?? new Promise((then) => sheet.addEventListener("load", then))));
  await Promise.all([...document.fonts].map((font) => font.load()));
  await Promise.all([...document.images].map((image) => image.decode()));
}
