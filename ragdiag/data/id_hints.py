"""Ids of labels and runs that should be one and are not: told, never mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ragdiag.data.hints import fold
from ragdiag.data.qrels import QrelsTable
from ragdiag.data.runs import RunTable
from ragdiag.records.problem import Problem

if TYPE_CHECKING:
    import polars as pl

_MOST_ROWS = 1_000_000
_EXAMPLES = 3
_FOLDABLE = r"[^\x21-\x7e]|^0\d|^\d+\.0+$"
"""Ids that `fold` may change: white space, other scripts, leading zeros, ".0"."""


def id_hints(
    qrels: QrelsTable, run: RunTable, *, thorough: bool | None = None
) -> tuple[Problem, ...]:
    """Ids that differ only by white space, Unicode form or the spelling of a number; no overlap.

    Documents of a run of over a million rows are compared only where `thorough` is true (the
    caller saw that few labels are in the run); queries always.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    if thorough is None:
        thorough = run.n_rows <= _MOST_ROWS
    found: list[Problem] = []
    for name in ("query_id", "doc_id") if thorough else ("query_id",):
        labelled, ranked = qrels.frame[name].unique(), run.frame[name].unique()
        if name == "query_id" and run.empty:  # their lists have no row, and they are there
            ranked = pl.concat([ranked, pl.Series(name, run.empty)]).unique()
        if ranked.is_empty():
            continue
        found.extend(_compare(labelled, ranked, name, qrels, run))
    return tuple(found)


def sample_hints(unmet: pl.Series, run: RunTable) -> bool:
    """Does a document id of a part of a run look like one of the labels that nothing met?

    Then the whole run is worth a comparison. Nothing is said of ids that are merely absent: the
    part may lack them.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    ranked = run.frame["doc_id"]
    if not any(side.str.contains(_FOLDABLE).any() for side in (unmet, ranked)):
        return False
    left, right = pl.DataFrame({"key": unmet.unique()}), pl.DataFrame({"key": ranked.unique()})
    lost = left.join(right, on="key", how="anti")["key"]
    return not lost.is_empty() and bool(_look_alikes(lost, right["key"]))


def unknown_ids(ids: pl.Series, known: pl.Series, *, file: str, of: str) -> tuple[Problem, ...]:
    """Ids that a corpus (`of`) does not hold, and what they look like there."""
    import polars as pl  # noqa: PLC0415 - slow to load

    asked = pl.DataFrame({"key": ids.unique()})
    lost = asked.join(pl.DataFrame({"key": known}), on="key", how="anti")["key"].sort()
    if lost.is_empty():
        return ()
    shown = ", ".join(map(repr, lost.head(_EXAMPLES).to_list()))
    message = f"{len(lost)} of {len(asked)} ids are not in {of}: {shown}"
    alike = _look_alikes(lost, known.unique())
    if alike:
        pairs = ", ".join(f"{a!r} is {b!r} there" for a, b in alike[:_EXAMPLES])
        message += (
            f"; {len(alike)} differ only by white space, Unicode form or the spelling of a "
            f"number: {pairs}; nothing is trimmed, write them alike"
        )
    return (Problem(file=file, line=None, field="doc_id", kind="unknown_id", message=message),)


def _compare(
    labelled: pl.Series, ranked: pl.Series, name: str, qrels: QrelsTable, run: RunTable
) -> list[Problem]:
    import polars as pl  # noqa: PLC0415 - slow to load

    def problem(kind: str, message: str) -> Problem:
        return Problem(file=run.file, line=None, field=name, kind=kind, message=message)

    left, right = pl.DataFrame({"key": labelled}), pl.DataFrame({"key": ranked})
    lost = left.join(right, on="key", how="anti")["key"].sort()
    if lost.is_empty():
        return []
    found: list[Problem] = []
    alike = _look_alikes(lost, ranked)
    if alike:
        shown = ", ".join(f"{a!r} ({qrels.name}) and {b!r}" for a, b in alike[:_EXAMPLES])
        message = (
            f"{len(alike)} ids of the labels differ from ids of the run only by white space, "
            f"Unicode form or the spelling of a number: {shown}; nothing is trimmed, write them "
            "alike"
        )
        found.append(problem("near_identical_id", message))
    if len(lost) == len(labelled):
        message = f"no {name} of {qrels.name} is in this run: are they of one collection?"
        found.append(problem("no_shared_id", message))
    return found


def _look_alikes(lost: pl.Series, ranked: pl.Series) -> list[tuple[str, str]]:
    """(label's id, run's id) of the same folded form."""
    folded: dict[str, str] = {}
    for key in ranked.filter(ranked.str.contains(_FOLDABLE)).sort():
        folded.setdefault(fold(key), key)
    changed = {key: fold(key) for key in lost.filter(lost.str.contains(_FOLDABLE))}
    plain = set(ranked.filter(ranked.is_in(list(changed.values())))) if changed else set[str]()
    alike: list[tuple[str, str]] = []
    for key in cast("list[str]", lost.to_list()) if folded else changed:
        form = changed.get(key, key)
        other = form if form in plain else folded.get(form)
        if other is not None:
            alike.append((key, other))
    return alike
