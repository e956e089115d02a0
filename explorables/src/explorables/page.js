// In the place of a kernel: answers the view of explorer.js from the pictures packed into a static page, and keeps the
// settings of all pictures in its address. scripts.py puts the views in front; the whole is one script for the page,
// however many explorers there are.

const pageExplorers = (window.uatExplorers ??= []);

const files = {}; // what comes from a file of the book, by its name

/** The text of a script in the page; where it stands in a file, because it is long, it is loaded from there. */
function held(script) {
  const name = script.dataset.name;
  if (!name) return script.textContent;
  return (files[name] ??= new Promise((done, fail) => {
    (window.uatHeld ??= {})[name] = done;
    const file = document.createElement("script");
    file.src = `${document.documentElement.dataset.content_root}_static/explorers/${name}.js`;
    file.onerror = () => fail(new Error("Its data could not be loaded: try again when you are online."));
    document.head.append(file);
  }));
}

async function unpack(script) {
  if (!("DecompressionStream" in window)) {
    throw new Error("This browser cannot unpack the pictures (it lacks DecompressionStream), so only the first is shown.");
  }
  const bytes = Uint8Array.from(atob(await held(script)), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

/** The frame at these positions; the page holds all that its controls offer, the last control running fastest. */
function frameAt(spec, pack, at) {
  const [picture, text, ...goals] = pack.index[spec.controls.reduce((sum, { texts }, i) => sum * texts.length + at[i], 0)];
  const shown = { svg: pack.wide[picture], narrow: pack.narrow[picture], text: pack.texts[text] };
  return { kind: "frame", at, ...shown, reached: (spec.goals ?? []).map((_, i) => goals.includes(i)) };
}

/** What an address says of a control: a position, a number, a text; undefined if the control has no such value. */
function meant(spec, text) {
  if (spec.keys) {
    const near = (key) => text.trim() && Math.abs(key - text) <= 1e-9 * Math.abs(key); // 0.3 may be 0.30000000000000004
    return [spec.keys.indexOf(text), spec.keys.findIndex(near)].find((position) => position >= 0);
  }
  if (spec.kind !== "slider") return text.length <= spec.most ? text : undefined;
  const value = Number(text);
  return text.trim() && value >= spec.min && value <= spec.max ? value : undefined;
}

/** The address behind its #. Some programs encode what divides it, and some of these the percent signs, too. */
function fragment() {
  const said = location.hash.slice(1);
  if (said.includes("?")) return said;
  try {
    return said.includes("%25") ? decodeURIComponent(said) : said.replace(/%(?:3F|3D|26|3B)/gi, decodeURIComponent);
  } catch {
    return said;
  }
}

/** What the address asks of an explorer, as #explorer-staircase?inverse_delta=4&t=1/3 does: positions (of a live picture
 * also numbers and texts), and what it does not have. Behind ?& what is not named stays at `now`. */
function asked(id, specs, now = specs.map(({ start }) => start)) {
  const part = fragment().split(";").find((entry) => entry.split("?")[0] === encodeURIComponent(id));
  if (!part) return null;
  const said = part.split("?")[1] ?? "", query = new URLSearchParams(said);
  const unknown = [];
  const at = specs.map((spec, i) => {
    const text = query.get(spec.name), position = text === null ? (said[0] === "&" ? now[i] : spec.start) : meant(spec, text);
    if (position === undefined) unknown.push(`${spec.label} = ${text.slice(0, 40)}`);
    return position ?? spec.start;
  });
  return { at, note: unknown.length ? `The address asks for ${unknown.join(", ")}, which this picture does not have.` : "" };
}

function address(id, specs, at) {
  const query = specs.map((spec, i) => `${encodeURIComponent(spec.name)}=${encodeURIComponent(written(spec, at[i]))}`);
  return `${encodeURIComponent(id)}?${query.join("&")}`;
}

/** Keep the settings of the page in its address, the newest first, without a step in the history. */
function remember(newest) {
  clearTimeout(remember.timer);
  const here = location.href;
  remember.timer = setTimeout(() => {
    if (location.href !== here) return; // the reader has followed a link
    const order = [newest, ...pageExplorers.filter((explorer) => explorer !== newest)];
    const parts = order.filter((explorer) => explorer.moved()).map((explorer) => explorer.address());
    try {
      history.replaceState(history.state, "", parts.length ? `#${parts.join(";")}` : location.pathname + location.search);
    } catch {
      // Some browsers refuse it in a page opened from a folder, or when it is asked too often: nothing is lost.
    }
  }, 250);
}

/** Let the page go on. */
const pause = () => new Promise((go) => setTimeout(go));

const specOf = (box) => JSON.parse(box.querySelector("script.uat-spec").textContent);

/** Where the address asks for something else than the first frame shows, or the reader has made it, say so before it is
 * computed: the frame fades, and shows what can be drawn at once. */
function announce(box) {
  const spec = specOf(box), specs = spec.controls, initial = specs.map(({ start }) => start), wish = asked(box.id, specs), at = wish?.at ?? initial;
  const kept = spec.adopts ? mine() : null, own = !wish && spec.adopts === "at once" && kept;
  if (kept) offerMine(box.querySelector(".yours"), spec, kept);
  if (!own && at.join() === initial.join()) return;
  const card = box.querySelector(".explorer");
  card.classList.add("stale");
  if ("picture" in spec) sketch(spec, { ...valuesAt(specs, at), ...own }, card);
}

async function start(box) {
  const id = box.id, early = document.readyState !== "complete";
  const spec = specOf(box), specs = spec.controls;
  const live = "picture" in spec;
  const pack = live ? null : await unpack(box.querySelector("script.uat-pack"));
  const more = box.querySelector("script.uat-data");
  if (more) spec.data = JSON.parse(await held(more));
  const listeners = { "msg:custom": [], "change:at": [] };
  const tell = (event, value) => listeners[event].forEach((listener) => listener(value));
  const initial = specs.map((control) => control.start);
  const wished = asked(id, specs);
  if (live) spec.ahead = await ahead(spec, wished?.at ?? initial, wished);
  await pause();
  const wish = asked(id, specs); // the address may have changed since
  const first = box.querySelector(".uat-first");
  const state = { spec, at: wish?.at ?? initial, asked: Boolean(wish), card: first };
  if (pack) state.first = frameAt(spec, pack, state.at);
  let complaint = wish?.note; // until the reader moves something
  const explorer = { moved: () => state.at.join() !== initial.join(), address: () => address(id, specs, state.at) };
  const model = {
    get: (name) => state[name],
    set: (name, value) => Object.assign(state, { adopted: null, [name]: value }), // what a picture opened with, until it moves
    save_changes: () => {
      complaint = "";
      remember(explorer);
    },
    complaint: () => complaint,
    on: (event, listener) => listeners[event].push(listener),
    off: (event, listener) => (listeners[event] = listeners[event].filter((other) => other !== listener)),
    send: ({ at }) => queueMicrotask(() => tell("msg:custom", frameAt(spec, pack, at))),
    address: (at) => `#${address(id, specs, at)}`,
  };
  pageExplorers.push(explorer);
  const view = make("div");
  const focused = first.contains(document.activeElement) ? document.activeElement : null;
  focused?.setAttribute("data-focus", ""); // in the copy, too
  first.replaceWith(view); // of the same size
  try {
    (live ? renderLive : render)({ model, el: view });
  } catch (error) {
    view.replaceWith(first);
    throw error;
  }
  if (focused) view.firstChild.shadowRoot.querySelector("[data-focus]")?.focus({ preventScroll: true });
  const reveal = (block) => {
    for (let fold = box.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    box.scrollIntoView({ behavior: "instant", block });
  };
  const inSight = () => {
    const drawing = (box.querySelector(".uat-view")?.shadowRoot ?? box).querySelector(".stage, .pictures") ?? box;
    const { top, bottom, height } = drawing.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0) >= Math.min(height, innerHeight) / 2.5;
  };
  if (wish && early) {
    reveal("start"); // where any link to it leads
    addEventListener("load", () => reveal("start")); // once more, when fonts and pictures above have found their size
  } else if (wish && !inSight()) reveal("nearest");
  let pressed = null; // the words that ask, which stay where they are when a fold above them opens
  const obey = () => {
    const wanted = asked(id, specs, state.adopted ?? state.at), top = () => pressed?.getBoundingClientRect().top ?? 0, before = top();
    if (!wanted) return;
    model.set("at", wanted.at);
    complaint = wanted.note;
    tell("change:at");
    const words = pressed, stay = () => words && scrollBy({ top: words.getBoundingClientRect().top - before, behavior: "instant" });
    stay();
    pressed = null;
    if (!inSight()) reveal("nearest");
    else requestAnimationFrame(() => requestAnimationFrame(stay)); // what is read off it may take a line more
  };
  addEventListener("hashchange", obey);
  // Words of the page that move the picture leave it where it is, if a good part of it can be seen.
  for (const words of document.querySelectorAll('a.uat-move[href^="#"]')) {
    if (words.hash.slice(1).split("?")[0] === encodeURIComponent(id)) {
      words.addEventListener("click", () => {
        clearTimeout(remember.timer); // or it would write the setting before over theirs
        pressed = words;
        if (words.hash === location.hash) obey(); // the address does not change, but the picture may have moved since
      });
    }
  }
}

// The page comes first: when it has been drawn, the pictures can be moved that are in the view or near it, one after another;
// others when they come near, or an address asks, or somebody comes, be it by keyboard: what has the focus keeps it.
const idle = window.requestIdleCallback ?? setTimeout, begins = new Map();
const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) idle(begins.get(target));
}, { rootMargin: "100%" });

