// Hats of three ReLUs each on the line of ids, a panel for each token: what their sum answers at ids, and what it shall.

PICTURES.hats = {
  start(card, { colours, data: { rows, top, tolerance, least } }) {
    const DEEP = -0.3, SNAP = 6, PULL = 12, STEP = [0.001, 0.01], [blue, , teal] = colours, red = colours.at(-1), relu = (t) => Math.max(0, t);
    const points = rows.flatMap(({ token, ids }, row) => ids.map((id) => ({ ...id, row, who: `token ${token} beside ${id.name}` })));
    const gap = Math.min(...points.slice(1).map(({ z }, i) => z - points[i].z));
    let boxes, moving;

    /** The three ReLUs of a hat: factors, and where they begin. */
    const parts = ({ c, h }, R) => [1, -2, 1].map((factor, k) => [factor * h, c + (k - 1) / R]);
    const sum = (hats, R, z) => hats.reduce((total, hat) => parts(hat, R).reduce((part, [factor, from]) => part + factor * relu(R * (z - from)), total), 0);

    /** Of these the one that is nearest, and nearer than `most`. */
    function nearest(all, distance, most) {
      const best = all.reduce((found, one) => (distance(one) < distance(found) ? one : found));
      return distance(best) < most ? best : undefined;
    }

    /** Hat k: its centre and height are steps of sliders, and where these are the steps next to an id and its answer, they are
     * that id and that answer. */
    function hatOf(values, k) {
      const c = values[`c${k + 1}`], h = values[`h${k + 1}`], own = points.filter(({ row }) => row === points[k].row);
      const on = nearest(own, ({ z }) => Math.abs(z - c), STEP[0] / 2 + 1e-9), fits = h && on && Math.abs(on.answer - h) < STEP[1] / 2 + 1e-9;
      return { c: on?.z ?? c, h: fits ? on.answer : h, on: fits ? on : null };
    }

    function layout(width, height) {
      const wide = width >= 540, count = rows.length, step = wide ? (width - 2) / count : (height - 20) / count;
      const defs = el(card.svg, "defs"), still = el(card.svg, "g");
      boxes = rows.map(({ token, low, high }, i) => {
        const left = wide ? 30 + i * step : 30, right = wide ? left + step - 40 : width - 10, upper = wide ? 28 : 28 + i * step, bottom = wide ? height - 38 : upper + step - 48;
        const x = scale([low, high], [left, right]), y = scale([DEEP, top], [bottom, upper]);
        el(el(defs, "clipPath", { id: `panel${i}` }), "rect", { x: left, y: upper - 8, width: right - left, height: bottom - upper + 8 });
        axis(still, "x", x, bottom, { marks: ticks(low, high, 4), label: i === count - 1 ? "id" : "" });
        axis(still, "y", y, left, { marks: [0, 0.5, 1], grid: right, label: `token ${token}` });
        return { x, y };
      });
      moving = el(card.svg, "g");
      // Under a hand a hat goes to the ring that it comes near, else to the id above which it is; keys go anywhere.
      points.forEach(({ row }, k) => {
        const own = points.filter((point) => point.row === row), { x, y } = boxes[row];
        const ring = (u, v) => nearest(own, ({ z, answer }) => Math.hypot(x(z) - u, y(answer) - v), PULL), id = (u) => nearest(own, ({ z }) => Math.abs(x(z) - u), SNAP);
        const across = Object.assign((c) => x(c), { invert: (u, v) => (ring(u, v) ?? id(u))?.z ?? x.invert(u) });
        card.place(k, across, Object.assign((h) => y(h), { invert: (v, u) => ring(u, v)?.answer ?? y.invert(v) }));
      });
    }

    function draw(hats, R, held) {
      redraw(moving);
      rows.forEach(({ low, high }, i) => {
        const { x, y } = boxes[i], panel = el(moving, "g", { "clip-path": `url(#panel${i})` }), within = (z) => Math.min(high, Math.max(low, z));
        const line = (corners, style) => el(panel, "path", { d: path(corners.map(([z, t]) => [x(z), y(t)])), fill: "none", ...style });
        const seen = hats.filter(({ c, h }) => h && c + 1 / R > low && c - 1 / R < high), kinks = seen.flatMap((hat) => parts(hat, R).map(([, from]) => within(from)));
        for (const { c, h } of seen) line([[c - 1 / R, 0], [c, h], [c + 1 / R, 0]], { fill: blue, "fill-opacity": 0.15 });
        if (seen.includes(held)) {
          for (const [factor, from] of parts(held, R)) {
            const at = within(from);
            line([[low, factor * relu(R * (low - from))], [at, factor * relu(R * (at - from))], [high, factor * relu(R * (high - from))]], { stroke: INK, "stroke-opacity": 0.6, "stroke-dasharray": "4 3" });
            if (at === from) el(panel, "circle", { cx: x(at), cy: y(0), r: 3, fill: INK });
          }
        }
        line([low, ...kinks.sort((a, b) => a - b), high].map((z) => [z, sum(hats, R, z)]), { stroke: blue, "stroke-width": 3 });
      });
      for (const { row, name, z, answer, got, right } of points.map((point) => judge(point, hats, R))) {
        const { x, y } = boxes[row], u = x(z);
        if (!right) el(moving, "line", { x1: u, x2: u, y1: y(answer), y2: y(Math.min(1.1 * top, got)), stroke: red, "stroke-width": 2 });
        el(moving, "circle", { cx: u, cy: y(answer), r: 10, fill: right ? teal : "none", "fill-opacity": 0.3, stroke: right ? teal : red, "stroke-width": 2, "stroke-dasharray": right || hats.some(({ on }) => on?.z === z) ? null : "3 3" });
        words(moving, u, y(0) + 15, name, { "text-anchor": "middle", ...HALO });
      }
      hats.forEach(({ c, h }, k) => marker(moving, 2, boxes[points[k].row].x(c), boxes[points[k].row].y(h), { fill: colours[0], "fill-opacity": h ? 1 : 0.4 }, 6));
    }

    /** What an id gets, and whether that is its answer. */
    function judge(point, hats, R) {
      const got = sum(hats, R, point.z);
      return { ...point, got, right: Math.abs(got - point.answer) <= tolerance + 1e-9 };
    }

    // Whoever takes hold of a hat, or comes to it by keys, sees its ReLUs.
    card.stage?.addEventListener("focusin", ({ target }) => {
      const k = [...card.stage.querySelectorAll(".handle")].indexOf(target.closest(".handle"));
      if (k >= 0) card.set({ hat: String(k + 1) });
    });

    function update(values) {
      const R = Number(values.R), hats = points.map((_, k) => hatOf(values, k));
      const judged = points.map((point) => judge(point, hats, R)), wrong = judged.filter(({ right }) => !right), used = hats.filter(({ h }) => h).length;
      const worst = wrong.reduce((best, one) => (Math.abs(one.got - one.answer) > Math.abs(best.got - best.answer) ? one : best), wrong[0]);
      const units = `${used} ${used === 1 ? "hat" : "hats"}, ${3 * used} ReLUs`, limit = number(2 / gap, 0), left = `${points.length - wrong.length} of ${points.length} answers are right`;
      draw(hats, R, hats[values.hat - 1]);
      const told = [
        `${units}; with a hat for each id ${3 * points.length}`,
        wrong.length ? `${points.length - wrong.length} of ${points.length} answers are right within ${tolerance}; ${worst.who} gets ${number(worst.got, 3)}, not ${number(worst.answer, 3)}` : `all ${points.length} answers are right within ${tolerance}`,
        R * gap < 2 ? `R = ${R}; from R = 2/\u03b3 = ${limit} on, hats at two ids do not overlap` : `R = ${R}, at least 2/\u03b3 = ${limit}: hats at two ids do not overlap`,
      ];
      return {
        text: told.join("\n"),
        alt: `The line of ids, a panel for each token, with hats of the half width ${number(1 / R, 3)}. ${hats.map(({ c, h }, k) => `Hat ${k + 1} at ${number(c, 3)} ${h ? `is ${number(h, 2)} high` : "is flat"}. `).join("")}${judged.map(({ who, z, got, answer }) => `${who}, id ${number(z, 3)}: ${number(got, 3)} for ${number(answer, 3)}`).join("; ")}.`,
        goals: {
          all: () => [!wrong.length, wrong.length ? left : `${3 * used} ReLUs`],
          fewest: () => [!wrong.length && used <= least, wrong.length ? left : `${3 * used} ReLUs${used > least ? " do it, but so do fewer" : ""}`],
        },
      };
    }

    return { layout, update };
  },
};
