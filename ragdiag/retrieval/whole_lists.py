"""A run in blocks of rows -> blocks of whole lists, each checked for ids and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ragdiag.errors import DataError
from ragdiag.retrieval.columns import Ints
from ragdiag.retrieval.judgements import group_starts
from ragdiag.retrieval.options import Order

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class WholeLists:
    """Rows of lists that end where the rows end; `number` is that of the first row in the run."""

    frame: pl.DataFrame
    starts: Ints
    number: int


def whole_lists(blocks: Iterable[pl.DataFrame]) -> Iterator[WholeLists]:
    """Blocks cut where a query ends, in order.

    A list that goes on in the next block comes by itself: the rest is then as it was read, and
    nothing large is copied.
    """
    import polars as pl  # noqa: PLC0415 - slow to load

    rest: list[pl.DataFrame] = []
    number = 1

    def seam() -> WholeLists:
        return WholeLists(pl.concat(rest, rechunk=True), np.zeros(1, dtype=np.int64), number)

    for read in blocks:
        if not len(read):
            continue
        block = read
        starts = group_starts(block["query_id"])
        if rest and rest[-1]["query_id"][-1] == block["query_id"][0]:
            end = int(starts[1]) if len(starts) > 1 else len(block)
            rest.append(block[:end])
            block, starts = block[end:], starts[1:] - end
        if not len(block):
            continue
        if rest:
            whole = seam()
            yield whole
            number += len(whole.frame)
        last = int(starts[-1])
        if last:
            yield WholeLists(block[:last], starts[:-1], number)
            number += last
        rest = [block[last:]]
    if rest:
        yield seam()


def check_rows(frame: pl.DataFrame, number: int, order: Order) -> None:
    """DataError at the first id or number that is none; `number` is that of the first row."""
    for name in ("query_id", "doc_id"):
        ids = frame[name]
        if ids.null_count() or ids.str.len_bytes().min() == 0:
            at = (ids.is_null() | (ids == "").fill_null(False)).arg_max() or 0
            raise DataError(f"row {number + at}: the {name} is missing")
    for name in ("score", "rank"):
        if name in frame.columns:
            _check_numbers(frame, name, number, order)


def _check_numbers(frame: pl.DataFrame, name: str, number: int, order: Order) -> None:
    values = frame[name].cast(float)
    known = values
    if values.null_count():  # what does not order may be left out
        known = values.fill_null(np.nan if name == order else 0.0)
    numbers = known.to_numpy()
    fits = np.isfinite(numbers)
    if name == "rank" and frame[name].dtype.is_float():
        fits &= numbers == np.floor(numbers)
    if not fits.all():
        at = int(np.argmin(fits))
        shown = "missing" if values[at] is None else f"{values[at]}"
        needed = "whole" if name == "rank" else "finite"
        raise DataError(
            f"row {number + at}: query {frame['query_id'][at]!r}, item "
            f"{frame['doc_id'][at]!r}: the {name} is {shown}; a {needed} number is needed"
        )
