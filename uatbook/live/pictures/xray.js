// Two tokens through the literal network of a proof: their cell, their jumps, the row that fires, the answer beside f.
// All numbers are states of the network; rows are its ids and answers in the middle of cells.

PICTURES.xray = {
  start(card, { colours, data: { N, lit, steps, network, cut, told, corner, quarters, f: formula } }) {
    const net = readNetwork(network), f = readFormula(formula), ROWS = lit === null || lit === 2 ? 5 : 3, NEAR = 0.01 * (quarters ? 1 : 0.01);
    const ink = (k) => (lit === null || lit === k ? colours[k] : GREY), pair = (state) => [state[0], state[1]];
    const rows = dictionary();
    let panels, ground, moving;

    /** Ids and answers in the middle of cells, equal cells left out, in the order of ids. */
    function dictionary() {
      const found = [];
      for (let a = 0; a < N; a += 1) {
        for (let b = 0; b < N; b += 1) {
          if (a === b) continue;
          const states = net.trace(Float64Array.of((a + 0.5) / N, (b + 0.5) / N), { n: 2 });
          found.push({ id: states[told][0], answer: states.at(-1)[0] });
        }
      }
      return found.sort((p, q) => p.id - q.id);
    }

    /** An id; where ids are quarters, as one that softmax has missed by at most a hundredth. */
    function said(id) {
      const near = Math.round(4 * id), whole = Math.floor(near / 4);
      if (!quarters || Math.abs(id - near / 4) > 0.01) return number(id, 3);
      return `${number(whole, 0)}${["", " 1/4", " 1/2", " 3/4"][near - 4 * whole]}`;
    }

    function settle({ x1, x2 }) {
      const X = Float64Array.of(x1, x2), states = net.trace(X, { n: 2 }).map(pair), ids = states[told];
      const cells = states[cut].map((t) => Math.round(t * N - corner) + 1), film = [states[0], ...states.slice(cut, told + 1)];
      const near = rows.findIndex(({ id }) => Math.abs(id - ids[0]) < NEAR), row = cells[0] === cells[1] ? -1 : near;
      return { x: [x1, x2], cells, film, ids, row, answer: states.at(-1)[0], wanted: f(X.slice(0, 1), X.slice(1))[0] };
    }

    function layout(width, height) {
      const wide = width >= 540, share = steps.map((_, k) => (lit === k ? 2 : 1)), all = share.reduce((a, b) => a + b) + 0.7;
      const top = 26, gap = wide ? 30 : 46, room = (wide ? width : height - 20) - 36 - 3 * gap;
      let along = wide ? 26 : 10;
      panels = [...share, 0.7].map((part) => {
        const length = (room * part) / all, from = along;
        along += length + gap;
        return wide ? { left: from, right: from + length, top, bottom: height - 10 } : { left: 10, right: width - 10, top: from + 20, bottom: from + 20 + length };
      });
      ground = el(card.svg, "g");
      const [square] = panels, side = Math.min(square.right - square.left, square.bottom - square.top - 20);
      square.x = scale([0, 1], [square.left, square.left + side]);
      square.y = scale([0, 1], [square.top + side, square.top]);
      [...steps, "answer"].forEach((step, k) => {
        const { left, top: y } = panels[k], on = k === 3 || lit === null || lit === k;
        words(ground, left, y - 9, k < 3 ? `${k + 1} ${step}` : step, { "font-weight": on ? "bold" : "normal" });
      });
      panels.slice(1).forEach((panel, k) => {
        const before = panels[k];
        if (wide) arrow(ground, panel.left - 24, top + side / 2, panel.left - 6, top + side / 2, { stroke: GREY });
        else arrow(ground, width / 2, before.bottom + 4, width / 2, panel.top - 22, { stroke: GREY });
      });
      for (let k = 0; k <= N; k += 1) {
        const t = k / N, line = { stroke: ink(0), "stroke-opacity": 0.6 };
        el(ground, "line", { x1: square.x(t), x2: square.x(t), y1: square.y(0), y2: square.y(1), ...line });
        el(ground, "line", { x1: square.x(0), x2: square.x(1), y1: square.y(t), y2: square.y(t), ...line });
      }
      words(ground, square.x(0.5), square.y(0) + 16, "$x_1$", { "text-anchor": "middle" });
      words(ground, wide ? square.x(0) - 6 : square.x(1) + 20, square.y(0.5) + 4, "$x_2$", { "text-anchor": "end" });
      moving = el(card.svg, "g");
      card.place(0, square.x, square.y);
    }

    function drawSquare({ x: [x1, x2], cells: [a, b] }) {
      const [{ x, y }] = panels, side = Math.abs(x(1 / N) - x(0));
      el(moving, "rect", { x: x((a - 1) / N), y: y(b / N), width: side, height: side, fill: ink(0), "fill-opacity": 0.35 });
      el(moving, "path", { d: `M${x(x1) - 7} ${y(x2)}h14M${x(x1)} ${y(x2) - 7}v14`, stroke: INK, "stroke-width": 2 });
    }

    /** The tokens over the layers; heights are compressed, since the lift dwarfs the shifts. */
    function drawFilm({ film, ids }) {
      const { left, right, top, bottom } = panels[1], small = (t) => Math.asinh(N * t), most = Math.max(...rows.map(({ id }) => small(id)), small(1));
      const low = Math.min(0, ...film.flat().map(small)), high = Math.max(most, ...film.flat().map(small));
      const across = scale([0, film.length - 1], [left + 6, right - 8]), up = scale([low, high], [bottom - 24, top + 10]);
      const ends = apart(ids.map((id) => up(small(id))), ids[0] === ids[1] ? 0 : 10, top, bottom - 24); // two discs
      [0, 1].forEach((token) => {
        const points = film.map((state, k) => [across(k), up(small(state[token]))]);
        el(moving, "path", { d: path(points), fill: "none", "stroke-dasharray": token ? "4 3" : null, stroke: token ? GREY : ink(1), "stroke-width": 2 });
        marker(moving, token, across(film.length - 1), ends[token], { fill: token ? GREY : ink(1) }, 5);
      });
      words(moving, right, bottom - 4, ids.map(said).join(", "), { "text-anchor": "end" });
    }

    function drawRows({ row, ids }) {
      const { left, right, top, bottom } = panels[2], near = row < 0 ? rows.findIndex(({ id }) => id >= ids[0]) : row;
      const first = Math.max(0, Math.min(rows.length - ROWS, (near < 0 ? rows.length : near) - (ROWS >> 1))), step = (bottom - top) / ROWS;
      rows.slice(first, first + ROWS).forEach(({ id, answer }, k) => {
        const y = top + (k + 0.5) * step, fires = first + k === row, weight = fires ? "bold" : "normal";
        if (fires) el(moving, "rect", { x: left, y: y - 11, width: right - left, height: 22, fill: ink(2), "fill-opacity": 0.35 });
        words(moving, left + 4, y + 4, said(id), { "font-weight": weight });
        words(moving, right - 4, y + 4, number(answer, 3), { "text-anchor": "end", "font-weight": weight });
      });
    }

    function drawAnswer({ answer, wanted }) {
      const { left, top, bottom } = panels[3], y = (top + Math.min(bottom, top + 120)) / 2;
      words(moving, left, y - 6, `network ${number(answer, 3)}`);
      words(moving, left, y + 16, `$f$ ${number(wanted, 3)}`);
    }

    function update(values) {
      const at = settle(values), { x, cells: [a, b], ids, row, answer, wanted } = at;
      moving.replaceChildren();
      drawSquare(at);
      drawFilm(at);
      drawRows(at);
      drawAnswer(at);
      const where = a === b ? `both fall into cell ${a}` : `fall into cells ${a} and ${b}`;
      const found = row < 0 ? `No row fires, the network says ${number(answer, 3)}` : `Row ${said(rows[row].id)} says ${number(rows[row].answer, 3)}, the network ${number(answer, 3)}`;
      const text = `Tokens ${x.map((t) => number(t, 2)).join(" and ")} ${where}; their ids are ${ids.map(said).join(" and ")}.\n${found}; f says ${number(wanted, 3)}.`;
      return { text, alt: `From left to right a square of ${N} by ${N} cells with a cross, two tokens as lines over the layers, the rows of the dictionary around the one that fires, and the answer beside f. ${text.replace("\n", " ")}` };
    }

    return { layout, update };
  },
};
