// One query, drawn from its record: what was asked, what went wrong, and everything that shows it.

let caseShown = null; // {record, root} of the case that was drawn last

// The whole case. The caller puts it into the page; `caseKeys` then knows its keys.
function renderCase(record) {
  const root = make("article", { class: "case", "data-id": record.id, "aria-labelledby": "case-title" });
  root.append(...[
    caseAsked(record), caseDiagnosis(record), caseAnswer(record), caseNumber(record), caseGold(record), caseLists(record), casePassages(record),
    caseScores(record), casePeople(record), caseJudges(record), caseExchanges(record), caseTaken(record),
  ].filter(Boolean));
  root.querySelector(".passages h3")?.after(caseMarks());
  caseShown = { record, root };
  return root;
}
const CASE_KEYS = {
  p: ({ root }) => {
    const fold = root.querySelector(".exchanges details");
    fold.open = !fold.open;
    if (fold.open) caseGo(fold.querySelector("summary"));
  },
  c: (shown) => caseCopy(shown, "the sample's line", caseLine),
  t: (shown) => caseCopy(shown, "a pytest case", caseTest),
};
// Keys of an open case: p the judge's prompts and replies, c and t copy. True where it took one.
function caseKeys(event) {
  if (!caseShown?.root.isConnected || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return false;
  if (event.target instanceof Element && event.target.closest("textarea, input, select, [contenteditable]")) return false;
  const key = event.key.toLowerCase();
  const act = CASE_KEYS[key.charCodeAt(0) < 128 ? key : event.code.replace(/^Key/, "").toLowerCase()];
  if (!act) return false;
  event.preventDefault();
  act(caseShown);
  return true;
}

// ---- pieces that all parts use ----------------------------------------------------------

const caseSection = (name, title) => make("section", { class: name, "aria-labelledby": "case-" + name }, make("h3", { id: "case-" + name }, title));
const caseWords = (value) => typeof value === "string" ? value : JSON.stringify(value);
const caseNumberText = (value) => Number.isInteger(value) ? String(value) : value.toFixed(3);
const caseSaid = (text, name = "") => make("p", { class: name, dir: "auto" }, ...pieces(String(text)));
const caseTable = (columns, rows, caption) => make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
  make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...columns.map((one) => make("th", { scope: "col" }, one)))), make("tbody", {}, ...rows)));
const caseFacts = (rows) => make("dl", { class: "facts" }, ...rows.map(([name, ...value]) => make("div", {}, make("dt", {}, bdi(name)), make("dd", {}, ...value))));

// ---- what was asked, and what went wrong ------------------------------------------------

function caseAsked(record) {
  const box = make("section", { class: "asked", "aria-labelledby": "case-title" },
    make("h2", { id: "case-title", tabindex: "-1", dir: "auto" }, ...pieces(record.query)));
  box.append(make("p", { class: "id" }, "query ", bdi(record.id), record.answerable === null ? "" : record.answerable ? " · answerable" : " · not answerable from the corpus",
    ...Object.entries(record.slices).flatMap(([name, value]) => [" · ", bdi(name), ": ", bdi(value)])));
  if (record.history.length) box.append(make("h3", {}, "Said before"), make("ol", { class: "history" }, ...record.history.map(([role, text]) => make("li", {}, make("b", {}, bdi(role)), prose(text)))));
  if (record.target) box.append(make("h3", {}, record.target.read ? "Asked of (read from the question)" : "Asked of"), caseFacts(record.target.fields.map(([name, value]) => [name, bdi(value)])));
  box.append(make("h3", {}, record.reference.length > 1 ? "References" : "Reference"), ...(record.reference.length ? record.reference.map((one) => prose(one)) : [make("p", { class: "missing" }, "none is given")]));
  return box;
}
function caseDiagnosis(record) {
  const told = record.verdict;
  const box = caseSection("diagnosis", "Diagnosis");
  const name = (text) => String(text ?? "").replaceAll("_", " ");
  box.append(make("p", { class: "code" }, make("b", {}, told.code ?? "no diagnosis"), " ", ...pieces(name(told.name)), ...(told.family ? [" · ", told.family] : []), ...(told.component.length ? [" · component: ", bdi(told.component.join(", "))] : [])));
  if (told.happened) box.append(caseSaid(told.happened, "happened"));
  const rows = [];
  if (told.codes.length > 1) rows.push(["still possible", bdi(told.codes.map(([code, one]) => `${code} ${name(one)}`).join(", "))]);
  if (told.next) rows.push(["try next", bdi(told.next)]);
  if (told.fix) rows.push(["repair", bdi(told.fix)]);
  if (told.deciding) rows.push(["deciding input", bdi(name(told.deciding)), ...(told.add ? ["; add ", bdi(told.add)] : [])]);
  if (told.flags.length) rows.push(["flags", ...told.flags.flatMap(([flag, one], n) => [n ? ", " : "", bdi(name(flag) + (one ? ` (${name(one)})` : ""))])]);
  if (rows.length) box.append(caseFacts(rows));
  if (told.settle.length) box.append(make("div", { class: "settle" }, ...told.settle.map((line) => line.startsWith("{") ? make("pre", { tabindex: "0" }, bdi(line)) : caseSaid(line))));
  if (told.story.length) box.append(make("details", {}, make("summary", {}, "In plain words"), ...told.story.map((line) => caseSaid(line))));
  box.append(make("details", { open: "" }, make("summary", {}, "The proof"), make("ul", { class: "proof" }, ...told.proof.map((line) => make("li", { dir: "auto" }, ...pieces(line))))));
  return box;
}

