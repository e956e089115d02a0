// The film of a square: after each layer what token 1 is, in the colour of the step that made it. The `steps` of a network are
// [layers that cut, and that tell apart as well, all]; a network of attention alone cuts nothing: one layer puts both tokens
// into one column, the next looks up.

/**
 * What a state of token 1 is after k layers: [step, number]. It is still a token until it leaps, then an id until it is
 * looked up, then an answer, which waits lowered.
 */
PICTURES.square.stageOf = (k, [cut, told, all], state, token, id, lift) => {
  const far = (a, b) => Math.abs(a - b) > 0.001 * Math.max(1, Math.abs(b));
  if (k === all || (!cut && k > told)) return [2, state];
  if (k <= cut || (k < told && !far(state, token))) return [0, state];
  const filed = all > told + 1; // one layer for each id; what is given up is 0 from then on
  if (k <= told || !(far(state, id) || (filed && state < 0.01))) return [1, state];
  return [2, state < -0.5 && filed ? state + lift : state];
};

/** The layer of a film at a moment from 0 to 1: it dwells at the start, and each step takes its time. */
PICTURES.square.layerAt = (moment, [cut, told, all]) => {
  const parts = [[0, 0, 0.06], [0, cut, 0.2], [cut, told, 0.2], [told, all, 0.54]];
  let rest = moment;
  for (const [from, to, share] of parts) {
    if (rest < share) return Math.min(to, from + Math.ceil((rest / share) * (to - from)));
    rest -= share;
  }
  return all;
};

/** How many layers a network has run when another has run k: the steps of both begin together, and one of few layers ends early. */
PICTURES.square.beside = (k, steps, own) => {
  if (k === 0 || steps.at(-1) === own.at(-1)) return k;
  const step = steps.findIndex((end) => k <= end), from = steps[step - 1] ?? 0, first = own[step - 1] ?? 0;
  return first + Math.ceil(((k - from) / (steps[step] - from)) * (own[step] - first));
};

/** Which step has run last after k layers; -1: none, or all. */
PICTURES.square.stepAt = (k, [cut, told, all]) => (k === 0 || k === all ? -1 : k <= cut ? 0 : k <= told ? 1 : 2);

/** What the step does that runs now, in a line. */
PICTURES.square.stepWords = (k, [cut, told, all], N) => {
  if (!cut) return ["No layer yet: token 1 is still $x_1$ itself.", "", "Token 1 and token 2 now share a column.", "One head answers: a mean of $f$'s values nearby."][PICTURES.square.stepAt(k, [cut, told, all]) + 1];
  const look = all > told + 1 ? "Each layer answers one cell: $f$'s value there." : "One layer gives each cell $f$'s value there.";
  return ["No layer yet: token 1 is still $x_1$ itself.", `Token 1 snaps to one of ${N} values.`, "Each cell of the square gets its own number.", look][PICTURES.square.stepAt(k, [cut, told, all]) + 1];
};

/** The states after each layer of what is shown, step by step. */
PICTURES.square.states = function* (shown, all) {
  const { COARSE, pixels, overSquare } = FUNCTIONS, { net, lift, wish } = shown, states = yield* overSquare(net, COARSE, true, !all[0]);
  const most = Math.sqrt(states[all[1]].reduce((a, b) => Math.max(a, b), 0));
  return { net, states, steps: all, lift, most, f: wish.f(...pixels(COARSE)) };
};

/**
 * What plays it. `scene` has lead(), the network whose layers it counts, stepsOf(network), draw(k), which draws a frame, all(),
 * the networks that have steps, and over(), which is called when the film has ended or was stopped.
 */
