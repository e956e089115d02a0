// One function under several proofs: f, what the network of each answers for token 1 at every pixel, and what each costs.
// The picture is the card that readers hand on: all that it says stands in it.

PICTURES.bill = {
  start(card, { controls, colours: inks, data: { networks, values: stops } }) {
    const { FULL, COARSE, BLANK, meaning, measuring } = FUNCTIONS, SIDE = 104, LINE = 16, ROW = 19;
    const FACE = { title: "Transformers as universal approximators", stairs: inks.slice(-4, -1), ground: "#fffefb" }; // of a card
    const colours = palette(stops), over = measuring(networks), proofs = Object.keys(networks), first = controls.find(({ name }) => name === "formula").start;
    const count = (value) => value.toLocaleString("en"), short = (value) => String(Number(value.toPrecision(3)));
    let wide, squares, still, moving, foot, shown = null;

    function layout(width) {
      wide = width >= 540;
      const left = 18, gap = wide ? 14 : 12, side = wide ? Math.min(128, (width - left - gap * proofs.length) / (proofs.length + 1)) : SIDE;
      still = el(card.svg, "g");
      moving = el(card.svg, "g");
      squares = ["$f$", ...proofs].map((name, k) => {
        const [x, y] = wide ? [left + k * (side + gap), 22] : [left, k * (side + 22)];
        el(still, "rect", { x, y, width: side, height: side, fill: "none", stroke: GREY });
        if (wide) words(still, x, y - 8, name, { "font-weight": "bold" });
        return { name, x, y, side, canvas: card.canvas(x, y, side, side), beside: x + side + 12 };
      });
      const [{ x, y }] = squares, under = y + side;
      words(still, x + side / 2, under + 14, "$x_1$", { "text-anchor": "middle" });
      for (const [end, anchor] of [[0, "start"], [1, "end"]]) words(still, x + end * side, under + 14, String(end), { "text-anchor": anchor });
      words(still, x - 3, y + side / 2 + 4, "$x_2$", { "text-anchor": "end" });
      foot = wide ? [squares[1].x, under + 36 + ROW * 7 + 14, width - 128] : [0, squares.at(-1).y + side + 30, width];
      card.slot?.(wide ? width - 122 : 0, foot[1] + (wide ? 14 : 34), wide ? 122 : width, sharing());
      shown = null;
    }

    function sharing() {
      const button = make("button", { type: "button" }, "A card to share");
      button.addEventListener("click", () => card.share(shown.sentence, { ...FACE, name: `transformer ${shown.wish.touched ? "painted by hand" : shown.wish.base.text}` }));
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

    function drawTable(bills) {
      const rows = { layers: "layers", heads: "heads", hidden: "hidden units", weights: "weights", nonzero: "not 0", distance: "off on average", worst: "off at worst" };
      const [{ x, y, side }] = squares, right = squares.at(-1).x + side;
      Object.entries(rows).forEach(([key, name], row) => {
        const at = y + side + 36 + ROW * row;
        el(moving, "line", { x1: x, x2: right, y1: at - 14, y2: at - 14, stroke: GREY, "stroke-opacity": 0.25 });
        words(moving, x, at, name);
        bills.forEach((bill, k) => words(moving, squares[k + 1].x + side, at, Number.isInteger(bill[key]) && row < 5 ? count(bill[key]) : number(bill[key], 3), { "text-anchor": "end" }));
      });
    }

    function drawLists(bills, limits) {
      const list = (square, lines) => lines.forEach((line, k) => words(moving, square.beside, square.y + 11 + LINE * k, line, { "font-weight": k ? "normal" : "bold" }));
      list(squares[0], ["$f$", "", "", `from ${limits.map(short).join(" to ")}`]);
      bills.forEach((bill, k) => {
        const s = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
        const { layers, heads, hidden, weights, nonzero, distance, worst } = bill;
        list(squares[k + 1], [proofs[k], `${s(layers, "layer")}, ${s(heads, "head")}`, s(hidden, "hidden unit"), s(weights, "weight"), `${count(nonzero)} of them not 0`, `${number(distance, 3)} off on average`, `${number(worst, 3)} off at worst`]);
      });
    }

    function draw({ results, wish, limits, sentence, bills }) {
      const [f] = results;
      [{ R: f.R, g: f.f }, ...results].forEach(({ g, R }, k) => paintNumbers(squares[k].canvas, g, R, limits, colours));
      redraw(moving);
      if (wide) drawTable(bills);
      else drawLists(bills, limits);
      const [x, y, right] = foot, [{ x: left, y: top, side, beside }] = squares, bar = wide ? { x: left, y: y - 2, width: side, height: 10 } : { x: beside, y: top + 20, width: 80, height: 10 };
      gradient(moving, "values", stops, bar);
      if (wide) limits.forEach((limit, k) => words(moving, bar.x + k * side, bar.y + 24, short(limit), { "text-anchor": k ? "end" : "start" }));
      const most = Math.floor((right - x) / 6.6), whose = wish.touched ? `f, painted by hand${wish.base.text === "0" ? "" : ` on ${wish.base.text}`}` : `f = ${wish.base.text}`;
      if (wide) words(moving, x, y + 6, sentence, { "font-weight": "bold" });
      else sentence.split(/(?<=: )/).forEach((part, k) => words(moving, x, y - 6 + LINE * k, part.trim(), { "font-weight": "bold" }));
      words(moving, x, y + 26, cut(whose, most));
    }

    /** Measure what is asked for, unless it is shown. */
    function show(formula, paint, N, R) {
      const key = `${paint} ${formula}`, same = shown?.key === key && shown.N === N;
      if (same && shown.R >= R) return;
      const wish = same ? shown.wish : meaning(formula, paint), results = proofs.map((proof) => over(proof, N, wish, R)), bills = results.map(billOf);
      const limits = results.map((result) => result.limits).reduce(([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)]);
      const many = ["no proof", "one proof", "two proofs", "three proofs", "four proofs"][proofs.length] ?? `${proofs.length} proofs`;
      const sentence = `Nobody trained this: ${many} wrote these ${count(bills.reduce((sum, { weights }) => sum + weights, 0))} weights.`;
      shown = { key, formula, paint, wish, N, R, results, bills, limits, sentence };
      draw(shown);
    }

    let before = null; // the values at the last update
    function update(values, hand) {
      const { formula, N: size } = values, typed = before && before.formula !== formula && before.paint === values.paint;
      const paint = typed ? "" : values.paint; // what is typed is one's own, without what was painted on another
      if (paint !== values.paint) card.set({ paint });
      before = { formula, paint };
      const N = Number(size), R = hand ? COARSE : FULL, messages = {};
      try {
        show(formula, paint, N, R);
      } catch ({ message }) {
        show(shown?.formula ?? first, shown?.paint ?? "", N, R);
        messages.formula = `${message} The picture still shows ${nameOf(shown.wish)}.`;
      }
      const { bills, sentence, wish } = shown, own = wish.touched || wish.base.text !== first;
      const said = bills.map(({ layers, heads, hidden, weights, nonzero, distance, worst }, k) => `${proofs[k]}: ${layers} layers, heads ${heads}, hidden units ${count(hidden)}, ${count(weights)} weights, ${count(nonzero)} of them not 0; misses f by ${number(distance, 3)} on average (d\u2082), by ${number(worst, 3)} at the worst pixel`);
      return {
        text: [...said, sentence].join("\n"),
        alt: `Squares with a point for each sequence of two tokens: f, ${nameOf(wish)}, for token 1, and what the networks answer, with ${N} cells a side: ${bills.map(({ distance }, k) => `${proofs[k]}, who miss f by ${number(distance, 3)} on average`).join("; ")}. Below, what each costs. ${sentence}`,
        messages,
        own: own ? { formula: wish.base.text, paint: wish.touched ? shown.paint : "" } : null,
        coarse: shown.R < FULL,
      };
    }

    return { layout, update, adopt: ({ formula, paint }) => ({ formula, paint: paint === BLANK ? "" : paint }) };
  },
};
