// What every picture with controls is made of, be it drawn beforehand (explorer.js) or by the page itself (live.js).

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** A copy without its picture, to use. */
function bare(node) {
  const copy = node.cloneNode();
  copy.inert = false;
  for (const part of node.childNodes) if (!part.matches?.("noscript, .picture")) copy.append(bare(part));
  return copy;
}

/** The card that first.py wrote, without its picture, in a shadow root of its own in `el`, in the colours of the page or of
 * the notebook; and its parts. A page holds an element, which stays; a kernel sends text. */
function openCard(model, el) {
  // Notebooks take arrow keys for themselves: JupyterLab heeds the attribute, others listen further up.
  const host = make("div", { class: "uat-view", "data-lm-suppress-shortcuts": "true" });
  host.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  });
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(make("style", {}, STYLE)); // in an older browser
  }
  const card = model.get("card"), { name, goals = [], controls, fold } = model.get("spec");
  const held = bare(typeof card === "string" ? Object.assign(make("template"), { innerHTML: card }).content : card);
  const box = held.querySelector(".explorer"), part = (selector) => box.querySelector(selector);
  const heard = makeHeard(), note = make("p", { class: "note", role: "status" }), failure = make("div", { class: "failure", role: "alert" });
  const [reset, download, forget] = part(".actions").querySelectorAll("button:not(.yours)"), yours = part(".yours"), link = part(".actions a");
  part(".actions").before(heard.element, failure);
  part(".actions").append(note); // a note here moves nothing else
  if (!model.address) link.remove();
  box.classList.remove("stale", "sketched");
  root.append(box);
  /** Open the fold where something moves what is in it, be it an address, words or a kernel. */
  const unfold = (before, after) => {
    if (controls.some((control, i) => fold?.controls.includes(control.name) && before[i] !== after[i])) part(".more").open = true;
  };
  unfold(controls.map(({ start }) => start), model.get("at"));
  const parts = { fields: part(".controls"), stage: part(".pictures, .stage"), readout: part(".readout"), goals: makeGoals(name, goals, box) };
  return { host, root, box, ...parts, unfold, heard, note, failure, reset, download, link: model.address && link, yours, forget };
}

/** What a picture says, as `_lines` of first.py has it: its first line, and small the figures below it. */
function sayIn(readout, text) {
  const [first] = text.split("\n");
  readout.replaceChildren(first, make("small", {}, text.slice(first.length)));
}

/** Let a control of the card move: its element, its field, its last position, and a function that moves it: to a position, a
 * number, a text. */
function attach(root, spec, id, onChange) {
  const { kind, texts } = spec, field = root.getElementById(id), element = field.closest(".control");
  const choices = kind === "segmented" ? [...field.querySelectorAll("input")] : null;
  const output = element.querySelector("output");
  const last = spec.max ?? (texts?.length ?? 0) - 1;
  if (kind === "slider") letScroll(field);
  const read = () => {
    if (choices) return choices.findIndex((choice) => choice.checked);
    return kind === "text" ? field.value : Number(kind === "checkbox" ? field.checked : field.value);
  };
  let shown;
  const write = (value) => {
    if (Object.is(value, shown)) return;
    shown = value;
    if (choices) choices[value].checked = true;
    else if (kind === "checkbox") field.checked = Boolean(value);
    else if (kind !== "text" || field.value !== value) field.value = value; // the cursor in a text stays where it is
    if (kind !== "slider") return;
    const text = texts ? texts[value] : told(spec, value);
    field.setAttribute("aria-valuetext", text);
    if (output) output.textContent = text;
  };
  field.addEventListener("input", () => {
    shown = undefined; // a hand moved it
    onChange(read());
  });
  return { element, field, write, last, word: root.getElementById(`${id}-word`) };
}

/** A number of a slider in words, as the read-out and screen readers say it. */
function told({ digits, unit }, value) {
  return Number(value).toFixed(digits).replace(/^-/, "\u2212") + unit;
}

/** A position, a number or a text of a control as an address has it; four digits are more than a hand can set. */
function written(spec, value) {
  if (spec.keys) return spec.keys[value];
  return spec.kind === "slider" ? String(Number(value.toPrecision(4))) : value;
}

const HEARD = 1000; // milliseconds between two texts for screen readers

/** A live region that nobody sees, told the newest text, and not of every move of a hand. */
function makeHeard() {
  const element = make("p", { class: "heard", "aria-live": "polite", "aria-atomic": "true" });
  let timer = 0, newest = "";
  const speak = () => {
    timer = 0;
    element.textContent = newest;
  };
  const tell = (text) => {
    newest = text;
    timer ||= setTimeout(speak, HEARD);
  };
  return { element, tell, stop: () => clearTimeout(timer) };
}

const PROGRESS = "uat-progress"; // {id: when it was first reached or solved}, for goals of pictures and checks of exercises
let visit = null; // the same where the browser keeps nothing: for the visit

/** What this reader has reached. */
function progress() {
  try {
    return visit ?? Object(JSON.parse(localStorage.getItem(PROGRESS)));
  } catch {
    return {};
  }
}

function keepProgress(all) {
  try {
    localStorage.setItem(PROGRESS, JSON.stringify(all));
    visit = null;
  } catch {
    visit = all;
  }
  dispatchEvent(new Event(PROGRESS));
}

/** A head, and what is to be said behind it. */
function says(head, ...parts) {
  const said = parts.filter(Boolean).join(". ");
  return said ? `${head}: ${said}` : `${head}.`;
}

