// The review page: its state, what keys do, and how an item is drawn.

// ---- state ------------------------------------------------------------------------------

const remembered = "ragdiag-review-annotator";
const recall = () => { try { return sessionStorage.getItem(remembered); } catch { return null; } };
let who = recall() ?? data.annotator ?? "";
let rows = [];
let recent = [];
let at = -1; // of the item shown; rows.length: the end
let shown = null;
let full = false;
let busy = 0;
const ahead = new Map(); // items asked for before they are needed; never one that has a label

const done = (row) => row.state !== "open" && row.state !== "skipped";
const nextOpen = (from) => {
  for (const state of ["open", "skipped"])
    for (let step = 1; step <= rows.length; step++) {
      const index = (from + step) % rows.length;
      if (rows[index].state === state && index !== from) return index;
    }
  return rows.length;
};

async function refresh() {
  const found = await place.overview();
  rows = found.items;
  recent = found.recent;
  drawProgress();
}

// One thing after the other. A label given while one is being saved is dropped: its item was not
// on the screen yet.
let turn = Promise.resolve();
function guarded(work, { drop = false } = {}) {
  if (busy && drop) { $("status").textContent = "Not taken: this item was still coming. Press the key again."; return; }
  busy++;
  $("labels").setAttribute("aria-busy", "true");
  turn = turn.then(() => attempt(work)).finally(() => { if (!--busy) $("labels").setAttribute("aria-busy", "false"); });
}
async function attempt(work) {
  try {
    await work();
    $("alert").hidden = !warnOfMemory();
  } catch (fault) {
    if (!(fault instanceof NotSaved)) throw fault;
    tell(fault.message);
  }
}
function tell(message) { $("alert").textContent = message; $("alert").hidden = false; }
function warnOfMemory() {
  if (served || disk.lasting) return false;
  $("alert").textContent = "This browser keeps nothing for this page: download your labels before you close it.";
  return true;
}

async function show(index) {
  at = Math.max(0, Math.min(index, rows.length));
  if (at === rows.length) { shown = null; drawEnd(); return; }
  const row = rows[at];
  const early = done(row) ? undefined : ahead.get(row.item_id);
  ahead.delete(row.item_id);
  shown = (await early) ?? (await place.item(row.item_id));
  full = false;
  $("unsure").setAttribute("aria-pressed", String(Boolean(shown.mine?.unsure)));
  $("reason").value = shown.mine?.reason ?? "";
  history.replaceState(null, "", "#" + encodeURIComponent(row.item_id));
  draw();
  const next = nextOpen(at);
  if (served && next < rows.length && !ahead.has(rows[next].item_id))
    ahead.set(rows[next].item_id, server.item(rows[next].item_id).catch(() => undefined));
}

// ---- what keys and buttons do -----------------------------------------------------------

const give = (label) => guarded(async () => {
  if (!shown || shown.refusal) return;
  const row = rows[at];
  const given = { entry_id: newId(), label, revises: row.entry_id ?? null };
  if ($("unsure").getAttribute("aria-pressed") === "true") given.unsure = true;
  if ($("reason").value.trim()) given.reason = $("reason").value.trim();
  const revising = Boolean(row.entry_id);
  const reply = await place.label(row, given);
  await refresh();
  if (reply.outcome === "conflict") {
    await show(at);
    $("status").textContent = reply.mine
      ? `Not saved: you said “${named(row.unit, reply.mine.label)}” of this item elsewhere, and that stands. Press a key to change it.`
      : "Not saved: your earlier label was taken back elsewhere. Press the key again.";
    return;
  }
  await show(revising ? at : nextOpen(at));
  $("status").textContent = `Saved: ${named(row.unit, label)}${given.unsure ? ", unsure" : ""}. z undoes${served && !revising ? ", k compares" : ""}.`;
}, { drop: true });

const skip = () => guarded(async () => {
  if (!shown) return;
  const row = rows[at];
  if (!done(row)) await place.skip(row);
  await refresh();
  await show(nextOpen(at));
  $("status").textContent = done(row) ? "" : "Skipped; it comes again at the end.";
});

