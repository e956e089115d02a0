/* Folds that a reader opened are open again when Back, or a reload, leads to their page, and what was touched last is where
 * it was: a browser that keeps no page whole would show them closed. The entry of the history remembers, no storage does.
 * An address within a fold opens it, also where the browser does not. It runs before the scripts that forget that entry. */
"use strict";
{
  const folds = [...document.querySelectorAll(".bd-article details:not(.uat-strip)")];
  const links = [...document.querySelectorAll(".bd-article a[href]")];
  const kept = () => { try { return history.state?.folds; } catch { return null; } };
  const keep = (more) => {
    const open = folds.flatMap((fold, at) => (fold.open ? [at] : []));
    try { history.replaceState({ ...history.state, folds: { ...kept(), open, ...more } }, ""); } catch { /* refused */ }
  };
  const show = (hash) => {
    const found = addressed(hash), around = found ? folds.filter((fold) => !fold.open && fold.contains(found)) : [];
    for (const fold of around) fold.open = true;
    if (around.length) found.scrollIntoView({ behavior: "instant" });
  };
  const back = ({ link, top }) => {
    if (links[link]) scrollBy({ top: links[link].getBoundingClientRect().top - top, behavior: "instant" });
  };
  const was = kept();
  if (was) {
    document.documentElement.dataset.whole = ""; // what is above is as high as it was
    for (const at of was.open) if (folds[at]) folds[at].open = true;
    back(was);
    addEventListener("load", () => requestAnimationFrame(() => back(was)));
    keep({ link: null });
  } else show(location.hash);
  document.addEventListener("toggle", () => keep(), true);
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    keep({ link: links.indexOf(link), top: link.getBoundingClientRect().top });
  });
  addEventListener("popstate", ({ state }) => { // a fold above may have opened meanwhile
    const then = state?.folds;
    if (then) requestAnimationFrame(() => { back(then); keep({ link: null }); });
  });
  addEventListener("hashchange", () => {
    show(location.hash);
    keep();
  });
}
