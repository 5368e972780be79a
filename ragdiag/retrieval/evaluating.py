"""A whole run against its labels: the value of each measure for each query, and the means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Columns, Floats, Ints
from ragdiag.retrieval.counts import Counts
from ragdiag.retrieval.judgements import Judgements, judgements
from ragdiag.retrieval.list_hits import FirstRanksError
from ragdiag.retrieval.measures import CONDENSED, Table, check_expected, parse_name
from ragdiag.retrieval.options import Options, Order
from ragdiag.retrieval.ranked import RunReader, ScatteredError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Run:
    """The rows of one system's lists: query_id, doc_id, and score or rank.

    blocks   gives them from the beginning, each time it is called.
    order    what ranks them: "score" falling, "rank" rising, or the "file".
    empty    queries with an empty list, which have no row.
    first    gives those of the first k ranks only, where that is cheaper; not asked where a
             measure needs the whole list.
    """

    blocks: Callable[[], Iterable[pl.DataFrame]]
    order: Order = "score"
    empty: tuple[str, ...] = ()
    first: Callable[[int], Iterable[pl.DataFrame]] | None = None


@dataclass(frozen=True)
class Evaluated:
    """One run, scored. Queries are those of the labels, sorted; NaN in `values` = not applicable.

    values             by name as asked, a value a query.
    missing            which queries the run lacks; n_retrieved: distinct items of each.
    unjudged           by cut-off, the share of the first k over all lists that nobody judged.
    ceiling            by cut-off, the mean of the best recall that so few ranks allow.
    nothing_found      queries with relevant items, none of which stands in what was looked at.
    n_labels           labels in all, and n_judged of them met in the run.
    n_repeated_labels  equal labels that were merged.
    partial            only the first ranks were read: counts are of these.
    met                by label, whether it stands in what was read; None = not told by label.
    """

    query_ids: list[str]
    values: dict[str, Floats]
    missing: Bools
    n_relevant: Ints
    n_retrieved: Ints
    counts: Counts
    nothing_found: Bools
    n_labels: int
    n_judged: int
    n_repeated_labels: int
    unjudged: dict[int, float | None]
    ceiling: dict[int, float | None]
    partial: bool
    met: Bools | None = None

    def mean(self, name: str) -> float | None:
        """Over the queries that have a value; None where none has one."""
        return mean_of_known(self.values[name])


def mean_of_known(values: Floats) -> float | None:
    """Over the queries that have a value, whatever their order; None where none has one."""
    known: list[float] = values[~np.isnan(values)].tolist()
    return math.fsum(known) / len(known) if known else None


def evaluate(
    labels: Judgements | pl.DataFrame,
    run: Run | pl.DataFrame,
    metrics: Sequence[str],
    options: Options | None = None,
) -> Evaluated:
    """The metrics (names as asked) of a run, by query.

    labels  query_id, doc_id, grade; or what `judgements` made of it under the same options.
    run     a frame is ordered by its rank where it has one, else by score, else as it stands.

    Raises:
        UsageError: an unknown metric.
        DataError: labels that conflict, scores that are no numbers, or what the options refuse.
    """
    options = options or Options()
    asked = {name: parsed(name, options) for name in metrics}
    if not isinstance(labels, Judgements):
        labels = judgements(labels, options)
    ks = cutoffs_of(asked)
    whole = any(k is None for _, k in asked.values())
    reader = read_lists(labels, run_of(run), options, ks, whole=whole)
    columns = reader.columns()
    missing = reader.missing
    refuse_missing(labels.query_ids, missing, options)
    table = Table(columns, ks, no_relevant=options.no_relevant)
    return evaluated(
        asked,
        table,
        columns,
        options,
        facts=Facts(
            labels.query_ids, missing, reader.counts, labels.n_repeated, reader.partial, reader.met
        ),
        n_labels=len(labels.keys),
    )


class Measured(Protocol):
    """What gives a measure of all queries at one cut-off."""

    def column(self, stem: str, k: int | None) -> Floats:
        """NaN = not applicable."""
        ...

    def unjudged(self, cutoffs: Sequence[int]) -> dict[int, float | None]:
        """By cut-off: the share of the first k of all lists together that nobody judged."""
        ...


@dataclass(frozen=True)
class Facts:
    """What a reading of a run told beside its hits; `met` by label, where it told that."""

    query_ids: list[str]
    missing: Bools
    counts: Counts
    n_repeated: int = 0
    partial: bool = False
    met: Bools | None = None


def evaluated(
    asked: Mapping[str, tuple[str, int | None]],
    table: Measured,
    columns: Columns,
    options: Options,
    *,
    facts: Facts,
    n_labels: int,
) -> Evaluated:
    """The measures asked (name -> stem and cut-off) and what is told beside them."""
    ks = cutoffs_of(asked)
    values = {name: table.column(stem, k) for name, (stem, k) in asked.items()}
    if options.missing == "skip":
        values = {name: np.where(facts.missing, np.nan, found) for name, found in values.items()}
    return Evaluated(
        query_ids=facts.query_ids,
        values=values,
        missing=facts.missing,
        n_relevant=columns.n_relevant,
        n_retrieved=columns.n_retrieved,
        counts=facts.counts,
        nothing_found=(table.column("hit", None) == 0) & (columns.n_relevant > 0),
        n_labels=n_labels,
        n_judged=len(columns.row),
        n_repeated_labels=facts.n_repeated,
        unjudged=table.unjudged(ks),
        ceiling={k: mean_of_known(table.column("ceiling", k)) for k in ks},
        partial=facts.partial,
        met=facts.met,
    )


def refuse_missing(query_ids: Sequence[str], missing: Bools, options: Options) -> None:
    """DataError where the options want every labelled query in the run, and one is not."""
    if options.missing == "error" and missing.any():
        absent = query_ids[int(np.argmax(missing))]
        raise DataError(f"{int(missing.sum())} labelled queries are not in the run, as {absent!r}")


def cutoffs_of(asked: Mapping[str, tuple[str, int | None]]) -> list[int]:
    """The cut-offs of the measures asked, ascending."""
    return sorted({k for _, k in asked.values() if k is not None})


def parsed(name: str, options: Options) -> tuple[str, int | None]:
    """A metric's stem and cut-off under the options; UsageError for an unknown one."""
    stem, k = parse_name(name)
    if options.ties == "expected":
        check_expected(name, depth=options.depth)
    if options.fixed and k is not None and stem.removeprefix(CONDENSED) == "precision":
        stem = f"{stem}_fixed"
    return stem, k