const undo = () => guarded(async () => {
  await refresh();
  const id = recent.at(-1);
  const index = rows.findIndex((row) => row.item_id === id);
  if (index < 0) { $("status").textContent = "Nothing to undo."; return; }
  const was = rows[index];
  const reply = await place.undo(was);
  ahead.delete(id);
  await refresh();
  await show(index);
  $("status").textContent = reply.outcome === "conflict" ? "Not undone: it was changed elsewhere." :
    was.label === undefined ? "The skip is taken back." : `“${named(was.unit, was.label)}” is taken back.`;
});

const move = (step) => guarded(async () => {
  let to = shown || step < 0 ? at + step : nextOpen(-1);
  while (rows[to]?.state === "covered") to += step; // others' share of the work
  if (to < 0) { $("status").textContent = "This is the first item."; return; }
  await show(to);
  $("status").textContent = "";
});

function toggleUnsure() {
  const on = $("unsure").getAttribute("aria-pressed") !== "true";
  $("unsure").setAttribute("aria-pressed", String(on));
  $("status").textContent = on ? "Unsure: now give your best guess." : "";
}
function toggleFull() {
  full = !full;
  drawPassages();
  $("status").textContent = full ? "Full passages." : "Passages are cut; space shows all.";
}

// ---- drawing ----------------------------------------------------------------------------

function drawProgress() {
  const count = (...states) => rows.filter((row) => states.includes(row.state)).length;
  const n = count("labelled", "unsure");
  const all = rows.length - count("covered", "refused");
  const parts = [`${n} of ${all}`];
  for (const [state, word] of [["unsure", "unsure"], ["skipped", "skipped"], ["covered", "by others"], ["refused", "refused"]])
    if (count(state)) parts.push(`${count(state)} ${word}`);
  $("progress").textContent = parts.join(" · ");
  const share = all ? (100 * n) / all : 0;
  $("filled").style.width = share + "%";
  for (const [name, value] of [["valuemax", all], ["valuenow", n], ["valuetext", parts.join(", ")]])
    $("meter").setAttribute("aria-" + name, String(value));
  $("who").replaceChildren(bdi(who || "name?"));
  $("download").hidden = served;
}

function block(kind, title, ...children) {
  return make("section", { class: "block " + kind }, make("h2", {}, title), ...children);
}
function draw() {
  const guide = units[shown.unit];
  $("title").textContent = guide.title;
  $("place").replaceChildren(`item ${at + 1} of ${rows.length} · query `, bdi(shown.query_id ?? ""),
    rows[at].state === "covered" ? " · someone has labelled it, and one label is enough; s goes on" : "");
  const body = $("body");
  body.replaceChildren();
  if (shown.refusal) body.append(block("refusal", "Not to be labelled", prose("This item is refused: " + shown.refusal + ".")));
  else drawCase(body);
  drawLabels(guide);
  drawGuide(guide);
  drawVerdict();
  $("guide").hidden = false;
  window.scrollTo(0, 0);
  $("title").focus({ preventScroll: true });
}

function drawCase(body) {
  if (shown.history.length)
    body.append(block("before", "Earlier turns", ...shown.history.map(([role, text]) => make("p", { class: "text turn", dir: "auto" }, make("b", {}, bdi(role), ": "), ...pieces(text)))));
  body.append(block("question", "Question", prose(shown.query)));
  if (shown.claim !== undefined) body.append(block("claim", "Claim", prose(shown.claim)));
  if (shown.reference !== undefined)
    body.append(block("reference", shown.reference.length > 1 ? "Reference: any of these" : "Reference", ...(shown.reference.length ? shown.reference.map((text) => prose(text)) : [make("p", { class: "missing" }, shown.answerable === false ? "none: the question cannot be answered" : "none")])));
  if (shown.answer !== undefined) {
    const said = shown.span ? [{ start: shown.span[0], end: shown.span[1], kind: "said", link: "c0" }] : [];
    const text = shown.answer ? prose(shown.answer, said) : make("p", { class: "missing" }, "the answer is empty");
    body.append(block("answer", shown.span ? "Answer, the claim marked" : "Answer", text));
  }
  if (shown.unit !== "correctness") {
    body.append(block("evidence", shown.passages.length === 1 ? "Passage" : `Passages (${shown.passages.length})`, make("div", { id: "passages" })));
    drawPassages();
  }
}

const CUT = 900; // characters; beyond, a passage starts cut
const PART = 4000; // what is drawn of a cut passage

