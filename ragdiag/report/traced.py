"""Provenance over all queries: how often each outcome, and whether pages are counted otherwise."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ragdiag.records import SampleResult, Trace

PAGES = "pages:"
_FEWEST, _MOST_OF = 5, 0.8


class Traced:
    """Counts what results say of their passages' places."""

    def __init__(self) -> None:
        self._tiers: Counter[str] = Counter()
        self._gold: Counter[str] = Counter()
        self._shifts: Counter[int] = Counter()

    def add(self, result: SampleResult) -> None:
        """Counts one query's traces."""
        self._tiers.update(one.tier for one in result.provenance)
        self._gold.update(one.tier for one in result.gold_provenance)
        shifts = map(_shift, result.provenance)
        self._shifts.update(shift for shift in shifts if shift is not None)

    def section(self) -> dict[str, Any]:
        """report.json's `provenance`: passages of contexts and gold items by tier."""
        return {
            "passages": dict(sorted(self._tiers.items())),
            "gold": dict(sorted(self._gold.items())),
        }

    def warning(self) -> str | None:
        """Where nearly all texts stand the same number of pages from the one that is stated."""
        if not self._shifts:
            return None
        ((shift, n),) = self._shifts.most_common(1)
        total = self._shifts.total()
        if not shift or n < _FEWEST or n < _MOST_OF * total:
            return None
        where = "after" if shift > 0 else "before"
        pages = "page" if abs(shift) == 1 else "pages"
        zero = ": does the pipeline count from 0?" if shift == 1 else ""
        return (
            f"{PAGES} {n} of {total} texts that were found stand {abs(shift)} {pages} {where} the "
            f"one that is stated{zero}"
        )


def _shift(trace: Trace) -> int | None:
    """Pages from the stated to the true one; None where not both are numbers."""
    if trace.start is None or isinstance(trace.page, str) or trace.page is None:
        return None
    return trace.page - trace.stated_page if isinstance(trace.stated_page, int) else None
