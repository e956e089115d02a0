// Before all other scripts but the few words in the head of a page: what a browser refuses or lacks has a stand-in, so that it costs what needs it
// and nothing else. A frame of another site, say, and whoever blocks all cookies, has a storage that throws.
"use strict";
{
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      window[name].getItem("mode");
    } catch {
      const kept = new Map(); // as long as the page is open
      const value = {
        getItem: (key) => kept.get(String(key)) ?? null,
        setItem: (key, text) => void kept.set(String(key), String(text)),
        removeItem: (key) => void kept.delete(String(key)),
        clear: () => kept.clear(),
      };
      Object.defineProperty(window, name, { value, configurable: true });
    }
  }
  // Where there is no room left nothing is kept, and where addresses are refused they stay.
  for (const [of, name] of [["Storage", "setItem"], ["History", "replaceState"]]) {
    const { [name]: act } = window[of]?.prototype ?? {};
    if (act) window[of].prototype[name] = function (...given) { try { act.apply(this, given); } catch { /* so be it */ } };
  }
  window.matchMedia ??= (media) => ({ media, matches: false, addEventListener() {}, removeEventListener() {} });
  window.IntersectionObserver ??= class { observe() {} unobserve() {} disconnect() {} };
  // Tells of each element once, and when the window changes.
  const content = (target) => {
    const style = getComputedStyle(target), padded = (...sides) => sides.reduce((sum, side) => sum + parseFloat(style[`padding${side}`]), 0);
    return { width: target.clientWidth - padded("Left", "Right"), height: target.clientHeight - padded("Top", "Bottom") };
  };
  window.ResizeObserver ??= class {
    seen = new Set();
    constructor(told) {
      this.tell = () => told([...this.seen].map((target) => ({ target, contentRect: content(target) })), this);
      addEventListener("resize", this.tell);
    }
    observe(target) {
      this.seen.add(target);
      setTimeout(() => this.seen.has(target) && this.tell());
    }
    unobserve(target) { this.seen.delete(target); }
    disconnect() {
      this.seen.clear();
      removeEventListener("resize", this.tell);
    }
  };
}
