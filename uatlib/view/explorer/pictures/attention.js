// Tokens in the plane, whom one of them hears, where a head of attention puts each; the weights or scores as a table.

PICTURES.attention = {
  start(card, { colours, handles, data }) {
    const { networks, heard, examples, vectors, window: [[LEFT, RIGHT], [LOW, HIGH]], positions } = data;
    const [blue, orange, teal, purple, pink] = colours, LABELS = Object.keys(vectors), TINTS = [teal, purple, pink];
    const TOKENS = handles.length - LABELS.length, SAME = 1e-9, WIDE = 540, [SQUARE, TRIANGLE, DISC] = [1, 2, 0];
    const HALO = { stroke: PAPER, "stroke-width": 3, "paint-order": "stroke" };
    let x, y, still, tables, arrows, marks, plane, boxes;

    // ------------------------------------------------------------------------------------------------------- the layer

    const read = {};

    /** The network of this name under this mask; weights and scores as the reader has moved them. */
    function networkOf({ network = Object.keys(networks)[0], mask = Object.keys(heard)[0], ...values }) {
      const spec = networks[network], [layer] = spec.layers;
      const net = (read[[network, mask]] ??= readNetwork({ ...spec, layers: [{ ...layer, heard: heard[mask] }] }));
      const moved = {};
      LABELS.forEach((label, k) => {
        for (const name of vectors[label][network]) moved[`head0.${name}`] = [values[`u${k + 1}`], values[`v${k + 1}`]];
      });
      const hard = layer.normalization === "hardmax", deaf = hard || layer.kernel.kind === "constant";
      const turned = net.replace(0, moved);
      return { net: deaf ? turned : turned.scaled(0, values.scale ?? 1), hard, deaf, lists: heard[mask] };
    }

    /** The number of the vector that is this weight of the head; -1 if the reader does not hold it. */
    const labelOf = (name, { network = Object.keys(networks)[0] }) => LABELS.findIndex((label) => vectors[label][network].includes(name));

    /** Places, weights, scores and outputs of each context of the example. */
    function compute(values) {
      const { net, ...more } = networkOf(values);
      const contexts = Object.entries(examples[values.example ?? Object.keys(examples)[0]]).map(([name, row]) => ({
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
      contexts.forEach((context, c) => {
        Object.assign(context, { weight: table(head.weights, c), score: table(head.scores, c) });
        context.tokens.forEach((token, k) => {
          const { at } = token, heard = context.tokens.reduce((sum, _, i) => sum + head.values[i * batch + c] * context.weight(i, k), 0);
          token.to = [out[k * batch + c], out[(n + k) * batch + c]];
          Object.assign(token, { key: factor("w_k", at), query: factor("w_q", at), heard: head.values.length === n * batch ? heard : null });
        });
      });
      return { ...more, contexts, n, listener: Math.min(positions.indexOf(values.listener), n - 1) };
    }

    // --------------------------------------------------------------------------------------------------------- drawing

    function layout(width, height) {
      const wide = width >= WIDE, most = Math.max(...Object.values(examples).map((given) => Object.keys(given).length));
      const side = wide ? Math.min(226, 0.34 * width) : width, below = wide ? height : height - 176;
      plane = { left: 30, right: (wide ? width - side - 18 : width) - 8, top: 8, bottom: below - 24 };
      const fit = Math.min((plane.right - plane.left) / (RIGHT - LEFT), (plane.bottom - plane.top) / (HIGH - LOW));
      const around = (a, b, from, to) => {
        const rest = ((to - from) / fit - (b - a)) / 2;
        return [a - rest, b + rest];
      };
      x = sticky(scale(around(LEFT, RIGHT, plane.left, plane.right), [plane.left, plane.right]));
      y = sticky(scale(around(LOW, HIGH, plane.top, plane.bottom), [plane.bottom, plane.top]));
      boxes = Array.from({ length: most }, (_, c) =>
        wide
          ? { left: width - side, top: (c * height) / 2, width: side, height: height / 2 }
          : { left: (c * (width + 10)) / most, top: below + 6, width: (width - 10 * (most - 1)) / most, height: 170 },
      );
      const clip = el(el(card.svg, "defs"), "clipPath", { id: "plane" });
      el(clip, "rect", { x: plane.left, y: plane.top, width: plane.right - plane.left, height: plane.bottom - plane.top });
      still = el(card.svg, "g");
      const count = (from, to) => Math.ceil((to - from) / 60);
      axis(still, "x", x, plane.bottom, { grid: plane.top, marks: ticks(...x.domain, count(plane.left, plane.right)) });
      axis(still, "y", y, plane.left, { grid: plane.right, marks: ticks(...y.domain, count(plane.top, plane.bottom)) });
      for (const ends of [[x(0), plane.top, x(0), plane.bottom], [plane.left, y(0), plane.right, y(0)]]) {
        el(still, "path", { d: path([ends.slice(0, 2), ends.slice(2)]), stroke: GREY });
      }
      tables = el(card.svg, "g");
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

    /** From a token to the listener, bowed to one side for each context, the wider the more it is heard. */
    function drawHearing({ tokens, weight }, c, listener) {
      const [u, v] = place(tokens[listener].at);
      tokens.forEach(({ at }, i) => {
        const w = weight(i, listener);
        if (!(w > 0.001)) return;
        const style = { fill: "none", stroke: colours[c], "stroke-width": 1 + 5 * w, "stroke-opacity": 0.25 + 0.5 * w };
        if (i === listener) return void el(arrows, "circle", { cx: u, cy: v, r: 12 + 5 * c, ...style });
        const [a, b] = place(at), length = Math.hypot(u - a, v - b) || 1, bow = (c ? 0.28 : -0.28) * length;
        const [p, q] = [(a + u) / 2 - (bow * (v - b)) / length, (b + v) / 2 + (bow * (u - a)) / length];
        const far = Math.hypot(u - p, v - q) || 1, [s, t] = [(u - p) / far, (v - q) / far]; // the way it arrives
        const size = 7 + 6 * w, beside = (back, aside) => `${(u - back * s - aside * t).toFixed(1)} ${(v - back * t + aside * s).toFixed(1)}`;
        const neck = beside(13 + size, 0);
        el(arrows, "path", { d: `M${a.toFixed(1)} ${b.toFixed(1)}Q${p.toFixed(1)} ${q.toFixed(1)} ${neck}`, ...style });
        const head = { fill: colours[c], "fill-opacity": style["stroke-opacity"] };
        el(arrows, "path", { d: `M${beside(13, 0)}L${beside(13 + size, size / 2)}L${beside(13 + size, -size / 2)}Z`, ...head });
      });
    }

    /** From each token to where the layer puts it. The first context's tips are rings, the second's discs that fit in. */
    function drawOutputs({ tokens }, c, shared) {
      tokens.forEach(({ token, at, to }) => {
        if (!to.every(Number.isFinite)) return;
        const faint = shared.length && !shared.includes(token) ? 0.4 : 1, [u, v] = place(to);
        const stroke = { stroke: colours[c], "stroke-width": c ? 2 : 3.5, "stroke-opacity": (c ? 1 : 0.6) * faint };
        if (!shared.length) return void arrow(arrows, ...place(at), u, v, { stroke: blue });
        el(arrows, "path", { d: path([place(at), [u, v]]), ...stroke });
        if (c) el(arrows, "circle", { cx: u, cy: v, r: 4, fill: orange, "fill-opacity": faint });
        else el(arrows, "circle", { cx: u, cy: v, r: 7, fill: "none", stroke: blue, "stroke-width": 2.5, "stroke-opacity": faint });
      });
    }

    /** What each token shows and asks: its foot on the line of a vector. */
    function drawFeet(tokens, values) {
      for (const [name, part] of [["w_k", "key"], ["w_q", "query"]]) {
        const k = labelOf(name, values);
        if (k < 0) continue;
        const [a, b] = [values[`u${k + 1}`], values[`v${k + 1}`]], square = a * a + b * b, far = 100 / Math.sqrt(square || 1);
        const style = { stroke: TINTS[k % 3], "stroke-opacity": 0.6 };
        el(arrows, "path", { d: path([place([-far * a, -far * b]), place([far * a, far * b])]), ...style, "stroke-dasharray": "6 5" });
        for (const token of tokens) {
          const share = square ? token[part] / square : 0, foot = place([share * a, share * b]);
          el(arrows, "path", { d: path([place(token.at), foot]), ...style, "stroke-dasharray": "1 4" });
          el(arrows, "circle", { cx: foot[0], cy: foot[1], r: 3, fill: TINTS[k % 3] });
        }
      }
    }

    function drawMarks(contexts, values) {
      const drawn = new Set();
      contexts.forEach(({ tokens }, c) => {
        for (const { token, k, at } of tokens) {
          if (drawn.has(k)) continue;
          drawn.add(k);
          const shared = contexts.every((other) => other.tokens.some((one) => one.k === k)), [u, v] = place(at);
          marker(marks, shared ? DISC : c ? TRIANGLE : SQUARE, u, v, { fill: shared ? INK : colours[c] }, 6);
          words(marks, u, v + 29, token, { "text-anchor": "middle", ...HALO });
        }
      });
      LABELS.forEach((label, k) => {
        const [a, b] = [values[`u${k + 1}`], values[`v${k + 1}`]], [u, v] = place([a, b]), length = Math.hypot(a, b) || 1;
        arrow(marks, x(0), y(0), u, v, { stroke: TINTS[k % 3], "stroke-width": 2.5 });
        const beside = Math.min(Math.max(u + (22 * (a - b)) / length, plane.left + 10), plane.right - 10); // not on its line
        words(marks, beside, v - (22 * (a + b)) / length + 5, `$${label}$`, { "text-anchor": "middle", "font-size": 15, fill: TINTS[k % 3] });
        card.place(TOKENS + k, x, y);
      });
      for (let k = 0; k < TOKENS; k += 1) card.place(k, x, y);
    }

    function drawVerdict(found) {
      const different = found.filter(({ gap }) => !(gap < SAME)).map(({ token }) => token), same = !different.length;
      const said = same ? `${listed(found.map(({ token }) => token))}: the same in both` : `told apart: ${listed(different)}`;
      const style = { "font-size": 15, "font-weight": 600, ...HALO, ...(same ? {} : { fill: pink }) };
      words(marks, plane.left + 10, plane.top + 18, said, style);
    }

    /** Plain text of a table: there is much of it in each frame. */
    const write = (u, v, text, style) => el(tables, "text", { x: u, y: v, fill: INK, ...style }, text);

    /** Keys down, queries across; a column can be pointed at. */
    function drawTable({ name, tokens, weight, score }, c, { left, top, width, height }, values, lists, listener, alone) {
      const { scores } = values, tintOf = (name) => TINTS[labelOf(name, values) % 3];
      const n = tokens.length, find = scores ? score : weight, all = tokens.map((_, i) => i);
      const factors = scores && width > 200 && tokens.every(({ key, query }) => key !== null && query !== null);
      const edge = factors ? 64 : 32, most = alone && width > 200 ? 56 : 40;
      const size = Math.min((width - edge) / n, (height - 56) / n, most), high = Math.min(size, 0.7 * most);
      const [a, b] = [left + edge, top + (factors ? 56 : 42)], short = (t) => number(t, Math.abs(t) >= 99.95 || size < 30 ? 0 : 1);
      const largest = Math.max(...all.flatMap((i) => all.map((k) => Math.abs(find(i, k)))).filter(Number.isFinite), 1e-300);
      if (!alone) marker(tables, c ? TRIANGLE : SQUARE, left + 7, top + 10, { fill: colours[c] }, 5);
      const what = scores ? "scores" : "weights", title = alone ? what : width > 200 ? `${what}: ${name}` : name;
      words(tables, left + (alone ? 0 : 18), top + 14, title, { "font-weight": 600 });
      for (const i of all) {
        write(a - (factors ? 42 : 8), b + (i + 0.5) * high + 4, tokens[i].token, { "text-anchor": "end", "font-size": 12 });
        write(a + (i + 0.5) * size, b - (factors ? 21 : 7), tokens[i].token, { "text-anchor": "middle", "font-size": 12 });
        if (factors) {
          write(a - 6, b + (i + 0.5) * high + 4, short(tokens[i].key), { "text-anchor": "end", "font-size": 11, fill: tintOf("w_k") });
          write(a + (i + 0.5) * size, b - 6, short(tokens[i].query), { "text-anchor": "middle", "font-size": 11, fill: tintOf("w_q") });
        }
        for (const k of all) {
          const value = find(i, k), hidden = lists && !lists[k].includes(i);
          const cell = { x: a + k * size, y: b + i * high, width: size, height: high };
          el(tables, "rect", { ...cell, fill: colours[c], "fill-opacity": (0.5 * Math.abs(value)) / largest || 0 });
          const text = { "text-anchor": "middle", "font-size": 11 };
          write(a + (k + 0.5) * size, b + (i + 0.5) * high + 4, hidden ? "\u2013" : scores ? short(value) : number(value, 2), text);
        }
      }
      const frame = { x: a + listener * size, y: b, width: size, height: n * high, fill: "none", stroke: INK, "stroke-width": 2, rx: 2 };
      el(tables, "rect", frame);
      for (const k of all) {
        const column = { x: a + k * size, y: b - 22, width: size, height: n * high + 22, fill: "transparent", cursor: "pointer" };
        el(tables, "rect", column).addEventListener("click", () => card.set({ listener: positions[k] }));
      }
    }

    // ------------------------------------------------------------------------------------------------------- in words

    const listed = (names) => names.slice(0, -1).join(", ") + (names.length > 1 ? " and " : "") + names.at(-1);
    const point = (at, digits = 4) => `(${at.map((entry) => number(entry, digits)).join(", ")})`;
    const distance = (one, two) => Math.hypot(one[0] - two[0], one[1] - two[1]);

    function tellHeard({ name, tokens, weight }, listener, hard, alone) {
      const all = tokens.map(({ token }, i) => ({ token, w: weight(i, listener) }));
      const parts = all.map(({ token, w }) => `${token} (${number(w, 3)})`).join(", ");
      const only = tokens[listener].heard === null ? "" : `: ${number(tokens[listener].heard)},`;
      const tied = all.filter(({ w }) => w > 0).map(({ token }) => token);
      const ties = hard && tied.length > 1 ? `; ${listed(tied)} tie: hardmax takes the mean` : "";
      return `${alone ? "" : `${name}: `}${tokens[listener].token} hears ${parts}${only} and goes to ${point(tokens[listener].to)}${ties}`;
    }

    /** Shared tokens, and how far apart the layer puts them in the two contexts. */
    function gaps([one, two]) {
      return one.tokens.flatMap(({ token, k, to }) => {
        const other = two?.tokens.find((found) => found.k === k);
        return other ? [{ token, gap: distance(to, other.to) }] : [];
      });
    }

    function verdict([{ tokens }, two], found) {
      if (!two) {
        const pairs = tokens.flatMap((one, i) => tokens.slice(i + 1).map((other) => ({ one, other, gap: distance(one.to, other.to) })));
        const { one, other, gap } = pairs.reduce((best, pair) => (pair.gap < best.gap ? pair : best));
        return `least distance of two outputs: ${number(gap)} (${one.token} and ${other.token}${gap < SAME ? ", a collision" : ""})`;
      }
      const different = found.filter(({ gap }) => !(gap < SAME)).map(({ token, gap }) => `${token} (by ${number(gap)})`);
      const same = found.filter(({ gap }) => gap < SAME).map(({ token }) => token);
      const told = different.length ? `told apart: ${different.join(", ")}` : "no shared token is told apart";
      return same.length ? `${told}; the same in both: ${listed(same)}` : told;
    }

    function update(values) {
      const { contexts, listener, hard, deaf, lists } = compute(values), alone = contexts.length < 2;
      const found = gaps(contexts);
      for (const group of [tables, arrows, marks]) group.replaceChildren();
      if (alone) drawFeet(contexts[0].tokens, values);
      contexts.forEach((context, c) => {
        drawHearing(context, c, listener);
        drawOutputs(context, c, found.map(({ token }) => token));
        drawTable(context, c, boxes[c], values, lists, listener, alone);
      });
      drawMarks(contexts, values);
      if (!alone) drawVerdict(found);
      const text = [...contexts.map((context) => tellHeard(context, listener, hard, alone)), verdict(contexts, found)].join("\n");
      const shown = new Map(contexts.flatMap(({ tokens }) => tokens.map(({ token, k, at }) => [k, `${token} at ${point(at, 1)}`])));
      const weights = LABELS.map((label, k) => `${label} ${point([values[`u${k + 1}`], values[`v${k + 1}`]], 1)}`).join(", ");
      const away = Array.from({ length: TOKENS }, (_, k) => k + 1).filter((k) => !shown.has(k));
      const alt =
        `Tokens in the plane: ${[...shown.keys()].sort((i, j) => i - j).map((k) => shown.get(k)).join(", ")}. ` +
        `Weights: ${weights || "fixed"}. Arrows lead from each token to where the layer puts it, and to the ` +
        `${values.listener} token from those that it hears, the wider the more. ${text.replaceAll("\n", ". ")}.`;
      return { text, alt, hide: [...away.flatMap((k) => [`x${k}`, `y${k}`]), ...(deaf ? ["scale"] : [])] };
    }

    return { layout, update };
  },
};
