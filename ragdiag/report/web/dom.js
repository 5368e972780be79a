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
      end = line > start ? line + 1 : blank > start ? blank + 1 : /[\ud800-\udbff]/.test(text[end - 1]) ? end - 1 : end;
    }
    while (next < sorted.length && sorted[next].end <= start) next++;
    const own = [];
    for (let n = next; n < sorted.length && sorted[n].start < end; n++)
      own.push({ ...sorted[n], start: Math.max(sorted[n].start, start) - start, end: Math.min(sorted[n].end, end) - start, after: sorted[n].end > end ? undefined : sorted[n].after });
    box.append(prose(text.slice(start, end), own));
    start = end;
  }
  return box;
}

// Characters that turn text around, hide in it or are no text at all are shown by name. Joiners and
// variation selectors stay where they do their work: in emoji, and after letters that join.
const NAMED = new Map(Object.entries({
  "\0": "NUL", "\r": "CR", "\x1b": "ESC", "\x7f": "DEL", "\xad": "SHY", "\u034f": "CGJ", "\u061c": "ALM", "\u180e": "MVS",
  "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u200e": "LRM", "\u200f": "RLM", "\u2028": "LS", "\u2029": "PS",
  "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2060": "WJ",
  "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\ufeff": "BOM",
}));
const UNSEEN = new RegExp("(" + [
  "(?![\\t\\n\\u200c\\u200d\\ufe00-\\ufe0f]|\\r\\n)[\\p{Cc}\\p{Cs}\\p{DI}\\u2028\\u2029\\ufff9-\\ufffb]",
  "(?<![\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\u200c\\u200d]",
  "(?<![\\p{Emoji}\\p{Script=Han}\\p{Script=Mongolian}])[\\ufe00-\\ufe0f]",
].join("|") + ")", "u");
const WEAK = "\u061c\u200e\u200f"; // these turn nothing around but the marks beside them: named, and kept
const nameOf = (character) => NAMED.get(character) ?? "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
function pieces(text) {
  return text.split(UNSEEN).flatMap((piece, n) => {
    if (!piece) return [];
    if (n % 2 === 0) return [document.createTextNode(piece)];
    const named = make("bdi", { class: "control", dir: "ltr", title: "a character that is not seen, or turns text around" }, nameOf(piece));
    return WEAK.includes(piece) ? [named, document.createTextNode(piece)] : [named];
  });
}
const bdi = (text) => make("bdi", {}, ...pieces(String(text)));
// Spans with a `link` outside, which may overlap: each stretch between two borders is a mark in a
// mark, one for each span that it is in. Words and numbers, which do not overlap, inside. `after`
// stands behind the end of its span.
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
    let stretch = within(from, to);
    for (const { kind, link: name } of active.toReversed()) {
      const mark = make("mark", { class: kind }, ...stretch);
      link(mark, name);
      stretch = [mark];
    }
    children.push(...stretch, ...active.filter((r) => r.after && r.end === to).map((r) => r.after));
  }
  element.replaceChildren(...children);
  return element;
}
// What has the same name lights up together, when a pointer or the focus comes to any of it: within
// its own case, of which a page may show two.
function link(element, name) {
  element.dataset.link = name;
  const light = (on) => { for (const one of (element.closest("article.case") ?? document).querySelectorAll(`[data-link="${CSS.escape(name)}"]`)) one.classList.toggle("lit", on); };
  for (const [event, on] of [["mouseenter", true], ["mouseleave", false], ["focus", true], ["blur", false]])
    element.addEventListener(event, () => light(on));
}
