"""A model of the screen fitted on the user's own labels, and how far that can be trusted.

Everything that is reported of it is nested: what was chosen (how to fit, and the band) was chosen
without the question on which it is measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ragdiag.judging.screen.fitting import (
    UNKNOWN,
    Array,
    Band,
    Floats,
    Rows,
    Units,
    Wanted,
    balanced,
    choose_band,
    fit,
)
from ragdiag.judging.screen.model import Logistic
from ragdiag.stats.folds import grouped_folds
from ragdiag.stats.logistic import Line, fit_logistic, log_loss, sigmoid

_LOWS = tuple(float(low) for low in np.arange(0.0, 0.5, 0.01))
_HIGHS = tuple(float(high) for high in np.arange(0.5, 1.005, 0.01))
_NOTHING_DECIDED = (0.0, 1.0)
_ONE_MORE_MISS = 1.0
_OUTER, _INNER = 0, 1  # seeds


@dataclass(frozen=True)
class Way:
    """How a model comes from the shipped one: `thresholds` only, `platt` (slope and intercept of
    its log-odds too), or `refit` (every weight, drawn towards the shipped ones; the smaller `c`,
    the closer)."""

    name: str
    c: float = 0.0

    def __str__(self) -> str:
        return f"{self.name} (c {self.c:g})" if self.name == "refit" else self.name

    def line(self, rows: Rows, train: Array, base: Line) -> Line:
        """The weights on the rows in `train`, those that nobody labelled left out; `base` itself
        where these are of one label only."""
        known = train[rows.y[train] != UNKNOWN]
        if self.name == "thresholds" or len(np.unique(rows.y[known])) < 2:
            return base
        if self.name == "refit":
            return fit(rows, known, self.c, start=base)
        log_odds = base.log_odds(rows.x[known])[:, np.newaxis]
        slope, intercept = fit_logistic(
            log_odds,
            rows.y[known].astype(float),
            weights=balanced(rows, known)[known],
            c=1.0,
            start=Line(np.ones(1), 0.0),
        )
        return Line(slope[0] * base.coefficients, slope[0] * base.intercept + intercept)


WAYS = (
    Way("thresholds"),
    Way("platt"),
    *(Way("refit", c) for c in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
)
"""From the one that changes least to the one that changes most."""

FEWEST_TO_REFIT = 10


@dataclass(frozen=True)
class Choice:
    """A way, its band, and by how much the log loss of each way lies under that of the shipped
    weights, on questions that it was not fitted on."""

    way: Way
    band: Band
    gains: dict[str, float]


@dataclass(frozen=True)
class Measured:
    """By unit, in one order: people's label (1 = the first), group, source; the shipped model's
    score and label, and those of models that never saw the unit's group."""

    truth: Array
    group: Array
    source: Array
    before: Floats
    said_before: Array
    after: Floats
    said_after: Array

    def of(self, source: str) -> Measured:
        """The units of one check."""
        kept = self.source == source
        return Measured(**{name: values[kept] for name, values in vars(self).items()})


@dataclass(frozen=True)
class Calibrated:
    """The model to keep, how it was chosen on all rows, what each fold chose, and its measure."""

    model: Logistic
    choice: Choice
    chosen: dict[str, int]
    measured: Measured


