"""People against people, check by check: the ceiling that a judge is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ragdiag.report.label_scales import in_order
from ragdiag.report.labelled_items import Item, LabelledItems
from ragdiag.report.two_raters import (
    Cell,
    Pair,
    coefficient_cells,
    levels_of,
    two_raters,
)

if TYPE_CHECKING:
    from ragdiag.stats.agreement_intervals import Floats

_MOST_ANNOTATORS = 20
_MOST_PAIRS = 10
_FEWEST_SHARED = 10


def people_checks(labelled: LabelledItems) -> dict[str, dict[str, Any]]:
    """By row: how far annotators agree, on items that two or more labelled.

    kappa is Fleiss' (of two raters: Scott's pi), beside AC1 and Krippendorff's alpha, all with
    labels missing as they may; `pairs` holds Cohen's kappa (and all else of `two_raters`) of the
    pairs of annotators with most items in common, ten at least. Items on which they tie count.
    """
    return {
        row: _row(items[0].check, items)
        for row, items in labelled.items().items()
        if any(len(one.votes) > 1 for one in items)
    }


def _row(check: str, items: Sequence[Item]) -> dict[str, Any]:
    several = [one for one in items if len(one.votes) > 1]
    labels = in_order(check, (label for one in items for label in one.votes.values()))
    pairs, n_more = _of_pairs(check, several)
    return {
        "n_items": len(items),
        "n_several": len(several),
        "n_labels": sum(len(one.votes) for one in several),
        "n_annotators": len({name for one in items for name in one.votes}),
        "n_tied": sum(1 for one in items if one.people is None),
        "labels": labels,
        **_coefficients(check, items, labels),
        "pairs": pairs,
        "n_more_pairs": n_more,
    }


def _coefficients(check: str, items: Sequence[Item], labels: Sequence[str]) -> dict[str, Cell]:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats import coefficients as by  # noqa: PLC0415 - loads numpy

    n = len(labels)
    votes = [Counter(one.votes.values()) for one in items]
    counts = np.array([[told[label] for label in labels] for told in votes], dtype=float)
    tables = by.several_raters(counts)
    shared = _summed(by.with_shares(tables, counts), items)
    met = _summed(tables * counts.sum(-1)[:, None, None], items)
    alphas = {"alpha": by.krippendorff(np.arange(n, dtype=float), "nominal")}
    levels = levels_of(check, labels)
    if levels is not None:
        at = np.array(levels)
        alphas["alpha_ordinal"] = by.krippendorff(at, "ordinal")
        alphas["alpha_interval"] = by.krippendorff(at, "interval")
    square = by.pairs_of(shared)
    square = square[square.sum((1, 2)) > 0]  # units without a pair say nothing of who agrees
    met = met[met.sum((1, 2)) > 0]
    return {
        **coefficient_cells(square, {"agreement": by.plain(n)}),
        **coefficient_cells(shared, {"kappa": by.scott(n), "ac1": by.gwet_ac1(n)}),
        **coefficient_cells(met, alphas),
        **coefficient_cells(square, {"pabak": by.pabak(n)}),
    }


def _summed(tables: Floats, items: Sequence[Item]) -> Floats:
    """The tables of items by what they are drawn with."""
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    numbers: dict[str, int] = {}
    of = np.array([numbers.setdefault(one.drawn, len(numbers)) for one in items])
    found = np.zeros((len(numbers), *tables.shape[1:]))
    np.add.at(found, of, tables)
    return found


def _of_pairs(check: str, items: Sequence[Item]) -> tuple[list[dict[str, Any]], int]:
    """The pairs of annotators with most items in common, and how many pairs more there are."""
    busy = Counter(name for one in items for name in one.votes)
    shown = {name for name, _ in busy.most_common(_MOST_ANNOTATORS)}
    found: dict[tuple[str, str], list[Pair]] = {}
    for one in items:
        for first, second in combinations(sorted(shown.intersection(one.votes)), 2):
            pair = Pair(one.votes[first], one.votes[second], one.drawn)
            found.setdefault((first, second), []).append(pair)
    ranked = sorted(found.items(), key=lambda row: (-len(row[1]), row[0]))
    rows = [
        {"annotators": list(names), **two_raters(check, pairs, names=("first", "second"))}
        for names, pairs in ranked[:_MOST_PAIRS]
        if len(pairs) >= _FEWEST_SHARED
    ]
    return rows, len(found) - len(rows)
