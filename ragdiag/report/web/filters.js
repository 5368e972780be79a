// The filters above the list: what may be chosen, and what is.

class Filters {
  // changed(filters, typing): what is chosen now; typing: more of it may follow at once.
  constructor(index, changed) {
    this.index = index;
    this.changed = changed;
    this.state = noFilters();
    $("more").open = !matchMedia("(max-width: 48rem)").matches;
    this.fill("by-code", index.code, (code) => index.head.names[code]?.replaceAll("_", " "));
    this.fill("by-family", index.family);
    this.fill("by-judge", index.judge);
    this.fillFlags();
    this.fillSlices();
    this.fillScores();
    for (const name of ["code", "family", "flag", "judge", "sort"])
      $("by-" + name).addEventListener("change", () => this.set({ [name]: $("by-" + name).value }));
    $("by-slice").addEventListener("change", () => this.set({ slice: readSlice($("by-slice").value) }));
    for (const id of ["by-score", "score-low", "score-high", "score-status"])
      $(id).addEventListener("change", () => this.set({ score: this.scoreChosen() }));
    $("by-text").addEventListener("input", () => this.set({ q: $("by-text").value }, true));
    $("clear").addEventListener("click", () => this.set({ ...noFilters(), sort: this.state.sort }));
    $("filters").addEventListener("submit", (event) => event.preventDefault());
  }
  set(changes, typing = false) {
    this.state = { ...this.state, ...changes };
    if (!typing) this.show(this.state);
    this.changed(this.state, typing);
  }
  fill(id, column, told = () => "") {
    const counts = this.index.counts(column);
    const values = column.values.map((value, i) => [value, counts[i]]).sort((a, b) => b[1] - a[1]);
    for (const [value, n] of values) this.option($(id), value, [value, told(value), `(${n})`].filter(Boolean).join(" "));
  }
  option(select, value, text) { select.append(make("option", { value }, text)); }
  fillFlags() {
    const { flag } = this.index, counts = this.index.counts(flag), found = new Map();
    flag.values.forEach((flags, i) => { for (const one of flags) found.set(one, (found.get(one) ?? 0) + counts[i]); });
    for (const [one, n] of [...found].sort((a, b) => b[1] - a[1]))
      this.option($("by-flag"), one, `${one} ${this.index.head.names[one] ?? ""}`.trim().replaceAll("_", " ") + ` (${n})`);
    $("by-flag").closest("label").hidden = !found.size;
  }
  fillSlices() {
    for (const [dimension, column] of this.index.slices) {
      const counts = this.index.counts(column), group = make("optgroup", { label: dimension });
      const values = column.values.map((value, i) => [value ?? this.index.head.missing, counts[i]]).filter(([, n]) => n);
      values.sort((a, b) => b[1] - a[1]);
      for (const [value, n] of values.slice(0, MOST_VALUES)) this.option(group, sliceText([dimension, value]), `${dimension}: ${value} (${n})`);
      $("by-slice").append(group);
    }
    $("by-slice").closest("label").hidden = !this.index.slices.size;
  }
  fillScores() {
    for (const { name, title } of this.index.scores.values()) {
      this.option($("by-score"), name, title);
      this.option($("by-sort"), name, title + ", lowest first");
      this.option($("by-sort"), "-" + name, title + ", highest first");
    }
    $("by-score").closest("fieldset").hidden = !this.index.scores.size;
  }
  scoreChosen() {
    const name = $("by-score").value, status = $("score-status").value;
    if (!name) return null;
    const number = (id, absent) => $(id).value.trim() === "" || Number.isNaN($(id).valueAsNumber) ? absent : $(id).valueAsNumber;
    return { name, status, low: number("score-low", -Infinity), high: number("score-high", Infinity) };
  }
  // Shows what is chosen; a value that an address asks for and no option stands for gets one.
  show(state) {
    this.state = state;
    const choose = (id, value) => {
      const select = $(id);
      if (value && ![...select.options].some((one) => one.value === value)) this.option(select, value, value);
      select.value = value;
    };
    for (const name of ["code", "family", "flag", "judge", "sort"]) choose("by-" + name, state[name]);
    choose("by-slice", state.slice ? sliceText(state.slice) : "");
    choose("by-score", state.score?.name ?? "");
    choose("score-status", state.score?.status ?? "");
    for (const [id, value] of [["score-low", state.score?.low], ["score-high", state.score?.high]])
      $(id).value = Number.isFinite(value) ? String(value) : "";
    for (const id of ["score-low", "score-high"]) $(id).disabled = !state.score || Boolean(state.score.status);
    $("score-status").disabled = !state.score;
    if ($("by-text") !== document.activeElement || $("by-text").value.trim() !== state.q.trim()) $("by-text").value = state.q;
    $("clear").hidden = FILTERS.every((name) => name === "sort" || !state[name]);
  }
}
const MOST_VALUES = 200; // of a slice that can be chosen; an address may ask for any
