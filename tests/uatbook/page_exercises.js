// Answers as a page judges them, one JSON line a question: { task, raw } to what is told, or to { refused }.
// node page_exercises.js HEAD FILE ...: constants, and the scripts of the page, but that of the form.
const { readFileSync } = require("node:fs");
const [head, ...files] = process.argv.slice(2), scripts = files.map((file) => readFileSync(file, "utf-8")).join("\n");
const { parse, judged } = new Function(`${head}${scripts}\nreturn { parse, judged };`)();

require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { task, raw } = JSON.parse(line);
  let told;
  try {
    const { places, near, ...said } = judged(task, task.fields.map((field, k) => parse(field, raw[k])));
    told = said;
  } catch (error) {
    told = { refused: error.message };
  }
  console.log(JSON.stringify(told));
});