PICTURES.square.film = (card, { lead, stepsOf, draw, all, over }) => {
  const { layerAt, stageOf } = PICTURES.square, RUNS = 5_200, STANDS = 900; // milliseconds, of the film and of the picture before it begins by itself
  let films = []; // of the networks that are shown
  let waiting = 0; // until it begins by itself
  let playing = 0; // the frame that comes next
  let moment = 1; // of the film, from 0 to 1
  let seen = true; // whether the picture is on the screen
  let buttons = null;

  const steps = () => lead() && stepsOf(lead());
  const depth = () => lead().net.depth;
  function filmed(one) {
    return keep(films.find(({ net }) => net === one.net) ?? atOnce(PICTURES.square.states(one, stepsOf(one))));
  }
  function keep(kept) {
    films = [kept, ...films.filter((film) => film !== kept)].slice(0, 2);
    return kept;
  }
  const layer = () => layerAt(moment, steps());
  const refresh = () => card.redraw?.();

  /** For each pixel what a network makes of it after k layers: [step, number]. */
  function frame(k, one) {
    const { states, steps: all, lift } = filmed(one), [state, token, id] = [k, all[0], all[1]].map((i) => states[i]);
    return Array.from(state, (value, p) => stageOf(k, all, value, token[p], id[p], lift));
  }

  function projector() {
    const button = make("button", { type: "button" }, ""), scrub = make("input", { type: "range", min: 0, max: 1, step: 1, "aria-label": "layers that have run", autocomplete: "off" });
    button.addEventListener("click", () => (playing ? pause() : play()));
    scrub.addEventListener("input", () => {
      stop();
      card.set({ layer: Number(scrub.value) === depth() ? "" : scrub.value });
    });
    scrub.addEventListener("keydown", ({ key }) => key !== "Tab" && playing && pause()); // a key that moves nothing holds it, too
    letScroll(scrub);
    buttons = { button, scrub };
    sayPlaying();
    return [button, scrub];
  }

  function sayPlaying() {
    if (!buttons) return;
    const word = playing ? "Pause" : "Play";
    buttons.button.textContent = word;
    buttons.button.setAttribute("aria-label", `${word} the layers`);
  }

  /** Show on the slider that k layers have run, in these words. */
  function tell(k, said) {
    if (!buttons) return;
    buttons.button.disabled = buttons.scrub.disabled = !steps();
    buttons.scrub.max = steps() ? depth() : 1;
    buttons.scrub.value = k;
    buttons.scrub.setAttribute("aria-valuetext", said);
  }

  function stop() {
    const stopped = playing;
    stay();
    if (playing) cancelAnimationFrame(playing);
    playing = 0;
    sayPlaying();
    if (stopped) over();
  }

  /** Do not begin by itself any more. */
  function stay() {
    if (!waiting) return;
    clearTimeout(waiting);
    waiting = 0;
    over();
  }

  /** Stand where the film is. */
  function pause() {
    stop();
    card.set({ layer: layer() === depth() ? "" : String(layer()) });
    refresh();
  }

  /** From where it stands, or from the start. */
  function play() {
    waiting = 0;
    const { layer: from } = card.values;
    let last = performance.now(), drawnLayer = -1;
    moment = 0;
    while (from && moment < 1 && layer() < Number(from)) moment += 0.002;
    const step = (now) => {
      playing = requestAnimationFrame(step);
      if (seen) moment = Math.min(1, moment + Math.min(250, now - last) / RUNS);
      last = now;
      if (layer() !== drawnLayer) {
        drawnLayer = layer();
        draw(drawnLayer);
        finish();
      }
      if (layer() < depth()) return;
      stop();
      card.set({ layer: "" });
      refresh();
    };
    playing = requestAnimationFrame(step);
    sayPlaying();
    if (from) card.set({ layer: "" });
    refresh();
  }

  /** Begin when the picture has been seen as it stands: until then what the film shows is computed, and the page goes on in between. */
  function begin() {
    const end = performance.now() + STANDS, work = all().flatMap((one) => (films.some(({ net }) => net === one.net) ? [] : [PICTURES.square.states(one, stepsOf(one))]));
    const go = () => {
      const { done, value } = work[0]?.next() ?? {};
      if (done) keep(value) && work.shift();
      if (!work.length && performance.now() >= end && seen) play();
      else waiting = setTimeout(go, work.length ? 0 : 50);
    };
    waiting = setTimeout(go);
  }

  try {
    new IntersectionObserver((entries) => (seen = entries.at(-1).isIntersecting), { threshold: 0.2 }).observe(card.stage);
  } catch {
    // An older browser: it plays on.
  }

  return { filmed, frame, layer, projector, tell, begin, play, pause, stop, stay, playing: () => playing !== 0 };
};