// A script that came without the live pictures leaves them to the one that brings them.
const OTHERS = typeof renderLive === "function" ? "[data-started]" : "[data-started], [data-live]";
for (const box of document.querySelectorAll(`.uat-explorer:not(${OTHERS})`)) {
  box.dataset.started = "";
  // Of two with one name, the second has an address of its own.
  for (let k = 2, name = box.id; document.getElementById(box.id) !== box; k += 1) box.id = `${name}-${k}`;
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    start(box).catch((error) => {
      // One broken explorer says so in its place; the others go on.
      box.append(make("p", { role: "alert" }, `This picture cannot be moved. ${error.message}`));
    });
  };
  const called = () => location.hash.includes(encodeURIComponent(box.id)) && begin();
  const watch = () => {
    for (const waits of box.querySelectorAll("[inert]")) waits.inert = false;
    for (const link of box.querySelectorAll(".actions a")) link.href = `#${encodeURIComponent(box.id)}?`;
    near.observe(box);
  };
  begins.set(box, begin);
  announce(box);
  called();
  addEventListener("hashchange", called);
  if (document.readyState === "complete") watch();
  else addEventListener("load", () => idle(watch), { once: true });
  for (const sign of ["pointerenter", "focusin"]) box.addEventListener(sign, begin, { once: true });
}
document.getElementById("uat-early")?.remove();
