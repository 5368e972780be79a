// What is found in the texts of an item: words that the claim shares, the quote, where to begin.

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
