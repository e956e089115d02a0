// Judges of exercises that have more than one right answer: the twins of those in Python, with the same lines,
// [name, holds, witness]. They get the parsed values, a field each, the parameters of the exercise as plain data, the right
// answer, as parsed, and what its `page` adds. What the right answer tells is not worked out again.

const ints = (values) => values.map((value) => Number(value.n));
const key = (list) => list.map(String).sort().join();
const ascending = (list) => [...list].sort((a, b) => a - b);

function combinations(items, size) {
  if (!size) return [[]];
  return items.flatMap((item, k) => combinations(items.slice(k + 1), size - 1).map((rest) => [item, ...rest]));
}
function multisets(items, size) {
  if (!size) return [[]];
  return items.flatMap((item, k) => multisets(items.slice(k), size - 1).map((rest) => [item, ...rest]));
}
function permutations(items) {
  if (items.length < 2) return [items];
  return items.flatMap((item, k) => permutations([...items.slice(0, k), ...items.slice(k + 1)]).map((rest) => [item, ...rest]));
}
const range = (from, to) => Array.from({ length: to - from }, (_, k) => from + k);
const product = (a, b) => a.flatMap((x) => b.map((y) => [x, y]));
const shownInts = (list) => list.map(whole);

const LATTICE = product([1, 2, 3], [1, 2, 3]);

