// What a page does with a live picture before it can be moved.

/** Draw on the first frame in this card what a picture can show at once of these values; what else stands there is of others. */
function sketch(spec, values, card) {
  const canvas = make("canvas");
  try {
    if (!PICTURES[spec.picture]?.sketch) return;
    PICTURES[spec.picture].sketch(canvas, spec, values);
  } catch {
    return; // the picture says what is wrong
  }
  for (const image of card.querySelectorAll(".stage svg > image:first-child")) image.setAttribute("href", canvas.toDataURL());
  for (const control of spec.controls) {
    const field = document.getElementById(`first-${spec.name}-${control.name}`);
    if (field?.matches("select, [type=text]")) field.value = positionOf(control, values[control.name]);
  }
  card.querySelector(".stage").append(make("p", { class: "note", role: "status" }, "computing \u2026"));
  card.classList.add("sketched");
}

const BREATH = 8; // milliseconds of work ahead without a pause

/** What a picture computes ahead at these positions, with what the reader made where it opens with that; undefined where there
 * is nothing, or where it fails: the picture says why. */
async function ahead(spec, at, asked) {
  const own = spec.adopts === "at once" && !asked && mine(); // as renderLive has it
  const work = PICTURES[spec.picture]?.ahead?.(spec, { ...valuesAt(spec.controls, at), ...own });
  try {
    for (let began = performance.now(); work; ) {
      const { done, value } = work.next();
      if (done) return value;
      if (performance.now() - began < BREATH) continue;
      await pause();
      began = performance.now();
    }
  } catch {
    return undefined;
  }
}
