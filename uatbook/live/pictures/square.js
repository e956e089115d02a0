// f, the answer of a network and the error over the square of two tokens, for any f that the reader types or paints.
// Every pixel is what all layers of the network make of its sequence; of these layers only the look-up changes with f.

PICTURES.square = {
  /** The weights that hold a function, given by its values at the points of `held.py`: [layer, {name: weights}] of each layer. */
  lookUp({ layers }, values) {
    const lift = Math.max(1, Math.ceil(Math.max(...values)) + 1), found = new Map();
    for (const [number, name, base, entries, lifts] of layers) {
      const weights = Float64Array.from(base);
      for (const [entry, point, c] of entries) weights[entry] += c * values[point];
      for (const [entry, k] of lifts) weights[entry] += k * lift;
      found.set(number, { ...found.get(number), [name]: weights });
    }
    return [...found];
  },

  start(card, { colours, controls, data: { presets, networks, values: valueStops, errors: errorStops, ink } }) {
    const [blue, orange] = colours, PAINTED = "painted by hand", OWN = "my own formula", BRUSHES = ["moves the cross", "raises f", "lowers f"];
    const FULL = 96, COARSE = 48, LINE = 192, HALVINGS = 10, LATTICE = 101, LIMIT = 1e6, NODES = 16, LEVELS = 17, BLANK = "h".repeat(NODES * NODES), REACH = 0.16, RING = 16;
    const start = Object.values(presets)[0];

    // ----------------------------------------------------------------------------------------------------- the function

    /** All points of the square with these coordinates, x_2 running fastest. */
    function grid(axis) {
      const n = axis.length;
      return [Float64Array.from({ length: n * n }, (_, p) => axis[Math.floor(p / n)]), Float64Array.from({ length: n * n }, (_, p) => axis[p % n])];
    }
    const middles = (n) => Array.from({ length: n }, (_, k) => (k + 0.5) / n);
    const lattice = grid(Array.from({ length: LATTICE }, (_, k) => k / (LATTICE - 1)));
    const pixels = { [FULL]: grid(middles(FULL)), [COARSE]: grid(middles(COARSE)) };

    function checked(f, [x1, x2]) {
      const values = f(x1, x2), k = values.findIndex((value) => Math.abs(value) > LIMIT);
      if (k < 0) return values;
      throw new Error(`beyond \u00b110\u2076 at x\u2081 = ${x1[k].toFixed(2)}, x\u2082 = ${x2[k].toFixed(2)}: in double precision the look-up holds no more.`);
    }

    /** What is painted, at each node a height from -1 to 1 in a letter: 0 is -1, h is nothing, y is 1. */
    const heightsOf = (text) => Float64Array.from(text, (letter) => parseInt(letter, 36) / LEVELS - 1);
    const textOf = (heights) => Array.from(heights, (value) => (Math.floor(value * LEVELS + 0.5) + LEVELS).toString(36)).join("");

    /** What is painted, as a function: heights at (k + 1/2)/16, between them in straight lines. */
    function surface(h) {
      const place = (x) => {
        const u = Math.min(NODES - 1, Math.max(0, x * NODES - 0.5)), i = Math.min(Math.floor(u), NODES - 2);
        return [i, u - i];
      };
      return (x1, x2) => x1.map((x, p) => {
        const [i, s] = place(x), [j, t] = place(x2[p]), k = i * NODES + j;
        return (1 - s) * ((1 - t) * h[k] + t * h[k + 1]) + s * ((1 - t) * h[k + NODES] + t * h[k + NODES + 1]);
      });
    }

    let read = null; // the last formula

    /** The function that a formula means, {text, f, most}, on which at most that much is painted: what the scale holds. */
    function formulaOf(text) {
      if (read?.text === text) return read;
      const f = readFormula(text), [, values] = [lattice, pixels[FULL]].map((points) => checked(f, points)), [low, high] = limitsOf(values);
      return (read = { text, f, most: high - low });
    }

    let wanted = null; // the function shown: {key, base, f, touched}, touched where something is painted on it
    let before = null; // the values at the last update

    /** What the menu, the text and the painting mean together; a text that is typed is one's own. */
    function settle(values) {
      const now = { ...values }, changed = Object.keys(now).filter((name) => before && now[name] !== before[name]);
      if (changed.join() === "formula" && now.formula !== presets[now.f]) now.f = OWN;
      else if (presets[now.f]) now.formula = presets[now.f];
      if (now.f !== PAINTED) now.paint = "";
      else now.paint ||= BLANK;
      // Whoever chooses to paint gets the brush; a link to what is painted need not.
      if (changed.includes("f") && now.paint === BLANK && now.brush === BRUSHES[0]) now.brush = BRUSHES[1];
      const moved = Object.keys(now).filter((name) => now[name] !== values[name]);
      if (moved.length) card.set(Object.fromEntries(moved.map((name) => [name, now[name]])));
      before = now;
      return now;
    }

    /** f as it is wanted; an error where it is no number somewhere on the square, or too large a one. */
    function functionOf({ f: kind, formula, paint }) {
      const painted = kind === PAINTED, touched = painted && paint !== BLANK, key = touched ? `${paint} ${formula}` : formula;
      if (wanted?.key === key && wanted.touched === touched && wanted.painted === painted) return wanted;
      const base = formulaOf(formula);
      if (!touched) return { key, base, painted, touched, f: base.f };
      if (!/^[0-9a-y]{256}$/.test(paint)) throw new Error("this is no painted surface.");
      const more = surface(heightsOf(paint)), f = (x1, x2, strict) => {
        const added = more(x1, x2);
        return base.f(x1, x2, strict).map((value, p) => value + base.most * added[p]);
      };
      return { key, base, painted, touched, f };
    }

    // ------------------------------------------------------------------------------------------------------ the network

    const built = {}; // by proof and 1/delta: {net, held}: the network as it was last, and the weights that hold f

    /** The network of a proof for f. */
    function networkFor(proof, N, f) {
      const { network, held } = networks[proof][N], own = (built[`${proof} ${N}`] ??= { net: readNetwork(network), held: [] });
      const values = checked(f, [0, 1].map((k) => Float64Array.from(held.points, (point) => point[k])));
      const now = PICTURES.square.lookUp(held, values);
      const same = (a, b) => Object.keys(a).every((name) => a[name].every((weight, k) => weight === b?.[name][k]));
      now.forEach(([i, weights], k) => {
        if (!same(weights, own.held[k]?.[1])) own.net = own.net.replace(i, weights);
      });
      own.held = now;
      return own.net;
    }

    /** Token 1's answer at all pixels: swapped tokens have swapped answers, so half the square is run. */
    const halves = {};
    function overSquare(net, R) {
      const { pairs, X } = (halves[R] ??= (() => {
        const axis = middles(R), found = axis.flatMap((_, i) => axis.slice(i).map((_, j) => [i, i + j]));
        return { pairs: found, X: Float64Array.from([0, 1].flatMap((k) => found.map((pair) => axis[pair[k]]))) };
      })());
      const out = net.run(X, { n: 2, batch: pairs.length }), g = new Float64Array(R * R);
      pairs.forEach(([i, j], p) => {
        g[i * R + j] = out[p];
        g[j * R + i] = out[pairs.length + p];
      });
      return g;
    }

    /** The least of 1, 1.5, 2, 3, 5, 10 times a power of ten that is not below. */
    function nice(value) {
      const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
      return [1, 1.5, 2, 3, 5, 10].find((m) => m * power >= value * (1 - 1e-9)) * power;
    }

    /** The ends of a scale that holds zero and these values. */
    function limitsOf(...all) {
      const [low, high] = all.reduce(([a, b], values) => [values.reduce((u, v) => Math.min(u, v), a), values.reduce((u, v) => Math.max(u, v), b)], [0, 0]);
      return [low < 0 ? -nice(-low) : 0, high > 0 ? nice(high) : low < 0 ? 0 : 1];
    }

    /** All that depends on f and the cells, over R x R pixels. */
    function over(proof, N, wish, R) {
      const f = checked(wish.f, pixels[R]), net = networkFor(proof, N, wish.f), lost = networks[proof][N]["given up"], g = overSquare(net, R);
      const error = f.map((value, p) => Math.abs(g[p] - value));
      const cell = (k) => Math.floor(((k + 0.5) * N) / R), hatched = error.map((_, p) => lost && cell(Math.floor(p / R)) === cell(p % R));
      const [off, on] = [0, 1].map((side) => error.reduce((most, e, p) => (hatched[p] === side ? Math.max(most, e) : most), 0));
      const worst = Math.max(off, on), squares = error.reduce((sum, e) => sum + e * e, 0);
      return { proof, N, R, wish, lost, net, f, g, error, off, on, worst, limits: limitsOf(f, g), distance: Math.sqrt((2 * squares) / (R * R)) };
    }

    // ------------------------------------------------------------------------------------------------------ the drawing

    const valueTable = palette(valueStops), errorTable = palette(errorStops);

    function paintCanvas(canvas, values, R, [low, high], colours) {
      const step = (p) => Math.round(255 * ((values[p] - low) / (high - low)));
      paintSquare(canvas, R, (p) => colours[Math.min(255, Math.max(0, step(p)))] ?? [128, 128, 128, 255]);
    }

    let panels, plot, errorBar, valueBar, still, hatch, scales, crosses, line, wide, hatchNote;
    let shown = null, drawn = null;

    function layout(width, height) {
      wide = width >= 480;
      const left = wide ? 42 : 26, right = wide ? 10 : 8, gap = wide ? 24 : 36, top = 26, across = wide ? 3 : 2;
      const side = Math.min(wide ? height / 2 : (height - 164) / 2, (width - left - right - gap * (across - 1)) / across);
      const column = (k) => left + k * (side + gap), lower = top + side + 48;
      const places = wide ? [0, 1, 2].map((k) => [column(k), top]) : [[left, top], [column(1), top], [left, lower]];
      still = el(card.svg, "g");
      hatch = el(card.svg, "g");
      crosses = el(card.svg, "g");
      scales = el(card.svg, "g");
      line = el(card.svg, "g");
      panels = ["$f$", "the transformer", "error"].map((title, k) => {
        const [x, y] = places[k];
        words(still, x + side / 2, y - 9, title, { "text-anchor": "middle" });
        el(still, "rect", { x, y, width: side, height: side, fill: "none", stroke: GREY });
        const map = { x: scale([0, 1], [x, x + side]), y: scale([0, 1], [y + side, y]), side, left: x, top: y, canvas: card.canvas(x, y, side, side) };
        for (const [value, anchor] of [[0, "start"], [1, "end"]]) {
          words(still, map.x(value), y + side + 15, String(value), { "text-anchor": anchor });
          if (x === left) words(still, x - 6, map.y(value) + (value ? 11 : 0), String(value), { "text-anchor": "end" });
        }
        words(still, x + side / 2, y + side + 15, "$x_1$", { "text-anchor": "middle" });
        if (x === left) words(still, x - 6, y + side / 2 + 4, "$x_2$", { "text-anchor": "end" });
        return map;
      });
      const [first, second, third] = panels;
      const box = wide ? { x: left, y: lower, right: second.x(1), bottom: height - 34 } : { x: second.left, y: lower, right: second.x(1), bottom: lower + side };
      plot = { ...box, x: scale([0, 1], [box.x + (wide ? 18 : 14), box.right]) };
      valueBar = { x: box.x, y: box.y, width: 10, height: box.bottom - box.y };
      errorBar = { x: third.left, y: third.top + side + (wide ? 34 : 28), width: side - 14, height: 10 }; // where the last number has room
      hatchNote = wide ? [third.left, errorBar.y + 58] : [left, errorBar.y + 46];
      card.place(0, second.x, second.y);
      panels.forEach((panel, k) => {
        const { left: x, top: y } = panel;
        panel.touch = el(card.svg, "rect", { x, y, width: side, height: side, fill: "transparent", style: "cursor: crosshair" });
        card.drag(panel.touch, (u, v) => (k === 0 && isBrush() ? brush() : point(panel, u, v)));
      });
      drawn = null;
    }

    const isBrush = () => card.values.brush !== BRUSHES[0];
    const inSquare = (t) => Math.min(0.99, Math.max(0, Math.round(100 * t) / 100));

    /** Drag in a panel: held at its ring the cross moves along, else it goes where the hand is. */
    function point({ x, y }, u, v) {
      const { x1, x2 } = card.values, grip = [x(x1) - u, y(x2) - v], free = Math.hypot(...grip) < RING, [a, b] = free ? grip : [0, 0];
      const move = (s, t) => card.set({ x1: inSquare(x.invert(s + a)), x2: inSquare(y.invert(t + b)) });
      return { free, jumps: !free, move, end: (cancelled) => cancelled && card.set({ x1, x2 }) };
    }

    /** One touch of the brush at a point of the square. */
    function touch(heights, a, b, up) {
      for (let i = 0; i < NODES; i += 1) {
        for (let j = 0; j < NODES; j += 1) {
          const near = 1 - (((i + 0.5) / NODES - a) ** 2 + ((j + 0.5) / NODES - b) ** 2) / REACH ** 2, k = i * NODES + j;
          if (near > 0) heights[k] = Math.min(1, Math.max(-1, heights[k] + (up ? 0.2 : -0.2) * near * near));
        }
      }
    }

    const beginning = () => heightsOf(wanted.touched ? card.values.paint : BLANK);
    const paintIt = (heights) => card.set({ f: PAINTED, formula: wanted.base.text, paint: textOf(heights) });

    function brush() {
      const [{ x, y }] = panels, { f, formula, paint } = card.values, heights = beginning(), up = card.values.brush === BRUSHES[1];
      let last = null;
      const move = (a, b) => {
        const to = [x.invert(a), y.invert(b)], steps = last ? Math.floor(Math.hypot(to[0] - last[0], to[1] - last[1]) / 0.04) : 1;
        if (!steps) return;
        const from = last ?? to;
        for (let k = 1; k <= steps; k += 1) touch(heights, from[0] + (k / steps) * (to[0] - from[0]), from[1] + (k / steps) * (to[1] - from[1]), up);
        last = to;
        paintIt(heights);
      };
      return { free: true, jumps: true, move, end: (cancelled) => cancelled && card.set({ f, formula, paint }) };
    }

    card.svg.parentElement.addEventListener("keydown", (event) => {
      if (!isBrush() || !/^[-+=]$/.test(event.key) || event.ctrlKey || event.metaKey) return;
      const heights = beginning();
      touch(heights, card.values.x1, card.values.x2, event.key !== "-");
      paintIt(heights);
      event.preventDefault();
    });

    /** What depends on f and the cells, but not on the cross. */
    function drawMaps({ f, g, error, R, N, lost, limits, worst }) {
      [[f, limits, valueTable], [g, limits, valueTable], [error, [0, nice(worst)], errorTable]].forEach((map, k) => paintCanvas(panels[k].canvas, map[0], R, map[1], map[2]));
      const { x, y, side } = panels[1];
      const stripes = Array.from({ length: N }, (_, k) => {
        const [a, b, c] = [x(k / N), y(k / N), side / N], count = Math.max(2, Math.round(c / 7));
        return Array.from({ length: 2 * count - 1 }, (_, i) => {
          const t = (i + 1) / count, [from, to] = [Math.max(0, t - 1), Math.min(1, t)];
          return `M${(a + from * c).toFixed(1)} ${(b - (t - from) * c).toFixed(1)}L${(a + to * c).toFixed(1)} ${(b - (t - to) * c).toFixed(1)}`;
        }).join("");
      });
      redraw(hatch);
      if (lost) {
        el(hatch, "path", { d: stripes.join(""), stroke: "#9a9a9a", "stroke-width": 1.2, fill: "none" });
        const said = wide ? ["hatched: one cell for both", "tokens, answered by 0"] : ["hatched: one cell for both, answered by 0"];
        said.forEach((line, k) => words(hatch, hatchNote[0], hatchNote[1] + 17 * k, line));
      }
      redraw(scales);
      const y1 = scale(limits, [plot.bottom, plot.y]);
      plot.scale = y1;
      gradient(scales, "values", valueStops, valueBar);
      axis(scales, "y", y1, valueBar.x, { grid: plot.right, marks: ticks(...limits, 4) });
      axis(scales, "x", plot.x, plot.bottom, { marks: wide ? [0, 0.2, 0.4, 0.6, 0.8, 1] : [0, 1], grid: plot.y });
      words(scales, (plot.x(0) + plot.x(1)) / 2, plot.bottom + (wide ? 31 : 15), "$x_1$", { "text-anchor": "middle" });
      const top = nice(worst);
      gradient(scales, "error", errorStops, errorBar);
      axis(scales, "x", scale([0, top], [errorBar.x, errorBar.x + errorBar.width]), errorBar.y + errorBar.height, { marks: [0, top / 2, top].map((t) => Number(t.toPrecision(3))) });
    }

    /** The cross in all squares. */
    function drawCrosses(x1, x2) {
      redraw(crosses);
      panels.forEach(({ x, y }, k) => {
        const d = `M${x(0)} ${y(x2)}H${x(1)}M${x(x1)} ${y(0)}V${y(1)}`;
        if (k < 2) el(crosses, "path", { d, stroke: "#010101", "stroke-opacity": 0.45, "stroke-width": 3, fill: "none" });
        el(crosses, "path", { d, stroke: k < 2 ? "#fefefe" : INK, "stroke-width": 1.2, fill: "none" });
        const ring = { cx: x(x1), cy: y(x2), fill: "none" };
        el(crosses, "circle", { ...ring, r: 6, stroke: k < 2 ? "#fefefe" : INK, "stroke-width": 2 });
        if (k !== 1) el(crosses, "circle", { ...ring, r: RING - 0.75, stroke: GREY, "stroke-width": 1.5 }); // as the handle has
      });
    }

    /** Points of a curve through `points`: where it leaps by more than `jump`, the steeper half is halved again and again, so
     * that what is steep becomes a line, and what jumps, by as much at any distance, has a gap. */
    function traced(points, curve, jump) {
      const leap = ({ low, high }) => Math.abs(high[1] - low[1]);
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
    }

    /** f and the network along the horizontal line through the cross. */
    function drawLine({ net, wish, limits }, { x1, x2 }, wantedHere, answer) {
      const at = middles(LINE), along = new Float64Array(LINE).fill(x2), f = wish.f(Float64Array.from(at), along, false);
      const curve = (places) => net.run(Float64Array.from([...places, ...places.map(() => x2)]), { n: 2, batch: places.length }), g = curve(at);
      const { x, scale: y } = plot, jump = 0.02 * (limits[1] - limits[0]);
      redraw(line);
      const steps = traced(at.map((t, k) => [t, g[k]]), curve, jump).map(([t, value]) => [x(t), y(value)]);
      el(line, "path", { d: path(at.map((t, k) => [x(t), y(f[k])])), fill: "none", stroke: blue, "stroke-width": 2 });
      el(line, "path", { d: path(steps), fill: "none", stroke: orange, "stroke-width": 3 });
      el(line, "line", { x1: x(x1), x2: x(x1), y1: y(wantedHere), y2: y(answer), stroke: ink, "stroke-width": 2 });
      marker(line, 0, x(x1), y(wantedHere), { fill: blue }, 5);
      marker(line, 1, x(x1), y(answer), { fill: orange }, 5);
      const [a, b] = [plot.x(0), plot.y - 9];
      if (wide) words(line, a, b, `along $x_2$ = ${number(x2, 2)}`);
      words(line, wide ? plot.right - 116 : a, b, "$f$", { fill: blue });
      words(line, plot.right, b, wide ? "the transformer" : "transformer", { fill: orange, "text-anchor": "end" });
    }

    // -------------------------------------------------------------------------------------------------------- the goals

    const given = controls.find(({ name }) => name === "formula").start;

    /** Whether the f of the start is answered within a tenth at the worst pixel. */
    function isNear({ wish, worst }) {
      if (wish.touched || wish.base.text !== given) return [false, "this is another f"];
      return [worst < 0.1, `at the worst pixel the network misses f by ${number(worst, 3)}`];
    }

    /** Whether the answer at the cross is lost, as both tokens are in one cell. */
    function isLost({ N, lost, wish }, { x1, x2 }, error) {
      const off = `here token 1's answer is off by ${number(error, 3)}`, hatched = lost && Math.floor(N * x1) === Math.floor(N * x2);
      if (wish.touched || !Object.values(presets).includes(wish.base.text)) return [false, "this f is none of the list"];
      return [hatched && error >= 0.9, error >= 0.9 && !hatched ? `${off}, but this cell is not given up` : off];
    }

    // ------------------------------------------------------------------------------------------------------- the update

    const nameOf = ({ base, touched }) => (touched ? `${base.text}, painted on` : base.text);

    function update(given, moving) {
      const values = settle(given), N = Number(values.N), { x1, x2 } = values, messages = {};
      const proof = values.proof ?? Object.keys(networks)[0];
      const show = (wish) => {
        const same = shown?.wish === wish && shown.N === N && shown.proof === proof;
        if (!same || (shown.R < FULL && !moving)) shown = over(proof, N, wish, moving ? COARSE : FULL);
        wanted = wish;
      };
      try {
        show(functionOf(values));
      } catch (error) {
        show(wanted ?? functionOf({ f: OWN, formula: start }));
        messages.formula = `${error.message} The picture still shows ${nameOf(wanted)}.`;
      }
      if (drawn !== shown) drawMaps(shown);
      drawn = shown;
      const { net, wish, off, on, lost, worst, distance } = shown, { weights, proved, everywhere } = networks[proof][N];
      const f = wish.f(Float64Array.of(x1, x2), Float64Array.of(x2, x1), false), g = net.run(Float64Array.of(x1, x2), { n: 2, batch: 1 });
      drawCrosses(x1, x2);
      drawLine(shown, values, f[0], g[0]);
      const [bound, bands, sup] = proved, where = lost && on > off ? `, on the hatched cells; ${number(off, 3)} elsewhere` : "";
      const promise = sup === null ? "no promise at the worst point" : `${number(sup, 3)} at the worst point`;
      const thin = `at most ${number(bound, 3)} outside thin bands between the cells`;
      const most = `at most \u00b1${number(wish.base.most, 3)}`, invites = wish.painted ? `; drag on f to paint on it, ${most}` : "";
      const painted = wish.touched ? `; f is painted on, ${most}` : invites;
      const tokens = [0, 1].map((k) => `token ${k + 1} gets ${number(g[k])}, f says ${number(f[k])}`);
      return {
        text: [
          `${net.depth} layers, ${weights.toLocaleString("en")} weights: misses f by ${number(distance, 3)} on average (d\u2082), by ${number(worst, 3)} at the worst pixel${where}${painted}`,
          `tokens ${number(x1, 2)} and ${number(x2, 2)}: ${tokens.join("; ")}`,
          ...(wish.base.text === start && !wish.touched ? [`proved of this f, ${everywhere ? "also beyond the square" : "on the square"}: d\u2082 ${bands > bound ? thin : `at most ${number(bound + bands, 3)}`}; ${promise}`] : ["no bound is computed of this f: it takes how fast f changes"]),
        ].join("\n"),
        alt: `Three squares, a point for each sequence of two tokens. First f, ${nameOf(wish)}, for token 1. Then what the transformer of ${proof} answers, with ${N} cells a side${lost ? "; on the hatched ones along the diagonal both tokens share a cell" : ""}. Then the error, at most ${number(worst, 3)}. At the cross f is ${number(f[0])} and the transformer answers ${number(g[0])}. Below, both along the line x\u2082 = ${number(x2, 2)}.`,
        messages,
        hide: wish.painted && !isBrush() && !messages.formula ? ["formula"] : [], // under the brush nothing may move
        coarse: shown.R < FULL,
        goals: { everywhere: () => isNear(shown), lost: () => isLost(shown, values, Math.abs(f[0] - g[0])) },
      };
    }

    return { layout, update };
  },
};
