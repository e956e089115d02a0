// A network of the library in double precision, for pictures that compute in the page: the same maps as FLOAT64 in Python.
// The spec comes from `lowered(model)`, view/live/lowered.py. A sequence of n tokens of d entries, in a batch, is a
// Float64Array of shape (d, n, batch), the batch running fastest. No dependency, no DOM.

/** @typedef {{shape: number[], data: Float64Array}} Weight */
/** @typedef {{places: number[], factors: number[]}} Row  the entries of a row of a matrix that are not 0 */
/** @typedef {{values: Float64Array, d: number, n: number, batch: number}} State  a chunk of the batch on its way */

const CHUNK = 2048; // numbers of a row that are in use at once: they stay in the processor's cache

// --- memory: one array for each use, for all networks; what is kept beyond a layer is copied.

const kept = {};

/** An array of at least this length, with anything in it. */
function room(use, length) {
  if (!(kept[use]?.length >= length)) kept[use] = new Float64Array(length);
  return kept[use];
}

/** The batch from `start` on, `width` of it, as an array of its own shape. */
function cut(X, rows, batch, start, width, into) {
  for (let row = 0; row < rows; row += 1) {
    const from = row * batch + start;
    into.set(X.subarray(from, from + width), row * width);
  }
  return into;
}

/** The contrary: a chunk into its place in the whole batch. */
function paste(values, rows, width, into, batch, start) {
  for (let row = 0; row < rows; row += 1) into.set(values.subarray(row * width, (row + 1) * width), row * batch + start);
}

// --- sums of rows. A row of X is `length` numbers, of all tokens or of one; sums go from the first entry to the last.

/** The rows of a matrix without their zeros. A factor 0 leaves its number out, be that infinite. */
function rowsOf({ shape: [rows, columns], data }) {
  return Array.from({ length: rows }, (_, r) => {
    const places = [...Array(columns).keys()].filter((k) => data[r * columns + k] !== 0);
    return { places, factors: places.map((k) => data[r * columns + k]) };
  });
}

function transposed({ shape: [rows, columns], data }) {
  return { shape: [columns, rows], data: data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]) };
}

/** out[at ...] = sum_k factors[k] X[row places[k]] + bias. */
function combine({ places, factors }, bias, X, length, out, at) {
  if (!places.length) {
    out.fill(bias, at, at + length);
    return;
  }
  const [w] = factors;
  const [x] = places.map((place) => place * length);
  if (places.length === 1) {
    for (let c = 0; c < length; c += 1) out[at + c] = w * X[x + c] + bias;
    return;
  }
  for (let c = 0; c < length; c += 1) out[at + c] = w * X[x + c];
  for (let k = 1; k < places.length; k += 1) addMultiple(factors[k], X, places[k] * length, length, out, at);
  if (bias) for (let c = 0; c < length; c += 1) out[at + c] += bias;
}

/** out[at ...] += w X[from ...]. */
function addMultiple(w, X, from, length, out, at) {
  if (w === 1) for (let c = 0; c < length; c += 1) out[at + c] += X[from + c];
  else for (let c = 0; c < length; c += 1) out[at + c] += w * X[from + c];
}

/** W X + b, for the rows of W. */
function affine(rows, bias, X, length, out) {
  rows.forEach((row, r) => combine(row, bias ? bias[r] : 0, X, length, out, r * length));
  return out;
}

/** X E for X of shape (d, n, batch): token i becomes the sum of tokens t, times column i of E. */
function mixTokens(columns, X, d, n, batch, out) {
  columns.forEach((column, i) => {
    for (let r = 0; r < d; r += 1) {
      const moved = { places: column.places.map((t) => r * n + t), factors: column.factors };
      combine(moved, 0, X, batch, out, (r * columns.length + i) * batch);
    }
  });
  return out;
}

/** out = X + change, or change alone. */
function finish(skip, X, change, bias, d, length, out) {
  for (let r = 0; r < d; r += 1) {
    const b = bias ? bias[r] : 0;
    const end = (r + 1) * length;
    if (skip) for (let c = r * length; c < end; c += 1) out[c] = X[c] + (change[c] + b);
    else for (let c = r * length; c < end; c += 1) out[c] = change[c] + b;
  }
}

// --- feed-forward: X + W_2 phi(W_1 X + b_1) + b_2

