// Two sequences that the reader designs, and what a token that both have hears in each of them, whatever it asks: a lamp burns
// for each mixer that takes them for each other. Tokens are whole numbers, so that verdicts are exact.

const totalOf = (row, of) => row.reduce((sum, t) => sum + of(t), 0);
const averageOf = (row, weight) => totalOf(row, (t) => weight(t) * t) / totalOf(row, weight);
const ascending = (row) => [...row].sort((a, b) => a - b);

/** What a token with the query q hears, for W_V = 1; and which numbers of the row settle that, for all q together. `open`: it may be
 * larger than all tokens. */
const LISTENERS = {
  mean: { heard: (row) => averageOf(row, () => 1), settles: (row) => [totalOf(row, (t) => t)] },
  linear: { heard: (row, q) => totalOf(row, (t) => q * t * t), settles: (row) => [totalOf(row, (t) => t * t)], open: true },
  hardmax: {
    heard: (row, q) => (q === 0 ? averageOf(row, () => 1) : q > 0 ? Math.max(...row) : Math.min(...row)),
    settles: (row) => [Math.min(...row), Math.max(...row), totalOf(row, (t) => t)],
    jumps: true,
  },
  sigmoid: {
    heard: (row, q) => totalOf(row, (t) => t / (1 + Math.exp(-q * t))),
    settles: (row) => [totalOf(row, (t) => t), ...ascending(row.map(Math.abs))],
    open: true,
  },
  softmax: { heard: (row, q) => averageOf(row, (t) => Math.exp(q * t)), settles: ascending },
};

