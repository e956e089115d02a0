// Questions about the open page, asked by test_pages.py.

const source = (element) => element.outerHTML.slice(0, 90);

/** Elements of the text that stick out at the right, unless they scroll in a box of their own. */
function overflow() {
  const own = ".uat-scroll, pre, table, .katex, details:not([open])";
  const wide = (e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(own);
  const page = document.documentElement.scrollWidth - innerWidth;
  return [...(page > 0 ? [`the page, by ${page} px`] : []), ...[...document.querySelectorAll("article *")].filter(wide).map(source)];
}

/** Words that are to move a picture and, pressed, do not show the setting that they name. */
async function deafWords() {
  const faults = [], pressed = new Set(), turn = () => new Promise((done) => setTimeout(done, 20));
  for (const words of document.querySelectorAll('article a.uat-move[href^="#"]')) {
    const [id, query] = words.hash.slice(1).split("?"), box = document.getElementById(decodeURIComponent(id));
    const inside = box?.querySelector(".uat-view")?.shadowRoot, wanted = [...new URLSearchParams(query)];
    const shown = () => new URLSearchParams(inside.querySelector(".actions a").hash.split("?")[1]);
    const wrong = () => wanted.filter(([key, value]) => shown().get(key) !== value && Number(shown().get(key)) !== Number(value));
    words.click();
    for (let k = 0; k < 500 && inside && wrong().length; k += 1) await turn();
    if (!inside || wrong().length || !wanted.length) faults.push(source(words));
    else pressed.add([...inside.querySelectorAll("button")].find((button) => button.textContent === "Reset"));
  }
  for (const reset of pressed) reset.click();
  for (let k = 0; k < 50 && location.hash; k += 1) await turn();
  return faults;
}

/** Hold what plays by itself, which shows other things a moment later; the front page's film begins a moment after the page. */
async function paused() {
  const inside = () => [...document.querySelectorAll(".uat-view")].flatMap((host) => [...host.shadowRoot.querySelectorAll("button")]);
  const playing = () => inside().filter((button) => button.textContent === "Pause");
  const comes = [...document.querySelectorAll(".uat-spec")].some((spec) => spec.textContent.includes('"plays":true'));
  for (let k = 0; k < 250 && comes && !playing().length; k += 1) await new Promise((done) => setTimeout(done, 20));
  for (const button of playing()) button.click();
}

/** Paragraphs whose lines hold more than 75 characters, which are hard to follow; formulas are none. */
function longLines() {
  const text = [...document.querySelectorAll("article section > p")].filter((e) => e.checkVisibility() && !e.querySelector(".katex, code, .uat-note"));
  const lines = (e) => e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight);
  return text.filter((e) => lines(e) > 2.5 && e.textContent.length > 75 * Math.round(lines(e))).map(source);
}

/** Links in the text that differ from it in their colour alone; those of headings show beside them when one is there. */
function plainLinks() {
  const links = [...document.querySelectorAll("article a[href]:not(.headerlink, .sd-btn)")].filter((e) => e.checkVisibility() && e.textContent.trim());
  const underlined = (e) => getComputedStyle(e).textDecorationLine.includes("underline");
  return links.filter((e) => ![e, ...e.querySelectorAll(":scope > span")].some(underlined)).map(source); // a link's name in it
}

/** Pictures without a text that says what they show. */
function undescribed() {
  const pictures = [...document.querySelectorAll("article img, article svg")].filter((e) => !e.closest(".katex, button, summary"));
  return pictures.filter((e) => !(e.alt || e.getAttribute("aria-label") || e.getAttribute("aria-hidden"))).map(source);
}

const colours = new Map(); // reading a pixel is slow, and a page has few colours

/** A colour of any CSS notation as [red, green, blue, opacity]. */
function rgba(colour) {
  if (!colours.has(colour)) colours.set(colour, pixel(colour));
  return colours.get(colour);
}

function pixel(colour) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = pen.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, opacity / 255];
}

const over = (top, below) => below.map((value, i) => top[i] * top[3] + value * (1 - top[3]));

const backgrounds = new Map(); // thousands of elements stand on the same few

function background(element) {
  if (!element) return [255, 255, 255];
  if (!backgrounds.has(element)) {
    const below = background(element.parentElement ?? element.getRootNode().host);
    backgrounds.set(element, over(rgba(getComputedStyle(element).backgroundColor), below));
  }
  return backgrounds.get(element);
}

function luminance(colour) {
  const [red, green, blue] = colour.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hasText = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());

/** [contrast, element] of an element whose text has this colour. */
function contrast(element, colour) {
  const { paintOrder, stroke } = getComputedStyle(element), outlined = paintOrder.startsWith("stroke") && stroke !== "none";
  const below = outlined ? over(rgba(stroke), background(element)) : background(element); // letters stand on their outline
  const [dim, bright] = [luminance(below), luminance(over(rgba(colour), below))].sort((a, b) => a - b);
  return [Math.round(((bright + 0.05) / (dim + 0.05)) * 100) / 100, element];
}

/** How many texts were measured, and those with too little contrast. */
function dim(rows) {
  const faults = rows.filter(([ratio]) => ratio < 4.5).map(([ratio, element]) => [ratio, source(element)]);
  return { measured: rows.length, faults };
}

/** [contrast, element] of every visible element of the selector that holds text of its own. */
function contrasts(selector) {
  const speaks = (e) => e.offsetParent && hasText(e);
  return [...document.querySelectorAll(selector)].filter(speaks).map((e) => contrast(e, getComputedStyle(e).color));
}