/** phi = ReLU in place. NaN stays NaN. */
function relu(hidden, length) {
  for (let c = 0; c < length; c += 1) if (hidden[c] < 0) hidden[c] = 0;
}

/** phi(t) = slopes[k] t + intercepts[k], where k counts the breakpoints that are <= t. */
function threePiece({ breakpoints: [c1, c2], slopes, intercepts }, hidden, length) {
  for (let c = 0; c < length; c += 1) {
    const k = (hidden[c] >= c1) + (hidden[c] >= c2);
    hidden[c] = slopes[k] * hidden[c] + intercepts[k];
  }
}

function compileFeedForward({ activation, skip }, weights) {
  const numbers = (name) => weights[name]?.data;
  const inputs = rowsOf(weights.w_1);
  const outputs = rowsOf(transposed(weights.w_2)); // of each hidden unit
  const d = weights.w_2.shape[0];
  const [b1, b2] = [numbers("b_1"), numbers("b_2")];
  const piece = activation !== "relu" && Object.fromEntries(PIECE.map((name) => [name, numbers(name)]));

  function forward({ values: X, n, batch }, out) {
    const length = n * batch;
    const change = room("change", d * length).fill(0, 0, d * length);
    const hidden = room("hidden", length);
    inputs.forEach((input, unit) => {
      const { places, factors } = outputs[unit];
      if (!places.length) return;
      combine(input, b1 ? b1[unit] : 0, X, length, hidden, 0);
      if (piece) threePiece(piece, hidden, length);
      else relu(hidden, length);
      places.forEach((row, k) => addMultiple(factors[k], hidden, 0, length, change, row * length));
    });
    finish(skip, X, change, b2, d, length, out);
    return n;
  }
  return { d, forward };
}

const PIECE = ["breakpoints", "slopes", "intercepts"];

// --- attention: X + sum_h W_O (W_V Z + b_V) sigma[scores] + b_O, sigma down the keys that each query hears

/** log k(key i, query j) for each kernel, into `out`, for one key, one query and the batch. */
const SCORES = {
  dot: dotProducts,
  rbf(parts, i, j, out, at) {
    const { gamma, batch, keyNorms, queryNorms } = parts;
    dotProducts(parts, i, j, out, at);
    for (let c = 0; c < batch; c += 1) {
      out[at + c] = 2 * gamma * out[at + c] + keyNorms[i * batch + c] + queryNorms[j * batch + c];
    }
  },
  constant({ batch }, i, j, out, at) {
    out.fill(0, at, at + batch);
  },
};

function dotProducts({ keys, queries, size, m, n, batch }, i, j, out, at) {
  out.fill(0, at, at + batch);
  for (let r = 0; r < size; r += 1) {
    const [key, query] = [(r * m + i) * batch, (r * n + j) * batch];
    for (let c = 0; c < batch; c += 1) out[at + c] += keys[key + c] * queries[query + c];
  }
}

/** -gamma |x|^2 of every token. */
function norms(gamma, X, size, length, out) {
  out.fill(0, 0, length);
  for (let r = 0; r < size; r += 1) for (let c = 0; c < length; c += 1) out[c] += X[r * length + c] ** 2;
  for (let c = 0; c < length; c += 1) out[c] *= -gamma;
  return out;
}

/** The largest of `count` scores, for each of the batch; NaN if one is NaN. */
function largest(scores, count, batch, top) {
  top.set(scores.subarray(0, batch));
  for (let i = 1; i < count; i += 1) {
    for (let c = 0; c < batch; c += 1) top[c] = Math.max(top[c], scores[i * batch + c]);
  }
}

function sumDown(column, count, batch, sum) {
  sum.fill(0, 0, batch);
  for (let i = 0; i < count; i += 1) for (let c = 0; c < batch; c += 1) sum[c] += column[i * batch + c];
  return sum;
}

/** e^t, without the call where it is 1 or too small for a number. */
function power(t) {
  return t === 0 ? 1 : t < -746 ? 0 : Math.exp(t);
}

