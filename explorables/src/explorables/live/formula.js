// Formulas in x_1 and x_2, or in letters of a picture's own, as readers type them: tokens, recursive descent, evaluation on
// arrays. Nothing is run as code.
//
// whole = sum [(">" | "<" | ">=" | "<=") sum], which is 1 where it holds and 0 elsewhere;
// sum = product {("+" | "-") product}; product = sign {["*" | "/"] sign}; sign = ("-" | "+") sign | power;
// power = atom [("^" | "**") sign]; atom = number | x_1 | x_2 | pi | e | function "(" whole {"," whole} ")" | "(" whole ")" |
// "|" whole "|". x and y are x_1 and x_2; a number may have a decimal comma, but not within max and min, where commas part.

/** What a text means: (x1, x2, strict = true) => values, for Float64Arrays, with `steps`: whether it may jump. Throws where it
 * is no formula, or no number. With `letters` of its own, {name: place}, it is evaluated by `at(arrays)`, in the floats of the
 * arrays, and says itself which names it `uses`. */
const readFormula = (() => {
  const MOST = 200, DEEPEST = 40;
  const ALIKE = { "\u2212": "-", "\u00b7": "*", "\u00d7": "*", "\u00f7": "/", "x\u2081": "x_1", "x\u2082": "x_2", "**": "^", "\u2265": ">=", "\u2264": "<=", x: "x_1", y: "x_2", x1: "x_1", x2: "x_2" };
  const PLANE = { x_1: 0, x_2: 1 };
  const CONSTANTS = { pi: Math.PI, e: Math.E };
  const { sin, cos, tanh, cosh, sinh, exp, log, sqrt, abs, sign: signum, floor, min, max } = Math;
  const relu = (t) => max(0, t), elu = (t) => (t > 0 ? t : Math.expm1(t)), sigmoid = (t) => 1 / (1 + exp(-t)), softplus = (t) => max(0, t) + Math.log1p(exp(-abs(t)));
  const FUNCTIONS = { sin, cos, tanh, cosh, sinh, exp, log, sqrt, abs, sign: signum, floor, relu, elu, sigmoid, softplus };
  const STEPS = { ">": (a, b) => Number(a > b), "<": (a, b) => Number(a < b), ">=": (a, b) => Number(a >= b), "<=": (a, b) => Number(a <= b) };
  const MANY = { min, max };
  const OPERATORS = {
    "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "^": (a, b) => a ** b, ...MANY, ...STEPS,
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

  const constant = (value) => ({ x }) => new x[0].constructor(x[0].length).fill(value);

  function two(name, place, left, right) {
    const act = OPERATORS[name];
    return (points) => {
      const a = left(points), b = right(points), divisor = { "/": b, "^": a }[name];
      return required(a.map((value, k) => act(value, b[k])), points, name, divisor, place);
    };
  }

  function parse(text, letters) {
    const tokens = [...text.trimEnd().matchAll(/\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|x[\u2081\u2082]|[a-zA-Z]\w*|\*\*|[<>]=|\S)/g)].map(
      ({ 0: found, 1: token, index }) => ({ token: known(letters, token) || !known(ALIKE, token) ? token : ALIKE[token], place: index + found.length - token.length + 1, end: index + found.length + 1 }),
    );
    tokens.push({ token: "", place: text.trimEnd().length + 1 });
    const uses = new Set();
    let next = 0, depth = 0, bars = 0, lists = 0, steps = false;
    const peek = () => tokens[next].token;
    const take = (...wanted) => (wanted.includes(peek()) ? tokens[next++] : null);
    const refuse = (expected) => {
      throw new Error(`expected ${expected}, got ${peek().slice(0, 20) || "the end"} (character ${tokens[next].place}).`);
    };
    const need = (token) => take(token) ?? refuse(token);

    function whole() {
      depth += 1;
      if (depth > DEEPEST) refuse(`at most ${DEEPEST} brackets in each other`);
      const left = sum(), found = take(...Object.keys(STEPS));
      const node = found ? two(found.token, found.place, left, sum()) : left;
      steps ||= Boolean(found);
      depth -= 1;
      return node;
    }
    function sum() {
      let node = product();
      for (let found; (found = take("+", "-")); ) node = two(found.token, found.place, node, product());
      return node;
    }
    function product() {
      let node = sign();
      for (;;) {
        const found = take("*", "/");
        if (found) node = two(found.token, found.place, node, sign());
        else if (/^[a-zA-Z(]/.test(peek()) || (peek() === "|" && !bars)) node = two("*", tokens[next].place, node, power()); // 2 x_1
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
        const outside = bars, node = ((bars = 0), whole());
        bars = outside;
        need(")");
        return node;
      }
      if (take("|")) {
        uses.add("abs");
        bars += 1;
        const node = whole();
        bars -= 1;
        need("|");
        return (points) => node(points).map(abs);
      }
      const isName = /^[a-zA-Z]/.test(token);
      if (/\d/.test(token) && !isName) {
        const [{ end }, comma, behind] = tokens.slice(next, next + 3), touching = comma.token === "," && comma.place === end && behind?.place === end + 1;
        const decimal = !lists && touching && /^\d+$/.test(token) && /^\d+$/.test(behind.token);
        next += decimal ? 3 : 1;
        return (points) => required(constant(Number(decimal ? `${token}.${behind.token}` : token))(points), points, "number", null, place);
      }
      uses.add(token);
      if (known(letters, token)) {
        next += 1;
        return ({ x }) => x[letters[token]];
      }
      if (known(CONSTANTS, token)) {
        next += 1;
        return constant(CONSTANTS[token]);
      }
      if (known(FUNCTIONS, token) || known(MANY, token)) {
        next += 1;
        return call(token, place);
      }
      const own = Object.keys(letters), names = Object.keys({ ...letters, x: 0, y: 0, ...CONSTANTS, ...FUNCTIONS, ...MANY }).join(", ");
      return refuse(isName ? `a name out of ${names}, as in sin(3 x) * y` : `a number, ${own.join(", ")}, a function or (`);
    }
    function call(name, place) {
      need("(");
      const many = known(MANY, name), outside = [bars, lists];
      [bars, lists] = [0, many ? 1 : 0];
      steps ||= name === "sign" || name === "floor";
      const given = [whole()];
      while (many && take(",")) given.push(whole());
      [bars, lists] = outside;
      need(")");
      const act = FUNCTIONS[name];
      if (!act) return given.reduce((node, other) => two(name, place, node, other));
      return (points) => required(given[0](points).map((value) => act(value)), points, name, null, place);
    }

    const node = whole();
    if (peek()) refuse("an operator");
    return { node, steps, uses };
  }

  return (text, letters = PLANE) => {
    if (text.length > MOST) throw new Error(`expected at most ${MOST} characters, got ${text.length}.`);
    const { node, steps, uses } = parse(text, letters);
    const at = (x) => node({ x, strict: false }).slice();
    return Object.assign((x1, x2, strict = true) => node({ x: [x1, x2], strict }).slice(), { at, steps, uses });
  };
})();
