// The card of a live picture: the page itself computes what it shows, at once, as the reader moves it.
//
// A picture is a file pictures/<name>.js that knows its drawing, and nothing of the card:
//
//   PICTURES.name = {
//     start(card, spec) {
//       return {
//         layout(width, height, low) {},         // draw what stands still; again when the card has another width, or lies on
//                                                             // a screen of another height: `low` has less than 500 pixels
//         update(values, moving) { return { text, alt }; },   // draw what moves, in less than 16 ms, in groups that
//                                                             // redraw() of draw.js was called for
//         adopt(own) {},                       // which values show what the reader made in another picture, if the class
//                                              // `adopts`
//         pressed(k) {},                       // handle k was pressed and let go where it was; optional
//       };
//     },
//     sketch(canvas, spec, values) {},         // what is shown at once of values that are not the first, in place of the first
//                                              // image of the first frame, while the long work lasts. Optional
//     *ahead(spec, values) {},                 // long work for the first values, in steps of some milliseconds: the page goes
//                                              // on in between, and what is returned is `spec.ahead`. Optional
//   };
//
// spec is what LivePicture.spec() of Python gives: {name, title, picture, size, colours, controls, handles, data, goals}. `data`
// is the picture's own; `colours` are those of the house; `size` = [ratio, low, high] makes the height of the picture
// ratio * width, but at least low and at most high: known to the page before this script runs. A fourth number is the
// height where the picture is narrower than 540. A picture with `drawn`, {wide, narrow, low: [width, height]}, is laid out at
// these sizes alone, and shown as large as there is room: so is what the page shows before this script, which nothing replaces.
//
// values: {name: value} of the controls: a number (slider), a text (menu: the key of the choice; text), a boolean
// (checkbox). `moving` is true while the hand moves: a costly picture draws less then and returns `coarse: true`, and
// gets another update when the hand rests.
//
// update returns
//   text      the read-out, lines separated by \n
//   alt       what the picture shows now, for readers who do not see it
//   hide      names of controls that mean nothing at these values (with the handles that they move); optional
//   choices   {name of a menu: the keys that it offers at these values, or {key: what stands there}}; optional
//   hints     {name of a field: what stands in it while it is empty}; optional
//   messages  {name of a control: what is wrong with its value}; the picture keeps showing its last, which fades; optional
//   remarks   {name of a text: what there is to know of a value that is right}; optional
//   coarse    see above; optional
//   own       {name: text} of what is shown, if the reader made it: the browser keeps the last, for all pictures with
//             `adopt`; else null. Optional
//   goals     {name: () => [reached, sentence]}: what can be reached in such a picture, and whether it is now. The sentence
//             stands behind "Not yet:" or "Won:": while the goal is not reached it says what is missing, and does not
//             give away how to get there; once it is, what is there, or "", and what the goal has as `gained` stands behind
//             it. The card asks about those of spec.goals. Optional
// If it throws, the card says so, and the last picture stays.
//
// card:
//   svg       the picture's own SVG element, one unit a CSS pixel, emptied before each layout(); draw.js draws on it
//   values    the values now
//   place(k, x, y)   where handle k of spec.handles stands: for each axis a scale of draw.js (if the handle has a control
//             for it: the card drags along the scale, whose `invert` is also told the pixel on the other axis) or a number of
//             pixels. Call it in layout() or update(). The picture draws what is at that place, a token say; the card lays a
//             ring of 32 px around it that can be held, with range inputs in it for the keyboard, screen readers and touch.
//   canvas(x, y, width, height)   a canvas below the SVG, for maps of many pixels; made anew in each layout()
//   slot(x, y, width, ...elements)   a row of buttons and the like in the picture, made anew in each layout(). What is in it
//             should say nothing that the picture does not: it is there only where scripts run
//   stage     the element that holds the picture, for what has to know whether it is seen
//   drag(element, began)   another thing to hold: began(x, y, event) returns nothing, or {move(x, y), end(cancelled), free,
//             jumps, stays}. A finger that starts up or down scrolls the page, but not from what is free; what jumps goes to
//             the hand at once, under a finger when it is clear that the page does not scroll. From what stays the page
//             scrolls only under a finger that is quick: see WAIT
//   share(words, {name, title, head, stairs, ground, pressed})   hand on the picture as a PNG of that name on that ground. Above
//             it stand stairs in these colours and the head; the title stands at the foot, or above where there is no head. With it
//             go the words and the link to its setting: to what the device shares with, or among the downloads, and the link
//             where the next paste takes it; the button that was pressed says so
//   redraw()      ask for an update, where what is to be seen changed by itself
//   set(values)   move controls from within the picture
//
// spec.handles: [{label, x, y}], x and y names of sliders, one of them null if it moves along a line. Sliders of handles
// stand in the picture and nowhere else; all other controls stand above it. A control of kind "hidden" stands nowhere: a
// text, such as a painted surface, that belongs to the setting and its address.

