// Forms below exercises: what is handed in is judged in the page, and nothing leaves it. What was solved is kept in the
// browser, under the key that goals of live pictures use, too: {"uat-progress": {label: when}}; answers, of each the
// last one that was worth most, under their own: {"uat-answers": {label: what was typed}}.

// First predictions are kept under theirs: {"uat-guesses": {place: choice}}.

const PROGRESS = "uat-progress", ANSWERS = "uat-answers", GUESSES_KEPT = "uat-guesses", EIGHT = 8;

function kept(name) {
  try { return Object(JSON.parse(localStorage.getItem(name))); } catch { return {}; }
}
function keep(name, content) {
  try { localStorage.setItem(name, JSON.stringify(content)); } catch { /* a private window, or no room */ }
}

const decoded = (packed) => new TextDecoder().decode(Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0)));

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// What stands between two backticks, or one, is code, each word of which stays whole where the line is long enough.
const code = (text) => make("code", {}, ...text.split(/(\s+)/).map((part) => (part.trim() ? make("span", { class: "pre" }, part) : part)));
const words = (text) => text.split(/``(.+?)``|`(.+?)`/).flatMap((part, k) => (part === undefined ? [] : k % 3 ? [code(part)] : [part]));

const some = (samples, rows = 3) => [...samples.slice(0, rows), ...(rows > 3 ? ["\u2026"] : [])].join(", ");
const HINTS = {
  whole: () => "a whole number",
  number: () => "12, 0.25 or 3/17",
  wholes: ({ rows }) => `${rows ?? ""} whole numbers: ${some(["1", "2", "3"], rows)}`.trim(),
  numbers: ({ rows }) => `${rows ?? ""} numbers: ${some(["1", "0.5", "3/17"], rows)}`.trim(),
  subset: () => "whole numbers: 1, 2, 3, or none",
};
const called = ({ label }, alone) => (alone ? "Your answer" : label);

// What is empty, and what is to stand there; nothing of an answer is wrong before there is one.
function fillIn(field, raw, alone) {
  if (![raw].flat(2).some((text) => typeof text === "string" && !text.trim())) return;
  const asked = {
    ...HINTS,
    whole: ({ whole }) => whole,
    number: () => `a number, as ${HINTS.number()}`,
    table: () => `a number in each place, as ${HINTS.number()}`,
    subset: () => `${HINTS.subset()}, or none`,
    choice: ({ options }) => (options.join().length < 60 ? options.join(", ") : `the ${options.length} answers`),
  }[field.kind](field);
  throw new Error(`${called(field, alone)}: ${field.kind === "choice" ? "choose one of" : "still empty; type"} ${asked}.`);
}

// Each field: an element, and what it says; `fill` puts in what was said before.
function makeField(field, id, alone) {
  const name = called(field, alone);
  if (field.kind === "choice") return makeChoice(field, id, name);
  if (field.kind === "order") return makeOrder(field, name);
  if (field.kind === "table") return makeTable(field, name);
  if (field.kind === "pattern") return makePattern(field, name, alone);
  if (field.cells) return makeCells(field, name);
  const input = make("input", { id, type: "text", ...(field.keys && { inputmode: field.keys }), autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: HINTS[field.kind](field) });
  const wants = field.wants ? [make("span", { class: "uat-check-wants", id: `${id}-wants` }, field.wants)] : [];
  if (field.wants) input.setAttribute("aria-describedby", `${id}-wants`);
  const box = make("p", { class: "uat-check-field" }, make("label", { for: id }, name), input, ...wants);
  return { box, said: () => input.value, fill: (text) => { input.value = text; } };
}

function makeChoice(field, id, name) {
  const box = make("fieldset", { class: "uat-check-field" }, make("legend", {}, name));
  const options = field.options.map((option) => {
    const input = make("input", { type: "radio", name: id, value: option });
    box.append(make("label", {}, input, make("span", {}, ...words(option))));
    return input;
  });
  const said = () => options.find((option) => option.checked)?.value ?? "";
  return { box, said, fill: (text) => options.forEach((option) => { option.checked = option.value === text; }) };
}