def run_of(run: Run | pl.DataFrame) -> Run:
    """A frame as a run: ordered by its rank where it has one, else by score, else as it stands."""
    if isinstance(run, Run):
        return run
    known = [name for name in ("rank", "score") if name in run.columns]
    order = next((name for name in known if run[name].null_count() < len(run)), "file")
    return Run(lambda: (run,), cast("Order", order))


def read_lists(
    labels: Judgements, run: Run, options: Options, ks: Sequence[int], *, whole: bool
) -> RunReader:
    """A run's lists read against labels; scattered rows are brought together first.

    ks     the cut-offs; whole: some measure needs more than the first ranks.
    """
    order = "score" if options.by_score else run.order

    def read(blocks: Callable[[], Iterable[pl.DataFrame]], *, partial: bool = False) -> RunReader:
        def new() -> RunReader:
            return RunReader(labels, options, order=order, cutoffs=ks, partial=partial)

        reader = new()
        if not _together(reader, blocks()):
            reader = new()
            reader.read_scattered(blocks())
        reader.empty(run.empty)
        return reader

    first = run.first
    if first is not None and order == "rank" and ks and not whole:
        try:
            reader = read(lambda: first(ks[-1]), partial=True)
            if not reader.missing.any():  # else its list might begin beyond the cut-off
                return reader
        except FirstRanksError:
            pass
    return read(run.blocks)


def _together(reader: RunReader, blocks: Iterable[pl.DataFrame]) -> bool:
    """Reads them where the rows of each query stand together; else a new reader is needed.

    An answer and not an exception, which would keep the blocks in memory.
    """
    try:
        reader.read(blocks)
    except ScatteredError:
        return False
    return True
