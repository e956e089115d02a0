// Tokens on number lines, one below the other: value by value is called, and those that have it jump by N times the range.

PICTURES.jumps = {
  start(card, { colours, data: { most } }) {
    const FOOT = 34, NEAR = 22; // pixels below the last line, and from a token that a hand still holds
    let ground, moving, wide, high, last = null, first = []; // places of the tokens on the first line

    /** The whole numbers of a text; up to base ten of a date, or of one that is too large, its digits. An error says what is wrong. */
    function read(text, N) {
      const date = N <= 10 && /^\s*\d{1,4}\s*([.,/-]|\s)\s*\d{1,2}\s*\1\s*\d{1,4}\s*$/.test(text);
      const digits = (part) => (/^\d+$/.test(part) && Number(part) >= N && N <= 10 && [...part].every((digit) => digit < N) ? [...part] : part);
      const parts = date ? text.match(/\d/g) : text.split(/[\s,;]+/).filter(Boolean).flatMap(digits), bad = parts.find((part) => !/^\d+$/.test(part) || Number(part) >= N);
      if (bad !== undefined) throw new Error(`expected whole numbers from 0 to ${N - 1}${N === 10 ? ", or a date such as 12.03.1990" : ""}, got ${bad.slice(0, 20)}.`);
      if (parts.length < 2 || parts.length > most) throw new Error(`expected 2 to ${most} tokens, such as ${[0, 1, N - 1].join(" ")}, got ${parts.length}.`);
      return parts.map(Number);
    }

    /** States of the tokens, and for each call that moves one its value and the range that it sees. */
    function run(tokens, N) {
      const states = [tokens], calls = [];
      for (let value = 0; value < N; value += 1) {
        const state = states.at(-1), range = Math.max(...state) - Math.min(...state);
        if (!range || !state.includes(value)) continue;
        states.push(state.map((t) => (t === value ? t + N * range : t)));
        calls.push({ value, range });
      }
      return { tokens, N, states, calls };
    }

    function layout(width, height) {
      [wide, high] = [width, height];
      ground = el(card.svg, "g");
      moving = el(card.svg, "g");
      // Under a hand a token goes to the nearest whole number that can be a token.
      const touched = el(card.svg, "rect", { x: 0, y: 0, width, height: height / 7, fill: "transparent", style: "cursor: ew-resize" });
      card.drag(touched, (x) => {
        if (!last) return undefined;
        const { tokens: before } = card.values, { tokens, N, across } = last;
        const k = first.reduce((best, place, i) => (Math.abs(place - x) < Math.abs(first[best] - x) ? i : best), 0);
        if (Math.abs(first[k] - x) > NEAR) return undefined;
        const move = (u) => card.set({ tokens: tokens.map((t, i) => (i === k ? across.nearest(u) : t)).join(" ") });
        return { move, end: (cancelled) => cancelled && card.set({ tokens: before }) };
      });
    }

    /** Places on the lines: equal steps up to N, and equal ones for each factor N beyond. */
    function scaleOf({ states, calls, N }) {
      const top = Math.max(N ** 2, ...states.flat()), told = Math.max(...calls.map(({ range }) => 20 + 7 * `range ${range}`.length));
      const left = Math.max(wide < 480 ? 78 : 100, told), right = wide - 18 - 8 * String(top).length;
      const linear = 0.45 * (right - left), decade = (right - left - linear) / Math.log(top / N);
      const map = (t) => left + (t <= N ? (linear * t) / N : linear + decade * Math.log(t / N));
      const nearest = (u) => Math.min(N - 1, Math.max(0, Math.round(((u - left) / linear) * N)));
      const marks = [];
      const room = (a, b) => 10 + 3.5 * (String(a).length + String(b).length); // between the middles of two numbers
      for (let mark = N; mark <= top; mark *= N) if (!marks.length || map(mark) - map(marks.at(-1)) > room(mark, marks.at(-1))) marks.push(mark);
      return Object.assign(map, { nearest, range: [left, right], domain: [0, top], marks: [0, ...marks] });
    }

    function draw({ states, calls, tokens }, across) {
      const step = (high - FOOT - 26) / Math.max(3, states.length - 1), y = (row) => 20 + step * row, [left, right] = across.range;
      const shape = (k) => tokens.indexOf(tokens[k]); // equal tokens look the same
      redraw(ground, moving);
      if (!calls.length) ["All tokens are equal, so the range is 0:", "whatever is called, nobody jumps."].forEach((line, k) =>
        words(moving, (left + right) / 2, y(1) + 18 * k, line, { "text-anchor": "middle" }));
      axis(ground, "x", across, y(states.length - 1) + 12, { marks: across.marks, grid: y(0) - 10, write: (mark) => String(mark) });
      states.forEach((state, row) => {
        el(moving, "line", { x1: left, x2: right, y1: y(row), y2: y(row), stroke: GREY });
        const call = calls[row];
        if (call) {
          const [a, b] = [Math.min(...state), Math.max(...state)].map(across), v = y(row) + 11;
          el(moving, "path", { d: `M${a} ${v - 3}V${v + 3}M${a} ${v}H${b}M${b} ${v - 3}V${v + 3}`, stroke: INK, fill: "none" });
          words(moving, left - 12, y(row + 0.5) - 3, `call ${call.value}`, { "text-anchor": "end" });
          words(moving, left - 12, y(row + 0.5) + 12, `range ${call.range}`, { "text-anchor": "end", fill: GREY });
        }
      });
      states.slice(0, -1).forEach((state, row) => {
        const moved = state.map((_, k) => k).filter((k) => state[k] !== states[row + 1][k] && shape(k) === k);
        for (const k of moved) {
          const [a, b] = [across(state[k]), across(states[row + 1][k])], long = Math.hypot(b - a, step);
          const [du, dv] = [(b - a) / long, step / long];
          arrow(moving, a + 8 * du, y(row) + 8 * dv, b - 8 * du, y(row + 1) - 8 * dv, { stroke: colours[k % 6] });
        }
      });
      first = [];
      states.forEach((state, row) => {
        state.forEach((t, k) => {
          const above = 3 * tokens.slice(0, k).filter((other) => other === tokens[k]).length; // one on the other
          marker(moving, shape(k), across(t), y(row) - above, { fill: colours[shape(k) % 6] }, row ? 5.5 : 8);
          if (!row) first.push(across(t));
          else if (states[row - 1][k] !== t && shape(k) === k) words(moving, across(t) + 9, y(row) - 6, String(t), { "font-weight": 600, ...HALO });
        });
      });
    }

    function update({ N: base, tokens: text }) {
      const N = Number(base), messages = {}, remarks = {};
      try {
        last = run(read(text, N), N);
        if (/\d\d/.test(text) && N <= 10) remarks.tokens = `Read as ${last.tokens.join(" ")}.`;
      } catch (error) {
        last ??= run([0, 1], N);
        messages.tokens = `${error.message} The picture still shows ${last.tokens.join(" ")} in base ${last.N}.`;
      }
      last.across = scaleOf(last);
      draw(last, last.across);
      const { states, calls } = last, landed = states.at(-1), same = calls.length ? "" : "; the range is 0, and nothing jumps";
      const path = calls.map(({ value, range }) => `${value} jumps by ${last.N} \u00b7 ${range}`).join(", ");
      return {
        text: `landed at ${landed.join(", ")}; last digits in base ${last.N}: ${landed.map((t) => t % last.N).join(", ")}${same}`,
        alt: `The tokens ${last.tokens.join(", ")} on number lines, one below the other. ${path || "Nothing jumps"}. They land at ${landed.join(", ")}.`,
        messages,
        remarks,
      };
    }

    return { layout, update };
  },
};
