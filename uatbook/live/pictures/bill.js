// One function under several proofs: f, what the network of each answers for token 1 at every pixel, and what each costs.
// The picture is the card that readers hand on: all that it says stands in it.

PICTURES.bill = {
  /** f itself. */
  sketch: (canvas, { data: { values } }, { formula, paint }) => FUNCTIONS.sketch(canvas, FUNCTIONS.meaning(formula || "0", paint), values),

  /** What is shown at these values, network after network, for `start`: the page goes on in between. */
  *ahead({ data: { networks } }, { formula, paint, N }) {
    const over = FUNCTIONS.measuring(networks), text = formula || (paint && "0"), wish = FUNCTIONS.meaning(text, paint), results = []; // painted on nothing
    for (const proof of Object.keys(networks)) {
      yield;
      results.push(yield* over.steps(proof, Number(N), wish, FUNCTIONS.FULL));
    }
    return { over, key: `${paint} ${text}`, N: Number(N), wish, results };
  },

  start(card, { controls, colours: inks, ahead, data: { networks, values: stops } }) {
    const { FULL, COARSE, BLANK, meaning, measuring } = FUNCTIONS, SIDE = 104, LINE = 16, ROW = 19;
    const FACE = { title: "Transformers as universal approximators", stairs: inks.slice(-4, -1), ground: "#fffefb" }; // of a card
    const LEARNT = "Every continuous function has such weights.";
    const PITCH = SIDE + 40, UNDER = 2 * PITCH; // on a phone: from one line of squares to the next; below both stands the table
    const colours = palette(stops), over = ahead?.over ?? measuring(networks), proofs = Object.keys(networks), first = controls.find(({ name }) => name === "formula").start;
    const short = (value) => String(Number(value.toPrecision(3)));
    let wide, squares, still, moving, bar, foot, shown = null;

    /** One line of squares; on a phone two of three, in the second of which the key stands first. */
    function layout(width) {
      wide = width >= 540;
      const left = wide ? 18 : 16, gap = wide ? 14 : 8, across = wide ? proofs.length + 1 : 3;
      const side = Math.min(wide ? 128 : SIDE, (width - left - gap * (across - 1)) / across), column = (k) => left + k * (side + gap);
      still = el(card.svg, "g");
      moving = el(card.svg, "g");
      squares = ["$f$", ...proofs].map((name, k) => {
        const at = k < 3 || wide ? k : k + 1, [x, y] = [column(at % across), 22 + PITCH * Math.floor(at / across)];
        el(still, "rect", { x, y, width: side, height: side, fill: "none", stroke: GREY });
        const end = !wide && at % across === 2; // a long name of the last stays inside
        words(still, end ? x + side : x, y - 8, name, { "font-weight": "bold", "text-anchor": end ? "end" : "start" });
        return { x, y, side, canvas: card.canvas(x, y, side, side) };
      });
      const [{ x, y }] = squares, under = y + side;
      words(still, x + side / 2, under + 14, "$x_1$", { "text-anchor": "middle" });
      for (const [end, anchor] of [[0, "start"], [1, "end"]]) words(still, x + end * side, under + 14, String(end), { "text-anchor": anchor });
      words(still, x - 3, y + side / 2 + 4, "$x_2$", { "text-anchor": "end" });
      bar = wide ? { x, y: under + 34 + ROW * 7 + 14, width: side, height: 10 } : { x, y: y + PITCH, width: side, height: 10 };
      foot = wide ? [squares[1].x, bar.y + 2, width - 156] : [0, UNDER + 30 + ROW * 6, width];
      card.slot?.(wide ? width - 150 : 0, foot[1] + (wide ? 28 : 50), wide ? 150 : width, sharing());
      if (!wide) ["below: how far", "off on average,", "and at worst"].forEach((line, k) => words(still, bar.x, bar.y + 56 + LINE * k, line));
      shown = null;
    }

    function sharing() {
      const button = make("button", { type: "button", style: "flex: 0 0 auto; padding: 0 .6rem" }, "A card to share");
      button.addEventListener("click", () => card.share(`${shown.sentence} ${LEARNT}`, { ...FACE, head: shown.head, pressed: button, name: `transformer ${shown.wish.touched ? "painted by hand" : shown.wish.base.text}` }));
      return button;
    }

    /** What a network is charged for, and what it gives: [name, number as text]. */
    const billOf = ({ net, now, distance, worst, proof, N }) => {
      const { weights, heads, hidden, "not 0": rest } = networks[proof][N], held = now.flatMap(([, arrays]) => Object.values(arrays));
      const nonzero = held.reduce((sum, array) => sum + array.filter((weight) => weight !== 0).length, rest);
      return { layers: net.depth, heads, hidden, weights, nonzero, distance, worst };
    };

    const nameOf = ({ base, touched }) => (touched ? `${base.text}, painted on` : base.text);

    /** The first letters of what is too long for a line. */
    const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

    const rows = { layers: "layers", heads: "heads", hidden: "hidden units", weights: "weights", nonzero: "not 0" };
    const errors = { distance: "off on average", worst: "off at worst" };

    /** A line of the table, its first word at x and each number or name before its end. */
    function drawRow(at, x, name, ends, texts, attributes = {}) {
      el(moving, "line", { x1: x, x2: ends.at(-1), y1: at - 14, y2: at - 14, stroke: GREY, "stroke-opacity": 0.25 });
      words(moving, x, at, name);
      texts.forEach((text, k) => words(moving, ends[k], at, text, { "text-anchor": "end", ...attributes }));
    }

    function drawTable(bills) {
      const [{ x, y, side }, ...others] = squares, ends = others.map((square) => square.x + side);
      const written = (key) => bills.map((bill) => (key in rows ? grouped(bill[key]) : number(bill[key], 3)));
      Object.entries({ ...rows, ...errors }).forEach(([key, name], row) => drawRow(y + side + 36 + ROW * row, x, name, ends, written(key)));
    }

    /** On a phone the errors stand below the squares, and columns are as wide as what is in them. */
    function drawNarrow(bills, width) {
      squares.slice(1).forEach(({ x, y, side }, k) => {
        words(moving, x, y + side + 14, number(bills[k].distance, 3));
        words(moving, x + side, y + side + 14, number(bills[k].worst, 3), { "text-anchor": "end" });
      });
      const table = Object.keys(rows).map((key) => bills.map((bill) => grouped(bill[key]))), heads = proofs.map((name) => name.split(/[ ,]/)[0]);
      const wides = heads.map((head, k) => Math.max(7.2 * head.length, ...table.map((row) => 6.8 * row[k].length)));
      const room = (width - 78 - wides.reduce((sum, wide) => sum + wide)) / wides.length;
      const ends = wides.map((_, k) => 78 + wides.slice(0, k + 1).reduce((sum, wide) => sum + wide + room, 0));
      drawRow(UNDER + 22, 0, "", ends, heads, { "font-weight": "bold" });
      Object.values(rows).forEach((name, k) => drawRow(UNDER + 22 + ROW * (k + 1), 0, name, ends, table[k]));
    }

    function draw({ results, wish, limits, sentence, bills }) {
      const [f] = results, [x, y, right] = foot;
      [{ R: f.R, g: f.f }, ...results].forEach(({ g, R }, k) => paintNumbers(squares[k].canvas, g, R, limits, colours));
      redraw(moving);
      results.forEach(({ lost, N }, k) => {
        const { x: left, y: top, side } = squares[k + 1], [across, up] = [scale([0, 1], [left, left + side]), scale([0, 1], [top + side, top])];
        if (lost) el(moving, "path", { d: FUNCTIONS.hatching(across, up, N), stroke: "#9a9a9a", "stroke-width": 1, fill: "none" });
      });
      if (wide) drawTable(bills);
      else drawNarrow(bills, right);
      gradient(moving, "values", stops, bar);
      limits.forEach((limit, k) => words(moving, bar.x + k * bar.width, bar.y + 24, short(limit), { "text-anchor": k ? "end" : "start" }));
      const most = Math.floor((right - x) / 6.6), whose = wish.touched ? `f, painted by hand${wish.base.text === "0" ? "" : ` on ${wish.base.text}`}` : `f = ${wish.base.text}`;
      if (wide) words(moving, x, y + 6, sentence, { "font-weight": "bold" });
      else sentence.split(/(?<=: )/).forEach((part, k) => words(moving, x, y - 6 + LINE * k, part.trim(), { "font-weight": "bold" }));
      words(moving, x, y + (wide ? 22 : 26), LEARNT);
      words(moving, x, y + (wide ? 38 : 42), cut(whose, most));
    }

    /** Measure what is asked for, unless it is shown. */
    function show(formula, paint, N, R) {
      const key = `${paint} ${formula}`, same = shown?.key === key && shown.N === N;
      if (same && shown.R >= R) return;
      const ready = ahead?.key === key && ahead.N === N && R === FULL ? ahead : null, wish = ready?.wish ?? (same ? shown.wish : meaning(formula, paint));
      const results = ready?.results ?? proofs.map((proof) => over(proof, N, wish, R)), bills = results.map(billOf);
      const limits = results.map((result) => result.limits).reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)]);
      const many = ["no proof", "one proof", "two proofs", "three proofs", "four proofs"][proofs.length] ?? `${proofs.length} proofs`;
      const sentence = `Nobody trained this: ${many} wrote these ${grouped(bills.reduce((sum, { weights }) => sum + weights, 0))} weights.`;
      const head = wish.touched || wish.base.text !== first ? `I ${wish.touched ? "painted" : "typed"} f. Nobody trained the rest.` : FACE.title;
      shown = { key, formula, paint, wish, N, R, results, bills, limits, sentence, head };
      draw(shown);
    }

    let before = null; // the values at the last update
    function update(values, hand) {
      const { formula, N: size } = values, typed = before && before.formula !== formula && before.paint === values.paint;
      const paint = typed ? "" : values.paint; // what is typed is one's own, without what was painted on another
      if (paint !== values.paint) card.set({ paint });
      before = { formula, paint };
      const bare = paint && (formula === "0" || !formula); // painted on nothing: there is no formula to be read
      if (bare && formula) card.set({ formula: before.formula = "" });
      const N = Number(size), R = hand ? COARSE : FULL, messages = {};
      try {
        show(bare ? "0" : formula, paint, N, R);
      } catch ({ message }) {
        show(shown?.formula ?? first, shown?.paint ?? "", N, R);
        messages.formula = `${message} The picture still shows ${nameOf(shown.wish)}.`;
      }
      const { bills, sentence, wish } = shown, own = wish.touched || wish.base.text !== first;
      const said = bills.map(({ layers, heads, hidden, weights, nonzero, distance, worst }, k) => `${proofs[k]}: ${layers} layers, heads ${heads}, hidden units ${grouped(hidden)}, ${grouped(weights)} weights, ${grouped(nonzero)} of them not 0; misses f by ${number(distance, 3)} on average (d\u2082), by ${number(worst, 3)} at the worst pixel`);
      return {
        text: [...said, sentence].join("\n"),
        alt: `Squares with a point for each sequence of two tokens: f, ${nameOf(wish)}, for token 1, and what the networks answer, with ${N} cells a side: ${bills.map(({ distance }, k) => `${proofs[k]}, who miss f by ${number(distance, 3)} on average`).join("; ")}. Below, what each costs. ${sentence}`,
        messages,
        hints: { formula: bare ? "painted by you" : "" },
        own: own ? { formula: wish.base.text, paint: wish.touched ? shown.paint : "" } : null,
        coarse: shown.R < FULL,
      };
    }

    return { layout, update, adopt: ({ formula, paint }) => ({ formula, paint: paint === BLANK ? "" : paint }) };
  },
};
