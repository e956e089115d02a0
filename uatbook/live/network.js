// A network of the library in double precision, for pictures that compute in the page: the same maps as FLOAT64 in Python.
// `readNetwork` takes what Python's `lowered(model)` gives. No dependency, no DOM; no layer or kernel that no picture shows.
//
// Sums go from the first term to the last, as FLOAT64's do for small matrices, and biases and X are added after that: where
// steep ReLUs cancel, another order gives another answer.
//
// A batch of sequences of n tokens with d entries is a Float64Array of shape (d, n, batch), the batch running fastest, so
// that every inner loop runs along the batch. Long batches go through the layers in chunks, which stay in the cache.

/**
 * @typedef {{shape: number[], data: Float64Array}} Weight
 * @typedef {{places: number[], factors: number[]}} Row  entries of a row of a matrix that are not 0
 * @typedef {{X: Float64Array, d: number, n: number, batch: number, asked?: number[]}} State  a chunk on its way; the tokens
 *     that anybody will read of what comes out, if not all
 * @typedef {{n?: number, batch?: number}} Options  tokens, sequences
 * @typedef {{d?: number, n?: number, reads?: number[], forward: (state: State, out: Float64Array) => void}} Layer  d and n are
 *     those of the output; undefined: those of the input. It reads these tokens; undefined: all
 */

