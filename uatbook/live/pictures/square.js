// f, the answer of a network and the error over the square of two tokens, for any f that the reader types or paints.
// Every pixel is what all layers of the network make of its sequence; of these layers only the look-up changes with f.
// square_film.js shows it after fewer layers, square_brush.js has the hand that paints. The scales are those of the formula:
// nothing that is painted, no proof and no number of cells moves a colour of the rest.

PICTURES.square = {
  /** What the menu, the text and the painting mean together; an error where it is no number, or too large a one. */
  wish({ f: kind, formula, paint }, wanted = null) {
    const painted = kind === "painted by hand", touched = painted && paint !== "", key = touched ? `${paint} ${formula}` : formula;
    if (wanted?.key === key && wanted.touched === touched && wanted.painted === painted) return wanted;
    return { key, painted, ...FUNCTIONS.meaning(formula, touched ? paint : "") };
  },

  /** What is shown at these values, and its film if it plays, step by step, for `start`: the page draws in between. */
  *ahead({ data: { networks, presets, plays } }, { proof = Object.keys(networks)[0], N, f, formula, paint }) {
    const over = FUNCTIONS.measuring(networks), wish = PICTURES.square.wish({ f, formula: presets[f] ?? formula, paint });
    yield;
    const shown = yield* over.steps(proof, Number(N), wish, FUNCTIONS.FULL), { steps } = networks[proof][N];
    return { over, shown, film: plays && steps ? yield* PICTURES.square.states(shown, [...steps, shown.net.depth]) : null };
  },

  start(card, { colours, controls, ahead, data: { presets, networks, values: valueStops, errors: errorStops, ink, steps: STEPS, plays } }) {
    const [blue] = colours, look = STEPS[2], PAINTED = "painted by hand", OWN = "my own formula";
    const { FULL, COARSE, BLANK, middles, measuring } = FUNCTIONS, { wish: wishOf, stepAt, stepWords } = PICTURES.square;
    const LINE = 192, HALVINGS = 10, RING = 16;
    const start = Object.values(presets)[0], given = controls.find(({ name }) => name === "formula").start;

    // ----------------------------------------------------------------------------------------------------- the function

    const over = ahead?.over ?? measuring(networks);
    let shown = ahead?.shown ?? null, drawn = null;
    let wanted = shown?.wish ?? null; // the function shown: {key, base, f, touched}, touched where something is painted on it
    let before = null, typed = null; // the values at the last update; whether f is, or what is painted on, was typed

    /** What the menu, the text and the painting mean together; a text that is typed is one's own. */
    function settle(values) {
      const now = { ...values }, changed = Object.keys(now).filter((name) => before && now[name] !== before[name]), films = ["proof", "N", "f", "formula", "paint"];
      if (changed.join() === "formula" && now.formula !== presets[now.f]) now.f = OWN;
      else if (presets[now.f]) now.formula = presets[now.f];
      if (now.f !== PAINTED || now.paint === BLANK) now.paint = "";
      if (now.f === PAINTED && !now.paint) now.f = nameless(now.formula);
      if (/^f(ormula)?$/.test(changed.join()) && now.f !== before.f) now.brush = ""; // another f is raised first, unless a link says so
      if (changed.some((name) => films.includes(name))) {
        film.stop();
        if (now.layer === before.layer) now.layer = "";
      }
      const moved = Object.keys(now).filter((name) => now[name] !== values[name]);
      if (moved.length) card.set(Object.fromEntries(moved.map((name) => [name, now[name]])));
      before = now;
      return now;
    }

    /** The choice of the menu that has this formula. */
    const nameless = (formula) => Object.keys(presets).find((name) => presets[name] === formula) ?? OWN;

    const stepsOf = ({ proof, N, net }) => networks[proof][N].steps && [...networks[proof][N].steps, net.depth];
    const stepsNow = () => shown && stepsOf(shown);
    const brush = PICTURES.square.brush(card, { wanted: () => wanted, names: nameless, blank: presets.blank, example: plays ? given : null });
    const film = PICTURES.square.film(card, { shown: () => shown, stepsOf, draw: drawLayer, ahead: ahead?.film });

    // ------------------------------------------------------------------------------------------------------ the drawing

    const valueTable = palette(valueStops), errorTable = palette(errorStops);
    const tables = STEPS.map((colour, k) => palette(k < 2 ? [k ? "#f3e6faff" : "#e3f4f2ff", `${colour}ff`, k ? "#35104aff" : "#032f2bff"] : valueStops));

    let panels, plot, bars, still, hatch, scales, crosses, line, wide, notes, told, glow, toldAt;

    /** Two large squares, f and the answer, side by side; the error smaller, beside them or below. */
    function layout(width, height) {
      wide = width >= 540;
      const left = wide ? 26 : 1, gap = wide ? 14 : 8, top = wide ? 22 : 20, bottom = height - (wide ? 36 : 24);
      const narrow = Math.min(232, (width - 2 - gap) / 2), beside = Math.max(110, Math.min(150, 0.2 * width));
      const side = wide ? Math.min(card.stage && innerHeight < 500 ? 140 : 300, (width - left - 2 * gap - beside - 4) / 2) : narrow, under = top + side, second = left + side + gap;
      const plotTop = wide ? under + 124 : bottom - 130, lower = under + 134, small = wide ? Math.min(beside, side) : Math.min(150, plotTop - 28 - lower);
      const places = [[left, top, side], [second, top, side], wide ? [second + side + gap, top, small] : [left, lower, small]];
      [still, hatch, glow, crosses, scales, told, line] = Array.from({ length: 7 }, () => el(card.svg, "g"));
      panels = ["$f$: paint here", "the transformer", "error"].map((title, k) => {
        const [x, y, length] = places[k], map = { x: scale([0, 1], [x, x + length]), y: scale([0, 1], [y + length, y]), side: length, left: x, top: y };
        map.canvas = card.canvas(x, y, length, length);
        words(still, x + length / 2, y - 8, title, { "text-anchor": "middle", "font-weight": k < 2 ? "bold" : "normal" });
        el(still, "rect", { x, y, width: length, height: length, fill: "none", stroke: GREY });
        if (k === 2) return map;
        for (const [value, anchor] of [[0, "start"], [1, "end"]]) {
          words(still, map.x(value), under + 14, String(value), { "text-anchor": anchor });
          if (wide && k === 0) words(still, x - 6, map.y(value) + (value ? 11 : 0), String(value), { "text-anchor": "end" });
        }
        words(still, x + length / 2, under + 14, wide ? "$x_1$" : "$x_1$ \u2192, $x_2$ \u2191", { "text-anchor": "middle" });
        if (wide && k === 0) words(still, x - 6, y + length / 2 + 4, "$x_2$", { "text-anchor": "end" });
        return map;
      });
      const [first, , third] = panels, legend = wide ? [third.left, third.top + small] : [third.left + small + 16, third.top - 6], length = width - 24 - legend[0];
      plot = { x: scale([0, 1], [wide ? 60 : 46, wide ? second + side : width - 8]), y: plotTop, bottom, right: wide ? second + side : width - 8 };
      bars = {
        error: { x: legend[0], y: legend[1] + 12, width: length, height: 9 },
        values: { x: legend[0], y: legend[1] + 64, width: length, height: 9 },
        axis: { x: wide ? 42 : 28, y: plotTop, width: 10, height: bottom - plotTop },
      };
      words(still, legend[0], legend[1] + 58, "$f$ and the answer");
      notes = [legend[0], legend[1] + 112];
      toldAt = [left, under + (wide ? 74 : 82)];
      card.slot?.(first.left, under + (wide ? 22 : 19), side, ...brush.tools());
      card.slot?.(second, under + (wide ? 22 : 19), side, ...film.projector());
      card.place(0, panels[1].x, panels[1].y);
      if (asked() && card.stage) brush.drawHint(el(card.svg, "g"), first, plays && moves);
      panels.forEach((panel, k) => {
        panel.touch = el(card.svg, "rect", { x: panel.left, y: panel.top, width: panel.side, height: panel.side, fill: "transparent", style: "cursor: crosshair" });
        card.drag(panel.touch, (u, v) => {
          brush.unhint();
          if (k === 0) return brush.stroke(panel);
          if (!film.playing()) return brush.point(panel, u, v);
          film.pause(); // a touch of what moves holds it
          return null;
        });
      });
      drawn = null;
    }

    card.svg.parentElement.addEventListener("keydown", (event) => {
      if (event.key === " " && event.target.closest?.(".handle") && stepsNow()) {
        event.preventDefault();
        return void (film.playing() ? film.pause() : film.play());
      }
      if (!/^[-+=]$/.test(event.key) || event.ctrlKey || event.metaKey) return;
      brush.key(event.key);
      event.preventDefault();
    });

    /** The transformer after k layers, and by how much the answers miss f that it has given. */
    function drawFrame(k) {
      const { steps, f, most } = film.filmed(), found = film.frame(k), { limits: [low, high], N, net } = shown;
      const shade = ([step, value]) => (step === 2 ? (value - low) / (high - low) : step ? Math.sqrt(Math.max(0, value)) / most : value);
      const byte = (t) => Math.min(255, Math.max(0, Math.round(255 * t)));
      paintSquare(panels[1].canvas, COARSE, (p) => tables[found[p][0]][byte(shade(found[p]))] ?? [128, 128, 128, 255]);
      paintSquare(panels[2].canvas, COARSE, (p) => (found[p][0] === 2 ? errorTable[byte(Math.abs(found[p][1] - f[p]) / mostError(shown))] : [128, 128, 128, 70]));
      drawn = null;
      // A ring around each cell that this layer has looked up.
      redraw(glow);
      if (k <= steps[1] || k === net.depth) return;
      const earlier = film.frame(k - 1), { x, y, side } = panels[1], cells = new Set();
      found.forEach(([step], p) => step === 2 && earlier[p][0] !== 2 && cells.add(Math.floor((Math.floor(p / COARSE) * N) / COARSE) * N + Math.floor(((p % COARSE) * N) / COARSE)));
      for (const cell of cells) {
        const [i, j] = [Math.floor(cell / N), cell % N];
        el(glow, "rect", { x: x(i / N) - 3, y: y((j + 1) / N) - 3, width: side / N + 6, height: side / N + 6, fill: "none", stroke: STEPS[2], "stroke-width": 3 });
      }
    }

    function drawLayer(k) {
      drawFrame(k);
      drawTold(k);
    }

    /** Which layer has run last and what it does; at the end what it took, and what it is worth. */
    function drawTold(k) {
      redraw(told);
      const steps = stepsNow(), [x, y] = toldAt, { net: { depth }, N, wish, painted, distance } = shown, { weights } = networks[shown.proof][N];
      const names = ["cut", "tell apart", "look up"], ran = `layer ${k} of ${depth}`, count = weights.toLocaleString("en"), step = k === depth || !steps ? -1 : stepAt(k, steps);
      const ends = wish.touched ? `Your paint set ${painted} weights: nothing is trained.` : `${depth} layers, ${count} weights, none trained.`;
      words(told, x, y, k < depth ? ran : ends, { "font-weight": "bold" });
      if (k < depth) names.forEach((text, n) => words(told, x + [108, 136, 208][n], y, text, { "font-weight": n === step ? "bold" : "normal", "text-decoration": n === step ? "underline" : "none", fill: STEPS[n] }));
      const missed = brush.isBlank() ? "A blank square: paint your initial on it." : `It misses $f$ by ${distance < 0.005 ? "less than 0.01" : number(distance, 2)} on average.`;
      words(told, x, y + 18, k < depth ? stepWords(k, steps, N) : missed);
      film.tell(k, `${k < depth ? ran : `${depth} layers`}${step < 0 ? "" : `, ${names[step]}`}`);
    }

    /** As much error as the scale shows: half of what f may be; what is more looks like that. */
    const mostError = ({ limits: [low, high] }) => (high - low) / 2;

    /** What depends on f and the cells, but not on the cross. */
    function drawMaps({ f, g, error, R, N, lost, limits, ...rest }) {
      const top = mostError({ limits, ...rest }), short = (t) => String(Number(t.toPrecision(3))).replace("-", "\u2212");
      [[f, limits, valueTable], [g, limits, valueTable], [error, [0, top], errorTable]].forEach(([map, ends, table], k) => paintNumbers(panels[k].canvas, map, R, ends, table));
      const { x, y, side } = panels[1];
      const stripes = Array.from({ length: N }, (_, k) => {
        const [a, b, c] = [x(k / N), y(k / N), side / N], count = Math.max(2, Math.round(c / 7));
        return Array.from({ length: 2 * count - 1 }, (_, i) => {
          const t = (i + 1) / count, [from, to] = [Math.max(0, t - 1), Math.min(1, t)];
          return `M${(a + from * c).toFixed(1)} ${(b - (t - from) * c).toFixed(1)}L${(a + to * c).toFixed(1)} ${(b - (t - to) * c).toFixed(1)}`;
        }).join("");
      });
      redraw(hatch);
      if (lost) el(hatch, "path", { d: stripes.join(""), stroke: "#9a9a9a", "stroke-width": 1.2, fill: "none" });
      if (lost) note(hatch, ["hatched: one cell", "for both tokens,", "answered by 0"]);
      redraw(scales);
      const y1 = scale(limits, [plot.bottom, plot.y]);
      plot.scale = y1;
      gradient(scales, "axis", valueStops, bars.axis);
      axis(scales, "y", y1, bars.axis.x, { grid: plot.right, marks: ticks(...limits, 4) });
      axis(scales, "x", plot.x, plot.bottom, { marks: wide ? [0, 0.2, 0.4, 0.6, 0.8, 1] : [0, 1], grid: plot.y });
      words(scales, (plot.x(0) + plot.x(1)) / 2, plot.bottom + (wide ? 31 : 15), "$x_1$", { "text-anchor": "middle" });
      for (const [name, colourStops, ends] of [["error", errorStops, [0, top]], ["values", valueStops, limits]]) {
        const bar = bars[name];
        gradient(scales, name, colourStops, bar);
        axis(scales, "x", scale(ends, [bar.x, bar.x + bar.width]), bar.y + bar.height, { marks: ends, write: (end) => (name === "error" && end ? `\u2265 ${short(end)}` : short(end)) });
      }
    }

    const note = (group, lines) => lines.forEach((text, k) => words(group, notes[0], notes[1] + 16 * k, text));

    /** The cross in all squares; none lies across what a hand paints. */
    function drawCrosses(x1, x2, hidden) {
      redraw(crosses);
      if (!hidden) panels.forEach(({ x, y }, k) => {
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
      const [a, b] = [plot.x(0), plot.y - 8];
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

    /** Whether all stands as the page has it, and whether motion is welcome. */
    const asked = () => plays && controls.every(({ name, keys, start: first }) => card.values[name] === (keys?.[first] ?? first));
    const moves = card.stage && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    let begins = Boolean(moves && asked()); // the film begins by itself where the page wants it

    /** What token 1 is at the pixels of the film after k layers, in words. */
    function afterWords(k) {
      const counts = [0, 0, 0];
      for (const [step] of film.frame(k)) counts[step] += 1;
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
        show(wishOf(values, wanted));
      } catch (error) {
        show(wanted ?? wishOf({ f: OWN, formula: start }));
        messages.formula = `${error.message} The picture still shows ${nameOf(wanted)}.`;
      }
      if (wanted.base.f.steps && !messages.formula) remarks.formula = STEP;
      if (drawn !== shown) drawMaps(shown);
      drawn = shown;
      const { net, wish, off, on, lost, worst, distance } = shown, { weights, proved, everywhere } = networks[proof][N];
      const f = wish.f(Float64Array.of(x1, x2), Float64Array.of(x2, x1), false), g = net.run(Float64Array.of(x1, x2), { n: 2, batch: 1 });
      const all = net.depth, k = stepsNow() && /^\d{1,4}$/.test(values.layer) ? Math.min(all, Number(values.layer)) : all;
      if (begins && stepsNow()) film.begin(); // the page comes first
      begins = false;
      const ends = !film.playing() && k === all;
      if (!ends) {
        redraw(hatch, crosses);
        note(hatch, ["grey: no answer yet"]);
        drawLayer(film.playing() ? film.layer() : k);
      } else {
        redraw(glow);
        drawTold(k);
        drawCrosses(x1, x2, brush.painting());
      }
      typed = values.f === OWN || (wish.touched && (typed ?? nameless(wish.base.text) === OWN)); // its field stays
      brush.tell();
      drawLine(shown, values, f[0], ends ? g[0] : null);
      const [bound, bands, sup] = proved, where = lost && on > off ? `, on the hatched cells; ${number(off, 3)} elsewhere` : "";
      const promise = sup === null ? "no promise at the worst point" : `${number(sup, 3)} at the worst point`, thin = `at most ${number(bound, 3)} outside thin bands between the cells`;
      const [low, high] = shown.limits, painted = wish.touched ? `; f is painted on, from ${number(low, 3)} to ${number(high, 3)}, and ${shown.painted} weights with it` : "";
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
        hide: [...(typed || messages.formula ? [] : ["formula"]), ...(ends ? [] : ["x1", "x2"])],
        choices: { f: [...Object.keys(presets), OWN, ...(wish.touched ? [PAINTED] : [])] },
        coarse: shown.R < FULL && !film.playing(),
        goals: { everywhere: () => isNear(shown), lost: () => isLost(shown, values, Math.abs(f[0] - g[0])) },
      };
    }

    const adopt = ({ formula, paint }) => ({ f: paint ? PAINTED : nameless(formula), formula, paint });

    return { layout, update, adopt };
  },
};