def calibrate(
    rows: Rows, base: Logistic, *, precision: float, n_folds: int, ways: Sequence[Way] = WAYS
) -> Calibrated:
    """Fits one model of the screen, its features in the order of `base`.

    precision  wanted of each label among those that are decided, over 0.5 to 1.
    Raises ValueError for fewer than n_folds + 2 groups.
    """
    start = Line(np.array(base.coefficients), base.intercept)
    units = Units(rows)
    before = sigmoid(start.log_odds(rows.x))
    after, said = np.zeros(len(rows.y)), np.full(len(units.truth), UNKNOWN)
    fold_of = _folds(rows, n_folds, seed=_OUTER)
    chosen = Counter[str]()
    for fold in range(n_folds):
        test = fold_of == fold
        part = rows.where(~test)
        choice = choose(part, start, precision=precision, n_folds=n_folds, ways=ways)
        chosen[str(choice.way)] += 1
        line = choice.way.line(part, np.arange(len(part.y)), start)
        after[test] = sigmoid(line.log_odds(rows.x[test]))
        ours = np.isin(units.group, rows.group[test])
        said[ours] = units.labels(after, choice.band)[ours]
    choice = choose(rows, start, precision=precision, n_folds=n_folds, ways=ways)
    line = choice.way.line(rows, np.arange(len(rows.y)), start)
    model = Logistic(
        base.features,
        tuple(float(f"{value:.6g}") for value in line.coefficients),
        float(f"{line.intercept:.6g}"),
        *choice.band,
    )
    measured = Measured(
        units.truth,
        units.group,
        units.source,
        units.scores(before),
        units.labels(before, (base.low, base.high)),
        units.scores(after),
        said,
    )
    return Calibrated(model, choice, dict(chosen), measured)


def _folds(rows: Rows, n_folds: int, *, seed: int) -> Array:
    strata = rows.y + 1 + 3 * np.unique(rows.source, return_inverse=True)[1]
    return grouped_folds(strata, rows.group, n_folds, seed=seed)


def choose(
    rows: Rows, base: Line, *, precision: float, n_folds: int, ways: Sequence[Way]
) -> Choice:
    """The way of least log loss on questions that it was not fitted on, and a band on these scores.

    Every weight is refitted only for a gain over one standard error of its difference (by group)
    to the best other way, and not where a label stands on fewer than 10 questions.
    """
    if _fewest_groups(rows) < FEWEST_TO_REFIT:  # their losses say little of other questions
        ways = [way for way in ways if way.name != "refit"] or ways
    log_odds = np.zeros((len(ways), len(rows.y)))
    fold_of = _folds(rows, n_folds, seed=_INNER)
    for fold in range(n_folds):
        test, train = fold_of == fold, np.flatnonzero(fold_of != fold)
        for number, way in enumerate(ways):
            log_odds[number, test] = way.line(rows, train, base).log_odds(rows.x[test])
    known = np.flatnonzero(rows.y != UNKNOWN)
    weights = balanced(rows, known)[known] / len(known)
    losses = [weights * log_loss(rows.y[known], one[known]) for one in log_odds]
    totals = [float(one.sum()) for one in losses]
    number = _least(ways, losses, rows.group[known])
    units, p = Units(rows), sigmoid(log_odds[number])
    sources = tuple(str(name) for name in np.unique(rows.source))
    wanted = Wanted(
        precision, precision, sources, _LOWS, _HIGHS, _NOTHING_DECIDED, missed=_ONE_MORE_MISS
    )
    band = choose_band(partial(units.labels, p), units.truth, units.source, wanted)
    gains = {str(way): totals[0] - total for way, total in zip(ways, totals, strict=True)}
    return Choice(ways[number], band, gains)


def _least(ways: Sequence[Way], losses: Sequence[Floats], groups: Array) -> int:
    """The way of least loss, where every weight is refitted only for a gain that is clear: over one
    standard error of the difference."""
    totals = [float(one.sum()) for one in losses]
    ranked = sorted(range(len(ways)), key=totals.__getitem__)
    plain = next((n for n in ranked if ways[n].name != "refit"), None)
    if plain is None or ranked[0] == plain:
        return ranked[0]
    best = ranked[0]
    clear = totals[plain] - totals[best] > _error(losses[plain] - losses[best], groups)
    return best if clear else plain


def _fewest_groups(rows: Rows) -> int:
    """On how many questions the label stands that stands on fewer."""
    return min(len(np.unique(rows.group[rows.y == label])) for label in (0, 1))


def _error(differences: Floats, groups: Array) -> float:
    """The standard error of a sum of differences that come in groups."""
    _, group = np.unique(groups, return_inverse=True)
    sums: Any = np.bincount(group, weights=differences)
    n = len(sums)
    return float(np.sqrt(n / max(n - 1, 1) * ((sums - sums.mean()) ** 2).sum()))