const MINE = "uat-mine"; // what this reader made last, a function say: {name: text}

/** What is kept, or null. */
function mine() {
  try {
    const kept = JSON.parse(localStorage.getItem(MINE));
    const texts = Object.values(Object(kept));
    return texts.length && texts.every((text) => typeof text === "string") ? kept : null;
  } catch {
    return null;
  }
}

/** Keep it instead; null: forget. */
function keepMine(own) {
  try {
    if (own) localStorage.setItem(MINE, JSON.stringify(own));
    else localStorage.removeItem(MINE);
  } catch {
    // The browser keeps nothing: so be it.
  }
  dispatchEvent(new Event(MINE));
}

/** Offer what is kept on a button of this card, with a small picture of it where the kind can sketch one. */
function offerMine(button, spec, kept) {
  const canvas = button?.querySelector("canvas"), text = JSON.stringify(kept);
  button?.classList.toggle("room", !kept);
  if (!kept || !canvas || canvas.shows === text) return;
  canvas.shows = text;
  try {
    PICTURES[spec.picture].sketch(canvas, spec, kept);
  } catch {
    // Kept by another version of this page: the picture says what is wrong.
  }
}

const PICTURES = {};
const REST = 150; // milliseconds without a move until the hand rests
// Milliseconds from which on a finger that has not left its place draws, and does not scroll. Where a hand draws in all
// directions its strokes and the swipes that scroll look alike but for their beginning: a swipe is off at once; a stroke starts
// sideways, or the finger is set down first, or goes slowly, and needs longer to go as far as a browser takes for a move (10 to
// 15 pixels). Where the page ends there is nothing to scroll to, and each stroke draws. Until that is decided nothing is drawn, so
// that a swipe leaves nothing behind. The first touchmove decides: a browser that has begun to scroll takes the finger away
// (pointercancel), and one whose first touchmove is prevented never begins.
const WAIT = 90;

/** How high a picture is on a stage of this width. */
const heightOf = ([ratio, low, high, narrow], width) =>
  narrow && width < 540 ? narrow : Math.round(Math.min(high, Math.max(low, ratio * width)));

/** How wide and high a picture is laid out on a stage of this width; the style sheet has the same limit. */
const sizeOf = ({ size, drawn }, width, low) => drawn?.[width < 500 ? "narrow" : low ? "low" : "wide"] ?? [width, heightOf(size, width)];

/** The values of controls at these positions, by name. */
const valuesAt = (controls, at) =>
  Object.fromEntries(
    controls.map(({ name, kind, keys }, i) => [name, kind === "checkbox" ? Boolean(at[i]) : (keys?.[at[i]] ?? at[i])]),
  );

/** Where a value stands in its control. */
const positionOf = ({ keys }, value) => (keys ? keys.indexOf(String(value)) : value);

/** Positions of controls at these values; those that are not named stay. */
const movedTo = (controls, at, wanted) => controls.map((control, i) => (control.name in wanted ? positionOf(control, wanted[control.name]) : at[i]));

