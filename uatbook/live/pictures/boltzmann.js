// Entries on a line, their soft maximum, which of them pull it down, and the value against one of them.

PICTURES.boltzmann = {
  start(card, { colours, data: { thresholds, spacing }, controls }) {
    const [blue, orange, teal] = colours, STEPS = 240, COUNT = controls.filter(({ name }) => /^a\d/.test(name)).length;
    const { min: LEFT, max: RIGHT } = controls.find(({ name }) => name === "a1");
    const LANE = 120; // pixels of the line of entries, with its arrows and a row of words above them
    const BENDS = Object.keys(thresholds).length > 0; // without lines, nobody asks where it is concave
    let x, foot, middle, still, moving;

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
      middle = foot - 55;
      x = scale([LEFT, RIGHT], [40, width - 14]);
      still = el(card.svg, "g");
      moving = el(card.svg, "g");
      axis(still, "x", x, foot, { label: "entry", marks: ticks(LEFT, RIGHT, width < 480 ? 5 : 9) });
    }

    /** max - T of the other entries: with T as printed, and with the least; none if no thresholds were given. */
    function linesOf(a, k, what) {
      const max = Math.max(...a.filter((_, i) => i !== k));
      return ((thresholds[what] ?? Object.values(thresholds)[0])?.[a.length] ?? []).map((T) => max - T);
    }

    /** Where the value is lowest against entry k: it falls before and rises after. */
    function lowestOf(a, k) {
      let [low, high] = [LEFT, RIGHT];
      for (let step = 0; step < 50; step += 1) {
        const middle = (low + high) / 2, falls = soft(a.map((entry, i) => (i === k ? middle : entry))).first[k] < 0;
        [low, high] = falls ? [middle, high] : [low, middle];
      }
      return low;
    }

    /** The value against entry k, a curve over the same axis. */
    function graph(a, k, value, [printed, least]) {
      const at = Array.from({ length: STEPS + 1 }, (_, i) => LEFT + (i / STEPS) * (RIGHT - LEFT));
      const found = at.map((t) => soft(a.map((entry, i) => (i === k ? t : entry))));
      const values = found.map((one) => one.value);
      const [low, high] = [Math.floor(2 * Math.min(...values)) / 2, Math.ceil(2 * Math.max(...values)) / 2];
      const bottom = foot - LANE - 8, y = scale([low, high], [bottom, 32]);
      axis(moving, "y", y, x(LEFT), { grid: x(RIGHT), label: `value against $a_${k + 1}$` });
      for (const [name, line, dash] of [["printed", printed, "5 4"], ["least", least, null]]) {
        const place = x(line);
        if (!(place >= x(LEFT))) continue;
        el(moving, "line", { x1: place, y1: 32, x2: place, y2: bottom, stroke: INK, "stroke-dasharray": dash, "stroke-width": 1.3 });
        const left = dash && place - x(LEFT) > 50; // where there is room, each on its own side
        words(moving, place + (left ? -4 : 4), dash && !left ? 58 : 44, name, { "text-anchor": left ? "end" : "start", ...HALO });
      }
      const parts = [];
      at.forEach((t, i) => {
        const kind = 2 * (found[i].first[k] < 0) + (BENDS && found[i].second[k] < 0);
        const point = [x(t), y(values[i])];
        if (parts.at(-1)?.kind === kind) parts.at(-1).points.push(point);
        else parts.push({ kind, points: [...(parts.length ? [parts.at(-1).points.at(-1)] : []), point] });
      });
      for (const { kind, points } of parts) {
        el(moving, "path", { d: path(points), fill: "none", stroke: kind > 1 ? orange : blue, "stroke-width": kind % 2 ? 3.5 : 2 });
      }
      const said = new Set();
      for (const { kind, points } of parts) {
        const verb = kind > 1 ? "falls" : "rises", [u, v] = points[points.length >> 1];
        if (said.has(verb) || points.at(-1)[0] - points[0][0] <= 60) continue;
        words(moving, u, v - 8, `${verb}${kind % 2 ? ", concave" : ""}`, { "text-anchor": kind > 1 ? "start" : "end", ...HALO });
        said.add(verb);
      }
      el(moving, "path", { d: path([[x(a[k]), y(value)], [x(a[k]), middle]]), stroke: GREY, "stroke-dasharray": "2 3" });
      marker(moving, k, x(a[k]), y(value), { fill: colours[k] });
    }

    function line(a, value, first) {
      const edge = Math.max(x(LEFT), x(value - 1));
      el(moving, "rect", { x: x(LEFT), y: foot - LANE, width: edge - x(LEFT), height: LANE, fill: orange, "fill-opacity": 0.16 });
      if (edge > x(LEFT) + 130) words(moving, x(LEFT) + 6, foot - LANE + 14, "more than one below");
      el(moving, "line", { x1: x(value), y1: foot - LANE, x2: x(value), y2: foot, stroke: teal, "stroke-width": 2.5 });
      const end = x(value) > x(RIGHT) - 40;
      words(moving, x(value) + (end ? -6 : 6), foot - LANE + 14, "boltz", { "text-anchor": end ? "end" : "start", ...HALO });
      // Names stand where the arrows do not, beside each other.
      const names = [];
      for (const falls of [true, false]) {
        const those = a.flatMap((_, i) => (first[i] < 0 === falls ? [i] : []));
        apart(those.map((i) => x(a[i])), 20, x(LEFT), x(RIGHT)).forEach((u, k) => (names[those[k]] = u));
      }
      a.forEach((entry, i) => {
        const down = first[i] < 0 ? 1 : -1, length = 8 + 18 * Math.min(1, Math.abs(first[i]));
        arrow(moving, x(entry), middle + down * 18, x(entry), middle + down * (18 + length), { stroke: down > 0 ? orange : blue });
        marker(moving, i, x(entry), middle, { fill: colours[i] });
        words(moving, names[i], middle - down * 27 + 5, `$a_${i + 1}$`, { "text-anchor": "middle", ...HALO });
        card.place(i, x, middle);
      });
    }

    /** Whether two entries have the value of (0, -1), but are others. */
    function isTwin(a, value) {
      const [low, high] = [...a].sort((u, v) => u - v);
      if (a.length !== 2 || high) return [false, "take two entries, the larger of them 0"];
      if (Math.abs(low + 1) < 0.3) return [false, "this is \u22121, or too near to it"];
      const off = Math.abs(value - soft([0, -1]).value);
      return [off < 0.001, `beside 0, ${number(low, 2)} misses the value of \u22121 by ${number(off)}`];
    }

    /** Whether the value is nearly as far below the largest entry as four entries can bring it. */
    function isDeep(a, value) {
      const below = Math.max(...a) - value;
      return [below >= 0.6, `the value is ${number(below, 3)} below the largest entry`];
    }

    function update(values) {
      const n = Number(values.n ?? COUNT), all = Array.from({ length: COUNT }, (_, i) => values[`a${i + 1}`]), a = all.slice(0, n);
      const k = Math.min(n, Number(values.along.slice(1))) - 1, lines = linesOf(a, k, values.what), lowest = lowestOf(a, k);
      if (values.along !== `a${k + 1}`) card.set({ along: `a${k + 1}` });
      const { value, first, second } = soft(a);
      redraw(moving);
      graph(a, k, value, lines);
      line(a, value, first);
      const names = a.map((_, i) => `a${i + 1}`), numbers = a.map((entry) => number(entry, 2)).join(", ");
      const signs = a.map((_, i) => `${names[i]} ${number(first[i])} (${first[i] < 0 ? "falls" : "rises"}${BENDS && second[i] < 0 ? ", concave" : ""})`);
      const sorted = [...a].sort((u, v) => u - v), gap = Math.min(...sorted.slice(1).map((entry, i) => entry - sorted[i]));
      const far = spacing[n] === undefined ? "" : `\nleast distance ${number(gap, 2)}, ${gap < spacing[n] ? "less than" : "at least"} ${number(spacing[n])}, from which on values never collide`;
      const drawn = lines.length ? `; lines at ${number(lines[1], 3)} (least T), ${number(lines[0], 3)} (printed T)` : "";
      const pulling = names.filter((_, i) => first[i] < 0).join(", ") || "none";
      return {
        text: `boltz(${numbers}) = ${number(value)}\nderivatives: ${signs.join(", ")}\nagainst ${names[k]}: lowest at ${number(lowest, 3)}${drawn}${far}`,
        alt: `Entries ${numbers} on a line, their soft maximum ${number(value)}, and those more than one below it, which pull it down: ${pulling}. Above, the value against ${names[k]}: lowest at ${number(lowest, 3)}, rising from there on.`,
        hide: Array.from({ length: COUNT - n }, (_, i) => `a${n + i + 1}`),
        choices: { along: names },
        goals: { twin: () => isTwin(a, value), deep: () => isDeep(a, value) },
      };
    }

    return { layout, update };
  },
};