/** How scores of the keys that a query hears become powers, in place; what is returned makes of the sum of values, times powers, the average. */
const WEIGHTS = {
  softmax(column, count, batch, top, sum) {
    for (let i = 0; i < count; i += 1) {
      for (let c = 0; c < batch; c += 1) column[i * batch + c] = power(column[i * batch + c] - top[c]);
    }
    sumDown(column, count, batch, sum);
    for (let i = 0; i < count; i += 1) for (let c = 0; c < batch; c += 1) column[i * batch + c] /= sum[c];
    return null;
  },
  /** 1 for the largest: k that tie get 1/k. The difference of infinities is NaN: they choose nothing. */
  hardmax(column, count, batch, top, sum) {
    for (let i = 0; i < count; i += 1) {
      for (let c = 0; c < batch; c += 1) column[i * batch + c] = column[i * batch + c] - top[c] === 0 ? 1 : 0;
    }
    sumDown(column, count, batch, sum);
    return (t, c) => t / sum[c];
  },
  none(column, count, batch, top, sum) {
    for (let i = 0; i < count; i += 1) {
      for (let c = 0; c < batch; c += 1) column[i * batch + c] = power(column[i * batch + c] - top[c]);
    }
    for (let c = 0; c < batch; c += 1) sum[c] = power(top[c]);
    return (t, c) => t * sum[c];
  },
};

function compileHead(weights, place) {
  const get = (name) => weights[`${place}.${name}`];
  const matrix = (name) => get(name) && rowsOf(get(name));
  const projection = (name) => get(name) && rowsOf(transposed(get(name)));
  return {
    size: get("w_q").shape[0],
    v: get("w_v").shape[0],
    w_q: matrix("w_q"), w_k: matrix("w_k"), w_v: matrix("w_v"), w_o: matrix("w_o"),
    b_q: get("b_q")?.data, b_k: get("b_k")?.data, b_v: get("b_v")?.data,
    w_e: projection("w_e"), w_f: projection("w_f"),
  };
}

function compileAttention({ normalization, kernel, heard, skip, cross, factor = 1 }, weights) {
  const count = Object.keys(weights).filter((name) => name.endsWith(".w_q")).length;
  const heads = Array.from({ length: count }, (_, h) => compileHead(weights, `head${h}`));
  const d = weights["head0.w_o"].shape[0];
  const scores = SCORES[kernel.kind];
  // All scores of the constant kernel tie: the average is that of hardmax.
  const rule = WEIGHTS[kernel.kind === "constant" && normalization === "softmax" ? "hardmax" : normalization];

  /** Keys, queries and values of a head, all that scores are made of. */
  function partsOf(head, { values: X, n, batch }, Z) {
    const heardBy = (columns, use) =>
      columns ? mixTokens(columns, Z.values, Z.d, Z.n, batch, room(use, Z.d * columns.length * batch)) : Z.values;
    const { size } = head;
    const m = head.w_e ? head.w_e.length : Z.n;
    const [most, length] = [m * batch, n * batch];
    const keys = affine(head.w_k, head.b_k, heardBy(head.w_e, "mixed"), most, room("keys", size * most));
    const values = affine(head.w_v, head.b_v, heardBy(head.w_f, "mixed"), most, room("values", head.v * most));
    const queries = affine(head.w_q, head.b_q, X, length, room("queries", size * length));
    const { gamma } = kernel;
    const keyNorms = gamma && norms(gamma, keys, size, most, room("key norms", most));
    const queryNorms = gamma && norms(gamma, queries, size, length, room("query norms", length));
    return { keys, queries, values, keyNorms, queryNorms, gamma, size, v: head.v, m, n, batch };
  }

  const heardFrom = (j, m) => heard?.[j] ?? [...Array(m).keys()];

  /** The weights of query j, one row for each key in `list`, into `column`; and what completes the average. */
  function weigh(parts, list, j, column) {
    const { batch } = parts;
    const top = room("top", batch);
    list.forEach((i, k) => scores(parts, i, j, column, k * batch));
    if (factor !== 1) for (let c = 0; c < list.length * batch; c += 1) column[c] *= factor;
    largest(column, list.length, batch, top);
    return rule(column, list.length, batch, top, room("sum", batch));
  }

  /** What query j hears: the values, times the weights. */
  function hear(parts, j, out) {
    const { values, v, m, n, batch } = parts;
    const list = heardFrom(j, m);
    const column = room("column", list.length * batch);
    const complete = weigh(parts, list, j, column);
    for (let r = 0; r < v; r += 1) {
      const at = (r * n + j) * batch;
      out.fill(0, at, at + batch);
      list.forEach((i, k) => {
        const from = (r * m + i) * batch;
        for (let c = 0; c < batch; c += 1) out[at + c] += values[from + c] * column[k * batch + c];
      });
      if (complete) for (let c = 0; c < batch; c += 1) out[at + c] = complete(out[at + c], c);
    }
  }

  function forward(state, out, source) {
    const { n, batch } = state;
    const length = n * batch;
    const Z = cross ? source : state;
    const change = room("change", d * length);
    if (skip) out.set(state.values.subarray(0, d * length));
    else out.fill(0, 0, d * length);
    for (const head of heads) {
      const parts = partsOf(head, state, Z);
      const heardValues = room("heard", head.v * length);
      for (let j = 0; j < n; j += 1) hear(parts, j, heardValues);
      affine(head.w_o, null, heardValues, length, change);
      addMultiple(1, change, 0, d * length, out, 0);
    }
    const bias = weights.b_o?.data;
    if (bias) bias.forEach((b, r) => out.subarray(r * length, (r + 1) * length).forEach((_, c) => (out[r * length + c] += b)));
    return n;
  }

  /** What a picture of attention shows, for each head. */
  function attend(state, source) {
    const { n, batch } = state;
    return heads.map((head) => {
      const parts = partsOf(head, state, cross ? source : state);
      const { m, v } = parts;
      const shown = { scores: new Float64Array(m * n * batch), weights: new Float64Array(m * n * batch), m, n };
      for (let j = 0; j < n; j += 1) {
        const list = heardFrom(j, m);
        const column = new Float64Array(list.length * batch);
        for (let i = 0; i < m; i += 1) scores(parts, i, j, shown.scores, (i * n + j) * batch);
        const complete = weigh(parts, list, j, column);
        list.forEach((i, k) => {
          for (let c = 0; c < batch; c += 1) {
            shown.weights[(i * n + j) * batch + c] = complete ? complete(column[k * batch + c], c) : column[k * batch + c];
          }
        });
      }
      if (factor !== 1) shown.scores.forEach((score, i) => (shown.scores[i] = factor * score));
      return { ...shown, values: parts.values.slice(0, v * m * batch) };
    });
  }
  return { d, forward, attend };
}

