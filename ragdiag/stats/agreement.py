"""How far annotators agree on nominal labels, beyond what chance gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

NoAlpha = Literal["no_pair", "one_label"]


@dataclass(frozen=True, slots=True)
class NominalAgreement:
    """The labels of items that at least two annotators labelled.

    n_items     such items; `n_labels` the labels on them.
    observed    the share of agreeing pairs of labels within an item, each item weighing as many
                labels as it has; None for no such item.
    alpha       Krippendorff's alpha, in [-1, 1]; None with `why_none`: no_pair (no item has two
                labels) or one_label (only one label occurs, so chance agreement is all there is).
    table       (label, other label), sorted -> how often the two met on one item, each item
                weighing as above: what to look at where `observed` is high and alpha near 0.
    """

    n_items: int
    n_labels: int
    observed: float | None
    alpha: float | None
    why_none: NoAlpha | None
    table: dict[tuple[str, str], float]


def nominal_agreement(items: Iterable[Mapping[str, int]]) -> NominalAgreement:
    """Krippendorff's alpha on items given as {label: how many annotators gave it}.

    Over coincidences (`coefficients.krippendorff`): an item of m labels adds n_c · n_k / (m − 1) to
    each pair c ≠ k and n_c · (n_c − 1) / (m − 1) to c = c. Items with one label only are left out.
    Any number of annotators, any missing labels.
    """
    met: dict[tuple[str, str], float] = {}
    by_size: dict[int, Counter[tuple[str, str]]] = {}  # whole numbers, so that sums are exact
    totals: Counter[str] = Counter()
    n_items = 0
    for item in items:
        counted = {label: n for label, n in item.items() if n > 0}
        m = sum(counted.values())
        if m < 2:
            continue
        n_items += 1
        totals.update(counted)
        pairs = by_size.setdefault(m, Counter())
        for first, n in counted.items():
            for second, other in counted.items():
                if first <= second:
                    pairs[first, second] += n * (n - 1) if first == second else 2 * n * other
    for m in sorted(by_size):
        for pair, numerator in sorted(by_size[m].items()):
            if numerator:
                met[pair] = met.get(pair, 0.0) + numerator / (m - 1)
    n = totals.total()
    if not n:
        return NominalAgreement(0, 0, None, None, "no_pair", {})
    observed, alpha = _of_coincidences(sorted(totals), met)
    return NominalAgreement(
        n_items, n, observed, alpha, "one_label" if alpha is None else None, met
    )


def _of_coincidences(
    labels: list[str], met: Mapping[tuple[str, str], float]
) -> tuple[float, float | None]:
    """The observed agreement, and alpha; None where one label is all."""
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats.coefficients import krippendorff  # noqa: PLC0415 - loads numpy

    at = {label: place for place, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    for (first, second), weight in met.items():
        one, other = at[first], at[second]
        table[one, other] += weight / (1 if one == other else 2)
        if one != other:
            table[other, one] += weight / 2
    coefficient = krippendorff(np.arange(len(labels), dtype=float), "nominal")
    alpha = float(coefficient(table)) if len(labels) > 1 else None
    return float(coefficient.observed(table)), alpha
