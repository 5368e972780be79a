// Text of samples -> elements: through text nodes alone, never as HTML.

const LONG = 5000; // one block of a long one

function prose(text, ranges = []) {
  const element = make("p", { class: "text", dir: "auto" });
  return paint(element, text, ranges);
}
// Long texts in blocks of their own, which the browser lays out only when they are looked at.
function passageText(text, from, to, ranges) {
  const moved = (start) => ranges.map((r) => ({ ...r, start: r.start - start, end: r.end - start }));
  if (to - from <= 2 * LONG) return prose(text.slice(from, to), moved(from));
  const box = make("div", { class: "long" });
  const sorted = [...ranges].sort((a, b) => a.start - b.start);
  for (let start = from, next = 0; start < to;) {
    let end = Math.min(to, start + LONG);
    if (end < to) {
      const line = text.lastIndexOf("\n", end), blank = text.lastIndexOf(" ", end);
      end = line > start ? line + 1 : blank > start ? blank + 1 : end;
    }
    while (next < sorted.length && sorted[next].end <= start) next++;
    const own = [];
    for (let n = next; n < sorted.length && sorted[n].start < end; n++)
      own.push({ ...sorted[n], start: Math.max(sorted[n].start, start) - start, end: Math.min(sorted[n].end, end) - start });
    box.append(prose(text.slice(start, end), own));
    start = end;
  }
  return box;
}
const wordAt = (text, from) => (from <= 0 ? 0 : text.indexOf(" ", from) + 1);

// The words (four letters or more) and numbers of the claim or the question, as they stand.
function needles(text) {
  const found = text.toLowerCase().match(/\p{N}(?:[\p{N}.,]*\p{N})?|[\p{L}\p{M}]{4,}|[\p{Script=Han}]{2,}/gu) ?? [];
  return new Set(found.slice(0, 200));
}
function words(text, seek, offset = 0) {
  const found = [];
  if (text.length > 200000) return found;
  for (const match of text.matchAll(/\p{N}(?:[\p{N}.,]*\p{N})?|[\p{L}\p{M}]{4,}/gu))
    if (seek.has(match[0].toLowerCase()))
      found.push({ start: offset + match.index, end: offset + match.index + match[0].length, kind: /^\p{N}/u.test(match[0]) ? "number" : "word" });
  return found;
}
// Where the part of a long passage begins that shares most with what is sought.
function best(text, seek) {
  const hits = words(text, seek);
  let most = 0, where = 0;
  for (let i = 0, j = 0; i < hits.length; i++) {
    while (hits[i].start - hits[j].start > 600) j++;
    if (i - j + 1 > most) { most = i - j + 1; where = hits[j].start; }
  }
  if (where < 300) return 0;
  const line = Math.max(text.lastIndexOf("\n", where), text.lastIndexOf(". ", where) + 1);
  return where - line < 300 ? line + 1 : where - 100;
}
// A quote is found as it is written, or with blanks of another length.
function find(text, { quote, link }) {
  let start = text.indexOf(quote), length = quote.length;
  if (start < 0 && quote.length < 5000) {
    const loose = quote.trim().split(/\s+/u).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
    const match = new RegExp(loose, "u").exec(text);
    if (match) { start = match.index; length = match[0].length; }
  }
  return start < 0 ? [] : [{ start, end: start + length, kind: "quote", link }];
}

// Overrides and invisible characters are shown by name, so that they turn and hide nothing.
const NAMED = new Map([["\u202d", "LRO"], ["\u202e", "RLO"], ["\u200b", "ZWSP"], ["\u2060", "WJ"], ["\ufeff", "BOM"]]);
function pieces(text) {
  return text.split(/([\u202d\u202e\u200b\u2060\ufeff])/u).filter(Boolean).map((piece) =>
    NAMED.has(piece) ? make("span", { class: "control", title: "an invisible control character of the text" }, NAMED.get(piece)) : document.createTextNode(piece));
}
const bdi = (text) => make("bdi", {}, ...pieces(String(text)));
// Spans of a claim or quote outside, which may overlap: each stretch between two borders is one
// mark. Words and numbers, which do not overlap, inside.
function paint(element, text, ranges) {
  const sound = ranges.filter((r) => r.end > 0 && r.start < text.length && r.start < r.end).sort((a, b) => a.start - b.start);
  const spans = sound.filter((r) => r.link);
  const inner = sound.filter((r) => !r.link);
  const borders = [...new Set([0, text.length, ...spans.flatMap((r) => [Math.max(0, r.start), Math.min(text.length, r.end)])])].sort((a, b) => a - b);
  const children = [];
  let active = [], next = 0, word = 0;
  const within = (from, to) => {
    const found = [];
    let at = from;
    for (; word < inner.length && inner[word].start < to; word++) {
      const { start, end, kind } = inner[word];
      if (end > to || start < at) continue;
      found.push(...pieces(text.slice(at, start)), make("mark", { class: kind }, ...pieces(text.slice(start, end))));
      at = end;
    }
    return [...found, ...pieces(text.slice(at, to))];
  };
  for (let i = 0; i + 1 < borders.length; i++) {
    const [from, to] = [borders[i], borders[i + 1]];
    while (next < spans.length && spans[next].start <= from) active.push(spans[next++]);
    active = active.filter((r) => r.end > from);
    if (!active.length) { children.push(...within(from, to)); continue; }
    const mark = make("mark", { class: [...new Set(active.map((r) => r.kind))].join(" ") }, ...within(from, to));
    link(mark, active[0].link);
    children.push(mark);
  }
  element.replaceChildren(...children);
  return element;
}
function link(element, name) {
  element.dataset.link = name;
  const light = (on) => { for (const one of document.querySelectorAll(`[data-link="${name}"]`)) one.classList.toggle("lit", on); };
  for (const [event, on] of [["mouseenter", true], ["mouseleave", false], ["focus", true], ["blur", false]])
    element.addEventListener(event, () => light(on));
}
