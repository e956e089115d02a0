// Formulas in x_1 and x_2 as readers type them: tokens, recursive descent, evaluation on arrays. Nothing is run as code.
//
// sum = product {("+" | "-") product}; product = sign {["*" | "/"] sign}; sign = ("-" | "+") sign | power;
// power = atom ["^" sign]; atom = number | x_1 | x_2 | pi | e | function "(" sum {"," sum} ")" | "(" sum ")".

/** What a text means: (x1, x2, strict = true) => values, for Float64Arrays. Throws where it is no formula, or no number. */
const readFormula = (() => {
  const MOST = 200, DEEPEST = 40;
  const ALIKE = { "\u2212": "-", "\u00b7": "*", "\u00d7": "*", "\u00f7": "/", "x\u2081": "x_1", "x\u2082": "x_2" };
  const CONSTANTS = { pi: Math.PI, e: Math.E };
  const { sin, cos, tanh, exp, log, sqrt, abs, min, max } = Math;
  const FUNCTIONS = { sin, cos, tanh, exp, log, sqrt, abs };
  const MANY = { min, max };
  const OPERATORS = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "^": (a, b) => a ** b, ...MANY,
  };
  const known = (names, token) => Object.hasOwn(names, token);

  /** The values, or where and why they are no numbers. */
  function required(values, { x, strict }, what, divisor, place) {
    const k = strict ? values.findIndex((value) => !Number.isFinite(value)) : -1;
    if (k < 0) return values;
    const undefinedThere = what === "log" || Number.isNaN(values[k]);
    const why = divisor?.[k] === 0 ? "division by zero" : undefinedThere ? `${what} is undefined` : "overflow";
    throw new Error(`${why} at x\u2081 = ${x[0][k].toFixed(2)}, x\u2082 = ${x[1][k].toFixed(2)} (character ${place}).`);
  }

  const constant = (value) => ({ x }) => new Float64Array(x[0].length).fill(value);

  function two(name, place, left, right) {
    const act = OPERATORS[name];
    return (points) => {
      const a = left(points), b = right(points), divisor = { "/": b, "^": a }[name];
      return required(a.map((value, k) => act(value, b[k])), points, name, divisor, place);
    };
  }

  function parse(text) {
    const tokens = [...text.trimEnd().matchAll(/\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|x[\u2081\u2082]|[a-zA-Z]\w*|\S)/g)].map(
      ({ 0: whole, 1: token, index }) => ({ token: known(ALIKE, token) ? ALIKE[token] : token, place: index + whole.length - token.length + 1 }),
    );
    tokens.push({ token: "", place: text.trimEnd().length + 1 });
    let next = 0, depth = 0;
    const peek = () => tokens[next].token;
    const take = (...wanted) => (wanted.includes(peek()) ? tokens[next++] : null);
    const refuse = (expected) => {
      throw new Error(`expected ${expected}, got ${peek().slice(0, 20) || "the end"} (character ${tokens[next].place}).`);
    };
    const need = (token) => take(token) ?? refuse(token);

    function sum() {
      depth += 1;
      if (depth > DEEPEST) refuse(`at most ${DEEPEST} brackets in each other`);
      let node = product();
      for (let found; (found = take("+", "-")); ) node = two(found.token, found.place, node, product());
      depth -= 1;
      return node;
    }
    function product() {
      let node = sign();
      for (;;) {
        const found = take("*", "/");
        if (found) node = two(found.token, found.place, node, sign());
        else if (/^[a-zA-Z(]/.test(peek())) node = two("*", tokens[next].place, node, power()); // 2 x_1
        else return node;
      }
    }
    function sign() {
      if (!take("-")) return take("+") ? sign() : power();
      const inner = sign();
      return (points) => inner(points).map((value) => -value);
    }
    function power() {
      const node = atom(), found = take("^");
      return found ? two("^", found.place, node, sign()) : node;
    }
    function atom() {
      const { token, place } = tokens[next];
      if (take("(")) {
        const node = sum();
        need(")");
        return node;
      }
      const isName = /^[a-zA-Z]/.test(token);
      if (/\d/.test(token) && !isName) {
        next += 1;
        return (points) => required(constant(Number(token))(points), points, "number", null, place);
      }
      if (/^x_?[12]$/.test(token)) {
        next += 1;
        return ({ x }) => x[Number(token.at(-1)) - 1];
      }
      if (known(CONSTANTS, token)) {
        next += 1;
        return constant(CONSTANTS[token]);
      }
      if (known(FUNCTIONS, token) || known(MANY, token)) {
        next += 1;
        return call(token, place);
      }
      const names = ["x_1", "x_2", ...Object.keys({ ...CONSTANTS, ...FUNCTIONS, ...MANY })].join(", ");
      return refuse(isName ? `a name out of ${names}` : "a number, x_1, x_2, a function or (");
    }
    function call(name, place) {
      need("(");
      const given = [sum()];
      while (known(MANY, name) && take(",")) given.push(sum());
      need(")");
      const act = FUNCTIONS[name];
      if (!act) return given.reduce((node, other) => two(name, place, node, other));
      return (points) => required(given[0](points).map((value) => act(value)), points, name, null, place);
    }

    const node = sum();
    if (peek()) refuse("an operator");
    return node;
  }

  return (text) => {
    if (text.length > MOST) throw new Error(`expected at most ${MOST} characters, got ${text.length}.`);
    const node = parse(text);
    return (x1, x2, strict = true) => node({ x: [x1, x2], strict }).slice();
  };
})();
