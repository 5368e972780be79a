"""`ragdiag judge probe` and `judge repeat` on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragdiag.report import numbers, visible
from ragdiag.report.console import bare_table, open_console

if TYPE_CHECKING:
    from rich.console import Console

_RATE = {"worse": "no pass any more", "fails": "pass"}
_SHORT = {"answer_correctness": "correctness", "citation_support": "citations"}


def print_probes(found: Mapping[str, Any], *, saved: str | None = None) -> None:
    """Three tables at most: what should move nothing, what must be noticed, what must fail."""
    console = open_console()
    _head(console, found, "probed on")
    rows = found["rows"]
    for expects, title in (
        ("same", "should move nothing"),
        ("worse", "must be noticed"),
        ("fails", "must fail"),
    ):
        some = [row for row in rows if row["expects"] == expects]
        if some:
            console.print()
            console.print(_same(title, some) if expects == "same" else _rates(title, some))
    _notes(console, rows)
    _foot(console, found, saved)


def _same(title: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    table = bare_table(
        title, "check", "pairs", "+/−", "passes", "95%", "silent", "reading",
        left=("check", "reading"),
    )  # fmt: skip
    for row in rows:
        moved = f"+{row['n_to_pass']} −{row['n_from_pass']}" if row["n"] else ""
        table.add_row(
            row["probe"].replace("_", " "), _check(row), _of(row["n"], row["n_asked"]), moved,
            _signed(row["delta"]), _between(row), str(row["n_silenced"] or ""), row["reading"],
        )  # fmt: skip
    return table


def _rates(title: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    table = bare_table(
        title, "check", "n", _RATE[rows[0]["expects"]], "95%", "reading", left=("check", "reading")
    )
    for row in rows:
        table.add_row(
            row["probe"].replace("_", " "), _check(row), _of(row["n"], row["n"] + row["n_lost"]),
            numbers.share(row["rate"]), _between(row), row["reading"],
        )  # fmt: skip
    return table


def _notes(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    lines: list[str] = []
    if any(row["expects"] == "same" for row in rows):
        lines += (
            "pairs: decided before and after, of all that the judge was asked",
            "+/−: become a pass, cease to be one; passes: the change of their share",
            "silent: decided before, left open after",
            "LENIENT, STRICT: shown with all of these tests together (Holm, p ≤ .05)",
        )
    opened = sum(row.get("n_undecided", 0) for row in rows)
    if opened:
        lines.append(f"no pass any more: {opened} of them are left open, the others denied")
    skipped = {row["probe"]: row["n_not_applicable"] for row in rows if row["n_not_applicable"]}
    if skipped:
        told = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in skipped.items())
        lines.append(f"nothing to change in: {told}")
    _say(console, "")
    for line in lines:
        _say(console, line, "dim")
    lost = Counter[str]()
    for row in rows:
        lost.update(row["lost"])
    if lost:
        told = ", ".join(f"{reason} {n}" for reason, n in lost.most_common())
        _say(console, f"WARNING: left out, for the judge said nothing that can be used: {told}")


def print_repeats(found: Mapping[str, Any], *, saved: str | None = None) -> None:
    """A row a check."""
    console = open_console()
    _head(console, found, f"asked {found['n_repeats']} times on")
    _say(console, "")
    table = bare_table(
        "check", "n", "two differ", "95% interval", "not all alike", "alpha", "AC1", "entropy"
    )
    for check, row in found["checks"].items():
        if not row["n"]:
            table.add_row(_SHORT.get(check, check), f"0/{row['n_queries']}", *[""] * 6)
            continue
        flip = row["flip_rate"]
        table.add_row(
            _SHORT.get(check, check), str(row["n"]), numbers.share(flip["value"]), _between(flip),
            f"{row['flipped']['n']} ({numbers.share(row['flipped']['value'])})",
            numbers.value(row["alpha"]["value"]), numbers.value(row["ac1"]["value"]),
            f"{row['entropy']['value']:.2f} bit",
        )  # fmt: skip
    console.print(table)
    _say(console, "")
    for check, row in found["checks"].items():
        if row["missing"]:
            told = ", ".join(f"{reason} {n}" for reason, n in row["missing"].items())
            _say(console, f"{_SHORT.get(check, check)}, replies without a label: {told}", "dim")
    if found["deterministic"]:
        _say(
            console,
            "this judge computes what it says: the intervals are those of a rate of 0, of other "
            "queries too",
            "dim",
        )
    _foot(console, found, saved)


def _head(console: Console, found: Mapping[str, Any], done: str) -> None:
    some = numbers.counted(found["n_samples"], "sample")
    of = "" if found["n_samples"] == found["n_given"] else f" of {found['n_given']}"
    _say(console, f"judge {found['judge']['name']} {done} {some}{of}", "bold")


def _foot(console: Console, found: Mapping[str, Any], saved: str | None) -> None:
    cost = found["cost"]
    if cost["calls"] or cost["cached"]:
        usd = "" if cost["usd"] is None else f", {cost['usd']:.4f} USD"
        _say(console, f"{cost['calls']} calls, {cost['cached']} from the cache{usd}", "dim")
    if saved is not None:
        _say(console, f"kept in {saved}", "dim")


def _say(console: Console, line: str, style: str = "") -> None:
    from rich.text import Text  # noqa: PLC0415 - slow to load

    console.print(Text(visible.one_line(line) if line else "", style=style))


def _check(row: Mapping[str, Any]) -> str:
    check: str = row["check"]
    return _SHORT.get(check, check)


def _of(n: int, total: int) -> str:
    return str(n) if n == total else f"{n}/{total}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}".replace("-", "−").replace("+0.00", "0.00")


def _between(row: Mapping[str, Any]) -> str:
    if row["ci_low"] is None:
        return ""
    return f"[{row['ci_low']:.2f}, {row['ci_high']:.2f}]".replace("-", "−")
