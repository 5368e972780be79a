"""What `ragdiag sample` says on a terminal: what was drawn, of how much, and why so many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from ragdiag.report import numbers
from ragdiag.report.console import WIDTH, bare_table, open_console
from ragdiag.report.visible import one_line
from ragdiag.review.queue import Told
from ragdiag.review.queue_file import strata_path
from ragdiag.review.queue_fix import REASONS
from ragdiag.review.queue_sizes import HALF_WIDTHS, RARER

_REMARK = (
    f"A judge may be called trusted from {RARER} labels of the rarer class: with fewer the 95% "
    "interval of its TPR or TNR is wider than ±0.14 (at 0.8), and chance looks like skill. "
    "for ±: labels at random for the 95% interval of the judge's rate."
)
_SECRET = (
    "The strata name the judge's verdicts: they are for the estimates, and no file for those who "
    "label. Only the audit feeds estimates."
)


def print_told(told: Told, path: Path) -> None:
    """Prints the audit by check, the fix queue by reason, and what became of an earlier queue."""
    if told.designs:
        columns = [f"for ±{width:g}" for width in HALF_WIDTHS]
        table = bare_table(
            "audit", "items", "rate", *columns, f"for {RARER} rarer", "drawn", "strata", "double"
        )
        for check, design in told.designs.items():
            size = told.sizes.get(check)
            needed = ["–"] * 4
            if size is not None:
                rarer = "–" if size.for_rarer is None else str(size.for_rarer)
                needed = [
                    numbers.value(size.rate), *(str(size.needed[w]) for w in HALF_WIDTHS), rarer,
                ]  # fmt: skip
            row = (design.n, len(design.strata), told.n_double[check])
            table.add_row(check, str(design.population), *needed, *map(str, row))
        open_console().print(table)
    for line in _lines(told, path):
        for part in wrap(one_line(line), WIDTH, break_long_words=False, break_on_hyphens=False):
            print(part)


def _lines(told: Told, path: Path) -> Iterator[str]:
    n_audit = sum(design.n for design in told.designs.values())
    if told.designs:
        by = "verdict, category" + ("" if told.dimension is None else f", {told.dimension}")
        yield f"by {by}; seed {told.seed}. {_REMARK}"
    counts = ", ".join(f"{reason} {told.found[reason]}" for reason in REASONS if told.found[reason])
    if told.n_fix or counts:
        yield (
            f"fix: {numbers.counted(told.n_fix, 'item')}, {told.n_double['fix']} double; reasons "
            f"outside the audit, most urgent first: {counts or 'none'}"
        )
    if not n_audit and not told.n_fix:
        yield f"nothing to label in {numbers.counted(told.n_queries, 'query', 'queries')}"
    if told.by_people:
        which = ", ".join(f"{check} {n}" for check, n in sorted(told.by_people.items()))
        yield f"left out, labelled by people already: {which}"
    if told.textless:
        which = ", ".join(f"{check} {n}" for check, n in sorted(told.textless.items()))
        yield f"left out, their passages have no text to show: {which}"
    if told.kept or told.changed or told.gone:
        kept, added = sum(told.kept.values()), sum(told.added.values())
        yield (
            f"kept {kept} items of the queue that was there, added {added}; {told.changed} have "
            f"another text now, {told.gone} exist no more"
        )
    if told.kept["audit"] and told.added["audit"]:
        yield (
            "The audit is larger now: of each item, old or new, the probability counts that "
            "the queue states, not the one in labels that were given before."
        )
    for warning in told.warnings:
        yield f"warning: {warning}"
    yield f"{path}: {numbers.counted(n_audit + told.n_fix, 'item')}; strata: {strata_path(path)}"
    if n_audit:
        yield _SECRET
