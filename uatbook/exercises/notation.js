// A number as people type it, as an exact fraction: the twin of uatbook/notation.py, sign for sign. What is read is
// { n, d, text, unit }: the text as it was written, and the place of its last digit if it is a decimal.

const KEPT = new RegExp(`[${RAISED}${LOWERED}${VULGAR}]`);
const decimal = /^\p{Nd}$/u;
function oneSign(sign) {
  if (KEPT.test(sign)) return sign;
  if (decimal.test(sign)) {  // they stand in tens
    const normal = sign.normalize("NFKC");
    if (/^[0-9]$/.test(normal)) return normal;
    let before = 0;
    while (decimal.test(String.fromCodePoint(sign.codePointAt(0) - before - 1))) before += 1;
    return String(before % 10);
  }
  if (/\p{Cf}/u.test(sign)) return sign >= "\u2061" && sign <= "\u2064" ? sign : "";
  return /\p{Pd}/u.test(sign) ? "-" : /[\s\x1c-\x1f\x85]/.test(sign) ? " " : sign.normalize("NFKC");
}

const simple = (raised) => raised.normalize("NFKC").replaceAll("\u2212", "-");
const mixed = (whole_, above, below) => (whole_ ? `(${whole_}+${above}/${below})` : `(${above}/${below})`);
const trimmed = (text) => text.replace(/\s+/g, " ").trim();

// In so many ways; one after the other, so that each quotient is whole.
function chosenOf(all, some) {
  let ways = some > all ? 0n : 1n;
  for (let k = 1n; ways && k <= some; k++) ways = (ways * (all - some + k)) / k;
  return ways;
}

function tidy(text) {
  text = trimmed(Array.from(Array.from(text, oneSign).join(""), (sign) => SIGNS[sign] ?? sign).join(""));
  text = text.replace(new RegExp(`${WHOLE}([${VULGAR}])`, "g"), (_, before, sign) => mixed(before, ...sign.normalize("NFKC").split("\u2044")));
  text = text.replace(new RegExp(`(?<=[0-9)])[${RAISED}]+`, "g"), (raised) => `^${simple(raised)}`);
  text = text.replace(new RegExp(`[${RAISED}]+|(?<=/)[${LOWERED}]+`, "g"), simple);
  for (const [pattern, by] of LATEX) text = text.replace(new RegExp(pattern, "g"), by);
  text = text.replace(new RegExp(CHOSEN, "g"), (_, all, some) => `(${chosenOf(BigInt(all), BigInt(some))})`);
  const bare = (argument) => `(${argument.replace(/^[{}]+|[{}]+$/g, "")})`;
  for (let before; before !== text;) {
    before = text;
    text = text.replace(new RegExp(FRAC, "g"), (_, whole_, above, below) => mixed(whole_, bare(above), bare(below)));
  }
  return text.trim();
}

// The number that a text says; or, as a text, what is expected instead.
function readNumber(raw) {
  const text = raw.trim();
  if (Array.from(raw).length > LONGEST) return A_NUMBER;
  let typed = tidy(raw).replace(/^= ?/, "").replace(/[[{]/g, "(").replace(/[\]}]/g, ")");
  typed = typed.replace(new RegExp(THOUSANDS, "g"), (found) => found.replaceAll(" ", ""));
  if (typed.includes(",")) {
    if (typed.includes(".") || new RegExp(COMMAS).test(typed)) return COMMA;
    typed = typed.replaceAll(",", ".");
  }
  try {
    const tokens = tokensOf(typed), { n, d } = valueOf(tokens), called = tokens.some((token) => token in CALLED);
    if (abs(n) > BigInt(LARGEST) * d) return TOO_LARGE;
    return { n, d, text: Array.from(text).length <= SPELLED ? text : "", unit: unitOf(tokens), ...(called && { slack: fraction(abs(n), d << 90n) }) };
  } catch (error) {
    if (typeof error === "string") return error;
    throw error;
  }
}

// The place of the last digit of a single decimal, percentage or number of two digits; 0 of what looks exact.
function unitOf(tokens) {
  const [digits = "", ...rest] = tokens.filter((token) => token !== "+" && token !== "-");
  const [before, power = "0"] = digits.toLowerCase().split("e"), places = before.split(".")[1]?.length ?? 0;
  if ((rest.length && (rest.length > 1 || rest[0] !== "%")) || !/^[0-9.]/.test(digits) || !(places || rest.length || before.length > 1)) return fraction(0n);
  const up = BigInt(power) - BigInt(places) - (rest.length ? 2n : 0n);
  return up < 0n ? fraction(1n, 10n ** -up) : fraction(10n ** up);
}

function tokensOf(text) {
  const tokens = [], next = new RegExp(TOKEN, "y");
  let number_ = false;
  for (let found; next.lastIndex < text.length && (found = next.exec(text));) {
    if (found[1] && number_) throw A_NUMBER;  // 1 1/2 is no product
    number_ = Boolean(found[1]);
    tokens.push(found[1] ?? found[2]);
    if (next.lastIndex === text.length) return tokens;
  }
  throw A_NUMBER;
}

const bitLength = (k) => (k ? abs(k).toString(2).length : 0);
function fits(value) {
  if (Math.max(bitLength(value.n), bitLength(value.d)) > BITS) throw TOO_LARGE;
  return value;
}

