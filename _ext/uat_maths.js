// One formula a line in, one rendered formula a line out; asked by uat_maths.py.
const katex = require(process.argv[2]);
const lines = require("readline").createInterface({ input: process.stdin });

// Of an operator as an index KaTeX makes MathML with a child too many, which browsers do not show and readers do not read.
const indexed = (latex) => latex.replace(/_\{\\(max|min)\}/g, "_{\\text{$1}}");

lines.on("line", (line) => {
  const { latex, display } = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(indexed(latex), { displayMode: display, throwOnError: true, strict: "error" }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
