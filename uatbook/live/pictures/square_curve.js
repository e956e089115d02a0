// The lower picture of a square: f and the answers along the horizontal line through the cross.

/**
 * Points of a curve through `points`: where it leaps by more than `jump`, the steeper half is halved again and again, so
 * that what is steep becomes a line, and what jumps, by as much at any distance, has a gap.
 */
PICTURES.square.traced = (points, curve, jump) => {
  const HALVINGS = 10, leap = ({ low, high }) => Math.abs(high[1] - low[1]);
  const spans = points.slice(1).map((high, k) => ({ low: points[k], high, from: points[k], within: [] }));
  for (const span of spans) span.whole = leap(span);
  for (let k = 0; k < HALVINGS; k += 1) {
    const steep = spans.filter((span) => leap(span) > jump), middle = steep.map(({ low, high }) => (low[0] + high[0]) / 2);
    if (!steep.length) break;
    const values = curve(middle);
    steep.forEach((span, i) => {
      const point = [middle[i], values[i]];
      span.within.push(point);
      if (Math.abs(point[1] - span.low[1]) > Math.abs(span.high[1] - point[1])) span.high = point;
      else span.low = point;
    });
  }
  return spans.flatMap((span) => {
    const torn = leap(span) > Math.max(jump, span.whole / 2), inner = span.within.sort((a, b) => a[0] - b[0]);
    const at = inner.filter(([t]) => t <= span.low[0]).length;
    return [span.from, ...inner.slice(0, at), ...(torn ? [[NaN, NaN]] : []), ...inner.slice(at)];
  }).concat(points.slice(-1));
};

/** What a network answers along the line x_2 = x2: at places t, and as points of a curve; it is kept while the line stays. */
PICTURES.square.lineOf = (one, x2) => {
  if (one.line?.x2 === x2) return one.line;
  const { net, limits: [low, high] } = one, at = FUNCTIONS.middles(192);
  const curve = (places) => net.run(Float64Array.from([...places, ...places.map(() => x2)]), { n: 2, batch: places.length }), g = curve(at);
  return (one.line = { x2, g, points: PICTURES.square.traced(at.map((t, i) => [t, g[i]]), curve, 0.02 * (high - low)) });
};

/**
 * Write on each of `curves`, {text, colour, points}, in pixels, what it is: where it is farthest from the others, on the side
 * that they leave free, between `foot` and `roof`, and not on another name.
 */
PICTURES.square.nameCurves = (group, curves, [foot, roof]) => {
  const ROOM = 30, LEAST = 12, taken = [], mean = (all) => all.reduce((a, b) => a + b, 0) / all.length;
  for (const { text, colour, points } of curves) {
    const others = curves.filter((one) => one.points !== points), half = 4 + 3.4 * text.replaceAll("$", "").length;
    const [first, last] = [points[0], points.at(-1)].map(([x]) => x);
    const places = points.map(([x, y], k) => {
      const above = y < mean(others.map((one) => one.points[k][1])), sides = above ? [y - 7, y + 16] : [y + 16, y - 7];
      const at = [x, sides.find((v) => v - 12 > roof && v + 2 < foot) ?? sides[0]];
      const free = Math.min(ROOM, ...others.map((one) => Math.abs(one.points[k][1] - y)));
      const clash = taken.some(([u, v, wide]) => Math.abs(u - x) < half + wide && Math.abs(v - at[1]) < LEAST + 3);
      return { at, worth: x - half < first || x + half > last ? -2 : clash ? -1 : free };
    });
    const { at } = places.reduce((best, place) => (place.worth > best.worth ? place : best));
    taken.push([...at, half]);
    words(group, ...at, text, { fill: colour, "text-anchor": "middle", ...HALO });
  }
};

/**
 * Draw f and each of `shown`, the networks with their colours and what they answer at the cross (null: not yet), along
 * the line through the cross in `plot`.
 */
PICTURES.square.drawLine = (line, plot, { x1, x2 }, { f: [wanted, blue], shown, ink, wide }) => {
  const [{ one: { wish } }] = shown, at = FUNCTIONS.middles(192), f = wish.f(Float64Array.from(at), new Float64Array(at.length).fill(x2), false);
  const { x, scale: y } = plot, [a, b] = [plot.x(0), plot.y - 8], two = shown.length > 1;
  redraw(line);
  words(line, a, b, `along token 2 = ${number(x2, 2)}`);
  const curves = [{ text: "$f$", colour: blue, points: at.map((t, k) => [x(t), y(f[k])]) }];
  el(line, "path", { d: path(at.map((t, k) => [x(t), y(f[k])])), fill: "none", stroke: blue, "stroke-width": 2 });
  shown.forEach(({ one, colour, name, answer }, k) => {
    if (answer === null) return;
    const { g, points } = PICTURES.square.lineOf(one, x2);
    el(line, "path", { d: path(points.map(([t, value]) => [x(t), y(value)])), fill: "none", stroke: colour, "stroke-width": two && k ? 2 : 3 });
    if (k === 0) el(line, "line", { x1: x(x1), x2: x(x1), y1: y(wanted), y2: y(answer), stroke: ink, "stroke-width": 2 });
    marker(line, k + 1, x(x1), y(answer), { fill: colour }, 5);
    curves.push({ text: two ? name : wide ? "the transformer" : "transformer", colour, points: at.map((t, i) => [x(t), y(g[i])]) });
  });
  marker(line, 0, x(x1), y(wanted), { fill: blue }, 5);
  PICTURES.square.nameCurves(line, curves, y.range);
};
