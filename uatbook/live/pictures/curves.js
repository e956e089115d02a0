// Weights (beta, w) under which two tokens come out equal: curves in the plane of weights, and part of it under a glass.
//
// Token i becomes x_i + w h_i(beta). Two tokens meet where w = -(x_i - x_k) / (h_i - h_k): for each beta at one w at most;
// if both are the same token, wherever w = 0 or h_i = h_k.

PICTURES.curves = {
  start(card, { colours, controls, data: { sequences, shares } }) {
    const [blue, orange] = colours, SAME = 1e-12, HALVINGS = 40, RING = 16;
    const [BETA, W] = ["b", "w"].map((wanted) => controls.find(({ name }) => name === wanted).max);
    let planes, still, moving, drawn;

    /** What each token of these sequences hears: a row of numbers. */
    function heard(rows, kind, beta) {
      return rows.flatMap((x) => {
        const most = Math.max(...x), least = Math.min(...x), mean = x.reduce((sum, t) => sum + t, 0) / x.length;
        if (kind === "mean" || beta === 0) return x.map(() => mean);
        if (kind === "hardmax") return x.map(() => (beta > 0 ? most : least));
        return x.map((own) => {
          const powers = x.map((t) => Math.exp(beta * own * (t - (beta > 0 ? most : least))));
          return powers.reduce((sum, p, j) => sum + p * x[j], 0) / powers.reduce((sum, p) => sum + p, 0);
        });
      });
    }

    /** All pairs of tokens, and by how much they differ. */
    function pairsOf(tokens) {
      return tokens.flatMap((x, i) => tokens.slice(i + 1).map((y, k) => ({ i, k: i + 1 + k, way: x - y })));
    }

    /** The least distance of two tokens. */
    function gap(rows, kind, beta, w) {
      const h = heard(rows, kind, beta), z = rows.flat().map((x, i) => x + w * h[i]).sort((a, b) => a - b);
      return Math.min(...z.slice(1).map((t, i) => t - z[i]));
    }

    /** In a window [b0, b1] x [w0, w1]: curves of tokens that differ, lines on which a shared token is one, areas. */
    function zeros(rows, kind, [[b0, b1], [w0, w1]], columns) {
      // Between the middles of columns: at 0, where hardmax jumps, stands none.
      const step = (b1 - b0) / columns, at = Array.from({ length: columns + 2 }, (_, c) => b0 + (c - 0.5) * step || step / 7);
      const all = at.map((beta) => heard(rows, kind, beta)), curves = [], upright = new Set(), grey = new Set();
      const torn = (c) => kind === "hardmax" && at[c] < 0 !== at[c + 1] < 0;
      for (const { i, k, way } of pairsOf(rows.flat())) {
        const apart = all.map((h) => h[i] - h[k]), w = apart.map((d) => -way / d);
        if (way === 0) {
          for (let c = 0; c <= columns; c += 1) {
            const [low, high] = [apart[c], apart[c + 1]], [none, next] = [low, high].map((d) => Math.abs(d) < SAME);
            if (none && next) grey.add(c);
            else if (!torn(c) && !none && !next && low < 0 !== high < 0) upright.add(zero(i, k, at[c], at[c + 1]).toPrecision(9));
          }
          continue;
        }
        let open = []; // what of the curve lies in the window, so far
        for (let c = 0; c <= columns; c += 1) {
          const inside = apart[c] * apart[c + 1] > 0 && Math.max(w[c], w[c + 1]) >= w0 && Math.min(w[c], w[c + 1]) <= w1 && !torn(c);
          if (inside) open.push(...(open.length ? [] : [[at[c], w[c]]]), [at[c + 1], w[c + 1]]);
          if (open.length && (!inside || c === columns)) {
            curves.push(open);
            open = [];
          }
        }
      }
      return { curves, upright: [...upright].map(Number), grey: [...grey].map((c) => [at[c], at[c + 1]]) };

      /** Where what two tokens hear is the same, between two places where it differs, each way. */
      function zero(i, k, low, high) {
        const sign = (beta) => {
          const h = heard(rows, kind, beta);
          return h[i] - h[k] < 0;
        };
        const first = sign(low);
        for (let n = 0; n < HALVINGS; n += 1) {
          const middle = (low + high) / 2;
          if (sign(middle) === first) low = middle;
          else high = middle;
        }
        return (low + high) / 2;
      }
    }

    function layout(width, height) {
      const stacked = width < 540, left = 44, right = 12, top = 34, foot = 40, between = stacked ? 0 : 62;
      const w = stacked ? width - left - right : (width - 2 * right - left - between) / 2, h = stacked ? (height - 2 * (top + foot)) / 2 : height - top - foot;
      planes = [0, 1].map((k) => {
        const x = stacked ? left : left + k * (w + between), y = stacked ? top + k * (h + top + foot) : top;
        return { left: x, top: y, width: w, height: h };
      });
      const clips = el(card.svg, "defs");
      planes.forEach(({ left: x, top: y, width: w, height: h }, k) => el(el(clips, "clipPath", { id: `plane${k}` }), "rect", { x, y, width: w, height: h }));
      still = planes.map((_, k) => ({ inside: el(card.svg, "g", { "clip-path": `url(#plane${k})` }), around: el(card.svg, "g") }));
      moving = el(card.svg, "g", { "pointer-events": "none" });
      const { left: x, top: y, width: across, height: high } = planes[0];
      card.drag(el(card.svg, "rect", { x, y, width: across, height: high, fill: "transparent", style: "cursor: crosshair" }), (u, v) => {
        const { b, w } = card.values, [mapB, mapW] = mapsOf(0, wholeOf());
        const move = (s, t) => card.set({ b: bounded(mapB.invert(s), BETA, 1e4), w: bounded(mapW.invert(t), W, 1e3) });
        return { free: Math.hypot(mapB(b) - u, mapW(w) - v) < RING, jumps: true, move, end: (cancelled) => cancelled && card.set({ b, w }) };
      });
      drawn = [];
    }

    const bounded = (value, most, digits) => Math.round(digits * Math.min(most, Math.max(-most, value))) / digits;
    const wholeOf = () => [[-BETA, BETA], [-W, W]];

    /** The scales of a panel that shows a window. */
    function mapsOf(k, [acrossEnds, upEnds]) {
      const { left, top, width, height } = planes[k];
      return [scale(acrossEnds, [left, left + width]), scale(upEnds, [top + height, top])];
    }

    function drawPanel(k, rows, kind, window, title) {
      const { inside, around } = still[k], { left, top, width, height } = planes[k], [x, y] = mapsOf(k, window);
      redraw(inside, around);
      const columns = Math.round(width / 2), { curves, upright, grey } = zeros(rows, kind, window, columns);
      for (const [a, b] of grey) el(inside, "rect", { x: x(a) - 0.5, y: top, width: x(b) - x(a) + 1, height, fill: GREY });
      const wide = rows.length > 3 && !k ? 0.9 : 1.4; // of many curves each is thinner
      for (const points of curves) el(inside, "path", { d: path(points.map(([a, b]) => [x(a), y(Math.max(-40 * W, Math.min(40 * W, b)))])), fill: "none", stroke: orange, "stroke-width": wide });
      for (const beta of upright) el(inside, "path", { d: `M${x(beta)} ${top}v${height}`, stroke: blue, "stroke-width": wide + 0.6 });
      const shared = new Set(rows.flat()).size < rows.flat().length;
      if (shared && y(0) > top && y(0) < top + height) el(inside, "path", { d: `M${left} ${y(0)}h${width}`, stroke: blue, "stroke-width": wide + 0.6 });
      const marks = (ends) => (k ? [ends[0], (ends[0] + ends[1]) / 2, ends[1]] : [ends[0], 0, ends[1]]);
      const digits = (span) => Math.max(1, 1 - Math.floor(Math.log10(span)));
      const [across, up] = window.map((ends) => (t) => number(t, digits(ends[1] - ends[0])));
      axis(around, "x", x, top + height, { marks: marks(window[0]).slice(k ? 1 : 0, k ? 2 : 3), write: across });
      axis(around, "y", y, left, { marks: marks(window[1]).slice(k ? 1 : 0, k ? 2 : 3), write: up });
      el(around, "rect", { x: left, y: top, width, height, fill: "none", stroke: GREY });
      words(around, left, top - 9, title);
      words(around, left + width, top + height + 31, "$\u03b2$", { "text-anchor": "end" });
      words(around, left - 8, top - 12, "$w$", { "text-anchor": "end" });
    }

    function update({ kind, N, zoom, b, w }) {
      const rows = sequences.slice(0, Number(N)), times = Number(zoom), whole = wholeOf();
      const glass = [[b - BETA / times, b + BETA / times], [w - W / times, w + W / times]];
      const wanted = [`${kind} ${N}`, `${kind} ${N} ${zoom} ${b} ${w}`];
      if (drawn[0] !== wanted[0]) drawPanel(0, rows, kind, whole, "weights that fail");
      if (drawn[1] !== wanted[1]) drawPanel(1, rows, kind, glass, `under the glass, ${times} times as large`);
      drawn = wanted;
      const [x, y] = mapsOf(0, whole), { width, height } = planes[0], [wide, high] = [width, height].map((side) => Math.max(5, side / times));
      redraw(moving);
      el(moving, "rect", { x: x(b) - wide / 2, y: y(w) - high / 2, width: wide, height: high, fill: PAPER, "fill-opacity": 0.35, stroke: INK, "stroke-width": 2 });
      const [u, v] = mapsOf(1, glass), middle = gap(rows, kind, b, w);
      el(moving, "path", { d: `M${u(b) - 6} ${v(w)}h12M${u(b)} ${v(w) - 6}v12`, stroke: INK, "stroke-width": 1.5 });
      card.place(0, x, y);
      const said = middle < SAME ? "0" : middle.toPrecision(2).replace(/e-(\d+)$/, " \u00b7 10^\u2212$1");
      return {
        text: `last sequence (${rows.at(-1).join(", ")})\n${shares[`${kind} ${N}`]}\nin the middle of the glass, at \u03b2 = ${number(b, 4)}, w = ${number(w, 3)}: least gap ${said}`,
        alt: `The plane of \u03b2 and w for ${rows.length} sequences under ${kind}: on curves, or on grey areas, two tokens come out equal. Beside it, ${times} times as large, what lies around \u03b2 = ${number(b, 4)}, w = ${number(w, 3)}.`,
      };
    }

    return { layout, update };
  },
};