function drawPassages() {
  const list = $("passages");
  if (!list) return;
  if (!shown.passages.length) { list.replaceChildren(make("p", { class: "missing" }, "nothing was retrieved")); return; }
  const seek = needles(shown.claim ?? (shown.unit === "faithfulness" ? shown.answer : shown.query));
  const quotes = quotesShown();
  list.replaceChildren(...shown.passages.map((passage, index) => {
    const head = make("header", {}, make("b", {}, String(index + 1)), bdi(passage.passage_id));
    if (passage.doc_id) head.append(bdi(passage.doc_id));
    if (passage.page) head.append(make("span", {}, "page ", bdi(passage.page)));
    const card = make("article", { class: "passage", "aria-label": "Passage " + (index + 1) }, head);
    if (passage.text === null || passage.text === undefined) {
      card.append(make("p", { class: "missing" }, "its text was not kept"));
      return card;
    }
    const own = quotes.filter((q) => !q.passage_id || q.passage_id === passage.passage_id);
    const text = passage.text;
    const cut = !full && text.length > CUT;
    const ranges = own.flatMap((q) => find(text, q));
    const from = !cut ? 0 : ranges.length ? wordAt(text, ranges[0].start - 200) : best(text, seek);
    const to = cut ? Math.min(text.length, from + PART) : text.length;
    const drawn = passageText(text, from, to, [...ranges, ...words(text.slice(from, to), seek, from)]);
    if (from) drawn.prepend("… ");
    if (cut) card.classList.add("cut");
    card.append(drawn);
    if (text.length > CUT) {
      const more = make("button", { type: "button", class: "more", "aria-expanded": String(full) }, full ? "Show less " : `Show all ${text.length.toLocaleString("en")} characters `, make("kbd", {}, "space"));
      more.addEventListener("click", toggleFull);
      card.append(more);
    }
    return card;
  }));
}

function quotesShown() {
  const verdict = shown.verdict;
  if (!verdict) return [];
  const judged = verdict.claims ?? (verdict.judge ? [verdict.judge] : []);
  return judged.map((one, n) => ({ ...one, link: "c" + n })).filter((one) => one.quote);
}
function drawLabels(guide) {
  $("labels").replaceChildren(...guide.labels.map(([label, name, meaning], index) => {
    const button = make("button", { type: "button", class: "label", "aria-keyshortcuts": String(index + 1), "aria-pressed": String(shown.mine?.label === label) },
      make("kbd", {}, String(index + 1)), make("b", {}, name), make("small", {}, meaning));
    button.disabled = Boolean(shown.refusal);
    button.addEventListener("click", () => give(label));
    return button;
  }));
}
function drawGuide(guide) {
  $("version").textContent = "(version " + version + ")";
  $("guideline").replaceChildren(...guide.text.map((line) => make("p", {}, line)),
    make("ul", { class: "meanings" }, ...guide.labels.map(([, name, meaning]) => make("li", {}, make("b", {}, name), ": " + meaning))));
}

function drawVerdict() {
  const box = $("verdict");
  box.replaceChildren();
  if (!shown.mine) return;
  if (!served) {
    box.append(make("p", {}, "You said ", make("b", {}, named(shown.unit, shown.mine.label)), ". Another key changes it."));
    return;
  }
  const { verdict, others } = shown;
  const judge = verdict.judge;
  const line = (name, label, ...more) => make("li", {}, bdi(name), ": ", make("b", {}, named(shown.unit, label)),
    label === shown.mine.label ? " — as you" : " — differs", ...more);
  const list = make("ul", {});
  list.append(judge ? line("judge", judge.label) : make("li", {}, "the judge says nothing of this item"));
  for (const one of others) list.append(line(one.annotator, one.label, one.unsure ? ", unsure" : "", ...(one.reason ? [": ", bdi(one.reason)] : [])));
  box.append(make("h2", {}, "Compare"), make("p", {}, "You said ", make("b", {}, named(shown.unit, shown.mine.label)), shown.mine.adjudicated ? " (after comparing)." : "."), list);
  if (judge?.reason) box.append(make("p", { dir: "auto" }, "Why: ", ...pieces(String(judge.reason))));
  for (const one of quotesShown()) {
    const quote = make("button", { type: "button", class: "link", dir: "auto" }, ...(verdict.claims ? [make("b", {}, ...pieces(one.text)), " — "] : []), ...pieces("“" + one.quote + "”"));
    link(quote, one.link);
    quote.addEventListener("click", () => {
      const mark = document.querySelector(`#passages mark[data-link="${one.link}"]`);
      mark ? mark.scrollIntoView({ block: "center" }) : ($("status").textContent = "This quote stands in no passage shown.");
    });
    box.append(quote);
  }
  if (verdict.why.length) box.append(make("p", {}, "In the queue for: ", bdi(verdict.why.join(", "))));
  box.append(make("p", {}, "A key changes your label; it is then marked as adjudicated."));
}

