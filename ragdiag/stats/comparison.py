"""Whether two runs over the same queries differ: paired tests, without assumed distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragdiag.stats import paired
from ragdiag.stats.clusters import cluster_interval
from ragdiag.stats.intervals import interval_of_mean, wilson

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Method = Literal["exact", "monte_carlo", "normal"]
"""How a randomization test was computed: all sign patterns, drawn ones, or their limit."""

DRAWS = 10_000
_SEED = 20261130
_MOST_STATES = 1 << 12
_LEAST_FOR_NORMAL = 1_000
_COMMON = 0.1
_CELLS = 1 << 22  # of a block of drawn signs: 32 MiB
_FEW_MOVED = 10
_DECIMALS = 12  # differences that agree to so many are one
_SLACK = 1e-10  # of the sum of all differences: rounding of sums is no difference


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided McNemar test of two 0/1 outcomes on the same queries.

    only_a, only_b  queries on which only the one, only the other succeeded; others do not count.
    Returns 2 · P(X ≤ the smaller), X binomial (only_a + only_b, 1/2), at most 1; 1.0 for none.
    Raises ValueError for anything but whole numbers of 0 or more. Source: McNemar 1947; the exact
    form: Agresti, Categorical Data Analysis, 3rd ed., ch. 11.
    """
    for name, count in (("only_a", only_a), ("only_b", only_b)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"{name} must be a whole number of 0 or more, came {count!r}")
    return _sign_test(min(only_a, only_b), only_a + only_b)


def _sign_test(fewer: int, n: int) -> float:
    """Two-sided, of n fair coins of which `fewer` (the rarer side) fell one way."""
    if n == 0 or 2 * fewer >= n:
        return 1.0
    from scipy.special import (  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]
        bdtr,  # pyright: ignore[reportUnknownVariableType]
    )

    return min(1.0, 2 * float(bdtr(fewer, n, 0.5)))  # pyright: ignore[reportUnknownArgumentType]


@dataclass(frozen=True, slots=True)
class Column:
    """The differences of one test: `values` by query (or pair), each belonging to a unit.

    units   a number from 0 per value: its query, or its cluster; values of one unit flip together.
    """

    units: Ints
    values: Floats


@dataclass(frozen=True, slots=True)
class Tested:
    """A two-sided p-value, and how it was computed."""

    p: float
    method: Method


def randomization(
    differences: Sequence[float] | Floats,
    *,
    clusters: Sequence[int] | Ints | None = None,
    draws: int = DRAWS,
) -> Tested:
    """Paired randomization test of a mean difference of 0: are signs exchangeable?

    differences  one per query, b − a; order does not matter but for the drawn signs.
    clusters     a number from 0 per difference: whole clusters flip together, for queries that are
                 not independent of each other.
    p = share of all sign patterns whose |sum| is at least the observed. Exact where there are few
    patterns that differ; else of `draws` patterns with a fixed seed, (hits + 1) / (draws + 1); the
    normal limit where over 1,000 differences weigh in ((Σd²)²/Σd⁴). 1.0 for none, or all 0.
    Raises ValueError for NaN and infinity. Source: Fisher 1935, ch. 21; Noreen 1989; for ranked
    lists, Smucker, Allan and Carterette 2007.
    """
    values = np.asarray(differences, dtype=np.float64)
    units = np.arange(len(values)) if clusters is None else np.asarray(clusters, dtype=np.int64)
    return randomizations([Column(units, values)], draws=draws)[0]


def randomizations(columns: Sequence[Column], *, draws: int = DRAWS) -> list[Tested]:
    """`randomization` of many columns in one go; each comes out as it would alone."""
    summed = [_by_unit(column) for column in columns]
    found = [_settled(values) for values in summed]
    left = [values for values, settled in zip(summed, found, strict=True) if settled is None]
    drawn = iter(_drawn(left, draws))
    return [Tested(next(drawn), "monte_carlo") if one is None else one for one in found]


def _by_unit(column: Column) -> Floats:
    """The sum of each unit that has one other than 0."""
    if len(column.units) != len(column.values):
        raise ValueError(f"{len(column.values)} differences of {len(column.units)} units")
    if not np.isfinite(column.values).all():
        raise ValueError("a difference is a finite number; leave out what is not scored")
    if not len(column.values):
        return column.values
    sums: Floats = np.bincount(column.units, weights=column.values).astype(np.float64)
    return sums[np.abs(sums) > 10.0**-_DECIMALS]


