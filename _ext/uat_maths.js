// One formula a line in, one rendered formula a line out; asked by uat_maths.py.
const katex = require(process.argv[2]);
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const { latex, display } = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(latex, { displayMode: display, throwOnError: true, strict: "error" }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
