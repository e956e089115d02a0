// Answers as a page judges them, one JSON line a question: { task, raw } to what is told, or to { refused }.
// node page_exercises.js FILE ...: the scripts of the page, but that of the form.
const { readFileSync } = require("node:fs");
const scripts = process.argv.slice(2).map((file) => readFileSync(file, "utf-8")).join("\n");
const { parse, judged } = new Function(`${scripts}\nreturn { parse, judged };`)();

require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { task, raw } = JSON.parse(line);
  let told;
  try {
    told = judged(task, task.fields.map((field, k) => parse(field, raw[k])));
  } catch (error) {
    told = { refused: error.message };
  }
  console.log(JSON.stringify(told));
});
