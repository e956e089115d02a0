// Keys for a deck of slides: arrows, page keys and space go on and back, Home and End to the ends. Without it decks scroll.
{
  const slides = [...document.querySelectorAll("main > section")];
  const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
  const here = () => slides.reduce((near, slide, k) => {
    const far = (at) => Math.abs(slides[at].getBoundingClientRect().top);
    return far(k) < far(near) ? k : near;
  }, 0);
  addEventListener("keydown", (event) => {
    const step = steps[event.key];
    // What has keys of its own keeps them: a slider, a menu, a fold. Explorers are closed to the page: composedPath sees in.
    const own = event.composedPath()[0].closest?.("input, select, textarea, button, summary, a, [tabindex='0']");
    if (!step || own || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const slide = slides[Math.max(0, Math.min(slides.length - 1, here() + step))];
    // A slide that is taller than the screen scrolls to its end before the next one comes.
    const box = slides[here()].getBoundingClientRect();
    if (/Down| /.test(event.key) && box.bottom > innerHeight + 8) return;
    if (/Up/.test(event.key) && box.top < -8) return;
    event.preventDefault();
    slide.scrollIntoView();
    slide.focus({ preventScroll: true });
  });
}