function drawEnd() {
  history.replaceState(null, "", "#");
  const left = rows.filter((row) => !done(row)).length;
  $("title").textContent = left ? `${left} items are still open` : rows.length ? "All items are labelled" : "The queue is empty";
  $("place").textContent = "";
  const count = new Map();
  for (const row of rows) if (row.label !== undefined) {
    const name = `${row.unit}: ${named(row.unit, row.label)}`;
    count.set(name, (count.get(name) ?? 0) + 1);
  }
  const table = make("table", { class: "sum" }, ...[...count].sort().map(([name, n]) => make("tr", {}, make("td", {}, name), make("td", {}, String(n)))));
  const next = left ? "j goes to the first of them." : served ? "Next: ragdiag agreement reads these labels. k goes back, to compare with the judge." : "Download the labels; ragdiag review DIR --import FILE merges them.";
  $("body").replaceChildren(table, make("p", {}, next));
  $("labels").replaceChildren();
  $("verdict").replaceChildren();
  $("guide").hidden = true;
  $("title").focus({ preventScroll: true });
}

// ---- wiring -----------------------------------------------------------------------------

async function start() {
  await refresh();
  const wanted = rows.findIndex((row) => row.item_id === decodeURIComponent(location.hash.slice(1)));
  await show(wanted >= 0 && !done(rows[wanted]) ? wanted : nextOpen(-1));
}
function askName() {
  $("name").value = who;
  $("naming").showModal();
}
$("naming-form").addEventListener("submit", () => {
  const name = $("name").value.trim();
  if (!name) return;
  who = name;
  try { sessionStorage.setItem(remembered, who); } catch { /* asked again after a reload */ }
  ahead.clear();
  guarded(start);
});

const keys = {
  u: toggleUnsure, s: skip, z: undo, j: () => move(1), k: () => move(-1),
  "?": () => $("keys").showModal(), " ": toggleFull,
  n: () => { $("guide").open = true; $("reason").focus(); },
};
// Where a keyboard writes another script, or digits need Shift, the key's place decides.
const keyOf = (event) => {
  const digit = /^(?:Digit|Numpad)([1-4])$/.exec(event.code);
  if (digit && !event.shiftKey) return digit[1];
  const key = event.key.toLowerCase();
  return key.charCodeAt(0) < 128 ? key : event.code.replace(/^Key/, "").toLowerCase();
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.matches("textarea, input")) { if (event.key === "Escape") target.blur(); return; }
  const key = keyOf(event);
  if (key === " " && target.closest("button, summary")) return;
  if (event.repeat && key !== "j" && key !== "k") return;
  const label = /^[1-4]$/.test(key) && shown ? units[shown.unit].labels[Number(key) - 1] : undefined;
  const act = label ? () => give(label[0]) : keys[key];
  if (!act) return;
  event.preventDefault();
  act();
});
for (const [id, act] of [["unsure", toggleUnsure], ["skip", skip], ["undo", undo], ["previous", keys.k], ["next", keys.j], ["help", keys["?"]], ["who", askName]])
  $(id).addEventListener("click", act);
$("download").addEventListener("click", () => {
  const text = disk.lines().map((line) => JSON.stringify(line) + "\n").join("");
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" })), download: `labels-${who.replace(/[^\p{L}\p{N}._-]+/gu, "_")}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
document.addEventListener("visibilitychange", () => { if (!document.hidden && rows.length) guarded(refresh); });
window.addEventListener("beforeunload", (event) => { if (!served && !disk.lasting && disk.lines().length) event.preventDefault(); });

$("guide").open = matchMedia("(min-width: 56.01rem)").matches;
$("how").textContent = served ? "Labels are saved as you give them. The judge’s verdict and other people’s labels are shown when you come back to an item that you have labelled."
  : "Labels are kept in this browser. Download them when you are done, and send the file to whoever runs ragdiag.";
if (who) guarded(start); else askName();
