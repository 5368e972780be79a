// The columns of the list: read once, then filtered, searched and sorted as numbers.

class Index {
  constructor(bytes) {
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const utf8 = new TextDecoder();
    const head = this.head = JSON.parse(utf8.decode(bytes.subarray(4, 4 + length)));
    const body = 4 + length, { at, bytes: size } = head.texts;
    this.n = head.n;
    this.text = utf8.decode(bytes.subarray(body + at, body + at + size));
    this.ends = Index.ends(this.text, 2 * this.n);
    this.lower = null;
    this.columns = head.columns.map((column) => ({
      ...column,
      places: new ({ 1: Uint8Array, 2: Uint16Array, 4: Uint32Array })[column.of](bytes.buffer, body + column.at, this.n),
    }));
    const of = (kind) => this.columns.filter((column) => column.kind === kind);
    [[this.code], [this.family], [this.judge], [this.flag]] = ["code", "family", "judge", "flag"].map(of);
    this.slices = new Map(of("slice").map((column) => [column.name, column]));
    this.scores = new Map(of("score").map((column) => [column.name, column]));
    this.rowOf = null;
    this.block = remembering(6, (number) => this.readBlock(number));
    this.shard = remembering(3, (number) => codec.shard(number, head.shards[number][1]));
  }

  static ends(text, n) {
    const found = new Uint32Array(n);
    for (let i = 0, at = 0; i < n; i++, at++) found[i] = at = text.indexOf("\n", at);
    return found;
  }
  line(i) { return this.text.slice(i ? this.ends[i - 1] + 1 : 0, this.ends[i]); }
  id(row) { return this.head.odd[row] ?? this.line(2 * row); }
  query(row) { return this.line(2 * row + 1); }
  value(column, row) { return column.values[column.places[row]]; }
  // The number of a score, or null and why there is none.
  score(column, row) {
    const place = column.places[row] - this.head.reasons;
    return place < 0 ? [null, STATUSES[column.places[row]]] : [column.values[place], ""];
  }
  find(id) {
    if (!this.rowOf) {
      this.rowOf = new Map();
      for (let row = 0; row < this.n; row++) this.rowOf.set(this.id(row), row);
    }
    return this.rowOf.get(id) ?? -1;
  }

  // ---- filter ----------------------------------------------------------------------------
  // Each filter says of the values of a column which pass; then one pass over the rows.
  filter(state) {
    const tests = [];
    const test = (column, passes) => tests.push([column.places, Uint8Array.from(column.values, passes)]);
    for (const name of ["code", "family", "judge"])
      if (state[name]) test(this[name], (value) => value === state[name]);
    if (state.flag) test(this.flag, (flags) => flags.includes(state.flag));
    if (state.slice) {
      const [dimension, wanted] = state.slice, column = this.slices.get(dimension);
      if (!column) return new Uint32Array(0);
      test(column, (value) => (value ?? this.head.missing) === wanted);
    }
    if (state.score) {
      const { name, low, high, status } = state.score, column = this.scores.get(name);
      if (!column) return new Uint32Array(0);
      const places = [...STATUSES.map((one) => one === status), ...column.values.map((value) => !status && value >= low && value <= high)];
      tests.push([column.places, Uint8Array.from(places)]);
    }
    const words = state.q.toLowerCase().split(/\s+/u).filter(Boolean);
    if (words.length) tests.push(...words.map((word) => [this.holding(word), Uint8Array.of(0, 1)]));
    const found = new Uint32Array(this.n);
    let n = 0;
    rows: for (let row = 0; row < this.n; row++) {
      for (let i = 0; i < tests.length; i++) if (!tests[i][1][tests[i][0][row]]) continue rows;
      found[n++] = row;
    }
    return found.slice(0, n);
  }
  // Which rows hold a word, in the id or in the beginning of the query: from hit to hit through one
  // text of all, each row looked at once.
  holding(word) {
    this.prepareSearch();
    const { lower, lowerEnds } = this, found = new Uint8Array(this.n);
    for (let at = lower.indexOf(word), row = 0; at >= 0 && row < this.n;) {
      while (lowerEnds[2 * row + 1] < at) row++;
      found[row] = 1;
      at = lower.indexOf(word, lowerEnds[2 * row + 1]);
    }
    return found;
  }
  prepareSearch() {
    if (this.lower !== null) return;
    this.lower = this.text.toLowerCase();
    this.lowerEnds = this.lower.length === this.text.length ? this.ends : Index.ends(this.lower, 2 * this.n);
  }

  // ---- sort ------------------------------------------------------------------------------
  // Stable, by counting: the places of a score are in the order of its values. Queries without one
  // stand last in either direction.
  sort(rows, key) {
    const down = key.startsWith("-"), name = down ? key.slice(1) : key;
    const known = ["code", "family", "judge"].includes(name), column = known ? this[name] : this.scores.get(name);
    if (!column) return down && name === "" ? rows.slice().reverse() : rows;
    const first = known ? 0 : this.head.reasons, n = first + column.values.length;
    const rank = new Uint32Array(n);
    const order = known ? [...column.values.keys()].sort((a, b) => column.values[a] < column.values[b] ? -1 : 1) : null;
    for (let i = 0; i < n; i++) {
      const place = order ? order[i] : i;
      rank[place] = place < first ? n + place : down ? n - 1 - i : i;
    }
    const starts = new Uint32Array(2 * n + 1), { places } = column, found = new Uint32Array(rows.length);
    for (const row of rows) starts[rank[places[row]] + 1]++;
    for (let i = 0; i < 2 * n; i++) starts[i + 1] += starts[i];
    for (const row of rows) found[starts[rank[places[row]]]++] = row;
    return found;
  }

  // How many queries there are of each value.
  counts(column) {
    const found = new Uint32Array(column.values.length);
    for (const place of column.places) found[place]++;
    return found;
  }

  // ---- details ---------------------------------------------------------------------------
  async readBlock(number) {
    const { shards } = this.head;
    let text = $("block-" + number)?.textContent;
    if (text === undefined && shards.length) {
      let at = shards.length - 1;
      while (shards[at][0] > number) at--;
      text = (await this.shard(at))[number - shards[at][0]];
    }
    if (text === undefined) throw new Error("This page holds no details of this query. Write it again: ragdiag report DIR.");
    return JSON.parse(new TextDecoder().decode(await codec.unpack(text)));
  }
  async record(row) {
    const { blocks } = this.head;
    let number = 0;
    for (let high = blocks.length; high - number > 1;) {
      const middle = (number + high) >> 1;
      if (blocks[middle] <= row) number = middle; else high = middle;
    }
    return (await this.block(number))[row - blocks[number]];
  }
}
const STATUSES = ["absent", "not applicable", "unscored", "error"];