// Texts to be put in order: each has a button that moves it up and one that moves it down, but for the ends. What was pressed keeps
// the focus, and stays under the finger.
function makeOrder({ options }, name) {
  const read = make("p", { class: "uat-check-read", "aria-live": "polite" }), steps = make("ol", { class: "uat-check-order" });
  const places = () => [...steps.children], called = (option) => option.split(":", 1)[0];
  const dress = () => places().forEach((item, k, { length }) => {
    const [up, down] = item.children;
    [up.style.visibility, down.style.visibility] = [k, length - 1 - k].map((left) => (left ? "" : "hidden"));
  });
  const move = (item, by, button, byHand) => {
    const all = places(), to = all.indexOf(item) + by, { top } = button.getBoundingClientRect();
    steps.insertBefore(item, by < 0 ? all[to] : all[to].nextSibling);
    dress();
    (button.style.visibility ? item.children[by < 0 ? 1 : 0] : button).focus({ preventScroll: byHand });
    if (byHand) scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
    read.textContent = `${called(options[item.dataset.step - 1])}: place ${to + 1} of ${all.length}.`;
  };
  options.forEach((option, k) => {
    const item = make("li", { "data-step": String(k + 1) }, make("span", {}, ...words(option)));
    const buttons = [["\u2191", "up", -1], ["\u2193", "down", 1]].map(([sign, where, by]) => {
      const button = make("button", { type: "button", "aria-label": `Move ${where}: ${called(option)}` }, sign);
      button.addEventListener("click", ({ detail }) => move(item, by, button, detail > 0));
      return button;
    });
    item.prepend(...buttons);
    steps.append(item);
  });
  dress();
  const said = () => places().map((item) => item.dataset.step).join(" ");
  const fill = (text) => {
    String(text).match(/\d+/g).forEach((step) => steps.append(steps.querySelector(`[data-step="${Number(step)}"]`)));
    dress();
  };
  return { box: make("fieldset", { class: "uat-check-field" }, make("legend", {}, name), steps, read), said, fill };
}

// What a row and a column is stands at the side and above, if the field says so.
function makeTable({ rows, columns, options = [] }, name) {
  const cells = range(0, rows).map((i) => range(0, columns).map((j) =>
    make("input", { type: "text", size: "5", autocomplete: "off", "aria-label": `${name}, row ${i + 1}, column ${j + 1}` })));
  const [across, down] = options, head = (text) => make("th", { scope: down && text.startsWith(down) ? "col" : "row" }, text);
  const above = down ? [make("tr", {}, make("td"), ...range(1, columns + 1).map((j) => head(`${down} ${j}`)))] : [];
  const side = (i) => (across ? [head(`${across} ${i + 1}`)] : []);
  const body = make("table", { class: "uat-check-table", role: "presentation" }, ...above, ...cells.map((row, i) => make("tr", {}, ...side(i), ...row.map((cell) => make("td", {}, cell)))));
  const box = make("fieldset", { class: "uat-check-field" }, make("legend", {}, name), body);
  return { box, said: () => cells.map((row) => row.map((cell) => cell.value)), fill: (rows_) => rows_.forEach((row, i) => row.forEach((text, j) => { cells[i][j].value = text; })) };
}

// Numbers beside a table, each in a place of its own as there; said as the list that one would type.
function makeCells({ rows, wants }, name) {
  const { box, said, fill } = makeTable({ rows: 1, columns: rows }, name);
  const texts = () => said()[0].map((text) => text.trim());
  if (wants) box.append(make("span", { class: "uat-check-wants" }, wants));
  return { box, said: () => (texts().every(Boolean) ? texts().join("; ") : ""), fill: (text) => fill([text.split(/[;,] */)]) };
}

