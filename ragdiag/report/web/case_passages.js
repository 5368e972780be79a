// The evidence of a case: what was needed, where each list had it, and the passages with their marks.

const AT_ONCE = 6; // passages that stand open without being gold or marked
const MARKED = { gold: "evidence", quote: "quote", operand: "number" };

// A button that opens and shows a passage; its id alone where the record does not hold it.
function casePassageLink(record, at, id, mark) {
  if (at === null || at === undefined) return id === null || id === undefined ? make("span", {}, "—") : bdi(id);
  const button = make("button", { type: "button", class: "to" }, bdi(record.passages[at].id));
  link(button, mark ?? "p" + at);
  button.addEventListener("click", () => caseGo(mark && button.closest(".case").querySelector(`.passages mark[data-link="${mark}"]`) || button.closest(".case").querySelector(`[data-passage="${at}"]`)));
  return button;
}
// Opens what an element is folded in, brings it into view and puts the focus on it or near it.
function caseGo(element) {
  if (!element) return;
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  element.scrollIntoView({ block: "center" });
  const focused = element.matches("button, summary, [tabindex]") ? element : element.querySelector("summary, button");
  focused?.focus({ preventScroll: true });
}

// ---- what was needed --------------------------------------------------------------------

function caseGold(record) {
  const box = caseSection("evidence", "The evidence needed");
  const rows = record.gold.map((one) => {
    const row = make("tr", { class: one.there === false ? "lost" : "" },
      make("th", { scope: "row" }, ...(one.at === null ? [] : [casePassageLink(record, one.at, null, one.name), " "]), bdi(one.place), ...(one.text ? [make("p", { class: "text", dir: "auto" }, ...pieces(one.text))] : [])),
      make("td", {}, one.there === true ? "✓ " : one.there === false ? "✗ " : "", ...pieces(one.fate ?? "not told")),
      make("td", {}, one.rank ? `rank ${one.rank}` : "", ...(one.list ? [" in ", bdi(one.list)] : [])));
    link(row, one.name);
    return row;
  });
  box.append(rows.length ? caseTable(["gold evidence", "what became of it", "first seen"], rows, "Each item of the gold set")
    : make("p", { class: "missing" }, "No evidence is labelled for this query."));
  if (record.required.length) box.append(caseTable(["must be known", "in the context", "where"], record.required.map(([name, found, passage, said]) => make("tr", {},
    make("th", { scope: "row" }, bdi(name)), make("td", {}, found === null ? "undecided" : found ? "✓ yes" : "✗ no"),
    make("td", {}, ...(passage === null ? [] : [bdi(passage), " "]), bdi(said ?? "")))), "What a judge lists from the question alone"));
  return box;
}

// ---- the lists --------------------------------------------------------------------------

// A row a passage, a column a list: where it stood in each, and where it was lost.
function caseLists(record) {
  const { lists, passages } = record;
  if (!lists.length) return null;
  const box = caseSection("lists", "The lists, in the order of the pipeline");
  const held = (one) => one.held === null ? "" : `, holds ${Math.round(100 * one.held)}% of the evidence`;
  box.append(make("ul", { class: "stages" }, ...lists.map((one) => make("li", {}, make("b", {}, bdi(one.name)), ` ${one.n} ${one.n === 1 ? "passage" : "passages"}${held(one)}`))));
  const ranks = lists.map((one) => new Map(one.order.map((at, rank) => [at, rank + 1]).filter(([at]) => at !== null)));
  const rows = passages.map((one, at) => {
    const row = make("tr", { class: one.gold ? "gold" : one.near ? "near" : "" }, make("th", { scope: "row" }, casePassageLink(record, at)),
      ...ranks.map((known) => make("td", { class: "rank" }, known.has(at) ? String(known.get(at)) : make("span", { class: "missing", "aria-label": "not in it" }, "–"))),
      make("td", {}, ...caseKind(one)));
    link(row, "p" + at);
    return row;
  });
  const table = caseTable(["passage", ...lists.map((one) => bdi(one.name)), "what it is"], rows, "Rank of each passage in each list");
  box.append(table);
  if (record.left_out) box.append(make("p", { class: "missing" }, `${record.left_out.toLocaleString("en")} more passages of these lists are not in this page; samples.jsonl.zst of the evaluation holds them.`));
  return box;
}
// What a passage is, in words and with a sign: gold, a near miss with the fields that are wrong.
function caseKind(passage) {
  const found = [];
  if (passage.gold) found.push(make("span", { class: "kind gold" }, "★ gold"));
  if (passage.near) found.push(make("span", { class: "kind near" }, "≈ near miss: ", bdi(passage.near)));
  if (passage.untraced) found.push(make("span", { class: "kind untraced" }, "? ", bdi(passage.untraced)));
  return found.flatMap((one, n) => n ? [" ", one] : [one]);
}

// ---- the passages -----------------------------------------------------------------------

function casePassages(record) {
  const box = caseSection("passages", "The passages");
  if (!record.passages.length) box.append(make("p", { class: "missing" }, "No passage is given."));
  const seen = record.lists.at(-1)?.order ?? [];
  record.passages.forEach((one, at) => box.append(casePassage(record, one, at, seen.indexOf(at))));
  return box;
}
function casePassage(record, one, at, rank) {
  const { doc_id: doc, page, object_id: object, score, start: _, end: __, metadata = {}, ...more } = one.own;
  const known = Object.entries({ document: doc, page, object, score, ...metadata, ...more }).filter(([, value]) => value !== undefined && value !== null);
  const head = make("summary", {}, make("b", {}, bdi(one.id)), rank >= 0 ? ` rank ${rank + 1} ` : " ", ...caseKind(one));
  link(head, "p" + at);
  const card = make("details", { class: "passage" + (one.gold ? " gold" : one.near ? " near" : ""), "data-passage": String(at) }, head,
    make("dl", { class: "own" }, ...known.map(([name, value]) => make("div", {}, make("dt", {}, bdi(name)), make("dd", {}, bdi(caseWords(value)))))));
  card.open = one.gold || one.marks.length > 0 || at < AT_ONCE;
  if (one.text === null) card.append(make("p", { class: "missing" }, "Its text was not kept."));
  else if (!one.text) card.append(make("p", { class: "missing" }, "It has no text."));
  else card.append(...caseCut(one.cut, passageText(one.text, 0, one.text.length, one.marks.map((mark) => casePassageMark(record, mark)))));
  link(card, "p" + at);
  return card;
}
function casePassageMark(record, [start, end, kind, name]) {
  const number = Number(name.slice(1)) + 1;
  if (kind !== "quote") return { start, end, kind: "of-" + kind, link: name };
  const after = make("button", { type: "button", class: "tag", "aria-label": `quote for claim ${number}: ${caseLabel(record.claims[number - 1])}; show the claim` }, `${number}`);
  after.addEventListener("click", () => caseGo(after.closest(".case").querySelector(`.answer .tag[data-link="${name}"]`)));
  link(after, name);
  return { start, end, kind: "of-quote", link: name, after };
}
// A text of which something is left out, with how much on either side.
function caseCut(cut, text) {
  if (!cut) return [text];
  const [start, end, length] = cut;
  const left = (n, where) => n ? [make("p", { class: "missing" }, `… ${n.toLocaleString("en")} characters ${where} are left out`)] : [];
  return [...left(start, "before"), text, ...left(length - end, "after")];
}
const caseMarks = () => make("p", { class: "legend" }, ...Object.entries(MARKED).flatMap(([kind, name]) => [make("mark", { class: "of-" + kind }, name), " "]));
