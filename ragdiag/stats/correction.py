"""Rates by a judge, corrected by people's labels of some of the items: PPI++ and Rogan–Gladen.

The small-sample forms are named at `prediction_powered` and `rogan_gladen`; intervals are at 95%.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ragdiag.stats.intervals import score
from ragdiag.stats.quantiles import LEVEL_Z, t_quantile

NotEstimable = Literal["no_labels", "no_positives", "no_negatives", "judge_near_chance"]

_HALF = 0.5
_NEAR_CHANCE = 0.05
_FEW = 10
_DRAWS = 4_000
_SEED = 20261130


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labelled items by what the judge and people say of them, each as positive or negative.

    The cells are sums of the items' weights (1 / inclusion probability; 1 for a simple random
    sample): tp both say positive, fn people only, fp the judge only, tn neither. `squares` are the
    sums of the squared weights in the same order; None where all weights are 1.
    """

    tp: float = 0.0
    fn: float = 0.0
    tn: float = 0.0
    fp: float = 0.0
    squares: tuple[float, float, float, float] | None = None
    n: int | None = None

    def __post_init__(self) -> None:
        if min(self.sums) < 0 or (self.squares is not None and min(self.squares) < 0):
            raise ValueError(f"counts of labelled items must not be negative, came {self}")

    @classmethod
    def of(cls, items: Iterable[tuple[bool, bool, float]]) -> Labelled:
        """From (judge, people, weight > 0) an item; in units of the largest weight, since only
        their proportions count."""
        found = list(items)
        for *_, weight in found:
            if not (weight > 0 and math.isfinite(weight)):
                raise ValueError(f"a weight must be positive and finite, came {weight}")
        largest = max((weight for *_, weight in found), default=1.0)
        sums, squares, n = [0.0] * 4, [0.0] * 4, 0
        for judge, people, given in found:
            weight = given / largest
            place = (0 if judge else 1) if people else (3 if judge else 2)
            sums[place] += weight
            squares[place] += weight * weight
            n += 1
        return cls(*sums, squares=(squares[0], squares[1], squares[2], squares[3]), n=n)

    @property
    def sums(self) -> tuple[float, float, float, float]:
        """tp, fn, tn, fp."""
        return self.tp, self.fn, self.tn, self.fp

    @property
    def n_labelled(self) -> int:
        """How many items, without their weights."""
        return round(sum(self.sums)) if self.n is None else self.n

    def effective(self, *cells: int) -> float:
        """As many items of equal weights as tell what the items of these cells do (Kish 1965)."""
        total = sum(self.sums[i] for i in cells)
        squares = sum((self.squares or self.sums)[i] for i in cells)
        return total * total / squares if squares else 0.0

    def with_more(self, add: float) -> tuple[list[float], list[float]]:
        """Sums and sums of squares with `add` items more in each cell, which weigh as the items of
        the same verdict do (Σ w² / Σ w), and as all do where there is none."""
        squares = self.squares or self.sums
        sums, found = list(self.sums), list(squares)
        for cells in ((0, 3), (1, 2)):
            told = cells if sum(self.sums[i] for i in cells) > 0 else (0, 1, 2, 3)
            weight = sum(squares[i] for i in told) / sum(self.sums[i] for i in told)
            for i in cells:
                sums[i] += add * weight
                found[i] += add * weight**2
        return sums, found


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected rate in [0, 1] with ci_low < ci_high, or None with `why_none`.

    raw         what the judge says; `method`: "ppi++", "rogan_gladen".
    weight      λ of PPI++ in [0, 1]: how far the judge's verdicts were used; None elsewhere.
    bootstrap   interval of the Beta bootstrap, where the plain one is near its limits.
    """

    method: str
    raw: float | None
    value: float | None
    ci_low: float | None
    ci_high: float | None
    n_labelled: int
    weight: float | None = None
    bootstrap: tuple[float, float] | None = None
    why_none: NotEstimable | None = None


def prediction_powered(labelled: Labelled, *, positives: float, n: int) -> Corrected:
    """The rate of people's positives among all n judged items, the labelled ones among them.

    λ q + Σ w (y − λ f) / Σ w over the labelled, with q = positives / n, the judge's f and people's
    y as 0/1 and w the weights (Hájek's form); λ minimises the variance, in [0, 1]. λ = 0 is the
    mean of people's labels alone. Labels must be drawn at random, with known probabilities.
    Source: Angelopoulos, Duchi and Zrnic 2023 (PPI++); with weights Zrnic and Candès 2024.

    Small samples: λ and the variance are taken with half a label more in each of the four cells
    (Agresti and Min 2005), which weighs as those of the same verdict do; the interval is Wilson's
    with as many items as make its variance the same, at the quantile of t with n labelled − 1
    degrees of freedom. So it holds where judge and people agree on all, and has a width.
    No label, or nothing judged: None. Raises ValueError for counts that cannot be.
    """
    _check(positives, n)
    if labelled.n_labelled > n:
        raise ValueError(f"{labelled.n_labelled} labelled items are more than {n} judged ones")
    if not labelled.n_labelled or not n:
        raw = positives / n if n else None
        return Corrected("ppi++", raw, None, None, None, 0, why_none="no_labels")
    smooth = _Moments.of(labelled, n, positives / n, add=_HALF)
    return _powered(labelled, smooth, _best_weight(smooth))


def _powered(labelled: Labelled, smooth: _Moments, weight: float) -> Corrected:
    n, raw = smooth.n, smooth.raw
    seen = _Moments.of(labelled, n, raw, add=0.0)
    value = min(1.0, max(0.0, seen.estimate(weight)))
    limit = 1 / (2 * n + 2)
    near = min(1 - limit, max(limit, smooth.estimate(weight)))
    variance = max(smooth.variance(weight), near * (1 - near) / n)  # of labels on all of them
    freedom = max(1.0, labelled.effective(0, 1, 2, 3) - 1)
    low, high = score(value, near * (1 - near) / variance, z=t_quantile(freedom))
    return Corrected("ppi++", raw, value, low, high, labelled.n_labelled, weight=weight)


@dataclass(frozen=True, slots=True)
class _Moments:
    """Means and (co)variances of judge f and people y; sums by w and by w² are over the labelled,
    w scaled so that Σ w = n."""

    n: int
    raw: float
    mean_f: float
    mean_y: float
    fy: float
    ff: float
    yy2: float
    fy2: float
    ff2: float

    @classmethod
    def of(cls, labelled: Labelled, n: int, raw: float, *, add: float) -> _Moments:
        sums, squares = labelled.with_more(add)
        scale = n / sum(sums)
        sums = [one * scale for one in sums]
        squares = [one * scale**2 for one in squares]
        cells = ((1, 1), (0, 1), (0, 0), (1, 0))  # (f, y), as tp, fn, tn, fp
        mean_f = sum(w * f for w, (f, _) in zip(sums, cells, strict=True)) / n
        mean_y = sum(w * y for w, (_, y) in zip(sums, cells, strict=True)) / n
        f_y = [(f - mean_f, y - mean_y) for f, y in cells]
        return cls(
            n, raw, mean_f, mean_y,
            fy=sum(w * f * y for w, (f, y) in zip(sums, f_y, strict=True)),
            ff=sum(w * f * f for w, (f, _) in zip(sums, f_y, strict=True)),
            yy2=sum(w * y * y for w, (_, y) in zip(squares, f_y, strict=True)),
            fy2=sum(w * f * y for w, (f, y) in zip(squares, f_y, strict=True)),
            ff2=sum(w * f * f for w, (f, _) in zip(squares, f_y, strict=True)),
        )  # fmt: skip

    def estimate(self, weight: float) -> float:
        return weight * self.raw + self.mean_y - weight * self.mean_f

    def variance(self, weight: float) -> float:
        """Of the estimate: Σ of squares over all judged of λ (f − q) + w (e − ē), e = y − λ f."""
        own = self.yy2 - 2 * weight * self.fy2 + weight**2 * self.ff2
        shared = 2 * weight * (self.fy - weight * self.ff)
        return (own + shared + weight**2 * self._all) / self.n**2

    @property
    def _all(self) -> float:
        return self.n * self.raw * (1 - self.raw)

    @property
    def bend(self) -> float:
        """Half the second derivative of the variance, a parabola in λ; times n²."""
        return self.ff2 - 2 * self.ff + self._all

    @property
    def slope(self) -> float:
        """Half of how fast the variance falls at λ = 0; times n²."""
        return self.fy2 - self.fy


def _best_weight(*moments: _Moments) -> float:
    """λ in [0, 1] where the sum of the variances is least."""
    bend = sum(one.bend for one in moments)
    if bend <= 0:  # the judge says one thing of all
        return 0.0
    return min(1.0, max(0.0, sum(one.slope for one in moments) / bend))


def rogan_gladen(
    positives: float, n: int, *, tp: float, fn: float, tn: float, fp: float
) -> Corrected:
    """(q + TNR − 1) / (TPR + TNR − 1), q = positives / n, with the sampling error of all three.

    tp, fn, tn, fp  labelled items, whole or effective numbers (`Labelled.effective`).

    The interval is Lang and Reiczigel's: q with z² / 2 positives and negatives more, TPR and TNR
    with one of each, the delta method and a shift that makes up for its skewness. Beside it, where
    it meets 0 or 1 or a class has under ten labels, the quantiles of 4,000 draws of the three
    rates from Beta(k + ½, n − k + ½). Cut off at 0 and 1.
    None with a reason: no_labels, no_positives, no_negatives (people's; a rate of the judge is then
    unknown), judge_near_chance (TPR + TNR − 1 under .05: the verdicts tell nothing of the truth).
    Source: Rogan and Gladen 1978; Lang and Reiczigel 2014.
    """
    _check(positives, n)
    if min(tp, fn, tn, fp) < 0:
        raise ValueError(f"counts must not be negative, came {(tp, fn, tn, fp)}")
    raw = positives / n if n else None
    n_labelled = round(tp + fn + tn + fp)
    why: NotEstimable | None = None
    if raw is None or tp + fn + tn + fp <= 0:
        why = "no_labels"
    elif tp + fn <= 0:
        why = "no_positives"
    elif tn + fp <= 0:
        why = "no_negatives"
    elif tp / (tp + fn) + tn / (tn + fp) - 1 < _NEAR_CHANCE:
        why = "judge_near_chance"
    if why is not None or raw is None:
        return Corrected("rogan_gladen", raw, None, None, None, n_labelled, why_none=why)
    true_negative = tn / (tn + fp)
    value = (raw + true_negative - 1) / (tp / (tp + fn) + true_negative - 1)
    value = min(1.0, max(0.0, value))
    low, high = _lang_reiczigel(positives, n, tp, fn, tn, fp)
    drawn = None
    if low <= 0 or high >= 1 or min(tp + fn, tn + fp) < _FEW:
        drawn = _drawn(positives, n, tp, fn, tn, fp)
    low, high = min(max(0.0, low), value), max(min(1.0, high), value)
    return Corrected("rogan_gladen", raw, value, low, high, n_labelled, bootstrap=drawn)


def _lang_reiczigel(
    positives: float, n: int, tp: float, fn: float, tn: float, fp: float
) -> tuple[float, float]:
    z2 = LEVEL_Z**2
    q = (positives + z2 / 2) / (n + z2)
    tpr, tnr = (tp + 1) / (tp + fn + 2), (tn + 1) / (tn + fp + 2)
    of_tpr, of_tnr = tpr * (1 - tpr) / (tp + fn + 2), tnr * (1 - tnr) / (tn + fp + 2)
    informed = tpr + tnr - 1
    if informed <= 0:
        return 0.0, 1.0
    rate = min(1.0, max(0.0, (q + tnr - 1) / informed))
    shift = 2 * z2 * (rate * of_tpr - (1 - rate) * of_tnr)
    spread = q * (1 - q) / (n + z2) + rate**2 * of_tpr + (1 - rate) ** 2 * of_tnr
    half = LEVEL_Z * math.sqrt(spread) / informed
    return rate + shift - half, rate + shift + half


def _drawn(
    positives: float, n: int, tp: float, fn: float, tn: float, fp: float
) -> tuple[float, float]:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    rng = np.random.default_rng(_SEED)

    def beta(yes: float, no: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return rng.beta(yes + _HALF, no + _HALF, _DRAWS)

    q, tpr, tnr = beta(positives, n - positives), beta(tp, fn), beta(tn, fp)
    informed = tpr + tnr - 1
    usable = informed > 0
    rates = np.clip((q + tnr - 1)[usable] / informed[usable], 0.0, 1.0)
    low, high = np.quantile(rates, (0.025, 0.975))
    return float(low), float(high)


def corrected_shares(
    labelled: Iterable[tuple[str, str, float]], judged: Mapping[str, int]
) -> dict[str, Corrected]:
    """The shares of categories: `prediction_powered` of each against all others, with one λ for
    all, which makes the sum of their variances least (PPI++ for several parameters).

    labelled  (the judge's category, people's, weight) an item; judged  all items by the judge's.

    So the estimates add up to 1; where one is cut off at 0 they are scaled until they do again, and
    intervals are widened to hold the scaled value. Intervals are those of each share alone. Every
    category that occurs on either side has a row, sorted.
    """
    items, n = list(labelled), sum(judged.values())
    names = sorted({*judged, *(name for judge, people, _ in items for name in (judge, people))})
    if not items or not n:
        return {name: prediction_powered(Labelled(), positives=judged.get(name, 0), n=n)
                for name in names}  # fmt: skip
    cells = {
        name: Labelled.of((judge == name, people == name, w) for judge, people, w in items)
        for name in names
    }
    smooth = {
        name: _Moments.of(one, n, judged.get(name, 0) / n, add=_HALF) for name, one in cells.items()
    }
    weight = _best_weight(*smooth.values())
    found = {name: _powered(one, smooth[name], weight) for name, one in cells.items()}
    total = math.fsum(one.value or 0.0 for one in found.values())
    return {name: _scaled(one, total) for name, one in found.items()}


def _scaled(one: Corrected, total: float) -> Corrected:
    assert one.value is not None  # there is a label
    assert one.ci_low is not None
    assert one.ci_high is not None
    value = one.value / total
    return Corrected(
        one.method, one.raw, value, min(one.ci_low, value), max(one.ci_high, value),
        one.n_labelled, weight=one.weight,
    )  # fmt: skip


def _check(positives: float, n: int) -> None:
    if n < 0 or not 0 <= positives <= n:
        raise ValueError(f"positives must lie in 0..n, came {positives} of {n}")
