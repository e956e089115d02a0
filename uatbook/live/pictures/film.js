// Tokens dragged at the input, their values after each layer of a contextual mapping, ids at the end; with softmax the
// film of hardmax as thin lines, and the largest error against the scale of the scores. Numbers are in units of delta.

PICTURES.film = {
  start(card, { colours, data, controls }) {
    const blue = colours[0], [tell, , red] = colours.slice(7), NOISE = 1e-6, SEEN = 0.05, KNEE = 30, STEPS = 60, FLAT = [0.14, 0.5];
    const slider = controls.find(({ name }) => name === "scale"), soft = Boolean(slider);
    const count = controls.filter(({ name }) => /^t\d/.test(name)).length;
    const { min: LOW, max: HIGH } = controls.find(({ name }) => name === "t1");
    const grids = {};
    let width, height, ground, moving, drawn;

    // ------------------------------------------------------------------------------------------------ the network

    /** The networks of a grid, and what depends on nothing else. */
    function gridOf(N, n) {
      const key = `${N},${n}`, spec = data.networks[key], cuts = spec.layers.length - N - 1;
      if (grids[key]) return grids[key];
      const part = (layers) => readNetwork({ ...spec, layers });
      const quantizer = part(spec.layers.slice(0, cuts)), hard = part(spec.layers.slice(cuts));
      const melted = part(spec.layers.slice(cuts).map((layer) => ({ ...layer, normalization: "softmax" })));
      const scaled = (scale) => Array.from({ length: N + 1 }, (_, i) => i).reduce((net, i) => net.scaled(i, scale), melted);
      const units = (state) => Array.from(state, (t) => t * N);
      const trace = (network, X) => network.trace(X, { n }).map(units);
      const run = (network, X) => units(network.run(X, { n }));
      const contexts = subsets(N, n).map((levels) => ({ levels, ids: run(hard, Float64Array.from(levels, (k) => k / N)) }));
      const steps = Array.from({ length: soft ? STEPS + 1 : 0 }, (_, k) => KNEE * Math.expm1((k / STEPS) * Math.log1p(slider.max / KNEE)));
      const curve = kept((X) => steps.map((scale, k) => ({ scale, ids: run((curve.networks[k] ??= scaled(scale)), X) })));
      curve.networks = [];
      return (grids[key] = {
        N, n, trace, run, quantizer, hard, contexts, curve,
        softened: kept(([scale]) => scaled(scale)),
        interval: data.interval[key],
        proved: data.proved[key],
        reach: data.reach[key],
      });
    }

    /** The last answer is kept. */
    function kept(f) {
      let last, answer;
      return (numbers) => {
        const key = numbers.join();
        if (key !== last) [last, answer] = [key, f(numbers)];
        return answer;
      };
    }

    function subsets(N, n, from = 0) {
      if (!n) return [[]];
      return Array.from({ length: Math.max(0, N - from) }, (_, i) => from + i).flatMap((k) => subsets(N, n - 1, k + 1).map((rest) => [k, ...rest]));
    }

    function runOf(values) {
      const grid = gridOf(Number(values.N ?? data.first[0]), Number(values.n ?? data.first[1])), { N, n } = grid;
      const tokens = Array.from({ length: n }, (_, k) => values[`t${k + 1}`]), X = Float64Array.from(tokens);
      const cut = values.cut ?? true, Z = cut ? grid.quantizer.run(X, { n }) : X, input = tokens.map((t) => t * N);
      const hard = [input, ...grid.trace(grid.hard, Z)];
      const shown = soft ? [input, ...grid.trace(grid.softened([values.scale]), Z)] : hard;
      return { ...grid, tokens, cut, Z, hard, shown, ids: shown.at(-1), exact: hard.at(-1), scale: values.scale };
    }

    // ------------------------------------------------------------------------------------------------------ words

    const isWhole = (value) => Number.isFinite(value) && Math.abs(value - Math.round(value)) < NOISE;
    const within = ([low, high], ids) => ids.filter((t) => low <= t && t <= high).length;
    const alike = (ids) => ids.some((a, i) => ids.slice(i + 1).some((b) => Math.abs(a - b) < NOISE));
    const largest = (ids, exact) => Math.max(...ids.map((t, k) => Math.abs(t - exact[k])));

    /** A number of the film, its thousands apart: whole where it is but for rounding. */
    function say(value) {
      if (!Number.isFinite(value)) return number(value);
      return number(value, isWhole(value) ? 0 : 2).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    }
    const landing = (value) => say(Math.abs(value - Math.round(value)) < 0.005 ? Math.round(value) : value);
    const listed = (state) => state.map(say).join(" ");

    function tiny(error) {
      if (!Number.isFinite(error) || error >= 0.01) return say(error < 100 ? error : Math.round(error));
      return error < NOISE ? `less than ${ten(-6)}` : scientific(error);
    }

    function jumps({ N, shown }) {
      const told = [];
      for (let k = 0; k < N; k += 1) {
        const [before, after] = shown.slice(k + 1, k + 3);
        const moved = before.flatMap((a, i) => (Math.abs(after[i] - a) >= SEEN ? [`${landing(a)} \u2192 ${landing(after[i])}`] : []));
        if (moved.length) told.push(`shift ${k}: ${moved.join(", ")}`);
      }
      return told.join("; ") || "no shift moves anything";
    }

    /** Where the ids lie: "all in", "1 below, 2 above", to be followed by the interval. */
    function place({ ids, interval: [low, high] }) {
      const counts = { below: ids.filter((t) => t < low).length, in: within([low, high], ids), above: ids.filter((t) => t > high).length };
      const some = Object.entries(counts).filter(([, count]) => count);
      return some.length === 1 ? `all ${some[0][0]}` : some.map(([where, count]) => `${count} ${where}`).join(", ");
    }

    /** What becomes of the ids, in a word and in more. */
    function verdict(run) {
      const { ids, exact, interval, contexts } = run, where = `[${interval.map(say).join(", ")}]`;
      if (!soft) {
        const found = `${alike(ids) ? "two are equal" : "all different"}, ${place(run)} ${where}`;
        if (isLetIn(run)[0]) return ["let in", found];
        if (place(run) !== "all in") return ["given up", found];
        return ids.every(isWhole) ? ["proper", found] : ["off the grid", `${found}, but no whole numbers`];
      }
      if (alike(exact) || within(interval, exact) < exact.length) {
        const inside = within(interval, ids);
        return ["given up", inside ? `but ${inside} INSIDE ${where}` : `outside ${where}`];
      }
      for (const [k, t] of ids.entries()) {
        let near = { id: Infinity };
        for (const { levels, ids: names } of contexts) {
          names.forEach((id, i) => { if (Math.abs(id - t) < Math.abs(near.id - t)) near = { id, level: levels[i], levels }; });
        }
        if (Math.abs(near.id - exact[k]) > NOISE) return ["WRONG", `${say(t)} is read as ${say(near.id)}, the ${near.level} of {${near.levels.join(", ")}}`];
      }
      return largest(ids, exact) < 0.5 ? ["right", "all within half a step"] : ["too far", "nearest to their own, but beyond half a step"];
    }

    // ------------------------------------------------------------------------------------------------------ goals

    const sorted = (state) => Array.from(state, Math.round).sort((a, b) => a - b);

    /** All sequences of cells, equal tokens among them, each with the ids that hardmax gives its tokens. */
    const allNamed = (grid) => (grid.all ??= repeated(grid.N, grid.n).map((levels) => ({
      levels, ids: grid.run(grid.hard, Float64Array.from(levels, (k) => k / grid.N)).map(Math.round),
    })));

    function repeated(N, n, from = 0) {
      if (!n) return [[]];
      return Array.from({ length: N - from }, (_, i) => from + i).flatMap((k) => repeated(N, n - 1, k).map((rest) => [k, ...rest]));
    }

    /** Whether a token has a proper id though another one, or it, is out of the box: an error of the network. */
    function isLetIn({ cut, tokens, ids, interval }) {
      const out = tokens.some((t) => t < 0 || t >= 1);
      return [cut && out && within(interval, ids) > 0, out ? "a token is out of the box, and no id in the band" : "no token is out of the box"];
    }

    /** Whether this sequence and another share an id. */
    function isShared(run) {
      const own = sorted(run.hard[1]), mine = new Set(run.exact.map(Math.round));
      if (!run.cut) return [false, "without the cut there are no cells to compare"];
      if (own.some((k) => k < 0 || k >= run.N)) return [false, "a token is outside the box"];
      let near = { by: Infinity };
      for (const { levels, ids } of allNamed(gridOf(run.N, run.n))) {
        if (levels.join() === own.join()) continue;
        for (const id of ids) for (const one of mine) if (Math.abs(id - one) < near.by) near = { by: Math.abs(id - one), id, levels };
      }
      if (near.by) return [false, `the nearest id of another sequence is ${say(near.by)} away`];
      return [true, `(${own.join(", ")}) and (${near.levels.join(", ")}) share the id ${say(near.id)}`];
    }

    /** Whether two ids lie in another order than with hardmax. */
    function isSwapped({ ids, exact, interval }) {
      if (alike(exact) || within(interval, exact) < exact.length) return [false, "equal tokens and tokens outside the box are given up"];
      const order = exact.map((_, k) => k).sort((i, j) => exact[i] - exact[j]);
      const least = Math.min(...order.slice(1).map((j, k) => ids[j] - ids[order[k]]));
      return [least < 0, least < 0 ? `an id is ${number(-least)} above one that belongs above it` : `the ids are in order, the nearest two ${number(least)} apart`];
    }

    // ----------------------------------------------------------------------------------------------------- places

    function layout(...size) {
      [width, height] = size;
      ground = el(card.svg, "g");
      moving = el(card.svg, "g", { style: "pointer-events: none" });
      drawn = null;
    }

    /** Where things stand, at this width, for this grid. */
    function placesOf({ N, n, reach }) {
      const narrow = width < 480, left = 48, step = narrow ? 22 : 24, top = 30, bottom = height - (soft ? 190 : narrow ? 40 : 54);
      const end = width - (narrow ? 92 : 98), half = (step * (n - 1)) / 2, middle = left + 18 + half, first = middle + half + (narrow ? 18 : 44);
      const x = Array.from({ length: N + 3 }, (_, i) => (i ? first + ((end - first) * (i - 1)) / (N + 1) : middle));
      const hands = Array.from({ length: n }, (_, k) => middle + step * (k - (n - 1) / 2));
      const low = -0.3 * N, high = 1.3 * N, [a, b] = FLAT;
      const flat = scale([low, high], [bottom + (top - bottom) * a, bottom + (top - bottom) * b]);
      const share = (value) => {
        if (value < low) return a * (1 - Math.log(value / low) / Math.log(reach / -low));
        return b + (1 - b) * (Math.log(value / high) / Math.log(reach / high));
      };
      const y = (value) => (value >= low && value <= high ? flat(value) : bottom + (top - bottom) * Math.min(1, Math.max(0, share(value))));
      const along = Object.assign((value) => left + ((width - 14 - left) * Math.log1p(value / KNEE)) / Math.log1p(slider?.max / KNEE), {
        invert: (pixel) => KNEE * Math.expm1(((pixel - left) / (width - 14 - left)) * Math.log1p(slider?.max / KNEE)),
      });
      return { narrow, left, top, bottom, end, x, hands, y, along, hold: Object.assign((t) => flat(N * t), { invert: (pixel) => flat.invert(pixel) / N }) };
    }

    /** What stands still until the grid changes. */
    function drawGround(run, at) {
      const { N, n, reach, interval, proved } = run, { narrow, left, top, bottom, end, x, y, hands, along } = at;
      ground.replaceChildren();
      const powers = Array.from({ length: 11 }, (_, k) => 10 ** (k + 1)).filter((t) => t >= 2.5 * N && t <= reach);
      const marks = [...Array(N + 1).keys(), ...powers, ...(soft ? powers.filter((_, k) => k % 2).map((t) => -t) : [])];
      const shown = marks.filter((t, k) => marks.slice(0, k).every((other) => Math.abs(y(other) - y(t)) > 11));
      const write = (t) => (-1e4 < t && t < 1e5 ? say(t) : (t < 0 ? "\u2212" : "") + ten(Math.round(Math.log10(Math.abs(t)))));
      axis(ground, "y", Object.assign((t) => y(t), { domain: [0, N], range: [bottom, top] }), left, { marks: shown, grid: width, label: `token, in cells of width $\u03b4$${narrow ? "" : "; high up, each line is ten times more"}`, write });
      for (const [a, b] of [[HIGH * N, N], [0, LOW * N]]) {
        el(ground, "rect", { x: hands[0] - 7, y: y(a), width: hands.at(-1) - hands[0] + 14, height: y(b) - y(a), fill: GREY, "fill-opacity": 0.25 });
      }
      const edge = end - (x[2] - x[1]) * 0.45;
      el(ground, "rect", { x: edge, y: y(interval[1]), width: width - edge, height: y(interval[0]) - y(interval[1]), fill: tell, "fill-opacity": 0.2 });
      for (const hand of hands) {
        el(ground, "line", { x1: hand, x2: hand, y1: y(LOW * N), y2: y(HIGH * N), stroke: GREY, "stroke-width": 1 });
        for (let k = 0; k <= N; k += 1) el(ground, "line", { x1: hand - 4, x2: hand + 4, y1: y(k), y2: y(k), stroke: GREY });
      }
      const name = (i, text) => words(ground, i, bottom + 16, text, { "text-anchor": "middle" });
      const cut = run.cut ? "cut" : narrow ? "" : "not cut", shifts = Array.from({ length: N }, (_, k) => (narrow ? String(k) : `shift ${k}`));
      ["input", narrow ? "" : cut, ...shifts, narrow ? "" : "lift"].forEach((text, i) => name(x[i], text));
      if (narrow) [[x[1], cut], [(x[2] + x[N + 1]) / 2, "shift"], [x[N + 2], "lift"]].forEach(([at, text]) => words(ground, at, bottom + 31, text, { "text-anchor": "middle" }));
      if (!soft) return;
      const [y1, y2] = [height - 36, height - 126], t = errorScale(run);
      words(ground, left, y2 - 10, narrow ? "largest error, in $\u03b4$, against $\u03bb$" : "largest error of an id, in units of $\u03b4$, against the sharpness $\u03bb$");
      const plot = el(ground, "rect", { x: left, y: y2, width: width - 14 - left, height: y1 - y2, fill: "transparent", style: "cursor: ew-resize" });
      card.drag(plot, () => {
        const { scale } = card.values;
        const move = (u) => card.set({ scale: Math.round(Math.min(slider.max, Math.max(0, along.invert(u)))) });
        return { jumps: true, move, end: (cancelled) => cancelled && card.set({ scale }) };
      });
      axis(ground, "y", Object.assign((power) => t(10 ** power), { domain: [-6, 6], range: [y1, y2] }), left, { marks: [-4, 0, 4].filter((power) => t(10 ** power) >= y2), grid: width - 14, write: ten });
      const scales = [0, ...(narrow ? [] : [10]), 30, 100, 300, 1000].filter((mark) => mark < slider.max);
      axis(ground, "x", Object.assign((mark) => along(mark), { domain: [0, 1], range: [left, width - 14] }), y1, { marks: scales, grid: y2, write: (mark) => (mark ? String(mark) : "mean") });
      el(ground, "line", { x1: left, x2: width - 14, y1: t(0.5), y2: t(0.5), stroke: tell, "stroke-width": 1.5, "stroke-dasharray": "7 3 2 3" });
      words(ground, left + 5, t(0.5) + 14, "half a step", { fill: tell });
      el(ground, "line", { x1: along(proved), x2: along(proved), y1, y2, stroke: red, "stroke-width": 2, "stroke-dasharray": "5 4" });
      words(ground, along(proved) + 5, y2 + 10, "proved", { fill: red });
    }

    const errorScale = ({ reach }) => {
      const map = scale([-6, Math.log10(3000 * reach)], [height - 36, height - 126]);
      return (error) => map(Math.log10(Math.max(NOISE, error)));
    };

    // ---------------------------------------------------------------------------------------------------- drawing

    /** The tokens of a state, the largest first. */
    const ranked = (state) => state.map((_, k) => k).sort((i, j) => state[j] - state[i] || i - j);

    /** Heights of a state's tokens; those on top of each other a little apart. */
    function spread(state, y) {
      const heights = state.map(y), order = ranked(state);
      return heights.map((h, k) => {
        const same = order.filter((i) => Math.abs(heights[i] - h) < 1);
        return h + 3 * (same.indexOf(k) - (same.length - 1) / 2);
      });
    }

    const touching = (a, b) => Math.abs(a.v - b.v) < 13 && Math.abs(a.u - b.u) < a.half + b.half;

    /** How many of the lines go through a text: `half` as wide, its foot at v. */
    function crossings({ u, v, half }, x, lines) {
      const inside = (a, b) => a > u - half - 1 && a < u + half + 1 && b > v - 11 && b < v + 3;
      const parts = lines.slice(2).flatMap((state, i) => state.map((to, k) => [x[i + 1], lines[i + 1][k], x[i + 2], to]));
      return parts.filter(([a, b, c, d]) => Array.from({ length: 25 }, (_, t) => t / 24).some((t) => inside(a + t * (c - a), b + t * (d - b)))).length;
    }

    function drawFilm(run, at, word) {
      const { N, n, shown, hard, ids, interval } = run, { narrow, x, y, end, hands, top, bottom } = at;
      const lines = shown.map((state) => spread(state, y)), ghosts = soft ? hard.map((state) => spread(state, y)) : [];
      const windows = el(moving, "g"), across = (k) => [hands[k], ...x.slice(1)];
      ghosts.length && hands.forEach((_, k) => el(moving, "path", { d: path(across(k).map((u, i) => [u, ghosts[i][k]])), fill: "none", stroke: GREY, "stroke-width": 1.3 }));
      const below = Math.max(...ids) < interval[0] ? y(interval[0]) + 8 : top + 4; // no name in the band of what is not
      const labels = apart(lines.at(-1), 17, below, bottom - 4);
      for (let k = 0; k < n; k += 1) {
        el(moving, "path", { d: path(across(k).map((u, i) => [u, lines[i][k]])), fill: "none", stroke: colours[k], "stroke-width": 2.2 });
      }
      const moved = (i, k) => Math.abs(shown[i][k] - shown[i - 1][k]) >= SEEN, said = [];
      for (let i = 2; i < N + 2; i += 1) {
        const jumped = ranked(shown[i]).filter((k) => moved(i, k)), level = i - 2, caught = shown[i - 1].some((t) => Math.abs(t - level) < 0.5), box = { x: x[i - 1], width: x[i] - x[i - 1] };
        el(windows, "rect", { ...box, y: y(level + 0.5), height: y(level - 0.5) - y(level + 0.5), fill: blue, "fill-opacity": caught ? 0.4 : 0.16 });
        for (const k of jumped) {
          marker(moving, k, x[i], lines[i][k], { fill: colours[k] }, 4.5);
          const text = landing(shown[i][k]), half = 3.5 * text.length, [u, v] = [x[i], lines[i][k]];
          // Above the mark, or at a side of it: where no line goes through, or fewest do.
          const places = [[0, -9], [-half - 8, -6], [half + 8, 12], [-half - 8, 4], [0, 19]].map(([du, dv]) => ({ u: u + du, v: v + dv, half }));
          const free = places.filter((place) => !said.some((other) => touching(other, place)));
          if (!free.length) continue;
          const cost = free.map((place) => crossings(place, x, lines)), best = free[cost.indexOf(Math.min(...cost))];
          words(moving, best.u, best.v, text, { "text-anchor": "middle", ...HALO });
          said.push(best);
        }
      }
      for (let k = 0; k < n; k += 1) {
        const proper = within(interval, [ids[k]]), fill = proper ? colours[k] : GREY;
        marker(moving, k, end, lines.at(-1)[k], { fill }, 5);
        words(moving, end + 11, labels[k] + 5, say(ids[k]), { fill, "font-weight": 600 });
        marker(moving, k, hands[k], lines[0][k], { fill: colours[k] }, 8);
      }
      // The name of the band: before it, or where there is no room, below or above it, but not on an id.
      const free = (v) => labels.every((label) => Math.abs(label + 5 - v) > 13);
      const beside = [y(interval[0]) + 13, y(interval[1]) - 4, Math.max(...labels) + 19].find(free);
      const place = narrow ? [width - 4, beside] : [end - 0.45 * (x[2] - x[1]) - 5, y(interval[1]) + 10];
      words(moving, ...place, "proper ids", { "text-anchor": "end", fill: tell, ...HALO });
      const colour = { proper: tell, right: tell, "given up": GREY }[word] ?? red;
      words(moving, width - 6, 18, word, { "text-anchor": "end", fill: colour, "font-weight": 600 });
      if (soft || narrow) return;
      for (let i = 2; i < N + 3; i += 1) {
        const before = shown[i - 1], high = Math.max(...before), range = high - Math.min(...before), lift = i === N + 2;
        if (!ids.some((_, k) => moved(i, k))) continue;
        words(moving, x[i], bottom + 33, lift ? `+${N ** (n + 1)} \u00b7 ${say(high)}` : `+${N} \u00b7 ${say(range)}`, { "text-anchor": "middle", fill: GREY });
      }
    }

    function drawErrors(run, { along }) {
      const t = errorScale(run), points = run.curve(run.Z).map(({ scale: at, ids }) => [along(at), t(largest(ids, run.exact))]);
      const [u, v] = [along(run.scale), t(largest(run.ids, run.exact))];
      el(moving, "path", { d: path(points), fill: "none", stroke: red, "stroke-width": 2.2 });
      marker(moving, 0, u, v, { fill: red });
      words(moving, width - 14, height - 136, `$\u03bb$ = ${number(run.scale, 0)}`, { "text-anchor": "end", "font-weight": 600 });
      card.place(count, along, v);
    }

    function update(values) {
      const run = runOf(values), { N, n, tokens, ids, exact, hard } = run, at = placesOf(run), [word, more] = verdict(run);
      const wanted = [N, n, run.cut].join();
      if (drawn !== wanted) drawGround(run, at);
      drawn = wanted;
      redraw(moving);
      drawFilm(run, at, word);
      if (soft) drawErrors(run, at);
      at.hands.forEach((hand, k) => card.place(k, hand, at.hold));
      const first = `${run.cut ? "cut to" : "not cut:"} ${listed(hard[1])}`, where = `[${run.interval.map(say).join(", ")}]`;
      const text = soft
        ? `${first}; \u03bb = ${number(run.scale, 0)}, proved ${number(run.proved, 0)}\nids ${listed(ids)}, with hardmax ${listed(exact)}\noff by ${ids.map((t, k) => tiny(Math.abs(t - exact[k]))).join(", ")}; ${word}: ${more}`
        : `${first}; ${jumps(run)}\nids ${listed(ids)}; ${word}: ${more}`;
      const thin = soft ? ` Thin lines: hardmax. Below, the largest error against \u03bb, at the handle ${tiny(largest(ids, exact))}.` : "";
      return {
        text,
        alt: `${n} tokens as lines over ${N + 3} columns: dragged to ${tokens.map((t) => number(t, 2)).join(", ")}, ${first}, then ${jumps(run)}; lifted to the ids ${listed(ids)}. The interval of proper ids, ${where}, is shaded: ${place(run)} it.${thin}`,
        hide: Array.from({ length: count - n }, (_, k) => `t${n + k + 1}`),
        goals: { "one id": () => isShared(run), "changed places": () => isSwapped(run), stranger: () => isLetIn(run) },
      };
    }

    return { layout, update };
  },
};
