// Functions of two tokens that readers type or paint, what a network makes of the square, and how it holds such a function.

const FUNCTIONS = (() => {
  const FULL = 96, COARSE = 48, LATTICE = 101, LIMIT = 1e6, NODES = 16, LEVELS = 17, BLANK = "h".repeat(NODES * NODES);

  /** All points of the square with these coordinates, x_2 running fastest. */
  function grid(axis) {
    const n = axis.length;
    return [Float64Array.from({ length: n * n }, (_, p) => axis[Math.floor(p / n)]), Float64Array.from({ length: n * n }, (_, p) => axis[p % n])];
  }
  const middles = (n) => Array.from({ length: n }, (_, k) => (k + 0.5) / n);
  const made = {}; // points of the square that somebody asked for
  const lattice = () => (made.lattice ??= grid(Array.from({ length: LATTICE }, (_, k) => k / (LATTICE - 1))));
  const pixels = (R) => (made[R] ??= grid(middles(R)));

  function checked(f, [x1, x2]) {
    const values = f(x1, x2), k = values.findIndex((value) => Math.abs(value) > LIMIT);
    if (k < 0) return values;
    throw new Error(`beyond \u00b110\u2076 at x\u2081 = ${x1[k].toFixed(2)}, x\u2082 = ${x2[k].toFixed(2)}: in double precision the look-up holds no more.`);
  }

  /** What is painted, at each node a height from -1 to 1 in a letter: 0 is -1, h is nothing, y is 1. */
  const heightsOf = (text) => Float64Array.from(text, (letter) => parseInt(letter, 36) / LEVELS - 1);
  const textOf = (heights) => Array.from(heights, (value) => (Math.floor(value * LEVELS + 0.5) + LEVELS).toString(36)).join("");

  /** What is painted, as a function: heights at (k + 1/2)/16, between them in straight lines. */
  function surface(h) {
    const place = (x) => {
      const u = Math.min(NODES - 1, Math.max(0, x * NODES - 0.5)), i = Math.min(Math.floor(u), NODES - 2);
      return [i, u - i];
    };
    return (x1, x2) => x1.map((x, p) => {
      const [i, s] = place(x), [j, t] = place(x2[p]), k = i * NODES + j;
      return (1 - s) * ((1 - t) * h[k] + t * h[k + 1]) + s * ((1 - t) * h[k + NODES] + t * h[k + NODES + 1]);
    });
  }

  let read = null; // the last formula

  /** The function that a formula means, {text, f, limits}, and the ends of its scale: they hold what is painted on it, too. */
  function formulaOf(text) {
    if (read?.text === text) return read;
    const f = readFormula(text), [, values] = [lattice(), pixels(FULL)].map((points) => checked(f, points));
    return (read = { text, f, limits: limitsOf(values) });
  }

  /** Token 1's state at all pixels, after all layers or after each, some sequences a step. Swapped tokens have swapped states,
   * so half the square is run; the `whole`, where layers on the way have other columns. */
  const halves = {}, BATCH = 512;
  function* overSquare(net, R, each = false, whole = false) {
    const { pairs, axis } = (halves[`${R} ${whole}`] ??= { pairs: middles(R).flatMap((_, i) => middles(R).flatMap((_, j) => (whole || j >= i ? [[i, j]] : []))), axis: middles(R) });
    const found = Array.from({ length: each ? net.depth + 1 : 1 }, () => new Float64Array(R * R));
    for (let start = 0; start < pairs.length; start += BATCH) {
      const some = pairs.slice(start, start + BATCH), batch = some.length, options = { n: 2, batch };
      const X = Float64Array.from([0, 1].flatMap((k) => some.map((pair) => axis[pair[k]])));
      (each ? net.trace(X, options) : [net.run(X, options)]).forEach((state, k) => {
        some.forEach(([i, j], p) => {
          found[k][i * R + j] = state[p];
          if (!whole) found[k][j * R + i] = state[batch + p];
        });
      });
      yield;
    }
    return each ? found : found[0];
  }

  /** The least of 1, 1.5, 2, 3, 5, 10 times a power of ten that is not below. */
  function nice(value) {
    const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
    return [1, 1.5, 2, 3, 5, 10].find((m) => m * power >= value * (1 - 1e-9)) * power;
  }

  /** The ends of a scale that holds zero and these values. */
  function limitsOf(...all) {
    const [low, high] = all.reduce(([a, b], values) => [values.reduce((u, v) => Math.min(u, v), a), values.reduce((u, v) => Math.max(u, v), b)], [0, 0]);
    const below = low < -1e-9 * high; // by more than rounding
    return [below ? -nice(-low) : 0, high > 0 ? nice(high) : below ? 0 : 1];
  }

  /** What a text, and what is painted on it ("" is nothing), mean together: {base, touched, f}. */
  function meaning(formula, paint) {
    const base = formulaOf(formula);
    if (!paint || paint === BLANK) return { base, touched: false, f: base.f };
    if (!/^[0-9a-y]{256}$/.test(paint)) throw new Error("this is no painted surface.");
    const more = surface(heightsOf(paint)), [low, high] = base.limits, f = (x1, x2, strict) => {
      const added = more(x1, x2); // paint ends where the scale ends: no stroke moves the colours of the rest
      return base.f(x1, x2, strict).map((value, p) => Math.min(high, Math.max(low, value + (high - low) * added[p])));
    };
    return { base, touched: true, f };
  }

  /** How far a network lowers what it has answered, until its last layer lifts it again. */
  const lift = (values) => Math.max(1, Math.ceil(Math.max(...values)) + 1);

  /** The weights that hold a function, given by its values at the points of `held.py`: [layer, {name: weights}] of each layer. */
  function lookUp({ layers }, values) {
    const lifted = lift(values), found = new Map();
    for (const [number, name, base, entries, lifts] of layers) {
      const weights = Float64Array.from(base);
      for (const [entry, point, c] of entries) weights[entry] += c * values[point];
      for (const [entry, k] of lifts) weights[entry] += k * lifted;
      found.set(number, { ...found.get(number), [name]: weights });
    }
    return [...found];
  }

  /** The values of f at the points that a network asks for. */
  const asked = ({ points }, f) => checked(f, [0, 1].map((k) => Float64Array.from(points, (point) => point[k])));

  /** A network that holds f. */
  const hold = (net, held, f) => lookUp(held, asked(held, f)).reduce((found, [i, weights]) => found.replace(i, weights), net);

  /** How many of these weights are not those. */
  const differ = (a, b) => Object.keys(a).reduce((sum, name) => sum + a[name].reduce((n, weight, k) => n + (weight !== b?.[name][k]), 0), 0);

  /**
   * What networks make of functions: over(proof, N, wish, R) has all that depends on f and the cells, over R x R pixels;
   * over.steps does it step by step. `networks` are by proof and 1/delta what Python's `measured` gives; of each the last one
   * is kept, whose other weights stay. `painted` counts the weights that what is painted has changed.
   */
  function measuring(networks) {
    const built = {};
    function* steps(proof, N, wish, R) {
      const { network, held, "given up": lost } = networks[proof][N], own = (built[`${proof} ${N}`] ??= { net: yield* readNetwork.steps(network), now: [] });
      const values = asked(held, wish.f), now = lookUp(held, values);
      let { net } = own;
      for (const [k, [i, weights]] of now.entries()) {
        if (differ(weights, own.now[k]?.[1])) net = net.replace(i, weights);
        yield;
      }
      Object.assign(own, { net, now });
      if (own.plain?.base !== wish.base) {
        const plain = wish.touched ? asked(held, wish.base.f) : values;
        own.plain = { base: wish.base, now: lookUp(held, plain) };
      }
      const painted = wish.touched ? now.reduce((sum, [, weights], k) => sum + differ(weights, own.plain.now[k][1]), 0) : 0;
      const f = checked(wish.f, pixels(R)), g = yield* overSquare(net, R), error = f.map((value, p) => Math.abs(g[p] - value));
      const cell = (k) => Math.floor(((k + 0.5) * N) / R), hatched = error.map((_, p) => lost && cell(Math.floor(p / R)) === cell(p % R));
      const [off, on] = [0, 1].map((side) => error.reduce((most, e, p) => (hatched[p] === side ? Math.max(most, e) : most), 0));
      const worst = Math.max(off, on), squares = error.reduce((sum, e) => sum + e * e, 0), distance = Math.sqrt((2 * squares) / (R * R));
      return { proof, N, R, wish, lost, net, now, painted, lift: lift(values), f, g, error, off, on, worst, limits: wish.base.limits, distance };
    }
    return Object.assign((...wanted) => atOnce(steps(...wanted)), { steps });
  }

  /** Hatching of the cells along the diagonal of a square, which these scales map: the path of its lines. */
  function hatching(x, y, N) {
    const c = x(1 / N) - x(0), count = Math.max(2, Math.round(c / 7)), turns = Array.from({ length: 2 * count - 1 }, (_, i) => (i + 1) / count);
    return Array.from({ length: N }, (_, k) => turns.map((t) => {
      const [a, b, from, to] = [x(k / N), y(k / N), Math.max(0, t - 1), Math.min(1, t)];
      return `M${(a + from * c).toFixed(1)} ${(b - (t - from) * c).toFixed(1)}L${(a + to * c).toFixed(1)} ${(b - (t - to) * c).toFixed(1)}`;
    }).join("")).join("");
  }

  /** f over the square, in colours of which some are given in hex. */
  const sketch = (canvas, { f, base }, stops) => paintNumbers(canvas, checked(f, pixels(FULL)), FULL, base.limits, palette(stops));

  return { FULL, COARSE, NODES, BLANK, grid, middles, pixels, checked, heightsOf, textOf, limitsOf, nice, overSquare, meaning, lookUp, hold, measuring, hatching, sketch };
})();
