// What the theme's scripts do for these pages, in a tenth of their size, and without laying each page out again and again:
// the colours, the search, both side bars, menus, and the list of contents that follows the reader.
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
    bar.addEventListener("click", ({ target }) => { if (target.closest("a[href^='#']")) open.checked = false; });
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

  // Games that this reader has won: counted, and ticked in their list; so far as the browser remembers them.
  const score = () => {
    let won = {};
    try { won = Object(JSON.parse(stored("localStorage", "uat-progress"))); } catch { /* none */ }
    for (const row of all("[data-goal]")) {
      const is = row.dataset.goal in won, tick = row.querySelector(".uat-tick");
      row.classList.toggle("uat-won", is);
      for (const [name, value] of [["role", "img"], ["aria-label", "won"]]) is ? tick.setAttribute(name, value) : tick.removeAttribute(name);
    }
    for (const place of all(".uat-score")) {
      const goals = place.dataset.goals.split(" "), count = goals.filter((goal) => goal in won).length;
      place.textContent = `Goals won: ${count} of ${goals.length}.`;
    }
  };
  if (one(".uat-score")) for (const news of ["uat-progress", "storage", "pageshow"]) addEventListener(news, score);
  if (one(".uat-score")) score();

  // A picture that stays with its words. Beside them it is as large as its window lets it be. Above them its drawing alone stays, and
  // what is read off it: they leave their card by the space that `tail` gives back, and shrink as fast as what stands below comes up.
  // Of a drawing tagged `part` the rest is hidden, but for a row of buttons that begins in it. A tour has half of the screen at most,
  // if its letters can be read then; a drawing whose letters would be too small stays in its card. Of what is read off it there are
  // whole lines in two rows, over what is not hidden yet: all, the first and the last, or (in a tour, at once) the last, of a cell tagged `told-first` the first,
  // if need be without what its last semicolon adds; or none.
  const HELD = `.explorer { overflow-x: clip; }
    .explorer > :is(.stage, .pictures) {
      position: sticky; z-index: 2; top: calc(var(--head) + 4px); margin-bottom: calc(var(--told) - var(--reach)); scale: var(--scale, 1);
      transform-origin: 50% 0; clip-path: inset(-1rem -100vw var(--hide, -1rem)); }
    .tail { display: block; margin-top: calc(var(--reach) - var(--told) + var(--gap)); }
    .told { position: sticky; z-index: 3; top: var(--end); height: 0; margin-bottom: calc(var(--told) + var(--hidden) - var(--reach)); visibility: var(--frame, hidden); }
    .told p { position: absolute; inset: 0 -100vw auto; margin: 0; padding: .2rem 100vw .25rem; font-size: .8rem; line-height: 1.3; white-space: pre-line;
      background: var(--uat-paper); border-bottom: 1px solid var(--uat-grey); box-shadow: 0 .3rem .5rem -.2rem var(--uat-line); }
    :is(.stage, .pictures)::before { content: ""; position: absolute; z-index: -1; inset: -1rem -100vw 0; background: var(--uat-paper); visibility: var(--frame, hidden); }`;
  const make = (tag, more) => Object.assign(document.createElement(tag), more);
  const ROWS = 42, LEGIBLE = 246, LEAST = 0.6; // pixels: two rows of what is read off, a drawing of a tour whose letters can still be read; of all, how small
  const contents = one(".bd-sidebar-secondary"), near = new Set(); // pictures at the height of the list of contents, which makes room
  for (const group of all(".uat-stay")) {
    const cell = group.querySelector(":scope > .cell"), words = cell.nextElementSibling, last = group.lastElementChild;
    const part = (/\btag_part-(\d+)/.exec(cell.className)?.[1] ?? 100) / 100; // of the drawing, from its top, where its panels lie below each other
    const tour = group.matches(".uat-beside"), verdict = cell.matches(".tag_told-first") ? 0 : -1;
    const place = () => cell.querySelector(".uat-view, .uat-first")?.shadowRoot ?? cell, drawing = () => place().querySelector(".stage, .pictures");
    const tip = make("i"), tail = make("i", { className: "tail" }), held = make("style", { textContent: HELD });
    const told = make("div", { className: "told", ariaHidden: "true" }), lines = told.appendChild(make("p")); // the read-out
    for (const element of [tip, told, tail, held]) element.dataset.held = "";
    held.media = "screen and (max-width: 1279px) and (min-height: 500px) and (forced-colors: none)";
    let stays = "", end = 0, gap = 0, drawn, heard, watches = [], shrink = () => {};
    const put = (element, sizes) => { for (const [name, size] of Object.entries(sizes)) element.style.setProperty(`--${name}`, size); };
    const hear = new MutationObserver((changes) => {
      if (place() === cell) return;
      if (drawing() !== drawn || changes.some(({ target }) => target === drawn)) measure(); // another drawing took its place, or others stand in it
      else if (stays === "above") say();
    });
    const say = () => {
      const readout = place().querySelector(".readout"), all = readout?.textContent.trim().split("\n") ?? [];
      for (const node of [cell, readout]) if (node) hear.observe(node, { childList: true, characterData: true, subtree: true });
      if (all.join("\n") === heard) return;
      heard = all.join("\n");
      for (const some of [...(tour ? [] : [all, [all[0], all.at(-1)]]), [all.at(verdict)], [all.at(verdict)?.replace(/; [^;]*$/, "")], []]) {
        lines.textContent = some.join("\n");
        if (lines.offsetHeight <= ROWS) break;
      }
      put(group, { told: `${lines.offsetHeight}px` });
    };
    const watch = (element, rootMargin, told) => {
      const seen = new IntersectionObserver((entries) => told(entries.at(-1)), { rootMargin });
      seen.observe(element);
      watches.push(seen);
    };
    const measure = () => {
      watches.splice(0).forEach((seen) => seen.disconnect());
      shrink = () => {};
      const stage = drawing(), head = one(".bd-header-article")?.offsetHeight ?? 0, screen = root.clientHeight;
      if (!stage?.offsetHeight) return; // where there is no room, or in a fold that is closed
      drawn = stage;
      stays = getComputedStyle(group).getPropertyValue("--stays");
      for (const element of stays === "above" ? [cell] : [group, cell]) element.removeAttribute("style");
      if (stays !== "beside") last.removeAttribute("style");
      const flat = stays === "beside" && screen < 500; // there the drawing stands before its controls
      Object.assign(stage.parentElement.style, { display: flat ? "flex" : "", flexDirection: flat ? "column" : "" });
      stage.style.order = flat ? -1 : "";
      const height = stage.offsetHeight, least = height * (stage.offsetWidth < 500 && innerWidth < 1280 ? part : 1);
      const ratio = stage.offsetWidth / (stage.querySelector(".board")?.offsetWidth ?? stage.offsetWidth), ends = (row) => ratio * (row.offsetTop + row.offsetHeight) + 4;
      const rows = least < height ? [...stage.querySelectorAll(".slot")].filter((row) => ratio * row.offsetTop < least) : [];
      const tall = rows.length ? Math.max(...rows.map(ends)) : least;
      hear.observe(stage, { childList: true });
      if (stays === "beside") {
        const { top } = stage.getBoundingClientRect(), read = place().querySelector(".readout")?.getBoundingClientRect().bottom - top;
        const above = top - cell.getBoundingClientRect().top, fit = Math.min(1, (screen - head - 12) / tall);
        const seen = read + head + 12 <= screen ? read : height; // with what is read off it, if there is room
        put(cell, { above: `${above}px`, top: `${Math.max(head + 4 - above, Math.min(head + 16, screen - 8 - above - seen))}px` });
        if (fit < 1) cell.style.scale = fit;
        const after = Math.max(0, head + 4 - above + cell.offsetHeight - screen / 3); // the last words have passed two thirds of the screen
        put(last, { after: `${after}px` });
        hear.observe(cell, { childList: true, subtree: true });
        if (!group.matches(".uat-beside")) put(group, { head: `${head}px` });
        end = screen;
        const low = contents?.getBoundingClientRect().bottom ?? 0;
        watch(group, `0px 0px ${Math.min(0, low - innerHeight)}px`, ({ isIntersecting }) => {
          near[isIntersecting ? "add" : "delete"](group);
          root.classList.toggle("uat-folded", near.size > 0);
        });
      } else if (stays === "above") {
        const fit = Math.min(1, Math.min(0.4 * screen, 0.46 * screen - head, tour ? Math.max(LEGIBLE, 0.5 * screen - head - 4 - ROWS) : screen) / tall), shown = tall * fit;
        if (fit < LEAST) {
          stays = "";
          place().querySelectorAll("[data-held]").forEach((old) => old.remove());
          group.removeAttribute("style");
          return void group.classList.remove("uat-pinned");
        }
        if (stage.previousSibling !== tip) {
          place().querySelectorAll("[data-held]").forEach((old) => old.remove()); // copied with the first picture
          stage.before(tip);
          gap = (stage.nextElementSibling?.getBoundingClientRect().top ?? 0) - stage.getBoundingClientRect().bottom;
          stage.after(told, tail);
          place().append(held);
        }
        const { bottom } = stage.parentElement.getBoundingClientRect();
        end = head + shown + 4;
        put(group, { gap: `${gap}px`, head: `${head}px`, end: `${end}px`, shown: `${shown}px`, fit, hidden: `${height - shown}px`,
          reach: `${words.getBoundingClientRect().bottom - bottom + height - shown}px` });
        heard = undefined;
        say();
        let before;
        shrink = () => {
          const way = Math.min(1, Math.max(0, (head + 4 - tip.getBoundingClientRect().top) / (height - shown || 1)));
          if (way !== before) put(group, { scale: 1 - (1 - fit) * (before = way), hide: `${(height - tall + 16) * way - 16}px` });
        };
        watch(tip, `${-head - 4}px 0px 100000px`, ({ isIntersecting }) => {
          group.classList.toggle("uat-pinned", !isIntersecting);
          shrink();
        });
      }
    };
    const sizes = new ResizeObserver(measure);
    for (const element of [cell, words]) sizes.observe(element);
    addEventListener("resize", () => requestAnimationFrame(() => requestAnimationFrame(measure))); // once the picture has laid itself out anew
    addEventListener("scroll", () => group.matches(".uat-pinned") && shrink(), { passive: true });
    // What has the focus is never behind header or drawing. What is pressed is seen, and stays where it is.
    let pressed = false;
    cell.addEventListener("pointerdown", () => { pressed = true; }, true);
    for (const name of ["pointerup", "pointercancel", "keydown"]) addEventListener(name, () => { pressed = false; }, true);
    cell.addEventListener("focusin", (event) => {
      const [target] = event.composedPath(), { top, bottom } = target.getBoundingClientRect(), above = group.matches(".uat-pinned");
      if (pressed || drawing()?.contains(target) || (top >= (above ? end : parseFloat(group.style.getPropertyValue("--head"))) && bottom <= innerHeight)) return;
      target.scrollIntoView({ block: "center", behavior: "instant" });
    });
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
