// What is handed in, parsed as uatbook/answers.py parses it, in exact fractions of big integers.
// A fraction is { n, d } in lowest terms with d > 0; whole numbers are fractions with d = 1n.

const LONGEST = 200, MOST_ENTRIES = 4096, LARGEST = 10n ** 300n;
const NUMBER = /^(?:[+-]?[0-9]+(?:\s*\/\s*[1-9][0-9]*|\^[0-9]{1,3}|(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,3})?)|[+-]?\.[0-9]+(?:e[+-]?[0-9]{1,3})?)$/i;
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
  throw new Error(`${field.name}: expected ${expected}, got ${text}.`);
}

function number(field, text) {
  const trimmed = text.trim().replaceAll("\u2212", "-");
  if (text.length > LONGEST || !NUMBER.test(trimmed)) refuse(field, "a number such as 12, 0.25 or 3/17", text);
  let found;
  if (trimmed.includes("^")) {
    const [base, power] = trimmed.replace("+", "").split("^");
    found = fraction((base.startsWith("-") ? -1n : 1n) * abs(BigInt(base)) ** BigInt(power));
  } else if (trimmed.includes("/")) {
    const [n, d] = trimmed.split("/").map((part) => BigInt(part.trim().replace("+", "")));
    found = fraction(n, d);
  } else {
    const [digits, exponent = "0"] = trimmed.toLowerCase().split("e");
    const [before, after = ""] = digits.replace("+", "").split(".");
    const power = BigInt(exponent) - BigInt(after.length), n = BigInt((before === "-" ? "-0" : before || "0") + after || "0");
    const signed = before.startsWith("-") && n > 0n ? -n : n;
    found = power < 0n ? fraction(signed, 10n ** -power) : fraction(signed * 10n ** power);
  }
  if (compare({ n: abs(found.n), d: found.d }, fraction(LARGEST)) > 0) refuse(field, "a number up to 10^300", text);
  return found;
}

function wholeNumber(field, text) {
  const found = number(field, text), { least, most } = field;
  const low = least === undefined || found.n >= BigInt(least), high = most === undefined || found.n <= BigInt(most);
  if (found.d !== 1n || !low || !high) {
    const within = most !== undefined ? ` from ${least ?? "None"} to ${most}` : least !== undefined ? `, at least ${least}` : "";
    refuse(field, `a whole number${within}`, text);
  }
  return found;
}

function expected({ kind, rows, columns, most }) {
  if (kind === "pattern") return `for each of ${rows} tokens a list of those whom it hears, from 0 to ${most}`;
  if (kind === "table") return `${rows} rows of ${columns} numbers`;
  const what = kind === "numbers" ? "numbers" : "whole numbers";
  return kind === "subset" ? `a set of ${what}` : `${rows ?? "some"} ${what} in a list`;
}

function list(field, text) {
  const parts = text.replace(/\s*\/\s*/g, "/").replace(/^[ ()[\]{}]+|[ ()[\]{}]+$/g, "").split(/[\s,;]+/).filter(Boolean);
  if (parts.length > MOST_ENTRIES) refuse(field, expected(field), text);
  const found = parts.map((part) => (field.kind === "numbers" ? number(field, part) : wholeNumber(field, part)));
  if (field.kind === "subset") return distinct(found);
  if (field.rows !== undefined && found.length !== field.rows) refuse(field, expected(field), text);
  return found;
}

const distinct = (list) => [...list].sort(compare).filter((a, k, all) => !k || !same(a, all[k - 1]));

// `raw` is a text; of a table rows of texts; of a pattern rows of whole numbers.
function parse(field, raw) {
  if (field.kind === "choice") return field.options.includes(raw.trim()) ? raw.trim() : refuse(field, field.options.map((o) => `"${o}"`).join(" or "), raw);
  if (field.kind === "whole") return wholeNumber(field, raw);
  if (field.kind === "number") return number(field, raw);
  if (field.kind === "table") return raw.map((row) => row.map((entry) => number(field, entry)));
  if (field.kind === "pattern") return raw.map((row) => distinct(row.map(whole)));
  return list(field, raw);
}

function equal(field, a, b) {
  if (field.kind === "choice") return a === b;
  const near = (x, y) => {
    const gap = minus(x, y);
    return compare({ n: abs(gap.n), d: gap.d }, field.tolerance ? number(field, field.tolerance) : whole(0)) <= 0;
  };
  if (!Array.isArray(a)) return near(a, b);
  return a.length === b.length && a.every((x, k) => (Array.isArray(x) ? equal(field, x, b[k]) : near(x, b[k])));
}

// As `plain` writes parsed values: whole numbers, "p/q", lists.
function revived(value) {
  if (Array.isArray(value)) return value.map(revived);
  return typeof value === "string" && !/^-?[0-9]+(\/[0-9]+)?$/.test(value) ? value : number({}, String(value));
}

// Witnesses as Python writes them: { list: [...] } is a list, an array a tuple, a Number a float.
function shown(value) {
  if (typeof value === "string") return value;
  if (typeof value === "number") return general(value, 6);
  if (Array.isArray(value)) return `(${value.map(shown).join(", ")})`;
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

// What an answer is told: { verdict, points, sentences }. `task` is what _ext/uat_checks.py writes of an exercise.
function judged(task, values) {
  const lines = task.right
    ? task.fields.map((field, k) => [field.name, equal(field, values[k], revived(task.right[k])), { given: printable(field, values[k]) }])
    : JUDGES[task.label](values, task.p, task.page);
  const failing = lines.filter(([, holds]) => !holds);
  const points = lines.length - failing.length;
  const own = task.wrong.find(([answer]) => task.fields.every((field, k) => equal(field, values[k], revived(answer[k]))));
  const sentences = !failing.length ? [] : own ? [own[1]] : failing.map(([name, , witness]) => sentence(task.rubric[name], witness ?? {}, task.texts));
  const verdict = !failing.length ? "right" : 2 * points > lines.length ? "nearly" : "not yet";
  return { verdict, points, of: lines.length, sentences: sentences.filter(Boolean) };
}

const printable = (field, value) => (Array.isArray(value) ? { list: value.map((entry) => printable(field, entry)) } : value);
