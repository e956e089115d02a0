// What pictures are drawn with: elements of SVG, scales, axes, arrows, markers, text with a little mathematics.
// Lengths are CSS pixels, since a picture is laid out at the width that it has. Type has one size, 12 px; letters of
// mathematics, which are smaller at the same size, have 14, and lowered ones 11.

const INK = "currentColor", PAPER = "var(--uat-paper)", GREY = "#808080";
const MATHS = "KaTeX_Math, 'Cambria Math', 'STIX Two Math', 'Times New Roman', serif", DIGITS = `KaTeX_Main, ${MATHS}`;
const HALO = { stroke: PAPER, "stroke-width": 4, "paint-order": "stroke" }; // of text that may lie on lines

const attributesOf = new WeakMap(), renewed = new Map(); // attributes of elements; groups drawn anew: how many children they have yet

/** Draw these groups anew. Their elements are kept from frame to frame: a browser is slow to lay out new ones. */
function redraw(...groups) {
  for (const group of groups) renewed.set(group, 0);
}

/** The frame is drawn: what was not drawn again goes. */
function finish() {
  for (const [group, count] of renewed) while (group.childNodes.length > count) group.removeChild(group.childNodes[count]);
  renewed.clear();
}

/**
 * The next child of `parent`: a new one at its end, or in a group that is drawn anew what stood there, if it is of this
 * kind. Attributes are SVG's own: a saved picture has no style sheet.
 */
function el(parent, tag, attributes = {}, text = "") {
  const k = renewed.get(parent), old = k === undefined ? undefined : parent.childNodes[k], kept = old?.nodeName === tag;
  const node = kept ? old : document.createElementNS("http://www.w3.org/2000/svg", tag);
  if (k !== undefined) renewed.set(parent, k + 1);
  if (kept) for (const name in attributesOf.get(node)) if (!(name in attributes)) set(node, { [name]: null });
  set(node, attributes);
  if (kept && text === "") redraw(node);
  if (text !== "" && node.childNodes[0]?.data !== text) node.textContent = text;
  if (!old) parent.append(node);
  else if (!kept) parent.replaceChild(node, old);
  return node;
}

function set(node, attributes) {
  const known = attributesOf.get(node) ?? {};
  attributesOf.set(node, known);
  for (const name in attributes) {
    const value = attributes[name], text = typeof value === "number" ? Math.round(100 * value) / 100 : value;
    if (known[name] === text) continue;
    if (text === null) node.removeAttribute(name);
    else node.setAttribute(name, text);
    known[name] = text;
  }
  return node;
}

/** The map of [a, b] on the pixels [from, to], linear; `invert` goes back. */
function scale([a, b], [from, to]) {
  const map = (value) => from + ((value - a) / (b - a)) * (to - from);
  return Object.assign(map, { domain: [a, b], range: [from, to], invert: (pixel) => a + ((pixel - from) / (to - from)) * (b - a) });
}

/** Round numbers in [a, b], about `count` of them. */
function ticks(a, b, count = 5) {
  const raw = (b - a) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= raw * 0.99) ?? 10);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(a / step - 1e-9), last = Math.floor(b / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(digits)));
}

/** A whole number, its thousands apart; the browser's own way takes it longer than a whole drawing, the first time. */
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** A number in words: overflow and undefined values by name, a true minus, never "-0". */
function number(value, digits = 4) {
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "overflow" : "\u2212overflow";
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) ? "\u2212" : "") + text;
}

/** A power of ten, as a book sets it. */
const ten = (power) => `10${String(power).replace(/./g, (sign) => "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"["-0123456789".indexOf(sign)])}`;

/** A positive number as its first digits times a power of ten, as `typeset` of typeset.py sets what Python writes. */
function scientific(value, digits = 0) {
  const [factor, power] = value.toExponential(digits).split("e");
  if (!Number(power)) return String(Number(factor));
  return `${factor === "1" ? "" : `${factor}\u00b7`}${ten(Number(power))}`;
}

/** A colour for small letters. */
const inked = (colour) => (colour === INK ? INK : `color-mix(in srgb, ${colour} 75%, currentColor)`);

/** Text; what stands between dollars is mathematics: letters italic, _2 or _{12} lowered. */
function words(parent, x, y, text, attributes = {}) {
  const fill = inked(attributes.fill ?? INK), plain = !text.includes("$");
  const node = el(parent, "text", { x, y, "font-size": 12, ...attributes, fill }, plain ? text : "");
  if (!plain) spans(node, text);
  return node;
}