// --- linear layers, and what mixes tokens without attention

/** sum_i P_i X Q_i + R */
function compileLinearSum({ count }, weights) {
  const terms = Array.from({ length: count }, (_, i) => {
    const [p, q] = [weights[`term${i}.p`], weights[`term${i}.q`]];
    return { p: p && rowsOf(p), q: q && rowsOf(transposed(q)) };
  });
  const r = weights.b_r?.data;

  function forward({ values: X, d: before, n, batch }, out) {
    const d = terms[0].p?.length ?? before;
    const tokens = terms[0].q?.length ?? n;
    const size = d * tokens * batch;
    out.fill(0, 0, size);
    for (const { p, q } of terms) {
      const left = p ? affine(p, null, X, n * batch, room("left", d * n * batch)) : X;
      const term = q ? mixTokens(q, left, d, n, batch, room("term", size)) : left;
      addMultiple(1, term, 0, size, out, 0);
    }
    if (r) r.forEach((b, i) => { for (let c = i * batch; c < (i + 1) * batch; c += 1) out[c] += b; });
    return tokens;
  }
  return { d: terms[0].p?.length, forward };
}

/** X + W_O X W_P */
function compileBilinear(_, { w_o, w_p }) {
  const [rows, columns, d] = [rowsOf(w_o), rowsOf(transposed(w_p)), w_o.shape[0]];
  function forward({ values: X, n, batch }, out) {
    const mixed = mixTokens(columns, X, d, n, batch, room("mixed", d * n * batch));
    const change = affine(rows, null, mixed, n * batch, room("change", d * n * batch));
    finish(true, X, change, null, d, n * batch, out);
    return n;
  }
  return { d, forward };
}