// Who hears whom: row i is token i, its column j is on where it hears token j. Arrow keys go from place to place.
function makePattern({ rows: n }, name, alone) {
  const cells = range(0, n).map((i) => range(0, n).map((j) =>
    make("button", { type: "button", "aria-pressed": String(i === j), "aria-label": `token ${i} hears token ${j}`, tabindex: i || j ? "-1" : "0" })));
  const said = () => cells.map((row) => row.flatMap((cell, j) => (cell.getAttribute("aria-pressed") === "true" ? [j] : [])));
  const read = make("p", { class: "uat-check-read", "aria-live": "polite" });
  const tell = () => {
    const rows = said(), depth = range(1, n + 1).find((layers) => heardOf(rows, layers).every((set) => set.size === n));
    const reach = depth ? `all have heard of all after ${depth} ${depth > 1 ? "layers" : "layer"}` : "news never reaches all";
    const count = n <= EIGHT ? automorphisms(rows) : 0;
    read.textContent = alone ? `${count ? `Kept by ${count} ${count > 1 ? "permutations" : "permutation"}; ` : "Used in every layer, "}${reach}.` : "";
  };
  cells.forEach((row, i) => row.forEach((cell, j) => {
    cell.addEventListener("click", () => { cell.setAttribute("aria-pressed", String(cell.getAttribute("aria-pressed") !== "true")); tell(); });
    cell.addEventListener("keydown", (event) => {
      const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
      const next = cells[i + down]?.[j + right];
      if (down === undefined || !next) return;
      event.preventDefault();
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }));
  const heads = make("tr", {}, make("td"), ...range(0, n).map((j) => make("th", { scope: "col" }, String(j))));
  const body = make("table", { class: "uat-check-pattern" }, heads,
    ...cells.map((row, i) => make("tr", {}, make("th", { scope: "row" }, String(i)), ...row.map((cell) => make("td", {}, cell)))));
  const legend = make("legend", {}, `${name}: row ${"\u2192"} whom the token of that row hears`);
  const box = make("fieldset", { class: "uat-check-field" }, legend, body, read);
  tell();
  return { box, said, fill: (rows) => { rows.forEach((row, i) => cells[i].forEach((cell, j) => cell.setAttribute("aria-pressed", String(row.includes(j))))); tell(); } };
}

function makeForm(place) {
  const task = JSON.parse(decoded(place.dataset.task)), id = place.id, alone = task.fields.length === 1;
  for (const [k, field] of task.fields.entries()) {
    field.called = called(field, alone);
    field.cells = field.kind === "numbers" && field.rows && task.fields.some(({ kind }) => kind === "table");
    if (field.kind === "whole" && task.right[k] >= 0) field.keys = "numeric";
    if (field.tolerance && !String(task.right[k]).startsWith("-")) field.keys = "decimal";
  }
  const fields = task.fields.map((field, k) => makeField(field, `${id}-${k}`, alone));
  const said = make("div", { class: "uat-check-said", role: "status" });
  const form = make("form", { "aria-label": `Check an answer: ${task.label.slice(3).replaceAll("-", " ")}` }, place.querySelector(".uat-check-asks") ?? "",
    ...fields.map(({ box }) => box), make("p", {}, make("button", {}, "Check")), said);
  let wrong = 0;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const raw = fields.map((field) => field.said());
    for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
    for (const remark of form.querySelectorAll(".uat-check-remark")) remark.remove();
    let told, k = 0;
    try {
      told = judged(task, task.fields.map((field, i) => {
        fillIn(field, raw[(k = i)], alone);
        return parse(field, raw[i]);
      }));
    } catch (error) {
      said.className = "uat-check-said uat-not-yet";
      said.replaceChildren(make("p", {}, ...words(error.message)));
      const inputs = [...fields[k].box.querySelectorAll("input")];
      const input = inputs.find(({ type, value }) => type === "text" && typeof readNumber(value) === "string") ?? inputs[0];
      if (input.type === "text") input.setAttribute("aria-invalid", "true");
      input.focus();
      return;
    }
    wrong = told.verdict === "right" ? 0 : wrong + 1;
    const head = `${HEADS[told.verdict]}${told.score}`;
    const hint = wrong >= TRIES && told.hint ? [make("p", {}, ...words(`Hint: ${told.hint}`))] : [];
    said.className = `uat-check-said uat-${told.verdict.replace(" ", "-")}`;
    if (told.near) told.places = []; // one sentence says it all
    const beside = (at) => told.sentences.filter((_, k) => (told.places[k] ?? -1) === at).map((sentence) => make("p", {}, ...words(sentence)));
    fields.forEach(({ box }, at) => beside(at).forEach((remark) => {
      remark.className = "uat-check-remark";
      if (box.matches("fieldset")) box.append(remark);
      else box.after(remark);
    }));
    const wanting = told.places.filter((at) => at >= 0).map((at) => task.fields[at].label);
    const where = wanting.length ? [make("p", {}, `Look again at ${wanting.join(", ")}: what to ask yourself stands beside ${wanting.length > 1 ? "each" : "it"}.`)] : [];
    said.replaceChildren(...(told.near ? [] : [make("p", {}, make("strong", {}, head))]), ...where, ...beside(-1), ...hint);
    if (told.held >= heldOf(task, kept(ANSWERS)[task.label])) keep(ANSWERS, { ...kept(ANSWERS), [task.label]: alone ? raw[0] : raw });
    if (told.verdict === "right") {
      keep(PROGRESS, { ...kept(PROGRESS), [task.label]: new Date().toISOString() });
      mark(place, true);
    }
  });
  // A frame that allows no forms submits nothing: the button, which Enter presses, too, asks itself.
  form.addEventListener("click", (event) => {
    if (!event.target.matches("button:not([type])")) return;
    event.preventDefault();
    form.dispatchEvent(new Event("submit", { cancelable: true }));
  });
  const before = kept(ANSWERS)[task.label];
  if (before !== undefined) try { fields.forEach((field, k) => field.fill(alone ? before : before[k])); } catch { /* an older form's */ }
  place.replaceChildren(form);
  mark(place, task.label in kept(PROGRESS));
}