/** The parts of a text with mathematics. */
function spans(node, text) {
  text.split("$").forEach((part, i) => {
    if (!part) return;
    if (i % 2 === 0) return void el(node, "tspan", {}, part);
    let lowered = false;
    for (const [piece, low, letters] of part.matchAll(/_\{?([^\s{}])\}?|([A-Za-z\u03b1-\u03c9]+)|[^A-Za-z_\u03b1-\u03c9]+/g)) {
      const down = low ? 3 : lowered ? -3 : 0;
      const digit = /\d/.test(low ?? "");
      const style = low || letters ? { "font-family": digit ? DIGITS : MATHS, "font-style": digit ? "normal" : "italic", "font-size": low ? 11 : 14 } : {};
      el(node, "tspan", { ...style, ...(down && { dy: down }) }, low ?? piece);
      lowered = Boolean(low);
    }
    if (lowered) el(node, "tspan", { dy: -3 }, "\u200b");
  });
}

/** A name as it is drawn: a letter with a small number, like z\u2081, is mathematics. */
const named = (name) => name.replace(/^([a-z])([\u2080-\u2089])$/, (_, letter, low) => `$${letter}_${low.charCodeAt() - 0x2080}$`);

/** Places of things that want to be at `wanted`: in their order, at least so far apart, between the ends, as near as may be. */
function apart(wanted, least, low, high) {
  const order = wanted.map((_, k) => k).sort((i, j) => wanted[i] - wanted[j] || i - j), blocks = [], placed = [];
  order.forEach((k, rank) => {
    let block = { sum: wanted[k] - rank * least, count: 1 }; // things that touch share what they are moved by
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).count > block.sum / block.count) {
      const { sum, count } = blocks.pop();
      block = { sum: sum + block.sum, count: count + block.count };
    }
    blocks.push(block);
  });
  const last = high - (order.length - 1) * least, means = blocks.flatMap(({ sum, count }) => Array(count).fill(sum / count));
  order.forEach((k, rank) => (placed[k] = Math.max(low, Math.min(last, means[rank])) + rank * least));
  return placed;
}

/** An axis at `at` pixels, of side "x" (below) or "y" (left), with ticks, faint lines to `grid` pixels, and a label. */
function axis(parent, side, map, at, { marks = ticks(...map.domain), grid = at, label = "", write = number } = {}) {
  const group = el(parent, "g"), across = side === "x";
  const line = (a, b, c, d, more) => el(group, "line", across ? { x1: a, y1: b, x2: c, y2: d, ...more } : { x1: b, y1: a, x2: d, y2: c, ...more });
  const digits = Math.max(...marks.map((mark) => (String(mark).split(".")[1] ?? "").length), 0);
  for (const mark of marks) {
    line(map(mark), at, map(mark), grid, { stroke: GREY, "stroke-opacity": 0.25 });
    line(map(mark), at, map(mark), at + (across ? 4 : -4), { stroke: INK });
    const place = across ? [map(mark), at + 17] : [at - 7, map(mark) + 4];
    words(group, ...place, write(mark, digits), { "text-anchor": across ? "middle" : "end" });
  }
  line(map.range[0], at, map.range[1], at, { stroke: INK });
  if (label && across) words(group, map.range[1], at + 33, label, { "text-anchor": "end" });
  if (label && !across) words(group, at - 4, Math.min(...map.range) - 9, label, { "text-anchor": "start" });
  return group;
}

/** An arrow from (x, y) to (u, v). */
function arrow(parent, x, y, u, v, attributes = {}) {
  const length = Math.hypot(u - x, v - y) || 1, size = Math.min(7, length), a = (u - x) / length, b = (v - y) / length;
  const side = (turn) => `${(u - size * (a - turn * b)).toFixed(1)} ${(v - size * (b + turn * a)).toFixed(1)}`;
  const d = `M${x.toFixed(1)} ${y.toFixed(1)}L${u.toFixed(1)} ${v.toFixed(1)}M${side(0.5)}L${u.toFixed(1)} ${v.toFixed(1)}L${side(-0.5)}`;
  return el(parent, "path", { d, fill: "none", stroke: INK, "stroke-width": 2, "stroke-linecap": "round", ...attributes });
}

const MARKERS = [12, 4, 3, 4.5, -3, 8]; // corners: disc, square, triangle, diamond, triangle upside down, octagon

/** The k-th marker: shapes differ as colours do. */
function marker(parent, k, x, y, attributes = {}, r = 7) {
  const kind = MARKERS[k % MARKERS.length], corners = Math.floor(Math.abs(kind));
  if (corners === 12) return el(parent, "circle", { cx: x, cy: y, r, stroke: PAPER, ...attributes });
  const turn = kind === 4 ? Math.PI / 4 : kind < 0 ? Math.PI : 0, wide = corners === 3 ? 1.3 * r : 1.15 * r;
  const points = Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / corners;
    return `${(x + wide * Math.sin(angle)).toFixed(1)},${(y - wide * Math.cos(angle)).toFixed(1)}`;
  });
  return el(parent, "polygon", { points: points.join(" "), stroke: PAPER, ...attributes });
}

/** The path through points [x, y]; where one is not finite the line is broken. */
function path(points) {
  let open = false;
  return points
    .map(([x, y]) => {
      const finite = Number.isFinite(x) && Number.isFinite(y), step = finite ? `${open ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}` : "";
      open = finite;
      return step;
    })
    .join("");
}
