// Two tokens through the literal network of a proof: their cell, how they are told apart, what is looked up, the answer
// beside f. Where layers tell apart, the middle is a film of the tokens, and rows are ids with the values of f that the
// proof files under them; where one head does it all, the middle is the weights of its keys, and rows are their values.
// All numbers but those of f are states, weights or values of the network.

PICTURES.xray = {
  start(card, { colours, data: { N, lit, steps, layers, subjects, f: formula } }) {
    const ROWS = lit === null || lit === 2 ? 5 : 3;
    const ink = (k) => (lit === null || lit === k ? colours[6 + k] : GREY), pair = (state) => [state[0], state[1]];
    let proofs = {}, f = readFormula(formula), shownOf = "", own = null; // what the reader made, if it is shown
    let panels, ground, moving, nearest = Infinity; // the last: how far the answers were apart at best

    const proofOf = (name) => (proofs[name] ??= (subjects[name].query === undefined ? byLayers : byOneHead)(subjects[name]));

    const networkOf = (network, held) => (own ? FUNCTIONS.hold(readNetwork(network), held, f) : readNetwork(network));

    /** Which f it is: that of the book, or the reader's. */
    function settle({ formula: text, paint }) {
      if (shownOf === `${text} ${paint}`) return;
      shownOf = `${text} ${paint}`;
      const book = !text && !paint;
      own = null;
      try {
        const { f: theirs } = FUNCTIONS.meaning(text || formula, paint);
        f = book ? readFormula(formula) : theirs;
        own = book ? null : { formula: text, paint };
      } catch {
        f = readFormula(formula); // kept by another version of this page, or in a link that is torn
      }
      proofs = {};
    }

    /** A network of layers: tokens get ids, and rows of a dictionary fire. */
    function byLayers({ network, held, cut, told, corner, filed, quarters, keeps }) {
      const net = networkOf(network, held), NEAR = quarters ? 0.01 : 0.0001, rows = [], heights = [1]; // of tokens on their way, in any cell
      const near = (id) => rows.findIndex((row) => Math.abs(row.id - id) < NEAR);
      for (let a = 0; a < N; a += 1) {
        for (let b = 0; b < N; b += 1) {
          const states = net.trace(Float64Array.of((a + 0.5) / N, (b + 0.5) / N), { n: 2 });
          heights.push(...states.slice(cut, told + 1).flatMap(pair));
          if (a === b && !keeps) continue;
          rows.push({ id: states[told][0], answer: f(Float64Array.of((a + filed) / N), Float64Array.of((b + filed) / N))[0] });
        }
      }
      rows.sort((p, q) => p.id - q.id);

      /** An id; where ids are quarters, as one that softmax has missed by at most a hundredth. */
      function said(id) {
        const quarter = Math.round(4 * id), whole = Math.floor(quarter / 4);
        if (!quarters || Math.abs(id - quarter / 4) > 0.01) return number(id, 3);
        return `${number(whole, 0)}${["", " 1/4", " 1/2", " 3/4"][quarter - 4 * whole]}`;
      }

      function settle(X) {
        const states = net.trace(X, { n: 2 }).map(pair), ids = states[told], answer = states.at(-1)[0];
        const [a, b] = states[cut].map((t) => Math.round(t * N - corner)), row = a === b && !keeps ? -1 : near(ids[0]);
        const film = [states[0], ...states.slice(cut, told + 1)];
        const where = a === b ? `both fall into cell ${a}` : `fall into cells ${a} and ${b}`;
        const found = row < 0 ? "No row fires, the network says" : `Row ${said(rows[row].id)} says ${number(rows[row].answer, 3)}, the network`;
        const next = row < 0 ? rows.findIndex(({ id }) => id >= ids[0]) : row;
        const first = Math.max(0, Math.min(rows.length - ROWS, (next < 0 ? rows.length : next) - (ROWS >> 1)));
        return {
          cells: [a, b],
          middle: () => drawFilm(film, ids.map(said), heights),
          rows: rows.slice(first, first + ROWS).map((r, k) => ({ name: said(r.id), value: r.answer, share: first + k === row ? 1 : 0 })),
          answer,
          fires: row >= 0,
          goals: {
            "no row": () => [row < 0, row < 0 ? "no row has this id" : "a row fires"],
            "one id": () => [a === b && row >= 0, a === b ? `both tokens are ${said(ids[0])}` : `the ids are ${number(Math.abs(ids[0] - ids[1]), 3)} apart`],
          },
          text: [`Tokens ${pair(X).map((t) => number(t, 2)).join(" and ")} ${where}; their ids are ${ids.map(said).join(" and ")}.`, `${found} ${number(answer, 3)}`],
        };
      }
      return { settle, columns: ["id", "answer"], seen: "two tokens as lines over the layers, the rows of the dictionary around the one that fires" };
    }

    /** One head: its keys are the centres of cells, its weights say how near each is, its values are answers. */
    function byOneHead({ network, held, query }) {
      const net = networkOf(network, held);

      function settle(X) {
        const state = net.trace(X, { n: 2 })[1], [{ weights, values }] = net.attend(1, X, { n: 2 }), n = N * N + 1, keys = [];
        for (let k = 0; k < n; k += 1) {
          if (k === query) continue;
          const cells = pair(X).map((t, r) => Math.floor(N * (t + state[r * n + k] - state[r * n + query])));
          keys.push({ cells, weight: weights[k * n + query], value: values[k] });
        }
        keys.sort((p, q) => q.weight - p.weight);
        const [{ cells, weight, value }] = keys, answer = net.run(X, { n: 2 })[0], percent = (w) => `${number(100 * w, 0)} %`;
        return {
          cells,
          middle: () => drawWeights(keys),
          rows: keys.slice(0, ROWS).map((key) => ({ name: percent(key.weight), value: key.value, share: key.weight })),
          answer,
          fires: true,
          goals: { melt: () => [weight <= 0.3, `the heaviest cell weighs ${number(weight, 3)}`] },
          text: [
            `The sequence (${pair(X).map((t) => number(t, 2)).join(", ")}) is in cell (${cells.join(", ")}), whose key has the weight ${number(weight, 3)} and the value ${number(value, 3)}.`,
            `The weighted mean of all values is ${number(answer, 3)}`,
          ],
        };
      }
      return { settle, columns: ["weight", "value"], seen: "the weights of the cells, the values of those that weigh most" };
    }

    /** Side by side, and below each panel its layers; on a phone two by two, the layers above. */
    function placesOf(width, height) {
      const large = lit ? 2 : 1.4, share = [...steps.map((_, k) => (lit === k ? large : 1)), 0.7], all = share.reduce((a, b) => a + b);
      const gap = 30, room = width - 36 - 3 * gap, half = (width - 30 - gap) / 2, down = height / 2 + 5;
      const from = (k) => 26 + gap * k + (room * share.slice(0, k).reduce((a, b) => a + b, 0)) / all;
      if (width >= 540) return share.map((part, k) => ({ left: from(k), right: from(k) + (room * part) / all, top: 26, bottom: height - 44 }));
      return share.map((_, k) => [22 + (k % 2) * (half + gap), 38 + (k >> 1) * down]).map(([left, top]) => ({ left, right: left + half, top, bottom: top + down - 58 }));
    }

    function layout(width, height) {
      const wide = width >= 540;
      panels = placesOf(width, height);
      ground = el(card.svg, "g");
      const [square] = panels, { top } = square, side = Math.min(square.right - square.left, square.bottom - top - (wide ? 20 : 0));
      square.x = scale([0, 1], [square.left, square.left + side]);
      square.y = scale([0, 1], [top + side, top]);
      [...steps, "answer, token 1"].forEach((step, k) => {
        const { left, top: y, bottom } = panels[k], on = k === 3 || lit === null || lit === k, lines = (layers[k] ?? "").split("\n");
        words(ground, left, wide ? y - 9 : y - 24, k < 3 ? `${k + 1} ${step}` : step, { "font-weight": on ? "bold" : "normal", fill: k < 3 && on ? ink(k) : INK });
        if (wide) lines.forEach((line, row) => words(ground, left, bottom + 20 + 16 * row, line));
        else words(ground, left, y - 9, lines[0].replace(",", ""));
      });
      panels.slice(1).filter((_, k) => wide || k % 2 === 0).forEach(({ left, top: y }) => arrow(ground, left - 24, y + side / 2, left - 6, y + side / 2, { stroke: GREY }));
      for (let k = 0; k <= N; k += 1) {
        const t = k / N, line = { stroke: ink(0), "stroke-opacity": 0.6 };
        el(ground, "line", { x1: square.x(t), x2: square.x(t), y1: square.y(0), y2: square.y(1), ...line });
        el(ground, "line", { x1: square.x(0), x2: square.x(1), y1: square.y(t), y2: square.y(t), ...line });
      }
      words(ground, square.x(0.5), square.y(0) + 16, "$x_1$", { "text-anchor": "middle" });
      words(ground, square.x(0) - (wide ? 6 : 3), square.y(0.5) + 4, "$x_2$", { "text-anchor": "end" });
      moving = el(card.svg, "g");
      card.place(0, square.x, square.y);
    }

    function drawSquare({ x1, x2 }, [a, b]) {
      const [{ x, y }] = panels, side = Math.abs(x(1 / N) - x(0));
      el(moving, "rect", { x: x(a / N), y: y((b + 1) / N), width: side, height: side, fill: ink(0), "fill-opacity": 0.35 });
      el(moving, "path", { d: `M${x(x1) - 7} ${y(x2)}h14M${x(x1)} ${y(x2) - 7}v14`, stroke: INK, "stroke-width": 2 });
    }

    /** The tokens over the layers, on a scale that holds those of all cells, and so stays under a hand; heights are
     * compressed, since the lift dwarfs the shifts. */
    function drawFilm(film, names, heights) {
      const { left, right, top, bottom } = panels[1], small = (t) => Math.asinh(N * t);
      const low = Math.min(0, ...[...film.flat(), ...heights].map(small)), high = Math.max(...[...film.flat(), ...heights].map(small));
      const across = scale([0, film.length - 1], [left + 6, right - 8]), up = scale([low, high], [bottom - 24, top + 10]), ids = film.at(-1);
      const hue = (token) => (lit === null || lit === 1 ? colours[token] : GREY); // a token has its colour and its shape in all pictures
      const ends = apart(ids.map((id) => up(small(id))), ids[0] === ids[1] ? 0 : 10, top, bottom - 24); // two discs
      [0, 1].forEach((token) => {
        const points = film.map((state, k) => [across(k), up(small(state[token]))]);
        el(moving, "path", { d: path(points), fill: "none", "stroke-dasharray": token ? "4 3" : null, stroke: hue(token), "stroke-width": 2 });
        marker(moving, token, across(film.length - 1), ends[token], { fill: hue(token) }, 5);
      });
      el(moving, "path", { d: `M${left} ${top + 8}V${bottom - 21}H${right}`, fill: "none", stroke: GREY });
      words(moving, left, top + 4, "value \u2191");
      words(moving, right, bottom - 26, "layers \u2192", { "text-anchor": "end", ...HALO });
      const from = right - left > 130 ? 27 : 5;
      if (from > 5) words(moving, left, bottom - 3, "ids");
      names.forEach((name, token) => {
        const x = left + from + token * Math.min(72, (right - left + 3 - from) / 2);
        marker(moving, token, x, bottom - 7, { fill: hue(token) }, 4);
        words(moving, x + 8, bottom - 3, name);
      });
    }

    /** A cell each, the darker the more its key weighs. */
    function drawWeights(keys) {
      const { left, right, top, bottom } = panels[1], side = Math.min(right - left, bottom - top - 20), cell = side / N;
      for (const { cells: [a, b], weight } of keys) {
        const [x, y] = [left + a * cell, top + (N - 1 - b) * cell];
        el(moving, "rect", { x, y, width: cell, height: cell, fill: ink(1), "fill-opacity": weight, stroke: ink(1), "stroke-opacity": 0.4 });
      }
      words(moving, left, top + side + 15, "full: a heavy key");
    }

    function drawRows(rows, columns) {
      const { left, right, top: head, bottom } = panels[2], top = head + 12, step = (bottom - top) / ROWS;
      columns.forEach((name, k) => words(moving, k ? right - 4 : left + 4, head + 6, name, { "text-anchor": k ? "end" : "start", fill: lit === null || lit === 2 ? ink(2) : INK }));
      el(moving, "path", { d: `M${left} ${head + 11.5}H${right}`, stroke: GREY });
      rows.forEach(({ name, value, share }, k) => {
        const y = top + (k + 0.5) * step, weight = share > 0.5 ? "bold" : "normal";
        if (share) el(moving, "rect", { x: left, y: y - 11, width: right - left, height: 22, fill: ink(2), "fill-opacity": 0.35 * share });
        words(moving, left + 4, y + 4, name, { "font-weight": weight });
        words(moving, right - 4, y + 4, number(value, 3), { "text-anchor": "end", "font-weight": weight });
      });
    }

    function drawAnswer(answer, wanted) {
      const { left, top, bottom } = panels[3], y = (top + Math.min(bottom, top + 120)) / 2;
      words(moving, left, y - 6, `network ${number(answer, 3)}`);
      words(moving, left, y + 16, `$f$ ${number(wanted, 3)}`);
      words(moving, left, y + 38, `error ${number(Math.abs(answer - wanted), 3)}`, { fill: colours[9] });
    }

    function update(values) {
      settle(values);
      const X = Float64Array.of(values.x1, values.x2), proof = proofOf(values.mixer ?? Object.keys(subjects)[0]);
      const { cells, middle, rows, answer, fires, goals, text: [first, last] } = proof.settle(X), wanted = f(X.slice(0, 1), X.slice(1))[0];
      redraw(moving);
      drawSquare(values, cells);
      middle();
      drawRows(rows, proof.columns);
      drawAnswer(answer, wanted);
      const whose = own ? ` f is yours: ${own.formula || formula}${own.paint ? ", painted on" : ""}.` : "";
      const text = `${first}\n${last}; f says ${number(wanted, 3)}.${whose}`;
      const off = Math.abs(answer - wanted), agree = () => {
        if (!fires) return [false, "no row fires"];
        nearest = Math.min(nearest, off);
        return [off < 0.01, `the two answers are ${number(off)} apart${number(nearest) < number(off) ? `, nearest so far ${number(nearest)}` : ""}`];
      };
      const another = () => [false, "this is another f"], asked = { ...goals, agree };
      const judges = own ? Object.fromEntries(Object.keys(asked).map((name) => [name, another])) : asked;
      return { text, own, goals: judges, alt: `From left to right a square of ${N} by ${N} cells with a cross, ${proof.seen}, and the answer beside f. ${text.replace("\n", " ")}` };
    }

    /** The reader's function; once more, and it is the book's again. */
    const adopt = ({ formula: text, paint }) => (own?.formula === text && own.paint === paint ? { formula: "", paint: "" } : { formula: text, paint });

    return { layout, update, adopt };
  },
};