/** X + W_O (X * W_C): each row of X has its filter, with zeros beside the sequence. */
function compileConvolution(_, { w_o, w_c }) {
  const [rows, filters, d, k] = [rowsOf(w_o), rowsOf(w_c), w_o.shape[0], w_c.shape[1]];
  function forward({ values: X, n, batch }, out) {
    const mixed = room("mixed", d * n * batch).fill(0, 0, d * n * batch);
    filters.forEach(({ places, factors }, r) => {
      for (let j = 0; j < n; j += 1) {
        places.forEach((t, i) => {
          const from = j + t - Math.floor((k - 1) / 2);
          if (from >= 0 && from < n) addMultiple(factors[i], X, (r * n + from) * batch, batch, mixed, (r * n + j) * batch);
        });
      }
    });
    const change = affine(rows, null, mixed, n * batch, room("change", d * n * batch));
    finish(true, X, change, null, d, n * batch, out);
    return n;
  }
  return { d, forward };
}

const LAYERS = {
  attention: compileAttention,
  "feed-forward": compileFeedForward,
  "linear-sum": compileLinearSum,
  "bilinear-projection": compileBilinear,
  "separable-convolution": compileConvolution,
};

// --- the network

/** Little-endian numbers in base64, on any machine. */
function unpack({ shape, data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return { shape, data: Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true)) };
}

/** A layer with its loops; `spec` and `weights` are kept for those that differ in some. */
function compile(spec, weights, name) {
  if (!Object.hasOwn(LAYERS, spec.kind)) throw new Error(`${name} (${spec.kind}): this page cannot run such a layer.`);
  const known =
    spec.kind !== "attention" || (Object.hasOwn(SCORES, spec.kernel.kind) && Object.hasOwn(WEIGHTS, spec.normalization));
  if (!known) throw new Error(`${name} (attention): this page cannot run ${spec.kernel.kind}, ${spec.normalization}.`);
  return { spec, weights, name, ...LAYERS[spec.kind](spec, weights) };
}

function readLayer(spec, name) {
  const weights = Object.entries(spec.weights ?? {}).map(([key, packed]) => [key, unpack(packed)]);
  return compile(spec, Object.fromEntries(weights), name);
}

/** The network of what Python's `lowered(model)` gives. */
function readNetwork(spec) {
  if (spec.format !== "uatlib.network" || spec.version !== 1) {
    throw new Error(`readNetwork: expected a uatlib.network of version 1, got ${spec.format} ${spec.version}.`);
  }
  const layers = spec.layers.map((layer, i) => readLayer(layer, `layer ${i}`));
  const encoder = spec.encoder.map((layer, i) => readLayer(layer, `encoder layer ${i}`));
  return makeNetwork(spec.sizes, encoder, layers);
}

