// First frames of live pictures, where there is no page: the pictures' own scripts, in node. node.py sends a line of JSON
// for each, and gets a line; the arguments are the scripts that a page would have loaded.
//
// Of a page pictures need elements that hold others and texts, and canvases that hold pixels; they measure nothing.

const { crc32, deflateSync } = require("node:zlib");

const escaped = (text) => String(text).replace(/[&<"]/g, (sign) => `&#${sign.charCodeAt()};`);

class Element {
  constructor(nodeName) {
    Object.assign(this, { nodeName, parentElement: null, attributes: {}, childNodes: [] });
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  append(...nodes) {
    for (const node of nodes.filter((node) => node instanceof Element)) {
      node.remove();
      node.parentElement = this;
    }
    this.childNodes.push(...nodes);
  }
  remove() {
    if (this.parentElement) this.parentElement.childNodes = this.parentElement.childNodes.filter((node) => node !== this);
  }
  removeChild(node) {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
  }
  replaceChild(node, old) {
    node.parentElement = this;
    this.childNodes[this.childNodes.indexOf(old)] = node;
  }
  replaceChildren(...nodes) {
    this.childNodes = [];
    this.append(...nodes);
  }
  set textContent(text) {
    this.childNodes = [text];
  }
  set disabled(is) {
    if (is) this.attributes.disabled = "";
    else delete this.attributes.disabled;
  }
  set value(value) {
    this.attributes.value = value;
  }
  set max(value) {
    this.attributes.max = value;
  }
  addEventListener() {}
  get outerHTML() {
    if (this.attributes.fill === "transparent") return ""; // what a hand can touch
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
    const inside = this.childNodes.map((node) => node.outerHTML ?? escaped(node));
    return `<${this.nodeName}${attributes.join("")}>${inside.join("")}</${this.nodeName}>`;
  }
}

/** A canvas, for maps of many pixels; it becomes a bitmap in the picture. */
class Canvas {
  constructor(place) {
    this.place = place;
  }
  getContext() {
    return {
      createImageData: (width, height) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) }),
      putImageData: (image) => (this.image = image),
    };
  }
  get href() {
    return `data:image/png;base64,${png(this.image).toString("base64")}`;
  }
}

/** Pixels as a file. */
function png({ width, height, data }) {
  const chunk = (kind, bytes) => {
    const body = Buffer.concat([Buffer.from(kind), bytes]), ends = [body.length - 4, crc32(body)].map((number) => {
      const end = Buffer.alloc(4);
      end.writeUInt32BE(number);
      return end;
    });
    return Buffer.concat([ends[0], body, ends[1]]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8); // bits a channel; red, green, blue and opacity
  const rows = Buffer.alloc(height * (4 * width + 1)); // a row starts with the number of its filter, 0
  for (let r = 0; r < height; r += 1) rows.set(data.subarray(4 * width * r, 4 * width * (r + 1)), r * (4 * width + 1) + 1);
  const chunks = [chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

globalThis.document = { createElementNS: (_, name) => new Element(name) };
globalThis.letScroll = () => {};
globalThis.make = (tag, attributes, ...children) => {
  const made = set(new Element(tag), attributes);
  made.append(...children);
  return made;
};

/** What the card of live.js would show at these positions, if its stage were so wide, and nobody moved anything. A picture that
 * is drawn at some sizes alone has its buttons, too: they stand there before they can be pressed. */
function firstFrame(spec, positions, given) {
  const [width, height, low] = [given].flat(), canvases = [], tools = [];
  const svg = new Element("svg");
  new Element("div").append(svg);
  let at = positions, moved = true;
  const card = {
    svg,
    place() {},
    drag() {},
    slot: spec.drawn && ((x, y, wide, ...parts) => {
      const row = () => `<div class="slot" style="position: static">${parts.map((part) => part.outerHTML).join("")}</div>`;
      tools.push(() => `<foreignObject x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${wide.toFixed(2)}" height="60">${row()}</foreignObject>`);
    }),
    get values() {
      return valuesAt(spec.controls, at);
    },
    canvas(...place) {
      canvases.push(new Canvas(place));
      return canvases.at(-1);
    },
    set(wanted) {
      const before = at;
      at = movedTo(spec.controls, at, wanted);
      moved ||= at.some((position, i) => !Object.is(position, before[i]));
    },
  };
  const picture = PICTURES[spec.picture].start(card, spec);
  picture.layout(width, height, Boolean(low));
  let shown;
  while (moved) {
    moved = false; // what a picture moves itself is drawn, too
    shown = picture.update(card.values, false);
    finish();
  }
  const [complaint] = Object.values(shown.messages ?? {});
  if (complaint) throw new Error(complaint);
  const bitmaps = canvases.map((canvas) => {
    const [x, y, w, h] = canvas.place, image = new Element("image"), style = "image-rendering: pixelated";
    set(image, { x, y, width: w, height: h, preserveAspectRatio: "none", style, href: canvas.href });
    return image;
  });
  svg.replaceChildren(...bitmaps, ...svg.childNodes);
  const size = { width: `${0.75 * width}pt`, height: `${0.75 * height}pt`, viewBox: `0 0 ${width} ${height}` };
  set(svg, { xmlns: "http://www.w3.org/2000/svg", ...size });
  const { text, alt, hide = [], choices = {}, goals } = shown;
  return { svg: svg.outerHTML, tools: tools.map((tool) => tool()).join(""), text, alt, hide, goals: judged(spec.goals, goals), choices: Object.fromEntries(Object.entries(choices).map(inWords)) };

  /** What a menu offers, as {key: text}. */
  function inWords([name, offered]) {
    const { keys, texts } = spec.controls.find((control) => control.name === name);
    const written = (key) => [key, texts[keys.indexOf(key)]];
    return [name, Array.isArray(offered) ? Object.fromEntries(offered.map(written)) : offered];
  }
}

const { readFileSync } = require("node:fs"), { runInThisContext } = require("node:vm");
runInThisContext(process.argv.slice(2).map((file) => readFileSync(file, "utf8")).join(""));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { spec, at, widths } = JSON.parse(line);
  let answer;
  try {
    const sizes = widths.map((size) => (typeof size === "number" ? [size, heightOf(spec.size, size)] : size));
    const frames = sizes.map((size) => firstFrame(spec, at, size)), { svg: _, tools: __, ...said } = frames[0];
    answer = { drawings: frames.map(({ svg }) => svg), tools: frames.map(({ tools }) => tools), ...said };
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
});
