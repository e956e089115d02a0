// The search of check_mixer on one layer of attention whose kernel is typed: pairs of sequences, sizes of parameters and
// limits are those of Python, which hands them in; random parameters are drawn here, and slopes are differences.

/**
 * Whether a layer of attention with the kernel k of readFormula tells apart the tokens of all `pairs`, [family, X, Y] with a row
 * an entry; in steps of some milliseconds, which say what is done. Noise is looked for along `lines`. At the end: {verdict, worst, place: [which, i, j], gap, gaps: {family: least}, silent, unseen, sum}, the last two where
 * too little was seen, and if so for want of a sum. Its weights are divided by their
 * sum if it is `divided`; `rules` are the limits of mixer_search.py and mixer_network.py, by their names.
 */
PICTURES.mixer.search = function* (k, divided, { pairs, lines }, rules) {
  const { scales, again: others, look, draws, told, seen: enough, steps, starts, anew, rate } = rules;
  const d = pairs[0][1].length, n = pairs[0][1][0].length, size = d * n, count = 3 * d * d, cells = n * n, unit = Math.sqrt(2 / Math.max(d, 2));
  const SEED = 1, HARDEST = 20, ROUNDS = 3, MOVE = 1e-3, LEAST = 1e-300, SIDES = [[0, 1], [0, 0], [1, 1]], LOOKS = 40;
  const byToken = (X) => Float64Array.from({ length: size }, (_, at) => X[at % d][Math.floor(at / d)]), both = pairs.map(([, ...XY]) => XY.map(byToken));
  const range = (length) => Array.from({ length }, (_, at) => at), all = range(pairs.length);

  let state = SEED; // mulberry32
  function uniform() {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  const normal = () => range(12).reduce((sum) => sum + uniform(), -6); // nearly, and the same numbers in all browsers
  const drawn = (sizes, times) => range(times).map((at) => Float64Array.from({ length: count }, () => sizes[at % sizes.length] * unit * normal()));

  /** X + g(X, theta) of all jobs [X, theta], in these floats: entry r of token i of job m at (m n + i) d + r. Of jobs
   * [X, theta, i] token i alone, at m d + r. */
  function layer(Floats, jobs, divides = divided) {
    const alone = jobs[0].length > 2, rows = alone ? 1 : n, block = rows * n, total = new Floats(1);
    const S = new Floats(jobs.length * block), A = new Floats(S.length), B = new Floats(S.length), out = new Floats(jobs.length * rows * d);
    const parts = jobs.map(([X, theta, i]) => {
      const Z = Floats.from(X), W = Floats.from(theta), Q = new Floats(size), K = new Floats(size), V = new Floats(size);
      for (let j = 0; j < size; j += 1) {
        const r = j % d, own = !alone || j - r === i * d;
        for (let c = 0; c < d; c += 1) {
          const z = Z[j - r + c], at = r * d + c;
          if (own) Q[j] += W[at] * z;
          K[j] += W[d * d + at] * z;
          V[j] += W[2 * d * d + at] * z;
        }
      }
      return { Z, Q, K, V };
    });
    const asks = (m, row) => (alone ? jobs[m][2] : row);
    parts.forEach(({ Q, K }, m) => {
      for (let at = 0; at < block; at += 1) {
        const i = asks(m, Math.floor(at / n)), j = at % n, to = m * block + at; // how token i hears token j
        for (let r = 0; r < d; r += 1) S[to] += K[j * d + r] * Q[i * d + r];
        A[to] = K[j * d];
        B[to] = Q[i * d];
      }
    });
    const weights = k.at([S, A, B]);
    parts.forEach(({ Z, V }, m) => {
      for (let row = 0; row < rows; row += 1) {
        const from = (m * rows + row) * n, to = (m * rows + row) * d, i = asks(m, row);
        total[0] = 0;
        for (let j = 0; j < n; j += 1) total[0] += weights[from + j];
        if (divides) for (let j = 0; j < n; j += 1) weights[from + j] /= total[0];
        for (let r = 0; r < d; r += 1) {
          for (let j = 0; j < n; j += 1) out[to + r] += V[j * d + r] * weights[from + j];
          out[to + r] += Z[i * d + r];
        }
      }
    });
    return out;
  }

  const apart = (out, one, i, two, j) => {
    let most = 0;
    for (let r = 0; r < d; r += 1) most = Math.max(most, Math.abs(out[one * size + i * d + r] - out[two * size + j * d + r]));
    return most;
  };

  /** The rounding in the outputs of each job, and their size; NaN where they are not finite, or floats have no digit of them. */
  function measured(jobs, exact = layer(Float64Array, jobs)) {
    const rough = layer(Float32Array, jobs);
    return jobs.map((_, m) => {
      let off = 0, most = 0;
      for (let at = m * size; at < (m + 1) * size; at += 1) [off, most] = [Math.max(off, Math.abs(exact[at] - rough[at])), Math.max(most, Math.abs(exact[at]))];
      return { size: 1 + most, rounding: off < rules.lost * (1 + most) ? Math.max(off * 2 ** -29, Math.max(2 ** -50, resolution) * (1 + most)) : NaN };
    });
  }

  // ------------------------------------------------------------------------------------------------ what floats are worth

  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]; // of an odd number
  const middle = (values) => {
    const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };

  /** Of each line with steps of this length the noise, by sixth differences. */
  function roughness(length) {
    return lines.X.map((X, m) => {
      const along = (at, from, step) => from.map((t, c) => t + at * length * step[c]);
      const start = [X, lines.V[m]].map(byToken), jobs = range(rules.points).map((at) => [along(at, ...start), along(at, ...[lines.t[m], lines.W[m]].map((row) => Float64Array.from(row)))]);
      const out = layer(Float64Array, jobs), sixth = [1, -6, 15, -20, 15, -6, 1];
      const noise = range(size).map((r) => median(range(rules.points - 6).map((at) => Math.abs(sixth.reduce((sum, c, j) => sum + c * out[(at + j) * size + r], 0)))));
      return Math.max(...noise) / (0.6745 * Math.sqrt(924)); // the sixth difference of white noise has the variance 924
    });
  }

  /** As a step of the output, relative, where noise does not grow with the steps along a line: poles are as steep, too. */
  let resolution = 0;
  const begins = measured(lines.X.map((X, m) => [byToken(X), Float64Array.from(lines.t[m])])), floors = begins.map(({ rounding }) => rounding);
  for (const [length, low, high] of lines.steps) {
    yield "looking for noise";
    const noise = roughness(length);
    if (!(middle([...noise.map((value, m) => value / floors[m]), 0]) > rules.rough)) continue;
    yield "looking for noise";
    if (!(middle(roughness(4 * length).map((value, m) => value / noise[m])) < rules.flat)) continue;
    const step = 4 * Math.sqrt(12) * middle(noise.map((value, m) => value / begins[m].size));
    if (low < step && step < high) resolution = Math.max(resolution, step);
  }
  const digits = resolution || 2 ** -52, fooled = digits < rules.alike ? Math.min(rules.fooled, rules.alike / digits) : 0, wanted = told * digits < 2 ? told : Math.min(fooled, told);

  /** For each [pair, theta] the gaps of all two tokens of X and Y, X alone, Y alone, in units of rounding; null: not finite. */
  function units(asked) {
    const jobs = asked.flatMap(([p, theta]) => both[p].map((X) => [X, theta])), exact = layer(Float64Array, jobs), found = measured(jobs, exact);
    return asked.map((_, m) => {
      const one = Math.max(found[2 * m].rounding, found[2 * m + 1].rounding);
      if (Number.isNaN(one)) return null;
      return Float64Array.from({ length: 3 * cells }, (_, at) => {
        const which = Math.floor(at / cells), i = Math.floor(at / n) % n, j = at % n, [a, b] = SIDES[which];
        return which && i === j ? Infinity : apart(exact, 2 * m + a, i, 2 * m + b, j) / one;
      });
    });
  }

  // ------------------------------------------------------------------------------------------------------- what was seen

  const best = all.map(() => new Float64Array(3 * cells).fill(-1)), seen = all.map(() => 0), confirmed = new Set();
  const least = (p) => (seen[p] ? best[p].reduce((a, b) => Math.min(a, b)) : NaN);
  const placeOf = (p) => best[p].indexOf(least(p));

  function take(p, found) {
    if (!found) return;
    seen[p] += 1;
    found.forEach((gap, at) => (best[p][at] = Math.max(best[p][at], gap)));
  }
  const see = (asked) => units(asked).map((found, m) => (take(asked[m][0], found), found));

  /** Pair p at all of thetas, and all pairs at the best of them, which may tell others apart, too. */
  function share(p, place, thetas) {
    const found = see(thetas.map((theta) => [p, theta])).map((gaps) => gaps?.[place] ?? -1);
    see(all.map((other) => [other, thetas[found.indexOf(Math.max(...found))]]));
  }

  // ------------------------------------------------------------------------------------------------------------- uphill

  const tries = (p) => `tries ${pairs[p][0]}`;

  /** The logarithm of the distance of the two tokens, at all of thetas. */
  function heights(p, place, thetas) {
    const [a, b] = SIDES[Math.floor(place / cells)], i = Math.floor(place / n) % n, j = place % n;
    const out = layer(Float64Array, thetas.flatMap((theta) => [[both[p][a], theta, i], [both[p][b], theta, j]]));
    return thetas.map((_, m) => {
      let sum = 0;
      for (let r = 0; r < d; r += 1) sum += (out[2 * m * d + r] - out[(2 * m + 1) * d + r]) ** 2;
      return Math.log(Math.max(sum, LEAST));
    });
  }

  /** Random steps, kept where the distance grows. */
  function* wander(p, place, thetas, times) {
    let high = heights(p, place, thetas);
    for (let step = 0; step < times; step += 1) {
      yield tries(p);
      const there = thetas.map((theta) => theta.map((t) => t + 2 ** -(step % 6) * normal())), found = heights(p, place, there);
      thetas = thetas.map((theta, m) => (found[m] > high[m] ? there[m] : theta));
      high = high.map((value, m) => (found[m] > value ? found[m] : value));
    }
    return thetas;
  }

  /** Where steps of Adam lead from each start. */
  function* climb(p, place, thetas) {
    const mean = thetas.map(() => new Float64Array(count)), square = thetas.map(() => new Float64Array(count));
    let plateau = false;
    for (let step = 0; step < steps; step += 1) {
      yield tries(p);
      if (step % LOOKS === 0 && units(thetas.map((theta) => [p, theta])).some((gaps) => gaps?.[place] >= wanted)) break;
      const moved = thetas.flatMap((theta) => range(2 * count).map((at) => theta.map((t, c) => (c === at >> 1 ? t + (at % 2 ? -MOVE : MOVE) : t))));
      const found = heights(p, place, moved);
      const slopes = thetas.map((_, m) => range(count).map((c) => (found[2 * (m * count + c)] - found[2 * (m * count + c) + 1]) / (2 * MOVE) || 0));
      if (!slopes.flat().some(Boolean)) {
        if (plateau) break;
        [thetas, plateau] = [yield* wander(p, place, thetas, steps >> 1), true];
        continue;
      }
      const length = (rate * Math.sqrt(1 - 0.999 ** (step + 1))) / (1 - 0.9 ** (step + 1));
      thetas = thetas.map((theta, m) => theta.map((t, c) => {
        mean[m][c] = 0.9 * mean[m][c] + 0.1 * slopes[m][c];
        square[m][c] = 0.999 * square[m][c] + 0.001 * slopes[m][c] ** 2;
        return t + (length * mean[m][c]) / (Math.sqrt(square[m][c]) + 1e-12);
      }));
    }
    return thetas;
  }

  // ---------------------------------------------------------------------------------------------------------- the search

  const first = drawn(scales, draws);
  for (const [at, theta] of first.entries()) {
    const left = at < look ? all : all.filter((p) => !(least(p) >= told));
    if (left.length) see(left.map((p) => [p, theta]));
    yield `${at + 1} of ${draws} weights tried`;
  }

  /** Climb from the best parameters drawn, on the hardest two tokens; whether others are harder now. */
  function* ascent(p) {
    const place = placeOf(p), found = units(first.map((theta) => [p, theta])).map((gaps) => gaps?.[place] ?? -1);
    yield tries(p);
    const start = range(first.length).sort((a, b) => found[b] - found[a]).slice(0, starts);
    share(p, place, yield* climb(p, place, start.map((at) => first[at])));
    return placeOf(p) !== place;
  }

  const fools = (p) => confirmed.has(p) && seen[p] >= enough && least(p) <= fooled;
  const key = (p) => [Math.max(least(p), fooled), rules.rounded.includes(pairs[p][0]), least(p)];
  const keys = all.map(key), before = (p, q) => keys[p].reduce((found, value, at) => found || value - keys[q][at], 0);
  for (const p of all.filter((one) => seen[one]).sort(before).slice(0, HARDEST)) {
    for (let round = 0; round < ROUNDS && least(p) < wanted && (yield* ascent(p)); round += 1);
    yield tries(p);
    if (least(p) < wanted) {
      share(p, placeOf(p), drawn(others, anew));
      confirmed.add(p);
    }
    if (fools(p)) break;
  }

  const gaps = {}, fooling = all.filter(fools), gap = all.map(least), unseen = gap.findIndex(Number.isNaN);
  pairs.forEach(([family], p) => (gaps[family] = Math.min(gaps[family] ?? Infinity, gap[p])));
  const worst = fooling[0] ?? (unseen < 0 ? gap.indexOf(Math.min(...gap)) : unseen), place = placeOf(worst);
  const verdict = fooling.length ? "no" : gap.every((value) => value >= told) ? "yes" : "unsure", probe = both[0][0];
  const still = first.filter((theta) => layer(Float64Array, [[probe, theta]]).every((value, at) => Math.abs(value - probe[at]) < 2 ** -44));
  const sum = divided && seen[worst] < enough && layer(Float64Array, both[worst].flatMap((X) => first.map((theta) => [X, theta])), false).every(Number.isFinite);
  return {
    verdict, worst, sum, gaps, gap: gap[worst], place: place < 0 ? [0, 0, 0] : [Math.floor(place / cells), Math.floor(place / n) % n, place % n],
    silent: still.length > 0.9 * draws, unseen: seen[worst] < enough, resolution, fooled,
  };
};