/** Goals of a picture, each told, in a line below it, whether it is reached now. What the reader's hand has reached once stays
 * so, whatever becomes of the picture. */
function makeGoals(picture, specs, box) {
  let last = [];
  const [paragraphs, states] = [".goal", ".state"].map((kind) => box.querySelectorAll(kind));
  const rows = specs.map(({ name, exercise, gained = "" }, i) => {
    const element = paragraphs[i], state = states[i];
    if (exercise && !document.getElementById(exercise)) element.querySelector("a").parentElement.remove();
    state.classList.remove("room");
    return { id: `goal-${picture}-${name}`.replace(/\W+/g, "-"), element, state, gained, room: state.parentElement.querySelector(".room"), most: 0 };
  });
  /** Write the first of these texts for which the line has room; what stands below must not move. */
  const put = (row, texts, bold = false) => {
    const { state, room } = row;
    if (row.texts?.join() === texts.join() && row.width === innerWidth) return;
    if (row.width !== innerWidth) Object.assign(row, { width: innerWidth, most: 0 });
    row.texts = texts;
    for (const text of texts) {
      state.textContent = row.said = text;
      if (!room || (text.length <= row.most && !bold)) return; // measured before: a browser takes its time
      if (state.offsetHeight > room.offsetHeight) continue;
      if (state.offsetHeight) row.most = Math.max(row.most, text.length);
      return;
    }
  };
  const without = (text) => text.replace(/[;,] (?!.*[;,] ).*$/, "");
  return {
    /** [reached, sentence] of each. It counts where the reader's own hand came to rest, not on its way, and not where a link
     * leads. Says whether what counts has changed. */
    tell(found, { byHand, moving = false }) {
      const before = last;
      last = found.map(([reached]) => Boolean(reached && byHand && !moving));
      const kept = { ...progress() }, first = rows.filter(({ id }, i) => last[i] && !(id in kept));
      for (const { id } of first) kept[id] = new Date().toISOString();
      if (first.length) keepProgress(kept);
      rows.forEach((row, i) => {
        const { id, element, state, gained } = row, [there, now] = found[i], reached = last[i], ever = id in kept;
        element.classList.toggle("reached", ever);
        state.classList.toggle("reached", reached);
        const shown = moving ? "Here" : "Shown here, not won by your own hand", open = there ? shown : "Not yet";
        if (reached) put(row, [says("Won", now, gained), says("Won", gained || now)], true);
        else if (ever) put(row, now ? [`Won before; now: ${now}`, `Won before; now: ${without(now)}`, "Won before."] : [says("Won before", gained)]);
        else put(row, [says(open, now), says(open, without(now)), `${open}.`]);
        if (reached && !before[i]) cheer(element, box);
      });
      return last.join() !== before.join();
    },
    /** A read-out for screen readers: what is reached before it, what is missing behind; no goal says again what it has said. */
    around(text) {
      const news = rows.map((row, i) => {
        if (row.heard === row.said) return "";
        row.heard = row.said;
        return rows.length > 1 ? `Goal ${i + 1}. ${row.said}` : row.said;
      });
      const those = (wanted) => news.filter((said, i) => said && last[i] === wanted);
      return [...those(true), text, ...those(false)].join("\n");
    },
  };
}

/** Let tick and picture move for a moment. */
function cheer(...elements) {
  for (const element of elements) {
    element.classList.add("won");
    setTimeout(() => element.classList.remove("won"), 1000);
  }
}

/** Let a finger that wants to scroll do so: browsers move a slider as soon as it is touched; it shall wait for which way
 * the finger goes, or for its end. */
function letScroll(field) {
  let touched = null; // where, until the finger has moved sideways
  let before, wanted;
  const put = (value) => {
    touched = null;
    if (field.value === value) return;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  field.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch" ? event : null;
    before = wanted = field.value;
  });
  field.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (touched && Math.abs(clientX - touched.clientX) > Math.abs(clientY - touched.clientY)) touched = null;
  });
  field.addEventListener("input", (event) => {
    if (!touched) return;
    event.stopImmediatePropagation();
    wanted = field.value;
    field.value = before;
  });
  field.addEventListener("pointerup", () => touched && put(wanted)); // a tap
  field.addEventListener("pointercancel", () => put(before)); // the page scrolls instead
}

/** A colour mixed with black, in a notation that every program knows. */
function dark(colour, percent) {
  const brush = make("canvas", { width: 1, height: 1 }).getContext("2d");
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  const parts = [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
  return `#${parts.map((part) => Math.round(part * percent / 100).toString(16).padStart(2, "0")).join("")}`;
}

/** A picture (an element, which changes) as text: black on white, whatever the page's theme, with what it shows as its title. */
function plain(svg, title) {
  const told = svg.ownerDocument.createElementNS(svg.namespaceURI, "title");
  told.append(title);
  svg.prepend(told);
  for (const { attributes } of [svg, ...svg.querySelectorAll("*")]) {
    for (const attribute of attributes) {
      if (!/^(style|fill|stroke|color|stop-color)$/.test(attribute.name)) continue;
      const mixed = attribute.value.replace(/color-mix\(in srgb, (.+?) (\d+)%, currentColor\)/g, (_, ...given) => dark(...given));
      attribute.value = mixed.replaceAll("currentColor", "#000").replaceAll("var(--uat-paper)", "#fff");
    }
  }
  return new XMLSerializer().serializeToString(svg);
}

/** Put a file among the downloads. */
function offer(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const save = (svg, name, title) => offer(new Blob([plain(svg, title)], { type: "image/svg+xml" }), `${name}.svg`);