const JUDGES = {
  "ex-start-break"([first, second, token], { case: [N, least] }) {
    const contexts = [ints(first), ints(second)].map((c) => new Set(c)), called = Number(token.n);
    const fits = (c) => c.size === 3 && [...c].every((t) => t >= least && t < N) && c.has(called);
    const proper = key([...contexts[0]]) !== key([...contexts[1]]) && contexts.every(fits);
    const swept = (context) => {
      const numbers = new Map(ascending([...context]).map((t) => [t, t]));
      for (const t of [...numbers.keys()]) numbers.set(t, numbers.get(t) + N * (Math.max(...numbers.values()) - Math.min(...numbers.values())));
      return numbers.get(called);
    };
    const [one, other] = contexts.map((c) => (proper ? swept(c) : -1));
    return [
      ["contexts", proper, {}],
      ["same number", proper && one === other, proper ? { token, one: whole(one), other: whole(other) } : {}],
    ];
  },

  "ex-context-order"([property, sequence, numbers], { N }, [fails]) {
    const [first, last] = ints(sequence), proper = first >= 0 && first < last && last < N;
    const high = last + N * (last - first), low = first + N * (high - first);
    const right = proper ? [low, high].map((z) => z + N ** 3 * Math.max(low, high)) : [];
    const beyond = right.some((z) => z < N ** 4 * (N - 1) || z > N ** 5 * (N - 1));
    return [
      ["property", property === fails, { given: property }],
      ["sequence", beyond, { given: sequence }],
      ["ids", String(ints(numbers)) === String(right), { given: numbers }],
    ];
  },

  "ex-context-gap"([context, gap], { case: [N, n] }, [, least]) {
    const tokens = ints(context), proper = tokens.length === n && new Set(tokens).size === n && Math.max(...tokens) < N;
    const landed = [];
    for (const t of proper ? ascending(tokens) : []) landed.push(t + N * ((landed.at(-1) ?? Math.max(...tokens)) - t));
    const row = ascending(landed), apart = proper ? Math.min(...row.slice(1).map((id, k) => id - row[k])) : undefined;
    return [
      ["context", proper, {}],
      ["closest", apart === Number(least.n), proper ? { context, apart: whole(apart) } : {}],
      ["gap", same(gap, least), { given: gap }],
    ];
  },

  "ex-value-order"([first, second], { case: [, , ...given] }) {
    const ids = given.map(revived), answers = [first, second];
    const looked = (order) => order.reduce((Z, entry) => Z.map((z) => (same(z, ids[entry]) ? answers[entry] : z)), ids);
    const fails = (order) => !looked(order).every((z, k) => same(z, answers[k]));
    return [["smaller first", fails([0, 1]), {}], ["larger first", fails([1, 0]), {}]];
  },

  "ex-softmax-swap"([first, last, alike], { case: [N, a, b] }, [from, to, isAlike]) {
    const heard = (s, z, Z, t) => {
      const scores = Z.map((k) => s * k * (z - t)), top = Math.max(...scores), weights = scores.map((x) => Math.exp(x - top));
      return weights.reduce((m, w, k) => m + w * Z[k], 0) / weights.reduce((m, w) => m + w, 0);
    };
    const ids = (s) => {
      let Z = [a / N, b / N];
      for (let level = 0; level < N; level++) Z = Z.map((z) => z + N * (heard(s, z, Z, (level - 0.5) / N) - heard(s, z, Z, (level + 0.5) / N)));
      return Z.map((z) => z + N ** 3 * heard(s, z, Z, 0));
    };
    const end = (name, given, step, right) => {
      const at = Math.min(Math.max(Number(given.n), 0), 500), side = step < 0 ? "below" : "above";
      const [[low, high], [low_, high_]] = [ids(at), ids(at + step)];
      return [name, same(given, right), { given, low, high, [`low_${side}`]: low_, [`high_${side}`]: high_ }];
    };
    return [end("from", first, -1, from), end("to", last, 1, to), ["the same id", alike === isAlike, { given: alike }]];
  },

  "ex-softmax-hat"([kinks, factors], { hat: [start, end, top] }) {
    const middle = fraction(BigInt(start + end), 2n), rise = fraction(BigInt(2 * top), BigInt(end - start)), zero = whole(0);
    const quarters = range(4 * start - 40, 4 * end + 41).map((k) => fraction(BigInt(k), 4n)), parts = { before: [], "on it": [], behind: [] };
    for (const t of distinct([...quarters, ...kinks])) {
      const value = sum(kinks.map((k, i) => times(factors[i], largest([minus(t, k), zero])))), off = minus(t, middle);
      const wanted = largest([zero, minus(whole(top), times(rise, { n: abs(off.n), d: off.d }))]);
      const where = compare(t, whole(start)) <= 0 ? "before" : compare(t, whole(end)) < 0 ? "on it" : "behind";
      if (!same(value, wanted)) parts[where].push({ t, value, wanted });
    }
    return Object.entries(parts).map(([name, found]) => [name, !found.length, found[0]]);
  },

  "ex-finish-corner"([steps], p, [right], { early }) {
    const k = steps.findIndex((step, i) => !same(step, right[i])), places = right.map((step) => steps.findIndex((other) => same(step, other)));
    const pairs = whole(places.flatMap((place, i) => places.slice(i).filter((other) => place < other)).length);
    return [["order", k < 0, k < 0 ? {} : { pairs, place: whole(k + 1), why: early[Number(steps[k].n) - 1] }]];
  },

  "ex-trained-attention"([[c, t]], p) {
    const leak = revived(p.leak), rest = minus(whole(1), leak), bits = [whole(0), whole(1)];
    const sums = (heard) => product(bits, heard).map(([b, h]) => plus(b, times(c, h)));
    const smallest = (list) => list.reduce((a, b) => (compare(a, b) > 0 ? b : a));
    const [low, high] = [largest(sums([whole(0), leak])), smallest(sums([rest, whole(1)]))];
    return [["zeros", compare(low, t) < 0, { value: low, t }], ["ones", compare(high, t) > 0, { value: high, t }]];
  },

  "ex-theorem-3-close"([[x, y]], p) {
    const step = revived(p.step), fits = [x, y].every((t) => sign(t) >= 0 && compare(t, whole(1)) < 0 && over(t, step).d === 1n);
    const moved = plus(y, step);
    return [["on the grid", fits, { given: [x, y] }], ["equal tokens", same(x, moved), { sum: [x, moved] }]];
  },

  "ex-theorem-3-shift"([levels], { N }, [{ length: fewest }]) {
    const ids = (kept, first) => {
      let Z = [first, N];
      for (const level of kept) Z = Z.map((z) => (z === level ? z + N * (Math.max(...Z) - Math.min(...Z)) : z));
      return Z.map((z) => fraction(BigInt(2 * z + 2 * N ** 4 * (z === 0 ? Z[0] + Z[1] : 2 * Math.max(...Z))), 2n));
    };
    const kept = ascending(ints(levels)), found = new Map(), twice = [];
    for (const first of range(0, N)) {
      for (const id of ids(kept, first)) {
        if (found.has(shown(id))) twice.push({ first: whole(found.get(shown(id))), second: whole(first), id });
        found.set(shown(id), first);
      }
    }
    const idle = kept.filter((level) => level > N);
    return [
      ["different ids", !twice.length, twice[0]],
      ["levels without tokens", kept.length && !idle.length, idle.length ? { level: whole(idle[0]) } : {}],
      ["as few as possible", kept.length <= fewest && !twice.length, kept.length <= fewest ? {} : { given: whole(kept.length) }],
    ];
  },

  "ex-mixers-squares"([[own, first, second]], { N }) {
    const found = new Map();
    let pair;
    for (const L of multisets(range(0, N), 3)) {
      const total = L.reduce((a, t) => a + t, 0), squares = L.reduce((a, t) => a + t * t, 0);
      for (const x of new Set(L)) {
        const id = plus(plus(times(own, whole(x)), times(first, whole(total))), times(second, whole(squares)));
        const [y, K] = found.get(`${id.n}/${id.d}`) ?? [];
        if (!pair && K && (y !== x || K !== L)) pair = { x: whole(x), L: shownInts(L), y: whole(y), K: shownInts(K), number: id };
        found.set(`${id.n}/${id.d}`, [x, L]);
      }
      if (pair) break;
    }
    return [["own token", sign(own) !== 0, {}], ["no two confused", !pair, pair]];
  },

  "ex-mixers-table"([weights], { D }, [right]) {
    const found = new Map(), [first, second] = weights, least = largest(right);
    let pair;
    for (const L of product(range(0, D), range(0, D)).filter(([a, b]) => a !== b)) {
      for (const x of L) {
        const number = plus(whole(x), plus(times(first, whole(L[0])), times(second, whole(L[1])))), text = String(number.n);
        if (!pair && found.has(text)) pair = { x: whole(x), L: shownInts(L), y: whole(found.get(text)[0]), K: shownInts(found.get(text)[1]), number };
        found.set(text, [x, L]);
      }
    }
    const small = compare(largest(weights), least) <= 0;
    return [["all differ", !pair, pair], ["smallest", small && !pair, small ? {} : { given: largest(weights) }]];
  },

  "ex-mixers-base"([base, first, second], { n }, [least]) {
    const total = (tokens, b) => tokens.reduce((m, x) => m + b ** x, 0);
    const below = Number(least.n) - 1, found = same(base, least), [one, other] = [ints(first), ints(second)];
    const proper = one.length === n && other.length === n && key(one) !== key(other);
    const [here, there] = [total(one, below), total(other, below)];
    return [
      ["base", found, { given: base }],
      ["different contexts", proper, {}],
      // The sums would tell the base to whoever has not found it.
      ["equal sums", proper && here === there, proper && found ? { base: whole(below), one: whole(here), other: whole(there) } : {}],
      ["a common token", one.some((x) => other.includes(x)), {}],
    ];
  },

  "ex-boltz-twin"([t], { a }) {
    const boltz = (x) => {
      const weights = x.map((u) => Math.exp(u - Math.max(...x)));
      return weights.reduce((m, w, k) => m + w * x[k], 0) / weights.reduce((m, w) => m + w, 0);
    };
    const close = compare({ n: abs(t.n), d: t.d }, whole(10 ** 6)) < 0;
    const difference = close ? Math.abs(boltz([0, -Math.min(float(t), 500)]) - boltz([0, -a])) : 1;
    const alike = Math.abs(float(t) - a) < 0.1;
    return [["equal", difference < 1e-15 && !alike, alike ? {} : { difference: general(difference, 2) }]];
  },

  "ex-boltz-search"([first, second], { most, beyond }) {
    const sets = [first, second].map((row) => ascending(new Set(ints(row)))), far = revived(beyond);
    const proper = String(sets[0]) !== String(sets[1]) && sets.every((row) => row.length === 3 && row[2] <= most);
    const gap = (s) => sets[0].reduce((all, i) => all + sets[1].reduce((m, j) => m + (i - j) * Math.exp(-s * (i + j)), 0), 0);
    let found;
    for (let k = 400; proper && k > 50 && found === undefined; k--) {
      let [low, high] = [(k - 1) / 100, k / 100];
      if (gap(low) * gap(high) >= 0) continue;
      const rises = gap(low) < 0;
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (gap(middle) < 0 === rises) low = middle;
        else high = middle;
      }
      found = low;
    }
    const meets = found !== undefined;
    return [["two sets", proper, {}], ["meet", meets, {}], ["far out", meets && found > float(far), meets ? { spacing: general(found, 4) } : {}]];
  },

  "ex-hardmax-ids"([ids], { case: sequences, r }) {
    const places = product(range(0, 3), range(0, 2)), id = ([i, k]) => ids[i][k], token = ([i, k]) => sequences[i][k];
    const set = ([i]) => key([...new Set(sequences[i])]), big = ({ n, d }) => compare({ n: abs(n), d }, whole(r)) >= 0;
    const close = (a, b) => { const { n, d } = minus(id(a), id(b)); return compare({ n: abs(n), d }, whole(3)) <= 0; };
    const long = places.find((place) => big(id(place)));
    const near = combinations(places, 2).find(([a, b]) => (set(a) !== set(b) || token(a) !== token(b)) && close(a, b));
    const told = near && { x: whole(token(near[0])), X: shownInts(sequences[near[0][0]]), one: id(near[0]), y: whole(token(near[1])), Y: shownInts(sequences[near[1][0]]), other: id(near[1]) };
    return [["short", !long, long && { id: id(long) }], ["apart", !near, told]];
  },

  "ex-one-layer-separated"([[xs, ys]], { case: [given, low, high, eps] }) {
    const columns = xs.map((x, k) => [x, ys[k]]), everybody = [shownInts(given), ...columns];
    const square = (a, b) => plus(times(minus(a[0], b[0]), minus(a[0], b[0])), times(minus(a[1], b[1]), minus(a[1], b[1])));
    const norm = (a) => square(a, [whole(0), whole(0)]);
    const odd = columns.find((a) => compare(norm(a), whole(low ** 2)) <= 0 || compare(norm(a), whole(high ** 2)) >= 0);
    const near = combinations(everybody, 2).find(([a, b]) => compare(square(a, b), whole(eps ** 2)) <= 0);
    return [["norms", !odd, odd && { token: odd }], ["apart", !near, near && { one: near[0], other: near[1] }]];
  },

  "ex-one-layer-direction"([v], { share }) {
    const [a, b] = v.map((x) => x.n), proper = a !== 0n || b !== 0n, points = [...LATTICE, [0, 0]];
    const shares = combinations(points, 2).map(([[x, y], [u, w]]) => {
      const [i, j] = [BigInt(x - u), BigInt(y - w)], shadow = a * i + b * j;
      return { found: proper ? fraction(shadow * shadow, (i * i + j * j) * (a * a + b * b)) : whole(0), one: shownInts([x, y]), other: shownInts([u, w]) };
    });
    const least = shares.reduce((m, next) => (compare(next.found, m.found) < 0 ? next : m)), [n, d] = [BigInt(share.slice(2)), 10n ** BigInt(share.length - 2)];
    const told = proper ? { one: least.one, other: least.other, left: general(Math.sqrt(float(least.found)), 3) } : {};
    return [["a direction", proper, {}], ["shadows", proper && compare(least.found, fraction(n * n, d * d)) > 0, told]];
  },

  "ex-one-layer-two-vectors"([first, second], { most }) {
    const [keys, zeros] = [[], []], fits = [first, second].every((v) => v.some(sign) && v.every(({ n }) => abs(n) <= BigInt(most)));
    for (const v of [first, second]) {
      const marks = LATTICE.map(([x, y]) => v[0].n * BigInt(x) + v[1].n * BigInt(y));
      keys.push(combinations(range(0, 9), 2).find(([i, j]) => marks[i] === marks[j])?.map((i) => shownInts(LATTICE[i])));
      zeros.push(LATTICE.filter((_, i) => marks[i] === 0n));
    }
    return [
      ["directions", fits, {}],
      ["good for keys", fits && !keys[0], fits && keys[0] ? { v: first, one: keys[0][0], other: keys[0][1] } : {}],
      ["bad for queries", fits && zeros[0].length > 0, fits ? { v: first } : {}],
      ["bad for keys", fits && Boolean(keys[1]), fits ? { v: second } : {}],
      ["good for queries", fits && !zeros[1].length, fits && zeros[1].length ? { v: second, token: shownInts(zeros[1][0]) } : {}],
    ];
  },

  "ex-one-layer-dips"([first, second], { case: [t, most] }) {
    const sets = [first, second].map((row) => new Set(ints(row)));
    const proper = key([...sets[0]]) !== key([...sets[1]]) && sets.every((row) => row.size === 2 && row.has(t) && Math.max(...row) <= most);
    const heard = (row) => over(sum([...row].map((x) => whole(x * 2 ** x))), sum([...row].map((x) => whole(2 ** x))));
    const [one, other] = sets.map((row) => (proper ? heard(row) : whole(0)));
    return [["contexts", proper, {}], ["the same", proper && same(one, other), proper ? { A: first, B: second, one, other } : {}]];
  },

  "ex-rank-one-two"([first, second, token], { case: ends }) {
    const sets = [first, second].map((row) => new Set(row.map(({ n }) => n))), [low, high] = ends.map(BigInt);
    const fits = (row) => row.size === 3 && [...row].every((s) => s >= low && s <= high);
    const proper = key([...sets[0]]) !== key([...sets[1]]) && sets.every(fits), shared = sets.every((row) => row.has(token.n));
    const [one, other] = [first, second].map((row) => over(sum(row), whole(row.length)));
    return [["contexts", proper, {}], ["shared", shared, { token }], ["sentence", proper && same(one, other), proper ? { one, other } : {}]];
  },

  "ex-masks-repeats"([first, second], { case: [n, m] }) {
    const fits = first.length === n && second.length === m, kinds = distinct([...first, ...second]);
    const share = (row, t) => fraction(BigInt(row.filter((x) => same(x, t)).length), BigInt(row.length || 1));
    const odd = kinds.find((t) => !same(share(first, t), share(second, t)));
    return [
      ["lengths", fits, { one: whole(first.length), other: whole(second.length) }],
      ["not all equal", kinds.length > 1, {}],
      ["alike", !odd && fits, odd ? { token: odd, one: share(first, odd), other: share(second, odd) } : {}],
    ];
  },

  "ex-partition-triangle"([slopes, offsets], { corner }) {
    // Points around it, and one close to each side.
    const inside = [], outside = [], quarter = (i) => fraction(BigInt(i), 4n), half = quarter(2), near = fraction(1n, 10n ** 6n);
    const around = product(range(-4, 9), range(-4, 9)).map(([i, j]) => [quarter(i), quarter(j)]);
    const sides = (near) => [[half, minus(whole(0), near)], [minus(whole(0), near), half], [plus(half, near), half]];
    for (const [u, v] of [...around, ...sides(near), ...sides(fraction(1n, 10n ** 2000n))]) {
      const point = [plus(u, whole(corner[0])), plus(v, whole(corner[1]))];
      const values = slopes.map((a, k) => plus(plus(times(a[0], point[0]), times(a[1], point[1])), offsets[k]));
      const top = largest(values), within = sign(u) >= 0 && sign(v) >= 0 && compare(plus(u, v), whole(1)) <= 0;
      if (within && sign(top) > 0) inside.push({ point, component: whole(values.findIndex((value) => same(value, top)) + 2), value: top });
      else if (!within && sign(top) <= 0) outside.push({ point: u.d > 10n ** 9n || v.d > 10n ** 9n ? "A point close to the middle of a side" : point });
    }
    return [["inside", !inside.length, inside[0]], ["outside", !outside.length, outside[0]]];
  },

  "ex-cross-rank"([values, products], { case: [, first] }, [, enough]) {
    let left = values.map((row) => [...row]), rank = 0;
    for (const column of range(0, 4)) {
      const pivot = left.find((row) => sign(row[column]));
      if (!pivot) continue;
      rank += 1;
      left = left.filter((row) => row !== pivot).map((row) => row.map((x, k) => minus(x, times(over(row[column], pivot[column]), pivot[k]))));
    }
    const alike = (a, b) => a.every((x, k) => same(x, b[k]));
    const constant = values.every((row) => alike(row, values[0])) || values.every((row) => row.every((x) => same(x, row[0])));
    return [
      ["one product", rank === 1, { rank: whole(rank) }],
      ["not constant", !constant && (first === null || same(values[0][0], whole(first))), {}],
      ["how near", same(products, enough), { given: products }],
    ];
  },

  "ex-experiments-extra"([slopes, offsets, values], p) {
    const [kink, step] = p.case.map(revived), found = [];
    for (const [i, j] of [[1, 0], [2, 0], [2, 1]]) {
      if (same(slopes[i], slopes[j])) continue;
      const x = over(minus(offsets[j], offsets[i]), minus(slopes[i], slopes[j]));
      const lines = slopes.map((a, k) => plus(times(a, x), offsets[k]));
      if (compare(x, whole(-1)) >= 0 && compare(x, whole(1)) <= 0 && same(lines[i], largest(lines))) found.push(x);
    }
    const turns = distinct(found), tiny = fraction(1n, 10n ** 6n);
    const near = (x, y) => { const gap = minus(x, y); return compare({ n: abs(gap.n), d: gap.d }, tiny) < 0; };
    let total = 0;
    for (const k of range(0, 400)) {
      const x = -1 + (2 * (k + 0.5)) / 400, scores = slopes.map((a, i) => float(a) * x + float(offsets[i])), top = Math.max(...scores);
      const weights = scores.map((s) => Math.exp(s - top)), all = weights.reduce((m, w) => m + w, 0);
      total += (weights.reduce((m, w, i) => m + w * float(values[i]), 0) / all - (x >= float(step) ? 1 : 0)) ** 2;
    }
    return [
      ["kinks", turns.length === 2 && near(turns[0], kink) && near(turns[1], step), { kinks: turns.length ? turns : "no place" }],
      ["follows", total / 400 < 1e-3, { error: total / 400 }],
    ];
  },

  "ex-indicator-twins"([slopes, offsets], { x }) {
    const rows = [-1, 0, 1].map((by) => slopes.map((a, k) => plus(times(a, whole(x + by)), offsets[k])));
    const cells = rows.map((row) => row.findIndex((y) => same(y, largest(row))) + 1), one = new Set(cells).size === 1;
    const [top, second] = [...rows[1]].sort(compare).reverse(), margin = minus(top, second);
    const another = slopes.some((a) => !same(a, slopes[0]));
    return [["one cell", one, one ? {} : { cells: shownInts(cells) }], ["another cell", another, {}], ["never found", !sign(margin) && another, sign(margin) ? { first: whole(cells[1]), margin } : {}]];
  },

  "ex-partition-xor"([slopes, offsets, values], { side }) {
    const corners = [[0, 0], [1, 1], [0, 1], [1, 0]].map((corner) => corner.map((u) => whole(side * u)));
    const rows = corners.map(([u, v]) => slopes.map((a, k) => plus(plus(times(a[0], u), times(a[1], v)), offsets[k])));
    const tops = rows.map((row) => row.flatMap((y, k) => (same(y, largest(row)) ? [k] : []))), tied = tops.findIndex((who) => who.length > 1);
    const got = tops.map((who) => values[who[0]]), split = [[0, 1], [2, 3]].find(([a, b]) => !same(got[a], got[b]));
    const alike = !split && same(got[0], got[2]);
    return [
      ["no ties", tied < 0, tied < 0 ? {} : { corner: corners[tied], one: whole(tops[tied][0] + 1), other: whole(tops[tied][1] + 1) }],
      ["opposite", !split && tied < 0, split ? { one: corners[split[0]], other: corners[split[1]], given: [got[split[0]], got[split[1]]] } : {}],
      ["neighbours", !alike && !split && tied < 0, alike ? { given: got[0] } : {}],
    ];
  },

  "ex-cross-sum"([first, second, constant], { case: [height] }) {
    const size = ({ n, d }) => ({ n: abs(n), d }), inside = [...first, ...second].every((x) => compare(size(x), whole(1)) <= 0);
    const sums = [first, second].map(sum), f = ([k, q]) => times(whole(height), minus(whole(1), over(size(minus(q, k)), whole(2))));
    const [one, other] = [f(first), f(second)], gap = size(minus(one, other)), alike = same(...sums);
    return [
      ["in the square", inside, {}],
      ["one answer", alike, { one: sums[0], other: sums[1] }],
      ["far apart", inside && alike && same(gap, whole(height)), { one, other, half: over(gap, whole(2)) }],
      ["constant", same(times(whole(2), constant), whole(height)), { given: constant }],
    ];
  },

  "ex-condition-spread"([tokens], { least }, [right]) {
    const kept = distinct(tokens), proper = kept.length === 5 && compare(kept[0], whole(least)) >= 0;
    const sums = new Map();
    let twice = proper ? undefined : {};
    for (const three of combinations(kept, 3)) {
      const total = String(sum(three).n);
      if (sums.has(total)) twice ??= { one: sums.get(total), other: three };
      else sums.set(total, three);
    }
    const small = compare(kept.at(-1), largest(right)) <= 0;
    return [
      ["five tokens", proper, {}],
      ["sums differ", !twice, twice],
      ["smallest", !twice && small, small ? {} : { largest: kept.at(-1) }],
    ];
  },

  "ex-condition-fool"([X, Y], { p }) {
    const both = (of) => [of(X), of(Y)], agree = ([one, other]) => shown(one) === shown(other), size = (t) => fraction(abs(t.n));
    const fits = (row) => distinct(row).length === 6 && row.some((t) => same(t, whole(p))) && compare(largest(row.map(size)), whole(9)) <= 0;
    const proper = fits(X) && fits(Y), shared = distinct(X).filter((t) => Y.some((u) => same(t, u))).length, different = shared === 2;
    const ends = { smallest: both((row) => distinct(row)[0]), largest: both(largest) }, end = agree(ends.smallest) ? "largest" : "smallest";
    const settled = {
      mean: both((row) => over(sum(row), whole(6))),
      linear: both((row) => sum(row.map((t) => times(t, t)))),
      hardmax: ends[end],
      sigmoid: both((row) => row.map(size).sort(compare)),
    };
    const lines = Object.entries(settled).map(([name, found]) => [name, proper && different && agree(found), proper && !agree(found) ? { one: found[0], other: found[1], end } : {}]);
    return [["proper", proper, {}], ["different", different, { shared: whole(shared) }], ...lines];
  },

  "ex-condition-marks"([E], { case: given }) {
    const [width, gap] = given.map(revived), order = range(0, 3).sort((i, j) => compare(E[i], E[j]) || i - j);
    const out = range(0, 3).find((k) => sign(E[k]) < 0 || compare(plus(E[k], width), whole(1)) > 0);
    const near = [[0, 1], [1, 2]].map((pair) => pair.map((k) => order[k])).find(([i, j]) => compare(minus(E[j], plus(E[i], width)), gap) <= 0);
    return [
      ["in the box", out === undefined, out === undefined ? {} : { place: whole(out + 1), low: E[out], high: plus(E[out], width) }],
      ["apart", !near, near && { one: whole(near[0] + 1), high: plus(E[near[0]], width), other: whole(near[1] + 1), low: E[near[1]] }],
    ];
  },

  "ex-more-look-up"([[[a, b], [c, d]]], { case: answers }) {
    const first = answers.map(([u, v]) => plus(times(a, whole(u)), times(b, whole(v)))), row = [...first].sort(compare);
    const twice = combinations(range(0, 4), 2).find(([i, j]) => same(first[i], first[j]));
    const even = row.every((x, k) => !k || same(minus(x, row[k - 1]), whole(1)));
    return [
      ["differ", !twice, twice && { one: shownInts(answers[twice[0]]), other: shownInts(answers[twice[1]]), entry: first[twice[0]] }],
      ["steps of 1", even, twice ? {} : { entries: row }],
      ["undone", !same(times(a, d), times(b, c)), {}],
    ];
  },

  "ex-cheng-spider"([hears], { end }) {
    const rows = hears.map(ints), mutual = (i, j) => rows[i].includes(j) && rows[j].includes(i);
    const odd = product(range(0, 7), range(0, 7)).find(([i, j]) => (rows[i].includes(j) || i === j) && !mutual(i, j));
    const host = rows.findIndex((row) => row.length === 7), path = permutations(range(0, 7)).find((way) => way.every((a, k) => !k || rows[way[k - 1]].includes(a)));
    const others = rows[end].filter((j) => j !== end).length;
    const count = automorphisms(rows), known = heardOf(rows, 7), deaf = known.findIndex((set) => set.size < 7);
    return [
      ["mutual", !odd, odd && { i: whole(odd[0]), j: whole(odd[1]) }],
      ["an end", others === 1, { count: whole(others) }],
      ["no host", host < 0, { token: whole(host) }],
      ["no path", !path, path && { path: shownInts(path) }],
      ["no symmetry", count <= 1, { count: whole(count) }],
      ["connected", deaf < 0, deaf < 0 ? {} : { token: whole(deaf), heard: whole(known[deaf].size) }],
    ];
  },

  "ex-cheng-cycle"([hears, kept, layers], { heard }) {
    const rows = hears.map(ints), odd = rows.findIndex((row, i) => row.length !== 2 || !row.includes(i));
    const known = heardOf(rows, 6), deaf = known.findIndex((set) => set.size < 6);
    return [
      ["one other", odd < 0, { token: whole(odd) }],
      ["begins", rows[0].includes(heard), {}],
      ["connected", deaf < 0, deaf < 0 ? {} : { token: whole(deaf), heard: whole(known[deaf].size) }],
      ["kept by", same(kept, whole(6)), { given: kept }],
      ["layers", same(layers, whole(5)), { given: layers }],
    ];
  },

  "ex-cheng-even-filter"([X, Y], { first }) {
    const begins = same(X[0], Y[0]) && same(X[0], whole(first)), moves = product([1, -1], range(0, 5));
    const turned = moves.some(([s, by]) => Y.every((y, k) => same(y, X[(s * k + by + 5) % 5])));
    const far = (Z, k) => plus(Z[k], Z[5 - k]), odd = [1, 2].find((k) => !same(far(X, k), far(Y, k)));
    return [
      ["place 0", begins, {}],
      ["no symmetry", !turned, {}],
      ["alike", !odd && begins && !turned, odd ? { distance: whole(odd), one: far(X, odd), other: far(Y, odd) } : {}],
    ];
  },

  "ex-mixers-one-key"([F], { most }) {
    const found = new Map(), size = F.every(({ n }) => abs(n) <= BigInt(most));
    let pair;
    for (const X of permutations([1, 2, 3, 4, 5])) {
      const heard = X.reduce((m, x, r) => m + F[r].n * BigInt(x), 0n);
      for (const x of X) {
        const number = heard + BigInt(x), before = found.get(number);
        if (!pair && before) pair = { x: whole(x), X: shownInts(X), y: whole(before[0]), Y: shownInts(before[1]), number: fraction(number) };
        found.set(number, [x, X]);
      }
    }
    return [["size", size, {}], ["all differ", !pair, pair]];
  },

  "ex-mixers-zero"([X, Y], { first }) {
    const sequences = [X, Y].map((Z) => Z[0].map((_, j) => [Z[0][j], Z[1][j]]));
    const text = (x) => x.map(({ n, d }) => `${n}/${d}`).join(), begins = sequences.every((Z) => Z[0].every((t, k) => same(t, whole(first[k]))));
    const empty = sequences.findIndex((Z) => Z.some((x) => !x.some(sign))), alike = key(sequences[0].map(text)) === key(sequences[1].map(text));
    const rest = sequences.map((Z) => {
      const count = new Map();
      for (const x of Z) {
        const mirror = x.map((t) => minus(whole(0), t)), up = (sign(x[0]) || sign(x[1])) > 0, at = text(up ? x : mirror);
        count.set(at, (count.get(at) ?? 0) + (up ? 1 : -1));
      }
      return [...count].filter(([, k]) => k);
    });
    const [one, other] = rest.map((left) => whole(left.reduce((m, [, k]) => m + Math.abs(k), 0))), left = key(rest[0]) === key(rest[1]);
    return [
      ["first tokens", begins, {}],
      ["no zero", empty < 0, { where: "XY"[empty] ?? "" }],
      ["different", !alike, {}],
      ["alike", left && !alike, left ? {} : { one, other }],
    ];
  },

  "ex-mixers-newton"([X, Y, token], { power, most }) {
    const sets = [X, Y].map((row) => new Set(row.map(({ n }) => n)));
    const fits = [X, Y].every((row, k) => row.length === power + 2 && sets[k].size === power + 2 && row.every(({ n }) => abs(n) <= BigInt(most)));
    const proper = fits && key([...sets[0]]) !== key([...sets[1]]), total = (row, e) => fraction(row.reduce((m, { n }) => m + n ** BigInt(e), 0n));
    const odd = range(1, power + 1).find((e) => !same(total(X, e), total(Y, e)));
    return [
      ["sequences", proper, {}],
      ["shared", sets.every((set) => set.has(token.n)), { token }],
      ["sums agree", proper && !odd, proper && odd ? { e: whole(odd), one: total(X, odd), other: total(Y, odd) } : {}],
    ];
  },

  "ex-mixers-relu"([a, b], { clusters }) {
    const low = whole(Math.min(...clusters.map(([p, u]) => p - u))), flat = compare(b, low) <= 0;
    const ends = clusters.map(([p, u]) => [whole(p), plus(whole(p), times(a, sum([p - u, p, p + u].map((x) => largest([minus(whole(x), b), whole(0)])))))]);
    const pair = combinations(ends, 2).find(([[, x], [, y]]) => !same(x, y));
    return [
      ["no bend", flat, { given: b, token: low }],
      ["one place", !pair && flat, pair ? { p: pair[0][0], one: pair[0][1], q: pair[1][0], other: pair[1][1] } : {}],
    ];
  },

  "ex-cheng-kernel-line"([A, B], { most }) {
    const small = (t) => sign(t) && compare({ n: abs(t.n), d: 1n }, whole(most)) <= 0;
    const sorted = (list) => [...list].sort(compare).map(shown).join();
    const power = (list, e) => sum(list.map((t) => fraction(t.n ** BigInt(e))));
    const differ = [1, 2, 3].find((e) => !same(power(A, e), power(B, e)));
    const proper = sorted(A) !== sorted(B) && [...A, ...B].every(small);
    return [
      ["proper", proper, {}],
      ["powers", proper && !differ, differ && { power: whole(differ), one: power(A, differ), other: power(B, differ) }],
    ];
  },

  "ex-cheng-nine"([first, second]) {
    const [one, other] = [first, second].map((rows) => rows.map(ints));
    const odd = [["first", one], ["second", other]].flatMap(([layer, rows]) =>
      rows.flatMap((row, i) => (row.length !== 3 || !row.includes(i) ? [{ layer, token: whole(i) }] : [])));
    const heard = other.map((row, i) => new Set([...row.flatMap((j) => one[j]), ...row, ...one[i], i]).size);
    const deaf = heard.findIndex((count) => count < 9);
    return [["three each", !odd.length, odd[0]], ["connected", deaf < 0, { token: whole(deaf), heard: whole(heard[deaf] ?? 9) }]];
  },

  "ex-cheng-palindrome"([hears], { case: [, order] }) {
    const image = Object.fromEntries(order.map((t, k) => [t, order[6 - k]]));
    const rows = hears.map(ints), mirror = rows.map((_, i) => ascending(rows[image[i]].map((j) => image[j])));
    const odd = rows.findIndex((row, i) => String(row) !== String(mirror[i]));
    const count = automorphisms(rows), known = heardOf(rows, 3), deaf = known.findIndex((set) => set.size < 7);
    return [
      ["reversal", odd < 0, odd < 0 ? {} : { token: whole(odd), one: hears[odd], other: shownInts(mirror[odd]) }],
      ["nothing else", odd < 0 && count <= 2, count <= 2 ? {} : { count: whole(count) }],
      ["connected in 3", deaf < 0, deaf < 0 ? {} : { token: whole(deaf), heard: whole(known[deaf].size) }],
    ];
  },

  "ex-cheng-mirror"([X, Y], { c }, right, page) {
    const exact = [X, Y].map((Z) => Z[0].map((_, j) => [Z[0][j], Z[1][j]])), at = c.map(revived);
    const text = (token) => token.map(({ n, d }) => `${n}/${d}`).join();
    const folded = (token) => {
      const away = token.map((t, k) => minus(t, at[k])), back = (sign(away[0]) || sign(away[1])) < 0;
      return text(back ? away.map((t) => minus(whole(0), t)) : away);
    };
    const [one, other] = exact.map((Z) => Z.map((token) => token.map(float))), centre = at.map(float);
    const heard = (Z, W) => W.map((row) => Z.reduce((m, t) => m + Math.cos(row.reduce((d, w, k) => d + w * (t[k] - centre[k]), 0)), 0));
    const gaps = page.W.map((W) => { const [a, b] = [heard(one, W), heard(other, W)]; return Math.max(...a.map((x, k) => Math.abs(x - b[k]))); });
    const first = Math.max(gaps.findIndex((gap) => gap > 1e-12), 0);
    const rows = (W) => ({ list: W.map((row) => ({ list: row })) });
    const [all, rest] = exact.map((Z) => key(Z.map(text))), different = all !== rest;
    const taken = different && key(exact[0].map(folded)) === key(exact[1].map(folded));
    return [
      ["different", different, {}],
      ["first tokens", text(exact[0][0]) === text(exact[1][0]), {}],
      ["taken for one another", taken, different && !taken ? { W: rows(page.W[first]), gap: general(gaps[first], 2) } : {}],
    ];
  },

  "ex-samples-six"([x, h], { case: [first, last] }) {
    const twice = combinations(x, 2).find(([a, b]) => same(a, b)), outputs = (w) => x.map((a, k) => plus(a, times(whole(w), h[k])));
    const good = range(first, last + 1).find((w) => distinct(outputs(w)).length === 4);
    const told = good === undefined ? {} : { w: whole(good), outputs: outputs(good) };
    return [["tokens", !twice, twice && { x: twice[0] }], ["none is good", good === undefined && !twice, told]];
  },

  "ex-cheng-circle"([X, Y], { p }) {
    const at = p.map(whole), [here, there] = [X, Y].map((Z) => Z[0].map((_, j) => [minus(Z[0][j], at[0]), minus(Z[1][j], at[1])]));
    const text = (token) => token.map(({ n, d }) => `${n}/${d}`).join(), size = ([a, b]) => plus(times(a, a), times(b, b));
    const proper = new Set([...here, ...there, [whole(0), whole(0)]].map(text)).size === 7;
    const on = (Z, square) => Z.filter((token) => same(size(token), square));
    const total = (Z) => [0, 1].map((k) => plus(sum(Z.map((token) => token[k])), times(whole(Z.length), at[k])));
    const squares = distinct([...here, ...there].map(size)), rows = squares.map((square) => [square, on(here, square), on(there, square)]);
    const counted = rows.find(([, one, other]) => one.length !== other.length);
    const off = rows.find(([, one, other]) => text(total(one)) !== text(total(other)));
    return [
      ["others", proper, {}],
      ["circles", proper && !counted, proper && counted ? { square: counted[0], one: whole(counted[1].length), other: whole(counted[2].length) } : {}],
      ["sums", proper && !off, proper && off && !counted ? { square: off[0], one: total(off[1]), other: total(off[2]) } : {}],
    ];
  },

  "ex-one-layer-search"([given], { most, few }) {
    const tokens = ascending(ints(given)), proper = new Set(tokens).size === 4 && tokens.at(-1) <= most;
    const dips = tokens.flatMap((t, k) => combinations(tokens.slice(0, k), 2).map(([low, high]) => {
      const { n, d } = fraction(BigInt(t - low), BigInt(t - high));
      return `${n}/${d} ${t * (t - high)}`;
    }));
    const count = proper ? new Set(dips).size : few + 1;
    return [["tokens", proper, {}], ["dips", count <= few, proper ? { tokens: shownInts(tokens), count: whole(count) } : {}]];
  },

  "ex-start-factor"([c, first, second], { N }, [least]) {
    const contexts = [first, second].map((row) => ascending(new Set(ints(row)))), fits = (row) => row.length === 3 && row[0] >= 0 && row[2] < N;
    const proper = contexts.every(fits) && String(contexts[0]) !== String(contexts[1]), found = same(c, least), by = Number(least.n) - 1;
    const top = (row) => {
      const lifted = new Map(row.map((t) => [t, t]));
      for (const t of row) lifted.set(t, lifted.get(t) + by * (Math.max(...lifted.values()) - Math.min(...lifted.values())));
      return Math.max(...lifted.values());
    };
    const [one, other] = proper ? contexts.map(top) : [];
    return [
      ["c", found, { given: c }],
      ["contexts", proper, {}],
      ["end alike", proper && one === other, proper && found ? { one: whole(one), other: whole(other) } : {}],
    ];
  },

  "ex-condition-swap"([entry, steps], { third }) {
    const end = ([x, y]) => {
      for (const k of [0, 1, 2]) {
        const moved = (from) => plus(times(steps[2 * k], from), steps[2 * k + 1]);
        [x, y] = k === 1 ? [plus(x, moved(y)), y] : [x, plus(y, moved(x))];
      }
      return [x, y];
    };
    const taken = (name, from, to) => {
      const at = end(from.map(whole));
      return [name, at.every((value, k) => same(value, whole(to[k]))), { end: at }];
    };
    return [["entry", same(entry, whole(-third[1])), { given: entry }], taken("first", [0, 0], [1, 0]), taken("second", [1, 0], [0, 0])];
  },

  "ex-universality-levels"([given], { least }, [right]) {
    const levels = ascending(new Set(ints(given))), proper = levels.length === 5 && levels[0] >= least;
    const add = ([a, b]) => a + b, pair = combinations(multisets(levels, 2), 2).find(([a, b]) => add(a) === add(b));
    const good = proper && !pair, small = good && compare(largest(given), largest(right)) <= 0;
    return [
      ["levels", proper, {}],
      ["told apart", good, proper && pair ? { one: shownInts(pair[0]), other: shownInts(pair[1]), sum: whole(add(pair[0])) } : {}],
      ["small", small, good ? { given: largest(given) } : {}],
    ];
  },

  "ex-partition-ray"([at, factors], { case: points }, [right]) {
    const rising = factors.every((f) => sign(f) > 0), [left, below, beyond] = factors;
    const scores = ([x, y]) => [times(left, whole(-x)), times(below, whole(-y)), times(beyond, whole(x + y - 1))];
    const border = (name, k) => {
      const [one, other] = scores(points[k]).slice(k, k + 2);
      return [name, rising && same(one, other), rising ? { one, other } : {}];
    };
    return [["x_1", same(at, right), { given: at }], ["rising", rising, {}], border("first border", 0), border("second border", 1)];
  },

  "ex-hardmax-two"([V, b, first, second], { least }, [best]) {
    const most = Number(best.n), above = (x) => compare(whole(x), b) > 0, add = (row) => row.reduce((m, x) => m + x, 0);
    const heard = (row) => row.map((x) => (above(x) ? Math.max(...row) : Math.min(...row)));
    const agree = (one, other, token) => [
      heard(one)[one.indexOf(token)] === heard(other)[other.indexOf(token)], add(one) === add(other), add(heard(one)) === add(heard(other)),
    ];
    const all = combinations(range(least, most + 1), 4);
    let caught;
    for (const [one, other] of combinations(all, 2)) caught ??= one.filter((t) => other.includes(t) && agree(one, other, t).every(Boolean)).map((t) => [t, one, other])[0];
    const rows = [first, second].map((row) => ascending(new Set(ints(row))));
    const fits = String(rows[0]) !== String(rows[1]) && rows.every((row) => row.length === 4 && least <= row[0] && row[3] <= most + 1);
    const shared = rows[0].filter((t) => rows[1].includes(t)), found = fits ? shared.map((t) => agree(...rows, t)) : [];
    const reason = !found.length ? "" : !found[0][1] ? "their tokens have different sums" : !found[0][2] ? "what is heard has different sums" : "each token in both hears something else";
    return [
      ["V", same(V, best), { given: V }],
      ["threshold", !caught, caught && same(V, best) ? { b, token: whole(caught[0]), A: shownInts(caught[1]), B: shownInts(caught[2]) } : {}],
      ["contexts", fits && shared.length > 0, {}],
      ["fooled", !caught && found.some((three) => three.every(Boolean)), found.length && !caught ? { A: shownInts(rows[0]), B: shownInts(rows[1]), reason } : {}],
    ];
  },
};

// The permutations s with s(N(i)) = N(s(i)) for all i, by trying all; up to eight tokens.
function automorphisms(rows) {
  const sets = rows.map((row) => row.reduce((bits, j) => bits | (1 << j), 0));
  return permutations(range(0, rows.length)).filter((s) => rows.every((row, i) => row.reduce((bits, j) => bits | (1 << s[j]), 0) === sets[s[i]])).length;
}

// Of whom each token has heard after so many layers of one pattern.
function heardOf(rows, layers) {
  let known = rows.map((_, i) => new Set([i]));
  for (let layer = 0; layer < layers; layer++) known = known.map((set, i) => new Set([...set, ...rows[i].flatMap((j) => [...known[j]])]));
  return known;
}
