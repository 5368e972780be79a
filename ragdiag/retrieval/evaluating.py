"""A whole run against its labels: the value of each measure for each query, and the means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Bools, Columns, Floats
from ragdiag.retrieval.judgements import Judgements, judgements
from ragdiag.retrieval.measures import Table, formula, parse_name
from ragdiag.retrieval.options import Options, Order
from ragdiag.retrieval.ranked import Counts, RunReader, Scattered

if TYPE_CHECKING:
    import polars as pl

Blocks = Callable[[], Iterable["pl.DataFrame"]]
"""Gives the rows of a run from its beginning: query_id, doc_id, and score or rank."""


@dataclass(frozen=True)
class Evaluated:
    """One run, scored. Queries are those of the labels, sorted; NaN in `values` = not applicable.

    values     by name as asked, a value a query.
    missing    which queries the run lacks.
    """

    query_ids: list[str]
    values: dict[str, Floats]
    missing: Bools
    n_relevant: np.ndarray[tuple[int], np.dtype[np.int64]]
    counts: Counts
    n_repeated_labels: int
    unjudged: dict[int, float | None]

    def mean(self, name: str) -> float | None:
        """Over the queries that have a value; None where none has one."""
        values = self.scored(name)
        return math.fsum(values) / len(values) if values else None

    def scored(self, name: str) -> list[float]:
        """The values of a measure, in the order of the queries, without those not applicable."""
        values = self.values[name]
        return values[~np.isnan(values)].tolist()


def evaluate(
    labels: Judgements | pl.DataFrame,
    run: Blocks | pl.DataFrame,
    metrics: Sequence[str],
    options: Options | None = None,
    *,
    order: Order = "score",
) -> Evaluated:
    """The metrics (names as asked) of a run, by query.

    labels  query_id, doc_id, grade; or what `judgements` made of it under the same options.
    run     query_id, doc_id, and `order` ("score" falling, "rank" rising) or the order of rows.

    Raises:
        UsageError: an unknown metric.
        DataError: labels that conflict, scores that are no numbers, or what the options refuse.
    """
    options = options or Options()
    asked = {name: _parsed(name, options) for name in metrics}
    if not isinstance(labels, Judgements):
        labels = judgements(labels, options)
    blocks = run if callable(run) else (lambda: (run,))
    cutoffs = sorted({k for _, k in asked.values() if k is not None})
    reader = _read(labels, blocks, options, order, cutoffs)
    columns = reader.columns()
    missing = reader.missing
    if options.missing == "error" and missing.any():
        absent = labels.query_ids[int(np.argmax(missing))]
        raise DataError(f"{int(missing.sum())} labelled queries are not in the run, as {absent!r}")
    table = Table(columns, [k for _, k in asked.values()], no_relevant=options.no_relevant)
    values = {name: table.column(stem, k) for name, (stem, k) in asked.items()}
    if options.missing == "skip":
        values = {name: np.where(missing, np.nan, found) for name, found in values.items()}
    return Evaluated(
        query_ids=labels.query_ids,
        values=values,
        missing=missing,
        n_relevant=labels.n_relevant,
        counts=reader.counts,
        n_repeated_labels=labels.n_repeated,
        unjudged=_unjudged(columns, cutoffs),
    )


def _parsed(name: str, options: Options) -> tuple[str, int | None]:
    stem, k = parse_name(name)
    if options.fixed and k is not None and stem in ("precision", "condensed:precision"):
        stem = stem.replace("precision", "precision_fixed")
    formula(stem)
    return stem, k


def _read(
    labels: Judgements, blocks: Blocks, options: Options, order: Order, cutoffs: Sequence[int]
) -> RunReader:
    import polars as pl  # noqa: PLC0415 - slow to load

    reader = RunReader(labels, options, order=order, cutoffs=cutoffs)
    try:
        reader.read(blocks())
    except Scattered:
        whole = pl.concat(list(blocks())).sort("query_id", maintain_order=True)
        reader = RunReader(labels, options, order=order, cutoffs=cutoffs)
        reader.read((whole,))
    return reader


def _unjudged(columns: Columns, cutoffs: Sequence[int]) -> dict[int, float | None]:
    """By cut-off, the share of the first k over all lists that nobody judged."""
    found: dict[int, float | None] = {}
    for k in cutoffs:
        shown = int(np.minimum(columns.n_retrieved, k).sum())
        judged = int(np.count_nonzero(columns.judged & (columns.rank <= k)))
        found[k] = 1 - judged / shown if shown else None
    return found