/** The same within explorers: text of the controls, and of the pictures, which is painted in its fill. */
function explorerContrasts() {
  const inside = [...document.querySelectorAll(".uat-view")].flatMap((host) => [...host.shadowRoot.querySelectorAll("*")]);
  const rendered = inside.filter((e) => hasText(e) && e.getClientRects().length && e.tagName !== "OPTION");
  return rendered.map((e) => contrast(e, getComputedStyle(e)[e instanceof SVGElement ? "fill" : "color"]));
}

/** Open all certificates, and name those that stick out or cut something off. */
function cutCertificates() {
  const all = [...document.querySelectorAll("details.uat-certificate")];
  all.forEach((e) => (e.open = true));
  const out = (e, edge) => e.getBoundingClientRect().right > edge + 1;
  const cut = (e) => out(e, innerWidth) || e.scrollWidth > e.clientWidth + 1 || e.parentElement.scrollWidth > e.parentElement.clientWidth + 1;
  return all.filter((e) => cut(e) || [...e.querySelectorAll("*")].some((inner) => out(inner, e.getBoundingClientRect().right))).map(source);
}

/** [contrast, element] of the text of pictures in the page, which is painted in its fill. */
function pictureContrasts() {
  const inside = [...document.querySelectorAll("svg.uat-figure text, svg.uat-figure tspan")].filter((e) => hasText(e) && e.getClientRects().length);
  return inside.map((e) => contrast(e, getComputedStyle(e).fill));
}

/** How bright, from 0 to 1, the ground of the page and of each block of text is: the darkest and the brightest. */
function grounds() {
  const blocks = [...document.querySelectorAll("article :is(p, pre, li, td, th, summary, svg.uat-figure)")].filter((e) => e.checkVisibility());
  const bright = [document.body, ...blocks].map((e) => luminance(background(e)));
  return [Math.min(...bright), Math.max(...bright)];
}

/** What cannot be seen on paper: contents of folds, and what is wider than the page or than the box that holds it; hints and
 * solutions if they can: a printed page is a sheet to work on; and the lines of machine-checked proofs, of which it has the statement. */
function lostOnPaper() {
  const seen = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getBoundingClientRect().height > 0;
  const folded = [...document.querySelectorAll("article details > :not(summary), article .toggle-hidden > :not(.admonition-title)")];
  const clips = (e) => getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1;
  const wide = (e) => e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1;
  const boxes = [...document.querySelectorAll("article :not(.katex *, svg *)")];
  const cut = boxes.filter((e) => wide(e) || clips(e));
  const door = (e) => e.childNodes.length === 1 && e.matches(":has(> a[href^='#'])"); // to a place of this page: of no use there
  const [given, shown] = [[], []];
  for (const e of folded.filter((e) => !door(e))) (e.closest(".hint, .solution, .uat-steps") ? given : shown).push(e);
  const wrong = [...shown.filter((e) => !seen(e)).map((e) => `folded: ${source(e)}`), ...given.filter(seen).map((e) => `given away: ${source(e)}`)];
  return [...wrong, ...cut.map((e) => `cut: ${source(e)}`)];
}

/** For each element of the page, one after another, whether it is visible; the logo has a picture for each theme. */
function visible() {
  const inside = [...document.querySelectorAll(".uat-view")].flatMap((host) => [...host.shadowRoot.querySelectorAll("*")]);
  const seen = (e) => Number(e.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  return [...document.querySelectorAll("body :not(.only-light, .only-dark)"), ...inside].map(seen).join("");
}

/** An empty box of the same size. */
function box(element) {
  const { width, height } = element.getBoundingClientRect();
  const empty = element.cloneNode(false);
  Object.assign(empty.style, { display: "inline-block", width: `${width}px`, height: `${height}px` });
  return empty;
}

/** A copy of a block of code, in which words that look like an earlier one are no elements of their own. */
function shortened(code) {
  const copy = code.cloneNode(true);
  const copies = [...copy.querySelectorAll("span")];
  const kinds = new Set();
  [...code.querySelectorAll("span")].forEach((word, k) => {
    const { color, fontWeight, opacity } = getComputedStyle(word);
    const kind = [...word.attributes].map((a) => `${a.name}=${a.value}`).concat(color, fontWeight, opacity, background(word)).join();
    if (kinds.has(kind)) copies[k].replaceWith(...copies[k].childNodes);
    kinds.add(kind);
  });
  return copy;
}

/** Do something while what is `hidden` is empty boxes and each block of code has one word of each look: for axe, which is
 * slow. Unless the `whole` is to be seen, drawings are their frames, and each formula is a letter. */
async function abridged(hidden, whole, work) {
  const formulas = [...document.querySelectorAll(hidden)].map((e) => [e, box(e)]);
  const shown = [...document.querySelectorAll("article .highlight pre")].filter((e) => !e.closest(hidden));
  const code = shown.map((e) => [e, shortened(e)]);
  const roots = [document, ...[...document.querySelectorAll(".uat-view")].map((host) => host.shadowRoot)];
  const found = whole ? [] : roots.flatMap((root) => [...root.querySelectorAll("svg[role=img], .katex")]);
  const frames = found.filter((e) => !e.closest(hidden)).map((e) => [e, e.cloneNode(false)]);
  frames.filter(([e]) => e.matches(".katex")).forEach(([, letter]) => (letter.textContent = "x"));
  const pairs = [...formulas, ...code, ...frames];
  pairs.forEach(([e, shown]) => e.replaceWith(shown));
  try {
    return await work();
  } finally {
    pairs.forEach(([e, shown]) => shown.replaceWith(e));
  }
}