/** Of each goal that is wanted whether it is reached, and a sentence, by a picture that offers some. */
function judged(wanted, offered = {}) {
  return wanted.map(({ name }) => {
    if (offered[name]) return offered[name]();
    throw new Error(`goals: expected some of ${Object.keys(offered).join(", ") || "none"}, got ${name}.`);
  });
}

function renderLive({ model, el: place }) {
  const spec = model.get("spec");
  const { name, title, controls: specs } = spec;
  const { host, root, box, fields, stage, readout, goals, unfold, heard, note, failure, reset, download, link, yours, forget } = openCard(model, place);
  const svg = el(make("div"), "svg", { role: "img", fill: INK, translate: "no" });
  const board = make("div", { class: "board" }, svg); // of the size at which the picture is laid out
  stage.removeAttribute("style");
  stage.replaceChildren(board);

  let at = [...model.get("at")];
  let held = 0; // pointers that hold something
  let frame = 0, resting = 0, saving = 0; // timers
  let last = 0; // when something moved
  let width = 0, height = 0, isLow = false;
  let shown = null; // the newest result of the picture
  let said = ""; // the read-out, whose words a translator may change
  let drawing = false;
  let byHand = false; // whether the reader moved something since the page, or a link, said where all stands
  const made = new Set(); // names of what the reader moved since: a function that a link brought is nobody's own

  const values = () => valuesAt(specs, at);

  // ------------------------------------------------------------------------------------------------------ controls

  const controls = specs.map((spec, i) => {
    if (spec.kind === "hidden") return { write() {}, element: make("div") };
    const made = attach(root, spec, `first-${name}-${spec.name}`, (value) => change(i, value));
    const complaint = made.element.querySelector(".complaint");
    if (complaint) {
      made.complain = (message, remark) => {
        const said = message || remark;
        if (made.complaint !== said) complaint.textContent = made.complaint = said;
        complaint.classList.toggle("remark", !message);
        made.field.setAttribute("aria-invalid", Boolean(message));
      };
    }
    return made;
  });
  const numbered = (name) => specs.findIndex((control) => control.name === name);

  function change(i, value) {
    if (Object.is(at[i], value)) return;
    byHand ||= !drawing;
    if (!drawing) made.add(specs[i].name);
    at = at.map((old, j) => (j === i ? value : old));
    request();
    if (!drawing) keep(); // what follows from a setting is kept with it
  }

  /** One frame for all moves before it. */
  function request() {
    frame ||= requestAnimationFrame(draw);
    last = performance.now();
    resting ||= setTimeout(rest, REST);
  }

  function rest() {
    const wait = held ? REST : last + REST - performance.now();
    resting = wait > 0 ? setTimeout(rest, wait) : 0;
    if (resting || !shown) return;
    draw();
  }

  /** A hand that lets go rests, and is told at once what it has reached. */
  function letGo() {
    if (shown?.coarse) return;
    clearTimeout(resting);
    last = -REST;
    resting = setTimeout(rest);
  }

  const tell = () => goals.tell(judged(spec.goals, shown.goals), { byHand, moving: resting > 0 });

  /** Tell the page or the kernel; not of every move of a hand. */
  function keep() {
    complaint = "";
    clearTimeout(saving);
    saving = setTimeout(() => {
      saving = 0;
      model.set("at", at);
      model.save_changes();
      if (link) link.href = model.address(at);
      if (shown?.own && Object.keys(shown.own).some((name) => made.has(name))) keepMine(shown.own);
    }, REST);
  }

  // ------------------------------------------------------------------------------------------------------- handles

  const handles = spec.handles.map(({ x, y }) => {
    const ring = make("div", { class: "handle" });
    const axes = [x, y].map((name) => (name == null ? null : numbered(name)));
    const inputs = axes.map((i) => (i === null ? null : controls[i].field));
    axes.forEach((i, k) => {
      if (i === null) return;
      inputs[k].setAttribute("aria-label", specs[i].label);
      ring.append(inputs[k]);
    });
    // In the plane each arrow key moves the way it points.
    if (inputs[0] && inputs[1]) {
      ring.addEventListener("keydown", (event) => {
        if (!event.key.startsWith("Arrow")) return;
        const input = inputs[Number(/Up|Down/.test(event.key))];
        event.preventDefault(); // it would act on the axis that had the focus
        input.focus();
        input[/Up|Right/.test(event.key) ? "stepUp" : "stepDown"]();
        input.dispatchEvent(new Event("input"));
      });
    }
    // A finger may scroll the page up and down from a handle that moves sideways.
    ring.style.touchAction = inputs[1] ? "none" : "pan-y";
    board.append(ring);
    return { ring, axes, inputs, maps: [0, 0], centre: [0, 0] };
  });
  const ofHandles = new Set(handles.flatMap((handle) => handle.axes));
  for (const i of ofHandles) controls[i]?.element.remove();
  fields.hidden = !fields.childElementCount;

  function moveRings() {
    for (const handle of handles) {
      handle.centre = handle.maps.map((map, k) => (typeof map === "function" ? map(at[handle.axes[k]]) : map));
      const [x, y] = handle.centre;
      handle.ring.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  function drag(element, began) {
    let draws = false; // whether the finger is not to scroll the page
    element.addEventListener("mousedown", (event) => event.preventDefault()); // no selection, and the focus stays
    element.addEventListener("touchmove", (event) => draws && event.preventDefault(), { passive: false });
    element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const bounds = () => board.getBoundingClientRect();
      const scale = board.offsetWidth / bounds().width; // it may be shown larger or smaller
      const place = (e) => [(e.clientX - bounds().left) * scale, (e.clientY - bounds().top) * scale];
      const [x, y] = place(event), found = began(x, y, event);
      draws = Boolean(found?.free);
      if (!found) return;
      const { move, end, jumps, stays } = found;
      let waits = event.pointerType === "touch" && !draws; // to see whether the finger wants to scroll
      const { scrollTop, scrollHeight, clientHeight } = document.documentElement, rest = scrollHeight - clientHeight;
      const ends = (down) => rest > 0 && (down ? scrollTop <= 0 : scrollTop >= rest - 1);
      const mine = (act) => (e) => e.pointerId === event.pointerId && act(e);
      const away = new AbortController();
      const listen = (type, act) => element.addEventListener(type, mine(act), { signal: away.signal });
      const over = (cancelled) => () => {
        away.abort();
        held -= 1;
        if (jumps && waits && !cancelled) move(x, y);
        end?.(cancelled);
        request();
        if (!held) letGo();
      };
      element.setPointerCapture(event.pointerId);
      held += 1;
      if (jumps && !waits) move(x, y);
      listen("pointermove", (e) => {
        const [u, v] = place(e), sideways = Math.abs(u - x) > Math.abs(v - y);
        if (waits && Math.hypot(u - x, v - y) < 4) return; // no hand is still
        waits &&= !(sideways || (stays && (e.timeStamp - event.timeStamp >= WAIT || ends(v > y))));
        draws ||= stays && !waits;
        if (!waits) move(u, v);
      });
      listen("pointerup", over(false));
      listen("pointercancel", over(true));
    });
  }

  for (const handle of handles) {
    drag(handle.ring, (x, y) => {
      // Of handles on top of each other the nearest is meant.
      const distance = ({ ring, centre }) => (ring.hidden ? Infinity : Math.hypot(centre[0] - x, centre[1] - y));
      const { ring, maps, axes, inputs, centre } = handles.reduce((best, other) => (distance(other) < distance(best) ? other : best), handle);
      const pressed = handles.findIndex(({ ring: other }) => other === ring);
      let still = true; // a press, not a drag
      const grip = [centre[0] - x, centre[1] - y], before = axes.map((i) => (i === null ? null : at[i]));
      inputs.find(Boolean).focus({ preventScroll: true });
      ring.classList.add("held");
      const put = (k, value) => {
        inputs[k].value = value;
        inputs[k].dispatchEvent(new Event("input", { bubbles: true }));
      };
      return {
        free: Boolean(inputs[1]),
        move(u, v) {
          still &&= Math.hypot(u - x, v - y) < 4;
          if (still && picture.pressed) return;
          const there = [u + grip[0], v + grip[1]];
          there.forEach((pixel, k) => inputs[k] && put(k, maps[k].invert(pixel, there[1 - k])));
        },
        end(cancelled) {
          ring.classList.remove("held");
          if (still && !cancelled) picture.pressed?.(pressed);
          if (cancelled) before.forEach((value, k) => value !== null && put(k, value)); // the page scrolls instead
        },
      };
    });
  }

  // ------------------------------------------------------------------------------------------------------- drawing

  const card = {
    svg,
    drag,
    get values() {
      return values();
    },
    place(k, x, y) {
      handles[k].maps = [x, y];
    },
    stage: board,
    share,
    redraw: request,
    slot(x, y, w, ...elements) {
      board.append(make("div", { class: "slot", style: `left: ${x}px; top: ${y}px; width: ${w}px` }, ...elements));
    },
    canvas(x, y, w, h) {
      const style = `left: ${x}px; top: ${y}px; width: ${w}px; height: ${h}px`;
      const canvas = make("canvas", { style, "aria-hidden": "true" });
      board.prepend(canvas);
      return canvas;
    },
    set(wanted) {
      movedTo(specs, at, wanted).forEach((position, i) => change(i, position));
    },
  };

  function layOut() {
    const room = stage.clientWidth > 99 ? stage.clientWidth : 640; // in a fold that is closed, or where there is no room
    const low = innerHeight < 500, [wide, high] = sizeOf(spec, room, low), scale = spec.drawn ? (parseFloat(getComputedStyle(stage).width) || room) / wide : 1;
    stage.style.height = `${high * scale}px`;
    board.style = `width: ${wide}px; height: ${high}px;${scale === 1 ? "" : ` transform: scale(${scale})`}`;
    if (wide === width && high === height && low === isLow) return;
    [width, height, isLow] = [wide, high, low];
    set(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    svg.replaceChildren();
    const tools = () => [...board.querySelectorAll(".slot :is(button, input, select, a)")], focused = tools().indexOf(root.activeElement);
    board.querySelectorAll("canvas, .slot").forEach((part) => part.remove());
    picture.layout(width, height, low);
    draw();
    tools()[focused]?.focus({ preventScroll: true }); // what took the place of the one that had it
  }

  function draw() {
    cancelAnimationFrame(frame);
    frame = 0;
    controls.forEach((control, i) => control.write(at[i]));
    drawing = true;
    try {
      shown = picture.update(values(), resting > 0);
      failure.textContent = "";
    } catch (error) {
      failure.textContent = `This cannot be drawn. ${error.message}`;
      box.classList.add("stale");
      return;
    } finally {
      finish();
      drawing = false;
    }
    const { text, alt, hide = [], choices = {}, messages = {}, remarks = {}, hints = {}, coarse } = shown;
    const news = !coarse && tell();
    box.classList.toggle("stale", Object.keys(messages).length > 0);
    moveRings();
    specs.forEach(({ name }, i) => {
      controls[i].element.hidden = hide.includes(name);
      controls[i].word?.toggleAttribute("hidden", hide.includes(name));
      controls[i].complain?.(messages[name] ?? "", remarks[name] ?? "");
      if (name in hints) controls[i].field.placeholder = hints[name];
      const options = [...(controls[i].field?.options ?? [])];
      const offered = choices[name] ?? specs[i].keys, names = Array.isArray(offered) ? {} : (offered ?? {});
      options.forEach((option, k) => {
        const key = specs[i].keys[k];
        option.hidden = option.disabled = !(key in names || offered.includes?.(key));
        if (names[key] && option.text !== names[key]) option.text = names[key];
      });
    });
    for (const { ring, axes } of handles) ring.hidden = axes.some((i) => i !== null && hide.includes(specs[i].name));
    svg.setAttribute("aria-label", alt);
    note.textContent = complaint;
    const first = !said, other = said !== text;
    if (other) sayIn(readout, (said = text));
    if (!first && (other || news)) heard.tell(goals.around(text));
    host.dataset.at = at.join();
    tellMine();
  }

  // ------------------------------------------------------------------------------------------------------- actions

  let complaint = model.complaint?.() ?? "";
  reset.addEventListener("click", () => {
    at = specs.map((control) => control.start);
    byHand = false;
    made.clear();
    request();
    keep();
  });
  /** The picture as it stands, without its canvases; its name, and what it shows. */
  function pictured() {
    const copy = svg.cloneNode(true);
    copy.setAttribute("font-family", "sans-serif");
    copy.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:space", "preserve"); // between words and letters
    const moved = specs.filter(({ kind, start }, i) => kind !== "hidden" && at[i] !== start);
    const settings = moved.map((control) => `${control.name}-${written(control, at[numbered(control.name)])}`);
    return [copy, [name, ...settings].join("-").replace(/[^\w.-]+/g, "_").slice(0, 120), `${title}: ${readout.textContent}`];
  }
  download.addEventListener("click", () => {
    const [copy, ...named] = pictured();
    for (const canvas of board.querySelectorAll("canvas")) {
      const { left, top, width, height } = canvas.style;
      copy.prepend(el(copy, "image", { x: left, y: top, width, height, preserveAspectRatio: "none", href: canvas.toDataURL() }));
    }
    save(copy, ...named);
  });

  async function share(words, { name: called = name, title: whole = title, pressed, ...face } = {}) {
    const [copy, , shows] = pictured();
    try {
      complaint = await handOn(await bitmap(copy, shows, board, { whole, ...face }), words, { called, hash: link?.hash, pressed });
      request();
    } catch ({ message }) {
      failure.textContent = `No card can be made. ${message}`;
    }
  }
  if (link) link.href = model.address(at);

  const moved = () => {
    if ((saving && !model.address) || model.get("at").join() === at.join()) return; // a kernel's echo: the hand is newer
    clearTimeout(saving); // a page's address is newer than the hand
    saving = 0;
    unfold(at, model.get("at"));
    at = [...model.get("at")];
    byHand = false;
    made.clear();
    complaint = model.complaint?.() ?? "";
    if (link) link.href = model.address(at);
    request();
  };
  const kind = PICTURES[spec.picture];
  if (!kind) throw new Error(`There is no live picture ${spec.picture}.`);
  const picture = kind.start(card, spec);
  /** What the reader made is offered where it can be shown, and forgotten at a press. */
  yours?.addEventListener("click", () => card.set(picture.adopt(mine())));
  forget?.addEventListener("click", () => {
    reset.focus();
    keepMine(null);
  });
  function tellMine() {
    const kept = mine(), same = kept && Object.entries(kept).every(([key, text]) => shown?.own?.[key] === text);
    offerMine(yours, spec, kept);
    forget?.classList.toggle("room", !kept);
    yours?.setAttribute("aria-pressed", Boolean(same));
  }
  addEventListener(MINE, tellMine);
  // Some open with it, where no address asks for anything; none says so until a hand moves something.
  if (spec.adopts === "at once" && model.address && !model.get("asked") && mine()) model.set("adopted", (at = movedTo(specs, at, picture.adopt(mine()))));
  if (link) link.href = model.address(at);

  const observer = new ResizeObserver(layOut);
  layOut();
  observer.observe(stage);
  let wide = 0; // of the read-out: lines that it once had stay, so that what is below does not jump
  const room = new ResizeObserver(([{ contentRect: { width: now, height: high } }]) => {
    if (now === wide) readout.style.minHeight = `${high}px`;
    else requestAnimationFrame(() => (readout.style.minHeight = ""));
    wide = now;
  });
  room.observe(readout);
  model.on("change:at", moved);

  return () => {
    [observer, room].forEach((each) => each.disconnect());
    removeEventListener(MINE, tellMine);
    [resting, saving].forEach(clearTimeout);
    heard.stop();
    cancelAnimationFrame(frame);
    model.off("change:at", moved);
  };
}
