// What keys do in each of the three views; none is taken from a field, a button or a dialog.

function listenToKeys(views) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || $("keys").open) return;
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (typing) {
      if (event.key === "Escape") { event.preventDefault(); views.leaveField(); }
      else if (event.key === "Enter" && typing.id === "by-text") { event.preventDefault(); views.leaveField(); }
      return;
    }
    const { view } = views.state;
    if (view === "case" && caseKeys(event)) { event.preventDefault(); return; }
    const arrows = view === "list" && event.target.closest("[role=grid]");
    const does = {
      j: () => views.move(1), k: () => views.move(-1),
      ...(arrows ? { ArrowDown: () => views.move(1), ArrowUp: () => views.move(-1), PageDown: () => views.page(1), PageUp: () => views.page(-1), Home: () => views.move(-Infinity), End: () => views.move(Infinity) } : {}),
      Enter: event.target.closest("a, button, summary") ? null : () => views.open(),
      Escape: () => views.back(),
      "/": () => views.search(),
      "?": () => $("keys").showModal(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
}
