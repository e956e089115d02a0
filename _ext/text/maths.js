// One formula a line in, one rendered formula a line out; asked by maths.py.
const katex = require(process.argv[2]);
const lines = require("readline").createInterface({ input: process.stdin });
const SHORT = 14, HELD = 18; // letters: a formula that does not break, a bracket in which none does

// Of an operator as an index KaTeX makes MathML with a child too many, which browsers do not show and readers do not read.
const indexed = (latex) => latex.replace(/_\{\\(max|min)\}/g, "_{\\text{$1}}");

const times = (text, part) => text.split(part).length - 1;
const letters = (parts) => parts.join("").replace(/<[^>]*>|&\w+;|\u200b/g, "").length;
const tie = (parts) => (parts.length > 1 ? `<span class="uat-tie">${parts.join("")}</span>` : parts.join(""));

// A formula within a line may break after each of its boxes; but not if it is short, nor within a short bracket.
function tied(boxes, outer = 0) {
  if (boxes.length < 2 || letters(boxes) <= (outer ? HELD : SHORT)) return tie(boxes);
  const held = [];
  let depth = 0;
  for (const box of boxes) {
    if (depth > outer) held.at(-1).push(box);
    else held.push([box]);
    depth += times(box, 'class="mopen') - times(box, 'class="mclose');
  }
  return held.map((parts) => tied(parts, outer + 1)).join("");
}

function html(latex, display) {
  const tree = katex.__renderToDomTree(indexed(latex), { displayMode: display, throwOnError: true, strict: "error" });
  const whole = tree.toMarkup();
  if (display) return whole;
  const boxes = tree.children.at(-1).children.map((box) => box.toMarkup());
  return whole.replace(boxes.join(""), () => tied(boxes));
}

lines.on("line", (line) => {
  const { latex, display } = JSON.parse(line);
  let answer;
  try {
    answer = { html: html(latex, display) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
