"""In which order rows stand: by whole numbers, by the levels of their values, by id where tied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragdiag.retrieval.columns import Bools, Floats, Ints

if TYPE_CHECKING:
    import polars as pl


def stable_order(keys: NDArray[np.integer[Any]]) -> Ints:
    """The order that sorts whole numbers >= 0, equal ones as they stand."""
    if (keys[1:] >= keys[:-1]).all():
        return np.arange(len(keys))
    bits = len(keys).bit_length()
    if not len(keys) or int(keys.max()) >> (62 - bits):
        return np.argsort(keys, kind="stable")
    # Numbers that hold their own place sort far faster than places by a key.
    both = keys.astype(np.int64)
    both <<= bits
    both |= np.arange(len(keys))
    both.sort()
    both &= (1 << bits) - 1
    return both


def levels_of(values: Floats) -> Ints:
    """By value: how many distinct values are smaller."""
    order = np.argsort(values)
    ordered = values[order]
    levels = np.empty(len(values), dtype=np.int64)
    levels[order] = np.cumsum(np.diff(ordered, prepend=ordered[0]) != 0)
    return levels


def by_id(frame: pl.DataFrame, tied: Bools) -> pl.DataFrame:
    """The rows with ids descending where each is tied with the next (`tied`, by gap)."""
    import polars as pl  # noqa: PLC0415 - slow to load

    again = np.concatenate(([False], tied))
    at = np.flatnonzero(again | np.concatenate((tied, [False])))
    keys = frame[at].select(pl.Series("group", np.cumsum(~again)[at]), "doc_id")
    falling = [False, True]
    by = keys.select(pl.arg_sort_by(["group", "doc_id"], descending=falling, maintain_order=True))
    order = np.arange(len(frame))
    order[at] = at[by.to_series().to_numpy()]
    return frame[order]
