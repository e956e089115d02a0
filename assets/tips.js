/* Escape hides the tip of a term until the pointer or the focus moves on (see _ext/text/terms.py). A finger opens the
 * tip first, and follows the link when it comes again. */
"use strict";

let touched = null, finger = false;
document.addEventListener("pointerdown", ({ pointerType }) => { finger = pointerType === "touch"; });
document.addEventListener("click", (event) => {
  const term = finger ? event.target.closest("a.uat-term") : null;
  if (term && term !== touched) event.preventDefault();
  touched?.classList.remove("uat-open");
  touched = term;
  touched?.classList.add("uat-open");
});

document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") document.documentElement.classList.add("uat-no-tips");
});
for (const moved of ["focusin", "pointerover"]) {
  document.addEventListener(moved, () => document.documentElement.classList.remove("uat-no-tips"));
}
