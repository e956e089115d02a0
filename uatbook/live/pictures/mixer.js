// A kernel that the reader types: a verdict for each n, two sets of tokens that attention with it takes for each other, and
// a bar for each trap. mixer_search.js has the search, which the page runs a few milliseconds at a time; typing on ends it.

const VERDICTS = new Map(); // of all searches that came to their end, by formula, division and n

PICTURES.mixer = {
  *ahead({ data }, { k, divided }) {
    for (const n of Object.keys(data.asked[1])) yield* PICTURES.mixer.verdict(PICTURES.mixer.kernel(k), divided, n, data);
  },
  /** What a text means: the formula, the entries of a token, and whether it may have kinks. */
  kernel(text) {
    const k = readFormula(text, { s: 0, x: 1, y: 2 }), has = (...names) => names.some((name) => k.uses.has(name));
    if (has("s") && has("x", "y")) throw new Error("expected s alone, or x and y without s, got both: s is the inner product of a key and a query in the plane, x and y are a key and a query that are numbers.");
    return { text, k, d: has("x", "y") ? 1 : 2, bent: k.steps || has("abs", "min", "max", "relu", "elu"), bare: ![...k.uses].some((name) => name.length > 1) };
  },
  key: (text, divided, n) => [text, divided, n].join("\n"),
  *verdict({ text, k, d }, divided, n, { asked, rules }) {
    const key = PICTURES.mixer.key(text, divided, n), given = asked[d][n];
    if (VERDICTS.has(key)) return;
    const said = yield* PICTURES.mixer.search(k, divided, given, rules), [family, ...XY] = given.pairs[said.worst];
    VERDICTS.set(key, { ...said, family, XY });
  },
  start(card, { colours, controls, data }) {
    const { asked, rules } = data, { kernel, key, verdict } = PICTURES.mixer, NS = Object.keys(asked[1]);
    const [blue, pink] = colours, red = colours[9], SAME = 1e-6, [LOW, HIGH] = [0.1, 1e15], GAP = 22, RING = 12, ROW = 44, MARKS = ROW * NS.length, SLICE = 5; // a row a verdict; milliseconds of search at a time
    const NOT_TRIED = "Not tried: other pairs, tokens that are 0 or have more entries, more layers, biases, feed-forward layers.";
    const AS = { softmax: "exp(s)", dot: "s", linear: "s", gauss: "exp(-s^2)" };
    const { told } = rules, { start: first } = controls.find(({ name }) => name === "k");
    let shown = null; // what is drawn: {text, n, divided, k, d, X, Y, ...} of the search
    let job = null; // the search that is under way, {of, n, step}; its step in words
    let marks = [], rows = []; // for each n a button, where there is a page, and what stands below it in the picture

    function marked() {
      return (marks = NS.map((n) => {
        const mark = make("button", { type: "button", style: "flex: 1 1 0; min-height: 36px; padding: 0 .6rem; overflow: hidden; text-align: start; text-overflow: ellipsis" });
        mark.addEventListener("click", () => card.set({ n }));
        return mark;
      }));
    }

    let wide, side, panels, bars, still, moving;

    // -------------------------------------------------------------------------------------------------------- the verdict

    const heard = ({ text }, divided, n) => VERDICTS.get(key(text, divided, n));

    /** The pair that a search found hardest, or null where none has come to its end. */
    function drawn(found, divided, n) {
      const said = heard(found, divided, n);
      if (!said) return null;
      const { XY } = said, [which, i, j] = said.place, [a, b] = [[0, 1], [0, 0], [1, 1]][which];
      const tokens = (X) => X[0].map((_, at) => X.map((row) => row[at]));
      return { ...found, ...said, n, divided, i, j, one: a === b, X: tokens(XY[a]), Y: tokens(XY[b]) }; // one: two tokens of one sequence, X
    }

    /** Search for all n, the one that is looked at first; where there is a page, it goes on in between. */
    function search(found, divided, first) {
      const of = key(found.text, divided, ""), left = [first, ...NS].filter((n) => !heard(found, divided, n));
      if (job?.of === of) return;
      job = null;
      if (!card.slot) for (const n of left) for (const _ of verdict(found, divided, n, data));
      else if (left.length) run((job = { of, n: first, step: "asked next" }), found, divided, left);
    }

    async function run(mine, found, divided, left) {
      for (const n of left) {
        const work = verdict(found, divided, n, data);
        mine.n = n;
        for (let done, began = performance.now(); !done; began = performance.now()) {
          while (!done && performance.now() - began < SLICE) ({ done, value: mine.step = "" } = work.next());
          if (!done) write();
          await new Promise((go) => setTimeout(go));
          if (job !== mine) return;
        }
        card.redraw();
      }
      job = null;
    }

    /** What stands in the line of each n. */
    function write() {
      NS.forEach((n, k) => {
        for (const place of [rows[k], marks[k]]) if (place) place.textContent = line(n);
        marks[k]?.setAttribute("aria-pressed", String(n === shown?.n));
      });
    }

    function line(n) {
      const { verdict, family, sum } = VERDICTS.get((job?.of ?? key(shown.text, shown.divided, "")) + n) ?? {};
      return `n = ${n}: ${{ no: `no, ${family}`, yes: "yes, no trap closes", unsure: sum ? "unsure, a sum is 0" : "unsure" }[verdict] ?? (job?.n === n ? job.step : "asked next")}`;
    }

    // --------------------------------------------------------------------------------------------------------- the drawing

    /** Two squares side by side, X and Y; the traps beside them, or below where there is no room. */
    function layout(width, height) {
      wide = width >= 540;
      const whole = wide ? Math.min(0.6 * width, width - 262) : width, top = MARKS + 50;
      side = Math.min((whole - GAP - 4) / 2, height - top - 26);
      panels = [2, 2 + side + GAP].map((left) => ({ left, top, x: left + side / 2, y: top + side / 2 }));
      const x = wide ? whole + 14 : 2, y = wide ? 50 : top + side + 80, count = Math.max(...[1, 2].flatMap((d) => Object.values(asked[d]).map(({ pairs }) => new Set(pairs.map(([family]) => family)).size)));
      const map = scale([Math.log10(LOW), Math.log10(HIGH)], [x, width - 4]);
      bars = { x, y, row: Math.min(19, (height - y - 20) / count), at: (gap) => map(Math.log10(Math.min(HIGH, Math.max(LOW, gap)))) };
      marks = [];
      if (card.slot) marked().forEach((mark, k) => card.slot(2, k * ROW + 4, whole - 4, mark));
      still = el(card.svg, "g");
      moving = el(card.svg, "g");
      rows = NS.map((n, k) => words(still, 12, k * ROW + 27, "")); // below the buttons: for a file, and where no script runs
      words(still, bars.x, y - 38, "each trap's gap, in units of rounding:");
      words(still, bars.x, y - 22, "1 is what floats lose by themselves");
      words(still, bars.at(rules.fooled) - 4, y - 6, "alike", { "text-anchor": "end" });
      words(still, bars.at(told) + 4, y - 6, "told apart, in this search");
      for (const [end, said] of [[rules.fooled, number(rules.fooled, 0)], [told, short(told)]]) words(still, bars.at(end), y + count * bars.row + 14, said, { "text-anchor": "middle" });
    }

    const near = (one, two) => one.every((t, r) => Math.abs(t - two[r]) < SAME);

    function drawSets({ verdict, family, gap, sum, d, X, Y, i, j, one }) {
      const most = 1.18 * Math.max(...[...X, ...Y].flat().map(Math.abs)), alike = verdict === "no", bold = { "font-weight": "bold" };
      words(moving, 2, MARKS + 18, { no: "The ringed tokens come out alike:", yes: `Hardest: ${family}.`, unsure: sum ? "Not defined: the weights add up to 0." : "Perhaps rounding, or too little was seen." }[verdict], alike ? { ...bold, fill: red } : {});
      words(moving, 2, MARKS + 36, `${alike ? "their gap is" : "Gap of the ringed tokens:"} ${short(gap)} units${alike ? ", which is rounding" : ""}.`);
      words(moving, 2, panels[0].top + side + 18, one ? "one sequence; rings: two that listen; +: 0" : "black: a token of both; ring: who listens; +: 0");
      if (!one) words(moving, panels[0].left + side + GAP / 2, panels[0].y + 4, alike ? "=" : verdict === "yes" ? "\u2260" : "?", { ...bold, "text-anchor": "middle" });
      const sets = one ? [[X, [], [i, j]]] : [[X, Y, [i]], [Y, X, [j]]];
      sets.forEach(([own, other, rings], at) => {
        const left = one ? (panels[0].left + panels[1].left) / 2 : panels[at].left, { top, y: v0 } = panels[at], middle = left + side / 2;
        const u = scale([-most, most], [left, left + side]), v = scale([-most, most], [top + side, top]);
        el(moving, "rect", { x: left, y: top, width: side, height: side, fill: "none", stroke: GREY });
        el(moving, "path", { d: `M${middle - 5} ${v0}H${middle + 5}M${middle} ${v0 - 5}V${v0 + 5}`, stroke: GREY });
        words(moving, left + 6, top + 15, `$${"XY"[at]}$`);
        if (d === 1) el(moving, "line", { x1: left, x2: left + side, y1: v(0), y2: v(0), stroke: GREY });
        own.forEach((token, k) => {
          const shared = other.some((each) => near(each, token)), place = [u(token[0]), v(token[1] ?? 0)];
          if (rings.includes(k)) el(moving, "circle", { cx: place[0], cy: place[1], r: RING, fill: "none", stroke: INK, "stroke-width": 1.5 });
          marker(moving, shared ? 0 : at, ...place, { fill: shared ? INK : at ? pink : blue }, 6);
        });
      });
    }

    function drawTraps({ gaps, fooled }) {
      const { x, y, row, at } = bars, rows = Object.entries(gaps);
      rows.forEach(([family, gap], k) => {
        const top = y + k * row, caught = gap <= fooled, seen = !Number.isNaN(gap), end = seen ? Math.max(at(gap), x + 4) : x;
        const stroke = caught ? red : gap >= told ? blue : GREY; // full: this pair fools; open: the search has found nothing
        el(moving, "rect", { x, y: top + 1, width: end - x, height: row - 2, fill: caught ? red : "none", stroke, "stroke-width": 1.3 });
      });
      for (const end of [rules.fooled, told]) el(moving, "line", { x1: at(end), x2: at(end), y1: y, y2: y + rows.length * row, stroke: GREY, "stroke-dasharray": "3 3" });
      rows.forEach(([family, gap], k) => { // over bars and lines, on the ground of the card
        const caught = gap <= fooled, left = caught ? Math.max(at(gap), x + 4) + 5 : x + 4;
        words(moving, left, y + k * row + row / 2 + 4, Number.isNaN(gap) ? `${family}: not seen` : family, HALO);
      });
    }

    // ------------------------------------------------------------------------------------------------------------ in words

    const short = (gap) => (Number.isNaN(gap) ? "not seen" : gap <= rules.fooled ? `at most ${rules.fooled}` : gap < 1000 ? number(gap, 0) : `10^${Math.round(Math.log10(gap))}`.replace(/\^(.*)/, (_, digits) => [...digits].map((digit) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[digit]).join("")));
    const trimmed = (t) => number(t, 3).replace(/\.?0+$/, "");
    const written = (tokens) => tokens.map((token) => (token.length > 1 ? `(${token.map(trimmed).join(", ")})` : trimmed(token[0]))).join(", ");

    function tell({ verdict, resolution, text, n, d, divided, family, gap, gaps, unseen, sum, i, j, X, Y, one, bent, silent }) {
      const tokens = one ? `tokens ${i + 1} and ${j + 1} of X` : `token ${i + 1} of X and token ${j + 1} of Y`, traps = Object.keys(gaps).length;
      const others = answers({ text, divided }).map((verdict, k) => `${NS[k]}: ${verdict || "asked next"}`).join(", ");
      const what = `k = ${text}, ${n} tokens ${d > 1 ? "in the plane" : "on a line"}, one layer${divided ? "" : ", weights as they are"}; of n = ${others}`;
      const why = {
        no: `${family}; ${tokens} come out alike at all parameters tried: gap ${short(gap)} units of rounding`,
        yes: `none of ${traps} traps closes; hardest is ${family}: gap ${short(gap)} units of rounding`,
        unsure: sum ? "not defined there: the sum of the weights is 0, or lost in rounding; leave the weights as they are" : unseen ? "at too many parameters the weights are no finite numbers, or lost in rounding; give a k that is defined for all s" : resolution ? "the outputs change as steeply as rounding would; where weights have both signs, leave them as they are" : `${family}: gap ${short(gap)} units of rounding, which may be rounding or not`,
      }[verdict];
      const sets = one ? `two tokens of one sequence, ${i + 1} and ${j + 1} of X: ${written(X)}` : `X: ${written(X)}; Y: ${written(Y)}`;
      return {
        text: `${what}\n${verdict}: ${why}\n${sets}\n${NOT_TRIED}${bent ? KINK : ""}${silent ? SILENT : ""}`,
        alt: `${one ? "A sequence, two of its tokens ringed" : "Two sets of tokens"}. ${sets}. ${verdict === "no" ? "Alike" : verdict === "yes" ? "Told apart" : "Unsure"}: ${tokens}. Beside them a bar for each of ${traps} traps; ${verdict === "no" ? `that of ${family} is closed` : verdict === "yes" ? "all are open" : "it is not sure of all whether they are open"}.`,
      };
    }

    const KINK = " With a kink or a step, no theorem leads from pairs to finite sets.";
    const SILENT = " At nearly all parameters floats see nothing of these weights: a larger k may say more.";

    function update({ k: text, n, divided }, now) {
      const messages = {}, remarks = {};
      let found = null;
      try {
        found = kernel(text);
        if (divided && found.k.uses.has("sigmoid")) remarks.k = "Attention by the sigmoid, as it is used, leaves its weights as they are.";
      } catch (error) {
        const name = error.message.match(/got (\w+) \(/)?.[1].toLowerCase();
        messages.k = `${error.message}${Object.hasOwn(AS, name) ? ` Write ${AS[name]} for ${name}.` : ""} The picture still shows ${shown?.text ?? first}.`;
        if (!shown) found = kernel(first);
      }
      if (found && job && job.of !== key(found.text, divided, "")) job = null; // typed on
      if (found && !(now && shown)) search(found, divided, n);
      const next = found && drawn(found, divided, n), waits = Boolean(found) && !next;
      shown = next || shown;
      redraw(moving);
      write();
      if (!shown) return { text: `asking about ${found.text}`, alt: `A search for what fools ${found.text} is under way.`, messages, remarks, coarse: true };
      drawSets(shown);
      drawTraps(shown);
      const told = tell(shown), said = waits ? told.text.replace(/^.*/, () => `asking about ${text}; of ${shown.text} it is`) : told.text;
      return { ...told, text: said, messages, remarks, coarse: Boolean(found) && !NS.every((n) => heard(found, divided, n)), goals: goals(shown) };
    }

    /** All verdicts on what is shown, in the order of n; "" where one is to come. */
    const answers = ({ text, divided }) => NS.map((n) => VERDICTS.get(key(text, divided, n))?.verdict ?? "");

    function goals(shown) {
      const all = answers(shown), said = NS.map((n, k) => `n = ${n}: ${all[k] || "asked next"}`).join(", ");
      const is = (...wanted) => wanted.every((verdict, k) => verdict === all[k]);
      return {
        four: () => [is("yes", "no", "yes"), said],
        five: () => [is("yes", "yes", "no"), said],
        none: () => [is("yes", "yes", "yes") && shown.bare, shown.bare ? said : "a function stands in it by name"],
      };
    }

    return { layout, update };
  },
};
