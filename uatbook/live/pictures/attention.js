// Tokens in the plane, whom one of them hears, where a head of attention puts each. Beside them how far a token of two contexts
// comes apart, as under a lens, or the weights or scores as tables.

PICTURES.attention = {
  start(card, { colours, handles, data }) {
    const { networks, heard, examples, vectors, window: [[LEFT, RIGHT], [LOW, HIGH]], positions, line, starts } = data;
    const [blue, orange, teal, purple, pink] = colours, LABELS = Object.keys(vectors), TINTS = [teal, purple, pink];
    const ONLY_MEANS = "no score differs, so only the mean is heard";
    const TOKENS = handles.length - LABELS.length, SAME = 1e-9, WIDE = 540, [SQUARE, TRIANGLE, DISC] = [1, 2, 0];
    const PARTS = { w_k: "key", w_q: "query", w_v: "value", w_o: "output" };
    let x, y, size, fit, count, still, tables, columns, arrows, marks, plane, boxes, lenses, last;

    // ------------------------------------------------------------------------------------------------------- the layer

    const read = {};
    const first = (given) => Object.keys(given)[0];

    /** The network of this name under this mask; weights and scores as the reader has moved them. */
    function networkOf({ network = first(networks), mask = first(heard), ...values }) {
      const spec = networks[network], [layer] = spec.layers;
      const net = (read[[network, mask]] ??= readNetwork({ ...spec, layers: [{ ...layer, heard: heard[mask] }] }));
      const moved = {};
      LABELS.forEach((label, k) => {
        for (const name of vectors[label][network]) moved[`head0.${name}`] = [values[`u${k + 1}`], values[`v${k + 1}`]];
      });
      const hard = layer.normalization === "hardmax", deaf = hard || !["dot", "rbf"].includes(layer.kernel.kind);
      const turned = net.replace(0, moved);
      return { net: deaf ? turned : turned.scaled(0, values.scale ?? 1), hard, deaf, lists: heard[mask], kind: layer.kernel.kind };
    }

    /** The number of the vector that is this weight of the head; -1 if the reader does not hold it. */
    const labelOf = (name, { network = first(networks) }) => LABELS.findIndex((label) => vectors[label][network].includes(name));

    /** Places, weights, scores and outputs of each context of the example. */
    function compute(values) {
      const { net, ...more } = networkOf(values);
      const contexts = Object.entries(examples[values.example ?? first(examples)]).map(([name, row]) => ({
        name,
        tokens: row.map(([token, k]) => ({ token, k, at: [values[`x${k}`], values[`y${k}`]] })),
      }));
      const n = contexts[0].tokens.length, batch = contexts.length;
      const X = Float64Array.from({ length: 2 * n * batch }, (_, i) => {
        const [r, k, c] = [Math.floor(i / (n * batch)), Math.floor(i / batch) % n, i % batch];
        return contexts[c].tokens[k].at[r];
      });
      const out = net.run(X, { n, batch }), [head] = net.attend(0, X, { n, batch });
      const table = (values, c) => (i, k) => values[(i * n + k) * batch + c];
      const factor = (name, at) => {
        const k = labelOf(name, values);
        return k < 0 ? null : values[`u${k + 1}`] * at[0] + values[`v${k + 1}`] * at[1];
      };
      const sees = (k, i) => !more.lists || more.lists[k].includes(i);
      contexts.forEach((context, c) => {
        const weight = table(head.weights, c), score = table(head.scores, c), { tokens } = context;
        Object.assign(context, { weight, score });
        tokens.forEach((token, k) => {
          const { at } = token, heard = tokens.reduce((sum, _, i) => sum + head.values[i * batch + c] * weight(i, k), 0);
          token.filler = !sees(k, k);
          token.sees = tokens.filter((_, i) => sees(k, i));
          token.level = new Set(tokens.flatMap((_, i) => (sees(k, i) ? [score(i, k) + 0] : []))).size < 2; // no score differs
          token.hears = tokens.filter((_, i) => sees(k, i) && (weight(i, k) > 0 || !more.hard));
          token.to = [out[k * batch + c], out[(n + k) * batch + c]];
          Object.assign(token, { key: factor("w_k", at), query: factor("w_q", at), heard: head.values.length === n * batch ? heard : null });
        });
      });
      return { ...more, contexts, n, listener: Math.min(positions.indexOf(values.listener), n - 1) };
    }

    // --------------------------------------------------------------------------------------------------------- drawing

    /** Above the plane two lines say what is found and what is heard; tables stand at its right, on a phone below it. */
    function layout(width, height) {
      size = [width, height];
      count = Object.keys(examples[card.values.example ?? first(examples)]).length;
      const wide = width >= WIDE, side = wide ? Math.min(226, 0.34 * width) : width;
      const most = Math.max(4, ...Object.values(examples).flatMap((given) => Object.values(given).map((row) => row.length)));
      const high = 62 + 20 * most, below = wide ? height : height - high, half = (width - 14) / 2;
      plane = { left: 30, right: (wide ? width - side - 18 : width) - 8, top: count > 1 ? 46 : 26, bottom: below - 24 };
      fit = Math.min((plane.right - plane.left) / (RIGHT - LEFT), (plane.bottom - plane.top) / (HIGH - LOW));
      const around = (a, b, from, to) => {
        const rest = ((to - from) / fit - (b - a)) / 2;
        return [a - rest, b + rest];
      };
      x = sticky(scale(around(LEFT, RIGHT, plane.left, plane.right), [plane.left, plane.right]));
      y = sticky(scale(around(LOW, HIGH, plane.top, plane.bottom), [plane.bottom, plane.top]));
      boxes = Array.from({ length: count }, (_, c) =>
        wide
          ? { left: width - side, top: c * Math.min(height / 2, 72 + 28 * most), width: side, row: 28 }
          : { left: c * (half + 14), top: below + 8, width: count > 1 ? half : width, row: 20 },
      );
      lenses = wide ? { left: width - side, top: 18, width: side, height: height - 18 } : { left: 0, top: below + 8, width, height: high - 8 };
      const clip = el(el(card.svg, "defs"), "clipPath", { id: "plane" });
      el(clip, "rect", { x: plane.left, y: plane.top, width: plane.right - plane.left, height: plane.bottom - plane.top });
      still = el(card.svg, "g");
      const ticked = (from, to) => Math.ceil((to - from) / 60);
      axis(still, "x", x, plane.bottom, { grid: plane.top, marks: ticks(...x.domain, ticked(plane.left, plane.right)) });
      axis(still, "y", y, plane.left, { grid: plane.right, marks: ticks(...y.domain, ticked(plane.top, plane.bottom)) });
      for (const ends of [[x(0), plane.top, x(0), plane.bottom], [plane.left, y(0), plane.right, y(0)]]) {
        el(still, "path", { d: path([ends.slice(0, 2), ends.slice(2)]), stroke: GREY });
      }
      tables = el(card.svg, "g");
      columns = el(card.svg, "g"); // what can be clicked
      arrows = el(card.svg, "g", { "clip-path": "url(#plane)" });
      marks = el(card.svg, "g");
    }

    /** A scale by which handles stick to halves a little, so that a hand finds exact ties. */
    function sticky(map) {
      const invert = (pixel) => {
        const value = map.invert(pixel), near = Math.round(2 * value) / 2;
        return Math.abs(map(near) - pixel) < 5 ? near : value;
      };
      return Object.assign((value) => map(value), map, { invert });
    }

    const place = ([u, v]) => [x(u), y(v)];

    /** From a token to the listener, bowed to one side for each context, the wider the more it is heard; a loop is itself. */
    function drawHearing({ tokens, weight }, c, listener) {
      const [u, v] = place(tokens[listener].at);
      tokens.forEach(({ at }, i) => {
        const w = weight(i, listener);
        if (!(w > 0.001)) return;
        const style = { fill: "none", stroke: colours[c], "stroke-width": 1 + 5 * w, "stroke-opacity": 0.4 + 0.4 * w };
        const [a, b] = place(at), length = Math.hypot(u - a, v - b), turn = c ? 1 : -1, tip = 7 + 6 * w;
        if (length < 1) {
          const out = (a, b) => `${(u + turn * a).toFixed(1)} ${(v - b).toFixed(1)}`; // up and back from the side
          el(arrows, "path", { d: `M${out(3, 11)}C${out(2, 40)} ${out(46, 34)} ${out(16 + tip / 2, 12 + tip / 4)}`, ...style });
          drawTip(u + turn * 11, v - 9, -0.9 * turn, 0.43, tip, style, c);
          return;
        }
        const bow = turn * 0.28 * length;
        const [p, q] = [(a + u) / 2 - (bow * (v - b)) / length, (b + v) / 2 + (bow * (u - a)) / length];
        const far = Math.hypot(u - p, v - q) || 1, [s, t] = [(u - p) / far, (v - q) / far]; // the way it arrives
        const neck = `${(u - (13 + tip) * s).toFixed(1)} ${(v - (13 + tip) * t).toFixed(1)}`;
        el(arrows, "path", { d: `M${a.toFixed(1)} ${b.toFixed(1)}Q${p.toFixed(1)} ${q.toFixed(1)} ${neck}`, ...style });
        drawTip(u - 13 * s, v - 13 * t, s, t, tip, style, c);
      });
    }

    /** The head of an arrow at (u, v) that comes the way (s, t). */
    function drawTip(u, v, s, t, size, style, c) {
      const corner = (aside) => `${(u - size * s - aside * t).toFixed(1)} ${(v - size * t + aside * s).toFixed(1)}`;
      const d = `M${u.toFixed(1)} ${v.toFixed(1)}L${corner(size / 2)}L${corner(-size / 2)}Z`;
      el(arrows, "path", { d, fill: colours[c], "fill-opacity": style["stroke-opacity"] });
    }

    /** Where the way from a token ends in the plane; whether it would go on outside. */
    function ending(at, to) {
      const [a, b] = place(at), [u, v] = place(to), gap = 5;
      const shares = [
        [u - a, plane.left + gap - a, plane.right - gap - a],
        [v - b, plane.top + gap - b, plane.bottom - gap - b],
      ].map(([step, low, high]) => (step > high ? high / step : step < low ? low / step : 1));
      const share = Math.max(0, Math.min(...shares));
      return { from: [a, b], end: [a + share * (u - a), b + share * (v - b)], outside: share < 1 };
    }

    /** From each token to where the layer puts it. The first context's tips are rings, the second's discs that fit in. */
    function drawOutputs({ tokens }, c, alone, shared) {
      tokens.forEach(({ token, at, to, filler }) => {
        if (!to.every(Number.isFinite)) return;
        const ink = filler ? GREY : colours[c], faint = alone || shared.includes(token) ? 1 : 0.4;
        const { from, end, outside } = ending(at, to);
        const stroke = { stroke: ink, "stroke-width": c ? 2 : 3.5, "stroke-opacity": (c ? 1 : 0.6) * faint };
        if (outside) words(marks, ...beside(end), "outside", { fill: ink, "text-anchor": end[0] > (plane.left + plane.right) / 2 ? "end" : "start", ...HALO });
        if (alone || outside) return void arrow(arrows, ...from, ...end, alone ? { stroke: ink } : stroke);
        el(arrows, "path", { d: path([from, end]), ...stroke });
        const [u, v] = end;
        if (c) el(arrows, "circle", { cx: u, cy: v, r: 4, fill: ink, "fill-opacity": faint });
        else el(arrows, "circle", { cx: u, cy: v, r: 7, fill: "none", stroke: ink, "stroke-width": 2.5, "stroke-opacity": faint });
      });
    }

    const beside = ([u, v]) => [Math.min(Math.max(u, plane.left + 10), plane.right - 10), v < (plane.top + plane.bottom) / 2 ? v + 16 : v - 10];

    /** What each token shows and asks: its foot on the line of a vector; those of the listener by name. */
    function drawFeet(tokens, listener, values) {
      const names = [];
      for (const part of ["w_k", "w_q"]) {
        const k = labelOf(part, values);
        if (k < 0) continue;
        const [a, b] = [values[`u${k + 1}`], values[`v${k + 1}`]], square = a * a + b * b, far = 100 / Math.sqrt(square || 1);
        const style = { stroke: inked(TINTS[k % 3]), "stroke-opacity": 0.8 };
        el(arrows, "path", { d: path([place([-far * a, -far * b]), place([far * a, far * b])]), ...style, "stroke-dasharray": "6 5" });
        tokens.forEach((token, i) => {
          const value = token[PARTS[part]], share = square ? value / square : 0, foot = place([share * a, share * b]), mine = i === listener;
          el(arrows, "path", { d: path([place(token.at), foot]), ...style, "stroke-width": mine ? 2 : 1.2, "stroke-dasharray": "2 4" });
          el(arrows, "circle", { cx: foot[0], cy: foot[1], r: mine ? 5.5 : 4, fill: inked(TINTS[k % 3]), stroke: PAPER });
          if (mine) names.push({ text: `${PARTS[part]} ${trimmed(value, 2)}`, at: foot, fill: TINTS[k % 3], gap: 10 });
        });
      }
      return names;
    }

    function drawMarks(contexts, values, names) {
      const drawn = new Set(), filler = (k) => contexts.every(({ tokens }) => tokens.every((token) => token.k !== k || token.filler));
      const labels = [];
      contexts.forEach(({ tokens }, c) => {
        for (const { token, k, at } of tokens) {
          if (drawn.has(k)) continue;
          drawn.add(k);
          const shared = contexts.every((other) => other.tokens.some((one) => one.k === k)), [u, v] = place(at);
          marker(marks, shared ? DISC : c ? TRIANGLE : SQUARE, u, v, { fill: filler(k) ? GREY : shared ? INK : colours[c] }, 6);
          labels.push({ text: filler(k) ? `(${named(token)})` : named(token), at: [u, v], fill: filler(k) ? GREY : INK, gap: 20 });
        }
      });
      LABELS.forEach((label, k) => {
        const [a, b] = [values[`u${k + 1}`], values[`v${k + 1}`]], tip = place([a, b]);
        arrow(marks, x(0), y(0), ...tip, { stroke: TINTS[k % 3], "stroke-width": 2.5 });
        const far = Math.hypot(a, b) || 1, aside = [-b / far, -a / far]; // not on its line
        labels.push({ text: `$${label}$`, at: tip, fill: TINTS[k % 3], gap: 24, ways: [aside, aside.map((t) => -t), [a / far, -b / far]] });
        card.place(TOKENS + k, x, y);
      });
      for (let k = 0; k < TOKENS; k += 1) card.place(k, x, y);
      const tips = contexts.flatMap(({ tokens }) => tokens.map(({ at, to }) => ending(at, to).end)).filter((end) => end.every(Number.isFinite));
      drawLabels([...labels, ...names], [...labels.map(({ at }) => [at, 11]), ...tips.map((tip) => [tip, 7])]);
    }

    /** Names beside their places: below, or wherever they hide least; what stands at one place shares a line. */
    function drawLabels(labels, discs) {
      const groups = [];
      for (const label of labels) {
        const group = groups.find(([{ at, gap }]) => gap === label.gap && Math.hypot(at[0] - label.at[0], at[1] - label.at[1]) < 3);
        if (group) group.push(label);
        else groups.push([label]);
      }
      const taken = discs.map(([[u, v], r]) => [u - r, v - r, u + r, v + r]);
      const common = ([a, b, c, d], [e, f, g, h]) => Math.max(0, Math.min(c, g) - Math.max(a, e)) * Math.max(0, Math.min(d, h) - Math.max(b, f));
      for (const group of groups) {
        const [{ at: [u, v], gap, ways = [] }] = group, wide = group.reduce((sum, { text }) => sum + 7 * text.replace(/[$_]/g, "").length, 8 * (group.length - 1)) + 2;
        let best, least = Infinity;
        [...ways, [0, 1], [0, -1], [1, 0], [-1, 0], [0.8, 0.8], [-0.8, 0.8], [0.8, -0.8], [-0.8, -0.8], [0, 1.9], [0, -1.9]].forEach(([s, t], rank) => {
          const middle = [u + s * (gap + wide / 2 - 2), v + t * (gap + 5)], box = [middle[0] - wide / 2, middle[1] - 7, middle[0] + wide / 2, middle[1] + 7];
          const out = Math.max(0, plane.left - box[0]) + Math.max(0, box[2] - plane.right) + Math.max(0, plane.top - box[1]) + Math.max(0, box[3] - plane.bottom);
          const cost = taken.reduce((sum, other) => sum + common(box, other), 0) + 40 * out + 6 * rank;
          if (cost < least) [least, best] = [cost, { middle, box }];
        });
        taken.push(best.box);
        const node = words(marks, best.middle[0], best.middle[1] + 4, "", { "text-anchor": "middle", ...HALO });
        group.forEach(({ text, fill }, i) => spans(el(node, "tspan", { fill: inked(fill) }), `${i ? ", " : ""}${text}`));
      }
    }

    /** Above the plane: what is found, and each context in its order, the listener framed and what it does not see grey. */
    function drawHead(contexts, found, listener) {
      const different = found.filter(({ differs }) => differs).map(({ token }) => token), all = found.map(({ token }) => token);
      const said = different.length ? `told apart: ${listed(different)}` : all.length ? `${listed(all)}: ${inBoth(found)}` : "no token to compare";
      words(marks, 4, 14, said, { "font-weight": 600 });
      let u = 4;
      contexts.forEach(({ name, tokens }, c) => {
        marker(marks, c ? TRIANGLE : SQUARE, u + 6, 31, { fill: colours[c] }, 5);
        u += 17;
        if (!tokens.every(({ token }) => name.includes(token))) u += 8 + written(u, name).length * 6.2;
        tokens.forEach((token, k) => {
          const given = token.filler ? `(${named(token.token)})` : named(token.token), wide = 5 + 7 * given.replace(/[$_]/g, "").length;
          const hidden = !tokens[listener].sees.includes(token);
          words(marks, u + wide / 2 + 1, 35, given, { "text-anchor": "middle", fill: hidden || token.filler ? GREY : INK });
          if (k === listener) el(marks, "rect", { x: u, y: 23, width: wide + 2, height: 17, rx: 3, fill: "none", stroke: INK, "stroke-width": 1.5 });
          u += wide + 4;
        });
        u += 14;
      });
    }

    /** What it means that none of these differs. */
    const inBoth = (found) =>
      found.every(({ surely }) => surely) ? "the same in both" : found.some(({ level }) => level) ? ONLY_MEANS : "the same as far as floats tell";

    /** Each shared token, so near that its ring and its disc come apart, and how long a length is there. */
    function drawLenses(found) {
      const { left, top, width, height } = lenses, many = found.length, across = width < WIDE / 2 ? (many > 2 ? 2 : 1) : many;
      const step = Math.min(width / across, (height - 4) / Math.ceil(many / across)), side = step - 28;
      found.forEach(({ token, from, to, differs, surely, level }, i) => {
        const [a, b] = [left + step * (i % across) + 2, top + step * Math.floor(i / across) + 18], [u, v] = [a + side / 2, b + side / 2];
        const far = distance(from, to), times = differs ? round(0.5 * side / (fit * far)) : 1, shift = [0, 1].map((r) => (differs ? ((to[r] - from[r]) * fit * times) / 2 : 0));
        const gone = !Number.isFinite(far), what = gone ? "outside" : differs ? (times > 1 ? enlarged(times, many < 3) : "") : surely ? "the same" : level ? "the same mean" : "the same?";
        words(tables, a, b - 5, `${named(token)}${what && ": "}${what}`, { "font-weight": differs ? 600 : 400 });
        el(tables, "rect", { x: a, y: b, width: side, height: side, rx: 3, fill: "none", stroke: GREY });
        if (gone) return;
        const [ring, disc] = [-1, 1].map((way) => [u + way * shift[0], v - way * shift[1]]);
        if (differs) el(tables, "path", { d: path([ring, disc]), stroke: GREY, "stroke-dasharray": "3 3" });
        el(tables, "circle", { cx: ring[0], cy: ring[1], r: 9, fill: "none", stroke: colours[0], "stroke-width": 3 });
        el(tables, "circle", { cx: disc[0], cy: disc[1], r: 5.5, fill: colours[1] });
        const length = round((0.4 * side) / (fit * times)), bar = length * fit * times, [p, q] = [a + 7, b + side - 8];
        el(tables, "path", { d: `M${p.toFixed(1)} ${(q - 4).toFixed(1)}v4h${bar.toFixed(1)}v-4`, fill: "none", stroke: INK });
        words(tables, p + bar / 2, q - 6, length < 1e-4 ? scientific(length) : String(length), { "text-anchor": "middle", ...HALO });
      });
    }

    const enlarged = (times, atLength) =>
      times < 1e6 ? `${atLength ? "enlarged " : ""}\u00d7 ${grouped(times)}` : `\u00d7 ${grouped(times / 1e6)} million`;

    /** The largest of 1, 2, 5, 10, 20, ... that is at most this, and their tenths. */
    function round(most) {
      const power = 10 ** Math.floor(Math.log10(most)), factor = [5, 2, 1].find((k) => k * power <= most * (1 + 1e-9)) ?? 1;
      return Number((factor * power).toPrecision(1));
    }

    function written(u, text) {
      words(marks, u, 35, text);
      return text;
    }

    /** What each vector is for, above the plane. */
    function drawRoles(values) {
      const { network = first(networks) } = values;
      let u = 4;
      LABELS.forEach((label, k) => {
        const parts = vectors[label][network].map((name) => PARTS[name]).join(", ");
        words(marks, u, 14, `$${label}$ ${parts}`, { fill: TINTS[k % 3] });
        u += 10 * label.replace("_", "").length + 6 * parts.length + 22;
      });
    }

    /** Plain text of a table: there is much of it in each frame. */
    const write = (u, v, text, style) => el(tables, "text", { x: u, y: v, fill: INK, "font-size": 12, ...style }, text);

    /** Keys down, queries across, the darker the more is heard; a column can be clicked. */
    function drawTable({ name, tokens, weight, score }, c, { left, top, width, row }, values, { lists, listener, deaf, kind }, alone) {
      const scores = values.panel === "scores", narrow = row < 28 && !alone, tintOf = (part) => inked(TINTS[labelOf(part, values) % 3]);
      const n = tokens.length, all = tokens.map((_, i) => i);
      const factors = scores && !narrow && kind === "dot" && tokens.every(({ key, query }) => key !== null && query !== null);
      const edge = factors ? 72 : narrow ? 22 : 32, wide = Math.min((width - edge) / n, row > 20 ? 54 : 58), digits = wide > 43 ? 2 : wide > 30 ? 1 : 0;
      const [a, b] = [left + edge, top + (factors ? 52 : 38)], short = (t) => number(t, Math.abs(t) >= 99.95 ? 0 : Math.abs(t) >= 9.995 ? 1 : digits);
      if (!alone) marker(tables, c ? TRIANGLE : SQUARE, left + 7, top + 8, { fill: colours[c] }, 5);
      const lambda = deaf || values.scale === undefined ? "" : "$\u03bb$ \u00b7 ", what = scores ? (factors ? `${lambda}key \u00b7 query` : "scores") : "weights";
      words(tables, left + (alone ? 0 : 18), top + 12, alone ? (factors ? `scores = ${what}` : what) : narrow ? name : `${what}: ${name}`, { "font-weight": 600 });
      if (factors) {
        write(a - 6, b - 5, "query", { "text-anchor": "end", fill: tintOf("w_q") });
        write(a - 6, b - 20, "key", { "text-anchor": "end", fill: tintOf("w_k") });
      }
      for (const i of all) {
        const { token, filler, key, query } = tokens[i];
        const style = filler ? { fill: GREY } : {}, given = filler ? `(${named(token)})` : named(token), down = b + (i + 0.5) * row + 4;
        words(tables, factors ? a - 48 : a - 8, down, given, { "text-anchor": "end", ...style });
        words(tables, a + (i + 0.5) * wide, b - (factors ? 21 : 8), given, { "text-anchor": "middle", ...style });
        if (factors) {
          write(a - 6, down, short(key), { "text-anchor": "end", fill: tintOf("w_k") });
          write(a + (i + 0.5) * wide, b - 5, short(query), { "text-anchor": "middle", fill: tintOf("w_q") });
        }
        for (const k of all) {
          const seen = !lists || lists[k].includes(i), ink = tokens[k].filler ? GREY : colours[c];
          const cell = { x: a + k * wide, y: b + i * row, width: wide, height: row };
          if (seen) el(tables, "rect", { ...cell, fill: ink, "fill-opacity": 0.55 * weight(i, k) || 0 });
          const text = { "text-anchor": "middle", ...(tokens[k].filler && { fill: inked(GREY) }) };
          const said = !seen ? "\u2013" : scores ? short(score(i, k)) : cellOf(weight(i, k), wide < 27 ? 1 : 2);
          write(a + (k + 0.5) * wide, down, said, text);
        }
      }
      const frame = { x: a + listener * wide, y: b, width: wide, height: n * row, fill: "none", stroke: INK, "stroke-width": 2, rx: 2 };
      el(tables, "rect", frame);
      for (const k of all) {
        const column = { x: a + k * wide, y: b - 22, width: wide, height: n * row + 22, fill: "transparent", cursor: "pointer" };
        el(columns, "rect", column).onclick = () => card.set({ listener: positions[k] });
      }
    }

    /** A weight in three or four letters: what is heard a little is not 0. */
    const cellOf = (w, digits) => (w > 0 && w < 0.5 / 10 ** digits ? `<.${"1".padStart(digits, "0")}` : number(w, digits));

    // ------------------------------------------------------------------------------------------------------- in words

    const listed = (names) => names.slice(0, -1).join(", ") + (names.length > 1 ? " and " : "") + names.at(-1);
    const distance = (one, two) => Math.hypot(one[0] - two[0], one[1] - two[1]);

    /** A number without zeros at its end. */
    function trimmed(value, digits = 4) {
      const text = number(value, digits);
      return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
    }

    const point = (at, digits = 4) => `(${at.map((entry) => trimmed(entry, digits)).join(", ")})`;
    const small = (value) => (value > 0 && value < 5e-5 ? scientific(value) : trimmed(value));
    const share = (w) => ({ "0.000": "< 0.001", "1.000": "> 0.999" })[number(w, 3)] ?? number(w, 3);
    const factorIn = (value) => (value < 0 ? `(${trimmed(value)})` : trimmed(value));

    function tellHeard({ name, tokens, weight }, at, hard, alone) {
      const { token, filler, hears, sees, heard, to } = tokens[at];
      const names = hears.map((one) => (one.token === token ? "itself" : one.token));
      const parts = hears.map((one, i) => `${names[i]} (${share(weight(tokens.indexOf(one), at))})`).join(", ");
      const whom = hears.length > 1 ? parts : `only ${names[0]}`, value = heard === null ? "" : `, in all ${trimmed(heard)},`;
      const ties = hard && hears.length > 1 ? `; ${listed(hears.map((one) => one.token))} tie: hardmax takes the mean` : "";
      const rest = tokens.filter((one) => !sees.includes(one)).map((one) => one.token);
      const hidden = rest.length ? `; hidden: ${rest.join(", ")}` : "";
      return `${alone ? "" : `${name}: `}${token}${filler ? ", a filler," : ""} hears ${whom}${value} and goes to ${point(to)}${ties}${hidden}`;
    }

    /** Tokens of both contexts that are a filler in neither, and how far apart the layer puts them. */
    function compare([one, two], hard) {
      return one.tokens.flatMap((here) => {
        const there = two?.tokens.find((found) => found.k === here.k);
        if (!there || here.filler || there.filler) return [];
        const apart = distance(here.to, there.to), by = here.heard === null ? apart : Math.abs(here.heard - there.heard);
        const surely = isToldTheSame(here, there, hard), level = !hard && here.level && there.level;
        return [{ token: here.token, from: here.to, to: there.to, by, differs: !(apart < SAME), surely, level }];
      });
    }

    /** Whether two hear the same for certain: the same tokens, or for hardmax a mean. */
    function isToldTheSame(one, two, hard) {
      const numbers = ({ sees }) => sees.map(({ k }) => k).sort((i, j) => i - j).join();
      if (numbers(one) === numbers(two)) return true;
      const sum = ({ hears }, r) => hears.reduce((total, { at }) => total + Math.round(10 * at[r]), 0);
      return hard && [0, 1].every((r) => two.hears.length * sum(one, r) === one.hears.length * sum(two, r));
    }

    function verdict([{ tokens }, two], found) {
      if (!two) {
        const pairs = tokens.flatMap((one, i) => tokens.slice(i + 1).map((other) => [one, other]));
        const fallen = pairs.flatMap(([one, other]) => {
          if (one.at.join() === other.at.join()) return [`${one.token} and ${other.token} are equal tokens`];
          return distance(one.to, other.to) < SAME ? [`${one.token} and ${other.token} end at one place`] : [];
        });
        const told = tokens.every(({ heard }) => heard !== null) ? [`heard: ${tokens.map(({ token, heard }) => `${token} ${trimmed(heard)}`).join(", ")}`] : [];
        return [...told, ...fallen].join("; ");
      }
      if (!found.length) return "no token to compare";
      const what = tokens[0].heard === null ? "outputs differ" : "what it hears differs";
      const different = found.filter(({ differs }) => differs).map(({ token, by }, k) => `${token} (${k ? "" : `${what} `}by ${small(by)})`);
      const parts = [different.length ? `told apart: ${different.join(", ")}` : "no shared token is told apart"];
      const same = found.filter(({ differs }) => !differs), kinds = new Set(same.map((one) => inBoth([one])));
      for (const told of kinds) parts.push(`${told}: ${listed(same.filter((one) => inBoth([one]) === told).map(({ token }) => token))}`);
      return parts.join("; ");
    }

    /** What the product of two tokens on the axis is multiplied by in a score. */
    function product(contexts, listener, hard, values) {
      const { network = first(networks), scale } = values;
      if (!line[network]) return [];
      if (contexts.some(({ tokens }) => tokens.some(({ at }) => at[1] !== 0))) return ["\u03b2 is for tokens on the axis: one is off it"];
      const [key, query] = ["w_k", "w_q"].map((name) => {
        const k = labelOf(name, values);
        return k < 0 ? line[network][name] : values[`u${k + 1}`];
      });
      const factors = `${factorIn(key)} \u00b7 ${factorIn(query)}`, value = key * query;
      if (!hard && scale === undefined) return [`\u03b2 = ${factors} = ${trimmed(value)}`];
      if (!hard) return [`\u03bb\u03b2 = ${trimmed(scale)} \u00b7 ${factors} = ${trimmed(scale * value, 6)}`];
      const listening = new Map(contexts.map(({ tokens }) => [tokens[listener].token, value * tokens[listener].at[0]]));
      const ends = [...listening].map(([token, v]) => `${token} hears the ${v > 0 ? "largest" : v < 0 ? "smallest" : "mean"}`);
      return [`\u03b2 = ${factors} = ${trimmed(value)}: ${ends.join(", ")}`];
    }

    /** Tokens that are no longer where their names say. */
    function moved(shown) {
      const away = shown.filter(({ k, at }) => starts[k] && starts[k].join() !== at.join()).map(({ token, at }) => `${token} is now at ${point(at)}`);
      return away.length ? [`names stay: ${away.join(", ")}`] : [];
    }

    const AWAY = "a token is not where its name says";

    /** Whether the network of the start tells a shared token apart. */
    function isTold(contexts, shared, hard, { network = first(networks) }) {
      if (network !== first(networks)) return [false, `this is not ${first(networks)}`];
      const told = shared.filter(({ differs }) => differs).map(({ token }) => token);
      return [told.length > 0, told.length ? `it tells ${listed(told)} apart` : hard && shared.length ? nearestToTie(contexts, shared) : "each shared token is the same in both"];
    }

    /** Of the shared tokens the one that is nearest to hearing another: whom it hears, and by how much that score leads. */
    function nearestToTie([{ tokens, score }], shared) {
      const found = tokens.flatMap(({ token, sees, hears }, k) => {
        if (!shared.some((one) => one.token === token)) return [];
        const scores = tokens.flatMap((one, i) => (sees.includes(one) ? [score(i, k)] : [])), most = Math.max(...scores);
        return [{ token, hears, lead: Math.min(...scores.filter((one) => one < most).map((one) => most - one)) }];
      });
      const { token, hears, lead } = found.reduce((best, one) => (one.lead < best.lead ? one : best)), names = hears.map((one) => (one.token === token ? "itself" : one.token));
      return names.length > 1 ? `${token} hears ${listed(names)} alike` : `${token} hears only ${names[0]}${Number.isFinite(lead) ? `, whose score leads by ${small(lead)}` : ""}`;
    }

    /** Whether the listener sees other tokens, and hears the same but for half a hundredth. */
    function isUnnoticed([one, two], listener, shown) {
      const [here, there] = [one, two].map(({ tokens }) => tokens[listener]), seen = ({ sees }) => sees.map(({ k }) => k).sort().join();
      if (here.k !== there.k || here.filler || there.filler) return [false, "the listener is not the same token in both"];
      if (moved(shown).length) return [false, AWAY];
      if (seen(here) === seen(there)) return [false, `${here.token} sees the same tokens in both`];
      const by = Math.abs(here.heard - there.heard);
      return [by < 0.005, `what ${here.token} hears differs by ${small(by)}`];
    }

    function update(values) {
      const found = compute(values), { contexts, listener, hard, deaf } = found, alone = contexts.length < 2;
      if (contexts.length !== count) {
        card.svg.replaceChildren();
        layout(...size);
      }
      redraw(tables, columns, arrows, marks);
      const shared = compare(contexts, hard), near = !alone && values.panel === "close-up", names = alone ? drawFeet(contexts[0].tokens, listener, values) : [];
      contexts.forEach((context, c) => {
        drawHearing(context, c, listener);
        const both = context.tokens.filter(({ k }) => contexts.every(({ tokens }) => tokens.some((one) => one.k === k)));
        drawOutputs(context, c, alone, both.map(({ token }) => token));
        if (!near) drawTable(context, c, boxes[c], values, found, alone);
      });
      if (near) drawLenses(shared);
      drawMarks(contexts, values, names);
      if (alone) drawRoles(values);
      else drawHead(contexts, shared, listener);
      last = contexts;
      const shown = contexts.flatMap(({ tokens }) => tokens), goals = {
        "told apart": () => isTold(contexts, shared, hard, values),
        "told apart in place": () => (moved(shown).length ? [false, AWAY] : isTold(contexts, shared, hard, values)),
        unnoticed: () => isUnnoticed(contexts, listener, shown),
      };
      return { ...tell(contexts, shared, listener, hard, alone, values), ...offer(contexts, listener, deaf), goals };
    }

    function tell(contexts, shared, listener, hard, alone, values) {
      const tokens = [...new Map(contexts.flatMap((context) => context.tokens.map((token) => [token.k, token]))).values()].sort((i, j) => i.k - j.k);
      const heard = contexts.map((context) => tellHeard(context, listener, hard, alone));
      const text = [verdict(contexts, shared), ...product(contexts, listener, hard, values), ...heard, ...moved(tokens)].join("\n");
      const weights = LABELS.map((label, k) => `${label} ${point([values[`u${k + 1}`], values[`v${k + 1}`]], 1)}`).join(", ");
      const alt =
        `Tokens in the plane: ${tokens.map(({ token, at }) => `${token} at ${point(at, 1)}`).join(", ")}. ` +
        `Weights: ${weights || "fixed"}. Arrows lead from each token to where the layer puts it, and to the ` +
        `${positions[listener]} token from those that it hears, the wider the more. ${text.replaceAll("\n", ". ")}.`;
      return { text, alt };
    }

    /** Handles and choices that there are. */
    function offer(contexts, listener, deaf) {
      if (card.values.listener !== positions[listener]) card.set({ listener: positions[listener] });
      const shown = new Set(contexts.flatMap(({ tokens }) => tokens.map(({ k }) => k)));
      const away = Array.from({ length: TOKENS }, (_, k) => k + 1).filter((k) => !shown.has(k));
      const hide = [...away.flatMap((k) => [`x${k}`, `y${k}`]), ...(deaf ? ["scale"] : [])];
      const names = contexts[0].tokens.map((_, i) => [...new Set(contexts.map(({ tokens }) => tokens[i].token))].join(" | "));
      return { hide, choices: { listener: Object.fromEntries(names.map((name, i) => [positions[i], `${positions[i]} (${name})`])) } };
    }

    /** Who is pressed listens. */
    function pressed(k) {
      const at = last.map(({ tokens }) => tokens.findIndex((token) => token.k === k + 1)).find((i) => i >= 0);
      if (at !== undefined) card.set({ listener: positions[at] });
    }

    return { layout, update, pressed };
  },
};
