// The one view of an explorer, in anywidget's module format. A notebook's kernel answers its requests, or page.js does.
// explorer.py puts the style sheet, as STYLE, and card.js in front.

const PATIENCE = 10_000; // milliseconds until a request counts as lost
const MOST_FRAMES = 2000;
const DESK = 500; // pixels of a card from which on the wide drawing is shown

function render({ model, el }) {
  const { name, title, alt, controls: specs } = model.get("spec");
  const { host, root, box: group, stage, readout, goals, unfold, heard, note, failure, reset, download, link } = openCard(model, el);
  const picture = make("div", { class: "picture" });
  stage.prepend(picture);
  download.disabled = true;

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const frames = new Map(); // position of every control, joined -> frame
  let at = [...model.get("at")];
  let shown = null; // the frame on the screen
  let asked = null; // the request in flight: one at a time, and the newest wish goes next
  let askedAt = 0; // when: an answer can be lost with its kernel
  let slow = 0; // timer that announces a long computation
  let playing = false;
  let next = 0; // timer of the next step of play
  let byHand = false; // whether the reader moved something since the page, or a link, said where all stands
  let said = ""; // the read-out, whose words a translator may change
  let slim = false; // whether the drawing for a phone is shown

  const key = () => at.join();
  const settings = (positions) => specs.map((spec, i) => `${spec.label} = ${spec.texts[positions[i]]}`).join(", ");

  const controls = specs.map((spec, i) =>
    attach(root, spec, `first-${name}-${spec.name}`, (position) => {
      stop();
      byHand = true;
      move(i, position);
    }),
  );

  function move(i, position) {
    moveTo(at.map((old, j) => (j === i ? position : old)));
  }

  function moveTo(positions) {
    at = positions;
    model.set("at", at);
    model.save_changes();
    update();
  }

  /** Bring controls and picture to the current positions. */
  function update() {
    controls.forEach((control, i) => control.write(at[i]));
    if (link) link.href = model.address(at);
    if (frames.has(key())) show(frames.get(key()));
    else ask();
  }

  function ask() {
    group.setAttribute("aria-busy", "true");
    clearTimeout(slow);
    slow = setTimeout(announce, 200);
    if (asked !== null && Date.now() - askedAt < PATIENCE) return;
    asked = key();
    askedAt = Date.now();
    model.send({ kind: "draw", at });
  }

  function announce() {
    const lost = asked !== null && Date.now() - askedAt >= PATIENCE;
    const advice = lost ? " If the kernel was stopped or restarted, run the cell again." : "";
    note.textContent = `computing \u2026${advice}`;
    if (!lost) slow = setTimeout(announce, PATIENCE);
  }

  function answered(message) {
    if (message?.kind !== "frame") return;
    const answer = message.at.join();
    if (frames.size > MOST_FRAMES) frames.clear();
    if (!message.error) frames.set(answer, message); // an error may be gone at the next try
    if (answer === asked) asked = null;
    if (answer === key()) show(message);
    else if (!frames.has(key())) ask();
  }

  function show(frame) {
    clearTimeout(slow);
    group.removeAttribute("aria-busy");
    shown = frame;
    note.textContent = model.complaint?.() ?? "";
    failure.replaceChildren();
    picture.hidden = readout.hidden = Boolean(frame.error);
    download.disabled = Boolean(frame.error);
    if (frame.error) {
      const details = make("details", {}, make("summary", {}, "Traceback"), make("pre", { tabindex: 0 }, frame.traceback));
      failure.append(make("p", {}, frame.error), ...(frame.traceback ? [details] : []));
      stop();
    } else {
      slim = picture.clientWidth < DESK;
      picture.innerHTML = (slim && frame.narrow) || frame.svg;
      const svg = picture.firstElementChild;
      svg.setAttribute("aria-label", `${alt.replace(/\.?$/, ".")} Now ${settings(frame.at)}.`);
      svg.setAttribute("aria-describedby", readout.id);
      svg.setAttribute("translate", "no");
      goals.tell((frame.reached ?? []).map((there) => [there, ""]), { byHand });
      const told = ["", frame.text].includes(said);
      if (!told && !playing) heard.tell(goals.around(frame.text)); // while it plays, a screen reader would be flooded
      if (said !== frame.text) sayIn(readout, (said = frame.text));
    }
    host.dataset.at = frame.at.join();
    clearTimeout(next);
    if (playing) next = setTimeout(step, 900);
  }

  // Play through one control; a reader who wants no motion gets a button that goes one step instead.
  const played = specs.findIndex((spec) => spec.play);
  const play = controls[played]?.element.querySelector(".play");

  function setPlaying(now) {
    clearTimeout(next);
    playing = now;
    const word = still.matches ? "Next" : playing ? "Pause" : "Play";
    play?.replaceChildren(word);
    play?.setAttribute("aria-label", `${word} ${specs[played].label}`);
  }

  function stop() {
    if (!playing) return;
    setPlaying(false);
    heard.tell(said);
  }

  function step() {
    if (!host.isConnected || at[played] === controls[played].last) stop();
    else move(played, at[played] + 1);
  }

  function pressed() {
    const start = !playing && !still.matches;
    const stopped = playing;
    byHand = true;
    setPlaying(start);
    if (!stopped) move(played, at[played] === controls[played].last ? 0 : at[played] + 1);
  }

  const dress = () => setPlaying(playing && !still.matches);
  if (play) {
    play.addEventListener("click", pressed);
    still.addEventListener("change", dress);
    dress();
  }

  reset.addEventListener("click", () => {
    stop();
    asked = null;
    byHand = false;
    moveTo(specs.map((spec) => spec.start));
  });
  download.addEventListener("click", () => {
    const file = [name, ...specs.map((spec, i) => `${spec.name}-${spec.keys[shown.at[i]]}`)].join("-");
    const copy = new DOMParser().parseFromString(shown.svg, "image/svg+xml").documentElement;
    save(copy, file.replace(/[^\w.-]+/g, "_"), `${title}: ${settings(shown.at)}. ${shown.text}`);
  });

  const moved = () => {
    if (model.get("at").join() === key()) return;
    stop();
    byHand = false;
    unfold(at, model.get("at"));
    at = [...model.get("at")];
    update();
  };
  model.on("msg:custom", answered);
  model.on("change:at", moved);
  const first = model.get("first");
  if (first?.at && !first.error) frames.set(first.at.join(), first);
  update();
  const observer = new ResizeObserver(() => shown && !shown.error && picture.clientWidth < DESK !== slim && show(shown));
  observer.observe(picture);

  return () => {
    observer.disconnect();
    stop();
    clearTimeout(slow);
    heard.stop();
    model.off("msg:custom", answered);
    model.off("change:at", moved);
    still.removeEventListener("change", dress);
  };
}