function literal(token) {
  const [digits, exponent = "0"] = token.toLowerCase().split("e"), [before, after = ""] = digits.split(".");
  const power = BigInt(exponent) - BigInt(after.length), n = BigInt((before || "0") + after);
  return power < 0n ? fraction(n, 10n ** -power) : fraction(n * 10n ** power);
}

// Functions, in units of 2^-PLACES.
const POINT = BigInt(PLACES), ONE = 1n << POINT;
function atanh(y) {
  let total = 0n;
  for (let power = y, k = 1n; power; power = (power * y * y) >> (2n * POINT), k += 2n) total += power / k;
  return total;
}
const LN2 = 2n * atanh(ONE / 3n), up = (k) => BigInt(Math.max(k, 0));
function ln({ n, d }) {
  if (n <= 0n) throw A_NUMBER;
  let k = bitLength(n) - bitLength(d);
  if (n << up(-k) < d << up(k)) k -= 1;
  const m = (n << up(-k) << POINT) / (d << up(k));
  return fraction(2n * atanh(((m - ONE) << POINT) / (m + ONE)) + BigInt(k) * LN2, ONE);
}
function exp({ n, d }) {
  if (abs(n) > BigInt(FARTHEST) * d) throw TOO_LARGE;
  const x = (abs(n) << POINT) / d, rest = x % LN2;
  let total = 0n;
  for (let term = ONE, k = 1n; term; term = ((term * rest) >> POINT) / k, k += 1n) total += term;
  const found = fraction(total << (x / LN2), ONE);
  return n >= 0n ? found : fraction(found.d, found.n);
}
function sqrt({ n, d }) {
  if (n < 0n) throw A_NUMBER;
  const x = (n << (2n * POINT)) / d;
  if (!x) return fraction(0n);
  let root = 1n << BigInt((bitLength(x) >> 1) + 1);
  for (let next; (next = (root + x / root) >> 1n) < root;) root = next;
  return fraction(root, ONE);
}
const CALLED = { ln, log: ln, exp, sqrt };

// Sums of products of powers, in fractions.
function valueOf(tokens) {
  let at = 0, depth = 0;
  const next = (...wanted) => (wanted.includes(tokens[at]) ? tokens[at++] : "");
  const total = () => {
    let found = term();
    for (let sign; (sign = next("+", "-"));) found = fits((sign === "+" ? plus : minus)(found, term()));
    return found;
  };
  const term = () => {
    let found = factor(), line = false;
    while (at < tokens.length) {
      const sign = next("*", "/");
      if (!sign && "+-)^%".includes(tokens[at])) break;
      if (!sign && line) throw PRODUCT;
      const by = sign ? factor() : power();
      if (sign === "/" && !by.n) throw A_NUMBER;
      found = fits((sign === "/" ? over : times)(found, by));
      line ||= sign === "/";
    }
    return found;
  };
  const factor = () => (next("+", "-") === "-" ? minus(fraction(0n), power()) : power());
  const power = () => {
    let base = atom();
    if (next("^")) {
      const { n, d } = factor(), bits = Math.max(bitLength(base.n), bitLength(base.d));
      if (d !== 1n) throw A_NUMBER;
      if (BigInt(bits) * abs(n) > BigInt(BITS)) throw TOO_LARGE;
      if (n < 0n && !base.n) throw A_NUMBER;
      base = fits(n < 0n ? fraction(base.d ** -n, base.n ** -n) : fraction(base.n ** n, base.d ** n));
    }
    while (next("%")) base = fits(fraction(base.n, base.d * 100n));
    return base;
  };
  const atom = () => {
    if (next("(")) return closed();
    if (at < tokens.length && /^[0-9.]/.test(tokens[at])) return literal(tokens[at++]);
    const name = next(...Object.keys(CALLED));
    if (name) return fits(CALLED[name](next("(") ? closed() : bare()));
    throw A_NUMBER;
  };
  // The number behind a function's name: ln 2, but not ln 2^3, which can be read in two ways.
  const bare = () => {
    if (!/^[0-9.]/.test(tokens[at] ?? "") || tokens[at + 1] === "^") throw A_NUMBER;
    return literal(tokens[at++]);
  };
  const closed = () => {
    depth += 1;
    if (depth > DEEPEST) throw A_NUMBER;
    const found = total();
    if (!next(")")) throw A_NUMBER;
    depth -= 1;
    return found;
  };
  const found = total();
  if (at < tokens.length) throw A_NUMBER;
  return found;
}

// A list at the signs between its entries; and whether its commas may be points: 0,5 1,5.
function listParts(raw) {
  let text = tidy(raw).replace(/ ?([/*^]) ?/g, "$1").replace(/ %/g, "%");
  const commas = new RegExp(TWO_WAYS).test(text) && new RegExp(BESIDE).test(text);
  while (outer(text)) text = text.slice(1, -1).trim();
  const parts = [""];
  let depth_ = 0;
  for (const sign of text) {
    depth_ += "([{".includes(sign) - ")]}".includes(sign);
    if (!depth_ && " ,;".includes(sign)) parts.push("");
    else parts[parts.length - 1] += sign;
  }
  return [parts.filter(Boolean), commas];
}

// Whether its first bracket ends with its last sign.
function outer(text) {
  let depth_ = 0;
  for (const [k, sign] of Array.from(text).entries()) {
    depth_ += "([{".includes(sign) - ")]}".includes(sign);
    if (depth_ <= 0) return k > 0 && k === Array.from(text).length - 1 && depth_ === 0;
  }
  return false;
}
