// Keys for a deck of slides: arrows, page keys and space go on and back, Home and End to the ends. Without it decks scroll.
{
  // The theme that the reader chose on the book's pages, before anything is drawn.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const choose = () => {
    const mode = localStorage.getItem("mode");
    document.documentElement.dataset.theme = ["light", "dark"].includes(mode) ? mode : dark.matches ? "dark" : "light";
  };
  choose();
  dark.addEventListener("change", choose);

  const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
  addEventListener("keydown", (event) => {
    const step = steps[event.key];
    // What has keys of its own keeps them; a picture's controls are in its shadow, into which the path sees.
    const own = event.composedPath()[0].closest?.("input, select, textarea, button, summary, a, [tabindex='0']");
    if (!step || own || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const slides = [...document.querySelectorAll("main > section")];
    const tops = slides.map((slide) => Math.abs(slide.getBoundingClientRect().top));
    const here = tops.indexOf(Math.min(...tops));
    // One that is taller than the screen is scrolled through first.
    const { top, bottom } = slides[here].getBoundingClientRect();
    if ((/Down| /.test(event.key) && bottom > innerHeight + 8) || (/Up/.test(event.key) && top < -8)) return;
    event.preventDefault();
    const slide = slides[Math.max(0, Math.min(slides.length - 1, here + step))];
    slide.scrollIntoView({ behavior: "instant" });
    slide.focus({ preventScroll: true });
  });
  // A picture that is taller than the wall is shown smaller, as far as one can still read it.
  const LEAST = 0.55;
  const fit = (slide, box) => {
    Object.assign(box.style, { zoom: "", width: "", marginInline: "auto" });
    const [over, height, width] = [slide.offsetHeight - innerHeight, box.offsetHeight, box.offsetWidth];
    if (over > 0) Object.assign(box.style, { zoom: Math.max(LEAST, (height - over) / height), width: `${width}px` });
  };
  // A text is set as large as the wall has room for; what is too long even so keeps the size of the style sheet.
  const SIZES = [2.5, 2.3, 2.1, 1.9, 1.75, 1.6, 1.45, 1.3, 1.2];
  const enlarge = (slide) => {
    const fits = (size) => {
      slide.style.fontSize = `${size}rem`;
      const boxes = [slide, ...slide.querySelectorAll(".katex-display, pre")];
      return slide.offsetHeight <= innerHeight && boxes.every((box) => box.scrollWidth <= box.clientWidth + 1);
    };
    if (innerWidth < 700 || !SIZES.some(fits)) slide.style.fontSize = "";
  };
  addEventListener("DOMContentLoaded", () => document.querySelectorAll("main > section").forEach((slide) => {
    const box = slide.querySelector(".uat-explorer"), again = () => (box ? fit(slide, box) : enlarge(slide));
    if (!box) {
      again();
      slide.querySelectorAll("details").forEach((fold) => fold.addEventListener("toggle", again));
      document.fonts?.ready.then(again);
      addEventListener("resize", again);
      return;
    }
    addEventListener("resize", again);
    new ResizeObserver(again).observe(slide); // pictures and folds open later; the same zoom again changes nothing
  }));
  // On paper a slide has its note.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
}
