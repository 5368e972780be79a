// Where labels go: the server, or this browser.

const data = JSON.parse($("data").textContent);
const { version, units } = data.guideline;
const served = data.mode === "served";

const named = (unit, label) => units[unit].labels.find(([one]) => one === label)?.[1] ?? label ?? "undecided";
const newId = () => crypto.randomUUID?.() ??
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

class NotSaved extends Error {}

const server = {
  token: new URLSearchParams(location.search).get("token") ?? "",
  async ask(what, body) {
    let reply;
    try {
      reply = await fetch("api/" + what, {
        method: "POST",
        headers: { "content-type": "application/json", "x-ragdiag-token": this.token },
        body: JSON.stringify({ ...body, annotator: who }),
      });
    } catch {
      throw new NotSaved("The server does not answer. Is `ragdiag review` still running? Start it again and open the address that it prints; what was saved stays.");
    }
    if (reply.status === 403) throw new NotSaved("The server refuses this page: open the address that `ragdiag review` printed.");
    const said = await reply.json();
    if (!reply.ok && reply.status !== 409) throw new NotSaved(said.error ?? "status " + reply.status);
    return said;
  },
  overview() { return this.ask("overview", {}); },
  item(id) { return this.ask("item", { item_id: id }); },
  label(row, given) { return this.ask("label", { ...given, item_id: row.item_id }); },
  undo(row) { return this.ask("undo", { item_id: row.item_id, entry_id: row.entry_id ?? null }); },
  skip(row) { return this.ask("skip", { item_id: row.item_id }); },
};

// One storage key an item and annotator: two tabs never overwrite each other, and a page that is
// made again finds the labels of items that have not changed.
const disk = {
  memory: new Map(),
  lasting: true,
  items: new Map((data.items ?? []).map((item) => [item.item_id, item])),
  key(id) { return ["ragdiag-review", who, id, this.items.get(id).line.item_hash].join("\n"); },
  get(id) {
    let text = null;
    try { text = localStorage.getItem(this.key(id)); } catch { this.lasting = false; }
    text ??= this.memory.get(this.key(id)) ?? null;
    return text === null ? { history: [], skipped: false, at: 0 } : JSON.parse(text);
  },
  put(id, standing) {
    const text = JSON.stringify({ ...standing, at: Date.now() });
    this.memory.set(this.key(id), text);
    try { localStorage.setItem(this.key(id), text); } catch { this.lasting = false; }
  },
  row(item) {
    const standing = this.get(item.item_id);
    const last = standing.history.at(-1);
    const state = item.refusal ? "refused" : last ? (last.unsure ? "unsure" : "labelled") : standing.skipped ? "skipped" : "open";
    return { item_id: item.item_id, unit: item.unit, state, label: last?.label, entry_id: last?.entry_id };
  },
  async overview() {
    const items = [...this.items.values()].map((item) => this.row(item));
    const recent = [...this.items.keys()].map((id) => [this.get(id).at, id]).filter(([at]) => at);
    recent.sort((a, b) => a[0] - b[0]);
    return { items, recent: recent.map(([, id]) => id) };
  },
  async item(id) {
    const item = this.items.get(id);
    const mine = this.get(id).history.at(-1);
    return { ...item.blind, ...this.row(item), refusal: item.refusal, mine };
  },
  async label(row, given) {
    const { revises, ...kept } = given;
    const standing = this.get(row.item_id);
    const last = standing.history.at(-1);
    if ((last?.entry_id ?? null) !== revises) return { outcome: "conflict", mine: last };
    const entry = { ...this.items.get(row.item_id).line, ...kept, item_id: row.item_id, annotator: who, time: new Date().toISOString(), guideline: version };
    this.put(row.item_id, { history: [...standing.history, entry], skipped: false });
    return { outcome: "saved", mine: entry };
  },
  async undo(row) {
    const standing = this.get(row.item_id);
    this.put(row.item_id, { history: standing.history.slice(0, -1), skipped: false });
    return { outcome: "saved" };
  },
  async skip(row) { this.put(row.item_id, { ...this.get(row.item_id), skipped: true }); return {}; },
  lines() {
    return [...this.items.keys()].map((id) => this.get(id).history.at(-1)).filter(Boolean);
  },
};
const place = served ? server : disk;