// What a kept answer is worth: a better one takes its place, a worse one does not.
function heldOf(task, before) {
  try {
    return judged(task, task.fields.map((field, k) => parse(field, task.fields.length === 1 ? before : before[k]))).held;
  } catch { return 0; }
}

// The title of the exercise says that it is solved.
function mark(place, solved) {
  const title = place.previousElementSibling?.querySelector?.(".admonition-title");
  if (!title) return;
  title.querySelector(".uat-solved")?.remove();
  if (solved) title.append(make("span", { class: "uat-solved" }, "solved"));
}

// What was solved and reached, with links; to be taken away as a file, or forgotten.
function makeList(place) {
  const names = JSON.parse(place.dataset.names), show = () => {
    const all = Object.keys(kept(PROGRESS)), found = all.filter((label) => label in names), answers = Object.keys(kept(ANSWERS));
    const tried = answers.filter((label) => label in names && !all.includes(label)).length;
    const goals = all.filter((id) => id.startsWith("goal-")).length, also = `${tried ? ` Answers kept that are not wholly right: ${tried}.` : ""}${goals ? ` Goals of pictures reached: ${goals}.` : ""}`;
    const items = found.map((label) => make("li", {}, make("a", { href: names[label][1] }, names[label][0])));
    const several = `This browser has seen ${found.length} of the ${Object.keys(names).length} exercises solved that pages check.${also}`;
    place.replaceChildren(make("p", {}, found.length ? several : `This browser has seen none solved yet.${also}`), make("ul", {}, ...items), buttons);
    save.hidden = clear.hidden = !all.length && !answers.length;
  };
  const [forget, really] = ["Forget all", "Forget all: press again"];
  const save = make("button", { type: "button" }, "Export answers"), clear = make("button", { type: "button" }, forget);
  const file = make("input", { type: "file", accept: ".json", hidden: "" }), load = make("button", { type: "button" }, "Import answers");
  const told = make("span", { role: "status" }), buttons = make("p", {}, save, " ", load, " ", clear, " ", told, file);
  load.addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    try {
      const content = JSON.parse(await file.files[0].text()), known = ([label]) => label in names;
      const answers = Object.entries(Object(content.answers)).filter((entry) => known(entry) && (typeof entry[1] === "string" || Array.isArray(entry[1])));
      const reached = Object.entries(Object(content.reached)).filter((entry) => (known(entry) || entry[0].startsWith("goal-")) && typeof entry[1] === "string");
      keep(ANSWERS, { ...kept(ANSWERS), ...Object.fromEntries(answers) });
      keep(PROGRESS, { ...kept(PROGRESS), ...Object.fromEntries(reached) });
      const goals = reached.filter(([label]) => label.startsWith("goal-")).length, left = Object.keys(Object(content.answers)).length - answers.length;
      const said = [`${answers.length} ${answers.length === 1 ? "answer" : "answers"}`, `${reached.length - goals} solved`, ...(goals ? [`${goals} ${goals === 1 ? "goal" : "goals"} of pictures`] : [])];
      const rest = left ? ` Left out: ${left}, to exercises that no page here checks.` : "";
      told.textContent = answers.length + reached.length ? `Imported: ${said.join(", ")}.${rest}` : `This file holds no answers.${rest}`;
      show();
    } catch { told.textContent = "This is no file of answers that a page exported."; }
    file.value = "";
  });
  save.addEventListener("click", () => {
    const text = JSON.stringify({ answers: kept(ANSWERS), reached: kept(PROGRESS) }, null, 1);
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "answers.json" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  let sure = false; // not read from the button: a translator may have changed its words
  const ask = (now) => {
    sure = now;
    clear.textContent = sure ? really : forget;
  };
  clear.addEventListener("blur", () => ask(false));
  clear.addEventListener("click", () => {
    ask(!sure);
    if (sure) return;
    for (const name of [PROGRESS, ANSWERS, GUESSES_KEPT]) keep(name, {});
    show();
    load.focus();
  });
  show();
}

// What is predicted before a picture is moved. The fold that answers it waits for a choice: it is the next one, if no
// other prediction comes before it.
function answerGuess(form, fold, place) {
  const said = form.querySelector("[role=status]"), isMade = () => form.querySelector(":checked");
  const why = fold ? [" ", make("button", { type: "button" }, "Why?")] : [];
  why[1]?.addEventListener("click", () => {
    fold.open = true;
    fold.scrollIntoView({ block: "nearest" });
    fold.firstElementChild.focus({ preventScroll: true });
  });
  const choices = [...form.querySelectorAll("input")], id = `guess-${location.pathname.split("/").pop().replace(".html", "")}-${place}`;
  const show = (input) => {
    const text = decoded(input.value);
    said.className = text.startsWith("Right") ? "uat-right" : "";
    said.replaceChildren(text, ...why);
  };
  const markFirst = () => {
    for (const input of choices) {
      input.parentElement.querySelector(".uat-guessed")?.remove();
      if (input.value === kept(GUESSES_KEPT)[id]) input.parentElement.append(make("span", { class: "uat-guessed" }, ", your first guess"));
    }
  };
  form.addEventListener("change", ({ target }) => {
    if (!choices.some(({ value }) => value === kept(GUESSES_KEPT)[id])) keep(GUESSES_KEPT, { ...kept(GUESSES_KEPT), [id]: target.value });
    markFirst();
    show(target);
  });
  markFirst();
  const remembered = choices.find(({ value }) => value === kept(GUESSES_KEPT)[id]);
  if (remembered) {
    remembered.checked = true;
    show(remembered);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  fold?.firstElementChild.addEventListener("click", (event) => {
    if (fold.open || isMade()) return;
    event.preventDefault();
    said.textContent = "Predict first: choose one, and the answer opens.";
    form.elements[1].focus();
  });
}

for (const place of document.querySelectorAll(".uat-check")) makeForm(place);
[...document.querySelectorAll(".uat-guess, .uat-answer")].forEach((form, k, all) => {
  if (form.matches(".uat-guess")) answerGuess(form, all[k + 1]?.matches(".uat-answer") ? all[k + 1] : null, all.slice(0, k).filter((other) => other.matches(".uat-guess")).length);
});
for (const place of document.querySelectorAll(".uat-solved-list")) makeList(place);
