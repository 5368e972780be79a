// Elements of a page, and text as elements: through text nodes alone, never as HTML.

const $ = (id) => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

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
  const light = (on) => { for (const one of document.querySelectorAll(`[data-link="${CSS.escape(name)}"]`)) one.classList.toggle("lit", on); };
  for (const [event, on] of [["mouseenter", true], ["mouseleave", false], ["focus", true], ["blur", false]])
    element.addEventListener(event, () => light(on));
}
