// The page as a whole: which view is shown, and how the list and the case are drawn.

const views = {
  state: readState(location.hash),
  seen: null, // the state that was shown before
  index: null,
  list: null,
  filters: null,
  listed: null, // of which filters the rows in the list are
  turn: 0,

  // ---- from view to view -----------------------------------------------------------------
  go(state, { replace = false } = {}) {
    if (replace) { history.replaceState(null, "", stateText(state)); this.show(); } else location.hash = stateText(state);
  },
  async show() {
    const before = this.seen, state = this.seen = this.state = readState(location.hash), turn = ++this.turn;
    for (const view of ["landing", "list", "case"]) {
      $(view).hidden = view !== state.view;
      const link = document.querySelector(`nav [data-view="${view}"]`);
      if (view === state.view) link?.setAttribute("aria-current", "page"); else link?.removeAttribute("aria-current");
    }
    $("alert").hidden = true;
    if (state.view === "landing") { document.title = TITLE; if (before && before.view !== "landing") $("landing").focus({ preventScroll: true }); return; }
    if (!this.index && !(await this.loaded)) return;
    if (turn !== this.turn) return;
    this.relist(state.filters);
    if (state.view === "list") this.showList(before);
    else await this.showCase(turn);
  },
  relist(filters) {
    const asked = stateText({ view: "list", filters });
    this.filters.show(filters);
    if (asked === this.listed) return;
    this.listed = asked;
    const { index, list } = this, selected = list.row;
    const rows = index.sort(index.filter(filters), filters.sort);
    this.columns = this.chosenColumns(filters);
    this.heads();
    const kept = selected < 0 || asked === "#/list" ? -1 : rows.indexOf(selected);
    list.show(rows, Math.max(0, kept));
    $("shown").textContent = rows.length === index.n ? `${index.n.toLocaleString("en")} queries` : `${rows.length.toLocaleString("en")} of ${index.n.toLocaleString("en")} queries`;
    $("empty").hidden = rows.length > 0;
    $("export").disabled = !rows.length;
  },
  showList(before) {
    document.title = "Queries · " + TITLE;
    if (before?.view === "case") { const at = this.list.rows.indexOf(this.index.find(before.id)); if (at >= 0) this.list.select(at); }
    this.list.paint();
    this.list.select(this.list.at);
    if (before?.view !== "list") $("grid").focus({ preventScroll: true });
  },
  async showCase(turn) {
    const { id } = this.state, row = this.index.find(id), body = $("case-body");
    document.title = id + " · " + TITLE;
    $("case-title").replaceChildren("Query ", bdi(id));
    if (row < 0) { body.replaceChildren(); return this.tell(`No query ${id} is in this report.`); }
    const at = this.list.rows.indexOf(row);
    if (at >= 0) this.list.select(at);
    $("case-place").textContent = at >= 0 ? `${(at + 1).toLocaleString("en")} of ${this.list.rows.length.toLocaleString("en")}` : "not among the queries that are filtered";
    $("to-list").href = stateText({ view: "list", filters: this.state.filters });
    this.sibling("previous", at > 0 ? at - 1 : -1);
    this.sibling("next", at >= 0 && at + 1 < this.list.rows.length ? at + 1 : -1);
    try {
      const record = await this.index.record(row);
      if (turn !== this.turn) return;
      body.replaceChildren(renderCase(record));
      scrollTo(0, 0);
      $("case").focus({ preventScroll: true });
    } catch (fault) {
      if (turn !== this.turn) return;
      body.replaceChildren();
      this.tell(fault.message);
    }
  },
  sibling(name, at) {
    const link = $(name);
    link.hidden = at < 0;
    if (at >= 0) link.href = stateText({ ...this.state, view: "case", id: this.index.id(this.list.rows[at]) });
  },
  tell(message) { $("alert").textContent = message; $("alert").hidden = false; },

  // ---- what keys do ----------------------------------------------------------------------
  move(step) {
    if (this.state.view === "landing") return landing.move(step);
    if (!this.index) return;
    if (this.state.view === "list") return this.list.select(this.list.at + step);
    const at = this.list.rows.indexOf(this.index.find(this.state.id)) + step;
    if (at >= 0 && at < this.list.rows.length) this.go({ ...this.state, id: this.index.id(this.list.rows[at]) }, { replace: true });
  },
  page(step) { this.list?.select(this.list.at + step * Math.max(1, Math.floor($("grid").clientHeight / ROW) - 1)); },
  open() {
    if (this.state.view === "landing") landing.open();
    else if (this.state.view === "list" && this.list?.row >= 0) this.openRow(this.list.row);
  },
  openRow(row) { this.go({ ...this.state, view: "case", id: this.index.id(row) }); },
  back() {
    if (this.state.view === "case") this.go({ ...this.state, view: "list" });
    else if (this.state.view === "list") this.go({ ...this.state, view: "landing" });
  },
  search() {
    const focus = () => { $("by-text").focus(); $("by-text").select(); };
    if (this.state.view === "list") return focus();
    addEventListener("hashchange", () => setTimeout(focus), { once: true });
    this.go({ ...this.state, view: "list" });
  },
  leaveField() { if (this.state.view === "list") $("grid").focus({ preventScroll: true }); else document.activeElement.blur(); },

  // ---- the list --------------------------------------------------------------------------
  // The score that is filtered or sorted by, then those that say most.
  chosenColumns(filters) {
    const { scores } = this.index, wanted = [filters.score?.name, filters.sort.replace(/^-/, ""), ...this.index.head.shown];
    return [...new Set(wanted)].filter((name) => scores.has(name)).slice(0, 3).map((name) => scores.get(name));
  },
  heads() { $("heads").replaceChildren(...this.columns.map(({ title }) => make("span", {}, title))); },
  draw(element, row) {
    const { index } = this, code = index.value(index.code, row), flags = index.value(index.flag, row);
    const name = index.head.names[code]?.replaceAll("_", " ") ?? "no category";
    const family = index.value(index.family, row), judge = index.value(index.judge, row);
    const under = [family === "none" ? name : `${name} · ${family}`, ...flags, ...(judge === "undecided" || judge === "failed" ? ["judge " + judge] : [])].join(" · ");
    const value = (column) => { const [number, why] = index.score(column, row); return make("span", { title: column.title, role: "gridcell", ...(number === null ? { class: "quiet" } : {}) }, number === null ? why : number.toFixed(3)); };
    element.className = "row " + family;
    element.replaceChildren(
      make("span", { class: "code", role: "gridcell" }, make("code", {}, code === "none" ? "–" : code)),
      make("span", { class: "what", role: "gridcell" }, make("span", { class: "query", dir: "auto" }, ...pieces(index.query(row) || "(no words)")), make("span", { class: "under" }, bdi(index.id(row)), " · " + under)),
      ...this.columns.map(value),
    );
  },
  exportIds() {
    const ids = Array.from(this.list.rows, (row) => this.index.id(row));
    const whole = ids.filter((id) => !/[\r\n]|^\s|\s$/.test(id));
    const link = make("a", { download: "ragdiag-ids.txt", href: URL.createObjectURL(new Blob([whole.map((id) => id + "\n").join("")], { type: "text/plain" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    const lost = ids.length - whole.length;
    $("exported").textContent = `${whole.length.toLocaleString("en")} ids in ragdiag-ids.txt: ragdiag report DIR --only @ragdiag-ids.txt` + (lost ? ` (${lost} left out: line breaks or blanks at an end)` : "");
  },

  async begin() {
    const bytes = await codec.unpack($("index").textContent);
    $("index").remove();
    this.index = new Index(bytes);
    if (this.index.head.run) caseRun = this.index.head.run;
    this.list = new RowList($("grid"), { draw: (element, row) => this.draw(element, row), opened: (row) => this.openRow(row) });
    let later = 0;
    this.filters = new Filters(this.index, (filters, typing) => {
      clearTimeout(later);
      const apply = () => this.go({ ...this.state, view: "list", filters }, { replace: true });
      if (typing) later = setTimeout(apply, 25); else apply();
    });
    $("export").addEventListener("click", () => this.exportIds());
    (window.requestIdleCallback ?? setTimeout)(() => this.index.prepareSearch());
    return true;
  },
};

const TITLE = document.title;
landing.begin();
listenToKeys(views);
addEventListener("hashchange", () => views.show());
$("help").addEventListener("click", () => $("keys").showModal());
views.loaded = views.begin().catch((fault) => {
  views.tell(`The list of queries cannot be read (${fault.message}). A newer browser may read it: it needs DecompressionStream.`);
  return false;
});
views.loaded.then((done) => { if (done) document.documentElement.dataset.ready = "true"; });
views.show();
