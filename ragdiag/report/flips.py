"""Which queries a change mended and broke, by their failure categories before and after."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Literal

from ragdiag.diagnosis.catalogue import UNDETERMINED

Outcome = Literal["right", "failed", "open", "none"]
Told = tuple[str | None, str | None]
"""Code and family of a query."""

_SUCCESS = "success"


def outcome(code: str | None, family: str | None) -> Outcome:
    """right: of the success family; open: undetermined, and no family is common to what remains;
    none: no diagnosis; failed: all others, a pipeline's own error too."""
    if code is None:
        return "none"
    if family is None and code == UNDETERMINED:
        return "open"
    return "right" if family == _SUCCESS else "failed"


def flips(query_ids: Sequence[str], a: Sequence[Told], b: Sequence[Told]) -> dict[str, Any]:
    """fixed (failed → right), broken (right → failed) and changed (failed otherwise), each a list
    of {query_id, before, after}, in the order given; `open`: undetermined before or after, and
    another code than before; n_without_diagnosis: queries without one in either run."""
    found: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("fixed", "broken", "changed", "open")
    }
    n_without = 0
    for query_id, before, after in zip(query_ids, a, b, strict=True):
        pair = outcome(*before), outcome(*after)
        if "none" in pair:
            n_without += 1
            continue
        kind = _kind(pair)
        if kind is None or before[0] == after[0]:
            continue
        found[kind].append({"query_id": query_id, "before": before[0], "after": after[0]})
    return {**found, "n_without_diagnosis": n_without}


def _kind(pair: tuple[Outcome, Outcome]) -> str | None:
    if "open" in pair:
        return "open"
    return {
        ("failed", "right"): "fixed",
        ("right", "failed"): "broken",
        ("failed", "failed"): "changed",
    }.get(pair)


def moved(query_ids: Sequence[str], a: Sequence[Told], b: Sequence[Told]) -> list[dict[str, Any]]:
    """{before, after, n, query_ids}: every change of category, the most frequent first; a code that
    is None stands for no diagnosis."""
    ids: dict[tuple[str | None, str | None], list[str]] = defaultdict(list)
    for query_id, (before, _), (after, _) in zip(query_ids, a, b, strict=True):
        if before != after:
            ids[before, after].append(query_id)
    counts = Counter({pair: len(found) for pair, found in ids.items()})
    ordered = sorted(counts, key=lambda pair: (-counts[pair], pair[0] or "", pair[1] or ""))
    return [
        {"before": x, "after": y, "n": counts[x, y], "query_ids": ids[x, y]} for x, y in ordered
    ]
