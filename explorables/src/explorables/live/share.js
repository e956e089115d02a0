// A picture that readers hand on: as a card, with a head and a foot.

const SHARP = 2, MARGIN = 20, HEAD = 44, FOOT = 18; // of a card: pixels for one of CSS, and CSS pixels around the picture, above and below

/** Where others find the page, if it says so. */
const online = () => document.querySelector("link[rel=canonical]")?.href;

/** Write a line in this font of so many pixels, in smaller letters if it would be longer than `most`. */
function write(brush, face, size, text, x, y, most) {
  const font = (pixels) => (brush.font = face.replace("@", `${pixels}px`));
  font(size);
  font(size * Math.min(1, most / brush.measureText(text).width));
  brush.fillText(text, x, y);
}

/** What writes the letters of a picture as the page has them, for an image has none of its fonts; `copy`, in the colours of the
 * card, is left without them. */
function lettersOf(svg, copy) {
  const parts = (picture) => [...picture.querySelectorAll("tspan, text:not(:has(tspan))")], inked = parts(copy);
  const written = parts(svg).flatMap((part, k) => {
    if (!part.getNumberOfChars()) return [];
    const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(part), text = part.textContent;
    const given = (name) => inked[k].closest(`[${name}]`)?.getAttribute(name);
    const style = { font: `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`, fillStyle: given("fill"), strokeStyle: given("stroke"), lineWidth: given("stroke-width"), lineJoin: "round" };
    const haloed = given("paint-order"), { a, b, c, d, e, f } = part.getCTM(), { x, y } = part.getStartPositionOfChar(0);
    return (brush) => {
      brush.save();
      brush.transform(a, b, c, d, e, f);
      Object.assign(brush, style);
      if (haloed) brush.strokeText(text, x, y);
      brush.fillText(text, x, y);
      brush.restore();
    };
  });
  copy.querySelectorAll("text").forEach((text) => text.remove());
  return written;
}

/** A copy of the picture in `board`, and its canvases, as pixels, below stairs in these colours and a line, in the face of the
 * page's own; its foot. The card is as large as what is drawn, with equal margins. */
async function bitmap(copy, said, board, { whole, head = whole, stairs = [], ground = "#fff" }) {
  const face = `600 @ ${getComputedStyle(document.querySelector("h1") ?? document.body).fontFamily}`, svg = board.querySelector("svg");
  const { x, y, width: across, height: down } = svg.getBBox();
  plain(copy, said); // its colours become those of the card
  const letters = lettersOf(svg, copy), image = make("img", { src: `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}` });
  await image.decode();
  const sheet = make("canvas", { width: SHARP * (across + 2 * MARGIN), height: SHARP * (down + HEAD + FOOT + 2 * MARGIN) }), brush = sheet.getContext("2d");
  await document.fonts?.load(face.replace("@", "19px"), head).catch(() => {}); // else in the next of its fonts
  brush.fillStyle = ground;
  brush.fillRect(0, 0, sheet.width, sheet.height);
  brush.scale(SHARP, SHARP);
  brush.translate(MARGIN, MARGIN);
  stairs.forEach((colour, k) => {
    brush.fillStyle = colour;
    brush.fillRect(8 * k, 18 - 8 * k, 7, 6 + 8 * k);
  });
  brush.fillStyle = "#000";
  const beside = 8 * stairs.length + (stairs.length && 6);
  write(brush, face, 19, head, beside, 21, across - beside);
  const foot = HEAD + down + 18, there = online() && new URL(document.documentElement.dataset.content_root ?? ".", online());
  if (head !== whole) write(brush, face, 11, whole, 0, foot, 0.6 * across);
  brush.textAlign = "right";
  if (there) write(brush, face, 11, (there.host + there.pathname).replace(/\/$/, ""), across, foot, head === whole ? across : 0.38 * across);
  brush.textAlign = "left";
  brush.translate(-x, HEAD - y);
  brush.imageSmoothingEnabled = false;
  for (const canvas of [...board.querySelectorAll("canvas")].reverse()) {
    brush.drawImage(canvas, ...["left", "top", "width", "height"].map((side) => parseFloat(canvas.style[side])));
  }
  brush.drawImage(image, 0, 0, Number(copy.getAttribute("width")), Number(copy.getAttribute("height")));
  letters.forEach((written) => written(brush));
  return new Promise((done) => sheet.toBlob(done));
}

/** Hand on these pixels and words, with the link to a setting: to what the device shares with, or among the downloads, and the
 * link where the next paste takes it. The button that was pressed says so; so does what is returned. */
async function handOn(pixels, text, { called, hash = "", pressed }) {
  const file = new File([pixels], `${called.replace(/\W+/g, "-").replace(/^-|-$/g, "").slice(0, 60)}.png`, { type: "image/png" });
  const there = online() ?? (location.protocol === "file:" ? null : location.href); // nobody else finds a page in a folder
  const url = there && new URL(hash, there).href, parcel = { files: [file], text, ...(url && { url }) };
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.(parcel)) {
    navigator.share(parcel).catch(() => {}); // thought better of it
    return "";
  }
  offer(file, file.name);
  const copied = await Promise.resolve(url && navigator.clipboard?.writeText(url).then(() => true)).catch(() => false);
  if (pressed) {
    const word = (pressed.dataset.word ??= pressed.textContent); // what was done is said where the hand is
    pressed.textContent = copied ? "Saved, link copied" : "Saved";
    clearTimeout(Number(pressed.dataset.timer));
    pressed.dataset.timer = setTimeout(() => (pressed.textContent = word), 4000);
  }
  return `The card is among your downloads${copied ? ", and the link to this setting is copied" : ""}.`;
}
