// Sequences on number lines: whoever stands at the value that is called jumps by D times the range. One layer of attention a call.

PICTURES.calls = {
  start(card, { colours, data: { D, rows, most } }) {
    const BUTTONS = 62, FOOT = 30, LEFT = 62, FLIGHT = 350; // pixels, and milliseconds of a jump
    const red = colours.at(-1), leaps = card.stage && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    let ground, moving, wide, high, last = null, flight = null;

    function read(text) {
      const parts = text.split(/[\s,;]+/).filter(Boolean), bad = parts.find((part) => !/^\d{1,3}$/.test(part));
      if (bad !== undefined) throw new Error(`expected whole numbers from 0 to 999, such as 0 ${D - 1}, got ${bad.slice(0, 20)}.`);
      if (parts.length > most) throw new Error(`expected at most ${most} calls, got ${parts.length}.`);
      return parts.map(Number);
    }

    /** Where all tokens stand after these calls, and who shares an id. */
    function run(calls) {
      const jumped = (row, value) => row.map((t) => (t === value ? t + D * (Math.max(...row) - Math.min(...row)) : t));
      const states = rows.map((row) => calls.reduce(jumped, row)), ids = states.map((row) => Math.max(...row));
      return { calls, states, ids, differ: new Set(ids).size, shared: ids.map((id) => ids.filter((other) => other === id).length > 1) };
    }

    /** Whether this many calls, or fewer, can make all ids differ. */
    const suffice = (count, calls = []) => run(calls).differ === rows.length || (calls.length < count && Array.from({ length: D }).some((_, value) => suffice(count, [...calls, value])));

    const made = (calls) => calls.length <= most && card.set({ calls: calls.join(" ") });

    function button(text, name, press) {
      const one = make("button", { type: "button", "aria-label": name, style: "flex: 1 1 0" }, text);
      one.addEventListener("click", press);
      return one;
    }

    function layout(width, height) {
      [wide, high] = [width, height];
      const fixed = el(card.svg, "g");
      ground = el(card.svg, "g");
      moving = el(card.svg, "g");
      words(fixed, 2, 22, "call");
      if (!card.slot) return;
      const values = Array.from({ length: D }, (_, value) => button(String(value), `call ${value}`, () => made([...last.calls, value])));
      const undo = button("Undo", "Undo the last call", () => made(last.calls.slice(0, -1)));
      card.slot(LEFT - 18, 2, Math.min(wide - LEFT + 16, 420), ...values, undo);
    }

    /** Logarithms of the states on their way: at 0 where they were, at 1 where they are. */
    function between(t) {
      const part = t * t * (3 - 2 * t);
      return last.states.map((row, i) => row.map((token, k) => Math.log1p(flight?.from[i][k] ?? token) * (1 - part) + Math.log1p(token) * part));
    }

    function draw() {
      const t = flight ? Math.min(1, (performance.now() - flight.began) / FLIGHT) : 1, { states, ids, shared } = last;
      if (t === 1) flight = null;
      else card.redraw();
      const top = Math.log1p(Math.max(D ** 3, ...ids)), right = wide - 16 - 8 * String(Math.max(D ** 3, ...ids)).length;
      const across = (u) => LEFT + ((right - LEFT) * u) / top, step = (high - BUTTONS - FOOT) / rows.length;
      const marks = [0, ...Array.from({ length: 20 }, (_, k) => D ** (k + 1)).filter((mark) => Math.log1p(mark) <= top)];
      const shown = marks.filter((mark, k) => !k || k === marks.length - 1 || wide > 480 || k % 2);
      redraw(ground, moving);
      axis(ground, "x", Object.assign((mark) => across(Math.log1p(mark)), { range: [LEFT, right], domain: [0, top] }), high - FOOT + 2, { marks: shown, grid: BUTTONS, write: String });
      words(moving, wide - 2, BUTTONS - 8, "id", { "text-anchor": "end", fill: GREY });
      between(t).forEach((row, i) => {
        const y = BUTTONS + step * (i + 0.5);
        el(moving, "line", { x1: LEFT, x2: right, y1: y, y2: y, stroke: GREY, "stroke-opacity": 0.6 });
        words(moving, 2, y + 5, rows[i].join(" "));
        row.map((u, k) => [u, k]).sort(([u], [v]) => u - v).forEach(([u, k]) => marker(moving, rows[i][k], across(u), y, { fill: colours[rows[i][k] % 6] }, 6));
        words(moving, wide - 2, y + 5, `${shared[i] ? "= " : ""}${ids[i]}`, { "text-anchor": "end", "font-weight": 600, fill: shared[i] ? red : INK });
      });
    }

    function update({ calls: text }) {
      const messages = {};
      try {
        const before = last, calls = read(text);
        if (String(before?.calls) !== String(calls)) {
          last = run(calls);
          if (before && leaps) flight = { from: before.states, began: performance.now() };
        }
      } catch (error) {
        last ??= run([]);
        messages.calls = `${error.message} The picture still shows what ${last.calls.join(", ") || "no call"} made.`;
      }
      const { calls, ids, differ } = last, all = differ === rows.length, layers = `${calls.length} ${calls.length === 1 ? "layer" : "layers"}`;
      draw();
      const twins = ids.map((id, i) => [i, ids.indexOf(id)]).find(([i, first]) => first < i);
      const told = `${calls.length ? `${layers}, calling ${calls.join(", ")}` : "no call yet"}: ${all ? `all ${differ} ids differ` : `${differ} different ids for ${rows.length} sequences`}`;
      return {
        text: `${told}${twins ? `; ${rows[twins[1]].join(" ")} and ${rows[twins[0]].join(" ")} share ${ids[twins[0]]}` : ""}`,
        alt: `${rows.length} sequences on number lines, ${layers} run. ${rows.map((row, i) => `${row.join(" ")}: id ${ids[i]}`).join("; ")}.`,
        messages,
        goals: {
          apart: () => [all && !suffice(calls.length - 1), !all ? "some sequences share an id" : suffice(calls.length - 1) ? `all differ, but fewer than ${calls.length} calls can do that` : ""],
        },
      };
    }

    return { layout, update };
  },
};
