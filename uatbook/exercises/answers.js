// What is handed in, parsed as uatbook/answers.py parses it, in exact fractions of big integers; names in capitals are
// constants of Python, which `constants` of pages.py writes above.
// A fraction is { n, d } in lowest terms with d > 0; whole numbers are fractions with d = 1n.

const abs = (a) => (a < 0n ? -a : a);
const gcd = (a, b) => (b ? gcd(b, a % b) : abs(a));

function fraction(n, d = 1n) {
  const common = gcd(n, d) * (d < 0n ? -1n : 1n) || 1n;
  return { n: n / common, d: d / common };
}
const whole = (k) => fraction(BigInt(k));
const plus = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
const minus = (a, b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
const times = (a, b) => fraction(a.n * b.n, a.d * b.d);
const over = (a, b) => fraction(a.n * b.d, a.d * b.n);
const sign = (a) => (a.n > 0n) - (a.n < 0n);
const compare = (a, b) => sign(minus(a, b));
const same = (a, b) => a.n === b.n && a.d === b.d;
const largest = (list) => list.reduce((a, b) => (compare(a, b) < 0 ? b : a));
const sum = (list) => list.reduce(plus, whole(0));

// The nearest float, as Python rounds it.
function float(a) {
  const bits = (k) => abs(k).toString(2).length;
  const shift = 66 - bits(a.n || 1n) + bits(a.d);
  const [n, d] = shift >= 0 ? [abs(a.n) << BigInt(shift), a.d] : [abs(a.n), a.d << BigInt(-shift)];
  return Math.sign(sign(a)) * Number((n / d) | BigInt(n % d ? 1 : 0)) * 2 ** -shift;
}

function refuse(field, expected, got) {
  const text = typeof got !== "string" ? String(got) : got.trim() ? `'${got.slice(0, 60)}'` : "nothing";
  throw new Error(`${field.called ?? field.name}: expected ${expected}, got ${text}.`);
}

function number(field, text, expected = A_NUMBER) {
  const found = readNumber(text);
  return typeof found === "string" ? refuse(field, found === A_NUMBER ? expected : found, text) : found;
}

function wholeNumber(field, text) {
  const { least, most } = field, { n, d, unit } = number(field, text, field.kind === "subset" ? field.expected : field.whole);
  const low = least === undefined || n >= BigInt(least) * d, high = most === undefined || n <= BigInt(most) * d;
  if (d !== 1n || !low || !high) refuse(field, field.whole + (low && high && unit.n ? TO_ROUND : ""), text);
  return { n, d };
}

function list(field, text) {
  const [parts, either] = text.length > MOST_TEXT ? [] : listParts(text);
  if (field.kind === "numbers" && either) refuse(field, field.expected + EITHER, text);
  if (!parts || parts.length > MOST) refuse(field, field.expected, text);
  if (field.kind === "subset" && parts.length === 1 && ["none", "None", "\u2205"].includes(parts[0])) parts.pop();
  const found = parts.map((part) => (field.kind === "numbers" ? number(field, part) : wholeNumber(field, part)));
  if (field.kind === "subset") return distinct(found);
  if (field.rows !== undefined && (field.kind === "order" ? distinct(found) : found).length !== field.rows) refuse(field, field.expected, text);
  return found;
}

const distinct = (list) => [...list].sort(compare).filter((a, k, all) => !k || !same(a, all[k - 1]));

// `raw` is a text; of a table rows of texts; of a pattern rows of whole numbers.
function parse(field, raw) {
  if (field.kind === "choice") return field.options.find((o) => chosen(o) === chosen(raw)) ?? refuse(field, field.expected, raw);
  if (field.kind === "whole") return wholeNumber(field, raw);
  if (field.kind === "number") return number(field, raw);
  if (field.kind === "table") return raw.map((row) => row.map((entry) => number(field, entry)));
  if (field.kind === "pattern") return raw.map((row) => distinct(row.map(whole)));
  return list(field, raw);
}

const chosen = (text) => tidy(text.replaceAll("``", "")).replaceAll(" ", "").toLowerCase();

function equal(field, a, b) {
  if (field.kind === "choice") return a === b;
  const near = (x, y) => {
    const gap = minus(x, y);
    const wide = field.tolerance ? number(field, field.tolerance) : whole(0);
    return compare({ n: abs(gap.n), d: gap.d }, x.slack ? plus(wide, x.slack) : wide) <= 0;
  };
  if (!Array.isArray(a)) return near(a, b);
  return a.length === b.length && a.every((x, k) => (Array.isArray(x) ? equal(field, x, b[k]) : near(x, b[k])));
}

// As `plain` writes parsed values: whole numbers, "p/q", lists.
function revived(value) {
  if (Array.isArray(value)) return value.map(revived);
  const [n, d = 1n] = typeof value === "number" ? [BigInt(value)] : value.split("/").map(BigInt);
  return { n, d };
}

// Witnesses as Python writes them: { list: [...] } is a list, an array a tuple, a Number a float.
function shown(value) {
  if (typeof value === "string") return value;
  if (typeof value === "number") return general(value, 6);
  if (Array.isArray(value)) return `(${value.map(shown).join(", ")})`;
  if (value.text) return value.text;
  if (value.list) return `[${value.list.map(shown).join(", ")}]`;
  const text = value.d === 1n ? `${value.n}` : `${value.n}/${value.d}`;
  if (value.d === 1n) return abs(value.n) < 10n ** 20n ? text : scientific(value.n);
  return text.length <= 20 ? text : general(float(value), 6);
}

// A float with so many digits, as Python's format code g.
function general(x, digits) {
  if (!Number.isFinite(x)) return x > 0 ? "inf" : x < 0 ? "-inf" : "nan";
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e"), power = Number(exponent);
  const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power >= -4 && power < digits) return bare(x.toFixed(digits - 1 - power));
  return `${bare(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

// A whole number of many digits, as uatlib.arithmetic.numbers.scientific.
function scientific(n) {
  const digits = abs(n).toString(), rounded = (abs(n) + 5n * 10n ** BigInt(digits.length - 5)) / 10n ** BigInt(digits.length - 4);
  const text = rounded.toString(), carried = text.length > 4;
  const bare = `${text[0]}.${text.slice(1, 4)}`;
  return `${n < 0n ? "-" : ""}${bare}e+${digits.length - 1 + carried}`;
}

// {name} of a template: from the witness, else from the parameters; nothing where one is missing.
function sentence(template, witness, parameters) {
  let whole_ = true;
  const text = template.replace(/\{([^{}]+)\}/g, (_, name) => {
    if (name in witness) return shown(witness[name]);
    whole_ &&= name in parameters;
    return parameters[name];
  });
  return whole_ ? text : "";
}

// Rounded, or cut: its last digit is then that of the right number.
function isRounded(x, y, gap) {
  const unit = x.unit ?? whole(0), cut = sign(x) * sign(y) > 0 && compare({ n: abs(x.n), d: x.d }, { n: abs(y.n), d: y.d }) < 0;
  return compare(times(whole(2), gap), unit) <= 0 || (cut && compare(gap, unit) < 0);
}

// Whether what was written is what is right, in fewer digits than are asked for.
function rounded(field, value, right) {
  const pairs = field.kind === "numbers" && value.length === right.length ? value.map((x, k) => [x, right[k]]) : field.kind === "number" ? [[value, right]] : [];
  const near = pairs.map(([x, y]) => {
    const gap = minus(x, y);
    return equal({ ...field, kind: "number" }, x, y) ? "equal" : isRounded(x, y, { n: abs(gap.n), d: gap.d }) ? "rounded" : "far";
  });
  return near.includes("rounded") && !near.includes("far");
}

// What an answer is told: { verdict, held, score, hint, sentences, places }: how many lines hold, how much more that is than of
// an answer without a thought, and the fields that the sentences are about, -1 for none. `task` is what `task` of pages.py says of an exercise.
function judged(task, values) {
  const all = (answer) => task.fields.map(({ kind }, k) => (kind === "choice" ? answer[k] : revived(answer[k])));
  const right = all(task.right);
  const lines = task.p
    ? JUDGES[task.label](values, task.p, right, task.page)
    : task.fields.map((field, k) => {
      const given = printable(field, values[k]);
      return [field.name, equal(field, values[k], right[k]), { given, ...(rounded(field, values[k], right[k]) && { rounded: true }) }];
    });
  const failing = lines.filter(([, holds]) => !holds);
  const held = lines.length - failing.length, of = lines.length - task.idle, points = Math.max(0, held - task.idle);
  const own = task.wrong.find(([answer]) => all(answer).every((other, k) => equal(task.fields[k], values[k], other)));
  const fieldOf = (name) => (task.fields.length > 1 ? task.fields.findIndex((field) => field.name === name) : -1);
  const remark = ([name, , witness]) => sentence(witness?.rounded ? ROUNDED : task.rubric[name], witness ?? {}, task.texts);
  const remarks = failing.map((line) => ({ at: fieldOf(line[0]), text: remark(line) })).filter(({ text }) => text);
  const told = remarks.map(({ at, text }) => (at < 0 ? text : `${task.fields[at].label}: ${text}`));
  const bare = [`What does not hold yet: ${failing.map(([name]) => name).join(", ")}.`];
  const sentences = !failing.length ? [task.why] : own ? [own[1]] : told.length ? told : bare;
  const counted = lines.filter(([name]) => !task.entry?.includes(name)), holding = counted.filter(([, holds]) => holds).length;
  const verdict = !failing.length ? "right" : 2 * holding > counted.length ? "nearly" : "not yet";
  const score = of > 1 && failing.length ? ` ${points} of ${of} points.` : "";
  const aimed = failing.flatMap(([name]) => task.hints[name] ?? []), one = !task.p && lines.length > 1 && failing.length === 1;
  const outside = task.entry?.length && failing[0]?.[0] === task.entry[0]; // then it is not yet an answer to what is asked
  const hint = aimed.length ? aimed.join(" ") : one || outside ? "" : task.hint;
  const near = !own && failing.length > 0 && failing.every(([, , witness]) => witness?.rounded); // all it lacks is digits
  return { verdict, held, near, score, hint, sentences: sentences.filter(Boolean), places: own || !failing.length ? [] : remarks.map(({ at }) => at) };
}

const printable = (field, value) => (Array.isArray(value) ? { list: value.map((entry) => printable(field, entry)) } : value);