// ---- scores, people, judges -------------------------------------------------------------

function caseScores(record) {
  const box = caseSection("scores", "Scores of this query");
  const words = (text) => String(text ?? "").replaceAll("_", " ");
  box.append(caseTable(["score", "value", "status"], record.scores.map(([name, value, status, reason]) => make("tr", { class: status ?? "" },
    make("th", { scope: "row" }, bdi(name)), make("td", { class: "rank" }, value === null ? "–" : caseNumberText(value)),
    make("td", {}, value === null ? `${words(status)}: ${words(reason)}` : ""))), "Each score, or why there is none"));
  return box;
}
function casePeople(record) {
  if (!record.people.length && !caseRun.unread) return null;
  const box = caseSection("people", "What people say");
  if (caseRun.unread) box.append(caseSaid(`Labels that cannot be read: ${caseRun.unread}`, "missing"));
  if (!record.people.length) return box;
  box.append(caseTable(["who", "check", "label", "of", "why"], record.people.map((one) => make("tr", {},
    make("th", { scope: "row" }, bdi(one.who)), make("td", {}, bdi(one.check)), make("td", {}, bdi(one.label), one.unsure ? " (unsure)" : ""),
    make("td", {}, bdi(one.claim ?? one.passage ?? "the whole")), make("td", {}, bdi(one.note ?? "")))), "People's labels"));
  return box;
}
function caseJudges(record) {
  if (!record.judged.length) return null;
  const box = caseSection("judged", "What the labels rest on");
  const votes = (one) => (one.votes ?? []).map(([who, what, item]) => `${who}: ${what}${item ? ` (${item})` : ""}`).join(", ");
  box.append(caseTable(["check", "label", "by", "rests on", "probability", "why"], record.judged.map((one) => make("tr", {},
    make("th", { scope: "row" }, bdi(one.check.replaceAll("_", " "))), make("td", {}, one.label === null ? "undecided" : bdi(one.label)), make("td", {}, bdi(one.judge || "")),
    make("td", {}, bdi(one.basis ?? "")), make("td", { class: "rank" }, typeof one.score === "number" ? caseNumberText(one.score) : ""),
    make("td", {}, bdi([one.reason, votes(one)].filter(Boolean).join("; ")), ...(one.raw ? [make("pre", { dir: "auto", tabindex: "0" }, ...pieces(one.raw))] : [])))), "Each label of this query"));
  return box;
}
function caseExchanges(record) {
  const box = caseSection("exchanges", "The judge's words");
  const calls = record.exchanges;
  const fold = make("details", {}, make("summary", {}, make("kbd", {}, "p"), calls.length ? ` Prompts and raw replies: ${calls.length} ${calls.length === 1 ? "call" : "calls"}` : " Prompts and raw replies: none"));
  if (!calls.length) fold.append(make("p", { class: "missing" }, "No model was asked about this query: what is said of it comes from code, from labels or from the embedded judge."));
  for (const one of calls) {
    fold.append(make("h4", {}, bdi(one.checks.join(", ")), " by ", bdi(one.judge), ...(one.model ? [" (", bdi(one.model), ")"] : [])));
    if (one.missing) fold.append(caseSaid(one.missing, "missing"));
    // What is a passage's whole text stands in the record once.
    for (const [role, parts] of one.prompt) fold.append(caseRaw(role, parts.map((part) => typeof part === "number" ? record.passages[part].text : part).join("")));
    if (one.reply !== null) fold.append(caseRaw("raw reply", one.reply));
  }
  box.append(fold);
  return box;
}
const caseRaw = (title, text) => make("figure", {}, make("figcaption", {}, bdi(title)), make("pre", { dir: "auto", tabindex: "0" }, ...pieces(text)));

// ---- taking it away ---------------------------------------------------------------------

function caseTaken(record) {
  const box = caseSection("taken", "Take it away");
  const button = (key, title) => {
    const made = make("button", { type: "button", "aria-keyshortcuts": key }, make("kbd", {}, key), " " + title);
    made.addEventListener("click", () => CASE_KEYS[key]({ record, root: made.closest(".case") }));
    return made;
  };
  box.append(make("p", {}, button("c", "Copy as JSONL"), " ", button("t", "Copy as pytest case")), make("p", { class: "copied", role: "status" }));
  return box;
}
async function caseCopy({ record, root }, what, write) {
  const status = root.querySelector(".copied");
  root.querySelector(".by-hand")?.remove();
  let text;
  try { text = write(record); } catch (fault) {
    status.textContent = `Not copied: ${fault.message}. The sample stands whole in samples.jsonl.zst of the evaluation directory.`;
    caseGo(status);
    return;
  }
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = `Copied: ${what}, ${text.length.toLocaleString("en")} characters.`;
  } catch { // the browser does not let this page write there: the reader copies it
    status.textContent = "This browser copies nothing for a page; the text is below, to copy by hand.";
    const area = make("textarea", { class: "by-hand", readonly: "", rows: "12", "aria-label": what });
    area.value = text;
    status.after(area);
    area.scrollIntoView({ block: "center" });
    area.focus();
    area.select();
  }
}
