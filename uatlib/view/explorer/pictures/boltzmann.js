// Entries on a line, their soft maximum, which of them pull it down, and the value against one of them.

PICTURES.boltzmann = {
  start(card, { colours, data: { thresholds, spacing }, controls }) {
    const [blue, orange, teal] = colours, STEPS = 240, COUNT = controls.filter(({ name }) => /^a\d/.test(name)).length;
    const { min: LEFT, max: RIGHT } = controls.find(({ name }) => name === "a1");
    const LANE = 104; // pixels of the line of entries, with its arrows
    let x, foot, middle, still, moving;
    let before = null;

    /** boltz(a), its derivatives and second derivatives; exponents are at most 0. */
    function soft(a) {
      const top = Math.max(...a), powers = a.map((entry) => Math.exp(entry - top));
      const total = powers.reduce((sum, power) => sum + power, 0), p = powers.map((power) => power / total);
      const value = top + p.reduce((sum, weight, i) => sum + weight * (a[i] - top), 0);
      const slopes = a.map((entry) => 1 + entry - value);
      return { value, first: p.map((q, i) => q * slopes[i]), second: p.map((q, i) => q * (1 + (1 - 2 * q) * slopes[i])) };
    }

    function layout(width, height) {
      foot = height - 40;
      middle = foot - LANE / 2;
      x = scale([LEFT, RIGHT], [40, width - 14]);
      still = el(card.svg, "g");
      moving = el(card.svg, "g");
      axis(still, "x", x, foot, { label: "entry", marks: ticks(LEFT, RIGHT, width < 480 ? 5 : 9) });
    }

    /** The value against entry k, a curve over the same axis; where it is lowest. */
    function graph(a, k, value, what) {
      const max = Math.max(...a.filter((_, i) => i !== k));
      const at = Array.from({ length: STEPS + 1 }, (_, i) => LEFT + (i / STEPS) * (RIGHT - LEFT));
      const found = at.map((t) => soft(a.map((entry, i) => (i === k ? t : entry))));
      const values = found.map((one) => one.value);
      const [low, high] = [Math.floor(2 * Math.min(...values)) / 2, Math.ceil(2 * Math.max(...values)) / 2];
      const bottom = foot - LANE - 8, y = scale([low, high], [bottom, 32]);
      axis(moving, "y", y, x(LEFT), { grid: x(RIGHT), label: `value against $a_${k + 1}$` });
      const [printed, least] = (thresholds[what] ?? Object.values(thresholds)[0])[a.length];
      for (const [name, threshold, dash] of [["printed", printed, "5 4"], ["least", least, null]]) {
        const place = x(max - threshold);
        if (place < x(LEFT)) continue;
        el(moving, "line", { x1: place, y1: 32, x2: place, y2: bottom, stroke: INK, "stroke-dasharray": dash, "stroke-width": 1.3 });
        words(moving, place + (dash ? -4 : 4), 44, name, { "text-anchor": dash ? "end" : "start", "font-size": 12 });
      }
      const parts = [];
      at.forEach((t, i) => {
        const kind = 2 * (found[i].first[k] < 0) + (found[i].second[k] < 0);
        const point = [x(t), y(values[i])];
        if (parts.at(-1)?.kind === kind) parts.at(-1).points.push(point);
        else parts.push({ kind, points: [...(parts.length ? [parts.at(-1).points.at(-1)] : []), point] });
      });
      const said = new Set();
      for (const { kind, points } of parts) {
        const colour = kind > 1 ? orange : blue, verb = kind > 1 ? "falls" : "rises", [u, v] = points[points.length >> 1];
        if (!said.has(verb) && points.at(-1)[0] - points[0][0] > 60) {
          words(moving, u, v - 8, `${verb}${kind % 2 ? ", concave" : ""}`, { "text-anchor": kind > 1 ? "start" : "end", "font-size": 12 });
          said.add(verb);
        }
        el(moving, "path", { d: path(points), fill: "none", stroke: colour, "stroke-width": kind % 2 ? 3.5 : 2 });
      }
      el(moving, "path", { d: path([[x(a[k]), y(value)], [x(a[k]), middle]]), stroke: GREY, "stroke-dasharray": "2 3" });
      marker(moving, k, x(a[k]), y(value), { fill: colours[k] });
      return at[values.indexOf(Math.min(...values))];
    }

    function line(a, value, first) {
      const edge = Math.max(x(LEFT), x(value - 1));
      el(moving, "rect", { x: x(LEFT), y: foot - LANE, width: edge - x(LEFT), height: LANE, fill: orange, "fill-opacity": 0.16 });
      if (edge > x(LEFT) + 150) words(moving, x(LEFT) + 6, foot - LANE + 15, "more than one below", { "font-size": 12 });
      el(moving, "line", { x1: x(value), y1: foot - LANE, x2: x(value), y2: foot, stroke: teal, "stroke-width": 2.5 });
      const end = x(value) > x(RIGHT) - 40;
      words(moving, x(value) + (end ? -6 : 6), foot - 6, "boltz", { "text-anchor": end ? "end" : "start" });
      a.forEach((entry, i) => {
        const down = first[i] < 0 ? 1 : -1, length = 8 + 18 * Math.min(1, Math.abs(first[i]));
        arrow(moving, x(entry), middle + down * 18, x(entry), middle + down * (18 + length), { stroke: down > 0 ? orange : blue });
        marker(moving, i, x(entry), middle, { fill: colours[i] });
        words(moving, x(entry), middle - down * 26 + 4, `$a_${i + 1}$`, { "text-anchor": "middle" });
        card.place(i, x, middle);
      });
    }

    function update(values) {
      const n = Number(values.n ?? COUNT), all = Array.from({ length: COUNT }, (_, i) => values[`a${i + 1}`]), a = all.slice(0, n);
      const moved = all.flatMap((entry, i) => (before && before[i] !== entry ? [i] : []));
      before = all;
      let k = Math.min(n, Number(values.along.slice(1))) - 1;
      if (moved.length === 1 && moved[0] < n && moved[0] !== k) {
        [k] = moved;
        card.set({ along: `a${k + 1}` });
      }
      const { value, first, second } = soft(a);
      moving.replaceChildren();
      const lowest = graph(a, k, value, values.what);
      line(a, value, first);
      const names = a.map((_, i) => `a${i + 1}`), numbers = a.map((entry) => number(entry, 2)).join(", ");
      const signs = a.map((_, i) => `${names[i]} ${number(first[i])} (${first[i] < 0 ? "falls" : "rises"}${second[i] < 0 ? ", concave" : ""})`);
      const sorted = [...a].sort((u, v) => u - v), gap = Math.min(...sorted.slice(1).map((entry, i) => entry - sorted[i]));
      const far = `least distance ${number(gap, 2)}, ${gap < spacing[n] ? "less than" : "at least"} ${number(spacing[n])}, from which on values never collide`;
      const pulling = names.filter((_, i) => first[i] < 0).join(", ") || "none";
      return {
        text: `boltz(${numbers}) = ${number(value)}\nderivatives: ${signs.join(", ")}\n${far}`,
        alt: `Entries ${numbers} on a line, their soft maximum ${number(value)}, and those more than one below it, which pull it down: ${pulling}. Above, the value against ${names[k]}: lowest at ${number(lowest, 1)}, rising from there on.`,
        hide: Array.from({ length: COUNT - n }, (_, i) => `a${n + i + 1}`),
      };
    }

    return { layout, update };
  },
};
