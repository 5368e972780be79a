"""All that is told of how two raters agree: people and the judge, or two people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ragdiag.report.label_scales import (
    LEVELS,
    has_between,
    in_order,
    is_positive,
    say_two,
    two_valued,
)

if TYPE_CHECKING:
    from ragdiag.stats.agreement_intervals import Floats
    from ragdiag.stats.coefficients import Coefficient
    from ragdiag.stats.intervals import Interval

Cell = dict[str, float | None]
"""{value, ci_low, ci_high}; all null where it is not defined."""

NONE: Cell = {"value": None, "ci_low": None, "ci_high": None}


class Pair(NamedTuple):
    """The labels of one item by two raters, what it is drawn with, and what it stands for."""

    first: str
    second: str
    drawn: str
    weight: float = 1.0


def two_raters(
    check: str,
    pairs: Sequence[Pair],
    *,
    short: bool = False,
    names: tuple[str, str] = ("people", "ragdiag"),
) -> dict[str, Any]:
    """Table and coefficients of the items that both labelled, with 95% intervals.

    TPR, TNR, balanced accuracy and both indices take labels as positive (the first label of the
    check) or not. The other coefficients take them so too where the first rater uses only two
    labels, and as they are else (`coefficients_on`: two_values, labels).
    short  without the table and all coefficients but kappa: for slices.
    names  keys of the table.
    """
    used = {pair.first for pair in pairs}
    two = say_two(check, used)
    binary = binary_units(check, pairs)
    told: dict[str, Any] = {
        "n": len(pairs),
        "n_positive": sum(1 for pair in pairs if is_positive(check, pair.first)),
        "n_negative": sum(1 for pair in pairs if not is_positive(check, pair.first)),
        **_rates(binary),
    }
    labels = ["+", "-"] if two else in_order(check, [*used, *(p.second for p in pairs)])
    units = binary if two else label_units(pairs, labels)
    coefficients = _nominal(len(labels))
    if short:
        few = {name: coefficients[name] for name in ("agreement", "kappa")}
        return {**told, **coefficient_cells(units, few)}
    table = Counter((pair.first, pair.second) for pair in pairs)
    return {
        **told,
        "balanced_accuracy": _balanced(binary, told),
        **_indices(binary),
        "coefficients_on": "two_values" if two else "labels",
        **coefficient_cells(units, coefficients),
        **_ordered(check, labels if not two else [], units),
        "table": [
            {names[0]: first, names[1]: second, "n": n}
            for (first, second), n in sorted(table.items())
        ],
    }


def binary_units(check: str, pairs: Sequence[Pair]) -> Floats:
    """A table [[tp, fn], [fp, tn]] a unit; rows are the first rater."""
    between = has_between({pair.first for pair in pairs})
    places: list[tuple[int, int]] = []
    for pair in pairs:
        first, second = two_valued(check, pair.first, pair.second, between=between)
        places.append((0 if first else 1, 0 if second else 1))
    return _units(pairs, places, 2)


def label_units(pairs: Sequence[Pair], labels: Sequence[str]) -> Floats:
    """A table of labels a unit."""
    at = {label: place for place, label in enumerate(labels)}
    return _units(pairs, [(at[pair.first], at[pair.second]) for pair in pairs], len(labels))


def _units(pairs: Sequence[Pair], places: Sequence[tuple[int, int]], n: int) -> Floats:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    numbers: dict[str, int] = {}
    of = [numbers.setdefault(pair.drawn, len(numbers)) for pair in pairs]
    found = np.zeros((len(numbers), n, n))
    mean = sum(pair.weight for pair in pairs) / max(len(pairs), 1)
    for unit, pair, (row, column) in zip(of, pairs, places, strict=True):
        found[unit, row, column] += pair.weight / mean
    return found


def cell(value: float | None, interval: Interval | None) -> Cell:
    """A value that is a number, with its interval."""
    if value is None or math.isnan(value) or interval is None:
        return dict(NONE)
    return {"value": value, "ci_low": interval.low, "ci_high": interval.high}


def coefficient_cells(units: Floats, coefficients: Mapping[str, Coefficient]) -> dict[str, Cell]:
    """Coefficients on the sum of the units, with their intervals."""
    from ragdiag.stats.agreement_intervals import (  # noqa: PLC0415 - loads numpy
        coefficient_intervals,
        interval_by_chance,
    )

    if not len(units):
        return {name: dict(NONE) for name in coefficients}
    rates = [name for name in ("agreement", "pabak") if name in coefficients]
    found = {name: interval_by_chance(units, coefficients[name]) for name in rates}
    drawn = {name: one for name, one in coefficients.items() if name not in rates}
    found.update(coefficient_intervals(units, drawn))
    total = units.sum(0)
    return {name: cell(float(one(total)), found[name]) for name, one in coefficients.items()}


def _nominal(n: int) -> dict[str, Coefficient]:
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats import coefficients as by  # noqa: PLC0415 - loads numpy

    levels = np.arange(n, dtype=float)
    return {
        "agreement": by.plain(n),
        "kappa": by.cohen(np.eye(n)),
        "ac1": by.gwet_ac1(n),
        "alpha": by.of_both(by.krippendorff(levels, "nominal")),
        "pabak": by.pabak(n),
    }


def _ordered(check: str, labels: Sequence[str], units: Floats) -> dict[str, Cell]:
    """Weighted kappa and alpha of ordered labels, where more than two levels occur."""
    import numpy as np  # noqa: PLC0415 - heavy, and needed here only

    from ragdiag.stats import coefficients as by  # noqa: PLC0415 - loads numpy

    levels = levels_of(check, labels)
    if levels is None:
        return {}
    at = np.array(levels)
    return coefficient_cells(
        units,
        {
            "kappa_linear": by.cohen(by.agreement_weights(at, "linear")),
            "kappa_quadratic": by.cohen(by.agreement_weights(at, "quadratic")),
            "alpha_ordinal": by.of_both(by.krippendorff(at, "ordinal")),
            "alpha_interval": by.of_both(by.krippendorff(at, "interval")),
        },
    )


def levels_of(check: str, labels: Sequence[str]) -> list[float] | None:
    """The levels of ordered labels; None where they have no order, or two levels only."""
    order = LEVELS.get(check, {})
    if not all(label in order for label in labels):
        return None
    found = [order[label] for label in labels]
    return found if len(set(found)) > 2 else None


def _rates(binary: Floats) -> dict[str, Cell]:
    from ragdiag.stats.agreement_intervals import rate_interval  # noqa: PLC0415 - loads numpy
    from ragdiag.stats.binary_agreement import tnr, tpr  # noqa: PLC0415

    total = binary.sum(0)
    rows = {"tpr": (0, 0, tpr), "tnr": (1, 1, tnr)}
    return {
        name: cell(
            float(of(total)),
            rate_interval(binary[:, row, column], binary[:, row].sum(-1)),
        )
        for name, (row, column, of) in rows.items()
    }


def _balanced(binary: Floats, told: Mapping[str, Cell]) -> Cell:
    from ragdiag.stats.agreement_intervals import (  # noqa: PLC0415 - loads numpy
        drawn_intervals,
        mean_of_rates,
    )
    from ragdiag.stats.binary_agreement import balanced_accuracy  # noqa: PLC0415
    from ragdiag.stats.intervals import Interval  # noqa: PLC0415

    value = float(balanced_accuracy(binary.sum(0)))
    if math.isnan(value):
        return dict(NONE)
    found = drawn_intervals(binary, {"": balanced_accuracy})[""]
    if found is None:
        rates = [
            (float(one["value"]), Interval(float(one["ci_low"]), float(one["ci_high"]), ""))
            for one in (told["tpr"], told["tnr"])
            if one["value"] is not None and one["ci_low"] is not None and one["ci_high"] is not None
        ]
        found = mean_of_rates(rates)
    return cell(value, found)


def _indices(binary: Floats) -> dict[str, Cell]:
    from ragdiag.stats.agreement_intervals import rate_interval  # noqa: PLC0415 - loads numpy
    from ragdiag.stats.binary_agreement import bias_index, prevalence_index  # noqa: PLC0415

    total, sizes = binary.sum(0), binary.sum((1, 2))
    tp, fn, fp, tn = (binary[:, i, j] for i in (0, 1) for j in (0, 1))
    parts = {"prevalence_index": (tp - tn, tp + tn, prevalence_index),
             "bias_index": (fp - fn, fp + fn, bias_index)}  # fmt: skip
    return {
        name: cell(
            float(of(total)),
            rate_interval(sums, sizes, squares=float(squares.sum()), bounds=(-1.0, 1.0)),
        )
        for name, (sums, squares, of) in parts.items()
    }
