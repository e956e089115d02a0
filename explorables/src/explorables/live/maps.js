// Maps of colours, for pictures of many pixels.

/** 256 colours [r, g, b, a] of a map of which some are given in hex. */
function palette(hex) {
  const stops = hex.map((colour) => [1, 3, 5, 7].map((k) => parseInt(colour.slice(k, k + 2), 16)));
  return Array.from({ length: 256 }, (_, i) => {
    const u = (i / 255) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(u));
    return stops[k].map((value, c) => value + (u - k) * (stops[k + 1][c] - value));
  });
}

/** R x R pixels of the colours `colour(i R + j)`, i from the left and j from below. */
function paintSquare(canvas, R, colour) {
  canvas.width = canvas.height = R;
  const context = canvas.getContext("2d"), image = context.createImageData(R, R), { data } = image;
  for (let p = 0; p < R * R; p += 1) {
    const found = colour(p), at = 4 * ((R - 1 - (p % R)) * R + Math.floor(p / R));
    for (let c = 0; c < 4; c += 1) data[at + c] = found[c];
  }
  context.putImageData(image, 0, 0);
}

/** R x R numbers from low to high, in 256 colours; what is no number is grey. */
function paintNumbers(canvas, values, R, [low, high], colours) {
  const step = (p) => Math.round(255 * ((values[p] - low) / (high - low)));
  paintSquare(canvas, R, (p) => colours[Math.min(255, Math.max(0, step(p)))] ?? [128, 128, 128, 255]);
}

/** What the colours of a map mean, of which some are given in hex: a bar along an axis. */
function gradient(parent, id, hex, box) {
  const across = box.width > box.height ? 1 : 0;
  const fill = el(el(parent, "defs"), "linearGradient", { id, x1: 0, x2: across, y1: 1 - across, y2: 0 });
  hex.forEach((colour, k) => {
    const opacity = parseInt(colour.slice(7), 16) / 255;
    el(fill, "stop", { offset: k / (hex.length - 1), "stop-color": colour.slice(0, 7), "stop-opacity": opacity });
  });
  el(parent, "rect", { ...box, fill: `url(#${id})`, stroke: GREY, "stroke-width": 0.5 });
}