function requireWhole(name, value) {
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name}: expected a whole number >= 1, got ${value}.`);
}

/** The entries of a token; an error unless X has shape (d, n, batch). */
function entriesOf(what, X, d, fixed, n, batch) {
  requireWhole("n", n);
  requireWhole("batch", batch);
  const rows = d ?? X.length / (n * batch);
  if ((fixed ?? n) !== n || !(rows >= 1) || X.length !== Math.floor(rows) * n * batch) {
    throw new Error(`${what}: expected shape (${d ?? "d"}, ${fixed ?? n}, ${batch}), got ${X.length} numbers for n = ${n}.`);
  }
  return rows;
}

function makeNetwork(sizes, encoder, layers) {
  const cross = layers.some((layer) => layer.spec.cross);

  /** A chunk of X through `steps`, visited after each; it is in memory that the next chunk uses again. */
  function pass(steps, state, source, use, visit) {
    steps.forEach((layer, i) => {
      const { n, batch } = state;
      const most = Math.max(layer.d ?? state.d, state.d) * Math.max(layer.spec.n_out ?? n, n) * batch;
      const values = room(`${use} ${i % 2}`, most);
      state = { values, n: layer.forward(state, values, source), d: layer.d ?? state.d, batch };
      visit(i + 1, state);
    });
    return state;
  }

  /** X through the first `depth` layers, a chunk after the other: `visit(i, state, start, source)` after i layers. */
  function through(X, { n, batch = 1, source = null, m = n }, depth, visit) {
    const d = entriesOf("X", X, sizes.d_in, sizes.n_in, n, batch);
    if (cross !== Boolean(source)) throw new Error(`source: expected ${cross ? "a second sequence" : "null"}.`);
    const heard = source && entriesOf("source", source, sizes.d_source, sizes.n_source, m, batch);
    const step = Math.max(16, Math.floor(CHUNK / Math.max(n, source ? m : 1)));
    for (let start = 0; start < batch; start += step) {
      const width = Math.min(step, batch - start);
      const piece = (Y, rows, use) => cut(Y, rows, batch, start, width, room(use, rows * width));
      let Z = source && { values: piece(source, heard * m, "source"), d: heard, n: m, batch: width };
      if (source && encoder.length) Z = pass(encoder, Z, null, "encoder", () => {});
      const state = { values: piece(X, d * n, "input"), d, n, batch: width };
      visit(0, state, start, Z);
      pass(layers.slice(0, depth), state, Z, "state", (i, after) => visit(i, after, start, Z));
    }
  }

  /** The states after the layers that are `wanted`. */
  function states(X, options, wanted) {
    const found = [];
    const { batch = 1 } = options;
    through(X, options, layers.length, (i, { values, d, n, batch: width }, start) => {
      if (!wanted(i)) return;
      found[i] ??= new Float64Array(d * n * batch);
      paste(values, d * n, width, found[i], batch, start);
    });
    return found;
  }

  /** The layer of this number; an error if there is none. */
  function at(i, kind) {
    const layer = layers[i];
    if (!layer || (kind && layer.spec.kind !== kind)) {
      throw new Error(`layer ${i}: expected ${kind ?? "a layer"} out of ${layers.length} layers, got ${layer?.spec.kind}.`);
    }
    return layer;
  }

  const changed = (i, layer) => makeNetwork(sizes, encoder, layers.map((old, k) => (k === i ? layer : old)));

  return {
    sizes,
    depth: layers.length,

    /** The output, of shape (d_out, n_out, batch). Numbers that overflow are infinite or NaN: see `firstBad`. */
    run: (X, options) => states(X, options, (i) => i === layers.length)[layers.length],

    /** X, then what comes out of each layer. */
    trace: (X, options) => states(X, options, () => true),

    /** For each head of layer i {scores, weights, values}, X being the input of the network; hidden keys weigh 0. */
    attend(i, X, options) {
      const layer = at(i, "attention");
      const { batch = 1 } = options;
      let found = null;
      through(X, options, i, (depth, state, start, source) => {
        if (depth !== i) return;
        const parts = layer.attend(state, source);
        found ??= parts.map(({ m, n, values }) => {
          const blank = (part) => new Float64Array((part.length / state.batch) * batch);
          return { m, n, scores: blank(parts[0].scores), weights: blank(parts[0].weights), values: blank(values) };
        });
        parts.forEach((part, h) => {
          for (const name of ["scores", "weights", "values"]) {
            paste(part[name], part[name].length / state.batch, state.batch, found[h][name], batch, start);
          }
        });
      });
      return found;
    },

    /** Where numbers overflowed: {layer, sequence}, layer -1 for X itself; null if the output is finite. */
    firstBad(X, options) {
      const { batch = 1 } = options;
      const bad = this.run(X, options).findIndex((t) => !Number.isFinite(t));
      if (bad < 0) return null;
      const sequence = bad % batch;
      const one = (Y) => Y && Y.filter((_, i) => i % batch === sequence);
      const path = this.trace(one(X), { ...options, batch: 1, source: one(options.source) });
      return { layer: path.findIndex((state) => !state.every(Number.isFinite)) - 1, sequence };
    },

    /** The network with other weights in layer i: some of those that Layer.weights() names, as arrays of their size. */
    replace(i, weights) {
      const { spec, weights: own, name } = at(i);
      const given = Object.entries(weights).map(([key, values]) => {
        const data = Float64Array.from(values.flat?.(Infinity) ?? values);
        if (!own[key] || data.length !== own[key].data.length || !data.every(Number.isFinite)) {
          const expected = own[key] ? `${own[key].data.length} finite numbers` : `a name out of ${Object.keys(own).join(", ")}`;
          throw new Error(`${name}, ${key}: expected ${expected}, got ${data.length} numbers.`);
        }
        return [key, { shape: own[key].shape, data }];
      });
      return changed(i, compile(spec, { ...own, ...Object.fromEntries(given) }, name));
    },

    /** The network whose attention layer i has its scores times `factor`. */
    scaled(i, factor) {
      const { spec, weights, name } = at(i, "attention");
      if (!Number.isFinite(factor)) throw new Error(`${name}: expected a finite factor, got ${factor}.`);
      return changed(i, compile({ ...spec, factor: (spec.factor ?? 1) * factor }, weights, name));
    },
  };
}
