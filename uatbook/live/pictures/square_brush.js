// The hand in the squares: painting on f, pointing in the others, and a stroke that shows how it is done.

/**
 * What a hand does: `card`, and what is shown now: {wanted(), names(formula)}, the choice of the menu that has a formula, the
 * formula that is `blank`, and that which is only an `example` of the page, if it is.
 */
PICTURES.square.brush = (card, { wanted, names, blank, example }) => {
  const { NODES, BLANK, grid, middles, heightsOf, textOf, meaning } = FUNCTIONS, PAINTED = "painted by hand", OWN = "my own formula", LOWERS = "lowers", REACH = 0.08, STEP = REACH / 4, RING = 16;
  const HINT = [[[0.2, 0.3]], [[0.2, 0.62], [0.46, 0.66], [0.48, 0.44]], [[0.5, 0.2], [0.8, 0.42], [0.8, 0.72]]]; // a stroke over the dark of the first f, in two bends
  let buttons = null, painting = false;
  let hint = null, where = null, shown = false; // a hand that shows how to paint: in the picture, where it is to be, and whether it is there
  let knows = false; // whether the reader has painted, or chosen another f

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
  function paintIt({ base, heights }) {
    const paint = textOf(heights);
    past.at(-1).after = keyOf({ f: PAINTED, paint });
    card.set({ f: PAINTED, formula: base.text, paint });
  }

  const past = []; // of each stroke what was there before, and after it
  const keyOf = ({ f, paint }) => `${f} ${paint}`;
  /** Keep what is there before it changes. */
  function remember(after = "") {
    const { f, formula, paint } = card.values;
    past.push({ before: { f, formula, paint }, after });
  }
  const undoes = () => past.at(-1)?.after === keyOf(card.values); // unless something else has changed f since
  function undo() {
    if (undoes()) card.set(past.pop().before);
  }

  function stroke({ x, y }) {
    const up = !lowers(), sheet = beginning(up);
    let last = null; // where it was touched last: the next touch is one step on, however fast the hand
    const begin = () => {
      painting = true;
      unhint();
      remember();
      card.stage?.focus({ preventScroll: true }); // for the keys that undo it
    };
    const move = (a, b) => {
      if (!last) begin();
      const to = [x.invert(a), y.invert(b)], from = last ?? to, way = to.map((t, k) => t - from[k]), length = Math.hypot(...way);
      for (let gone = last ? STEP : 0; gone <= length; gone += STEP) {
        last = from.map((t, k) => t + (length && gone / length) * way[k]);
        touch(sheet, ...last, up);
      }
      if (last !== from) paintIt(sheet);
    };
    const end = (cancelled) => {
      painting = false;
      if (cancelled && last) undo();
    };
    return { stays: true, jumps: true, move, end };
  }

  /** A touch of the keyboard at the cross. */
  function key(name) {
    const up = (name !== "-") !== lowers(), sheet = beginning(up);
    remember();
    touch(sheet, card.values.x1, card.values.x2, up);
    paintIt(sheet);
  }

  /** What is to be had of painting: the last stroke back, less instead of more, and a blank square; what was typed comes before that. */
  function tools() {
    const [back, less, clear] = ["Undo", "Lower", "Clear"].map((word) => make("button", { type: "button" }, word));
    back.setAttribute("aria-label", "Undo the last stroke");
    back.addEventListener("click", undo);
    less.addEventListener("click", () => card.set({ brush: lowers() ? "" : LOWERS }));
    const below = () => (wanted().touched && names(card.values.formula) === OWN ? OWN : "blank");
    clear.addEventListener("click", () => {
      remember(keyOf({ f: below(), paint: "" }));
      card.set({ f: below(), paint: "", brush: "" });
    });
    buttons = { back, less, clear };
    if (card.stage) card.stage.tabIndex = -1;
    return [back, less, clear];
  }

  /** Of two networks what their weights owe to the paint, or to nobody's training; maybe a way on stands below. */
  function told(onward) {
    if (isBlank()) return ["Nobody trained these.", "A blank square: paint your initial on it."];
    if (!wanted().touched) return ["Nobody trained these.", "Paint on $f$: both paint after you."];
    return ["Your paint set these; nobody trained them.", ...(onward ? [] : ["Each painted cell sets its own weights."])];
  }

  function tell() {
    if (!buttons) return;
    buttons.less.setAttribute("aria-pressed", String(lowers()));
    buttons.clear.disabled = isBlank();
    buttons.back.disabled = !undoes();
    if (!isShown(example)) unhint();
  }

  /** Where the hand is to be that shows how to paint; where the picture is laid out anew, it is drawn anew. */
  function place(...there) {
    where = there;
    hint = null;
    if (shown) drawHint(...where);
  }

  /** Show how to paint, unless the reader knows. */
  function invite() {
    if (shown || knows) return;
    shown = true;
    drawHint(...where);
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
    if (moves) el(hand, "animateMotion", { path: d, dur: "2.6s", repeatCount: 3, fill: "freeze", begin: "indefinite" }).beginElement();
  }

  function unhint() {
    [knows, shown] = [true, false];
    hint?.remove();
    hint = null;
  }

  return { painting: () => painting, point, stroke, key, undo, tools, told, tell, place, invite, unhint, isBlank };
};
