// A case as text to take away: its sample as a line of JSON, and a test that evaluates it again.

// What the run that made this page was set to, for tests: {evaluate: {name: value}, settings, note}.
// `unread`: which files of people's labels cannot be read, and why.
let caseRun = { evaluate: {}, settings: {}, note: "", unread: "" };

// The sample as it was given; Error with the reason where the record does not hold all of it.
function caseSample(record) {
  if (record.unwhole) throw new Error(record.unwhole);
  const { retrieved, stages, context, ...rest } = record.sample;
  const passages = record.passages.map(({ id, text, own }) => ({ passage_id: id, ...own, ...(text === null ? {} : { text }) }));
  const passage = (entry) => typeof entry === "number" ? passages[entry] : Array.isArray(entry) ? scored(...entry) : entry;
  const scored = (at, score) => {
    const { score: _, ...known } = passages[at];
    return score === null ? known : { ...known, score };
  };
  const sample = { query_id: record.id, query: record.query };
  if (record.history.length) sample.history = record.history;
  if (record.reference.length) sample.reference = record.reference;
  Object.assign(sample, rest);
  if (stages) sample.stages = mapped(stages, (entries) => entries.map(passage));
  if (retrieved) sample.retrieved = retrieved.map(passage);
  if (context) sample.context = context.map(passage);
  if (record.answer.given) sample.answer = record.answer.null ? null : record.answer.text;
  return sample;
}
const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
const caseLine = (record) => JSON.stringify(caseSample(record)) + "\n";

// ---- Python -----------------------------------------------------------------------------

const WIDE = 88; // columns of a line of the test
const ESCAPES = new Map([["\\", "\\\\"], ["\"", "\\\""], ["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]]);
// A literal of plain ASCII where a character could not be seen, or would turn the source around.
function pythonText(text) {
  const hex = (character) => {
    const code = character.codePointAt(0);
    return code < 0x100 ? "\\x" + code.toString(16).padStart(2, "0") : code < 0x10000 ? "\\u" + code.toString(16).padStart(4, "0") : "\\U" + code.toString(16).padStart(8, "0");
  };
  return "\"" + text.replace(/["\\\p{C}\p{Zl}\p{Zp}\p{DI}\xa0]/gu, (one) => ESCAPES.get(one) ?? hex(one)) + "\"";
}
function python(value, indent = "") {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return pythonText(value);
  if (typeof value !== "object") return String(value);
  const deeper = indent + "    ";
  const [open, close, items] = Array.isArray(value)
    ? ["[", "]", value.map((one) => python(one, deeper))]
    : ["{", "}", Object.entries(value).map(([name, one]) => pythonText(name) + ": " + python(one, deeper))];
  const short = open + items.join(", ") + close;
  if (indent.length + short.length <= WIDE && !short.includes("\n")) return short;
  return open + "\n" + items.map((one) => deeper + one + ",\n").join("") + indent + close;
}
// The text of a comment or a docstring: nothing in it ends the line or the string.
const pythonWords = (text) => pythonText(text).slice(1, -1).replaceAll("\\\"", "'").replaceAll("\\\\", "/");
const pythonName = (id) => id.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "").toLowerCase() || "query";

// A module with one test, which states the category that this query has now.
function caseTest(record) {
  const { code, name, happened } = record.verdict;
  const { evaluate, settings, note } = caseRun;
  const given = Object.entries(evaluate).map(([key, value]) => `, ${key}=${python(value)}`);
  if (Object.keys(settings).length) given.push(`, settings=ragdiag.Settings(**${python(settings)})`);
  const told = [code, name].filter(Boolean).map((one) => one.replaceAll("_", " ")).join(" ");
  return [
    `"""Query ${pythonWords(record.id)} of a ragdiag report: ${pythonWords(told || "no diagnosis")}."""`,
    "",
    "import ragdiag",
    "",
    `SAMPLE = ${python(caseSample(record))}`,
    "",
    "",
    `def test_${pythonName(record.id)}():`,
    ...(happened ? [`    # ${pythonWords(happened)}`] : []),
    ...(note ? [`    # ${pythonWords(note)}`] : []),
    "    # To try a change, put what your pipeline gives for this query into SAMPLE (ragdiag.collect",
    "    # asks it), and state the category that is right then: \"K1\" is fully correct.",
    `    result = ragdiag.evaluate([SAMPLE]${given.join("")})[SAMPLE["query_id"]]`,
    `    assert result.diagnosis.code ${code === null ? "is None" : "== " + python(code)}`,
    "",
  ].join("\n");
}
