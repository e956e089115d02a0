// The hand in the squares: painting on f, pointing in the others, and a stroke that shows how it is done.

/**
 * What a hand does: `card`, and what is shown now: {wanted(), names(formula)}, the choice of the menu that has a formula, the
 * formula that is `blank`, and that which is only an `example` of the page, if it is.
 */
PICTURES.square.brush = (card, { wanted, names, blank, example }) => {
  const { NODES, BLANK, grid, middles, heightsOf, textOf, meaning } = FUNCTIONS, PAINTED = "painted by hand", OWN = "my own formula", LOWERS = "lowers", REACH = 0.08, STEP = REACH / 4, RING = 16;
  const HINT = [[[0.2, 0.3]], [[0.2, 0.62], [0.46, 0.66], [0.48, 0.44]], [[0.5, 0.2], [0.8, 0.42], [0.8, 0.72]]]; // a stroke over the dark of the first f, in two bends
  let buttons = null, hint = null, painting = false;

  const isShown = (formula) => !wanted().touched && wanted().base.text === formula, isBlank = () => isShown(blank);
  const lowers = () => card.values.brush === LOWERS;
  const inSquare = (t) => Math.min(0.99, Math.max(0, Math.round(100 * t) / 100));

  /** Drag in a panel: held at its ring the cross moves along, else it goes where the hand is. */
  function point({ x, y }, u, v) {
    const { x1, x2 } = card.values, grip = [x(x1) - u, y(x2) - v], free = Math.hypot(...grip) < RING, [a, b] = free ? grip : [0, 0];
    const move = (s, t) => card.set({ x1: inSquare(x.invert(s + a)), x2: inSquare(y.invert(t + b)) });
    return { free, jumps: !free, move, end: (cancelled) => cancelled && card.set({ x1, x2 }) };
  }

  let nodes = null; // of the formula that is painted on: {base, heights}, its own height at each node from 0, low, to 1, high

  function heightAt(base, k) {
    const { limits: [low, high], f } = base;
    if (nodes?.base !== base) nodes = { base, heights: f(...grid(middles(NODES)), false).map((value) => (value - low) / (high - low)) };
    return nodes.heights[k];
  }

  /** One touch of the brush at a point of the square, which goes as far as the scale. */
  function touch({ base, heights }, a, b, up) {
    for (let i = 0; i < NODES; i += 1) {
      for (let j = 0; j < NODES; j += 1) {
        const near = 1 - (((i + 0.5) / NODES - a) ** 2 + ((j + 0.5) / NODES - b) ** 2) / REACH ** 2, k = i * NODES + j, own = heightAt(base, k);
        if (near > 0) heights[k] = Math.min(1 - own, Math.max(-own, heights[k] + (up ? 0.2 : -0.2) * near * near));
      }
    }
  }

  /** What a stroke finds: the formula below it, and what is painted. One that raises takes a blank square for an example. */
  function beginning(up) {
    const { base, touched } = wanted();
    return { base: up && isShown(example) ? meaning(blank, "").base : base, heights: heightsOf(touched ? card.values.paint : BLANK) };
  }
  const paintIt = ({ base, heights }) => card.set({ f: PAINTED, formula: base.text, paint: textOf(heights) });

  function stroke({ x, y }) {
    const { f, formula, paint } = card.values, up = !lowers(), sheet = beginning(up);
    let last = null; // where it was touched last: the next touch is one step on, however fast the hand
    const move = (a, b) => {
      const to = [x.invert(a), y.invert(b)], from = last ?? to, way = to.map((t, k) => t - from[k]), length = Math.hypot(...way);
      for (let gone = last ? STEP : 0; gone <= length; gone += STEP) {
        last = from.map((t, k) => t + (length && gone / length) * way[k]);
        touch(sheet, ...last, up);
      }
      if (last !== from) paintIt(sheet);
    };
    const end = (cancelled) => {
      painting = false;
      if (cancelled) card.set({ f, formula, paint });
    };
    painting = true;
    return { free: true, jumps: true, move, end };
  }

  /** A touch of the keyboard at the cross. */
  function key(name) {
    const up = (name !== "-") !== lowers(), sheet = beginning(up);
    touch(sheet, card.values.x1, card.values.x2, up);
    paintIt(sheet);
  }

  /** What is to be had of painting: less instead of more, and a blank square; what was typed comes before that. */
  function tools() {
    const less = make("button", { type: "button" }, "Lower"), clear = make("button", { type: "button" }, "Clear");
    less.addEventListener("click", () => card.set({ brush: lowers() ? "" : LOWERS }));
    const below = () => (wanted().touched && names(card.values.formula) === OWN ? OWN : "blank");
    clear.addEventListener("click", () => card.set({ f: below(), paint: "", brush: "" }));
    buttons = { less, clear };
    return [less, clear];
  }

  function tell() {
    if (!buttons) return;
    buttons.less.setAttribute("aria-pressed", String(lowers()));
    buttons.clear.disabled = isBlank();
    if (wanted().touched || isBlank()) unhint();
  }

  /** A stroke on the first square, as of a hand that paints; it moves three times where motion is welcome. */
  function drawHint(parent, { x, y }, moves) {
    const [begin, ...bends] = HINT.map((points) => points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join(" "));
    const d = `M${begin}C${bends.join("C")}`, line = { d, fill: "none", stroke: "#fefefe", "stroke-width": 2.5, "stroke-linecap": "round", "stroke-dasharray": "1 6" };
    const [a, b] = moves ? [0, 0] : HINT.at(-1).at(-1).map((t, k) => (k ? y : x)(t));
    hint = el(parent, "g");
    el(hint, "path", line);
    const hand = el(hint, "g");
    el(hand, "circle", { cx: a, cy: b, r: 9, fill: "#fefefe", "fill-opacity": 0.85, stroke: "#010101", "stroke-width": 1.5 });
    el(hand, "text", { x: a, y: b + 26, "font-size": 13, "font-weight": "bold", "text-anchor": "middle", fill: "#fefefe", stroke: "#010101", "stroke-width": 3, "paint-order": "stroke" }, "drag");
    if (moves) el(hand, "animateMotion", { path: d, dur: "2.6s", repeatCount: 3, fill: "freeze" });
  }

  function unhint() {
    hint?.remove();
    hint = null;
  }

  return { painting: () => painting, point, stroke, key, tools, tell, drawHint, unhint, isBlank };
};
