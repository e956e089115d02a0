/* Escape hides the tip of a term until the pointer or the focus moves on (see _ext/text/terms.py). */
"use strict";

document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") document.documentElement.classList.add("uat-no-tips");
});
for (const moved of ["focusin", "pointerover"]) {
  document.addEventListener(moved, () => document.documentElement.classList.remove("uat-no-tips"));
}