const readNetwork = (() => {
  const CHUNK = 2048; // numbers of a row that are in use at once

  // --- memory: one array for each use, for all networks. It holds what the last one left there.

  const kept = {};

  function room(use, length) {
    if (!(kept[use]?.length >= length)) kept[use] = new Float64Array(length);
    return kept[use];
  }

  const zeros = (use, length) => room(use, length).fill(0, 0, length);

  /** `width` sequences of a batch, from `start` on. */
  function cut(X, rows, batch, start, width, into) {
    for (let row = 0; row < rows; row += 1) {
      const from = row * batch + start;
      into.set(X.subarray(from, from + width), row * width);
    }
    return into;
  }

  /** And back into their place. */
  function paste(X, rows, width, into, batch, start) {
    for (let row = 0; row < rows; row += 1) into.set(X.subarray(row * width, (row + 1) * width), row * batch + start);
  }

  // --- sums of rows, from the first entry to the last

  /** @returns {Row[]} A factor 0 is left out, and with it what it multiplies, be that infinite. */
  function rowsOf({ shape: [rows, columns], data }) {
    const all = [...Array(columns).keys()];
    return Array.from({ length: rows }, (_, r) => {
      const places = all.filter((k) => data[r * columns + k] !== 0);
      return { places, factors: places.map((k) => data[r * columns + k]) };
    });
  }

  /** @returns {Row[]} */
  function columnsOf({ shape: [rows, columns], data }) {
    return rowsOf({ shape: [columns, rows], data: data.map((_, i) => data[(i % rows) * columns + Math.floor(i / rows)]) });
  }

  /** out[at ...] += w X[from ...] */
  function addMultiple(w, X, from, length, out, at) {
    for (let c = 0; c < length; c += 1) out[at + c] += w * X[from + c];
  }

  function addBias(bias, length, out) {
    bias?.forEach((b, r) => {
      for (let c = r * length; c < (r + 1) * length; c += 1) out[c] += b;
    });
  }

  /** out[at ...] = sum_k factors[k] X[row places[k]] + b */
  function combine({ places, factors }, b, X, length, out, at) {
    const count = places.length;
    if (!count) {
      out.fill(b, at, at + length);
      return;
    }
    const [w, x, last] = [factors[0], places[0] * length, count === 1 ? b : 0];
    for (let c = 0; c < length; c += 1) out[at + c] = w * X[x + c] + last;
    for (let k = 1; k < count; k += 1) addMultiple(factors[k], X, places[k] * length, length, out, at);
    if (b && count > 1) for (let c = 0; c < length; c += 1) out[at + c] += b;
  }

  /** W X + b */
  function affine(rows, bias, X, length, out) {
    rows.forEach((row, r) => combine(row, bias ? bias[r] : 0, X, length, out, r * length));
    return out;
  }

  /** X E: token i becomes the sum of the tokens, times the entries of column i of E. */
  function mixTokens(columns, { X, d, n, batch }, use) {
    const out = room(use, d * columns.length * batch);
    columns.forEach(({ places, factors }, i) => {
      for (let r = 0; r < d; r += 1) {
        const tokens = { places: places.map((t) => r * n + t), factors };
        combine(tokens, 0, X, batch, out, (r * columns.length + i) * batch);
      }
    });
    return out;
  }

  // --- feed-forward: X + W_2 phi(W_1 X + b_1) + b_2

  const PIECE = ["breakpoints", "slopes", "intercepts"];

  /** In place; NaN stays NaN. */
  function relu(hidden, length) {
    for (let c = 0; c < length; c += 1) if (hidden[c] <= 0) hidden[c] = 0;
  }

  /** phi(t) = slopes[k] t + intercepts[k], where k counts the breakpoints that are <= t. */
  function threePiece([[c1, c2], slopes, intercepts], hidden, length) {
    for (let c = 0; c < length; c += 1) {
      const k = (hidden[c] >= c1) + (hidden[c] >= c2);
      hidden[c] = slopes[k] * hidden[c] + intercepts[k];
    }
  }

  /** out[at ...] += v ReLU(w X[from ...] + b), in one loop: the networks of the proofs are full of such units. */
  function addUnit(w, X, from, b, v, length, out, at) {
    for (let c = 0; c < length; c += 1) {
      const t = w * X[from + c] + b;
      if (!(t <= 0)) out[at + c] += v * t;
    }
  }

  /** @returns {Layer} */
  function compileFeedForward({ activation, skip }, weights) {
    const inputs = rowsOf(weights.w_1);
    const outputs = columnsOf(weights.w_2); // of each hidden unit
    const d = weights.w_2.shape[0];
    const pieces = activation === "three-piece" && PIECE.map((name) => weights[name].data);

    function forward({ X, n, batch }, out) {
      const length = n * batch;
      const change = zeros("change", d * length);
      const hidden = room("hidden", length);
      inputs.forEach((input, unit) => {
        const { places, factors } = outputs[unit];
        const b = weights.b_1 ? weights.b_1.data[unit] : 0;
        if (!pieces && input.places.length === 1 && places.length === 1) {
          addUnit(input.factors[0], X, input.places[0] * length, b, factors[0], length, change, places[0] * length);
          return;
        }
        combine(input, b, X, length, hidden, 0);
        if (pieces) threePiece(pieces, hidden, length);
        else relu(hidden, length);
        places.forEach((r, k) => addMultiple(factors[k], hidden, 0, length, change, r * length));
      });
      addBias(weights.b_2?.data, length, change);
      if (skip) for (let c = 0; c < d * length; c += 1) out[c] = X[c] + change[c];
      else out.set(change.subarray(0, d * length));
    }
    return { d, forward };
  }

  // --- attention: X + sum_h W_O (W_V Z + b_V) sigma[scores] + b_O

  function dotProducts({ keys, queries, size, n, batch }, i, j, out, at) {
    out.fill(0, at, at + batch);
    for (let r = 0; r < size; r += 1) {
      const [key, query] = [(r * n + i) * batch, (r * n + j) * batch];
      for (let c = 0; c < batch; c += 1) out[at + c] += keys[key + c] * queries[query + c];
    }
  }

  /** For each kernel log k(key i, query j), of the whole batch. */
  const SCORES = {
    dot: dotProducts,
    constant: ({ batch }, i, j, out, at) => out.fill(0, at, at + batch),
  };

  function dot(x, y) {
    let sum = 0;
    for (let r = 0; r < x.length; r += 1) sum += x[r] * y[r];
    return sum;
  }

  /** log k of one query x and one key y. */
  const PAIRS = {
    rbf: (x, y, { gamma }) => -gamma * Math.max(0, -(2 * dot(x, y) - dot(y, y) - dot(x, x))),
    cosh(x, y) {
      const t = Math.abs(dot(x, y));
      return t + Math.log(1 + Math.exp(-2 * t)) - Math.LN2;
    },
    polynomial: (x, y, { power, offset }) => Math.log((1 + dot(x, y)) ** power + offset),
  };

  for (const [kind, log] of Object.entries(PAIRS)) {
    SCORES[kind] = ({ keys, queries, size, n, batch, kernel }, i, j, out, at) => {
      const x = Array(size).fill(0), y = Array(size).fill(0); // of one sequence after the other: a new array each would be slow
      for (let c = 0; c < batch; c += 1) {
        for (let r = 0; r < size; r += 1) [x[r], y[r]] = [queries[(r * n + j) * batch + c], keys[(r * n + i) * batch + c]];
        out[at + c] = log(x, y, kernel);
      }
    };
  }

  /** The largest of the scores of a query; NaN if one is NaN. */
  function largest(column, count, batch) {
    const top = cut(column, 1, batch, 0, batch, room("top", batch));
    for (let i = 1; i < count; i += 1) {
      for (let c = 0; c < batch; c += 1) top[c] = Math.max(top[c], column[i * batch + c]);
    }
    return top;
  }

  function sumOf(column, count, batch) {
    const sum = zeros("sum", batch);
    for (let i = 0; i < count; i += 1) addMultiple(1, column, i * batch, batch, sum, 0);
    return sum;
  }

  /** e^t, without the call where it is 1 or less than any number. */
  const power = (t) => (t === 0 ? 1 : t < -746 ? 0 : Math.exp(t));

  function powers(column, count, batch, top) {
    for (let i = 0; i < count; i += 1) {
      for (let c = 0; c < batch; c += 1) column[i * batch + c] = power(column[i * batch + c] - top[c]);
    }
  }

  /** Scores of a query become weights, in place. What is returned is still to be done, to the sum of the values. */
  const WEIGHTS = {
    softmax(column, count, batch, top) {
      powers(column, count, batch, top);
      const sum = sumOf(column, count, batch);
      for (let i = 0; i < count; i += 1) for (let c = 0; c < batch; c += 1) column[i * batch + c] /= sum[c];
      return (t) => t;
    },
    /** 1 for the largest; k that tie are divided by k after summing. Infinities differ by NaN: they choose nothing. */
    hardmax(column, count, batch, top) {
      for (let i = 0; i < count; i += 1) {
        for (let c = 0; c < batch; c += 1) column[i * batch + c] = column[i * batch + c] - top[c] === 0 ? 1 : 0;
      }
      const ties = sumOf(column, count, batch);
      return (t, c) => t / ties[c];
    },
  };

  function compileHead(weights, place) {
    const head = {};
    for (const name of ["w_q", "w_k", "w_v", "w_o"]) head[name] = rowsOf(weights[`${place}.${name}`]);
    for (const name of ["b_q", "b_k", "b_v"]) head[name] = weights[`${place}.${name}`]?.data;
    return head;
  }

  /** @returns {Layer} with `attend` */
  function compileAttention({ normalization, kernel, heard, skip, factor = 1 }, weights) {
    const count = Object.keys(weights).filter((name) => name.endsWith(".w_q")).length;
    const heads = Array.from({ length: count }, (_, h) => compileHead(weights, `head${h}`));
    const d = weights["head0.w_o"].shape[0];
    // All keys tie under the constant kernel: softmax is hardmax.
    const rule = WEIGHTS[kernel.kind === "constant" && normalization === "softmax" ? "hardmax" : normalization];

    /** Keys, queries and values of a head; for each query the keys that it hears. */
    function hearing({ w_q, w_k, w_v, b_q, b_k, b_v }, { X, n, batch }) {
      const keys = affine(w_k, b_k, X, n * batch, room("keys", w_k.length * n * batch));
      const values = affine(w_v, b_v, X, n * batch, room("values", w_v.length * n * batch));
      const queries = affine(w_q, b_q, X, n * batch, room("queries", w_q.length * n * batch));
      const parts = { keys, queries, values, size: w_q.length, v: w_v.length, n, batch, kernel };
      parts.heard = heard ?? Array(n).fill([...Array(n).keys()]);
      return parts;
    }

    function score(parts, i, j, out, at) {
      SCORES[kernel.kind](parts, i, j, out, at);
      if (factor !== 1) for (let c = at; c < at + parts.batch; c += 1) out[c] *= factor;
    }

    /** The weights of query j, for the keys that it hears; what is still to be done to the sum of the values. */
    function weigh(parts, j, column) {
      const { heard: lists, batch } = parts;
      lists[j].forEach((i, k) => score(parts, i, j, column, k * batch));
      return rule(column, lists[j].length, batch, largest(column, lists[j].length, batch));
    }

    /** What query j hears: values times weights. */
    function hear(parts, j, out) {
      const { values, heard: lists, v, n, batch } = parts;
      const column = room("column", lists[j].length * batch);
      const complete = weigh(parts, j, column);
      for (let r = 0; r < v; r += 1) {
        const at = (r * n + j) * batch;
        out.fill(0, at, at + batch);
        lists[j].forEach((i, k) => {
          const [value, weight] = [(r * n + i) * batch, k * batch];
          for (let c = 0; c < batch; c += 1) out[at + c] += values[value + c] * column[weight + c];
        });
        if (rule !== WEIGHTS.softmax) for (let c = 0; c < batch; c += 1) out[at + c] = complete(out[at + c], c);
      }
    }

    function forward(state, out) {
      const { X, n, batch } = state;
      const length = n * batch;
      if (skip) out.set(X.subarray(0, d * length));
      else out.fill(0, 0, d * length);
      for (const head of heads) {
        const parts = hearing(head, state);
        const sums = room("sums", parts.v * length);
        for (const j of state.asked ?? Array(n).keys()) hear(parts, j, sums);
        const change = affine(head.w_o, null, sums, length, room("change", d * length));
        addMultiple(1, change, 0, d * length, out, 0);
      }
      addBias(weights.b_o?.data, length, out);
    }

    /** What a picture of attention shows, for each head. */
    function attend(state) {
      const { n, batch } = state;
      return heads.map((head) => {
        const parts = hearing(head, state);
        const [scores, shown] = [0, 0].map(() => new Float64Array(n * n * batch));
        for (let j = 0; j < n; j += 1) {
          for (let i = 0; i < n; i += 1) score(parts, i, j, scores, (i * n + j) * batch);
          const column = room("column", n * batch);
          const complete = weigh(parts, j, column);
          parts.heard[j].forEach((i, k) => {
            for (let c = 0; c < batch; c += 1) shown[(i * n + j) * batch + c] = complete(column[k * batch + c], c);
          });
        }
        return { scores, weights: shown, values: parts.values.slice(0, parts.v * n * batch) };
      });
    }
    return { d, forward, attend };
  }

  // --- linear layers

  /** sum_i P_i X Q_i + R. @returns {Layer} */
  function compileLinearSum({ count }, weights) {
    const matrix = (name, read) => weights[name] && read(weights[name]);
    const terms = Array.from({ length: count }, (_, i) => [matrix(`term${i}.p`, rowsOf), matrix(`term${i}.q`, columnsOf)]);
    const [d, tokens] = terms[0].map((part) => part?.length);

    function forward(state, out) {
      const { n, batch } = state;
      const rows = d ?? state.d;
      const size = rows * (tokens ?? n) * batch;
      out.fill(0, 0, size);
      for (const [p, q] of terms) {
        const X = p ? affine(p, null, state.X, n * batch, room("change", rows * n * batch)) : state.X;
        addMultiple(1, q ? mixTokens(q, { X, d: rows, n, batch }, "projected") : X, 0, size, out, 0);
      }
      addBias(weights.b_r?.data, batch, out);
    }
    const reads = terms.every(([, q]) => q) ? [...new Set(terms.flatMap(([, q]) => q.flatMap(({ places }) => places)))] : undefined;
    return { d, n: tokens, reads, forward };
  }

  const LAYERS = {
    attention: compileAttention,
    "feed-forward": compileFeedForward,
    "linear-sum": compileLinearSum,
  };

  // --- the network

  /** @returns {Weight} of little-endian numbers in base64 */
  function unpack({ shape, data }) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return { shape, data: Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true)) };
  }

  /** A layer with its loops. */
  function compile(spec, weights, name) {
    const { kind, normalization, kernel, activation } = spec;
    const unknown = [
      [LAYERS, kind],
      [SCORES, kernel?.kind ?? "dot"],
      [WEIGHTS, normalization ?? "softmax"],
      [{ relu, "three-piece": threePiece }, activation ?? "relu"],
    ].find(([table, word]) => !Object.hasOwn(table, word));
    if (unknown) throw new Error(`${name} (${kind}): expected ${Object.keys(unknown[0]).join(", ")}, got ${unknown[1]}.`);
    return { spec, weights, name: `${name} (${kind})`, ...LAYERS[kind](spec, weights) };
  }

  function* readLayers(specs) {
    const layers = [];
    for (const [i, spec] of specs.entries()) {
      const weights = Object.entries(spec.weights ?? {}).map(([key, packed]) => [key, unpack(packed)]);
      layers.push(compile(spec, Object.fromEntries(weights), `layer ${i}`));
      yield;
    }
    return layers;
  }

  /** Entries of a token of X; an error unless X has shape (d, n, batch). */
  function entriesOf(X, d, tokens, n, batch) {
    const rows = d ?? X.length / (n * batch);
    const whole = [rows, n, batch].every((size) => Number.isInteger(size) && size > 0);
    if (!whole || n !== (tokens ?? n) || X.length !== rows * n * batch) {
      throw new Error(
        `X: expected shape (${d ?? "d"}, ${tokens ?? "n"}, batch), got ${X.length} numbers for n = ${n}, batch = ${batch}.`,
      );
    }
    return rows;
  }

  function makeNetwork(sizes, layers) {
    /** X through the first layers, chunk after chunk: `visit(k, state, start)` after k of them, in memory of the next; where
     * only the `end` is of interest, a state may lack what the next layer does not read. */
    function through(X, options, depth, visit, end = false) {
      const { n = sizes.n_in, batch = 1 } = options;
      const d = entriesOf(X, sizes.d_in, sizes.n_in, n, batch);
      const most = Math.max(16, Math.floor(CHUNK / n));
      for (let start = 0; start < batch; start += most) {
        const width = Math.min(most, batch - start);
        let state = { X: cut(X, d * n, batch, start, width, room("input", d * n * width)), d, n, batch: width };
        visit(0, state, start);
        layers.slice(0, depth).forEach((layer, k) => {
          const after = { d: layer.d ?? state.d, n: layer.n ?? state.n, batch: width };
          after.X = room(`state ${k % 2}`, after.d * after.n * width);
          layer.forward({ ...state, asked: end && k + 1 < depth ? layers[k + 1].reads : undefined }, after.X);
          state = after;
          visit(k + 1, state, start);
        });
      }
    }

    /** The states after as many layers as `wanted` says. */
    function states(X, options, wanted, end) {
      const found = [];
      const { batch = 1 } = options;
      through(X, options, layers.length, (k, state, start) => {
        if (!wanted(k)) return;
        const rows = state.d * state.n;
        found[k] ??= new Float64Array(rows * batch);
        paste(state.X, rows, state.batch, found[k], batch, start);
      }, end);
      return found;
    }

    /** Layer i; an error if there is none of this kind. */
    function layerAt(i, kind) {
      const found = layers[i];
      if (found && (kind ?? found.spec.kind) === found.spec.kind) return found;
      throw new Error(`layer ${i}: expected ${kind ?? "a layer"}, got ${found?.spec.kind ?? `one of ${layers.length}`}.`);
    }

    function changed(i, spec, weights) {
      const layer = compile(spec, weights, `layer ${i}`);
      return makeNetwork(sizes, layers.map((old, k) => (k === i ? layer : old)));
    }

    return {
      sizes,
      depth: layers.length,

      /** The output, of shape (d_out, n_out, batch). Where numbers overflow it is infinite or NaN. */
      run: (X, options = {}) => states(X, options, (k) => k === layers.length, true)[layers.length],

      /** X, then what each layer gives. */
      trace: (X, options = {}) => states(X, options, () => true),

      /**
       * For each head of layer i what it makes of X, the input of the network: scores and weights of shape (n, n, batch),
       * keys by queries, and values of shape (v, n, batch). A hidden key has a score, and the weight 0.
       */
      attend(i, X, options = {}) {
        const layer = layerAt(i, "attention");
        const { batch = 1 } = options;
        let heads = null;
        through(X, options, i, (k, state, start) => {
          if (k < i) return;
          const parts = layer.attend(state);
          heads ??= parts.map((part) => ({ ...part }));
          for (const name of ["scores", "weights", "values"]) {
            parts.forEach((part, h) => {
              const rows = part[name].length / state.batch;
              if (!start) heads[h][name] = new Float64Array(rows * batch);
              paste(part[name], rows, state.batch, heads[h][name], batch, start);
            });
          }
        });
        return heads;
      },

      /** This network with other weights in layer i: some of those that Python's Layer.weights() names, of their sizes. */
      replace(i, weights) {
        const { spec, weights: own, name } = layerAt(i);
        const given = Object.entries(weights).map(([key, values]) => {
          const data = Float64Array.from(values.flat?.(Infinity) ?? values);
          const size = own[key]?.data.length;
          if (data.length === size && data.every(Number.isFinite)) return [key, { shape: own[key].shape, data }];
          const expected = size ? `${size} finite numbers` : `a name out of ${Object.keys(own).join(", ")}`;
          throw new Error(`${name}, ${key}: expected ${expected}, got ${data.length} numbers.`);
        });
        return changed(i, spec, { ...own, ...Object.fromEntries(given) });
      },

      /** This network with the scores of attention layer i times `factor`. */
      scaled(i, factor) {
        const { spec, weights, name } = layerAt(i, "attention");
        if (!Number.isFinite(factor)) throw new Error(`${name}: expected a finite factor, got ${factor}.`);
        return changed(i, { ...spec, factor: (spec.factor ?? 1) * factor }, weights);
      },
    };
  }

  /** The network of what Python's `lowered(model)` gives, layer by layer; an error that names the layer that cannot run here. */
  function* reading({ format, version, sizes, layers }) {
    if (format !== "uatlib.network" || version !== 1) {
      throw new Error(`readNetwork: expected a uatlib.network of version 1, got ${format} of version ${version}.`);
    }
    return makeNetwork(sizes, yield* readLayers(layers));
  }

  return Object.assign((spec) => atOnce(reading(spec)), { steps: reading });
})();

/** Work that comes in steps, done at once. */
function atOnce(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
