"""`ragdiag agreement` on the terminal: a block a check, the judge first, then people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragdiag.report import numbers, visible
from ragdiag.report.console import bare_table, open_console

_COEFFICIENTS = {
    "agreement": "agreement", "tpr": "TPR", "tnr": "TNR", "balanced_accuracy": "balanced accuracy",
    "kappa": "kappa", "kappa_linear": "kappa, linear", "kappa_quadratic": "kappa, quadratic",
    "ac1": "AC1", "alpha": "alpha", "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval", "pabak": "PABAK", "prevalence_index": "prevalence index",
    "bias_index": "bias index",
}  # fmt: skip
_LEFT_OUT = {
    "n_undecided": "undecided by the judge", "n_tied": "annotators tie",
    "n_unmatched": "not in the evaluation", "n_of_people": "the judge's own",
    "n_unsure": "annotator unsure", "n_fix": "of the fix queue",
    "n_unweighted": "drawn nobody knows how",
}  # fmt: skip
_MOST_SLICES = 6
_MOST_PAIRS = 4
_LONGEST = 60


def print_agreement(
    found: Mapping[str, Any],
    *,
    misses: int = 5,
    corrected: Sequence[str] = (),
    saved: str | None = None,
) -> None:
    """Prints all of it, at most 100 columns; `corrected`: what the labels make of the judge's
    rates; `saved`: where it was kept."""
    from rich.text import Text  # noqa: PLC0415 - slow to load

    console = open_console()

    def say(line: str, style: str = "") -> None:
        console.print(Text(visible.one_line(line), style=style), no_wrap=True, overflow="ellipsis")

    judge = found["judge"]["name"] or "none"
    labels = numbers.counted(found["labels"]["n"], "label")
    drawn = found["cluster"] or "query"
    say(f"judge {judge} against people · {labels} · intervals by {drawn}", "bold")
    for line in _trained(found.get("trained_on") or {}, found["checks"]):
        say(line)
    for check, row in found["checks"].items():
        people = found["people"].get(check)
        say("")
        say(_verdict(check, row), "bold")
        for line in (*_why(row), *_left_out(row)):
            say(line, "dim")
        if row["n"]:
            console.print(_both(row, people), no_wrap=True, overflow="ellipsis")
            for line in (*_confusion(row), *_slices(row), *_misses(row, misses)):
                say(line)
    for check, row in found["people"].items():
        say("")
        for line in _people(check, row):
            say(line)
        if check not in found["checks"]:
            console.print(_alone(row), no_wrap=True, overflow="ellipsis")
    if corrected:
        say("")
        say("the judge's rates as these labels correct them", "bold")
        for line in corrected:
            say(f"  {line}")
    if saved is not None:
        say("")
        say(f"kept in {saved}; every report of {judge} on this data shows it")


def _trained(trained: Mapping[str, int], checks: Mapping[str, Any]) -> Iterator[str]:
    """Of labels that the judge was calibrated on."""
    for check, n in trained.items():
        told = "" if check in checks else "; no other label is left to validate it by"
        yield f"{check}: trained on these labels: {n} left out{told}"
    if trained:
        yield "  (cross-validated figures on them stand in the judge's file: `ragdiag calibrate`)"


def _verdict(check: str, row: Mapping[str, Any]) -> str:
    told = "trusted" if row["trusted"] else "NOT trusted"
    return f"{check}: {told} (n {row['n']}: {row['n_positive']} positive, {row['n_negative']} not)"


def _why(row: Mapping[str, Any]) -> Iterator[str]:
    if row["why"]:
        yield f"why: {row['why']}"
    alone = row["judge_alone"]
    if alone is not None and not alone["trusted"]:
        yield (
            f"of these the judge itself decided {alone['n']}, the rest code or gold; by them alone "
            "it is not trusted:"
        )
        yield f"  {alone['why']}"


def _left_out(row: Mapping[str, Any]) -> Iterator[str]:
    told = [f"{row[name]} {what}" for name, what in _LEFT_OUT.items() if row[name]]
    if told:
        yield f"left out of {row['n_labelled']} labelled: {', '.join(told)}"
    if row["weighted"]:
        yield "each item stands for 1 / its inclusion probability"


def _both(row: Mapping[str, Any], people: Mapping[str, Any] | None) -> Any:
    on = "two values" if row["coefficients_on"] == "two_values" else "all labels"
    titles = ["judge–people", "95% interval"]
    if people is not None:
        titles += ["people–people", "95% interval "]
    table = bare_table(f"on {on}", *titles)
    for name, title in _COEFFICIENTS.items():
        if name not in row:
            continue
        cells = _cell(row[name])
        if people is not None:
            cells += _cell(people[name]) if name in people else ["", ""]
        table.add_row(title, *cells)
    return table


def _alone(people: Mapping[str, Any]) -> Any:
    table = bare_table("", "people–people", "95% interval")
    for name, title in _COEFFICIENTS.items():
        if name in people:
            table.add_row(title, *_cell(people[name]))
    return table


def _cell(one: Mapping[str, float | None]) -> list[str]:
    return [numbers.value(one["value"]), numbers.interval(one["ci_low"], one["ci_high"])]


def _confusion(row: Mapping[str, Any]) -> Iterator[str]:
    parts = [f"{one['people']}→{one['ragdiag']} {one['n']}" for one in row["table"]]
    yield from _folded("people→judge: ", parts)


def _folded(head: str, parts: Sequence[str]) -> Iterator[str]:
    line = head
    for number, part in enumerate(parts):
        more = part + (", " if number < len(parts) - 1 else "")
        if len(line) + len(more) > 98 and line.strip():
            yield line.rstrip()
            line = " " * len(head)
        line += more
    yield line.rstrip()


def _slices(row: Mapping[str, Any]) -> Iterator[str]:
    """Who decided, and the slices that are most surely bad."""
    rows: list[tuple[bool, float, str]] = []
    for dimension, values in row["slices"].items():
        for value, one in values.items():
            cells = [f"{_COEFFICIENTS[k]} {' '.join(_cell(one[k]))}" for k in ("tpr", "tnr")]
            if all(one[k]["value"] is None for k in ("tpr", "tnr")):
                continue
            lows = [one[k]["ci_high"] for k in ("tpr", "tnr") if one[k]["ci_high"] is not None]
            named = f"{dimension.replace('_', ' ')} {value}"
            own = dimension != "decided_by"
            rows.append((own, min(lows), f"{named[:34]:<34} n {one['n']:<5}{' · '.join(cells)}"))
    rows.sort()
    yield from (line for *_, line in rows[:_MOST_SLICES])
    if len(rows) > _MOST_SLICES:
        yield f"{len(rows) - _MOST_SLICES} more slices: --json"


def _misses(row: Mapping[str, Any], most: int) -> Iterator[str]:
    if not row["n_misses"] or not most:
        return
    shown = row["misses"][:most]
    yield f"misses, most confident first ({len(shown)} of {row['n_misses']}):"
    for one in shown:
        votes = ", ".join(f"{n} {label}" for label, n in one["votes"].items())
        score = "" if one["score"] is None else f" (score {one['score']:.2f})"
        part = one.get("claim") or one.get("passage_id") or ""
        of = f" “{part[:40]}”" if part else ""
        who = f"{one['decided_by']} says {one['ragdiag']}{score}, people {votes}"
        yield f"  {one['query_id'][:_LONGEST]}{of}: {who}"


def _people(check: str, row: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{check}, people against people: {row['n_several']} items with {row['n_labels']} labels "
        f"of {row['n_annotators']} annotators; {row['n_tied']} tie"
    )
    for one in row["pairs"][:_MOST_PAIRS]:
        names = " – ".join(name[:20] for name in one["annotators"])
        kappa = " ".join(_cell(one["kappa"]))
        yield f"  {names}: n {one['n']}, Cohen's kappa {kappa}, AC1 {' '.join(_cell(one['ac1']))}"
    n_more = len(row["pairs"][_MOST_PAIRS:]) + row["n_more_pairs"]
    if n_more:
        yield f"  {n_more} more pairs of annotators"