PICTURES.pair = {
  start(card, { colours, handles, data: { most, asks } }) {
    const TINY = 1e-6, TOP = 46, STEP = 33, FAINT = 8, [blue, pink] = colours, tell = colours[7], red = colours.at(-1), fills = [blue, pink];
    const smooth = Array.from({ length: 41 }, (_, k) => (asks * (k - 20)) / 20), jumping = [-asks, -TINY, NaN, TINY, asks];
    const kinds = Object.entries(LISTENERS).map(([name, one]) => ({ name, ...one, at: one.jumps ? jumping : smooth }));
    const told = (value) => number(value, Number.isInteger(value) ? 0 : 3);
    const list = (items) => items.join(", ").replace(/, (?=[^,]*$)/, " and ");
    let x, boxes, moving;

    function layout(width, height) {
      const wide = width >= 540, foot = TOP + 2 * STEP + 22, still = el(card.svg, "g"), count = kinds.length, step = wide ? width / count : (height - foot - 72) / count;
      x = scale([-most, most], [44, width - 16]);
      axis(still, "x", x, foot, { marks: ticks(-most, most, 2 * most), grid: TOP - 16 });
      [["X", blue], ["both", INK], ["Y", pink]].forEach(([said, fill], k) => words(still, 2, TOP + k * STEP + 4, said, { fill, "font-weight": 600 }));
      boxes = kinds.map((_, i) => {
        const top = foot + (wide ? 76 : 34 + i * step), sides = wide ? { left: i * step + 34, right: (i + 1) * step - 6 } : { left: 152, right: width - 10 };
        return { ...sides, top, bottom: wide ? height - 42 : top + step - 20, lamp: wide ? [i * step + 12, top - 36] : [12, top + 10], last: wide || i === count - 1 };
      });
      moving = el(card.svg, "g");
      handles.forEach(({ x: name }, k) => card.place(k, x, TOP + "xby".indexOf(name[0]) * STEP));
    }

    /** The two rows as they stand, those that both have first; what is wrong with them; and for each mixer whether it is fooled. */
    function settle(values) {
      const own = (letter) => handles.filter(({ x: name }) => name[0] === letter).map(({ x: name }) => values[name]), both = own("b");
      const rows = { X: [...both, ...own("x")], Y: [...both, ...own("y")] }, { X, Y } = rows, alike = ({ settles }) => String(settles(X)) === String(settles(Y));
      const twice = Object.entries(rows).flatMap(([name, row]) => row.filter((t, k) => row.indexOf(t) < k).map((t) => `${name} has two tokens at ${number(t, 0)}`));
      const fault = twice.length ? list(twice) : alike({ settles: ascending }) ? "X and Y are the same set" : "";
      const judged = kinds.map((kind) => {
        const gaps = [...kind.at, 0].filter(Number.isFinite).map((q) => Math.abs(kind.heard(X, q) - kind.heard(Y, q)));
        return { ...kind, fooled: !fault && alike(kind), gap: alike(kind) ? 0 : Math.max(...gaps) };
      });
      return { rows, both, fault, judged };
    }

    function drawRails({ rows, both }) {
      for (const t of both) {
        el(moving, "line", { x1: x(t), x2: x(t), y1: TOP, y2: TOP + 2 * STEP, stroke: INK, "stroke-width": 2 });
        marker(moving, 3, x(t), TOP + STEP, { fill: INK });
      }
      Object.values(rows).forEach((row, r) => row.forEach((t, k) => {
        const y = TOP + 2 * r * STEP;
        marker(moving, r, x(t), y, { fill: k < both.length ? INK : fills[r] });
        if (row.indexOf(t) < k) el(moving, "circle", { cx: x(t), cy: y, r: 12, fill: "none", stroke: red, "stroke-width": 2 });
      }));
    }

    /** What is heard over q; between the two what differs, or above the axis so much larger that it can be seen. */
    function drawHeard({ rows: { X, Y }, fault }, { name, heard, at, open, jumps, fooled, gap }, { left, right, top, bottom, lamp: [u, v], last }) {
      const finite = at.filter(Number.isFinite), loudest = Math.max(...[X, Y].flatMap((row) => finite.map((q) => Math.abs(heard(row, q)))));
      const reach = open ? Math.max(1, Math.ceil(loudest)) : most, across = scale([-asks, asks], [left, right]), up = scale([-reach, reach], [bottom, top]);
      const corner = (row) => (q) => [across(q), up(heard(row, q))], times = gap * FAINT < reach && !jumps ? 10 * Math.floor(reach / gap / 10 / 1.2) : 1;
      const area = times > 1 ? [...finite.map((q) => [across(q), up(times * (heard(X, q) - heard(Y, q)))]), [right, up(0)], [left, up(0)]] : [...finite.map(corner(X)), ...finite.map(corner(Y)).reverse()];
      axis(moving, "x", across, bottom, { marks: last ? [-asks, 0, asks] : [], label: last ? "$q$" : "" });
      axis(moving, "y", up, left, { marks: [-reach, 0, reach], grid: right });
      if (gap) el(moving, "path", { d: `${path(area)}Z`, fill: tell, "fill-opacity": 0.3 });
      [X, Y].forEach((row, k) => {
        el(moving, "path", { d: path(at.map(corner(row))), fill: "none", stroke: fills[k], "stroke-width": 2.5, "stroke-dasharray": k ? "5 4" : null });
        if (jumps) marker(moving, k, ...corner(row)(0), { fill: fills[k] }, 4);
      });
      el(moving, "circle", { cx: u, cy: v - 4, r: 7, fill: fooled ? red : "none", stroke: fooled ? red : GREY, "stroke-width": 2 });
      words(moving, u + 14, v, name, { "font-weight": 600 });
      words(moving, u + 14, v + 17, fault ? "" : fooled ? "fooled" : `gap ${told(gap)}${times > 1 ? `, \u00d7${times}` : ""}`, { fill: fooled ? red : INK });
    }

    function update(values) {
      const now = settle(values), { rows, both, fault, judged } = now, [mean] = judged, said = (row) => ascending(row).map((t) => number(t, 0)).join(", ");
      const names = (wanted) => list(judged.filter(({ fooled }) => fooled === wanted).map(({ name }) => name)), count = judged.filter(({ fooled }) => fooled).length;
      const score = `fools ${count} of ${judged.length}`, heard = judged.map(({ name, fooled, gap }) => `${name}: ${fooled ? "the same, its lamp burns" : `up to ${told(gap)} apart`}`);
      const goal = (reached, there, not) => [reached, reached ? there : fault ? "no pair to judge" : not];
      redraw(moving);
      words(moving, x(most) + 14, 16, fault || score, { "text-anchor": "end", "font-weight": 600, fill: fault ? red : INK });
      drawRails(now);
      judged.forEach((one, i) => drawHeard(now, one, boxes[i]));
      return {
        text: fault ? `${fault}; the tokens of a sequence differ, and so do the two sets` : `this pair ${score}${count ? `: ${names(true)}` : ""}`,
        alt: `Two number lines, X = {${said(rows.X)}} and Y = {${said(rows.Y)}}, both with ${said(both)}. Below, for each mixer, what a token of both hears in X and in Y over its query q. ${fault || heard.join("; ")}.`,
        goals: {
          mean: () => goal(mean.fooled, `it hears ${told(mean.heard(rows.X))} in both`, `the mean hears ${told(mean.heard(rows.X))} in X and ${told(mean.heard(rows.Y))} in Y`),
          two: () => goal(count >= 2, names(true), `it fools ${count ? names(true) : "none"}`),
          four: () => goal(count >= 4, names(true), `${names(false)} hear a difference`),
        },
      };
    }

    return { layout, update };
  },
};
