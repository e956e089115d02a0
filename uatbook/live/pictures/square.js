// f, the answer of a network and the error over the square of two tokens, for any f that the reader types or paints.
// Every pixel is what all layers of the network make of its sequence; of these layers only the look-up changes with f.
// The film shows it after fewer layers: each frame is the state of token 1 then, in the colour of the step that made it.

PICTURES.square = {
  /**
   * What a state of token 1 is after k layers, of `steps` = [layers that cut, and that tell apart as well, all]: [step,
   * number]. It is still a token until it leaps, then an id until it is looked up, then an answer, which waits lowered.
   */
  stageOf(k, [cut, told, all], state, token, id, lift) {
    const far = (a, b) => Math.abs(a - b) > 0.001 * Math.max(1, Math.abs(b));
    if (k === all) return [2, state];
    if (k <= cut || (k < told && !far(state, token))) return [0, state];
    const filed = all > told + 1; // one layer for each id; what is given up is 0 from then on
    if (k <= told || !(far(state, id) || (filed && state < 0.01))) return [1, state];
    return [2, state < -0.5 && filed ? state + lift : state];
  },

  /** The layer of a film at a moment from 0 to 1: it dwells at the start, and each step takes its time. */
  layerAt(moment, [cut, told, all]) {
    const parts = [[0, 0, 0.06], [0, cut, 0.2], [cut, told, 0.2], [told, all, 0.54]];
    let rest = moment;
    for (const [from, to, share] of parts) {
      if (rest < share) return Math.min(to, from + Math.ceil((rest / share) * (to - from)));
      rest -= share;
    }
    return all;
  },

  start(card, { colours, controls, data: { presets, networks, values: valueStops, errors: errorStops, ink, steps: STEPS, plays } }) {
    const [blue] = colours, look = STEPS[2], PAINTED = "painted by hand", OWN = "my own formula", LOWERS = "lowers", RUNS = 10_000;
    const { FULL, COARSE, NODES, BLANK, middles, pixels, heightsOf, textOf, nice, overSquare, meaning, measuring } = FUNCTIONS;
    const LINE = 192, HALVINGS = 10, REACH = 0.16, RING = 16;
    const start = Object.values(presets)[0];

    // ----------------------------------------------------------------------------------------------------- the function

    let wanted = null; // the function shown: {key, base, f, touched}, touched where something is painted on it
    let before = null; // the values at the last update

    /** What the menu, the text and the painting mean together; a text that is typed is one's own. */
    function settle(values) {
      const now = { ...values }, changed = Object.keys(now).filter((name) => before && now[name] !== before[name]), films = ["proof", "N", "f", "formula", "paint"];
      if (changed.join() === "formula" && now.formula !== presets[now.f]) now.f = OWN;
      else if (presets[now.f]) now.formula = presets[now.f];
      if (now.f !== PAINTED || now.paint === BLANK) now.paint = "";
      if (now.f === PAINTED && !now.paint) now.f = nameless(now.formula);
      if (changed.some((name) => films.includes(name))) {
        stop();
        if (now.layer === before.layer) now.layer = "";
      }
      const moved = Object.keys(now).filter((name) => now[name] !== values[name]);
      if (moved.length) card.set(Object.fromEntries(moved.map((name) => [name, now[name]])));
      before = now;
      return now;
    }

    /** The choice of the menu that has this formula. */
    const nameless = (formula) => Object.keys(presets).find((name) => presets[name] === formula) ?? OWN;

    /** f as it is wanted; an error where it is no number somewhere on the square, or too large a one. */
    function functionOf({ f: kind, formula, paint }) {
      const painted = kind === PAINTED, touched = painted && paint !== "", key = touched ? `${paint} ${formula}` : formula;
      if (wanted?.key === key && wanted.touched === touched && wanted.painted === painted) return wanted;
      return { key, painted, ...meaning(formula, touched ? paint : "") };
    }

    // ------------------------------------------------------------------------------------------------------ the network

    const over = measuring(networks);

    // ------------------------------------------------------------------------------------------------------ the drawing

    const valueTable = palette(valueStops), errorTable = palette(errorStops);

    const tables = STEPS.map((colour, k) => palette(k < 2 ? [k ? "#f3e6faff" : "#e3f4f2ff", `${colour}ff`, k ? "#35104aff" : "#032f2bff"] : valueStops));

    let panels, plot, errorBar, valueBar, still, hatch, scales, crosses, line, wide, hatchNote, counter, glow, filmRow, buttons;
    let shown = null, drawn = null;

    function layout(width) {
      wide = width >= 540;
      const left = wide ? 42 : 24, right = wide ? 10 : 8, gap = wide ? 24 : 34, top = 26, across = wide ? 3 : 2;
      const side = Math.min(wide ? 240 : 160, (width - left - right - gap * (across - 1)) / across);
      const column = (k) => left + k * (side + gap), under = top + side, lower = under + (wide ? 88 : 84);
      const places = wide ? [0, 1, 2].map((k) => [column(k), top]) : [[left, top], [column(1), top], [left, lower]];
      still = el(card.svg, "g");
      hatch = el(card.svg, "g");
      glow = el(card.svg, "g");
      crosses = el(card.svg, "g");
      scales = el(card.svg, "g");
      counter = el(card.svg, "g");
      line = el(card.svg, "g");
      panels = ["$f$: paint on it", "the transformer", "error"].map((title, k) => {
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
      const y0 = wide ? lower : lower + side + 100, box = { x: left, y: y0, right: second.x(1), bottom: y0 + 130 };
      plot = { ...box, x: scale([0, 1], [box.x + 18, box.right]) };
      valueBar = { x: box.x, y: box.y, width: 10, height: box.bottom - box.y };
      errorBar = { x: third.left, y: third.top + side + (wide ? 34 : 28), width: side - 14, height: 10 }; // where the last number has room
      hatchNote = wide ? [third.left, box.y + 122] : [left, errorBar.y + 46];
      filmRow = wide ? [third.left, box.y] : [second.left, lower];
      card.slot?.(first.left, under + 22, side, ...painter());
      const row = wide ? [second.left, under + 26] : [second.left, lower + 80];
      card.slot?.(...row, side, ...projector());
      card.place(0, second.x, second.y);
      panels.forEach((panel, k) => {
        const { left: x, top: y } = panel;
        panel.touch = el(card.svg, "rect", { x, y, width: side, height: side, fill: "transparent", style: "cursor: crosshair" });
        card.drag(panel.touch, (u, v) => {
          if (k === 0) return brush();
          if (!playing) return point(panel, u, v);
          pause(); // a touch of what moves holds it
          return null;
        });
      });
      drawn = null;
    }

    const lowers = () => card.values.brush === LOWERS;
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

    /** What is to be had of painting: less instead of more, and a clean sheet. */
    function painter() {
      const less = make("button", { type: "button", "aria-pressed": String(lowers()) }, "Lower"), clear = make("button", { type: "button" }, "Clear");
      less.addEventListener("click", () => card.set({ brush: lowers() ? "" : LOWERS }));
      clear.addEventListener("click", () => card.set({ f: nameless(card.values.formula), paint: "" }));
      buttons = { ...buttons, less, clear };
      return [less, clear];
    }

    const beginning = () => heightsOf(wanted.touched ? card.values.paint : BLANK);
    const paintIt = (heights) => card.set({ f: PAINTED, formula: wanted.base.text, paint: textOf(heights) });

    function brush() {
      const [{ x, y }] = panels, { f, formula, paint } = card.values, heights = beginning(), up = !lowers();
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
      if (event.key === " " && event.target.closest?.(".handle") && stepsNow()) {
        event.preventDefault();
        return void (playing ? pause() : play());
      }
      if (!/^[-+=]$/.test(event.key) || event.ctrlKey || event.metaKey) return;
      const heights = beginning();
      touch(heights, card.values.x1, card.values.x2, (event.key !== "-") !== lowers());
      paintIt(heights);
      event.preventDefault();
    });

    // --------------------------------------------------------------------------------------------------------- the film

    let film = null; // the states after each layer: {net, states, steps, lift}, of what is shown
    let playing = 0; // the frame that comes next
    let moment = 1; // of the film, from 0 to 1

    const stepsNow = () => shown && networks[shown.proof][shown.N].steps;

    function filmed() {
      const { net, proof, N } = shown;
      if (film?.net !== net) {
        const lazy = overSquare(net, COARSE, true), kept = [];
        const states = (k) => (kept[k] ??= lazy[k]());
        film = { net, states, steps: [...networks[proof][N].steps, net.depth], lift: shown.lift, f: shown.wish.f(...pixels(COARSE)) };
      }
      return film;
    }

    /** For each pixel what it is after k layers: [step, number]. */
    function frame(k) {
      const { states, steps, lift } = filmed(), [state, token, id] = [k, steps[0], steps[1]].map(states);
      return Array.from(state, (value, p) => PICTURES.square.stageOf(k, steps, value, token[p], id[p], lift));
    }

    /** The transformer after k layers, and by how much the answers miss f that it has given. */
    function drawFrame(k) {
      const { steps, states, f } = filmed(), found = frame(k), small = (t) => Math.sqrt(Math.max(0, t)), { limits, N } = shown;
      const most = (film.most ??= small(states(steps[1]).reduce((a, b) => Math.max(a, b), 0)));
      const shade = ([step, value]) => (step === 2 ? (value - limits[0]) / (limits[1] - limits[0]) : step ? small(value) / most : value);
      const byte = (t) => Math.min(255, Math.max(0, Math.round(255 * t)));
      paintSquare(panels[1].canvas, COARSE, (p) => tables[found[p][0]][byte(shade(found[p]))] ?? [128, 128, 128, 255]);
      const top = nice(shown.worst);
      paintSquare(panels[2].canvas, COARSE, (p) => (found[p][0] === 2 ? errorTable[byte(Math.abs(found[p][1] - f[p]) / top)] : [128, 128, 128, 70]));
      drawn = null;
      // A ring around each cell that this layer has looked up.
      redraw(glow);
      if (k <= steps[1] || k === net().depth) return;
      const earlier = frame(k - 1), { x, y, side } = panels[1], cells = new Set();
      found.forEach(([step], p) => step === 2 && earlier[p][0] !== 2 && cells.add(Math.floor((Math.floor(p / COARSE) * N) / COARSE) * N + Math.floor(((p % COARSE) * N) / COARSE)));
      for (const cell of cells) {
        const [i, j] = [Math.floor(cell / N), cell % N];
        el(glow, "rect", { x: x(i / N) - 3, y: y((j + 1) / N) - 3, width: side / N + 6, height: side / N + 6, fill: "none", stroke: STEPS[2], "stroke-width": 3 });
      }
    }

    const net = () => shown.net;

    /** Which layer, of which step, has run last. */
    function drawCounter(k) {
      redraw(counter);
      const steps = stepsNow(), [x, y] = filmRow, depth = net().depth;
      const step = !steps || k === depth ? -1 : k <= steps[0] ? 0 : k <= steps[1] ? 1 : 2, names = ["cut", "tell apart", "look up"];
      const said = k === depth ? `${depth} layers` : `layer ${k} of ${depth}`;
      words(counter, x, y + 14, said, { "font-weight": "bold" });
      names.forEach((text, n) => words(counter, x, y + 34 + 18 * n, text, { "font-weight": n === step ? "bold" : "normal", "text-decoration": n === step ? "underline" : "none", fill: STEPS[n] }));
      const sentence = k === depth ? [`misses $f$ by ${number(shown.distance, 3)}`, "on average"] : ["grey: not yet answered"];
      sentence.forEach((part, n) => words(counter, x, y + (wide ? 92 : 130) + 16 * n, part));
      if (buttons?.film) {
        buttons.film.disabled = buttons.scrub.disabled = !steps;
        if (steps) buttons.scrub.max = depth;
        buttons.scrub.value = k;
        buttons.scrub.setAttribute("aria-valuetext", `${said}${step < 0 ? "" : `, ${names[step]}`}`);
      }
    }

    function projector() {
      const film = make("button", { type: "button" }, ""), scrub = make("input", { type: "range", min: 0, max: 1, step: 1, "aria-label": "layers that have run", autocomplete: "off" });
      film.addEventListener("click", () => (playing ? pause() : play()));
      scrub.addEventListener("input", () => {
        stop();
        card.set({ layer: Number(scrub.value) === net().depth ? "" : scrub.value });
      });
      scrub.addEventListener("keydown", ({ key }) => key !== "Tab" && playing && pause()); // a key that moves nothing holds it, too
      letScroll(scrub);
      buttons = { ...buttons, film, scrub };
      sayPlaying();
      return [film, scrub];
    }

    function sayPlaying() {
      if (!buttons?.film) return;
      const word = playing ? "Pause" : "Play";
      buttons.film.textContent = word;
      buttons.film.setAttribute("aria-label", `${word} the layers`);
    }

    function stop() {
      if (playing) cancelAnimationFrame(playing);
      playing = 0;
      sayPlaying();
    }

    /** Stand where the film is. */
    function pause() {
      stop();
      const k = PICTURES.square.layerAt(moment, filmed().steps);
      card.set({ layer: k === net().depth ? "" : String(k) });
      refresh();
    }

    const refresh = () => card.redraw?.();
    let seen = true; // whether the picture is on the screen

    /** From where it stands, or from the start. */
    function play() {
      const { layer } = card.values, { steps } = filmed();
      let last = performance.now(), drawnLayer = -1;
      moment = 0;
      while (layer && moment < 1 && PICTURES.square.layerAt(moment, steps) < Number(layer)) moment += 0.002;
      const step = (now) => {
        playing = requestAnimationFrame(step);
        if (seen) moment = Math.min(1, moment + Math.min(100, now - last) / RUNS);
        last = now;
        const k = PICTURES.square.layerAt(moment, filmed().steps);
        if (k !== drawnLayer) {
          drawnLayer = k;
          drawFrame(k);
          drawCounter(k);
          finish();
        }
        if (moment < 1) return;
        stop();
        card.set({ layer: "" });
        refresh();
      };
      playing = requestAnimationFrame(step);
      sayPlaying();
      if (layer) card.set({ layer: "" });
      refresh();
    }

    /** The film begins by itself where the page wants it, once it is seen, if nobody asks for less motion or for a setting. */
    let begins = Boolean(plays && card.stage && !matchMedia("(prefers-reduced-motion: reduce)").matches && controls.every(({ name, keys, start: first }) => card.values[name] === (keys?.[first] ?? first)));
    try {
      new IntersectionObserver((entries) => (seen = entries.at(-1).isIntersecting), { threshold: 0.2 }).observe(card.stage);
    } catch {
      // An older browser: it plays on.
    }

    /** What depends on f and the cells, but not on the cross. */
    function drawMaps({ f, g, error, R, N, lost, limits, worst }) {
      [[f, limits, valueTable], [g, limits, valueTable], [error, [0, nice(worst)], errorTable]].forEach((map, k) => paintNumbers(panels[k].canvas, map[0], R, map[1], map[2]));
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
        if (k === 2) el(crosses, "circle", { ...ring, r: RING - 0.75, stroke: GREY, "stroke-width": 1.5 }); // as the handle has
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
      const curve = (places) => net.run(Float64Array.from([...places, ...places.map(() => x2)]), { n: 2, batch: places.length }), g = answer === null ? [] : curve(at);
      const { x, scale: y } = plot, jump = 0.02 * (limits[1] - limits[0]);
      redraw(line);
      const drawnSteps = () => traced(at.map((t, k) => [t, g[k]]), curve, jump).map(([t, value]) => [x(t), y(value)]);
      const [a, b] = [plot.x(0), plot.y - 9];
      if (wide) words(line, a, b, `along $x_2$ = ${number(x2, 2)}`);
      words(line, wide ? plot.right - 116 : a, b, "$f$", { fill: blue });
      el(line, "path", { d: path(at.map((t, k) => [x(t), y(f[k])])), fill: "none", stroke: blue, "stroke-width": 2 });
      if (answer === null) return; // not yet given
      el(line, "path", { d: path(drawnSteps()), fill: "none", stroke: look, "stroke-width": 3 });
      el(line, "line", { x1: x(x1), x2: x(x1), y1: y(wantedHere), y2: y(answer), stroke: ink, "stroke-width": 2 });
      marker(line, 0, x(x1), y(wantedHere), { fill: blue }, 5);
      marker(line, 1, x(x1), y(answer), { fill: look }, 5);
      words(line, plot.right, b, wide ? "the transformer" : "transformer", { fill: look, "text-anchor": "end" });
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

    /** What token 1 is at the pixels of the film after k layers, in words. */
    function afterWords(k) {
      const counts = [0, 0, 0];
      for (const [step] of frame(k)) counts[step] += 1;
      const share = (count) => `${number((100 * count) / COARSE ** 2, 0)} %`;
      return `token 1 is a number between 0 and 1 on ${share(counts[0])} of the square, an id on ${share(counts[1])}, an answer on ${share(counts[2])}`;
    }

    const STEP = "A step. The theorems ask for continuous f. On average the network still comes as near as you please, as a continuous f differs from this one only on a strip as thin as you please. At the step itself no network here comes nearer than half its height: all of them are continuous.";
    const nameOf = ({ base, touched }) => (touched ? `${base.text}, painted on` : base.text);

    function update(given, moving) {
      const values = settle(given), N = Number(values.N), { x1, x2 } = values, messages = {}, remarks = {};
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
      if (wanted.base.f.steps && !messages.formula) remarks.formula = STEP;
      if (drawn !== shown) drawMaps(shown);
      drawn = shown;
      const { net, wish, off, on, lost, worst, distance } = shown, { weights, proved, everywhere } = networks[proof][N];
      const f = wish.f(Float64Array.of(x1, x2), Float64Array.of(x2, x1), false), g = net.run(Float64Array.of(x1, x2), { n: 2, batch: 1 });
      const all = net.depth, k = stepsNow() && /^\d{1,4}$/.test(values.layer) ? Math.min(all, Number(values.layer)) : all;
      if (begins && stepsNow()) {
        begins = false;
        playing = setTimeout(() => playing && play()); // the page comes first
      }
      if (playing || k < all) redraw(hatch);
      if (playing && film?.net === net) drawFrame(PICTURES.square.layerAt(moment, film.steps));
      else if (k < all) drawFrame(k);
      else redraw(glow);
      if (!playing) drawCounter(k);
      buttons?.less.setAttribute("aria-pressed", String(lowers()));
      if (buttons) buttons.clear.disabled = !wish.touched;
      if (!playing && k === all) drawCrosses(x1, x2);
      else redraw(crosses);
      drawLine(shown, values, f[0], playing || k < all ? null : g[0]);
      const [bound, bands, sup] = proved, where = lost && on > off ? `, on the hatched cells; ${number(off, 3)} elsewhere` : "";
      const promise = sup === null ? "no promise at the worst point" : `${number(sup, 3)} at the worst point`;
      const thin = `at most ${number(bound, 3)} outside thin bands between the cells`;
      const painted = wish.touched ? `; f is painted on, at most \u00b1${number(wish.base.most, 3)}` : "";
      const ran = k < all ? [`After ${k} of ${all} layers: ${afterWords(k)}`] : [];
      const tokens = [0, 1].map((k) => `token ${k + 1} gets ${number(g[k])}, f says ${number(f[k])}`);
      return {
        text: [
          ...ran,
          `${net.depth} layers, ${weights.toLocaleString("en")} weights: misses f by ${number(distance, 3)} on average (d\u2082), by ${number(worst, 3)} at the worst pixel${where}${painted}`,
          `tokens ${number(x1, 2)} and ${number(x2, 2)}: ${tokens.join("; ")}`,
          ...(wish.base.text === start && !wish.touched ? [`proved of this f, ${everywhere ? "also beyond the square" : "on the square"}: d\u2082 ${bands > bound ? thin : `at most ${number(bound + bands, 3)}`}; ${promise}`] : ["no bound is computed of this f: it takes how fast f changes"]),
        ].join("\n"),
        alt: `Three squares, a point for each sequence of two tokens. First f, ${nameOf(wish)}, for token 1. Then what the transformer of ${proof} answers, with ${N} cells a side${lost ? "; on the hatched ones along the diagonal both tokens share a cell" : ""}. Then the error, at most ${number(worst, 3)}. At the cross f is ${number(f[0])} and the transformer answers ${number(g[0])}. Below, both along the line x\u2082 = ${number(x2, 2)}.`,
        messages,
        remarks,
        own: values.f === OWN || wish.touched ? { formula: wish.base.text, paint: wish.touched ? values.paint : "" } : null,
        hide: [...(values.f === OWN || messages.formula ? [] : ["formula"]), ...(playing || k < all ? ["x1", "x2"] : [])],
        choices: { f: [...Object.keys(presets), OWN, ...(wish.touched ? [PAINTED] : [])] },
        coarse: shown.R < FULL && !playing,
        goals: { everywhere: () => isNear(shown), lost: () => isLost(shown, values, Math.abs(f[0] - g[0])) },
      };
    }

    const adopt = ({ formula, paint }) => ({ f: paint ? PAINTED : nameless(formula), formula, paint });

    return { layout, update, adopt };
  },
};
