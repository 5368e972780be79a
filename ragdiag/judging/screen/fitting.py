"""What fits a screen's model: rows of features and labels, their weights, and the band between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragdiag.stats.logistic import Line, fit_logistic

Array = np.ndarray[Any, np.dtype[Any]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Band = tuple[float, float]

UNKNOWN = -1
"""A label that nobody knows, and a row that the screen leaves undecided."""


@dataclass
class Rows:
    """Rows of one model: each a claim, an answer, or a set of passages.

    x       features.
    y       1 = the first label of its check, 0 = another, UNKNOWN = never fitted on.
    rules   what the screen's code makes of a score that is low, between the thresholds, or high.
    group   rows of one group share a question, and never stand on both sides of a fold.
    source  the data set.
    unit    ties the claims of one answer together; truth: the label of the unit.
    """

    x: Floats
    y: Array
    rules: Array
    group: Array
    source: Array
    unit: Array
    truth: Array

    def where(self, kept: Array) -> Rows:
        """The rows that a mask or index keeps."""
        return Rows(**{name: values[kept] for name, values in vars(self).items()})

    def labels(self, p: Floats, band: Band) -> Array:
        """What the screen says of each row with these scores and thresholds."""
        low, high = band
        side = np.where(p >= high, 2, np.where(p <= low, 0, 1))
        return self.rules[np.arange(len(side)), side]


class Units:
    """Rows by unit, in the order of the units' names: an answer is as weak as its weakest claim."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._order = np.argsort(rows.unit, kind="stable")
        _, self._starts = np.unique(rows.unit[self._order], return_index=True)
        first = self._order[self._starts]
        self.truth, self.group = rows.truth[first], rows.group[first]
        self.source = rows.source[first]

    def scores(self, p: Floats) -> Floats:
        """The least score of each unit."""
        return np.minimum.reduceat(p[self._order], self._starts)

    def labels(self, p: Floats, band: Band) -> Array:
        """0 where a row of the unit is 0, 1 where all are 1, else UNKNOWN."""
        said = self._rows.labels(p, band)[self._order]
        rank = np.where(said == 0, 0, np.where(said == 1, 2, 1))
        return np.array([0, UNKNOWN, 1])[np.minimum.reduceat(rank, self._starts)]


def balanced(rows: Rows, train: Array) -> Floats:
    """Weights: every (data set, label) of the rows in `train` sums to the same; their mean is 1."""
    weights = np.zeros(len(rows.y))
    cells = [
        cell
        for source in np.unique(rows.source[train])
        for label in (0, 1)
        if len(cell := train[(rows.source[train] == source) & (rows.y[train] == label)])
    ]
    for cell in cells:
        weights[cell] = len(train) / len(cells) / len(cell)
    return weights


def fit(rows: Rows, train: Array, c: float, *, start: Line | None = None) -> Line:
    """The weights of a model on the rows in `train` (an index; none UNKNOWN), every label of a data
    set weighing the same, so that a score of .5 stands for even odds."""
    return fit_logistic(
        rows.x[train],
        rows.y[train].astype(float),
        weights=balanced(rows, train)[train],
        c=c,
        start=start,
    )


def share(true: Array, among: Array, *, missed: float = 0.0) -> float:
    """Share of the masked that are true; 1 where nothing is masked. `missed` more are not true."""
    n = int(among.sum())
    return float(true[among].sum()) / (n + missed) if n else 1.0


@dataclass(frozen=True)
class Wanted:
    """What a band must keep: the accuracy of what is decided in every data set, and the precision
    of each label (`side`) in the `sided` ones.

    lows, highs  the thresholds to try; otherwise: the band where none keeps it.
    missed       how many misses more than were seen it must stand, of a label and in all.
    """

    accuracy: float
    side: float
    sided: tuple[str, ...]
    lows: Sequence[float] = tuple(np.arange(0.05, 0.5, 0.01))
    highs: Sequence[float] = tuple(np.arange(0.5, 0.96, 0.01))
    otherwise: Band = (0.05, 0.95)
    missed: float = 0.0


def choose_band(say: Callable[[Band], Array], truth: Array, source: Array, wanted: Wanted) -> Band:
    """The band that decides most (the mean of the data sets' shares) and keeps what is wanted."""
    best, chosen = -1.0, wanted.otherwise
    masks: Mapping[str, Array] = {str(name): source == name for name in np.unique(source)}
    for low in wanted.lows:
        for high in wanted.highs:
            said = say((low, high))
            right, decided = said == truth, said != UNKNOWN
            kept = all(
                share(right, decided & k, missed=wanted.missed) >= wanted.accuracy
                for k in masks.values()
            ) and all(
                share(right, (said == label) & masks[name], missed=wanted.missed) >= wanted.side
                for label in (0, 1)
                for name in wanted.sided
            )
            reached = float(np.mean([share(decided, k) for k in masks.values()]))
            if kept and reached > best:
                best, chosen = reached, (float(low), float(high))
    return round(chosen[0], 2), round(chosen[1], 2)
