"""The outcomes of gates: on a terminal of 100 columns, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragdiag.diagnosis.catalogue import CATALOGUE
from ragdiag.report import numbers, visible
from ragdiag.report.commands import explain_command
from ragdiag.report.console import bare_table, open_console
from ragdiag.report.gate_cells import LATENCY, SHARE
from ragdiag.report.gate_queries import Told
from ragdiag.report.gates import AGAINST, NOT_SHOWN, WORSE, Outcome

if TYPE_CHECKING:
    from rich.table import Table

MOST_QUERIES = 5
PASSED, FAILED = "passed", "FAILED"

_MOST_ROWS = 30
_MOST_TOLD = 12  # gates whose failure is told in full
_LONGEST = 46  # of a condition in the table
_IDS = 20
_ROUNDING = 1e-9  # of .48 - .5


def query_line(query_id: str, outcome: Outcome, told: Told | None) -> str:
    """ "q24 0.000: R2a wrong_period_retrieved (fix: retriever)"."""
    if told is None:
        return query_id
    name = outcome.condition.name
    shown = ""
    if name in told.scores:
        value = told.scores[name]
        shown = " unscored" if value is None else f" {value:.3f}"
    category = CATALOGUE.get(told.code or "")
    if category is None:
        return f"{query_id}{shown}: no diagnosis"
    fix = f" (fix: {category.fix})" if category.fix else ""
    return f"{query_id}{shown}: {category.code} {category.name}{fix}"


def query_lines(outcome: Outcome, queries: Mapping[str, Told]) -> Iterator[str]:
    """The worst queries of an outcome, and how many more there are."""
    for query_id in outcome.query_ids[:MOST_QUERIES]:
        yield query_line(query_id, outcome, queries.get(query_id))
    more = len(outcome.query_ids) - MOST_QUERIES
    if more > 0:
        yield f"… {more} more"


def told_why(outcome: Outcome) -> str:
    """Why it failed, with what its author wants to be read; control characters written out."""
    text = f"{outcome.why} ({outcome.message})" if outcome.message else outcome.why
    return visible.one_line(text)


def shown_value(outcome: Outcome) -> str:
    """The figure as it is read: a share in percent, a time in ms, a mean with three digits."""
    name, keeps = outcome.condition.name, outcome.condition.holds
    if outcome.value is None:
        return numbers.ABSENT
    if name.startswith(LATENCY):
        return numbers.milliseconds(outcome.value)
    if abs(outcome.value) >= 1000:
        return f"{outcome.value:.6g}"
    digits = 3 if outcome.is_gain else numbers.telling_digits(outcome.value, keeps, least=3)
    if name.endswith(SHARE):
        return _from(outcome, lambda one: numbers.share(one, digits=digits - 2))
    return _from(outcome, lambda one: numbers.value(one, digits=digits))


def _from(outcome: Outcome, shown: Callable[[float | None], str]) -> str:
    """ "0.900 → 0.650" where the interval is of the difference."""
    there = f"{shown(outcome.before)} → " if outcome.is_gain and outcome.before is not None else ""
    return there + shown(outcome.value)


def shown_interval(outcome: Outcome) -> str:
    """The interval; of a comparison query by query that of the gain, with its sign."""
    low, high = outcome.low, outcome.high
    digits = numbers.telling_digits(outcome.bound, outcome.condition.holds, least=2)
    if outcome.is_gain and low is not None and high is not None:
        return f"gain [{low:+.{digits}f}, {high:+.{digits}f}]"
    return numbers.interval(low, high, digits=digits)


def headline(outcomes: Sequence[Outcome]) -> str:
    """ "2 of 5 gates failed", and of comparisons how."""
    failed = [one for one in outcomes if not one.passed]
    gates = numbers.counted(len(outcomes), "gate")
    if not failed:
        return f"{gates} passed"
    found = [(what, sum(one.finding == what for one in failed)) for what in (WORSE, NOT_SHOWN)]
    how = ", ".join(f"{n} {what}" for what, n in found if n)
    return f"{len(failed)} of {gates} failed" + (f": {how}" if how else "")


def failures_first(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """As they are read: what is worse, what fails otherwise, what is not shown, what holds."""
    order = {WORSE: 0, None: 1, NOT_SHOWN: 2}
    return sorted(outcomes, key=lambda one: (one.passed, order[one.finding]))


def print_gates(
    outcomes: Sequence[Outcome],
    *,
    queries: Mapping[str, Told],
    notes: Sequence[str],
    directory: Path,
    n_queries: int,
    judge: str,
) -> None:
    """Prints the table of all gates, then each failure with its worst queries and what to run."""
    from rich.padding import Padding  # noqa: PLC0415 - heavy, and needed here only
    from rich.text import Text  # noqa: PLC0415

    console = open_console()
    told = f"{numbers.counted(n_queries, 'query', 'queries')} · judge {judge}"
    console.print(Text(visible.one_line(f"ragdiag gate  {directory} · {told}"), overflow="fold"))
    console.print(_table(outcomes), no_wrap=True, overflow="ellipsis")
    failed = [one for one in failures_first(outcomes) if not one.passed]
    for outcome in failed[:_MOST_TOLD]:
        console.print()
        named = f"{outcome.name}: " if outcome.name else ""
        text = Text(visible.one_line(f"{FAILED} {named}") + told_why(outcome), overflow="fold")
        console.print(text)
        for line in query_lines(outcome, queries):
            console.print(
                Padding(Text(visible.one_line(line), overflow="fold"), (0, 0, 0, 2), expand=False)
            )
        if outcome.query_ids:
            hint = f"  {visible.one_line(explain_command(outcome.query_ids[0], directory))}"
            console.print(Text(hint), soft_wrap=True)
    if len(failed) > _MOST_TOLD:
        console.print(Text(f"\n… {len(failed) - _MOST_TOLD} more failed: --json tells them all"))
    console.print()
    for note in notes:
        console.print(Text(visible.one_line(f"note: {note}"), overflow="fold"))
    console.print(Text(headline(outcomes), style="bold"))


def _table(outcomes: Sequence[Outcome]) -> Table:
    """Failures first; where there are many, the rest of those that hold in one line."""
    table = bare_table("", "gate", "value", "95% interval", "scored", "needs", left=("gate",))
    rows = failures_first(outcomes)
    for one in rows[:_MOST_ROWS]:
        asked = visible.one_line(one.title.removesuffix(AGAINST))
        kept = asked if len(asked) <= _LONGEST else asked[: _LONGEST - 1] + "…"
        table.add_row(
            PASSED if one.passed else FAILED,
            kept,
            shown_value(one),
            shown_interval(one),
            one.told,
            needs(one),
        )
    rest = rows[_MOST_ROWS:]
    if rest:
        n = sum(one.passed for one in rest)
        table.add_row("…", f"{n} more passed, {len(rest) - n} more failed", "", "", "", "")
    return table


def needs(outcome: Outcome) -> str:
    """What the figure (or its interval) has to keep."""
    limit, bound = outcome.condition.limit, outcome.bound
    if math.isnan(limit):
        return ""
    if outcome.is_gain:
        keeps = bound is None or outcome.condition.holds(bound + _ROUNDING)
        return f"gain >={limit:.4g}" if keeps or not outcome.passed else "no query worse"
    shown = round(limit, 4) if outcome.against else limit
    return f"{outcome.condition.operator}{shown:.6g}"


def to_dict(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON; `n_against` counts the queries against it, `query_ids` names 20."""
    condition = outcome.condition
    return {
        "name": outcome.name or None,
        "condition": outcome.asked,
        "metric": condition.name,
        "slice": None if condition.of_slice is None else "=".join(condition.of_slice),
        "status": "pass" if outcome.passed else "fail",
        "finding": outcome.finding,
        "value": outcome.value,
        "baseline_value": outcome.before,
        "limit": condition.limit if not math.isnan(condition.limit) else None,
        "bound": outcome.bound,
        "ci_low": outcome.low,
        "ci_high": outcome.high,
        "scored": outcome.told,
        "why": outcome.why,
        "message": outcome.message or None,
        "n_against": len(outcome.query_ids),
        "query_ids": list(outcome.query_ids[:_IDS]),
    }
