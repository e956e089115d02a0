// Answers questions about networks, one JSON a line: in node over its pipes, in a page by a call of `answer`.
// Numbers go to and fro as base64 of little-endian float64, so that infinities, NaN and every bit arrive.

const networks = {};

const numbers = (text) => new Float64Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

function packed(value) {
  if (value instanceof Float64Array) {
    return { numbers: btoa(Array.from(new Uint8Array(value.slice().buffer), (byte) => String.fromCharCode(byte)).join("")) };
  }
  if (Array.isArray(value)) return value.map(packed);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, packed(v)]));
  return value;
}

/** {name, spec}: keep a network; {name, call, args}: what it answers; with `as`, the answer is kept as a network. */
function answer(line) {
  try {
    const { name, spec, call, args, as } = JSON.parse(line, (_, value) =>
      typeof value?.numbers === "string" ? numbers(value.numbers) : value,
    );
    if (spec) {
      networks[name] = readNetwork(spec);
      return "{}";
    }
    const found = networks[name][call](...args);
    if (as) networks[as] = found;
    return JSON.stringify({ value: as ? null : packed(found) });
  } catch (error) {
    return JSON.stringify({ error: error.message });
  }
}

if (typeof process === "object" && process.argv[2]) {
  const [, , file] = process.argv;
  require("node:vm").runInThisContext(require("node:fs").readFileSync(file, "utf8"), file);
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => console.log(answer(line)));
}
