"""Two raters and two labels: how often each class is found, what skews the coefficients, and
whether that is enough to trust a judge.

A table is [[tp, fn], [fp, tn]]: rows people, columns the judge, the positive label first; arrays
(..., 2, 2) of tables give arrays (...), NaN where a class is absent.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]

_SLACK = 1e-9

FEWEST_OF_RARER = 30
LEAST_RATE = 0.7
"""What a judge needs to be trusted: labels of the rarer class, and the lower bounds of TPR, TNR."""


def tpr(table: Floats) -> Floats:
    """tp / (tp + fn): the share of people's positive items that the judge finds (recall)."""
    return _share(table[..., 0, 0], table[..., 0, 1])


def tnr(table: Floats) -> Floats:
    """tn / (tn + fp): the share of people's negative items that the judge finds (specificity)."""
    return _share(table[..., 1, 1], table[..., 1, 0])


def balanced_accuracy(table: Floats) -> Floats:
    """The mean over people's labels of the share that the judge labels alike: (TPR + TNR) / 2 for
    two labels, where .5 is blind. Square tables of any number of labels; labels that people do not
    use count for nothing; NaN where they use fewer than two."""
    of_people = table.sum(-1)
    used = of_people > 0
    same = np.diagonal(table, axis1=-2, axis2=-1)
    recall = np.divide(same, of_people, out=np.zeros(np.shape(of_people)), where=used)
    n_used = used.sum(-1)
    return np.where(n_used > 1, recall.sum(-1) / np.maximum(n_used, 1), np.nan)


def prevalence_index(table: Floats) -> Floats:
    """(tp − tn) / n, in [−1, 1]: far from 0, kappa is low whatever the agreement.

    Source: Byrt, Bishop and Carlin 1993."""
    return _over_all(table, table[..., 0, 0] - table[..., 1, 1])


def bias_index(table: Floats) -> Floats:
    """(fp − fn) / n, in [−1, 1]: the judge's share of positives less people's.

    Source: Byrt, Bishop and Carlin 1993 (there with its sign turned)."""
    return _over_all(table, table[..., 1, 0] - table[..., 0, 1])


def mistrust(
    *, n_positive: int, n_negative: int, tpr_low: float | None, tnr_low: float | None
) -> list[str]:
    """Why a judge is not to be trusted, in words; empty: it is.

    It needs 30 labels of the rarer class, and 95% lower bounds of TPR and TNR of .7.
    """
    found: list[str] = []
    for name, n in (("positive", n_positive), ("negative", n_negative)):
        if n < FEWEST_OF_RARER:
            found.append(f"{n} {name}, {FEWEST_OF_RARER} needed")
    for name, low in (("TPR", tpr_low), ("TNR", tnr_low)):
        if low is not None and low < LEAST_RATE:
            found.append(f"{name} may be {_down(low)}, {LEAST_RATE:.2f} needed")
    return found


def _down(low: float) -> str:
    """Two digits that are not rounded up to the bound."""
    return f"{math.floor(low * 100 + _SLACK) / 100:.2f}"


def _share(found: Floats, missed: Floats) -> Floats:
    total = found + missed
    return np.divide(found, total, out=np.full(np.shape(total), np.nan), where=total > 0)


def _over_all(table: Floats, difference: Floats) -> Floats:
    n = table.sum((-2, -1))
    return np.divide(difference, n, out=np.full(np.shape(n), np.nan), where=n > 0)
