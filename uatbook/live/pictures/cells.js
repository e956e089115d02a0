// The plane in cells around sites, and a head of attention that tells which cell a point is in: every colour is what its
// network makes of a point. Of the network only W_K = R [0 s_i; 0 b_i] changes, where b_i = (w_i - |s_i|^2)/2.

PICTURES.cells = {
  start(card, { colours, controls, handles, goals: asked, data: { networks, values: rows, limits, fills, stops, wanted } }) {
    const COUNT = handles.length - 1, TRIANGLE = [[0, 0], [1, 0], [0, 1]], aims = new Set(asked.map(({ name }) => name)), red = colours.at(-1);
    const D = controls.find(({ name }) => name === "px").max, RING = 16;
    const FULL = 144, COARSE = 36, LINE = 161, INDICATOR = "indicator", SURE = 0.01, LEAST = 1e-300, NOISE = 1e-9, FADE = 166, RIM = 3, SHARP = 100;
    const valueTable = palette(stops), rgb = fills.map((fill) => [1, 3, 5].map((k) => parseInt(fill.slice(k, k + 2), 16)));
    const dot = (one, two) => one.reduce((sum, t, k) => sum + t * two[k], 0);
    let x, y, canvas, plot, ground, frame, lines, aim, marks, drawn, framed, fine;
    let led = false, stood = false, sharpened = false; // whether a hand moved since the last rest, whether cell 1 was the triangle then, whether that has raised R

    // ------------------------------------------------------------------------------------------------------- the head

    const read = {};

    /** The network of this kind, with the keys that sites, weights and R make. */
    function networkOf({ N, R, sites, b }, kind) {
      const base = (read[[kind, N]] ??= readNetwork(networks[kind][N]));
      return base.replace(1, { "head0.w_k": [0, 1, 2].map((r) => [0, 0, ...sites.map((s, i) => R * [...s, b[i]][r])]) });
    }

    /** What the head gives for these points, as many to a sequence as it takes: rows of numbers. */
    function answers(at, kind, xs, ys) {
      const net = (at.nets[kind] ??= networkOf(at, kind)), n = net.sizes.n_in ?? 1;
      const count = xs.length, batch = Math.ceil(count / n), X = new Float64Array(2 * n * batch);
      X.set(xs);
      X.set(ys, n * batch);
      const out = net.run(X, { n, batch });
      return Array.from({ length: out.length / (n * batch) }, (_, r) => out.subarray(r * n * batch, r * n * batch + count));
    }

    /** Constants as they are; slope and intercept as the affine function at a point. */
    const told = (v, u, t) => (v.length > 1 ? v[0] * u + v[1] * t + v[2] : v[0]);
    const onCell = (kind, i, u, t) => told(rows[kind].map((row) => row[i]), u, t);
    const head = (at, kind, xs, ys) => {
      const out = answers(at, kind, xs, ys);
      return Float64Array.from(xs, (u, p) => told(out.map((row) => row[p]), u, ys[p]));
    };

    /** All that the values mean. Places are hundredths and weights tenths, so that the order at the probe is exact. */
    function settle(values) {
      const N = Number(values.N ?? COUNT), R = Number(values.R), kind = values.values ?? INDICATOR, ids = fills.slice(0, N).map((_, i) => i);
      const rounded = (name, unit) => Math.round(unit * values[name]);
      const S = ids.map((i) => [rounded(`x${i + 1}`, 100), rounded(`y${i + 1}`, 100)]), W = ids.map((i) => rounded(`w${i + 1}`, 10));
      const P = [rounded("px", 100), rounded("py", 100)], twice = S.map((s, i) => 1000 * W[i] - dot(s, s));
      const order = S.map((s, i) => 2 * dot(s, P) + twice[i]), top = Math.max(...order), cell = order.indexOf(top);
      const rest = order.map((t, i) => (i === cell ? -Infinity : t)), next = Math.max(...rest);
      const at = { nets: {}, N, R, kind, ids, sites: S.map((s) => s.map((t) => t / 100)), weights: W.map((w) => w / 10), probe: P.map((t) => t / 100), b: twice.map((t) => t / 20000) };
      const shares = answers(at, INDICATOR, [at.probe[0]], [at.probe[1]]).map(([share]) => share), margin = (top - next) / 20000;
      const elsewhere = shares.reduce((sum, share, i) => (i === cell ? sum : sum + share), 0);
      const points = placed(Number(values.side)).map((point) => ({ ...point, right: leads(at, point) }));
      return { ...at, points, shares, margin, elsewhere, cell, rival: rest.indexOf(next), tied: ids.filter((i) => order[i] === top), bound: (N - 1) * Math.exp(-R * margin) };
    }

    /** Points of a grid with so many a side, each with the cell that it shall be in. */
    function placed(side) {
      const middles = Array.from({ length: wanted ? side : 0 }, (_, k) => ((2 * k + 1) / side - 1) * D);
      return middles.flatMap((u) => middles.map((t) => ({ u, t, own: wanted.findIndex(([left, low, right, high]) => left < u && u < right && low < t && t < high) })));
    }

    /** Whether the component of its own cell is ahead of all others at a point. */
    function leads({ ids, sites, b }, { u, t, own }) {
      const score = (i) => dot(sites[i], [u, t]) + b[i];
      return ids.every((i) => i === own || score(own) - score(i) > NOISE);
    }

    // ------------------------------------------------------------------------------------------------------ the drawing

    function layout(width, height) {
      const wide = width >= 540, left = 26, top = 24, most = 300, side = wide ? height - top - 40 : Math.min(width - left - 8, most);
      const box = wide ? { left: left + side + 56, right: width - 10, top, bottom: top + side } : { left: left + 14, right: width - 8, top: top + most + 66, bottom: height - 40 };
      x = scale([-D, D], [left, left + side]);
      y = scale([-D, D], [top + side, top]);
      plot = { ...box, x: scale([-D, D], [box.left, box.right]) };
      canvas = card.canvas(left, top, side, side);
      const clip = el(el(card.svg, "defs"), "clipPath", { id: "plane" }), square = { x: left, y: top, width: side, height: side };
      el(clip, "rect", square);
      const still = el(card.svg, "g");
      axis(still, "x", x, top + side, { marks: ticks(-D, D, 6) });
      axis(still, "y", y, left, { marks: ticks(-D, D, 6), label: "$x_2$" });
      words(still, left + side, top + side + 33, "$x_1$", { "text-anchor": "end" });
      words(still, left, top + side + 33, wanted ? "dotted: what is wanted" : "dashed: at least 0.99");
      ground = el(card.svg, "g", { "clip-path": "url(#plane)" });
      card.drag(el(card.svg, "rect", { ...square, fill: "transparent", style: "cursor: crosshair" }), point);
      frame = el(card.svg, "g");
      lines = el(card.svg, "g");
      aim = el(card.svg, "g", { "pointer-events": "none" });
      marks = el(card.svg, "g", { "pointer-events": "none" });
      handles.forEach((_, k) => card.place(k, x, y));
      drawn = framed = "";
    }

    /** The probe goes where the plane is touched. */
    function point() {
      const { px, py } = card.values, inside = (t) => Math.min(D, Math.max(-D, Math.round(100 * t) / 100));
      const move = (u, v) => card.set({ px: inside(x.invert(u)), py: inside(y.invert(v)) });
      return { jumps: true, move, end: (cancelled) => cancelled && card.set({ px, py }) };
    }

    /** Corners of where component i leads all others by `least`, and is `rim` from its borders, in the square and a little beyond. */
    function region({ ids, sites, b }, i, least, rim = 0) {
      let corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map((p) => p.map((t) => 1.1 * D * t));
      for (const j of ids) {
        if (j === i) continue;
        const ahead = (p) => dot(sites[i], p) - dot(sites[j], p) + b[i] - b[j] - least - rim * Math.hypot(sites[i][0] - sites[j][0], sites[i][1] - sites[j][1]);
        corners = corners.flatMap((p, k) => {
          const q = corners[(k + 1) % corners.length], [f, g] = [ahead(p), ahead(q)];
          return [...(f >= 0 ? [p] : []), ...(f >= 0 !== g >= 0 ? [p.map((t, r) => t + (f / (f - g)) * (q[r] - t))] : [])];
        });
      }
      return corners;
    }

    /** The plane, but for the probe. */
    function drawPlane(at, R) {
      const { kind, ids, sites, weights } = at, axis = Array.from({ length: R }, (_, k) => ((2 * k + 1) / R - 1) * D);
      const xs = Float64Array.from({ length: R * R }, (_, p) => axis[Math.floor(p / R)]), ys = xs.map((_, p) => axis[p % R]);
      if (kind === INDICATOR) {
        const shares = answers(at, kind, xs, ys), mixed = [0, 0, 0, FADE];
        paintSquare(canvas, R, (p) => {
          mixed.fill(0, 0, 3);
          for (let i = 0; i < shares.length; i += 1) for (let c = 0; c < 3; c += 1) mixed[c] += shares[i][p] * rgb[i][c];
          return mixed;
        });
      } else {
        const [low, high] = limits[kind], found = head(at, kind, xs, ys);
        paintSquare(canvas, R, (p) => valueTable[Math.min(255, Math.max(0, Math.round((255 * (found[p] - low)) / (high - low))))]);
      }
      redraw(ground);
      const closed = (corners) => `${path(corners.map(([u, t]) => [x(u), y(t)]))}Z`, rim = x.invert(x(0) + RIM / 2);
      // However blunt the head is, a rim in its own colour shows where a cell ends.
      for (const i of kind === INDICATOR ? ids : []) {
        const corners = region(at, i, 0, rim);
        if (corners.length) el(ground, "path", { d: closed(corners), fill: "none", stroke: fills[i], "stroke-width": RIM });
      }
      const core = Math.log((at.N - 1) / SURE) / at.R, edges = { fill: "none", stroke: INK, "stroke-width": 1.4 };
      for (const [least, dash] of [[0, null], ...(wanted ? [] : [[core, "5 4"]])]) {
        const d = ids.map((i) => region(at, i, least)).filter((corners) => corners.length).map(closed).join("");
        el(ground, "path", { ...edges, d, stroke: PAPER, "stroke-width": 4, "stroke-opacity": 0.6 });
        el(ground, "path", { ...edges, d, "stroke-dasharray": dash });
      }
      ids.forEach((i) => {
        const place = { cx: x(sites[i][0]), cy: y(sites[i][1]) };
        if (weights[i] > 0) el(ground, "circle", { ...place, r: x(Math.sqrt(weights[i])) - x(0), fill: "none", stroke: INK, "stroke-dasharray": "1 3" });
      });
    }

    /** What the reader is to reach: a triangle, or rectangles and a point of each place, ringed where another cell has it. */
    function drawAim({ points }, [reached, , told]) {
      const close = (corners) => `${path(corners.map(([u, t]) => [x(u), y(t)]))}Z`;
      const d = wanted ? wanted.map(([left, low, right, high]) => close([[left, low], [right, low], [right, high], [left, high]])).join("") : close(TRIANGLE);
      redraw(aim);
      el(aim, "path", { d, fill: "none", stroke: PAPER, "stroke-width": 4, "stroke-opacity": 0.6 });
      el(aim, "path", { d, fill: "none", stroke: INK, "stroke-width": 2, "stroke-dasharray": "2 4" });
      if (!wanted && !reached) words(aim, x(0.55), y(0.55), "goal", HALO);
      for (const { u, t, own, right } of points) {
        marker(aim, 0, x(u), y(t), { fill: fills[own], stroke: INK }, 4);
        if (!right) el(aim, "circle", { cx: x(u), cy: y(t), r: 8, fill: "none", stroke: red, "stroke-width": 2 });
      }
      words(aim, x(D), y(D) - 9, sharpened ? `${told}; now R = ${SHARP}` : told, { "text-anchor": "end", "font-weight": reached ? "bold" : "normal" });
    }

    /** The axes of the line. */
    function drawFrame(kind, v) {
      const bar = kind === INDICATOR ? 0 : 10;
      redraw(frame);
      axis(frame, "x", plot.x, plot.bottom, { marks: ticks(-D, D, 6), grid: plot.top, label: "$x_1$" });
      if (bar) gradient(frame, "values", stops, { x: plot.left - bar, y: plot.top, width: bar, height: plot.bottom - plot.top });
      axis(frame, "y", v, plot.left - bar, { marks: ticks(...limits[kind], 4), grid: plot.right });
    }

    /** Along the horizontal line through the probe: the attention to each cell, or the answer and what it shall be. */
    function drawLine(at) {
      const { kind, ids, sites, b, probe: [u, t] } = at, xs = Array.from({ length: LINE }, (_, k) => ((2 * k) / (LINE - 1) - 1) * D), ys = xs.map(() => t);
      const v = scale(limits[kind], [plot.bottom, plot.top]);
      if (framed !== kind) drawFrame(kind, v);
      framed = kind;
      redraw(lines);
      el(lines, "line", { x1: plot.x(u), x2: plot.x(u), y1: plot.top, y2: plot.bottom, stroke: INK });
      const title = (said, style) => words(lines, plot.left - 10, plot.top - 9, `${said} along $x_2$ = ${number(t, 2)}`, style);
      const curve = (row) => ({ d: path(xs.map((s, k) => [plot.x(s), v(row[k])])), fill: "none" });
      if (kind === INDICATOR) {
        const shares = answers(at, kind, xs, ys), tops = shares.map((row) => row.reduce((sum, share, k) => sum + share ** 4 * xs[k], 0) / row.reduce((sum, share) => sum + share ** 4, 0));
        shares.forEach((row, i) => el(lines, "path", { ...curve(row), stroke: fills[i], "stroke-width": 2.5 }));
        const seen = ids.filter((i) => shares[i].some((share) => share > 0.4));
        apart(seen.map((i) => plot.x(tops[i])), 20, plot.left + 10, plot.right - 10).forEach((place, k) => words(lines, place, plot.top + 18, `$s_${seen[k] + 1}$`, { fill: fills[seen[k]], "text-anchor": "middle", ...HALO }));
        return void title("attention");
      }
      title("the head", { fill: fills[1] });
      words(lines, plot.right, plot.top - 9, "wanted", { "text-anchor": "end" });
      el(lines, "path", { ...curve(head(at, kind, xs, ys)), stroke: fills[1], "stroke-width": 3.5 });
      const owner = xs.map((s) => ids.reduce((best, i) => (dot(sites[i], [s, t]) + b[i] > dot(sites[best], [s, t]) + b[best] ? i : best), 0));
      const wanted = xs.flatMap((s, k) => [...(k && owner[k] !== owner[k - 1] ? [[NaN, NaN]] : []), [plot.x(s), v(onCell(kind, owner[k], s, t))]]);
      el(lines, "path", { d: path(wanted), fill: "none", stroke: INK, "stroke-width": 1.5 });
    }

    function drawMarks({ ids, sites, probe: [u, t] }) {
      redraw(marks);
      const d = `M${x(-D)} ${y(t)}H${x(D)}M${x(u)} ${y(-D)}V${y(D)}`;
      el(marks, "path", { d, stroke: PAPER, "stroke-width": 3, "stroke-opacity": 0.5 });
      el(marks, "path", { d, stroke: INK });
      el(marks, "circle", { cx: x(u), cy: y(t), r: 6, fill: "none", stroke: INK, "stroke-width": 2 });
      const places = sites.map((s) => [x(s[0]), y(s[1])]), taken = [...places, [x(u), y(t)]], said = [];
      ids.forEach((i) => {
        const [a, c] = places[i], [foot, line] = freest(taken, said, a, c);
        marker(marks, 0, a, c, { fill: fills[i], stroke: INK });
        words(marks, foot, line, `$s_${i + 1}$`, { "text-anchor": "middle", ...HALO });
        said.push([foot, line]);
      });
    }

    /** The foot of the name of a site at (a, c): beside, above or below it, or farther away, where no mark and no name is. */
    function freest(taken, said, a, c) {
      const around = [[26, -3], [26, 13], [-26, -3], [-26, 13], [0, -15], [0, 26]], spots = [...around, ...around.map(([u, v]) => [1.7 * u, 1.7 * (v - 5) + 5])];
      const covers = (u, v, [p, q], wide, high) => Math.abs(u - p) < wide && Math.abs(v - q) < high;
      const cost = ([u, v]) => taken.filter((p) => covers(u, v - 5, p, 18, 14)).length + said.filter((p) => covers(u, v, p, 20, 14)).length + (u < x(-D) + 9 || u > x(D) - 9 || v < y(D) + 11 || v > y(-D) - 2 ? 3 : 0);
      return spots.map(([du, dv]) => [a + du, c + dv]).reduce((best, spot) => (cost(spot) < cost(best) ? spot : best));
    }

    /** Whether cell 1 is the triangle of these corners, but for a twentieth; in a sentence, and in a few words. */
    function isTriangle(at) {
      const corners = region(at, 0, 0).filter((p, k, all) => all.findIndex((q) => Math.hypot(p[0] - q[0], p[1] - q[1]) < NOISE) === k);
      const not = (said) => [false, `cell 1 ${said}`, `cell 1 ${said}`];
      if (corners.some((p) => p.some((t) => Math.abs(t) > D))) return not("reaches beyond the picture");
      if (corners.length !== 3) return not(corners.length ? `has ${corners.length} corners` : "is empty");
      const nearest = ([u, t]) => Math.min(...corners.map((p) => Math.hypot(p[0] - u, p[1] - t)));
      const off = Math.max(...TRIANGLE.map(nearest)), most = number(off, 2);
      return [off <= 0.05, `cell 1 is a triangle, whose corners are off by at most ${most}`, `a triangle, off by ${most}`];
    }

    const bests = {}; // points that were in their cells at best, by how many there are

    /** Whether each point is in the cell of its colour. */
    function isSorted({ points }) {
      const right = points.filter((point) => point.right).length, told = `${right} of ${points.length} points are in their cells`;
      const best = (bests[points.length] = Math.max(bests[points.length] ?? 0, right));
      return [right === points.length, `${told}${best > right ? `, at best ${best} so far` : ""}`, told];
    }

    // -------------------------------------------------------------------------------------------------------- in words

    const trimmed = (value, digits) => number(value, digits).replace(/\.?0+$/, "");
    const place = (at) => `(${at.map((t) => number(t, 2)).join(", ")})`;
    const affine = ([a, ...others]) => `${number(a, 2)} x\u2081 ${others.map((t) => `${t < 0 ? "\u2212" : "+"} ${number(Math.abs(t), 2)}`).join(" x\u2082 ")}`;
    const small = (value, least) => (value >= 0.01 ? number(value) : value < least ? `less than ${scientific(least)}` : scientific(value, 1));

    function tell({ N, R, kind, ids, sites, weights, probe, shares, margin, elsewhere, cell, rival, tied, bound, points }, v) {
      const name = cell + 1, owners = tied.map((i) => i + 1);
      const border = `on the border of cells ${owners.slice(0, -1).join(", ")} and ${owners.at(-1)}, counted to ${name}; margin 0`;
      const limit = `; never more than (N\u00a0\u2212\u00a01) \u00b7 exp(\u2212R\u00a0\u00b7\u00a0margin) ${bound >= LEAST ? "=" : "is"}\u00a0${small(bound, LEAST)}`;
      const lines = [
        ...(wanted ? [`${isSorted({ points })[2]}${points.every(({ right }) => right) ? "" : "; the others have rings"}`] : []),
        `x = ${place(probe)}: ${tied[1] ? border : `cell ${name}, ahead of cell ${rival + 1} by the margin ${trimmed(margin, 5)}`}`,
        `R = ${R}: the head puts ${number(shares[cell])} on cell ${name}, ${small(elsewhere, LEAST)} elsewhere${bound < 1 ? limit : ""}`,
      ];
      if (v) {
        const on = ids.map((i) => onCell(kind, i, ...probe)), got = told(v, ...probe), most = (Math.max(...on) - Math.min(...on)) * bound;
        const said = (row, value) => `${row[1] === undefined ? "" : `${affine(row)} = `}${number(value)}`, own = rows[kind].map((row) => row[cell]);
        lines.push(`${kind}: cell ${name} has ${said(own, on[cell])}, the head answers ${said(v, got)}: off by ${small(Math.abs(got - on[cell]), NOISE)}, at most ${small(Math.max(most, NOISE), NOISE)}`);
      }
      const named = ids.map((i) => `s${i + 1} ${place(sites[i])}${weights[i] ? ` with weight ${number(weights[i], 1)}` : ""}`).join(", ");
      const what = v ? `what the head answers, ${kind},` : "the head's attention";
      const alt = `The plane in ${N} cells, those of the sites ${named}. Colours show ${what} at R = ${R}: they melt at the borders. ${wanted ? `Dotted are ${wanted.length} rectangles, and points in them` : `Inside dashed lines at most ${SURE} of the attention is elsewhere`}${aims.has("triangle") ? `, dotted is the triangle of the corners ${TRIANGLE.map(place).join(", ")}` : ""}. Beside it the same along x\u2082 = ${number(probe[1], 2)}. ${lines.join(". ")}.`;
      return { text: lines.join("\n"), alt };
    }

    function update(values, moving) {
      const at = settle(values), { N, kind, probe } = at, R = moving ? COARSE : FULL;
      const key = JSON.stringify([N, at.R, kind, at.sites, at.weights]);
      if (drawn !== key || (!fine && !moving)) drawPlane(at, R), (fine = R === FULL);
      drawn = key;
      if (moving) led = true;
      else if (aims.has("triangle")) {
        const [stands] = isTriangle(at), raise = led && stands && !stood && at.R < SHARP;
        [led, stood, sharpened] = [false, stands, raise || (sharpened && stands && at.R === SHARP)];
        if (raise) card.set({ R: SHARP });
      }
      if (wanted || aims.has("triangle")) drawAim(at, wanted ? isSorted(at) : isTriangle(at));
      drawLine(at);
      drawMarks(at);
      const site = Math.min(N, Number(values.site.slice(1)));
      if (values.site !== `s${site}`) card.set({ site: `s${site}` });
      const away = fills.flatMap((_, i) => [...(i < N ? [] : [`x${i + 1}`, `y${i + 1}`]), ...(i + 1 === site ? [] : [`w${i + 1}`])]);
      const v = kind === INDICATOR ? null : answers(at, kind, [probe[0]], [probe[1]]).map(([t]) => t);
      return { ...tell(at, v), hide: away, choices: { site: at.ids.map((i) => `s${i + 1}`) }, goals: { triangle: () => isTriangle(at).slice(0, 2), sorted: () => isSorted(at).slice(0, 2) }, coarse: !fine };
    }

    /** The site that is pressed is that whose weight can be moved. */
    const pressed = (k) => k < COUNT && card.set({ site: `s${k + 1}` });

    return { layout, update, pressed };
  },
};
