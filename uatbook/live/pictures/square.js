// f, the answer of a network and the error over the square of two tokens, for any f that the reader types or paints.
// Every pixel is what all layers of the network make of its sequence; of these layers only the look-up changes with f.
// A second network may answer beside the first; else the error stands there. square_layout.js says where all that stands,
// square_film.js shows it after fewer layers, square_curve.js along a line; square_brush.js has the hand that paints. The scales
// are those of the formula: nothing that is painted, no proof and no number of cells moves a colour of the rest.

PICTURES.square = {
  /** What the menu, the text and the painting mean together; an error where it is no number, or too large a one. */
  wish({ formula, paint, f: kind = paint && "painted by hand" }, wanted = null) {
    const painted = kind === "painted by hand", touched = painted && paint !== "", key = touched ? `${paint} ${formula}` : formula;
    if (wanted?.key === key && wanted.touched === touched && wanted.painted === painted) return wanted;
    return { key, painted, ...FUNCTIONS.meaning(formula, touched ? paint : "") };
  },

  /** f itself. */
  sketch(canvas, { data: { presets, values: stops } }, { f, formula, paint }) {
    FUNCTIONS.sketch(canvas, PICTURES.square.wish({ f, formula: presets[f] ?? (formula || "0"), paint }), stops);
  },

  /** What is shown at these values, step by step, for `start`: the page draws in between. */
  *ahead({ data: { networks, presets } }, { proof = Object.keys(networks)[0], against, N, f, formula, paint, x2 }) {
    const over = FUNCTIONS.measuring(networks), wish = PICTURES.square.wish({ f, formula: presets[f] ?? formula, paint }), sides = [];
    yield;
    for (const name of [proof, against].filter(Boolean)) {
      sides.push(yield* over.steps(name, Number(N), wish, FUNCTIONS.FULL));
      PICTURES.square.lineOf(sides.at(-1), x2);
      yield;
    }
    return { over, sides };
  },

  start(card, { colours, controls, ahead, data: { presets, networks, values: valueStops, errors: errorStops, ink, steps: STEPS, plays, onward } }) {
    const [blue] = colours, look = STEPS[2], GREYED = [128, 128, 128, 70], PAINTED = "painted by hand", OWN = "my own formula";
    const { FULL, COARSE, BLANK, pixels, measuring } = FUNCTIONS, { wish: wishOf, stepAt, stepWords, drawLine } = PICTURES.square;
    const RING = 16, duel = controls.some(({ name }) => name === "against"), shades = [look, colours[1]];
    const start = Object.values(presets)[0], given = controls.find(({ name }) => name === "formula").start;

    // ----------------------------------------------------------------------------------------------------- the function

    const over = ahead?.over ?? measuring(networks);
    let sides = ahead?.sides ?? [], drawn = null; // what each network makes of the function; of what they were drawn
    let shown = sides[0] ?? null; // the first
    let wanted = shown?.wish ?? null; // the function shown: {key, base, f, touched}, touched where something is painted on it
    let before = null, typed = null; // the values at the last update; whether f is, or what is painted on, was typed

    /** What the menu, the text and the painting mean together; a text that is typed is one's own. */
    function settle(values) {
      const now = { ...values }, changed = Object.keys(now).filter((name) => before && now[name] !== before[name]), films = ["proof", "against", "N", "f", "formula", "paint"];
      if (changed.join() === "formula" && now.formula !== presets[now.f]) now.f = OWN;
      else if (presets[now.f]) now.formula = presets[now.f];
      if (now.f !== PAINTED || now.paint === BLANK) now.paint = "";
      if (now.f === PAINTED && !now.paint) now.f = nameless(now.formula);
      if (/^f(ormula)?$/.test(changed.join()) && now.f !== before.f) now.brush = ""; // another f is raised first, unless a link says so
      if (changed.length) film.stay();
      if (changed.some((name) => films.includes(name))) {
        film.stop();
        if (now.layer === before.layer) now.layer = "";
      }
      if (duel && now.proof === now.against) {
        const other = changed.includes("against") && !changed.includes("proof") ? "proof" : "against"; // they change places
        now[other] = [before?.proof, before?.against, ...Object.keys(networks)].find((name) => name && name !== now.proof);
      }
      const moved = Object.keys(now).filter((name) => now[name] !== values[name]);
      if (moved.length) card.set(Object.fromEntries(moved.map((name) => [name, now[name]])));
      before = now;
      return now;
    }

    /** The choice of the menu that has this formula. */
    const nameless = (formula) => Object.keys(presets).find((name) => presets[name] === formula) ?? OWN;

    const stepsOf = ({ proof, N, net }) => networks[proof][N].steps && [...networks[proof][N].steps, net.depth];
    /** The network whose layers the film counts: the deepest that has steps. */
    const lead = () => sides.filter(stepsOf).sort((a, b) => b.net.depth - a.net.depth)[0] ?? null;
    const stepsNow = () => lead() && stepsOf(lead());
    /** How many of all weights of a network are other ones than without the paint. */
    const paintSet = ({ painted, proof, N }) => `paint set ${grouped(painted)} of ${grouped(networks[proof][N].weights)}`;
    const nameOfProof = (one) => (/^(.+) et al\.$/.exec(one.proof) ?? [])[1] ?? one.proof;
    const brush = PICTURES.square.brush(card, { wanted: () => wanted, names: nameless, blank: presets.blank, example: plays ? given : null });
    const film = PICTURES.square.film(card, { lead, stepsOf, draw: drawLayer, all: () => sides.filter(stepsOf), over: () => plays && brush.invite() });
    const namers = duel ? ["proof", "against"].map(namer) : [], way = onward && duel ? onwards(...onward) : null;

    /** A menu that is drawn as the title of an answer. */
    function namer(name) {
      const { keys, texts, label } = controls.find((control) => control.name === name);
      const menu = make("select", { class: "naming", "aria-label": label, autocomplete: "off" }, ...keys.map((key, k) => make("option", { value: key }, texts[k])));
      menu.addEventListener("change", () => card.set({ [name]: menu.value }));
      return menu;
    }

    /** Where what was painted leads, in a page of the book. */
    function onwards(said, page) {
      const root = card.stage && document.documentElement.dataset.content_root;
      return root == null ? null : make("a", { href: root + page, hidden: true }, said);
    }

    // ------------------------------------------------------------------------------------------------------ the drawing

    const valueTable = palette(valueStops), errorTable = palette(errorStops);
    const tables = STEPS.map((colour, k) => palette(k < 2 ? [k ? "#e0c4eeff" : "#e3f4f2ff", `${colour}ff`, k ? "#35104aff" : "#032f2bff"] : valueStops));

    let panels, plot, bars, still, hatch, scales, crosses, line, wide, told, glow, places;

    function layout(width, height, low) {
      places = (duel ? PICTURES.square.placesOfTwo : PICTURES.square.placesOfOne)(width, height, low);
      ({ wide } = places);
      [still, hatch, glow, crosses, scales, told, line] = Array.from({ length: 7 }, () => el(card.svg, "g"));
      panels = places.squares.map(([x, y, length], k) => {
        const map = { x: scale([0, 1], [x, x + length]), y: scale([0, 1], [y + length, y]), side: length, left: x, top: y, under: y + length };
        map.canvas = card.canvas(x, y, length, length);
        el(still, "rect", { x, y, width: length, height: length, fill: "none", stroke: GREY });
        if (k === 0 || (k === 1 && !duel)) {
          for (const [value, anchor] of [[0, "start"], [1, "end"]]) words(still, map.x(value), map.under + 14, String(value), { "text-anchor": anchor });
          words(still, x + length / 2, map.under + 14, `token 1 \u2192, ${length < 180 ? "" : "token "}2 \u2191`, { "text-anchor": "middle" });
        }
        return map;
      });
      const [first] = panels;
      plot = { x: scale([0, 1], places.plot.across), y: places.plot.y, bottom: places.plot.bottom, right: places.plot.across[1] };
      bars = { ...places.bars, axis: { x: plot.x(0) - 18, y: plot.y, width: 10, height: plot.bottom - plot.y } };
      if (bars.values) words(still, bars.values.x, bars.values.y - 6, "$f$ and the answer");
      card.slot?.(...places.tools, ...brush.tools());
      card.slot?.(...places.film, ...film.projector());
      namers.forEach((menu, k) => {
        const { left, top, side } = panels[k + 1], high = low ? 28 : 44; // it ends above the square
        menu.setAttribute("style", `flex: 1; height: ${high}px`);
        card.slot?.(left, top - 2 - high, side, menu);
      });
      if (way) card.slot?.(places.told[0], places.told[1] + 4, Math.min(420, width - places.told[0]), way);
      card.place(0, panels[1].x, panels[1].y);
      brush.place(el(card.svg, "g"), first, moves);
      panels.forEach((panel, k) => {
        panel.touch = el(card.svg, "rect", { x: panel.left, y: panel.top, width: panel.side, height: panel.side, fill: "transparent", style: "cursor: crosshair" });
        card.drag(panel.touch, (u, v) => {
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
      if (event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
        event.preventDefault();
        return void brush.undo();
      }
      if (!/^[-+=]$/.test(event.key) || event.ctrlKey || event.metaKey) return;
      brush.key(event.key);
      event.preventDefault();
    });

    const byte = (t) => Math.min(255, Math.max(0, Math.round(255 * t)));

    /** How many layers of a network have run when k of those that the film counts have. */
    const ranOf = (one, k) => (lead() && stepsOf(one) ? PICTURES.square.beside(k, stepsNow(), stepsOf(one)) : Math.min(k, one.net.depth));

    /** A network after k layers, and a ring around each cell that this layer has looked up; [step, number] of each pixel. */
    function drawSide(one, panel, k) {
      const { limits: [low, high], N, net } = one, steps = stepsOf(one);
      if (duel && k === net.depth) return void paintNumbers(panel.canvas, one.g, one.R, one.limits, valueTable);
      // Without steps it is a token, then nothing that means anything, then the answer.
      if (!steps) return void paintSquare(panel.canvas, COARSE, (p) => (k ? GREYED : tables[0][byte(pixels(COARSE)[0][p])]));
      const { most } = film.filmed(one), found = film.frame(k, one);
      const shade = ([step, value]) => (step === 2 ? (value - low) / (high - low) : step ? Math.sqrt(Math.max(0, value)) / most : value);
      // Both tokens in one column, with the middle of the square at 0: of each its own colour, and the mean of the two.
      const both = (p) => [p, (p % COARSE) * COARSE + Math.floor(p / COARSE)].map((at, n) => tables[n][byte(found[at][1] + 0.5)]);
      const mean = ([a, b]) => a.map((value, c) => (value + b[c]) / 2);
      paintSquare(panel.canvas, COARSE, (p) => (!steps[0] && found[p][0] === 1 ? mean(both(p)) : tables[found[p][0]][byte(shade(found[p]))]) ?? [128, 128, 128, 255]);
      if (k <= steps[1] || k === net.depth || !steps[0]) return found;
      const earlier = film.frame(k - 1, one), { x, y, side } = panel, cells = new Set();
      found.forEach(([step], p) => step === 2 && earlier[p][0] !== 2 && cells.add(Math.floor((Math.floor(p / COARSE) * N) / COARSE) * N + Math.floor(((p % COARSE) * N) / COARSE)));
      for (const cell of cells) {
        const [i, j] = [Math.floor(cell / N), cell % N];
        el(glow, "rect", { x: x(i / N) - 3, y: y((j + 1) / N) - 3, width: side / N + 6, height: side / N + 6, fill: "none", stroke: STEPS[2], "stroke-width": 3 });
      }
      return found;
    }

    /** The networks after k layers of the deepest; of one alone how much its answers miss f. */
    function drawLayer(k) {
      redraw(glow);
      const [found] = sides.map((one, i) => drawSide(one, panels[i + 1], ranOf(one, k)));
      if (!duel) {
        const { f } = film.filmed(shown), most = mostError(shown);
        paintSquare(panels[2].canvas, COARSE, (p) => (found[p][0] === 2 ? errorTable[byte(Math.abs(found[p][1] - f[p]) / most)] : GREYED));
      }
      drawn = null;
      drawTold(k);
    }

    /** Which layer has run last and what it does; at the end what it took, and what it is worth. */
    function drawTold(k) {
      redraw(told);
      const steps = stepsNow(), [x, y] = places.told, { N, wish, distance } = shown, depth = Math.max(...sides.map(({ net }) => net.depth));
      const names = ["cut", "tell apart", "look up"], ran = `layer ${k} of ${depth}`, step = k === depth || !steps ? -1 : stepAt(k, steps), ends = k === depth;
      const count = (one) => grouped(networks[one.proof][N].weights), far = (off) => (off < 0.005 ? "less than 0.01" : number(off, 2));
      const lines = duel ? brush.told(Boolean(way)) : [
        wish.touched ? `Your ${paintSet(shown)} weights: nothing is trained.` : `${depth} layers, ${count(shown)} weights, none trained.`,
        brush.isBlank() ? "A blank square: paint your initial on it." : `It misses $f$ by ${far(distance)} on average.`,
      ];
      const [head, ...rest] = ends ? lines : [ran, stepWords(k, steps, N)];
      words(told, x, y, head, { "font-weight": "bold" });
      if (!ends) names.forEach((text, n) => words(told, x + [112, 140, 211][n], y, text, { "font-weight": n === step ? "bold" : "normal", "text-decoration": n === step ? "underline" : "none", fill: STEPS[n] }));
      rest.forEach((text, n) => words(told, x, y + 18 * (n + 1), text));
      const titles = duel ? sides.map((one) => (/,/.test(one.proof) ? nameOfProof(one) : `${nameOfProof(one)}'s ${panels[1].side < 140 ? "answer" : "transformer"}`)) : ["the transformer", "error"];
      ["$f$: paint here", ...titles].forEach((title, n) => words(told, panels[n].left + panels[n].side / 2, panels[n].top - 8, title, { "text-anchor": "middle", "font-weight": n < 2 || duel ? "bold" : "normal" }));
      if (duel) sides.forEach((one, n) => {
        const { left, under, side } = panels[n + 1], centre = { "text-anchor": "middle" }, waits = one.net.depth - ranOf(one, k), done = waits === 0, layers = `${one.net.depth} layers`;
        words(told, left + side / 2, under + 16, done ? `off by ${one.distance < 0.005 ? "< 0.01" : far(one.distance)} on average` : `${waits} ${waits === 1 ? "layer" : "layers"} to run`, { ...centre, "font-weight": side < 150 ? "normal" : "bold" });
        words(told, left + side / 2, under + 32, wish.touched && done ? `${side < 200 ? "" : "your "}${paintSet(one)}${side < 200 ? "" : " weights"}` : side < 140 ? `${count(one)} weights` : `${layers}, ${count(one)} weights`, centre);
      });
      if (way) way.hidden = !(ends && wish.touched);
      film.tell(k, `${ends ? `${depth} layers` : ran}${step < 0 ? "" : `, ${names[step]}`}`);
    }

    /** As much error as the scale shows: half of what f may be; what is more looks like that. */
    const mostError = ({ limits: [low, high] }) => (high - low) / 2;

    /** What depends on f and the cells, but not on the cross. */
    function drawMaps() {
      const { f, error, R, N, limits } = shown, top = mostError(shown), short = (t) => String(Number(t.toPrecision(3))).replace("-", "\u2212");
      paintNumbers(panels[0].canvas, f, R, limits, valueTable);
      sides.forEach((one, k) => paintNumbers(panels[k + 1].canvas, one.g, one.R, limits, valueTable));
      if (!duel) paintNumbers(panels[2].canvas, error, R, [0, top], errorTable);
      redraw(hatch);
      sides.forEach(({ lost }, side) => {
        const { x, y } = panels[side + 1];
        if (lost) el(hatch, "path", { d: FUNCTIONS.hatching(x, y, N), stroke: "#9a9a9a", "stroke-width": 1.2, fill: "none" });
      });
      if (shown.lost) note(hatch, ["hatched: one cell", "for both tokens,", "answered by 0"]);
      redraw(scales);
      const y1 = scale(limits, [plot.bottom, plot.y]);
      plot.scale = y1;
      gradient(scales, "axis", valueStops, bars.axis);
      axis(scales, "y", y1, bars.axis.x, { grid: plot.right, marks: ticks(...limits, 4) });
      axis(scales, "x", plot.x, plot.bottom, { marks: wide ? [0, 0.2, 0.4, 0.6, 0.8, 1] : [0, 1], grid: plot.y });
      words(scales, (plot.x(0) + plot.x(1)) / 2, plot.bottom + (wide ? 31 : 15), "token 1", { "text-anchor": "middle" });
      for (const [name, colourStops, ends] of [["error", errorStops, [0, top]], ["values", valueStops, limits]]) {
        const bar = bars[name];
        if (!bar) continue;
        gradient(scales, name, colourStops, bar);
        axis(scales, "x", scale(ends, [bar.x, bar.x + bar.width]), bar.y + bar.height, { marks: ends, write: (end) => (name === "error" && end ? `\u2265 ${short(end)}` : short(end)) });
      }
    }

    const note = (group, lines) => places.note && lines.forEach((text, k) => words(group, places.note[0], places.note[1] + 16 * k, text));

    /** The cross in all squares; none lies across what a hand paints. */
    function drawCrosses(x1, x2, hidden) {
      redraw(crosses);
      if (!hidden) panels.forEach(({ x, y }, k) => {
        const d = `M${x(0)} ${y(x2)}H${x(1)}M${x(x1)} ${y(0)}V${y(1)}`, dark = k < 2 || duel;
        if (dark) el(crosses, "path", { d, stroke: "#010101", "stroke-opacity": 0.45, "stroke-width": 3, fill: "none" });
        el(crosses, "path", { d, stroke: dark ? "#fefefe" : INK, "stroke-width": 1.2, fill: "none" });
        const ring = { cx: x(x1), cy: y(x2), fill: "none" };
        el(crosses, "circle", { ...ring, r: 6, stroke: dark ? "#fefefe" : INK, "stroke-width": 2 });
        if (k === 2 || (k && !card.stage)) el(crosses, "circle", { ...ring, r: RING - 0.75, stroke: GREY, "stroke-width": 1.5 }); // as the handle has
      });
    }

    // -------------------------------------------------------------------------------------------------------- the goals

    /** Whether the second answer is four times nearer to what is painted than the first, on average. */
    function isNearer([one, other]) {
      if (!other) return [false, "there is one answer alone"];
      const off = `${nameOfProof(one)} is off by ${number(one.distance, 3)} on average, ${nameOfProof(other)} by ${number(other.distance, 3)}`;
      return [one.wish.touched && one.distance > 4 * other.distance, one.wish.touched ? off : `nothing is painted; ${off}`];
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
    let begins = Boolean(card.stage && asked()); // the film begins by itself where the page wants it, or a hand shows at once how to paint

    /** What token 1 is at the pixels of the film after k layers, in words. */
    function afterWords(k) {
      const counts = [0, 0, 0];
      for (const [step] of film.frame(Math.min(k, lead().net.depth), lead())) counts[step] += 1;
      const share = (count) => `${number((100 * count) / COARSE ** 2, 0)} %`;
      const parts = ["a number between 0 and 1", stepsNow()[0] ? "an id" : "beside token 2", "an answer"].flatMap((what, step) => (counts[step] ? [`${what} on ${share(counts[step])} of the square`] : []));
      return `token 1 is ${parts.join(", ")}`;
    }

    const STEP = "A step. The theorems ask for continuous f. On average the network still comes as near as you please, as a continuous f differs from this one only on a strip as thin as you please. At the step itself no network here comes nearer than half its height: all of them are continuous.";
    const nameOf = ({ base, touched }) => (touched ? `${base.text}, painted on` : base.text);

    function update(given, moving) {
      const values = settle(given), N = Number(values.N), { x1, x2 } = values, messages = {}, remarks = {};
      const proof = values.proof ?? Object.keys(networks)[0];
      const show = (wish) => {
        const same = (one, name) => one?.wish === wish && one.N === N && one.proof === name && (one.R === FULL || moving);
        sides = [proof, values.against].filter(Boolean).map((name, k) => (same(sides[k], name) ? sides[k] : over(name, N, wish, moving ? COARSE : FULL)));
        [shown] = sides;
        wanted = wish;
      };
      try {
        show(wishOf(values, wanted));
      } catch (error) {
        show(wanted ?? wishOf({ f: OWN, formula: start }));
        messages.formula = `${error.message} The picture still shows ${nameOf(wanted)}.`;
      }
      if (wanted.base.f.steps && !messages.formula) remarks.formula = STEP;
      if (sides.some((one, k) => drawn?.[k] !== one)) drawMaps();
      drawn = sides;
      const { net, wish, off, on, lost, worst, distance } = shown, { weights, proved, everywhere } = networks[proof][N];
      const f = wish.f(Float64Array.of(x1, x2), Float64Array.of(x2, x1), false);
      const answers = sides.map((one) => one.net.run(Float64Array.of(x1, x2), { n: 2, batch: 1 })), [g] = answers;
      const all = Math.max(...sides.map((one) => one.net.depth)), k = stepsNow() && /^\d{1,4}$/.test(values.layer) ? Math.min(all, Number(values.layer)) : all;
      if (begins) moves && stepsNow() ? film.begin() : brush.invite(); // the page comes first
      begins = false;
      for (const [i, menu] of namers.entries()) menu.value = [proof, values.against][i];
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
      const lines = sides.map((one, i) => ({ one, colour: shades[i], name: nameOfProof(one), answer: ends ? answers[i][0] : null }));
      drawLine(line, plot, values, { f: [f[0], blue], shown: lines, ink, wide });
      const [bound, bands, sup] = proved, where = lost && on > off ? `, on the hatched cells; ${number(off, 3)} elsewhere` : "";
      const promise = sup === null ? "no promise at the worst point" : `${number(sup, 3)} at the worst point`, thin = `at most ${number(bound, 3)} outside thin bands between the cells`;
      const [low, high] = shown.limits, painted = wish.touched ? `; f is painted on, from ${number(low, 3)} to ${number(high, 3)}, and your ${paintSet(shown)} weights` : "";
      const others = sides.filter((one) => one !== lead()).map((one) => `; ${one.proof}: after ${ranOf(one, k)} of ${one.net.depth}`);
      const ran = k < all ? [`After ${k} of ${all} layers: ${afterWords(k)}${others.join("")}`] : [];
      const beside = sides.slice(1).map((one, i) => `${one.proof}: ${one.net.depth} layers, ${grouped(networks[one.proof][N].weights)} weights: misses f by ${number(one.distance, 3)} on average, by ${number(one.worst, 3)} at the worst pixel${one.wish.touched ? `; your ${paintSet(one)} weights` : ""}; at the cross it answers ${number(answers[i + 1][0])}`);
      const tokens = [0, 1].map((k) => `token ${k + 1} gets ${number(g[k])}, f says ${number(f[k])}`);
      return {
        text: [
          ...ran,
          `${duel ? `${proof}: ` : ""}${net.depth} layers, ${grouped(weights)} weights: misses f by ${number(distance, 3)} on average (d\u2082), by ${number(worst, 3)} at the worst pixel${where}${painted}`,
          `tokens ${number(x1, 2)} and ${number(x2, 2)}: ${tokens.join("; ")}`,
          ...beside,
          ...(wish.base.text === start && !wish.touched ? [`proved of this f, ${everywhere ? "also beyond the square" : "on the square"}: d\u2082 ${bands > bound ? thin : `at most ${number(bound + bands, 3)}`}; ${promise}`] : ["no bound is computed of this f: it takes how fast f changes"]),
        ].join("\n"),
        alt: `Three squares, a point for each sequence of two tokens. First f, ${nameOf(wish)}, for token 1. Then what the transformer of ${proof} answers, with ${N} cells a side${lost ? "; on the hatched ones along the diagonal both tokens share a cell" : ""}. Then ${duel ? `what that of ${values.against} answers` : `the error, at most ${number(worst, 3)}`}. At the cross f is ${number(f[0])} and the transformer answers ${number(g[0])}${duel ? `, the other ${number(answers[1][0])}` : ""}. Below, ${duel ? "all" : "both"} along the line x\u2082 = ${number(x2, 2)}.`,
        messages,
        remarks,
        own: values.f === OWN || wish.touched ? { formula: wish.base.text, paint: wish.touched ? values.paint : "" } : null,
        hide: [...(typed || messages.formula ? [] : ["formula"]), ...(ends ? [] : ["x1", "x2"])],
        choices: { f: [...Object.keys(presets), OWN, ...(wish.touched ? [PAINTED] : [])] },
        coarse: sides.some(({ R }) => R < FULL) && !film.playing(),
        goals: { nearer: () => isNearer(sides), lost: () => isLost(shown, values, Math.abs(f[0] - g[0])) },
      };
    }

    const adopt = ({ formula, paint }) => ({ f: paint ? PAINTED : nameless(formula), formula, paint });

    return { layout, update, adopt };
  },
};
