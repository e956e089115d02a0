// What the theme's scripts do for these pages, in a tenth of their size, and without laying each page out again and again:
// the colours, the search, both side bars, menus, the full screen, and the list of contents that follows the reader.
"use strict";
{
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const all = (selector) => document.querySelectorAll(selector), one = (selector) => document.querySelector(selector);
  const stored = (store, name) => { try { return window[store].getItem(name); } catch { return null; } };
  const store = (where, name, value) => { try { window[where].setItem(name, value); } catch { /* a private window */ } };
  const idle = window.requestIdleCallback ?? ((task) => setTimeout(task, 200));

  // Light, dark, or as the system has it.
  const paint = (mode) => {
    const theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
    Object.assign(root.dataset, { mode, theme });
    store("localStorage", "mode", mode);
  };
  const mode = () => (["light", "dark"].includes(root.dataset.mode) ? root.dataset.mode : "auto");
  paint(mode());
  dark.addEventListener("change", () => paint(mode()));
  for (const button of all(".theme-switch-button")) button.addEventListener("click", () => {
    const modes = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    paint(modes[(modes.indexOf(mode()) + 1) % 3]);
  });

  // The search: over the page, or where the page has a form of its own.
  const over = one(".search-button__wrapper");
  const input = one("div:not(.search-button__search-container) > form.bd-search input") ?? over?.querySelector("input");
  const search = () => {
    if (over.contains(input)) over.classList.toggle("show");
    if (document.activeElement === input) return input.blur();
    input.focus();
    input.select();
  };
  // Enter leads to the results also in a frame that allows no forms, and would send nothing.
  for (const form of all("form.bd-search")) form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const there = new URL(form.action);
    [there.search, there.hash] = [new URLSearchParams(new FormData(form)), ""];
    location.assign(there);
  });
  const apple = /Mac|iPhone|iPad/.test(navigator.platform);
  if (apple) for (const key of all(".kbd-shortcut__modifier")) key.textContent = "\u2318";
  for (const button of all(".search-button__button, .search-button__overlay")) button.addEventListener("click", search);
  addEventListener("keydown", (event) => {
    const command = apple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (event.key.toLowerCase() === "k" && command && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      search();
    } else if (event.key === "Escape" && over?.classList.contains("show")) search();
  }, true);

  // On a phone the head of the page keeps menu, place and search; all its other buttons stand in the drawer.
  const [tools, drawer] = [one(".article-header-buttons"), one(".bd-sidebar-primary")];
  if (tools && drawer) {
    const parts = [...tools.children], rest = parts.filter((part) => !part.matches(".search-button"));
    const [box, narrow] = [document.createElement("div"), matchMedia("(max-width: 36rem)")];
    const place = () => (narrow.matches ? box.append(...rest) : tools.append(...parts));
    box.className = "uat-tools";
    drawer.prepend(box);
    if (narrow.matches) place();
    narrow.addEventListener("change", place);
  }

  // Side bars that open over the page.
  for (const name of ["primary", "secondary"]) {
    const [bar, button, open] = [one(`.bd-sidebar-${name}`), one(`.${name}-toggle`), one(`#pst-${name}-sidebar-checkbox`)];
    if (!bar || !button || !open) continue;
    button.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (button.closest(".uat-tools")) one("#pst-primary-sidebar-checkbox").checked = false;
      open.checked = !open.checked;
      if (open.checked) setTimeout(() => bar.querySelector("a, button")?.focus(), 100);
    });
    const back = () => (button.closest(".uat-tools") ? one(".primary-toggle") : button).focus();
    open.addEventListener("change", () => { if (!open.checked) back(); });
    bar.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !open.checked) return;
      open.checked = false;
      back();
    });
  }

  // Menus of the header.
  const menus = [...all("[data-bs-toggle=dropdown]")].map((button) => [button, button.nextElementSibling]);
  const set = ([button, menu], open) => {
    for (const element of [button, menu]) element.classList.toggle("show", open);
    button.setAttribute("aria-expanded", String(open));
  };
  for (const menu of menus) {
    const [button, list] = menu;
    button.addEventListener("click", () => set(menu, !list.classList.contains("show")));
    button.parentElement.addEventListener("keydown", (event) => {
      const items = [...list.querySelectorAll(".dropdown-item")], at = items.indexOf(document.activeElement);
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        set(menu, true);
        items[(at + step + items.length + (at < 0 && step < 0)) % items.length].focus();
      } else if (event.key === "Escape" && list.classList.contains("show")) {
        set(menu, false);
        button.focus();
      }
    });
  }
  addEventListener("click", ({ target }) => menus.forEach((menu) => { if (!menu[0].parentElement.contains(target)) set(menu, false); }));

  for (const button of all("[data-fullscreen]")) {
    button.hidden = !document.fullscreenEnabled;
    button.addEventListener("click", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else root.requestFullscreen();
    });
  }

  for (const button of all("[data-print]")) button.addEventListener("click", () => print());

  // The header has a shadow once the page has moved.
  const top = one(".sbt-scroll-pixel-helper");
  if (top) new IntersectionObserver(([{ boundingClientRect: { y } }]) => document.body.classList.toggle("scrolled", y < 0)).observe(top);

  // The list of contents marks the last section that begins in the upper part of the screen, or above.
  const links = new Map([...all(".bd-toc-nav a[href^='#']")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const sections = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const seen = new Set();
  const follow = () => {
    const here = sections.filter((section) => seen.has(section)).at(-1);
    const current = links.get(here?.id) ?? null;
    for (const link of links.values()) {
      link.classList.toggle("active", link === current);
      link.parentElement.classList.toggle("active", link.parentElement.contains(current)); // what holds it stays unfolded
      if (link === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const spy = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target);
    follow();
  }, { rootMargin: "0px 0px -60%" });
  sections.forEach((section) => spy.observe(section));

  // The book's list of pages stands where the reader left it.
  const bar = one(".bd-sidebar-primary");
  addEventListener("pagehide", () => { if (bar) store("sessionStorage", "sidebar-scroll-top", bar.scrollTop); });

  // Sections below are laid out one after another when the page has been drawn; at once where an address leads below.
  const below = [...all(".bd-article > section > section")];
  const lay = () => {
    below.shift()?.classList.add("uat-laid");
    if (below.length) requestAnimationFrame(() => idle(lay));
  };
  const whole = () => { root.dataset.whole = ""; };
  const lead = () => addressed(location.hash)?.scrollIntoView({ behavior: "instant" });
  if (location.hash) whole();
  else addEventListener("load", () => idle(lay));
  // All is laid out before the browser asks how far it is, or else it is asked again; so it is where a link was followed before
  // this script came.
  addEventListener("click", ({ target }) => { if (addressed(target.closest?.("a[href^='#']")?.hash ?? "")) whole(); }, true);
  addEventListener("hashchange", () => {
    if ("whole" in root.dataset) return;
    whole();
    lead();
  });
  const moved = new AbortController(), until = { signal: moved.signal, passive: true };
  for (const name of ["wheel", "touchmove", "keydown"]) addEventListener(name, () => moved.abort(), until);
  addEventListener("load", () => {
    if (performance.getEntriesByType?.("navigation")[0]?.type !== "navigate") return; // on the way back the browser knows the place
    const grows = new ResizeObserver(lead); // folds shut and pictures start within a second
    grows.observe(one(".bd-article") ?? root);
    const end = () => grows.disconnect();
    moved.signal.addEventListener("abort", end);
    setTimeout(end, 1000);
  }, until);

  // A picture that stays above the words that move it: where its drawing is in its card, how much of the screen it gets, and whether
  // the words have come to it. A drawing that is too high gets smaller, but not too small to be read: its upper part is left.
  for (const group of all(".uat-stay")) {
    const [cell, words] = group.children, part = (/\btag_part-(\d+)/.exec(cell.className)?.[1] ?? 100) / 100; // of the drawing, from its top
    const place = () => cell.querySelector(".uat-view, .uat-first")?.shadowRoot ?? cell, drawing = () => place().querySelector(".stage, .pictures");
    const told = Object.assign(document.createElement("div"), { className: "uat-told", ariaHidden: "true" }); // the read-out's first line
    const hear = new MutationObserver(() => say());
    const say = () => {
      const readout = place().querySelector(".readout");
      for (const node of [cell, readout]) if (node) hear.observe(node, { childList: true, characterData: true, subtree: true });
      told.textContent = readout?.textContent.split("\n")[0] ?? "";
    };
    let watch, head = 0, line = 0;
    words.prepend(told);
    const put = (element, sizes) => { for (const [name, size] of Object.entries(sizes)) element.style.setProperty(`--${name}`, `${size}px`); };
    const measure = () => {
      for (const element of [group, cell]) element.removeAttribute("style");
      const { top, height } = drawing().getBoundingClientRect(), tall = height * part, above = top - cell.getBoundingClientRect().top;
      if (!height) return watch?.disconnect(); // where there is no room, or in a fold that is closed
      head = one(".bd-header-article")?.offsetHeight ?? 0;
      if (getComputedStyle(group).display === "contents") { // it stands beside its words, and is smaller on a low screen
        const fit = Math.min(1, (root.clientHeight - head - 12) / tall);
        put(cell, { above, top: Math.max(head + 4 - above, Math.min(head + 16, root.clientHeight - 8 - above - height)) });
        if (fit < 1) cell.style.scale = fit;
        line = root.clientHeight;
        return watch?.disconnect();
      }
      const room = root.clientHeight / 2 - head - 30;
      const fit = Math.min(1, Math.max(room / tall, Math.min(0.7, room / (0.62 * tall)))), shown = Math.min(room, tall * fit);
      const below = cell.offsetHeight - above - shown;
      put(group, { head, above, below, shown, cut: cell.offsetHeight - above - shown / fit });
      group.style.setProperty("--fit", fit);
      group.style.setProperty("--fade", shown < tall * fit - 1 ? "1.6rem" : "0px");
      say();
      line = head + shown;
      watch?.disconnect();
      watch = new IntersectionObserver(([{ isIntersecting }]) => group.classList.toggle("uat-pinned", isIntersecting),
        { rootMargin: `100000px 0px ${line - innerHeight}px` });
      watch.observe(words);
    };
    new ResizeObserver(measure).observe(cell);
    addEventListener("resize", measure);
    // What has the focus is never behind band or words: then the card is one of the text. What is pressed is seen, and stays where it is.
    let pressed = false;
    cell.addEventListener("pointerdown", () => { pressed = true; }, true);
    for (const name of ["pointerup", "pointercancel", "keydown"]) addEventListener(name, () => { pressed = false; }, true);
    cell.addEventListener("focusin", (event) => {
      if (pressed) return;
      const { top, bottom } = event.composedPath()[0].getBoundingClientRect();
      if (top >= head && bottom <= Math.max(line, words.getBoundingClientRect().top) + 1) return;
      group.classList.add("uat-free");
      event.composedPath()[0].scrollIntoView({ block: "center", behavior: "instant" });
    });
    cell.addEventListener("focusout", ({ relatedTarget }) => { if (!cell.contains(relatedTarget)) group.classList.remove("uat-free"); });
  }

  // Boxes that scroll, whenever they are laid out: a keyboard stops at these, and what is cut off at the right fades.
  const boxes = new ResizeObserver((entries) => {
    const found = entries.map(({ target: box }) => [box.scrollWidth > box.clientWidth + 1,
      box.scrollHeight > box.clientHeight && !box.matches(".uat-scroll")]);
    entries.forEach(({ target: box }, at) => {
      box.tabIndex = found[at].some(Boolean) ? 0 : -1;
      box.classList.toggle("uat-wide", found[at][0]);
    });
  });
  const watch = () => {
    boxes.disconnect();
    for (const box of all("pre, .cell_output > .output, .uat-scroll, .pst-scrollable-table-container")) boxes.observe(box);
  };
  watch();
  document.fonts?.addEventListener("loadingdone", watch); // letters that come late are wider, and no box changes its size

  // A formula stands in the page twice, to be seen and to be read out; copied it is its source, once, and in rich text MathML.
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed || !event.clipboardData) return;
    const range = selection.getRangeAt(0).cloneRange(), formula = (node) => (node.closest ? node : node.parentElement)?.closest(".katex");
    const [from, to] = [formula(range.startContainer), formula(range.endContainer)]; // a part of one is the whole
    if (from) range.setStartBefore(from);
    if (to) range.setEndAfter(to);
    const box = document.createElement("div");
    box.append(range.cloneContents());
    if (!box.querySelector(".katex")) return;
    box.querySelectorAll(".katex-html").forEach((half) => half.remove());
    const rich = box.cloneNode(true);
    rich.querySelectorAll("annotation").forEach((source) => source.remove());
    box.querySelectorAll("annotation").forEach((source) => source.closest(".katex").replaceChildren(`$${source.textContent}$`));
    Object.assign(box.style, { position: "fixed", left: "-9999px", width: "100em" });
    document.body.append(box); // so that paragraphs are lines
    event.clipboardData.setData("text/plain", box.innerText);
    event.clipboardData.setData("text/html", rich.innerHTML);
    box.remove();
    event.preventDefault();
  });

  // What waits until the page stands still: the place of the list of pages.
  addEventListener("load", () => idle(() => {
    const place = Number.parseInt(stored("sessionStorage", "sidebar-scroll-top"), 10), active = [...all(".bd-docs-nav .active")].at(-1);
    if (bar && place >= 0) bar.scrollTop = place;
    const down = active && bar ? active.getBoundingClientRect().y - bar.getBoundingClientRect().y : 0;
    if (down && (!(place >= 0) || down < 0 || down > bar.clientHeight - 40)) bar.scrollTop += down - bar.clientHeight / 4; // it is always seen
  }));
}
