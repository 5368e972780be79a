// The overview, which Python has written: its rows that lead to queries can be walked with keys.

const landing = {
  rows: [...document.querySelectorAll("#landing tr[data-go]")],
  at: 0,
  begin() {
    // The categories are what one comes for: the first of them is where one starts.
    this.at = Math.max(0, this.rows.findIndex((row) => row.closest("#categories")));
    for (const [i, row] of this.rows.entries()) row.addEventListener("click", (event) => {
      if (!event.target.closest("a") && !String(getSelection())) { this.at = i; this.open(); }
    });
    this.mark();
    new ResizeObserver(() => this.reach()).observe($("landing"));
  },
  // What is wider than the window can be scrolled with keys, and says what it is.
  reach() {
    for (const section of document.querySelectorAll("#landing section")) {
      const wide = section.scrollWidth > section.clientWidth;
      for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", section.querySelector("h2")?.textContent ?? ""]])
        if (wide) section.setAttribute(name, value); else section.removeAttribute(name);
    }
  },
  mark() {
    for (const [i, row] of this.rows.entries())
      if (i === this.at) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
  },
  move(step) {
    if (!this.rows.length) return;
    this.at = Math.max(0, Math.min(this.at + step, this.rows.length - 1));
    this.mark();
    this.rows[this.at].scrollIntoView({ block: "nearest" });
    $("said").textContent = this.rows[this.at].querySelector("th").textContent.trim();
  },
  open() { if (this.rows.length) location.hash = this.rows[this.at].dataset.go; },
};
