// Questions about the open page, asked by test_pages.py.

const source = (element) => element.outerHTML.slice(0, 90);

/** Elements of the text that stick out at the right, unless they scroll in a box of their own. */
function overflow() {
  const own = ".uat-scroll, pre, table, .katex, details:not([open])";
  const wide = (e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(own);
  const page = document.documentElement.scrollWidth - innerWidth;
  return [...(page > 0 ? [`the page, by ${page} px`] : []), ...[...document.querySelectorAll("article *")].filter(wide).map(source)];
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

function background(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement ?? e.getRootNode().host) layers.unshift(rgba(getComputedStyle(e).backgroundColor));
  return layers.reduce((below, top) => over(top, below), [255, 255, 255]);
}

function luminance(colour) {
  const [red, green, blue] = colour.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const hasText = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());

/** [contrast, source] of an element whose text has this colour. */
function contrast(element, colour) {
  const below = background(element);
  const [dim, bright] = [luminance(below), luminance(over(rgba(colour), below))].sort((a, b) => a - b);
  return [Math.round(((bright + 0.05) / (dim + 0.05)) * 100) / 100, source(element)];
}

/** [contrast, source] of every visible element of the selector that holds text of its own. */
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
