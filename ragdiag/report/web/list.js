// The rows of the list: only those that can be seen are in the page, however many there are.

const ROW = 58; // px; page.css gives rows this height
const TALLEST = 8_000_000; // px, which any browser still lays out right
const AROUND = 6; // rows drawn beyond each edge

class RowList {
  // draw(element, row) fills an element that is used again; opened(row) is called on a click.
  constructor(grid, { draw, opened, moved }) {
    this.grid = grid;
    this.space = make("div", { class: "space", role: "presentation" });
    this.window = make("div", { class: "window", role: "rowgroup" });
    this.space.append(this.window);
    grid.append(this.space);
    Object.assign(this, { draw, moved, rows: new Uint32Array(0), at: 0, pool: [], asked: 0 });
    grid.addEventListener("scroll", () => { this.asked ||= requestAnimationFrame(() => this.paint()); }, { passive: true });
    new ResizeObserver(() => this.paint()).observe(grid);
    this.window.addEventListener("click", (event) => {
      const one = event.target.closest("[data-place]");
      if (one) opened(this.rows[Number(one.dataset.place)]);
    });
  }
  get height() { return Math.min(this.rows.length * ROW, TALLEST); }
  // Beyond the tallest page, a step of the scroll bar is more than a step of the rows.
  get pace() {
    const seen = this.grid.clientHeight, all = this.rows.length * ROW;
    return all <= TALLEST ? 1 : (all - seen) / Math.max(1, TALLEST - seen);
  }
  show(rows, at = 0) {
    this.rows = rows;
    this.space.style.setProperty("height", this.height + "px");
    this.grid.setAttribute("aria-rowcount", String(rows.length));
    for (const one of this.pool) one.dataset.place = "";
    this.grid.scrollTop = 0;
    this.select(at);
    this.paint();
  }
  select(at) {
    this.at = Math.max(0, Math.min(at, this.rows.length - 1));
    const top = this.at * ROW, seen = this.grid.clientHeight, from = this.grid.scrollTop * this.pace;
    if (seen) {
      if (top < from) this.grid.scrollTop = top / this.pace;
      else if (top + ROW > from + seen) this.grid.scrollTop = (top + ROW - seen) / this.pace;
    }
    this.paint();
    this.moved?.(this.at);
  }
  get row() { return this.rows.length ? this.rows[this.at] : -1; }
  paint() {
    this.asked = 0;
    const seen = this.grid.clientHeight;
    if (!seen) return;
    const scrolled = this.grid.scrollTop, first = Math.max(0, Math.floor(scrolled * this.pace / ROW) - AROUND);
    const last = Math.min(this.rows.length, Math.ceil((scrolled * this.pace + seen) / ROW) + AROUND);
    // Where it is drawn: as far below the edge of what is seen as its rows are below it.
    this.window.style.setProperty("transform", `translateY(${scrolled + first * ROW - scrolled * this.pace}px)`);
    while (this.pool.length < last - first) {
      const one = make("div", { class: "row", role: "row" });
      this.pool.push(one);
      this.window.append(one);
    }
    let chosen = "";
    this.pool.forEach((one, i) => {
      const place = first + i;
      one.hidden = place >= last;
      if (one.hidden) return;
      if (one.dataset.place !== String(place)) {
        one.dataset.place = String(place);
        one.id = "row-" + place;
        one.setAttribute("aria-rowindex", String(place + 1));
        this.draw(one, this.rows[place]);
      }
      one.setAttribute("aria-selected", String(place === this.at));
      if (place === this.at) chosen = one.id;
    });
    if (chosen) this.grid.setAttribute("aria-activedescendant", chosen); else this.grid.removeAttribute("aria-activedescendant");
  }
}
