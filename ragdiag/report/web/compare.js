// The comparison: from the queries that flipped to their cases, a run beside the other.

const TITLE = document.title;
const compared = {
  cases: null,
  rows: [...document.querySelectorAll(".flips tr[data-go]")],
  last: null,

  at(hash) { return this.rows.findIndex((row) => row.dataset.go === hash); },
  async show() {
    const place = this.at(location.hash), open = location.hash.startsWith("#/case/");
    $("alert").hidden = true;
    $("overview").hidden = open;
    $("case").hidden = !open;
    if (!open) {
      document.title = TITLE;
      if (this.last !== null) { this.rows[this.last]?.querySelector("a").focus(); this.last = null; }
      return;
    }
    if (place < 0) return this.tell("This query did not flip, or its cases are not in this page.");
    this.last = place;
    const link = this.rows[place].querySelector("a"), id = link.textContent, pair = Number(this.rows[place].dataset.go.split("/")[2]);
    document.title = id + " · " + TITLE;
    $("case-place").textContent = `${place + 1} of ${this.rows.length}`;
    this.sibling("previous", place - 1);
    this.sibling("next", place + 1);
    const held = await this.loaded;
    if (!held || this.at(location.hash) !== place) return;
    const sides = [0, pair + 1].map((run, n) => this.side(held.runs[run], held.cases[id]?.[run], "ab"[n]));
    $("sides").replaceChildren(...sides);
    scrollTo(0, 0);
    $("case").focus({ preventScroll: true });
  },
  side(name, record, letter) {
    const heading = make("h2", { id: "run-" + letter }, bdi(name));
    const box = make("section", { "aria-labelledby": "run-" + letter }, heading);
    if (!record) { box.append(make("p", { class: "quiet" }, "The case of this run is not in this page.")); return box; }
    const drawn = renderCase(record);
    for (const element of drawn.querySelectorAll("[id]")) element.id += "-" + letter;
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "for"])
      for (const element of [drawn, ...drawn.querySelectorAll(`[${name}]`)])
        if (element.hasAttribute(name)) element.setAttribute(name, element.getAttribute(name).split(" ").map((one) => one + "-" + letter).join(" "));
    box.append(drawn);
    return box;
  },
  sibling(name, at) {
    const link = $(name), row = this.rows[at];
    link.hidden = !row;
    if (row) link.href = row.dataset.go;
  },
  tell(message) { $("sides").replaceChildren(); $("alert").textContent = message; $("alert").hidden = false; },
  move(step) {
    if ($("case").hidden) {
      const now = this.rows.findIndex((row) => row.contains(document.activeElement));
      this.rows[Math.min(this.rows.length - 1, Math.max(0, now + step))]?.querySelector("a").focus();
      return;
    }
    const row = this.rows[this.at(location.hash) + step];
    if (row) location.hash = row.dataset.go;
  },
  async load() {
    const text = $("cases").textContent;
    $("cases").remove();
    return text ? JSON.parse(new TextDecoder().decode(await codec.unpack(text))) : { runs: [], cases: {} };
  },
};

compared.loaded = compared.load().catch((fault) => {
  compared.tell(`The cases cannot be read (${fault.message}). A newer browser may read them: it needs DecompressionStream.`);
  return null;
});
for (const row of compared.rows) row.addEventListener("click", (event) => { if (!event.target.closest("a")) location.hash = row.dataset.go; });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || $("keys").open) return;
  const does = { j: () => compared.move(1), k: () => compared.move(-1), "?": () => $("keys").showModal(), Escape: $("case").hidden ? null : () => { location.hash = "#/"; } }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
$("help").addEventListener("click", () => $("keys").showModal());
addEventListener("hashchange", () => compared.show());
compared.loaded.then(() => { document.documentElement.dataset.ready = "true"; });
compared.show();