def _settled(values: Floats) -> Tested | None:
    """Without drawing: exactly, or by the normal limit; None where neither will do."""
    if not len(values):
        return Tested(1.0, "exact")
    sizes = np.abs(values)
    rounded = np.round(sizes, _DECIMALS).astype(np.float64)
    distinct, counts = np.unique(rounded, return_counts=True)
    if len(distinct) == 1:
        n_up = int((values > 0).sum())
        return Tested(_sign_test(min(n_up, len(values) - n_up), len(values)), "exact")
    observed = abs(math.fsum(values.tolist()))
    if np.log1p(counts).sum() <= math.log(_MOST_STATES):
        return Tested(_enumerated(distinct, counts, observed), "exact")
    squares = float((sizes**2).sum())
    if squares**2 >= _LEAST_FOR_NORMAL * float((sizes**4).sum()):
        common = int(counts.argmax())
        step = distinct[common if counts[common] >= _COMMON * len(values) else 0]
        return Tested(_normal(observed, squares, half_step=float(step)), "normal")
    return None


def _enumerated(distinct: Floats, counts: Ints, observed: float) -> float:
    """Over all sign patterns, those of equal differences taken together by how many are up."""
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        steps: Floats = size * (2 * np.arange(count + 1, dtype=np.float64) - count)
        sums = np.add.outer(sums, steps).ravel()
        chances = np.outer(chances, _coins(count)).ravel()
    slack = _SLACK * float(distinct @ counts)
    return min(1.0, math.fsum(chances[np.abs(sums) >= observed - slack].tolist()))


@lru_cache(maxsize=256)
def _coins(n: int) -> Floats:
    """The chance of each number of heads, 0 to n, of n fair coins."""
    from scipy.special import (  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]
        gammaln,  # pyright: ignore[reportUnknownVariableType]
    )

    up = np.arange(n + 1)
    logs = gammaln(n + 1) - gammaln(up + 1) - gammaln(n - up + 1) - n * math.log(2)
    return np.exp(logs)


def _normal(observed: float, squares: float, *, half_step: float) -> float:
    """The limit of a sum of many differences with random signs.

    It is symmetric, so the first error is of its kurtosis, −2 Σd⁴/(Σd²)², at most 0.002 here, which
    changes a p near .05 by 0.00002 (Edgeworth). A sum of equal sizes moves in steps of twice the
    size: half a step, of the commonest size or else the least, is taken off, which can only make p
    larger. Against exact values and long drawing, p is right to 0.003 and seldom too small.
    """
    return math.erfc(max(0.0, observed - half_step) / math.sqrt(2 * squares))


def _drawn(columns: Sequence[Floats], draws: int) -> list[float]:
    """(hits + 1) / (draws + 1) of each column; those of about one length share the signs."""
    if draws < 1:
        raise ValueError(f"draws must be 1 or more, came {draws}")
    widths: dict[int, list[int]] = {}
    for place, values in enumerate(columns):
        widths.setdefault((len(values) - 1).bit_length(), []).append(place)
    found = [1.0] * len(columns)
    for bits, places in widths.items():
        table = np.zeros((1 << bits, len(places)))
        for column, place in enumerate(places):
            table[: len(columns[place]), column] = columns[place]
        for place, n in zip(places, _hits(table, draws).tolist(), strict=True):
            found[place] = (n + 1) / (draws + 1)
    return found


def _hits(table: Floats, draws: int) -> Ints:
    """How many of the drawn sign patterns give each column a sum as large as its own."""
    total, n_units = table.sum(axis=0), len(table)
    least = np.abs(total) - _SLACK * np.abs(table).sum(axis=0)
    hits = np.zeros(table.shape[1], dtype=np.int64)
    rng, left = np.random.default_rng(_SEED), draws
    while left:
        rows = min(left, max(1, _CELLS // n_units))
        left -= rows
        bits = np.frombuffer(rng.bytes(rows * n_units // 8 + 1), dtype=np.uint8)
        flipped = np.unpackbits(bits, count=rows * n_units).reshape(rows, n_units)
        sums = total - 2 * (flipped.astype(np.float64) @ table)
        hits += (np.abs(sums) >= least).sum(axis=0)
    return hits


def effect_size(differences: Floats) -> float | None:
    """Cohen's d_z: the mean difference in standard deviations of the differences.

    None for fewer than two, or where all are equal. Source: Cohen 1988, ch. 2; name: Lakens 2013.
    """
    if len(differences) < 2:
        return None
    spread = float(differences.std(ddof=1))
    return float(differences.mean()) / spread if spread > 10.0**-_DECIMALS else None


@dataclass(frozen=True, slots=True)
class Breadth:
    """Whether many queries carry a mean difference, or a few extreme ones do.

    up, down, tied  queries whose difference is above, below, at 0.
    trimmed         mean over the queries that moved, without the 20% lowest and the 20% highest of
                    them (Wilcox 2012, ch. 3), times the share that moved: comparable to the mean.
                    None where none moved.
    carried_by      the fewest queries without which the difference is gone or reversed; 0 for a
                    mean of 0.
    broad           at least five moved, more of them with the mean than against it, and `trimmed`
                    keeps half of it.
    """

    up: int
    down: int
    tied: int
    trimmed: float | None
    carried_by: int
    broad: bool


_TRIMMED = 0.2
_LEAST_MOVED = 5
_KEPT = 0.5


def breadth(differences: Floats) -> Breadth:
    """Who carries the mean of the differences. All zeros for none of them."""
    still = 10.0**-_DECIMALS
    moved = np.sort(differences[np.abs(differences) > still])
    up, n = int((moved > 0).sum()), len(moved)
    total = math.fsum(moved.tolist())
    trimmed = None
    if n:
        cut = int(n * _TRIMMED)
        kept = moved[cut : n - cut]
        trimmed = float(kept.mean()) * n / len(differences)
    carried = _carried_by(moved, total)
    sign = 0.0 if abs(total) <= still else math.copysign(1.0, total)
    ahead = sign * (2 * up - n) > 0
    keeps = trimmed is not None and trimmed * sign >= _KEPT * abs(total) / len(differences)
    broad = bool(sign) and n >= _LEAST_MOVED and ahead and keeps
    return Breadth(up, n - up, len(differences) - n, trimmed, carried, broad)


def _carried_by(moved: Floats, total: float) -> int:
    """How many of the largest differences in the mean's direction undo it when left out."""
    still = 10.0**-_DECIMALS
    if abs(total) <= still:
        return 0
    with_it = moved[::-1] if total > 0 else -moved
    left = abs(total) - np.cumsum(with_it)
    return int(np.argmax(left <= still * len(moved))) + 1


def difference_interval(
    differences: Floats, *, clusters: Ints | None = None, span: tuple[float, float] | None = None
) -> tuple[float, float] | tuple[None, None]:
    """95% interval of a mean difference of the same queries; never of zero width.

    That of a mean (`intervals.interval_of_mean`: BCa), or by cluster (`clusters.cluster_interval`).
    Of 0/1 outcomes (differences of −1, 0, 1), and where under 10 differences in [-1, 1] are not 0,
    `paired.difference_interval`: where few moved, a bootstrap is far too sure.
    span: between what differences can lie. Where all are equal, others are still possible: their
    share is at most Wilson's upper bound for none of n (or of clusters).
    (None, None) for none, or for equal ones without a span.
    """
    if not len(differences):
        return None, None
    rounded = np.round(differences, _DECIMALS).astype(np.float64)
    distinct, counts = np.unique(rounded, return_counts=True)
    codes = None if clusters is None else np.unique(clusters, return_inverse=True)[1]
    n_moved = int(np.count_nonzero(rounded))
    few = set(distinct.tolist()) <= {-1.0, 0.0, 1.0} or 0 < n_moved < _FEW_MOVED
    if codes is None and span == (-1.0, 1.0) and few:
        total, squares = float(rounded.sum()), float((rounded**2).sum())
        return paired.difference_interval(len(rounded), total, squares)
    if len(distinct) == 1:
        if span is None:
            return None, None
        mean = float(distinct[0])
        other = wilson(0, len(differences) if codes is None else int(codes.max()) + 1)[1]
        return mean - other * (mean - span[0]), mean + other * (span[1] - mean)
    if codes is None:
        of_each = dict(zip(distinct.tolist(), counts.tolist(), strict=True))
        found = interval_of_mean(of_each, bounds=span)
    else:
        sums = np.bincount(codes, weights=rounded).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
        squares = float((rounded**2).sum())
        found = cluster_interval(sums, sizes, squares=squares, bounds=span)
    return (None, None) if found is None else (found.low, found.high)
